// Forces between bodies of a scene without contact records, for tactus contacts.

#ifndef TAC_CLI_SCENE_PAIR_FORCES_H
#define TAC_CLI_SCENE_PAIR_FORCES_H

#include "tactus/step.h"

// Prints the pairs of bodies that push each other at a state: place, force on the second. 0 if any
// does, else CLI_FAILED, or CLI_ERROR after a complaint by `command`.
int cli_pair_forces_print(const char* command, const char* path, const tacModel* model,
                          const tacState* state, int json);

#endif
