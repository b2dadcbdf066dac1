// Sums over the contacts of two bodies as a function of their poses and of parameters, to be
// proven.

#ifndef TACTUS_TEST_DETECT_ADAPTER_MANIFOLD_H
#define TACTUS_TEST_DETECT_ADAPTER_MANIFOLD_H

#include "check/check.h"
#include "tactus/tactus.h"

// poses of body 1 and 2 (position, raw quaternion), then parameters
enum { MANIFOLD_POSES = 14, MANIFOLD_OUT = 16, MANIFOLD_MAX = 4000, MANIFOLD_PARAMS = 600 };

typedef struct manifoldContext {
    const tacModel* model;
    tacScratch* scratch;
    const int* used; // parameters that are inputs
    int used_count;
    void* memory; // MANIFOLD_BYTES
} manifoldContext;

#define MANIFOLD_BYTES ((size_t)16 << 20)

TAC_DECLARE_CHECK(tac_check_manifold_);

#endif
