// Control of a run: ctrl of each step, as given on the command line.
//
// It depends on the number of the step alone: a continued run has the same control as one long run.

#ifndef TAC_CLI_SCENE_CONTROL_H
#define TAC_CLI_SCENE_CONTROL_H

#include "record/trajectory.h"

typedef struct cliControl {
    const tacModel* model;
    int random;              // uniform in ctrlrange, or in [-1, 1]
    unsigned long long seed; // of random
    double* rows;            // (count x nu), row i from step[i] on; the last row stays
    long long* step;         // (count)
    int count;
} cliControl;

// `text`: NULL (zeros), "random", one number, nu numbers, or a file: .npz of tactus run, or CSV
// with nu numbers a line, a line for each step. 0, or CLI_ERROR after a message.
int cli_control_read(cliControl* control, const char* command, const tacModel* model,
                     const char* text, int seed);
void cli_control_free(cliControl* control);

// Control of a step of one run of a batch.
void cli_control_at(const cliControl* control, long long step, int element, double* ctrl);

#endif
