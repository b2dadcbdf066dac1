// Messages and JSON.

#include "cli/report.h"

#include "model/xml/source.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- messages -----------------------------------

int cli_error(const char* command, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "tactus%s%s: ", *command ? " " : "", command);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    return CLI_ERROR;
}

void cli_warning(const char* command, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "tactus %s: warning: ", command);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
}

int cli_error_message(tacResult result, const tacMessage* message) {
    fprintf(stderr, "%s", *message->file ? message->file : "tactus");
    if (message->line) fprintf(stderr, ":%d", message->line);
    if (*message->attribute) fprintf(stderr, ": %s", message->attribute);
    fprintf(stderr, ": %s\n", *message->text ? message->text : tac_result_text(result));
    return CLI_ERROR;
}

int cli_error_result(const char* command, tacResult result) {
    if (result != TAC_ERROR_DIVERGED) return cli_error(command, "%s", tac_result_text(result));
    cli_error(command, "diverged: the next state is not finite; try a smaller timestep, "
                       "integrator=\"RK4\", damping or "
                       "armature, or start at smaller velocities");
    return CLI_FAILED;
}

const char* cli_number_text(double value, char text[CLI_NUMBER_SIZE]) {
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, CLI_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return text;
}

//---------------------------------- JSON -----------------------------------------

// bytes that are not UTF-8 become U+FFFD, as JSON has no way to hold them
static void write_json_string(FILE* file, const char* text) {
    size_t length = strlen(text);
    fputc('"', file);
    for (size_t i = 0; i < length;) {
        unsigned char c = (unsigned char)text[i];
        size_t bytes = tac_utf8_length(text + i, length - i);
        if (bytes == 0)
            fputs("\xef\xbf\xbd", file);
        else if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(file, "\\u%04x", c);
        else
            fwrite(text + i, 1, bytes, file);
        i += bytes ? bytes : 1;
    }
    fputc('"', file);
}

static void write_json_key(cliJson* json, const char* key) {
    if (json->need_comma) fputs(", ", json->file);
    json->need_comma = 1;
    if (!key) return;
    write_json_string(json->file, key);
    fputs(": ", json->file);
}

void cli_json_open(cliJson* json, const char* key, char bracket) {
    write_json_key(json, key);
    fputc(bracket, json->file);
    json->need_comma = 0;
    ++json->depth;
}

void cli_json_close(cliJson* json, char bracket) {
    fputc(bracket, json->file);
    json->need_comma = --json->depth > 0;
    if (json->depth == 0) fputc('\n', json->file);
}

void cli_json_text(cliJson* json, const char* key, const char* text) {
    write_json_key(json, key);
    write_json_string(json->file, text);
}

void cli_json_number(cliJson* json, const char* key, double value) {
    char text[CLI_NUMBER_SIZE];
    write_json_key(json, key);
    if (isfinite(value))
        fputs(cli_number_text(value, text), json->file);
    else
        fputs("null", json->file);
}

void cli_json_numbers(cliJson* json, const char* key, const double* values, int count) {
    cli_json_open(json, key, '[');
    for (int i = 0; i < count; ++i) cli_json_number(json, NULL, values[i]);
    cli_json_close(json, ']');
}

void cli_json_int(cliJson* json, const char* key, long long value) {
    write_json_key(json, key);
    fprintf(json->file, "%lld", value);
}

void cli_json_bool(cliJson* json, const char* key, int value) {
    write_json_key(json, key);
    fputs(value ? "true" : "false", json->file);
}
