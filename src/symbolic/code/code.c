// Programs as machine code: finds the compiler's library, and runs the compiled code.
//
//   program.c --list of steps--> libtactus_jit.so (src/jit) --functions--> [this file]

#define _GNU_SOURCE
#include "symbolic/code/code.h"
#include "base/assert.h"
#include "base/dispatch.h"
#include "symbolic/code/jit.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct tacCode {
    const tacProgram* program;
    tacJitRelease release;
    tacJitCode jit; // handle NULL: the program is interpreted
    int lanes, slots;
};

tacCodeOptions tac_default_code_options(void) { return (tacCodeOptions){.level = 2}; }

//---------------------------------- the library ----------------------------------

static void set_message(tacMessage* message, const char* format, const char* detail) {
    if (message) snprintf(message->text, sizeof message->text, format, detail);
}

// beside the file that this function is in, and in the lib folders next to that
static void* open_beside(void) {
    static const char* const folders[] = {"", "../", "../lib/", "../lib64/",
                                          "../lib/x86_64-linux-gnu/"};
    Dl_info here;
    void* found = NULL;
    tacCodeOptions (*self)(void) = tac_default_code_options;
    void* address;
    memcpy(&address, &self, sizeof address);
    if (!dladdr(address, &here) || !here.dli_fname) return NULL;
    const char* slash = strrchr(here.dli_fname, '/');
    int length = slash ? (int)(slash + 1 - here.dli_fname) : 0;
    for (int i = 0; i < TAC_COUNT(folders) && !found; ++i) {
        char path[1100];
        int size = snprintf(path, sizeof path, "%.*s%slibtactus_jit.so", length, here.dli_fname,
                            folders[i]);
        // a name without a folder would be searched everywhere
        if (length > 0 && size < (int)sizeof path) found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return found;
}

static void* open_library(const char* path) {
    if (path) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void* found = open_beside();
    return found ? found : dlopen("libtactus_jit.so", RTLD_NOW | RTLD_LOCAL);
}

//---------------------------------- compiling ------------------------------------

// the instructions that the library's own kernels use
static int choose_lanes(const char* flags[4]) {
    switch (tac_isa()) {
    case TAC_ISA_AVX512:
        flags[0] = "-mavx512f";
        flags[1] = "-mavx512dq";
        flags[2] = "-mprefer-vector-width=512";
        return 8;
    case TAC_ISA_AVX2:
        flags[0] = "-mavx2";
        flags[1] = NULL;
        return 4;
    default:
        flags[0] = NULL;
        return 2;
    }
}

static tacResult compile_program(tacCode* code, int level, void* library, tacMessage* message) {
    void *symbol = dlsym(library, "tac_jit_compile"), *release = dlsym(library, "tac_jit_release");
    tacJitCompile run;
    tacProgramParts parts;
    const char* flags[4] = {NULL};
    if (!symbol || !release) {
        set_message(message, "%s is not the compiler of Tactus: it has no tac_jit_compile",
                    "libtactus_jit.so");
        return TAC_ERROR_FILE;
    }
    memcpy(&run, &symbol, sizeof run);
    memcpy(&code->release, &release, sizeof release);
    tacResult result = tac_program_parts_alloc(code->program, &parts);
    if (result != TAC_OK) return result;
    code->lanes = choose_lanes(flags);
    code->slots = parts.slots;
    tacJitJob job = {TAC_JIT_VERSION, level, code->lanes,     code->program,
                     &parts,          flags, tac_op_function, tac_op_name};
    if (run(&job, &code->jit) != 0) {
        set_message(message, "the formulas were not compiled: %s", code->jit.error);
        code->jit.handle = NULL;
        result = TAC_ERROR_UNSUPPORTED;
    }
    tac_program_parts_free(code->program, &parts);
    return result;
}

tacResult tac_code_create(const tacProgram* program, const tacCodeOptions* options, tacCode** out,
                          tacMessage* message) {
    tacCodeOptions o = options ? *options : tac_default_code_options();
    if (message) *message = (tacMessage){0};
    if (!program || !out || o.level < 0 || o.level > 3) return TAC_ERROR_VALUE;
    tacCode* code = program->allocator.allocate(program->allocator.user, sizeof *code);
    if (!code) return TAC_ERROR_MEMORY;
    *code = (tacCode){.program = program, .lanes = 1};
    tacResult result = TAC_OK;
    int wanted = !o.library || *o.library;
    void* library = wanted ? open_library(o.library) : NULL;
    if (library)
        result = compile_program(code, o.level, library, message);
    else if (wanted)
        set_message(message,
                    "libtactus_jit.so was not found (%.150s): formulas are interpreted; install "
                    "libgccjit-12-dev and build again",
                    dlerror());
    if (!library && o.library && *o.library) result = TAC_ERROR_FILE;
    if (result != TAC_OK)
        tac_code_destroy(code);
    else
        *out = code;
    return result;
}

void tac_code_destroy(tacCode* code) {
    if (!code) return;
    if (code->jit.handle) code->release(code->jit.handle);
    tacAllocator a = code->program->allocator;
    a.release(a.user, code);
}

int tac_code_compiled(const tacCode* code) { return code && code->jit.handle; }

//---------------------------------- running --------------------------------------

size_t tac_code_size(const tacCode* code) {
    if (!code) return 0;
    if (!code->jit.handle) return tac_program_size(code->program);
    return sizeof(double) * (size_t)code->lanes *
           ((size_t)code->slots + (size_t)code->program->outputs + 1);
}

static int all_finite(const double* x, size_t n) {
    double sum = 0.0; // NaN after the first number that is not finite
    for (size_t i = 0; i < n; ++i) sum += 0.0 * x[i];
    return sum == 0.0;
}

// rows of outputs that are finite
static tacResult copy_finite_rows(const double* from, int rows, size_t outputs, double* y) {
    tacResult result = TAC_OK;
    for (int i = 0; i < rows; ++i) {
        const double* row = from + (size_t)i * outputs;
        if (all_finite(row, outputs))
            memcpy(y + (size_t)i * outputs, row, sizeof *y * outputs);
        else
            result = TAC_ERROR_DIVERGED;
    }
    return result;
}

tacResult tac_code_run(const tacCode* code, const double* x, int batch, double* y, void* work) {
    if (!code) return TAC_ERROR_VALUE;
    if (!code->jit.handle) return tac_program_run(code->program, x, batch, y, work);
    size_t inputs = (size_t)code->program->inputs, outputs = (size_t)code->program->outputs;
    double *rows = work, *t = rows + outputs * (size_t)code->lanes;
    tacResult result = TAC_OK;
    if (batch <= 0) return TAC_OK;
    if (!work || (inputs > 0 && !x) || (outputs > 0 && !y)) return TAC_ERROR_VALUE;
    if (!all_finite(x, inputs * (size_t)batch)) return TAC_ERROR_VALUE;
    for (int i = 0; i < batch;) {
        int many = batch - i >= code->lanes, count = many ? code->lanes : 1;
        (many ? code->jit.many : code->jit.one)(x + (size_t)i * inputs, rows, t);
        if (copy_finite_rows(rows, count, outputs, y + (size_t)i * outputs) != TAC_OK)
            result = TAC_ERROR_DIVERGED;
        i += count;
    }
    return result;
}

tacResult tac_code_run_one(const tacCode* code, const double* x, double* y, void* work) {
    if (!code->jit.handle) return tac_program_run(code->program, x, 1, y, work);
    code->jit.one(x, y, work);
    return all_finite(y, (size_t)code->program->outputs) ? TAC_OK : TAC_ERROR_DIVERGED;
}
