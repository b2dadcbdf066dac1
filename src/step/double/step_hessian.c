// The Hessian of a scalar of the step as a matrix: one tac_step_hvp a column.
//
// Inputs are (dq, dv, da, u, theta), theta the parameters that were asked for. docs/derivatives.md.

#include "step/step.h"

#include "base/scratch.h"

#include <string.h>

// an input (x, u, theta), as a direction or as an adjoint
typedef struct inputVector {
    tacTangent x;
    tacReal *all, *u, *theta; // `all` holds x, u and theta one behind the other
} inputVector;

static int input_size(const tacModel* model) {
    return tac_tangent_size(model) + model->nu + model->nparam;
}

static inputVector alloc_vector(const tacModel* model, tacArena* arena) {
    int nv = model->nv, nx = tac_tangent_size(model);
    tacReal* all = TAC_ALLOC(arena, tacReal, input_size(model));
    memset(all, 0, sizeof *all * (size_t)input_size(model));
    return (inputVector){.x = {.dq = all, .dv = all + nv, .da = all + 2 * nv},
                         .all = all,
                         .u = all + nx,
                         .theta = all + nx + model->nu};
}

size_t tac_hessian_size(const tacModel* model) {
    return 2 * tac_arena_align(sizeof(double) * (size_t)(input_size(model) + 1));
}

static int count_inputs(const tacModel* model, const tacParam* theta, int ntheta) {
    int count = tac_tangent_size(model) + model->nu;
    for (int i = 0; i < ntheta; ++i) count += theta[i].count;
    return count;
}

// where number c of a row stands in an inputVector
static int column_index(const tacModel* model, const tacParam* theta, int c) {
    int first = tac_tangent_size(model) + model->nu;
    if (c < first) return c;
    for (c -= first; c >= theta->count; ++theta) c -= theta->count;
    return first + theta->offset + c;
}

tacResult tac_step_hessian(const tacModel* model, const tacState* x, const tacReal* u,
                           const tacStepHessian* out, tacScratch* scratch) {
    if (!model || !out || !out->H || !scratch ||
        !tac_params_are_valid(model, out->theta, out->ntheta))
        return TAC_ERROR_VALUE;
    const tacParam* theta = out->theta;
    int ntheta = out->ntheta;
    size_t mark = scratch->arena.used;
    inputVector dot = alloc_vector(model, &scratch->arena),
                bar = alloc_vector(model, &scratch->arena);
    int n = count_inputs(model, theta, ntheta);
    tacResult result = TAC_OK;
    for (int c = 0; c < n && result == TAC_OK; ++c) {
        memset(bar.all, 0, sizeof *bar.all * (size_t)input_size(model));
        dot.all[column_index(model, theta, c)] = 1.0;
        result = tac_step_hvp(
            model, x, u,
            &(tacStepHvp){.next_bar = out->next_bar,
                          .dot = {.x = dot.x, .u = dot.u, .theta = ntheta > 0 ? dot.theta : NULL},
                          .bar = {.x = bar.x, .u = bar.u, .theta = ntheta > 0 ? bar.theta : NULL}},
            scratch);
        dot.all[column_index(model, theta, c)] = 0.0;
        for (int r = 0; r < n && result == TAC_OK; ++r)
            out->H[(size_t)r * (size_t)n + (size_t)c] = bar.all[column_index(model, theta, r)];
    }
    scratch->arena.used = mark;
    return result;
}
