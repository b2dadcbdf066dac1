// Sphere: phi = |y| - R, with a core of radius c = TAC_CORE R around the centre.
//
//   phi = -R + rho(r),  rho(r) = r w(r/c),  rho = r beyond the core
//   grad phi = rho' n,  hess phi = rho'' n n^T + rho'/r (I - n n^T),  n = y/r

#ifndef TAC_SHAPE_LEAF_SPHERE_INL
#define TAC_SHAPE_LEAF_SPHERE_INL

#include "shape/local_field.inl"

typedef struct sphereJet {
    wide n[3], inv_r, t, rho, d_rho, dd_rho; // derivatives by r
    coreWeight w;
} sphereJet;

TAC_INLINE sphereJet sphere_jet(const tacNodeData* b, const wide y[3]) {
    sphereJet j;
    wide r2 = w_dot3(y, y) + TAC_CENTRE;
    wide r = w_sqrt(r2);
    j.inv_r = 1.0 / r;
    j.t = w_min(r / b->core.radius, w_set(1.0));
    j.w = core_weight(j.t);
    j.rho = r * j.w.w;
    j.d_rho = w_fma(j.t, j.w.d, j.w.w);
    j.dd_rho = w_fma(j.t, j.w.dd, 2.0 * j.w.d) / b->core.radius;
    for (int i = 0; i < 3; ++i) j.n[i] = y[i] * j.inv_r;
    return j;
}

TAC_INLINE void sphere_field(const tacNodeData* b, const wide y[3], localField* out, int order) {
    sphereJet j = sphere_jet(b, y);
    out->value = j.rho - b->size[0];
    if (order < 1) return;
    for (int i = 0; i < 3; ++i) out->g[i] = j.d_rho * j.n[i];
    if (order < 2) return;
    wide across = j.d_rho * j.inv_r;
    for (int i = 0; i < 3; ++i) {
        out->H[i] = across;
        out->H[3 + i] = w_set(0.0);
    }
    w_add_square(out->H, j.dd_rho - across, j.n);
}

// tangent of value and gradient along yd and the radius; the core grows with it, c = TAC_CORE R
TAC_INLINE void sphere_dot(const tacNodeData* b, const wide y[3], const wide yd[3], wide radius_dot,
                           localField* out) {
    localField f;
    sphereJet j = sphere_jet(b, y);
    sphere_field(b, y, &f, 2);
    w_symmetric_mul(f.H, yd, out->g);
    wide by_value = w_fma(j.t * j.t, -TAC_CORE * j.w.d, w_set(-1.0));
    wide by_slope = -TAC_CORE * j.t * j.dd_rho * radius_dot;
    out->value = w_fma(by_value, radius_dot, w_dot3(f.g, yd));
    for (int i = 0; i < 3; ++i) out->g[i] = w_fma(by_slope, j.n[i], out->g[i]);
}

#endif
