// The moving part of a model as `tactus check --bodies` prints it: the tree of bodies with masses
// and joints, and the actuators.

#ifndef TACTUS_CLI_CHECK_BODIES_H
#define TACTUS_CLI_CHECK_BODIES_H

#include "cli/report.h"

#include "tactus/model.h"

void cli_bodies_print(const tacModel* model);

// one object for each body, then for each tendon and actuator
void cli_bodies_json(cliJson* json, const tacModel* model);

#endif
