// Panels of a sheet that show numbers: curves over a length, and maps in two colours.

#ifndef TAC_EXPERIMENTS_PLOT_H
#define TAC_EXPERIMENTS_PLOT_H

#include "experiments/trial_panels.h"

typedef struct plotCurve {
    const double* value; // (count)
    double rgb[3];       // 0 .. 255
} plotCurve;

// curves over the places x, scaled so that -limit .. limit fills the panel
void plot_curves(trialPanels* panels, int panel, int count, const double* x, double limit,
                 const plotCurve* curves, int curve_count, const char* caption);

// Curves over x with both axes logarithmic and a line for each decade of the values; values that
// are not above 0 are left out.
void plot_log(trialPanels* panels, int panel, int count, const double* x, const plotCurve* curves,
              int curve_count, const char* caption);

// side x side values, rows from the top: blue below 0, red above, white at 0; `limit` is full
// colour
void plot_map(trialPanels* panels, int panel, int side, const double* value, double limit,
              const char* caption);

#endif
