// How far a sweep's surface is at least (docs/shapes.md eq. 36).
//
// The spline is cut into segments; each lies near its chord, and its solids within balls of radius
// `outer` around it.

#ifndef TAC_SHAPE_SWEEP_SWEEP_DISTANCE_BOUND_INL
#define TAC_SHAPE_SWEEP_SWEEP_DISTANCE_BOUND_INL

#include "shape/local_field.inl"
#include "shape/sweep/sweep_coefs.inl"

#define TAC_SWEEP_SEGMENTS 16

typedef struct sweepSegment {
    tacReal start[3], chord[3], inv_chord2; // inv_chord2 = 1/|chord|^2, 0 for a point
    tacReal outer; // radius of balls that hold the solids, sagitta included
    tacReal slope; // phi >= (distance to the chord - outer)/slope
} sweepSegment;

static inline tacReal sweep_poly_at(const tacReal c[3], double t) {
    return c[0] + t * (c[1] + t * c[2]);
}

// least and most of a polynomial on a segment: its ends, and as far as it bends between them
static inline void sweep_poly_range(const tacReal c[3], double t, double h, tacReal* least,
                                    tacReal* most) {
    tacReal from = sweep_poly_at(c, t), to = sweep_poly_at(c, t + h);
    tacReal sagitta = 0.25 * h * h * r_abs(c[2]);
    *least = r_min(from, to) - sagitta;
    *most = r_max(from, to) + sagitta;
}

// A ball around a superquadric: the corner of its box, or its longest axis times 2^((1-e)/2) for
// each exponent below 1. A ball inside: the shortest axis for exponents up to 1,
// else kappa, less what ridges take (node_data.c).
static inline void sweep_balls(const sweepCoefs* s, double t, double h, tacReal* inner,
                               tacReal* outer) {
    tacReal longest = 0.0, shortest = 1e300, box2 = 0.0, inverse2 = 0.0, grow = 0.0, W = 0.0;
    tacReal over[2] = {0.0, 0.0};
    for (int i = 0; i < 3; ++i) {
        tacReal least, most;
        sweep_poly_range(s->poly[TAC_POLY_SIZE + i], t, h, &least, &most);
        least = r_max(least, 1e-3 * most);
        longest = r_max(longest, most);
        shortest = r_min(shortest, least);
        box2 += most * most;
        inverse2 += 1.0 / (least * least);
    }
    for (int i = 0; i < 2; ++i) {
        tacReal least, most;
        sweep_poly_range(s->poly[TAC_POLY_EPS + i], t, h, &least, &most);
        grow += r_max(0.5 * (1.0 - least), 0.0);
        over[i] = r_max(most - 1.0, 0.0);
        over[i] *= over[i] * over[i];
    }
    *outer = r_min(r_sqrt(box2), longest * r_exp(grow * 0.69314718055994530942));
    W = r_sqrt(TAC_SQ_RIDGE) * (2.0 * r_sqrt(over[0] + over[1]) + r_sqrt(over[0]));
    *inner = tac_re(W) > 0.0 ? 1.0 / ((1.0 + r_sqrt(3.0) * W) * r_sqrt(inverse2)) : shortest;
}

static inline void sweep_segments(const sweepCoefs* s, sweepSegment segment[TAC_SWEEP_SEGMENTS]) {
    double h = 1.0 / TAC_SWEEP_SEGMENTS;
    for (int j = 0; j < TAC_SWEEP_SEGMENTS; ++j) {
        sweepSegment* p = &segment[j];
        tacReal inner, second_diff2 = 0.0, chord2 = 0.0;
        for (int i = 0; i < 3; ++i) {
            const tacReal* c = s->poly[TAC_POLY_POINT + i];
            p->start[i] = sweep_poly_at(c, j * h);
            p->chord[i] = sweep_poly_at(c, (j + 1) * h) - p->start[i];
            chord2 += p->chord[i] * p->chord[i];
            second_diff2 += c[2] * c[2];
        }
        sweep_balls(s, j * h, h, &inner, &p->outer);
        p->slope = s->radial ? 1.0 : p->outer / inner;
        p->outer += 0.25 * h * h * r_sqrt(second_diff2);
        p->inv_chord2 = tac_re(chord2) > 0.0 ? 1.0 / chord2 : 0.0;
    }
}

// D and K of phi(y) >= (D - |y - x|)/K for one vector of points
TAC_INLINE void sweep_distance_bound(const sweepCoefs* s,
                                     const sweepSegment segment[TAC_SWEEP_SEGMENTS],
                                     const wide y[3], wide* D, wide* K) {
    *D = w_set(1e300);
    *K = w_set(1.0);
    tacReal blur = 0.69314718055994530942 * s->in[TAC_IN_TAU];
    for (int j = 0; j < TAC_SWEEP_SEGMENTS; ++j) {
        const sweepSegment* p = &segment[j];
        wide d[3], along = w_set(0.0), zero = along;
        for (int i = 0; i < 3; ++i) {
            d[i] = y[i] - p->start[i];
            along = w_fma(d[i], w_set(p->chord[i] * p->inv_chord2), along);
        }
        along = w_max(w_min(along, w_set(1.0)), zero);
        for (int i = 0; i < 3; ++i) d[i] = d[i] - along * p->chord[i];
        wide distance = w_sqrt(w_dot3(d, d) + TAC_CENTRE);
        *D = w_min(*D, distance - (p->outer + p->slope * blur));
        *K = w_max(*K, w_set(p->slope));
    }
}

#endif
