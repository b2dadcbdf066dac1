// Gradients and Hessians of every kind of shape against complex step and quad precision, at the
// bars that docs/derivatives.md states: 1e-10 max(1, 1e-5 l/tau) and 1e-8 max(1, 1e-8 |x|/tau), l
// the size or, where a point is farther away, its distance. tau of a cloud is its width. A point is
// rounded before anything is computed, which turns its gradient by 2e-16 |x| |H|; that is allowed
// besides, and is more than the bar where |H| is, as on the pole of a thin superquadric.

#include "check/shape_problem.h"
#include "math/quat.h"
#include "mesh/random_shapes.h"
#include "shape/cloud_scenes.h"
#include "shape/shape_scenes.h"
#include "test.h"

#include <string.h>

#define MAX_INPUTS 4096

// worst errors of one shape in units of their bars, by the two methods
typedef struct worst {
    double gradient[2], hessian[2], number[2];
} worst;

static const tacCheckNumber* const methods[2] = {&tac_check_number_complex, &tac_check_number_quad};

static double largest_entry(int n, const double* a) {
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(a[i]));
    return most;
}

// norm-wise: largest difference over largest entry; `unit` is what counts as nothing, as a gradient
// has at a centre
static double relative_error(int n, const double* a, const double* b, double unit) {
    double most = 0.0, scale = fmax(unit, fmax(largest_entry(n, a), largest_entry(n, b)));
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(a[i] - b[i]));
    return most > 0.0 ? most / scale : 0.0;
}

static double raise_to(double* most, double value) {
    if (!(value <= *most)) *most = value; // NaN stays
    return *most;
}

//---------------------------------- one point ------------------------------------

// gradient and rows of the Hessian at x by another number type
static int by_method(const tacCheckProblem* p, int method, const double* x, double g[3],
                     double H[9]) {
    static double direction[MAX_INPUTS];
    static char memory[TAC_CHECK_MEMORY(MAX_INPUTS, 4)];
    double y[4], y_dot[4];
    memset(direction, 0, sizeof *direction * (size_t)p->n);
    for (int k = 0; k < 3; ++k) {
        direction[k] = 1.0;
        ENSURE(methods[method]->first(p, x, direction, y, y_dot, memory) == TAC_OK);
        direction[k] = 0.0;
        g[k] = y_dot[0];
        memcpy(&H[3 * k], &y_dot[1], 3 * sizeof *H);
    }
    return 0;
}

static int by_eval(const tacCheckShape* c, const double* x, double g[3], double H[9]) {
    static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    double value, h[6];
    tacField out = {&value, {&g[0], &g[1], &g[2]}, {&h[0], &h[1], &h[2], &h[3], &h[4], &h[5]}};
    tacPose pose = {tac_load3(c->position), tac_quat_load(c->rotation)};
    tacPoints point = {1, {&x[0], &x[1], &x[2]}};
    ENSURE(tac_shape_eval(c->model, c->shape, pose, point, out, c->scratch) == TAC_OK);
    for (int i = 0; i < 9; ++i) H[i] = h[at[i]];
    return 0;
}

// The value along a random direction of twist and parameters, relative to the terms that make it
// up; a turn moves a point by its lever arm, however it cancels.
static int accurate_derivatives(const tacCheckProblem* p, int method, const double* x,
                                const double* scale, testRandom* random, double* error) {
    static double direction[MAX_INPUTS], by[MAX_INPUTS];
    static char memory[TAC_CHECK_MEMORY(MAX_INPUTS, 4)];
    const tacCheckFunctions* plain = p->as_double;
    double y[4], y_dot[4], value_bar[4] = {1.0}, terms = largest_entry(3, x), sum = 0.0;
    for (int k = 0; k < p->n; ++k)
        direction[k] = k < 3 ? 0.0 : scale[k] * test_uniform(random, -1.0, 1.0);
    ENSURE(plain->vjp(p->context, x, value_bar, by) == TAC_OK);
    ENSURE(methods[method]->first(p, x, direction, y, y_dot, memory) == TAC_OK);
    for (int k = 0; k < p->n; ++k) {
        sum += by[k] * direction[k];
        terms = fmax(terms, fabs(by[k]) * scale[k]);
    }
    *error = relative_error(1, &sum, y_dot, terms);
    return 0;
}

//---------------------------------- one shape ------------------------------------

static int measure_shape(const tacCheckShape* c, const tacCheckProblem* p, int points, worst* w) {
    static double x[MAX_INPUTS], scale[MAX_INPUTS];
    unsigned long long draw = 5;
    testRandom random = {11};
    for (int i = 0; i < points; ++i) {
        double g[3], H[9], g2[3], H2[9], error;
        p->sample(c, i, &draw, x, scale);
        double far = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
        double first = 1e-10 * fmax(1.0, 1e-5 * fmax(c->size, far) / c->smooth);
        double second = 1e-8 * fmax(1.0, 1e-8 * far / c->smooth);
        if (by_eval(c, x, g, H)) return 1;
        first += 2e-16 * fmax(c->size, far) * largest_entry(9, H) / fmax(1.0, largest_entry(3, g));
        for (int method = 0; method < (i % 100 == 0 ? 2 : 1); ++method) {
            if (by_method(p, method, x, g2, H2)) return 1;
            raise_to(&w->gradient[method], relative_error(3, g, g2, 1.0) / first);
            raise_to(&w->hessian[method],
                     relative_error(9, H, H2, 1.0 / fmax(far, c->size)) / second);
            if (accurate_derivatives(p, method, x, scale, &random, &error)) return 1;
            raise_to(&w->number[method], error / first);
        }
    }
    return 0;
}

static int within_bars(const worst* w) {
    for (int k = 0; k < 2; ++k)
        if (!(w->gradient[k] <= 1.0 && w->hessian[k] <= 1.0 && w->number[k] <= 1.0)) return 0;
    return 1;
}

static int accurate(const tacModel* model, int shape, int points, worst* w) {
    tacCheckShape c;
    tacCheckProblem p;
    ENSURE(tac_check_shape_begin(model, shape, &c, &p) == TAC_OK);
    ENSURE(p.n <= MAX_INPUTS);
    int bad = measure_shape(&c, &p, points, w);
    tac_check_shape_end(&c);
    return bad || !within_bars(w);
}

static void print_worst(const char* name, const worst* w) {
    printf("  %-18s gradient %.1e %.1e  Hessian %.1e %.1e  numbers %.1e %.1e\n", name,
           w->gradient[0], w->gradient[1], w->hessian[0], w->hessian[1], w->number[0],
           w->number[1]);
}

static int all_accurate(tacModel* model, int points) {
    int bad = 0;
    for (int shape = 0; shape < model->nshape; ++shape) {
        worst w = {0};
        bad += accurate(model, shape, points, &w);
        print_worst(model->shape[shape].name, &w);
    }
    tac_model_destroy(model);
    return bad;
}

static int zoo_is_accurate(void) { return all_accurate(load_zoo(), test_amount(200, 3000, 10000)); }

static int clouds_are_accurate(void) {
    return all_accurate(load_cloud_zoo(), test_amount(100, 2000, 10000));
}

// shapes that nobody chose
static int random_shapes_are_accurate(void) {
    static char text[16384];
    shapeDice dice = {.state = 88172645463325252ull, .text = text, .size = sizeof text};
    int shapes = test_amount(8, 40, 400), bad = 0;
    for (int i = 0; i < shapes; ++i) {
        worst w = {0};
        roll_shape(&dice, i % DICE_KINDS);
        tacModel* model = load_shapes(text);
        int wrong = accurate(model, 0, 1000, &w);
        if (wrong) {
            print_worst("wrong:", &w);
            printf("%s\n", text);
        }
        bad += wrong;
        tac_model_destroy(model);
    }
    return bad;
}

TEST_MAIN(RUN(zoo_is_accurate), RUN(clouds_are_accurate), RUN(random_shapes_are_accurate))
