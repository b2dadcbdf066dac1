// Energies of a scene as formulas.
//
//   model/ --bodies, joints, numbers--> [this file] --T, V--> lagrange_equations.c --M, c-->
//   program.c
//
// A frame has what energies need, in its own axes: angular velocity w, velocity v of its
// origin, gravity u, and s = gravity . position of its origin. No rotation to the world is ever
// formed: going from a body to the next rotates three vectors. docs/symbolic.md has the formulas.

#include "symbolic/mechanics/lagrange_equations.h"
#include "symbolic/scene/scene_expr.h"

#include <math.h>
#include <stdio.h>

typedef struct exprFrame {
    exprVec w, v, u;
    tacExpr s;
} exprFrame;

//---------------------------------- numbers --------------------------------------

// its index among the symbols, or -1
static int find_symbol(const tacSceneExpr* s, int offset) {
    for (int i = 0; s->symbols && i < s->symbols->n; ++i)
        if (s->symbols->offset[i] == offset) return i;
    return -1;
}

int tac_scene_is_symbol(const tacSceneExpr* s, int offset, int count) {
    for (int i = 0; i < count; ++i)
        if (find_symbol(s, offset + i) >= 0) return 1;
    return 0;
}

tacExpr tac_scene_number(const tacSceneExpr* s, int offset) {
    int i = find_symbol(s, offset);
    if (i >= 0) return s->symbols->symbol[i];
    double value = s->model->param[offset];
    return s->symbols && s->symbols->exact ? tac_decimal(s->g, value) : tac_number(s->g, value);
}

exprVec tac_scene_vec(const tacSceneExpr* s, int offset) {
    return (exprVec){tac_scene_number(s, offset), tac_scene_number(s, offset + 1),
                     tac_scene_number(s, offset + 2)};
}

//---------------------------------- rotations ------------------------------------

// a number of a rotation: what rounding left of 0 and 1 would stay in every formula
static double snap_rounding(double a) {
    double whole = round(a);
    return fabs(a - whole) < 1e-15 ? whole : a;
}

// of symbols, divided by its length
static void symbol_columns(const tacSceneExpr* s, int offset, exprVec out[3]) {
    tacGraph* g = s->g;
    tacExpr q[4], sum = tac_fraction(g, 0, 1), two = tac_fraction(g, 2, 1);
    for (int i = 0; i < 4; ++i) {
        q[i] = tac_scene_number(s, offset + i);
        sum = tac_expr_add(g, sum, tac_expr_pow(g, q[i], two));
    }
    for (int i = 0; i < 4; ++i) q[i] = tac_expr_div(g, q[i], tac_expr_sqrt(g, sum));
    vec_unit_columns(g, q, out);
}

// the columns of the rotation of a quaternion of any length, 0 is none
static void rotation_columns(const tacSceneExpr* s, int offset, exprVec out[3]) {
    const double* q = s->model->param + offset;
    if (tac_scene_is_symbol(s, offset, 4)) {
        symbol_columns(s, offset, out);
        return;
    }
    double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    int none = !(n >= 1e-30);
    double k = none ? 0.0 : 2.0 / n, w = q[0], x = q[1], y = q[2], z = q[3];
    const double R[3][3] = {
        {snap_rounding(1.0 - k * (y * y + z * z)), snap_rounding(k * (x * y + w * z)),
         snap_rounding(k * (x * z - w * y))},
        {snap_rounding(k * (x * y - w * z)), snap_rounding(1.0 - k * (x * x + z * z)),
         snap_rounding(k * (y * z + w * x))},
        {snap_rounding(k * (x * z + w * y)), snap_rounding(k * (y * z - w * x)),
         snap_rounding(1.0 - k * (x * x + y * y))},
    };
    for (int i = 0; i < 3; ++i) out[i] = vec_number(s->g, R[i]);
}

//---------------------------------- frames ---------------------------------------

static exprFrame world_frame(const tacSceneExpr* s) {
    const double none[3] = {0.0};
    int pulls = !(s->model->disable & TAC_DISABLE_GRAVITY);
    exprVec zero = vec_number(s->g, none);
    return (exprFrame){zero, zero, pulls ? tac_scene_vec(s, s->model->gravity) : zero, zero.x};
}

// pose of the body in its parent, before any joint
static exprFrame attached_frame(const tacSceneExpr* s, const tacBody* body, exprFrame f) {
    tacGraph* g = s->g;
    exprVec arm = tac_scene_vec(s, body->position), R[3];
    rotation_columns(s, body->rotation, R);
    f.s = tac_expr_add(g, f.s, vec_dot(g, f.u, arm));
    f.v = vec_to_axes(g, R, vec_add(g, f.v, vec_cross(g, f.w, arm)));
    f.w = vec_to_axes(g, R, f.w);
    f.u = vec_to_axes(g, R, f.u);
    return f;
}

static exprVec unit_axis(const tacSceneExpr* s, const tacJoint* joint) {
    const double* a = s->model->param + joint->axis;
    if (tac_scene_is_symbol(s, joint->axis, 3)) {
        exprVec axis = tac_scene_vec(s, joint->axis);
        tacExpr root = tac_expr_sqrt(s->g, vec_dot(s->g, axis, axis));
        return vec_scale(s->g, axis, tac_expr_div(s->g, tac_fraction(s->g, 1, 1), root));
    }
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    const double unit[3] = {snap_rounding(a[0] / length), snap_rounding(a[1] / length),
                            snap_rounding(a[2] / length)};
    return vec_number(s->g, unit);
}

static exprFrame slide_frame(tacGraph* g, exprVec axis, tacExpr displacement, tacExpr speed,
                             exprFrame f) {
    exprVec arm = vec_scale(g, axis, displacement);
    f.s = tac_expr_add(g, f.s, vec_dot(g, f.u, arm));
    f.v = vec_add(g, f.v, vec_add(g, vec_cross(g, f.w, arm), vec_scale(g, axis, speed)));
    return f;
}

// A joint that rotates about the fixed point at `arm`: `before` are w, u and the velocity of
// that point in the rotated frame, `spin` is what the joint adds to w.
static exprFrame rotated_frame(tacGraph* g, exprVec arm, exprVec ang_vel, const exprVec before[3],
                               exprFrame f) {
    f.s = tac_expr_add(g, f.s, vec_dot(g, f.u, arm));
    f.w = vec_add(g, before[0], ang_vel);
    f.u = before[1];
    f.v = vec_sub(g, before[2], vec_cross(g, f.w, arm));
    f.s = tac_expr_sub(g, f.s, vec_dot(g, f.u, arm));
    return f;
}

static exprFrame hinge_frame(tacGraph* g, exprVec axis, exprVec arm, tacExpr angle, tacExpr speed,
                             exprFrame f) {
    exprVec anchor = vec_add(g, f.v, vec_cross(g, f.w, arm));
    const exprVec before[3] = {vec_to_rotated_axes(g, axis, angle, f.w),
                               vec_to_rotated_axes(g, axis, angle, f.u),
                               vec_to_rotated_axes(g, axis, angle, anchor)};
    return rotated_frame(g, arm, vec_scale(g, axis, speed), before, f);
}

static exprFrame ball_frame(tacGraph* g, exprVec arm, const tacExpr quat[4], exprVec ang_vel,
                            exprFrame f) {
    exprVec anchor = vec_add(g, f.v, vec_cross(g, f.w, arm)), R[3];
    vec_unit_columns(g, quat, R);
    const exprVec before[3] = {vec_to_axes(g, R, f.w), vec_to_axes(g, R, f.u),
                               vec_to_axes(g, R, anchor)};
    return rotated_frame(g, arm, ang_vel, before, f);
}

// pose by the seven coordinates: the parent is the world
static exprFrame free_frame(tacGraph* g, const tacExpr* q, const tacExpr* v, exprFrame world) {
    exprVec R[3], place = {q[0], q[1], q[2]};
    vec_unit_columns(g, q + 3, R);
    return (exprFrame){{v[3], v[4], v[5]},
                       vec_to_axes(g, R, (exprVec){v[0], v[1], v[2]}),
                       vec_to_axes(g, R, world.u),
                       vec_dot(g, world.u, place)};
}

static exprFrame joint_frame(const tacSceneExpr* s, const tacJoint* joint, const tacExpr* q,
                             const tacExpr* v, const exprFrame* world, exprFrame f) {
    tacGraph* g = s->g;
    q += joint->qpos;
    v += joint->dof;
    if (joint->kind == TAC_JOINT_FREE) return free_frame(g, q, v, *world);
    exprVec arm = tac_scene_vec(s, joint->position);
    if (joint->kind == TAC_JOINT_BALL) return ball_frame(g, arm, q, (exprVec){v[0], v[1], v[2]}, f);
    exprVec axis = unit_axis(s, joint);
    tacExpr displacement = tac_expr_sub(g, q[0], tac_scene_number(s, joint->ref));
    if (joint->kind == TAC_JOINT_SLIDE) return slide_frame(g, axis, displacement, v[0], f);
    return hinge_frame(g, axis, arm, displacement, v[0], f);
}

//---------------------------------- energies -------------------------------------

// m |v + w x com|^2/2 + w . I w/2
static tacExpr kinetic_energy(const tacSceneExpr* s, const tacBody* body, exprFrame f) {
    tacGraph* g = s->g;
    exprVec I = tac_scene_vec(s, body->inertia), P = tac_scene_vec(s, body->inertia + 3);
    const exprVec R[3] = {{I.x, P.x, P.y}, {P.x, I.y, P.z}, {P.y, P.z, I.z}};
    exprVec com = tac_scene_vec(s, body->com);
    exprVec speed = vec_add(g, f.v, vec_cross(g, f.w, com));
    tacExpr half = tac_fraction(g, 1, 2);
    tacExpr weight = tac_expr_mul(g, half, tac_scene_number(s, body->mass));
    tacExpr linear = tac_expr_mul(g, weight, vec_dot(g, speed, speed));
    tacExpr rotational = vec_dot(g, f.w, vec_to_axes(g, R, f.w));
    return tac_expr_add(g, linear, tac_expr_mul(g, half, rotational));
}

// -m gravity . position of the center of mass
static tacExpr potential_energy(const tacSceneExpr* s, const tacBody* body, exprFrame f) {
    tacGraph* g = s->g;
    tacExpr height = tac_expr_add(g, f.s, vec_dot(g, f.u, tac_scene_vec(s, body->com)));
    tacExpr mass = tac_scene_number(s, body->mass);
    return tac_expr_mul(g, tac_expr_mul(g, tac_fraction(g, -1, 1), mass), height);
}

void tac_scene_symbols(tacGraph* g, char letter, int count, tacExpr* out) {
    char name[24];
    for (int k = 0; k < count; ++k) {
        snprintf(name, sizeof name, "%c%d", letter, k);
        out[k] = tac_symbol(g, name);
    }
}

// checks that symbols belong to the graph, and parameters exist
static tacResult check_symbols(const tacSceneExpr* s) {
    if (s->symbols && s->symbols->n > 0 && !s->symbols->offset)
        tac_graph_fail(s->g, TAC_ERROR_VALUE, "the offsets of %d symbols are NULL", s->symbols->n);
    for (int i = 0; s->symbols && s->g->result == TAC_OK && i < s->symbols->n; ++i)
        if (s->symbols->offset[i] < 0 || s->symbols->offset[i] >= s->model->nparam)
            tac_graph_fail(s->g, TAC_ERROR_VALUE,
                           "symbol %d (from 0): the scene has no parameter %d", i,
                           s->symbols->offset[i]);
    if (s->symbols && s->g->result == TAC_OK)
        tac_graph_check(s->g, s->symbols->symbol, s->symbols->n, 0);
    return s->g->result;
}

tacResult tac_scene_energies(tacGraph* g, const tacModel* model, const tacSceneSymbols* symbols,
                             tacExpr* q, tacExpr* v, tacExpr* T, tacExpr* V) {
    if (!g || !model || (model->nv > 0 && (!q || !v)) || !T || !V) return TAC_ERROR_VALUE;
    size_t size = sizeof(exprFrame) * (size_t)model->nbody;
    const tacSceneExpr s = {g, model, symbols};
    if (g->result != TAC_OK || check_symbols(&s) != TAC_OK) return g->result;
    exprFrame* frame = tac_graph_alloc(g, size);
    if (!frame) return g->result;
    tac_scene_symbols(g, 'q', model->nq, q);
    tac_scene_symbols(g, 'v', model->nv, v);
    frame[0] = world_frame(&s);
    tacExpr moving = tac_fraction(g, 0, 1), still = moving;
    for (int b = 1; b < model->nbody && g->result == TAC_OK; ++b) {
        const tacBody* body = &model->body[b];
        exprFrame f = attached_frame(&s, body, frame[body->parent]);
        for (int j = 0; j < body->joints; ++j)
            f = joint_frame(&s, model->joint + body->first_joint + j, q, v, frame, f);
        frame[b] = f;
        moving = tac_expr_add(g, moving, kinetic_energy(&s, body, f));
        still = tac_expr_add(g, still, potential_energy(&s, body, f));
    }
    tac_graph_free(g, frame, size);
    if (g->result == TAC_OK) {
        *T = moving;
        *V = still;
    }
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
                       tacExpr* rate, int* rotational) {
    int free = joint->kind == TAC_JOINT_FREE, plain = free ? 3 : 1;
    q += joint->qpos;
    v += joint->dof;
    rate += joint->qpos;
    rotational += joint->dof;
    if (joint->kind != TAC_JOINT_BALL)
        for (int k = 0; k < plain; ++k) rate[k] = v[k];
    if (!free && joint->kind != TAC_JOINT_BALL) return;
    int first = free ? 3 : 0;
    quaternion_rate(g, q + first, (exprVec){v[first], v[first + 1], v[first + 2]}, rate + first);
    rotational[first] = 1;
}

tacResult tac_scene_equations(tacGraph* g, const tacModel* model, const tacSceneSymbols* symbols,
                              tacExpr* q, tacExpr* v, tacExpr* M, tacExpr* c) {
    if (!g || !model || (model->nv > 0 && (!M || !c))) return TAC_ERROR_VALUE;
    const tacSceneExpr s = {g, model, symbols};
    tacExpr T, V, *rate;
    int nv = model->nv, *rotational;
    tacResult result = tac_scene_energies(g, model, symbols, q, v, &T, &V);
    if (result != TAC_OK) return result;
    rate = tac_graph_map(g, model->nq, TAC_EXPR_NONE);
    rotational = rate ? tac_graph_map(g, nv, 0) : NULL;
    for (int j = 0; j < model->njoint && rotational; ++j)
        joint_rate(g, model->joint + j, q, v, rate, rotational);
    tacCoordinates x = {q, v, rate, rotational, model->nq, nv};
    if (rotational) tac_lagrange_equations(g, T, V, &x, M, c);
    for (int k = 0; k < nv && g->result == TAC_OK; ++k) {
        tacExpr* d = M + (size_t)k * (size_t)(nv + 1);
        tacExpr armature = tac_scene_number(&s, model->joint[model->dof[k].joint].armature);
        *d = tac_expr_add(g, *d, armature);
    }
    tac_graph_unmap(g, rotational, nv);
    tac_graph_unmap(g, rate, model->nq);
    return g->result;
}
