// A book of hashes: for each case a line with a hash per stage and four values, for each kind of
// machine a section. Other machines have other bits, so there the values are compared alone.

#ifndef TACTUS_TEST_RECORDED_BOOK_H
#define TACTUS_TEST_RECORDED_BOOK_H

#include "test.h"

#include <stdint.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

//---------------------------------- stages ---------------------------------------

// what is hashed of a case, in the order of its line; names are those of the file
#define BOOK_STAGES(X)                                                                             \
    X(LOAD, "load")                                                                                \
    X(PARAM, "param")                                                                              \
    X(MOTION, "motion")                                                                            \
    X(INFO, "info")                                                                                \
    X(A, "A")                                                                                      \
    X(B, "B")                                                                                      \
    X(P, "P")                                                                                      \
    X(JVP, "jvp")                                                                                  \
    X(VJP, "vjp")                                                                                  \
    X(HVP, "hvp")                                                                                  \
    X(HESSIAN, "hessian")                                                                          \
    X(DETECT, "detect")                                                                            \
    X(DETECT_D, "detect_d")                                                                        \
    X(FORCE, "force")                                                                              \
    X(FORCE_D, "force_d")                                                                          \
    X(DYNAMICS, "dynamics")                                                                        \
    X(DYNAMICS_D, "dynamics_d")                                                                    \
    X(INVERSE, "inverse")                                                                          \
    X(SENSORS, "sensors")                                                                          \
    X(ROWS, "rows")                                                                                \
    X(IMPULSE, "impulse")                                                                          \
    X(COURSE, "course")                                                                            \
    X(BATCH, "batch")                                                                              \
    X(VALUE, "value")                                                                              \
    X(GRADIENT, "gradient")                                                                        \
    X(STEPS, "steps")                                                                              \
    X(MESH, "mesh")                                                                                \
    X(MASS, "mass")

typedef enum bookStage {
#define BOOK_STAGE(name, text) STAGE_##name,
    BOOK_STAGES(BOOK_STAGE)
#undef BOOK_STAGE
        STAGE_COUNT
} bookStage;

static const char* const book_stage_names[] = {
#define BOOK_STAGE(name, text) text,
    BOOK_STAGES(BOOK_STAGE)
#undef BOOK_STAGE
};

enum { BOOK_VALUES = 4, BOOK_NEAR = 3, BOOK_NAME = 64, BOOK_CASES = 400 };

// One case: hashes of the stages that it has. The first BOOK_NEAR values are those of few steps and
// hold within a tolerance on any machine; the last one is for the reader.
typedef struct bookCase {
    char name[BOOK_NAME];
    uint64_t hash[STAGE_COUNT];
    int used[STAGE_COUNT];
    double value[BOOK_VALUES];
} bookCase;

//---------------------------------- hashes ---------------------------------------

static const uint64_t book_start = 0xcbf29ce484222325ull;

// FNV-1a over the eight bytes of a word
static inline uint64_t book_mix(uint64_t hash, uint64_t word) {
    for (int i = 0; i < 8; ++i) {
        hash ^= word & 255u;
        hash *= 0x100000001b3ull;
        word >>= 8;
    }
    return hash;
}

// bits of a number; all that are not numbers are one
static inline uint64_t book_bits(double x) {
    uint64_t bits;
    if (isnan(x)) return 0x7ff8000000000000ull;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline void book_word(bookCase* c, bookStage stage, uint64_t word) {
    if (!c->used[stage]) {
        c->hash[stage] = book_start;
        c->used[stage] = 1;
    }
    c->hash[stage] = book_mix(c->hash[stage], word);
}

static inline void book_int(bookCase* c, bookStage stage, long long number) {
    book_word(c, stage, (uint64_t)number);
}

static inline void book_reals(bookCase* c, bookStage stage, const double* x, long long count) {
    book_int(c, stage, count);
    for (long long i = 0; i < count; ++i) book_word(c, stage, book_bits(x[i]));
}

// 48 bits of a hash are written
static inline uint64_t book_short(uint64_t hash) { return (hash ^ hash >> 48) & 0xffffffffffffull; }

//---------------------------------- machines -------------------------------------

// what the library takes, from the rule that CONTRIBUTING.md tells (TACTUS_ISA)
static inline const char* book_isa(void) {
    static const char* const names[] = {"baseline", "avx2", "avx512"};
    int best = 0;
#ifdef TAC_HAVE_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) best = 1;
    if (best && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        best = 2;
#endif
    const char* forced = getenv("TACTUS_ISA");
    for (int i = 0; forced && i <= best; ++i)
        if (strcmp(forced, names[i]) == 0) return names[i];
    return names[best];
}

// the C library picks functions by processor, so its version does not tell its bits
static inline uint64_t book_libm(void) {
    testRandom random = {11};
    uint64_t hash = book_start;
    for (int i = 0; i < 2000; ++i) {
        volatile double x = test_uniform(&random, -8.0, 8.0), y = test_uniform(&random, 0.01, 9.0);
        const double f[] = {exp(x),    sin(x),      cos(x),   tan(x),       atan(x),
                            tanh(x),   log(y),      log1p(y), cbrt(x),      expm1(x),
                            pow(y, x), atan2(x, y), sqrt(y),  acos(x / 8.), hypot(x, y)};
        for (int k = 0; k < (int)(sizeof f / sizeof f[0]); ++k)
            hash = book_mix(hash, book_bits(f[k]));
    }
    return hash;
}

// the header of this machine's section
static inline void book_machine(char* text, int size) {
    const char* compiler = "gcc";
    int version = __GNUC__;
    const char* libc = "other";
#ifdef __clang__
    compiler = "clang";
    version = __clang_major__;
#endif
#ifdef __GLIBC__
    libc = gnu_get_libc_version();
#endif
    snprintf(text, (size_t)size, "isa=%s compiler=%s-%d glibc=%s libm=%012llx", book_isa(),
             compiler, version, libc, (unsigned long long)book_short(book_libm()));
}

//---------------------------------- lines ----------------------------------------

static inline void book_print(FILE* file, const bookCase* c) {
    fprintf(file, "%s", c->name);
    for (int s = 0; s < STAGE_COUNT; ++s)
        if (c->used[s])
            fprintf(file, " %s=%012llx", book_stage_names[s],
                    (unsigned long long)book_short(c->hash[s]));
    fprintf(file, " :");
    for (int i = 0; i < BOOK_VALUES; ++i) fprintf(file, " %.17g", c->value[i]);
    fprintf(file, "\n");
}

static inline int book_stage_named(const char* word, size_t length) {
    for (int s = 0; s < STAGE_COUNT; ++s)
        if (strlen(book_stage_names[s]) == length && !strncmp(word, book_stage_names[s], length))
            return s;
    return -1;
}

// reads a line; hashes are then short ones; 0 if it is none
static inline int book_parse(char* line, bookCase* c) {
    *c = (bookCase){0};
    char *rest = NULL, *word = strtok_r(line, " \n", &rest);
    if (!word || strlen(word) >= BOOK_NAME) return 0;
    snprintf(c->name, sizeof c->name, "%s", word);
    while ((word = strtok_r(NULL, " \n", &rest)) && strcmp(word, ":") != 0) {
        char* equals = strchr(word, '=');
        int stage = equals ? book_stage_named(word, (size_t)(equals - word)) : -1;
        if (stage < 0) return 0;
        c->used[stage] = 1;
        c->hash[stage] = strtoull(equals + 1, NULL, 16);
    }
    for (int i = 0; i < BOOK_VALUES; ++i) {
        if (!(word = strtok_r(NULL, " \n", &rest))) return 0;
        c->value[i] = strtod(word, NULL);
    }
    return 1;
}

//---------------------------------- sections -------------------------------------

// the section of a book that belongs to this machine, or else the first one
typedef struct bookSection {
    char machine[160]; // as the file says it
    int same;          // 1: hashes are to be the same here
    int count;
    bookCase c[BOOK_CASES];
} bookSection;

// reads the section named `machine`, or the first one for NULL; 0 if there is none
static inline int book_read_section(const char* path, const char* machine, bookSection* out) {
    static char line[8192];
    FILE* file = fopen(path, "r");
    int inside = 0;
    out->count = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (line[0] == '#' || line[0] == '\n') continue;
        if (strncmp(line, "section ", 8) == 0) {
            if (inside) break;
            line[strcspn(line, "\n")] = 0;
            inside = !machine || strcmp(line + 8, machine) == 0;
            if (inside) snprintf(out->machine, sizeof out->machine, "%.150s", line + 8);
        } else if (inside && out->count < BOOK_CASES)
            out->count += book_parse(line, &out->c[out->count]);
    }
    if (file) fclose(file);
    return inside;
}

static inline int book_read(const char* path, bookSection* out) {
    char machine[160];
    book_machine(machine, sizeof machine);
    out->same = book_read_section(path, machine, out);
    return out->same || book_read_section(path, NULL, out);
}

static inline const bookCase* book_find(const bookSection* section, const char* name) {
    for (int i = 0; i < section->count; ++i)
        if (strcmp(section->c[i].name, name) == 0) return &section->c[i];
    return NULL;
}

// copies all but this machine's section
static inline void book_copy_others(FILE* from, FILE* to, const char* machine) {
    static char line[8192];
    int mine = 0;
    while (fgets(line, sizeof line, from)) {
        if (strncmp(line, "section ", 8) == 0)
            mine = strncmp(line + 8, machine, strlen(machine)) == 0 &&
                   line[8 + strlen(machine)] == '\n';
        if (!mine) fputs(line, to);
    }
}

// writes this machine's section, and keeps those of others; 0 if it cannot
static inline int book_write(const char* path, const bookCase* c, int count) {
    char machine[160];
    book_machine(machine, sizeof machine);
    FILE *kept = tmpfile(), *old = fopen(path, "r");
    if (!kept) return 0;
    if (old) {
        book_copy_others(old, kept, machine);
        fclose(old);
    } else
        fprintf(kept, "# Bits of test_recorded: name, hash of each stage, four values; one section "
                      "a kind of machine.\n# Written by `test_recorded --write FILE`, once for "
                      "each TACTUS_ISA; never by hand.\n");
    rewind(kept);
    FILE* file = fopen(path, "w");
    if (!file) return 0;
    book_copy_others(kept, file, "");
    fprintf(file, "section %s\n", machine);
    for (int i = 0; i < count; ++i) book_print(file, &c[i]);
    fclose(kept);
    return fclose(file) == 0;
}

//---------------------------------- comparison -----------------------------------

// hashes of every stage; names those that differ
static inline int book_same_bits(const bookCase* now, const bookCase* then) {
    int failed = 0;
    for (int s = 0; s < STAGE_COUNT; ++s) {
        if (now->used[s] == then->used[s] &&
            (!now->used[s] || book_short(now->hash[s]) == then->hash[s]))
            continue;
        printf("  %s: %s differs from what is recorded\n", now->name, book_stage_names[s]);
        ++failed;
    }
    for (int i = 0; i < BOOK_VALUES && failed; ++i)
        printf("  %s: value %d = %.17g, recorded %.17g\n", now->name, i, now->value[i],
               then->value[i]);
    return failed;
}

// values of few steps, of another machine
static inline int book_near(const bookCase* now, const bookCase* then, double tolerance) {
    int failed = 0;
    for (int i = 0; i < BOOK_NEAR; ++i) {
        double scale = fmax(fabs(then->value[i]), 1e-9);
        if (fabs(now->value[i] - then->value[i]) <= tolerance * scale) continue;
        printf("  %s: value %d = %.17g, recorded %.17g\n", now->name, i, now->value[i],
               then->value[i]);
        ++failed;
    }
    return failed;
}

#endif
