// MuJoCo as a peer in benchmarks. Compiled into the program with the headers that are installed,
// and once more into an object of its own with those of the newest version, where it is there.

#define _GNU_SOURCE
#include "bench/mujoco_peer.h"

#include <stddef.h>

#ifndef TAC_HAVE_MUJOCO_HEADERS

mujocoPeer* mujoco_peer_open(const char* path) {
    (void)path;
    return NULL;
}
void mujoco_peer_close(mujocoPeer* peer) { (void)peer; }
void mujoco_peer_set(mujocoPeer* peer, const double* qpos, const double* qvel, const double* ctrl) {
    (void)peer;
    (void)qpos;
    (void)qvel;
    (void)ctrl;
}
void mujoco_peer_inverse(void* peer) { (void)peer; }
void mujoco_peer_forward(void* peer) { (void)peer; }
void mujoco_peer_step(void* peer) { (void)peer; }
void mujoco_peer_jacobian(void* peer) { (void)peer; }
void mujoco_peer_touch(mujocoPeer* peer) { (void)peer; }
void mujoco_peer_place(mujocoPeer* peer, const double* qpos) {
    (void)peer;
    (void)qpos;
}
int mujoco_peer_collide(mujocoPeer* peer) {
    (void)peer;
    return 0;
}
const char* mujoco_peer_version(mujocoPeer* peer) {
    (void)peer;
    return "";
}

#else

#include "bench/mujoco_scene.h"

#include <stdlib.h>
#include <string.h>

struct mujocoPeer {
    mujocoScene s;
    double *qpos, *qvel, *A, *B;
};

mujocoPeer* mujoco_peer_open(const char* path) {
    mujocoPeer* p = calloc(1, sizeof *p);
    if (!p || !mujoco_scene_open(&p->s, path)) {
        free(p);
        return NULL;
    }
    mjModel* m = p->s.m;
    size_t nx = (size_t)(2 * m->nv + m->na), nu = (size_t)m->nu + 1;
    m->opt.disableflags |= mjDSBL_CONSTRAINT;
    p->A = malloc(sizeof(double) * nx * nx);
    p->B = malloc(sizeof(double) * nx * nu);
    p->qpos = malloc(sizeof(double) * (size_t)m->nq);
    p->qvel = malloc(sizeof(double) * (size_t)m->nv);
    return p;
}

void mujoco_peer_close(mujocoPeer* p) {
    if (!p) return;
    mujoco_scene_close(&p->s);
    free(p->A);
    free(p->B);
    free(p->qpos);
    free(p->qvel);
    free(p);
}

static void restore(mujocoPeer* p) {
    memcpy(p->s.d->qpos, p->qpos, sizeof(double) * (size_t)p->s.m->nq);
    memcpy(p->s.d->qvel, p->qvel, sizeof(double) * (size_t)p->s.m->nv);
}

void mujoco_peer_set(mujocoPeer* p, const double* qpos, const double* qvel, const double* ctrl) {
    memcpy(p->qpos, qpos, sizeof(double) * (size_t)p->s.m->nq);
    memcpy(p->qvel, qvel, sizeof(double) * (size_t)p->s.m->nv);
    if (p->s.m->nu) memcpy(p->s.d->ctrl, ctrl, sizeof(double) * (size_t)p->s.m->nu);
    restore(p);
}

void mujoco_peer_inverse(void* context) {
    mujocoPeer* p = context;
    p->s.mj_kinematics(p->s.m, p->s.d);
    p->s.mj_comPos(p->s.m, p->s.d);
    p->s.mj_comVel(p->s.m, p->s.d);
    p->s.mj_rne(p->s.m, p->s.d, 0, p->s.d->qfrc_bias);
}

void mujoco_peer_forward(void* context) {
    mujocoPeer* p = context;
    p->s.mj_forward(p->s.m, p->s.d);
}

void mujoco_peer_step(void* context) {
    mujocoPeer* p = context;
    restore(p);
    p->s.mj_step(p->s.m, p->s.d);
}

void mujoco_peer_jacobian(void* context) {
    mujocoPeer* p = context;
    restore(p);
    p->s.mjd_transitionFD(p->s.m, p->s.d, 1e-6, 0, p->A, p->B, NULL, NULL);
}

void mujoco_peer_touch(mujocoPeer* p) {
    p->s.m->opt.disableflags &= ~mjDSBL_CONSTRAINT;
#if mjVERSION_HEADER >= 1000000
    p->s.m->opt.disableflags &= ~mjDSBL_MULTICCD; // newer ones have it on unless told otherwise
#else
    p->s.m->opt.enableflags |= mjENBL_MULTICCD;
#endif
}

void mujoco_peer_place(mujocoPeer* p, const double* qpos) {
    memcpy(p->s.d->qpos, qpos, sizeof(double) * (size_t)p->s.m->nq);
    p->s.mj_kinematics(p->s.m, p->s.d);
    p->s.mj_comPos(p->s.m, p->s.d);
}

int mujoco_peer_collide(mujocoPeer* p) {
    p->s.mj_collision(p->s.m, p->s.d);
    return p->s.d->ncon;
}

const char* mujoco_peer_version(mujocoPeer* p) { return p->s.mj_versionString(); }

#endif

__attribute__((visibility("default"))) const mujocoWorks mujoco_works = {
    mujoco_peer_open,  mujoco_peer_close,   mujoco_peer_touch,
    mujoco_peer_place, mujoco_peer_collide, mujoco_peer_version,
};
