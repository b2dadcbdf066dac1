// The wrench between two clouds as a map of 33 numbers, for the check of derivatives.

#ifndef TACTUS_TEST_ADAPTER_SCM_H
#define TACTUS_TEST_ADAPTER_SCM_H

#include "check/check.h"
#include "respond/force/scm.h"

// position and quaternion of both bodies, their twists, the numbers
#define SCM_INPUTS (2 * 7 + 2 * 6 + TAC_SCM_NUMBERS)

typedef struct scmMap {
    const tacContactCloud* cloud[2];
    double origin[3];
    int reference, exact;
    int kind;     // what a test samples
    int implicit; // is the force that of the end of a step? The leads are fixed
} scmMap;

TAC_DECLARE_CHECK(tac_check_scm_);

#endif
