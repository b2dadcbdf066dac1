// A closed surface of triangles that changes: half-edges, collapses, flips.
//
// Half-edge h is side h % 3 of triangle h / 3 and goes from start[h] to start[next(h)]. Every one
// has a twin that goes the other way. A dead triangle has start -1, a dead vertex out -1.

#ifndef TAC_MESH_SURFACE_SURFACE_H
#define TAC_MESH_SURFACE_SURFACE_H

#include "math/array3.h"
#include "mesh/surface/lattice.h"

// neighbours that a vertex may have
#define TAC_MAX_VALENCE 40

typedef struct tacSurface {
    int nv, nt;              // lengths of the arrays, dead ones included
    int vertices, triangles; // alive
    double (*x)[3];          // vertices                        (nv)
    double (*normal)[3];     // of the field there, length 1    (nv)
    double (*root)[3];       // where lattice edges crossed it  (nv)
    int *start, *twin;       // (3 nt)
    int* out;                // a half-edge that leaves         (nv)
} tacSurface;

// a triangle by its vertices and their positions
typedef struct tacTriangle {
    int v[3];
    double x[3][3];
} tacTriangle;

static inline int tac_halfedge_next(int h) { return h % 3 == 2 ? h - 2 : h + 1; }
static inline int tac_halfedge_previous(int h) { return h % 3 == 0 ? h + 2 : h - 1; }
static inline int tac_halfedge_end(const tacSurface* s, int h) {
    return s->start[tac_halfedge_next(h)];
}

// Twins from triangles. TAC_ERROR_UNSOLVED if some edge has not exactly two faces of opposite
// direction, or a vertex not exactly one fan.
tacResult tac_surface_link_twins(tacSurface* s, tacRegion* blocks);

// half-edges that leave v, in turn; their number, or -1 if there are more than TAC_MAX_VALENCE
int tac_surface_ring(const tacSurface* s, int v, int ring[TAC_MAX_VALENCE]);

tacTriangle tac_surface_triangle(const tacSurface* s, int t);

// vertices - edges + faces, and the number of components
int tac_surface_euler(const tacSurface* s);
int tac_surface_components(const tacSurface* s, tacRegion* blocks);

// Removes components of fewer vertices, unless all are so small: a lattice makes specks
// where it crosses a thin edge.
tacResult tac_surface_drop_small_components(tacSurface* s, int min_vertices, tacRegion* blocks);

// may start[h] collapse into the end of h so that the surface stays manifold?
int tac_surface_can_collapse(const tacSurface* s, int h);
void tac_surface_collapse(tacSurface* s, int h);

// may the edge of h be flipped to join the two opposite vertices?
int tac_surface_can_flip(const tacSurface* s, int h);
void tac_surface_flip(tacSurface* s, int h);

// twice the area times the unit normal
void tac_triangle_area_vector(const tacTriangle* t, double out[3]);

// 4 sqrt(3) area/sum of squared sides: 1 for equal sides, 0 for none
double tac_triangle_quality(const tacTriangle* t);

// like fmin and fmax without their rules for NaN, and faster
static inline double tac_min(double a, double b) { return a < b ? a : b; }
static inline double tac_max(double a, double b) { return a > b ? a : b; }

// Marching tetrahedra on a lattice: closed, oriented, without self-intersection by construction,
// vertices at the roots or close to them; only connectivity unless `with_positions`.
// TAC_ERROR_VALUE if the surface does not cross the lattice.
tacResult tac_marching_tetrahedra(const tacLattice* lattice, int with_positions, tacRegion* blocks,
                                  tacSurface* out);

// Moves a point onto the zero level by Newton steps along the gradient, at most `max_step` each, to
// 1e-7 of the size, and gives the unit normal there; 0 if that failed.
int tac_project_point(const tacShapeSampler* sampler, double x[3], double normal[3],
                      double max_step);

#endif
