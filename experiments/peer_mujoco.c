// MuJoCo as a peer of experiments: loaded when it is there, told of when it is not.

#define _GNU_SOURCE
#include "experiments/peer.h"

#include <stddef.h>

#ifndef TAC_HAVE_MUJOCO_HEADERS

mujocoWorld* mujoco_world_open(const char* xml) { return (void)xml, NULL; }
void mujoco_world_close(mujocoWorld* world) { (void)world; }
void mujoco_world_reset(mujocoWorld* world) { (void)world; }
double* mujoco_world_qpos(mujocoWorld* world) { return (void)world, NULL; }
double* mujoco_world_qvel(mujocoWorld* world) { return (void)world, NULL; }
int mujoco_world_step(mujocoWorld* world, const double* ctrl, int nu) {
    return (void)world, (void)ctrl, (void)nu, 0;
}
const double* mujoco_world_constraint(mujocoWorld* world) { return (void)world, NULL; }
int mujoco_world_contacts(mujocoWorld* world, int most, double (*place)[3]) {
    return (void)world, (void)most, (void)place, 0;
}

#else

#include <dlfcn.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS(X)                                                                               \
    X(mj_loadXML)                                                                                  \
    X(mj_deleteModel)                                                                              \
    X(mj_makeData)                                                                                 \
    X(mj_deleteData)                                                                               \
    X(mj_resetData)                                                                                \
    X(mj_forward)                                                                                  \
    X(mj_step)

struct mujocoWorld {
    void* library;
    mjModel* m;
    mjData* d;
#define FIELD(name) __typeof__(&name) name;
    FUNCTIONS(FIELD)
#undef FIELD
};

static int find_functions(mujocoWorld* w) {
    int all = 1;
#define FIND(name)                                                                                 \
    *(void**)&w->name = dlsym(w->library, #name);                                                  \
    all &= w->name != NULL;
    FUNCTIONS(FIND)
#undef FIND
    return all;
}

// it reads files alone
static mjModel* load_text(mujocoWorld* w, const char* xml) {
    char path[] = "/tmp/tactus-peer-XXXXXX.xml", error[300];
    int file = mkstemps(path, 4);
    if (file < 0) return NULL;
    size_t size = strlen(xml);
    int written = write(file, xml, size) == (ssize_t)size;
    mjModel* model = close(file) == 0 && written ? w->mj_loadXML(path, NULL, error, 300) : NULL;
    unlink(path);
    return model;
}

mujocoWorld* mujoco_world_open(const char* xml) {
    mujocoWorld* w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->library = dlopen("libmujoco.so", RTLD_NOW | RTLD_LOCAL);
    if (w->library && find_functions(w)) w->m = load_text(w, xml);
    if (w->m) w->d = w->mj_makeData(w->m);
    if (w->d) return w;
    mujoco_world_close(w);
    return NULL;
}

void mujoco_world_close(mujocoWorld* w) {
    if (!w) return;
    if (w->d) w->mj_deleteData(w->d);
    if (w->m) w->mj_deleteModel(w->m);
    if (w->library) dlclose(w->library);
    free(w);
}

void mujoco_world_reset(mujocoWorld* w) { w->mj_resetData(w->m, w->d); }

double* mujoco_world_qpos(mujocoWorld* w) { return w->d->qpos; }
double* mujoco_world_qvel(mujocoWorld* w) { return w->d->qvel; }

int mujoco_world_step(mujocoWorld* w, const double* ctrl, int nu) {
    memcpy(w->d->ctrl, ctrl, sizeof(double) * (size_t)nu);
    w->mj_step(w->m, w->d);
    return w->d->ncon;
}

const double* mujoco_world_constraint(mujocoWorld* w) {
    w->mj_forward(w->m, w->d);
    return w->d->qfrc_constraint;
}

int mujoco_world_contacts(mujocoWorld* w, int most, double (*place)[3]) {
    w->mj_forward(w->m, w->d);
    int count = w->d->ncon < most ? w->d->ncon : most;
    for (int i = 0; i < count; ++i) memcpy(place[i], w->d->contact[i].pos, sizeof place[i]);
    return count;
}

#endif
