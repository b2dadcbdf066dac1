// Machine code for internal use: one point, without checks.

#ifndef TAC_SYMBOLIC_CODE_CODE_H
#define TAC_SYMBOLIC_CODE_CODE_H

#include "tactus/symbolic.h"

// outputs y of one point x that is known to be finite; `work` as tac_code_run has it. y is written
// in any case; TAC_ERROR_DIVERGED if it is not finite
tacResult tac_code_run_one(const tacCode* code, const double* x, double* y, void* work);

#endif
