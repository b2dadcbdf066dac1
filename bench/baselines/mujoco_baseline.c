// MuJoCo as a baseline. Compiled into the program with the installed headers, and into an object of
// its own with those of the newest version, where there is one.

#define _GNU_SOURCE
#include "bench/baselines/mujoco_baseline.h"

#include <stddef.h>

#ifndef TAC_HAVE_MUJOCO_HEADERS

mujocoBaseline* mujoco_baseline_open(const char* path) {
    (void)path;
    return NULL;
}
void mujoco_baseline_close(mujocoBaseline* baseline) { (void)baseline; }
void mujoco_baseline_set_state(mujocoBaseline* baseline, const double* qpos, const double* qvel,
                               const double* ctrl) {
    (void)baseline;
    (void)qpos;
    (void)qvel;
    (void)ctrl;
}
void mujoco_baseline_inverse(void* baseline) { (void)baseline; }
void mujoco_baseline_forward(void* baseline) { (void)baseline; }
void mujoco_baseline_step(void* baseline) { (void)baseline; }
void mujoco_baseline_jacobian(void* baseline) { (void)baseline; }
void mujoco_baseline_enable_contacts(mujocoBaseline* baseline) { (void)baseline; }
void mujoco_baseline_set_qpos(mujocoBaseline* baseline, const double* qpos) {
    (void)baseline;
    (void)qpos;
}
int mujoco_baseline_collide(mujocoBaseline* baseline) {
    (void)baseline;
    return 0;
}
const char* mujoco_baseline_version(mujocoBaseline* baseline) {
    (void)baseline;
    return "";
}
void mujoco_baseline_roll(mujocoBaseline* baseline, const double* ctrl, int steps, double* qpos,
                          double* qvel) {
    (void)baseline;
    (void)ctrl;
    (void)steps;
    (void)qpos;
    (void)qvel;
}

#else

#include "bench/baselines/mujoco_scene.inl"

#include <stdlib.h>
#include <string.h>

struct mujocoBaseline {
    mujocoScene s;
    double *qpos, *qvel, *A, *B;
};

mujocoBaseline* mujoco_baseline_open(const char* path) {
    mujocoBaseline* p = calloc(1, sizeof *p);
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

void mujoco_baseline_close(mujocoBaseline* p) {
    if (!p) return;
    mujoco_scene_close(&p->s);
    free(p->A);
    free(p->B);
    free(p->qpos);
    free(p->qvel);
    free(p);
}

static void restore_state(mujocoBaseline* p) {
    memcpy(p->s.d->qpos, p->qpos, sizeof(double) * (size_t)p->s.m->nq);
    memcpy(p->s.d->qvel, p->qvel, sizeof(double) * (size_t)p->s.m->nv);
}

void mujoco_baseline_set_state(mujocoBaseline* p, const double* qpos, const double* qvel,
                               const double* ctrl) {
    memcpy(p->qpos, qpos, sizeof(double) * (size_t)p->s.m->nq);
    memcpy(p->qvel, qvel, sizeof(double) * (size_t)p->s.m->nv);
    if (p->s.m->nu) memcpy(p->s.d->ctrl, ctrl, sizeof(double) * (size_t)p->s.m->nu);
    restore_state(p);
}

void mujoco_baseline_inverse(void* context) {
    mujocoBaseline* p = context;
    p->s.mj_kinematics(p->s.m, p->s.d);
    p->s.mj_comPos(p->s.m, p->s.d);
    p->s.mj_comVel(p->s.m, p->s.d);
    p->s.mj_rne(p->s.m, p->s.d, 0, p->s.d->qfrc_bias);
}

void mujoco_baseline_forward(void* context) {
    mujocoBaseline* p = context;
    p->s.mj_forward(p->s.m, p->s.d);
}

void mujoco_baseline_step(void* context) {
    mujocoBaseline* p = context;
    restore_state(p);
    p->s.mj_step(p->s.m, p->s.d);
}

void mujoco_baseline_jacobian(void* context) {
    mujocoBaseline* p = context;
    restore_state(p);
    p->s.mjd_transitionFD(p->s.m, p->s.d, 1e-6, 0, p->A, p->B, NULL, NULL);
}

void mujoco_baseline_enable_contacts(mujocoBaseline* p) {
    p->s.m->opt.disableflags &= ~mjDSBL_CONSTRAINT;
#if mjVERSION_HEADER >= 1000000
    p->s.m->opt.disableflags &= ~mjDSBL_MULTICCD; // newer versions enable it by default
#else
    p->s.m->opt.enableflags |= mjENBL_MULTICCD;
#endif
}

void mujoco_baseline_set_qpos(mujocoBaseline* p, const double* qpos) {
    memcpy(p->s.d->qpos, qpos, sizeof(double) * (size_t)p->s.m->nq);
    p->s.mj_kinematics(p->s.m, p->s.d);
    p->s.mj_comPos(p->s.m, p->s.d);
}

int mujoco_baseline_collide(mujocoBaseline* p) {
    p->s.mj_collision(p->s.m, p->s.d);
    return p->s.d->ncon;
}

const char* mujoco_baseline_version(mujocoBaseline* p) { return p->s.mj_versionString(); }

void mujoco_baseline_roll(mujocoBaseline* p, const double* ctrl, int steps, double* qpos,
                          double* qvel) {
    for (int i = 0; i < p->s.m->nu; ++i) p->s.d->ctrl[i] = ctrl[i];
    for (int i = 0; i < steps; ++i) p->s.mj_step(p->s.m, p->s.d);
    memcpy(qpos, p->s.d->qpos, sizeof(double) * (size_t)p->s.m->nq);
    memcpy(qvel, p->s.d->qvel, sizeof(double) * (size_t)p->s.m->nv);
}

#endif

__attribute__((visibility("default"))) const mujocoApi mujoco_api = {
    mujoco_baseline_open,     mujoco_baseline_close,     mujoco_baseline_enable_contacts,
    mujoco_baseline_set_qpos, mujoco_baseline_collide,   mujoco_baseline_version,
    mujoco_baseline_roll,     mujoco_baseline_set_state, mujoco_baseline_step,
    mujoco_baseline_jacobian,
};
