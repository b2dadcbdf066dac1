// tactus bench shapes: every primitive, a figure of 18 superquadrics culled against exact, two
// threads, and a cloud (cloud.c).

#include "bench/bench.h"
#include "cli/random.h"

#include "base/dispatch.h"
#include "base/pool.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 1024, VERTICES = 305, PLACES = 4 };

static unsigned long long random_state = CLI_XORSHIFT_SEED;

static double random_uniform(double low, double high) {
    return low + (high - low) * cli_random_xorshift(&random_state);
}

// one call to be timed: order 0, 1, 2 evaluates; 3 is the gradient of the mean with respect to the
// pose
typedef struct shapeWork {
    const tacModel* model;
    tacScratch* scratch;
    int shape, order, count;
    double* x[3];
    double* out[10];
    double* bar;
} shapeWork;

static void run_shape(void* context) {
    const shapeWork* w = context;
    tacPoints points = {w->count, {w->x[0], w->x[1], w->x[2]}};
    tacPose at = tac_pose_identity();
    double twist[6] = {0};
    tacField out = {.value = w->out[0]};
    for (int k = 0; k < 3 && w->order >= 1; ++k) out.gradient[k] = w->out[1 + k];
    for (int k = 0; k < 6 && w->order >= 2; ++k) out.hessian[k] = w->out[4 + k];
    if (w->order < 3)
        tac_shape_eval(w->model, w->shape, at, points, out, w->scratch);
    else
        tac_shape_vjp(w->model, w->shape, at, points, (tacField){.value = w->bar},
                      (tacShapeAdjoint){.pose = twist}, w->scratch);
}

static void shape_row(benchReport* report, const char* name, const char* what, benchFigure f) {
    char id[140];
    snprintf(id, sizeof id, "shapes/%s/%s/%s", tac_isa_name(tac_isa()), name, what);
    bench_row(report, id, f.value, f.unit, f.relation, f.bound);
}

static tacResult load_scene(const char* text, tacModel** model, tacScratch** scratch) {
    tacResult result = tac_load_text(text, (int)strlen(text), "bench", NULL, model, NULL);
    if (result != TAC_OK) return result;
    result = tac_scratch_create(*model, scratch);
    if (result != TAC_OK) tac_model_destroy(*model);
    return result;
}

//---------------------------------- primitives -----------------------------------

static const char primitives[] =
    "<mujoco><asset>"
    "<shape name='sphere'><sphere size='.4'/></shape><shape name='plane'><plane/></shape>"
    "<shape name='superquadric'><superquadric size='.3 .2 .5' eps='.6 .4'/></shape>"
    "<shape name='radial' distance='radial'><superquadric size='.3 .2 .5' eps='.6 .4'/></shape>"
    "<shape name='ellipsoid'><ellipsoid size='.3 .2 .5'/></shape>"
    "<shape name='capsule'><capsule size='.2 .3'/></shape>"
    "<shape name='cylinder'><cylinder size='.2 .3'/></shape>"
    "<shape name='box'><box size='.3 .2 .5'/></shape>"
    "<shape name='polyhedron'><polyhedron planes='1 0 0 -.3 -1 0 0 -.3 0 1 0 -.2 0 -1 0 -.2 "
    "0 0 1 -.5 0 0 -1 -.5 1 1 1 -.8'/></shape>"
    "<shape name='cloud'><cloud points='.3 0 0 -.3 0 0 0 .3 0 0 -.3 0 0 0 .3 0 0 -.3' "
    "normals='1 0 0 -1 0 0 0 1 0 0 -1 0 0 0 1 0 0 -1'/></shape>"
    "<shape name='sweep'><sweep points='-.5 0 0 0 .9 .1 .5 0 .2' size='.1 .08 .1' eps='1 1'/>"
    "</shape>"
    "</asset></mujoco>";

static tacResult bench_primitives(benchReport* report) {
    static double x[3][COUNT], out[10][COUNT];
    static const char* const what[] = {"value", "gradient", "Hessian"};
    tacModel* model;
    tacScratch* scratch;
    tacResult result = load_scene(primitives, &model, &scratch);
    if (result != TAC_OK) return result;
    for (int i = 0; i < COUNT; ++i)
        for (int k = 0; k < 3; ++k) x[k][i] = random_uniform(-1.0, 1.0);
    for (int shape = 0; shape < model->nshape; ++shape) {
        shapeWork work[3];
        benchWork list[3];
        double ns[3];
        for (int order = 0; order < 3; ++order) {
            work[order] =
                (shapeWork){model, scratch, shape, order, COUNT, {x[0], x[1], x[2]}, {0}, NULL};
            for (int k = 0; k < 10; ++k) work[order].out[k] = out[k];
            list[order] = (benchWork){run_shape, &work[order]};
        }
        bench_times(list, 3, ns);
        for (int order = 0; order < 3; ++order)
            shape_row(report, model->shape[shape].name, what[order],
                      (benchFigure){ns[order] / COUNT, "ns", ' ', 0.0});
    }
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return TAC_OK;
}

//---------------------------------- figure ---------------------------------------

// a standing figure of 18 parts: trunk, head, ears, limbs and a tail
static const char figure[] =
    "<superquadric size='.16 .12 .21' eps='.7 .8' pos='0 0 .63'/>"
    "<superquadric size='.14 .13 .15' eps='.9 .9' pos='0 .01 .41'/>"
    "<superquadric size='.15 .11 .09' eps='.6 .7' pos='0 -.02 .28'/>"
    "<superquadric size='.10 .10 .11' eps='.8 .8' pos='0 .02 .91'/>"
    "<superquadric size='.05 .08 .05' eps='.9 .9' pos='0 .14 .87'/>"
    "<superquadric size='.02 .05 .09' eps='.5 .8' pos='-.08 -.02 1.03' euler='0 -28 0'/>"
    "<superquadric size='.02 .05 .09' eps='.5 .8' pos='.08 -.02 1.03' euler='0 28 0'/>"
    "<superquadric size='.06 .06 .14' eps='.8 .9' pos='-.26 0 .71' euler='0 58 0'/>"
    "<superquadric size='.06 .06 .14' eps='.8 .9' pos='.26 0 .71' euler='0 -58 0'/>"
    "<superquadric size='.05 .05 .13' eps='.6 .8' pos='-.41 .10 .73' euler='-50 20 0'/>"
    "<superquadric size='.05 .05 .13' eps='.6 .8' pos='.41 .10 .73' euler='-50 -20 0'/>"
    "<superquadric size='.06 .09 .03' eps='.4 .5' pos='-.47 .21 .82' euler='30 0 15'/>"
    "<superquadric size='.06 .09 .03' eps='.4 .5' pos='.47 .21 .82' euler='30 0 -15'/>"
    "<superquadric size='.09 .09 .17' eps='.9 .9' pos='-.12 .02 .18' euler='-16 16 0'/>"
    "<superquadric size='.09 .09 .17' eps='.9 .9' pos='.12 .02 .18' euler='-16 -16 0'/>"
    "<superquadric size='.08 .14 .05' eps='.5 .5' pos='-.17 .10 .04' euler='0 0 12'/>"
    "<superquadric size='.08 .14 .05' eps='.5 .5' pos='.17 .10 .04' euler='0 0 -12'/>"
    "<superquadric size='.05 .19 .05' eps='.8 .8' pos='0 -.25 .20' euler='28 0 0'/>";

// points on the figure: sphere tracing from outside towards its parts
static void find_vertices(const tacModel* model, tacScratch* scratch, double v[VERTICES][3]) {
    for (int i = 0; i < VERTICES; ++i) {
        double x[3], d[3], n = 0.0, value = 1.0;
        for (int k = 0; k < 3; ++k) {
            d[k] = random_uniform(-1.0, 1.0);
            n += d[k] * d[k];
        }
        const double* c = &model->param[model->node[i % 18].position];
        for (int k = 0; k < 3; ++k) {
            d[k] /= sqrt(n);
            x[k] = c[k] + 1.5 * d[k];
        }
        for (int step = 0; step < 60 && value > 1e-9; ++step) {
            tac_shape_eval(model, 0, tac_pose_identity(), (tacPoints){1, {&x[0], &x[1], &x[2]}},
                           (tacField){.value = &value}, scratch);
            for (int k = 0; k < 3; ++k) x[k] -= value * d[k];
        }
        memcpy(v[i], x, sizeof x);
    }
}

// vertices of each figure in the frame of the other, the second rotated and moved by `distance`
static void place_figures(double v[VERTICES][3], double distance, double* x[3]) {
    tacQuat q = {random_uniform(-1, 1), random_uniform(-1, 1), random_uniform(-1, 1),
                 random_uniform(-1, 1)};
    double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z), t[3], size = 0.0;
    double w = q.w / n, a = q.x / n, b = q.y / n, c = q.z / n;
    double R[3][3] = {{1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)},
                      {2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)},
                      {2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)}};
    for (int k = 0; k < 3; ++k) {
        t[k] = random_uniform(-1, 1);
        size += t[k] * t[k];
    }
    double scale = distance * random_uniform(0.4, 1.1) / sqrt(size);
    const double middle[3] = {0, 0, 0.5};
    for (int i = 0; i < VERTICES; ++i)
        for (int k = 0; k < 3; ++k) {
            double there = middle[k] + scale * t[k], back = middle[k];
            for (int j = 0; j < 3; ++j) {
                there += R[k][j] * (v[i][j] - middle[j]);
                back += R[j][k] * (v[i][j] - middle[j] - scale * t[j]);
            }
            x[k][i] = there;
            x[k][VERTICES + i] = back;
        }
}

static void figure_rows(benchReport* report, const char* distance, double tau, const double ns[8],
                        int count) {
    static const char* const what[] = {"value", "gradient", "Hessian"};
    char name[60], id[60];
    for (int order = 0; order < 3; ++order) {
        snprintf(name, sizeof name, "18 parts, %s, tau %g", distance, tau);
        snprintf(id, sizeof id, "%s culled", what[order]);
        shape_row(report, name, id, (benchFigure){ns[order] / count, "ns", ' ', 0.0});
        snprintf(id, sizeof id, "%s exact : culled", what[order]);
        shape_row(report, name, id,
                  (benchFigure){ns[4 + order] / ns[order], "x", '>', tau <= 0.003 ? 2.0 : 0.95});
    }
    shape_row(report, name, "pose gradient : value", (benchFigure){ns[3] / ns[0], "x", '<', 1.4});
}

static tacResult bench_figure(benchReport* report, const char* distance, double tau) {
    enum { ALL = 2 * VERTICES * PLACES };
    static char text[8000];
    static double v[VERTICES][3], x[3][ALL], out[10][ALL], bar[ALL];
    tacModel* model;
    tacScratch* scratch;
    snprintf(text, sizeof text,
             "<mujoco><asset><shape name='culled' distance='%s' smooth='%g'>%s</shape>"
             "<shape name='exact' exact='true' distance='%s' smooth='%g'>%s</shape>"
             "</asset></mujoco>",
             distance, tau, figure, distance, tau, figure);
    tacResult result = load_scene(text, &model, &scratch);
    if (result != TAC_OK) return result;
    random_state = CLI_XORSHIFT_SEED;
    find_vertices(model, scratch, v);
    for (int i = 0; i < PLACES; ++i) {
        double* at[3];
        for (int k = 0; k < 3; ++k) at[k] = &x[k][2 * VERTICES * i];
        place_figures(v, i % 2 ? 0.5 : 1.0, at);
    }
    for (int i = 0; i < ALL; ++i) bar[i] = 1.0 / ALL;
    shapeWork work[8];
    benchWork list[8];
    double ns[8];
    for (int k = 0; k < 8; ++k) {
        work[k] = (shapeWork){model, scratch, k / 4, k % 4, ALL, {x[0], x[1], x[2]}, {0}, bar};
        for (int j = 0; j < 10; ++j) work[k].out[j] = out[j];
        list[k] = (benchWork){run_shape, &work[k]};
    }
    bench_times(list, 8, ns);
    figure_rows(report, distance, tau, ns, ALL);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return TAC_OK;
}

//---------------------------------- threads --------------------------------------

typedef struct threadWork {
    shapeWork part[16];
    tacScratch* scratch[2];
    tacPool* pool;
} threadWork;

static void run_part(void* context, int job, int worker) {
    threadWork* w = context;
    shapeWork part = w->part[job];
    part.scratch = w->scratch[worker];
    run_shape(&part);
}

static void run_threads(void* context) {
    threadWork* w = context;
    tac_pool_run(w->pool, 16, run_part, w);
}

static void run_spin(void* context) {
    threadWork* w = context;
    tac_pool_run(w->pool, 16, bench_spin, NULL);
}

static tacResult bench_threads(benchReport* report) {
    enum { PART = 1024 };
    static double x[3][16 * PART], out[10][16 * PART];
    static threadWork work[2];
    tacModel* model;
    tacScratch* other;
    benchWork list[4];
    double ns[4];
    tacResult result = load_scene(primitives, &model, &work[0].scratch[0]);
    if (result != TAC_OK) return result;
    result = tac_scratch_create(model, &other);
    for (int i = 0; i < 16 * PART; ++i)
        for (int k = 0; k < 3; ++k) x[k][i] = random_uniform(-1.0, 1.0);
    for (int t = 0; t < 2 && result == TAC_OK; ++t) {
        result = tac_pool_create(t + 1, tac_default_allocator(), &work[t].pool);
        work[t].scratch[0] = work[0].scratch[0];
        work[t].scratch[1] = other;
        for (int i = 0; i < 16; ++i) {
            shapeWork* part = &work[t].part[i];
            *part = (shapeWork){.model = model, .shape = 2, .order = 2, .count = PART};
            for (int k = 0; k < 3; ++k) part->x[k] = &x[k][i * PART];
            for (int k = 0; k < 10; ++k) part->out[k] = &out[k][i * PART];
        }
        list[t] = (benchWork){run_threads, &work[t]};
        list[2 + t] = (benchWork){run_spin, &work[t]};
    }
    if (result == TAC_OK) {
        bench_times(list, 4, ns);
        shape_row(report, "superquadric", "two threads",
                  (benchFigure){ns[0] / ns[1], "x", '>', 1.85});
        shape_row(report, "registers alone", "two threads",
                  (benchFigure){ns[2] / ns[3], "x", ' ', 0.0});
        for (int t = 0; t < 2; ++t) tac_pool_destroy(work[t].pool);
    }
    tac_scratch_destroy(other);
    tac_scratch_destroy(work[0].scratch[0]);
    tac_model_destroy(model);
    return result;
}

int bench_shapes(benchReport* report) {
    static const double temperatures[] = {1e-6, 1e-3, 3e-3, 1e-2, 0.1, 1.0};
    tacResult result = bench_primitives(report);
    for (int i = 0; i < 12 && result == TAC_OK; ++i)
        result = bench_figure(report, i < 6 ? "tangent" : "radial", temperatures[i % 6]);
    if (result == TAC_OK) result = bench_threads(report);
    return result == TAC_OK ? bench_cloud(report) : 1;
}
