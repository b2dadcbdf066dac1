// Files that are written whole or not at all.
//
// Data go to a temporary file in the same directory; closing renames it. If the command fails or is
// interrupted, the temporary file is deleted and the old file stays. A file that the command reads
// (cli/io/inputs.h) is never replaced.

#ifndef TAC_CLI_IO_OUTPUT_H
#define TAC_CLI_IO_OUTPUT_H

#include <stdio.h>

typedef struct cliOutput {
    FILE* file;       // write here
    char* path;       // NULL: standard output or a device, written directly
    char* temporary;  // NULL if path is
    const char* name; // for messages
} cliOutput;

// `path` NULL or "-" is standard output. 0, or CLI_ERROR after a message (a directory, no rights,
// an input of the command).
int cli_output_open(cliOutput* output, const char* path);

// 0, or CLI_ERROR after a message if this is a file that the command reads.
int cli_output_check(const char* path);

// Renames the file and returns 0, or deletes it after a message about a full disk.
int cli_output_close(cliOutput* output);

// Deletes the temporary file.
void cli_output_discard(cliOutput* output);

// Does the name end in `extension`, such as ".csv", in any case?
int cli_has_extension(const char* path, const char* extension);

// 0 for NULL, "-" and names that end in .npz or .csv, else CLI_ERROR after a message
int cli_check_table_name(const char* command, const char* path);

#endif
