// Closed surfaces of quads: a box, and a ball made of a cube.

#ifndef TAC_MESH_SURFACE_QUAD_MESH_H
#define TAC_MESH_SURFACE_QUAD_MESH_H

#include "mesh/io/soup.h"

typedef struct tacQuadMesh {
    double half[3]; // sizes [m]
    int faces;      // about how many; cells are as square as the sides allow
    int is_ball;    // 1: a ball of radius half[0], its cells of about equal size
} tacQuadMesh;

// NULL if there is no memory; give it to tac_soup_destroy
tacSoup* tac_quad_mesh_create(tacQuadMesh quads, tacAllocator allocator);

#endif
