// Derivatives of a step of a random scene against differences of the step itself, extrapolated to a
// width of 0 (Richardson) as far as they converge.

#ifndef TAC_STEP_RANDOM_DIFFERENCES_H
#define TAC_STEP_RANDOM_DIFFERENCES_H

#include "step/random_motion.h"

enum { DIFFERENCE_ORDERS = 4, DIFFERENCE_LEVELS = 20 };

// one input of the step: a number of dq, dv, u or the parameters
typedef struct randomInput {
    enum { INPUT_Q, INPUT_V, INPUT_U, INPUT_PARAM } of;
    int index;
    double unit; // its natural size
} randomInput;

// an extrapolated column and what it is known to
typedef struct randomColumn {
    double value[2 * RANDOM_NUMBERS], error, width;
} randomColumn;

// the step from a neighbour of the state; an input out of its range is TAC_ERROR_VALUE
static inline tacResult neighbour_step(const randomMotion* m, const randomKept* at, randomInput in,
                                       double h, double* q, double* v) {
    tacModel* model = m->model;
    double dq[RANDOM_NUMBERS] = {0}, u[RANDOM_NUMBERS] = {0}, from[2][RANDOM_NUMBERS];
    tacParam param = {.offset = in.index, .count = 1, .lower = -INFINITY, .upper = INFINITY};
    double keep = in.of == INPUT_PARAM ? model->param[in.index] : 0.0, moved = keep + h;
    memcpy(from[0], at->q, sizeof from[0]);
    memcpy(from[1], at->v, sizeof from[1]);
    for (int i = 0; i < model->nu; ++i) u[i] = m->u[i];
    if (in.of == INPUT_Q) {
        dq[in.index] = 1.0;
        tac_integrate_pos(model, at->q, dq, h, from[0]);
    }
    if (in.of == INPUT_V) from[1][in.index] += h;
    if (in.of == INPUT_U) u[in.index] += h;
    if (in.of == INPUT_PARAM && tac_param_set(model, param, &moved, NULL) != TAC_OK)
        return TAC_ERROR_VALUE;
    tacState x = {.qpos = from[0], .qvel = from[1]}, next = {.qpos = q, .qvel = v};
    tacResult result = tac_step(model, &x, u, &next, m->scratch);
    if (in.of == INPUT_PARAM) model->param[in.index] = keep;
    return result;
}

// (step(x + h) - step(x - h))/2h; side > 0 and < 0: from the state itself to one side
static inline int column_difference(const randomMotion* m, const randomKept* at, randomInput in,
                                    double h, int side, double* out) {
    double q[2][RANDOM_NUMBERS], v[2][RANDOM_NUMBERS];
    double to = side < 0 ? 0.0 : h, from = side > 0 ? 0.0 : -h;
    int nv = m->model->nv;
    if (neighbour_step(m, at, in, to, q[0], v[0]) != TAC_OK) return 1;
    if (neighbour_step(m, at, in, from, q[1], v[1]) != TAC_OK) return 1;
    tac_differentiate_pos(m->model, q[1], q[0], to - from, out);
    for (int i = 0; i < nv; ++i) out[nv + i] = (v[0][i] - v[1][i]) / (to - from);
    return 0;
}

static inline double column_norm(const double* a, const double* b, int n) {
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(a[i] - (b ? b[i] : 0.0)));
    return most;
}

// Richardson's table over widths that fall by 0.4. An entry is known to how far its neighbours in
// the table differ from it. Takes the first that confirms `guess`; else, of those that are known to
// 1e-6 of `size`, the last, whose width is the least; else the one that is known best. Wide
// differences of a symmetric function converge to 0, so the first to converge proves nothing.
static inline int extrapolate_column(const randomMotion* m, const randomKept* at, randomInput in,
                                     const double* guess, double size, randomColumn* out) {
    double table[2][DIFFERENCE_ORDERS][2 * RANDOM_NUMBERS], h = 1e-3 * in.unit;
    int n = 2 * m->model->nv, rows = 0;
    double large = fmax(column_norm(at->q, NULL, m->model->nq), column_norm(at->v, NULL, n / 2));
    out->error = INFINITY;
    for (int level = 0; level < DIFFERENCE_LEVELS; ++level, h *= 0.4) {
        double(*now)[2 * RANDOM_NUMBERS] = table[level % 2];
        double(*last)[2 * RANDOM_NUMBERS] = table[(level + 1) % 2];
        if (column_difference(m, at, in, h, 0, now[0])) {
            if (level == 0) return 1;
            rows = 0;
            continue;
        }
        for (int k = 1; k < DIFFERENCE_ORDERS && k <= rows; ++k) {
            double f = pow(0.4, -2.0 * k), error = 0.0, rounding = 2e-16 * large / h;
            for (int i = 0; i < n; ++i)
                now[k][i] = (f * now[k - 1][i] - last[k - 1][i]) / (f - 1.0);
            error = fmax(column_norm(now[k], now[k - 1], n), column_norm(now[k], last[k - 1], n));
            error = fmax(error, rounding);
            int confirms = error <= 1e-6 * size && column_norm(now[k], guess, n) <= 1e-5 * size;
            if (error < out->error || error <= 1e-6 * size) {
                out->error = error;
                out->width = h;
                memcpy(out->value, now[k], sizeof(double) * (size_t)n);
            }
            if (confirms) return 0;
        }
        ++rows;
    }
    return 0;
}

//---------------------------------- inputs ----------------------------------

// parameters that a step cannot depend on smoothly, or not at all
static inline int is_idle_param(const tacModel* model, int index) {
    static const char* const out[] = {"solref", "solimp", "solmix", "margin", "gap", "range"};
    char name[200];
    tac_param_name(model, index, name, sizeof name);
    for (size_t i = 0; i < sizeof out / sizeof out[0]; ++i)
        if (strstr(name, out[i])) return 1;
    return model->param[index] == 0.0;
}

static inline randomInput draw_input(const randomMotion* m, testRandom* random) {
    const tacModel* model = m->model;
    double kind = test_uniform(random, 0.0, 1.0), length = m->scene->smallest;
    int dof = (int)test_uniform(random, 0.0, model->nv);
    const tacJoint* joint = &model->joint[model->dof[dof].joint];
    int straight =
        joint->kind == TAC_JOINT_SLIDE || (joint->kind == TAC_JOINT_FREE && dof < joint->dof + 3);
    randomInput in = {.of = INPUT_V, .index = dof, .unit = straight ? length : 1.0};
    if (kind < 0.35) in.of = INPUT_Q;
    if (kind < 0.35) in.unit = straight ? length : 0.1;
    if (kind > 0.65) {
        in.of = INPUT_PARAM;
        do in.index = (int)test_uniform(random, 0.0, model->nparam);
        while (is_idle_param(model, in.index));
        char name[200];
        tac_param_name(model, in.index, name, sizeof name);
        in.unit = strstr(name, "pos[") ? length : fabs(model->param[in.index]);
    }
    if (model->nu && kind > 0.95) in = (randomInput){INPUT_U, 0, 1.0};
    if (in.of == INPUT_U) in.unit = fmax(fabs(m->u[0]), 1e-3);
    return in;
}

static inline void input_name(const tacModel* model, randomInput in, char* text, int size) {
    static const char* const word[] = {"dq", "dv", "u"};
    if (in.of == INPUT_PARAM)
        tac_param_name(model, in.index, text, size);
    else
        snprintf(text, (size_t)size, "%s[%d]", word[in.of], in.index);
}

//---------------------------------- comparison ----------------------------------

// the forward derivative by an input; flags of the call
static inline tacResult column_jvp(const randomMotion* m, const randomKept* at, randomInput in,
                                   double* out, unsigned* flags) {
    const tacModel* model = m->model;
    double dot[3][RANDOM_NUMBERS] = {{0}};
    double* theta = calloc((size_t)model->nparam, sizeof *theta);
    tacState x = {.qpos = (double*)at->q, .qvel = (double*)at->v};
    tacStepTangent tangent = {.x = {.dq = dot[0], .dv = dot[1]}, .u = dot[2], .theta = theta};
    if (in.of == INPUT_PARAM)
        theta[in.index] = 1.0;
    else
        dot[in.of][in.index] = 1.0;
    tacResult result = tac_step_jvp(model, &x, m->u, tangent,
                                    (tacTangent){.dq = out, .dv = out + model->nv}, m->scratch);
    *flags = tac_step_info(m->scratch).flags;
    free(theta);
    return result;
}

// Does a column that is not the derivative stand? It does if differences of a tenth and a
// hundredth of its width, and those to either side, are nearer to it than the derivative is.
// Otherwise it is a border of two pieces, or a curve that no width resolves.
static inline int column_stands(const randomMotion* m, const randomKept* at, randomInput in,
                                const randomColumn* column, double error) {
    double d[2 * RANDOM_NUMBERS];
    for (int i = 1; i <= 2; ++i)
        for (int side = -1; side < 2; ++side) {
            double h = column->width * pow(0.1, i);
            if (column_difference(m, at, in, h, side, d)) return 0;
            if (column_norm(d, column->value, 2 * m->model->nv) > 0.5 * error) return 0;
        }
    return 1;
}

// RANDOM_SHOW=1: a column that is not confirmed, and its worst row over widths
static inline void show_column(const randomMotion* m, const randomKept* at, randomInput in,
                               const double* jvp, const randomColumn* truth) {
    int n = 2 * m->model->nv, worst = 0;
    double d[3][2 * RANDOM_NUMBERS];
    for (int i = 0; i < n; ++i) {
        printf("    row %d: derivative %.12g, differences %.12g\n", i, jvp[i], truth->value[i]);
        if (fabs(jvp[i] - truth->value[i]) > fabs(jvp[worst] - truth->value[worst])) worst = i;
    }
    for (double h = 1e-3 * in.unit; h > 1e-12 * in.unit; h *= 0.1) {
        for (int side = -1; side < 2; ++side)
            if (column_difference(m, at, in, h, side, d[side + 1])) return;
        printf("    row %d, width %.1e: backward %.10g, central %.10g, forward %.10g\n", worst, h,
               d[0][worst], d[1][worst], d[2][worst]);
    }
}

// one column of the step at a state
static inline void compare_column(const randomMotion* m, const randomKept* at, randomInput in,
                                  randomReport* r) {
    double jvp[2 * RANDOM_NUMBERS];
    unsigned flags = 0;
    randomColumn truth;
    char name[100];
    int n = 2 * m->model->nv;
    input_name(m->model, in, name, sizeof name);
    tacResult result = column_jvp(m, at, in, jvp, &flags);
    if (result == TAC_ERROR_UNSUPPORTED) {
        ++r->refused;
        return;
    }
    ++r->columns;
    if (result != TAC_OK) {
        ++r->wrong;
        snprintf(r->what[2], RANDOM_MESSAGE, "step %d, by %s: %s", at->step, name,
                 tac_result_name(result));
        return;
    }
    // columns that are smaller than this move nothing
    double least = in.of <= INPUT_V ? 1e-4 : 1e-5 / in.unit;
    double size = fmax(column_norm(jvp, NULL, n), least);
    if (extrapolate_column(m, at, in, jvp, size, &truth)) {
        --r->columns;
        ++r->refused;
        return;
    }
    double error = column_norm(jvp, truth.value, n);
    size = fmax(size, column_norm(truth.value, NULL, n));
    if (error <= 1e-5 * size) {
        r->error = fmax(r->error, error / size);
    } else if (!(truth.error <= 1e-6 * size)) {
        ++r->unconverged;
    } else {
        int kink = !column_stands(m, at, in, &truth, error);
        if (getenv("RANDOM_SHOW")) show_column(m, at, in, jvp, &truth);
        r->wrong += !kink;
        r->kinks += kink;
        if (!kink) r->error = fmax(r->error, error / size);
        if (!kink || !r->what[2][0])
            snprintf(r->what[2], RANDOM_MESSAGE, "step %d, by %s: off by %.2g (known to %.1g)%s",
                     at->step, name, error / size, truth.error / size, kink ? ", a kink" : "");
    }
}

// flags of derivatives at kept states, and some columns where there are none
static inline void compare_states(const randomMotion* m, const randomKept* kept,
                                  const randomEffort* effort, testRandom* random, randomReport* r) {
    for (int k = 0; k < effort->states; ++k) {
        double none[2 * RANDOM_NUMBERS];
        unsigned flags = 0;
        if (kept[k].step < 0 || (k > 0 && kept[k].step == kept[k - 1].step)) continue;
        if (column_jvp(m, &kept[k], (randomInput){INPUT_V, 0, 1.0}, none, &flags) != TAC_OK) {
            ++r->wrong;
            snprintf(r->what[2], RANDOM_MESSAGE, "step %d: no derivative", kept[k].step);
            continue;
        }
        ++r->states;
        r->states_flagged += (flags & RANDOM_FLAGS) != 0;
        if (flags & RANDOM_FLAGS) continue;
        for (int i = 0; i < effort->columns; ++i)
            compare_column(m, &kept[k], draw_input(m, random), r);
    }
}

#endif
