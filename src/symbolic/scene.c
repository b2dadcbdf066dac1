// Energies of a scene as formulas.
//
//   model/ --bodies, joints, numbers--> [this file] --T, V--> lagrange.c --M, c--> program.c
//
// A frame carries what energies need, in its own axes: angular velocity w, velocity v of its
// origin, gravity u, and s = gravity . place of its origin. No rotation of the world is ever
// formed: going from a body to the next turns three vectors. docs/symbolic.md has the formulas.

#include "symbolic/lagrange.h"
#include "symbolic/vec.h"

#include <math.h>
#include <stdio.h>

typedef struct exprFrame {
    exprVec w, v, u;
    tacExpr s;
} exprFrame;

//---------------------------------- turns ----------------------------------------

// a number of a rotation: what rounding left of 0 and 1 would stay in every formula
static double clean(double a) {
    double whole = round(a);
    return fabs(a - whole) < 1e-15 ? whole : a;
}

// the columns of the rotation of a quaternion of any length, 0 is none
static void columns(tacGraph* g, const double q[4], exprVec out[3]) {
    double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    int none = !(n >= 1e-30);
    double k = none ? 0.0 : 2.0 / n, w = q[0], x = q[1], y = q[2], z = q[3];
    const double R[3][3] = {
        {clean(1.0 - k * (y * y + z * z)), clean(k * (x * y + w * z)), clean(k * (x * z - w * y))},
        {clean(k * (x * y - w * z)), clean(1.0 - k * (x * x + z * z)), clean(k * (y * z + w * x))},
        {clean(k * (x * z + w * y)), clean(k * (y * z - w * x)), clean(1.0 - k * (x * x + y * y))},
    };
    for (int i = 0; i < 3; ++i) out[i] = vec_number(g, R[i]);
}

//---------------------------------- frames ---------------------------------------

static exprFrame world_frame(tacGraph* g, const tacModel* model) {
    const double none[3] = {0.0};
    int pulls = !(model->disable & TAC_DISABLE_GRAVITY);
    exprVec zero = vec_number(g, none);
    return (exprFrame){zero, zero, vec_number(g, pulls ? model->param + model->gravity : none),
                       zero.x};
}

// as the body is written in its parent, before any joint
static exprFrame attached(tacGraph* g, const tacModel* model, const tacBody* body, exprFrame f) {
    exprVec arm = vec_number(g, model->param + body->position), R[3];
    columns(g, model->param + body->rotation, R);
    f.s = tac_expr_add(g, f.s, vec_dot(g, f.u, arm));
    f.v = vec_turned(g, R, vec_add(g, f.v, vec_cross(g, f.w, arm)));
    f.w = vec_turned(g, R, f.w), f.u = vec_turned(g, R, f.u);
    return f;
}

static exprVec unit_axis(tacGraph* g, const tacModel* model, const tacJoint* joint) {
    const double* a = model->param + joint->axis;
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    const double unit[3] = {clean(a[0] / length), clean(a[1] / length), clean(a[2] / length)};
    return vec_number(g, unit);
}

static exprFrame slid(tacGraph* g, exprVec axis, tacExpr way, tacExpr speed, exprFrame f) {
    exprVec arm = vec_scale(g, axis, way);
    f.s = tac_expr_add(g, f.s, vec_dot(g, f.u, arm));
    f.v = vec_add(g, f.v, vec_add(g, vec_cross(g, f.w, arm), vec_scale(g, axis, speed)));
    return f;
}

// A joint that turns about the point at `arm`, which stays: `before` are w, u and the velocity of
// that point in the turned axes, `spin` is what the joint adds to w.
static exprFrame turned_frame(tacGraph* g, exprVec arm, exprVec spin, const exprVec before[3],
                              exprFrame f) {
    f.s = tac_expr_add(g, f.s, vec_dot(g, f.u, arm));
    f.w = vec_add(g, before[0], spin), f.u = before[1];
    f.v = vec_sub(g, before[2], vec_cross(g, f.w, arm));
    f.s = tac_expr_sub(g, f.s, vec_dot(g, f.u, arm));
    return f;
}

static exprFrame hinged(tacGraph* g, exprVec axis, exprVec arm, tacExpr angle, tacExpr speed,
                        exprFrame f) {
    exprVec anchor = vec_add(g, f.v, vec_cross(g, f.w, arm));
    const exprVec before[3] = {vec_turned_about(g, axis, angle, f.w),
                               vec_turned_about(g, axis, angle, f.u),
                               vec_turned_about(g, axis, angle, anchor)};
    return turned_frame(g, arm, vec_scale(g, axis, speed), before, f);
}

static exprFrame balled(tacGraph* g, exprVec arm, const tacExpr quat[4], exprVec spin,
                        exprFrame f) {
    exprVec anchor = vec_add(g, f.v, vec_cross(g, f.w, arm)), R[3];
    vec_unit_columns(g, quat, R);
    const exprVec before[3] = {vec_turned(g, R, f.w), vec_turned(g, R, f.u),
                               vec_turned(g, R, anchor)};
    return turned_frame(g, arm, spin, before, f);
}

// where the seven numbers say, whatever the body hangs on: that is the world
static exprFrame freed(tacGraph* g, const tacExpr* q, const tacExpr* v, exprFrame world) {
    exprVec R[3], place = {q[0], q[1], q[2]};
    vec_unit_columns(g, q + 3, R);
    return (exprFrame){{v[3], v[4], v[5]},
                       vec_turned(g, R, (exprVec){v[0], v[1], v[2]}),
                       vec_turned(g, R, world.u),
                       vec_dot(g, world.u, place)};
}

static exprFrame moved(tacGraph* g, const tacModel* model, const tacJoint* joint, const tacExpr* q,
                       const tacExpr* v, const exprFrame* world, exprFrame f) {
    q += joint->qpos, v += joint->dof;
    if (joint->kind == TAC_JOINT_FREE) return freed(g, q, v, *world);
    exprVec arm = vec_number(g, model->param + joint->position);
    if (joint->kind == TAC_JOINT_BALL) return balled(g, arm, q, (exprVec){v[0], v[1], v[2]}, f);
    exprVec axis = unit_axis(g, model, joint);
    tacExpr way = tac_expr_sub(g, q[0], tac_number(g, model->param[joint->ref]));
    if (joint->kind == TAC_JOINT_SLIDE) return slid(g, axis, way, v[0], f);
    return hinged(g, axis, arm, way, v[0], f);
}

//---------------------------------- energies -------------------------------------

// m |v + w x com|^2/2 + w . I w/2
static tacExpr kinetic(tacGraph* g, const tacModel* model, const tacBody* body, exprFrame f) {
    const double* I = model->param + body->inertia;
    const double rows[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
    exprVec com = vec_number(g, model->param + body->com);
    exprVec speed = vec_add(g, f.v, vec_cross(g, f.w, com)), R[3];
    for (int i = 0; i < 3; ++i) R[i] = vec_number(g, rows[i]);
    tacExpr linear =
        tac_expr_mul(g, tac_number(g, 0.5 * model->param[body->mass]), vec_dot(g, speed, speed));
    tacExpr turning = vec_dot(g, f.w, vec_turned(g, R, f.w));
    return tac_expr_add(g, linear, tac_expr_mul(g, tac_fraction(g, 1, 2), turning));
}

// -m gravity . place of the centre of mass
static tacExpr potential(tacGraph* g, const tacModel* model, const tacBody* body, exprFrame f) {
    tacExpr height = tac_expr_add(g, f.s, vec_dot(g, f.u, vec_number(g, model->param + body->com)));
    return tac_expr_mul(g, tac_number(g, -model->param[body->mass]), height);
}

static void name_symbols(tacGraph* g, const tacModel* model, tacExpr* q, tacExpr* v) {
    char name[24];
    for (int k = 0; k < model->nq; ++k) {
        snprintf(name, sizeof name, "q%d", k);
        q[k] = tac_symbol(g, name);
    }
    for (int k = 0; k < model->nv; ++k) {
        snprintf(name, sizeof name, "v%d", k);
        v[k] = tac_symbol(g, name);
    }
}

tacResult tac_scene_energies(tacGraph* g, const tacModel* model, tacExpr* q, tacExpr* v, tacExpr* T,
                             tacExpr* V) {
    size_t size = sizeof(exprFrame) * (size_t)model->nbody;
    exprFrame* frame = g->result == TAC_OK ? tac_graph_take(g, size) : NULL;
    if (!frame) return g->result;
    name_symbols(g, model, q, v);
    frame[0] = world_frame(g, model);
    tacExpr moving = tac_fraction(g, 0, 1), still = moving;
    for (int b = 1; b < model->nbody && g->result == TAC_OK; ++b) {
        const tacBody* body = &model->body[b];
        exprFrame f = attached(g, model, body, frame[body->parent]);
        for (int j = 0; j < body->joints; ++j)
            f = moved(g, model, model->joint + body->first_joint + j, q, v, frame, f);
        frame[b] = f;
        moving = tac_expr_add(g, moving, kinetic(g, model, body, f));
        still = tac_expr_add(g, still, potential(g, model, body, f));
    }
    tac_graph_give(g, frame, size);
    if (g->result == TAC_OK) *T = moving, *V = still;
    return g->result;
}

//---------------------------------- equations ------------------------------------

// the rate of a quaternion: q (0, w)/2
static void quaternion_rate(tacGraph* g, const tacExpr q[4], exprVec w, tacExpr* out) {
    exprVec axis = {q[1], q[2], q[3]};
    exprVec turn = vec_add(g, vec_scale(g, w, q[0]), vec_cross(g, axis, w));
    tacExpr half = tac_fraction(g, 1, 2);
    out[0] = tac_expr_mul(g, tac_fraction(g, -1, 2), vec_dot(g, axis, w));
    out[1] = tac_expr_mul(g, half, turn.x);
    out[2] = tac_expr_mul(g, half, turn.y);
    out[3] = tac_expr_mul(g, half, turn.z);
}

static void joint_rate(tacGraph* g, const tacJoint* joint, const tacExpr* q, const tacExpr* v,
                       tacExpr* rate, int* turning) {
    int free = joint->kind == TAC_JOINT_FREE, plain = free ? 3 : 1;
    q += joint->qpos, v += joint->dof, rate += joint->qpos, turning += joint->dof;
    if (joint->kind != TAC_JOINT_BALL)
        for (int k = 0; k < plain; ++k) rate[k] = v[k];
    if (!free && joint->kind != TAC_JOINT_BALL) return;
    int first = free ? 3 : 0;
    quaternion_rate(g, q + first, (exprVec){v[first], v[first + 1], v[first + 2]}, rate + first);
    turning[first] = 1;
}

tacResult tac_scene_equations(tacGraph* g, const tacModel* model, tacExpr* q, tacExpr* v,
                              tacExpr* M, tacExpr* c) {
    tacExpr T, V, *rate;
    int nv = model->nv, *turning;
    if (tac_scene_energies(g, model, q, v, &T, &V) != TAC_OK) return g->result;
    rate = tac_graph_map(g, model->nq, TAC_EXPR_NONE);
    turning = rate ? tac_graph_map(g, nv, 0) : NULL;
    for (int j = 0; j < model->njoint && turning; ++j)
        joint_rate(g, model->joint + j, q, v, rate, turning);
    tacCoordinates x = {q, v, rate, turning, model->nq, nv};
    if (turning) tac_equations(g, T, V, &x, M, c);
    for (int k = 0; k < nv && g->result == TAC_OK; ++k) {
        tacExpr* d = M + (size_t)k * (size_t)(nv + 1);
        double armature = model->param[model->joint[model->dof[k].joint].armature];
        *d = tac_expr_add(g, *d, tac_number(g, armature));
    }
    tac_graph_unmap(g, turning, nv);
    tac_graph_unmap(g, rate, model->nq);
    return g->result;
}
