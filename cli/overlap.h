// Bodies that start within one another, where contact is hard.

#ifndef TACTUS_CLI_OVERLAP_H
#define TACTUS_CLI_OVERLAP_H

#include "tactus/state.h"

// 0, or CLI_WRONG after a complaint about the scene `file` that names the pair and its depth.
// Scenes whose contact is soft, or that resolve overlap, are fine.
int cli_overlap_check(const char* file, const tacModel* model, const double* qpos);

#endif
