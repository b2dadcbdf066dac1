// A picture of a field on a plane: colours, isolines, the surface, scales.

#ifndef TAC_DRAW_SLICE_SLICE_H
#define TAC_DRAW_SLICE_SLICE_H

#include "draw/image.h"

#include "tactus/shape.h"

typedef enum tacSliceField {
    TAC_SLICE_VALUE,    // phi
    TAC_SLICE_GRADIENT, // |gradient|
    TAC_SLICE_LAPLACIAN // trace of the Hessian
} tacSliceField;

typedef struct tacSliceOptions {
    int shape;           // index of a shape in its own frame, or -1: the smallest of all geoms
    int axis;            // 0, 1, 2: across which axis the plane lies
    double offset;       // where on that axis                                       [m]
    double span;         // from left to right, or 0: fits the solid               [m]
    tacSliceField field; // what the colours show
    int normals;         // 1: draw normals on the surface
    int point_count;     // of points to draw, with their gradients
    const double* points[3];
    int threads;      // 0: one for each core
    int centred;      // 1: the middle of the plot is `centre`, to the right and upwards
    double centre[2]; // [m]
    void (*progress)(void* user,
                     double done); // NULL, or called on the caller's thread; done 0 .. 1
    void* user;
} tacSliceOptions;

// Position of the plot in the picture, and what it shows.
typedef struct tacSliceFrame {
    int left, top, width, height; // of the plot                              [pixels]
    double unit;                  // of the font; 0: too small for words      [pixels]
    double centre[2];             // of the plot, to the right and upwards         [m]
    double offset;                // of the plane on its axis                      [m]
    double pixel;                 // side of a pixel                               [m]
    double step;                  // between isolines                              [m]
} tacSliceFrame;

// z = 0 of the scene, its values
tacSliceOptions tac_default_slice_options(void);

// Fills image->rgb, which the caller allocates for image->width x image->height. Same bits for any
// number of threads. `frame` may be NULL.
tacResult tac_slice(const tacModel* model, const tacSliceOptions* options, tacImage* image,
                    tacSliceFrame* frame);

#endif
