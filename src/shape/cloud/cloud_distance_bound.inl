// A ball around y that the surface of a cloud does not enter (docs/shapes.md eq. 29).
//
// In the ball of radius r, f_i falls by |n_i| r at most and ln B_i - ln B_m moves by
// r |a_i - a_m| + r^2 |M_i - M_m| at most. So with weights U above and L below what they can be,
//
//   sum over g < theta of U (g - theta) + sum over g >= theta of L (g - theta) >= 0,  g = f - |n| r
//
// proves phi >= theta in the ball. Radii are tried from large to small.

#ifndef TAC_SHAPE_CLOUD_CLOUD_DISTANCE_BOUND_INL
#define TAC_SHAPE_CLOUD_CLOUD_DISTANCE_BOUND_INL

#include "shape/cloud/cloud.inl"

// radii that are tried, in units of |phi|: each less than half of the one before; theta
#define TAC_CLOUD_FIRST_RADIUS 0.7
#define TAC_CLOUD_LAST_RADIUS  0.004
#define TAC_CLOUD_THETA        0.2
// boxes whose weights are below exp(-this) of the best are left out, and paid for
#define TAC_CLOUD_IGNORE 60.0

typedef struct cloudProof {
    const cloudQuery* at;
    double side;     // 1 outside, -1 inside
    double r, theta; // radius, and the value to prove
    double best;     // square root of -(ln B_m - l_m) somewhere in the ball, at most
    wide sum;
} cloudProof;

// psi exp(u) + TAIL of a Wendland kernel at the distance d
TAC_INLINE wide wendland_shape(wide d, wide inv) {
    wide u = d * d * inv;
    wide t = w_min(w_sqrt(u * (1.0 / TAC_CLOUD_END) + TAC_CENTRE), w_set(1.0));
    wide r = 1.0 - t, r2 = r * r;
    wide psi = r2 * r2 * r2 * w_fma(t, w_fma(t, w_set(35.0 / 3.0), w_set(6.0)), w_set(1.0));
    return w_fma(psi, w_exp(w_min(u, w_set(TAC_CLOUD_END))), w_set(TAC_CLOUD_TAIL));
}

// the least (toward = -1) or the most (1) of it within r of d: it rises up to the crest at t =
// 17/35 and falls beyond
TAC_INLINE wide wendland_extreme(wide d, wide r, wide extreme, wide inv) {
    wide near = w_max(d - r, w_set(0.0)), far = d + r;
    wide crest = w_set(17.0 / 35.0) * w_sqrt(w_set(TAC_CLOUD_END) / inv);
    wide least = w_min(wendland_shape(near, inv), wendland_shape(far, inv));
    wide most = wendland_shape(w_min(w_max(crest, near), far), inv);
    return w_select_ge0(extreme, most, least);
}

// norm of M - M_m, off-diagonal entries twice
TAC_INLINE wide metric_difference(const cloudQuery* at, const cloudPair* o) {
    wide square = w_set(0.0);
    for (int k = 0; k < 6; ++k) {
        wide less = o->M[k] - w_set(at->metric[k]);
        square = w_fma(less * (k < 3 ? 1.0 : 2.0), less, square);
    }
    return w_sqrt(square + TAC_CENTRE);
}

TAC_INLINE wide length3(const wide v[3]) { return w_sqrt(w_dot3(v, v) + TAC_CENTRE); }

static void prove_leaf(cloudProof* s, int index) {
    const cloudQuery* at = s->at;
    const tacCloud* c = at->search.b->cloud;
    cloudLeaf leaf;
    load_leaf(&at->search, index, &leaf);
    for (int j = 0; j < TAC_CLOUD_LEAF; j += TAC_LANES) {
        cloudPair o;
        tacCloudKernel kernel =
            c->kernel == TAC_CLOUD_ANISOTROPIC ? c->kernel : TAC_CLOUD_ISOTROPIC;
        cloud_pair(at, &leaf, j, pair_geo(at, &leaf, j, kernel), &o, kernel);
        wide r = w_set(s->r), rise = o.geo, change = length3(o.a) * r, shape = w_set(1.0);
        if (c->has_log_amp) rise = rise + pair_rise(at, &leaf, j);
        if (c->kernel == TAC_CLOUD_ANISOTROPIC)
            change = w_fma(metric_difference(at, &o), r * r, change);
        wide f = s->side * (o.f + w_set(at->f)) - length3(o.n) * r - s->theta;
        wide extreme =
            w_select_ge0(f, w_set(-1.0), w_set(1.0)); // less of what helps, more of the rest
        if (c->kernel == TAC_CLOUD_WENDLAND)
            shape = wendland_extreme(length3(o.d), r, extreme, w_set(at->inv_eps));
        wide w = shape * w_exp(w_min(w_fma(extreme, change, rise), w_set(600.0)));
        if (leaf.mask) w = w * load_mask(&leaf.mask[j]);
        s->sum = w_fma(w, f, s->sum);
    }
}

// least f in box k, by intervals of normals and of n . p; outside (side 1) or of -f inside
static double box_plane(const cloudProof* s, const tacCloudPage* page, int k) {
    double least = s->side > 0.0 ? -page->offset_high[k] : page->offset_low[k];
    for (int axis = 0; axis < 3; ++axis) {
        double y = s->side * s->at->search.y[axis];
        least += y * (y > 0.0 ? page->normal_low[axis][k] : page->normal_high[axis][k]);
    }
    return least;
}

static double box_normal(const tacCloudPage* page, int k) {
    double square = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = fabs(page->normal_low[axis][k]), high = fabs(page->normal_high[axis][k]);
        double most = low > high ? low : high;
        square += most * most;
    }
    return sqrt(square);
}

// may a box be left out: all of its points lie above theta, or weigh nothing?
static int box_is_negligible(const cloudProof* s, const tacCloudPage* page, int k, double square) {
    const cloudSearch* q = &s->at->search;
    double slack = 1e-12 * (fabs(q->y[0]) + fabs(q->y[1]) + fabs(q->y[2]));
    if (box_plane(s, page, k) - slack - box_normal(page, k) * s->r >= s->theta) return 1;
    double near = sqrt(page->metric_eig[k] * q->scale * square) -
                  sqrt(page->metric_eig_high[k] * q->scale) * s->r;
    near = near > 0.0 ? near * near : 0.0;
    return page->log_amp[k] - tac_re(s->at->log_amp) - near + s->best * s->best < -TAC_CLOUD_IGNORE;
}

static void prove_page(cloudProof* s, int level, int index) {
    const cloudSearch* q = &s->at->search;
    const tacCloudPage* page = &q->page[q->b->levels.first[level] + index];
    double square[TAC_CLOUD_LEAF];
    for (int k = 0; k < TAC_CLOUD_LEAF; k += TAC_LANES)
        b_store(&square[k], box_square(page, q->y, k));
    for (int k = 0; k < TAC_CLOUD_LEAF; ++k) {
        int child = index * TAC_CLOUD_LEAF + k;
        if (child >= q->b->levels.slots[level] || box_is_negligible(s, page, k, square[k]))
            continue;
        if (level > 0)
            prove_page(s, level - 1, child);
        else
            prove_leaf(s, child);
    }
}

// is phi * side >= theta in the ball?
static int prove_ball(const cloudQuery* at, double side, double r, double theta) {
    const cloudSearch* q = &at->search;
    const tacCloudExtent* e = &q->b->extent;
    cloudProof s = {.at = at, .side = side, .r = r, .theta = theta};
    double u = tac_re(at->log_amp) - q->score;
    s.best = sqrt(u > 0.0 ? u : 0.0) + sqrt(e->metric_eig[1] * q->scale) * r;
    s.sum = w_set(0.0);
    prove_page(&s, q->b->levels.count - 1, 0);
    double arm = e->size + r + theta;
    for (int k = 0; k < 3; ++k) arm += fabs(tac_re(at->d[k]));
    return tac_re(w_sum(s.sum)) >= 8.0 * q->b->cloud->count * exp(-TAC_CLOUD_IGNORE) * arm;
}

// D and K, outside [0] and inside [1], of one point
TAC_NOINLINE void cloud_point_distance_bound(const tacNodeData* b, const tacReal y[3], double D[2],
                                             double K[2]) {
    cloudQuery at;
    tacReal field[10];
    cloud_point(&at, b, y, field, 0);
    double value = tac_re(field[0]), size = fabs(value);
    int inside = value < 0.0;
    D[inside] = 0.0;
    D[1 - inside] = -size;
    K[0] = K[1] = 1.0;
    double theta = TAC_CLOUD_THETA * size;
    for (double r = TAC_CLOUD_FIRST_RADIUS * size; r >= TAC_CLOUD_LAST_RADIUS * size && size > 0.0;
         r *= 0.4) {
        if (!prove_ball(&at, inside ? -1.0 : 1.0, r, theta)) continue;
        D[inside] = r;
        K[inside] = fmax(r / theta, 1e-3);
        return;
    }
}

TAC_INLINE void cloud_distance_bound(const tacNodeData* b, const wide y[3], wide D[2], wide K[2]) {
    tacReal lanes[4][TAC_LANES];
    for (int lane = 0; lane < TAC_LANES; ++lane) {
        tacReal at_y[3] = {w_lane(y[0], lane), w_lane(y[1], lane), w_lane(y[2], lane)};
        double d[2], k[2];
        cloud_point_distance_bound(b, at_y, d, k);
        for (int side = 0; side < 2; ++side) {
            lanes[side][lane] = d[side];
            lanes[2 + side][lane] = k[side];
        }
    }
    for (int side = 0; side < 2; ++side) {
        D[side] = w_load(lanes[side]);
        K[side] = w_load(lanes[2 + side]);
    }
}

#endif
