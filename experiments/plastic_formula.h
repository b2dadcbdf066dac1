// Contact geometry and force of a scenario as formulas.

#ifndef TACTUS_EXPERIMENTS_PLASTIC_FORMULA_H
#define TACTUS_EXPERIMENTS_PLASTIC_FORMULA_H

#include "experiments/plastic_scene.h"

// out: accelerations (nv), power that is lost, elastic energy; in: q (nq), v (nv)
tacResult plastic_formula(tacGraph* graph, const plasticScene* scene, tacExpr* in, tacExpr* out);

// the same without contact, with forces along the velocities as inputs behind q and v
tacResult plastic_motion(tacGraph* graph, const plasticScene* scene, tacExpr* in, tacExpr* out);

#endif
