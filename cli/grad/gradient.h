// Gradient of a quantity after some steps, as text and files.

#ifndef TAC_CLI_GRAD_GRADIENT_H
#define TAC_CLI_GRAD_GRADIENT_H

#include "step/quantity_rollout.h"

#include <stdio.h>

typedef struct cliGradient {
    const tacModel* model;
    const tacState* at; // where
    const double* ctrl; // (nu)
    const char* of;     // name of the quantity
    tacQuantity what;
    int steps;
    tacParam wrt; // these parameters alone; count 0: state, control and all parameters
    double value;
    double *x, *u, *theta; // (2 nv + na) (nu) (nparam)
    unsigned flags;        // of all steps
} cliGradient;

// Set the members up to `wrt` before. 0, or an exit code after a message.
int cli_gradient_make(cliGradient* gradient, const char* command);
void cli_gradient_free(cliGradient* gradient);

void cli_gradient_print(const cliGradient* gradient);
void cli_gradient_json(const cliGradient* gradient);

// 0, or -1 if the file is incomplete
int cli_gradient_npz(const cliGradient* gradient, FILE* file);
int cli_gradient_csv(const cliGradient* gradient, FILE* file);

#endif
