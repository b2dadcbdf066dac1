// Proofs of derivatives as the command prints them.

#ifndef TAC_CLI_GRAD_DERIVATIVE_CHECK_H
#define TAC_CLI_GRAD_DERIVATIVE_CHECK_H

#include "check/check.h"

// Runs the comparisons with progress and prints a line for each kind. CLI_OK, CLI_FAILED if one of
// them is off, or CLI_ERROR after a complaint.
int cli_check_derivatives(const tacCheckProblem* problem, tacCheckOptions options, int as_json);

#endif
