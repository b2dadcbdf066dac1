// The equation of motion of a scene as formulas: what tac_scene_flow and tac_scene_step share.

#ifndef TAC_SYMBOLIC_SCENE_FLOW_H
#define TAC_SYMBOLIC_SCENE_FLOW_H

#include "symbolic/scene.h"

typedef struct tacSceneFlow {
    const tacScene* s;
    tacGraph* g;
    const tacModel* model;
    tacExpr *q, *v, *act, *u; // symbols
    tacExpr *tau, *driven;    // (nv) forces along the joints; those of actuators alone
    tacExpr* M;               // (nv x nv) with what makes the integrator implicit
    tacExpr* rate;            // (na)
    tacExpr h;
} tacSceneFlow;

// names what has no formula
tacResult tac_scene_flow_check(tacGraph* g, const tacModel* model);

// a flow on the symbols `in`; `work` has room for so many expressions, all of them 0
int tac_scene_flow_room(const tacModel* model);
tacSceneFlow tac_scene_flow_on(const tacScene* s, tacExpr* in, tacExpr* work);

// names the symbols; tau becomes the accelerations, under `forces` (nv, NULL: none) besides its own
tacResult tac_scene_flow_make(tacSceneFlow* f, const tacExpr* forces);

// activation of actuator i, moved by a rate: over h, or over what is left of it when the filter is
// solved exactly
tacExpr tac_scene_act_next(const tacSceneFlow* f, int i, tacExpr act, tacExpr rate);

#endif
