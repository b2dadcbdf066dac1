// Derivatives of actuators and of their activations.

#ifndef TAC_DYNAMICS_KERNELS_ACTUATOR_DIFF_INL
#define TAC_DYNAMICS_KERNELS_ACTUATOR_DIFF_INL

#include "dynamics/kernels/passive_diff.inl"

//---------------------------------- activation -----------------------------------

static void activate_jvp(const tacModel* model, const tacMotion* m, const tacMotionDot* dot,
                         tacReal* rate_dot) {
    for (int i = 0; i < model->nu; ++i) {
        const tacActuator* a = &model->actuator[i];
        if (a->act < 0) continue;
        laneActivation x = activation_of(model, a, w_get(m->ctrl, i), w_get(m->act, a->act));
        wide d = x.rate_ctrl * lane_or_zero(dot->ctrl, i);
        d = w_fma(x.rate_act, lane_or_zero(dot->act, a->act), d);
        if (a->timeconst >= 0) d = w_fma(x.rate_timeconst, theta_at(dot, a->timeconst), d);
        w_put(rate_dot, a->act, model->disable & TAC_DISABLE_ACTUATION ? w_set(0.0) : d);
    }
}

static void activate_vjp(const tacModel* model, const tacMotion* m, const tacReal* rate_bar,
                         tacMotionDot* bar) {
    if (model->disable & TAC_DISABLE_ACTUATION) return;
    for (int i = 0; i < model->nu; ++i) {
        const tacActuator* a = &model->actuator[i];
        if (a->act < 0) continue;
        laneActivation x = activation_of(model, a, w_get(m->ctrl, i), w_get(m->act, a->act));
        wide r = w_get(rate_bar, a->act);
        add_to(bar->ctrl, i, x.rate_ctrl * r);
        add_to(bar->act, a->act, x.rate_act * r);
        if (a->timeconst >= 0) add_to(bar->theta, a->timeconst, x.rate_timeconst * r);
    }
}

// next = act + reach rate, clamped; held where nothing acts
TAC_INLINE laneActivation next_of(const tacModel* model, const tacMotion* m, const tacActuator* a,
                                  const tacReal* rate) {
    laneActivation x = {.rate = w_get(rate, a->act)};
    activation_dt(model, a, &x);
    activation_next(a, w_get(m->act, a->act), &x);
    if ((model->disable & TAC_DISABLE_ACTUATION) || a->disabled) {
        x.dt = x.dt_by_h = x.dt_by_timeconst = 0.0;
        x.unclamped = w_set(1.0);
    }
    return x;
}

static void act_next_jvp(const tacModel* model, const tacMotion* m, const tacReal* rate,
                         const tacReal* rate_dot, const tacMotionDot* dot, tacReal* next_dot) {
    for (int i = 0; i < model->nu; ++i) {
        const tacActuator* a = &model->actuator[i];
        if (a->act < 0) continue;
        laneActivation x = next_of(model, m, a, rate);
        wide d = w_fma(w_set(x.dt), w_get(rate_dot, a->act), lane_or_zero(dot->act, a->act));
        d = w_fma(w_set(x.dt_by_h) * x.rate, theta_at(dot, model->timestep), d);
        if (a->timeconst >= 0)
            d = w_fma(w_set(x.dt_by_timeconst) * x.rate, theta_at(dot, a->timeconst), d);
        w_put(next_dot, a->act, x.unclamped * d);
    }
}

static void act_next_vjp(const tacModel* model, const tacMotion* m, const tacReal* rate,
                         const tacReal* next_bar, tacReal* rate_bar, tacMotionDot* bar) {
    for (int i = 0; i < model->nu; ++i) {
        const tacActuator* a = &model->actuator[i];
        if (a->act < 0) continue;
        laneActivation x = next_of(model, m, a, rate);
        wide d = x.unclamped * w_get(next_bar, a->act);
        w_add(rate_bar, a->act, w_set(x.dt) * d);
        add_to(bar->act, a->act, d);
        add_to(bar->theta, model->timestep, w_set(x.dt_by_h) * x.rate * d);
        if (a->timeconst >= 0)
            add_to(bar->theta, a->timeconst, w_set(x.dt_by_timeconst) * x.rate * d);
    }
}

//---------------------------------- force ----------------------------------------

// slopes of the force by length and velocity, before the clamp
TAC_INLINE void force_slopes(const tacModel* model, const tacActuator* a, const laneForce* f,
                             wide* by_length, wide* by_velocity) {
    *by_length = w_set(model->param[a->bias + 1]);
    *by_velocity = w_set(model->param[a->bias + 2]);
    if (!a->affine) return;
    *by_length = w_fma(w_set(model->param[a->gain + 1]), f->input.value, *by_length);
    *by_velocity = w_fma(w_set(model->param[a->gain + 2]), f->input.value, *by_velocity);
}

static wide force_jvp(const tacModel* model, int i, const laneForce* f, wide length_dot,
                      wide velocity_dot, const tacMotionDot* dot) {
    const tacActuator* a = &model->actuator[i];
    wide by_length, by_velocity, input = f->input.by_ctrl * lane_or_zero(dot->ctrl, i);
    if (a->act >= 0) input = w_fma(f->input.by_act, lane_or_zero(dot->act, a->act), input);
    if (a->timeconst >= 0) input = w_fma(f->input.by_timeconst, theta_at(dot, a->timeconst), input);
    input = w_fma(f->input.by_h, theta_at(dot, model->timestep), input);
    force_slopes(model, a, f, &by_length, &by_velocity);
    wide d = w_fma(f->gain, input, w_fma(by_length, length_dot, by_velocity * velocity_dot));
    wide gain = theta_at(dot, a->gain), bias = theta_at(dot, a->bias);
    bias = w_fma(theta_at(dot, a->bias + 1), f->length, bias);
    bias = w_fma(theta_at(dot, a->bias + 2), f->velocity, bias);
    if (a->affine) {
        gain = w_fma(theta_at(dot, a->gain + 1), f->length, gain);
        gain = w_fma(theta_at(dot, a->gain + 2), f->velocity, gain);
    }
    return f->unclamped * (d + w_fma(gain, f->input.value, bias));
}

// adjoints of length and velocity out
static void force_vjp(const tacModel* model, int i, const laneForce* f, wide passed_bar,
                      tacMotionDot* bar, wide* length_bar, wide* velocity_bar) {
    const tacActuator* a = &model->actuator[i];
    wide t = f->unclamped * passed_bar, input = f->gain * t, gain = f->input.value * t;
    force_slopes(model, a, f, length_bar, velocity_bar);
    *length_bar = *length_bar * t;
    *velocity_bar = *velocity_bar * t;
    add_to(bar->ctrl, i, f->input.by_ctrl * input);
    if (a->act >= 0) add_to(bar->act, a->act, f->input.by_act * input);
    if (a->timeconst >= 0) add_to(bar->theta, a->timeconst, f->input.by_timeconst * input);
    add_to(bar->theta, model->timestep, f->input.by_h * input);
    add_to(bar->theta, a->bias, t);
    add_to(bar->theta, a->bias + 1, f->length * t);
    add_to(bar->theta, a->bias + 2, f->velocity * t);
    add_to(bar->theta, a->gain, gain);
    if (!a->affine) return;
    add_to(bar->theta, a->gain + 1, f->length * gain);
    add_to(bar->theta, a->gain + 2, f->velocity * gain);
}

//---------------------------------- hinges, slides, tendons ----------------------

static void actuate_sum_jvp(const tacModel* model, const tacMotion* m, int i,
                            const tacMotionDot* dot, tacReal* tau_dot) {
    const tacActuator* a = &model->actuator[i];
    jointSum s = sum_of_actuator(model, a);
    wide gear = w_set(model->param[a->gear]), gear_dot = theta_at(dot, a->gear);
    wide length = sum_length(model, s, m->qpos), velocity = sum_along(model, s, m->qvel);
    laneForce f = force_at(model, m, i, gear * length, gear * velocity);
    wide length_dot = w_fma(gear, sum_length_jvp(model, m, s, dot), gear_dot * length);
    wide velocity_dot = w_fma(gear, sum_along_jvp(model, m, s, dot), gear_dot * velocity);
    wide f_dot = force_jvp(model, i, &f, length_dot, velocity_dot, dot);
    sum_apply_jvp(model, s, gear * f.clamped, w_fma(gear, f_dot, gear_dot * f.clamped), dot,
                  tau_dot);
}

static void actuate_sum_vjp(const tacModel* model, const tacMotion* m, int i,
                            const tacReal* tau_bar, tacMotionDot* bar) {
    const tacActuator* a = &model->actuator[i];
    jointSum s = sum_of_actuator(model, a);
    wide gear = w_set(model->param[a->gear]), length_bar, velocity_bar;
    wide length = sum_length(model, s, m->qpos), velocity = sum_along(model, s, m->qvel);
    laneForce f = force_at(model, m, i, gear * length, gear * velocity);
    wide t = sum_along(model, s, tau_bar);
    force_vjp(model, i, &f, gear * t, bar, &length_bar, &velocity_bar);
    add_to(bar->theta, a->gear,
           w_fma(length, length_bar, w_fma(velocity, velocity_bar, t * f.clamped)));
    sum_vjp(model, m, s, gear * length_bar, gear * velocity_bar, gear * f.clamped, tau_bar, bar);
}

// `open` (nv) is 0 where a joint clamps the sum of its actuators
static void actuate_sum_jacobian(const tacModel* model, const tacMotion* m, int i,
                                 const tacReal* unclamped, tacAppliedJacobian J) {
    const tacActuator* a = &model->actuator[i];
    jointSum s = sum_of_actuator(model, a);
    wide gear = w_set(model->param[a->gear]), by_length, by_velocity;
    laneForce f = force_at(model, m, i, gear * sum_length(model, s, m->qpos),
                           gear * sum_along(model, s, m->qvel));
    force_slopes(model, a, &f, &by_length, &by_velocity);
    by_length = by_length * f.unclamped * gear;
    by_velocity = by_velocity * f.unclamped * gear;
    for (int r = 0; r < s.count; ++r) {
        int k = sum_dof(model, s, r);
        wide pull = gear * coef_of(model, s, r);
        if (unclamped) pull = pull * w_get(unclamped, k);
        for (int c = 0; c < s.count; ++c) {
            wide coef = pull * coef_of(model, s, c);
            add_at(J.by_q, J.stride, k, sum_dof(model, s, c), coef * by_length);
            add_at(J.by_v, J.stride, k, sum_dof(model, s, c), coef * by_velocity);
        }
        wide by_input = pull * f.unclamped * f.gain;
        add_at(J.by_ctrl, model->nu, k, i, by_input * f.input.by_ctrl);
        if (a->act >= 0) add_at(J.by_act, J.stride, k, a->act, by_input * f.input.by_act);
    }
}

//---------------------------------- balls and free bodies ------------------------

static void actuate_wrench_jvp(const tacModel* model, const tacMotion* m, int i,
                               const tacMotionDot* dot, tacReal* tau_dot) {
    const tacActuator* a = &model->actuator[i];
    laneWrench w = wrench_of(model, m, a);
    int rot_dof = w.dof + w.shift;
    laneForce f = force_at(model, m, i, w.length, w.velocity);
    lane3 force = w.shift ? load3_or_zero(dot->theta, a->gear) : zero3();
    lane3 torque = load3_or_zero(dot->theta, a->gear + w.shift),
          dq = load3_or_zero(dot->dq, rot_dof);
    if (a->drive == TAC_DRIVE_INPARENT)
        torque = add3(rotate_back3(w.R, torque), cross3(w.torque, dq));
    wide velocity = dot3(torque, load3_or_zero(m->qvel, rot_dof)), length = w_set(0.0);
    velocity = velocity + dot3(w.torque, load3_or_zero(dot->dv, rot_dof));
    if (w.shift)
        velocity = velocity + dot3(force, load3_or_zero(m->qvel, w.dof)) +
                   dot3(w.force, load3_or_zero(dot->dv, w.dof));
    else
        length = dot3(torque, w.angle) + dot3(w.torque, rotation_angle_diff(w.angle, dq, 0));
    wide f_dot = force_jvp(model, i, &f, length, velocity, dot);
    if (w.shift) accumulate3(tau_dot, w.dof, fma3(force, f.clamped, scale3(w.force, f_dot)));
    accumulate3(tau_dot, rot_dof, fma3(torque, f.clamped, scale3(w.torque, f_dot)));
}

static void actuate_wrench_vjp(const tacModel* model, const tacMotion* m, int i,
                               const tacReal* tau_bar, tacMotionDot* bar) {
    const tacActuator* a = &model->actuator[i];
    laneWrench w = wrench_of(model, m, a);
    int rot_dof = w.dof + w.shift;
    laneForce f = force_at(model, m, i, w.length, w.velocity);
    lane3 t = load3_or_zero(tau_bar, rot_dof);
    wide clamped = dot3(w.torque, t), length, velocity;
    if (w.shift) clamped = clamped + dot3(w.force, load3_or_zero(tau_bar, w.dof));
    force_vjp(model, i, &f, clamped, bar, &length, &velocity);
    lane3 torque = fma3(load3_or_zero(m->qvel, rot_dof), velocity, scale3(t, f.clamped));
    accumulate3_if(bar->dv, rot_dof, scale3(w.torque, velocity));
    if (w.shift) {
        lane3 force = scale3(load3_or_zero(tau_bar, w.dof), f.clamped);
        accumulate3_if(bar->theta, a->gear, fma3(load3_or_zero(m->qvel, w.dof), velocity, force));
        accumulate3_if(bar->dv, w.dof, scale3(w.force, velocity));
    } else {
        torque = fma3(w.angle, length, torque);
        accumulate3_if(bar->dq, rot_dof, rotation_angle_diff(w.angle, scale3(w.torque, length), 1));
    }
    if (a->drive == TAC_DRIVE_INPARENT) {
        accumulate3_if(bar->dq, rot_dof, cross3(torque, w.torque));
        torque = rotate3(w.R, torque);
    }
    accumulate3_if(bar->theta, a->gear + w.shift, torque);
}

// rows of the joint, column c of a matrix
TAC_INLINE void add_column(tacReal* X, int stride, const laneWrench* w, int c, lane3 force,
                           lane3 torque) {
    const wide x[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int k = 0; k < w->count; ++k) add_at(X, stride, w->dof + k, c, x[6 - w->count + k]);
}

// by positions and velocities through the forward derivative: these actuators are few
static void actuate_wrench_jacobian(const tacModel* model, const tacMotion* m, int i,
                                    tacAppliedJacobian J) {
    const tacActuator* a = &model->actuator[i];
    laneWrench w = wrench_of(model, m, a);
    laneForce f = force_at(model, m, i, w.length, w.velocity);
    wide by_input = f.unclamped * f.gain, by_ctrl = by_input * f.input.by_ctrl;
    add_column(J.by_ctrl, model->nu, &w, i, scale3(w.force, by_ctrl), scale3(w.torque, by_ctrl));
    wide by_act = by_input * f.input.by_act;
    if (a->act >= 0)
        add_column(J.by_act, J.stride, &w, a->act, scale3(w.force, by_act),
                   scale3(w.torque, by_act));
    tacReal *unit = m->work, *tau = w_at(m->work, model->nv);
    clear_lanes(unit, model->nv);
    for (int c = w.dof; c < w.dof + w.count; ++c) {
        w_put(unit, c, w_set(1.0));
        for (int by_velocity = 0; by_velocity < 2; ++by_velocity) {
            tacMotionDot dot = {.dq = by_velocity ? NULL : unit, .dv = by_velocity ? unit : NULL};
            clear_lanes(tau, model->nv);
            actuate_wrench_jvp(model, m, i, &dot, tau);
            for (int k = w.dof; k < w.dof + w.count; ++k)
                add_at(by_velocity ? J.by_v : J.by_q, J.stride, k, c, w_get(tau, k));
        }
        w_put(unit, c, w_set(0.0));
    }
}

//---------------------------------- all ------------------------------------------

static void actuate_jvp(const tacModel* model, const tacMotion* m, const tacMotionDot* dot,
                        tacReal* tau_dot) {
    for (int i = 0; i < model->nu; ++i) {
        const tacActuator* a = &model->actuator[i];
        if (a->disabled) continue;
        (is_sum(model, a) ? actuate_sum_jvp : actuate_wrench_jvp)(model, m, i, dot, tau_dot);
    }
}

static void actuate_vjp(const tacModel* model, const tacMotion* m, const tacReal* tau_bar,
                        tacMotionDot* bar) {
    for (int i = 0; i < model->nu; ++i) {
        const tacActuator* a = &model->actuator[i];
        if (a->disabled) continue;
        (is_sum(model, a) ? actuate_sum_vjp : actuate_wrench_vjp)(model, m, i, tau_bar, bar);
    }
}

static void actuate_jacobian(const tacModel* model, const tacMotion* m, const tacReal* unclamped,
                             tacAppliedJacobian J) {
    for (int i = 0; i < model->nu; ++i) {
        const tacActuator* a = &model->actuator[i];
        if (a->disabled) continue;
        if (is_sum(model, a))
            actuate_sum_jacobian(model, m, i, unclamped, J);
        else
            actuate_wrench_jacobian(model, m, i, J);
    }
}

#endif
