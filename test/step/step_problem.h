// A step of a scene as a problem to prove: its context, and the library's own Hessian product.

#ifndef TACTUS_TEST_STEP_PROBLEM_H
#define TACTUS_TEST_STEP_PROBLEM_H

#include "step/adapter_step.h"
#include "test.h"

#include <stdlib.h>

// a scene from a text or a file; parameters that `is_used` are inputs
static inline int open_context(stepContext* c, const char* text, const char* path,
                               int (*is_used)(const tacModel* model, int offset)) {
    tacModel* model = NULL;
    tacMessage message = {0};
    tacResult result = text ? tac_load_text(text, (int)strlen(text), "text", NULL, &model, &message)
                            : tac_load(path, NULL, &model, &message);
    if (result != TAC_OK) printf("  %s\n", message.text);
    ENSURE(result == TAC_OK);
    *c = (stepContext){.model = model};
    ENSURE(tac_scratch_create(model, &c->scratch) == TAC_OK);
    size_t all = (size_t)(model->nq + 3 * model->nv + model->na + model->nu + model->nparam +
                          6 * model->nbody);
    c->qpos = calloc(all, sizeof *c->qpos);
    c->qnext = calloc(all, sizeof *c->qnext);
    c->used = calloc(all, sizeof *c->used);
    c->memory = calloc(4 * all, 16);
    for (int i = 0; i < model->nparam; ++i)
        if (is_used(model, i) &&
            tac_param_live(model, (tacParam){.offset = i, .count = 1}, NULL) == TAC_OK)
            c->used[c->used_count++] = i;
    return 0;
}

static inline void close_context(stepContext* c) {
    free(c->qpos);
    free(c->qnext);
    free(c->used);
    free(c->memory);
    tac_scratch_destroy(c->scratch);
    tac_model_destroy((tacModel*)c->model);
}

// The library holds the adjoint of the next turn fixed in the turning frame, the adapter in its
// chart: as the turn moves with w', the adjoint changes by -w' x y_bar/2.
static inline tacResult add_chart(const stepContext* c, const double* x, const double* y_bar,
                                  const double* x_dot, double* x_bar_dot) {
    int nx = 2 * c->model->nv + c->model->na, n = nx + c->model->nu + c->used_count;
    double *next = calloc((size_t)(2 * nx), 8), *bar = next + nx, *add = calloc((size_t)n, 8);
    tacResult result = tac_check_step_double.jvp(c, x, x_dot, next);
    for (int i = 0; i < c->model->njoint; ++i) {
        const tacJoint* j = &c->model->joint[i];
        int k = j->kind == TAC_JOINT_FREE ? j->dof + 3 : j->dof;
        if (j->axis >= 0) continue;
        const double *w = next + k, *y = y_bar + k;
        for (int a = 0; a < 3; ++a)
            bar[k + a] = -0.5 * (w[(a + 1) % 3] * y[(a + 2) % 3] - w[(a + 2) % 3] * y[(a + 1) % 3]);
    }
    if (result == TAC_OK) result = tac_check_step_double.vjp(c, x, bar, add);
    for (int i = 0; i < n; ++i) x_bar_dot[i] += add[i];
    free(next);
    free(add);
    return result;
}

static inline tacResult step_hvp(const void* context, const double* x, const double* y_bar,
                                 const double* x_dot, double* x_bar_dot) {
    const stepContext* c = context;
    int nv = c->model->nv, nu = c->model->nu, nparam = c->model->nparam, nx = 2 * nv + c->model->na;
    double *theta_dot = calloc((size_t)nparam, 8), *theta_bar = calloc((size_t)nparam, 8);
    memset(x_bar_dot, 0, sizeof(double) * (size_t)(nx + nu));
    for (int i = 0; i < c->used_count; ++i) theta_dot[c->used[i]] = x_dot[nx + nu + i];
    double *v = (double*)x + nv, *y = (double*)y_bar, *d = (double*)x_dot;
    tacState at = {.qpos = c->qpos, .qvel = v, .act = v + nv};
    tacTangent bar = {.dq = y, .dv = y + nv, .da = y + 2 * nv};
    tacTangent dot = {.dq = d, .dv = d + nv, .da = d + 2 * nv};
    tacTangent out = {.dq = x_bar_dot, .dv = x_bar_dot + nv, .da = x_bar_dot + 2 * nv};
    tacResult result =
        tac_step_hvp(c->model, &at, x + nx,
                     &(tacStepHvp){.next_bar = bar,
                                   .dot = {.x = dot, .u = d + nx, .theta = theta_dot},
                                   .bar = {.x = out, .u = x_bar_dot + nx, .theta = theta_bar}},
                     c->scratch);
    for (int i = 0; i < c->used_count; ++i) x_bar_dot[nx + nu + i] = theta_bar[c->used[i]];
    free(theta_dot);
    free(theta_bar);
    if (result == TAC_OK) result = add_chart(c, x, y_bar, x_dot, x_bar_dot);
    return result;
}

// the step of an opened scene by state, control and the parameters used
static inline tacCheckProblem step_problem(const stepContext* c, const char* name,
                                           int (*sample)(const void*, int, unsigned long long*,
                                                         double*, double*)) {
    int m = 2 * c->model->nv + c->model->na;
    return (tacCheckProblem){.name = name,
                             .n = m + c->model->nu + c->used_count,
                             .m = m,
                             .curved = {0, c->model->nv},
                             .context = c,
                             .as_double = &tac_check_step_double,
                             .as_complex = &tac_check_step_complex,
                             .as_quad = &tac_check_step_quad,
                             .hvp = step_hvp,
                             .sample = sample};
}

// the parameters used as inputs, with directions of `share` of each
static inline void sample_numbers(const stepContext* c, double share, double* x, double* scale) {
    for (int k = 0; k < c->used_count; ++k) {
        double p = c->model->param[c->used[k]];
        x[k] = p;
        scale[k] = p == 0.0 ? 1e-3 : share * fabs(p);
    }
}

#endif
