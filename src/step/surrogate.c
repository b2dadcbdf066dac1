// Derivatives of the step at softer temperatures.
//
//   model --temperatures times `surrogate`--> copy --> step_jacobian.c, step_jvp.c, step_vjp.c
//
// The step itself never sees the copy: values stay sharp, derivatives are exactly those of the
// softer scene at the same state.

#include "step/surrogate.h"

#include "base/assert.h"
#include "tactus/step.h"

#include <string.h>

// softened numbers; eps1 is a length squared, so it is scaled twice
static const tacContactNumber temperatures[] = {
    TAC_CONTACT_TAU,    TAC_CONTACT_SUPPORT,  TAC_CONTACT_DEPTH, TAC_CONTACT_EDGE_SOFTMIN,
    TAC_CONTACT_SIGN,   TAC_CONTACT_OPPOSING, TAC_CONTACT_MIN,   TAC_CONTACT_CLIP,
    TAC_CONTACT_INSIDE, TAC_CONTACT_TIKHONOV, TAC_CONTACT_GATE,  TAC_CONTACT_TOP_K_WIDTH,
    TAC_CONTACT_EPS1,   TAC_CONTACT_EPS1,     TAC_CONTACT_EPS2,  TAC_CONTACT_EPS3};

// eps3 of pairs, which may share one
static void scale_pairs(const tacModel* model, tacReal* param) {
    const tacContactPlan* plan = model->contact;
    for (int i = 0; i < plan->npair; ++i) {
        int at = plan->pair[i].eps3;
        if (at >= 0) param[at] = model->param[at] * plan->surrogate;
    }
}

const tacModel* tac_surrogate(const tacModel* model, tacModel* out, tacScratch* scratch) {
    if (!model->contact || !(model->contact->surrogate > 1.0)) return model;
    tacContactPlan* plan = TAC_ALLOC(&scratch->arena, tacContactPlan, 1);
    tacReal* param = TAC_ALLOC(&scratch->arena, tacReal, model->nparam);
    if (tac_arena_measures(&scratch->arena)) return model;
    *plan = *model->contact;
    plan->surrogate = 1.0; // once is enough
    memcpy(param, model->param, sizeof *param * (size_t)model->nparam);
    for (int i = 0; i < TAC_COUNT(temperatures); ++i) {
        int at = plan->number[temperatures[i]];
        if (at >= 0) param[at] *= model->contact->surrogate;
    }
    scale_pairs(model, param);
    *out = *model;
    out->contact = plan;
    out->param = param;
    scratch->info.flags |= TAC_SURROGATE;
    return out;
}
