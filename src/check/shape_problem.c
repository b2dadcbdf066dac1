// Where a shape is checked: near and far, at its centres and axes, on its surface.

#include "check/shape_problem.h"

#include "shape/sweep/sweep_coefs.inl"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// |y_i|/a_i equal: on the diagonals of a superquadric; other nodes have no three sizes
static void sample_tie(const double size[3], double y[3]) {
    if (size[2] <= 0.0) return;
    double t = fabs(y[0] / size[0]);
    for (int k = 0; k < 3; ++k) y[k] = copysign(t * size[k], y[k]);
}

// where three planes of a polyhedron are equally high: its corners and their continuation
static void sample_corner(const tacNodeData* b, int i, double y[3]) {
    const double* p[3];
    double side[2][3], rise[2], way[3];
    for (int k = 0; k < 3; ++k)
        p[k] = &b->block[4 * ((i / 11 + k * (1 + i / 77)) % (b->block_count / 4))];
    for (int r = 0; r < 2; ++r) {
        rise[r] = p[0][3] - p[r + 1][3];
        for (int k = 0; k < 3; ++k) side[r][k] = p[r + 1][k] - p[0][k];
    }
    for (int k = 0; k < 3; ++k) {
        int n = (k + 1) % 3, m = (k + 2) % 3;
        way[k] = side[0][n] * side[1][m] - side[0][m] * side[1][n];
    }
    double det = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
    if (det < 1e-6) return;
    double t = y[0];
    for (int k = 0; k < 3; ++k) {
        int n = (k + 1) % 3, m = (k + 2) % 3;
        double across = rise[0] * (side[1][n] * way[m] - side[1][m] * way[n]) -
                        rise[1] * (side[0][n] * way[m] - side[0][m] * way[n]);
        y[k] = (across + t * way[k]) / det;
    }
}

// A point of a node's frame: near, far or close to its origin; now and then exactly at the origin,
// on an axis or on a coordinate plane.
static int sample_local(const tacCheckShape* c, int i, const tacNodeData* b,
                        unsigned long long* random, double y[3]) {
    double reach = i % 7 == 3 ? c->far : c->size * (i % 7 == 5 ? 0.02 : 1.5);
    for (int k = 0; k < 3; ++k) y[k] = reach * tac_check_normal(random);
    int special = i % 11, axis = i / 11 % 3;
    if (special == 0) y[0] = y[1] = y[2] = 0.0;
    if (special == 1) y[axis] = 0.0;
    if (special == 2) y[axis] = y[(axis + 1) % 3] = 0.0;
    if (special == 3 && b->kind == TAC_NODE_POLYHEDRON)
        sample_corner(b, i, y);
    else if (special == 3)
        sample_tie(b->size, y);
    return special > 2 && i % 7 != 5 ? 4 : 1;
}

// half of the points of a cloud's frame: at one of its points, or within a few widths of it
static void sample_near_cloud(const tacCheckShape* c, const tacNodeData* b, int i,
                              unsigned long long* random, double y[3]) {
    int n = b->cloud->count, point = (int)((unsigned)i / 2u * 2654435761u % (unsigned)n);
    double width = i % 8 == 1 ? 0.0 : 2.0 * c->smooth;
    for (int k = 0; k < 3; ++k) y[k] = b->block[k * n + point] + width * tac_check_normal(random);
}

// how long a spline is, about; 0 for a point
static double spline_length(const double* p) {
    double square = 0.0;
    for (int k = 0; k < 6; ++k) square += (p[k + 3] - p[k]) * (p[k + 3] - p[k]);
    return sqrt(square);
}

// shortest spline of a sweep, but points; infinite without any
static double shortest_spline(const tacModel* model, const tacShape* shape) {
    double least = INFINITY;
    for (int i = 0; i < shape->count; ++i) {
        const tacNode* node = &model->node[shape->first + i];
        double length =
            node->kind == TAC_NODE_SWEEP ? spline_length(&model->param[node->block]) : 0.0;
        if (length > 0.0) least = fmin(least, length);
    }
    return least;
}

// control points move by a share of their spline's length, whatever their coordinates are
static void scale_splines(const tacCheckShape* c, double* scale) {
    const tacShape* shape = &c->model->shape[c->shape];
    for (int i = shape->first; i < shape->first + shape->count; ++i) {
        const tacNode* node = &c->model->node[i];
        if (node->kind != TAC_NODE_SWEEP) continue;
        double length = spline_length(&c->model->param[node->block]);
        for (int k = 0; k < c->used_count; ++k)
            if (c->used[k] >= node->block && c->used[k] < node->block + TAC_SWEEP_UP)
                scale[k] = 0.1 * (length > 0.0 ? length : c->size);
    }
}

// On the spline of a sweep, or on the axis of its parabola, where two feet are equally far.
static void sample_spline(const tacNodeData* b, int i, double y[3]) {
    sweepCoefs s;
    sweep_bind(b, &s);
    double vertex = -s.in[TAC_IN_VERTEX], t = i % 2 ? i % 17 / 16.0 : vertex, bend = i % 5 - 1.0;
    for (int k = 0; k < 3; ++k) {
        const double* p = s.poly[TAC_POLY_POINT + k];
        y[k] = p[0] + t * (p[1] + t * p[2]) + (i % 2 ? 0.0 : bend * s.in[TAC_IN_SECOND_DIFF + k]);
    }
}

// A typical change of a parameter: a share of its size, or where it is 0 of its neighbours'; of
// positions that are all 0 a share of the shape's size, of other such numbers (twists) of 1.
static double shape_param_scale(const tacCheckShape* c, int offset) {
    const tacParamName* group = &c->model->paramname[c->model->paramgroup[offset]];
    double own = fabs(c->model->param[offset]), most = 0.0;
    for (int i = 0; i < group->param.count; ++i)
        most = fmax(most, fabs(c->model->param[group->param.offset + i]));
    if (own > 0.0) return 0.3 * own;
    return 0.1 * (most > 0.0 ? most : strstr(group->name, "/pos") ? c->size : 1.0);
}

static int sample_shape(const void* context, int i, unsigned long long* random, double* x,
                        double* scale) {
    const tacCheckShape* c = context;
    const tacNodeData* b = &c->bound[i % c->model->shape[c->shape].count];
    const tacFrame* f = &b->frame;
    double y[3];
    int smooth = sample_local(c, i, b, random, y);
    if (b->kind == TAC_NODE_CLOUD && i % 2) sample_near_cloud(c, b, i, random, y);
    if (b->kind == TAC_NODE_SWEEP && i % 13 == 4) {
        sample_spline(b, i, y);
        smooth = 1;
    }
    for (int k = 0; k < 3; ++k) {
        x[k] = f->origin[k] + f->R.m[k][0] * y[0] + f->R.m[k][1] * y[1] + f->R.m[k][2] * y[2];
        x[3 + k] = x[6 + k] = 0.0;
        scale[k] = scale[3 + k] = c->size;
        scale[6 + k] = 1.0;
    }
    for (int k = 0; k < c->used_count; ++k) {
        x[9 + k] = c->model->param[c->used[k]];
        scale[9 + k] = shape_param_scale(c, c->used[k]);
    }
    scale_splines(c, scale + 9);
    return smooth;
}

static tacPose shape_pose(const tacCheckShape* c) {
    return (tacPose){{c->position[0], c->position[1], c->position[2]},
                     {c->rotation[0], c->rotation[1], c->rotation[2], c->rotation[3]}};
}

static tacResult shape_hvp(const void* context, const double* x, const double* y_bar,
                           const double* x_dot, double* x_bar_dot) {
    const tacCheckShape* c = context;
    double* param_dot = c->memory;
    double* param_bar = param_dot + c->model->nparam;
    memset(param_dot, 0, 2 * sizeof(double) * (size_t)c->model->nparam);
    memset(x_bar_dot, 0, 9 * sizeof(double));
    for (int k = 0; k < c->used_count; ++k) param_dot[c->used[k]] = x_dot[9 + k];
    double bar[4] = {y_bar[0], y_bar[1], y_bar[2], y_bar[3]};
    tacPoints points = {1, {&x[0], &x[1], &x[2]}};
    tacField field_bar = {.value = &bar[0], .gradient = {&bar[1], &bar[2], &bar[3]}};
    tacShapeTangent tangent = {{&x_dot[0], &x_dot[1], &x_dot[2]}, &x_dot[3], param_dot};
    tacShapeAdjoint adjoint = {
        {&x_bar_dot[0], &x_bar_dot[1], &x_bar_dot[2]}, &x_bar_dot[3], param_bar};
    tacResult result = tac_shape_hvp(c->model, c->shape, shape_pose(c), points, field_bar, tangent,
                                     adjoint, c->scratch);
    for (int k = 0; k < c->used_count; ++k) x_bar_dot[9 + k] = param_bar[c->used[k]];
    return result;
}

//---------------------------------- parameters of a shape ------------------------

// numbers of a block that are looked at: all, or this many spread over it
#define MOST_OF_BLOCK 96

static int block_param_count(const tacNode* node) {
    return node->block_count < MOST_OF_BLOCK ? node->block_count : MOST_OF_BLOCK;
}

static void add_param(tacCheckShape* c, int offset) { c->used[c->used_count++] = offset; }

// nodes may share a temperature
static void add_param_once(tacCheckShape* c, int offset) {
    for (int k = 0; k < c->used_count; ++k)
        if (c->used[k] == offset) return;
    add_param(c, offset);
}

static int max_params(const tacModel* model, const tacShape* shape) {
    int most = shape->count * (8 + TAC_LEAF_PARAMS);
    for (int i = 0; i < shape->count; ++i)
        most += block_param_count(&model->node[shape->first + i]);
    return most;
}

static void add_all_params(tacCheckShape* c, const tacShape* shape) {
    for (int i = 0; i < shape->count; ++i) {
        const tacNode* node = &c->model->node[shape->first + i];
        int own[TAC_LEAF_PARAMS], owned = tac_node_param_offsets(node, own);
        for (int k = 0; k < 3; ++k) add_param(c, node->position + k);
        for (int k = 0; k < 4; ++k) add_param(c, node->rotation + k);
        for (int k = 0; k < owned; ++k) add_param(c, own[k]);
        if (node->smooth >= 0) add_param_once(c, node->smooth);
        int uses = block_param_count(node);
        for (int k = 0; k < uses; ++k)
            add_param(c, node->block + (int)((long long)k * node->block_count / uses));
    }
}

static tacCloudExtent cloud_extent(const tacModel* model, const tacNode* node) {
    const tacCloud* cloud = &model->cloud[node->cloud];
    return tac_cloud_extent(cloud, &model->cloudpage[cloud->page]);
}

// shortest length over which weights of a cloud fall
static double cloud_width(const tacModel* model, const tacNode* node) {
    return node->smooth >= 0 ? model->param[node->smooth]
                             : 1.0 / sqrt(cloud_extent(model, node).metric_eig[1]);
}

static double smallest_smooth(const tacModel* model, const tacShape* shape) {
    double least = INFINITY;
    for (int i = 0; i < shape->count; ++i) {
        const tacNode* node = &model->node[shape->first + i];
        if (node->smooth >= 0) least = fmin(least, model->param[node->smooth]);
        if (node->kind == TAC_NODE_CLOUD) least = fmin(least, cloud_width(model, node));
    }
    return least;
}

// farthest coordinate of a sweep's control points, and its largest semi-axis
static double sweep_size(const tacModel* model, const tacNode* node) {
    const double* block = &model->param[node->block];
    double most = 0.0;
    for (int k = 0; k < 9; ++k) most = fmax(most, fabs(block[k]));
    for (int k = 0; k < tac_sweep_size_count(node->layout); ++k)
        most = fmax(most, block[TAC_SWEEP_SIZE + k]);
    return most;
}

// largest size of a leaf; 1 for a lone half-space
static double typical_size(const tacModel* model, const tacShape* shape) {
    double most = 0.0;
    for (int i = 0; i < shape->count; ++i) {
        const tacNode* node = &model->node[shape->first + i];
        for (int k = 0; k < tac_node_size_count(node->kind); ++k)
            most = fmax(most, model->param[node->size + k]);
        if (node->kind == TAC_NODE_CLOUD) most = fmax(most, 0.5 * cloud_extent(model, node).size);
        for (int k = 3; k < node->block_count && node->kind == TAC_NODE_POLYHEDRON; k += 4)
            most = fmax(most, fabs(model->param[node->block + k])); // distance of a plane
        if (node->kind == TAC_NODE_SWEEP) most = fmax(most, sweep_size(model, node));
    }
    return most > 0.0 ? most : 1.0;
}

// on a whole plane both feet of a sweep are equally far: there its temperature meets the rounding
// of tangent distances, 1e-15 |x|
static int has_sweep(const tacModel* model, const tacShape* shape) {
    for (int i = 0; i < shape->count; ++i)
        if (model->node[shape->first + i].kind == TAC_NODE_SWEEP) return 1;
    return 0;
}

tacResult tac_check_shape_begin(const tacModel* model, int shape, tacCheckShape* context,
                                tacCheckProblem* problem) {
    *context = (tacCheckShape){.model = model,
                               .shape = shape,
                               .position = {0.1, -0.2, 0.3},
                               .rotation = {0.8, 0.1, -0.5, 0.3},
                               .size = typical_size(model, &model->shape[shape]),
                               .smooth = smallest_smooth(model, &model->shape[shape])};
    const tacShape* s = &model->shape[shape];
    context->far = 1e3 * context->size;
    context->used = malloc(sizeof(int) * (size_t)max_params(model, s));
    context->memory = malloc(2 * 16 * (size_t)model->nparam + 16); // 16: complex and quad
    context->bound = malloc(sizeof(tacNodeData) * (size_t)s->count);
    context->page = malloc(sizeof(tacCloudPage) * (size_t)(model->ncloudpage + 1));
    tacResult result = context->used && context->memory && context->bound && context->page
                           ? tac_scratch_create(model, &context->scratch)
                           : TAC_ERROR_MEMORY;
    if (result != TAC_OK) {
        tac_check_shape_end(context);
        return result;
    }
    tac_node_data_bind(model, s, shape_pose(context), context->bound);
    add_all_params(context, s);
    *problem = (tacCheckProblem){.name = s->name,
                                 .n = 9 + context->used_count,
                                 .m = 4,
                                 .curved = {6, 9},
                                 .context = context,
                                 .as_double = &tac_check_shape_double,
                                 .as_complex = &tac_check_shape_complex,
                                 .as_quad = &tac_check_shape_quad,
                                 .hvp = shape_hvp,
                                 .sample = sample_shape};
    return TAC_OK;
}

void tac_check_shape_end(tacCheckShape* context) {
    tac_scratch_destroy(context->scratch);
    free(context->page);
    free(context->bound);
    free(context->memory);
    free(context->used);
}

tacCheckOptions tac_check_shape_options(const tacCheckShape* context) {
    tacCheckOptions options = tac_check_default_options();
    int swept = has_sweep(context->model, &context->model->shape[context->shape]);
    options.first *= swept ? 100.0 : 10.0; // a jvp holds a Hessian
    if (swept) options.second *= 100.0;
    // a foot is rounded at 1e-16 |x| over the length of its spline
    double length = shortest_spline(context->model, &context->model->shape[context->shape]);
    options.first *= fmax(1.0, 1e-6 * context->far / length);
    options.second *= fmax(1.0, 1e-8 * context->far / length);
    // distances of far points are rounded at 1e-16 |x| before they are divided by the temperature
    options.first *= fmax(1.0, 1e-4 * context->far / context->smooth);
    options.second *= fmax(1.0, 1e-8 * context->far / context->smooth);
    return options;
}
