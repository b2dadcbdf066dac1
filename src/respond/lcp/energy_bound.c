// The share of restitution that adds no energy, and its derivatives.
//
//   contact_solve.c --f, u with and without restitution--> [this file] --f, u--> contact_solve.c

#include "respond/lcp/contact_solve.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

// of the terms of the energy: rounding of a gain; the border between gain and loss
static const double rounding = 1e-13, energy_tie = 1e-10;

tacEnergyBound tac_energy_bound_alloc(int nv, tacArena* arena) {
    tacEnergyBound b = {.island = TAC_ALLOC(arena, int, nv)};
    double** const each[] = {&b.gain0,       &b.gain1,        &b.gain2,     &b.size,
                             &b.impulse,     &b.by_s,         &b.mean,      &b.change,
                             &b.mass_change, &b.branch[0],    &b.branch[1], &b.momentum[0],
                             &b.momentum[1], &b.friction_work};
    for (size_t i = 0; i < sizeof each / sizeof each[0]; ++i)
        *each[i] = TAC_ALLOC(arena, double, nv);
    return b;
}

//---------------------------------- islands ----------------------------------

static int island_root(const int* island, int k) {
    while (island[k] != k) k = island[k];
    return k;
}

static void join_islands(int* island, int a, int b) {
    int x = island_root(island, a), y = island_root(island, b);
    island[x > y ? x : y] = x > y ? y : x;
}

// the first degree of freedom that a constraint moves, or -1
static int first_moved_dof(const tacContactSolve* s, int g) {
    int nv = s->scene->nv, size = 1 + s->problem.tangents;
    const double* J = s->problem.J + (size_t)(g * size) * (size_t)nv;
    for (int i = 0; i < size * nv; ++i)
        if (J[i] != 0.0) return i % nv;
    return -1;
}

// degrees of freedom of a constraint are in one island
static void join_constraint(tacContactSolve* s, int g) {
    int nv = s->scene->nv, size = 1 + s->problem.tangents, first = first_moved_dof(s, g);
    const double* J = s->problem.J + (size_t)(g * size) * (size_t)nv;
    for (int i = 0; i < size * nv && first >= 0; ++i)
        if (J[i] != 0.0) join_islands(s->energy_bound.island, first, i % nv);
}

static void find_dof_islands(tacContactSolve* s) {
    int nv = s->scene->nv, *island = s->energy_bound.island;
    for (int k = 0; k < nv; ++k) {
        int parent = s->scene->dof[k].parent;
        island[k] = parent < 0 ? k : island[parent];
    }
    for (int g = 0; g < s->problem.constraints; ++g) join_constraint(s, g);
    for (int k = 0; k < nv; ++k) island[k] = island[island[k]]; // of a root: itself
}

//---------------------------------- energy ----------------------------------

// adds sum over rows of p . J x / 2 to the islands; J' p = M (u - v)
static void add_island_work(const tacContactSolve* s, const double* p, const double* x,
                            double* work) {
    int nv = s->scene->nv, size = 1 + s->problem.tangents;
    for (int g = 0; g < s->problem.constraints; ++g) {
        int first = first_moved_dof(s, g);
        for (int i = g * size; i < (g + 1) * size && first >= 0; ++i)
            work[s->energy_bound.island[first]] +=
                0.5 * p[i] * tac_dense_dot(nv, s->problem.J + (size_t)i * (size_t)nv, x);
    }
}

// size of the terms [J], of impulses [N s], and of what friction and equalities do [m/s]
static void add_island_scales(tacContactSolve* s, const tacSolveRecord* record) {
    const tacContactProblem* p = &s->problem;
    int nv = s->scene->nv, size = 1 + p->tangents;
    for (int i = 0; i < p->rows; ++i) {
        int first = first_moved_dof(s, i / size);
        const double* J = p->J + (size_t)i * (size_t)nv;
        if (first < 0) continue;
        int island = s->energy_bound.island[first];
        double speed =
                   fabs(tac_dense_dot(nv, J, record->v)) + fabs(tac_dense_dot(nv, J, record->u)),
               f = fabs(record->f[i]);
        s->energy_bound.size[island] += 0.5 * f * speed;
        s->energy_bound.impulse[island] += f;
        int is_equality = p->constraint[i / size].kind == TAC_CONSTRAINT_EQUALITY;
        if (i % size || is_equality)
            s->energy_bound.friction_work[island] += p->A[(size_t)i * (size_t)(p->rows + 1)] * f;
    }
}

static void clear_reals(double* x, int n) { memset(x, 0, sizeof *x * (size_t)n); }

int tac_energy_bound_gains(tacContactSolve* s, tacSolveRecord* record) {
    tacEnergyBound* b = &s->energy_bound;
    int nv = s->scene->nv, gains = 0;
    find_dof_islands(s);
    clear_reals(b->gain0, nv);
    clear_reals(b->size, nv);
    clear_reals(b->impulse, nv);
    clear_reals(b->friction_work, nv);
    for (int k = 0; k < nv; ++k) b->mean[k] = record->u[k] + record->v[k];
    add_island_work(s, record->f, b->mean, b->gain0);
    add_island_scales(s, record);
    for (int k = 0; k < nv; ++k) {
        double unsure = fmax(rounding * b->size[k], record->residual * b->impulse[k]);
        gains |= b->gain0[k] > unsure;
        // without friction an elastic impact keeps its energy, and no neighbouring one gains any
        int near = fabs(b->gain0[k]) < energy_tie * b->size[k];
        if (near && b->friction_work[k] > energy_tie) record->flags |= TAC_TIE;
    }
    return gains;
}

// gain by s of each island
static void find_gains(tacContactSolve* s, const tacSolveRecord* record) {
    const tacSolveBranch *plain = &record->branch[0], *restituted = &record->branch[1];
    tacEnergyBound* b = &s->energy_bound;
    int nv = s->scene->nv;
    double* d = s->work.b_dot; // (rows)
    clear_reals(b->gain0, nv);
    clear_reals(b->gain1, nv);
    clear_reals(b->gain2, nv);
    for (int i = 0; i < s->problem.rows; ++i) d[i] = restituted->f[i] - plain->f[i];
    for (int k = 0; k < nv; ++k) b->mean[k] = plain->u[k] + record->v[k];
    add_island_work(s, plain->f, b->mean, b->gain0);
    for (int k = 0; k < nv; ++k) b->mean[k] = 2.0 * plain->u[k];
    add_island_work(s, d, b->mean, b->gain1);
    for (int k = 0; k < nv; ++k) b->change[k] = restituted->u[k] - plain->u[k];
    add_island_work(s, d, b->change, b->gain2);
}

// The largest s <= 1 at which a convex parabola that is not above 0 at 0 is not above it.
static double largest_restitution_share(double gain0, double gain1, double gain2) {
    if (gain0 + gain1 + gain2 <= 0.0) return 1.0;
    if (gain0 >= 0.0) return 0.0;
    double root = sqrt(gain1 * gain1 - 4.0 * gain2 * gain0);
    double s = gain1 > 0.0 ? -2.0 * gain0 / (gain1 + root) : (root - gain1) / (2.0 * gain2);
    return fmin(s, 1.0);
}

void tac_energy_bound_apply(tacContactSolve* s, tacSolveRecord* record) {
    const tacSolveBranch *plain = &record->branch[0], *restituted = &record->branch[1];
    tacEnergyBound* b = &s->energy_bound;
    int nv = s->scene->nv, size = 1 + s->problem.tangents;
    find_gains(s, record);
    for (int k = 0; k < nv; ++k) {
        int i = b->island[k];
        record->restitution_share[k] =
            largest_restitution_share(b->gain0[i], b->gain1[i], b->gain2[i]);
        if (record->restitution_share[k] < 1.0)
            record->u[k] = plain->u[k] + record->restitution_share[k] * b->change[k];
    }
    for (int i = 0; i < s->problem.rows; ++i) {
        int first = first_moved_dof(s, i / size);
        double restitution_share = first < 0 ? 1.0 : record->restitution_share[first];
        if (restitution_share < 1.0)
            record->f[i] = plain->f[i] + restitution_share * (restituted->f[i] - plain->f[i]);
    }
}

//---------------------------------- derivatives ----------------------------------

// M x, or derivatives of it: nothing but masses acts
static void multiply_mass(tacContactSolve* s, const double* x, double* y) {
    tacFreeDynamics* f = &s->dynamics.free[1];
    f->m.wrench = NULL;
    f->m.qacc = x;
    f->k->inverse(f->model, &f->m, y);
}

void tac_energy_bound_prepare_diff(tacContactSolve* s, const tacSolveRecord* record) {
    tacEnergyBound* b = &s->energy_bound;
    int nv = s->scene->nv;
    find_dof_islands(s);
    find_gains(s, record);
    for (int k = 0; k < nv; ++k) {
        double restitution_share = record->restitution_share[k],
               by_s = b->gain1[k] + 2.0 * restitution_share * b->gain2[k];
        b->by_s[k] = restitution_share > 0.0 && restitution_share < 1.0 ? by_s : INFINITY;
    }
    for (int k = 0; k < nv; ++k) {
        b->mean[k] = 0.5 * (record->u[k] + record->v[k]);
        b->change[k] = record->u[k] - record->v[k];
    }
    multiply_mass(s, record->v, b->momentum[0]);
    multiply_mass(s, record->u, b->momentum[1]);
}

// the branches have left their own impulses in the dynamics
static void mass_times_change(tacContactSolve* s) {
    tacFreeDynamics* f = &s->dynamics.free[1];
    multiply_mass(s, s->energy_bound.change, s->energy_bound.mass_change);
    f->k->coriolis(f->model, &f->m);
}

// 2 gain = (u + v)' M (u - v), so d gain = Mu . du - Mv . dv + (u + v)/2 . dM (u - v)
void tac_energy_bound_jvp(tacContactSolve* s, const tacSolveRecord* record,
                          const tacContactSolveDot* d, tacReal* u_dot) {
    tacEnergyBound* b = &s->energy_bound;
    tacFreeDynamics* f = &s->dynamics.free[1];
    int nv = s->scene->nv;
    tacMotionDot m = {.dq = d->q, .theta = d->theta};
    double* gain = b->gain0;
    mass_times_change(s);
    f->k->inverse_jvp(f->model, &f->m, &m, b->mass_change);
    clear_reals(gain, nv);
    for (int k = 0; k < nv; ++k) {
        u_dot[k] =
            b->branch[0][k] + record->restitution_share[k] * (b->branch[1][k] - b->branch[0][k]);
        gain[b->island[k]] += b->momentum[1][k] * u_dot[k] - b->momentum[0][k] * d->v[k] +
                              b->mean[k] * b->mass_change[k];
    }
    for (int k = 0; k < nv; ++k) {
        int i = b->island[k];
        u_dot[k] -= gain[i] / b->by_s[i] * (record->branch[1].u[k] - record->branch[0].u[k]);
    }
}

void tac_energy_bound_vjp(tacContactSolve* s, const tacSolveRecord* record, const tacReal* u_bar,
                          tacContactSolveDot* bar) {
    tacEnergyBound* b = &s->energy_bound;
    tacFreeDynamics* f = &s->dynamics.free[1];
    int nv = s->scene->nv;
    double* gain_bar = b->gain0;
    clear_reals(gain_bar, nv);
    for (int k = 0; k < nv; ++k) {
        int i = b->island[k];
        gain_bar[i] -= u_bar[k] * (record->branch[1].u[k] - record->branch[0].u[k]) / b->by_s[i];
    }
    mass_times_change(s);
    for (int k = 0; k < nv; ++k) {
        double g = gain_bar[b->island[k]], u = u_bar[k] + g * b->momentum[1][k];
        b->branch[0][k] = (1.0 - record->restitution_share[k]) * u;
        b->branch[1][k] = record->restitution_share[k] * u;
        bar->v[k] -= g * b->momentum[0][k];
        b->mass_change[k] = g * b->mean[k];
    }
    tacMotionDot m = {.dq = bar->q, .theta = bar->theta};
    f->k->inverse_vjp(f->model, &f->m, b->mass_change, &m);
}
