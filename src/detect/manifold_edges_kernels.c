// Kernels of edges against edges, compiled once per instruction set and once per number type.
//
// A pair of edges with witness points e1, e2 (edge_edge.h) claims to be a contact with
//
//   claim = colliding clash w(2 (gap - R1 - R2)/depth - 1), times |n|^2 for edges of two solids
//
// which is exactly 0 for edges whose common perpendicular misses them, for those that do not clash
// (edge_edge_push.h) and for those farther apart than `depth`. Among the pairs of one edge the
// nearest win, ties share nothing:
//
//   nearest_p = prod_q (1 - claim_q psi((gap_p - gap_q)/width - 1))
//
// Of each point a record has activity claim nearest penetrating (edge_edge_sign.h).

#include "detect/manifold_edges_kernels.h"

#include "detect/edge_edge_push.h"
#include "detect/edge_edge_sign.h"

#include <string.h>

TAC_INLINE void load3(tacReal* const x[3], int i, wide out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = w_load(&x[k][i]);
}

TAC_INLINE void store3(tacReal* const x[3], int i, const wide v[3]) {
    for (int k = 0; k < 3; ++k) w_store(&x[k][i], v[k]);
}

TAC_INLINE void gather3(tacReal* const x[3], const int* at, wide out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = w_gather(x[k], at);
}

// numbers of padding are of no pair: 0
TAC_INLINE wide load_real(const tacReal* x, int i, int count) {
    tacReal part[TAC_LANES] = {0};
    if (i + TAC_LANES <= count) return w_load(&x[i]);
    for (int j = 0; i + j < count; ++j) part[j] = x[i + j];
    return w_load(part);
}

TAC_INLINE void load_real3(tacReal* const x[3], int i, int count, wide out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = load_real(x[k], i, count);
}

TAC_INLINE void add_force(wide wrench[6], const wide x[3], const wide f[3]) {
    wide moment[3];
    w_cross3(x, f, moment);
    for (int k = 0; k < 3; ++k) {
        wrench[k] = wrench[k] + f[k];
        wrench[3 + k] = wrench[3 + k] + moment[k];
    }
}

static void sum_wrench(const wide part[6], tacReal wrench[6]) {
    for (int k = 0; k < 6; ++k) wrench[k] += w_sum(part[k]);
}

//---------------------------------- witness points -------------------------------

TAC_INLINE edgeCorners pair_corners(const tacEdgeSet* a, const tacEdgeSet* b, const int* first,
                                    const int* second) {
    edgeCorners c;
    gather3(a->from, first, c.x[0]);
    gather3(a->to, first, c.x[1]);
    gather3(b->from, second, c.x[2]);
    gather3(b->to, second, c.x[3]);
    return c;
}

// w(2 (gap - R1 - R2)/depth - 1), by gap (less the radii) and by depth (d_tau)
TAC_INLINE softDiff pair_gate(wide gap, const tacEdgeNumbers* n) {
    wide scale = w_set(2.0 / n->depth), over = gap - (n->radius[0] + n->radius[1]);
    softDiff w = soft_mollifier_diff(w_fma(over, scale, w_set(-1.0)));
    w.d_tau = -w.d_x * over * scale / n->depth;
    w.d_x = w.d_x * scale;
    return w;
}

typedef struct pairWitness {
    edgeCorners corners;
    edgeArms arms;
    edgeProducts products;
    edgeQp qp;
    edgeWitness w;
    softDiff gate;
    int solid; // both edges are of solids
    edgeCross cross;
    edgeLine line;
    edgeFlanks flank[2];
    edgePush push;
    wide rank; // of the claim: all but the gate
} pairWitness;

// |n|^2, 1 where an edge is swept. Of parallel edges it is 0 and so is its slope, but not its
// curvature: by this little more their records are there, for second derivatives
#define PAIR_LEAST 1e-30
TAC_INLINE wide pair_square(const pairWitness* p) {
    return p->solid ? w_dot3(p->line.n, p->line.n) + PAIR_LEAST : w_set(1.0);
}

TAC_INLINE edgeFlanks pair_flanks(const tacEdgeSet* s, const int* at) {
    edgeFlanks f;
    f.swept = s->swept;
    if (f.swept) return f;
    gather3(s->out, at, f.out);
    for (int i = 0; i < 2; ++i) gather3(s->along[i], at, f.along[i]);
    return f;
}

TAC_INLINE edgeLine span_line(const edgeWitness* w) {
    return (edgeLine){{w->normal[0], w->normal[1], w->normal[2]}, w->distance};
}

TAC_INLINE void pair_push(const tacEdgeSet* a, const tacEdgeSet* b, const tacEdgeMeetings* m,
                          const tacEdgeNumbers* n, int i, pairWitness* p) {
    p->solid = !a->swept && !b->swept;
    if (p->solid) p->cross = edge_cross(&p->arms, &p->products);
    p->line = p->solid ? p->cross.line : span_line(&p->w);
    p->flank[0] = pair_flanks(a, &m->first[i]);
    p->flank[1] = pair_flanks(b, &m->second[i]);
    p->push = edge_push(&p->line, p->flank, w_set(n->sign), w_set(n->clash));
    p->rank = p->w.colliding * p->push.clash * pair_square(p);
}

TAC_INLINE void pair_witness(const tacEdgeSet* a, const tacEdgeSet* b, const tacEdgeMeetings* m,
                             const tacEdgeNumbers* n, const edgeTau* t, int i, pairWitness* p) {
    p->corners = pair_corners(a, b, &m->first[i], &m->second[i]);
    p->arms = edge_arms(&p->corners);
    p->products = edge_products(&p->arms);
    p->qp = n->witness.exact ? edge_qp_exact(&p->products, t) : edge_qp(&p->products, t);
    p->w = edge_witness(&p->corners, &p->arms, &p->qp, t);
    p->gate = pair_gate(p->w.gap, n);
    pair_push(a, b, m, n, i, p);
}

TAC_INLINE void store_witness(tacEdgeMeetings* m, int i, const edgeWitness* w,
                              const edgePushed* pushed, wide claim) {
    for (int k = 0; k < 2; ++k) store3(m->point[k], i, w->point[k]);
    w_store(&m->gap[i], w->gap);
    w_store(&m->distance[i], pushed->distance);
    store3(m->normal, i, pushed->normal);
    w_store(&m->claim[i], claim);
}

static void witness(const tacEdgeSet* a, const tacEdgeSet* b, const tacEdgeNumbers* n,
                    tacEdgeMeetings* m) {
    edgeTau t = edge_tau(&n->witness);
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairWitness p;
        pair_witness(a, b, m, n, &t, i, &p);
        edgePushed pushed = edge_pushed(&p.line, &p.push);
        store_witness(m, i, &p.w, &pushed, p.rank * p.gate.value);
    }
}

// of colliding clash |n|^2
TAC_INLINE wide rank_dot(const pairWitness* p, const edgeWitness* d, const edgePushed* pushed,
                         const edgeLine* line_dot) {
    wide dot = w_fma(d->colliding, p->push.clash, p->w.colliding * pushed->clash);
    if (!p->solid) return dot;
    wide both = 2.0 * p->w.colliding * p->push.clash * w_dot3(p->line.n, line_dot->n);
    return w_fma(dot, pair_square(p), both);
}

static void witness_jvp(const tacEdgeSet* a, const tacEdgeSet* b, const tacEdgeNumbers* n,
                        const tacEdgeMeetings* m, const tacEdgeSet* a_dot, const tacEdgeSet* b_dot,
                        const tacEdgeNumbers* n_dot, tacEdgeMeetings* m_dot) {
    edgeTau t = edge_tau(&n->witness);
    const tacWitnessOptions* o = &n_dot->witness;
    edgeTauDot td = {w_set(o->regular), w_set(o->least), w_set(o->clip),
                     w_set(o->within),  w_set(o->range), w_set(o->gap)};
    wide turn[3] = {w_set(b_dot->turn[0]), w_set(b_dot->turn[1]), w_set(b_dot->turn[2])};
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairWitness p;
        pair_witness(a, b, m, n, &t, i, &p);
        edgeCorners c_dot = pair_corners(a_dot, b_dot, &m->first[i], &m->second[i]);
        edgeArms arms_dot = edge_arms(&c_dot);
        edgeWitness d = edge_witness_jvp(&c_dot, &p.arms, &p.qp, &t, &td);
        edgeLine line =
            p.solid ? edge_cross_jvp(&p.cross, &p.arms, &p.products, &arms_dot) : span_line(&d);
        edgePushed pushed = edge_pushed_jvp(&p.line, p.flank, &p.push, &line, turn,
                                            w_set(n_dot->sign), w_set(n_dot->clash));
        wide gate_dot = p.gate.d_x * (d.gap - (n_dot->radius[0] + n_dot->radius[1])) +
                        p.gate.d_tau * n_dot->depth;
        wide rank = rank_dot(&p, &d, &pushed, &line);
        store_witness(m_dot, i, &d, &pushed, w_fma(rank, p.gate.value, p.rank * gate_dot));
    }
}

TAC_INLINE edgeWitness load_witness_bar(const tacEdgeMeetings* bar, int i, int count) {
    edgeWitness w;
    memset(&w, 0, sizeof w);
    for (int k = 0; k < 2; ++k) load_real3(bar->point[k], i, count, w.point[k]);
    w.gap = load_real(bar->gap, i, count);
    return w;
}

static void add_options(const edgeTauDot* sum, tacWitnessOptions* out) {
    out->regular += w_sum(sum->regular);
    out->least += w_sum(sum->least);
    out->clip += w_sum(sum->clip);
    out->within += w_sum(sum->within);
    out->range += w_sum(sum->range);
    out->gap += w_sum(sum->gap);
}

// sums over pairs, one lane each until the end
typedef struct pairSums {
    edgeTauDot options;
    wide force[6], depth, radius, sign, clash;
} pairSums;

// adjoints of the line and of `colliding` from those of the signed answers and of the claim
TAC_INLINE void push_bar(const pairWitness* p, const tacEdgeMeetings* m_bar, wide rank_bar, int i,
                         int count, edgeWitness* bar, edgeLine* line_bar, pairSums* sums) {
    wide square = pair_square(p);
    edgePushed pushed = {.distance = load_real(m_bar->distance, i, count),
                         .clash = rank_bar * p->w.colliding * square};
    load_real3(m_bar->normal, i, count, pushed.normal);
    bar->colliding = rank_bar * p->push.clash * square;
    edge_pushed_vjp(&p->line, p->flank, &p->push, &pushed, line_bar, &sums->force[3], &sums->sign,
                    &sums->clash);
    wide length = 2.0 * rank_bar * p->w.colliding * p->push.clash;
    for (int k = 0; k < 3 && p->solid; ++k)
        line_bar->n[k] = w_fma(length, p->line.n[k], line_bar->n[k]);
}

TAC_INLINE void pair_bar(const pairWitness* p, const tacEdgeMeetings* m_bar, const edgeTau* t,
                         int i, int count, pairSums* sums) {
    edgeWitness bar = load_witness_bar(m_bar, i, count);
    edgeLine line_bar;
    edgeArms arms_bar;
    edgeCorners c_bar;
    wide claim_bar = load_real(m_bar->claim, i, count), gate_bar = claim_bar * p->rank;
    memset(&c_bar, 0, sizeof c_bar);
    memset(&arms_bar, 0, sizeof arms_bar);
    push_bar(p, m_bar, claim_bar * p->gate.value, i, count, &bar, &line_bar, sums);
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
    add_force(sums->force, p->corners.x[2], c_bar.x[2]);
    add_force(sums->force, p->corners.x[3], c_bar.x[3]);
}

static void witness_vjp(const tacEdgeSet* a, const tacEdgeSet* b, const tacEdgeNumbers* n,
                        const tacEdgeMeetings* m, const tacEdgeMeetings* m_bar,
                        tacEdgeNumbers* n_bar, tacReal wrench[6]) {
    edgeTau t = edge_tau(&n->witness);
    pairSums sums;
    memset(&sums, 0, sizeof sums);
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairWitness p;
        pair_witness(a, b, m, n, &t, i, &p);
        pair_bar(&p, m_bar, &t, i, m->count, &sums);
    }
    add_options(&sums.options, &n_bar->witness);
    n_bar->depth += w_sum(sums.depth);
    n_bar->sign += w_sum(sums.sign);
    n_bar->clash += w_sum(sums.clash);
    for (int k = 0; k < 2; ++k) n_bar->radius[k] += w_sum(sums.radius);
    sum_wrench(sums.force, wrench);
}

//---------------------------------- competition ----------------------------------

typedef struct rivalry {
    wide left, lead; // 1 - claim psi(lead)
    softDiff ramp;
} rivalry;

TAC_INLINE rivalry rival(wide gap, tacReal other, tacReal claim, wide inverse) {
    rivalry r;
    r.lead = w_fma(gap - other, inverse, w_set(-1.0));
    r.ramp = soft_ramp_diff(r.lead);
    r.left = w_fma(-w_set(claim), r.ramp.value, w_set(1.0));
    return r;
}

static void compete(const tacReal* gap, const tacReal* claim, int count, tacReal width,
                    tacReal* nearest) {
    wide inverse = w_set(1.0 / width);
    for (int i = 0; i < count; i += TAC_LANES) {
        wide own = w_load(&gap[i]), left = w_set(1.0);
        for (int q = 0; q < count; ++q) left = left * rival(own, gap[q], claim[q], inverse).left;
        w_store(&nearest[i], left);
    }
}

static void compete_jvp(const tacReal* gap, const tacReal* claim, const tacReal* nearest, int count,
                        tacReal width, const tacReal* gap_dot, const tacReal* claim_dot,
                        tacReal width_dot, tacReal* nearest_dot) {
    wide inverse = w_set(1.0 / width), stretch = w_set(width_dot / width);
    for (int i = 0; i < count; i += TAC_LANES) {
        wide own = w_load(&gap[i]), own_dot = w_load(&gap_dot[i]), sum = w_set(0.0);
        for (int q = 0; q < count; ++q) {
            rivalry r = rival(own, gap[q], claim[q], inverse);
            wide lead_dot = (own_dot - gap_dot[q]) * inverse - (r.lead + 1.0) * stretch;
            wide dot = claim_dot[q] * r.ramp.value + claim[q] * r.ramp.d_x * lead_dot;
            sum = sum - dot / w_max(r.left, w_set(1e-200));
        }
        w_store(&nearest_dot[i], w_load(&nearest[i]) * sum);
    }
}

static void compete_vjp(const tacReal* gap, const tacReal* claim, const tacReal* nearest, int count,
                        tacReal width, const tacReal* nearest_bar, tacReal* gap_bar,
                        tacReal* claim_bar, tacReal* width_bar) {
    wide inverse = w_set(1.0 / width), stretch = w_set(0.0);
    for (int i = 0; i < count; i += TAC_LANES) {
        wide own = w_load(&gap[i]), own_bar = w_set(0.0);
        wide bar = load_real(nearest_bar, i, count) * w_load(&nearest[i]);
        for (int q = 0; q < count; ++q) {
            rivalry r = rival(own, gap[q], claim[q], inverse);
            wide left_bar = bar / w_max(r.left, w_set(1e-200));
            wide lead_bar = -left_bar * claim[q] * r.ramp.d_x * inverse;
            claim_bar[q] -= w_sum(left_bar * r.ramp.value);
            gap_bar[q] -= w_sum(lead_bar);
            own_bar = own_bar + lead_bar;
            stretch = stretch - lead_bar * (r.lead + 1.0);
        }
        tacReal part[TAC_LANES];
        w_store(part, own_bar);
        for (int j = 0; j < TAC_LANES && i + j < count; ++j) gap_bar[i + j] += part[j];
    }
    *width_bar += w_sum(stretch);
}

//---------------------------------- records --------------------------------------

typedef struct pairEnd {
    wide claim, normal[3], nearest[2], point[2][3];
    softDiff pen[2];
} pairEnd;

TAC_INLINE void pair_end(const tacEdgeNumbers* n, const tacEdgeMeetings* m, int i, pairEnd* e) {
    wide inv_support = w_set(1.0 / n->support);
    load3(m->normal, i, e->normal);
    e->claim = w_load(&m->claim[i]);
    for (int k = 0; k < 2; ++k) {
        e->nearest[k] = w_load(&m->nearest[k][i]);
        load3(m->point[k], i, e->point[k]);
        e->pen[k] =
            edge_penetrating(w_load(&m->phi[k][i]) - n->radius[k], w_set(n->tau), inv_support);
    }
}

// the normal leaves surface 2, the record's points from geom[0] to geom[1]; swept points lie on it
static void finish(const tacFrame* body, const tacEdgeNumbers* n, const tacEdgeMeetings* m,
                   const tacHitRecords out[2]) {
    tacReal radii = n->radius[0] + n->radius[1];
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairEnd e;
        wide turned[3], distance = w_load(&m->distance[i]) - radii;
        pair_end(n, m, i, &e);
        rotate_to_world(body, e.normal, turned);
        for (int k = 0; k < 2; ++k) {
            wide p[3], world[3], normal[3], reach = w_set(k ? n->radius[1] : -n->radius[0]);
            for (int j = 0; j < 3; ++j) p[j] = w_fma(reach, e.normal[j], e.point[k][j]);
            rotate_to_world(body, p, world);
            for (int j = 0; j < 3; ++j) {
                world[j] = world[j] + body->origin[j];
                normal[j] = -turned[j];
            }
            store3(out[k].point, i, world);
            store3(out[k].normal, i, normal);
            w_store(&out[k].distance[i], distance);
            w_store(&out[k].activity[i], e.claim * e.nearest[k] * e.pen[k].value);
        }
    }
}

static void finish_jvp(const tacEdgeNumbers* n, const tacEdgeMeetings* m,
                       const tacEdgeNumbers* n_dot, const tacEdgeMeetings* d,
                       const tacHitRecords out[2]) {
    tacReal radii_dot = n_dot->radius[0] + n_dot->radius[1];
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairEnd e;
        wide normal[3];
        pair_end(n, m, i, &e);
        load3(d->normal, i, normal);
        for (int k = 0; k < 2; ++k) {
            tacReal way = k ? 1.0 : -1.0;
            wide pen_dot = e.pen[k].d_x * (w_load(&d->phi[k][i]) - n_dot->radius[k]) +
                           e.pen[k].d_tau * n_dot->tau + e.pen[k].d_upper * n_dot->support;
            wide rank = e.claim * e.nearest[k];
            wide rank_dot =
                w_load(&d->claim[i]) * e.nearest[k] + e.claim * w_load(&d->nearest[k][i]);
            for (int j = 0; j < 3; ++j) {
                wide reach = n->radius[k] * normal[j] + n_dot->radius[k] * e.normal[j];
                w_store(&out[k].point[j][i], w_load(&d->point[k][j][i]) + way * reach);
                w_store(&out[k].normal[j][i], -normal[j]);
            }
            w_store(&out[k].distance[i], w_load(&d->distance[i]) - radii_dot);
            w_store(&out[k].activity[i], w_fma(rank_dot, e.pen[k].value, rank * pen_dot));
        }
    }
}

// sums over pairs, one lane each until the end
typedef struct endSums {
    wide tau, support, radius[2];
} endSums;

TAC_INLINE void end_bar(const tacEdgeNumbers* n, const pairEnd* e, const tacHitRecords* bar, int k,
                        int i, int count, tacEdgeMeetings* out, wide normal_bar[3], wide* claim_bar,
                        wide* distance_bar, endSums* sums) {
    wide act = load_real(bar->activity, i, count), point[3], normal[3];
    wide pen_bar = act * e->claim * e->nearest[k], phi_bar = pen_bar * e->pen[k].d_x;
    wide distance = load_real(bar->distance, i, count), way = w_set(k ? 1.0 : -1.0);
    load_real3(bar->point, i, count, point);
    load_real3(bar->normal, i, count, normal);
    *claim_bar = w_fma(act * e->pen[k].value, e->nearest[k], *claim_bar);
    *distance_bar = *distance_bar + distance;
    sums->tau = w_fma(pen_bar, e->pen[k].d_tau, sums->tau);
    sums->support = w_fma(pen_bar, e->pen[k].d_upper, sums->support);
    sums->radius[k] = sums->radius[k] - phi_bar + way * w_dot3(point, e->normal);
    for (int j = 0; j < 2; ++j) sums->radius[j] = sums->radius[j] - distance;
    w_store(&out->nearest[k][i], act * e->pen[k].value * e->claim);
    w_store(&out->phi[k][i], phi_bar);
    for (int j = 0; j < 3; ++j)
        normal_bar[j] = normal_bar[j] + way * n->radius[k] * point[j] - normal[j];
    store3(out->point[k], i, point);
}

static void finish_vjp(const tacEdgeNumbers* n, const tacEdgeMeetings* m,
                       const tacHitRecords bar[2], tacEdgeMeetings* out, tacEdgeNumbers* n_bar) {
    endSums sums;
    memset(&sums, 0, sizeof sums);
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairEnd e;
        wide zero = w_set(0.0), claim_bar = zero, distance_bar = zero;
        wide normal_bar[3] = {zero, zero, zero};
        pair_end(n, m, i, &e);
        for (int k = 0; k < 2; ++k)
            end_bar(n, &e, &bar[k], k, i, m->count, out, normal_bar, &claim_bar, &distance_bar,
                    &sums);
        w_store(&out->claim[i], claim_bar);
        w_store(&out->distance[i], distance_bar);
        store3(out->normal, i, normal_bar);
        w_store(&out->gap[i], zero);
    }
    n_bar->tau += w_sum(sums.tau);
    n_bar->support += w_sum(sums.support);
    for (int k = 0; k < 2; ++k) n_bar->radius[k] += w_sum(sums.radius[k]);
}

//---------------------------------- table ----------------------------------------

const tacEdgeKernels TAC_KERNELS(tac_edge_kernels_) = {
    .lanes = TAC_LANES,
    .witness = witness,
    .witness_jvp = witness_jvp,
    .witness_vjp = witness_vjp,
    .compete = compete,
    .compete_jvp = compete_jvp,
    .compete_vjp = compete_vjp,
    .finish = finish,
    .finish_jvp = finish_jvp,
    .finish_vjp = finish_vjp,
};
