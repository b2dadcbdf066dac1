// Springs of one pair of geoms, a record per lane (docs/contact.md, eq. 6).
//
//   v = linear + angular x r,  r = point - origin,  F = activity f(distance, normal, v)
//   wrench = sum of (F, r x F);  implicit: y = h (predicted + predicted_ang x r)
//
// A normal shorter than 1 pushes that much less, so friction is of mu |n|^2: never above mu times
// what pushes.

#include "respond/force/spring_kernels.h"

#include "respond/force/point_plane.inl"

//---------------------------------- lanes ----------------------------------------

// what the lanes hold: `count` records from `at` on; the others repeat the last one
typedef struct springLanes {
    int at, count;
} springLanes;

TAC_INLINE wide load_lanes(const tacReal* x, springLanes lanes) {
    if (lanes.count == TAC_LANES) return w_load(x + lanes.at);
    tacReal full[TAC_LANES];
    for (int i = 0; i < TAC_LANES; ++i)
        full[i] = x[lanes.at + (i < lanes.count ? i : lanes.count - 1)];
    return w_load(full);
}

// 0 in lanes without a record
TAC_INLINE wide load_lanes_or_zero(const tacReal* x, springLanes lanes) {
    if (lanes.count == TAC_LANES) return w_load(x + lanes.at);
    tacReal full[TAC_LANES];
    for (int i = 0; i < TAC_LANES; ++i) full[i] = i < lanes.count ? x[lanes.at + i] : 0.0;
    return w_load(full);
}

TAC_INLINE void load_lanes3(tacReal* const x[3], springLanes lanes, wide out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = load_lanes(x[i], lanes);
}

TAC_INLINE void add_lanes_to(tacReal* x, springLanes lanes, wide amount) {
    for (int i = 0; i < lanes.count; ++i) x[lanes.at + i] += w_lane(amount, i);
}

// a x b with one rounding less than w_cross3
TAC_INLINE void fused_cross(const wide a[3], const wide b[3], wide out[3]) {
    wide x = w_fma(a[1], b[2], -(a[2] * b[1])), y = w_fma(a[2], b[0], -(a[0] * b[2]));
    wide z = w_fma(a[0], b[1], -(a[1] * b[0]));
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

//---------------------------------- one contact ----------------------------------

// what the force is made from
typedef struct springPoint {
    const tacContacts* contacts;
    springLanes lanes;
    wide mu;      // of the pair
    planeLaw law; // of the record
    planeState at;
    planeForce r;
    wide arm[3], activity, F[3], ang_vel[3];
    wide predicted[3], predicted_ang[3]; // of an implicit force: y/h, and what turns it
} springPoint;

TAC_INLINE planeLaw segment_law(const tacSpringSegment* s) {
    return (planeLaw){w_set(s->law[SPRING_K]),
                      w_set(s->law[SPRING_V_D]),
                      w_set(s->law[SPRING_V_S]),
                      w_set(s->law[SPRING_MU]),
                      w_set(s->law[SPRING_EPS]),
                      w_set(s->inv_mass),
                      s->reference,
                      s->implicit};
}

// y of an implicit force, else 0
TAC_INLINE void implicit_state(const tacSpringSegment* s, springPoint* p) {
    p->at.h = w_set(s->law[SPRING_H]);
    for (int i = 0; i < 3; ++i) p->predicted_ang[i] = p->predicted[i] = p->at.y[i] = w_set(0.0);
    if (!s->implicit) return;
    for (int i = 0; i < 3; ++i) p->predicted_ang[i] = w_set(s->predicted_ang[i]);
    fused_cross(p->predicted_ang, p->arm, p->predicted);
    for (int i = 0; i < 3; ++i) {
        p->predicted[i] = w_set(s->predicted[i]) + p->predicted[i];
        p->at.y[i] = p->at.h * p->predicted[i];
    }
}

TAC_INLINE void eval_contact(const tacSpringSegment* s, const planeLaw* law, springLanes lanes,
                             springPoint* p) {
    const tacContacts* c = s->contacts;
    wide rotated[3];
    p->contacts = c;
    p->lanes = lanes;
    p->mu = law->mu;
    load_lanes3(c->normal, lanes, p->at.n);
    load_lanes3(c->point, lanes, p->arm);
    p->at.phi = load_lanes(c->distance, lanes);
    p->activity = load_lanes_or_zero(c->activity, lanes);
    for (int i = 0; i < 3; ++i) {
        p->arm[i] = p->arm[i] - w_set(s->origin[i]);
        p->ang_vel[i] = w_set(s->angular[i]);
    }
    fused_cross(p->ang_vel, p->arm, rotated);
    for (int i = 0; i < 3; ++i) p->at.v[i] = w_set(s->linear[i]) + rotated[i];
    implicit_state(s, p);
    p->law = *law;
    p->law.mu = law->mu * w_dot3(p->at.n, p->at.n);
    p->r = plane_force(&p->law, &p->at);
    for (int i = 0; i < 3; ++i) p->F[i] = p->activity * p->r.f[i];
}

// a tangent of the record: of the force, and of the wrench about the origin
typedef struct springDot {
    planeState at; // v is what the place makes of it, or a change of velocity of its own
    wide pos[3], activity;
} springDot;

// velocities that a moving place sees, where those of the bodies stay
TAC_INLINE void add_point_velocity(const springPoint* p, springDot* dot) {
    fused_cross(p->ang_vel, dot->pos, dot->at.v);
    for (int i = 0; i < 3; ++i) dot->at.y[i] = w_set(0.0);
    dot->at.h = w_set(0.0);
    if (!p->law.implicit) return;
    fused_cross(p->predicted_ang, dot->pos, dot->at.y);
    for (int i = 0; i < 3; ++i) dot->at.y[i] = p->at.h * dot->at.y[i];
}

TAC_INLINE void wrench_jvp(const springPoint* p, const springDot* dot, const planeLaw* law_dot,
                           wide F[3], wide T[3]) {
    wide f[3], moved[3];
    plane_force_jvp(&p->law, &p->at, &p->r, &dot->at, law_dot, f);
    for (int i = 0; i < 3; ++i) F[i] = w_fma(p->activity, f[i], dot->activity * p->r.f[i]);
    fused_cross(p->arm, F, T);
    fused_cross(dot->pos, p->F, moved);
    for (int i = 0; i < 3; ++i) T[i] = T[i] + moved[i];
}

//---------------------------------- wrench, K, C ---------------------------------

// sums over the lanes of all steps; K and C by twists about the origin
typedef struct springSums {
    wide w[6], K[36], C[36], L[36];
} springSums;

// A twist about the origin, axis k: what it is about the point is a column of the record's
// derivative, three of them for a turn, which also moves the point's place.
TAC_INLINE void twist_column(const springPoint* p, int row, int k, wide* out) {
    const tacContacts* c = p->contacts;
    springLanes lanes = p->lanes;
    *out = load_lanes(c->d_twist[row][k], lanes);
    if (k < 3) return;
    // a turn e about the origin is, about the point, the same turn and the shift e x arm
    int i = (k - 3 + 1) % 3, j = (k - 3 + 2) % 3;
    *out = *out - p->arm[j] * load_lanes(c->d_twist[row][i], lanes) +
           p->arm[i] * load_lanes(c->d_twist[row][j], lanes);
}

TAC_INLINE planeLaw no_law(void) {
    wide zero = w_set(0.0);
    return (planeLaw){zero, zero, zero, zero, zero, zero, 0, 0};
}

TAC_INLINE void pose_column(const springPoint* p, int k, wide F[3], wide T[3]) {
    springLanes lanes = p->lanes;
    springDot dot;
    for (int i = 0; i < 3; ++i) {
        twist_column(p, i, k, &dot.pos[i]);
        twist_column(p, 3 + i, k, &dot.at.n[i]);
    }
    twist_column(p, 6, k, &dot.at.phi);
    twist_column(p, 7, k, &dot.activity);
    if (lanes.count < TAC_LANES) {
        tacReal mask[TAC_LANES];
        for (int i = 0; i < TAC_LANES; ++i) mask[i] = i < lanes.count ? 1.0 : 0.0;
        dot.activity = dot.activity * w_load(mask);
    }
    planeLaw law_dot = no_law();
    law_dot.mu = 2.0 * p->mu * w_dot3(p->at.n, dot.at.n);
    add_point_velocity(p, &dot);
    wrench_jvp(p, &dot, &law_dot, F, T);
}

// a unit of the relative twist, axis k, or with `predicted` of the relative acceleration
TAC_INLINE void velocity_column(const springPoint* p, int k, int predicted, wide F[3], wide T[3]) {
    wide axis[3] = {w_set(0.0), w_set(0.0), w_set(0.0)}, zero = w_set(0.0), at[3];
    springDot dot = {.at = {.phi = zero, .h = zero}, .activity = zero};
    axis[k % 3] = w_set(1.0);
    for (int i = 0; i < 3; ++i) at[i] = axis[i];
    if (k >= 3) fused_cross(axis, p->arm, at);
    for (int i = 0; i < 3; ++i) {
        dot.at.n[i] = dot.pos[i] = zero;
        dot.at.v[i] = predicted ? zero : at[i];
        dot.at.y[i] = predicted ? p->at.h * at[i] : zero;
    }
    wrench_jvp(p, &dot, NULL, F, T);
}

TAC_INLINE void add_column(wide* M, int k, const wide F[3], const wide T[3]) {
    for (int i = 0; i < 3; ++i) {
        M[6 * i + k] = M[6 * i + k] + F[i];
        M[6 * (i + 3) + k] = M[6 * (i + 3) + k] + T[i];
    }
}

static void add_lanes(const tacSpringSegment* s, const planeLaw* law, springLanes lanes, int blocks,
                      int with_predicted, springSums* sums) {
    springPoint p;
    wide F[3], T[3];
    eval_contact(s, law, lanes, &p);
    fused_cross(p.arm, p.F, T);
    for (int i = 0; i < 3; ++i) {
        sums->w[i] = sums->w[i] + p.F[i];
        sums->w[3 + i] = sums->w[3 + i] + T[i];
    }
    for (int k = 0; k < 6 && blocks; ++k) {
        pose_column(&p, k, F, T);
        add_column(sums->K, k, F, T);
        velocity_column(&p, k, 0, F, T);
        add_column(sums->C, k, F, T);
    }
    for (int k = 0; k < 6 && with_predicted; ++k) {
        velocity_column(&p, k, 1, F, T);
        add_column(sums->L, k, F, T);
    }
}

static void store_lane_sums(const wide* sum, int n, tacReal* out) {
    for (int i = 0; i < n; ++i) out[i] += w_sum(sum[i]);
}

static springLanes lanes_at(const tacSpringSegment* s, int i) {
    int left = s->count - i;
    return (springLanes){s->first + i, left < TAC_LANES ? left : TAC_LANES};
}

static void segment_force(const tacSpringSegment* s, tacReal* wrench, tacReal* K, tacReal* C,
                          tacReal* L) {
    springSums sums;
    planeLaw law = segment_law(s);
    for (int i = 0; i < 6; ++i) sums.w[i] = w_set(0.0);
    for (int i = 0; i < 36; ++i) sums.K[i] = sums.C[i] = sums.L[i] = w_set(0.0);
    for (int i = 0; i < s->count; i += TAC_LANES)
        add_lanes(s, &law, lanes_at(s, i), K != NULL, L != NULL, &sums);
    store_lane_sums(sums.w, 6, wrench);
    if (K) {
        store_lane_sums(sums.K, 36, K);
        store_lane_sums(sums.C, 36, C);
    }
    if (L) store_lane_sums(sums.L, 36, L);
}

//---------------------------------- derivatives ----------------------------------

// a longer step
TAC_INLINE void add_timestep_dot(const springPoint* p, wide h, springDot* dot) {
    dot->at.h = h;
    for (int i = 0; i < 3; ++i) dot->at.y[i] = w_fma(h, p->predicted[i], dot->at.y[i]);
}

static void segment_jvp(const tacSpringSegment* s, const tacContacts* record_dot,
                        const tacReal* law_dot, tacReal* wrench_dot) {
    planeLaw law = segment_law(s);
    planeLaw l = {w_set(law_dot[SPRING_K]),
                  w_set(law_dot[SPRING_V_D]),
                  w_set(law_dot[SPRING_V_S]),
                  w_set(law_dot[SPRING_MU]),
                  w_set(law_dot[SPRING_EPS]),
                  w_set(0.0),
                  0,
                  0};
    wide sum[6], zero = w_set(0.0);
    for (int i = 0; i < 6; ++i) sum[i] = zero;
    for (int i = 0; i < s->count; i += TAC_LANES) {
        springLanes lanes = lanes_at(s, i);
        springPoint p;
        springDot dot = {.at = {.phi = zero}, .activity = zero};
        wide F[3], T[3];
        eval_contact(s, &law, lanes, &p);
        for (int k = 0; k < 3; ++k) dot.at.n[k] = dot.pos[k] = zero;
        if (record_dot) {
            load_lanes3(record_dot->normal, lanes, dot.at.n);
            load_lanes3(record_dot->point, lanes, dot.pos);
            dot.at.phi = load_lanes(record_dot->distance, lanes);
            dot.activity = load_lanes_or_zero(record_dot->activity, lanes);
        }
        add_point_velocity(&p, &dot);
        if (law.implicit) add_timestep_dot(&p, w_set(law_dot[SPRING_H]), &dot);
        planeLaw own = l;
        own.mu = w_fma(l.mu, w_dot3(p.at.n, p.at.n), 2.0 * law.mu * w_dot3(p.at.n, dot.at.n));
        wrench_jvp(&p, &dot, &own, F, T);
        for (int k = 0; k < 3; ++k) {
            sum[k] = sum[k] + F[k];
            sum[3 + k] = sum[3 + k] + T[k];
        }
    }
    store_lane_sums(sum, 6, wrench_dot);
}

// from the wrench to F and the point's place, then through the law
static void point_vjp(const springPoint* p, const wide w_bar[6], springDot* bar,
                      planeLaw* law_bar) {
    wide F[3], rotated[3];
    fused_cross(w_bar + 3, p->arm, rotated);
    fused_cross(p->F, w_bar + 3, bar->pos);
    for (int i = 0; i < 3; ++i) F[i] = w_bar[i] + rotated[i];
    bar->activity = w_dot3(p->r.f, F);
    for (int i = 0; i < 3; ++i) F[i] = p->activity * F[i];
    wide mu_bar = law_bar->mu;
    law_bar->mu = w_set(0.0);
    plane_force_vjp(&p->law, &p->at, &p->r, F, &bar->at, law_bar);
    for (int i = 0; i < 3; ++i)
        bar->at.n[i] = w_fma(2.0 * p->mu * law_bar->mu, p->at.n[i], bar->at.n[i]);
    law_bar->mu = w_fma(law_bar->mu, w_dot3(p->at.n, p->at.n), mu_bar);
    fused_cross(bar->at.v, p->ang_vel, rotated);
    for (int i = 0; i < 3; ++i) bar->pos[i] = bar->pos[i] + rotated[i];
    if (!p->law.implicit) return;
    fused_cross(bar->at.y, p->predicted_ang, rotated);
    for (int i = 0; i < 3; ++i) bar->pos[i] = w_fma(p->at.h, rotated[i], bar->pos[i]);
    bar->at.h = bar->at.h + w_dot3(bar->at.y, p->predicted);
}

static void segment_vjp(const tacSpringSegment* s, const tacReal* wrench_bar,
                        tacContacts* record_bar, tacReal* law_bar) {
    planeLaw law = segment_law(s);
    wide zero = w_set(0.0), w_bar[6];
    wide h = zero;
    planeLaw sum = no_law();
    for (int i = 0; i < 6; ++i) w_bar[i] = w_set(wrench_bar[i]);
    for (int i = 0; i < s->count; i += TAC_LANES) {
        springLanes lanes = lanes_at(s, i);
        springPoint p;
        springDot bar = {.at = {.phi = zero, .n = {zero, zero, zero}, .v = {zero, zero, zero}}};
        for (int k = 0; k < 3; ++k) bar.at.y[k] = zero;
        bar.at.h = zero;
        eval_contact(s, &law, lanes, &p);
        point_vjp(&p, w_bar, &bar, &sum);
        h = h + bar.at.h;
        if (!record_bar) continue;
        for (int k = 0; k < 3; ++k) {
            add_lanes_to(record_bar->point[k], lanes, bar.pos[k]);
            add_lanes_to(record_bar->normal[k], lanes, bar.at.n[k]);
        }
        add_lanes_to(record_bar->distance, lanes, bar.at.phi);
        add_lanes_to(record_bar->activity, lanes, bar.activity);
    }
    const wide numbers[SPRING_NUMBERS] = {sum.k, sum.v_d, sum.v_s, sum.mu, sum.eps, h};
    store_lane_sums(numbers, SPRING_NUMBERS, law_bar);
}

const tacSpringKernels TAC_KERNELS(tac_spring_kernels_) = {segment_force, segment_jvp, segment_vjp};
