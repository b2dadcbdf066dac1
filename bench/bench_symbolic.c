// Equations as formulas: times to derive and compile them, and speed of their code against the
// general dynamics.

#define _GNU_SOURCE
#include "bench/bench.h"
#include "cli/scene/scene_folder.h"

#include "tactus/symbolic.h"
#include "tactus/tactus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MAX_DOFS = 40, REPEAT = 50, BATCH = 64 };

typedef struct symbolicBench {
    tacModel* model;
    tacScratch *general_scratch, *code_scratch;
    tacProgram* program; // of (q, v): M, c
    tacCode* code;
    tacStepCode* step;
    void* work;
    double x[BATCH][2 * MAX_DOFS], y[BATCH * (MAX_DOFS * MAX_DOFS + MAX_DOFS)], u[MAX_DOFS],
        M[MAX_DOFS * MAX_DOFS], tau[MAX_DOFS];
    tacState at, next;
    double q[MAX_DOFS], v[MAX_DOFS];
    double derived, compiled; // [s]
} symbolicBench;

// CPU time of this process and its children, the assembler and linker
static double cpu_seconds(void) {
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    struct timeval t[] = {own.ru_utime, own.ru_stime, children.ru_utime, children.ru_stime};
    double sum = 0.0;
    for (int i = 0; i < 4; ++i) sum += (double)t[i].tv_sec + 1e-6 * (double)t[i].tv_usec;
    return sum;
}

//---------------------------------- works ----------------------------------------

static void run_general(void* context) {
    symbolicBench* b = context;
    tacDynamicsInput x = {.qpos = b->x[0], .qvel = b->x[0] + b->model->nq};
    for (int i = 0; i < REPEAT; ++i) {
        tac_inverse_dynamics(b->model, x, b->tau, b->general_scratch);
        tac_mass_matrix(b->model, b->x[0], b->M, b->general_scratch);
    }
}

static void run_code(void* context) {
    symbolicBench* b = context;
    for (int i = 0; i < REPEAT; ++i) tac_code_run(b->code, b->x[0], 1, b->y, b->work);
}

// rows are contiguous: the inputs of the model alone
static void run_batch(void* context) {
    symbolicBench* b = context;
    tac_code_run(b->code, b->x[0], BATCH, b->y, b->work);
}

static void run_steps(symbolicBench* b, tacScratch* scratch) {
    for (int i = 0; i < REPEAT; ++i) tac_step(b->model, &b->at, b->u, &b->next, scratch);
}
static void run_general_step(void* context) {
    symbolicBench* b = context;
    run_steps(b, b->general_scratch);
}
static void run_code_step(void* context) {
    symbolicBench* b = context;
    run_steps(b, b->code_scratch);
}

//---------------------------------- scenes ---------------------------------------

static void close_bench(symbolicBench* b) {
    tac_scratch_destroy(b->general_scratch);
    tac_scratch_destroy(b->code_scratch);
    tac_step_code_destroy(b->step);
    tac_code_destroy(b->code);
    tac_program_destroy(b->program);
    tac_model_destroy(b->model);
    free(b->work);
    free(b);
}

// states packed one after the other in x[0]
static void fill_states(symbolicBench* b) {
    int nq = b->model->nq, n = nq + b->model->nv;
    unsigned random = 1;
    double* x = b->x[0];
    for (int i = 0; i < BATCH * n; ++i)
        x[i] = (double)((random = random * 1103515245u + 12345u) >> 16) / 65536.0 - 0.5;
    b->at = (tacState){.qpos = x, .qvel = x + nq};
    b->next = (tacState){.qpos = b->q, .qvel = b->v};
}

static tacResult make_equations(symbolicBench* b) {
    tacGraph* g;
    tacExpr in[2 * MAX_DOFS], *out = malloc(sizeof *out * (MAX_DOFS * MAX_DOFS + MAX_DOFS));
    int nq = b->model->nq, nv = b->model->nv;
    double start = cpu_seconds();
    tacResult result = out ? tac_graph_create(NULL, &g) : TAC_ERROR_MEMORY;
    if (result == TAC_OK) {
        result = tac_scene_equations(g, b->model, NULL, in, in + nq, out, out + nv * nv);
        if (result == TAC_OK)
            result = tac_program_create(g, in, nq + nv, out, nv * nv + nv, &b->program);
        tac_graph_destroy(g);
    }
    free(out);
    b->derived = cpu_seconds() - start;
    start = cpu_seconds();
    if (result == TAC_OK) result = tac_code_create(b->program, NULL, &b->code, NULL);
    b->compiled = cpu_seconds() - start;
    return result;
}

static symbolicBench* open_bench(const char* name) {
    char file[100], path[4200];
    tacMessage message = {0};
    symbolicBench* b = calloc(1, sizeof *b);
    if (!b) return NULL;
    snprintf(file, sizeof file, "%s.xml", name);
    cli_scene_path(file, path, sizeof path);
    if (tac_load(path, NULL, &b->model, &message) != TAC_OK || make_equations(b) != TAC_OK ||
        tac_step_code_create(b->model, NULL, &b->step, &message) != TAC_OK ||
        tac_scratch_create(b->model, &b->general_scratch) != TAC_OK ||
        tac_scratch_create(b->model, &b->code_scratch) != TAC_OK ||
        tac_step_code_use(b->step, b->code_scratch) != TAC_OK ||
        !(b->work = malloc(tac_code_size(b->code)))) {
        fprintf(stderr, "%s: %s; run it in the folder that has scenes/\n", path, message.text);
        close_bench(b);
        return NULL;
    }
    fill_states(b);
    return b;
}

//---------------------------------- rows -----------------------------------------

static void symbolic_row(benchReport* report, const char* scene, const char* what, benchFigure f) {
    char id[100];
    snprintf(id, sizeof id, "%s: %s", scene, what);
    bench_row(report, id, f.value, f.unit, f.relation, f.bound);
}

// bounds apply to machine code; rows of interpreted formulas have none
static int bench_scene(benchReport* report, const char* name, int planar) {
    enum { GENERAL, CODE, BATCHED, STEP, CODE_STEP, WORKS };
    symbolicBench* b = open_bench(name);
    double t[WORKS];
    if (!b) return 1;
    const benchWork works[WORKS] = {
        {run_general, b}, {run_code, b}, {run_batch, b}, {run_general_step, b}, {run_code_step, b}};
    bench_times(works, WORKS, t);
    char less = tac_code_compiled(b->code) ? '<' : ' ', more = less == '<' ? '>' : ' ';
    symbolic_row(report, name, "M and c derived",
                 (benchFigure){1e3 * b->derived, "ms", '<', 2000.0});
    symbolic_row(report, name, "M and c compiled", (benchFigure){b->compiled, "s", less, 5.0});
    symbolic_row(report, name, "operations",
                 (benchFigure){tac_program_count(b->program), "", ' ', 0.0});
    symbolic_row(report, name, "M and c by code",
                 (benchFigure){t[CODE] / REPEAT / 1e3, "us", ' ', 0.0});
    symbolic_row(report, name, "M and c by code in a batch",
                 (benchFigure){t[BATCHED] / BATCH / 1e3, "us", ' ', 0.0});
    symbolic_row(report, name, "code : RNEA and CRBA",
                 (benchFigure){t[CODE] / t[GENERAL], "x", less, 2.0});
    symbolic_row(report, name, "step by code",
                 (benchFigure){t[CODE_STEP] / REPEAT / 1e3, "us", ' ', 0.0});
    symbolic_row(report, name, "step, general : code",
                 (benchFigure){t[STEP] / t[CODE_STEP], "x", planar ? more : ' ', 5.0});
    close_bench(b);
    return 0;
}

int bench_symbolic(benchReport* report) {
    int failed = bench_scene(report, "arm", 0);
    if (!failed) failed = bench_scene(report, "panda", 0);
    if (!failed) failed = bench_scene(report, "cart_pole", 1);
    return failed ? failed : bench_scene(report, "double_pendulum", 1);
}
