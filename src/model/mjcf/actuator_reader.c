// <actuator>: general actuators of joints and tendons, and MJCF's shortcuts for them.

#include "model/spec.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e12};

// of gain and bias: those of kp, kv and areas
static const tacRange law_number = {-1e12, 1e12};

// MuJoCo's shortest time constant
static const tacRange time_constant = {1e-15, 1e9};

static void fail_at(tacSpec* spec, const tacElement* element, const char* name, tacResult result,
                    const char* text) {
    tac_reader_fail(&spec->reader, result, tac_attribute_line(element, name), name, "%s", text);
}

// index of a word among the supported ones of a list; the others are refused by name
static int read_supported(tacSpec* spec, const tacElement* element, const char* name,
                          const char* words, int supported) {
    int word = tac_read_word(&spec->reader, element, name, words);
    if (word < supported) return word < 0 ? 0 : word;
    const char* end = words;
    for (int i = 0; i < supported; ++i) end += strcspn(end, " ") + (i + 1 < supported);
    const tacAttribute* attribute = tac_attribute(element, name);
    tac_reader_fail(&spec->reader, TAC_ERROR_UNSUPPORTED, attribute->line, name,
                    "%s=\"%.20s\" is not supported yet; allowed: %.*s", name, attribute->value,
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

static void read_general(tacSpec* spec, const tacElement* element, actuatorLaw* law) {
    tacReader* reader = &spec->reader;
    double gainprm[10] = {1.0}, biasprm[10] = {0.0}, dynprm[10] = {1.0};
    law->kind = (tacActivation)read_supported(spec, element, "dyntype",
                                              "none integrator filter filterexact muscle user", 4);
    int gain = read_supported(spec, element, "gaintype", "fixed affine muscle user", 2);
    int bias = read_supported(spec, element, "biastype", "none affine muscle user", 2);
    tac_read_numbers(reader, element, "gainprm", (tacCountRange){1, 10}, any_number, gainprm);
    tac_read_numbers(reader, element, "biasprm", (tacCountRange){1, 10}, any_number, biasprm);
    tac_read_numbers(reader, element, "dynprm", (tacCountRange){1, 10}, any_number, dynprm);
    law->timeconst = fmax(dynprm[0], time_constant.lower);
    law->gain[0] = gainprm[0];
    for (int i = 1; i < 3 && gain; ++i) law->gain[i] = gainprm[i];
    for (int i = 0; i < 3 && bias; ++i) law->bias[i] = biasprm[i];
    // a servo whose velocity would push: MuJoCo takes the number for a damping ratio
    if (law->gain[0] == -law->bias[1] && law->bias[2] > 0.0) {
        law->dampratio = law->bias[2];
        law->bias[2] = 0.0;
    }
}

// position and intvelocity: a spring to the input, and a damper
static void read_servo(tacSpec* spec, const tacElement* element, actuatorLaw* law) {
    tacReader* reader = &spec->reader;
    double kp = 1.0, kv = 0.0, timeconst = 0.0;
    tac_read_number(reader, element, "kp", not_negative, &kp);
    tac_read_number(reader, element, "kv", not_negative, &kv);
    tac_read_number(reader, element, "dampratio", not_negative, &law->dampratio);
    tac_read_number(reader, element, "timeconst", not_negative, &timeconst);
    if (kv > 0.0 && law->dampratio > 0.0)
        fail_at(spec, element, "dampratio", TAC_ERROR_VALUE,
                "'kv' and 'dampratio' both set the damping; give one of them");
    law->gain[0] = kp;
    law->bias[1] = -kp;
    law->bias[2] = -kv;
    if (tac_element_is(element, "intvelocity")) law->kind = TAC_ACTIVATION_INTEGRATOR;
    if (timeconst > 0.0) {
        law->kind = TAC_ACTIVATION_FILTEREXACT;
        law->timeconst = timeconst;
    }
}

static void read_cylinder(tacSpec* spec, const tacElement* element, actuatorLaw* law) {
    tacReader* reader = &spec->reader;
    double diameter = 0.0;
    law->kind = TAC_ACTIVATION_FILTER;
    tac_read_number(reader, element, "timeconst", not_negative, &law->timeconst);
    tac_read_number(reader, element, "area", not_negative, &law->gain[0]);
    if (tac_read_number(reader, element, "diameter", not_negative, &diameter))
        law->gain[0] = 0.25 * 3.14159265358979323846 * diameter * diameter;
    tac_read_vector(reader, element, "bias", 3, any_number, law->bias);
    law->timeconst = fmax(law->timeconst, time_constant.lower);
}

static actuatorLaw read_law(tacSpec* spec, const tacElement* element) {
    actuatorLaw law = {.timeconst = 1.0, .gain = {1.0}};
    double kv = 1.0;
    tac_read_number(&spec->reader, element, "kv", not_negative, &kv);
    if (tac_element_is(element, "general")) read_general(spec, element, &law);
    if (tac_element_is(element, "position") || tac_element_is(element, "intvelocity"))
        read_servo(spec, element, &law);
    if (tac_element_is(element, "velocity")) {
        law.gain[0] = kv;
        law.bias[2] = -kv;
    }
    if (tac_element_is(element, "damper")) {
        law.gain[0] = 0.0;
        law.gain[2] = -kv;
    }
    if (tac_element_is(element, "cylinder")) read_cylinder(spec, element, &law);
    return law;
}

//---------------------------------- target ---------------------------------------

static const struct {
    const char *attribute, *kind;
    tacDrive drive;
} targets[] = {{"joint", "joint", TAC_DRIVE_JOINT},
               {"jointinparent", "joint", TAC_DRIVE_INPARENT},
               {"tendon", "tendon", TAC_DRIVE_TENDON}};

static void find_target(tacSpec* spec, const tacElement* element, tacActuator* actuator) {
    tacReader* reader = &spec->reader;
    int found = 0;
    for (int i = 0; i < TAC_COUNT(targets); ++i) {
        const tacAttribute* attribute = tac_attribute(element, targets[i].attribute);
        if (!attribute) continue;
        if (found++)
            fail_at(spec, element, attribute->name, TAC_ERROR_VALUE,
                    "an actuator has one target: joint, jointinparent or tendon");
        const tacNameEntry* entry = tac_names_find(&spec->names, targets[i].kind, attribute->value);
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

// the range of the actuated joint or tendon, or NULL without one
static const double* target_range(tacSpec* spec, const tacActuator* actuator) {
    if (actuator->drive == TAC_DRIVE_TENDON) {
        const tacTendon* t = (const tacTendon*)spec->actuation.tendon.items + actuator->target;
        return t->limited ? tac_spec_values(spec, t->range) : NULL;
    }
    const tacJoint* j = (const tacJoint*)spec->tree.joint.items + actuator->target;
    return j->limited && j->axis >= 0 ? tac_spec_values(spec, j->range) : NULL;
}

//---------------------------------- ranges ---------------------------------------

static int read_range(tacSpec* spec, const tacElement* element, const char* range,
                      const char* limited, double out[2]) {
    tacReader* reader = &spec->reader;
    int given = tac_read_vector(reader, element, range, 2, any_number, out);
    int word = tac_read_word(reader, element, limited, "false true auto");
    int holds = word == 1 || (word != 0 && given && spec->compiler.autolimits);
    if (holds && out[0] >= out[1])
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, range), range,
                        "the lower limit must be below the upper one");
    return holds;
}

// the target's range scaled about its center: of ctrl, or of act where ctrl is a velocity
static void inherit_range(tacSpec* spec, const tacElement* element, tacActuator* actuator) {
    double factor = 0.0;
    tac_read_number(&spec->reader, element, "inheritrange", not_negative, &factor);
    if (factor == 0.0 || spec->reader.result != TAC_OK) return;
    int is_rate = tac_element_is(element, "intvelocity");
    const char* given = is_rate ? "actrange" : "ctrlrange";
    const double* range = target_range(spec, actuator);
    if (tac_attribute(element, given))
        fail_at(spec, element, "inheritrange", TAC_ERROR_VALUE,
                "the range is given already; remove one of the two");
    else if (!range)
        fail_at(spec, element, "inheritrange", TAC_ERROR_VALUE,
                "the target has no range to inherit; give it one");
    else {
        double* out = is_rate ? actuator->actrange : actuator->ctrlrange;
        double middle = 0.5 * (range[0] + range[1]), half = 0.5 * factor * (range[1] - range[0]);
        out[0] = middle - half;
        out[1] = middle + half;
        *(is_rate ? &actuator->actlimited : &actuator->ctrllimited) = 1;
    }
}

static void read_ranges(tacSpec* spec, const tacElement* element, tacActuator* a) {
    a->ctrllimited = read_range(spec, element, "ctrlrange", "ctrllimited", a->ctrlrange);
    a->forcelimited = read_range(spec, element, "forcerange", "forcelimited", a->forcerange);
    a->actlimited = read_range(spec, element, "actrange", "actlimited", a->actrange);
    inherit_range(spec, element, a);
    if (tac_element_is(element, "damper") && (!a->ctrllimited || a->ctrlrange[0] < 0.0))
        fail_at(spec, element, "ctrlrange", TAC_ERROR_VALUE,
                "a damper's control is a damping: give a ctrlrange from 0 upwards");
    if (tac_element_is(element, "intvelocity") && !a->actlimited)
        fail_at(spec, element, "actrange", TAC_ERROR_VALUE,
                "the activation is unbounded; give actrange or inheritrange");
    if (a->actlimited && a->kind == TAC_ACTIVATION_NONE)
        fail_at(spec, element, tac_attribute(element, "actrange") ? "actrange" : "actlimited",
                TAC_ERROR_VALUE, "this actuator has no activation to limit");
}

//---------------------------------- actuators ------------------------------------

static void read_state(tacSpec* spec, const tacElement* element, tacActuator* a) {
    int actdim = -1;
    tac_read_bool(&spec->reader, element, "actearly", &a->actearly);
    tac_read_int(&spec->reader, element, "actdim", -1, 100, &actdim);
    a->act = a->kind == TAC_ACTIVATION_NONE ? -1 : spec->actuation.na++;
    if (actdim > 1 || (actdim == 0 && a->act >= 0) || (actdim == 1 && a->act < 0))
        fail_at(spec, element, "actdim", TAC_ERROR_UNSUPPORTED,
                "an actuator has one activation, or none with dyntype=\"none\"");
    tac_read_int(&spec->reader, element, "group", 0, 30, &a->group);
    a->disabled = spec->actuation.disabled_groups >> a->group & 1;
}

static void read_actuator(tacSpec* spec, const tacElement* element) {
    tacReader* reader = &spec->reader;
    int index = spec->actuation.actuator.count;
    spec->at = element;
    tacActuator actuator = {.timeconst = -1};
    double gear[6] = {1.0};
    actuator.name = tac_spec_name(spec, element, "actuator", index);
    const char* key = *actuator.name ? actuator.name : tac_reader_text(reader, "%d", index);
    tacPath path = {tac_reader_text(reader, "actuator:%s", key), NULL};
    find_target(spec, element, &actuator);
    tac_read_numbers(reader, element, "gear", (tacCountRange){1, 6}, any_number, gear);
    actuatorLaw law = read_law(spec, element);
    actuator.kind = law.kind;
    actuator.affine = law.gain[1] != 0.0 || law.gain[2] != 0.0;
    if (reader->result != TAC_OK) return;
    read_state(spec, element, &actuator);
    read_ranges(spec, element, &actuator);
    if (law.dampratio > 0.0)
        law.bias[2] =
            -2.0 * law.dampratio * sqrt(law.gain[0] * tac_damped_inertia(spec, &actuator, gear));
    actuator.gear = tac_spec_param(spec, path, "gear", any_number, gear, 6);
    actuator.gain = tac_spec_param(spec, path, "gain", law_number, law.gain, 3);
    actuator.bias = tac_spec_param(spec, path, "bias", law_number, law.bias, 3);
    if (law.kind >= TAC_ACTIVATION_FILTER)
        actuator.timeconst =
            tac_spec_param(spec, path, "timeconst", time_constant, &law.timeconst, 1);
    tacActuator* out = tac_list_add(reader, &spec->actuation.actuator, sizeof *out);
    if (out) *out = actuator;
}

void tac_read_actuators(tacSpec* spec, const tacElement* element) {
    for (const tacElement* c = element->child; c && spec->reader.result == TAC_OK; c = c->next)
        read_actuator(spec, c);
}
