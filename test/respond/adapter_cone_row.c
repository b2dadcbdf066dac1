// The map of adapter_cone_row.h in the number type of this build.

#include "respond/adapter_cone_row.h"

#include "respond/cone/cone_row.h"

#include <string.h>

static tacResult value(const void* row, const tacReal* x, tacReal* y) {
    tac_cone_row(row, x, y);
    return TAC_OK;
}

static tacResult jvp(const void* row, const tacReal* x, const tacReal* x_dot, tacReal* y_dot) {
    tac_cone_row_jvp(row, x, x_dot, y_dot);
    return TAC_OK;
}

static tacResult vjp(const void* row, const tacReal* x, const tacReal* y_bar, tacReal* x_bar) {
    memset(x_bar, 0, sizeof *x_bar * CONE_ROW_NUMBERS);
    tac_cone_row_vjp(row, x, y_bar, x_bar);
    return TAC_OK;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_cone_row_) = {value, jvp, vjp};
