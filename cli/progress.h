// How far a long job is, on stderr, once it has taken a second and if somebody looks.

#ifndef TACTUS_CLI_PROGRESS_H
#define TACTUS_CLI_PROGRESS_H

typedef struct cliProgress {
    const char* command;
    double begin;    // wall clock                                                       [s]
    int is_terminal; // is stderr a terminal?
    int percent;     // shown last, -1: nothing yet
} cliProgress;

cliProgress cli_progress_begin(const char* command);

// `done` in [0, 1]; the form of the library's progress callbacks, `user` is the cliProgress
void cli_progress_show(void* user, double done);

// takes the line away
void cli_progress_end(const cliProgress* progress);

#endif
