// Checks of derivatives, as the command prints them.

#ifndef TAC_CLI_GRAD_DERIVATIVE_CHECK_H
#define TAC_CLI_GRAD_DERIVATIVE_CHECK_H

#include "check/check.h"

// Runs the comparisons and prints one line for each kind. CLI_OK, CLI_FAILED if one fails, or
// CLI_ERROR after a message.
int cli_check_derivatives(const tacCheckProblem* problem, tacCheckOptions options, int as_json);

#endif
