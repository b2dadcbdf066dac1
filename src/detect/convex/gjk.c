// Distance of separated convex parts: a simplex of vertices of A - B iterates towards the origin.

#include "detect/convex/gjk.h"

#include "detect/convex/epa.h"
#include "detect/convex/simplex_vertex.h"

#include <string.h>

enum { MAX_PASSES = 200 };

// Relative gap between the distance and its lower bound that ends the walk. Curved cores are left
// to Newton's method (closest_features.h).
static const double precision = 1e-15, curved_precision = 1e-10;

typedef struct simplex {
    tacSimplexVertex vertex[4];
    double direction[4][3]; // their directions
    double weight[4];       // of the nearest point
    int count;
    double v[3]; // the nearest point to the origin
} simplex;

//---------------------------------- nearest point of a simplex ----------------------------------

// edges from the newest vertex p to the others, their products, and those with -p
typedef struct edgeFan {
    int count; // of edges
    double edge[3][3], G[3][3], r[3];
} edgeFan;

static edgeFan edge_fan(const simplex* s) {
    edgeFan f = {.count = s->count - 1};
    const double* p = s->vertex[f.count].w;
    for (int i = 0; i < f.count; ++i) {
        tac_sub3(s->vertex[i].w, p, f.edge[i]);
        f.r[i] = -tac_dot3(f.edge[i], p);
        for (int j = 0; j <= i; ++j) f.G[i][j] = f.G[j][i] = tac_dot3(f.edge[i], f.edge[j]);
    }
    return f;
}

// G x = r over some of the edges; 0 if they are flat
static int solve_gram(const edgeFan* f, const int* at, int n, double* x) {
    double L[3][3], D[3];
    for (int i = 0; i < n; ++i) {
        D[i] = f->G[at[i]][at[i]];
        for (int k = 0; k < i; ++k) {
            L[i][k] = f->G[at[i]][at[k]];
            for (int m = 0; m < k; ++m) L[i][k] -= L[i][m] * L[k][m] * D[m];
            L[i][k] /= D[k];
            D[i] -= L[i][k] * L[i][k] * D[k];
        }
        if (!(D[i] > 1e-14 * f->G[at[i]][at[i]])) return 0;
        x[i] = f->r[at[i]];
        for (int k = 0; k < i; ++k) x[i] -= L[i][k] * x[k];
    }
    for (int i = n - 1; i >= 0; --i) {
        x[i] /= D[i];
        for (int k = i + 1; k < n; ++k) x[i] -= L[k][i] * x[k];
    }
    return 1;
}

// A tetrahedron around the origin has it as its nearest point; a flat one has noise.
static int is_flat_simplex(const simplex* s, double size) {
    double most = 0.0;
    for (int i = 0; i < 4; ++i) most = fmax(most, tac_dot3(s->vertex[i].w, s->vertex[i].w));
    return size > 1e-24 * most;
}

// the point of the newest vertex and some of the others that is nearest to the origin; 0 if it
// lies outside
static int nearest_on_face(const edgeFan* f, const double* p, const int* at, int n, double* x,
                           double* v) {
    double rest = 1.0;
    memcpy(v, p, 3 * sizeof *v);
    if (!solve_gram(f, at, n, x)) return 0;
    for (int i = 0; i < n; ++i) {
        if (!(x[i] > 0.0)) return 0;
        rest -= x[i];
        for (int k = 0; k < 3; ++k) v[k] += x[i] * f->edge[at[i]][k];
    }
    x[n] = rest;
    return rest > 0.0;
}

// Keeps the vertices of the face (of any size) that holds the nearest point. The newest vertex is
// beyond the others, so it is one of them.
static void reduce_simplex(simplex* s) {
    edgeFan f = edge_fan(s);
    simplex best = *s;
    double least = INFINITY;
    for (int mask = 0; mask < 1 << f.count; ++mask) {
        int at[4], n = 0;
        double x[4], v[3];
        for (int i = 0; i < f.count; ++i) {
            if (mask >> i & 1) at[n++] = i;
        }
        if (!nearest_on_face(&f, s->vertex[f.count].w, at, n, x, v)) continue;
        double size = tac_dot3(v, v);
        if (!(size < least) || (n == 3 && is_flat_simplex(s, size))) continue;
        least = size;
        best.count = n + 1;
        at[n] = f.count;
        memcpy(best.v, v, sizeof v);
        for (int i = 0; i <= n; ++i) {
            best.vertex[i] = s->vertex[at[i]];
            best.weight[i] = x[i];
        }
        for (int i = 0; i <= n; ++i)
            memcpy(best.direction[i], s->direction[at[i]], sizeof s->direction[0]);
    }
    *s = best;
}

//---------------------------------- iteration ----------------------------------

static int has_vertex(const simplex* s, const tacSimplexVertex* c) {
    for (int i = 0; i < s->count; ++i) {
        if (!memcmp(s->vertex[i].w, c->w, sizeof c->w)) return 1;
    }
    return 0;
}

// Goes on to the nearest point with one more vertex; returns whether it is nearer.
static int add_vertex(simplex* s, const tacSimplexVertex* c, const double d[3]) {
    simplex next = *s;
    memcpy(next.direction[next.count], d, sizeof next.direction[0]);
    next.vertex[next.count++] = *c;
    reduce_simplex(&next);
    if (!(tac_length3(next.v) < tac_length3(s->v))) return 0;
    *s = next;
    return 1;
}

// the point on A (side 0) or B
static void witness_point(const simplex* s, int side, double out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = 0.0;
        for (int i = 0; i < s->count; ++i) {
            out[k] += s->weight[i] * (side ? s->vertex[i].b[k] : s->vertex[i].a[k]);
        }
    }
}

// Walks until the lower bound v.w/|v| meets |v|; returns it. Not positive: the cores meet, or no
// plane between them was found.
static double iterate_gjk(simplex* s, const tacConvex* a, const tacConvex* b, double small,
                          int* passes) {
    double low = 0.0, curved = tac_convex_is_curved(a) || tac_convex_is_curved(b);
    double enough = curved ? curved_precision : precision;
    for (*passes = 1; *passes < MAX_PASSES; ++*passes) {
        double size = tac_length3(s->v), d[3] = {-s->v[0], -s->v[1], -s->v[2]};
        if (!(size > small) || s->count == 4) return -1.0;
        tacSimplexVertex c = tac_simplex_vertex(a, b, d);
        low = fmax(low, tac_dot3(s->v, c.w) / size);
        if (size - low <= enough * size || has_vertex(s, &c)) return low;
        if (!add_vertex(s, &c, d)) return low; // rounding
    }
    return low;
}

// moves the witness points from the cores to the surfaces
static void apply_radii(const tacConvex* a, const tacConvex* b, tacNearest* out) {
    for (int k = 0; k < 3; ++k) {
        out->point[0][k] += a->radius * out->normal[k];
        out->point[1][k] -= b->radius * out->normal[k];
    }
    out->distance -= a->radius + b->radius;
}

static simplex start_simplex(const tacConvex* a, const tacConvex* b, const double d[3]) {
    simplex s = {.count = 1, .weight = {1.0}};
    s.vertex[0] = tac_simplex_vertex(a, b, d);
    memcpy(s.v, s.vertex[0].w, sizeof s.v);
    memcpy(s.direction[0], d, sizeof s.direction[0]);
    return s;
}

// the vertices that the directions of last time lead to, as far as they come nearer
static simplex start_from_cache(const tacConvex* a, const tacConvex* b, const tacGjkCache* start) {
    simplex s = start_simplex(a, b, start->direction[0]);
    for (int i = 1; i < start->count && s.count < 4; ++i) {
        tacSimplexVertex c = tac_simplex_vertex(a, b, start->direction[i]);
        if (!has_vertex(&s, &c)) add_vertex(&s, &c, start->direction[i]);
    }
    return s;
}

static void store_cache(const simplex* s, tacGjkCache* out) {
    out->count = s->count;
    memcpy(out->direction, s->direction, sizeof s->direction);
}

// a half-space is nearest to the lowest point of the other part
static tacNearest distance_above_plane(const tacConvex* plane, const tacConvex* other,
                                       double sign) {
    tacNearest out = {.passes = 1};
    double n[3] = {plane->rot[0][2], plane->rot[1][2], plane->rot[2][2]}, down[3], x[3], w[3];
    for (int k = 0; k < 3; ++k) {
        down[k] = -n[k];
        out.normal[k] = sign * n[k];
    }
    tac_convex_support(other, down, x);
    tac_sub3(x, plane->pos, w);
    double height = tac_dot3(n, w), r[2] = {plane->radius, other->radius};
    out.distance = height - r[0] - r[1];
    for (int k = 0; k < 3; ++k) {
        out.point[sign < 0.0][k] = x[k] - (height - r[0]) * n[k];
        out.point[sign > 0.0][k] = x[k] - r[1] * n[k];
    }
    return out;
}

static tacNearest half_space_distance(const tacConvex* a, const tacConvex* b) {
    int first = a->kind == TAC_CONVEX_HALF_SPACE;
    return distance_above_plane(first ? a : b, first ? b : a, first ? 1.0 : -1.0);
}

tacNearest tac_gjk(const tacConvex* a, const tacConvex* b, tacGjkCache* start, void* memory) {
    if (a->kind == TAC_CONVEX_HALF_SPACE || b->kind == TAC_CONVEX_HALF_SPACE)
        return half_space_distance(a, b);
    double away[3], low = 0.0,
                    small = 1e-13 * (tac_convex_bounding_radius(a) + tac_convex_bounding_radius(b));
    tac_sub3(b->pos, a->pos, away);
    tacNearest out = {0};
    simplex s = start->count > 0 ? start_from_cache(a, b, start) : start_simplex(a, b, away);

    // a walk that rounding has stopped goes on from the plane that the polytope has found
    for (int attempt = 0; attempt < 3; ++attempt) {
        low = iterate_gjk(&s, a, b, small, &out.passes);
        if (low > 0.0) break;
        tac_epa(a, b, &out, memory);
        if (out.distance <= 0.0) break;
        s = start_simplex(a, b, attempt ? away : out.normal);
    }
    if (low > 0.0) {
        out.distance = tac_length3(s.v);
        out.error = out.distance - low;
        for (int k = 0; k < 3; ++k) out.normal[k] = -s.v[k] / out.distance;
        witness_point(&s, 0, out.point[0]);
        witness_point(&s, 1, out.point[1]);
        store_cache(&s, start);
    } else {
        start->count = 1;
        memcpy(start->direction[0], out.normal, sizeof out.normal);
    }
    apply_radii(a, b, &out);
    return out;
}

size_t tac_gjk_size(void) { return tac_epa_size(); }
