// Three expressions: vectors in some frame, and rotations as the columns of a matrix.

#ifndef TAC_SYMBOLIC_EXPR_EXPR_VEC_INL
#define TAC_SYMBOLIC_EXPR_EXPR_VEC_INL

#include "symbolic/expr/graph.h"

typedef struct exprVec {
    tacExpr x, y, z;
} exprVec;

static inline exprVec vec_number(tacGraph* g, const double a[3]) {
    return (exprVec){tac_number(g, a[0]), tac_number(g, a[1]), tac_number(g, a[2])};
}

static inline exprVec vec_add(tacGraph* g, exprVec a, exprVec b) {
    return (exprVec){tac_expr_add(g, a.x, b.x), tac_expr_add(g, a.y, b.y),
                     tac_expr_add(g, a.z, b.z)};
}

static inline exprVec vec_sub(tacGraph* g, exprVec a, exprVec b) {
    return (exprVec){tac_expr_sub(g, a.x, b.x), tac_expr_sub(g, a.y, b.y),
                     tac_expr_sub(g, a.z, b.z)};
}

static inline exprVec vec_scale(tacGraph* g, exprVec a, tacExpr s) {
    return (exprVec){tac_expr_mul(g, a.x, s), tac_expr_mul(g, a.y, s), tac_expr_mul(g, a.z, s)};
}

static inline tacExpr vec_dot(tacGraph* g, exprVec a, exprVec b) {
    tacExpr xy = tac_expr_add(g, tac_expr_mul(g, a.x, b.x), tac_expr_mul(g, a.y, b.y));
    return tac_expr_add(g, xy, tac_expr_mul(g, a.z, b.z));
}

static inline tacExpr vec_minor(tacGraph* g, tacExpr a, tacExpr b, tacExpr c, tacExpr d) {
    return tac_expr_sub(g, tac_expr_mul(g, a, b), tac_expr_mul(g, c, d));
}

static inline exprVec vec_cross(tacGraph* g, exprVec a, exprVec b) {
    return (exprVec){vec_minor(g, a.y, b.z, a.z, b.y), vec_minor(g, a.z, b.x, a.x, b.z),
                     vec_minor(g, a.x, b.y, a.y, b.x)};
}

//---------------------------------- rotations ------------------------------------

// a vector in a frame rotated by a rotation with these columns
static inline exprVec vec_to_axes(tacGraph* g, const exprVec R[3], exprVec a) {
    return (exprVec){vec_dot(g, R[0], a), vec_dot(g, R[1], a), vec_dot(g, R[2], a)};
}

// and back
static inline exprVec vec_from_axes(tacGraph* g, const exprVec R[3], exprVec a) {
    return vec_add(g, vec_add(g, vec_scale(g, R[0], a.x), vec_scale(g, R[1], a.y)),
                   vec_scale(g, R[2], a.z));
}

// columns of the rotation about a unit axis, which stays fixed
static inline exprVec vec_to_rotated_axes(tacGraph* g, exprVec axis, tacExpr angle, exprVec a) {
    tacExpr sine = tac_expr_call(g, TAC_OP_SIN, angle, angle);
    tacExpr cosine = tac_expr_call(g, TAC_OP_COS, angle, angle);
    exprVec along = vec_scale(g, axis, vec_dot(g, axis, a)), across = vec_sub(g, a, along);
    exprVec swing = vec_scale(g, vec_cross(g, axis, a), sine);
    return vec_add(g, along, vec_sub(g, vec_scale(g, across, cosine), swing));
}

// 1 - 2 (a^2 + b^2), and 2 (a b + sign c d)
static inline tacExpr vec_diagonal(tacGraph* g, tacExpr a, tacExpr b) {
    tacExpr two = tac_fraction(g, 2, 1);
    tacExpr sum = tac_expr_add(g, tac_expr_pow(g, a, two), tac_expr_pow(g, b, two));
    return tac_expr_sub(g, tac_fraction(g, 1, 1), tac_expr_mul(g, two, sum));
}
static inline tacExpr vec_off_diagonal(tacGraph* g, tacExpr a, tacExpr b, int sign, tacExpr c,
                                       tacExpr d) {
    tacExpr second = tac_expr_mul(g, tac_fraction(g, sign, 1), tac_expr_mul(g, c, d));
    return tac_expr_mul(g, tac_fraction(g, 2, 1), tac_expr_add(g, tac_expr_mul(g, a, b), second));
}

// the columns of the rotation of a quaternion of length 1
static inline void vec_unit_columns(tacGraph* g, const tacExpr q[4], exprVec out[3]) {
    tacExpr w = q[0], x = q[1], y = q[2], z = q[3];
    out[0] = (exprVec){vec_diagonal(g, y, z), vec_off_diagonal(g, x, y, 1, w, z),
                       vec_off_diagonal(g, x, z, -1, w, y)};
    out[1] = (exprVec){vec_off_diagonal(g, x, y, -1, w, z), vec_diagonal(g, x, z),
                       vec_off_diagonal(g, y, z, 1, w, x)};
    out[2] = (exprVec){vec_off_diagonal(g, x, z, 1, w, y), vec_off_diagonal(g, y, z, -1, w, x),
                       vec_diagonal(g, x, y)};
}

//---------------------------------- quaternions ----------------------------------

// A length that may be 0 is sqrt(x.x + 1e-200): sin(l)/l has its value there, too.
static inline tacExpr vec_length(tacGraph* g, exprVec a) {
    return tac_expr_sqrt(g, tac_expr_add(g, vec_dot(g, a, a), tac_number(g, 1e-200)));
}

static inline void vec_quat_unit(tacGraph* g, const tacExpr q[4], tacExpr out[4]) {
    tacExpr sum = tac_fraction(g, 0, 1), two = tac_fraction(g, 2, 1);
    for (int i = 0; i < 4; ++i) sum = tac_expr_add(g, sum, tac_expr_pow(g, q[i], two));
    tacExpr over = tac_expr_pow(g, sum, tac_fraction(g, -1, 2));
    for (int i = 0; i < 4; ++i) out[i] = tac_expr_mul(g, q[i], over);
}

static inline void vec_quat_mul(tacGraph* g, const tacExpr a[4], const tacExpr b[4],
                                tacExpr out[4]) {
    exprVec x = {a[1], a[2], a[3]}, y = {b[1], b[2], b[3]};
    exprVec v = vec_add(g, vec_scale(g, y, a[0]), vec_scale(g, x, b[0]));
    v = vec_add(g, v, vec_cross(g, x, y));
    out[0] = tac_expr_sub(g, tac_expr_mul(g, a[0], b[0]), vec_dot(g, x, y));
    out[1] = v.x;
    out[2] = v.y;
    out[3] = v.z;
}

// q exp(w), w a rotation vector in the body's axes
static inline void vec_quat_integrate(tacGraph* g, const tacExpr q[4], exprVec w, tacExpr out[4]) {
    tacExpr length = vec_length(g, w), half = tac_expr_mul(g, tac_fraction(g, 1, 2), length);
    tacExpr sine = tac_expr_call(g, TAC_OP_SIN, half, half), unit[4], turn[4];
    exprVec v = vec_scale(g, w, tac_expr_div(g, sine, length));
    turn[0] = tac_expr_call(g, TAC_OP_COS, half, half);
    turn[1] = v.x;
    turn[2] = v.y;
    turn[3] = v.z;
    vec_quat_unit(g, q, unit);
    vec_quat_mul(g, unit, turn, out);
}

#endif
