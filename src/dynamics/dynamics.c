// Poses, mass matrix, energies and forces of one state.

#include "dynamics/dynamics.h"

#include "math/spatial.h"
#include "math/vector_ops.h"

#include <string.h>

#define SINGLE TAC_DISPATCH(tac_dynamics_single_)

//---------------------------------- arguments ------------------------------------

int tac_all_finite(const tacReal* x, int n) {
    // 0 times infinity and NaN is NaN, which the sum keeps
    double sum[4] = {0.0};
    int i = 0;
    for (; x && i + 4 <= n; i += 4)
        for (int k = 0; k < 4; ++k) sum[k] += 0.0 * tac_re(x[i + k]);
    for (; x && i < n; ++i) sum[0] += 0.0 * tac_re(x[i]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0;
}

tacResult tac_input_check(const tacModel* model, tacDynamicsInput x, const tacScratch* scratch) {
    if (!model || !scratch || (model->nq > 0 && !x.qpos)) return TAC_ERROR_VALUE;
    int finite = tac_all_finite(x.qpos, model->nq) && tac_all_finite(x.qvel, model->nv) &&
                 tac_all_finite(x.qacc, model->nv) && tac_all_finite(x.wrench, 6 * model->nbody);
    return finite ? TAC_OK : TAC_ERROR_VALUE;
}

tacMotion tac_motion_at(const tacModel* model, tacDynamicsInput x, tacArena* arena) {
    tacMotion m = tac_motion_alloc(model, 1, arena);
    m.qpos = x.qpos;
    m.qvel = x.qvel;
    m.qacc = x.qacc;
    m.wrench = x.wrench;
    if (!m.qvel) m.qvel = tac_alloc_zero(arena, model->nv);
    return m;
}

void tac_dynamics_measure(const tacModel* model, tacArena* dry) {
    size_t mark = dry->used;
    tac_forward_dynamics_diff_measure(model, dry);
    dry->used = mark;
    tac_rows_measure(model, dry);
    dry->used = mark;
}

// copies a result out if it is finite
static tacResult write_result(const tacReal* result, int n, tacReal* out) {
    if (tac_missing(out, n)) return TAC_ERROR_VALUE;
    if (!tac_all_finite(result, n)) return TAC_ERROR_DIVERGED;
    if (n > 0) memcpy(out, result, sizeof *out * (size_t)n);
    return TAC_OK;
}

//---------------------------------- motion ---------------------------------------

static tacVec3 tree_origin(const tacMotion* m, int body) { return tac_load3(m->origin + 3 * body); }

static void store_twist(const tacMotion* m, int body, tacReal* out) {
    tacTwist t = tac_twist_load(m->vel + 6 * body);
    tac_twist_store(out, tac_twist_shift(t, tree_origin(m, body), tac_load3(m->pos + 3 * body)));
}

tacResult tac_kinematics(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                         tacPose* pose, tacReal* twist, tacScratch* scratch) {
    tacDynamicsInput x = {.qpos = qpos, .qvel = qvel};
    tacResult result = tac_input_check(model, x, scratch);
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacMotion m = tac_motion_at(model, x, &scratch->arena);
    tacReal* tau = TAC_ALLOC(&scratch->arena, tacReal, model->nv);
    SINGLE->kinematics(model, &m);
    if (twist) SINGLE->inverse(model, &m, tau);
    if (!tac_all_finite(m.pos, 3 * model->nbody) || !tac_all_finite(m.quat, 4 * model->nbody) ||
        (twist && !tac_all_finite(m.vel, 6 * model->nbody)))
        result = TAC_ERROR_DIVERGED;
    for (int b = 0; b < model->nbody && result == TAC_OK; ++b) {
        if (pose) pose[b] = (tacPose){tac_load3(m.pos + 3 * b), tac_quat_load(m.quat + 4 * b)};
        if (twist) store_twist(&m, b, twist + 6 * b);
    }
    scratch->arena.used = mark;
    return result;
}

tacResult tac_body_jacobian(const tacModel* model, const tacReal* qpos, int body,
                            const tacReal point[3], tacReal* J, tacScratch* scratch) {
    tacDynamicsInput x = {.qpos = qpos};
    tacResult result = tac_input_check(model, x, scratch);
    if (result == TAC_OK && (body < 0 || body >= model->nbody || !point ||
                             !tac_all_finite(point, 3) || tac_missing(J, model->nv)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    int nv = model->nv;
    tacMotion m = tac_motion_at(model, x, &scratch->arena);
    SINGLE->kinematics(model, &m);
    if (!tac_all_finite(m.S, 6 * nv)) result = TAC_ERROR_DIVERGED;
    if (result == TAC_OK) memset(J, 0, sizeof *J * (size_t)(6 * nv));
    for (int k = tac_last_dof(model, body); k >= 0 && result == TAC_OK; k = model->dof[k].parent) {
        tacReal column[6];
        tacTwist S = tac_twist_load(m.S + 6 * k);
        tac_twist_store(column, tac_twist_shift(S, tree_origin(&m, body), tac_load3(point)));
        for (int i = 0; i < 6; ++i) J[i * nv + k] = column[i];
    }
    scratch->arena.used = mark;
    return result;
}

tacResult tac_mass_matrix(const tacModel* model, const tacReal* qpos, tacReal* M,
                          tacScratch* scratch) {
    tacDynamicsInput x = {.qpos = qpos};
    tacResult result = tac_input_check(model, x, scratch);
    if (result == TAC_OK && tac_missing(M, model->nv)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used, nv = (size_t)model->nv;
    tacMotion m = tac_motion_at(model, x, &scratch->arena);
    tacReal* tau = TAC_ALLOC(&scratch->arena, tacReal, model->nv);
    SINGLE->kinematics(model, &m);
    SINGLE->inverse(model, &m, tau);
    SINGLE->mass(model, &m, NULL);
    if (!tac_all_finite(m.M, model->nM)) result = TAC_ERROR_DIVERGED;
    if (result == TAC_OK) memset(M, 0, sizeof *M * nv * nv);
    for (int k = 0; k < model->nv && result == TAC_OK; ++k) {
        const tacReal* row = m.M + model->dof[k].row;
        for (int j = k; j >= 0; j = model->dof[j].parent, ++row)
            M[(size_t)k * nv + (size_t)j] = M[(size_t)j * nv + (size_t)k] = *row;
    }
    scratch->arena.used = mark;
    return result;
}

//---------------------------------- energy and momentum --------------------------

// mass, and centre of mass from the world's origin
static tacVec3 body_com(const tacModel* model, const tacMotion* m, int body) {
    tacPose pose = {tac_load3(m->pos + 3 * body), tac_quat_load(m->quat + 4 * body)};
    return tac_pose_apply(pose, tac_load3(model->param + model->body[body].com));
}

// momentum of a body about its tree's origin, from its ten inertia numbers and its twist
static tacWrench body_momentum(const tacMotion* m, int body) {
    const tacReal* I = m->inertia + 10 * body;
    tacTwist t = tac_twist_load(m->vel + 6 * body);
    tacVec3 h = tac_load3(I + 1);
    tacMat3 J = tac_sym_to_mat(I + 4);
    tacVec3 p = tac_add(tac_scale(t.linear, I[0]), tac_cross(t.angular, h));
    return (tacWrench){p, tac_add(tac_mat_mul_vec(J, t.angular), tac_cross(h, t.linear))};
}

static tacReal spring_energy(const tacModel* model, const tacMotion* m, const tacJoint* j) {
    tacReal sum = 0.0, k = model->param[j->stiffness];
    const double* rest = model->qpos_spring + j->qpos;
    const tacReal* q = m->qpos + j->qpos;
    if (j->axis >= 0) {
        tacReal d = q[0] - model->param[j->springref];
        return 0.5 * k * d * d;
    }
    if (k == 0.0) return 0.0;
    for (int i = 0; i < 3 && j->kind == TAC_JOINT_FREE; ++i, ++q, ++rest)
        sum += (q[0] - rest[0]) * (q[0] - rest[0]);
    tacQuat from = {rest[0], rest[1], rest[2], rest[3]};
    tacVec3 w = tac_quat_difference(from, tac_quat_load(q));
    return 0.5 * k * (sum + tac_norm2(w));
}

static tacReal tendon_energy(const tacModel* model, const tacMotion* m, const tacTendon* t) {
    tacReal length = 0.0;
    for (int i = 0; i < t->count; ++i)
        length += model->param[t->coef + i] *
                  m->qpos[model->joint[model->tendonjoint[t->first + i]].qpos];
    tacReal low = length - model->param[t->springlength];
    tacReal high = length - model->param[t->springlength + 1];
    // the same side as the forces, also where both lengths are equal
    tacReal d = !r_is_negative(high) ? high : r_is_negative(low) ? low : (tacReal)0.0;
    return 0.5 * model->param[t->stiffness] * d * d;
}

static void sum_energy(const tacModel* model, const tacMotion* m, tacReal energy[2]) {
    energy[0] = energy[1] = 0.0;
    tacVec3 gravity = tac_load3(model->param + model->gravity);
    int pulls = !(model->disable & TAC_DISABLE_GRAVITY);
    for (int b = 1; b < model->nbody; ++b) {
        tacTwist t = tac_twist_load(m->vel + 6 * b);
        energy[0] += 0.5 * tac_power(t, body_momentum(m, b));
        if (pulls)
            energy[1] -=
                model->param[model->body[b].mass] * tac_dot(gravity, body_com(model, m, b));
    }
    for (int k = 0; k < model->nv; ++k) {
        tacReal armature = model->param[model->joint[model->dof[k].joint].armature];
        energy[0] += 0.5 * armature * m->qvel[k] * m->qvel[k];
    }
    for (int j = 0; j < model->njoint && !(model->disable & TAC_DISABLE_PASSIVE); ++j)
        energy[1] += spring_energy(model, m, &model->joint[j]);
    for (int i = 0; i < model->ntendon && !(model->disable & TAC_DISABLE_PASSIVE); ++i)
        energy[1] += tendon_energy(model, m, &model->tendon[i]);
}

static void sum_momentum(const tacModel* model, const tacMotion* m, tacReal momentum[6]) {
    tacWrench sum = tac_wrench_zero();
    for (int b = 1; b < model->nbody; ++b) {
        tacWrench p = body_momentum(m, b);
        sum = tac_wrench_add(sum, tac_wrench_shift(p, tree_origin(m, b), tac_vec3_zero()));
    }
    tac_wrench_store(momentum, sum);
}

static tacResult eval_sum(const tacModel* model, tacDynamicsInput x, int n, tacReal* out,
                          void (*sum)(const tacModel*, const tacMotion*, tacReal*),
                          tacScratch* scratch) {
    tacResult result = tac_input_check(model, x, scratch);
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacReal total[6];
    tacMotion m = tac_motion_at(model, x, &scratch->arena);
    tacReal* tau = TAC_ALLOC(&scratch->arena, tacReal, model->nv);
    SINGLE->kinematics(model, &m);
    SINGLE->inverse(model, &m, tau);
    sum(model, &m, total);
    scratch->arena.used = mark;
    return write_result(total, n, out);
}

tacResult tac_energy(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                     tacReal energy[2], tacScratch* scratch) {
    tacDynamicsInput x = {.qpos = qpos, .qvel = qvel};
    return eval_sum(model, x, 2, energy, sum_energy, scratch);
}

tacResult tac_momentum(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                       tacReal momentum[6], tacScratch* scratch) {
    tacDynamicsInput x = {.qpos = qpos, .qvel = qvel};
    return eval_sum(model, x, 6, momentum, sum_momentum, scratch);
}

//---------------------------------- forces ---------------------------------------

// tau += J' w of the external forces on bodies
static void add_external_forces(const tacModel* model, tacMotion* m, tacReal* unused,
                                tacReal* tau) {
    m->has_external_forces = 1;
    SINGLE->kinematics(model, m);
    SINGLE->inverse(model, m, unused);
    for (int k = 0; k < model->nv; ++k)
        for (int i = 0; i < 6; ++i) tau[k] += m->S[6 * k + i] * m->load[6 * model->dof[k].body + i];
}

tacResult tac_joint_forces(const tacModel* model, const tacState* x, const tacReal* ctrl,
                           tacReal* tau, tacScratch* scratch) {
    if (!model || !x || tac_missing(tau, model->nv)) return TAC_ERROR_VALUE;
    tacDynamicsInput at = {.qpos = x->qpos, .qvel = x->qvel};
    tacResult result = tac_input_check(model, at, scratch);
    if (result == TAC_OK && ((model->nu > 0 && !ctrl) || !tac_all_finite(ctrl, model->nu) ||
                             (model->na > 0 && !x->act) || !tac_all_finite(x->act, model->na)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacMotion m = tac_motion_at(model, at, &scratch->arena);
    tacReal* own = TAC_ALLOC(&scratch->arena, tacReal, model->nv);
    m.ctrl = ctrl;
    m.act = x->act;
    SINGLE->applied(model, &m, own);
    if (model->has_external_forces && !(model->disable & TAC_DISABLE_PASSIVE))
        add_external_forces(model, &m, TAC_ALLOC(&scratch->arena, tacReal, model->nv), own);
    result = write_result(own, model->nv, tau);
    scratch->arena.used = mark;
    return result;
}

tacResult tac_inverse_dynamics(const tacModel* model, tacDynamicsInput x, tacReal* tau,
                               tacScratch* scratch) {
    tacResult result = tac_input_check(model, x, scratch);
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacMotion m = tac_motion_at(model, x, &scratch->arena);
    tacReal* own = TAC_ALLOC(&scratch->arena, tacReal, model->nv);
    SINGLE->kinematics(model, &m);
    SINGLE->inverse(model, &m, own);
    result = write_result(own, model->nv, tau);
    scratch->arena.used = mark;
    return result;
}

tacResult tac_forward_dynamics(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                               tacReal* qacc, tacScratch* scratch) {
    x.qacc = NULL;
    tacResult result = tac_input_check(model, x, scratch);
    if (result == TAC_OK && !tac_all_finite(tau, model->nv)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacMotion m = tac_motion_at(model, x, &scratch->arena);
    tacReal* own = TAC_ALLOC(&scratch->arena, tacReal, model->nv);
    SINGLE->kinematics(model, &m);
    SINGLE->inverse(model, &m, own);
    SINGLE->mass(model, &m, NULL);
    SINGLE->factor(model, &m);
    for (int k = 0; k < model->nv; ++k) own[k] = (tau ? tau[k] : (tacReal)0.0) - own[k];
    SINGLE->solve(model, &m, own);
    result = write_result(own, model->nv, qacc);
    scratch->arena.used = mark;
    return result;
}
