// Every analytic derivative of src/math against complex step, Im f(x + i h d)/h with h = 1e-150,
// and the symmetry of the second derivatives that the same trick makes of every vjp.
//
// Compiled with -DTAC_NUMBER_COMPLEX -fcx-limited-range; it brings the module's files itself.

#ifndef TAC_NUMBER_COMPLEX
#error "compile with -DTAC_NUMBER_COMPLEX"
#endif

#include "../../src/math/dense.c"
#include "../../src/math/dense_diff.c"
#include "../../src/math/pose.c"
#include "../../src/math/spatial.c"

#include "check_vec3.c"

#include "check_quat.c"

#include "check_pose.c"

#include "check_spatial.c"

#include "check_dense.c"

static const double step = 1e-150;

static void move(int n, const tacReal* x, const tacReal* d, tacReal* moved) {
    for (int i = 0; i < n; ++i) moved[i] = r_make(tac_re(x[i]), step * tac_re(d[i]));
}

// jvp = Im f/h, norm-wise
static int jvp_is_complex_step(const mathFunction* f, const tacReal* x, const tacReal* d) {
    tacReal moved[CHECK_MAX], y[CHECK_MAX], y_dot[CHECK_MAX];
    move(f->nx, x, d, moved);
    f->eval(moved, y), f->jvp(x, d, y_dot);
    double size = check_size(f->ny, y_dot);
    for (int i = 0; i < f->ny; ++i)
        ENSURE_NEAR(tac_re(y_dot[i]), tac_im(y[i]) / step, 1e-12 * size);
    return 0;
}

// a . H(bar) b, by complex step on the vjp
static double second(const mathFunction* f, const tacReal* x, const tacReal* bar, const tacReal* a,
                     const tacReal* b) {
    tacReal moved[CHECK_MAX], x_bar[CHECK_MAX] = {0};
    move(f->nx, x, b, moved);
    f->vjp(moved, bar, x_bar);
    double sum = 0.0;
    for (int i = 0; i < f->nx; ++i) sum += tac_re(a[i]) * tac_im(x_bar[i]) / step;
    return sum;
}

static int hessian_is_symmetric(const mathFunction* f, const tacReal* x, testRandom* random) {
    tacReal a[CHECK_MAX], b[CHECK_MAX], bar[CHECK_MAX];
    check_random(random, f->nx, a), check_random(random, f->nx, b);
    check_random(random, f->ny, bar);
    double ab = second(f, x, bar, a, b), ba = second(f, x, bar, b, a);
    double aa = second(f, x, bar, a, a), bb = second(f, x, bar, b, b);
    ENSURE_NEAR(ab, ba, 1e-11 * (1.0 + fabs(ab) + fabs(aa) + fabs(bb)));
    return 0;
}

static int check_complex(const mathFunction* f) {
    testRandom random = {54321};
    for (int c = 0; c < CHECK_CASES; ++c) {
        tacReal x[CHECK_MAX], d[CHECK_MAX];
        check_random(&random, f->nx, x), check_random(&random, f->nx, d);
        if (f->prepare) f->prepare(x, c);
        int broken = jvp_is_complex_step(f, x, d) || hessian_is_symmetric(f, x, &random);
        if (broken) printf("  %s, case %d\n", f->name, c);
        if (broken) return 1;
    }
    return 0;
}

static int check_all(const mathFunction* table, int count) {
    int failed = 0;
    for (int i = 0; i < count; ++i) failed |= check_complex(table + i);
    return failed;
}

#define CHECK_ALL(table) check_all(table, TAC_COUNT(table))

static int vec3(void) { return CHECK_ALL(vec3_functions); }
static int quat(void) { return CHECK_ALL(quat_functions); }
static int pose(void) { return CHECK_ALL(pose_functions); }
static int spatial(void) { return CHECK_ALL(spatial_functions); }
static int dense(void) { return CHECK_ALL(dense_functions); }

TEST_MAIN(RUN(vec3), RUN(quat), RUN(pose), RUN(spatial), RUN(dense))
