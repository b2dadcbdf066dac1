// A state is drawn by way of a posed copy of the model.

#include "cli/render/frames.h"

#include "cli/render/contact_markers.h"
#include "cli/report.h"
#include "cli/scene/posed_model.h"

static int draw_state(const cliFrames* frames, const tacDrawOptions* options, const double* qpos,
                      tacImage* image) {
    tacModel posed;
    tacCamera camera = frames->camera ? *frames->camera : (tacCamera){0};
    int code = cli_posed_model_make(frames->command, frames->trajectory.model, qpos, &posed);
    if (code != 0) return code;
    if (frames->camera && posed.ncamera == 0) {
        posed.camera = &camera;
        posed.ncamera = 1;
    }
    tacResult result = tac_draw(&posed, options, image);
    cli_posed_model_free(&posed);
    return result == TAC_OK ? 0 : cli_error(frames->command, "%s", tac_result_text(result));
}

int cli_frame_draw(const cliFrames* frames, int state, tacImage* image) {
    const tacTrajectory* t = &frames->trajectory;
    tacState at = tac_trajectory_row(t, state);
    const double* ctrl = t->ctrl + (size_t)state * (size_t)t->model->nu;
    tacDrawOptions marked = *frames->options;
    cliContactMarkers marks = {0};
    int code = frames->contacts
                   ? cli_contact_markers_make(&marks, frames->command, t->model, &at, ctrl)
                   : 0;
    marked.marks = marks.mark;
    marked.nmarks = marks.count;
    if (code == 0) code = draw_state(frames, &marked, at.qpos, image);
    cli_contact_markers_free(&marks);
    return code;
}

int cli_frames_camera(const cliFrames* frames, tacCamera* camera) {
    double aspect = (double)frames->width / frames->height;
    tacModel posed;
    int code = cli_posed_model_make(frames->command, frames->trajectory.model,
                                    tac_trajectory_row(&frames->trajectory, 0).qpos, &posed);
    if (code != 0) return code;
    tacResult result = tac_draw_camera(&posed, frames->options, aspect, camera);
    cli_posed_model_free(&posed);
    return result == TAC_OK ? 0 : cli_error(frames->command, "%s", tac_result_text(result));
}
