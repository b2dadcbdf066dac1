// Derivatives of springs and dampers.

#ifndef TAC_DYNAMICS_KERNELS_PASSIVE_DIFF_INL
#define TAC_DYNAMICS_KERNELS_PASSIVE_DIFF_INL

#include "dynamics/kernels/applied.inl"

TAC_INLINE wide theta_at(const tacMotionDot* dot, int offset) {
    return dot->theta ? w_get(dot->theta, offset) : w_set(0.0);
}
TAC_INLINE wide lane_or_zero(const tacReal* p, int i) { return p ? w_get(p, i) : w_set(0.0); }
TAC_INLINE void add_to(tacReal* p, int i, wide x) {
    if (p) w_add(p, i, x);
}
TAC_INLINE lane3 load3_or_zero(const tacReal* p, int i) {
    return p ? (lane3){w_get(p, i), w_get(p, i + 1), w_get(p, i + 2)} : zero3();
}
TAC_INLINE void accumulate3_if(tacReal* p, int i, lane3 a) {
    if (p) accumulate3(p, i, a);
}

// how many of a joint's velocities are lengths or angles of one axis
TAC_INLINE int straight_dofs(const tacJoint* j) {
    return j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
}

//---------------------------------- springs of rotations -------------------------

// w = log(rest^-1 q): dw = J_r(w)^-1 dq, and its transpose
static lane3 rotation_angle_diff(lane3 angle, lane3 d, int transposed) {
    tacReal w[3 * TAC_LANES], x[3 * TAC_LANES];
    put3(w, 0, angle);
    put3(x, 0, d);
    for (int i = 0; i < TAC_LANES; ++i) {
        tacVec3 a = {w[i], w[TAC_LANES + i], w[2 * TAC_LANES + i]};
        tacVec3 b = {x[i], x[TAC_LANES + i], x[2 * TAC_LANES + i]};
        tacMat3 left = tac_so3_left_jacobian_inverse(a);
        tacVec3 y = transposed ? tac_mat_mul_vec(left, b) : tac_mat_tmul_vec(left, b);
        x[i] = y.x;
        x[TAC_LANES + i] = y.y;
        x[2 * TAC_LANES + i] = y.z;
    }
    return get3(x, 0);
}

static void rotation_spring_jvp(const tacModel* model, const tacMotion* m, const tacJoint* j,
                                const tacMotionDot* dot, tacReal* tau_dot) {
    int shift = straight_dofs(j);
    lane3 angle, d;
    spring_angle(model, m, j->qpos + shift, &angle);
    d = rotation_angle_diff(angle, load3_or_zero(dot->dq, j->dof + shift), 0);
    d = scale3(d, w_set(model->param[j->stiffness]));
    d = fma3(angle, theta_at(dot, j->stiffness), d);
    accumulate3(tau_dot, j->dof + shift, neg3(d));
}

static void rotation_spring_vjp(const tacModel* model, const tacMotion* m, const tacJoint* j,
                                const tacReal* tau_bar, tacMotionDot* bar) {
    int shift = straight_dofs(j);
    lane3 angle, t = neg3(load3_or_zero(tau_bar, j->dof + shift));
    spring_angle(model, m, j->qpos + shift, &angle);
    add_to(bar->theta, j->stiffness, dot3(angle, t));
    t = rotation_angle_diff(angle, scale3(t, w_set(model->param[j->stiffness])), 1);
    accumulate3_if(bar->dq, j->dof + shift, t);
}

//---------------------------------- joints ---------------------------------------

static void joint_jvp(const tacModel* model, const tacMotion* m, const tacJoint* j,
                      const tacMotionDot* dot, tacReal* tau_dot) {
    wide k = w_set(model->param[j->stiffness]), d = w_set(model->param[j->damping]);
    int straight = straight_dofs(j);
    for (int i = 0; i < dof_count(j->kind); ++i) {
        wide t = theta_at(dot, j->damping) * w_get(m->qvel, j->dof + i);
        t = w_fma(d, lane_or_zero(dot->dv, j->dof + i), t);
        if (i < straight) {
            wide moved = lane_or_zero(dot->dq, j->dof + i);
            if (j->axis >= 0) moved = moved - theta_at(dot, j->springref);
            t = w_fma(k, moved,
                      w_fma(theta_at(dot, j->stiffness), spring_deflection(model, m, j, i), t));
        }
        w_put(tau_dot, j->dof + i, -t);
    }
    if (j->axis < 0 && (model->param[j->stiffness] != 0.0 || dot->theta))
        rotation_spring_jvp(model, m, j, dot, tau_dot);
}

static void joint_vjp(const tacModel* model, const tacMotion* m, const tacJoint* j,
                      const tacReal* tau_bar, tacMotionDot* bar) {
    wide k = w_set(model->param[j->stiffness]), d = w_set(model->param[j->damping]);
    int straight = straight_dofs(j);
    for (int i = 0; i < dof_count(j->kind); ++i) {
        wide t = -w_get(tau_bar, j->dof + i);
        add_to(bar->dv, j->dof + i, d * t);
        add_to(bar->theta, j->damping, t * w_get(m->qvel, j->dof + i));
        if (i >= straight) continue;
        add_to(bar->dq, j->dof + i, k * t);
        add_to(bar->theta, j->stiffness, t * spring_deflection(model, m, j, i));
        if (j->axis >= 0) add_to(bar->theta, j->springref, -(k * t));
    }
    if (j->axis < 0 && (model->param[j->stiffness] != 0.0 || bar->theta))
        rotation_spring_vjp(model, m, j, tau_bar, bar);
}

//---------------------------------- tendons --------------------------------------

// of sum_length and sum_along by positions, and by coefficients where x is qpos or qvel
TAC_INLINE wide sum_length_jvp(const tacModel* model, const tacMotion* m, jointSum s,
                               const tacMotionDot* dot) {
    wide d = dot->dq ? sum_along(model, s, dot->dq) : w_set(0.0);
    for (int i = 0; i < s.count && s.coef >= 0 && dot->theta; ++i)
        d = w_fma(w_get(dot->theta, s.coef + i), w_get(m->qpos, model->joint[s.joint[i]].qpos), d);
    return d;
}
TAC_INLINE wide sum_along_jvp(const tacModel* model, const tacMotion* m, jointSum s,
                              const tacMotionDot* dot) {
    wide d = dot->dv ? sum_along(model, s, dot->dv) : w_set(0.0);
    for (int i = 0; i < s.count && s.coef >= 0 && dot->theta; ++i)
        d = w_fma(w_get(dot->theta, s.coef + i), w_get(m->qvel, sum_dof(model, s, i)), d);
    return d;
}
TAC_INLINE void sum_apply_jvp(const tacModel* model, jointSum s, wide f, wide f_dot,
                              const tacMotionDot* dot, tacReal* tau_dot) {
    sum_apply(model, s, f_dot, tau_dot);
    for (int i = 0; i < s.count && s.coef >= 0 && dot->theta; ++i)
        w_add(tau_dot, sum_dof(model, s, i), w_get(dot->theta, s.coef + i) * f);
}

// adjoints of length, velocity, and of the force that was applied
TAC_INLINE void sum_vjp(const tacModel* model, const tacMotion* m, jointSum s, wide length_bar,
                        wide velocity_bar, wide f, const tacReal* tau_bar, tacMotionDot* bar) {
    for (int i = 0; i < s.count; ++i) {
        wide c = coef_of(model, s, i);
        int k = sum_dof(model, s, i);
        add_to(bar->dq, k, c * length_bar);
        add_to(bar->dv, k, c * velocity_bar);
        if (s.coef < 0 || !bar->theta) continue;
        wide q = w_get(m->qpos, model->joint[s.joint[i]].qpos), v = w_get(m->qvel, k);
        w_add(bar->theta, s.coef + i,
              w_fma(q, length_bar, w_fma(v, velocity_bar, f * w_get(tau_bar, k))));
    }
}

// 1 where the spring pulls at its upper, or pushes at its lower length
TAC_INLINE void spring_side(const tacModel* model, const tacTendon* t, wide length, wide* low,
                            wide* high) {
    const wide one = w_set(1.0), none = w_set(0.0);
    *high = w_select_ge0(length - w_set(model->param[t->springlength + 1]), one, none);
    *low = w_select_ge0(length - w_set(model->param[t->springlength]), none, one - *high);
}

static void tendon_jvp(const tacModel* model, const tacMotion* m, const tacTendon* t,
                       const tacMotionDot* dot, tacReal* tau_dot) {
    jointSum s = sum_of_tendon(model, t);
    wide k = w_set(model->param[t->stiffness]), d = w_set(model->param[t->damping]), low, high;
    wide length = sum_length(model, s, m->qpos), velocity = sum_along(model, s, m->qvel);
    wide x = tendon_deflection(model, t, length), f = w_fma(k, x, d * velocity);
    spring_side(model, t, length, &low, &high);
    wide moved = (low + high) * sum_length_jvp(model, m, s, dot);
    moved = moved - low * theta_at(dot, t->springlength);
    moved = moved - high * theta_at(dot, t->springlength + 1);
    wide f_dot = w_fma(k, moved, d * sum_along_jvp(model, m, s, dot));
    f_dot = w_fma(theta_at(dot, t->stiffness), x, f_dot);
    f_dot = w_fma(theta_at(dot, t->damping), velocity, f_dot);
    sum_apply_jvp(model, s, -f, -f_dot, dot, tau_dot);
}

static void tendon_vjp(const tacModel* model, const tacMotion* m, const tacTendon* t,
                       const tacReal* tau_bar, tacMotionDot* bar) {
    jointSum s = sum_of_tendon(model, t);
    wide k = w_set(model->param[t->stiffness]), d = w_set(model->param[t->damping]), low, high;
    wide length = sum_length(model, s, m->qpos), velocity = sum_along(model, s, m->qvel);
    wide x = tendon_deflection(model, t, length), f = w_fma(k, x, d * velocity);
    wide f_bar = -sum_along(model, s, tau_bar), x_bar = k * f_bar;
    spring_side(model, t, length, &low, &high);
    add_to(bar->theta, t->stiffness, x * f_bar);
    add_to(bar->theta, t->damping, velocity * f_bar);
    add_to(bar->theta, t->springlength, -(low * x_bar));
    add_to(bar->theta, t->springlength + 1, -(high * x_bar));
    sum_vjp(model, m, s, (low + high) * x_bar, d * f_bar, -f, tau_bar, bar);
}

//---------------------------------- Jacobians ------------------------------------

TAC_INLINE void add_at(tacReal* X, int stride, int row, int column, wide x) {
    if (X) w_add(X, (size_t)row * (size_t)stride + (size_t)column, x);
}

static void rotation_spring_jacobian(const tacModel* model, const tacMotion* m, const tacJoint* j,
                                     tacAppliedJacobian J) {
    int first = j->dof + straight_dofs(j);
    const wide one = w_set(1.0), none = w_set(0.0);
    const lane3 unit[3] = {{one, none, none}, {none, one, none}, {none, none, one}};
    lane3 angle;
    spring_angle(model, m, j->qpos + straight_dofs(j), &angle);
    for (int c = 0; c < 3; ++c) {
        lane3 d =
            scale3(rotation_angle_diff(angle, unit[c], 0), w_set(-model->param[j->stiffness]));
        add_at(J.by_q, J.stride, first, first + c, d.x);
        add_at(J.by_q, J.stride, first + 1, first + c, d.y);
        add_at(J.by_q, J.stride, first + 2, first + c, d.z);
    }
}

static void joint_jacobian(const tacModel* model, const tacMotion* m, const tacJoint* j,
                           tacAppliedJacobian J) {
    tacReal stiffness = model->param[j->stiffness], damping = model->param[j->damping];
    for (int k = j->dof; k < j->dof + dof_count(j->kind); ++k) {
        add_at(J.by_v, J.stride, k, k, w_set(-damping));
        if (k < j->dof + straight_dofs(j)) add_at(J.by_q, J.stride, k, k, w_set(-stiffness));
    }
    if (j->axis < 0 && stiffness != 0.0) rotation_spring_jacobian(model, m, j, J);
}

// tau += coef coef' x
TAC_INLINE void sum_outer(const tacModel* model, jointSum s, wide x, tacReal* X, int stride) {
    for (int r = 0; r < s.count; ++r)
        for (int c = 0; c < s.count; ++c)
            add_at(X, stride, sum_dof(model, s, r), sum_dof(model, s, c),
                   coef_of(model, s, r) * coef_of(model, s, c) * x);
}

static void tendon_jacobian(const tacModel* model, const tacMotion* m, const tacTendon* t,
                            tacAppliedJacobian J) {
    jointSum s = sum_of_tendon(model, t);
    wide low, high;
    spring_side(model, t, sum_length(model, s, m->qpos), &low, &high);
    sum_outer(model, s, (low + high) * w_set(-model->param[t->stiffness]), J.by_q, J.stride);
    sum_outer(model, s, w_set(-model->param[t->damping]), J.by_v, J.stride);
}

#endif
