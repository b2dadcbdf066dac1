// How far a shape reaches, for pictures.
//
// No ball is proven around some shapes: the surface of a cloud closes or not as its normals will. A
// picture still has to frame them, and its rays must end. So places are tried on spheres, from far
// away inwards, until one is inside.

#include "draw/extent.h"

#include <math.h>

#define PLACES 1024 // on a sphere
#define FAR    1e6  // radius of the first sphere, and
#define NEAR   1e-6 // of the last                                        [m]

typedef struct extentSpace {
    double x[3][PLACES], value[PLACES];
} extentSpace;

// is any place of the sphere inside?
static int meets(const tacModel* model, int shape, double radius, extentSpace* space,
                 tacScratch* scratch) {
    for (int i = 0; i < PLACES; ++i) {
        double z = 1.0 - (2.0 * i + 1.0) / PLACES, r = sqrt(1.0 - z * z);
        double turn = 2.399963229728653 * i; // the golden angle
        space->x[0][i] = radius * r * cos(turn), space->x[1][i] = radius * r * sin(turn);
        space->x[2][i] = radius * z;
    }
    tacPoints points = {PLACES, {space->x[0], space->x[1], space->x[2]}};
    tacField field = {.value = space->value};
    if (tac_shape_eval(model, shape, tac_pose_identity(), points, field, scratch) != TAC_OK)
        return 1;
    for (int i = 0; i < PLACES; ++i)
        if (space->value[i] < 0.0) return 1;
    return 0;
}

static double search(const tacModel* model, int shape, extentSpace* space, tacScratch* scratch) {
    double radius = FAR, step = 0.5;
    if (meets(model, shape, radius, space, scratch)) return INFINITY;
    while (radius > NEAR && !meets(model, shape, step * radius, space, scratch)) radius *= step;
    if (radius <= NEAR) return INFINITY; // nothing was found
    step = 0.92;
    for (int i = 0; i < 8 && !meets(model, shape, step * radius, space, scratch); ++i)
        radius *= step;
    return 1.05 * radius;
}

double tac_draw_extent(const tacModel* model, int shape, tacScratch* scratch) {
    double radius = tac_shape_radius(model, shape, scratch);
    tacAllocator a = model->allocator;
    extentSpace* space = isfinite(radius) ? NULL : a.allocate(a.user, sizeof *space);
    if (!space) return radius;
    radius = search(model, shape, space, scratch);
    a.release(a.user, space);
    return radius;
}
