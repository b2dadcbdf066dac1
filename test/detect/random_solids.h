// Random convex solids of every kind, near each other.

#ifndef TACTUS_RANDOM_SOLIDS_H
#define TACTUS_RANDOM_SOLIDS_H

#include "tactus/solid.h"
#include "test.h"

#include <stdlib.h>

typedef enum solidKind { SOLID_BALL, SOLID_BOX, SOLID_POLY, SOLID_HALF, SOLID_KINDS } solidKind;

static inline int solid_compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// corners on an ellipse at sorted angles are convex
static inline tacSolid* random_polygon(testRandom* random, int count) {
    double angle[128], corner[256], rx = test_uniform(random, 0.3, 1.0),
                                    ry = test_uniform(random, 0.3, 1.0);
    tacSolid* out = NULL;
    for (int i = 0; i < count; ++i)
        angle[i] = (i + test_uniform(random, 0.05, 0.95)) * 2.0 * acos(-1.0) / count;
    qsort(angle, (size_t)count, sizeof *angle, solid_compare);
    for (int i = 0; i < count; ++i) {
        corner[2 * i] = rx * cos(angle[i]);
        corner[2 * i + 1] = ry * sin(angle[i]);
    }
    tac_solid_create_polygon(corner, count, &out, NULL);
    return out;
}

static inline tacSolid* random_polyhedron(testRandom* random, int count) {
    double point[192];
    tacSolid* out = NULL;
    for (int i = 0; i < 3 * count; ++i) point[i] = test_uniform(random, -1.0, 1.0);
    tac_solid_create_polyhedron(point, count, &out, NULL);
    return out;
}

static inline tacSolid* random_solid(testRandom* random, solidKind kind, int planar) {
    tacSolid* out = NULL;
    double half[3], n[3];
    for (int k = 0; k < 3; ++k) {
        half[k] = test_uniform(random, 0.1, 1.0);
        n[k] = test_uniform(random, -1.0, 1.0);
    }
    int count = 4 + (int)test_uniform(random, 0.0, 12.0);
    if (kind == SOLID_BALL) tac_solid_create_ball(half[0], planar, &out, NULL);
    if (kind == SOLID_BOX) tac_solid_create_box(half, planar, &out, NULL);
    if (kind == SOLID_HALF) tac_solid_create_halfspace(n, half[0], planar, &out, NULL);
    if (kind == SOLID_POLY)
        out = planar ? random_polygon(random, count) : random_polyhedron(random, count);
    return out;
}

static inline tacPose random_pose(testRandom* random, int planar, double spread) {
    double q[4];
    for (int k = 0; k < 4; ++k) q[k] = test_uniform(random, -1.0, 1.0);
    tacPose pose = {{test_uniform(random, -spread, spread), test_uniform(random, -spread, spread),
                     planar ? 0.0 : test_uniform(random, -spread, spread)},
                    {q[0], planar ? 0.0 : q[1], planar ? 0.0 : q[2], q[3]}};
    return pose;
}

#endif
