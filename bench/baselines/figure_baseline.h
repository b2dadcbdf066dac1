// Two figures of superquadrics in MuJoCo, each superquadric a convex mesh.

#ifndef TAC_BENCH_BASELINES_FIGURE_BASELINE_H
#define TAC_BENCH_BASELINES_FIGURE_BASELINE_H

#include "bench/baselines/mujoco_baseline.h"

#include "tactus/model.h"

// Two free bodies with all superquadrics of the model's shapes, 42 corners each, several points a
// pair; NULL where that MuJoCo is missing, also if `api` is NULL.
mujocoBaseline* figure_baseline_open(const mujocoApi* api, const tacModel* model);

#endif
