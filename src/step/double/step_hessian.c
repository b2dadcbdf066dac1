// The Hessian of a scalar of the step as a matrix: one tac_step_hvp a column.
//
// Inputs are (dq, dv, da, u, theta), theta the parameters asked for. docs/derivatives.md.

#include "base/scratch.h"
#include "step/hvp_arrays.h"
#include "step/input_vector.h"

#include <string.h>

void tac_step_hessian_measure(const tacModel* model, tacScratch* dry) {
    tac_input_vector_alloc(model, &dry->arena);
    tac_input_vector_alloc(model, &dry->arena);
    tac_hvp_arrays_alloc(model, &dry->arena);
    tac_step_vjp_measure(model, dry);
}

tacResult tac_step_hessian(const tacModel* model, const tacState* x, const tacReal* u,
                           const tacStepHessian* out, tacScratch* scratch) {
    if (!model || !out || !out->H || !scratch ||
        !tac_params_are_valid(model, out->theta, out->ntheta))
        return TAC_ERROR_VALUE;
    const tacParam* theta = out->theta;
    int ntheta = out->ntheta;
    size_t mark = scratch->arena.used;
    tacInputVector dot = tac_input_vector_alloc(model, &scratch->arena),
                   bar = tac_input_vector_alloc(model, &scratch->arena);
    int n = tac_tangent_size(model) + model->nu + tac_param_columns(theta, ntheta);
    tacResult result = TAC_OK;
    for (int c = 0; c < n && result == TAC_OK; ++c) {
        tacReal* unit = &dot.all[tac_input_index(model, theta, c)];
        memset(bar.all, 0, sizeof *bar.all * (size_t)tac_input_vector_size(model));
        *unit = 1.0;
        tacStepHvp product = {.next_bar = out->next_bar,
                              .dot = {dot.x, dot.u, ntheta > 0 ? dot.theta : NULL},
                              .bar = {bar.x, bar.u, ntheta > 0 ? bar.theta : NULL}};
        result = tac_step_hvp(model, x, u, &product, scratch);
        *unit = 0.0;
        for (int r = 0; r < n && result == TAC_OK; ++r)
            out->H[(size_t)r * (size_t)n + (size_t)c] = bar.all[tac_input_index(model, theta, r)];
    }
    scratch->arena.used = mark;
    return result;
}
