// Limits and dry friction that a force responder holds, in the order of tac_rows: limits of joints
// and tendons, friction of joints and tendons.
//
// What they move is the inertia of the degree of freedom where the scene is drawn; of a tendon that
// of its joints along it.

#include "model/contact_plan.h"

static double inertia_of(tacDraft* draft, tacHold hold) {
    const double gear[6] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    const tacDof* dof = draft->dof.items;
    tacActuator along = {.drive = hold.tendon >= 0 ? TAC_DRIVE_TENDON : TAC_DRIVE_JOINT};
    along.target = hold.tendon >= 0 ? hold.tendon : dof[hold.dof].joint;
    double inertia = tac_reflected_inertia(draft, &along, gear);
    return inertia > 0.0 ? inertia : 1.0;
}

static void add(tacDraft* draft, tacHold hold) {
    hold.inertia = inertia_of(draft, hold);
    tacHold* out = tac_list_add(&draft->reader, &draft->hold, sizeof *out);
    if (out) *out = hold;
}

static void add_limits(tacDraft* draft) {
    const tacJoint* joint = draft->joint.items;
    for (int i = 0; i < draft->joint.count; ++i) {
        if (!joint[i].limited || joint[i].axis < 0) continue;
        draft->limits -= 1;
        for (int upper = 0; upper < 2; ++upper)
            add(draft, (tacHold){0, joint[i].dof, -1, upper, 0.0});
    }
    const tacTendon* tendon = draft->tendon.items;
    for (int i = 0; i < draft->tendon.count; ++i)
        for (int upper = 0; upper < 2 && tendon[i].limited; ++upper)
            add(draft, (tacHold){0, -1, i, upper, 0.0});
}

static void add_frictions(tacDraft* draft) {
    const tacDof* dof = draft->dof.items;
    const tacJoint* joint = draft->joint.items;
    for (int k = 0; k < draft->dof.count; ++k)
        if (*tac_draft_values(draft, joint[dof[k].joint].frictionloss) > 0.0)
            add(draft, (tacHold){1, k, -1, 0, 0.0});
    const tacTendon* tendon = draft->tendon.items;
    for (int i = 0; i < draft->tendon.count; ++i)
        if (*tac_draft_values(draft, tendon[i].frictionloss) > 0.0)
            add(draft, (tacHold){1, -1, i, 0, 0.0});
}

void tac_plan_holds(tacDraft* draft) {
    if (draft->disable & TAC_DISABLE_CONSTRAINT) return;
    if (!(draft->disable & TAC_DISABLE_LIMIT)) add_limits(draft);
    if (!(draft->disable & TAC_DISABLE_FRICTIONLOSS)) add_frictions(draft);
    draft->frictionlosses = draft->tendon_rows = 0; // they act
}
