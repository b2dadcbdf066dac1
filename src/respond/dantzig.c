// Dantzig's method with bounds that follow the normal impulses.
//
//   normals first, then tangents: drive f_k by +-1, all tight rows keep a = 0,
//   until a_k = 0, or f_k meets its bound; on the way rows change their classes
//
// docs/lcp.md, eq. (9) and (10).

#include "respond/dantzig.h"

#include "respond/class_factor.h"

#include <math.h>
#include <string.h>

// of the scale: speeds and impulses this small are zero, and rates of them
static const double nothing = 1e-12, trace = 1e-9;

typedef struct dantzig {
    tacLcp lcp;       // with frozen bounds mu is 0: what slides keeps its impulse
    const double* mu; // of the problem
    tacBounds bounds;
    int rows, group;
    double *f, *a, *df, *da, *bound; // bound: frozen ones (rows)
    double* none;                    // zeros in place of mu (contacts)
    unsigned char *classes, *entered, *seen;
    void* memory;
    double speed, force;           // scales of a and f
    double speed_rate, force_rate; // of da and df: rates below a trace of these are zero
} dantzig;

typedef struct event {
    double step;
    int row;
    tacLcpClass to, from;
} event;

size_t tac_dantzig_size(int contacts, int tangents) {
    size_t rows = (size_t)contacts * (size_t)(1 + tangents);
    size_t factor = (tac_class_factor_size(contacts, tangents) + 7) / 8 * 8;
    return factor + (4 * rows + (size_t)contacts) * sizeof(double) + 2 * rows;
}

static int normal_of(const dantzig* s, int row) { return row - row % s->group; }

// largest friction of a tangent, and its rate while a row is driven
static double bound_of(const dantzig* s, int row) {
    if (s->bounds == TAC_BOUNDS_FROZEN) return s->bound[row];
    return s->mu[row / s->group] * fmax(s->f[normal_of(s, row)], 0.0);
}

static double bound_rate(const dantzig* s, int row) {
    return s->bounds == TAC_BOUNDS_COUPLED ? s->mu[row / s->group] * s->df[normal_of(s, row)] : 0.0;
}

//---------------------------------- events ----------------------------------

// x >= 0 goes down to 0 at a rate, if that is more than noise. Of events at once the first row's
// holds.
static void note(event* first, double x, double rate, double noise, int row, tacLcpClass to) {
    if (!(rate < -noise)) return;
    double step = fmax(-x / rate, 0.0);
    if (step < first->step) *first = (event){step, row, to, to};
}

// f_t meets +bound or -bound, both of which move
static void note_bounds(const dantzig* s, int i, event* first) {
    double b = bound_of(s, i), rate = bound_rate(s, i), noise = trace * s->force_rate;
    note(first, b - s->f[i], rate - s->df[i], noise, i, TAC_LCP_HIGH);
    note(first, b + s->f[i], rate + s->df[i], noise, i, TAC_LCP_LOW);
}

// where a row that has entered leaves its class
static void note_row(const dantzig* s, int i, event* first) {
    int is_normal = i == normal_of(s, i);
    double noise = trace * s->speed_rate;
    if (!is_normal && s->mu[i / s->group] == 0.0) return;
    switch (s->classes[i]) {
    case TAC_LCP_OFF:
        if (is_normal) note(first, s->a[i], s->da[i], noise, i, TAC_LCP_TIGHT);
        break;
    case TAC_LCP_TIGHT:
        if (is_normal)
            note(first, s->f[i], s->df[i], trace * s->force_rate, i, TAC_LCP_OFF);
        else
            note_bounds(s, i, first);
        break;
    case TAC_LCP_HIGH:
        note(first, -s->a[i], -s->da[i], noise, i, TAC_LCP_TIGHT);
        break;
    default:
        note(first, s->a[i], s->da[i], noise, i, TAC_LCP_TIGHT);
        break;
    }
}

// the row that is driven arrives: at a = 0, or at the bound that its speed calls for
static void note_driven(const dantzig* s, int k, event* first) {
    double side = s->a[k] > 0.0 ? 1.0 : -1.0;
    note(first, side * s->a[k], side * s->da[k], trace * s->speed_rate, k, TAC_LCP_TIGHT);
    if (k == normal_of(s, k)) return;
    note(first, bound_of(s, k) + side * s->f[k], bound_rate(s, k) + side * s->df[k],
         trace * s->force_rate, k, side > 0.0 ? TAC_LCP_LOW : TAC_LCP_HIGH);
}

//---------------------------------- pivots ----------------------------------

// a tangent slides by the sign of its speed, or does nothing where the contact parts
static void settle(dantzig* s, int t) {
    double tiny = nothing * s->speed, a = s->a[t];
    if (s->classes[normal_of(s, t)] == TAC_LCP_OFF) {
        s->classes[t] = TAC_LCP_OFF;
        s->f[t] = 0.0;
    } else if (s->mu[t / s->group] == 0.0)
        s->classes[t] = TAC_LCP_HIGH;
    else
        s->classes[t] = a < -tiny ? TAC_LCP_HIGH : a > tiny ? TAC_LCP_LOW : TAC_LCP_TIGHT;
}

static void change(dantzig* s, const event* e) {
    s->classes[e->row] = (unsigned char)e->to;
    if (e->row == normal_of(s, e->row)) {
        if (e->to == TAC_LCP_OFF) s->f[e->row] = 0.0;
        for (int t = e->row + 1; t < e->row + s->group; ++t) {
            if (s->entered[t] && s->bounds != TAC_BOUNDS_FROZEN) settle(s, t);
        }
    }
}

// directions df, da while f_k changes by `sign`
static void find_direction(dantzig* s, int k, double sign) {
    const double* A = s->lcp.A + (size_t)k * (size_t)s->rows;
    tacClassFactor factor = tac_class_factor(&s->lcp, s->classes, s->memory);
    for (int i = 0; i < s->rows; ++i) s->da[i] = sign * A[i];
    tac_class_solve(&factor, s->da, s->df);
    tac_class_refine(&factor, s->da, s->df);
    s->df[k] = sign;
    tac_lcp_velocity(&s->lcp, NULL, s->df, s->da);
    s->speed_rate = s->force_rate = 0.0;
    for (int i = 0; i < s->rows; ++i) {
        s->speed_rate = fmax(s->speed_rate, fabs(s->da[i]));
        s->force_rate = fmax(s->force_rate, fabs(s->df[i]));
    }
}

static void move(dantzig* s, double step) {
    for (int i = 0; i < s->rows; ++i) {
        s->f[i] += step * s->df[i];
        s->a[i] += step * s->da[i];
    }
}

// the classes come back after a while without progress: it circles
static int circles(dantzig* s, int pivots, double step) {
    int same = memcmp(s->seen, s->classes, (size_t)s->rows) == 0 && step <= nothing * s->force;
    if ((pivots & (pivots - 1)) == 0) memcpy(s->seen, s->classes, (size_t)s->rows);
    return same && pivots > 1;
}

// Does the row that has just changed its class go on into the new one?
static int goes_on(const dantzig* s, const event* last) {
    int i = last->row;
    if (i < 0 || s->bounds != TAC_BOUNDS_COUPLED) return 1;
    switch (last->to) {
    case TAC_LCP_OFF:
    case TAC_LCP_LOW:
        return s->da[i] >= -trace * s->speed_rate;
    case TAC_LCP_HIGH:
        return s->da[i] <= trace * s->speed_rate;
    default:
        break;
    }
    double noise = trace * s->force_rate;
    if (i == normal_of(s, i)) return s->df[i] >= -noise;
    return last->from == TAC_LCP_HIGH ? bound_rate(s, i) - s->df[i] >= -noise
                                      : bound_rate(s, i) + s->df[i] >= -noise;
}

static void reverse(dantzig* s) {
    for (int i = 0; i < s->rows; ++i) {
        s->df[i] = -s->df[i];
        s->da[i] = -s->da[i];
    }
}

// The path along which all rows but k keep their law. Where it cannot go on with f_k growing it
// turns, and f_k shrinks for a while.
static int drive(dantzig* s, int k, int* pivots, int limit) {
    double sign = s->a[k] > 0.0 ? -1.0 : 1.0;
    event last = {0.0, -1, TAC_LCP_OFF, TAC_LCP_OFF};
    while (*pivots < limit) {
        event first = {INFINITY, -1, TAC_LCP_OFF, TAC_LCP_OFF};
        ++*pivots;
        find_direction(s, k, sign);
        if (!goes_on(s, &last)) {
            reverse(s);
            sign = -sign;
        }
        note_driven(s, k, &first);
        for (int i = 0; i < s->rows; ++i) {
            if (s->entered[i] && i != k) note_row(s, i, &first);
        }
        if (first.row < 0 || circles(s, *pivots, first.step)) return 0;
        first.from = (tacLcpClass)s->classes[first.row];
        last = first;
        move(s, first.step);
        change(s, &first);
        if (first.row == k) return 1;
    }
    return 0;
}

//---------------------------------- rows in order ----------------------------------

static int enter(dantzig* s, int k, int* pivots, int limit) {
    double tiny = nothing * s->speed;
    int is_normal = k == normal_of(s, k), done = 1;
    s->classes[k] = TAC_LCP_OFF;
    if (!is_normal && bound_of(s, k) <= 0.0)
        settle(s, k);
    else if (is_normal ? s->a[k] < -tiny : fabs(s->a[k]) > tiny)
        done = drive(s, k, pivots, limit);
    else if (!is_normal)
        s->classes[k] = TAC_LCP_TIGHT;
    s->entered[k] = 1;
    return done;
}

static dantzig dantzig_of(const tacLcp* lcp, tacBounds bounds, double* f, unsigned char* classes,
                          void* memory) {
    int group = 1 + lcp->tangents, rows = lcp->contacts * group;
    dantzig s = {
        .lcp = *lcp, .mu = lcp->mu, .bounds = bounds, .rows = rows, .group = group, .f = f};
    size_t factor = (tac_class_factor_size(lcp->contacts, lcp->tangents) + 7) / 8 * 8;
    s.a = (double*)((char*)memory + factor);
    s.df = s.a + rows;
    s.da = s.df + rows;
    s.bound = s.da + rows;
    s.none = s.bound + rows;
    s.entered = (unsigned char*)(s.none + lcp->contacts);
    s.seen = s.entered + rows;
    s.classes = classes;
    s.memory = memory;
    for (int i = 0; i < lcp->contacts; ++i) s.none[i] = 0.0;
    for (int i = 0; i < rows; ++i) {
        f[i] = 0.0;
        s.a[i] = lcp->b[i];
        s.entered[i] = 0;
        s.classes[i] = TAC_LCP_OFF;
        s.speed = fmax(s.speed, fabs(lcp->b[i]));
        s.force = fmax(s.force, fabs(lcp->b[i]) / tac_lcp_weight(lcp, i));
    }
    if (bounds == TAC_BOUNDS_FROZEN) s.lcp.mu = s.none;
    return s;
}

// Takes the rounding of the way out where there is some. Frozen impulses stay as they are.
static void finish(dantzig* s) {
    double rest = 0.0;
    tac_lcp_velocity(&s->lcp, s->lcp.b, s->f, s->a);
    for (int i = 0; i < s->rows; ++i) {
        if (s->classes[i] == TAC_LCP_TIGHT) rest = fmax(rest, fabs(s->a[i]));
    }
    if (s->bounds == TAC_BOUNDS_FROZEN) return;
    if (s->bounds == TAC_BOUNDS_COUPLED && rest <= nothing * s->speed) return;
    tacClassFactor factor = tac_class_factor(&s->lcp, s->classes, s->memory);
    if (s->bounds == TAC_BOUNDS_STALE) tac_class_solve(&factor, s->lcp.b, s->f);
    for (int i = 0; i < factor.n; ++i) factor.z[i] = s->f[factor.tight[i]];
    for (int pass = 0; pass < 2; ++pass) tac_class_refine(&factor, s->lcp.b, s->f);
}

int tac_dantzig(const tacLcp* lcp, tacBounds bounds, double* f, unsigned char* classes, int* passes,
                void* memory) {
    dantzig s = dantzig_of(lcp, bounds, f, classes, memory);
    int pivots = 0, limit = 20 * s.rows + 20, done = 1;
    for (int k = 0; k < s.rows && done; k += s.group) done = enter(&s, k, &pivots, limit);
    for (int k = 0; k < s.rows; ++k) {
        s.bound[k] = k % s.group ? s.mu[k / s.group] * fmax(f[normal_of(&s, k)], 0.0) : 0.0;
    }
    for (int k = 0; k < s.rows && done; ++k) {
        if (k % s.group) done = enter(&s, k, &pivots, limit);
    }
    *passes += pivots;
    if (done) finish(&s);
    return done;
}
