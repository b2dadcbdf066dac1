// Inputs of a step in one array.

#include "step/input_vector.h"

#include "math/vector_ops.h"

int tac_input_vector_size(const tacModel* model) {
    return tac_tangent_size(model) + model->nu + model->nparam;
}

tacInputVector tac_input_vector_alloc(const tacModel* model, tacArena* arena) {
    int nv = model->nv, nx = tac_tangent_size(model);
    tacReal* all = tac_alloc_zero(arena, tac_input_vector_size(model));
    if (!all) return (tacInputVector){0};
    return (tacInputVector){.x = {.dq = all, .dv = all + nv, .da = all + 2 * nv},
                            .all = all,
                            .u = all + nx,
                            .theta = all + nx + model->nu};
}

int tac_input_index(const tacModel* model, const tacParam* theta, int c) {
    int first = tac_tangent_size(model) + model->nu;
    if (c < first) return c;
    for (c -= first; c >= theta->count; ++theta) c -= theta->count;
    return first + theta->offset + c;
}

int tac_param_columns(const tacParam* theta, int ntheta) {
    int count = 0;
    for (int i = 0; i < ntheta; ++i) count += theta[i].count;
    return count;
}
