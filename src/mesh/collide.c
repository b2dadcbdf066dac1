// Do triangles of a surface meet where they should not?
//
// Pairs without a common vertex: separating axes. With one: separating planes through it. With two:
// the angle between the faces. All of them call a near miss a meeting, so that rounding errs on the
// safe side.

#include "mesh/collide.h"

#include <math.h>
#include <string.h>

// closer than this share of the size counts as meeting
#define MISS 1e-10
// cosine between the normals of two faces with a common edge: less is a fold
#define FOLD (-0.9995)

//---------------------------------- pairs ----------------------------------------

static double normalize(double a[3]) {
    double length = sqrt(tac_dot3(a, a));
    for (int k = 0; k < 3 && length > 0.0; ++k) a[k] /= length;
    return length;
}

static int separates(const double axis[3], const tacTriangle* a, const tacTriangle* b) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    double length = sqrt(tac_dot3(axis, axis)), size = 0.0, rel[3];
    if (!(length > 0.0)) return 0;
    for (int i = 0; i < 3; ++i) {
        tac_sub3(a->x[i], a->x[0], rel);
        double p = tac_dot3(axis, rel);
        low[0] = tac_least(low[0], p);
        high[0] = tac_most(high[0], p);
        size = tac_most(size, tac_dot3(rel, rel));
        tac_sub3(b->x[i], a->x[0], rel);
        p = tac_dot3(axis, rel);
        low[1] = tac_least(low[1], p);
        high[1] = tac_most(high[1], p);
        size = tac_most(size, tac_dot3(rel, rel));
    }
    double miss = MISS * length * sqrt(size);
    return low[1] > high[0] + miss || low[0] > high[1] + miss;
}

static int apart_at_all(const tacTriangle* a, const tacTriangle* b) {
    double na[3], nb[3], ea[3][3], eb[3][3], axis[3];
    tac_area_vector(a, na);
    tac_area_vector(b, nb);
    if (separates(na, a, b) || separates(nb, a, b)) return 1;
    for (int i = 0; i < 3; ++i) {
        tac_sub3(a->x[(i + 1) % 3], a->x[i], ea[i]);
        tac_sub3(b->x[(i + 1) % 3], b->x[i], eb[i]);
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            tac_cross3(ea[i], eb[j], axis);
            if (separates(axis, a, b)) return 1;
        }
    for (int i = 0; i < 3; ++i) {
        tac_cross3(na, ea[i], axis);
        if (separates(axis, a, b)) return 1;
        tac_cross3(nb, eb[i], axis);
        if (separates(axis, a, b)) return 1;
    }
    return 0;
}

// Two sectors from one apex, each by its two unit sides. They meet in the apex alone if a plane
// through it has them on two sides, strictly but for sides that span the plane.
static int sector_clear(double side[2][3], double other[2][3]) {
    double n[3], in_plane[3];
    tac_cross3(side[0], side[1], n);
    if (!(normalize(n) > MISS)) return 0;
    double c = tac_dot3(n, other[0]), d = tac_dot3(n, other[1]);
    if ((c > MISS && d > MISS) || (c < -MISS && d < -MISS)) return 1;
    for (int i = 0; i < 2; ++i) {
        tac_cross3(n, side[i], in_plane);
        double sign = tac_dot3(in_plane, side[1 - i]) > 0.0 ? 1.0 : -1.0;
        if (sign * tac_dot3(in_plane, other[0]) < -MISS &&
            sign * tac_dot3(in_plane, other[1]) < -MISS)
            return 1;
    }
    return 0;
}

static int sectors_apart(double a[2][3], double b[2][3]) {
    if (sector_clear(a, b) || sector_clear(b, a)) return 1;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            double n[3];
            tac_cross3(a[i], b[j], n);
            if (!(normalize(n) > MISS)) continue;
            double p = tac_dot3(n, a[1 - i]), q = tac_dot3(n, b[1 - j]);
            if ((p > MISS && q < -MISS) || (p < -MISS && q > MISS)) return 1;
        }
    return 0;
}

// A plane through the apex across the way between the middles has most pairs on two sides: a test
// without roots.
static int clearly_apart(double a[2][3], double b[2][3]) {
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

static int fan_meets(const tacTriangle* a, int i, const tacTriangle* b, int j) {
    double side[2][2][3];
    for (int k = 0; k < 2; ++k) {
        tac_sub3(a->x[(i + 1 + k) % 3], a->x[i], side[0][k]);
        tac_sub3(b->x[(j + 1 + k) % 3], b->x[j], side[1][k]);
    }
    if (clearly_apart(side[0], side[1])) return 0;
    for (int k = 0; k < 2; ++k)
        if (!(normalize(side[0][k]) > 0.0 && normalize(side[1][k]) > 0.0)) return 1;
    return !sectors_apart(side[0], side[1]);
}

static int folds(const tacTriangle* a, const tacTriangle* b) {
    double na[3], nb[3];
    tac_area_vector(a, na);
    tac_area_vector(b, nb);
    if (!(normalize(na) > 0.0 && normalize(nb) > 0.0)) return 1;
    return tac_dot3(na, nb) < FOLD;
}

static int boxes_apart(const tacTriangle* a, const tacTriangle* b) {
    for (int k = 0; k < 3; ++k) {
        double la = tac_least(a->x[0][k], tac_least(a->x[1][k], a->x[2][k]));
        double ha = tac_most(a->x[0][k], tac_most(a->x[1][k], a->x[2][k]));
        double lb = tac_least(b->x[0][k], tac_least(b->x[1][k], b->x[2][k]));
        double hb = tac_most(b->x[0][k], tac_most(b->x[1][k], b->x[2][k]));
        double miss = MISS * (ha - la + hb - lb);
        if (lb > ha + miss || la > hb + miss) return 1;
    }
    return 0;
}

int tac_triangles_meet(const tacTriangle* a, const tacTriangle* b) {
    int common = 0, at[2] = {0, 0};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (a->v[i] == b->v[j]) {
                ++common;
                at[0] = i;
                at[1] = j;
            }
    if (common == 0) return !boxes_apart(a, b) && !apart_at_all(a, b);
    if (common == 1) return fan_meets(a, at[0], b, at[1]);
    return common == 3 || folds(a, b);
}

//---------------------------------- grid -----------------------------------------

typedef struct cellRange {
    int low[3], high[3];
} cellRange;

static cellRange cells_of(const tacGrid* g, const tacTriangle* t) {
    cellRange r;
    for (int k = 0; k < 3; ++k) {
        double low = tac_least(t->x[0][k], tac_least(t->x[1][k], t->x[2][k])) - g->low[k];
        double high = tac_most(t->x[0][k], tac_most(t->x[1][k], t->x[2][k])) - g->low[k];
        double miss = 1e-6 * g->cell, last = g->n[k] - 1;
        r.low[k] = (int)tac_least(last, tac_most(0.0, floor((low - miss) / g->cell)));
        r.high[k] = (int)tac_least(last, tac_most(0.0, floor((high + miss) / g->cell)));
    }
    return r;
}

static int cell_at(const tacGrid* g, const cellRange* r, int i) {
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

tacResult tac_grid_create(tacGrid* g, const tacSurface* s, tacBlocks* blocks) {
    *g = (tacGrid){.capacity = 16 * s->nt + 65536, .cells = 65536};
    g->head = TAC_BLOCKS_TAKE(blocks, int, g->cells);
    g->next = TAC_BLOCKS_TAKE(blocks, int, g->capacity);
    g->triangle = TAC_BLOCKS_TAKE(blocks, int, g->capacity);
    g->version = TAC_BLOCKS_TAKE(blocks, int, g->capacity);
    g->change = TAC_BLOCKS_TAKE(blocks, int, s->nt);
    g->stamp = TAC_BLOCKS_TAKE(blocks, int, s->nt);
    int missing = !g->head || !g->next || !g->triangle || !g->version || !g->change || !g->stamp;
    return missing ? TAC_ERROR_MEMORY : TAC_OK;
}

// cells about as long as a side of a mean triangle
static void lay_out(tacGrid* g, const tacSurface* s) {
    double high[3] = {-INFINITY, -INFINITY, -INFINITY}, length = 0.0;
    for (int k = 0; k < 3; ++k) g->low[k] = INFINITY;
    for (int h = 0; h < 3 * s->nt; ++h) {
        if (s->start[h] < 0) continue;
        const double *a = s->x[s->start[h]], *b = s->x[tac_end(s, h)];
        double side[3];
        tac_sub3(b, a, side);
        length += sqrt(tac_dot3(side, side)) / (3.0 * s->triangles);
        for (int k = 0; k < 3; ++k) {
            g->low[k] = tac_least(g->low[k], a[k]);
            high[k] = tac_most(high[k], a[k]);
        }
    }
    for (g->cell = 1.2 * length;; g->cell *= 1.3) {
        double total = 1.0;
        for (int k = 0; k < 3; ++k) {
            double n = floor((high[k] - g->low[k]) / g->cell) + 1.0;
            g->n[k] = (int)tac_least(n, 1e6);
            total *= n;
        }
        if (total <= g->cells) return;
    }
}

int tac_grid_update(tacGrid* g, const tacSurface* s, int t) {
    tacTriangle triangle = tac_triangle(s, t);
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

void tac_grid_sort(tacGrid* g, const tacSurface* s) {
    lay_out(g, s);
    for (;;) {
        int full = 0;
        memset(g->head, -1, sizeof(int) * (size_t)g->cells);
        g->entries = 0;
        for (int t = 0; t < s->nt && !full; ++t)
            if (s->start[3 * t] >= 0) full = !tac_grid_update(g, s, t);
        // coarser cells need fewer entries; half of the room stays for updates
        if (!full && g->entries <= g->capacity / 2) return;
        g->cell *= 2.0;
        if (g->n[0] * g->n[1] * g->n[2] == 1) return;
        for (int k = 0; k < 3; ++k) g->n[k] = (g->n[k] + 1) / 2 > 0 ? (g->n[k] + 1) / 2 : 1;
    }
}

// cells that all these triangles touch
static cellRange cells_of_all(const tacGrid* g, int count, const tacTriangle* a) {
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

static int meets_one_of(const tacTriangle* b, int count, const tacTriangle* a) {
    for (int i = 0; i < count; ++i)
        if (tac_triangles_meet(&a[i], b)) return 1;
    return 0;
}

// entries of old triangles are taken out on the way
static int meets_in_cell(tacGrid* g, const tacSurface* s, int cell, int count,
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
        tacTriangle b = tac_triangle(s, t);
        if (meets_one_of(&b, count, a)) return 1;
    }
    return 0;
}

int tac_grid_meets(tacGrid* g, const tacSurface* s, int count, const tacTriangle* new_ones,
                   int gone_count, const int* gone) {
    for (int i = 1; i < count; ++i)
        if (meets_one_of(&new_ones[i], i, new_ones)) return 1;
    if (count == 0) return 0;
    ++g->query;
    for (int j = 0; j < gone_count; ++j) g->stamp[gone[j]] = g->query;
    cellRange r = cells_of_all(g, count, new_ones);
    int cells = cell_count(&r);
    for (int i = 0; i < cells; ++i)
        if (meets_in_cell(g, s, cell_at(g, &r, i), count, new_ones)) return 1;
    return 0;
}
