// The chart in which Runge-Kutta's stages of turns lie: q = q0 exp(u), so u' = J_r(u)^-1 v.
//
//   J_r(u)^-1 v = v + u x v/2 + c(u.u) u x (u x v),  c(x) = (1 - sqrt(x)/2 cot(sqrt(x)/2))/x
//
// In it Runge-Kutta keeps its order on balls and free bodies, too; with u' = v, as MuJoCo has it,
// it does not.

#ifndef TAC_STEP_INTEGRATE_LIE_CHART_H
#define TAC_STEP_INTEGRATE_LIE_CHART_H

#include "tactus/model.h"

int tac_is_rk4(const tacModel* model);

// k = J_r(h before)^-1 v on turns, v elsewhere; before NULL: zero. Every number stands `lanes`
// times.
void tac_lie_chart_rate(const tacModel* model, int lanes, const tacReal* prev_rate, tacReal h,
                        const tacReal* v, tacReal* k);

// One lane. `u_dot` is the tangent of h before; k_dot may be v_dot.
void tac_lie_chart_rate_jvp(const tacModel* model, const tacReal* prev_rate, tacReal h,
                            const tacReal* v, const tacReal* u_dot, const tacReal* v_dot,
                            tacReal* k_dot);
// adds to v_bar and to u_bar, the adjoint of h before
void tac_lie_chart_rate_vjp(const tacModel* model, const tacReal* prev_rate, tacReal h,
                            const tacReal* v, const tacReal* k_bar, tacReal* u_bar, tacReal* v_bar);

// The same for `columns` tangents at once. K holds those of `before` on entry, of k on return.
void tac_lie_chart_rate_rows(const tacModel* model, const tacReal* prev_rate, tacReal h,
                             const tacReal* v, const tacReal* V, int columns, tacReal* K);

#endif
