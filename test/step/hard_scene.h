// A scene with hard contact: its state, steps, and neighbours of a state along a tangent.

#ifndef TACTUS_TEST_HARD_SCENE_H
#define TACTUS_TEST_HARD_SCENE_H

#include "math/quat.h"
#include "step/hard/hard_pass.h"
#include "test.h"

#include <stdlib.h>

// a test of larger scenes says so before
#ifndef HARD_MOST_NUMBERS
#define HARD_MOST_NUMBERS 400
#endif

enum { HARD_NUMBERS = HARD_MOST_NUMBERS };

typedef struct hardScene {
    tacModel* model;
    tacScratch* scratch;
    double q[HARD_NUMBERS], v[HARD_NUMBERS], act[HARD_NUMBERS], u[HARD_NUMBERS];
    unsigned flags; // of all steps
} hardScene;

#define HARD(attributes)                                                                           \
    "<mujoco><option timestep='.01' gravity='0 0 -10'/><tactus detect='gjk' "                      \
    "respond='lcp' " attributes "/>"

static inline int hard_open(hardScene* s, const char* text) {
    tacMessage message = {0};
    *s = (hardScene){0};
    tacResult result = tac_load_text(text, (int)strlen(text), "text", NULL, &s->model, &message);
    if (result != TAC_OK) printf("  %s\n", message.text);
    ENSURE(result == TAC_OK);
    ENSURE(s->model->nq <= HARD_NUMBERS && s->model->nu <= HARD_NUMBERS);
    ENSURE(tac_scratch_create(s->model, &s->scratch) == TAC_OK);
    memcpy(s->q, s->model->qpos0, sizeof(double) * (size_t)s->model->nq);
    return 0;
}

static inline void hard_close(hardScene* s) {
    tac_scratch_destroy(s->scratch);
    tac_model_destroy(s->model);
}

static inline tacState hard_state(hardScene* s) {
    return (tacState){.qpos = s->q, .qvel = s->v, .act = s->act};
}

static inline tacResult hard_steps(hardScene* s, int count) {
    tacState x = hard_state(s);
    for (int i = 0; i < count; ++i) {
        tacResult result = tac_step(s->model, &x, s->u, &x, s->scratch);
        if (result != TAC_OK) return result;
        s->flags |= s->scratch->info.flags;
    }
    return TAC_OK;
}

// q moved along a tangent
static inline void hard_move(const tacModel* model, const double* q, const double* dq, double h,
                             double* out) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int a = j->qpos, k = j->dof,
            straight = j->axis >= 0                ? 1
                       : j->kind == TAC_JOINT_FREE ? 3
                                                   : 0;
        for (int c = 0; c < straight; ++c, ++a, ++k) out[a] = q[a] + h * dq[k];
        if (j->axis < 0)
            tac_quat_store(
                out + a, tac_quat_integrate(tac_quat_load(q + a), tac_scale(tac_load3(dq + k), h)));
    }
}

// the tangent from one q to another
static inline void hard_difference(const tacModel* model, const double* from, const double* to,
                                   double* dq) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int a = j->qpos, k = j->dof,
            straight = j->axis >= 0                ? 1
                       : j->kind == TAC_JOINT_FREE ? 3
                                                   : 0;
        for (int c = 0; c < straight; ++c, ++a, ++k) dq[k] = to[a] - from[a];
        if (j->axis < 0)
            tac_store3(dq + k, tac_quat_difference(tac_quat_load(from + a), tac_quat_load(to + a)));
    }
}

#endif
