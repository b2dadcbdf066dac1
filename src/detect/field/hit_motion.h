// How hits move: what rims of cylinders and projected spheres have in common.

#ifndef TAC_DETECT_FIELD_HIT_MOTION_H
#define TAC_DETECT_FIELD_HIT_MOTION_H

#include "detect/field/vertex_sdf.h"
#include "math/vec3_array.h"

// s^3 (10 - 15 s + 6 s^2) between 0 and 1, and its slope
static inline tacReal tac_smoothstep5(tacReal s, tacReal* slope) {
    *slope = 0.0;
    if (tac_re(s) <= 0.0) return 0.0;
    if (tac_re(s) >= 1.0) return 1.0;
    *slope = 30.0 * s * s * (1.0 - s) * (1.0 - s);
    return s * s * s * (10.0 - s * (15.0 - 6.0 * s));
}

// Hessian of the field at hit i times v
static inline tacVec3 tac_hit_hessian_mul(const tacHits* h, int i, tacVec3 v) {
    const tacReal H[6] = {h->hessian[0][i], h->hessian[1][i], h->hessian[2][i],
                          h->hessian[3][i], h->hessian[4][i], h->hessian[5][i]};
    return tac_symmetric_mul(H, v);
}

// copies hit i of `from` to place j of `to`, without its vertex
static inline void tac_hit_copy(const tacHits* from, int i, int order, const tacHits* to, int j) {
    to->value[j] = from->value[i];
    tac_vec3_set(to->y, j, tac_vec3_at(from->y, i));
    tac_vec3_set(to->gradient, j, tac_vec3_at(from->gradient, i));
    for (int k = 0; k < 6 && order > 1; ++k) to->hessian[k][j] = from->hessian[k][i];
}

// kernels read whole vectors: the last hit is repeated
static inline void tac_hits_pad(tacHits* h, int order) {
    for (int i = h->count; i < h->count + TAC_HIT_PADDING && h->count; ++i)
        tac_hit_copy(h, h->count - 1, order, h, i);
}

static inline tacVec3 tac_angular_part(const tacReal twist[6]) { return tac_load3(twist + 3); }

static inline void tac_add_torque(tacReal wrench[6], tacVec3 torque) {
    tac_store3(wrench + 3, tac_add(tac_load3(wrench + 3), torque));
}

static inline int tac_hit_grows(const tacHitDot* dot) {
    return dot->growth[0] != 0.0 || dot->growth[1] != 0.0 || dot->growth[2] != 0.0;
}

// velocity of the own geom's point at y relative to the field's body, in axes of the latter
static inline tacVec3 tac_hit_velocity(const tacVertexSide* side, const tacHitDot* dot, tacVec3 y) {
    const tacFrame *f = &side->pose.field, *own = &side->pose.own;
    tacVec3 x = tac_add(tac_load3(f->origin), tac_mat_mul_vec(f->R, y));
    tacVec3 v = tac_add(tac_load3(dot->own),
                        tac_cross(tac_angular_part(dot->own), tac_sub(x, tac_load3(own->origin))));
    tacVec3 field_velocity =
        tac_add(tac_load3(dot->field),
                tac_cross(tac_angular_part(dot->field), tac_sub(x, tac_load3(f->origin))));
    v = tac_mat_tmul_vec(f->R, tac_sub(v, field_velocity));
    if (!tac_hit_grows(dot)) return v;
    tacFrame geom = tac_geom_frame(side->model, side->own_geom, &side->pose.rel_frame);
    return tac_add(v, tac_growth_velocity(&geom, dot->growth, y));
}

// its transpose: a force on the own body at y, and the opposite one on the field's body
static inline void tac_hit_add_force(const tacVertexSide* side, tacVec3 y, tacVec3 force,
                                     tacHitBar* out) {
    const tacFrame *f = &side->pose.field, *own = &side->pose.own;
    tacVec3 x = tac_add(tac_load3(f->origin), tac_mat_mul_vec(f->R, y));
    tacFrame geom = tac_geom_frame(side->model, side->own_geom, &side->pose.rel_frame);
    tac_growth_velocity_vjp(&geom, y, force, out->growth);
    force = tac_mat_mul_vec(f->R, force);
    tac_store3(out->own, tac_add(tac_load3(out->own), force));
    tac_store3(out->field, tac_sub(tac_load3(out->field), force));
    tac_add_torque(out->own, tac_cross(tac_sub(x, tac_load3(own->origin)), force));
    tac_add_torque(out->field, tac_cross(force, tac_sub(x, tac_load3(f->origin))));
}

// adds to the slide of each hit what the growth of its geom does, world axes
static inline void tac_hits_add_growth(const tacVertexSide* side, const tacHits* hits,
                                       const tacHitDot* dot, tacReal* const slide[3]) {
    if (!tac_hit_grows(dot)) return;
    tacFrame geom = tac_geom_frame(side->model, side->own_geom, &side->pose.rel_frame);
    for (int i = 0; i < hits->count; ++i) {
        tacVec3 v = tac_growth_velocity(&geom, dot->growth, tac_vec3_at(hits->y, i));
        tac_vec3_add_to(slide, i, tac_mat_mul_vec(side->pose.field.R, v));
    }
}

// the transpose, from the adjoints of slides
static inline void tac_hits_growth_vjp(const tacVertexSide* side, const tacHits* hits,
                                       tacHitBar* out) {
    tacFrame geom = tac_geom_frame(side->model, side->own_geom, &side->pose.rel_frame);
    for (int i = 0; i < hits->count; ++i) {
        tacVec3 force = tac_mat_tmul_vec(side->pose.field.R, tac_vec3_at(out->slide, i));
        tac_growth_velocity_vjp(&geom, tac_vec3_at(hits->y, i), force, out->growth);
    }
}

#endif
