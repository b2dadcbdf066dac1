// Kernels of edges traced through a field, compiled once per instruction set and number type.
//
// From each corner a ray goes along the edge, f <- f + u sigma(u/gate)/slope with u = phi - R at
// its place: forward while it is outside, at most to the surface, and not at all once it is inside.
// With F the soft clip of f to [0, L], the hit is half way between both ends:
//
//   a = (F_1 + L - F_2)/2,  y = corner + a t
//
// Derivative of the finite iteration, from its end: lambda = +-F'/2, then for each step backwards
//   c = lambda h'(u)/slope,  a' += c phi' at the step's place,  lambda <- lambda + c t.grad phi
// where phi' is the field's own and grad phi . (motion of the place on its rigid body).

#include "detect/edge_sdf/edge_sdf_kernels.h"

#include "shape/local_field.inl"
#include "smooth/soft.inl"

#include <string.h>

//---------------------------------- rays -----------------------------------------

static void start(const tacReal* const corners[2][3], tacRays* rays) {
    for (int i = 0; i < rays->half; i += TAC_LANES) {
        wide a[3], b[3], t[3], back[3], zero = w_set(0.0);
        w_load3(corners[0], i, a);
        w_load3(corners[1], i, b);
        for (int k = 0; k < 3; ++k) t[k] = b[k] - a[k];
        wide square = w_dot3(t, t) + 1e-60, inverse = w_rsqrt(square);
        for (int k = 0; k < 3; ++k) {
            t[k] = t[k] * inverse;
            back[k] = -t[k];
        }
        int j = rays->half + i;
        w_store3(rays->from, i, a);
        w_store3(rays->from, j, b);
        w_store3(rays->dir, i, t);
        w_store3(rays->dir, j, back);
        w_store(&rays->length[i], square * inverse);
        w_store(&rays->length[j], square * inverse);
        w_store(&rays->far[i], zero);
        w_store(&rays->far[j], zero);
    }
}

// u sigma(u/gate): its value and partials; d_x by u, d_tau by the gate
TAC_INLINE softDiff gated_step(wide u, const tacRayParams* n) {
    softDiff s = soft_greater_diff(u, w_set(0.0), w_set(n->gate));
    wide zero = w_set(0.0);
    return (softDiff){u * s.value, w_fma(u, s.d_x, s.value), zero, zero, u * s.d_tau};
}

static void step(const tacRayParams* numbers, const tacReal* value, tacRays* rays,
                 tacReal* const next[3]) {
    wide inverse = w_set(1.0 / numbers->slope);
    for (int i = 0; i < 2 * rays->half; i += TAC_LANES) {
        wide u = w_load(&value[i]) - numbers->radius;
        wide h = u * soft_greater(u, w_set(0.0), w_set(numbers->gate));
        wide far = w_fma(h, inverse, w_load(&rays->far[i])), from[3], dir[3];
        w_load3(W_CONST3(rays->from), i, from);
        w_load3(W_CONST3(rays->dir), i, dir);
        w_store(&rays->far[i], far);
        for (int k = 0; k < 3; ++k) w_store(&next[k][i], w_fma(far, dir[k], from[k]));
    }
}

static void finish(const tacRayParams* numbers, const tacRays* rays, tacReal* const y[3]) {
    for (int i = 0; i < rays->half; i += TAC_LANES) {
        wide zero = w_set(0.0), length = w_load(&rays->length[i]), gate = w_set(numbers->gate);
        wide first = soft_clip(w_load(&rays->far[i]), zero, length, gate);
        wide second = soft_clip(w_load(&rays->far[rays->half + i]), zero, length, gate);
        wide a = 0.5 * (first + (length - second)), from[3], dir[3];
        w_load3(W_CONST3(rays->from), i, from);
        w_load3(W_CONST3(rays->dir), i, dir);
        for (int k = 0; k < 3; ++k) w_store(&y[k][i], w_fma(a, dir[k], from[k]));
    }
}

//---------------------------------- derivative of the place ----------------------

// sums over the steps of one vector of edges
typedef struct slideSums {
    wide lin[3], ang[3], radius, gate, slope;
} slideSums;

// a trace: rays with the field at each of their steps
typedef struct rayTrace {
    const tacRayParams* n;
    const tacRays* rays;
    const tacHits* step;
    const tacEdgeSlide* out;
} rayTrace;

// one ray, from its end backwards; side is 1/2 or -1/2
TAC_INLINE void slide_ray(rayTrace trace, const wide y[3], int i, double side, slideSums* s) {
    const tacRayParams* n = trace.n;
    const tacRays* rays = trace.rays;
    const tacHits* step = trace.step;
    wide length = w_load(&rays->length[i]), dir[3], inverse = w_set(1.0 / n->slope);
    softDiff clip = soft_clip_diff(w_load(&rays->far[i]), w_set(0.0), length, w_set(n->gate));
    wide lambda = side * clip.d_x;
    s->gate = w_fma(w_set(side), clip.d_tau, s->gate);
    w_load3(W_CONST3(rays->dir), i, dir);
    for (int k = trace.out->steps - 1; k >= 0; --k) {
        wide at[3], g[3], force[3], moment[3];
        softDiff h = gated_step(w_load(&step[k].value[i]) - n->radius, n);
        wide c = lambda * h.d_x * inverse;
        w_load3(W_CONST3(step[k].y), i, at);
        w_load3(W_CONST3(step[k].gradient), i, g);
        w_store(&trace.out->weight[k][i], c);
        s->gate = w_fma(lambda * inverse, h.d_tau, s->gate);
        s->slope = s->slope - lambda * h.value * inverse * inverse;
        s->radius = s->radius - c;
        for (int m = 0; m < 3; ++m) {
            force[m] = c * g[m];
            at[m] = at[m] - y[m];
        }
        w_cross3(at, force, moment);
        for (int m = 0; m < 3; ++m) {
            s->lin[m] = s->lin[m] + force[m];
            s->ang[m] = s->ang[m] + moment[m];
        }
        lambda = w_fma(c, w_dot3(g, dir), lambda);
    }
}

static void slide(const tacRayParams* numbers, const tacFrame* frame, const tacRays* rays,
                  const tacHits* step, tacReal* const y[3], tacEdgeSlide* out) {
    rayTrace trace = {numbers, rays, step, out};
    for (int i = 0; i < rays->half; i += TAC_LANES) {
        slideSums s;
        wide at[3], dir[3], rotated[3];
        memset(&s, 0, sizeof s);
        w_load3(W_CONST3(y), i, at);
        w_load3(W_CONST3(rays->dir), i, dir);
        slide_ray(trace, at, i, 0.5, &s);
        slide_ray(trace, at, rays->half + i, -0.5, &s);
        rotate_to_world(frame, dir, rotated);
        w_store3(out->along, i, rotated);
        rotate_to_world(frame, s.lin, rotated);
        w_store3(out->by, i, rotated);
        rotate_to_world(frame, s.ang, rotated);
        w_store3(out->by + 3, i, rotated);
        w_store(&out->by_radius[i], s.radius);
        w_store(&out->by_gate[i], s.gate);
        w_store(&out->by_slope[i], s.slope);
    }
}

//---------------------------------- hits that slide ------------------------------

// place of a hit in the world
TAC_INLINE void world_point(const tacVertexPose* pose, const tacHits* hits, int i, wide x[3]) {
    wide y[3];
    w_load3(W_CONST3(hits->y), i, y);
    rotate_to_world(&pose->field, y, x);
    for (int k = 0; k < 3; ++k) x[k] = x[k] + pose->field.origin[k];
}

// twist of the body of the edges against the field's, about x
TAC_INLINE void hit_twist(const tacVertexPose* p, const tacSlideDot* dot, const wide x[3],
                          wide out[6]) {
    for (int b = 0; b < 2; ++b) {
        const tacReal* twist = b ? dot->field : dot->own;
        const tacFrame* frame = b ? &p->field : &p->own;
        wide arm[3], w[3], angular_velocity[3], sign = w_set(b ? -1.0 : 1.0);
        for (int k = 0; k < 3; ++k) {
            arm[k] = x[k] - frame->origin[k];
            w[k] = w_set(twist[3 + k]);
        }
        w_cross3(w, arm, angular_velocity);
        for (int k = 0; k < 3; ++k) {
            wide lin = sign * (angular_velocity[k] + twist[k]), ang = sign * w[k];
            out[k] = b ? out[k] + lin : lin;
            out[3 + k] = b ? out[3 + k] + ang : ang;
        }
    }
}

static void slide_jvp(const tacVertexPose* pose, const tacEdgeSlide* s, const tacHits* hits,
                      const tacSlideDot* dot, const tacReal* const* value, tacReal* const out[3]) {
    int steps = s->steps, half = s->half;
    for (int i = 0; i < hits->count; i += TAC_LANES) {
        wide x[3], twist[6];
        world_point(pose, hits, i, x);
        hit_twist(pose, dot, x, twist);
        wide far = w_load(&s->by_radius[i]) * dot->radius + w_load(&s->by_gate[i]) * dot->gate +
                   w_load(&s->by_slope[i]) * dot->slope;
        for (int k = 0; k < 6; ++k) far = w_fma(w_load(&s->by[k][i]), twist[k], far);
        for (int k = 0; k < steps && value; ++k)
            far = far + w_load(&s->weight[k][i]) * w_load(&value[k][i]) +
                  w_load(&s->weight[k][half + i]) * w_load(&value[k][half + i]);
        for (int k = 0; k < 3; ++k) w_store(&out[k][i], far * w_load(&s->along[k][i]));
    }
}

//---------------------------------- reverse --------------------------------------

// a wrench about x, as one about a body's origin
TAC_INLINE void add_wide_wrench(wide sum[6], const tacFrame* body, const wide x[3],
                                const wide force[3], const wide moment[3]) {
    wide arm[3], torque[3];
    for (int k = 0; k < 3; ++k) arm[k] = x[k] - body->origin[k];
    w_cross3(arm, force, torque);
    for (int k = 0; k < 3; ++k) {
        sum[k] = sum[k] + force[k];
        sum[3 + k] = sum[3 + k] + moment[k] + torque[k];
    }
}

// 0 in lanes beyond the count
TAC_INLINE wide mask_padding(wide x, int i, int count) {
    tacReal part[TAC_LANES];
    if (i + TAC_LANES <= count) return x;
    w_store(part, x);
    for (int j = 0; j < TAC_LANES; ++j)
        if (i + j >= count) part[j] = 0.0;
    return w_load(part);
}

static void slide_vjp(const tacVertexPose* pose, const tacEdgeSlide* s, const tacHits* hits,
                      tacReal* const x_bar[3], tacSlideDot* bar, tacReal* const* value) {
    int steps = s->steps, half = s->half;
    wide own[6], numbers[3];
    memset(own, 0, sizeof own);
    memset(numbers, 0, sizeof numbers);
    wide field[6];
    memset(field, 0, sizeof field);
    for (int k = 0; k < steps && value; ++k)
        memset(value[k], 0, sizeof(tacReal) * (size_t)(2 * half));
    for (int i = 0; i < hits->count; i += TAC_LANES) {
        wide x[3], force[3], moment[3], point_bar[3], along[3];
        w_load3(W_CONST3(x_bar), i, point_bar);
        w_load3(W_CONST3(s->along), i, along);
        wide far = mask_padding(w_dot3(point_bar, along), i, hits->count);
        world_point(pose, hits, i, x);
        for (int k = 0; k < 3; ++k) {
            force[k] = far * w_load(&s->by[k][i]);
            moment[k] = far * w_load(&s->by[3 + k][i]);
        }
        add_wide_wrench(own, &pose->own, x, force, moment);
        for (int k = 0; k < 3; ++k) {
            force[k] = -force[k];
            moment[k] = -moment[k];
        }
        add_wide_wrench(field, &pose->field, x, force, moment);
        numbers[0] = w_fma(far, w_load(&s->by_radius[i]), numbers[0]);
        numbers[1] = w_fma(far, w_load(&s->by_gate[i]), numbers[1]);
        numbers[2] = w_fma(far, w_load(&s->by_slope[i]), numbers[2]);
        for (int k = 0; k < steps && value; ++k) {
            w_store(&value[k][i], far * w_load(&s->weight[k][i]));
            w_store(&value[k][half + i], far * w_load(&s->weight[k][half + i]));
        }
    }
    for (int k = 0; k < 6; ++k) {
        bar->own[k] += w_sum(own[k]);
        bar->field[k] += w_sum(field[k]);
    }
    bar->radius += w_sum(numbers[0]);
    bar->gate += w_sum(numbers[1]);
    bar->slope += w_sum(numbers[2]);
}

//---------------------------------- table ----------------------------------------

const tacRayKernels TAC_KERNELS(tac_ray_kernels_) = {
    .start = start,
    .step = step,
    .finish = finish,
    .slide = slide,
    .slide_jvp = slide_jvp,
    .slide_vjp = slide_vjp,
};
