// Boxes around what planes leave: thin discs against their corners, and solids without an end.

#include "shape/bounds/planes.h"
#include "test.h"

enum { MOST = 64 };

static unsigned long long state = 88172645463325252ull;

static double random_uniform(double low, double high) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (high - low) * (double)(state >> 11) * 0x1p-53;
}

// a frame thrown by dice: its columns are unit vectors at right angles
static void random_frame(double R[3][3]) {
    double q[4], n = 0.0;
    for (int k = 0; k < 4; ++k) {
        q[k] = random_uniform(-1.0, 1.0);
        n += q[k] * q[k];
    }
    double w = q[0], x = q[1], y = q[2], z = q[3], s = 2.0 / n;
    double turn[3][3] = {{1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                         {s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)},
                         {s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)}};
    memcpy(R, turn, sizeof turn);
}

// a regular disc of `sides` sides around its inner circle, with the box of its corners
typedef struct disc {
    int sides;
    double size, thickness, middle[3], R[3][3];
    double plane[4 * (MOST + 2)], lower[3], upper[3];
} disc;

static void add_plane(disc* d, int i, const double local[3], double offset) {
    double* n = &d->plane[4 * i];
    n[3] = -offset;
    for (int k = 0; k < 3; ++k) {
        n[k] = d->R[k][0] * local[0] + d->R[k][1] * local[1] + d->R[k][2] * local[2];
        n[3] -= n[k] * d->middle[k];
    }
}

static void add_corner(disc* d, const double local[3]) {
    for (int k = 0; k < 3; ++k) {
        double x = d->middle[k] + d->R[k][0] * local[0] + d->R[k][1] * local[1];
        x += d->R[k][2] * local[2];
        d->lower[k] = fmin(d->lower[k], x);
        d->upper[k] = fmax(d->upper[k], x);
    }
}

static void make_disc(disc* d) {
    double step = 2.0 * acos(-1.0) / d->sides, corner = d->size / cos(0.5 * step);
    for (int k = 0; k < 3; ++k) {
        d->lower[k] = INFINITY;
        d->upper[k] = -INFINITY;
    }
    for (int i = 0; i < d->sides; ++i) {
        double t = step * (i + 0.3), end = t + 0.5 * step;
        add_plane(d, i, (double[3]){cos(t), sin(t), 0.0}, d->size);
        for (int side = -1; side <= 1; side += 2)
            add_corner(
                d, (double[3]){corner * cos(end), corner * sin(end), 0.5 * side * d->thickness});
    }
    for (int side = 0; side < 2; ++side)
        add_plane(d, d->sides + side, (double[3]){0.0, 0.0, side ? 1.0 : -1.0}, 0.5 * d->thickness);
}

static int thin_discs_are_bounded(void) {
    for (int round = 0; round < 3000; ++round) {
        disc d = {.sides = 3 + (int)random_uniform(0.0, MOST - 2),
                  .size = pow(10.0, random_uniform(-3.0, 3.0))};
        d.thickness = d.size * pow(10.0, random_uniform(-7.0, 0.0));
        for (int k = 0; k < 3 && round % 2; ++k)
            d.middle[k] = 10.0 * d.size * random_uniform(-1.0, 1.0);
        random_frame(d.R);
        make_disc(&d);
        double lower[3], upper[3];
        ENSURE(tac_planes_box(d.plane, d.sides + 2, 0.0, lower, upper));
        for (int k = 0; k < 3; ++k) {
            ENSURE(fabs(lower[k] - d.lower[k]) < 1e-10 * d.size);
            ENSURE(fabs(upper[k] - d.upper[k]) < 1e-10 * d.size);
        }
    }
    return 0;
}

static int discs_without_a_lid_are_unbounded(void) {
    for (int round = 0; round < 500; ++round) {
        disc d = {.sides = 3 + (int)random_uniform(0.0, MOST - 2), .size = 1.0, .thickness = 1e-3};
        random_frame(d.R);
        make_disc(&d);
        double lower[3], upper[3];
        ENSURE(!tac_planes_box(d.plane, d.sides + 1, 0.0, lower, upper));
    }
    return 0;
}

TEST_MAIN(RUN(thin_discs_are_bounded), RUN(discs_without_a_lid_are_unbounded))
