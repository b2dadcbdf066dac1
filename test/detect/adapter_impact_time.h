// The time of impact as a map of 24 coordinates, for the check of derivatives.

#ifndef TAC_DETECT_ADAPTER_IMPACT_TIME_H
#define TAC_DETECT_ADAPTER_IMPACT_TIME_H

#include "check/check.h"
#include "detect/impact_time.h"

typedef struct impactMap {
    tacImpact impact;
    double guess;
} impactMap;

TAC_DECLARE_CHECK(tac_check_impact_);

#endif
