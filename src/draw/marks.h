// Points with arrows over a picture, such as contacts with their normals.

#ifndef TAC_DRAW_MARKS_H
#define TAC_DRAW_MARKS_H

#include "draw/image.h"
#include "draw/stage.h"

typedef struct tacMark {
    double point[3]; // in the world                                              [m]
    double along[3]; // of length at most 1: an arrow of this share of the full length
    double rgb[3];   // sRGB, 0 .. 255
    double alpha;    // opacity of the dot
} tacMark;

// Draws the marks over the picture, in their order; `full` is the length of an arrow along
// a unit vector, 0: 0.4 of the mean radius of the stage's items.
void tac_draw_marks(const tacStage* stage, const tacMark* marks, int count, double full,
                    tacImage* image);

#endif
