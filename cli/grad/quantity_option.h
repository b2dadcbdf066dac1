// Quantities of a motion by the names that a user types.

#ifndef TAC_CLI_GRAD_QUANTITY_OPTION_H
#define TAC_CLI_GRAD_QUANTITY_OPTION_H

#include "step/quantity.h"

// "energy", "kinetic", "potential", "qpos:knee", "qvel:root/z", "act:pull", "xpos:hand/z". 0, or
// CLI_ERROR after a message that lists the choices.
int cli_quantity_parse(const char* command, const tacModel* model, const char* text,
                       tacQuantity* out);

#endif
