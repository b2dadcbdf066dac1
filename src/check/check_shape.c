// A shape's value and gradient as a function to prove: x = (point, twist of the pose, the
// parameters that the shape depends on).

#include "check/shape_problem.h"

#include "math/quat.h"
#include "math/vec3.h"

#include <string.h>

// inputs in the number type at hand
typedef struct shapeInput {
    tacModel model;
    tacPose pose;
    tacPoints points;
} shapeInput;

static int is_point(const double* block) {
    for (int k = 0; k < 6; ++k)
        if (block[k] != block[k + 3]) return 0;
    return 1;
}

// A sweep at a point has the derivatives of a point that stays one (sweep_coefs.inl): its control
// points go where their mean goes.
static void gather_points(const tacCheckShape* c, const double* base_param, tacReal* param) {
    const tacShape* shape = &c->model->shape[c->shape];
    for (int i = shape->first; i < shape->first + shape->count; ++i) {
        const tacNode* node = &c->model->node[i];
        if (node->kind != TAC_NODE_SWEEP || !is_point(base_param + node->block)) continue;
        tacReal* p = param + node->block;
        for (int k = 0; k < 3; ++k) {
            tacReal mean = p[k] + ((p[3 + k] - p[k]) + (p[6 + k] - p[k])) * (1.0 / 3.0);
            p[k] = p[3 + k] = p[6 + k] = mean;
        }
    }
}

// all parameters of the model, those of the shape replaced by x
static tacReal* make_param(const tacCheckShape* c, const tacReal* x) {
    tacReal* param = c->memory;
    const double* base_param = (const double*)c->model->param; // the model is the double build's
    for (int i = 0; i < c->model->nparam; ++i) param[i] = base_param[i];
    for (int k = 0; k < c->used_count; ++k) param[c->used[k]] = x[k];
    gather_points(c, base_param, param);
    return param;
}

// boxes around the points as they are now
static tacCloudPage* refresh_pages(const tacCheckShape* c, const tacReal* param) {
    const tacShape* shape = &c->model->shape[c->shape];
    for (int i = shape->first; i < shape->first + shape->count; ++i) {
        if (c->model->node[i].kind != TAC_NODE_CLOUD) continue;
        const tacCloud* cloud = &c->model->cloud[c->model->node[i].cloud];
        tac_cloud_refresh(cloud, param, &c->page[cloud->page]);
    }
    return c->page;
}

static shapeInput make_input(const tacCheckShape* c, const tacReal* x) {
    shapeInput s;
    s.model = *c->model;
    s.model.param = make_param(c, x + 9);
    s.model.cloudpage = refresh_pages(c, s.model.param);
    s.points = (tacPoints){1, {&x[0], &x[1], &x[2]}};
    // position + t, (1, omega/2) q: the curve of a constant twist up to third order
    tacReal position[3], rotation[4], half[3];
    for (int k = 0; k < 3; ++k) {
        position[k] = c->position[k] + x[3 + k];
        half[k] = 0.5 * x[6 + k];
    }
    for (int k = 0; k < 4; ++k) rotation[k] = c->rotation[k];
    s.pose.position = tac_load3(position);
    s.pose.rotation = tac_quat_mul(tac_quat(1.0, tac_load3(half)), tac_quat_load(rotation));
    return s;
}

// second array of nparam numbers: a tangent or adjoint of all parameters
static tacReal* clear_param(const tacCheckShape* c) {
    tacReal* param = (tacReal*)c->memory + c->model->nparam;
    memset(param, 0, sizeof(tacReal) * (size_t)c->model->nparam);
    return param;
}

static tacResult value(const void* context, const tacReal* x, tacReal* y) {
    const tacCheckShape* c = context;
    shapeInput s = make_input(c, x);
    tacField out = {.value = &y[0], .gradient = {&y[1], &y[2], &y[3]}};
    return tac_shape_eval(&s.model, c->shape, s.pose, s.points, out, c->scratch);
}

static tacResult shape_jvp(const void* context, const tacReal* x, const tacReal* x_dot,
                           tacReal* y_dot) {
    const tacCheckShape* c = context;
    shapeInput s = make_input(c, x);
    tacReal* param_dot = clear_param(c);
    for (int k = 0; k < c->used_count; ++k) param_dot[c->used[k]] = x_dot[9 + k];
    tacShapeTangent tangent = {{&x_dot[0], &x_dot[1], &x_dot[2]}, &x_dot[3], param_dot};
    tacField out = {.value = &y_dot[0], .gradient = {&y_dot[1], &y_dot[2], &y_dot[3]}};
    return tac_shape_jvp(&s.model, c->shape, s.pose, s.points, tangent, out, c->scratch);
}

static tacResult shape_vjp(const void* context, const tacReal* x, const tacReal* y_bar,
                           tacReal* x_bar) {
    const tacCheckShape* c = context;
    shapeInput s = make_input(c, x);
    tacReal* param_bar = clear_param(c);
    memset(x_bar, 0, sizeof(tacReal) * 9);
    tacReal bar[4] = {y_bar[0], y_bar[1], y_bar[2], y_bar[3]};
    tacShapeAdjoint adjoint = {{&x_bar[0], &x_bar[1], &x_bar[2]}, &x_bar[3], param_bar};
    tacField field_bar = {.value = &bar[0], .gradient = {&bar[1], &bar[2], &bar[3]}};
    tacResult result =
        tac_shape_vjp(&s.model, c->shape, s.pose, s.points, field_bar, adjoint, c->scratch);
    for (int k = 0; k < c->used_count; ++k) x_bar[9 + k] = param_bar[c->used[k]];
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_shape_) = {value, shape_jvp, shape_vjp};
