// Cheap limits of a leaf's field, low <= phi <= high, by which a union knows which of its children
// cannot matter at a point (docs/shapes.md, culling). A kind that is not named here has none:
// it is never left out.

#ifndef TAC_SHAPE_LIMITS_H
#define TAC_SHAPE_LIMITS_H

#include "shape/blend.h"
#include "shape/leaf.h"
#include "shape/rough.h"

typedef struct leafLimits {
    wide low, high;
} leafLimits;

//---------------------------------- superquadric ---------------------------------

// where 1/g is less, products of squares may overflow
#define ROUGH_AWAY 0.0025

// constants of a superquadric in all lanes; logarithms are to base 2
typedef struct sqRough {
    rough R[3][3], t[3], w2[3], thin[3];
    rough e1, e2, inv_e1, inv_e2, low, high, one, slope, outer, inner;
} sqRough;

static sqRough sq_rough(const tacRough* b) {
    sqRough s;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) s.R[i][k] = rough_set(b->R[i][k]);
        s.t[i] = rough_set(b->t[i]), s.w2[i] = rough_set(b->w2[i]);
        s.thin[i] = rough_set(b->thin[i]);
    }
    s.e1 = rough_set(b->e[0]), s.e2 = rough_set(b->e[1]);
    s.inv_e1 = rough_set(b->inv_e[0]), s.inv_e2 = rough_set(b->inv_e[1]);
    double unit = (double)b->inner / TAC_ROUGH_SCALE;
    s.one = rough_set(unit), s.inner = rough_set(b->inner), s.outer = rough_set(b->outer);
    s.low = rough_set(-unit * (1.0 + b->gauge)), s.high = rough_set(-unit * (1.0 - b->gauge));
    s.slope = rough_set(b->slope);
    return s;
}

// the weights of a logarithm of two exponentials: d the difference of their exponents
typedef struct roughPair {
    rough d, E, log; // E = 2^-|d|, log2(1 + E)
} roughPair;

TAC_INLINE roughPair rough_pair(rough d) {
    roughPair pair = {.d = d, .E = rough_exp2(rough_max(-rough_abs(d), rough_set(-100.0)))};
    pair.log = rough_log2_1p(pair.E);
    return pair;
}

// the larger exponential's weight is 1/(1 + E)
TAC_INLINE void rough_weights(const roughPair* pair, rough* first, rough* second) {
    rough large = rough_rcp_1p(pair->E), small = pair->E * large;
    *first = rough_select_ge0(pair->d, large, small);
    *second = rough_select_ge0(pair->d, small, large);
}

// what eq. 6 to 11 make of n vectors y_i/a_i; c = TAC_ROUGH_SCALE
typedef struct roughGauge {
    rough u[3], G, q; // c^2 (y^2/a^2 + w^2), 1/g, c/(inner |grad ln g|)
} roughGauge;

TAC_INLINE void rough_gauge(const sqRough* s, roughGauge* g, int n) {
    roughPair around[ROUGH_STAGE], polar[ROUGH_STAGE];
    rough u[ROUGH_STAGE][3], M[ROUGH_STAGE], scale = rough_set(TAC_ROUGH_SCALE_LOG2);
    for (int i = 0; i < 3; ++i)
        TAC_UNROLL for (int j = 0; j < n; ++j) u[j][i] = rough_log2(g[j].u[i]);
    TAC_UNROLL for (int j = 0; j < n; ++j) around[j] = rough_pair((u[j][0] - u[j][1]) * s->inv_e2);
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        M[j] = rough_fma(s->e2, around[j].log, rough_max(u[j][0], u[j][1]));
        polar[j] = rough_pair((M[j] - u[j][2]) * s->inv_e1);
    }
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        rough log_g2 = rough_fma(s->e1, polar[j].log, rough_max(M[j], u[j][2]));
        g[j].G = rough_exp2(rough_fma(log_g2, rough_set(-0.5), scale));
    }
    // 1/sum (k_i/a_i)^2/u_i = D/N, without a division
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        rough alpha, k[3], *v = g[j].u;
        rough_weights(&polar[j], &alpha, &k[2]);
        rough_weights(&around[j], &k[0], &k[1]);
        k[0] = k[0] * alpha, k[1] = k[1] * alpha;
        for (int i = 0; i < 3; ++i) k[i] = k[i] * s->thin[i];
        rough v01 = v[0] * v[1], D = v01 * v[2];
        rough N = rough_fma(k[0] * k[0], v[1], k[1] * k[1] * v[0]);
        N = rough_fma(N, v[2], k[2] * k[2] * v01);
        g[j].q = D * rough_rsqrt(N * D);
    }
}

// Limits of the tangent distance (1 - 1/g)/|grad ln g|, both with their errors. Deep inside, where
// g < 1/4, the field lies between -outer and 0. Far away, where squares might overflow, it lies
// between inner (g - 1) and outer g.
TAC_INLINE void tangent_limits(const sqRough* s, const roughGauge* g, rough* low, rough* high) {
    rough below = rough_fma(g->G, s->low, s->one);
    rough above = rough_fma(g->G, s->high, s->one);
    *low = g->q * rough_fma(rough_abs(below), -s->slope, below);
    *high = g->q * rough_fma(rough_abs(above), s->slope, above);
}

TAC_INLINE void tangent_extremes(const sqRough* s, rough G, rough* low, rough* high) {
    rough outside = 4.0f - G, near = G - (float)ROUGH_AWAY, one = rough_set(1.0), g = one / G;
    rough beyond = s->inner * rough_fma(g, rough_set(0.9), -one);
    rough top = rough_select_ge0(G - 1e-13f, 1.1f * s->outer * g, rough_set(TAC_ROUGH_FAR));
    *low = rough_select_ge0(near, rough_select_ge0(outside, *low, -s->outer), beyond);
    *high = rough_select_ge0(near, rough_select_ge0(outside, *high, rough_set(0.0)), top);
}

// c y/a of a vector of points
TAC_INLINE void rough_local(const rough R[3][3], const rough t[3], const float x[3][TAC_BLOCK],
                            int i, rough y[3]) {
    rough d[3];
    for (int k = 0; k < 3; ++k) d[k] = rough_load(&x[k][i]);
    for (int k = 0; k < 3; ++k)
        y[k] = rough_fma(R[0][k], d[0], rough_fma(R[1][k], d[1], rough_fma(R[2][k], d[2], t[k])));
}

TAC_INLINE void store_limits(rough own, rough high, float* low, float* least) {
    rough_store(low, own);
    rough_store(least, rough_min(high, rough_load(least)));
}

TAC_INLINE void tangent_chunk(const sqRough* s, const float x[3][TAC_BLOCK], int i, float* low,
                              float* least, int n) {
    roughGauge g[ROUGH_STAGE];
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        rough y[3];
        rough_local(s->R, s->t, x, i + j * ROUGH_LANES, y);
        for (int k = 0; k < 3; ++k) g[j].u[k] = rough_fma(y[k], y[k], s->w2[k]);
    }
    rough_gauge(s, g, n);
    rough own[ROUGH_STAGE], high[ROUGH_STAGE], most = g[0].G, least_G = g[0].G;
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        tangent_limits(s, &g[j], &own[j], &high[j]);
        most = rough_max(most, g[j].G), least_G = rough_min(least_G, g[j].G);
    }
    rough plain = rough_min(4.0f - most, least_G - (float)ROUGH_AWAY);
    if (rough_negative_bits(plain))
        TAC_UNROLL for (int j = 0; j < n; ++j) tangent_extremes(s, g[j].G, &own[j], &high[j]);
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        int at = i + j * ROUGH_LANES;
        store_limits(own[j], high[j], &low[at], &least[at]);
    }
}

static void tangent_block(const tacRough* rough_b, const float x[3][TAC_BLOCK], float* low,
                          float* least, int count) {
    sqRough s = sq_rough(rough_b);
    int i = 0;
    for (; i + ROUGH_STAGE * ROUGH_LANES <= count; i += ROUGH_STAGE * ROUGH_LANES)
        tangent_chunk(&s, x, i, low, least, ROUGH_STAGE);
    for (; i < count; i += ROUGH_LANES) tangent_chunk(&s, x, i, low, least, 1);
}

// The radial distance r (1 - 1/g) needs g alone, which for exponents up to 1 lies between the
// largest y_i/a_i, or 2^((e1 + e2)/2 - 1) of their Euclidean norm, and that norm
static void radial_block(const tacRough* s, const float x[3][TAC_BLOCK], float* low, float* least,
                         int count) {
    rough R[3][3], t[3], a2[3], tiny = rough_set(1e-30), one = rough_set(1.0);
    double c = TAC_ROUGH_SCALE;
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 3; ++j) R[j][k] = rough_set(s->R[j][k] / c);
        double a = (double)s->inner / (double)s->thin[k];
        t[k] = rough_set(s->t[k] / c), a2[k] = rough_set(a * a);
    }
    rough slack = rough_set(s->gauge), w2 = rough_set((s->w2[0] + s->w2[1] + s->w2[2]) / (c * c));
    for (int i = 0; i < count; i += ROUGH_LANES) {
        rough y[3], most = tiny, square = w2, r2 = tiny;
        rough_local((const rough(*)[3])R, t, x, i, y);
        for (int k = 0; k < 3; ++k) {
            rough u = y[k] * y[k];
            most = rough_max(most, u), square = square + u, r2 = rough_fma(u, a2[k], r2);
        }
        rough r = rough_sqrt(r2), G = one / rough_sqrt(square);
        rough top = rough_min(G * s->flat, one / rough_sqrt(most));
        rough own = r * rough_fma(top, rough_set(-1.0) - slack, one - slack);
        rough high = r * rough_fma(G, slack - 1.0f, one + slack);
        rough outside = 4.0f - G, near = G - 1e-13f, far = rough_set(TAC_ROUGH_FAR);
        if (rough_negative_bits(rough_min(outside, near)) != 0) {
            own =
                rough_select_ge0(near, rough_select_ge0(outside, own, rough_set(-s->outer)), -far);
            high = rough_select_ge0(near, rough_select_ge0(outside, high, rough_set(0.0)), far);
        }
        store_limits(own, high, &low[i], &least[i]);
    }
}

//---------------------------------- other leaves ---------------------------------

// the core of a sphere lies between -R and the cone
TAC_INLINE leafLimits sphere_limits(const tacBound* b, const wide y[3]) {
    wide r = w_sqrt(w_dot3(y, y) + TAC_CENTRE), high = r - b->size[0];
    return (leafLimits){w_select_ge0(r - b->core.radius, high, w_set(-b->size[0])), high};
}

// What softening does: |x| <= |x|_d <= |x| + d ln 2, and J lies between the largest face and the
// distance to the corner (docs/shapes.md, culling)
TAC_INLINE leafLimits soft_limits(const tacBound* b, const wide y[3]) {
    wide zero = w_set(0.0), z = w_abs(y[2]), q[3];
    int n = b->kind == TAC_NODE_BOX ? 3 : 2;
    if (b->kind == TAC_NODE_CAPSULE) {
        wide over = w_max(z - b->size[1], zero), v[3] = {y[0], y[1], over};
        wide D = w_sqrt(w_dot3(v, v) + b->guard) - b->size[0];
        return (leafLimits){D - 0.35 * b->width, D + 1.05 * b->width};
    }
    if (b->kind == TAC_NODE_CYLINDER) {
        q[0] = w_sqrt(w_fma(y[0], y[0], y[1] * y[1]) + b->guard) - b->size[0];
        q[1] = z - b->size[1];
    } else {
        for (int i = 0; i < 3; ++i) q[i] = w_abs(y[i]) - b->size[i];
    }
    wide most = q[0], square = w_set(TAC_CENTRE);
    for (int i = 0; i < n; ++i) {
        wide over = w_max(q[i], zero);
        most = w_max(most, q[i]);
        square = w_fma(over, over, square);
    }
    wide D = w_sqrt(square);
    wide outside = w_max(most, D - 0.47 * b->width);
    return (leafLimits){w_select_ge0(most, outside, most), D + 2.5 * b->width};
}

// Of any superquadric: g is no less than the largest |y_i|/a_i and no more than r/inner,
// so phi is between inner (g - 1), or r - outer of the radial distance, and r - inner. The slope of
// a tangent one may be less than |grad ln g|, by 1 + W outer/a at most.
TAC_INLINE leafLimits ridged_limits(const tacBound* b, const wide y[3]) {
    wide r = w_sqrt(w_dot3(y, y) + TAC_CENTRE), g = w_abs(y[0]) / b->size[0];
    for (int i = 1; i < 3; ++i) g = w_max(g, w_abs(y[i]) / b->size[i]);
    wide outside = b->distance == TAC_DISTANCE_RADIAL ? r - b->outer : b->inner * (g - 1.0);
    tacReal least = r_min(b->size[0], r_min(b->size[1], b->size[2]));
    tacReal steeper = 1.0 + r_sqrt(b->ridge[0]) * b->outer / least;
    wide high = r - b->inner;
    return (leafLimits){w_select_ge0(g - 1.0, outside, w_set(-TAC_FAR)),
                        w_max(high, high * steeper)};
}

TAC_INLINE leafLimits plain_limits(const tacBound* b, const wide y[3]) {
    if (b->kind == TAC_NODE_SUPERQUADRIC) return ridged_limits(b, y);
    if (b->kind == TAC_NODE_SPHERE) return sphere_limits(b, y);
    if (b->kind == TAC_NODE_PLANE) return (leafLimits){y[2], y[2]};
    if (tac_is_soft(b->kind)) return soft_limits(b, y);
    return (leafLimits){w_set(-TAC_FAR), w_set(TAC_FAR)};
}

//---------------------------------- blocks ---------------------------------------

// a limit as a rough number, moved outwards by more than it may be rounded
static float outwards(tacReal limit, double way) {
    double l = fmax(fmin(tac_re(limit), TAC_ROUGH_FAR), -TAC_ROUGH_FAR);
    return (float)(l + way * (2e-7 * fabs(l) + 1e-30));
}

static void plain_block(const tacBound* b, const tacReal x[3][TAC_BLOCK], float* low, float* least,
                        int count) {
    tacReal both[2][TAC_LANES];
    for (int i = 0; i < count; i += TAC_LANES) {
        wide point[3], y[3];
        load3(x, i, point);
        to_local(&b->frame, point, y);
        leafLimits limits = plain_limits(b, y);
        w_store(both[0], limits.low), w_store(both[1], limits.high);
        for (int j = 0; j < TAC_LANES; ++j) {
            low[i + j] = outwards(both[0][j], -1.0);
            least[i + j] = fminf(least[i + j], outwards(both[1][j], 1.0));
        }
    }
}

static void rough_points(const tacReal x[3][TAC_BLOCK], const double origin[3],
                         float out[3][TAC_BLOCK], int count) {
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < count; i += ROUGH_LANES)
            rough_store(&out[k][i], rough_minus(&x[k][i], origin[k]));
}

static void rough_block(const tacBound* b, const tacRough* s, const float x[3][TAC_BLOCK],
                        float* low, float* least, int count) {
    if (b->distance == TAC_DISTANCE_TANGENT)
        tangent_block(s, x, low, least, count);
    else
        radial_block(s, x, low, least, count);
}

static void leaf_limits(const tacBound* b, const tacRough* s, const tacReal x[3][TAC_BLOCK],
                        const float near_x[3][TAC_BLOCK], float* low, float* least, int count) {
    if (!s->use) {
        plain_block(b, x, low, least, count);
    } else if (s->use == TAC_ROUGH_SHARED) {
        rough_block(b, s, near_x, low, least, count);
    } else {
        float own_x[3][TAC_BLOCK];
        const double origin[3] = {tac_re(b->frame.origin[0]), tac_re(b->frame.origin[1]),
                                  tac_re(b->frame.origin[2])};
        rough_points(x, origin, own_x, count);
        rough_block(b, s, (const float(*)[TAC_BLOCK])own_x, low, least, count);
    }
}

// bit i: low[i] is at most `reach` above high[i]; shares of both cover their rounding
static tacBits near(const float* low, const float* high, double reach, int count) {
    tacBits far = {{0}};
    rough least = rough_set(1.000001 * reach), share = rough_set(1e-6);
    for (int i = 0; i < count; i += ROUGH_LANES) {
        rough l = rough_load(&low[i]), h = rough_load(&high[i]);
        rough gap = rough_fma(rough_abs(l) + rough_abs(h), share, least) + (h - l);
        far.word[i / 64] |= (uint64_t)rough_negative_bits(gap) << i % 64;
    }
    return tac_bits_without(tac_bits_first(TAC_BLOCK), far);
}

#endif
