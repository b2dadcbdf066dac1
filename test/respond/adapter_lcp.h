// The impulses of given classes as a map x = (A, b, mu) -> f, for the check of derivatives.

#ifndef TACTUS_TEST_ADAPTER_LCP_H
#define TACTUS_TEST_ADAPTER_LCP_H

#include "check/check.h"
#include "tactus/lcp.h"

enum { MAP_CONTACTS = 6, MAP_ROWS = 3 * MAP_CONTACTS };

// the problem that a point belongs to; `sample` fills it
typedef struct lcpMap {
    int contacts, tangents;
    unsigned char active_set[MAP_ROWS];
} lcpMap;

TAC_DECLARE_CHECK(tac_check_lcp_);

#endif
