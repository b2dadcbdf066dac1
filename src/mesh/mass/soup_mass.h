// Volume, centre and inertia of meshes, by the rules of MuJoCo's `inertia` attribute of a mesh.
//
//   convex   the convex hull, filled
//   exact    the mesh, filled; it must be closed, with outward faces
//   legacy   pyramids from the centre of area to the faces, all counted as positive: the same as
//            exact for bodies that are star-shaped about that center, too much otherwise
//   shell    the surface, with one density per area
//
// The default of MuJoCo 3 is legacy; it recommends convex.

#ifndef TAC_MESH_MASS_SOUP_MASS_H
#define TAC_MESH_MASS_SOUP_MASS_H

#include "mesh/io/soup.h"

typedef enum tacSoupInertia {
    TAC_SOUP_CONVEX,
    TAC_SOUP_EXACT,
    TAC_SOUP_LEGACY,
    TAC_SOUP_SHELL
} tacSoupInertia;

#define TAC_MIN_MESH_VOLUME 1e-15 // less is refused, as by MuJoCo                    [m^3]

// of density 1
typedef struct tacSoupMass {
    double volume;     // area for a shell
    double centre[3];  // of mass
    double inertia[6]; // about the centre: xx yy zz xy xz yz, the last three as in the matrix
} tacSoupMass;

// On failure `out` is unchanged and `message` (NULL to skip) says what is wrong with the mesh: no
// faces, open, inside out, flat, with the line of the face if there is one.
tacResult tac_soup_mass(const tacSoup* soup, tacSoupInertia rule, tacSoupMass* out,
                        tacMessage* message);

#endif
