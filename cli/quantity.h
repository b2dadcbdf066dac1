// Quantities of a motion by the names that a user types.

#ifndef TACTUS_CLI_QUANTITY_H
#define TACTUS_CLI_QUANTITY_H

#include "step/quantity.h"

// "energy", "kinetic", "potential", "qpos:knee", "qvel:root/z", "act:0", "xpos:hand/z". 0, or
// CLI_WRONG after a complaint that lists what there is.
int cli_quantity_read(const char* command, const tacModel* model, const char* text,
                      tacQuantity* out);

#endif
