// Contact manifold of two convex parts by clipping: vertices over faces, and edges that cross.

#ifndef TAC_DETECT_CONVEX_CLIP_MANIFOLD_H
#define TAC_DETECT_CONVEX_CLIP_MANIFOLD_H

#include "detect/convex/closest_features.h"

enum { TAC_CLIP_MAX_CONTACTS = 8 };

// Contacts with distance <= margin, ordered by feature; none if the parts are further apart.
// `axis` as for tac_gjk. Each touch has its features, normal and feature (bits of its parts 0).
int tac_clip_manifold(const tacConvex* a, const tacConvex* b, double margin, tacGjkCache* start,
                      tacFeatureContact contact[TAC_CLIP_MAX_CONTACTS], void* memory);

// the code of a touch: both parts (0..1023), how they touch, kinds and indices of both features
uint64_t tac_feature_contact_id(const tacFeatureContact* contact, int part_a, int part_b);

#endif
