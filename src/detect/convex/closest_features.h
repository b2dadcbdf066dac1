// Distance of two parts to rounding, and the features that are nearest.
//
// gjk.h leaves a normal that is off by a little, most where parts nearly touch and where they are
// curved. The distance is the largest gap along any unit vector, overlapping or not,
//   gap(n) = n . s_B(-n) - n . s_A(n),
// so of all features near the normal those are taken whose own normal has the widest gap.

#ifndef TAC_DETECT_CONVEX_CLOSEST_FEATURES_H
#define TAC_DETECT_CONVEX_CLOSEST_FEATURES_H

#include "detect/convex/gjk.h"
#include "detect/feature_contact.h"

tacTransform tac_convex_transform(const tacConvex* part);

// distance between the support planes of both parts along n: at most their distance
double tac_convex_gap(const tacConvex* a, const tacConvex* b, const double n[3]);

// As tac_gjk, with normal, points and distance to rounding. `contact` gets the features and the
// normal. Returns 1 if the features are known; 0 if the contact has the nearest points only, with a
// normal fixed to A.
int tac_closest_features(const tacConvex* a, const tacConvex* b, tacGjkCache* start,
                         tacNearest* out, tacFeatureContact* contact, void* memory);

#endif
