// Frames of a run side by side in one picture.

#ifndef TACTUS_CLI_SHEET_H
#define TACTUS_CLI_SHEET_H

#include "draw/draw.h"
#include "record/trajectory.h"

typedef struct cliSheet {
    int columns, rows;    // 0: no sheet
    int contacts;         // show those of each frame?
    tacTrajectory frames; // frames are spread evenly over it, the first and the last among them
} cliSheet;

// Fills the whole picture, frames of width x height each. 0, or CLI_WRONG after a complaint.
int cli_sheet_draw(const cliSheet* sheet, const char* command, const tacDrawOptions* options,
                   int width, int height, tacImage* whole);

#endif
