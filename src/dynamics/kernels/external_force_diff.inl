// Derivatives of the forces on bodies.
//
// A body that is displaced by D and whose velocity changes by D x v + e feels the wrench w + K D +
// C e.

#ifndef TAC_DYNAMICS_KERNELS_EXTERNAL_FORCE_DIFF_INL
#define TAC_DYNAMICS_KERNELS_EXTERNAL_FORCE_DIFF_INL

#include "dynamics/kernels/slot.inl"

TAC_INLINE lane3 theta3(const tacMotionDot* dot, int offset) {
    return (lane3){w_get(dot->theta, offset), w_get(dot->theta, offset + 1),
                   w_get(dot->theta, offset + 2)};
}

// moved by `shift` and turned by `turned` about the point r
TAC_INLINE lane6 twist_about(lane3 r, lane3 shift, lane3 turned) {
    return (lane6){cross_add3(r, turned, shift), turned};
}

// the rotation in the parent's axes of four raw numbers of a quaternion
TAC_INLINE lane3 quat_dot_to_angular(const tacModel* model, int offset, const tacMotionDot* dot) {
    lane4 q = set4(model->param + offset), d = get4(dot->theta, offset);
    wide n2 = w_fma(q.z, q.z, w_fma(q.y, q.y, w_fma(q.x, q.x, q.w * q.w)));
    lane4 back = {q.w, -q.x, -q.y, -q.z}, p = quat_mul(d, back);
    return scale3((lane3){p.x, p.y, p.z}, 2.0 / n2);
}

TAC_INLINE void add_theta3(tacMotionDot* bar, int offset, lane3 a) {
    w_add(bar->theta, offset, a.x);
    w_add(bar->theta, offset + 1, a.y);
    w_add(bar->theta, offset + 2, a.z);
}

// torque of G about the point r
TAC_INLINE lane3 torque_about(lane6 G, lane3 r) { return sub3(G.a, cross3(r, G.l)); }

// raw numbers of a quaternion: (2/|q|^2) (0, w_bar) q
static void add_quat_bar(const tacModel* model, int offset, lane3 w, tacMotionDot* bar) {
    lane4 q = set4(model->param + offset), rot = {w_set(0.0), w.x, w.y, w.z};
    wide n2 = w_fma(q.z, q.z, w_fma(q.y, q.y, w_fma(q.x, q.x, q.w * q.w)));
    lane4 p = quat_mul(rot, q);
    w_add(bar->theta, offset, p.w * (2.0 / n2));
    w_add(bar->theta, offset + 1, p.x * (2.0 / n2));
    w_add(bar->theta, offset + 2, p.y * (2.0 / n2));
    w_add(bar->theta, offset + 3, p.z * (2.0 / n2));
}

//---------------------------------- gravity --------------------------------------

static lane6 gravcomp_jvp(const tacModel* model, const tacMotion* m, int body, lane6 D,
                          const tacMotionDot* dot) {
    const tacBody* b = &model->body[body];
    lane3 r = centre_of(model, m, body), f = gravcomp_force(model, body), f_dot = zero3();
    lane3 r_dot = cross_add3(D.a, r, D.l);
    if (dot->theta) {
        wide share = w_set(model->param[b->gravcomp]), mass = w_set(model->param[b->mass]);
        wide s = w_fma(w_get(dot->theta, b->gravcomp), mass, share * w_get(dot->theta, b->mass));
        f_dot = fma3(theta3(dot, model->gravity), -(share * mass), f_dot);
        f_dot = fma3(set3(model->param + model->gravity), -s, f_dot);
        r_dot = add3(r_dot, rotate3(get_rot(m->rot, body), theta3(dot, b->com)));
    }
    return (lane6){f_dot, cross_add3(r_dot, f, cross3(r, f_dot))};
}

// B is the adjoint of the wrench; adds to that of D
static void gravcomp_vjp(const tacModel* model, const tacMotion* m, int body, lane6 B,
                         tacMotionDot* bar, lane6* D_bar) {
    const tacBody* b = &model->body[body];
    lane3 r = centre_of(model, m, body), f = gravcomp_force(model, body);
    lane3 f_bar = cross_add3(B.a, r, B.l), r_bar = cross3(f, B.a);
    *D_bar = add6(*D_bar, (lane6){r_bar, cross3(r, r_bar)});
    if (!bar->theta) return;
    wide share = w_set(model->param[b->gravcomp]), mass = w_set(model->param[b->mass]);
    wide s = -dot3(set3(model->param + model->gravity), f_bar);
    w_add(bar->theta, b->gravcomp, mass * s);
    w_add(bar->theta, b->mass, share * s);
    add_theta3(bar, model->gravity, scale3(f_bar, -(share * mass)));
    add_theta3(bar, b->com, rotate_back3(get_rot(m->rot, body), r_bar));
}

//---------------------------------- fluid ----------------------------------------

// X: motion of the box relative to its body; then the changes by the numbers of fluid and box
// themselves
static lane6 drag_change(const tacModel* model, const tacMotion* m, int body, const laneDrag* d,
                         const tacMotionDot* dot, wide f_dot[6]) {
    const tacBody* b = &model->body[body];
    laneRot R = get_rot(m->rot, body);
    for (int i = 0; i < 6; ++i) {
        f_dot[i] = d->by_density[i] * w_get(dot->theta, model->fluid + FLUID_DENSITY);
        f_dot[i] =
            w_fma(d->by_viscosity[i], w_get(dot->theta, model->fluid + FLUID_VISCOSITY), f_dot[i]);
        for (int k = 0; k < 3; ++k)
            f_dot[i] = w_fma(d->by_box[i][k], w_get(dot->theta, b->fluid + k), f_dot[i]);
    }
    return twist_about(d->r, rotate3(R, theta3(dot, b->com)),
                       rotate3(R, quat_dot_to_angular(model, b->fluid + 3, dot)));
}

// in its own axes the box's velocity changes by e + D x wind - wind' - X x v
static lane6 drag_jvp(const tacModel* model, const tacMotion* m, int body, lane6 D, lane6 e,
                      const tacMotionDot* dot) {
    laneDrag d = drag_of(model, m, body, get6(m->vel, body));
    wide f_dot[6], x[6];
    lane6 E = add6(e, cross_motion(D, wind_of(model))), moved = D;
    for (int i = 0; i < 6; ++i) f_dot[i] = w_set(0.0);
    if (dot->theta) {
        lane6 X = drag_change(model, m, body, &d, dot, f_dot);
        E.l = sub3(E.l, theta3(dot, model->fluid + FLUID_WIND));
        E = sub6(E, cross_motion(X, d.v));
        moved = add6(moved, X);
    }
    drag_in(&d, E, x);
    for (int i = 0; i < 6; ++i) f_dot[i] = w_fma(d.c[i], x[i], f_dot[i]);
    return add6(drag_out(&d, f_dot), cross_force(moved, drag_out(&d, d.f)));
}

static void drag_vjp(const tacModel* model, const tacMotion* m, int body, lane6 B,
                     tacMotionDot* bar, lane6* D_bar, lane6* e_bar) {
    const tacBody* b = &model->body[body];
    laneDrag d = drag_of(model, m, body, get6(m->vel, body));
    wide f_bar[6], x_bar[6];
    drag_in(&d, B, f_bar);
    for (int i = 0; i < 6; ++i) x_bar[i] = d.c[i] * f_bar[i];
    lane6 H = drag_out(&d, x_bar), carried = cross_force(B, drag_out(&d, d.f));
    *D_bar = add6(*D_bar, sub6(cross_force(wind_of(model), H), carried));
    *e_bar = add6(*e_bar, H);
    if (!bar->theta) return;
    lane6 X_bar = sub6(zero6(), add6(carried, cross_force(d.v, H)));
    laneRot R = get_rot(m->rot, body);
    add_theta3(bar, model->fluid + FLUID_WIND, neg3(H.l));
    add_theta3(bar, b->com, rotate_back3(R, X_bar.l));
    add_quat_bar(model, b->fluid + 3, rotate_back3(R, torque_about(X_bar, d.r)), bar);
    for (int i = 0; i < 6; ++i) {
        w_add(bar->theta, model->fluid + FLUID_DENSITY, d.by_density[i] * f_bar[i]);
        w_add(bar->theta, model->fluid + FLUID_VISCOSITY, d.by_viscosity[i] * f_bar[i]);
        for (int k = 0; k < 3; ++k) w_add(bar->theta, b->fluid + k, d.by_box[i][k] * f_bar[i]);
    }
}

//---------------------------------- both -----------------------------------------

static lane6 external_force_jvp(const tacModel* model, const tacMotion* m, int body, lane6 D,
                                lane6 e, const tacMotionDot* dot) {
    lane6 external_force = zero6();
    if (has_gravcomp(model, body)) external_force = gravcomp_jvp(model, m, body, D, dot);
    if (has_drag(model, body))
        external_force = add6(external_force, drag_jvp(model, m, body, D, e, dot));
    return external_force;
}

// adds to the adjoints of D and e
static void external_force_vjp(const tacModel* model, const tacMotion* m, int body, lane6 B,
                               tacMotionDot* bar, lane6* D_bar, lane6* e_bar) {
    if (has_gravcomp(model, body)) gravcomp_vjp(model, m, body, B, bar, D_bar);
    if (has_drag(model, body)) drag_vjp(model, m, body, B, bar, D_bar, e_bar);
}

//---------------------------------- Jacobian -------------------------------------

// per body in m->external_force: six columns of K, six of C
enum { EXTERNAL_FORCE_K, EXTERNAL_FORCE_C = 6, EXTERNAL_FORCE_COLUMNS = 12 };

static lane6 unit6(int i) {
    wide x[6];
    for (int k = 0; k < 6; ++k) x[k] = w_set(k == i);
    return (lane6){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

// K and C of every body, summed over all that it carries
static void external_force_matrices(const tacModel* model, const tacMotion* m) {
    const tacMotionDot still = {0};
    for (int b = 1; b < model->nbody; ++b)
        for (int i = 0; i < 6; ++i) {
            put6(m->external_force, EXTERNAL_FORCE_COLUMNS * b + EXTERNAL_FORCE_K + i,
                 external_force_jvp(model, m, b, unit6(i), zero6(), &still));
            put6(m->external_force, EXTERNAL_FORCE_COLUMNS * b + EXTERNAL_FORCE_C + i,
                 external_force_jvp(model, m, b, zero6(), unit6(i), &still));
        }
    for (int b = model->nbody - 1; b > 0; --b)
        for (int i = 0; i < EXTERNAL_FORCE_COLUMNS && model->body[b].parent > 0; ++i)
            accumulate6(m->external_force, EXTERNAL_FORCE_COLUMNS * model->body[b].parent + i,
                        get6(m->external_force, EXTERNAL_FORCE_COLUMNS * b + i));
}

// a matrix of six columns times x, and x times it
TAC_INLINE lane6 external_force_mul(const tacReal* columns, lane6 x) {
    lane6 sum = fma6(get6(columns, 0), x.l.x, zero6());
    sum = fma6(get6(columns, 1), x.l.y, sum);
    sum = fma6(get6(columns, 2), x.l.z, sum);
    sum = fma6(get6(columns, 3), x.a.x, sum);
    sum = fma6(get6(columns, 4), x.a.y, sum);
    return fma6(get6(columns, 5), x.a.z, sum);
}
TAC_INLINE lane6 external_force_mul_t(const tacReal* columns, lane6 x) {
    return (lane6){
        {dot6(get6(columns, 0), x), dot6(get6(columns, 1), x), dot6(get6(columns, 2), x)},
        {dot6(get6(columns, 3), x), dot6(get6(columns, 4), x), dot6(get6(columns, 5), x)}};
}

// tau holds -J' w: takes S_k . (K S_j + C P_j) and S_k . C S_j off, for k above, at and below j
static void external_force_jacobian(const tacModel* model, const tacMotion* m, tacReal* by_q,
                                    tacReal* by_v, int stride) {
    external_force_matrices(model, m);
    for (int j = 0; j < model->nv; ++j) {
        const tacReal* K =
            w_at(m->external_force,
                 6 * (EXTERNAL_FORCE_COLUMNS * model->dof[j].body + EXTERNAL_FORCE_K));
        const tacReal* C =
            w_at(m->external_force,
                 6 * (EXTERNAL_FORCE_COLUMNS * model->dof[j].body + EXTERNAL_FORCE_C));
        laneColumn c = column_of(model, m, j);
        lane6 q = add6(external_force_mul(K, c.S), external_force_mul(C, c.P)),
              v = external_force_mul(C, c.S);
        lane6 KS = external_force_mul_t(K, c.S), CS = external_force_mul_t(C, c.S);
        for (int k = j; k >= 0; k = model->dof[k].parent) {
            size_t at = (size_t)k * (size_t)stride + (size_t)j;
            w_add(by_q, at, -dot6(get6(m->S, k), q));
            w_add(by_v, at, -dot6(get6(m->S, k), v));
        }
        for (int k = model->dof[j].parent; k >= 0; k = model->dof[k].parent) {
            size_t at = (size_t)j * (size_t)stride + (size_t)k;
            laneColumn above = column_of(model, m, k);
            w_add(by_q, at, -(dot6(KS, above.S) + dot6(CS, above.P)));
            w_add(by_v, at, -dot6(CS, above.S));
        }
    }
}

static void inverse_jacobian(const tacModel* model, tacMotion* m, tacReal* by_q, tacReal* by_v,
                             int stride) {
    fixed_jacobian(model, m, by_q, by_v, stride);
    if (m->has_external_forces) external_force_jacobian(model, m, by_q, by_v, stride);
}

#endif
