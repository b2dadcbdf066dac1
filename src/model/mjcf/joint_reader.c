// <joint> and <freejoint>, and their degrees of freedom, in MuJoCo's order of qpos and qvel.

#include "model/mjcf/planar.h"

#include "base/assert.h"
#include "math/pose.h"

#include <math.h>
#include <string.h>

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e12};

static const int positions_of[] = {7, 4, 1, 1}, dofs_of[] = {6, 3, 1, 1};

static void add_number(tacSpec* spec, tacList* list, double value) {
    double* out = tac_list_add(&spec->reader, list, sizeof *out);
    if (out) *out = value;
}

//---------------------------------- reference positions --------------------------

// qpos0 and qpos_spring: a free joint starts at its body's pose, a ball at the identity
static void add_positions(tacSpec* spec, const tacJoint* joint, tacPose body) {
    double free[7] = {body.position.x, body.position.y, body.position.z, body.rotation.w,
                      body.rotation.x, body.rotation.y, body.rotation.z};
    const double ball[4] = {1.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < positions_of[joint->kind]; ++i) {
        double q = joint->kind == TAC_JOINT_FREE ? free[i] : ball[i], spring = q;
        if (joint->axis >= 0) {
            q = *tac_spec_values(spec, joint->ref);
            spring = *tac_spec_values(spec, joint->springref);
        }
        add_number(spec, &spec->tree.qpos0, q);
        add_number(spec, &spec->tree.qpos_spring, spring);
    }
}

//---------------------------------- degrees of freedom ---------------------------

// the last degree of freedom of the nearest body above that has one, or -1
static int last_dof_above(const tacSpec* spec, int body) {
    const tacBody* bodies = spec->tree.body.items;
    int b = bodies[body].parent;
    while (b > 0 && bodies[b].joints == 0) b = bodies[b].parent;
    if (b == 0) return -1;
    const tacJoint* last = (const tacJoint*)spec->tree.joint.items + bodies[b].first_joint;
    last += bodies[b].joints - 1;
    return last->dof + dofs_of[last->kind] - 1;
}

static void add_dofs(tacSpec* spec, const tacJoint* joint, int index) {
    int first = spec->tree.dof.count, count = dofs_of[joint->kind];
    for (int i = 0; i < count; ++i) {
        const tacDof* dofs = spec->tree.dof.items; // NULL while there are none
        int same = first + i > 0 && dofs[first + i - 1].body == joint->body;
        int parent = same ? first + i - 1 : last_dof_above(spec, joint->body);
        int depth = parent < 0 ? 1 : dofs[parent].depth + 1;
        int moves = joint->kind == TAC_JOINT_FREE && i < 3; // translations are world axes
        int group = joint->kind >= TAC_JOINT_SLIDE || moves ? first + i
                    : joint->kind == TAC_JOINT_FREE         ? first + 3
                                                            : first;
        tacDof* dof = tac_list_add(&spec->reader, &spec->tree.dof, sizeof *dof);
        if (!dof) return;
        *dof = (tacDof){index, joint->body, parent, group, spec->tree.nM, depth};
        spec->tree.nM += depth;
    }
}

//---------------------------------- attributes -----------------------------------

static tacVec3 read_axis(tacSpec* spec, const tacElement* element) {
    double axis[3] = {0.0, 0.0, 1.0};
    tac_read_vector(&spec->reader, element, "axis", 3, any_number, axis);
    double norm = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (norm < 1e-14)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "axis"), "axis",
                        "the axis has length 0");
    return (tacVec3){axis[0] / norm, axis[1] / norm, axis[2] / norm};
}

static void read_limits(tacSpec* spec, const tacElement* element, tacPath path, double unit,
                        tacJoint* joint) {
    tacReader* reader = &spec->reader;
    double range[2] = {0.0, 0.0};
    int given = tac_read_vector(reader, element, "range", 2, any_number, range);
    int word = tac_read_word(reader, element, "limited", "false true auto");
    joint->limited = word == 1 || (word != 0 && given && spec->compiler.autolimits);
    if (joint->limited && range[0] >= range[1] && joint->kind != TAC_JOINT_BALL)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "range"), "range",
                        "the lower limit must be below the upper one");
    range[0] *= unit;
    range[1] *= unit;
    joint->range = tac_spec_param(spec, path, "range", any_number, range, 2);
}

// limits of balls, and margins of limits
static void note_limit(tacSpec* spec, const tacElement* element, const tacJoint* joint) {
    double margin = 0.0;
    tac_read_number(&spec->reader, element, "margin", any_number, &margin);
    if (!joint->limited) return;
    if (margin != 0.0) tac_note_ignored(spec, TAC_IGNORED_MARGIN, element, "margin");
    if (joint->kind == TAC_JOINT_BALL)
        tac_note_ignored(spec, TAC_IGNORED_BALL_LIMIT, element, "range");
}

// the sum of all actuators along the joint may be clamped
static void read_force_range(tacSpec* spec, const tacElement* element, tacJoint* joint) {
    tacReader* reader = &spec->reader;
    int given =
        tac_read_vector(reader, element, "actuatorfrcrange", 2, any_number, joint->frcrange);
    int word = tac_read_word(reader, element, "actuatorfrclimited", "false true auto");
    joint->frclimited = word == 1 || (word != 0 && given && spec->compiler.autolimits);
    spec->actuation.frclimited += joint->frclimited;
    if (!joint->frclimited) return;
    const char* wrong = NULL;
    if (joint->frcrange[0] >= joint->frcrange[1])
        wrong = "the lower limit must be below the upper one";
    if (joint->kind < TAC_JOINT_SLIDE) wrong = "is for hinges and slides";
    if (wrong)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "actuatorfrcrange"),
                        "actuatorfrcrange", "%s", wrong);
}

// Gravity compensation that counts as actuation gives the same motion, except for actuatorfrcrange.
static void check_gravcomp(tacSpec* spec, const tacElement* element, const tacJoint* joint) {
    int compensates = 0;
    tac_read_bool(&spec->reader, element, "actuatorgravcomp", &compensates);
    if (compensates && joint->frclimited)
        tac_reader_fail(
            &spec->reader, TAC_ERROR_UNSUPPORTED, tac_attribute_line(element, "actuatorgravcomp"),
            "actuatorgravcomp",
            "is not supported yet together with 'actuatorfrcrange'; remove one of them");
}

// numbers that every kind has
static void read_forces(tacSpec* spec, const tacElement* element, tacPath path, double unit,
                        tacJoint* joint) {
    const struct {
        const char* name;
        int* offset;
    } numbers[] = {{"stiffness", &joint->stiffness},
                   {"damping", &joint->damping},
                   {"armature", &joint->armature},
                   {"frictionloss", &joint->frictionloss}};
    for (int i = 0; i < TAC_COUNT(numbers); ++i) {
        double value = 0.0;
        tac_read_number(&spec->reader, element, numbers[i].name, not_negative, &value);
        *numbers[i].offset = tac_spec_param(spec, path, numbers[i].name, not_negative, &value, 1);
        if (i == 3 && value > 0.0) spec->unhandled.frictionlosses += 1;
    }
    read_limits(spec, element, path, unit, joint);
    spec->unhandled.limits += joint->limited;
    note_limit(spec, element, joint);
    read_force_range(spec, element, joint);
    check_gravcomp(spec, element, joint);
}

static void read_joint_frame(tacSpec* spec, const tacElement* element, tacPath path, double unit,
                             tacJoint* joint) {
    double p[3] = {0}, ref = 0.0, springref = 0.0;
    tac_read_vector(&spec->reader, element, "pos", 3, tac_range_position, p);
    tac_store3(p, tac_pose_apply(spec->tree.frame, tac_load3(p)));
    joint->position = tac_spec_param(spec, path, "pos", tac_range_position, p, 3);
    if (joint->kind == TAC_JOINT_BALL) return;
    tacVec3 axis = tac_pose_rotate(spec->tree.frame, read_axis(spec, element));
    const double a[3] = {axis.x, axis.y, axis.z};
    tac_read_number(&spec->reader, element, "ref", any_number, &ref);
    tac_read_number(&spec->reader, element, "springref", any_number, &springref);
    ref *= unit;
    springref *= unit;
    joint->axis = tac_spec_param(spec, path, "axis", any_number, a, 3);
    joint->ref = tac_spec_param(spec, path, "ref", any_number, &ref, 1);
    joint->springref = tac_spec_param(spec, path, "springref", any_number, &springref, 1);
}

//---------------------------------- joints ---------------------------------------

static void check_joint_order(tacSpec* spec, const tacElement* element, const tacJoint* joint) {
    const tacBody* body = (const tacBody*)spec->tree.body.items + joint->body;
    const tacJoint* joints = spec->tree.joint.items; // NULL while there are none
    int dofs = dofs_of[joint->kind], after_free = 0;
    for (int i = 0; i < body->joints; ++i) {
        tacJointKind kind = joints[body->first_joint + i].kind;
        dofs += dofs_of[kind];
        after_free |= kind == TAC_JOINT_FREE;
    }
    const char* wrong = NULL;
    if (dofs > 6) wrong = "a body has at most six degrees of freedom";
    if (joint->body == 0) wrong = "the world has no joints";
    if (joint->kind == TAC_JOINT_FREE && body->parent != 0)
        wrong = "a free joint needs a child of the world";
    if (after_free || (joint->kind == TAC_JOINT_FREE && body->joints > 0))
        wrong = "a body with a free joint has no other joints";
    if (wrong)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, element->line,
                        strcmp(element->name, "freejoint") == 0 ? "<freejoint>" : "<joint>", "%s",
                        wrong);
}

void tac_read_joint(tacSpec* spec, const tacElement* element, int body, tacPose pose) {
    tacReader* reader = &spec->reader;
    int index = spec->tree.joint.count, is_free = strcmp(element->name, "freejoint") == 0;
    if (is_free && tac_read_word(reader, element, "align", "false true auto") == 1)
        tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, tac_attribute_line(element, "align"),
                        "align",
                        "aligning a free body's frame with its inertia is not supported yet; set "
                        "align=\"false\"");
    tacJoint joint = {.body = body, .position = -1, .axis = -1, .ref = -1, .springref = -1};
    int word = is_free ? 0 : tac_read_word(reader, element, "type", "free ball slide hinge planar");
    if (word == 4) {
        tac_read_planar_joint(spec, element, body, pose);
        return;
    }
    joint.kind = word < 0 ? TAC_JOINT_HINGE : (tacJointKind)word;
    check_joint_order(spec, element, &joint);
    joint.name = tac_spec_name(spec, element, "joint", index);
    const char* key = *joint.name ? joint.name : tac_reader_text(reader, "%d", index);
    tacPath path = {tac_reader_text(reader, "joint:%s", key), NULL};
    if (reader->result != TAC_OK) return;

    double unit =
        joint.kind == TAC_JOINT_SLIDE || joint.kind == TAC_JOINT_FREE ? 1.0 : spec->compiler.angle;
    joint.qpos = spec->tree.qpos0.count;
    joint.dof = spec->tree.dof.count;
    if (joint.kind != TAC_JOINT_FREE) read_joint_frame(spec, element, path, unit, &joint);
    read_forces(spec, element, path, unit, &joint);
    if (reader->result != TAC_OK) return;
    add_positions(spec, &joint, pose);
    add_dofs(spec, &joint, index);
    tacJoint* out = tac_list_add(reader, &spec->tree.joint, sizeof *out);
    if (out) *out = joint;
    ((tacBody*)spec->tree.body.items)[body].joints += 1;
}
