// Panels side by side.

#define _GNU_SOURCE
#include "experiments/sheet.h"

#include "cli/output.h"
#include "cli/png.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CAPTION 24 // pixels above a panel
#define GAP     8  // between panels

//---------------------------------- paper ----------------------------------------

int trial_sheet_begin(trial* t, trialSheet* sheet, int columns, int rows, int width, int height) {
    *sheet = (trialSheet){.t = t, .columns = columns, .width = width, .height = height};
    sheet->image.width = GAP + columns * (width + GAP);
    sheet->image.height = GAP + rows * (height + CAPTION + GAP);
    if (!t->folder) return 0;
    size_t size = 3 * (size_t)sheet->image.width * (size_t)sheet->image.height;
    sheet->image.rgb = malloc(size);
    if (!sheet->image.rgb) return cli_wrong("reproduce", "out of memory");
    memset(sheet->image.rgb, 255, size);
    return 0;
}

// left and upper edge of a panel
void trial_sheet_panel(const trialSheet* sheet, int panel, int* left, int* top) {
    *left = GAP + panel % sheet->columns * (sheet->width + GAP);
    *top = GAP + CAPTION + panel / sheet->columns * (sheet->height + CAPTION + GAP);
}

void trial_sheet_caption(trialSheet* sheet, int panel, const char* caption) {
    int left, top;
    trial_sheet_panel(sheet, panel, &left, &top);
    tacInk ink = tac_ink(&sheet->image);
    tac_ink_colour(&ink, 40, 40, 50);
    tac_ink_text(&ink, (tacText){left + 1.0, top - 8.0, 0.0, 1.7}, caption);
}

static void place(trialSheet* sheet, int panel, const tacImage* picture, const char* caption) {
    int left, top;
    trial_sheet_panel(sheet, panel, &left, &top);
    for (int y = 0; y < picture->height; ++y) {
        size_t at = (size_t)(top + y) * (size_t)sheet->image.width + (size_t)left;
        memcpy(sheet->image.rgb + 3 * at, picture->rgb + 3 * (size_t)y * (size_t)picture->width,
               3 * (size_t)picture->width);
    }
    trial_sheet_caption(sheet, panel, caption);
}

//---------------------------------- panels ---------------------------------------

// a slice, or, without one, a picture
static int draw_panel(trialSheet* sheet, int panel, const tacModel* model,
                      const tacSliceOptions* slice, tacSliceFrame* frame,
                      const tacDrawOptions* draw, const char* caption) {
    tacImage picture = {sheet->width, sheet->height, NULL};
    picture.rgb = malloc(3 * (size_t)sheet->width * (size_t)sheet->height);
    if (!picture.rgb) return cli_wrong("reproduce", "out of memory");
    tacResult result =
        slice ? tac_slice(model, slice, &picture, frame) : tac_draw(model, draw, &picture);
    if (result == TAC_OK) place(sheet, panel, &picture, caption);
    free(picture.rgb);
    return result == TAC_OK ? 0 : cli_wrong("reproduce", "%s", tac_result_text(result));
}

int trial_sheet_slice(trialSheet* sheet, int panel, const trialField* field,
                      const tacSliceOptions* options, tacSliceFrame* frame, const char* caption) {
    if (!sheet->image.rgb) return 0;
    tacSliceOptions slice = *options;
    slice.shape = 0;
    slice.threads = sheet->t->threads;
    int left, top, code = draw_panel(sheet, panel, field->model, &slice, frame, NULL, caption);
    trial_sheet_panel(sheet, panel, &left, &top);
    if (frame) {
        frame->left += left;
        frame->top += top;
    }
    return code;
}

int trial_sheet_view(trialSheet* sheet, int panel, const trialField* field, const char* caption) {
    tacDrawOptions draw = tac_default_draw_options();
    draw.shape = 0;
    return trial_sheet_scene(sheet, panel, field->model, draw, caption);
}

int trial_sheet_scene(trialSheet* sheet, int panel, const tacModel* model, tacDrawOptions options,
                      const char* caption) {
    if (!sheet->image.rgb) return 0;
    options.threads = sheet->t->threads;
    return draw_panel(sheet, panel, model, NULL, NULL, &options, caption);
}

void trial_sheet_line(trialSheet* sheet, const tacSliceFrame* frame, int count,
                      const double (*points)[2]) {
    if (!sheet->image.rgb) return;
    tacInk ink = tac_ink(&sheet->image);
    ink.left = frame->left;
    ink.right = frame->left + frame->width;
    ink.top = frame->top;
    ink.bottom = frame->top + frame->height;
    tac_ink_colour(&ink, 255, 255, 255);
    ink.alpha = 0.8;
    double x0 = frame->left + 0.5 * frame->width - frame->centre[0] / frame->pixel;
    double y0 = frame->top + 0.5 * frame->height + frame->centre[1] / frame->pixel;
    for (int i = 0; i + 1 < count; ++i) {
        const double *a = points[i], *b = points[i + 1];
        tacSegment stroke = {x0 + a[0] / frame->pixel, y0 - a[1] / frame->pixel,
                             x0 + b[0] / frame->pixel, y0 - b[1] / frame->pixel};
        tac_ink_strokes(&ink, &stroke, 1, 1.0);
    }
}

//---------------------------------- file -----------------------------------------

static int write_file(const trialSheet* sheet, const char* path) {
    cliFormat format;
    cliOutput output;
    int code = cli_format_find("reproduce", path, &format);
    if (code == 0) code = cli_output_open(&output, path);
    if (code != 0) return code;
    if (cli_image_write(&sheet->image, format, output.file) == 0) return cli_output_close(&output);
    code = cli_wrong("reproduce", "%s: cannot be written: %s", path, strerror(errno));
    cli_output_discard(&output);
    return code;
}

int trial_sheet_end(trialSheet* sheet, int code, const char* part) {
    const trial* t = sheet->t;
    char* path = NULL;
    if (code == 0 && sheet->image.rgb) {
        int size = asprintf(&path, "%s/%s-%s%s", t->folder, t->name, part, t->ending);
        code = size < 0 ? cli_wrong("reproduce", "out of memory") : write_file(sheet, path);
        if (code == 0 && !t->as_json) printf("  wrote %s\n", path);
        free(size < 0 ? NULL : path);
    }
    free(sheet->image.rgb);
    sheet->image.rgb = NULL;
    return code;
}
