// The step of a scene, and a quantity after several steps, in the number type of this build.

#include "check/motion_problem.h"

#include "math/quat.h"

#include <string.h>

// everything in the number type at hand
typedef struct setup {
    tacModel model;
    tacReal *param, *theta, *qpos, *next, *bar;
    tacState at, to;
    const tacReal* u;
    tacRollout rollout;
} setup;

//---------------------------------- positions ------------------------------------

static int straight_of(const tacJoint* j) {
    return j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
}

static tacQuat plain_quat(const double* q) { return (tacQuat){q[0], q[1], q[2], q[3]}; }

static void move(const tacModel* model, const double* qpos, const tacReal* dq, tacReal* out) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int q = j->qpos, v = j->dof;
        for (; v < j->dof + straight_of(j); ++q, ++v) out[q] = qpos[q] + dq[v];
        if (j->axis >= 0) continue;
        tac_quat_store(out + q, tac_quat_integrate(plain_quat(qpos + q), tac_load3(dq + v)));
    }
}

static void difference(const tacModel* model, const double* qpos, const tacReal* to, tacReal* out) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int q = j->qpos, v = j->dof;
        for (; v < j->dof + straight_of(j); ++q, ++v) out[v] = to[q] - qpos[q];
        if (j->axis >= 0) continue;
        tac_store3(out + v, tac_quat_difference(plain_quat(qpos + q), tac_quat_load(to + q)));
    }
}

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

//---------------------------------- inputs ---------------------------------------

static int nx_of(const tacCheckMotion* c) { return 2 * c->model->nv + c->model->na; }
static int theta_at(const tacCheckMotion* c) { return nx_of(c) + c->model->nu; }

static setup place(const tacCheckMotion* c, const tacReal* x) {
    const tacModel* m = c->model;
    setup s = {.model = *m};
    const double* plain = (const double*)m->param; // the model is the double build's
    s.param = c->memory;
    s.theta = s.param + m->nparam;
    s.qpos = s.theta + m->nparam;
    s.next = s.qpos + m->nq;
    s.bar = s.next + m->nq + m->nv + m->na;
    for (int i = 0; i < m->nparam; ++i) s.param[i] = plain[i];
    for (int i = 0; i < c->used_count; ++i) s.param[c->used[i]] = x[theta_at(c) + i];
    memset(s.theta, 0, sizeof *s.theta * (size_t)m->nparam);
    s.model.param = s.param;
    move(m, c->qpos, x, s.qpos);
    tacReal* v = (tacReal*)x + m->nv;
    s.at = (tacState){.qpos = s.qpos, .qvel = v, .act = v + m->nv};
    s.to = (tacState){.qpos = s.next, .qvel = s.next + m->nq, .act = s.next + m->nq + m->nv};
    s.u = x + nx_of(c);
    s.rollout = (tacRollout){NULL, c->steps, c->what, s.bar + 2 * m->nv + m->na};
    return s;
}

static tacTangent tangent(const tacCheckMotion* c, const tacReal* x) {
    tacReal* at = (tacReal*)x;
    return (tacTangent){at, at + c->model->nv, at + 2 * c->model->nv};
}

static void spread_theta(const tacCheckMotion* c, const setup* s, const tacReal* x_dot) {
    for (int i = 0; i < c->used_count; ++i) s->theta[c->used[i]] = x_dot[theta_at(c) + i];
}

static void collect_theta(const tacCheckMotion* c, const setup* s, tacReal* x_bar) {
    for (int i = 0; i < c->used_count; ++i) x_bar[theta_at(c) + i] = s->theta[c->used[i]];
}

//---------------------------------- step -----------------------------------------

static tacResult step(const void* context, const tacReal* x, tacReal* y) {
    const tacCheckMotion* c = context;
    int nv = c->model->nv, na = c->model->na;
    setup s = place(c, x);
    tacResult result = tac_step(&s.model, &s.at, s.u, &s.to, c->scratch);
    if (result != TAC_OK) return result;
    difference(c->model, c->qnext, s.to.qpos, y);
    memcpy(y + nv, s.to.qvel, sizeof *y * (size_t)nv);
    if (na > 0) memcpy(y + 2 * nv, s.to.act, sizeof *y * (size_t)na);
    return TAC_OK;
}

static tacResult step_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                          tacReal* y_dot) {
    const tacCheckMotion* c = context;
    tacResult result = step(context, x, y_dot);
    setup s = place(c, x);
    memcpy(s.next, y_dot, sizeof *y_dot * (size_t)c->model->nv); // w
    spread_theta(c, &s, x_dot);
    if (result == TAC_OK)
        result = tac_step_jvp(&s.model, &s.at, s.u, tangent(c, x_dot), x_dot + nx_of(c), s.theta,
                              tangent(c, y_dot), c->scratch);
    chart(c->model, s.next, y_dot, 0);
    return result;
}

static tacResult step_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                          tacReal* x_bar) {
    const tacCheckMotion* c = context;
    tacResult result = step(context, x, x_bar);
    setup s = place(c, x);
    memcpy(s.next, x_bar, sizeof *x_bar * (size_t)c->model->nv); // w
    memcpy(s.bar, y_bar, sizeof *y_bar * (size_t)nx_of(c));
    chart(c->model, s.next, s.bar, 1);
    memset(x_bar, 0, sizeof *x_bar * (size_t)theta_at(c));
    if (result == TAC_OK)
        result = tac_step_vjp(&s.model, &s.at, s.u, tangent(c, s.bar), tangent(c, x_bar),
                              x_bar + nx_of(c), s.theta, c->scratch);
    collect_theta(c, &s, x_bar);
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_transition_) = {step, step_jvp, step_vjp};

//---------------------------------- quantity -------------------------------------

static tacResult quantity(const void* context, const tacReal* x, tacReal* y) {
    const tacCheckMotion* c = context;
    setup s = place(c, x);
    s.rollout.model = &s.model;
    return tac_rollout(&s.rollout, &s.at, s.u, y, c->scratch);
}

static tacResult quantity_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                              tacReal* y_dot) {
    const tacCheckMotion* c = context;
    setup s = place(c, x);
    s.rollout.model = &s.model;
    spread_theta(c, &s, x_dot);
    return tac_rollout_jvp(&s.rollout, &s.at, s.u, tangent(c, x_dot), x_dot + nx_of(c), s.theta,
                           y_dot, c->scratch);
}

static tacResult quantity_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                              tacReal* x_bar) {
    const tacCheckMotion* c = context;
    setup s = place(c, x);
    s.rollout.model = &s.model;
    memset(x_bar, 0, sizeof *x_bar * (size_t)theta_at(c));
    tacResult result = tac_rollout_vjp(&s.rollout, &s.at, s.u, *y_bar, tangent(c, x_bar),
                                       x_bar + nx_of(c), s.theta, c->scratch);
    collect_theta(c, &s, x_bar);
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_quantity_) = {quantity, quantity_jvp,
                                                                 quantity_vjp};
