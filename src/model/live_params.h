// Which parameters contact follows, and what is made anew when one is set.
//
//   tac_param_set --> [live_params.c] --parts, solids, features--> model->contact
//
// Geometry that detectors read is made at load. Sizes and places of primitive geoms are followed:
// tac_param_set makes the geometry anew, and derivatives go through it. Other parameters of a
// geom's surface are held: they can neither be set nor be differentiated by.

#ifndef TAC_MODEL_CONTACT_LIVE_PARAMS_H
#define TAC_MODEL_CONTACT_LIVE_PARAMS_H

#include "model/contact/contact_data.h"

// marks the parameters that contact holds constant; after all geometry is made
tacResult tac_mark_held_params(tacModel* model);
void tac_release_held_params(tacModel* model);

// geometry of contact for the parameters as they are now; `param` are those that changed
tacResult tac_refresh_contact(tacModel* model, tacParam param, tacMessage* message);

// does contact hold any parameter constant?
static inline int tac_has_held_params(const tacModel* model) {
    return model->contact && model->contact->held;
}

// one of these?
int tac_is_param_held(const tacModel* model, int offset);
int tac_are_params_held(const tacModel* model, const tacParam* param, int count);

// does a tangent (nparam; NULL: zero) move a parameter that contact holds constant?
static inline int tac_moves_held_param(const tacModel* model, const tacReal* theta_dot) {
    const unsigned char* held = model->contact ? model->contact->held : NULL;
    for (int i = 0; held && theta_dot && i < model->nparam; ++i)
        if (held[i] && theta_dot[i] != 0.0) return 1;
    return 0;
}

#endif
