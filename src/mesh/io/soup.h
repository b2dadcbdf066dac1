// A soup: the vertices and faces of a mesh file, or the points of a cloud, as the file gave them.
//
//   OBJ, STL, PLY, OFF, XYZ --> [soup] --> hull.h, soup_stats.h, soup_mass.h, polyhedra, point
//   clouds
//
// Formats and limits: docs/mesh-files.md. Double only: nothing here is differentiated.

#ifndef TAC_MESH_IO_SOUP_H
#define TAC_MESH_IO_SOUP_H

#include "tactus/memory.h"
#include "tactus/result.h"

#define TAC_MAX_MESH_BYTES   1073741824 // of one mesh file (1 GiB)
#define TAC_MAX_MESH_ITEMS   50000000   // vertices, normals, corners or triangles of one mesh
#define TAC_MAX_EAR_CORNERS  512        // corners of a face that is not convex
#define TAC_MAX_MESH_COORD   1e12       // absolute value of a coordinate
#define TAC_MAX_PLY_PROPERTY 64         // properties of one element of a PLY file
#define TAC_MAX_PLY_ELEMENT  32         // elements in the header of a PLY file

typedef struct tacSoup {
    int nvertex, nface, ncorner, ntriangle;
    const double* vertex; // finite                                                   (nvertex, 3)
    const double* normal; // as given: perhaps not of length 1, 0 where the file has "nan";
                          // NULL if not each vertex has one                          (nvertex, 3)
    const int* first;     // corners of face f are first[f] .. first[f + 1] - 1       (nface + 1)
    const int* corner;    // vertex of each corner, counter-clockwise seen from outside (ncorner)
    const int* triangle;  // the faces, triangulated, in the order of the faces       (ntriangle, 3)
    const int* triangle_face; // the face each triangle is of                         (ntriangle)
    const int* vertex_line;   // line of each vertex; NULL for a binary file          (nvertex)
    const int* face_line;     // line of each face; NULL for a binary file            (nface)
    int dropped;              // dropped faces, with fewer than three different vertices
    int repeated;             // dropped faces, with the vertices of an earlier one in its order
    char file[256];           // as the caller named it, for messages
    tacAllocator allocator;
} tacSoup;

// Reads a file: OBJ, STL (binary, ASCII), PLY (ASCII, binary), OFF, MSH (binary), XYZ ("x y z" or
// "x y z nx ny nz" per line). The extension decides; if it is unknown, the content. Faces may be
// absent (a cloud), vertices not. On failure *out is unchanged and `message` (NULL to skip) has
// file, line or byte, and what to do.
tacResult tac_soup_load(const char* path, tacAllocator allocator, tacSoup** out,
                        tacMessage* message);

// the same from memory; `path` names it in messages and gives the extension
tacResult tac_soup_read(const void* bytes, size_t size, const char* path, tacAllocator allocator,
                        tacSoup** out, tacMessage* message);

// NULL is allowed
void tac_soup_destroy(tacSoup* soup);

#endif
