// Derivatives of witness points of polygons.
//
// A face's unknowns solve r_i = col_i.e + w/2 (alpha_i - alpha_base) = 0, so a' = -H^-1 r' with
// alpha held in r', and its cost changes by e.e' + w'/4 sum (alpha - 1/N)^2 alone. Backwards, with
// H l = a_bar and l of a base the negative sum of its polygon, corner j gets
//
//   +-(cost_bar alpha_j e - l_j e - alpha_j u),  u = sum l_i col_i

#ifndef TAC_DETECT_WITNESS_WITNESS_POLYGON_DIFF_INL
#define TAC_DETECT_WITNESS_WITNESS_POLYGON_DIFF_INL

#include "detect/witness/witness_polygon.inl"

// d log sigma(alpha/within): by alpha, and by the temperature
static softDiff poly_inside_slope(wide alpha, const edgeTau* t) {
    softDiff r = soft_relu_diff(-alpha, t->inside.tau);
    wide inverse = t->inside.inverse;
    r.d_tau = (r.value * inverse - r.d_tau) * inverse;
    r.d_x = r.d_x * inverse;
    return r;
}

//---------------------------------- forward ----------------------------------

// tangents of corners, of options, of the squared unit of length, and of what follows from it
typedef struct polyDot {
    const polyPair* pair;
    const edgeTauDot* tau;
    wide s2, w, min;
} polyDot;

// tangents of a face's alpha and of its log weight
static wide poly_face_jvp(const polyPair* p, const polySolution* s, const polyFace* f,
                          const edgeTau* t, const polyDot* dot, wide alpha_dot[POLY_CORNERS]) {
    const polyPair* d = dot->pair;
    wide x[POLY_SIZE], moved[3], log_dot = w_set(0.0);
    poly_span(d, f->alpha, moved);
    for (int i = 0; i < f->size; ++i) {
        wide col_dot[3];
        for (int k = 0; k < 3; ++k)
            col_dot[k] = poly_sign(p, f->j[i]) * (d->x[f->j[i]][k] - d->x[f->base[i]][k]);
        x[i] = -(w_dot3(col_dot, f->e) + w_dot3(f->col[i], moved) +
                 0.5 * dot->w * (f->alpha[f->j[i]] - f->alpha[f->base[i]]));
    }
    poly_solve(f, x);
    for (int j = 0; j < POLY_CORNERS; ++j) alpha_dot[j] = w_set(0.0);
    for (int i = 0; i < f->size; ++i) {
        alpha_dot[f->j[i]] = x[i];
        alpha_dot[f->base[i]] = alpha_dot[f->base[i]] - x[i];
    }
    for (int j = 0; j < p->n[0] + p->n[1]; ++j) {
        if (!poly_bounded(p, f, j)) continue;
        softDiff in = poly_inside_slope(f->alpha[j], t);
        log_dot = log_dot + in.d_x * alpha_dot[j] + in.d_tau * dot->tau->inside;
    }
    wide cost_dot = w_dot3(f->e, moved) + 0.25 * dot->w * poly_deviation(p, f->alpha);
    return log_dot - (cost_dot - f->cost * s->inv_min * dot->min) * s->inv_min;
}

static void poly_alpha_jvp(const polyPair* p, const polySolution* s, const edgeTau* t, polyDot* dot,
                           int exact, polyWitness* out) {
    const edgeTauDot* td = dot->tau;
    wide mean = w_set(0.0), term = exact ? w_set(0.0) : td->tikhonov * s->s2, log_dot = mean;
    dot->w = term + t->tikhonov * dot->s2;
    dot->min = td->min * s->s2 + t->min * dot->s2;
    int corners = p->n[0] + p->n[1];
    for (int j = 0; j < corners; ++j) out->alpha[j] = w_set(0.0);
    for (int i = 0; i < s->count; ++i) {
        const polyFace* f = &s->face[i];
        wide moved[POLY_CORNERS];
        log_dot = poly_face_jvp(p, s, f, t, dot, moved);
        wide rate = exact ? w_set(0.0) : f->weight * log_dot;
        mean = mean + rate;
        for (int j = 0; j < corners; ++j)
            out->alpha[j] = out->alpha[j] + f->weight * moved[j] + rate * f->alpha[j];
        if (i + 1 < s->count || exact) continue;
        // the whole face: log_dot without its cost
        out->colliding = w_set(0.0);
        for (int j = 0; j < corners; ++j) {
            if (!poly_bounded(p, f, j)) continue;
            softDiff in = poly_inside_slope(f->alpha[j], t);
            out->colliding =
                out->colliding + s->colliding * (in.d_x * moved[j] + in.d_tau * td->inside);
        }
    }
    if (exact) out->colliding = w_set(0.0);
    for (int j = 0; j < corners; ++j) out->alpha[j] = out->alpha[j] - mean * s->alpha[j];
}

static polyWitness poly_witness_jvp(const polyPair* p, const polyPair* d, const polySolution* s,
                                    const edgeTau* t, const edgeTauDot* td, int exact) {
    polyWitness out;
    polySpan g = poly_gap(p, s, t);
    wide s2_dot = poly_unit2(p, t, d), e_dot[3], slid[3];
    polyDot dot = {.pair = d, .tau = td, .s2 = s2_dot};
    poly_alpha_jvp(p, s, t, &dot, exact, &out);
    poly_span(d, s->alpha, e_dot);
    poly_span(p, out.alpha, slid);
    for (int k = 0; k < 3; ++k) {
        e_dot[k] = e_dot[k] + slid[k];
        out.point[0][k] = out.point[1][k] = w_set(0.0);
        for (int j = 0; j < p->n[0] + p->n[1]; ++j) {
            wide* point = &out.point[poly_side(p, j)][k];
            *point = *point + s->alpha[j] * d->x[j][k] + out.alpha[j] * p->x[j][k];
        }
    }
    wide soft_dot = t->gap * (2.0 * td->gap * s->s2 + t->gap * s2_dot), along = w_dot3(g.e, e_dot);
    wide inverse_dot = -(along + 0.5 * soft_dot) * g.inverse * g.inverse * g.inverse;
    out.distance = 2.0 * along * g.inverse + g.e2 * inverse_dot;
    for (int k = 0; k < 3; ++k) out.normal[k] = e_dot[k] * g.inverse + g.e[k] * inverse_dot;
    return out;
}

//---------------------------------- reverse ----------------------------------

// sums of what a face's problem depends on
typedef struct polyBar {
    wide x[POLY_CORNERS][3], w, min, inside, s2, gap, tikhonov;
    wide colliding; // given
} polyBar;

static void poly_face_vjp(const polyPair* p, const polyFace* f, const wide alpha_bar[POLY_CORNERS],
                          wide cost_bar, polyBar* bar) {
    wide l[POLY_SIZE], full[POLY_CORNERS], u[3];
    for (int i = 0; i < f->size; ++i) l[i] = alpha_bar[f->j[i]] - alpha_bar[f->base[i]];
    poly_solve(f, l);
    for (int j = 0; j < POLY_CORNERS; ++j) full[j] = w_set(0.0);
    for (int k = 0; k < 3; ++k) u[k] = w_set(0.0);
    for (int i = 0; i < f->size; ++i) {
        full[f->j[i]] = l[i];
        full[f->base[i]] = full[f->base[i]] - l[i];
        for (int k = 0; k < 3; ++k) u[k] = w_fma(l[i], f->col[i][k], u[k]);
        bar->w = bar->w - 0.5 * l[i] * (f->alpha[f->j[i]] - f->alpha[f->base[i]]);
    }
    bar->w = bar->w + 0.25 * cost_bar * poly_deviation(p, f->alpha);
    for (int j = 0; j < p->n[0] + p->n[1]; ++j)
        for (int k = 0; k < 3; ++k) {
            wide term = cost_bar * f->alpha[j] * f->e[k] - full[j] * f->e[k] - f->alpha[j] * u[k];
            bar->x[j][k] = bar->x[j][k] + poly_sign(p, j) * term;
        }
}

static void poly_alpha_vjp(const polyPair* p, const polySolution* s, const edgeTau* t, int exact,
                           const wide alpha_bar[POLY_CORNERS], polyBar* bar) {
    int corners = p->n[0] + p->n[1];
    for (int i = 0; i < s->count; ++i) {
        const polyFace* f = &s->face[i];
        wide own[POLY_CORNERS], weight_bar = w_set(0.0), last = w_set(0.0);
        for (int j = 0; j < corners; ++j)
            weight_bar = w_fma(alpha_bar[j], f->alpha[j] - s->alpha[j], weight_bar);
        wide log_bar = exact ? w_set(0.0) : f->weight * weight_bar;
        if (i + 1 == s->count && !exact) last = s->colliding * bar->colliding;
        for (int j = 0; j < corners; ++j) {
            own[j] = f->weight * alpha_bar[j];
            if (exact || !poly_bounded(p, f, j)) continue;
            softDiff in = poly_inside_slope(f->alpha[j], t);
            own[j] = w_fma(in.d_x, log_bar + last, own[j]);
            bar->inside = w_fma(in.d_tau, log_bar + last, bar->inside);
        }
        bar->min = bar->min + log_bar * f->cost * s->inv_min * s->inv_min;
        poly_face_vjp(p, f, own, -log_bar * s->inv_min, bar);
    }
}

// adds 2 (x_i - x_j) s2_bar/edges
static void poly_unit2_vjp(const polyPair* p, const edgeTau* t, wide s2_bar, polyBar* bar) {
    int edges = p->n[0] * (p->n[0] - 1) / 2 + p->n[1] * (p->n[1] - 1) / 2;
    wide share = t->relative * s2_bar * (2.0 / (edges ? edges : 1));
    for (int side = 0; side < 2; ++side)
        for (int a = 0; a < p->n[side]; ++a)
            for (int b = a + 1; b < p->n[side]; ++b)
                for (int k = 0; k < 3; ++k) {
                    int i = poly_first(p, side) + a, j = poly_first(p, side) + b;
                    wide term = share * (p->x[j][k] - p->x[i][k]);
                    bar->x[j][k] = bar->x[j][k] + term;
                    bar->x[i][k] = bar->x[i][k] - term;
                }
}

static void poly_witness_vjp(const polyPair* p, const polySolution* s, const edgeTau* t, int exact,
                             const polyWitness* in, polyBar* bar) {
    polySpan g = poly_gap(p, s, t);
    wide alpha_bar[POLY_CORNERS], e_bar[3], zero = w_set(0.0);
    memset(bar, 0, sizeof *bar);
    wide inverse_bar = w_fma(g.e2, in->distance, w_dot3(g.e, in->normal));
    wide soft_bar = -0.5 * inverse_bar * g.inverse * g.inverse * g.inverse;
    wide along = 2.0 * (in->distance * g.inverse + soft_bar);
    for (int k = 0; k < 3; ++k) e_bar[k] = in->normal[k] * g.inverse + along * g.e[k];
    for (int j = 0; j < p->n[0] + p->n[1]; ++j) {
        alpha_bar[j] = in->alpha[j];
        for (int k = 0; k < 3; ++k) {
            wide term = in->point[poly_side(p, j)][k] + poly_sign(p, j) * e_bar[k];
            alpha_bar[j] = w_fma(term, p->x[j][k], alpha_bar[j]);
            bar->x[j][k] = w_fma(s->alpha[j], term, bar->x[j][k]);
        }
    }
    bar->colliding = in->colliding;
    poly_alpha_vjp(p, s, t, exact, alpha_bar, bar);
    bar->gap = 2.0 * t->gap * s->s2 * soft_bar;
    bar->tikhonov = exact ? zero : bar->w * s->s2;
    wide s2_bar = t->gap * t->gap * soft_bar + t->tikhonov * bar->w + t->min * bar->min;
    bar->min = exact ? zero : bar->min * s->s2;
    poly_unit2_vjp(p, t, exact ? t->gap * t->gap * soft_bar : s2_bar, bar);
}

#endif
