// A closed surface of triangles that changes.

#include "mesh/surface/surface.h"

#include <math.h>

//---------------------------------- geometry -------------------------------------

void tac_triangle_area_vector(const tacTriangle* t, double out[3]) {
    double a[3], b[3];
    tac_sub3(t->x[1], t->x[0], a);
    tac_sub3(t->x[2], t->x[0], b);
    tac_cross3(a, b, out);
}

double tac_triangle_quality(const tacTriangle* t) {
    double area[3], side[3], sum = 0.0;
    tac_triangle_area_vector(t, area);
    for (int i = 0; i < 3; ++i) {
        tac_sub3(t->x[(i + 1) % 3], t->x[i], side);
        sum += tac_dot3(side, side);
    }
    return sum > 0.0 ? 2.0 * sqrt(3.0) * sqrt(tac_dot3(area, area)) / sum : 0.0;
}

tacTriangle tac_surface_triangle(const tacSurface* s, int t) {
    tacTriangle out;
    for (int i = 0; i < 3; ++i) {
        out.v[i] = s->start[3 * t + i];
        for (int k = 0; k < 3; ++k) out.x[i][k] = s->x[out.v[i]][k];
    }
    return out;
}

//---------------------------------- joining --------------------------------------

// the one half-edge from a to b, -1 for none or several; first, list: half-edges by their start
static int find_directed(const tacSurface* s, const int* first, const int* list, int a, int b) {
    int found = -1;
    for (int i = first[a]; i < first[a + 1]; ++i) {
        if (tac_halfedge_end(s, list[i]) != b) continue;
        if (found >= 0) return -1;
        found = list[i];
    }
    return found;
}

static int fan_length(const tacSurface* s, int v, int largest) {
    int h = s->out[v], length = 0;
    do {
        h = s->twin[tac_halfedge_previous(h)];
        ++length;
    } while (h != s->out[v] && length <= largest);
    return length;
}

tacResult tac_surface_link_twins(tacSurface* s, tacRegion* blocks) {
    int* first = TAC_REGION_ALLOC(blocks, int, s->nv + 2);
    int* list = TAC_REGION_ALLOC(blocks, int, 3 * s->nt);
    if (!first || !list) return TAC_ERROR_MEMORY;
    for (int h = 0; h < 3 * s->nt; ++h) ++first[s->start[h] + 2];
    for (int v = 0; v < s->nv; ++v) first[v + 2] += first[v + 1];
    for (int h = 0; h < 3 * s->nt; ++h) list[first[s->start[h] + 1]++] = h;
    for (int h = 0; h < 3 * s->nt; ++h) {
        s->twin[h] = find_directed(s, first, list, tac_halfedge_end(s, h), s->start[h]);
        if (s->twin[h] < 0 ||
            find_directed(s, first, list, s->start[h], tac_halfedge_end(s, h)) != h)
            return TAC_ERROR_UNSOLVED;
    }
    for (int v = 0; v < s->nv; ++v) {
        int degree = first[v + 1] - first[v];
        if (degree < 3) return TAC_ERROR_UNSOLVED;
        s->out[v] = list[first[v]];
        if (fan_length(s, v, degree) != degree) return TAC_ERROR_UNSOLVED;
    }
    s->vertices = s->nv;
    s->triangles = s->nt;
    return TAC_OK;
}

//---------------------------------- topology -------------------------------------

int tac_surface_ring(const tacSurface* s, int v, int ring[TAC_MAX_VALENCE]) {
    int h = s->out[v], count = 0;
    do {
        if (count == TAC_MAX_VALENCE) return -1;
        ring[count++] = h;
        h = s->twin[tac_halfedge_previous(h)];
    } while (h != s->out[v]);
    return count;
}

int tac_surface_euler(const tacSurface* s) { return s->vertices - s->triangles / 2; }

static int root_of(int* parent, int v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

// union-find: parent[v] is a vertex of the same component, in the end its first one
static int* join_components(const tacSurface* s, tacRegion* blocks) {
    int* parent = TAC_REGION_ALLOC(blocks, int, s->nv);
    if (!parent) return NULL;
    for (int v = 0; v < s->nv; ++v) parent[v] = v;
    for (int h = 0; h < 3 * s->nt; ++h) {
        if (s->start[h] < 0) continue;
        int a = root_of(parent, s->start[h]), b = root_of(parent, tac_halfedge_end(s, h));
        parent[a > b ? a : b] = a > b ? b : a;
    }
    return parent;
}

int tac_surface_components(const tacSurface* s, tacRegion* blocks) {
    int *parent = join_components(s, blocks), components = 0;
    if (!parent) return -1;
    for (int v = 0; v < s->nv; ++v) components += s->out[v] >= 0 && parent[v] == v;
    return components;
}

static void drop_vertices(tacSurface* s, const int* size, int* parent, int min_vertices) {
    for (int t = 0; t < s->nt; ++t) {
        if (s->start[3 * t] < 0 || size[root_of(parent, s->start[3 * t])] >= min_vertices) continue;
        for (int k = 0; k < 3; ++k) s->start[3 * t + k] = -1;
        --s->triangles;
    }
    for (int v = 0; v < s->nv; ++v) {
        if (s->out[v] < 0 || size[root_of(parent, v)] >= min_vertices) continue;
        s->out[v] = -1;
        --s->vertices;
    }
}

tacResult tac_surface_drop_small_components(tacSurface* s, int min_vertices, tacRegion* blocks) {
    int *parent = join_components(s, blocks), *size = TAC_REGION_ALLOC(blocks, int, s->nv),
        largest = 0;
    if (!parent || !size) return TAC_ERROR_MEMORY;
    for (int v = 0; v < s->nv; ++v)
        if (s->out[v] >= 0) ++size[root_of(parent, v)];
    for (int v = 0; v < s->nv; ++v) largest = size[v] > largest ? size[v] : largest;
    if (largest >= min_vertices) drop_vertices(s, size, parent, min_vertices);
    return TAC_OK;
}

//---------------------------------- collapse -------------------------------------

// link condition: the two vertices have exactly the two opposite ones as common neighbours
int tac_surface_can_collapse(const tacSurface* s, int h) {
    int v[TAC_MAX_VALENCE], u[TAC_MAX_VALENCE], side[TAC_MAX_VALENCE], common = 0;
    int nv = tac_surface_ring(s, s->start[h], v),
        nu = tac_surface_ring(s, tac_halfedge_end(s, h), u);
    if (nv < 0 || nu < 0 || nv + nu - 4 > TAC_MAX_VALENCE / 2) return 0;
    for (int i = 0; i < nv; ++i)
        for (int j = 0; j < nu; ++j)
            common += tac_halfedge_end(s, v[i]) == tac_halfedge_end(s, u[j]);
    if (common != 2) return 0;
    int a = s->start[tac_halfedge_previous(h)], b = s->start[tac_halfedge_previous(s->twin[h])];
    return tac_surface_ring(s, a, side) > 3 && tac_surface_ring(s, b, side) > 3;
}

// removes the triangle of h: its other two sides become twins
static void remove_triangle(tacSurface* s, int h) {
    int a = s->twin[tac_halfedge_next(h)], b = s->twin[tac_halfedge_previous(h)];
    s->twin[a] = b;
    s->twin[b] = a;
    s->out[s->start[a]] = a;
    s->out[s->start[b]] = b;
    int t = h / 3;
    for (int k = 0; k < 3; ++k) s->start[3 * t + k] = -1;
    --s->triangles;
}

void tac_surface_collapse(tacSurface* s, int h) {
    int ring[TAC_MAX_VALENCE], v = s->start[h], u = tac_halfedge_end(s, h), twin = s->twin[h];
    int count = tac_surface_ring(s, v, ring);
    for (int i = 0; i < count; ++i) s->start[ring[i]] = u;
    remove_triangle(s, h);
    remove_triangle(s, twin);
    s->out[v] = -1;
    --s->vertices;
}

//---------------------------------- flip -----------------------------------------

int tac_surface_can_flip(const tacSurface* s, int h) {
    int ring[TAC_MAX_VALENCE], a = s->start[tac_halfedge_previous(h)],
                               b = s->start[tac_halfedge_previous(s->twin[h])];
    if (tac_surface_ring(s, s->start[h], ring) < 4 ||
        tac_surface_ring(s, tac_halfedge_end(s, h), ring) < 4)
        return 0;
    int count = tac_surface_ring(s, b, ring);
    if (count < 0 || count > TAC_MAX_VALENCE / 2) return 0;
    count = tac_surface_ring(s, a, ring);
    if (count < 0 || count > TAC_MAX_VALENCE / 2) return 0;
    for (int i = 0; i < count; ++i)
        if (tac_halfedge_end(s, ring[i]) == b) return 0;
    return 1;
}

// (u v a), (v u b) -> (a b v), (b a u)
void tac_surface_flip(tacSurface* s, int h) {
    int g = s->twin[h], u = s->start[h], v = s->start[g];
    int h1 = tac_halfedge_next(h), h2 = tac_halfedge_previous(h), g1 = tac_halfedge_next(g),
        g2 = tac_halfedge_previous(g);
    int a = s->start[h2], b = s->start[g2];
    int va = s->twin[h1], au = s->twin[h2], ub = s->twin[g1], bv = s->twin[g2];
    s->start[h] = a;
    s->start[h1] = b;
    s->start[h2] = v;
    s->start[g] = b;
    s->start[g1] = a;
    s->start[g2] = u;
    s->twin[h1] = bv;
    s->twin[bv] = h1;
    s->twin[h2] = va;
    s->twin[va] = h2;
    s->twin[g1] = au;
    s->twin[au] = g1;
    s->twin[g2] = ub;
    s->twin[ub] = g2;
    s->out[a] = h;
    s->out[b] = g;
    s->out[v] = h2;
    s->out[u] = g2;
}
