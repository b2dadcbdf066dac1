// Names and arrays of files with derivatives.

#include "cli/grad/columns.h"

#include "record/column.h"

#include <string.h>

int cli_state_dim(const tacModel* model) { return 2 * model->nv + model->na; }

void cli_param_column(const tacModel* model, int offset, char text[TAC_COLUMN_SIZE]) {
    tac_param_name(model, offset, text, TAC_COLUMN_SIZE);
}

void cli_ctrl_column(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]) {
    char name[TAC_COLUMN_SIZE];
    tac_column_ctrl(model, i, name);
    snprintf(text, TAC_COLUMN_SIZE, "ctrl %.*s", TAC_COLUMN_SIZE - 6, name);
}

void cli_write_csv_cell(const char* text, FILE* file) {
    fprintf(file, strpbrk(text, ",\"") ? "\"%s\"" : "%s", text);
}

tacNpy cli_npy_vector(const double* data, int count) {
    return (tacNpy){TAC_NPY_REAL, 0, 1, {(size_t)count, 0}, data};
}
