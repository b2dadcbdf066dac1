// Frames of a trajectory side by side in one picture.

#ifndef TAC_CLI_RENDER_MONTAGE_H
#define TAC_CLI_RENDER_MONTAGE_H

#include "cli/render/frames.h"

typedef struct cliMontage {
    int columns, rows; // 0: none
} cliMontage;

// Fills the whole picture with frames, spread evenly over the run from the first to the last state.
// 0, or CLI_ERROR after a message.
int cli_montage_draw(cliMontage montage, const cliFrames* frames, tacImage* whole);

#endif
