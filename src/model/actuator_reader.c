// <actuator>: motors without a state of their own, on hinges and slides.

#include "model/draft.h"

#include "base/assert.h"

#include <string.h>

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e12};

static int is_named(const tacElement* element, const char* name) {
    return strcmp(element->name, name) == 0;
}

static void refuse_word(tacDraft* draft, const tacElement* element, const char* name,
                        const char* words) {
    const tacAttribute* attribute = tac_attribute(element, name);
    if (tac_read_word(&draft->reader, element, name, words) <= 0) return;
    tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED, attribute->line, name,
                    "%s=\"%.20s\" is not built yet; there is %.*s", name, attribute->value,
                    (int)strcspn(words, " "), words);
}

// force = gain ctrl + bias[0] + bias[1] length + bias[2] velocity
static void read_law(tacDraft* draft, const tacElement* element, double* gain, double bias[3]) {
    tacReader* reader = &draft->reader;
    double gainprm[10] = {1.0}, biasprm[10] = {0.0}, kp = 1.0, kv = is_named(element, "velocity");
    refuse_word(draft, element, "dyntype", "none integrator filter filterexact muscle user");
    refuse_word(draft, element, "gaintype", "fixed affine muscle user");
    tac_read_numbers(reader, element, "gainprm", 1, 10, any_number, gainprm);
    int affine = tac_read_word(reader, element, "biastype", "none affine") == 1;
    tac_read_numbers(reader, element, "biasprm", 1, 10, any_number, biasprm);
    tac_read_number(reader, element, "kp", not_negative, &kp);
    tac_read_number(reader, element, "kv", not_negative, &kv);
    if (is_named(element, "general")) {
        *gain = gainprm[0];
        for (int i = 0; i < 3; ++i) bias[i] = affine ? biasprm[i] : 0.0;
    } else if (is_named(element, "position")) {
        *gain = kp, bias[1] = -kp, bias[2] = -kv;
    } else if (is_named(element, "velocity")) {
        *gain = kv, bias[2] = -kv;
    } else {
        *gain = 1.0;
    }
}

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

static int find_joint(tacDraft* draft, const tacElement* element) {
    const tacAttribute* attribute = tac_attribute(element, "joint");
    if (!attribute) {
        tac_require(&draft->reader, element, "joint");
        return -1;
    }
    const tacNameEntry* entry = tac_names_find(&draft->names, "joint", attribute->value);
    const tacJoint* joints = draft->joint.items;
    if (!entry)
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, attribute->line, "joint",
                        "there is no <joint name=\"%.60s\">", attribute->value);
    else if (joints[entry->index].axis < 0)
        tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED, attribute->line, "joint",
                        "actuators on free and ball joints are not built yet; drive a hinge or a "
                        "slide");
    return entry ? entry->index : -1;
}

static void read_actuator(tacDraft* draft, const tacElement* element) {
    tacReader* reader = &draft->reader;
    int index = draft->actuator.count;
    tacActuator actuator = {0};
    double gear[6] = {1.0}, gain = 0.0, bias[3] = {0};
    actuator.name = tac_draft_name(draft, element, "actuator", index);
    const char* key = *actuator.name ? actuator.name : tac_reader_text(reader, "%d", index);
    tacPath path = {tac_reader_text(reader, "actuator:%s", key), NULL};
    actuator.joint = find_joint(draft, element);
    tac_read_numbers(reader, element, "gear", 1, 6, any_number, gear);
    read_law(draft, element, &gain, bias);
    actuator.ctrllimited =
        read_range(draft, element, "ctrlrange", "ctrllimited", actuator.ctrlrange);
    actuator.forcelimited =
        read_range(draft, element, "forcerange", "forcelimited", actuator.forcerange);
    actuator.gear = tac_draft_param(draft, path, "gear", any_number, gear, 1);
    actuator.gain = tac_draft_param(draft, path, "gain", any_number, &gain, 1);
    actuator.bias = tac_draft_param(draft, path, "bias", any_number, bias, 3);
    tacActuator* out = tac_list_add(reader, &draft->actuator, sizeof *out);
    if (out) *out = actuator;
}

void tac_read_actuators(tacDraft* draft, const tacElement* element) {
    for (const tacElement* c = element->child; c && draft->reader.result == TAC_OK; c = c->next)
        read_actuator(draft, c);
}
