// Forces between bodies of a scene without contact records, for tactus contacts.

#ifndef TAC_CLI_SCENE_PAIR_FORCES_H
#define TAC_CLI_SCENE_PAIR_FORCES_H

#include "tactus/step.h"

// Prints body pairs with contact force: point, force on the second body. 0 if there is any, else
// CLI_FAILED, or CLI_ERROR after a message.
int cli_pair_forces_print(const char* command, const char* path, const tacModel* model,
                          const tacState* state, int json);

#endif
