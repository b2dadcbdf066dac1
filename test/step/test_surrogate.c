// Laws of derivatives at softer temperatures: the step stays as it is, derivatives are exactly
// those of the softer scene, and the remarks say so.

#include "base/assert.h"
#include "tactus/tactus.h"
#include "test.h"

#include <stdlib.h>

#define FACTOR 4.0

#define SCENE(option)                                                                              \
    "<mujoco><option timestep='.002'/><tactus " option "/><worldbody>"                             \
    "<geom name='f' type='box' size='.3 .3 .05' pos='0 0 -.05'/><body pos='.02 .01 .0985' "        \
    "euler='3 2 20'>"                                                                              \
    "<freejoint/><geom name='b' type='box' size='.1 .08 .1' mass='1'/></body></worldbody>"         \
    "<contact><pair name='p' geom1='f' geom2='b' eps3='.0006'/></contact></mujoco>"

typedef struct sample {
    tacModel* model;
    tacScratch* scratch;
    double q[7], v[6], next_q[7], next_v[6];
    double A[144], P[12 * 2], dq[6], dv[6], bar_q[6], bar_v[6], h_q[6], h_v[6];
    unsigned flags;
} sample;

static int open_sample(sample* s, const char* text) {
    tacMessage message;
    tacResult result =
        tac_load_text(text, (int)strlen(text), "test.xml", NULL, &s->model, &message);
    if (result != TAC_OK) printf("  %s\n", message.text);
    ENSURE(result == TAC_OK);
    ENSURE(tac_scratch_create(s->model, &s->scratch) == TAC_OK);
    return 0;
}

static void close_sample(sample* s) {
    tac_scratch_destroy(s->scratch);
    tac_model_destroy(s->model);
}

// temperatures of the sharp scene times the factor
static int scale_temperatures(sample* s) {
    static const char* const names[] = {"detect/tau",          "detect/support", "detect/depth",
                                        "detect/edge_softmin", "detect/sign",    "detect/opposing",
                                        "detect/min",          "detect/clip",    "detect/inside",
                                        "detect/tikhonov",     "detect/gate",    "detect/eps2",
                                        "pair:p/eps3"};
    for (int i = 0; i <= TAC_COUNT(names); ++i) {
        tacParam at;
        const char* name = i < TAC_COUNT(names) ? names[i] : "detect/eps1";
        if (tac_param_find(s->model, name, &at) != TAC_OK) continue;
        double value = s->model->param[at.offset] * FACTOR;
        if (i == TAC_COUNT(names)) value *= FACTOR;
        ENSURE(tac_param_set(s->model, at, &value, NULL) == TAC_OK);
    }
    return 0;
}

static int eval_sample(sample* s) {
    const double v[6] = {0.1, -0.05, -0.2, 0.3, 0.2, -0.4};
    double out_q[6] = {0.3, -0.2, 0.5, 0.1, 0.7, -0.3}, out_v[6] = {0.4, 0.1, -0.6, 0.2, 0.3, 0.5};
    memcpy(s->q, s->model->qpos0, sizeof s->q);
    memcpy(s->v, v, sizeof v);
    tacState x = {.qpos = s->q, .qvel = s->v}, next = {.qpos = s->next_q, .qvel = s->next_v};
    tacTangent dir = {.dq = out_v, .dv = out_q}, bar = {.dq = out_q, .dv = out_v};
    tacParam theta[2];
    ENSURE(tac_param_find(s->model, "respond/stiffness", &theta[0]) == TAC_OK);
    ENSURE(tac_param_find(s->model, "respond/eps3", &theta[1]) == TAC_OK);
    ENSURE(tac_step_jvp(s->model, &x, NULL, (tacStepTangent){.x = dir},
                        (tacTangent){.dq = s->dq, .dv = s->dv}, s->scratch) == TAC_OK);
    ENSURE(tac_step_vjp(s->model, &x, NULL, bar,
                        (tacStepTangent){.x = (tacTangent){.dq = s->bar_q, .dv = s->bar_v}},
                        s->scratch) == TAC_OK);
    ENSURE(tac_step_hvp(s->model, &x, NULL,
                        &(tacStepHvp){.next_bar = bar,
                                      .dot = {.x = dir},
                                      .bar = {.x = (tacTangent){.dq = s->h_q, .dv = s->h_v}}},
                        s->scratch) == TAC_OK);
    ENSURE(tac_step_jacobian(
               s->model, &x, NULL,
               &(tacStepJacobian){.next = &next, .A = s->A, .theta = theta, .ntheta = 2, .P = s->P},
               s->scratch) == TAC_OK);
    s->flags = tac_step_info(s->scratch).flags;
    return 0;
}

static double max_difference(const double* a, const double* b, int n) {
    double most = 0.0, size = 0.0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(a[i]) + fabs(b[i]));
    }
    return most / (size + 1e-300);
}

static int surrogate_law(const char* plain, const char* surrogate) {
    sample sharp = {0}, with = {0}, soft = {0};
    if (open_sample(&sharp, plain) || open_sample(&with, surrogate) || open_sample(&soft, plain))
        return 1;
    if (scale_temperatures(&soft) || eval_sample(&sharp) || eval_sample(&with) ||
        eval_sample(&soft))
        return 1;

    // values to the last bit, derivatives those of the softer scene
    ENSURE(memcmp(sharp.next_q, with.next_q, sizeof with.next_q) == 0);
    ENSURE(memcmp(sharp.next_v, with.next_v, sizeof with.next_v) == 0);
    ENSURE_NEAR(max_difference(soft.A, with.A, 144), 0.0, 1e-13);
    ENSURE_NEAR(max_difference(soft.P, with.P, 24), 0.0, 1e-13);
    ENSURE_NEAR(max_difference(soft.dq, with.dq, 6) + max_difference(soft.dv, with.dv, 6), 0.0,
                1e-13);
    ENSURE_NEAR(max_difference(soft.bar_q, with.bar_q, 6) +
                    max_difference(soft.bar_v, with.bar_v, 6),
                0.0, 1e-13);
    ENSURE_NEAR(max_difference(soft.h_q, with.h_q, 6) + max_difference(soft.h_v, with.h_v, 6), 0.0,
                1e-12);

    // that is another derivative, and it is flagged
    ENSURE(max_difference(soft.A, sharp.A, 144) > 1e-4);
    ENSURE((with.flags & TAC_SURROGATE) && !(sharp.flags & TAC_SURROGATE));
    close_sample(&sharp);
    close_sample(&with);
    close_sample(&soft);
    return 0;
}

static int manifolds_have_surrogates(void) {
    return surrogate_law(SCENE("detect='manifold'"), SCENE("detect='manifold' surrogate='4'"));
}

static int edges_in_fields_have_surrogates(void) {
    return surrogate_law(SCENE("detect='edge_sdf'"), SCENE("detect='edge_sdf' surrogate='4'"));
}

static int point_clouds_have_surrogates(void) {
    return surrogate_law(SCENE("respond='scm'"), SCENE("respond='scm' surrogate='4'"));
}

// what has no softer temperatures, and numbers that are none, are refused with the line
static int wrong_surrogates_are_refused(void) {
    static const char* const texts[] = {
        SCENE("detect='manifold' surrogate='.5'"), SCENE("detect='manifold' surrogate='nan'"),
        SCENE("detect='gjk' surrogate='2'"), SCENE("surrogate='2'")};
    for (int i = 0; i < TAC_COUNT(texts); ++i) {
        tacModel* model = NULL;
        tacMessage message;
        ENSURE(tac_load_text(texts[i], (int)strlen(texts[i]), "test.xml", NULL, &model, &message) !=
               TAC_OK);
        ENSURE(message.line == 1 && strcmp(message.attribute, "surrogate") == 0);
    }
    return 0;
}

TEST_MAIN(RUN(manifolds_have_surrogates), RUN(edges_in_fields_have_surrogates),
          RUN(point_clouds_have_surrogates), RUN(wrong_surrogates_are_refused))
