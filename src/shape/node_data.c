// Frames and constants of a shape's nodes, and their derivatives.
//
// Nodes stand in post-order, so a walk from the last to the first meets parents before children. A
// twist of a node's frame carries its whole subtree: tangents add downwards, adjoints upwards.

#include "shape/node_data.h"

#include "math/quat.h"
#include "math/vec3.h"

//---------------------------------- frames ---------------------------------------

static tacFrame pose_frame(tacPose pose) {
    tacFrame f;
    f.R = tac_quat_to_mat(pose.rotation);
    tac_store3(f.origin, pose.position);
    return f;
}

static tacFrame parent_frame(const tacShape* shape, const tacNode* node,
                             const tacNodeData* node_data, tacPose pose) {
    return node->parent < 0 ? pose_frame(pose) : node_data[node->parent - shape->first].frame;
}

static tacFrame child_frame(tacFrame parent, const tacReal* position, const tacReal* rotation) {
    tacFrame f;
    tacVec3 shift = tac_mat_mul_vec(parent.R, tac_load3(position));
    f.R = tac_mat_mul(parent.R, tac_quat_to_mat(tac_quat_load(rotation)));
    tac_store3(f.origin, tac_add(tac_load3(parent.origin), shift));
    return f;
}

//---------------------------------- constants ------------------------------------

// near(e) rises from 0 to 1 between 0.65 and 0.8 with two continuous derivatives: below, powers 2/e
// of a coordinate are at least cubic and need no rounding
static tacReal exponent_smoothstep(tacReal e, tacReal* slope) {
    tacReal t = r_max(r_min((e - 0.65) * (1.0 / 0.15), 1.0), 0.0), rest = 1.0 - t;
    *slope = 30.0 / 0.15 * t * t * rest * rest;
    return t * t * t * (10.0 + t * (6.0 * t - 15.0));
}

// Rounding of the coordinate planes, w^2 = TAC_SQ_ROUNDING (e - 1)^2 near(e) for |y|^(2/e), and of
// the pole axis, TAC_SQ_ROUNDING (e1 - e2)^2 near(e1) for (|x|^(2/e2) + |y|^(2/e2))^(e2/e1):
// nothing for an ellipsoid
typedef struct seamRounding {
    tacReal polar, around; // w^2 of z, and of x and y
    tacReal d_polar;       // d polar/d e1
    tacReal d_around[2];   // d around/d e1, e2
} seamRounding;

static seamRounding seam_rounding_of(const tacReal e[2]) {
    seamRounding w;
    tacReal slope1, slope2, near1 = exponent_smoothstep(e[0], &slope1),
                            near2 = exponent_smoothstep(e[1], &slope2);
    tacReal over1 = e[0] - 1.0, over2 = e[1] - 1.0, difference = e[0] - e[1];
    w.polar = TAC_SQ_ROUNDING * over1 * over1 * near1;
    w.around = TAC_SQ_ROUNDING * (over2 * over2 * near2 + difference * difference * near1);
    w.d_polar = TAC_SQ_ROUNDING * over1 * (2.0 * near1 + over1 * slope1);
    w.d_around[0] = TAC_SQ_ROUNDING * difference * (2.0 * near1 + difference * slope1);
    w.d_around[1] =
        TAC_SQ_ROUNDING * (over2 * (2.0 * near2 + over2 * slope2) - 2.0 * difference * near1);
    return w;
}

// Ridges of exponents above 1, W^2 = TAC_SQ_RIDGE (e - 1)^3: two continuous derivatives by e. They
// meet at the centre, and the core grows with them.
static tacReal over_one(tacReal e) { return r_max(e - 1.0, 0.0); }

static tacReal ridged_core(const tacReal e[2]) {
    tacReal o1 = over_one(e[0]), o2 = over_one(e[1]);
    return TAC_CORE * (1.0 + 3.0 * (o1 * o1 * o1 + o2 * o2 * o2));
}

static tacReal ridged_core_dot(const tacReal e[2], const tacReal e_dot[2]) {
    tacReal o1 = over_one(e[0]), o2 = over_one(e[1]);
    return 9.0 * TAC_CORE * (o1 * o1 * e_dot[0] + o2 * o2 * e_dot[1]);
}

static void bind_ridges(tacNodeData* b) {
    tacReal o1 = over_one(b->e[0]), o2 = over_one(b->e[1]);
    b->ridged = tac_re(b->e[0]) > 1.0 || tac_re(b->e[1]) > 1.0;
    b->ridge[2] = TAC_SQ_RIDGE * o1 * o1 * o1;
    b->ridge[0] = b->ridge[1] = b->ridge[2] + TAC_SQ_RIDGE * o2 * o2 * o2;
}

static void ridges_dot(const tacNodeData* b, tacLeafDot* d) {
    tacReal o1 = over_one(b->e[0]), o2 = over_one(b->e[1]);
    d->ridge[2] = 3.0 * TAC_SQ_RIDGE * o1 * o1 * d->e[0];
    d->ridge[0] = d->ridge[1] = d->ridge[2] + 3.0 * TAC_SQ_RIDGE * o2 * o2 * d->e[1];
}

// kappa = (sum 1/a^2)^(-1/2), radius of a ball inside every superquadric with these semi-axes
static tacReal kappa(const tacNodeData* b) {
    return 1.0 / r_sqrt(b->inv_a2[0] + b->inv_a2[1] + b->inv_a2[2]);
}

static tacReal kappa_dot(const tacNodeData* b, const tacReal size_dot[3]) {
    tacReal k = kappa(b), sum = 0.0;
    for (int i = 0; i < tac_node_size_count(b->kind); ++i)
        sum += b->inv_a2[i] * size_dot[i] / b->size[i];
    return k * k * k * sum;
}

static tacReal rms(const tacReal a[3]) {
    return r_sqrt((a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (1.0 / 3.0));
}

// rounding makes g larger by 1 + sqrt(3) (W_1 + W_2 + W_3) at most: so much of the ball still fits
static tacReal ridged_ball(const tacNodeData* b, tacReal k) {
    tacReal W = r_sqrt(b->ridge[0]) + r_sqrt(b->ridge[1]) + r_sqrt(b->ridge[2]);
    return k / (1.0 + r_sqrt(3.0) * W);
}

static void bind_superquadric(tacNodeData* b) {
    for (int i = 0; i < 2; ++i) b->inv_e[i] = 1.0 / b->e[i];
    seamRounding w = seam_rounding_of(b->e);
    b->w2[2] = TAC_SQ_PLANE + w.polar;
    b->w2[0] = b->w2[1] = TAC_SQ_PLANE + w.around;
    for (int i = 0; i < 3; ++i) {
        tacReal a2 = b->size[i] * b->size[i];
        b->inv_a2[i] = 1.0 / a2;
        b->delta[i] = b->w2[i] * a2;
    }
    bind_ridges(b);
    tacReal k = kappa(b);
    b->inner = b->ridged ? ridged_ball(b, k) : r_min(b->size[0], r_min(b->size[1], b->size[2]));
    b->outer = r_sqrt(3.0) * rms(b->size);
    b->guard = TAC_SQ_PLANE / (k * k);
    b->core.radius = ridged_core(b->e) * k;
    b->core.cap = b->distance == TAC_DISTANCE_RADIAL ? -rms(b->size) : -r_sqrt(3.0) * k;
}

static void superquadric_dot(const tacNodeData* b, tacLeafDot* d) {
    seamRounding w = seam_rounding_of(b->e);
    ridges_dot(b, d);
    tacReal around = w.d_around[0] * d->e[0] + w.d_around[1] * d->e[1];
    tacReal w2_dots[3] = {around, around, w.d_polar * d->e[0]};
    tacReal k_dot = kappa_dot(b, d->size), square_dot = 0.0;
    for (int i = 0; i < 3; ++i) {
        d->log_a[i] = d->size[i] / b->size[i];
        d->w2_a2[i] = w2_dots[i] * b->size[i] * b->size[i];
        d->delta[i] = d->w2_a2[i] + 2.0 * b->delta[i] * d->log_a[i];
        square_dot += b->size[i] * d->size[i];
    }
    d->radius = ridged_core(b->e) * k_dot + ridged_core_dot(b->e, d->e) * kappa(b);
    d->cap = b->distance == TAC_DISTANCE_RADIAL ? -square_dot / (3.0 * rms(b->size))
                                                : -r_sqrt(3.0) * k_dot;
}

// a capsule is as wide as its radius, however short; the others as their smallest size
static void bind_softening(tacNodeData* b) {
    int count = b->kind == TAC_NODE_CAPSULE ? 1 : tac_node_size_count(b->kind);
    for (int i = 0; i < count; ++i) b->inv_a2[i] = 1.0 / (b->size[i] * b->size[i]);
    b->width = TAC_SOFT * kappa(b);
    b->guard = TAC_SOFT_GUARD * b->width * b->width;
}

static void bind_cloud(tacNodeData* b, const tacCloud* cloud, const tacCloudPage* pages) {
    b->cloud = cloud;
    b->page = &pages[cloud->page];
    b->levels = tac_cloud_levels(cloud->count);
    b->extent = tac_cloud_extent(cloud, b->page);
    b->inv_eps = cloud->kernel == TAC_CLOUD_ANISOTROPIC ? (tacReal)1.0 : 1.0 / (b->tau * b->tau);
    b->cutoff_depth = tac_cloud_cutoff(cloud, &b->extent, tac_re(b->inv_eps));
}

//---------------------------------- own numbers ----------------------------------

int tac_node_param_offsets(const tacNode* node, int offset[TAC_LEAF_PARAMS]) {
    int count = 0;
    for (int k = 0; k < tac_node_size_count(node->kind); ++k) offset[count++] = node->size + k;
    for (int k = 0; k < 2 && node->eps >= 0; ++k) offset[count++] = node->eps + k;
    return count;
}

tacLeafDot tac_leaf_dot(const tacNodeData* b, const tacNodeDataDot* dot) {
    tacLeafDot d = {.tau = dot->tau, .block = dot->block};
    int sizes = tac_node_size_count(b->kind);
    for (int k = 0; k < sizes; ++k) d.size[k] = dot->leaf_params[k];
    for (int k = sizes; k < b->param_count; ++k) d.e[k - sizes] = dot->leaf_params[k];
    if (b->kind == TAC_NODE_SUPERQUADRIC) superquadric_dot(b, &d);
    if (tac_node_is_soft(b->kind)) d.width = TAC_SOFT * kappa_dot(b, d.size);
    return d;
}

tacLeafDot tac_leaf_dot_unit(const tacNodeData* b, int k) {
    tacNodeDataDot dot = {0};
    dot.leaf_params[k] = 1.0;
    return tac_leaf_dot(b, &dot);
}

//---------------------------------- value ----------------------------------------

static void bind_constants(const tacModel* model, const tacNode* node, tacNodeData* b) {
    int offset[TAC_LEAF_PARAMS], sizes = tac_node_size_count(node->kind);
    b->param_count = tac_node_param_offsets(node, offset);
    for (int k = 0; k < sizes; ++k) b->size[k] = model->param[offset[k]];
    for (int k = sizes; k < b->param_count; ++k) b->e[k - sizes] = model->param[offset[k]];
    if (node->kind == TAC_NODE_SPHERE) b->core.radius = TAC_CORE * b->size[0];
    if (node->kind == TAC_NODE_ELLIPSOID) {
        b->kind = TAC_NODE_SUPERQUADRIC;
        b->e[0] = b->e[1] = 1.0;
    }
    if (b->kind == TAC_NODE_SUPERQUADRIC) bind_superquadric(b);
    if (tac_node_is_soft(b->kind)) bind_softening(b);
    if (node->smooth >= 0) b->tau = model->param[node->smooth];
    if (node->block >= 0) {
        b->block = &model->param[node->block];
        b->block_count = node->block_count;
    }
    if (node->kind == TAC_NODE_CLOUD) bind_cloud(b, &model->cloud[node->cloud], model->cloudpage);
    b->layout = node->layout;
}

void tac_node_data_bind(const tacModel* model, const tacShape* shape, tacPose pose,
                        tacNodeData* node_data) {
    for (int i = shape->count - 1; i >= 0; --i) {
        const tacNode* node = &model->node[shape->first + i];
        tacNodeData* b = &node_data[i];
        *b = (tacNodeData){.kind = node->kind, .distance = node->distance, .exact = shape->exact};
        b->frame = child_frame(parent_frame(shape, node, node_data, pose),
                               &model->param[node->position], &model->param[node->rotation]);
        tac_store3(b->about, pose.position);
        if (node->parent < 0 && node->kind == TAC_NODE_UNION) b->end = shape->truncate;
        bind_constants(model, node, b);
    }
}

//---------------------------------- derivatives ----------------------------------

// angular velocity, in the parent's axes, of a frame whose raw quaternion q moves by q_dot:
// omega = 2 vec(q_dot q*)/|q|^2, and its transpose
static tacVec3 angular_velocity_of_quat(tacQuat q, tacQuat q_dot) {
    tacQuat product = tac_quat_mul(q_dot, tac_quat_conj(q));
    return tac_scale(tac_quat_vec(product), 2.0 * tac_quat_inverse_norm2(q));
}

static tacQuat angular_velocity_of_quat_vjp(tacQuat q, tacVec3 bar) {
    return tac_quat_scale(tac_quat_mul(tac_quat(0.0, bar), q), 2.0 * tac_quat_inverse_norm2(q));
}

// arm from a node's origin to the point that twists are taken about
static tacVec3 lever_arm(const tacNodeData* b) {
    return tac_sub(tac_load3(b->about), tac_load3(b->frame.origin));
}

// twist of the node's frame within its parent
static void add_param_twist(const tacNode* node, const tacReal* param, const tacReal* param_dot,
                            tacFrame parent, const tacNodeData* b, tacReal twist[6]) {
    tacVec3 shift = tac_mat_mul_vec(parent.R, tac_load3(&param_dot[node->position]));
    tacVec3 omega = angular_velocity_of_quat(tac_quat_load(&param[node->rotation]),
                                             tac_quat_load(&param_dot[node->rotation]));
    omega = tac_mat_mul_vec(parent.R, omega);
    tacVec3 linear = tac_add(tac_add(tac_load3(twist), shift), tac_cross(omega, lever_arm(b)));
    tac_store3(twist, linear);
    tac_store3(twist + 3, tac_add(tac_load3(twist + 3), omega));
}

void tac_node_data_jvp(const tacModel* model, const tacShape* shape, tacPose pose,
                       const tacNodeData* node_data, const tacReal* pose_dot,
                       const tacReal* param_dot, tacNodeDataDot* dot) {
    for (int i = shape->count - 1; i >= 0; --i) {
        const tacNode* node = &model->node[shape->first + i];
        tacNodeDataDot* d = &dot[i];
        *d = (tacNodeDataDot){0};
        const tacReal* above = node->parent < 0 ? pose_dot : dot[node->parent - shape->first].twist;
        for (int k = 0; k < 6 && above; ++k) d->twist[k] = above[k];
        if (!param_dot) continue;
        add_param_twist(node, model->param, param_dot, parent_frame(shape, node, node_data, pose),
                        &node_data[i], d->twist);
        int offset[TAC_LEAF_PARAMS], param_count = tac_node_param_offsets(node, offset);
        for (int k = 0; k < param_count; ++k) d->leaf_params[k] = param_dot[offset[k]];
        if (node->smooth >= 0) d->tau = param_dot[node->smooth];
        if (node->block >= 0) d->block = &param_dot[node->block];
    }
}

static void add_pose_param_bars(const tacNode* node, const tacReal* param, tacFrame parent,
                                const tacNodeData* b, const tacReal wrench[6], tacReal* param_bar) {
    tacVec3 force = tac_load3(wrench);
    tacVec3 moment = tac_add(tac_load3(wrench + 3), tac_cross(lever_arm(b), force));
    tacVec3 position = tac_mat_tmul_vec(parent.R, force);
    tacQuat rotation = angular_velocity_of_quat_vjp(tac_quat_load(&param[node->rotation]),
                                                    tac_mat_tmul_vec(parent.R, moment));
    tacReal* p = &param_bar[node->position];
    tacReal* q = &param_bar[node->rotation];
    p[0] += position.x;
    p[1] += position.y;
    p[2] += position.z;
    q[0] += rotation.w;
    q[1] += rotation.x;
    q[2] += rotation.y;
    q[3] += rotation.z;
}

static void add_leaf_param_bars(const tacNode* node, const tacNodeDataBar* bar,
                                tacReal* param_bar) {
    int offset[TAC_LEAF_PARAMS], param_count = tac_node_param_offsets(node, offset);
    for (int k = 0; k < param_count; ++k) param_bar[offset[k]] += bar->leaf_params[k];
    if (node->smooth >= 0) param_bar[node->smooth] += bar->tau;
}

void tac_node_data_bar_clear(const tacModel* model, const tacShape* shape, tacReal* param_bar,
                             tacNodeDataBar* bar) {
    for (int i = 0; i < shape->count; ++i) {
        int block = model->node[shape->first + i].block;
        bar[i] = (tacNodeDataBar){.block = block >= 0 && param_bar ? &param_bar[block] : NULL};
    }
}

void tac_node_data_vjp(const tacModel* model, const tacShape* shape, tacPose pose,
                       const tacNodeData* node_data, tacNodeDataBar* bar, tacReal* pose_bar,
                       tacReal* param_bar) {
    for (int i = 0; i < shape->count; ++i) {
        const tacNode* node = &model->node[shape->first + i];
        tacReal* above = node->parent < 0 ? pose_bar : bar[node->parent - shape->first].twist;
        for (int k = 0; k < 6 && above; ++k) above[k] += bar[i].twist[k];
        if (!param_bar) continue;
        add_pose_param_bars(node, model->param, parent_frame(shape, node, node_data, pose),
                            &node_data[i], bar[i].twist, param_bar);
        add_leaf_param_bars(node, &bar[i], param_bar);
    }
}
