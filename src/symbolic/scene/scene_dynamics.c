// The equation of motion of a scene as formulas: accelerations and rates of activations.
//
//   scene_energies.c --M, c--> [this file] + springs, dampers, tendons, actuators --> scene_step.c
//
// The laws are those of dynamics/ (docs/dynamics.md), with the same names; clamps are min and max.

#include "symbolic/scene/scene_dynamics.h"
#include "tactus/mechanics.h"

#include <math.h>
#include <string.h>

static tacExpr number_expr(const tacSceneDynamics* f, double value) {
    return tac_number(f->g, value);
}
static tacExpr param_expr(const tacSceneDynamics* f, int offset) {
    return tac_scene_number(f->s, offset);
}
static tacExpr negated_expr(tacGraph* g, tacExpr a) {
    return tac_expr_mul(g, tac_fraction(g, -1, 1), a);
}
static void add_to(tacGraph* g, tacExpr* sum, tacExpr a) { *sum = tac_expr_add(g, *sum, a); }

static int passive_acts(const tacModel* m) { return !(m->disable & TAC_DISABLE_PASSIVE); }
static int actuators_act(const tacModel* m) { return !(m->disable & TAC_DISABLE_ACTUATION); }
static int is_ball_or_free(const tacJoint* j) { return j->axis < 0; }
static int dofs_of(const tacJoint* j) {
    return j->kind == TAC_JOINT_FREE ? 6 : j->kind == TAC_JOINT_BALL ? 3 : 1;
}

//---------------------------------- clamps ---------------------------------------

static tacExpr clamp_expr(const tacSceneDynamics* f, tacExpr x, const double range[2]) {
    tacExpr low = tac_expr_call(f->g, TAC_OP_MAX, x, number_expr(f, range[0]));
    return tac_expr_call(f->g, TAC_OP_MIN, low, number_expr(f, range[1]));
}

// 1 for x >= 0, else 0
static tacExpr not_below(const tacSceneDynamics* f, tacExpr x) {
    tacExpr one = tac_fraction(f->g, 1, 1);
    tacExpr sum = tac_expr_add(f->g, one, tac_expr_call(f->g, TAC_OP_SIGN, x, x));
    return tac_expr_call(f->g, TAC_OP_MIN, one, sum);
}

// 1 between the ends of a range, 0 on them and beyond
static tacExpr is_between(const tacSceneDynamics* f, tacExpr x, const double range[2]) {
    tacGraph* g = f->g;
    tacExpr one = tac_fraction(g, 1, 1);
    tacExpr low = not_below(f, tac_expr_sub(g, number_expr(f, range[0]), x));
    tacExpr high = not_below(f, tac_expr_sub(g, x, number_expr(f, range[1])));
    return tac_expr_mul(g, tac_expr_sub(g, one, low), tac_expr_sub(g, one, high));
}

//---------------------------------- springs and dampers --------------------------

// the shortest rotation vector, body frame, from `rest` to the quaternion q
static exprVec rotation_from(const tacSceneDynamics* f, const double rest[4], const tacExpr* q) {
    tacGraph* g = f->g;
    double length =
        sqrt(rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2] + rest[3] * rest[3]);
    tacExpr back[4], unit[4], d[4], one = tac_fraction(g, 1, 1);
    for (int i = 0; i < 4; ++i) back[i] = number_expr(f, (i ? -rest[i] : rest[i]) / length);
    vec_quat_unit(g, q, unit);
    vec_quat_mul(g, back, unit, d);
    exprVec v = {d[1], d[2], d[3]};
    tacExpr sine = vec_length(g, v), cosine = tac_expr_call(g, TAC_OP_ABS, d[0], d[0]);
    tacExpr angle =
        tac_expr_mul(g, tac_fraction(g, 2, 1), tac_expr_call(g, TAC_OP_ATAN2, sine, cosine));
    // q and -q are the same rotation: the sign of the real part, 1 for 0
    tacExpr sign = tac_expr_call(g, TAC_OP_SIGN, d[0], d[0]);
    sign = tac_expr_add(g, one, tac_expr_mul(g, tac_fraction(g, 2, 1), sign));
    sign = tac_expr_call(g, TAC_OP_MIN, one, sign);
    return vec_scale(g, v, tac_expr_mul(g, sign, tac_expr_div(g, angle, sine)));
}

// displacement of a joint's spring along its velocities
static void spring_displacement(const tacSceneDynamics* f, const tacJoint* j, tacExpr out[6]) {
    const double* rest = f->model->qpos_spring + j->qpos;
    const tacExpr* q = f->q + j->qpos;
    int straight = j->kind == TAC_JOINT_FREE ? 3 : 0;
    if (!is_ball_or_free(j)) {
        out[0] = tac_expr_sub(f->g, q[0], param_expr(f, j->springref));
        return;
    }
    for (int k = 0; k < straight; ++k) out[k] = tac_expr_sub(f->g, q[k], number_expr(f, rest[k]));
    exprVec angle = rotation_from(f, rest + straight, q + straight);
    out[straight] = angle.x;
    out[straight + 1] = angle.y;
    out[straight + 2] = angle.z;
}

static void joint_springs(tacSceneDynamics* f) {
    tacGraph* g = f->g;
    for (int i = 0; i < f->model->njoint; ++i) {
        const tacJoint* j = &f->model->joint[i];
        int elastic =
            f->model->param[j->stiffness] != 0.0 || tac_scene_is_symbol(f->s, j->stiffness, 1);
        tacExpr way[6];
        if (elastic) spring_displacement(f, j, way);
        for (int k = 0; k < dofs_of(j); ++k) {
            tacExpr* tau = &f->tau[j->dof + k];
            add_to(g, tau,
                   negated_expr(g, tac_expr_mul(g, param_expr(f, j->damping), f->v[j->dof + k])));
            if (elastic)
                add_to(g, tau,
                       negated_expr(g, tac_expr_mul(g, param_expr(f, j->stiffness), way[k])));
        }
    }
}

// Hinges and slides, each times its coefficient: a tendon, or one joint times 1.
typedef struct jointSum {
    const int* joint;
    int count, coef; // offset of the coefficients, -1: they are 1
} jointSum;

static tacExpr coefficient(const tacSceneDynamics* f, jointSum s, int i) {
    return s.coef < 0 ? tac_fraction(f->g, 1, 1) : param_expr(f, s.coef + i);
}
static int sum_dof(const tacSceneDynamics* f, jointSum s, int i) {
    return f->model->joint[s.joint[i]].dof;
}

static jointSum sum_of_tendon(const tacSceneDynamics* f, const tacTendon* t) {
    return (jointSum){f->model->tendonjoint + t->first, t->count, t->coef};
}

// lengths by positions, or their rates by velocities
static tacExpr sum_along(const tacSceneDynamics* f, jointSum s, int rates) {
    tacExpr sum = tac_fraction(f->g, 0, 1);
    for (int i = 0; i < s.count; ++i) {
        const tacJoint* j = &f->model->joint[s.joint[i]];
        tacExpr x = rates ? f->v[j->dof] : f->q[j->qpos];
        add_to(f->g, &sum, tac_expr_mul(f->g, coefficient(f, s, i), x));
    }
    return sum;
}

static void add_sum_force(tacSceneDynamics* f, jointSum s, tacExpr force, tacExpr* tau) {
    for (int i = 0; i < s.count; ++i)
        add_to(f->g, &tau[sum_dof(f, s, i)], tac_expr_mul(f->g, coefficient(f, s, i), force));
}

// slack between two lengths
static void tendon_springs(tacSceneDynamics* f) {
    tacGraph* g = f->g;
    tacExpr zero = tac_fraction(g, 0, 1);
    for (int i = 0; i < f->model->ntendon; ++i) {
        const tacTendon* t = &f->model->tendon[i];
        jointSum s = sum_of_tendon(f, t);
        tacExpr length = sum_along(f, s, 0);
        tacExpr low = tac_expr_sub(g, length, param_expr(f, t->springlength));
        tacExpr high = tac_expr_sub(g, length, param_expr(f, t->springlength + 1));
        tacExpr over = tac_expr_add(g, tac_expr_call(g, TAC_OP_MAX, high, zero),
                                    tac_expr_call(g, TAC_OP_MIN, low, zero));
        tacExpr force =
            tac_expr_add(g, tac_expr_mul(g, param_expr(f, t->damping), sum_along(f, s, 1)),
                         tac_expr_mul(g, param_expr(f, t->stiffness), over));
        add_sum_force(f, s, negated_expr(g, force), f->tau);
    }
}

//---------------------------------- actuators ------------------------------------

static tacExpr control_expr(const tacSceneDynamics* f, int i) {
    const tacActuator* a = &f->model->actuator[i];
    int clamps = a->ctrllimited && !(f->model->disable & TAC_DISABLE_CLAMPCTRL);
    return clamps ? clamp_expr(f, f->u[i], a->ctrlrange) : f->u[i];
}

static tacExpr activation_rate(const tacSceneDynamics* f, int i) {
    const tacActuator* a = &f->model->actuator[i];
    if (a->disabled || !actuators_act(f->model)) return tac_fraction(f->g, 0, 1);
    if (a->kind == TAC_ACTIVATION_INTEGRATOR) return control_expr(f, i);
    tacExpr off = tac_expr_sub(f->g, control_expr(f, i), f->act[a->act]);
    return tac_expr_div(f->g, off, param_expr(f, a->timeconst));
}

tacExpr tac_scene_act_next(const tacSceneDynamics* f, int i, tacExpr act, tacExpr rate) {
    const tacActuator* a = &f->model->actuator[i];
    tacGraph* g = f->g;
    tacExpr reach = f->h;
    if (a->disabled || !actuators_act(f->model)) return act;
    if (a->kind == TAC_ACTIVATION_FILTEREXACT) {
        tacExpr t = param_expr(f, a->timeconst), left = negated_expr(g, tac_expr_div(g, f->h, t));
        left = tac_expr_call(g, TAC_OP_EXP, left, left);
        reach = tac_expr_mul(g, t, tac_expr_sub(g, tac_fraction(g, 1, 1), left));
    }
    tacExpr next = tac_expr_add(g, act, tac_expr_mul(g, reach, rate));
    return a->actlimited ? clamp_expr(f, next, a->actrange) : next;
}

// input of the gain
static tacExpr actuator_input(const tacSceneDynamics* f, int i) {
    const tacActuator* a = &f->model->actuator[i];
    if (a->act < 0) return control_expr(f, i);
    if (!a->actearly) return f->act[a->act];
    return tac_scene_act_next(f, i, f->act[a->act], activation_rate(f, i));
}

// force after the clamp, and how it falls with the velocity
typedef struct actuatorForce {
    tacExpr force, damping;
} actuatorForce;

static tacExpr affine(const tacSceneDynamics* f, int offset, tacExpr length, tacExpr velocity) {
    tacGraph* g = f->g;
    tacExpr sum =
        tac_expr_add(g, param_expr(f, offset), tac_expr_mul(g, param_expr(f, offset + 1), length));
    return tac_expr_add(g, sum, tac_expr_mul(g, param_expr(f, offset + 2), velocity));
}

static actuatorForce actuator_force_at(const tacSceneDynamics* f, int i, tacExpr length,
                                       tacExpr velocity) {
    const tacActuator* a = &f->model->actuator[i];
    tacGraph* g = f->g;
    tacExpr input = actuator_input(f, i), slope = param_expr(f, a->bias + 2);
    tacExpr gain = a->affine ? affine(f, a->gain, length, velocity) : param_expr(f, a->gain);
    tacExpr force =
        tac_expr_add(g, tac_expr_mul(g, gain, input), affine(f, a->bias, length, velocity));
    if (a->affine) add_to(g, &slope, tac_expr_mul(g, param_expr(f, a->gain + 2), input));
    if (!a->forcelimited) return (actuatorForce){force, negated_expr(g, slope)};
    tacExpr open = is_between(f, force, a->forcerange);
    return (actuatorForce){clamp_expr(f, force, a->forcerange),
                           negated_expr(g, tac_expr_mul(g, open, slope))};
}

// 1 if one degree of freedom is an ancestor of the other: M has no entries between branches
static int on_one_branch(const tacModel* model, int j, int k) {
    int low = model->dof[j].depth > model->dof[k].depth ? j : k, high = low == j ? k : j;
    while (low >= 0 && low != high) low = model->dof[low].parent;
    return low == high;
}

static void add_damping(tacSceneDynamics* f, int i, int j, tacExpr value) {
    size_t nv = (size_t)f->model->nv;
    if (!on_one_branch(f->model, i, j)) return;
    add_to(f->g, &f->M[(size_t)i * nv + (size_t)j], value);
}

// M += h s c c'
static void add_sum_damping(tacSceneDynamics* f, jointSum s, tacExpr scale) {
    tacGraph* g = f->g;
    if (f->model->integrator != TAC_INTEGRATOR_IMPLICITFAST) return;
    scale = tac_expr_mul(g, f->h, scale);
    for (int i = 0; i < s.count; ++i)
        for (int j = 0; j < s.count; ++j) {
            tacExpr both = tac_expr_mul(g, coefficient(f, s, i), coefficient(f, s, j));
            add_damping(f, sum_dof(f, s, i), sum_dof(f, s, j), tac_expr_mul(g, scale, both));
        }
}

static jointSum sum_of_actuator(const tacSceneDynamics* f, const tacActuator* a) {
    return a->drive == TAC_DRIVE_TENDON ? sum_of_tendon(f, &f->model->tendon[a->target])
                                        : (jointSum){&a->target, 1, -1};
}

static actuatorForce sum_actuator_force(const tacSceneDynamics* f, int i) {
    const tacActuator* a = &f->model->actuator[i];
    tacGraph* g = f->g;
    jointSum s = sum_of_actuator(f, a);
    tacExpr gear = param_expr(f, a->gear);
    return actuator_force_at(f, i, tac_expr_mul(g, gear, sum_along(f, s, 0)),
                             tac_expr_mul(g, gear, sum_along(f, s, 1)));
}

static void add_sum_actuator(tacSceneDynamics* f, int i) {
    const tacActuator* a = &f->model->actuator[i];
    tacExpr force = sum_actuator_force(f, i).force;
    add_sum_force(f, sum_of_actuator(f, a), tac_expr_mul(f->g, param_expr(f, a->gear), force),
                  f->actuation);
}

// after the sums of all actuators: a joint that clamps its sum leaves out their damping
static void add_sum_actuator_damping(tacSceneDynamics* f, int i) {
    const tacActuator* a = &f->model->actuator[i];
    tacGraph* g = f->g;
    tacExpr gear2 = tac_expr_pow(g, param_expr(f, a->gear), tac_fraction(g, 2, 1));
    tacExpr scale = tac_expr_mul(g, sum_actuator_force(f, i).damping, gear2);
    if (a->drive != TAC_DRIVE_TENDON && f->model->compat != TAC_COMPAT_3_14) {
        const tacJoint* j = &f->model->joint[a->target];
        if (j->frclimited)
            scale = tac_expr_mul(g, scale, is_between(f, f->actuation[j->dof], j->frcrange));
    }
    add_sum_damping(f, sum_of_actuator(f, a), scale);
}

// a wrench on the body of a ball or free joint; the moment may be given in the parent's frame
static void add_wrench_actuator(tacSceneDynamics* f, int i) {
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
        vec_quat_unit(g, q, unit);
        vec_unit_columns(g, unit, R);
        torque = vec_to_axes(g, R, torque);
    }
    for (int k = 0; k < shift; ++k) arm[k] = param_expr(f, a->gear + k);
    arm[shift] = torque.x;
    arm[shift + 1] = torque.y;
    arm[shift + 2] = torque.z;
    for (int k = 0; k < count; ++k) add_to(g, &velocity, tac_expr_mul(g, arm[k], v[k]));
    if (!shift) length = vec_dot(g, torque, rotation_from(f, unturned, q));
    actuatorForce d = actuator_force_at(f, i, length, velocity);
    for (int k = 0; k < count; ++k)
        add_to(g, &f->actuation[j->dof + k], tac_expr_mul(g, arm[k], d.force));
    if (f->model->integrator != TAC_INTEGRATOR_IMPLICITFAST) return;
    tacExpr scale = tac_expr_mul(g, f->h, d.damping);
    for (int k = 0; k < count; ++k)
        for (int l = 0; l < count; ++l)
            add_damping(f, j->dof + k, j->dof + l,
                        tac_expr_mul(g, scale, tac_expr_mul(g, arm[k], arm[l])));
}

static int acts_on_sum(const tacModel* model, const tacActuator* a) {
    return a->drive == TAC_DRIVE_TENDON || !is_ball_or_free(&model->joint[a->target]);
}

static void add_actuators(tacSceneDynamics* f) {
    const tacModel* model = f->model;
    int count = actuators_act(model) ? model->nu : 0;
    for (int i = 0; i < count; ++i)
        if (!model->actuator[i].disabled)
            (acts_on_sum(model, &model->actuator[i]) ? add_sum_actuator : add_wrench_actuator)(f,
                                                                                               i);
    for (int i = 0; i < count && model->integrator == TAC_INTEGRATOR_IMPLICITFAST; ++i)
        if (!model->actuator[i].disabled && acts_on_sum(model, &model->actuator[i]))
            add_sum_actuator_damping(f, i);
    for (int k = 0; k < model->nv; ++k) {
        const tacJoint* j = &model->joint[model->dof[k].joint];
        add_to(f->g, &f->tau[k],
               j->frclimited ? clamp_expr(f, f->actuation[k], j->frcrange) : f->actuation[k]);
    }
    for (int i = 0; i < model->nu; ++i)
        if (model->actuator[i].act >= 0) f->rate[model->actuator[i].act] = activation_rate(f, i);
}

//---------------------------------- accelerations --------------------------------

// damping that the step takes implicitly
static void implicit_damping(tacSceneDynamics* f) {
    const tacModel* model = f->model;
    tacGraph* g = f->g;
    int fast = model->integrator == TAC_INTEGRATOR_IMPLICITFAST;
    int euler =
        model->integrator == TAC_INTEGRATOR_EULER && !(model->disable & TAC_DISABLE_EULERDAMP);
    if (!passive_acts(model) || (!fast && !euler)) return;
    for (int k = 0; k < model->nv; ++k)
        add_damping(
            f, k, k,
            tac_expr_mul(g, f->h, param_expr(f, model->joint[model->dof[k].joint].damping)));
    for (int i = 0; i < model->ntendon; ++i)
        add_sum_damping(f, sum_of_tendon(f, &model->tendon[i]),
                        param_expr(f, model->tendon[i].damping));
}

// quaternions of any length: the equations hold for those of length 1
static tacResult normalize_quaternions(tacSceneDynamics* f, tacExpr* expr, int count) {
    const tacModel* model = f->model;
    for (int i = 0; i < model->njoint && f->g->result == TAC_OK; ++i) {
        const tacJoint* j = &model->joint[i];
        tacExpr unit[4], *q = f->q + j->qpos + (j->kind == TAC_JOINT_FREE ? 3 : 0);
        if (!is_ball_or_free(j)) continue;
        vec_quat_unit(f->g, q, unit);
        if (f->g->result == TAC_OK) tac_expr_substitute(f->g, expr, count, q, unit, 4, expr);
    }
    return f->g->result;
}

// names the joint and body without inertia instead of an equation
static void name_massless_joint(const tacSceneDynamics* f, int dof) {
    const tacJoint* j = &f->model->joint[f->model->dof[dof].joint];
    tacMessage numbered;
    tac_graph_result(f->g, &numbered);
    tac_graph_fail(f->g, TAC_ERROR_VALUE,
                   "the mass matrix is singular: no mass or inertia resists joint %s of body %s",
                   j->name, f->model->body[j->body].name);
}

// a = (M + h D)^-1 (forces - c), over tau
static tacResult solve_accelerations(tacSceneDynamics* f, const tacExpr* forces) {
    tacGraph* g = f->g;
    int nv = f->model->nv;
    tacExpr* a = tac_graph_map(g, nv, TAC_EXPR_NONE);
    if (!a) return g->result;
    for (int k = 0; k < nv && forces; ++k) add_to(g, &f->tau[k], forces[k]);
    // two formulas of one entry: the lower triangle is used for both
    for (int i = 0; i < nv; ++i)
        for (int j = 0; j < i; ++j) f->M[j * nv + i] = f->M[i * nv + j];
    int loose = -1;
    if (g->result == TAC_OK) tac_expr_solve(g, f->M, nv, f->tau, 1, a, &loose);
    if (loose >= 0) name_massless_joint(f, loose);
    if (g->result == TAC_OK) memcpy(f->tau, a, sizeof *a * (size_t)nv);
    tac_graph_unmap(g, a, nv);
    return g->result;
}

tacResult tac_scene_dynamics_derive(tacSceneDynamics* f, const tacExpr* forces) {
    tacGraph* g = f->g;
    const tacModel* model = f->model;
    int nv = model->nv;
    if (tac_scene_equations(g, model, f->s->symbols, f->q, f->v, f->M, f->tau) != TAC_OK ||
        normalize_quaternions(f, f->M, nv * nv) != TAC_OK ||
        normalize_quaternions(f, f->tau, nv) != TAC_OK)
        return g->result;
    tac_scene_symbols(g, 'a', model->na, f->act);
    tac_scene_symbols(g, 'u', model->nu, f->u);
    f->h = param_expr(f, model->timestep);
    for (int k = 0; k < nv; ++k) f->tau[k] = negated_expr(g, f->tau[k]);
    if (passive_acts(model)) {
        joint_springs(f);
        tendon_springs(f);
    }
    implicit_damping(f);
    add_actuators(f);
    return g->result == TAC_OK ? solve_accelerations(f, forces) : g->result;
}

//---------------------------------- all ------------------------------------------

static tacResult refuse_feature(tacGraph* g, const char* what, const char* name) {
    tac_graph_fail(g, TAC_ERROR_UNSUPPORTED, "a step with %s has no formula%s%s", what,
                   *name ? ": " : "", name);
    return g->result;
}

tacResult tac_scene_dynamics_check(tacGraph* g, const tacModel* model) {
    if (g->result != TAC_OK) return g->result;
    if (model->fluid >= 0 && passive_acts(model)) return refuse_feature(g, "a fluid", model->name);
    for (int b = 0; b < model->nbody && passive_acts(model); ++b)
        if (model->body[b].gravcomp >= 0)
            return refuse_feature(g, "gravity compensation", model->body[b].name);
    return TAC_OK;
}

int tac_scene_dynamics_size(const tacModel* model) {
    return 2 * model->nv + model->nv * model->nv + model->na;
}

tacSceneDynamics tac_scene_dynamics_init(const tacSceneExpr* s, tacExpr* in, tacExpr* work) {
    const tacModel* model = s->model;
    int nq = model->nq, nv = model->nv;
    return (tacSceneDynamics){.s = s,
                              .g = s->g,
                              .model = model,
                              .q = in,
                              .v = in + nq,
                              .act = in + nq + nv,
                              .u = in + nq + nv + model->na,
                              .tau = work,
                              .actuation = work + nv,
                              .M = work + 2 * nv,
                              .rate = work + 2 * nv + nv * nv,
                              .h = TAC_EXPR_NONE};
}

tacResult tac_scene_forward_dynamics(tacGraph* g, const tacModel* model,
                                     const tacSceneSymbols* symbols, tacExpr* in, tacExpr* out) {
    if (!g || !model || (model->nv > 0 && (!in || !out))) return TAC_ERROR_VALUE;
    const tacSceneExpr s = {g, model, symbols};
    int nv = model->nv, room = tac_scene_dynamics_size(model);
    tacExpr* forces = in + model->nq + nv + model->na + model->nu;
    if (tac_scene_dynamics_check(g, model) != TAC_OK) return g->result;
    tacExpr* work = tac_graph_map(g, room, tac_fraction(g, 0, 1));
    if (!work) return g->result;
    tacSceneDynamics f = tac_scene_dynamics_init(&s, in, work);
    tac_scene_symbols(g, 'f', nv, forces);
    if (tac_scene_dynamics_derive(&f, forces) == TAC_OK) {
        memcpy(out, f.tau, sizeof *out * (size_t)nv);
        if (model->na > 0) memcpy(out + nv, f.rate, sizeof *out * (size_t)model->na);
    }
    tac_graph_unmap(g, work, room);
    return g->result;
}
