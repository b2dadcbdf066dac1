// Reading points from CSV.

#define _GNU_SOURCE
#include "cli/io/points.h"

#include "cli/io/inputs.h"
#include "cli/report.h"
#include "model/xml/attribute.h"
#include "tactus/shape.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct csvFile {
    FILE* file;
    const char* name;
    char* line;
    size_t capacity;
    long number;
} csvFile;

//---------------------------------- array ----------------------------------------

int cli_points_add(cliPoints* points, const double x[3]) {
    if (points->count == points->capacity) {
        int capacity = points->capacity ? 2 * points->capacity : 1024;
        if (points->capacity > INT_MAX / 2) return cli_error("", "too many points");
        for (int k = 0; k < 3; ++k) {
            double* bigger = realloc(points->x[k], sizeof(double) * (size_t)capacity);
            if (!bigger) return cli_error("", "out of memory");
            points->x[k] = bigger;
        }
        points->capacity = capacity;
    }
    for (int k = 0; k < 3; ++k) points->x[k][points->count] = x[k];
    ++points->count;
    return 0;
}

void cli_points_free(cliPoints* points) {
    for (int k = 0; k < 3; ++k) free(points->x[k]);
    *points = (cliPoints){0};
}

//---------------------------------- lines ----------------------------------------

static int csv_error(const csvFile* csv, const char* at, const char* what) {
    long column = at ? (long)(at - csv->line) + 1 : 1;
    fprintf(stderr, "%s:%ld: column %ld: %s\n", csv->name, csv->number, column, what);
    return CLI_ERROR;
}

static const char* skip_blank(const char* at) { return at + strspn(at, " \t\r\n"); }

// "x,y,z" in any case and with blanks
static int is_header(const char* line) {
    const char* expected = "x,y,z";
    for (; *line; ++line) {
        if (isspace((unsigned char)*line)) continue;
        if (tolower((unsigned char)*line) != *expected++) return 0;
    }
    return *expected == '\0';
}

static int read_point(const csvFile* csv, cliPoints* points) {
    double x[3];
    const char* at = csv->line;
    for (int k = 0; k < 3; ++k) {
        at = skip_blank(at);
        if (!*at) return csv_error(csv, at, "a point has three numbers: x,y,z");
        const char* end = tac_parse_number(at, &x[k]);
        const char* after = end ? skip_blank(end) : at;
        if (!end || !isfinite(x[k]))
            return csv_error(csv, at, "this is not a finite decimal number");
        if (fabs(x[k]) > TAC_MAX_COORDINATE)
            return csv_error(csv, at, "coordinates go up to 1e15 m; this one is farther out");
        if (end == after && *after && *after != ',' && *after != ';')
            return csv_error(csv, at,
                             "this is not a number with a comma, semicolon or blank after it");
        at = k < 2 && (*after == ',' || *after == ';') ? after + 1 : after;
    }
    if (*at) return csv_error(csv, at, "a point has three numbers: x,y,z; here is a fourth");
    return cli_points_add(points, x);
}

static int read_points(csvFile* csv, cliPoints* points) {
    int first = 1;
    for (ssize_t length; (length = getline(&csv->line, &csv->capacity, csv->file)) >= 0;) {
        ++csv->number;
        if (strlen(csv->line) != (size_t)length)
            return csv_error(csv, csv->line + strlen(csv->line), "a zero byte; this is not a text");
        csv->line[strcspn(csv->line, "\r\n")] = '\0';
        const char* start = csv->line;
        if (csv->number == 1 && strncmp(start, "\xef\xbb\xbf", 3) == 0)
            memset(csv->line, ' ', 3); // byte order mark
        start = skip_blank(start);
        if (!*start || *start == '#') continue;
        int header = first && is_header(start);
        first = 0;
        if (!header && read_point(csv, points) != 0) return CLI_ERROR;
    }
    if (ferror(csv->file)) return csv_error(csv, NULL, strerror(errno));
    return 0;
}

//---------------------------------- file -----------------------------------------

int cli_points_read(cliPoints* points, const char* path) {
    int standard = strcmp(path, "-") == 0;
    csvFile csv = {.name = standard ? "standard input" : path};
    csv.file = standard ? cli_input_standard() : cli_input_open(path);
    if (!csv.file) {
        fprintf(stderr, "%s: cannot be read: %s\n", path, strerror(errno));
        return CLI_ERROR;
    }
    int code = read_points(&csv, points);
    free(csv.line);
    if (!standard) fclose(csv.file);
    return code;
}
