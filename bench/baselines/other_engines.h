// Other engines in experiments: MuJoCo and ODE, where they are installed.

#ifndef TAC_BENCH_BASELINES_OTHER_ENGINES_H
#define TAC_BENCH_BASELINES_OTHER_ENGINES_H

//---------------------------------- MuJoCo ---------------------------------------

typedef struct mujocoWorld mujocoWorld;

// a scene from its text; NULL if MuJoCo is not installed or refuses it
mujocoWorld* mujoco_world_open(const char* xml);
void mujoco_world_close(mujocoWorld* world);

// positions, velocities and time of the start
void mujoco_world_reset(mujocoWorld* world);
double* mujoco_world_qpos(mujocoWorld* world);
double* mujoco_world_qvel(mujocoWorld* world);

// one step under these controls; how many contacts it had
int mujoco_world_step(mujocoWorld* world, const double* ctrl, int nu);

// generalized constraint forces at the current state: of a free body the first three are the force
const double* mujoco_world_constraint(mujocoWorld* world);

// positions of its contacts at the current state, at most `max`; their number
int mujoco_world_contacts(mujocoWorld* world, int max, double (*point)[3]);

//---------------------------------- ODE ------------------------------------------

// Force on a ball of radius r at `x` by a fixed ball of radius R at the origin, in one step of
// length h at rest. 0 if ODE is not installed.
int ode_ball_force(double R, double r, const double x[3], double mass, double h, double force[3]);

#endif
