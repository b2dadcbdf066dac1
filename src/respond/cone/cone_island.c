// Islands of a convex problem, and the matrices of one.

#include "respond/cone/cone_copy.h"

#include <string.h>

coneMemory tac_cone_memory(const tacCone* cone, tacArena* arena) {
    int nv = cone->nv, rows = cone->rows, blocks = cone->blocks;
    return (coneMemory){.root = TAC_ALLOC(arena, int, nv),
                        .dof = TAC_ALLOC(arena, int, nv),
                        .dof_start = TAC_ALLOC(arena, int, nv + 1),
                        .block = TAC_ALLOC(arena, int, blocks),
                        .block_start = TAC_ALLOC(arena, int, nv + 1),
                        .block_island = TAC_ALLOC(arena, int, blocks),
                        .local = TAC_ALLOC(arena, int, nv),
                        .H = tac_skyline_alloc(nv, arena),
                        .M = tac_skyline_alloc(nv, arena),
                        .a = TAC_ALLOC(arena, tacReal, nv),
                        .step = TAC_ALLOC(arena, tacReal, nv),
                        .M_error = TAC_ALLOC(arena, tacReal, nv),
                        .M_step = TAC_ALLOC(arena, tacReal, nv),
                        .g = TAC_ALLOC(arena, tacReal, nv),
                        .trial = TAC_ALLOC(arena, tacReal, nv),
                        .x = TAC_ALLOC(arena, tacReal, rows),
                        .x_step = TAC_ALLOC(arena, tacReal, rows),
                        .f = TAC_ALLOC(arena, tacReal, rows)};
}

//---------------------------------- check ----------------------------------------

static int mass_pattern_holds(const tacCone* cone) {
    if (cone->nv && (!cone->M_start || !cone->M_column || !cone->M || !cone->a0)) return 0;
    if (cone->nv && cone->M_start[0] < 0) return 0;
    for (int i = 0; i < cone->nv; ++i) {
        int begin = cone->M_start[i], end = cone->M_start[i + 1];
        if (end <= begin || cone->M_column[begin] < 0 || cone->M_column[end - 1] != i) return 0;
        for (int k = begin + 1; k < end; ++k)
            if (cone->M_column[k] <= cone->M_column[k - 1]) return 0;
    }
    return 1;
}

static int block_pattern_holds(const tacCone* cone, const tacConeBlock* b) {
    if ((unsigned)b->kind > TAC_CONE_ELLIPTIC || b->rows < 1 || b->columns < 0) return 0;
    if (b->kind == TAC_CONE_ELLIPTIC && b->rows > TAC_CONE_ROWS) return 0;
    if (b->row < 0 || b->row > cone->rows - b->rows || b->column < 0 || b->entry < 0) return 0;
    for (int k = 0; k < b->columns; ++k) {
        int dof = cone->column[b->column + k];
        if (dof < 0 || dof >= cone->nv) return 0;
        if (k && dof <= cone->column[b->column + k - 1]) return 0;
    }
    return 1;
}

static int pattern_holds(const tacCone* cone) {
    if (!cone || cone->nv < 0 || cone->blocks < 0 || cone->rows < 0) return 0;
    if (cone->blocks && (!cone->block || !cone->column || !cone->J || !cone->aref || !cone->D))
        return 0;
    if (!mass_pattern_holds(cone)) return 0;
    int row = 0;
    for (int b = 0; b < cone->blocks; ++b) {
        const tacConeBlock* block = &cone->block[b];
        if (!block_pattern_holds(cone, block) || block->row != row) return 0;
        if (block->kind >= TAC_CONE_FRICTION && !cone->mu) return 0;
        row += block->rows;
    }
    return row == cone->rows;
}

static int all_finite(int n, const tacReal* x) {
    for (int i = 0; i < n; ++i)
        if (!isfinite(tac_re(x[i]))) return 0;
    return 1;
}

// D, mu and width of a law that reads them
static int block_numbers_hold(const tacCone* cone, const tacConeBlock* block) {
    conePenalty law = tac_cone_penalty(cone, block);
    int cone_rows = law.kind == TAC_CONE_ELLIPTIC;
    if (!all_finite(block->rows * block->columns, cone->J + block->entry)) return 0;
    for (int i = 0; i < law.rows; ++i) {
        int leads = !cone_rows || i == 0;
        if (leads && !(tac_re(law.D[i]) > 0.0 && isfinite(tac_re(law.D[i])))) return 0;
        if (leads && law.width && !(tac_re(law.width[i]) >= 0.0 && isfinite(tac_re(law.width[i]))))
            return 0;
        if (law.kind < TAC_CONE_FRICTION) continue;
        double mu = tac_re(law.mu[i]);
        if (!(isfinite(mu) && mu >= 0.0) || (cone_rows && mu == 0.0)) return 0;
    }
    return 1;
}

tacResult tac_cone_check(const tacCone* cone) {
    if (!pattern_holds(cone)) return TAC_ERROR_VALUE;
    if (!all_finite(cone->nv, cone->a0) || !all_finite(cone->rows, cone->aref))
        return TAC_ERROR_VALUE;
    if (cone->nv && !all_finite(cone->M_start[cone->nv], cone->M)) return TAC_ERROR_VALUE;
    for (int b = 0; b < cone->blocks; ++b)
        if (!block_numbers_hold(cone, &cone->block[b])) return TAC_ERROR_VALUE;
    return TAC_OK;
}

size_t tac_cone_size(const tacCone* cone) {
    if (!pattern_holds(cone)) return 0;
    tacArena dry = tac_arena_measure(1);
    tac_cone_memory(cone, &dry);
    return dry.peak;
}

// complex numbers are twice as long as doubles
size_t tac_cone_hvp_size(const tacCone* cone) {
    if (!pattern_holds(cone)) return 0;
    tacArena dry = tac_arena_measure(2);
    cone_copy_alloc(cone, &dry);
    tac_cone_memory(cone, &dry);
    return dry.peak;
}

//---------------------------------- islands --------------------------------------

static int island_root(int* root, int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
}

// the smaller number is the root, so islands are numbered by their first degree of freedom
static void join_islands(int* root, int i, int j) {
    i = island_root(root, i);
    j = island_root(root, j);
    root[i > j ? i : j] = i > j ? j : i;
}

// Items by island, each island's rising: those of island i are order[start[i]] .. order[start[i +
// 1]]. An item whose island is -1 is left out.
static void sort_by_island(int islands, int items, const int* island, int* start, int* order) {
    memset(start, 0, sizeof *start * (size_t)(islands + 1));
    for (int k = 0; k < items; ++k)
        if (island[k] >= 0) ++start[island[k] + 1];
    for (int i = 0; i < islands; ++i) start[i + 1] += start[i];
    for (int k = 0; k < items; ++k)
        if (island[k] >= 0) order[start[island[k]]++] = k;
    for (int i = islands; i > 0; --i) start[i] = start[i - 1];
    start[0] = 0;
}

static void couple_islands(const tacCone* cone, int* root) {
    for (int i = 0; i < cone->nv; ++i) root[i] = i;
    for (int i = 0; i < cone->nv; ++i)
        for (int k = cone->M_start[i]; k < cone->M_start[i + 1]; ++k)
            join_islands(root, i, cone->M_column[k]);
    for (int b = 0; b < cone->blocks; ++b) {
        const int* column = cone->column + cone->block[b].column;
        for (int k = 1; k < cone->block[b].columns; ++k) join_islands(root, column[0], column[k]);
    }
}

void tac_cone_find_islands(const tacCone* cone, coneMemory* m) {
    couple_islands(cone, m->root);
    // roots become numbers of islands: a root comes before all that point to it
    m->islands = 0;
    for (int i = 0; i < cone->nv; ++i) m->local[i] = island_root(m->root, i);
    for (int i = 0; i < cone->nv; ++i)
        m->root[i] = m->local[i] == i ? m->islands++ : m->root[m->local[i]];
    sort_by_island(m->islands, cone->nv, m->root, m->dof_start, m->dof);

    // blocks without degrees of freedom move nothing: they belong to no island
    for (int b = 0; b < cone->blocks; ++b) {
        const tacConeBlock* block = &cone->block[b];
        m->block_island[b] = block->columns ? m->root[cone->column[block->column]] : -1;
    }
    sort_by_island(m->islands, cone->blocks, m->block_island, m->block_start, m->block);
    for (int i = 0; i < cone->nv; ++i) m->local[m->dof[i]] = i - m->dof_start[m->root[m->dof[i]]];
}

coneIsland tac_cone_island(const tacCone* cone, const coneMemory* m, int island) {
    coneIsland s = {.cone = cone,
                    .n = m->dof_start[island + 1] - m->dof_start[island],
                    .blocks = m->block_start[island + 1] - m->block_start[island],
                    .dof = m->dof + m->dof_start[island],
                    .block = m->block + m->block_start[island],
                    .local = m->local,
                    .H = m->H,
                    .M = m->M};
    s.H.n = s.M.n = s.n;
    for (int i = 0; i < s.n; ++i) s.H.perm[i] = s.M.perm[i] = i;
    return s;
}

//---------------------------------- products -------------------------------------

void tac_cone_mul_mass(const coneIsland* s, const tacReal* v, tacReal* y) {
    const tacCone* cone = s->cone;
    memset(y, 0, sizeof *y * (size_t)s->n);
    for (int i = 0; i < s->n; ++i) {
        int end = cone->M_start[s->dof[i] + 1] - 1;
        y[i] += cone->M[end] * v[i];
        for (int k = cone->M_start[s->dof[i]]; k < end; ++k) {
            int j = s->local[cone->M_column[k]];
            y[i] += cone->M[k] * v[j];
            y[j] += cone->M[k] * v[i];
        }
    }
}

void tac_cone_mul_jacobian(const coneIsland* s, const tacReal* v, tacReal* x) {
    for (int b = 0; b < s->blocks; ++b) {
        const tacConeBlock* block = &s->cone->block[s->block[b]];
        const int* column = s->cone->column + block->column;
        const tacReal* J = s->cone->J + block->entry;
        for (int r = 0; r < block->rows; ++r, J += block->columns) {
            tacReal sum = 0.0;
            for (int k = 0; k < block->columns; ++k) sum += J[k] * v[s->local[column[k]]];
            x[block->row + r] = sum;
        }
    }
}

void tac_cone_tmul_jacobian(const coneIsland* s, const tacReal* f, tacReal* y) {
    for (int b = 0; b < s->blocks; ++b) {
        const tacConeBlock* block = &s->cone->block[s->block[b]];
        const int* column = s->cone->column + block->column;
        const tacReal* J = s->cone->J + block->entry;
        for (int r = 0; r < block->rows; ++r, J += block->columns)
            for (int k = 0; k < block->columns; ++k)
                y[s->local[column[k]]] += J[k] * f[block->row + r];
    }
}

//---------------------------------- factors --------------------------------------

// profile of M
static void reset_mass_profile(const coneIsland* s, tacSkyline* K) {
    const tacCone* cone = s->cone;
    tac_skyline_reset(K);
    for (int i = 0; i < s->n; ++i) {
        int first = s->local[cone->M_column[cone->M_start[s->dof[i]]]];
        if (first < K->first[i]) K->first[i] = first;
    }
}

static void add_mass(const coneIsland* s, tacSkyline* K) {
    const tacCone* cone = s->cone;
    for (int i = 0; i < s->n; ++i)
        for (int k = cone->M_start[s->dof[i]]; k < cone->M_start[s->dof[i] + 1]; ++k)
            *tac_skyline_at(K, i, s->local[cone->M_column[k]]) += cone->M[k];
}

tacResult tac_cone_factor_mass(coneIsland* s) {
    reset_mass_profile(s, &s->M);
    tac_skyline_clear(&s->M);
    add_mass(s, &s->M);
    return tac_skyline_factor(&s->M);
}

// the first column is the smallest, so all others reach back to it
static void couple_block(const coneIsland* s, const tacConeBlock* block, tacSkyline* K) {
    const int* column = s->cone->column + block->column;
    int first = s->local[column[0]];
    for (int k = 1; k < block->columns; ++k) {
        int* reach = &K->first[s->local[column[k]]];
        if (first < *reach) *reach = first;
    }
}

// K += J_r' w J_r of one row, lower triangle
static void add_row_square(const coneIsland* s, const tacConeBlock* block, const tacReal* J,
                           tacReal w, tacSkyline* K) {
    const int* column = s->cone->column + block->column;
    for (int i = 0; i < block->columns; ++i) {
        int row = s->local[column[i]];
        tacReal t = w * J[i], *entry = K->entry + K->start[row];
        for (int j = 0; j <= i; ++j) entry[s->local[column[j]]] += t * J[j];
    }
}

// K += J' S J, lower triangle, one column of S J at a time
static void add_cone_square(const coneIsland* s, const tacConeBlock* block, const tacReal* S,
                            tacSkyline* K) {
    const int* column = s->cone->column + block->column;
    const tacReal* J = s->cone->J + block->entry;
    int n = block->columns, rows = block->rows;
    for (int j = 0; j < n; ++j) {
        tacReal SJ[TAC_CONE_ROWS];
        for (int r = 0; r < rows; ++r) {
            SJ[r] = 0.0;
            for (int q = 0; q < rows; ++q) SJ[r] += S[r * rows + q] * J[q * n + j];
        }
        int to = s->local[column[j]];
        for (int i = j; i < n; ++i) {
            tacReal sum = 0.0;
            for (int r = 0; r < rows; ++r) sum += J[r * n + i] * SJ[r];
            K->entry[K->start[s->local[column[i]]] + (size_t)to] += sum;
        }
    }
}

static int all_zero(int n, const tacReal* S) {
    for (int i = 0; i < n; ++i)
        if (S[i] != 0.0) return 0;
    return 1;
}

// blocks without stiffness couple nothing, as those that are open
tacResult tac_cone_factor_hessian(coneIsland* s, const tacReal* x) {
    tacReal S[TAC_CONE_ROWS * TAC_CONE_ROWS];
    tacSkyline* K = &s->H;
    reset_mass_profile(s, K);
    for (int b = 0; b < s->blocks; ++b) couple_block(s, &s->cone->block[s->block[b]], K);
    tac_skyline_clear(K);
    add_mass(s, K);
    for (int b = 0; b < s->blocks; ++b) {
        const tacConeBlock* block = &s->cone->block[s->block[b]];
        const tacReal* J = s->cone->J + block->entry;
        conePenalty law = tac_cone_penalty(s->cone, block);
        if (block->kind == TAC_CONE_ELLIPTIC) {
            tac_cone_penalty_hessian(&law, x + block->row, S);
            if (!all_zero(law.rows * law.rows, S)) add_cone_square(s, block, S, K);
            continue;
        }
        law.rows = 1;
        for (int r = 0; r < block->rows; ++r, J += block->columns) {
            tac_cone_penalty_hessian(&law, x + block->row + r, S);
            if (S[0] != 0.0) add_row_square(s, block, J, S[0], K);
            ++law.D;
            if (law.mu) ++law.mu;
            if (law.width) ++law.width;
        }
    }
    return tac_skyline_factor(K);
}
