// The functions of soft.inl for one number: lane 0 of the wide functions, and their derivatives.
//
//   soft.inl --wide--> [this file] --tacReal--> users, checks, code that handles one contact
//
// Formulas: docs/smooth.md.

#include "smooth/soft.inl"

#include "tactus/smooth.h"

static void soft_add(tacReal* bar, tacReal amount) {
    if (bar) *bar += amount;
}

static tacReal soft_first(wide x) { return w_lane(x, 0); }

//---------------------------------- comparison ----------------------------------

tacReal tac_soft_greater(tacReal x, tacReal a, tacReal tau) {
    return soft_first(soft_greater(w_set(x), w_set(a), w_set(tau)));
}

tacReal tac_soft_greater_jvp(tacReal x, tacReal a, tacReal tau, tacReal x_dot, tacReal a_dot,
                             tacReal tau_dot) {
    softDiff d = soft_greater_diff(w_set(x), w_set(a), w_set(tau));
    return soft_first(d.d_x) * (x_dot - a_dot) + soft_first(d.d_tau) * tau_dot;
}

void tac_soft_greater_vjp(tacReal x, tacReal a, tacReal tau, tacReal y_bar, tacReal* x_bar,
                          tacReal* a_bar, tacReal* tau_bar) {
    softDiff d = soft_greater_diff(w_set(x), w_set(a), w_set(tau));
    soft_add(x_bar, soft_first(d.d_x) * y_bar);
    soft_add(a_bar, soft_first(d.d_lower) * y_bar);
    soft_add(tau_bar, soft_first(d.d_tau) * y_bar);
}

tacReal tac_soft_less(tacReal x, tacReal a, tacReal tau) { return tac_soft_greater(a, x, tau); }

tacReal tac_soft_less_jvp(tacReal x, tacReal a, tacReal tau, tacReal x_dot, tacReal a_dot,
                          tacReal tau_dot) {
    return tac_soft_greater_jvp(a, x, tau, a_dot, x_dot, tau_dot);
}

void tac_soft_less_vjp(tacReal x, tacReal a, tacReal tau, tacReal y_bar, tacReal* x_bar,
                       tacReal* a_bar, tacReal* tau_bar) {
    tac_soft_greater_vjp(a, x, tau, y_bar, a_bar, x_bar, tau_bar);
}

//---------------------------------- functions of x and tau ----------------------------------

static tacReal soft_pair_jvp(softDiff d, tacReal x_dot, tacReal tau_dot) {
    return soft_first(d.d_x) * x_dot + soft_first(d.d_tau) * tau_dot;
}

static void soft_pair_vjp(softDiff d, tacReal y_bar, tacReal* x_bar, tacReal* tau_bar) {
    soft_add(x_bar, soft_first(d.d_x) * y_bar);
    soft_add(tau_bar, soft_first(d.d_tau) * y_bar);
}

tacReal tac_soft_sign(tacReal x, tacReal tau) {
    return soft_first(soft_sign(w_set(x), w_set(tau)));
}

tacReal tac_soft_sign_jvp(tacReal x, tacReal tau, tacReal x_dot, tacReal tau_dot) {
    return soft_pair_jvp(soft_sign_diff(w_set(x), w_set(tau)), x_dot, tau_dot);
}

void tac_soft_sign_vjp(tacReal x, tacReal tau, tacReal y_bar, tacReal* x_bar, tacReal* tau_bar) {
    soft_pair_vjp(soft_sign_diff(w_set(x), w_set(tau)), y_bar, x_bar, tau_bar);
}

tacReal tac_soft_relu(tacReal x, tacReal tau) {
    return soft_first(soft_relu(w_set(x), w_set(tau)));
}

tacReal tac_soft_relu_jvp(tacReal x, tacReal tau, tacReal x_dot, tacReal tau_dot) {
    return soft_pair_jvp(soft_relu_diff(w_set(x), w_set(tau)), x_dot, tau_dot);
}

void tac_soft_relu_vjp(tacReal x, tacReal tau, tacReal y_bar, tacReal* x_bar, tacReal* tau_bar) {
    soft_pair_vjp(soft_relu_diff(w_set(x), w_set(tau)), y_bar, x_bar, tau_bar);
}

tacReal tac_soft_abs(tacReal x, tacReal tau) { return soft_first(soft_abs(w_set(x), w_set(tau))); }

tacReal tac_soft_abs_jvp(tacReal x, tacReal tau, tacReal x_dot, tacReal tau_dot) {
    return soft_pair_jvp(soft_abs_diff(w_set(x), w_set(tau)), x_dot, tau_dot);
}

void tac_soft_abs_vjp(tacReal x, tacReal tau, tacReal y_bar, tacReal* x_bar, tacReal* tau_bar) {
    soft_pair_vjp(soft_abs_diff(w_set(x), w_set(tau)), y_bar, x_bar, tau_bar);
}

//---------------------------------- functions with two bounds ----------------------------------

static tacReal soft_bounds_jvp(softDiff d, tacBounds dot) {
    return soft_first(d.d_x) * dot.x + soft_first(d.d_lower) * dot.lower +
           soft_first(d.d_upper) * dot.upper + soft_first(d.d_tau) * dot.tau;
}

static void soft_bounds_vjp(softDiff d, tacReal y_bar, tacBounds* bar) {
    bar->x += soft_first(d.d_x) * y_bar;
    bar->lower += soft_first(d.d_lower) * y_bar;
    bar->upper += soft_first(d.d_upper) * y_bar;
    bar->tau += soft_first(d.d_tau) * y_bar;
}

static softDiff soft_clip_at(tacBounds at) {
    return soft_clip_diff(w_set(at.x), w_set(at.lower), w_set(at.upper), w_set(at.tau));
}

static softDiff soft_within_at(tacBounds at) {
    return soft_within_diff(w_set(at.x), w_set(at.lower), w_set(at.upper), w_set(at.tau));
}

tacReal tac_soft_clip(tacBounds at) {
    return soft_first(soft_clip(w_set(at.x), w_set(at.lower), w_set(at.upper), w_set(at.tau)));
}

tacReal tac_soft_clip_jvp(tacBounds at, tacBounds dot) {
    return soft_bounds_jvp(soft_clip_at(at), dot);
}

void tac_soft_clip_vjp(tacBounds at, tacReal y_bar, tacBounds* bar) {
    soft_bounds_vjp(soft_clip_at(at), y_bar, bar);
}

tacReal tac_soft_within(tacBounds at) {
    return soft_first(soft_within(w_set(at.x), w_set(at.lower), w_set(at.upper), w_set(at.tau)));
}

tacReal tac_soft_within_jvp(tacBounds at, tacBounds dot) {
    return soft_bounds_jvp(soft_within_at(at), dot);
}

void tac_soft_within_vjp(tacBounds at, tacReal y_bar, tacBounds* bar) {
    soft_bounds_vjp(soft_within_at(at), y_bar, bar);
}

//---------------------------------- compact transitions ----------------------------------

tacReal tac_mollifier(tacReal t) { return soft_first(soft_mollifier(w_set(t))); }

tacReal tac_mollifier_jvp(tacReal t, tacReal t_dot) {
    return soft_first(soft_mollifier_diff(w_set(t)).d_x) * t_dot;
}

void tac_mollifier_vjp(tacReal t, tacReal y_bar, tacReal* t_bar) {
    soft_add(t_bar, soft_first(soft_mollifier_diff(w_set(t)).d_x) * y_bar);
}

tacReal tac_soft_ramp(tacReal t) { return soft_first(soft_ramp(w_set(t))); }

tacReal tac_soft_ramp_jvp(tacReal t, tacReal t_dot) {
    return soft_first(soft_ramp_diff(w_set(t)).d_x) * t_dot;
}

void tac_soft_ramp_vjp(tacReal t, tacReal y_bar, tacReal* t_bar) {
    soft_add(t_bar, soft_first(soft_ramp_diff(w_set(t)).d_x) * y_bar);
}
