// Frames of a run side by side in one picture.

#ifndef TACTUS_CLI_SHEET_H
#define TACTUS_CLI_SHEET_H

#include "frames.h"

typedef struct cliSheet {
    int columns, rows; // 0: no sheet
} cliSheet;

// Fills the whole picture with frames of width x height each, spread evenly over the run, its first
// and last state among them. 0, or CLI_WRONG after a complaint.
int cli_sheet_draw(cliSheet sheet, const cliFrames* frames, const char* command,
                   const tacDrawOptions* options, int width, int height, tacImage* whole);

#endif
