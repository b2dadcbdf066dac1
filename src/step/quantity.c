// Quantities of a state and their gradients.

#include "step/quantity.h"

#include "math/pose.h"
#include "math/quat.h"

#include <string.h>

//---------------------------------- value ----------------------------------------

static tacResult position_value(const tacQuantityPoint* at, tacReal* out) {
    const tacModel* model = at->model;
    tacPose* pose = (tacPose*)at->work;
    tacResult result = tac_kinematics(model, at->x->qpos, NULL, pose, NULL, at->scratch);
    tacReal point[3];
    if (result != TAC_OK) return result;
    if (at->quantity.kind == TAC_QUANTITY_SITE) {
        const tacSite* site = &model->site[at->quantity.index];
        tac_store3(point,
                   tac_pose_apply(pose[site->body], tac_load3(model->param + site->position)));
    } else {
        tac_store3(point, pose[at->quantity.index].position);
    }
    *out = point[at->quantity.axis];
    return TAC_OK;
}

static tacResult energy_value(const tacQuantityPoint* at, tacReal* out) {
    tacQuantityKind kind = at->quantity.kind;
    tacReal energy[2];
    tacResult result = tac_energy(at->model, at->x->qpos, at->x->qvel, energy, at->scratch);
    if (result != TAC_OK) return result;
    *out = kind == TAC_QUANTITY_KINETIC     ? energy[0]
           : kind == TAC_QUANTITY_POTENTIAL ? energy[1]
                                            : energy[0] + energy[1];
    return TAC_OK;
}

tacResult tac_quantity(const tacQuantityPoint* at, tacReal* out) {
    tacQuantity quantity = at->quantity;
    const tacState* x = at->x;
    if (quantity.kind == TAC_QUANTITY_XPOS || quantity.kind == TAC_QUANTITY_SITE)
        return position_value(at, out);
    if (quantity.kind >= TAC_QUANTITY_KINETIC) return energy_value(at, out);
    *out = quantity.kind == TAC_QUANTITY_QPOS   ? x->qpos[quantity.index]
           : quantity.kind == TAC_QUANTITY_QVEL ? x->qvel[quantity.index]
                                                : x->act[quantity.index];
    return TAC_OK;
}

//---------------------------------- gradient -------------------------------------

// a component of the quaternion q exp(dq): dq/2 of q (0, dq)
static void quat_vjp(const tacReal* quat, int part, tacReal bar, tacReal* q_bar) {
    for (int i = 0; i < 3; ++i) {
        tacVec3 unit = {i == 0, i == 1, i == 2};
        tacReal perturbed[4];
        tac_quat_store(perturbed, tac_quat_mul(tac_quat_load(quat), tac_quat(0.0, unit)));
        q_bar[i] += 0.5 * bar * perturbed[part];
    }
}

static void qpos_vjp(const tacModel* model, int index, const tacState* x, tacReal bar,
                     tacReal* q_bar) {
    int i = model->njoint - 1;
    while (model->joint[i].qpos > index) --i;
    const tacJoint* j = &model->joint[i];
    int part = index - j->qpos, ntranslate = j->kind == TAC_JOINT_FREE ? 3 : 0;
    if (j->axis >= 0 || part < ntranslate)
        q_bar[j->dof + part] += bar;
    else
        quat_vjp(x->qpos + j->qpos + ntranslate, part - ntranslate, bar,
                 q_bar + j->dof + ntranslate);
}

static tacResult position_vjp(const tacQuantityPoint* at, tacReal bar, tacReal* q_bar,
                              tacReal* theta_bar) {
    memset(at->work, 0, sizeof *at->work * (size_t)(6 * at->model->nbody));
    at->work[6 * at->quantity.index + at->quantity.axis] = bar;
    return tac_kinematics_vjp(at->model, at->x->qpos, at->work, q_bar, theta_bar, at->scratch);
}

static tacResult site_vjp(const tacQuantityPoint* at, tacReal bar, tacReal* q_bar,
                          tacReal* theta_bar) {
    const tacModel* model = at->model;
    const tacSite* site = &model->site[at->quantity.index];
    tacReal along[3] = {0.0, 0.0, 0.0}, *work = at->work;
    tacPose* pose = (tacPose*)(work + 6 * model->nbody);
    tacResult result = tac_kinematics(model, at->x->qpos, NULL, pose, NULL, at->scratch);
    if (result != TAC_OK) return result;
    memset(work, 0, sizeof *work * (size_t)(6 * model->nbody));
    along[at->quantity.axis] = bar;
    tacVec3 position_bar = tac_vec3_zero();
    tacWrench body_bar = tac_wrench_zero();
    tac_pose_apply_vjp(pose[site->body], tac_load3(model->param + site->position), tac_load3(along),
                       &body_bar, &position_bar);
    tac_wrench_store(work + 6 * site->body, body_bar);
    tac_store3(along, position_bar);
    for (int i = 0; i < 3 && theta_bar; ++i) theta_bar[site->position + i] += along[i];
    return tac_kinematics_vjp(model, at->x->qpos, work, q_bar, theta_bar, at->scratch);
}

static tacResult energy_vjp(const tacQuantityPoint* at, tacReal bar, tacTangent x_bar,
                            tacReal* theta_bar) {
    tacReal energy[2] = {at->quantity.kind == TAC_QUANTITY_POTENTIAL ? (tacReal)0.0 : bar,
                         at->quantity.kind == TAC_QUANTITY_KINETIC ? (tacReal)0.0 : bar};
    tacDynamicsTangent out = {.dq = x_bar.dq, .dv = x_bar.dv, .theta = theta_bar};
    return tac_energy_vjp(at->model, at->x->qpos, at->x->qvel, energy, out, at->scratch);
}

tacResult tac_quantity_vjp(const tacQuantityPoint* at, tacReal bar, tacTangent x_bar,
                           tacReal* theta_bar) {
    tacQuantity quantity = at->quantity;
    if (quantity.kind == TAC_QUANTITY_XPOS) return position_vjp(at, bar, x_bar.dq, theta_bar);
    if (quantity.kind == TAC_QUANTITY_SITE) return site_vjp(at, bar, x_bar.dq, theta_bar);
    if (quantity.kind >= TAC_QUANTITY_KINETIC) return energy_vjp(at, bar, x_bar, theta_bar);
    if (quantity.kind == TAC_QUANTITY_QPOS)
        qpos_vjp(at->model, quantity.index, at->x, bar, x_bar.dq);
    else
        (quantity.kind == TAC_QUANTITY_QVEL ? x_bar.dv : x_bar.da)[quantity.index] += bar;
    return TAC_OK;
}
