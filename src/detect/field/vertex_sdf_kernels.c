// Kernels of vertices in a field, compiled once per instruction set and once per number type.
//
// A vertex v of one body stands at x in the world, phi and g = grad phi of the other's field there.
// With the radius R of the ball around the vertex, h the field's normal (field_normal.inl) and w
// the mollifier:
//
//   d = phi - R,  p = x - R h,  n = +-h,  gamma = sigma(-d/tau) w(d/support)
//
// g' = H x' for motion past the field.

#include "detect/field/vertex_sdf_kernels.h"

#include "detect/field/field_normal.inl"
#include "shape/local_field.inl"
#define WIDE_FLOAT_EIGHT // leaves of a row, vertices of a block
#include "math/wide_float.inl"
#include "smooth/soft.inl"

#include <string.h>

// origin + R y
TAC_INLINE void to_world(const tacFrame* f, const wide y[3], wide x[3]) {
    rotate_to_world(f, y, x);
    for (int k = 0; k < 3; ++k) x[k] = x[k] + f->origin[k];
}

//---------------------------------- places ---------------------------------------

static void pose(const tacFrame* rel_frame, const double* const x[3], const int* vertex, int count,
                 tacReal* const y[3]) {
    for (int i = 0; i < count; i += TAC_LANES) {
        tacReal at[3][TAC_LANES];
        wide v[3], moved[3];
        for (int j = 0; j < TAC_LANES; ++j) {
            int n = vertex[i + j < count ? i + j : count - 1];
            for (int k = 0; k < 3; ++k) at[k][j] = x[k][n];
        }
        for (int k = 0; k < 3; ++k) v[k] = w_load(at[k]);
        to_world(rel_frame, v, moved);
        w_store3(y, i, moved);
    }
}

//---------------------------------- bounds ---------------------------------------

TAC_INLINE wide box_lower_bound(const tacLowerBoundNode* n, const wide x[3], wide radius) {
    wide y[3], low = w_set(-1e300);
    to_local(&n->frame, x, y);
    for (int k = 0; k < 3; ++k) {
        wide far = w_max(y[k], -n->side_sign * y[k]) - radius;
        low = w_max(low, w_fma(w_set(n->scale[k]), far, -w_set(n->offset[k])));
    }
    return low;
}

TAC_INLINE wide planes_lower_bound(const tacLowerBoundNode* n, const wide x[3], wide radius) {
    wide y[3], low = w_set(-1e300);
    to_local(&n->frame, x, y);
    for (int i = 0; i < n->planes; ++i) {
        const tacReal* p = &n->plane[4 * i];
        wide q = w_fma(w_set(p[0]), y[0], w_fma(w_set(p[1]), y[1], w_set(p[3])));
        low = w_max(low, w_fma(w_set(p[2]), y[2], q));
    }
    return low - n->lipschitz * radius;
}

TAC_INLINE wide leaf_lower_bound(const tacLowerBoundNode* n, const wide x[3], wide radius) {
    if (n->kind == TAC_LOWER_BOUND_BOX) return box_lower_bound(n, x, radius);
    return n->kind == TAC_LOWER_BOUND_PLANES ? planes_lower_bound(n, x, radius) : w_set(-1e300);
}

// a combination's bound grows on the stack, child by child
static void field_lower_bound(const tacLowerBoundNode* node, int nodes, const tacReal* const x[3],
                              const tacReal* radius, tacReal* low, int count) {
    for (int i = 0; i < count; i += TAC_LANES) {
        wide stack[TAC_LOWER_BOUND_STACK + 1], point[3],
            r = radius ? w_load(&radius[i]) : w_set(0.0);
        int top = 0;
        w_load3(x, i, point);
        for (int n = 0; n < nodes; ++n) {
            int leaf = node[n].kind < TAC_LOWER_BOUND_MIN;
            wide own = leaf ? leaf_lower_bound(&node[n], point, r)
                            : w_min(stack[--top], w_set(node[n].end)) - node[n].blend_drop;
            if (node[n].first)
                stack[top++] = own;
            else if (node[n].parent_kind == TAC_LOWER_BOUND_MIN)
                stack[top - 1] = w_min(stack[top - 1], own);
            else if (node[n].parent_kind == TAC_LOWER_BOUND_MAX)
                stack[top - 1] = w_max(stack[top - 1], own);
        }
        w_store(&low[i], stack[0]);
    }
}

// bound of one of three axes: |R x + shift| - scale radius - less
TAC_INLINE wideFloat wf_axis(const wideFloat R[3], wideFloat shift, wideFloat scale,
                             wideFloat offset, const wideFloat x[3], wideFloat radius) {
    wideFloat y = wf_fma(x[0], R[0], wf_fma(x[1], R[1], wf_fma(x[2], R[2], shift)));
    return wf_abs(y) - wf_fma(radius, scale, offset);
}

// leaves j, j + 1, ... of eight at the same point
TAC_INLINE wideFloat float_bounds_at(const tacFloatBounds* f, int j, const wideFloat x[3],
                                     wideFloat radius) {
    wideFloat low = wf_set(-1e30);
    for (int k = 0; k < 3; ++k) {
        wideFloat R[3];
        for (int i = 0; i < 3; ++i) R[i] = wf_load(&f->R[k][i][j]);
        low = wf_max(low, wf_axis(R, wf_load(&f->shift[k][j]), wf_load(&f->scale[k][j]),
                                  wf_load(&f->offset[k][j]), x, radius));
    }
    return low;
}

// one leaf at several points
TAC_INLINE wideFloat float_bound_of(const tacFloatBounds* all, int leaf, const wideFloat x[3]) {
    const tacFloatBounds* f = &all[leaf / TAC_FLOAT_BOUNDS];
    int j = leaf % TAC_FLOAT_BOUNDS;
    wideFloat low = wf_set(-1e30), none = wf_set(0.0);
    for (int k = 0; k < 3; ++k) {
        wideFloat R[3];
        for (int i = 0; i < 3; ++i) R[i] = wf_set(f->R[k][i][j]);
        low =
            wf_max(low, wf_axis(R, wf_set(f->shift[k][j]), none, wf_set(f->offset[k][j]), x, none));
    }
    return low;
}

static void leaves(const tacLeafLimits* limits, tacLeafBalls* balls) {
    const tacFloatBounds* leaf = limits->leaf;
    const float *far = limits->far, near = limits->near;
    int count_leaves = limits->leaves;
    uint64_t there = ~(uint64_t)0 >> (64 - count_leaves);
    for (int i = 0; i < balls->count; ++i) {
        wideFloat point[3], r = wf_set(balls->radius[i]);
        uint64_t close = 0, by = 0;
        for (int k = 0; k < 3; ++k) point[k] = wf_set(balls->x[k][i]);
        for (int n = 0; n < count_leaves; n += WIDE_FLOAT_LANES) {
            wideFloat low =
                float_bounds_at(&leaf[n / TAC_FLOAT_BOUNDS], n % TAC_FLOAT_BOUNDS, point, r);
            close |= (uint64_t)wf_negative_bits(low - wf_set(near)) << n;
            by |= (uint64_t)wf_negative_bits(low - wf_load(&far[n])) << n;
        }
        balls->is_near[i] = close & there;
        balls->is_far[i] = by & there;
    }
}

#if TAC_LANES == 1
TAC_INLINE wideFloat wf_doubles(const double* p) { return *p; }
#elif TAC_LANES == 8
TAC_INLINE wideFloat wf_doubles(const double* p) { return _mm512_cvtpd_ps(_mm512_loadu_pd(p)); }
#else
TAC_INLINE wideFloat wf_doubles(const double* p) { return wf_minus(p, 0.0); }
#endif

// a vector of vertices in axes of the field's body
TAC_INLINE void wf_transform(const tacFrame* rel_frame, const tacFeatures* f, int i,
                             wideFloat y[3]) {
    wideFloat v[3];
    for (int k = 0; k < 3; ++k) v[k] = wf_doubles(&f->x[k][i]);
    for (int k = 0; k < 3; ++k) {
        y[k] = wf_fma(v[0], wf_set(tac_re(rel_frame->R.m[k][0])),
                      wf_set(tac_re(rel_frame->origin[k])));
        y[k] = wf_fma(v[1], wf_set(tac_re(rel_frame->R.m[k][1])), y[k]);
        y[k] = wf_fma(v[2], wf_set(tac_re(rel_frame->R.m[k][2])), y[k]);
    }
}

// nothing branches on which of them are near; padding behind the last is read
static int vertices(const tacBlockQuery* query, int* vertex, int count) {
    const tacFeatures* f = query->features;
    int first = query->block * TAC_FEATURE_BLOCK, end = first + TAC_FEATURE_BLOCK;
    end = end < f->vertices ? end : f->vertices;
    for (int i = first; i < end; i += WIDE_FLOAT_LANES) {
        wideFloat y[3], low = wf_set(1e30);
        wf_transform(query->rel_frame, f, i, y);
        for (uint64_t rest = query->leaves; rest; rest &= rest - 1)
            low = wf_min(low, float_bound_of(query->leaf, __builtin_ctzll(rest), y));
        unsigned bits = wf_negative_bits(low - wf_set(query->near));
        for (int j = 0; j < WIDE_FLOAT_LANES && i + j < end; ++j) {
            vertex[count] = i + j;
            count += (int)(bits >> j & 1u);
        }
    }
    return count;
}

// a leaf at all vertices of a block: bits of those below `end`; is_near: and of those below `near`
TAC_INLINE unsigned leaf_bits(const tacBlockQuery* query, int n, wideFloat y[][3],
                              unsigned* is_near) {
    unsigned bits = 0;
    for (int j = 0; j < TAC_FEATURE_BLOCK; j += WIDE_FLOAT_LANES) {
        wideFloat low = float_bound_of(query->leaf, n, y[j / WIDE_FLOAT_LANES]);
        bits |= wf_negative_bits(low - wf_set(query->end)) << j;
        *is_near |= wf_negative_bits(low - wf_set(query->near)) << j;
    }
    return bits;
}

static unsigned needs(const tacBlockQuery* query, tacActiveLeaf* need, int* count) {
    const tacFeatures* f = query->features;
    int first = query->block * TAC_FEATURE_BLOCK, there = f->vertices - first, all = 0;
    wideFloat y[(TAC_FEATURE_BLOCK + WIDE_FLOAT_LANES - 1) / WIDE_FLOAT_LANES][3];
    unsigned is_near = 0;
    for (int j = 0; j < TAC_FEATURE_BLOCK; j += WIDE_FLOAT_LANES)
        wf_transform(query->rel_frame, f, first + j, y[j / WIDE_FLOAT_LANES]);
    for (uint64_t rest = query->leaves; rest; rest &= rest - 1) {
        int n = __builtin_ctzll(rest);
        need[all++] =
            (tacActiveLeaf){.leaf = (uint8_t)n, .bits = (uint8_t)leaf_bits(query, n, y, &is_near)};
    }
    is_near &= there < TAC_FEATURE_BLOCK ? (1u << there) - 1u : 255u;
    *count = 0;
    for (int k = 0; k < all; ++k) {
        tacActiveLeaf n = need[k];
        n.bits &= (uint8_t)is_near;
        need[*count] = n;
        *count += n.bits != 0;
    }
    return is_near;
}

//---------------------------------- records --------------------------------------

// sigma(-d/tau) w(d/support); d_upper is d/d support
TAC_INLINE softDiff activity(wide d, const tacVertexPose* p) {
    wide inverse = w_set(1.0 / p->support);
    softDiff s = soft_less_diff(d, w_set(0.0), w_set(p->tau));
    softDiff m = soft_mollifier_diff(d * inverse);
    wide slope = s.value * m.d_x * inverse;
    return (softDiff){s.value * m.value, w_fma(s.d_x, m.value, slope), w_set(0.0),
                      -slope * d * inverse, s.d_tau * m.value};
}

// one vector of hits, world axes
typedef struct hit {
    wide x[3], g[3], h[3], d;
    fieldNormal normal;
    softDiff gamma;
} hit;

TAC_INLINE void load_hit(const tacVertexPose* p, const tacHits* hits, int i, hit* a) {
    wide y[3], g[3];
    w_load3(W_CONST3(hits->y), i, y);
    w_load3(W_CONST3(hits->gradient), i, g);
    to_world(&p->field, y, a->x);
    rotate_to_world(&p->field, g, a->g);
    wide square = w_dot3(a->g, a->g);
    a->normal = field_normal(square, w_rsqrt(field_normal_square(square)));
    for (int k = 0; k < 3; ++k) a->h[k] = a->g[k] * a->normal.s;
    a->d = w_load(&hits->value[i]) - p->radius;
    a->gamma = activity(a->d, p);
}

TAC_INLINE void load_hessian(const tacVertexPose* p, const tacHits* hits, int i, wide H[6]) {
    wide local[6];
    for (int k = 0; k < 6; ++k) local[k] = w_load(&hits->hessian[k][i]);
    hessian_to_world(&p->field, local, H);
}

static void record(const tacVertexPose* p, const tacHits* hits, tacHitRecords out) {
    for (int i = 0; i < hits->count; i += TAC_LANES) {
        hit a;
        load_hit(p, hits, i, &a);
        for (int k = 0; k < 3; ++k) {
            w_store(&out.point[k][i], w_fma(w_set(-p->radius), a.h[k], a.x[k]));
            w_store(&out.normal[k][i], p->sign * a.h[k]);
        }
        w_store(&out.distance[i], a.d);
        w_store(&out.activity[i], a.gamma.value);
    }
}

//---------------------------------- forward --------------------------------------

// tangent of a record as the field's body sees it
typedef struct hitDot {
    wide p[3], h[3], d, gamma;
} hitDot;

// along x' past the field, with phi_dot and g_dot of the field itself
TAC_INLINE hitDot hit_dot(const tacVertexPose* p, const hit* a, const wide x_dot[3], wide phi_dot,
                          const wide g_dot[3], const tacHitDot* dot) {
    hitDot out;
    wide radius_dot = w_set(dot->radius);
    field_normal_jvp(&a->normal, a->g, g_dot, out.h);
    out.d = phi_dot - radius_dot;
    out.gamma = a->gamma.d_x * out.d + a->gamma.d_tau * dot->tau + a->gamma.d_upper * dot->support;
    for (int k = 0; k < 3; ++k) out.p[k] = x_dot[k] - p->radius * out.h[k] - radius_dot * a->h[k];
    return out;
}

// unit vector k times a, or 0
TAC_INLINE void cross_unit(int k, const wide a[3], wide out[3]) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    out[k] = w_set(0.0);
    out[i] = -a[j];
    out[j] = a[i];
}

// what a hit slides by in column c of d_twist, where it is moved by `move` already
TAC_INLINE void add_slide(const tacHitSlide* s, int i, int c, double sign, wide move[3]) {
    wide far = c < 3 ? w_set(0.0) : sign * w_load(&s->by[c][i]);
    for (int k = 0; k < 3; ++k) far = w_fma(w_load(&s->by[k][i]), move[k], far);
    for (int k = 0; k < 3; ++k) move[k] = w_fma(w_load(&s->along[k][i]), far, move[k]);
}

static void twists(const tacVertexPose* p, const tacHits* hits, const tacHitSlide* slide,
                   tacReal* const out[8][6]) {
    const tacHitDot still = {.value = NULL};
    for (int i = 0; i < hits->count; i += TAC_LANES) {
        hit a;
        wide H[6], arm[3], normal[3], moves_with_field = w_set(p->sign > 0.0 ? 0.0 : 1.0);
        load_hit(p, hits, i, &a);
        load_hessian(p, hits, i, H);
        for (int k = 0; k < 3; ++k) {
            arm[k] = p->radius * a.h[k];
            normal[k] = p->sign * a.h[k];
        }
        for (int c = 0; c < 6; ++c) {
            // the vertex moves past the field, or the field past the vertex and the record moves
            // with it
            wide move[3] = {w_set(0.0), w_set(0.0), w_set(0.0)}, rot[3] = {move[0]}, g_dot[3];
            rot[1] = rot[2] = move[0];
            if (c < 3)
                move[c] = w_set(p->sign);
            else {
                cross_unit(c - 3, arm, move);
                cross_unit(c - 3, normal, rot);
            }
            for (int k = 0; k < 3 && c >= 3; ++k) move[k] = p->sign * move[k];
            if (slide) add_slide(slide, i, c, p->sign, move);
            w_symmetric_mul(H, move, g_dot);
            hitDot d = hit_dot(p, &a, move, w_dot3(a.g, move), g_dot, &still);
            for (int k = 0; k < 3; ++k) {
                wide body_velocity = c == k ? moves_with_field : w_set(0.0);
                w_store(&out[k][c][i], d.p[k] + body_velocity);
                w_store(&out[3 + k][c][i], w_fma(moves_with_field, rot[k], p->sign * d.h[k]));
            }
            w_store(&out[6][c][i], d.d);
            w_store(&out[7][c][i], d.gamma);
        }
    }
}

// velocity of a body's point at x
TAC_INLINE void point_velocity(const tacReal twist[6], const tacFrame* body, const wide x[3],
                               wide out[3]) {
    wide arm[3], w[3], angular_velocity[3];
    for (int k = 0; k < 3; ++k) {
        arm[k] = x[k] - body->origin[k];
        w[k] = w_set(twist[3 + k]);
    }
    w_cross3(w, arm, angular_velocity);
    for (int k = 0; k < 3; ++k) out[k] = angular_velocity[k] + twist[k];
}

static void record_jvp(const tacVertexPose* p, const tacHits* hits, const tacHitDot* dot,
                       tacHitRecords out) {
    for (int i = 0; i < hits->count; i += TAC_LANES) {
        hit a;
        wide H[6], own[3], body_velocity[3], g_dot[3], point[3], rot[3], w[3], phi_dot;
        load_hit(p, hits, i, &a);
        load_hessian(p, hits, i, H);
        point_velocity(dot->own, &p->own, a.x, own);
        point_velocity(dot->field, &p->field, a.x, body_velocity);
        for (int k = 0; k < 3; ++k) own[k] = own[k] - body_velocity[k];
        for (int k = 0; k < 3 && dot->slide[0]; ++k) own[k] = own[k] + w_load(&dot->slide[k][i]);
        w_symmetric_mul(H, own, g_dot);
        phi_dot = w_dot3(a.g, own);
        if (dot->value) {
            wide local[3], world[3];
            w_load3(dot->gradient, i, local);
            rotate_to_world(&p->field, local, world);
            phi_dot = phi_dot + w_load(&dot->value[i]);
            for (int k = 0; k < 3; ++k) g_dot[k] = g_dot[k] + world[k];
        }
        hitDot d = hit_dot(p, &a, own, phi_dot, g_dot, dot);
        for (int k = 0; k < 3; ++k) {
            point[k] = w_fma(w_set(-p->radius), a.h[k], a.x[k]);
            w[k] = w_set(dot->field[3 + k]);
        }
        point_velocity(dot->field, &p->field, point, body_velocity);
        w_cross3(w, a.h, rot);
        for (int k = 0; k < 3; ++k) {
            w_store(&out.point[k][i], d.p[k] + body_velocity[k]);
            w_store(&out.normal[k][i], p->sign * (d.h[k] + rot[k]));
        }
        w_store(&out.distance[i], d.d);
        w_store(&out.activity[i], d.gamma);
    }
}

//---------------------------------- reverse --------------------------------------

// sums over hits, one lane each until the end
typedef struct hitSums {
    wide field[6], own[6], radius, tau, support;
} hitSums;

// a force at x, as a wrench about a body's origin
TAC_INLINE void add_wide_force(wide wrench[6], const tacFrame* body, const wide x[3],
                               const wide f[3]) {
    wide arm[3];
    for (int k = 0; k < 3; ++k) arm[k] = x[k] - body->origin[k];
    w_add_force(wrench, arm, f);
}

TAC_INLINE void add_hit_sums(const hitSums* sums, tacHitBar* out) {
    for (int k = 0; k < 6; ++k) {
        out->field[k] += w_sum(sums->field[k]);
        out->own[k] += w_sum(sums->own[k]);
    }
    out->radius += w_sum(sums->radius);
    out->tau += w_sum(sums->tau);
    out->support += w_sum(sums->support);
}

static void record_vjp(const tacVertexPose* p, const tacHits* hits, tacHitRecords bar,
                       int with_hessian, tacHitBar* out) {
    hitSums sums;
    memset(&sums, 0, sizeof sums);
    for (int i = 0; i < hits->count; i += TAC_LANES) {
        hit a;
        wide p_bar[3], h_bar[3], g_bar[3], x_bar[3], point[3], rot[3];
        wide d_bar = w_load_padded(bar.distance, i, hits->count);
        wide gamma_bar = w_load_padded(bar.activity, i, hits->count);
        load_hit(p, hits, i, &a);
        sums.tau = w_fma(a.gamma.d_tau, gamma_bar, sums.tau);
        sums.support = w_fma(a.gamma.d_upper, gamma_bar, sums.support);
        d_bar = w_fma(a.gamma.d_x, gamma_bar, d_bar);
        sums.radius = sums.radius - d_bar;
        for (int k = 0; k < 3; ++k) {
            x_bar[k] = d_bar * a.g[k];
            g_bar[k] = w_set(0.0);
        }
        if (with_hessian) {
            wide H[6], back[3];
            for (int k = 0; k < 3; ++k) {
                p_bar[k] = w_load_padded(bar.point[k], i, hits->count);
                h_bar[k] = p->sign * w_load_padded(bar.normal[k], i, hits->count);
                point[k] = w_fma(w_set(-p->radius), a.h[k], a.x[k]);
            }
            // motion of the field's body
            add_wide_force(sums.field, &p->field, point, p_bar);
            w_cross3(a.h, h_bar, rot);
            for (int k = 0; k < 3; ++k) {
                sums.field[3 + k] = sums.field[3 + k] + rot[k];
                h_bar[k] = w_fma(w_set(-p->radius), p_bar[k], h_bar[k]);
            }
            sums.radius = sums.radius - w_dot3(a.h, p_bar);
            field_normal_jvp(&a.normal, a.g, h_bar, g_bar);
            load_hessian(p, hits, i, H);
            w_symmetric_mul(H, g_bar, back);
            for (int k = 0; k < 3; ++k) x_bar[k] = x_bar[k] + back[k] + p_bar[k];
        }
        add_wide_force(sums.own, &p->own, a.x, x_bar);
        if (out->slide[0]) w_store3(out->slide, i, x_bar);
        for (int k = 0; k < 3; ++k) x_bar[k] = -x_bar[k];
        add_wide_force(sums.field, &p->field, a.x, x_bar);
        if (out->value) {
            wide local[3];
            rotate_to_local(&p->field, g_bar, local);
            w_store(&out->value[i], d_bar);
            w_store3(out->gradient, i, local);
        }
    }
    add_hit_sums(&sums, out);
}

//---------------------------------- table ----------------------------------------

const tacVertexKernels TAC_KERNELS(tac_vertex_kernels_) = {
    .lanes = TAC_LANES,
    .pose = pose,
    .lower_bound = field_lower_bound,
    .leaves = leaves,
    .vertices = vertices,
    .needs = needs,
    .record = record,
    .twists = twists,
    .record_jvp = record_jvp,
    .record_vjp = record_vjp,
};
