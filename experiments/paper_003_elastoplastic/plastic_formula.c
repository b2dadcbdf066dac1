// Contact geometry and force of a scenario as formulas: signed distance, normal and common point
// by separating axes, then the elastic-plastic law (docs/elastoplastic.md).

#include "experiments/paper_003_elastoplastic/plastic_formula.h"
#include "model/contact/contact_data.h"
#include "tactus/symbolic.h"

#include <stdio.h>
#include <string.h>

typedef struct formulaVec {
    tacExpr e[3];
} formulaVec;

// a body: position, axes as columns, velocity, angular velocity in the world
typedef struct formulaBody {
    formulaVec x, axis[3], v, w;
    tacExpr quat[4];
    int first; // of its velocities, -1: fixed
} formulaBody;

typedef struct formulaContact {
    tacExpr phi;
    formulaVec n, point;
} formulaContact;

static _Thread_local tacGraph* g; // of the formula that is being written

//---------------------------------- short words ----------------------------------

static tacExpr ex_num(double x) { return tac_number(g, x); }
static tacExpr ex_add(tacExpr a, tacExpr b) { return tac_expr_add(g, a, b); }
static tacExpr ex_sub(tacExpr a, tacExpr b) { return tac_expr_sub(g, a, b); }
static tacExpr ex_mul(tacExpr a, tacExpr b) { return tac_expr_mul(g, a, b); }
static tacExpr ex_div(tacExpr a, tacExpr b) { return tac_expr_div(g, a, b); }
static tacExpr ex_max(tacExpr a, tacExpr b) { return tac_expr_call(g, TAC_OP_MAX, a, b); }
static tacExpr ex_min(tacExpr a, tacExpr b) { return tac_expr_call(g, TAC_OP_MIN, a, b); }
static tacExpr ex_call(tacOp op, tacExpr a) { return tac_expr_call(g, op, a, a); }

// 1 where a > 0, 0 where a < 0
static tacExpr ex_step(tacExpr a) {
    return ex_mul(ex_num(0.5), ex_add(ex_num(1.0), ex_call(TAC_OP_SIGN, a)));
}

static formulaVec fvec_make(tacExpr x, tacExpr y, tacExpr z) { return (formulaVec){{x, y, z}}; }
static formulaVec fvec_zero(void) { return fvec_make(ex_num(0.0), ex_num(0.0), ex_num(0.0)); }

static formulaVec fvec_add_scaled(formulaVec a, tacExpr s, formulaVec b) {
    for (int i = 0; i < 3; ++i) a.e[i] = ex_add(a.e[i], ex_mul(s, b.e[i]));
    return a;
}

static formulaVec fvec_sub(formulaVec a, formulaVec b) {
    return fvec_add_scaled(a, ex_num(-1.0), b);
}
static formulaVec fvec_scale(tacExpr s, formulaVec a) { return fvec_add_scaled(fvec_zero(), s, a); }

static tacExpr fvec_dot(formulaVec a, formulaVec b) {
    return ex_add(ex_mul(a.e[0], b.e[0]), ex_add(ex_mul(a.e[1], b.e[1]), ex_mul(a.e[2], b.e[2])));
}

static formulaVec fvec_cross(formulaVec a, formulaVec b) {
    formulaVec out;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out.e[i] = ex_sub(ex_mul(a.e[j], b.e[k]), ex_mul(a.e[k], b.e[j]));
    }
    return out;
}

// |a|, with derivative 0 at a = 0
static tacExpr fvec_norm(formulaVec a) {
    return tac_expr_sqrt(g, ex_add(fvec_dot(a, a), ex_num(1e-300)));
}

//---------------------------------- bodies ---------------------------------------

static formulaBody fixed_body(void) {
    formulaBody b = {.x = fvec_zero(), .v = fvec_zero(), .w = fvec_zero(), .first = -1};
    for (int i = 0; i < 3; ++i) {
        b.axis[i] = fvec_zero();
        b.axis[i].e[i] = ex_num(1.0);
    }
    for (int i = 0; i < 4; ++i) b.quat[i] = ex_num(i == 0);
    return b;
}

// x, y and an angle, about where the body is written
static formulaBody planar_body(const tacModel* model, int body, const tacExpr* q, const tacExpr* v,
                               int first) {
    const double *p = model->param + model->body[body].position,
                 *rot = model->param + model->body[body].rotation;
    formulaBody b = fixed_body();
    tacExpr angle = ex_add(q[2], ex_num(2.0 * __builtin_atan2(rot[3], rot[0])));
    tacExpr c = ex_call(TAC_OP_COS, angle), s = ex_call(TAC_OP_SIN, angle);
    // slides run along the axes of the body as it is written
    double c0 = rot[0] * rot[0] - rot[3] * rot[3], s0 = 2.0 * rot[0] * rot[3];
    tacExpr along[2] = {ex_sub(ex_mul(ex_num(c0), q[0]), ex_mul(ex_num(s0), q[1])),
                        ex_add(ex_mul(ex_num(s0), q[0]), ex_mul(ex_num(c0), q[1]))};
    b.x = fvec_make(ex_add(ex_num(p[0]), along[0]), ex_add(ex_num(p[1]), along[1]), ex_num(0.0));
    b.axis[0] = fvec_make(c, s, ex_num(0.0));
    b.axis[1] = fvec_make(ex_sub(ex_num(0.0), s), c, ex_num(0.0));
    b.v = fvec_make(ex_sub(ex_mul(ex_num(c0), v[0]), ex_mul(ex_num(s0), v[1])),
                    ex_add(ex_mul(ex_num(s0), v[0]), ex_mul(ex_num(c0), v[1])), ex_num(0.0));
    b.w = fvec_make(ex_num(0.0), ex_num(0.0), v[2]);
    b.quat[0] = ex_call(TAC_OP_COS, ex_mul(ex_num(0.5), angle));
    b.quat[3] = ex_call(TAC_OP_SIN, ex_mul(ex_num(0.5), angle));
    b.first = first;
    return b;
}

// position, unit quaternion; velocity in the world, angular velocity in body axes
static formulaBody free_body(const tacExpr* q, const tacExpr* v, int first) {
    formulaBody b = fixed_body();
    tacExpr w = q[3], two = ex_num(2.0);
    formulaVec u = fvec_make(q[4], q[5], q[6]), angular = fvec_zero();
    for (int i = 0; i < 3; ++i) { // column i: e + 2 w u x e + 2 u x (u x e)
        formulaVec e = fvec_zero();
        e.e[i] = ex_num(1.0);
        formulaVec t = fvec_cross(u, e);
        b.axis[i] = fvec_add_scaled(fvec_add_scaled(e, ex_mul(two, w), t), two, fvec_cross(u, t));
        angular = fvec_add_scaled(angular, v[3 + i], b.axis[i]);
    }
    b.x = fvec_make(q[0], q[1], q[2]);
    b.v = fvec_make(v[0], v[1], v[2]);
    b.w = angular;
    b.first = first;
    memcpy(b.quat, q + 3, sizeof b.quat);
    return b;
}

//---------------------------------- contact --------------------------------------

static formulaContact floor_circle(const formulaBody* b, double radius) {
    tacExpr phi = ex_sub(b->x.e[1], ex_num(radius));
    formulaVec n = fvec_make(ex_num(0.0), ex_num(1.0), ex_num(0.0));
    return (formulaContact){phi, n, fvec_make(b->x.e[0], ex_mul(ex_num(0.5), phi), ex_num(0.0))};
}

static formulaContact circle_circle(const formulaBody* a, const formulaBody* b,
                                    const double radius[2]) {
    formulaVec delta = fvec_sub(b->x, a->x);
    tacExpr d = fvec_norm(delta), phi = ex_sub(d, ex_num(radius[0] + radius[1]));
    formulaVec n = fvec_scale(ex_div(ex_num(1.0), d), delta);
    return (formulaContact){
        phi, n, fvec_add_scaled(a->x, ex_add(ex_num(radius[0]), ex_mul(ex_num(0.5), phi)), n)};
}

// phi = |max(a, 0)| + min(max(a_i), 0) - R with a_i = |q_i| - C_i; n is its gradient with respect
// to q
static formulaContact box_circle(const formulaBody* a, const formulaBody* b, const double half[3],
                                 double radius, int dimensions) {
    tacExpr symbol[3], inside = TAC_EXPR_NONE, q[3], slope[3];
    const char* const names[] = {"local_x", "local_y", "local_z"};
    formulaVec out = fvec_zero(), n = fvec_zero(), delta = fvec_sub(b->x, a->x);
    for (int i = 0; i < dimensions; ++i) {
        symbol[i] = tac_symbol(g, names[i]);
        q[i] = fvec_dot(a->axis[i], delta);
        tacExpr beyond = ex_sub(ex_call(TAC_OP_ABS, symbol[i]), ex_num(half[i]));
        out.e[i] = ex_max(beyond, ex_num(0.0));
        inside = i == 0 ? beyond : ex_max(inside, beyond);
    }
    tacExpr phi = ex_sub(ex_add(fvec_norm(out), ex_min(inside, ex_num(0.0))), ex_num(radius)),
            all[4] = {phi};
    tac_expr_gradient(g, phi, symbol, dimensions, slope);
    memcpy(all + 1, slope, sizeof *slope * (size_t)dimensions);
    tac_expr_substitute(g, all, 1 + dimensions, symbol, q, dimensions, all);
    for (int i = 0; i < dimensions; ++i) n = fvec_add_scaled(n, all[1 + i], a->axis[i]);
    tacExpr offset = ex_add(ex_num(radius), ex_mul(ex_num(0.5), all[0]));
    return (formulaContact){all[0], n, fvec_add_scaled(b->x, ex_sub(ex_num(0.0), offset), n)};
}

// s where `more` > 0, else a
static tacExpr ex_select(tacExpr more, tacExpr s, tacExpr a) {
    tacExpr step = ex_step(more);
    return ex_add(ex_mul(step, s), ex_mul(ex_sub(ex_num(1.0), step), a));
}

// One axis of `owner`: the gap, and the deepest corner of `other`. `sign` is +1 if the owner is the
// first body.
static formulaContact box_axis(const formulaBody* owner, const formulaBody* other, int axis,
                               const double* own, const double* half, double sign) {
    formulaVec delta = fvec_sub(other->x, owner->x), e = owner->axis[axis];
    tacExpr along = fvec_dot(e, delta), side = ex_call(TAC_OP_SIGN, along);
    formulaVec n = fvec_scale(side, e), vertex = other->x;
    tacExpr phi = ex_sub(ex_mul(side, along), ex_num(own[axis]));
    for (int j = 0; j < 2; ++j) {
        tacExpr c = fvec_dot(n, other->axis[j]);
        phi = ex_sub(phi, ex_mul(ex_num(half[j]), ex_call(TAC_OP_ABS, c)));
        vertex = fvec_add_scaled(vertex, ex_mul(ex_num(-half[j]), ex_call(TAC_OP_SIGN, c)),
                                 other->axis[j]);
    }
    formulaVec point = fvec_add_scaled(vertex, ex_mul(ex_num(-0.5), phi), n);
    return (formulaContact){phi, fvec_scale(ex_num(sign), n), point};
}

static formulaContact box_box(const formulaBody* a, const formulaBody* b, const double half[2][3]) {
    formulaContact best = box_axis(a, b, 0, half[0], half[1], 1.0);
    for (int k = 1; k < 4; ++k) {
        formulaContact next = k == 1 ? box_axis(a, b, 1, half[0], half[1], 1.0)
                                     : box_axis(b, a, k - 2, half[1], half[0], -1.0);
        tacExpr more = ex_sub(next.phi, best.phi);
        for (int i = 0; i < 3; ++i) {
            best.n.e[i] = ex_select(more, next.n.e[i], best.n.e[i]);
            best.point.e[i] = ex_select(more, next.point.e[i], best.point.e[i]);
        }
        best.phi = ex_max(next.phi, best.phi);
    }
    return best;
}

//---------------------------------- force ----------------------------------------

static formulaVec velocity_at(const formulaBody* b, formulaVec point) {
    return fvec_add_scaled(b->v, ex_num(1.0), fvec_cross(b->w, fvec_sub(point, b->x)));
}

static double contact_number(const tacModel* model, tacContactNumber number) {
    return model->param[model->contact->number[number]];
}

// a force at a point: sign is 1 for the second body, -1 for the first
typedef struct formulaForce {
    formulaVec F, point;
    double sign;
} formulaForce;

// generalized force of a body
static void add_force(const plasticScene* s, const formulaBody* b, formulaForce at,
                      tacExpr* force) {
    if (b->first < 0) return;
    const tacModel* model = s->model;
    formulaVec F = at.F, point = at.point;
    double sign = at.sign;
    formulaVec torque = fvec_cross(fvec_sub(point, b->x), F);
    tacExpr* f = force + b->first;
    if (s->scenario->planar) {
        const tacJoint* joint = &model->joint[b->first];
        const double* rot = model->param + model->body[joint->body].rotation;
        double c = rot[0] * rot[0] - rot[3] * rot[3], sine = 2.0 * rot[0] * rot[3];
        f[0] =
            ex_mul(ex_num(sign), ex_add(ex_mul(ex_num(c), F.e[0]), ex_mul(ex_num(sine), F.e[1])));
        f[1] =
            ex_mul(ex_num(sign), ex_sub(ex_mul(ex_num(c), F.e[1]), ex_mul(ex_num(sine), F.e[0])));
        f[2] = ex_mul(ex_num(sign), torque.e[2]);
        return;
    }
    for (int i = 0; i < 3; ++i) f[i] = ex_mul(ex_num(sign), F.e[i]);
    for (int i = 0; i < 3; ++i) f[3 + i] = ex_mul(ex_num(sign), fvec_dot(torque, b->axis[i]));
}

// the contact law: generalized forces, dissipated power, elastic energy
static void apply_law(const plasticScene* s, const formulaBody body[2], const formulaContact* c,
                      tacExpr* force, tacExpr* lost, tacExpr* elastic) {
    const tacModel* model = s->model;
    double k = contact_number(model, TAC_CONTACT_STIFFNESS),
           v_d = contact_number(model, TAC_CONTACT_DISSIPATION);
    double v_s = contact_number(model, TAC_CONTACT_STICTION), mu = 0.3;
    formulaVec v = fvec_sub(velocity_at(&body[1], c->point), velocity_at(&body[0], c->point));
    tacExpr v_n = fvec_dot(c->n, v), rho = ex_max(ex_sub(ex_num(0.0), c->phi), ex_num(0.0));
    tacExpr spring = ex_mul(ex_num(k), ex_mul(rho, ex_mul(rho, rho)));
    tacExpr damped = ex_max(ex_sub(ex_num(1.0), ex_div(v_n, ex_num(v_d))), ex_num(0.0));
    tacExpr l = ex_mul(spring, damped);
    formulaVec slip = fvec_add_scaled(v, ex_sub(ex_num(0.0), v_n), c->n);
    tacExpr speed = fvec_norm(slip);
    tacExpr friction = ex_div(ex_call(TAC_OP_TANH, ex_div(speed, ex_num(2.0 * v_s))), speed);
    formulaVec F =
        fvec_add_scaled(fvec_scale(l, c->n), ex_mul(ex_num(-mu), ex_mul(l, friction)), slip);
    add_force(s, &body[1], (formulaForce){F, c->point, 1.0}, force);
    add_force(s, &body[0], (formulaForce){F, c->point, -1.0}, force);
    *lost = ex_sub(ex_mul(spring, v_n), fvec_dot(F, v));
    *elastic = ex_mul(ex_num(0.25 * k), ex_mul(ex_mul(rho, rho), ex_mul(rho, rho)));
}

static formulaContact contact_of(const plasticScene* s, const formulaBody body[2]) {
    const plasticCase* scenario = s->scenario;
    const double radius[2] = {scenario->half[0][0], scenario->half[1][0]};
    if (scenario->pair == FLOOR_CIRCLE) return floor_circle(&body[1], radius[1]);
    if (scenario->pair == CIRCLE_CIRCLE) return circle_circle(&body[0], &body[1], radius);
    if (scenario->pair == BOX_BOX) return box_box(&body[0], &body[1], scenario->half);
    return box_circle(&body[0], &body[1], scenario->half[0], radius[1], scenario->planar ? 2 : 3);
}

//---------------------------------- equations ------------------------------------

// M a + c = force with a diagonal M: bodies that move freely about their centres
static tacResult accelerations(const plasticScene* s, tacExpr* in, const tacExpr* force,
                               tacExpr* a) {
    tacExpr M[PLASTIC_V * PLASTIC_V], c[PLASTIC_V];
    int nq = s->free_model->nq, nv = s->free_model->nv;
    tacResult result = tac_scene_equations(g, s->free_model, NULL, in, in + nq, M, c);
    for (int i = 0; i < nv && result == TAC_OK; ++i)
        a[i] = ex_div(ex_sub(force[i], c[i]), M[i * nv + i]);
    return result;
}

// the symbols q and v, and the bodies by them
static tacResult bodies_of(const plasticScene* s, tacExpr* in, formulaBody body[2]) {
    tacExpr unused[PLASTIC_V * PLASTIC_V + PLASTIC_V];
    int nq = s->free_model->nq, nv = s->free_model->nv, bodies = s->free_model->nbody - 1;
    tacResult result =
        tac_scene_equations(g, s->free_model, NULL, in, in + nq, unused, unused + nv * nv);
    body[0] = body[1] = fixed_body();
    for (int i = 0; i < bodies && result == TAC_OK; ++i) {
        const tacExpr *q = in + i * nq / bodies, *v = in + nq + i * nv / bodies;
        int first = i * nv / bodies, at = bodies == 1 ? 1 : i;
        body[at] = s->scenario->planar ? planar_body(s->free_model, i + 1, q, v, first)
                                       : free_body(q, v, first);
    }
    return result;
}

tacResult plastic_motion(tacGraph* graph, const plasticScene* s, tacExpr* in, tacExpr* out) {
    static const char* const names[] = {"force_x", "force_y", "force_z",
                                        "point_x", "point_y", "point_z"};
    tacExpr force[PLASTIC_V], *more = in + s->free_model->nq + s->free_model->nv;
    formulaBody body[2];
    g = graph;
    tacResult result = bodies_of(s, in, body);
    if (result != TAC_OK) return result;
    for (int i = 0; i < 6; ++i) more[i] = tac_symbol(g, names[i]);
    formulaVec F = fvec_make(more[0], more[1], more[2]),
               point = fvec_make(more[3], more[4], more[5]);
    add_force(s, &body[1], (formulaForce){F, point, 1.0}, force);
    add_force(s, &body[0], (formulaForce){F, point, -1.0}, force);
    return accelerations(s, in, force, out);
}

tacResult plastic_poses(tacGraph* graph, const plasticScene* s, tacExpr* in, tacExpr* out) {
    formulaBody body[2];
    g = graph;
    tacResult result = bodies_of(s, in, body);
    for (int b = 0; b < 2 && result == TAC_OK; ++b, out += 13) {
        memcpy(out, body[b].x.e, sizeof body[b].x.e);
        memcpy(out + 3, body[b].quat, sizeof body[b].quat);
        memcpy(out + 7, body[b].v.e, sizeof body[b].v.e);
        memcpy(out + 10, body[b].w.e, sizeof body[b].w.e);
    }
    return result;
}

tacResult plastic_formula(tacGraph* graph, const plasticScene* s, tacExpr* in, tacExpr* out) {
    tacExpr force[PLASTIC_V];
    formulaBody body[2];
    int nv = s->free_model->nv;
    g = graph;
    tacResult result = bodies_of(s, in, body);
    if (result != TAC_OK) return result;
    formulaContact contact = contact_of(s, body);
    apply_law(s, body, &contact, force, &out[nv], &out[nv + 1]);
    return accelerations(s, in, force, out);
}
