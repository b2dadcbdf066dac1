// Superquadric: two distances of its gauge g (docs/shapes.md eq. 9, 10).
//
//   radial:  phi = r (1 - 1/g)        tangent:  phi = (1 - 1/g)/slope, superquadric_slope.inl

#ifndef TAC_SHAPE_LEAF_SUPERQUADRIC_INL
#define TAC_SHAPE_LEAF_SUPERQUADRIC_INL

#include "shape/leaf/superquadric_slope.inl"

//---------------------------------- radial distance ------------------------------

// r and n = y/r; at the centre n = 0
typedef struct sqRay {
    wide r, inv_r, n[3];
} sqRay;

TAC_INLINE sqRay sq_ray(const wide y[3]) {
    sqRay ray;
    wide r2 = w_dot3(y, y) + TAC_CENTRE;
    ray.inv_r = w_rsqrt(r2);
    ray.r = r2 * ray.inv_r;
    for (int i = 0; i < 3; ++i) ray.n[i] = y[i] * ray.inv_r;
    return ray;
}

TAC_INLINE void sq_radial(const tacNodeData* b, const sqLogs* l, localField* out, int order,
                          int ridged) {
    sqRay ray = sq_ray(l->y);
    wide rest = 1.0 - l->G, rG = ray.r * l->G;
    out->value = ray.r * rest;
    if (order < 1) return;
    sqJet j;
    sq_jet_first(b, l, &j, ridged);
    for (int i = 0; i < 3; ++i) out->g[i] = w_fma(rest, ray.n[i], rG * j.p[i]);
    if (order < 2) return;

    // H = (1-G)/r (I - n n^T) + G (n p^T + p n^T) + r G (P - p p^T)
    sq_jet_second(b, &j, ridged);
    wide across = rest * ray.inv_r, mix[3];
    for (int i = 0; i < 6; ++i) out->H[i] = rG * j.P[i];
    for (int i = 0; i < 3; ++i) {
        out->H[i] = out->H[i] + across;
        mix[i] = l->G * w_fma(-0.5 * ray.r, j.p[i], ray.n[i]);
    }
    w_add_square(out->H, -across, ray.n);
    w_add_product(out->H, w_set(1.0), mix, j.p);
}

TAC_INLINE void sq_radial_dot(const sqLogs* l, const sqJet* j, const sqDot* d, const wide yd[3],
                              localField* out) {
    sqRay ray = sq_ray(l->y);
    wide rest = 1.0 - l->G, rG = ray.r * l->G;
    wide rd = w_dot3(ray.n, yd), Gpsi = l->G * d->psi;
    out->value = w_fma(rd, rest, ray.r * Gpsi);
    wide rGd = rd * l->G - ray.r * Gpsi;
    for (int i = 0; i < 3; ++i) {
        wide nd = (yd[i] - ray.n[i] * rd) * ray.inv_r;
        out->g[i] = rest * nd + Gpsi * ray.n[i] + rGd * j->p[i] + rG * d->p[i];
    }
}

//---------------------------------- tangent-plane distance -----------------------

// q = 1/slope
TAC_INLINE wide sq_inverse_slope(const tacNodeData* b, const sqSlope* s) {
    return w_rsqrt(s->s2 + b->guard);
}

TAC_INLINE void sq_tangent(const tacNodeData* b, const sqLogs* l, localField* out, int order,
                           int ridged) {
    sqJet j;
    sqSlope s;
    sq_jet_first(b, l, &j, ridged);
    sq_slope(b, &j, &s, ridged);
    wide q = sq_inverse_slope(b, &s), rest = 1.0 - l->G;
    out->value = rest * q;
    if (order < 1) return;

    // g = G q p - (1-G) q^3 A
    sq_jet_second(b, &j, ridged);
    sq_slope_first(b, &j, &s, ridged);
    wide Gq = l->G * q, q2 = q * q, turn = rest * q * q2;
    for (int i = 0; i < 3; ++i) out->g[i] = Gq * j.p[i] - turn * s.A[i];
    if (order < 2) return;

    // H = G q (P - p p^T) - G q^3 (A p^T + p A^T) + (1-G) (3 q^5 A A^T - q^3 DA)
    sq_slope_second(b, l, &j, &s, ridged);
    for (int i = 0; i < 6; ++i) out->H[i] = Gq * j.P[i] - turn * s.DA[i];
    w_add_square(out->H, -Gq, j.p);
    w_add_product(out->H, -Gq * q2, s.A, j.p);
    w_add_square(out->H, 3.0 * turn * q2, s.A);
}

TAC_INLINE void sq_tangent_dot(const tacNodeData* b, const sqLogs* l, const sqJet* j,
                               const sqDot* d, const sqParamDot* by, localField* out, int ridged) {
    sqSlope s;
    sqSlopeDot sd;
    sq_slope(b, j, &s, ridged);
    sq_slope_first(b, j, &s, ridged);
    sq_slope_dot(b, j, &s, d, by, &sd, ridged);
    wide q = sq_inverse_slope(b, &s), q2 = q * q, q3 = q * q2, rest = 1.0 - l->G;
    wide Gpsi = l->G * d->psi, qd = -q3 * sd.half;
    out->value = w_fma(Gpsi, q, rest * qd);
    for (int i = 0; i < 3; ++i)
        out->g[i] = (l->G * qd - Gpsi * q) * j->p[i] + l->G * q * d->p[i] - Gpsi * q3 * s.A[i] -
                    rest * (3.0 * q2 * qd * s.A[i] + q3 * sd.A[i]);
}

//---------------------------------- core -----------------------------------------

// phi = cap + w(t) (raw - cap), t = r/core radius; called for vectors that touch the core
TAC_INLINE void sq_core(const tacNodeData* b, const wide y[3], localField* f, int order) {
    wide one = w_set(1.0), c = w_set(b->core.radius), inv_c = 1.0 / c;
    sqRay ray = sq_ray(y);
    wide outside = w_dot3(y, y) - b->core.radius * b->core.radius; // the test of sq_field
    wide t = w_min(ray.r * inv_c, one), lift = f->value - b->core.cap;
    coreWeight w = core_weight(t);
    if (order >= 2) {
        // H = w H_raw + w'/c (n g^T + g n^T) + lift (w''/c^2 n n^T + w'/(c r) (I - n n^T))
        wide H[6], across = lift * w.d * inv_c * ray.inv_r;
        for (int i = 0; i < 6; ++i) H[i] = w.w * f->H[i];
        for (int i = 0; i < 3; ++i) H[i] = H[i] + across;
        w_add_square(H, lift * w.dd * inv_c * inv_c - across, ray.n);
        w_add_product(H, w.d * inv_c, ray.n, f->g);
        for (int i = 0; i < 6; ++i) f->H[i] = w_select_ge0(outside, f->H[i], H[i]);
    }
    if (order >= 1)
        for (int i = 0; i < 3; ++i) {
            wide g = w_fma(w.w, f->g[i], lift * w.d * inv_c * ray.n[i]);
            f->g[i] = w_select_ge0(outside, f->g[i], g);
        }
    f->value = w_select_ge0(outside, f->value, w_fma(w.w, lift, w_set(b->core.cap)));
}

// derivative of sq_core: raw field f, its tangent fd; tangents of radius and cap of the core
TAC_INLINE void sq_core_dot(const tacNodeData* b, const wide y[3], const wide yd[3],
                            const localField* f, wide radius_dot, wide cap_dot, localField* fd) {
    wide one = w_set(1.0), c = w_set(b->core.radius), inv_c = 1.0 / c;
    sqRay ray = sq_ray(y);
    wide inside = w_select_ge0(ray.r - c, w_set(0.0), one);
    wide t = w_min(ray.r * inv_c, one), lift = f->value - b->core.cap;
    coreWeight w = core_weight(t);
    wide rd = w_dot3(ray.n, yd), td = inside * (rd - t * radius_dot) * inv_c;
    wide wd = w.d * td, lift_d = fd->value - cap_dot;
    wide slope = w.d * inv_c, slope_d = (w.dd * td - slope * radius_dot) * inv_c;
    for (int i = 0; i < 3; ++i) {
        wide nd = (yd[i] - ray.n[i] * rd) * ray.inv_r;
        fd->g[i] = wd * f->g[i] + w.w * fd->g[i] + (lift_d * slope + lift * slope_d) * ray.n[i] +
                   lift * slope * nd;
    }
    fd->value = cap_dot + wd * lift + w.w * lift_d;
}

//---------------------------------- field ----------------------------------------

// fields of n vectors of points in the local frame, each of its own superquadric
TAC_INLINE void sq_field(const tacNodeData* const* b, wide y[][3], localField* out, int n,
                         int order, tacDistance distance, int ridged) {
    sqLogs l[TAC_STAGE];
    wide nearest = w_set(0.0);
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < 3; ++i) l[j].y[i] = y[j][i];
        nearest = w_min(nearest, w_dot3(y[j], y[j]) - b[j]->core.radius * b[j]->core.radius);
    }
    sq_logs(b, l, n, ridged);
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        if (distance == TAC_DISTANCE_RADIAL)
            sq_radial(b[j], &l[j], &out[j], order, ridged);
        else
            sq_tangent(b[j], &l[j], &out[j], order, ridged);
    }
    if (w_any_negative(nearest))
        for (int j = 0; j < n; ++j) sq_core(b[j], y[j], &out[j], order);
}

// tangent of value and gradient for one vector of points
TAC_INLINE void sq_field_dot(const tacNodeData* b, const sqLogs* l, const sqJet* j,
                             const localField* raw, const wide yd[3], const sqParamDot* by,
                             wide radius_dot, wide cap_dot, localField* out) {
    sqDot d;
    sq_dot(b, l, j, yd, by, &d, b->ridged);
    if (b->distance == TAC_DISTANCE_RADIAL)
        sq_radial_dot(l, j, &d, yd, out);
    else
        sq_tangent_dot(b, l, j, &d, by, out, b->ridged);
    sq_core_dot(b, l->y, yd, raw, radius_dot, cap_dot, out);
}

#endif
