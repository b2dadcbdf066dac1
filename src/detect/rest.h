// Contacts that two pieces can rest on: corners over faces and edges that cross.

#ifndef TAC_DETECT_REST_H
#define TAC_DETECT_REST_H

#include "detect/closest.h"

enum { TAC_REST_POINTS = 8 };

// Contacts with distance <= margin, ordered by feature; none if the pieces are further apart.
// `axis` as for tac_gjk. Each touch has its patches, normal and feature (bits of its pieces 0).
int tac_rest(const tacConvex* a, const tacConvex* b, double margin, tacWalk* start,
             tacPatchPair touch[TAC_REST_POINTS], void* memory);

// the code of a touch: both pieces (0..1023), how they touch, kinds and indices of both patches
uint64_t tac_patch_pair_code(const tacPatchPair* touch, int piece_a, int piece_b);

#endif
