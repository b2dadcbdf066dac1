// The map of adapter_elastoplastic.h in the number type of this build.

#include "respond/adapter_elastoplastic.h"

#include "math/vec3.h"

static tacElastoplasticState state_of(const tacReal* x) {
    return (tacElastoplasticState){x[0], tac_load3(x + 1), tac_load3(x + 4), tac_load3(x + 11),
                                   x[14]};
}

static tacElastoplasticLaw law_of(const void* implicit, const tacReal* x) {
    return (tacElastoplasticLaw){x[7], x[8], x[9], x[10], x[15], implicit != NULL};
}

static tacResult value(const void* context, const tacReal* x, tacReal* y) {
    tacElastoplasticState at = state_of(x);
    tacElastoplasticLaw law = law_of(context, x);
    tac_store3(y, tac_elastoplastic(&law, &at));
    return TAC_OK;
}

static tacResult jvp(const void* context, const tacReal* x, const tacReal* x_dot, tacReal* y_dot) {
    tacElastoplasticState at = state_of(x), at_dot = state_of(x_dot);
    tacElastoplasticLaw law = law_of(context, x), law_dot = law_of(context, x_dot);
    tac_store3(y_dot, tac_elastoplastic_jvp(&law, &at, &law_dot, &at_dot));
    return TAC_OK;
}

static tacResult vjp(const void* context, const tacReal* x, const tacReal* y_bar, tacReal* x_bar) {
    tacElastoplasticState at = state_of(x), at_bar = {0};
    tacElastoplasticLaw law = law_of(context, x), law_bar = {0};
    tac_elastoplastic_vjp(&law, &at, tac_load3(y_bar), &law_bar, &at_bar);
    x_bar[0] = at_bar.phi;
    tac_store3(x_bar + 1, at_bar.n);
    tac_store3(x_bar + 4, at_bar.v);
    x_bar[7] = law_bar.k;
    x_bar[8] = law_bar.v_d;
    x_bar[9] = law_bar.v_s;
    x_bar[10] = law_bar.mu;
    tac_store3(x_bar + 11, at_bar.y);
    x_bar[14] = at_bar.h;
    x_bar[15] = law_bar.inv_mass;
    return TAC_OK;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_plastic_) = {value, jvp, vjp};
