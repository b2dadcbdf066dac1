// The time of impact as a root, and its derivative by all points.
//
// After the conservative search (ccd.h) the time is the root of distance = separation, and so a
// smooth function of the eight points:
//   distance(t) = n . sum w_i p_i(t),  p_i(t) = (1 - t) start_i + t end_i
// n is the unit normal of the face or across both edges, w the weights of the nearest points. By
// the envelope theorem neither counts in the derivative.

#ifndef TAC_DETECT_IMPACT_H
#define TAC_DETECT_IMPACT_H

#include "detect/ccd.h"
#include "math/vec3.h"
#include "tactus/result.h"

typedef struct tacImpact {
    tacFeature feature;
    double side;       // +1 or -1: the first feature stays on this side of n
    double separation; // the distance asked for                                  [m]
} tacImpact;

// distance of the features at points (4 x 3): along the face's normal, or across both lines. NAN
// where edges are parallel or the face has no area. `n` and `w` (NULL to skip) as above.
tacReal tac_feature_distance(tacFeature feature, const tacReal* point, tacVec3* n, tacReal w[4]);

// The side that the features are on at t = `before`, an early time without impact, and the root
// next to `guess`, a time that is not late. TAC_ERROR_UNSOLVED: there is none by Newton's method.
tacResult tac_impact_side(tacImpact* impact, const tacReal* start, const tacReal* end,
                          double before);
tacResult tac_impact_time(const tacImpact* impact, const tacReal* start, const tacReal* end,
                          double guess, tacReal* time);

// Derivative of the time at the root: -distance_dot/speed. TAC_ERROR_UNSOLVED for a grazing
// impact, whose speed is lost in rounding: there is no derivative.
tacResult tac_impact_time_jvp(const tacImpact* impact, const tacReal* start, const tacReal* end,
                              tacReal time, const tacReal* start_dot, const tacReal* end_dot,
                              tacReal* time_dot);

// adds to start_bar and end_bar
tacResult tac_impact_time_vjp(const tacImpact* impact, const tacReal* start, const tacReal* end,
                              tacReal time, tacReal time_bar, tacReal* start_bar, tacReal* end_bar);

#endif
