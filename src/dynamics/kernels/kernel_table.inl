// The table of kernels, of the lanes and numbers of the file that includes this.

#ifndef TAC_DYNAMICS_KERNELS_KERNEL_TABLE_INL
#define TAC_DYNAMICS_KERNELS_KERNEL_TABLE_INL

#include "dynamics/kernels/articulated_body.inl"
#include "dynamics/kernels/implicit_damping_diff.inl"
#include "dynamics/kernels/inverse_dynamics_jvp.inl"
#include "dynamics/kernels/inverse_dynamics_vjp.inl"

#define TAC_DYNAMICS_TABLE                                                                         \
    {                                                                                              \
        .lanes = TAC_LANES, .kinematics = kinematics, .inverse = inverse, .mass = mass,            \
        .articulated = articulated, .factor = factor, .solve = solve,                              \
        .solve_columns = solve_columns, .multiply_add = multiply_add, .applied = applied,          \
        .damp = damp, .activate = activate, .act_next = act_next, .integrate = integrate,          \
        .add_scaled = add_scaled, .coriolis = coriolis, .inverse_jvp = inverse_jvp,                \
        .inverse_vjp = inverse_vjp, .inverse_jacobian = inverse_jacobian,                          \
        .applied_jvp = applied_jvp, .applied_vjp = applied_vjp,                                    \
        .applied_jacobian = applied_jacobian, .damp_jvp = damp_jvp, .damp_vjp = damp_vjp,          \
        .damp_jacobian = damp_jacobian, .activate_jvp = activate_jvp,                              \
        .activate_vjp = activate_vjp, .act_next_jvp = act_next_jvp, .act_next_vjp = act_next_vjp   \
    }

#endif
