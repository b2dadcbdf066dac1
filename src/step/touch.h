// Contact in the equation of motion: the responder's wrenches on bodies, and what they owe to
// positions, velocities and parameters. One lane.

#ifndef TAC_STEP_TOUCH_H
#define TAC_STEP_TOUCH_H

#include "detect/detect.h"
#include "dynamics/dynamics.h"
#include "respond/force.h"

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
    tacReal* wrench;             // (nbody x 6) on bodies, about the world's origin
    tacReal *D, *e;              // (nbody x 6) work
    tacReal* columns;            // (nv x 18) work
    int *dofs, *listed;          // (nv) work
    tacResult result;            // of the last detection and force
} tacTouch;

// does the scene have forces of contact?
int tac_touches(const tacModel* model);

// NULL without them
tacTouch* tac_touch_take(const tacModel* model, int derivatives, tacScratch* scratch);
size_t tac_touch_size(const tacModel* model, size_t real_size);

// records with activity
int tac_touch_count(const tacTouch* touch);

// Finds the contacts and their wrenches, adds J' w to tau; after inverse.
void tac_touch_at(tacTouch* touch, const tacMotion* m, tacReal* tau);

// Derivatives of J' w with J held: adds to tau_dot, after inverse_jvp, whose displacements m->work
// holds; adds to bar; adds to rows by positions and velocities. J itself moves under the wrench as
// under any that is fixed in the world.
void tac_touch_jvp(tacTouch* touch, const tacMotion* m, const tacMotionDot* dot, tacReal* tau_dot);
void tac_touch_vjp(tacTouch* touch, const tacMotion* m, const tacReal* tau_bar, tacMotionDot* bar);
void tac_touch_jacobian(tacTouch* touch, const tacMotion* m, tacReal* by_q, tacReal* by_v,
                        int stride);

#endif
