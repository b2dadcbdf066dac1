// Second derivatives of the step: tac_step_vjp of this, the complex build, at x + i h x'.

#include "step/step.h"

#include "math/complex_step.h"
#include "math/quat.h"
#include "model/live_params.h"
#include "step/hvp_arrays.h"

#include <string.h>

// qpos moved along a tangent: rotations by q (1, dq/2), to first order
static void perturb_positions(const tacModel* model, const double* qpos, const double* dq,
                              tacReal* out) {
    complex_step_set(model->nq, qpos, NULL, out);
    for (int i = 0; i < model->njoint && dq; ++i) {
        const tacJoint* j = &model->joint[i];
        int q = j->qpos, v = j->dof, ntranslate = tac_translation_dofs(j);
        for (int k = 0; k < ntranslate; ++k, ++q, ++v)
            out[q] = r_make(qpos[q], TAC_COMPLEX_STEP * dq[v]);
        if (j->axis >= 0) continue;
        tacReal half[3];
        for (int k = 0; k < 3; ++k) half[k] = r_make(0.0, 0.5 * TAC_COMPLEX_STEP * dq[v + k]);
        tac_quat_store(out + q,
                       tac_quat_mul(tac_quat_load(out + q), tac_quat(1.0, tac_load3(half))));
    }
}

// out = value + i h tangent; NULL is zero
static void set_complex(tacReal* out, int n, const tacReal* value, const tacReal* tangent) {
    const double *re = (const double*)value, *dot = (const double*)tangent;
    for (int i = 0; i < n; ++i)
        out[i] = r_make(re ? re[i] : 0.0, dot ? TAC_COMPLEX_STEP * dot[i] : 0.0);
}

static void set_complex_tangent(const tacModel* model, tacTangent out, tacTangent value) {
    set_complex(out.dq, model->nv, value.dq, NULL);
    set_complex(out.dv, model->nv, value.dv, NULL);
    set_complex(out.da, model->na, value.da, NULL);
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
    const double* theta_dot = (const double*)dot.theta;
    for (int i = 0; i < nparam && theta_dot; ++i)
        if (theta_dot[i] != 0.0 && tac_is_param_held(model, i)) return TAC_ERROR_UNSUPPORTED;
    size_t mark = scratch->arena.used;
    tacHvpArrays c = tac_hvp_arrays_alloc(model, &scratch->arena);
    set_complex(c.param, nparam, model->param, dot.theta);
    perturb_positions(model, (const double*)x->qpos, (const double*)dot.x.dq, c.qpos);
    set_complex(c.qvel, nv, x->qvel, dot.x.dv);
    set_complex(c.act, na, x->act, dot.x.da);
    set_complex(c.ctrl, nu, u, dot.u);
    set_complex_tangent(model, c.next_bar, next_bar);
    set_complex_tangent(model, c.x_bar, (tacTangent){0});
    set_complex(c.u_bar, nu, NULL, NULL);
    set_complex(c.theta_bar, nparam, NULL, NULL);
    tacModel moved = *model;
    moved.param = c.param;
    const tacState at = {.qpos = c.qpos, .qvel = c.qvel, .act = c.act};
    tacStepTangent own = {c.x_bar, c.u_bar, bar.theta ? c.theta_bar : NULL};
    tacResult result = tac_step_vjp(&moved, &at, c.ctrl, c.next_bar, own, scratch);
    if (result == TAC_OK) {
        add_derivative_out(nv, c.x_bar.dq, bar.x.dq);
        add_derivative_out(nv, c.x_bar.dv, bar.x.dv);
        add_derivative_out(na, c.x_bar.da, bar.x.da);
        add_derivative_out(nu, c.u_bar, bar.u);
        if (bar.theta) add_derivative_out(nparam, c.theta_bar, bar.theta);
    }
    scratch->arena.used = mark;
    return result;
}
