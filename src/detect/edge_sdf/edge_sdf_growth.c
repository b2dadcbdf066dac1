// Hits on edges of a geom that grows by M = sum g_j r_j r_j', r its axes and o its origin.
//
// A place on an edge moves by V(x) = M (x - o) at a constant share of the edge. A ray counts its
// way f in metres from its corner, and the edge with direction t grows by e = t . M t of its length
// L. So at constant f
//
//   place:  x' = V(x) - f e t,   and phi' = grad phi . x' enters a step as the field's own does
//   hit:    y' = V(y) + t (L e (1 + F1_L - F2_L)/2 - a e),  a its distance from the first corner
//
// F_L is the derivative of the soft clip to the edge by its length (edge_sdf_kernels.c).

#include "detect/edge_sdf/edge_sdf_growth.h"

#include "math/number.h"
#include "math/vec3_array.h"

static tacFrame growing_geom(const tacEdgeSdfSide* run) {
    const tacVertexSide* side = &run->side;
    return tac_geom_frame(side->model, side->own_geom, &side->pose.rel_frame);
}

// r_j . t, squared: e = sum g_j of them
static tacVec3 square_along(const tacFrame* geom, tacVec3 t) {
    tacVec3 own = tac_mat_tmul_vec(geom->R, t);
    return tac_mul(own, own);
}

// ray j of step k: its place, gradient and way
typedef struct rayPlace {
    tacVec3 x, g, dir;
    tacReal far;
} rayPlace;

static rayPlace ray_place(const tacEdgeSdfSide* run, int k, int j) {
    rayPlace p = {tac_vec3_at(run->step[k].y, j), tac_vec3_at(run->step[k].gradient, j),
                  tac_vec3_at(run->rays.dir, j), 0.0};
    p.far = tac_dot(p.dir, tac_sub(p.x, tac_vec3_at(run->rays.from, j)));
    return p;
}

// rays of hits: those from both corners
static int ray_of(const tacEdgeSdfSide* run, int i) {
    return i < run->hits.count ? i : run->rays.half + i - run->hits.count;
}

void tac_edge_growth_values(const tacEdgeSdfSide* run, const tacReal growth[3],
                            tacReal* const* value) {
    tacFrame geom = growing_geom(run);
    for (int k = 0; k < run->steps; ++k)
        for (int i = 0; i < 2 * run->hits.count; ++i) {
            rayPlace p = ray_place(run, k, ray_of(run, i));
            tacReal e = tac_dot(tac_load3(growth), square_along(&geom, p.dir));
            tacVec3 v = tac_growth_velocity(&geom, growth, p.x);
            value[k][ray_of(run, i)] += tac_dot(p.g, tac_add_scaled(v, -p.far * e, p.dir));
        }
}

// the derivative of a soft clip by its upper end
static tacReal sigmoid(tacReal x) {
    tacReal e = r_exp(tac_re(x) < 0.0 ? x : -x);
    return (tac_re(x) < 0.0 ? e : (tacReal)1.0) / (1.0 + e);
}

// L (1 + F1_L - F2_L)/2 - a of hit i
static tacReal hit_shift(const tacEdgeSdfSide* run, int i) {
    const tacRays* rays = &run->rays;
    tacReal length = rays->length[i], clip[2];
    for (int end = 0; end < 2; ++end)
        clip[end] = sigmoid((rays->far[end * rays->half + i] - length) / run->numbers.gate);
    tacVec3 from = tac_sub(tac_vec3_at(run->hits.y, i), tac_vec3_at(rays->from, i));
    return 0.5 * length * (1.0 + clip[0] - clip[1]) - tac_dot(tac_vec3_at(rays->dir, i), from);
}

void tac_edge_growth_slides(const tacEdgeSdfSide* run, const tacReal growth[3],
                            tacReal* const slide[3]) {
    tacFrame geom = growing_geom(run);
    for (int i = 0; i < run->hits.count; ++i) {
        tacVec3 v = tac_growth_velocity(&geom, growth, tac_vec3_at(run->hits.y, i));
        if (run->edges) {
            tacVec3 t = tac_vec3_at(run->rays.dir, i);
            tacReal e = tac_dot(tac_load3(growth), square_along(&geom, t));
            v = tac_add_scaled(v, e * hit_shift(run, i), t);
        }
        tac_vec3_add_to(slide, i, tac_mat_mul_vec(run->side.pose.field.R, v));
    }
}

void tac_edge_growth_vjp(const tacEdgeSdfSide* run, const tacReal* const slide_bar[3],
                         const tacReal* const* value_bar, tacReal growth_bar[3]) {
    tacFrame geom = growing_geom(run);
    tacVec3 sum = tac_vec3_zero();
    for (int i = 0; i < run->hits.count; ++i) {
        tacVec3 bar = {slide_bar[0][i], slide_bar[1][i], slide_bar[2][i]};
        tacVec3 force = tac_mat_tmul_vec(run->side.pose.field.R, bar);
        tac_growth_velocity_vjp(&geom, tac_vec3_at(run->hits.y, i), force, growth_bar);
        if (!run->edges) continue;
        tacVec3 t = tac_vec3_at(run->rays.dir, i);
        sum = tac_add_scaled(sum, tac_dot(t, force) * hit_shift(run, i), square_along(&geom, t));
    }
    for (int k = 0; k < run->steps && run->edges; ++k)
        for (int i = 0; i < 2 * run->hits.count; ++i) {
            int j = ray_of(run, i);
            rayPlace p = ray_place(run, k, j);
            tac_growth_velocity_vjp(&geom, p.x, tac_scale(p.g, value_bar[k][j]), growth_bar);
            sum = tac_add_scaled(sum, -value_bar[k][j] * p.far * tac_dot(p.g, p.dir),
                                 square_along(&geom, p.dir));
        }
    tac_store3(growth_bar, tac_add(tac_load3(growth_bar), sum));
}
