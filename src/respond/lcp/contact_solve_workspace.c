// Memory of a solve of hard contact and of its records; options of the scene.

#include "respond/lcp/contact_solve.h"

#include "detect/detect.h"
#include "math/vector_ops.h"
#include "respond/lcp/dantzig.h"
#include "respond/lcp/islands.h"

#include <math.h>
#include <string.h>

enum { MAX_CONSTRAINTS = 256 };

//---------------------------------- capacity ----------------------------------

static int constraint_capacity(const tacModel* model) {
    int all = tac_convex_contacts_capacity(model) + tac_row_count(model);
    return all < MAX_CONSTRAINTS ? all : MAX_CONSTRAINTS;
}

// constraints of problems with equalities; 0 in scenes without
static int equality_capacity(const tacModel* model) {
    int on = model->nequality > 0 && !(model->disable & TAC_DISABLE_EQUALITY);
    return on ? constraint_capacity(model) : 0;
}

static size_t lcp_workspace_size(int constraints) {
    size_t solve = tac_lcp_size(constraints, 2);
    size_t diff = tac_islands_active_set_size(constraints, 2);
    size_t reference = tac_dantzig_size(constraints, 2);
    return tac_max_size(tac_max_size(solve, diff), reference);
}

//---------------------------------- options ----------------------------------

// In units of |g| dt: a body that falls from rest has whole numbers of it, so none is at the
// border.
static const double rest_steps = 2.5;

static double gravity_norm(const tacModel* model) {
    const double* g = model->param + model->gravity;
    if (model->disable & TAC_DISABLE_GRAVITY) return 0.0;
    return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

static double rest_speed_of(const tacModel* model) {
    return rest_steps * gravity_norm(model) * model->param[model->timestep] + 1e-9;
}

double tac_rest_speed_jvp(const tacModel* model, const tacReal* theta_dot, double dt_dot) {
    const double *g = model->param + model->gravity, *g_dot = theta_dot + model->gravity;
    double g_norm = gravity_norm(model), dot = g[0] * g_dot[0] + g[1] * g_dot[1] + g[2] * g_dot[2];
    double g_norm_dot = g_norm > 0.0 ? dot / g_norm : 0.0;
    return rest_steps * (g_norm_dot * model->param[model->timestep] + g_norm * dt_dot);
}

void tac_rest_speed_vjp(const tacModel* model, double rest_speed_bar, tacReal* theta_bar,
                        double* dt_bar) {
    double g_norm = gravity_norm(model), bar = rest_steps * rest_speed_bar;
    *dt_bar += bar * g_norm;
    for (int i = 0; i < 3 && g_norm > 0.0; ++i)
        theta_bar[model->gravity + i] +=
            bar * model->param[model->timestep] * model->param[model->gravity + i] / g_norm;
}

static tacSolveOptions read_options(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    int delta_param = plan->number[TAC_CONTACT_DELTA];
    double dt = model->param[model->timestep], delta = model->param[delta_param];
    double rest_speed = rest_speed_of(model);
    return (tacSolveOptions){.dt = dt,
                             .delta = delta,
                             .margin = 2.0 * (delta + rest_speed * dt),
                             .rest_speed = rest_speed,
                             .restitution_param = plan->number[TAC_CONTACT_RESTITUTION],
                             .delta_param = delta_param,
                             .explicit_path = model->integrator == TAC_INTEGRATOR_EXPLICIT,
                             .descend_at_ties = plan->choice[TAC_CHOICE_GRADIENT],
                             .frozen_bounds = plan->choice[TAC_CHOICE_BOUNDS]};
}

// The models are copies: their time step changes from substep to substep.
static void alloc_models(tacSolveDynamics* d, const tacModel* model, tacArena* arena) {
    tacReal* param = TAC_ALLOC(arena, tacReal, model->nparam);
    d->timed = *model;
    if (!tac_arena_measures(arena)) {
        memcpy(param, model->param, sizeof *param * (size_t)model->nparam);
        d->timed.param = param;
    }
    d->unforced = d->timed;
    d->unforced.disable |= TAC_DISABLE_GRAVITY | TAC_DISABLE_PASSIVE | TAC_DISABLE_ACTUATION;
}

static void alloc_dynamics(tacSolveDynamics* d, const tacModel* model, tacArena* arena) {
    alloc_models(d, model, arena);
    d->free[0] = tac_free_dynamics_alloc(&d->timed, TAC_DISPATCH(tac_dynamics_single_), arena);
    d->free[1] = tac_free_dynamics_alloc(&d->unforced, TAC_DISPATCH(tac_dynamics_single_), arena);
    for (int i = 0; i < 2; ++i) d->free[i].use_aba = 0;
    d->free[0].gyroscopic = model->integrator != TAC_INTEGRATOR_EXPLICIT;
    d->free[1].h = 1.0;
    d->before = tac_motion_alloc(model, 1, arena);
    d->after = tac_motion_alloc(model, 1, arena);
    d->end = tac_motion_alloc(model, 1, arena);
    d->pose = TAC_ALLOC(arena, tacPose, model->nbody);
    d->v_free = TAC_ALLOC(arena, double, model->nv);
    d->zero = tac_alloc_zero(arena, model->nv);
    d->a = TAC_ALLOC(arena, double, model->nv);
    d->rate = TAC_ALLOC(arena, double, model->na);
}

static tacSolveCandidates alloc_candidates(const tacModel* model, tacArena* arena) {
    int contacts = tac_convex_contacts_capacity(model), rows = tac_row_count(model);
    return (tacSolveCandidates){
        .contacts = tac_contacts_alloc(arena, contacts, 1),
        .convex_contact = TAC_ALLOC(arena, tacConvexContact, contacts),
        .row = TAC_ALLOC(arena, tacRow, rows),
        .row_J = TAC_ALLOC(arena, double, rows * model->nv),
        .nrow = rows,
    };
}

static tacContactProblem alloc_problem(const tacModel* model, tacArena* arena) {
    int capacity = constraint_capacity(model), rows = 3 * capacity, nv = model->nv;
    return (tacContactProblem){
        .constraint = TAC_ALLOC(arena, tacConstraint, capacity),
        .capacity = capacity,
        .J = TAC_ALLOC(arena, double, rows* nv),
        .U = TAC_ALLOC(arena, double, rows* nv),
        .A = TAC_ALLOC(arena, double, rows* rows),
        .b = TAC_ALLOC(arena, double, rows),
        .mu = TAC_ALLOC(arena, double, capacity),
        .constrained_parts = tac_arena_alloc(arena, sizeof(int[2]) * (size_t)capacity),
    };
}

static tacSolveWorkspace alloc_workspace(const tacModel* model, int capacity, tacArena* arena) {
    int nv = model->nv, rows = 3 * capacity, wrench = 6 * model->nbody;
    return (tacSolveWorkspace){
        .contacts_end = tac_contacts_alloc(arena, tac_convex_contacts_capacity(model), 1),
        .q_end = TAC_ALLOC(arena, double, model->nq),
        .q_end_dot = TAC_ALLOC(arena, double, nv),
        .J_end = TAC_ALLOC(arena, double, 3 * nv),
        .joint_force = TAC_ALLOC(arena, double, nv),
        .joint_impulse = TAC_ALLOC(arena, double, nv),
        .b_dot = TAC_ALLOC(arena, double, rows),
        .mu_dot = TAC_ALLOC(arena, double, rows),
        .f_dot = TAC_ALLOC(arena, double, rows),
        .u0 = TAC_ALLOC(arena, double, nv),
        .a0 = TAC_ALLOC(arena, double, nv),
        .wrench = TAC_ALLOC(arena, double, wrench),
        .wrench_dot = TAC_ALLOC(arena, double, wrench),
        .active_set = TAC_ALLOC(arena, unsigned char, rows),
        .frame_dot = TAC_ALLOC(arena, tacContactFrameDot, capacity),
        .motion_bar = {.D_before = TAC_ALLOC(arena, double, wrench),
                       .e_before = TAC_ALLOC(arena, double, wrench),
                       .D_after = TAC_ALLOC(arena, double, wrench),
                       .e_after = TAC_ALLOC(arena, double, wrench)},
        .schur = tac_schur_alloc(equality_capacity(model), arena),
        .lcp_memory = tac_arena_alloc(arena, lcp_workspace_size(capacity)),
        .ccd_memory = tac_arena_alloc(arena, tac_ccd_size(model)),
    };
}

static void alloc_parts(tacContactSolve* s, const tacModel* model, tacArena* arena) {
    *s = (tacContactSolve){.scene = model, .options = read_options(model)};
    alloc_dynamics(&s->dynamics, model, arena);
    s->candidates = alloc_candidates(model, arena);
    s->problem = alloc_problem(model, arena);
    s->work = alloc_workspace(model, s->problem.capacity, arena);
    s->energy_bound = tac_energy_bound_alloc(model->nv, arena);
}

void tac_contact_solve_measure(const tacModel* model, tacArena* dry, tacContactSolve* s) {
    TAC_ALLOC(dry, tacContactSolve, 1);
    alloc_parts(s, model, dry);
}

tacContactSolve* tac_contact_solve_alloc(const tacModel* model, const tacReal* u,
                                         tacScratch* scratch) {
    tacContactSolve* s = TAC_ALLOC(&scratch->arena, tacContactSolve, 1);
    alloc_parts(s, model, &scratch->arena);
    s->scratch = scratch;
    for (int i = 0; i < 2; ++i) s->dynamics.free[i].m.ctrl = u;
    return s;
}

//---------------------------------- record ----------------------------------

tacSolveRecord tac_solve_record_alloc(const tacContactSolve* s, tacArena* arena) {
    const tacModel* model = s->scene;
    int nv = model->nv, rows = 3 * s->problem.capacity;
    int candidates = s->candidates.contacts.capacity + s->candidates.nrow;
    tacSolveRecord record = {
        .q = TAC_ALLOC(arena, double, model->nq),
        .v = TAC_ALLOC(arena, double, nv),
        .act = TAC_ALLOC(arena, double, model->na),
        .selection = TAC_ALLOC(arena, unsigned char, candidates),
        .nonlinear = TAC_ALLOC(arena, unsigned char, s->problem.capacity),
        .u = TAC_ALLOC(arena, double, nv),
        .f = TAC_ALLOC(arena, double, rows),
        .active_set = TAC_ALLOC(arena, unsigned char, rows),
        .restitution_share = TAC_ALLOC(arena, double, nv),
    };
    for (int i = 0; i < 2; ++i)
        record.branch[i] = (tacSolveBranch){.f = TAC_ALLOC(arena, double, rows),
                                            .u = TAC_ALLOC(arena, double, nv),
                                            .active_set = record.active_set};
    record.branch[0].active_set = TAC_ALLOC(arena, unsigned char, rows);
    return record;
}
