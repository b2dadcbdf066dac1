// Strokes, dots and words on a picture.

#include "draw/ink.h"

#include <math.h>
#include <stddef.h>

tacInk tac_ink(tacImage* image) {
    return (tacInk){image, 0, 0, image->width, image->height, {0.0, 0.0, 0.0}, 1.0};
}

void tac_ink_colour(tacInk* ink, double r, double g, double b) {
    ink->rgb[0] = r;
    ink->rgb[1] = g;
    ink->rgb[2] = b;
}

void tac_ink_pixel(const tacInk* ink, int x, int y, double cover) {
    if (x < ink->left || x >= ink->right || y < ink->top || y >= ink->bottom) return;
    double share = ink->alpha * fmax(0.0, fmin(1.0, cover));
    unsigned char* at = ink->image->rgb + 3 * ((size_t)y * (size_t)ink->image->width + (size_t)x);
    for (int c = 0; c < 3; ++c)
        at[c] = (unsigned char)(at[c] + share * (ink->rgb[c] - at[c]) + 0.5);
}

//---------------------------------- strokes --------------------------------------

static double segment_distance(const tacSegment* s, double x, double y) {
    double dx = s->x1 - s->x0, dy = s->y1 - s->y0, length2 = dx * dx + dy * dy;
    double t = length2 > 0.0 ? ((x - s->x0) * dx + (y - s->y0) * dy) / length2 : 0.0;
    t = fmax(0.0, fmin(1.0, t));
    return hypot(x - s->x0 - t * dx, y - s->y0 - t * dy);
}

// whole pixels between two coordinates, within the picture
static int clamp_pixel(double pos, int least, int most) {
    return pos <= least ? least : pos >= most ? most : (int)pos;
}

void tac_ink_strokes(const tacInk* ink, const tacSegment* strokes, int count, double width) {
    double radius = 0.5 * width + 1.0;
    double left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
    for (int i = 0; i < count; ++i) {
        left = fmin(left, fmin(strokes[i].x0, strokes[i].x1));
        right = fmax(right, fmax(strokes[i].x0, strokes[i].x1));
        top = fmin(top, fmin(strokes[i].y0, strokes[i].y1));
        bottom = fmax(bottom, fmax(strokes[i].y0, strokes[i].y1));
    }
    int x0 = clamp_pixel(left - radius, ink->left, ink->right),
        y0 = clamp_pixel(top - radius, ink->top, ink->bottom);
    int x1 = clamp_pixel(right + radius + 1.0, ink->left, ink->right);
    int y1 = clamp_pixel(bottom + radius + 1.0, ink->top, ink->bottom);
    for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) {
            double nearest = INFINITY;
            for (int i = 0; i < count; ++i)
                nearest = fmin(nearest, segment_distance(&strokes[i], x + 0.5, y + 0.5));
            if (nearest < radius) tac_ink_pixel(ink, x, y, 0.5 + 0.5 * width - nearest);
        }
}

void tac_ink_box(const tacInk* ink, double left, double top, double right, double bottom) {
    const tacSegment sides[4] = {{left, top, right, top},
                                 {right, top, right, bottom},
                                 {right, bottom, left, bottom},
                                 {left, bottom, left, top}};
    for (int i = 0; i < 4; ++i) tac_ink_strokes(ink, &sides[i], 1, 1.0);
}

//---------------------------------- words ----------------------------------------

void tac_ink_text(const tacInk* ink, tacText pos, const char* text) {
    double unit = pos.unit, x = pos.x - pos.anchor * unit * tac_font_width(text);
    for (; *text; ++text) {
        tacSegment strokes[TAC_FONT_LINES];
        int count = tac_font_glyph(*text, strokes);
        for (int i = 0; i < count; ++i) {
            tacSegment* s = &strokes[i];
            s->x0 = x + unit * s->x0;
            s->y0 = pos.y - unit * (s->y0 - TAC_FONT_BASE);
            s->x1 = x + unit * s->x1;
            s->y1 = pos.y - unit * (s->y1 - TAC_FONT_BASE);
        }
        if (count > 0) tac_ink_strokes(ink, strokes, count, fmax(1.1, 0.75 * unit));
        x += unit * tac_font_advance(*text);
    }
}
