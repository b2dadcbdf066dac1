/// Continuous collision detection: times of impact with derivatives, and proofs of separation. The
/// first part works on triangles, without a scene (docs/convex.md).
#ifndef TACTUS_CCD_H
#define TACTUS_CCD_H

#include "tactus/model.h"

#include <stddef.h>

TAC_EXTERN_C_BEGIN

//---------------------------------- triangles ------------------------------------

/// Pair of triangle features, and the order of its four points (4 x 3).
typedef enum tacCcdFeatures {
    TAC_CCD_VERTEX_FACE, ///< points v, f0, f1, f2
    TAC_CCD_EDGE_EDGE    ///< points a0, a1, b0, b1
} tacCcdFeatures;

/// Options of tac_ccd. Start from tac_default_ccd().
typedef struct tacCcdOptions {
    double separation; ///< distance along an axis that counts as an impact, default 0  [m]
    double tolerance;  ///< differences below this count as 0, default 1e-8 [m]
    int max_passes;    ///< most boxes to check, default 20000; then the earliest one left is the
                       ///< result
} tacCcdOptions;

/// Default options of tac_ccd.
TAC_API
tacCcdOptions tac_default_ccd(void);

/// Searches an impact in t in [0, 1] of four points that move on straight lines from `start` to
/// `end` (4 x 3). Returns 1 for an impact, and *time is at most its time. No impact is missed and
/// none is late; a near miss within the tolerance may be reported. Points that are NULL or not
/// finite count as an impact at 0. `options` (NULL: defaults), `time` and `passes` (boxes checked)
/// may be NULL.
TAC_API
int tac_ccd(tacCcdFeatures feature, const double start[12], const double end[12],
            const tacCcdOptions* options, double* time, int* passes);

/// An impact of two features. Its time is a smooth function of their points.
typedef struct tacImpact {
    tacCcdFeatures feature; ///< the pair of features
    double side;            ///< +1 or -1: side of the normal that the first feature is on
    double separation;      ///< distance that counts as an impact                       [m]
} tacImpact;

/// Finds the side of the features at t = `before`, a time before the impact.
TAC_API
tacResult tac_impact_side(tacImpact* impact, const tacReal* start, const tacReal* end,
                          double before);

/// Time of impact: the root of distance = separation near `guess`, to rounding. `guess` is at or
/// before the impact, as from tac_ccd. TAC_ERROR_UNSOLVED: Newton's method found no root.
TAC_API
tacResult tac_impact_time(const tacImpact* impact, const tacReal* start, const tacReal* end,
                          double guess, tacReal* time);

/// Forward derivative of tac_impact_time by the points; NULL means zero. TAC_ERROR_UNSOLVED for a
/// grazing impact, which has no derivative.
TAC_API
tacResult tac_impact_time_jvp(const tacImpact* impact, const tacReal* start, const tacReal* end,
                              tacReal time, const tacReal* start_dot, const tacReal* end_dot,
                              tacReal* time_dot);

/// Reverse derivative of tac_impact_time: adds to start_bar and end_bar (4 x 3); NULL skips.
TAC_API
tacResult tac_impact_time_vjp(const tacImpact* impact, const tacReal* start, const tacReal* end,
                              tacReal time, tacReal time_bar, tacReal* start_bar, tacReal* end_bar);

//---------------------------------- scenes ---------------------------------------

/// The path of a scene: qpos moved by t v + t^2 a, for t in [0, span].
typedef struct tacMotionPath {
    const double* qpos; ///< start (nq)
    const double* v;    ///< velocity (nv)
    const double* a;    ///< half of the acceleration (nv); NULL: zero
    double span;        ///< length, >= 0                                              [s]
} tacMotionPath;

/// Bytes of working memory for the calls below, aligned as by malloc. 0 for a scene without
/// detect="gjk", for which they return TAC_ERROR_UNSUPPORTED.
TAC_API
size_t tac_ccd_size(const tacModel* model);

/// Time of impact of two geoms.
typedef struct tacTimeOfImpact {
    int found;          ///< 0: certainly no impact on the path
    double time;        ///< never late; accurate to 1e-14 span if `exact`             [s]
    int geom[2];        ///< the two geoms
    int exact;          ///< 0: no derivative (grazing, time 0, or out of passes)
    double rate;        ///< rate of the distance there, negative: approaching         [m/s]
    double normal[3];   ///< from geom[0] to geom[1], world
    double point[2][3]; ///< nearest points of both there, world                       [m]
} tacTimeOfImpact;

/// First time at which two geoms come as near as `distance` > 0 on a path, rotations included. With
/// geom_a = geom_b = -1 all pairs of the scene count. A pair that starts nearer has its impact at 0
/// if it approaches, else when it comes nearer than it was. Derivative: if the bodies' points at
/// `point` move by dp0, dp1, then d time = -normal . (dp1 - dp0)/rate. TAC_ERROR_VALUE for a pair
/// that may not collide, or numbers out of range.
TAC_API
tacResult tac_time_of_impact(const tacModel* model, const tacMotionPath* path, int geom_a,
                             int geom_b, double distance, tacTimeOfImpact* out, void* memory);

/// A proven lower bound of all distances on a path.
typedef struct tacCcdCertificate {
    int certain;         ///< 1: no pair comes nearer than the claim
    double min_distance; ///< no distance on the path is below this                         [m]
    int pair;            ///< pair of that bound, in tac_geom_pairs; -1: no pair
    double time;         ///< time of that bound                                             [s]
    int intervals;       ///< number of time intervals checked
} tacCcdCertificate;

/// Proves that the distances of all pairs of the scene stay above `claim` on a path, by bisection
/// of time. A plane that separates two geoms at both ends of an interval also does in between, up
/// to the curvature of the path. It shares no code with tac_time_of_impact. min_distance is only as
/// tight as the claim needs.
TAC_API
tacResult tac_ccd_certify(const tacModel* model, const tacMotionPath* path, double claim,
                          tacCcdCertificate* out, void* memory);

TAC_EXTERN_C_END

#endif
