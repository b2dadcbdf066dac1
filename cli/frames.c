// A state becomes a picture by way of a model whose bodies are where the state has them.

#include "frames.h"

#include "posed.h"
#include "report.h"
#include "touching.h"

static int draw(const cliFrames* frames, const char* command, const tacDrawOptions* options,
                const double* qpos, tacImage* image) {
    tacModel posed;
    tacCamera eye = frames->eye ? *frames->eye : (tacCamera){0};
    int code = cli_posed_make(command, frames->run.model, qpos, &posed);
    if (code != 0) return code;
    if (frames->eye && posed.ncamera == 0) {
        posed.camera = &eye;
        posed.ncamera = 1;
    }
    tacResult result = tac_draw(&posed, options, image);
    cli_posed_free(&posed);
    return result == TAC_OK ? 0 : cli_wrong(command, "%s", tac_result_text(result));
}

int cli_frame_draw(const cliFrames* frames, const char* command, const tacDrawOptions* options,
                   int state, tacImage* image) {
    const double* qpos = tac_trajectory_row(&frames->run, state).qpos;
    tacDrawOptions marked = *options;
    cliMarks marks = {0};
    int code = frames->contacts ? cli_marks_make(&marks, command, frames->run.model, qpos) : 0;
    marked.marks = marks.mark;
    marked.nmarks = marks.count;
    if (code == 0) code = draw(frames, command, &marked, qpos, image);
    cli_marks_free(&marks);
    return code;
}

int cli_frames_eye(const cliFrames* frames, const char* command, const tacDrawOptions* options,
                   double aspect, tacCamera* eye) {
    tacModel posed;
    int code = cli_posed_make(command, frames->run.model, tac_trajectory_row(&frames->run, 0).qpos,
                              &posed);
    if (code != 0) return code;
    tacResult result = tac_draw_eye(&posed, options, aspect, eye);
    cli_posed_free(&posed);
    return result == TAC_OK ? 0 : cli_wrong(command, "%s", tac_result_text(result));
}
