// Every derivative of src/math by the one check (check/check.h): complex step, quad precision,
// adjoint, second derivatives, Taylor slopes.

#include "base/assert.h"
#include "check/prove.h"
#include "math/adapter_math.h"

// Points with an even number are general. The odd ones are adversarial and may stand on a corner or
// a branch, where a Taylor slope cannot be seen: all else is checked there too.
enum { POINTS = 240 };

static int is_general_point(int i) { return i % 2 == 0; }

//---------------------------------- vectors and rotations ----------------------------------

// x holds random numbers and scale ones; a drawer turns them into an input of the domain
static void draw_any(int i, double* x, double* scale) {
    (void)i;
    (void)x;
    (void)scale;
}

static void set_length(int n, double length, double* x, double* scale) {
    for (int k = 0; k < n; ++k) {
        x[k] *= length;
        scale[k] *= fabs(length);
    }
}

// adversarial: very short and very long vectors
static void draw_length(int i, double* x, double* scale) {
    static const double lengths[] = {1e-9, 1e-6, 1e6, 1e12};
    if (!is_general_point(i)) set_length(3, lengths[i / 2 % 4], x, scale);
}

// general: a half axis length at least; adversarial: long and short quaternions
static void draw_quat(int i, double* x, double* scale) {
    static const double lengths[] = {1e-6, 1.0, 1e6, -1.0};
    x[0] += x[0] < 0.0 ? -0.5 : 0.5;
    if (!is_general_point(i)) set_length(4, lengths[i / 2 % 4], x, scale);
}

// 0, tiny, near the thresholds of the series, half turns, near a full turn
static double edge_case_angle(int i) {
    static const double angles[] = {
        0.0,    1e-300,           1e-160,           1e-20,  1e-9,   1e-4, 0.4899573, 1.0, 1.9999,
        2.0001, 3.14159265258979, 3.14159265358979, 3.9999, 4.0001, 6.0};
    return angles[i / 2 % TAC_COUNT(angles)];
}

static void draw_rotation_vector(int i, double* x, double* scale) {
    (void)scale;
    tacVec3 w = tac_load3(x);
    w = is_general_point(i) ? tac_scale(w, 2.0) : tac_scale(tac_normalize(w), edge_case_angle(i));
    tac_store3(x, w);
}

// quaternions of those angles
static void draw_log(int i, double* x, double* scale) {
    double half = 0.5 * edge_case_angle(i);
    if (is_general_point(i)) {
        draw_quat(i, x, scale);
        return;
    }
    tac_quat_store(x, tac_quat(cos(half), tac_scale(tac_normalize(tac_load3(x + 1)), sin(half))));
    if (i % 4 == 3) set_length(4, -7.5, x, scale);
}

// each component the largest in turn, and half turns about the axes
static void draw_branches(int i, double* x, double* scale) {
    (void)scale;
    for (int k = 0; k < 4 && !is_general_point(i); ++k) x[k] *= i % 3 ? 0.0 : 1e-9;
    x[i / 2 % 4] += i % 16 < 8 ? 2.0 : -2.0;
}

static void draw_integrate(int i, double* x, double* scale) {
    draw_quat(i, x, scale);
    draw_rotation_vector(i, x + 4, scale + 4);
}

// second quaternion: the first one turned by a vector below pi, or by a hard angle up to pi
static void draw_difference(int i, double* x, double* scale) {
    tacVec3 w = tac_load3(x + 4);
    double angle = fmin(edge_case_angle(i), 3.14159265258979);
    w = is_general_point(i) ? tac_scale(w, 1.5) : tac_scale(tac_normalize(w), angle);
    draw_quat(i, x, scale);
    tac_quat_store(x + 4, tac_quat_scale(tac_quat_integrate(tac_quat_load(x), w), 0.7));
}

static void draw_pose(int i, double* x, double* scale) { draw_quat(i, x + 3, scale + 3); }

static void draw_twist(int i, double* x, double* scale) {
    draw_rotation_vector(i, x + 3, scale + 3);
}

static void draw_pose_log(int i, double* x, double* scale) { draw_log(i, x + 3, scale + 3); }

static void draw_compose(int i, double* x, double* scale) {
    draw_quat(i, x + 3, scale + 3);
    draw_quat(i + 2, x + 10, scale + 10);
}

// adversarial: one of the bodies is massless
static void draw_masses(int i, double* x, double* scale) {
    (void)scale;
    x[0] = fabs(x[0]) + 0.5;
    x[10] = fabs(x[10]) + 0.5;
    if (!is_general_point(i)) x[i % 4 == 1 ? 0 : 10] = 0.0;
}

//---------------------------------- dense matrices ----------------------------------

// dominant diagonal, of both signs for L D L'
static void draw_definite(int i, double* x, double* scale) {
    (void)i;
    (void)scale;
    for (int k = 0; k < N; ++k) x[k * (k + 3) / 2] += 6.0;
}

static void draw_quasi(int i, double* x, double* scale) {
    (void)i;
    (void)scale;
    for (int k = 0; k < N; ++k) x[k * (k + 3) / 2] += k % 2 ? -6.0 : 6.0;
}

// a permutation that needs pivots, well conditioned
static void draw_square(int i, double* x, double* scale) {
    (void)scale;
    for (int k = 0; k < N; ++k) x[k * N + (k * 2 + i) % N] += 6.0;
}

static void draw_tall(int i, double* x, double* scale) {
    (void)scale;
    for (int k = 0; k < COLUMNS; ++k) x[(k + i) % ROWS * COLUMNS + k] += 4.0;
}

static void draw_inverse(int i, double* x, double* scale) {
    (void)scale;
    for (int k = 0; k < 3; ++k) x[3 * k + (k + i) % 3] += 3.0;
}

//---------------------------------- the check ----------------------------------

static int sample_map(const void* context, int i, unsigned long long* random, double* x,
                      double* scale) {
    const mathMap* m = context;
    for (int k = 0; k < m->inputs; ++k) {
        x[k] = tac_check_uniform(random, -1.0, 1.0);
        scale[k] = 1.0;
    }
    m->draw(i, x, scale);
    return m->outputs;
}

// the check clears an adjoint before a vjp; here something is in it already
static int vjp_adds(const tacCheckProblem* problem) {
    enum { MOST = 40 };
    const mathMap* m = problem->context;
    const tacCheckFunctions* f = problem->as_double;
    mathMap full = *m;
    double x[MOST], scale[MOST], y_bar[MOST], a[MOST], b[MOST];
    unsigned long long random = 3;
    ENSURE(m->inputs <= MOST && m->outputs <= MOST);
    full.start = 5.0;
    sample_map(m, 0, &random, x, scale);
    for (int k = 0; k < m->outputs; ++k) y_bar[k] = tac_check_normal(&random);
    ENSURE(f->vjp(m, x, y_bar, a) == TAC_OK && f->vjp(&full, x, y_bar, b) == TAC_OK);
    for (int k = 0; k < m->inputs; ++k) ENSURE_NEAR(b[k], 5.0 + a[k], 1e-14 * (5.0 + fabs(a[k])));
    return 0;
}

static int prove_maps(tacCheckProblem problem, const mathMap* maps, int count) {
    tacCheckOptions options = {.points = POINTS,
                               .quad_every = 1,
                               .taylor_every = 2,
                               .seed = 1,
                               .first = 1e-12,
                               .second = 1e-12};
    int failed = 0;
    for (int i = 0; i < count; ++i) {
        mathMap map = maps[i];
        map.function = i;
        problem.name = map.name;
        problem.n = map.inputs;
        problem.m = map.outputs;
        problem.context = &map;
        problem.sample = sample_map;
        failed |= prove(&problem, options) | vjp_adds(&problem);
    }
    return failed;
}

#define MAP(name_, inputs_, outputs_, how)                                                         \
    {.name = #name_, .inputs = inputs_, .outputs = outputs_, .draw = draw_##how},

#define LAW(module, LIST)                                                                          \
    static int module(void) {                                                                      \
        static const mathMap maps[] = {LIST(MAP)};                                                 \
        tacCheckProblem problem = {.as_double = &tac_check_##module##_double,                      \
                                   .as_complex = &tac_check_##module##_complex,                    \
                                   .as_quad = &tac_check_##module##_quad};                         \
        return prove_maps(problem, maps, TAC_COUNT(maps));                                         \
    }
LAW(vec3, MATH_VEC3)
LAW(quat, MATH_QUAT)
LAW(pose, MATH_POSE)
LAW(spatial, MATH_SPATIAL)
LAW(dense, MATH_DENSE)

TEST_MAIN(RUN(vec3), RUN(quat), RUN(pose), RUN(spatial), RUN(dense), RUN(prove_summary))
