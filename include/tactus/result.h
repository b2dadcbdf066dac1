/// Results, error messages, and the flags of a step.
#ifndef TACTUS_RESULT_H
#define TACTUS_RESULT_H

#include "tactus/real.h"

TAC_EXTERN_C_BEGIN

//---------------------------------- results --------------------------------------

/// All results with their texts: X(name, text).
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

/// Result of a call that can fail. Any result but TAC_OK leaves the outputs unchanged, unless the
/// function says otherwise (rollouts keep the steps that were taken).
typedef enum tacResult {
#define TAC_RESULT_NAME(name, text) name,
    TAC_RESULTS(TAC_RESULT_NAME)
#undef TAC_RESULT_NAME
        TAC_RESULT_COUNT ///< number of results
} tacResult;

/// Name of a result as in the source, such as "TAC_ERROR_VALUE".
TAC_API
const char* tac_result_name(tacResult result);

/// Meaning of a result in a few words.
TAC_API
const char* tac_result_text(tacResult result);

/// An error or warning about an input file: what is wrong, and where. Loaders fill it; pass NULL
/// to do without.
typedef struct tacMessage {
    char text[2048];    ///< one sentence: what is wrong and what to do; warnings of a load with ";"
                        ///< between them, "and N more" if they do not fit
    char file[256];     ///< path as the caller gave it, or ""
    char attribute[64]; ///< attribute or element, or ""
    int line;           ///< line in the file, from 1; 0 if unknown
} tacMessage;

//---------------------------------- flags ----------------------------------------

/// All flags with their texts: X(name, bit, text). docs/flags.md says what each means for the
/// derivative and what to do.
#define TAC_FLAGS(X)                                                                               \
    X(TAC_TIE, 1, "two active sets fit; one of them was differentiated")                           \
    X(TAC_GRAZING, 2, "an impact has no normal speed")                                             \
    X(TAC_ONE_SIDED, 4, "the derivative is one-sided")                                             \
    X(TAC_FALLBACK, 8, "a slower solver gave the answer")                                          \
    X(TAC_STIFF, 16, "the time step is beyond its stability bound")                                \
    X(TAC_SURROGATE, 32, "derivatives are those of the scene at softer temperatures")              \
    X(TAC_IMPACT_OVERFLOW, 64, "too many impacts; the rest of the step's time was not used")       \
    X(TAC_RESTITUTION_REDUCED, 128, "restitution was reduced so that it adds no energy")           \
    X(TAC_HELD_PARAM, 256, "adjoints of parameters that contact holds constant are left out")      \
    X(TAC_DEEP_OVERLAP, 512, "two geoms overlap by more than 1 % of the thinner one")

/// Flags of the last step: bits of tacInfo.flags. Derivatives exist, but are a choice or suspect.
typedef enum tacFlag {
#define TAC_FLAG_NAME(name, bit, text) name = bit,
    TAC_FLAGS(TAC_FLAG_NAME)
#undef TAC_FLAG_NAME
        TAC_FLAG_ALL = 1023 ///< all flags together
} tacFlag;

/// Name of one flag as in the source, such as "TAC_TIE"; NULL if `flag` is not exactly one bit of
/// tacFlag.
TAC_API
const char* tac_flag_name(unsigned flag);

/// Meaning of one flag in a few words; NULL as for tac_flag_name.
TAC_API
const char* tac_flag_text(unsigned flag);

/// Report on the last step. Read it with tac_step_info.
typedef struct tacInfo {
    unsigned flags;        ///< sum of tacFlag
    int contacts;          ///< contacts with activity > 1e-12; with scm, pairs of bodies that push
    int passes;            ///< iterations of the contact solver
    double residual;       ///< of the contact solver                             [its unit]
    double time_of_impact; ///< first impact inside the step, or the step's length      [s]
    double overlap;        ///< deepest overlap at the start of a step of smooth contact, relative
                           ///< to the thickness of the thinner geom; 0: none
    double overlap_depth;  ///< the same                                                [m]
    int overlap_geom[2];   ///< its two geoms, if there is one
} tacInfo;

TAC_EXTERN_C_END

#endif
