// The equation of motion of a scene as formulas: what tac_scene_forward_dynamics and tac_scene_step
// share.

#ifndef TAC_SYMBOLIC_SCENE_SCENE_DYNAMICS_H
#define TAC_SYMBOLIC_SCENE_SCENE_DYNAMICS_H

#include "symbolic/scene/scene_expr.h"

typedef struct tacSceneDynamics {
    const tacSceneExpr* s;
    tacGraph* g;
    const tacModel* model;
    tacExpr *q, *v, *act, *u; // symbols
    tacExpr *tau, *actuation; // (nv) forces along the joints; those of actuators alone
    tacExpr* M;               // (nv x nv) with what makes the integrator implicit
    tacExpr* rate;            // (na)
    tacExpr h;
} tacSceneDynamics;

// names what has no formula
tacResult tac_scene_dynamics_check(tacGraph* g, const tacModel* model);

// a flow on the symbols `in`; `work` has room for so many expressions, all of them 0
int tac_scene_dynamics_size(const tacModel* model);
tacSceneDynamics tac_scene_dynamics_init(const tacSceneExpr* s, tacExpr* in, tacExpr* work);

// names the symbols; tau becomes the accelerations, under `forces` (nv, NULL: none) besides its own
tacResult tac_scene_dynamics_derive(tacSceneDynamics* f, const tacExpr* forces);

// activation of actuator i, moved by a rate: over h, or over what is left of it when the filter is
// solved exactly
tacExpr tac_scene_act_next(const tacSceneDynamics* f, int i, tacExpr act, tacExpr rate);

#endif
