// Options of tactus render for slices.

#ifndef TACTUS_CLI_RENDER_SLICE_H
#define TACTUS_CLI_RENDER_SLICE_H

#include "points.h"

#include "draw/slice.h"

// as typed; NULL or 0: not given
typedef struct cliSlice {
    const char *plane, *field, *points;
    double span;
    int normals;
} cliSlice;

// Fills `out`, whose points are those of `points` then. 0, or CLI_WRONG after a complaint.
int cli_slice_read(const cliSlice* typed, tacSliceOptions* out, cliPoints* points);

#endif
