// The elastic-plastic law: its derivatives by everything, and what it promises.

#include "check/prove.h"
#include "math/vec3.h"
#include "respond/adapter_elastoplastic.h"

static double uniform_between(unsigned long long* random, double low, double high) {
    return tac_check_uniform(random, low, high);
}

// in overlap and out of it; sliding slow, fast and not at all
static void draw_state(unsigned long long* random, int i, double* x) {
    x[7] = exp(uniform_between(random, 5.0, 20.0));
    x[8] = uniform_between(random, 0.5, 5.0);
    x[9] = uniform_between(random, 0.005, 0.1);
    x[10] = uniform_between(random, 0.0, 1.5);
    x[0] = uniform_between(random, -0.02, i % 6 == 5 ? 0.01 : -1e-4);
    tacVec3 n = {tac_check_normal(random), tac_check_normal(random), tac_check_normal(random)};
    tac_store3(x + 1, tac_scale(n, 1.0 / sqrt(tac_norm2(n))));
    double speed = i % 3 == 0 ? 0.02 : i % 3 == 1 ? 1.0 : 10.0;
    for (int k = 4; k < 7; ++k) x[k] = speed * tac_check_normal(random);
    for (int k = 4; k < 7 && i % 11 == 10; ++k) x[k] = 0.0;
    // of implicit forces: a part of the velocity, steps from short to long for spring and damper
    for (int k = 11; k < 14; ++k) x[k] = 0.3 * speed * tac_check_normal(random);
    x[14] = exp(uniform_between(random, -9.0, -5.0));
    x[15] = exp(uniform_between(random, -3.0, 5.0));
}

// slopes of remainders are tried where no transition of m or end of the law is near
static int implicit_slopes(const double* x) {
    tacVec3 n = tac_load3(x + 1), v = tac_load3(x + 4);
    double part = tac_dot(n, v) / x[8];
    return x[0] < -1e-3 && (part < -1.2 || (part > -0.8 && part < 0.8)) ? 3 : 0;
}

static int sample(const void* context, int i, unsigned long long* random, double* x,
                  double* scale) {
    draw_state(random, i, x);
    for (int k = 0; k < PLASTIC_INPUTS; ++k) scale[k] = 0.02 * (fabs(x[k]) + 1e-4);
    for (int k = 4; k < 7; ++k) scale[k] = 0.02 * x[9];
    for (int k = 11; k < 14; ++k) scale[k] = 0.02 * x[9];
    for (int k = 14; k < 16; ++k) scale[k] = 0.02 * x[k];
    if (context) return implicit_slopes(x);
    // away from where it ends: touching, and parting at v_d
    tacVec3 n = tac_load3(x + 1), v = tac_load3(x + 4);
    return x[0] < -1e-3 && fabs(tac_dot(n, v) - x[8]) > 0.2 * x[8] ? 3 : 0;
}

static int check_law(const char* name, const void* implicit) {
    tacCheckProblem problem = {.name = name,
                               .context = implicit,
                               .n = PLASTIC_INPUTS,
                               .m = 3,
                               .as_double = &tac_check_plastic_double,
                               .as_complex = &tac_check_plastic_complex,
                               .as_quad = &tac_check_plastic_quad,
                               .sample = sample};
    tacCheckOptions options = tac_check_default_options();
    options.points = 3000;
    options.first = 1e-12;
    options.second = 1e-10;
    return prove(&problem, options);
}

static int law_has_its_derivatives(void) { return check_law("elastic-plastic law", NULL); }
static int implicit_law_has_its_derivatives(void) {
    return check_law("implicit elastic-plastic law", "implicit");
}

// never pulls, friction within mu times the normal force and against the sliding, power taken out
static int forces_dissipate_and_never_pull(void) {
    unsigned long long random = 7;
    for (int i = 0; i < 20000; ++i) {
        double x[PLASTIC_INPUTS];
        draw_state(&random, i, x);
        tacElastoplasticLaw law = {.k = x[7], .v_d = x[8], .v_s = x[9], .mu = x[10]};
        tacElastoplasticState at = {.phi = x[0], .n = tac_load3(x + 1), .v = tac_load3(x + 4)};
        tacElastoplasticState at_rest = at;
        tacVec3 f = tac_elastoplastic(&law, &at);
        double normal = tac_dot(f, at.n), v_n = tac_dot(at.v, at.n);
        tacVec3 slide = tac_add_scaled(at.v, -v_n, at.n), t = tac_add_scaled(f, -normal, at.n);
        ENSURE(normal >= 0.0);
        ENSURE(tac_norm(t) <= law.mu * normal * (1.0 + 1e-12));
        ENSURE(tac_dot(t, slide) <= 1e-12 * tac_norm(f) * tac_norm(slide));
        at_rest.v = tac_vec3_zero();
        double spring = tac_dot(tac_elastoplastic(&law, &at_rest), at.n);
        ENSURE(tac_dot(f, at.v) - spring * v_n <= 1e-9 * (1.0 + fabs(spring * v_n)));
        if (at.phi >= 0.0) ENSURE(tac_norm(f) == 0.0);
    }
    return 0;
}

static double step_down(double t) {
    double s = fmin(fmax(1.0 - t, 0.0), 1.0);
    return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
}

// eq. 5 of docs/elastoplastic.md, as it is written there
static int implicit_force_is_that_of_the_page(void) {
    unsigned long long random = 11;
    for (int i = 0; i < 5000; ++i) {
        double x[PLASTIC_INPUTS];
        draw_state(&random, i, x);
        tacElastoplasticLaw law = {x[7], x[8], x[9], x[10], x[15], 1};
        tacElastoplasticState at = {x[0], tac_load3(x + 1), tac_load3(x + 4), tac_load3(x + 11),
                                    x[14]};
        double G = x[15], h = x[14], mu = x[10], rho = fmax(0.0, -x[0]), k = x[7], v_d = x[8];
        double v_n = tac_dot(at.n, at.v), y_n = tac_dot(at.n, at.y), part = v_n / v_d;
        tacVec3 v_t = tac_add_scaled(at.v, -v_n, at.n);
        double c = k * rho * rho * rho, F_N = c * fmax(0.0, 1.0 - part), slide = tac_norm(v_t);
        double kappa = 3.0 * k * rho * rho * fmax(0.0, 1.0 - part), X = G * h * h * kappa;
        double sigma = c * step_down(part - 1.0) / v_d, R = G * h * sigma;
        double K = kappa * X * X / (8.0 + X * X), S = sigma * (3.0 + R) / (6.0 + R), e = G * h * S;
        double L = (F_N + e * c * step_down(part * part)) / (1.0 + e), b = 2.0 * G * h * mu * L;
        double g = slide > 0.0 ? tanh(0.5 * slide / x[9]) / slide : 0.5 / x[9];
        double w = tac_dot(v_t, at.y) / (6.0 * x[9] * x[9] + b * b + slide * slide);
        double N = F_N - K * h * (v_n + y_n) - S * y_n;
        tacVec3 q = tac_add_scaled(tac_add(tac_scale(v_t, 1.0 - w), at.y), -y_n, at.n);
        tacVec3 want = tac_add_scaled(tac_scale(at.n, N), -mu * g * L, q);
        tacVec3 f = tac_elastoplastic(&law, &at);
        ENSURE(tac_norm(tac_sub(f, want)) <= 1e-11 * (tac_norm(want) + F_N));
    }
    return 0;
}

// 003-E12: 2/(1 + exp(-v/v_s)) - 1 where the printed form overflows
static int fast_sliding_is_finite(void) {
    tacElastoplasticLaw law = {.k = 1e9, .v_d = 5.0, .v_s = 0.01, .mu = 0.3};
    for (int sign = -1; sign <= 1; sign += 2) {
        tacElastoplasticState at = {
            .phi = -0.005, .n = {0.0, 0.0, 1.0}, .v = {50.0 * sign, 0.0, 0.0}};
        tacVec3 f = tac_elastoplastic(&law, &at);
        ENSURE_NEAR(f.z, 125.0, 1e-10);
        ENSURE_NEAR(f.x, -0.3 * 125.0 * sign, 1e-10);
        at.v.x = 0.004 * sign;
        f = tac_elastoplastic(&law, &at);
        ENSURE_NEAR(f.x, -0.3 * 125.0 * (2.0 / (1.0 + exp(-0.4 * sign)) - 1.0), 1e-10);
    }
    return 0;
}

// 003-E11: parting at 6 m/s with c_c = 0.2 s/m the printed law pulls with 25 N
static int never_adhesive(void) {
    tacElastoplasticLaw law = {.k = 1e9, .v_d = 5.0, .v_s = 0.01, .mu = 0.3};
    tacElastoplasticState at = {.phi = -0.005, .n = {0.0, 0.0, 1.0}, .v = {0.0, 0.0, 6.0}};
    ENSURE(tac_norm(tac_elastoplastic(&law, &at)) == 0.0);
    return 0;
}

TEST_MAIN(RUN(law_has_its_derivatives), RUN(implicit_law_has_its_derivatives),
          RUN(forces_dissipate_and_never_pull), RUN(implicit_force_is_that_of_the_page),
          RUN(fast_sliding_is_finite), RUN(never_adhesive))
