// Marching tetrahedra: from signs at the nodes of a lattice to a closed surface.
//
// Each cube is six tetrahedra around its diagonal, the same in every cube, so that faces match. A
// tetrahedron has at most one patch, a triangle or two: the surface cannot intersect itself,
// whatever the field does in between, and each of its edges has two faces.

#include "mesh/surface/surface.h"

#include <math.h>
#include <string.h>

#define MIN_NODE_SHARE 0.12

// tetrahedra by corners of the cube (bit k: one step along axis k); odd ones are mirrored
static const int corner[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7},
                                 {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 4, 6, 7}};

// which edges of a node cross (bit d: towards the corner d of its cube), and the first one's number
typedef struct marchEdges {
    const tacLattice* lattice;
    unsigned char* mask;
    int* first;
    int step[8]; // index of corner d relative to corner 0
} marchEdges;

static int count_bits(int mask) { return __builtin_popcount((unsigned)mask); }

//---------------------------------- edges ----------------------------------------

static int is_last(const tacLattice* l, int node) {
    return node % l->n[0] == l->n[0] - 1 || node / l->stride[1] % l->n[1] == l->n[1] - 1 ||
           node / l->stride[2] == l->n[2] - 1;
}

// the border is outside, so that edges from the last nodes never cross; returns the count
static int mark_edges(marchEdges* e) {
    int total = tac_lattice_count(e->lattice), count = 0;
    const double* value = e->lattice->value;
    for (int node = 0; node < total; ++node) {
        e->first[node] = count;
        if (is_last(e->lattice, node)) continue;
        for (int d = 1; d < 8; ++d)
            if (tac_is_inside(value[node]) != tac_is_inside(value[node + e->step[d]])) {
                e->mask[node] |= (unsigned char)(1 << d);
                ++count;
            }
    }
    return count;
}

static tacResult list_edges(const marchEdges* e, int count, tacCrossings* c, tacRegion* blocks) {
    tacResult result = tac_crossings_create(c, count, blocks);
    if (result != TAC_OK) return result;
    int total = tac_lattice_count(e->lattice), at = 0;
    for (int node = 0; node < total; ++node)
        for (int d = 1; d < 8; ++d)
            if (e->mask[node] >> d & 1) {
                c->node[at] = node;
                c->to[at++] = node + e->step[d];
            }
    return tac_crossings_solve(e->lattice, 0.0, c, blocks);
}

//---------------------------------- triangles ------------------------------------

// output of triangles; start NULL only counts them
typedef struct marchOut {
    int count;
    int* start;
} marchOut;

// vertex on the edge between corners a and b of the cube at `node`
static int vertex_on(const marchEdges* e, int node, int a, int b) {
    int from = node + e->step[a & b], d = (a | b) & ~(a & b);
    return e->first[from] + count_bits(e->mask[from] & ((1 << d) - 1));
}

static void emit_triangle(marchOut* out, int a, int b, int c, int mirrored) {
    if (out->start) {
        int* start = &out->start[3 * out->count];
        start[0] = a;
        start[1] = mirrored ? c : b;
        start[2] = mirrored ? b : c;
    }
    ++out->count;
}

// Corners inside first, then those outside: p. An even order of a tetrahedron that is not mirrored
// has the patches as written here outward.
static void march_tetrahedron(const marchEdges* e, int node, int t, marchOut* out) {
    int p[4], inside = 0, at = 0, odd = t >= 3;
    for (int pass = 1; pass >= 0; --pass)
        for (int i = 0; i < 4; ++i) {
            double value = e->lattice->value[node + e->step[corner[t][i]]];
            if (tac_is_inside(value) == pass) {
                p[at++] = i;
                inside += pass;
            }
        }
    if (inside == 0 || inside == 4) return;
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j) odd ^= p[i] > p[j];
    int c[4];
    for (int i = 0; i < 4; ++i) c[i] = corner[t][p[i]];
    if (inside == 1)
        emit_triangle(out, vertex_on(e, node, c[0], c[1]), vertex_on(e, node, c[0], c[2]),
                      vertex_on(e, node, c[0], c[3]), odd);
    if (inside == 3)
        emit_triangle(out, vertex_on(e, node, c[3], c[0]), vertex_on(e, node, c[3], c[1]),
                      vertex_on(e, node, c[3], c[2]), odd);
    if (inside == 2) {
        int q[4] = {vertex_on(e, node, c[0], c[2]), vertex_on(e, node, c[0], c[3]),
                    vertex_on(e, node, c[1], c[3]), vertex_on(e, node, c[1], c[2])};
        emit_triangle(out, q[0], q[1], q[2], odd);
        emit_triangle(out, q[0], q[2], q[3], odd);
    }
}

static int march_cubes(const marchEdges* e, int* start) {
    marchOut out = {0, start};
    int total = tac_lattice_count(e->lattice);
    for (int node = 0; node < total; ++node) {
        if (is_last(e->lattice, node)) continue;
        int inside = 0;
        for (int d = 0; d < 8; ++d) inside += tac_is_inside(e->lattice->value[node + e->step[d]]);
        for (int t = 0; t < 6 && inside > 0 && inside < 8; ++t) march_tetrahedron(e, node, t, &out);
    }
    return out.count;
}

//---------------------------------- surface --------------------------------------

static tacResult alloc_surface(tacSurface* s, int nv, int nt, tacRegion* blocks) {
    *s = (tacSurface){.nv = nv, .nt = nt};
    s->x = tac_region_alloc(blocks, (size_t)nv, sizeof *s->x);
    s->normal = tac_region_alloc(blocks, (size_t)nv, sizeof *s->normal);
    s->root = tac_region_alloc(blocks, (size_t)nv, sizeof *s->root);
    s->start = TAC_REGION_ALLOC(blocks, int, 3 * nt);
    s->twin = TAC_REGION_ALLOC(blocks, int, 3 * nt);
    s->out = TAC_REGION_ALLOC(blocks, int, nv);
    int missing = !s->x || !s->normal || !s->root || !s->start || !s->twin || !s->out;
    return missing ? TAC_ERROR_MEMORY : TAC_OK;
}

// Near a node many vertices would form slivers: they stay away from it by a share of the edge,
// off the surface, until decimation makes room to project them.
static void move_off_node(const tacLattice* l, const tacCrossings* c, int i, double x[3]) {
    double p[3], q[3], direction[3], rel[3];
    tac_lattice_point(l, c->node[i], p);
    tac_lattice_point(l, c->to[i], q);
    tac_sub3(q, p, direction);
    tac_sub3(x, p, rel);
    double t = tac_dot3(rel, direction) / tac_dot3(direction, direction);
    if (t >= MIN_NODE_SHARE && t <= 1.0 - MIN_NODE_SHARE) return;
    t = t < 0.5 ? MIN_NODE_SHARE : 1.0 - MIN_NODE_SHARE;
    for (int k = 0; k < 3; ++k) x[k] = p[k] + t * direction[k];
}

// positions, and unit normals at the roots
static tacResult position_vertices(const tacLattice* lattice, const tacCrossings* c, tacSurface* s,
                                   tacRegion* blocks) {
    double *value = TAC_REGION_ALLOC(blocks, double, c->count), *g[3];
    int missing = !value;
    for (int k = 0; k < 3; ++k) missing |= !(g[k] = TAC_REGION_ALLOC(blocks, double, c->count));
    if (missing) return TAC_ERROR_MEMORY;
    tac_shape_sampler_eval(lattice->sampler, c->count, c->x, value, g);
    for (int i = 0; i < c->count; ++i) {
        double length = sqrt(g[0][i] * g[0][i] + g[1][i] * g[1][i] + g[2][i] * g[2][i]);
        for (int k = 0; k < 3; ++k) {
            s->x[i][k] = s->root[i][k] = c->x[k][i];
            s->normal[i][k] = length > 0.0 ? g[k][i] / length : 0.0;
        }
        move_off_node(lattice, c, i, s->x[i]);
    }
    return TAC_OK;
}

tacResult tac_marching_tetrahedra(const tacLattice* lattice, int with_positions, tacRegion* blocks,
                                  tacSurface* out) {
    marchEdges e = {.lattice = lattice};
    tacCrossings c;
    int total = tac_lattice_count(lattice);
    e.mask = TAC_REGION_ALLOC(blocks, unsigned char, total);
    e.first = TAC_REGION_ALLOC(blocks, int, total);
    if (!e.mask || !e.first) return TAC_ERROR_MEMORY;
    for (int d = 0; d < 8; ++d)
        for (int k = 0; k < 3; ++k) e.step[d] += (d >> k & 1) * lattice->stride[k];
    int count = mark_edges(&e);
    if (count == 0) return TAC_ERROR_VALUE;
    tacResult result = alloc_surface(out, count, march_cubes(&e, NULL), blocks);
    if (result != TAC_OK) return result;
    march_cubes(&e, out->start);
    result = tac_surface_link_twins(out, blocks);
    if (result == TAC_OK && with_positions) result = list_edges(&e, count, &c, blocks);
    return result == TAC_OK && with_positions ? position_vertices(lattice, &c, out, blocks)
                                              : result;
}
