// Pictures as files: PNG (needs libpng) and binary PPM.

#ifndef TAC_CLI_IO_IMAGE_FILE_H
#define TAC_CLI_IO_IMAGE_FILE_H

#include "draw/image.h"

#include <stdio.h>

typedef enum cliImageFormat { CLI_PNG, CLI_PPM } cliImageFormat;

// Format by the ending of a file's name, "-" is the best there is. 0, or CLI_ERROR after a message
// about an ending that cannot be written.
int cli_image_format(const char* command, const char* path, cliImageFormat* out);

// 0, or -1 if the picture is incomplete.
int cli_image_write(const tacImage* image, cliImageFormat format, FILE* file);

#endif
