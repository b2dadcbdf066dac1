// Annotations of a slice: scales, legend, normals, points.

#ifndef TAC_DRAW_SLICE_SLICE_MARKS_H
#define TAC_DRAW_SLICE_SLICE_MARKS_H

#include "draw/ink.h"
#include "draw/slice/slice_plane.h"

// Colours of a number: blue below the middle, warm above.
typedef struct tacSliceScale {
    double middle;
    double low, high; // range of the colours below and above; 0: no such side
    int neutral;      // 1: no jump of the colour at the middle
} tacSliceScale;

void tac_slice_colour(const tacSliceScale* scale, double number, double rgb[3]);

// A slice while it is drawn.
typedef struct tacSliceView {
    const tacSlicePlane* plane;
    const tacSliceOptions* options;
    tacSliceScale scale;
    tacImage* image;
} tacSliceView;

// title, axes and legend around the plot
void tac_slice_scales(const tacSliceView* view);

// normals along the surface, one every few pixels
tacResult tac_slice_normals(const tacSliceView* view, tacSliceWorkspace* workspace,
                            tacScratch* scratch);

// a dot at a point [pixels] with an arrow along a vector of the plane, upwards positive
void tac_slice_arrow(const tacSliceView* view, const double at[2], const double along[2]);

// points of clouds near the plane, with their own normals
tacResult tac_slice_clouds(const tacSliceView* view);

// points and their gradients; those off the plane are rings
tacResult tac_slice_points(const tacSliceView* view, tacSliceWorkspace* workspace,
                           tacScratch* scratch);

#endif
