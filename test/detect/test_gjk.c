// Laws of distances between convex parts: closed forms, features tried one by one, separating
// axes, and for curved pieces a proof by duality.

#include "detect/convex/gjk.h"
#include "detect/convex/simplex_vertex.h"
#include "test.h"

#include <stdlib.h>
#include <time.h>

static int sweep_count(int few, int some) { return getenv("TACTUS_NO_SWEEP") ? few : some; }

static void random_frame(testRandom* random, double spread, tacConvex* c) {
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
    memcpy(c->rot, R, sizeof R);
    for (int i = 0; i < 3; ++i) c->pos[i] = test_uniform(random, -spread, spread);
}

static tacConvex random_part(testRandom* random, tacConvexKind kind, double spread) {
    tacConvex c = {.kind = kind};
    for (int i = 0; i < 3; ++i) c.size[i] = test_uniform(random, 0.1, 1.0);
    random_frame(random, spread, &c);
    return c;
}

static tacNearest gjk_of(const tacConvex* a, const tacConvex* b) {
    tacGjkCache cache = {.count = 0};
    void* memory = malloc(tac_gjk_size());
    tacNearest out = tac_gjk(a, b, &cache, memory);
    free(memory);
    return out;
}

// the points are as far apart as the distance says, along a unit normal
static int is_consistent(const tacNearest* n) {
    ENSURE_NEAR(tac_length3(n->normal), 1.0, 1e-12);
    for (int k = 0; k < 3; ++k) {
        ENSURE_NEAR(n->point[1][k] - n->point[0][k], n->distance * n->normal[k], 1e-12);
    }
    return 0;
}

//---------------------------------- boxes ----------------------------------

static void box_vertex(const tacConvex* c, int i, double out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = c->pos[k];
        for (int j = 0; j < 3; ++j)
            out[k] += c->rot[k][j] * (i >> j & 1 ? c->size[j] : -c->size[j]);
    }
}

static double point_box(const double p[3], const tacConvex* c) {
    double sum = 0.0, d[3];
    tac_sub3(p, c->pos, d);
    for (int j = 0; j < 3; ++j) {
        double x = fabs(c->rot[0][j] * d[0] + c->rot[1][j] * d[1] + c->rot[2][j] * d[2]);
        sum += pow(fmax(x - c->size[j], 0.0), 2);
    }
    return sqrt(sum);
}

static double point_segment(const double p[3], const double a[3], const double b[3]) {
    double d[3], e[3], r[3];
    tac_sub3(b, a, d);
    tac_sub3(p, a, e);
    double t = fmin(fmax(tac_dot3(d, e) / tac_dot3(d, d), 0.0), 1.0);
    for (int k = 0; k < 3; ++k) r[k] = e[k] - t * d[k];
    return tac_length3(r);
}

// inside both segments, or at an end of one
static double segment_segment(const double a[3], const double b[3], const double c[3],
                              const double d[3]) {
    double best = fmin(fmin(point_segment(a, c, d), point_segment(b, c, d)),
                       fmin(point_segment(c, a, b), point_segment(d, a, b)));
    double u[3], v[3], w[3], r[3];
    tac_sub3(b, a, u);
    tac_sub3(d, c, v);
    tac_sub3(a, c, w);
    double uu = tac_dot3(u, u), uv = tac_dot3(u, v), vv = tac_dot3(v, v), det = uu * vv - uv * uv;
    double s = (uv * tac_dot3(v, w) - vv * tac_dot3(u, w)) / det;
    double t = (uu * tac_dot3(v, w) - uv * tac_dot3(u, w)) / det;
    if (!(det > 1e-12 * uu * vv) || s < 0.0 || s > 1.0 || t < 0.0 || t > 1.0) return best;
    for (int k = 0; k < 3; ++k) r[k] = w[k] + s * u[k] - t * v[k];
    return fmin(best, tac_length3(r));
}

// all corners against the other box, all pairs of edges
static double box_distance(const tacConvex* a, const tacConvex* b) {
    double best = INFINITY, p[3], q[3], r[3], s[3];
    for (int i = 0; i < 8; ++i) {
        box_vertex(a, i, p);
        best = fmin(best, point_box(p, b));
        box_vertex(b, i, p);
        best = fmin(best, point_box(p, a));
    }
    for (int e = 0; e < 24 * 24; ++e) {
        int i = e / 24 / 3, j = e % 24 / 3, k = e / 24 % 3, l = e % 24 % 3;
        if (i >> k & 1 || j >> l & 1) continue;
        box_vertex(a, i, p);
        box_vertex(a, i | 1 << k, q);
        box_vertex(b, j, r);
        box_vertex(b, j | 1 << l, s);
        best = fmin(best, segment_segment(p, q, r, s));
    }
    return best;
}

// overlap along one axis
static double overlap_along(const tacConvex* a, const tacConvex* b, const double n[3]) {
    double d[3], sum = 0.0;
    tac_sub3(b->pos, a->pos, d);
    for (int j = 0; j < 3; ++j) {
        double u[3] = {a->rot[0][j], a->rot[1][j], a->rot[2][j]};
        double v[3] = {b->rot[0][j], b->rot[1][j], b->rot[2][j]};
        sum += a->size[j] * fabs(tac_dot3(u, n)) + b->size[j] * fabs(tac_dot3(v, n));
    }
    return sum - fabs(tac_dot3(d, n));
}

// least overlap over the 15 axes; negative: apart
static double box_depth(const tacConvex* a, const tacConvex* b) {
    double best = INFINITY;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            double u[3], v[3], n[3];
            for (int k = 0; k < 3; ++k) {
                u[k] = a->rot[k][i % 3];
                v[k] = b->rot[k][j % 3];
            }
            if (i == 3 && j == 3) continue;
            if (i == 3)
                memcpy(n, v, sizeof n);
            else if (j == 3)
                memcpy(n, u, sizeof n);
            else
                tac_cross3(u, v, n);
            double size = tac_length3(n);
            for (int k = 0; k < 3; ++k) n[k] /= size;
            if (size > 1e-9) best = fmin(best, overlap_along(a, b, n));
        }
    }
    return best;
}

static int boxes_agree_with_brute_force(void) {
    testRandom random = {5};
    int apart = 0, meet = 0;
    double worst = 0.0, passes = 0.0, time = 0.0;
    for (int trial = 0; trial < sweep_count(500, 20000); ++trial) {
        tacConvex a = random_part(&random, TAC_CONVEX_BOX, 1.0);
        tacConvex b = random_part(&random, TAC_CONVEX_BOX, trial % 4 ? 1.5 : 0.3);
        // some lie flat on each other, where faces and edges are parallel
        if (trial % 5 == 0) memcpy(b.rot, a.rot, sizeof b.rot);
        double depth = box_depth(&a, &b), truth = depth > 0.0 ? -depth : box_distance(&a, &b);
        clock_t begin = clock();
        tacNearest n = gjk_of(&a, &b);
        time += (double)(clock() - begin) / CLOCKS_PER_SEC;
        ENSURE_LAW(is_consistent(&n));
        ENSURE_NEAR(n.distance, truth, 1e-9);
        ENSURE(n.error <= 1e-9);
        worst = fmax(worst, fabs(n.distance - truth));
        passes += n.passes;
        apart += truth > 0.0;
        meet += truth < 0.0;
    }
    printf("  %d apart, %d overlap, worst error %.1e, %.1f passes, %.2f us each\n", apart, meet,
           worst, passes / (apart + meet), 1e6 * time / (apart + meet));
    ENSURE(apart > 100 && meet > 100);
    return 0;
}

// a hull of points is the box that its corners make
static int hull_of_box_points_is_the_box(void) {
    testRandom random = {6};
    for (int trial = 0; trial < 500; ++trial) {
        tacConvex a = random_part(&random, TAC_CONVEX_BOX, 1.0);
        tacConvex b = random_part(&random, TAC_CONVEX_BOX, 1.0), hull = a;
        double point[24];
        for (int i = 0; i < 24; ++i) point[i] = (i / 3 >> i % 3 & 1 ? 1 : -1) * a.size[i % 3];
        hull.kind = TAC_CONVEX_POINTS;
        hull.point = point;
        hull.count = 8;
        ENSURE_NEAR(gjk_of(&hull, &b).distance, gjk_of(&a, &b).distance, 1e-12);
        ENSURE_NEAR(tac_convex_bounding_radius(&hull), tac_convex_bounding_radius(&a), 1e-15);
    }
    return 0;
}

//---------------------------------- round pieces ----------------------------------

static tacConvex ball_part(double x, double y, double z, double radius) {
    static const double centre[3] = {0.0};
    return (tacConvex){.kind = TAC_CONVEX_POINTS,
                       .radius = radius,
                       .point = centre,
                       .count = 1,
                       .pos = {x, y, z},
                       .rot = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static int balls_and_capsules_have_closed_forms(void) {
    testRandom random = {7};
    tacConvex a = ball_part(0, 0, 0, 0.5), b = ball_part(0.3, 0.4, 0, 0.25),
              same = ball_part(0, 0, 0, 0.1);
    ENSURE_NEAR(gjk_of(&a, &b).distance, -0.25, 1e-15);
    tacNearest inside = gjk_of(&a, &same);
    ENSURE_NEAR(inside.distance, -0.6, 1e-15);
    ENSURE_LAW(is_consistent(&inside));
    for (int trial = 0; trial < 2000; ++trial) {
        tacConvex c[2];
        double end[4][3];
        for (int i = 0; i < 2; ++i) {
            c[i] = random_part(&random, TAC_CONVEX_SEGMENT, 1.0);
            c[i].radius = 0.1;
            for (int k = 0; k < 6; ++k) {
                end[2 * i + k / 3][k % 3] =
                    c[i].pos[k % 3] + (k < 3 ? 1 : -1) * c[i].size[2] * c[i].rot[k % 3][2];
            }
        }
        tacNearest n = gjk_of(&c[0], &c[1]);
        ENSURE_NEAR(n.distance, segment_segment(end[0], end[1], end[2], end[3]) - 0.2, 1e-9);
        ENSURE_LAW(is_consistent(&n));
    }
    return 0;
}

// axes that cross exactly, one on the other, end on end: flat differences
static int flat_cores_have_no_depth(void) {
    tacConvex a = {.kind = TAC_CONVEX_SEGMENT,
                   .size = {0, 0, 1},
                   .radius = 0.1,
                   .rot = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
              b = a, along = a;
    double turned[3][3] = {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}};
    memcpy(b.rot, turned, sizeof turned);
    tacNearest n = gjk_of(&a, &b);
    ENSURE_NEAR(n.distance, -0.2, 1e-12);
    ENSURE_NEAR(fabs(n.normal[1]), 1.0, 1e-12);
    along.pos[2] = 1.5;
    n = gjk_of(&a, &along);
    ENSURE_NEAR(n.distance, -0.2, 1e-12);
    ENSURE_NEAR(n.normal[2], 0.0, 1e-12);
    ENSURE_LAW(is_consistent(&n));
    return 0;
}

// gap of the two shadows on a line: a lower bound of the distance, whoever found the line
static double shadow_gap(const tacConvex* a, const tacConvex* b, const double n[3]) {
    tacSimplexVertex c = tac_simplex_vertex(a, b, n);
    return -tac_dot3(c.w, n) - a->radius - b->radius;
}

// Apart: the points give an upper bound, the normal a lower one, and they meet. Overlapping: no
// direction of many takes the pieces apart in less.
static int curved_parts_have_dual_bounds(void) {
    testRandom random = {8};
    double worst = 0.0, loose = 0.0;
    int most = 0;
    for (int trial = 0; trial < sweep_count(200, 3000); ++trial) {
        tacConvex a =
            random_part(&random, trial % 2 ? TAC_CONVEX_CYLINDER : TAC_CONVEX_ELLIPSOID, 1.0);
        tacConvex b = random_part(&random, (tacConvexKind)(trial % 5), 1.2);
        static const double tetrahedron[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
        b.point = tetrahedron;
        b.count = 4;
        tacNearest n = gjk_of(&a, &b);
        ENSURE_LAW(is_consistent(&n));
        most = n.passes > most ? n.passes : most;
        if (n.distance > 0.0) {
            double gap = shadow_gap(&a, &b, n.normal);
            ENSURE_NEAR(gap, n.distance, 1e-7);
            worst = fmax(worst, n.distance - gap);
        }
        for (int i = 0; i < 200; ++i) {
            double d[3], size;
            for (int k = 0; k < 3; ++k) d[k] = test_uniform(&random, -1.0, 1.0);
            size = tac_length3(d);
            for (int k = 0; k < 3; ++k) d[k] /= size;
            ENSURE(shadow_gap(&a, &b, d) <= n.distance + n.error + 1e-9);
        }
        loose = fmax(loose, n.error);
    }
    printf("  gap between bounds: apart %.1e, all %.1e; at most %d passes\n", worst, loose, most);
    ENSURE(loose <= 1e-8);
    return 0;
}

//---------------------------------- hard cases ----------------------------------

// needles, plates and far distances; equal pieces; pieces that touch
static int extreme_shapes_are_finite(void) {
    testRandom random = {9};
    for (int trial = 0; trial < sweep_count(500, 5000); ++trial) {
        tacConvex a = random_part(&random, TAC_CONVEX_BOX, 1.0);
        tacConvex b = random_part(&random, TAC_CONVEX_BOX, 1.0);
        a.size[trial % 3] *= pow(10.0, -test_uniform(&random, 0.0, 6.0));
        b.size[(trial / 3) % 3] *= pow(10.0, -test_uniform(&random, 0.0, 6.0));
        if (trial % 7 == 0)
            for (int k = 0; k < 3; ++k) b.pos[k] += 1e6;
        if (trial % 11 == 0) b = a;
        if (trial % 13 == 0) {
            b = a;
            for (int k = 0; k < 3; ++k) b.pos[k] = a.pos[k] + 2.0 * a.size[2] * a.rot[k][2];
        }
        double depth = box_depth(&a, &b), truth = depth > 0.0 ? -depth : box_distance(&a, &b);
        tacNearest n = gjk_of(&a, &b);
        double far = fmax(fabs(truth), 1.0);
        ENSURE_NEAR(n.distance, truth, 1e-8 * far);
        ENSURE_NEAR(tac_length3(n.normal), 1.0, 1e-12);
    }
    return 0;
}

// A walk that starts where one of other places ended, near or far, ends at the same distance.
static int warm_starts_agree_with_cold_ones(void) {
    static const tacConvexKind kinds[] = {TAC_CONVEX_BOX, TAC_CONVEX_SEGMENT, TAC_CONVEX_CYLINDER,
                                          TAC_CONVEX_ELLIPSOID};
    testRandom random = {29};
    void* memory = malloc(tac_gjk_size());
    double saved = 0.0;
    int count = getenv("TACTUS_NO_SWEEP") ? 400 : 20000;
    for (int trial = 0; trial < count; ++trial) {
        tacConvex a = random_part(&random, kinds[trial % 4], 0.5);
        tacConvex b = random_part(&random, kinds[trial / 4 % 4], 1.5);
        tacGjkCache cache = {.count = 0};
        tacNearest fresh = gjk_of(&a, &b), first = tac_gjk(&a, &b, &cache, memory);
        ENSURE_NEAR(first.distance, fresh.distance, 0.0);
        double far = trial % 3 ? 0.01 : 1.0;
        for (int k = 0; k < 3; ++k) b.pos[k] += test_uniform(&random, -far, far);
        if (trial % 7 == 0)
            memset(cache.direction, 0, sizeof cache.direction); // directions that are none
        tacNearest again = tac_gjk(&a, &b, &cache, memory);
        fresh = gjk_of(&a, &b);
        ENSURE_LAW(is_consistent(&again));
        ENSURE_NEAR(again.distance, fresh.distance, again.error + fresh.error + 1e-12);
        if (trial % 3 && trial % 7) saved += (double)(fresh.passes - again.passes) / count;
    }
    printf("  %.1f passes saved in the mean\n", saved);
    ENSURE(saved > 1.0);
    free(memory);
    return 0;
}

TEST_MAIN(RUN(warm_starts_agree_with_cold_ones), RUN(boxes_agree_with_brute_force),
          RUN(hull_of_box_points_is_the_box), RUN(balls_and_capsules_have_closed_forms),
          RUN(flat_cores_have_no_depth), RUN(curved_parts_have_dual_bounds),
          RUN(extreme_shapes_are_finite))
