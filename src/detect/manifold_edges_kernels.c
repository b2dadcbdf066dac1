// Kernels of edges against edges, compiled once per instruction set and once per number type.
//
// A pair of edges with witness points e1, e2 (edge_edge.h) claims to be a contact with
//
//   claim = colliding w(2 (gap - R1 - R2)/depth - 1)
//
// which is exactly 0 for edges whose common perpendicular misses them and for those farther apart
// than `depth`. Among the pairs of one edge the nearest win, ties share nothing:
//
//   nearest_p = prod_q (1 - claim_q psi((gap_p - gap_q)/width - 1))
//
// Of each point a record has activity claim nearest clashing penetrating (edge_edge_sign.h).

#include "detect/manifold_edges_kernels.h"

#include "detect/edge_edge.h"
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
    for (int k = 0; k < 3; ++k)
        wrench[k] = wrench[k] + f[k], wrench[3 + k] = wrench[3 + k] + moment[k];
}

static void sum_wrench(const wide part[6], tacReal wrench[6]) {
    for (int k = 0; k < 6; ++k) wrench[k] += w_sum(part[k]);
}

//---------------------------------- witness points -------------------------------

TAC_INLINE edgeCorners pair_corners(const tacEdgeSet* a, const tacEdgeSet* b, const int* first,
                                    const int* second) {
    edgeCorners c;
    gather3(a->from, first, c.x[0]), gather3(a->to, first, c.x[1]);
    gather3(b->from, second, c.x[2]), gather3(b->to, second, c.x[3]);
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
} pairWitness;

TAC_INLINE void pair_witness(const tacEdgeSet* a, const tacEdgeSet* b, const tacEdgeMeetings* m,
                             const tacEdgeNumbers* n, const edgeTau* t, int i, pairWitness* p) {
    p->corners = pair_corners(a, b, &m->first[i], &m->second[i]);
    p->arms = edge_arms(&p->corners);
    p->products = edge_products(&p->arms);
    p->qp = n->witness.exact ? edge_qp_exact(&p->products, t) : edge_qp(&p->products, t);
    p->w = edge_witness(&p->corners, &p->arms, &p->qp, t);
    p->gate = pair_gate(p->w.gap, n);
}

TAC_INLINE void store_witness(tacEdgeMeetings* m, int i, const edgeWitness* w, wide claim) {
    for (int k = 0; k < 2; ++k) {
        w_store(&m->alpha[k][i], w->alpha[k]);
        store3(m->point[k], i, w->point[k]);
    }
    w_store(&m->gap[i], w->gap), w_store(&m->distance[i], w->distance);
    store3(m->normal, i, w->normal);
    w_store(&m->claim[i], claim);
}

static void witness(const tacEdgeSet* a, const tacEdgeSet* b, const tacEdgeNumbers* n,
                    tacEdgeMeetings* m) {
    edgeTau t = edge_tau(&n->witness);
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairWitness p;
        pair_witness(a, b, m, n, &t, i, &p);
        store_witness(m, i, &p.w, p.w.colliding * p.gate.value);
    }
}

static void witness_jvp(const tacEdgeSet* a, const tacEdgeSet* b, const tacEdgeNumbers* n,
                        const tacEdgeMeetings* m, const tacEdgeSet* a_dot, const tacEdgeSet* b_dot,
                        const tacEdgeNumbers* n_dot, tacEdgeMeetings* m_dot) {
    edgeTau t = edge_tau(&n->witness);
    const tacWitnessOptions* o = &n_dot->witness;
    edgeTauDot td = {w_set(o->regular), w_set(o->least), w_set(o->clip),
                     w_set(o->within),  w_set(o->range), w_set(o->gap)};
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairWitness p;
        pair_witness(a, b, m, n, &t, i, &p);
        edgeCorners c_dot = pair_corners(a_dot, b_dot, &m->first[i], &m->second[i]);
        edgeWitness d = edge_witness_jvp(&c_dot, &p.arms, &p.qp, &t, &td);
        wide gate_dot = p.gate.d_x * (d.gap - (n_dot->radius[0] + n_dot->radius[1])) +
                        p.gate.d_tau * n_dot->depth;
        store_witness(m_dot, i, &d, w_fma(d.colliding, p.gate.value, p.w.colliding * gate_dot));
    }
}

TAC_INLINE edgeWitness load_witness_bar(const tacEdgeMeetings* bar, int i, int count) {
    edgeWitness w;
    for (int k = 0; k < 2; ++k) {
        w.alpha[k] = load_real(bar->alpha[k], i, count);
        load_real3(bar->point[k], i, count, w.point[k]);
    }
    w.gap = load_real(bar->gap, i, count), w.distance = load_real(bar->distance, i, count);
    load_real3(bar->normal, i, count, w.normal);
    w.colliding = w_set(0.0);
    return w;
}

static void add_options(const edgeTauDot* sum, tacWitnessOptions* out) {
    out->regular += w_sum(sum->regular), out->least += w_sum(sum->least);
    out->clip += w_sum(sum->clip), out->within += w_sum(sum->within);
    out->range += w_sum(sum->range), out->gap += w_sum(sum->gap);
}

static void witness_vjp(const tacEdgeSet* a, const tacEdgeSet* b, const tacEdgeNumbers* n,
                        const tacEdgeMeetings* m, const tacEdgeMeetings* m_bar,
                        tacEdgeNumbers* n_bar, tacReal wrench[6]) {
    edgeTau t = edge_tau(&n->witness);
    edgeTauDot options = edge_tau_zero();
    wide force[6], depth = w_set(0.0), radius = w_set(0.0);
    for (int k = 0; k < 6; ++k) force[k] = w_set(0.0);
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairWitness p;
        pair_witness(a, b, m, n, &t, i, &p);
        edgeWitness bar = load_witness_bar(m_bar, i, m->count);
        wide claim_bar = load_real(m_bar->claim, i, m->count);
        wide gate_bar = claim_bar * p.w.colliding;
        bar.colliding = claim_bar * p.gate.value;
        bar.gap = w_fma(gate_bar, p.gate.d_x, bar.gap);
        radius = radius - gate_bar * p.gate.d_x;
        depth = w_fma(gate_bar, p.gate.d_tau, depth);
        edgeCorners c_bar;
        memset(&c_bar, 0, sizeof c_bar);
        edge_witness_vjp(&p.arms, &p.qp, &t, &bar, &c_bar, &options);
        add_force(force, p.corners.x[2], c_bar.x[2]);
        add_force(force, p.corners.x[3], c_bar.x[3]);
    }
    add_options(&options, &n_bar->witness);
    n_bar->depth += w_sum(depth);
    for (int k = 0; k < 2; ++k) n_bar->radius[k] += w_sum(radius);
    sum_wrench(force, wrench);
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

// the outward normal of a set at its witness points; swept edges look at the other one
TAC_INLINE void outward(const tacEdgeSet* s, const int* at, wide alpha, const wide normal[3],
                        double way, wide out[3], wide slope[3]) {
    wide from[3], to[3];
    if (s->swept) {
        for (int k = 0; k < 3; ++k) out[k] = way * normal[k], slope[k] = w_set(0.0);
        return;
    }
    gather3(s->out_from, at, from), gather3(s->out_to, at, to);
    for (int k = 0; k < 3; ++k) {
        slope[k] = to[k] - from[k];
        out[k] = w_fma(alpha, slope[k], from[k]);
    }
}

typedef struct pairEnd {
    wide alpha[2], claim, nearest[2], point[2][3], slope[2][3];
    edgeSides sides;
    edgeSigns signs;
    edgeSigned ends;
    softDiff pen[2];
} pairEnd;

TAC_INLINE void pair_end(const tacEdgeSet* a, const tacEdgeSet* b, const tacEdgeNumbers* n,
                         const tacEdgeMeetings* m, int i, pairEnd* e) {
    wide inv_support = w_set(1.0 / n->support);
    load3(m->normal, i, e->sides.normal);
    e->sides.distance = w_load(&m->distance[i]);
    e->sides.sign_tau = w_set(n->sign), e->sides.clash_tau = w_set(n->clash);
    e->claim = w_load(&m->claim[i]);
    for (int k = 0; k < 2; ++k) {
        const tacEdgeSet* s = k ? b : a;
        e->alpha[k] = w_load(&m->alpha[k][i]), e->nearest[k] = w_load(&m->nearest[k][i]);
        load3(m->point[k], i, e->point[k]);
        outward(s, k ? &m->second[i] : &m->first[i], e->alpha[k], e->sides.normal, k ? 1.0 : -1.0,
                e->sides.outward[k], e->slope[k]);
        e->pen[k] =
            edge_penetrating(w_load(&m->phi[k][i]) - n->radius[k], w_set(n->tau), inv_support);
    }
    e->signs = edge_signs(&e->sides);
    e->ends = edge_signed(&e->sides, &e->signs);
}

static void finish(const tacFrame* body, const tacEdgeSet* a, const tacEdgeSet* b,
                   const tacEdgeNumbers* n, const tacEdgeMeetings* m, const tacHitRecords out[2]) {
    tacReal radii = n->radius[0] + n->radius[1];
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairEnd e;
        pair_end(a, b, n, m, i, &e);
        for (int k = 0; k < 2; ++k) {
            wide p[3], world[3], normal[3];
            for (int j = 0; j < 3; ++j) {
                p[j] = w_fma(w_set(-n->radius[k]), e.ends.normal[k][j], e.point[k][j]);
                normal[j] = k ? e.ends.normal[k][j] : -e.ends.normal[k][j];
            }
            rotate_to_world(body, p, world);
            for (int j = 0; j < 3; ++j) world[j] = world[j] + body->origin[j];
            store3(out[k].point, i, world);
            rotate_to_world(body, normal, world);
            store3(out[k].normal, i, world);
            w_store(&out[k].distance[i], e.ends.distance[k] - radii);
            w_store(&out[k].activity[i], e.claim * e.nearest[k] * e.ends.clashing * e.pen[k].value);
        }
    }
}

TAC_INLINE void outward_dot(const tacEdgeSet* s, const tacEdgeSet* d, const int* at, wide alpha,
                            wide alpha_dot, const wide slope[3], const wide normal_dot[3],
                            double way, wide out[3]) {
    wide from[3], to[3];
    if (s->swept) {
        for (int k = 0; k < 3; ++k) out[k] = way * normal_dot[k];
        return;
    }
    gather3(d->out_from, at, from), gather3(d->out_to, at, to);
    for (int k = 0; k < 3; ++k)
        out[k] = w_fma(alpha, to[k] - from[k], from[k]) + alpha_dot * slope[k];
}

static void finish_jvp(const tacEdgeSet* a, const tacEdgeSet* b, const tacEdgeNumbers* n,
                       const tacEdgeMeetings* m, const tacEdgeSet* a_dot, const tacEdgeSet* b_dot,
                       const tacEdgeNumbers* n_dot, const tacEdgeMeetings* d,
                       const tacHitRecords out[2]) {
    tacReal radii_dot = n_dot->radius[0] + n_dot->radius[1];
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairEnd e;
        edgeSides sd;
        pair_end(a, b, n, m, i, &e);
        load3(d->normal, i, sd.normal);
        sd.distance = w_load(&d->distance[i]);
        sd.sign_tau = w_set(n_dot->sign), sd.clash_tau = w_set(n_dot->clash);
        for (int k = 0; k < 2; ++k)
            outward_dot(k ? b : a, k ? b_dot : a_dot, k ? &m->second[i] : &m->first[i], e.alpha[k],
                        w_load(&d->alpha[k][i]), e.slope[k], sd.normal, k ? 1.0 : -1.0,
                        sd.outward[k]);
        edgeSigned ed = edge_signed_jvp(&e.sides, &e.signs, &sd);
        for (int k = 0; k < 2; ++k) {
            wide pen_dot = e.pen[k].d_x * (w_load(&d->phi[k][i]) - n_dot->radius[k]) +
                           e.pen[k].d_tau * n_dot->tau + e.pen[k].d_upper * n_dot->support;
            wide rank = e.claim * e.nearest[k], face = e.ends.clashing * e.pen[k].value;
            wide rank_dot =
                w_load(&d->claim[i]) * e.nearest[k] + e.claim * w_load(&d->nearest[k][i]);
            wide face_dot = w_fma(ed.clashing, e.pen[k].value, e.ends.clashing * pen_dot);
            for (int j = 0; j < 3; ++j) {
                wide move = w_load(&d->point[k][j][i]) - n->radius[k] * ed.normal[k][j] -
                            n_dot->radius[k] * e.ends.normal[k][j];
                w_store(&out[k].point[j][i], move);
                w_store(&out[k].normal[j][i], k ? ed.normal[k][j] : -ed.normal[k][j]);
            }
            w_store(&out[k].distance[i], ed.distance[k] - radii_dot);
            w_store(&out[k].activity[i], w_fma(rank_dot, face, rank * face_dot));
        }
    }
}

// sums over pairs, one lane each until the end
typedef struct endSums {
    wide force[6], sign, clash, tau, support, radius[2];
} endSums;

// adjoint of an outward normal: of the place on the edge, of the motion of geom[1], or of the
// unsigned normal
TAC_INLINE void outward_bar(const tacEdgeSet* s, int k, const pairEnd* e, const wide bar[3],
                            wide alpha_bar[2], wide normal_bar[3], endSums* sums) {
    if (s->swept) {
        for (int j = 0; j < 3; ++j) normal_bar[j] = normal_bar[j] + (k ? bar[j] : -bar[j]);
        return;
    }
    alpha_bar[k] = alpha_bar[k] + w_dot3(bar, e->slope[k]);
    if (k == 0) return;
    wide moment[3];
    w_cross3(e->sides.outward[1], bar, moment);
    for (int j = 0; j < 3; ++j) sums->force[3 + j] = sums->force[3 + j] + moment[j];
}

static void add_end_sums(const endSums* s, tacEdgeNumbers* n_bar, tacReal wrench[6]) {
    n_bar->sign += w_sum(s->sign), n_bar->clash += w_sum(s->clash);
    n_bar->tau += w_sum(s->tau), n_bar->support += w_sum(s->support);
    for (int k = 0; k < 2; ++k) n_bar->radius[k] += w_sum(s->radius[k]);
    sum_wrench(s->force, wrench);
}

static void finish_vjp(const tacEdgeSet* a, const tacEdgeSet* b, const tacEdgeNumbers* n,
                       const tacEdgeMeetings* m, const tacHitRecords bar[2], tacEdgeMeetings* out,
                       tacEdgeNumbers* n_bar, tacReal wrench[6]) {
    endSums sums;
    memset(&sums, 0, sizeof sums);
    for (int i = 0; i < m->count; i += TAC_LANES) {
        pairEnd e;
        edgeSigned end_bar;
        edgeSides side_bar;
        wide claim_bar = w_set(0.0), alpha_bar[2] = {claim_bar, claim_bar};
        memset(&side_bar, 0, sizeof side_bar), memset(&end_bar, 0, sizeof end_bar);
        pair_end(a, b, n, m, i, &e);
        for (int k = 0; k < 2; ++k) {
            wide act = load_real(bar[k].activity, i, m->count), point[3], normal[3];
            wide face = e.ends.clashing * e.pen[k].value, rank = e.claim * e.nearest[k];
            wide pen_bar = act * rank * e.ends.clashing, phi_bar = pen_bar * e.pen[k].d_x;
            load_real3(bar[k].point, i, m->count, point);
            load_real3(bar[k].normal, i, m->count, normal);
            claim_bar = w_fma(act * face, e.nearest[k], claim_bar);
            w_store(&out->nearest[k][i], act * face * e.claim);
            end_bar.clashing = w_fma(act * rank, e.pen[k].value, end_bar.clashing);
            sums.tau = w_fma(pen_bar, e.pen[k].d_tau, sums.tau);
            sums.support = w_fma(pen_bar, e.pen[k].d_upper, sums.support);
            end_bar.distance[k] = load_real(bar[k].distance, i, m->count);
            sums.radius[k] = sums.radius[k] - phi_bar - w_dot3(point, e.ends.normal[k]);
            for (int j = 0; j < 2; ++j) sums.radius[j] = sums.radius[j] - end_bar.distance[k];
            w_store(&out->phi[k][i], phi_bar);
            for (int j = 0; j < 3; ++j) {
                wide way = k ? normal[j] : -normal[j];
                end_bar.normal[k][j] = w_fma(w_set(-n->radius[k]), point[j], way);
            }
            store3(out->point[k], i, point);
        }
        edge_signed_vjp(&e.sides, &e.signs, &end_bar, &side_bar);
        for (int k = 0; k < 2; ++k)
            outward_bar(k ? b : a, k, &e, side_bar.outward[k], alpha_bar, side_bar.normal, &sums);
        sums.sign = sums.sign + side_bar.sign_tau, sums.clash = sums.clash + side_bar.clash_tau;
        w_store(&out->claim[i], claim_bar);
        w_store(&out->distance[i], side_bar.distance);
        store3(out->normal, i, side_bar.normal);
        w_store(&out->gap[i], w_set(0.0));
        for (int k = 0; k < 2; ++k) w_store(&out->alpha[k][i], alpha_bar[k]);
    }
    add_end_sums(&sums, n_bar, wrench);
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
