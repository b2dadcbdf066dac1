// Pictures as files: PNG (needs libpng) and binary PPM.

#ifndef TACTUS_CLI_PNG_H
#define TACTUS_CLI_PNG_H

#include "draw/image.h"

#include <stdio.h>

typedef enum cliFormat { CLI_PNG, CLI_PPM } cliFormat;

// Format by the ending of a file's name, "-" is the best there is. 0, or CLI_WRONG after a
// complaint by `command` about an ending that cannot be written.
int cli_format_find(const char* command, const char* path, cliFormat* out);

// 0, or -1 if the picture could not be written whole.
int cli_image_write(const tacImage* image, cliFormat format, FILE* file);

#endif
