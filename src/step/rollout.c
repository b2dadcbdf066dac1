// Many steps: states forth, kept on a tape, and adjoints back along it.

#include "step/rollout.h"

#include <string.h>

//---------------------------------- memory ---------------------------------------

static size_t row_size(const tacModel* m) { return (size_t)(m->nq + m->nv + m->na + m->nwarm); }
static size_t tangent_size(const tacModel* m) { return (size_t)(2 * m->nv + m->na); }

size_t tac_rollout_size(const tacModel* model, int steps, size_t real_size) {
    size_t tape = ((size_t)steps + 1) * row_size(model), tangents = 3 * tangent_size(model);
    return real_size * (tape + tangents + (size_t)TAC_QUANTITY_WORK(model) + (size_t)model->nparam);
}

// state after `step` steps
static tacState row(const tacRollout* r, int step) {
    const tacModel* m = r->model;
    tacReal* at = (tacReal*)r->memory + (size_t)step * row_size(m);
    return (tacState){at, at + m->nq, at + m->nq + m->nv, at + m->nq + m->nv + m->na, 0.0};
}

static tacReal* behind_tape(const tacRollout* r) {
    return (tacReal*)r->memory + ((size_t)r->steps + 1) * row_size(r->model);
}

// of three
static tacTangent tangent(const tacRollout* r, int i) {
    const tacModel* m = r->model;
    tacReal* at = behind_tape(r) + (size_t)i * tangent_size(m);
    return (tacTangent){at, at + m->nv, at + 2 * m->nv};
}

static tacReal* work_of(const tacRollout* r) { return behind_tape(r) + 3 * tangent_size(r->model); }

static tacReal* theta_of(const tacRollout* r) { return work_of(r) + TAC_QUANTITY_WORK(r->model); }

static void copy(tacReal* to, const tacReal* from, int n) {
    if (n > 0) memcpy(to, from, sizeof *to * (size_t)n);
}

static void clear(const tacRollout* r, tacTangent t) {
    memset(t.dq, 0, sizeof *t.dq * tangent_size(r->model));
}

//---------------------------------- forth ----------------------------------------

static tacResult fill_tape(const tacRollout* r, const tacState* x, const tacReal* u,
                           tacScratch* scratch) {
    const tacModel* m = r->model;
    tacState at = row(r, 0);
    copy(at.qpos, x->qpos, m->nq);
    copy(at.qvel, x->qvel, m->nv);
    copy(at.act, x->act, m->na);
    copy(at.warm, x->warm, m->nwarm);
    tacResult result = TAC_OK;
    for (int i = 0; i < r->steps && result == TAC_OK; ++i) {
        tacState from = row(r, i), next = row(r, i + 1);
        result = tac_step(m, &from, u, &next, scratch);
    }
    return result;
}

tacResult tac_rollout(const tacRollout* r, const tacState* x, const tacReal* u, tacReal* y,
                      tacScratch* scratch) {
    tacResult result = fill_tape(r, x, u, scratch);
    tacState end = row(r, r->steps);
    return result == TAC_OK ? tac_quantity(r->model, r->what, &end, y, work_of(r), scratch)
                            : result;
}

//---------------------------------- derivatives ----------------------------------

static tacReal dot(const tacReal* a, const tacReal* b, int n) {
    tacReal sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

tacResult tac_rollout_jvp(const tacRollout* r, const tacState* x, const tacReal* u,
                          tacTangent x_dot, const tacReal* u_dot, const tacReal* theta_dot,
                          tacReal* y_dot, tacScratch* scratch) {
    const tacModel* m = r->model;
    tacResult result = fill_tape(r, x, u, scratch);
    tacTangent at = tangent(r, 0), next = tangent(r, 1), gradient = tangent(r, 2);
    copy(at.dq, x_dot.dq, m->nv);
    copy(at.dv, x_dot.dv, m->nv);
    copy(at.da, x_dot.da, m->na);
    for (int i = 0; i < r->steps && result == TAC_OK; ++i) {
        tacState from = row(r, i);
        result = tac_step_jvp(m, &from, u, at, u_dot, theta_dot, next, scratch);
        tacTangent swap = at;
        at = next;
        next = swap;
    }
    if (result != TAC_OK) return result;
    tacState end = row(r, r->steps);
    tacReal* theta = theta_of(r);
    clear(r, gradient);
    memset(theta, 0, sizeof *theta * (size_t)m->nparam);
    result = tac_quantity_vjp(m, r->what, &end, 1.0, gradient, theta, work_of(r), scratch);
    *y_dot = dot(gradient.dq, at.dq, (int)tangent_size(m)) + dot(theta, theta_dot, m->nparam);
    return result;
}

static void add(tacReal* to, const tacReal* from, int n) {
    for (int i = 0; i < n && to; ++i) to[i] += from[i];
}

tacResult tac_rollout_vjp(const tacRollout* r, const tacState* x, const tacReal* u, tacReal y_bar,
                          tacTangent x_bar, tacReal* u_bar, tacReal* theta_bar,
                          tacScratch* scratch) {
    const tacModel* m = r->model;
    tacResult result = fill_tape(r, x, u, scratch);
    tacTangent at = tangent(r, 0), before = tangent(r, 1);
    tacState end = row(r, r->steps);
    clear(r, at);
    if (result == TAC_OK)
        result = tac_quantity_vjp(m, r->what, &end, y_bar, at, theta_bar, work_of(r), scratch);
    for (int i = r->steps - 1; i >= 0 && result == TAC_OK; --i) {
        tacState from = row(r, i);
        clear(r, before);
        result = tac_step_vjp(m, &from, u, at, before, u_bar, theta_bar, scratch);
        tacTangent swap = at;
        at = before;
        before = swap;
    }
    if (result != TAC_OK) return result;
    add(x_bar.dq, at.dq, m->nv);
    add(x_bar.dv, at.dv, m->nv);
    add(x_bar.da, at.da, m->na);
    return TAC_OK;
}
