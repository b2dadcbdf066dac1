// Inputs of a step in one array: (dq, dv, da, u, theta), as a direction or as an adjoint.

#ifndef TAC_STEP_INPUT_VECTOR_H
#define TAC_STEP_INPUT_VECTOR_H

#include "step/step.h"

typedef struct tacInputVector {
    tacTangent x;
    tacReal *all, *u, *theta; // `all` holds x, u and theta one after the other
} tacInputVector;

int tac_input_vector_size(const tacModel* model);

// zeros
tacInputVector tac_input_vector_alloc(const tacModel* model, tacArena* arena);

// Columns of a Jacobian: state, control, then the parameters of theta in their order. Index in
// `all` of column c.
int tac_input_index(const tacModel* model, const tacParam* theta, int c);

// numbers of the parameters
int tac_param_columns(const tacParam* theta, int ntheta);

#endif
