// Box and cylinder: faces, each a distance of its own, joined softly (docs/shapes.md eq. 17 to 19).
//
//   box       q_i = |y_i| - a_i              cylinder   q = (rho - R, |z| - h), rho = |(x, y)|
//
// with |.| softened over the width, so that there is no kink on a middle plane, axis or centre.

#ifndef TAC_SHAPE_LEAF_FACES_INL
#define TAC_SHAPE_LEAF_FACES_INL

#include "shape/leaf/softening.inl"

// one pair of faces, or the mantle: distance, its derivatives by the point and by the width
typedef struct softFace {
    wide q, g[3], H[6], by_width, g_by_width[3];
} softFace;

typedef struct softFaces {
    int n;
    softFace face[3];
} softFaces;

// both faces across a coordinate axis
TAC_INLINE void flat_face(wide y, int axis, tacReal size, tacReal width, softFace* f) {
    softAbs s = soft_abs(y, width);
    for (int i = 0; i < 3; ++i) f->g[i] = f->g_by_width[i] = w_set(0.0);
    for (int i = 0; i < 6; ++i) f->H[i] = w_set(0.0);
    f->q = s.value - size;
    f->g[axis] = s.d;
    f->H[axis] = s.dd;
    f->by_width = s.by_width;
    f->g_by_width[axis] = s.d_by_width;
}

TAC_INLINE void mantle_face(const tacNodeData* b, const wide y[3], softFace* f) {
    wide rho = w_sqrt(w_fma(y[0], y[0], y[1] * y[1]) + b->guard), inv = 1.0 / rho;
    wide n[3] = {y[0] * inv, y[1] * inv, w_set(0.0)};
    softAbs s = soft_abs(rho, b->width);
    wide across = s.d * inv;
    f->q = s.value - b->size[0];
    f->by_width = s.by_width;
    for (int i = 0; i < 6; ++i) f->H[i] = w_set(0.0);
    for (int i = 0; i < 3; ++i) {
        f->g[i] = s.d * n[i];
        f->g_by_width[i] = s.d_by_width * n[i];
    }
    f->H[0] = f->H[1] = across;
    w_add_square(f->H, s.dd - across, n);
}

TAC_INLINE void find_faces(const tacNodeData* b, const wide y[3], softFaces* out) {
    if (b->kind == TAC_NODE_CYLINDER) {
        out->n = 2;
        mantle_face(b, y, &out->face[0]);
        flat_face(y[2], 2, b->size[1], b->width, &out->face[1]);
        return;
    }
    out->n = 3;
    for (int i = 0; i < 3; ++i) flat_face(y[i], i, b->size[i], b->width, &out->face[i]);
}

TAC_INLINE softCorner faces_corner(const tacNodeData* b, const softFaces* f) {
    wide q[3];
    for (int i = 0; i < f->n; ++i) q[i] = f->face[i].q;
    return soft_corner(q, f->n, b->width);
}

TAC_INLINE void faces_field(const tacNodeData* b, const wide y[3], localField* out, int order) {
    softFaces f;
    find_faces(b, y, &f);
    softCorner j = faces_corner(b, &f);
    out->value = j.value;
    if (order < 1) return;
    for (int k = 0; k < 3; ++k) out->g[k] = w_set(0.0);
    for (int i = 0; i < f.n; ++i)
        for (int k = 0; k < 3; ++k) out->g[k] = w_fma(j.c[i], f.face[i].g[k], out->g[k]);
    if (order < 2) return;

    // H = sum c_i H_i + sum C_ij g_i g_j^T; C is stored as 00 11 22 01 02 12
    for (int k = 0; k < 6; ++k) out->H[k] = w_set(0.0);
    for (int i = 0; i < f.n; ++i) {
        for (int k = 0; k < 6; ++k) out->H[k] = w_fma(j.c[i], f.face[i].H[k], out->H[k]);
        w_add_square(out->H, j.C[i], f.face[i].g);
    }
    for (int i = 0; i < f.n; ++i)
        for (int k = i + 1; k < f.n; ++k)
            w_add_product(out->H, j.C[2 + i + k], f.face[i].g, f.face[k].g);
}

// tangent of value and gradient along yd, the sizes and the width
TAC_INLINE void faces_dot(const tacNodeData* b, const wide y[3], const wide yd[3],
                          const tacLeafDot* d, localField* out) {
    softFaces f;
    find_faces(b, y, &f);
    softCorner j = faces_corner(b, &f);
    wide qd[3] = {w_set(0.0), w_set(0.0), w_set(0.0)}, cd[3], width_dot = w_set(d->width);
    out->value = j.by_width * width_dot;
    for (int i = 0; i < f.n; ++i) {
        qd[i] = w_fma(f.face[i].by_width, width_dot, w_dot3(f.face[i].g, yd)) - d->size[i];
        out->value = w_fma(j.c[i], qd[i], out->value);
    }
    w_symmetric_mul(j.C, qd, cd);
    for (int k = 0; k < 3; ++k) out->g[k] = w_set(0.0);
    for (int i = 0; i < f.n; ++i) {
        wide turned[3];
        w_symmetric_mul(f.face[i].H, yd, turned);
        cd[i] = w_fma(j.c_by_width[i], width_dot, cd[i]);
        for (int k = 0; k < 3; ++k) {
            turned[k] = w_fma(f.face[i].g_by_width[k], width_dot, turned[k]);
            out->g[k] = w_fma(cd[i], f.face[i].g[k], w_fma(j.c[i], turned[k], out->g[k]));
        }
    }
}

#endif
