// Frictional problems of rigid bodies: A = J M^-1 J', b = J w, for any number of contacts.

#ifndef TACTUS_TEST_LCP_PROBLEM_H
#define TACTUS_TEST_LCP_PROBLEM_H

#include "tactus/lcp.h"
#include "test.h"

#include <stdlib.h>

// a test of larger problems says so before
#ifndef LCP_MOST_CONTACTS
#define LCP_MOST_CONTACTS 64
#define LCP_MOST_BODIES   16
#endif

enum { LCP_CONTACTS = LCP_MOST_CONTACTS, LCP_ROWS = 3 * LCP_CONTACTS };
enum { LCP_SPEEDS = 6 * LCP_MOST_BODIES };

typedef struct lcpProblem {
    tacLcp lcp;
    int contacts, tangents, rows, speeds; // speeds: of all bodies
    double A[LCP_ROWS * LCP_ROWS], b[LCP_ROWS], mu[LCP_CONTACTS];
    double J[LCP_ROWS * LCP_SPEEDS], inverse_mass[LCP_SPEEDS], w[LCP_SPEEDS];
    double f[LCP_ROWS];
    unsigned char active_set[LCP_ROWS];
} lcpProblem;

static void cross3(const double* a, const double* b, double* out) {
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static void unit3(double* a) {
    double n = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; ++i) a[i] /= n;
}

// a row for direction d at an arm from the body's centre, with a sign
static void lcp_side(lcpProblem* p, int row, int body, double sign, const double* d,
                     const double* arm) {
    double turn[3], *J = p->J + row * p->speeds + 6 * body;
    cross3(arm, d, turn);
    for (int i = 0; i < 3; ++i) {
        J[i] += sign * d[i];
        J[3 + i] += sign * turn[i];
    }
}

// adds a contact between body[0] (-1: the world) and body[1], which the normal points to
static void lcp_contact(lcpProblem* p, const int body[2], double arm[2][3], const double* normal,
                        double mu) {
    double d[3][3] = {{normal[0], normal[1], normal[2]}};
    double other[3] = {fabs(normal[0]) < 0.7, fabs(normal[0]) >= 0.7, 0.0};
    cross3(normal, other, d[1]);
    unit3(d[1]);
    cross3(normal, d[1], d[2]);
    for (int t = 0; t <= p->tangents; ++t, ++p->rows) {
        memset(p->J + p->rows * p->speeds, 0, sizeof(double) * (size_t)p->speeds);
        for (int side = 0; side < 2; ++side) {
            if (body[side] >= 0)
                lcp_side(p, p->rows, body[side], side ? 1.0 : -1.0, d[t], arm[side]);
        }
    }
    p->mu[p->contacts++] = mu;
}

static lcpProblem* lcp_begin(int bodies, int tangents) {
    lcpProblem* p = calloc(1, sizeof *p);
    p->speeds = 6 * bodies;
    p->tangents = tangents;
    return p;
}

static void lcp_finish(lcpProblem* p) {
    for (int i = 0; i < p->rows; ++i) {
        const double* a = p->J + i * p->speeds;
        p->b[i] = 0.0;
        for (int k = 0; k < p->speeds; ++k) p->b[i] += a[k] * p->w[k];
        for (int j = 0; j < p->rows; ++j) {
            double sum = 0.0;
            for (int k = 0; k < p->speeds; ++k) {
                sum += a[k] * p->inverse_mass[k] * p->J[j * p->speeds + k];
            }
            p->A[i * p->rows + j] = sum;
        }
    }
    p->lcp = (tacLcp){p->contacts, p->tangents, p->A, p->b, p->mu};
}

static void lcp_random_bodies(lcpProblem* p, testRandom* random) {
    for (int k = 0; k < p->speeds; ++k) p->w[k] = test_uniform(random, -1.0, 1.0);
    for (int body = 0; body < p->speeds / 6; ++body) {
        double mass = exp(test_uniform(random, -2.0, 2.0));
        for (int k = 0; k < 6; ++k) {
            double inertia = k < 3 ? mass : mass * test_uniform(random, 0.1, 0.4);
            p->inverse_mass[6 * body + k] = 1.0 / inertia;
        }
    }
}

// the generated family: 1-16 contacts on 1-3 bodies, mu 0-2, half of them coplanar, a quarter of
// the contacts a copy of the one before
static lcpProblem* lcp_random(unsigned long long seed) {
    testRandom random = {seed * 0x9e3779b97f4a7c15ull + 1};
    int bodies = 1 + (int)(test_bits(&random) % 3), count = 1 + (int)(test_bits(&random) % 16);
    lcpProblem* p = lcp_begin(bodies, 1 + (int)(test_bits(&random) % 2));
    int body[2] = {-1, 0}, coplanar = (int)(test_bits(&random) % 2);
    double arm[2][3] = {{0.0}}, normal[3] = {0.0, 0.0, 1.0}, mu = 0.0;
    lcp_random_bodies(p, &random);
    for (int c = 0; c < count; ++c) {
        if (!c || test_bits(&random) % 4) {
            body[1] = (int)(test_bits(&random) % (unsigned)bodies);
            body[0] = (int)(test_bits(&random) % (unsigned)(bodies + 1)) - 1;
            if (body[0] == body[1]) body[0] = -1;
            for (int i = 0; i < 6; ++i) arm[i / 3][i % 3] = test_uniform(&random, -1.0, 1.0);
            if (coplanar) {
                arm[0][2] = 0.5;
                arm[1][2] = -0.5;
            }
            for (int i = 0; !coplanar && i < 3; ++i) normal[i] = test_uniform(&random, -1.0, 1.0);
            unit3(normal);
            mu = test_bits(&random) % 8 ? test_uniform(&random, 0.0, 2.0) : 0.0;
        }
        lcp_contact(p, body, arm, normal, mu);
    }
    lcp_finish(p);
    return p;
}

#endif
