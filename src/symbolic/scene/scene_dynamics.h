// The equation of motion of a scene as formulas, shared by tac_scene_forward_dynamics and
// tac_scene_step.

#ifndef TAC_SYMBOLIC_SCENE_SCENE_DYNAMICS_H
#define TAC_SYMBOLIC_SCENE_SCENE_DYNAMICS_H

#include "symbolic/scene/scene_expr.h"

typedef struct tacSceneDynamics {
    const tacSceneExpr* s;
    tacGraph* g;
    const tacModel* model;
    tacExpr *q, *v, *act, *u; // symbols
    tacExpr *tau, *actuation; // (nv) forces along the joints; those of actuators alone
    tacExpr* M;               // (nv x nv) with the implicit terms of the integrator
    tacExpr* rate;            // (na)
    tacExpr h;
} tacSceneDynamics;

// the error names what has no formula
tacResult tac_scene_dynamics_check(tacGraph* g, const tacModel* model);

// a flow on the symbols `in`; `work` has room for so many expressions, all of them 0
int tac_scene_dynamics_size(const tacModel* model);
tacSceneDynamics tac_scene_dynamics_init(const tacSceneExpr* s, tacExpr* in, tacExpr* work);

// names the symbols; tau becomes the accelerations, under `forces` (nv, NULL: none) besides its own
tacResult tac_scene_dynamics_derive(tacSceneDynamics* f, const tacExpr* forces);

// activation of actuator i after a step at this rate: over h, or over the effective time if the
// filter is solved exactly
tacExpr tac_scene_act_next(const tacSceneDynamics* f, int i, tacExpr act, tacExpr rate);

#endif
