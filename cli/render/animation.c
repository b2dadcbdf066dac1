// An animation plays in the time of the run: frame i shows the state nearest to i/rate seconds.

#include "cli/render/animation.h"

#include "cli/io/apng.h"
#include "cli/progress.h"
#include "cli/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int cli_animation_frame_count(const tacTrajectory* run, int rate) {
    double frames = (run->time[run->rows - 1] - run->time[0]) * rate;
    return frames < CLI_MAX_ANIMATION_FRAMES ? 1 + (int)(frames + 0.5)
                                             : CLI_MAX_ANIMATION_FRAMES + 1;
}

// the row after `row` or itself whose time is nearest to t
static int nearest_row(const tacTrajectory* run, int row, double t) {
    while (row + 1 < run->rows && fabs(run->time[row + 1] - t) <= fabs(run->time[row] - t)) ++row;
    return row;
}

static int draw_frames(const cliFrames* frames, int rate, tacImage* image, cliApng* animation) {
    const tacTrajectory* run = &frames->trajectory;
    int count = cli_animation_frame_count(run, rate), code = 0, row = 0;
    cliProgress progress = cli_progress_begin(frames->command);
    for (int i = 0; i < count && code == 0; ++i) {
        row = nearest_row(run, row, run->time[0] + (double)i / rate);
        code = cli_frame_draw(frames, row, image);
        if (code == 0 && cli_apng_add(animation, image) != 0)
            code =
                cli_error(frames->command, "the animation cannot be written: %s", strerror(errno));
        cli_progress_show(&progress, (i + 1.0) / count);
    }
    cli_progress_end(&progress);
    return code;
}

int cli_animation_draw(const cliFrames* frames, int rate, FILE* file) {
    int width = frames->width, height = frames->height;
    tacCamera camera;
    cliFrames fixed_camera = *frames;
    int code = cli_frames_camera(frames, &camera);
    if (code != 0) return code;
    fixed_camera.camera = &camera;
    tacImage image = {width, height, malloc(3 * (size_t)width * (size_t)height)};
    cliApng* animation =
        image.rgb ? cli_apng_create(file, width, height,
                                    cli_animation_frame_count(&frames->trajectory, rate), rate)
                  : NULL;
    if (animation)
        code = draw_frames(&fixed_camera, rate, &image, animation);
    else
        code = cli_error(frames->command, "out of memory");
    if (cli_apng_destroy(animation) != 0 && code == 0)
        code = cli_error(frames->command, "the animation cannot be written: %s", strerror(errno));
    free(image.rgb);
    return code;
}
