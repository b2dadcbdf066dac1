// Limits and dry friction that a force responder handles, in the order of tac_rows: limits of
// joints and tendons, friction of joints and tendons.
//
// Their inertia is that of the degree of freedom in the initial configuration; of a tendon that
// of its joints along it.

#include "model/contact/contact_plan.h"

static double joint_force_inertia(tacSpec* spec, tacLimitFriction limit_friction) {
    const double gear[6] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    const tacDof* dof = spec->tree.dof.items;
    tacActuator along = {.drive = limit_friction.tendon >= 0 ? TAC_DRIVE_TENDON : TAC_DRIVE_JOINT};
    along.target =
        limit_friction.tendon >= 0 ? limit_friction.tendon : dof[limit_friction.dof].joint;
    double inertia = tac_reflected_inertia(spec, &along, gear);
    return inertia > 0.0 ? inertia : 1.0;
}

static void add_joint_force(tacSpec* spec, tacLimitFriction limit_friction) {
    limit_friction.inertia = joint_force_inertia(spec, limit_friction);
    tacLimitFriction* out = tac_list_add(&spec->reader, &spec->contact.limit_friction, sizeof *out);
    if (out) *out = limit_friction;
}

static void add_limits(tacSpec* spec) {
    const tacJoint* joint = spec->tree.joint.items;
    for (int i = 0; i < spec->tree.joint.count; ++i) {
        if (!joint[i].limited || joint[i].axis < 0) continue;
        spec->unhandled.limits -= 1;
        for (int upper = 0; upper < 2; ++upper)
            add_joint_force(spec, (tacLimitFriction){0, joint[i].dof, -1, upper, 0.0});
    }
    const tacTendon* tendon = spec->actuation.tendon.items;
    for (int i = 0; i < spec->actuation.tendon.count; ++i)
        for (int upper = 0; upper < 2 && tendon[i].limited; ++upper)
            add_joint_force(spec, (tacLimitFriction){0, -1, i, upper, 0.0});
}

static void add_frictions(tacSpec* spec) {
    const tacDof* dof = spec->tree.dof.items;
    const tacJoint* joint = spec->tree.joint.items;
    for (int k = 0; k < spec->tree.dof.count; ++k)
        if (*tac_spec_values(spec, joint[dof[k].joint].frictionloss) > 0.0)
            add_joint_force(spec, (tacLimitFriction){1, k, -1, 0, 0.0});
    const tacTendon* tendon = spec->actuation.tendon.items;
    for (int i = 0; i < spec->actuation.tendon.count; ++i)
        if (*tac_spec_values(spec, tendon[i].frictionloss) > 0.0)
            add_joint_force(spec, (tacLimitFriction){1, -1, i, 0, 0.0});
}

void tac_plan_joint_forces(tacSpec* spec) {
    if (spec->disable & TAC_DISABLE_CONSTRAINT) return;
    if (!(spec->disable & TAC_DISABLE_LIMIT)) add_limits(spec);
    if (!(spec->disable & TAC_DISABLE_FRICTIONLOSS)) add_frictions(spec);
    spec->unhandled.frictionlosses = spec->unhandled.tendon_rows = 0; // they act
}
