// Contact in the equation of motion: the responder's wrenches on bodies, and their derivatives by
// positions, velocities and parameters. One lane.

#ifndef TAC_STEP_FORCE_CONTACT_FORCES_H
#define TAC_STEP_FORCE_CONTACT_FORCES_H

#include "detect/detect.h"
#include "dynamics/dynamics.h"
#include "math/spatial.h"
#include "respond/force/force.h"
#include "step/force/coupling.h"

typedef struct tacContactForces {
    const tacModel* model;
    tacScratch* scratch;
    int derivatives; // are K and C computed?
    tacPose* pose;   // (nbody)
    tacReal* twist;  // (nbody x 6) about the bodies' origins
    tacContacts contacts;
    tacContacts contacts_diff;  // a tangent or an adjoint of contacts, where derivatives are made
    tacPairForce *force, *diff; // (nbodies of the plan); the second a tangent or an adjoint
    int count;                  // entries of both
    double max_step;            // longest stable step of the explicit forces so far
    unsigned flags;             // of the detector so far
    tacReal* wrench;            // (nbody x 6) on bodies, about the world's origin
    tacReal *D, *e;             // (nbody x 6) work
    tacReal* columns;           // (nv x TAC_PAIR_COLUMN) work
    int *dofs, *is_listed;      // (nv) work; the second is left 0
    tacResult result;           // of the last detection and force

    // of a linearly implicit step (docs/contact.md, eq. 9): forces are those at the end of it
    int implicit;
    tacMotion rate;         // the state with the accelerations for velocities
    tacReal* predicted;     // (nbody x 6) its twists about the bodies' origins
    tacReal* predicted_bar; // (nbody x 6) work
    tacCoupling coupling;
    tacSkyline M; // mass matrix minus the slopes of contact forces by accelerations
    tacReal* tau; // (nv) work
} tacContactForces;

// numbers of a degree of freedom in `columns`: motion of body[1] of a pair against body[0] about
// the pair's origin, and twelve more
enum { TAC_PAIR_COLUMN = 18 };

// Does the scene have contact forces?
int tac_has_contact_forces(const tacModel* model);

// Are they linearly implicit, that is, those at the end of a step?
int tac_contact_forces_are_implicit(const tacModel* model);

// NULL without them, and from an arena that measures
tacContactForces* tac_contact_forces_alloc(const tacModel* model, int derivatives,
                                           tacScratch* scratch);
// before another step with the same arrays: forgets the step before
void tac_contact_forces_reset(tacContactForces* contact_forces);

// number of active records; of scm, which has no records, of pairs of bodies with a force
int tac_contact_forces_count(const tacContactForces* contact_forces);

// the deepest overlap, and TAC_DEEP_OVERLAP where it is too deep
void tac_contact_forces_overlap(const tacContactForces* contact_forces, tacInfo* info);

// longest stable step of the explicit forces (stable_step.c), else infinite
double tac_contact_forces_stable_step(const tacContactForces* contact_forces);

// six numbers of a body about its tree's origin, about a point
tacTwist tac_twist_about(const tacMotion* m, int body, const tacReal* own, tacVec3 point);

// Fills the first six of `columns` and lists the degrees of freedom of both bodies in `dofs`; how
// many there are.
int tac_contact_forces_pair_jacobian(tacContactForces* contact_forces, const tacMotion* m,
                                     const tacPairForce* f);

// twists of the bodies of a motion about their origins (nbody x 6), at the current poses
void tac_contact_forces_twists(const tacContactForces* contact_forces, const tacMotion* m,
                               tacReal* twist);

// result of a step after a failure of detection or forces
tacResult tac_contact_forces_result(tacResult result);

// the wrenches of all pairs to `wrench`
void tac_contact_forces_sum_wrenches(tacContactForces* contact_forces);

// velocities of the bodies of a motion, as inverse leaves them
void tac_body_velocities(const tacModel* model, tacMotion* m);

// Finds the contacts and their wrenches, adds J' w to tau; after inverse or tac_body_velocities.
void tac_contact_forces_eval(tacContactForces* contact_forces, const tacMotion* m, tacReal* tau);

// Implicit: fills t->M with M of the motion and the part of contact, not factored; the same
// factored; then x = M^-1 x. `predict` makes the wrenches those at the accelerations a.
void tac_contact_forces_build_matrix(tacContactForces* contact_forces, const tacMotion* m);
void tac_contact_forces_factor(tacContactForces* contact_forces, const tacMotion* m);
void tac_contact_forces_solve(const tacContactForces* contact_forces, tacReal* x);
void tac_contact_forces_solve_columns(const tacContactForces* contact_forces, tacReal* x, int count,
                                      int stride);
void tac_contact_forces_predict(tacContactForces* contact_forces, const tacMotion* m,
                                const tacReal* a);

// Derivatives of J' w with J held: adds to tau_dot, after inverse_jvp, whose displacements m->work
// holds; adds to bar; adds to rows by positions and velocities. J itself moves under the wrench as
// under any that is fixed in the world.
void tac_contact_forces_jvp(tacContactForces* contact_forces, const tacMotion* m,
                            const tacMotionDot* dot, tacReal* tau_dot);
void tac_contact_forces_vjp(tacContactForces* contact_forces, const tacMotion* m,
                            const tacReal* tau_bar, tacMotionDot* bar);
void tac_contact_forces_jacobian(tacContactForces* contact_forces, const tacMotion* m,
                                 tacReal* by_q, tacReal* by_v, int stride);

#endif
