// The chart of rotations in which the stages of Runge-Kutta lie: q = q0 exp(u), so
// u' = J_r(u)^-1 v.
//
//   J_r(u)^-1 v = v + u x v/2 + c(u.u) u x (u x v),  c(x) = (1 - sqrt(x)/2 cot(sqrt(x)/2))/x
//
// In this chart Runge-Kutta keeps its order on ball and free joints too. With u' = v, as in MuJoCo,
// it does not.

#ifndef TAC_STEP_INTEGRATE_LIE_CHART_H
#define TAC_STEP_INTEGRATE_LIE_CHART_H

#include "tactus/model.h"

int tac_is_rk4(const tacModel* model);

// where the chart is evaluated: u = h prev_rate with the rates of the stage before (NULL: u = 0),
// and the velocity v
typedef struct tacChartPoint {
    const tacReal* prev_rate; // (nv)
    tacReal h;
    const tacReal* v; // (nv)
} tacChartPoint;

// k = J_r(u)^-1 v on rotations, v elsewhere. Every number is repeated `lanes` times.
void tac_lie_chart_rate(const tacModel* model, int lanes, tacChartPoint at, tacReal* k);

// One lane. `u_dot` is the tangent of u; k_dot may be v_dot.
void tac_lie_chart_rate_jvp(const tacModel* model, tacChartPoint at, const tacReal* u_dot,
                            const tacReal* v_dot, tacReal* k_dot);
// Adds to v_bar and to u_bar.
void tac_lie_chart_rate_vjp(const tacModel* model, tacChartPoint at, const tacReal* k_bar,
                            tacReal* u_bar, tacReal* v_bar);

// The same for `columns` tangents at once. K holds those of prev_rate on entry, of k on return.
void tac_lie_chart_rate_rows(const tacModel* model, tacChartPoint at, const tacReal* V, int columns,
                             tacReal* K);

#endif
