// Smooth minimum and maximum of children, formed child by child, and their derivatives.
//
//   s = +1: phi = min, -tau ln sum exp(-phi_k/tau)      s = -1: phi = max, tau ln sum
//   exp(phi_k/tau)
//
// A child may enter with its sign turned (c = -1): a difference is the maximum of its first child
// and the turned others. docs/shapes.md eq. 3 and 4.

#ifndef TAC_SHAPE_BLEND_H
#define TAC_SHAPE_BLEND_H

#include "shape/local.h"
#include "shape/shape_kernels.h"

TAC_INLINE void load3(const tacReal x[3][TAC_BLOCK], int i, wide out[3]) {
    for (int axis = 0; axis < 3; ++axis) out[axis] = w_load(&x[axis][i]);
}

TAC_INLINE void store3(tacReal x[3][TAC_BLOCK], int i, const wide v[3]) {
    for (int axis = 0; axis < 3; ++axis) w_store(&x[axis][i], v[axis]);
}

//---------------------------------- value ----------------------------------------

// phi = m - s tau ln S, kept as m (value), S (sum), and gradient and Hessian of the children so far

static void begin(tacBlock* acc, int count) {
    for (int i = 0; i < count; i += TAC_LANES) w_store(&acc->sum[i], w_set(1.0));
}

// a field at one vector of points; `sum` belongs to an open combination
typedef struct fieldVector {
    wide value, sum, g[3], H[6];
} fieldVector;

TAC_INLINE void load_vector(const tacBlock* b, int i, fieldVector* v, int order) {
    v->value = w_load(&b->value[i]);
    for (int k = 0; k < 3 && order >= 1; ++k) v->g[k] = w_load(&b->gradient[k][i]);
    for (int k = 0; k < 6 && order >= 2; ++k) v->H[k] = w_load(&b->hessian[k][i]);
}

TAC_INLINE void gather_vector(const tacBlock* b, const int* at, fieldVector* v, int order) {
    v->value = w_gather(b->value, at);
    for (int k = 0; k < 3 && order >= 1; ++k) v->g[k] = w_gather(b->gradient[k], at);
    for (int k = 0; k < 6 && order >= 2; ++k) v->H[k] = w_gather(b->hessian[k], at);
}

// a + (b - a) omega, from the end that is nearer: the far one may be larger by any factor, as on
// the ridge of a superquadric, and must not round the near one away
TAC_INLINE wide blend_mix(wide closer, wide a, wide b, wide omega, wide rest) {
    wide d = b - a;
    return w_select_ge0(closer, b - rest * d, w_fma(omega, d, a));
}

// Joining one child is a blend of two: with omega its weight, rest = 1 - omega and d the difference
// of gradients, g += omega d and H += omega (H_child - H) - s omega rest/tau d d^T: no cancellation
// at small tau
TAC_INLINE void join(tacBlend blend, fieldVector* acc, const fieldVector* child, int order) {
    wide one = w_set(1.0), inv_tau = w_set(1.0 / blend.tau);
    double s = blend.sign, c = blend.child;
    wide phi = c * child->value, closer = s * (acc->value - phi);
    wide E = w_exp(-w_abs(closer) * inv_tau);
    wide keep = w_select_ge0(closer, E, one), added = w_select_ge0(closer, one, E);
    wide kept = keep * acc->sum;
    acc->sum = kept + added;
    acc->value = w_select_ge0(closer, phi, acc->value);
    if (order < 1) return;

    wide inv_sum = w_rcp(acc->sum), omega = added * inv_sum, rest = kept * inv_sum, d[3];
    for (int k = 0; k < 3; ++k) {
        wide own = c * child->g[k];
        d[k] = own - acc->g[k];
        acc->g[k] = blend_mix(closer, acc->g[k], own, omega, rest);
    }
    if (order < 2) return;

    for (int k = 0; k < 6; ++k)
        acc->H[k] = blend_mix(closer, acc->H[k], c * child->H[k], omega, rest);
    w_add_square(acc->H, -s * omega * rest * inv_tau, d);
}

TAC_INLINE void merge_all(tacBlend blend, tacBlock* acc, const tacBlock* child, int count,
                          int order) {
    for (int i = 0; i < count; i += TAC_LANES) {
        fieldVector v, other;
        load_vector(acc, i, &v, order), load_vector(child, i, &other, order);
        v.sum = w_load(&acc->sum[i]);
        join(blend, &v, &other, order);
        w_store(&acc->value[i], v.value), w_store(&acc->sum[i], v.sum);
        for (int k = 0; k < 3 && order >= 1; ++k) w_store(&acc->gradient[k][i], v.g[k]);
        for (int k = 0; k < 6 && order >= 2; ++k) w_store(&acc->hessian[k][i], v.H[k]);
    }
}

static void merge(tacBlend blend, tacBlock* acc, const tacBlock* child, int count, int order) {
    if (order == 0)
        merge_all(blend, acc, child, count, 0);
    else if (order == 1)
        merge_all(blend, acc, child, count, 1);
    else
        merge_all(blend, acc, child, count, 2);
}

TAC_INLINE void merge_at(tacBlend blend, tacBlock* acc, const int* at, const tacBlock* child,
                         int first, int count, int order) {
    for (int i = 0; i < count; i += TAC_LANES) {
        const int* p = &at[i];
        fieldVector v, other;
        gather_vector(acc, p, &v, order);
        v.sum = w_gather(acc->sum, p);
        load_vector(child, first + i, &other, order);
        join(blend, &v, &other, order);
        w_scatter(acc->value, p, v.value), w_scatter(acc->sum, p, v.sum);
        for (int k = 0; k < 3 && order >= 1; ++k) w_scatter(acc->gradient[k], p, v.g[k]);
        for (int k = 0; k < 6 && order >= 2; ++k) w_scatter(acc->hessian[k], p, v.H[k]);
    }
}

static void merge_some(tacBlend blend, tacBlock* acc, const int* at, const tacBlock* child,
                       int first, int count, int order) {
    if (order == 0)
        merge_at(blend, acc, at, child, first, count, 0);
    else if (order == 1)
        merge_at(blend, acc, at, child, first, count, 1);
    else
        merge_at(blend, acc, at, child, first, count, 2);
}

static void close(tacBlend blend, tacBlock* acc, int count) {
    tacReal scale = blend.sign * blend.tau;
    for (int i = 0; i < count; i += TAC_LANES)
        w_store(&acc->value[i], w_load(&acc->value[i]) - scale * w_log(w_load(&acc->sum[i])));
}

//---------------------------------- derivatives ----------------------------------

// weight of a child, exp(z), z = s (phi - c phi_child)/tau <= 0
TAC_INLINE wide blend_z(tacBlend blend, const tacBlock1* all, const tacBlock1* child, int i) {
    wide gap = w_load(&all->value[i]) - blend.child * w_load(&child->value[i]);
    return gap * (blend.sign / blend.tau);
}

// phi' = sum w (c phi_child' + s z tau')
static void blend_jvp_value(tacBlend blend, tacReal tau_dot, const tacBlock1* all,
                            const tacBlock1* child, const tacBlock1* child_dot, tacBlock1* all_dot,
                            int count) {
    tacReal by_tau = blend.sign * tau_dot;
    for (int i = 0; i < count; i += TAC_LANES) {
        wide z = blend_z(blend, all, child, i), w = w_exp(z);
        wide part = w * w_fma(z, w_set(by_tau), blend.child * w_load(&child_dot->value[i]));
        w_store(&all_dot->value[i], w_load(&all_dot->value[i]) + part);
    }
}

// g' = sum w c g_child' + w' (c g_child - g), w' = w (s (phi' - c phi_child') - z tau')/tau
static void blend_jvp_gradient(tacBlend blend, tacReal tau_dot, const tacBlock1* all,
                               const tacBlock1* child, const tacBlock1* child_dot,
                               tacBlock1* all_dot, int count) {
    tacReal inv_tau = 1.0 / blend.tau;
    for (int i = 0; i < count; i += TAC_LANES) {
        wide z = blend_z(blend, all, child, i), w = w_exp(z);
        wide fall = w_load(&all_dot->value[i]) - blend.child * w_load(&child_dot->value[i]);
        wide w_dot = w * (blend.sign * fall - z * tau_dot) * inv_tau;
        for (int k = 0; k < 3; ++k) {
            wide d = blend.child * w_load(&child->gradient[k][i]) - w_load(&all->gradient[k][i]);
            wide turned = blend.child * w_load(&child_dot->gradient[k][i]);
            w_store(&all_dot->gradient[k][i],
                    w_load(&all_dot->gradient[k][i]) + w_fma(w, turned, w_dot * d));
        }
    }
}

// sets the adjoint of one child, returns its part of the adjoint of tau
static tacReal blend_vjp(tacBlend blend, const tacBlock1* all, const tacBlock1* child,
                         const tacBlock1* all_bar, tacBlock1* child_bar, int count) {
    tacReal rate = blend.sign / blend.tau;
    wide tau_bar = w_set(0.0);
    for (int i = 0; i < count; i += TAC_LANES) {
        wide z = blend_z(blend, all, child, i), w = w_exp(z), slope = w_set(0.0);
        for (int k = 0; k < 3; ++k) {
            wide g_bar = w_load(&all_bar->gradient[k][i]);
            wide d = blend.child * w_load(&child->gradient[k][i]) - w_load(&all->gradient[k][i]);
            slope = w_fma(g_bar, d, slope);
            w_store(&child_bar->gradient[k][i], blend.child * w * g_bar);
        }
        // both the value and the weights of the gradient depend on phi_child and on tau
        wide value_bar = w * (w_load(&all_bar->value[i]) - slope * rate);
        w_store(&child_bar->value[i], blend.child * value_bar);
        tau_bar = w_fma(value_bar, z, tau_bar);
    }
    return blend.sign * w_sum(tau_bar);
}

#endif
