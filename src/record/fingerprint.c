// FNV-1a over all that the motion of a model depends on. Structs are hashed field by field, because
// they hold pointers.

#include "record/fingerprint.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t add_bytes(uint64_t hash, const void* data, size_t size) {
    const unsigned char* bytes = data;
    for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t add_ints(uint64_t hash, const int* values, int count) {
    return add_bytes(hash, values, sizeof *values * (size_t)count);
}

static uint64_t add_reals(uint64_t hash, const double* values, int count) {
    return count > 0 ? add_bytes(hash, values, sizeof *values * (size_t)count) : hash;
}

// a parameter's name tells its owner
static uint64_t add_params(uint64_t hash, const tacModel* model) {
    for (int i = 0; i < model->nparamname; ++i) {
        const tacParamName* group = &model->paramname[i];
        hash = add_bytes(hash, group->name, strlen(group->name) + 1);
        hash = add_ints(hash, &group->param.offset, 1);
    }
    return add_reals(hash, model->param, model->nparam);
}

static uint64_t add_joints(uint64_t hash, const tacModel* model) {
    for (int i = 0; i < model->nbody; ++i) {
        int own[] = {model->body[i].parent, model->body[i].mocap};
        hash = add_ints(hash, own, 2);
    }
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int own[] = {(int)j->kind, j->body, j->limited, j->frclimited};
        hash = add_reals(add_ints(hash, own, 4), j->frcrange, 2);
    }
    return hash;
}

static uint64_t add_tendons(uint64_t hash, const tacModel* model) {
    for (int i = 0; i < model->ntendon; ++i) {
        const tacTendon* t = &model->tendon[i];
        int own[] = {t->count, t->limited};
        hash = add_ints(hash, own, 2);
        hash = add_ints(hash, model->tendonjoint + t->first, t->count);
    }
    return hash;
}

static uint64_t add_actuators(uint64_t hash, const tacModel* model) {
    for (int i = 0; i < model->nu; ++i) {
        const tacActuator* a = &model->actuator[i];
        int own[] = {(int)a->drive, a->target,      (int)a->kind,    a->act,       a->disabled,
                     a->actearly,   a->ctrllimited, a->forcelimited, a->actlimited};
        hash = add_ints(hash, own, 9);
        hash = add_reals(add_reals(hash, a->ctrlrange, 2), a->forcerange, 2);
        hash = add_reals(hash, a->actrange, 2);
    }
    return hash;
}

void tac_fingerprint(const tacModel* model, char text[TAC_FINGERPRINT_SIZE]) {
    int sizes[] = {model->nq,
                   model->nv,
                   model->na,
                   model->nu,
                   model->nbody,
                   model->ngeom,
                   (int)model->integrator,
                   (int)model->disable};
    uint64_t hash = add_ints(0xcbf29ce484222325u, sizes, 8);
    hash = add_joints(hash, model);
    hash = add_tendons(hash, model);
    hash = add_actuators(hash, model);
    hash = add_reals(add_reals(hash, model->qpos0, model->nq), model->qpos_spring, model->nq);
    hash = add_params(hash, model);
    snprintf(text, TAC_FINGERPRINT_SIZE, "%016llx", (unsigned long long)hash);
}
