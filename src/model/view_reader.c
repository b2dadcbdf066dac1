// <light> and <camera>: for pictures only.

#include "model/draft.h"

#include "math/pose.h"

#include <string.h>

static const tacRange any_number = {-1e9, 1e9};

static void check_mode(tacDraft* draft, const tacElement* element) {
    int mode = tac_read_word(&draft->reader, element, "mode",
                             "fixed track trackcom targetbody targetbodycom");
    if (mode >= 3)
        tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED, tac_attribute_line(element, "mode"),
                        "mode", "aiming at a body is not built yet; give the orientation");
}

void tac_read_light(tacDraft* draft, const tacElement* element, tacPose body) {
    tacReader* reader = &draft->reader;
    double p[3] = {0}, d[3] = {0.0, 0.0, -1.0};
    tacLight light = {.diffuse = {0.7, 0.7, 0.7}, .castshadow = 1};
    check_mode(draft, element);
    tac_read_numbers(reader, element, "pos", 3, 3, tac_range_position, p);
    tac_read_numbers(reader, element, "dir", 3, 3, any_number, d);
    tac_read_numbers(reader, element, "diffuse", 3, 3, (tacRange){0.0, 1e6}, light.diffuse);
    tac_read_bool(reader, element, "directional", &light.directional);
    tac_read_bool(reader, element, "castshadow", &light.castshadow);
    int type = tac_read_word(reader, element, "type", "spot directional point image");
    if (type >= 0) light.directional = type == 1;
    if (tac_norm(tac_load3(d)) < 1e-14)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "dir"), "dir",
                        "the direction has length 0");
    tac_store3(light.position, tac_pose_apply(body, tac_load3(p)));
    tac_store3(light.direction, tac_normalize(tac_quat_rotate(body.rotation, tac_load3(d))));
    tacLight* out = tac_list_add(reader, &draft->light, sizeof *out);
    if (out) *out = light;
}

void tac_read_camera(tacDraft* draft, const tacElement* element, tacPose body) {
    tacReader* reader = &draft->reader;
    tacCamera camera = {.fovy = 45.0};
    camera.name = tac_draft_name(draft, element, "camera", draft->camera.count);
    check_mode(draft, element);
    tac_read_number(reader, element, "fovy", (tacRange){0.01, 179.0}, &camera.fovy);
    tacPose pose = tac_pose_compose(body, tac_read_pose(draft, element));
    tac_store3(camera.position, pose.position);
    tacMat3 axes = tac_mat_transpose(tac_quat_to_mat(pose.rotation));
    memcpy(camera.axes, axes.m, sizeof camera.axes);
    tacCamera* out = tac_list_add(reader, &draft->camera, sizeof *out);
    if (out) *out = camera;
}
