// Rows for the responders: limits and dry friction of joints and tendons.

#include "dynamics/dynamics.h"
#include "math/quat.h"
#include "tactus/respond.h"

#include <string.h>

// where the next row goes; without rows they are only counted
typedef struct rowList {
    const tacModel* model;
    const tacReal *qpos, *qvel;
    tacRow* rows;
    tacReal* J;
    int count;
} rowList;

// a row that is all 0 but for what it is; NULL while rows are counted
static tacReal* add_row(rowList* l, tacRow row) {
    int index = l->count++;
    if (!l->rows) return NULL;
    tacReal* J = l->J + (size_t)index * (size_t)l->model->nv;
    memset(J, 0, sizeof *J * (size_t)l->model->nv);
    row.J = J;
    l->rows[index] = row;
    return J;
}

// velocity of the last row, from its Jacobian
static void finish_row(rowList* l) {
    tacRow* row = &l->rows[l->count - 1];
    row->velocity = 0.0;
    for (int k = 0; k < l->model->nv; ++k) row->velocity += row->J[k] * l->qvel[k];
}

//---------------------------------- limits ---------------------------------------

static void joint_limit(rowList* l, int joint, int upper) {
    const tacJoint* j = &l->model->joint[joint];
    tacReal* J = add_row(l, (tacRow){.kind = TAC_ROW_JOINT_LIMIT, .object = joint, .upper = upper});
    if (!J) return;
    tacReal sign = upper ? -1.0 : 1.0;
    l->rows[l->count - 1].value = sign * (l->qpos[j->qpos] - l->model->param[j->range + upper]);
    J[j->dof] = sign;
    finish_row(l);
}

// the angle of a turn grows along its axis; at angle 0, far from any limit, it has none
static void ball_limit(rowList* l, int joint) {
    const tacJoint* j = &l->model->joint[joint];
    tacReal* J = add_row(l, (tacRow){.kind = TAC_ROW_BALL_LIMIT, .object = joint, .upper = 1});
    if (!J) return;
    tacQuat q = tac_quat_normalize(tac_quat_load(l->qpos + j->qpos));
    tacVec3 w = tac_quat_log(q);
    tacReal angle = r_sqrt(tac_norm2(w));
    l->rows[l->count - 1].value = l->model->param[j->range + 1] - angle;
    if (tac_re(angle) > 0.0) tac_store3(J + j->dof, tac_scale(w, -1.0 / angle));
    finish_row(l);
}

static void tendon_limit(rowList* l, int tendon, int upper) {
    const tacModel* model = l->model;
    const tacTendon* t = &model->tendon[tendon];
    tacReal* J =
        add_row(l, (tacRow){.kind = TAC_ROW_TENDON_LIMIT, .object = tendon, .upper = upper});
    if (!J) return;
    tacReal sign = upper ? -1.0 : 1.0, length = 0.0;
    for (int i = 0; i < t->count; ++i) {
        const tacJoint* j = &model->joint[model->tendonjoint[t->first + i]];
        length += model->param[t->coef + i] * l->qpos[j->qpos];
        J[j->dof] = sign * model->param[t->coef + i];
    }
    l->rows[l->count - 1].value = sign * (length - model->param[t->range + upper]);
    finish_row(l);
}

static void list_limits(rowList* l) {
    const tacModel* model = l->model;
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        if (!j->limited || j->kind == TAC_JOINT_FREE) continue;
        if (j->kind == TAC_JOINT_BALL)
            ball_limit(l, i);
        else
            joint_limit(l, i, 0), joint_limit(l, i, 1);
    }
    for (int i = 0; i < model->ntendon; ++i)
        if (model->tendon[i].limited) tendon_limit(l, i, 0), tendon_limit(l, i, 1);
}

//---------------------------------- dry friction ---------------------------------

static void list_friction(rowList* l) {
    const tacModel* model = l->model;
    for (int k = 0; k < model->nv; ++k) {
        tacReal bound = model->param[model->joint[model->dof[k].joint].frictionloss];
        if (tac_re(bound) <= 0.0) continue;
        tacReal* J =
            add_row(l, (tacRow){.kind = TAC_ROW_JOINT_FRICTION, .object = k, .bound = bound});
        if (!J) continue;
        J[k] = 1.0;
        finish_row(l);
    }
    for (int i = 0; i < model->ntendon; ++i) {
        const tacTendon* t = &model->tendon[i];
        tacReal bound = model->param[t->frictionloss];
        if (tac_re(bound) <= 0.0) continue;
        tacReal* J =
            add_row(l, (tacRow){.kind = TAC_ROW_TENDON_FRICTION, .object = i, .bound = bound});
        for (int c = 0; c < t->count && J; ++c)
            J[model->joint[model->tendonjoint[t->first + c]].dof] = model->param[t->coef + c];
        if (J) finish_row(l);
    }
}

//---------------------------------- all ------------------------------------------

int tac_row_count(const tacModel* model) {
    rowList l = {.model = model};
    list_limits(&l);
    list_friction(&l);
    return l.count;
}

tacResult tac_rows(const tacModel* model, const tacReal* qpos, const tacReal* qvel, tacRow* rows,
                   tacReal* J) {
    tacDynamicsInput x = {.qpos = qpos, .qvel = qvel};
    tacResult result = tac_input_check(model, x);
    if (result == TAC_OK && model->nv > 0 && (!qvel || !rows || !J)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    rowList l = {model, qpos, qvel, rows, J, 0};
    list_limits(&l);
    list_friction(&l);
    return TAC_OK;
}
