// The motion of a scene as functions to check: its step, and a quantity after several steps.

#ifndef TAC_CHECK_MOTION_PROBLEM_H
#define TAC_CHECK_MOTION_PROBLEM_H

#include "check/check.h"
#include "step/quantity_rollout.h"

// x = (dq, v, act, u, parameters used); y = (rotation vectors of the next positions from qnext, v,
// act), or the quantity
typedef struct tacCheckMotion {
    const tacModel* model;
    tacScratch* scratch;
    int steps;
    int outputs; // length of y
    tacQuantity what;
    const tacState* at;   // where the first point is, and around which others are drawn
    const double* ctrl;   // (nu) there
    double *qpos, *qnext; // (nq) base points of dq and of y
    double *magnitude, *next_magnitude; // sizes of the positions that x and y are counted from
    double* inertia;                    // (nv) along each degree of freedom, at the initial state
    int* used;                          // offsets of the parameters among the inputs
    int used_count;
    void* memory; // of any number type: param, theta (nparam each), qpos, next, next_bar, rollout
} tacCheckMotion;

TAC_DECLARE_CHECK(tac_check_transition_);
TAC_DECLARE_CHECK(tac_check_quantity_);

// Sets *context up for the step of the model, or with `what` for that quantity after `steps`; the
// parameters are those that can affect the motion. Free with tac_check_motion_end.
tacResult tac_check_motion_begin(const tacModel* model, const tacState* at, const double* ctrl,
                                 const tacQuantity* what, int steps, tacCheckMotion* context,
                                 tacCheckProblem* problem);
void tac_check_motion_end(tacCheckMotion* context);

// Can this parameter affect the motion?
int tac_param_affects_motion(const tacModel* model, int offset);

#endif
