// Shapes by the names of the command line.

#ifndef TAC_CLI_SCENE_SHAPE_BY_NAME_H
#define TAC_CLI_SCENE_SHAPE_BY_NAME_H

#include "tactus/model.h"

// Index of the shape `name`, or of the only shape if name is NULL; -1 after a message that lists
// the shapes and the one that was probably meant.
int cli_shape_by_name(const char* command, const char* path, const tacModel* model,
                      const char* name);

#endif
