// The convex problem of contact: Newton's method with an exact line search, island by island.
//
//   g = M (a - a0) - J' f(x),  H = M + J' s''(x) J,  a <- a - t H^-1 g,  t the least cost along it
//
// The cost is strongly convex with modulus M, so |g| in the norm of M^-1 bounds the distance from
// the answer. docs/cone.md, eq. (1), (8) to (10).

#include "respond/cone/cone_island.h"

#include "math/dense.h"

#include <string.h>

enum { MAX_NEWTON_STEPS = 200, MAX_SEARCH_STEPS = 50 };

// an answer is one whose residual is below this part of the scale
static const double accepted_residual = 1e-8;

// a row within this part of its terms is at a corner
static const double tie_tolerance = 1e-9;

//---------------------------------- one island -----------------------------------

typedef struct coneSolve {
    coneIsland island;
    tacReal *a, *step;         // acceleration, and Newton's step                          (n)
    tacReal *M_error, *M_step; // M (a - a0), M step
    tacReal *g, *trial;        // gradient of the cost; work
    tacReal *x, *x_step, *f;   // J a - aref, J step, forces                               (rows)
} coneSolve;

static void gather_island(const coneIsland* s, const tacReal* from, tacReal* to) {
    for (int i = 0; i < s->n; ++i) to[i] = from[s->dof[i]];
}

static void eval_forces(const coneIsland* s, const tacReal* x, tacReal* f) {
    for (int b = 0; b < s->blocks; ++b) {
        const tacConeBlock* block = &s->cone->block[s->block[b]];
        conePenalty law = tac_cone_penalty(s->cone, block);
        tac_cone_penalty_force(&law, x + block->row, f + block->row);
    }
}

static void eval_rows(const coneIsland* s, const tacReal* a, tacReal* x) {
    tac_cone_mul_jacobian(s, a, x);
    for (int b = 0; b < s->blocks; ++b) {
        const tacConeBlock* block = &s->cone->block[s->block[b]];
        for (int r = block->row; r < block->row + block->rows; ++r) x[r] -= s->cone->aref[r];
    }
}

// x, M (a - a0), f and g at a
static void eval_gradient(coneSolve* c) {
    const coneIsland* s = &c->island;
    for (int i = 0; i < s->n; ++i) c->trial[i] = c->a[i] - s->cone->a0[s->dof[i]];
    tac_cone_mul_mass(s, c->trial, c->M_error);
    eval_rows(s, c->a, c->x);
    eval_forces(s, c->x, c->f);
    for (int i = 0; i < s->n; ++i) c->g[i] = 0.0;
    tac_cone_tmul_jacobian(s, c->f, c->g);
    for (int i = 0; i < s->n; ++i) c->g[i] = c->M_error[i] - c->g[i];
}

// cost at a, after eval_gradient
static tacReal eval_cost(const coneSolve* c) {
    const coneIsland* s = &c->island;
    tacReal sum = 0.0;
    for (int i = 0; i < s->n; ++i) sum += 0.5 * (c->a[i] - s->cone->a0[s->dof[i]]) * c->M_error[i];
    for (int b = 0; b < s->blocks; ++b) {
        const tacConeBlock* block = &s->cone->block[s->block[b]];
        conePenalty law = tac_cone_penalty(s->cone, block);
        sum += tac_cone_penalty_cost(&law, c->x + block->row);
    }
    return sum;
}

// |v| in the norm of M^-1, M factored
static double inverse_mass_norm(coneSolve* c, const tacReal* v) {
    memcpy(c->trial, v, sizeof *v * (size_t)c->island.n);
    tac_skyline_solve(&c->island.M, c->trial);
    return sqrt(fmax(tac_re(tac_dense_dot(c->island.n, v, c->trial)), 0.0));
}

// Size of the forces of all rows as accelerations. Forces may cancel, their rounding does not.
static double force_scale(coneSolve* c) {
    const coneIsland* s = &c->island;
    const tacCone* cone = s->cone;
    double sum = 0.0;
    for (int i = 0; i < s->n; ++i) c->trial[i] = 0.0;
    for (int b = 0; b < s->blocks; ++b) {
        const tacConeBlock* block = &cone->block[s->block[b]];
        const tacReal* J = cone->J + block->entry;
        for (int r = block->row; r < block->row + block->rows; ++r, J += block->columns)
            for (int k = 0; k < block->columns; ++k)
                c->trial[s->local[cone->column[block->column + k]]] += fabs(tac_re(J[k] * c->f[r]));
    }
    for (int i = 0; i < s->n; ++i)
        sum += pow(tac_re(c->trial[i]), 2.0) / tac_re(cone->M[cone->M_start[s->dof[i] + 1] - 1]);
    return sqrt(sum);
}

//---------------------------------- line search ----------------------------------

// derivative of the cost along the step at a + t step, and its own derivative
static double slope_along_step(const coneSolve* c, double t, double* curvature) {
    const coneIsland* s = &c->island;
    tacReal quadratic = tac_dense_dot(s->n, c->step, c->M_step);
    tacReal slope = tac_dense_dot(s->n, c->step, c->M_error) + t * quadratic, bend = quadratic;
    for (int b = 0; b < s->blocks; ++b) {
        const tacConeBlock* block = &s->cone->block[s->block[b]];
        conePenalty law = tac_cone_penalty(s->cone, block);
        const tacReal *x = c->x + block->row, *dx = c->x_step + block->row;
        // a block of independent rows may be long
        int width = block->kind == TAC_CONE_ELLIPTIC ? block->rows : 1;
        law.rows = width;
        for (int r = 0; r < block->rows; r += width) {
            tacReal at[TAC_CONE_ROWS], f[TAC_CONE_ROWS], y[TAC_CONE_ROWS];
            for (int k = 0; k < width; ++k) at[k] = x[r + k] + t * dx[r + k];
            tac_cone_penalty_force(&law, at, f);
            tac_cone_penalty_hessian_mul(&law, at, dx + r, y);
            slope -= tac_dense_dot(width, f, dx + r);
            bend += tac_dense_dot(width, y, dx + r);
            law.D += width;
            if (law.mu) law.mu += width;
            if (law.width) law.width += width;
        }
    }
    *curvature = tac_re(bend);
    return tac_re(slope);
}

// Root of the slope by Newton's method between bounds that shrink. The slope rises, so the root is
// unique; it is positive because the step leads downhill.
static double search_along_step(const coneSolve* c) {
    double curvature, low = 0.0, high = INFINITY, t = 1.0;
    double start = fabs(slope_along_step(c, 0.0, &curvature));
    for (int i = 0; i < MAX_SEARCH_STEPS; ++i) {
        double slope = slope_along_step(c, t, &curvature);
        if (fabs(slope) <= 1e-12 * start) return t;
        if (slope < 0.0)
            low = t;
        else
            high = t;
        double next = t - slope / curvature;
        if (!(next > low && next < high)) next = isfinite(high) ? 0.5 * (low + high) : 2.0 * t;
        if (next == t) return t;
        t = next;
    }
    return t;
}

//---------------------------------- Newton's method ------------------------------

// a full step of Newton's method; after the real part has settled it settles a derivative, too
static tacResult newton_direction(coneSolve* c) {
    coneIsland* s = &c->island;
    tacResult result = tac_cone_factor_hessian(s, c->x);
    if (result != TAC_OK) return result;
    for (int i = 0; i < s->n; ++i) c->step[i] = -c->g[i];
    tac_skyline_solve(&s->H, c->step);
    return TAC_OK;
}

static void move_along_step(coneSolve* c, double t) {
    tac_dense_add_scaled(c->island.n, c->a, t, c->step);
    eval_gradient(c);
}

// of a0 and, with `warm`, of the guess, the one of less cost
static void choose_start(coneSolve* c, int warm, const tacReal* guess) {
    const coneIsland* s = &c->island;
    double cost = INFINITY;
    if (warm) {
        gather_island(s, guess, c->a);
        eval_gradient(c);
        cost = tac_re(eval_cost(c));
    }
    for (int i = 0; i < s->n; ++i) {
        c->step[i] = c->a[i];
        c->a[i] = s->cone->a0[s->dof[i]];
    }
    eval_gradient(c);
    if (!warm || !(cost < tac_re(eval_cost(c)))) return;
    memcpy(c->a, c->step, sizeof *c->a * (size_t)s->n);
    eval_gradient(c);
}

// Steps until the residual is rounding: it no longer halves although it is small.
static tacResult descend(coneSolve* c, int* iterations, double* residual, double* scale) {
    coneIsland* s = &c->island;
    for (int i = 0; i < s->n; ++i) c->step[i] = s->cone->a0[s->dof[i]];
    tac_cone_mul_mass(s, c->step, c->M_step);
    double free = inverse_mass_norm(c, c->M_step);
    *residual = inverse_mass_norm(c, c->g);
    for (*iterations = 0; *iterations<MAX_NEWTON_STEPS&& * residual> 0.0; ++*iterations) {
        tacResult result = newton_direction(c);
        if (result != TAC_OK) return result;
        tac_cone_mul_mass(s, c->step, c->M_step);
        tac_cone_mul_jacobian(s, c->step, c->x_step);
        move_along_step(c, search_along_step(c));
        double before = *residual;
        *residual = inverse_mass_norm(c, c->g);
        *scale = free + force_scale(c);
        if (!isfinite(*residual)) return TAC_ERROR_VALUE;
        if (*residual <= accepted_residual * *scale && *residual > 0.5 * before) break;
    }
    *scale = free + force_scale(c);
    return TAC_OK;
}

// is a row of the island at a corner of its law?
static int has_tie(coneSolve* c) {
    const coneIsland* s = &c->island;
    for (int b = 0; b < s->blocks; ++b) {
        const tacConeBlock* block = &s->cone->block[s->block[b]];
        conePenalty law = tac_cone_penalty(s->cone, block);
        double terms = 0.0;
        for (int r = block->row; r < block->row + block->rows; ++r)
            terms += fabs(tac_re(s->cone->aref[r])) + fabs(tac_re(c->x[r] + s->cone->aref[r]));
        if (tac_cone_penalty_tie(&law, c->x + block->row, tie_tolerance * terms)) return 1;
    }
    return 0;
}

static tacResult solve_island(coneSolve* c, int warm, tacReal* a, tacConeReport* report) {
    double residual, scale = 0.0;
    int iterations;
    tacResult result = tac_cone_factor_mass(&c->island);
    if (result != TAC_OK) return result;
    choose_start(c, warm, a);
    result = descend(c, &iterations, &residual, &scale);
    if (result != TAC_OK) return result;
#ifdef TAC_NUMBER_COMPLEX
    // real parts are settled: a full step settles their derivatives
    if (newton_direction(c) == TAC_OK) move_along_step(c, 1.0);
#endif
    for (int i = 0; i < c->island.n; ++i) a[c->island.dof[i]] = c->a[i];
    if (iterations > report->iterations) report->iterations = iterations;
    report->residual = hypot(report->residual, residual);
    report->scale = hypot(report->scale, scale);
    report->cost += tac_re(eval_cost(c));
    if (has_tie(c)) report->flags |= TAC_TIE;
    return residual <= accepted_residual * scale ? TAC_OK : TAC_ERROR_UNSOLVED;
}

//---------------------------------- all islands ----------------------------------

static coneSolve island_solve(const tacCone* cone, const coneMemory* m, int island) {
    return (coneSolve){.island = tac_cone_island(cone, m, island),
                       .a = m->a,
                       .step = m->step,
                       .M_error = m->M_error,
                       .M_step = m->M_step,
                       .g = m->g,
                       .trial = m->trial,
                       .x = m->x,
                       .x_step = m->x_step,
                       .f = m->f};
}

tacResult tac_cone_solve(const tacCone* cone, int warm, tacReal* a, tacConeReport* report,
                         void* memory) {
    tacConeReport local;
    if (!report) report = &local;
    *report = (tacConeReport){0};
    if (!a || !memory || tac_cone_check(cone) != TAC_OK) return TAC_ERROR_VALUE;
    for (int i = 0; warm && i < cone->nv; ++i)
        if (!isfinite(tac_re(a[i]))) return TAC_ERROR_VALUE;
    tacArena arena = tac_arena_over(memory);
    coneMemory m = tac_cone_memory(cone, &arena);
    tac_cone_find_islands(cone, &m);
    report->islands = m.islands;
    tacResult worst = TAC_OK;
    for (int i = 0; i < m.islands; ++i) {
        coneSolve c = island_solve(cone, &m, i);
        tacResult result = solve_island(&c, warm, a, report);
        if (result == TAC_ERROR_VALUE) return result;
        if (result != TAC_OK) worst = result;
    }
    return worst;
}

tacResult tac_cone_force(const tacCone* cone, const tacReal* a, tacReal* f) {
    if (!a || !f || tac_cone_check(cone) != TAC_OK) return TAC_ERROR_VALUE;
    for (int b = 0; b < cone->blocks; ++b) {
        const tacConeBlock* block = &cone->block[b];
        const int* column = cone->column + block->column;
        const tacReal* J = cone->J + block->entry;
        conePenalty law = tac_cone_penalty(cone, block);
        for (int r = block->row; r < block->row + block->rows; ++r, J += block->columns) {
            f[r] = -cone->aref[r];
            for (int k = 0; k < block->columns; ++k) f[r] += J[k] * a[column[k]];
        }
        // row by row, or with copies of x inside: f may stand where x was
        tac_cone_penalty_force(&law, f + block->row, f + block->row);
    }
    return TAC_OK;
}
