// Rigid-body inertia and its derivatives.

#include "math/spatial.h"

// |d|^2 - d d': inertia of a unit point mass at d
static tacMat3 point_inertia(tacVec3 d) {
    tacReal n = tac_norm2(d);
    return tac_mat_add_scaled(tac_mat_diagonal(n, n, n), -1.0, tac_outer(d, d));
}

//---------------------------------- momentum ----------------------------------

tacWrench tac_inertia_apply_jvp(const tacInertia* I, tacTwist t, const tacInertia* I_dot,
                                tacTwist t_dot) {
    tacVec3 u = tac_add(t.linear, tac_cross(t.angular, I->com)), p = tac_scale(u, I->mass);
    tacVec3 u_dot =
        tac_add(t_dot.linear, tac_cross_jvp(t.angular, I->com, t_dot.angular, I_dot->com));
    tacVec3 p_dot = tac_add_scaled(tac_scale(u_dot, I->mass), I_dot->mass, u);
    tacVec3 spin_dot = tac_mat_mul_vec_jvp(tac_sym_to_mat(I->inertia), t.angular,
                                           tac_sym_to_mat(I_dot->inertia), t_dot.angular);
    return (tacWrench){p_dot, tac_add(spin_dot, tac_cross_jvp(I->com, p, I_dot->com, p_dot))};
}

void tac_inertia_apply_vjp(const tacInertia* I, tacTwist t, tacTwist bar, tacInertia* I_bar,
                           tacWrench* t_bar) {
    tacVec3 u = tac_add(t.linear, tac_cross(t.angular, I->com)), p = tac_scale(u, I->mass);
    tac_wrench_accumulate(t_bar, tac_inertia_apply(I, bar));
    tac_sym_to_mat_vjp(tac_outer(bar.angular, t.angular), I_bar->inertia);

    // torque c x p, then p = m u, then u = v + w x c
    tacVec3 p_bar = bar.linear, unused = tac_vec3_zero();
    tac_cross_vjp(I->com, p, bar.angular, &I_bar->com, &p_bar);
    I_bar->mass += tac_dot(p_bar, u);
    tac_cross_vjp(t.angular, I->com, tac_scale(p_bar, I->mass), &unused, &I_bar->com);
}

//---------------------------------- other frame ----------------------------------

static tacMat3 conjugate(tacMat3 R, tacMat3 a) { return tac_mat_mul_t(tac_mat_mul(R, a), R); }

tacInertia tac_inertia_transform(tacPose a, const tacInertia* I) {
    tacInertia out = {I->mass, tac_pose_apply(a, I->com), {0}};
    tacMat3 R = tac_quat_to_mat(a.rotation);
    tac_mat_to_sym(conjugate(R, tac_sym_to_mat(I->inertia)), out.inertia);
    return out;
}

// d(R I R') = [w] J - J [w] + R dI R', J = R I R'
tacInertia tac_inertia_transform_jvp(tacPose a, const tacInertia* I, tacTwist a_dot,
                                     const tacInertia* I_dot) {
    tacInertia out = {I_dot->mass, tac_pose_apply_jvp(a, I->com, a_dot, I_dot->com), {0}};
    tacMat3 R = tac_quat_to_mat(a.rotation);
    tacMat3 wJ = tac_mat_mul(tac_skew(a_dot.angular), conjugate(R, tac_sym_to_mat(I->inertia)));
    tacMat3 J_dot = tac_mat_add(wJ, tac_mat_transpose(wJ));
    J_dot = tac_mat_add(J_dot, conjugate(R, tac_sym_to_mat(I_dot->inertia)));
    tac_mat_to_sym(J_dot, out.inertia);
    return out;
}

// B . ([w] J - J [w]) = 2 axial(B J) . w for symmetric B and J
void tac_inertia_transform_vjp(tacPose a, const tacInertia* I, const tacInertia* bar,
                               tacWrench* a_bar, tacInertia* I_bar) {
    tacMat3 R = tac_quat_to_mat(a.rotation), B = tac_sym_bar_to_mat(bar->inertia);
    tacMat3 J = conjugate(R, tac_sym_to_mat(I->inertia));
    I_bar->mass += bar->mass;
    tac_pose_apply_vjp(a, I->com, bar->com, a_bar, &I_bar->com);
    a_bar->torque = tac_add_scaled(a_bar->torque, 2.0, tac_axial(tac_mat_mul(B, J)));
    tac_sym_to_mat_vjp(conjugate(tac_mat_transpose(R), B), I_bar->inertia);
}

//---------------------------------- sum ----------------------------------

// m = ma + mb, share s = mb/m, reduced mass mu = ma mb/m, offset d = cb - ca:
// com = ca + s d, I = Ia + Ib + mu (|d|^2 - d d'), smooth for one massless body too
typedef struct inertiaSum {
    tacReal inverse_mass, share, mu;
    tacVec3 d;
} inertiaSum;

static inertiaSum inertia_sum(const tacInertia* a, const tacInertia* b) {
    tacReal m = a->mass + b->mass, i = tac_re(m) > 0.0 ? 1.0 / m : (tacReal)0.0;
    return (inertiaSum){i, b->mass * i, a->mass * b->mass * i, tac_sub(b->com, a->com)};
}

tacInertia tac_inertia_add(const tacInertia* a, const tacInertia* b) {
    inertiaSum s = inertia_sum(a, b);
    tacInertia out = {a->mass + b->mass, tac_add_scaled(a->com, s.share, s.d), {0}};
    tac_mat_to_sym(tac_mat_scale(point_inertia(s.d), s.mu), out.inertia);
    for (int i = 0; i < 6; ++i) out.inertia[i] += a->inertia[i] + b->inertia[i];
    return out;
}

// d s = (dmb - s dm)/m, d mu = (1 - s)^2 dmb + s^2 dma
tacInertia tac_inertia_add_jvp(const tacInertia* a, const tacInertia* b, const tacInertia* a_dot,
                               const tacInertia* b_dot) {
    inertiaSum s = inertia_sum(a, b);
    tacReal m_dot = a_dot->mass + b_dot->mass, own = 1.0 - s.share;
    tacReal s_dot = (b_dot->mass - s.share * m_dot) * s.inverse_mass;
    tacReal mu_dot = own * own * b_dot->mass + s.share * s.share * a_dot->mass;
    tacVec3 d_dot = tac_sub(b_dot->com, a_dot->com);
    tacVec3 com_dot = tac_add_scaled(tac_add_scaled(a_dot->com, s.share, d_dot), s_dot, s.d);
    tacReal n_dot = 2.0 * tac_dot(s.d, d_dot);
    tacMat3 turned = tac_mat_add(tac_outer(s.d, d_dot), tac_outer(d_dot, s.d));
    tacMat3 J = tac_mat_sub(tac_mat_diagonal(n_dot, n_dot, n_dot), turned);
    J = tac_mat_add_scaled(tac_mat_scale(J, s.mu), mu_dot, point_inertia(s.d));
    tacInertia out = {m_dot, com_dot, {0}};
    tac_mat_to_sym(J, out.inertia);
    for (int i = 0; i < 6; ++i) out.inertia[i] += a_dot->inertia[i] + b_dot->inertia[i];
    return out;
}

void tac_inertia_add_vjp(const tacInertia* a, const tacInertia* b, const tacInertia* bar,
                         tacInertia* a_bar, tacInertia* b_bar) {
    inertiaSum s = inertia_sum(a, b);
    tacMat3 B = tac_sym_bar_to_mat(bar->inertia);
    tacReal own = 1.0 - s.share, mu_bar = tac_mat_dot(B, point_inertia(s.d));
    tacReal s_bar = tac_dot(bar->com, s.d) * s.inverse_mass;
    a_bar->mass += bar->mass - s.share * s_bar + s.share * s.share * mu_bar;
    b_bar->mass += bar->mass + own * s_bar + own * own * mu_bar;

    // of mu (|d|^2 - d d') by d: 2 mu (tr B - B) d
    tacVec3 Bd = tac_sub(tac_scale(s.d, tac_mat_trace(B)), tac_mat_mul_vec(B, s.d));
    tacVec3 d_bar = tac_add_scaled(tac_scale(bar->com, s.share), 2.0 * s.mu, Bd);
    tac_accumulate(&b_bar->com, d_bar);
    tac_accumulate(&a_bar->com, tac_sub(bar->com, d_bar));
    for (int i = 0; i < 6; ++i) a_bar->inertia[i] += bar->inertia[i];
    for (int i = 0; i < 6; ++i) b_bar->inertia[i] += bar->inertia[i];
}

//---------------------------------- matrix ----------------------------------

// (m, -m [c]; m [c], I + m (|c|^2 - c c'))
void tac_inertia_to_matrix(const tacInertia* I, tacReal M[36]) {
    tacMat3 c = tac_mat_scale(tac_skew(I->com), I->mass);
    tacMat3 J = tac_mat_add_scaled(tac_sym_to_mat(I->inertia), I->mass, point_inertia(I->com));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            M[6 * i + j] = i == j ? I->mass : (tacReal)0.0;
            M[6 * i + j + 3] = -c.m[i][j];
            M[6 * (i + 3) + j] = c.m[i][j];
            M[6 * (i + 3) + j + 3] = J.m[i][j];
        }
    }
}
