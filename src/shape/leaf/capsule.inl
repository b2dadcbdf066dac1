// Capsule: distance to a segment on the z axis, phi = |v| - R (docs/shapes.md eq. 16).
//
//   v = (x, y, z - c),  c = (|z + h| - |z - h|)/2, the nearest point of the segment
//
// with every |.| softened over the width. |dv/dy| <= 1, so the field has slope 1 at most.

#ifndef TAC_SHAPE_LEAF_CAPSULE_INL
#define TAC_SHAPE_LEAF_CAPSULE_INL

#include "shape/leaf/softening.inl"

typedef struct capsuleJet {
    wide v[3], n[3], gv[3]; // v, v/|v|, gradient by v
    softAbs norm;           // of |v|
    wide across;            // gradient by v over v
    wide z, zz;             // dv_z/dz and its derivative
    wide by_h, z_by_h;      // of v_z and dv_z/dz by the half length,
    wide by_width, z_by_width;
} capsuleJet;

TAC_INLINE capsuleJet capsule_jet(const tacNodeData* b, const wide y[3]) {
    capsuleJet j;
    softAbs up = soft_abs(y[2] + b->size[1], b->width),
            down = soft_abs(y[2] - b->size[1], b->width);
    j.v[0] = y[0];
    j.v[1] = y[1];
    j.v[2] = y[2] - 0.5 * (up.value - down.value);
    j.z = 1.0 - 0.5 * (up.d - down.d);
    j.zz = -0.5 * (up.dd - down.dd);
    j.by_h = -0.5 * (up.d + down.d);
    j.z_by_h = -0.5 * (up.dd + down.dd);
    j.by_width = -0.5 * (up.by_width - down.by_width);
    j.z_by_width = -0.5 * (up.d_by_width - down.d_by_width);

    wide r = w_sqrt(w_dot3(j.v, j.v) + b->guard), inv_r = 1.0 / r;
    j.norm = soft_abs(r, b->width);
    j.across = j.norm.d * inv_r;
    for (int i = 0; i < 3; ++i) {
        j.n[i] = j.v[i] * inv_r;
        j.gv[i] = j.norm.d * j.n[i];
    }
    return j;
}

TAC_INLINE void capsule_field(const tacNodeData* b, const wide y[3], localField* out, int order) {
    capsuleJet j = capsule_jet(b, y);
    out->value = j.norm.value - b->size[0];
    if (order < 1) return;
    out->g[0] = j.gv[0];
    out->g[1] = j.gv[1];
    out->g[2] = j.z * j.gv[2];
    if (order < 2) return;
    const wide n[3] = {j.n[0], j.n[1], j.z * j.n[2]};
    for (int i = 0; i < 3; ++i) out->H[3 + i] = w_set(0.0);
    out->H[0] = out->H[1] = j.across;
    out->H[2] = w_fma(j.across * j.z, j.z, j.gv[2] * j.zz);
    w_add_square(out->H, j.norm.dd - j.across, n);
}

// tangent of value and gradient along yd, radius, half length and width
TAC_INLINE void capsule_dot(const tacNodeData* b, const wide y[3], const wide yd[3],
                            const tacLeafDot* d, localField* out) {
    capsuleJet j = capsule_jet(b, y);
    wide h = w_set(d->size[1]), width = w_set(d->width);
    wide vd[3] = {yd[0], yd[1], w_fma(j.z, yd[2], w_fma(j.by_h, h, j.by_width * width))};
    wide zd = w_fma(j.zz, yd[2], w_fma(j.z_by_h, h, j.z_by_width * width));
    wide rd = w_dot3(j.n, vd);
    wide along = w_fma(j.norm.dd - j.across, rd, j.norm.d_by_width * width);
    out->value = w_fma(j.norm.d, rd, j.norm.by_width * width) - d->size[0];
    for (int i = 0; i < 3; ++i) out->g[i] = w_fma(j.across, vd[i], along * j.n[i]);
    out->g[2] = w_fma(j.z, out->g[2], j.gv[2] * zd);
}

#endif
