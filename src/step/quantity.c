// Numbers of a state and their gradients.

#include "step/quantity.h"

#include "math/pose.h"
#include "math/quat.h"

#include <string.h>

//---------------------------------- value ----------------------------------------

static tacResult place_of(const tacModel* model, tacQuantity what, const tacState* x, tacReal* out,
                          tacReal* work, tacScratch* scratch) {
    tacPose* pose = (tacPose*)work;
    tacResult result = tac_kinematics(model, x->qpos, NULL, pose, NULL, scratch);
    tacReal place[3];
    if (result != TAC_OK) return result;
    if (what.kind == TAC_QUANTITY_SITE) {
        const tacSite* site = &model->site[what.index];
        tac_store3(place,
                   tac_pose_apply(pose[site->body], tac_load3(model->param + site->position)));
    } else {
        tac_store3(place, pose[what.index].position);
    }
    *out = place[what.axis];
    return TAC_OK;
}

static tacResult energy_of(const tacModel* model, tacQuantity what, const tacState* x, tacReal* out,
                           tacScratch* scratch) {
    tacReal energy[2];
    tacResult result = tac_energy(model, x->qpos, x->qvel, energy, scratch);
    if (result != TAC_OK) return result;
    *out = what.kind == TAC_QUANTITY_KINETIC     ? energy[0]
           : what.kind == TAC_QUANTITY_POTENTIAL ? energy[1]
                                                 : energy[0] + energy[1];
    return TAC_OK;
}

tacResult tac_quantity(const tacModel* model, tacQuantity what, const tacState* x, tacReal* out,
                       tacReal* work, tacScratch* scratch) {
    if (what.kind == TAC_QUANTITY_XPOS || what.kind == TAC_QUANTITY_SITE)
        return place_of(model, what, x, out, work, scratch);
    if (what.kind >= TAC_QUANTITY_KINETIC) return energy_of(model, what, x, out, scratch);
    *out = what.kind == TAC_QUANTITY_QPOS   ? x->qpos[what.index]
           : what.kind == TAC_QUANTITY_QVEL ? x->qvel[what.index]
                                            : x->act[what.index];
    return TAC_OK;
}

//---------------------------------- gradient -------------------------------------

// a number of a quaternion that turns by q exp(dq): dq/2 of q (0, dq)
static void turn_vjp(const tacReal* quat, int part, tacReal bar, tacReal* q_bar) {
    for (int i = 0; i < 3; ++i) {
        tacVec3 unit = {i == 0, i == 1, i == 2};
        tacReal moved[4];
        tac_quat_store(moved, tac_quat_mul(tac_quat_load(quat), tac_quat(0.0, unit)));
        q_bar[i] += 0.5 * bar * moved[part];
    }
}

static void qpos_vjp(const tacModel* model, int index, const tacState* x, tacReal bar,
                     tacReal* q_bar) {
    int i = model->njoint - 1;
    while (model->joint[i].qpos > index) --i;
    const tacJoint* j = &model->joint[i];
    int part = index - j->qpos, straight = j->kind == TAC_JOINT_FREE ? 3 : 0;
    if (j->axis >= 0 || part < straight)
        q_bar[j->dof + part] += bar;
    else
        turn_vjp(x->qpos + j->qpos + straight, part - straight, bar, q_bar + j->dof + straight);
}

static tacResult place_vjp(const tacModel* model, tacQuantity what, const tacState* x, tacReal bar,
                           tacTangent x_bar, tacReal* theta_bar, tacReal* work,
                           tacScratch* scratch) {
    memset(work, 0, sizeof *work * (size_t)(6 * model->nbody));
    work[6 * what.index + what.axis] = bar;
    return tac_kinematics_vjp(model, x->qpos, work, x_bar.dq, theta_bar, scratch);
}

static tacResult site_vjp(const tacModel* model, tacQuantity what, const tacState* x, tacReal bar,
                          tacTangent x_bar, tacReal* theta_bar, tacReal* work,
                          tacScratch* scratch) {
    const tacSite* site = &model->site[what.index];
    tacReal along[3] = {0.0, 0.0, 0.0};
    tacPose* pose = (tacPose*)(work + 6 * model->nbody);
    tacResult result = tac_kinematics(model, x->qpos, NULL, pose, NULL, scratch);
    if (result != TAC_OK) return result;
    memset(work, 0, sizeof *work * (size_t)(6 * model->nbody));
    along[what.axis] = bar;
    tacVec3 position_bar = tac_vec3_zero();
    tacWrench body_bar = tac_wrench_zero();
    tac_pose_apply_vjp(pose[site->body], tac_load3(model->param + site->position), tac_load3(along),
                       &body_bar, &position_bar);
    tac_wrench_store(work + 6 * site->body, body_bar);
    tac_store3(along, position_bar);
    for (int i = 0; i < 3 && theta_bar; ++i) theta_bar[site->position + i] += along[i];
    return tac_kinematics_vjp(model, x->qpos, work, x_bar.dq, theta_bar, scratch);
}

tacResult tac_quantity_vjp(const tacModel* model, tacQuantity what, const tacState* x, tacReal bar,
                           tacTangent x_bar, tacReal* theta_bar, tacReal* work,
                           tacScratch* scratch) {
    if (what.kind == TAC_QUANTITY_XPOS)
        return place_vjp(model, what, x, bar, x_bar, theta_bar, work, scratch);
    if (what.kind == TAC_QUANTITY_SITE)
        return site_vjp(model, what, x, bar, x_bar, theta_bar, work, scratch);
    if (what.kind >= TAC_QUANTITY_KINETIC) {
        tacReal energy[2] = {what.kind == TAC_QUANTITY_POTENTIAL ? (tacReal)0.0 : bar,
                             what.kind == TAC_QUANTITY_KINETIC ? (tacReal)0.0 : bar};
        tacDynamicsTangent out = {.dq = x_bar.dq, .dv = x_bar.dv, .theta = theta_bar};
        return tac_energy_vjp(model, x->qpos, x->qvel, energy, out, scratch);
    }
    if (what.kind == TAC_QUANTITY_QPOS)
        qpos_vjp(model, what.index, x, bar, x_bar.dq);
    else
        (what.kind == TAC_QUANTITY_QVEL ? x_bar.dv : x_bar.da)[what.index] += bar;
    return TAC_OK;
}
