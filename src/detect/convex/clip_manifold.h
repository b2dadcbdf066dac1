// Contacts that two pieces can rest on: corners over faces and edges that cross.

#ifndef TAC_DETECT_CONVEX_CLIP_MANIFOLD_H
#define TAC_DETECT_CONVEX_CLIP_MANIFOLD_H

#include "detect/convex/closest_features.h"

enum { TAC_CLIP_MAX_CONTACTS = 8 };

// Contacts with distance <= margin, ordered by feature; none if the pieces are further apart.
// `axis` as for tac_gjk. Each touch has its patches, normal and feature (bits of its pieces 0).
int tac_clip_manifold(const tacConvex* a, const tacConvex* b, double margin, tacGjkCache* start,
                      tacFeatureContact contact[TAC_CLIP_MAX_CONTACTS], void* memory);

// the code of a touch: both pieces (0..1023), how they touch, kinds and indices of both patches
uint64_t tac_feature_contact_id(const tacFeatureContact* contact, int part_a, int part_b);

#endif
