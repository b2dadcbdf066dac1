// The configuration space: positions moved along velocities, and the velocity between positions.
//
//   next = qpos + h qvel,  qvel = (to - from)/h,  joint by joint, with q exp(h w) for rotations
//
// Tangents of a rotation are in body axes, as qvel is, so no derivative depends on qpos.
// docs/dynamics.md.

#include "dynamics/dynamics.h"

#include "math/quat.h"

// how many of a joint's velocities are translations or angles about one axis; a rotation follows
// the translations of a free joint, and is all of a ball
static int count_scalars(const tacJoint* j) {
    return j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
}

static int is_finite(const tacReal* x, int n) { return !tac_missing(x, n) && tac_all_finite(x, n); }

// element i of an array that may be NULL: zero
static tacReal get(const tacReal* x, int i) { return x ? x[i] : (tacReal)0.0; }

static tacVec3 get3(const tacReal* x, int i) { return x ? tac_load3(x + i) : tac_vec3_zero(); }

static void add3(tacReal* x, int i, tacVec3 a) {
    if (x) tac_store3(x + i, tac_add(tac_load3(x + i), a));
}

//---------------------------------- integrate ------------------------------------

// does qpos + h qvel stay finite, and the square of every rotation vector?
static int stays_finite(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                        tacReal h) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int n = count_scalars(j);
        for (int k = 0; k < n; ++k) {
            tacReal q = qpos[j->qpos + k] + h * qvel[j->dof + k];
            if (!tac_all_finite(&q, 1)) return 0;
        }
        if (j->axis >= 0) continue;
        tacReal square = tac_norm2(tac_scale(tac_load3(qvel + j->dof + n), h));
        if (!tac_all_finite(&square, 1)) return 0;
    }
    return 1;
}

tacResult tac_integrate_pos(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                            tacReal h, tacReal* next) {
    if (!model || !is_finite(qpos, model->nq) || !is_finite(qvel, model->nv) ||
        !tac_all_finite(&h, 1) || tac_missing(next, model->nq))
        return TAC_ERROR_VALUE;
    if (!stays_finite(model, qpos, qvel, h)) return TAC_ERROR_DIVERGED;
    TAC_DISPATCH(tac_dynamics_single_)->integrate(model, qpos, qvel, h, next);
    return TAC_OK;
}

tacResult tac_integrate_pos_jvp(const tacModel* model, const tacReal* qvel, tacReal h,
                                const tacReal* dq, const tacReal* qvel_dot, tacReal* next_dot) {
    if (!model || !is_finite(qvel, model->nv) || !tac_all_finite(&h, 1) ||
        !tac_all_finite(dq, model->nv) || !tac_all_finite(qvel_dot, model->nv) ||
        tac_missing(next_dot, model->nv))
        return TAC_ERROR_VALUE;
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int k = j->dof;
        for (int end = k + count_scalars(j); k < end; ++k)
            next_dot[k] = get(dq, k) + h * get(qvel_dot, k);
        if (j->axis >= 0) continue;
        tacVec3 w = tac_scale(tac_load3(qvel + k), h);
        tacVec3 w_dot = tac_scale(get3(qvel_dot, k), h);
        tac_store3(next_dot + k, tac_quat_integrate_jvp(w, get3(dq, k), w_dot));
    }
    return TAC_OK;
}

tacResult tac_integrate_pos_vjp(const tacModel* model, const tacReal* qvel, tacReal h,
                                const tacReal* next_bar, tacReal* dq_bar, tacReal* qvel_bar) {
    if (!model || !is_finite(qvel, model->nv) || !tac_all_finite(&h, 1) ||
        !tac_all_finite(next_bar, model->nv))
        return TAC_ERROR_VALUE;
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int k = j->dof;
        for (int end = k + count_scalars(j); k < end; ++k) {
            if (dq_bar) dq_bar[k] += get(next_bar, k);
            if (qvel_bar) qvel_bar[k] += h * get(next_bar, k);
        }
        if (j->axis >= 0) continue;
        tacVec3 q_bar = tac_vec3_zero(), w_bar = tac_vec3_zero();
        tacVec3 w = tac_scale(tac_load3(qvel + k), h);
        tac_quat_integrate_vjp(w, get3(next_bar, k), &q_bar, &w_bar);
        add3(dq_bar, k, q_bar);
        add3(qvel_bar, k, tac_scale(w_bar, h));
    }
    return TAC_OK;
}

//---------------------------------- differentiate --------------------------------

static int is_step(tacReal h) { return tac_all_finite(&h, 1) && tac_re(h) != 0.0; }

tacResult tac_differentiate_pos(const tacModel* model, const tacReal* from, const tacReal* to,
                                tacReal h, tacReal* qvel) {
    if (!model || !is_finite(from, model->nq) || !is_finite(to, model->nq) || !is_step(h) ||
        tac_missing(qvel, model->nv))
        return TAC_ERROR_VALUE;
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int q = j->qpos, k = j->dof;
        for (int end = k + count_scalars(j); k < end; ++k, ++q) qvel[k] = (to[q] - from[q]) / h;
        if (j->axis >= 0) continue;
        tacVec3 w = tac_quat_difference(tac_quat_load(from + q), tac_quat_load(to + q));
        tac_store3(qvel + k, tac_scale(w, 1.0 / h));
    }
    return TAC_OK;
}

tacResult tac_differentiate_pos_jvp(const tacModel* model, const tacReal* qvel, tacReal h,
                                    const tacReal* from_dot, const tacReal* to_dot,
                                    tacReal* qvel_dot) {
    if (!model || !is_finite(qvel, model->nv) || !is_step(h) ||
        !tac_all_finite(from_dot, model->nv) || !tac_all_finite(to_dot, model->nv) ||
        tac_missing(qvel_dot, model->nv))
        return TAC_ERROR_VALUE;
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int k = j->dof;
        for (int end = k + count_scalars(j); k < end; ++k)
            qvel_dot[k] = (get(to_dot, k) - get(from_dot, k)) / h;
        if (j->axis >= 0) continue;
        tacVec3 w = tac_scale(tac_load3(qvel + k), h);
        tacVec3 w_dot = tac_quat_difference_jvp(w, get3(from_dot, k), get3(to_dot, k));
        tac_store3(qvel_dot + k, tac_scale(w_dot, 1.0 / h));
    }
    return TAC_OK;
}

tacResult tac_differentiate_pos_vjp(const tacModel* model, const tacReal* qvel, tacReal h,
                                    const tacReal* qvel_bar, tacReal* from_bar, tacReal* to_bar) {
    if (!model || !is_finite(qvel, model->nv) || !is_step(h) ||
        !tac_all_finite(qvel_bar, model->nv))
        return TAC_ERROR_VALUE;
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int k = j->dof;
        for (int end = k + count_scalars(j); k < end; ++k) {
            if (from_bar) from_bar[k] -= get(qvel_bar, k) / h;
            if (to_bar) to_bar[k] += get(qvel_bar, k) / h;
        }
        if (j->axis >= 0) continue;
        tacVec3 start_bar = tac_vec3_zero(), end_bar = tac_vec3_zero();
        tacVec3 w = tac_scale(tac_load3(qvel + k), h);
        tac_quat_difference_vjp(w, tac_scale(get3(qvel_bar, k), 1.0 / h), &start_bar, &end_bar);
        add3(from_bar, k, start_bar);
        add3(to_bar, k, end_bar);
    }
    return TAC_OK;
}
