// Oriented point cloud: phi = sum w_i f_i, f_i = n_i . (y - p_i), w = softmax of ln B_i
// (docs/shapes.md eq. 23 to 27).
//
//   isotropic:   ln B = l - u,  u = |d|^2/eps1,  d = y - p
//   anisotropic: ln B = l - d' M d
//   Wendland:    ln B = l + ln(psi(u) + TAIL exp(-u))
//
// With a = grad ln B, A = its Hessian and <.> the mean by w:
//
//   grad phi = g = <n> + <(f - phi) a>
//   hess phi = <n a' + a n'> - g <a>' - <a> g' + <(f - phi)(a a' + A)>
//
// Neither changes if a constant is added to f or a, a matrix to A: all are taken relative to the
// best point m, e = p - p_m, so that nothing cancels far away. Lanes are points of the cloud, one y
// at a time: what is skipped depends on y alone.

#ifndef TAC_SHAPE_CLOUD_H
#define TAC_SHAPE_CLOUD_H

#include "shape/cloud_search.h"

#if defined(__GNUC__)
#define TAC_APART static __attribute__((noinline, unused))
#else
#define TAC_APART static
#endif

// vectors of a leaf, in lock step
#define TAC_CLOUD_STAGE (TAC_CLOUD_LEAF / TAC_LANES)

// weight below which a Wendland kernel counts as a Gaussian; its square does not underflow
#define TAC_CLOUD_NOTHING 1e-140

// one point of a cloud's frame, and what its best point gives
typedef struct cloudAt {
    cloudSearch search;
    tacReal y[3];
    tacReal p[3], d[3], f, log_amp, metric[6]; // of the best point m; f = n_m . d
    tacReal inv_eps, peak, twice[3];           // 1/eps1; exp(u_m); 2 d_m/eps1
    double cut;                                // ln of the relative weight that counts no more
    tacReal total;                             // sum of weights, in units of a common one
    tacReal phi, g[3], a[3];                   // phi - f_m, gradient, <a>
} cloudAt;

// columns x y z nx ny nz, log_amp, metric of a leaf: in place, or a copy filled up to a whole leaf
typedef struct cloudLeaf {
    const tacReal* first;
    size_t step;        // from column to column
    const double* mask; // 1 for points, 0 for filling; NULL if all are points
    tacReal copy[13 * TAC_CLOUD_LEAF];
} cloudLeaf;

static const double cloud_mask[2 * TAC_CLOUD_LEAF] = {1, 1, 1, 1, 1, 1, 1, 1,
                                                      1, 1, 1, 1, 1, 1, 1, 1};

TAC_APART void copy_leaf(cloudLeaf* leaf, int columns, int count) {
    for (int k = 0; k < columns; ++k)
        for (int i = 0; i < TAC_CLOUD_LEAF; ++i)
            leaf->copy[k * TAC_CLOUD_LEAF + i] =
                leaf->first[(size_t)k * leaf->step + (size_t)(i < count ? i : count - 1)];
    leaf->first = leaf->copy, leaf->step = TAC_CLOUD_LEAF;
    leaf->mask = cloud_mask + TAC_CLOUD_LEAF - count;
}

TAC_INLINE void load_leaf(const cloudSearch* s, int index, cloudLeaf* leaf) {
    const tacCloud* c = s->b->cloud;
    int count = leaf_count(s, index);
    leaf->first = s->b->block + index * TAC_CLOUD_LEAF;
    leaf->step = (size_t)c->count;
    leaf->mask = NULL;
    if (count < TAC_CLOUD_LEAF) copy_leaf(leaf, tac_cloud_stride(c), count);
}

TAC_INLINE wide load_column(const cloudLeaf* leaf, int column, int j) {
    return w_load(&leaf->first[(size_t)column * leaf->step + (size_t)j]);
}

#if TAC_LANES == 1
TAC_INLINE wide load_mask(const double* mask) { return w_set(*mask); }
#else
TAC_INLINE wide load_mask(const double* mask) { return w_load(mask); }
#endif

//---------------------------------- one vector of points -------------------------

// Of points of the cloud against y. Relative: f to f_m, a to -2 d_m/eps1 (isotropic, Wendland) or
// to a_m, A to -2/eps1.
typedef struct cloudPair {
    wide w, f, n[3], d[3], e[3], a[3];
    wide geo;           // u_m - u
    wide over, bend, u; // Wendland: d ln B/du + 1, its derivative by u, u
    wide M[6];          // anisotropic
} cloudPair;

TAC_INLINE void load_arms(const cloudAt* at, const cloudLeaf* leaf, int j, cloudPair* o) {
    for (int k = 0; k < 3; ++k) {
        wide p = load_column(leaf, k, j);
        o->e[k] = p - w_set(at->p[k]);
        o->d[k] = w_set(at->y[k]) - p;
    }
}

// geo = e' M (d_m + d) - d_m' (M - M_m) d_m, a - a_m = 2 M e - 2 (M - M_m) d_m
TAC_INLINE void metric_pair(const cloudAt* at, const cloudLeaf* leaf, int j, cloudPair* o) {
    int from = tac_cloud_metric(at->search.b->cloud);
    wide both[3], dm[3], less[6], t[3], td[3];
    for (int k = 0; k < 6; ++k) {
        o->M[k] = load_column(leaf, from + k, j);
        less[k] = o->M[k] - w_set(at->metric[k]);
    }
    for (int k = 0; k < 3; ++k) dm[k] = w_set(at->d[k]), both[k] = dm[k] + o->d[k];
    w_symmetric_mul(o->M, o->e, t);
    w_symmetric_mul(less, dm, td);
    o->geo = w_dot3(t, both) - w_dot3(td, dm);
    for (int k = 0; k < 3; ++k) o->a[k] = 2.0 * (t[k] - td[k]);
}

// geo alone: e . (2 d_m - e)/eps1
TAC_INLINE wide pair_geo(const cloudAt* at, const cloudLeaf* leaf, int j, tacCloudKernel kernel) {
    if (kernel == TAC_CLOUD_ANISOTROPIC) {
        cloudPair o;
        load_arms(at, leaf, j, &o);
        metric_pair(at, leaf, j, &o);
        return o.geo;
    }
    // of -e, as a point can be subtracted where it stands
    wide less = w_set(-at->inv_eps), e[3], q[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = w_set(at->p[k]) - load_column(leaf, k, j);
        q[k] = w_fma(less, e[k], w_set(-at->twice[k]));
    }
    return w_fma(e[0], q[0], w_fma(e[1], q[1], e[2] * q[2]));
}

TAC_INLINE wide pair_rise(const cloudAt* at, const cloudLeaf* leaf, int j) {
    return load_column(leaf, 6, j) - w_set(at->log_amp);
}

// geo of a whole leaf; 0 if no point counts
TAC_INLINE int leaf_geo(const cloudAt* at, const cloudLeaf* leaf, wide geo[TAC_CLOUD_STAGE],
                        tacCloudKernel kernel) {
    wide most = w_set(-1e300);
    TAC_UNROLL
    for (int i = 0; i < TAC_CLOUD_STAGE; ++i) {
        geo[i] = pair_geo(at, leaf, i * TAC_LANES, kernel);
        wide score = geo[i];
        if (at->search.b->cloud->has_log_amp) score = score + pair_rise(at, leaf, i * TAC_LANES);
        most = w_max(most, score);
    }
    return w_any_negative(w_set(at->cut) - most);
}

// a leaf with its geo; how many points it has, 0 if none counts
TAC_INLINE int open_leaf(const cloudAt* at, int index, cloudLeaf* leaf, wide geo[TAC_CLOUD_STAGE],
                         tacCloudKernel kernel) {
    load_leaf(&at->search, index, leaf);
    return leaf_geo(at, leaf, geo, kernel) ? leaf_count(&at->search, index) : 0;
}

// psi = (1 - t)^6 (35 t^2 + 18 t + 3)/3, t^2 = 3 u/28: psi' = -(1 - t)^5 (1 + 5 t),
// psi'' = 45/28 (1 - t)^4; weight psi exp(u_m) + TAIL exp(u_m - u)
TAC_INLINE void wendland_pair(const cloudAt* at, cloudPair* o) {
    wide inv = w_set(at->inv_eps), peak = w_set(at->peak);
    o->u = w_dot3(o->d, o->d) * inv;
    wide t = w_min(w_sqrt(o->u * (1.0 / TAC_CLOUD_END) + TAC_CENTRE), w_set(1.0));
    wide r = 1.0 - t, r2 = r * r, r4 = r2 * r2;
    wide psi = r4 * r2 * w_fma(t, w_fma(t, w_set(35.0 / 3.0), w_set(6.0)), w_set(1.0));
    wide d1 = -r4 * r * w_fma(t, w_set(5.0), w_set(1.0)), d2 = (45.0 / 28.0) * r4;
    wide body = psi * peak, weight = w_fma(w_set(TAC_CLOUD_TAIL), o->w, body);
    wide share = peak / (weight + TAC_CLOUD_NOTHING);
    o->over = (d1 + psi) * share;
    o->bend = (d2 + 2.0 * d1 + psi) * share - o->over * o->over;
    wide by_d = 2.0 * inv * o->over;
    for (int k = 0; k < 3; ++k) o->a[k] = w_fma(by_d, o->d[k], o->a[k]);
    o->w = weight;
}

TAC_INLINE void cloud_pair(const cloudAt* at, const cloudLeaf* leaf, int j, wide geo, cloudPair* o,
                           tacCloudKernel kernel) {
    load_arms(at, leaf, j, o);
    o->f = w_set(-at->f);
    for (int k = 0; k < 3; ++k) {
        o->n[k] = load_column(leaf, 3 + k, j);
        o->f = w_fma(o->n[k], o->d[k], o->f);
    }
    if (kernel == TAC_CLOUD_ANISOTROPIC) {
        metric_pair(at, leaf, j, o);
    } else {
        wide twice = w_set(at->inv_eps + at->inv_eps);
        for (int k = 0; k < 3; ++k) o->a[k] = twice * o->e[k];
    }
    o->geo = geo;
    if (at->search.b->cloud->has_log_amp && kernel != TAC_CLOUD_WENDLAND)
        geo = geo + pair_rise(at, leaf, j);
    // no more than 0 but for rounding, which far away may be large
    o->w = w_exp_regular(w_min(geo, w_set(30.0)));
    if (kernel == TAC_CLOUD_WENDLAND) {
        wendland_pair(at, o);
        if (at->search.b->cloud->has_log_amp)
            o->w = o->w * w_exp(w_min(pair_rise(at, leaf, j), w_set(300.0)));
    }
    if (leaf->mask) o->w = o->w * load_mask(&leaf->mask[j]);
}

//---------------------------------- value, gradient, Hessian ---------------------

typedef struct cloudSums {
    const cloudAt* at;
    wide w, f, n[3], a[3], fa[3];
    wide T[6], U[6]; // of n a' + a n' + f (a a' + A), and of a a' + A
} cloudSums;

// H += s (A - common part), A = (2 over I + 4 bend d d'/eps1)/eps1 or -2 M
TAC_INLINE void add_curvature(const cloudAt* at, const cloudPair* o, wide s, wide H[6],
                              tacCloudKernel kernel) {
    if (kernel == TAC_CLOUD_ANISOTROPIC)
        for (int k = 0; k < 6; ++k) H[k] = w_fma(-2.0 * s, o->M[k] - w_set(at->metric[k]), H[k]);
    if (kernel == TAC_CLOUD_WENDLAND) {
        wide inv = w_set(at->inv_eps), round = 2.0 * s * o->over * inv;
        for (int k = 0; k < 3; ++k) H[k] = H[k] + round;
        w_add_square(H, 4.0 * s * o->bend * inv * inv, o->d);
    }
}

TAC_INLINE void sum_leaf(cloudSums* s, int index, tacCloudKernel kernel, int order) {
    cloudLeaf leaf;
    wide geo[TAC_CLOUD_STAGE];
    if (!open_leaf(s->at, index, &leaf, geo, kernel)) return;
    TAC_UNROLL
    for (int i = 0; i < TAC_CLOUD_STAGE; ++i) {
        cloudPair o;
        cloud_pair(s->at, &leaf, i * TAC_LANES, geo[i], &o, kernel);
        wide wf = o.w * o.f;
        s->w = s->w + o.w;
        s->f = s->f + wf;
        for (int k = 0; k < 3 && order >= 1; ++k) {
            s->n[k] = w_fma(o.w, o.n[k], s->n[k]);
            s->a[k] = w_fma(o.w, o.a[k], s->a[k]);
            s->fa[k] = w_fma(wf, o.a[k], s->fa[k]);
        }
        if (order < 2) continue;
        w_add_product(s->T, o.w, o.n, o.a);
        w_add_square(s->T, wf, o.a);
        w_add_square(s->U, o.w, o.a);
        add_curvature(s->at, &o, wf, s->T, kernel);
        add_curvature(s->at, &o, o.w, s->U, kernel);
    }
}

#define CLOUD_SUM(name, kernel, order)                                                             \
    TAC_APART void name(void* sums, int first, int end) {                                          \
        for (int leaf = first; leaf < end; ++leaf) sum_leaf(sums, leaf, kernel, order);            \
    }
CLOUD_SUM(isotropic_0, TAC_CLOUD_ISOTROPIC, 0)
CLOUD_SUM(isotropic_1, TAC_CLOUD_ISOTROPIC, 1)
CLOUD_SUM(isotropic_2, TAC_CLOUD_ISOTROPIC, 2)
CLOUD_SUM(anisotropic_0, TAC_CLOUD_ANISOTROPIC, 0)
CLOUD_SUM(anisotropic_1, TAC_CLOUD_ANISOTROPIC, 1)
CLOUD_SUM(anisotropic_2, TAC_CLOUD_ANISOTROPIC, 2)
CLOUD_SUM(wendland_0, TAC_CLOUD_WENDLAND, 0)
CLOUD_SUM(wendland_1, TAC_CLOUD_WENDLAND, 1)
CLOUD_SUM(wendland_2, TAC_CLOUD_WENDLAND, 2)

static cloudVisit* const cloud_sum[3][3] = {
    [TAC_CLOUD_ISOTROPIC] = {isotropic_0, isotropic_1, isotropic_2},
    [TAC_CLOUD_ANISOTROPIC] = {anisotropic_0, anisotropic_1, anisotropic_2},
    [TAC_CLOUD_WENDLAND] = {wendland_0, wendland_1, wendland_2}};

static void begin_sums(cloudSums* s, const cloudAt* at, int order) {
    wide zero = w_set(0.0);
    s->at = at, s->w = s->f = zero;
    for (int k = 0; k < 3 && order >= 1; ++k) s->n[k] = s->a[k] = s->fa[k] = zero;
    for (int k = 0; k < 6 && order >= 2; ++k) s->T[k] = s->U[k] = zero;
}

// finds the best point and takes its numbers
static void cloud_begin(cloudAt* at, const tacBound* b, const tacReal y[3]) {
    cloud_seek(&at->search, b, y);
    const tacCloud* c = b->cloud;
    const tacReal* x = b->block + at->search.best;
    size_t n = (size_t)c->count;
    tacReal square = 0.0;
    at->f = 0.0;
    for (int k = 0; k < 3; ++k) {
        at->y[k] = y[k];
        at->p[k] = x[(size_t)k * n];
        at->d[k] = y[k] - at->p[k];
        at->f += x[(size_t)(3 + k) * n] * at->d[k];
        square += at->d[k] * at->d[k];
    }
    at->cut = at->search.floor - at->search.score;
    at->log_amp = c->has_log_amp ? x[6 * n] : (tacReal)0.0;
    for (int k = 0; k < 6 && c->kernel == TAC_CLOUD_ANISOTROPIC; ++k)
        at->metric[k] = x[(size_t)(tac_cloud_metric(c) + k) * n];
    at->inv_eps = c->kernel == TAC_CLOUD_ANISOTROPIC ? (tacReal)1.0 : 1.0 / (b->tau * b->tau);
    for (int k = 0; k < 3; ++k) at->twice[k] = 2.0 * at->inv_eps * at->d[k];
    // beyond u = 100 no point is in range, whatever its amplitude (at most exp(40))
    at->peak = 1.0;
    if (c->kernel == TAC_CLOUD_WENDLAND) at->peak = r_exp(r_min(square * at->inv_eps, 100.0));
}

static void cloud_gradient(cloudAt* at, const cloudSums* s) {
    tacReal inv = 1.0 / at->total;
    for (int k = 0; k < 3; ++k) {
        at->a[k] = w_sum(s->a[k]) * inv;
        at->g[k] = (w_sum(s->n[k]) + w_sum(s->fa[k])) * inv - at->phi * at->a[k];
    }
}

// xx yy zz xy xz yz
static void cloud_hessian(const cloudAt* at, const cloudSums* s, tacReal H[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    tacReal inv = 1.0 / at->total;
    for (int k = 0; k < 6; ++k)
        H[k] = (w_sum(s->T[k]) - at->phi * w_sum(s->U[k])) * inv -
               at->g[row[k]] * at->a[column[k]] - at->a[row[k]] * at->g[column[k]];
}

// value, g[3], H[6] of one point
TAC_APART void cloud_point(cloudAt* at, const tacBound* b, const tacReal y[3], tacReal out[10],
                           int order) {
    cloud_begin(at, b, y);
    cloudSums s;
    begin_sums(&s, at, order);
    cloud_each(&at->search, cloud_sum[b->cloud->kernel][order], &s);
    at->total = w_sum(s.w);
    at->phi = w_sum(s.f) / at->total;
    out[0] = at->f + at->phi;
    if (order < 1) return;
    cloud_gradient(at, &s);
    for (int k = 0; k < 3; ++k) out[1 + k] = at->g[k];
    if (order >= 2) cloud_hessian(at, &s, out + 4);
}

TAC_INLINE int same_lane(const wide y[3], int lane) {
    for (int k = 0; k < 3; ++k)
        if (w_lane(y[k], lane) != w_lane(y[k], lane - 1)) return 0;
    return 1;
}

TAC_INLINE void load_field(tacReal f[10][TAC_LANES], localField* out) {
    out->value = w_load(f[0]);
    for (int k = 0; k < 3; ++k) out->g[k] = w_load(f[1 + k]);
    for (int k = 0; k < 6; ++k) out->H[k] = w_load(f[4 + k]);
}

TAC_APART void cloud_field(const tacBound* b, const wide y[3], localField* out, int order) {
    tacReal f[10][TAC_LANES] = {0}, one[10] = {0};
    for (int lane = 0; lane < TAC_LANES; ++lane) {
        tacReal at_y[3] = {w_lane(y[0], lane), w_lane(y[1], lane), w_lane(y[2], lane)};
        cloudAt at;
        // padding repeats a point: no need to do it again
        if (lane == 0 || !same_lane(y, lane)) cloud_point(&at, b, at_y, one, order);
        for (int k = 0; k < 10; ++k) f[k][lane] = one[k];
    }
    load_field(f, out);
}

//---------------------------------- derivatives by parameters --------------------
//
//   phi' = <f' + (f - phi) s'>,  s = ln B
//   g'   = <n' + f' b + (f - phi) a' + (h - g) s'>,  b = a - <a>,  h = n + (f - phi) b
//
// where s' and a' may be taken less a common part.

// along tangents of the block (NULL for zero) and of the width
typedef struct cloudDot {
    const cloudAt* at;
    const tacReal* block;
    tacReal log_eps; // eps1'/eps1
    wide phi, g[3];
} cloudDot;

TAC_INLINE void load_dot(const cloudDot* s, int first, int count, int column, int j, wide* out) {
    tacReal lanes[TAC_LANES] = {0};
    const tacReal* from = s->block + (size_t)column * (size_t)s->at->search.b->cloud->count + first;
    for (int l = 0; l < TAC_LANES && j + l < count; ++l) lanes[l] = from[j + l];
    *out = w_load(lanes);
}

// s' and a' of one vector of points, less common parts
TAC_INLINE void pair_dot(const cloudDot* s, const cloudPair* o, const wide p_dot[3],
                         const wide M_dot[6], wide* s_dot, wide a_dot[3], tacCloudKernel kernel) {
    wide inv = w_set(s->at->inv_eps), grow = w_set(s->log_eps);
    if (kernel == TAC_CLOUD_ANISOTROPIC) {
        wide Mp[3], Md[3];
        w_symmetric_mul(o->M, p_dot, Mp);
        w_symmetric_mul(M_dot, o->d, Md);
        *s_dot = 2.0 * w_dot3(o->d, Mp) - w_dot3(o->d, Md);
        for (int k = 0; k < 3; ++k) a_dot[k] = 2.0 * (Mp[k] - Md[k]);
        return;
    }
    wide along = w_dot3(o->d, p_dot) * inv;
    *s_dot = w_fma(w_set(2.0), along, -o->geo * grow);
    for (int k = 0; k < 3; ++k) a_dot[k] = 2.0 * inv * (p_dot[k] - grow * o->e[k]);
    if (kernel != TAC_CLOUD_WENDLAND) return;
    // ln B has slope over - 1 by u, u' = -2 d . p'/eps1 - u eps1'/eps1
    wide u_dot = w_fma(w_set(-2.0), along, -o->u * grow);
    *s_dot = w_fma(o->over, u_dot, *s_dot);
    wide by_d = 2.0 * inv * w_fma(o->bend, u_dot, -o->over * grow), by_p = -2.0 * inv * o->over;
    for (int k = 0; k < 3; ++k) a_dot[k] = w_fma(by_d, o->d[k], w_fma(by_p, p_dot[k], a_dot[k]));
}

TAC_INLINE void dot_leaf(cloudDot* s, int index, tacCloudKernel kernel) {
    const cloudAt* at = s->at;
    const tacCloud* c = at->search.b->cloud;
    cloudLeaf leaf;
    wide geo[TAC_CLOUD_STAGE];
    int count = open_leaf(at, index, &leaf, geo, kernel), first = index * TAC_CLOUD_LEAF;
    for (int j = 0; j < count; j += TAC_LANES) {
        cloudPair o;
        wide dot[13], s_dot, a_dot[3];
        cloud_pair(at, &leaf, j, geo[j / TAC_LANES], &o, kernel);
        for (int k = 0; k < 13; ++k) dot[k] = w_set(0.0);
        for (int k = 0; k < tac_cloud_stride(c) && s->block; ++k)
            load_dot(s, first, count, k, j, &dot[k]);
        pair_dot(s, &o, dot, dot + tac_cloud_metric(c), &s_dot, a_dot, kernel);
        if (c->has_log_amp) s_dot = s_dot + dot[6];
        wide f_dot = w_dot3(dot + 3, o.d) - w_dot3(o.n, dot), f = o.f - w_set(at->phi);
        s->phi = w_fma(o.w, w_fma(f, s_dot, f_dot), s->phi);
        for (int k = 0; k < 3; ++k) {
            wide b = o.a[k] - w_set(at->a[k]), h = w_fma(f, b, o.n[k] - w_set(at->g[k]));
            wide sum = w_fma(f_dot, b, w_fma(f, a_dot[k], w_fma(h, s_dot, dot[3 + k])));
            s->g[k] = w_fma(o.w, sum, s->g[k]);
        }
    }
}

#define CLOUD_DOT(name, kernel)                                                                    \
    TAC_APART void name(void* dot, int first, int end) {                                           \
        for (int leaf = first; leaf < end; ++leaf) dot_leaf(dot, leaf, kernel);                    \
    }
CLOUD_DOT(isotropic_dot, TAC_CLOUD_ISOTROPIC)
CLOUD_DOT(anisotropic_dot, TAC_CLOUD_ANISOTROPIC)
CLOUD_DOT(wendland_dot, TAC_CLOUD_WENDLAND)

// value and gradient's tangent at one point, along yd and the leaf's numbers
static void cloud_point_dot(const tacBound* b, const tacReal y[3], const tacReal yd[3],
                            const tacLeafDot* d, tacReal out[4]) {
    static cloudVisit* const visit[3] = {isotropic_dot, anisotropic_dot, wendland_dot};
    cloudAt at;
    tacReal field[10];
    cloud_point(&at, b, y, field, 2);
    const tacReal *g = field + 1, *H = field + 4;
    out[0] = g[0] * yd[0] + g[1] * yd[1] + g[2] * yd[2];
    out[1] = H[0] * yd[0] + H[3] * yd[1] + H[4] * yd[2];
    out[2] = H[3] * yd[0] + H[1] * yd[1] + H[5] * yd[2];
    out[3] = H[4] * yd[0] + H[5] * yd[1] + H[2] * yd[2];
    if (!d->block) return; // the width has a tangent only where all parameters have
    cloudDot s = {.at = &at, .block = d->block};
    if (b->cloud->kernel != TAC_CLOUD_ANISOTROPIC) s.log_eps = 2.0 * d->tau / b->tau;
    s.phi = w_set(0.0);
    for (int k = 0; k < 3; ++k) s.g[k] = w_set(0.0);
    cloud_each(&at.search, visit[b->cloud->kernel], &s);
    out[0] += w_sum(s.phi) / at.total;
    for (int k = 0; k < 3; ++k) out[1 + k] += w_sum(s.g[k]) / at.total;
}

TAC_APART void cloud_dot(const tacBound* b, const wide y[3], const wide yd[3], const tacLeafDot* d,
                         localField* out) {
    tacReal f[4][TAC_LANES];
    for (int lane = 0; lane < TAC_LANES; ++lane) {
        tacReal at_y[3], at_yd[3], one[4];
        for (int k = 0; k < 3; ++k) at_y[k] = w_lane(y[k], lane), at_yd[k] = w_lane(yd[k], lane);
        cloud_point_dot(b, at_y, at_yd, d, one);
        for (int k = 0; k < 4; ++k) f[k][lane] = one[k];
    }
    out->value = w_load(f[0]);
    for (int k = 0; k < 3; ++k) out->g[k] = w_load(f[1 + k]);
}

//---------------------------------- reverse --------------------------------------
//
//   f_bar = w (phi_bar + g_bar . b),  a_bar = w (f - phi) g_bar
//   s_bar = w (phi_bar (f - phi) + g_bar . (h - g)),  n_bar = w g_bar + f_bar d

typedef struct cloudBars {
    const cloudAt* at;
    tacReal phi, g[3]; // adjoints of value and gradient
    tacReal* block;
    wide log_eps; // adjoint of eps1'/eps1
} cloudBars;

TAC_INLINE void add_lanes(tacReal* bar, int count, wide x) {
    tacReal lanes[TAC_LANES];
    w_store(lanes, x);
    for (int l = 0; l < TAC_LANES && l < count; ++l) bar[l] += lanes[l];
}

// adjoint of the point, transpose of pair_dot; that of the metric into M_bar
TAC_INLINE void pair_bar(cloudBars* s, const cloudPair* o, wide s_bar, const wide a_bar[3],
                         wide p_bar[3], wide M_bar[6], tacCloudKernel kernel) {
    wide inv = w_set(s->at->inv_eps), mix[3];
    for (int k = 0; k < 3; ++k) mix[k] = w_fma(s_bar, o->d[k], a_bar[k]);
    if (kernel == TAC_CLOUD_ANISOTROPIC) {
        static const int row[3] = {0, 0, 1}, column[3] = {1, 2, 2};
        w_symmetric_mul(o->M, mix, p_bar);
        for (int k = 0; k < 3; ++k) {
            p_bar[k] = 2.0 * p_bar[k];
            M_bar[k] = -o->d[k] * (mix[k] + a_bar[k]);
            int r = row[k], c = column[k];
            M_bar[3 + k] = -2.0 * w_fma(o->d[r], mix[c], o->d[c] * a_bar[r]);
        }
        return;
    }
    wide arm = w_dot3(o->e, a_bar);
    s->log_eps = s->log_eps - w_fma(s_bar, o->geo, 2.0 * inv * arm);
    for (int k = 0; k < 3; ++k) p_bar[k] = 2.0 * inv * mix[k];
    if (kernel != TAC_CLOUD_WENDLAND) return;
    wide turn = 2.0 * inv * w_dot3(o->d, a_bar);
    wide u_bar = w_fma(o->over, s_bar, o->bend * turn);
    s->log_eps = s->log_eps - w_fma(u_bar, o->u, o->over * turn);
    for (int k = 0; k < 3; ++k)
        p_bar[k] = p_bar[k] - 2.0 * inv * w_fma(u_bar, o->d[k], o->over * a_bar[k]);
}

TAC_INLINE void bar_leaf(cloudBars* s, int index, tacCloudKernel kernel) {
    const cloudAt* at = s->at;
    const tacCloud* c = at->search.b->cloud;
    cloudLeaf leaf;
    wide geo[TAC_CLOUD_STAGE];
    int count = open_leaf(at, index, &leaf, geo, kernel);
    wide inv_total = w_set(1.0 / at->total), phi_bar = w_set(s->phi), g_bar[3], still;
    for (int k = 0; k < 3; ++k) g_bar[k] = w_set(s->g[k]);
    still = w_set(s->g[0] * at->g[0] + s->g[1] * at->g[1] + s->g[2] * at->g[2]);
    for (int j = 0; j < count; j += TAC_LANES) {
        cloudPair o;
        wide b[3], a_bar[3], bar[13];
        cloud_pair(at, &leaf, j, geo[j / TAC_LANES], &o, kernel);
        wide w = o.w * inv_total, f = o.f - w_set(at->phi);
        for (int k = 0; k < 3; ++k) b[k] = o.a[k] - w_set(at->a[k]), a_bar[k] = w * f * g_bar[k];
        wide f_bar = phi_bar + w_dot3(g_bar, b);
        wide s_bar = w * w_fma(f, f_bar, w_dot3(g_bar, o.n) - still);
        f_bar = w * f_bar;
        pair_bar(s, &o, s_bar, a_bar, bar, bar + tac_cloud_metric(c), kernel);
        for (int k = 0; k < 3; ++k) {
            bar[k] = bar[k] - f_bar * o.n[k];
            bar[3 + k] = w_fma(f_bar, o.d[k], w * g_bar[k]);
        }
        if (c->has_log_amp) bar[6] = s_bar;
        tacReal* out = s->block + index * TAC_CLOUD_LEAF + j;
        for (int k = 0; k < tac_cloud_stride(c) && s->block; ++k)
            add_lanes(out + (size_t)k * (size_t)c->count, count - j, bar[k]);
    }
}

#define CLOUD_BAR(name, kernel)                                                                    \
    TAC_APART void name(void* bars, int first, int end) {                                          \
        for (int leaf = first; leaf < end; ++leaf) bar_leaf(bars, leaf, kernel);                   \
    }
CLOUD_BAR(isotropic_bar, TAC_CLOUD_ISOTROPIC)
CLOUD_BAR(anisotropic_bar, TAC_CLOUD_ANISOTROPIC)
CLOUD_BAR(wendland_bar, TAC_CLOUD_WENDLAND)

static int is_zero(const tacReal bar[4]) {
    for (int k = 0; k < 4; ++k)
        if (bar[k] != 0.0) return 0;
    return 1;
}

// adds the adjoint of the block and of the width, from adjoints of value and gradient
TAC_APART void cloud_bars(const tacBound* b, const wide y[3], wide value_bar, const wide g_bar[3],
                          tacBoundBar* bar) {
    static cloudVisit* const visit[3] = {isotropic_bar, anisotropic_bar, wendland_bar};
    for (int lane = 0; lane < TAC_LANES; ++lane) {
        tacReal at_y[3], field[10], in[4] = {w_lane(value_bar, lane)};
        for (int k = 0; k < 3; ++k)
            at_y[k] = w_lane(y[k], lane), in[1 + k] = w_lane(g_bar[k], lane);
        if (is_zero(in)) continue; // padding
        cloudAt at;
        cloud_point(&at, b, at_y, field, 1);
        cloudBars s = {.at = &at, .phi = in[0], .g = {in[1], in[2], in[3]}, .block = bar->block};
        s.log_eps = w_set(0.0);
        cloud_each(&at.search, visit[b->cloud->kernel], &s);
        if (b->cloud->kernel != TAC_CLOUD_ANISOTROPIC) bar->tau += 2.0 * w_sum(s.log_eps) / b->tau;
    }
}

#endif
