// Shared by the files of a contact solve: contact_solve.c solves substeps, impact_solve.c impacts,
// contact_solve_assembly.c builds the constraints and matrices of both.

#ifndef TAC_RESPOND_LCP_CONTACT_SOLVE_ASSEMBLY_H
#define TAC_RESPOND_LCP_CONTACT_SOLVE_ASSEMBLY_H

#include "respond/lcp/contact_solve.h"

// impacts beyond the limit after which stabilizing contacts stop tilting
enum { TAC_STABILIZE_AFTER = 6 };

// kinematics and velocities of one of the motions
void tac_contact_solve_kinematics(tacContactSolve* s, tacMotion* m, const double* q,
                                  const double* v);

// contacts within a margin, with stabilizing contacts where asked for; joint rows at the state of a
// record
tacResult tac_contact_solve_detect(tacContactSolve* s, const tacMotion* m, double margin,
                                   int stabilize);
tacResult tac_contact_solve_list_rows(tacContactSolve* s, const tacSolveRecord* record);

// Contact i as a constraint; candidate i (contact or joint row) as a constraint, and its normal row
// (J may be NULL).
tacConstraint tac_contact_constraint(const tacContactSolve* s, int i, const tacMotion* before);
tacConstraint tac_candidate_constraint(const tacContactSolve* s, const tacSolveRecord* record,
                                       int i, const tacMotion* before, double* J);

// the selected constraints, then their matrices, then b at a velocity without constraints
tacResult tac_contact_solve_gather(tacContactSolve* s, tacSolveRecord* record,
                                   const tacMotion* before);
void tac_contact_solve_assemble(tacContactSolve* s, tacFreeDynamics* f);
void tac_contact_solve_rhs(tacContactSolve* s, const tacSolveRecord* record, const double* v_free);

// gaps neither open nor close
void tac_contact_solve_close_gaps(tacContactSolve* s);

// impulses, then u = free + U f
tacResult tac_contact_solve_lcp(tacContactSolve* s, tacSolveRecord* record, const double* v_free,
                                int warm_start);

// Tangents without friction are inactive in derivatives: contact_solve_diff.c adds the first trace
// of friction.
void tac_contact_solve_drop_tangents(const tacContactSolve* s, tacSolveRecord* record);

// constraints of an impact; then dynamics at rest without forces, where only the mass matrix acts
tacResult tac_contact_solve_gather_impact(tacContactSolve* s, tacSolveRecord* record);
void tac_contact_solve_mass_only(tacContactSolve* s, const tacSolveRecord* record);

// Appends four copies of every contact nearer than `cutoff`, up to the capacity. They have the
// normal, the distance and the derivatives of the contact.
void tac_add_stabilizing_contacts(const tacModel* model, const tacPose* body, double cutoff,
                                  tacContacts* contacts, tacConvexContact* convex_contact);

#endif
