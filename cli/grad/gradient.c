// Gradients of quantities: entries have the names of joints, actuators and parameters.

#include "cli/grad/gradient.h"

#include "cli/grad/columns.h"
#include "cli/grad/step_jacobian_print.h"
#include "cli/report.h"

#include <errno.h>
#include <stdlib.h>

static tacResult differentiate_rollout(cliGradient* g, tacQuantityRollout* rollout,
                                       tacScratch* scratch) {
    const tacModel* m = g->model;
    tacTangent x_bar = {g->x, g->x + m->nv, g->x + 2 * m->nv};
    tacResult result = tac_quantity_rollout(rollout, g->at, g->ctrl, &g->value, scratch);
    if (result != TAC_OK) return result;
    return tac_quantity_rollout_vjp(rollout, g->at, g->ctrl, 1.0, x_bar, g->u, g->theta, scratch);
}

// repeats the steps for their flags
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
    size_t nx = (size_t)cli_state_dim(g->model);
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

// entries are those of state, control and parameters, or the parameters that were named
static int entry_count(const cliGradient* g) {
    return g->wrt.count ? g->wrt.count : cli_state_dim(g->model) + g->model->nu + g->model->nparam;
}

static int first_param(const cliGradient* g) {
    return g->wrt.count ? 0 : cli_state_dim(g->model) + g->model->nu;
}

static double gradient_entry(const cliGradient* g, int i, char text[TAC_COLUMN_SIZE]) {
    const tacModel* m = g->model;
    int nx = cli_state_dim(g->model),
        param = i - first_param(g) + (g->wrt.count ? g->wrt.offset : 0);
    if (i >= first_param(g)) {
        cli_param_column(m, param, text);
        return g->theta[param];
    }
    if (i < nx) {
        tac_column_tangent(m, i, text);
        return g->x[i];
    }
    cli_ctrl_column(m, i - nx, text);
    return g->u[i - nx];
}

// parameters whose derivative is 0 are not printed unless they were named
static int is_printed(const cliGradient* g, int i, double slope) {
    return g->wrt.count || i < first_param(g) || slope != 0.0;
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

// one row: the quantity, its value, and all entries
int cli_gradient_csv(const cliGradient* g, FILE* file) {
    char text[TAC_COLUMN_SIZE];
    fprintf(file, "of,value");
    for (int i = 0; i < entry_count(g); ++i) {
        gradient_entry(g, i, text);
        fputc(',', file);
        cli_write_csv_cell(text, file);
    }
    fputc('\n', file);
    cli_write_csv_cell(g->of, file);
    fprintf(file, ",%.17g", g->value);
    for (int i = 0; i < entry_count(g); ++i) fprintf(file, ",%.17g", gradient_entry(g, i, text));
    fputc('\n', file);
    return ferror(file) ? -1 : 0;
}

int cli_gradient_npz(const cliGradient* g, FILE* file) {
    const tacModel* m = g->model;
    int nx = cli_state_dim(g->model), np = g->wrt.count ? g->wrt.count : m->nparam;
    int first = g->wrt.count ? g->wrt.offset : 0;
    long long steps = g->steps;
    uint32_t of[TAC_COLUMN_SIZE];
    tacNpy names[] = {tac_text_array(m, tac_column_tangent, 0, nx),
                      tac_text_array(m, tac_column_ctrl, 0, m->nu),
                      tac_text_array(m, cli_param_column, first, np)};
    const tacNpzMember members[] = {
        {"value", {TAC_NPY_REAL, 0, 0, {0, 0}, &g->value}},
        {"x", cli_npy_vector(g->x, nx)},
        {"u", cli_npy_vector(g->u, m->nu)},
        {"theta", cli_npy_vector(g->theta + first, np)},
        {"x_name", names[0]},
        {"u_name", names[1]},
        {"theta_name", names[2]},
        {"of", tac_text_one(g->of, of)},
        {"steps", {TAC_NPY_INT, 0, 0, {0, 0}, &steps}},
        {"qpos", cli_npy_vector(g->at->qpos, m->nq)},
        {"qvel", cli_npy_vector(g->at->qvel, m->nv)},
        {"act", cli_npy_vector(g->at->act, m->na)},
        {"ctrl", cli_npy_vector(g->ctrl, m->nu)},
    };
    int whole = names[0].data && names[1].data && names[2].data;
    int code = whole ? tac_npz_write(members, (int)(sizeof members / sizeof *members), file) : -1;
    if (!whole) errno = ENOMEM;
    for (int i = 0; i < 3; ++i) free((void*)names[i].data);
    return code;
}
