// A cubic lattice around a solid: values of the field at its nodes, and roots on its edges.
//
// Neighbours: marching_tetrahedra.c makes triangles of it, soup_mass.c integrals.

#ifndef TAC_MESH_SURFACE_LATTICE_H
#define TAC_MESH_SURFACE_LATTICE_H

#include "mesh/region.h"
#include "tactus/mesh.h"
#include "tactus/shape.h"

// a shape at a pose, with memory to evaluate it
// progress callback
typedef struct tacProgressCallback {
    void (*progress)(void* user, double done); // NULL: none
    void* user;
} tacProgressCallback;

typedef struct tacShapeSampler {
    const tacModel* model; // a copy with the shape alone and without truncation
    int shape;
    tacModel model_copy;
    tacShape shape_copy;
    tacPose pose; // moves the center of its ball to the origin, where coordinates are most accurate
    tacScratch* scratch;
    double low[3], high[3]; // a box that contains it
    double size;            // longest side of the box
    int is_estimated;       // 1: free balls are half of the field, without proof (large clouds)
} tacShapeSampler;

typedef struct tacLattice {
    const tacShapeSampler* sampler;
    double low[3], step;
    int n[3];      // nodes
    int stride[3]; // index = x + n[0] (y + n[1] z)
    double* value; // (n[0] n[1] n[2]), positive on the border
} tacLattice;

// many edges of a lattice that the surface crosses, and then the points where it does
typedef struct tacCrossings {
    int count;
    int *node, *to; // ends of the edge
    double* x[3];   // the root
} tacCrossings;

// Finds the box, with the solid rotated by `rotation`; wrong calls and unbounded shapes give a
// message. The caller destroys sampler->scratch.
tacResult tac_shape_sampler_open(const tacModel* model, int shape, tacQuat rotation,
                                 tacShapeSampler* sampler, tacMessage* message);

// Radii of balls about points that the solid does not enter (outside), and that it does not leave
// (inside), 0 where there are none. Proven, but of clouds of many points, whose proof takes a
// thousand times as long as their field: half of that is taken there. Counts up to 512.
void tac_shape_sampler_free(const tacShapeSampler* sampler, int count, double* const x[3],
                            double* outside, double* inside);

// values at count points, and gradients unless g is NULL
void tac_shape_sampler_eval(const tacShapeSampler* sampler, int count, double* const x[3],
                            double* value, double* const g[3]);

// a lattice with about `cells` cells along the longest side, offset by a share of a cell that
// depends on `cells`
tacResult tac_lattice_fill(const tacShapeSampler* sampler, int cells, tacRegion* blocks,
                           tacLattice* out);

// memory for crossings
tacResult tac_crossings_create(tacCrossings* c, int count, tacRegion* blocks);

// roots of all crossings, between the values at their nodes, to |value| <= close, or to rounding
tacResult tac_crossings_solve(const tacLattice* lattice, double close, tacCrossings* c,
                              tacRegion* blocks);

static inline int tac_is_inside(double value) { return value < 0.0; }

static inline int tac_lattice_count(const tacLattice* l) { return l->n[0] * l->n[1] * l->n[2]; }

static inline void tac_lattice_point(const tacLattice* l, int node, double x[3]) {
    int i[3] = {node % l->n[0], node / l->stride[1] % l->n[1], node / l->stride[2]};
    for (int k = 0; k < 3; ++k) x[k] = l->low[k] + l->step * i[k];
}

#endif
