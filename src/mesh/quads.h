// Closed surfaces of quads: a box, and a ball made of a cube.

#ifndef TAC_MESH_QUADS_H
#define TAC_MESH_QUADS_H

#include "mesh/soup.h"

typedef struct tacQuads {
    double half[3]; // sizes [m]
    int faces;      // about how many; cells are as square as the sides allow
    int round;      // 1: a ball of radius half[0], its cells of about equal size
} tacQuads;

// NULL if there is no memory; give it to tac_soup_destroy
tacSoup* tac_quads_create(tacQuads quads, tacAllocator allocator);

#endif
