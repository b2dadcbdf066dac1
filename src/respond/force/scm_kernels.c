// Sums of the soft-minimum model over planes and points (docs/scm.md eq. 6, 7).
//
// Of a point y with velocity v, over planes, with a = 2 e/eps1 up to what is common to all:
//
//   F = <f>,  dF/dy = <c' d u n'> + <f a'> - F <a>',  dF/dv = <df/dv>,  g = <n> + <(phi_i - phi) a>
//
// Over points, r = y - origin and y moving by z + s x r with the twist (z, s) of its body:
//
//   W = sum sigma (F, r x F),  v = linear + angular x r
//
// Lanes are points.

#include "respond/force/scm_kernels.h"

#include "detect/ssdf/ssdf_block.inl"
#include "respond/force/point_plane.inl"

//---------------------------------- over planes ----------------------------------

// a plane at a point: law, state, force, and phi where the plane ends
typedef struct forcePoint {
    const planeLaw* law;
    const planeState* at;
    const planeForce* r;
    const planeReach* reach;
} forcePoint;

// of one vector of points
typedef struct planeSums {
    wide w, F[3];
    wide f, n[3], e[3], fe[3]; // phi_i, n, e, phi_i e
    wide Fn[3][3], Fe[3][3];   // c' d u n', f e'
    wide Fv[3][3], drag;       // df/dv, without - drag on its diagonal
    wide T[6][3];              // by v_d, v_s, mu, eps3, h, and k of an implicit force
    wide FY[3][3];             // df/dy, of an implicit force
    wide s, fs, Fs[3];         // score, phi_i score, f score
} planeSums;

typedef struct planeJob {
    planeSums sum[SSDF_STAGE];
    planeLaw law;
    wide v[SSDF_STAGE][3];
    wide y[SSDF_STAGE][3], h, inv_h; // of an implicit force, else 0
    wide inv_eps3, log_cutoff;       // a force counts if phi_i/eps3 - ln w_i is below log_cutoff
} planeJob;

// what the gradient of phi needs
TAC_INLINE void add_field(planeSums* s, const planeReach* at, const wide e[3], wide w) {
    wide wf = w * at->phi;
    s->f = s->f + wf;
    for (int k = 0; k < 3; ++k) {
        s->n[k] = w_fma(w, at->g[k], s->n[k]);
        s->e[k] = w_fma(w, e[k], s->e[k]);
        s->fe[k] = w_fma(wf, e[k], s->fe[k]);
    }
}

// dF/dv = c d'/v_d u n' - l mu g (1 - n n') + l mu g^3 v_t v_t'
TAC_INLINE void add_slopes(planeSums* s, forcePoint p, const wide u[3], const wide e[3], wide w) {
    const planeLaw* law = p.law;
    const planeState* at = p.at;
    const planeForce* r = p.r;
    wide spring = w * r->c_phi * r->d, friction = w * r->l * law->mu * r->g;
    wide damp = w * r->c * r->d_x / law->v_d, rot = friction * r->g * r->g;
    s->drag = s->drag + friction;
    for (int j = 0; j < 3; ++j) {
        wide spring_term = spring * u[j], force = w * r->f[j];
        wide slow = w_fma(damp, u[j], friction * at->n[j]), slip_term = rot * r->v_t[j];
        for (int k = 0; k < 3; ++k) {
            s->Fn[j][k] = w_fma(spring_term, p.reach->g[k], s->Fn[j][k]);
            s->Fe[j][k] = w_fma(force, e[k], s->Fe[j][k]);
            s->Fv[j][k] = w_fma(slow, at->n[k], w_fma(slip_term, r->v_t[k], s->Fv[j][k]));
        }
    }
}

// by eps1 a force also moves with phi, of a plane that ends (add_jet in ssdf_kernels.c)
TAC_INLINE void add_numbers(planeSums* s, forcePoint p, const wide u[3], wide score, wide w) {
    const planeLaw* law = p.law;
    const planeForce* r = p.r;
    wide by_log = w * r->c_phi * r->d * p.reach->by_log;
    wide slow = -(w * r->c * r->d_x * r->x / law->v_d), grip = w * r->l * r->g;
    wide stick = law->mu * grip * r->g * r->g * law->v_s, soft = w * r->c_eps * r->d;
    for (int j = 0; j < 3; ++j) {
        s->T[0][j] = w_fma(slow, u[j], s->T[0][j]);
        s->T[1][j] = w_fma(stick, r->v_t[j], s->T[1][j]);
        s->T[2][j] = w_fma(-grip, r->v_t[j], s->T[2][j]);
        s->T[3][j] = w_fma(soft, u[j], s->T[3][j]);
        s->Fs[j] = w_fma(w * score, r->f[j], s->Fs[j]) - by_log * u[j];
    }
}

// f = l u
TAC_INLINE void force_direction(const planeLaw* law, const planeState* at, const planeForce* r,
                                wide u[3]) {
    wide s = law->mu * r->g;
    for (int k = 0; k < 3; ++k) u[k] = w_fma(-s, r->v_t[k], at->n[k]);
}

//---------------------------------- implicit force -------------------------------

// a unit tangent of a state: of phi, v, y or h
TAC_INLINE planeState unit_state(void) {
    wide zero = w_set(0.0);
    return (planeState){zero, {zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}, zero};
}

// by v or y, along each axis
TAC_INLINE void add_implicit_matrix(const planeLaw* law, const planeState* at, const planeForce* r,
                                    int by_y, wide w, wide M[3][3]) {
    for (int k = 0; k < 3; ++k) {
        planeState dot = unit_state();
        wide f[3];
        *(by_y ? &dot.y[k] : &dot.v[k]) = w_set(1.0);
        plane_force_jvp(law, at, r, &dot, NULL, f);
        for (int j = 0; j < 3; ++j) M[j][k] = w_fma(w, f[j], M[j][k]);
    }
}

// derivative of the force by phi
TAC_INLINE void force_by_phi(forcePoint p, wide f[3]) {
    planeState dot = unit_state();
    dot.phi = w_set(1.0);
    plane_force_jvp(p.law, p.at, p.r, &dot, NULL, f);
}

TAC_INLINE void add_implicit_slopes(planeSums* s, forcePoint p, const wide e[3], wide w) {
    wide f[3];
    force_by_phi(p, f);
    for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) {
            s->Fn[j][k] = w_fma(w * f[j], p.reach->g[k], s->Fn[j][k]);
            s->Fe[j][k] = w_fma(w * p.r->f[j], e[k], s->Fe[j][k]);
        }
    add_implicit_matrix(p.law, p.at, p.r, 0, w, s->Fv);
}

TAC_INLINE void add_implicit_numbers(planeSums* s, forcePoint p, wide score, wide w) {
    const planeLaw* law = p.law;
    const planeState* at = p.at;
    const planeForce* r = p.r;
    wide zero = w_set(0.0), one = w_set(1.0), by_phi[3];
    for (int k = 0; k < 6; ++k) {
        planeState dot = unit_state();
        planeLaw number = {zero, zero, zero, zero, zero, zero, 0, 0};
        wide* const unit[6] = {&number.v_d, &number.v_s, &number.mu,
                               &number.eps, &dot.h,      &number.k};
        wide f[3];
        *unit[k] = one;
        plane_force_jvp(law, at, r, &dot, &number, f);
        for (int j = 0; j < 3; ++j) s->T[k][j] = w_fma(w, f[j], s->T[k][j]);
    }
    for (int j = 0; j < 3; ++j) s->Fs[j] = w_fma(w * score, r->f[j], s->Fs[j]);
    if (!p.reach->ends) return;
    force_by_phi(p, by_phi);
    for (int j = 0; j < 3; ++j) s->Fs[j] = s->Fs[j] - w * p.reach->by_log * by_phi[j];
}

//---------------------------------- all planes -----------------------------------

// bit u: the force of the plane counts for a point of vector u
TAC_INLINE int is_active_plane(const planeJob* job, const wide score[SSDF_STAGE],
                               const wide f[SSDF_STAGE]) {
    int any = 0;
    for (int stage = 0; stage < SSDF_STAGE; ++stage)
        any |= w_any_negative(w_fma(f[stage], job->inv_eps3, -score[stage]) - job->log_cutoff)
               << stage;
    return any;
}

// a plane at a point: the derivative of its score, the score, and its weight
typedef struct planeTerm {
    planeState at;
    planeReach reach;
    wide e[3], score, w;
} planeTerm;

TAC_INLINE void add_plane_force(const planeJob* job, const planeTerm* term, planeSums* s,
                                int order) {
    const planeState* at = &term->at;
    const wide* e = term->e;
    wide score = term->score, w = term->w;
    planeForce r = plane_force(&job->law, at);
    wide u[3];
    for (int k = 0; k < 3; ++k) s->F[k] = w_fma(w, r.f[k], s->F[k]);
    forcePoint p = {&job->law, at, &r, &term->reach};
    if (job->law.implicit) {
        add_implicit_matrix(&job->law, at, &r, 1, w, s->FY);
        if (order >= 1) add_implicit_slopes(s, p, e, w);
        if (order >= 2) add_implicit_numbers(s, p, score, w);
        return;
    }
    force_direction(&job->law, at, &r, u);
    if (order >= 1) add_slopes(s, p, u, e, w);
    if (order >= 2) add_numbers(s, p, u, score, w);
}

// `force` 0: the field alone
TAC_INLINE void sum_planes(planeJob* job, const ssdfBlock* b, int leaf, int order, int force) {
    ssdfTile t;
    fill_tile(b, leaf, &t);
    for (int i = 0; i < t.count; ++i) {
        wide score[SSDF_STAGE], f[SSDF_STAGE];
        int any = tile_scores(b, &t, i, score);
        if (!any) continue;
        for (int stage = 0; stage < SSDF_STAGE; ++stage) f[stage] = tile_distance(b, &t, i, stage);
        int active = force ? is_active_plane(job, score, f) : 0;
        for (int stage = 0; stage < SSDF_STAGE; ++stage) {
            if (!is_summed(any, stage)) continue;
            planeSums* s = &job->sum[stage];
            wide w = w_exp_regular(score[stage]);
            planeTerm term;
            tile_reach(b, &t, i, stage, f[stage], order >= 1, &term.reach);
            term.at = (planeState){.phi = term.reach.phi, .h = job->h};
            term.score = score[stage];
            term.w = w;
            for (int k = 0; k < 3; ++k) {
                term.at.n[k] = w_set(t.n[k][i]);
                term.e[k] = w_set(t.e[k][i]);
                term.at.v[k] = job->v[stage][k];
                term.at.y[k] = job->y[stage][k];
            }
            s->w = s->w + w;
            if (order >= 1) add_field(s, &term.reach, term.e, w);
            if (order >= 2) {
                s->s = w_fma(w, score[stage], s->s);
                s->fs = w_fma(w, term.at.phi * score[stage] - term.reach.by_log, s->fs);
            }
            if (active && is_summed(active, stage)) add_plane_force(job, &term, s, order);
        }
    }
}

#define SUM_PLANES(name, order, force)                                                             \
    SSDF_NOINLINE void name(void* job, const ssdfBlock* b, int leaf) {                             \
        sum_planes(job, b, leaf, order, force);                                                    \
    }
SUM_PLANES(force_0, 0, 1)
SUM_PLANES(force_1, 1, 1)
SUM_PLANES(force_2, 2, 1)
SUM_PLANES(field_1, 1, 0)
SUM_PLANES(field_2, 2, 0)

//---------------------------------- one point ------------------------------------

// what a point gives, all of it per lane
typedef struct pointForce {
    wide r[3], F[3], phi, g[3], Fy[3][3], Fv[3][3], FY[3][3], T[TAC_SCM_LAW][3], Fe[3], phi_e;
    wide predicted[3]; // y/h, of an implicit force
} pointForce;

TAC_INLINE void slope_terms(const ssdfBlock* b, const planeSums* s, wide inv, pointForce* p) {
    wide two = 2.0 * b->inv;
    p->phi = s->f * inv;
    for (int k = 0; k < 3; ++k) p->g[k] = (s->n[k] + two * (s->fe[k] - p->phi * s->e[k])) * inv;
    for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) {
            p->Fy[j][k] = (s->Fn[j][k] + two * (s->Fe[j][k] - p->F[j] * s->e[k])) * inv;
            p->Fv[j][k] = (j == k ? s->Fv[j][k] - s->drag : s->Fv[j][k]) * inv;
        }
}

TAC_INLINE void predicted_terms(const planeJob* job, const planeSums* s, int stage, wide inv,
                                pointForce* p) {
    for (int j = 0; j < 3; ++j) {
        p->predicted[j] = job->y[stage][j] * job->inv_h;
        for (int k = 0; k < 3; ++k) p->FY[j][k] = s->FY[j][k] * inv;
    }
}

// the score falls as 1/eps1
TAC_INLINE void param_terms(const ssdfBlock* b, const planeJob* job, const planeSums* s, wide inv,
                            pointForce* p) {
    wide by_e = b->planes->is_own ? w_set(0.0) : -b->inv * inv;
    p->phi_e = by_e * (s->fs - p->phi * s->s);
    for (int j = 0; j < 3; ++j) {
        p->T[0][j] = job->law.implicit ? s->T[5][j] * inv : p->F[j] / job->law.k;
        for (int k = 0; k < 5; ++k) p->T[1 + k][j] = s->T[k][j] * inv;
        p->Fe[j] = by_e * (s->Fs[j] - p->F[j] * s->s);
    }
    if (!job->law.implicit) return;
    // a longer step also moves y
    for (int j = 0; j < 3; ++j)
        p->T[TAC_SCM_H][j] = p->T[TAC_SCM_H][j] + w_dot3(p->FY[j], p->predicted);
}

//---------------------------------- over points ----------------------------------

typedef struct sideSums {
    wide W[6], K[36], C[36], L[36], G[6], WG[36], T[6][TAC_SCM_LAW], E[6], P, WP[6], PE, WE[6];
} sideSums;

// force and moment about the origin
TAC_INLINE void point_wrench(const wide r[3], const wide F[3], wide W[6]) {
    for (int k = 0; k < 3; ++k) W[k] = F[k];
    w_cross3(r, F, W + 3);
}

// motion of the point with twist k of its body
TAC_INLINE void twist_motion(const wide r[3], int k, wide out[3]) {
    wide axis[3] = {w_set(0.0), w_set(0.0), w_set(0.0)};
    axis[k % 3] = w_set(1.0);
    if (k >= 3)
        w_cross3(axis, r, out);
    else
        for (int i = 0; i < 3; ++i) out[i] = axis[i];
}

TAC_INLINE void mat_vec(const wide M[3][3], const wide x[3], wide out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = w_fma(M[i][0], x[0], w_fma(M[i][1], x[1], M[i][2] * x[2]));
}

// how velocity and acceleration turn about the origin
typedef struct sideRotation {
    wide angular[3], rot[3], h;
    int implicit;
} sideRotation;

// columns of L: dF = dF/dy h m
TAC_INLINE void add_predicted_block(sideSums* s, const pointForce* p, const sideRotation* rot,
                                    wide sigma) {
    for (int k = 0; k < 6; ++k) {
        wide m[3], dF[3], D[6];
        twist_motion(p->r, k, m);
        mat_vec(p->FY, m, dF);
        for (int i = 0; i < 3; ++i) dF[i] = rot->h * dF[i];
        point_wrench(p->r, dF, D);
        for (int i = 0; i < 6; ++i) s->L[6 * i + k] = w_fma(sigma, D[i], s->L[6 * i + k]);
    }
}

// dF += dF/dy h (turn x m)
TAC_INLINE void add_rotated_predicted(const pointForce* p, const sideRotation* rot, const wide m[3],
                                      wide dF[3]) {
    wide moved[3], by_y[3];
    w_cross3(rot->rot, m, moved);
    mat_vec(p->FY, moved, by_y);
    for (int i = 0; i < 3; ++i) dF[i] = w_fma(rot->h, by_y[i], dF[i]);
}

// columns of K and C: dF = dF/dy m + dF/dv (angular x m), moment m x F + r x dF
TAC_INLINE void add_blocks(sideSums* s, const pointForce* p, const sideRotation* rot, wide sigma) {
    for (int k = 0; k < 6; ++k) {
        wide m[3], rotated[3], dF[3], by_v[3], D[6], arm[3];
        twist_motion(p->r, k, m);
        w_cross3(rot->angular, m, rotated);
        mat_vec(p->Fy, m, dF);
        mat_vec(p->Fv, rotated, by_v);
        for (int i = 0; i < 3; ++i) dF[i] = dF[i] + by_v[i];
        if (rot->implicit) add_rotated_predicted(p, rot, m, dF);
        point_wrench(p->r, dF, D);
        w_cross3(m, p->F, arm);
        for (int i = 0; i < 3; ++i) D[3 + i] = D[3 + i] + arm[i];
        for (int i = 0; i < 6; ++i) s->K[6 * i + k] = w_fma(sigma, D[i], s->K[6 * i + k]);
        mat_vec(p->Fv, m, by_v);
        point_wrench(p->r, by_v, D);
        for (int i = 0; i < 6; ++i) s->C[6 * i + k] = w_fma(sigma, D[i], s->C[6 * i + k]);
    }
}

TAC_INLINE void add_points(sideSums* s, const tacScmSide* side, const pointForce* p,
                           const sideRotation* rot, wide sigma, int order) {
    wide W[6], gamma[6], D[6];
    point_wrench(p->r, p->F, W);
    for (int i = 0; i < 6; ++i) s->W[i] = w_fma(sigma, W[i], s->W[i]);
    if (rot->implicit) add_predicted_block(s, p, rot, sigma);
    if (order < 1) return;
    add_blocks(s, p, rot, sigma);
    point_wrench(p->r, p->g, gamma);
    for (int k = 0; k < 6; ++k) {
        wide part = sigma * gamma[k];
        s->G[k] = s->G[k] + part;
        for (int i = 0; i < 6; ++i) s->WG[6 * i + k] = w_fma(part, W[i], s->WG[6 * i + k]);
    }
    if (order < 2) return;
    wide psi = sigma * (p->phi - w_set(side->shift)), slope = sigma * p->phi_e;
    s->P = s->P + psi;
    s->PE = s->PE + slope;
    for (int i = 0; i < 6; ++i) {
        s->WP[i] = w_fma(psi, W[i], s->WP[i]);
        s->WE[i] = w_fma(slope, W[i], s->WE[i]);
    }
    for (int k = 0; k < TAC_SCM_LAW; ++k) {
        point_wrench(p->r, p->T[k], D);
        for (int i = 0; i < 6; ++i) s->T[i][k] = w_fma(sigma, D[i], s->T[i][k]);
    }
    point_wrench(p->r, p->Fe, D);
    for (int i = 0; i < 6; ++i) s->E[i] = w_fma(sigma, D[i], s->E[i]);
}

//---------------------------------- blocks ---------------------------------------

// all wide numbers of a struct to 0
static void clear_sums(void* sums, size_t size) {
    wide* x = sums;
    for (size_t i = 0; i < size / sizeof(wide); ++i) x[i] = w_set(0.0);
}

static sideRotation side_rotation(const tacScmSide* side) {
    sideRotation rot = {.h = w_set(side->number[TAC_SCM_H]), .implicit = side->implicit};
    for (int k = 0; k < 3; ++k) {
        rot.angular[k] = w_set(side->angular[k]);
        rot.rot[k] = w_set(side->rot[k]);
    }
    return rot;
}

// linear + angular x (y - origin) of each point
static void point_velocities(const tacScmSide* side, const ssdfBlock* b, const tacReal linear[3],
                             const wide angular[3], wide out[SSDF_STAGE][3]) {
    for (int u = 0; u < SSDF_STAGE; ++u) {
        wide r[3];
        for (int k = 0; k < 3; ++k) r[k] = b->y[u][k] - w_set(side->origin[k]);
        w_cross3(angular, r, out[u]);
        for (int k = 0; k < 3; ++k) out[u][k] = out[u][k] + w_set(linear[k]);
    }
}

// velocity of each point against the planes' body, and its change in an implicit step
static void set_velocities(const tacScmSide* side, const ssdfBlock* b, planeJob* job,
                           const sideRotation* rot) {
    point_velocities(side, b, side->linear, rot->angular, job->v);
    if (!side->implicit) return;
    point_velocities(side, b, side->predicted, rot->rot, job->y);
    for (int u = 0; u < SSDF_STAGE; ++u)
        for (int k = 0; k < 3; ++k) job->y[u][k] = job->h * job->y[u][k];
}

// weights of a block; 0 for those that fill it up
TAC_INLINE void load_weights(const tacScmSide* side, int first, int used,
                             tacReal sigma[TAC_SSDF_BLOCK]) {
    for (int k = 0; k < TAC_SSDF_BLOCK; ++k)
        sigma[k] = k < used ? side->sigma[first + k] : (tacReal)0.0;
}

static void begin_block(const tacScmSide* side, int first, int count, ssdfBlock* b,
                        tacReal sigma[TAC_SSDF_BLOCK]) {
    tacReal y[3][TAC_SSDF_BLOCK];
    load_weights(side, first, load_points(&side->query, side->at, first, count, y), sigma);
    block_begin(b, &side->planes, (const tacReal(*)[TAC_SSDF_BLOCK])y);
}

static void add_force_block(const tacScmSide* side, planeJob* job, int first, sideSums* s,
                            int order) {
    static ssdfVisit* const visit[3] = {force_0, force_1, force_2};
    ssdfBlock b;
    tacReal sigma[TAC_SSDF_BLOCK];
    sideRotation rot = side_rotation(side);
    begin_block(side, first, side->count, &b, sigma);
    set_velocities(side, &b, job, &rot);
    clear_sums(job->sum, sizeof job->sum);
    block_visit(&b, visit[order], job);
    for (int u = 0; u < SSDF_STAGE; ++u) {
        const planeSums* sum = &job->sum[u];
        pointForce p;
        wide inv = 1.0 / sum->w;
        for (int k = 0; k < 3; ++k) {
            p.r[k] = b.y[u][k] - w_set(side->origin[k]);
            p.F[k] = sum->F[k] * inv;
        }
        predicted_terms(job, sum, u, inv, &p);
        if (order >= 1) slope_terms(&b, sum, inv, &p);
        if (order >= 2) param_terms(&b, job, sum, inv, &p);
        add_points(s, side, &p, &rot, w_load(&sigma[u * TAC_LANES]), order);
    }
}

// points without a force still take weight from those with one
static void add_field_block(const tacScmSide* side, planeJob* job, int first, sideSums* s,
                            int order) {
    static ssdfVisit* const visit[3] = {NULL, field_1, field_2};
    ssdfBlock b;
    tacReal sigma[TAC_SSDF_BLOCK];
    begin_block(side, first, side->count + side->fields, &b, sigma);
    clear_sums(job->sum, sizeof job->sum);
    block_visit(&b, visit[order], job);
    for (int u = 0; u < SSDF_STAGE; ++u) {
        const planeSums* sum = &job->sum[u];
        wide inv = 1.0 / sum->w, weight = w_load(&sigma[u * TAC_LANES]), r[3], g[3], gamma[6];
        wide phi = sum->f * inv, two = 2.0 * b.inv;
        for (int k = 0; k < 3; ++k) {
            r[k] = b.y[u][k] - w_set(side->origin[k]);
            g[k] = (sum->n[k] + two * (sum->fe[k] - phi * sum->e[k])) * inv;
        }
        point_wrench(r, g, gamma);
        for (int k = 0; k < 6; ++k) s->G[k] = w_fma(weight, gamma[k], s->G[k]);
        if (order < 2) continue;
        s->P = w_fma(weight, phi - w_set(side->shift), s->P);
        if (side->planes.is_own) continue;
        s->PE = w_fma(-weight * b.inv * inv, sum->fs - phi * sum->s, s->PE);
    }
}

static void store_lane_sums(const wide* sum, int n, tacReal* out) {
    for (int i = 0; i < n; ++i) out[i] = w_sum(sum[i]);
}

TAC_INLINE void side_sums(const tacScmSide* side, tacScmSums* out, int order) {
    const tacReal* n = side->number;
    sideSums s;
    planeJob job = {.law = {w_set(n[TAC_SCM_K]), w_set(n[TAC_SCM_V_D]), w_set(n[TAC_SCM_V_S]),
                            w_set(n[TAC_SCM_MU]), w_set(n[TAC_SCM_EPS3]), w_set(side->inv_mass),
                            side->reference, side->implicit}};
    job.h = job.inv_h = w_set(0.0);
    if (side->implicit) {
        job.h = w_set(n[TAC_SCM_H]);
        job.inv_h = w_set(1.0 / n[TAC_SCM_H]);
    }
    for (int u = 0; u < SSDF_STAGE; ++u)
        for (int k = 0; k < 3; ++k) job.y[u][k] = w_set(0.0);
    job.inv_eps3 = w_set(1.0 / tac_re(n[TAC_SCM_EPS3]));
    job.log_cutoff = w_set(side->log_cutoff);
    clear_sums(&s, sizeof s);
    for (int first = 0; first < side->count; first += TAC_SSDF_BLOCK)
        add_force_block(side, &job, first, &s, order);
    for (int first = side->count; first < side->count + side->fields && order >= 1;
         first += TAC_SSDF_BLOCK)
        add_field_block(side, &job, first, &s, order);
    store_lane_sums(s.W, 6, out->W);
    store_lane_sums(s.L, 36, out->L);
    if (order >= 1) {
        store_lane_sums(s.K, 36, out->K);
        store_lane_sums(s.C, 36, out->C);
        store_lane_sums(s.G, 6, out->G);
        store_lane_sums(s.WG, 36, out->WG);
    }
    if (order >= 2) {
        for (int i = 0; i < 6; ++i) store_lane_sums(s.T[i], TAC_SCM_LAW, out->T[i]);
        store_lane_sums(s.E, 6, out->E);
        store_lane_sums(&s.P, 1, &out->P);
        store_lane_sums(s.WP, 6, out->WP);
        store_lane_sums(&s.PE, 1, &out->PE);
        store_lane_sums(s.WE, 6, out->WE);
    }
}

static void sums_0(const tacScmSide* side, tacScmSums* out) { side_sums(side, out, 0); }
static void sums_1(const tacScmSide* side, tacScmSums* out) { side_sums(side, out, 1); }
static void sums_2(const tacScmSide* side, tacScmSums* out) { side_sums(side, out, 2); }

const tacScmKernels TAC_KERNELS(tac_scm_kernels_) = {{sums_0, sums_1, sums_2}};
