// A leaf at one vector of points of its own frame: field, and derivative by the point and by its
// own numbers. The one place that knows the kinds of leaves.

#ifndef TAC_SHAPE_LEAF_LEAF_INL
#define TAC_SHAPE_LEAF_LEAF_INL

#include "shape/cloud/cloud_diff.inl"
#include "shape/leaf/capsule.inl"
#include "shape/leaf/faces.inl"
#include "shape/leaf/polyhedron.inl"
#include "shape/leaf/sphere.inl"
#include "shape/leaf/superquadric.inl"
#include "shape/sweep/sweep_kernels.h"

// half-space below z = 0 of its frame
TAC_INLINE void plane_field(const wide y[3], localField* out) {
    out->value = y[2];
    for (int i = 0; i < 6; ++i) out->H[i] = w_set(0.0);
    out->g[0] = w_set(0.0);
    out->g[1] = w_set(0.0);
    out->g[2] = w_set(1.0);
}

// field of any leaf but superquadric and sweep
TAC_INLINE void plain_field(const tacNodeData* b, const wide y[3], localField* out, int order) {
    if (b->kind == TAC_NODE_SPHERE)
        sphere_field(b, y, out, order);
    else if (b->kind == TAC_NODE_PLANE)
        plane_field(y, out);
    else if (b->kind == TAC_NODE_CAPSULE)
        capsule_field(b, y, out, order);
    else if (b->kind == TAC_NODE_CLOUD)
        cloud_field(b, y, out, order);
    else if (b->kind == TAC_NODE_POLYHEDRON)
        polyhedron_field(b, y, out, &(polyPoint){0}, order);
    else
        faces_field(b, y, out, order);
}

// all that a superquadric's derivatives at one vector of points share
typedef struct sqPoint {
    sqLogs logs;
    sqJet jet;
    localField raw; // before the core
} sqPoint;

typedef struct leafPoint {
    wide y[3];
    localField f;
    sqPoint sq;     // of a superquadric
    polyPoint poly; // of a polyhedron
    sweepCoefs sweep;
} leafPoint;

TAC_INLINE void sq_point(const tacNodeData* b, const wide y[3], sqPoint* at, int order) {
    for (int i = 0; i < 3; ++i) at->logs.y[i] = y[i];
    sq_logs(&b, &at->logs, 1, b->ridged);
    sq_jet_first(b, &at->logs, &at->jet, b->ridged);
    sq_jet_second(b, &at->jet, b->ridged);
    if (b->distance == TAC_DISTANCE_RADIAL)
        sq_radial(b, &at->logs, &at->raw, order, b->ridged);
    else
        sq_tangent(b, &at->logs, &at->raw, order, b->ridged);
}

// field up to `order`, and what leaf_dot needs
TAC_INLINE void leaf_point(const tacNodeData* b, const wide y[3], leafPoint* at, int order) {
    for (int i = 0; i < 3; ++i) at->y[i] = y[i];
    if (b->kind == TAC_NODE_SUPERQUADRIC) {
        sq_point(b, y, &at->sq, order);
        at->f = at->sq.raw;
        sq_core(b, y, &at->f, order);
    } else if (b->kind == TAC_NODE_POLYHEDRON) {
        polyhedron_field(b, y, &at->f, &at->poly, order);
    } else if (b->kind == TAC_NODE_SWEEP) {
        sweep_bind(b, &at->sweep);
        TAC_KERNELS(tac_sweep_kernels_).field[order](&at->sweep, y, &at->f);
    } else {
        plain_field(b, y, &at->f, order);
    }
}

TAC_INLINE void sq_point_dot(const tacNodeData* b, const sqPoint* at, const wide yd[3],
                             const tacLeafDot* d, localField* out) {
    sqParamDot by;
    for (int i = 0; i < 3; ++i) {
        by.log_a[i] = w_set(d->log_a[i]);
        by.w2_a2[i] = w_set(d->w2_a2[i]);
        by.delta[i] = w_set(d->delta[i]);
        by.ridge[i] = w_set(d->ridge[i]);
    }
    by.e[0] = w_set(d->e[0]);
    by.e[1] = w_set(d->e[1]);
    sq_field_dot(b, &at->logs, &at->jet, &at->raw, yd, &by, w_set(d->radius), w_set(d->cap), out);
}

// tangent of value and gradient along the point's yd and the leaf's own numbers
TAC_INLINE void leaf_dot(const tacNodeData* b, const leafPoint* at, const wide yd[3],
                         const tacLeafDot* d, localField* fd) {
    if (b->kind == TAC_NODE_SUPERQUADRIC) {
        sq_point_dot(b, &at->sq, yd, d, fd);
    } else if (b->kind == TAC_NODE_SWEEP) {
        sweepCoefs dot = {0};
        if (d->block) sweep_bind_dot(b, &at->sweep, d->block, d->tau, &dot);
        TAC_KERNELS(tac_sweep_diff_kernels_).dot(&at->sweep, d->block ? &dot : NULL, at->y, yd, fd);
    } else if (b->kind == TAC_NODE_SPHERE) {
        sphere_dot(b, at->y, yd, w_set(d->size[0]), fd);
    } else if (b->kind == TAC_NODE_CAPSULE) {
        capsule_dot(b, at->y, yd, d, fd);
    } else if (b->kind == TAC_NODE_CLOUD) {
        cloud_dot(b, at->y, yd, d, fd);
    } else if (b->kind == TAC_NODE_POLYHEDRON) {
        polyhedron_dot(b, at->y, yd, d, fd);
    } else if (tac_node_is_soft(b->kind)) {
        faces_dot(b, at->y, yd, d, fd);
    } else {
        fd->value = yd[2];
        for (int i = 0; i < 3; ++i) fd->g[i] = w_set(0.0);
    }
}

#endif
