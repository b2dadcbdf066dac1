// Control from numbers, files, or random numbers.

#include "cli/scene/control.h"
#include "cli/random.h"

#include "cli/io/inputs.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/scene/load.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- numbers --------------------------------------

static int alloc_rows(cliControl* control, const char* command, int count) {
    size_t nu = (size_t)control->model->nu;
    control->rows = calloc((size_t)count * nu + 1, sizeof *control->rows);
    control->step = calloc((size_t)count + 1, sizeof *control->step);
    control->count = count;
    return control->rows && control->step ? 0 : cli_error(command, "out of memory");
}

// one number for all actuators, or one for each
static int read_control_numbers(cliControl* control, const char* text) {
    double one;
    int nu = control->model->nu;
    if (cli_parse_numbers(text, control->rows, nu)) return 1;
    if (!cli_parse_numbers(text, &one, 1)) return 0;
    for (int i = 0; i < nu; ++i) control->rows[i] = one;
    return 1;
}

//---------------------------------- files ----------------------------------------

static int read_npz(cliControl* control, const char* command, const char* path) {
    tacTrajectory t;
    int code = cli_trajectory_read(control->model, path, &t);
    if (code != 0) return code;
    code = alloc_rows(control, command, t.rows);
    size_t row = sizeof(double) * (size_t)control->model->nu;
    if (code == 0) {
        memcpy(control->rows, t.ctrl, row * (size_t)t.rows);
        memcpy(control->step, t.step, sizeof *t.step * (size_t)t.rows);
    }
    tac_trajectory_destroy(&t);
    return code;
}

static int csv_line_error(const char* path, int line, int nu) {
    fprintf(stderr, "%s:%d: is not %d number%s, one for each actuator\n", path, line, nu,
            nu == 1 ? "" : "s");
    return CLI_ERROR;
}

// text that is not a number may name a file
static int ctrl_source_error(const char* command, const char* path, int nu) {
    const char* dot = strrchr(path, '.');
    if (strchr(path, '/') || (dot && isalpha((unsigned char)dot[1])))
        return cli_error(command, "--ctrl: %s: cannot be read: %s", path, strerror(errno));
    return cli_error(command, "--ctrl: '%s' is neither random, a number, %d numbers, nor a file",
                     path, nu);
}

// skips lines that start with #, and a first line of words
static int is_header_line(const char* line, int number) {
    return *line == '#' || *line == '\0' ||
           (number == 1 && strpbrk(line, "abcdfghijklmnopqrstuvwxyzABCDFGHIJKLMNOPQRSTUVWXYZ"));
}

// start of the next field of a line, or NULL after the last
static char* next_field(char* at) {
    for (int quoted = 0; *at && (quoted || *at != ','); ++at) quoted ^= *at == '"';
    return *at ? at + 1 : NULL;
}

// Index of the first ctrl column in a table of tactus run, and their number; -1: there is none.
static int find_ctrl_columns(char* heading, int* count) {
    int first = -1, i = 0;
    *count = 0;
    for (char* at = strncmp(heading, "step,", 5) == 0 ? heading : NULL; at;
         at = next_field(at), ++i)
        if (strncmp(at + (*at == '"'), "ctrl ", 5) == 0 && (*count)++ == 0) first = i;
    return first;
}

// a line of such a table; 1 if it is complete
static int read_fields(char* line, int first, int nu, long long* step, double* row) {
    double number;
    char *at = line, *end;
    for (int i = 0; at && i < first; ++i) at = next_field(at);
    end = at;
    for (int i = 0; end && i < nu; ++i) end = next_field(end);
    if (!at || !next_field(line)) return 0;
    if (end) end[-1] = '\0';
    next_field(line)[-1] = '\0';
    if (!cli_parse_numbers(line, &number, 1) || !(number >= 0.0 && number < 0x1p52)) return 0;
    *step = (long long)number;
    return cli_parse_numbers(at, row, nu);
}

static int grow_rows(cliControl* control, const char* command, int* capacity) {
    if (control->count < *capacity) return 0;
    cliControl more = {.model = control->model};
    *capacity = *capacity ? 2 * *capacity : 256;
    int count = control->count, code = alloc_rows(&more, command, *capacity);
    if (code == 0 && count > 0) {
        memcpy(more.rows, control->rows, sizeof(double) * (size_t)(count * control->model->nu));
        memcpy(more.step, control->step, sizeof *more.step * (size_t)count);
    }
    free(control->rows);
    free(control->step);
    control->rows = more.rows;
    control->step = more.step;
    return code;
}

// one line, with `first` as find_ctrl_columns found it
static int read_control_line(cliControl* control, char* line, int first) {
    int nu = control->model->nu, i = control->count;
    double* row = control->rows + (size_t)i * (size_t)nu;
    control->step[i] = i;
    if (first >= 0 ? !read_fields(line, first, nu, &control->step[i], row)
                   : !cli_parse_numbers(line, row, nu))
        return 0;
    ++control->count;
    return 1;
}

static int read_csv(cliControl* control, const char* command, const char* path) {
    FILE* file = cli_input_open(path);
    if (!file) return ctrl_source_error(command, path, control->model->nu);
    char* line = NULL;
    size_t size = 0;
    int code = 0, number = 0, capacity = 0, nu = control->model->nu, first = -1, columns = nu;
    while (code == 0 && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (++number == 1 && (first = find_ctrl_columns(line, &columns)) >= 0 && columns != nu)
            code = cli_error(command, "--ctrl: %s has %d columns of ctrl, and the scene %d", path,
                             columns, nu);
        if (code != 0 || is_header_line(line, number)) continue;
        code = grow_rows(control, command, &capacity);
        if (code == 0 && !read_control_line(control, line, first))
            code = csv_line_error(path, number, nu);
    }
    if (code == 0 && control->count == 0)
        code = cli_error(command, "--ctrl: %s holds no controls", path);
    free(line);
    fclose(file);
    return code;
}

int cli_control_read(cliControl* control, const char* command, const tacModel* model,
                     const char* text, int seed) {
    *control = (cliControl){.model = model, .seed = (unsigned long long)seed};
    if (text && model->nu == 0) return cli_error(command, "--ctrl: the scene has no actuators");
    if (text && strcmp(text, "random") == 0) {
        control->random = 1;
        return 0;
    }
    int code = alloc_rows(control, command, 1);
    if (code != 0 || !text || read_control_numbers(control, text)) return code;
    cli_control_free(control);
    const char* dot = strrchr(text, '.');
    return dot && strcmp(dot, ".npz") == 0 ? read_npz(control, command, text)
                                           : read_csv(control, command, text);
}

void cli_control_free(cliControl* control) {
    free(control->rows);
    free(control->step);
    control->rows = NULL;
    control->step = NULL;
    control->count = 0;
}

//---------------------------------- one step -------------------------------------

static void random_ctrl(const cliControl* control, long long step, int element, double* ctrl) {
    unsigned long long hash = cli_splitmix64(control->seed);
    hash = cli_splitmix64(hash ^ (unsigned long long)element);
    hash = cli_splitmix64(hash ^ (unsigned long long)step);
    for (int i = 0; i < control->model->nu; ++i) {
        const tacActuator* a = &control->model->actuator[i];
        double low = a->ctrllimited ? a->ctrlrange[0] : -1.0;
        double high = a->ctrllimited ? a->ctrlrange[1] : 1.0;
        double part = (double)(cli_splitmix64(hash ^ (unsigned long long)i) >> 11) * 0x1p-53;
        ctrl[i] = low + (high - low) * part;
    }
}

// the last row that starts at this step or before; the first before all
static int row_at(const cliControl* control, long long step) {
    int low = 0, high = control->count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (control->step[middle] <= step)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void cli_control_at(const cliControl* control, long long step, int element, double* ctrl) {
    int nu = control->model->nu;
    if (control->random)
        random_ctrl(control, step, element, ctrl);
    else if (nu > 0)
        memcpy(ctrl, control->rows + (size_t)row_at(control, step) * (size_t)nu,
               sizeof *ctrl * (size_t)nu);
}
