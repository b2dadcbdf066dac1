// <keyframe>: states with a name. What a key leaves out is as the scene is drawn, or 0.

#include "model/draft.h"

#include <math.h>
#include <string.h>

static const tacRange any_number = {-1e12, 1e12};

// one array of a key: `count` numbers, or those of `otherwise` (NULL: zeros)
static void read_part(tacDraft* draft, const tacElement* element, const char* name, int count,
                      const double* otherwise) {
    tacReader* reader = &draft->reader;
    int found = 0;
    const double* values = tac_read_list(reader, element, name, any_number, &found);
    if (values && found != count)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, name), name,
                        "'%s' of <key> takes %d numbers in this scene, found %d", name, count,
                        found);
    if (!values) values = otherwise;
    for (int i = 0; i < count && reader->result == TAC_OK; ++i) {
        double* out = tac_list_add(reader, &draft->key_number, sizeof *out);
        if (out) *out = values ? values[i] : 0.0;
    }
}

// quaternions of free bodies and balls have length 1, as MuJoCo makes them; `q` is a key's qpos
static void normalise(tacDraft* draft, const tacElement* element, double* q) {
    const tacJoint* joint = draft->joint.items;
    for (int j = 0; j < draft->joint.count; ++j) {
        if (joint[j].kind > TAC_JOINT_BALL) continue;
        double* r = q + joint[j].qpos + (joint[j].kind == TAC_JOINT_FREE ? 3 : 0);
        double norm = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
        if (norm < 1e-14)
            tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "qpos"),
                            "qpos", "the quaternion of joint %d has length 0", j);
        for (int k = 0; k < 4 && norm > 0.0; ++k) r[k] /= norm;
    }
}

// poses of bodies moved by hand, as they are drawn: positions, then rotations
static double* mocap_poses(tacDraft* draft) {
    double* out =
        tac_reader_take(&draft->reader, sizeof(double) * 7 * (size_t)(draft->mocap.count + 1));
    const int* at = draft->mocap.items;
    const tacBody* bodies = draft->body.items;
    for (int i = 0; i < draft->mocap.count && out; ++i) {
        const double* pose = tac_draft_values(draft, bodies[at[i]].position);
        memcpy(out + 3 * i, pose, 3 * sizeof *out);
        memcpy(out + 3 * draft->mocap.count + 4 * i, pose + 3, 4 * sizeof *out);
    }
    return out;
}

static void read_key(tacDraft* draft, const tacElement* element) {
    tacReader* reader = &draft->reader;
    tacKeyframe key = {0};
    key.name = tac_draft_name(draft, element, "key", draft->key.count);
    tac_read_number(reader, element, "time", any_number, &key.time);
    const double* poses = mocap_poses(draft);
    if (!poses) return;
    int first = draft->key_number.count;
    read_part(draft, element, "qpos", draft->qpos0.count, draft->qpos0.items);
    if (reader->result == TAC_OK && draft->qpos0.count > 0)
        normalise(draft, element, (double*)draft->key_number.items + first);
    read_part(draft, element, "qvel", draft->dof.count, NULL);
    read_part(draft, element, "act", draft->na, NULL);
    read_part(draft, element, "ctrl", draft->actuator.count, NULL);
    read_part(draft, element, "mpos", 3 * draft->mocap.count, poses);
    read_part(draft, element, "mquat", 4 * draft->mocap.count, poses + 3 * draft->mocap.count);
    tacKeyframe* out = tac_list_add(reader, &draft->key, sizeof *out);
    if (out) *out = key;
}

void tac_read_keyframe(tacDraft* draft, const tacElement* element) {
    for (const tacElement* c = element->child; c && draft->reader.result == TAC_OK; c = c->next)
        read_key(draft, c);
}
