/// The step: next state, contact forces, and all derivatives. Also accelerations and inverse
/// dynamics with contact.
///
/// Every call is complete in itself: it takes the state x and the control u, needs no earlier call,
/// and on an error leaves its outputs unchanged. Matrices are row-major on the tangent space of
/// size nx = 2 nv + na in the order (dq, dv, da), as in mjd_transitionFD.
#ifndef TACTUS_STEP_H
#define TACTUS_STEP_H

#include "tactus/dynamics.h"
#include "tactus/respond.h"

TAC_EXTERN_C_BEGIN

//---------------------------------- step -----------------------------------------

/// One time step: next = step(x, u). Equal inputs give equal bits. `next` may alias `x`.
TAC_API
tacResult tac_step(const tacModel* model, const tacState* x, const tacReal* u, tacState* next,
                   tacScratch* scratch);

/// Report on the last step, or derivative of a step, that used this scratch: flags, contacts, time
/// of impact.
TAC_API
tacInfo tac_step_info(const tacScratch* scratch);

/// One element of a batch; elements may have different models.
typedef struct tacStepItem {
    const tacModel* model; ///< scene of this element
    const tacState* x;     ///< state
    const tacReal* u;      ///< control                                        (nu)
    tacState* next;        ///< next state; may alias x
    tacScratch* scratch;   ///< working memory of its own
    tacResult result;      ///< filled by tac_step_batch
} tacStepItem;

/// Steps all elements on `threads` threads (0: one per core). The number of threads changes no bit.
TAC_API
tacResult tac_step_batch(tacStepItem* items, int count, int threads);

/// The part of a step's time that hard contact leaves unused when TAC_IMPACT_OVERFLOW is set; else
/// 0.                                                                                [s]
TAC_API
tacResult tac_step_unused(const tacModel* model, const tacState* x, const tacReal* u,
                          tacReal* seconds, tacScratch* scratch);

/// Longest time step that explicit contact stands at a state: tac_stable_timestep with the forces
/// and velocities there. TAC_STIFF says that a step was longer. Infinite without contact.     [s]
TAC_API
tacResult tac_stable_timestep_at(const tacModel* model, const tacState* x, const tacReal* u,
                                 double* seconds, tacScratch* scratch);

//---------------------------------- first derivatives ----------------------------

/// A tangent of all inputs of a step, or an adjoint. NULL means zero in a tangent and skips in an
/// adjoint.
typedef struct tacStepTangent {
    tacTangent x;   ///< of the state
    tacReal* u;     ///< of the control                                        (nu)
    tacReal* theta; ///< of the parameters                                     (nparam)
} tacStepTangent;

/// Forward derivative of tac_step along `dot`.
TAC_API
tacResult tac_step_jvp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacStepTangent dot, tacTangent next_dot, tacScratch* scratch);

/// Reverse derivative of tac_step: adds (d next/d input)' next_bar to `bar`.
TAC_API
tacResult tac_step_vjp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacTangent next_bar, tacStepTangent bar, tacScratch* scratch);

/// Jacobians of a step. Fill in what you want; NULL skips an output.
typedef struct tacStepJacobian {
    tacState* next;        ///< next state
    tacReal* A;            ///< d next/d x                                     (nx x nx)
    tacReal* B;            ///< d next/d u                                     (nx x nu)
    const tacParam* theta; ///< input: parameters of P, in the order of its columns (ntheta)
    int ntheta;            ///< input: number of handles in theta
    tacReal* P;            ///< d next/d theta           (nx x sum of the handles' counts)
} tacStepJacobian;

/// The step and its Jacobians.
TAC_API
tacResult tac_step_jacobian(const tacModel* model, const tacState* x, const tacReal* u,
                            const tacStepJacobian* out, tacScratch* scratch);

//---------------------------------- second derivatives ---------------------------

/// Input and output of a Hessian product of a step.
typedef struct tacStepHvp {
    tacTangent next_bar; ///< adjoint of the next state, held fixed
    tacStepTangent dot;  ///< direction
    tacStepTangent bar;  ///< output, added to: derivative of tac_step_vjp along `dot`
} tacStepHvp;

/// Hessian product of a step: the derivative of what tac_step_vjp adds. Exact; by differences for
/// definition="reference" (docs/manifold.md). TAC_ERROR_UNSUPPORTED for hard contact.
TAC_API
tacResult tac_step_hvp(const tacModel* model, const tacState* x, const tacReal* u,
                       const tacStepHvp* product, tacScratch* scratch);

/// The Hessian of the scalar next_bar . next.
typedef struct tacStepHessian {
    tacTangent next_bar;   ///< adjoint of the next state
    const tacParam* theta; ///< parameters, in the order of their columns      (ntheta)
    int ntheta;            ///< number of handles in theta
    tacReal* H;            ///< output (n x n), n = nx + nu + sum of the handles' counts
} tacStepHessian;

/// Hessian of a step by (x, u, theta), one tac_step_hvp per column. It is symmetric but for
/// rotations, whose tangents do not commute (docs/derivatives.md). On an error H is undefined.
TAC_API
tacResult tac_step_hessian(const tacModel* model, const tacState* x, const tacReal* u,
                           const tacStepHessian* out, tacScratch* scratch);

//---------------------------------- contact forces -------------------------------

/// One contact of a step, with its force.
typedef struct tacContactForce {
    int geom[2];      ///< the two geoms; -1, -1 with respond="scm"
    int body[2];      ///< bodies that carry them
    double distance;  ///< signed distance, negative in penetration; 0 with scm        [m]
    double activity;  ///< in [0, 1]; 1 of hard contact and scm
    double point[3];  ///< where the force acts, world                                 [m]
    double normal[3]; ///< from geom[0] to geom[1], length <= 1; with scm that of the force
    double force[3];  ///< on body[1], world axes; body[0] gets the negative           [N]
    double torque[3]; ///< on body[1] about `point`; not 0 with scm only               [N m]
} tacContactForce;

/// Contacts of a step. The caller brings the arrays.
typedef struct tacStepContacts {
    tacContactForce* contact; ///< output                                      (capacity)
    int capacity;             ///< length of `contact`
    int count;                ///< output: number of contacts, also on TAC_ERROR_CAPACITY
    double* wrench;           ///< output: contact (force, torque) on each body about the world's
                              ///< origin, world axes; NULL skips     (nbody x 6) [N, N m]
} tacStepContacts;

/// Contact forces of the step from (x, u), as mj_contactForce and cfrc_ext. Runge-Kutta integrators
/// report the forces at x. Forces of hard contact are impulses over the length of the step; a
/// contact that several impacts inside the step share has an entry for each. Without contact count
/// is 0.
TAC_API
tacResult tac_step_contacts(const tacModel* model, const tacState* x, const tacReal* u,
                            tacStepContacts* out, tacScratch* scratch);

//---------------------------------- accelerations --------------------------------

/// Accelerations with contact, as MuJoCo's qacc (nv): M qacc is the sum of springs, dampers,
/// actuators at u, contact and limits, less the bias. Contact is that of the step; a linearly
/// implicit responder looks ahead along qacc. TAC_ERROR_UNSUPPORTED for hard contact, whose forces
/// are impulses.
TAC_API
tacResult tac_acceleration(const tacModel* model, const tacState* x, const tacReal* u,
                           tacReal* qacc, tacScratch* scratch);

/// Forward derivative of tac_acceleration along `dot`.
TAC_API
tacResult tac_acceleration_jvp(const tacModel* model, const tacState* x, const tacReal* u,
                               tacStepTangent dot, tacReal* qacc_dot, tacScratch* scratch);

/// Reverse derivative of tac_acceleration: adds to `bar`.
TAC_API
tacResult tac_acceleration_vjp(const tacModel* model, const tacState* x, const tacReal* u,
                               const tacReal* qacc_bar, tacStepTangent bar, tacScratch* scratch);

/// Forward dynamics with contact: tac_forward_dynamics with contact and limits, under joint forces
/// tau (nv; NULL: zero) that stand for springs, dampers and actuators. x.qacc is not read. The
/// inverse of tac_inverse_contact. TAC_ERROR_UNSUPPORTED for hard contact.
TAC_API
tacResult tac_forward_contact(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                              tacReal* qacc, tacScratch* scratch);

/// Forward derivative of tac_forward_contact; x_dot.da is the tangent of tau.
TAC_API
tacResult tac_forward_contact_jvp(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                                  tacDynamicsTangent x_dot, tacReal* qacc_dot, tacScratch* scratch);

/// Reverse derivative of tac_forward_contact: adds to x_bar; x_bar.da is the adjoint of tau.
TAC_API
tacResult tac_forward_contact_vjp(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                                  const tacReal* qacc_bar, tacDynamicsTangent x_bar,
                                  tacScratch* scratch);

/// Inverse dynamics with contact: the joint forces of a motion, tau = M(q) qacc + c(q, v) - J'
/// (wrench + contact) - limits and dry friction (nv). Forces of springs, dampers and actuators are
/// part of tau. A linearly implicit responder looks ahead along qacc, as in the step.
/// TAC_ERROR_UNSUPPORTED for hard contact.
TAC_API
tacResult tac_inverse_contact(const tacModel* model, tacDynamicsInput x, tacReal* tau,
                              tacScratch* scratch);

/// Forward derivative of tac_inverse_contact.
TAC_API
tacResult tac_inverse_contact_jvp(const tacModel* model, tacDynamicsInput x,
                                  tacDynamicsTangent x_dot, tacReal* tau_dot, tacScratch* scratch);

/// Reverse derivative of tac_inverse_contact: adds to x_bar.
TAC_API
tacResult tac_inverse_contact_vjp(const tacModel* model, tacDynamicsInput x, const tacReal* tau_bar,
                                  tacDynamicsTangent x_bar, tacScratch* scratch);

TAC_EXTERN_C_END

#endif
