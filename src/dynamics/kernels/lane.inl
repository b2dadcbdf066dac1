// Vectors, rotations and spatial algebra on the wide number: one state per lane.
//
// Arrays hold TAC_LANES reals where a single state has one: number i of an array p is w_at(p, i).
// Six numbers are (linear, angular) or (force, torque), all in world axes about one point.

#ifndef TAC_DYNAMICS_KERNELS_LANE_INL
#define TAC_DYNAMICS_KERNELS_LANE_INL

#include "math/wide_trig.inl"

#include <stddef.h>

typedef struct lane3 {
    wide x, y, z;
} lane3;

typedef struct lane4 { // a quaternion
    wide w, x, y, z;
} lane4;

typedef struct laneRot { // a rotation matrix by its columns
    lane3 x, y, z;
} laneRot;

typedef struct lane6 {
    lane3 l, a;
} lane6;

// mass, first moment and second moment about the reference point: these add up
typedef struct laneInertia {
    wide m;
    lane3 h;
    wide J[6]; // xx yy zz xy xz yz
} laneInertia;

//---------------------------------- memory ---------------------------------------

#define w_at(p, i) ((p) + (size_t)(i)*TAC_LANES)

// Through a vector's own type, which may alias its numbers and nothing else: memcpy may alias
// anything, and the compiler would read the model again after every store.
typedef wide wideAt __attribute__((aligned(8)));

TAC_INLINE wide w_get(const tacReal* p, size_t i) { return *(const wideAt*)w_at(p, i); }
TAC_INLINE void w_put(tacReal* p, size_t i, wide x) { *(wideAt*)w_at(p, i) = x; }
TAC_INLINE void w_add(tacReal* p, size_t i, wide x) { w_put(p, i, w_get(p, i) + x); }

// several numbers from one address on, which is computed once
TAC_INLINE lane3 get3(const tacReal* p, int i) {
    p = w_at(p, 3 * i);
    return (lane3){w_get(p, 0), w_get(p, 1), w_get(p, 2)};
}
TAC_INLINE void put3(tacReal* p, int i, lane3 a) {
    p = w_at(p, 3 * i);
    w_put(p, 0, a.x);
    w_put(p, 1, a.y);
    w_put(p, 2, a.z);
}
TAC_INLINE lane4 get4(const tacReal* p, int i) {
    p = w_at(p, i);
    return (lane4){w_get(p, 0), w_get(p, 1), w_get(p, 2), w_get(p, 3)};
}
TAC_INLINE void put4(tacReal* p, int i, lane4 q) {
    p = w_at(p, i);
    w_put(p, 0, q.w);
    w_put(p, 1, q.x);
    w_put(p, 2, q.y);
    w_put(p, 3, q.z);
}
TAC_INLINE lane6 get6(const tacReal* p, int i) {
    p = w_at(p, 6 * i);
    return (lane6){get3(p, 0), get3(p, 1)};
}
TAC_INLINE void put6(tacReal* p, int i, lane6 a) {
    p = w_at(p, 6 * i);
    put3(p, 0, a.l);
    put3(p, 1, a.a);
}
TAC_INLINE laneRot get_rot(const tacReal* p, int i) {
    p = w_at(p, 9 * i);
    return (laneRot){get3(p, 0), get3(p, 1), get3(p, 2)};
}
TAC_INLINE void put_rot(tacReal* p, int i, laneRot R) {
    p = w_at(p, 9 * i);
    put3(p, 0, R.x);
    put3(p, 1, R.y);
    put3(p, 2, R.z);
}

// the same number in every lane: parameters
TAC_INLINE lane3 set3(const tacReal* p) { return (lane3){w_set(p[0]), w_set(p[1]), w_set(p[2])}; }
TAC_INLINE lane4 set4(const tacReal* p) {
    return (lane4){w_set(p[0]), w_set(p[1]), w_set(p[2]), w_set(p[3])};
}

//---------------------------------- vectors --------------------------------------

TAC_INLINE lane3 zero3(void) { return (lane3){w_set(0.0), w_set(0.0), w_set(0.0)}; }
TAC_INLINE lane3 add3(lane3 a, lane3 b) { return (lane3){a.x + b.x, a.y + b.y, a.z + b.z}; }
TAC_INLINE lane3 sub3(lane3 a, lane3 b) { return (lane3){a.x - b.x, a.y - b.y, a.z - b.z}; }
TAC_INLINE lane3 neg3(lane3 a) { return (lane3){-a.x, -a.y, -a.z}; }
TAC_INLINE lane3 scale3(lane3 a, wide s) { return (lane3){a.x * s, a.y * s, a.z * s}; }
// a s + b
TAC_INLINE lane3 fma3(lane3 a, wide s, lane3 b) {
    return (lane3){w_fma(a.x, s, b.x), w_fma(a.y, s, b.y), w_fma(a.z, s, b.z)};
}
TAC_INLINE wide dot3(lane3 a, lane3 b) { return w_fma(a.z, b.z, w_fma(a.y, b.y, a.x * b.x)); }
TAC_INLINE lane3 cross3(lane3 a, lane3 b) {
    return (lane3){w_fma(a.y, b.z, -(a.z * b.y)), w_fma(a.z, b.x, -(a.x * b.z)),
                   w_fma(a.x, b.y, -(a.y * b.x))};
}
// a x b + c
TAC_INLINE lane3 cross_add3(lane3 a, lane3 b, lane3 c) {
    return (lane3){w_fma(a.y, b.z, w_fma(-a.z, b.y, c.x)), w_fma(a.z, b.x, w_fma(-a.x, b.z, c.y)),
                   w_fma(a.x, b.y, w_fma(-a.y, b.x, c.z))};
}
TAC_INLINE lane3 unit3(lane3 a) { return scale3(a, 1.0 / w_root(dot3(a, a))); }
// of parameters, most of which have length 1 as they are
TAC_INLINE lane3 set_unit3(const tacReal* p) {
    return p[0] * p[0] + p[1] * p[1] + p[2] * p[2] == 1.0 ? set3(p) : unit3(set3(p));
}

//---------------------------------- rotations ------------------------------------

TAC_INLINE lane4 quat_mul(lane4 a, lane4 b) {
    return (lane4){w_fma(-a.z, b.z, w_fma(-a.y, b.y, w_fma(-a.x, b.x, a.w * b.w))),
                   w_fma(-a.z, b.y, w_fma(a.y, b.z, w_fma(a.x, b.w, a.w * b.x))),
                   w_fma(a.z, b.x, w_fma(-a.x, b.z, w_fma(a.y, b.w, a.w * b.y))),
                   w_fma(-a.y, b.x, w_fma(a.x, b.y, w_fma(a.z, b.w, a.w * b.z)))};
}

TAC_INLINE lane4 quat_unit(lane4 q) {
    wide n2 = w_fma(q.z, q.z, w_fma(q.y, q.y, w_fma(q.x, q.x, q.w * q.w)));
    wide s = 1.0 / w_root(n2);
    return (lane4){q.w * s, q.x * s, q.y * s, q.z * s};
}

// parameters without a rotation
TAC_INLINE int is_identity_quat(const tacReal* p) {
    return p[0] == 1.0 && p[1] == 0.0 && p[2] == 0.0 && p[3] == 0.0;
}

// of a unit quaternion
TAC_INLINE laneRot quat_to_rot(lane4 q) {
    wide x = q.x + q.x, y = q.y + q.y, z = q.z + q.z;
    wide xx = x * q.x, yy = y * q.y, zz = z * q.z, wx = x * q.w, wy = y * q.w, wz = z * q.w;
    wide xy = x * q.y, xz = x * q.z, yz = y * q.z;
    return (laneRot){{1.0 - (yy + zz), xy + wz, xz - wy},
                     {xy - wz, 1.0 - (xx + zz), yz + wx},
                     {xz + wy, yz - wx, 1.0 - (xx + yy)}};
}

// R a, and R' a
TAC_INLINE lane3 rotate3(laneRot R, lane3 a) {
    return fma3(R.z, a.z, fma3(R.y, a.y, scale3(R.x, a.x)));
}
TAC_INLINE lane3 rotate_back3(laneRot R, lane3 a) {
    return (lane3){dot3(R.x, a), dot3(R.y, a), dot3(R.z, a)};
}

// by an angle about a unit axis
TAC_INLINE lane4 quat_about(lane3 axis, wide angle) {
    wide s, c;
    w_sincos(0.5 * angle, &s, &c);
    return (lane4){c, axis.x * s, axis.y * s, axis.z * s};
}

// (cos |w|/2, sin(|w|/2) w/|w|) for any w: near 0 by the series of sin(a)/a in a^2
TAC_INLINE lane4 quat_exp(lane3 w) {
    wide x = dot3(w, w), near = x - 0.25;
    wide length = w_root(w_select_ge0(near, x, w_set(0.25))), sine, cosine;
    w_sincos(0.5 * length, &sine, &cosine);
    wide z = -0.25 * w_select_ge0(near, w_set(0.0), x), s = w_set(1.0), c = w_set(1.0);
    for (int k = 8; k > 0; --k) {
        s = w_fma(s * z, w_set(1.0 / ((2.0 * k) * (2.0 * k + 1.0))), w_set(1.0));
        c = w_fma(c * z, w_set(1.0 / ((2.0 * k) * (2.0 * k - 1.0))), w_set(1.0));
    }
    s = w_select_ge0(near, sine / length, 0.5 * s);
    return (lane4){w_select_ge0(near, cosine, c), s * w.x, s * w.y, s * w.z};
}

//---------------------------------- six numbers ----------------------------------

TAC_INLINE lane6 zero6(void) { return (lane6){zero3(), zero3()}; }
TAC_INLINE lane6 add6(lane6 a, lane6 b) { return (lane6){add3(a.l, b.l), add3(a.a, b.a)}; }
TAC_INLINE lane6 sub6(lane6 a, lane6 b) { return (lane6){sub3(a.l, b.l), sub3(a.a, b.a)}; }
TAC_INLINE lane6 fma6(lane6 a, wide s, lane6 b) {
    return (lane6){fma3(a.l, s, b.l), fma3(a.a, s, b.a)};
}
TAC_INLINE wide dot6(lane6 a, lane6 b) {
    wide l = dot3(a.l, b.l);
    return w_fma(a.a.z, b.a.z, w_fma(a.a.y, b.a.y, w_fma(a.a.x, b.a.x, l)));
}
// motion b carried by motion a
TAC_INLINE lane6 cross_motion(lane6 a, lane6 b) {
    return (lane6){cross_add3(a.a, b.l, cross3(a.l, b.a)), cross3(a.a, b.a)};
}
// force f carried by motion a
TAC_INLINE lane6 cross_force(lane6 a, lane6 f) {
    return (lane6){cross3(a.a, f.l), cross_add3(a.a, f.a, cross3(a.l, f.l))};
}
// a wrench about the origin at -r, about the reference point of the others
TAC_INLINE lane6 shift_force(lane6 f, lane3 r) { return (lane6){f.l, cross_add3(r, f.l, f.a)}; }
TAC_INLINE void accumulate6(tacReal* p, int i, lane6 a) { put6(p, i, add6(get6(p, i), a)); }

//---------------------------------- inertia --------------------------------------

TAC_INLINE lane3 symmetric3(const wide J[6], lane3 a) {
    return (lane3){w_fma(J[4], a.z, w_fma(J[3], a.y, J[0] * a.x)),
                   w_fma(J[5], a.z, w_fma(J[1], a.y, J[3] * a.x)),
                   w_fma(J[2], a.z, w_fma(J[5], a.y, J[4] * a.x))};
}

// momentum: (m v + w x h, J w + h x v)
TAC_INLINE lane6 inertia_apply(const laneInertia* I, lane6 t) {
    return (lane6){cross_add3(t.a, I->h, scale3(t.l, I->m)),
                   cross_add3(I->h, t.l, symmetric3(I->J, t.a))};
}

// six numbers of R K R'
TAC_INLINE void rotate_symmetric(laneRot R, const wide K[6], wide out[6]) {
    // rows of R as vectors, K times each
    lane3 r[3] = {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}};
    lane3 x = symmetric3(K, r[0]), y = symmetric3(K, r[1]), z = symmetric3(K, r[2]);
    out[0] = dot3(r[0], x);
    out[1] = dot3(r[1], y);
    out[2] = dot3(r[2], z);
    out[3] = dot3(r[0], y);
    out[4] = dot3(r[0], z);
    out[5] = dot3(r[1], z);
}

// K + m (r^2 1 - r r'): a body of inertia K about its centre of mass at r
TAC_INLINE laneInertia inertia_at(wide m, lane3 r, const wide K[6]) {
    lane3 h = scale3(r, m);
    wide xx = h.x * r.x, yy = h.y * r.y, zz = h.z * r.z;
    return (laneInertia){m,
                         h,
                         {K[0] + (yy + zz), K[1] + (xx + zz), K[2] + (xx + yy),
                          w_fma(-h.x, r.y, K[3]), w_fma(-h.x, r.z, K[4]), w_fma(-h.y, r.z, K[5])}};
}

TAC_INLINE laneInertia get_inertia(const tacReal* p, int i) {
    laneInertia I;
    p = w_at(p, 10 * i);
    I.m = w_get(p, 0);
    I.h = (lane3){w_get(p, 1), w_get(p, 2), w_get(p, 3)};
    for (int k = 0; k < 6; ++k) I.J[k] = w_get(p, 4 + (size_t)k);
    return I;
}
TAC_INLINE void put_inertia(tacReal* p, int i, const laneInertia* I) {
    p = w_at(p, 10 * i);
    w_put(p, 0, I->m);
    w_put(p, 1, I->h.x);
    w_put(p, 2, I->h.y);
    w_put(p, 3, I->h.z);
    for (int k = 0; k < 6; ++k) w_put(p, 4 + (size_t)k, I->J[k]);
}

#endif
