// Fewer triangles: edges collapse into a point of the surface, cheapest first.
//
// A vertex keeps the tangent planes of those that collapsed into it, weighted by area. An edge
// collapses into the point closest to the planes of both its ends, projected to the zero level. It
// costs the squared distance from these planes, and a little for the distance moved, which keeps
// triangles regular where the surface is flat. A collapse must keep the surface closed, the
// orientation of the triangles and their shape, and must not make it intersect itself.

#include "mesh/surface/remesh.h"

#include <math.h>
#include <string.h>

#define MOVE_WEIGHT      0.02
#define MIN_NORMAL_COS   0.2 // between normals before and after
#define MIN_QUALITY      0.05
#define MIN_OUTWARDNESS  0.3  // least sum of three cosines with the field's normals
#define MIN_SHAPE_FACTOR 1.09 // of shape_factor

// Planes of all vertices of a triangle are added to each of them: a vertex beside a ridge has those
// of the other side.
tacResult tac_remesh_create(tacRemesh* r, const tacShapeSampler* sampler, tacSurface* s,
                            tacRegion* blocks) {
    *r = (tacRemesh){.sampler = sampler, .surface = s, .blocks = blocks};
    r->quadric = TAC_REGION_ALLOC(blocks, tacQuadric, s->nv);
    r->off = TAC_REGION_ALLOC(blocks, unsigned char, s->nv);
    if (!r->quadric || !r->off) return TAC_ERROR_MEMORY;
    for (int t = 0; t < s->nt; ++t) {
        if (s->start[3 * t] < 0) continue;
        tacTriangle triangle = tac_surface_triangle(s, t);
        tacQuadric all = {{0}, 0.0};
        double area[3];
        tac_triangle_area_vector(&triangle, area);
        double ninth = sqrt(tac_dot3(area, area)) / 18.0;
        for (int i = 0; i < 3; ++i) {
            int v = triangle.v[i];
            tac_quadric_add_plane(&all, s->normal[v], s->root[v], ninth);
        }
        for (int i = 0; i < 3; ++i) tac_quadric_add(&r->quadric[triangle.v[i]], &all);
    }
    tacResult result = tac_triangle_grid_create(&r->grid, s, blocks);
    if (result == TAC_OK) tac_triangle_grid_rebuild(&r->grid, s);
    return result;
}

//---------------------------------- queue ----------------------------------------

// edges by the cost of their collapse; slot[h] -1: not in the heap
typedef struct costHeap {
    int count;
    int *item, *slot;
    double* cost;
} costHeap;

// equal costs: smaller index first, so that the order is always the same
static int is_cheaper(const costHeap* h, int a, int b) {
    return h->cost[a] < h->cost[b] || (h->cost[a] == h->cost[b] && a < b);
}

static void heap_set(costHeap* h, int at, int v) {
    h->item[at] = v;
    h->slot[v] = at;
}

static void sift_heap(costHeap* h, int at) {
    int v = h->item[at];
    while (at > 0 && is_cheaper(h, v, h->item[(at - 1) / 2])) {
        heap_set(h, at, h->item[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (int child; (child = 2 * at + 1) < h->count; at = child) {
        if (child + 1 < h->count && is_cheaper(h, h->item[child + 1], h->item[child])) ++child;
        if (!is_cheaper(h, h->item[child], v)) break;
        heap_set(h, at, h->item[child]);
    }
    heap_set(h, at, v);
}

static void heap_remove(costHeap* h, int v) {
    int at = h->slot[v];
    if (at < 0) return;
    h->slot[v] = -1;
    int last = h->item[--h->count];
    if (last == v) return;
    heap_set(h, at, last);
    sift_heap(h, at);
}

static void heap_insert(costHeap* h, int v, double cost) {
    h->cost[v] = cost;
    if (h->slot[v] < 0) heap_set(h, h->count++, v);
    sift_heap(h, h->slot[v]);
}

static tacResult heap_create(costHeap* h, int count, tacRegion* blocks) {
    *h = (costHeap){.item = TAC_REGION_ALLOC(blocks, int, count),
                    .slot = TAC_REGION_ALLOC(blocks, int, count),
                    .cost = TAC_REGION_ALLOC(blocks, double, count)};
    if (!h->item || !h->slot || !h->cost) return TAC_ERROR_MEMORY;
    memset(h->slot, -1, sizeof(int) * (size_t)count);
    return TAC_OK;
}

//---------------------------------- cost -----------------------------------------

// Sum of the cosines between a triangle's normal and the field's at its vertices: -3 to 3.
static double outwardness(const tacSurface* s, const tacTriangle* t, const double area[3]) {
    double sum = 0.0, length = sqrt(tac_dot3(area, area));
    for (int i = 0; i < 3; ++i) sum += tac_dot3(area, s->normal[t->v[i]]);
    return length > 0.0 ? sum / length : -3.0;
}

int tac_faces_outward(const tacSurface* s, const tacTriangle* t) {
    double area[3];
    tac_triangle_area_vector(t, area);
    for (int i = 0; i < 3; ++i)
        if (tac_dot3(area, s->normal[t->v[i]]) > 0.0) return 1;
    return 0;
}

int tac_keeps_orientation(const tacSurface* s, const tacTriangle* previous,
                          const tacTriangle* after) {
    double old[3], now[3];
    tac_triangle_area_vector(previous, old);
    tac_triangle_area_vector(after, now);
    double length2 = tac_dot3(now, now), along = tac_dot3(old, now);
    if (!(length2 > 0.0)) return 0;
    double out = outwardness(s, after, now);
    if (!(out > MIN_OUTWARDNESS || out > outwardness(s, previous, old) - 1e-4)) return 0;
    // a sliver has no reliable normal
    if (tac_triangle_quality(previous) <= 0.02) return out > MIN_OUTWARDNESS;
    return along > 0.0 &&
           along * along > MIN_NORMAL_COS * MIN_NORMAL_COS * length2 * tac_dot3(old, old);
}

// an edge goes by the smaller of its half-edges
static int edge_of(const tacSurface* s, int h) { return h < s->twin[h] ? h : s->twin[h]; }

// cost of moving the ends of h to x, without triangle shapes
static double move_cost(const tacRemesh* r, int h, const double x[3]) {
    const tacSurface* s = r->surface;
    int v = s->start[h], u = tac_halfedge_end(s, h);
    const tacQuadric *q = &r->quadric[v], *p = &r->quadric[u];
    return tac_quadric_error(q, x) + tac_quadric_error(p, x) +
           MOVE_WEIGHT *
               (q->area * tac_distance2_3(x, s->x[v]) + p->area * tac_distance2_3(x, s->x[u]));
}

// the best position for both ends of h
static void best_position(const tacRemesh* r, int h, double x[3]) {
    const tacSurface* s = r->surface;
    const double *a = s->x[s->start[h]], *b = s->x[tac_halfedge_end(s, h)];
    tacQuadric sum = r->quadric[s->start[h]];
    tac_quadric_add(&sum, &r->quadric[tac_halfedge_end(s, h)]);
    double middle[3], side2 = tac_distance2_3(a, b);
    for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (a[k] + b[k]);
    tac_quadric_minimizer(&sum, middle, x);
    if (!(tac_distance2_3(x, middle) <= 4.0 * side2)) memcpy(x, middle, sizeof middle);
}

static double shape_factor(double quality) { return 1.0 + 0.09 / (quality * quality); }

// queues an edge with a lower bound of its cost
static void queue_edge(const tacRemesh* r, costHeap* heap, int h) {
    double x[3];
    best_position(r, h, x);
    heap_insert(heap, edge_of(r->surface, h), MIN_SHAPE_FACTOR * move_cost(r, h, x));
}

//---------------------------------- one collapse ---------------------------------

// a possible collapse: triangles that change, those that are removed, the new position
typedef struct edgeCollapse {
    int h, old_count, new_count, old[TAC_MAX_VALENCE];
    tacTriangle now[TAC_MAX_VALENCE];
    int at[TAC_MAX_VALENCE];   // corner of now[i] that moves
    int from[TAC_MAX_VALENCE]; // triangle that now[i] was
    double x[3], n[3];         // new position, and the normal there
    double old_quality;        // worst quality before
} edgeCollapse;

// triangles around one end; those of the other end are in its list already
static void list_ring(const tacSurface* s, const int* ring, int count, int other, edgeCollapse* c) {
    int u = tac_halfedge_end(s, c->h);
    for (int i = 0; i < count; ++i) {
        tacTriangle t = tac_surface_triangle(s, ring[i] / 3);
        int both = t.v[0] == other || t.v[1] == other || t.v[2] == other;
        c->old_quality = tac_min(c->old_quality, tac_triangle_quality(&t));
        if (both && other != u) continue;
        c->old[c->old_count++] = ring[i] / 3;
        if (both) continue;
        c->from[c->new_count] = ring[i] / 3;
        c->at[c->new_count] = ring[i] % 3;
        t.v[ring[i] % 3] = u;
        c->now[c->new_count++] = t;
    }
}

static int collapse_open(const tacSurface* s, int h, edgeCollapse* c) {
    int ring[TAC_MAX_VALENCE], v = s->start[h], u = tac_halfedge_end(s, h);
    if (!tac_surface_can_collapse(s, h)) return 0;
    *c = (edgeCollapse){.h = h, .old_quality = 1.0};
    int count = tac_surface_ring(s, v, ring);
    list_ring(s, ring, count, u, c);
    count = tac_surface_ring(s, u, ring);
    list_ring(s, ring, count, v, c);
    return 1;
}

// cost of the collapse to c->x; infinite if triangles would flip or degenerate
static double collapse_cost(const tacRemesh* r, edgeCollapse* c, int repairing) {
    const tacSurface* s = r->surface;
    double worst = 1.0;
    for (int i = 0; i < c->new_count; ++i) {
        tacTriangle old = tac_surface_triangle(s, c->from[i]);
        memcpy(c->now[i].x[c->at[i]], c->x, sizeof c->x);
        if (repairing ? !tac_faces_outward(s, &c->now[i])
                      : !tac_keeps_orientation(s, &old, &c->now[i]))
            return INFINITY;
        worst = tac_min(worst, tac_triangle_quality(&c->now[i]));
    }
    if (!(worst > 0.0) || (!repairing && worst < tac_min(MIN_QUALITY, c->old_quality)))
        return INFINITY;
    return move_cost(r, c->h, c->x) * shape_factor(worst);
}

// the best of: the minimizer, either end
static double choose_position(const tacRemesh* r, edgeCollapse* c) {
    const tacSurface* s = r->surface;
    int end[2] = {tac_halfedge_end(s, c->h), s->start[c->h]};
    double far = sqrt(tac_distance2_3(s->x[end[0]], s->x[end[1]])), cost = INFINITY;
    best_position(r, c->h, c->x);
    if (tac_project_point(r->sampler, c->x, c->n, far)) cost = collapse_cost(r, c, 0);
    for (int i = 0; i < 2 && !isfinite(cost); ++i) {
        memcpy(c->x, s->x[end[i]], sizeof c->x);
        memcpy(c->n, s->normal[end[i]], sizeof c->n);
        cost = collapse_cost(r, c, 0);
    }
    return cost;
}

static void do_collapse(tacRemesh* r, const edgeCollapse* c) {
    tacSurface* s = r->surface;
    int v = s->start[c->h], u = tac_halfedge_end(s, c->h);
    tac_surface_collapse(s, c->h);
    memcpy(s->x[u], c->x, sizeof c->x);
    memcpy(s->normal[u], c->n, sizeof c->n);
    tac_quadric_add(&r->quadric[u], &r->quadric[v]);
    for (int i = 0; i < c->new_count; ++i)
        if (!tac_triangle_grid_update(&r->grid, s, c->from[i])) {
            tac_triangle_grid_rebuild(&r->grid, s);
            break;
        }
}

//---------------------------------- all of them ----------------------------------

// edges that a collapse removes or joins
static void unqueue_edges(const tacSurface* s, costHeap* heap, int h) {
    int side[2] = {h, s->twin[h]};
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k) heap_remove(heap, edge_of(s, side[i] / 3 * 3 + k));
}

// edges of u have new costs; those that were impossible around it may be possible now
static void queue_ring(const tacRemesh* r, costHeap* heap, int u) {
    const tacSurface* s = r->surface;
    int ring[TAC_MAX_VALENCE], second[TAC_MAX_VALENCE], count = tac_surface_ring(s, u, ring);
    for (int i = 0; i < count; ++i) {
        queue_edge(r, heap, ring[i]);
        int n = tac_surface_ring(s, tac_halfedge_end(s, ring[i]), second);
        for (int k = 0; k < n; ++k)
            if (heap->slot[edge_of(s, second[k])] < 0) queue_edge(r, heap, second[k]);
    }
}

// collapses the cheapest edge if it can; returns whether it did
static int collapse_next(tacRemesh* r, costHeap* heap) {
    tacSurface* s = r->surface;
    edgeCollapse c;
    int h = heap->item[0], u = tac_halfedge_end(s, h);
    double cost = collapse_open(s, h, &c) ? choose_position(r, &c) : INFINITY;
    if (!isfinite(cost)) {
        heap_remove(heap, h);
        return 0;
    }
    if (cost > 1.05 * heap->cost[h]) {
        heap_insert(heap, h, cost);
        return 0;
    }
    heap_remove(heap, h); // queued again when its ring changes
    if (tac_triangle_grid_intersects(&r->grid, s, c.new_count, c.now, c.old_count, c.old)) return 0;
    unqueue_edges(s, heap, h);
    do_collapse(r, &c);
    queue_ring(r, heap, u);
    return 1;
}

// most of the work is here
static void report_progress(const tacRemesh* r, int first, int last) {
    int now = r->surface->vertices;
    if (r->callback.progress && now % 256 == 0 && first > last)
        r->callback.progress(r->callback.user, 0.1 + 0.8 * (first - now) / (first - last));
}

tacResult tac_remesh_decimate(tacRemesh* r, int vertices) {
    tacSurface* s = r->surface;
    int first = s->vertices;
    costHeap heap;
    tacResult result = heap_create(&heap, 3 * s->nt, r->blocks);
    if (result != TAC_OK) return result;
    for (int h = 0; h < 3 * s->nt; ++h)
        if (s->start[h] >= 0 && h < s->twin[h]) queue_edge(r, &heap, h);
    for (int sorted = s->vertices; s->vertices > vertices && heap.count > 0;) {
        if (!collapse_next(r, &heap)) continue;
        report_progress(r, first, vertices);
        if (s->vertices < sorted * 3 / 5) {
            tac_triangle_grid_rebuild(&r->grid, s);
            sorted = s->vertices;
        }
    }
    return TAC_OK;
}

//---------------------------------- repair ---------------------------------------

static int is_inward(const tacSurface* s, int t) {
    tacTriangle triangle = tac_surface_triangle(s, t);
    return !tac_faces_outward(s, &triangle);
}

static int needs_repair(const tacRemesh* r, int v) {
    int ring[TAC_MAX_VALENCE], count = tac_surface_ring(r->surface, v, ring), bad = r->off[v];
    for (int i = 0; i < count; ++i) bad |= is_inward(r->surface, ring[i] / 3);
    return bad;
}

// collapses v into the neighbour where that costs least; returns whether it could
static int remove_vertex(tacRemesh* r, int v) {
    tacSurface* s = r->surface;
    int ring[TAC_MAX_VALENCE], count = tac_surface_ring(s, v, ring);
    double least = INFINITY;
    edgeCollapse c, best;
    for (int i = 0; i < count; ++i) {
        int u = tac_halfedge_end(s, ring[i]);
        if (r->off[u] || !collapse_open(s, ring[i], &c)) continue;
        memcpy(c.x, s->x[u], sizeof c.x);
        memcpy(c.n, s->normal[u], sizeof c.n);
        double cost = collapse_cost(r, &c, 1);
        if (!(cost < least) ||
            tac_triangle_grid_intersects(&r->grid, s, c.new_count, c.now, c.old_count, c.old))
            continue;
        least = cost;
        best = c;
    }
    if (!isfinite(least)) return 0;
    do_collapse(r, &best);
    return 1;
}

int tac_remesh_repair(tacRemesh* r) {
    const tacSurface* s = r->surface;
    int bad = 0;
    tac_triangle_grid_rebuild(&r->grid, s);
    for (int v = 0; v < s->nv; ++v) {
        if (s->out[v] < 0 || !needs_repair(r, v)) continue;
        remove_vertex(r, v);
        ++bad;
    }
    return bad;
}
