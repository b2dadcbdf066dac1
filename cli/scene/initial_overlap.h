// Initial overlap of scenes with hard contact.

#ifndef TAC_CLI_SCENE_INITIAL_OVERLAP_H
#define TAC_CLI_SCENE_INITIAL_OVERLAP_H

#include "tactus/state.h"

// 0, or CLI_ERROR after a message about the scene `file` that names the pair and its depth. Soft
// contact and overlap="resolve" are always accepted.
int cli_initial_overlap_check(const char* file, const tacModel* model, const double* qpos);

#endif
