// How features of a geom move with its own parameters: its place on the body, and sizes along its
// axes.
//
// Features are stored for one place p0, R0 and size a0 of the geom. At others a point x of the body
// is at A x + b,
//
//   A = R diag(a/a0) R0',  b = p - A p0
//
// which is the identity unless parameters carry a derivative or were changed without tac_param_set.

#ifndef TAC_DETECT_FIELD_FEATURE_MOTION_H
#define TAC_DETECT_FIELD_FEATURE_MOTION_H

#include "detect/field/field_pose.h"
#include "model/contact/geom_features.h"
#include "shape/node_data.h"

typedef struct tacFeatureMap {
    int moved;      // 0: the identity
    int is_shifted; // 1: values differ, not derivatives alone: boxes of features do not hold
    tacMat3 A;
    tacVec3 b;
    tacReal growth[3]; // a/a0
} tacFeatureMap;

static inline tacFeatureMap tac_feature_map(const tacModel* model, int geom) {
    const tacFeatureBase* base = &model->contact->feature[geom].index->base;
    const tacGeom* g = &model->geom[geom];
    const tacReal *p = &model->param[g->position], *q = &model->param[g->rotation];
    tacFeatureMap map = {.moved = 0, .is_shifted = 0};
    tacReal size[3];
    for (int k = 0; k < 3; ++k) {
        int own = base->size[k];
        size[k] = own >= 0 ? model->param[base->size_param + own] : (tacReal)1.0;
        map.moved |= p[k] != base->pos[k] || size[k] != base->length[k];
        map.is_shifted |= tac_re(p[k]) != base->pos[k] || tac_re(size[k]) != base->length[k];
    }
    for (int k = 0; k < 4; ++k) {
        map.moved |= q[k] != base->quat[k];
        map.is_shifted |= tac_re(q[k]) != base->quat[k];
    }
    if (!map.moved) return map;
    const double* q0 = base->quat;
    tacMat3 R = tac_quat_to_mat(tac_quat_load(q));
    tacMat3 R0 = tac_quat_to_mat((tacQuat){q0[0], q0[1], q0[2], q0[3]});
    for (int i = 0; i < 3; ++i) {
        map.growth[i] = size[i] / base->length[i];
        for (int k = 0; k < 3; ++k) R.m[k][i] *= map.growth[i];
    }
    map.A = tac_mat_mul_t(R, R0);
    tacVec3 from = {base->pos[0], base->pos[1], base->pos[2]};
    map.b = tac_sub(tac_load3(p), tac_mat_mul_vec(map.A, from));
    return map;
}

static inline tacVec3 tac_feature_map_point(const tacFeatureMap* map, tacVec3 x) {
    return map->moved ? tac_add(map->b, tac_mat_mul_vec(map->A, x)) : x;
}

// a direction that features keep as they grow: along an axis, or across it
static inline tacVec3 tac_feature_map_direction(const tacFeatureMap* map, tacVec3 x) {
    return map->moved ? tac_normalize(tac_mat_mul_vec(map->A, x)) : x;
}

//---------------------------------- derivatives ----------------------------------

// relative growth of the axes along a tangent of the parameters; 0: none
static inline int tac_feature_growth(const tacModel* model, int geom, const tacReal* theta_dot,
                                     tacReal growth[3]) {
    const tacFeatureBase* base = &model->contact->feature[geom].index->base;
    int any = 0;
    for (int k = 0; k < 3; ++k) {
        int at = base->size_param + base->size[k];
        growth[k] = 0.0;
        if (base->size[k] < 0) continue;
        growth[k] = theta_dot[at] / model->param[at];
        any |= growth[k] != 0.0;
    }
    return any;
}

static inline void tac_feature_growth_vjp(const tacModel* model, int geom,
                                          const tacReal growth_bar[3], tacReal* theta_bar) {
    const tacFeatureBase* base = &model->contact->feature[geom].index->base;
    for (int k = 0; k < 3; ++k) {
        int at = base->size_param + base->size[k];
        if (base->size[k] >= 0) theta_bar[at] += growth_bar[k] / model->param[at];
    }
}

// axes and origin of a geom, in axes that its body has the pose `body` in
static inline tacFrame tac_geom_frame(const tacModel* model, int geom, const tacFrame* body) {
    tacPose place = tac_field_pose(model, &model->geom[geom]);
    tacFrame out;
    out.R = tac_mat_mul(body->R, tac_quat_to_mat(place.rotation));
    tac_store3(out.origin,
               tac_add(tac_load3(body->origin), tac_mat_mul_vec(body->R, place.position)));
    return out;
}

// velocity of a feature at y as its geom grows, and the transpose of that
static inline tacVec3 tac_growth_velocity(const tacFrame* geom, const tacReal growth[3],
                                          tacVec3 y) {
    tacVec3 x = tac_mat_tmul_vec(geom->R, tac_sub(y, tac_load3(geom->origin)));
    return tac_mat_mul_vec(geom->R, tac_mul(tac_load3(growth), x));
}

static inline void tac_growth_velocity_vjp(const tacFrame* geom, tacVec3 y, tacVec3 force,
                                           tacReal growth_bar[3]) {
    tacVec3 x = tac_mat_tmul_vec(geom->R, tac_sub(y, tac_load3(geom->origin)));
    tacVec3 bar = tac_mul(x, tac_mat_tmul_vec(geom->R, force));
    tac_store3(growth_bar, tac_add(tac_load3(growth_bar), bar));
}

#endif
