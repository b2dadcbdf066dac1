// Superquadric with an exponent above 1: its coordinate planes are rounded over an angle
// (docs/shapes.md eq. 8).
//
//   v_i = z_i + w_i^2 + W_i^2 Q,   z_i = y_i^2/a_i^2,  Q = z_1 + z_2 + z_3,  u_i = ln v_i
//
// A gradient jumps across a ridge, so its width must stand clear of the rounding of a point at any
// distance: an angle does. Below 1 nothing jumps and W = 0. With h_k = 2 y_k/a_k^2 the derivative
// of u along a direction d of weights is (d u)_k = h_k (d_k/v_k + sum W_i^2 d_i/v_i).

#ifndef TAC_SHAPE_LEAF_SUPERQUADRIC_RIDGE_INL
#define TAC_SHAPE_LEAF_SUPERQUADRIC_RIDGE_INL

#include "shape/local_field.inl"

// what the jet of a ridged superquadric keeps
typedef struct ridgeJet {
    wide h[3], inv_v[3], x[3], Q; // x = v - w^2
    wide b[3], r[3], q[3], B, S;  // k/v, k/v^2, h W^2 r; sums of W^2 b and W^4 r
} ridgeJet;

TAC_INLINE wide ridge_sum(const tacReal ridge[3], const wide t[3]) {
    return w_fma(w_set(ridge[0]), t[0], w_fma(w_set(ridge[1]), t[1], ridge[2] * t[2]));
}

// v before the logarithm; z + w^2 on entry
TAC_INLINE void ridge_add_rounding(const tacNodeData* b, const wide y[3], wide v[3]) {
    wide z[3];
    for (int i = 0; i < 3; ++i) z[i] = y[i] * y[i] * b->inv_a2[i];
    wide Q = z[0] + z[1] + z[2];
    for (int i = 0; i < 3; ++i) v[i] = w_fma(w_set(b->ridge[i]), Q, v[i]);
}

// sum of d_i grad u_i
TAC_INLINE void ridge_combine_gradients(const tacNodeData* b, const ridgeJet* j, const wide d[3],
                                        wide out[3]) {
    wide t[3];
    for (int i = 0; i < 3; ++i) t[i] = d[i] * j->inv_v[i];
    wide T = ridge_sum(b->ridge, t);
    for (int i = 0; i < 3; ++i) out[i] = j->h[i] * (t[i] + T);
}

TAC_INLINE void ridge_first(const tacNodeData* b, const wide y[3], ridgeJet* j) {
    wide v[3];
    for (int i = 0; i < 3; ++i) {
        v[i] = w_fma(y[i] * y[i], w_set(b->inv_a2[i]), w_set(b->w2[i]));
        j->h[i] = 2.0 * b->inv_a2[i] * y[i];
    }
    j->Q = 0.5 * w_dot3(j->h, y);
    ridge_add_rounding(b, y, v);
    for (int i = 0; i < 3; ++i) {
        j->inv_v[i] = w_rcp(v[i]);
        j->x[i] = w_fma(0.5 * j->h[i], y[i], b->ridge[i] * j->Q);
    }
}

// grad u_i
TAC_INLINE void ridge_gradient(const tacNodeData* b, const ridgeJet* j, int i, wide out[3]) {
    wide spread = b->ridge[i] * j->inv_v[i];
    for (int k = 0; k < 3; ++k) out[k] = j->h[k] * spread;
    out[i] = w_fma(j->h[i], j->inv_v[i], out[i]);
}

// adds sum n_i hess u_i, n of any sign
TAC_INLINE void ridge_add_curvature(const tacNodeData* b, const ridgeJet* j, const wide n[3],
                                    wide H[6]) {
    wide share[3], spread;
    for (int i = 0; i < 3; ++i) share[i] = n[i] * j->inv_v[i];
    spread = ridge_sum(b->ridge, share);
    for (int i = 0; i < 3; ++i) {
        wide U[3];
        ridge_gradient(b, j, i, U);
        H[i] = H[i] + 2.0 * b->inv_a2[i] * (share[i] + spread);
        w_add_square(H, -n[i], U);
    }
}

// adds half of sum k_i hess u_i to P
TAC_INLINE void ridge_second(const tacNodeData* b, const wide k[3], ridgeJet* j, wide P[6]) {
    wide square[3];
    for (int i = 0; i < 3; ++i) {
        j->b[i] = k[i] * j->inv_v[i];
        j->r[i] = j->b[i] * j->inv_v[i];
        j->q[i] = j->h[i] * b->ridge[i] * j->r[i];
        square[i] = b->ridge[i] * j->r[i];
    }
    j->B = ridge_sum(b->ridge, j->b);
    j->S = ridge_sum(b->ridge, square);
    for (int i = 0; i < 3; ++i)
        P[i] = P[i] + b->inv_a2[i] * (j->b[i] + j->B) - 0.5 * j->h[i] * j->h[i] * j->r[i];
    w_add_product(P, w_set(-0.5), j->q, j->h);
    w_add_square(P, -0.5 * j->S, j->h);
}

//---------------------------------- tangents -------------------------------------

// tangents of h, u, x and W^2
typedef struct ridgeDot {
    wide h[3], u[3], x[3], ridge[3];
} ridgeDot;

// along yd, and along sizes and widths: da/a, dw^2, dW^2
TAC_INLINE void ridge_dot(const tacNodeData* b, const ridgeJet* j, const wide y[3],
                          const wide yd[3], const wide log_a[3], const wide w2[3],
                          const wide ridge[3], ridgeDot* out) {
    wide zd[3], Qd;
    for (int i = 0; i < 3; ++i) {
        zd[i] = j->h[i] * (yd[i] - y[i] * log_a[i]);
        out->h[i] = 2.0 * b->inv_a2[i] * (yd[i] - 2.0 * y[i] * log_a[i]);
        out->ridge[i] = ridge[i];
    }
    Qd = zd[0] + zd[1] + zd[2];
    for (int i = 0; i < 3; ++i) {
        out->x[i] = zd[i] + ridge[i] * j->Q + b->ridge[i] * Qd;
        out->u[i] = (out->x[i] + w2[i]) * j->inv_v[i];
    }
}

TAC_INLINE void ridge_gradient_dot(const tacNodeData* b, const ridgeJet* j, const ridgeDot* d,
                                   int i, wide out[3]) {
    wide U[3];
    ridge_gradient(b, j, i, U);
    for (int k = 0; k < 3; ++k) {
        wide moved = w_fma(d->ridge[i], j->h[k], b->ridge[i] * d->h[k]);
        if (k == i) moved = moved + d->h[i];
        out[k] = moved * j->inv_v[i] - U[k] * d->u[i];
    }
}

TAC_INLINE void ridge_combine_gradients_dot(const tacNodeData* b, const ridgeJet* j,
                                            const ridgeDot* d, const wide k[3], const wide kd[3],
                                            wide out[3]) {
    wide t[3], td[3];
    for (int i = 0; i < 3; ++i) {
        t[i] = k[i] * j->inv_v[i];
        td[i] = (kd[i] - k[i] * d->u[i]) * j->inv_v[i];
    }
    wide T = ridge_sum(b->ridge, t), Td = ridge_sum(b->ridge, td) + w_dot3(d->ridge, t);
    for (int i = 0; i < 3; ++i) out[i] = w_fma(d->h[i], t[i] + T, j->h[i] * (td[i] + Td));
}

TAC_INLINE void ridge_second_dot(const tacNodeData* b, const ridgeJet* j, const ridgeDot* d,
                                 const wide k[3], const wide kd[3], const wide log_a[3],
                                 wide P[6]) {
    wide bd[3], rd[3], qd[3], Bd = w_set(0.0), Sd = w_set(0.0);
    for (int i = 0; i < 3; ++i) {
        bd[i] = (kd[i] - k[i] * d->u[i]) * j->inv_v[i];
        rd[i] = (bd[i] - j->b[i] * d->u[i]) * j->inv_v[i];
        wide rounded = w_fma(d->ridge[i], j->r[i], b->ridge[i] * rd[i]); // (W^2 r)'
        qd[i] = w_fma(d->h[i] * b->ridge[i], j->r[i], j->h[i] * rounded);
        Bd = Bd + d->ridge[i] * j->b[i] + b->ridge[i] * bd[i];
        Sd = Sd + d->ridge[i] * b->ridge[i] * j->r[i] + b->ridge[i] * rounded;
    }
    for (int i = 0; i < 3; ++i)
        P[i] = P[i] + b->inv_a2[i] * (bd[i] + Bd - 2.0 * log_a[i] * (j->b[i] + j->B)) -
               j->h[i] * d->h[i] * j->r[i] - 0.5 * j->h[i] * j->h[i] * rd[i];
    w_add_product(P, w_set(-0.5), qd, j->h);
    w_add_product(P, w_set(-0.5), j->q, d->h);
    w_add_square(P, -0.5 * Sd, j->h);
    w_add_product(P, -0.5 * j->S, d->h, j->h);
}

#endif
