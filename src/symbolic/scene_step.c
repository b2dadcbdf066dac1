// A whole step of a scene as formulas.
//
//   scene.c --M, c--> [this file] + springs, dampers, tendons, actuators --> next state
//
// The laws are those of dynamics/ and step/ (docs/dynamics.md), in the same words; clamps are min
// and max. A length that may be 0 is sqrt(x.x + 1e-200): sin(l)/l has its value there, too.

#include "symbolic/scene.h"
#include "tactus/mechanics.h"

#include <math.h>
#include <string.h>

typedef struct flow {
    const tacScene* s;
    tacGraph* g;
    const tacModel* model;
    tacExpr *q, *v, *act, *u; // symbols
    tacExpr *tau, *driven;    // (nv) forces along the joints; those of actuators alone
    tacExpr* M;               // (nv x nv) with what makes the integrator implicit
    tacExpr* rate;            // (na)
    tacExpr h;
} flow;

static tacExpr number(const flow* f, double value) { return tac_number(f->g, value); }
static tacExpr param(const flow* f, int offset) { return tac_scene_number(f->s, offset); }
static tacExpr negative(tacGraph* g, tacExpr a) {
    return tac_expr_mul(g, tac_fraction(g, -1, 1), a);
}
static void add_to(tacGraph* g, tacExpr* sum, tacExpr a) { *sum = tac_expr_add(g, *sum, a); }

static int passive_acts(const tacModel* m) { return !(m->disable & TAC_DISABLE_PASSIVE); }
static int actuators_act(const tacModel* m) { return !(m->disable & TAC_DISABLE_ACTUATION); }
static int is_turning(const tacJoint* j) { return j->axis < 0; }
static int dofs_of(const tacJoint* j) {
    return j->kind == TAC_JOINT_FREE ? 6 : j->kind == TAC_JOINT_BALL ? 3 : 1;
}

//---------------------------------- clamps ---------------------------------------

static tacExpr clamp(const flow* f, tacExpr x, const double range[2]) {
    tacExpr low = tac_expr_call(f->g, TAC_OP_MAX, x, number(f, range[0]));
    return tac_expr_call(f->g, TAC_OP_MIN, low, number(f, range[1]));
}

// 1 for x >= 0, else 0
static tacExpr not_below(const flow* f, tacExpr x) {
    tacExpr one = tac_fraction(f->g, 1, 1);
    tacExpr sum = tac_expr_add(f->g, one, tac_expr_call(f->g, TAC_OP_SIGN, x, x));
    return tac_expr_call(f->g, TAC_OP_MIN, one, sum);
}

// 1 inside the range and on its ends, else 0
static tacExpr inside(const flow* f, tacExpr x, const double range[2]) {
    tacExpr low = not_below(f, tac_expr_sub(f->g, x, number(f, range[0])));
    return tac_expr_mul(f->g, low, not_below(f, tac_expr_sub(f->g, number(f, range[1]), x)));
}

//---------------------------------- turns ----------------------------------------

static tacExpr length_of(tacGraph* g, exprVec a) {
    return tac_expr_sqrt(g, tac_expr_add(g, vec_dot(g, a, a), tac_number(g, 1e-200)));
}

static void unit_quaternion(tacGraph* g, const tacExpr q[4], tacExpr out[4]) {
    tacExpr sum = tac_fraction(g, 0, 1), two = tac_fraction(g, 2, 1);
    for (int i = 0; i < 4; ++i) sum = tac_expr_add(g, sum, tac_expr_pow(g, q[i], two));
    tacExpr over = tac_expr_pow(g, sum, tac_fraction(g, -1, 2));
    for (int i = 0; i < 4; ++i) out[i] = tac_expr_mul(g, q[i], over);
}

static void quaternion_product(tacGraph* g, const tacExpr a[4], const tacExpr b[4],
                               tacExpr out[4]) {
    exprVec x = {a[1], a[2], a[3]}, y = {b[1], b[2], b[3]};
    exprVec v = vec_add(g, vec_scale(g, y, a[0]), vec_scale(g, x, b[0]));
    v = vec_add(g, v, vec_cross(g, x, y));
    out[0] = tac_expr_sub(g, tac_expr_mul(g, a[0], b[0]), vec_dot(g, x, y));
    out[1] = v.x, out[2] = v.y, out[3] = v.z;
}

// q exp(w), w a rotation vector in the body's axes
static void turned_quaternion(tacGraph* g, const tacExpr q[4], exprVec w, tacExpr out[4]) {
    tacExpr length = length_of(g, w), half = tac_expr_mul(g, tac_fraction(g, 1, 2), length);
    tacExpr sine = tac_expr_call(g, TAC_OP_SIN, half, half), unit[4], turn[4];
    exprVec v = vec_scale(g, w, tac_expr_div(g, sine, length));
    turn[0] = tac_expr_call(g, TAC_OP_COS, half, half);
    turn[1] = v.x, turn[2] = v.y, turn[3] = v.z;
    unit_quaternion(g, q, unit);
    quaternion_product(g, unit, turn, out);
}

// the shortest rotation vector, body axes, from `rest` to the quaternion q
static exprVec rotation_from(const flow* f, const double rest[4], const tacExpr* q) {
    tacGraph* g = f->g;
    double length =
        sqrt(rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2] + rest[3] * rest[3]);
    tacExpr back[4], unit[4], d[4], one = tac_fraction(g, 1, 1);
    for (int i = 0; i < 4; ++i) back[i] = number(f, (i ? -rest[i] : rest[i]) / length);
    unit_quaternion(g, q, unit);
    quaternion_product(g, back, unit, d);
    exprVec v = {d[1], d[2], d[3]};
    tacExpr sine = length_of(g, v), cosine = tac_expr_call(g, TAC_OP_ABS, d[0], d[0]);
    tacExpr angle =
        tac_expr_mul(g, tac_fraction(g, 2, 1), tac_expr_call(g, TAC_OP_ATAN2, sine, cosine));
    // q and -q are the same turn: the sign of the real part, 1 for 0
    tacExpr sign = tac_expr_call(g, TAC_OP_SIGN, d[0], d[0]);
    sign = tac_expr_add(g, one, tac_expr_mul(g, tac_fraction(g, 2, 1), sign));
    sign = tac_expr_call(g, TAC_OP_MIN, one, sign);
    return vec_scale(g, v, tac_expr_mul(g, sign, tac_expr_div(g, angle, sine)));
}

//---------------------------------- springs and dampers --------------------------

// how far the spring of a joint is stretched along its velocities
static void stretch(const flow* f, const tacJoint* j, tacExpr out[6]) {
    const double* rest = f->model->qpos_spring + j->qpos;
    const tacExpr* q = f->q + j->qpos;
    int straight = j->kind == TAC_JOINT_FREE ? 3 : 0;
    if (!is_turning(j)) {
        out[0] = tac_expr_sub(f->g, q[0], param(f, j->springref));
        return;
    }
    for (int k = 0; k < straight; ++k) out[k] = tac_expr_sub(f->g, q[k], number(f, rest[k]));
    exprVec angle = rotation_from(f, rest + straight, q + straight);
    out[straight] = angle.x, out[straight + 1] = angle.y, out[straight + 2] = angle.z;
}

static void joint_springs(flow* f) {
    tacGraph* g = f->g;
    for (int i = 0; i < f->model->njoint; ++i) {
        const tacJoint* j = &f->model->joint[i];
        int elastic =
            f->model->param[j->stiffness] != 0.0 || tac_scene_is_symbol(f->s, j->stiffness, 1);
        tacExpr way[6];
        if (elastic) stretch(f, j, way);
        for (int k = 0; k < dofs_of(j); ++k) {
            tacExpr* tau = &f->tau[j->dof + k];
            add_to(g, tau, negative(g, tac_expr_mul(g, param(f, j->damping), f->v[j->dof + k])));
            if (elastic)
                add_to(g, tau, negative(g, tac_expr_mul(g, param(f, j->stiffness), way[k])));
        }
    }
}

// Hinges and slides, each times its coefficient: a tendon, or one joint times 1.
typedef struct jointSum {
    const int* joint;
    int count, coef; // offset of the coefficients, -1: they are 1
} jointSum;

static tacExpr coefficient(const flow* f, jointSum s, int i) {
    return s.coef < 0 ? tac_fraction(f->g, 1, 1) : param(f, s.coef + i);
}
static int sum_dof(const flow* f, jointSum s, int i) { return f->model->joint[s.joint[i]].dof; }

static jointSum sum_of_tendon(const flow* f, const tacTendon* t) {
    return (jointSum){f->model->tendonjoint + t->first, t->count, t->coef};
}

// lengths by positions, or their rates by velocities
static tacExpr sum_along(const flow* f, jointSum s, int rates) {
    tacExpr sum = tac_fraction(f->g, 0, 1);
    for (int i = 0; i < s.count; ++i) {
        const tacJoint* j = &f->model->joint[s.joint[i]];
        tacExpr x = rates ? f->v[j->dof] : f->q[j->qpos];
        add_to(f->g, &sum, tac_expr_mul(f->g, coefficient(f, s, i), x));
    }
    return sum;
}

static void push_sum(flow* f, jointSum s, tacExpr force, tacExpr* tau) {
    for (int i = 0; i < s.count; ++i)
        add_to(f->g, &tau[sum_dof(f, s, i)], tac_expr_mul(f->g, coefficient(f, s, i), force));
}

// slack between two lengths
static void tendon_springs(flow* f) {
    tacGraph* g = f->g;
    tacExpr zero = tac_fraction(g, 0, 1);
    for (int i = 0; i < f->model->ntendon; ++i) {
        const tacTendon* t = &f->model->tendon[i];
        jointSum s = sum_of_tendon(f, t);
        tacExpr length = sum_along(f, s, 0);
        tacExpr low = tac_expr_sub(g, length, param(f, t->springlength));
        tacExpr high = tac_expr_sub(g, length, param(f, t->springlength + 1));
        tacExpr over = tac_expr_add(g, tac_expr_call(g, TAC_OP_MAX, high, zero),
                                    tac_expr_call(g, TAC_OP_MIN, low, zero));
        tacExpr force = tac_expr_add(g, tac_expr_mul(g, param(f, t->damping), sum_along(f, s, 1)),
                                     tac_expr_mul(g, param(f, t->stiffness), over));
        push_sum(f, s, negative(g, force), f->tau);
    }
}

//---------------------------------- actuators ------------------------------------

static tacExpr control(const flow* f, int i) {
    const tacActuator* a = &f->model->actuator[i];
    int clamps = a->ctrllimited && !(f->model->disable & TAC_DISABLE_CLAMPCTRL);
    return clamps ? clamp(f, f->u[i], a->ctrlrange) : f->u[i];
}

static tacExpr activation_rate(const flow* f, int i) {
    const tacActuator* a = &f->model->actuator[i];
    if (a->disabled || !actuators_act(f->model)) return tac_fraction(f->g, 0, 1);
    if (a->kind == TAC_ACTIVATION_INTEGRATOR) return control(f, i);
    tacExpr off = tac_expr_sub(f->g, control(f, i), f->act[a->act]);
    return tac_expr_div(f->g, off, param(f, a->timeconst));
}

// act moved by a rate: over h, or over what is left of it when the filter is solved exactly
static tacExpr activation_next(const flow* f, int i, tacExpr act, tacExpr rate) {
    const tacActuator* a = &f->model->actuator[i];
    tacGraph* g = f->g;
    tacExpr reach = f->h;
    if (a->disabled || !actuators_act(f->model)) return act;
    if (a->kind == TAC_ACTIVATION_FILTEREXACT) {
        tacExpr t = param(f, a->timeconst), left = negative(g, tac_expr_div(g, f->h, t));
        left = tac_expr_call(g, TAC_OP_EXP, left, left);
        reach = tac_expr_mul(g, t, tac_expr_sub(g, tac_fraction(g, 1, 1), left));
    }
    tacExpr next = tac_expr_add(g, act, tac_expr_mul(g, reach, rate));
    return a->actlimited ? clamp(f, next, a->actrange) : next;
}

// what is multiplied by the gain
static tacExpr drive_input(const flow* f, int i) {
    const tacActuator* a = &f->model->actuator[i];
    if (a->act < 0) return control(f, i);
    if (!a->actearly) return f->act[a->act];
    return activation_next(f, i, f->act[a->act], activation_rate(f, i));
}

// force after the clamp, and how it falls with the velocity
typedef struct drive {
    tacExpr force, damping;
} drive;

static tacExpr affine(const flow* f, int offset, tacExpr length, tacExpr velocity) {
    tacGraph* g = f->g;
    tacExpr sum = tac_expr_add(g, param(f, offset), tac_expr_mul(g, param(f, offset + 1), length));
    return tac_expr_add(g, sum, tac_expr_mul(g, param(f, offset + 2), velocity));
}

static drive drive_at(const flow* f, int i, tacExpr length, tacExpr velocity) {
    const tacActuator* a = &f->model->actuator[i];
    tacGraph* g = f->g;
    tacExpr input = drive_input(f, i), slope = param(f, a->bias + 2);
    tacExpr gain = a->affine ? affine(f, a->gain, length, velocity) : param(f, a->gain);
    tacExpr force =
        tac_expr_add(g, tac_expr_mul(g, gain, input), affine(f, a->bias, length, velocity));
    if (a->affine) add_to(g, &slope, tac_expr_mul(g, param(f, a->gain + 2), input));
    if (!a->forcelimited) return (drive){force, negative(g, slope)};
    tacExpr open = inside(f, force, a->forcerange);
    return (drive){clamp(f, force, a->forcerange), negative(g, tac_expr_mul(g, open, slope))};
}

// 1 if a degree of freedom carries the other: what couples branches has no place in M
static int related(const tacModel* model, int j, int k) {
    int low = model->dof[j].depth > model->dof[k].depth ? j : k, high = low == j ? k : j;
    while (low >= 0 && low != high) low = model->dof[low].parent;
    return low == high;
}

static void damp(flow* f, int i, int j, tacExpr value) {
    size_t nv = (size_t)f->model->nv;
    if (!related(f->model, i, j)) return;
    add_to(f->g, &f->M[(size_t)i * nv + (size_t)j], value);
}

// M += h s c c'
static void damp_sum(flow* f, jointSum s, tacExpr scale) {
    tacGraph* g = f->g;
    if (f->model->integrator != TAC_INTEGRATOR_IMPLICITFAST) return;
    scale = tac_expr_mul(g, f->h, scale);
    for (int i = 0; i < s.count; ++i)
        for (int j = 0; j < s.count; ++j) {
            tacExpr both = tac_expr_mul(g, coefficient(f, s, i), coefficient(f, s, j));
            damp(f, sum_dof(f, s, i), sum_dof(f, s, j), tac_expr_mul(g, scale, both));
        }
}

static void actuate_sum(flow* f, int i) {
    const tacActuator* a = &f->model->actuator[i];
    tacGraph* g = f->g;
    jointSum s = a->drive == TAC_DRIVE_TENDON ? sum_of_tendon(f, &f->model->tendon[a->target])
                                              : (jointSum){&a->target, 1, -1};
    tacExpr gear = param(f, a->gear);
    drive d = drive_at(f, i, tac_expr_mul(g, gear, sum_along(f, s, 0)),
                       tac_expr_mul(g, gear, sum_along(f, s, 1)));
    push_sum(f, s, tac_expr_mul(g, gear, d.force), f->driven);
    damp_sum(f, s, tac_expr_mul(g, d.damping, tac_expr_pow(g, gear, tac_fraction(g, 2, 1))));
}

// a wrench on what a ball or free joint carries; the moment may be given in the parent's axes
static void actuate_wrench(flow* f, int i) {
    static const double unturned[4] = {1.0, 0.0, 0.0, 0.0};
    const tacActuator* a = &f->model->actuator[i];
    const tacJoint* j = &f->model->joint[a->target];
    tacGraph* g = f->g;
    int shift = j->kind == TAC_JOINT_FREE ? 3 : 0, count = shift + 3;
    const tacExpr *q = f->q + j->qpos + shift, *v = f->v + j->dof;
    tacExpr arm[6], length = tac_fraction(g, 0, 1), velocity = length;
    exprVec torque = tac_scene_vec(f->s, a->gear + shift);
    if (a->drive == TAC_DRIVE_INPARENT) {
        tacExpr unit[4];
        exprVec R[3];
        unit_quaternion(g, q, unit);
        vec_unit_columns(g, unit, R);
        torque = vec_turned(g, R, torque);
    }
    for (int k = 0; k < shift; ++k) arm[k] = param(f, a->gear + k);
    arm[shift] = torque.x, arm[shift + 1] = torque.y, arm[shift + 2] = torque.z;
    for (int k = 0; k < count; ++k) add_to(g, &velocity, tac_expr_mul(g, arm[k], v[k]));
    if (!shift) length = vec_dot(g, torque, rotation_from(f, unturned, q));
    drive d = drive_at(f, i, length, velocity);
    for (int k = 0; k < count; ++k)
        add_to(g, &f->driven[j->dof + k], tac_expr_mul(g, arm[k], d.force));
    if (f->model->integrator != TAC_INTEGRATOR_IMPLICITFAST) return;
    tacExpr scale = tac_expr_mul(g, f->h, d.damping);
    for (int k = 0; k < count; ++k)
        for (int l = 0; l < count; ++l)
            damp(f, j->dof + k, j->dof + l,
                 tac_expr_mul(g, scale, tac_expr_mul(g, arm[k], arm[l])));
}

static void actuate(flow* f) {
    const tacModel* model = f->model;
    for (int i = 0; i < model->nu && actuators_act(model); ++i) {
        const tacActuator* a = &model->actuator[i];
        if (a->disabled) continue;
        if (a->drive == TAC_DRIVE_TENDON || !is_turning(&model->joint[a->target]))
            actuate_sum(f, i);
        else
            actuate_wrench(f, i);
    }
    for (int k = 0; k < model->nv; ++k) {
        const tacJoint* j = &model->joint[model->dof[k].joint];
        add_to(f->g, &f->tau[k],
               j->frclimited ? clamp(f, f->driven[k], j->frcrange) : f->driven[k]);
    }
    for (int i = 0; i < model->nu; ++i)
        if (model->actuator[i].act >= 0) f->rate[model->actuator[i].act] = activation_rate(f, i);
}

//---------------------------------- accelerations --------------------------------

// damping that the step takes implicitly
static void implicit_damping(flow* f) {
    const tacModel* model = f->model;
    tacGraph* g = f->g;
    int fast = model->integrator == TAC_INTEGRATOR_IMPLICITFAST;
    int euler =
        model->integrator == TAC_INTEGRATOR_EULER && !(model->disable & TAC_DISABLE_EULERDAMP);
    if (!passive_acts(model) || (!fast && !euler)) return;
    for (int k = 0; k < model->nv; ++k)
        damp(f, k, k, tac_expr_mul(g, f->h, param(f, model->joint[model->dof[k].joint].damping)));
    for (int i = 0; i < model->ntendon; ++i)
        damp_sum(f, sum_of_tendon(f, &model->tendon[i]), param(f, model->tendon[i].damping));
}

// quaternions of any length: the equations hold for those of length 1
static tacResult normalize(flow* f, tacExpr* expr, int count) {
    const tacModel* model = f->model;
    for (int i = 0; i < model->njoint && f->g->result == TAC_OK; ++i) {
        const tacJoint* j = &model->joint[i];
        tacExpr unit[4], *q = f->q + j->qpos + (j->kind == TAC_JOINT_FREE ? 3 : 0);
        if (!is_turning(j)) continue;
        unit_quaternion(f->g, q, unit);
        if (f->g->result == TAC_OK) tac_expr_substitute(f->g, expr, count, q, unit, 4, expr);
    }
    return f->g->result;
}

// instead of the number of an equation, whom nothing holds
static void name_loose_joint(const flow* f, int dof) {
    const tacJoint* j = &f->model->joint[f->model->dof[dof].joint];
    tacMessage numbered;
    tac_graph_result(f->g, &numbered);
    tac_graph_fail(f->g, TAC_ERROR_VALUE,
                   "the mass matrix is singular: no mass or inertia resists joint %s of body %s",
                   j->name, f->model->body[j->body].name);
}

// a = (M + h D)^-1 (forces - c), over tau
static tacResult accelerate(flow* f, const tacExpr* forces) {
    tacGraph* g = f->g;
    int nv = f->model->nv;
    tacExpr* a = tac_graph_map(g, nv, TAC_EXPR_NONE);
    if (!a) return g->result;
    for (int k = 0; k < nv && forces; ++k) add_to(g, &f->tau[k], forces[k]);
    // two ways to write one entry: the lower one stands for both
    for (int i = 0; i < nv; ++i)
        for (int j = 0; j < i; ++j) f->M[j * nv + i] = f->M[i * nv + j];
    int loose = -1;
    if (g->result == TAC_OK) tac_expr_solve(g, f->M, nv, f->tau, 1, a, &loose);
    if (loose >= 0) name_loose_joint(f, loose);
    if (g->result == TAC_OK) memcpy(f->tau, a, sizeof *a * (size_t)nv);
    tac_graph_unmap(g, a, nv);
    return g->result;
}

static tacResult make_flow(flow* f, const tacExpr* forces) {
    tacGraph* g = f->g;
    const tacModel* model = f->model;
    int nv = model->nv;
    if (tac_scene_equations(g, model, f->s->symbols, f->q, f->v, f->M, f->tau) != TAC_OK ||
        normalize(f, f->M, nv * nv) != TAC_OK || normalize(f, f->tau, nv) != TAC_OK)
        return g->result;
    tac_scene_name(g, 'a', model->na, f->act);
    tac_scene_name(g, 'u', model->nu, f->u);
    f->h = param(f, model->timestep);
    for (int k = 0; k < nv; ++k) f->tau[k] = negative(g, f->tau[k]);
    if (passive_acts(model)) joint_springs(f), tendon_springs(f);
    implicit_damping(f);
    actuate(f);
    return g->result == TAC_OK ? accelerate(f, forces) : g->result;
}

//---------------------------------- integrators ----------------------------------

// a state as formulas
typedef struct point {
    tacExpr *q, *v, *act;
} point;

// q moved by h times a velocity
static void move(const flow* f, const tacExpr* q, const tacExpr* velocity, tacExpr h,
                 tacExpr* out) {
    tacGraph* g = f->g;
    for (int i = 0; i < f->model->njoint; ++i) {
        const tacJoint* j = &f->model->joint[i];
        int at = j->qpos, k = j->dof;
        int straight = j->kind == TAC_JOINT_BALL ? 0 : j->kind == TAC_JOINT_FREE ? 3 : 1;
        for (int n = 0; n < straight; ++n, ++at, ++k)
            out[at] = tac_expr_add(g, q[at], tac_expr_mul(g, h, velocity[k]));
        exprVec w = {0, 0, 0};
        if (!is_turning(j)) continue;
        w = vec_scale(g, (exprVec){velocity[k], velocity[k + 1], velocity[k + 2]}, h);
        turned_quaternion(g, q + at, w, out + at);
    }
}

static void add_scaled(tacGraph* g, int n, const tacExpr* a, tacExpr s, const tacExpr* b,
                       tacExpr* out) {
    for (int i = 0; i < n; ++i) out[i] = tac_expr_add(g, a[i], tac_expr_mul(g, s, b[i]));
}

// what the state moves on with
static void finish(const flow* f, const tacExpr* k, const tacExpr* a, const tacExpr* rate,
                   point next) {
    tacGraph* g = f->g;
    const tacModel* model = f->model;
    add_scaled(g, model->nv, f->v, f->h, a, next.v);
    move(f, f->q, k ? k : next.v, f->h, next.q);
    for (int i = 0; i < model->nu; ++i) {
        int at = model->actuator[i].act;
        if (at >= 0) next.act[at] = activation_next(f, i, f->act[at], rate[at]);
    }
}

// one stage of Runge-Kutta: the equation of motion at another state
static tacResult stage_at(const flow* f, point x, tacExpr* a, tacExpr* rate) {
    tacGraph* g = f->g;
    const tacModel* model = f->model;
    int nq = model->nq, nv = model->nv, na = model->na, n = nq + nv + na;
    tacExpr* map = tac_graph_map(g, 2 * n, TAC_EXPR_NONE);
    if (!map) return g->result;
    tacExpr *from = map, *to = map + n;
    const tacExpr *symbols[] = {f->q, f->v, f->act}, *values[] = {x.q, x.v, x.act};
    const int counts[] = {nq, nv, na};
    for (int k = 0, at = 0; k < 3; at += counts[k++])
        for (int i = 0; i < counts[k]; ++i) from[at + i] = symbols[k][i], to[at + i] = values[k][i];
    tac_expr_substitute(g, f->tau, nv, from, to, n, a);
    if (g->result == TAC_OK) tac_expr_substitute(g, f->rate, na, from, to, n, rate);
    tac_graph_unmap(g, map, 2 * n);
    return g->result;
}

// weights 1/6 1/3 1/3 1/6; each stage starts from the first state with the rates of the one before
static tacResult runge_kutta(const flow* f, point next) {
    static const int weight[] = {1, 2, 2, 1};
    tacGraph* g = f->g;
    const tacModel* model = f->model;
    int nq = model->nq, nv = model->nv, na = model->na, room = nq + 5 * nv + 3 * na;
    tacExpr *x = tac_graph_map(g, room, tac_fraction(g, 0, 1)), *a = x + nq + nv + na;
    if (!x) return g->result;
    point at = {x, x + nq, x + nq + nv};
    tacExpr *rate = a + nv, *mean_k = rate + na, *mean_a = mean_k + nv, *mean_rate = mean_a + nv;
    memcpy(at.q, f->q, sizeof *x * (size_t)nq), memcpy(at.v, f->v, sizeof *x * (size_t)nv);
    if (na > 0) memcpy(at.act, f->act, sizeof *x * (size_t)na);
    for (int i = 0; i < 4 && g->result == TAC_OK; ++i) {
        tacExpr w = tac_fraction(g, weight[i], 6);
        tacExpr h = tac_expr_mul(g, f->h, tac_fraction(g, i < 3 ? 1 : 2, 2));
        if (i > 0) {
            move(f, f->q, at.v, h, at.q); // by the velocity of the stage before
            add_scaled(g, nv, f->v, h, a, at.v);
            add_scaled(g, na, f->act, h, rate, at.act);
        }
        if (g->result == TAC_OK) stage_at(f, at, a, rate);
        add_scaled(g, nv, mean_k, w, at.v, mean_k);
        add_scaled(g, nv, mean_a, w, a, mean_a);
        add_scaled(g, na, mean_rate, w, rate, mean_rate);
    }
    if (g->result == TAC_OK) finish(f, mean_k, mean_a, mean_rate, next);
    tac_graph_unmap(g, x, room);
    return g->result;
}

//---------------------------------- all ------------------------------------------

static tacResult refuse(tacGraph* g, const char* what, const char* name) {
    tac_graph_fail(g, TAC_ERROR_UNSUPPORTED, "a step with %s has no formula%s%s", what,
                   *name ? ": " : "", name);
    return g->result;
}

static tacResult check_model(tacGraph* g, const tacModel* model) {
    if (g->result != TAC_OK) return g->result;
    if (model->fluid >= 0 && passive_acts(model)) return refuse(g, "a fluid", model->name);
    for (int b = 0; b < model->nbody && passive_acts(model); ++b)
        if (model->body[b].gravcomp >= 0)
            return refuse(g, "gravity compensation", model->body[b].name);
    for (int j = 0; j < model->njoint && model->integrator == TAC_INTEGRATOR_LIE; ++j)
        if (is_turning(&model->joint[j]))
            return refuse(g, "the integrator lie on a ball or free body", model->joint[j].name);
    return TAC_OK;
}

static int flow_room(const tacModel* model) {
    return 2 * model->nv + model->nv * model->nv + model->na;
}

// `work` has room for flow_room expressions, all of them 0
static flow flow_on(const tacScene* s, tacExpr* in, tacExpr* work) {
    const tacModel* model = s->model;
    int nq = model->nq, nv = model->nv;
    return (flow){.s = s,
                  .g = s->g,
                  .model = model,
                  .q = in,
                  .v = in + nq,
                  .act = in + nq + nv,
                  .u = in + nq + nv + model->na,
                  .tau = work,
                  .driven = work + nv,
                  .M = work + 2 * nv,
                  .rate = work + 2 * nv + nv * nv,
                  .h = TAC_EXPR_NONE};
}

tacResult tac_scene_step(tacGraph* g, const tacModel* model, const tacSceneSymbols* symbols,
                         const tacExpr* forces, tacExpr* in, tacExpr* out) {
    if (!g || !model || (model->nv > 0 && (!in || !out))) return TAC_ERROR_VALUE;
    const tacScene s = {g, model, symbols};
    int nq = model->nq, nv = model->nv, room = flow_room(model);
    if (check_model(g, model) != TAC_OK) return g->result;
    if (forces && tac_graph_check(g, forces, nv, 0) != TAC_OK) return g->result;
    tacExpr* work = tac_graph_map(g, room, tac_fraction(g, 0, 1));
    if (!work) return g->result;
    flow f = flow_on(&s, in, work);
    point next = {out, out + nq, out + nq + nv};
    int rk4 = model->integrator == TAC_INTEGRATOR_RK4 || model->integrator == TAC_INTEGRATOR_LIE;
    int old = model->integrator == TAC_INTEGRATOR_EXPLICIT;
    if (make_flow(&f, forces) == TAC_OK) {
        if (rk4)
            runge_kutta(&f, next);
        else
            finish(&f, old ? f.v : NULL, f.tau, f.rate, next);
    }
    tac_graph_unmap(g, work, room);
    return g->result;
}

tacResult tac_scene_flow(tacGraph* g, const tacModel* model, const tacSceneSymbols* symbols,
                         tacExpr* in, tacExpr* out) {
    if (!g || !model || (model->nv > 0 && (!in || !out))) return TAC_ERROR_VALUE;
    const tacScene s = {g, model, symbols};
    int nv = model->nv, room = flow_room(model);
    tacExpr* forces = in + model->nq + nv + model->na + model->nu;
    if (check_model(g, model) != TAC_OK) return g->result;
    tacExpr* work = tac_graph_map(g, room, tac_fraction(g, 0, 1));
    if (!work) return g->result;
    flow f = flow_on(&s, in, work);
    tac_scene_name(g, 'f', nv, forces);
    if (make_flow(&f, forces) == TAC_OK) {
        memcpy(out, f.tau, sizeof *out * (size_t)nv);
        if (model->na > 0) memcpy(out + nv, f.rate, sizeof *out * (size_t)model->na);
    }
    tac_graph_unmap(g, work, room);
    return g->result;
}
