// Second derivatives of the step: tac_step_vjp of this, the complex build, at x + i h x'.

#include "step/step.h"

#include "math/complex_step.h"
#include "math/quat.h"

#include <string.h>

// qpos moved along a tangent: turns by q (1, dq/2), to first order
static void perturb_positions(const tacModel* model, const double* qpos, const double* dq,
                              tacReal* out) {
    complex_step_set(model->nq, qpos, NULL, out);
    for (int i = 0; i < model->njoint && dq; ++i) {
        const tacJoint* j = &model->joint[i];
        int q = j->qpos, v = j->dof,
            ntranslate = j->axis >= 0                ? 1
                         : j->kind == TAC_JOINT_FREE ? 3
                                                     : 0;
        for (int k = 0; k < ntranslate; ++k, ++q, ++v)
            out[q] = r_make(qpos[q], TAC_COMPLEX_STEP * dq[v]);
        if (j->axis >= 0) continue;
        tacReal half[3];
        for (int k = 0; k < 3; ++k) half[k] = r_make(0.0, 0.5 * TAC_COMPLEX_STEP * dq[v + k]);
        tac_quat_store(out + q,
                       tac_quat_mul(tac_quat_load(out + q), tac_quat(1.0, tac_load3(half))));
    }
}

static tacReal* alloc_complex(tacArena* arena, int n, const double* value, const double* tangent) {
    tacReal* out = TAC_ALLOC(arena, tacReal, n);
    for (int i = 0; i < n; ++i)
        out[i] = r_make(value ? value[i] : 0.0, tangent ? TAC_COMPLEX_STEP * tangent[i] : 0.0);
    return out;
}

static void add_derivative_out(int n, const tacReal* in, tacReal* out) {
    if (out) complex_step_add_derivative(n, in, (double*)out);
}

static int is_double_finite(const tacReal* x, int n) {
    const double* values = (const double*)x;
    double sum = 0.0;
    for (int i = 0; values && i < n; ++i) sum += 0.0 * values[i];
    return sum == 0.0;
}

// All pointers of the arguments point to doubles here, whatever the header's tacReal says.
tacResult tac_step_hvp(const tacModel* model, const tacState* x, const tacReal* u,
                       const tacStepHvp* product, tacScratch* scratch) {
    if (!model || !x || !product || !scratch || (model->nv > 0 && (!x->qpos || !x->qvel)) ||
        (model->nu > 0 && !u) || (model->na > 0 && !x->act))
        return TAC_ERROR_VALUE;
    int nv = model->nv, na = model->na, nu = model->nu, nparam = model->nparam;
    tacTangent next_bar = product->next_bar;
    tacStepTangent dot = product->dot, bar = product->bar;
    if (!is_double_finite(x->qpos, model->nq) || !is_double_finite(x->qvel, nv) ||
        !is_double_finite(u, nu) || !is_double_finite(dot.x.dq, nv) ||
        !is_double_finite(dot.x.dv, nv) || !is_double_finite(dot.u, nu) ||
        !is_double_finite(dot.theta, nparam) || !is_double_finite(next_bar.dq, nv) ||
        !is_double_finite(next_bar.dv, nv) || !is_double_finite(x->act, na) ||
        !is_double_finite(dot.x.da, na) || !is_double_finite(next_bar.da, na))
        return TAC_ERROR_VALUE;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacModel moved = *model;
    moved.param =
        alloc_complex(arena, nparam, (const double*)model->param, (const double*)dot.theta);
    tacReal* q = TAC_ALLOC(arena, tacReal, model->nq);
    perturb_positions(model, (const double*)x->qpos, (const double*)dot.x.dq, q);
    tacState at = {.qpos = q};
    at.qvel = alloc_complex(arena, nv, (const double*)x->qvel, (const double*)dot.x.dv);
    at.act = alloc_complex(arena, na, (const double*)x->act, (const double*)dot.x.da);
    tacReal* control = alloc_complex(arena, nu, (const double*)u, (const double*)dot.u);
    tacTangent fixed = {.dq = alloc_complex(arena, nv, (const double*)next_bar.dq, NULL),
                        .dv = alloc_complex(arena, nv, (const double*)next_bar.dv, NULL),
                        .da = alloc_complex(arena, na, (const double*)next_bar.da, NULL)};
    tacTangent out = {.dq = alloc_complex(arena, nv, NULL, NULL),
                      .dv = alloc_complex(arena, nv, NULL, NULL),
                      .da = alloc_complex(arena, na, NULL, NULL)};
    tacReal* out_u = alloc_complex(arena, nu, NULL, NULL);
    tacReal* out_theta = bar.theta ? alloc_complex(arena, nparam, NULL, NULL) : NULL;
    tacResult result =
        tac_step_vjp(&moved, &at, control, fixed,
                     (tacStepTangent){.x = out, .u = out_u, .theta = out_theta}, scratch);
    if (result == TAC_OK) {
        add_derivative_out(nv, out.dq, bar.x.dq);
        add_derivative_out(nv, out.dv, bar.x.dv);
        add_derivative_out(na, out.da, bar.x.da);
        add_derivative_out(nu, out_u, bar.u);
        if (bar.theta) add_derivative_out(nparam, out_theta, bar.theta);
    }
    arena->used = mark;
    return result;
}
