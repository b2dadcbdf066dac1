// Rims of a cylinder with middle m, unit axis a and radius R, in a field phi with gradient g:
//
//   u = h - a (a . h),  t = u/sqrt(e^2 + |u|^2),  x = m - R t,  h the normal at m
//
// x is the deepest point of the circle where the field is a plane, and one step towards it
// elsewhere. Normals along the axis are those of a cylinder that stands: there corners carry it.
//
//   F(n) = max(0, 1 - (1 - (n . a)^2)/Q)^3
//   rims:    gamma (1 - F) C(|h|^2)
//   corners: gamma (S F + (1 - F) (1 - B(c . t) G(d - d_rim) C)), c towards the middle of their rim
//
// B is 1 within 60 degrees of the rim's point and 0 from 90 on, G is 1 for corners that are not
// deeper than it. S is such that a cap counts as four corners, however many it has. Where m is at a
// tie of the field h fades (field_normal.inl), and C is 0 before t turns over.

#define TAC_ONE_LANE
#include "detect/field/cylinder_rims.h"

#include "detect/field/field_normal.inl"
#include "detect/field/hit_motion.h"

#include <string.h>

// of t; sine of 5.7 degrees, squared
#define DIRECTION_SOFT 1e-6
#define UPRIGHT        0.01

// cosine of 60 degrees; |h|^2 where C ends
#define NEAR_RIM 0.5
#define TIED     0.25

//---------------------------------- memory ---------------------------------------

int tac_cylinder_rims_count(const tacFeatures* f) { return f->index ? f->index->rims : 0; }

void tac_cylinder_rims_alloc(tacCylinderRims* rims, int hessians, tacArena* arena) {
    rims->middle = tac_hits_alloc(arena, TAC_CYLINDER_RIMS, hessians);
    rims->deepest = tac_hits_alloc(arena, TAC_CYLINDER_RIMS, hessians);
}

//---------------------------------- the deepest point ----------------------------

// t and C of a gradient and an axis, with what their derivatives take
typedef struct direction {
    tacVec3 g, h, t;
    fieldNormal normal;
    tacReal r, along, clear, by_square; // 1/sqrt, a . h, C and its slope by |h|^2
} direction;

static direction direction_of(tacVec3 g, tacVec3 a) {
    direction d = {.g = g};
    tacReal square = tac_norm2(g);
    d.normal = field_normal(square, 1.0 / r_sqrt(field_normal_square(square)));
    d.h = tac_scale(g, d.normal.s);
    d.along = tac_dot(a, d.h);
    tacVec3 u = tac_add_scaled(d.h, -d.along, a);
    d.r = 1.0 / r_sqrt(tac_norm2(u) + DIRECTION_SOFT);
    d.t = tac_scale(u, d.r);
    d.clear = tac_smoothstep5((tac_norm2(d.h) - TIED) / (1.0 - TIED), &d.by_square);
    d.by_square /= 1.0 - TIED;
    return d;
}

// derivatives of h and of t, each its own transpose
static tacVec3 normal_jvp(const direction* d, tacVec3 x) {
    return tac_add_scaled(tac_scale(x, d->normal.s), -d->normal.curvature * tac_dot(d->g, x), d->g);
}

static tacVec3 toward_jvp(const direction* d, tacVec3 x) {
    return tac_scale(tac_add_scaled(x, -tac_dot(d->t, x), d->t), d->r);
}

static tacVec3 direction_jvp(const direction* d, tacVec3 a, tacVec3 g_dot, tacVec3 a_dot,
                             tacReal* clear_dot) {
    tacVec3 h_dot = normal_jvp(d, g_dot);
    tacReal along_dot = tac_dot(a, h_dot) + tac_dot(a_dot, d->h);
    tacVec3 u_dot = tac_add_scaled(tac_add_scaled(h_dot, -along_dot, a), -d->along, a_dot);
    *clear_dot = 2.0 * d->by_square * tac_dot(d->h, h_dot);
    return toward_jvp(d, u_dot);
}

static void direction_vjp(const direction* d, tacVec3 a, tacVec3 t_bar, tacReal clear_bar,
                          tacVec3* g_bar, tacVec3* a_bar) {
    tacVec3 u_bar = toward_jvp(d, t_bar);
    tacReal across = tac_dot(a, u_bar);
    tacVec3 h_bar = tac_add_scaled(u_bar, -across, a);
    *g_bar = normal_jvp(d, tac_add_scaled(h_bar, 2.0 * d->by_square * clear_bar, d->h));
    *a_bar = tac_add_scaled(tac_scale(u_bar, -d->along), -across, d->h);
}

static void add_hit(const tacHits* from, int i, int vertex, int order, tacHits* to) {
    int j = to->count++;
    to->vertex[j] = vertex;
    tac_hit_copy(from, i, order, to, j);
}

static tacVec3 rim_centre(const tacVertexSide* side, int rim) {
    const double* x = side->features->index->rim[rim];
    const tacFrame* f = &side->pose.feature_frame;
    return tac_add(tac_load3(f->origin), tac_mat_mul_vec(f->R, (tacVec3){x[0], x[1], x[2]}));
}

void tac_cylinder_rims_find(tacVertexSide* side, int order, tacHits* hits, tacCylinderRims* out,
                            tacScratch* scratch) {
    const struct tacFeatureIndex* index = side->features->index;
    out->count = tac_cylinder_rims_count(side->features);
    if (out->count == 0) return;
    *out = (tacCylinderRims){.count = out->count};
    const double* a = index->rim_axis;
    tacVec3 axis = tac_feature_map_direction(&side->map, (tacVec3){a[0], a[1], a[2]});
    out->radius = index->rim_radius;
    if (side->map.moved) out->radius *= side->map.growth[0];
    out->axis = tac_mat_mul_vec(side->pose.rel_frame.R, axis);
    tac_cylinder_rims_alloc(out, order > 1, &scratch->arena);
    out->middle.count = out->deepest.count = TAC_CYLINDER_RIMS;
    for (int k = 0; k < TAC_CYLINDER_RIMS; ++k) tac_vec3_set(out->middle.y, k, rim_centre(side, k));
    tac_hits_field(side, &out->middle, order);
    for (int k = 0; k < TAC_CYLINDER_RIMS; ++k) {
        direction d = direction_of(tac_vec3_at(out->middle.gradient, k), out->axis);
        out->toward[k] = d.t;
        out->clear[k] = d.clear;
        tac_vec3_set(out->deepest.y, k,
                     tac_add_scaled(tac_vec3_at(out->middle.y, k), -out->radius, out->toward[k]));
    }
    tac_hits_field(side, &out->deepest, order);
    for (int k = 0; k < TAC_CYLINDER_RIMS; ++k) {
        int near = tac_re(out->deepest.value[k]) < tac_re(side->pose.support);
        out->hit[k] = near ? hits->count : -1;
        if (near) add_hit(&out->deepest, k, side->features->vertices + k, order, hits);
    }
    tac_hits_pad(hits, order);
}

//---------------------------------- weights --------------------------------------

// F and its slope by 1 - (n . a)^2
static tacReal upright_factor(tacReal across, tacReal* slope) {
    tacReal left = 1.0 - across / UPRIGHT;
    *slope = 0.0;
    if (tac_re(left) <= 0.0) return 0.0;
    *slope = -3.0 * left * left / UPRIGHT;
    return left * left * left;
}

// what an activity is multiplied by, with derivatives; world axes
typedef struct weight {
    int rim, is_vertex; // which rim, and is it a corner beside it?
    tacVec3 n, a, c, t;
    tacReal value, by_across, by_cosine, by_depth, by_tau; // 1 - (n . a)^2, c . t, d - d_rim
    tacReal by_clear;
} weight;

static int is_rim(const tacVertexSide* side, int vertex) {
    return vertex - side->features->vertices;
}

// the rim whose middle is on the same side, and the unit vector to there
static int rim_of_vertex(const tacVertexSide* side, int vertex, double out[3]) {
    const tacFeatures* f = side->features;
    const struct tacFeatureIndex* index = f->index;
    double height = 0.0, length = 0.0;
    for (int k = 0; k < 3; ++k)
        height +=
            (f->x[k][vertex] - 0.5 * (index->rim[0][k] + index->rim[1][k])) * index->rim_axis[k];
    int rim = height > 0.0;
    for (int k = 0; k < 3; ++k) {
        out[k] = index->rim[rim][k] - f->x[k][vertex];
        length += out[k] * out[k];
    }
    for (int k = 0; k < 3; ++k) out[k] /= sqrt(length);
    return rim;
}

static void weight_vertex(const tacVertexSide* side, const tacCylinderRims* rims, tacReal depth,
                          weight* w) {
    tacReal fade, B, G, of_B, of_G, of_F, tau = side->pose.tau, C = rims->clear[w->rim];
    double share = 8.0 / side->features->vertices;
    tacReal along = tac_dot(w->n, w->a);
    fade = 1.0 - upright_factor(1.0 - along * along, &of_F);
    tacReal behind = (depth - rims->deepest.value[w->rim]) / tau;
    B = tac_smoothstep5(tac_dot(w->c, w->t) / NEAR_RIM, &of_B);
    G = tac_smoothstep5(behind + 2.0, &of_G);
    w->value = (1.0 - fade) * share + fade * (1.0 - B * G * C);
    w->by_across = of_F * (share - 1.0 + B * G * C);
    w->by_cosine = -fade * of_B * G * C / NEAR_RIM;
    w->by_depth = -fade * B * of_G * C / tau;
    w->by_tau = fade * B * of_G * C * behind / tau;
    w->by_clear = -fade * B * G;
}

static void weight_rim(const tacCylinderRims* rims, weight* w) {
    tacReal slope, along = tac_dot(w->n, w->a), C = rims->clear[w->rim];
    w->by_clear = 1.0 - upright_factor(1.0 - along * along, &slope);
    w->value = w->by_clear * C;
    w->by_across = -slope * C;
}

static weight hit_weight(const tacVertexSide* side, const tacCylinderRims* rims,
                         const tacHits* hits, tacHitRecords records, int i) {
    weight w = {.rim = is_rim(side, hits->vertex[i])};
    w.n = tac_vec3_at(records.normal, i);
    w.a = tac_mat_mul_vec(side->pose.field.R, rims->axis);
    w.is_vertex = w.rim < 0;
    if (w.is_vertex) {
        double c[3];
        w.rim = rim_of_vertex(side, hits->vertex[i], c);
        w.c = tac_feature_map_direction(&side->map, (tacVec3){c[0], c[1], c[2]});
        w.c = tac_mat_mul_vec(side->pose.own.R, w.c);
        w.t = tac_mat_mul_vec(side->pose.field.R, rims->toward[w.rim]);
        weight_vertex(side, rims, records.distance[i], &w);
    } else {
        weight_rim(rims, &w);
    }
    return w;
}

void tac_cylinder_rims_weight(const tacVertexSide* side, const tacCylinderRims* rims,
                              const tacHits* hits, tacHitRecords records) {
    for (int i = 0; i < hits->count && rims->count; ++i)
        records.activity[i] *= hit_weight(side, rims, hits, records, i).value;
}

//---------------------------------- forward --------------------------------------

tacCylinderRimsDot tac_cylinder_rims_slide(const tacVertexSide* side, const tacCylinderRims* rims,
                                           const tacHits* hits, const tacHitDot* dot,
                                           const tacField fields[2], tacReal* const slide[3]) {
    tacCylinderRimsDot out = {.along = dot};
    const tacMat3 R = side->pose.field.R;
    tacVec3 spun =
        tac_mat_tmul_vec(R, tac_sub(tac_angular_part(dot->own), tac_angular_part(dot->field)));
    for (int i = 0; i < hits->count; ++i) tac_vec3_set(slide, i, tac_vec3_zero());
    tac_hits_add_growth(side, hits, dot, slide);
    for (int k = 0; k < rims->count; ++k) {
        direction d = direction_of(tac_vec3_at(rims->middle.gradient, k), rims->axis);
        tacVec3 g_dot = tac_hit_hessian_mul(
            &rims->middle, k, tac_hit_velocity(side, dot, tac_vec3_at(rims->middle.y, k)));
        if (fields) g_dot = tac_add(g_dot, tac_vec3_at(fields[0].gradient, k));
        tacVec3 t_dot =
            direction_jvp(&d, rims->axis, g_dot, tac_cross(spun, rims->axis), &out.clear[k]);
        tacVec3 slip = tac_scale(tac_sub(t_dot, tac_cross(spun, d.t)), -rims->radius);
        tacVec3 y_dot = tac_add(tac_hit_velocity(side, dot, tac_vec3_at(rims->deepest.y, k)), slip);
        out.depth[k] = tac_dot(tac_vec3_at(rims->deepest.gradient, k), y_dot);
        if (fields) out.depth[k] += fields[1].value[k];
        out.toward[k] = tac_add(tac_mat_mul_vec(R, t_dot),
                                tac_cross(tac_angular_part(dot->field), tac_mat_mul_vec(R, d.t)));
        if (rims->hit[k] >= 0) tac_vec3_add_to(slide, rims->hit[k], tac_mat_mul_vec(R, slip));
    }
    return out;
}

void tac_cylinder_rims_weight_jvp(const tacVertexSide* side, const tacCylinderRims* rims,
                                  const tacHits* hits, const tacCylinderRimsDot* moved,
                                  tacHitRecords records, tacHitRecords out) {
    const tacHitDot* dot = moved->along;
    for (int i = 0; i < hits->count; ++i) {
        weight w = hit_weight(side, rims, hits, records, i);
        tacVec3 n_dot = tac_vec3_at(out.normal, i),
                a_dot = tac_cross(tac_angular_part(dot->own), w.a);
        tacReal along = tac_dot(w.n, w.a);
        tacReal along_dot = tac_dot(n_dot, w.a) + tac_dot(w.n, a_dot);
        tacReal value_dot =
            w.by_clear * moved->clear[w.rim] - 2.0 * w.by_across * along * along_dot;
        if (w.is_vertex) {
            tacVec3 c_dot = tac_cross(tac_angular_part(dot->own), w.c);
            value_dot += w.by_cosine * (tac_dot(c_dot, w.t) + tac_dot(w.c, moved->toward[w.rim])) +
                         w.by_depth * (out.distance[i] - moved->depth[w.rim]) + w.by_tau * dot->tau;
        }
        out.activity[i] = out.activity[i] * w.value + records.activity[i] * value_dot;
    }
}

//---------------------------------- reverse --------------------------------------

tacCylinderRimsDot tac_cylinder_rims_weight_vjp(const tacVertexSide* side,
                                                const tacCylinderRims* rims, const tacHits* hits,
                                                tacHitRecords records, tacHitRecords bar,
                                                tacHitBar* out) {
    tacCylinderRimsDot rim_bar = {.along = NULL};
    for (int i = 0; i < hits->count; ++i) {
        weight w = hit_weight(side, rims, hits, records, i);
        tacReal value_bar = bar.activity[i] * records.activity[i], along = tac_dot(w.n, w.a);
        tacReal along_bar = -2.0 * w.by_across * along * value_bar;
        bar.activity[i] *= w.value;
        tac_vec3_add_to(bar.normal, i, tac_scale(w.a, along_bar));
        tac_add_torque(out->own, tac_cross(w.a, tac_scale(w.n, along_bar)));
        rim_bar.clear[w.rim] += w.by_clear * value_bar;
        if (!w.is_vertex) continue;
        tacReal cosine_bar = w.by_cosine * value_bar, depth_bar = w.by_depth * value_bar;
        tac_add_torque(out->own, tac_cross(w.c, tac_scale(w.t, cosine_bar)));
        rim_bar.toward[w.rim] = tac_add_scaled(rim_bar.toward[w.rim], cosine_bar, w.c);
        bar.distance[i] += depth_bar;
        rim_bar.depth[w.rim] -= depth_bar;
        out->tau += w.by_tau * value_bar;
    }
    return rim_bar;
}

void tac_cylinder_rims_slide_vjp(const tacVertexSide* side, const tacCylinderRims* rims,
                                 const tacCylinderRimsDot* bar, tacHitBar* out,
                                 const tacField fields[2]) {
    const tacMat3 R = side->pose.field.R;
    for (int k = 0; k < rims->count; ++k) {
        direction d = direction_of(tac_vec3_at(rims->middle.gradient, k), rims->axis);
        tacVec3 depth_force = tac_scale(tac_vec3_at(rims->deepest.gradient, k), bar->depth[k]),
                slip_bar = depth_force;
        tacVec3 t_bar = tac_mat_tmul_vec(R, bar->toward[k]), g_bar, a_bar;
        tac_hit_add_force(side, tac_vec3_at(rims->deepest.y, k), depth_force, out);
        tac_add_torque(out->field, tac_cross(tac_mat_mul_vec(R, d.t), bar->toward[k]));
        if (rims->hit[k] >= 0)
            slip_bar =
                tac_add(slip_bar, tac_mat_tmul_vec(R, tac_vec3_at(out->slide, rims->hit[k])));
        t_bar = tac_add_scaled(t_bar, -rims->radius, slip_bar);
        direction_vjp(&d, rims->axis, t_bar, bar->clear[k], &g_bar, &a_bar);
        tacVec3 spun_bar = tac_add(tac_cross(rims->axis, a_bar),
                                   tac_scale(tac_cross(d.t, slip_bar), rims->radius));
        spun_bar = tac_mat_mul_vec(R, spun_bar);
        tac_add_torque(out->own, spun_bar);
        tac_add_torque(out->field, tac_neg(spun_bar));
        tac_hit_add_force(side, tac_vec3_at(rims->middle.y, k),
                          tac_hit_hessian_mul(&rims->middle, k, g_bar), out);
        if (!fields) continue;
        tac_vec3_set(fields[0].gradient, k, g_bar);
        fields[0].value[k] = 0.0;
        fields[1].value[k] = bar->depth[k];
        tac_vec3_set(fields[1].gradient, k, tac_vec3_zero());
    }
}
