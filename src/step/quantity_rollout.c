// Many steps: states forward, kept on a tape, and adjoints backward along it.

#include "step/quantity_rollout.h"

#include "math/vector_ops.h"

#include <string.h>

//---------------------------------- memory ---------------------------------------

static size_t tape_row_size(const tacModel* m) {
    return (size_t)(m->nq + m->nv + m->na + m->nwarm);
}
static size_t tangent_size(const tacModel* m) { return (size_t)(2 * m->nv + m->na); }

size_t tac_quantity_rollout_size(const tacModel* model, int steps, size_t real_size) {
    size_t tape = ((size_t)steps + 1) * tape_row_size(model), tangents = 3 * tangent_size(model);
    return real_size * (tape + tangents + (size_t)TAC_QUANTITY_WORK(model) + (size_t)model->nparam);
}

// state after `step` steps
static tacState tape_state(const tacQuantityRollout* r, int step) {
    const tacModel* m = r->model;
    tacReal* at = (tacReal*)r->memory + (size_t)step * tape_row_size(m);
    return (tacState){at, at + m->nq, at + m->nq + m->nv, at + m->nq + m->nv + m->na, 0.0};
}

static tacReal* tape_end(const tacQuantityRollout* r) {
    return (tacReal*)r->memory + ((size_t)r->steps + 1) * tape_row_size(r->model);
}

// of three
static tacTangent tape_tangent(const tacQuantityRollout* r, int i) {
    const tacModel* m = r->model;
    tacReal* at = tape_end(r) + (size_t)i * tangent_size(m);
    return (tacTangent){at, at + m->nv, at + 2 * m->nv};
}

static tacReal* tape_work(const tacQuantityRollout* r) {
    return tape_end(r) + 3 * tangent_size(r->model);
}

static tacReal* tape_theta(const tacQuantityRollout* r) {
    return tape_work(r) + TAC_QUANTITY_WORK(r->model);
}

// the quantity after all steps
static tacQuantityPoint end_point(const tacQuantityRollout* r, const tacState* end,
                                  tacScratch* scratch) {
    return (tacQuantityPoint){r->model, r->what, end, tape_work(r), scratch};
}

static void clear_tangent(const tacQuantityRollout* r, tacTangent t) {
    memset(t.dq, 0, sizeof *t.dq * tangent_size(r->model));
}

//---------------------------------- forward --------------------------------------

static tacResult fill_tape(const tacQuantityRollout* r, const tacState* x, const tacReal* u,
                           tacScratch* scratch) {
    const tacModel* m = r->model;
    tacState at = tape_state(r, 0);
    tac_copy_reals(at.qpos, x->qpos, m->nq);
    tac_copy_reals(at.qvel, x->qvel, m->nv);
    tac_copy_reals(at.act, x->act, m->na);
    tac_copy_reals(at.warm, x->warm, m->nwarm);
    tacResult result = TAC_OK;
    for (int i = 0; i < r->steps && result == TAC_OK; ++i) {
        tacState from = tape_state(r, i), next = tape_state(r, i + 1);
        result = tac_step(m, &from, u, &next, scratch);
    }
    return result;
}

tacResult tac_quantity_rollout(const tacQuantityRollout* r, const tacState* x, const tacReal* u,
                               tacReal* y, tacScratch* scratch) {
    tacResult result = fill_tape(r, x, u, scratch);
    tacState end = tape_state(r, r->steps);
    tacQuantityPoint at = end_point(r, &end, scratch);
    return result == TAC_OK ? tac_quantity(&at, y) : result;
}

//---------------------------------- derivatives ----------------------------------

tacResult tac_quantity_rollout_jvp(const tacQuantityRollout* r, const tacState* x, const tacReal* u,
                                   tacTangent x_dot, const tacReal* u_dot, const tacReal* theta_dot,
                                   tacReal* y_dot, tacScratch* scratch) {
    const tacModel* m = r->model;
    tacResult result = fill_tape(r, x, u, scratch);
    tacTangent at = tape_tangent(r, 0), next = tape_tangent(r, 1), gradient = tape_tangent(r, 2);
    tac_copy_reals(at.dq, x_dot.dq, m->nv);
    tac_copy_reals(at.dv, x_dot.dv, m->nv);
    tac_copy_reals(at.da, x_dot.da, m->na);
    for (int i = 0; i < r->steps && result == TAC_OK; ++i) {
        tacState from = tape_state(r, i);
        result = tac_step_jvp(
            m, &from, u,
            (tacStepTangent){.x = at, .u = (tacReal*)u_dot, .theta = (tacReal*)theta_dot}, next,
            scratch);
        tacTangent swap = at;
        at = next;
        next = swap;
    }
    if (result != TAC_OK) return result;
    tacState end = tape_state(r, r->steps);
    tacReal* theta = tape_theta(r);
    clear_tangent(r, gradient);
    memset(theta, 0, sizeof *theta * (size_t)m->nparam);
    tacQuantityPoint point = end_point(r, &end, scratch);
    result = tac_quantity_vjp(&point, 1.0, gradient, theta);
    *y_dot = tac_dot_reals(gradient.dq, at.dq, (int)tangent_size(m)) +
             tac_dot_reals(theta, theta_dot, m->nparam);
    return result;
}

tacResult tac_quantity_rollout_vjp(const tacQuantityRollout* r, const tacState* x, const tacReal* u,
                                   tacReal y_bar, tacTangent x_bar, tacReal* u_bar,
                                   tacReal* theta_bar, tacScratch* scratch) {
    const tacModel* m = r->model;
    tacResult result = fill_tape(r, x, u, scratch);
    tacTangent at = tape_tangent(r, 0), prev = tape_tangent(r, 1);
    tacState end = tape_state(r, r->steps);
    clear_tangent(r, at);
    tacQuantityPoint point = end_point(r, &end, scratch);
    if (result == TAC_OK) result = tac_quantity_vjp(&point, y_bar, at, theta_bar);
    for (int i = r->steps - 1; i >= 0 && result == TAC_OK; --i) {
        tacState from = tape_state(r, i);
        clear_tangent(r, prev);
        result = tac_step_vjp(m, &from, u, at,
                              (tacStepTangent){.x = prev, .u = u_bar, .theta = theta_bar}, scratch);
        tacTangent swap = at;
        at = prev;
        prev = swap;
    }
    if (result != TAC_OK) return result;
    if (x_bar.dq) tac_add_scaled_reals(x_bar.dq, 1.0, at.dq, m->nv);
    if (x_bar.dv) tac_add_scaled_reals(x_bar.dv, 1.0, at.dv, m->nv);
    if (x_bar.da) tac_add_scaled_reals(x_bar.da, 1.0, at.da, m->na);
    return TAC_OK;
}
