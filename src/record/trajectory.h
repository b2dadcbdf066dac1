// States of a run in memory and on disk.
//
// Row i is a full state, the control that it was left with, and its energies: a run goes on from
// any row, to the last bit. Energies are for the reader: they are not read back. docs/run.md has
// the arrays of the file.

#ifndef TAC_RECORD_TRAJECTORY_H
#define TAC_RECORD_TRAJECTORY_H

#include "tactus/state.h"

#include "record/fingerprint.h"

#include <stdio.h>

typedef struct tacTrajectory {
    const tacModel* model;
    int rows, capacity;
    double *time, *qpos, *qvel, *act,
        *warm;             // (rows) (rows x nq) (rows x nv) (rows x na) (rows x nwarm)
    double *ctrl, *energy; // (rows x nu) (rows x 2): kinetic, potential
    long long* step;       // (rows) number of the step that starts here
    char fingerprint[TAC_FINGERPRINT_SIZE]; // of the model that it was made with
} tacTrajectory;

#define TAC_MAX_TRAJECTORY_BYTES 3000000000u

// TAC_ERROR_LIMIT if that many rows do not fit into one file.
tacResult tac_trajectory_create(const tacModel* model, int capacity, tacTrajectory* out);
void tac_trajectory_destroy(tacTrajectory* t);

// A new last row; the trajectory must not be full.
void tac_trajectory_add(tacTrajectory* t, const tacState* x, const double* ctrl, long long step);

// Fills the energies of all rows; those too large for a number are infinite.
void tac_trajectory_measure(tacTrajectory* t, tacScratch* scratch);

// The arrays of a row as a state; they stay the trajectory's.
tacState tac_trajectory_row(const tacTrajectory* t, int row);

//---------------------------------- files ----------------------------------------

// 0, or -1 if the file is not whole. `version` is that of the program.
int tac_trajectory_write_npz(const tacTrajectory* t, const char* version, FILE* file);
int tac_trajectory_write_csv(const tacTrajectory* t, FILE* file);

// Reads an .npz file that fits `model`; the message names what does not fit.
tacResult tac_trajectory_read(const tacModel* model, const char* path, tacTrajectory* out,
                              tacMessage* message);

// The same from memory.
tacResult tac_trajectory_parse(const tacModel* model, const void* bytes, size_t size,
                               const char* path, tacTrajectory* out, tacMessage* message);

#endif
