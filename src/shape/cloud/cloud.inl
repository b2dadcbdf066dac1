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

#ifndef TAC_SHAPE_CLOUD_CLOUD_INL
#define TAC_SHAPE_CLOUD_CLOUD_INL

#include "shape/cloud/cloud_search.inl"

#if defined(__GNUC__)
#define TAC_NOINLINE static __attribute__((noinline, unused))
#else
#define TAC_NOINLINE static
#endif

// vectors of a leaf, in lock step
#define TAC_CLOUD_STAGE (TAC_CLOUD_LEAF / TAC_LANES)

// weight below which a Wendland kernel counts as a Gaussian; its square does not underflow
#define TAC_CLOUD_TINY 1e-140

// one point of a cloud's frame, and what its best point gives
typedef struct cloudQuery {
    cloudSearch search;
    tacReal y[3];
    tacReal p[3], d[3], f, log_amp, metric[6]; // of the best point m; f = n_m . d
    tacReal inv_eps, peak, twice[3];           // 1/eps1; exp(u_m); 2 d_m/eps1
    double cutoff_depth;                       // ln of the relative weight that counts no more
    tacReal total;                             // sum of weights, in units of a common one
    tacReal phi, g[3], a[3];                   // phi - f_m, gradient, <a>
} cloudQuery;

// columns x y z nx ny nz, log_amp, metric of a leaf: in place, or a copy filled up to a whole leaf
typedef struct cloudLeaf {
    const tacReal* first;
    size_t step;        // from column to column
    const double* mask; // 1 for points, 0 for filling; NULL if all are points
    tacReal copy[13 * TAC_CLOUD_LEAF];
} cloudLeaf;

static const double cloud_mask[2 * TAC_CLOUD_LEAF] = {1, 1, 1, 1, 1, 1, 1, 1,
                                                      1, 1, 1, 1, 1, 1, 1, 1};

TAC_NOINLINE void copy_leaf(cloudLeaf* leaf, int columns, int count) {
    for (int k = 0; k < columns; ++k)
        for (int i = 0; i < TAC_CLOUD_LEAF; ++i)
            leaf->copy[k * TAC_CLOUD_LEAF + i] =
                leaf->first[(size_t)k * leaf->step + (size_t)(i < count ? i : count - 1)];
    leaf->first = leaf->copy;
    leaf->step = TAC_CLOUD_LEAF;
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
    wide geo;                // u_m - u
    wide over, curvature, u; // Wendland: d ln B/du + 1, its derivative by u, u
    wide M[6];               // anisotropic
} cloudPair;

TAC_INLINE void load_arms(const cloudQuery* at, const cloudLeaf* leaf, int j, cloudPair* o) {
    for (int k = 0; k < 3; ++k) {
        wide p = load_column(leaf, k, j);
        o->e[k] = p - w_set(at->p[k]);
        o->d[k] = w_set(at->y[k]) - p;
    }
}

// geo = e' M (d_m + d) - d_m' (M - M_m) d_m, a - a_m = 2 M e - 2 (M - M_m) d_m
TAC_INLINE void metric_pair(const cloudQuery* at, const cloudLeaf* leaf, int j, cloudPair* o) {
    int from = tac_cloud_metric_offset(at->search.b->cloud);
    wide both[3], dm[3], less[6], t[3], td[3];
    for (int k = 0; k < 6; ++k) {
        o->M[k] = load_column(leaf, from + k, j);
        less[k] = o->M[k] - w_set(at->metric[k]);
    }
    for (int k = 0; k < 3; ++k) {
        dm[k] = w_set(at->d[k]);
        both[k] = dm[k] + o->d[k];
    }
    w_symmetric_mul(o->M, o->e, t);
    w_symmetric_mul(less, dm, td);
    o->geo = w_dot3(t, both) - w_dot3(td, dm);
    for (int k = 0; k < 3; ++k) o->a[k] = 2.0 * (t[k] - td[k]);
}

// geo alone: e . (2 d_m - e)/eps1
TAC_INLINE wide pair_geo(const cloudQuery* at, const cloudLeaf* leaf, int j,
                         tacCloudKernel kernel) {
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

TAC_INLINE wide pair_rise(const cloudQuery* at, const cloudLeaf* leaf, int j) {
    return load_column(leaf, 6, j) - w_set(at->log_amp);
}

// negative for points that count
TAC_INLINE wide pair_deficit(const cloudQuery* at, const cloudLeaf* leaf, int j, wide geo) {
    if (at->search.b->cloud->has_log_amp) geo = geo + pair_rise(at, leaf, j);
    return w_set(at->cutoff_depth) - geo;
}

TAC_INLINE int any_active(const wide deficit[TAC_CLOUD_STAGE]) {
    wide least = deficit[0];
    for (int i = 1; i < TAC_CLOUD_STAGE; ++i) least = w_min(least, deficit[i]);
    return w_any_negative(least);
}

// vectors with a point that counts, where they stand in their leaf's columns, with their geo
typedef struct cloudActive {
    int count, at[TAC_CLOUD_BATCH * TAC_CLOUD_STAGE];
    wide geo[TAC_CLOUD_BATCH * TAC_CLOUD_STAGE];
} cloudActive;

// Of the 16 points from j on. Where most leaves are empty, in exact sums, they are passed by; else
// no branch depends on what is found.
TAC_INLINE void select_vectors(const cloudQuery* at, const cloudLeaf* leaf, int j,
                               cloudActive* active, tacCloudKernel kernel) {
    wide geo[TAC_CLOUD_STAGE], deficit[TAC_CLOUD_STAGE];
    TAC_UNROLL
    for (int i = 0; i < TAC_CLOUD_STAGE; ++i) {
        geo[i] = pair_geo(at, leaf, j + i * TAC_LANES, kernel);
        deficit[i] = pair_deficit(at, leaf, j + i * TAC_LANES, geo[i]);
    }
    if (at->search.b->exact && !any_active(deficit)) return;
    TAC_UNROLL
    for (int i = 0; i < TAC_CLOUD_STAGE; ++i) {
        active->at[active->count] = j + i * TAC_LANES;
        active->geo[active->count] = geo[i];
        active->count += w_any_negative(deficit[i]);
    }
}

// Chooses from leaves that stand in one piece: all whole ones, or the last. How many were looked
// at.
TAC_INLINE int select_leaves(const cloudQuery* at, const int* index, int count, cloudLeaf* leaf,
                             cloudActive* active, tacCloudKernel kernel) {
    const cloudSearch* s = &at->search;
    int whole = s->b->cloud->count / TAC_CLOUD_LEAF, done = 0;
    active->count = 0;
    if (index[0] == whole) {
        load_leaf(s, whole, leaf);
        select_vectors(at, leaf, 0, active, kernel);
        return 1;
    }
    leaf->first = s->b->block;
    leaf->step = (size_t)s->b->cloud->count;
    leaf->mask = NULL;
    if (index[count - 1] == whole) --count;
    for (; done < count; ++done)
        select_vectors(at, leaf, index[done] * TAC_CLOUD_LEAF, active, kernel);
    return done;
}

// psi = (1 - t)^6 (35 t^2 + 18 t + 3)/3, t^2 = 3 u/28: psi' = -(1 - t)^5 (1 + 5 t),
// psi'' = 45/28 (1 - t)^4; weight psi exp(u_m) + TAIL exp(u_m - u)
TAC_INLINE void wendland_pair(const cloudQuery* at, cloudPair* o) {
    wide inv = w_set(at->inv_eps), peak = w_set(at->peak);
    o->u = w_dot3(o->d, o->d) * inv;
    wide t = w_min(w_sqrt(o->u * (1.0 / TAC_CLOUD_END) + TAC_CENTRE), w_set(1.0));
    wide r = 1.0 - t, r2 = r * r, r4 = r2 * r2;
    wide psi = r4 * r2 * w_fma(t, w_fma(t, w_set(35.0 / 3.0), w_set(6.0)), w_set(1.0));
    wide d1 = -r4 * r * w_fma(t, w_set(5.0), w_set(1.0)), d2 = (45.0 / 28.0) * r4;
    wide body = psi * peak, weight = w_fma(w_set(TAC_CLOUD_TAIL), o->w, body);
    wide share = peak / (weight + TAC_CLOUD_TINY);
    o->over = (d1 + psi) * share;
    o->curvature = (d2 + 2.0 * d1 + psi) * share - o->over * o->over;
    wide by_d = 2.0 * inv * o->over;
    for (int k = 0; k < 3; ++k) o->a[k] = w_fma(by_d, o->d[k], o->a[k]);
    o->w = weight;
}

TAC_INLINE void cloud_pair(const cloudQuery* at, const cloudLeaf* leaf, int j, wide geo,
                           cloudPair* o, tacCloudKernel kernel) {
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
    const cloudQuery* at;
    wide w, f, n[3], a[3], fa[3];
    wide T[6], U[6]; // of n a' + a n' + f (a a' + A), and of a a' + A
} cloudSums;

TAC_INLINE void begin_sums(cloudSums* s, const cloudQuery* at, int order) {
    wide zero = w_set(0.0);
    s->at = at;
    s->w = s->f = zero;
    for (int k = 0; k < 3 && order >= 1; ++k) s->n[k] = s->a[k] = s->fa[k] = zero;
    for (int k = 0; k < 6 && order >= 2; ++k) s->T[k] = s->U[k] = zero;
}

TAC_INLINE void join_sums(cloudSums* s, const cloudSums* t, int order) {
    s->w = s->w + t->w;
    s->f = s->f + t->f;
    for (int k = 0; k < 3 && order >= 1; ++k) {
        s->n[k] = s->n[k] + t->n[k];
        s->a[k] = s->a[k] + t->a[k];
        s->fa[k] = s->fa[k] + t->fa[k];
    }
    for (int k = 0; k < 6 && order >= 2; ++k) {
        s->T[k] = s->T[k] + t->T[k];
        s->U[k] = s->U[k] + t->U[k];
    }
}

// H += s (A - common part), A = (2 over I + 4 bend d d'/eps1)/eps1 or -2 M
TAC_INLINE void add_curvature(const cloudQuery* at, const cloudPair* o, wide s, wide H[6],
                              tacCloudKernel kernel) {
    if (kernel == TAC_CLOUD_ANISOTROPIC)
        for (int k = 0; k < 6; ++k) H[k] = w_fma(-2.0 * s, o->M[k] - w_set(at->metric[k]), H[k]);
    if (kernel == TAC_CLOUD_WENDLAND) {
        wide inv = w_set(at->inv_eps), round = 2.0 * s * o->over * inv;
        for (int k = 0; k < 3; ++k) H[k] = H[k] + round;
        w_add_square(H, 4.0 * s * o->curvature * inv * inv, o->d);
    }
}

TAC_INLINE void sum_pair(cloudSums* s, const cloudPair* o, tacCloudKernel kernel, int order) {
    wide wf = o->w * o->f;
    s->w = s->w + o->w;
    s->f = s->f + wf;
    for (int k = 0; k < 3 && order >= 1; ++k) {
        s->n[k] = w_fma(o->w, o->n[k], s->n[k]);
        s->a[k] = w_fma(o->w, o->a[k], s->a[k]);
        s->fa[k] = w_fma(wf, o->a[k], s->fa[k]);
    }
    if (order < 2) return;
    w_add_product(s->T, o->w, o->n, o->a);
    w_add_square(s->T, wf, o->a);
    w_add_square(s->U, o->w, o->a);
    add_curvature(s->at, o, wf, s->T, kernel);
    add_curvature(s->at, o, o->w, s->U, kernel);
}

// into sums of its own, out of reach for all else: they stay in registers
TAC_INLINE void sum_leaves(cloudSums* sums, const int* index, int count, tacCloudKernel kernel,
                           int order) {
    cloudSums s;
    cloudLeaf leaf;
    cloudActive active;
    begin_sums(&s, sums->at, order);
    for (int done = 0; done < count;) {
        done += select_leaves(s.at, index + done, count - done, &leaf, &active, kernel);
        for (int i = 0; i < active.count; ++i) {
            cloudPair o;
            cloud_pair(s.at, &leaf, active.at[i], active.geo[i], &o, kernel);
            sum_pair(&s, &o, kernel, order);
        }
    }
    join_sums(sums, &s, order);
}

#define CLOUD_SUM(name, kernel, order)                                                             \
    TAC_NOINLINE void name(void* sums, const int* leaf, int count) {                               \
        sum_leaves(sums, leaf, count, kernel, order);                                              \
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

// finds the best point and takes its numbers
static void cloud_begin(cloudQuery* at, const tacNodeData* b, const tacReal y[3]) {
    cloud_find_best(&at->search, b, y);
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
    at->cutoff_depth = at->search.cutoff - at->search.score;
    at->log_amp = c->has_log_amp ? x[6 * n] : (tacReal)0.0;
    for (int k = 0; k < 6 && c->kernel == TAC_CLOUD_ANISOTROPIC; ++k)
        at->metric[k] = x[(size_t)(tac_cloud_metric_offset(c) + k) * n];
    at->inv_eps = b->inv_eps;
    for (int k = 0; k < 3; ++k) at->twice[k] = 2.0 * at->inv_eps * at->d[k];
    // beyond u = 100 no point is in range, whatever its amplitude (at most exp(40))
    at->peak = 1.0;
    if (c->kernel == TAC_CLOUD_WENDLAND) at->peak = r_exp(r_min(square * at->inv_eps, 100.0));
}

static void cloud_gradient(cloudQuery* at, const cloudSums* s) {
    tacReal inv = 1.0 / at->total;
    for (int k = 0; k < 3; ++k) {
        at->a[k] = w_sum(s->a[k]) * inv;
        at->g[k] = (w_sum(s->n[k]) + w_sum(s->fa[k])) * inv - at->phi * at->a[k];
    }
}

// xx yy zz xy xz yz
static void cloud_hessian(const cloudQuery* at, const cloudSums* s, tacReal H[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    tacReal inv = 1.0 / at->total;
    for (int k = 0; k < 6; ++k)
        H[k] = (w_sum(s->T[k]) - at->phi * w_sum(s->U[k])) * inv -
               at->g[row[k]] * at->a[column[k]] - at->a[row[k]] * at->g[column[k]];
}

// value, g[3], H[6] of one point
TAC_NOINLINE void cloud_point(cloudQuery* at, const tacNodeData* b, const tacReal y[3],
                              tacReal out[10], int order) {
    cloud_begin(at, b, y);
    cloudSums s;
    begin_sums(&s, at, order);
    cloud_visit_leaves(&at->search, cloud_sum[b->cloud->kernel][order], &s);
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

TAC_NOINLINE void cloud_field(const tacNodeData* b, const wide y[3], localField* out, int order) {
    tacReal f[10][TAC_LANES] = {0}, one[10] = {0};
    for (int lane = 0; lane < TAC_LANES; ++lane) {
        tacReal at_y[3] = {w_lane(y[0], lane), w_lane(y[1], lane), w_lane(y[2], lane)};
        cloudQuery at;
        // padding repeats a point: no need to do it again
        if (lane == 0 || !same_lane(y, lane)) cloud_point(&at, b, at_y, one, order);
        for (int k = 0; k < 10; ++k) f[k][lane] = one[k];
    }
    load_field(f, out);
}

#endif
