// MuJoCo in experiments: loaded on demand where it is installed.

#define _GNU_SOURCE
#include "bench/baselines/other_engines.h"

#include <stddef.h>

#ifndef TAC_HAVE_MUJOCO_HEADERS

mujocoWorld* mujoco_world_open(const char* xml) {
    (void)xml;
    return NULL;
}
void mujoco_world_close(mujocoWorld* world) { (void)world; }
void mujoco_world_reset(mujocoWorld* world) { (void)world; }
double* mujoco_world_qpos(mujocoWorld* world) {
    (void)world;
    return NULL;
}
double* mujoco_world_qvel(mujocoWorld* world) {
    (void)world;
    return NULL;
}
int mujoco_world_step(mujocoWorld* world, const double* ctrl, int nu) {
    (void)world;
    (void)ctrl;
    (void)nu;
    return 0;
}
const double* mujoco_world_constraint(mujocoWorld* world) {
    (void)world;
    return NULL;
}
int mujoco_world_contacts(mujocoWorld* world, int max, double (*point)[3]) {
    (void)world;
    (void)max;
    (void)point;
    return 0;
}

#else

#include "bench/baselines/mujoco_scene.inl"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mujocoWorld {
    mujocoScene s;
};

// it reads files alone
static int open_text(mujocoScene* s, const char* xml) {
    char path[] = "/tmp/tactus-mujoco-XXXXXX.xml";
    int file = mkstemps(path, 4);
    if (file < 0) return 0;
    size_t size = strlen(xml);
    int written = write(file, xml, size) == (ssize_t)size;
    int opened = close(file) == 0 && written && mujoco_scene_open(s, path);
    unlink(path);
    return opened;
}

mujocoWorld* mujoco_world_open(const char* xml) {
    mujocoWorld* w = calloc(1, sizeof *w);
    if (w && open_text(&w->s, xml)) return w;
    free(w);
    return NULL;
}

void mujoco_world_close(mujocoWorld* w) {
    if (!w) return;
    mujoco_scene_close(&w->s);
    free(w);
}

void mujoco_world_reset(mujocoWorld* w) { w->s.mj_resetData(w->s.m, w->s.d); }

double* mujoco_world_qpos(mujocoWorld* w) { return w->s.d->qpos; }
double* mujoco_world_qvel(mujocoWorld* w) { return w->s.d->qvel; }

int mujoco_world_step(mujocoWorld* w, const double* ctrl, int nu) {
    memcpy(w->s.d->ctrl, ctrl, sizeof(double) * (size_t)nu);
    w->s.mj_step(w->s.m, w->s.d);
    return w->s.d->ncon;
}

const double* mujoco_world_constraint(mujocoWorld* w) {
    w->s.mj_forward(w->s.m, w->s.d);
    return w->s.d->qfrc_constraint;
}

int mujoco_world_contacts(mujocoWorld* w, int max, double (*point)[3]) {
    w->s.mj_forward(w->s.m, w->s.d);
    int count = w->s.d->ncon < max ? w->s.d->ncon : max;
    for (int i = 0; i < count; ++i) memcpy(point[i], w->s.d->contact[i].pos, sizeof point[i]);
    return count;
}

#endif
