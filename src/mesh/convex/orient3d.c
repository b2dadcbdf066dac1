// Signs of volumes in three steps, each only if the one before is uncertain:
//
//   double          error <= 8 2^-53 times the sum of absolute products
//   double-double   error <= 2^-96 times that sum
//   exact           expansions of doubles that do not overlap
//
// Floating-point contraction is off, so that the error terms below are exact.

#include "mesh/convex/orient3d.h"

#include <math.h>

//---------------------------------- double ---------------------------------------

tacOrient3d tac_orient3d_plane(const double* a, const double* b, const double* c) {
    tacOrient3d plane = {.a = a, .b = b, .c = c};
    double u[3], v[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        plane.normal[k] = u[l] * v[m] - u[m] * v[l];
        plane.bound[k] = 8.0 * 0x1p-53 * (fabs(u[l] * v[m]) + fabs(u[m] * v[l]));
    }
    return plane;
}

//---------------------------------- exact pairs ----------------------------------

typedef struct doubleDouble {
    double high, low; // high + low, low at most half an ulp of high
} doubleDouble;

static doubleDouble two_sum(double a, double b) {
    double s = a + b, t = s - a;
    return (doubleDouble){s, (a - (s - t)) + (b - t)};
}

static doubleDouble two_product(double a, double b) {
    double p = a * b;
    return (doubleDouble){p, fma(a, b, -p)};
}

//---------------------------------- double-double --------------------------------

static doubleDouble dd_add(doubleDouble a, doubleDouble b) {
    doubleDouble s = two_sum(a.high, b.high);
    return two_sum(s.high, s.low + (a.low + b.low));
}

static doubleDouble dd_multiply(doubleDouble a, doubleDouble b) {
    doubleDouble p = two_product(a.high, b.high);
    return two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static doubleDouble dd_negate(doubleDouble a) { return (doubleDouble){-a.high, -a.low}; }

// differences to the first point, exact as pairs
typedef struct edges {
    doubleDouble u[3], v[3], w[3];
} edges;

static doubleDouble volume_dd(const edges* e) {
    doubleDouble total = {0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        doubleDouble minor =
            dd_add(dd_multiply(e->u[l], e->v[m]), dd_negate(dd_multiply(e->u[m], e->v[l])));
        total = dd_add(total, dd_multiply(minor, e->w[k]));
    }
    return total;
}

//---------------------------------- exact sums -----------------------------------

// Sum of `count` doubles that do not overlap, smallest first, none of them 0.
typedef struct exactSum {
    int count;
    double term[192];
} exactSum;

static void exact_add(exactSum* total, double value) {
    int kept = 0;
    for (int i = 0; i < total->count; ++i) {
        doubleDouble s = two_sum(value, total->term[i]);
        value = s.high;
        if (s.low != 0.0) total->term[kept++] = s.low;
    }
    if (value != 0.0) total->term[kept++] = value;
    total->count = kept;
}

static void exact_add_product(exactSum* total, double a, double b) {
    doubleDouble p = two_product(a, b);
    exact_add(total, p.low);
    exact_add(total, p.high);
}

// total += sign a b c, without rounding
static void exact_add_triple(exactSum* total, doubleDouble a, doubleDouble b, doubleDouble c,
                             double sign) {
    exactSum ab = {0};
    exact_add_product(&ab, a.low, b.low);
    exact_add_product(&ab, a.low, b.high);
    exact_add_product(&ab, a.high, b.low);
    exact_add_product(&ab, a.high, b.high);
    for (int i = 0; i < ab.count; ++i) {
        exact_add_product(total, sign * ab.term[i], c.low);
        exact_add_product(total, sign * ab.term[i], c.high);
    }
}

static double volume_exact(const edges* e) {
    exactSum total = {0};
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        exact_add_triple(&total, e->u[l], e->v[m], e->w[k], 1.0);
        exact_add_triple(&total, e->u[m], e->v[l], e->w[k], -1.0);
    }
    return total.count ? total.term[total.count - 1] : 0.0;
}

//---------------------------------- robust sign ----------------------------------

static double orient_robust(const tacOrient3d* plane, const double* p, double bound) {
    edges e;
    for (int k = 0; k < 3; ++k) {
        e.u[k] = two_sum(plane->b[k], -plane->a[k]);
        e.v[k] = two_sum(plane->c[k], -plane->a[k]);
        e.w[k] = two_sum(p[k], -plane->a[k]);
    }
    doubleDouble volume = volume_dd(&e);
    if (fabs(volume.high) > 0x1p-46 * bound) return volume.high;
    return volume_exact(&e);
}

double tac_orient3d(const tacOrient3d* plane, const double* p) {
    double volume = 0.0, bound = 0.0;
    for (int k = 0; k < 3; ++k) {
        double w = p[k] - plane->a[k];
        volume += w * plane->normal[k];
        bound += fabs(w) * plane->bound[k];
    }
    if (fabs(volume) > bound) return volume;
    return orient_robust(plane, p, bound);
}
