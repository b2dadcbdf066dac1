// Filling a tacMessage, and the texts of results.

#ifndef TAC_BASE_MESSAGE_H
#define TAC_BASE_MESSAGE_H

#include "tactus/result.h"

// Fills `message` (NULL to skip) and returns `result`, so that a caller can write return
// tac_fail(…). The text is kept whole words long if it does not fit. `file` and `attribute` may be
// NULL.
tacResult tac_fail(tacMessage* message, tacResult result, const char* file, int line,
                   const char* attribute, const char* format, ...)
    __attribute__((format(printf, 6, 7)));

#endif
