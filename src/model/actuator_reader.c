// <actuator>: what drives joints and tendons, and the shortcuts of MJCF for it.

#include "model/draft.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e12};

// MuJoCo's shortest time constant
static const tacRange time_constant = {1e-15, 1e9};

static int is_named(const tacElement* element, const char* name) {
    return strcmp(element->name, name) == 0;
}

static void fail_at(tacDraft* draft, const tacElement* element, const char* name, tacResult result,
                    const char* text) {
    tac_reader_fail(&draft->reader, result, tac_attribute_line(element, name), name, "%s", text);
}

// index of a word in the part of a list that is built; the others are refused by name
static int read_built(tacDraft* draft, const tacElement* element, const char* name,
                      const char* words, int built) {
    int word = tac_read_word(&draft->reader, element, name, words);
    if (word < built) return word < 0 ? 0 : word;
    const char* end = words;
    for (int i = 0; i < built; ++i) end += strcspn(end, " ") + (i + 1 < built);
    const tacAttribute* attribute = tac_attribute(element, name);
    tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED, attribute->line, name,
                    "%s=\"%.20s\" is not built yet; there is: %.*s", name, attribute->value,
                    (int)(end - words), words);
    return 0;
}

//---------------------------------- law ------------------------------------------

// force = (gain[0] + gain[1] length + gain[2] velocity) input + bias[0] + ...
typedef struct actuatorLaw {
    tacActivation kind;
    double timeconst, gain[3], bias[3];
    double dampratio; // in place of bias[2], else 0
} actuatorLaw;

static void read_general(tacDraft* draft, const tacElement* element, actuatorLaw* law) {
    tacReader* reader = &draft->reader;
    double gainprm[10] = {1.0}, biasprm[10] = {0.0}, dynprm[10] = {1.0};
    law->kind = (tacActivation)read_built(draft, element, "dyntype",
                                          "none integrator filter filterexact muscle user", 4);
    int gain = read_built(draft, element, "gaintype", "fixed affine muscle user", 2);
    int bias = read_built(draft, element, "biastype", "none affine muscle user", 2);
    tac_read_numbers(reader, element, "gainprm", 1, 10, any_number, gainprm);
    tac_read_numbers(reader, element, "biasprm", 1, 10, any_number, biasprm);
    tac_read_numbers(reader, element, "dynprm", 1, 10, any_number, dynprm);
    law->timeconst = fmax(dynprm[0], time_constant.lower);
    law->gain[0] = gainprm[0];
    for (int i = 1; i < 3 && gain; ++i) law->gain[i] = gainprm[i];
    for (int i = 0; i < 3 && bias; ++i) law->bias[i] = biasprm[i];
}

// position and intvelocity: a spring to the input, and a damper
static void read_servo(tacDraft* draft, const tacElement* element, actuatorLaw* law) {
    tacReader* reader = &draft->reader;
    double kp = 1.0, kv = 0.0, timeconst = 0.0;
    tac_read_number(reader, element, "kp", not_negative, &kp);
    tac_read_number(reader, element, "kv", not_negative, &kv);
    tac_read_number(reader, element, "dampratio", not_negative, &law->dampratio);
    tac_read_number(reader, element, "timeconst", not_negative, &timeconst);
    if (kv > 0.0 && law->dampratio > 0.0)
        fail_at(draft, element, "dampratio", TAC_ERROR_VALUE,
                "'kv' and 'dampratio' say the same; give one of them");
    law->gain[0] = kp;
    law->bias[1] = -kp;
    law->bias[2] = -kv;
    if (is_named(element, "intvelocity")) law->kind = TAC_ACTIVATION_INTEGRATOR;
    if (timeconst > 0.0) {
        law->kind = TAC_ACTIVATION_FILTEREXACT;
        law->timeconst = timeconst;
    }
}

static void read_cylinder(tacDraft* draft, const tacElement* element, actuatorLaw* law) {
    tacReader* reader = &draft->reader;
    double diameter = 0.0;
    law->kind = TAC_ACTIVATION_FILTER;
    tac_read_number(reader, element, "timeconst", not_negative, &law->timeconst);
    tac_read_number(reader, element, "area", not_negative, &law->gain[0]);
    if (tac_read_number(reader, element, "diameter", not_negative, &diameter))
        law->gain[0] = 0.25 * 3.14159265358979323846 * diameter * diameter;
    tac_read_numbers(reader, element, "bias", 3, 3, any_number, law->bias);
    law->timeconst = fmax(law->timeconst, time_constant.lower);
}

static actuatorLaw read_law(tacDraft* draft, const tacElement* element) {
    actuatorLaw law = {.timeconst = 1.0, .gain = {1.0}};
    double kv = 1.0;
    tac_read_number(&draft->reader, element, "kv", not_negative, &kv);
    if (is_named(element, "general")) read_general(draft, element, &law);
    if (is_named(element, "position") || is_named(element, "intvelocity"))
        read_servo(draft, element, &law);
    if (is_named(element, "velocity")) {
        law.gain[0] = kv;
        law.bias[2] = -kv;
    }
    if (is_named(element, "damper")) {
        law.gain[0] = 0.0;
        law.gain[2] = -kv;
    }
    if (is_named(element, "cylinder")) read_cylinder(draft, element, &law);
    return law;
}

//---------------------------------- target ---------------------------------------

static const struct {
    const char *attribute, *kind;
    tacDrive drive;
} targets[] = {{"joint", "joint", TAC_DRIVE_JOINT},
               {"jointinparent", "joint", TAC_DRIVE_INPARENT},
               {"tendon", "tendon", TAC_DRIVE_TENDON}};

static void find_target(tacDraft* draft, const tacElement* element, tacActuator* actuator) {
    tacReader* reader = &draft->reader;
    int found = 0;
    for (int i = 0; i < TAC_COUNT(targets); ++i) {
        const tacAttribute* attribute = tac_attribute(element, targets[i].attribute);
        if (!attribute) continue;
        if (found++)
            fail_at(draft, element, attribute->name, TAC_ERROR_VALUE,
                    "an actuator has one target: joint, jointinparent or tendon");
        const tacNameEntry* entry =
            tac_names_find(&draft->names, targets[i].kind, attribute->value);
        if (!entry)
            tac_reader_fail(reader, TAC_ERROR_VALUE, attribute->line, attribute->name,
                            "there is no %s with the name '%.60s'", targets[i].kind,
                            attribute->value);
        actuator->drive = targets[i].drive;
        actuator->target = entry ? entry->index : 0;
    }
    if (!found)
        tac_reader_fail(reader, TAC_ERROR_VALUE, element->line, "joint",
                        "<%s> needs a target: the attribute 'joint', 'jointinparent' or 'tendon'",
                        element->name);
}

// the range of what is driven, or NULL without one
static const double* target_range(tacDraft* draft, const tacActuator* actuator) {
    if (actuator->drive == TAC_DRIVE_TENDON) {
        const tacTendon* t = (const tacTendon*)draft->tendon.items + actuator->target;
        return t->limited ? tac_draft_values(draft, t->range) : NULL;
    }
    const tacJoint* j = (const tacJoint*)draft->joint.items + actuator->target;
    return j->limited && j->axis >= 0 ? tac_draft_values(draft, j->range) : NULL;
}

//---------------------------------- ranges ---------------------------------------

static int read_range(tacDraft* draft, const tacElement* element, const char* range,
                      const char* limited, double out[2]) {
    tacReader* reader = &draft->reader;
    int given = tac_read_numbers(reader, element, range, 2, 2, any_number, out);
    int word = tac_read_word(reader, element, limited, "false true auto");
    int holds = word == 1 || (word != 0 && given && draft->compiler.autolimits);
    if (holds && out[0] >= out[1])
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, range), range,
                        "the lower limit must be below the upper one");
    return holds;
}

// the target's range times a factor about its middle: of ctrl, or of act where ctrl is a velocity
static void inherit_range(tacDraft* draft, const tacElement* element, tacActuator* actuator) {
    double factor = 0.0;
    tac_read_number(&draft->reader, element, "inheritrange", not_negative, &factor);
    if (factor == 0.0 || draft->reader.result != TAC_OK) return;
    int is_rate = is_named(element, "intvelocity");
    const char* given = is_rate ? "actrange" : "ctrlrange";
    const double* range = target_range(draft, actuator);
    if (tac_attribute(element, given))
        fail_at(draft, element, "inheritrange", TAC_ERROR_VALUE,
                "the range is given already; leave one of the two out");
    else if (!range)
        fail_at(draft, element, "inheritrange", TAC_ERROR_VALUE,
                "the target has no range to inherit; give it one");
    else {
        double* out = is_rate ? actuator->actrange : actuator->ctrlrange;
        double middle = 0.5 * (range[0] + range[1]), half = 0.5 * factor * (range[1] - range[0]);
        out[0] = middle - half;
        out[1] = middle + half;
        *(is_rate ? &actuator->actlimited : &actuator->ctrllimited) = 1;
    }
}

static void read_ranges(tacDraft* draft, const tacElement* element, tacActuator* a) {
    a->ctrllimited = read_range(draft, element, "ctrlrange", "ctrllimited", a->ctrlrange);
    a->forcelimited = read_range(draft, element, "forcerange", "forcelimited", a->forcerange);
    a->actlimited = read_range(draft, element, "actrange", "actlimited", a->actrange);
    inherit_range(draft, element, a);
    if (is_named(element, "damper") && (!a->ctrllimited || a->ctrlrange[0] < 0.0))
        fail_at(draft, element, "ctrlrange", TAC_ERROR_VALUE,
                "a damper's control is a damping: give a ctrlrange from 0 upwards");
    if (is_named(element, "intvelocity") && !a->actlimited)
        fail_at(draft, element, "actrange", TAC_ERROR_VALUE,
                "the activation grows without end; give an actrange, or inheritrange");
    if (a->actlimited && a->kind == TAC_ACTIVATION_NONE)
        fail_at(draft, element, tac_attribute(element, "actrange") ? "actrange" : "actlimited",
                TAC_ERROR_VALUE, "this actuator has no activation to limit");
}

//---------------------------------- actuators ------------------------------------

static void read_state(tacDraft* draft, const tacElement* element, tacActuator* a) {
    int actdim = -1;
    tac_read_bool(&draft->reader, element, "actearly", &a->actearly);
    tac_read_int(&draft->reader, element, "actdim", -1, 100, &actdim);
    a->act = a->kind == TAC_ACTIVATION_NONE ? -1 : draft->na++;
    if (actdim > 1 || (actdim == 0 && a->act >= 0) || (actdim == 1 && a->act < 0))
        fail_at(draft, element, "actdim", TAC_ERROR_UNSUPPORTED,
                "an actuator has one activation, or none with dyntype=\"none\"");
    tac_read_int(&draft->reader, element, "group", 0, 30, &a->group);
    a->disabled = draft->disabled_groups >> a->group & 1;
}

static void read_actuator(tacDraft* draft, const tacElement* element) {
    tacReader* reader = &draft->reader;
    int index = draft->actuator.count;
    tacActuator actuator = {.timeconst = -1};
    double gear[6] = {1.0};
    actuator.name = tac_draft_name(draft, element, "actuator", index);
    const char* key = *actuator.name ? actuator.name : tac_reader_text(reader, "%d", index);
    tacPath path = {tac_reader_text(reader, "actuator:%s", key), NULL};
    find_target(draft, element, &actuator);
    tac_read_numbers(reader, element, "gear", 1, 6, any_number, gear);
    actuatorLaw law = read_law(draft, element);
    actuator.kind = law.kind;
    actuator.affine = law.gain[1] != 0.0 || law.gain[2] != 0.0;
    if (reader->result != TAC_OK) return;
    read_state(draft, element, &actuator);
    read_ranges(draft, element, &actuator);
    if (law.dampratio > 0.0)
        law.bias[2] = -2.0 * law.dampratio *
                      sqrt(law.gain[0] * tac_reflected_inertia(draft, &actuator, gear));
    actuator.gear = tac_draft_param(draft, path, "gear", any_number, gear, 6);
    actuator.gain = tac_draft_param(draft, path, "gain", any_number, law.gain, 3);
    actuator.bias = tac_draft_param(draft, path, "bias", any_number, law.bias, 3);
    if (law.kind >= TAC_ACTIVATION_FILTER)
        actuator.timeconst =
            tac_draft_param(draft, path, "timeconst", time_constant, &law.timeconst, 1);
    tacActuator* out = tac_list_add(reader, &draft->actuator, sizeof *out);
    if (out) *out = actuator;
}

void tac_read_actuators(tacDraft* draft, const tacElement* element) {
    for (const tacElement* c = element->child; c && draft->reader.result == TAC_OK; c = c->next)
        read_actuator(draft, c);
}
