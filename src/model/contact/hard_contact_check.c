// Refuses what hard contact does not support while a scene is read.

#include "model/contact/contact_plan.h"

#include "base/assert.h"

static void reject_hard_contact(tacSpec* spec, const char* what, const char* advice) {
    const tacElement* element = tac_find_tactus(spec, "respond");
    const char* attribute = element ? "respond" : "detect";
    if (!element) element = tac_find_tactus(spec, "detect");
    tac_reader_fail(&spec->reader, TAC_ERROR_UNSUPPORTED, tac_attribute_line(element, attribute),
                    attribute, "hard contact (lcp) does not support %s; %s", what, advice);
}

static int has_friction_or_limit(const tacSpec* spec, const tacTendon* t) {
    return t->limited || ((const double*)spec->param.items)[t->frictionloss] > 0.0;
}

// numbers of springs have no effect: bodies are rigid
static void warn_unused_numbers(tacSpec* spec) {
    static const char* const unused[] = {"stiffness", "dissipation", "stiction", "eps3"};
    for (int i = 0; i < TAC_COUNT(unused) && !tac_reader_has_warning(&spec->reader); ++i)
        if (tac_find_tactus(spec, unused[i]))
            tac_reader_warn(&spec->reader,
                            "%s has no effect on hard contact (respond=\"lcp\"): bodies are rigid",
                            unused[i]);
}

void tac_check_hard_contact(tacSpec* spec) {
    const tacJoint* joint = spec->tree.joint.items;
    const tacTendon* tendon = spec->actuation.tendon.items;
    if (spec->integrator == TAC_INTEGRATOR_RK4 || spec->integrator == TAC_INTEGRATOR_LIE)
        reject_hard_contact(spec, "Runge-Kutta integrators", "use <option integrator=\"Euler\"/>");
    const tacEquality* equality = spec->equality.items;
    int on = !(spec->disable & (TAC_DISABLE_EQUALITY | TAC_DISABLE_CONSTRAINT));
    for (int i = 0; i < spec->equality.count && on && spec->reader.result == TAC_OK; ++i)
        if (equality[i].kind == TAC_EQUALITY_TENDON)
            reject_hard_contact(spec, "equalities of tendons", "use <connect>, <weld> or <joint>");
    for (int i = 0; i < spec->tree.joint.count && spec->reader.result == TAC_OK; ++i)
        if (joint[i].limited && joint[i].kind == TAC_JOINT_BALL)
            reject_hard_contact(spec, "limits of ball joints",
                                "use three hinges, or limited=\"false\"");
    for (int i = 0; i < spec->actuation.tendon.count && spec->reader.result == TAC_OK; ++i)
        if (has_friction_or_limit(spec, &tendon[i]))
            reject_hard_contact(spec, "limits or dry friction of tendons", "put them on joints");
    if (spec->reader.result == TAC_OK) warn_unused_numbers(spec);
}
