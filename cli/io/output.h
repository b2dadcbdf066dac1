// Files that are written whole or not at all.
//
// What is written goes to a temporary file in the same directory; closing moves it to its place in
// one step. If the command fails or is interrupted, the temporary file goes and the old one stays.

#ifndef TAC_CLI_IO_OUTPUT_H
#define TAC_CLI_IO_OUTPUT_H

#include <stdio.h>

typedef struct cliOutput {
    FILE* file;       // write here
    char* path;       // NULL: standard output or a device, written directly
    char* temporary;  // NULL if path is
    const char* name; // for complaints
} cliOutput;

// `path` NULL or "-" is standard output. 0, or CLI_ERROR after a complaint (a directory, no
// rights).
int cli_output_open(cliOutput* output, const char* path);

// Moves the file to its place and returns 0, or takes it away after a complaint about a full disk.
int cli_output_close(cliOutput* output);

// Takes the temporary file away.
void cli_output_discard(cliOutput* output);

// Does the name end in `extension`, such as ".csv", in any case?
int cli_has_extension(const char* path, const char* extension);

// 0 for NULL, "-" and names that end in .npz or .csv, else CLI_ERROR after a message
int cli_check_table_name(const char* command, const char* path);

#endif
