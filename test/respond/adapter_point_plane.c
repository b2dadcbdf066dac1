// The map of adapter_point_plane.h in the number type of this build.

#include "respond/adapter_point_plane.h"

#include "math/vec3.h"

static tacPlaneState state_of(const tacReal* x) {
    return (tacPlaneState){x[0], tac_load3(x + 1), tac_load3(x + 4), tac_load3(x + 7), x[10]};
}

static tacPlaneLaw law_of(const planeMap* m, const tacReal* x) {
    return (tacPlaneLaw){x[11], x[12], x[13], x[14], x[15], x[16], m->reference, m->implicit};
}

static tacResult value(const void* context, const tacReal* x, tacReal* y) {
    tacPlaneState at = state_of(x);
    tacPlaneLaw law = law_of(context, x);
    tac_store3(y, tac_point_plane(&law, &at));
    return TAC_OK;
}

static tacResult jvp(const void* context, const tacReal* x, const tacReal* x_dot, tacReal* y_dot) {
    tacPlaneState at = state_of(x), at_dot = state_of(x_dot);
    tacPlaneLaw law = law_of(context, x), law_dot = law_of(context, x_dot);
    tac_store3(y_dot, tac_point_plane_jvp(&law, &at, &law_dot, &at_dot));
    return TAC_OK;
}

static tacResult vjp(const void* context, const tacReal* x, const tacReal* y_bar, tacReal* x_bar) {
    tacPlaneState at = state_of(x), at_bar = {0};
    tacPlaneLaw law = law_of(context, x), law_bar = {0};
    tac_point_plane_vjp(&law, &at, tac_load3(y_bar), &law_bar, &at_bar);
    x_bar[0] = at_bar.phi;
    x_bar[10] = at_bar.h;
    tac_store3(x_bar + 1, at_bar.n);
    tac_store3(x_bar + 4, at_bar.v);
    tac_store3(x_bar + 7, at_bar.y);
    x_bar[11] = law_bar.k;
    x_bar[12] = law_bar.v_d;
    x_bar[13] = law_bar.v_s;
    x_bar[14] = law_bar.mu;
    x_bar[15] = law_bar.eps;
    x_bar[16] = law_bar.inv_mass;
    return TAC_OK;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_plane_) = {value, jvp, vjp};
