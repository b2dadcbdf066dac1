// The deepest overlap of a scene with smooth contact, as `run` and `check` print it.

#ifndef TAC_CLI_SCENE_OVERLAP_H
#define TAC_CLI_SCENE_OVERLAP_H

#include "cli/report.h"

#include "tactus/state.h"

typedef struct cliOverlap {
    double share; // of the thickness of the thinner geom; 0: none
    double depth; // [m]
    double time;  // [s]
    int geom[2];
} cliOverlap;

// One line where there is an overlap; `deep` steps were beyond 1 % (TAC_DEEP_OVERLAP).
void cli_overlap_print(const tacModel* model, const cliOverlap* overlap, long long deep);
void cli_overlap_json(cliJson* json, const tacModel* model, const cliOverlap* overlap);

// Of the initial configuration and of all keyframes, those that overlap by more than 1 %.
void cli_overlap_check(const tacModel* model, cliJson* json);

#endif
