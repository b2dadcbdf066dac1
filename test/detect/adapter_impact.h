// The time of impact as a map of 24 coordinates, for the check of derivatives.

#ifndef TACTUS_TEST_ADAPTER_IMPACT_H
#define TACTUS_TEST_ADAPTER_IMPACT_H

#include "check/check.h"
#include "detect/impact.h"

typedef struct impactMap {
    tacImpact impact;
    double guess;
} impactMap;

TAC_DECLARE_CHECK(tac_check_impact_);

#endif
