/// Triangle meshes on the surface of a shape, and the mass properties of the solid inside.
///
/// Both work in the shape's own frame and read the shape's field alone (docs/mesh.md).
#ifndef TACTUS_MESH_H
#define TACTUS_MESH_H

#include "tactus/model.h"

TAC_EXTERN_C_BEGIN

//---------------------------------- tessellation ---------------------------------

/// Fewest vertices that may be asked for.
#define TAC_MESH_MIN_VERTICES 8
/// Most vertices that may be asked for.
#define TAC_MESH_MAX_VERTICES 20000

/// A closed surface of triangles: every edge has two faces, faces are oriented outward
/// (counter-clockwise from outside), no two faces meet but in a common edge or vertex.
typedef struct tacMesh {
    int vertices;           ///< number of vertices
    int edges;              ///< number of edges, 3/2 of the faces
    int faces;              ///< number of triangles
    const double* x[3];     ///< vertices in the shape's frame                 (vertices) [m]
    const int* edge[2];     ///< vertices of an edge, the smaller index first  (edges)
    const int* face[3];     ///< vertices of a triangle                        (faces)
    double error;           ///< largest |value| of the field at a vertex                 [m]
    double quality;         ///< of the worst triangle: 4 sqrt(3) area/sum of squared sides, 0..1
    tacAllocator allocator; ///< where all of this came from
} tacMesh;

/// Meshes the surface of a shape with about `vertices` vertices (within 20 %), each on the zero
/// level of the field. Any bounded shape: holes, cavities, several pieces. The same call gives the
/// same bits. On success *out is to be freed by tac_mesh_destroy; otherwise *out is untouched and
/// `message` (NULL to skip) says why: TAC_ERROR_VALUE if the shape is not bounded or empty,
/// TAC_ERROR_UNSOLVED if no such mesh was found, as when the shape needs more vertices, and what to
/// do. Work ends after lattices of at most 256 cells along the longest side and 3 GiB.
TAC_API
tacResult tac_shape_tessellate(const tacModel* model, int shape, int vertices, tacMesh** out,
                               tacMessage* message);

/// The same, and calls progress(user, done) with done from 0 to 1 now and then.
TAC_API
tacResult tac_shape_tessellate_with_progress(const tacModel* model, int shape, int vertices,
                                             void (*progress)(void* user, double done), void* user,
                                             tacMesh** out, tacMessage* message);

/// Gives a mesh back. NULL is allowed.
TAC_API
void tac_mesh_destroy(tacMesh* mesh);

//---------------------------------- mass -----------------------------------------

/// Mass properties of a solid of even density, in the shape's frame.
typedef struct tacMass {
    double volume;     ///<                                                              [m^3]
    double mass;       ///< density times volume                                         [kg]
    double center[3];  ///< centre of mass                                               [m]
    double inertia[6]; ///< about the centre: xx yy zz xy xz yz                     [kg m^2]
    double error;      ///< estimate, relative: of volume, of centre/radius of gyration, of
                       ///< inertia/trace of inertia; the largest of them
} tacMass;

/// Integrates volume, centre and inertia of a bounded shape, until the estimated relative error is
/// below `tolerance` (1e-12 to 0.1) or the finest lattice is reached: out->error tells. On failure
/// *out is untouched and `message` (NULL to skip) says why.
TAC_API
tacResult tac_shape_mass(const tacModel* model, int shape, double density, double tolerance,
                         tacMass* out, tacMessage* message);

/// The same, and calls progress(user, done) with done from 0 to 1 now and then; it may end early.
TAC_API
tacResult tac_shape_mass_with_progress(const tacModel* model, int shape, double density,
                                       double tolerance, void (*progress)(void* user, double done),
                                       void* user, tacMass* out, tacMessage* message);

TAC_EXTERN_C_END

#endif
