// Adapters of dynamics and of the step, in the number type of this build.

#include "step/adapter_step.h"

#include "math/quat.h"

#include <string.h>

// everything in the number type at hand
typedef struct stepInput {
    tacModel model;
    tacReal *param, *qpos, *theta, *next; // (nparam) (nq) (nparam) (nq + nv)
} stepInput;

// moves q along dq and back: straight numbers, then a turn
static int translation_dofs(const tacJoint* j) {
    return j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
}

static void displace_positions(const tacModel* model, const double* qpos, const tacReal* dq,
                               tacReal* out) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int q = j->qpos, v = j->dof;
        for (; v < j->dof + translation_dofs(j); ++q, ++v) out[q] = qpos[q] + dq[v];
        if (j->axis >= 0) continue;
        tacQuat from = {qpos[q], qpos[q + 1], qpos[q + 2], qpos[q + 3]};
        tac_quat_store(out + q, tac_quat_integrate(from, tac_load3(dq + v)));
    }
}

static void position_difference(const tacModel* model, const double* qpos, const tacReal* to,
                                tacReal* out) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int q = j->qpos, v = j->dof;
        for (; v < j->dof + translation_dofs(j); ++q, ++v) out[v] = to[q] - qpos[q];
        if (j->axis >= 0) continue;
        tacQuat from = {qpos[q], qpos[q + 1], qpos[q + 2], qpos[q + 3]};
        tac_store3(out + v, tac_quat_difference(from, tac_quat_load(to + q)));
    }
}

// `x_theta` are the parameters used, behind all other inputs
static stepInput make_input(const stepContext* c, const tacReal* dq, const tacReal* x_theta) {
    stepInput s = {.model = *c->model};
    const double* plain = (const double*)c->model->param; // the model is the double build's
    s.param = c->memory;
    s.theta = s.param + c->model->nparam;
    s.qpos = s.theta + c->model->nparam;
    s.next = s.qpos + c->model->nq;
    for (int i = 0; i < c->model->nparam; ++i) s.param[i] = plain[i];
    for (int i = 0; i < c->used_count; ++i) s.param[c->used[i]] = x_theta[i];
    memset(s.theta, 0, sizeof *s.theta * (size_t)c->model->nparam);
    s.model.param = s.param;
    displace_positions(c->model, c->qpos, dq, s.qpos);
    return s;
}

static void scatter_theta(const stepContext* c, const stepInput* s, const tacReal* x_dot) {
    for (int i = 0; i < c->used_count; ++i) s->theta[c->used[i]] = x_dot[i];
}

static void gather_theta(const stepContext* c, const stepInput* s, tacReal* x_bar) {
    for (int i = 0; i < c->used_count; ++i) x_bar[i] = s->theta[c->used[i]];
}

//---------------------------------- inverse and forward --------------------------

// where the parameters begin: behind dq, v, a or tau, wrench
static int theta_index(const stepContext* c) { return 3 * c->model->nv + 6 * c->model->nbody; }

static tacDynamicsInput as_input(const stepContext* c, const stepInput* s, const tacReal* x) {
    int nv = c->model->nv;
    return (tacDynamicsInput){s->qpos, x + nv, x + 2 * nv, x + 3 * nv};
}

static tacDynamicsTangent as_dynamics_tangent(const stepContext* c, const stepInput* s,
                                              tacReal* x) {
    int nv = c->model->nv;
    return (tacDynamicsTangent){x, x + nv, x + 2 * nv, s->theta, x + 3 * nv};
}

static tacResult eval_inverse(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + theta_index(c));
    return tac_inverse_dynamics(&s.model, as_input(c, &s, x), y, c->scratch);
}

static tacResult eval_inverse_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                                  tacReal* y_dot) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + theta_index(c));
    scatter_theta(c, &s, x_dot + theta_index(c));
    return tac_inverse_dynamics_jvp(&s.model, as_input(c, &s, x),
                                    as_dynamics_tangent(c, &s, (tacReal*)x_dot), y_dot, c->scratch);
}

static tacResult eval_inverse_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                                  tacReal* x_bar) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + theta_index(c));
    memset(x_bar, 0, sizeof *x_bar * (size_t)theta_index(c));
    tacResult result = tac_inverse_dynamics_vjp(&s.model, as_input(c, &s, x), y_bar,
                                                as_dynamics_tangent(c, &s, x_bar), c->scratch);
    gather_theta(c, &s, x_bar + theta_index(c));
    return result;
}

static tacResult eval_forward(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + theta_index(c));
    return tac_forward_dynamics(&s.model, as_input(c, &s, x), x + 2 * c->model->nv, y, c->scratch);
}

static tacResult eval_forward_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                                  tacReal* y_dot) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + theta_index(c));
    scatter_theta(c, &s, x_dot + theta_index(c));
    return tac_forward_dynamics_jvp(&s.model, as_input(c, &s, x), x + 2 * c->model->nv,
                                    as_dynamics_tangent(c, &s, (tacReal*)x_dot), y_dot, c->scratch);
}

static tacResult eval_forward_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                                  tacReal* x_bar) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + theta_index(c));
    memset(x_bar, 0, sizeof *x_bar * (size_t)theta_index(c));
    tacResult result =
        tac_forward_dynamics_vjp(&s.model, as_input(c, &s, x), x + 2 * c->model->nv, y_bar,
                                 as_dynamics_tangent(c, &s, x_bar), c->scratch);
    gather_theta(c, &s, x_bar + theta_index(c));
    return result;
}

static tacResult inverse_contact(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + theta_index(c));
    return tac_inverse_contact(&s.model, as_input(c, &s, x), y, c->scratch);
}

static tacResult inverse_contact_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                                     tacReal* y_dot) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + theta_index(c));
    scatter_theta(c, &s, x_dot + theta_index(c));
    return tac_inverse_contact_jvp(&s.model, as_input(c, &s, x),
                                   as_dynamics_tangent(c, &s, (tacReal*)x_dot), y_dot, c->scratch);
}

static tacResult inverse_contact_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                                     tacReal* x_bar) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + theta_index(c));
    memset(x_bar, 0, sizeof *x_bar * (size_t)theta_index(c));
    tacResult result = tac_inverse_contact_vjp(&s.model, as_input(c, &s, x), y_bar,
                                               as_dynamics_tangent(c, &s, x_bar), c->scratch);
    gather_theta(c, &s, x_bar + theta_index(c));
    return result;
}

static tacResult forward_contact(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + theta_index(c));
    return tac_forward_contact(&s.model, as_input(c, &s, x), x + 2 * c->model->nv, y, c->scratch);
}

static tacResult forward_contact_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                                     tacReal* y_dot) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + theta_index(c));
    scatter_theta(c, &s, x_dot + theta_index(c));
    return tac_forward_contact_jvp(&s.model, as_input(c, &s, x), x + 2 * c->model->nv,
                                   as_dynamics_tangent(c, &s, (tacReal*)x_dot), y_dot, c->scratch);
}

static tacResult forward_contact_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                                     tacReal* x_bar) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + theta_index(c));
    memset(x_bar, 0, sizeof *x_bar * (size_t)theta_index(c));
    tacResult result =
        tac_forward_contact_vjp(&s.model, as_input(c, &s, x), x + 2 * c->model->nv, y_bar,
                                as_dynamics_tangent(c, &s, x_bar), c->scratch);
    gather_theta(c, &s, x_bar + theta_index(c));
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_forward_contact_) = {
    forward_contact, forward_contact_jvp, forward_contact_vjp};
const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_inverse_contact_) = {
    inverse_contact, inverse_contact_jvp, inverse_contact_vjp};
const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_inverse_) = {eval_inverse, eval_inverse_jvp,
                                                                eval_inverse_vjp};
const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_forward_) = {eval_forward, eval_forward_jvp,
                                                                eval_forward_vjp};

//---------------------------------- step -----------------------------------------

// The next turns as rotation vectors w from qnext: w' = J_r(w)^-1 (tangent), and its transpose.
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

// x = (dq, v, act, u, parameters), y = (turn, v, act)
static int state_size(const stepContext* c) { return 2 * c->model->nv + c->model->na; }

static tacState as_state(const stepContext* c, const stepInput* s, const tacReal* x) {
    int nv = c->model->nv;
    return (tacState){.qpos = s->qpos, .qvel = (tacReal*)x + nv, .act = (tacReal*)x + 2 * nv};
}

static tacTangent as_tangent(const stepContext* c, tacReal* x) {
    int nv = c->model->nv;
    return (tacTangent){.dq = x, .dv = x + nv, .da = x + 2 * nv};
}

static tacResult eval_step(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    int nv = c->model->nv, nx = state_size(c);
    stepInput s = make_input(c, x, x + nx + c->model->nu);
    tacState at = as_state(c, &s, x);
    tacState next = {.qpos = s.next, .qvel = y + nv, .act = y + 2 * nv};
    tacResult result = tac_step(&s.model, &at, x + nx, &next, c->scratch);
    position_difference(c->model, c->qnext, next.qpos, y);
    return result;
}

static tacResult eval_step_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                               tacReal* y_dot) {
    const stepContext* c = context;
    int nv = c->model->nv, nx = state_size(c);
    tacResult result = eval_step(context, x, y_dot);
    stepInput s = make_input(c, x, x + nx + c->model->nu);
    memcpy(s.next, y_dot, sizeof *y_dot * (size_t)nv); // w
    scatter_theta(c, &s, x_dot + nx + c->model->nu);
    tacState at = as_state(c, &s, x);
    if (result == TAC_OK)
        result = tac_step_jvp(&s.model, &at, x + nx,
                              (tacStepTangent){.x = as_tangent(c, (tacReal*)x_dot),
                                               .u = (tacReal*)x_dot + nx,
                                               .theta = s.theta},
                              as_tangent(c, y_dot), c->scratch);
    apply_chart(c->model, s.next, y_dot, 0);
    return result;
}

static tacResult eval_step_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                               tacReal* x_bar) {
    const stepContext* c = context;
    int nv = c->model->nv, nx = state_size(c), nu = c->model->nu;
    tacResult result = eval_step(context, x, x_bar);
    stepInput s = make_input(c, x, x + nx + nu);
    tacReal* next_bar = s.next + nv;
    memcpy(s.next, x_bar, sizeof *x_bar * (size_t)nv); // w
    memcpy(next_bar, y_bar, sizeof *y_bar * (size_t)nx);
    apply_chart(c->model, s.next, next_bar, 1);
    memset(x_bar, 0, sizeof *x_bar * (size_t)(nx + nu));
    tacState at = as_state(c, &s, x);
    if (result == TAC_OK)
        result = tac_step_vjp(
            &s.model, &at, x + nx, as_tangent(c, next_bar),
            (tacStepTangent){.x = as_tangent(c, x_bar), .u = x_bar + nx, .theta = s.theta},
            c->scratch);
    gather_theta(c, &s, x_bar + nx + nu);
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_step_) = {eval_step, eval_step_jvp,
                                                             eval_step_vjp};

//---------------------------------- accelerations --------------------------------

// x as of the step, y = qacc
static tacResult eval_acceleration(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    int nx = state_size(c);
    stepInput s = make_input(c, x, x + nx + c->model->nu);
    tacState at = as_state(c, &s, x);
    return tac_acceleration(&s.model, &at, x + nx, y, c->scratch);
}

static tacResult eval_acceleration_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                                       tacReal* y_dot) {
    const stepContext* c = context;
    int nx = state_size(c);
    stepInput s = make_input(c, x, x + nx + c->model->nu);
    scatter_theta(c, &s, x_dot + nx + c->model->nu);
    tacState at = as_state(c, &s, x);
    tacReal* d = (tacReal*)x_dot;
    return tac_acceleration_jvp(&s.model, &at, x + nx,
                                (tacStepTangent){as_tangent(c, d), d + nx, s.theta}, y_dot,
                                c->scratch);
}

static tacResult eval_acceleration_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                                       tacReal* x_bar) {
    const stepContext* c = context;
    int nx = state_size(c), nu = c->model->nu;
    stepInput s = make_input(c, x, x + nx + nu);
    tacState at = as_state(c, &s, x);
    memset(x_bar, 0, sizeof *x_bar * (size_t)(nx + nu));
    tacResult result = tac_acceleration_vjp(
        &s.model, &at, x + nx, y_bar, (tacStepTangent){as_tangent(c, x_bar), x_bar + nx, s.theta},
        c->scratch);
    gather_theta(c, &s, x_bar + nx + nu);
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_acceleration_) = {
    eval_acceleration, eval_acceleration_jvp, eval_acceleration_vjp};

//---------------------------------- positions ------------------------------------

// x = (dq, v), y = the next positions from qnext
static tacResult eval_integrate_pos(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + 2 * c->model->nv);
    tacResult result =
        tac_integrate_pos(&s.model, s.qpos, x + c->model->nv, CHECK_POS_STEP, s.next);
    position_difference(c->model, c->qnext, s.next, y);
    return result;
}

static tacResult eval_integrate_pos_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                                        tacReal* y_dot) {
    const stepContext* c = context;
    int nv = c->model->nv;
    tacResult result = eval_integrate_pos(context, x, y_dot);
    stepInput s = make_input(c, x, x + 2 * nv);
    memcpy(s.next, y_dot, sizeof *y_dot * (size_t)nv); // w
    if (result == TAC_OK)
        result = tac_integrate_pos_jvp(&s.model, x + nv, CHECK_POS_STEP, x_dot, x_dot + nv, y_dot);
    apply_chart(c->model, s.next, y_dot, 0);
    return result;
}

static tacResult eval_integrate_pos_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                                        tacReal* x_bar) {
    const stepContext* c = context;
    int nv = c->model->nv;
    tacResult result = eval_integrate_pos(context, x, x_bar);
    stepInput s = make_input(c, x, x + 2 * nv);
    tacReal* next_bar = s.next + nv;
    memcpy(s.next, x_bar, sizeof *x_bar * (size_t)nv); // w
    memcpy(next_bar, y_bar, sizeof *y_bar * (size_t)nv);
    apply_chart(c->model, s.next, next_bar, 1);
    memset(x_bar, 0, sizeof *x_bar * (size_t)(2 * nv));
    if (result == TAC_OK)
        result =
            tac_integrate_pos_vjp(&s.model, x + nv, CHECK_POS_STEP, next_bar, x_bar, x_bar + nv);
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_integrate_pos_) = {
    eval_integrate_pos, eval_integrate_pos_jvp, eval_integrate_pos_vjp};

// x = (displacement of qpos, displacement of qnext), y = the velocity between them
static tacResult eval_differentiate_pos(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + 2 * c->model->nv);
    displace_positions(c->model, c->qnext, x + c->model->nv, s.next);
    return tac_differentiate_pos(&s.model, s.qpos, s.next, CHECK_POS_STEP, y);
}

static tacResult eval_differentiate_pos_jvp(const void* context, const tacReal* x,
                                            const tacReal* x_dot, tacReal* y_dot) {
    const stepContext* c = context;
    int nv = c->model->nv;
    tacReal* v = (tacReal*)c->memory + 2 * c->model->nparam + 3 * c->model->nq + 3 * nv;
    tacResult result = eval_differentiate_pos(context, x, v);
    if (result == TAC_OK)
        result = tac_differentiate_pos_jvp(c->model, v, CHECK_POS_STEP, x_dot, x_dot + nv, y_dot);
    return result;
}

static tacResult eval_differentiate_pos_vjp(const void* context, const tacReal* x,
                                            const tacReal* y_bar, tacReal* x_bar) {
    const stepContext* c = context;
    int nv = c->model->nv;
    tacReal* v = (tacReal*)c->memory + 2 * c->model->nparam + 3 * c->model->nq + 3 * nv;
    tacResult result = eval_differentiate_pos(context, x, v);
    memset(x_bar, 0, sizeof *x_bar * (size_t)(2 * nv));
    if (result == TAC_OK)
        result = tac_differentiate_pos_vjp(c->model, v, CHECK_POS_STEP, y_bar, x_bar, x_bar + nv);
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_differentiate_pos_) = {
    eval_differentiate_pos, eval_differentiate_pos_jvp, eval_differentiate_pos_vjp};

//---------------------------------- rollouts -------------------------------------

// x = (dq, v, act, a control for each step, parameters), y = all states, turns from qnext
enum { ROLLOUT_ROOM = 4000 };
static tacReal rollout_states[ROLLOUT_ROOM], rollout_bar[ROLLOUT_ROOM], rollout_turn[ROLLOUT_ROOM];
static tacReal rollout_memory[ROLLOUT_ROOM];

static tacResult run_rollout(const stepContext* c, const stepInput* s, const tacReal* x,
                             tacReal* y) {
    int nv = c->model->nv, nx = state_size(c);
    tacState start = as_state(c, s, x);
    tacRollout r = {
        .start = &start, .ctrl = x + nx, .steps = CHECK_ROLLOUT_STEPS, .states = rollout_states};
    tacResult result = tac_rollout(&s->model, &r, c->scratch);
    for (int k = 0; k <= CHECK_ROLLOUT_STEPS && result == TAC_OK; ++k, y += nx) {
        tacState at = tac_state_view(c->model, rollout_states, k);
        position_difference(c->model, c->qnext, at.qpos, y);
        memcpy(rollout_turn + k * nv, y, sizeof *y * (size_t)nv);
        memcpy(y + nv, at.qvel, sizeof *y * (size_t)nv);
        memcpy(y + 2 * nv, at.act, sizeof *y * (size_t)c->model->na);
    }
    return result;
}

static int rollout_theta(const stepContext* c) {
    return state_size(c) + CHECK_ROLLOUT_STEPS * c->model->nu;
}

static tacResult eval_rollout(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    stepInput s = make_input(c, x, x + rollout_theta(c));
    return run_rollout(c, &s, x, y);
}

// step by step
static tacResult eval_rollout_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                                  tacReal* y_dot) {
    const stepContext* c = context;
    int nv = c->model->nv, nx = state_size(c), nu = c->model->nu;
    stepInput s = make_input(c, x, x + rollout_theta(c));
    tacResult result = run_rollout(c, &s, x, y_dot);
    scatter_theta(c, &s, x_dot + rollout_theta(c));
    memcpy(y_dot, x_dot, sizeof *y_dot * (size_t)nx);
    for (int k = 0; k < CHECK_ROLLOUT_STEPS && result == TAC_OK; ++k) {
        tacState at = tac_state_view(c->model, rollout_states, k);
        tacStepTangent dot = {as_tangent(c, y_dot + k * nx), (tacReal*)x_dot + nx + k * nu,
                              s.theta};
        result = tac_step_jvp(&s.model, &at, x + nx + k * nu, dot,
                              as_tangent(c, y_dot + (k + 1) * nx), c->scratch);
    }
    for (int k = 0; k <= CHECK_ROLLOUT_STEPS; ++k)
        apply_chart(c->model, rollout_turn + k * nv, y_dot + k * nx, 0);
    return result;
}

// with checkpoints
static tacResult eval_rollout_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                                  tacReal* x_bar) {
    const stepContext* c = context;
    int nv = c->model->nv, nx = state_size(c);
    stepInput s = make_input(c, x, x + rollout_theta(c));
    tacResult result = run_rollout(c, &s, x, rollout_bar);
    memcpy(rollout_bar, y_bar, sizeof *y_bar * (size_t)((CHECK_ROLLOUT_STEPS + 1) * nx));
    for (int k = 0; k <= CHECK_ROLLOUT_STEPS; ++k)
        apply_chart(c->model, rollout_turn + k * nv, rollout_bar + k * nx, 1);
    memset(x_bar, 0, sizeof *x_bar * (size_t)rollout_theta(c));
    tacState start = as_state(c, &s, x);
    tacRollout r = {.start = &start, .ctrl = x + nx, .steps = CHECK_ROLLOUT_STEPS};
    tacStepTangent bar = {as_tangent(c, x_bar), x_bar + nx, s.theta};
    if (result == TAC_OK)
        result = tac_rollout_vjp(&s.model, &r, rollout_bar, bar, rollout_memory, c->scratch);
    gather_theta(c, &s, x_bar + rollout_theta(c));
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_rollout_) = {eval_rollout, eval_rollout_jvp,
                                                                eval_rollout_vjp};

//---------------------------------- momentum and energy --------------------------

static tacResult eval_momentum(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    int nv = c->model->nv;
    stepInput s = make_input(c, x, x + 2 * nv);
    tacResult result = tac_momentum(&s.model, s.qpos, x + nv, y, c->scratch);
    if (result == TAC_OK) result = tac_energy(&s.model, s.qpos, x + nv, y + 6, c->scratch);
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_momentum_) = {eval_momentum, NULL, NULL};

//---------------------------------- rows -----------------------------------------

enum { MOST_ROWS = 40 };

static int has_value(const tacRow* row) {
    return row->kind != TAC_ROW_JOINT_FRICTION && row->kind != TAC_ROW_TENDON_FRICTION;
}

// y = values of the rows, J x' their derivative; friction has no value
static tacResult eval_rows(const void* context, const tacReal* x, tacReal* y) {
    const stepContext* c = context;
    int nv = c->model->nv;
    stepInput s = make_input(c, x, x + 2 * nv);
    tacRow list[MOST_ROWS];
    tacReal J[MOST_ROWS * MOST_ROWS];
    tacResult result = tac_rows(&s.model, s.qpos, x + nv, list, J, c->scratch);
    for (int i = 0; i < tac_row_count(&s.model); ++i) y[i] = list[i].value;
    return result;
}

static tacResult eval_rows_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                               tacReal* y_dot) {
    const stepContext* c = context;
    int nv = c->model->nv;
    stepInput s = make_input(c, x, x + 2 * nv);
    tacRow list[MOST_ROWS];
    tacReal J[MOST_ROWS * MOST_ROWS];
    tacResult result = tac_rows(&s.model, s.qpos, x + nv, list, J, c->scratch);
    for (int i = 0; i < tac_row_count(&s.model); ++i) {
        y_dot[i] = 0.0;
        for (int k = 0; k < nv && has_value(&list[i]); ++k) y_dot[i] += list[i].J[k] * x_dot[k];
    }
    return result;
}

static tacResult eval_rows_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                               tacReal* x_bar) {
    const stepContext* c = context;
    int nv = c->model->nv;
    stepInput s = make_input(c, x, x + 2 * nv);
    tacRow list[MOST_ROWS];
    tacReal J[MOST_ROWS * MOST_ROWS];
    tacResult result = tac_rows(&s.model, s.qpos, x + nv, list, J, c->scratch);
    for (int k = 0; k < 2 * nv; ++k) x_bar[k] = 0.0;
    for (int i = 0; i < tac_row_count(&s.model); ++i)
        for (int k = 0; k < nv && has_value(&list[i]); ++k) x_bar[k] += list[i].J[k] * y_bar[i];
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_rows_) = {eval_rows, eval_rows_jvp,
                                                             eval_rows_vjp};
