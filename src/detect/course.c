// Where bodies are on the path of a step, and bounds of how much their paths bend.

#include "detect/course.h"

static tacVec3 param3(const tacModel* model, int offset) {
    return tac_load3(model->param + offset);
}

//---------------------------------- joints at a time ----------------------------------

// displacement of a degree of freedom, and its rate
static double moved(const tacCourse* c, int dof, double t) {
    return t * (c->v[dof] + (c->a ? t * c->a[dof] : 0.0));
}

static double rate(const tacCourse* c, int dof, double t) {
    return c->v[dof] + (c->a ? 2.0 * t * c->a[dof] : 0.0);
}

static tacVec3 moved3(const tacCourse* c, int dof, double t) {
    return tac_vec3(moved(c, dof, t), moved(c, dof + 1, t), moved(c, dof + 2, t));
}

static tacVec3 rate3(const tacCourse* c, int dof, double t) {
    return tac_vec3(rate(c, dof, t), rate(c, dof + 1, t), rate(c, dof + 2, t));
}

// the quaternion exp(w)
static tacQuat turn_of(tacVec3 w) {
    double angle = tac_norm(w), half = 0.5 * angle;
    double s = angle > 1e-4 ? sin(half) / angle : 0.5 - angle * angle / 48.0;
    return tac_quat(cos(half), tac_scale(w, s));
}

// turns the body with u(t) in its own axes
static void turn(const tacCourse* c, int dof, double t, tacFlight* f) {
    tacVec3 u = moved3(c, dof, t), w = rate3(c, dof, t);
    f->pose.rotation = tac_quat_mul(f->pose.rotation, turn_of(u));
    if (c->a) w = tac_mat_mul_vec(tac_so3_right_jacobian(u), w);
    f->twist.angular = tac_add(f->twist.angular, tac_pose_rotate(f->pose, w));
}

static void slide(const tacModel* model, const tacCourse* c, const tacJoint* j, double t,
                  tacFlight* f) {
    tacVec3 axis = tac_pose_rotate(f->pose, tac_normalize(param3(model, j->axis)));
    double s = c->qpos[j->qpos] - model->param[j->ref] + moved(c, j->dof, t);
    tacVec3 by = tac_scale(axis, s), v = tac_cross(f->twist.angular, by);
    f->pose.position = tac_add(f->pose.position, by);
    f->twist.linear = tac_add(f->twist.linear, tac_add_scaled(v, rate(c, j->dof, t), axis));
}

static void move_origin(tacFlight* f, tacVec3 to) {
    f->twist = tac_twist_shift(f->twist, f->pose.position, to);
    f->pose.position = to;
}

// hinge and ball turn the body about a point that stays
static void swing(const tacModel* model, const tacCourse* c, const tacJoint* j, double t,
                  tacFlight* f) {
    tacVec3 arm = param3(model, j->position);
    move_origin(f, tac_pose_apply(f->pose, arm));
    if (j->kind == TAC_JOINT_HINGE) {
        tacVec3 axis = tac_normalize(param3(model, j->axis));
        double angle = c->qpos[j->qpos] - model->param[j->ref] + moved(c, j->dof, t);
        tacVec3 world = tac_pose_rotate(f->pose, axis);
        f->pose.rotation = tac_quat_mul(f->pose.rotation, turn_of(tac_scale(axis, angle)));
        f->twist.angular = tac_add_scaled(f->twist.angular, rate(c, j->dof, t), world);
    } else {
        tacQuat q = tac_quat_normalize(tac_quat_load(c->qpos + j->qpos));
        f->pose.rotation = tac_quat_mul(f->pose.rotation, q);
        turn(c, j->dof, t, f);
    }
    move_origin(f, tac_pose_apply(f->pose, tac_neg(arm)));
}

static void fly(const tacCourse* c, const tacJoint* j, double t, tacFlight* f) {
    const double* q = c->qpos + j->qpos;
    f->pose.position = tac_add(tac_load3(q), moved3(c, j->dof, t));
    f->pose.rotation = tac_quat_normalize(tac_quat_load(q + 3));
    f->twist = (tacTwist){rate3(c, j->dof, t), tac_vec3_zero()};
    turn(c, j->dof + 3, t, f);
}

static void attach(const tacModel* model, const tacBody* b, tacFlight* f) {
    tacPose local = {param3(model, b->position),
                     tac_quat_normalize(tac_quat_load(model->param + b->rotation))};
    move_origin(f, tac_pose_apply(f->pose, local.position));
    f->pose.rotation = tac_quat_normalize(tac_quat_mul(f->pose.rotation, local.rotation));
}

tacFlight tac_course_body(const tacModel* model, const tacCourse* course, double t, int body,
                          int* chain) {
    tacFlight f = {tac_pose_identity(), tac_twist_zero()};
    int depth = 0;
    for (int b = body; b > 0; b = model->body[b].parent) chain[depth++] = b;
    while (depth > 0) {
        const tacBody* b = &model->body[chain[--depth]];
        attach(model, b, &f);
        for (int i = 0; i < b->joints; ++i) {
            const tacJoint* j = &model->joint[b->first_joint + i];
            if (j->kind == TAC_JOINT_FREE)
                fly(course, j, t, &f);
            else if (j->kind == TAC_JOINT_SLIDE)
                slide(model, course, j, t, &f);
            else
                swing(model, course, j, t, &f);
        }
    }
    return f;
}

//---------------------------------- bounds ----------------------------------

static double length(const double* x, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += x[i] * x[i];
    return sqrt(sum);
}

// largest |v + 2 t a| of some degrees of freedom: at one of the ends, as it is convex
static double fastest(const tacCourse* c, int dof, int count) {
    double end[3] = {0.0};
    for (int i = 0; i < count; ++i) end[i] = rate(c, dof + i, c->span);
    return fmax(length(c->v + dof, count), length(end, count));
}

static double bent(const tacCourse* c, int dof, int count) {
    return c->a ? 2.0 * length(c->a + dof, count) : 0.0;
}

// the origin moves to a point of the body that is `arm` away
static void carry(tacBend* b, double arm) { b->origin += (b->twirl + b->spin * b->spin) * arm; }

// A turn by u(t) in the axes of what turns. Its own spin is J(u) u', |J| <= 1, and |J'| <= |u'|/2;
// for u along u' it does not change.
static void add_turn(tacBend* b, double speed, double change, int straight) {
    b->twirl += change + b->spin * speed + (straight ? 0.0 : 0.5 * speed * speed);
    b->spin += speed;
}

static void bend_joint(const tacModel* model, const tacCourse* c, const tacJoint* j, tacBend* b) {
    if (j->kind == TAC_JOINT_FREE) {
        *b = (tacBend){.origin = bent(c, j->dof, 3)};
        add_turn(b, fastest(c, j->dof + 3, 3), bent(c, j->dof + 3, 3), !c->a);
    } else if (j->kind == TAC_JOINT_SLIDE) {
        double s = fabs(c->qpos[j->qpos] - model->param[j->ref]);
        double speed = fastest(c, j->dof, 1);
        carry(b, s + speed * c->span);
        b->origin += 2.0 * b->spin * speed + bent(c, j->dof, 1);
    } else {
        int count = j->kind == TAC_JOINT_HINGE ? 1 : 3;
        double arm = tac_norm(param3(model, j->position));
        carry(b, arm);
        add_turn(b, fastest(c, j->dof, count), bent(c, j->dof, count), count == 1 || !c->a);
        carry(b, arm);
    }
}

void tac_course_bends(const tacModel* model, const tacCourse* course, tacBend* bend) {
    bend[0] = (tacBend){0.0, 0.0, 0.0};
    for (int i = 1; i < model->nbody; ++i) {
        const tacBody* body = &model->body[i];
        tacBend b = bend[body->parent];
        carry(&b, tac_norm(param3(model, body->position)));
        for (int j = 0; j < body->joints; ++j)
            bend_joint(model, course, &model->joint[body->first_joint + j], &b);
        bend[i] = b;
    }
}

//---------------------------------- check ----------------------------------

// numbers whose squares can be added
static int is_usable(const tacModel* model, const tacCourse* c) {
    const double most = 1e12;
    for (int i = 0; i < model->nq; ++i) {
        if (!(fabs(c->qpos[i]) <= most)) return 0;
    }
    for (int i = 0; i < model->nv; ++i) {
        if (!(fabs(c->v[i]) <= most) || (c->a && !(fabs(c->a[i]) <= most))) return 0;
    }
    return c->span >= 0.0 && c->span <= most;
}

tacResult tac_course_check(const tacModel* model, const tacCourse* course) {
    if (!model || !course || !course->qpos || (model->nv > 0 && !course->v)) return TAC_ERROR_VALUE;
    if (!model->contact || !model->contact->piece) return TAC_ERROR_UNSUPPORTED;
    return is_usable(model, course) ? TAC_OK : TAC_ERROR_VALUE;
}
