// A closed surface of triangles that changes: half-edges, collapses, flips.
//
// Half-edge h is side h % 3 of triangle h / 3 and goes from start[h] to start[next(h)]. Every one
// has a twin that goes the other way. A dead triangle has start -1, a dead vertex out -1.

#ifndef TAC_MESH_SURFACE_H
#define TAC_MESH_SURFACE_H

#include "mesh/lattice.h"

// neighbours that a vertex may have
#define TAC_RING 40

typedef struct tacSurface {
    int nv, nt;              // lengths of the arrays, dead ones included
    int vertices, triangles; // alive
    double (*x)[3];          // vertices                        (nv)
    double (*normal)[3];     // of the field there, length 1    (nv)
    double (*root)[3];       // where lattice vertices met it   (nv)
    int *start, *twin;       // (3 nt)
    int* out;                // a half-edge that leaves         (nv)
} tacSurface;

// a triangle by its vertices and where they are, or would be
typedef struct tacTriangle {
    int v[3];
    double x[3][3];
} tacTriangle;

static inline int tac_next(int h) { return h % 3 == 2 ? h - 2 : h + 1; }
static inline int tac_previous(int h) { return h % 3 == 0 ? h + 2 : h - 1; }
static inline int tac_end(const tacSurface* s, int h) { return s->start[tac_next(h)]; }

// Twins from triangles. TAC_ERROR_UNSOLVED if some edge has not exactly two faces of opposite
// direction, or a vertex not exactly one fan.
tacResult tac_surface_join(tacSurface* s, tacBlocks* blocks);

// half-edges that leave v, in turn; their number, or -1 if there are more than TAC_RING
int tac_ring(const tacSurface* s, int v, int ring[TAC_RING]);

tacTriangle tac_triangle(const tacSurface* s, int t);

// vertices - edges + faces, and the number of pieces
int tac_surface_euler(const tacSurface* s);
int tac_surface_pieces(const tacSurface* s, tacBlocks* blocks);

// Takes pieces of less than so many vertices away, unless all are so small: a lattice makes specks
// where it meets a thin edge.
tacResult tac_surface_drop_specks(tacSurface* s, int least, tacBlocks* blocks);

// may start[h] be moved into the end of h so that the surface stays one?
int tac_can_collapse(const tacSurface* s, int h);
void tac_collapse(tacSurface* s, int h);

// may the edge of h be turned to join the two opposite vertices?
int tac_can_flip(const tacSurface* s, int h);
void tac_flip(tacSurface* s, int h);

// twice the area times the unit normal
void tac_area_vector(const tacTriangle* t, double out[3]);

// 4 sqrt(3) area/sum of squared sides: 1 for equal sides, 0 for none
double tac_quality(const tacTriangle* t);

// like fmin and fmax, which a compiler must not put in place
static inline double tac_least(double a, double b) { return a < b ? a : b; }
static inline double tac_most(double a, double b) { return a > b ? a : b; }

static inline double tac_dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void tac_cross3(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void tac_sub3(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = a[k] - b[k];
}

// Marching tetrahedra on a lattice: closed, oriented, without self-intersection by construction,
// vertices at the roots or a little beside them, or nowhere yet unless `placed`. TAC_ERROR_VALUE if
// the surface does not meet the lattice.
tacResult tac_march(const tacLattice* lattice, int placed, tacBlocks* blocks, tacSurface* out);

// Moves points onto the zero level by Newton steps along the gradient, at most `far` each, and
// gives unit normals there; moved[i] = 0 where that failed.
tacResult tac_project(const tacSolid* solid, int count, double* const x[3], double* const normal[3],
                      double far, unsigned char* moved, tacBlocks* blocks);

// the same for one point, to 1e-7 of the size; returns whether it got there
int tac_project_one(const tacSolid* solid, double x[3], double normal[3], double far);

#endif
