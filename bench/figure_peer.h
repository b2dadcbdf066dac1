// Two figures of superquadrics in MuJoCo, each superquadric a convex mesh.

#ifndef TACTUS_BENCH_FIGURE_PEER_H
#define TACTUS_BENCH_FIGURE_PEER_H

#include "bench/mujoco_peer.h"

#include "tactus/model.h"

// Two free bodies with all superquadrics of the model's shapes, 42 corners each, several points a
// pair; NULL where that MuJoCo is missing, as it is where `works` is NULL.
mujocoPeer* figure_peer_open(const mujocoWorks* works, const tacModel* model);

#endif
