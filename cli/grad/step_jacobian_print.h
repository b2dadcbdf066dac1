// A, B and columns by parameters of a step, as text and files.

#ifndef TAC_CLI_GRAD_STEP_JACOBIAN_PRINT_H
#define TAC_CLI_GRAD_STEP_JACOBIAN_PRINT_H

#include "cli/io/output.h"

#include "tactus/step.h"

typedef struct cliJacobian {
    const tacModel* model;
    const tacState* at; // where
    const double* ctrl; // (nu)
    tacParam theta;     // columns of P; count 0: none
    double *A, *B, *P;  // (nx x nx) (nx x nu) (nx x count)
    tacState next;      // owns its arrays
    unsigned flags;     // of the step, sum of tacFlag
    void* memory;
} cliJacobian;

// Set model, at, ctrl and theta before. 0, or an exit code after a message.
int cli_jacobian_make(cliJacobian* jacobian, const char* command);
void cli_jacobian_free(cliJacobian* jacobian);

// prints warnings for flags that concern the derivatives
void cli_flags_print(unsigned flags);

void cli_jacobian_print(const cliJacobian* jacobian);
void cli_jacobian_json(const cliJacobian* jacobian);

// 0, or -1 if the file is incomplete
int cli_jacobian_npz(const cliJacobian* jacobian, FILE* file);
int cli_jacobian_csv(const cliJacobian* jacobian, FILE* file);

#endif
