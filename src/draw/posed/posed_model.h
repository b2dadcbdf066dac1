// A model in a given configuration, for pictures.

#ifndef TAC_DRAW_POSED_POSED_MODEL_H
#define TAC_DRAW_POSED_POSED_MODEL_H

#include "tactus/state.h"

// In the copy, pos and quat of each body are its pose in `qpos`, so that drawing the copy without
// joints draws that configuration. The copy owns param alone.
tacResult tac_posed_model_create(const tacModel* model, const double* qpos, tacModel* out);
void tac_posed_model_free(tacModel* posed);

#endif
