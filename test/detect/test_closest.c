// Laws of nearest points to rounding: no direction has a wider gap, and the features that were
// found explain the distance and its derivative.

#include "detect/closest.h"

#include "detect/corner.h"
#include "detect/random_piece.h"

static int sweep(int few, int some) { return getenv("TACTUS_NO_SWEEP") ? few : some; }

static int nearest(const tacConvex* a, const tacConvex* b, tacNearest* out, tacPatchPair* touch) {
    static void* memory;
    double axis[3] = {0.0};
    if (!memory) memory = malloc(tac_gjk_size());
    *touch = (tacPatchPair){.pair = 0};
    return tac_closest(a, b, axis, out, touch, memory);
}

// directions around the normal, from far to very near
static double widest_beside(testRandom* random, const tacConvex* a, const tacConvex* b,
                            const double n[3]) {
    double widest = -INFINITY;
    for (int i = 0; i < 40; ++i) {
        double d[3], r = pow(10.0, test_uniform(random, -7.0, 0.0));
        for (int k = 0; k < 3; ++k) d[k] = n[k] + r * test_uniform(random, -1.0, 1.0);
        double length = tac_length3(d);
        for (int k = 0; k < 3; ++k) d[k] /= length;
        widest = fmax(widest, tac_convex_gap(a, b, d));
    }
    return widest;
}

static int widest_gap(void) {
    testRandom random = {5};
    int count = sweep(2000, 20000), known = 0, apart = 0;
    for (int trial = 0; trial < count; ++trial) {
        int kind[2] = {trial % PIECE_KINDS, trial / PIECE_KINDS % PIECE_KINDS};
        if (kind[0] == TAC_CONVEX_HALF_SPACE && kind[1] == TAC_CONVEX_HALF_SPACE) continue;
        tacConvex a = random_piece(&random, kind[0], 0.9), b = random_piece(&random, kind[1], 0.9);
        tacNearest near;
        tacPatchPair touch;
        int found = nearest(&a, &b, &near, &touch);
        double size = tac_convex_reach(&a) + tac_convex_reach(&b), w[3];
        known += found, apart += near.distance > 0.0;
        ENSURE_NEAR(near.distance, tac_convex_gap(&a, &b, near.normal),
                    found ? 1e-13 * size : 1e-3);
        ENSURE_NEAR(tac_length3(near.normal), 1.0, 1e-14);
        tac_sub3(near.point[1], near.point[0], w);
        for (int k = 0; k < 3; ++k) ENSURE_NEAR(w[k], near.distance * near.normal[k], 2e-12 * size);
        int plane = kind[0] == TAC_CONVEX_HALF_SPACE || kind[1] == TAC_CONVEX_HALF_SPACE;
        if (!plane && found && near.distance > 0.0) {
            double beside = widest_beside(&random, &a, &b, near.normal);
            if (!(beside <= near.distance + 1e-13 * size))
                printf("kinds %d %d trial %d d %g\n", kind[0], kind[1], trial, near.distance);
            ENSURE(beside <= near.distance + 1e-13 * size);
        }
        if (!found)
            printf("  not found: kinds %d %d, %d distance %g error %g\n", kind[0], kind[1], trial,
                   near.distance, near.error);
    }
    printf("  %d pairs, %d apart, features known of %d\n", count, apart, known);
    return 0;
}

TEST_MAIN(RUN(widest_gap))
