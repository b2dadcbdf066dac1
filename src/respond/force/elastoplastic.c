// The elastic-plastic law for one contact.

#include "respond/force/elastoplastic.h"

#include "math/vec3.h"
#include "tactus/smooth.h"

//---------------------------------- friction -------------------------------------

// T(y) = tanh(y)/y and T'(y)/y as functions of y^2: analytic on y = 0
typedef struct frictionCurve {
    tacReal T, slope;
} frictionCurve;

static frictionCurve friction_curve_series(tacReal z) {
    tacReal T =
        1.0 + z * (-1.0 / 3.0 + z * (2.0 / 15.0 + z * (-17.0 / 315.0 + z * (62.0 / 2835.0))));
    tacReal slope =
        -2.0 / 3.0 +
        z * (8.0 / 15.0 + z * (-34.0 / 105.0 + z * (496.0 / 2835.0 + z * (-2764.0 / 31185.0))));
    return (frictionCurve){T, slope};
}

static frictionCurve friction_curve(tacReal z) {
    if (tac_re(z) < 1e-3) return friction_curve_series(z);
    tacReal y = r_sqrt(z), e = r_exp(-2.0 * y), tanh_y = (1.0 - e) / (1.0 + e);
    tacReal square = 4.0 * e / ((1.0 + e) * (1.0 + e)); // 1/cosh^2
    return (frictionCurve){tanh_y / y, (square - tanh_y / y) / z};
}

//---------------------------------- implicit -------------------------------------

// kappa, sigma and their slopes by phi and x; those by k and v_d follow from them
static void stiffen(const tacElastoplasticLaw* law, const tacElastoplasticState* at,
                    tacElastoplasticForce* r) {
    tacReal x = r->v_n / law->v_d, c_2 = r_select_ge0(at->phi, 0.0, -6.0 * law->k * at->phi);
    tacReal drag = tac_mollifier(x - 1.0) / law->v_d;
    r->kappa = -r->c_phi * r->d;
    r->kappa_phi = -c_2 * r->d;
    r->kappa_x = -r->c_phi * r->d_x;
    r->sigma = r->c * drag;
    r->sigma_phi = r->c_phi * drag;
    r->sigma_x = r->c * tac_mollifier_jvp(x - 1.0, 1.0) / law->v_d;
    r->rest = tac_mollifier(x * x);
    r->rest_x = tac_mollifier_jvp(x * x, 2.0 * x);
}

// K = kappa X^2/(8 + X^2) and S = sigma (3 + R)/(6 + R)
static void weigh(tacReal step, tacReal h, tacElastoplasticForce* r) {
    tacReal X = step * h * r->kappa, R = step * r->sigma, x8 = 8.0 + X * X, r6 = 6.0 + R;
    tacReal t = X * X / x8, t_X = 16.0 * X / (x8 * x8), u_R = 3.0 / (r6 * r6);
    r->K = r->kappa * t;
    r->K_kappa = t + X * t_X;
    r->K_step = r->kappa * r->kappa * t_X;
    r->S = r->sigma * (3.0 + R) / r6;
    r->S_sigma = (3.0 + R) / r6 + R * u_R;
    r->S_step = r->sigma * r->sigma * u_R;
}

static void implicit_force(const tacElastoplasticLaw* law, const tacElastoplasticState* at,
                           tacElastoplasticForce* r) {
    tacReal step = law->inv_mass * at->h;
    stiffen(law, at, r);
    weigh(step, at->h, r);
    r->e = step * r->S;
    r->L = (r->l + r->e * r->c * r->rest) / (1.0 + r->e);
    r->b = 2.0 * step * law->mu * r->L;
    r->y_n = tac_dot(at->n, at->y);
    r->N = r->l - r->K * at->h * (r->v_n + r->y_n) - r->S * r->y_n;
    r->r2 = 6.0 * law->v_s * law->v_s + r->b * r->b + tac_norm2(r->v_t);
    r->w = tac_dot(r->v_t, at->y) / r->r2;
    r->q =
        tac_add_scaled(tac_add_scaled(tac_scale(r->v_t, 1.0 - r->w), 1.0, at->y), -r->y_n, at->n);
    r->f = tac_add_scaled(tac_scale(at->n, r->N), -law->mu * r->g * r->L, r->q);
}

// a force with what it was evaluated at
typedef struct elastoplasticAt {
    const tacElastoplasticLaw* law;
    const tacElastoplasticState* at;
    const tacElastoplasticForce* r;
} elastoplasticAt;

// what both kinds of force have: tangents of c, x = v_n/v_d, v_n, v_t and g
typedef struct elastoplasticDot {
    tacReal c, x, v_n, g;
    tacVec3 v_t;
} elastoplasticDot;

// tangents of a step: of inv_mass h and inv_mass h^2
typedef struct implicitStepDot {
    tacReal once, twice;
} implicitStepDot;

static implicitStepDot step_dot(const tacElastoplasticLaw* law, const tacElastoplasticState* at,
                                tacReal h, tacReal inv_mass) {
    return (implicitStepDot){law->inv_mass * h + inv_mass * at->h,
                             (2.0 * law->inv_mass * h + inv_mass * at->h) * at->h};
}

static tacVec3 implicit_jvp(elastoplasticAt p, const tacElastoplasticState* dot,
                            const tacElastoplasticLaw* law_dot, const elastoplasticDot* d) {
    static const tacElastoplasticLaw none = {0};
    const tacElastoplasticLaw* law = p.law;
    const tacElastoplasticState* at = p.at;
    const tacElastoplasticForce* r = p.r;
    const tacElastoplasticLaw* other = law_dot ? law_dot : &none;
    tacReal step = law->inv_mass * at->h, h = at->h, by_k = other->k / law->k;
    implicitStepDot s = step_dot(law, at, dot->h, other->inv_mass);
    tacReal kappa = r->kappa_phi * dot->phi + r->kappa_x * d->x + r->kappa * by_k;
    tacReal sigma =
        r->sigma_phi * dot->phi + r->sigma_x * d->x + r->sigma * (by_k - other->v_d / law->v_d);
    tacReal K = r->K_kappa * kappa + r->K_step * s.twice;
    tacReal S = r->S_sigma * sigma + r->S_step * s.once;
    tacReal e = s.once * r->S + step * S, rest = d->c * r->rest + r->c * r->rest_x * d->x;
    tacReal l = d->c * r->d + r->c * r->d_x * d->x;
    tacReal L = (l + e * (r->c * r->rest - r->L) + r->e * rest) / (1.0 + r->e);
    tacReal b = 2.0 * (s.once * law->mu * r->L + step * (other->mu * r->L + law->mu * L));
    tacReal y_n = tac_dot(dot->n, at->y) + tac_dot(at->n, dot->y), sum = r->v_n + r->y_n;
    tacReal N =
        l - (K * h + r->K * dot->h) * sum - r->K * h * (d->v_n + y_n) - S * r->y_n - r->S * y_n;
    tacReal r2 = 12.0 * law->v_s * other->v_s + 2.0 * (r->b * b + tac_dot(r->v_t, d->v_t));
    tacReal w = (tac_dot(d->v_t, at->y) + tac_dot(r->v_t, dot->y) - r->w * r2) / r->r2;
    tacVec3 q = tac_add_scaled(tac_scale(d->v_t, 1.0 - r->w), -w, r->v_t);
    q = tac_add_scaled(tac_add_scaled(tac_add(q, dot->y), -y_n, at->n), -r->y_n, dot->n);
    tacReal sl = law->mu * r->g * r->L;
    tacReal sl_dot = (other->mu * r->g + law->mu * d->g) * r->L + law->mu * r->g * L;
    tacVec3 f = tac_add_scaled(tac_scale(at->n, N), r->N, dot->n);
    return tac_add_scaled(tac_add_scaled(f, -sl_dot, r->q), -sl, q);
}

// adjoints of what both kinds of force have, and those that are added to
typedef struct elastoplasticBar {
    tacReal c, x, v_n, g, mu;
    tacVec3 n, v_t;
    tacElastoplasticState* at;
    tacElastoplasticLaw* law;
} elastoplasticBar;

// adjoints of N, L, q, w and b on the way back
typedef struct implicitBar {
    tacReal N, L, b, y_n, e, K, S;
    tacVec3 q;
} implicitBar;

// from those of L, b, K, S to c, x, phi, h and the law
static void stiffen_vjp(elastoplasticAt p, implicitBar i, elastoplasticBar* d) {
    const tacElastoplasticLaw* law = p.law;
    const tacElastoplasticState* at = p.at;
    const tacElastoplasticForce* r = p.r;
    tacReal step = law->inv_mass * at->h, part = 1.0 / (1.0 + r->e);
    i.L += 2.0 * step * law->mu * i.b;
    d->mu += 2.0 * step * r->L * i.b;
    tacReal l = i.N + part * i.L, e = part * (r->c * r->rest - r->L) * i.L;
    tacReal once = 2.0 * law->mu * r->L * i.b + r->S * e, rest = part * r->e * i.L;
    i.S += step * e;
    d->c += l * r->d + rest * r->rest;
    tacReal kappa = r->K_kappa * i.K, sigma = r->S_sigma * i.S;
    tacReal twice = r->K_step * i.K;
    once += r->S_step * i.S;
    d->x += l * r->c * r->d_x + rest * r->c * r->rest_x + r->kappa_x * kappa + r->sigma_x * sigma;
    d->at->phi += r->kappa_phi * kappa + r->sigma_phi * sigma;
    d->at->h += law->inv_mass * (once + 2.0 * at->h * twice);
    d->law->inv_mass += at->h * (once + at->h * twice);
    d->law->k += (r->kappa * kappa + r->sigma * sigma) / law->k;
    d->law->v_d -= r->sigma * sigma / law->v_d;
}

static void implicit_vjp(elastoplasticAt p, tacVec3 f_bar, elastoplasticBar* d) {
    const tacElastoplasticLaw* law = p.law;
    const tacElastoplasticState* at = p.at;
    const tacElastoplasticForce* r = p.r;
    tacReal h = at->h, s = law->mu * r->g, sl = -tac_dot(r->q, f_bar), sum = r->v_n + r->y_n;
    implicitBar i = {.N = tac_dot(at->n, f_bar), .L = s * sl};
    i.q = tac_scale(f_bar, -s * r->L);
    d->g += law->mu * r->L * sl;
    d->mu += r->g * r->L * sl;

    // q, w
    tacReal z = -tac_dot(r->v_t, i.q) / r->r2, r2 = -r->w * z;
    d->v_t = tac_add_scaled(tac_scale(i.q, 1.0 - r->w), z, at->y);
    d->v_t = tac_add_scaled(d->v_t, 2.0 * r2, r->v_t);
    i.b = 2.0 * r->b * r2;
    d->law->v_s += 12.0 * law->v_s * r2;
    i.y_n = -tac_dot(at->n, i.q) - (r->K * h + r->S) * i.N;
    d->at->y = tac_add(d->at->y, tac_add_scaled(tac_add_scaled(i.q, z, r->v_t), i.y_n, at->n));
    d->n = tac_add_scaled(tac_scale(f_bar, r->N), -r->y_n, i.q);
    d->n = tac_add_scaled(d->n, i.y_n, at->y);

    // N
    i.K = -h * sum * i.N;
    i.S = -r->y_n * i.N;
    d->at->h -= r->K * sum * i.N;
    d->v_n -= r->K * h * i.N;
    stiffen_vjp(p, i, d);
}

//---------------------------------- force ----------------------------------------

tacElastoplasticForce tac_elastoplastic_eval(const tacElastoplasticLaw* law,
                                             const tacElastoplasticState* at) {
    tacElastoplasticForce r = {.e = 0.0};
    tacReal rho = r_select_ge0(at->phi, 0.0, -at->phi);
    r.c = law->k * rho * rho * rho;
    r.c_phi = -3.0 * law->k * rho * rho;
    r.v_n = tac_dot(at->n, at->v);
    tacReal left = 1.0 - r.v_n / law->v_d;
    r.d = r_select_ge0(left, left, 0.0);
    r.d_x = r_select_ge0(left, -1.0, 0.0);
    r.l = r.c * r.d;
    r.v_t = tac_add_scaled(at->v, -r.v_n, at->n);
    tacReal twice = 2.0 * law->v_s;
    frictionCurve T = friction_curve(tac_norm2(r.v_t) / (twice * twice));
    r.g = T.T / twice;
    r.g_w = T.slope / (twice * twice * twice);
    r.u = tac_add_scaled(at->n, -law->mu * r.g, r.v_t);
    r.f = tac_scale(r.u, r.l);
    if (law->implicit) implicit_force(law, at, &r);
    return r;
}

tacVec3 tac_elastoplastic_eval_jvp(const tacElastoplasticLaw* law, const tacElastoplasticState* at,
                                   const tacElastoplasticForce* r, const tacElastoplasticState* dot,
                                   const tacElastoplasticLaw* law_dot) {
    tacReal v_n = tac_dot(dot->n, at->v) + tac_dot(at->n, dot->v);
    tacReal c = r->c_phi * dot->phi, x = v_n / law->v_d, s = 0.0;
    tacVec3 v_t = tac_add_scaled(tac_add_scaled(dot->v, -v_n, at->n), -r->v_n, dot->n);
    tacReal g = r->g_w * tac_dot(r->v_t, v_t);
    if (law_dot) {
        c += r->c / law->k * law_dot->k;
        x -= r->v_n / (law->v_d * law->v_d) * law_dot->v_d;
        g -= (r->g + tac_norm2(r->v_t) * r->g_w) / law->v_s * law_dot->v_s;
        s = law_dot->mu * r->g;
    }
    if (law->implicit)
        return implicit_jvp((elastoplasticAt){law, at, r}, dot, law_dot,
                            &(elastoplasticDot){c, x, v_n, g, v_t});
    s += law->mu * g;
    tacReal l = c * r->d + r->c * r->d_x * x;
    tacVec3 u = tac_add_scaled(tac_add_scaled(dot->n, -s, r->v_t), -law->mu * r->g, v_t);
    return tac_add_scaled(tac_scale(r->u, l), r->l, u);
}

// f = l u, u = n - mu g v_t
static void explicit_vjp(elastoplasticAt p, tacVec3 f_bar, elastoplasticBar* d) {
    const tacElastoplasticForce* r = p.r;
    tacReal l = tac_dot(r->u, f_bar);
    tacVec3 u = tac_scale(f_bar, r->l);
    tacReal s = -tac_dot(r->v_t, u);
    d->c = l * r->d;
    d->x = l * r->c * r->d_x;
    d->g = p.law->mu * s;
    d->mu = s * r->g;
    d->v_t = tac_scale(u, -p.law->mu * r->g);
    d->n = u;
}

void tac_elastoplastic_eval_vjp(const tacElastoplasticLaw* law, const tacElastoplasticState* at,
                                const tacElastoplasticForce* r, tacVec3 f_bar,
                                tacElastoplasticState* bar, tacElastoplasticLaw* law_bar) {
    elastoplasticBar d = {.at = bar, .law = law_bar};
    (law->implicit ? implicit_vjp : explicit_vjp)((elastoplasticAt){law, at, r}, f_bar, &d);
    tacVec3 v_t = tac_add_scaled(d.v_t, d.g * r->g_w, r->v_t);
    tacReal v_n = d.v_n + d.x / law->v_d - tac_dot(v_t, at->n);
    bar->phi += d.c * r->c_phi;
    bar->n = tac_add(bar->n, tac_add_scaled(tac_add_scaled(d.n, v_n, at->v), -r->v_n, v_t));
    bar->v = tac_add(bar->v, tac_add_scaled(v_t, v_n, at->n));
    law_bar->k += d.c * r->c / law->k;
    law_bar->v_d -= d.x * r->v_n / (law->v_d * law->v_d);
    law_bar->v_s -= d.g * (r->g + tac_norm2(r->v_t) * r->g_w) / law->v_s;
    law_bar->mu += d.mu;
}

//---------------------------------- for a user -----------------------------------

tacVec3 tac_elastoplastic(const tacElastoplasticLaw* law, const tacElastoplasticState* at) {
    return tac_elastoplastic_eval(law, at).f;
}

tacVec3 tac_elastoplastic_jvp(const tacElastoplasticLaw* law, const tacElastoplasticState* at,
                              const tacElastoplasticLaw* law_dot,
                              const tacElastoplasticState* at_dot) {
    tacElastoplasticForce r = tac_elastoplastic_eval(law, at);
    return tac_elastoplastic_eval_jvp(law, at, &r, at_dot, law_dot);
}

void tac_elastoplastic_vjp(const tacElastoplasticLaw* law, const tacElastoplasticState* at,
                           tacVec3 f_bar, tacElastoplasticLaw* law_bar,
                           tacElastoplasticState* at_bar) {
    tacElastoplasticForce r = tac_elastoplastic_eval(law, at);
    tac_elastoplastic_eval_vjp(law, at, &r, f_bar, at_bar, law_bar);
}
