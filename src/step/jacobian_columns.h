// Columns of the step's Jacobian, each a tangent of the step along the unit of one input.

#ifndef TAC_STEP_JACOBIAN_COLUMNS_H
#define TAC_STEP_JACOBIAN_COLUMNS_H

#include "step/input_vector.h"
#include "step/step_jvp.h"

// tangents that share each stage
#define TAC_TANGENT_BLOCK 16

typedef struct tacTangentBlock {
    tacInputVector in; // zero between calls
    tacStepDot dot[TAC_TANGENT_BLOCK];
} tacTangentBlock;

// which inputs, as columns of tac_input_index; X (nx x count) by rows
typedef struct tacColumnRange {
    int first, count;
    const tacParam* theta;
    tacReal* X;
} tacColumnRange;

void tac_tangent_block_alloc(const tacModel* model, tacArena* arena, tacTangentBlock* out);

// After the stages of the step, whose last one is prepared for derivatives, and its integration.
tacResult tac_jacobian_columns(tacStepWorkspace* ws, tacTangentBlock* b, tacColumnRange range);

#endif
