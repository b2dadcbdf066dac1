// MuJoCo in a program beside the test: it reads all models and writes their numbers to a pipe.
//
//   mujoco_native.c, tools/mujoco-reference.mjs --pipe--> [this file] --> mujoco_reference.h

#ifndef TACTUS_TEST_MUJOCO_PROGRAM_H
#define TACTUS_TEST_MUJOCO_PROGRAM_H

#include "dynamics/mujoco_reference.h"
#include "dynamics/mujoco_small_scenes.h"
#include "model_files.h"
#include "tactus/tactus.h"

// all models, and scenes of our own where versions of MuJoCo differ
typedef struct allFiles {
    const modelFiles* files;
    char folder[40], small[SMALL_SCENES][80];
} allFiles;

static inline allFiles* open_files(void) {
    static allFiles all;
    all.files = list_model_files();
    return write_small_scenes(all.folder, all.small) ? &all : NULL;
}

static inline FILE* open_program(const allFiles* all, const char* program) {
    size_t size = strlen(program) + 100 * SMALL_SCENES;
    for (int i = 0; i < all->files->count; ++i) size += strlen(all->files->path[i]) + 4;
    char* command = malloc(size);
    int used = snprintf(command, size, "%s", program);
    for (int i = 0; i < all->files->count; ++i)
        used += snprintf(command + used, size - (size_t)used, " '%s'", all->files->path[i]);
    for (int i = 0; i < SMALL_SCENES; ++i)
        used += snprintf(command + used, size - (size_t)used, " '%s'", all->small[i]);
    FILE* stream = popen(command, "r");
    free(command);
    return stream;
}

// Two things are explicit in our implicitfast and implicit in MuJoCo's: gyroscopic forces of a free
// body that carries nothing (since 3.11), and the drag of a fluid. Such models are left out of it.
static inline int fast_is_the_same(const tacModel* model) {
    if (model->fluid >= 0) return 0;
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int last = j->dof + 5, carries = 0;
        for (int k = last + 1; k < model->nv; ++k) carries |= model->dof[k].parent == last;
        if (j->kind == TAC_JOINT_FREE && !carries) return 0;
    }
    return 1;
}

#endif
