// Proven bounds of the distance to a node's surface (docs/shapes.md eq. 13 to 15).
//
// Outside, D and K: phi(y) >= (D - |y - x|)/K for |y - x| <= D. Inside, the same of -phi. Turning
// the sign of a node swaps the two.

#ifndef TAC_SHAPE_DISTANCE_BOUND_INL
#define TAC_SHAPE_DISTANCE_BOUND_INL

#include "shape/blend.inl"
#include "shape/cloud/cloud_distance_bound.inl"
#include "shape/leaf/leaf.inl"
#include "shape/sweep/sweep_distance_bound.inl"

//---------------------------------- leaves ---------------------------------------

// D and K, outside [0] and inside [1], of one vector of points
typedef struct leafDistanceBound {
    wide D[2], K[2];
} leafDistanceBound;

// distance to the box around a superquadric
TAC_INLINE wide box_distance(const tacNodeData* b, const wide y[3]) {
    wide over[3];
    for (int i = 0; i < 3; ++i) over[i] = w_max(w_abs(y[i]) - b->size[i], w_set(0.0));
    return w_sqrt(w_dot3(over, over) + TAC_CENTRE);
}

// Outside: D = tangent distance with K = h/inner, h = 1/|grad g| the distance of the tangent plane
// from the centre; or D = distance to the box with K = outer/inner where that is better. Inside: g
// has slope 1/inner at most, and -phi >= inner (1 - g) for both distances.
TAC_INLINE void sq_distance_bound(const tacNodeData* b, const wide y[3], tacReal width,
                                  leafDistanceBound* out) {
    sqLogs l;
    sqJet j;
    for (int i = 0; i < 3; ++i) l.y[i] = y[i];
    sq_logs(&b, &l, 1, b->ridged);
    sq_jet_first(b, &l, &j, b->ridged);
    wide q = w_rsqrt(w_dot3(j.p, j.p) + b->guard), one = w_set(1.0);
    wide tangent = (1.0 - l.G) * q, plane = l.G * q / b->inner;
    wide box = box_distance(b, y), far = w_set(b->outer / b->inner);
    wide better = (box - far * width) - (tangent - plane * width);
    wide slope = b->distance == TAC_DISTANCE_RADIAL ? one : w_select_ge0(better, far, plane);
    out->D[0] = w_select_ge0(better, box, tangent);
    out->K[0] = w_max(slope, one);
    out->D[1] = b->inner * (1.0 - w_rcp(l.G));
}

// Leaves with slope 1 at most: the value itself, outside and inside. A sphere's is taken without
// its core, which lies above.
TAC_INLINE wide unit_slope_distance_bound(const tacNodeData* b, const wide y[3]) {
    if (b->kind == TAC_NODE_SPHERE) return w_sqrt(w_dot3(y, y) + TAC_CENTRE) - b->size[0];
    localField f;
    plain_field(b, y, &f, 0);
    return f.value;
}

// The gradient of a polyhedron is a mean of its normals: L is the longest, the field has slope L at
// most.
TAC_INLINE void polyhedron_distance_bound(const tacNodeData* b, const wide y[3],
                                          leafDistanceBound* out) {
    double longest = 1e-18;
    for (int i = 0; i < b->block_count; i += TAC_PLANE_PARAMS) {
        const tacReal* n = &b->block[i];
        longest = fmax(longest, tac_re(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
    }
    double L = sqrt(longest);
    localField f;
    plain_field(b, y, &f, 0);
    out->D[0] = f.value * (1.0 / L);
    out->D[1] = -out->D[0];
    out->K[0] = out->K[1] = w_set(fmax(1.0, 1.0 / L));
}

static void leaf_distance_bound(const tacNodeData* b, const tacReal x[3][TAC_BLOCK], tacReal width,
                                tacDistanceBound* out, int count) {
    sweepCoefs sweep;
    sweepSegment segment[TAC_SWEEP_SEGMENTS];
    if (b->kind == TAC_NODE_SWEEP) {
        sweep_bind(b, &sweep);
        sweep_segments(&sweep, segment);
    }
    for (int i = 0; i < count; i += TAC_LANES) {
        wide point[3], y[3], one = w_set(1.0);
        leafDistanceBound r = {.K = {one, one}};
        load3(x, i, point);
        to_local(&b->frame, point, y);
        if (b->kind == TAC_NODE_SUPERQUADRIC) {
            sq_distance_bound(b, y, width, &r);
        } else if (b->kind == TAC_NODE_CLOUD) {
            cloud_distance_bound(b, y, r.D, r.K);
        } else if (b->kind == TAC_NODE_POLYHEDRON) {
            polyhedron_distance_bound(b, y, &r);
        } else if (b->kind == TAC_NODE_SWEEP) {
            sweep_distance_bound(&sweep, segment, y, &r.D[0], &r.K[0]);
            r.D[1] = -w_abs(r.D[0]); // nothing is known inside
        } else {
            r.D[0] = unit_slope_distance_bound(b, y);
            r.D[1] = -r.D[0];
        }
        for (int side = 0; side < 2; ++side) {
            w_store(&out->D[side][i], r.D[side]);
            w_store(&out->K[side][i], r.K[side]);
        }
    }
}

//---------------------------------- combinations ---------------------------------

// side of child k that counts for `side` of the whole
TAC_INLINE int child_side(const tacDistanceBoundChild* child, int side) {
    return child->negated ? 1 - side : side;
}

// ln sum exp((s - D_k)/(K_k tau)) and its slope by s
TAC_INLINE wide min_excess(tacReal tau, int n, const tacDistanceBoundChild* child, int side, int i,
                           wide s, wide* slope) {
    wide sum = w_set(0.0), weighted = w_set(0.0);
    for (int k = 0; k < n; ++k) {
        int from = child_side(&child[k], side);
        wide rate = w_rcp(w_load(&child[k].bound->K[from][i]) * tau);
        wide gap = s - w_load(&child[k].bound->D[from][i]);
        wide e = w_exp(w_min(gap * rate, w_set(700.0)));
        sum = sum + e;
        weighted = w_fma(e, rate, weighted);
    }
    *slope = weighted / sum;
    return w_log(sum);
}

// Smooth minimum: D solves min_excess = 0, a convex function; the chord from the left and Newton
// from the right close in on the root, and the left end is always a valid D. K = D/(bound of phi at
// x).
static void min_distance_bound(tacReal tau, int n, const tacDistanceBoundChild* child, int side,
                               tacDistanceBound* out, int count) {
    wide log_n = w_log(w_set((double)n) + 0.0);
    for (int i = 0; i < count; i += TAC_LANES) {
        wide left = w_set(1e300), right = left, slope, unused;
        for (int k = 0; k < n; ++k) {
            int from = child_side(&child[k], side);
            wide D = w_load(&child[k].bound->D[from][i]);
            left = w_min(left, D - w_load(&child[k].bound->K[from][i]) * tau * log_n);
            right = w_min(right, D);
        }
        for (int round = 0; round < 3; ++round) {
            wide above = min_excess(tau, n, child, side, i, right, &slope);
            wide below = min_excess(tau, n, child, side, i, left, &unused);
            below = w_min(below, w_set(0.0));
            wide rise = w_max(above, w_set(0.0)) - below + 1e-280;
            wide chord = left - below * (right - left) / rise;
            right = right - above / slope;
            left = w_min(w_max(left, chord), right);
        }
        wide least = -tau * min_excess(tau, n, child, side, i, w_set(0.0), &unused);
        w_store(&out->D[side][i], left);
        w_store(&out->K[side][i], w_max(left / w_max(least, w_set(1e-280)), w_set(1.0)));
    }
}

// Smooth maximum: it is no less than any child, so the best child's bound holds.
static void max_distance_bound(int n, const tacDistanceBoundChild* child, int side,
                               tacDistanceBound* out, int count) {
    for (int i = 0; i < count; i += TAC_LANES) {
        wide D = w_set(-1e300), K = w_set(1.0);
        for (int k = 0; k < n; ++k) {
            int from = child_side(&child[k], side);
            wide other = w_load(&child[k].bound->D[from][i]), better = other - D;
            K = w_select_ge0(better, w_load(&child[k].bound->K[from][i]), K);
            D = w_select_ge0(better, other, D);
        }
        w_store(&out->D[side][i], D);
        w_store(&out->K[side][i], K);
    }
}

// A union that ends has e^(-T/tau) more in its sum, which moves its surface outwards
static void truncated_distance_bound(tacBlend blend, int n, const tacDistanceBoundChild* child,
                                     tacDistanceBound* out, int count) {
    tacReal more = 1.1 * blend.tau * r_exp(-blend.end / blend.tau);
    for (int i = 0; i < count; i += TAC_LANES) {
        wide K = w_set(1.0);
        for (int k = 0; k < n; ++k) K = w_max(K, w_load(&child[k].bound->K[0][i]));
        w_store(&out->D[0][i], w_fma(K, w_set(-more), w_load(&out->D[0][i])));
    }
}

// a minimum outside is a maximum inside, and the other way round
static void blend_distance_bound(tacBlend blend, int n, const tacDistanceBoundChild* child,
                                 tacDistanceBound* out, int count) {
    int minimum = blend.sign > 0.0 ? 0 : 1;
    min_distance_bound(blend.tau, n, child, minimum, out, count);
    if (blend.end > 0.0) truncated_distance_bound(blend, n, child, out, count);
    max_distance_bound(n, child, 1 - minimum, out, count);
}

#endif
