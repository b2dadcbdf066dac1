// One picture after the other, each copied to its place.

#include "sheet.h"

#include "posed.h"
#include "progress.h"
#include "report.h"
#include "touching.h"

#include <stdlib.h>
#include <string.h>

static void paste(const tacImage* frame, int x, int y, tacImage* whole) {
    size_t bytes = 3 * (size_t)frame->width;
    for (int row = 0; row < frame->height; ++row) {
        size_t at = (size_t)(y + row) * (size_t)whole->width + (size_t)x;
        memcpy(whole->rgb + 3 * at, frame->rgb + bytes * (size_t)row, bytes);
    }
}

static int draw_frame(const cliSheet* sheet, const char* command, const tacDrawOptions* options,
                      int state, tacImage* frame) {
    const tacTrajectory* t = &sheet->frames;
    const double* qpos = tac_trajectory_row(t, state).qpos;
    tacDrawOptions marked = *options;
    cliMarks marks = {0};
    tacModel posed = {0};
    int code = sheet->contacts ? cli_marks_make(&marks, command, t->model, qpos) : 0;
    if (code == 0) code = cli_posed_make(command, t->model, qpos, &posed);
    marked.marks = marks.mark, marked.nmarks = marks.count;
    tacResult result = code == 0 ? tac_draw(&posed, &marked, frame) : TAC_OK;
    cli_posed_free(&posed);
    cli_marks_free(&marks);
    return result == TAC_OK ? code : cli_wrong(command, "%s", tac_result_text(result));
}

int cli_sheet_draw(const cliSheet* sheet, const char* command, const tacDrawOptions* options,
                   int width, int height, tacImage* whole) {
    int count = sheet->columns * sheet->rows, last = sheet->frames.rows - 1, code = 0;
    tacImage frame = {width, height, malloc(3 * (size_t)width * (size_t)height)};
    if (!frame.rgb) return cli_wrong(command, "out of memory");
    cliProgress progress = cli_progress_begin(command);
    for (int i = 0; i < count && code == 0; ++i) {
        int state = count > 1 ? (int)((long long)last * i / (count - 1)) : last;
        code = draw_frame(sheet, command, options, state, &frame);
        paste(&frame, width * (i % sheet->columns), height * (i / sheet->columns), whole);
        cli_progress_show(&progress, (i + 1.0) / count);
    }
    cli_progress_end(&progress);
    free(frame.rgb);
    return code;
}
