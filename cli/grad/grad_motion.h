// tactus grad for scenes with joints: A and B of a step, gradients of quantities, and their check.

#ifndef TAC_CLI_GRAD_GRAD_MOTION_H
#define TAC_CLI_GRAD_GRAD_MOTION_H

#include "cli/scene/initial_state.h"

typedef struct cliGradMotionCall {
    const char* file; // of the scene
    const char* of;   // quantity, or NULL: the step
    const char* wrt;  // parameters; NULL: all for --of, none for the step
    const char* ctrl; // as for `tactus run`; NULL: zeros, or that of the file
    const char* out;  // file of A and B, or of the gradient, or NULL
    cliInitialStateOptions start;
    int steps; // of the rollout; -1: not given
    int check, points, seed, json;
    double left_out; // share of states that a check may leave out
} cliGradMotionCall;

// an exit code
int cli_grad_motion(const tacModel* model, const cliGradMotionCall* call);

#endif
