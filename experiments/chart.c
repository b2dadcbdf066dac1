// Curves and maps of numbers.

#include "experiments/chart.h"

#include <math.h>

void chart_curves(trialSheet* sheet, int panel, int count, const double* x, double limit,
                  const chartCurve* curves, int curve_count, const char* caption) {
    int left, top;
    if (!sheet->image.rgb) return;
    trial_sheet_caption(sheet, panel, caption);
    trial_sheet_panel(sheet, panel, &left, &top);
    tacInk ink = tac_ink(&sheet->image);
    ink.left = left, ink.right = left + sheet->width, ink.top = top,
    ink.bottom = top + sheet->height;
    double middle = top + 0.5 * sheet->height, scale = 0.48 * sheet->height / limit;
    double step = sheet->width / (x[count - 1] - x[0]);
    tac_ink_colour(&ink, 200, 200, 205);
    tacSegment axes[2] = {{left, middle, left + sheet->width, middle},
                          {left - x[0] * step, top, left - x[0] * step, top + sheet->height}};
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

void chart_map(trialSheet* sheet, int panel, int side, const double* value, double limit,
               const char* caption) {
    int left, top;
    if (!sheet->image.rgb) return;
    trial_sheet_caption(sheet, panel, caption);
    trial_sheet_panel(sheet, panel, &left, &top);
    for (int y = 0; y < sheet->height; ++y)
        for (int x = 0; x < sheet->width; ++x) {
            int i = y * side / sheet->height, j = x * side / sheet->width;
            double t = fmax(-1.0, fmin(1.0, value[i * side + j] / limit)), fade = 1.0 - fabs(t);
            size_t at = (size_t)(top + y) * (size_t)sheet->image.width + (size_t)(left + x);
            unsigned char* rgb = sheet->image.rgb + 3 * at;
            const double end[3] = {t > 0.0 ? 190.0 : 40.0, 60.0, t > 0.0 ? 50.0 : 170.0};
            for (int k = 0; k < 3; ++k)
                rgb[k] = (unsigned char)lround(255.0 * fade + end[k] * (1.0 - fade));
        }
}
