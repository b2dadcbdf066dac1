// Forces on bodies, wherever their joints are: gravity compensation, and the drag of a fluid.
//
// A fluid sees a body as a box in a frame at its centre of mass (MuJoCo's inertia box). With v, w
// the velocities of the centre against the fluid in that frame, b the box, d its mean length:
//
//   f_i = -3 pi d viscosity v_i      - density b_j b_k |v_i| v_i/2
//   t_i = -pi d^3 viscosity w_i      - density b_i (b_j^4 + b_k^4) |w_i| w_i/64

#ifndef TAC_DYNAMICS_KERNELS_EXTERNAL_FORCE_INL
#define TAC_DYNAMICS_KERNELS_EXTERNAL_FORCE_INL

#include "dynamics/kernels/kinematics.inl"

// is there any load on the bodies?
TAC_INLINE int has_external_wrench(const tacMotion* m) {
    return m->wrench || m->has_external_forces;
}

// centre of mass, from the tree's origin
TAC_INLINE lane3 centre_of(const tacModel* model, const tacMotion* m, int body) {
    lane3 r = sub3(get3(m->pos, body), get3(m->origin, body));
    return add3(r, rotate3(get_rot(m->rot, body), set3(model->param + model->body[body].com)));
}

//---------------------------------- gravity --------------------------------------

TAC_INLINE int has_gravcomp(const tacModel* model, int body) {
    return model->body[body].gravcomp >= 0 && !(model->disable & TAC_DISABLE_GRAVITY);
}

// -gravcomp mass gravity
TAC_INLINE lane3 gravcomp_force(const tacModel* model, int body) {
    const tacBody* b = &model->body[body];
    wide s = w_set(-model->param[b->gravcomp]) * w_set(model->param[b->mass]);
    return scale3(set3(model->param + model->gravity), s);
}

//---------------------------------- fluid ----------------------------------------

#define FLUID_PI 3.14159265358979323846

typedef struct laneDrag {
    laneRot R; // the box's axes in the world
    lane3 r;   // its centre, from the tree's origin
    lane6 v;   // velocity against the fluid, world, about the tree's origin
    wide x[6]; // linear and angular velocity in its axes
    wide f[6]; // force and torque in its axes
    wide c[6]; // slope of each by its velocity
    wide by_density[6], by_viscosity[6], by_box[6][3];
} laneDrag;

enum { FLUID_DENSITY, FLUID_VISCOSITY, FLUID_WIND };

// force along axis i and torque about it, with the slopes
TAC_INLINE void drag_along(laneDrag* d, int i, const wide b[3], wide density, wide viscosity) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    wide mean = (b[0] + b[1] + b[2]) * (1.0 / 3.0), v = d->x[i], w = d->x[3 + i];
    wide v2 = w_abs(v) * v, w2 = w_abs(w) * w;
    wide side = 0.5 * b[j] * b[k], bj3 = b[j] * b[j] * b[j], bk3 = b[k] * b[k] * b[k];
    wide spin = (bj3 * b[j] + bk3 * b[k]) * (1.0 / 64.0), cube = mean * mean * mean;
    d->by_density[i] = -(side * v2);
    d->by_density[3 + i] = -(b[i] * spin * w2);
    d->by_viscosity[i] = mean * v * (-3.0 * FLUID_PI);
    d->by_viscosity[3 + i] = cube * w * -FLUID_PI;
    d->f[i] = w_fma(density, d->by_density[i], viscosity * d->by_viscosity[i]);
    d->f[3 + i] = w_fma(density, d->by_density[3 + i], viscosity * d->by_viscosity[3 + i]);
    d->c[i] = -w_fma(density * side, 2.0 * w_abs(v), viscosity * mean * (3.0 * FLUID_PI));
    d->c[3 + i] = -w_fma(density * b[i] * spin, 2.0 * w_abs(w), viscosity * cube * FLUID_PI);
    // by the box: through the mean length, and through its sides directly
    for (int l = 0; l < 3; ++l) {
        d->by_box[i][l] = viscosity * v * -FLUID_PI;
        d->by_box[3 + i][l] = viscosity * w * mean * mean * -FLUID_PI;
    }
    d->by_box[i][j] = w_fma(density * v2, -0.5 * b[k], d->by_box[i][j]);
    d->by_box[i][k] = w_fma(density * v2, -0.5 * b[j], d->by_box[i][k]);
    wide w3 = density * w2;
    d->by_box[3 + i][i] = w_fma(w3, -spin, d->by_box[3 + i][i]);
    d->by_box[3 + i][j] = w_fma(w3 * b[i], bj3 * (-1.0 / 16.0), d->by_box[3 + i][j]);
    d->by_box[3 + i][k] = w_fma(w3 * b[i], bk3 * (-1.0 / 16.0), d->by_box[3 + i][k]);
}

TAC_INLINE lane6 wind_of(const tacModel* model) {
    return (lane6){set3(model->param + model->fluid + FLUID_WIND), zero3()};
}

static laneDrag drag_of(const tacModel* model, const tacMotion* m, int body, lane6 velocity) {
    const tacReal *p = model->param + model->body[body].fluid, *o = model->param + model->fluid;
    laneDrag d;
    lane4 own = quat_unit(set4(p + 3));
    d.R = quat_to_rot(quat_mul(get4(m->quat, 4 * body), own));
    d.r = centre_of(model, m, body);
    d.v = sub6(velocity, wind_of(model));
    lane3 v = rotate_back3(d.R, cross_add3(d.v.a, d.r, d.v.l)), w = rotate_back3(d.R, d.v.a);
    d.x[0] = v.x;
    d.x[1] = v.y;
    d.x[2] = v.z;
    d.x[3] = w.x;
    d.x[4] = w.y;
    d.x[5] = w.z;
    const wide b[3] = {w_set(p[0]), w_set(p[1]), w_set(p[2])};
    for (int i = 0; i < 3; ++i)
        drag_along(&d, i, b, w_set(o[FLUID_DENSITY]), w_set(o[FLUID_VISCOSITY]));
    return d;
}

// force and torque in the box's axes, to the world about the tree's origin
TAC_INLINE lane6 drag_out(const laneDrag* d, const wide f[6]) {
    lane3 force = rotate3(d->R, (lane3){f[0], f[1], f[2]});
    return (lane6){force, cross_add3(d->r, force, rotate3(d->R, (lane3){f[3], f[4], f[5]}))};
}
// a twist of the world about the tree's origin, in the box's axes
TAC_INLINE void drag_in(const laneDrag* d, lane6 t, wide x[6]) {
    lane3 v = rotate_back3(d->R, cross_add3(t.a, d->r, t.l)), w = rotate_back3(d->R, t.a);
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
    x[3] = w.x;
    x[4] = w.y;
    x[5] = w.z;
}

TAC_INLINE int has_drag(const tacModel* model, int body) {
    return model->fluid >= 0 && model->body[body].fluid >= 0;
}

//---------------------------------- both -----------------------------------------

// wrench on a body that moves with v, about the tree's origin
static lane6 external_force_on(const tacModel* model, const tacMotion* m, int body, lane6 v) {
    lane6 external_force = zero6();
    if (has_gravcomp(model, body)) {
        lane3 f = gravcomp_force(model, body);
        external_force = (lane6){f, cross3(centre_of(model, m, body), f)};
    }
    if (has_drag(model, body)) {
        laneDrag d = drag_of(model, m, body, v);
        external_force = add6(external_force, drag_out(&d, d.f));
    }
    return external_force;
}

#endif
