// A quantity after several steps with a constant control: its value, and its derivatives by all
// inputs.

#ifndef TAC_STEP_QUANTITY_ROLLOUT_H
#define TAC_STEP_QUANTITY_ROLLOUT_H

#include "step/quantity.h"

typedef struct tacQuantityRollout {
    const tacModel* model;
    int steps; // 0: the quantity of the state itself
    tacQuantity what;
    void* memory; // tac_quantity_rollout_size bytes
} tacQuantityRollout;

// `real_size` is that of the number type
size_t tac_quantity_rollout_size(const tacModel* model, int steps, size_t real_size);

tacResult tac_quantity_rollout(const tacQuantityRollout* r, const tacState* x, const tacReal* u,
                               tacReal* y, tacScratch* scratch);

// forward derivative along (x_dot, u_dot, theta_dot)
tacResult tac_quantity_rollout_jvp(const tacQuantityRollout* r, const tacState* x, const tacReal* u,
                                   tacTangent x_dot, const tacReal* u_dot, const tacReal* theta_dot,
                                   tacReal* y_dot, tacScratch* scratch);

// adds y_bar times the gradient to x_bar, u_bar (nu) and theta_bar (nparam)
tacResult tac_quantity_rollout_vjp(const tacQuantityRollout* r, const tacState* x, const tacReal* u,
                                   tacReal y_bar, tacTangent x_bar, tacReal* u_bar,
                                   tacReal* theta_bar, tacScratch* scratch);

#endif
