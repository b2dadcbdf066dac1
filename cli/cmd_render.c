// tactus render: a picture of a scene, without a graphics card.

#include "cli/commands.h"
#include "cli/io/image_file.h"
#include "cli/io/output.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/render/animation.h"
#include "cli/render/contact_markers.h"
#include "cli/render/montage.h"
#include "cli/render/slice_options.h"
#include "cli/report.h"
#include "cli/scene/initial_state.h"
#include "cli/scene/posed_model.h"
#include "cli/scene/shape_by_name.h"

#include "base/assert.h"
#include "draw/draw.h"
#include "model/xml/word_suggestion.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct renderCall {
    const char* contact; // replaces the scene's contact, or NULL
    const char *path, *out, *size, *camera, *shape, *montage;
    int samples, threads; // samples 0: not given
    int fps;              // frames a second; 0: not given
    int width, height;
    int contacts;          // show them?
    double arrow, opacity; // opacity < 0: not given
    cliSliceOptions slice;
    cliInitialStateOptions start; // initial configuration
} renderCall;

// what is drawn: the scene in space, or a slice of its field
typedef struct renderJob {
    tacDrawOptions draw_image;
    tacSliceOptions slice;
    cliPoints points;
    cliMontage montage;
    cliFrames frames; // of a montage or an animation
} renderJob;

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

static int parse_render_options(renderCall* call, int argc, char** argv) {
    const cliOption options[] = {
        {"out", 'o', CLI_TEXT, &call->out, "FILE", "picture to write, .png or .ppm", 0, 0},
        {"size", 0, CLI_TEXT, &call->size, "WxH", "pixels; default 960x540, for a slice 960x720", 0,
         0},
        {"camera", 0, CLI_TEXT, &call->camera, "NAME",
         "camera of the scene; default its first, or one that frames all", 0, 0},
        {"shape", 0, CLI_TEXT, &call->shape, "NAME", "draw one shape alone", 0, 0},
        {"samples", 0, CLI_INT, &call->samples, "N", "rays per pixel at an edge; default 4", 1,
         TAC_MAX_SAMPLES},
        {"contacts", 0, CLI_FLAG, &call->contacts, NULL,
         "draw contacts: points, and normals scaled by their activity", 0, 0},
        {"arrow", 0, CLI_REAL, &call->arrow, "M",
         "with --contacts: length of a normal of activity 1", 1e-9, 1e9},
        {"opacity", 0, CLI_REAL, &call->opacity, "A",
         "opacity of solids, 0 to 1; default 1, with --contacts 0.5", 0, 1},
        {"slice", 0, CLI_TEXT, &call->slice.plane, "z=0", "field on the plane z (or x, y) = 0", 0,
         0},
        {"field", 0, CLI_TEXT, &call->slice.field, "WHAT",
         "with --slice: value, gradient, laplacian", 0, 0},
        {"span", 0, CLI_REAL, &call->slice.span, "M", "with --slice: metres from left to right",
         1e-9, 1e9},
        {"normals", 0, CLI_FLAG, &call->slice.normals, NULL, "with --slice: normals of the surface",
         0, 0},
        {"points", 0, CLI_TEXT, &call->slice.points, "CSV",
         "with --slice: points x,y,z per line, drawn with their gradients", 0, 0},
        {"qpos", 0, CLI_TEXT, &call->start.qpos, "\"q ...\"",
         "positions; default: initial configuration (qpos0)", 0, 0},
        {"key", 0, CLI_TEXT, &call->start.key, "NAME", "positions of a keyframe", 0, 0},
        {"from", 0, CLI_TEXT, &call->start.from, "NPZ",
         "positions of a trajectory of tactus run, the last", 0, 0},
        {"frame", 0, CLI_INT, &call->start.frame, "N", "with --from: state N, counted from 0", 0,
         2e9},
        {"montage", 0, CLI_TEXT, &call->montage, "CxR",
         "with --from: frames of the whole run in C columns and R rows", 0, 0},
        {"animate", 0, CLI_INT, &call->fps, "RATE",
         "with --from: the whole run as an animated PNG, frames per second", 1, 100},
        {"threads", 0, CLI_INT, &call->threads, "N", "threads; default 0: one per core", 0, 1024},
        CLI_CONTACT_OPTION(&call->contact),
    };
    const cliCommand command = {
        .name = "render",
        .summary = "draw a scene into a PNG or PPM file",
        .positional = "FILE",
        .description = "Draws the scene by sphere tracing of its distance fields, with light and\n"
                       "shadow. --slice draws the field on a plane, with isolines. The picture is\n"
                       "the same bits for any number of threads.\n",
        .example =
            "  tactus render scenes/first_light.xml -o first_light.png\n"
            "  tactus render scenes/first_light.xml --shape pebble --size 512x512 -o p.png\n"
            "  tactus render scenes/cup.xml --shape cup --slice y=0 --normals -o slice.png\n"
            "  tactus render scenes/box_on_box.xml --contacts -o contacts.png\n"
            "  tactus render scenes/humanoid.xml --from run.npz --frame 100 -o frame.png\n"
            "  tactus render scenes/humanoid.xml --from run.npz --montage 4x2 --size 240x180 "
            "-o s.png\n"
            "  tactus render scenes/humanoid.xml --from run.npz --animate 25 --size 320x240 "
            "-o run.png\n",
        .options = options,
        .option_count = TAC_COUNT(options),
        .min = 1,
        .max = 1,
        .arguments = &call->path,
    };
    return cli_parse(&command, argc, argv);
}

// refuses combinations of options without meaning, and sets the size
static int validate_options(renderCall* call) {
    if (!call->out) return cli_error("render", "name the picture with -o, such as -o out.png");
    if (call->slice.plane && (call->camera || call->samples))
        return cli_error("render", "--%s cannot be combined with --slice",
                         call->camera ? "camera" : "samples");
    const char* solid = call->contacts ? "contacts" : call->opacity >= 0.0 ? "opacity" : NULL;
    if (call->slice.plane && solid)
        return cli_error("render", "--%s cannot be combined with --slice", solid);
    if (call->shape && call->contacts)
        return cli_error(
            "render", "--contacts cannot be combined with --shape: a single shape has no contacts");
    if (call->arrow > 0.0 && !call->contacts)
        return cli_error("render", "--arrow requires --contacts");
    if (!call->size) call->size = call->slice.plane ? "960x720" : "960x540";
    if (!parse_size(call->size, &call->width, &call->height))
        return cli_error("render", "--size: '%s' is not a size such as 960x540 (sides 1 to %d)",
                         call->size, TAC_MAX_IMAGE);
    return 0;
}

// montages and animations show a trajectory
static int validate_run_options(const renderCall* call, const char* option) {
    if (!call->start.from || call->start.qpos || call->start.key || call->start.frame >= 0)
        return cli_error("render", "--%s requires --from, without --qpos, --key and --frame",
                         option);
    if (call->slice.plane || call->shape)
        return cli_error("render", "--%s cannot be combined with --%s", option,
                         call->shape ? "shape" : "slice");
    return 0;
}

// the picture holds all frames
static int validate_montage(const renderCall* call, cliMontage* montage) {
    if (!call->montage) return 0;
    if (!parse_size(call->montage, &montage->columns, &montage->rows) ||
        montage->columns > TAC_MAX_IMAGE / call->width ||
        montage->rows > TAC_MAX_IMAGE / call->height)
        return cli_error("render",
                         "--montage: '%s' is not a grid such as 4x2, at most %d pixels a side",
                         call->montage, TAC_MAX_IMAGE);
    return validate_run_options(call, "montage");
}

static int validate_animation(const renderCall* call, cliImageFormat format) {
    if (!call->fps) return 0;
    if (format != CLI_PNG)
        return cli_error("render", "--animate writes an animated PNG; '%s' does not end in .png",
                         call->out);
    if (call->montage) return cli_error("render", "--animate cannot be combined with --montage");
    return validate_run_options(call, "animate");
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

// index of a camera, or -1 after a message
static int find_camera(const renderCall* call, const tacModel* model) {
    for (int i = 0; i < model->ncamera; ++i)
        if (strcmp(model->camera[i].name, call->camera) == 0) return i;
    char names[400], near[TAC_SUGGESTION_SIZE];
    list_cameras(model, names, sizeof names);
    int meant = tac_suggest_word(call->camera, names, near);
    if (!*names)
        cli_error("render", "%s has no camera with a name", call->path);
    else
        cli_error("render", "%s has no camera '%s'%s%s%s it has: %s", call->path, call->camera,
                  meant ? "; did you mean '" : "", meant ? near : "", meant ? "'?" : ";", names);
    return -1;
}

// finds the camera and the shape; 0, or CLI_ERROR after a message
static int find_names(const renderCall* call, const tacModel* model, renderJob* job) {
    if (call->camera && (job->draw_image.camera = find_camera(call, model)) < 0) return CLI_ERROR;
    if (call->shape &&
        (job->draw_image.shape = cli_shape_by_name("render", call->path, model, call->shape)) < 0)
        return CLI_ERROR;
    job->slice.shape = job->draw_image.shape;
    if (call->slice.plane && !call->shape && model->ngeom == 0)
        return cli_error("render", "%s has no geoms to slice; name a shape with --shape",
                         call->path);
    return 0;
}

//---------------------------------- command --------------------------------------

static int draw_image(const renderCall* call, const tacModel* model, const renderJob* job,
                      tacImage* image) {
    cliProgress progress = cli_progress_begin("render");
    tacDrawOptions options = job->draw_image;
    tacSliceOptions slice = job->slice;
    options.progress = slice.progress = cli_progress_show;
    options.user = slice.user = &progress;
    tacResult result = call->slice.plane ? tac_slice(model, &slice, image, NULL)
                                         : tac_draw(model, &options, image);
    cli_progress_end(&progress);
    return result == TAC_OK ? 0 : cli_error("render", "%s", tac_result_text(result));
}

// one picture: the scene, a slice, or a montage
static int draw_picture(const renderCall* call, const tacModel* model, const renderJob* job,
                        cliImageFormat format, cliOutput* output) {
    cliMontage montage = job->montage;
    int columns = montage.columns ? montage.columns : 1, rows = montage.rows ? montage.rows : 1,
        code;
    tacImage image = {columns * call->width, rows * call->height, NULL};
    image.rgb = malloc(3 * (size_t)image.width * (size_t)image.height);
    if (!image.rgb)
        code = cli_error("render", "out of memory");
    else if (montage.columns)
        code = cli_montage_draw(montage, &job->frames, &image);
    else
        code = draw_image(call, model, job, &image);
    if (code == 0 && cli_image_write(&image, format, output->file) != 0)
        code = cli_error("render", "%s: cannot be written: %s", output->name, strerror(errno));
    free(image.rgb);
    return code;
}

// opened before the work: a wrong path should not cost the picture
static int draw_to_file(const renderCall* call, const tacModel* model, const renderJob* job,
                        cliImageFormat format) {
    cliOutput output;
    int code = cli_output_open(&output, call->out);
    if (code != 0) return code;
    if (call->fps)
        code = cli_animation_draw(&job->frames, call->fps, output.file);
    else
        code = draw_picture(call, model, job, format, &output);
    if (code == 0) return cli_output_close(&output);
    cli_output_discard(&output);
    return code;
}

static int draw_trajectory(const renderCall* call, const tacModel* model, renderJob* job,
                           cliImageFormat format) {
    tacTrajectory* run = &job->frames.trajectory;
    int code = cli_trajectory_read(model, call->start.from, run);
    if (code != 0) return code;
    if (call->fps && cli_animation_frame_count(run, call->fps) > CLI_MAX_ANIMATION_FRAMES)
        code =
            cli_error("render", "--animate %d: %g s of %s need more than %d frames; lower the rate",
                      call->fps, run->time[run->rows - 1] - run->time[0], call->start.from,
                      CLI_MAX_ANIMATION_FRAMES);
    if (code == 0) code = draw_to_file(call, model, job, format);
    tac_trajectory_destroy(run);
    return code;
}

// the scene in its initial configuration, or as options or a file set it
static int draw_posed(const renderCall* call, const tacModel* model, renderJob* job,
                      cliImageFormat format) {
    const cliInitialStateOptions* options = &call->start;
    if (job->montage.columns || call->fps) return draw_trajectory(call, model, job, format);
    if (!options->qpos && !options->key && !options->from && options->frame < 0 && !call->contacts)
        return draw_to_file(call, model, job, format);
    cliInitialState start;
    cliContactMarkers marks = {0};
    tacModel posed = {0};
    int code = cli_initial_state_read(&start, "render", model, options);
    if (code == 0 && call->contacts)
        code = cli_contact_markers_make(&marks, "render", model, &start.state, start.ctrl);
    if (code == 0) code = cli_posed_model_make("render", model, start.state.qpos, &posed);
    job->draw_image.marks = marks.mark;
    job->draw_image.nmarks = marks.count;
    if (code == 0) code = draw_to_file(call, &posed, job, format);
    cli_posed_model_free(&posed);
    cli_contact_markers_free(&marks);
    cli_initial_state_free(&start);
    return code;
}

static int render_scene(const renderCall* call, renderJob* job) {
    cliImageFormat format;
    int code = cli_image_format("render", call->out, &format);
    if (code == 0) code = validate_montage(call, &job->montage);
    if (code == 0) code = validate_animation(call, format);
    if (code == 0) code = cli_slice_options_read(&call->slice, &job->slice, &job->points);
    if (code != 0) return code;
    if (call->samples) job->draw_image.samples = call->samples;
    job->draw_image.opacity = call->opacity >= 0.0 ? call->opacity : call->contacts ? 0.5 : 1.0;
    job->draw_image.arrow = call->arrow;
    job->frames.command = "render";
    job->frames.options = &job->draw_image;
    job->frames.width = call->width;
    job->frames.height = call->height;
    job->frames.contacts = call->contacts;
    job->draw_image.threads = job->slice.threads = call->threads;

    tacModel* model = NULL;
    tacMessage message;
    if (cli_load_picture(call->path, call->contact, &model, &message) != 0) return CLI_ERROR;
    if (*message.text) cli_warning("render", "%s", message.text);
    code = find_names(call, model, job);
    if (code == 0) code = draw_posed(call, model, job, format);
    tac_model_destroy(model);
    return code;
}

int tac_cmd_render(int argc, char** argv) {
    renderCall call = {.start.frame = -1, .opacity = -1.0};
    int code = parse_render_options(&call, argc, argv);
    if (code != CLI_CONTINUE) return code;
    if ((code = validate_options(&call)) != 0) return code;
    renderJob job = {.draw_image = tac_default_draw_options(),
                     .slice = tac_default_slice_options()};
    code = render_scene(&call, &job);
    cli_points_free(&job.points);
    return code;
}
