// What the files of a solve of hard contact share: contact_solve.c propagates, impact_solve.c
// collides, contact_solve_assembly.c gives both their groups and matrices.

#ifndef TAC_RESPOND_LCP_CONTACT_SOLVE_ASSEMBLY_H
#define TAC_RESPOND_LCP_CONTACT_SOLVE_ASSEMBLY_H

#include "respond/lcp/contact_solve.h"

// impacts too many after which points around contacts stop tilting
enum { TAC_STABILIZE_AFTER = 6 };

// kinematics and velocities of one of the motions
void tac_contact_solve_kinematics(tacContactSolve* s, tacMotion* m, const double* q,
                                  const double* v);

// contacts within a margin, with points around them (`spread`); rows of joints at the note's state
tacResult tac_contact_solve_detect(tacContactSolve* s, const tacMotion* m, double margin,
                                   int stabilize);
tacResult tac_contact_solve_list_rows(tacContactSolve* s, const tacSolveRecord* record);

// contact i as a group; contact or row i of the list, and its normal row (J may be NULL)
tacConstraint tac_contact_constraint(const tacContactSolve* s, int i, const tacMotion* before);
tacConstraint tac_candidate_constraint(const tacContactSolve* s, const tacSolveRecord* record,
                                       int i, const tacMotion* before, double* J);

// the groups that the note has chosen, then their matrices, then b at the velocity `free`
tacResult tac_contact_solve_gather(tacContactSolve* s, tacSolveRecord* record,
                                   const tacMotion* before);
void tac_contact_solve_assemble(tacContactSolve* s, tacFreeDynamics* f);
void tac_contact_solve_rhs(tacContactSolve* s, const tacSolveRecord* record, const double* v_free);

// gaps stay as they are
void tac_contact_solve_hold_gaps(tacContactSolve* s);

// impulses, then u = free + U f
tacResult tac_contact_solve_lcp(tacContactSolve* s, tacSolveRecord* record, const double* v_free,
                                int warm_start);

// Tangents without friction are off to the derivative: contact_solve_diff.c has what a trace of
// friction would do.
void tac_contact_solve_drop_tangents(const tacContactSolve* s, tacSolveRecord* record);

// the groups of a collision; everything at rest without forces: only the mass matrix counts
tacResult tac_contact_solve_gather_impact(tacContactSolve* s, tacSolveRecord* record);
void tac_contact_solve_mass_only(tacContactSolve* s, const tacSolveRecord* record);

#endif
