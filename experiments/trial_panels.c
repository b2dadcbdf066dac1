// Panels of a picture.

#define _GNU_SOURCE
#include "experiments/trial_panels.h"

#include "cli/io/image_file.h"
#include "cli/io/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CAPTION 24 // pixels above a panel
#define GAP     8  // between panels

//---------------------------------- paper ----------------------------------------

int trial_panels_begin(trial* t, trialPanels* panels, int columns, int rows, int width,
                       int height) {
    *panels = (trialPanels){.t = t, .columns = columns, .width = width, .height = height};
    panels->image.width = GAP + columns * (width + GAP);
    panels->image.height = GAP + rows * (height + CAPTION + GAP);
    if (!t->folder) return 0;
    size_t size = 3 * (size_t)panels->image.width * (size_t)panels->image.height;
    panels->image.rgb = malloc(size);
    if (!panels->image.rgb) return cli_error("reproduce", "out of memory");
    memset(panels->image.rgb, 255, size);
    return 0;
}

// left and upper edge of a panel
void trial_panels_corner(const trialPanels* panels, int panel, int* left, int* top) {
    *left = GAP + panel % panels->columns * (panels->width + GAP);
    *top = GAP + CAPTION + panel / panels->columns * (panels->height + CAPTION + GAP);
}

void trial_panels_caption(trialPanels* panels, int panel, const char* caption) {
    int left, top;
    trial_panels_corner(panels, panel, &left, &top);
    tacInk ink = tac_ink(&panels->image);
    tac_ink_colour(&ink, 40, 40, 50);
    tac_ink_text(&ink, (tacText){left + 1.0, top - 8.0, 0.0, 1.7}, caption);
}

static void paste_picture(trialPanels* panels, int panel, const tacImage* picture,
                          const char* caption) {
    int left, top;
    trial_panels_corner(panels, panel, &left, &top);
    for (int y = 0; y < picture->height; ++y) {
        size_t at = (size_t)(top + y) * (size_t)panels->image.width + (size_t)left;
        memcpy(panels->image.rgb + 3 * at, picture->rgb + 3 * (size_t)y * (size_t)picture->width,
               3 * (size_t)picture->width);
    }
    trial_panels_caption(panels, panel, caption);
}

//---------------------------------- panels ---------------------------------------

// a slice, or, where `slice` is NULL, a picture of the scene
typedef struct panelView {
    const tacSliceOptions* slice;
    tacSliceFrame* frame;
    const tacDrawOptions* draw;
} panelView;

static int draw_panel(trialPanels* panels, int panel, const tacModel* model, panelView view,
                      const char* caption) {
    tacImage picture = {panels->width, panels->height, NULL};
    picture.rgb = malloc(3 * (size_t)panels->width * (size_t)panels->height);
    if (!picture.rgb) return cli_error("reproduce", "out of memory");
    tacResult result = view.slice ? tac_slice(model, view.slice, &picture, view.frame)
                                  : tac_draw(model, view.draw, &picture);
    if (result == TAC_OK) paste_picture(panels, panel, &picture, caption);
    free(picture.rgb);
    return result == TAC_OK ? 0 : cli_error("reproduce", "%s", tac_result_text(result));
}

int trial_panels_slice(trialPanels* panels, int panel, const trialField* field,
                       const tacSliceOptions* options, tacSliceFrame* frame, const char* caption) {
    if (!panels->image.rgb) return 0;
    tacSliceOptions slice = *options;
    slice.shape = 0;
    slice.threads = panels->t->threads;
    int left, top,
        code = draw_panel(panels, panel, field->model, (panelView){&slice, frame, NULL}, caption);
    trial_panels_corner(panels, panel, &left, &top);
    if (frame) {
        frame->left += left;
        frame->top += top;
    }
    return code;
}

int trial_panels_view(trialPanels* panels, int panel, const trialField* field,
                      const char* caption) {
    tacDrawOptions draw = tac_default_draw_options();
    draw.shape = 0;
    return trial_panels_scene(panels, panel, field->model, draw, caption);
}

int trial_panels_scene(trialPanels* panels, int panel, const tacModel* model,
                       tacDrawOptions options, const char* caption) {
    if (!panels->image.rgb) return 0;
    options.threads = panels->t->threads;
    return draw_panel(panels, panel, model, (panelView){NULL, NULL, &options}, caption);
}

void trial_panels_line(trialPanels* panels, const tacSliceFrame* frame, int count,
                       const double (*points)[2]) {
    if (!panels->image.rgb) return;
    tacInk ink = tac_ink(&panels->image);
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

static int write_file(const trialPanels* panels, const char* path) {
    cliImageFormat format;
    cliOutput output;
    int code = cli_image_format("reproduce", path, &format);
    if (code == 0) code = cli_output_open(&output, path);
    if (code != 0) return code;
    if (cli_image_write(&panels->image, format, output.file) == 0) return cli_output_close(&output);
    code = cli_error("reproduce", "%s: cannot be written: %s", path, strerror(errno));
    cli_output_discard(&output);
    return code;
}

int trial_panels_end(trialPanels* panels, int code, const char* part) {
    const trial* t = panels->t;
    char* path = NULL;
    if (code == 0 && panels->image.rgb) {
        int size = asprintf(&path, "%s/%s-%s%s", t->folder, t->name, part, t->ending);
        code = size < 0 ? cli_error("reproduce", "out of memory") : write_file(panels, path);
        if (code == 0 && !t->as_json) printf("  wrote %s\n", path);
        free(size < 0 ? NULL : path);
    }
    free(panels->image.rgb);
    panels->image.rgb = NULL;
    return code;
}
