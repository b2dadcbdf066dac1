// The elastic-plastic law for one contact.

#include "respond/force/elastoplastic.h"

#include "math/vec3.h"

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

//---------------------------------- force ----------------------------------------

tacElastoplasticForce tac_elastoplastic_eval(const tacElastoplasticLaw* law,
                                             const tacElastoplasticState* at) {
    tacElastoplasticForce r;
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
    s += law->mu * g;
    tacReal l = c * r->d + r->c * r->d_x * x;
    tacVec3 u = tac_add_scaled(tac_add_scaled(dot->n, -s, r->v_t), -law->mu * r->g, v_t);
    return tac_add_scaled(tac_scale(r->u, l), r->l, u);
}

void tac_elastoplastic_eval_vjp(const tacElastoplasticLaw* law, const tacElastoplasticState* at,
                                const tacElastoplasticForce* r, tacVec3 f_bar,
                                tacElastoplasticState* bar, tacElastoplasticLaw* law_bar) {
    tacReal l = tac_dot(r->u, f_bar), c = l * r->d, x = l * r->c * r->d_x;
    tacVec3 u = tac_scale(f_bar, r->l);
    tacReal s = -tac_dot(r->v_t, u), g = law->mu * s;
    tacVec3 v_t = tac_add_scaled(tac_scale(u, -law->mu * r->g), g * r->g_w, r->v_t);
    tacReal v_n = x / law->v_d - tac_dot(v_t, at->n);
    bar->phi += c * r->c_phi;
    bar->n = tac_add(bar->n, tac_add_scaled(tac_add_scaled(u, v_n, at->v), -r->v_n, v_t));
    bar->v = tac_add(bar->v, tac_add_scaled(v_t, v_n, at->n));
    law_bar->k += c * r->c / law->k;
    law_bar->v_d -= x * r->v_n / (law->v_d * law->v_d);
    law_bar->v_s -= g * (r->g + tac_norm2(r->v_t) * r->g_w) / law->v_s;
    law_bar->mu += s * r->g;
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
