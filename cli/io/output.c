// Whole files or none: temporary file, fsync, rename.

#define _GNU_SOURCE
#include "cli/io/output.h"

#include "cli/io/inputs.h"
#include "cli/report.h"

#include "base/assert.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

//---------------------------------- interruption ---------------------------------

// temporary files of this process, for the signal handler: a scene is open while its meshes are
// written
enum { MAX_PENDING = 4 };
static char* volatile pending_temporary[MAX_PENDING];

static void on_signal(int number) {
    for (int i = 0; i < MAX_PENDING; ++i)
        if (pending_temporary[i]) unlink(pending_temporary[i]);
    signal(number, SIG_DFL);
    raise(number);
}

// puts `to` in the place of `from`; NULL is a free place
static void replace_pending(char* from, char* to) {
    int i = 0;
    while (i < MAX_PENDING && pending_temporary[i] != from) ++i;
    TAC_ASSERT(i < MAX_PENDING);
    pending_temporary[i] = to;
}

static int any_pending(void) {
    for (int i = 0; i < MAX_PENDING; ++i)
        if (pending_temporary[i]) return 1;
    return 0;
}

static void handle_signals(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    int pending = any_pending();
    for (int i = 0; i < 4; ++i) {
        struct sigaction action = {.sa_handler = pending ? on_signal : SIG_DFL}, old;
        // a signal that the caller ignores (nohup) stays ignored
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

//---------------------------------- open -----------------------------------------

static int output_error(const cliOutput* output, const char* what) {
    fprintf(stderr, "%s: %s: %s\n", output->name, what, strerror(errno));
    return CLI_ERROR;
}

// an output that is a file which the command reads, under any name
static int refuse_input(const char* name, const struct stat* status) {
    const char* input = S_ISREG(status->st_mode) ? cli_input_find(status) : NULL;
    if (!input) return 0;
    if (strcmp(input, name) == 0)
        fprintf(stderr,
                "%s: this command reads it, so it is not overwritten; choose another "
                "output file\n",
                name);
    else
        fprintf(stderr,
                "%s: is the same file as %s, which this command reads, so it is not "
                "overwritten; choose another output file\n",
                name, input);
    return CLI_ERROR;
}

int cli_output_check(const char* path) {
    struct stat status;
    return stat(path, &status) == 0 ? refuse_input(path, &status) : 0;
}

// a device or standard output: nothing to rename
static int open_directly(cliOutput* output, const char* path) {
    struct stat status;
    if (!path && fstat(STDOUT_FILENO, &status) == 0 && refuse_input(output->name, &status) != 0)
        return CLI_ERROR;
    output->file = path ? fopen(path, "w") : stdout;
    return output->file ? 0 : output_error(output, "cannot be written");
}

static mode_t default_mode(void) {
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int open_temporary(cliOutput* output, mode_t mode) {
    size_t size = strlen(output->path) + 16;
    output->temporary = malloc(size);
    if (!output->temporary) return output_error(output, "cannot be written");
    snprintf(output->temporary, size, "%s.XXXXXX", output->path);
    replace_pending(NULL, output->temporary); // from the moment the file exists
    handle_signals();
    int file = mkstemp(output->temporary);
    if (file < 0) return output_error(output, "cannot be written in its directory");
    if (fchmod(file, mode) != 0 || !(output->file = fdopen(file, "w"))) {
        close(file);
        unlink(output->temporary);
        return output_error(output, "cannot be written");
    }
    return 0;
}

int cli_output_open(cliOutput* output, const char* path) {
    if (path && strcmp(path, "-") == 0) path = NULL;
    *output = (cliOutput){.name = path ? path : "standard output"};
    if (!path) return open_directly(output, NULL);

    struct stat status;
    int exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        fprintf(stderr, "%s: is a directory; name a file in it\n", path);
        return CLI_ERROR;
    }
    if (exists && !S_ISREG(status.st_mode)) return open_directly(output, path);
    if (exists && refuse_input(path, &status) != 0) return CLI_ERROR;
    if (exists && access(path, W_OK) != 0) return output_error(output, "cannot be written");

    // a link stays a link: the file that it points to is replaced
    output->path = exists ? realpath(path, NULL) : strdup(path);
    int code = output->path
                   ? open_temporary(output, exists ? status.st_mode & 07777 : default_mode())
                   : output_error(output, "cannot be written");
    if (code != 0) cli_output_discard(output);
    return code;
}

//---------------------------------- close ----------------------------------------

static void output_reset(cliOutput* output) {
    if (output->temporary) replace_pending(output->temporary, NULL);
    handle_signals();
    free(output->temporary);
    free(output->path);
    *output = (cliOutput){.name = output->name};
}

void cli_output_discard(cliOutput* output) {
    if (output->file && output->file != stdout) fclose(output->file);
    if (output->temporary && output->file) unlink(output->temporary);
    output_reset(output);
}

int cli_output_close(cliOutput* output) {
    int failed = fflush(output->file) != 0 || ferror(output->file);
    if (output->temporary && !failed) failed = fsync(fileno(output->file)) != 0;
    if (failed) {
        int code = output_error(output, "cannot be written");
        cli_output_discard(output);
        return code;
    }
    // an input that was read, or a file that appeared, since the output was opened
    if (output->temporary && cli_output_check(output->path) != 0) {
        cli_output_discard(output);
        return CLI_ERROR;
    }
    if (output->file != stdout) fclose(output->file);
    if (output->temporary && rename(output->temporary, output->path) != 0) {
        int code = output_error(output, "cannot be renamed to the output file");
        unlink(output->temporary);
        output_reset(output);
        return code;
    }
    output_reset(output);
    return 0;
}

int cli_has_extension(const char* path, const char* extension) {
    size_t length = strlen(path), tail = strlen(extension);
    return length > tail && strcasecmp(path + length - tail, extension) == 0;
}

int cli_check_table_name(const char* command, const char* path) {
    if (!path || strcmp(path, "-") == 0 || cli_has_extension(path, ".npz") ||
        cli_has_extension(path, ".csv"))
        return 0;
    return cli_error(command, "'%s' is neither .npz nor .csv; give the file such a name", path);
}
