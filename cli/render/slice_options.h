// Options of tactus render for slices.

#ifndef TAC_CLI_RENDER_SLICE_OPTIONS_H
#define TAC_CLI_RENDER_SLICE_OPTIONS_H

#include "cli/io/points.h"

#include "draw/slice/slice.h"

// as typed; NULL or 0: not given
typedef struct cliSliceOptions {
    const char *plane, *field, *points;
    double span;
    int normals;
} cliSliceOptions;

// Fills `out`, whose points are those of `points` then. 0, or CLI_ERROR after a message.
int cli_slice_options_read(const cliSliceOptions* typed, tacSliceOptions* out, cliPoints* points);

#endif
