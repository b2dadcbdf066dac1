/// Rigid-body dynamics without contact: kinematics, mass matrix, energy, inverse and forward
/// dynamics, and their derivatives. Contact is added by tactus/step.h.
///
/// Layouts of positions and velocities are MuJoCo's; a tangent of qpos has nv numbers. Every call
/// is complete in itself and leaves its outputs unchanged on an error. A non-finite input is
/// TAC_ERROR_VALUE, a non-finite result TAC_ERROR_DIVERGED.
#ifndef TACTUS_DYNAMICS_H
#define TACTUS_DYNAMICS_H

#include "tactus/state.h"

TAC_EXTERN_C_BEGIN

/// Input of inverse and forward dynamics.
typedef struct tacDynamicsInput {
    const tacReal* qpos; ///< generalized positions                                   (nq)
    const tacReal* qvel; ///< generalized velocities; NULL: zero                      (nv)
    const tacReal* qacc; ///< generalized accelerations; NULL: zero                   (nv)
    const tacReal*
        wrench; ///< external (force, torque) on each body about the world's origin,
                ///< world axes, fixed in the world as bodies move; NULL: none (nbody x 6)
} tacDynamicsInput;

/// A tangent of a tacDynamicsInput and of the parameters, or an adjoint. NULL means zero in a
/// tangent and skips in an adjoint.
typedef struct tacDynamicsTangent {
    tacReal* dq;     ///< of qpos                                                       (nv)
    tacReal* dv;     ///< of qvel                                                       (nv)
    tacReal* da;     ///< of qacc, or of the joint forces in forward dynamics           (nv)
    tacReal* theta;  ///< of the parameters                                             (nparam)
    tacReal* wrench; ///< of the wrenches                                               (nbody x 6)
} tacDynamicsTangent;

//---------------------------------- positions ------------------------------------

/// Moves positions along velocities for a time h, as mj_integratePos: next = qpos + h qvel on the
/// joints' manifolds. `next` may alias `qpos`.                                    (nq) (nv) [s]
TAC_API
tacResult tac_integrate_pos(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                            tacReal h, tacReal* next);

/// Forward derivative of tac_integrate_pos along dq and qvel_dot (nv; NULL: zero). It is the same
/// at every qpos.
TAC_API
tacResult tac_integrate_pos_jvp(const tacModel* model, const tacReal* qvel, tacReal h,
                                const tacReal* dq, const tacReal* qvel_dot, tacReal* next_dot);

/// Reverse derivative of tac_integrate_pos: adds to dq_bar and qvel_bar (nv); NULL skips.
TAC_API
tacResult tac_integrate_pos_vjp(const tacModel* model, const tacReal* qvel, tacReal h,
                                const tacReal* next_bar, tacReal* dq_bar, tacReal* qvel_bar);

/// The velocity that moves `from` to `to` in a time h, as mj_differentiatePos: qvel = (to - from)/h
/// on the joints' manifolds, along the shortest rotation. TAC_ERROR_VALUE for h = 0.
TAC_API
tacResult tac_differentiate_pos(const tacModel* model, const tacReal* from, const tacReal* to,
                                tacReal h, tacReal* qvel);

/// Forward derivative of tac_differentiate_pos at its result qvel, along from_dot and to_dot (nv;
/// NULL: zero).
TAC_API
tacResult tac_differentiate_pos_jvp(const tacModel* model, const tacReal* qvel, tacReal h,
                                    const tacReal* from_dot, const tacReal* to_dot,
                                    tacReal* qvel_dot);

/// Reverse derivative of tac_differentiate_pos at its result qvel: adds to from_bar and to_bar
/// (nv); NULL skips.
TAC_API
tacResult tac_differentiate_pos_vjp(const tacModel* model, const tacReal* qvel, tacReal h,
                                    const tacReal* qvel_bar, tacReal* from_bar, tacReal* to_bar);

//---------------------------------- kinematics -----------------------------------

/// World pose of every body (nbody), and its twist (linear, angular) about the body's origin, world
/// axes (nbody x 6). NULL skips one.
TAC_API
tacResult tac_kinematics(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                         tacPose* pose, tacReal* twist, tacScratch* scratch);

/// Reverse derivative of the poses of tac_kinematics. pose_bar (nbody x 6) holds the adjoints of
/// the bodies' twists about their origins, world axes. Adds to q_bar (nv) and theta_bar (nparam);
/// NULL skips one.
TAC_API
tacResult tac_kinematics_vjp(const tacModel* model, const tacReal* qpos, const tacReal* pose_bar,
                             tacReal* q_bar, tacReal* theta_bar, tacScratch* scratch);

/// Jacobian J (6 x nv, row-major) of a body: J qvel is its twist about `point` (world).
TAC_API
tacResult tac_body_jacobian(const tacModel* model, const tacReal* qpos, int body,
                            const tacReal point[3], tacReal* J, tacScratch* scratch);

/// Mass matrix M with armature, row-major (nv x nv).
TAC_API
tacResult tac_mass_matrix(const tacModel* model, const tacReal* qpos, tacReal* M,
                          tacScratch* scratch);

/// Kinetic energy, and potential energy of gravity and springs.                          [J]
TAC_API
tacResult tac_energy(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                     tacReal energy[2], tacScratch* scratch);

/// Reverse derivative of tac_energy: adds to x_bar.dq, x_bar.dv and x_bar.theta.
TAC_API
tacResult tac_energy_vjp(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                         const tacReal energy_bar[2], tacDynamicsTangent x_bar,
                         tacScratch* scratch);

/// Total momentum of all bodies: linear, and angular about the world's origin. Armature carries
/// none.                                                                  [kg m/s, kg m^2/s]
TAC_API
tacResult tac_momentum(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                       tacReal momentum[6], tacScratch* scratch);

//---------------------------------- sensors --------------------------------------

/// Values of the scene's sensors (nsensordata), as MuJoCo's sensordata. model->sensor[i].first is
/// where sensor i starts. Sensors with `measured` 0 are not built and give 0 (docs/dynamics.md).
TAC_API
tacResult tac_sensor_data(const tacModel* model, const tacState* x, tacReal* data,
                          tacScratch* scratch);

//---------------------------------- joint forces ---------------------------------

/// Joint forces tau (nv) of springs, dampers, actuators, gravity compensation and fluid. x->qvel
/// may be NULL: zero.
TAC_API
tacResult tac_joint_forces(const tacModel* model, const tacState* x, const tacReal* ctrl,
                           tacReal* tau, tacScratch* scratch);

//---------------------------------- inverse dynamics -----------------------------

/// Inverse dynamics: the joint forces of a motion, tau = M(q) qacc + c(q, v) - J' wrench (nv). With
/// zero qacc it is the bias force c: gravity, Coriolis and centrifugal.
TAC_API
tacResult tac_inverse_dynamics(const tacModel* model, tacDynamicsInput x, tacReal* tau,
                               tacScratch* scratch);

/// Jacobians of tac_inverse_dynamics by positions and by velocities, row-major (nv x nv). NULL
/// skips one. By accelerations the Jacobian is the mass matrix.
TAC_API
tacResult tac_inverse_dynamics_jacobian(const tacModel* model, tacDynamicsInput x, tacReal* by_q,
                                        tacReal* by_v, tacScratch* scratch);

/// Forward derivative of tac_inverse_dynamics.
TAC_API
tacResult tac_inverse_dynamics_jvp(const tacModel* model, tacDynamicsInput x,
                                   tacDynamicsTangent x_dot, tacReal* tau_dot, tacScratch* scratch);

/// Reverse derivative of tac_inverse_dynamics: adds to x_bar.
TAC_API
tacResult tac_inverse_dynamics_vjp(const tacModel* model, tacDynamicsInput x,
                                   const tacReal* tau_bar, tacDynamicsTangent x_bar,
                                   tacScratch* scratch);

//---------------------------------- forward dynamics -----------------------------

/// Forward dynamics: qacc = M^-1 (tau - c + J' wrench) (nv) under joint forces tau (nv; NULL:
/// zero). x.qacc is not read. tac_forward_contact adds contact.
TAC_API
tacResult tac_forward_dynamics(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                               tacReal* qacc, tacScratch* scratch);

/// Forward derivative of tac_forward_dynamics; x_dot.da is the tangent of tau.
TAC_API
tacResult tac_forward_dynamics_jvp(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                                   tacDynamicsTangent x_dot, tacReal* qacc_dot,
                                   tacScratch* scratch);

/// Reverse derivative of tac_forward_dynamics: adds to x_bar; x_bar.da is the adjoint of tau.
TAC_API
tacResult tac_forward_dynamics_vjp(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                                   const tacReal* qacc_bar, tacDynamicsTangent x_bar,
                                   tacScratch* scratch);

TAC_EXTERN_C_END

#endif
