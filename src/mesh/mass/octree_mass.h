// Volume, centre and inertia of a shape to a few digits, by cubes that a plane cuts.

#ifndef TAC_MESH_MASS_OCTREE_MASS_H
#define TAC_MESH_MASS_OCTREE_MASS_H

#include "mesh/surface/lattice.h"

// integrals over the solid of 1, x, y, z, xx, yy, zz, xy, xz, yz about a point
enum { TAC_MOMENTS = 10 };
typedef struct tacMoments {
    double about[3];
    double sum[TAC_MOMENTS];
    double proven; // volume of cells that are proven to be inside
} tacMoments;

// Moments on finer and finer levels of an octree. `next` is called with the extrapolated moments of
// each level from the second on, and returns 1 to stop. TAC_ERROR_MEMORY without memory,
// TAC_ERROR_UNSOLVED where the finest level that is worth its time did not stop.
tacResult tac_octree_moments(const tacShapeSampler* sampler,
                             int (*next)(void* user, const tacMoments* moments), void* user);

#endif
