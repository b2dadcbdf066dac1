/// Continuous collision: when moving things first meet, with derivatives, and a proof that they do
/// not. The first part is useful without the rest of Tactus. docs/convex.md
#ifndef TACTUS_CCD_H
#define TACTUS_CCD_H

#include "tactus/model.h"

#include <stddef.h>

TAC_EXTERN_C_BEGIN

//---------------------------------- triangles ------------------------------------

/// Features of triangles that can meet; their four points stand in this order (4 x 3).
typedef enum tacCcdFeatures {
    TAC_CCD_VERTEX_FACE, ///< points v, f0, f1, f2
    TAC_CCD_EDGE_EDGE    ///< points a0, a1, b0, b1
} tacCcdFeatures;

/// Options of a search. Start from tac_default_ccd().
typedef struct tacCcdOptions {
    double separation; ///< nearer than this along an axis is an impact, default 0   [m]
    double tolerance;  ///< differences of this size are not told from 0, default 1e-8 [m]
    int max_passes;    ///< boxes looked at, default 20000; then the earliest one left is the answer
} tacCcdOptions;

/// The defaults.
TAC_API
tacCcdOptions tac_default_ccd(void);

/// Is there an impact for t in [0, 1], if all four points move on straight lines from `start` to
/// `end` (4 x 3)? Then 1, and *time is at most its time. No impact is missed and none is late; a
/// near miss, within the tolerance, may be reported. Points that are not finite, or NULL, count as
/// an impact at 0. `options` NULL: the defaults; `time` and `passes`, boxes looked at, may be NULL.
TAC_API
int tac_ccd(tacCcdFeatures feature, const double start[12], const double end[12],
            const tacCcdOptions* options, double* time, int* passes);

/// A meeting of two features, whose time is a smooth function of their points.
typedef struct tacImpact {
    tacCcdFeatures feature; ///< what meets
    double side;            ///< +1 or -1: the first feature stays on this side of the normal
    double separation;      ///< the distance at which they meet                         [m]
} tacImpact;

/// Finds the side that the features are on at t = `before`, an early time without impact.
TAC_API
tacResult tac_impact_side(tacImpact* impact, const tacReal* start, const tacReal* end,
                          double before);

/// The root of distance = separation next to `guess`, a time that is not late, such as tac_ccd's,
/// to rounding. TAC_ERROR_UNSOLVED: there is none by Newton's method.
TAC_API
tacResult tac_impact_time(const tacImpact* impact, const tacReal* start, const tacReal* end,
                          double guess, tacReal* time);

/// Forward derivative of that time by the points; NULL means zero. TAC_ERROR_UNSOLVED for a grazing
/// impact, whose speed is lost in rounding: it has none.
TAC_API
tacResult tac_impact_time_jvp(const tacImpact* impact, const tacReal* start, const tacReal* end,
                              tacReal time, const tacReal* start_dot, const tacReal* end_dot,
                              tacReal* time_dot);

/// Reverse derivative of that time: adds to start_bar and end_bar (4 x 3); NULL skips.
TAC_API
tacResult tac_impact_time_vjp(const tacImpact* impact, const tacReal* start, const tacReal* end,
                              tacReal time, tacReal time_bar, tacReal* start_bar, tacReal* end_bar);

//---------------------------------- scenes ---------------------------------------

/// The path of all bodies of a scene: qpos moved by t v + t^2 a, for t in [0, span].
typedef struct tacMotionPath {
    const double* qpos; ///< start (nq)
    const double* v;    ///< velocity (nv)
    const double* a;    ///< half of the acceleration (nv); NULL: zero
    double span;        ///< length, >= 0                                              [s]
} tacMotionPath;

/// Bytes of working memory, aligned as malloc's, that the calls below take for a scene with
/// detect="gjk"; 0 for others, which they refuse with TAC_ERROR_UNSUPPORTED.
TAC_API
size_t tac_ccd_size(const tacModel* model);

/// Where and when geoms first meet.
typedef struct tacTimeOfImpact {
    int found;        ///< 0: nothing meets on the whole course, for certain
    double time;      ///< never late; a root of distance = asked for, to 1e-14 span, if `exact` [s]
    int geom[2];      ///< which meet
    int exact;        ///< 0: no derivative (grazing, time 0, no more passes)
    double rate;      ///< of the distance at that time, negative: approaching       [m/s]
    double normal[3]; ///< from geom[0] to geom[1], world
    double point[2][3]; ///< nearest points of both at that time, world                [m]
} tacTimeOfImpact;

/// First time at which geoms `geom_a` and `geom_b`, or any two that the scene lets touch (both -1),
/// come as near as `distance` > 0 on a course, rotations included. A pair that starts nearer meets
/// at 0 if it approaches, else when it comes nearer than it was. By the motion dp of the bodies'
/// points at `point`, d time = -normal . (dp of geom[1] - dp of geom[0])/rate. TAC_ERROR_VALUE: a
/// pair that the scene does not let touch, or numbers out of range.
TAC_API
tacResult tac_time_of_impact(const tacModel* model, const tacMotionPath* path, int geom_a,
                             int geom_b, double distance, tacTimeOfImpact* out, void* memory);

/// A bound of all distances on a course.
typedef struct tacCcdCertificate {
    int certain;         ///< 1: no pair comes nearer than the claim anywhere on the course
    double min_distance; ///< proven: no distance on the course is below this                [m]
    int pair;            ///< of model->contact->pair: where it is least; -1: there is none
    double time;         ///< when                                                           [s]
    int intervals;       ///< of time that were looked at
} tacCcdCertificate;

/// Proves that the distances of all pairs that the scene lets touch stay above a claim on a course,
/// by halving time: a plane that separates two geoms at both ends of an interval separates them in
/// between but for the bend of the path. It shares no search with tac_time_of_impact and the steps.
/// `least` is only as far below the truth as was needed for the claim.
TAC_API
tacResult tac_ccd_certify(const tacModel* model, const tacMotionPath* path, double claim,
                          tacCcdCertificate* out, void* memory);

TAC_EXTERN_C_END

#endif
