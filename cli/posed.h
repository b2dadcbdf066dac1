// A scene as it stands in a state: a copy of the model for pictures.

#ifndef TACTUS_CLI_POSED_H
#define TACTUS_CLI_POSED_H

#include "tactus/state.h"

// Every body's pos and quat in the copy are what its joints make of them, so that whatever draws
// the scene as it is written draws it as it stands. Only param is the copy's own. 0, or CLI_WRONG
// after a complaint by `command`.
int cli_posed_make(const char* command, const tacModel* model, const double* qpos, tacModel* out);
void cli_posed_free(tacModel* posed);

#endif
