// tactus render: a picture of a scene, without a graphics card.

#include "commands.h"
#include "find.h"
#include "options.h"
#include "output.h"
#include "png.h"
#include "report.h"

#include "base/assert.h"
#include "draw/draw.h"
#include "model/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct renderCall {
    const char *path, *out, *size, *camera, *shape;
    int samples, threads;
    int width, height;
} renderCall;

//---------------------------------- arguments ------------------------------------

// "960x540"; 1 if both are whole numbers in range
static int parse_size(const char* text, int* width, int* height) {
    int* side[2] = {width, height};
    for (int i = 0; i < 2; ++i) {
        char* end;
        if (*text < '0' || *text > '9') return 0;
        long value = strtol(text, &end, 10);
        if (value < 1 || value > TAC_MAX_IMAGE || *end != (i ? '\0' : 'x')) return 0;
        *side[i] = (int)value;
        text = end + 1;
    }
    return 1;
}

static int parse(renderCall* call, int argc, char** argv) {
    const cliOption options[] = {
        {"out", 'o', CLI_TEXT, &call->out, "FILE", "picture to write, .png or .ppm", 0, 0},
        {"size", 0, CLI_TEXT, &call->size, "WxH", "pixels; 960x540 if not given", 0, 0},
        {"camera", 0, CLI_TEXT, &call->camera, "NAME",
         "camera of the scene; its first, or one that frames everything", 0, 0},
        {"shape", 0, CLI_TEXT, &call->shape, "NAME", "one shape alone on a neutral ground", 0, 0},
        {"samples", 0, CLI_INT, &call->samples, "N", "rays of a pixel at an edge; 4 if not given",
         1, TAC_MAX_SAMPLES},
        {"threads", 0, CLI_INT, &call->threads, "N", "threads; 0 (default) is one per core", 0,
         1024},
    };
    const cliCommand command = {
        .name = "render",
        .summary = "draw a scene into a PNG file",
        .positional = "FILE",
        .description = "Traces rays through the distance fields of the scene, with light and\n"
                       "shadow. The picture has the same bits for any number of threads.\n",
        .example =
            "  tactus render scenes/first_light.xml -o first_light.png\n"
            "  tactus render scenes/first_light.xml --shape pebble --size 512x512 -o p.png\n",
        .options = options,
        .option_count = TAC_COUNT(options),
        .least = 1,
        .most = 1,
        .arguments = &call->path,
    };
    int code = cli_parse(&command, argc, argv);
    if (code != CLI_GO_ON) return code;
    if (!call->out) return cli_wrong("render", "name the picture with -o, such as -o out.png");
    if (!parse_size(call->size, &call->width, &call->height))
        return cli_wrong("render", "--size: '%s' is not a size such as 960x540 (sides 1 to %d)",
                         call->size, TAC_MAX_IMAGE);
    return CLI_GO_ON;
}

//---------------------------------- names ----------------------------------------

// names of the cameras with blanks between, as far as they fit
static void list_cameras(const tacModel* model, char* text, size_t size) {
    text[0] = '\0';
    for (int i = 0; i < model->ncamera; ++i) {
        size_t used = strlen(text);
        if (*model->camera[i].name)
            snprintf(text + used, size - used, "%s%s", used ? " " : "", model->camera[i].name);
    }
}

// index of a camera, or -1 after a complaint
static int find_camera(const renderCall* call, const tacModel* model) {
    for (int i = 0; i < model->ncamera; ++i)
        if (strcmp(model->camera[i].name, call->camera) == 0) return i;
    char names[400], near[TAC_NEAREST_SIZE];
    list_cameras(model, names, sizeof names);
    int meant = tac_nearest(call->camera, names, near);
    if (!*names)
        cli_wrong("render", "%s has no camera with a name", call->path);
    else
        cli_wrong("render", "%s has no camera '%s'%s%s%s it has: %s", call->path, call->camera,
                  meant ? "; did you mean '" : "", meant ? near : "", meant ? "'?" : ";", names);
    return -1;
}

// indices of the camera and the shape that were named; 0, or CLI_WRONG after a complaint
static int find_names(const renderCall* call, const tacModel* model, tacDrawOptions* options) {
    if (call->camera && (options->camera = find_camera(call, model)) < 0) return CLI_WRONG;
    if (call->shape &&
        (options->shape = cli_find_shape("render", call->path, model, call->shape)) < 0)
        return CLI_WRONG;
    return 0;
}

//---------------------------------- progress -------------------------------------

typedef struct renderProgress {
    struct timespec begin;
    int percent; // shown last, -1: nothing yet
} renderProgress;

static void show_progress(void* user, double done) {
    renderProgress* progress = user;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)(now.tv_sec - progress->begin.tv_sec) +
                     1e-9 * (double)(now.tv_nsec - progress->begin.tv_nsec);
    int percent = (int)(100.0 * done);
    if (seconds < 1.0 || percent == progress->percent) return;
    progress->percent = percent;
    fprintf(stderr, "\rtactus render: %3d %%", percent);
}

static void clear_progress(const renderProgress* progress) {
    if (progress->percent >= 0) fprintf(stderr, "\r%*s\r", 24, "");
}

//---------------------------------- command --------------------------------------

static int draw(const renderCall* call, const tacModel* model, tacDrawOptions options,
                tacImage* image) {
    renderProgress progress = {.percent = -1};
    clock_gettime(CLOCK_MONOTONIC, &progress.begin);
    if (isatty(STDERR_FILENO)) options.progress = show_progress, options.user = &progress;
    options.samples = call->samples, options.threads = call->threads;
    tacResult result = tac_draw(model, &options, image);
    clear_progress(&progress);
    return result == TAC_OK ? 0 : cli_wrong("render", "%s", tac_result_text(result));
}

// the file is opened before the work: a wrong path should not cost the picture
static int draw_to_file(const renderCall* call, const tacModel* model, tacDrawOptions options,
                        cliFormat format) {
    tacImage image = {call->width, call->height, NULL};
    cliOutput output;
    int code = cli_output_open(&output, call->out);
    if (code != 0) return code;
    image.rgb = malloc(3 * (size_t)call->width * (size_t)call->height);
    code = image.rgb ? draw(call, model, options, &image) : cli_wrong("render", "out of memory");
    if (code == 0 && cli_image_write(&image, format, output.file) != 0)
        code = cli_wrong("render", "%s: cannot be written: %s", output.name, strerror(errno));
    free(image.rgb);
    if (code == 0) return cli_output_close(&output);
    cli_output_discard(&output);
    return code;
}

int tac_cmd_render(int argc, char** argv) {
    renderCall call = {.size = "960x540", .samples = 4};
    tacDrawOptions options = tac_default_draw_options();
    cliFormat format;
    int code = parse(&call, argc, argv);
    if (code != CLI_GO_ON) return code;
    if ((code = cli_format_find("render", call.out, &format)) != 0) return code;

    tacModel* model = NULL;
    tacMessage message;
    tacResult result = tac_load(call.path, NULL, &model, &message);
    if (result != TAC_OK) return cli_report(result, &message);
    code = find_names(&call, model, &options);
    if (code == 0) code = draw_to_file(&call, model, options, format);
    tac_model_destroy(model);
    return code;
}
