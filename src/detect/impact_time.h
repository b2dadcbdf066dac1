// The time of impact as a root, and its derivative by all points.
//
// After the conservative search (tactus/ccd.h) the time is the root of distance = separation, and
// so a smooth function of the eight points:
//   distance(t) = n . sum w_i p_i(t),  p_i(t) = (1 - t) start_i + t end_i
// n is the unit normal of the face or across both edges, w the weights of the nearest points. By
// the envelope theorem neither counts in the derivative.

#ifndef TAC_DETECT_IMPACT_TIME_H
#define TAC_DETECT_IMPACT_TIME_H

#include "math/vec3.h"
#include "tactus/ccd.h"

// distance of the features at points (4 x 3): along the face's normal, or across both lines. NAN
// where edges are parallel or the face has no area. `n` and `w` (NULL to skip) as above.
tacReal tac_impact_distance(tacCcdFeatures feature, const tacReal* point, tacVec3* n, tacReal w[4]);

#endif
