// A picture of a model, on all cores.

#ifndef TAC_DRAW_DRAW_H
#define TAC_DRAW_DRAW_H

#include "draw/marks.h"

#define TAC_MAX_IMAGE   16384 // pixels of a side
#define TAC_MAX_SAMPLES 64

typedef struct tacDrawOptions {
    int camera;           // index, or -1: the first of the scene, or a view of everything
    int shape;            // index of a shape to draw alone, or -1: the scene
    int samples;          // rays of a pixel that has an edge, 1 .. TAC_MAX_SAMPLES
    int threads;          // 0: one for each core
    double opacity;       // upper bound of the solids' opacity
    const tacMark* marks; // drawn over the picture (nmarks)
    int nmarks;
    double arrow; // length of an arrow along a unit vector; 0: by the size of things [m]
    void (*progress)(void* user,
                     double done); // NULL, or called on the caller's thread; done 0 .. 1
    void* user;
} tacDrawOptions;

tacDrawOptions tac_default_draw_options(void);

// Fills image->rgb, which the caller allocates for image->width x image->height. Same bits for any
// number of threads.
tacResult tac_draw(const tacModel* model, const tacDrawOptions* options, tacImage* image);

// The eye of a picture of that width/height.
tacResult tac_draw_camera(const tacModel* model, const tacDrawOptions* options, double aspect,
                          tacCamera* eye);

#endif
