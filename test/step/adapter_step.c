// Adapters of dynamics and of the step, in the number type of this build.

#include "step/adapter_step.h"

#include "math/quat.h"

#include <string.h>

// everything in the number type at hand
typedef struct setup {
    tacModel model;
    tacReal *param, *qpos, *theta, *next; // (nparam) (nq) (nparam) (nq + nv)
} setup;

// moves q along dq and back: straight numbers, then a turn
static int straight_of(const tacJoint* j) {
    return j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
}

static void move(const tacModel* model, const double* qpos, const tacReal* dq, tacReal* out) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int q = j->qpos, v = j->dof;
        for (; v < j->dof + straight_of(j); ++q, ++v) out[q] = qpos[q] + dq[v];
        if (j->axis >= 0) continue;
        tacQuat from = {qpos[q], qpos[q + 1], qpos[q + 2], qpos[q + 3]};
        tac_quat_store(out + q, tac_quat_integrate(from, tac_load3(dq + v)));
    }
}

static void difference(const tacModel* model, const double* qpos, const tacReal* to, tacReal* out) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int q = j->qpos, v = j->dof;
        for (; v < j->dof + straight_of(j); ++q, ++v) out[v] = to[q] - qpos[q];
        if (j->axis >= 0) continue;
        tacQuat from = {qpos[q], qpos[q + 1], qpos[q + 2], qpos[q + 3]};
        tac_store3(out + v, tac_quat_difference(from, tac_quat_load(to + q)));
    }
}

// `x_theta` are the parameters used, behind all other inputs
static setup place(const stepContext* c, const tacReal* dq, const tacReal* x_theta) {
    setup s = {.model = *c->model};
    const double* plain = (const double*)c->model->param; // the model is the double build's
    s.param = c->memory;
    s.theta = s.param + c->model->nparam;
    s.qpos = s.theta + c->model->nparam;
    s.next = s.qpos + c->model->nq;
    for (int i = 0; i < c->model->nparam; ++i) s.param[i] = plain[i];
    for (int i = 0; i < c->used_count; ++i) s.param[c->used[i]] = x_theta[i];
    memset(s.theta, 0, sizeof *s.theta * (size_t)c->model->nparam);
    s.model.param = s.param;
    move(c->model, c->qpos, dq, s.qpos);
    return s;
}

static void spread_theta(const stepContext* c, const setup* s, const tacReal* x_dot) {
    for (int i = 0; i < c->used_count; ++i) s->theta[c->used[i]] = x_dot[i];
}

static void collect_theta(const stepContext* c, const setup* s, tacReal* x_bar) {
    for (int i = 0; i < c->used_count; ++i) x_bar[i] = s->theta[c->used[i]];
}

//---------------------------------- inverse and forward --------------------------

// where the parameters begin: behind dq, v, a or tau, wrench
static int theta_at(const stepContext* c) { return 3 * c->model->nv + 6 * c->model->nbody; }

static tacDynamicsInput input(const stepContext* c, const setup* s, const tacReal* x) {
    int nv = c->model->nv;
    return (tacDynamicsInput){s->qpos, x + nv, x + 2 * nv, x + 3 * nv};
}

static tacDynamicsTangent tangent(const stepContext* c, const setup* s, tacReal* x) {
    int nv = c->model->nv;
    return (tacDynamicsTangent){x, x + nv, x + 2 * nv, s->theta, x + 3 * nv};
}

static tacResult inverse(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    setup s = place(c, x, x + theta_at(c));
    return tac_inverse_dynamics(&s.model, input(c, &s, x), y, c->scratch);
}

static tacResult inverse_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                             tacReal* y_dot) {
    const stepContext* c = context;
    setup s = place(c, x, x + theta_at(c));
    spread_theta(c, &s, x_dot + theta_at(c));
    return tac_inverse_dynamics_jvp(&s.model, input(c, &s, x), tangent(c, &s, (tacReal*)x_dot),
                                    y_dot, c->scratch);
}

static tacResult inverse_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                             tacReal* x_bar) {
    const stepContext* c = context;
    setup s = place(c, x, x + theta_at(c));
    memset(x_bar, 0, sizeof *x_bar * (size_t)theta_at(c));
    tacResult result = tac_inverse_dynamics_vjp(&s.model, input(c, &s, x), y_bar,
                                                tangent(c, &s, x_bar), c->scratch);
    collect_theta(c, &s, x_bar + theta_at(c));
    return result;
}

static tacResult forward(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    setup s = place(c, x, x + theta_at(c));
    return tac_forward_dynamics(&s.model, input(c, &s, x), x + 2 * c->model->nv, y, c->scratch);
}

static tacResult forward_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                             tacReal* y_dot) {
    const stepContext* c = context;
    setup s = place(c, x, x + theta_at(c));
    spread_theta(c, &s, x_dot + theta_at(c));
    return tac_forward_dynamics_jvp(&s.model, input(c, &s, x), x + 2 * c->model->nv,
                                    tangent(c, &s, (tacReal*)x_dot), y_dot, c->scratch);
}

static tacResult forward_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                             tacReal* x_bar) {
    const stepContext* c = context;
    setup s = place(c, x, x + theta_at(c));
    memset(x_bar, 0, sizeof *x_bar * (size_t)theta_at(c));
    tacResult result = tac_forward_dynamics_vjp(&s.model, input(c, &s, x), x + 2 * c->model->nv,
                                                y_bar, tangent(c, &s, x_bar), c->scratch);
    collect_theta(c, &s, x_bar + theta_at(c));
    return result;
}

static tacResult touched(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    setup s = place(c, x, x + theta_at(c));
    return tac_inverse_contact(&s.model, input(c, &s, x), y, c->scratch);
}

static tacResult touched_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                             tacReal* y_dot) {
    const stepContext* c = context;
    setup s = place(c, x, x + theta_at(c));
    spread_theta(c, &s, x_dot + theta_at(c));
    return tac_inverse_contact_jvp(&s.model, input(c, &s, x), tangent(c, &s, (tacReal*)x_dot),
                                   y_dot, c->scratch);
}

static tacResult touched_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                             tacReal* x_bar) {
    const stepContext* c = context;
    setup s = place(c, x, x + theta_at(c));
    memset(x_bar, 0, sizeof *x_bar * (size_t)theta_at(c));
    tacResult result = tac_inverse_contact_vjp(&s.model, input(c, &s, x), y_bar,
                                               tangent(c, &s, x_bar), c->scratch);
    collect_theta(c, &s, x_bar + theta_at(c));
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_touched_) = {touched, touched_jvp, touched_vjp};
const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_inverse_) = {inverse, inverse_jvp, inverse_vjp};
const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_forward_) = {forward, forward_jvp, forward_vjp};

//---------------------------------- step -----------------------------------------

// The next turns as rotation vectors w from qnext: w' = J_r(w)^-1 (tangent), and its transpose.
// Then y lies in a flat space and its Hessians are symmetric.
static void chart(const tacModel* model, const tacReal* w, tacReal* d, int transposed) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int k = j->dof + straight_of(j);
        if (j->axis >= 0) continue;
        tacMat3 left = tac_so3_left_jacobian_inverse(tac_load3(w + k));
        tacVec3 x = tac_load3(d + k);
        tac_store3(d + k, transposed ? tac_mat_mul_vec(left, x) : tac_mat_tmul_vec(left, x));
    }
}

// x = (dq, v, act, u, parameters), y = (turn, v, act)
static int state_size(const stepContext* c) { return 2 * c->model->nv + c->model->na; }

static tacState state_at(const stepContext* c, const setup* s, const tacReal* x) {
    int nv = c->model->nv;
    return (tacState){.qpos = s->qpos, .qvel = (tacReal*)x + nv, .act = (tacReal*)x + 2 * nv};
}

static tacTangent tangent_of(const stepContext* c, tacReal* x) {
    int nv = c->model->nv;
    return (tacTangent){.dq = x, .dv = x + nv, .da = x + 2 * nv};
}

static tacResult step(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    int nv = c->model->nv, nx = state_size(c);
    setup s = place(c, x, x + nx + c->model->nu);
    tacState at = state_at(c, &s, x);
    tacState next = {.qpos = s.next, .qvel = y + nv, .act = y + 2 * nv};
    tacResult result = tac_step(&s.model, &at, x + nx, &next, c->scratch);
    difference(c->model, c->qnext, next.qpos, y);
    return result;
}

static tacResult step_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                          tacReal* y_dot) {
    const stepContext* c = context;
    int nv = c->model->nv, nx = state_size(c);
    tacResult result = step(context, x, y_dot);
    setup s = place(c, x, x + nx + c->model->nu);
    memcpy(s.next, y_dot, sizeof *y_dot * (size_t)nv); // w
    spread_theta(c, &s, x_dot + nx + c->model->nu);
    tacState at = state_at(c, &s, x);
    if (result == TAC_OK)
        result = tac_step_jvp(&s.model, &at, x + nx, tangent_of(c, (tacReal*)x_dot), x_dot + nx,
                              s.theta, tangent_of(c, y_dot), c->scratch);
    chart(c->model, s.next, y_dot, 0);
    return result;
}

static tacResult step_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                          tacReal* x_bar) {
    const stepContext* c = context;
    int nv = c->model->nv, nx = state_size(c), nu = c->model->nu;
    tacResult result = step(context, x, x_bar);
    setup s = place(c, x, x + nx + nu);
    tacReal* next_bar = s.next + nv;
    memcpy(s.next, x_bar, sizeof *x_bar * (size_t)nv); // w
    memcpy(next_bar, y_bar, sizeof *y_bar * (size_t)nx);
    chart(c->model, s.next, next_bar, 1);
    memset(x_bar, 0, sizeof *x_bar * (size_t)(nx + nu));
    tacState at = state_at(c, &s, x);
    if (result == TAC_OK)
        result = tac_step_vjp(&s.model, &at, x + nx, tangent_of(c, next_bar), tangent_of(c, x_bar),
                              x_bar + nx, s.theta, c->scratch);
    collect_theta(c, &s, x_bar + nx + nu);
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_step_) = {step, step_jvp, step_vjp};

//---------------------------------- momentum and energy --------------------------

static tacResult momentum(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    int nv = c->model->nv;
    setup s = place(c, x, x + 2 * nv);
    tacResult result = tac_momentum(&s.model, s.qpos, x + nv, y, c->scratch);
    if (result == TAC_OK) result = tac_energy(&s.model, s.qpos, x + nv, y + 6, c->scratch);
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_momentum_) = {momentum, NULL, NULL};

//---------------------------------- rows -----------------------------------------

enum { MOST_ROWS = 40 };

static int has_value(const tacRow* row) {
    return row->kind != TAC_ROW_JOINT_FRICTION && row->kind != TAC_ROW_TENDON_FRICTION;
}

// y = values of the rows, J x' their derivative; friction has no value
static tacResult rows(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    int nv = c->model->nv;
    setup s = place(c, x, x + 2 * nv);
    tacRow list[MOST_ROWS];
    tacReal J[MOST_ROWS * MOST_ROWS];
    tacResult result = tac_rows(&s.model, s.qpos, x + nv, list, J, c->scratch);
    for (int i = 0; i < tac_row_count(&s.model); ++i) y[i] = list[i].value;
    return result;
}

static tacResult rows_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                          tacReal* y_dot) {
    const stepContext* c = context;
    int nv = c->model->nv;
    setup s = place(c, x, x + 2 * nv);
    tacRow list[MOST_ROWS];
    tacReal J[MOST_ROWS * MOST_ROWS];
    tacResult result = tac_rows(&s.model, s.qpos, x + nv, list, J, c->scratch);
    for (int i = 0; i < tac_row_count(&s.model); ++i) {
        y_dot[i] = 0.0;
        for (int k = 0; k < nv && has_value(&list[i]); ++k) y_dot[i] += list[i].J[k] * x_dot[k];
    }
    return result;
}

static tacResult rows_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                          tacReal* x_bar) {
    const stepContext* c = context;
    int nv = c->model->nv;
    setup s = place(c, x, x + 2 * nv);
    tacRow list[MOST_ROWS];
    tacReal J[MOST_ROWS * MOST_ROWS];
    tacResult result = tac_rows(&s.model, s.qpos, x + nv, list, J, c->scratch);
    for (int k = 0; k < 2 * nv; ++k) x_bar[k] = 0.0;
    for (int i = 0; i < tac_row_count(&s.model); ++i)
        for (int k = 0; k < nv && has_value(&list[i]); ++k) x_bar[k] += list[i].J[k] * y_bar[i];
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_rows_) = {rows, rows_jvp, rows_vjp};
