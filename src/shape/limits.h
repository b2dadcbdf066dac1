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

// What the passes over a block leave to each other; c = TAC_ROUGH_SCALE, logarithms are to base 2.
// Each pass is a short chain, so that the processor has several vectors in hand at once.
#define ROUGH_VECTORS (TAC_BLOCK / ROUGH_LANES)
typedef struct roughPasses {
    rough v[3][ROUGH_VECTORS];                // c^2 (y^2/a^2 + w^2)
    rough u3[ROUGH_VECTORS];                  // log v_3
    rough d[2][ROUGH_VECTORS];                // (u_1 - u_2)/e_2, (M - u_3)/e_1
    rough top[2][ROUGH_VECTORS];              // the larger of each pair
    rough E[ROUGH_VECTORS], F[ROUGH_VECTORS]; // 2^-|d|
    rough G[ROUGH_VECTORS], q[ROUGH_VECTORS]; // 1/g, c/(inner |grad ln g|)
} roughPasses;

// c y/a of a vector of points
TAC_INLINE void rough_local(const rough R[3][3], const rough t[3], const float x[3][TAC_BLOCK],
                            int i, rough y[3]) {
    rough d[3];
    for (int k = 0; k < 3; ++k) d[k] = rough_load(&x[k][i]);
    for (int k = 0; k < 3; ++k)
        y[k] = rough_fma(R[0][k], d[0], rough_fma(R[1][k], d[1], rough_fma(R[2][k], d[2], t[k])));
}

static void pass_local(const tacRough* s, const float x[3][TAC_BLOCK], roughPasses* p, int n) {
    rough R[3][3], t[3], w2[3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) R[i][k] = rough_set(s->R[i][k]);
        t[i] = rough_set(s->t[i]);
        w2[i] = rough_set(s->w2[i]);
    }
    for (int j = 0; j < n; ++j) {
        rough y[3];
        rough_local((const rough(*)[3])R, t, x, j * ROUGH_LANES, y);
        for (int k = 0; k < 3; ++k) p->v[k][j] = rough_fma(y[k], y[k], w2[k]);
    }
}

static void pass_logs(const tacRough* s, roughPasses* p, int n) {
    rough inv_e = rough_set(s->inv_e[1]);
    for (int j = 0; j < n; ++j) {
        rough u1 = rough_log2(p->v[0][j]), u2 = rough_log2(p->v[1][j]);
        p->d[0][j] = (u1 - u2) * inv_e;
        p->top[0][j] = rough_max(u1, u2);
        p->u3[j] = rough_log2(p->v[2][j]);
    }
}

// 2^-|d| of n vectors in lock step, and log2(1 + 2^-|d|)
TAC_INLINE void rough_weights(const rough* d, rough* E, rough* log_E, int n) {
    TAC_UNROLL for (int i = 0; i < n; ++i) E[i] =
        rough_max(rough_minus_abs(d[i]), rough_set(-100.0));
    rough_exp2(E, n);
    TAC_UNROLL for (int i = 0; i < n; ++i) log_E[i] = E[i];
    rough_log2_1p(log_E, n);
}

static void pass_around(const tacRough* s, roughPasses* p, int n) {
    rough e = rough_set(s->e[1]), inv_e = rough_set(s->inv_e[0]), M[ROUGH_STAGE];
    for (int j = 0; j < n; j += ROUGH_STAGE) {
        rough_weights(&p->d[0][j], &p->E[j], M, ROUGH_STAGE);
        TAC_UNROLL for (int i = 0; i < ROUGH_STAGE; ++i) M[i] =
            rough_fma(e, M[i], p->top[0][j + i]);
        TAC_UNROLL for (int i = 0; i < ROUGH_STAGE; ++i) {
            p->d[1][j + i] = (M[i] - p->u3[j + i]) * inv_e;
            p->top[1][j + i] = rough_max(M[i], p->u3[j + i]);
        }
    }
}

static void pass_pole(const tacRough* s, roughPasses* p, int n) {
    rough e = rough_set(s->e[0]), half = rough_set(-0.5), scale = rough_set(TAC_ROUGH_SCALE_LOG2);
    for (int j = 0; j < n; j += ROUGH_STAGE) {
        rough G[ROUGH_STAGE];
        rough_weights(&p->d[1][j], &p->F[j], G, ROUGH_STAGE);
        TAC_UNROLL for (int i = 0; i < ROUGH_STAGE; ++i) G[i] =
            rough_fma(e, G[i], p->top[1][j + i]);
        TAC_UNROLL for (int i = 0; i < ROUGH_STAGE; ++i) G[i] = rough_fma(G[i], half, scale);
        rough_exp2(G, ROUGH_STAGE);
        TAC_UNROLL for (int i = 0; i < ROUGH_STAGE; ++i) p->G[j + i] = G[i];
    }
}

// q^2 = 1/sum (k_i inner/a_i)^2/v_i without a division: with the weights k = (1 or E)/(1 + E) times
// (1 or F)/(1 + F), q^2 = ((1 + E)(1 + F))^2 D/N, D = v_1 v_2 v_3
static void pass_slope(const tacRough* s, roughPasses* p, int n) {
    rough thin2[3];
    for (int i = 0; i < 3; ++i) thin2[i] = rough_set(s->thin[i] * s->thin[i]);
    for (int j = 0; j < n; ++j) {
        rough v01 = p->v[0][j] * p->v[1][j], D = v01 * p->v[2][j], d0 = p->d[0][j], d1 = p->d[1][j];
        rough E = p->E[j], F = p->F[j], E1 = E + 1.0f, F1 = F + 1.0f;
        rough first = thin2[0] * p->v[1][j], second = thin2[1] * p->v[0][j];
        rough around = rough_select_ge0(d0, first, second);
        around = rough_fma(E * E, rough_select_ge0(d0, second, first), around) * p->v[2][j];
        rough pole = thin2[2] * v01 * (E1 * E1), N = rough_select_ge0(d1, around, pole);
        N = rough_fma(F * F, rough_select_ge0(d1, pole, around), N);
        p->q[j] = D * (E1 * F1) * rough_rsqrt(N * D);
    }
}

// Deep inside, where g < 1/4, the field lies between -outer and 0. Far away, where squares might
// overflow, it lies between inner (g - 1) and outer g.
TAC_INLINE void tangent_extremes(const tacRough* s, rough G, rough* low, rough* high) {
    rough outside = 4.0f - G, near = G - (float)ROUGH_AWAY, one = rough_set(1.0), g = one / G;
    rough beyond = s->inner * rough_fma(g, rough_set(0.9), -one);
    rough top = rough_select_ge0(G - 1e-13f, 1.1f * s->outer * g, rough_set(TAC_ROUGH_FAR));
    *low = rough_select_ge0(near, rough_select_ge0(outside, *low, rough_set(-s->outer)), beyond);
    *high = rough_select_ge0(near, rough_select_ge0(outside, *high, rough_set(0.0)), top);
}

TAC_INLINE void store_limits(rough own, rough high, float* low, float* least) {
    rough_store(low, own);
    rough_store(least, rough_min(high, rough_load(least)));
}

// the tangent distance (1 - 1/g)/|grad ln g|, both with their errors
static void pass_limits(const tacRough* s, const roughPasses* p, float* low, float* least, int n) {
    double unit = (double)s->inner / TAC_ROUGH_SCALE;
    rough under = rough_set(-unit * (1.0 + s->gauge)), over = rough_set(-unit * (1.0 - s->gauge));
    rough one = rough_set(unit), slope = rough_set(s->slope);
    for (int j = 0; j < n; ++j) {
        rough G = p->G[j], below = rough_fma(G, under, one), above = rough_fma(G, over, one);
        rough own = p->q[j] * rough_fma(rough_minus_abs(below), slope, below);
        rough high = p->q[j] * rough_fma(rough_abs(above), slope, above);
        if (rough_negative_bits(rough_min(4.0f - G, G - (float)ROUGH_AWAY)))
            tangent_extremes(s, G, &own, &high);
        store_limits(own, high, &low[j * ROUGH_LANES], &least[j * ROUGH_LANES]);
    }
}

static void tangent_block(const tacRough* s, const float x[3][TAC_BLOCK], float* low, float* least,
                          int count) {
    roughPasses p;
    int n = (count + ROUGH_LANES - 1) / ROUGH_LANES;
    pass_local(s, x, &p, n);
    pass_logs(s, &p, n);
    pass_around(s, &p, n);
    pass_pole(s, &p, n);
    pass_slope(s, &p, n);
    pass_limits(s, &p, low, least, n);
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
        t[k] = rough_set(s->t[k] / c);
        a2[k] = rough_set(a * a);
    }
    rough slack = rough_set(s->gauge), w2 = rough_set((s->w2[0] + s->w2[1] + s->w2[2]) / (c * c));
    for (int i = 0; i < count; i += ROUGH_LANES) {
        rough y[3], most = tiny, square = w2, r2 = tiny;
        rough_local((const rough(*)[3])R, t, x, i, y);
        for (int k = 0; k < 3; ++k) {
            rough u = y[k] * y[k];
            most = rough_max(most, u);
            square = square + u;
            r2 = rough_fma(u, a2[k], r2);
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

// a limit as a rough number, moved outwards by more than it, and its sum with a cut-off, is rounded
static float outwards(tacReal limit, double way) {
    double l = fmax(fmin(tac_re(limit), TAC_ROUGH_FAR), -TAC_ROUGH_FAR);
    return (float)(l + way * (1e-6 * fabs(l) + 1e-30));
}

static void plain_block(const tacBound* b, const tacReal x[3][TAC_BLOCK], float* low, float* least,
                        int count) {
    tacReal both[2][TAC_LANES];
    for (int i = 0; i < count; i += TAC_LANES) {
        wide point[3], y[3];
        load3(x, i, point);
        to_local(&b->frame, point, y);
        leafLimits limits = plain_limits(b, y);
        w_store(both[0], limits.low);
        w_store(both[1], limits.high);
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

// bit i: low[i] is at most `reach` above high[i], and at most `end`; limits have room for what the
// sum is rounded
static tacBits near(const float* low, const float* high, double reach, double end, int count) {
    tacBits bits = {{0}};
    rough least = rough_set(1.000001 * reach), most = rough_set(1.000001 * end);
    for (int word = 0; word * 64 < count; ++word) {
        uint64_t far = 0;
        for (int i = 0; i < 64; i += ROUGH_LANES) {
            int at = 64 * word + i;
            rough gap = rough_min(rough_load(&high[at]) + least, most) - rough_load(&low[at]);
            far |= (uint64_t)rough_negative_bits(gap) << i;
        }
        bits.word[word] = ~far;
    }
    return bits;
}

#endif
