/// Convex solids, and the signed distance of two of them by separating axes and by convex programs.
/// They need no scene (docs/separate.md).
///
/// Planar solids (circle, rectangle, polygon, half-plane) lie in the plane z = 0 and pair with
/// planar ones only. Of their poses x, y and the rotation about z count.
#ifndef TACTUS_SOLID_H
#define TACTUS_SOLID_H

#include "tactus/memory.h"
#include "tactus/pose.h"
#include "tactus/result.h"

TAC_EXTERN_C_BEGIN

//---------------------------------- solids ---------------------------------------

/// Most vertices of a face.
#define TAC_SOLID_MAX_FACE_VERTICES 64

/// A convex solid in its own frame. A ball or circle is one vertex with a radius; a half-space or
/// half-plane is one face without vertices.
typedef struct tacSolid {
    int planar;             ///< 1: lies in the plane z = 0
    double radius;          ///< of the ball around its only vertex, else 0                    [m]
    int vertices;           ///< number of vertices
    int edges;              ///< number of edges
    int faces;              ///< number of faces; of a planar solid, its sides
    const tacVec3* vertex;  ///< vertices; of a polygon counter-clockwise      (vertices) [m]
    const tacVec3* normal;  ///< of each face, outward, length 1               (faces)
    const double* offset;   ///< normal . x <= offset holds inside             (faces) [m]
    const int (*edge)[4];   ///< its two vertices, then its two faces          (edges)
    const int* first;       ///< start of each face in `corner`                (faces + 1)
    const int* corner;      ///< vertices around each face, counter-clockwise from outside
    tacVec3 center;         ///< mean of the vertices; a point on the plane of a half-space
    double size;            ///< largest distance of a point from `center`; 1 for a half-space
    tacAllocator allocator; ///< source of its memory
} tacSolid;

/// Makes a ball, or a circle if planar. As for all of these, numbers that are not finite or make no
/// solid are TAC_ERROR_VALUE with a message (NULL to skip), and *out is unchanged.
TAC_API
tacResult tac_solid_create_ball(double radius, int planar, tacSolid** out, tacMessage* message);

/// Makes a box of half sizes, or a rectangle of the first two.
TAC_API
tacResult tac_solid_create_box(const double half[3], int planar, tacSolid** out,
                               tacMessage* message);

/// Makes a convex polygon of `count` vertices (count x 2), in either order. A concave vertex is an
/// error that names it; vertices in the middle of a side are dropped.
TAC_API
tacResult tac_solid_create_polygon(const double* corner, int count, tacSolid** out,
                                   tacMessage* message);

/// Makes the convex hull of `count` points (count x 3).
TAC_API
tacResult tac_solid_create_polyhedron(const double* point, int count, tacSolid** out,
                                      tacMessage* message);

/// Makes the half-space normal . x <= offset, or a half-plane of the first two components.
TAC_API
tacResult tac_solid_create_halfspace(const double normal[3], double offset, int planar,
                                     tacSolid** out, tacMessage* message);

/// Frees a solid. NULL is allowed.
TAC_API
void tac_solid_destroy(tacSolid* solid);

//---------------------------------- separation -----------------------------------

/// A solid and its pose.
typedef struct tacPosedSolid {
    const tacSolid* solid; ///< the solid
    tacPose pose;          ///< its pose
} tacPosedSolid;

/// Signed distance of two solids and its points. In overlap, the points are those of the shortest
/// translation that separates them.
typedef struct tacSeparation {
    double distance;    ///< signed distance, negative in overlap                              [m]
    tacVec3 normal;     ///< unit vector from the first to the second; moving the second by
                        ///< -distance normal separates them
    tacVec3 point[2];   ///< on the first and on the second: point[1] - point[0] = distance normal
    tacVec3 tangent[2]; ///< unit vectors across the normal; if planar, tangent[0] is z x normal
    int axes;           ///< number of axes tried, or passes of the convex program
    int bound;          ///< 1: beyond the cutoff; distance is a lower bound, points are not set
} tacSeparation;

/// Signed distance by separating axes, exact up to rounding. It stops at the first axis with a gap
/// above `cutoff` (INFINITY: never); the first axis is the line of the centres. A planar and a
/// spatial solid, or two half-spaces, are TAC_ERROR_VALUE.
TAC_API
tacResult tac_sat(tacPosedSolid a, tacPosedSolid b, double cutoff, tacSeparation* out);

/// Options of tac_convex_separation.
typedef struct tacConvexOptions {
    double shrink; ///< b in rho = b - phi*: round solids shrink by it, so that the program sees
                   ///< overlaps up to b; 0: the whole radius                         [m]
    int growth;    ///< 1: also find the growth factor at which both touch
    const double* warm; ///< nearest points of the last call, in the first's frame; NULL: none (6)
} tacConvexOptions;

/// Bytes of working memory for tac_convex_separation.
TAC_API
size_t tac_convex_separation_size(const tacSolid* a, const tacSolid* b);

/// Signed distance by convex programs over half-spaces and balls (paper 003, eq. 15, 16). A cone
/// program finds the nearest points; round solids are shrunk first. Deeper overlaps, and overlaps
/// of two polyhedra, are measured by separating axes. `growth` gets the growth factor, below 1 in
/// overlap; `points` (6) gets the next `warm`; both may be NULL. TAC_ERROR_UNSOLVED: the solver
/// does not reach 1e-9 of the size.
TAC_API
tacResult tac_convex_separation(tacPosedSolid a, tacPosedSolid b, const tacConvexOptions* options,
                                tacSeparation* out, double* growth, double* points, void* memory);

TAC_EXTERN_C_END

#endif
