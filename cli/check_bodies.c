// Bodies, joints and actuators of a model.

#include "cli/check_bodies.h"

#include "record/column.h"

static const char* joint_kind_name(tacJointKind kind) {
    static const char* const names[] = {"free", "ball", "slide", "hinge"};
    return names[kind];
}

static void target_name(const tacModel* model, const tacActuator* a, char text[TAC_COLUMN_SIZE]) {
    if (a->drive == TAC_DRIVE_TENDON)
        tac_column_tendon(model, a->target, text);
    else
        tac_column_joint(model, a->target, text);
}

// active entries of its gear
static int gear_count(const tacModel* model, const tacActuator* a) {
    if (a->drive == TAC_DRIVE_TENDON) return 1;
    tacJointKind kind = model->joint[a->target].kind;
    return kind == TAC_JOINT_FREE ? 6 : kind == TAC_JOINT_BALL ? 3 : 1;
}

//---------------------------------- text -----------------------------------------

static int body_depth(const tacModel* model, int body) {
    int depth = 0;
    for (; body > 0; body = model->body[body].parent) ++depth;
    return depth;
}

// zeros are not printed
static void print_if_nonzero(const tacModel* model, const char* what, int offset) {
    if (model->param[offset] != 0.0) printf(", %s %g", what, model->param[offset]);
}

static void print_joint(const tacModel* model, int joint, int indent) {
    const tacJoint* j = &model->joint[joint];
    const double* p = model->param;
    char name[TAC_COLUMN_SIZE];
    tac_column_joint(model, joint, name);
    printf("  %*s- %s %s", indent, "", joint_kind_name(j->kind), name);
    if (j->axis >= 0) printf(" along %g %g %g", p[j->axis], p[j->axis + 1], p[j->axis + 2]);
    if (j->limited) printf(", from %g to %g", p[j->range], p[j->range + 1]);
    print_if_nonzero(model, "stiffness", j->stiffness);
    print_if_nonzero(model, "damping", j->damping);
    print_if_nonzero(model, "armature", j->armature);
    print_if_nonzero(model, "frictionloss", j->frictionloss);
    printf("\n");
}

static void print_body(const tacModel* model, int body, int geoms) {
    const tacBody* b = &model->body[body];
    int indent = 2 * (body_depth(model, body) - 1);
    printf("  %*s%s: %g kg, %d geom%s\n", indent, "", *b->name ? b->name : "(no name)",
           model->param[b->mass], geoms, geoms == 1 ? "" : "s");
    for (int j = 0; j < b->joints; ++j) print_joint(model, b->first_joint + j, indent + 2);
}

static void print_range(const char* what, const double range[2], int limited) {
    if (limited) printf(", %s from %g to %g", what, range[0], range[1]);
}

static void print_tendon(const tacModel* model, int i) {
    const tacTendon* t = &model->tendon[i];
    char name[TAC_COLUMN_SIZE];
    tac_column_tendon(model, i, name);
    printf("  tendon %s:", name);
    for (int k = 0; k < t->count; ++k) {
        tac_column_joint(model, model->tendonjoint[t->first + k], name);
        printf(" %+g %s", model->param[t->coef + k], name);
    }
    print_if_nonzero(model, "stiffness", t->stiffness);
    print_if_nonzero(model, "damping", t->damping);
    print_if_nonzero(model, "frictionloss", t->frictionloss);
    printf("\n");
}

static void print_actuator(const tacModel* model, int i) {
    const tacActuator* a = &model->actuator[i];
    char name[TAC_COLUMN_SIZE], target[TAC_COLUMN_SIZE];
    tac_column_ctrl(model, i, name);
    target_name(model, a, target);
    printf("  actuator %s on %s %s: gear", name, a->drive == TAC_DRIVE_TENDON ? "tendon" : "joint",
           target);
    for (int k = 0; k < gear_count(model, a); ++k) printf(" %g", model->param[a->gear + k]);
    if (a->act >= 0) printf(", with activation");
    print_range("ctrl", a->ctrlrange, a->ctrllimited);
    print_range("force", a->forcerange, a->forcelimited);
    printf("\n");
}

void cli_bodies_print(const tacModel* model) {
    double mass = 0.0;
    int geom = 0; // geoms are sorted by body
    while (geom < model->ngeom && model->geom[geom].body == 0) ++geom;
    for (int i = 1; i < model->nbody; ++i) {
        int first = geom;
        while (geom < model->ngeom && model->geom[geom].body == i) ++geom;
        print_body(model, i, geom - first);
        mass += model->param[model->body[i].mass];
    }
    printf("  total mass %g kg\n", mass);
    for (int i = 0; i < model->ntendon; ++i) print_tendon(model, i);
    for (int i = 0; i < model->nu; ++i) print_actuator(model, i);
}

//---------------------------------- JSON -----------------------------------------

static void json_joint(cliJson* json, const tacModel* model, int joint) {
    const tacJoint* j = &model->joint[joint];
    const double* p = model->param;
    char name[TAC_COLUMN_SIZE];
    tac_column_joint(model, joint, name);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "joint", name);
    cli_json_text(json, "type", joint_kind_name(j->kind));
    cli_json_int(json, "qpos", j->qpos);
    cli_json_int(json, "qvel", j->dof);
    if (j->axis >= 0) cli_json_numbers(json, "axis", p + j->axis, 3);
    if (j->limited) cli_json_numbers(json, "range", p + j->range, 2);
    cli_json_number(json, "stiffness", p[j->stiffness]);
    cli_json_number(json, "damping", p[j->damping]);
    cli_json_number(json, "armature", p[j->armature]);
    cli_json_number(json, "frictionloss", p[j->frictionloss]);
    cli_json_close(json, '}');
}

static void json_body(cliJson* json, const tacModel* model, int body) {
    const tacBody* b = &model->body[body];
    const double* p = model->param;
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "body", b->name);
    cli_json_int(json, "number", body);
    cli_json_int(json, "parent", b->parent);
    cli_json_number(json, "mass", p[b->mass]);
    cli_json_numbers(json, "com", p + b->com, 3);
    cli_json_numbers(json, "inertia", p + b->inertia, 6);
    cli_json_open(json, "joints", '[');
    for (int j = 0; j < b->joints; ++j) json_joint(json, model, b->first_joint + j);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

static void json_actuator(cliJson* json, const tacModel* model, int i) {
    const tacActuator* a = &model->actuator[i];
    char name[TAC_COLUMN_SIZE], target[TAC_COLUMN_SIZE];
    tac_column_ctrl(model, i, name);
    target_name(model, a, target);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "actuator", name);
    cli_json_text(json, a->drive == TAC_DRIVE_TENDON ? "tendon" : "joint", target);
    cli_json_int(json, "act", a->act);
    cli_json_numbers(json, "gear", model->param + a->gear, gear_count(model, a));
    if (a->ctrllimited) cli_json_numbers(json, "ctrlrange", a->ctrlrange, 2);
    if (a->forcelimited) cli_json_numbers(json, "forcerange", a->forcerange, 2);
    cli_json_close(json, '}');
}

static void json_tendon(cliJson* json, const tacModel* model, int i) {
    const tacTendon* t = &model->tendon[i];
    char name[TAC_COLUMN_SIZE];
    tac_column_tendon(model, i, name);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "tendon", name);
    cli_json_open(json, "joints", '[');
    for (int k = 0; k < t->count; ++k) {
        tac_column_joint(model, model->tendonjoint[t->first + k], name);
        cli_json_text(json, NULL, name);
    }
    cli_json_close(json, ']');
    cli_json_numbers(json, "coef", model->param + t->coef, t->count);
    cli_json_number(json, "frictionloss", model->param[t->frictionloss]);
    cli_json_close(json, '}');
}

void cli_bodies_json(cliJson* json, const tacModel* model) {
    for (int i = 1; i < model->nbody; ++i) json_body(json, model, i);
    for (int i = 0; i < model->ntendon; ++i) json_tendon(json, model, i);
    for (int i = 0; i < model->nu; ++i) json_actuator(json, model, i);
}
