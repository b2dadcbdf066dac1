// Where the derivatives of a motion are looked at, and memory for it.

#include "check/motion_problem.h"

#include "model/live_params.h"
#include "tactus/dynamics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- parameters -----------------------------------

// the larger friction of two geoms holds: where they are equal there is no derivative to prove
static int is_tied(const tacModel* model, int offset) {
    const tacContactPlan* plan = model->contact;
    for (int i = 0; i < plan->npair; ++i) {
        const int* f = plan->pair[i].friction;
        if (f[1] >= 0 && (offset == f[0] || offset == f[1]) &&
            model->param[f[0]] == model->param[f[1]])
            return 1;
    }
    return 0;
}

// parameters of geoms and shapes affect the motion through contact only
static int affects_contact(const tacModel* model, const char* name, int offset) {
    if (!model->contact || strstr(name, "/sol") || strstr(name, "/margin") || strstr(name, "/gap"))
        return 0;
    return !strstr(name, "/friction") || !is_tied(model, offset);
}

// parameters of a responder that is not in use do not affect the motion
int tac_param_affects_motion(const tacModel* model, int offset) {
    const char* name = model->paramname[model->paramgroup[offset]].name;
    int of_surface = strncmp(name, "shape:", 6) == 0 || strncmp(name, "geom:", 5) == 0 ||
                     strncmp(name, "pair:", 5) == 0;
    if (tac_is_param_held(model, offset)) return 0;
    if (of_surface) return affects_contact(model, name, offset);
    int has_limit_friction = model->contact && model->contact->nlimit_friction > 0;
    return strncmp(name, "body:world/", 11) != 0 &&
           (has_limit_friction || (!strstr(name, "/range") && !strstr(name, "/frictionloss")));
}

static double min_inertia(const tacCheckMotion* c, const tacJoint* joint) {
    double lowest = INFINITY;
    for (int k = 0; k < c->model->nv; ++k)
        if (&c->model->joint[c->model->dof[k].joint] == joint) lowest = fmin(lowest, c->inertia[k]);
    return lowest;
}

// How much of an armature, damping or stiffness a step of length h can do without where there is
// none: it adds to the inertia as it is, times h, times h^2, and less than none must leave some.
static double max_decrease(const tacCheckMotion* c, int offset) {
    double h = c->model->param[c->model->timestep];
    for (int i = 0; i < c->model->njoint; ++i) {
        const tacJoint* j = &c->model->joint[i];
        if (offset == j->armature) return 0.03 * min_inertia(c, j);
        if (offset == j->damping) return 0.03 * min_inertia(c, j) / h;
        if (offset == j->stiffness) return 0.03 * min_inertia(c, j) / (h * h);
    }
    return INFINITY;
}

// A typical change of a parameter: its size, or a tenth of its largest neighbour's where it is 0
// (an inertia's products must stay below its moments).
static double param_scale(const tacCheckMotion* c, int offset) {
    const tacModel* model = c->model;
    tacParam group = model->paramname[model->paramgroup[offset]].param;
    double own = fabs(model->param[offset]), most = 0.0;
    for (int i = 0; i < group.count; ++i) most = fmax(most, fabs(model->param[group.offset + i]));
    return own > 0.0 ? 0.3 * own : most > 0.0 ? 0.1 * most : fmin(1e-3, max_decrease(c, offset));
}

//---------------------------------- points ---------------------------------------

// How far points are drawn from the initial state of the scene. The first point is there; a little
// beside where the scene may rest on a kink: of drag, at velocity 0, or of the spring of a tendon,
// at an end of its slack. Bodies in contact stay near, so that they stay in contact.
static double sample_radius(const tacModel* model, int i) {
    if (i > 0 && model->contact) return i % 4 ? 0.005 : 0.1;
    return i > 0 ? 1.0 : model->fluid >= 0 || model->ntendon > 0 ? 0.05 : 0.0;
}

static void random_rotation(unsigned long long* random, const double* from, double radius,
                            double* quat) {
    double sum = 0.0;
    for (int k = 0; k < 4; ++k) {
        quat[k] = from[k] + 0.3 * radius * tac_check_normal(random);
        sum += quat[k] * quat[k];
    }
    for (int k = 0; k < 4; ++k) quat[k] /= sqrt(sum);
}

static void draw_positions(const tacCheckMotion* c, double radius, unsigned long long* random) {
    memcpy(c->qpos, c->at->qpos, sizeof *c->qpos * (size_t)c->model->nq);
    for (int k = 0; k < c->model->njoint && radius > 0.0; ++k) {
        const tacJoint* j = &c->model->joint[k];
        int ntranslate = j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
        double step = radius * (j->kind == TAC_JOINT_SLIDE ? 0.1 : 0.5), *q = c->qpos + j->qpos;
        for (int n = 0; n < ntranslate; ++n) q[n] += step * tac_check_normal(random);
        if (j->axis < 0)
            random_rotation(random, c->at->qpos + j->qpos + ntranslate, radius, q + ntranslate);
    }
}

// away from the ends of the range, where a clamp has a kink and a derivative one side
static double draw_inside(double u, double low, double high, int i, unsigned long long* random) {
    double margin = 0.05 * (high - low);
    if (i > 0) return tac_check_uniform(random, low + 2.0 * margin, high - 2.0 * margin);
    if (fabs(u - low) < margin) return low + margin;
    return fabs(u - high) < margin ? high - margin : u;
}

static void draw_control(const tacCheckMotion* c, int i, unsigned long long* random, double* u,
                         double* scale) {
    for (int k = 0; k < c->model->nu; ++k) {
        const tacActuator* a = &c->model->actuator[k];
        double low = a->ctrllimited ? a->ctrlrange[0] : -1.0;
        double high = a->ctrllimited ? a->ctrlrange[1] : 1.0;
        u[k] =
            i == 0 && !a->ctrllimited ? c->ctrl[k] : draw_inside(c->ctrl[k], low, high, i, random);
        scale[k] = 0.05 * (high - low);
    }
}

static void set_next(const tacCheckMotion* c, const double* x) {
    const tacModel* m = c->model;
    double* next = c->memory;
    tacState at = {.qpos = c->qpos, .qvel = (double*)x + m->nv, .act = (double*)x + 2 * m->nv};
    tacState to = {.qpos = c->qnext, .qvel = next, .act = next + m->nv};
    tac_step(m, &at, x + 2 * m->nv + m->na, &to, c->scratch);
}

// sizes of positions, one a degree of freedom: rotations are counted from 1
static void size_positions(const tacModel* m, const double* qpos, double* out) {
    for (int i = 0; i < m->njoint; ++i) {
        const tacJoint* j = &m->joint[i];
        int ntranslate = j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
        for (int k = 0; k < ntranslate; ++k) out[j->dof + k] = fabs(qpos[j->qpos + k]);
        for (int k = 0; k < 3 && j->axis < 0; ++k) out[j->dof + ntranslate + k] = 1.0;
    }
}

static int sample_motion(const void* context, int i, unsigned long long* random, double* x,
                         double* scale) {
    const tacCheckMotion* c = context;
    const tacModel* m = c->model;
    int nv = m->nv, nx = 2 * nv + m->na;
    double radius = sample_radius(m, i);
    draw_positions(c, radius, random);
    for (int k = 0; k < nx; ++k) {
        double from = k < nv ? 0.0 : k < 2 * nv ? c->at->qvel[k - nv] : c->at->act[k - 2 * nv];
        x[k] = from + (k >= nv && radius > 0.0 ? 0.5 * radius * tac_check_normal(random) : 0.0);
        scale[k] = 1.0;
    }
    draw_control(c, i, random, x + nx, scale + nx);
    for (int k = 0; k < c->used_count; ++k) {
        x[nx + m->nu + k] = m->param[c->used[k]];
        scale[nx + m->nu + k] = param_scale(c, c->used[k]);
    }
    if (c->steps > 0) set_next(c, x);
    size_positions(m, c->qpos, c->magnitude);
    if (c->next_magnitude) size_positions(m, c->qnext, c->next_magnitude);
    return c->outputs;
}

//---------------------------------- second derivatives ---------------------------

// The library keeps the adjoint of the next rotation fixed in the rotating frame, the adapter in
// its chart: as the rotation moves with w', the adjoint changes by -w' x y_bar/2.
static tacResult add_chart(const tacCheckMotion* c, const double* x, const double* y_bar,
                           const double* x_dot, int n, double* x_bar_dot) {
    int nx = 2 * c->model->nv + c->model->na;
    double *next = calloc((size_t)(2 * nx + n), sizeof *next), *bar = next + nx, *add = bar + nx;
    if (!next) return TAC_ERROR_MEMORY;
    tacResult result = tac_check_transition_double.jvp(c, x, x_dot, next);
    for (int i = 0; i < c->model->njoint; ++i) {
        const tacJoint* j = &c->model->joint[i];
        int k = j->kind == TAC_JOINT_FREE ? j->dof + 3 : j->dof;
        if (j->axis >= 0) continue;
        const double *w = next + k, *y = y_bar + k;
        for (int a = 0; a < 3; ++a)
            bar[k + a] = -0.5 * (w[(a + 1) % 3] * y[(a + 2) % 3] - w[(a + 2) % 3] * y[(a + 1) % 3]);
    }
    if (result == TAC_OK) result = tac_check_transition_double.vjp(c, x, bar, add);
    for (int i = 0; i < n; ++i) x_bar_dot[i] += add[i];
    free(next);
    return result;
}

static tacResult motion_hvp(const void* context, const double* x, const double* y_bar,
                            const double* x_dot, double* x_bar_dot) {
    const tacCheckMotion* c = context;
    const tacModel* m = c->model;
    int nv = m->nv, nx = 2 * nv + m->na, theta = nx + m->nu, n = theta + c->used_count;
    double *theta_dot = c->memory, *theta_bar = theta_dot + m->nparam;
    memset(theta_dot, 0, 2 * sizeof(double) * (size_t)m->nparam);
    memset(x_bar_dot, 0, sizeof(double) * (size_t)theta);
    for (int i = 0; i < c->used_count; ++i) theta_dot[c->used[i]] = x_dot[theta + i];
    double *v = (double*)x + nv, *y = (double*)y_bar, *d = (double*)x_dot;
    tacState at = {.qpos = c->qpos, .qvel = v, .act = v + nv};
    tacResult result = tac_step_hvp(
        m, &at, x + nx,
        &(tacStepHvp){.next_bar = (tacTangent){y, y + nv, y + 2 * nv},
                      .dot = {.x = (tacTangent){d, d + nv, d + 2 * nv},
                              .u = (double*)x_dot + nx,
                              .theta = theta_dot},
                      .bar = {.x = (tacTangent){x_bar_dot, x_bar_dot + nv, x_bar_dot + 2 * nv},
                              .u = x_bar_dot + nx,
                              .theta = theta_bar}},
        c->scratch);
    for (int i = 0; i < c->used_count; ++i) x_bar_dot[theta + i] = theta_bar[c->used[i]];
    return result == TAC_OK ? add_chart(c, x, y_bar, x_dot, n, x_bar_dot) : result;
}

//---------------------------------- problem --------------------------------------

static tacResult alloc_inertia(tacCheckMotion* c) {
    size_t nv = (size_t)c->model->nv;
    double* M = malloc(sizeof *M * nv * nv + 1);
    if (!M) return TAC_ERROR_MEMORY;
    tacResult result = tac_mass_matrix(c->model, c->at->qpos, M, c->scratch);
    for (size_t k = 0; k < nv && result == TAC_OK; ++k) c->inertia[k] = M[k * nv + k];
    free(M);
    return result;
}

static tacResult alloc_memory(tacCheckMotion* c) {
    const tacModel* m = c->model;
    size_t numbers = 2 * (size_t)m->nparam + 2 * (size_t)m->nq + 4 * (size_t)m->nv +
                     3 * (size_t)m->na + (size_t)m->nwarm;
    c->memory = calloc(1, 16 * numbers + tac_quantity_rollout_size(m, c->steps, 16) + 16);
    c->qpos = calloc(2 * (size_t)m->nq + 1, sizeof *c->qpos);
    c->used = calloc((size_t)m->nparam + 1, sizeof *c->used);
    c->magnitude = calloc(4 * (size_t)m->nv + (size_t)(2 * m->na + m->nu + m->nparam) + 1,
                          sizeof *c->magnitude);
    c->inertia = calloc((size_t)m->nv + 1, sizeof *c->inertia);
    if (!c->memory || !c->qpos || !c->used || !c->magnitude || !c->inertia) return TAC_ERROR_MEMORY;
    c->qnext = c->qpos + m->nq;
    for (int i = 0; i < m->nparam; ++i)
        if (tac_param_affects_motion(m, i)) c->used[c->used_count++] = i;
    return tac_scratch_create(m, &c->scratch);
}

tacResult tac_check_motion_begin(const tacModel* model, const tacState* at, const double* ctrl,
                                 const tacQuantity* what, int steps, tacCheckMotion* context,
                                 tacCheckProblem* problem) {
    *context = (tacCheckMotion){.model = model, .steps = steps, .at = at, .ctrl = ctrl};
    if (what) context->what = *what;
    tacResult result = alloc_memory(context);
    if (result == TAC_OK) result = alloc_inertia(context);
    if (result != TAC_OK) {
        tac_check_motion_end(context);
        return result;
    }
    int nx = 2 * model->nv + model->na;
    context->outputs = what ? 1 : nx;
    *problem = (tacCheckProblem){.name = model->name,
                                 .n = nx + model->nu + context->used_count,
                                 .m = context->outputs,
                                 .curved = {0, model->nv},
                                 .context = context,
                                 .as_double = &tac_check_transition_double,
                                 .as_complex = &tac_check_transition_complex,
                                 .as_quad = &tac_check_transition_quad,
                                 .x_magnitude = context->magnitude,
                                 .hvp = motion_hvp,
                                 .sample = sample_motion};
    if (!what) {
        problem->y_magnitude = context->next_magnitude = context->magnitude + problem->n;
        return TAC_OK;
    }
    problem->as_double = &tac_check_quantity_double;
    problem->as_quad = &tac_check_quantity_quad;
    problem->as_complex = &tac_check_quantity_complex;
    problem->hvp = NULL;
    return TAC_OK;
}

void tac_check_motion_end(tacCheckMotion* context) {
    tac_scratch_destroy(context->scratch);
    free(context->memory);
    free(context->qpos);
    free(context->used);
    free(context->magnitude);
    free(context->inertia);
}
