// Contact in the equation of motion: the responder's wrenches on bodies, and what they owe to
// positions, velocities and parameters. One lane.

#ifndef TAC_STEP_TOUCH_H
#define TAC_STEP_TOUCH_H

#include "detect/detect.h"
#include "dynamics/dynamics.h"
#include "math/spatial.h"
#include "respond/force.h"
#include "step/coupling.h"

typedef struct tacTouch {
    const tacModel* model;
    tacScratch* scratch;
    int derivatives; // are K and C made?
    tacPose* pose;   // (nbody)
    tacReal* twist;  // (nbody x 6) about the bodies' origins
    tacContacts contacts;
    tacContacts records;         // a tangent or an adjoint of contacts, where derivatives are made
    tacPairForce *force, *moved; // (nbodies of the plan); the second a tangent or an adjoint
    int count;                   // entries of both
    double stable;               // longest step that explicit forces so far stand
    tacReal* wrench;             // (nbody x 6) on bodies, about the world's origin
    tacReal *D, *e;              // (nbody x 6) work
    tacReal* columns;            // (nv x TAC_COLUMN) work
    int *dofs, *listed;          // (nv) work; the second is left 0
    tacResult result;            // of the last detection and force

    // of a linearly implicit step (docs/contact.md, eq. 9): forces are those at the end of it
    int implicit;
    tacMotion rate;     // the state with the accelerations for velocities
    tacReal* lead;      // (nbody x 6) its twists about the bodies' origins
    tacReal* lead_rate; // (nbody x 6) work
    tacCoupling coupling;
    tacSkyline M; // mass matrix less what contact takes on
    tacReal* tau; // (nv) work
} tacTouch;

// numbers of a degree of freedom in `columns`: motion of body[1] of a pair against body[0] about
// the pair's origin, and twelve more
enum { TAC_COLUMN = 18 };

// does the scene have forces of contact?
int tac_touches(const tacModel* model);

// are they those at the end of a step?
int tac_touch_implicit(const tacModel* model);

// NULL without them
tacTouch* tac_touch_take(const tacModel* model, int derivatives, tacScratch* scratch);
// before another step with the same arrays: forgets what the step before has gathered
void tac_touch_again(tacTouch* touch);
size_t tac_touch_size(const tacModel* model, size_t real_size);

// records with activity; of scm, which has none, pairs of bodies that push each other
int tac_touch_count(const tacTouch* touch);

// longest step that the explicit forces at hand stand (stiff.c), else infinite
double tac_touch_stable(const tacTouch* touch);

// six numbers of a body about its tree's origin, about a point
tacTwist tac_twist_at(const tacMotion* m, int body, const tacReal* own, tacVec3 point);

// Fills the first six of `columns` and lists the degrees of freedom of both bodies in `dofs`; how
// many there are.
int tac_touch_motions(tacTouch* touch, const tacMotion* m, const tacPairForce* f);

// twists of the bodies of a motion about their origins (nbody x 6), at the poses known
void tac_touch_twists(const tacTouch* touch, const tacMotion* m, tacReal* twist);

// what a failure of detection or forces is to a step
tacResult tac_touch_outcome(tacResult result);

// the wrenches of all pairs to `wrench`
void tac_touch_load(tacTouch* touch);

// velocities of the bodies of a motion, as inverse leaves them
void tac_touch_velocities(const tacModel* model, tacMotion* m);

// Finds the contacts and their wrenches, adds J' w to tau; after inverse or tac_touch_velocities.
void tac_touch_at(tacTouch* touch, const tacMotion* m, tacReal* tau);

// Implicit: M of the motion, not factored, and what contact adds to it, to t->M; the same factored;
// then x = M^-1 x. `lead` makes the wrenches those of the accelerations a.
void tac_touch_stiffen(tacTouch* touch, const tacMotion* m);
void tac_touch_factor(tacTouch* touch, const tacMotion* m);
void tac_touch_solve(const tacTouch* touch, tacReal* x);
void tac_touch_solve_columns(const tacTouch* touch, tacReal* x, int count, int stride);
void tac_touch_lead(tacTouch* touch, const tacMotion* m, const tacReal* a);

// Derivatives of J' w with J held: adds to tau_dot, after inverse_jvp, whose displacements m->work
// holds; adds to bar; adds to rows by positions and velocities. J itself moves under the wrench as
// under any that is fixed in the world.
void tac_touch_jvp(tacTouch* touch, const tacMotion* m, const tacMotionDot* dot, tacReal* tau_dot);
void tac_touch_vjp(tacTouch* touch, const tacMotion* m, const tacReal* tau_bar, tacMotionDot* bar);
void tac_touch_jacobian(tacTouch* touch, const tacMotion* m, tacReal* by_q, tacReal* by_v,
                        int stride);

#endif
