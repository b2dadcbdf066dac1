// The elastic-plastic law of paper 003 for one contact, corrected (docs/elastoplastic.md):
//
//   F = l (n - mu g v_t),  l = k max(0, -phi)^3 max(0, 1 - v_n/v_d),  g = tanh(|v_t|/2 v_s)/|v_t|
//
// v is the velocity of the second body against the first at the common point, v_n = n . v > 0 parts
// them, v_t = v - v_n n. It never pulls.
//
// Implicit: the force of a step of length h in which v changes by y, to first order in what
// stiffens it; y enters by a symmetric negative matrix:
//
//   f = N n - mu g L q,  N = l - K h (v_n + y_n) - S y_n,  y_n = n . y,  x = v_n/v_d
//   K = kappa X^2/(8 + X^2),  X = inv_mass h^2 kappa,  kappa = -c' d
//   S = sigma (3 + R)/(6 + R),  R = inv_mass h sigma,  sigma = c m(x - 1)/v_d
//   L = (l + e c m(x^2))/(1 + e),  e = inv_mass h S
//   q = (1 - w) v_t + y - y_n n,  w = v_t . y/(6 v_s^2 + b^2 + |v_t|^2),  b = 2 inv_mass h mu L
//
// m is 1 below 0 and 0 above 1. At rest friction is of the spring c. An impact that the step stops,
// or a body that it lifts off, pushes with l/(1 + e) in the mean. Short steps (X, R near 0) are
// those of the leapfrog: the spring acts where the step begins, the damper at the mean velocity.
// Long ones are those of the implicit Euler step. All are stable: the weight of kappa must be above
// 1/2 - 2/X, which it is up to an inverse mass of 4.7 times the estimate, that of sigma above 1/2.

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

    // of an implicit force
    tacReal N, L, y_n, w, r2, b; // r2 = 6 v_s^2 + b^2 + |v_t|^2
    tacVec3 q;
    tacReal kappa, kappa_phi, kappa_x, sigma, sigma_phi, sigma_x; // x = v_n/v_d
    tacReal K, K_kappa, K_step, S, S_sigma, S_step; // by inv_mass h^2 and by inv_mass h
    tacReal e, rest, rest_x;                        // m(x^2) and its slope
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
