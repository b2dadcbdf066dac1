// Panels of a sheet that show numbers: curves over a length, and maps in two colours.

#ifndef TACTUS_EXPERIMENTS_CHART_H
#define TACTUS_EXPERIMENTS_CHART_H

#include "experiments/sheet.h"

typedef struct chartCurve {
    const double* value; // (count)
    double rgb[3];       // 0 .. 255
} chartCurve;

// curves over the places x, scaled so that -limit .. limit fills the panel
void chart_curves(trialSheet* sheet, int panel, int count, const double* x, double limit,
                  const chartCurve* curves, int curve_count, const char* caption);

// Curves over x with both axes logarithmic and a line for each decade of the values; values that
// are not above 0 are left out.
void chart_log(trialSheet* sheet, int panel, int count, const double* x, const chartCurve* curves,
               int curve_count, const char* caption);

// side x side values, rows from the top: blue below 0, red above, white at 0; `limit` is full
// colour
void chart_map(trialSheet* sheet, int panel, int side, const double* value, double limit,
               const char* caption);

#endif
