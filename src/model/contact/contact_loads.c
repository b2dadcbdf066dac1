// Loads: the largest force that a body is expected to pass on by contact, for default stiffnesses.
//
//   masses, actuators, joint springs, initial configuration --> [F of each body] --> contact_plan.c
//
//   F = 9.81 (mass of its tree + masses above it) + force of the strongest joint that presses it
//
// A joint presses what it moves with its force, or with its torque over a lever: the distance from
// its anchor to the body's center of mass, at least the body's radius. A body that actuators do not
// move is pressed by those that may touch it. docs/contact.md, eq. 12.

#include "model/contact/contact_plan.h"

#include "model/contact/geom_pairs.h"

#include <math.h>
#include <string.h>

static const double standard_gravity = 9.81;

//---------------------------------- actuators ------------------------------------

// largest |input| of an actuator; a servo (bias by length) sees the width of its range
static double max_input(const tacActuator* a, int is_servo) {
    const double* range = NULL;
    if (a->act >= 0 && a->actlimited)
        range = a->actrange;
    else if (a->ctrllimited && a->kind != TAC_ACTIVATION_INTEGRATOR)
        range = a->ctrlrange;
    if (!range) return 1.0;
    return is_servo ? range[1] - range[0] : fmax(fabs(range[0]), fabs(range[1]));
}

// largest |force| before the gear; without ranges that of a unit of control
static double max_force(tacSpec* spec, const tacActuator* a) {
    const double *gain = tac_spec_values(spec, a->gain), *bias = tac_spec_values(spec, a->bias);
    if (a->disabled) return 0.0;
    double force = fabs(gain[0]) * max_input(a, bias[1] != 0.0) + fabs(bias[0]);
    if (a->forcelimited) force = fmin(force, fmax(fabs(a->forcerange[0]), fabs(a->forcerange[1])));
    return force;
}

static double norm_of(const double* x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

// what a joint can do: force of slides and free joints, torque of the others
typedef struct jointLoad {
    double force, torque; // [N], [N m]
} jointLoad;

// adds `strength` times a gear (6)
static void add_gear(const tacJoint* joint, const double* gear, double strength, jointLoad* out) {
    switch (joint->kind) {
    case TAC_JOINT_FREE:
        out->force += strength * norm_of(gear);
        out->torque += strength * norm_of(gear + 3);
        break;
    case TAC_JOINT_BALL:
        out->torque += strength * norm_of(gear);
        break;
    case TAC_JOINT_SLIDE:
        out->force += strength * fabs(gear[0]);
        break;
    case TAC_JOINT_HINGE:
        out->torque += strength * fabs(gear[0]);
        break;
    }
}

static void add_actuator(tacSpec* spec, const tacModel* model, const tacActuator* a,
                         jointLoad* out) {
    const double* gear = tac_spec_values(spec, a->gear);
    double strength = max_force(spec, a);
    if (a->drive != TAC_DRIVE_TENDON) {
        add_gear(&model->joint[a->target], gear, strength, &out[a->target]);
        return;
    }
    const tacTendon* t = &((const tacTendon*)spec->actuation.tendon.items)[a->target];
    const int* joint = (const int*)spec->actuation.tendonjoint.items + t->first;
    const double* coef = tac_spec_values(spec, t->coef);
    for (int i = 0; i < t->count; ++i)
        add_gear(&model->joint[joint[i]], gear, strength * fabs(coef[i]), &out[joint[i]]);
}

// the spring of a hinge or slide at the end of its range that is farther from rest
static void add_joint_spring(const tacModel* model, const tacJoint* joint, jointLoad* out) {
    const double *k = model->param + joint->stiffness, unit[6] = {1.0};
    if (joint->axis < 0 || !joint->limited || !(*k > 0.0)) return;
    const double* range = model->param + joint->range;
    double rest = model->param[joint->springref];
    add_gear(joint, unit, *k * fmax(fabs(range[0] - rest), fabs(range[1] - rest)), out);
}

static void clamp_joint(const tacJoint* joint, jointLoad* load) {
    if (!joint->frclimited) return;
    double most = fmax(fabs(joint->frcrange[0]), fabs(joint->frcrange[1]));
    load->force = fmin(load->force, most);
    load->torque = fmin(load->torque, most);
}

static const jointLoad* list_joint_loads(tacSpec* spec, const tacModel* model) {
    jointLoad* all = tac_reader_alloc(&spec->reader, sizeof *all * (size_t)(model->njoint + 1));
    if (!all) return NULL;
    memset(all, 0, sizeof *all * (size_t)(model->njoint + 1));
    const tacActuator* a = spec->actuation.actuator.items;
    int acts = !(spec->disable & TAC_DISABLE_ACTUATION);
    for (int i = 0; acts && i < spec->actuation.actuator.count; ++i)
        add_actuator(spec, model, &a[i], all);
    for (int j = 0; j < model->njoint; ++j) {
        clamp_joint(&model->joint[j], &all[j]);
        if (!(spec->disable & TAC_DISABLE_PASSIVE))
            add_joint_spring(model, &model->joint[j], &all[j]);
    }
    return all;
}

//---------------------------------- bodies ---------------------------------------

// bodies that move as one, at the body that moves them
typedef struct movingGroup {
    double mass, com[3], radius, tree; // tree: mass of all that hangs together [kg]
    double above, pressed;             // [kg], [N]
    int touches;                       // may it touch anything?
} movingGroup;

static void world_point(tacSpec* spec, int body, const double* local, double out[3]) {
    tac_store3(out, tac_pose_apply(tac_spec_body_pose(spec, body), tac_load3(local)));
}

static void add_body(tacSpec* spec, const tacModel* model, int b, movingGroup* group) {
    const tacBody* body = &model->body[b];
    double mass = model->param[body->mass], com[3];
    if (!(mass > 0.0)) return;
    const double* I = model->param + body->inertia;
    world_point(spec, b, model->param + body->com, com);
    for (int i = 0; i < 3; ++i)
        group->com[i] += (com[i] - group->com[i]) * mass / (group->mass + mass);
    group->mass += mass;
    // the ball of the same mass and mean moment
    group->radius = fmax(group->radius, sqrt(2.5 * (I[0] + I[1] + I[2]) / (3.0 * mass)));
}

static movingGroup* list_groups(tacSpec* spec, const tacModel* model) {
    size_t size = sizeof(movingGroup) * (size_t)model->nbody;
    movingGroup* all = tac_reader_alloc(&spec->reader, size);
    double* tree = tac_reader_alloc(&spec->reader, sizeof *tree * (size_t)model->nbody);
    if (!all || !tree) return NULL;
    memset(all, 0, size);
    memset(tree, 0, sizeof *tree * (size_t)model->nbody);
    for (int b = 1; b < model->nbody; ++b) {
        int moves = tac_moving_body(model, b);
        if (moves == 0) continue;
        add_body(spec, model, b, &all[moves]);
        tree[model->body[b].root] += fmax(model->param[model->body[b].mass], 0.0);
    }
    for (int b = 1; b < model->nbody; ++b) all[b].tree = tree[model->body[b].root];
    const tacBodyPair* pair = spec->contact.body_pair.items;
    for (int i = 0; i < spec->contact.body_pair.count; ++i)
        for (int k = 0; k < 2; ++k) all[tac_moving_body(model, pair[i].body[k])].touches = 1;
    return all;
}

// against gravity; the z axis without it
static void up_axis(const tacModel* model, double up[3]) {
    const double* g = model->param + model->gravity;
    double norm = norm_of(g);
    for (int i = 0; i < 3; ++i) up[i] = norm > 0.0 ? -g[i] / norm : i == 2;
}

// 1 if b is above a: higher, and not beside it
static int is_above(const movingGroup* a, const movingGroup* b, const double up[3]) {
    double d[3], height = 0.0, square = 0.0, reach = a->radius + b->radius;
    for (int i = 0; i < 3; ++i) {
        d[i] = b->com[i] - a->com[i];
        height += d[i] * up[i];
        square += d[i] * d[i];
    }
    return height > 1e-3 * reach && square - height * height < reach * reach;
}

static void add_masses_above(const tacModel* model, movingGroup* all) {
    double up[3];
    up_axis(model, up);
    for (int a = 1; a < model->nbody; ++a)
        for (int b = 1; b < model->nbody && all[a].touches; ++b)
            if (all[b].touches && model->body[a].root != model->body[b].root &&
                is_above(&all[a], &all[b], up))
                all[a].above += all[b].mass;
}

// by the joints from a body up to the world
static void press_by_joints(tacSpec* spec, const tacModel* model, const jointLoad* loads, int body,
                            movingGroup* group) {
    for (int b = body; b > 0; b = model->body[b].parent)
        for (int j = 0; j < model->body[b].joints; ++j) {
            const tacJoint* joint = &model->joint[model->body[b].first_joint + j];
            const jointLoad* load = &loads[model->body[b].first_joint + j];
            static const double origin[3] = {0.0, 0.0, 0.0};
            double anchor[3], arm[3];
            if (load->force == 0.0 && load->torque == 0.0) continue;
            world_point(spec, b, joint->position >= 0 ? model->param + joint->position : origin,
                        anchor);
            for (int i = 0; i < 3; ++i) arm[i] = group->com[i] - anchor[i];
            double lever = fmax(fmax(norm_of(arm), group->radius), 1e-4);
            group->pressed = fmax(group->pressed, load->force + load->torque / lever);
        }
}

const tacContactLoad* tac_contact_loads(tacSpec* spec, const tacModel* model) {
    const jointLoad* loads = list_joint_loads(spec, model);
    movingGroup* all = list_groups(spec, model);
    tacContactLoad* out = tac_reader_alloc(&spec->reader, sizeof *out * (size_t)model->nbody);
    if (!loads || !all || !out) return NULL;
    add_masses_above(model, all);
    for (int b = 1; b < model->nbody; ++b)
        if (all[b].touches && all[b].mass > 0.0) press_by_joints(spec, model, loads, b, &all[b]);
    memset(out, 0, sizeof *out * (size_t)model->nbody);
    // passed on from a body to those that it may touch
    const tacBodyPair* pair = spec->contact.body_pair.items;
    for (int i = 0; i < spec->contact.body_pair.count; ++i)
        for (int k = 0; k < 2; ++k) {
            int to = tac_moving_body(model, pair[i].body[k]);
            int from = tac_moving_body(model, pair[i].body[1 - k]);
            if (to > 0) out[to].most = fmax(out[to].most, fmax(all[to].pressed, all[from].pressed));
        }
    for (int b = 1; b < model->nbody; ++b) {
        int moves = tac_moving_body(model, b);
        if (moves == b) {
            out[b].weight = standard_gravity * (all[b].tree + all[b].above);
            out[b].most += out[b].weight;
            out[b].driven = all[b].pressed;
        }
        if (moves > 0 && moves < b) out[b] = out[moves];
    }
    return out;
}
