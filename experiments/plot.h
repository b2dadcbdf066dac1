// Plots of an experiment: columns of numbers in a CSV file, drawn by gnuplot.
//
//   experiment --plotFigure--> [plot_write] --NAME-PART.csv--> gnuplot --> NAME-PART.svg, .png

#ifndef TAC_EXPERIMENTS_PLOT_H
#define TAC_EXPERIMENTS_PLOT_H

#include "experiments/trial.h"

#define PLOT_SERIES 4 // of a panel, at most

typedef enum plotStyle {
    PLOT_LINES,   // y over x
    PLOT_MARKERS, // the same with a marker at each value
    PLOT_POINTS,  // points (x, y), shaded by z
    PLOT_MAP      // z over a grid of points (x, y), in two colours about 0
} plotStyle;

// Labels and names hold neither commas nor quotes.
typedef struct plotAxis {
    const char* label; // quantity and unit: "force [N]"
    double low, high;  // both 0: fitted to the values
    double tick_step;  // 0: chosen by gnuplot
    int logarithmic;   // values that are not above 0 are left out
    int ticks_at_x;    // x alone: ticks at the values of the first series
} plotAxis;

typedef struct plotSeries {
    const char* name; // in the legend
    int count;
    const double *x, *y, *z; // (count); z is NULL for lines
} plotSeries;

typedef struct plotPanel {
    const char* title;
    plotStyle style;
    plotAxis x, y, z;
    int equal_scale; // one metre is as long on y as on x
    int series_count;
    plotSeries series[PLOT_SERIES];
} plotPanel;

typedef struct plotFigure {
    const char* part;  // of the file name
    int columns;       // panels in a row
    int width, height; // pixels of a panel
    int panel_count;
    const plotPanel* panels;
} plotFigure;

// Writes FOLDER/NAME-PART.csv, .svg and .png, each whole or not at all; nothing without a folder.
// Where gnuplot is not installed, writes the CSV file and warns once. 0, or CLI_ERROR after a
// message.
int plot_write(trial* t, const plotFigure* figure);

#endif
