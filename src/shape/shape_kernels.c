// Kernels of shape/, compiled once per instruction set and once per number type.

#include "shape/shape_kernels.h"

#include "shape/sphere.h"
#include "shape/superquadric.h"

TAC_INLINE void load3(const tacReal x[3][TAC_BLOCK], int i, wide out[3]) {
    for (int axis = 0; axis < 3; ++axis) out[axis] = w_load(&x[axis][i]);
}

TAC_INLINE void store3(tacReal x[3][TAC_BLOCK], int i, const wide v[3]) {
    for (int axis = 0; axis < 3; ++axis) w_store(&x[axis][i], v[axis]);
}

//---------------------------------- leaves ---------------------------------------

// half-space below z = 0 of its frame
TAC_INLINE void plane_field(const wide y[3], localField* out) {
    out->value = y[2];
    for (int i = 0; i < 6; ++i) out->H[i] = w_set(0.0);
    out->g[0] = w_set(0.0), out->g[1] = w_set(0.0), out->g[2] = w_set(1.0);
}

TAC_INLINE void store_field(const tacFrame* frame, const localField* f, tacBlock* out, int i,
                            int order) {
    w_store(&out->value[i], f->value);
    if (order >= 1) {
        wide g[3];
        rotate_to_world(frame, f->g, g);
        store3(out->gradient, i, g);
    }
    if (order >= 2) {
        wide H[6];
        hessian_to_world(frame, f->H, H);
        for (int k = 0; k < 6; ++k) w_store(&out->hessian[k][i], H[k]);
    }
}

TAC_INLINE void superquadric_chunk(const tacBound* b, const tacReal x[3][TAC_BLOCK], int i,
                                   tacBlock* out, int n, int order, tacDistance distance) {
    wide y[TAC_STAGE][3];
    localField f[TAC_STAGE];
    for (int j = 0; j < n; ++j) {
        wide point[3];
        load3(x, i + j * TAC_LANES, point);
        to_local(&b->frame, point, y[j]);
    }
    sq_field(b, y, f, n, order, distance);
    for (int j = 0; j < n; ++j) store_field(&b->frame, &f[j], out, i + j * TAC_LANES, order);
}

// full stages first, then one vector at a time: the same arithmetic per lane, so the same bits
TAC_INLINE void superquadric_block(const tacBound* b, const tacReal x[3][TAC_BLOCK], tacBlock* out,
                                   int count, int order, tacDistance distance) {
    int i = 0;
    for (; i + TAC_STAGE * TAC_LANES <= count; i += TAC_STAGE * TAC_LANES)
        superquadric_chunk(b, x, i, out, TAC_STAGE, order, distance);
    for (; i < count; i += TAC_LANES) superquadric_chunk(b, x, i, out, 1, order, distance);
}

#define SUPERQUADRIC(name, order, distance)                                                        \
    static void name(const tacBound* b, const tacReal x[3][TAC_BLOCK], tacBlock* out, int count) { \
        superquadric_block(b, x, out, count, order, distance);                                     \
    }
SUPERQUADRIC(radial_0, 0, TAC_DISTANCE_RADIAL)
SUPERQUADRIC(radial_1, 1, TAC_DISTANCE_RADIAL)
SUPERQUADRIC(radial_2, 2, TAC_DISTANCE_RADIAL)
SUPERQUADRIC(tangent_0, 0, TAC_DISTANCE_TANGENT)
SUPERQUADRIC(tangent_1, 1, TAC_DISTANCE_TANGENT)
SUPERQUADRIC(tangent_2, 2, TAC_DISTANCE_TANGENT)

typedef void superquadricKernel(const tacBound*, const tacReal[3][TAC_BLOCK], tacBlock*, int);
static superquadricKernel* const superquadric[2][3] = {
    [TAC_DISTANCE_TANGENT] = {tangent_0, tangent_1, tangent_2},
    [TAC_DISTANCE_RADIAL] = {radial_0, radial_1, radial_2}};

static void leaf(const tacBound* b, const tacReal x[3][TAC_BLOCK], tacBlock* out, int count,
                 int order) {
    if (b->kind == TAC_NODE_SUPERQUADRIC) {
        superquadric[b->distance][order](b, x, out, count);
        return;
    }
    for (int i = 0; i < count; i += TAC_LANES) {
        wide point[3], y[3];
        localField f = {0};
        load3(x, i, point);
        to_local(&b->frame, point, y);
        if (b->kind == TAC_NODE_SPHERE)
            sphere_field(b, y, &f, order);
        else
            plane_field(y, &f);
        store_field(&b->frame, &f, out, i, order);
    }
}

//---------------------------------- reach ----------------------------------------

// distance to the box around a superquadric
TAC_INLINE wide box_distance(const tacBound* b, const wide y[3]) {
    wide over[3];
    for (int i = 0; i < 3; ++i) over[i] = w_max(w_abs(y[i]) - b->size[i], w_set(0.0));
    return w_sqrt(w_dot3(over, over) + TAC_CENTRE);
}

// docs/shapes.md eq. 14: D = tangent distance with K = h/kappa, h = 1/|grad g| the distance of the
// tangent plane from the centre; or D = distance to the box with K = Rmax/kappa where that is
// better
TAC_INLINE void sq_reach(const tacBound* b, const wide y[3], tacReal width, wide* D, wide* K) {
    sqLogs l;
    sqJet j;
    for (int i = 0; i < 3; ++i) l.y[i] = y[i];
    sq_logs(b, &l, 1);
    sq_jet_first(b, &l, &j);
    wide q = sq_inverse_slope(b, &j);
    wide tangent = (1.0 - l.G) * q, plane = l.G * q / b->inner;
    wide box = box_distance(b, y), far = w_set(b->outer / b->inner), one = w_set(1.0);
    wide better = (box - far * width) - (tangent - plane * width);
    wide slope = b->distance == TAC_DISTANCE_RADIAL ? one : w_select_ge0(better, far, plane);
    *D = w_select_ge0(better, box, tangent);
    *K = w_max(slope, one);
}

static void leaf_reach(const tacBound* b, const tacReal x[3][TAC_BLOCK], tacReal width,
                       tacReach* out, int count) {
    for (int i = 0; i < count; i += TAC_LANES) {
        wide point[3], y[3], D, K = w_set(1.0);
        load3(x, i, point);
        to_local(&b->frame, point, y);
        if (b->kind == TAC_NODE_SUPERQUADRIC)
            sq_reach(b, y, width, &D, &K);
        else if (b->kind == TAC_NODE_SPHERE)
            D = w_sqrt(w_dot3(y, y) + TAC_CENTRE) - b->size[0];
        else
            D = y[2];
        w_store(&out->D[i], D);
        w_store(&out->K[i], K);
    }
}

// ln sum exp((s - D_k)/(K_k tau)) and its slope by s
TAC_INLINE wide union_excess(tacReal tau, int n, const tacReach* const* child, int i, wide s,
                             wide* slope) {
    wide sum = w_set(0.0), weighted = w_set(0.0);
    for (int k = 0; k < n; ++k) {
        wide rate = w_rcp(w_load(&child[k]->K[i]) * tau);
        wide e = w_exp(w_min((s - w_load(&child[k]->D[i])) * rate, w_set(700.0)));
        sum = sum + e;
        weighted = w_fma(e, rate, weighted);
    }
    *slope = weighted / sum;
    return w_log(sum);
}

// D solves union_excess = 0, a convex function: the chord from the left and Newton from the right
// close in on the root, and the left end is always a valid D. K = D/phi_least, phi_least the bound
// at x itself.
static void union_reach(tacReal tau, int n, const tacReach* const* child, tacReach* out,
                        int count) {
    wide log_n = w_log(w_set((double)n) + 0.0);
    for (int i = 0; i < count; i += TAC_LANES) {
        wide left = w_load(&child[0]->D[i]) - w_load(&child[0]->K[i]) * tau * log_n;
        wide right = w_load(&child[0]->D[i]), slope, unused;
        for (int k = 1; k < n; ++k) {
            wide D = w_load(&child[k]->D[i]);
            left = w_min(left, D - w_load(&child[k]->K[i]) * tau * log_n);
            right = w_min(right, D);
        }
        for (int round = 0; round < 3; ++round) {
            wide above = union_excess(tau, n, child, i, right, &slope);
            wide below = w_min(union_excess(tau, n, child, i, left, &unused), w_set(0.0));
            wide chord =
                left - below * (right - left) / (w_max(above, w_set(0.0)) - below + 1e-280);
            right = right - above / slope;
            left = w_min(w_max(left, chord), right);
        }
        wide least = -tau * union_excess(tau, n, child, i, w_set(0.0), &unused);
        w_store(&out->D[i], left);
        w_store(&out->K[i], w_max(left / w_max(least, w_set(1e-280)), w_set(1.0)));
    }
}

//---------------------------------- derivatives of leaves ------------------------

// all that a superquadric's derivatives at one vector of points share
typedef struct sqPoint {
    sqLogs logs;
    sqJet jet;
    localField raw; // before the core
} sqPoint;

TAC_INLINE void sq_point(const tacBound* b, const wide y[3], sqPoint* at, int order) {
    for (int i = 0; i < 3; ++i) at->logs.y[i] = y[i];
    sq_logs(b, &at->logs, 1);
    sq_jet_first(b, &at->logs, &at->jet);
    sq_jet_second(b, &at->jet);
    if (b->distance == TAC_DISTANCE_RADIAL)
        sq_radial(b, &at->logs, &at->raw, order);
    else
        sq_tangent(b, &at->logs, &at->raw, order);
}

TAC_INLINE void sq_tangent_of(const tacBound* b, const sqPoint* at, const wide yd[3],
                              const tacSuperquadricDot* d, localField* out) {
    sqBy by;
    for (int i = 0; i < 3; ++i) {
        by.log_a[i] = w_set(d->log_a[i]);
        by.w2_a2[i] = w_set(d->w2_a2[i]);
        by.delta[i] = w_set(d->delta[i]);
    }
    by.e[0] = w_set(d->e[0]), by.e[1] = w_set(d->e[1]);
    sq_field_dot(b, &at->logs, &at->jet, &at->raw, yd, &by, w_set(d->radius), w_set(d->cap), out);
}

// value and gradient (local) and their tangent along yd and the node's own numbers
static void leaf_local_dot(const tacBound* b, const tacBoundDot* d, const tacSuperquadricDot* sd,
                           const wide y[3], const wide yd[3], localField* f, localField* fd) {
    if (b->kind == TAC_NODE_SUPERQUADRIC) {
        sqPoint at;
        sq_point(b, y, &at, 1);
        sq_tangent_of(b, &at, yd, sd, fd);
        *f = at.raw;
        sq_core(b, y, f, 1);
    } else if (b->kind == TAC_NODE_SPHERE) {
        localField by;
        sphere_field(b, y, f, 2);
        sphere_by_size(b, y, &by);
        w_symmetric_mul(f->H, yd, fd->g);
        fd->value = w_fma(by.value, w_set(d->size[0]), w_dot3(f->g, yd));
        for (int i = 0; i < 3; ++i) fd->g[i] = w_fma(by.g[i], w_set(d->size[0]), fd->g[i]);
    } else {
        plane_field(y, f);
        fd->value = yd[2];
        for (int i = 0; i < 3; ++i) fd->g[i] = w_set(0.0);
    }
}

static void leaf_jvp(const tacBound* b, const tacBoundDot* d, const tacReal x[3][TAC_BLOCK],
                     const tacReal x_dot[3][TAC_BLOCK], tacBlock1* dot, int count) {
    tacSuperquadricDot sd = {0};
    if (b->kind == TAC_NODE_SUPERQUADRIC) sd = tac_superquadric_dot(b, d->size, d->e);
    const wide angular[3] = {w_set(d->twist[3]), w_set(d->twist[4]), w_set(d->twist[5])};
    for (int i = 0; i < count; i += TAC_LANES) {
        // the point moves past the frame with x' - v - omega x (x - about)
        wide point[3], arm[3], sweep[3], slip[3], y[3], yd[3];
        load3(x, i, point), load3(x_dot, i, slip);
        for (int k = 0; k < 3; ++k) arm[k] = point[k] - b->about[k];
        w_cross3(angular, arm, sweep);
        for (int k = 0; k < 3; ++k) slip[k] = slip[k] - d->twist[k] - sweep[k];
        to_local(&b->frame, point, y);
        rotate_to_local(&b->frame, slip, yd);

        localField f, fd;
        leaf_local_dot(b, d, &sd, y, yd, &f, &fd);

        wide g[3], gd[3], turn[3];
        rotate_to_world(&b->frame, f.g, g);
        rotate_to_world(&b->frame, fd.g, gd);
        w_cross3(angular, g, turn);
        for (int k = 0; k < 3; ++k) gd[k] = gd[k] + turn[k];
        w_store(&dot->value[i], fd.value);
        store3(dot->gradient, i, gd);
    }
}

// sums over points that leaf_vjp collects, one lane each until the end
typedef struct leafSums {
    wide twist[6], size[3], e[2];
} leafSums;

// value_bar value_dot + g_bar . g_dot
TAC_INLINE wide pairing(const localField* f, wide value_bar, const wide g_bar[3]) {
    return w_fma(f->value, value_bar, w_dot3(f->g, g_bar));
}

// field with Hessian; sums the adjoints of the node's own numbers if asked for
static void leaf_local_vjp(const tacBound* b, const tacSuperquadricDot unit[5], const wide y[3],
                           wide value_bar, const wide g_bar[3], localField* f, leafSums* sums,
                           int by_size) {
    if (b->kind == TAC_NODE_SUPERQUADRIC) {
        const wide still[3] = {w_set(0.0), w_set(0.0), w_set(0.0)};
        sqPoint at;
        sq_point(b, y, &at, 2);
        for (int k = 0; k < 5 && by_size; ++k) {
            localField fd;
            sq_tangent_of(b, &at, still, &unit[k], &fd);
            wide* sum = k < 3 ? &sums->size[k] : &sums->e[k - 3];
            *sum = *sum + pairing(&fd, value_bar, g_bar);
        }
        *f = at.raw;
        sq_core(b, y, f, 2);
    } else if (b->kind == TAC_NODE_SPHERE) {
        localField by;
        sphere_field(b, y, f, 2);
        sphere_by_size(b, y, &by);
        sums->size[0] = sums->size[0] + pairing(&by, value_bar, g_bar);
    } else {
        plane_field(y, f);
    }
}

static void unit_directions(const tacBound* b, tacSuperquadricDot unit[5]) {
    for (int k = 0; k < 5; ++k) {
        tacReal size[3] = {0.0, 0.0, 0.0}, e[2] = {0.0, 0.0};
        if (k < 3)
            size[k] = 1.0;
        else
            e[k - 3] = 1.0;
        unit[k] = tac_superquadric_dot(b, size, e);
    }
}

static void add_sums(const leafSums* sums, tacBoundBar* bar) {
    for (int k = 0; k < 6; ++k) bar->twist[k] += w_sum(sums->twist[k]);
    for (int k = 0; k < 3; ++k) bar->size[k] += w_sum(sums->size[k]);
    for (int k = 0; k < 2; ++k) bar->e[k] += w_sum(sums->e[k]);
}

static void leaf_vjp(const tacBound* b, const tacReal x[3][TAC_BLOCK], const tacBlock1* field_bar,
                     tacReal x_bar[3][TAC_BLOCK], tacBoundBar* bar, int count, int by_size) {
    tacSuperquadricDot unit[5];
    if (b->kind == TAC_NODE_SUPERQUADRIC && by_size) unit_directions(b, unit);
    leafSums sums;
    for (int k = 0; k < 6; ++k) sums.twist[k] = w_set(0.0);
    for (int k = 0; k < 3; ++k) sums.size[k] = w_set(0.0);
    sums.e[0] = sums.e[1] = w_set(0.0);

    for (int i = 0; i < count; i += TAC_LANES) {
        wide point[3], y[3], g_bar[3], local_bar[3], g[3];
        wide value_bar = w_load(&field_bar->value[i]);
        load3(x, i, point), load3(field_bar->gradient, i, g_bar);
        to_local(&b->frame, point, y);
        rotate_to_local(&b->frame, g_bar, local_bar);
        localField f;
        leaf_local_vjp(b, unit, y, value_bar, local_bar, &f, &sums, by_size);

        // x_bar = value_bar g + H g_bar
        wide push_local[3], push[3], total[3], arm[3], moment[3], turn[3];
        w_symmetric_mul(f.H, local_bar, push_local);
        for (int k = 0; k < 3; ++k) push_local[k] = w_fma(value_bar, f.g[k], push_local[k]);
        rotate_to_world(&b->frame, push_local, push);
        load3((const tacReal(*)[TAC_BLOCK])x_bar, i, total);
        for (int k = 0; k < 3; ++k) total[k] = total[k] + push[k], arm[k] = point[k] - b->about[k];
        store3(x_bar, i, total);

        // the frame's twist moves the points the other way and turns the gradient with it
        rotate_to_world(&b->frame, f.g, g);
        w_cross3(arm, push, moment);
        w_cross3(g, g_bar, turn);
        for (int k = 0; k < 3; ++k) {
            sums.twist[k] = sums.twist[k] - push[k];
            sums.twist[3 + k] = sums.twist[3 + k] + turn[k] - moment[k];
        }
    }
    add_sums(&sums, bar);
}

//---------------------------------- smooth union ---------------------------------

// phi = m - tau ln S, kept as m (value), S (sum) and the gradient and Hessian of the children so
// far

static void begin(tacBlock* acc, int count) {
    for (int i = 0; i < count; i += TAC_LANES) w_store(&acc->sum[i], w_set(1.0));
}

// Joining one child is a union of two: with omega its weight and d the difference of gradients,
// g += omega d and H += omega (H_child - H) - omega (1 - omega)/tau d d^T: no cancellation at small
// tau
static void merge(tacReal tau, tacBlock* acc, const tacBlock* child, int count, int order) {
    tacReal inv_tau = 1.0 / tau;
    wide one = w_set(1.0);
    for (int i = 0; i < count; i += TAC_LANES) {
        wide m = w_load(&acc->value[i]), phi = w_load(&child->value[i]), closer = m - phi;
        wide E = w_exp(-w_abs(closer) * inv_tau);
        wide keep = w_select_ge0(closer, E, one), join = w_select_ge0(closer, one, E);
        wide sum = w_fma(keep, w_load(&acc->sum[i]), join);
        w_store(&acc->value[i], w_select_ge0(closer, phi, m));
        w_store(&acc->sum[i], sum);
        if (order < 1) continue;

        wide omega = join * w_rcp(sum), g[3], d[3];
        load3((const tacReal(*)[TAC_BLOCK])acc->gradient, i, g);
        load3(child->gradient, i, d);
        for (int k = 0; k < 3; ++k) d[k] = d[k] - g[k], g[k] = w_fma(omega, d[k], g[k]);
        store3(acc->gradient, i, g);
        if (order < 2) continue;

        wide H[6];
        for (int k = 0; k < 6; ++k) {
            H[k] = w_load(&acc->hessian[k][i]);
            H[k] = w_fma(omega, w_load(&child->hessian[k][i]) - H[k], H[k]);
        }
        w_add_square(H, -omega * (1.0 - omega) * inv_tau, d);
        for (int k = 0; k < 6; ++k) w_store(&acc->hessian[k][i], H[k]);
    }
}

static void close(tacReal tau, tacBlock* acc, int count) {
    for (int i = 0; i < count; i += TAC_LANES)
        w_store(&acc->value[i], w_load(&acc->value[i]) - tau * w_log(w_load(&acc->sum[i])));
}

//---------------------------------- derivatives of the union ---------------------

// weight of a child, exp(z), z = (phi - phi_child)/tau <= 0
TAC_INLINE wide union_z(tacReal inv_tau, const tacBlock1* all, const tacBlock1* child, int i) {
    return (w_load(&all->value[i]) - w_load(&child->value[i])) * inv_tau;
}

// phi' = sum w (phi_child' + z tau')
static void union_jvp_value(tacReal tau, tacReal tau_dot, const tacBlock1* all,
                            const tacBlock1* child, const tacBlock1* child_dot, tacBlock1* all_dot,
                            int count) {
    tacReal inv_tau = 1.0 / tau;
    for (int i = 0; i < count; i += TAC_LANES) {
        wide z = union_z(inv_tau, all, child, i), w = w_exp(z);
        wide part = w * w_fma(z, w_set(tau_dot), w_load(&child_dot->value[i]));
        w_store(&all_dot->value[i], w_load(&all_dot->value[i]) + part);
    }
}

// g' = sum w g_child' + w' (g_child - g), w' = w (phi' - phi_child' - z tau')/tau
static void union_jvp_gradient(tacReal tau, tacReal tau_dot, const tacBlock1* all,
                               const tacBlock1* child, const tacBlock1* child_dot,
                               tacBlock1* all_dot, int count) {
    tacReal inv_tau = 1.0 / tau;
    for (int i = 0; i < count; i += TAC_LANES) {
        wide z = union_z(inv_tau, all, child, i), w = w_exp(z);
        wide fall = w_load(&all_dot->value[i]) - w_load(&child_dot->value[i]) - z * tau_dot;
        wide w_dot = w * fall * inv_tau;
        for (int k = 0; k < 3; ++k) {
            wide d = w_load(&child->gradient[k][i]) - w_load(&all->gradient[k][i]);
            wide part = w_fma(w, w_load(&child_dot->gradient[k][i]), w_dot * d);
            w_store(&all_dot->gradient[k][i], w_load(&all_dot->gradient[k][i]) + part);
        }
    }
}

static tacReal union_vjp(tacReal tau, const tacBlock1* all, const tacBlock1* child,
                         const tacBlock1* all_bar, tacBlock1* child_bar, int count) {
    tacReal inv_tau = 1.0 / tau;
    wide tau_bar = w_set(0.0);
    for (int i = 0; i < count; i += TAC_LANES) {
        wide z = union_z(inv_tau, all, child, i), w = w_exp(z), slope = w_set(0.0);
        for (int k = 0; k < 3; ++k) {
            wide g_bar = w_load(&all_bar->gradient[k][i]);
            wide d = w_load(&child->gradient[k][i]) - w_load(&all->gradient[k][i]);
            slope = w_fma(g_bar, d, slope);
            w_store(&child_bar->gradient[k][i], w * g_bar);
        }
        // both the value and the weights of the gradient depend on phi_child and on tau
        wide value_bar = w * (w_load(&all_bar->value[i]) - slope * inv_tau);
        w_store(&child_bar->value[i], value_bar);
        tau_bar = w_fma(value_bar, z, tau_bar);
    }
    return w_sum(tau_bar);
}

const tacShapeKernels TAC_KERNELS(tac_shape_kernels_) = {
    .lanes = TAC_LANES,
    .leaf = leaf,
    .begin = begin,
    .merge = merge,
    .close = close,
    .leaf_reach = leaf_reach,
    .union_reach = union_reach,
    .leaf_jvp = leaf_jvp,
    .leaf_vjp = leaf_vjp,
    .union_jvp_value = union_jvp_value,
    .union_jvp_gradient = union_jvp_gradient,
    .union_vjp = union_vjp,
};
