// The scenarios of paper 003, Table I, each simulated by three methods: one derived and compiled
// formula, the engine's step, and derived equations of motion with contact by convex programs.

#ifndef TAC_EXPERIMENTS_PAPER_003_ELASTOPLASTIC_PLASTIC_SCENE_H
#define TAC_EXPERIMENTS_PAPER_003_ELASTOPLASTIC_PLASTIC_SCENE_H

#include "tactus/symbolic.h"
#include "tactus/tactus.h"

enum { PLASTIC_CASES = 5, PLASTIC_Q = 14, PLASTIC_V = 12 };

typedef enum plasticPair { FLOOR_CIRCLE, CIRCLE_CIRCLE, BOX_CIRCLE, BOX_BOX } plasticPair;

typedef struct plasticCase {
    const char *name, *bodies; // of the scene
    plasticPair pair;          // a cuboid and a sphere are BOX_CIRCLE in space
    int planar;
    double half[2][3];        // half sizes, or a radius
    double duration, gravity; // [s] [m/s^2]
    double qvel[PLASTIC_V];
} plasticCase;

extern const plasticCase plastic_case[PLASTIC_CASES];

typedef struct plasticScene {
    const plasticCase* scenario;
    tacModel *model, *free_model; // with contact by separating axes, and without
    tacScratch *scratch, *free_scratch;
    tacProgram* formula;        // (q, v) -> a, power lost, elastic energy
    tacProgram *motion, *poses; // (q, v, force, point) -> a; (q, v) -> poses, velocities
    tacCode *formula_code, *motion_code, *poses_code;
    void* work;
    tacSolid* solid[2];
    double derived, compiled; // [s]
} plasticScene;

// result of a run
typedef struct plasticRun {
    double q[PLASTIC_Q], v[PLASTIC_V];
    double cpu_seconds; // it took
    double drift;       // largest relative change of energy + elastic energy + dissipated energy
    double min_loss;    // smallest dissipated power [W]: never negative
} plasticRun;

// 0, or 1 after a message
int plastic_open(plasticScene* scene, const plasticCase* scenario, double step);
void plastic_close(plasticScene* scene);

// `every`-th step of the path goes to `path` (x, y of both bodies, count x 4) unless it is NULL
tacResult plastic_run_symbolic(plasticScene* scene, double step, plasticRun* out, double* path,
                               int count);
tacResult plastic_run_engine(plasticScene* scene, plasticRun* out);
tacResult plastic_run_convex(plasticScene* scene, double step, plasticRun* out);

#endif
