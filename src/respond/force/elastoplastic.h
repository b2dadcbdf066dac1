// The elastic-plastic law of paper 003 for one contact, corrected (docs/elastoplastic.md):
//
//   F = l (n - mu g v_t),  l = k max(0, -phi)^3 max(0, 1 - v_n/v_d),  g = tanh(|v_t|/2 v_s)/|v_t|
//
// v is the velocity of the second body against the first at the common point, v_n = n . v > 0 parts
// them, v_t = v - v_n n. It never pulls.

#ifndef TAC_RESPOND_FORCE_ELASTOPLASTIC_H
#define TAC_RESPOND_FORCE_ELASTOPLASTIC_H

#include "tactus/respond.h"

// the force, and what its derivatives need
typedef struct tacElastoplasticForce {
    tacVec3 f;
    tacReal c, c_phi; // k rho^3, and its slope
    tacReal d, d_x;   // damping, and its slope by x = v_n/v_d
    tacReal l, v_n;
    tacVec3 v_t, u; // u = n - mu g v_t
    tacReal g, g_w; // friction; dg = g_w v_t . dv_t
} tacElastoplasticForce;

tacElastoplasticForce tac_elastoplastic_eval(const tacElastoplasticLaw* law,
                                             const tacElastoplasticState* at);

// along tangents of state and law (NULL: none)
tacVec3 tac_elastoplastic_eval_jvp(const tacElastoplasticLaw* law, const tacElastoplasticState* at,
                                   const tacElastoplasticForce* r, const tacElastoplasticState* dot,
                                   const tacElastoplasticLaw* law_dot);

// adds to adjoints of state and law
void tac_elastoplastic_eval_vjp(const tacElastoplasticLaw* law, const tacElastoplasticState* at,
                                const tacElastoplasticForce* r, tacVec3 f_bar,
                                tacElastoplasticState* bar, tacElastoplasticLaw* law_bar);

#endif
