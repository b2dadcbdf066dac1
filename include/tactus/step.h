/// The step: next state, and all of its derivatives.
///
/// Each function is complete in itself: it takes (x, u), needs no earlier call, and on error leaves
/// `next` and the adjoints untouched. Matrices are row-major, on the tangent space of size
/// nx = 2 nv + na in the order (dq, dv, da), as mjd_transitionFD lays them out.
#ifndef TACTUS_STEP_H
#define TACTUS_STEP_H

#include "tactus/dynamics.h"
#include "tactus/respond.h"

TAC_EXTERN_C_BEGIN

/// next = step(x, u). Same inputs give the same bits. `next` may alias `x` here, and only here.
TAC_API
tacResult tac_step(const tacModel* model, const tacState* x, const tacReal* u, tacState* next,
                   tacScratch* scratch);

/// The step and its Jacobians A = d next/d x (nx x nx), B = d next/d u (nx x nu) and P = d next/d
/// theta for the parameters asked for, in their order. NULL skips a matrix, or `next`.
TAC_API
tacResult tac_step_jacobian(const tacModel* model, const tacState* x, const tacReal* u,
                            tacState* next, tacReal* A, tacReal* B, const tacParam* theta,
                            int ntheta, tacReal* P, tacScratch* scratch);

/// Forward derivative of tac_step along (x_dot, u_dot, theta_dot). NULL means zero.
TAC_API
tacResult tac_step_jvp(const tacModel* model, const tacState* x, const tacReal* u, tacTangent x_dot,
                       const tacReal* u_dot, const tacReal* theta_dot, tacTangent next_dot,
                       tacScratch* scratch);

/// Reverse derivative of tac_step at (x, u): adds (d next/d x)^T next_bar to x_bar, likewise u_bar
/// (nu) and theta_bar (nparam). NULL skips.
TAC_API
tacResult tac_step_vjp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacTangent next_bar, tacTangent x_bar, tacReal* u_bar, tacReal* theta_bar,
                       tacScratch* scratch);

/// Second derivative: the derivative of what tac_step_vjp adds along (x_dot, u_dot, theta_dot),
/// with next_bar held fixed. Adds. Exact; of published contact by differences (docs/manifold.md).
TAC_API
tacResult tac_step_hvp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacTangent next_bar, tacTangent x_dot, const tacReal* u_dot,
                       const tacReal* theta_dot, tacTangent x_bar, tacReal* u_bar,
                       tacReal* theta_bar, tacScratch* scratch);

/// The Hessian H (n x n) of the scalar next_bar . next by (x, u, theta), n = nx + nu + the numbers
/// of the parameters asked for, in their order: one tac_step_hvp a column. On error H is undefined.
/// Symmetric but for rotations, whose directions do not commute (docs/derivatives.md).
TAC_API
tacResult tac_step_hessian(const tacModel* model, const tacState* x, const tacReal* u,
                           tacTangent next_bar, const tacParam* theta, int ntheta, tacReal* H,
                           tacScratch* scratch);

/// Inverse dynamics with contact: the joint forces that a motion needs, tau = M(q) qacc + c(q, v) -
/// J' (wrench + contact) - limits and dry friction (nv). Springs, dampers and actuators are among
/// what it needs. Contact is that of the step at (q, v); of a linearly implicit step it looks ahead
/// along qacc, as the step does. TAC_ERROR_UNSUPPORTED for a responder of impulses.
TAC_API
tacResult tac_inverse_contact(const tacModel* model, tacDynamicsInput x, tacReal* tau,
                              tacScratch* scratch);

/// Its forward derivative. NULL means zero.
TAC_API
tacResult tac_inverse_contact_jvp(const tacModel* model, tacDynamicsInput x,
                                  tacDynamicsTangent x_dot, tacReal* tau_dot, tacScratch* scratch);

/// Its reverse derivative: adds to x_bar; NULL skips.
TAC_API
tacResult tac_inverse_contact_vjp(const tacModel* model, tacDynamicsInput x, const tacReal* tau_bar,
                                  tacDynamicsTangent x_bar, tacScratch* scratch);

/// A flag of tacInfo beside those of tacFlag: derivatives are those of the scene at softer
/// temperatures, as <tactus surrogate> asks for; the step itself is not.
#define TAC_SURROGATE 32u

/// Remarks on the last step, or derivative of one, that used this scratch: flags, contacts, first
/// time of impact.
TAC_API
tacInfo tac_step_info(const tacScratch* scratch);

/// One element of a batch; elements may name different models.
typedef struct tacStepItem {
    const tacModel* model; ///< scene of this element
    const tacState* x;     ///< state
    const tacReal* u;      ///< control                                        (nu)
    tacState* next;        ///< next state; may alias x
    tacScratch* scratch;   ///< working memory of its own
    tacResult result;      ///< set by tac_step_batch
} tacStepItem;

/// Steps all elements on `threads` threads (0: one per core). Bits do not depend on it.
TAC_API
tacResult tac_step_batch(tacStepItem* items, int count, int threads);

TAC_EXTERN_C_END

#endif
