// Fewer and better triangles for a surface, which stays closed and free of self-intersection.

#ifndef TAC_MESH_SURFACE_REMESH_H
#define TAC_MESH_SURFACE_REMESH_H

#include "mesh/surface/quadric.h"
#include "mesh/surface/triangle_grid.h"

// a surface in work
typedef struct tacRemesh {
    const tacShapeSampler* sampler;
    tacSurface* surface;
    tacTriangleGrid grid;
    tacQuadric* quadric; // (nv)
    unsigned char* off;  // tac_remesh_project could not bring it down  (nv)
    tacRegion* blocks;
    tacProgressCallback callback;
} tacRemesh;

tacResult tac_remesh_create(tacRemesh* r, const tacShapeSampler* sampler, tacSurface* s,
                            tacRegion* blocks);

// is a triangle, changed from `before`, still turned the same way?
int tac_keeps_orientation(const tacSurface* s, const tacTriangle* before, const tacTriangle* after);

// does a triangle look along the field's normal at one of its corners at least?
int tac_faces_outward(const tacSurface* s, const tacTriangle* t);

// collapses edges down to `vertices`, or as far as can be
tacResult tac_remesh_decimate(tacRemesh* r, int vertices);

// brings vertices onto the zero level; returns how many cannot go there, or -1 without memory
int tac_remesh_project(tacRemesh* r);

// takes vertices away that are off the zero level or at an inward triangle; returns how many such
// there were
int tac_remesh_repair(tacRemesh* r);

// turns edges and moves vertices on the zero level towards equal sides
tacResult tac_remesh_relax(tacRemesh* r, int iterations);

#endif
