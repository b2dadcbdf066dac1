// MuJoCo as a peer in benchmarks.

#define _GNU_SOURCE
#include "bench/mujoco_peer.h"

#include <stddef.h>

#ifndef TAC_HAVE_MUJOCO_HEADERS

mujocoPeer* mujoco_peer_open(const char* path) { return (void)path, NULL; }
void mujoco_peer_close(mujocoPeer* peer) { (void)peer; }
void mujoco_peer_set(mujocoPeer* peer, const double* qpos, const double* qvel, const double* ctrl) {
    (void)peer, (void)qpos, (void)qvel, (void)ctrl;
}
void mujoco_peer_inverse(void* peer) { (void)peer; }
void mujoco_peer_forward(void* peer) { (void)peer; }
void mujoco_peer_step(void* peer) { (void)peer; }
void mujoco_peer_jacobian(void* peer) { (void)peer; }
void mujoco_peer_touch(mujocoPeer* peer) { (void)peer; }
void mujoco_peer_place(mujocoPeer* peer, const double* qpos) { (void)peer, (void)qpos; }
int mujoco_peer_collide(mujocoPeer* peer) { return (void)peer, 0; }

#else

#include <dlfcn.h>
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

// the functions that are used, by their own types
#define FUNCTIONS(X)                                                                               \
    X(mj_loadXML)                                                                                  \
    X(mj_deleteModel)                                                                              \
    X(mj_makeData)                                                                                 \
    X(mj_deleteData)                                                                               \
    X(mj_kinematics)                                                                               \
    X(mj_comPos)                                                                                   \
    X(mj_comVel)                                                                                   \
    X(mj_rne)                                                                                      \
    X(mj_forward)                                                                                  \
    X(mj_step)                                                                                     \
    X(mj_collision)                                                                                \
    X(mjd_transitionFD)

struct mujocoPeer {
    void* library;
    mjModel* m;
    mjData* d;
    double *qpos, *qvel, *A, *B;
#define FIELD(name) __typeof__(&name) name;
    FUNCTIONS(FIELD)
#undef FIELD
};

static int find_functions(mujocoPeer* p) {
    int all = 1;
#define FIND(name)                                                                                 \
    *(void**)&p->name = dlsym(p->library, #name);                                                  \
    all &= p->name != NULL;
    FUNCTIONS(FIND)
#undef FIND
    return all;
}

mujocoPeer* mujoco_peer_open(const char* path) {
    char error[300];
    mujocoPeer* p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->library = dlopen("libmujoco.so", RTLD_NOW | RTLD_LOCAL);
    if (p->library && find_functions(p)) p->m = p->mj_loadXML(path, NULL, error, sizeof error);
    if (p->m) p->d = p->mj_makeData(p->m);
    if (!p->d) {
        mujoco_peer_close(p);
        return NULL;
    }
    size_t nx = (size_t)(2 * p->m->nv + p->m->na), nu = (size_t)p->m->nu + 1;
    p->m->opt.disableflags |= mjDSBL_CONSTRAINT;
    p->A = malloc(sizeof(double) * nx * nx), p->B = malloc(sizeof(double) * nx * nu);
    p->qpos = malloc(sizeof(double) * (size_t)p->m->nq);
    p->qvel = malloc(sizeof(double) * (size_t)p->m->nv);
    return p;
}

void mujoco_peer_close(mujocoPeer* p) {
    if (!p) return;
    if (p->d) p->mj_deleteData(p->d);
    if (p->m) p->mj_deleteModel(p->m);
    if (p->library) dlclose(p->library);
    free(p->A), free(p->B), free(p->qpos), free(p->qvel), free(p);
}

static void restore(mujocoPeer* p) {
    memcpy(p->d->qpos, p->qpos, sizeof(double) * (size_t)p->m->nq);
    memcpy(p->d->qvel, p->qvel, sizeof(double) * (size_t)p->m->nv);
}

void mujoco_peer_set(mujocoPeer* p, const double* qpos, const double* qvel, const double* ctrl) {
    memcpy(p->qpos, qpos, sizeof(double) * (size_t)p->m->nq);
    memcpy(p->qvel, qvel, sizeof(double) * (size_t)p->m->nv);
    if (p->m->nu) memcpy(p->d->ctrl, ctrl, sizeof(double) * (size_t)p->m->nu);
    restore(p);
}

void mujoco_peer_inverse(void* context) {
    mujocoPeer* p = context;
    p->mj_kinematics(p->m, p->d), p->mj_comPos(p->m, p->d), p->mj_comVel(p->m, p->d);
    p->mj_rne(p->m, p->d, 0, p->d->qfrc_bias);
}

void mujoco_peer_forward(void* context) {
    mujocoPeer* p = context;
    p->mj_forward(p->m, p->d);
}

void mujoco_peer_step(void* context) {
    mujocoPeer* p = context;
    restore(p);
    p->mj_step(p->m, p->d);
}

void mujoco_peer_jacobian(void* context) {
    mujocoPeer* p = context;
    restore(p);
    p->mjd_transitionFD(p->m, p->d, 1e-6, 0, p->A, p->B, NULL, NULL);
}

void mujoco_peer_touch(mujocoPeer* p) {
    p->m->opt.disableflags &= ~mjDSBL_CONSTRAINT;
    p->m->opt.enableflags |= mjENBL_MULTICCD;
}

void mujoco_peer_place(mujocoPeer* p, const double* qpos) {
    memcpy(p->d->qpos, qpos, sizeof(double) * (size_t)p->m->nq);
    p->mj_kinematics(p->m, p->d), p->mj_comPos(p->m, p->d);
}

int mujoco_peer_collide(mujocoPeer* p) {
    p->mj_collision(p->m, p->d);
    return p->d->ncon;
}

#endif
