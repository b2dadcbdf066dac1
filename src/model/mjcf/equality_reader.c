// <equality>: constraints between two bodies, sites, joints or tendons, with MuJoCo's eq_data.
//
//   connect   data[0..2] the point in body 1, data[3..5] in body 2
//   weld      data[0..2] the point in body 2, data[3..5] the same in body 1, data[6..9] the
//   rotation
//             of body 2 in body 1, data[10] torquescale
//   joint     data[0..4] the polynomial
//   tendon    the same

#include "model/spec.h"

#include "base/assert.h"
#include "math/pose.h"

#include <math.h>
#include <string.h>

static const tacRange any_number = {-1e9, 1e9};

//---------------------------------- bodies and sites -----------------------------

static void fail_ends(tacSpec* spec, const tacElement* element, const char* what) {
    tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, element->line, "body1", "%s", what);
}

// two sites, or a body and another one or the world
static void read_ends(tacSpec* spec, const tacElement* element, tacEquality* eq) {
    int bodies = tac_attribute(element, "body1") || tac_attribute(element, "body2");
    eq->sites = tac_attribute(element, "site1") || tac_attribute(element, "site2");
    if (bodies == eq->sites) fail_ends(spec, element, "give body1 (and body2), or site1 and site2");
    if (eq->sites) {
        tac_require(&spec->reader, element, "site1");
        tac_require(&spec->reader, element, "site2");
        if (tac_attribute(element, "anchor") || tac_attribute(element, "relpose"))
            fail_ends(spec, element,
                      "sites define the poses; 'anchor' and 'relpose' are for bodies");
    } else {
        tac_require(&spec->reader, element, "body1");
    }
    const char* kind = eq->sites ? "site" : "body";
    eq->object[0] = tac_read_reference(spec, element, eq->sites ? "site1" : "body1", kind);
    eq->object[1] = tac_read_reference(spec, element, eq->sites ? "site2" : "body2", kind);
    if (eq->object[1] < 0) eq->object[1] = 0; // the world
}

static void read_connect(tacSpec* spec, const tacElement* element, tacEquality* eq,
                         double data[11]) {
    if (!eq->sites) tac_require(&spec->reader, element, "anchor");
    tac_read_vector(&spec->reader, element, "anchor", 3, tac_range_position, data);
    if (eq->sites || spec->reader.result != TAC_OK) return;
    tacVec3 world = tac_pose_apply(tac_spec_body_pose(spec, eq->object[0]), tac_load3(data));
    tac_store3(data + 3, tac_pose_apply_inverse(tac_spec_body_pose(spec, eq->object[1]), world));
}

static void read_weld(tacSpec* spec, const tacElement* element, tacEquality* eq, double data[11]) {
    tacReader* reader = &spec->reader;
    double relpose[7] = {0};
    tac_read_vector(reader, element, "anchor", 3, tac_range_position, data);
    tac_read_number(reader, element, "torquescale", any_number, &data[10]);
    tac_read_vector(reader, element, "relpose", 7, tac_range_position, relpose);
    if (eq->sites || reader->result != TAC_OK) return;
    const double* q = relpose + 3;
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    tacPose relative;
    if (norm < 1e-14) { // in the initial configuration
        tacPose first = tac_spec_body_pose(spec, eq->object[0]);
        relative =
            tac_pose_compose(tac_pose_inverse(first), tac_spec_body_pose(spec, eq->object[1]));
        tac_store3(data + 3, tac_pose_apply(relative, tac_load3(data)));
    } else {
        relative =
            (tacPose){tac_load3(relpose), {q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm}};
        tac_store3(data + 3, relative.position);
    }
    tac_quat_store(data + 6, relative.rotation);
}

//---------------------------------- joints and tendons ---------------------------

static void read_polynomial(tacSpec* spec, const tacElement* element, tacEquality* eq,
                            double data[11]) {
    int joints = eq->kind == TAC_EQUALITY_JOINT;
    const char *first = joints ? "joint1" : "tendon1", *second = joints ? "joint2" : "tendon2";
    const char* kind = joints ? "joint" : "tendon";
    data[1] = 1.0;
    tac_require(&spec->reader, element, first);
    eq->object[0] = tac_read_reference(spec, element, first, kind);
    eq->object[1] = tac_read_reference(spec, element, second, kind);
    tac_read_numbers(&spec->reader, element, "polycoef", (tacCountRange){1, 5}, any_number, data);
    if (spec->reader.result != TAC_OK || !joints) return;
    const tacJoint* joint = spec->tree.joint.items;
    for (int i = 0; i < 2; ++i)
        if (eq->object[i] >= 0 && joint[eq->object[i]].axis < 0)
            tac_reader_fail(&spec->reader, TAC_ERROR_VALUE,
                            tac_attribute_line(element, i ? second : first), i ? second : first,
                            "only hinges and slides can have a joint equality");
}

//---------------------------------- all ------------------------------------------

static void read_one(tacSpec* spec, const tacElement* element) {
    static const char* const words[] = {"connect", "weld", "joint", "tendon"};
    tacReader* reader = &spec->reader;
    tacEquality eq = {.active = 1};
    double data[11] = {[10] = 1.0};
    while (eq.kind < TAC_EQUALITY_TENDON && strcmp(element->name, words[eq.kind]) != 0) ++eq.kind;
    eq.name = tac_spec_name(spec, element, "equality", spec->equality.count);
    tacPath path = tac_item_path(spec, "equality", eq.name, spec->equality.count);
    tac_read_bool(reader, element, "active", &eq.active);
    if (eq.active) tac_note_ignored(spec, TAC_IGNORED_EQUALITY, element, element->name);
    if (eq.kind <= TAC_EQUALITY_WELD) read_ends(spec, element, &eq);
    if (reader->result != TAC_OK) return;
    if (eq.kind == TAC_EQUALITY_CONNECT) read_connect(spec, element, &eq, data);
    if (eq.kind == TAC_EQUALITY_WELD) read_weld(spec, element, &eq, data);
    if (eq.kind >= TAC_EQUALITY_JOINT) read_polynomial(spec, element, &eq, data);
    eq.data = tac_spec_param(spec, path, "data", any_number, data, 11);
    eq.solref = tac_read_solref(spec, element, "solref", path);
    eq.solimp = tac_read_solimp(spec, element, "solimp", path);
    tacEquality* out = tac_list_add(reader, &spec->equality, sizeof *out);
    if (out) *out = eq;
}

void tac_read_equality(tacSpec* spec, const tacElement* element) {
    for (const tacElement* c = element->child; c && spec->reader.result == TAC_OK; c = c->next) {
        tac_enter_scope(spec, c);
        read_one(spec, c);
    }
}
