// Fewer and better triangles for a surface, which stays closed and free of self-intersection.

#ifndef TAC_MESH_SURFACE_REMESH_H
#define TAC_MESH_SURFACE_REMESH_H

#include "mesh/surface/quadric.h"
#include "mesh/surface/triangle_grid.h"

// a surface while it is remeshed
typedef struct tacRemesh {
    const tacShapeSampler* sampler;
    tacSurface* surface;
    tacTriangleGrid grid;
    tacQuadric* quadric; // (nv)
    unsigned char* off;  // tac_remesh_project failed for it             (nv)
    tacRegion* blocks;
    tacProgressCallback callback;
} tacRemesh;

tacResult tac_remesh_create(tacRemesh* r, const tacShapeSampler* sampler, tacSurface* s,
                            tacRegion* blocks);

// does a triangle, changed from `before`, keep its orientation?
int tac_keeps_orientation(const tacSurface* s, const tacTriangle* before, const tacTriangle* after);

// does a triangle face along the field's normal at one of its vertices at least?
int tac_faces_outward(const tacSurface* s, const tacTriangle* t);

// collapses edges down to `vertices`, or as far as possible
tacResult tac_remesh_decimate(tacRemesh* r, int vertices);

// projects vertices to the zero level; returns for how many that failed, or -1 without memory
int tac_remesh_project(tacRemesh* r);

// removes vertices that are off the zero level or at an inward triangle; returns how many such
// there were
int tac_remesh_repair(tacRemesh* r);

// flips edges and moves vertices on the zero level towards regular triangles
tacResult tac_remesh_relax(tacRemesh* r, int iterations);

#endif
