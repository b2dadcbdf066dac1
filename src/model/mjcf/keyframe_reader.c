// <keyframe>: named states. Missing arrays are those of the initial configuration, or 0.

#include "model/spec.h"

#include <math.h>
#include <string.h>

static const tacRange any_number = {-1e12, 1e12};

// one array of a key: `count` numbers, or `default_values` (NULL: zeros)
static void read_key_array(tacSpec* spec, const tacElement* element, const char* name, int count,
                           const double* default_values) {
    tacReader* reader = &spec->reader;
    int found = 0;
    const double* values = tac_read_list(reader, element, name, any_number, &found);
    if (values && found != count)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, name), name,
                        "'%s' of <key> needs %d numbers in this scene, found %d", name, count,
                        found);
    if (!values) values = default_values;
    for (int i = 0; i < count && reader->result == TAC_OK; ++i) {
        double* out = tac_list_add(reader, &spec->keys.number, sizeof *out);
        if (out) *out = values ? values[i] : 0.0;
    }
}

// normalizes quaternions of free bodies and balls, as MuJoCo does; `q` is a key's qpos
static void normalize_quaternions(tacSpec* spec, const tacElement* element, double* q) {
    const tacJoint* joint = spec->tree.joint.items;
    for (int j = 0; j < spec->tree.joint.count; ++j) {
        if (joint[j].kind > TAC_JOINT_BALL) continue;
        double* r = q + joint[j].qpos + (joint[j].kind == TAC_JOINT_FREE ? 3 : 0);
        double norm = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
        if (norm < 1e-14)
            tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "qpos"),
                            "qpos", "the quaternion of joint %d has length 0", j);
        for (int k = 0; k < 4 && norm > 0.0; ++k) r[k] /= norm;
    }
}

int tac_spec_mocap_count(const tacSpec* spec) {
    const tacBody* bodies = spec->tree.body.items;
    int count = 0;
    for (int b = 0; b < spec->tree.body.count; ++b) count += bodies[b].mocap;
    return count;
}

// initial poses of mocap bodies: positions, then rotations
static double* mocap_poses(tacSpec* spec, int count) {
    double* out = tac_reader_alloc(&spec->reader, sizeof(double) * 7 * (size_t)(count + 1));
    const tacBody* bodies = spec->tree.body.items;
    for (int b = 0, i = 0; b < spec->tree.body.count && out; ++b) {
        if (!bodies[b].mocap) continue;
        const double* pose = tac_spec_values(spec, bodies[b].position);
        memcpy(out + 3 * i, pose, 3 * sizeof *out);
        memcpy(out + 3 * count + 4 * i, pose + 3, 4 * sizeof *out);
        ++i;
    }
    return out;
}

// joints of a body and of those below it have neighbouring numbers: the first and how many
static int joints_below(const tacSpec* spec, int body, int* count) {
    static const int positions_of[] = {7, 4, 1, 1};
    const tacBody* bodies = spec->tree.body.items;
    const tacJoint* joint = spec->tree.joint.items;
    int first = spec->tree.qpos0.count;
    *count = 0;
    for (int j = 0; j < spec->tree.joint.count; ++j) {
        int b = joint[j].body;
        while (b > body) b = bodies[b].parent;
        if (b != body) continue;
        if (*count == 0) first = joint[j].qpos;
        *count += positions_of[joint[j].kind];
    }
    return first;
}

// numbers of an attached model into an array of the scene, `count` from `first` on
static void write_part(tacSpec* spec, const tacElement* element, const char* name, double* out,
                       int count) {
    int found = 0;
    const double* values = tac_read_list(&spec->reader, element, name, any_number, &found);
    if (values && found != count)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, name), name,
                        "'%s' of this <key> has %d numbers, but the attached model needs %d", name,
                        found, count);
    else if (values)
        memcpy(out, values, sizeof(double) * (size_t)count);
}

// a key of an attached model: its numbers, and for the rest the initial configuration
static void read_attached(tacSpec* spec, const tacElement* element, double* qpos, double* ctrl) {
    int body = tac_read_reference(spec, element, "attached", "body"), count = 0, first = 0;
    if (body >= 0) {
        first = joints_below(spec, body, &count);
        write_part(spec, element, "qpos", qpos + first, count);
    }
    if (!tac_read_int(&spec->reader, element, "controls", 0, spec->actuation.actuator.count,
                      &first))
        return;
    tac_read_list(&spec->reader, element, "ctrl", any_number, &count);
    if (count > spec->actuation.actuator.count - first)
        count = spec->actuation.actuator.count - first;
    write_part(spec, element, "ctrl", ctrl + first, count);
}

static void read_key(tacSpec* spec, const tacElement* element) {
    tacReader* reader = &spec->reader;
    tacKeyframe key = {0};
    key.name = tac_spec_name(spec, element, "key", spec->keys.key.count);
    tac_read_number(reader, element, "time", any_number, &key.time);
    int mocaps = tac_spec_mocap_count(spec);
    const double* poses = mocap_poses(spec, mocaps);
    if (!poses) return;
    int first = spec->keys.number.count;
    int attached = tac_attribute(element, "attached") || tac_attribute(element, "controls");
    const tacElement none = {.name = "key", .line = element->line};
    const tacElement* whole = attached ? &none : element;
    read_key_array(spec, whole, "qpos", spec->tree.qpos0.count, spec->tree.qpos0.items);
    read_key_array(spec, whole, "qvel", spec->tree.dof.count, NULL);
    read_key_array(spec, whole, "act", spec->actuation.na, NULL);
    read_key_array(spec, whole, "ctrl", spec->actuation.actuator.count, NULL);
    read_key_array(spec, whole, "mpos", 3 * mocaps, poses);
    read_key_array(spec, whole, "mquat", 4 * mocaps, poses + 3 * mocaps);
    if (reader->result != TAC_OK) return;
    double* at = (double*)spec->keys.number.items + first;
    if (attached)
        read_attached(spec, element, at,
                      at + spec->tree.qpos0.count + spec->tree.dof.count + spec->actuation.na);
    normalize_quaternions(spec, element, at);
    tacKeyframe* out = tac_list_add(reader, &spec->keys.key, sizeof *out);
    if (out) *out = key;
}

void tac_read_keyframe(tacSpec* spec, const tacElement* element) {
    for (const tacElement* c = element->child; c && spec->reader.result == TAC_OK; c = c->next)
        read_key(spec, c);
}
