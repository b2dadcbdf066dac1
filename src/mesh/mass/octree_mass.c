// Moments of a solid by an octree.
//
// A cube that a proven ball covers is full or empty. Another is cut by the plane phi + grad phi . x
// = 0 of its middle, which is wrong by a second-order term of the field, and by one corner of a
// ridge: both make errors of h^2 in total, which two levels extrapolate away. Neither is biased by
// where the plane lies in its cube, as that is equally often everywhere.

#include "mesh/mass/octree_mass.h"

#include <math.h>
#include <string.h>

#define ROOT_CELLS  16 // along the longest side
#define LEVELS      4  // halvings of them, at most
#define FIRST_LEVEL 1  // whose moments are used
#define MOST_CELLS  1500000
#define CHUNK       512

typedef struct octreeCell {
    short at[3]; // in units of its own side
} octreeCell;

typedef struct octree {
    const tacShapeSampler* sampler;
    tacRegion blocks;
    double low[3], side; // of a cell of this level
    tacMoments full;     // of cells that are proven
    octreeCell* cell;    // that are not
    int count;
} octree;

//---------------------------------- moments --------------------------------------

// adds those of a column: t from a to b along an axis at (u, v) of the others, weight w
typedef struct momentColumn {
    double middle[3]; // of its cell, from where moments are taken about
    double u, v, a, b, w;
    int axis;
} momentColumn;

static void add_column(const momentColumn* c, double sum[TAC_MOMENTS]) {
    static const int second[3][3] = {{4, 7, 8}, {7, 5, 9}, {8, 9, 6}};
    int k = c->axis, i = (k + 1) % 3, j = (k + 2) % 3;
    double x = c->middle[i] + c->u, y = c->middle[j] + c->v, a = c->middle[k] + c->a,
           b = c->middle[k] + c->b;
    double m0 = c->w * (b - a), m1 = 0.5 * m0 * (a + b), m2 = m0 * (a * a + a * b + b * b) / 3.0;
    sum[0] += m0;
    sum[1 + i] += m0 * x;
    sum[1 + j] += m0 * y;
    sum[1 + k] += m1;
    sum[second[i][i]] += m0 * x * x;
    sum[second[j][j]] += m0 * y * y;
    sum[second[i][j]] += m0 * x * y;
    sum[second[i][k]] += m1 * x;
    sum[second[j][k]] += m1 * y;
    sum[second[k][k]] += m2;
}

// nodes and weights of Gauss' quadrature over [-1/2, 1/2]
static const double node[3] = {-0.3872983346207417, 0.0, 0.3872983346207417};
static const double weight[3] = {0.2777777777777778, 0.4444444444444444, 0.2777777777777778};

// the part of a cube where value + g . x <= 0, as nine columns along the axis of the largest g
static void add_cut_cube(const double middle[3], double side, double value, const double g[3],
                         double sum[TAC_MOMENTS]) {
    int k = fabs(g[0]) > fabs(g[1]) ? 0 : 1;
    if (fabs(g[2]) > fabs(g[k])) k = 2;
    double half = 0.5 * side, slope = g[k];
    momentColumn c = {.middle = {middle[0], middle[1], middle[2]}, .axis = k};
    for (int n = 0; n < 9; ++n) {
        c.u = side * node[n % 3];
        c.v = side * node[n / 3];
        c.w = side * side * weight[n % 3] * weight[n / 3];
        double at = value + g[(k + 1) % 3] * c.u + g[(k + 2) % 3] * c.v;
        c.a = -half;
        c.b = half;
        if (fabs(slope) > 0.0) {
            double root = fmin(fmax(-at / slope, -half), half);
            *(slope > 0.0 ? &c.b : &c.a) = root;
        } else if (at > 0.0) {
            c.b = -half;
        }
        if (c.b > c.a) add_column(&c, sum);
    }
}

//---------------------------------- cells ----------------------------------------

static void cell_middle(const octree* o, const octreeCell* cell, double x[3]) {
    for (int k = 0; k < 3; ++k) x[k] = o->low[k] + o->side * (cell->at[k] + 0.5);
}

static void about_middle(const octree* o, const double x[3], double middle[3]) {
    for (int k = 0; k < 3; ++k) middle[k] = x[k] - o->full.about[k];
}

// full cells to the sum, cells that are not proven to the front of the list
static void prove_cells(octree* o) {
    double x[3][CHUNK], outside[CHUNK], inside[CHUNK], needed = 1.001 * sqrt(0.75) * o->side;
    const double none[3] = {0.0, 0.0, 0.0};
    const tacShapeSampler* s = o->sampler;
    int kept = 0;
    for (int first = 0; first < o->count; first += CHUNK) {
        int n = o->count - first < CHUNK ? o->count - first : CHUNK;
        for (int i = 0; i < n; ++i) {
            double at[3];
            cell_middle(o, &o->cell[first + i], at);
            for (int k = 0; k < 3; ++k) x[k][i] = at[k];
        }
        tac_shape_sampler_free(s, n, (double* const[3]){x[0], x[1], x[2]}, outside, inside);
        for (int i = 0; i < n; ++i) {
            double at[3] = {x[0][i], x[1][i], x[2][i]}, middle[3];
            about_middle(o, at, middle);
            if (inside[i] > needed)
                add_cut_cube(middle, o->side, -1.0, none, o->full.sum);
            else if (!(outside[i] > needed))
                o->cell[kept++] = o->cell[first + i];
        }
    }
    o->count = kept;
}

// moments with every cell that is not proven cut by its plane
static void cut_cells(const octree* o, tacMoments* out) {
    double x[3][CHUNK], value[CHUNK], g[3][CHUNK];
    double *const points[3] = {x[0], x[1], x[2]}, *const slopes[3] = {g[0], g[1], g[2]};
    *out = o->full;
    out->proven = o->full.sum[0];
    for (int first = 0; first < o->count; first += CHUNK) {
        int n = o->count - first < CHUNK ? o->count - first : CHUNK;
        for (int i = 0; i < n; ++i) {
            double at[3];
            cell_middle(o, &o->cell[first + i], at);
            for (int k = 0; k < 3; ++k) x[k][i] = at[k];
        }
        tac_shape_sampler_eval(o->sampler, n, points, value, slopes);
        for (int i = 0; i < n; ++i) {
            double at[3] = {x[0][i], x[1][i], x[2][i]}, middle[3];
            const double slope[3] = {g[0][i], g[1][i], g[2][i]};
            about_middle(o, at, middle);
            add_cut_cube(middle, o->side, value[i], slope, out->sum);
        }
    }
}

static tacResult halve_cells(octree* o) {
    if (8.0 * o->count > MOST_CELLS) return TAC_ERROR_UNSOLVED;
    octreeCell* half = TAC_REGION_ALLOC(&o->blocks, octreeCell, 8 * o->count + 1);
    if (!half) return TAC_ERROR_MEMORY;
    for (int i = 0; i < 8 * o->count; ++i)
        for (int k = 0; k < 3; ++k)
            half[i].at[k] = (short)(2 * o->cell[i / 8].at[k] + (i >> k & 1));
    o->cell = half;
    o->count *= 8;
    o->side *= 0.5;
    return TAC_OK;
}

//---------------------------------- levels ---------------------------------------

static tacResult root_cells(octree* o) {
    const tacShapeSampler* s = o->sampler;
    int n[3], total = 1;
    o->side = s->size / ROOT_CELLS;
    for (int k = 0; k < 3; ++k) {
        double width = s->high[k] - s->low[k];
        n[k] = (int)ceil(width / o->side * (1.0 - 1e-12)) + 1;
        o->low[k] = s->low[k] - 0.5 * (n[k] * o->side - width);
        o->full.about[k] = 0.5 * (s->low[k] + s->high[k]);
        total *= n[k];
    }
    o->cell = TAC_REGION_ALLOC(&o->blocks, octreeCell, total);
    if (!o->cell) return TAC_ERROR_MEMORY;
    for (int i = 0; i < total; ++i)
        o->cell[i] =
            (octreeCell){{(short)(i % n[0]), (short)(i / n[0] % n[1]), (short)(i / n[0] / n[1])}};
    o->count = total;
    return TAC_OK;
}

// errors of h^2 cancel in (4 M(h/2) - M(h))/3
static tacMoments extrapolate(const tacMoments* coarse, const tacMoments* fine) {
    tacMoments out = *fine;
    for (int m = 0; m < TAC_MOMENTS; ++m) out.sum[m] += (fine->sum[m] - coarse->sum[m]) / 3.0;
    return out;
}

static tacResult refine_levels(octree* o, int (*next)(void* user, const tacMoments* moments),
                               void* user) {
    tacMoments last = {.proven = 0.0};
    tacResult result = root_cells(o);
    for (int level = 0; level <= LEVELS && result == TAC_OK; ++level) {
        tacMoments now;
        if (level > 0 && (result = halve_cells(o)) != TAC_OK) break;
        prove_cells(o);
        if (level < FIRST_LEVEL) continue;
        cut_cells(o, &now);
        tacMoments best = extrapolate(&last, &now);
        if (level > FIRST_LEVEL && next(user, &best)) return TAC_OK;
        last = now;
    }
    return result == TAC_OK ? TAC_ERROR_UNSOLVED : result;
}

tacResult tac_octree_moments(const tacShapeSampler* sampler,
                             int (*next)(void* user, const tacMoments* moments), void* user) {
    octree o = {.sampler = sampler, .blocks = {sampler->model->allocator, NULL, (size_t)1 << 30}};
    tacResult result = refine_levels(&o, next, user);
    tac_region_release(&o.blocks);
    return result;
}
