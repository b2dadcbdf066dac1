// Derivative check of a step with hard contact, which has no complex or quad version: jvp against
// vjp and against converged differences, at states of a run without one-sided flags.

#ifndef TAC_CLI_GRAD_GRAD_HARD_H
#define TAC_CLI_GRAD_GRAD_HARD_H

#include "cli/grad/grad_motion.h"

// 0, or an exit code after a message or a failed comparison
int cli_grad_hard(const tacModel* model, const tacState* start, const double* ctrl,
                  const cliGradMotionCall* call);

#endif
