// Contact discovery: a hand 6 cm away from a T, both at rest, pushes it to a goal that lies behind
// it. L-BFGS over the controls of 150 steps, from zero controls.
//
//   widths of the pair hand-T: wide --L-BFGS--> halved --L-BFGS--> ... --> those of the scene
//
// At the widths of the scene the gradient from zero controls is exactly that of the controls' own
// cost: the activity of every contact of the hand is 0. Wide pairs see the T from a distance; each
// stage starts from the controls of the one before. docs/contact.md, "Contact discovery".

#include "experiments/discovery/lbfgs.h"
#include "experiments/experiments.h"

#include "base/assert.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 150, NQ = 9, NV = 8, NU = 2, CONTROLS = STEPS * NU };

// Both pairs of the hand have widths and stiffnesses of their own: the floor stays sharp.
static const char push_scene[] =
    "<mujoco><option timestep='.01'/><tactus detect='manifold' %s/><worldbody>"
    "<geom name='floor' type='plane' size='5 5 1' friction='.3'/>"
    "<body pos='0 0 .05'><freejoint/>"
    "<geom name='bar' type='box' size='.1 .03 .05' mass='.25' friction='.3'/>"
    "<geom name='stem' type='box' size='.03 .06 .05' pos='0 -.09 0' mass='.25' friction='.3'/>"
    "</body>"
    "<body name='hand' pos='-.2 -.02 .05'><joint name='x' type='slide' axis='1 0 0' damping='5'/>"
    "<joint name='y' type='slide' axis='0 1 0' damping='5'/>"
    "<geom name='ball' type='sphere' size='.04' mass='1' friction='.3'/></body></worldbody>"
    "<contact><exclude body1='hand' body2='world'/>"
    "<pair geom1='ball' geom2='bar' friction='.3 .3' %s/>"
    "<pair geom1='ball' geom2='stem' friction='.3 .3' %s/></contact>"
    "<actuator><motor joint='x' gear='10'/><motor joint='y' gear='10'/></actuator></mujoco>";

static const double goal[3] = {0.35, 0.1, 0.5}; // x, y [m], yaw [rad]
static const double control_cost = 1e-4;

//---------------------------------- rollout --------------------------------------

typedef struct pushTask {
    tacModel* model;
    tacScratch* scratch;
    double q[STEPS + 1][NQ], v[STEPS + 1][NV];
    int rollouts;
} pushTask;

static double yaw_of(const double* q) { return 2.0 * atan2(q[6], q[3]); }

// cost of the last state, and its gradient in tangent coordinates
static double end_cost(const double* q, const double* v, double* q_bar, double* v_bar) {
    double cost = 0.0, turn = yaw_of(q) - goal[2];
    for (int k = 0; k < 2; ++k) {
        cost += 50.0 * (q[k] - goal[k]) * (q[k] - goal[k]);
        q_bar[k] = 100.0 * (q[k] - goal[k]);
    }
    for (int k = 0; k < 6; ++k) {
        cost += 0.1 * v[k] * v[k];
        v_bar[k] = 0.2 * v[k];
    }
    q_bar[5] = 4.0 * turn;
    return cost + 2.0 * turn * turn;
}

static double rollout_cost(pushTask* p, const double* u) {
    double cost = 0.0, bar[2 * NV] = {0};
    ++p->rollouts;
    memcpy(p->q[0], p->model->qpos0, sizeof p->q[0]);
    memset(p->v[0], 0, sizeof p->v[0]);
    for (int i = 0; i < STEPS; ++i) {
        tacState x = {.qpos = p->q[i], .qvel = p->v[i]};
        tacState next = {.qpos = p->q[i + 1], .qvel = p->v[i + 1]};
        if (tac_step(p->model, &x, u + NU * i, &next, p->scratch) != TAC_OK) return INFINITY;
        for (int k = 0; k < NU; ++k) cost += control_cost * u[NU * i + k] * u[NU * i + k];
    }
    return cost + end_cost(p->q[STEPS], p->v[STEPS], bar, bar + NV);
}

static double push_cost(void* context, const double* u, double* gradient) {
    pushTask* p = context;
    double cost = rollout_cost(p, u), bar[2 * NV] = {0};
    if (!gradient || !isfinite(cost)) return cost;
    end_cost(p->q[STEPS], p->v[STEPS], bar, bar + NV);
    memset(gradient, 0, sizeof *gradient * CONTROLS);
    for (int i = STEPS - 1; i >= 0; --i) {
        double before[2 * NV] = {0};
        tacState x = {.qpos = p->q[i], .qvel = p->v[i]};
        tacStepTangent x_bar = {{before, before + NV, NULL}, gradient + NU * i, NULL};
        if (tac_step_vjp(p->model, &x, u + NU * i, (tacTangent){bar, bar + NV, NULL}, x_bar,
                         p->scratch) != TAC_OK)
            return INFINITY;
        for (int k = 0; k < NU; ++k) gradient[NU * i + k] += 2.0 * control_cost * u[NU * i + k];
        memcpy(bar, before, sizeof bar);
    }
    return cost;
}

//---------------------------------- stages ---------------------------------------

// Width of a stage: eps3 of the hand's pairs, and tau; activities end at 8 tau. k eps3 is the force
// at touch over ln 2: what the hand is to push with, whatever the width. 0: the scene's defaults.
static const double widths[] = {0.02, 0.01, 0.005, 0.002, 0.001, 0.0}, push_force = 5.0;

// `more` are other attributes of <tactus>
static int open_stage(pushTask* p, double width, const char* more) {
    char text[2048], scene[80], pair[80] = "";
    tacMessage message;
    snprintf(scene, sizeof scene, "%s", more);
    if (width > 0.0) {
        snprintf(scene, sizeof scene, "tau='%g' support='%g'", width, 8.0 * width);
        snprintf(pair, sizeof pair, "eps3='%g' stiffness='%g'", width, push_force / width);
    }
    snprintf(text, sizeof text, push_scene, scene, pair, pair);
    p->model = NULL;
    p->scratch = NULL;
    tacResult result = tac_load_text(text, (int)strlen(text), "push", NULL, &p->model, &message);
    if (result == TAC_OK) result = tac_scratch_create(p->model, &p->scratch);
    return result == TAC_OK ? 0 : cli_error_message(result, &message);
}

static void close_stage(pushTask* p) {
    tac_scratch_destroy(p->scratch);
    tac_model_destroy(p->model);
}

// how far the T is from its goal
static double position_error(const pushTask* p) {
    return hypot(p->q[STEPS][0] - goal[0], p->q[STEPS][1] - goal[1]);
}

static double norm_of(const double* x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += x[i] * x[i];
    return sqrt(sum);
}

// norm of the gradient at zero controls; negative after a message
static double gradient_at_rest(pushTask* p, double width, const char* more, double* u) {
    if (open_stage(p, width, more)) return -1.0;
    memset(u, 0, sizeof *u * CONTROLS);
    push_cost(p, u, u + CONTROLS);
    close_stage(p);
    return norm_of(u + CONTROLS, CONTROLS);
}

static void gradient_rows(trial* t, pushTask* p, double* u) {
    trial_expect_at_most(t, "gradient at rest, defaults", gradient_at_rest(p, 0.0, "", u), "", 0.0);
    trial_expect_at_least(t, "gradient at rest, surrogate 50",
                          gradient_at_rest(p, 0.0, "surrogate='50'", u), "", 1e-6);
    trial_expect_at_least(t, "gradient at rest, width 20 mm", gradient_at_rest(p, 0.02, "", u), "",
                          1e-3);
}

static int stage_rows(trial* t, pushTask* p, double* u) {
    memset(u, 0, sizeof *u * CONTROLS);
    for (int i = 0; i < TAC_COUNT(widths); ++i) {
        char id[60];
        if (open_stage(p, widths[i], "")) return CLI_ERROR;
        double cost = lbfgs_minimize((lbfgsProblem){CONTROLS, push_cost, p}, u, 300);
        rollout_cost(p, u);
        if (widths[i] > 0.0)
            snprintf(id, sizeof id, "width %g mm: cost", 1e3 * widths[i]);
        else
            snprintf(id, sizeof id, "defaults: cost");
        trial_report(t, id, cost, "");
        if (i == TAC_COUNT(widths) - 1) {
            trial_expect_at_most(t, "the T misses its place by", 1e3 * position_error(p), "mm",
                                 10.0);
            trial_expect_near(t, "its yaw", yaw_of(p->q[STEPS]), "rad", goal[2], 0.05);
            trial_report(t, "rollouts of all stages", p->rollouts, "");
        }
        close_stage(p);
        trial_progress(t, (i + 1.0) / TAC_COUNT(widths));
    }
    return 0;
}

int experiment_push_discovery(trial* t) {
    pushTask* p = calloc(1, sizeof *p);
    double* u = calloc(2 * CONTROLS, sizeof *u);
    int code = p && u ? 0 : CLI_ERROR;
    if (code == 0) gradient_rows(t, p, u);
    if (code == 0) code = stage_rows(t, p, u);
    free(u);
    free(p);
    return code;
}
