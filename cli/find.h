// Finding what a user named on the command line.

#ifndef TACTUS_CLI_FIND_H
#define TACTUS_CLI_FIND_H

#include "tactus/model.h"

// Index of the shape `name`, or of the only shape if name is NULL; -1 after a complaint that lists
// the shapes and the one that was probably meant.
int cli_find_shape(const char* command, const char* path, const tacModel* model, const char* name);

#endif
