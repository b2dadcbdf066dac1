// A model in a given configuration, for pictures.

#ifndef TAC_CLI_SCENE_POSED_MODEL_H
#define TAC_CLI_SCENE_POSED_MODEL_H

#include "tactus/state.h"

// In the copy, pos and quat of each body are its pose in `qpos`, so that drawing the copy without
// joints draws that configuration. The copy owns param alone. 0, or CLI_ERROR after a message.
int cli_posed_model_make(const char* command, const tacModel* model, const double* qpos,
                         tacModel* out);
void cli_posed_model_free(tacModel* posed);

#endif
