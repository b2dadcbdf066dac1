// A small function with a dial that spoils one of its derivatives by 1 %.

#ifndef TACTUS_TEST_ADAPTER_EXAMPLE_H
#define TACTUS_TEST_ADAPTER_EXAMPLE_H

#include "check/check.h"

enum { SPOIL_NOTHING, SPOIL_JVP, SPOIL_VJP, SPOIL_VJP_CURVATURE, SPOIL_VALUE };

typedef struct exampleContext {
    int spoil;
    double far; // outputs are small differences of numbers of this size
} exampleContext;

TAC_DECLARE_CHECK(tac_check_example_);

#endif
