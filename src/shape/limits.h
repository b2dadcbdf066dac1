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

// relative error of 1/g, and that of the slope times the smaller exponent, when both are formed of
// rough numbers (docs/shapes.md, culling)
#define TAC_ROUGH_GAUGE 5e-4
#define TAC_ROUGH_SLOPE 2e-3

// constants of a superquadric as rough numbers; logarithms are to base 2
typedef struct sqRough {
    rough R[3][3], inv_a2[3], w2[3], delta[3];
    rough e1, e2, inv_e1, inv_e2, core2, outer, slack;
} sqRough;

static sqRough sq_rough(const tacBound* b) {
    sqRough s;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) s.R[i][k] = rough_set(tac_re(b->frame.R.m[i][k]));
        s.inv_a2[i] = rough_set(tac_re(b->inv_a2[i]));
        s.w2[i] = rough_set(fmax(tac_re(b->w2[i]), 1e-30));
        s.delta[i] = rough_set(fmax(tac_re(b->delta[i]), 1e-36));
    }
    double e1 = tac_re(b->e[0]), e2 = tac_re(b->e[1]), c = tac_re(b->core.radius);
    s.e1 = rough_set(e1), s.e2 = rough_set(e2);
    s.inv_e1 = rough_set(1.0 / e1), s.inv_e2 = rough_set(1.0 / e2);
    s.core2 = rough_set(1.01 * c * c), s.outer = rough_set(1.001 * tac_re(b->outer));
    s.slack = rough_set(TAC_ROUGH_SLOPE / fmin(e1, e2));
    return s;
}

// the weights of a logarithm of two exponentials: d the difference of their exponents
typedef struct roughPair {
    rough d, E, log, inv; // E = 2^-|d|, log2(1 + E), 1/(1 + E)
} roughPair;

TAC_INLINE void rough_pairs(roughPair* pair, int n) {
    TAC_UNROLL for (int j = 0; j < n; ++j) pair[j].E =
        rough_exp2(rough_max(-rough_abs(pair[j].d), rough_set(-100.0)));
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        pair[j].log = rough_log2_1p(pair[j].E);
        pair[j].inv = rough_rcp(1.0f + pair[j].E);
    }
}

// eq. 6 to 11: 1/g and 1/|grad ln g|
TAC_INLINE void rough_gauge(const sqRough* s, rough y[][3], int tangent, rough* G, rough* q,
                            int n) {
    rough u[ROUGH_STAGE][3], N[ROUGH_STAGE];
    roughPair around[ROUGH_STAGE], polar[ROUGH_STAGE];
    for (int i = 0; i < 3; ++i)
        TAC_UNROLL for (int j = 0; j < n; ++j) u[j][i] =
            rough_log2(rough_fma(y[j][i] * y[j][i], s->inv_a2[i], s->w2[i]));
    TAC_UNROLL for (int j = 0; j < n; ++j) around[j].d = (u[j][0] - u[j][1]) * s->inv_e2;
    rough_pairs(around, n);
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        N[j] = rough_fma(s->e2, around[j].log, rough_max(u[j][0], u[j][1]));
        polar[j].d = (N[j] - u[j][2]) * s->inv_e1;
    }
    rough_pairs(polar, n);
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        N[j] = rough_fma(s->e1, polar[j].log, rough_max(N[j], u[j][2]));
        rough half = rough_max(rough_min(-0.5f * N[j], rough_set(100.0)), rough_set(-100.0));
        G[j] = rough_exp2(half);
    }
    if (tangent) TAC_UNROLL for (int j = 0; j < n; ++j) {
            rough large = polar[j].inv, small = polar[j].E * large;
            rough alpha = rough_select_ge0(polar[j].d, large, small);
            rough alpha_c = rough_select_ge0(polar[j].d, small, large);
            rough more = alpha * around[j].inv, less = more * around[j].E;
            rough k[3] = {rough_select_ge0(around[j].d, more, less),
                          rough_select_ge0(around[j].d, less, more), alpha_c};
            rough slope2 = rough_set(1e-36);
            for (int i = 0; i < 3; ++i) {
                rough p = k[i] * y[j][i] * rough_rcp(rough_fma(y[j][i], y[j][i], s->delta[i]));
                slope2 = rough_fma(p, p, slope2);
            }
            q[j] = rough_rsqrt(slope2);
        }
}

// Limits of n rough vectors from 1/g and the slope with their errors. In the core the field lies
// between the raw one and its cap; so far away that squares overflow nothing is said.
TAC_INLINE void sq_limits(const sqRough* s, rough y[][3], int tangent, rough* low, rough* high,
                          int n) {
    rough G[ROUGH_STAGE], q[ROUGH_STAGE];
    rough_gauge(s, y, tangent, G, q, n);
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        rough x2 = y[j][0] * y[j][0], y2 = y[j][1] * y[j][1], z2 = y[j][2] * y[j][2];
        rough r2 = x2 + y2 + z2;
        if (!tangent) q[j] = rough_sqrt(r2);
        rough slack = tangent ? s->slack : rough_set(1e-6);
        rough below = rough_fma(G[j], rough_set(-1.0 - TAC_ROUGH_GAUGE), rough_set(1.0));
        rough above = rough_fma(G[j], rough_set(-1.0 + TAC_ROUGH_GAUGE), rough_set(1.0));
        rough qs = q[j] * slack;
        low[j] = below * q[j] - rough_abs(below) * qs;
        high[j] = above * q[j] + rough_abs(above) * qs;
        rough inside = s->core2 - r2, near = G[j] - 1e-13f, far = rough_set(1e30);
        low[j] = rough_select_ge0(inside, -s->outer, low[j]);
        high[j] = rough_select_ge0(inside, rough_set(0.0), high[j]);
        low[j] = rough_select_ge0(near, low[j], -far);
        high[j] = rough_select_ge0(near, high[j], far);
    }
}

TAC_INLINE void sq_limits_chunk(const tacBound* b, const sqRough* s, const tacReal x[3][TAC_BLOCK],
                                int i, tacReal* low, tacReal* least, int tangent, int n) {
    rough y[ROUGH_STAGE][3], own[ROUGH_STAGE], high[ROUGH_STAGE];
    for (int j = 0; j < n; ++j) {
        rough d[3];
        for (int k = 0; k < 3; ++k)
            d[k] = rough_load(&x[k][i + j * ROUGH_LANES], b->frame.origin[k]);
        for (int k = 0; k < 3; ++k)
            y[j][k] = rough_fma(s->R[0][k], d[0], rough_fma(s->R[1][k], d[1], s->R[2][k] * d[2]));
    }
    sq_limits(s, y, tangent, own, high, n);
    for (int j = 0; j < n; ++j) {
        rough_store(&low[i + j * ROUGH_LANES], own[j]);
        rough_lower(&least[i + j * ROUGH_LANES], high[j]);
    }
}

TAC_INLINE void sq_limits_block(const tacBound* b, const tacReal x[3][TAC_BLOCK], tacReal* low,
                                tacReal* least, int count, int tangent) {
    sqRough s = sq_rough(b);
    int i = 0;
    for (; i + ROUGH_STAGE * ROUGH_LANES <= count; i += ROUGH_STAGE * ROUGH_LANES)
        sq_limits_chunk(b, &s, x, i, low, least, tangent, ROUGH_STAGE);
    for (; i < count; i += ROUGH_LANES) sq_limits_chunk(b, &s, x, i, low, least, tangent, 1);
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

// Of a superquadric with ridges: g is no less than the largest |y_i|/a_i and no more than r/inner,
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

static void leaf_limits(const tacBound* b, const tacReal x[3][TAC_BLOCK], tacReal* low,
                        tacReal* least, int count) {
    if (b->kind == TAC_NODE_SUPERQUADRIC && !b->ridged) {
        if (b->distance == TAC_DISTANCE_TANGENT)
            sq_limits_block(b, x, low, least, count, 1);
        else
            sq_limits_block(b, x, low, least, count, 0);
        return;
    }
    for (int i = 0; i < count; i += TAC_LANES) {
        wide point[3], y[3];
        load3(x, i, point);
        to_local(&b->frame, point, y);
        leafLimits limits = plain_limits(b, y);
        w_store(&low[i], limits.low);
        w_store(&least[i], w_min(limits.high, w_load(&least[i])));
    }
}

// bit i: low[i] is at most `reach` above high[i]; the share of |high| covers its rounding
static uint64_t near(const tacReal* low, const tacReal* high, double reach, int count) {
    uint64_t far = 0;
    for (int i = 0; i < count; i += TAC_LANES) {
        wide limit = w_load(&high[i]);
        limit = w_fma(w_abs(limit), w_set(1e-13), limit + reach);
        far |= (uint64_t)w_negative_bits(limit - w_load(&low[i])) << i;
    }
    return ~far;
}

#endif
