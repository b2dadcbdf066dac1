// Self-intersections of a surface of triangles.
//
// Pairs without a common vertex: separating axes. With one: separating planes through it. With two:
// the angle between the faces. All tests count a near miss as an intersection, so that rounding
// errs on the safe side.

#include "mesh/surface/triangle_grid.h"

#include <math.h>
#include <string.h>

// closer than this share of the size counts as intersecting
#define TOLERANCE 1e-10
// cosine between the normals of two faces with a common edge: less is a fold
#define FOLD_COS (-0.9995)

//---------------------------------- pairs ----------------------------------------

static double normalize_3(double a[3]) {
    double length = sqrt(tac_dot3(a, a));
    for (int k = 0; k < 3 && length > 0.0; ++k) a[k] /= length;
    return length;
}

static int is_separating_axis(const double axis[3], const tacTriangle* a, const tacTriangle* b) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    double length = sqrt(tac_dot3(axis, axis)), size = 0.0, rel[3];
    if (!(length > 0.0)) return 0;
    for (int i = 0; i < 3; ++i) {
        tac_sub3(a->x[i], a->x[0], rel);
        double p = tac_dot3(axis, rel);
        low[0] = tac_min(low[0], p);
        high[0] = tac_max(high[0], p);
        size = tac_max(size, tac_dot3(rel, rel));
        tac_sub3(b->x[i], a->x[0], rel);
        p = tac_dot3(axis, rel);
        low[1] = tac_min(low[1], p);
        high[1] = tac_max(high[1], p);
        size = tac_max(size, tac_dot3(rel, rel));
    }
    double tolerance = TOLERANCE * length * sqrt(size);
    return low[1] > high[0] + tolerance || low[0] > high[1] + tolerance;
}

static int triangles_separated(const tacTriangle* a, const tacTriangle* b) {
    double na[3], nb[3], ea[3][3], eb[3][3], axis[3];
    tac_triangle_area_vector(a, na);
    tac_triangle_area_vector(b, nb);
    if (is_separating_axis(na, a, b) || is_separating_axis(nb, a, b)) return 1;
    for (int i = 0; i < 3; ++i) {
        tac_sub3(a->x[(i + 1) % 3], a->x[i], ea[i]);
        tac_sub3(b->x[(i + 1) % 3], b->x[i], eb[i]);
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            tac_cross3(ea[i], eb[j], axis);
            if (is_separating_axis(axis, a, b)) return 1;
        }
    for (int i = 0; i < 3; ++i) {
        tac_cross3(na, ea[i], axis);
        if (is_separating_axis(axis, a, b)) return 1;
        tac_cross3(nb, eb[i], axis);
        if (is_separating_axis(axis, a, b)) return 1;
    }
    return 0;
}

// Two sectors from one apex, each by its two unit sides. They meet only in the apex if a plane
// through it separates them, strictly except for sides that span the plane.
static int sector_separated(double side[2][3], double other[2][3]) {
    double n[3], in_plane[3];
    tac_cross3(side[0], side[1], n);
    if (!(normalize_3(n) > TOLERANCE)) return 0;
    double c = tac_dot3(n, other[0]), d = tac_dot3(n, other[1]);
    if ((c > TOLERANCE && d > TOLERANCE) || (c < -TOLERANCE && d < -TOLERANCE)) return 1;
    for (int i = 0; i < 2; ++i) {
        tac_cross3(n, side[i], in_plane);
        double sign = tac_dot3(in_plane, side[1 - i]) > 0.0 ? 1.0 : -1.0;
        if (sign * tac_dot3(in_plane, other[0]) < -TOLERANCE &&
            sign * tac_dot3(in_plane, other[1]) < -TOLERANCE)
            return 1;
    }
    return 0;
}

static int sectors_separated(double a[2][3], double b[2][3]) {
    if (sector_separated(a, b) || sector_separated(b, a)) return 1;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            double n[3];
            tac_cross3(a[i], b[j], n);
            if (!(normalize_3(n) > TOLERANCE)) continue;
            double p = tac_dot3(n, a[1 - i]), q = tac_dot3(n, b[1 - j]);
            if ((p > TOLERANCE && q < -TOLERANCE) || (p < -TOLERANCE && q > TOLERANCE)) return 1;
        }
    return 0;
}

// The plane through the apex normal to the line between the centers separates most pairs: a test
// without square roots.
static int clearly_separated(double a[2][3], double b[2][3]) {
    double d[3];
    for (int k = 0; k < 3; ++k) d[k] = a[0][k] + a[1][k] - b[0][k] - b[1][k];
    double least = 1e-12 * tac_dot3(d, d);
    for (int i = 0; i < 2; ++i) {
        double p = tac_dot3(a[i], d), q = tac_dot3(b[i], d);
        if (!(p > 0.0 && p * p > least * tac_dot3(a[i], a[i]))) return 0;
        if (!(q < 0.0 && q * q > least * tac_dot3(b[i], b[i]))) return 0;
    }
    return 1;
}

static int fans_intersect(const tacTriangle* a, int i, const tacTriangle* b, int j) {
    double side[2][2][3];
    for (int k = 0; k < 2; ++k) {
        tac_sub3(a->x[(i + 1 + k) % 3], a->x[i], side[0][k]);
        tac_sub3(b->x[(j + 1 + k) % 3], b->x[j], side[1][k]);
    }
    if (clearly_separated(side[0], side[1])) return 0;
    for (int k = 0; k < 2; ++k)
        if (!(normalize_3(side[0][k]) > 0.0 && normalize_3(side[1][k]) > 0.0)) return 1;
    return !sectors_separated(side[0], side[1]);
}

static int is_folded(const tacTriangle* a, const tacTriangle* b) {
    double na[3], nb[3];
    tac_triangle_area_vector(a, na);
    tac_triangle_area_vector(b, nb);
    if (!(normalize_3(na) > 0.0 && normalize_3(nb) > 0.0)) return 1;
    return tac_dot3(na, nb) < FOLD_COS;
}

static int boxes_separated(const tacTriangle* a, const tacTriangle* b) {
    for (int k = 0; k < 3; ++k) {
        double la = tac_min(a->x[0][k], tac_min(a->x[1][k], a->x[2][k]));
        double ha = tac_max(a->x[0][k], tac_max(a->x[1][k], a->x[2][k]));
        double lb = tac_min(b->x[0][k], tac_min(b->x[1][k], b->x[2][k]));
        double hb = tac_max(b->x[0][k], tac_max(b->x[1][k], b->x[2][k]));
        double tolerance = TOLERANCE * (ha - la + hb - lb);
        if (lb > ha + tolerance || la > hb + tolerance) return 1;
    }
    return 0;
}

int tac_triangles_intersect(const tacTriangle* a, const tacTriangle* b) {
    int common = 0, at[2] = {0, 0};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (a->v[i] == b->v[j]) {
                ++common;
                at[0] = i;
                at[1] = j;
            }
    if (common == 0) return !boxes_separated(a, b) && !triangles_separated(a, b);
    if (common == 1) return fans_intersect(a, at[0], b, at[1]);
    return common == 3 || is_folded(a, b);
}

//---------------------------------- grid -----------------------------------------

typedef struct cellRange {
    int low[3], high[3];
} cellRange;

static cellRange cells_of(const tacTriangleGrid* g, const tacTriangle* t) {
    cellRange r;
    for (int k = 0; k < 3; ++k) {
        double low = tac_min(t->x[0][k], tac_min(t->x[1][k], t->x[2][k])) - g->low[k];
        double high = tac_max(t->x[0][k], tac_max(t->x[1][k], t->x[2][k])) - g->low[k];
        double tolerance = 1e-6 * g->cell, last = g->n[k] - 1;
        r.low[k] = (int)tac_min(last, tac_max(0.0, floor((low - tolerance) / g->cell)));
        r.high[k] = (int)tac_min(last, tac_max(0.0, floor((high + tolerance) / g->cell)));
    }
    return r;
}

static int cell_at(const tacTriangleGrid* g, const cellRange* r, int i) {
    int w[3];
    for (int k = 0; k < 3; ++k) w[k] = r->high[k] - r->low[k] + 1;
    int x = r->low[0] + i % w[0], y = r->low[1] + i / w[0] % w[1];
    int z = r->low[2] + i / w[0] / w[1];
    return x + g->n[0] * (y + g->n[1] * z);
}

static int cell_count(const cellRange* r) {
    int count = 1;
    for (int k = 0; k < 3; ++k) count *= r->high[k] - r->low[k] + 1;
    return count;
}

tacResult tac_triangle_grid_create(tacTriangleGrid* g, const tacSurface* s, tacRegion* blocks) {
    *g = (tacTriangleGrid){.capacity = 16 * s->nt + 65536, .cells = 65536};
    g->head = TAC_REGION_ALLOC(blocks, int, g->cells);
    g->next = TAC_REGION_ALLOC(blocks, int, g->capacity);
    g->triangle = TAC_REGION_ALLOC(blocks, int, g->capacity);
    g->version = TAC_REGION_ALLOC(blocks, int, g->capacity);
    g->change = TAC_REGION_ALLOC(blocks, int, s->nt);
    g->stamp = TAC_REGION_ALLOC(blocks, int, s->nt);
    int missing = !g->head || !g->next || !g->triangle || !g->version || !g->change || !g->stamp;
    return missing ? TAC_ERROR_MEMORY : TAC_OK;
}

// cells about as long as a side of a mean triangle
static void layout_cells(tacTriangleGrid* g, const tacSurface* s) {
    double high[3] = {-INFINITY, -INFINITY, -INFINITY}, length = 0.0;
    for (int k = 0; k < 3; ++k) g->low[k] = INFINITY;
    for (int h = 0; h < 3 * s->nt; ++h) {
        if (s->start[h] < 0) continue;
        const double *a = s->x[s->start[h]], *b = s->x[tac_halfedge_end(s, h)];
        double side[3];
        tac_sub3(b, a, side);
        length += sqrt(tac_dot3(side, side)) / (3.0 * s->triangles);
        for (int k = 0; k < 3; ++k) {
            g->low[k] = tac_min(g->low[k], a[k]);
            high[k] = tac_max(high[k], a[k]);
        }
    }
    for (g->cell = 1.2 * length;; g->cell *= 1.3) {
        double total = 1.0;
        for (int k = 0; k < 3; ++k) {
            double n = floor((high[k] - g->low[k]) / g->cell) + 1.0;
            g->n[k] = (int)tac_min(n, 1e6);
            total *= n;
        }
        if (total <= g->cells) return;
    }
}

int tac_triangle_grid_update(tacTriangleGrid* g, const tacSurface* s, int t) {
    tacTriangle triangle = tac_surface_triangle(s, t);
    cellRange r = cells_of(g, &triangle);
    int count = cell_count(&r);
    if (count > g->capacity - g->entries) return 0;
    ++g->change[t];
    for (int i = 0; i < count; ++i) {
        int cell = cell_at(g, &r, i), entry = g->entries++;
        g->triangle[entry] = t;
        g->version[entry] = g->change[t];
        g->next[entry] = g->head[cell];
        g->head[cell] = entry;
    }
    return 1;
}

void tac_triangle_grid_rebuild(tacTriangleGrid* g, const tacSurface* s) {
    layout_cells(g, s);
    for (;;) {
        int full = 0;
        memset(g->head, -1, sizeof(int) * (size_t)g->cells);
        g->entries = 0;
        for (int t = 0; t < s->nt && !full; ++t)
            if (s->start[3 * t] >= 0) full = !tac_triangle_grid_update(g, s, t);
        // coarser cells need fewer entries; half of the capacity is kept for updates
        if (!full && g->entries <= g->capacity / 2) return;
        g->cell *= 2.0;
        if (g->n[0] * g->n[1] * g->n[2] == 1) return;
        for (int k = 0; k < 3; ++k) g->n[k] = (g->n[k] + 1) / 2 > 0 ? (g->n[k] + 1) / 2 : 1;
    }
}

// cells that all these triangles touch
static cellRange cells_of_all(const tacTriangleGrid* g, int count, const tacTriangle* a) {
    cellRange r = cells_of(g, &a[0]);
    for (int i = 1; i < count; ++i) {
        cellRange other = cells_of(g, &a[i]);
        for (int k = 0; k < 3; ++k) {
            if (other.low[k] < r.low[k]) r.low[k] = other.low[k];
            if (other.high[k] > r.high[k]) r.high[k] = other.high[k];
        }
    }
    return r;
}

static int intersects_any(const tacTriangle* b, int count, const tacTriangle* a) {
    for (int i = 0; i < count; ++i)
        if (tac_triangles_intersect(&a[i], b)) return 1;
    return 0;
}

// outdated entries are removed on the way
static int intersects_in_cell(tacTriangleGrid* g, const tacSurface* s, int cell, int count,
                              const tacTriangle* a) {
    for (int* link = &g->head[cell]; *link >= 0;) {
        int e = *link, t = g->triangle[e];
        if (s->start[3 * t] < 0 || g->version[e] != g->change[t]) {
            *link = g->next[e];
            continue;
        }
        link = &g->next[e];
        if (g->stamp[t] == g->query) continue;
        g->stamp[t] = g->query;
        tacTriangle b = tac_surface_triangle(s, t);
        if (intersects_any(&b, count, a)) return 1;
    }
    return 0;
}

int tac_triangle_grid_intersects(tacTriangleGrid* g, const tacSurface* s, int count,
                                 const tacTriangle* added, int removed_count, const int* removed) {
    for (int i = 1; i < count; ++i)
        if (intersects_any(&added[i], i, added)) return 1;
    if (count == 0) return 0;
    ++g->query;
    for (int j = 0; j < removed_count; ++j) g->stamp[removed[j]] = g->query;
    cellRange r = cells_of_all(g, count, added);
    int cells = cell_count(&r);
    for (int i = 0; i < cells; ++i)
        if (intersects_in_cell(g, s, cell_at(g, &r, i), count, added)) return 1;
    return 0;
}
