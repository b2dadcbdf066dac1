// The scalar functions: reference numbers, limits, symmetries, smoothness, extremes.

#include "smooth/smooth_laws.h"
#include "smooth/soft.inl"

// relative to the value, with room for a last digit that is lost near 0
#define ENSURE_DIGITS(actual, expected, digits)                                                    \
    ENSURE_NEAR(actual, expected, (digits)*0x1p-52 * fabs(expected) + 1e-300)

//---------------------------------- outside truth ----------------------------------

// mpmath, 60 digits: sigma((x - a) / tau), its derivatives by x and tau
static const double greater_table[][6] = {
    {0.3, 0, 0.1, 0.95257412682243320658, 0.45176659730912141491, -1.3552997919273641193},
    {-0.7, 0.2, 0.05, 1.5229979512760374307e-8, 3.0459958561616195006e-7, 5.4827925410909145938e-6},
    {1e-12, 0, 1, 0.50000000000025, 0.25, -2.4999999999999999497e-13},
    {25, 1, 0.5, 1.0, 2.8503281654818702126e-21, -1.368157519431297702e-19},
    {-3, -3, 7, 0.5, 0.035714285714285714286, 0.0},
    {-40, 1, 0.125, 3.5596716168395205006e-143, 2.8477372934716164005e-142,
     9.3405783225869017936e-140}};

// mpmath, 60 digits: tanh(x / tau); tau log(1 + exp(x / tau)); and the sum of that for x and -x
static const double sign_table[][5] = {
    {0.3, 0.1, 0.99505475368673044859, 0.098660371654401961751, -0.29598111496320585787},
    {-0.7, 0.05, -0.99999999999861711998, 5.5315200855445310955e-11, 7.7441281197623426125e-10},
    {1e-12, 1, 9.9999999999999997989e-13, 1.0, -9.9999999999999997989e-13},
    {25, 0.5, 1.0, 2.9760607808166687704e-43, -1.4880303904083343852e-41},
    {0, 3, 0.0, 0.33333333333333333333, 0.0},
    {1e-5, 1e4, 1.0000000000000000815e-9, 0.0000999999999999999999, -1.0000000000000000808e-13}};
static const double relu_table[][5] = {
    {0.3, 0.1, 0.30485873515737419636, 0.95257412682243320658, 0.19086497110644243901},
    {-0.7, 0.05, 4.157641866918778093e-8, 8.3152802766413352656e-7, 0.00001247292076068162356},
    {1e-12, 1, 0.69314718056044530942, 0.50000000000025, 0.69314718055994530942},
    {25, 0.5, 25.0, 1.0, 9.8366242246159806934e-21},
    {-20, 0.5, 2.1241771276457944932e-18, 4.2483542552915889773e-18, 1.7418252446695514808e-16},
    {0, 3, 2.0794415416798359283, 0.5, 0.69314718055994530942},
    {1e-5, 1e4, 6931.4718105994530954, 0.50000000025, 0.69314718055994530929}};
static const double abs_table[][5] = {
    {0.3, 0.1, 0.30971747031474840382, 0.90514825364486641316, 0.38172994221288487803},
    {-0.7, 0.05, 0.70000008315283729397, -0.99999833694394467173, 0.000024945841521363247119},
    {1e-12, 1, 1.3862943611198906188, 4.9999999999999998994e-13, 1.3862943611198906188},
    {25, 0.5, 25.0, 1.0, 1.9673248449231961387e-20},
    {0, 3, 4.1588830833596718565, 0.0, 1.3862943611198906188},
    {1e-5, 1e4, 13862.943611198906191, 5.0000000000000004086e-10, 1.3862943611198906186}};

// mpmath, 80 digits: lower + relu(x - lower) - relu(x - upper), and its four derivatives
static const double clip_table[][9] = {
    {0.3, 0, 1, 0.1, 0.30476758851199677186, 0.95166307562803256097, 0.047425873177566793418,
     0.0009110511944006456105, 0.18357614629186367505},
    {0, 0, 1, 0.1, 0.069310178166072848322, 0.49995460213129756558, 0.5, 0.000045397868702434419705,
     0.69264780297370410057},
    {1, 0, 1, 0.1, 0.93068982183392715168, 0.49995460213129756558, 0.000045397868702434419705, 0.5,
     -0.69264780297370410057},
    {-0.4, 0, 1, 0.1, 0.0018149096389436357608, 0.017985378434063893894, 0.98201379003790844197,
     8.3152802766413260338e-7, 0.090082294845415290852},
    {1e16, 0, 1, 0.1, 1.0, 0.0, 0.0, 1.0, 0.0},
    {2.5, 0, 1, 0.1, 0.99999996941116142301, 3.058883389817602087e-7, 1.3887943864771164883e-11,
     0.99999969409777307438, -4.8940745910576110371e-6},
    {0.2, 0, 1, 1e10, 0.4999999999925, 2.5e-11, 0.499999999995, 0.49999999998, 7.5e-22},
    {0.2, 0, 1, 1e4, 0.499992500000002125, 0.000024999999989166666674, 0.49999500000000016667,
     0.49998000000001066667, 7.499999993624999727e-10},
    {0.5, -1, 0.25, 3, -0.28481400263440332709, 0.10163804582911158958, 0.37754066879814543536,
     0.52082128537274297506, -0.029432559364666476762},
    {0.7, 0.5, 0.5000001, 0.02, 0.50000009999546014915, 2.2697960595730692598e-10,
     0.000045397868702434504754, 0.99995460190431795954, -2.2697954921235812828e-9},
    {12345.678, 12345, 12346, 0.25, 12345.63317538400304, 0.72153951004542383058,
     0.062268966006514626914, 0.21619152394806154251, -0.28887971102293808411}};

// mpmath, 80 digits: sigma((x - lower) / tau) sigma((upper - x) / tau), and its four derivatives
static const double within_table[][9] = {
    {0.3, 0, 1, 0.1, 0.95170628302643647674, 0.44268448335235428653, -0.45135501481105262436,
     0.0086705314586983378235, -1.4147587646440461102},
    {0, 0, 1, 0.1, 0.49997730106564878279, 2.4996595262895640167, -2.4998865053282437752,
     0.00022697903867975846855, -0.0022697903867975845595},
    {-0.4, 0, 1, 0.1, 0.017986195006053863096, 0.17662676570230596126, -0.17662691526255854692,
     1.495602525856643952e-7, 0.70650556720669798838},
    {2.5, 0, 1, 0.1, 3.0590222692137662691e-7, -3.0590213334095582021e-6,
     -4.2483529555925689554e-17, 3.0590213334520417317e-6, 0.000045885320000718535189},
    {0.5, -1, 0.25, 3, 0.29826926223304673294, -0.014245401266000418566, -0.037536258915131295129,
     0.051781660181131713695, -0.014452991109138004757},
    {12345.678, 12345, 12346, 0.25, 0.73500153270104226766, -0.45253326401720787389,
     -0.18307114181798939958, 0.63560440583519727348, -1.3151474113263320671}};

static int greater_matches_reference(void) {
    for (int i = 0; i < COUNT(greater_table); ++i) {
        const double* r = greater_table[i];
        double x_bar = 0, a_bar = 0, tau_bar = 0;
        tac_soft_greater_vjp(r[0], r[1], r[2], 1.0, &x_bar, &a_bar, &tau_bar);
        double range = 4 + fabs(r[0] - r[1]) / r[2];
        ENSURE_DIGITS(tac_soft_greater(r[0], r[1], r[2]), r[3], range);
        ENSURE_DIGITS(tac_soft_less(r[1], r[0], r[2]), r[3], range);
        ENSURE_DIGITS(x_bar, r[4], range);
        ENSURE_DIGITS(a_bar, -r[4], range);
        ENSURE_DIGITS(tau_bar, r[5], 2 * range);
    }
    return 0;
}

// 4 ulp, and one more for each unit of x / tau (rounding of the exponent)
static int matches_pair(const softMap* m, const double (*table)[5], int count) {
    for (int i = 0; i < count; ++i) {
        const double* r = table[i];
        double y, one = 1.0, bar[2] = {0, 0}, range = 4 + 2 * fabs(r[0]) / r[1];
        ENSURE(map_value(m, r, &y) == 0 && map_vjp(m, r, &one, bar) == 0);
        ENSURE_DIGITS(y, r[2], range);
        ENSURE_DIGITS(bar[0], r[3], range);
        ENSURE_DIGITS(bar[1], r[4], range);
    }
    return 0;
}

static int sign_relu_abs_match_reference(void) {
    ENSURE_LAW(matches_pair(&scalar_maps[2], sign_table, COUNT(sign_table)));
    ENSURE_LAW(matches_pair(&scalar_maps[3], relu_table, COUNT(relu_table)));
    ENSURE_LAW(matches_pair(&scalar_maps[4], abs_table, COUNT(abs_table)));
    ENSURE_NEAR(tac_soft_sign(0.7, 1.0), 0.604, 5e-4); // P1-01: not sigma(2x) - 1
    return 0;
}

static int matches_bounds(const softMap* m, const double (*table)[9], int count) {
    for (int i = 0; i < count; ++i) {
        const double* r = table[i];
        double y, one = 1.0, bar[4] = {0};
        double ratio = fabs(r[0] - r[1]) / r[3], range = 8 + 4 * fmin(ratio, 1e3);
        ENSURE(map_value(m, r, &y) == 0 && map_vjp(m, r, &one, bar) == 0);
        ENSURE_DIGITS(y, r[4], range);
        for (int j = 0; j < 3; ++j) ENSURE_NEAR(bar[j], r[5 + j], 1e-14 * fabs(r[5 + j]) + 1e-26);

        // d_tau is a difference of nearly equal terms where tau is large
        double tolerance = 1e-13 * fabs(r[8]) + 1e-15 * fmin(1.0, (r[2] - r[1]) / r[3]);
        ENSURE_NEAR(bar[3], r[8], tolerance);
    }
    return 0;
}

static int clip_matches_reference(void) {
    return matches_bounds(&scalar_maps[5], clip_table, COUNT(clip_table));
}
static int within_matches_reference(void) {
    return matches_bounds(&scalar_maps[6], within_table, COUNT(within_table));
}

// log(1 + E) and 1 - exp(-a) keep their digits however small the argument is
static int small_arguments_keep_their_digits(void) {
    double worst = 0.0;
    for (double e = 1e-300; e <= 1.0; e *= 1.37) {
        double log1p_e = w_lane(soft_log1p(w_set(e)), 0);
        double fall = w_lane(soft_one_minus(w_set(e), w_exp(w_set(-e))), 0);
        worst = fmax(worst, fabs(log1p_e / log1p(e) - 1.0));
        worst = fmax(worst, fabs(fall / -expm1(-e) - 1.0));
    }
    printf("  largest relative error %.2g ulp\n", worst * 0x1p52);
    ENSURE(worst <= 3.0 * 0x1p-52);
    return 0;
}

//---------------------------------- limits and symmetries ----------------------------------

// as tau goes to 0: error exp(-|x| / tau), tau log 2 and so on, as the header promises
static int hard_limits(void) {
    static const double xs[] = {-2.0, -0.3, -0.01, 0.01, 0.4, 3.0};
    for (double tau = 1.0; tau > 1e-9; tau *= 0.5)
        for (int i = 0; i < COUNT(xs); ++i) {
            double x = xs[i], e = exp(-fabs(x) / tau), tiny = 1e-15;
            ENSURE_NEAR(tac_soft_greater(x, 0.0, tau), x > 0.0, e + tiny);
            ENSURE_NEAR(tac_soft_sign(x, tau), x > 0.0 ? 1.0 : -1.0, 2.0 * e * e + tiny);
            ENSURE_NEAR(tac_soft_relu(x, tau), fmax(x, 0.0), tau * e + tiny);
            ENSURE_NEAR(tac_soft_abs(x, tau), fabs(x), 2.0 * tau * e + tiny);
            tacBounds b = {x, -0.5, 0.5, tau};
            double near = fmin(fabs(x - 0.5), fabs(x + 0.5));
            ENSURE_NEAR(tac_soft_clip(b), fmin(fmax(x, -0.5), 0.5), tau * exp(-near / tau) + tiny);
            ENSURE_NEAR(tac_soft_within(b), fabs(x) < 0.5, 2.0 * exp(-near / tau) + tiny);
        }
    ENSURE_NEAR(tac_soft_relu(0.0, 2.0), 2.0 * log(2.0), 1e-15);
    return 0;
}

static int odd_even_and_mirror_symmetries_hold(void) {
    testRandom random = {2};
    for (int i = 0; i < 2000; ++i) {
        double x = test_uniform(&random, -3.0, 3.0), a = test_uniform(&random, -1.0, 1.0);
        double tau = pow(10.0, test_uniform(&random, -3.0, 3.0)), w = test_uniform(&random, 0, 2);
        ENSURE_NEAR(tac_soft_greater(x, a, tau) + tac_soft_less(x, a, tau), 1.0, 3e-16);
        ENSURE(tac_soft_sign(-x, tau) == -tac_soft_sign(x, tau));
        ENSURE_NEAR(tac_soft_relu(x, tau) - tac_soft_relu(-x, tau), x, 1e-15 * (3.0 + tau));
        ENSURE_NEAR(tac_soft_abs(x, tau), tac_soft_relu(x, tau) + tac_soft_relu(-x, tau),
                    1e-15 * (6.0 + tau));

        // reflected about the middle; moved with its bounds: d_x + d_lower + d_upper = 1
        tacBounds b = {x, a, a + w, tau}, mirror = {-x, -a - w, -a, tau}, bar = {0, 0, 0, 0};
        ENSURE_NEAR(tac_soft_clip(b), -tac_soft_clip(mirror), 2e-15 * (4.0 + w));
        ENSURE_NEAR(tac_soft_within(b), tac_soft_within(mirror), 1e-15 + 1e-15 * fabs(x) / tau);
        tac_soft_clip_vjp(b, 1.0, &bar);
        ENSURE_NEAR(bar.x + bar.lower + bar.upper, 1.0, 1e-14);
        ENSURE(tac_soft_clip(b) >= a - 1e-15 && tac_soft_clip(b) <= a + w + 1e-15);
    }
    return 0;
}

static int soft_functions_are_monotone(void) {
    for (double tau = 1e-3; tau < 1e3; tau *= 7.0) {
        tacBounds b = {-3.0, -1.0, 0.5, tau};
        double greater = 0.0, relu = 0.0, clip = -1.0, sign = -1.0;
        for (; b.x <= 3.0; b.x += 0.01) {
            ENSURE(tac_soft_greater(b.x, 0.0, tau) >= greater);
            ENSURE(tac_soft_relu(b.x, tau) >= relu);
            ENSURE(tac_soft_sign(b.x, tau) >= sign);
            ENSURE(tac_soft_clip(b) >= clip - 2e-16);
            greater = tac_soft_greater(b.x, 0.0, tau);
            relu = tac_soft_relu(b.x, tau);
            clip = tac_soft_clip(b);
            sign = tac_soft_sign(b.x, tau);
        }
    }
    return 0;
}

// beyond the reach values and derivatives are exactly 0 or 1
static int saturated_exactly(void) {
    tacBounds b = {1e16, 0.0, 1.0, 0.1}, bar = {0, 0, 0, 0};
    ENSURE(tac_soft_clip(b) == 1.0); // row 38: the plain difference gives 0
    tac_soft_clip_vjp(b, 1.0, &bar);
    ENSURE(bar.x == 0.0 && bar.lower == 0.0 && bar.upper == 1.0 && bar.tau == 0.0);
    ENSURE(tac_soft_greater(1e308, -1e308, 1e-300) == 1.0);
    ENSURE(tac_soft_less(1e308, -1e308, 1e-300) == 0.0);
    ENSURE(tac_soft_relu(-1e308, 1e-300) == 0.0 && tac_soft_relu(1e308, 1e-300) == 1e308);
    ENSURE(tac_soft_relu_jvp(1e308, 1e-300, 1.0, 1.0) == 1.0);
    ENSURE(tac_soft_sign_jvp(1e308, 1e-300, 1.0, 1.0) == 0.0);
    ENSURE(tac_mollifier(-1e308) == 1.0 && tac_mollifier(0.0) == 1.0);
    ENSURE(tac_mollifier(1.0) == 0.0 && tac_mollifier(1e308) == 0.0);
    ENSURE(tac_soft_ramp(-1.0) == 0.0 && tac_soft_ramp(1.0) == 1.0);
    return 0;
}

//---------------------------------- compact transitions ----------------------------------

static int mollifier_matches_reference(void) {
    ENSURE_DIGITS(tac_mollifier(0.25), 0.896484375, 2);
    ENSURE_DIGITS(tac_mollifier(0.9), 0.0085599999999999946043, 2);
    ENSURE_DIGITS(tac_mollifier(0.999), 9.9850060000000265921e-9, 4);
    ENSURE_DIGITS(tac_mollifier_jvp(0.9, 1.0), -0.24299999999999990408, 4);
    for (double t = -1.2; t <= 1.2; t += 0.037) {
        ENSURE_NEAR(tac_soft_ramp(t), tac_mollifier(0.5 * (1.0 - t)), 1e-15);
        ENSURE_NEAR(tac_soft_ramp(t) + tac_soft_ramp(-t), 1.0, 2.3e-16);
    }
    return 0;
}

// through the joints the second difference converges with the step: no jump in w''
static int mollifier_is_twice_differentiable(void) {
    for (int joint = 0; joint < 2; ++joint) {
        double last = 1.0;
        for (double h = 1e-2; h > 1e-4; h *= 0.5) {
            double second =
                (tac_mollifier(joint + h) - 2.0 * tac_mollifier(joint) + tac_mollifier(joint - h)) /
                (h * h);
            ENSURE(fabs(second) <= 10.5 * h); // w''' = 60 on one side: 60 h / 6
            ENSURE(fabs(second) < last);
            last = fabs(second);
        }
    }
    return 0;
}

//---------------------------------- shared laws ----------------------------------

static int soft_functions_are_finite_at_extremes(void) {
    return finite_at_extremes(scalar_maps, COUNT(scalar_maps));
}

TEST_MAIN(RUN(greater_matches_reference), RUN(sign_relu_abs_match_reference),
          RUN(clip_matches_reference), RUN(within_matches_reference),
          RUN(small_arguments_keep_their_digits), RUN(hard_limits),
          RUN(odd_even_and_mirror_symmetries_hold), RUN(soft_functions_are_monotone),
          RUN(saturated_exactly), RUN(mollifier_matches_reference),
          RUN(mollifier_is_twice_differentiable), RUN(soft_functions_are_finite_at_extremes))
