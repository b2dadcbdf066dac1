// One number of a state that a user can name, with its gradient.

#ifndef TAC_STEP_QUANTITY_H
#define TAC_STEP_QUANTITY_H

#include "tactus/step.h"

typedef enum tacQuantityKind {
    TAC_QUANTITY_QPOS,      // number `index` of qpos
    TAC_QUANTITY_QVEL,      // number `index` of qvel
    TAC_QUANTITY_ACT,       // number `index` of act
    TAC_QUANTITY_XPOS,      // coordinate `axis` of the origin of body `index`, world
    TAC_QUANTITY_SITE,      // coordinate `axis` of site `index`, world
    TAC_QUANTITY_KINETIC,   // energies
    TAC_QUANTITY_POTENTIAL, //
    TAC_QUANTITY_ENERGY     // the sum of both
} tacQuantityKind;

typedef struct tacQuantity {
    tacQuantityKind kind;
    int index, axis;
} tacQuantity;

// numbers of `work` for a model
#define TAC_QUANTITY_WORK(model) (13 * (model)->nbody)

// a quantity at a state
typedef struct tacQuantityPoint {
    const tacModel* model;
    tacQuantity quantity;
    const tacState* x;
    tacReal* work; // (TAC_QUANTITY_WORK)
    tacScratch* scratch;
} tacQuantityPoint;

tacResult tac_quantity(const tacQuantityPoint* at, tacReal* out);

// Adds bar times the gradient; theta_bar NULL skips.
tacResult tac_quantity_vjp(const tacQuantityPoint* at, tacReal bar, tacTangent x_bar,
                           tacReal* theta_bar);

#endif
