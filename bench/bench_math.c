// tactus bench math: exp and log against libmvec, the superquadric against scalar libm.

#include "bench/baselines/scalar_superquadric.h"
#include "bench/bench.h"
#include "bench/wide_math.h"
#include "cli/random.h"

#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT 1024

static unsigned long long random_state = CLI_XORSHIFT_SEED;

static double random_uniform(double low, double high) {
    return low + (high - low) * cli_random_xorshift(&random_state);
}

//---------------------------------- exp and log ----------------------------------

typedef struct arrayWork {
    tacBenchWideRun* run;
    double x[COUNT], y[COUNT];
} arrayWork;

static void run_array(void* context) {
    arrayWork* w = context;
    for (int i = 0; i < 16; ++i) w->run(w->x, w->y, COUNT);
}

static void libm_exp(const double* x, double* y, int count) {
    for (int i = 0; i < count; ++i) y[i] = exp(x[i]);
}

static void libm_log(const double* x, double* y, int count) {
    for (int i = 0; i < count; ++i) y[i] = log(x[i]);
}

typedef struct mathFunction {
    const char* name;
    tacBenchWideRun *own, *mvec, *libm; // mvec is NULL where there is none
    double low, high;                   // of the arguments
} mathFunction;

static void bench_function(benchReport* report, const mathFunction* f) {
    static arrayWork works[3];
    tacBenchWideRun* runs[3] = {f->own, f->libm, f->mvec};
    int count = f->mvec ? 3 : 2;
    benchWork list[3];
    double ns[3];
    char id[100];
    for (int k = 0; k < count; ++k) {
        works[k].run = runs[k];
        for (int i = 0; i < COUNT; ++i) works[k].x[i] = random_uniform(f->low, f->high);
        list[k] = (benchWork){run_array, &works[k]};
    }
    bench_times(list, count, ns);
    snprintf(id, sizeof id, "ground/%s/%s", tac_isa_name(tac_isa()), f->name);
    char row[140];
    snprintf(row, sizeof row, "%s/own", id);
    bench_row(report, row, ns[0] / (16.0 * COUNT), "ns", ' ', 0.0);
    snprintf(row, sizeof row, "%s/libm", id);
    bench_row(report, row, ns[1] / (16.0 * COUNT), "ns", ' ', 0.0);
    if (!f->mvec) return;
    snprintf(row, sizeof row, "%s/libmvec", id);
    bench_row(report, row, ns[2] / (16.0 * COUNT), "ns", ' ', 0.0);
    snprintf(row, sizeof row, "%s/own : libmvec", id);
    bench_row(report, row, ns[0] / ns[2], "x", tac_isa() == TAC_ISA_BASELINE ? ' ' : '<', 1.0);
}

//---------------------------------- superquadric ---------------------------------

static const char scene[] =
    "<mujoco><asset>"
    "<shape name='radial' distance='radial'><superquadric size='.3 .2 .5' eps='.6 .4'/></shape>"
    "<shape name='tangent'><superquadric size='.3 .2 .5' eps='.6 .4'/></shape>"
    "</asset></mujoco>";

typedef struct shapeWork {
    const tacModel* model;
    tacScratch* scratch;
    int shape, order; // order -1: scalar libm
    double (*x)[COUNT], (*out)[COUNT];
} shapeWork;

static void run_shape(void* context) {
    shapeWork* w = context;
    static const double a[3] = {0.3, 0.2, 0.5}, e[2] = {0.6, 0.4};
    if (w->order < 0) {
        const double* const x[3] = {w->x[0], w->x[1], w->x[2]};
        bench_scalar_superquadric(a, e, x, w->out[0], COUNT);
        return;
    }
    tacField out = {.value = w->out[0]};
    for (int k = 0; k < 3 && w->order >= 1; ++k) out.gradient[k] = w->out[1 + k];
    for (int k = 0; k < 6 && w->order >= 2; ++k) out.hessian[k] = w->out[4 + k];
    tacPoints points = {COUNT, {w->x[0], w->x[1], w->x[2]}};
    for (int i = 0; i < 4; ++i)
        tac_shape_eval(w->model, w->shape, tac_pose_identity(), points, out, w->scratch);
}

static void superquadric_rows(benchReport* report, const double ns[7]) {
    const char* isa = tac_isa_name(tac_isa());
    double goal = tac_isa() == TAC_ISA_AVX512 ? 15.0 : tac_isa() == TAC_ISA_AVX2 ? 7.0 : 0.0;
    const char* names[7] = {"scalar libm",      "radial",  "radial + gradient",
                            "radial + Hessian", "tangent", "tangent + gradient",
                            "tangent + Hessian"};
    double per[7];
    char id[140];
    for (int k = 0; k < 7; ++k) {
        per[k] = ns[k] / (k == 0 ? COUNT : 4.0 * COUNT);
        snprintf(id, sizeof id, "ground/%s/superquadric/%s", isa, names[k]);
        bench_row(report, id, per[k], "ns", ' ', 0.0);
    }
    snprintf(id, sizeof id, "ground/%s/scalar libm : radial", isa);
    bench_row(report, id, per[0] / per[1], "x", goal > 0.0 ? '>' : ' ', goal);
    snprintf(id, sizeof id, "ground/%s/radial gradient : value", isa);
    bench_row(report, id, per[2] / per[1], "x", goal > 0.0 ? '<' : ' ', 1.5);
    snprintf(id, sizeof id, "ground/%s/radial Hessian : value", isa);
    bench_row(report, id, per[3] / per[1], "x", goal > 0.0 ? '<' : ' ', 2.0);
    snprintf(id, sizeof id, "ground/%s/tangent gradient : value", isa);
    bench_row(report, id, per[5] / per[4], "x", ' ', 0.0);
    snprintf(id, sizeof id, "ground/%s/tangent Hessian : value", isa);
    bench_row(report, id, per[6] / per[4], "x", ' ', 0.0);
}

static tacResult bench_superquadric(benchReport* report) {
    static double x[3][COUNT], out[10][COUNT];
    tacModel* model;
    tacScratch* scratch;
    tacResult result = tac_load_text(scene, (int)strlen(scene), "bench", NULL, &model, NULL);
    if (result != TAC_OK) return result;
    result = tac_scratch_create(model, &scratch);
    if (result == TAC_OK) {
        for (int i = 0; i < COUNT; ++i)
            for (int k = 0; k < 3; ++k) x[k][i] = random_uniform(-1.0, 1.0);
        shapeWork works[7];
        benchWork list[7];
        double ns[7];
        for (int k = 0; k < 7; ++k) {
            works[k] = (shapeWork){model, scratch, k > 3, k == 0 ? -1 : (k - 1) % 3, x, out};
            list[k] = (benchWork){run_shape, &works[k]};
        }
        bench_times(list, 7, ns);
        superquadric_rows(report, ns);
        tac_scratch_destroy(scratch);
    }
    tac_model_destroy(model);
    return result;
}

int bench_math(benchReport* report) {
    const tacBenchWide* wide = TAC_DISPATCH(tac_bench_wide_);
    bench_function(report,
                   &(mathFunction){"exp", wide->exp, wide->mvec_exp, libm_exp, -20.0, 20.0});
    bench_function(report, &(mathFunction){"log", wide->log, wide->mvec_log, libm_log, 1e-3, 1e3});
    return bench_superquadric(report) == TAC_OK ? 0 : 1;
}
