// Bodies that start within one another, where contact is hard.

#ifndef TAC_CLI_SCENE_INITIAL_OVERLAP_H
#define TAC_CLI_SCENE_INITIAL_OVERLAP_H

#include "tactus/state.h"

// 0, or CLI_ERROR after a complaint about the scene `file` that names the pair and its depth.
// Scenes whose contact is soft, or that resolve overlap, are fine.
int cli_initial_overlap_check(const char* file, const tacModel* model, const double* qpos);

#endif
