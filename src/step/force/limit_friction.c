// Limits and dry friction along joints and tendons (docs/contact.md, eq. 10).
//
//   z = length - range[0] or range[1] - length,  f = k relu(-z) d(z'/v_d),  k = inertia rate^2
//   friction: f = -b v/sqrt(v_s^2 + v^2)
//
// length and velocity are sums over the joints with coefficients, so their slopes are constants. A
// limit is the point-plane law along a line; in a linearly implicit step both are of first order,
// as contact.

#include "step/force/limit_friction.h"

#include "math/vec3.h"
#include "respond/force/force.h"
#include "respond/force/point_plane_lines.h"

//---------------------------------- lines ----------------------------------------

// a joint's part in a length: its degree of freedom, and the offset of its coefficient or -1 for 1
typedef struct lengthTerm {
    int dof, coef;
} lengthTerm;

static int term_count(const tacModel* model, const tacLimitFriction* h) {
    return h->tendon >= 0 ? model->tendon[h->tendon].count : 1;
}

static lengthTerm term_at(const tacModel* model, const tacLimitFriction* h, int i) {
    if (h->tendon < 0) return (lengthTerm){h->dof, -1};
    const tacTendon* t = &model->tendon[h->tendon];
    return (lengthTerm){model->joint[model->tendonjoint[t->first + i]].dof, t->coef + i};
}

static tacReal term_coef(const tacModel* model, lengthTerm t) {
    return t.coef >= 0 ? model->param[t.coef] : (tacReal)1.0;
}

// sum of coefficients times x, which has a number a degree of freedom
static tacReal sum_along_terms(const tacModel* model, const tacLimitFriction* h, const tacReal* x) {
    tacReal sum = 0.0;
    for (int i = 0; i < term_count(model, h) && x; ++i) {
        lengthTerm t = term_at(model, h, i);
        sum += term_coef(model, t) * x[t.dof];
    }
    return sum;
}

// of positions: those of hinges and slides
static tacReal dof_position(const tacModel* model, const tacMotion* m, int dof) {
    return m->qpos[model->joint[model->dof[dof].joint].qpos];
}

static tacReal eval_length(const tacModel* model, const tacMotion* m, const tacLimitFriction* h) {
    tacReal sum = 0.0;
    for (int i = 0; i < term_count(model, h); ++i) {
        lengthTerm t = term_at(model, h, i);
        sum += term_coef(model, t) * dof_position(model, m, t.dof);
    }
    return sum;
}

// offset of the end of the range, or of the friction
static int bound_offset(const tacModel* model, const tacLimitFriction* h) {
    const tacTendon* t = h->tendon >= 0 ? &model->tendon[h->tendon] : NULL;
    const tacJoint* j = h->tendon >= 0 ? NULL : &model->joint[model->dof[h->dof].joint];
    if (h->friction) return t ? t->frictionloss : j->frictionloss;
    return (t ? t->range : j->range) + h->upper;
}

//---------------------------------- forces ---------------------------------------

// a force along the line and its slopes; the last four by numbers of <tactus>
typedef struct limitForce {
    tacReal f, by_z, by_v, by_y, by_h, by_bound;
    tacReal by[4];
} limitForce;

enum { LIMIT_RATE, LIMIT_WIDTH, LIMIT_DISSIPATION, DRY_STICTION };

static int contact_number(const tacModel* model, int k) {
    static const tacContactNumber at[] = {TAC_CONTACT_LIMIT_RATE, TAC_CONTACT_LIMIT_WIDTH,
                                          TAC_CONTACT_LIMIT_DISSIPATION, TAC_CONTACT_DRY_STICTION};
    return model->contact->number[at[k]];
}

static tacReal contact_number_value(const tacModel* model, int k) {
    return model->param[contact_number(model, k)];
}

static int is_contact_implicit(const tacModel* model) {
    return model->contact->choice[TAC_CHOICE_IMPLICIT];
}

// state of a limit: distance, its rate, change of the rate within the step
typedef struct limitState {
    tacReal z, v, y;
} limitState;

static tacReal limit_stiffness(const tacModel* model, const tacLimitFriction* h) {
    tacReal rate = contact_number_value(model, LIMIT_RATE);
    return h->inertia * rate * rate;
}

static tacPlaneLaw limit_law(const tacModel* model, const tacLimitFriction* h) {
    return (tacPlaneLaw){limit_stiffness(model, h),
                         contact_number_value(model, LIMIT_DISSIPATION),
                         1.0,
                         0.0,
                         contact_number_value(model, LIMIT_WIDTH),
                         0.0,
                         0,
                         is_contact_implicit(model)};
}

static tacPlaneState limit_plane(const tacModel* model, limitState s) {
    tacPlaneState at = {.phi = s.z, .h = tac_implicit_timestep(model)};
    at.n.x = 1.0;
    at.v.x = s.v;
    at.y.x = s.y;
    return at;
}

// So many widths away from it a limit has no force, nor any derivative: soft.inl takes the
// exponential as exactly 0 there (SOFT_LIMIT).
static int is_far(const tacModel* model, limitState s) {
    return tac_re(s.z) > 701.0 * tac_re(contact_number_value(model, LIMIT_WIDTH));
}

static limitForce limit_force(const tacModel* model, const tacLimitFriction* h, limitState s) {
    if (is_far(model, s)) return (limitForce){0};
    tacReal rate = contact_number_value(model, LIMIT_RATE);
    tacPlaneLaw law = limit_law(model, h), law_bar = {0};
    tacPlaneState bar = {0}, at = limit_plane(model, s);
    tacVec3 x = tac_vec3_zero();
    x.x = 1.0;
    tac_point_plane_vjp(&law, &at, x, &law_bar, &bar);
    return (limitForce){.f = tac_point_plane(&law, &at).x,
                        .by_z = bar.phi,
                        .by_v = bar.v.x,
                        .by_y = bar.y.x,
                        .by_h = bar.h,
                        .by = {law_bar.k * 2.0 * h->inertia * rate, law_bar.eps, law_bar.v_d, 0.0}};
}

// -b g (v + y v_s^2 g^2), g = 1/sqrt(v_s^2 + v^2)
static limitForce friction_force(const tacModel* model, const tacLimitFriction* h, limitState s) {
    tacReal b = model->param[bound_offset(model, h)],
            v_s = contact_number_value(model, DRY_STICTION);
    tacReal g = 1.0 / r_sqrt(v_s * v_s + s.v * s.v), g3 = g * g * g, g5 = g3 * g * g;
    tacReal y = is_contact_implicit(model) ? s.y : (tacReal)0.0, v2 = v_s * v_s;
    limitForce r = {.by_bound = -g * (s.v + y * v2 * g * g)};
    r.f = b * r.by_bound;
    r.by_v = -b * (v2 * g3 - 3.0 * y * v2 * g5 * s.v);
    r.by_y = is_contact_implicit(model) ? -b * v2 * g3 : (tacReal)0.0;
    r.by[DRY_STICTION] = -b * (-v_s * g3 * s.v + 2.0 * y * v_s * g3 - 3.0 * y * v2 * v_s * g5);
    return r;
}

static tacReal limit_sign(const tacLimitFriction* h) { return h->upper ? -1.0 : 1.0; }

static limitState eval_state(const tacModel* model, const tacMotion* m, const tacLimitFriction* h,
                             const tacReal* a) {
    tacReal sign = limit_sign(h);
    limitState s = {.v = sign * sum_along_terms(model, h, m->qvel)};
    if (!h->friction)
        s.z = sign * (eval_length(model, m, h) - model->param[bound_offset(model, h)]);
    s.y = sign * tac_implicit_timestep(model) * sum_along_terms(model, h, a);
    return s;
}

static limitForce eval_force(const tacModel* model, const tacMotion* m, const tacLimitFriction* h,
                             const tacReal* a) {
    limitState s = eval_state(model, m, h, a);
    return h->friction ? friction_force(model, h, s) : limit_force(model, h, s);
}

// a group of limits and frictions with their forces and slopes by y, in order
typedef struct lineGroup {
    int count;
    tacReal f[TAC_PLANE_LINES], by_y[TAC_PLANE_LINES];
} lineGroup;

// from entry `first` on; limits that have a force are evaluated together
static void eval_group(const tacModel* model, const tacMotion* m, const tacReal* a, int first,
                       lineGroup* g) {
    const tacLimitFriction* all = &model->contact->limit_friction[first];
    int left = model->contact->nlimit_friction - first, at[TAC_PLANE_LINES];
    tacPlaneLines l;
    l.count = 0;
    g->count = left < TAC_PLANE_LINES ? left : TAC_PLANE_LINES;
    for (int i = 0; i < g->count; ++i) {
        const tacLimitFriction* h = &all[i];
        limitState s = eval_state(model, m, h, a);
        limitForce r = {.f = 0.0};
        if (h->friction) r = friction_force(model, h, s);
        g->f[i] = r.f;
        g->by_y[i] = r.by_y;
        if (h->friction || is_far(model, s)) continue;
        at[l.count] = i;
        l.k[l.count] = limit_stiffness(model, h);
        l.phi[l.count] = s.z;
        l.v[l.count] = s.v;
        l.y[l.count++] = s.y;
    }
    if (l.count == 0) return;
    tacPlaneLaw law = limit_law(model, all);
    tac_point_plane_lines(&law, tac_implicit_timestep(model), &l);
    for (int i = 0; i < l.count; ++i) {
        g->f[at[i]] = l.f[i];
        g->by_y[at[i]] = l.by_y[i];
    }
}

static void add_line_force(const tacModel* model, const tacLimitFriction* h, tacReal f,
                           tacReal* tau) {
    for (int k = 0; k < term_count(model, h); ++k) {
        lengthTerm t = term_at(model, h, k);
        tau[t.dof] += term_coef(model, t) * limit_sign(h) * f;
    }
}

void tac_limit_friction_eval(const tacModel* model, const tacMotion* m, const tacReal* a,
                             tacReal* tau) {
    const tacContactPlan* plan = model->contact;
    lineGroup g = {0};
    for (int first = 0; first < plan->nlimit_friction; first += g.count) {
        eval_group(model, m, a, first, &g);
        for (int i = 0; i < g.count; ++i)
            if (g.f[i] != (tacReal)0.0)
                add_line_force(model, &plan->limit_friction[first + i], g.f[i], tau);
    }
}

// M += s times the square of a line
static void add_line_stiffness(const tacModel* model, const tacLimitFriction* h, tacReal s,
                               tacSkyline* M) {
    for (int i = 0; i < term_count(model, h); ++i) {
        lengthTerm a = term_at(model, h, i);
        for (int k = 0; k < term_count(model, h); ++k) {
            lengthTerm b = term_at(model, h, k);
            if (b.dof <= a.dof)
                *tac_skyline_at(M, a.dof, b.dof) += s * term_coef(model, a) * term_coef(model, b);
        }
    }
}

void tac_limit_friction_add_stiffness(const tacModel* model, const tacMotion* m, tacSkyline* M) {
    tacReal step = tac_implicit_timestep(model);
    const tacContactPlan* plan = model->contact;
    lineGroup g = {0};
    for (int first = 0; first < plan->nlimit_friction; first += g.count) {
        eval_group(model, m, NULL, first, &g);
        for (int i = 0; i < g.count; ++i)
            if (g.by_y[i] != (tacReal)0.0)
                add_line_stiffness(model, &plan->limit_friction[first + i], -step * g.by_y[i], M);
    }
}

//---------------------------------- derivatives ----------------------------------

static tacReal value_or_zero(const tacReal* x, int i) { return x && i >= 0 ? x[i] : (tacReal)0.0; }

// of tac_implicit_timestep
static tacReal timestep_dot(const tacModel* model, const tacMotionDot* dot) {
    return tac_implicit_share(model) * value_or_zero(dot->theta, model->timestep);
}

// tangents of distance, rate and change of the rate, without signs
static limitState state_dot(const tacModel* model, const tacMotion* m, const tacLimitFriction* h,
                            const tacMotionDot* dot) {
    limitState s = {sum_along_terms(model, h, dot->dq), sum_along_terms(model, h, dot->dv), 0.0};
    tacReal step = tac_implicit_timestep(model), predicted = sum_along_terms(model, h, m->qacc);
    s.y = timestep_dot(model, dot) * predicted;
    for (int i = 0; i < term_count(model, h) && dot->theta; ++i) {
        lengthTerm t = term_at(model, h, i);
        tacReal coef = value_or_zero(dot->theta, t.coef);
        if (!h->friction) s.z += coef * dof_position(model, m, t.dof);
        s.v += coef * m->qvel[t.dof];
        s.y += coef * step * m->qacc[t.dof];
    }
    if (!h->friction) s.z -= value_or_zero(dot->theta, bound_offset(model, h));
    return s;
}

void tac_limit_friction_jvp(const tacModel* model, const tacMotion* m, const tacMotionDot* dot,
                            tacReal* tau_dot) {
    for (int i = 0; i < model->contact->nlimit_friction; ++i) {
        const tacLimitFriction* h = &model->contact->limit_friction[i];
        limitForce r = eval_force(model, m, h, m->qacc);
        limitState s = state_dot(model, m, h, dot);
        tacReal sign = limit_sign(h), f = sign * (r.by_z * s.z + r.by_v * s.v + r.by_y * s.y);
        f += r.by_h * timestep_dot(model, dot);
        if (h->friction) f += r.by_bound * value_or_zero(dot->theta, bound_offset(model, h));
        for (int k = 0; k < 4; ++k)
            f += r.by[k] * value_or_zero(dot->theta, contact_number(model, k));
        for (int k = 0; k < term_count(model, h); ++k) {
            lengthTerm t = term_at(model, h, k);
            tau_dot[t.dof] +=
                sign * (term_coef(model, t) * f + value_or_zero(dot->theta, t.coef) * r.f);
        }
    }
}

static void add_if_present(tacReal* x, int i, tacReal amount) {
    if (x && i >= 0) x[i] += amount;
}

// from the adjoint of the force along the line, its sign included
static void line_vjp(const tacModel* model, const tacMotion* m, const tacLimitFriction* h,
                     const limitForce* r, tacReal f_bar, tacMotionDot* bar) {
    tacReal sign = limit_sign(h), step = tac_implicit_timestep(model);
    tacReal z = sign * r->by_z * f_bar, v = sign * r->by_v * f_bar, y = sign * r->by_y * f_bar;
    for (int k = 0; k < term_count(model, h); ++k) {
        lengthTerm t = term_at(model, h, k);
        tacReal coef = term_coef(model, t);
        add_if_present(bar->dq, t.dof, coef * z);
        add_if_present(bar->dv, t.dof, coef * v);
        if (!h->friction) add_if_present(bar->theta, t.coef, z * dof_position(model, m, t.dof));
        add_if_present(bar->theta, t.coef, v * m->qvel[t.dof] + y * step * m->qacc[t.dof]);
    }
    add_if_present(bar->theta, model->timestep,
                   tac_implicit_share(model) *
                       (r->by_h * f_bar + y * sum_along_terms(model, h, m->qacc)));
    add_if_present(bar->theta, bound_offset(model, h), h->friction ? r->by_bound * f_bar : -z);
    for (int k = 0; k < 4; ++k)
        add_if_present(bar->theta, contact_number(model, k), r->by[k] * f_bar);
}

void tac_limit_friction_vjp(const tacModel* model, const tacMotion* m, const tacReal* tau_bar,
                            tacMotionDot* bar) {
    for (int i = 0; i < model->contact->nlimit_friction; ++i) {
        const tacLimitFriction* h = &model->contact->limit_friction[i];
        limitForce r = eval_force(model, m, h, m->qacc);
        tacReal sign = limit_sign(h);
        line_vjp(model, m, h, &r, sign * sum_along_terms(model, h, tau_bar), bar);
        for (int k = 0; k < term_count(model, h); ++k) {
            lengthTerm t = term_at(model, h, k);
            add_if_present(bar->theta, t.coef, sign * r.f * tau_bar[t.dof]);
        }
    }
}

// M += s times the square of a line, all of it
static void add_line_square(const tacModel* model, const tacLimitFriction* h, tacReal s, tacReal* M,
                            int stride) {
    for (int i = 0; i < term_count(model, h); ++i) {
        lengthTerm a = term_at(model, h, i);
        for (int k = 0; k < term_count(model, h); ++k) {
            lengthTerm b = term_at(model, h, k);
            M[(size_t)a.dof * (size_t)stride + (size_t)b.dof] +=
                s * term_coef(model, a) * term_coef(model, b);
        }
    }
}

void tac_limit_friction_jacobian(const tacModel* model, const tacMotion* m, tacReal* by_q,
                                 tacReal* by_v, int stride) {
    for (int i = 0; i < model->contact->nlimit_friction; ++i) {
        const tacLimitFriction* h = &model->contact->limit_friction[i];
        limitForce r = eval_force(model, m, h, m->qacc);
        add_line_square(model, h, r.by_z, by_q, stride);
        add_line_square(model, h, r.by_v, by_v, stride);
    }
}
