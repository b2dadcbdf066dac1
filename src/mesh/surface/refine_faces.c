// Faces of a closed surface, split until their centres stand for the surface.
//
// The field of a cloud is close to the plane of the nearest centre (docs/scm.md). So each face must
// be nearer to its own centre than to centres of other sides: a face is split, and the one with
// the wrong centre, where a place on it is nearer to a plane that does not go through it.

#include "mesh/surface/refine_faces.h"

#include "math/array3.h"
#include "mesh/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROUNDS 7
#define COPLANAR   1e-6 // 1 - cosine of two normals that count as equal
#define FINEST     12.0 // a thin part is split to this part of the spacing at most
#define OPPOSED    0.03 // error that counts where the other side faces away, of the spacing
#define ALONG      0.05 // likewise of a smaller face that does not, of the length of the face
#define UNEQUAL    1.6  // ratio of lengths from which on a face is smaller
#define ASPECT     2.0  // cells of a quad are at most so much longer than wide

typedef struct splitFace {
    double x[4][3];
    int corners;
    double centre[3], normal[3], area;
} splitFace;

typedef struct faceSplitter {
    const tacRefinement* refinement;
    tacRegion blocks;
    splitFace* face;
    int count, capacity;
} faceSplitter;

//---------------------------------- one face -------------------------------------

static double side_length(const splitFace* f, int k) {
    return sqrt(tac_distance2_3(f->x[k], f->x[(k + 1) % f->corners]));
}

static double longest_side(const splitFace* f, int* at) {
    double most = -1.0;
    for (int k = 0; k < f->corners; ++k)
        if (side_length(f, k) > most * (1.0 + 1e-9)) {
            most = side_length(f, k);
            *at = k;
        }
    return most;
}

static void cross_edges(const double o[3], const double a[3], const double b[3], double n[3]) {
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = (a[i] - o[i]) * (b[j] - o[j]) - (a[j] - o[j]) * (b[i] - o[i]);
    }
}

// centre of gravity of the triangles of a fan, normal and area
static void measure_face(splitFace* f) {
    double sum[3] = {0}, total = 0.0, n[3] = {0};
    for (int k = 1; k + 1 < f->corners; ++k) {
        double one[3];
        cross_edges(f->x[0], f->x[k], f->x[k + 1], one);
        for (int j = 0; j < 3; ++j) n[j] += one[j];
    }
    double length = sqrt(tac_dot3(n, n));
    for (int j = 0; j < 3; ++j) f->normal[j] = length > 0.0 ? n[j] / length : 0.0;
    for (int k = 1; k + 1 < f->corners; ++k) {
        double one[3];
        cross_edges(f->x[0], f->x[k], f->x[k + 1], one);
        double weight = tac_dot3(one, f->normal);
        for (int j = 0; j < 3; ++j)
            sum[j] += weight * (f->x[0][j] + f->x[k][j] + f->x[k + 1][j]) / 3.0;
        total += weight;
    }
    for (int j = 0; j < 3; ++j) f->centre[j] = total > 0.0 ? sum[j] / total : f->x[0][j];
    f->area = 0.5 * length;
}

static splitFace* add_face(faceSplitter* s) {
    if (s->count == s->capacity) {
        int capacity = 2 * s->capacity + 64;
        splitFace* face = TAC_REGION_ALLOC(&s->blocks, splitFace, capacity);
        if (!face) return NULL;
        if (s->count) memcpy(face, s->face, sizeof *face * (size_t)s->count);
        s->face = face;
        s->capacity = capacity;
    }
    return &s->face[s->count++];
}

static void middle_of(const double a[3], const double b[3], double m[3]) {
    for (int k = 0; k < 3; ++k) m[k] = 0.5 * (a[k] + b[k]);
}

// halves a face across its longest side; a quad also across the side opposite to it
static int halve_face(faceSplitter* s, int at) {
    int k = 0;
    longest_side(&s->face[at], &k);
    splitFace old = s->face[at], *half = add_face(s);
    if (!half) return 0;
    splitFace* first = &s->face[at];
    int n = old.corners;
    const double *a = old.x[k], *b = old.x[(k + 1) % n], *c = old.x[(k + 2) % n];
    double m[3], o[3];
    middle_of(a, b, m);
    *first = *half = old;
    if (n == 3) {
        memcpy(first->x[(k + 1) % 3], m, sizeof m);
        memcpy(half->x[k], m, sizeof m);
    } else {
        middle_of(c, old.x[(k + 3) % 4], o);
        memcpy(first->x[(k + 1) % 4], m, sizeof m);
        memcpy(first->x[(k + 2) % 4], o, sizeof o);
        memcpy(half->x[k], m, sizeof m);
        memcpy(half->x[(k + 3) % 4], o, sizeof o);
    }
    measure_face(first);
    measure_face(half);
    return 1;
}

//---------------------------------- spacing --------------------------------------

// cells along a side, of about the spacing, or less where they would be long and narrow
static int cells_of(double side, double other, double spacing) {
    double across = fmax(other, spacing / FINEST);
    double cells = fmax(side / spacing, across < spacing ? side / (ASPECT * across) : 0.0);
    return cells > 1.45 ? (int)lround(cells) : 1;
}

// a point of the bilinear surface through the corners of a quad
static void quad_point(const splitFace* f, double u, double v, double x[3]) {
    for (int k = 0; k < 3; ++k)
        x[k] = (1.0 - u) * ((1.0 - v) * f->x[0][k] + v * f->x[3][k]) +
               u * ((1.0 - v) * f->x[1][k] + v * f->x[2][k]);
}

// a quad as a grid of cells that are as square as it allows
static int grid_quad(faceSplitter* s, int at) {
    splitFace old = s->face[at];
    double h = s->refinement->spacing;
    double a = fmax(side_length(&old, 0), side_length(&old, 2)),
           b = fmax(side_length(&old, 1), side_length(&old, 3));
    int n = cells_of(a, b, h), m = cells_of(b, a, h);
    if ((double)n * m > s->refinement->most) return 1;
    for (int i = 0; i < n * m; ++i) {
        splitFace* f = i == 0 ? &s->face[at] : add_face(s);
        if (!f) return 0;
        static const int square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
        *f = (splitFace){.corners = 4};
        for (int k = 0; k < 4; ++k)
            quad_point(&old, (double)(i % n + square[k][0]) / n, (double)(i / n + square[k][1]) / m,
                       f->x[k]);
        measure_face(f);
    }
    return 1;
}

// An equilateral triangle of area a has sides of 1.52 sqrt(a), one of a halved square 2 sqrt(a).
static int split_long_faces(faceSplitter* s) {
    double longest = 2.1 * s->refinement->spacing;
    int quads = s->count, k;
    for (int i = 0; i < quads; ++i)
        if (s->face[i].corners == 4 && !grid_quad(s, i)) return 0;
    for (int i = 0; i < s->count;) {
        if (s->face[i].corners == 3 && longest_side(&s->face[i], &k) > longest &&
            s->count < s->refinement->most) {
            if (!halve_face(s, i)) return 0;
        } else {
            ++i;
        }
    }
    return 1;
}

//---------------------------------- quads ----------------------------------------

// a side of a triangle, sorted by its two vertices
typedef struct triangleSide {
    int low, high, triangle, side;
} triangleSide;

static int compare_sides(const void* a, const void* b) {
    const triangleSide *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static void corner_points(const tacSoup* soup, int face, splitFace* f) {
    int first = soup->first[face];
    f->corners = soup->first[face + 1] - first;
    for (int k = 0; k < f->corners; ++k)
        memcpy(f->x[k], &soup->vertex[3 * (size_t)soup->corner[first + k]], 3 * sizeof(double));
    measure_face(f);
}

// The quad of two triangles that share a side: rectangular to 25 degrees at each corner?
static int join_triangles(const splitFace* a, int side, const splitFace* b, int other,
                          splitFace* out) {
    if (!(tac_dot3(a->normal, b->normal) > 1.0 - COPLANAR)) return 0;
    out->corners = 4;
    memcpy(out->x[0], a->x[side], sizeof out->x[0]);
    memcpy(out->x[1], b->x[(other + 2) % 3], sizeof out->x[0]);
    memcpy(out->x[2], a->x[(side + 1) % 3], sizeof out->x[0]);
    memcpy(out->x[3], a->x[(side + 2) % 3], sizeof out->x[0]);
    for (int k = 0; k < 4; ++k) {
        double u[3], v[3];
        for (int j = 0; j < 3; ++j) {
            u[j] = out->x[(k + 1) % 4][j] - out->x[k][j];
            v[j] = out->x[(k + 3) % 4][j] - out->x[k][j];
        }
        if (!(fabs(tac_dot3(u, v)) <= 0.42 * sqrt(tac_dot3(u, u) * tac_dot3(v, v)))) return 0;
    }
    measure_face(out);
    return 1;
}

// sides of the soup's triangles in order, so that those of one side stand together
static triangleSide* sort_sides(faceSplitter* s, const tacSoup* soup, int* count) {
    triangleSide* side = TAC_REGION_ALLOC(&s->blocks, triangleSide, soup->ncorner + 1);
    *count = 0;
    for (int f = 0; side && f < soup->nface; ++f) {
        int first = soup->first[f];
        if (soup->first[f + 1] - first != 3) continue;
        for (int k = 0; k < 3; ++k) {
            int a = soup->corner[first + k], b = soup->corner[first + (k + 1) % 3];
            side[(*count)++] = (triangleSide){a < b ? a : b, a < b ? b : a, f, k};
        }
    }
    if (side) qsort(side, (size_t)*count, sizeof *side, compare_sides);
    return side;
}

// faces of a soup; faces of more than four corners as their triangles
static int add_polygons(faceSplitter* s, const tacSoup* soup, const char* joined) {
    for (int f = 0; f < soup->nface; ++f) {
        int corners = soup->first[f + 1] - soup->first[f];
        if (corners > 4 || (joined && joined[f])) continue;
        splitFace* face = add_face(s);
        if (!face) return 0;
        *face = (splitFace){0};
        corner_points(soup, f, face);
    }
    for (int t = 0; t < soup->ntriangle; ++t) {
        int f = soup->triangle_face[t];
        if (soup->first[f + 1] - soup->first[f] <= 4) continue;
        splitFace* face = add_face(s);
        if (!face) return 0;
        *face = (splitFace){.corners = 3};
        for (int k = 0; k < 3; ++k)
            memcpy(face->x[k], &soup->vertex[3 * (size_t)soup->triangle[3 * t + k]],
                   3 * sizeof(double));
        measure_face(face);
    }
    return 1;
}

// pairs of triangles whose quad is rectangular, in the order of their sides; then all others
static int add_soup(faceSplitter* s, const tacSoup* soup) {
    int count;
    triangleSide* side = sort_sides(s, soup, &count);
    char* joined = TAC_REGION_ALLOC(&s->blocks, char, soup->nface + 1);
    if (!side || !joined) return 0;
    for (int i = 0; i + 1 < count; ++i) {
        splitFace a, b, quad;
        const triangleSide *p = &side[i], *q = p + 1;
        if (p->low != q->low || p->high != q->high || joined[p->triangle] || joined[q->triangle])
            continue;
        corner_points(soup, p->triangle, &a);
        corner_points(soup, q->triangle, &b);
        memset(&quad, 0, sizeof quad);
        if (!join_triangles(&a, p->side, &b, q->side, &quad)) continue;
        splitFace* face = add_face(s);
        if (!face) return 0;
        *face = quad;
        joined[p->triangle] = joined[q->triangle] = 1;
    }
    return add_polygons(s, soup, joined);
}

//---------------------------------- nearest centre -------------------------------

// centres in cubic cells of the spacing: a hash table of lists
typedef struct centreGrid {
    const faceSplitter* s;
    double cell;
    int *head, *next;
    unsigned mask;
} centreGrid;

static unsigned cell_hash(const int c[3], unsigned mask) {
    return ((unsigned)c[0] * 73856093u ^ (unsigned)c[1] * 19349663u ^ (unsigned)c[2] * 83492791u) &
           mask;
}

static void cell_of(const centreGrid* g, const double x[3], int c[3]) {
    for (int k = 0; k < 3; ++k) c[k] = (int)floor(fmin(fmax(x[k] / g->cell, -1e9), 1e9));
}

static int fill_grid(centreGrid* g, faceSplitter* s) {
    unsigned size = 64;
    while (size < 2u * (unsigned)s->count) size *= 2;
    *g = (centreGrid){.s = s, .cell = s->refinement->spacing, .mask = size - 1};
    g->head = TAC_REGION_ALLOC(&s->blocks, int, size);
    g->next = TAC_REGION_ALLOC(&s->blocks, int, s->count);
    if (!g->head || !g->next) return 0;
    for (unsigned i = 0; i < size; ++i) g->head[i] = -1;
    for (int i = s->count - 1; i >= 0; --i) {
        int c[3];
        cell_of(g, s->face[i].centre, c);
        unsigned at = cell_hash(c, g->mask);
        g->next[i] = g->head[at];
        g->head[at] = i;
    }
    return 1;
}

// the face whose centre is nearest to a place of face `own`
static int nearest_centre(const centreGrid* g, const double x[3], int own) {
    double square = tac_distance2_3(x, g->s->face[own].centre), low[3], high[3];
    int from[3], to[3], c[3], best = own;
    for (int k = 0; k < 3; ++k) {
        low[k] = x[k] - sqrt(square);
        high[k] = x[k] + sqrt(square);
    }
    cell_of(g, low, from);
    cell_of(g, high, to);
    for (c[0] = from[0]; c[0] <= to[0]; ++c[0])
        for (c[1] = from[1]; c[1] <= to[1]; ++c[1])
            for (c[2] = from[2]; c[2] <= to[2]; ++c[2])
                for (int i = g->head[cell_hash(c, g->mask)]; i >= 0; i = g->next[i]) {
                    double d = tac_distance2_3(x, g->s->face[i].centre);
                    if (d < square * (1.0 - 1e-9)) {
                        square = d;
                        best = i;
                    }
                }
    return best;
}

// places of a face: near its corners and the middles of its sides
static void face_place(const splitFace* f, int k, double x[3]) {
    const double *a = f->x[k / 2], *b = f->x[(k / 2 + k % 2) % f->corners];
    for (int j = 0; j < 3; ++j) x[j] = 0.2 * f->centre[j] + 0.8 * 0.5 * (a[j] + b[j]);
}

// Error of the plane of the nearest centre at a place of a face. It counts if that centre is on a
// side that faces away, or if it is nearer because its face is smaller. Centres of triangles of
// equal size stand at different distances from an edge at any size.
static double place_error(const centreGrid* g, int own, const double x[3], int* other) {
    const splitFace *f = &g->s->face[own], *o;
    int k = 0;
    *other = nearest_centre(g, x, own);
    o = &g->s->face[*other];
    double off = 0.0, length = longest_side(f, &k), smaller = longest_side(o, &k);
    for (k = 0; k < 3; ++k) off += o->normal[k] * (x[k] - o->centre[k]);
    if (tac_dot3(f->normal, o->normal) < -0.1)
        return fabs(off) > OPPOSED * g->s->refinement->spacing ? fabs(off) : 0.0;
    return length > UNEQUAL * smaller && fabs(off) > ALONG * length ? fabs(off) : 0.0;
}

//---------------------------------- thin parts -----------------------------------

// the face, and the other one unless it is the smaller
static void mark_face(const faceSplitter* s, int i, int other, char* mark) {
    int k = 0;
    double least = s->refinement->spacing / FINEST;
    double length = longest_side(&s->face[i], &k), smaller = longest_side(&s->face[other], &k);
    if (length > least && !(smaller > UNEQUAL * length)) mark[i] = 1;
    if (smaller > least && !(length > UNEQUAL * smaller)) mark[other] = 1;
}

// marks faces that must be split; also the worst error, and where
static int mark_faces(faceSplitter* s, char* mark, tacRefinedFaces* out) {
    centreGrid grid;
    int marked = 0;
    if (!fill_grid(&grid, s)) return -1;
    out->wrong = 0.0;
    for (int i = 0; i < s->count; ++i)
        for (int k = 0; k < 2 * s->face[i].corners; ++k) {
            double x[3];
            int other;
            face_place(&s->face[i], k, x);
            double error = place_error(&grid, i, x, &other);
            if (!(error > 0.0)) continue;
            if (error > out->wrong) {
                out->wrong = error;
                memcpy(out->worst, x, sizeof x);
            }
            mark_face(s, i, other, mark);
        }
    for (int i = 0; i < s->count; ++i) marked += mark[i];
    return marked;
}

static tacResult split_thin_parts(faceSplitter* s, tacRefinedFaces* out) {
    for (int round = 0; round <= MAX_ROUNDS; ++round) {
        char* mark = TAC_REGION_ALLOC(&s->blocks, char, s->count + 1);
        int marked = mark ? mark_faces(s, mark, out) : -1, count = s->count;
        if (marked < 0) return TAC_ERROR_MEMORY;
        if (marked == 0 || round == MAX_ROUNDS || count + marked > s->refinement->most) break;
        for (int i = 0; i < count; ++i)
            if (mark[i] && !halve_face(s, i)) return TAC_ERROR_MEMORY;
    }
    return TAC_OK;
}

//---------------------------------- all faces ------------------------------------

static void project_points(const faceSplitter* s, int count, double* point, double* normal) {
    const tacSurfaceProjection* surface = &s->refinement->surface;
    if (surface->project) surface->project(surface->user, count, point, normal);
}

// faces without area, of corners on one line, have no normal
static int has_normal(const faceSplitter* s, const splitFace* f) {
    double h = s->refinement->spacing;
    return f->area > 1e-12 * h * h;
}

static tacResult store_faces(const faceSplitter* s, tacAllocator allocator, tacRefinedFaces* out) {
    size_t n = (size_t)s->count, count = 0;
    int k = 0;
    out->allocator = allocator;
    out->centre = allocator.allocate(allocator.user, sizeof(double) * 8 * (n + 1));
    if (!out->centre) return TAC_ERROR_MEMORY;
    out->normal = out->centre + 3 * n;
    out->area = out->normal + 3 * n;
    out->length = out->area + n;
    for (size_t i = 0; i < n; ++i) {
        if (!has_normal(s, &s->face[i])) continue;
        memcpy(out->centre + 3 * count, s->face[i].centre, 3 * sizeof(double));
        memcpy(out->normal + 3 * count, s->face[i].normal, 3 * sizeof(double));
        out->area[count] = s->face[i].area;
        out->length[count++] = longest_side(&s->face[i], &k);
    }
    out->count = (int)count;
    project_points(s, out->count, out->centre, out->normal);
    return TAC_OK;
}

tacResult tac_refine_faces(const tacSoup* soup, tacRefinement refinement, tacAllocator allocator,
                           tacRefinedFaces* out) {
    faceSplitter s = {.refinement = &refinement, .blocks = {allocator, NULL, (size_t)1 << 32}};
    memset(out, 0, sizeof *out);
    tacResult result = add_soup(&s, soup) && split_long_faces(&s) ? TAC_OK : TAC_ERROR_MEMORY;
    if (result == TAC_OK) result = split_thin_parts(&s, out);
    if (result == TAC_OK) result = store_faces(&s, allocator, out);
    tac_region_release(&s.blocks);
    return result;
}

void tac_refined_faces_release(tacRefinedFaces* faces) {
    if (faces->centre) faces->allocator.release(faces->allocator.user, faces->centre);
    faces->centre = NULL;
}
