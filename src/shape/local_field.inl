// Fields of a leaf in its own frame, and how they turn into the world.

#ifndef TAC_SHAPE_LOCAL_FIELD_INL
#define TAC_SHAPE_LOCAL_FIELD_INL

#include "math/wide_vec3.inl"
#include "shape/node_data.h"

// vectors that pass a kernel's stages in lock step: as many as the registers bear. Sanitizers,
// under which a long unrolled kernel takes a minute to compile, get two: the same bits.
#if TAC_LANES == 1
#define TAC_STAGE 1
#elif defined(TAC_SANITIZED)
#define TAC_STAGE 2
#else
#define TAC_STAGE 4
#endif

#if defined(TAC_SANITIZED)
#define TAC_UNROLL
#elif defined(__clang__)
#define TAC_UNROLL _Pragma("unroll")
#else
#define TAC_UNROLL _Pragma("GCC unroll 8")
#endif

// value, gradient and Hessian (xx yy zz xy xz yz) of one vector of points
typedef struct localField {
    wide value, g[3], H[6];
} localField;

// H += s a a^T
TAC_INLINE void w_add_square(wide H[6], wide s, const wide a[3]) {
    wide sx = s * a[0], sy = s * a[1], sz = s * a[2];
    H[0] = w_fma(sx, a[0], H[0]);
    H[1] = w_fma(sy, a[1], H[1]);
    H[2] = w_fma(sz, a[2], H[2]);
    H[3] = w_fma(sx, a[1], H[3]);
    H[4] = w_fma(sx, a[2], H[4]);
    H[5] = w_fma(sy, a[2], H[5]);
}

// H += s (a b^T + b a^T)
TAC_INLINE void w_add_product(wide H[6], wide s, const wide a[3], const wide b[3]) {
    wide sx = s * a[0], sy = s * a[1], sz = s * a[2];
    H[0] = w_fma(sx + sx, b[0], H[0]);
    H[1] = w_fma(sy + sy, b[1], H[1]);
    H[2] = w_fma(sz + sz, b[2], H[2]);
    H[3] = w_fma(sx, b[1], w_fma(sy, b[0], H[3]));
    H[4] = w_fma(sx, b[2], w_fma(sz, b[0], H[4]));
    H[5] = w_fma(sy, b[2], w_fma(sz, b[1], H[5]));
}

//---------------------------------- frames ---------------------------------------

// y = R^T (x - origin)
TAC_INLINE void to_local(const tacFrame* f, const wide x[3], wide y[3]) {
    wide d0 = x[0] - f->origin[0], d1 = x[1] - f->origin[1], d2 = x[2] - f->origin[2];
    for (int i = 0; i < 3; ++i)
        y[i] = w_fma(w_set(f->R.m[0][i]), d0, w_fma(w_set(f->R.m[1][i]), d1, d2 * f->R.m[2][i]));
}

// R^T v, and R v
TAC_INLINE void rotate_to_local(const tacFrame* f, const wide v[3], wide out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] =
            w_fma(w_set(f->R.m[0][i]), v[0], w_fma(w_set(f->R.m[1][i]), v[1], v[2] * f->R.m[2][i]));
}

TAC_INLINE void rotate_to_world(const tacFrame* f, const wide v[3], wide out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] =
            w_fma(w_set(f->R.m[i][0]), v[0], w_fma(w_set(f->R.m[i][1]), v[1], v[2] * f->R.m[i][2]));
}

// R H R^T
TAC_INLINE void hessian_to_world(const tacFrame* f, const wide H[6], wide out[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    wide T[3][3]; // rows of R H
    for (int i = 0; i < 3; ++i) {
        wide r[3] = {w_set(f->R.m[i][0]), w_set(f->R.m[i][1]), w_set(f->R.m[i][2])};
        w_symmetric_mul(H, r, T[i]);
    }
    for (int k = 0; k < 6; ++k) {
        const tacReal* c = f->R.m[column[k]];
        const wide* t = T[row[k]];
        out[k] = w_fma(w_set(c[0]), t[0], w_fma(w_set(c[1]), t[1], t[2] * c[2]));
    }
}

//---------------------------------- core -----------------------------------------

// w(t) = 35 t^4 - 84 t^5 + 70 t^6 - 20 t^7 on [0, 1], 1 beyond; with w' and w'' (docs/shapes.md eq.
// 5)
typedef struct coreWeight {
    wide w, d, dd;
} coreWeight;

TAC_INLINE coreWeight core_weight(wide t) {
    wide rest = 1.0 - t, t2 = t * t, both = t * rest;
    coreWeight c;
    c.w = t2 * t2 *
          w_fma(t, w_fma(t, w_fma(t, w_set(-20.0), w_set(70.0)), w_set(-84.0)), w_set(35.0));
    c.d = 140.0 * (both * both * both);
    c.dd = 420.0 * (both * both) * (rest - t);
    return c;
}

#endif
