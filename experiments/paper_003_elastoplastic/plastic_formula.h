// Contact geometry and force of a scenario as formulas.

#ifndef TAC_EXPERIMENTS_PAPER_003_ELASTOPLASTIC_PLASTIC_FORMULA_H
#define TAC_EXPERIMENTS_PAPER_003_ELASTOPLASTIC_PLASTIC_FORMULA_H

#include "experiments/paper_003_elastoplastic/plastic_scene.h"
#include "tactus/symbolic.h"

// out: accelerations (nv), dissipated power, elastic energy; in: q (nq), v (nv)
tacResult plastic_formula(tacGraph* graph, const plasticScene* scene, tacExpr* in, tacExpr* out);

// Accelerations (nv) without contact, with a force on the second body at a point, and its negative
// on the first, as inputs behind q and v (3 + 3).
tacResult plastic_motion(tacGraph* graph, const plasticScene* scene, tacExpr* in, tacExpr* out);

// position, quaternion, velocity and angular velocity of both bodies (2 x 13); in: q, v
tacResult plastic_poses(tacGraph* graph, const plasticScene* scene, tacExpr* in, tacExpr* out);

#endif
