// Witness points of polygons as a map for the check of derivatives.

#ifndef TAC_WITNESS_ADAPTER_WITNESS_POLYGON_H
#define TAC_WITNESS_ADAPTER_WITNESS_POLYGON_H

#include "check/check.h"
#include "tactus/witness.h"

// inputs: corners, then regular, least, within, gap; outputs: alpha, colliding, points 6, distance,
// normal 3
typedef struct polygonMap {
    const char* name;
    int corners[2], exact;
} polygonMap;

static inline int polygon_inputs(const polygonMap* m) {
    return 3 * (m->corners[0] + m->corners[1]) + 4;
}
static inline int polygon_outputs(const polygonMap* m) {
    return m->corners[0] + m->corners[1] + 11;
}

TAC_DECLARE_CHECK(tac_check_polygon_);

#endif
