// Merging of coplanar triangles.
//
// A facet grows from its largest triangle over neighbours whose vertices are near the plane of that
// triangle. Slivers, whose planes are inaccurate, start no facet if they fit into another.
// Each plane is then moved out to the furthest point of the whole hull, so that it bounds all
// points however the merging went.

#include "mesh/convex/facets.h"

#include "math/array3.h"
#include "mesh/convex/support_tree.h"

#include <math.h>
#include <string.h>

typedef struct plane {
    double normal[3]; // length 1
    double height;    // of the triangle over its longest edge
    double area2;     // twice its area
} plane;

typedef struct merger {
    const tacQuickhull* hull;
    double tolerance, sliver;
    plane* plane; // of each triangle                                      (ntriangle)
    int* order;   // triangles by falling area                             (ntriangle)
    int* region;  // triangle -> its region, -1: none yet                  (ntriangle)
    int* seed;    // region -> the triangle that gives its plane           (ntriangle)
    int* stack;   // triangles whose neighbours are to be visited          (ntriangle)
    int* edge;    // region -> one of its border edges, 3 triangle + side  (ntriangle)
    int* borders; // region -> number of its border edges                  (ntriangle)
    int* loops;   // point -> number of regions that meet there            (points)
    int* visited; // point -> last region whose border visited it, -1: none (points)
    int* used;    // point -> 1 if a triangle has it                       (points)
    int regions;
} merger;

static const double* point_at(const merger* m, int i) { return m->hull->point + 3 * (size_t)i; }

//---------------------------------- planes ---------------------------------------

static double edge_length(const double* a, const double* b) {
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(tac_dot3(d, d));
}

static plane make_plane(const double* a, const double* b, const double* c) {
    plane s;
    double u[3], v[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    for (int k = 0; k < 3; ++k)
        s.normal[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    double largest = fmax(fabs(s.normal[0]), fmax(fabs(s.normal[1]), fabs(s.normal[2])));
    double longest = fmax(edge_length(a, b), fmax(edge_length(b, c), edge_length(c, a)));
    if (largest == 0.0) return (plane){{0.0, 0.0, 1.0}, 0.0, 0.0}; // degenerate: any normal
    for (int k = 0; k < 3; ++k) s.normal[k] /= largest; // squares of small numbers would underflow
    double length = sqrt(tac_dot3(s.normal, s.normal));
    for (int k = 0; k < 3; ++k) s.normal[k] /= length;
    s.area2 = largest * length;
    s.height = s.area2 / longest;
    return s;
}

// how far a point is above the plane of a triangle
static double height_above(const merger* m, int triangle, int p) {
    const double *n = m->plane[triangle].normal, *x = point_at(m, p);
    const double* a = point_at(m, m->hull->triangle[triangle].corner[0]);
    double d[3] = {x[0] - a[0], x[1] - a[1], x[2] - a[2]};
    return tac_dot3(n, d);
}

//---------------------------------- order ----------------------------------------

// larger area first, then smaller number
static int comes_before(const merger* m, int a, int b) {
    double x = m->plane[a].area2, y = m->plane[b].area2;
    return x != y ? x > y : a < b;
}

static void sift_down_triangle(const merger* m, int* heap, int i, int count) {
    for (int child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && comes_before(m, heap[child], heap[child + 1])) ++child;
        if (!comes_before(m, heap[i], heap[child])) return;
        int swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

// heap sort: in place
static void sort_order(merger* m) {
    int count = m->hull->ntriangle;
    for (int i = 0; i < count; ++i) m->order[i] = i;
    for (int i = count / 2 - 1; i >= 0; --i) sift_down_triangle(m, m->order, i, count);
    for (int last = count - 1; last > 0; --last) {
        int swap = m->order[0];
        m->order[0] = m->order[last];
        m->order[last] = swap;
        sift_down_triangle(m, m->order, 0, last);
    }
}

//---------------------------------- regions --------------------------------------

// Does a triangle fit into the region of this seed? Its vertices are near the plane and, unless it
// is too thin, its normal has the same direction.
static int fits_region(const merger* m, int triangle, int seed, double tolerance) {
    const plane* s = &m->plane[triangle];
    if (s->height > tolerance && tac_dot3(s->normal, m->plane[seed].normal) < 0.5) return 0;
    for (int k = 0; k < 3; ++k)
        if (fabs(height_above(m, seed, m->hull->triangle[triangle].corner[k])) > tolerance)
            return 0;
    return 1;
}

static void grow_region(merger* m, int seed) {
    int r = m->regions++, top = 0;
    m->seed[r] = seed;
    m->region[seed] = r;
    m->stack[top++] = seed;
    while (top) {
        const tacHullTriangle* triangle = &m->hull->triangle[m->stack[--top]];
        for (int k = 0; k < 3; ++k) {
            int other = triangle->neighbour[k];
            if (m->region[other] >= 0 || !fits_region(m, other, seed, m->tolerance)) continue;
            m->region[other] = r;
            m->stack[top++] = other;
        }
    }
}

// a sliver goes to a neighbouring region whose plane is near enough, else it becomes one
static void absorb_sliver(merger* m, int triangle) {
    for (int k = 0; k < 3; ++k) {
        int r = m->region[m->hull->triangle[triangle].neighbour[k]];
        if (r < 0 || !fits_region(m, triangle, m->seed[r], 4.0 * m->tolerance)) continue;
        m->region[triangle] = r;
        return;
    }
    grow_region(m, triangle);
}

static void find_regions(merger* m) {
    int count = m->hull->ntriangle;
    for (int i = 0; i < count; ++i) {
        const int* c = m->hull->triangle[i].corner;
        m->plane[i] = make_plane(point_at(m, c[0]), point_at(m, c[1]), point_at(m, c[2]));
        m->region[i] = -1;
    }
    sort_order(m);
    for (int i = 0; i < count; ++i)
        if (m->region[m->order[i]] < 0 && m->plane[m->order[i]].height > m->sliver)
            grow_region(m, m->order[i]);
    for (int i = 0; i < count; ++i)
        if (m->region[m->order[i]] < 0) absorb_sliver(m, m->order[i]);
}

//---------------------------------- borders --------------------------------------

// an edge is 3 triangle + side
static int edge_start(const merger* m, int edge) {
    return m->hull->triangle[edge / 3].corner[edge % 3];
}

static int edge_across(const merger* m, int edge) {
    return m->hull->triangle[edge / 3].neighbour[edge % 3];
}

static int next_side(int edge) { return edge / 3 * 3 + (edge + 1) % 3; }

// the same edge seen from the other triangle
static int twin_edge(const merger* m, int edge) {
    int other = edge_across(m, edge), end = edge_start(m, next_side(edge));
    int side = 0;
    while (side < 2 && m->hull->triangle[other].corner[side] != end) ++side;
    return 3 * other + side;
}

static int is_border(const merger* m, int edge) {
    return m->region[edge_across(m, edge)] != m->region[edge / 3];
}

// the border edge of the same region that starts where this one ends
static int next_border(const merger* m, int edge) {
    edge = next_side(edge);
    while (!is_border(m, edge)) edge = next_side(twin_edge(m, edge));
    return edge;
}

static void find_borders(merger* m) {
    memset(m->borders, 0, sizeof(int) * (size_t)m->hull->ntriangle);
    for (int e = 0; e < 3 * m->hull->ntriangle; ++e)
        if (is_border(m, e)) {
            int r = m->region[e / 3];
            m->edge[r] = e;
            ++m->borders[r];
        }
}

// the border of a region is one loop that visits each point once
static int is_simple(merger* m, int r) {
    int e = m->edge[r], length = 0;
    do {
        int p = edge_start(m, e);
        if (m->visited[p] == r) return 0;
        m->visited[p] = r;
        ++length;
        e = next_border(m, e);
    } while (e != m->edge[r]);
    return length == m->borders[r];
}

// Merging within a tolerance may give a ring or a pinched region: then its triangles stay separate.
static void split_rings(merger* m) {
    int regions = m->regions, split = 0;
    memset(m->visited, -1, sizeof(int) * (size_t)m->hull->count);
    find_borders(m);
    for (int r = 0; r < regions; ++r) {
        m->stack[r] = m->borders[r] == 0 || !is_simple(m, r);
        split |= m->stack[r];
    }
    for (int t = 0; split && t < m->hull->ntriangle; ++t) {
        int r = m->region[t];
        if (r >= regions || !m->stack[r] || t == m->seed[r]) continue;
        m->seed[m->regions] = t;
        m->region[t] = m->regions++;
    }
    if (split) find_borders(m);
}

//---------------------------------- corners --------------------------------------

// A point of two regions lies on their common edge and is not a vertex; `loops` >= 3 marks the
// vertices. A region that has fewer than three keeps all of its points.
static void mark_corners(merger* m) {
    memset(m->loops, 0, sizeof(int) * (size_t)m->hull->count);
    for (int e = 0; e < 3 * m->hull->ntriangle; ++e)
        if (is_border(m, e)) ++m->loops[edge_start(m, e)];
    for (int r = 0; r < m->regions; ++r) {
        int corners = 0, e = m->edge[r];
        do {
            corners += m->loops[edge_start(m, e)] >= 3;
            e = next_border(m, e);
        } while (e != m->edge[r]);
        if (corners >= 3) continue;
        do {
            m->loops[edge_start(m, e)] = 3;
            e = next_border(m, e);
        } while (e != m->edge[r]);
    }
}

static void write_polygon(const merger* m, int r, tacFacets* out) {
    int e = m->edge[r];
    out->first[r] = out->ncorner;
    do {
        int p = edge_start(m, e);
        if (m->loops[p] >= 3) out->corner[out->ncorner++] = p;
        e = next_border(m, e);
    } while (e != m->edge[r]);
}

static void mark_used(merger* m) {
    memset(m->used, 0, sizeof(int) * (size_t)m->hull->count);
    for (int t = 0; t < m->hull->ntriangle; ++t)
        for (int k = 0; k < 3; ++k) m->used[m->hull->triangle[t].corner[k]] = 1;
}

//---------------------------------- all of it ------------------------------------

static void* alloc_array(const merger* m, size_t size, size_t count) {
    return m->hull->allocator.allocate(m->hull->allocator.user, size * (count + 1));
}

static int alloc_merger(merger* m) {
    size_t triangles = (size_t)m->hull->ntriangle, points = (size_t)m->hull->count;
    m->plane = alloc_array(m, sizeof(plane), triangles);
    int** lists[] = {&m->order, &m->region, &m->seed, &m->stack, &m->edge, &m->borders};
    int** maps[] = {&m->loops, &m->visited, &m->used};
    int fine = m->plane != NULL;
    for (int i = 0; i < 6 && fine; ++i)
        fine = (*lists[i] = alloc_array(m, sizeof(int), triangles)) != 0;
    for (int i = 0; i < 3 && fine; ++i)
        fine = (*maps[i] = alloc_array(m, sizeof(int), points)) != 0;
    return fine;
}

static void free_merger(const merger* m) {
    void* blocks[] = {m->plane, m->order,   m->region, m->seed,    m->stack,
                      m->edge,  m->borders, m->loops,  m->visited, m->used};
    tacAllocator a = m->hull->allocator;
    for (int i = 0; i < 10; ++i)
        if (blocks[i]) a.release(a.user, blocks[i]);
}

static int alloc_facets(const merger* m, tacFacets* out) {
    size_t regions = (size_t)m->regions, corners = 3 * (size_t)m->hull->ntriangle;
    return (out->normal = alloc_array(m, 3 * sizeof(double), regions)) != 0 &&
           (out->highest = alloc_array(m, sizeof(int), regions)) != 0 &&
           (out->first = alloc_array(m, sizeof(int), regions)) != 0 &&
           (out->corner = alloc_array(m, sizeof(int), corners)) != 0;
}

static void write_facets(merger* m, const tacSupportTree* tree, tacFacets* out) {
    mark_corners(m);
    for (int r = 0; r < m->regions; ++r) {
        const double* n = m->plane[m->seed[r]].normal;
        memcpy(out->normal + 3 * (size_t)r, n, 3 * sizeof(double));
        out->highest[r] = tac_support_tree_find(tree, n, m->hull->triangle[m->seed[r]].corner[0],
                                                1e-15 * m->hull->size);
        write_polygon(m, r, out);
    }
    out->count = m->regions;
    out->first[m->regions] = out->ncorner;
}

tacResult tac_facets_create(const tacQuickhull* hull, double tolerance, tacFacets* out) {
    merger m = {.hull = hull, .tolerance = tolerance};
    m.sliver = fmax(4.0 * tolerance, 1e-8 * hull->size);
    *out = (tacFacets){0};
    tacSupportTree tree = {0};
    int fine = alloc_merger(&m);
    if (fine) {
        find_regions(&m);
        split_rings(&m);
        mark_used(&m);
        fine = alloc_facets(&m, out) &&
               tac_support_tree_create(&tree, hull->point, m.used, hull->count, hull->allocator);
    }
    if (fine) write_facets(&m, &tree, out);
    tac_support_tree_free(&tree, hull->allocator);
    free_merger(&m);
    if (!fine) tac_facets_free(out, hull->allocator);
    return fine ? TAC_OK : TAC_ERROR_MEMORY;
}

void tac_facets_free(tacFacets* facets, tacAllocator allocator) {
    void* blocks[] = {facets->normal, facets->highest, facets->first, facets->corner};
    for (int i = 0; i < 4; ++i)
        if (blocks[i]) allocator.release(allocator.user, blocks[i]);
    *facets = (tacFacets){0};
}
