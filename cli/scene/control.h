// What drives a run: the control of each step, given on the command line.
//
// A control depends on the number of the step alone, so a run that goes on from a file sees what
// one long run would have seen.

#ifndef TAC_CLI_SCENE_CONTROL_H
#define TAC_CLI_SCENE_CONTROL_H

#include "record/trajectory.h"

typedef struct cliControl {
    const tacModel* model;
    int random;              // uniform in ctrlrange, or in [-1, 1]
    unsigned long long seed; // of random
    double* rows;            // (count x nu), each from step[i] on; the last one stays
    long long* step;         // (count)
    int count;
} cliControl;

// `text`: NULL (zeros), "random", one number, nu numbers, or a file: .npz of tactus run, or CSV
// with nu numbers a line, a line for each step. 0, or CLI_ERROR after a complaint by `command`.
int cli_control_read(cliControl* control, const char* command, const tacModel* model,
                     const char* text, int seed);
void cli_control_free(cliControl* control);

// The control of a step, of one of several runs side by side.
void cli_control_at(const cliControl* control, long long step, int element, double* ctrl);

#endif
