// A scene as it stands in a state: a copy of the model for pictures.

#ifndef TAC_CLI_SCENE_POSED_MODEL_H
#define TAC_CLI_SCENE_POSED_MODEL_H

#include "tactus/state.h"

// Every body's pos and quat in the copy are what its joints make of them, so that whatever draws
// the scene as it is written draws it as it stands. Only param is the copy's own. 0, or CLI_ERROR
// after a complaint by `command`.
int cli_posed_model_make(const char* command, const tacModel* model, const double* qpos,
                         tacModel* out);
void cli_posed_model_free(tacModel* posed);

#endif
