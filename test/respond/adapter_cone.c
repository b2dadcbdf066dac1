// The map of adapter_cone.h in the number type of this build.

#include "respond/adapter_cone.h"

#include <string.h>

static _Alignas(64) char map_memory[MAP_MEMORY * sizeof(tacReal) / 8];

static tacResult value(const void* map, const tacReal* x, tacReal* y) {
    const coneMap* m = map;
    tacCone cone = cone_map_problem(m, x);
    tacResult result = tac_cone_solve(&cone, 0, y, NULL, map_memory);
    return result == TAC_OK ? tac_cone_force(&cone, y, y + m->nv) : result;
}

static tacResult jvp(const void* map, const tacReal* x, const tacReal* x_dot, tacReal* y_dot) {
    const coneMap* m = map;
    tacReal a[MAP_DOFS];
    tacCone cone = cone_map_problem(m, x);
    tacConeTangent dot = cone_map_tangent(m, x_dot);
    tacResult result = tac_cone_solve(&cone, 0, a, NULL, map_memory);
    if (result != TAC_OK) return result;
    return tac_cone_jvp(&cone, a, &dot, y_dot, y_dot + m->nv, map_memory);
}

static tacResult vjp(const void* map, const tacReal* x, const tacReal* y_bar, tacReal* x_bar) {
    const coneMap* m = map;
    tacReal a[MAP_DOFS];
    tacCone cone = cone_map_problem(m, x);
    tacConeAdjoint bar = cone_map_adjoint(m, x_bar);
    for (int i = 0; i < cone_map_numbers(m); ++i) x_bar[i] = 0.0;
    tacResult result = tac_cone_solve(&cone, 0, a, NULL, map_memory);
    if (result != TAC_OK) return result;
    return tac_cone_vjp(&cone, a, y_bar, y_bar + m->nv, &bar, map_memory);
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_cone_) = {value, jvp, vjp};
