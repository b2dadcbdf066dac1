// <tendon>: fixed tendons, sums of joints.

#include "model/spec.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e12};

//---------------------------------- joints ---------------------------------------

// the joint that an element names; -1 after a failure
static int find_joint(tacSpec* spec, const tacElement* element) {
    const tacAttribute* attribute = tac_attribute(element, "joint");
    tac_require(&spec->reader, element, "joint");
    if (!attribute) return -1;
    const tacNameEntry* entry = tac_names_find(&spec->names, "joint", attribute->value);
    const tacJoint* joints = spec->tree.joint.items;
    if (entry && joints[entry->index].axis >= 0) return entry->index;
    tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, attribute->line, "joint",
                    entry ? "'%.60s' is not a hinge or a slide" : "there is no joint '%.60s'",
                    attribute->value);
    return -1;
}

// adds the joints and returns their coefficients
static double* read_joints(tacSpec* spec, const tacElement* element, tacTendon* tendon) {
    tacReader* reader = &spec->reader;
    int most = 0;
    for (const tacElement* c = element->child; c; c = c->next) ++most;
    double* coef = tac_reader_alloc(reader, sizeof *coef * (size_t)(most + 1));
    tendon->first = spec->actuation.tendonjoint.count;
    for (const tacElement* c = element->child; c && reader->result == TAC_OK; c = c->next) {
        int joint = find_joint(spec, c);
        const int* before = (const int*)spec->actuation.tendonjoint.items + tendon->first;
        for (int i = 0; i < tendon->count && joint >= 0; ++i)
            if (before[i] == joint)
                tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(c, "joint"), "joint",
                                "the tendon already has this joint; remove one");
        tac_require(reader, c, "coef");
        tac_read_number(reader, c, "coef", any_number, &coef[tendon->count]);
        int* out = tac_list_add(reader, &spec->actuation.tendonjoint, sizeof *out);
        if (out) {
            *out = joint;
            ++tendon->count;
        }
    }
    if (tendon->count == 0)
        tac_reader_fail(
            reader, TAC_ERROR_VALUE, element->line, "<fixed>",
            "a fixed tendon is a sum of joints; add <joint joint=\"...\" coef=\"...\"/>");
    return coef;
}

// length where springs rest
static double rest_length(tacSpec* spec, const tacTendon* tendon, const double* coef) {
    const tacJoint* joints = spec->tree.joint.items;
    const int* index = (const int*)spec->actuation.tendonjoint.items + tendon->first;
    double length = 0.0;
    for (int i = 0; i < tendon->count; ++i)
        length += coef[i] * *tac_spec_values(spec, joints[index[i]].springref);
    return length;
}

//---------------------------------- attributes -----------------------------------

// one number, two, or -1 for the length where springs rest
static void read_springlength(tacSpec* spec, const tacElement* element, const tacTendon* tendon,
                              const double* coef, double out[2]) {
    out[0] = out[1] = -1.0;
    int count = tac_read_numbers(&spec->reader, element, "springlength", (tacCountRange){1, 2},
                                 any_number, out);
    if (count == 1) out[1] = out[0];
    if (out[0] == -1.0 && out[1] == -1.0) out[0] = out[1] = rest_length(spec, tendon, coef);
    if (out[0] > out[1])
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "springlength"),
                        "springlength", "the lower length must not be above the upper one");
}

static void read_limits(tacSpec* spec, const tacElement* element, tacPath path, tacTendon* tendon) {
    tacReader* reader = &spec->reader;
    double range[2] = {0.0, 0.0};
    int given = tac_read_vector(reader, element, "range", 2, any_number, range);
    int word = tac_read_word(reader, element, "limited", "false true auto");
    tendon->limited = word == 1 || (word != 0 && given && spec->compiler.autolimits);
    if (tendon->limited && range[0] >= range[1])
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "range"), "range",
                        "the lower limit must be below the upper one");
    tendon->range = tac_spec_param(spec, path, "range", any_number, range, 2);
    spec->unhandled.tendon_rows += tendon->limited;
    double margin = 0.0;
    tac_read_number(reader, element, "margin", any_number, &margin);
    if (tendon->limited && margin != 0.0)
        tac_note_ignored(spec, TAC_IGNORED_MARGIN, element, "margin");
}

static void refuse_armature(tacSpec* spec, const tacElement* element) {
    double armature = 0.0;
    tac_read_number(&spec->reader, element, "armature", not_negative, &armature);
    if (armature > 0.0)
        tac_reader_fail(&spec->reader, TAC_ERROR_UNSUPPORTED,
                        tac_attribute_line(element, "armature"), "armature",
                        "armature of a tendon is not supported yet; set armature of its joints");
}

static void read_forces(tacSpec* spec, const tacElement* element, tacPath path, tacTendon* tendon) {
    const struct {
        const char* name;
        int* offset;
    } numbers[] = {{"stiffness", &tendon->stiffness},
                   {"damping", &tendon->damping},
                   {"frictionloss", &tendon->frictionloss}};
    for (int i = 0; i < TAC_COUNT(numbers); ++i) {
        double value = 0.0;
        tac_read_number(&spec->reader, element, numbers[i].name, not_negative, &value);
        *numbers[i].offset = tac_spec_param(spec, path, numbers[i].name, not_negative, &value, 1);
        if (i == 2 && value > 0.0) spec->unhandled.tendon_rows += 1;
    }
    refuse_armature(spec, element);
}

//---------------------------------- tendons --------------------------------------

static void read_fixed(tacSpec* spec, const tacElement* element) {
    tacReader* reader = &spec->reader;
    int index = spec->actuation.tendon.count;
    tacTendon tendon = {0};
    spec->at = element;
    double springlength[2];
    tendon.name = tac_spec_name(spec, element, "tendon", index);
    const char* key = *tendon.name ? tendon.name : tac_reader_text(reader, "%d", index);
    tacPath path = {tac_reader_text(reader, "tendon:%s", key), NULL};
    double* coef = read_joints(spec, element, &tendon);
    if (reader->result != TAC_OK) return;
    read_springlength(spec, element, &tendon, coef, springlength);
    tendon.coef = tac_spec_param(spec, path, "coef", any_number, coef, tendon.count);
    tendon.springlength = tac_spec_param(spec, path, "springlength", any_number, springlength, 2);
    read_limits(spec, element, path, &tendon);
    read_forces(spec, element, path, &tendon);
    tacTendon* out = tac_list_add(reader, &spec->actuation.tendon, sizeof *out);
    if (out) *out = tendon;
}

void tac_read_tendons(tacSpec* spec, const tacElement* element) {
    for (const tacElement* c = element->child; c && spec->reader.result == TAC_OK; c = c->next)
        read_fixed(spec, c);
}
