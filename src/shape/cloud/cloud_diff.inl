// Derivatives of a cloud's field by its own numbers: points, normals, amplitudes, metrics, width.
//
//   phi' = <f' + (f - phi) s'>,  s = ln B
//   g'   = <n' + f' b + (f - phi) a' + (h - g) s'>,  b = a - <a>,  h = n + (f - phi) b
//
// where s' and a' may be taken less a common part.

#ifndef TAC_SHAPE_CLOUD_CLOUD_DIFF_INL
#define TAC_SHAPE_CLOUD_CLOUD_DIFF_INL

#include "shape/cloud/cloud.inl"

//---------------------------------- forward --------------------------------------

// along tangents of the block (NULL for zero) and of the width
typedef struct cloudDot {
    const cloudQuery* at;
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
    wide by_d = 2.0 * inv * w_fma(o->curvature, u_dot, -o->over * grow),
         by_p = -2.0 * inv * o->over;
    for (int k = 0; k < 3; ++k) a_dot[k] = w_fma(by_d, o->d[k], w_fma(by_p, p_dot[k], a_dot[k]));
}

TAC_INLINE void dot_leaf(cloudDot* s, int index, tacCloudKernel kernel) {
    const cloudQuery* at = s->at;
    const tacCloud* c = at->search.b->cloud;
    cloudLeaf leaf;
    int count = leaf_count(&at->search, index), first = index * TAC_CLOUD_LEAF;
    load_leaf(&at->search, index, &leaf);
    for (int j = 0; j < count; j += TAC_LANES) {
        cloudPair o;
        wide dot[13], s_dot, a_dot[3], geo = pair_geo(at, &leaf, j, kernel);
        if (!w_any_negative(pair_deficit(at, &leaf, j, geo))) continue;
        cloud_pair(at, &leaf, j, geo, &o, kernel);
        for (int k = 0; k < 13; ++k) dot[k] = w_set(0.0);
        for (int k = 0; k < tac_cloud_stride(c) && s->block; ++k)
            load_dot(s, first, count, k, j, &dot[k]);
        pair_dot(s, &o, dot, dot + tac_cloud_metric_offset(c), &s_dot, a_dot, kernel);
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
    TAC_NOINLINE void name(void* dot, const int* leaf, int count) {                                \
        for (int i = 0; i < count; ++i) dot_leaf(dot, leaf[i], kernel);                            \
    }
CLOUD_DOT(isotropic_dot, TAC_CLOUD_ISOTROPIC)
CLOUD_DOT(anisotropic_dot, TAC_CLOUD_ANISOTROPIC)
CLOUD_DOT(wendland_dot, TAC_CLOUD_WENDLAND)

// value and gradient's tangent at one point, along yd and the leaf's numbers
static void cloud_point_dot(const tacNodeData* b, const tacReal y[3], const tacReal yd[3],
                            const tacLeafDot* d, tacReal out[4]) {
    static cloudVisit* const visit[3] = {isotropic_dot, anisotropic_dot, wendland_dot};
    cloudQuery at;
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
    cloud_visit_leaves(&at.search, visit[b->cloud->kernel], &s);
    out[0] += w_sum(s.phi) / at.total;
    for (int k = 0; k < 3; ++k) out[1 + k] += w_sum(s.g[k]) / at.total;
}

TAC_NOINLINE void cloud_dot(const tacNodeData* b, const wide y[3], const wide yd[3],
                            const tacLeafDot* d, localField* out) {
    tacReal f[4][TAC_LANES];
    for (int lane = 0; lane < TAC_LANES; ++lane) {
        tacReal at_y[3], at_yd[3], one[4];
        for (int k = 0; k < 3; ++k) {
            at_y[k] = w_lane(y[k], lane);
            at_yd[k] = w_lane(yd[k], lane);
        }
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
    const cloudQuery* at;
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
    wide u_bar = w_fma(o->over, s_bar, o->curvature * turn);
    s->log_eps = s->log_eps - w_fma(u_bar, o->u, o->over * turn);
    for (int k = 0; k < 3; ++k)
        p_bar[k] = p_bar[k] - 2.0 * inv * w_fma(u_bar, o->d[k], o->over * a_bar[k]);
}

TAC_INLINE void bar_leaf(cloudBars* s, int index, tacCloudKernel kernel) {
    const cloudQuery* at = s->at;
    const tacCloud* c = at->search.b->cloud;
    cloudLeaf leaf;
    int count = leaf_count(&at->search, index);
    load_leaf(&at->search, index, &leaf);
    wide inv_total = w_set(1.0 / at->total), phi_bar = w_set(s->phi), g_bar[3], still;
    for (int k = 0; k < 3; ++k) g_bar[k] = w_set(s->g[k]);
    still = w_set(s->g[0] * at->g[0] + s->g[1] * at->g[1] + s->g[2] * at->g[2]);
    for (int j = 0; j < count; j += TAC_LANES) {
        cloudPair o;
        wide b[3], a_bar[3], bar[13], geo = pair_geo(at, &leaf, j, kernel);
        if (!w_any_negative(pair_deficit(at, &leaf, j, geo))) continue;
        cloud_pair(at, &leaf, j, geo, &o, kernel);
        wide w = o.w * inv_total, f = o.f - w_set(at->phi);
        for (int k = 0; k < 3; ++k) {
            b[k] = o.a[k] - w_set(at->a[k]);
            a_bar[k] = w * f * g_bar[k];
        }
        wide f_bar = phi_bar + w_dot3(g_bar, b);
        wide s_bar = w * w_fma(f, f_bar, w_dot3(g_bar, o.n) - still);
        f_bar = w * f_bar;
        pair_bar(s, &o, s_bar, a_bar, bar, bar + tac_cloud_metric_offset(c), kernel);
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
    TAC_NOINLINE void name(void* bars, const int* leaf, int count) {                               \
        for (int i = 0; i < count; ++i) bar_leaf(bars, leaf[i], kernel);                           \
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
TAC_NOINLINE void cloud_bars(const tacNodeData* b, const wide y[3], wide value_bar,
                             const wide g_bar[3], tacNodeDataBar* bar) {
    static cloudVisit* const visit[3] = {isotropic_bar, anisotropic_bar, wendland_bar};
    for (int lane = 0; lane < TAC_LANES; ++lane) {
        tacReal at_y[3], field[10], in[4] = {w_lane(value_bar, lane)};
        for (int k = 0; k < 3; ++k) {
            at_y[k] = w_lane(y[k], lane);
            in[1 + k] = w_lane(g_bar[k], lane);
        }
        if (is_zero(in)) continue; // padding
        cloudQuery at;
        cloud_point(&at, b, at_y, field, 1);
        cloudBars s = {.at = &at, .phi = in[0], .g = {in[1], in[2], in[3]}, .block = bar->block};
        s.log_eps = w_set(0.0);
        cloud_visit_leaves(&at.search, visit[b->cloud->kernel], &s);
        if (b->cloud->kernel != TAC_CLOUD_ANISOTROPIC) bar->tau += 2.0 * w_sum(s.log_eps) / b->tau;
    }
}

#endif
