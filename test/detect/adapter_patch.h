// A contact of two features as a map of a body's pose, for the check of derivatives.

#ifndef TACTUS_TEST_ADAPTER_PATCH_H
#define TACTUS_TEST_ADAPTER_PATCH_H

#include "check/check.h"
#include "detect/patch.h"

// position and quaternion of the second piece (7) to point, normal, distance (7); the first piece
// is at `a`, a position and a quaternion
typedef struct patchMap {
    tacPatchPair pair;
    double a[7];
} patchMap;

TAC_DECLARE_CHECK(tac_check_patch_);

#endif
