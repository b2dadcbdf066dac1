// <light> and <camera>: for pictures only.

#include "model/spec.h"

#include "math/pose.h"

#include <string.h>

static const tacRange any_number = {-1e9, 1e9};

// targets are resolved when all bodies are known
static void read_mode(tacSpec* spec, const tacElement* element, int is_camera, int index) {
    int mode = tac_read_word(&spec->reader, element, "mode",
                             "fixed track trackcom targetbody targetbodycom");
    if (mode < 3 || !tac_attribute(element, "target")) return; // MuJoCo's is fixed without one
    tacViewTarget* view_target =
        tac_list_add(&spec->reader, &spec->views.target, sizeof *view_target);
    if (view_target) *view_target = (tacViewTarget){is_camera, index, element};
}

// z away from the target, x horizontal, as in MuJoCo
static void aim_camera(tacCamera* camera, tacVec3 target) {
    tacVec3 z = tac_sub(tac_load3(camera->position), target), up = {0.0, 0.0, 1.0};
    tacVec3 x = tac_cross(up, z);
    if (tac_norm(z) < 1e-12) return;
    if (tac_norm(x) < 1e-12 * tac_norm(z)) x = (tacVec3){1.0, 0.0, 0.0};
    z = tac_normalize(z);
    x = tac_normalize(x);
    tac_store3(camera->axes[0], x);
    tac_store3(camera->axes[1], tac_cross(z, x));
    tac_store3(camera->axes[2], z);
}

static void aim_light(tacLight* light, tacVec3 target) {
    tacVec3 along = tac_sub(target, tac_load3(light->position));
    if (tac_norm(along) > 1e-12) tac_store3(light->direction, tac_normalize(along));
}

void tac_resolve_view_targets(tacSpec* spec) {
    const tacViewTarget* targets = spec->views.target.items;
    for (int i = 0; i < spec->views.target.count && spec->reader.result == TAC_OK; ++i) {
        int body = tac_read_reference(spec, targets[i].element, "target", "body");
        if (body < 0) return;
        tacVec3 target = tac_spec_body_pose(spec, body).position;
        if (targets[i].is_camera)
            aim_camera((tacCamera*)spec->views.camera.items + targets[i].index, target);
        else
            aim_light((tacLight*)spec->views.light.items + targets[i].index, target);
    }
}

void tac_read_light(tacSpec* spec, const tacElement* element, tacPose body) {
    tacReader* reader = &spec->reader;
    double p[3] = {0}, d[3] = {0.0, 0.0, -1.0};
    tacLight light = {.diffuse = {0.7, 0.7, 0.7}, .castshadow = 1};
    read_mode(spec, element, 0, spec->views.light.count);
    tac_read_vector(reader, element, "pos", 3, tac_range_position, p);
    tac_read_vector(reader, element, "dir", 3, any_number, d);
    tac_read_vector(reader, element, "diffuse", 3, (tacRange){0.0, 1e6}, light.diffuse);
    tac_read_bool(reader, element, "directional", &light.directional);
    tac_read_bool(reader, element, "castshadow", &light.castshadow);
    int type = tac_read_word(reader, element, "type", "spot directional point image");
    if (type >= 0) light.directional = type == 1;
    if (tac_norm(tac_load3(d)) < 1e-14)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "dir"), "dir",
                        "the direction has length 0");
    tac_store3(light.position, tac_pose_apply(body, tac_load3(p)));
    tac_store3(light.direction, tac_normalize(tac_quat_rotate(body.rotation, tac_load3(d))));
    tacLight* out = tac_list_add(reader, &spec->views.light, sizeof *out);
    if (out) *out = light;
}

void tac_read_camera(tacSpec* spec, const tacElement* element, tacPose body) {
    tacReader* reader = &spec->reader;
    tacCamera camera = {.fovy = 45.0};
    camera.name = tac_spec_name(spec, element, "camera", spec->views.camera.count);
    read_mode(spec, element, 1, spec->views.camera.count);
    tac_read_number(reader, element, "fovy", (tacRange){0.01, 179.0}, &camera.fovy);
    tacPose pose = tac_pose_compose(body, tac_read_pose(spec, element));
    tac_store3(camera.position, pose.position);
    tacMat3 axes = tac_mat_transpose(tac_quat_to_mat(pose.rotation));
    memcpy(camera.axes, axes.m, sizeof camera.axes);
    tacCamera* out = tac_list_add(reader, &spec->views.camera, sizeof *out);
    if (out) *out = camera;
}
