// Curves and maps of numbers.

#include "experiments/plot.h"

#include <math.h>

void plot_curves(trialPanels* panels, int panel, int count, const double* x, double limit,
                 const plotCurve* curves, int curve_count, const char* caption) {
    int left, top;
    if (!panels->image.rgb) return;
    trial_panels_caption(panels, panel, caption);
    trial_panels_corner(panels, panel, &left, &top);
    tacInk ink = tac_ink(&panels->image);
    ink.left = left;
    ink.right = left + panels->width;
    ink.top = top;
    ink.bottom = top + panels->height;
    double middle = top + 0.5 * panels->height, scale = 0.48 * panels->height / limit;
    double step = panels->width / (x[count - 1] - x[0]);
    tac_ink_colour(&ink, 200, 200, 205);
    tacSegment axes[2] = {{left, middle, left + panels->width, middle},
                          {left - x[0] * step, top, left - x[0] * step, top + panels->height}};
    tac_ink_strokes(&ink, axes, 2, 1.0);
    for (int c = 0; c < curve_count; ++c) {
        tac_ink_colour(&ink, curves[c].rgb[0], curves[c].rgb[1], curves[c].rgb[2]);
        for (int i = 0; i + 1 < count; ++i) {
            tacSegment s = {left + (x[i] - x[0]) * step, middle - scale * curves[c].value[i],
                            left + (x[i + 1] - x[0]) * step,
                            middle - scale * curves[c].value[i + 1]};
            tac_ink_strokes(&ink, &s, 1, 1.8);
        }
    }
}

// decades that hold all values above 0
static void find_decades(int count, const plotCurve* curves, int curve_count, double range[2]) {
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int c = 0; c < curve_count; ++c)
        for (int i = 0; i < count; ++i) {
            double v = curves[c].value[i];
            if (!(v > 0.0)) continue;
            range[0] = fmin(range[0], floor(log10(v)));
            range[1] = fmax(range[1], ceil(log10(v)));
        }
}

void plot_log(trialPanels* panels, int panel, int count, const double* x, const plotCurve* curves,
              int curve_count, const char* caption) {
    int left, top;
    double range[2];
    if (!panels->image.rgb) return;
    trial_panels_caption(panels, panel, caption);
    trial_panels_corner(panels, panel, &left, &top);
    find_decades(count, curves, curve_count, range);
    tacInk ink = tac_ink(&panels->image);
    double high = panels->height / (range[1] - range[0] + 1e-9), bottom = top + panels->height;
    double wide = (panels->width - 40.0) / log10(x[count - 1] / x[0]);
    for (double d = range[0]; d <= range[1]; d += 1.0) {
        char text[16];
        double y = bottom - high * (d - range[0]);
        tacSegment line = {left + 36.0, y, left + panels->width, y};
        tac_ink_colour(&ink, 205, 205, 210);
        tac_ink_strokes(&ink, &line, 1, 1.0);
        tac_ink_colour(&ink, 90, 90, 100);
        snprintf(text, sizeof text, "%g", pow(10.0, d));
        tac_ink_text(&ink, (tacText){left + 32.0, y + (d > range[0] ? 10.0 : -2.0), 1.0, 1.2},
                     text);
    }
    for (int c = 0; c < curve_count; ++c) {
        const double* v = curves[c].value;
        tac_ink_colour(&ink, curves[c].rgb[0], curves[c].rgb[1], curves[c].rgb[2]);
        for (int i = 0, last = -1; i < count; ++i) {
            if (!(v[i] > 0.0)) continue;
            int from = last < 0 ? i : last;
            tacSegment s = {left + 38.0 + wide * log10(x[from] / x[0]),
                            bottom - high * (log10(v[from]) - range[0]),
                            left + 38.0 + wide * log10(x[i] / x[0]),
                            bottom - high * (log10(v[i]) - range[0])};
            tac_ink_strokes(&ink, &s, 1, 2.0);
            last = i;
        }
    }
}

void plot_map(trialPanels* panels, int panel, int side, const double* value, double limit,
              const char* caption) {
    int left, top;
    if (!panels->image.rgb) return;
    trial_panels_caption(panels, panel, caption);
    trial_panels_corner(panels, panel, &left, &top);
    for (int y = 0; y < panels->height; ++y)
        for (int x = 0; x < panels->width; ++x) {
            int i = y * side / panels->height, j = x * side / panels->width;
            double t = fmax(-1.0, fmin(1.0, value[i * side + j] / limit)), fade = 1.0 - fabs(t);
            size_t at = (size_t)(top + y) * (size_t)panels->image.width + (size_t)(left + x);
            unsigned char* rgb = panels->image.rgb + 3 * at;
            const double end[3] = {t > 0.0 ? 190.0 : 40.0, 60.0, t > 0.0 ? 50.0 : 170.0};
            for (int k = 0; k < 3; ++k)
                rgb[k] = (unsigned char)lround(255.0 * fade + end[k] * (1.0 - fade));
        }
}
