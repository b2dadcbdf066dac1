// The soft-minimum contact model between two clouds.

#include "respond/adapter_scm.h"

#include "check/prove.h"
#include "detect/contact_clouds.h"

//---------------------------------- derivatives ----------------------------------

// two balls, or two boxes, near and through each other, at random velocities
static int sample(const void* map, int i, unsigned long long* random, double* x, double* scale) {
    const scmMap* m = map;
    (void)i;
    double gap =
        m->kind == 0 ? tac_check_uniform(random, 0.3, 1.7) : tac_check_uniform(random, 0.35, 0.6);
    for (int k = 0; k < SCM_INPUTS; ++k) scale[k] = 0.1;
    for (int b = 0; b < 2; ++b) {
        for (int k = 0; k < 3; ++k) x[7 * b + k] = tac_check_uniform(random, -0.1, 0.1);
        for (int k = 3; k < 7; ++k) x[7 * b + k] = tac_check_normal(random);
        for (int k = 0; k < 6; ++k) x[14 + 6 * b + k] = 0.5 * tac_check_normal(random);
    }
    double along[3], norm = 0.0;
    for (int k = 0; k < 3; ++k) along[k] = tac_check_normal(random), norm += along[k] * along[k];
    for (int k = 0; k < 3; ++k) x[7 + k] += gap * along[k] / sqrt(norm);
    const double number[TAC_SCM_NUMBERS] = {3.0, 0.5, 0.1, 0.6, 0.05, 0.03, 0.06};
    for (int k = 0; k < TAC_SCM_NUMBERS; ++k)
        x[26 + k] = number[k] * tac_check_uniform(random, 0.7, 1.4),
               scale[26 + k] = 0.1 * number[k];
    return 6;
}

static int derivatives(void) {
    tacContactCloud* clouds[2][2] = {{test_ball(150, 1.0), test_ball(75, 0.4)},
                                     {test_box(4, 0.3, 0.25, 0.2), test_box(3, 0.2, 0.2, 0.3)}};
    for (int kind = 0; kind < 2; ++kind) {
        scmMap map = {{clouds[kind][0], clouds[kind][1]}, {0.1, -0.2, 0.3}, 0, 0, kind};
        tacCheckProblem problem = {.name = kind ? "boxes" : "balls",
                                   .n = SCM_INPUTS,
                                   .m = 6,
                                   .context = &map,
                                   .as_double = &tac_check_scm_double,
                                   .as_complex = &tac_check_scm_complex,
                                   .as_quad = &tac_check_scm_quad,
                                   .sample = sample};
        tacCheckOptions options = tac_check_default_options();
        options.points = 30, options.quad_every = 10, options.taylor_every = 3;
        ENSURE_LAW(prove(&problem, options));
    }
    for (int i = 0; i < 4; ++i) test_cloud_free(clouds[i / 2][i % 2]);
    return prove_summary();
}

TEST_MAIN(RUN(derivatives))
