// Cheap limits of a leaf's field, low <= phi <= high, by which a union knows which of its children
// cannot matter at a point (docs/shapes.md, culling). A kind that is not named here has none:
// it is never left out.

#ifndef TAC_SHAPE_LEAF_BOUNDS_INL
#define TAC_SHAPE_LEAF_BOUNDS_INL

#include "math/wide_float.inl"
#include "shape/blend.inl"
#include "shape/leaf/leaf.inl"

typedef struct leafBounds {
    wide low, high;
} leafBounds;

//---------------------------------- superquadric ---------------------------------

// where 1/g is less, products of squares may overflow
#define FLOAT_PASS_FAR 0.0025

// What the passes over a block leave to each other; c = TAC_FLOAT_LEAF_SCALE, logarithms are to
// base 2. Each pass is a short chain, so that the processor has several vectors in flight.
#define FLOAT_PASS_VECTORS (TAC_BLOCK / WIDE_FLOAT_LANES)
typedef struct floatPasses {
    wideFloat v[3][FLOAT_PASS_VECTORS];                     // c^2 (y^2/a^2 + w^2)
    wideFloat u3[FLOAT_PASS_VECTORS];                       // log v_3
    wideFloat d[2][FLOAT_PASS_VECTORS];                     // (u_1 - u_2)/e_2, (M - u_3)/e_1
    wideFloat top[2][FLOAT_PASS_VECTORS];                   // the larger of each pair
    wideFloat E[FLOAT_PASS_VECTORS], F[FLOAT_PASS_VECTORS]; // 2^-|d|
    wideFloat G[FLOAT_PASS_VECTORS], q[FLOAT_PASS_VECTORS]; // 1/g, c/(inner |grad ln g|)
} floatPasses;

// c y/a of a vector of points
TAC_INLINE void float_local(const wideFloat R[3][3], const wideFloat t[3],
                            const float x[3][TAC_BLOCK], int i, wideFloat y[3]) {
    wideFloat d[3];
    for (int k = 0; k < 3; ++k) d[k] = wf_load(&x[k][i]);
    for (int k = 0; k < 3; ++k)
        y[k] = wf_fma(R[0][k], d[0], wf_fma(R[1][k], d[1], wf_fma(R[2][k], d[2], t[k])));
}

static void pass_local(const tacFloatLeaf* s, const float x[3][TAC_BLOCK], floatPasses* p, int n) {
    wideFloat R[3][3], t[3], w2[3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) R[i][k] = wf_set(s->R[i][k]);
        t[i] = wf_set(s->t[i]);
        w2[i] = wf_set(s->w2[i]);
    }
    for (int j = 0; j < n; ++j) {
        wideFloat y[3];
        float_local((const wideFloat(*)[3])R, t, x, j * WIDE_FLOAT_LANES, y);
        for (int k = 0; k < 3; ++k) p->v[k][j] = wf_fma(y[k], y[k], w2[k]);
    }
}

static void pass_logs(const tacFloatLeaf* s, floatPasses* p, int n) {
    wideFloat inv_e = wf_set(s->inv_e[1]);
    for (int j = 0; j < n; ++j) {
        wideFloat u1 = wf_log2(p->v[0][j]), u2 = wf_log2(p->v[1][j]);
        p->d[0][j] = (u1 - u2) * inv_e;
        p->top[0][j] = wf_max(u1, u2);
        p->u3[j] = wf_log2(p->v[2][j]);
    }
}

// 2^-|d| of n vectors in lock step, and log2(1 + 2^-|d|)
TAC_INLINE void float_weights(const wideFloat* d, wideFloat* E, wideFloat* log_E, int n) {
    TAC_UNROLL for (int i = 0; i < n; ++i) E[i] = wf_max(wf_minus_abs(d[i]), wf_set(-100.0));
    wf_exp2(E, n);
    TAC_UNROLL for (int i = 0; i < n; ++i) log_E[i] = E[i];
    wf_log2_1p(log_E, n);
}

static void pass_around(const tacFloatLeaf* s, floatPasses* p, int n) {
    wideFloat e = wf_set(s->e[1]), inv_e = wf_set(s->inv_e[0]), M[WIDE_FLOAT_STAGE];
    for (int j = 0; j < n; j += WIDE_FLOAT_STAGE) {
        float_weights(&p->d[0][j], &p->E[j], M, WIDE_FLOAT_STAGE);
        TAC_UNROLL for (int i = 0; i < WIDE_FLOAT_STAGE; ++i) M[i] =
            wf_fma(e, M[i], p->top[0][j + i]);
        TAC_UNROLL for (int i = 0; i < WIDE_FLOAT_STAGE; ++i) {
            p->d[1][j + i] = (M[i] - p->u3[j + i]) * inv_e;
            p->top[1][j + i] = wf_max(M[i], p->u3[j + i]);
        }
    }
}

static void pass_pole(const tacFloatLeaf* s, floatPasses* p, int n) {
    wideFloat e = wf_set(s->e[0]), half = wf_set(-0.5), scale = wf_set(TAC_FLOAT_LEAF_SCALE_LOG2);
    for (int j = 0; j < n; j += WIDE_FLOAT_STAGE) {
        wideFloat G[WIDE_FLOAT_STAGE];
        float_weights(&p->d[1][j], &p->F[j], G, WIDE_FLOAT_STAGE);
        TAC_UNROLL for (int i = 0; i < WIDE_FLOAT_STAGE; ++i) G[i] =
            wf_fma(e, G[i], p->top[1][j + i]);
        TAC_UNROLL for (int i = 0; i < WIDE_FLOAT_STAGE; ++i) G[i] = wf_fma(G[i], half, scale);
        wf_exp2(G, WIDE_FLOAT_STAGE);
        TAC_UNROLL for (int i = 0; i < WIDE_FLOAT_STAGE; ++i) p->G[j + i] = G[i];
    }
}

// q^2 = 1/sum (k_i inner/a_i)^2/v_i without a division: with the weights k = (1 or E)/(1 + E) times
// (1 or F)/(1 + F), q^2 = ((1 + E)(1 + F))^2 D/N, D = v_1 v_2 v_3
static void pass_slope(const tacFloatLeaf* s, floatPasses* p, int n) {
    wideFloat thin2[3];
    for (int i = 0; i < 3; ++i) thin2[i] = wf_set(s->thin[i] * s->thin[i]);
    for (int j = 0; j < n; ++j) {
        wideFloat v01 = p->v[0][j] * p->v[1][j], D = v01 * p->v[2][j], d0 = p->d[0][j],
                  d1 = p->d[1][j];
        wideFloat E = p->E[j], F = p->F[j], E1 = E + 1.0f, F1 = F + 1.0f;
        wideFloat first = thin2[0] * p->v[1][j], second = thin2[1] * p->v[0][j];
        wideFloat around = wf_select_ge0(d0, first, second);
        around = wf_fma(E * E, wf_select_ge0(d0, second, first), around) * p->v[2][j];
        wideFloat pole = thin2[2] * v01 * (E1 * E1), N = wf_select_ge0(d1, around, pole);
        N = wf_fma(F * F, wf_select_ge0(d1, pole, around), N);
        p->q[j] = D * (E1 * F1) * wf_rsqrt(N * D);
    }
}

// Deep inside, where g < 1/4, the field lies between -outer and 0. Far away, where squares might
// overflow, it lies between inner (g - 1) and outer g.
TAC_INLINE void tangent_extremes(const tacFloatLeaf* s, wideFloat G, wideFloat* low,
                                 wideFloat* high) {
    wideFloat outside = 4.0f - G, is_near = G - (float)FLOAT_PASS_FAR, one = wf_set(1.0),
              g = one / G;
    wideFloat beyond = s->inner * wf_fma(g, wf_set(0.9), -one);
    wideFloat top = wf_select_ge0(G - 1e-13f, 1.1f * s->outer * g, wf_set(TAC_BOUND_UNKNOWN));
    *low = wf_select_ge0(is_near, wf_select_ge0(outside, *low, wf_set(-s->outer)), beyond);
    *high = wf_select_ge0(is_near, wf_select_ge0(outside, *high, wf_set(0.0)), top);
}

TAC_INLINE void store_bounds(wideFloat own, wideFloat high, float* low, float* least) {
    wf_store(low, own);
    wf_store(least, wf_min(high, wf_load(least)));
}

// the tangent distance (1 - 1/g)/|grad ln g|, both with their errors
static void pass_bounds(const tacFloatLeaf* s, const floatPasses* p, float* low, float* least,
                        int n) {
    double unit = (double)s->inner / TAC_FLOAT_LEAF_SCALE;
    wideFloat under = wf_set(-unit * (1.0 + s->gauge)), over = wf_set(-unit * (1.0 - s->gauge));
    wideFloat one = wf_set(unit), slope = wf_set(s->slope);
    for (int j = 0; j < n; ++j) {
        wideFloat G = p->G[j], below = wf_fma(G, under, one), above = wf_fma(G, over, one);
        wideFloat own = p->q[j] * wf_fma(wf_minus_abs(below), slope, below);
        wideFloat high = p->q[j] * wf_fma(wf_abs(above), slope, above);
        if (wf_negative_bits(wf_min(4.0f - G, G - (float)FLOAT_PASS_FAR)))
            tangent_extremes(s, G, &own, &high);
        store_bounds(own, high, &low[j * WIDE_FLOAT_LANES], &least[j * WIDE_FLOAT_LANES]);
    }
}

static void tangent_block(const tacFloatLeaf* s, const float x[3][TAC_BLOCK], float* low,
                          float* least, int count) {
    floatPasses p;
    int n = (count + WIDE_FLOAT_LANES - 1) / WIDE_FLOAT_LANES;
    pass_local(s, x, &p, n);
    pass_logs(s, &p, n);
    pass_around(s, &p, n);
    pass_pole(s, &p, n);
    pass_slope(s, &p, n);
    pass_bounds(s, &p, low, least, n);
}

// The radial distance r (1 - 1/g) needs g alone, which for exponents up to 1 lies between the
// largest y_i/a_i, or 2^((e1 + e2)/2 - 1) of their Euclidean norm, and that norm
static void radial_block(const tacFloatLeaf* s, const float x[3][TAC_BLOCK], float* low,
                         float* least, int count) {
    wideFloat R[3][3], t[3], a2[3], tiny = wf_set(1e-30), one = wf_set(1.0);
    double c = TAC_FLOAT_LEAF_SCALE;
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 3; ++j) R[j][k] = wf_set(s->R[j][k] / c);
        double a = (double)s->inner / (double)s->thin[k];
        t[k] = wf_set(s->t[k] / c);
        a2[k] = wf_set(a * a);
    }
    wideFloat slack = wf_set(s->gauge), w2 = wf_set((s->w2[0] + s->w2[1] + s->w2[2]) / (c * c));
    for (int i = 0; i < count; i += WIDE_FLOAT_LANES) {
        wideFloat y[3], most = tiny, square = w2, r2 = tiny;
        float_local((const wideFloat(*)[3])R, t, x, i, y);
        for (int k = 0; k < 3; ++k) {
            wideFloat u = y[k] * y[k];
            most = wf_max(most, u);
            square = square + u;
            r2 = wf_fma(u, a2[k], r2);
        }
        wideFloat r = wf_sqrt(r2), G = one / wf_sqrt(square);
        wideFloat top = wf_min(G * s->flat, one / wf_sqrt(most));
        wideFloat own = r * wf_fma(top, wf_set(-1.0) - slack, one - slack);
        wideFloat high = r * wf_fma(G, slack - 1.0f, one + slack);
        wideFloat outside = 4.0f - G, is_near = G - 1e-13f, far = wf_set(TAC_BOUND_UNKNOWN);
        if (wf_negative_bits(wf_min(outside, is_near)) != 0) {
            own = wf_select_ge0(is_near, wf_select_ge0(outside, own, wf_set(-s->outer)), -far);
            high = wf_select_ge0(is_near, wf_select_ge0(outside, high, wf_set(0.0)), far);
        }
        store_bounds(own, high, &low[i], &least[i]);
    }
}

//---------------------------------- other leaves ---------------------------------

// the core of a sphere lies between -R and the cone
TAC_INLINE leafBounds sphere_bounds(const tacNodeData* b, const wide y[3]) {
    wide r = w_sqrt(w_dot3(y, y) + TAC_CENTRE), high = r - b->size[0];
    return (leafBounds){w_select_ge0(r - b->core.radius, high, w_set(-b->size[0])), high};
}

// What softening does: |x| <= |x|_d <= |x| + d ln 2, and J lies between the largest face and the
// distance to the corner (docs/shapes.md, culling)
TAC_INLINE leafBounds soft_bounds(const tacNodeData* b, const wide y[3]) {
    wide zero = w_set(0.0), z = w_abs(y[2]), q[3];
    int n = b->kind == TAC_NODE_BOX ? 3 : 2;
    if (b->kind == TAC_NODE_CAPSULE) {
        wide over = w_max(z - b->size[1], zero), v[3] = {y[0], y[1], over};
        wide D = w_sqrt(w_dot3(v, v) + b->guard) - b->size[0];
        return (leafBounds){D - 0.35 * b->width, D + 1.05 * b->width};
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
    return (leafBounds){w_select_ge0(most, outside, most), D + 2.5 * b->width};
}

// Of any superquadric: g is no less than the largest |y_i|/a_i and no more than r/inner,
// so phi is between inner (g - 1), or r - outer of the radial distance, and r - inner. The slope of
// a tangent one may be less than |grad ln g|, by 1 + W outer/a at most.
TAC_INLINE leafBounds ridged_bounds(const tacNodeData* b, const wide y[3]) {
    wide r = w_sqrt(w_dot3(y, y) + TAC_CENTRE), g = w_abs(y[0]) / b->size[0];
    for (int i = 1; i < 3; ++i) g = w_max(g, w_abs(y[i]) / b->size[i]);
    wide outside = b->distance == TAC_DISTANCE_RADIAL ? r - b->outer : b->inner * (g - 1.0);
    tacReal least = r_min(b->size[0], r_min(b->size[1], b->size[2]));
    tacReal steeper = 1.0 + r_sqrt(b->ridge[0]) * b->outer / least;
    wide high = r - b->inner;
    return (leafBounds){w_select_ge0(g - 1.0, outside, w_set(-TAC_CULLED_VALUE)),
                        w_max(high, high * steeper)};
}

TAC_INLINE leafBounds plain_bounds(const tacNodeData* b, const wide y[3]) {
    if (b->kind == TAC_NODE_SUPERQUADRIC) return ridged_bounds(b, y);
    if (b->kind == TAC_NODE_SPHERE) return sphere_bounds(b, y);
    if (b->kind == TAC_NODE_PLANE) return (leafBounds){y[2], y[2]};
    if (tac_node_is_soft(b->kind)) return soft_bounds(b, y);
    return (leafBounds){w_set(-TAC_CULLED_VALUE), w_set(TAC_CULLED_VALUE)};
}

//---------------------------------- blocks ---------------------------------------

// a limit as a single-precision number, moved outwards by more than it, and its sum with a cut-off,
// is rounded
static float round_outwards(tacReal limit, double way) {
    double l = fmax(fmin(tac_re(limit), TAC_BOUND_UNKNOWN), -TAC_BOUND_UNKNOWN);
    return (float)(l + way * (1e-6 * fabs(l) + 1e-30));
}

static void plain_block(const tacNodeData* b, const tacReal x[3][TAC_BLOCK], float* low,
                        float* least, int count) {
    tacReal both[2][TAC_LANES];
    for (int i = 0; i < count; i += TAC_LANES) {
        wide point[3], y[3];
        load3(x, i, point);
        to_local(&b->frame, point, y);
        leafBounds bounds = plain_bounds(b, y);
        w_store(both[0], bounds.low);
        w_store(both[1], bounds.high);
        for (int j = 0; j < TAC_LANES; ++j) {
            low[i + j] = round_outwards(both[0][j], -1.0);
            least[i + j] = fminf(least[i + j], round_outwards(both[1][j], 1.0));
        }
    }
}

static void float_points(const tacReal x[3][TAC_BLOCK], const double origin[3],
                         float out[3][TAC_BLOCK], int count) {
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < count; i += WIDE_FLOAT_LANES)
            wf_store(&out[k][i], wf_minus(&x[k][i], origin[k]));
}

static void float_block(const tacNodeData* b, const tacFloatLeaf* s, const float x[3][TAC_BLOCK],
                        float* low, float* least, int count) {
    if (b->distance == TAC_DISTANCE_TANGENT)
        tangent_block(s, x, low, least, count);
    else
        radial_block(s, x, low, least, count);
}

static void leaf_bounds(const tacNodeData* b, const tacFloatLeaf* s, const tacReal x[3][TAC_BLOCK],
                        const float centered_x[3][TAC_BLOCK], float* low, float* least, int count) {
    if (!s->use) {
        plain_block(b, x, low, least, count);
    } else if (s->use == TAC_FLOAT_LEAF_SHARED) {
        float_block(b, s, centered_x, low, least, count);
    } else {
        float own_x[3][TAC_BLOCK];
        const double origin[3] = {tac_re(b->frame.origin[0]), tac_re(b->frame.origin[1]),
                                  tac_re(b->frame.origin[2])};
        float_points(x, origin, own_x, count);
        float_block(b, s, (const float(*)[TAC_BLOCK])own_x, low, least, count);
    }
}

// bit i: low[i] is at most `cutoff` above high[i], and at most `end`; limits allow for what the
// sum is rounded
static tacPointMask is_near(const float* low, const float* high, double cutoff, double end,
                            int count) {
    tacPointMask bits = {{0}};
    wideFloat least = wf_set(1.000001 * cutoff), most = wf_set(1.000001 * end);
    for (int word = 0; word * 64 < count; ++word) {
        uint64_t far = 0;
        for (int i = 0; i < 64; i += WIDE_FLOAT_LANES) {
            int at = 64 * word + i;
            wideFloat gap = wf_min(wf_load(&high[at]) + least, most) - wf_load(&low[at]);
            far |= (uint64_t)wf_negative_bits(gap) << i;
        }
        bits.word[word] = ~far;
    }
    return bits;
}

#endif
