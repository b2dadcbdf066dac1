// <tendon>: fixed tendons, sums of joints.

#include "model/draft.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e12};

//---------------------------------- joints ---------------------------------------

// the joint that an element names; -1 after a failure
static int find_joint(tacDraft* draft, const tacElement* element) {
    const tacAttribute* attribute = tac_attribute(element, "joint");
    tac_require(&draft->reader, element, "joint");
    if (!attribute) return -1;
    const tacNameEntry* entry = tac_names_find(&draft->names, "joint", attribute->value);
    const tacJoint* joints = draft->joint.items;
    if (entry && joints[entry->index].axis >= 0) return entry->index;
    tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, attribute->line, "joint",
                    entry ? "'%.60s' is not a hinge or a slide" : "there is no joint '%.60s'",
                    attribute->value);
    return -1;
}

// adds the joints and returns their coefficients
static double* read_joints(tacDraft* draft, const tacElement* element, tacTendon* tendon) {
    tacReader* reader = &draft->reader;
    int most = 0;
    for (const tacElement* c = element->child; c; c = c->next) ++most;
    double* coef = tac_reader_take(reader, sizeof *coef * (size_t)(most + 1));
    tendon->first = draft->tendonjoint.count;
    for (const tacElement* c = element->child; c && reader->result == TAC_OK; c = c->next) {
        int joint = find_joint(draft, c);
        const int* before = (const int*)draft->tendonjoint.items + tendon->first;
        for (int i = 0; i < tendon->count && joint >= 0; ++i)
            if (before[i] == joint)
                tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(c, "joint"), "joint",
                                "the tendon has this joint already");
        tac_require(reader, c, "coef");
        tac_read_number(reader, c, "coef", any_number, &coef[tendon->count]);
        int* out = tac_list_add(reader, &draft->tendonjoint, sizeof *out);
        if (out) {
            *out = joint;
            ++tendon->count;
        }
    }
    if (tendon->count == 0)
        tac_reader_fail(reader, TAC_ERROR_VALUE, element->line, "<fixed>",
                        "a fixed tendon is a sum of joints: give it a <joint joint coef>");
    return coef;
}

// length where springs rest
static double rest_length(tacDraft* draft, const tacTendon* tendon, const double* coef) {
    const tacJoint* joints = draft->joint.items;
    const int* index = (const int*)draft->tendonjoint.items + tendon->first;
    double length = 0.0;
    for (int i = 0; i < tendon->count; ++i)
        length += coef[i] * *tac_draft_values(draft, joints[index[i]].springref);
    return length;
}

//---------------------------------- attributes -----------------------------------

// one number, two, or -1 for the length where springs rest
static void read_springlength(tacDraft* draft, const tacElement* element, const tacTendon* tendon,
                              const double* coef, double out[2]) {
    out[0] = out[1] = -1.0;
    int count = tac_read_numbers(&draft->reader, element, "springlength", 1, 2, any_number, out);
    if (count == 1) out[1] = out[0];
    if (out[0] == -1.0 && out[1] == -1.0) out[0] = out[1] = rest_length(draft, tendon, coef);
    if (out[0] > out[1])
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE,
                        tac_attribute_line(element, "springlength"), "springlength",
                        "the lower length must not be above the upper one");
}

static void read_limits(tacDraft* draft, const tacElement* element, tacPath path,
                        tacTendon* tendon) {
    tacReader* reader = &draft->reader;
    double range[2] = {0.0, 0.0};
    int given = tac_read_numbers(reader, element, "range", 2, 2, any_number, range);
    int word = tac_read_word(reader, element, "limited", "false true auto");
    tendon->limited = word == 1 || (word != 0 && given && draft->compiler.autolimits);
    if (tendon->limited && range[0] >= range[1])
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "range"), "range",
                        "the lower limit must be below the upper one");
    tendon->range = tac_draft_param(draft, path, "range", any_number, range, 2);
    draft->tendon_rows += tendon->limited;
}

static void refuse_armature(tacDraft* draft, const tacElement* element) {
    double armature = 0.0;
    tac_read_number(&draft->reader, element, "armature", not_negative, &armature);
    if (armature > 0.0)
        tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED,
                        tac_attribute_line(element, "armature"), "armature",
                        "the inertia of a tendon is not built yet; give its joints armature");
}

static void read_forces(tacDraft* draft, const tacElement* element, tacPath path,
                        tacTendon* tendon) {
    const struct {
        const char* name;
        int* offset;
    } numbers[] = {{"stiffness", &tendon->stiffness},
                   {"damping", &tendon->damping},
                   {"frictionloss", &tendon->frictionloss}};
    for (int i = 0; i < TAC_COUNT(numbers); ++i) {
        double value = 0.0;
        tac_read_number(&draft->reader, element, numbers[i].name, not_negative, &value);
        *numbers[i].offset = tac_draft_param(draft, path, numbers[i].name, not_negative, &value, 1);
        if (i == 2 && value > 0.0) draft->tendon_rows += 1;
    }
    refuse_armature(draft, element);
}

//---------------------------------- tendons --------------------------------------

static void read_fixed(tacDraft* draft, const tacElement* element) {
    tacReader* reader = &draft->reader;
    int index = draft->tendon.count;
    tacTendon tendon = {0};
    double springlength[2];
    tendon.name = tac_draft_name(draft, element, "tendon", index);
    const char* key = *tendon.name ? tendon.name : tac_reader_text(reader, "%d", index);
    tacPath path = {tac_reader_text(reader, "tendon:%s", key), NULL};
    double* coef = read_joints(draft, element, &tendon);
    if (reader->result != TAC_OK) return;
    read_springlength(draft, element, &tendon, coef, springlength);
    tendon.coef = tac_draft_param(draft, path, "coef", any_number, coef, tendon.count);
    tendon.springlength = tac_draft_param(draft, path, "springlength", any_number, springlength, 2);
    read_limits(draft, element, path, &tendon);
    read_forces(draft, element, path, &tendon);
    tacTendon* out = tac_list_add(reader, &draft->tendon, sizeof *out);
    if (out) *out = tendon;
}

void tac_read_tendons(tacDraft* draft, const tacElement* element) {
    for (const tacElement* c = element->child; c && draft->reader.result == TAC_OK; c = c->next)
        read_fixed(draft, c);
}
