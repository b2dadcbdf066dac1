// Vectors of a struct of arrays: x[k][i] is component k of vector i.

#ifndef TAC_MATH_VEC3_ARRAY_H
#define TAC_MATH_VEC3_ARRAY_H

#include "math/vec3.h"

static inline tacVec3 tac_vec3_at(tacReal* const x[3], int i) {
    return (tacVec3){x[0][i], x[1][i], x[2][i]};
}

static inline void tac_vec3_set(tacReal* const x[3], int i, tacVec3 v) {
    x[0][i] = v.x;
    x[1][i] = v.y;
    x[2][i] = v.z;
}

static inline void tac_vec3_add_to(tacReal* const x[3], int i, tacVec3 v) {
    tac_vec3_set(x, i, tac_add(tac_vec3_at(x, i), v));
}

// the same for vectors that are arrays of three numbers
static inline void tac_get3(tacReal* const x[3], int i, tacReal out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = x[k][i];
}

static inline void tac_set3(tacReal* const x[3], int i, const tacReal in[3]) {
    for (int k = 0; k < 3; ++k) x[k][i] = in[k];
}

static inline tacReal tac_dot3(const tacReal a[3], const tacReal b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// H v of a symmetric matrix: xx yy zz xy xz yz
static inline tacVec3 tac_symmetric_mul(const tacReal H[6], tacVec3 v) {
    return (tacVec3){H[0] * v.x + H[3] * v.y + H[4] * v.z, H[3] * v.x + H[1] * v.y + H[5] * v.z,
                     H[4] * v.x + H[5] * v.y + H[2] * v.z};
}

#endif
