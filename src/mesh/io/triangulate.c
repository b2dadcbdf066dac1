// Triangulation of polygons.

#include "mesh/io/triangulate.h"

#include "mesh/io/soup.h"

#include <math.h>

//---------------------------------- plane ----------------------------------------

void tac_polygon_normal(const double* vertex, const int* corner, int count, double normal[3]) {
    const double* o = vertex + 3 * (size_t)corner[0];
    normal[0] = normal[1] = normal[2] = 0.0;
    for (int i = 1; i + 1 < count; ++i) {
        const double *a = vertex + 3 * (size_t)corner[i], *b = vertex + 3 * (size_t)corner[i + 1];
        for (int k = 0; k < 3; ++k) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            normal[k] += (a[l] - o[l]) * (b[m] - o[m]) - (a[m] - o[m]) * (b[l] - o[l]);
        }
    }
}

// projects the polygon along the axis closest to its normal, counter-clockwise
typedef struct flatPolygon {
    const double* vertex;
    const int* corner;
    int u, v;
} flatPolygon;

static flatPolygon project_polygon(const double* vertex, const int* corner, int count) {
    double n[3];
    tac_polygon_normal(vertex, corner, count, n);
    int axis = fabs(n[0]) > fabs(n[1]) ? 0 : 1;
    if (fabs(n[2]) > fabs(n[axis])) axis = 2;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    return n[axis] < 0.0 ? (flatPolygon){vertex, corner, v, u}
                         : (flatPolygon){vertex, corner, u, v};
}

// twice the signed area of corners a, b, c
static double signed_area2(const flatPolygon* p, int a, int b, int c) {
    const double* x = p->vertex + 3 * (size_t)p->corner[a];
    const double* y = p->vertex + 3 * (size_t)p->corner[b];
    const double* z = p->vertex + 3 * (size_t)p->corner[c];
    return (y[p->u] - x[p->u]) * (z[p->v] - x[p->v]) - (y[p->v] - x[p->v]) * (z[p->u] - x[p->u]);
}

static int is_convex(const flatPolygon* p, int count) {
    for (int i = 0; i < count; ++i)
        if (signed_area2(p, i, (i + 1) % count, (i + 2) % count) < 0.0) return 0;
    return 1;
}

//---------------------------------- ears -----------------------------------------

typedef struct earRing {
    int next[TAC_MAX_EAR_CORNERS], count;
} earRing;

static void emit_triangle(const flatPolygon* p, int a, int b, int c, int** triangle) {
    (*triangle)[0] = p->corner[a];
    (*triangle)[1] = p->corner[b];
    (*triangle)[2] = p->corner[c];
    *triangle += 3;
}

// vertex b is an ear: it is convex, and no other vertex lies in the triangle
static int is_ear(const flatPolygon* p, const earRing* ring, int a, int b, int c) {
    if (signed_area2(p, a, b, c) <= 0.0) return 0;
    for (int i = ring->next[c]; i != a; i = ring->next[i]) {
        int v = p->corner[i];
        if (v == p->corner[a] || v == p->corner[b] || v == p->corner[c]) continue;
        if (signed_area2(p, a, b, i) >= 0.0 && signed_area2(p, b, c, i) >= 0.0 &&
            signed_area2(p, c, a, i) >= 0.0)
            return 0;
    }
    return 1;
}

// A polygon that crosses itself may have no ear; then, or when the search gets long, the rest is
// fanned.
static void clip_ears(const flatPolygon* p, int count, int* triangle) {
    earRing ring = {.count = count};
    for (int i = 0; i < count; ++i) ring.next[i] = (i + 1) % count;
    int a = 0, idle = 0;
    for (int tries = 4 * count; ring.count > 3 && idle < ring.count && tries > 0; --tries) {
        int b = ring.next[a], c = ring.next[b];
        if (!is_ear(p, &ring, a, b, c)) {
            a = b;
            ++idle;
            continue;
        }
        emit_triangle(p, a, b, c, &triangle);
        ring.next[a] = c;
        --ring.count;
        idle = 0;
    }
    for (int b = ring.next[a]; ring.next[b] != a; b = ring.next[b])
        emit_triangle(p, a, b, ring.next[b], &triangle);
}

int tac_triangulate(const double* vertex, const int* corner, int count, int* triangle) {
    flatPolygon polygon = project_polygon(vertex, corner, count);
    if (count > 3 && !is_convex(&polygon, count)) {
        if (count > TAC_MAX_EAR_CORNERS) return 0;
        clip_ears(&polygon, count, triangle);
        return 1;
    }
    for (int i = 1; i + 1 < count; ++i) emit_triangle(&polygon, 0, i, i + 1, &triangle);
    return 1;
}
