// Fewer and better triangles for a surface, which stays closed and free of self-intersection.

#ifndef TAC_MESH_SIMPLIFY_H
#define TAC_MESH_SIMPLIFY_H

#include "mesh/collide.h"
#include "mesh/quadric.h"

// a surface in work
typedef struct tacRemesh {
    const tacSolid* solid;
    tacSurface* surface;
    tacGrid grid;
    tacQuadric* quadric; // (nv)
    unsigned char* off;  // tac_settle could not bring it down  (nv)
    tacBlocks* blocks;
    tacWatch watch;
} tacRemesh;

tacResult tac_remesh_create(tacRemesh* r, const tacSolid* solid, tacSurface* s, tacBlocks* blocks);

// is a triangle, changed from `before`, still turned the same way?
int tac_keeps_side(const tacSurface* s, const tacTriangle* before, const tacTriangle* after);

// does a triangle look along the field's normal at one of its corners at least?
int tac_looks_out(const tacSurface* s, const tacTriangle* t);

// collapses edges down to `vertices`, or as far as can be
tacResult tac_simplify(tacRemesh* r, int vertices);

// brings vertices onto the zero level; returns how many cannot go there, or -1 without memory
int tac_settle(tacRemesh* r);

// takes vertices away that are off the zero level or at an inward triangle; returns how many such
// there were
int tac_mend(tacRemesh* r);

// turns edges and moves vertices on the zero level towards equal sides
tacResult tac_relax(tacRemesh* r, int turns);

#endif
