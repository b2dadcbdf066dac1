// Fuzzing of the convex hull: any points have a hull that holds its laws, or a message.
// Built by the clang-asan preset as fuzz/fuzz_hull. Bytes are coordinates on a coarse grid, or, if
// the first is odd, doubles, so that both ties and odd numbers come up.

#include "mesh/convex/hull.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static int read_points(const uint8_t* data, size_t size, double* point) {
    size_t each = data[0] & 1 ? sizeof(double) : 1, count = (size - 1) / each / 3;
    if (count > MOST) count = MOST;
    for (size_t i = 0; i < 3 * count; ++i)
        if (each == 1)
            point[i] = (double)(data[1 + i] & (data[0] & 2 ? 3 : 255));
        else
            memcpy(&point[i], data + 1 + each * i, each);
    return (int)count;
}

static void check_hull(const tacHull* hull, const double* point, int count) {
    if (hull->nvertex - hull->ncorner / 2 + hull->nface != 2) abort();
    for (int f = 0; f < hull->nface; ++f)
        for (int i = 0; i < count; ++i) {
            const double *n = hull->normal + 3 * f, *p = point + 3 * i;
            double above = n[0] * p[0] + n[1] * p[1] + n[2] * p[2] - hull->offset[f];
            if (!(above <= hull->tolerance)) abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    double point[3 * MOST];
    if (size < 1) return 0;
    int count = read_points(data, size, point);
    static const double merges[] = {0.0, 1e-12, 1e-7, 1e-2};
    tacHull* hull = NULL;
    tacMessage message = {0};
    tacResult result =
        tac_hull_create((tacHullPoints){point, count, merges[data[0] >> 2 & 3], NULL},
                        tac_default_allocator(), &hull, &message);
    if ((result == TAC_OK) != (hull != NULL)) abort();
    if (result != TAC_OK && (result != TAC_ERROR_VALUE || !message.text[0])) abort();
    if (hull) check_hull(hull, point, count);
    tac_hull_destroy(hull);
    return 0;
}
