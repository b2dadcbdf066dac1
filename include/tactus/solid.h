/// Convex solids with corners, and how far two of them are apart: by separating axes, and by convex
/// programs. Useful without a scene. Formulas and tests: docs/separate.md
///
/// Planar solids (circle, rectangle, polygon, half-plane) lie in the plane z = 0 and meet planar
/// ones only; of their poses the position's x, y and the turn about z count.
#ifndef TACTUS_SOLID_H
#define TACTUS_SOLID_H

#include "tactus/memory.h"
#include "tactus/pose.h"
#include "tactus/result.h"

TAC_EXTERN_C_BEGIN

//---------------------------------- solids ---------------------------------------

/// Most corners of one face.
#define TAC_SOLID_MAX_FACE_VERTICES 64

/// A convex solid in its own frame. A ball or circle is one vertex with a radius; a half-space or
/// half-plane is one plane without vertices.
typedef struct tacSolid {
    int planar;             ///< 1: lies in the plane z = 0
    double radius;          ///< of the ball around its only vertex, else 0                    [m]
    int vertices;           ///< number of vertices
    int edges;              ///< number of edges
    int faces;              ///< number of faces; of a planar solid these are its sides
    const tacVec3* vertex;  ///< corners; of a polygon counter-clockwise       (vertices) [m]
    const tacVec3* normal;  ///< of each face, outward, length 1               (faces)
    const double* offset;   ///< normal . x <= offset holds inside             (faces) [m]
    const int (*edge)[4];   ///< its two vertices, the two faces beside it     (edges)
    const int* first;       ///< corners of face f: first[f] .. first[f+1] - 1 (faces + 1)
    const int* corner;      ///< vertices around each face, counter-clockwise from outside
    tacVec3 center;         ///< mean of the vertices; of a half-space a point of its plane
    double size;            ///< largest distance of a point from `center`; 1 for a half-space
    tacAllocator allocator; ///< where all of this came from
} tacSolid;

/// A ball, or a circle if planar. As of all of these: TAC_ERROR_VALUE for numbers that are not
/// finite or make no solid, with a message (NULL to skip), and *out untouched.
TAC_API
tacResult tac_solid_create_ball(double radius, int planar, tacSolid** out, tacMessage* message);

/// A cuboid of half sizes, or a rectangle of the first two.
TAC_API
tacResult tac_solid_create_box(const double half[3], int planar, tacSolid** out,
                               tacMessage* message);

/// A convex polygon of `count` corners (count x 2) in either sense of rotation. Corners that turn
/// the other way are refused by number; those in the middle of a side are left out.
TAC_API
tacResult tac_solid_create_polygon(const double* corner, int count, tacSolid** out,
                                   tacMessage* message);

/// The convex hull of `count` points (count x 3).
TAC_API
tacResult tac_solid_create_polyhedron(const double* point, int count, tacSolid** out,
                                      tacMessage* message);

/// The half-space normal . x <= offset, or a half-plane of the first two components.
TAC_API
tacResult tac_solid_create_halfspace(const double normal[3], double offset, int planar,
                                     tacSolid** out, tacMessage* message);

/// Gives a solid back. NULL is allowed.
TAC_API
void tac_solid_destroy(tacSolid* solid);

//---------------------------------- separation -----------------------------------

/// A solid where it is.
typedef struct tacPosedSolid {
    const tacSolid* solid; ///< what
    tacPose pose;          ///< where
} tacPosedSolid;

/// How far two solids are apart, or how deep they overlap. In overlap the points are those of the
/// shortest translation that parts them.
typedef struct tacSeparation {
    double distance;  ///< negative: depth of the overlap                                      [m]
    tacVec3 normal;   ///< unit vector from the first to the second; the translation that parts
                      ///< them is -distance normal of the second
    tacVec3 point[2]; ///< on the first and on the second: point[1] - point[0] = distance normal
    tacVec3
        tangent[2]; ///< unit vectors across the normal; of planar solids tangent[0] is z x normal
    int axes;       ///< directions that were tried, or passes of the program
    int bound;      ///< 1: further apart than the cutoff; distance is a lower bound, the points
                    ///< are not set
} tacSeparation;

/// Distance or depth by separating axes. Exact up to rounding in all cases. Stops at the first axis
/// that shows a gap above `cutoff` (INFINITY: never); the first is the line of the centres. Between
/// a planar and a spatial solid, or two half-spaces: TAC_ERROR_VALUE.
TAC_API
tacResult tac_sat(tacPosedSolid a, tacPosedSolid b, double cutoff, tacSeparation* out);

/// Options of tac_convex_separation.
typedef struct tacConvexOptions {
    double shrink; ///< by how much a round solid is made smaller, b in rho = b - phi*; 0: all of
                   ///< its radius. Overlaps up to b are seen by the program            [m]
    int growth;    ///< 1: the factor by which both must grow to touch, too
    const double* warm; ///< nearest points of last time (6, in the first's frame), or NULL
} tacConvexOptions;

/// Bytes of working memory of tac_convex_separation.
TAC_API
size_t tac_convex_separation_size(const tacSolid* a, const tacSolid* b);

/// Distance or depth by convex programs over half-spaces and balls (paper 003, eq. 15, 16): nearest
/// points by a cone program; round solids are shrunk, so that the program still sees an overlap. An
/// overlap beyond that (or of two polyhedra, which is no convex problem) is measured along
/// separating axes. `growth` (NULL to skip): the factor, below 1 in overlap; `points` (6, NULL to
/// skip) gets what `warm` takes. TAC_ERROR_UNSOLVED if the solver does not reach 1e-9 of the size.
TAC_API
tacResult tac_convex_separation(tacPosedSolid a, tacPosedSolid b, const tacConvexOptions* options,
                                tacSeparation* out, double* growth, double* points, void* memory);

TAC_EXTERN_C_END

#endif
