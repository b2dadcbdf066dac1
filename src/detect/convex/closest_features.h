// Distance of two pieces to rounding, and the features that are nearest.
//
// gjk.h leaves a normal that is off by a little, most where pieces nearly touch and where they are
// curved. The distance is the largest gap along any unit vector, overlapping or not,
//   gap(n) = n . s_B(-n) - n . s_A(n),
// so of all features near the normal those are taken whose own normal has the widest gap.

#ifndef TAC_DETECT_CONVEX_CLOSEST_FEATURES_H
#define TAC_DETECT_CONVEX_CLOSEST_FEATURES_H

#include "detect/convex/gjk.h"
#include "detect/feature_contact.h"

tacTransform tac_convex_transform(const tacConvex* part);

// the distance between the planes across n that touch the pieces: at most their distance
double tac_convex_gap(const tacConvex* a, const tacConvex* b, const double n[3]);

// As tac_gjk, with normal, points and distance to rounding. `touch` gets the features (its patches
// and normal); returns 1 if they are known, 0 if the touch stands for the nearest points alone,
// with the normal held by A.
int tac_closest_features(const tacConvex* a, const tacConvex* b, tacGjkCache* start,
                         tacNearest* out, tacFeatureContact* contact, void* memory);

#endif
