// Triangles of a mesh as a tree of boxes: nearest hit of a ray, distance of a point.
//
//   tacTriangles --tac_draw_mesh_create--> tacDrawMesh --> trace.c, occlude.c
//
// Everything is in the frame of the mesh. Rotations keep lengths, so distances along a ray are
// those of the world.

#ifndef TAC_DRAW_TRIANGLES_H
#define TAC_DRAW_TRIANGLES_H

#include "tactus/shape.h"

#include "math/vec3.h"

typedef struct tacDrawMesh tacDrawMesh;

// NULL without memory.
tacDrawMesh* tac_draw_mesh_create(const tacTriangles* triangles, tacAllocator allocator);
void tac_draw_mesh_destroy(tacDrawMesh* mesh);

// ball around all vertices
tacBall tac_draw_mesh_ball(const tacDrawMesh* mesh);

// a ray, and the part of it that counts
typedef struct tacMeshRay {
    tacVec3 from, along; // along: unit
    double start, end;
} tacMeshRay;

// Nearest hit: 1, its distance and the normal there, towards the ray's origin; else 0. Of a closed
// mesh only faces towards the origin count, as a solid is seen from outside.
int tac_draw_mesh_hit(const tacDrawMesh* mesh, tacMeshRay ray, double* distance, tacVec3* normal);

// Does anything lie on the ray, seen from either side?
int tac_draw_mesh_blocks(const tacDrawMesh* mesh, tacMeshRay ray);

// distance of a point from the surface, or `max` if that is less
double tac_draw_mesh_distance(const tacDrawMesh* mesh, tacVec3 x, double max);

#endif
