// What hard contact cannot take, said while a scene is read.

#include "model/contact_plan.h"

#include <stdio.h>

static void refuse(tacDraft* draft, const char* what, const char* advice) {
    const tacElement* element = tac_find_tactus(draft, "respond");
    const char* attribute = element ? "respond" : "detect";
    if (!element) element = tac_find_tactus(draft, "detect");
    tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED, tac_attribute_line(element, attribute),
                    attribute, "hard contact (lcp) has no %s; %s", what, advice);
}

static int has_friction_or_limit(const tacDraft* draft, const tacTendon* t) {
    return t->limited || ((const double*)draft->param.items)[t->frictionloss] > 0.0;
}

// Numbers of springs are read, and idle: bodies do not yield.
static void tell_idle(tacDraft* draft) {
    static const char* const idle[] = {"stiffness", "dissipation", "stiction", "eps3"};
    tacMessage* out = draft->reader.message;
    for (int i = 0; i < 4 && out && !*out->text; ++i)
        if (tac_find_tactus(draft, idle[i]))
            snprintf(out->text, sizeof out->text,
                     "%s has no effect on hard contact (respond=\"lcp\"): bodies do not yield",
                     idle[i]);
}

void tac_check_hard(tacDraft* draft) {
    const tacJoint* joint = draft->joint.items;
    const tacTendon* tendon = draft->tendon.items;
    if (draft->integrator == TAC_INTEGRATOR_RK4 || draft->integrator == TAC_INTEGRATOR_LIE)
        refuse(draft, "Runge-Kutta steps", "take <option integrator=\"Euler\"/>");
    const tacEquality* equality = draft->equality.items;
    int on = !(draft->disable & (TAC_DISABLE_EQUALITY | TAC_DISABLE_CONSTRAINT));
    for (int i = 0; i < draft->equality.count && on && draft->reader.result == TAC_OK; ++i)
        if (equality[i].kind == TAC_EQUALITY_TENDON)
            refuse(draft, "equalities of tendons", "take <connect>, <weld> or <joint>");
    for (int i = 0; i < draft->joint.count && draft->reader.result == TAC_OK; ++i)
        if (joint[i].limited && joint[i].kind == TAC_JOINT_BALL)
            refuse(draft, "limits of ball joints", "take three hinges, or limited=\"false\"");
    for (int i = 0; i < draft->tendon.count && draft->reader.result == TAC_OK; ++i)
        if (has_friction_or_limit(draft, &tendon[i]))
            refuse(draft, "limits or dry friction of tendons", "put them on joints");
    if (draft->reader.result == TAC_OK) tell_idle(draft);
}
