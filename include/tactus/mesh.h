/// Surface meshes and mass properties of shapes, from their fields, in the shape's frame
/// (docs/mesh.md).
#ifndef TACTUS_MESH_H
#define TACTUS_MESH_H

#include "tactus/model.h"

TAC_EXTERN_C_BEGIN

//---------------------------------- tessellation ---------------------------------

/// Fewest vertices of a mesh.
#define TAC_MESH_MIN_VERTICES 8
/// Most vertices of a mesh.
#define TAC_MESH_MAX_VERTICES 20000

/// A closed triangle mesh. Every edge has two faces; faces are counter-clockwise from outside and
/// meet only in common edges or vertices.
typedef struct tacMesh {
    int vertices;           ///< number of vertices
    int edges;              ///< number of edges, 3/2 of the faces
    int faces;              ///< number of triangles
    const double* x[3];     ///< vertices in the shape's frame                 (vertices) [m]
    const int* edge[2];     ///< vertices of an edge, the smaller index first  (edges)
    const int* face[3];     ///< vertices of a triangle                        (faces)
    double error;           ///< largest |value| of the field at a vertex                 [m]
    double quality;         ///< worst triangle: 4 sqrt(3) area/sum of squared sides, in 0..1
    tacAllocator allocator; ///< source of its memory
} tacMesh;

/// Meshes the surface of a bounded shape with about `vertices` vertices (within 20 %), each on the
/// zero level of the field. The shape may have holes, cavities and several components. Equal calls
/// give equal bits. Free the mesh with tac_mesh_destroy. On an error *out is unchanged and
/// `message` (NULL to skip) says why: TAC_ERROR_VALUE for an unbounded or empty shape,
/// TAC_ERROR_UNSOLVED if the shape needs more vertices. Lattices have at most 256 cells a side and
/// 3 GiB.
TAC_API
tacResult tac_shape_tessellate(const tacModel* model, int shape, int vertices, tacMesh** out,
                               tacMessage* message);

/// tac_shape_tessellate with a callback: progress(user, done), done from 0 to 1.
TAC_API
tacResult tac_shape_tessellate_with_progress(const tacModel* model, int shape, int vertices,
                                             void (*progress)(void* user, double done), void* user,
                                             tacMesh** out, tacMessage* message);

/// Frees a mesh. NULL is allowed.
TAC_API
void tac_mesh_destroy(tacMesh* mesh);

//---------------------------------- mass -----------------------------------------

/// Mass properties of a solid of uniform density, in the shape's frame.
typedef struct tacMass {
    double volume;     ///< volume                                                       [m^3]
    double mass;       ///< density times volume                                         [kg]
    double center[3];  ///< centre of mass                                               [m]
    double inertia[6]; ///< about the centre: xx yy zz xy xz yz                     [kg m^2]
    double error;      ///< estimated relative error: the largest of volume, centre (over radius
                       ///< of gyration) and inertia (over its trace)
} tacMass;

/// Mass properties of a bounded shape, to an estimated relative error below `tolerance` (1e-12 to
/// 0.1) or on the finest lattice; out->error says which. On an error *out is unchanged and
/// `message` (NULL to skip) says why.
TAC_API
tacResult tac_shape_mass(const tacModel* model, int shape, double density, double tolerance,
                         tacMass* out, tacMessage* message);

/// tac_shape_mass with a callback: progress(user, done), done from 0 to at most 1.
TAC_API
tacResult tac_shape_mass_with_progress(const tacModel* model, int shape, double density,
                                       double tolerance, void (*progress)(void* user, double done),
                                       void* user, tacMass* out, tacMessage* message);

TAC_EXTERN_C_END

#endif
