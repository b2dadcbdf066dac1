// Points of a ball.

#include "bench/ball_cloud.h"

#include <math.h>
#include <stdlib.h>

tacContactCloud* bench_ball_cloud(int n, double radius) {
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
    tacSurfacePoints surface = {n,    x,    x + 3 * n, 12.566370614359172 * radius * radius,
                                NULL, NULL, 0.0,       NULL};
    tac_contact_cloud_points(surface, tac_default_allocator(), &cloud, NULL);
    free(x);
    return cloud;
}
