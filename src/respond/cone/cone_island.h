// An island of a convex problem: degrees of freedom that M or a block couples, directly or through
// others, and the blocks on them. Islands are solved apart, so each has the bits that it has alone.

#ifndef TAC_RESPOND_CONE_ISLAND_H
#define TAC_RESPOND_CONE_ISLAND_H

#include "respond/cone/cone_penalty.h"

#include "math/skyline.h"

typedef struct coneIsland {
    const tacCone* cone;
    int n, blocks;
    const int *dof, *block; // global numbers, rising                              (n), (blocks)
    const int* local;       // of a degree of freedom: its place in dof[]          (nv)
    tacSkyline H, M;        // the Hessian of the cost, and the mass matrix; factored
} coneIsland;

// working memory of all functions of cone.h
typedef struct coneMemory {
    int islands;
    int *root, *dof, *dof_start, *local;     // (nv), (nv), (nv + 1), (nv)
    int *block, *block_start, *block_island; // (blocks), (nv + 1), (blocks)
    tacSkyline H, M;
    tacReal *a, *step, *M_error, *M_step; // (nv) by the local numbers of an island
    tacReal *g, *trial;                   // (nv)
    tacReal *x, *x_step, *f;              // (rows)
} coneMemory;

coneMemory tac_cone_memory(const tacCone* cone, tacArena* arena);

// TAC_ERROR_VALUE for a pattern or number that is out of range
tacResult tac_cone_check(const tacCone* cone);

// groups degrees of freedom and blocks
void tac_cone_find_islands(const tacCone* cone, coneMemory* memory);

coneIsland tac_cone_island(const tacCone* cone, const coneMemory* memory, int island);

// y = M v, y and v (n)
void tac_cone_mul_mass(const coneIsland* island, const tacReal* v, tacReal* y);

// x = J v on the rows of the island, v (n)
void tac_cone_mul_jacobian(const coneIsland* island, const tacReal* v, tacReal* x);

// y += J' f, y (n)
void tac_cone_tmul_jacobian(const coneIsland* island, const tacReal* f, tacReal* y);

// factors M into island->M
tacResult tac_cone_factor_mass(coneIsland* island);

// factors M + J' s''(x) J into island->H
tacResult tac_cone_factor_hessian(coneIsland* island, const tacReal* x);

#endif
