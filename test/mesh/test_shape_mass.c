// Mass properties: closed forms, and an error estimate that holds.

#include "mesh/random_shapes.h"
#include "shape/shape_scenes.h"
#include "test.h"

#include <time.h>

#define PI 3.14159265358979323846

static double beta(double a, double b) { return exp(lgamma(a) + lgamma(b) - lgamma(a + b)); }

// a superquadric in its own frame (Jaklic, Leonardis, Solina 2000), density 1
static tacMass closed_form(const double a[3], double e1, double e2) {
    double abc = a[0] * a[1] * a[2];
    double across = 0.5 * abc * e1 * e2 * beta(1.5 * e2, 0.5 * e2) * beta(0.5 * e1, 2 * e1 + 1);
    double along = 2.0 * abc * e1 * e2 * beta(0.5 * e2, 0.5 * e2 + 1) * beta(1.5 * e1, e1 + 1);
    double xx = across * a[0] * a[0], yy = across * a[1] * a[1], zz = along * a[2] * a[2];
    tacMass m = {.volume = 2.0 * abc * e1 * e2 * beta(0.5 * e1 + 1, e1) * beta(0.5 * e2, 0.5 * e2)};
    m.mass = m.volume;
    m.inertia[0] = yy + zz;
    m.inertia[1] = xx + zz;
    m.inertia[2] = xx + yy;
    return m;
}

static double mass_difference(const tacMass* a, const tacMass* b) {
    double trace = b->inertia[0] + b->inertia[1] + b->inertia[2], gyration = sqrt(trace / b->mass);
    double worst = fabs(a->volume / b->volume - 1.0);
    for (int k = 0; k < 3; ++k) worst = fmax(worst, fabs(a->center[k] - b->center[k]) / gyration);
    for (int k = 0; k < 6; ++k) worst = fmax(worst, fabs(a->inertia[k] - b->inertia[k]) / trace);
    return worst;
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int mass_of(const char* shapes, double tolerance, tacMass* out) {
    tacModel* model = load_shapes(shapes);
    tacMessage message;
    tacResult result = tac_shape_mass(model, 0, 1.0, tolerance, out, &message);
    if (result != TAC_OK) printf("  %s\n", message.text);
    tac_model_destroy(model);
    ENSURE(result == TAC_OK);
    return 0;
}

// result and estimate against the closed form
static int superquadric_agrees(const double a[3], double e1, double e2, double tolerance,
                               double bound) {
    char text[256];
    snprintf(text, sizeof text,
             "<shape name='s'><superquadric size='%.17g %.17g %.17g' eps='%.17g %.17g'/></shape>",
             a[0], a[1], a[2], e1, e2);
    tacMass mass, exact = closed_form(a, e1, e2);
    double begin = cpu_seconds();
    ENSURE_LAW(mass_of(text, tolerance, &mass));
    double error = mass_difference(&mass, &exact);
    printf("  eps %.2g %.2g: error %.1e, estimate %.1e, %.2f s\n", e1, e2, error, mass.error,
           cpu_seconds() - begin);
    // ridges of exponents above 1 are rounded (docs/shapes.md): there the closed form is not met
    double rounding = 0.01 * fmax(0.0, fmax(e1, e2) - 1.0);
    ENSURE(error <= mass.error + rounding);
    ENSURE(mass.error <= bound);
    return 0;
}

static int sphere_has_its_closed_form(void) {
    tacMass mass;
    ENSURE_LAW(mass_of("<shape name='s'><sphere size='.5' pos='.1 .2 .3'/></shape>", 1e-7, &mass));
    double volume = 4.0 / 3.0 * PI * 0.125;
    ENSURE_NEAR(mass.volume, volume, 1e-7 * volume);
    ENSURE_NEAR(mass.center[0], 0.1, 1e-7);
    ENSURE_NEAR(mass.center[1], 0.2, 1e-7);
    ENSURE_NEAR(mass.center[2], 0.3, 1e-7);
    for (int k = 0; k < 6; ++k)
        ENSURE_NEAR(mass.inertia[k], k < 3 ? 0.4 * volume * 0.25 : 0.0, 1e-7);
    ENSURE(mass.error <= 1e-7);
    return 0;
}

static int superquadrics_have_their_closed_forms(void) {
    const double a[3] = {0.3, 0.2, 0.5}, flat[3] = {1.0, 0.2, 0.05};
    static const double eps[][2] = {{1, 1},    {.6, .4},   {.1, 1}, {.1, .1},
                                    {.5, 1.5}, {1.9, 1.5}, {2, 2},  {2, .1}};
    double tolerance = 1e-4 * test_amount(40, 4, 1);
    for (int i = 0; i < (int)(sizeof eps / sizeof eps[0]); i += test_amount(4, 1, 1))
        ENSURE_LAW(superquadric_agrees(a, eps[i][0], eps[i][1], tolerance, 5e-3));
    ENSURE_LAW(superquadric_agrees(flat, 1.0, 1.0, tolerance, 5e-3));
    ENSURE_LAW(superquadric_agrees(flat, 0.3, 0.3, tolerance, 5e-3));
    return 0;
}

// Random exponents from 0.1 to 1, where the closed form is met exactly, and sides to 10 : 1 at
// several tolerances: the stated error is above the true one every time.
static int stated_error_bounds_the_true_one(void) {
    int count = test_amount(2, 16, 48);
    double worst = 0.0;
    shapeDice dice = {0x9E3779B97F4A7C15u, NULL, 0, 0};
    for (int i = 0; i < count; ++i) {
        char text[256];
        double a[3], e1 = fmin(1.0, roll_exponent(&dice)), e2 = fmin(1.0, roll_exponent(&dice));
        for (int k = 0; k < 3; ++k) a[k] = pow(10.0, -roll(&dice));
        snprintf(text, sizeof text,
                 "<shape name='s'><superquadric size='%.17g %.17g %.17g' eps='%.17g %.17g'"
                 " pos='.1 .2 .3'/></shape>",
                 a[0], a[1], a[2], e1, e2);
        tacMass mass, exact = closed_form(a, e1, e2);
        for (int k = 0; k < 3; ++k) exact.center[k] = 0.1 * (k + 1);
        ENSURE_LAW(mass_of(text, pow(10.0, -1.0 - i % 3), &mass));
        double share = mass_difference(&mass, &exact) / mass.error;
        if (share > 1.0)
            printf("  %s: error %.1e, stated %.1e\n", text, mass_difference(&mass, &exact),
                   mass.error);
        worst = fmax(worst, share);
    }
    printf("  %d solids: true error at most %.2f of the stated one\n", count, worst);
    ENSURE(worst <= 1.0);
    return 0;
}

// box, cylinder and capsule: closed forms, less the rounding of their edges (2 % of the least size)
static int primitives_have_their_closed_forms(void) {
    static const struct {
        const char* shape;
        double volume, inertia[3]; // of density 1
    } known[] = {
        {"<shape name='s'><box size='.3 .2 .5'/></shape>",
         0.24,
         {0.08 * (0.04 + 0.25), 0.08 * (0.09 + 0.25), 0.08 * (0.09 + 0.04)}},
        {"<shape name='s'><cylinder size='.2 .3'/></shape>",
         PI * 0.04 * 0.6,
         {PI * 0.024 * (0.01 + 0.03), PI * 0.024 * (0.01 + 0.03), PI * 0.024 * 0.02}},
        {"<shape name='s'><capsule size='.2 .3'/></shape>",
         PI * 0.04 * 0.6 + 4.0 / 3.0 * PI * 0.008,
         {0}},
    };
    for (int i = 0; i < (int)(sizeof known / sizeof known[0]); ++i) {
        tacMass mass;
        ENSURE_LAW(mass_of(known[i].shape, 1e-3, &mass));
        double loose = mass.error + 2e-3;
        ENSURE_NEAR(mass.volume, known[i].volume, loose * known[i].volume);
        double trace = mass.inertia[0] + mass.inertia[1] + mass.inertia[2];
        for (int k = 0; k < 3 && known[i].inertia[0] > 0.0; ++k)
            ENSURE_NEAR(mass.inertia[k], known[i].inertia[k], loose * trace);
    }
    return 0;
}

// two balls of radius R, centres d apart: pi (4 R + d)(2 R - d)^2/12
static int lens_has_its_closed_form(void) {
    tacMass mass;
    ENSURE_LAW(
        mass_of("<shape name='s' smooth='1e-9'><intersection><sphere size='.5' pos='.2 0 0'/>"
                "<sphere size='.5' pos='-.2 0 0'/></intersection></shape>",
                1e-4, &mass));
    double volume = PI * 2.4 * 0.36 / 12.0;
    printf("  lens: error %.1e, estimate %.1e\n", fabs(mass.volume / volume - 1.0), mass.error);
    ENSURE(mass.error <= 1e-3);
    ENSURE_NEAR(mass.volume, volume, mass.error * volume);
    for (int k = 0; k < 3; ++k) ENSURE_NEAR(mass.center[k], 0.0, mass.error);
    return 0;
}

// a ball with an empty ball inside
static int cavity_is_taken_off(void) {
    tacMass mass;
    ENSURE_LAW(mass_of("<shape name='s' smooth='1e-6'><difference><sphere size='.5'/>"
                       "<sphere size='.25' pos='.1 0 0'/></difference></shape>",
                       1e-7, &mass));
    double outer = 4.0 / 3.0 * PI * 0.125, inner = outer / 8.0;
    ENSURE_NEAR(mass.volume, outer - inner, 1e-7);
    ENSURE_NEAR(mass.center[0], -0.1 * inner / (outer - inner), 1e-7);
    return 0;
}

// a turned and shifted solid: the same volume, the turned tensor
static int estimate_holds_on_the_zoo(void) {
    tacModel* model = load_zoo();
    int plane = tac_shape_find(model, "plane");
    for (int i = 0; i < model->nshape; i += test_amount(17, 3, 1)) {
        tacMass rough, fine;
        if (i == plane) continue;
        ENSURE(tac_shape_mass(model, i, 2.0, 1e-2, &rough, NULL) == TAC_OK);
        ENSURE(tac_shape_mass(model, i, 2.0, 1e-4 * test_amount(20, 10, 5), &fine, NULL) == TAC_OK);
        printf("  %s: volume %.9g, error %.1e of %.1e, then %.1e\n", model->shape[i].name,
               fine.volume, mass_difference(&rough, &fine), rough.error, fine.error);
        ENSURE(mass_difference(&rough, &fine) <= rough.error);
        ENSURE(fine.error <= 4e-3);
        ENSURE_NEAR(fine.mass, 2.0 * fine.volume, 1e-12);
    }
    tac_model_destroy(model);
    return 0;
}

// the box around a cloud is far wider than the cloud, of which little is proven
static int clouds_have_mass(void) {
    tacMass rough, fine;
    const char* cloud = "<shape name='c'><cloud width='.15' points='.2 0 0 -.2 0 0 0 .2 0 0 -.2 0 "
                        "0 0 .2 0 0 -.2 .4 0 0' normals='1 0 0 -1 0 0 0 1 0 0 -1 0 0 0 1 0 0 -1 "
                        "1 0 0'/></shape>";
    ENSURE_LAW(mass_of(cloud, 1e-2, &rough));
    double tolerance = 3e-4 * test_amount(10, 1, 1);
    ENSURE_LAW(mass_of(cloud, tolerance, &fine));
    ENSURE(fine.error <= tolerance);
    ENSURE(mass_difference(&rough, &fine) <= rough.error);
    return 0;
}

// far from the frame's origin: the same solid, only moved
static int far_solids_have_the_same_mass(void) {
    tacMass near, far;
    ENSURE_LAW(mass_of("<shape name='b'><box size='.1 .1 .1'/></shape>", 1e-3, &near));
    ENSURE_LAW(mass_of("<shape name='b'><box size='.1 .1 .1' pos='1e5 0 0'/></shape>", 1e-3, &far));
    ENSURE_NEAR(far.center[0] - 1e5, near.center[0], 1e-8);
    far.center[0] = near.center[0];
    ENSURE_NEAR(mass_difference(&near, &far), 0.0, 1e-6);
    return 0;
}

static void count_call(void* user, double done) {
    double* last = user; // falls below 0 where the shares do not rise
    *last = done >= *last && done <= 1.0 ? done : -1.0;
}

static int progress_increases(void) {
    tacModel* model = load_shapes("<shape name='b'><box size='.1 .1 .1'/></shape>");
    tacMass mass;
    double last = 0.0;
    ENSURE(tac_shape_mass_with_progress(model, 0, 1.0, 1e-3, count_call, &last, &mass, NULL) ==
           TAC_OK);
    ENSURE(last > 0.0);
    tac_model_destroy(model);
    return 0;
}

static int wrong_calls_are_refused(void) {
    tacModel* model = load_shapes(shape_zoo);
    tacMass mass = {.volume = -7.0};
    tacMessage message;
    ENSURE(tac_shape_mass(model, -1, 1.0, 1e-3, &mass, &message) == TAC_ERROR_VALUE);
    ENSURE(tac_shape_mass(NULL, 0, 1.0, 1e-3, &mass, NULL) == TAC_ERROR_VALUE);
    ENSURE(tac_shape_mass(model, 0, 0.0, 1e-3, &mass, &message) == TAC_ERROR_VALUE);
    ENSURE(tac_shape_mass(model, 0, NAN, 1e-3, &mass, NULL) == TAC_ERROR_VALUE);
    ENSURE(tac_shape_mass(model, 0, 1.0, 0.0, &mass, NULL) == TAC_ERROR_VALUE);
    ENSURE(tac_shape_mass(model, 0, 1.0, 1e-3, NULL, NULL) == TAC_ERROR_VALUE);
    int plane = tac_shape_find(model, "plane");
    ENSURE(tac_shape_mass(model, plane, 1.0, 1e-3, &mass, &message) == TAC_ERROR_VALUE);
    ENSURE(strstr(message.text, "unbounded"));
    ENSURE(mass.volume == -7.0);
    tac_model_destroy(model);
    model = load_shapes(
        "<shape name='none' check='false' smooth='.01'><intersection><sphere size='.1'/>"
        "<sphere size='.1' pos='1 0 0'/></intersection></shape>");
    ENSURE(tac_shape_mass(model, 0, 1.0, 1e-3, &mass, &message) != TAC_OK);
    ENSURE(strstr(message.text, "'none'"));
    tac_model_destroy(model);
    return 0;
}

TEST_MAIN(RUN(far_solids_have_the_same_mass), RUN(progress_increases),
          RUN(sphere_has_its_closed_form), RUN(superquadrics_have_their_closed_forms),
          RUN(stated_error_bounds_the_true_one), RUN(primitives_have_their_closed_forms),
          RUN(lens_has_its_closed_form), RUN(cavity_is_taken_off), RUN(clouds_have_mass),
          RUN(estimate_holds_on_the_zoo), RUN(wrong_calls_are_refused))
