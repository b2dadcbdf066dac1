// One line on stderr that is written over.

#define _GNU_SOURCE
#include "cli/progress.h"
#include "cli/clock.h"

#include <stdio.h>
#include <unistd.h>

cliProgress cli_progress_begin(const char* command) {
    cliProgress progress = {
        .command = command, .is_terminal = isatty(STDERR_FILENO), .percent = -1};
    progress.begin = cli_wall_seconds();
    return progress;
}

void cli_progress_show(void* user, double done) {
    cliProgress* progress = user;
    int percent = (int)(100.0 * done);
    if (!progress->is_terminal || percent == progress->percent) return;
    if (cli_wall_seconds() - progress->begin < 1.0) return;
    progress->percent = percent;
    fprintf(stderr, "\rtactus %s: %3d %%", progress->command, percent);
}

void cli_progress_end(const cliProgress* progress) {
    if (progress->percent >= 0) fprintf(stderr, "\r%*s\r", 32, "");
}
