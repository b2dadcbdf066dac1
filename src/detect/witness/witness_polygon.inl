// Nearest points of two convex polygons of one to three corners, one pair a lane.
//
//   min over alpha of |p1 - p2|^2/2 + w/4 sum (alpha - 1/N)^2,  p = sum alpha_j v_j,
//   sum alpha = 1 and alpha >= 0 for each polygon
//
// by all faces: for each choice of corners of both polygons the minimum with the others' alpha 0 is
// a linear problem of at most four numbers. A face is right where its alpha are positive and its
// cost is the least; both are soft, as the logarithm of its weight
//
//   l = sum log sigma(alpha_j/within) - cost/least,  alpha = sum p alpha of faces, p = softmax(l)
//
// or hard. Corners are always right, so that the sum never vanishes. For two edges w is that of
// edge_edge_qp.inl. docs/witness.md.

#ifndef TAC_DETECT_WITNESS_WITNESS_POLYGON_INL
#define TAC_DETECT_WITNESS_WITNESS_POLYGON_INL

#include "detect/witness/edge_edge_qp.inl"
#include "shape/local_field.inl"

#define POLY_CORNERS 6  // of both
#define POLY_SIZE    4  // unknowns of a face
#define POLY_FACES   49 // 7 choices of corners each

// corners of polygon 1 stand first
typedef struct polyPair {
    int n[2];
    wide x[POLY_CORNERS][3];
} polyPair;

// One choice of corners: unknowns are the alpha of the corners `j` but the first one of each
// polygon, `base`.
typedef struct polyFace {
    int size, used[POLY_CORNERS], j[POLY_SIZE], base[POLY_SIZE];
    wide L[POLY_SIZE][POLY_SIZE], inv_d[POLY_SIZE]; // H = L diag(d) L^T
    wide col[POLY_SIZE][3];                         // d e/d unknown
    wide alpha[POLY_CORNERS], e[3], cost, log_weight, weight;
} polyFace;

typedef struct polySolution {
    int count;
    wide s2, w, inv_min;
    wide alpha[POLY_CORNERS], colliding;
    polyFace face[POLY_FACES];
} polySolution;

// also tangent and adjoint
typedef struct polyWitness {
    wide alpha[POLY_CORNERS], colliding, point[2][3], distance, normal[3];
} polyWitness;

static inline int poly_first(const polyPair* p, int side) { return side ? p->n[0] : 0; }
static inline int poly_side(const polyPair* p, int j) { return j >= p->n[0]; }
static inline double poly_sign(const polyPair* p, int j) { return poly_side(p, j) ? -1.0 : 1.0; }

//---------------------------------- faces ----------------------------------

// mean of the squared edges of both
static wide poly_unit2(const polyPair* p, const edgeTau* t, const polyPair* dot) {
    wide sum = w_set(0.0);
    int edges = 0;
    for (int side = 0; side < 2; ++side)
        for (int a = 0; a < p->n[side]; ++a)
            for (int b = a + 1; b < p->n[side]; ++b, ++edges)
                for (int k = 0; k < 3; ++k) {
                    int i = poly_first(p, side) + a, j = poly_first(p, side) + b;
                    wide d = p->x[j][k] - p->x[i][k];
                    wide m = dot ? 2.0 * (dot->x[j][k] - dot->x[i][k]) : d;
                    sum = w_fma(d, m, sum);
                }
    wide mean = t->relative * (1.0 / (edges ? edges : 1)) * sum;
    return dot ? mean : mean + t->min_square;
}

static void poly_select_face(const polyPair* p, int mask0, int mask1, polyFace* f) {
    f->size = 0;
    for (int side = 0; side < 2; ++side) {
        int mask = side ? mask1 : mask0, base = -1;
        for (int a = 0; a < p->n[side]; ++a) {
            int j = poly_first(p, side) + a;
            f->used[j] = mask >> a & 1;
            if (f->used[j] && base < 0)
                base = j;
            else if (f->used[j]) {
                f->j[f->size] = j;
                f->base[f->size++] = base;
            }
        }
    }
}

// is a corner's alpha free to become negative?
static int poly_bounded(const polyPair* p, const polyFace* f, int j) {
    int first = poly_first(p, poly_side(p, j)), used = 0;
    for (int a = 0; a < p->n[poly_side(p, j)]; ++a) used += f->used[first + a];
    return f->used[j] && used > 1;
}

// e = p1 - p2 at these alpha
static void poly_span(const polyPair* p, const wide alpha[POLY_CORNERS], wide e[3]) {
    for (int k = 0; k < 3; ++k) e[k] = w_set(0.0);
    for (int j = 0; j < p->n[0] + p->n[1]; ++j)
        for (int k = 0; k < 3; ++k) e[k] = w_fma(poly_sign(p, j) * alpha[j], p->x[j][k], e[k]);
}

// w/4 sum (alpha - 1/N)^2 without w/4
static wide poly_deviation(const polyPair* p, const wide alpha[POLY_CORNERS]) {
    wide sum = w_set(0.0);
    for (int j = 0; j < p->n[0] + p->n[1]; ++j) {
        wide d = alpha[j] - 1.0 / p->n[poly_side(p, j)];
        sum = w_fma(d, d, sum);
    }
    return sum;
}

// x <- H^-1 x
static void poly_solve(const polyFace* f, wide x[POLY_SIZE]) {
    for (int i = 0; i < f->size; ++i)
        for (int k = 0; k < i; ++k) x[i] = x[i] - f->L[i][k] * x[k];
    for (int i = 0; i < f->size; ++i) x[i] = x[i] * f->inv_d[i];
    for (int i = f->size - 1; i >= 0; --i)
        for (int k = i + 1; k < f->size; ++k) x[i] = x[i] - f->L[k][i] * x[k];
}

// H = col.col + w/2 (1 + [i = k]) within a polygon. Returns 0 in lanes where it is singular, 1
// else.
static wide poly_factor(const polyPair* p, polyFace* f, wide w) {
    wide tikhonov = w_set(1.0);
    for (int i = 0; i < f->size; ++i) {
        wide d = w_dot3(f->col[i], f->col[i]) + w, whole = d + EDGE_ZERO2;
        for (int k = 0; k < i; ++k) {
            int same = poly_side(p, f->j[i]) == poly_side(p, f->j[k]);
            wide h = w_dot3(f->col[i], f->col[k]) + (same ? 0.5 * w : w_set(0.0));
            for (int m = 0; m < k; ++m) h = h - f->L[i][m] * f->L[k][m] / f->inv_d[m];
            f->L[i][k] = h * f->inv_d[k];
        }
        for (int k = 0; k < i; ++k) d = d - f->L[i][k] * f->L[i][k] / f->inv_d[k];
        tikhonov = w_select_ge0(d - 1e-13 * whole, tikhonov, w_set(0.0));
        f->inv_d[i] = 1.0 / w_max(d, 1e-13 * whole);
    }
    return tikhonov;
}

static wide poly_minimum(const polyPair* p, polyFace* f, wide w) {
    wide x[POLY_SIZE], first[3];
    for (int j = 0; j < p->n[0] + p->n[1]; ++j) f->alpha[j] = w_set(0.0);
    for (int side = 0; side < 2; ++side)
        for (int a = p->n[side] - 1, done = 0; a >= 0; --a)
            if (f->used[poly_first(p, side) + a] && !done) {
                int j = poly_first(p, side);
                while (!f->used[j]) ++j;
                f->alpha[j] = w_set(1.0);
                done = 1;
            }
    poly_span(p, f->alpha, first);
    for (int i = 0; i < f->size; ++i)
        for (int k = 0; k < 3; ++k)
            f->col[i][k] = poly_sign(p, f->j[i]) * (p->x[f->j[i]][k] - p->x[f->base[i]][k]);
    wide tikhonov = poly_factor(p, f, w);
    for (int i = 0; i < f->size; ++i) x[i] = 0.5 * w - w_dot3(f->col[i], first);
    poly_solve(f, x);
    for (int i = 0; i < f->size; ++i) {
        f->alpha[f->j[i]] = x[i];
        f->alpha[f->base[i]] = f->alpha[f->base[i]] - x[i];
    }
    poly_span(p, f->alpha, f->e);
    f->cost = w_fma(0.25 * w, poly_deviation(p, f->alpha), 0.5 * w_dot3(f->e, f->e));
    return tikhonov;
}

// sum log sigma(alpha/within)
static wide poly_log_inside(const polyPair* p, const polyFace* f, const edgeTau* t) {
    wide sum = w_set(0.0);
    for (int j = 0; j < p->n[0] + p->n[1]; ++j)
        if (poly_bounded(p, f, j))
            sum = sum - soft_relu(-f->alpha[j], t->inside.tau) * t->inside.inverse;
    return sum;
}

// 1 where all alpha are positive
static wide poly_inside(const polyPair* p, const polyFace* f, wide tikhonov) {
    wide zero = w_set(0.0), in = tikhonov;
    for (int j = 0; j < p->n[0] + p->n[1]; ++j)
        if (poly_bounded(p, f, j)) in = w_select_ge0(f->alpha[j], in, zero);
    return in;
}

//---------------------------------- all faces ----------------------------------

static void poly_soft_weights(const polyPair* p, const edgeTau* t, polySolution* s) {
    wide most = w_set(-1e300), sum = w_set(0.0);
    for (int i = 0; i < s->count; ++i) most = w_max(most, s->face[i].log_weight);
    for (int i = 0; i < s->count; ++i) {
        s->face[i].weight = soft_exp_below(w_max(s->face[i].log_weight - most, w_set(-SOFT_LIMIT)));
        sum = sum + s->face[i].weight;
    }
    for (int i = 0; i < s->count; ++i) s->face[i].weight = s->face[i].weight / sum;
    const polyFace* whole = &s->face[s->count - 1];
    s->colliding = w_exp(w_max(poly_log_inside(p, whole, t), w_set(-600.0)));
}

// the first of the least; log_weight holds 1 where a face is right
static void poly_hard_weights(polySolution* s) {
    wide zero = w_set(0.0), min = w_set(1e300), left = w_set(1.0);
    for (int i = 0; i < s->count; ++i)
        min = w_select_ge0(s->face[i].log_weight - 0.5, w_min(min, s->face[i].cost), min);
    for (int i = 0; i < s->count; ++i) {
        wide right = w_select_ge0(s->face[i].log_weight - 0.5, left, zero);
        s->face[i].weight = w_select_ge0(min - s->face[i].cost, right, zero);
        left = left - s->face[i].weight;
    }
    s->colliding = s->face[s->count - 1].log_weight;
}

static void poly_faces(const polyPair* p, const edgeTau* t, int exact, polySolution* s) {
    s->count = 0;
    s->s2 = poly_unit2(p, t, NULL);
    s->w = t->tikhonov * s->s2;
    s->inv_min = exact ? w_set(0.0) : 1.0 / (t->min * s->s2);
    for (int a = 1; a < 1 << p->n[0]; ++a)
        for (int b = 1; b < 1 << p->n[1]; ++b) {
            polyFace* f = &s->face[s->count++];
            poly_select_face(p, a, b, f);
            wide tikhonov = poly_minimum(p, f, s->w);
            f->log_weight = exact ? poly_inside(p, f, tikhonov)
                                  : poly_log_inside(p, f, t) - f->cost * s->inv_min;
        }
    if (exact)
        poly_hard_weights(s);
    else
        poly_soft_weights(p, t, s);
    for (int j = 0; j < p->n[0] + p->n[1]; ++j) {
        s->alpha[j] = w_set(0.0);
        for (int i = 0; i < s->count; ++i)
            s->alpha[j] = w_fma(s->face[i].weight, s->face[i].alpha[j], s->alpha[j]);
    }
}

// e, |e|^2 and 1/sqrt(|e|^2 + gap^2)
typedef struct polySpan {
    wide e[3], e2, inverse;
} polySpan;

static polySpan poly_gap(const polyPair* p, const polySolution* s, const edgeTau* t) {
    polySpan g;
    poly_span(p, s->alpha, g.e);
    g.e2 = w_dot3(g.e, g.e);
    g.inverse = w_rsqrt(w_fma(t->gap * t->gap, s->s2, g.e2) + EDGE_MIN_SQUARE);
    return g;
}

static polyWitness poly_witness(const polyPair* p, const polySolution* s, const edgeTau* t) {
    polySpan g = poly_gap(p, s, t);
    polyWitness w = {.colliding = s->colliding, .distance = g.e2 * g.inverse};
    for (int k = 0; k < 3; ++k) {
        w.normal[k] = g.e[k] * g.inverse;
        w.point[0][k] = w.point[1][k] = w_set(0.0);
        for (int j = 0; j < p->n[0] + p->n[1]; ++j) {
            wide* point = &w.point[poly_side(p, j)][k];
            *point = w_fma(s->alpha[j], p->x[j][k], *point);
        }
    }
    for (int j = 0; j < p->n[0] + p->n[1]; ++j) w.alpha[j] = s->alpha[j];
    return w;
}

#endif
