// Output of the command: messages on stderr, results as JSON.

#ifndef TACTUS_CLI_REPORT_H
#define TACTUS_CLI_REPORT_H

#include "tactus/result.h"

#include <stdio.h>

// exit codes
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_ERROR = 2 };

// "tactus COMMAND: text" on stderr; returns CLI_ERROR
int cli_error(const char* command, const char* format, ...) __attribute__((format(printf, 2, 3)));

// "tactus COMMAND: warning: text" on stderr
void cli_warning(const char* command, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// "file:line: attribute: text" on stderr, without the parts that are empty; returns CLI_ERROR
int cli_error_message(tacResult result, const tacMessage* message);

// reports a failed call of the library: CLI_FAILED with advice if the motion diverged, else
// CLI_ERROR
int cli_error_result(const char* command, tacResult result);

// the shortest text, of 15 to 17 digits, that reads back as the same number: 0.2
#define CLI_NUMBER_SIZE 32
const char* cli_number_text(double value, char text[CLI_NUMBER_SIZE]);

//---------------------------------- JSON -----------------------------------------

// One object per line: open an object, put members, close it.
typedef struct cliJson {
    FILE* file;
    int depth;      // of open objects and arrays
    int need_comma; // before the next member
} cliJson;

// key is NULL inside an array and at the top
void cli_json_open(cliJson* json, const char* key, char bracket); // '{' or '['
void cli_json_close(cliJson* json, char bracket);                 // '}' or ']'
void cli_json_text(cliJson* json, const char* key, const char* text);
void cli_json_number(cliJson* json, const char* key, double value); // null if not finite
void cli_json_numbers(cliJson* json, const char* key, const double* values, int count);
void cli_json_int(cliJson* json, const char* key, long long value);
void cli_json_bool(cliJson* json, const char* key, int value);

#endif
