// Sweeps: against brute force, against superquadrics, straight and point splines, ends and counts.

#include "shape/prove_shapes.h"
#include "shape/shape_scenes.h"
#include "test.h"

static double value_at(const tacModel* m, const char* shape, const double x[3], tacScratch* s) {
    double value = NAN;
    tac_shape_eval(m, tac_shape_find(m, shape), tac_pose_identity(),
                   (tacPoints){1, {&x[0], &x[1], &x[2]}}, (tacField){.value = &value}, s);
    return value;
}

// distance of x to the spline through t in [0, 1], by sampling and golden section
static double curve_distance(const double p[9], const double x[3]) {
    double best = INFINITY, at = 0.0;
    for (int round = 0, n = 4000; round < 3; ++round, n = 400) {
        double from = round ? at - 2.0 / pow(200.0, round) / 20.0 : 0.0;
        double to = round ? at + 2.0 / pow(200.0, round) / 20.0 : 1.0;
        for (int i = 0; i <= n; ++i) {
            double t = fmin(fmax(from + (to - from) * i / n, 0.0), 1.0), square = 0.0;
            for (int k = 0; k < 3; ++k) {
                double c = (1 - t) * (1 - t) * p[k] + 2 * t * (1 - t) * p[3 + k] + t * t * p[6 + k];
                square += (x[k] - c) * (x[k] - c);
            }
            if (square < best) {
                best = square;
                at = t;
            }
        }
    }
    return sqrt(best);
}

static tacModel* load_tube(const double p[9], double radius, double smooth) {
    char text[600];
    snprintf(text, sizeof text,
             "<shape name='tube'><sweep points='%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g "
             "%.17g' size='%g %g %g' eps='1 1' smooth='%g'/></shape>",
             p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], radius, radius, radius, smooth);
    return load_shapes(text);
}

// a round tube is the distance to its curve less the radius
static int round_tube_is_the_distance_to_its_curve(void) {
    const double splines[][9] = {{-.5, 0, 0, 0, .9, .1, .5, 0, .2},       // a bend
                                 {-.3, 0, 0, 0, 1.4, 0, .3, 0, 0},        // a tight one
                                 {0, 0, 0, .5, 0, 0, .6, .5, .1},         // vertex near the end
                                 {-.5, 0, 0, 0, .1, .05, .5, .2, .1},     // straight
                                 {-.5, 0, 0, .2, .14, .07, .5, .2, .1},   // uneven
                                 {-.5, 0, 0, 0, .1001, .05, .5, .2, .1}}; // nearly straight
    testRandom random = {5};
    double worst = 0.0, surface = 0.0;
    for (int i = 0; i < 6; ++i) {
        const double *p = splines[i], radius = .08, tau = .0005;
        tacModel* m = load_tube(p, radius, tau);
        tacScratch* scratch = make_scratch(m);
        for (int k = 0; k < 400; ++k) {
            double x[3] = {test_uniform(&random, -1.2, 1.2), test_uniform(&random, -1.2, 1.2),
                           test_uniform(&random, -.8, .8)};
            double exact = curve_distance(p, x) - radius, phi = value_at(m, "tube", x, scratch);
            if (exact < -0.9 * radius) continue; // the core
            double gap = fabs(phi - exact);
            worst = fmax(worst, gap);
            if (fabs(exact) < 0.05) surface = fmax(surface, gap);
            if (gap > 1e-3)
                printf("  spline %d at %g %g %g: %g, exact %g\n", i, x[0], x[1], x[2], phi, exact);
        }
        tac_scratch_destroy(scratch);
        tac_model_destroy(m);
    }
    printf("  largest gap %.2g m, within 0.05 m of the surface %.2g m; radius 0.08 m\n", worst,
           surface);
    ENSURE(worst < 1e-3);
    ENSURE(surface < 5e-4);
    return 0;
}

// a sweep of a point is the superquadric
static int point_is_a_superquadric(void) {
    tacModel* m = load_shapes(
        "<shape name='s'><sweep points='.1 .2 .3 .1 .2 .3 .1 .2 .3' size='.3 .2 .5' eps='.6 .4'"
        " smooth='.01' euler='10 20 30'/></shape>"
        "<shape name='q'><union euler='10 20 30'><superquadric pos='.1 .2 .3' size='.3 .2 .5'"
        " eps='.6 .4'/></union></shape>"
        "<shape name='sr' distance='radial'><sweep points='.1 .2 .3 .1 .2 .3 .1 .2 .3'"
        " size='.3 .2 .5' eps='1.5 .7' smooth='.01'/></shape>"
        "<shape name='qr' distance='radial'><superquadric pos='.1 .2 .3' size='.3 .2 .5'"
        " eps='1.5 .7'/></shape>");
    tacScratch* scratch = make_scratch(m);
    testRandom random = {7};
    for (int i = 0; i < 2000; ++i) {
        double x[3], reach = i % 3 ? 1.0 : 0.02;
        for (int k = 0; k < 3; ++k) x[k] = .1 * (k + 1) + test_uniform(&random, -reach, reach);
        ENSURE_NEAR(value_at(m, "s", x, scratch), value_at(m, "q", x, scratch), 1e-13);
        ENSURE_NEAR(value_at(m, "sr", x, scratch), value_at(m, "qr", x, scratch), 1e-13);
    }
    tac_scratch_destroy(scratch);
    tac_model_destroy(m);
    return 0;
}

// coincident feet do not inflate: on the surface the value is 0 at any temperature
static int equal_feet_count_once(void) {
    const double p[9] = {-.5, 0, 0, 0, .3, 0, .5, 0, 0};
    const double temperatures[] = {1e-4, 1e-2, 1e-1};
    for (int i = 0; i < 3; ++i) {
        tacModel* m = load_tube(p, .1, temperatures[i]);
        tacScratch* scratch = make_scratch(m);
        double top[3] = {0, .15, .1},
               start[3] = {-.5 - .1 / sqrt(1.36), -.06 / sqrt(1.36) * 1.0, 0};
        start[0] = -.5 - .1 * .5 / hypot(.5, .3);
        start[1] = -.1 * .3 / hypot(.5, .3);
        ENSURE_NEAR(value_at(m, "tube", top, scratch), 0.0, 1e-9);
        ENSURE_NEAR(value_at(m, "tube", start, scratch), 0.0, 1e-4);
        tac_scratch_destroy(scratch);
        tac_model_destroy(m);
    }
    return 0;
}

// size, exponents, planes and twist at the two ends are those that were asked for
static int ends_have_the_given_parameters(void) {
    tacModel* m =
        load_shapes("<shape name='s' smooth='1e-5'><sweep points='0 0 0 0 0 1 0 0 2' up='0 1 0'"
                    " size='.3 .2 .01 .2 .2 .01 .1 .4 .01' eps='.1 .1 .1 .1 .1 .1' twist='0 0 90'>"
                    "<plane normal='1 0 0' offset='.25 .2 .05'/></sweep></shape>");
    tacScratch* scratch = make_scratch(m);
    // start: x in [-.3, .25], y in +-.2; end: turned by 90 degrees, so its x axis is the world's y
    double low[3] = {.24, .19, .0}, cut[3] = {.26, 0, .0}, other[3] = {-.29, 0, .0};
    double high[3] = {.38, .04, 2}, over[3] = {0, .06, 2}, under[3] = {0, -.09, 2};
    ENSURE(value_at(m, "s", low, scratch) < 0.0);
    ENSURE(value_at(m, "s", cut, scratch) > 0.0);
    ENSURE(value_at(m, "s", other, scratch) < 0.0);
    ENSURE(value_at(m, "s", high, scratch) < 0.0);
    ENSURE(value_at(m, "s", over, scratch) > 0.0);
    ENSURE(value_at(m, "s", under, scratch) < 0.0);
    tac_scratch_destroy(scratch);
    tac_model_destroy(m);
    return 0;
}

// splines of 1e-4 to 1e-9 of the size: derivatives as good as the rounding of a foot lets them be
static int short_splines_have_their_derivatives(void) {
    return prove_shapes(
        load_shapes(
            "<shape name='short'><sweep points='.1 .2 .3  .1 .20000001 .3  .10000001 .2 .3'"
            " size='.3 .2 .5' eps='.6 .4' smooth='.01'/></shape>"
            "<shape name='less'><sweep points='0 0 0 1e-4 0 0 1e-4 1e-4 0' size='.3 .2 .5'"
            " eps='.6 .4' smooth='.01'/></shape><shape name='least'><sweep points='0 0 0 1e-9 0 0"
            " 1e-9 1e-9 0' size='.3 .2 .5' eps='.6 .4' smooth='.01'/></shape>"),
        300);
}

TEST_MAIN(RUN(round_tube_is_the_distance_to_its_curve), RUN(point_is_a_superquadric),
          RUN(equal_feet_count_once), RUN(ends_have_the_given_parameters),
          RUN(short_splines_have_their_derivatives))
