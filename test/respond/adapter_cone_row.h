// Numbers of a row of the convex problem as a map to (aref, D, width).

#ifndef TACTUS_TEST_ADAPTER_CONE_ROW_H
#define TACTUS_TEST_ADAPTER_CONE_ROW_H

#include "check/check.h"

TAC_DECLARE_CHECK(tac_check_cone_row_);

#endif
