// Sums over the planes of a cloud: the soft distance, with gradient and Hessian where asked.
//
// With a = 2 e/eps1 up to what is common to all planes, and <.> the mean by w (docs/scm.md eq. 2):
//
//   grad phi = g = <n> + <(f - phi) a>,  f = n . (y - p)
//   hess phi = <n a' + a n'> - g <a>' - <a> g' + <(f - phi) a a'>
//
// Of a plane that ends, f is planeReach.phi, n its gradient, and its Hessian is added.

#include "detect/ssdf/ssdf_kernels.h"

#include "detect/ssdf/ssdf_bound.inl"

//---------------------------------- values ---------------------------------------

typedef struct phiSums {
    wide w[SSDF_STAGE], f[SSDF_STAGE], fade[SSDF_STAGE], inv_eps3;
} phiSums;

// `all`: without a look at which planes count
TAC_INLINE void sum_leaf(phiSums* s, const ssdfBlock* b, int leaf, int phi_and_fade, int all) {
    ssdfTile t;
    fill_tile(b, leaf, &t);
    wide weight[SSDF_STAGE], f[SSDF_STAGE];
    for (int u = 0; u < SSDF_STAGE; ++u) {
        weight[u] = s->w[u];
        f[u] = s->f[u];
    }
    for (int i = 0; i < t.count; ++i) {
        wide score[SSDF_STAGE];
        int any = tile_scores(b, &t, i, score);
        if (!any && !all) continue;
        SSDF_UNROLL
        for (int u = 0; u < SSDF_STAGE; ++u) {
            if (!all && !is_summed(any, u)) continue;
            wide w = w_exp_regular(score[u]);
            planeReach at;
            tile_reach(b, &t, i, u, tile_distance(b, &t, i, u), 0, &at);
            weight[u] = weight[u] + w;
            f[u] = w_fma(w, at.phi, f[u]);
            if (phi_and_fade) s->fade[u] = w_min(s->fade[u], w_fma(at.phi, s->inv_eps3, -score[u]));
        }
    }
    for (int u = 0; u < SSDF_STAGE; ++u) {
        s->w[u] = weight[u];
        s->f[u] = f[u];
    }
}

SSDF_NOINLINE void sum_phi(void* sums, const ssdfBlock* b, int leaf) {
    sum_leaf(sums, b, leaf, 0, 0);
}
SSDF_NOINLINE void sum_all(void* sums, const ssdfBlock* b, int leaf) {
    sum_leaf(sums, b, leaf, 0, 1);
}
SSDF_NOINLINE void sum_fade(void* sums, const ssdfBlock* b, int leaf) {
    sum_leaf(sums, b, leaf, 1, 0);
}

TAC_INLINE void each_block(const tacSsdfPlanes* planes, tacSsdfPoints points, double eps3,
                           tacReal* phi, tacReal* fade) {
    ssdfBlock b;
    for (int first = 0; first < points.count; first += TAC_SSDF_BLOCK) {
        tacReal y[3][TAC_SSDF_BLOCK], value[2][TAC_SSDF_BLOCK];
        int used = load_points(points.query, points.at, first, points.count, y);
        phiSums s = {.inv_eps3 = w_set(1.0 / eps3)};
        block_begin(&b, planes, (const tacReal(*)[TAC_SSDF_BLOCK])y);
        for (int u = 0; u < SSDF_STAGE; ++u) {
            s.w[u] = s.f[u] = w_set(0.0);
            s.fade[u] = w_set(1e300);
        }
        block_visit(&b, fade ? sum_fade : planes->exact ? sum_all : sum_phi, &s);
        for (int u = 0; u < SSDF_STAGE; ++u) {
            w_store(&value[0][u * TAC_LANES], s.f[u] / s.w[u]);
            w_store(&value[1][u * TAC_LANES], s.fade[u]);
        }
        for (int k = 0; k < used; ++k) phi[first + k] = value[0][k];
        for (int k = 0; k < used && fade; ++k) fade[first + k] = value[1][k];
    }
}

static void phi_field(const tacSsdfPlanes* planes, tacSsdfPoints points, tacReal* phi) {
    each_block(planes, points, 1.0, phi, NULL);
}

static void phi_and_fade(const tacSsdfPlanes* planes, tacSsdfPoints points, double eps3,
                         tacReal* phi, tacReal* fade) {
    each_block(planes, points, eps3, phi, fade);
}

//---------------------------------- two derivatives ------------------------------

typedef struct jetSums {
    wide w, f, n[3], e[3], fe[3], ne[6], ee[6], fee[6], H[6]; // H: of planes that end
    wide s, fs, ns[3], es[3], fes[3];                         // with the score
} jetSums;

static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};

// Terms with the score are for derivatives by eps1: a mean moves by -<q s>/eps1, what q itself
// moves by its derivative by ln eps1 is subtracted there.
TAC_INLINE void add_jet(jetSums* s, const ssdfTile* t, int i, wide score, const planeReach* at) {
    wide w = w_exp_regular(score), wf = w * at->phi, ws = w * score;
    wide wfs = w * (at->phi * score - at->by_log);
    s->s = s->s + ws;
    s->fs = s->fs + wfs;
    s->w = s->w + w;
    s->f = s->f + wf;
    for (int k = 0; k < 3; ++k) {
        wide e = w_set(t->e[k][i]);
        s->n[k] = w_fma(w, at->g[k], s->n[k]);
        s->e[k] = w_fma(w, e, s->e[k]);
        s->fe[k] = w_fma(wf, e, s->fe[k]);
        s->ns[k] = w_fma(ws, at->g[k], s->ns[k]);
        if (at->ends) s->ns[k] = s->ns[k] - w * reach_gradient_by_log(at, k);
        s->es[k] = w_fma(ws, e, s->es[k]);
        s->fes[k] = w_fma(wfs, e, s->fes[k]);
    }
    for (int k = 0; k < 6; ++k) {
        int r = row[k], c = column[k];
        double square = t->e[r][i] * t->e[c][i];
        wide both = at->g[r] * w_set(t->e[c][i]) + at->g[c] * w_set(t->e[r][i]);
        s->ne[k] = w_fma(w, both, s->ne[k]);
        s->ee[k] = w_fma(w, w_set(square), s->ee[k]);
        s->fee[k] = w_fma(wf, w_set(square), s->fee[k]);
        if (at->ends) s->H[k] = w_fma(w, reach_hessian(at, r, c), s->H[k]);
    }
}

SSDF_NOINLINE void sum_jet(void* sums, const ssdfBlock* b, int leaf) {
    ssdfTile t;
    fill_tile(b, leaf, &t);
    for (int i = 0; i < t.count; ++i) {
        wide score[SSDF_STAGE];
        int any = tile_scores(b, &t, i, score);
        for (int u = 0; any && u < SSDF_STAGE; ++u)
            if (is_summed(any, u)) {
                planeReach at = {.ends = 0};
                tile_reach(b, &t, i, u, tile_distance(b, &t, i, u), 1, &at);
                add_jet((jetSums*)sums + u, &t, i, score[u], &at);
            }
    }
}

static void store_jet(const ssdfBlock* b, const jetSums* s, int u,
                      tacReal out[TAC_SSDF_JET][TAC_SSDF_BLOCK]) {
    wide inv = 1.0 / s->w, phi = s->f * inv, two = 2.0 * b->inv, g[3], a[3];
    w_store(&out[0][u * TAC_LANES], phi);
    for (int k = 0; k < 3; ++k) {
        a[k] = two * s->e[k] * inv;
        g[k] = (s->n[k] + two * (s->fe[k] - phi * s->e[k])) * inv;
        w_store(&out[1 + k][u * TAC_LANES], g[k]);
    }
    for (int k = 0; k < 6; ++k) {
        int r = row[k], c = column[k];
        wide H = inv * (s->H[k] + two * (s->ne[k] + two * (s->fee[k] - phi * s->ee[k])));
        w_store(&out[4 + k][u * TAC_LANES], H - g[r] * a[c] - a[r] * g[c]);
    }
}

// a mean moves by -(<q s> - <q><s>)/eps1
static void store_rates(const ssdfBlock* b, const jetSums* s, int u,
                        tacReal out[TAC_SSDF_JET][TAC_SSDF_BLOCK]) {
    wide inv = 1.0 / s->w, by = -b->inv * inv, mean = s->s * inv, two = 2.0 * b->inv;
    wide phi = s->f * inv, phi_e = by * (s->fs - s->f * mean);
    w_store(&out[10][u * TAC_LANES], phi_e);
    for (int k = 0; k < 3; ++k) {
        wide e = s->e[k] * inv, n_e = by * (s->ns[k] - s->n[k] * mean);
        wide e_e = by * (s->es[k] - s->e[k] * mean), fe_e = by * (s->fes[k] - s->fe[k] * mean);
        wide shift = s->fe[k] * inv - phi * e;
        w_store(&out[11 + k][u * TAC_LANES],
                n_e + two * (fe_e - phi_e * e - phi * e_e) - two * b->inv * shift);
    }
}

static void jet_at(const tacSsdfPlanes* planes, const tacReal y[3][TAC_SSDF_BLOCK],
                   tacReal out[TAC_SSDF_JET][TAC_SSDF_BLOCK]) {
    ssdfBlock b;
    jetSums s[SSDF_STAGE];
    block_begin(&b, planes, y);
    for (int u = 0; u < SSDF_STAGE; ++u) {
        s[u].w = s[u].f = w_set(0.0);
        s[u].s = s[u].fs = w_set(0.0);
        for (int k = 0; k < 3; ++k) {
            s[u].n[k] = s[u].e[k] = s[u].fe[k] = w_set(0.0);
            s[u].ns[k] = s[u].es[k] = s[u].fes[k] = w_set(0.0);
        }
        for (int k = 0; k < 6; ++k) s[u].ne[k] = s[u].ee[k] = s[u].fee[k] = s[u].H[k] = w_set(0.0);
    }
    block_visit(&b, sum_jet, s);
    for (int u = 0; u < SSDF_STAGE; ++u) {
        store_jet(&b, &s[u], u, out);
        store_rates(&b, &s[u], u, out);
        for (int k = 10; k < TAC_SSDF_JET && planes->is_own; ++k)
            w_store(&out[k][u * TAC_LANES], w_set(0.0));
    }
}

const tacSsdfKernels TAC_KERNELS(tac_ssdf_kernels_) = {phi_field, phi_and_fade, phi_lower_bound,
                                                       jet_at};
