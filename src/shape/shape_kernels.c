// Kernels of shape/, compiled once per instruction set and once per number type.

#include "shape/shape_kernels.h"

#include "shape/blend.inl"
#include "shape/distance_bound.inl"
#include "shape/leaf/leaf.inl"
#include "shape/leaf_bounds.inl"

#include <string.h>

static int all_within(const tacReal* x, int count, double limit) {
    int all = 1, i = 0;
    for (; i + TAC_LANES <= count; i += TAC_LANES) all &= w_all_within(w_load(&x[i]), limit);
    for (; i < count; ++i) all &= fabs(tac_re(x[i])) <= limit;
    return all;
}

static void gather_points(const tacReal x[3][TAC_BLOCK], const int* at, tacReal out[3][TAC_BLOCK],
                          int first, int count) {
    for (int i = 0; i < count; i += TAC_LANES)
        for (int k = 0; k < 3; ++k) w_store(&out[k][first + i], w_gather(x[k], &at[i]));
}

static void gather_vectors(const tacReal x[3][TAC_BLOCK], const int* at, tacReal out[3][TAC_BLOCK],
                           int vectors) {
    for (int i = 0; i < vectors; ++i)
        for (int k = 0; k < 3; ++k) w_store(&out[k][i * TAC_LANES], w_load(&x[k][at[i]]));
}

//---------------------------------- leaves ---------------------------------------

TAC_INLINE void store_field(const tacFrame* frame, const localField* f, tacFieldBlock* out, int i,
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

TAC_INLINE void superquadric_chunk(const tacNodeData* const* b, const tacReal x[3][TAC_BLOCK],
                                   int i, tacFieldBlock* out, int n, int order,
                                   tacDistance distance) {
    wide y[TAC_STAGE][3];
    localField f[TAC_STAGE];
    for (int j = 0; j < n; ++j) {
        wide point[3];
        load3(x, i + j * TAC_LANES, point);
        to_local(&b[j]->frame, point, y[j]);
    }
    sq_field(b, y, f, n, order, distance, 0);
    for (int j = 0; j < n; ++j) store_field(&b[j]->frame, &f[j], out, i + j * TAC_LANES, order);
}

// Full stages first, then two vectors and one: the same arithmetic per lane, so the same bits. One
// superquadric for all vectors (b[0]) is a case of its own: its constants stay in registers.
TAC_INLINE void superquadric_block(const tacNodeData* const* b, int one,
                                   const tacReal x[3][TAC_BLOCK], tacFieldBlock* out, int count,
                                   int order, tacDistance distance) {
    const tacNodeData* each[TAC_STAGE];
    int i = 0, pair = TAC_STAGE > 2 ? 2 : TAC_STAGE;
    for (; i + TAC_STAGE * TAC_LANES <= count; i += TAC_STAGE * TAC_LANES) {
        for (int j = 0; j < TAC_STAGE; ++j) each[j] = one ? b[0] : b[i / TAC_LANES + j];
        superquadric_chunk(each, x, i, out, TAC_STAGE, order, distance);
    }
    for (; pair > 1 && i + pair * TAC_LANES <= count; i += pair * TAC_LANES) {
        for (int j = 0; j < pair; ++j) each[j] = one ? b[0] : b[i / TAC_LANES + j];
        superquadric_chunk(each, x, i, out, pair, order, distance);
    }
    for (; i < count; i += TAC_LANES)
        superquadric_chunk(one ? b : &b[i / TAC_LANES], x, i, out, 1, order, distance);
}

typedef void superquadricKernel(const tacNodeData* const*, const tacReal[3][TAC_BLOCK],
                                tacFieldBlock*, int);
#define SUPERQUADRIC(name, one, order, distance)                                                   \
    static void name(const tacNodeData* const* b, const tacReal x[3][TAC_BLOCK],                   \
                     tacFieldBlock* out, int count) {                                              \
        superquadric_block(b, one, x, out, count, order, distance);                                \
    }
#define SUPERQUADRICS(name, one)                                                                   \
    SUPERQUADRIC(name##_tangent_0, one, 0, TAC_DISTANCE_TANGENT)                                   \
    SUPERQUADRIC(name##_tangent_1, one, 1, TAC_DISTANCE_TANGENT)                                   \
    SUPERQUADRIC(name##_tangent_2, one, 2, TAC_DISTANCE_TANGENT)                                   \
    SUPERQUADRIC(name##_radial_0, one, 0, TAC_DISTANCE_RADIAL)                                     \
    SUPERQUADRIC(name##_radial_1, one, 1, TAC_DISTANCE_RADIAL)                                     \
    SUPERQUADRIC(name##_radial_2, one, 2, TAC_DISTANCE_RADIAL)                                     \
    static superquadricKernel* const name[2][3] = {                                                \
        [TAC_DISTANCE_TANGENT] = {name##_tangent_0, name##_tangent_1, name##_tangent_2},           \
        [TAC_DISTANCE_RADIAL] = {name##_radial_0, name##_radial_1, name##_radial_2}};
SUPERQUADRICS(one_superquadric, 1)
SUPERQUADRICS(many_superquadrics, 0)

static void superquadrics(const tacNodeData* const* b, const tacReal x[3][TAC_BLOCK],
                          tacFieldBlock* out, int count, int order) {
    many_superquadrics[b[0]->distance][order](b, x, out, count);
}

static void leaf(const tacNodeData* b, const tacReal x[3][TAC_BLOCK], tacFieldBlock* out, int count,
                 int order) {
    if (b->kind == TAC_NODE_SUPERQUADRIC && !b->ridged) {
        one_superquadric[b->distance][order](&b, x, out, count);
        return;
    }
    sweepCoefs sweep;
    if (b->kind == TAC_NODE_SWEEP) sweep_bind(b, &sweep);
    for (int i = 0; i < count; i += TAC_LANES) {
        wide point[3], y[3];
        localField f = {0};
        load3(x, i, point);
        to_local(&b->frame, point, y);
        if (b->ridged)
            sq_field(&b, &y, &f, 1, order, b->distance, 1);
        else if (b->kind == TAC_NODE_SWEEP)
            TAC_KERNELS(tac_sweep_kernels_).field[order](&sweep, y, &f);
        else
            plain_field(b, y, &f, order);
        store_field(&b->frame, &f, out, i, order);
    }
}

//---------------------------------- derivatives of leaves ------------------------

static void leaf_jvp(const tacNodeData* b, const tacNodeDataDot* d, const tacReal x[3][TAC_BLOCK],
                     const tacReal x_dot[3][TAC_BLOCK], tacGradientBlock* dot, int count) {
    tacLeafDot leaf_params = tac_leaf_dot(b, d);
    const wide angular[3] = {w_set(d->twist[3]), w_set(d->twist[4]), w_set(d->twist[5])};
    for (int i = 0; i < count; i += TAC_LANES) {
        // the point moves past the frame with x' - v - omega x (x - about)
        wide point[3], arm[3], sweep[3], slip[3], y[3], yd[3];
        load3(x, i, point);
        load3(x_dot, i, slip);
        for (int k = 0; k < 3; ++k) arm[k] = point[k] - b->about[k];
        w_cross3(angular, arm, sweep);
        for (int k = 0; k < 3; ++k) slip[k] = slip[k] - d->twist[k] - sweep[k];
        to_local(&b->frame, point, y);
        rotate_to_local(&b->frame, slip, yd);

        leafPoint at;
        localField fd;
        leaf_point(b, y, &at, 1);
        leaf_dot(b, &at, yd, &leaf_params, &fd);

        wide g[3], gd[3], turn[3];
        rotate_to_world(&b->frame, at.f.g, g);
        rotate_to_world(&b->frame, fd.g, gd);
        w_cross3(angular, g, turn);
        for (int k = 0; k < 3; ++k) gd[k] = gd[k] + turn[k];
        w_store(&dot->value[i], fd.value);
        store3(dot->gradient, i, gd);
    }
}

// sums over points that leaf_vjp collects, one lane each until the end
typedef struct leafSums {
    wide twist[6], leaf_params[TAC_LEAF_PARAMS];
} leafSums;

static void clear_leaf_sums(leafSums* sums) {
    for (int k = 0; k < 6; ++k) sums->twist[k] = w_set(0.0);
    for (int k = 0; k < TAC_LEAF_PARAMS; ++k) sums->leaf_params[k] = w_set(0.0);
}

static void add_leaf_sums(const leafSums* sums, tacNodeDataBar* bar) {
    for (int k = 0; k < 6; ++k) bar->twist[k] += w_sum(sums->twist[k]);
    for (int k = 0; k < TAC_LEAF_PARAMS; ++k) bar->leaf_params[k] += w_sum(sums->leaf_params[k]);
}

// a leaf has few numbers of its own: the derivative along each, paired with the adjoint
static void add_param_bars(const tacNodeData* b, const leafPoint* at, const tacLeafDot* unit,
                           wide value_bar, const wide g_bar[3], leafSums* sums) {
    const wide still[3] = {w_set(0.0), w_set(0.0), w_set(0.0)};
    for (int k = 0; k < b->param_count; ++k) {
        localField fd;
        leaf_dot(b, at, still, &unit[k], &fd);
        sums->leaf_params[k] =
            sums->leaf_params[k] + w_fma(fd.value, value_bar, w_dot3(fd.g, g_bar));
    }
}

// a sweep has many numbers: one reverse pass for all
static void add_sweep_bars(const tacNodeData* b, const sweepSums* sums, tacNodeDataBar* bar) {
    tacReal unit[TAC_SWEEP_BLOCK] = {0};
    sweepCoefs at, dot;
    sweep_bind(b, &at);
    for (int k = 0; k <= b->block_count; ++k) { // the temperature comes last
        if (k < b->block_count) unit[k] = 1.0;
        sweep_bind_dot(b, &at, unit, k < b->block_count ? 0.0 : 1.0, &dot);
        if (k < b->block_count) unit[k] = 0.0;
        tacReal sum = 0.0;
        for (int i = 0; i < TAC_IN_COUNT; ++i) sum += dot.in[i] * w_sum(sums->in[i]);
        for (int i = 0; i < TAC_POLY_PLANE + 4 * at.planes; ++i)
            for (int j = 0; j < 3; ++j) sum += dot.poly[i][j] * w_sum(sums->poly[i][j]);
        if (k == b->block_count)
            bar->tau += sum;
        else if (bar->block)
            bar->block[k] += sum;
    }
}

static void leaf_vjp(const tacNodeData* b, const tacReal x[3][TAC_BLOCK],
                     const tacGradientBlock* field_bar, tacReal x_bar[3][TAC_BLOCK],
                     tacNodeDataBar* bar, int count, int with_params) {
    tacLeafDot unit[TAC_LEAF_PARAMS];
    leafSums sums;
    polyTape tape;
    int by_planes = with_params && b->kind == TAC_NODE_POLYHEDRON;
    sweepSums sweep;
    int by_sweep = with_params && b->kind == TAC_NODE_SWEEP;
    if (by_sweep) memset(&sweep, 0, sizeof sweep);
    for (int k = 0; k < b->param_count && with_params; ++k) unit[k] = tac_leaf_dot_unit(b, k);
    clear_leaf_sums(&sums);
    for (int i = 0; i < count; i += TAC_LANES) {
        wide point[3], y[3], g_bar[3], local_bar[3], g[3];
        wide value_bar = w_load(&field_bar->value[i]);
        load3(x, i, point);
        load3(field_bar->gradient, i, g_bar);
        to_local(&b->frame, point, y);
        rotate_to_local(&b->frame, g_bar, local_bar);
        leafPoint at;
        leaf_point(b, y, &at, 2);
        if (with_params) add_param_bars(b, &at, unit, value_bar, local_bar, &sums);
        if (with_params && b->kind == TAC_NODE_CLOUD) cloud_bars(b, y, value_bar, local_bar, bar);
        if (by_planes) polyhedron_record(&tape, i, y, &at.f, &at.poly, local_bar);
        if (by_sweep)
            TAC_KERNELS(tac_sweep_diff_kernels_).vjp(&at.sweep, y, value_bar, local_bar, &sweep);

        // x_bar = value_bar g + H g_bar
        wide push_local[3], push[3], total[3], arm[3], moment[3], turn[3];
        w_symmetric_mul(at.f.H, local_bar, push_local);
        for (int k = 0; k < 3; ++k) push_local[k] = w_fma(value_bar, at.f.g[k], push_local[k]);
        rotate_to_world(&b->frame, push_local, push);
        load3((const tacReal(*)[TAC_BLOCK])x_bar, i, total);
        for (int k = 0; k < 3; ++k) {
            total[k] = total[k] + push[k];
            arm[k] = point[k] - b->about[k];
        }
        store3(x_bar, i, total);

        // the frame's twist moves the points the other way and turns the gradient with it
        rotate_to_world(&b->frame, at.f.g, g);
        w_cross3(arm, push, moment);
        w_cross3(g, g_bar, turn);
        for (int k = 0; k < 3; ++k) {
            sums.twist[k] = sums.twist[k] - push[k];
            sums.twist[3 + k] = sums.twist[3 + k] + turn[k] - moment[k];
        }
    }
    add_leaf_sums(&sums, bar);
    if (by_planes) polyhedron_bars(b, &tape, field_bar->value, bar, count);
    if (by_sweep) add_sweep_bars(b, &sweep, bar);
}

// x_bar = value_bar g; the pose's twist moves the points the other way
static void points_vjp(const tacFieldBlock* field, const tacReal* value_bar,
                       const tacReal x[3][TAC_BLOCK], const tacReal about[3],
                       tacReal x_bar[3][TAC_BLOCK], tacReal twist_bar[6], int count) {
    leafSums sums;
    clear_leaf_sums(&sums);
    for (int i = 0; i < count; i += TAC_LANES) {
        wide point[3], push[3], arm[3], moment[3], bar = w_load(&value_bar[i]);
        load3(x, i, point);
        load3(field->gradient, i, push);
        for (int k = 0; k < 3; ++k) {
            push[k] = bar * push[k];
            arm[k] = point[k] - about[k];
        }
        if (x_bar) store3(x_bar, i, push);
        w_cross3(arm, push, moment);
        for (int k = 0; k < 3; ++k) {
            sums.twist[k] = sums.twist[k] - push[k];
            sums.twist[3 + k] = sums.twist[3 + k] - moment[k];
        }
    }
    for (int k = 0; k < 6; ++k) twist_bar[k] += w_sum(sums.twist[k]);
}

//---------------------------------- table ----------------------------------------

const tacShapeKernels TAC_KERNELS(tac_shape_kernels_) = {
    .lanes = TAC_LANES,
    .stage = TAC_STAGE * TAC_LANES,
    .all_within = all_within,
    .gather_points = gather_points,
    .leaf = leaf,
    .superquadrics = superquadrics,
    .blend_begin = blend_begin,
    .blend_merge = blend_merge,
    .blend_merge_some = blend_merge_some,
    .blend_close = blend_close,
    .gather_vectors = gather_vectors,
    .sum = sum,
    .leaf_bounds = leaf_bounds,
    .float_points = float_points,
    .is_near = is_near,
    .leaf_distance_bound = leaf_distance_bound,
    .blend_distance_bound = blend_distance_bound,
    .leaf_jvp = leaf_jvp,
    .leaf_vjp = leaf_vjp,
    .points_vjp = points_vjp,
    .blend_jvp_value = blend_jvp_value,
    .blend_jvp_gradient = blend_jvp_gradient,
    .blend_vjp = blend_vjp,
};
