// Vectors of wide numbers: products, and lanes of a struct of arrays.

#ifndef TAC_MATH_WIDE_VEC3_INL
#define TAC_MATH_WIDE_VEC3_INL

#include "math/wide.h"

//---------------------------------- products -------------------------------------

TAC_INLINE wide w_dot3(const wide a[3], const wide b[3]) {
    return w_fma(a[0], b[0], w_fma(a[1], b[1], a[2] * b[2]));
}

TAC_INLINE void w_cross3(const wide a[3], const wide b[3], wide out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// H v for a symmetric H: xx yy zz xy xz yz
TAC_INLINE void w_symmetric_mul(const wide H[6], const wide v[3], wide out[3]) {
    out[0] = w_fma(H[0], v[0], w_fma(H[3], v[1], H[4] * v[2]));
    out[1] = w_fma(H[3], v[0], w_fma(H[1], v[1], H[5] * v[2]));
    out[2] = w_fma(H[4], v[0], w_fma(H[5], v[1], H[2] * v[2]));
}

//---------------------------------- arrays ---------------------------------------

TAC_INLINE void w_load3(const tacReal* const x[3], int i, wide out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = w_load(&x[k][i]);
}

TAC_INLINE void w_store3(tacReal* const x[3], int i, const wide v[3]) {
    for (int k = 0; k < 3; ++k) w_store(&x[k][i], v[k]);
}

// arrays that are not const, as C wants them for the functions above
#define W_CONST3(x) ((const tacReal* const*)(x))

// 0 in lanes from `count` on
TAC_INLINE wide w_load_padded(const tacReal* x, int i, int count) {
    tacReal part[TAC_LANES] = {0};
    if (i + TAC_LANES <= count) return w_load(&x[i]);
    for (int j = 0; i + j < count; ++j) part[j] = x[i + j];
    return w_load(part);
}

TAC_INLINE void w_load_padded3(tacReal* const x[3], int i, int count, wide out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = w_load_padded(x[k], i, count);
}

// arrays that may be NULL
TAC_INLINE wide w_load_or_zero(const tacReal* x, int i) { return x ? w_load(x + i) : w_set(0.0); }

TAC_INLINE void w_store_if(tacReal* x, int i, wide v) {
    if (x) w_store(x + i, v);
}

// adds a force at an arm, and its moment
TAC_INLINE void w_add_force(wide wrench[6], const wide arm[3], const wide force[3]) {
    wide moment[3];
    w_cross3(arm, force, moment);
    for (int k = 0; k < 3; ++k) {
        wrench[k] = wrench[k] + force[k];
        wrench[3 + k] = wrench[3 + k] + moment[k];
    }
}

#endif
