/// Results and messages: what a call can answer, and what it says about wrong input.
#ifndef TACTUS_RESULT_H
#define TACTUS_RESULT_H

#include "tactus/real.h"

TAC_EXTERN_C_BEGIN

/// One list gives the enum, the names and the texts; they cannot drift apart.
#define TAC_RESULTS(X)                                                                             \
    X(TAC_OK, "ok")                                                                                \
    X(TAC_ERROR_FILE, "a file cannot be read or written")                                          \
    X(TAC_ERROR_SYNTAX, "a file is not well formed")                                               \
    X(TAC_ERROR_UNSUPPORTED, "a file asks for something that Tactus does not have")                \
    X(TAC_ERROR_VALUE, "a value is missing, out of range or not finite")                           \
    X(TAC_ERROR_LIMIT, "a stated limit on size, count or nesting is exceeded")                     \
    X(TAC_ERROR_CAPACITY, "an array that was sized at creation is full")                           \
    X(TAC_ERROR_DIVERGED, "the state became non-finite; outputs are unchanged")                    \
    X(TAC_ERROR_UNSOLVED, "a solver did not reach its tolerance")                                  \
    X(TAC_ERROR_MEMORY, "out of memory")

/// Answer of every call that can fail. Anything but TAC_OK leaves the outputs as they were.
typedef enum tacResult {
#define TAC_RESULT_NAME(name, text) name,
    TAC_RESULTS(TAC_RESULT_NAME)
#undef TAC_RESULT_NAME
        TAC_RESULT_COUNT ///< how many results there are
} tacResult;

/// What was wrong with an input, and where. Filled by loaders; pass NULL to do without.
typedef struct tacMessage {
    char text[512];     ///< one sentence: what is wrong and what to do
    char file[256];     ///< file as the caller named it, or ""
    char attribute[64]; ///< attribute or element, or ""
    int line;           ///< line in the file from 1, or 0
} tacMessage;

/// Remarks on the last step: derivatives exist, but are a choice or suspect.
typedef enum tacFlag {
    TAC_TIE = 1,       ///< two active sets fit; one of them was differentiated
    TAC_GRAZING = 2,   ///< an impact with vanishing normal speed
    TAC_ONE_SIDED = 4, ///< the derivative is one-sided
    TAC_FALLBACK = 8,  ///< a slower solver gave the answer
    TAC_STIFF = 16     ///< the time step is near its stability bound
    // further bits: TAC_SURROGATE (step.h), TAC_IMPACT_OVERFLOW and TAC_RESTITUTION_REDUCED
    // (respond.h)
} tacFlag;

/// Report on the last step, kept in the scratch.
typedef struct tacInfo {
    unsigned flags;  ///< sum of tacFlag
    int contacts;    ///< contact records with activity > 1e-12; of scm pairs of bodies that push
    int passes;      ///< iterations of the responder's solver
    double residual; ///< of that solver                                   [its unit]
    double time_of_impact; ///< first impact inside the step, or the step's length      [s]
} tacInfo;

/// Name of a result as in the source, such as "TAC_ERROR_VALUE".
TAC_API
const char* tac_result_name(tacResult result);

/// What a result means, in a few words.
TAC_API
const char* tac_result_text(tacResult result);

TAC_EXTERN_C_END

#endif
