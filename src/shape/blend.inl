// Smooth minimum and maximum of children, formed child by child, and their derivatives.
//
//   s = +1: phi = min, -tau ln sum exp(-phi_k/tau)      s = -1: phi = max, tau ln sum
//   exp(phi_k/tau)
//
// A child may enter with its sign turned (c = -1): a difference is the maximum of its first child
// and the turned others. docs/shapes.md eq. 3 and 4.

#ifndef TAC_SHAPE_BLEND_INL
#define TAC_SHAPE_BLEND_INL

#include "shape/fade.inl"
#include "shape/local_field.inl"
#include "shape/shape_kernels.h"

TAC_INLINE void load3(const tacReal x[3][TAC_BLOCK], int i, wide out[3]) {
    for (int axis = 0; axis < 3; ++axis) out[axis] = w_load(&x[axis][i]);
}

TAC_INLINE void store3(tacReal x[3][TAC_BLOCK], int i, const wide v[3]) {
    for (int axis = 0; axis < 3; ++axis) w_store(&x[axis][i], v[axis]);
}

//---------------------------------- value ----------------------------------------

// phi = m - s tau ln S, kept as m (value), S (sum), and gradient and Hessian of the children so far

// a field at one vector of points; `sum` belongs to an open combination
typedef struct fieldVector {
    wide value, sum, g[3], H[6];
} fieldVector;

TAC_INLINE void load_vector(const tacFieldBlock* b, int i, fieldVector* v, int order) {
    v->value = w_load(&b->value[i]);
    for (int k = 0; k < 3 && order >= 1; ++k) v->g[k] = w_load(&b->gradient[k][i]);
    for (int k = 0; k < 6 && order >= 2; ++k) v->H[k] = w_load(&b->hessian[k][i]);
}

TAC_INLINE void gather_vector(const tacFieldBlock* b, const int* at, fieldVector* v, int order) {
    v->value = w_gather(b->value, at);
    for (int k = 0; k < 3 && order >= 1; ++k) v->g[k] = w_gather(b->gradient[k], at);
    for (int k = 0; k < 6 && order >= 2; ++k) v->H[k] = w_gather(b->hessian[k], at);
}

TAC_INLINE void store_vector(tacFieldBlock* b, int i, const fieldVector* v, int order) {
    w_store(&b->value[i], v->value);
    w_store(&b->sum[i], v->sum);
    for (int k = 0; k < 3 && order >= 1; ++k) w_store(&b->gradient[k][i], v->g[k]);
    for (int k = 0; k < 6 && order >= 2; ++k) w_store(&b->hessian[k][i], v->H[k]);
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
TAC_INLINE void blend_join(tacBlend blend, fieldVector* acc, const fieldVector* child, int order) {
    wide one = w_set(1.0), inv_tau = w_set(1.0 / blend.tau);
    double s = blend.sign, c = blend.child;
    wide phi = c * child->value, closer = s * (acc->value - phi);
    wide E = w_exp(-w_abs(closer) * inv_tau);
    wide keep = w_select_ge0(closer, E, one), added = w_select_ge0(closer, one, E);
    wide scaled = keep * acc->sum;
    acc->sum = scaled + added;
    acc->value = w_select_ge0(closer, phi, acc->value);
    if (order < 1) return;

    wide inv_sum = w_rcp(acc->sum), omega = added * inv_sum, rest = scaled * inv_sum, d[3];
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

// A child near the end of a union: psi, q g, q H + q' g g^T. Of one beyond it the value is enough:
// it has no weight
TAC_INLINE void fade(tacBlend blend, fieldVector* v, int order) {
    unsigned late = fade_begins(blend, v->value);
    wide left = w_set(blend.end) - v->value;
    if (!late) return;
    if (!(late & ~w_negative_bits(left))) {
        v->value = w_select_ge0(left, v->value, w_set(TAC_CULLED_VALUE));
        return;
    }
    fadeDiff f = fade_diff(blend, v->value);
    v->value = f.value;
    for (int k = 0; k < 6 && order >= 2; ++k) v->H[k] = f.q * v->H[k];
    if (order >= 2) w_add_square(v->H, f.q_phi, v->g);
    for (int k = 0; k < 3 && order >= 1; ++k) v->g[k] = f.q * v->g[k];
}

// what a union is beyond its end
TAC_INLINE fieldVector end_vector(tacBlend blend) {
    wide zero = w_set(0.0);
    return (fieldVector){
        w_set(blend.end), w_set(1.0), {zero, zero, zero}, {zero, zero, zero, zero, zero, zero}};
}

// the first child
static void blend_begin(tacBlend blend, tacFieldBlock* acc, int count, int order) {
    for (int i = 0; i < count; i += TAC_LANES) {
        fieldVector v, end = end_vector(blend);
        w_store(&acc->sum[i], v.sum = w_set(1.0));
        if (!(blend.end > 0.0)) continue;
        load_vector(acc, i, &v, order);
        fade(blend, &v, order);
        blend_join(blend, &v, &end, order);
        store_vector(acc, i, &v, order);
    }
}

TAC_INLINE void blend_merge_all(tacBlend blend, tacFieldBlock* acc, const tacFieldBlock* child,
                                int count, int order) {
    for (int i = 0; i < count; i += TAC_LANES) {
        fieldVector v, other;
        load_vector(acc, i, &v, order);
        load_vector(child, i, &other, order);
        v.sum = w_load(&acc->sum[i]);
        fade(blend, &other, order);
        blend_join(blend, &v, &other, order);
        store_vector(acc, i, &v, order);
    }
}

static void blend_merge(tacBlend blend, tacFieldBlock* acc, const tacFieldBlock* child, int count,
                        int order) {
    if (order == 0)
        blend_merge_all(blend, acc, child, count, 0);
    else if (order == 1)
        blend_merge_all(blend, acc, child, count, 1);
    else
        blend_merge_all(blend, acc, child, count, 2);
}

TAC_INLINE void blend_merge_at(tacBlend blend, tacFieldBlock* acc, const int* at,
                               const tacFieldBlock* child, int first, int count, int order) {
    for (int i = 0; i < count; i += TAC_LANES) {
        const int* p = &at[i];
        fieldVector v, other;
        gather_vector(acc, p, &v, order);
        v.sum = w_gather(acc->sum, p);
        load_vector(child, first + i, &other, order);
        fade(blend, &other, order);
        blend_join(blend, &v, &other, order);
        w_scatter(acc->value, p, v.value);
        w_scatter(acc->sum, p, v.sum);
        for (int k = 0; k < 3 && order >= 1; ++k) w_scatter(acc->gradient[k], p, v.g[k]);
        for (int k = 0; k < 6 && order >= 2; ++k) w_scatter(acc->hessian[k], p, v.H[k]);
    }
}

static void blend_merge_some(tacBlend blend, tacFieldBlock* acc, const int* at,
                             const tacFieldBlock* child, int first, int count, int order) {
    if (order == 0)
        blend_merge_at(blend, acc, at, child, first, count, 0);
    else if (order == 1)
        blend_merge_at(blend, acc, at, child, first, count, 1);
    else
        blend_merge_at(blend, acc, at, child, first, count, 2);
}

// With Hessians, child by child
TAC_INLINE void blend_sum_joined(tacBlend blend, const tacFieldBlock* field, int at, int depth,
                                 fieldVector* v) {
    *v = end_vector(blend);
    for (int k = 0; k < depth; ++k) {
        fieldVector child;
        load_vector(field, at + k * TAC_LANES, &child, 2);
        fade(blend, &child, 2);
        blend_join(blend, v, &child, 2);
    }
}

// Without, all at once: the least psi first, then weights that do not wait for each other
TAC_INLINE void blend_sum_weighted(tacBlend blend, const tacFieldBlock* field, int at, int depth,
                                   int order, fieldVector* v) {
    wide psi[TAC_MAX_BLEND_CHILDREN], q[TAC_MAX_BLEND_CHILDREN], least = w_set(blend.end);
    wide inv_tau = w_set(1.0 / blend.tau);
    for (int k = 0; k < depth; ++k) {
        fieldVector child = {.value = w_load(&field->value[at + k * TAC_LANES])};
        child.g[0] = w_set(1.0);
        child.g[1] = child.g[2] = w_set(0.0);
        fade(blend, &child, 1);
        psi[k] = child.value;
        q[k] = child.g[0];
        least = w_min(least, psi[k]);
    }
    v->value = least;
    v->sum = w_exp((least - blend.end) * inv_tau);
    for (int i = 0; i < 3; ++i) v->g[i] = w_set(0.0);
    for (int k = 0; k < depth; ++k) {
        wide E = w_exp((least - psi[k]) * inv_tau), weight = E * q[k];
        v->sum = v->sum + E;
        for (int i = 0; i < 3 && order >= 1; ++i)
            v->g[i] = w_fma(weight, w_load(&field->gradient[i][at + k * TAC_LANES]), v->g[i]);
    }
    wide inv_sum = w_rcp(v->sum);
    for (int i = 0; i < 3 && order >= 1; ++i) v->g[i] = v->g[i] * inv_sum;
}

static void sum(tacBlend blend, const tacFieldBlock* field, const uint8_t* depth, int first,
                int end, tacFieldBlock* out, int order) {
    int at = 0;
    for (int i = first; i < end; at += depth[i++] * TAC_LANES) {
        fieldVector v;
        if (order > 1)
            blend_sum_joined(blend, field, at, depth[i], &v);
        else
            blend_sum_weighted(blend, field, at, depth[i], order, &v);
        v.value = v.value - blend.tau * w_log(v.sum);
        store_vector(out, i * TAC_LANES, &v, order);
    }
}

static void blend_close(tacBlend blend, tacFieldBlock* acc, int count) {
    tacReal scale = blend.sign * blend.tau;
    for (int i = 0; i < count; i += TAC_LANES)
        w_store(&acc->value[i], w_load(&acc->value[i]) - scale * w_log(w_load(&acc->sum[i])));
}

//---------------------------------- derivatives ----------------------------------

// a child as it enters the sum: weight w = exp(s (phi - psi)/tau), z = s (phi - c phi_child)/tau
typedef struct blendTerm {
    fadeDiff fade;
    wide w, z;
} blendTerm;

TAC_INLINE blendTerm blend_term(tacBlend blend, const tacGradientBlock* all,
                                const tacGradientBlock* child, int i) {
    wide phi = w_load(&all->value[i]), own = blend.child * w_load(&child->value[i]);
    tacReal rate = blend.sign / blend.tau;
    fadeDiff fade = fade_of(blend, own);
    return (blendTerm){fade, w_exp((phi - fade.value) * rate), (phi - own) * rate};
}

// phi' = sum w (q c phi_child' + s z tau')
static void blend_jvp_value(tacBlend blend, tacReal tau_dot, const tacGradientBlock* all,
                            const tacGradientBlock* child, const tacGradientBlock* child_dot,
                            tacGradientBlock* all_dot, int count) {
    tacReal by_tau = blend.sign * tau_dot;
    for (int i = 0; i < count; i += TAC_LANES) {
        blendTerm t = blend_term(blend, all, child, i);
        wide own = t.fade.q * (blend.child * w_load(&child_dot->value[i]));
        wide part = t.w * w_fma(t.z, w_set(by_tau), own);
        w_store(&all_dot->value[i], w_load(&all_dot->value[i]) + part);
    }
}

// g' = sum w (q c g_child' + q' c g_child) + w' (q c g_child - g),
// w' = w (s (phi' - q c phi_child') - z tau')/tau, q' = q_phi phi_child' - lambda tau'
static void blend_jvp_gradient(tacBlend blend, tacReal tau_dot, const tacGradientBlock* all,
                               const tacGradientBlock* child, const tacGradientBlock* child_dot,
                               tacGradientBlock* all_dot, int count) {
    tacReal inv_tau = 1.0 / blend.tau;
    for (int i = 0; i < count; i += TAC_LANES) {
        blendTerm t = blend_term(blend, all, child, i);
        wide own_dot = blend.child * w_load(&child_dot->value[i]), q = t.fade.q;
        wide fall = w_load(&all_dot->value[i]) - q * own_dot;
        wide w_dot = t.w * (blend.sign * fall - t.z * tau_dot) * inv_tau;
        wide q_dot = t.w * (t.fade.q_phi * own_dot - t.fade.lambda * tau_dot);
        for (int k = 0; k < 3; ++k) {
            wide own = blend.child * w_load(&child->gradient[k][i]);
            wide d = q * own - w_load(&all->gradient[k][i]);
            wide turned = q * (blend.child * w_load(&child_dot->gradient[k][i]));
            wide sum = w_fma(q_dot, own, w_load(&all_dot->gradient[k][i]));
            w_store(&all_dot->gradient[k][i], sum + w_fma(t.w, turned, w_dot * d));
        }
    }
}

// sets the adjoint of one child, returns its part of the adjoint of tau
static tacReal blend_vjp(tacBlend blend, const tacGradientBlock* all, const tacGradientBlock* child,
                         const tacGradientBlock* all_bar, tacGradientBlock* child_bar, int count) {
    tacReal rate = blend.sign / blend.tau;
    wide tau_bar = w_set(0.0);
    for (int i = 0; i < count; i += TAC_LANES) {
        blendTerm t = blend_term(blend, all, child, i);
        wide slope = w_set(0.0), along = w_set(0.0), q = t.fade.q;
        for (int k = 0; k < 3; ++k) {
            wide g_bar = w_load(&all_bar->gradient[k][i]);
            wide own = blend.child * w_load(&child->gradient[k][i]);
            slope = w_fma(g_bar, q * own - w_load(&all->gradient[k][i]), slope);
            along = w_fma(g_bar, own, along);
            w_store(&child_bar->gradient[k][i], blend.child * t.w * (q * g_bar));
        }
        // both the value and the weights of the gradient depend on phi_child and on tau
        wide value_bar = t.w * (w_load(&all_bar->value[i]) - slope * rate);
        wide q_bar = t.w * along;
        w_store(&child_bar->value[i], blend.child * w_fma(q, value_bar, t.fade.q_phi * q_bar));
        tau_bar = w_fma(value_bar, t.z, tau_bar) - blend.sign * (t.fade.lambda * q_bar);
    }
    return blend.sign * w_sum(tau_bar);
}

#endif
