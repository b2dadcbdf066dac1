// Clouds for tests: balls of a spiral of points, boxes of quads.

#ifndef TACTUS_TEST_CLOUDS_H
#define TACTUS_TEST_CLOUDS_H

#include "model/contact_cloud.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEST_PI 3.14159265358979323846

static inline void test_cloud_free(tacContactCloud* cloud) {
    tacAllocator a = tac_default_allocator();
    if (cloud) a.release(a.user, cloud);
}

// n points of a golden spiral on a sphere
static inline tacContactCloud* test_ball(int n, double radius) {
    tacContactCloud* cloud = NULL;
    double* x = malloc(sizeof(double) * 6 * (size_t)n);
    if (!x) return NULL;
    for (int i = 0; i < n; ++i) {
        double z = 1.0 - (2.0 * i + 1.0) / n, s = sqrt(1.0 - z * z), t = 2.39996322972865332 * i;
        const double m[3] = {s * cos(t), s * sin(t), z};
        for (int k = 0; k < 3; ++k) x[3 * i + k] = radius * m[k], x[3 * (n + i) + k] = m[k];
    }
    tac_contact_cloud_points(n, x, x + 3 * n, 4.0 * TEST_PI * radius * radius,
                             tac_default_allocator(), &cloud, NULL);
    free(x);
    return cloud;
}

// a box of quads, `cells` along each edge, its middle at the origin; with each side's own vertices
// joined to its neighbours'
typedef struct testBox {
    int cells, nvertex, nface;
    double half[3];
    int* index; // vertex of a lattice place, -1: none
    double* vertex;
    int *first, *corner, *triangle, *own;
} testBox;

static inline int test_box_vertex(testBox* b, int i, int j, int k) {
    int n = b->cells + 1, *at = &b->index[(i * n + j) * n + k], c[3] = {i, j, k};
    if (*at >= 0) return *at;
    for (int a = 0; a < 3; ++a)
        b->vertex[3 * b->nvertex + a] = b->half[a] * (2.0 * c[a] / b->cells - 1.0);
    return *at = b->nvertex++;
}

static inline void test_box_face(testBox* b, int axis, int end, int i, int j) {
    static const int square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int k = 0; k < 4; ++k) {
        const int* s = square[end ? k : 3 - k];
        int c[3];
        c[axis] = end * b->cells, c[(axis + 1) % 3] = i + s[0], c[(axis + 2) % 3] = j + s[1];
        b->corner[4 * b->nface + k] = test_box_vertex(b, c[0], c[1], c[2]);
    }
    ++b->nface;
}

static inline tacContactCloud* test_box(int cells, double x, double y, double z) {
    int n = cells + 1, faces = 6 * cells * cells;
    testBox b = {.cells = cells, .half = {x, y, z}};
    b.index = malloc(sizeof(int) * (size_t)(n * n * n));
    b.vertex = malloc(sizeof(double) * 3 * (size_t)(n * n * n));
    b.first = malloc(sizeof(int) * (size_t)(faces + 1));
    b.corner = malloc(sizeof(int) * 4 * (size_t)faces);
    b.triangle = malloc(sizeof(int) * 6 * (size_t)faces);
    b.own = malloc(sizeof(int) * 2 * (size_t)faces);
    for (int i = 0; i < n * n * n; ++i) b.index[i] = -1;
    for (int axis = 0; axis < 3; ++axis)
        for (int end = 0; end < 2; ++end)
            for (int i = 0; i < cells; ++i)
                for (int j = 0; j < cells; ++j) test_box_face(&b, axis, end, i, j);
    for (int f = 0; f <= faces; ++f) b.first[f] = 4 * f;
    for (int f = 0; f < faces; ++f)
        for (int k = 0; k < 6; ++k) {
            static const int split[6] = {0, 1, 2, 0, 2, 3};
            b.triangle[6 * f + k] = b.corner[4 * f + split[k]], b.own[2 * f + k / 3] = f;
        }
    tacSoup soup = {.nvertex = b.nvertex,
                    .nface = faces,
                    .ncorner = 4 * faces,
                    .ntriangle = 2 * faces,
                    .vertex = b.vertex,
                    .first = b.first,
                    .corner = b.corner,
                    .triangle = b.triangle,
                    .triangle_face = b.own,
                    .allocator = tac_default_allocator()};
    tacContactCloud* cloud = NULL;
    tac_contact_cloud_create(&soup, tac_pose_identity(), tac_default_allocator(), &cloud, NULL);
    free(b.index), free(b.vertex), free(b.first), free(b.corner), free(b.triangle), free(b.own);
    return cloud;
}

#endif
