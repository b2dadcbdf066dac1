// Strokes, dots and words on a picture, antialiased by the distance to them.

#ifndef TAC_DRAW_INK_H
#define TAC_DRAW_INK_H

#include "draw/font.h"
#include "draw/image.h"

// colour of drawing, and the region that may change
typedef struct tacInk {
    tacImage* image;
    int left, top, right, bottom; // pixels that may change; right and bottom are the first that not
    double rgb[3];                // sRGB, 0 .. 255
    double alpha;                 // opacity
} tacInk;

// black, on the whole picture
tacInk tac_ink(tacImage* image);
void tac_ink_colour(tacInk* ink, double r, double g, double b);

// one pixel, covered to a share of 0 .. 1
void tac_ink_pixel(const tacInk* ink, int x, int y, double cover);

// the union of strokes with round ends; points in pixels from the upper left corner, y down
void tac_ink_strokes(const tacInk* ink, const tacSegment* strokes, int count, double width);

void tac_ink_box(const tacInk* ink, double left, double top, double right, double bottom);

// Words with their baseline at y. `anchor` is the share of the width that lies left of x: 0 starts
// there, 0.5 is in the middle, 1 ends there. `unit` is the font's, in pixels.
typedef struct tacText {
    double x, y, anchor, unit;
} tacText;

void tac_ink_text(const tacInk* ink, tacText pos, const char* text);

#endif
