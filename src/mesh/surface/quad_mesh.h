// Closed surfaces of quads: boxes, and ellipsoids, capsules and cylinders made of a cube.

#ifndef TAC_MESH_SURFACE_QUAD_MESH_H
#define TAC_MESH_SURFACE_QUAD_MESH_H

#include "mesh/io/soup.h"

typedef enum tacQuadKind {
    TAC_QUADS_BOX,       // half sides
    TAC_QUADS_ELLIPSOID, // semi-axes; a ball has three equal ones
    TAC_QUADS_CAPSULE,   // radius, half length of its segment on the z axis
    TAC_QUADS_CYLINDER   // radius, half length along the z axis
} tacQuadKind;

typedef struct tacQuadMesh {
    double size[3]; // of the kind [m]
    int faces;      // about how many; cells are as square and as equal as the surface allows
    tacQuadKind kind;
} tacQuadMesh;

// NULL if there is no memory; give it to tac_soup_destroy
tacSoup* tac_quad_mesh_create(tacQuadMesh quads, tacAllocator allocator);

// moves the centre of a face onto the curved surface, and sets the normal there
void tac_quad_mesh_project(const tacQuadMesh* quads, double centre[3], double normal[3]);

// area of the surface [m^2]; of an ellipsoid to 1.1 % (Thomsen)
double tac_quad_mesh_area(const tacQuadMesh* quads);

#endif
