// How far a shape reaches, for pictures.
//
// The surface of a cloud closes or not as its normals will, so a proven ball around it is loose, or
// there is none. A picture has to frame it all the same, and its rays should end soon. So places
// are tried on spheres, from far away inwards, until one is inside.

#include "draw/extent.h"

#include "math/pose.h"
#include "math/quat.h"
#include "math/vec3.h"

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

// largest distance of a cloud's point from the origin of the shape's frame; 0 without clouds
static double points_radius(const tacModel* model, const tacShape* shape) {
    double radius = 0.0;
    for (int i = shape->first; i < shape->first + shape->count; ++i) {
        const tacNode* node = &model->node[i];
        if (node->kind != TAC_NODE_CLOUD) continue;
        tacPose pose = tac_draw_node_pose(model, i);
        size_t count = (size_t)model->cloud[node->cloud].count;
        const double* p = model->param + node->block;
        for (size_t k = 0; k < count; ++k) {
            tacVec3 x = {p[k], p[k + count], p[k + 2 * count]};
            radius = fmax(radius, tac_norm(tac_pose_apply(pose, x)));
        }
    }
    return radius;
}

// below `bound`, outside of which nothing is inside
static double search(const tacModel* model, int shape, double bound, extentSpace* space,
                     tacScratch* scratch) {
    double radius = fmin(bound, FAR), step = 0.5;
    if (bound > FAR && meets(model, shape, radius, space, scratch)) return INFINITY;
    while (radius > NEAR && !meets(model, shape, step * radius, space, scratch)) radius *= step;
    if (radius <= NEAR) return INFINITY; // nothing was found
    step = 0.92;
    for (int i = 0; i < 8 && !meets(model, shape, step * radius, space, scratch); ++i)
        radius *= step;
    return 1.05 * radius;
}

double tac_draw_extent(const tacModel* model, int shape, tacScratch* scratch) {
    double radius = tac_shape_radius(model, shape, scratch);
    double points = points_radius(model, &model->shape[shape]);
    tacAllocator a = model->allocator;
    extentSpace* space = points > 0.0 ? a.allocate(a.user, sizeof *space) : NULL;
    if (!space) return radius;
    double found = search(model, shape, radius, space, scratch);
    a.release(a.user, space);
    return isfinite(found) ? fmin(radius, fmax(found, 1.05 * points)) : radius;
}

tacPose tac_draw_node_pose(const tacModel* model, int node) {
    tacPose pose = tac_pose_identity();
    for (int i = node; i >= 0; i = model->node[i].parent) {
        const tacNode* n = &model->node[i];
        tacPose own = {tac_load3(model->param + n->position),
                       tac_quat_load(model->param + n->rotation)};
        pose = tac_pose_compose(own, pose);
    }
    return pose;
}
