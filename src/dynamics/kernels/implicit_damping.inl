// The matrix of an integrator that is implicit in the velocities: M - h d(forces)/dv of dampers and
// actuators, as in MuJoCo's implicitfast. It is symmetric; what couples branches of the tree
// has no place in the rows of M and is left out.
//
// A tendon, or an actuator along a sum of joints, adds h s c c' with its coefficients c; one on a
// ball or free body h s m m' with its moment m. -s is the slope of the force by its velocity.
// Since MuJoCo 4.0 an actuator of a joint that is at its actuatorfrcrange adds nothing.

#ifndef TAC_DYNAMICS_KERNELS_IMPLICIT_DAMPING_INL
#define TAC_DYNAMICS_KERNELS_IMPLICIT_DAMPING_INL

#include "dynamics/kernels/applied.inl"

// index of the entry of two degrees of freedom in M, or -1 if they are on different branches
TAC_INLINE int mass_entry(const tacModel* model, int k, int j) {
    if (model->dof[k].depth < model->dof[j].depth) {
        int deeper = j;
        j = k;
        k = deeper;
    }
    int at = k, steps = model->dof[k].depth - model->dof[j].depth;
    for (int i = 0; i < steps; ++i) at = model->dof[at].parent;
    return at == j ? model->dof[k].row + steps : -1;
}

// 1 between the ends of a range, 0 on them and beyond
TAC_INLINE wide inside_range(wide x, const double range[2]) {
    const wide one = w_set(1.0), none = w_set(0.0);
    return w_select_ge0(range[0] - x, none, w_select_ge0(x - range[1], none, one));
}

// does a joint at its actuatorfrcrange take the damping of its actuators away?
TAC_INLINE int joints_clamp_damping(const tacModel* model) {
    return model->frclimited && model->compat != TAC_COMPAT_3_14;
}

// 1 where the damping of actuator i counts: its force is not clamped, nor that of its joint
TAC_INLINE wide damping_unclamped(const tacModel* model, const tacMotion* m, int i,
                                  const laneForce* f) {
    const tacActuator* a = &model->actuator[i];
    wide unclamped = a->forcelimited ? inside_range(f->value, a->forcerange) : w_set(1.0);
    if (!joints_clamp_damping(model) || a->drive == TAC_DRIVE_TENDON) return unclamped;
    const tacJoint* j = &model->joint[a->target];
    if (!j->frclimited) return unclamped;
    return unclamped * inside_range(w_get(m->qfrc_actuator, j->dof), j->frcrange);
}

// forces of an actuator that is not clamped slow down by this much
TAC_INLINE wide drive_damping(const tacModel* model, const tacActuator* a, const laneForce* f) {
    wide by_velocity = w_set(model->param[a->bias + 2]);
    if (a->affine)
        by_velocity = w_fma(w_set(model->param[a->gain + 2]), f->input.value, by_velocity);
    return -(f->unclamped * by_velocity);
}

TAC_INLINE laneForce sum_force(const tacModel* model, const tacMotion* m, int i) {
    const tacActuator* a = &model->actuator[i];
    jointSum s = sum_of_actuator(model, a);
    wide gear = w_set(model->param[a->gear]);
    laneForce f = force_at(model, m, i, gear * sum_length(model, s, m->qpos),
                           gear * sum_along(model, s, m->qvel));
    f.unclamped = damping_unclamped(model, m, i, &f);
    return f;
}

TAC_INLINE laneForce wrench_force(const tacModel* model, const tacMotion* m, int i,
                                  const laneWrench* w) {
    laneForce f = force_at(model, m, i, w->length, w->velocity);
    f.unclamped = damping_unclamped(model, m, i, &f);
    return f;
}

static void damp_sum(const tacModel* model, const tacMotion* m, jointSum s, wide scale) {
    for (int i = 0; i < s.count; ++i)
        for (int j = 0; j <= i; ++j) {
            int at = mass_entry(model, sum_dof(model, s, i), sum_dof(model, s, j));
            if (at >= 0) w_add(m->M, at, scale * coef_of(model, s, i) * coef_of(model, s, j));
        }
}

static void damp_wrench(const tacModel* model, const tacMotion* m, const laneWrench* w,
                        wide scale) {
    const wide arm[6] = {w->force.x, w->force.y, w->force.z, w->torque.x, w->torque.y, w->torque.z};
    for (int i = 0; i < w->count; ++i)
        for (int j = 0; j <= i; ++j)
            w_add(m->M, mass_entry(model, w->dof + i, w->dof + j),
                  scale * arm[6 - w->count + i] * arm[6 - w->count + j]);
}

TAC_INLINE int has_dampers(const tacModel* model) {
    return !(model->disable & TAC_DISABLE_PASSIVE);
}
TAC_INLINE int has_drive(const tacModel* model, int i) {
    return !(model->disable & TAC_DISABLE_ACTUATION) && !model->actuator[i].disabled;
}

// M += h s c c' of tendons and actuators; joints' own damping is added with the armature
static void damp(const tacModel* model, tacMotion* m) {
    wide h = w_set(model->param[model->timestep]);
    if (joints_clamp_damping(model)) sum_actuators(model, m);
    for (int i = 0; i < model->ntendon && has_dampers(model); ++i) {
        const tacTendon* t = &model->tendon[i];
        damp_sum(model, m, sum_of_tendon(model, t), h * w_set(model->param[t->damping]));
    }
    for (int i = 0; i < model->nu; ++i) {
        const tacActuator* a = &model->actuator[i];
        if (!has_drive(model, i)) continue;
        if (is_sum(model, a)) {
            laneForce f = sum_force(model, m, i);
            wide gear = w_set(model->param[a->gear]);
            damp_sum(model, m, sum_of_actuator(model, a),
                     h * drive_damping(model, a, &f) * gear * gear);
        } else {
            laneWrench w = wrench_of(model, m, a);
            laneForce f = wrench_force(model, m, i, &w);
            damp_wrench(model, m, &w, h * drive_damping(model, a, &f));
        }
    }
}

#endif
