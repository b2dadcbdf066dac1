// A scene loaded twice, by MuJoCo and by us, with MuJoCo's compiled inertias in our model.

#ifndef TACTUS_TEST_MUJOCO_TWIN_H
#define TACTUS_TEST_MUJOCO_TWIN_H

#include "math/spatial.h"
#include "tactus/tactus.h"
#include "test.h"

#include <mujoco/mujoco.h>
#include <stdlib.h>

typedef struct mujocoTwin {
    tacModel* model;
    tacScratch* scratch;
    mjModel* m;
    mjData* d;
    char reason[300]; // why one of the two could not read it
} mujocoTwin;

static inline void twin_close(mujocoTwin* t) {
    tac_scratch_destroy(t->scratch);
    tac_model_destroy(t->model);
    if (t->d) mj_deleteData(t->d);
    if (t->m) mj_deleteModel(t->m);
    *t = (mujocoTwin){0};
}

// com, and R(iquat) diag R(iquat)'
static inline void twin_copy_inertia(mujocoTwin* t) {
    for (int b = 1; b < t->model->nbody; ++b) {
        const tacBody* body = &t->model->body[b];
        const double* diagonal = t->m->body_inertia + 3 * b;
        tacInertia I = {
            t->m->body_mass[b], tac_vec3_zero(), {diagonal[0], diagonal[1], diagonal[2]}};
        tacPose pose = {tac_load3(t->m->body_ipos + 3 * b),
                        tac_quat_load(t->m->body_iquat + 4 * b)};
        I = tac_inertia_transform(pose, &I);
        t->model->param[body->mass] = I.mass;
        tac_store3(t->model->param + body->com, I.com);
        memcpy(t->model->param + body->inertia, I.inertia, sizeof I.inertia);
    }
}

// 1 if both read it and agree on its sizes
static inline int twin_open(mujocoTwin* t, const char* path) {
    tacMessage message;
    char error[1000] = "";
    *t = (mujocoTwin){0};
    if (tac_load(path, NULL, &t->model, &message) != TAC_OK) {
        snprintf(t->reason, sizeof t->reason, "we: %.*s (line %d)", 200, message.text,
                 message.line);
        return 0;
    }
    t->m = mj_loadXML(path, NULL, error, (int)sizeof error);
    if (!t->m) {
        snprintf(t->reason, sizeof t->reason, "MuJoCo: %.*s", 200, error);
        return 0;
    }
    t->d = mj_makeData(t->m);
    t->m->opt.disableflags |= mjDSBL_CONSTRAINT;
    tac_scratch_create(t->model, &t->scratch);
    if (t->m->nq == t->model->nq && t->m->nv == t->model->nv && t->m->nbody == t->model->nbody &&
        t->m->nu == t->model->nu)
        return 1;
    snprintf(t->reason, sizeof t->reason, "sizes differ");
    return 0;
}

static inline double twin_normal(testRandom* random) {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += test_uniform(random, 0.0, 1.0);
    return sum;
}

// joints uniform in their range or in [-pi, pi], free positions and velocities normal
static inline void twin_draw(mujocoTwin* t, testRandom* random) {
    mjData* d = t->d;
    for (int i = 0; i < t->model->njoint; ++i) {
        const tacJoint* j = &t->model->joint[i];
        double low = -3.14159265, high = 3.14159265;
        if (j->limited && j->axis >= 0)
            low = t->model->param[j->range], high = t->model->param[j->range + 1];
        int count = j->kind == TAC_JOINT_FREE ? 7 : j->kind == TAC_JOINT_BALL ? 4 : 1;
        for (int k = 0; k < count; ++k)
            d->qpos[j->qpos + k] =
                j->axis >= 0 ? test_uniform(random, low, high) : twin_normal(random);
        if (j->axis < 0) mju_normalize4(d->qpos + j->qpos + count - 4);
    }
    for (int k = 0; k < t->model->nv; ++k) d->qvel[k] = twin_normal(random);
    for (int k = 0; k < t->model->nu; ++k) {
        const tacActuator* a = &t->model->actuator[k];
        double low = a->ctrllimited ? a->ctrlrange[0] : -1.0;
        double high = a->ctrllimited ? a->ctrlrange[1] : 1.0;
        d->ctrl[k] = test_uniform(random, low, high);
    }
}

// |a - b|/|b|
static inline double twin_error(int n, const double* a, const double* b) {
    double difference = 0.0, norm = 0.0;
    for (int i = 0; i < n; ++i) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    return norm > 0.0 ? sqrt(difference / norm) : sqrt(difference);
}

#endif
