// Kernels of edges against edges, compiled once per instruction set and once per number type.
//
// A pair of edges with witness points e1, e2 (edge_edge.inl) is a contact by the indicator
//
//   indicator = colliding opposing w(2 (gap - R1 - R2)/depth - 1), times |n|^2 for edges of two
//   solids
//
// which is exactly 0 for edges whose common perpendicular misses them, for those whose faces do not
// oppose (edge_edge_normal.inl) and for those farther apart than `depth`. Among the pairs of one
// edge the nearest win, ties share nothing:
//
//   nearest_p = prod_q (1 - indicator_q psi((gap_p - gap_q)/width - 1))
//
// Of each point a record has activity indicator nearest penetrating (edge_penetrating.inl).

#include "detect/manifold/manifold_edges_kernels.h"

#include "detect/manifold/edge_edge_normal.inl"
#include "detect/manifold/edge_penetrating.inl"

#include <string.h>

TAC_INLINE void gather3(tacReal* const x[3], const int* at, wide out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = w_gather(x[k], at);
}

static void sum_wrench(const wide part[6], tacReal wrench[6]) {
    for (int k = 0; k < 6; ++k) wrench[k] += w_sum(part[k]);
}

//---------------------------------- witness points -------------------------------

TAC_INLINE edgeCorners pair_corners(const tacEdgeSet set[2], const int* first, const int* second) {
    edgeCorners c;
    gather3(set[0].from, first, c.x[0]);
    gather3(set[0].to, first, c.x[1]);
    gather3(set[1].from, second, c.x[2]);
    gather3(set[1].to, second, c.x[3]);
    return c;
}

// w(2 (gap - R1 - R2)/depth - 1), by gap (less the radii) and by depth (d_tau)
TAC_INLINE softDiff pair_gate(wide gap, const tacEdgeParams* n) {
    wide scale = w_set(2.0 / n->depth), over = gap - (n->radius[0] + n->radius[1]);
    softDiff w = soft_mollifier_diff(w_fma(over, scale, w_set(-1.0)));
    w.d_tau = -w.d_x * over * scale / n->depth;
    w.d_x = w.d_x * scale;
    return w;
}

// one vector of pairs, from the i-th on, of `count`
typedef struct pairWitness {
    int i, count;
    edgeCorners corners;
    edgeArms arms;
    edgeProducts products;
    edgeQp qp;
    edgeWitness w;
    softDiff gate;
    int solid; // both edges are of solids
    edgeCross cross;
    edgeLine line;
    edgeFaces faces[2];
    edgeNormalSign normal_sign;
    wide nearest_score; // of the indicator: all but the gate
} pairWitness;

// |n|^2, 1 where an edge is swept. Of parallel edges it is 0 and so is its slope, but not its
// curvature: by this little more their records are there, for second derivatives
#define PAIR_MIN 1e-30
TAC_INLINE wide pair_square(const pairWitness* p) {
    return p->solid ? w_dot3(p->line.n, p->line.n) + PAIR_MIN : w_set(1.0);
}

TAC_INLINE edgeFaces pair_faces(const tacEdgeSet* s, const int* at) {
    edgeFaces f;
    f.swept = s->swept;
    if (f.swept) return f;
    gather3(s->out, at, f.out);
    for (int i = 0; i < 2; ++i) gather3(s->along[i], at, f.along[i]);
    return f;
}

TAC_INLINE edgeLine span_line(const edgeWitness* w) {
    return (edgeLine){{w->normal[0], w->normal[1], w->normal[2]}, w->distance};
}

TAC_INLINE void pair_normal(const tacEdgeSet set[2], const tacCandidatePairs* m,
                            const tacEdgeParams* n, int i, pairWitness* p) {
    p->solid = !set[0].swept && !set[1].swept;
    if (p->solid) p->cross = edge_cross(&p->arms, &p->products);
    p->line = p->solid ? p->cross.line : span_line(&p->w);
    p->faces[0] = pair_faces(&set[0], &m->first[i]);
    p->faces[1] = pair_faces(&set[1], &m->second[i]);
    p->normal_sign = edge_normal_sign(&p->line, p->faces, w_set(n->sign), w_set(n->opposing));
    p->nearest_score = p->w.colliding * p->normal_sign.opposing * pair_square(p);
}

TAC_INLINE void pair_witness(const tacEdgeSet set[2], const tacCandidatePairs* m,
                             const tacEdgeParams* n, const edgeTau* t, int i, pairWitness* p) {
    p->i = i;
    p->count = m->count;
    p->corners = pair_corners(set, &m->first[i], &m->second[i]);
    p->arms = edge_arms(&p->corners);
    p->products = edge_products(&p->arms);
    p->qp = n->witness.exact ? edge_qp_exact(&p->products, t) : edge_qp(&p->products, t);
    p->w = edge_witness(&p->corners, &p->arms, &p->qp, t);
    p->gate = pair_gate(p->w.gap, n);
    pair_normal(set, m, n, i, p);
}

TAC_INLINE void store_witness(tacCandidatePairs* m, int i, const edgeWitness* w,
                              const edgeNormal* signed_normal, wide indicator) {
    for (int k = 0; k < 2; ++k) w_store3(m->point[k], i, w->point[k]);
    w_store(&m->gap[i], w->gap);
    w_store(&m->distance[i], signed_normal->distance);
    w_store3(m->normal, i, signed_normal->normal);
    w_store(&m->indicator[i], indicator);
}

static void witness(const tacEdgeSet set[2], const tacEdgeParams* n, tacCandidatePairs* m) {
    edgeTau t = edge_tau(&n->witness);
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairWitness p;
        pair_witness(set, m, n, &t, i, &p);
        edgeNormal signed_normal = edge_normal(&p.line, &p.normal_sign);
        store_witness(m, i, &p.w, &signed_normal, p.nearest_score * p.gate.value);
    }
}

// of colliding opposing |n|^2
TAC_INLINE wide nearest_score_dot(const pairWitness* p, const edgeWitness* d,
                                  const edgeNormal* signed_normal, const edgeLine* line_dot) {
    wide dot =
        w_fma(d->colliding, p->normal_sign.opposing, p->w.colliding * signed_normal->opposing);
    if (!p->solid) return dot;
    wide both = 2.0 * p->w.colliding * p->normal_sign.opposing * w_dot3(p->line.n, line_dot->n);
    return w_fma(dot, pair_square(p), both);
}

static void witness_jvp(const tacEdgeSet set[2], const tacEdgeParams* n, const tacCandidatePairs* m,
                        const tacEdgeSet set_dot[2], const tacEdgeParams* n_dot,
                        tacCandidatePairs* m_dot) {
    edgeTau t = edge_tau(&n->witness);
    const tacWitnessOptions* o = &n_dot->witness;
    edgeTauDot td = {w_set(o->tikhonov), w_set(o->min),   w_set(o->clip),
                     w_set(o->inside),   w_set(o->range), w_set(o->gap)};
    const tacReal* r = set_dot[1].rot;
    edgeNormalDot normal_dot = {.rot = {w_set(r[0]), w_set(r[1]), w_set(r[2])},
                                .sign_tau = w_set(n_dot->sign),
                                .opposing_tau = w_set(n_dot->opposing)};
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairWitness p;
        pair_witness(set, m, n, &t, i, &p);
        edgeCorners c_dot = pair_corners(set_dot, &m->first[i], &m->second[i]);
        edgeArms arms_dot = edge_arms(&c_dot);
        edgeWitness d = edge_witness_jvp(&c_dot, &p.arms, &p.qp, &t, &td);
        edgeLine line =
            p.solid ? edge_cross_jvp(&p.cross, &p.arms, &p.products, &arms_dot) : span_line(&d);
        normal_dot.line = line;
        edgeFaces faces_dot[2];
        for (int k = 0; k < 2; ++k) {
            normal_dot.faces[k] = NULL;
            if (set[k].swept || !set_dot[k].out[0]) continue;
            faces_dot[k] = pair_faces(&set_dot[k], k ? &m->second[i] : &m->first[i]);
            normal_dot.faces[k] = &faces_dot[k];
        }
        edgeNormal signed_normal = edge_normal_jvp(&p.line, p.faces, &p.normal_sign, &normal_dot);
        wide gate_dot = p.gate.d_x * (d.gap - (n_dot->radius[0] + n_dot->radius[1])) +
                        p.gate.d_tau * n_dot->depth;
        wide nearest_score = nearest_score_dot(&p, &d, &signed_normal, &line);
        store_witness(m_dot, i, &d, &signed_normal,
                      w_fma(nearest_score, p.gate.value, p.nearest_score * gate_dot));
    }
}

TAC_INLINE edgeWitness load_witness_bar(const tacCandidatePairs* bar, int i, int count) {
    edgeWitness w;
    memset(&w, 0, sizeof w);
    for (int k = 0; k < 2; ++k) w_load_padded3(bar->point[k], i, count, w.point[k]);
    w.gap = w_load_padded(bar->gap, i, count);
    return w;
}

static void add_options(const edgeTauDot* sum, tacWitnessOptions* out) {
    out->tikhonov += w_sum(sum->tikhonov);
    out->min += w_sum(sum->min);
    out->clip += w_sum(sum->clip);
    out->inside += w_sum(sum->inside);
    out->range += w_sum(sum->range);
    out->gap += w_sum(sum->gap);
}

// sums over pairs, one lane each until the end
typedef struct pairSums {
    edgeTauDot options;
    wide force[6], depth, radius, sign, opposing;
    wide growth[2][3];
} pairSums;

//---------------------------------- growth ---------------------------------------

// Edges grow by M = sum g_j r_j r_j' with the axes r of their geom. Corners move by M (x - o). With
// t along the edge, a and n along and across a face of it:
//
//   a' = M a - 2 t (t . M a) - a (a . M a),  n' = n (n . M n) - M n,  out = (n1 + n2)/|n1 + n2|
//
// For adjoints each is a sum of products (r_j . p)(r_j . q).
TAC_INLINE void add_growth(const tacFrame* geom, const wide p[3], const wide q[3], wide sum[3]) {
    for (int j = 0; j < 3; ++j) {
        wide a = w_set(0.0), b = w_set(0.0);
        for (int i = 0; i < 3; ++i) {
            a = w_fma(w_set(geom->R.m[i][j]), p[i], a);
            b = w_fma(w_set(geom->R.m[i][j]), q[i], b);
        }
        sum[j] = w_fma(a, b, sum[j]);
    }
}

TAC_INLINE void corner_growth(const tacFrame* geom, const wide x[3], const wide bar[3],
                              wide sum[3]) {
    wide arm[3];
    for (int k = 0; k < 3; ++k) arm[k] = x[k] - w_set(geom->origin[k]);
    add_growth(geom, bar, arm, sum);
}

// x - p (p . x) times `much`
TAC_INLINE void take_along(const wide p[3], double much, const wide x[3], wide out[3]) {
    wide along = much * w_dot3(p, x);
    for (int k = 0; k < 3; ++k) out[k] = x[k] - along * p[k];
}

TAC_INLINE void along_growth(const tacFrame* geom, const wide t[3], const wide a[3],
                             const wide bar[3], wide sum[3]) {
    wide y[3], z[3];
    take_along(t, 2.0, bar, y);
    wide own = w_dot3(a, bar);
    for (int k = 0; k < 3; ++k) z[k] = y[k] - own * a[k];
    add_growth(geom, z, a, sum);
}

// the normal of a face: what of `out` is not along it
TAC_INLINE void face_normal(const edgeFaces* f, int side, wide n[3]) {
    take_along(f->along[side], 1.0, f->out, n);
    wide inverse = w_rsqrt(w_dot3(n, n) + 1e-300);
    for (int k = 0; k < 3; ++k) n[k] = n[k] * inverse;
}

TAC_INLINE void out_growth(const tacFrame* geom, const edgeFaces* f, const wide bar[3],
                           wide sum[3]) {
    wide n[2][3], s[3], s_bar[3], z[3];
    for (int i = 0; i < 2; ++i) face_normal(f, i, n[i]);
    for (int k = 0; k < 3; ++k) s[k] = n[0][k] + n[1][k];
    wide inverse = w_rsqrt(w_dot3(s, s) + 1e-300);
    take_along(f->out, 1.0, bar, s_bar);
    for (int i = 0; i < 2; ++i) {
        wide own = w_dot3(n[i], s_bar);
        for (int k = 0; k < 3; ++k) z[k] = (own * n[i][k] - s_bar[k]) * inverse;
        add_growth(geom, z, n[i], sum);
    }
}

TAC_INLINE void pair_growth(const pairWitness* p, const edgeCorners* c_bar,
                            const edgeFaces faces_bar[2], const tacEdgeGrowth growth[2],
                            pairSums* sums) {
    for (int k = 0; k < 2; ++k) {
        const tacFrame* geom = &growth[k].geom;
        const edgeFaces* f = &p->faces[k];
        wide t[3], *sum = sums->growth[k];
        for (int end = 0; end < 2; ++end)
            corner_growth(geom, p->corners.x[2 * k + end], c_bar->x[2 * k + end], sum);
        if (f->swept) continue;
        const wide* arm = k ? p->arms.t2 : p->arms.t1;
        wide inverse = w_rsqrt(w_dot3(arm, arm) + 1e-300);
        for (int i = 0; i < 3; ++i) t[i] = arm[i] * inverse;
        for (int i = 0; i < 2; ++i) along_growth(geom, t, f->along[i], faces_bar[k].along[i], sum);
        out_growth(geom, f, faces_bar[k].out, sum);
    }
}

//---------------------------------- adjoints of pairs ----------------------------

// adjoints of the line and of `colliding` from those of the signed normal and of the indicator
TAC_INLINE void normal_vjp(const pairWitness* p, const tacCandidatePairs* m_bar,
                           wide nearest_score_bar, edgeWitness* bar, edgeLine* line_bar,
                           edgeFaces* faces_bar, pairSums* sums) {
    wide square = pair_square(p);
    edgeNormalBar out = {&sums->force[3], &sums->sign, &sums->opposing, faces_bar};
    edgeNormal signed_normal = {.distance = w_load_padded(m_bar->distance, p->i, p->count),
                                .opposing = nearest_score_bar * p->w.colliding * square};
    w_load_padded3(m_bar->normal, p->i, p->count, signed_normal.normal);
    bar->colliding = nearest_score_bar * p->normal_sign.opposing * square;
    edge_normal_vjp(&p->line, p->faces, &p->normal_sign, &signed_normal, line_bar, out);
    wide length = 2.0 * nearest_score_bar * p->w.colliding * p->normal_sign.opposing;
    for (int k = 0; k < 3 && p->solid; ++k)
        line_bar->n[k] = w_fma(length, p->line.n[k], line_bar->n[k]);
}

TAC_INLINE void pair_bar(const pairWitness* p, const tacCandidatePairs* m_bar, const edgeTau* t,
                         const tacEdgeGrowth* growth, pairSums* sums) {
    edgeWitness bar = load_witness_bar(m_bar, p->i, p->count);
    edgeLine line_bar;
    edgeArms arms_bar;
    edgeCorners c_bar;
    edgeFaces faces_bar[2];
    wide indicator_bar = w_load_padded(m_bar->indicator, p->i, p->count),
         gate_bar = indicator_bar * p->nearest_score;
    memset(&c_bar, 0, sizeof c_bar);
    memset(&arms_bar, 0, sizeof arms_bar);
    normal_vjp(p, m_bar, indicator_bar * p->gate.value, &bar, &line_bar, growth ? faces_bar : NULL,
               sums);
    bar.gap = w_fma(gate_bar, p->gate.d_x, bar.gap);
    sums->radius = sums->radius - gate_bar * p->gate.d_x;
    sums->depth = w_fma(gate_bar, p->gate.d_tau, sums->depth);
    if (p->solid) {
        edge_cross_vjp(&p->cross, &p->arms, &p->products, &line_bar, &arms_bar);
        edge_arms_vjp(&arms_bar, &c_bar);
    } else {
        memcpy(bar.normal, line_bar.n, sizeof bar.normal);
        bar.distance = line_bar.l;
    }
    edge_witness_vjp(&p->arms, &p->qp, t, &bar, &c_bar, &sums->options);
    w_add_force(sums->force, p->corners.x[2], c_bar.x[2]);
    w_add_force(sums->force, p->corners.x[3], c_bar.x[3]);
    if (growth) pair_growth(p, &c_bar, faces_bar, growth, sums);
}

static void witness_vjp(const tacEdgeSet set[2], const tacEdgeParams* n, const tacCandidatePairs* m,
                        const tacCandidatePairs* m_bar, tacEdgeParams* n_bar, tacReal wrench[6],
                        tacEdgeGrowth* growth) {
    edgeTau t = edge_tau(&n->witness);
    pairSums sums;
    memset(&sums, 0, sizeof sums);
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairWitness p;
        pair_witness(set, m, n, &t, i, &p);
        pair_bar(&p, m_bar, &t, growth, &sums);
    }
    add_options(&sums.options, &n_bar->witness);
    n_bar->depth += w_sum(sums.depth);
    n_bar->sign += w_sum(sums.sign);
    n_bar->opposing += w_sum(sums.opposing);
    for (int k = 0; k < 2; ++k) n_bar->radius[k] += w_sum(sums.radius);
    sum_wrench(sums.force, wrench);
    for (int k = 0; k < 6 && growth; ++k)
        growth[k / 3].bar[k % 3] += w_sum(sums.growth[k / 3][k % 3]);
}

//---------------------------------- competition ----------------------------------

typedef struct nearestTerm {
    wide left, margin; // 1 - indicator psi(margin)
    softDiff ramp;
} nearestTerm;

TAC_INLINE nearestTerm nearest_term(wide gap, tacReal other, tacReal indicator, wide inverse) {
    nearestTerm r;
    r.margin = w_fma(gap - other, inverse, w_set(-1.0));
    r.ramp = soft_ramp_diff(r.margin);
    r.left = w_fma(-w_set(indicator), r.ramp.value, w_set(1.0));
    return r;
}

static void soft_nearest(const tacNearestPairs* p) {
    wide inverse = w_set(1.0 / p->width);
    for (int i = 0; i < p->count; i += TAC_LANES) {
        wide own = w_load(&p->gap[i]), left = w_set(1.0);
        for (int q = 0; q < p->count; ++q)
            left = left * nearest_term(own, p->gap[q], p->indicator[q], inverse).left;
        w_store(&p->nearest[i], left);
    }
}

static void soft_nearest_jvp(const tacNearestPairs* p, const tacNearestPairs* d) {
    wide inverse = w_set(1.0 / p->width), width_rate = w_set(d->width / p->width);
    for (int i = 0; i < p->count; i += TAC_LANES) {
        wide own = w_load(&p->gap[i]), own_dot = w_load(&d->gap[i]), sum = w_set(0.0);
        for (int q = 0; q < p->count; ++q) {
            nearestTerm r = nearest_term(own, p->gap[q], p->indicator[q], inverse);
            wide margin_dot = (own_dot - d->gap[q]) * inverse - (r.margin + 1.0) * width_rate;
            wide dot = d->indicator[q] * r.ramp.value + p->indicator[q] * r.ramp.d_x * margin_dot;
            sum = sum - dot / w_max(r.left, w_set(1e-200));
        }
        w_store(&d->nearest[i], w_load(&p->nearest[i]) * sum);
    }
}

static void soft_nearest_vjp(const tacNearestPairs* p, tacNearestPairs* d) {
    wide inverse = w_set(1.0 / p->width), width_rate = w_set(0.0);
    for (int i = 0; i < p->count; i += TAC_LANES) {
        wide own = w_load(&p->gap[i]), own_bar = w_set(0.0);
        wide bar = w_load_padded(d->nearest, i, p->count) * w_load(&p->nearest[i]);
        for (int q = 0; q < p->count; ++q) {
            nearestTerm r = nearest_term(own, p->gap[q], p->indicator[q], inverse);
            wide left_bar = bar / w_max(r.left, w_set(1e-200));
            wide margin_bar = -left_bar * p->indicator[q] * r.ramp.d_x * inverse;
            d->indicator[q] -= w_sum(left_bar * r.ramp.value);
            d->gap[q] -= w_sum(margin_bar);
            own_bar = own_bar + margin_bar;
            width_rate = width_rate - margin_bar * (r.margin + 1.0);
        }
        tacReal part[TAC_LANES];
        w_store(part, own_bar);
        for (int j = 0; j < TAC_LANES && i + j < p->count; ++j) d->gap[i + j] += part[j];
    }
    d->width += w_sum(width_rate);
}

//---------------------------------- records --------------------------------------

typedef struct pairRecord {
    int i, count;
    wide indicator, normal[3], nearest[2], point[2][3];
    softDiff pen[2];
} pairRecord;

TAC_INLINE void pair_record(const tacEdgeParams* n, const tacCandidatePairs* m, int i,
                            pairRecord* e) {
    wide inv_support = w_set(1.0 / n->support);
    e->i = i;
    e->count = m->count;
    w_load3(W_CONST3(m->normal), i, e->normal);
    e->indicator = w_load(&m->indicator[i]);
    for (int k = 0; k < 2; ++k) {
        e->nearest[k] = w_load(&m->nearest[k][i]);
        w_load3(W_CONST3(m->point[k]), i, e->point[k]);
        e->pen[k] =
            edge_penetrating(w_load(&m->phi[k][i]) - n->radius[k], w_set(n->tau), inv_support);
    }
}

// the normal leaves surface 2, the record's points from geom[0] to geom[1]; swept points lie on it
static void write_records(const tacFrame* body, const tacEdgeParams* n, const tacCandidatePairs* m,
                          const tacHitRecords out[2]) {
    tacReal radii = n->radius[0] + n->radius[1];
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairRecord e;
        wide rotated[3], distance = w_load(&m->distance[i]) - radii;
        pair_record(n, m, i, &e);
        rotate_to_world(body, e.normal, rotated);
        for (int k = 0; k < 2; ++k) {
            wide p[3], world[3], normal[3], offset = w_set(k ? n->radius[1] : -n->radius[0]);
            for (int j = 0; j < 3; ++j) p[j] = w_fma(offset, e.normal[j], e.point[k][j]);
            rotate_to_world(body, p, world);
            for (int j = 0; j < 3; ++j) {
                world[j] = world[j] + body->origin[j];
                normal[j] = -rotated[j];
            }
            w_store3(out[k].point, i, world);
            w_store3(out[k].normal, i, normal);
            w_store(&out[k].distance[i], distance);
            w_store(&out[k].activity[i], e.indicator * e.nearest[k] * e.pen[k].value);
        }
    }
}

static void write_records_jvp(const tacEdgeParams* n, const tacCandidatePairs* m,
                              const tacEdgeParams* n_dot, const tacCandidatePairs* d,
                              const tacHitRecords out[2]) {
    tacReal radii_dot = n_dot->radius[0] + n_dot->radius[1];
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairRecord e;
        wide normal[3];
        pair_record(n, m, i, &e);
        w_load3(W_CONST3(d->normal), i, normal);
        for (int k = 0; k < 2; ++k) {
            tacReal sign = k ? 1.0 : -1.0;
            wide pen_dot = e.pen[k].d_x * (w_load(&d->phi[k][i]) - n_dot->radius[k]) +
                           e.pen[k].d_tau * n_dot->tau + e.pen[k].d_upper * n_dot->support;
            wide nearest_score = e.indicator * e.nearest[k];
            wide nearest_score_dot =
                w_load(&d->indicator[i]) * e.nearest[k] + e.indicator * w_load(&d->nearest[k][i]);
            for (int j = 0; j < 3; ++j) {
                wide offset = n->radius[k] * normal[j] + n_dot->radius[k] * e.normal[j];
                w_store(&out[k].point[j][i], w_load(&d->point[k][j][i]) + sign * offset);
                w_store(&out[k].normal[j][i], -normal[j]);
            }
            w_store(&out[k].distance[i], w_load(&d->distance[i]) - radii_dot);
            w_store(&out[k].activity[i],
                    w_fma(nearest_score_dot, e.pen[k].value, nearest_score * pen_dot));
        }
    }
}

// sums over pairs, one lane each until the end; and adjoints of one vector of pairs
typedef struct recordSums {
    wide tau, support, radius[2];
    wide normal[3], indicator, distance;
} recordSums;

TAC_INLINE void record_vjp(const tacEdgeParams* n, const pairRecord* e, const tacHitRecords* bar,
                           int k, tacCandidatePairs* out, recordSums* sums) {
    int i = e->i;
    wide act = w_load_padded(bar->activity, i, e->count), point[3], normal[3];
    wide pen_bar = act * e->indicator * e->nearest[k], phi_bar = pen_bar * e->pen[k].d_x;
    wide distance = w_load_padded(bar->distance, i, e->count), sign = w_set(k ? 1.0 : -1.0);
    w_load_padded3(bar->point, i, e->count, point);
    w_load_padded3(bar->normal, i, e->count, normal);
    sums->indicator = w_fma(act * e->pen[k].value, e->nearest[k], sums->indicator);
    sums->distance = sums->distance + distance;
    sums->tau = w_fma(pen_bar, e->pen[k].d_tau, sums->tau);
    sums->support = w_fma(pen_bar, e->pen[k].d_upper, sums->support);
    sums->radius[k] = sums->radius[k] - phi_bar + sign * w_dot3(point, e->normal);
    for (int j = 0; j < 2; ++j) sums->radius[j] = sums->radius[j] - distance;
    w_store(&out->nearest[k][i], act * e->pen[k].value * e->indicator);
    w_store(&out->phi[k][i], phi_bar);
    for (int j = 0; j < 3; ++j)
        sums->normal[j] = sums->normal[j] + sign * n->radius[k] * point[j] - normal[j];
    w_store3(out->point[k], i, point);
}

static void write_records_vjp(const tacEdgeParams* n, const tacCandidatePairs* m,
                              const tacHitRecords bar[2], tacCandidatePairs* out,
                              tacEdgeParams* n_bar) {
    recordSums sums;
    wide zero = w_set(0.0);
    memset(&sums, 0, sizeof sums);
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairRecord e;
        pair_record(n, m, i, &e);
        sums.indicator = sums.distance = zero;
        for (int j = 0; j < 3; ++j) sums.normal[j] = zero;
        for (int k = 0; k < 2; ++k) record_vjp(n, &e, &bar[k], k, out, &sums);
        w_store(&out->indicator[i], sums.indicator);
        w_store(&out->distance[i], sums.distance);
        w_store3(out->normal, i, sums.normal);
        w_store(&out->gap[i], zero);
    }
    n_bar->tau += w_sum(sums.tau);
    n_bar->support += w_sum(sums.support);
    for (int k = 0; k < 2; ++k) n_bar->radius[k] += w_sum(sums.radius[k]);
}

//---------------------------------- table ----------------------------------------

const tacManifoldEdgesKernels TAC_KERNELS(tac_manifold_edges_kernels_) = {
    .lanes = TAC_LANES,
    .witness = witness,
    .witness_jvp = witness_jvp,
    .witness_vjp = witness_vjp,
    .soft_nearest = soft_nearest,
    .soft_nearest_jvp = soft_nearest_jvp,
    .soft_nearest_vjp = soft_nearest_vjp,
    .write_records = write_records,
    .write_records_jvp = write_records_jvp,
    .write_records_vjp = write_records_vjp,
};
