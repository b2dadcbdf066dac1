// Actuators: from control and activation to forces along the joints.
//
//   ctrl --clamp--> activation' --act--> input --gain, bias--> force --clamp, gear--> tau

#ifndef TAC_DYNAMICS_KERNELS_ACTUATOR_INL
#define TAC_DYNAMICS_KERNELS_ACTUATOR_INL

#include "dynamics/kernels/passive.inl"

//---------------------------------- clamps ---------------------------------------

// a smooth clamp would not be MuJoCo's
TAC_INLINE wide clamp_to_range(wide x, const double range[2]) {
    x = w_select_ge0(x - range[0], x, w_set(range[0]));
    return w_select_ge0(range[1] - x, x, w_set(range[1]));
}

// 1 inside the range and on its ends, else 0
TAC_INLINE wide in_range(wide x, const double range[2]) {
    const wide one = w_set(1.0), none = w_set(0.0);
    return w_select_ge0(x - range[0], w_select_ge0(range[1] - x, one, none), none);
}

TAC_INLINE int clamps_control(const tacModel* model, const tacActuator* a) {
    return a->ctrllimited && !(model->disable & TAC_DISABLE_CLAMPCTRL);
}

//---------------------------------- activation -----------------------------------

// act' and the next act, with the slopes of both
typedef struct laneActivation {
    wide rate, rate_ctrl, rate_act, rate_timeconst;
    wide next, unclamped;                 // open: 1 where next is not clamped, else 0
    tacReal dt, dt_by_timeconst, dt_by_h; // next = act + reach rate
} laneActivation;

// the time for which a rate acts in a step: h, or less when the filter is solved exactly
TAC_INLINE void activation_dt(const tacModel* model, const tacActuator* a, laneActivation* x) {
    tacReal h = model->param[model->timestep];
    x->dt = h;
    x->dt_by_h = 1.0;
    x->dt_by_timeconst = 0.0;
    if (a->kind != TAC_ACTIVATION_FILTEREXACT) return;
    tacReal t = model->param[a->timeconst], left = r_exp(-h / t), gone = -r_expm1(-h / t);
    x->dt = t * gone;
    x->dt_by_h = left;
    x->dt_by_timeconst = gone - h / t * left;
}

TAC_INLINE void activation_next(const tacActuator* a, wide act, laneActivation* x) {
    x->next = w_fma(w_set(x->dt), x->rate, act);
    x->unclamped = a->actlimited ? in_range(x->next, a->actrange) : w_set(1.0);
    if (a->actlimited) x->next = clamp_to_range(x->next, a->actrange);
}

TAC_INLINE laneActivation activation_of(const tacModel* model, const tacActuator* a, wide ctrl,
                                        wide act) {
    const wide none = w_set(0.0), one = w_set(1.0);
    laneActivation x = {none, none, none, none, none, none, 0.0, 0.0, 0.0};
    wide unclamped = clamps_control(model, a) ? in_range(ctrl, a->ctrlrange) : one;
    if (clamps_control(model, a)) ctrl = clamp_to_range(ctrl, a->ctrlrange);
    if (a->disabled) {
        x.rate = none;
    } else if (a->kind == TAC_ACTIVATION_INTEGRATOR) {
        x.rate = ctrl;
        x.rate_ctrl = unclamped;
    } else {
        wide per = w_set(1.0 / model->param[a->timeconst]);
        x.rate = (ctrl - act) * per;
        x.rate_ctrl = unclamped * per;
        x.rate_act = -per;
        x.rate_timeconst = -(x.rate * per);
    }
    activation_dt(model, a, &x);
    activation_next(a, act, &x);
    return x;
}

static void activate(const tacModel* model, const tacMotion* m, tacReal* rate) {
    for (int i = 0; i < model->nu; ++i) {
        const tacActuator* a = &model->actuator[i];
        if (a->act < 0) continue;
        wide r = activation_of(model, a, w_get(m->ctrl, i), w_get(m->act, a->act)).rate;
        w_put(rate, a->act, model->disable & TAC_DISABLE_ACTUATION ? w_set(0.0) : r);
    }
}

// without actuation they stay as they are, in or out of their range
static void act_next(const tacModel* model, const tacReal* act, const tacReal* rate,
                     tacReal* next) {
    for (int i = 0; i < model->nu; ++i) {
        const tacActuator* a = &model->actuator[i];
        if (a->act < 0) continue;
        laneActivation x = {.rate = w_get(rate, a->act)};
        activation_dt(model, a, &x);
        activation_next(a, w_get(act, a->act), &x);
        int held = (model->disable & TAC_DISABLE_ACTUATION) || a->disabled;
        w_put(next, a->act, held ? w_get(act, a->act) : x.next);
    }
}

//---------------------------------- force ----------------------------------------

// the input of the gain, with its slopes
typedef struct laneInput {
    wide value, by_ctrl, by_act, by_timeconst, by_h;
} laneInput;

TAC_INLINE laneInput input_of(const tacModel* model, const tacMotion* m, int i) {
    const tacActuator* a = &model->actuator[i];
    const wide none = w_set(0.0), one = w_set(1.0);
    wide ctrl = w_get(m->ctrl, i);
    laneInput x = {ctrl, one, none, none, none};
    if (a->act < 0) {
        if (!clamps_control(model, a)) return x;
        x.value = clamp_to_range(ctrl, a->ctrlrange);
        x.by_ctrl = in_range(ctrl, a->ctrlrange);
        return x;
    }
    wide act = w_get(m->act, a->act);
    if (!a->actearly) return (laneInput){act, none, one, none, none};
    laneActivation y = activation_of(model, a, ctrl, act);
    wide dt = y.unclamped * w_set(y.dt);
    return (laneInput){
        y.next, dt * y.rate_ctrl, w_fma(dt, y.rate_act, y.unclamped),
        w_fma(dt, y.rate_timeconst, y.unclamped * (w_set(y.dt_by_timeconst) * y.rate)),
        y.unclamped * (w_set(y.dt_by_h) * y.rate)};
}

typedef struct laneForce {
    laneInput input;
    wide length, velocity, gain;
    wide value, unclamped, clamped; // before the clamp, 1 where it is not clamped, after
} laneForce;

TAC_INLINE laneForce force_at(const tacModel* model, const tacMotion* m, int i, wide length,
                              wide velocity) {
    const tacActuator* a = &model->actuator[i];
    const tacReal* p = model->param;
    laneForce f = {.input = input_of(model, m, i), .length = length, .velocity = velocity};
    f.gain = w_set(p[a->gain]);
    if (a->affine) {
        f.gain = w_fma(w_set(p[a->gain + 1]), length, f.gain);
        f.gain = w_fma(w_set(p[a->gain + 2]), velocity, f.gain);
    }
    f.value = w_fma(f.gain, f.input.value, w_set(p[a->bias]));
    f.value = w_fma(w_set(p[a->bias + 1]), length, f.value);
    f.value = w_fma(w_set(p[a->bias + 2]), velocity, f.value);
    f.unclamped = a->forcelimited ? in_range(f.value, a->forcerange) : w_set(1.0);
    f.clamped = a->forcelimited ? clamp_to_range(f.value, a->forcerange) : f.value;
    return f;
}

//---------------------------------- transmission ---------------------------------

// Does the actuator act along axes of its own? Else it acts on a ball or a free body.
TAC_INLINE int is_sum(const tacModel* model, const tacActuator* a) {
    return a->drive == TAC_DRIVE_TENDON || model->joint[a->target].axis >= 0;
}

TAC_INLINE jointSum sum_of_actuator(const tacModel* model, const tacActuator* a) {
    if (a->drive == TAC_DRIVE_TENDON) return sum_of_tendon(model, &model->tendon[a->target]);
    return (jointSum){&a->target, 1, -1};
}

// A wrench on the body of a ball or free joint. The moment rotates with the body when it is in
// the parent's axes; the velocity is that along the moment, as in MuJoCo, whatever the length does.
typedef struct laneWrench {
    int dof, count,
        shift;           // first degree of freedom, how many, how many of them before the rotations
    laneRot R;           // child to parent, where the axes are the parent's
    lane3 force, torque; // moment: gear along the world's axes, and about the child's
    lane3 angle;         // of a ball
    wide length, velocity;
} laneWrench;

static laneWrench wrench_of(const tacModel* model, const tacMotion* m, const tacActuator* a) {
    static const double unturned[4] = {1.0, 0.0, 0.0, 0.0};
    const tacJoint* j = &model->joint[a->target];
    const tacReal* gear = model->param + a->gear;
    laneWrench w = {.dof = j->dof, .length = w_set(0.0), .force = zero3(), .angle = zero3()};
    w.shift = j->kind == TAC_JOINT_FREE ? 3 : 0;
    w.count = w.shift + 3;
    w.torque = set3(gear + w.shift);
    if (a->drive == TAC_DRIVE_INPARENT) {
        w.R = quat_to_rot(quat_unit(get4(m->qpos, j->qpos + w.shift)));
        w.torque = rotate_back3(w.R, w.torque);
    }
    lane3 spin = {w_get(m->qvel, w.dof + w.shift), w_get(m->qvel, w.dof + w.shift + 1),
                  w_get(m->qvel, w.dof + w.shift + 2)};
    w.velocity = dot3(w.torque, spin);
    if (w.shift) {
        w.force = set3(gear);
        lane3 v = {w_get(m->qvel, w.dof), w_get(m->qvel, w.dof + 1), w_get(m->qvel, w.dof + 2)};
        w.velocity = w.velocity + dot3(w.force, v);
    } else {
        rotation_angle(m, j->qpos, unturned, &w.angle);
        w.length = dot3(w.torque, w.angle);
    }
    return w;
}

TAC_INLINE void accumulate3(tacReal* p, int i, lane3 a) {
    w_add(p, i, a.x);
    w_add(p, i + 1, a.y);
    w_add(p, i + 2, a.z);
}

static void actuate_wrench(const tacModel* model, const tacMotion* m, int i, tacReal* tau) {
    laneWrench w = wrench_of(model, m, &model->actuator[i]);
    wide f = force_at(model, m, i, w.length, w.velocity).clamped;
    if (w.shift) accumulate3(tau, w.dof, scale3(w.force, f));
    accumulate3(tau, w.dof + w.shift, scale3(w.torque, f));
}

TAC_INLINE void actuate_sum(const tacModel* model, const tacMotion* m, int i, tacReal* tau) {
    const tacActuator* a = &model->actuator[i];
    jointSum s = sum_of_actuator(model, a);
    wide gear = w_set(model->param[a->gear]);
    wide length = gear * sum_length(model, s, m->qpos);
    wide velocity = gear * sum_along(model, s, m->qvel);
    sum_apply(model, s, gear * force_at(model, m, i, length, velocity).clamped, tau);
}

// tau += forces of the actuators
static void actuate(const tacModel* model, const tacMotion* m, tacReal* tau) {
    for (int i = 0; i < model->nu; ++i) {
        const tacActuator* a = &model->actuator[i];
        if (a->disabled) continue;
        if (is_sum(model, a))
            actuate_sum(model, m, i, tau);
        else
            actuate_wrench(model, m, i, tau);
    }
}

#endif
