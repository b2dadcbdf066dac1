// The extent of a shape, for pictures.
//
// The surface of a cloud is closed or not depending on its normals, so a proven ball around it is
// loose, or there is none. A picture still has to frame it, and its rays should end soon. So points
// are sampled on spheres, from the largest inwards, until one is inside.

#include "draw/extent.h"

#include "math/pose.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <math.h>

#define SAMPLES      1024 // on a sphere
#define FIRST_RADIUS 1e6  // radius of the first sphere, and
#define LAST_RADIUS  1e-6 // of the last                                        [m]

typedef struct extentWorkspace {
    double x[3][SAMPLES], value[SAMPLES];
} extentWorkspace;

// is any point of the sphere inside?
static int any_inside(const tacModel* model, int shape, tacBall ball, extentWorkspace* workspace,
                      tacScratch* scratch) {
    for (int i = 0; i < SAMPLES; ++i) {
        double z = 1.0 - (2.0 * i + 1.0) / SAMPLES, r = sqrt(1.0 - z * z);
        double turn = 2.399963229728653 * i; // the golden angle
        workspace->x[0][i] = ball.center.x + ball.radius * r * cos(turn);
        workspace->x[1][i] = ball.center.y + ball.radius * r * sin(turn);
        workspace->x[2][i] = ball.center.z + ball.radius * z;
    }
    tacPoints points = {SAMPLES, {workspace->x[0], workspace->x[1], workspace->x[2]}};
    tacField field = {.value = workspace->value};
    if (tac_shape_eval(model, shape, tac_pose_identity(), points, field, scratch) != TAC_OK)
        return 1;
    for (int i = 0; i < SAMPLES; ++i)
        if (workspace->value[i] < 0.0) return 1;
    return 0;
}

//---------------------------------- points ---------------------------------------

// the points of a shape's clouds, in the shape's frame: a box around them, and how far they are
// from a point
typedef struct pointExtent {
    tacVec3 low, high, from;
    double radius; // -1 without points
} pointExtent;

static void extend_to(pointExtent* s, tacVec3 x) {
    s->low = tac_vec3(fmin(s->low.x, x.x), fmin(s->low.y, x.y), fmin(s->low.z, x.z));
    s->high = tac_vec3(fmax(s->high.x, x.x), fmax(s->high.y, x.y), fmax(s->high.z, x.z));
    s->radius = fmax(s->radius, tac_distance(x, s->from));
}

static pointExtent extent_of_clouds(const tacModel* model, const tacShape* shape, tacVec3 from) {
    pointExtent s = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, from, -1.0};
    for (int i = shape->first; i < shape->first + shape->count; ++i) {
        const tacNode* node = &model->node[i];
        if (node->kind != TAC_NODE_CLOUD) continue;
        tacPose pose = tac_draw_node_pose(model, i);
        size_t count = (size_t)model->cloud[node->cloud].count;
        const double* p = model->param + node->block;
        for (size_t k = 0; k < count; ++k)
            extend_to(&s, tac_pose_apply(pose, tac_vec3(p[k], p[k + count], p[k + 2 * count])));
    }
    return s;
}

//---------------------------------- search ---------------------------------------

// below the radius of `ball`, outside of which nothing is inside
static double search_radius(const tacModel* model, int shape, tacBall ball,
                            extentWorkspace* workspace, tacScratch* scratch) {
    double bound = ball.radius, radius = fmin(bound, FIRST_RADIUS), step = 0.5;
    ball.radius = radius;
    if (bound > FIRST_RADIUS && any_inside(model, shape, ball, workspace, scratch)) return INFINITY;
    for (; radius > LAST_RADIUS; radius = ball.radius) {
        ball.radius = step * radius;
        if (any_inside(model, shape, ball, workspace, scratch)) break;
    }
    if (radius <= LAST_RADIUS) return INFINITY; // nothing was found
    step = 0.92;
    for (int i = 0; i < 8; ++i, radius = ball.radius) {
        ball.radius = step * radius;
        if (any_inside(model, shape, ball, workspace, scratch)) break;
    }
    return 1.05 * radius;
}

// in the frame of the shape
static tacBall local_ball(const tacModel* model, int shape, tacScratch* scratch) {
    const tacShape* s = &model->shape[shape];
    tacBall ball = tac_shape_ball(model, shape, scratch);
    pointExtent extent = extent_of_clouds(model, s, ball.center);
    if (extent.radius < 0.0) return ball;
    if (!isfinite(ball.radius)) {
        ball.center = tac_scale(tac_add(extent.low, extent.high), 0.5);
        extent = extent_of_clouds(model, s, ball.center);
    }
    tacAllocator a = model->allocator;
    extentWorkspace* workspace = a.allocate(a.user, sizeof *workspace);
    if (!workspace) return ball;
    double found = search_radius(model, shape, ball, workspace, scratch);
    a.release(a.user, workspace);
    if (isfinite(found)) ball.radius = fmin(ball.radius, fmax(found, 1.05 * extent.radius));
    return ball;
}

tacBall tac_draw_ball(const tacModel* model, int shape, tacPose pose, tacScratch* scratch) {
    tacBall ball = local_ball(model, shape, scratch);
    ball.center = tac_pose_apply(pose, ball.center);
    return ball;
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
