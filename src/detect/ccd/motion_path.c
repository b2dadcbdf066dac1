// Poses of bodies on the path of a step, and bounds of the curvature of their paths.

#include "detect/ccd/motion_path.h"

static tacVec3 param3(const tacModel* model, int offset) {
    return tac_load3(model->param + offset);
}

//---------------------------------- joints at a time ----------------------------------

// displacement of a degree of freedom, and its rate
static double displacement(const tacMotionPath* c, int dof, double t) {
    return t * (c->v[dof] + (c->a ? t * c->a[dof] : 0.0));
}

static double joint_rate(const tacMotionPath* c, int dof, double t) {
    return c->v[dof] + (c->a ? 2.0 * t * c->a[dof] : 0.0);
}

static tacVec3 displacement3(const tacMotionPath* c, int dof, double t) {
    return tac_vec3(displacement(c, dof, t), displacement(c, dof + 1, t),
                    displacement(c, dof + 2, t));
}

static tacVec3 joint_rate3(const tacMotionPath* c, int dof, double t) {
    return tac_vec3(joint_rate(c, dof, t), joint_rate(c, dof + 1, t), joint_rate(c, dof + 2, t));
}

// the quaternion exp(w)
static tacQuat quat_exp(tacVec3 w) {
    double angle = tac_norm(w), half = 0.5 * angle;
    double s = angle > 1e-4 ? sin(half) / angle : 0.5 - angle * angle / 48.0;
    return tac_quat(cos(half), tac_scale(w, s));
}

// turns the body with u(t) in its own axes
static void apply_rotation(const tacMotionPath* c, int dof, double t, tacMotionState* f) {
    tacVec3 u = displacement3(c, dof, t), w = joint_rate3(c, dof, t);
    f->pose.rotation = tac_quat_mul(f->pose.rotation, quat_exp(u));
    if (c->a) w = tac_mat_mul_vec(tac_so3_right_jacobian(u), w);
    f->twist.angular = tac_add(f->twist.angular, tac_pose_rotate(f->pose, w));
}

static void apply_slide(const tacModel* model, const tacMotionPath* c, const tacJoint* j, double t,
                        tacMotionState* f) {
    tacVec3 axis = tac_pose_rotate(f->pose, tac_normalize(param3(model, j->axis)));
    double s = c->qpos[j->qpos] - model->param[j->ref] + displacement(c, j->dof, t);
    tacVec3 by = tac_scale(axis, s), v = tac_cross(f->twist.angular, by);
    f->pose.position = tac_add(f->pose.position, by);
    f->twist.linear = tac_add(f->twist.linear, tac_add_scaled(v, joint_rate(c, j->dof, t), axis));
}

static void move_origin(tacMotionState* f, tacVec3 to) {
    f->twist = tac_twist_shift(f->twist, f->pose.position, to);
    f->pose.position = to;
}

// hinge and ball turn the body about a point that stays
static void apply_rotation_joint(const tacModel* model, const tacMotionPath* c, const tacJoint* j,
                                 double t, tacMotionState* f) {
    tacVec3 arm = param3(model, j->position);
    move_origin(f, tac_pose_apply(f->pose, arm));
    if (j->kind == TAC_JOINT_HINGE) {
        tacVec3 axis = tac_normalize(param3(model, j->axis));
        double angle = c->qpos[j->qpos] - model->param[j->ref] + displacement(c, j->dof, t);
        tacVec3 world = tac_pose_rotate(f->pose, axis);
        f->pose.rotation = tac_quat_mul(f->pose.rotation, quat_exp(tac_scale(axis, angle)));
        f->twist.angular = tac_add_scaled(f->twist.angular, joint_rate(c, j->dof, t), world);
    } else {
        tacQuat q = tac_quat_normalize(tac_quat_load(c->qpos + j->qpos));
        f->pose.rotation = tac_quat_mul(f->pose.rotation, q);
        apply_rotation(c, j->dof, t, f);
    }
    move_origin(f, tac_pose_apply(f->pose, tac_neg(arm)));
}

// a small displacement is added to a small position, so that it keeps its digits
static void apply_free_joint(const tacMotionPath* c, const tacJoint* j, double t, tacVec3 origin,
                             tacMotionState* f) {
    const double* q = c->qpos + j->qpos;
    f->pose.position = tac_add(tac_sub(tac_load3(q), origin), displacement3(c, j->dof, t));
    f->pose.rotation = tac_quat_normalize(tac_quat_load(q + 3));
    f->twist = (tacTwist){joint_rate3(c, j->dof, t), tac_vec3_zero()};
    apply_rotation(c, j->dof + 3, t, f);
}

static void attach_body(const tacModel* model, const tacBody* b, tacMotionState* f) {
    tacPose local = {param3(model, b->position),
                     tac_quat_normalize(tac_quat_load(model->param + b->rotation))};
    move_origin(f, tac_pose_apply(f->pose, local.position));
    f->pose.rotation = tac_quat_normalize(tac_quat_mul(f->pose.rotation, local.rotation));
}

tacMotionState tac_motion_path_body(const tacModel* model, const tacMotionPath* path, double t,
                                    int body, const double origin[3], int* chain) {
    tacVec3 from = origin ? tac_load3(origin) : tac_vec3_zero();
    tacMotionState f = {tac_pose_identity(), tac_twist_zero()};
    int depth = 0;
    f.pose.position = tac_neg(from);
    for (int b = body; b > 0; b = model->body[b].parent) chain[depth++] = b;
    while (depth > 0) {
        const tacBody* b = &model->body[chain[--depth]];
        attach_body(model, b, &f);
        for (int i = 0; i < b->joints; ++i) {
            const tacJoint* j = &model->joint[b->first_joint + i];
            if (j->kind == TAC_JOINT_FREE)
                apply_free_joint(path, j, t, from, &f);
            else if (j->kind == TAC_JOINT_SLIDE)
                apply_slide(model, path, j, t, &f);
            else
                apply_rotation_joint(model, path, j, t, &f);
        }
    }
    return f;
}

//---------------------------------- bounds ----------------------------------

static double norm_of_reals(const double* x, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += x[i] * x[i];
    return sqrt(sum);
}

// largest |v + 2 t a| of some degrees of freedom: at one of the ends, as it is convex
static double max_speed(const tacMotionPath* c, int dof, int count) {
    double end[3] = {0.0};
    for (int i = 0; i < count; ++i) end[i] = joint_rate(c, dof + i, c->span);
    return fmax(norm_of_reals(c->v + dof, count), norm_of_reals(end, count));
}

static double joint_acceleration(const tacMotionPath* c, int dof, int count) {
    return c->a ? 2.0 * norm_of_reals(c->a + dof, count) : 0.0;
}

// the origin moves to a point of the body that is `arm` away
static void shift_bound(tacCurvatureBound* b, double arm) {
    b->origin += (b->spin_rate + b->spin * b->spin) * arm;
}

// A turn by u(t) in the axes of what turns. Its own spin is J(u) u', |J| <= 1, and |J'| <= |u'|/2;
// for u along u' it does not change.
static void add_rotation_bound(tacCurvatureBound* b, double speed, double change, int straight) {
    b->spin_rate += change + b->spin * speed + (straight ? 0.0 : 0.5 * speed * speed);
    b->spin += speed;
}

static void add_joint_bound(const tacModel* model, const tacMotionPath* c, const tacJoint* j,
                            tacCurvatureBound* b) {
    if (j->kind == TAC_JOINT_FREE) {
        *b = (tacCurvatureBound){.origin = joint_acceleration(c, j->dof, 3)};
        add_rotation_bound(b, max_speed(c, j->dof + 3, 3), joint_acceleration(c, j->dof + 3, 3),
                           !c->a);
    } else if (j->kind == TAC_JOINT_SLIDE) {
        double s = fabs(c->qpos[j->qpos] - model->param[j->ref]);
        double speed = max_speed(c, j->dof, 1);
        shift_bound(b, s + speed * c->span);
        b->origin += 2.0 * b->spin * speed + joint_acceleration(c, j->dof, 1);
    } else {
        int count = j->kind == TAC_JOINT_HINGE ? 1 : 3;
        double arm = tac_norm(param3(model, j->position));
        shift_bound(b, arm);
        add_rotation_bound(b, max_speed(c, j->dof, count), joint_acceleration(c, j->dof, count),
                           count == 1 || !c->a);
        shift_bound(b, arm);
    }
}

void tac_motion_path_curvature_bounds(const tacModel* model, const tacMotionPath* path,
                                      tacCurvatureBound* curvature) {
    curvature[0] = (tacCurvatureBound){0.0, 0.0, 0.0};
    for (int i = 1; i < model->nbody; ++i) {
        const tacBody* body = &model->body[i];
        tacCurvatureBound b = curvature[body->parent];
        shift_bound(&b, tac_norm(param3(model, body->position)));
        for (int j = 0; j < body->joints; ++j)
            add_joint_bound(model, path, &model->joint[body->first_joint + j], &b);
        curvature[i] = b;
    }
}

//---------------------------------- check ----------------------------------

// numbers whose squares can be added
static int has_usable_numbers(const tacModel* model, const tacMotionPath* c) {
    const double most = 1e12;
    for (int i = 0; i < model->nq; ++i) {
        if (!(fabs(c->qpos[i]) <= most)) return 0;
    }
    for (int i = 0; i < model->nv; ++i) {
        if (!(fabs(c->v[i]) <= most) || (c->a && !(fabs(c->a[i]) <= most))) return 0;
    }
    return c->span >= 0.0 && c->span <= most;
}

tacResult tac_motion_path_check(const tacModel* model, const tacMotionPath* path) {
    if (!model || !path || !path->qpos || (model->nv > 0 && !path->v)) return TAC_ERROR_VALUE;
    if (!model->contact || model->contact->detector != TAC_DETECT_GJK) return TAC_ERROR_UNSUPPORTED;
    return has_usable_numbers(model, path) ? TAC_OK : TAC_ERROR_VALUE;
}
