// Gradients of quantities: entries have the names of joints, actuators and parameters.

#include "cli/grad/gradient.h"

#include "cli/grad/step_jacobian_print.h"
#include "cli/report.h"

#include "record/npz.h"
#include "record/text_array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int state_dim(const cliGradient* g) { return 2 * g->model->nv + g->model->na; }

static tacResult differentiate_rollout(cliGradient* g, tacQuantityRollout* rollout,
                                       tacScratch* scratch) {
    const tacModel* m = g->model;
    tacTangent x_bar = {g->x, g->x + m->nv, g->x + 2 * m->nv};
    tacResult result = tac_quantity_rollout(rollout, g->at, g->ctrl, &g->value, scratch);
    if (result != TAC_OK) return result;
    return tac_quantity_rollout_vjp(rollout, g->at, g->ctrl, 1.0, x_bar, g->u, g->theta, scratch);
}

// the steps once more, for their flags
static tacResult collect_flags(cliGradient* g, tacScratch* scratch) {
    const tacModel* m = g->model;
    size_t count[4] = {(size_t)m->nq, (size_t)m->nv, (size_t)m->na, (size_t)m->nwarm};
    double* memory = calloc(count[0] + count[1] + count[2] + count[3] + 1, sizeof *memory);
    tacState x = {.qpos = memory};
    if (!memory) return TAC_ERROR_MEMORY;
    x.qvel = x.qpos + count[0];
    x.act = x.qvel + count[1];
    x.warm = x.act + count[2];
    tacResult result = TAC_OK;
    for (int i = 0; i < g->steps && result == TAC_OK; ++i) {
        result = tac_step(m, i ? &x : g->at, g->ctrl, &x, scratch);
        g->flags |= tac_step_info(scratch).flags;
    }
    free(memory);
    return result;
}

int cli_gradient_make(cliGradient* g, const char* command) {
    const tacModel* m = g->model;
    size_t nx = (size_t)state_dim(g);
    tacScratch* scratch = NULL;
    tacQuantityRollout rollout = {.model = m, .steps = g->steps, .what = g->what};
    rollout.memory = malloc(tac_quantity_rollout_size(m, g->steps, sizeof(double)) + 1);
    g->x = calloc(nx + (size_t)m->nu + (size_t)m->nparam + 1, sizeof *g->x);
    tacResult result = g->x && rollout.memory ? tac_scratch_create(m, &scratch) : TAC_ERROR_MEMORY;
    if (result == TAC_OK) {
        g->u = g->x + nx;
        g->theta = g->u + m->nu;
        result = differentiate_rollout(g, &rollout, scratch);
        if (result == TAC_OK) result = collect_flags(g, scratch);
    }
    tac_scratch_destroy(scratch);
    free(rollout.memory);
    return result == TAC_OK ? 0 : cli_error_result(command, result);
}

void cli_gradient_free(cliGradient* g) { free(g->x); }

//---------------------------------- names and numbers ----------------------------

static void param_column_name(const tacModel* model, int offset, char text[TAC_COLUMN_SIZE]) {
    tac_param_name(model, offset, text, TAC_COLUMN_SIZE);
}

// entries are those of state, control and parameters, or the parameters that were named
static int entry_count(const cliGradient* g) {
    return g->by.count ? g->by.count : state_dim(g) + g->model->nu + g->model->nparam;
}

static int first_param(const cliGradient* g) {
    return g->by.count ? 0 : state_dim(g) + g->model->nu;
}

static double gradient_entry(const cliGradient* g, int i, char text[TAC_COLUMN_SIZE]) {
    const tacModel* m = g->model;
    int nx = state_dim(g), param = i - first_param(g) + (g->by.count ? g->by.offset : 0);
    char name[TAC_COLUMN_SIZE];
    if (i >= first_param(g)) {
        param_column_name(m, param, text);
        return g->theta[param];
    }
    if (i < nx) {
        tac_column_tangent(m, i, text);
        return g->x[i];
    }
    tac_column_ctrl(m, i - nx, name);
    snprintf(text, TAC_COLUMN_SIZE, "ctrl %.*s", TAC_COLUMN_SIZE - 6, name);
    return g->u[i - nx];
}

// parameters whose derivative is 0 go without saying, unless they were named
static int is_printed(const cliGradient* g, int i, double slope) {
    return g->by.count || i < first_param(g) || slope != 0.0;
}

//---------------------------------- text -----------------------------------------

void cli_gradient_print(const cliGradient* g) {
    char text[TAC_COLUMN_SIZE];
    printf("%s after %d step%s: %.17g\n", g->of, g->steps, g->steps == 1 ? "" : "s", g->value);
    for (int i = 0; i < entry_count(g); ++i) {
        double slope = gradient_entry(g, i, text);
        if (is_printed(g, i, slope)) printf("  d/d %-40s % .17g\n", text, slope);
    }
    cli_flags_print(g->flags);
}

void cli_gradient_json(const cliGradient* g) {
    cliJson json = {.file = stdout};
    char text[TAC_COLUMN_SIZE];
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "of", g->of);
    cli_json_int(&json, "steps", g->steps);
    cli_json_number(&json, "value", g->value);
    cli_json_int(&json, "flags", (int)g->flags);
    for (int i = 0; i < entry_count(g); ++i) {
        double slope = gradient_entry(g, i, text);
        if (is_printed(g, i, slope)) cli_json_number(&json, text, slope);
    }
    cli_json_close(&json, '}');
}

//---------------------------------- files ----------------------------------------

static void write_csv_name(const char* text, FILE* file) {
    fprintf(file, strpbrk(text, ",\"") ? ",\"%s\"" : ",%s", text);
}

// one row: the quantity, its value, and all entries
int cli_gradient_csv(const cliGradient* g, FILE* file) {
    char text[TAC_COLUMN_SIZE];
    fprintf(file, "of,value");
    for (int i = 0; i < entry_count(g); ++i) {
        gradient_entry(g, i, text);
        write_csv_name(text, file);
    }
    fprintf(file, strpbrk(g->of, ",\"") ? "\n\"%s\",%.17g" : "\n%s,%.17g", g->of, g->value);
    for (int i = 0; i < entry_count(g); ++i) fprintf(file, ",%.17g", gradient_entry(g, i, text));
    fputc('\n', file);
    return ferror(file) ? -1 : 0;
}

static tacNpy npy_vector(const double* data, int count) {
    return (tacNpy){TAC_NPY_REAL, 0, 1, {(size_t)count, 0}, data};
}

int cli_gradient_npz(const cliGradient* g, FILE* file) {
    const tacModel* m = g->model;
    int nx = state_dim(g), np = g->by.count ? g->by.count : m->nparam;
    int first = g->by.count ? g->by.offset : 0;
    long long steps = g->steps;
    uint32_t of[TAC_COLUMN_SIZE];
    tacNpy names[] = {tac_text_array(m, tac_column_tangent, 0, nx),
                      tac_text_array(m, tac_column_ctrl, 0, m->nu),
                      tac_text_array(m, param_column_name, first, np)};
    const tacNpzMember members[] = {
        {"value", {TAC_NPY_REAL, 0, 0, {0, 0}, &g->value}},
        {"x", npy_vector(g->x, nx)},
        {"u", npy_vector(g->u, m->nu)},
        {"theta", npy_vector(g->theta + first, np)},
        {"x_name", names[0]},
        {"u_name", names[1]},
        {"theta_name", names[2]},
        {"of", tac_text_one(g->of, of)},
        {"steps", {TAC_NPY_INT, 0, 0, {0, 0}, &steps}},
        {"qpos", npy_vector(g->at->qpos, m->nq)},
        {"qvel", npy_vector(g->at->qvel, m->nv)},
        {"act", npy_vector(g->at->act, m->na)},
        {"ctrl", npy_vector(g->ctrl, m->nu)},
    };
    int whole = names[0].data && names[1].data && names[2].data;
    int code = whole ? tac_npz_write(members, (int)(sizeof members / sizeof *members), file) : -1;
    if (!whole) errno = ENOMEM;
    for (int i = 0; i < 3; ++i) free((void*)names[i].data);
    return code;
}
