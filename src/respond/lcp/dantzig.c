// Dantzig's method with friction bounds that follow the normal impulses.
//
//   normals first, then tangents: change f_k by +-1 while all tight rows keep a = 0,
//   until a_k = 0 or f_k is at its bound; rows change their status on the way
//
// docs/lcp.md, eq. (9) and (10).

#include "respond/lcp/dantzig.h"

#include "base/arena.h"
#include "respond/lcp/active_set_factor.h"

#include <math.h>
#include <string.h>

// of the scale: speeds and impulses this small are zero, and rates of them
static const double zero_tolerance = 1e-12, rate_tolerance = 1e-9;

typedef struct dantzig {
    tacLcp lcp;       // with frozen bounds mu is 0: what slides keeps its impulse
    const double* mu; // of the problem
    tacFrictionBounds bounds;
    int rows, stride;
    double *f, *a, *df, *da, *bound; // bound: frozen ones (rows)
    double* zero_mu;                 // zeros in place of mu (contacts)
    unsigned char *active_set, *entered, *seen;
    void* memory;
    double speed, force;           // scales of a and f
    double speed_rate, force_rate; // of da and df: rates below a trace of these are zero
} dantzig;

typedef struct dantzigEvent {
    double step;
    int row;
    tacLcpStatus to, from;
} dantzigEvent;

static int normal_row(const dantzig* s, int row) { return row - row % s->stride; }

// largest friction of a tangent, and its rate while a row is driven
static double friction_bound(const dantzig* s, int row) {
    if (s->bounds == TAC_BOUNDS_FROZEN) return s->bound[row];
    return s->mu[row / s->stride] * fmax(s->f[normal_row(s, row)], 0.0);
}

static double friction_bound_rate(const dantzig* s, int row) {
    return s->bounds == TAC_BOUNDS_COUPLED ? s->mu[row / s->stride] * s->df[normal_row(s, row)]
                                           : 0.0;
}

//---------------------------------- events ----------------------------------

// x >= 0 goes down to 0 at a rate, if that is more than noise. Of events at once the first row's
// holds.
static void offer_event(dantzigEvent* first, double x, double rate, double noise, int row,
                        tacLcpStatus to) {
    if (!(rate < -noise)) return;
    double step = fmax(-x / rate, 0.0);
    if (step < first->step) *first = (dantzigEvent){step, row, to, to};
}

// f_t reaches +bound or -bound, both of which move
static void offer_bound_events(const dantzig* s, int i, dantzigEvent* first) {
    double b = friction_bound(s, i), rate = friction_bound_rate(s, i),
           noise = rate_tolerance * s->force_rate;
    offer_event(first, b - s->f[i], rate - s->df[i], noise, i, TAC_LCP_UPPER);
    offer_event(first, b + s->f[i], rate + s->df[i], noise, i, TAC_LCP_LOWER);
}

// where a row that has entered changes its status
static void offer_row_events(const dantzig* s, int i, dantzigEvent* first) {
    int is_normal = i == normal_row(s, i);
    double noise = rate_tolerance * s->speed_rate;
    if (!is_normal && s->mu[i / s->stride] == 0.0) return;
    switch (s->active_set[i]) {
    case TAC_LCP_OFF:
        if (is_normal) offer_event(first, s->a[i], s->da[i], noise, i, TAC_LCP_TIGHT);
        break;
    case TAC_LCP_TIGHT:
        if (is_normal)
            offer_event(first, s->f[i], s->df[i], rate_tolerance * s->force_rate, i, TAC_LCP_OFF);
        else
            offer_bound_events(s, i, first);
        break;
    case TAC_LCP_UPPER:
        offer_event(first, -s->a[i], -s->da[i], noise, i, TAC_LCP_TIGHT);
        break;
    default:
        offer_event(first, s->a[i], s->da[i], noise, i, TAC_LCP_TIGHT);
        break;
    }
}

// the row that is driven arrives: at a = 0, or at the bound that its speed calls for
static void offer_driven_events(const dantzig* s, int k, dantzigEvent* first) {
    double side = s->a[k] > 0.0 ? 1.0 : -1.0;
    offer_event(first, side * s->a[k], side * s->da[k], rate_tolerance * s->speed_rate, k,
                TAC_LCP_TIGHT);
    if (k == normal_row(s, k)) return;
    offer_event(first, friction_bound(s, k) + side * s->f[k],
                friction_bound_rate(s, k) + side * s->df[k], rate_tolerance * s->force_rate, k,
                side > 0.0 ? TAC_LCP_LOWER : TAC_LCP_UPPER);
}

//---------------------------------- pivots ----------------------------------

// a tangent slides by the sign of its speed, or is inactive where the contact opens
static void set_sliding_status(dantzig* s, int t) {
    double tiny = zero_tolerance * s->speed, a = s->a[t];
    if (s->active_set[normal_row(s, t)] == TAC_LCP_OFF) {
        s->active_set[t] = TAC_LCP_OFF;
        s->f[t] = 0.0;
    } else if (s->mu[t / s->stride] == 0.0)
        s->active_set[t] = TAC_LCP_UPPER;
    else
        s->active_set[t] = a < -tiny ? TAC_LCP_UPPER : a > tiny ? TAC_LCP_LOWER : TAC_LCP_TIGHT;
}

static void apply_event(dantzig* s, const dantzigEvent* e) {
    s->active_set[e->row] = (unsigned char)e->to;
    if (e->row == normal_row(s, e->row)) {
        if (e->to == TAC_LCP_OFF) s->f[e->row] = 0.0;
        for (int t = e->row + 1; t < e->row + s->stride; ++t) {
            if (s->entered[t] && s->bounds != TAC_BOUNDS_FROZEN) set_sliding_status(s, t);
        }
    }
}

// directions df, da while f_k changes by `sign`
static void find_direction(dantzig* s, int k, double sign) {
    const double* A = s->lcp.A + (size_t)k * (size_t)s->rows;
    tacActiveSetFactor factor = tac_active_set_factor(&s->lcp, s->active_set, s->memory);
    for (int i = 0; i < s->rows; ++i) s->da[i] = sign * A[i];
    tac_active_set_solve(&factor, s->da, s->df);
    tac_active_set_refine(&factor, s->da, s->df);
    s->df[k] = sign;
    tac_lcp_velocity(&s->lcp, NULL, s->df, s->da);
    s->speed_rate = s->force_rate = 0.0;
    for (int i = 0; i < s->rows; ++i) {
        s->speed_rate = fmax(s->speed_rate, fabs(s->da[i]));
        s->force_rate = fmax(s->force_rate, fabs(s->df[i]));
    }
}

static void take_step(dantzig* s, double step) {
    for (int i = 0; i < s->rows; ++i) {
        s->f[i] += step * s->df[i];
        s->a[i] += step * s->da[i];
    }
}

// active sets repeat without progress: it cycles
static int is_cycling(dantzig* s, int pivots, double step) {
    int same =
        memcmp(s->seen, s->active_set, (size_t)s->rows) == 0 && step <= zero_tolerance * s->force;
    if ((pivots & (pivots - 1)) == 0) memcpy(s->seen, s->active_set, (size_t)s->rows);
    return same && pivots > 1;
}

// Does the row that has just changed its status go on in the new one?
static int path_continues(const dantzig* s, const dantzigEvent* last) {
    int i = last->row;
    if (i < 0 || s->bounds != TAC_BOUNDS_COUPLED) return 1;
    switch (last->to) {
    case TAC_LCP_OFF:
    case TAC_LCP_LOWER:
        return s->da[i] >= -rate_tolerance * s->speed_rate;
    case TAC_LCP_UPPER:
        return s->da[i] <= rate_tolerance * s->speed_rate;
    default:
        break;
    }
    double noise = rate_tolerance * s->force_rate;
    if (i == normal_row(s, i)) return s->df[i] >= -noise;
    return last->from == TAC_LCP_UPPER ? friction_bound_rate(s, i) - s->df[i] >= -noise
                                       : friction_bound_rate(s, i) + s->df[i] >= -noise;
}

static void reverse_direction(dantzig* s) {
    for (int i = 0; i < s->rows; ++i) {
        s->df[i] = -s->df[i];
        s->da[i] = -s->da[i];
    }
}

// The path along which all rows but k keep their law. Where it cannot go on with f_k growing it
// turns, and f_k shrinks for a while.
static int drive_row(dantzig* s, int k, int* pivots, int limit) {
    double sign = s->a[k] > 0.0 ? -1.0 : 1.0;
    dantzigEvent last = {0.0, -1, TAC_LCP_OFF, TAC_LCP_OFF};
    while (*pivots < limit) {
        dantzigEvent first = {INFINITY, -1, TAC_LCP_OFF, TAC_LCP_OFF};
        ++*pivots;
        find_direction(s, k, sign);
        if (!path_continues(s, &last)) {
            reverse_direction(s);
            sign = -sign;
        }
        offer_driven_events(s, k, &first);
        for (int i = 0; i < s->rows; ++i) {
            if (s->entered[i] && i != k) offer_row_events(s, i, &first);
        }
        if (first.row < 0 || is_cycling(s, *pivots, first.step)) return 0;
        first.from = (tacLcpStatus)s->active_set[first.row];
        last = first;
        take_step(s, first.step);
        apply_event(s, &first);
        if (first.row == k) return 1;
    }
    return 0;
}

//---------------------------------- rows in order ----------------------------------

static int enter_row(dantzig* s, int k, int* pivots, int limit) {
    double tiny = zero_tolerance * s->speed;
    int is_normal = k == normal_row(s, k), done = 1;
    s->active_set[k] = TAC_LCP_OFF;
    if (!is_normal && friction_bound(s, k) <= 0.0)
        set_sliding_status(s, k);
    else if (is_normal ? s->a[k] < -tiny : fabs(s->a[k]) > tiny)
        done = drive_row(s, k, pivots, limit);
    else if (!is_normal)
        s->active_set[k] = TAC_LCP_TIGHT;
    s->entered[k] = 1;
    return done;
}

static dantzig alloc_dantzig(const tacLcp* lcp, tacArena* arena) {
    int stride = 1 + lcp->tangents, rows = lcp->contacts * stride;
    size_t factor = tac_active_set_factor_size(lcp->contacts, lcp->tangents);
    return (dantzig){.lcp = *lcp,
                     .mu = lcp->mu,
                     .rows = rows,
                     .stride = stride,
                     .a = TAC_ALLOC(arena, double, rows),
                     .df = TAC_ALLOC(arena, double, rows),
                     .da = TAC_ALLOC(arena, double, rows),
                     .bound = TAC_ALLOC(arena, double, rows),
                     .zero_mu = TAC_ALLOC(arena, double, lcp->contacts),
                     .entered = TAC_ALLOC(arena, unsigned char, rows),
                     .seen = TAC_ALLOC(arena, unsigned char, rows),
                     .memory = tac_arena_alloc(arena, factor)};
}

size_t tac_dantzig_size(int contacts, int tangents) {
    tacArena dry = tac_arena_measure(1);
    alloc_dantzig(&(tacLcp){.contacts = contacts, .tangents = tangents}, &dry);
    return dry.peak;
}

static dantzig begin_dantzig(const tacLcp* lcp, tacFrictionBounds bounds, double* f,
                             unsigned char* active_set, void* memory) {
    tacArena arena = tac_arena_over(memory);
    dantzig s = alloc_dantzig(lcp, &arena);
    s.bounds = bounds;
    s.f = f;
    s.active_set = active_set;
    for (int i = 0; i < lcp->contacts; ++i) s.zero_mu[i] = 0.0;
    for (int i = 0; i < s.rows; ++i) {
        f[i] = 0.0;
        s.a[i] = lcp->b[i];
        s.entered[i] = 0;
        s.active_set[i] = TAC_LCP_OFF;
        s.speed = fmax(s.speed, fabs(lcp->b[i]));
        s.force = fmax(s.force, fabs(lcp->b[i]) / tac_lcp_diagonal(lcp, i));
    }
    if (bounds == TAC_BOUNDS_FROZEN) s.lcp.mu = s.zero_mu;
    return s;
}

// Takes the rounding of the way out where there is some. Frozen impulses stay as they are.
static void polish_impulses(dantzig* s) {
    double residual = 0.0;
    tac_lcp_velocity(&s->lcp, s->lcp.b, s->f, s->a);
    for (int i = 0; i < s->rows; ++i) {
        if (s->active_set[i] == TAC_LCP_TIGHT) residual = fmax(residual, fabs(s->a[i]));
    }
    if (s->bounds == TAC_BOUNDS_FROZEN) return;
    if (s->bounds == TAC_BOUNDS_COUPLED && residual <= zero_tolerance * s->speed) return;
    tacActiveSetFactor factor = tac_active_set_factor(&s->lcp, s->active_set, s->memory);
    if (s->bounds == TAC_BOUNDS_STALE) tac_active_set_solve(&factor, s->lcp.b, s->f);
    for (int i = 0; i < factor.n; ++i) factor.z[i] = s->f[factor.tight[i]];
    for (int pass = 0; pass < 2; ++pass) tac_active_set_refine(&factor, s->lcp.b, s->f);
}

int tac_dantzig(const tacLcp* lcp, tacFrictionBounds bounds, double* f, unsigned char* active_set,
                int* passes, void* memory) {
    dantzig s = begin_dantzig(lcp, bounds, f, active_set, memory);
    int pivots = 0, limit = 20 * s.rows + 20, done = 1;
    for (int k = 0; k < s.rows && done; k += s.stride) done = enter_row(&s, k, &pivots, limit);
    for (int k = 0; k < s.rows; ++k) {
        s.bound[k] = k % s.stride ? s.mu[k / s.stride] * fmax(f[normal_row(&s, k)], 0.0) : 0.0;
    }
    for (int k = 0; k < s.rows && done; ++k) {
        if (k % s.stride) done = enter_row(&s, k, &pivots, limit);
    }
    *passes += pivots;
    if (done) polish_impulses(&s);
    return done;
}
