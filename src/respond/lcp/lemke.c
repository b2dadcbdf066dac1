// Lemke's method with lexicographic pivots on the frictional problem.
//
//   w = q + M z >= 0,  z >= 0,  w z = 0;  per contact  z = (f_n; beta+, beta-, lambda a tangent)
//   w_n = a_n,  w_beta = lambda +- a_t,  w_lambda = mu f_n - beta+ - beta-,  f_t = beta+ - beta-
//
// M is copositive, and for b = J w the path cannot end on a ray (docs/lcp.md, eq. (6)). The tableau
// holds all columns: w, z, the artificial z0, and the right side.

#include "respond/lcp/lemke.h"

#include "base/arena.h"
#include "base/assert.h"

#include <math.h>

// the scaled problem is of order 1
static const double zero_tolerance = 1e-14, smallest_pivot = 1e-9;

// Ratios this near are equal. Noise taken for an order leaves the lexicographic path, and a path
// left ends on a ray; the first width lost none of the problems that 1e-11 lost.
static const double ties[] = {1e-7, 1e-6, 1e-9, 1e-8, 1e-11};

typedef struct lemke {
    const tacLcp* lcp;
    int rows, stride;            // of the problem, of one contact in it
    int n, unknowns_per_contact; // unknowns, unknowns of a contact
    int width;                   // of the tableau, 2 n + 2
    double* T;
    double* unit; // force of 1 in the scaled problem, per contact
    double speed; // velocity of 1, times `unit`
    double tie;   // ratios this near are equal
    int* basis;   // variable of each tableau row: w 0.., z n.., z0 2 n
} lemke;

static int unknowns_of_contact(int tangents) { return 1 + 3 * tangents; }

static lemke alloc_lemke(const tacLcp* lcp, tacArena* arena) {
    int stride = 1 + lcp->tangents, unknowns = unknowns_of_contact(lcp->tangents);
    int n = lcp->contacts * unknowns, width = 2 * n + 2;
    return (lemke){.lcp = lcp,
                   .rows = lcp->contacts * stride,
                   .stride = stride,
                   .n = n,
                   .unknowns_per_contact = unknowns,
                   .width = width,
                   .T = TAC_ALLOC(arena, double, (size_t)n*(size_t)width),
                   .unit = TAC_ALLOC(arena, double, lcp->contacts),
                   .basis = TAC_ALLOC(arena, int, n)};
}

size_t tac_lemke_size(int contacts, int tangents) {
    tacArena dry = tac_arena_measure(1);
    alloc_lemke(&(tacLcp){.contacts = contacts, .tangents = tangents}, &dry);
    return dry.peak;
}

//---------------------------------- the tableau ----------------------------------

// One unit per contact, so that friction couples as before: the largest diagonal becomes 1.
static void find_contact_units(lemke* s) {
    s->speed = 0.0;
    for (int c = 0; c < s->lcp->contacts; ++c) {
        double most = 0.0;
        for (int i = c * s->stride; i < (c + 1) * s->stride; ++i) {
            most = fmax(most, s->lcp->A[(size_t)i * (size_t)(s->rows + 1)]);
        }
        s->unit[c] = most > 0.0 ? 1.0 / sqrt(most) : 1.0;
        for (int i = c * s->stride; i < (c + 1) * s->stride; ++i) {
            s->speed = fmax(s->speed, fabs(s->lcp->b[i]) * s->unit[c]);
        }
    }
    if (s->speed == 0.0) s->speed = 1.0;
}

// unknown of row i: of a normal f_n, of a tangent beta+
static int unknown_index(const lemke* s, int i) {
    int part = i % s->stride;
    return i / s->stride * s->unknowns_per_contact + (part ? 3 * part - 2 : 0);
}

// one row of w - M z = q with sign +1 or -1 for a tangent's beta+ and beta-
static void fill_velocity(lemke* s, int i, int sign, double* row) {
    double own = s->unit[i / s->stride];
    for (int j = 0; j < s->rows; ++j) {
        int z = s->n + unknown_index(s, j);
        double a = sign * own * s->unit[j / s->stride] * s->lcp->A[(size_t)i * (size_t)s->rows + j];
        row[z] = -a;
        if (j % s->stride) row[z + 1] = a;
    }
    row[s->width - 1] = sign * own * s->lcp->b[i] / s->speed;
}

static void fill_tangent(lemke* s, int i) {
    int u = unknown_index(s, i), lambda = u + 2, normal = i / s->stride * s->unknowns_per_contact;
    double* row = s->T + (size_t)u * (size_t)s->width;
    fill_velocity(s, i, 1, row);
    row[s->n + lambda] = -1.0;
    row += s->width;
    fill_velocity(s, i, -1, row);
    row[s->n + lambda] = -1.0;
    row += s->width;
    row[s->n + normal] = -s->lcp->mu[i / s->stride];
    row[s->n + u] = row[s->n + u + 1] = 1.0;
}

// a covering vector between 1 and 2; each attempt has its own
static double covering_entry(int attempt, int i) {
    double x = 0.6180339887498949 * attempt * (i + 1);
    return attempt ? 1.0 + x - floor(x) : 1.0;
}

static void fill_tableau(lemke* s, int attempt) {
    for (size_t i = 0; i < (size_t)s->n * (size_t)s->width; ++i) s->T[i] = 0.0;
    for (int i = 0; i < s->rows; ++i) {
        if (i % s->stride)
            fill_tangent(s, i);
        else {
            int u = unknown_index(s, i);
            fill_velocity(s, i, 1, s->T + (size_t)u * (size_t)s->width);
        }
    }
    for (int i = 0; i < s->n; ++i) {
        double* row = s->T + (size_t)i * (size_t)s->width;
        row[i] = 1.0;
        row[2 * s->n] = -covering_entry(attempt, i);
        s->basis[i] = i;
    }
}

//---------------------------------- pivots ----------------------------------

// is (right side, inverse basis)/pivot of row i before that of row j in the lexicographic order?
static int is_lexicographically_less(const lemke* s, int i, int j, int column) {
    const double *a = s->T + (size_t)i * (size_t)s->width, *b = s->T + (size_t)j * (size_t)s->width;
    for (int k = -1; k < s->n; ++k) {
        int c = k < 0 ? s->width - 1 : k;
        double x = a[c] / a[column], y = b[c] / b[column];
        if (fabs(x - y) > s->tie * (1.0 + fabs(x))) return x < y;
        // the artificial variable leaves as soon as it can
        if (k < 0 && s->basis[i] == 2 * s->n) return 1;
        if (k < 0 && s->basis[j] == 2 * s->n) return 0;
    }
    return 0;
}

// row whose variable leaves when that of the column enters; -1: a ray
static int leaving_row(const lemke* s, int column) {
    int best = -1;
    for (int i = 0; i < s->n; ++i) {
        if (s->T[(size_t)i * (size_t)s->width + (size_t)column] <= smallest_pivot) continue;
        if (best < 0 || is_lexicographically_less(s, i, best, column)) best = i;
    }
    return best;
}

// row that the artificial variable enters at: then all others stay positive; -1: none is needed
static int first_leaving_row(const lemke* s) {
    int best = -1;
    double least = 0.0;
    for (int i = 0; i < s->n; ++i) {
        const double* row = s->T + (size_t)i * (size_t)s->width;
        double x = row[s->width - 1] / -row[2 * s->n];
        // the last of equal ones: minus the unit vector is the lexicographic least there
        if (x < 0.0 && x <= least) {
            best = i;
            least = x;
        }
    }
    return best;
}

static void pivot_tableau(lemke* s, int r, int column) {
    double* pivot_row = s->T + (size_t)r * (size_t)s->width;
    double scale = 1.0 / pivot_row[column];
    for (int c = 0; c < s->width; ++c) pivot_row[c] *= scale;
    pivot_row[column] = 1.0;
    for (int i = 0; i < s->n; ++i) {
        double *row = s->T + (size_t)i * (size_t)s->width, factor = row[column];
        if (i == r || factor == 0.0) continue;
        for (int c = 0; c < s->width; ++c) {
            double x = row[c] - factor * pivot_row[c];
            row[c] = fabs(x) < zero_tolerance ? 0.0 : x;
        }
        row[column] = 0.0;
    }
    s->basis[r] = column;
}

// a path may be long, but its time is bounded
static int max_pivots(const lemke* s) {
    double least = 1e8 / ((double)s->n * s->width);
    return (int)fmin(50.0 * s->n + 50.0, fmax(least, 3.0 * s->n));
}

// follows the path until the artificial variable is out
static int follow_path(lemke* s, int* passes) {
    int r = first_leaving_row(s), column = 2 * s->n;
    for (int limit = max_pivots(s); r >= 0 && limit > 0; --limit) {
        int out = s->basis[r];
        pivot_tableau(s, r, column);
        ++*passes;
        if (out == 2 * s->n) return 1;
        column = out < s->n ? out + s->n : out - s->n;
        r = leaving_row(s, column);
        if (r < 0) return 0;
    }
    return r < 0;
}

//---------------------------------- the answer ----------------------------------

// a pair of beta and lambda in the basis says what the tangent does
static tacLcpStatus tangent_status(const int* in) {
    if (in[0] && in[1]) return TAC_LCP_TIGHT;
    if (in[2]) return in[1] ? TAC_LCP_LOWER : TAC_LCP_UPPER;
    return in[0] || in[1] ? TAC_LCP_TIGHT : TAC_LCP_OFF;
}

static void read_answer(const lemke* s, double* f, unsigned char* active_set) {
    for (int i = 0; i < s->rows; ++i) {
        int u = unknown_index(s, i), count = i % s->stride ? 3 : 1, in[3] = {0};
        double z[3] = {0.0};
        for (int r = 0; r < s->n; ++r) {
            int k = s->basis[r] - s->n - u;
            if (k < 0 || k >= count || s->basis[r] == 2 * s->n) continue;
            in[k] = 1;
            z[k] = s->T[(size_t)r * (size_t)s->width + (size_t)(s->width - 1)];
        }
        double force = count == 3 ? z[0] - z[1] : z[0];
        f[i] = force * s->unit[i / s->stride] * s->speed;
        active_set[i] = (unsigned char)(count == 3 ? tangent_status(in)
                                        : in[0]    ? TAC_LCP_TIGHT
                                                   : TAC_LCP_OFF);
        if (count == 3 && active_set[i - i % s->stride] == TAC_LCP_OFF) active_set[i] = TAC_LCP_OFF;
    }
}

int tac_lemke(const tacLcp* lcp, int attempt, double* f, unsigned char* active_set, int* passes,
              void* memory) {
    tacArena arena = tac_arena_over(memory);
    lemke s = alloc_lemke(lcp, &arena);
    s.tie = ties[attempt % TAC_COUNT(ties)];
    find_contact_units(&s);
    fill_tableau(&s, attempt);
    if (!follow_path(&s, passes)) return 0;
    read_answer(&s, f, active_set);
    return 1;
}
