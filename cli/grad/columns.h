// Names and arrays of files with derivatives.

#ifndef TAC_CLI_GRAD_COLUMNS_H
#define TAC_CLI_GRAD_COLUMNS_H

#include "record/npz.h"
#include "record/text_array.h"

#include <stdio.h>

// numbers of a tangent of the state: 2 nv + na
int cli_state_dim(const tacModel* model);

// name of the parameter at `offset`; "ctrl NAME" of actuator i
void cli_param_column(const tacModel* model, int offset, char text[TAC_COLUMN_SIZE]);
void cli_ctrl_column(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]);

// a name as a cell of a CSV file: in quotes if it holds a comma or a quote
void cli_write_csv_cell(const char* text, FILE* file);

tacNpy cli_npy_vector(const double* data, int count);

#endif
