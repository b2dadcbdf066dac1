// Derivatives of hard steps against converged differences of the steps themselves, along a motion;
// reverse against forward.

#ifndef TAC_STEP_HARD_DIFFERENCES_H
#define TAC_STEP_HARD_DIFFERENCES_H

#include "base/assert.h"
#include "step/hard_scene.h"

#define FLOOR     "<geom type='plane' size='1 1 1' friction='.3'/>"
#define BALL(pos) "<body pos='" pos "'><freejoint/><geom type='sphere' size='.1' mass='1'/></body>"
#define BOX(pos, turn, size)                                                                       \
    "<body pos='" pos "' euler='" turn "'><freejoint/><geom type='box' size='" size                \
    "' mass='1' friction='.4'/></body>"

// one input of the step: a tangent of q or v, a control, or a parameter
typedef struct stepInput {
    double q[HARD_NUMBERS], v[HARD_NUMBERS], u[HARD_NUMBERS];
    int param; // or -1
} stepInput;

static inline int input_count(const tacModel* model) {
    return 2 * model->nv + model->nu + model->nparam;
}

static inline stepInput input_of(const tacModel* model, int i) {
    stepInput x = {.param = -1};
    int nv = model->nv;
    if (i < nv)
        x.q[i] = 1.0;
    else if (i < 2 * nv)
        x.v[i - nv] = 1.0;
    else if (i < 2 * nv + model->nu)
        x.u[i - 2 * nv] = 1.0;
    else
        x.param = i - 2 * nv - model->nu;
    return x;
}

// Parameters that the motion depends on. Shapes stay as they are; dry friction of 0 is a corner.
static inline int is_smooth(const tacModel* model, int param) {
    char name[200];
    static const char* const out[] = {"shape", "solref", "solimp",       "solmix", "margin",
                                      "gap",   "geom:",  "frictionloss", "delta",  "range"};
    tac_param_name(model, param, name, sizeof name);
    if (strstr(name, "friction[0]")) return 1;
    for (int i = 0; i < TAC_COUNT(out); ++i)
        if (strstr(name, out[i])) return 0;
    return 1;
}

// the state after a step from a neighbour
static inline tacResult step_from(const hardScene* s, const stepInput* in, double h, double* q,
                                  double* v) {
    tacModel* model = s->model;
    static double moved[3][HARD_NUMBERS];
    hard_move(model, s->q, in->q, h, moved[0]);
    for (int k = 0; k < model->nv; ++k) moved[1][k] = s->v[k] + h * in->v[k];
    for (int k = 0; k < model->nu; ++k) moved[2][k] = s->u[k] + h * in->u[k];
    double keep = in->param >= 0 ? model->param[in->param] : 0.0;
    if (in->param >= 0) model->param[in->param] += h;
    tacState x = {.qpos = moved[0], .qvel = moved[1], .act = (double*)s->act};
    tacState next = {.qpos = q, .qvel = v, .act = moved[2] + HARD_NUMBERS / 2};
    tacResult result = tac_step(model, &x, moved[2], &next, s->scratch);
    if (in->param >= 0) model->param[in->param] = keep;
    return result;
}

// least difference between a derivative and central differences over widths, of its size
static inline int step_difference(const hardScene* s, const stepInput* in, const double* dq,
                                  const double* dv, double* out) {
    static double q[2][HARD_NUMBERS], v[2][HARD_NUMBERS], d[HARD_NUMBERS];
    const tacModel* model = s->model;
    *out = INFINITY;
    for (double h = 1e-4; h > 5e-10; h *= 0.2) {
        double error = 0.0, size = 1.0;
        if (step_from(s, in, h, q[0], v[0]) != TAC_OK || step_from(s, in, -h, q[1], v[1]) != TAC_OK)
            continue;
        hard_difference(model, q[1], q[0], d);
        for (int k = 0; k < model->nv; ++k) {
            size = fmax(size, fmax(fabs(dq[k]), fabs(dv[k])));
            error = fmax(error, fabs(d[k] / (2.0 * h) - dq[k]));
            error = fmax(error, fabs((v[0][k] - v[1][k]) / (2.0 * h) - dv[k]));
        }
        *out = fmin(*out, error / size);
    }
    return 0;
}

// every column of the step at a state
static inline int compare_columns(hardScene* s, double* worst) {
    tacModel* model = s->model;
    double* theta = calloc((size_t)model->nparam, sizeof *theta);
    for (int i = 0; i < input_count(model); ++i) {
        stepInput in = input_of(model, i);
        if (in.param >= 0 && !is_smooth(model, in.param)) continue;
        double dq[HARD_NUMBERS], dv[HARD_NUMBERS], error;
        tacState x = hard_state(s);
        tacTangent dot = {.dq = in.q, .dv = in.v}, next = {.dq = dq, .dv = dv};
        if (in.param >= 0) theta[in.param] = 1.0;
        ENSURE(tac_step_jvp(model, &x, s->u, (tacStepTangent){.x = dot, .u = in.u, .theta = theta},
                            next, s->scratch) == TAC_OK);
        if (in.param >= 0) theta[in.param] = 0.0;
        ENSURE_LAW(step_difference(s, &in, dq, dv, &error));
        *worst = fmax(*worst, error);
        if (!(error <= 1e-6)) {
            char name[200] = "";
            if (in.param >= 0) tac_param_name(model, in.param, name, sizeof name);
            printf("  input %d %s: off by %.2e\n", i, name, error);
            free(theta);
            return 1;
        }
    }
    free(theta);
    return 0;
}

// parameters that may be differentiated by, one each; returns how many (vertices of a mesh are
// held)
static inline int list_live_params(const tacModel* model, tacParam* live) {
    int count = 0;
    for (int i = 0; i < model->nparam; ++i) {
        tacParam one = {.offset = i, .count = 1};
        if (tac_param_live(model, one, NULL) == TAC_OK) live[count++] = one;
    }
    return count;
}

// vjp . x' = y_bar . jvp, and the columns of A, B, P are those of the forward derivative
static inline int compare_ways(hardScene* s, testRandom* random) {
    tacModel* model = s->model;
    int nv = model->nv, nu = model->nu, np = model->nparam, nx = 2 * nv;
    double *all = calloc((size_t)(20 * nx + 8 * nu + 8 * np), sizeof *all), left = 0.0, right = 0.0;
    double *dot = all, *bar = dot + nx, *next = bar + nx, *x_bar = next + nx, *u_dot = x_bar + nx,
           *u_bar = u_dot + nu + 1, *t_dot = u_bar + nu + 1, *t_bar = t_dot + np, size = 1.0;
    double* A = calloc((size_t)(nx * nx + nx * nu + nx * np), sizeof *A);
    double *B = A + nx * nx, *P = B + nx * nu;
    tacParam* live = calloc((size_t)np, sizeof *live);
    int columns = list_live_params(model, live);
    tacState x = hard_state(s);
    for (int k = 0; k < nx; ++k) {
        dot[k] = test_uniform(random, -1, 1);
        bar[k] = test_uniform(random, -1, 1);
    }
    for (int k = 0; k < nu; ++k) u_dot[k] = test_uniform(random, -1, 1);
    for (int k = 0; k < columns; ++k) t_dot[live[k].offset] = test_uniform(random, -1, 1);
    tacTangent xd = {.dq = dot, .dv = dot + nv}, nd = {.dq = next, .dv = next + nv};
    tacTangent nb = {.dq = bar, .dv = bar + nv}, xb = {.dq = x_bar, .dv = x_bar + nv};
    ENSURE(tac_step_jvp(model, &x, s->u, (tacStepTangent){.x = xd, .u = u_dot, .theta = t_dot}, nd,
                        s->scratch) == TAC_OK);
    ENSURE(tac_step_vjp(model, &x, s->u, nb, (tacStepTangent){.x = xb, .u = u_bar, .theta = t_bar},
                        s->scratch) == TAC_OK);
    ENSURE(tac_step_jacobian(
               model, &x, s->u,
               &(tacStepJacobian){.A = A, .B = B, .theta = live, .ntheta = columns, .P = P},
               s->scratch) == TAC_OK);
    for (int k = 0; k < nx; ++k) {
        left += x_bar[k] * dot[k];
        right += bar[k] * next[k];
    }
    for (int k = 0; k < nu; ++k) left += u_bar[k] * u_dot[k];
    for (int k = 0; k < np; ++k) {
        left += t_bar[k] * t_dot[k];
        size += fabs(t_bar[k]);
    }
    ENSURE_NEAR(left, right, 1e-12 * (size + fabs(right)));
    // relative to the norm of the rows: velocities of a body are made of one another
    double most = 0.0;
    for (int i = 0; i < nx; ++i) {
        double terms = 1.0;
        for (int k = 0; k < nx; ++k) terms += fabs(A[i * nx + k]);
        for (int k = 0; k < nu; ++k) terms += fabs(B[i * nu + k]);
        for (int k = 0; k < columns; ++k) terms += fabs(P[i * columns + k]);
        most = fmax(most, terms);
    }
    for (int i = 0; i < nx; ++i) {
        double sum = 0.0;
        for (int k = 0; k < nx; ++k) sum += A[i * nx + k] * dot[k];
        for (int k = 0; k < nu; ++k) sum += B[i * nu + k] * u_dot[k];
        for (int k = 0; k < columns; ++k) sum += P[i * columns + k] * t_dot[live[k].offset];
        ENSURE_NEAR(sum, next[i], 1e-12 * most);
    }
    free(all);
    free(live);
    free(A);
    return 0;
}

// along a motion: every state without a flag, and all that its step depends on
static inline int check_along_motion(const char* text, const double* v, int steps,
                                     int least_impacts) {
    hardScene s;
    testRandom random = {11};
    int compared = 0, impacts = 0, flagged = 0, bounded = 0;
    double worst = 0.0;
    ENSURE_LAW(hard_open(&s, text));
    memcpy(s.v, v, sizeof(double) * (size_t)s.model->nv);
    for (int k = 0; k < s.model->nu; ++k) s.u[k] = test_uniform(&random, -1.0, 1.0);
    for (int i = 0; i < steps; ++i) {
        hardScene now = s;
        s.flags = 0;
        ENSURE(hard_steps(&s, 1) == TAC_OK);
        int impact = s.scratch->info.time_of_impact < 0.01;
        ENSURE_LAW(compare_ways(&now, &random));
        unsigned remarks = (s.flags | s.scratch->info.flags) & ~TAC_RESTITUTION_REDUCED;
        flagged += remarks != 0;
        bounded += (s.flags & TAC_RESTITUTION_REDUCED) != 0;
        if (remarks || (!impact && i % 5)) continue;
        if (compare_columns(&now, &worst)) {
            printf("  step %d\n", i);
            return 1;
        }
        ++compared;
        impacts += impact;
    }
    printf("  %d states, %d with impacts, %d bounded, %d flagged: worst %.1e\n", compared, impacts,
           bounded, flagged, worst);
    ENSURE(impacts >= least_impacts);
    hard_close(&s);
    return 0;
}

#endif
