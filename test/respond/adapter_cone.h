// A convex problem as a map from its numbers (M, a0, J, aref, D, mu, width) to (a, f).

#ifndef TACTUS_TEST_ADAPTER_CONE_H
#define TACTUS_TEST_ADAPTER_CONE_H

#include "check/check.h"
#include "tactus/cone.h"

enum { MAP_DOFS = 12, MAP_ROWS = 24, MAP_BLOCKS = 8, MAP_MEMORY = 1 << 16 };

// pattern of the problem; its numbers are x
typedef struct coneMap {
    int nv, blocks, rows, entries; // entries of J
    int M_start[MAP_DOFS + 1], M_column[MAP_DOFS * MAP_DOFS], column[MAP_BLOCKS * MAP_DOFS];
    tacConeBlock block[MAP_BLOCKS];
} coneMap;

// numbers of a problem in this order in one array
static inline tacCone cone_map_problem(const coneMap* m, const tacReal* x) {
    const tacReal *a0 = x + m->M_start[m->nv], *J = a0 + m->nv, *aref = J + m->entries;
    return (tacCone){.nv = m->nv,
                     .blocks = m->blocks,
                     .rows = m->rows,
                     .M_start = m->M_start,
                     .M_column = m->M_column,
                     .block = m->block,
                     .column = m->column,
                     .M = x,
                     .a0 = a0,
                     .J = J,
                     .aref = aref,
                     .D = aref + m->rows,
                     .mu = aref + 2 * m->rows,
                     .width = aref + 3 * m->rows};
}

static inline int cone_map_numbers(const coneMap* m) {
    return m->M_start[m->nv] + m->nv + m->entries + 4 * m->rows;
}

static inline tacConeTangent cone_map_tangent(const coneMap* m, const tacReal* x) {
    tacCone c = cone_map_problem(m, x);
    return (tacConeTangent){c.M, c.a0, c.J, c.aref, c.D, c.mu, c.width};
}

static inline tacConeAdjoint cone_map_adjoint(const coneMap* m, tacReal* x) {
    tacReal *a0 = x + m->M_start[m->nv], *J = a0 + m->nv, *aref = J + m->entries;
    return (tacConeAdjoint){x, a0, J, aref, aref + m->rows, aref + 2 * m->rows, aref + 3 * m->rows};
}

TAC_DECLARE_CHECK(tac_check_cone_);

#endif
