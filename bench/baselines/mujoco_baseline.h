// MuJoCo as a baseline, where it is installed: loaded on demand, never linked.

#ifndef TAC_BENCH_BASELINES_MUJOCO_BASELINE_H
#define TAC_BENCH_BASELINES_MUJOCO_BASELINE_H

typedef struct mujocoBaseline mujocoBaseline;

// NULL where MuJoCo, or its headers at build time, are missing, or it does not read the scene
mujocoBaseline* mujoco_baseline_open(const char* path);
void mujoco_baseline_close(mujocoBaseline* baseline);

// the state of all works; constraints are disabled unless contacts are enabled
void mujoco_baseline_set_state(mujocoBaseline* baseline, const double* qpos, const double* qvel,
                               const double* ctrl);

// works of bench_times: bias force, forward dynamics, step, Jacobians by differences
void mujoco_baseline_inverse(void* baseline);
void mujoco_baseline_forward(void* baseline);
void mujoco_baseline_step(void* baseline);
void mujoco_baseline_jacobian(void* baseline);

// contacts with several points a pair; the pose of all bodies; its contacts, and how many
void mujoco_baseline_enable_contacts(mujocoBaseline* baseline);
void mujoco_baseline_set_qpos(mujocoBaseline* baseline, const double* qpos);
int mujoco_baseline_collide(mujocoBaseline* baseline);

// such as "2.2.2"
const char* mujoco_baseline_version(mujocoBaseline* baseline);

// goes on from the current state with a control, and returns positions and velocities
void mujoco_baseline_roll(mujocoBaseline* baseline, const double* ctrl, int steps, double* qpos,
                          double* qvel);

// Contacts in one version of MuJoCo. Each version is called through code that was compiled with its
// own headers, because no two of them lay out a model alike.
typedef struct mujocoApi {
    mujocoBaseline* (*open)(const char* path);
    void (*close)(mujocoBaseline* baseline);
    void (*enable_contacts)(mujocoBaseline* baseline);
    void (*set_qpos)(mujocoBaseline* baseline, const double* qpos);
    int (*collide)(mujocoBaseline* baseline);
    const char* (*version)(mujocoBaseline* baseline);
    void (*roll)(mujocoBaseline* baseline, const double* ctrl, int steps, double* qpos,
                 double* qvel);
    void (*set_state)(mujocoBaseline* baseline, const double* qpos, const double* qvel,
                      const double* ctrl);
    void (*step)(void* baseline);
    void (*jacobian)(void* baseline);
} mujocoApi;

// those above, of the version that is installed
extern const mujocoApi mujoco_api;

// those of the newest version, which `tools/setup mujoco` gets; NULL where it is not there
const mujocoApi* mujoco_newest_api(void);

#endif
