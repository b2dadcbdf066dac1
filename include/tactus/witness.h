/// Witness points: nearest points of two edges, of a vertex and a triangle, or of any two of point,
/// edge and triangle. Smooth functions of the corners, or exact.
///
/// Each pair is a small quadratic program with bounds, solved in closed form by a soft active set
/// without branches. docs/witness.md has the formulas, the error of smoothing, and the speed. Calls
/// take many pairs, one array per coordinate, of any count and alignment. A result does not depend
/// on the number of pairs.
#ifndef TACTUS_WITNESS_H
#define TACTUS_WITNESS_H

#include "tactus/real.h"
#include "tactus/result.h"

TAC_EXTERN_C_BEGIN

/// Unit of the temperatures of squared lengths.
typedef enum tacWitnessUnits {
    TAC_WITNESS_RELATIVE, ///< s^2, the mean squared length of the edges of a pair
    TAC_WITNESS_ABSOLUTE  ///< m^2, as in the paper; results depend on the unit of length
} tacWitnessUnits;

/// Options of smoothing, or a tangent or adjoint of their numbers. Start from
/// tac_default_witness_options().
typedef struct tacWitnessOptions {
    tacReal
        tikhonov;   ///< Tikhonov term toward the middle of an edge, > 0; default 1e-3 [s^2 or m^2]
    tacReal min;    ///< temperature of the minimum over borders; default 1e-2       [s^2 or m^2]
    tacReal clip;   ///< temperature of the clip to an edge's ends; default 0.02     [edge lengths]
    tacReal inside; ///< temperature of "the free minimum is inside"; default 0.02   [edge lengths]
    tacReal range;  ///< distance at which `colliding` is 0; 0: none; default 0.2     [edge lengths]
    tacReal gap;    ///< rounds the distance off at contact; default 1e-3            [s or m]
    tacWitnessUnits units; ///< default TAC_WITNESS_RELATIVE
    int exact;             ///< 1: exact, without smoothing; of the numbers only `gap` counts
} tacWitnessOptions;

/// Default options.
TAC_API
tacWitnessOptions tac_default_witness_options(void);

/// Options of the paper: 0.01 and three times 0.1, in metres, no range, gap 1e-6.
TAC_API
tacWitnessOptions tac_reference_witness_options(void);

/// Pairs of edges, or tangents of them. NULL means zero in a tangent.
typedef struct tacEdgePairs {
    int count;                   ///< number of pairs
    const tacReal* corner[4][3]; ///< edge 1 from, to; edge 2 from, to              (count) [m]
} tacEdgePairs;

/// Adjoints of pairs of edges; NULL skips.
typedef struct tacEdgePairsBar {
    tacReal* corner[4][3]; ///< as tacEdgePairs                                     (count)
} tacEdgePairsBar;

/// Witness points of two edges, or a tangent or adjoint of them. NULL skips an output and means
/// zero in an input.
typedef struct tacEdgeWitness {
    tacReal* alpha[2];    ///< parameter on each edge, in [0, 1] up to overshoot    (count)
    tacReal* colliding;   ///< 1 where the common perpendicular meets both edges    (count)
    tacReal* point[2][3]; ///< on each edge                                         (count) [m]
    tacReal* distance;    ///< |e|^2/sqrt(|e|^2 + gap^2), e = point 1 - point 2     (count) [m]
    tacReal* normal[3];   ///< e/sqrt(|e|^2 + gap^2), of length <= 1                (count)
} tacEdgeWitness;

/// Nearest points of pairs of edges. Edges may have length 0, be parallel or identical. Options out
/// of range, and corners that are not finite or beyond about 3e15 m, are TAC_ERROR_VALUE; outputs
/// are then undefined.
TAC_API
tacResult tac_edge_edge(const tacWitnessOptions* options, tacEdgePairs pairs, tacEdgeWitness out);

/// Forward derivative of tac_edge_edge along corners and options (NULL: zero).
TAC_API
tacResult tac_edge_edge_jvp(const tacWitnessOptions* options, tacEdgePairs pairs, tacEdgePairs dot,
                            const tacWitnessOptions* options_dot, tacEdgeWitness out);

/// Reverse derivative of tac_edge_edge: adds to `pairs_bar` and `options_bar` (NULL skips).
TAC_API
tacResult tac_edge_edge_vjp(const tacWitnessOptions* options, tacEdgePairs pairs,
                            tacEdgeWitness bar, tacEdgePairsBar pairs_bar,
                            tacWitnessOptions* options_bar);

//---------------------------------- vertices and faces -------------------------

/// Pairs of a vertex and a triangle, or tangents of them. NULL means zero in a tangent.
typedef struct tacVertexFaces {
    int count;                   ///< number of pairs
    const tacReal* vertex[3];    ///< vertices                                      (count) [m]
    const tacReal* corner[3][3]; ///< corners of the triangles                      (count) [m]
} tacVertexFaces;

/// Adjoints of vertices and triangles; NULL skips.
typedef struct tacVertexFacesBar {
    tacReal* vertex[3];    ///< as tacVertexFaces                                   (count)
    tacReal* corner[3][3]; ///< as tacVertexFaces                                   (count)
} tacVertexFacesBar;

/// Witness point of a vertex and a triangle, or a tangent or adjoint of it. NULL skips an output
/// and means zero in an input.
typedef struct tacFaceWitness {
    tacReal* alpha[3];  ///< barycentric coordinates of the point; they sum to 1     (count)
    tacReal* colliding; ///< 1 where the vertex projects into the triangle           (count)
    tacReal* point[3];  ///< on the triangle                                         (count) [m]
    tacReal* distance;  ///< |e|^2/sqrt(|e|^2 + gap^2), e = vertex - point           (count) [m]
    tacReal* normal[3]; ///< e/sqrt(|e|^2 + gap^2), of length <= 1                   (count)
} tacFaceWitness;

/// Nearest points of triangles to vertices. Triangles may be degenerate. s^2 is the mean squared
/// side; `range` does not count. Errors as of tac_edge_edge.
TAC_API
tacResult tac_vertex_face(const tacWitnessOptions* options, tacVertexFaces pairs,
                          tacFaceWitness out);

/// Forward derivative of tac_vertex_face along corners and options (NULL: zero).
TAC_API
tacResult tac_vertex_face_jvp(const tacWitnessOptions* options, tacVertexFaces pairs,
                              tacVertexFaces dot, const tacWitnessOptions* options_dot,
                              tacFaceWitness out);

/// Reverse derivative of tac_vertex_face: adds to `pairs_bar` and `options_bar` (NULL skips).
TAC_API
tacResult tac_vertex_face_vjp(const tacWitnessOptions* options, tacVertexFaces pairs,
                              tacFaceWitness bar, tacVertexFacesBar pairs_bar,
                              tacWitnessOptions* options_bar);

//---------------------------------- polygons ----------------------------------

/// Pairs of polygons of one to three corners, or tangents of them: {1, 3} is a vertex and a face.
/// NULL means zero in a tangent.
typedef struct tacPolygonPairs {
    int count;                   ///< number of pairs
    int corners[2];              ///< corners of polygon 1 and 2, 1 to 3; not read in tangents
    const tacReal* corner[6][3]; ///< corners of polygon 1, then of polygon 2       (count) [m]
} tacPolygonPairs;

/// Adjoints of pairs of polygons; NULL skips.
typedef struct tacPolygonPairsBar {
    tacReal* corner[6][3]; ///< as tacPolygonPairs                                 (count)
} tacPolygonPairsBar;

/// Witness points of two polygons, or a tangent or adjoint of them. NULL skips an output and means
/// zero in an input.
typedef struct tacPolygonWitness {
    tacReal* alpha[6];    ///< barycentric coordinates of each polygon's point      (count)
    tacReal* colliding;   ///< 1 where both points are inside their polygons        (count)
    tacReal* point[2][3]; ///< on each polygon                                      (count) [m]
    tacReal* distance;    ///< as in tacEdgeWitness                                 (count) [m]
    tacReal* normal[3];   ///< as in tacEdgeWitness                                 (count)
} tacPolygonWitness;

/// Nearest points of pairs of polygons, which may be degenerate. `clip` and `range` of the options
/// do not count. Errors as of tac_edge_edge, and for corner counts other than 1, 2, 3.
TAC_API
tacResult tac_polygon_witness(const tacWitnessOptions* options, tacPolygonPairs pairs,
                              tacPolygonWitness out);

/// Forward derivative of tac_polygon_witness along corners and options (NULL: zero).
TAC_API
tacResult tac_polygon_witness_jvp(const tacWitnessOptions* options, tacPolygonPairs pairs,
                                  tacPolygonPairs dot, const tacWitnessOptions* options_dot,
                                  tacPolygonWitness out);

/// Reverse derivative of tac_polygon_witness: adds to `pairs_bar` and `options_bar` (NULL skips).
TAC_API
tacResult tac_polygon_witness_vjp(const tacWitnessOptions* options, tacPolygonPairs pairs,
                                  tacPolygonWitness bar, tacPolygonPairsBar pairs_bar,
                                  tacWitnessOptions* options_bar);

TAC_EXTERN_C_END

#endif
