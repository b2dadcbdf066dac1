// Derivatives of the step by state, control and every parameter, on every model there is: forward
// against complex step, reverse against forward.

#define _GNU_SOURCE
#include "check/check.h"
#include "model_files.h"
#include "step/adapter_step.h"
#include "step/hard/hard_step.h"
#include "test.h"

#define BOUND 1e-9

//---------------------------------- one model ------------------------------------

typedef struct problem {
    stepContext c;
    tacCheckProblem check;
    double *x, *x_dot, *x_bar, *y, *y_dot, *exact, *y_bar; // (n) three times, (m) four times
    void* memory;
} problem;

// geoms and shapes have no part in the motion, nor have limits and dry friction
static int is_used_param(const tacModel* model, int offset) {
    const char* name = model->paramname[model->paramgroup[offset]].name;
    return strncmp(name, "shape:", 6) != 0 && strncmp(name, "geom:", 5) != 0 &&
           strncmp(name, "body:world/", 11) != 0 && !strstr(name, "/range") &&
           !strstr(name, "/frictionloss");
}

static int open_problem(problem* p, tacModel* model) {
    stepContext* c = &p->c;
    size_t all = (size_t)(model->nq + 3 * model->nv + model->na + model->nu + model->nparam +
                          6 * model->nbody);
    *p = (problem){.c = {.model = model}};
    if (tac_scratch_create(model, &c->scratch) != TAC_OK) return 0;
    c->qpos = calloc(all, sizeof *c->qpos);
    c->qnext = calloc(all, sizeof *c->qnext);
    c->used = calloc(all, sizeof *c->used);
    c->memory = calloc(4 * all, 16);
    for (int i = 0; i < model->nparam; ++i)
        if (is_used_param(model, i)) c->used[c->used_count++] = i;

    int m = 2 * model->nv + model->na, n = m + model->nu + c->used_count;
    p->check = (tacCheckProblem){.n = n,
                                 .m = m,
                                 .context = c,
                                 .as_double = &tac_check_step_double,
                                 .as_complex = &tac_check_step_complex};
    p->memory = calloc(1, TAC_CHECK_MEMORY(n, m));
    p->x = calloc((size_t)(3 * n + 4 * m) + 1, sizeof *p->x);
    p->x_dot = p->x + n;
    p->x_bar = p->x_dot + n;
    p->y = p->x_bar + n;
    p->y_dot = p->y + m;
    p->exact = p->y_dot + m;
    p->y_bar = p->exact + m;
    return 1;
}

static void close_problem(problem* p) {
    free(p->c.qpos);
    free(p->c.qnext);
    free(p->c.used);
    free(p->c.memory);
    free(p->memory);
    free(p->x);
    tac_scratch_destroy(p->c.scratch);
}

//---------------------------------- states ---------------------------------------

// Bodies that touch stay about where the scene has them. Anywhere within a metre they would be
// drawn up to a metre inside a floor: M - J^T L J of the implicit law then has a condition of 1e4
// to 1e6, the stages of RK4 multiply it, and jvp and complex step lie equally far, up to 1e-7, from
// quad.
static void draw_positions(problem* p, unsigned long long* random) {
    const tacModel* model = p->c.model;
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int count = j->kind == TAC_JOINT_FREE ? 7 : j->kind == TAC_JOINT_BALL ? 4 : 1;
        double *q = p->c.qpos + j->qpos, norm = 0.0;
        for (int k = 0; k < count; ++k) q[k] = tac_check_normal(random);
        int straight = j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
        for (int k = 0; k < straight && model->contact; ++k)
            q[k] = model->qpos0[j->qpos + k] + 0.02 * q[k];
        for (int k = count - 4; k < count && j->axis < 0; ++k) norm += q[k] * q[k];
        for (int k = count - 4; k < count && j->axis < 0; ++k) q[k] /= sqrt(norm);
    }
}

// inside the range of a control, where a clamp has no kink
static double draw_control(const tacActuator* a, unsigned long long* random) {
    double low = a->ctrllimited ? a->ctrlrange[0] : -1.0;
    double high = a->ctrllimited ? a->ctrlrange[1] : 1.0;
    return low + (high - low) * tac_check_uniform(random, 0.1, 0.9);
}

// a state, and a direction that moves each number by about as much as it is
static tacResult draw_direction(problem* p, unsigned long long* random) {
    const tacModel* model = p->c.model;
    int nv = model->nv, nu = model->nu, m = p->check.m;
    draw_positions(p, random);
    for (int i = 0; i < nv; ++i) {
        p->x[i] = 0.0;
        p->x[nv + i] = tac_check_normal(random);
    }
    for (int i = 2 * nv; i < m; ++i) p->x[i] = tac_check_uniform(random, 0.1, 0.9);
    for (int i = 0; i < nu; ++i) p->x[m + i] = draw_control(&model->actuator[i], random);
    for (int i = 0; i < m + nu; ++i) p->x_dot[i] = tac_check_normal(random);
    for (int i = 0; i < p->c.used_count; ++i) {
        double value = model->param[p->c.used[i]];
        p->x[m + nu + i] = value;
        p->x_dot[m + nu + i] = 0.1 * (fabs(value) + 0.01) * tac_check_normal(random);
    }
    for (int i = 0; i < m; ++i) p->y_bar[i] = tac_check_normal(random);
    tacState at = {.qpos = p->c.qpos, .qvel = p->x + nv, .act = p->x + 2 * nv};
    tacState next = {.qpos = p->c.qnext, .qvel = p->y, .act = p->y + nv};
    return tac_step(model, &at, p->x + m, &next, p->c.scratch);
}

//---------------------------------- comparison -----------------------------------

static double dot_reals(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// |jvp - complex step|, relative in norm
static double forward_error(problem* p) {
    double error = 0.0;
    if (tac_check_number_complex.first(&p->check, p->x, p->x_dot, p->y, p->exact, p->memory) ||
        tac_check_step_double.jvp(&p->c, p->x, p->x_dot, p->y_dot))
        return INFINITY;
    for (int i = 0; i < p->check.m; ++i) error = hypot(error, p->y_dot[i] - p->exact[i]);
    return error / sqrt(dot_reals(p->check.m, p->exact, p->exact));
}

// |x_bar . x_dot - y_bar . y_dot| against the sizes of their terms
static double reverse_error(problem* p) {
    if (tac_check_step_double.vjp(&p->c, p->x, p->y_bar, p->x_bar)) return INFINITY;
    double terms = 0.0;
    for (int i = 0; i < p->check.n; ++i) terms = hypot(terms, p->x_bar[i] * p->x_dot[i]);
    double difference =
        dot_reals(p->check.n, p->x_bar, p->x_dot) - dot_reals(p->check.m, p->y_bar, p->y_dot);
    return fabs(difference) / terms;
}

// the largest of both over states and integrators
static double model_error(tacModel* model) {
    problem p;
    double worst = 0.0;
    unsigned long long random = 2026;
    int points = getenv("TACTUS_NO_SWEEP") ? 1 : 5;
    if (!open_problem(&p, model)) return INFINITY;
    for (int i = TAC_INTEGRATOR_EULER; i <= TAC_INTEGRATOR_LIE; ++i) {
        model->integrator = (tacIntegrator)i;
        for (int k = 0; k < points; ++k) {
            double error = draw_direction(&p, &random) == TAC_OK ? forward_error(&p) : INFINITY;
            if (isfinite(error)) error = fmax(error, reverse_error(&p));
            worst = error <= worst ? worst : error; // NAN stays
        }
    }
    close_problem(&p);
    return worst;
}

//---------------------------------- law ------------------------------------------

static int steps_of_all_models_have_right_derivatives(void) {
    const modelFiles* files = list_model_files();
    int compared = 0, wrong = 0;
    for (int i = 0; i < files->count; ++i) {
        tacModel* model;
        tacMessage message;
        const char* name = model_file_name(files->path[i]);
        if (tac_load(files->path[i], NULL, &model, &message) != TAC_OK) {
            printf("    %-56s left out: %.120s (line %d)\n", name, message.text, message.line);
            continue;
        }
        if (tac_is_hard(model)) {
            printf("    %-56s left out: hard, see test_hard_derivatives\n", name);
            tac_model_destroy(model);
            continue;
        }
        double error = model->nv ? model_error(model) : 0.0;
        if (model->nv) printf("    %-56s nv %3d  %.1e\n", name, model->nv, error);
        compared += model->nv > 0;
        wrong += !(error <= BOUND);
        tac_model_destroy(model);
    }
    printf("    %d models\n", compared);
    ENSURE(compared >= 5);
    ENSURE(wrong == 0);
    return 0;
}

TEST_MAIN(RUN(steps_of_all_models_have_right_derivatives))
