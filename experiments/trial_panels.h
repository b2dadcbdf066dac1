// A picture of an experiment: panels side by side, each with a caption.

#ifndef TAC_EXPERIMENTS_TRIAL_PANELS_H
#define TAC_EXPERIMENTS_TRIAL_PANELS_H

#include "experiments/trial.h"

#include "draw/draw.h"
#include "draw/ink.h"
#include "draw/slice/slice.h"

typedef struct trialPanels {
    trial* t;
    tacImage image;             // rgb is NULL where no pictures are wanted: then nothing is drawn
    int columns, width, height; // panels of a row, and pixels of a panel
} trialPanels;

// A white image for rows x columns panels of width x height pixels. All functions return 0, or
// CLI_ERROR after a message.
int trial_panels_begin(trial* t, trialPanels* panels, int columns, int rows, int width, int height);

// A slice of a field; `frame` (NULL to skip) is its rectangle in the image.
int trial_panels_slice(trialPanels* panels, int panel, const trialField* field,
                       const tacSliceOptions* options, tacSliceFrame* frame, const char* caption);

// A rendered solid.
int trial_panels_view(trialPanels* panels, int panel, const trialField* field, const char* caption);

// A rendered scene; threads are those of the trial.
int trial_panels_scene(trialPanels* panels, int panel, const tacModel* model,
                       tacDrawOptions options, const char* caption);

// Left and upper edge of a panel, and its caption, for other drawings.
void trial_panels_corner(const trialPanels* panels, int panel, int* left, int* top);
void trial_panels_caption(trialPanels* panels, int panel, const char* caption);

// A polyline through points (x, y) of the plane z = 0 in a sliced panel.
void trial_panels_line(trialPanels* panels, const tacSliceFrame* frame, int count,
                       const double (*points)[2]);

// Writes FOLDER/NAME-part.ENDING whole or not at all if `code` is 0, and frees the image.
int trial_panels_end(trialPanels* panels, int code, const char* part);

#endif
