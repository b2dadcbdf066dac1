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

#endif
