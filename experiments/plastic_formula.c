// Contact geometry and force of a scenario as formulas: signed distance, normal and common point
// by separating axes, then the elastic-plastic law (docs/elastoplastic.md).

#include "experiments/plastic_formula.h"

#include <stdio.h>
#include <string.h>

typedef struct formulaVec {
    tacExpr e[3];
} formulaVec;

// a body: place, axes as columns, velocity, angular velocity in the world
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

static tacExpr num(double x) { return tac_number(g, x); }
static tacExpr add(tacExpr a, tacExpr b) { return tac_expr_add(g, a, b); }
static tacExpr sub(tacExpr a, tacExpr b) { return tac_expr_sub(g, a, b); }
static tacExpr mul(tacExpr a, tacExpr b) { return tac_expr_mul(g, a, b); }
static tacExpr over(tacExpr a, tacExpr b) { return tac_expr_div(g, a, b); }
static tacExpr larger(tacExpr a, tacExpr b) { return tac_expr_call(g, TAC_OP_MAX, a, b); }
static tacExpr smaller(tacExpr a, tacExpr b) { return tac_expr_call(g, TAC_OP_MIN, a, b); }
static tacExpr fun(tacOp op, tacExpr a) { return tac_expr_call(g, op, a, a); }

// 1 where a > 0, 0 where a < 0
static tacExpr is_above(tacExpr a) { return mul(num(0.5), add(num(1.0), fun(TAC_OP_SIGN, a))); }

static formulaVec vec(tacExpr x, tacExpr y, tacExpr z) { return (formulaVec){{x, y, z}}; }
static formulaVec zero(void) { return vec(num(0.0), num(0.0), num(0.0)); }

static formulaVec plus(formulaVec a, tacExpr s, formulaVec b) {
    for (int i = 0; i < 3; ++i) a.e[i] = add(a.e[i], mul(s, b.e[i]));
    return a;
}

static formulaVec minus(formulaVec a, formulaVec b) { return plus(a, num(-1.0), b); }
static formulaVec times(tacExpr s, formulaVec a) { return plus(zero(), s, a); }

static tacExpr dot(formulaVec a, formulaVec b) {
    return add(mul(a.e[0], b.e[0]), add(mul(a.e[1], b.e[1]), mul(a.e[2], b.e[2])));
}

static formulaVec cross(formulaVec a, formulaVec b) {
    formulaVec out;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out.e[i] = sub(mul(a.e[j], b.e[k]), mul(a.e[k], b.e[j]));
    }
    return out;
}

// |a|, with a slope of 0 on a = 0
static tacExpr length(formulaVec a) { return tac_expr_sqrt(g, add(dot(a, a), num(1e-300))); }

//---------------------------------- bodies ---------------------------------------

static formulaBody fixed_body(void) {
    formulaBody b = {.x = zero(), .v = zero(), .w = zero(), .first = -1};
    for (int i = 0; i < 3; ++i) {
        b.axis[i] = zero();
        b.axis[i].e[i] = num(1.0);
    }
    for (int i = 0; i < 4; ++i) b.quat[i] = num(i == 0);
    return b;
}

// x, y and an angle, about where the body is written
static formulaBody planar_body(const tacModel* model, int body, const tacExpr* q, const tacExpr* v,
                               int first) {
    const double *p = model->param + model->body[body].position,
                 *turn = model->param + model->body[body].rotation;
    formulaBody b = fixed_body();
    tacExpr angle = add(q[2], num(2.0 * __builtin_atan2(turn[3], turn[0])));
    tacExpr c = fun(TAC_OP_COS, angle), s = fun(TAC_OP_SIN, angle);
    // slides run along the axes of the body as it is written
    double c0 = turn[0] * turn[0] - turn[3] * turn[3], s0 = 2.0 * turn[0] * turn[3];
    tacExpr along[2] = {sub(mul(num(c0), q[0]), mul(num(s0), q[1])),
                        add(mul(num(s0), q[0]), mul(num(c0), q[1]))};
    b.x = vec(add(num(p[0]), along[0]), add(num(p[1]), along[1]), num(0.0));
    b.axis[0] = vec(c, s, num(0.0));
    b.axis[1] = vec(sub(num(0.0), s), c, num(0.0));
    b.v = vec(sub(mul(num(c0), v[0]), mul(num(s0), v[1])),
              add(mul(num(s0), v[0]), mul(num(c0), v[1])), num(0.0));
    b.w = vec(num(0.0), num(0.0), v[2]);
    b.quat[0] = fun(TAC_OP_COS, mul(num(0.5), angle));
    b.quat[3] = fun(TAC_OP_SIN, mul(num(0.5), angle));
    b.first = first;
    return b;
}

// place, unit quaternion; velocity in the world, angular velocity in body axes
static formulaBody free_body(const tacExpr* q, const tacExpr* v, int first) {
    formulaBody b = fixed_body();
    tacExpr w = q[3], two = num(2.0);
    formulaVec u = vec(q[4], q[5], q[6]), spin = zero();
    for (int i = 0; i < 3; ++i) { // column i: e + 2 w u x e + 2 u x (u x e)
        formulaVec e = zero();
        e.e[i] = num(1.0);
        formulaVec t = cross(u, e);
        b.axis[i] = plus(plus(e, mul(two, w), t), two, cross(u, t));
        spin = plus(spin, v[3 + i], b.axis[i]);
    }
    b.x = vec(q[0], q[1], q[2]);
    b.v = vec(v[0], v[1], v[2]);
    b.w = spin;
    b.first = first;
    memcpy(b.quat, q + 3, sizeof b.quat);
    return b;
}

//---------------------------------- contact --------------------------------------

static formulaContact floor_circle(const formulaBody* b, double radius) {
    tacExpr phi = sub(b->x.e[1], num(radius));
    formulaVec n = vec(num(0.0), num(1.0), num(0.0));
    return (formulaContact){phi, n, vec(b->x.e[0], mul(num(0.5), phi), num(0.0))};
}

static formulaContact circle_circle(const formulaBody* a, const formulaBody* b,
                                    const double radius[2]) {
    formulaVec apart = minus(b->x, a->x);
    tacExpr d = length(apart), phi = sub(d, num(radius[0] + radius[1]));
    formulaVec n = times(over(num(1.0), d), apart);
    return (formulaContact){phi, n, plus(a->x, add(num(radius[0]), mul(num(0.5), phi)), n)};
}

// phi = |max(a, 0)| + min(max(a_i), 0) - R with a_i = |q_i| - C_i, n its slope by the centre q
static formulaContact box_circle(const formulaBody* a, const formulaBody* b, const double half[3],
                                 double radius, int dimensions) {
    tacExpr symbol[3], inside = TAC_EXPR_NONE, q[3], slope[3];
    const char* const names[] = {"local_x", "local_y", "local_z"};
    formulaVec out = zero(), n = zero(), apart = minus(b->x, a->x);
    for (int i = 0; i < dimensions; ++i) {
        symbol[i] = tac_symbol(g, names[i]);
        q[i] = dot(a->axis[i], apart);
        tacExpr beyond = sub(fun(TAC_OP_ABS, symbol[i]), num(half[i]));
        out.e[i] = larger(beyond, num(0.0));
        inside = i == 0 ? beyond : larger(inside, beyond);
    }
    tacExpr phi = sub(add(length(out), smaller(inside, num(0.0))), num(radius)), all[4] = {phi};
    tac_expr_gradient(g, phi, symbol, dimensions, slope);
    memcpy(all + 1, slope, sizeof *slope * (size_t)dimensions);
    tac_expr_substitute(g, all, 1 + dimensions, symbol, q, dimensions, all);
    for (int i = 0; i < dimensions; ++i) n = plus(n, all[1 + i], a->axis[i]);
    tacExpr reach = add(num(radius), mul(num(0.5), all[0]));
    return (formulaContact){all[0], n, plus(b->x, sub(num(0.0), reach), n)};
}

// s where `more` > 0, else a
static tacExpr choose(tacExpr more, tacExpr s, tacExpr a) {
    tacExpr is = is_above(more);
    return add(mul(is, s), mul(sub(num(1.0), is), a));
}

// One axis of `owner`: the gap, and the deepest corner of `other`. `sign` is +1 if the owner is the
// first body.
static formulaContact box_axis(const formulaBody* owner, const formulaBody* other, int axis,
                               const double* own, const double* half, double sign) {
    formulaVec apart = minus(other->x, owner->x), e = owner->axis[axis];
    tacExpr along = dot(e, apart), side = fun(TAC_OP_SIGN, along);
    formulaVec n = times(side, e), corner = other->x;
    tacExpr phi = sub(mul(side, along), num(own[axis]));
    for (int j = 0; j < 2; ++j) {
        tacExpr c = dot(n, other->axis[j]);
        phi = sub(phi, mul(num(half[j]), fun(TAC_OP_ABS, c)));
        corner = plus(corner, mul(num(-half[j]), fun(TAC_OP_SIGN, c)), other->axis[j]);
    }
    formulaVec point = plus(corner, mul(num(-0.5), phi), n);
    return (formulaContact){phi, times(num(sign), n), point};
}

static formulaContact box_box(const formulaBody* a, const formulaBody* b, const double half[2][3]) {
    formulaContact best = box_axis(a, b, 0, half[0], half[1], 1.0);
    for (int k = 1; k < 4; ++k) {
        formulaContact next = k == 1 ? box_axis(a, b, 1, half[0], half[1], 1.0)
                                     : box_axis(b, a, k - 2, half[1], half[0], -1.0);
        tacExpr more = sub(next.phi, best.phi);
        for (int i = 0; i < 3; ++i) {
            best.n.e[i] = choose(more, next.n.e[i], best.n.e[i]);
            best.point.e[i] = choose(more, next.point.e[i], best.point.e[i]);
        }
        best.phi = larger(next.phi, best.phi);
    }
    return best;
}

//---------------------------------- force ----------------------------------------

static formulaVec velocity_at(const formulaBody* b, formulaVec point) {
    return plus(b->v, num(1.0), cross(b->w, minus(point, b->x)));
}

static double value(const tacModel* model, tacContactNumber number) {
    return model->param[model->contact->number[number]];
}

// force along the velocities of a body
static void push(const formulaBody* b, int planar, formulaVec F, formulaVec point, double sign,
                 const tacModel* model, tacExpr* force) {
    if (b->first < 0) return;
    formulaVec torque = cross(minus(point, b->x), F);
    tacExpr* f = force + b->first;
    if (planar) {
        const tacJoint* joint = &model->joint[b->first];
        const double* turn = model->param + model->body[joint->body].rotation;
        double c = turn[0] * turn[0] - turn[3] * turn[3], s = 2.0 * turn[0] * turn[3];
        f[0] = mul(num(sign), add(mul(num(c), F.e[0]), mul(num(s), F.e[1])));
        f[1] = mul(num(sign), sub(mul(num(c), F.e[1]), mul(num(s), F.e[0])));
        f[2] = mul(num(sign), torque.e[2]);
        return;
    }
    for (int i = 0; i < 3; ++i) f[i] = mul(num(sign), F.e[i]);
    for (int i = 0; i < 3; ++i) f[3 + i] = mul(num(sign), dot(torque, b->axis[i]));
}

// the law at a contact: forces along the velocities, power that is lost, elastic energy
static void respond(const plasticScene* s, const formulaBody body[2], const formulaContact* c,
                    tacExpr* force, tacExpr* lost, tacExpr* elastic) {
    const tacModel* model = s->model;
    double k = value(model, TAC_CONTACT_STIFFNESS), v_d = value(model, TAC_CONTACT_DISSIPATION);
    double v_s = value(model, TAC_CONTACT_STICTION), mu = 0.3;
    formulaVec v = minus(velocity_at(&body[1], c->point), velocity_at(&body[0], c->point));
    tacExpr v_n = dot(c->n, v), rho = larger(sub(num(0.0), c->phi), num(0.0));
    tacExpr spring = mul(num(k), mul(rho, mul(rho, rho)));
    tacExpr damped = larger(sub(num(1.0), over(v_n, num(v_d))), num(0.0));
    tacExpr l = mul(spring, damped);
    formulaVec slide = plus(v, sub(num(0.0), v_n), c->n);
    tacExpr speed = length(slide);
    tacExpr friction = over(fun(TAC_OP_TANH, over(speed, num(2.0 * v_s))), speed);
    formulaVec F = plus(times(l, c->n), mul(num(-mu), mul(l, friction)), slide);
    push(&body[1], s->is->planar, F, c->point, 1.0, model, force);
    push(&body[0], s->is->planar, F, c->point, -1.0, model, force);
    *lost = sub(mul(spring, v_n), dot(F, v));
    *elastic = mul(num(0.25 * k), mul(mul(rho, rho), mul(rho, rho)));
}

static formulaContact contact_of(const plasticScene* s, const formulaBody body[2]) {
    const plasticCase* is = s->is;
    const double radius[2] = {is->half[0][0], is->half[1][0]};
    if (is->pair == FLOOR_CIRCLE) return floor_circle(&body[1], radius[1]);
    if (is->pair == CIRCLE_CIRCLE) return circle_circle(&body[0], &body[1], radius);
    if (is->pair == BOX_BOX) return box_box(&body[0], &body[1], is->half);
    return box_circle(&body[0], &body[1], is->half[0], radius[1], is->planar ? 2 : 3);
}

//---------------------------------- equations ------------------------------------

// M a + c = force with a diagonal M: bodies that move freely about their centres
static tacResult equations(const plasticScene* s, tacExpr* in, const tacExpr* force, tacExpr* a) {
    tacExpr M[PLASTIC_V * PLASTIC_V], c[PLASTIC_V];
    int nq = s->plain->nq, nv = s->plain->nv;
    tacResult result = tac_scene_equations(g, s->plain, NULL, in, in + nq, M, c);
    for (int i = 0; i < nv && result == TAC_OK; ++i)
        a[i] = over(sub(force[i], c[i]), M[i * nv + i]);
    return result;
}

// the symbols q and v, and the bodies by them
static tacResult bodies_of(const plasticScene* s, tacExpr* in, formulaBody body[2]) {
    tacExpr unused[PLASTIC_V * PLASTIC_V + PLASTIC_V];
    int nq = s->plain->nq, nv = s->plain->nv, bodies = s->plain->nbody - 1;
    tacResult result =
        tac_scene_equations(g, s->plain, NULL, in, in + nq, unused, unused + nv * nv);
    body[0] = body[1] = fixed_body();
    for (int i = 0; i < bodies && result == TAC_OK; ++i) {
        const tacExpr *q = in + i * nq / bodies, *v = in + nq + i * nv / bodies;
        int first = i * nv / bodies, at = bodies == 1 ? 1 : i;
        body[at] =
            s->is->planar ? planar_body(s->plain, i + 1, q, v, first) : free_body(q, v, first);
    }
    return result;
}

tacResult plastic_motion(tacGraph* graph, const plasticScene* s, tacExpr* in, tacExpr* out) {
    static const char* const names[] = {"force_x", "force_y", "force_z",
                                        "point_x", "point_y", "point_z"};
    tacExpr force[PLASTIC_V], *more = in + s->plain->nq + s->plain->nv;
    formulaBody body[2];
    g = graph;
    tacResult result = bodies_of(s, in, body);
    if (result != TAC_OK) return result;
    for (int i = 0; i < 6; ++i) more[i] = tac_symbol(g, names[i]);
    formulaVec F = vec(more[0], more[1], more[2]), point = vec(more[3], more[4], more[5]);
    push(&body[1], s->is->planar, F, point, 1.0, s->model, force);
    push(&body[0], s->is->planar, F, point, -1.0, s->model, force);
    return equations(s, in, force, out);
}

tacResult plastic_places(tacGraph* graph, const plasticScene* s, tacExpr* in, tacExpr* out) {
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
    int nv = s->plain->nv;
    g = graph;
    tacResult result = bodies_of(s, in, body);
    if (result != TAC_OK) return result;
    formulaContact contact = contact_of(s, body);
    respond(s, body, &contact, force, &out[nv], &out[nv + 1]);
    return equations(s, in, force, out);
}
