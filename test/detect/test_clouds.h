// Clouds for tests: balls of a spiral of points, boxes of quads.

#ifndef TAC_DETECT_TEST_CLOUDS_H
#define TAC_DETECT_TEST_CLOUDS_H

#include "mesh/surface/quad_mesh.h"
#include "model/contact/contact_cloud.h"

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
        for (int k = 0; k < 3; ++k) {
            x[3 * i + k] = radius * m[k];
            x[3 * (n + i) + k] = m[k];
        }
    }
    tac_contact_cloud_points(
        (tacSurfacePoints){n, x, x + 3 * n, 4.0 * TEST_PI * radius * radius, NULL, NULL, 0.0, NULL},
        tac_default_allocator(), &cloud, NULL);
    free(x);
    return cloud;
}

// a box of quads, `cells` along each edge, its middle at the origin
static inline tacContactCloud* test_box(int cells, double x, double y, double z) {
    tacAllocator a = tac_default_allocator();
    tacSoup* soup = tac_quad_mesh_create((tacQuadMesh){{1.0, 1.0, 1.0}, 6 * cells * cells, 0}, a);
    tacContactCloud* cloud = NULL;
    if (!soup) return NULL;
    double* vertex = (double*)soup->vertex;
    for (int i = 0; i < soup->nvertex; ++i) {
        vertex[3 * i] *= x;
        vertex[3 * i + 1] *= y;
        vertex[3 * i + 2] *= z;
    }
    tac_contact_cloud_create(soup, tac_pose_identity(), a, &cloud, NULL);
    tac_soup_destroy(soup);
    return cloud;
}

// planes that end, a part of the spacing beside their faces, and points that count by areas
static inline void test_cut_off(tacContactCloud* cloud, double share) {
    double* log_area = (double*)cloud->log_area;
    cloud->is_cut_off = cloud->weighted = 1;
    for (int i = 0; i < cloud->count; ++i) {
        ((double*)cloud->reach)[i] = share * cloud->spacing * (1.0 + 0.3 * (i % 3));
        log_area[i] = 0.2 * (i % 4) - 3.0;
        ((double*)cloud->inv_depth2)[i] = 12.0 + (i % 5);
    }
    cloud->log_area_range[0] = -3.0;
    cloud->log_area_range[1] = -2.4;
}

#endif
