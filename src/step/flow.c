// The equation of motion and its derivatives.

#include "step/flow.h"

#include "math/quat.h"
#include "step/generated.h"
#include "step/hold.h"
#include "step/spin.h"

#include <string.h>

enum { DEEP = 120 }; // mean squared depth from which articulated bodies are faster

// Factors cost the sum of squared depths, articulated bodies the same for each; measured on chains.
static int is_deep(const tacModel* model) {
    double squares = 0.0;
    for (int k = 0; k < model->nv; ++k)
        squares += (double)model->dof[k].depth * (double)model->dof[k].depth;
    return squares > DEEP * (double)model->nv;
}

tacFlow tac_flow_take(const tacModel* model, const tacDynamicsKernels* kernels, int derivatives,
                      tacScratch* scratch) {
    tacArena* arena = &scratch->arena;
    size_t nv = (size_t)(model->nv * kernels->lanes);
    tacFlow f = {.model = model, .k = kernels};
    f.m = tac_motion_take(model, kernels->lanes, arena);
    f.m.pushed = model->pushed && !(model->disable & TAC_DISABLE_PASSIVE);
    f.bias = TAC_TAKE(arena, tacReal, nv);
    f.extra = TAC_TAKE(arena, tacReal, nv);
    f.fast = model->integrator == TAC_INTEGRATOR_IMPLICITFAST;
    f.implicit = (f.fast || (model->integrator == TAC_INTEGRATOR_EULER &&
                             !(model->disable & TAC_DISABLE_EULERDAMP))) &&
                 !(model->disable & TAC_DISABLE_PASSIVE);
    f.deep = is_deep(model) && !f.fast && !tac_touch_implicit(model);
    if (kernels->lanes == 1) f.touch = tac_touch_take(model, derivatives, scratch);
    f.spins = f.touch && f.touch->implicit;
    tac_flow_again(&f, scratch);
    return f;
}

void tac_flow_again(tacFlow* f, tacScratch* scratch) {
    const tacModel* model = f->model;
    int lanes = f->k->lanes;
    f->h = model->param[model->timestep];
    f->result = TAC_OK;
    for (int k = 0; k < model->nv && f->implicit; ++k) {
        tacReal damping = model->param[model->joint[model->dof[k].joint].damping];
        for (int i = 0; i < lanes; ++i) f->extra[k * lanes + i] = f->h * damping;
    }
    if (f->touch) tac_touch_again(f->touch);
    f->by_code = f->touch && !f->touch->derivatives && tac_is_generated(scratch);
}

size_t tac_flow_size(const tacModel* model, int lanes, size_t real_size) {
    return tac_motion_size(model, lanes, real_size) +
           2 * tac_arena_need(real_size * (size_t)(model->nv * lanes)) +
           (lanes == 1 ? tac_touch_size(model, real_size) : 0);
}

// M + h D and its factors
static void factor_mass(tacFlow* f) {
    f->k->mass(f->model, &f->m, f->implicit ? f->extra : NULL);
    if (f->fast) f->k->damp(f->model, &f->m);
    if (f->touch && f->touch->implicit)
        tac_touch_factor(f->touch, &f->m);
    else
        f->k->factor(f->model, &f->m);
}

// x = (M + h D)^-1 x, with what contact adds
static void solve(tacFlow* f, tacReal* x) {
    if (f->touch && f->touch->implicit)
        tac_touch_solve(f->touch, x);
    else
        f->k->solve(f->model, &f->m, x);
}

void tac_flow_solve_columns(tacFlow* f, tacReal* x, int count, int stride) {
    if (f->touch && f->touch->implicit)
        tac_touch_solve_columns(f->touch, x, count, stride);
    else
        f->k->solve_columns(f->model, &f->m, x, count, stride);
}

// forces of contact by places and velocities, the rest by code
static void flow_by_code(tacFlow* f, tacPoint x, tacReal* a, tacReal* rate) {
    memset(a, 0, sizeof *a * (size_t)f->model->nv);
    tac_touch_velocities(f->model, &f->m);
    tac_touch_at(f->touch, &f->m, a);
    tac_hold_at(f->model, &f->m, NULL, a);
    tac_generated_flow(f->touch->scratch, x, f->m.ctrl, a, rate);
    if (f->result == TAC_OK) f->result = f->touch->result;
}

void tac_flow_at(tacFlow* f, tacPoint x, tacReal* a, tacReal* rate) {
    const tacModel* model = f->model;
    f->m.qpos = x.q;
    f->m.qvel = x.v;
    f->m.act = x.act;
    f->m.qacc = NULL;
    f->m.wrench = NULL;
    f->k->kinematics(model, &f->m);
    if (f->by_code) {
        flow_by_code(f, x, a, rate);
        return;
    }
    f->k->inverse(model, &f->m, f->bias);
    f->k->applied(model, &f->m, a);
    if (f->touch) {
        tac_touch_at(f->touch, &f->m, a);
        tac_hold_at(model, &f->m, NULL, a);
    }
    if (f->spins) tac_spin_at(model, &f->m, a);
    if (f->deep) {
        f->k->articulated(model, &f->m, a, f->implicit ? f->extra : NULL, a);
    } else {
        f->k->add_scaled(model->nv, a, -1.0, f->bias, a);
        factor_mass(f);
        solve(f, a);
    }
    if (f->touch && f->result == TAC_OK) f->result = f->touch->result;
    if (model->na > 0) f->k->activate(model, &f->m, rate);
}

//---------------------------------- derivatives ----------------------------------

void tac_flow_ready(tacFlow* f, const tacReal* a) {
    f->m.qacc = a;
    if (f->touch && f->touch->implicit) tac_touch_lead(f->touch, &f->m, a);
    if (f->touch) f->m.wrench = f->touch->wrench;
    if (f->deep) factor_mass(f);
    tac_balance_ready(f);
}

void tac_balance_ready(tacFlow* f) {
    f->k->inverse(f->model, &f->m, f->bias);
    f->k->coriolis(f->model, &f->m);
}

// (M + h D) a = applied + J' w - c, so (M + h D) da = d applied + J' dw - d(M a + c - J' w) - d(h
// D) a, the last but one at w fixed in the world. D is that of the joints, or of tendons and
// actuators, too. What stands behind d applied:
void tac_balance_jvp(tacFlow* f, const tacMotionDot* dot, tacReal* out) {
    const tacModel* model = f->model;
    f->k->inverse_jvp(model, &f->m, dot, f->bias);
    if (f->touch) tac_touch_jvp(f->touch, &f->m, dot, out);
    if (f->touch) tac_hold_jvp(model, &f->m, dot, out);
    if (f->spins) tac_spin_jvp(model, &f->m, dot, out);
    for (int k = 0; k < model->nv; ++k) {
        out[k] -= f->bias[k];
        int damping = model->joint[model->dof[k].joint].damping;
        if (f->implicit && dot->theta)
            out[k] -= f->m.qacc[k] * (f->h * dot->theta[damping] +
                                      dot->theta[model->timestep] * model->param[damping]);
    }
    if (!f->fast) return;
    f->k->damp_jvp(model, &f->m, dot, f->bias);
    f->k->add_scaled(model->nv, out, -1.0, f->bias, out);
}

void tac_flow_jvp(tacFlow* f, const tacMotionDot* dot, tacReal* a_dot, tacReal* rate_dot) {
    f->k->applied_jvp(f->model, &f->m, dot, a_dot);
    tac_balance_jvp(f, dot, a_dot);
    solve(f, a_dot);
    if (f->model->na > 0) f->k->activate_jvp(f->model, &f->m, dot, rate_dot);
}

void tac_balance_vjp(tacFlow* f, tacReal* bar_of_it, tacMotionDot* bar) {
    const tacModel* model = f->model;
    if (f->touch) tac_touch_vjp(f->touch, &f->m, bar_of_it, bar);
    if (f->touch) tac_hold_vjp(model, &f->m, bar_of_it, bar);
    if (f->spins) tac_spin_vjp(model, &f->m, bar_of_it, bar);
    for (int k = 0; k < model->nv; ++k) {
        int damping = model->joint[model->dof[k].joint].damping;
        if (f->implicit && bar->theta) {
            tacReal s = f->m.qacc[k] * bar_of_it[k];
            bar->theta[damping] -= f->h * s;
            bar->theta[model->timestep] -= model->param[damping] * s;
        }
        bar_of_it[k] = -bar_of_it[k];
    }
    if (f->fast) f->k->damp_vjp(model, &f->m, bar_of_it, bar);
    f->k->inverse_vjp(model, &f->m, bar_of_it, bar);
}

void tac_flow_vjp(tacFlow* f, tacReal* a_bar, const tacReal* rate_bar, tacMotionDot* bar) {
    if (f->model->na > 0) f->k->activate_vjp(f->model, &f->m, rate_bar, bar);
    solve(f, a_bar);
    f->k->applied_vjp(f->model, &f->m, a_bar, bar);
    tac_balance_vjp(f, a_bar, bar);
}

//---------------------------------- positions ------------------------------------

// how many of a joint's velocities are lengths or angles of one axis
static int straight_of(const tacJoint* j) {
    return j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
}

void tac_move_jvp(const tacModel* model, const tacReal* velocity, tacReal h, const tacReal* dq,
                  const tacReal* velocity_dot, tacReal h_dot, tacReal* next_dot) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int k = j->dof, straight = straight_of(j);
        for (; k < j->dof + straight; ++k)
            next_dot[k] = dq[k] + h * velocity_dot[k] + h_dot * velocity[k];
        if (j->axis >= 0) continue;
        tacVec3 w = tac_load3(velocity + k);
        tacVec3 w_dot = tac_add_scaled(tac_scale(w, h_dot), h, tac_load3(velocity_dot + k));
        tac_store3(next_dot + k, tac_quat_integrate_jvp(tac_scale(w, h), tac_load3(dq + k), w_dot));
    }
}

void tac_move_vjp(const tacModel* model, const tacReal* velocity, tacReal h,
                  const tacReal* next_bar, tacReal* dq_bar, tacReal* velocity_bar, tacReal* h_bar) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int k = j->dof, straight = straight_of(j);
        for (; k < j->dof + straight; ++k) {
            dq_bar[k] += next_bar[k];
            velocity_bar[k] += h * next_bar[k];
            *h_bar += velocity[k] * next_bar[k];
        }
        if (j->axis >= 0) continue;
        tacVec3 w = tac_load3(velocity + k), q_bar = tac_vec3_zero(), w_bar = tac_vec3_zero();
        tac_quat_integrate_vjp(tac_scale(w, h), tac_load3(next_bar + k), &q_bar, &w_bar);
        tac_store3(dq_bar + k, tac_add(tac_load3(dq_bar + k), q_bar));
        tac_store3(velocity_bar + k, tac_add_scaled(tac_load3(velocity_bar + k), h, w_bar));
        *h_bar += tac_dot(w, w_bar);
    }
}
