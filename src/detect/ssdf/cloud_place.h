// Where the points of a geom are: they were made for one place of the geom on its body, and follow
// pos and quat of the geom from there.

#ifndef TAC_DETECT_SSDF_CLOUD_PLACE_H
#define TAC_DETECT_SSDF_CLOUD_PLACE_H

#include "detect/field/field_pose.h"
#include "model/contact/contact_data.h"

// pose of the axes that a geom's points are in; that of its body unless its place has changed
static inline tacPose tac_cloud_pose(const tacModel* model, int geom, tacPose body) {
    const double* base = model->contact->cloud_place + 7 * geom;
    const tacGeom* g = &model->geom[geom];
    int moved = 0;
    for (int k = 0; k < 3; ++k) moved |= model->param[g->position + k] != base[k];
    for (int k = 0; k < 4; ++k) moved |= model->param[g->rotation + k] != base[3 + k];
    if (!moved) return body;
    tacPose from = {{base[0], base[1], base[2]}, {base[3], base[4], base[5], base[6]}};
    tacPose by = tac_pose_compose(tac_field_pose(model, g), tac_pose_inverse(from));
    by.rotation = tac_quat_normalize(by.rotation);
    return tac_pose_compose(body, by);
}

// twist of a geom on its body about a point, world axes, along a tangent of the parameters
static inline tacTwist tac_cloud_place_twist(const tacModel* model, int geom, tacPose body,
                                             tacVec3 point, const tacReal* theta_dot) {
    tacTwist own = tac_place_twist(model, geom, tac_quat_to_mat(body.rotation), theta_dot);
    return tac_twist_shift(own, body.position, point);
}

static inline void tac_cloud_place_twist_vjp(const tacModel* model, int geom, tacPose body,
                                             tacVec3 point, tacWrench w, tacReal* theta_bar) {
    tac_place_twist_vjp(model, geom, tac_quat_to_mat(body.rotation),
                        tac_wrench_shift(w, point, body.position), theta_bar);
}

#endif
