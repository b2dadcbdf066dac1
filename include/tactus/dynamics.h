/// Dynamics of bodies and joints without contact: places, masses, forces, and their derivatives.
///
/// Positions and velocities are laid out as MuJoCo lays them out; a tangent of qpos has nv numbers.
/// Every function is complete in itself and leaves its outputs untouched on an error: an input that
/// is not finite is TAC_ERROR_VALUE, a result that is not finite TAC_ERROR_DIVERGED.
#ifndef TACTUS_DYNAMICS_H
#define TACTUS_DYNAMICS_H

#include "tactus/state.h"

TAC_EXTERN_C_BEGIN

/// Where and how a scene is, and what pushes its bodies.
typedef struct tacDynamicsInput {
    const tacReal* qpos;   ///< generalized positions                                   (nq)
    const tacReal* qvel;   ///< generalized velocities; NULL: zero                      (nv)
    const tacReal* qacc;   ///< generalized accelerations; NULL: zero                   (nv)
    const tacReal* wrench; ///< (force, torque) on each body about the world's origin, world axes,
                           ///< held fixed when bodies move; NULL: none           (nbody x 6)
} tacDynamicsInput;

/// A tangent of a tacDynamicsInput and of the parameters, or an adjoint. As a tangent NULL means
/// zero, as an adjoint not asked for.
typedef struct tacDynamicsTangent {
    tacReal* dq;     ///< of qpos                                                       (nv)
    tacReal* dv;     ///< of qvel                                                       (nv)
    tacReal* da;     ///< of qacc, or of the joint forces in forward dynamics           (nv)
    tacReal* theta;  ///< of the parameters                                             (nparam)
    tacReal* wrench; ///< of the wrenches                                               (nbody x 6)
} tacDynamicsTangent;

//---------------------------------- motion ---------------------------------------

/// World pose of every body (nbody), and its twist (linear, angular) about the body's origin in
/// world axes (nbody x 6). NULL skips one.
TAC_API
tacResult tac_kinematics(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                         tacPose* pose, tacReal* twist, tacScratch* scratch);

/// Reverse derivative of the poses: pose_bar (nbody x 6) are adjoints of twists (linear, angular)
/// of the bodies about their origins, world axes. Adds to q_bar (nv) and theta_bar (nparam); NULL
/// skips one.
TAC_API
tacResult tac_kinematics_vjp(const tacModel* model, const tacReal* qpos, const tacReal* pose_bar,
                             tacReal* q_bar, tacReal* theta_bar, tacScratch* scratch);

/// Jacobian (6 x nv, row-major) of the twist about `point` (world) of a body: J qvel = twist.
TAC_API
tacResult tac_body_jacobian(const tacModel* model, const tacReal* qpos, int body,
                            const tacReal point[3], tacReal* J, tacScratch* scratch);

/// Mass matrix, armature included, row-major (nv x nv).
TAC_API
tacResult tac_mass_matrix(const tacModel* model, const tacReal* qpos, tacReal* M,
                          tacScratch* scratch);

/// Kinetic energy, and potential energy of gravity and springs.                          [J]
TAC_API
tacResult tac_energy(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                     tacReal energy[2], tacScratch* scratch);

/// Its reverse derivative: adds to x_bar.dq, x_bar.dv and x_bar.theta; NULL skips one.
TAC_API
tacResult tac_energy_vjp(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                         const tacReal energy_bar[2], tacDynamicsTangent x_bar,
                         tacScratch* scratch);

/// Total momentum (linear, angular about the world's origin) of all bodies. Rotor inertias
/// (armature) carry none.                                                   [kg m/s, kg m^2/s]
TAC_API
tacResult tac_momentum(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                       tacReal momentum[6], tacScratch* scratch);

//---------------------------------- sensors --------------------------------------

/// What the scene's sensors measure (nsensordata), as MuJoCo's: positions and velocities of joints,
/// tendons, actuators, frames and subtrees, energies, time. Those with `measured` 0 give 0.
TAC_API
tacResult tac_sensor_data(const tacModel* model, const tacState* x, tacReal* data,
                          tacScratch* scratch);

//---------------------------------- joint forces ---------------------------------

/// Forces of springs, dampers, actuators, gravity compensation and a fluid along the joints (nv).
/// x->qvel may be NULL: zero.
TAC_API
tacResult tac_joint_forces(const tacModel* model, const tacState* x, const tacReal* ctrl,
                           tacReal* tau, tacScratch* scratch);

//---------------------------------- inverse dynamics -----------------------------

/// Joint forces that the motion needs: tau = M(q) qacc + c(q, v) - J' wrench (nv). With qacc zero
/// it is the bias force: gravity, Coriolis and centrifugal.
TAC_API
tacResult tac_inverse_dynamics(const tacModel* model, tacDynamicsInput x, tacReal* tau,
                               tacScratch* scratch);

/// Its derivatives by positions and by velocities, row-major (nv x nv). By accelerations it is the
/// mass matrix.
TAC_API
tacResult tac_inverse_dynamics_jacobian(const tacModel* model, tacDynamicsInput x, tacReal* by_q,
                                        tacReal* by_v, tacScratch* scratch);

/// Its forward derivative.
TAC_API
tacResult tac_inverse_dynamics_jvp(const tacModel* model, tacDynamicsInput x,
                                   tacDynamicsTangent x_dot, tacReal* tau_dot, tacScratch* scratch);

/// Its reverse derivative: adds to x_bar.
TAC_API
tacResult tac_inverse_dynamics_vjp(const tacModel* model, tacDynamicsInput x,
                                   const tacReal* tau_bar, tacDynamicsTangent x_bar,
                                   tacScratch* scratch);

//---------------------------------- forward dynamics -----------------------------

/// Accelerations under joint forces: qacc = M^-1 (tau - c + J' wrench) (nv). x.qacc is not read.
TAC_API
tacResult tac_forward_dynamics(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                               tacReal* qacc, tacScratch* scratch);

/// Its forward derivative; x_dot.da is the tangent of tau.
TAC_API
tacResult tac_forward_dynamics_jvp(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                                   tacDynamicsTangent x_dot, tacReal* qacc_dot,
                                   tacScratch* scratch);

/// Its reverse derivative: adds to x_bar; x_bar.da is the adjoint of tau.
TAC_API
tacResult tac_forward_dynamics_vjp(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                                   const tacReal* qacc_bar, tacDynamicsTangent x_bar,
                                   tacScratch* scratch);

TAC_EXTERN_C_END

#endif
