// Files that the command reads. cli_output_open and cli_output_close refuse to replace one.

#ifndef TAC_CLI_IO_INPUTS_H
#define TAC_CLI_IO_INPUTS_H

#include <stdio.h>
#include <sys/stat.h>

// Remembers a file by its name and by its device and inode; what cannot be found is remembered by
// name. 0, or CLI_ERROR after a message.
int cli_input_add(const char* path);

// fopen(path, "r") of such a file, or standard input. NULL with errno set.
FILE* cli_input_open(const char* path);
FILE* cli_input_standard(void);

// Name of the input that is this file, under any name or link, or NULL.
const char* cli_input_find(const struct stat* file);

#endif
