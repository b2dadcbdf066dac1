// tactus sdf: signed distances of a shape at points.
//
// Points are split into chunks of a fixed size, whatever the number of threads, and each chunk
// writes into its own part of the results: same bits for any --threads.

#define _GNU_SOURCE
#include "cli/commands.h"
#include "cli/io/output.h"
#include "cli/io/points.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/scene/load.h"
#include "cli/scene/shape_by_name.h"

#include "base/assert.h"
#include "base/pool.h"
#include "tactus/shape.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define CHUNK 4096

typedef struct sdfCall {
    const char *path, *shape, *points, *at, *out;
    int gradient, hessian, json, threads;
} sdfCall;

static int parse_sdf_options(sdfCall* call, int argc, char** argv) {
    const cliOption options[] = {
        {"shape", 0, CLI_TEXT, &call->shape, "NAME", "shape of the scene; optional if there is one",
         0, 0},
        {"points", 0, CLI_TEXT, &call->points, "CSV",
         "file with x,y,z per line; - is standard input", 0, 0},
        {"at", 0, CLI_TEXT, &call->at, "\"X Y Z\"", "one point instead of a file", 0, 0},
        {"gradient", 0, CLI_FLAG, &call->gradient, NULL, "also the gradient", 0, 0},
        {"hessian", 0, CLI_FLAG, &call->hessian, NULL, "also the Hessian", 0, 0},
        {"json", 0, CLI_FLAG, &call->json, NULL, "one JSON object per point instead of CSV", 0, 0},
        {"threads", 0, CLI_INT, &call->threads, "N", "threads; default 0: one per core", 0, 1024},
        {"out", 'o', CLI_TEXT, &call->out, "FILE", "write here instead of standard output", 0, 0},
    };
    const cliCommand command = {
        .name = "sdf",
        .summary = "signed distances of a shape at points, with gradients and Hessians",
        .positional = "FILE",
        .description =
            "Points are in the frame of the shape, in metres; negative distances are inside.\n"
            "Prints CSV with 17 digits: x,y,z,value[,gx,gy,gz][,hxx,hyy,hzz,hxy,hxz,hyz].\n",
        .example =
            "  tactus sdf scenes/first_light.xml --shape pebble --at \"0 0 .1\" --gradient\n"
            "  tactus sdf scenes/first_light.xml --shape pebble --points cloud.csv -o out.csv\n",
        .options = options,
        .option_count = TAC_COUNT(options),
        .min = 1,
        .max = 1,
        .arguments = &call->path,
    };
    int code = cli_parse(&command, argc, argv);
    if (code == CLI_CONTINUE && !call->points == !call->at)
        return cli_error("sdf", "give either --points FILE or --at \"X Y Z\"");
    return code;
}

//---------------------------------- inputs ---------------------------------------

static int read_points(const sdfCall* call, cliPoints* points) {
    double x[3];
    if (call->points) return cli_points_read(points, call->points);
    if (!cli_parse_numbers(call->at, x, 3))
        return cli_error("sdf", "--at: '%s' is not three numbers", call->at);
    for (int k = 0; k < 3; ++k)
        if (fabs(x[k]) > TAC_MAX_COORDINATE)
            return cli_error("sdf", "--at: %c is %g; coordinates go up to %g m", "xyz"[k], x[k],
                             TAC_MAX_COORDINATE);
    return cli_points_add(points, x);
}

//---------------------------------- evaluation -----------------------------------

// value, gradient, Hessian: one array of results each
enum { COLUMNS = 10 };

typedef struct sdfWork {
    const tacModel* model;
    int shape;
    const cliPoints* points;
    tacScratch** scratch;    // one per worker
    double* column[COLUMNS]; // (count); NULL if not asked for
    atomic_int result;       // of the first chunk that failed
    atomic_int done;         // chunks
    cliProgress* progress;
} sdfWork;

static void eval_chunk(void* context, int job, int worker) {
    sdfWork* work = context;
    size_t first = (size_t)job * CHUNK, all = (size_t)work->points->count;
    tacPoints points = {.count = (int)(all - first < CHUNK ? all - first : CHUNK)};
    for (int k = 0; k < 3; ++k) points.x[k] = work->points->x[k] + first;
    double* at[COLUMNS];
    for (int k = 0; k < COLUMNS; ++k) at[k] = work->column[k] ? work->column[k] + first : NULL;
    tacField field = {at[0], {at[1], at[2], at[3]}, {at[4], at[5], at[6], at[7], at[8], at[9]}};
    tacResult result = tac_shape_eval(work->model, work->shape, tac_pose_identity(), points, field,
                                      work->scratch[worker]);
    if (result != TAC_OK) atomic_store(&work->result, (int)result);
    int done = atomic_fetch_add(&work->done, 1) + 1;
    if (worker == 0) cli_progress_show(work->progress, 0.5 * done * CHUNK / (double)all);
}

// one scratch per worker; how many were made
static int create_scratches(sdfWork* work, int workers) {
    int made = 0;
    work->scratch = calloc((size_t)workers, sizeof *work->scratch);
    while (work->scratch && made < workers &&
           tac_scratch_create(work->model, &work->scratch[made]) == TAC_OK)
        ++made;
    return made;
}

static int eval_points(sdfWork* work, int threads) {
    tacPool* pool;
    if (tac_pool_create(threads, tac_default_allocator(), &pool) != TAC_OK)
        return cli_error("sdf", "out of memory");
    int count = work->points->count, workers = tac_pool_threads(pool);
    int made = create_scratches(work, workers);
    atomic_init(&work->done, 0);
    atomic_init(&work->result, made == workers ? TAC_OK : TAC_ERROR_MEMORY);
    if (made == workers) tac_pool_run(pool, count / CHUNK + (count % CHUNK != 0), eval_chunk, work);
    while (made > 0) tac_scratch_destroy(work->scratch[--made]);
    free(work->scratch);
    tac_pool_destroy(pool);
    tacResult result = (tacResult)atomic_load(&work->result);
    return result == TAC_OK ? 0 : cli_error("sdf", "%s", tac_result_text(result));
}

//---------------------------------- printing -------------------------------------

static void print_header(FILE* file, const sdfCall* call) {
    fputs("x,y,z,value", file);
    if (call->gradient) fputs(",gx,gy,gz", file);
    if (call->hessian) fputs(",hxx,hyy,hzz,hxy,hxz,hyz", file);
    fputc('\n', file);
}

static void print_csv(FILE* file, const sdfWork* work, int i) {
    for (int k = 0; k < 3; ++k) fprintf(file, "%s%.17g", k ? "," : "", work->points->x[k][i]);
    for (int k = 0; k < COLUMNS; ++k)
        if (work->column[k]) fprintf(file, ",%.17g", work->column[k][i]);
    fputc('\n', file);
}

static void json_array(cliJson* json, const char* key, double* const* columns, int count, int i) {
    cli_json_open(json, key, '[');
    for (int k = 0; k < count; ++k) cli_json_number(json, NULL, columns[k][i]);
    cli_json_close(json, ']');
}

static void print_value_json(FILE* file, const sdfCall* call, const sdfWork* work, int i) {
    cliJson json = {.file = file};
    cli_json_open(&json, NULL, '{');
    json_array(&json, "point", work->points->x, 3, i);
    cli_json_number(&json, "value", work->column[0][i]);
    if (call->gradient) json_array(&json, "gradient", work->column + 1, 3, i);
    if (call->hessian) json_array(&json, "hessian", work->column + 4, 6, i);
    cli_json_close(&json, '}');
}

// no progress line where the values go to a terminal
static void print_values(FILE* file, const sdfCall* call, const sdfWork* work) {
    int count = work->points->count, is_terminal = isatty(fileno(file));
    if (is_terminal) cli_progress_end(work->progress);
    if (!call->json) print_header(file, call);
    for (int i = 0; i < count; ++i) {
        if (call->json)
            print_value_json(file, call, work, i);
        else
            print_csv(file, work, i);
        if (!is_terminal && i % CHUNK == 0)
            cli_progress_show(work->progress, 0.5 + 0.5 * i / count);
    }
    if (!is_terminal) cli_progress_end(work->progress);
}

//---------------------------------- command --------------------------------------

// arrays for the requested columns; 0: out of memory
static int alloc_columns(const sdfCall* call, sdfWork* work) {
    for (int k = 0; k < COLUMNS; ++k) {
        int wanted = k == 0 || (k < 4 ? call->gradient : call->hessian);
        if (!wanted) continue;
        work->column[k] = calloc((size_t)work->points->count + 1, sizeof(double));
        if (!work->column[k]) return 0;
    }
    return 1;
}

// opened before the work: a wrong path should not cost the evaluation
static int evaluate_and_print(const sdfCall* call, sdfWork* work) {
    cliOutput output;
    int code = cli_output_open(&output, call->out);
    if (code != 0) return code;
    cliProgress progress = cli_progress_begin("sdf");
    work->progress = &progress;
    code = alloc_columns(call, work) ? eval_points(work, call->threads)
                                     : cli_error("sdf", "out of memory");
    if (code != 0) {
        cli_output_discard(&output);
        return code;
    }
    print_values(output.file, call, work);
    return cli_output_close(&output);
}

static int run_sdf(const sdfCall* call, const tacModel* model, cliPoints* points) {
    sdfWork work = {.model = model, .points = points};
    work.shape = cli_shape_by_name("sdf", call->path, model, call->shape);
    int code = work.shape < 0 ? CLI_ERROR : read_points(call, points);
    if (code == 0) code = evaluate_and_print(call, &work);
    for (int k = 0; k < COLUMNS; ++k) free(work.column[k]);
    return code;
}

int tac_cmd_sdf(int argc, char** argv) {
    sdfCall call = {0};
    int code = parse_sdf_options(&call, argc, argv);
    if (code != CLI_CONTINUE) return code;

    tacModel* model;
    tacMessage message;
    if (cli_load(call.path, NULL, &model, &message) != 0) return CLI_ERROR;
    cliPoints points = {0};
    code = run_sdf(&call, model, &points);
    cli_points_free(&points);
    tac_model_destroy(model);
    return code;
}
