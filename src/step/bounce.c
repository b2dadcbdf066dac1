// The share of restitution that adds no energy, and its derivatives.
//
//   strike.c --f, u with and without restitution--> [this file] --f, u--> strike.c

#include "step/strike.h"

#include <math.h>
#include <string.h>

// of the terms of the energy: rounding of a gain; the border between gain and loss
static const double rounding = 1e-13, border = 1e-10;

enum { ARRAYS = 14 }; // of tacBounce, of numbers

tacBounce tac_bounce_take(int nv, tacArena* arena) {
    tacBounce b = {.island = TAC_TAKE(arena, int, nv + 1)};
    double** const each[ARRAYS] = {
        &b.still,  &b.slope,  &b.curve,   &b.size,    &b.push,        &b.by_s,        &b.mean,
        &b.change, &b.turned, &b.part[0], &b.part[1], &b.momentum[0], &b.momentum[1], &b.slip};
    for (int i = 0; i < ARRAYS; ++i) *each[i] = TAC_TAKE(arena, double, nv + 1);
    return b;
}

size_t tac_bounce_size(int nv) {
    size_t n = (size_t)nv + 1;
    return tac_arena_need(sizeof(int) * n) + ARRAYS * tac_arena_need(sizeof(double) * n);
}

//---------------------------------- islands ----------------------------------

static int root_of(const int* island, int k) {
    while (island[k] != k) k = island[k];
    return k;
}

static void join(int* island, int a, int b) {
    int x = root_of(island, a), y = root_of(island, b);
    island[x > y ? x : y] = x > y ? y : x;
}

// the first degree of freedom that a group moves, or -1
static int first_moved(const tacStrike* s, int g) {
    int nv = s->scene->nv, size = 1 + s->tangents;
    const double* J = s->J + (size_t)(g * size) * (size_t)nv;
    for (int i = 0; i < size * nv; ++i)
        if (J[i] != 0.0) return i % nv;
    return -1;
}

// what a group moves hangs together
static void join_group(tacStrike* s, int g) {
    int nv = s->scene->nv, size = 1 + s->tangents, first = first_moved(s, g);
    const double* J = s->J + (size_t)(g * size) * (size_t)nv;
    for (int i = 0; i < size * nv && first >= 0; ++i)
        if (J[i] != 0.0) join(s->bounce.island, first, i % nv);
}

static void find_islands(tacStrike* s) {
    int nv = s->scene->nv, *island = s->bounce.island;
    for (int k = 0; k < nv; ++k) {
        int parent = s->scene->dof[k].parent;
        island[k] = parent < 0 ? k : island[parent];
    }
    for (int g = 0; g < s->groups; ++g) join_group(s, g);
    for (int k = 0; k < nv; ++k) island[k] = island[island[k]]; // of a root: itself
}

//---------------------------------- energy ----------------------------------

static double dot(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// adds sum over rows of p . J x / 2 to the islands; J' p = M (u - v)
static void add_work(const tacStrike* s, const double* p, const double* x, double* work) {
    int nv = s->scene->nv, size = 1 + s->tangents;
    for (int g = 0; g < s->groups; ++g) {
        int first = first_moved(s, g);
        for (int i = g * size; i < (g + 1) * size && first >= 0; ++i)
            work[s->bounce.island[first]] += 0.5 * p[i] * dot(nv, s->J + (size_t)i * (size_t)nv, x);
    }
}

// size of the terms [J], of impulses [N s], and of what friction and equalities do [m/s]
static void add_sizes(tacStrike* s, const tacStrikeNote* note) {
    int nv = s->scene->nv, size = 1 + s->tangents;
    for (int i = 0; i < s->rows; ++i) {
        int first = first_moved(s, i / size);
        const double* J = s->J + (size_t)i * (size_t)nv;
        if (first < 0) continue;
        int island = s->bounce.island[first];
        double speed = fabs(dot(nv, J, note->v)) + fabs(dot(nv, J, note->u)), f = fabs(note->f[i]);
        s->bounce.size[island] += 0.5 * f * speed;
        s->bounce.push[island] += f;
        int held = s->group[i / size].kind == TAC_GROUP_EQUALITY;
        if (i % size || held) s->bounce.slip[island] += s->A[(size_t)i * (size_t)(s->rows + 1)] * f;
    }
}

static void clear(double* x, int n) { memset(x, 0, sizeof *x * (size_t)n); }

int tac_bounce_gains(tacStrike* s, tacStrikeNote* note) {
    tacBounce* b = &s->bounce;
    int nv = s->scene->nv, gains = 0;
    find_islands(s);
    clear(b->still, nv);
    clear(b->size, nv);
    clear(b->push, nv);
    clear(b->slip, nv);
    for (int k = 0; k < nv; ++k) b->mean[k] = note->u[k] + note->v[k];
    add_work(s, note->f, b->mean, b->still);
    add_sizes(s, note);
    for (int k = 0; k < nv; ++k) {
        double unsure = fmax(rounding * b->size[k], note->residual * b->push[k]);
        gains |= b->still[k] > unsure;
        // without friction an elastic blow keeps its energy, and no neighbour gains any
        int near = fabs(b->still[k]) < border * b->size[k];
        if (near && b->slip[k] > border) note->flags |= TAC_TIE;
    }
    return gains;
}

// gain by s of each island
static void find_gains(tacStrike* s, const tacStrikeNote* note) {
    const tacStrikePart *soft = &note->part[0], *full = &note->part[1];
    tacBounce* b = &s->bounce;
    int nv = s->scene->nv;
    double* d = s->b_dot; // (rows)
    clear(b->still, nv);
    clear(b->slope, nv);
    clear(b->curve, nv);
    for (int i = 0; i < s->rows; ++i) d[i] = full->f[i] - soft->f[i];
    for (int k = 0; k < nv; ++k) b->mean[k] = soft->u[k] + note->v[k];
    add_work(s, soft->f, b->mean, b->still);
    for (int k = 0; k < nv; ++k) b->mean[k] = 2.0 * soft->u[k];
    add_work(s, d, b->mean, b->slope);
    for (int k = 0; k < nv; ++k) b->change[k] = full->u[k] - soft->u[k];
    add_work(s, d, b->change, b->curve);
}

// The largest s <= 1 at which a convex parabola that is not above 0 at 0 is not above it.
static double largest_share(double still, double slope, double curve) {
    if (still + slope + curve <= 0.0) return 1.0;
    if (still >= 0.0) return 0.0;
    double root = sqrt(slope * slope - 4.0 * curve * still);
    double s = slope > 0.0 ? -2.0 * still / (slope + root) : (root - slope) / (2.0 * curve);
    return fmin(s, 1.0);
}

void tac_bounce_bound(tacStrike* s, tacStrikeNote* note) {
    const tacStrikePart *soft = &note->part[0], *full = &note->part[1];
    tacBounce* b = &s->bounce;
    int nv = s->scene->nv, size = 1 + s->tangents;
    find_gains(s, note);
    for (int k = 0; k < nv; ++k) {
        int i = b->island[k];
        note->share[k] = largest_share(b->still[i], b->slope[i], b->curve[i]);
        if (note->share[k] < 1.0) note->u[k] = soft->u[k] + note->share[k] * b->change[k];
    }
    for (int i = 0; i < s->rows; ++i) {
        int first = first_moved(s, i / size);
        double share = first < 0 ? 1.0 : note->share[first];
        if (share < 1.0) note->f[i] = soft->f[i] + share * (full->f[i] - soft->f[i]);
    }
}

//---------------------------------- derivatives ----------------------------------

// M x, or derivatives of it: nothing but masses acts
static void multiply_mass(tacStrike* s, const double* x, double* y) {
    tacFlow* f = &s->flow[1];
    f->m.wrench = NULL;
    f->m.qacc = x;
    f->k->inverse(f->model, &f->m, y);
}

void tac_bounce_ready(tacStrike* s, const tacStrikeNote* note) {
    tacBounce* b = &s->bounce;
    int nv = s->scene->nv;
    find_islands(s);
    find_gains(s, note);
    for (int k = 0; k < nv; ++k) {
        double share = note->share[k], by_s = b->slope[k] + 2.0 * share * b->curve[k];
        b->by_s[k] = share > 0.0 && share < 1.0 ? by_s : INFINITY;
    }
    for (int k = 0; k < nv; ++k) {
        b->mean[k] = 0.5 * (note->u[k] + note->v[k]);
        b->change[k] = note->u[k] - note->v[k];
    }
    multiply_mass(s, note->v, b->momentum[0]);
    multiply_mass(s, note->u, b->momentum[1]);
}

// the parts have left the flow with their own impulses
static void look_at_change(tacStrike* s) {
    tacFlow* f = &s->flow[1];
    multiply_mass(s, s->bounce.change, s->bounce.turned);
    f->k->coriolis(f->model, &f->m);
}

// 2 gain = (u + v)' M (u - v), so d gain = Mu . du - Mv . dv + (u + v)/2 . dM (u - v)
void tac_bounce_jvp(tacStrike* s, const tacStrikeNote* note, const tacStrikeDot* d,
                    tacReal* u_dot) {
    tacBounce* b = &s->bounce;
    tacFlow* f = &s->flow[1];
    int nv = s->scene->nv;
    tacMotionDot m = {.dq = d->q, .theta = d->theta};
    double* gain = b->still;
    look_at_change(s);
    f->k->inverse_jvp(f->model, &f->m, &m, b->turned);
    clear(gain, nv);
    for (int k = 0; k < nv; ++k) {
        u_dot[k] = b->part[0][k] + note->share[k] * (b->part[1][k] - b->part[0][k]);
        gain[b->island[k]] +=
            b->momentum[1][k] * u_dot[k] - b->momentum[0][k] * d->v[k] + b->mean[k] * b->turned[k];
    }
    for (int k = 0; k < nv; ++k) {
        int i = b->island[k];
        u_dot[k] -= gain[i] / b->by_s[i] * (note->part[1].u[k] - note->part[0].u[k]);
    }
}

void tac_bounce_vjp(tacStrike* s, const tacStrikeNote* note, const tacReal* u_bar,
                    tacStrikeDot* bar) {
    tacBounce* b = &s->bounce;
    tacFlow* f = &s->flow[1];
    int nv = s->scene->nv;
    double* gain_bar = b->still;
    clear(gain_bar, nv);
    for (int k = 0; k < nv; ++k) {
        int i = b->island[k];
        gain_bar[i] -= u_bar[k] * (note->part[1].u[k] - note->part[0].u[k]) / b->by_s[i];
    }
    look_at_change(s);
    for (int k = 0; k < nv; ++k) {
        double g = gain_bar[b->island[k]], u = u_bar[k] + g * b->momentum[1][k];
        b->part[0][k] = (1.0 - note->share[k]) * u;
        b->part[1][k] = note->share[k] * u;
        bar->v[k] -= g * b->momentum[0][k];
        b->turned[k] = g * b->mean[k];
    }
    tacMotionDot m = {.dq = bar->q, .theta = bar->theta};
    f->k->inverse_vjp(f->model, &f->m, b->turned, &m);
}
