// Animated PNG: a PNG whose first frame any reader shows, with further frames in chunks of their
// own (PNG specification, third edition, section 11.3.6). Needs libpng.

#ifndef TAC_CLI_IO_APNG_H
#define TAC_CLI_IO_APNG_H

#include "draw/image.h"

#include <stdio.h>

typedef struct cliApng cliApng;

// A file of `frames` pictures, `rate` of them a second, that plays for ever. NULL: out of memory.
cliApng* cli_apng_create(FILE* file, int width, int height, int frames, int rate);

// The next frame. 0, or -1 if it could not be written.
int cli_apng_add(cliApng* animation, const tacImage* image);

// Ends the file, which must have all its frames, and frees `animation` (may be NULL). 0, or -1.
int cli_apng_destroy(cliApng* animation);

#endif
