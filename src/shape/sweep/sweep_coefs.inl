// The numbers of a sweep, from its block of parameters, in the form that its field is written in.
//
//   block: points 9 | up 3 | twist 3 | size 3 or 9 | eps 2 or 6 | planes, each normal and offset
//
// What varies has three values, mixed like the control points: (1-t)^2 first + 2t(1-t) second + t^2
// third, kept as c0 + c1 t + c2 t^2. Symbols: docs/shapes.md eq. 31 to 35.

#ifndef TAC_SHAPE_SWEEP_SWEEP_COEFS_INL
#define TAC_SHAPE_SWEEP_SWEEP_COEFS_INL

#include "shape/node_data.h"

// added to |a|^2, in units of |b|^2, so that a straight spline is no special case
#define TAC_SWEEP_STRAIGHT 1e-8
// width of the clip to [0, 1]: in units of t, and less where the end is short for the length
#define TAC_SWEEP_CLIP 0.02

// where the parts of a block stand
enum { TAC_SWEEP_UP = 9, TAC_SWEEP_TWIST = 12, TAC_SWEEP_SIZE = 15 };

// most numbers of a block
#define TAC_SWEEP_BLOCK (TAC_SWEEP_SIZE + 9 + 6 + 12 * TAC_SWEEP_PLANES)

// polynomials of t
enum {
    TAC_POLY_POINT = 0,  // p(t)
    TAC_POLY_ALONG = 3,  // b + a t, the direction of the z axis
    TAC_POLY_SIZE = 6,   // semi-axes
    TAC_POLY_EPS = 9,    // exponents
    TAC_POLY_TWIST = 11, // turn about the z axis
    TAC_POLY_PLANE = 12, // normal and offset of each plane
    TAC_POLY_COUNT = TAC_POLY_PLANE + 4 * TAC_SWEEP_PLANES
};

// numbers that do not depend on t
enum {
    TAC_IN_START = 0,       // first control point
    TAC_IN_SECOND_DIFF = 3, // a = p1 - 2 p2 + p3
    TAC_IN_FIRST_DIFF = 6,  // b = p2 - p1
    TAC_IN_UP = 9,          // up
    TAC_IN_TAU = 12,        // temperature
    TAC_IN_INV_TAU,
    TAC_IN_CUBIC,     // A = |a|^2 + 1e-8 |b|^2
    TAC_IN_INV_CUBIC, // 1/A
    TAC_IN_SQUARE,    // 3 a.b
    TAC_IN_LINEAR,    // 2 |b|^2
    TAC_IN_VERTEX,    // c = a.b/A: the vertex of the parabola is at t = -c
    TAC_IN_VERTEX2,   // 3 c^2
    TAC_IN_VERTEX3,   // 2 c^3
    TAC_IN_WIDTH,     // of the clip
    TAC_IN_INV_WIDTH,
    TAC_IN_COUNT
};

typedef struct sweepCoefs {
    tacReal poly[TAC_POLY_COUNT][3], in[TAC_IN_COUNT];
    int planes, twisted, radial, ridged; // ridged: is an exponent above 1?
    double point_shift; // 2 for a point, which is evaluated at t = -1 and so at its start; else 0
} sweepCoefs;

static inline int tac_sweep_planes(int layout) { return layout >> 3; }
static inline int tac_sweep_size_count(int layout) {
    return layout & TAC_SWEEP_SIZE_VARIES ? 9 : 3;
}
static inline int tac_sweep_eps_count(int layout) { return layout & TAC_SWEEP_EPS_VARIES ? 6 : 2; }

//---------------------------------- polynomials ----------------------------------

// n polynomials from n values, or from three times as many
static inline const tacReal* sweep_read(const tacReal* from, int n, int varies,
                                        tacReal (*poly)[3]) {
    for (int i = 0; i < n; ++i) {
        tacReal first = from[i], second = varies ? from[n + i] : first;
        tacReal third = varies ? from[2 * n + i] : first;
        poly[i][0] = first;
        poly[i][1] = varies ? 2.0 * (second - first) : 0.0;
        poly[i][2] = varies ? first - 2.0 * second + third : 0.0;
    }
    return from + (varies ? 3 * n : n);
}

// all that is linear in the block, so it serves for tangents as well
static inline void sweep_linear(const tacReal* block, int layout, sweepCoefs* s) {
    sweep_read(block, 3, 1, &s->poly[TAC_POLY_POINT]);
    sweep_read(block + TAC_SWEEP_TWIST, 1, 1, &s->poly[TAC_POLY_TWIST]);
    const tacReal* rest = sweep_read(block + TAC_SWEEP_SIZE, 3, layout & TAC_SWEEP_SIZE_VARIES,
                                     &s->poly[TAC_POLY_SIZE]);
    rest = sweep_read(rest, 2, layout & TAC_SWEEP_EPS_VARIES, &s->poly[TAC_POLY_EPS]);
    s->planes = tac_sweep_planes(layout);
    for (int k = 0; k < s->planes; ++k) {
        tacReal(*plane)[3] = &s->poly[TAC_POLY_PLANE + 4 * k];
        rest = sweep_read(rest, 3, layout & TAC_SWEEP_PLANES_VARY, plane);
        rest = sweep_read(rest, 1, layout & TAC_SWEEP_PLANES_VARY, plane + 3);
    }
    for (int i = 0; i < 3; ++i) {
        const tacReal* p = s->poly[TAC_POLY_POINT + i];
        tacReal* along = s->poly[TAC_POLY_ALONG + i];
        along[0] = 0.5 * p[1];
        along[1] = p[2];
        along[2] = 0.0;
        s->in[TAC_IN_START + i] = p[0];
        s->in[TAC_IN_SECOND_DIFF + i] = along[1];
        s->in[TAC_IN_FIRST_DIFF + i] = along[0];
        s->in[TAC_IN_UP + i] = block[TAC_SWEEP_UP + i];
    }
}

static inline tacReal sweep_dot(const tacReal* a, const tacReal* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// all control points are the same
static inline int sweep_is_point(const tacReal* block) {
    for (int i = 0; i < 3; ++i)
        if (tac_re(block[i]) != tac_re(block[3 + i]) || tac_re(block[i]) != tac_re(block[6 + i]))
            return 0;
    return 1;
}

//---------------------------------- numbers --------------------------------------

// length of the spline, about, and the mean semi-axis along it
typedef struct sweepLengths {
    tacReal end, length;
} sweepLengths;

static inline sweepLengths sweep_lengths(const sweepCoefs* s) {
    const tacReal *a = &s->in[TAC_IN_SECOND_DIFF], *b = &s->in[TAC_IN_FIRST_DIFF];
    const tacReal* z = s->poly[TAC_POLY_SIZE + 2];
    tacReal square = 0.0;
    for (int i = 0; i < 3; ++i) square += b[i] * b[i] + (a[i] + b[i]) * (a[i] + b[i]);
    return (sweepLengths){z[0] + 0.5 * z[1] + (1.0 / 3.0) * z[2], 2.0 * r_sqrt(square)};
}

// A point has no direction to turn from, so it has no derivative by the distances of its control
// points. It is taken as one that stays a point: at the mean of the three.
static inline void sweep_collapse(const tacReal* block, sweepCoefs* s) {
    for (int i = 0; i < 3; ++i) {
        tacReal first = block[i];
        tacReal mean = first + ((block[3 + i] - first) + (block[6 + i] - first)) * (1.0 / 3.0);
        tacReal* p = s->poly[TAC_POLY_POINT + i];
        p[0] = s->in[TAC_IN_START + i] = mean;
        p[1] = p[2] = s->in[TAC_IN_SECOND_DIFF + i] = s->in[TAC_IN_FIRST_DIFF + i] = 0.0;
        for (int k = 0; k < 3; ++k) s->poly[TAC_POLY_ALONG + i][k] = 0.0;
    }
}

static inline void sweep_bind(const tacNodeData* bound, sweepCoefs* s) {
    sweep_linear(bound->block, bound->layout, s);
    tacReal *in = s->in, *a = &in[TAC_IN_SECOND_DIFF], *b = &in[TAC_IN_FIRST_DIFF];
    int point = sweep_is_point(bound->block);
    s->twisted = 0;
    s->radial = bound->distance == TAC_DISTANCE_RADIAL;
    s->point_shift = point ? 2.0 : 0.0;
    s->ridged = 0;
    int eps = TAC_SWEEP_SIZE + tac_sweep_size_count(bound->layout);
    for (int k = 0; k < tac_sweep_eps_count(bound->layout); ++k)
        s->ridged |= tac_re(bound->block[eps + k]) > 1.0;
    // a twist of 0 that is being varied counts: the comparison sees both parts of a complex number
    for (int k = 0; k < 3; ++k) s->twisted |= bound->block[TAC_SWEEP_TWIST + k] != 0.0;
    if (point) {
        sweep_collapse(bound->block, s);
        s->poly[TAC_POLY_ALONG + 2][0] = 1.0;
    }

    tacReal bb = point ? 1.0 : sweep_dot(b, b), ab = sweep_dot(a, b);
    in[TAC_IN_TAU] = bound->tau;
    in[TAC_IN_INV_TAU] = 1.0 / bound->tau;
    in[TAC_IN_CUBIC] = sweep_dot(a, a) + TAC_SWEEP_STRAIGHT * bb;
    in[TAC_IN_INV_CUBIC] = 1.0 / in[TAC_IN_CUBIC];
    in[TAC_IN_SQUARE] = 3.0 * ab;
    in[TAC_IN_LINEAR] = 2.0 * bb;
    tacReal c = in[TAC_IN_VERTEX] = ab * in[TAC_IN_INV_CUBIC];
    in[TAC_IN_VERTEX2] = 3.0 * c * c;
    in[TAC_IN_VERTEX3] = 2.0 * c * c * c;
    sweepLengths l = sweep_lengths(s);
    if (point) l.length = 0.0;
    in[TAC_IN_INV_WIDTH] = (1.0 + l.length / l.end) / TAC_SWEEP_CLIP;
    in[TAC_IN_WIDTH] = 1.0 / in[TAC_IN_INV_WIDTH];
}

// tangent of all of it along a tangent of the block and of the temperature; a point stays one
static inline void sweep_bind_dot(const tacNodeData* bound, const sweepCoefs* s,
                                  const tacReal* block_dot, tacReal tau_dot, sweepCoefs* dot) {
    sweep_linear(block_dot, bound->layout, dot);
    const tacReal *in = s->in, *a = &in[TAC_IN_SECOND_DIFF], *b = &in[TAC_IN_FIRST_DIFF];
    tacReal *d = dot->in, *ad = &d[TAC_IN_SECOND_DIFF], *bd = &d[TAC_IN_FIRST_DIFF];
    int point = s->point_shift > 0.0;
    if (point) sweep_collapse(block_dot, dot);
    tacReal bb = 2.0 * sweep_dot(b, bd), ab = sweep_dot(a, bd) + sweep_dot(ad, b);
    tacReal inv = in[TAC_IN_INV_CUBIC], c = in[TAC_IN_VERTEX];
    d[TAC_IN_TAU] = tau_dot;
    d[TAC_IN_INV_TAU] = -in[TAC_IN_INV_TAU] * in[TAC_IN_INV_TAU] * tau_dot;
    d[TAC_IN_CUBIC] = 2.0 * sweep_dot(a, ad) + TAC_SWEEP_STRAIGHT * bb;
    d[TAC_IN_INV_CUBIC] = -inv * inv * d[TAC_IN_CUBIC];
    d[TAC_IN_SQUARE] = 3.0 * ab;
    d[TAC_IN_LINEAR] = 2.0 * bb;
    tacReal cd = d[TAC_IN_VERTEX] = inv * (ab - c * d[TAC_IN_CUBIC]);
    d[TAC_IN_VERTEX2] = 6.0 * c * cd;
    d[TAC_IN_VERTEX3] = 6.0 * c * c * cd;
    d[TAC_IN_INV_WIDTH] = d[TAC_IN_WIDTH] = 0.0;
    if (point) return;
    sweepLengths l = sweep_lengths(s);
    const tacReal* z = dot->poly[TAC_POLY_SIZE + 2];
    tacReal end = z[0] + 0.5 * z[1] + (1.0 / 3.0) * z[2], square = 0.0;
    for (int i = 0; i < 3; ++i) square += b[i] * bd[i] + (a[i] + b[i]) * (ad[i] + bd[i]);
    tacReal length = 4.0 * square / l.length, ratio = l.length / l.end;
    d[TAC_IN_INV_WIDTH] = (length - ratio * end) / (l.end * TAC_SWEEP_CLIP);
    d[TAC_IN_WIDTH] = -in[TAC_IN_WIDTH] * in[TAC_IN_WIDTH] * d[TAC_IN_INV_WIDTH];
}

#endif
