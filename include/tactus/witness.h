/// Witness points: where two features, edges, a vertex and a triangle, any two of a point, an edge
/// and a triangle, come nearest. Smooth in their corners, or exact.
///
/// The problem is a small quadratic program with bounds. It is solved in closed form by an active
/// set without branches, whose choices are soft: docs/witness.md has the formulas, what smoothing
/// costs in accuracy, and the speed. Many pairs at once, one array per coordinate; any count, any
/// alignment. A result does not depend on how many pairs are asked for.
#ifndef TACTUS_WITNESS_H
#define TACTUS_WITNESS_H

#include "tactus/real.h"
#include "tactus/result.h"

TAC_EXTERN_C_BEGIN

/// What the temperatures of squared lengths are measured in.
typedef enum tacWitnessUnits {
    TAC_WITNESS_RELATIVE, ///< s^2, the mean of the squared lengths of the edges at hand
    TAC_WITNESS_ABSOLUTE  ///< m^2, as published: results then depend on the unit of length
} tacWitnessUnits;

/// How smooth. Start from tac_default_witness_options(). Also tangent and adjoint: of the numbers,
/// not of the two choices.
typedef struct tacWitnessOptions {
    tacReal tikhonov; ///< pull to the middle of an edge, > 0; default 1e-3            [s^2 or m^2]
    tacReal min;      ///< temperature of the choice among borders; default 1e-2       [s^2 or m^2]
    tacReal clip;   ///< temperature of the clip to an edge's ends; default 0.02     [edge lengths]
    tacReal inside; ///< temperature of "the free minimum is inside"; default 0.02   [edge lengths]
    tacReal range;  ///< beyond it `colliding` is exactly 0; 0: never; default 0.2   [edge lengths]
    tacReal gap;    ///< rounds the distance off where features meet; default 1e-3   [s or m]
    tacWitnessUnits units; ///< default TAC_WITNESS_RELATIVE
    int exact;             ///< 1: hard choices, no pull; the numbers but `gap` are not used
} tacWitnessOptions;

/// The defaults above.
TAC_API
tacWitnessOptions tac_default_witness_options(void);

/// The published defaults: 0.01 and three times 0.1, in metres, no range, gap 1e-6.
TAC_API
tacWitnessOptions tac_reference_witness_options(void);

/// Pairs of edges: a first and a second corner of edge 1, then those of edge 2. Also tangents;
/// NULL there means zero.
typedef struct tacEdgePairs {
    int count;                   ///< how many
    const tacReal* corner[4][3]; ///< edge 1 from, to; edge 2 from, to              (count) [m]
} tacEdgePairs;

/// Adjoints of pairs of edges; NULL skips.
typedef struct tacEdgePairsBar {
    tacReal* corner[4][3]; ///< as tacEdgePairs                                     (count)
} tacEdgePairsBar;

/// What is known about two edges. Also tangent, and, as input, adjoint. NULL skips an output or
/// means zero.
typedef struct tacEdgeWitness {
    tacReal* alpha[2];    ///< place on each edge, in [0, 1] but for overshoot      (count)
    tacReal* colliding;   ///< 1 where the common perpendicular meets both edges    (count)
    tacReal* point[2][3]; ///< on each edge                                         (count) [m]
    tacReal* distance;    ///< |e|^2/sqrt(|e|^2 + gap^2), e = point 1 - point 2     (count) [m]
    tacReal* normal[3];   ///< e/sqrt(|e|^2 + gap^2), of length <= 1                (count)
} tacEdgeWitness;

/// Nearest points of pairs of edges. TAC_ERROR_VALUE for options out of range and for corners that
/// are not finite or farther away than about 3e15 m (outputs are then of no use); edges of length
/// 0, parallel and identical ones are allowed.
TAC_API
tacResult tac_edge_edge(const tacWitnessOptions* options, tacEdgePairs pairs, tacEdgeWitness out);

/// Forward derivative of tac_edge_edge along corners and options (NULL: zero).
TAC_API
tacResult tac_edge_edge_jvp(const tacWitnessOptions* options, tacEdgePairs pairs, tacEdgePairs dot,
                            const tacWitnessOptions* options_dot, tacEdgeWitness out);

/// Reverse derivative: adds to `pairs_bar` and `options_bar` (NULL skips).
TAC_API
tacResult tac_edge_edge_vjp(const tacWitnessOptions* options, tacEdgePairs pairs,
                            tacEdgeWitness bar, tacEdgePairsBar pairs_bar,
                            tacWitnessOptions* options_bar);

//---------------------------------- vertices and faces -------------------------

/// Vertices and triangles, one each a pair. Also tangents; NULL there means zero.
typedef struct tacVertexFaces {
    int count;                   ///< how many pairs
    const tacReal* vertex[3];    ///<                                               (count) [m]
    const tacReal* corner[3][3]; ///< of the triangle                               (count) [m]
} tacVertexFaces;

/// Adjoints of vertices and triangles; NULL skips.
typedef struct tacVertexFacesBar {
    tacReal* vertex[3];    ///< as tacVertexFaces                                   (count)
    tacReal* corner[3][3]; ///< as tacVertexFaces                                   (count)
} tacVertexFacesBar;

/// What is known about a vertex and a triangle. Also tangent, and, as input, adjoint. NULL skips an
/// output or means zero.
typedef struct tacFaceWitness {
    tacReal* alpha[3];  ///< shares of the corners in the point; they sum to 1       (count)
    tacReal* colliding; ///< 1 where the foot of the vertex is inside the triangle   (count)
    tacReal* point[3];  ///< on the triangle                                         (count) [m]
    tacReal* distance;  ///< |e|^2/sqrt(|e|^2 + gap^2), e = vertex - point           (count) [m]
    tacReal* normal[3]; ///< e/sqrt(|e|^2 + gap^2), of length <= 1                   (count)
} tacFaceWitness;

/// Nearest points of triangles to vertices; s^2 is the mean of the squared sides, `range` is not
/// used. TAC_ERROR_VALUE as tac_edge_edge; flat triangles are allowed.
TAC_API
tacResult tac_vertex_face(const tacWitnessOptions* options, tacVertexFaces pairs,
                          tacFaceWitness out);

/// Forward derivative of tac_vertex_face along corners and options (NULL: zero).
TAC_API
tacResult tac_vertex_face_jvp(const tacWitnessOptions* options, tacVertexFaces pairs,
                              tacVertexFaces dot, const tacWitnessOptions* options_dot,
                              tacFaceWitness out);

/// Reverse derivative: adds to `pairs_bar` and `options_bar` (NULL skips).
TAC_API
tacResult tac_vertex_face_vjp(const tacWitnessOptions* options, tacVertexFaces pairs,
                              tacFaceWitness bar, tacVertexFacesBar pairs_bar,
                              tacWitnessOptions* options_bar);

//---------------------------------- polygons ----------------------------------

/// Pairs of points, edges and triangles: a polygon of one to three corners each. A vertex and a
/// face are {1, 3}. Also tangents; NULL there means zero.
typedef struct tacPolygonPairs {
    int count;                   ///< how many pairs
    int corners[2];              ///< of polygon 1 and 2, 1 to 3; not read in tangents
    const tacReal* corner[6][3]; ///< all corners of polygon 1, then those of polygon 2 (count) [m]
} tacPolygonPairs;

/// Adjoints of pairs of polygons; NULL skips.
typedef struct tacPolygonPairsBar {
    tacReal* corner[6][3]; ///< as tacPolygonPairs                                 (count)
} tacPolygonPairsBar;

/// What is known about two polygons. Also tangent, and, as input, adjoint. NULL skips an output or
/// means zero.
typedef struct tacPolygonWitness {
    tacReal* alpha[6];    ///< shares of the corners in their polygon's point       (count)
    tacReal* colliding;   ///< 1 where both points are inside their polygons        (count)
    tacReal* point[2][3]; ///< on each polygon                                      (count) [m]
    tacReal* distance;    ///< as in tacEdgeWitness                                 (count) [m]
    tacReal* normal[3];   ///< as in tacEdgeWitness                                 (count)
} tacPolygonWitness;

/// Nearest points of pairs of polygons; `clip` and `range` of the options are not used.
/// TAC_ERROR_VALUE as tac_edge_edge, and for corner counts other than 1, 2, 3. Degenerate triangles
/// are allowed.
TAC_API
tacResult tac_polygon_witness(const tacWitnessOptions* options, tacPolygonPairs pairs,
                              tacPolygonWitness out);

/// Forward derivative of tac_polygon_witness along corners and options (NULL: zero).
TAC_API
tacResult tac_polygon_witness_jvp(const tacWitnessOptions* options, tacPolygonPairs pairs,
                                  tacPolygonPairs dot, const tacWitnessOptions* options_dot,
                                  tacPolygonWitness out);

/// Reverse derivative: adds to `pairs_bar` and `options_bar` (NULL skips).
TAC_API
tacResult tac_polygon_witness_vjp(const tacWitnessOptions* options, tacPolygonPairs pairs,
                                  tacPolygonWitness bar, tacPolygonPairsBar pairs_bar,
                                  tacWitnessOptions* options_bar);

TAC_EXTERN_C_END

#endif
