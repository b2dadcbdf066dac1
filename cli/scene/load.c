// Loading, with a line that says so when it takes long.
//
// tac_load has no callback, so a timer interrupts it each second; the handler writes the line.

#define _GNU_SOURCE
#include "cli/scene/load.h"

#include "cli/io/inputs.h"
#include "cli/report.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

//---------------------------------- progress -------------------------------------

static volatile sig_atomic_t loading_seconds;

#define LOADING_TEXT "\rtactus: loading, "

// a handler may call write, but not printf
static void on_timer(int number) {
    char line[] = LOADING_TEXT "     s";
    int saved = errno, seconds = (int)++loading_seconds;
    (void)number;
    for (char* digit = line + sizeof LOADING_TEXT + 2; seconds > 0 && digit >= line; --digit) {
        *digit = (char)('0' + seconds % 10);
        seconds /= 10;
    }
    if (write(STDERR_FILENO, line, sizeof line - 1) < 0) loading_seconds = 0;
    errno = saved;
}

static void set_timer(int seconds) {
    struct itimerval timer = {.it_interval.tv_sec = seconds, .it_value.tv_sec = seconds};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void begin_progress(struct sigaction* before) {
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    loading_seconds = 0;
    sigaction(SIGALRM, &action, before);
    set_timer(1);
}

static void end_progress(const struct sigaction* before) {
    set_timer(0);
    sigaction(SIGALRM, before, NULL);
    if (loading_seconds > 0) fprintf(stderr, "\r%*s\r", 32, "");
}

//---------------------------------- files ----------------------------------------

static int load_scene(const char* path, const tacOptions* options, tacModel** model,
                      tacMessage* message) {
    struct sigaction before;
    int is_terminal = isatty(STDERR_FILENO), code = 0;
    if (is_terminal) begin_progress(&before);
    tacResult result = tac_load(path, options, model, message);
    if (is_terminal) end_progress(&before);
    if (result != TAC_OK) return cli_error_message(result, message);
    for (int i = 0; i < (*model)->nfile && code == 0; ++i) code = cli_input_add((*model)->file[i]);
    if (code != 0) tac_model_destroy(*model);
    return code;
}

int cli_load(const char* path, const char* contact, tacModel** model, tacMessage* message) {
    tacOptions options = tac_default_options();
    options.contact = contact;
    return load_scene(path, &options, model, message);
}

int cli_load_picture(const char* path, const char* contact, tacModel** model, tacMessage* message) {
    tacOptions options = tac_default_options();
    options.contact = contact;
    options.triangles = 1;
    return load_scene(path, &options, model, message);
}

int cli_trajectory_read(const tacModel* model, const char* path, tacTrajectory* out) {
    tacMessage message;
    tacResult result = tac_trajectory_read(model, path, out, &message);
    if (result != TAC_OK) return cli_error_message(result, &message);
    int code = cli_input_add(path);
    if (code != 0) tac_trajectory_destroy(out);
    return code;
}
