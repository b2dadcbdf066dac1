// Scales around the plot of a slice: title, axes, legend.

#include "draw/slice/slice_marks.h"

#include "draw/nice.h"

#include <math.h>
#include <stdio.h>

#define NUMBER_SIZE 32

// ink for words and scales
static tacInk word_ink(tacImage* image) {
    tacInk ink = tac_ink(image);
    tac_ink_colour(&ink, 45, 45, 55);
    return ink;
}

// the number of decimals that distinguishes multiples of `step`
static void write_number(double number, double step, char text[NUMBER_SIZE]) {
    int decimals = (int)ceil(-log10(step) - 1e-9);
    if (fabs(number) < 1e-6 * step) number = 0.0;
    if (decimals > 6 || fabs(number) >= 1e6)
        snprintf(text, NUMBER_SIZE, "%.6g", number);
    else
        snprintf(text, NUMBER_SIZE, "%.*f", decimals > 0 ? decimals : 0, number);
}

//---------------------------------- axes -----------------------------------------

static void write_title(const tacSliceView* view, const tacInk* ink) {
    const tacSlicePlane* plane = view->plane;
    const tacSliceFrame* f = &plane->frame;
    int shape = view->options->shape;
    const char* name = shape >= 0 ? plane->model->shape[shape].name : plane->model->name;
    char left[80], right[64], step[NUMBER_SIZE];
    snprintf(left, sizeof left, "%.40s%s%c = %g m", name ? name : "", name && *name ? ",  " : "",
             "xyz"[plane->through], f -> offset);
    write_number(f->step, f->step, step);
    snprintf(right, sizeof right, "lines every %s m", step);
    double y = f->top - 6.0 * f->unit, available = f->width / f->unit;
    tac_ink_text(ink, (tacText){f->left, y, 0.0, f->unit}, left);
    if (tac_font_width(left) + tac_font_width(right) + 10.0 < available)
        tac_ink_text(ink, (tacText){f->left + f->width, y, 1.0, f->unit}, right);
}

static void tick(const tacInk* ink, double x, double y, double dx, double dy) {
    tac_ink_strokes(ink, &(tacSegment){x, y, x + dx, y + dy}, 1, 1.0);
}

// numbers along the bottom (axis 0) or the left side (axis 1)
static void draw_axis(const tacSliceView* view, const tacInk* ink, int axis) {
    const tacSliceFrame* f = &view->plane->frame;
    double u = f->unit, side = axis ? f->height : f->width, half = 0.5 * side * f->pixel;
    double step = tac_nice_length(45.0 * u * f->pixel), bottom = f->top + f->height;
    double first = ceil((f->centre[axis] - half) / step);
    for (int k = 0; k < 1000; ++k) {
        double number = (first + k) * step, at = (number - f->centre[axis]) / f->pixel;
        if (number > f->centre[axis] + half) break;
        char text[NUMBER_SIZE];
        write_number(number, step, text);
        double x = f->left + 0.5 * f->width + at, y = f->top + 0.5 * f->height - at;
        if (axis == 0) {
            tick(ink, x, bottom, 0.0, 3.0 * u);
            tac_ink_text(ink, (tacText){x, bottom + 11.0 * u, 0.5, u}, text);
        } else {
            tick(ink, f->left, y, -3.0 * u, 0.0);
            tac_ink_text(ink, (tacText){f->left - 5.0 * u, y + 3.0 * u, 1.0, u}, text);
        }
    }
    char name[8] = "x [m]";
    name[0] = "xyz"[axis ? view->plane->up : view->plane->across];
    if (axis == 0)
        tac_ink_text(ink, (tacText){f->left + 0.5 * f->width, bottom + 22.0 * u, 0.5, u}, name);
    else
        tac_ink_text(ink, (tacText){3.0 * u, f->top - 6.0 * u, 0.0, u}, name);
}

//---------------------------------- legend ---------------------------------------

// A bar from the lowest to the highest colour. Each side is linear; a side that is much smaller
// still gets a quarter of the bar.
typedef struct legendBar {
    double left, right, top, bottom, middle; // middle: height of the scale's center
} legendBar;

static legendBar layout_bar(const tacSliceFrame* f, const tacSliceScale* s) {
    legendBar bar = {.top = f->top + 14.0 * f->unit, .bottom = f->top + f->height};
    bar.left = f->left + f->width + 10.0 * f->unit;
    bar.right = bar.left + 9.0 * f->unit;
    double share = s->low / (s->low + s->high);
    if (s->low > 0.0 && s->high > 0.0) share = fmax(0.25, fmin(0.75, share));
    bar.middle = bar.bottom - share * (bar.bottom - bar.top);
    return bar;
}

static void fill_bar(const tacSliceView* view, const legendBar* bar) {
    const tacSliceScale* s = &view->scale;
    for (int y = (int)bar->top; y < (int)bar->bottom; ++y) {
        double up = bar->middle - (y + 0.5);
        double share = up < 0.0 ? up / (bar->bottom - bar->middle) : up / (bar->middle - bar->top);
        tacInk ink = tac_ink(view->image);
        tac_slice_colour(s, s->middle + share * (up < 0.0 ? s->low : s->high), ink.rgb);
        for (int x = (int)bar->left; x < (int)bar->right; ++x) tac_ink_pixel(&ink, x, y, 1.0);
    }
}

// numbers at one side (-1 below, 1 above) of the middle
static void mark_side(const tacSliceView* view, const tacInk* ink, const legendBar* bar, int side) {
    double u = view->plane->frame.unit, range = side < 0 ? view->scale.low : view->scale.high;
    double length = side < 0 ? bar->bottom - bar->middle : bar->middle - bar->top;
    if (!(range > 0.0) || length < 12.0 * u) return;
    double step = tac_nice_length(fmax(range * 16.0 * u / length, range / 6.0));
    while (length * step / range < 16.0 * u) step = tac_nice_length(2.2 * step);
    if (step > range) step = tac_nice_length(0.5 * range);
    for (int k = 1; k * step <= 1.0001 * range && k < 100; ++k) {
        double y = bar->middle - side * length * k * step / range;
        char text[NUMBER_SIZE];
        write_number(view->scale.middle + side * k * step, step, text);
        tick(ink, bar->right, y, 2.5 * u, 0.0);
        tac_ink_text(ink, (tacText){bar->right + 5.0 * u, y + 3.0 * u, 0.0, u}, text);
    }
}

static void draw_legend(const tacSliceView* view, const tacInk* ink) {
    static const char* const names[3] = {TAC_GLYPH_PHI " [m]",
                                         "|" TAC_GLYPH_NABLA TAC_GLYPH_PHI "|",
                                         TAC_GLYPH_DELTA TAC_GLYPH_PHI " [1/m]"};
    const tacSliceFrame* f = &view->plane->frame;
    legendBar bar = layout_bar(f, &view->scale);
    fill_bar(view, &bar);
    tac_ink_text(ink, (tacText){bar.left, f->top + 6.0 * f->unit, 0.0, f->unit},
                 names[view->options->field]);
    for (int side = -1; side <= 1; side += 2) mark_side(view, ink, &bar, side);
    char text[NUMBER_SIZE];
    write_number(view->scale.middle, 1.0, text);
    tac_ink_strokes(ink, &(tacSegment){bar.left, bar.middle, bar.right + 2.5 * f->unit, bar.middle},
                    1, view->options->field == TAC_SLICE_VALUE ? fmax(2.0, 1.4 * f->unit) : 1.0);
    tac_ink_text(
        ink, (tacText){bar.right + 5.0 * f->unit, bar.middle + 3.0 * f->unit, 0.0, f->unit}, text);
    tac_ink_box(ink, bar.left, bar.top, bar.right, bar.bottom);
}

void tac_slice_scales(const tacSliceView* view) {
    const tacSliceFrame* f = &view->plane->frame;
    if (!(f->unit > 0.0)) return;
    tacInk ink = word_ink(view->image);
    tac_ink_box(&ink, f->left, f->top, f->left + f->width, f->top + f->height);
    write_title(view, &ink);
    for (int axis = 0; axis < 2; ++axis) draw_axis(view, &ink, axis);
    draw_legend(view, &ink);
}
