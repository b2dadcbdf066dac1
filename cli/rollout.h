// Many steps, of one run or of several side by side.

#ifndef TACTUS_CLI_ROLLOUT_H
#define TACTUS_CLI_ROLLOUT_H

#include "control.h"
#include "start.h"

typedef struct cliRollout {
    const tacModel* model;
    const cliControl* control;
    const cliStart* start;
    long long steps;
    int batch, threads;  // runs side by side; 0 threads: one per core
    int every;           // states that are kept of the first run: each of this many steps
    tacTrajectory* kept; // of the first run; room for its states

    // what came out
    tacState end;      // of the first run; arrays of the rollout
    tacResult result;  // of the first run
    long long done;    // steps of the first run
    long long stepped; // steps of all runs
    int lost;          // runs that diverged
    long long slower;  // steps of the first run with a remark of TAC_FALLBACK
    long long bounded; // steps of the first run whose restitution would add energy (TAC_BOUNDED)
    long long cut;     // steps of the first run that ended early (TAC_CUT_SHORT)
    long long stiff;   // steps of the first run that were too long for contact (TAC_STIFF)
    double stable;     // longest step that it would have stood there                 [s]
    double unused;     // time that those did not use                                 [s]
    double seconds;    // that the steps took
    double fastest;    // largest |qvel| of the first run
    double fastest_at; // its time
    int fastest_dof;
    void* memory;
} cliRollout;

// 0, or CLI_WRONG after a complaint by `command`. Then to be given back.
int cli_rollout_run(cliRollout* rollout, const char* command);
void cli_rollout_free(cliRollout* rollout);

// rows that the kept states take
long long cli_rollout_rows(const cliRollout* rollout);

#endif
