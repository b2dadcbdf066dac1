// The point-plane law: its derivatives by everything, what it promises of forces and of power, and
// the numbers that are known of it.

#include "check/prove.h"
#include "math/vec3.h"
#include "respond/adapter_point_plane.h"

static double uniform_between(unsigned long long* random, double low, double high) {
    return tac_check_uniform(random, low, high);
}

// a point in and out of contact, slow and fast; some at rest, some far out
static void draw_state(unsigned long long* random, int i, double* x) {
    double scale = i % 7 == 6 ? 30.0 : 1.0;
    x[11] = exp(uniform_between(random, 0.0, 9.0));
    x[12] = uniform_between(random, 0.05, 1.0);
    x[13] = uniform_between(random, 0.005, 0.1);
    x[14] = uniform_between(random, 0.0, 1.5);
    x[15] = exp(uniform_between(random, -7.0, -3.0));
    x[0] = x[15] * scale * uniform_between(random, -3.0, 2.0);
    double length = i % 5 == 4 ? 0.7 : 1.0;
    tacVec3 n = {tac_check_normal(random), tac_check_normal(random), tac_check_normal(random)};
    tac_store3(x + 1, tac_scale(n, length / sqrt(tac_norm2(n))));
    for (int k = 4; k < 10; ++k) x[k] = x[12] * scale * tac_check_normal(random);
    for (int k = 4; k < 7 && i % 11 == 10; ++k) x[k] = 0.0;
    x[10] = uniform_between(random, 0.0, 0.01);
    x[16] = exp(uniform_between(random, -7.0, 3.0));
}

//---------------------------------- derivatives ----------------------------------

static int sample(const void* context, int i, unsigned long long* random, double* x,
                  double* scale) {
    const planeMap* m = context;
    draw_state(random, i, x);
    for (int k = 0; k < PLANE_INPUTS; ++k) scale[k] = 0.05 * (fabs(x[k]) + 1e-3);
    scale[0] = 0.05 * x[15];
    scale[10] = 1e-3;
    for (int k = 4; k < 10; ++k) scale[k] = 0.05 * x[12];
    return m->reference ? 0 : 3;
}

static int prove_law(int reference, int implicit) {
    const planeMap map = {reference, implicit};
    tacCheckProblem problem = {.name = "point-plane law",
                               .n = PLANE_INPUTS,
                               .m = 3,
                               .context = &map,
                               .as_double = &tac_check_plane_double,
                               .as_complex = &tac_check_plane_complex,
                               .as_quad = &tac_check_plane_quad,
                               .sample = sample};
    tacCheckOptions options = tac_check_default_options();
    options.points = 3000;
    options.first = 1e-12;
    options.second = 1e-10;
    return prove(&problem, options);
}

static int smooth_law_has_its_derivatives(void) { return prove_law(0, 0); }
static int reference_law_has_its_derivatives(void) { return prove_law(1, 0); }
static int implicit_force_has_its_derivatives(void) { return prove_law(0, 1) || prove_law(1, 1); }

// at rest, where the reference law has a kink: second differences of the smooth one converge
static int smooth_law_is_smooth_at_rest(void) {
    for (int reference = 0; reference < 2; ++reference) {
        tacPlaneLaw law = {1000.0, 0.2, 0.01, 0.0, 1e-3, 0.0, reference, 0};
        double jump[2];
        for (int side = 0; side < 2; ++side) {
            double h = 1e-3, f[3];
            for (int k = 0; k < 3; ++k) {
                tacPlaneState at = {.phi = -1e-2, .n = {0.0, 0.0, 1.0}};
                at.v.z = side ? k * h : -k * h;
                f[k] = tac_point_plane(&law, &at).z;
            }
            jump[side] = (f[0] - 2.0 * f[1] + f[2]) / (h * h);
        }
        double curvature = fabs(jump[1] - jump[0]) * law.v_d * law.v_d / (law.k * 1e-2);
        if (reference)
            ENSURE_NEAR(curvature, 0.5, 1e-3);
        else
            ENSURE(curvature < 0.01);
    }
    return 0;
}

//---------------------------------- promises -------------------------------------

static int friction_and_power_are_bounded(void) {
    unsigned long long random = 7;
    for (int i = 0; i < 20000; ++i) {
        double x[PLANE_INPUTS];
        draw_state(&random, i, x);
        tacPlaneState at = {x[0], tac_load3(x + 1), tac_load3(x + 4), tac_vec3_zero(), 0.0};
        tacPlaneLaw law = {x[11], x[12], x[13], x[14], x[15], 0.0, i % 2, 0}, still = law,
                    bare = law;
        still.v_d = 1e30;
        still.mu = 0.0;
        bare.mu = 0.0;
        tacVec3 f = tac_point_plane(&law, &at), elastic = tac_point_plane(&still, &at);
        tacVec3 loaded = tac_point_plane(&bare, &at);
        double l = tac_dot(loaded, at.n) / tac_norm2(at.n), friction = tac_norm(tac_sub(f, loaded));
        ENSURE(l >= 0.0);
        ENSURE(friction <= law.mu * l * (1.0 + 1e-12));
        // all but the spring takes power out
        ENSURE(tac_dot(tac_sub(f, elastic), at.v) <= 1e-12 * tac_norm(f) * tac_norm(at.v));
    }
    return 0;
}

// a point 1 cm below a plane that slides by: the numbers of a separate calculation (k = 100,
// eps = 1 mm, mu = 0.6: the spring holds 100 (0.01 + 1e-3 log(1 + e^-10)))
static int known_values_come_out(void) {
    tacPlaneLaw law = {100.0, 0.2, 0.01, 0.6, 1e-3, 0.0, 0, 0};
    tacPlaneState at = {.phi = -0.01, .n = {0.0, 0.0, 1.0}, .v = {0.3, 0.0, 0.0}};
    double c = 100.0 * (0.01 + 1e-3 * log1p(exp(-10.0)));
    tacVec3 f = tac_point_plane(&law, &at);
    ENSURE_NEAR(f.z, c, 1e-14);
    ENSURE_NEAR(f.x, -0.6 * c * 0.3 / sqrt(0.0001 + 0.09), 1e-14);
    at.v = (tacVec3){0.0, 0.0, 0.1}; // x = 1/2: 1 - 1/2 + 1/48
    ENSURE_NEAR(tac_point_plane(&law, &at).z, c * (0.5 + 1.0 / 48.0), 1e-14);
    at.v.z = 0.3; // x = 3/2: (1/2)^3/6
    ENSURE_NEAR(tac_point_plane(&law, &at).z, c / 48.0, 1e-14);
    at.v.z = 0.5;
    ENSURE(tac_point_plane(&law, &at).z == 0.0);
    at.v.z = -0.5;
    ENSURE_NEAR(tac_point_plane(&law, &at).z, 3.5 * c, 1e-13);
    law.reference = 1;
    at.v.z = 0.1;
    ENSURE_NEAR(tac_point_plane(&law, &at).z, c * 2.25 / 4.0, 1e-14);
    return 0;
}

// A force ahead without a step is the force; with one it is that of the moved point, its friction
// too, to first order.
static int implicit_force_is_of_first_order(void) {
    tacPlaneLaw law = {1000.0, 0.2, 0.01, 0.5, 1e-3, 2.0, 0, 0}, implicit = law;
    implicit.implicit = 1;
    tacPlaneState at = {-2e-3, {0.0, 0.6, 0.8}, {0.0, 0.01, -0.02}, {0.0, 0.0, 0.0}, 0.0};
    tacVec3 now = tac_point_plane(&law, &at);
    ENSURE_NEAR(tac_norm(tac_sub(now, tac_point_plane(&implicit, &at))), 0.0, 1e-15);
    double last = 0.0;
    for (int i = 0; i < 4; ++i) {
        double h = 1e-4 / (1 << i);
        tacPlaneState moved = at;
        at.h = h;
        at.y = tac_scale((tacVec3){0.0, 3.0, 4.0}, h);
        moved.v = tac_add(at.v, at.y);
        moved.phi = at.phi + h * tac_dot(at.n, moved.v);
        double off = fabs(
            tac_dot(at.n, tac_sub(tac_point_plane(&implicit, &at), tac_point_plane(&law, &moved))));
        if (i > 0) ENSURE(last / off > 3.7);
        last = off;
    }
    return 0;
}

// the change of velocity along an axis that a step of a mass makes of the force, linear in it
static double step_velocity(const tacPlaneLaw* law, double mass, tacPlaneState at, tacVec3 axis) {
    double still = tac_dot(axis, tac_point_plane(law, &at));
    at.y = tac_add(at.y, axis);
    double slope = tac_dot(axis, tac_point_plane(law, &at)) - still;
    return at.h * still / (mass - at.h * slope);
}

// A mass thrown at the plane: friction is mu times the normal force where the step is short, never
// more than mu times that and the spring's, and nothing slides backwards.
static int friction_of_an_impact_is_bounded(void) {
    for (int i = 0; i < 2240; ++i) {
        double speed = 0.01 * pow(1.6, i % 16), slip = 1e-3 * pow(2.0, i / 16 % 14);
        double mass = 0.3 + 0.1 * (i % 7), h = 1e-5 * pow(2.0, i / 224);
        tacPlaneLaw law = {1000.0, 0.05, 1e-4, 0.2 + 0.3 * (i % 5), 1e-4, 1.0 / mass, 0, 1};
        tacPlaneState at = {.phi = -2e-3, .n = {0.0, 0.0, 1.0}, .v = {slip, 0.0, -speed}, .h = h};
        at.y.z = step_velocity(&law, mass, at, (tacVec3){0.0, 0.0, 1.0});
        at.y.x = step_velocity(&law, mass, at, (tacVec3){1.0, 0.0, 0.0});
        tacVec3 f = tac_point_plane(&law, &at);
        ENSURE(-f.x <= law.mu * (f.z + law.k * 2e-3) * (1.0 + 1e-6));
        ENSURE(at.y.x <= 0.0 && slip + at.y.x >= 0.0);
        if (h < 2e-5 && slip > 1.0) ENSURE_NEAR(-f.x / (law.mu * f.z), 1.0, 0.1);
    }
    return 0;
}

// an impact of 10 m/s in steps of 1 ms by hand: c = 2 N, l = 402 N, rho = 40 kg/s, e = 0.08,
// L = (402 + 0.16)/1.08, b = 2 give h mu L
static int implicit_friction_has_known_values(void) {
    tacPlaneLaw law = {1000.0, 0.05, 0.01, 0.5, 1e-6, 2.0, 0, 1};
    tacPlaneState at = {.phi = -2e-3, .n = {0.0, 0.0, 1.0}, .v = {3.0, 0.0, -10.0}, .h = 1e-3};
    double L = 402.16 / 1.08, b = 2e-3 * L, g = 1.0 / sqrt(1e-4 + 9.0);
    ENSURE_NEAR(tac_point_plane(&law, &at).x, -0.5 * L * g * 3.0, 1e-9);
    at.y.x = -1.0;
    double w = -3.0 / (1e-4 + 9.0 + b * b);
    ENSURE_NEAR(tac_point_plane(&law, &at).x, -0.5 * L * g * ((1.0 - w) * 3.0 - 1.0), 1e-9);
    return 0;
}

// nothing that a scene can hold makes it other than finite
static int extremes_stay_finite(void) {
    const double phi[] = {0.0, 1e9, -1e9, 1e-300}, v[] = {0.0, 1e-200, 1e9, -1e9};
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k)
            for (int j = 0; j < 4; ++j) {
                tacPlaneLaw law = {j & 1 ? 1e15 : 1e-9,
                                   j & 1 ? 1e-6 : 1e6,
                                   j & 1 ? 1e-9 : 1e6,
                                   1e9,
                                   j & 2 ? 1e-9 : 1e6,
                                   j & 1 ? 1e9 : 1e-9,
                                   0,
                                   1};
                tacPlaneState at = {
                    phi[i], {0.0, 0.0, 1.0}, {v[k], 0.0, v[k]}, {v[k], 0.0, v[k]}, 0.01};
                tacPlaneLaw law_bar = {0};
                tacPlaneState bar = {0};
                tacVec3 f = tac_point_plane(&law, &at);
                tac_point_plane_vjp(&law, &at, (tacVec3){1.0, 1.0, 1.0}, &law_bar, &bar);
                ENSURE(isfinite(f.x) && isfinite(f.z));
                ENSURE(isfinite(bar.phi) && isfinite(bar.n.x) && isfinite(bar.v.x));
                ENSURE(isfinite(law_bar.eps) && isfinite(law_bar.v_d) && isfinite(law_bar.v_s));
            }
    return 0;
}

int main(int argc, char** argv) {
    const testCase cases[] = {RUN(smooth_law_has_its_derivatives),
                              RUN(reference_law_has_its_derivatives),
                              RUN(implicit_force_has_its_derivatives),
                              RUN(smooth_law_is_smooth_at_rest),
                              RUN(friction_and_power_are_bounded),
                              RUN(known_values_come_out),
                              RUN(implicit_force_is_of_first_order),
                              RUN(friction_of_an_impact_is_bounded),
                              RUN(implicit_friction_has_known_values),
                              RUN(extremes_stay_finite),
                              RUN(prove_summary)};
    return test_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases));
}
