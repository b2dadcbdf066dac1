// One picture after the other, each copied to its place.

#include "cli/render/montage.h"

#include "cli/progress.h"
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>

static void paste(const tacImage* frame, int x, int y, tacImage* whole) {
    size_t bytes = 3 * (size_t)frame->width;
    for (int row = 0; row < frame->height; ++row) {
        size_t at = (size_t)(y + row) * (size_t)whole->width + (size_t)x;
        memcpy(whole->rgb + 3 * at, frame->rgb + bytes * (size_t)row, bytes);
    }
}

int cli_montage_draw(cliMontage montage, const cliFrames* frames, tacImage* whole) {
    int width = frames->width, height = frames->height;
    int count = montage.columns * montage.rows, last = frames->trajectory.rows - 1, code = 0;
    tacImage frame = {width, height, malloc(3 * (size_t)width * (size_t)height)};
    if (!frame.rgb) return cli_error(frames->command, "out of memory");
    cliProgress progress = cli_progress_begin(frames->command);
    for (int i = 0; i < count && code == 0; ++i) {
        int state = count > 1 ? (int)((long long)last * i / (count - 1)) : last;
        code = cli_frame_draw(frames, state, &frame);
        paste(&frame, width * (i % montage.columns), height * (i / montage.columns), whole);
        cli_progress_show(&progress, (i + 1.0) / count);
    }
    cli_progress_end(&progress);
    free(frame.rgb);
    return code;
}
