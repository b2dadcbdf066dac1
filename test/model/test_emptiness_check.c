// What combinations leave: refused exactly where closed forms say that nothing is left.

#include "base/assert.h"
#include "model/refusal.h"

#include <math.h>

// is a shape of this one element accepted? -1 for a refusal that is none of emptiness
static int is_accepted(const char* element) {
    char text[1000];
    tacModel* model = NULL;
    tacMessage message;
    snprintf(text, sizeof text, "<mujoco><asset><shape name='s'>%s</shape></asset></mujoco>",
             element);
    tacResult result = load_text(text, &model, &message);
    tac_model_destroy(model);
    if (result == TAC_OK) return 1;
    return strstr(message.text, "empty") || strstr(message.text, "cut") ? 0 : -1;
}

// evenly over decades
static double log_uniform(testRandom* random, double low, double high) {
    return low * pow(high / low, test_uniform(random, 0.0, 1.0));
}

// Two balls that overlap by h, a shell of thickness h: their deepest point is at -h/2 + tau ln 2.
static int thin_lenses_and_shells_are_not_empty(void) {
    testRandom random = {5};
    for (int i = 0; i < 300; ++i) {
        double R = log_uniform(&random, 1e-3, 1e3), h = R * log_uniform(&random, 1e-4, 1);
        double tau = h * log_uniform(&random, 1e-2, 1e2), c[3], depth;
        char element[500];
        for (int k = 0; k < 3; ++k) c[k] = R * test_uniform(&random, -10.0, 10.0);
        if (fabs(tau * log(2.0) / (0.5 * h) - 1.0) < 0.02) continue; // at the edge of it
        depth = tau * log(2.0) - 0.5 * h;
        snprintf(element, sizeof element,
                 "<intersection smooth='%.17g' pos='%.17g %.17g %.17g'><sphere size='%.17g'/>"
                 "<sphere size='%.17g' pos='%.17g 0 0'/></intersection>",
                 tau, c[0], c[1], c[2], R, R, 2.0 * R - h);
        ENSURE(is_accepted(element) == (depth < 0.0));
        snprintf(element, sizeof element,
                 "<difference smooth='%.17g' pos='%.17g %.17g %.17g'><sphere size='%.17g'/>"
                 "<sphere size='%.17g'/></difference>",
                 tau, c[0], c[1], c[2], R, R - h > 0.01 * R ? R - h : 0.01 * R);
        if (R - h > 0.01 * R) ENSURE(is_accepted(element) == (depth < 0.0));
    }
    return 0;
}

// a cap of depth h above a plane, of a superquadric of any exponents: the deepest point along z
static int thin_caps_are_not_empty(void) {
    testRandom random = {7};
    for (int i = 0; i < 200; ++i) {
        double a[3], e[2], gap = test_uniform(&random, -0.05, 0.05);
        char element[500];
        for (int k = 0; k < 3; ++k) a[k] = test_uniform(&random, 0.2, 1.0);
        for (int k = 0; k < 2; ++k) e[k] = test_uniform(&random, 0.1, 1.0);
        if (fabs(gap) < 1e-4) continue;
        snprintf(element, sizeof element,
                 "<superquadric size='%.17g %.17g %.17g' eps='%.17g %.17g' smooth='1e-7'>"
                 "<plane pos='0 0 %.17g' zaxis='0 0 -1'/></superquadric>",
                 a[0], a[1], a[2], e[0], e[1], a[2] - gap);
        ENSURE(is_accepted(element) == (gap > 0.0));
    }
    return 0;
}

static const badScene empty_scenes[] = {
    {0,
     "<shape name='s'><superquadric size='.1 .1 .1' eps='1 1'\n smooth='.2'><plane/>"
     "</superquadric></shape>",
     TAC_ERROR_VALUE, 3, "smooth", "empty at smooth = 0.2"},
    {0,
     "<shape name='s'>\n<intersection><sphere size='1'/><sphere size='1' pos='2.001 0 0'/>"
     "</intersection></shape>",
     TAC_ERROR_VALUE, 3, "intersection", "no point lies in all"},
    {0, "<shape name='s'>\n<difference><sphere size='1'/><sphere size='1'/></difference></shape>",
     TAC_ERROR_VALUE, 3, "difference", "cover all"},
    {0,
     "<shape name='s'>\n<intersection><plane/><plane pos='0 0 1' euler='180 0 0'/>"
     "</intersection></shape>",
     TAC_ERROR_VALUE, 3, "intersection", "is empty"},
    {0,
     "<shape name='s'><intersection\n smooth='1'><plane/><plane pos='0 0 -.1' euler='180 0 0'/>"
     "</intersection></shape>",
     TAC_ERROR_VALUE, 3, "smooth", "empty at smooth = 1"},
    {0,
     "<shape name='s'><difference><plane/>\n<difference><box size='.1 .1 .1'/>"
     "<sphere size='1'/></difference></difference></shape>",
     TAC_ERROR_VALUE, 3, "difference", "cover all"},
};

static int empty_shapes_are_refused(void) {
    return are_refused(empty_scenes, TAC_COUNT(empty_scenes));
}

// without an end: never refused but for planes alone
static int unbounded_solids_are_accepted(void) {
    ENSURE(is_accepted("<difference><plane/><sphere size='1'/></difference>") == 1);
    ENSURE(is_accepted("<intersection><plane/><plane zaxis='1 0 0' pos='1 0 0'/></intersection>") ==
           1);
    return 0;
}

static int unchecked_shapes_may_be_empty(void) {
    tacModel* model = NULL;
    ENSURE(load_text("<mujoco><asset><shape name='s' check='false'><difference><sphere size='1'/>"
                     "<sphere size='2'/></difference></shape></asset></mujoco>",
                     &model, NULL) == TAC_OK);
    tac_model_destroy(model);
    return 0;
}

TEST_MAIN(RUN(thin_lenses_and_shells_are_not_empty), RUN(thin_caps_are_not_empty),
          RUN(empty_shapes_are_refused), RUN(unbounded_solids_are_accepted),
          RUN(unchecked_shapes_may_be_empty))
