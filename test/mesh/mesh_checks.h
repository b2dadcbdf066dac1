// Laws of a mesh, checked the slow and plain way: nothing of the library but the field.

#ifndef TAC_MESH_MESH_CHECKS_H
#define TAC_MESH_MESH_CHECKS_H

#include "shape/shape_scenes.h"

#include <math.h>
#include <string.h>

// what may be wrong with a mesh
typedef enum meshFlaw {
    MESH_FINE,
    MESH_OPEN,      // a directed side not exactly once, or not there the other way
    MESH_EDGES,     // the list of edges is not that of the faces
    MESH_LOOSE,     // a vertex without a face
    MESH_OFF,       // a vertex off the zero level
    MESH_INWARD,    // a face against the gradient at its corners, all three of them
    MESH_NO_VOLUME, // turned inside out
    MESH_MEETS,     // an edge goes through a face
    MESH_FOLDS,     // two faces along an edge lie on each other
    MESH_COUNT,     // not about the number asked for
    MESH_FLAWS
} meshFlaw;

static const char* const mesh_flaw_name[MESH_FLAWS] = {
    "fine",   "open",      "edges",        "loose", "off the surface",
    "inward", "no volume", "meets itself", "folds", "count"};

//---------------------------------- closed ---------------------------------------

static int mesh_by_number(const void* a, const void* b) {
    long long p = *(const long long*)a, q = *(const long long*)b;
    return (p > q) - (p < q);
}

// directed sides of all faces, sorted, each as start * vertices + end
static inline long long* mesh_sides(const tacMesh* m) {
    long long* side = malloc(sizeof *side * 3 * (size_t)m->faces);
    for (int f = 0; f < m->faces; ++f)
        for (int i = 0; i < 3; ++i)
            side[3 * f + i] = (long long)m->face[i][f] * m->vertices + m->face[(i + 1) % 3][f];
    qsort(side, 3 * (size_t)m->faces, sizeof *side, mesh_by_number);
    return side;
}

// each side is there once, and once the other way, and each pair is one listed edge
static inline meshFlaw mesh_closed(const tacMesh* m) {
    int sides = 3 * m->faces, open = 0, edges = 2 * m->edges != sides;
    long long *side = mesh_sides(m), last = -1;
    for (int i = 0; i < sides; ++i) {
        long long a = side[i] / m->vertices, b = side[i] % m->vertices, back = b * m->vertices + a;
        open += (i > 0 && side[i] == side[i - 1]) || a == b;
        open += !bsearch(&back, side, (size_t)sides, sizeof back, mesh_by_number);
    }
    long long* key = malloc(sizeof *key * (size_t)m->edges);
    for (int e = 0; e < m->edges; ++e) {
        long long a = m->edge[0][e], b = m->edge[1][e];
        key[e] = a * m->vertices + b;
        edges += a >= b || !bsearch(&key[e], side, (size_t)sides, sizeof *key, mesh_by_number);
    }
    qsort(key, (size_t)m->edges, sizeof *key, mesh_by_number);
    for (int e = 0; e < m->edges; ++e) {
        edges += key[e] == last;
        last = key[e];
    }
    free(key);
    free(side);
    return open ? MESH_OPEN : edges ? MESH_EDGES : MESH_FINE;
}

static inline meshFlaw mesh_uses_all(const tacMesh* m) {
    char* used = calloc((size_t)m->vertices, 1);
    int loose = 0;
    for (int f = 0; f < m->faces; ++f)
        for (int i = 0; i < 3; ++i) used[m->face[i][f]] = 1;
    for (int v = 0; v < m->vertices; ++v) loose += !used[v];
    free(used);
    return loose ? MESH_LOOSE : MESH_FINE;
}

//---------------------------------- self-intersection ----------------------------

static inline void mesh_corner(const tacMesh* m, int f, int i, double x[3]) {
    for (int k = 0; k < 3; ++k) x[k] = m->x[k][m->face[i][f]];
}

static inline void mesh_normal(const tacMesh* m, int f, double n[3]) {
    double x[3][3], a[3], b[3];
    for (int i = 0; i < 3; ++i) mesh_corner(m, f, i, x[i]);
    for (int k = 0; k < 3; ++k) {
        a[k] = x[1][k] - x[0][k];
        b[k] = x[2][k] - x[0][k];
    }
    for (int k = 0; k < 3; ++k)
        n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; ++k) n[k] = length > 0.0 ? n[k] / length : 0.0;
}

// determinant of b - a, c - a, d - a in long double: side of a plane
static inline long double mesh_side(const double a[3], const double b[3], const double c[3],
                                    const double d[3]) {
    long double u[3], v[3], w[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = (long double)b[k] - a[k];
        v[k] = (long double)c[k] - a[k];
        w[k] = (long double)d[k] - a[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// twice the area of a triangle seen along an axis
static inline long double mesh_turn(int axis, const double a[3], const double b[3],
                                    const double c[3]) {
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    return ((long double)b[i] - a[i]) * ((long double)c[j] - a[j]) -
           ((long double)b[j] - a[j]) * ((long double)c[i] - a[i]);
}

// in one plane: the segment crosses a side, or begins inside
static inline int mesh_crosses_flat(int axis, double x[3][3], const double p[3],
                                    const double q[3]) {
    int inside = 0;
    for (int i = 0; i < 3; ++i) {
        const double *a = x[i], *b = x[(i + 1) % 3];
        long double sp = mesh_turn(axis, a, b, p), sq = mesh_turn(axis, a, b, q);
        long double sa = mesh_turn(axis, p, q, a), sb = mesh_turn(axis, p, q, b);
        if (sp * sq < 0 && sa * sb < 0) return 1;
        inside += (sp > 0) - (sp < 0);
    }
    return inside == 3 || inside == -3;
}

// does segment p q go through triangle f?
static inline int mesh_pierces(const tacMesh* m, const double p[3], const double q[3], int f) {
    double x[3][3], n[3];
    for (int i = 0; i < 3; ++i) mesh_corner(m, f, i, x[i]);
    mesh_normal(m, f, n);
    double high = 0.0, size = 0.0;
    int axis = 0;
    for (int k = 0; k < 3; ++k) {
        if (fabs(n[k]) > fabs(n[axis])) axis = k;
        size = fmax(size, fmax(fabs(x[0][k]), fabs(p[k])));
    }
    for (int end = 0; end < 2; ++end) {
        double above = 0.0;
        for (int k = 0; k < 3; ++k) above += n[k] * ((end ? q : p)[k] - x[0][k]);
        high = fmax(high, fabs(above));
    }
    // within the rounding of vertices signs of volumes mean nothing
    if (high <= 1e-11 * size) return mesh_crosses_flat(axis, x, p, q);
    if ((mesh_side(x[0], x[1], x[2], p) > 0) == (mesh_side(x[0], x[1], x[2], q) > 0)) return 0;
    int sign = mesh_side(p, q, x[0], x[1]) > 0;
    return (mesh_side(p, q, x[1], x[2]) > 0) == sign && (mesh_side(p, q, x[2], x[0]) > 0) == sign;
}

// lowest and highest corner of a face
typedef struct meshBox {
    double low[3], high[3];
    int face;
} meshBox;

static int mesh_by_low(const void* a, const void* b) {
    double p = ((const meshBox*)a)->low[0], q = ((const meshBox*)b)->low[0];
    return (p > q) - (p < q);
}

static inline meshBox mesh_box(const tacMesh* m, int f) {
    meshBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, f};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            box.low[k] = fmin(box.low[k], m->x[k][m->face[i][f]]);
            box.high[k] = fmax(box.high[k], m->x[k][m->face[i][f]]);
        }
    return box;
}

// A side of f through g that has no corner of g. Two triangles with at most one common corner that
// meet elsewhere have such a side, one way or the other.
static inline int mesh_face_pierces(const tacMesh* m, int f, int g) {
    for (int i = 0; i < 3; ++i) {
        int a = m->face[i][f], b = m->face[(i + 1) % 3][f], common = 0;
        double p[3], q[3];
        for (int j = 0; j < 3; ++j) common |= m->face[j][g] == a || m->face[j][g] == b;
        if (common) continue;
        for (int k = 0; k < 3; ++k) {
            p[k] = m->x[k][a];
            q[k] = m->x[k][b];
        }
        if (mesh_pierces(m, p, q, g)) return 1;
    }
    return 0;
}

// all pairs of faces whose boxes meet
static inline meshFlaw mesh_meets(const tacMesh* m) {
    meshBox* box = malloc(sizeof *box * (size_t)m->faces);
    int meets = 0;
    for (int f = 0; f < m->faces; ++f) box[f] = mesh_box(m, f);
    qsort(box, (size_t)m->faces, sizeof *box, mesh_by_low);
    for (int i = 0; i < m->faces && !meets; ++i)
        for (int j = i + 1; j < m->faces && box[j].low[0] <= box[i].high[0] && !meets; ++j) {
            int apart = 0;
            for (int k = 1; k < 3; ++k)
                apart |= box[j].low[k] > box[i].high[k] || box[i].low[k] > box[j].high[k];
            if (apart) continue;
            meets = mesh_face_pierces(m, box[i].face, box[j].face) ||
                    mesh_face_pierces(m, box[j].face, box[i].face);
        }
    free(box);
    return meets ? MESH_MEETS : MESH_FINE;
}

// a face for each directed side, by binary search
static inline meshFlaw mesh_folds(const tacMesh* m) {
    long long(*row)[2] = malloc(sizeof *row * 3 * (size_t)m->faces);
    int folds = 0;
    for (int f = 0; f < m->faces; ++f)
        for (int i = 0; i < 3; ++i) {
            row[3 * f + i][0] = (long long)m->face[i][f] * m->vertices + m->face[(i + 1) % 3][f];
            row[3 * f + i][1] = f;
        }
    qsort(row, 3 * (size_t)m->faces, sizeof *row, mesh_by_number);
    for (int e = 0; e < m->edges; ++e) {
        long long key[2][2] = {{(long long)m->edge[0][e] * m->vertices + m->edge[1][e], 0},
                               {(long long)m->edge[1][e] * m->vertices + m->edge[0][e], 0}};
        double n[2][3];
        for (int i = 0; i < 2; ++i) {
            long long* found =
                bsearch(key[i], row, 3 * (size_t)m->faces, sizeof *row, mesh_by_number);
            if (found) mesh_normal(m, (int)found[1], n[i]);
        }
        folds += n[0][0] * n[1][0] + n[0][1] * n[1][1] + n[0][2] * n[1][2] < -0.9999;
    }
    free(row);
    return folds ? MESH_FOLDS : MESH_FINE;
}

//---------------------------------- surface --------------------------------------

static inline double mesh_volume(const tacMesh* m) {
    double sum = 0.0;
    const double zero[3] = {0, 0, 0};
    for (int f = 0; f < m->faces; ++f) {
        double x[3][3];
        for (int i = 0; i < 3; ++i) mesh_corner(m, f, i, x[i]);
        sum += (double)mesh_side(zero, x[0], x[1], x[2]) / 6.0;
    }
    return sum;
}

static inline int mesh_euler(const tacMesh* m) { return m->vertices - m->edges + m->faces; }

static inline double mesh_size(const tacMesh* m) {
    double size = 0.0;
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < m->vertices; ++v) {
            low = fmin(low, m->x[k][v]);
            high = fmax(high, m->x[k][v]);
        }
        size = fmax(size, high - low);
    }
    return size;
}

// values are 0 to 1e-9, of the size where that is above 1; a face does not look against the
// gradient at all three of its corners
static inline meshFlaw mesh_on_surface(const tacModel* model, int shape, const tacMesh* m) {
    tacScratch* scratch = make_scratch(model);
    size_t bytes = sizeof(double) * (size_t)m->vertices;
    double *value = malloc(bytes), *g[3] = {malloc(bytes), malloc(bytes), malloc(bytes)};
    tac_shape_eval(model, shape, tac_pose_identity(),
                   (tacPoints){m->vertices, {m->x[0], m->x[1], m->x[2]}},
                   (tacField){.value = value, .gradient = {g[0], g[1], g[2]}}, scratch);
    double worst = 0.0;
    int inward = 0;
    for (int i = 0; i < m->vertices; ++i) worst = fmax(worst, fabs(value[i]));
    for (int f = 0; f < m->faces; ++f) {
        double n[3];
        int against = 0;
        mesh_normal(m, f, n);
        for (int i = 0; i < 3; ++i) {
            int v = m->face[i][f];
            against += n[0] * g[0][v] + n[1] * g[1][v] + n[2] * g[2][v] < 0.0;
        }
        inward += against == 3;
    }
    free(value);
    for (int k = 0; k < 3; ++k) free(g[k]);
    tac_scratch_destroy(scratch);
    if (worst != m->error || !(worst <= 1e-9 * fmax(1.0, mesh_size(m)))) return MESH_OFF;
    return inward ? MESH_INWARD : MESH_FINE;
}

// the first law that the mesh breaks
static inline meshFlaw mesh_flaw(const tacModel* model, int shape, int asked, const tacMesh* m) {
    if (m->vertices < 0.8 * asked || m->vertices > 1.2 * asked) return MESH_COUNT;
    meshFlaw flaw = mesh_closed(m);
    if (flaw == MESH_FINE) flaw = mesh_uses_all(m);
    if (flaw == MESH_FINE && !(mesh_volume(m) > 0.0)) flaw = MESH_NO_VOLUME;
    if (flaw == MESH_FINE) flaw = mesh_on_surface(model, shape, m);
    if (flaw == MESH_FINE) flaw = mesh_meets(m);
    return flaw == MESH_FINE ? mesh_folds(m) : flaw;
}

#endif
