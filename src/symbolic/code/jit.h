// The interface of libtactus and libtactus_jit.so. Both are built from one source; `version`
// changes with this file or with tacProgram.

#ifndef TAC_SYMBOLIC_CODE_JIT_H
#define TAC_SYMBOLIC_CODE_JIT_H

#include "symbolic/code/program_parts.h"
#include "symbolic/expr/function.h"

#define TAC_JIT_VERSION 1
#define TAC_JIT_LANES   8 // at most

// outputs y of inputs x; t are slots of the parts. `many` takes `lanes` points: x (lanes x inputs),
// y (lanes x outputs), t (slots x lanes), none of them aligned
typedef void (*tacJitFunction)(const double* x, double* y, double* t);

typedef struct tacJitJob {
    int version, level, lanes;
    const tacProgram* program;
    const tacProgramParts* parts;
    const char* const* flags; // for the compiler, NULL at the end
    // of symbolic/expr/function.c, so that the library needs nothing of the other
    tacFunction (*function)(tacOp op);
    const char* (*name)(tacOp op, tacNotation notation);
} tacJitJob;

typedef struct tacJitCode {
    void* handle; // to be released
    tacJitFunction one, many;
    char error[160];
} tacJitCode;

// the two functions of the library; compile is 0 on success
typedef int (*tacJitCompile)(const tacJitJob* job, tacJitCode* out);
typedef void (*tacJitRelease)(void* handle);

#endif
