// Derivatives of y = (h damping) a, the accelerations a held fixed, the term that
// implicit_damping.inl adds to M times a.

#ifndef TAC_DYNAMICS_KERNELS_IMPLICIT_DAMPING_DIFF_INL
#define TAC_DYNAMICS_KERNELS_IMPLICIT_DAMPING_DIFF_INL

#include "dynamics/kernels/applied_diff.inl"
#include "dynamics/kernels/implicit_damping.inl"

//---------------------------------- slope of the force ---------------------------

// d of s = -open (bias[2] + gain[2] input)
static wide drive_damping_jvp(const tacModel* model, int i, const laneForce* f,
                              const tacMotionDot* dot) {
    const tacActuator* a = &model->actuator[i];
    wide d = theta_at(dot, a->bias + 2);
    if (a->affine) {
        wide input = f->input.by_ctrl * lane_or_zero(dot->ctrl, i);
        if (a->act >= 0) input = w_fma(f->input.by_act, lane_or_zero(dot->act, a->act), input);
        if (a->timeconst >= 0)
            input = w_fma(f->input.by_timeconst, theta_at(dot, a->timeconst), input);
        input = w_fma(f->input.by_h, theta_at(dot, model->timestep), input);
        d = w_fma(w_set(model->param[a->gain + 2]), input, d);
        d = w_fma(theta_at(dot, a->gain + 2), f->input.value, d);
    }
    return -(f->unclamped * d);
}

static void drive_damping_vjp(const tacModel* model, int i, const laneForce* f, wide s_bar,
                              tacMotionDot* bar) {
    const tacActuator* a = &model->actuator[i];
    wide d = -(f->unclamped * s_bar);
    add_to(bar->theta, a->bias + 2, d);
    if (!a->affine) return;
    wide input = w_set(model->param[a->gain + 2]) * d;
    add_to(bar->theta, a->gain + 2, f->input.value * d);
    add_to(bar->ctrl, i, f->input.by_ctrl * input);
    if (a->act >= 0) add_to(bar->act, a->act, f->input.by_act * input);
    if (a->timeconst >= 0) add_to(bar->theta, a->timeconst, f->input.by_timeconst * input);
    add_to(bar->theta, model->timestep, f->input.by_h * input);
}

//---------------------------------- sums of joints -------------------------------

// sum of coef x over the joints of the sum that are on one branch with joint i
TAC_INLINE wide branch_sum(const tacModel* model, jointSum s, int i, const tacReal* x) {
    wide sum = w_set(0.0);
    for (int j = 0; j < s.count; ++j)
        if (mass_entry(model, sum_dof(model, s, i), sum_dof(model, s, j)) >= 0)
            sum = w_fma(coef_of(model, s, j), w_get(x, sum_dof(model, s, j)), sum);
    return sum;
}

// the same with the tangents of the coefficients
TAC_INLINE wide branch_sum_dot(const tacModel* model, jointSum s, int i, const tacReal* x,
                               const tacMotionDot* dot) {
    wide sum = w_set(0.0);
    for (int j = 0; j < s.count && s.coef >= 0 && dot->theta; ++j)
        if (mass_entry(model, sum_dof(model, s, i), sum_dof(model, s, j)) >= 0)
            sum = w_fma(w_get(dot->theta, s.coef + j), w_get(x, sum_dof(model, s, j)), sum);
    return sum;
}

// y_i = scale c_i sum c_j a_j
static void damp_sum_jvp(const tacModel* model, const tacMotion* m, jointSum s, wide scale,
                         wide scale_dot, const tacMotionDot* dot, tacReal* y_dot) {
    for (int i = 0; i < s.count; ++i) {
        wide c = coef_of(model, s, i), sum = branch_sum(model, s, i, m->qacc);
        wide d = c * branch_sum_dot(model, s, i, m->qacc, dot);
        if (s.coef >= 0) d = w_fma(theta_at(dot, s.coef + i), sum, d);
        w_add(y_dot, sum_dof(model, s, i), w_fma(scale, d, scale_dot * c * sum));
    }
}

// returns the adjoint of the scale
static wide damp_sum_vjp(const tacModel* model, const tacMotion* m, jointSum s, wide scale,
                         const tacReal* y_bar, tacMotionDot* bar) {
    wide scale_bar = w_set(0.0);
    for (int i = 0; i < s.count; ++i) {
        int k = sum_dof(model, s, i);
        wide sum = branch_sum(model, s, i, m->qacc), y = w_get(y_bar, k);
        scale_bar = w_fma(coef_of(model, s, i) * sum, y, scale_bar);
        if (s.coef < 0) continue;
        wide back = branch_sum(model, s, i, y_bar);
        add_to(bar->theta, s.coef + i, scale * w_fma(y, sum, w_get(m->qacc, k) * back));
    }
    return scale_bar;
}

static void damp_drive_sum_jvp(const tacModel* model, const tacMotion* m, int i,
                               const tacMotionDot* dot, tacReal* y_dot) {
    const tacActuator* a = &model->actuator[i];
    laneForce f = sum_force(model, m, i);
    wide gear = w_set(model->param[a->gear]), h = w_set(model->param[model->timestep]);
    wide s = drive_damping(model, a, &f), g2 = gear * gear;
    wide scale_dot = h * (drive_damping_jvp(model, i, &f, dot) * g2);
    scale_dot = w_fma(h * s * gear, 2.0 * theta_at(dot, a->gear), scale_dot);
    scale_dot = w_fma(s * g2, theta_at(dot, model->timestep), scale_dot);
    damp_sum_jvp(model, m, sum_of_actuator(model, a), h * s * g2, scale_dot, dot, y_dot);
}

static void damp_drive_sum_vjp(const tacModel* model, const tacMotion* m, int i,
                               const tacReal* y_bar, tacMotionDot* bar) {
    const tacActuator* a = &model->actuator[i];
    laneForce f = sum_force(model, m, i);
    wide gear = w_set(model->param[a->gear]), h = w_set(model->param[model->timestep]);
    wide s = drive_damping(model, a, &f), g2 = gear * gear;
    wide scale_bar = damp_sum_vjp(model, m, sum_of_actuator(model, a), h * s * g2, y_bar, bar);
    add_to(bar->theta, a->gear, scale_bar * (2.0 * h * s * gear));
    add_to(bar->theta, model->timestep, scale_bar * s * g2);
    drive_damping_vjp(model, i, &f, scale_bar * h * g2, bar);
}

//---------------------------------- balls and free bodies ------------------------

// y = scale m (m . a)
static void damp_drive_wrench_jvp(const tacModel* model, const tacMotion* m, int i,
                                  const tacMotionDot* dot, tacReal* y_dot) {
    const tacActuator* a = &model->actuator[i];
    laneWrench w = wrench_of(model, m, a);
    laneForce f = wrench_force(model, m, i, &w);
    int rot_dof = w.dof + w.shift;
    wide h = w_set(model->param[model->timestep]), s = drive_damping(model, a, &f);
    wide scale = h * s, scale_dot = h * drive_damping_jvp(model, i, &f, dot);
    scale_dot = w_fma(s, theta_at(dot, model->timestep), scale_dot);
    lane3 force = w.shift ? load3_or_zero(dot->theta, a->gear) : zero3();
    lane3 torque = load3_or_zero(dot->theta, a->gear + w.shift);
    if (a->drive == TAC_DRIVE_INPARENT)
        torque = add3(rotate_back3(w.R, torque), cross3(w.torque, load3_or_zero(dot->dq, rot_dof)));
    lane3 spin = load3_or_zero(m->qacc, rot_dof),
          go = w.shift ? load3_or_zero(m->qacc, w.dof) : zero3();
    wide along_a = dot3(w.torque, spin) + dot3(w.force, go);
    wide along_dot = dot3(torque, spin) + dot3(force, go);
    wide whole = w_fma(scale_dot, along_a, scale * along_dot), part = scale * along_a;
    if (w.shift) accumulate3(y_dot, w.dof, fma3(w.force, whole, scale3(force, part)));
    accumulate3(y_dot, rot_dof, fma3(w.torque, whole, scale3(torque, part)));
}

static void damp_drive_wrench_vjp(const tacModel* model, const tacMotion* m, int i,
                                  const tacReal* y_bar, tacMotionDot* bar) {
    const tacActuator* a = &model->actuator[i];
    laneWrench w = wrench_of(model, m, a);
    laneForce f = wrench_force(model, m, i, &w);
    int rot_dof = w.dof + w.shift;
    wide h = w_set(model->param[model->timestep]), s = drive_damping(model, a, &f);
    lane3 spin = load3_or_zero(m->qacc, rot_dof),
          go = w.shift ? load3_or_zero(m->qacc, w.dof) : zero3();
    lane3 y_rot = load3_or_zero(y_bar, rot_dof),
          y_go = w.shift ? load3_or_zero(y_bar, w.dof) : zero3();
    wide along_a = dot3(w.torque, spin) + dot3(w.force, go);
    wide along_y = dot3(w.torque, y_rot) + dot3(w.force, y_go);
    wide scale_bar = along_a * along_y;
    lane3 torque = scale3(fma3(y_rot, along_a, scale3(spin, along_y)), h * s);
    lane3 force = scale3(fma3(y_go, along_a, scale3(go, along_y)), h * s);
    if (w.shift) accumulate3_if(bar->theta, a->gear, force);
    if (a->drive == TAC_DRIVE_INPARENT) {
        accumulate3_if(bar->dq, rot_dof, cross3(torque, w.torque));
        torque = rotate3(w.R, torque);
    }
    accumulate3_if(bar->theta, a->gear + w.shift, torque);
    add_to(bar->theta, model->timestep, scale_bar * s);
    drive_damping_vjp(model, i, &f, scale_bar * h, bar);
}

//---------------------------------- all ------------------------------------------

// y_dot (nv), overwritten; without the joints' own damping
static void damp_jvp(const tacModel* model, const tacMotion* m, const tacMotionDot* dot,
                     tacReal* y_dot) {
    wide h = w_set(model->param[model->timestep]), h_dot = theta_at(dot, model->timestep);
    clear_lanes(y_dot, model->nv);
    if (joints_clamp_damping(model)) sum_actuators(model, m);
    for (int i = 0; i < model->ntendon && has_dampers(model); ++i) {
        const tacTendon* t = &model->tendon[i];
        wide damping = w_set(model->param[t->damping]);
        damp_sum_jvp(model, m, sum_of_tendon(model, t), h * damping,
                     w_fma(h, theta_at(dot, t->damping), h_dot * damping), dot, y_dot);
    }
    for (int i = 0; i < model->nu; ++i) {
        if (!has_drive(model, i)) continue;
        int sum = is_sum(model, &model->actuator[i]);
        (sum ? damp_drive_sum_jvp : damp_drive_wrench_jvp)(model, m, i, dot, y_dot);
    }
}

static void damp_vjp(const tacModel* model, const tacMotion* m, const tacReal* y_bar,
                     tacMotionDot* bar) {
    wide h = w_set(model->param[model->timestep]);
    if (joints_clamp_damping(model)) sum_actuators(model, m);
    for (int i = 0; i < model->ntendon && has_dampers(model); ++i) {
        const tacTendon* t = &model->tendon[i];
        wide damping = w_set(model->param[t->damping]);
        wide d = damp_sum_vjp(model, m, sum_of_tendon(model, t), h * damping, y_bar, bar);
        add_to(bar->theta, t->damping, h * d);
        add_to(bar->theta, model->timestep, damping * d);
    }
    for (int i = 0; i < model->nu; ++i) {
        if (!has_drive(model, i)) continue;
        int sum = is_sum(model, &model->actuator[i]);
        (sum ? damp_drive_sum_vjp : damp_drive_wrench_vjp)(model, m, i, y_bar, bar);
    }
}

//---------------------------------- Jacobian -------------------------------------

// y depends on controls and activations through affine gains, on positions where axes rotate
static void subtract_column(const tacModel* model, const tacReal* y, int stride, int column,
                            tacReal* X) {
    for (int k = 0; k < model->nv && X; ++k) add_at(X, stride, k, column, -w_get(y, k));
}

// y for a change `slope` of the force's slope by velocity
static void damp_unit_slope(const tacModel* model, const tacMotion* m, int i, wide slope,
                            const laneForce* f, const laneWrench* w, tacReal* y) {
    const tacActuator* a = &model->actuator[i];
    const tacMotionDot still = {0};
    wide h = w_set(model->param[model->timestep]), gear = w_set(model->param[a->gear]);
    wide scale = -(h * f->unclamped * slope);
    if (is_sum(model, a)) {
        damp_sum_jvp(model, m, sum_of_actuator(model, a), w_set(0.0), scale * gear * gear, &still,
                     y);
        return;
    }
    int rot_dof = w->dof + w->shift;
    wide along_a = dot3(w->torque, load3_or_zero(m->qacc, rot_dof));
    if (w->shift) along_a = along_a + dot3(w->force, load3_or_zero(m->qacc, w->dof));
    if (w->shift) accumulate3(y, w->dof, scale3(w->force, scale * along_a));
    accumulate3(y, rot_dof, scale3(w->torque, scale * along_a));
}

static void damp_drive_jacobian(const tacModel* model, const tacMotion* m, int i,
                                tacAppliedJacobian J) {
    const tacActuator* a = &model->actuator[i];
    int sum = is_sum(model, a), inparent = !sum && a->drive == TAC_DRIVE_INPARENT;
    tacReal *y = m->work, *unit = w_at(m->work, model->nv);
    laneWrench w = sum ? (laneWrench){0} : wrench_of(model, m, a);
    laneForce f = sum ? sum_force(model, m, i) : wrench_force(model, m, i, &w);
    if (a->affine) {
        // the change of y for a unit of gain[2] times the input, by way of bias[2]
        wide by_input = w_set(model->param[a->gain + 2]), ctrl = by_input * f.input.by_ctrl;
        wide act = by_input * f.input.by_act;
        for (int by_act = 0; by_act < 2; ++by_act) {
            tacReal* X = by_act ? J.by_act : J.by_ctrl;
            if (!X || (by_act && a->act < 0)) continue;
            clear_lanes(y, model->nv);
            damp_unit_slope(model, m, i, by_act ? act : ctrl, &f, &w, y);
            subtract_column(model, y, by_act ? J.stride : model->nu, by_act ? a->act : i, X);
        }
    }
    for (int c = w.dof + w.shift; inparent && c < w.dof + w.count && J.by_q; ++c) {
        tacMotionDot dot = {.dq = unit};
        clear_lanes(y, model->nv);
        clear_lanes(unit, model->nv);
        w_put(unit, c, w_set(1.0));
        damp_drive_wrench_jvp(model, m, i, &dot, y);
        subtract_column(model, y, J.stride, c, J.by_q);
    }
}

static void damp_jacobian(const tacModel* model, const tacMotion* m, tacAppliedJacobian J) {
    if (joints_clamp_damping(model)) sum_actuators(model, m);
    for (int i = 0; i < model->nu; ++i)
        if (has_drive(model, i)) damp_drive_jacobian(model, m, i, J);
}

#endif
