// Random convex parts of every kind, for tests of distances and contacts.

#ifndef TAC_DETECT_RANDOM_CONVEX_H
#define TAC_DETECT_RANDOM_CONVEX_H

#include "detect/convex/convex.h"
#include "mesh/convex/hull.h"
#include "tactus/model.h"
#include "test.h"

#include <stdlib.h>

enum { PIECE_BALL = 7, PIECE_KINDS = 8, PIECE_HULLS = 16 };

static inline void random_rotation(testRandom* random, double rot[3][3]) {
    double q[4], n = 0.0;
    for (int i = 0; i < 4; ++i) {
        q[i] = test_uniform(random, -1.0, 1.0);
        n += q[i] * q[i];
    }
    for (int i = 0; i < 4; ++i) q[i] /= sqrt(n);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double R[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(rot, R, sizeof R);
}

// a few hulls of random points, made once
static inline const tacHull* random_hull(testRandom* random) {
    static tacHull* hulls[PIECE_HULLS];
    int i = (int)(test_bits(random) % PIECE_HULLS);
    if (!hulls[i]) {
        testRandom own = {(unsigned long long)i + 100};
        double point[3 * 40];
        int count = 5 + 2 * i;
        for (int k = 0; k < 3 * count; ++k) point[k] = test_uniform(&own, -0.6, 0.6);
        tac_hull_create((tacHullPoints){point, count, TAC_HULL_MERGE, NULL},
                        tac_default_options().allocator, &hulls[i], NULL);
    }
    return hulls[i];
}

static inline void load_hull(const tacHull* hull, tacConvex* c) {
    c->point = hull->vertex;
    c->count = hull->nvertex;
    c->faces = hull->nface;
    c->normal = hull->normal;
    c->offset = hull->offset;
    c->first = hull->first;
    c->corner = hull->corner;
}

// kinds as tacConvexKind, and a ball
static inline tacConvex random_convex(testRandom* random, int kind, double spread) {
    tacConvex c = {.kind = kind == PIECE_BALL ? TAC_CONVEX_POINTS : (tacConvexKind)kind};
    for (int i = 0; i < 3; ++i) {
        c.size[i] = test_uniform(random, 0.1, 0.8);
        c.pos[i] = test_uniform(random, -spread, spread);
    }
    for (int i = 0; i < 2; ++i) c.eps[i] = test_uniform(random, 0.3, 1.7);
    random_rotation(random, c.rot);
    if (kind == TAC_CONVEX_POINTS) load_hull(random_hull(random), &c);
    if (kind == TAC_CONVEX_SEGMENT || kind == PIECE_BALL) c.radius = c.size[0];
    return c;
}

#endif
