// Rows for the responders: limits and dry friction of joints and tendons, and equalities.

#include "dynamics/dynamics.h"
#include "math/pose.h"
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
    tacPose* pose;           // (nbody)
    tacReal *first, *second; // (6 x nv) Jacobians of two bodies
    tacScratch* scratch;
} rowList;

// a new row with its kind, else 0; NULL while rows are counted
static tacReal* append_row(rowList* l, tacRow row) {
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
    tacReal* J =
        append_row(l, (tacRow){.kind = TAC_ROW_JOINT_LIMIT, .object = joint, .upper = upper});
    if (!J) return;
    tacReal sign = upper ? -1.0 : 1.0;
    l->rows[l->count - 1].value = sign * (l->qpos[j->qpos] - l->model->param[j->range + upper]);
    J[j->dof] = sign;
    finish_row(l);
}

// the angle of a rotation grows along its axis; at angle 0, far from any limit, there is no axis
static void ball_limit(rowList* l, int joint) {
    const tacJoint* j = &l->model->joint[joint];
    tacReal* J = append_row(l, (tacRow){.kind = TAC_ROW_BALL_LIMIT, .object = joint, .upper = 1});
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
        append_row(l, (tacRow){.kind = TAC_ROW_TENDON_LIMIT, .object = tendon, .upper = upper});
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
        else {
            joint_limit(l, i, 0);
            joint_limit(l, i, 1);
        }
    }
    for (int i = 0; i < model->ntendon; ++i)
        if (model->tendon[i].limited) {
            tendon_limit(l, i, 0);
            tendon_limit(l, i, 1);
        }
}

//---------------------------------- dry friction ---------------------------------

static void list_friction(rowList* l) {
    const tacModel* model = l->model;
    for (int k = 0; k < model->nv; ++k) {
        tacReal bound = model->param[model->joint[model->dof[k].joint].frictionloss];
        if (tac_re(bound) <= 0.0) continue;
        tacReal* J =
            append_row(l, (tacRow){.kind = TAC_ROW_JOINT_FRICTION, .object = k, .bound = bound});
        if (!J) continue;
        J[k] = 1.0;
        finish_row(l);
    }
    for (int i = 0; i < model->ntendon; ++i) {
        const tacTendon* t = &model->tendon[i];
        tacReal bound = model->param[t->frictionloss];
        if (tac_re(bound) <= 0.0) continue;
        tacReal* J =
            append_row(l, (tacRow){.kind = TAC_ROW_TENDON_FRICTION, .object = i, .bound = bound});
        for (int c = 0; c < t->count && J; ++c)
            J[model->joint[model->tendonjoint[t->first + c]].dof] = model->param[t->coef + c];
        if (J) finish_row(l);
    }
}

//---------------------------------- equalities of joints -------------------------

// q minus where the scene is drawn, of a joint or tendon; adds `scale` times its row to J
static tacReal coordinate_offset(const rowList* l, int is_tendon, int object) {
    const tacModel* model = l->model;
    tacReal sum = 0.0;
    if (!is_tendon) {
        int q = model->joint[object].qpos;
        return l->qpos[q] - model->qpos0[q];
    }
    const tacTendon* t = &model->tendon[object];
    for (int i = 0; i < t->count; ++i) {
        int q = model->joint[model->tendonjoint[t->first + i]].qpos;
        sum += model->param[t->coef + i] * (l->qpos[q] - model->qpos0[q]);
    }
    return sum;
}

static void add_coordinate_row(const tacModel* model, int is_tendon, int object, tacReal scale,
                               tacReal* J) {
    if (!is_tendon) {
        J[model->joint[object].dof] += scale;
        return;
    }
    const tacTendon* t = &model->tendon[object];
    for (int i = 0; i < t->count; ++i)
        J[model->joint[model->tendonjoint[t->first + i]].dof] += scale * model->param[t->coef + i];
}

// one minus a polynomial of the other
static void polynomial_row(rowList* l, int equality) {
    const tacModel* model = l->model;
    const tacEquality* eq = &model->equality[equality];
    int is_tendon = eq->kind == TAC_EQUALITY_TENDON;
    tacReal* J = append_row(l, (tacRow){.kind = TAC_ROW_EQUALITY, .object = equality});
    if (!J) return;
    const tacReal* c = model->param + eq->data;
    tacReal value = c[0], slope = 0.0;
    if (eq->object[1] >= 0) {
        tacReal x = coordinate_offset(l, is_tendon, eq->object[1]);
        value = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
        slope = c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4]));
        add_coordinate_row(model, is_tendon, eq->object[1], -slope, J);
    }
    l->rows[l->count - 1].value = coordinate_offset(l, is_tendon, eq->object[0]) - value;
    add_coordinate_row(model, is_tendon, eq->object[0], 1.0, J);
    finish_row(l);
}

//---------------------------------- equalities of bodies -------------------------

// a place on a body that an equality holds
typedef struct constraintFrame {
    int body;
    tacVec3 point; // world
    tacQuat rot;   // body, or site, to world
} constraintFrame;

static constraintFrame constraint_frame(const rowList* l, const tacEquality* eq, int end) {
    const tacModel* model = l->model;
    int object = eq->object[end];
    if (eq->sites) {
        const tacSite* site = &model->site[object];
        tacPose pose = l->pose[site->body];
        tacQuat own = tac_quat_normalize(tac_quat_load(model->param + site->rotation));
        return (constraintFrame){site->body,
                                 tac_pose_apply(pose, tac_load3(model->param + site->position)),
                                 tac_quat_mul(pose.rotation, own)};
    }
    // connect has the point of body 1 first, weld that of body 2
    int second = (end == 1) != (eq->kind == TAC_EQUALITY_WELD);
    tacVec3 local = tac_load3(model->param + eq->data + (second ? 3 : 0));
    return (constraintFrame){object, tac_pose_apply(l->pose[object], local),
                             l->pose[object].rotation};
}

static void eval_jacobians(rowList* l, constraintFrame a, constraintFrame b) {
    tacReal p[3], q[3];
    tac_store3(p, a.point);
    tac_store3(q, b.point);
    tac_body_jacobian(l->model, l->qpos, a.body, p, l->first, l->scratch);
    tac_body_jacobian(l->model, l->qpos, b.body, q, l->second, l->scratch);
    for (int i = 0; i < 6 * l->model->nv; ++i) l->first[i] -= l->second[i];
}

static void point_rows(rowList* l, int equality, constraintFrame a, constraintFrame b) {
    tacReal value[3];
    tac_store3(value, tac_sub(a.point, b.point));
    for (int i = 0; i < 3; ++i) {
        tacReal* J = append_row(l, (tacRow){.kind = TAC_ROW_EQUALITY, .object = equality});
        if (!J) continue;
        l->rows[l->count - 1].value = value[i];
        memcpy(J, l->first + i * l->model->nv, sizeof *J * (size_t)l->model->nv);
        finish_row(l);
    }
}

// e = q2* q1 r, r the rotation of 2 in 1: value is its vector part, with d e = q2* (0, w/2) q1 r
static void rotation_rows(rowList* l, int equality, constraintFrame a, constraintFrame b) {
    const tacModel* model = l->model;
    const tacEquality* eq = &model->equality[equality];
    int nv = model->nv;
    tacQuat r = eq->sites ? tac_quat_identity()
                          : tac_quat_normalize(tac_quat_load(model->param + eq->data + 6));
    tacReal scale = model->param[eq->data + 10], value[4];
    tacQuat back = tac_quat_conj(b.rot), target = tac_quat_mul(a.rot, r);
    tac_quat_store(value, tac_quat_mul(back, target));
    tacReal* J[3];
    for (int i = 0; i < 3; ++i) {
        J[i] = append_row(l, (tacRow){.kind = TAC_ROW_EQUALITY, .object = equality});
        l->rows[l->count - 1].value = scale * value[1 + i];
    }
    for (int k = 0; k < nv; ++k) {
        tacVec3 w = {l->first[3 * nv + k], l->first[4 * nv + k], l->first[5 * nv + k]};
        tacReal d[4];
        tac_quat_store(d,
                       tac_quat_mul(back, tac_quat_mul(tac_quat(0.0, tac_scale(w, 0.5)), target)));
        for (int i = 0; i < 3; ++i) J[i][k] = scale * d[1 + i];
    }
    for (int i = 0, last = l->count; i < 3; ++i) {
        l->count = last - 2 + i;
        finish_row(l);
    }
}

static void body_rows(rowList* l, int equality) {
    const tacEquality* eq = &l->model->equality[equality];
    int weld = eq->kind == TAC_EQUALITY_WELD;
    if (!l->rows) {
        l->count += weld ? 6 : 3;
        return;
    }
    constraintFrame a = constraint_frame(l, eq, 0), b = constraint_frame(l, eq, 1);
    eval_jacobians(l, a, b);
    point_rows(l, equality, a, b);
    if (weld) rotation_rows(l, equality, a, b);
}

static void list_equalities(rowList* l) {
    for (int i = 0; i < l->model->nequality; ++i) {
        const tacEquality* eq = &l->model->equality[i];
        if (!eq->active) continue;
        if (eq->kind == TAC_EQUALITY_JOINT || eq->kind == TAC_EQUALITY_TENDON)
            polynomial_row(l, i);
        else
            body_rows(l, i);
    }
}

//---------------------------------- all ------------------------------------------

static void list_rows(rowList* l) {
    unsigned off = l->model->disable;
    if (off & TAC_DISABLE_CONSTRAINT) return;
    if (!(off & TAC_DISABLE_LIMIT)) list_limits(l);
    if (!(off & TAC_DISABLE_FRICTIONLOSS)) list_friction(l);
    if (!(off & TAC_DISABLE_EQUALITY)) list_equalities(l);
}

int tac_row_count(const tacModel* model) {
    rowList l = {.model = model};
    if (model) list_rows(&l);
    return l.count;
}

static void alloc_work(rowList* l, tacArena* arena) {
    l->pose = TAC_ALLOC(arena, tacPose, l->model->nbody);
    l->first = TAC_ALLOC(arena, tacReal, 6 * l->model->nv);
    l->second = TAC_ALLOC(arena, tacReal, 6 * l->model->nv);
}

// with a body Jacobian inside
void tac_rows_measure(const tacModel* model, tacArena* dry) {
    rowList l = {.model = model};
    alloc_work(&l, dry);
    tac_motion_at(model, (tacDynamicsInput){0}, dry);
    TAC_ALLOC(dry, tacReal, model->nv);
}

tacResult tac_rows(const tacModel* model, const tacReal* qpos, const tacReal* qvel, tacRow* rows,
                   tacReal* J, tacScratch* scratch) {
    tacDynamicsInput x = {.qpos = qpos, .qvel = qvel};
    tacResult result = tac_input_check(model, x, scratch);
    if (result == TAC_OK && model->nv > 0 && (!qvel || !rows || !J)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    rowList l = {model, qpos, qvel, rows, J, 0, NULL, NULL, NULL, scratch};
    alloc_work(&l, &scratch->arena);
    if (model->nequality > 0) result = tac_kinematics(model, qpos, NULL, l.pose, NULL, scratch);
    if (result == TAC_OK) list_rows(&l);
    scratch->arena.used = mark;
    return result;
}
