// Springs and dampers of joints and tendons, and lengths of tendons.

#ifndef TAC_DYNAMICS_KERNELS_PASSIVE_INL
#define TAC_DYNAMICS_KERNELS_PASSIVE_INL

#include "dynamics/kernels/inverse_dynamics.inl"
#include "math/quat.h"

//---------------------------------- joints ---------------------------------------

// rotation vectors, body axes, from `rest` to the rotation in qpos; lane by lane
static void rotation_angle(const tacMotion* m, int qpos, const double* rest, lane3* out) {
    tacReal angle[3 * TAC_LANES];
    tacQuat from = {rest[0], rest[1], rest[2], rest[3]};
    for (int lane = 0; lane < TAC_LANES; ++lane) {
        tacReal q[4];
        for (int k = 0; k < 4; ++k) q[k] = w_at(m->qpos, qpos + k)[lane];
        tacVec3 w = tac_quat_difference(from, tac_quat_load(q));
        angle[lane] = w.x;
        angle[TAC_LANES + lane] = w.y;
        angle[2 * TAC_LANES + lane] = w.z;
    }
    *out = get3(angle, 0);
}

static void spring_angle(const tacModel* model, const tacMotion* m, int qpos, lane3* out) {
    rotation_angle(m, qpos, model->qpos_spring + qpos, out);
}

// displacement of a joint's spring along its degree of freedom k of `count`
static wide spring_deflection(const tacModel* model, const tacMotion* m, const tacJoint* j, int k) {
    if (j->axis >= 0) return w_get(m->qpos, j->qpos) - w_set(model->param[j->springref]);
    if (j->kind == TAC_JOINT_FREE && k < 3)
        return w_get(m->qpos, j->qpos + k) - w_set(model->qpos_spring[j->qpos + k]);
    lane3 angle;
    spring_angle(model, m, j->qpos + (j->kind == TAC_JOINT_FREE ? 3 : 0), &angle);
    k %= 3;
    return k == 0 ? angle.x : k == 1 ? angle.y : angle.z;
}

TAC_INLINE void joint_passive(const tacModel* model, const tacMotion* m, tacReal* tau) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        tacReal stiffness = model->param[j->stiffness], damping = model->param[j->damping];
        for (int k = 0; k < dof_count(j->kind); ++k) {
            wide t = -(w_set(damping) * w_get(m->qvel, j->dof + k));
            if (stiffness != 0.0)
                t = w_fma(w_set(-stiffness), spring_deflection(model, m, j, k), t);
            w_put(tau, j->dof + k, t);
        }
    }
}

//---------------------------------- tendons --------------------------------------

// A sum over hinges and slides, each times its coefficient: a tendon, or one joint times 1.
typedef struct jointSum {
    const int* joint;
    int count, coef; // offset of the coefficients, -1: they are 1
} jointSum;

TAC_INLINE jointSum sum_of_tendon(const tacModel* model, const tacTendon* t) {
    return (jointSum){model->tendonjoint + t->first, t->count, t->coef};
}
TAC_INLINE wide coef_of(const tacModel* model, jointSum s, int i) {
    return w_set(s.coef < 0 ? (tacReal)1.0 : model->param[s.coef + i]);
}
TAC_INLINE int sum_dof(const tacModel* model, jointSum s, int i) {
    return model->joint[s.joint[i]].dof;
}

// sum of coef qpos, and of coef x for x with a number per degree of freedom
TAC_INLINE wide sum_length(const tacModel* model, jointSum s, const tacReal* qpos) {
    wide length = w_set(0.0);
    for (int i = 0; i < s.count; ++i)
        length = w_fma(coef_of(model, s, i), w_get(qpos, model->joint[s.joint[i]].qpos), length);
    return length;
}
TAC_INLINE wide sum_along(const tacModel* model, jointSum s, const tacReal* x) {
    wide sum = w_set(0.0);
    for (int i = 0; i < s.count; ++i)
        sum = w_fma(coef_of(model, s, i), w_get(x, sum_dof(model, s, i)), sum);
    return sum;
}
// tau += coef f
TAC_INLINE void sum_apply(const tacModel* model, jointSum s, wide f, tacReal* tau) {
    for (int i = 0; i < s.count; ++i) w_add(tau, sum_dof(model, s, i), coef_of(model, s, i) * f);
}

// how far the tendon is beyond the lengths at which its spring is slack
TAC_INLINE wide tendon_deflection(const tacModel* model, const tacTendon* t, wide length) {
    wide low = length - w_set(model->param[t->springlength]);
    wide high = length - w_set(model->param[t->springlength + 1]);
    return w_select_ge0(high, high, w_select_ge0(low, w_set(0.0), low));
}

static void tendon_passive(const tacModel* model, const tacMotion* m, tacReal* tau) {
    for (int i = 0; i < model->ntendon; ++i) {
        const tacTendon* t = &model->tendon[i];
        jointSum s = sum_of_tendon(model, t);
        wide x = tendon_deflection(model, t, sum_length(model, s, m->qpos));
        wide f = w_set(model->param[t->damping]) * sum_along(model, s, m->qvel);
        f = w_fma(w_set(model->param[t->stiffness]), x, f);
        sum_apply(model, s, -f, tau);
    }
}

static void passive(const tacModel* model, const tacMotion* m, tacReal* tau) {
    joint_passive(model, m, tau);
    tendon_passive(model, m, tau);
}

#endif
