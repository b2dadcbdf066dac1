// Room for a solve of hard contact, and for its notes.

#include "respond/lcp/contact_solve.h"

#include "detect/detect.h"
#include "respond/lcp/dantzig.h"
#include "respond/lcp/islands.h"

#include <math.h>
#include <string.h>

enum { MAX_CONSTRAINTS = 256 };

//---------------------------------- sizes ----------------------------------

static int candidate_capacity(const tacModel* model) {
    return tac_convex_contacts_capacity(model) + tac_row_count(model);
}

static int constraint_capacity(const tacModel* model) {
    int all = candidate_capacity(model);
    return all < MAX_CONSTRAINTS ? all : MAX_CONSTRAINTS;
}

// groups of problems with equalities: none where there are none
static int equality_capacity(const tacModel* model) {
    int on = model->nequality > 0 && !(model->disable & TAC_DISABLE_EQUALITY);
    return on ? constraint_capacity(model) : 0;
}

static size_t lcp_workspace_size(int constraints) {
    size_t a = tac_lcp_size(constraints, 2), b = tac_islands_active_set_size(constraints, 2);
    size_t c = tac_dantzig_size(constraints, 2), most = a > b ? a : b;
    return most > c ? most : c;
}

size_t tac_contact_solve_size(const tacModel* model) {
    const size_t real = sizeof(double);
    size_t constraints = (size_t)constraint_capacity(model), rows = 3 * constraints, need = 0;
    size_t nv = (size_t)model->nv + 1, nbody = (size_t)model->nbody;
    size_t nrow = (size_t)tac_row_count(model) + 1;
    need +=
        tac_arena_align(sizeof(tacContactSolve)) + tac_arena_align(real * (size_t)model->nparam);
    need += 2 * tac_free_dynamics_size(model, 1, real) + 2 * tac_motion_size(model, 1, real);
    need += tac_arena_align(sizeof(tacPose) * nbody);
    need += 2 * tac_contacts_size(tac_convex_contacts_capacity(model), 1, real);
    need += tac_arena_align(sizeof(tacConvexContact) *
                            (size_t)(tac_convex_contacts_capacity(model) + 1));
    need += 4 * tac_arena_align(real * ((size_t)model->nq + nv)) + tac_motion_size(model, 1, real);
    need += tac_arena_align(sizeof(tacRow) * nrow) + tac_arena_align(real * nrow * nv);
    need += tac_arena_align(sizeof(tacConstraint) * constraints) +
            tac_arena_align(sizeof(int[2]) * constraints);
    need += tac_arena_align(sizeof(tacContactFrameDot) * constraints);
    need += 2 * tac_arena_align(real * rows * nv) + tac_arena_align(real * rows * rows);
    need += 7 * tac_arena_align(real * (rows + 1)) + 6 * tac_arena_align(real * 6 * nbody);
    need += 8 * tac_arena_align(real * nv) + tac_arena_align(real * ((size_t)model->na + 1));
    need += tac_arena_align(lcp_workspace_size((int)constraints)) +
            tac_arena_align(tac_ccd_size(model));
    need += tac_arena_align(tac_schur_size(equality_capacity(model))) + tac_arena_align(real * nv);
    need += tac_energy_bound_size(model->nv);
    return need + tac_dynamics_size(model, real);
}

//---------------------------------- a solve ----------------------------------

// of |g| h: what falls from rest has whole numbers of it, and none of them is here
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

static void alloc_arrays(tacContactSolve* s, tacArena* arena) {
    const tacModel* model = s->scene;
    int nv = model->nv, rows = 3 * s->problem.capacity;
    s->dynamics.pose = TAC_ALLOC(arena, tacPose, model->nbody);
    s->candidates.contacts = tac_contacts_alloc(arena, tac_convex_contacts_capacity(s->scene), 1);
    s->candidates.convex_contact =
        TAC_ALLOC(arena, tacConvexContact, tac_convex_contacts_capacity(s->scene) + 1);
    s->work.contacts_end = tac_contacts_alloc(arena, tac_convex_contacts_capacity(s->scene), 1);
    s->work.q_end = TAC_ALLOC(arena, double, model->nq + nv + 1);
    s->work.q_end_dot = s->work.q_end + model->nq;
    s->work.J_end = TAC_ALLOC(arena, double, 3 * nv);
    s->candidates.row = TAC_ALLOC(arena, tacRow, s->candidates.nrow + 1);
    s->candidates.row_J = TAC_ALLOC(arena, double, (s->candidates.nrow + 1) * (nv + 1));
    s->problem.constraint = TAC_ALLOC(arena, tacConstraint, s->problem.capacity);
    s->work.frame_dot = TAC_ALLOC(arena, tacContactFrameDot, s->problem.capacity);
    s->problem.constrained_parts =
        tac_arena_alloc(arena, sizeof(int[2]) * (size_t)s->problem.capacity);
    s->work.active_set = TAC_ALLOC(arena, unsigned char, rows + 1);
    s->problem.J = TAC_ALLOC(arena, double, rows* nv);
    s->problem.U = TAC_ALLOC(arena, double, rows* nv);
    s->problem.A = TAC_ALLOC(arena, double, rows* rows);
    s->problem.b = TAC_ALLOC(arena, double, rows);
    s->problem.mu = TAC_ALLOC(arena, double, rows);
    s->work.b_dot = TAC_ALLOC(arena, double, rows);
    s->work.mu_dot = TAC_ALLOC(arena, double, rows);
    s->work.f_dot = TAC_ALLOC(arena, double, rows);
    s->work.wrench = TAC_ALLOC(arena, double, 6 * model->nbody);
    s->work.wrench_dot = TAC_ALLOC(arena, double, 6 * model->nbody);
    double** const motion_bars[] = {&s->work.motion_bar.D_before, &s->work.motion_bar.e_before,
                                    &s->work.motion_bar.D_after, &s->work.motion_bar.e_after};
    for (int i = 0; i < 4; ++i) *motion_bars[i] = TAC_ALLOC(arena, double, 6 * model->nbody);
    s->dynamics.v_free = TAC_ALLOC(arena, double, nv);
    s->dynamics.zero = TAC_ALLOC(arena, double, nv);
    s->dynamics.a = TAC_ALLOC(arena, double, nv);
    s->work.joint_force = TAC_ALLOC(arena, double, nv);
    s->work.u0 = TAC_ALLOC(arena, double, nv);
    s->work.a0 = TAC_ALLOC(arena, double, nv);
    s->dynamics.rate = TAC_ALLOC(arena, double, model->na);
    s->work.lcp_memory = tac_arena_alloc(arena, lcp_workspace_size(s->problem.capacity));
    s->work.ccd_memory = tac_arena_alloc(arena, tac_ccd_size(s->scene));
    int equality = equality_capacity(model);
    s->work.schur = tac_schur_alloc(equality, tac_arena_alloc(arena, tac_schur_size(equality)));
    s->work.joint_impulse = TAC_ALLOC(arena, double, nv);
    s->energy_bound = tac_energy_bound_alloc(nv, arena);
    memset(s->dynamics.zero, 0, sizeof(double) * (size_t)nv);
}

tacContactSolve* tac_contact_solve_alloc(const tacModel* model, const tacReal* u,
                                         tacScratch* scratch) {
    tacArena* arena = &scratch->arena;
    const tacContactPlan* plan = model->contact;
    tacContactSolve* s = TAC_ALLOC(arena, tacContactSolve, 1);
    *s = (tacContactSolve){.scene = model, .scratch = scratch, .dynamics.timed = *model};
    s->dynamics.timed.param = TAC_ALLOC(arena, tacReal, model->nparam);
    memcpy(s->dynamics.timed.param, model->param, sizeof(tacReal) * (size_t)model->nparam);
    s->dynamics.unforced = s->dynamics.timed;
    s->dynamics.unforced.disable |=
        TAC_DISABLE_GRAVITY | TAC_DISABLE_PASSIVE | TAC_DISABLE_ACTUATION;
    s->dynamics.free[0] =
        tac_free_dynamics_alloc(&s->dynamics.timed, TAC_DISPATCH(tac_dynamics_single_), arena);
    s->dynamics.free[1] =
        tac_free_dynamics_alloc(&s->dynamics.unforced, TAC_DISPATCH(tac_dynamics_single_), arena);
    for (int i = 0; i < 2; ++i) {
        s->dynamics.free[i].m.ctrl = u;
        s->dynamics.free[i].use_aba = 0;
    }
    s->dynamics.free[1].h = 1.0;
    s->dynamics.before = tac_motion_alloc(model, 1, arena);
    s->dynamics.after = tac_motion_alloc(model, 1, arena);
    s->dynamics.end = tac_motion_alloc(model, 1, arena);
    s->options.explicit_path = model->integrator == TAC_INTEGRATOR_EXPLICIT;
    s->dynamics.free[0].gyroscopic = !s->options.explicit_path;
    s->candidates.nrow = tac_row_count(model);
    s->problem.capacity = constraint_capacity(model);
    s->options.dt = model->param[model->timestep];
    s->options.delta = model->param[plan->number[TAC_CONTACT_DELTA]];
    s->options.delta_param = plan->number[TAC_CONTACT_DELTA];
    s->options.restitution_param = plan->number[TAC_CONTACT_RESTITUTION];
    s->options.frozen_bounds = plan->choice[TAC_CHOICE_BOUNDS];
    s->options.descend_at_ties = plan->choice[TAC_CHOICE_GRADIENT];
    s->options.rest_speed = rest_speed_of(model);
    s->options.margin = 2.0 * (s->options.delta + s->options.rest_speed * s->options.dt);
    alloc_arrays(s, arena);
    return s;
}

//---------------------------------- a note ----------------------------------

size_t tac_solve_record_size(const tacModel* model) {
    size_t list = (size_t)candidate_capacity(model), rows = 3 * (size_t)constraint_capacity(model);
    size_t numbers = (size_t)(model->nq + 5 * model->nv + model->na) + 3 * rows + 4;
    return tac_arena_align(sizeof(double) * numbers) + tac_arena_align(3 * rows + list + 1);
}

tacSolveRecord tac_solve_record_alloc(const tacContactSolve* s, tacArena* arena) {
    const tacModel* model = s->scene;
    int rows = 3 * s->problem.capacity, list = candidate_capacity(model);
    tacSolveRecord record = {0};
    record.q = TAC_ALLOC(arena, double, model->nq + 5 * model->nv + model->na + 3 * rows + 4);
    record.v = record.q + model->nq;
    record.u = record.v + model->nv;
    record.act = record.u + model->nv;
    record.f = record.act + model->na;
    record.branch[0].f = record.f + rows;
    record.branch[1].f = record.branch[0].f + rows;
    record.restitution_share = record.branch[1].f + rows;
    record.branch[0].u = record.restitution_share + model->nv;
    record.branch[1].u = record.branch[0].u + model->nv;
    record.active_set = TAC_ALLOC(arena, unsigned char, 3 * rows + list + 1);
    record.nonlinear = record.active_set + rows;
    record.selection = record.nonlinear + rows;
    record.branch[0].active_set = record.selection + list + 1;
    record.branch[1].active_set = record.active_set;
    return record;
}
