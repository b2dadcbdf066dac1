// Frames of a run side by side in one picture.

#ifndef TAC_CLI_RENDER_MONTAGE_H
#define TAC_CLI_RENDER_MONTAGE_H

#include "cli/render/frames.h"

typedef struct cliMontage {
    int columns, rows; // 0: no sheet
} cliMontage;

// Fills the whole picture with frames of width x height each, spread evenly over the run, its first
// and last state among them. 0, or CLI_ERROR after a complaint.
int cli_montage_draw(cliMontage montage, const cliFrames* frames, const char* command,
                     const tacDrawOptions* options, int width, int height, tacImage* whole);

#endif
