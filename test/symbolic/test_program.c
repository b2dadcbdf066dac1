// Programs: one point and many, interpreter and compiled C have the same bits; limits of the print.

#include "symbolic/random_formula.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

typedef void (*compiled)(const double* x, double* y);

typedef struct library {
    char folder[64], source[96], object[96];
    void* handle;
    compiled run;
} library;

static int to_file(void* user, const char* text, size_t length) {
    return fwrite(text, 1, length, user) != length;
}

static int have_compiler(void) { return system("cc --version >/dev/null 2>&1") == 0; }

// writes, compiles with all warnings as errors, and loads a program
static int compile_with_cc(const tacProgram* program, library* lib) {
    char command[400];
    strcpy(lib->folder, "/tmp/tactus_program_XXXXXX");
    ENSURE(mkdtemp(lib->folder));
    snprintf(lib->source, sizeof lib->source, "%s/code.c", lib->folder);
    snprintf(lib->object, sizeof lib->object, "%s/code.so", lib->folder);
    FILE* file = fopen(lib->source, "w");
    ENSURE(file);
    ENSURE(tac_program_print(program, "motion", TAC_NOTATION_C, to_file, file) == TAC_OK);
    ENSURE(fclose(file) == 0);
    snprintf(command, sizeof command,
             "cc -std=c17 -O1 -ffp-contract=off -Wall -Wextra -Wpedantic -Werror -shared -fPIC "
             "-o %s %s -lm",
             lib->object, lib->source);
    ENSURE(system(command) == 0);
    lib->handle = dlopen(lib->object, RTLD_NOW);
    ENSURE(lib->handle);
    void* symbol = dlsym(lib->handle, "motion");
    memcpy(&lib->run, &symbol, sizeof symbol);
    ENSURE(lib->run);
    return 0;
}

static void discard_library(library* lib) {
    dlclose(lib->handle);
    remove(lib->object);
    remove(lib->source);
    rmdir(lib->folder);
}

// a program of many random formulas and their gradients
static int random_program(int count, formulaSource* from, tacProgram** program, int* outputs) {
    tacExpr* e = malloc(sizeof *e * (size_t)count * (1 + SYMBOLS));
    for (int i = 0; i < count; ++i) {
        formula f = random_expr(from, 3 + i % 4);
        e[i] = f.e;
        ENSURE(tac_expr_gradient(g, f.e, from->x, SYMBOLS, e + count + SYMBOLS * i) == TAC_OK);
    }
    *outputs = count * (1 + SYMBOLS);
    ENSURE(tac_program_create(g, from->x, SYMBOLS, e, *outputs, program) == TAC_OK);
    free(e);
    return 0;
}

enum { POINTS = 37, FORMULAS = 40 };

// one text for few and for many statements: functions of at most 1000
// machine code at every level, of batches that do and do not fill the lanes
static int machine_code(const tacProgram* program, const double* x, const double* y, int outputs) {
    static const int batches[] = {1, 3, 8, POINTS};
    tacMessage message;
    int most = outputs > 500 ? 0 : getenv("TACTUS_NO_SWEEP") ? 0 : 2; // compiling takes its time
    for (int level = 0; level <= most; level += 2) {
        tacCodeOptions options = {.level = level};
        tacCode* code;
        tacResult result = tac_code_create(program, &options, &code, &message);
        if (result != TAC_OK) printf("    %s\n", message.text);
        ENSURE(result == TAC_OK);
        double* out = malloc(sizeof *out * POINTS * (size_t)outputs);
        void* work = malloc(tac_code_size(code));
        for (int k = 0; k < 4; ++k) {
            int batch = batches[k];
            memset(out, 0, sizeof *out * POINTS * (size_t)outputs);
            ENSURE(tac_code_run(code, x, batch, out, work) == TAC_OK);
            for (int i = 0; i < batch * outputs; ++i) ENSURE_NEAR(out[i], y[i], 0.0);
        }
        if (level == 3)
            printf("    %s\n", tac_code_compiled(code) ? "machine code" : "interpreted");
        free(out);
        free(work);
        tac_code_destroy(code);
    }
    return 0;
}

static int same_bits(int count) {
    ENSURE(open_graph());
    formulaSource from = new_formula_source(4242);
    tacProgram* program;
    library lib;
    int outputs;
    ENSURE_LAW(random_program(count, &from, &program, &outputs));
    tac_graph_destroy(g); // the program does not need it
    double* x = malloc(sizeof *x * POINTS * SYMBOLS);
    double* y = malloc(sizeof *y * (size_t)(POINTS + 1) * (size_t)outputs);
    double* one = y + POINTS * (size_t)outputs;
    void* work = malloc(tac_program_size(program));
    for (int i = 0; i < POINTS * SYMBOLS; ++i) x[i] = test_uniform(&from.random, -1.5, 1.5);
    ENSURE(tac_program_run(program, x, POINTS, y, work) == TAC_OK);
    for (int i = 0; i < POINTS; ++i) {
        ENSURE(tac_program_run(program, x + SYMBOLS * i, 1, one, work) == TAC_OK);
        ENSURE(memcmp(one, y + i * outputs, sizeof *y * (size_t)outputs) == 0);
    }
    if (have_compiler()) {
        ENSURE_LAW(compile_with_cc(program, &lib));
        for (int i = 0; i < POINTS; ++i) {
            lib.run(x + SYMBOLS * i, one);
            for (int k = 0; k < outputs; ++k) ENSURE_NEAR(one[k], y[i * outputs + k], 0.0);
        }
        discard_library(&lib);
    }
    ENSURE_LAW(machine_code(program, x, y, outputs));
    printf("    %d outputs, %d operations%s\n", outputs, tac_program_count(program),
           have_compiler() ? ", also compiled" : "");
    free(x);
    free(y);
    free(work);
    tac_program_destroy(program);
    return 0;
}

static int batch_and_compiled_code_have_the_same_bits(void) { return same_bits(FORMULAS); }

static int long_programs_are_split(void) { return same_bits(5 * FORMULAS); }

static int c_needs_a_compiler(void) {
    if (!have_compiler()) SKIP("no C compiler (cc): generated code is not compiled");
    return 0;
}

//---------------------------------- values that are not there --------------------

static int rows_without_a_value_stay(void) {
    ENSURE(open_graph());
    tacExpr x = expr_symbol("x"), e[] = {expr_div(expr_int(1), x), expr_call(TAC_OP_LOG, x)};
    tacProgram* program;
    ENSURE(tac_program_create(g, &x, 1, e, 2, &program) == TAC_OK);
    void* work = malloc(tac_program_size(program));
    double at[] = {2.0, 0.0, 1.0, NAN}, y[6] = {7, 7, 7, 7, 7, 7};
    ENSURE(tac_program_run(program, at, 4, y, work) == TAC_ERROR_VALUE && y[0] == 7.0);
    ENSURE(tac_program_run(program, at, 3, y, work) == TAC_ERROR_DIVERGED);
    ENSURE(y[0] == 0.5 && y[1] == log(2.0) && y[2] == 7.0 && y[3] == 7.0);
    ENSURE(y[4] == 1.0 && y[5] == 0.0);
    ENSURE(tac_program_run(program, at, 0, y, work) == TAC_OK);
    free(work);
    tac_program_destroy(program);
    tac_graph_destroy(g);
    return 0;
}

// the same of machine code; without its library the program runs
static int code_answers_as_the_program(void) {
    ENSURE(open_graph());
    tacExpr x = expr_symbol("x"), e[] = {expr_div(expr_int(1), x), expr_call(TAC_OP_LOG, x)};
    tacProgram* program;
    tacMessage message;
    static const char* const libraries[] = {NULL, ""};
    ENSURE(tac_program_create(g, &x, 1, e, 2, &program) == TAC_OK);
    tac_graph_destroy(g);
    for (int i = 0; i < 2; ++i) {
        tacCode* code;
        tacCodeOptions options = tac_default_code_options();
        options.library = libraries[i];
        ENSURE(tac_code_create(program, &options, &code, &message) == TAC_OK);
        ENSURE(i == 0 || !tac_code_compiled(code));
        void* work = malloc(tac_code_size(code));
        double at[] = {2.0, 0.0, 1.0, 3.0, NAN}, y[8] = {7, 7, 7, 7, 7, 7, 7, 7};
        ENSURE(tac_code_run(code, at, 5, y, work) == TAC_ERROR_VALUE && y[0] == 7.0);
        ENSURE(tac_code_run(code, at, 4, y, work) == TAC_ERROR_DIVERGED);
        ENSURE(y[0] == 0.5 && y[1] == log(2.0) && y[2] == 7.0 && y[3] == 7.0);
        ENSURE(y[4] == 1.0 && y[5] == 0.0 && y[7] == log(3.0));
        ENSURE(tac_code_run(code, at, 0, y, work) == TAC_OK);
        free(work);
        tac_code_destroy(code);
    }
    tacCode* none = NULL;
    tacCodeOptions missing = {.library = "/nowhere/libtactus_jit.so"}, wild = {.level = 4};
    ENSURE(tac_code_create(program, &missing, &none, &message) == TAC_ERROR_FILE && !none);
    ENSURE(strstr(message.text, "libgccjit-12-dev"));
    missing.library = "libm.so.6"; // a library, but not that one
    ENSURE(tac_code_create(program, &missing, &none, &message) == TAC_ERROR_FILE && !none);
    ENSURE(strstr(message.text, "tac_jit_compile"));
    ENSURE(tac_code_create(program, &wild, &none, NULL) == TAC_ERROR_VALUE && !none);
    tac_program_destroy(program);
    return 0;
}

typedef struct sheet {
    char text[1000];
    size_t used, room;
} sheet;

static int to_sheet(void* user, const char* text, size_t length) {
    sheet* s = user;
    if (length >= s->room - s->used) return 1;
    memcpy(s->text + s->used, text, length + 1);
    s->used += length;
    return 0;
}

static int lists_name_what_is_shared(void) {
    ENSURE(open_graph());
    tacExpr x = expr_symbol("theta1"), s = expr_call(TAC_OP_SIN, x),
            e[] = {expr_add(s, expr_int(2)), expr_mul(s, x)};
    tacProgram* program;
    ENSURE(tac_program_create(g, &x, 1, e, 2, &program) == TAC_OK);
    sheet out = {"", 0, sizeof out.text};
    ENSURE(tac_program_print(program, "y", TAC_NOTATION_TEXT, to_sheet, &out) == TAC_OK);
    ENSURE(strcmp(out.text, "_0 = sin(theta1)\ny0 = 2 + _0\ny1 = theta1*_0\n") == 0);
    out.used = 0;
    ENSURE(tac_program_print(program, "y", TAC_NOTATION_LATEX, to_sheet, &out) == TAC_OK);
    ENSURE(strstr(out.text, "\\xi_{0} &= \\sin\\left(\\theta_{1}\\right) \\\\\n"));
    ENSURE(strstr(out.text, "\\mathrm{y}_{1} &= \\theta_{1} \\xi_{0}"));
    out = (sheet){"", 0, 20};
    ENSURE(tac_program_print(program, "y", TAC_NOTATION_C, to_sheet, &out) == TAC_ERROR_FILE);
    ENSURE(tac_program_print(program, "2y", TAC_NOTATION_C, to_sheet, &out) == TAC_ERROR_VALUE);
    tac_program_destroy(program);
    tac_graph_destroy(g);
    return 0;
}

TEST_MAIN(RUN(batch_and_compiled_code_have_the_same_bits), RUN(long_programs_are_split),
          RUN(c_needs_a_compiler), RUN(rows_without_a_value_stay), RUN(code_answers_as_the_program),
          RUN(lists_name_what_is_shared))
