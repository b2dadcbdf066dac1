// Progress of a long job: a percentage on stderr after one second, if stderr is a terminal.

#ifndef TACTUS_CLI_PROGRESS_H
#define TACTUS_CLI_PROGRESS_H

typedef struct cliProgress {
    const char* command;
    double begin;    // wall clock                                                       [s]
    int is_terminal; // is stderr a terminal?
    int percent;     // last value shown; -1: none yet
} cliProgress;

cliProgress cli_progress_begin(const char* command);

// `done` in [0, 1]; the form of the library's progress callbacks, `user` is the cliProgress
void cli_progress_show(void* user, double done);

// erases the line
void cli_progress_end(const cliProgress* progress);

#endif
