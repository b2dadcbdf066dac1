// Models in a given configuration.

#include "draw/posed/posed_model.h"

#include "math/pose.h"
#include "tactus/dynamics.h"

#include <stdlib.h>
#include <string.h>

static tacResult compute_body_poses(const tacModel* model, const double* qpos, tacPose* pose) {
    tacScratch* scratch;
    tacResult result = tac_scratch_create(model, &scratch);
    if (result != TAC_OK) return result;
    result = tac_kinematics(model, qpos, NULL, pose, NULL, scratch);
    tac_scratch_destroy(scratch);
    return result;
}

tacResult tac_posed_model_create(const tacModel* model, const double* qpos, tacModel* out) {
    size_t size = sizeof(double) * (size_t)model->nparam;
    double* param = malloc(size + 1);
    tacPose* pose = malloc(sizeof *pose * (size_t)model->nbody);
    tacResult result = param && pose ? compute_body_poses(model, qpos, pose) : TAC_ERROR_MEMORY;
    if (result == TAC_OK) {
        memcpy(param, model->param, size);
        *out = *model;
        out->param = param;
    }
    for (int i = 1; i < model->nbody && result == TAC_OK; ++i) {
        const tacBody* b = &model->body[i];
        tacPose local = tac_pose_compose(tac_pose_inverse(pose[b->parent]), pose[i]);
        tac_store3(param + b->position, local.position);
        tac_quat_store(param + b->rotation, local.rotation);
    }
    free(pose);
    if (result != TAC_OK) free(param);
    return result;
}

void tac_posed_model_free(tacModel* posed) { free(posed->param); }
