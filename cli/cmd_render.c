// tactus render: a picture of a scene, without a graphics card.

#include "commands.h"
#include "film.h"
#include "find.h"
#include "options.h"
#include "output.h"
#include "png.h"
#include "posed.h"
#include "progress.h"
#include "render_slice.h"
#include "report.h"
#include "sheet.h"
#include "start.h"
#include "touching.h"

#include "base/assert.h"
#include "draw/draw.h"
#include "model/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct renderCall {
    const char* contact; // in place of the scene's, or NULL
    const char *path, *out, *size, *camera, *shape, *sheet;
    int samples, threads; // samples 0: not given
    int film;             // frames a second; 0: not given
    int width, height;
    int contacts;          // show them?
    double arrow, opacity; // opacity < 0: not given
    cliSlice slice;
    cliStartOptions start; // where the joints stand
} renderCall;

// what is drawn: the scene in space, or a slice of its field
typedef struct renderJob {
    tacDrawOptions draw;
    tacSliceOptions slice;
    cliPoints points;
    cliSheet sheet;
    cliFrames frames; // of a sheet or a film
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

static int parse(renderCall* call, int argc, char** argv) {
    const cliOption options[] = {
        {"out", 'o', CLI_TEXT, &call->out, "FILE", "picture to write, .png or .ppm", 0, 0},
        {"size", 0, CLI_TEXT, &call->size, "WxH", "pixels; 960x540, of a slice 960x720", 0, 0},
        {"camera", 0, CLI_TEXT, &call->camera, "NAME",
         "camera of the scene; its first, or one that frames everything", 0, 0},
        {"shape", 0, CLI_TEXT, &call->shape, "NAME", "one shape alone on a neutral ground", 0, 0},
        {"samples", 0, CLI_INT, &call->samples, "N", "rays of a pixel at an edge; 4 if not given",
         1, TAC_MAX_SAMPLES},
        {"contacts", 0, CLI_FLAG, &call->contacts, NULL,
         "where the scene touches: points, and normals as long as they are active", 0, 0},
        {"arrow", 0, CLI_REAL, &call->arrow, "M", "of --contacts: length of a whole normal", 1e-9,
         1e9},
        {"opacity", 0, CLI_REAL, &call->opacity, "A", "of solids, 0 to 1; 1, with --contacts 0.5",
         0, 1},
        {"slice", 0, CLI_TEXT, &call->slice.plane, "z=0", "field on the plane z (or x, y) = 0", 0,
         0},
        {"field", 0, CLI_TEXT, &call->slice.field, "WHAT", "of a slice: value, gradient, laplacian",
         0, 0},
        {"span", 0, CLI_REAL, &call->slice.span, "M", "of a slice: metres from left to right", 1e-9,
         1e9},
        {"normals", 0, CLI_FLAG, &call->slice.normals, NULL, "of a slice: normals of the surface",
         0, 0},
        {"points", 0, CLI_TEXT, &call->slice.points, "CSV",
         "of a slice: points x,y,z per line, drawn with their gradients", 0, 0},
        {"qpos", 0, CLI_TEXT, &call->start.qpos, "\"q ...\"", "positions of the joints", 0, 0},
        {"key", 0, CLI_TEXT, &call->start.key, "NAME", "joints as a keyframe has them", 0, 0},
        {"from", 0, CLI_TEXT, &call->start.from, "NPZ", "as a run left the scene (tactus run)", 0,
         0},
        {"frame", 0, CLI_INT, &call->start.frame, "N", "or at this state of it, counted from 0", 0,
         2e9},
        {"sheet", 0, CLI_TEXT, &call->sheet, "CxR",
         "of --from: frames over the whole run, in columns and rows", 0, 0},
        {"film", 0, CLI_INT, &call->film, "RATE",
         "of --from: the whole run as an animated PNG, so many frames a second", 1, 100},
        {"threads", 0, CLI_INT, &call->threads, "N", "threads; 0 (default) is one per core", 0,
         1024},
        CLI_CONTACT_OPTION(&call->contact),
    };
    const cliCommand command = {
        .name = "render",
        .summary = "draw a scene into a PNG or PPM file",
        .positional = "FILE",
        .description = "Traces rays through the distance fields of the scene, with light and\n"
                       "shadow; --slice draws the field itself on a plane instead, with isolines.\n"
                       "The picture has the same bits for any number of threads.\n",
        .example = "  tactus render scenes/first_light.xml -o first_light.png\n"
                   "  tactus render scenes/first_light.xml --shape pebble --size 512x512 -o p.png\n"
                   "  tactus render scenes/cup.xml --shape cup --slice y=0 --normals -o slice.png\n"
                   "  tactus render scenes/box_on_box.xml --contacts -o contacts.png\n"
                   "  tactus render scenes/humanoid.xml --from run.npz --frame 100 -o frame.png\n"
                   "  tactus render scenes/humanoid.xml --from run.npz --sheet 4x2 --size 240x180 "
                   "-o s.png\n"
                   "  tactus render scenes/humanoid.xml --from run.npz --film 25 --size 320x240 "
                   "-o film.png\n",
        .options = options,
        .option_count = TAC_COUNT(options),
        .least = 1,
        .most = 1,
        .arguments = &call->path,
    };
    return cli_parse(&command, argc, argv);
}

// what the options ask for together
static int check_call(renderCall* call) {
    if (!call->out) return cli_wrong("render", "name the picture with -o, such as -o out.png");
    if (call->slice.plane && (call->camera || call->samples))
        return cli_wrong("render", "--%s has no meaning with --slice",
                         call->camera ? "camera" : "samples");
    const char* solid = call->contacts ? "contacts" : call->opacity >= 0.0 ? "opacity" : NULL;
    if (call->slice.plane && solid)
        return cli_wrong("render", "--%s has no meaning with --slice", solid);
    if (call->shape && call->contacts)
        return cli_wrong("render", "--contacts has no meaning with --shape: it touches nothing");
    if (call->arrow > 0.0 && !call->contacts)
        return cli_wrong("render", "--arrow is of --contacts: add that");
    if (!call->size) call->size = call->slice.plane ? "960x720" : "960x540";
    if (!parse_size(call->size, &call->width, &call->height))
        return cli_wrong("render", "--size: '%s' is not a size such as 960x540 (sides 1 to %d)",
                         call->size, TAC_MAX_IMAGE);
    return 0;
}

// sheets and films are of a run
static int check_run(const renderCall* call, const char* option) {
    if (!call->start.from || call->start.qpos || call->start.key || call->start.frame >= 0)
        return cli_wrong("render", "--%s shows the run that --from names, and nothing else",
                         option);
    if (call->slice.plane || call->shape)
        return cli_wrong("render", "--%s has no meaning with --%s", option,
                         call->shape ? "shape" : "slice");
    return 0;
}

// a sheet has the size of all its frames
static int check_sheet(const renderCall* call, cliSheet* sheet) {
    if (!call->sheet) return 0;
    if (!parse_size(call->sheet, &sheet->columns, &sheet->rows) ||
        sheet->columns > TAC_MAX_IMAGE / call->width || sheet->rows > TAC_MAX_IMAGE / call->height)
        return cli_wrong("render",
                         "--sheet: '%s' is not columns and rows such as 4x2 of frames that make at "
                         "most %d pixels a side",
                         call->sheet, TAC_MAX_IMAGE);
    return check_run(call, "sheet");
}

static int check_film(const renderCall* call, cliFormat format) {
    if (!call->film) return 0;
    if (format != CLI_PNG)
        return cli_wrong("render", "--film writes an animated PNG: give '%s' the ending .png",
                         call->out);
    if (call->sheet) return cli_wrong("render", "--film has no meaning with --sheet");
    return check_run(call, "film");
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
static int find_names(const renderCall* call, const tacModel* model, renderJob* job) {
    if (call->camera && (job->draw.camera = find_camera(call, model)) < 0) return CLI_WRONG;
    if (call->shape &&
        (job->draw.shape = cli_find_shape("render", call->path, model, call->shape)) < 0)
        return CLI_WRONG;
    job->slice.shape = job->draw.shape;
    if (call->slice.plane && !call->shape && model->ngeom == 0)
        return cli_wrong("render", "%s has no geoms to slice; name a shape with --shape",
                         call->path);
    return 0;
}

//---------------------------------- command --------------------------------------

static int draw(const renderCall* call, const tacModel* model, const renderJob* job,
                tacImage* image) {
    cliProgress progress = cli_progress_begin("render");
    tacDrawOptions options = job->draw;
    tacSliceOptions slice = job->slice;
    options.progress = slice.progress = cli_progress_show;
    options.user = slice.user = &progress;
    tacResult result = call->slice.plane ? tac_slice(model, &slice, image, NULL)
                                         : tac_draw(model, &options, image);
    cli_progress_end(&progress);
    return result == TAC_OK ? 0 : cli_wrong("render", "%s", tac_result_text(result));
}

// one picture: the scene, a slice, or a sheet
static int draw_picture(const renderCall* call, const tacModel* model, const renderJob* job,
                        cliFormat format, cliOutput* output) {
    cliSheet sheet = job->sheet;
    int columns = sheet.columns ? sheet.columns : 1, rows = sheet.rows ? sheet.rows : 1, code;
    tacImage image = {columns * call->width, rows * call->height, NULL};
    image.rgb = malloc(3 * (size_t)image.width * (size_t)image.height);
    if (!image.rgb)
        code = cli_wrong("render", "out of memory");
    else if (sheet.columns)
        code = cli_sheet_draw(sheet, &job->frames, "render", &job->draw, call->width, call->height,
                              &image);
    else
        code = draw(call, model, job, &image);
    if (code == 0 && cli_image_write(&image, format, output->file) != 0)
        code = cli_wrong("render", "%s: cannot be written: %s", output->name, strerror(errno));
    free(image.rgb);
    return code;
}

// the file is opened before the work: a wrong path should not cost the picture
static int draw_to_file(const renderCall* call, const tacModel* model, const renderJob* job,
                        cliFormat format) {
    cliOutput output;
    int code = cli_output_open(&output, call->out);
    if (code != 0) return code;
    if (call->film)
        code = cli_film_draw(&job->frames, "render", &job->draw, call->film, call->width,
                             call->height, output.file);
    else
        code = draw_picture(call, model, job, format, &output);
    if (code == 0) return cli_output_close(&output);
    cli_output_discard(&output);
    return code;
}

static int draw_run(const renderCall* call, const tacModel* model, renderJob* job,
                    cliFormat format) {
    tacMessage message;
    tacTrajectory* run = &job->frames.run;
    tacResult result = tac_trajectory_read(model, call->start.from, run, &message);
    if (result != TAC_OK) return cli_report(result, &message);
    int code = 0;
    if (call->film && cli_film_count(run, call->film) > CLI_MAX_FILM)
        code = cli_wrong("render",
                         "--film %d: %g s of %s make more than %d frames; give a lower "
                         "rate",
                         call->film, run->time[run->rows - 1] - run->time[0], call->start.from,
                         CLI_MAX_FILM);
    if (code == 0) code = draw_to_file(call, model, job, format);
    tac_trajectory_destroy(run);
    return code;
}

// the scene as it is written, or with its joints where options or a file put them
static int draw_posed(const renderCall* call, const tacModel* model, renderJob* job,
                      cliFormat format) {
    const cliStartOptions* options = &call->start;
    if (job->sheet.columns || call->film) return draw_run(call, model, job, format);
    if (!options->qpos && !options->key && !options->from && options->frame < 0 && !call->contacts)
        return draw_to_file(call, model, job, format);
    cliStart start;
    cliMarks marks = {0};
    tacModel posed = {0};
    int code = cli_start_read(&start, "render", model, options);
    if (code == 0 && call->contacts)
        code = cli_marks_make(&marks, "render", model, start.state.qpos);
    if (code == 0) code = cli_posed_make("render", model, start.state.qpos, &posed);
    job->draw.marks = marks.mark;
    job->draw.nmarks = marks.count;
    if (code == 0) code = draw_to_file(call, &posed, job, format);
    cli_posed_free(&posed);
    cli_marks_free(&marks);
    cli_start_free(&start);
    return code;
}

static int run(const renderCall* call, renderJob* job) {
    cliFormat format;
    int code = cli_format_find("render", call->out, &format);
    if (code == 0) code = check_sheet(call, &job->sheet);
    if (code == 0) code = check_film(call, format);
    if (code == 0) code = cli_slice_read(&call->slice, &job->slice, &job->points);
    if (code != 0) return code;
    if (call->samples) job->draw.samples = call->samples;
    job->draw.opacity = call->opacity >= 0.0 ? call->opacity : call->contacts ? 0.5 : 1.0;
    job->draw.arrow = call->arrow;
    job->frames.contacts = call->contacts;
    job->draw.threads = job->slice.threads = call->threads;

    tacModel* model = NULL;
    tacMessage message;
    tacOptions options = cli_load_options(call->contact);
    tacResult result = tac_load(call->path, &options, &model, &message);
    if (result != TAC_OK) return cli_report(result, &message);
    code = find_names(call, model, job);
    if (code == 0) code = draw_posed(call, model, job, format);
    tac_model_destroy(model);
    return code;
}

int tac_cmd_render(int argc, char** argv) {
    renderCall call = {.start.frame = -1, .opacity = -1.0};
    int code = parse(&call, argc, argv);
    if (code != CLI_GO_ON) return code;
    if ((code = check_call(&call)) != 0) return code;
    renderJob job = {.draw = tac_default_draw_options(), .slice = tac_default_slice_options()};
    code = run(&call, &job);
    cli_points_free(&job.points);
    return code;
}
