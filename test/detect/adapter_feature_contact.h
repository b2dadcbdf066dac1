// A contact of two features as a map of a body's pose, for the check of derivatives.

#ifndef TAC_DETECT_ADAPTER_FEATURE_CONTACT_H
#define TAC_DETECT_ADAPTER_FEATURE_CONTACT_H

#include "check/check.h"
#include "detect/feature_contact.h"

// position and quaternion of the second piece (7) to point, normal, distance (7); the first piece
// is at `a`, a position and a quaternion
typedef struct featureContactMap {
    tacFeatureContact pair;
    double a[7];
} featureContactMap;

TAC_DECLARE_CHECK(tac_check_patch_);

#endif
