// A contact of two features as a function of the poses. docs/convex.md, eq. (11) to (14).
//
// With s_A(n) the point of A furthest along n and H its derivative by n, the nearest points obey
//   s_B(-n) - s_A(n) = D n    up to slides along edges and faces, and n is across those.
// Newton's method on it and its derivative share one matrix of 4 x 4.

#include "detect/feature_contact.h"

#include <string.h>

enum { MAX_PASSES = 40 };

// a feature in the world
typedef struct posedFeature {
    const tacConvexFeature* feature;
    tacVec3 x, axis;
    tacMat3 rot;
    tacVec3 local, size; // x in axes of the part, semi-axes
    tacReal radius;
} posedFeature;

// a feature's point along a direction and its derivative by it
typedef struct supportPoint {
    tacVec3 x;
    tacMat3 H;
} supportPoint;

static tacVec3 load_vec3(const double a[3]) { return tac_vec3(a[0], a[1], a[2]); }

// grown by as much as the part
static tacVec3 grow_vec3(tacVec3 x, tacVec3 by) { return tac_add(x, tac_mul(x, by)); }

static posedFeature pose_feature(const tacConvexFeature* feature, tacTransform at) {
    tacVec3 x = grow_vec3(load_vec3(feature->x), at.growth.along);
    return (posedFeature){feature,
                          tac_add(at.pos, tac_mat_mul_vec(at.rot, x)),
                          tac_mat_mul_vec(at.rot, load_vec3(feature->axis)),
                          at.rot,
                          x,
                          grow_vec3(load_vec3(feature->size), at.growth.along),
                          feature->radius + feature->radius * at.growth.radius};
}

//---------------------------------- round features ----------------------------------

static tacReal real_power(tacReal x, tacReal e) { return r_exp(e * r_log(x)); }

// N = (x^q + y^q)^(1/q), x and y positive: derivatives of first and second order
typedef struct normDerivatives {
    tacReal N, x, y, xx, xy, yy;
} normDerivatives;

static normDerivatives norm_derivatives(tacReal x, tacReal y, tacReal q) {
    tacReal top = r_max(x, y), a = x / top, b = y / top;
    normDerivatives n = {.N = top * real_power(real_power(a, q) + real_power(b, q), 1.0 / q)};
    tacReal u = x / n.N, v = y / n.N, c = (q - 1.0) / n.N;
    n.x = real_power(u, q - 1.0);
    n.y = real_power(v, q - 1.0);
    n.xx = c * n.x / u * n.y * v;
    n.yy = c * n.y / v * n.x * u;
    n.xy = -c * n.x * n.y;
    return n;
}

// h = N(N(a |m_x|, b |m_y|), c |m_z|): its gradient is the point, its Hessian the derivative. The
// dual of an exponent 2/e is 2/(2 - e). Components of m that are 0 count as tiny: there the
// surface is flat or sharp.
static void support_superquadric(const posedFeature* p, tacVec3 m, tacVec3* x, tacMat3* H) {
    const tacReal size[3] = {p->size.x, p->size.y, p->size.z};
    const double* eps = p->feature->eps;
    tacReal d[3] = {size[0] * m.x, size[1] * m.y, size[2] * m.z}, scale[3];
    double most = fmax(fabs(tac_re(d[0])), fmax(fabs(tac_re(d[1])), fabs(tac_re(d[2]))));
    for (int k = 0; k < 3; ++k) {
        scale[k] = r_is_negative(d[k]) ? -size[k] : size[k];
        d[k] = r_max(r_abs(d[k]), 1e-12 * most);
    }
    normDerivatives flat = norm_derivatives(d[0], d[1], 2.0 / (2.0 - eps[1]));
    normDerivatives all = norm_derivatives(flat.N, d[2], 2.0 / (2.0 - eps[0]));
    tacReal g[3] = {all.x * flat.x, all.x * flat.y, all.y};
    tacReal h[3][3] = {{all.xx * flat.x * flat.x + all.x * flat.xx,
                        all.xx * flat.x * flat.y + all.x * flat.xy, all.xy * flat.x},
                       {0.0, all.xx * flat.y * flat.y + all.x * flat.yy, all.xy * flat.y},
                       {0.0, 0.0, all.yy}};
    *x = tac_vec3(scale[0] * g[0], scale[1] * g[1], scale[2] * g[2]);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) H->m[i][j] = scale[i] * scale[j] * (j < i ? h[j][i] : h[i][j]);
    }
}

// x = D^2 m/|D m|, H = (D^2 - x x')/|D m|
static void support_ellipsoid(const posedFeature* p, tacVec3 m, tacVec3* x, tacMat3* H) {
    tacVec3 D = p->size, e = tac_mul(D, m);
    tacReal inverse = tac_inverse_norm(e);
    *x = tac_scale(tac_mul(D, e), inverse);
    tacMat3 D2 = tac_mat_diagonal(D.x * D.x, D.y * D.y, D.z * D.z);
    *H = tac_mat_scale(tac_mat_sub(D2, tac_outer(*x, *x)), inverse);
}

static supportPoint support_smooth(const posedFeature* s, tacVec3 m) {
    tacVec3 x, local = tac_mat_tmul_vec(s->rot, m);
    tacMat3 H;
    if (s->feature->eps[0] == 1.0 && s->feature->eps[1] == 1.0)
        support_ellipsoid(s, local, &x, &H);
    else
        support_superquadric(s, local, &x, &H);
    return (supportPoint){tac_add(s->x, tac_mat_mul_vec(s->rot, x)),
                          tac_mat_mul(s->rot, tac_mat_mul_t(H, s->rot))};
}

// x = middle + r u, H = r/|flat part of m| t t', t = axis x u. Along the axes of the part, so that
// u keeps its digits where m is nearly the axis.
static supportPoint support_rim(const posedFeature* s, tacVec3 m) {
    tacVec3 local = tac_mat_tmul_vec(s->rot, m), flat = tac_vec3(local.x, local.y, 0.0);
    tacReal inverse = tac_inverse_norm(flat), r = s->size.x;
    tacVec3 u = tac_mat_mul_vec(s->rot, tac_scale(flat, inverse)), t = tac_cross(s->axis, u);
    return (supportPoint){tac_add_scaled(s->x, r, u), tac_mat_scale(tac_outer(t, t), r * inverse)};
}

static supportPoint support_of(const posedFeature* s, tacVec3 m) {
    if (s->feature->kind == TAC_CONVEX_FEATURE_RIM) return support_rim(s, m);
    if (s->feature->kind == TAC_CONVEX_FEATURE_SMOOTH) return support_smooth(s, m);
    return (supportPoint){s->x, tac_mat_zero()};
}

//---------------------------------- the matrix ----------------------------------

// a contact at a normal: tangents, points, flat directions of both sides
typedef struct contactState {
    tacVec3 n, t[2];
    supportPoint at[2];
    int nstraight, owner[2]; // directions in which edges and faces are straight, and whose they are
    tacVec3 flat[2];
} contactState;

static void add_straight_direction(contactState* c, int side_of, tacVec3 e) {
    if (c->nstraight < 2) {
        c->flat[c->nstraight] = e;
        c->owner[c->nstraight] = side_of;
    }
    ++c->nstraight;
}

static contactState contact_state(const posedFeature s[2], tacVec3 n) {
    contactState c = {.n = n};
    tacVec3 e = fabs(tac_re(n.x)) < 0.6 ? tac_vec3(1.0, 0.0, 0.0) : tac_vec3(0.0, 1.0, 0.0);
    c.t[0] = tac_normalize(tac_cross(n, e));
    c.t[1] = tac_cross(n, c.t[0]);
    for (int i = 0; i < 2; ++i) {
        c.at[i] = support_of(&s[i], i ? tac_neg(n) : n);
        if (s[i].feature->kind == TAC_CONVEX_FEATURE_EDGE) add_straight_direction(&c, i, s[i].axis);
        if (s[i].feature->kind != TAC_CONVEX_FEATURE_FACE) continue;
        add_straight_direction(&c, i, c.t[0]);
        add_straight_direction(&c, i, c.t[1]);
    }
    return c;
}

// a length of two features: their parts', as far as the features know it
static double feature_length(const tacFeatureContact* contact) {
    double sum = 0.0;
    for (int i = 0; i < 2; ++i) {
        const tacConvexFeature* f = &contact->feature[i];
        sum += fabs(f->radius);
        for (int k = 0; k < 3; ++k) sum += fabs(f->x[k]) + fabs(f->size[k]);
    }
    return sum > 0.0 ? sum : 1.0;
}

// [K F; F' 0], K = (H_A + H_B + D)/length: no entry has a unit
static void contact_matrix(const contactState* c, double length, tacReal M[4][4]) {
    tacReal D = tac_dot(c->n, tac_sub(c->at[1].x, c->at[0].x)), unit = 1.0 / length;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) M[i][j] = 0.0;
    }
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            M[i][j] = unit * ((i == j ? D : (tacReal)0.0) +
                              tac_dot(c->t[i], tac_mat_mul_vec(c->at[0].H, c->t[j])) +
                              tac_dot(c->t[i], tac_mat_mul_vec(c->at[1].H, c->t[j])));
        }
        for (int k = 0; k < c->nstraight; ++k) {
            M[i][2 + k] = M[2 + k][i] = tac_dot(c->t[i], c->flat[k]);
        }
    }
    for (int k = c->nstraight; k < 2; ++k) M[2 + k][2 + k] = 1.0;
}

static void swap_system_rows(tacReal M[4][4], tacReal* x, int columns, int a, int b) {
    for (int j = 0; j < 4; ++j) {
        tacReal keep = M[a][j];
        M[a][j] = M[b][j];
        M[b][j] = keep;
    }
    for (int j = 0; j < columns; ++j) {
        tacReal keep = x[a * columns + j];
        x[a * columns + j] = x[b * columns + j];
        x[b * columns + j] = keep;
    }
}

// M x = b for some columns, in place; 0 if M is singular
static int solve4(tacReal M[4][4], tacReal* x, int columns) {
    double scale = 0.0;
    for (int i = 0; i < 16; ++i) scale = fmax(scale, fabs(tac_re(M[i / 4][i % 4])));
    for (int i = 0; i < 4; ++i) {
        int best = i;
        for (int r = i + 1; r < 4; ++r) {
            if (fabs(tac_re(M[r][i])) > fabs(tac_re(M[best][i]))) best = r;
        }
        if (!(fabs(tac_re(M[best][i])) > 1e-14 * scale)) return 0;
        if (best != i) swap_system_rows(M, x, columns, i, best);
        for (int r = i + 1; r < 4; ++r) {
            tacReal f = M[r][i] / M[i][i];
            for (int j = i; j < 4; ++j) M[r][j] -= f * M[i][j];
            for (int j = 0; j < columns; ++j) x[r * columns + j] -= f * x[i * columns + j];
        }
    }
    for (int i = 3; i >= 0; --i) {
        for (int j = 0; j < columns; ++j) {
            for (int k = i + 1; k < 4; ++k) x[i * columns + j] -= M[i][k] * x[k * columns + j];
            x[i * columns + j] /= M[i][i];
        }
    }
    return 1;
}

//---------------------------------- the normal ----------------------------------

static int is_curved_feature(const posedFeature* s) {
    return s->feature->kind == TAC_CONVEX_FEATURE_RIM ||
           s->feature->kind == TAC_CONVEX_FEATURE_SMOOTH;
}

// the gap that two features leave along a normal: the nearest points have the widest
static double gap_along(const posedFeature s[2], tacVec3 n) {
    supportPoint a = support_of(&s[0], n), b = support_of(&s[1], tac_neg(n));
    return tac_re(tac_dot(n, tac_sub(b.x, a.x)));
}

// the normal after a step along the tangents
static tacVec3 turned_normal(const contactState* c, const tacReal x[2], double part) {
    tacVec3 by = tac_add_scaled(tac_scale(c->t[0], x[0]), x[1], c->t[1]);
    return tac_normalize(tac_add_scaled(c->n, part, by));
}

// Part of a step that is taken: none that narrows the gap by more than rounding, as where the
// normal is next to the axis of a rim, whose point turns fast. 0: not a step towards wider gaps.
static double step_fraction(const posedFeature s[2], const contactState* c, const tacReal x[2],
                            double wide) {
    double step = fmax(fabs(tac_re(x[0])), fabs(tac_re(x[1]))), part = fmin(1.0, 0.3 / step);
    if (step < 1e-4) return 1.0;
    for (int cut = 0; cut < 12; ++cut, part *= 0.5) {
        if (gap_along(s, turned_normal(c, x, part)) > wide) return part;
    }
    return 0.0;
}

// Newton's method from the normal that was found, across an edge from the beginning. It stands
// still where steps are rounding, which is more the nearer the features are; two passes later
// derivatives that numbers carry do so, too.
static int find_curved_normal(const posedFeature s[2], double length, tacVec3* n) {
    double before = INFINITY;
    int settled = 0;
    for (int pass = 0; pass < MAX_PASSES; ++pass) {
        contactState c = contact_state(s, *n);
        tacReal M[4][4], x[4] = {0.0};
        if (c.nstraight > 1) return 0;
        if (c.nstraight) {
            *n = tac_normalize(tac_add_scaled(*n, -tac_dot(c.flat[0], *n), c.flat[0]));
            c = contact_state(s, *n);
        }
        tacVec3 w = tac_sub(c.at[1].x, c.at[0].x);
        contact_matrix(&c, length, M);
        x[0] = tac_dot(c.t[0], w) / length;
        x[1] = tac_dot(c.t[1], w) / length;
        if (!solve4(M, x, 1)) return 0;
        double step = fmax(fabs(tac_re(x[0])), fabs(tac_re(x[1])));
        double part = step_fraction(s, &c, x, tac_re(tac_dot(*n, w)));
        if (!(part > 0.0)) return 0;
        *n = turned_normal(&c, x, part);
        settled += step < 1e-14 || (step < 1e-5 && step > 0.3 * before);
        if (settled == 3) return 1;
        before = step;
    }
    return settled > 0;
}

// across two edges, from a vertex to an edge, between two vertices
static int find_straight_normal(const posedFeature s[2], double length, tacVec3* n) {
    int line[2] = {s[0].feature->kind == TAC_CONVEX_FEATURE_EDGE,
                   s[1].feature->kind == TAC_CONVEX_FEATURE_EDGE};
    tacVec3 w = tac_sub(s[1].x, s[0].x), e = s[line[1]].axis;
    if (line[0] && line[1]) {
        w = tac_cross(s[0].axis, s[1].axis);
        length = 1.0;
        if (!(tac_re(tac_norm2(w)) > 1e-20)) return 0;
    } else if (line[0] || line[1]) {
        w = tac_add_scaled(w, -tac_dot(w, e), e);
        // again: what rounding has left of a long vector along the edge may be much of a short one
        w = tac_add_scaled(w, -tac_dot(w, e), e);
    }
    if (!(tac_re(tac_norm2(w)) > 1e-28 * length * length)) return 0;
    *n = tac_normalize(w);
    return 1;
}

static int find_contact_normal(const tacFeatureContact* contact, const posedFeature s[2],
                               tacVec3* n) {
    tacVec3 about = load_vec3(contact->normal);
    double length = feature_length(contact);
    if (s[0].feature->kind == TAC_CONVEX_FEATURE_FACE) {
        *n = s[0].axis;
        return 1;
    }
    if (s[1].feature->kind == TAC_CONVEX_FEATURE_FACE) {
        *n = tac_neg(s[1].axis);
        return 1;
    }
    if (is_curved_feature(&s[0]) || is_curved_feature(&s[1])) {
        *n = about;
        return find_curved_normal(s, length, n);
    }
    if (!find_straight_normal(s, length, n)) return 0;
    if (r_is_negative(tac_dot(*n, about))) *n = tac_neg(*n);
    return 1;
}

//---------------------------------- value ----------------------------------

// slides along edges and faces that leave the points above each other
static int slide_points_above(const contactState* c, tacVec3 x[2]) {
    tacReal M[2][2] = {{1.0, 0.0}, {0.0, 1.0}}, b[2] = {0.0, 0.0};
    tacVec3 w = tac_sub(x[1], x[0]);
    for (int i = 0; i < c->nstraight; ++i) {
        b[i] = tac_dot(c->flat[i], w);
        for (int j = 0; j < c->nstraight; ++j) M[i][j] = tac_dot(c->flat[i], c->flat[j]);
    }
    tacReal det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    if (!(tac_re(det) > 1e-20)) return 0;
    tacReal by[2] = {(b[0] * M[1][1] - b[1] * M[0][1]) / det,
                     (b[1] * M[0][0] - b[0] * M[1][0]) / det};
    for (int i = 0; i < c->nstraight; ++i) {
        int of = c->owner[i];
        x[of] = tac_add_scaled(x[of], of ? -by[i] : by[i], c->flat[i]);
    }
    return 1;
}

tacResult tac_feature_contact_at(const tacFeatureContact* contact, tacTransform a, tacTransform b,
                                 tacFeatureContactPoint* out) {
    posedFeature s[2] = {pose_feature(&contact->feature[0], a),
                         pose_feature(&contact->feature[1], b)};
    tacVec3 n;
    if (!find_contact_normal(contact, s, &n)) return TAC_ERROR_UNSOLVED;
    contactState c = contact_state(s, n);
    tacVec3 x[2] = {c.at[0].x, c.at[1].x};
    if (c.nstraight > 2 || !slide_points_above(&c, x)) return TAC_ERROR_UNSOLVED;
    tacReal core = tac_dot(n, tac_sub(x[1], x[0]));
    tacReal r[2] = {s[0].radius, s[1].radius};
    *out =
        (tacFeatureContactPoint){.normal = n, .core = {x[0], x[1]}, .distance = core - r[0] - r[1]};
    out->point = tac_add_scaled(tac_scale(tac_add(x[0], x[1]), 0.5), 0.5 * (r[0] - r[1]), n);
    return TAC_OK;
}

//---------------------------------- derivative ----------------------------------

// velocities of the points when body[1] moves by a twist: column of the right-hand side
static void load_twist_column(const contactState* c, const tacFeatureContactPoint* at, tacVec3 lin,
                              tacVec3 ang, int j, tacReal x[4][6]) {
    tacVec3 v = tac_add(lin, tac_cross(ang, tac_sub(at->core[1], at->point)));
    tacVec3 turned_normal = tac_cross(ang, c->n),
            relative_velocity = tac_add(v, tac_mat_mul_vec(c->at[1].H, turned_normal));
    x[0][j] = tac_dot(c->t[0], relative_velocity);
    x[1][j] = tac_dot(c->t[1], relative_velocity);
    for (int k = 0; k < 2; ++k) {
        int turns = k < c->nstraight && c->owner[k] == 1;
        x[2 + k][j] = turns ? tac_dot(c->flat[k], turned_normal) : (tacReal)0.0;
    }
}

static void store_twist_column(const contactState* c, tacReal radius_shift,
                               const tacFeatureContactPoint* at, tacVec3 lin, tacVec3 ang,
                               const tacReal x[4], tacReal* D) {
    tacVec3 v = tac_add(lin, tac_cross(ang, tac_sub(at->core[1], at->point)));
    tacVec3 dn = tac_add_scaled(tac_scale(c->t[0], x[0]), x[1], c->t[1]);
    tacVec3 turned_normal = tac_sub(tac_cross(ang, c->n), dn);
    tacVec3 dx[2] = {tac_mat_mul_vec(c->at[0].H, dn),
                     tac_add(v, tac_mat_mul_vec(c->at[1].H, turned_normal))};
    for (int k = 0; k < c->nstraight; ++k) {
        int of = c->owner[k];
        dx[of] = tac_add_scaled(dx[of], of ? -x[2 + k] : x[2 + k], c->flat[k]);
    }
    tacVec3 dp = tac_add_scaled(tac_scale(tac_add(dx[0], dx[1]), 0.5), radius_shift, dn);
    const tacReal rows[7] = {dp.x, dp.y, dp.z, dn.x, dn.y, dn.z, tac_dot(c->n, v)};
    for (int i = 0; i < 7; ++i) D[6 * i] = rows[i];
}

tacResult tac_feature_contact_jacobian(const tacFeatureContact* contact, tacTransform a,
                                       tacTransform b, const tacFeatureContactPoint* at,
                                       tacReal D[7][6]) {
    posedFeature s[2] = {pose_feature(&contact->feature[0], a),
                         pose_feature(&contact->feature[1], b)};
    contactState c = contact_state(s, at->normal);
    double length = feature_length(contact);
    tacReal M[4][4], x[4][6];
    tacVec3 lin[6], ang[6];
    if (c.nstraight > 2) return TAC_ERROR_UNSOLVED;
    for (int j = 0; j < 6; ++j) {
        tacVec3 e = tac_vec3(j % 3 == 0, j % 3 == 1, j % 3 == 2);
        lin[j] = j < 3 ? e : tac_vec3_zero();
        ang[j] = j < 3 ? tac_vec3_zero() : e;
        load_twist_column(&c, at, lin[j], ang[j], j, x);
        x[0][j] /= length;
        x[1][j] /= length;
    }
    contact_matrix(&c, length, M);
    if (!solve4(M, &x[0][0], 6)) return TAC_ERROR_UNSOLVED;
    for (int j = 0; j < 6; ++j) {
        const tacReal column[4] = {x[0][j], x[1][j], length * x[2][j], length * x[3][j]};
        store_twist_column(&c, 0.5 * (s[0].radius - s[1].radius), at, lin[j], ang[j], column,
                           &D[0][j]);
    }
    return TAC_OK;
}

void tac_feature_contact_fixed_jacobian(const tacFeatureContactPoint* at, tacReal D[7][6]) {
    const tacReal n[3] = {at->normal.x, at->normal.y, at->normal.z};
    tacMat3 arm = tac_skew(tac_sub(at->core[1], at->point));
    memset(D, 0, 7 * sizeof D[0]);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            D[i][j] = i == j ? 0.5 : 0.0;
            D[i][3 + j] = -0.5 * arm.m[i][j];
            D[6][3 + j] -= n[i] * arm.m[i][j];
        }
        D[6][i] = n[i];
    }
}

//---------------------------------- growth ----------------------------------

// Velocity of a side's point along its normal as the part grows by s: a part that is scaled by S
// has the point S x(S m).
static tacVec3 growth_velocity(const posedFeature* p, const supportPoint* at, tacVec3 m,
                               tacVec3 s) {
    tacVec3 local = tac_mat_tmul_vec(p->rot, m);
    tacVec3 offset = tac_mat_tmul_vec(p->rot, tac_sub(at->x, p->x));
    tacVec3 x = tac_add(p->local, offset);
    tacVec3 v = tac_mat_mul_vec(p->rot, tac_mul(s, x));
    return tac_add(v, tac_mat_mul_vec(at->H, tac_mat_mul_vec(p->rot, tac_mul(s, local))));
}

static void store_growth_column(const contactState* c, const posedFeature s[2], int side, tacVec3 v,
                                tacReal radius_rate, const tacReal x[4], tacReal* G) {
    tacVec3 dn = tac_add_scaled(tac_scale(c->t[0], x[0]), x[1], c->t[1]);
    tacVec3 dx[2] = {tac_mat_mul_vec(c->at[0].H, dn), tac_neg(tac_mat_mul_vec(c->at[1].H, dn))};
    dx[side] = tac_add(dx[side], v);
    for (int k = 0; k < c->nstraight; ++k) {
        int of = c->owner[k];
        dx[of] = tac_add_scaled(dx[of], of ? -x[2 + k] : x[2 + k], c->flat[k]);
    }
    tacReal shift = 0.5 * (s[0].radius - s[1].radius), away = side ? -0.5 : 0.5;
    tacVec3 dp = tac_add_scaled(tac_scale(tac_add(dx[0], dx[1]), 0.5), shift, dn);
    dp = tac_add_scaled(dp, away * radius_rate, c->n);
    tacReal distance = (side ? 1.0 : -1.0) * tac_dot(c->n, v) - radius_rate;
    const tacReal rows[7] = {dp.x, dp.y, dp.z, dn.x, dn.y, dn.z, distance};
    for (int i = 0; i < 7; ++i) G[8 * i] = rows[i];
}

void tac_feature_contact_growth(const tacFeatureContact* contact, tacTransform a, tacTransform b,
                                const tacFeatureContactPoint* at, tacReal G[7][8]) {
    posedFeature s[2] = {pose_feature(&contact->feature[0], a),
                         pose_feature(&contact->feature[1], b)};
    contactState c = contact_state(s, at->normal);
    double length = feature_length(contact);
    tacReal M[4][4], x[4][8];
    tacVec3 v[8];
    int is_lost = c.nstraight > 2;
    if (is_lost) c.nstraight = 0;
    for (int j = 0; j < 8; ++j) {
        int side = j / 4, axis = j % 4;
        tacVec3 e = tac_vec3(axis == 0, axis == 1, axis == 2), n = side ? tac_neg(c.n) : c.n;
        v[j] = growth_velocity(&s[side], &c.at[side], n, e);
        tacReal sign = side ? 1.0 : -1.0;
        for (int i = 0; i < 2; ++i) x[i][j] = sign * tac_dot(c.t[i], v[j]) / length;
        x[2][j] = x[3][j] = 0.0;
    }
    contact_matrix(&c, length, M);
    if (is_lost || !solve4(M, &x[0][0], 8)) memset(x, 0, sizeof x);
    for (int j = 0; j < 8; ++j) {
        const tacReal column[4] = {x[0][j], x[1][j], length * x[2][j], length * x[3][j]};
        tacReal rate = j % 4 == 3 ? s[j / 4].radius : (tacReal)0.0;
        store_growth_column(&c, s, j / 4, v[j], rate, column, &G[0][j]);
    }
}
