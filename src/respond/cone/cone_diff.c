// Derivatives of the convex problem at its solution, by the implicit function theorem: never
// through the iterations.
//
//   0 = F(a) = M (a - a0) - J' f(J a - aref),   H = dF/da
//   a_dot = -H^-1 dF,   dF = dM (a - a0) - M da0 - dJ' f + J' (s'' (dJ a - daref) - df)
//
// with df the change of the law by D, mu and width. Reverse: lambda = H^-1 a_bar. docs/cone.md, eq.
// (11) to (13).

#include "respond/cone/cone_island.h"

#include "math/dense.h"

#include <string.h>

// an island at its solution: x, f and the factor of H
typedef struct coneSolution {
    coneIsland island;
    tacReal* error;       // a - a0                                                  (n)
    tacReal *v, *w;       // work                                                    (n)
    tacReal *x, *f, *row; // J a - aref, forces, work                                (rows)
} coneSolution;

static tacResult take_solution(const tacCone* cone, const coneMemory* m, int number,
                               const tacReal* a, coneSolution* s) {
    *s = (coneSolution){.island = tac_cone_island(cone, m, number),
                        .error = m->step,
                        .v = m->g,
                        .w = m->trial,
                        .x = m->x,
                        .f = m->f,
                        .row = m->x_step};
    coneIsland* island = &s->island;
    for (int i = 0; i < island->n; ++i) m->a[i] = a[island->dof[i]];
    for (int i = 0; i < island->n; ++i) s->error[i] = m->a[i] - cone->a0[island->dof[i]];
    tac_cone_mul_jacobian(island, m->a, s->x);
    for (int b = 0; b < island->blocks; ++b) {
        const tacConeBlock* block = &cone->block[island->block[b]];
        conePenalty law = tac_cone_penalty(cone, block);
        for (int r = block->row; r < block->row + block->rows; ++r) s->x[r] -= cone->aref[r];
        tac_cone_penalty_force(&law, s->x + block->row, s->f + block->row);
    }
    return tac_cone_factor_hessian(island, s->x);
}

static const tacReal* part_of(const tacReal* numbers, int first) {
    return numbers ? numbers + first : NULL;
}

static tacReal* part_to_add(tacReal* numbers, int first) {
    return numbers ? numbers + first : NULL;
}

// y = s''(x) y on the rows of a block
static void mul_hessian_in_place(const coneSolution* s, const tacConeBlock* block, tacReal* y) {
    conePenalty law = tac_cone_penalty(s->island.cone, block);
    int width = block->kind == TAC_CONE_ELLIPTIC ? block->rows : 1;
    law.rows = width;
    for (int r = 0; r < block->rows; r += width) {
        tacReal v[TAC_CONE_ROWS];
        memcpy(v, y + r, sizeof *v * (size_t)width);
        tac_cone_penalty_hessian_mul(&law, s->x + block->row + r, v, y + r);
        law.D += width;
        if (law.mu) law.mu += width;
        if (law.width) law.width += width;
    }
}

//---------------------------------- forward --------------------------------------

// y += dM v, y and v (n)
static void add_mass_dot(const coneIsland* s, const tacReal* M_dot, const tacReal* v, tacReal* y) {
    const tacCone* cone = s->cone;
    for (int i = 0; i < s->n; ++i) {
        int end = cone->M_start[s->dof[i] + 1] - 1;
        y[i] += M_dot[end] * v[i];
        for (int k = cone->M_start[s->dof[i]]; k < end; ++k) {
            int j = s->local[cone->M_column[k]];
            y[i] += M_dot[k] * v[j];
            y[j] += M_dot[k] * v[i];
        }
    }
}

// row = dJ a - daref on a block
static void move_rows(const tacCone* cone, const tacConeBlock* block, const tacConeTangent* dot,
                      const tacReal* a, tacReal* row) {
    const tacReal* J_dot = part_of(dot->J, block->entry);
    for (int r = 0; r < block->rows; ++r) {
        row[r] = dot->aref ? -dot->aref[block->row + r] : 0.0;
        for (int k = 0; J_dot && k < block->columns; ++k)
            row[r] += J_dot[r * block->columns + k] * a[cone->column[block->column + k]];
    }
}

static conePenaltyTangent penalty_tangent(const tacConeTangent* dot, const tacConeBlock* block) {
    return (conePenaltyTangent){part_of(dot->D, block->row), part_of(dot->mu, block->row),
                                part_of(dot->width, block->row)};
}

// df of the law alone on the rows of a block, added
static void add_law_dot(const coneSolution* s, const tacConeBlock* block, const tacConeTangent* dot,
                        tacReal* f_dot) {
    if (!dot->D && !dot->mu && !dot->width) return;
    conePenalty law = tac_cone_penalty(s->island.cone, block);
    conePenaltyTangent tangent = penalty_tangent(dot, block);
    int width = block->kind == TAC_CONE_ELLIPTIC ? block->rows : 1;
    law.rows = width;
    for (int r = 0; r < block->rows; r += width) {
        tacReal part[TAC_CONE_ROWS];
        tac_cone_penalty_force_jvp(&law, s->x + block->row + r, &tangent, part);
        for (int k = 0; k < width; ++k) f_dot[r + k] += part[k];
        law.D += width;
        if (law.mu) law.mu += width;
        if (law.width) law.width += width;
        tangent.D = part_of(tangent.D, width);
        tangent.mu = part_of(tangent.mu, width);
        tangent.width = part_of(tangent.width, width);
    }
}

// v = -dF at fixed a
static void eval_right_side(const coneSolution* s, const tacReal* a, const tacConeTangent* dot) {
    const coneIsland* island = &s->island;
    const tacCone* cone = island->cone;
    for (int i = 0; i < island->n; ++i) s->v[i] = s->w[i] = 0.0;
    if (dot->M) add_mass_dot(island, dot->M, s->error, s->v);
    for (int i = 0; i < island->n; ++i) s->v[i] = -s->v[i];
    for (int b = 0; b < island->blocks; ++b) {
        const tacConeBlock* block = &cone->block[island->block[b]];
        tacReal* row = s->row + block->row;
        move_rows(cone, block, dot, a, row);
        mul_hessian_in_place(s, block, row);
        for (int r = 0; r < block->rows; ++r) row[r] = -row[r];
        add_law_dot(s, block, dot, row);
        const tacReal* J_dot = part_of(dot->J, block->entry);
        for (int r = 0; J_dot && r < block->rows; ++r)
            for (int k = 0; k < block->columns; ++k)
                s->v[island->local[cone->column[block->column + k]]] +=
                    J_dot[r * block->columns + k] * s->f[block->row + r];
    }
    tac_cone_tmul_jacobian(island, s->row, s->v);
    if (!dot->a0) return;
    tacReal* M_a0 = s->w;
    tacReal* a0_dot = s->error; // no longer needed
    for (int i = 0; i < island->n; ++i) a0_dot[i] = dot->a0[island->dof[i]];
    tac_cone_mul_mass(island, a0_dot, M_a0);
    for (int i = 0; i < island->n; ++i) s->v[i] += M_a0[i];
}

// f_dot = -s'' (dJ a + J a_dot - daref) + df
static void force_dot(const coneSolution* s, const tacReal* a, const tacConeTangent* dot,
                      tacReal* f_dot) {
    const coneIsland* island = &s->island;
    tac_cone_mul_jacobian(island, s->v, s->row);
    for (int b = 0; b < island->blocks; ++b) {
        const tacConeBlock* block = &island->cone->block[island->block[b]];
        tacReal *row = s->row + block->row, *to = f_dot + block->row;
        move_rows(island->cone, block, dot, a, to);
        for (int r = 0; r < block->rows; ++r) to[r] += row[r];
        mul_hessian_in_place(s, block, to);
        for (int r = 0; r < block->rows; ++r) to[r] = -to[r];
        add_law_dot(s, block, dot, to);
    }
}

// blocks without degrees of freedom
static void fixed_force_dot(const tacCone* cone, const tacConeTangent* dot, coneMemory* m,
                            tacReal* f_dot) {
    for (int b = 0; b < cone->blocks; ++b) {
        const tacConeBlock* block = &cone->block[b];
        if (block->columns) continue;
        coneSolution s = {.island = {.cone = cone}, .x = m->x};
        for (int r = block->row; r < block->row + block->rows; ++r) {
            m->x[r] = -cone->aref[r];
            f_dot[r] = dot->aref ? -dot->aref[r] : 0.0;
        }
        mul_hessian_in_place(&s, block, f_dot + block->row);
        for (int r = block->row; r < block->row + block->rows; ++r) f_dot[r] = -f_dot[r];
        add_law_dot(&s, block, dot, f_dot + block->row);
    }
}

tacResult tac_cone_jvp(const tacCone* cone, const tacReal* a, const tacConeTangent* dot,
                       tacReal* a_dot, tacReal* f_dot, void* memory) {
    if (!a || !dot || !memory || tac_cone_check(cone) != TAC_OK) return TAC_ERROR_VALUE;
    tacArena arena = tac_arena_over(memory);
    coneMemory m = tac_cone_memory(cone, &arena);
    tac_cone_find_islands(cone, &m);
    for (int i = 0; i < m.islands; ++i) {
        coneSolution s;
        tacResult result = take_solution(cone, &m, i, a, &s);
        if (result != TAC_OK) return result;
        eval_right_side(&s, a, dot);
        tac_skyline_solve(&s.island.H, s.v);
        for (int k = 0; a_dot && k < s.island.n; ++k) a_dot[s.island.dof[k]] = s.v[k];
        if (f_dot) force_dot(&s, a, dot, f_dot);
    }
    if (f_dot) fixed_force_dot(cone, dot, &m, f_dot);
    return TAC_OK;
}

//---------------------------------- reverse --------------------------------------

// M_bar -= lambda (a - a0)': an entry off the diagonal stands for two
static void add_mass_bar(const coneSolution* s, const tacReal* lambda, tacReal* M_bar) {
    const coneIsland* island = &s->island;
    const tacCone* cone = island->cone;
    for (int i = 0; i < island->n; ++i) {
        int end = cone->M_start[island->dof[i] + 1] - 1;
        M_bar[end] -= lambda[i] * s->error[i];
        for (int k = cone->M_start[island->dof[i]]; k < end; ++k) {
            int j = island->local[cone->M_column[k]];
            M_bar[k] -= lambda[i] * s->error[j] + lambda[j] * s->error[i];
        }
    }
}

// J_bar += f lambda' - y a',  y the adjoint of x
static void add_jacobian_bar(const coneSolution* s, const tacConeBlock* block, const tacReal* a,
                             const tacReal* y, tacReal* J_bar) {
    const int* column = s->island.cone->column + block->column;
    for (int r = 0; r < block->rows; ++r)
        for (int k = 0; k < block->columns; ++k)
            J_bar[r * block->columns + k] +=
                s->f[block->row + r] * s->v[s->island.local[column[k]]] - y[r] * a[column[k]];
}

// `total` is the adjoint of the law's forces: J lambda, and f_bar of the forces that are returned
static void add_block_bar(const coneSolution* s, const tacConeBlock* block, const tacReal* a,
                          tacReal* total, const tacConeAdjoint* bar) {
    conePenalty law = tac_cone_penalty(s->island.cone, block);
    conePenaltyAdjoint numbers = {part_to_add(bar->D, block->row), part_to_add(bar->mu, block->row),
                                  part_to_add(bar->width, block->row)};
    tac_cone_penalty_force_vjp(&law, s->x + block->row, total, &numbers);
    // adjoint of -x
    mul_hessian_in_place(s, block, total);
    for (int r = 0; bar->aref && r < block->rows; ++r) bar->aref[block->row + r] += total[r];
    if (bar->J && block->columns) add_jacobian_bar(s, block, a, total, bar->J + block->entry);
}

// lambda = H^-1 (a_bar - J' s'' f_bar) in s->v
static void eval_multiplier(const coneSolution* s, const tacReal* a_bar, const tacReal* f_bar) {
    const coneIsland* island = &s->island;
    for (int i = 0; i < island->n; ++i) s->v[i] = 0.0;
    if (f_bar) {
        for (int b = 0; b < island->blocks; ++b) {
            const tacConeBlock* block = &island->cone->block[island->block[b]];
            for (int r = block->row; r < block->row + block->rows; ++r) s->row[r] = f_bar[r];
            mul_hessian_in_place(s, block, s->row + block->row);
        }
        tac_cone_tmul_jacobian(island, s->row, s->v);
    }
    for (int i = 0; i < island->n; ++i) s->v[i] = (a_bar ? a_bar[island->dof[i]] : 0.0) - s->v[i];
    tac_skyline_solve(&island->H, s->v);
}

static void add_island_bar(const coneSolution* s, const tacReal* a, const tacReal* f_bar,
                           const tacConeAdjoint* bar) {
    const coneIsland* island = &s->island;
    if (bar->M) add_mass_bar(s, s->v, bar->M);
    tac_cone_mul_jacobian(island, s->v, s->row);
    for (int b = 0; b < island->blocks; ++b) {
        const tacConeBlock* block = &island->cone->block[island->block[b]];
        for (int r = block->row; f_bar && r < block->row + block->rows; ++r) s->row[r] += f_bar[r];
        add_block_bar(s, block, a, s->row + block->row, bar);
    }
    if (!bar->a0) return;
    tac_cone_mul_mass(island, s->v, s->w);
    for (int i = 0; i < island->n; ++i) bar->a0[island->dof[i]] += s->w[i];
}

static void add_fixed_bar(const tacCone* cone, const tacReal* f_bar, const tacConeAdjoint* bar,
                          coneMemory* m) {
    for (int b = 0; b < cone->blocks; ++b) {
        const tacConeBlock* block = &cone->block[b];
        if (block->columns) continue;
        coneSolution s = {.island = {.cone = cone}, .x = m->x};
        for (int r = block->row; r < block->row + block->rows; ++r) {
            m->x[r] = -cone->aref[r];
            m->x_step[r] = f_bar[r];
        }
        add_block_bar(&s, block, NULL, m->x_step + block->row, bar);
    }
}

tacResult tac_cone_vjp(const tacCone* cone, const tacReal* a, const tacReal* a_bar,
                       const tacReal* f_bar, const tacConeAdjoint* bar, void* memory) {
    if (!a || !bar || !memory || tac_cone_check(cone) != TAC_OK) return TAC_ERROR_VALUE;
    tacArena arena = tac_arena_over(memory);
    coneMemory m = tac_cone_memory(cone, &arena);
    tac_cone_find_islands(cone, &m);
    for (int i = 0; i < m.islands; ++i) {
        coneSolution s;
        tacResult result = take_solution(cone, &m, i, a, &s);
        if (result != TAC_OK) return result;
        eval_multiplier(&s, a_bar, f_bar);
        add_island_bar(&s, a, f_bar, bar);
    }
    if (f_bar) add_fixed_bar(cone, f_bar, bar, &m);
    return TAC_OK;
}
