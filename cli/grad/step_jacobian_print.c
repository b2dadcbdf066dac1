// Jacobians of a step: rows and columns have the names of joints, actuators and parameters.

#include "cli/grad/step_jacobian_print.h"

#include "cli/grad/columns.h"
#include "cli/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int column_count(const cliJacobian* j) {
    return cli_state_dim(j->model) + j->model->nu + j->theta.count;
}

int cli_jacobian_make(cliJacobian* j, const char* command) {
    const tacModel* m = j->model;
    size_t nx = (size_t)cli_state_dim(j->model), nu = (size_t)m->nu,
           state = (size_t)(m->nq + m->nv + m->na);
    size_t count = nx * (nx + nu + (size_t)j->theta.count) + state + (size_t)m->nwarm;
    tacScratch* scratch = NULL;
    double* at = j->memory = calloc(count + 1, sizeof *at);
    tacResult result = at ? tac_scratch_create(m, &scratch) : TAC_ERROR_MEMORY;
    if (result == TAC_OK) {
        j->A = at;
        j->B = at + nx * nx;
        j->P = j->B + nx * nu;
        j->next.qpos = j->P + nx * (size_t)j->theta.count;
        j->next.qvel = j->next.qpos + m->nq;
        j->next.act = j->next.qvel + m->nv;
        j->next.warm = j->next.act + m->na;
        result = tac_step_jacobian(m, j->at, j->ctrl,
                                   &(tacStepJacobian){.next = &j->next,
                                                      .A = j->A,
                                                      .B = m->nu ? j->B : NULL,
                                                      .theta = &j->theta,
                                                      .ntheta = j->theta.count ? 1 : 0,
                                                      .P = j->theta.count ? j->P : NULL},
                                   scratch);
    }
    if (result == TAC_OK) j->flags = tac_step_info(scratch).flags;
    tac_scratch_destroy(scratch);
    return result == TAC_OK ? 0 : cli_error_result(command, result);
}

void cli_jacobian_free(cliJacobian* j) { free(j->memory); }

//---------------------------------- names and numbers ----------------------------

static void column_name(const cliJacobian* j, int i, char text[TAC_COLUMN_SIZE]) {
    int nx = cli_state_dim(j->model), nu = j->model->nu;
    if (i < nx)
        tac_column_tangent(j->model, i, text);
    else if (i < nx + nu)
        cli_ctrl_column(j->model, i - nx, text);
    else
        cli_param_column(j->model, j->theta.offset + i - nx - nu, text);
}

// of A, B and P side by side
static double jacobian_entry(const cliJacobian* j, int row, int column) {
    int nx = cli_state_dim(j->model), nu = j->model->nu, np = j->theta.count;
    size_t r = (size_t)row;
    if (column < nx) return j->A[r * (size_t)nx + (size_t)column];
    if (column < nx + nu) return j->B[r * (size_t)nu + (size_t)(column - nx)];
    return j->P[r * (size_t)np + (size_t)(column - nx - nu)];
}

//---------------------------------- text -----------------------------------------

// columns that fit side by side
#define COLUMNS_PER_PAGE 5

static int widest_row(const cliJacobian* j) {
    char text[TAC_COLUMN_SIZE];
    int width = 8;
    for (int i = 0; i < cli_state_dim(j->model); ++i) {
        tac_column_tangent(j->model, i, text);
        if ((int)strlen(text) > width) width = (int)strlen(text);
    }
    return width < 24 ? width : 24;
}

static void print_page(const cliJacobian* j, int first, int last, int width) {
    char text[TAC_COLUMN_SIZE];
    printf("  %-*s", width, "");
    for (int c = first; c < last; ++c) {
        column_name(j, c, text);
        size_t length = strlen(text),
               cut = length > 20 ? length - 20 : 0; // keep the end of a long name
        printf(" %20s", text + cut);
    }
    printf("\n");
    for (int r = 0; r < cli_state_dim(j->model); ++r) {
        tac_column_tangent(j->model, r, text);
        printf("  %-*.*s", width, width, text);
        for (int c = first; c < last; ++c) printf(" %20.12g", jacobian_entry(j, r, c) + 0.0);
        printf("\n");
    }
}

static void print_block(const cliJacobian* j, const char* title, int first, int last, int width) {
    if (first == last) return;
    printf("%s\n", title);
    for (int c = first; c < last; c += COLUMNS_PER_PAGE)
        print_page(j, c, c + COLUMNS_PER_PAGE < last ? c + COLUMNS_PER_PAGE : last, width);
}

void cli_flags_print(unsigned flags) {
    if (flags & TAC_TIE)
        printf("warning: two active sets are valid; derivatives are those of one\n");
    if (flags & TAC_GRAZING) printf("warning: grazing impact; its time is treated as constant\n");
    if (flags & TAC_SURROGATE)
        printf("warning: surrogate derivative, at higher temperatures than the step\n");
    if (flags & TAC_ONE_SIDED)
        printf("warning: the step is not differentiable here; one-sided derivatives\n");
}

void cli_jacobian_print(const cliJacobian* j) {
    int nx = cli_state_dim(j->model), nu = j->model->nu, width = widest_row(j);
    print_block(j, "A = d next/d state", 0, nx, width);
    print_block(j, "B = d next/d control", nx, nx + nu, width);
    print_block(j, "P = d next/d parameter", nx + nu, column_count(j), width);
    cli_flags_print(j->flags);
}

static void json_block(cliJson* json, const cliJacobian* j, const char* key, int first, int last) {
    cli_json_open(json, key, '[');
    for (int r = 0; r < cli_state_dim(j->model); ++r) {
        cli_json_open(json, NULL, '[');
        for (int c = first; c < last; ++c) cli_json_number(json, NULL, jacobian_entry(j, r, c));
        cli_json_close(json, ']');
    }
    cli_json_close(json, ']');
}

void cli_jacobian_json(const cliJacobian* j) {
    cliJson json = {.file = stdout};
    char text[TAC_COLUMN_SIZE];
    int nx = cli_state_dim(j->model), nu = j->model->nu;
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "model", j->model->name);
    cli_json_open(&json, "columns", '[');
    for (int c = 0; c < column_count(j); ++c) {
        column_name(j, c, text);
        cli_json_text(&json, NULL, text);
    }
    cli_json_close(&json, ']');
    json_block(&json, j, "A", 0, nx);
    json_block(&json, j, "B", nx, nx + nu);
    if (j->theta.count) json_block(&json, j, "P", nx + nu, column_count(j));
    cli_json_int(&json, "flags", j->flags);
    cli_json_close(&json, '}');
}

//---------------------------------- files ----------------------------------------

int cli_jacobian_csv(const cliJacobian* j, FILE* file) {
    char text[TAC_COLUMN_SIZE];
    fprintf(file, "next");
    for (int c = 0; c < column_count(j); ++c) {
        column_name(j, c, text);
        fputc(',', file);
        cli_write_csv_cell(text, file);
    }
    for (int r = 0; r < cli_state_dim(j->model); ++r) {
        tac_column_tangent(j->model, r, text);
        fputc('\n', file);
        cli_write_csv_cell(text, file);
        for (int c = 0; c < column_count(j); ++c) fprintf(file, ",%.17g", jacobian_entry(j, r, c));
    }
    fputc('\n', file);
    return ferror(file) ? -1 : 0;
}

static tacNpy npy_matrix(const double* data, int rows, int width) {
    return (tacNpy){TAC_NPY_REAL, 0, 2, {(size_t)rows, (size_t)width}, data};
}

int cli_jacobian_npz(const cliJacobian* j, FILE* file) {
    const tacModel* m = j->model;
    int nx = cli_state_dim(j->model);
    tacNpy names[] = {tac_text_array(m, tac_column_tangent, 0, nx),
                      tac_text_array(m, tac_column_ctrl, 0, m->nu),
                      tac_text_array(m, cli_param_column, j->theta.offset, j->theta.count)};
    const tacNpzMember members[] = {
        {"A", npy_matrix(j->A, nx, nx)},
        {"B", npy_matrix(j->B, nx, m->nu)},
        {"P", npy_matrix(j->P, nx, j->theta.count)},
        {"x_name", names[0]},
        {"u_name", names[1]},
        {"theta_name", names[2]},
        {"qpos", cli_npy_vector(j->at->qpos, m->nq)},
        {"qvel", cli_npy_vector(j->at->qvel, m->nv)},
        {"act", cli_npy_vector(j->at->act, m->na)},
        {"ctrl", cli_npy_vector(j->ctrl, m->nu)},
        {"next_qpos", cli_npy_vector(j->next.qpos, m->nq)},
        {"next_qvel", cli_npy_vector(j->next.qvel, m->nv)},
        {"next_act", cli_npy_vector(j->next.act, m->na)},
    };
    int whole = names[0].data && names[1].data && names[2].data;
    int code = whole ? tac_npz_write(members, (int)(sizeof members / sizeof *members), file) : -1;
    if (!whole) errno = ENOMEM;
    for (int i = 0; i < 3; ++i) free((void*)names[i].data);
    return code;
}
