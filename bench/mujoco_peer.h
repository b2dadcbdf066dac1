// MuJoCo beside us, where it is installed: loaded when asked for, never linked.

#ifndef TACTUS_BENCH_MUJOCO_PEER_H
#define TACTUS_BENCH_MUJOCO_PEER_H

typedef struct mujocoPeer mujocoPeer;

// NULL where MuJoCo, or its headers at build time, are missing, or it does not read the scene
mujocoPeer* mujoco_peer_open(const char* path);
void mujoco_peer_close(mujocoPeer* peer);

// the state that all works start from; constraints are left out
void mujoco_peer_set(mujocoPeer* peer, const double* qpos, const double* qvel, const double* ctrl);

// works of bench_times: bias force, forward dynamics, step, Jacobians by differences
void mujoco_peer_inverse(void* peer);
void mujoco_peer_forward(void* peer);
void mujoco_peer_step(void* peer);
void mujoco_peer_jacobian(void* peer);

// contacts with several points a pair; the pose of all bodies; its contacts, and how many
void mujoco_peer_touch(mujocoPeer* peer);
void mujoco_peer_place(mujocoPeer* peer, const double* qpos);
int mujoco_peer_collide(mujocoPeer* peer);

// such as "2.2.2"
const char* mujoco_peer_version(mujocoPeer* peer);

// Contacts in one version of MuJoCo. Each version is called through code that was compiled with its
// own headers, because no two of them lay out a model alike.
typedef struct mujocoWorks {
    mujocoPeer* (*open)(const char* path);
    void (*close)(mujocoPeer* peer);
    void (*touch)(mujocoPeer* peer);
    void (*place)(mujocoPeer* peer, const double* qpos);
    int (*collide)(mujocoPeer* peer);
    const char* (*version)(mujocoPeer* peer);
} mujocoWorks;

// those above, of the version that is installed
extern const mujocoWorks mujoco_works;

// those of the newest version, which `tools/setup mujoco` gets; NULL where it is not there
const mujocoWorks* mujoco_newest_works(void);

#endif
