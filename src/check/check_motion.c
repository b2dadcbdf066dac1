// The step of a scene, and a quantity after several steps, in the number type of this build.

#include "check/motion_problem.h"

#include "math/quat.h"

#include <string.h>

// everything in the number type at hand
typedef struct motionInput {
    tacModel model;
    tacReal *param, *theta, *qpos, *next, *bar;
    tacState at, to;
    const tacReal* u;
    tacQuantityRollout rollout;
} motionInput;

//---------------------------------- positions ------------------------------------

static int translation_dofs(const tacJoint* j) {
    return j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
}

static tacQuat quat_of_doubles(const double* q) { return (tacQuat){q[0], q[1], q[2], q[3]}; }

static void displace_positions(const tacModel* model, const double* qpos, const tacReal* dq,
                               tacReal* out) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int q = j->qpos, v = j->dof;
        for (; v < j->dof + translation_dofs(j); ++q, ++v) out[q] = qpos[q] + dq[v];
        if (j->axis >= 0) continue;
        tac_quat_store(out + q, tac_quat_integrate(quat_of_doubles(qpos + q), tac_load3(dq + v)));
    }
}

static void position_difference(const tacModel* model, const double* qpos, const tacReal* to,
                                tacReal* out) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int q = j->qpos, v = j->dof;
        for (; v < j->dof + translation_dofs(j); ++q, ++v) out[v] = to[q] - qpos[q];
        if (j->axis >= 0) continue;
        tac_store3(out + v, tac_quat_difference(quat_of_doubles(qpos + q), tac_quat_load(to + q)));
    }
}

// The next rotations as rotation vectors w from qnext: w' = J_r(w)^-1 (tangent), and its transpose.
// Then y lies in a flat space and its Hessians are symmetric.
static void apply_chart(const tacModel* model, const tacReal* w, tacReal* d, int transposed) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int k = j->dof + translation_dofs(j);
        if (j->axis >= 0) continue;
        tacMat3 left = tac_so3_left_jacobian_inverse(tac_load3(w + k));
        tacVec3 x = tac_load3(d + k);
        tac_store3(d + k, transposed ? tac_mat_mul_vec(left, x) : tac_mat_tmul_vec(left, x));
    }
}

//---------------------------------- inputs ---------------------------------------

static int tangent_dim(const tacCheckMotion* c) { return 2 * c->model->nv + c->model->na; }
static int theta_index(const tacCheckMotion* c) { return tangent_dim(c) + c->model->nu; }

static motionInput make_input(const tacCheckMotion* c, const tacReal* x) {
    const tacModel* m = c->model;
    motionInput s = {.model = *m};
    const double* base_param = (const double*)m->param; // the model is the double build's
    s.param = c->memory;
    s.theta = s.param + m->nparam;
    s.qpos = s.theta + m->nparam;
    s.next = s.qpos + m->nq;
    s.bar = s.next + m->nq + m->nv + m->na;
    for (int i = 0; i < m->nparam; ++i) s.param[i] = base_param[i];
    for (int i = 0; i < c->used_count; ++i) s.param[c->used[i]] = x[theta_index(c) + i];
    memset(s.theta, 0, sizeof *s.theta * (size_t)m->nparam);
    s.model.param = s.param;
    displace_positions(m, c->qpos, x, s.qpos);
    tacReal* v = (tacReal*)x + m->nv;
    s.at = (tacState){.qpos = s.qpos, .qvel = v, .act = v + m->nv};
    s.to = (tacState){.qpos = s.next, .qvel = s.next + m->nq, .act = s.next + m->nq + m->nv};
    s.u = x + tangent_dim(c);
    s.rollout = (tacQuantityRollout){NULL, c->steps, c->what, s.bar + 2 * m->nv + m->na};
    return s;
}

static tacTangent as_tangent(const tacCheckMotion* c, const tacReal* x) {
    tacReal* at = (tacReal*)x;
    return (tacTangent){at, at + c->model->nv, at + 2 * c->model->nv};
}

static void scatter_theta(const tacCheckMotion* c, const motionInput* s, const tacReal* x_dot) {
    for (int i = 0; i < c->used_count; ++i) s->theta[c->used[i]] = x_dot[theta_index(c) + i];
}

static void gather_theta(const tacCheckMotion* c, const motionInput* s, tacReal* x_bar) {
    for (int i = 0; i < c->used_count; ++i) x_bar[theta_index(c) + i] = s->theta[c->used[i]];
}

//---------------------------------- step -----------------------------------------

static tacResult eval_step(const void* context, const tacReal* x, tacReal* y) {
    const tacCheckMotion* c = context;
    int nv = c->model->nv, na = c->model->na;
    motionInput s = make_input(c, x);
    tacResult result = tac_step(&s.model, &s.at, s.u, &s.to, c->scratch);
    if (result != TAC_OK) return result;
    position_difference(c->model, c->qnext, s.to.qpos, y);
    memcpy(y + nv, s.to.qvel, sizeof *y * (size_t)nv);
    if (na > 0) memcpy(y + 2 * nv, s.to.act, sizeof *y * (size_t)na);
    return TAC_OK;
}

static tacResult eval_step_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                               tacReal* y_dot) {
    const tacCheckMotion* c = context;
    tacResult result = eval_step(context, x, y_dot);
    motionInput s = make_input(c, x);
    memcpy(s.next, y_dot, sizeof *y_dot * (size_t)c->model->nv); // w
    scatter_theta(c, &s, x_dot);
    if (result == TAC_OK)
        result = tac_step_jvp(&s.model, &s.at, s.u,
                              (tacStepTangent){.x = as_tangent(c, x_dot),
                                               .u = (tacReal*)x_dot + tangent_dim(c),
                                               .theta = s.theta},
                              as_tangent(c, y_dot), c->scratch);
    apply_chart(c->model, s.next, y_dot, 0);
    return result;
}

static tacResult eval_step_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                               tacReal* x_bar) {
    const tacCheckMotion* c = context;
    tacResult result = eval_step(context, x, x_bar);
    motionInput s = make_input(c, x);
    memcpy(s.next, x_bar, sizeof *x_bar * (size_t)c->model->nv); // w
    memcpy(s.bar, y_bar, sizeof *y_bar * (size_t)tangent_dim(c));
    apply_chart(c->model, s.next, s.bar, 1);
    memset(x_bar, 0, sizeof *x_bar * (size_t)theta_index(c));
    if (result == TAC_OK)
        result = tac_step_vjp(&s.model, &s.at, s.u, as_tangent(c, s.bar),
                              (tacStepTangent){.x = as_tangent(c, x_bar),
                                               .u = x_bar + tangent_dim(c),
                                               .theta = s.theta},
                              c->scratch);
    gather_theta(c, &s, x_bar);
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_transition_) = {eval_step, eval_step_jvp,
                                                                   eval_step_vjp};

//---------------------------------- quantity -------------------------------------

static tacResult eval_quantity(const void* context, const tacReal* x, tacReal* y) {
    const tacCheckMotion* c = context;
    motionInput s = make_input(c, x);
    s.rollout.model = &s.model;
    return tac_quantity_rollout(&s.rollout, &s.at, s.u, y, c->scratch);
}

static tacResult eval_quantity_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                                   tacReal* y_dot) {
    const tacCheckMotion* c = context;
    motionInput s = make_input(c, x);
    s.rollout.model = &s.model;
    scatter_theta(c, &s, x_dot);
    return tac_quantity_rollout_jvp(&s.rollout, &s.at, s.u, as_tangent(c, x_dot),
                                    x_dot + tangent_dim(c), s.theta, y_dot, c->scratch);
}

static tacResult eval_quantity_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                                   tacReal* x_bar) {
    const tacCheckMotion* c = context;
    motionInput s = make_input(c, x);
    s.rollout.model = &s.model;
    memset(x_bar, 0, sizeof *x_bar * (size_t)theta_index(c));
    tacResult result =
        tac_quantity_rollout_vjp(&s.rollout, &s.at, s.u, *y_bar, as_tangent(c, x_bar),
                                 x_bar + tangent_dim(c), s.theta, c->scratch);
    gather_theta(c, &s, x_bar);
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_quantity_) = {eval_quantity, eval_quantity_jvp,
                                                                 eval_quantity_vjp};
