// The map of adapter_impact_time.h in the number type of this build.

#include "detect/adapter_impact_time.h"

static tacResult value(const void* map, const tacReal* x, tacReal* y) {
    const impactMap* m = map;
    return tac_impact_time(&m->impact, x, x + 12, m->guess, y);
}

static tacResult jvp(const void* map, const tacReal* x, const tacReal* x_dot, tacReal* y_dot) {
    const impactMap* m = map;
    tacReal time = 0.0;
    tacResult result = tac_impact_time(&m->impact, x, x + 12, m->guess, &time);
    if (result != TAC_OK) return result;
    return tac_impact_time_jvp(&m->impact, x, x + 12, time, x_dot, x_dot + 12, y_dot);
}

static tacResult vjp(const void* map, const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    const impactMap* m = map;
    tacReal time = 0.0;
    tacResult result = tac_impact_time(&m->impact, x, x + 12, m->guess, &time);
    for (int i = 0; i < 24; ++i) x_bar[i] = 0.0;
    if (result != TAC_OK) return result;
    return tac_impact_time_vjp(&m->impact, x, x + 12, time, *bar, x_bar, x_bar + 12);
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_impact_) = {value, jvp, vjp};
