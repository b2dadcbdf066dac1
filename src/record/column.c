// Names of the numbers of a state, from the names of joints and actuators.

#include "record/column.h"

#include <stdio.h>

static void write_name(const char* name, const char* kind, int number, const char* part,
                       char text[TAC_COLUMN_SIZE]) {
    const char* between = *part ? "/" : "";
    if (*name)
        snprintf(text, TAC_COLUMN_SIZE, "%s%s%s", name, between, part);
    else
        snprintf(text, TAC_COLUMN_SIZE, "%s%d%s%s", kind, number, between, part);
}

// the joint that number i of qpos belongs to
static int joint_of_column(const tacModel* model, int i) {
    int low = 0, high = model->njoint;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (model->joint[middle].qpos <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void tac_column_qpos(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]) {
    static const char* const parts[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    int j = joint_of_column(model, i);
    const tacJoint* joint = &model->joint[j];
    int part = i - joint->qpos + (joint->kind == TAC_JOINT_BALL ? 3 : 0);
    write_name(joint->name, "joint", j, joint->axis >= 0 ? "" : parts[part], text);
}

void tac_column_dof(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]) {
    static const char* const parts[] = {"x", "y", "z", "rx", "ry", "rz"};
    int j = model->dof[i].joint;
    const tacJoint* joint = &model->joint[j];
    int part = i - joint->dof + (joint->kind == TAC_JOINT_BALL ? 3 : 0);
    write_name(joint->name, "joint", j, joint->axis >= 0 ? "" : parts[part], text);
}

void tac_column_joint(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]) {
    write_name(model->joint[i].name, "joint", i, "", text);
}

void tac_column_tendon(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]) {
    write_name(model->tendon[i].name, "tendon", i, "", text);
}

void tac_column_ctrl(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]) {
    write_name(model->actuator[i].name, "actuator", i, "", text);
}

void tac_column_act(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]) {
    int actuator = 0;
    while (model->actuator[actuator].act != i) ++actuator;
    tac_column_ctrl(model, actuator, text);
}

void tac_column_tangent(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]) {
    char name[TAC_COLUMN_SIZE];
    int nv = model->nv;
    const char* kind = i < nv ? "qpos" : i < 2 * nv ? "qvel" : "act";
    if (i < 2 * nv)
        tac_column_dof(model, i % nv, name);
    else
        tac_column_act(model, i - 2 * nv, name);
    snprintf(text, TAC_COLUMN_SIZE, "%s %.*s", kind, TAC_COLUMN_SIZE - 6, name);
}
