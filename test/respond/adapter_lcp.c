// The map of adapter_lcp.h in the number type of this build.

#include "respond/adapter_lcp.h"

static _Alignas(16) char map_memory[16 * (MAP_ROWS * MAP_ROWS + 4 * MAP_ROWS)];

static tacLcp map_problem(const lcpMap* m, const tacReal* x) {
    int rows = m->contacts * (1 + m->tangents);
    const tacReal* b = x + rows * rows;
    return (tacLcp){m->contacts, m->tangents, x, b, b + rows};
}

static tacResult value(const void* map, const tacReal* x, tacReal* f) {
    const lcpMap* m = map;
    tacLcp lcp = map_problem(m, x);
    tac_lcp_active_set(&lcp, m->active_set, f, map_memory);
    return TAC_OK;
}

static tacResult jvp(const void* map, const tacReal* x, const tacReal* x_dot, tacReal* f_dot) {
    const lcpMap* m = map;
    tacReal f[MAP_ROWS];
    tacLcp lcp = map_problem(m, x), dot = map_problem(m, x_dot);
    tac_lcp_active_set(&lcp, m->active_set, f, map_memory);
    tac_lcp_active_set_jvp(&lcp, m->active_set, f, dot.A, dot.b, dot.mu, f_dot, map_memory);
    return TAC_OK;
}

static tacResult vjp(const void* map, const tacReal* x, const tacReal* f_bar, tacReal* x_bar) {
    const lcpMap* m = map;
    tacReal f[MAP_ROWS];
    tacLcp lcp = map_problem(m, x);
    int rows = m->contacts * (1 + m->tangents);
    tacReal* b_bar = x_bar + rows * rows;
    for (int i = 0; i < rows * rows + rows + m->contacts; ++i) x_bar[i] = 0.0;
    tac_lcp_active_set(&lcp, m->active_set, f, map_memory);
    tac_lcp_active_set_vjp(&lcp, m->active_set, f, f_bar, x_bar, b_bar, b_bar + rows, map_memory);
    return TAC_OK;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_lcp_) = {value, jvp, vjp};
