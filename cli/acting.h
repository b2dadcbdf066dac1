// Forces between bodies of a scene without contact records, for tactus contacts.

#ifndef TACTUS_CLI_ACTING_H
#define TACTUS_CLI_ACTING_H

#include "tactus/step.h"

// Prints the pairs of bodies that push each other at a state: place, force on the second. 0 if any
// does, else CLI_NO, or CLI_WRONG after a complaint by `command`.
int cli_acting(const char* command, const char* path, const tacModel* model, const tacState* state,
               int json);

#endif
