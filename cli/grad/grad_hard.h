// The proof of a step of hard contact, whose branches are of doubles: forward against reverse, and
// against differences that have converged, at states of a run that no flag calls one-sided.

#ifndef TAC_CLI_GRAD_GRAD_HARD_H
#define TAC_CLI_GRAD_GRAD_HARD_H

#include "cli/grad/grad_motion.h"

// 0, or an exit code after a complaint or a failed comparison
int cli_grad_hard(const tacModel* model, const tacState* start, const double* ctrl,
                  const cliGradMotionCall* call);

#endif
