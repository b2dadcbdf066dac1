// Reverse derivative of energy.
//
//   kinetic    T = v . tau/2,  tau = M(q) v: inverse dynamics at rest, without gravity, under v
//   potential  V = sum of -m g . c over bodies, k |displacement|^2/2 over springs of joints and
//   tendons

#include "dynamics/kinematics_diff.h"

#include "math/spatial.h"

#include <string.h>

//---------------------------------- potential ------------------------------------

static void accumulate3_at(tacReal* bar, int offset, tacVec3 a) {
    bar[offset] += a.x;
    bar[offset + 1] += a.y;
    bar[offset + 2] += a.z;
}

// weights are wrenches on the bodies; mass, centre and gravity themselves
static void gravity_energy_vjp(const tacModel* model, const tacMotion* m, int body, tacReal bar,
                               tacReal* wrench, tacReal* theta_bar) {
    const tacBody* b = &model->body[body];
    tacMat3 R = tac_quat_to_mat(tac_quat_load(m->quat + 4 * body));
    tacVec3 g = tac_scale(tac_load3(model->param + model->gravity), -bar);
    tacVec3 arm = tac_mat_mul_vec(R, tac_load3(model->param + b->com));
    tacVec3 c = tac_add(tac_load3(m->pos + 3 * body), arm);
    tacVec3 force = tac_scale(g, model->param[b->mass]);
    tac_wrench_store(wrench, (tacWrench){force, tac_cross(arm, force)});
    if (!theta_bar) return;
    theta_bar[b->mass] += tac_dot(g, c);
    accumulate3_at(theta_bar, b->com, tac_mat_tmul_vec(R, force));
    accumulate3_at(theta_bar, model->gravity, tac_scale(c, -bar * model->param[b->mass]));
}

// displacement along each degree of freedom of a joint's spring; of rotations the rotation vector
// w, along which d|w|^2/2 = w . dq
static int spring_deflections(const tacModel* model, const tacMotion* m, const tacJoint* j,
                              tacReal out[6]) {
    const double* rest = model->qpos_spring + j->qpos;
    const tacReal* q = m->qpos + j->qpos;
    int n = 0;
    if (j->axis >= 0) {
        out[0] = q[0] - model->param[j->springref];
        return 1;
    }
    for (; n < 3 && j->kind == TAC_JOINT_FREE; ++n) out[n] = q[n] - rest[n];
    tacQuat from = {rest[n], rest[n + 1], rest[n + 2], rest[n + 3]};
    tac_store3(out + n, tac_quat_difference(from, tac_quat_load(q + n)));
    return n + 3;
}

static void spring_energy_vjp(const tacModel* model, const tacMotion* m, const tacJoint* j,
                              tacReal bar, tacReal* q_bar, tacReal* theta_bar) {
    tacReal d[6], k = model->param[j->stiffness];
    int count = spring_deflections(model, m, j, d);
    for (int i = 0; i < count; ++i) {
        if (q_bar) q_bar[j->dof + i] += bar * k * d[i];
        if (theta_bar) theta_bar[j->stiffness] += 0.5 * bar * d[i] * d[i];
    }
    if (theta_bar && j->axis >= 0) theta_bar[j->springref] -= bar * k * d[0];
}

// slack between the two spring lengths
static void tendon_energy_vjp(const tacModel* model, const tacMotion* m, const tacTendon* t,
                              tacReal bar, tacReal* q_bar, tacReal* theta_bar) {
    const tacReal* p = model->param;
    const int* joint = model->tendonjoint + t->first;
    tacReal length = 0.0;
    for (int i = 0; i < t->count; ++i)
        length += p[t->coef + i] * m->qpos[model->joint[joint[i]].qpos];
    tacReal low = length - p[t->springlength], high = length - p[t->springlength + 1];
    int end = !r_is_negative(high) ? 1 : r_is_negative(low) ? 0 : -1;
    if (end < 0) return;
    tacReal d = end ? high : low, force = bar * p[t->stiffness] * d;
    for (int i = 0; i < t->count; ++i) {
        const tacJoint* j = &model->joint[joint[i]];
        if (q_bar) q_bar[j->dof] += force * p[t->coef + i];
        if (theta_bar) theta_bar[t->coef + i] += force * m->qpos[j->qpos];
    }
    if (!theta_bar) return;
    theta_bar[t->stiffness] += 0.5 * bar * d * d;
    theta_bar[t->springlength + end] -= force;
}

static void potential_vjp(const tacModel* model, const tacMotion* m, tacReal bar,
                          tacDynamicsTangent x_bar) {
    memset(m->work, 0, sizeof *m->work * (size_t)(6 * model->nbody));
    for (int b = 1; b < model->nbody && !(model->disable & TAC_DISABLE_GRAVITY); ++b)
        gravity_energy_vjp(model, m, b, bar, m->work + 6 * b, x_bar.theta);
    tac_body_poses_vjp(model, m, m->work, x_bar.dq, x_bar.theta);
    if (model->disable & TAC_DISABLE_PASSIVE) return;
    for (int j = 0; j < model->njoint; ++j)
        spring_energy_vjp(model, m, &model->joint[j], bar, x_bar.dq, x_bar.theta);
    for (int i = 0; i < model->ntendon; ++i)
        tendon_energy_vjp(model, m, &model->tendon[i], bar, x_bar.dq, x_bar.theta);
}

//---------------------------------- kinetic --------------------------------------

static tacResult kinetic_vjp(const tacModel* model, tacDynamicsInput at, tacReal bar,
                             tacDynamicsTangent x_bar, tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    int nv = model->nv;
    tacReal* tau_bar = TAC_ALLOC(&scratch->arena, tacReal, nv);
    tacReal* v_bar = TAC_ALLOC(&scratch->arena, tacReal, nv);
    tacModel floating = *model; // without gravity
    floating.disable |= TAC_DISABLE_GRAVITY;
    tacResult result = tac_inverse_dynamics(&floating, at, v_bar, scratch);
    tacReal energy = 0.0;
    for (int k = 0; k < nv && result == TAC_OK; ++k) {
        tau_bar[k] = 0.5 * bar * at.qacc[k];
        v_bar[k] *= 0.5 * bar;
        energy += v_bar[k] * at.qacc[k];
    }
    if (!tac_all_finite(&energy, 1)) result = TAC_ERROR_DIVERGED;
    tacDynamicsTangent through = {.dq = x_bar.dq, .da = v_bar, .theta = x_bar.theta};
    if (result == TAC_OK)
        result = tac_inverse_dynamics_vjp(&floating, at, tau_bar, through, scratch);
    for (int k = 0; k < nv && result == TAC_OK && x_bar.dv; ++k) x_bar.dv[k] += v_bar[k];
    scratch->arena.used = mark;
    return result;
}

//---------------------------------- both -----------------------------------------

tacResult tac_energy_vjp(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                         const tacReal energy_bar[2], tacDynamicsTangent x_bar,
                         tacScratch* scratch) {
    tacResult result =
        tac_input_check(model, (tacDynamicsInput){.qpos = qpos, .qvel = qvel}, scratch);
    if (result == TAC_OK && (!energy_bar || !tac_all_finite(energy_bar, 2)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacMotion m = tac_motion_at(model, (tacDynamicsInput){.qpos = qpos}, &scratch->arena);
    TAC_DISPATCH(tac_dynamics_single_)->kinematics(model, &m);
    int finite =
        tac_all_finite(m.pos, 3 * model->nbody) && tac_all_finite(m.quat, 4 * model->nbody);
    scratch->arena.used = mark;
    if (!finite) return TAC_ERROR_DIVERGED;
    // first the part that can fail: then the adjoints stay as they are
    tacDynamicsInput at = {.qpos = qpos, .qacc = qvel};
    if (qvel) result = kinetic_vjp(model, at, energy_bar[0], x_bar, scratch);
    if (result != TAC_OK) return result;
    m = tac_motion_at(model, (tacDynamicsInput){.qpos = qpos}, &scratch->arena);
    TAC_DISPATCH(tac_dynamics_single_)->kinematics(model, &m);
    potential_vjp(model, &m, energy_bar[1], x_bar);
    scratch->arena.used = mark;
    return result;
}
