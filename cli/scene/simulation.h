// Many steps of one run, or of a batch.

#ifndef TAC_CLI_SCENE_SIMULATION_H
#define TAC_CLI_SCENE_SIMULATION_H

#include "cli/scene/control.h"
#include "cli/scene/initial_state.h"
#include "cli/scene/overlap.h"

typedef struct cliSimulation {
    const tacModel* model;
    const cliControl* control;
    const cliInitialState* start;
    long long steps;
    int batch, threads;        // runs of the batch; 0 threads: one per core
    int every;                 // records every N-th state of the first run
    tacTrajectory* trajectory; // of the first run, with capacity for its states

    // results
    tacState end;             // of the first run; arrays of `memory`
    tacResult result;         // of the first run
    long long done;           // steps of the first run
    long long total_steps;    // steps of all runs
    int diverged;             // runs that diverged
    long long fallbacks;      // steps of the first run with TAC_FALLBACK
    long long energy_bounded; // steps of the first run whose restitution would add energy
                              // (TAC_RESTITUTION_REDUCED)
    long long cut_short;      // steps of the first run that ended early (TAC_IMPACT_OVERFLOW)
    long long stiff_steps;    // steps of the first run that were too long for contact (TAC_STIFF)
    long long deep_steps;     // steps of the first run with TAC_DEEP_OVERLAP
    cliOverlap overlap;       // the deepest one of the first run
    double stable_timestep;   // largest stable time step                                    [s]
    double unused_time;       // skipped time of those                                       [s]
    double seconds;           // wall-clock time of the steps                                [s]
    double max_qvel;          // largest |qvel| of the first run
    double max_qvel_time;     // its time
    int max_qvel_dof;
    void* memory;
} cliSimulation;

// 0, or CLI_ERROR after a message. Free it in any case.
int cli_simulation_run(cliSimulation* simulation, const char* command);
void cli_simulation_free(cliSimulation* simulation);

// most rows of the trajectory
long long cli_simulation_rows(const cliSimulation* simulation);

#endif
