// Laws of meshes in pictures: hits and distances are those of a search over all triangles.

#include "draw/triangles.h"
#include "test.h"

#include <math.h>

enum { RINGS = 14, AROUND = 20, VERTICES = RINGS * AROUND, TRIANGLES = 2 * RINGS * AROUND };

// a torus, closed and outward: not convex, so rays pass through its hole
typedef struct torus {
    double vertex[3 * VERTICES];
    int triangle[3 * TRIANGLES];
} torus;

static const double large = 1.0, small = 0.3;

static tacTriangles make_torus(torus* t, int closed) {
    for (int i = 0; i < RINGS; ++i)
        for (int k = 0; k < AROUND; ++k) {
            double a = 2.0 * M_PI * k / AROUND, b = 2.0 * M_PI * i / RINGS;
            double* x = &t->vertex[3 * (i * AROUND + k)];
            x[0] = (large + small * cos(b)) * cos(a);
            x[1] = (large + small * cos(b)) * sin(a);
            x[2] = small * sin(b);
            int right = (k + 1) % AROUND, up = (i + 1) % RINGS;
            int q[4] = {i * AROUND + k, i * AROUND + right, up * AROUND + right, up * AROUND + k};
            int* to = &t->triangle[6 * (i * AROUND + k)];
            const int corners[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
            for (int j = 0; j < 6; ++j) to[j] = corners[j];
        }
    return (tacTriangles){VERTICES, TRIANGLES, closed, t->vertex, t->triangle};
}

static void corners_of(const tacTriangles* t, int i, tacVec3 x[3]) {
    for (int k = 0; k < 3; ++k) x[k] = tac_load3(&t->vertex[3 * t->triangle[3 * i + k]]);
}

// distance along a line to the plane of a triangle, if the point there is inside; else infinite
static double hit_of(const tacVec3 x[3], tacMeshRay ray, int one_sided) {
    tacVec3 n = tac_cross(tac_sub(x[1], x[0]), tac_sub(x[2], x[0]));
    double fall = tac_dot(n, ray.along);
    if (fall == 0.0 || (one_sided && fall > 0.0)) return INFINITY;
    double t = tac_dot(n, tac_sub(x[0], ray.from)) / fall;
    tacVec3 p = tac_add_scaled(ray.from, t, ray.along);
    for (int k = 0; k < 3; ++k) {
        tacVec3 side = tac_sub(x[(k + 1) % 3], x[k]);
        if (tac_dot(tac_cross(side, tac_sub(p, x[k])), n) < 0.0) return INFINITY;
    }
    return t > ray.start && t < ray.end ? t : INFINITY;
}

static double nearest_hit(const tacTriangles* t, tacMeshRay ray) {
    double best = INFINITY;
    for (int i = 0; i < t->ntriangle; ++i) {
        tacVec3 x[3];
        corners_of(t, i, x);
        best = fmin(best, hit_of(x, ray, t->closed));
    }
    return best;
}

static tacVec3 random_point(testRandom* random, double size) {
    return tac_vec3(test_uniform(random, -size, size), test_uniform(random, -size, size),
                    test_uniform(random, -size, size));
}

//---------------------------------- laws -----------------------------------------

static int hits_are_those_of_a_search(void) {
    static torus memory;
    testRandom random = {.state = 5};
    int hits = 0, misses = 0;
    for (int closed = 0; closed < 2; ++closed) {
        tacTriangles t = make_torus(&memory, closed);
        tacDrawMesh* mesh = tac_draw_mesh_create(&t, tac_default_allocator());
        ENSURE(mesh);
        for (int i = 0; i < 2000; ++i) {
            tacMeshRay ray = {.from = random_point(&random, 2.0), .end = 10.0};
            ray.along = tac_normalize(tac_sub(random_point(&random, 1.0), ray.from));
            double expected = nearest_hit(&t, ray), found = INFINITY;
            tacVec3 normal = tac_vec3_zero();
            int hit = tac_draw_mesh_hit(mesh, ray, &found, &normal);
            ENSURE(hit == (expected < INFINITY));
            if (hit) ENSURE_NEAR(found, expected, 1e-9);
            if (hit) ENSURE(tac_dot(normal, ray.along) < 0.0 && fabs(tac_norm(normal) - 1) < 1e-9);
            if (!closed) ENSURE(tac_draw_mesh_blocks(mesh, ray) == hit);
            hits += hit;
            misses += !hit;
        }
        tac_draw_mesh_destroy(mesh);
    }
    ENSURE(hits > 500 && misses > 500);
    return 0;
}

// the blended normals of a fine torus are those of the smooth one
static int normals_are_smooth(void) {
    static torus memory;
    tacTriangles t = make_torus(&memory, 1);
    tacDrawMesh* mesh = tac_draw_mesh_create(&t, tac_default_allocator());
    ENSURE(mesh);
    for (int i = 0; i < 100; ++i) {
        double a = 0.0628 * i, distance;
        tacVec3 normal, out = tac_vec3(cos(a), sin(a), 0.0);
        tacMeshRay ray = {tac_scale(out, 3.0), tac_neg(out), 0.0, 10.0};
        ENSURE(tac_draw_mesh_hit(mesh, ray, &distance, &normal));
        ENSURE_NEAR(tac_dot(normal, out), 1.0, 2e-3);
    }
    tac_draw_mesh_destroy(mesh);
    return 0;
}

static int distances_are_those_of_a_search(void) {
    static torus memory;
    testRandom random = {.state = 9};
    tacTriangles t = make_torus(&memory, 1);
    tacDrawMesh* mesh = tac_draw_mesh_create(&t, tac_default_allocator());
    ENSURE(mesh);
    for (int i = 0; i < 1000; ++i) {
        tacVec3 p = random_point(&random, 2.0);
        double found = tac_draw_mesh_distance(mesh, p, 100.0), best = INFINITY;
        for (int k = 0; k < t.ntriangle; ++k) { // a grid of points of each triangle is no nearer
            tacVec3 x[3];
            corners_of(&t, k, x);
            for (int u = 0; u <= 6; ++u)
                for (int v = 0; u + v <= 6; ++v) {
                    tacVec3 at = tac_add_scaled(x[0], u / 6.0, tac_sub(x[1], x[0]));
                    at = tac_add_scaled(at, v / 6.0, tac_sub(x[2], x[0]));
                    best = fmin(best, tac_distance(at, p));
                }
        }
        ENSURE(found <= best + 1e-12 && found > best - 0.04);
        ENSURE_NEAR(tac_draw_mesh_distance(mesh, p, 0.5 * found), 0.5 * found, 1e-12);
    }
    tac_draw_mesh_destroy(mesh);
    return 0;
}

static int degenerate_meshes_are_safe(void) {
    static const double vertex[9] = {0};
    static const int triangle[9] = {0, 0, 0, 0, 1, 2, 2, 1, 0};
    for (int count = 0; count <= 3; ++count) {
        tacTriangles t = {3, count, 0, vertex, triangle};
        tacDrawMesh* mesh = tac_draw_mesh_create(&t, tac_default_allocator());
        double distance;
        tacVec3 normal;
        ENSURE(mesh);
        tacMeshRay ray = {tac_vec3(0.0, 0.0, 1.0), tac_vec3(0.0, 0.0, -1.0), 0.0, 10.0};
        ENSURE(!tac_draw_mesh_hit(mesh, ray, &distance, &normal));
        ENSURE_NEAR(tac_draw_mesh_distance(mesh, ray.from, 5.0), count ? 1.0 : 5.0, 1e-15);
        tac_draw_mesh_destroy(mesh);
    }
    return 0;
}

TEST_MAIN(RUN(hits_are_those_of_a_search), RUN(normals_are_smooth),
          RUN(distances_are_those_of_a_search), RUN(degenerate_meshes_are_safe))
