// Room for a solve of hard contact, and for its notes.

#include "step/strike.h"

#include "respond/dantzig.h"
#include "respond/islands.h"

#include <math.h>
#include <string.h>

enum { MAX_GROUPS = 256 };

//---------------------------------- sizes ----------------------------------

static int list_capacity(const tacModel* model) {
    return tac_hard_capacity(model) + tac_row_count(model);
}

static int group_capacity(const tacModel* model) {
    int all = list_capacity(model);
    return all < MAX_GROUPS ? all : MAX_GROUPS;
}

// groups of problems with equalities: none where there are none
static int held_capacity(const tacModel* model) {
    int on = model->nequality > 0 && !(model->disable & TAC_DISABLE_EQUALITY);
    return on ? group_capacity(model) : 0;
}

static size_t solver_size(int groups) {
    size_t a = tac_lcp_size(groups, 2), b = tac_islands_classes_size(groups, 2);
    size_t c = tac_dantzig_size(groups, 2), most = a > b ? a : b;
    return most > c ? most : c;
}

size_t tac_strike_size(const tacModel* model) {
    const size_t real = sizeof(double);
    size_t groups = (size_t)group_capacity(model), rows = 3 * groups, need = 0;
    size_t nv = (size_t)model->nv + 1, nbody = (size_t)model->nbody;
    size_t nrow = (size_t)tac_row_count(model) + 1;
    need += tac_arena_need(sizeof(tacStrike)) + tac_arena_need(real * (size_t)model->nparam);
    need += 2 * tac_flow_size(model, 1, real) + 2 * tac_motion_size(model, 1, real);
    need += tac_arena_need(sizeof(tacPose) * nbody);
    need += 2 * tac_contacts_size(tac_hard_capacity(model), 1, real);
    need += tac_arena_need(sizeof(tacHardTouch) * (size_t)(tac_hard_capacity(model) + 1));
    need += 4 * tac_arena_need(real * ((size_t)model->nq + nv)) + tac_motion_size(model, 1, real);
    need += tac_arena_need(sizeof(tacRow) * nrow) + tac_arena_need(real * nrow * nv);
    need +=
        tac_arena_need(sizeof(tacStrikeGroup) * groups) + tac_arena_need(sizeof(int[2]) * groups);
    need += tac_arena_need(sizeof(tacFrameDot) * groups);
    need += 2 * tac_arena_need(real * rows * nv) + tac_arena_need(real * rows * rows);
    need += 7 * tac_arena_need(real * (rows + 1)) + 6 * tac_arena_need(real * 6 * nbody);
    need += 8 * tac_arena_need(real * nv) + tac_arena_need(real * ((size_t)model->na + 1));
    need += tac_arena_need(solver_size((int)groups)) + tac_arena_need(tac_hard_size(model));
    need += tac_arena_need(tac_held_size(held_capacity(model))) + tac_arena_need(real * nv);
    need += tac_bounce_size(model->nv);
    return need + tac_dynamics_size(model, real);
}

//---------------------------------- a solve ----------------------------------

// of |g| h: what falls from rest has whole numbers of it, and none of them is here
static const double steps_of_rest = 2.5;

static double pull_of(const tacModel* model) {
    const double* g = model->param + model->gravity;
    if (model->disable & TAC_DISABLE_GRAVITY) return 0.0;
    return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

static double speed_of_rest(const tacModel* model) {
    return steps_of_rest * pull_of(model) * model->param[model->timestep] + 1e-9;
}

double tac_slow_jvp(const tacModel* model, const tacReal* theta_dot, double dt_dot) {
    const double *g = model->param + model->gravity, *g_dot = theta_dot + model->gravity;
    double pull = pull_of(model), dot = g[0] * g_dot[0] + g[1] * g_dot[1] + g[2] * g_dot[2];
    double pull_dot = pull > 0.0 ? dot / pull : 0.0;
    return steps_of_rest * (pull_dot * model->param[model->timestep] + pull * dt_dot);
}

void tac_slow_vjp(const tacModel* model, double slow_bar, tacReal* theta_bar, double* dt_bar) {
    double pull = pull_of(model), bar = steps_of_rest * slow_bar;
    *dt_bar += bar * pull;
    for (int i = 0; i < 3 && pull > 0.0; ++i)
        theta_bar[model->gravity + i] +=
            bar * model->param[model->timestep] * model->param[model->gravity + i] / pull;
}

static void take_arrays(tacStrike* s, tacArena* arena) {
    const tacModel* model = s->scene;
    int nv = model->nv, rows = 3 * s->capacity;
    s->pose = TAC_TAKE(arena, tacPose, model->nbody);
    s->contacts = tac_contacts_take(arena, tac_hard_capacity(s->scene), 1);
    s->touch = TAC_TAKE(arena, tacHardTouch, tac_hard_capacity(s->scene) + 1);
    s->contacts_end = tac_contacts_take(arena, tac_hard_capacity(s->scene), 1);
    s->q_end = TAC_TAKE(arena, double, model->nq + nv + 1);
    s->moved_q = s->q_end + model->nq;
    s->J_end = TAC_TAKE(arena, double, 3 * nv);
    s->row = TAC_TAKE(arena, tacRow, s->nrow + 1);
    s->row_J = TAC_TAKE(arena, double, (s->nrow + 1) * (nv + 1));
    s->group = TAC_TAKE(arena, tacStrikeGroup, s->capacity);
    s->moved = TAC_TAKE(arena, tacFrameDot, s->capacity);
    s->held_pieces = tac_arena_take(arena, sizeof(int[2]) * (size_t)s->capacity);
    s->classes = TAC_TAKE(arena, unsigned char, rows + 1);
    s->J = TAC_TAKE(arena, double, rows* nv);
    s->U = TAC_TAKE(arena, double, rows* nv);
    s->A = TAC_TAKE(arena, double, rows* rows);
    s->b = TAC_TAKE(arena, double, rows);
    s->mu = TAC_TAKE(arena, double, rows);
    s->b_dot = TAC_TAKE(arena, double, rows);
    s->mu_dot = TAC_TAKE(arena, double, rows);
    s->f_dot = TAC_TAKE(arena, double, rows);
    s->wrench = TAC_TAKE(arena, double, 6 * model->nbody);
    s->wrench_dot = TAC_TAKE(arena, double, 6 * model->nbody);
    double** const carried[] = {&s->carry.D_before, &s->carry.e_before, &s->carry.D_after,
                                &s->carry.e_after};
    for (int i = 0; i < 4; ++i) *carried[i] = TAC_TAKE(arena, double, 6 * model->nbody);
    s->free = TAC_TAKE(arena, double, nv);
    s->zero = TAC_TAKE(arena, double, nv);
    s->a = TAC_TAKE(arena, double, nv);
    s->work = TAC_TAKE(arena, double, nv);
    s->u0 = TAC_TAKE(arena, double, nv);
    s->a0 = TAC_TAKE(arena, double, nv);
    s->rate = TAC_TAKE(arena, double, model->na);
    s->memory = tac_arena_take(arena, solver_size(s->capacity));
    s->hard_memory = tac_arena_take(arena, tac_hard_size(s->scene));
    int held = held_capacity(model);
    s->held = tac_held_take(held, tac_arena_take(arena, tac_held_size(held)));
    s->push = TAC_TAKE(arena, double, nv);
    s->bounce = tac_bounce_take(nv, arena);
    memset(s->zero, 0, sizeof(double) * (size_t)nv);
}

tacStrike* tac_strike_take(const tacModel* model, const tacReal* u, tacScratch* scratch) {
    tacArena* arena = &scratch->arena;
    const tacContactPlan* plan = model->contact;
    tacStrike* s = TAC_TAKE(arena, tacStrike, 1);
    *s = (tacStrike){.scene = model, .moving = *model, .scratch = scratch};
    s->moving.param = TAC_TAKE(arena, tacReal, model->nparam);
    memcpy(s->moving.param, model->param, sizeof(tacReal) * (size_t)model->nparam);
    s->still = s->moving;
    s->still.disable |= TAC_DISABLE_GRAVITY | TAC_DISABLE_PASSIVE | TAC_DISABLE_ACTUATION;
    s->flow[0] = tac_flow_take(&s->moving, TAC_DISPATCH(tac_dynamics_single_), 0, scratch);
    s->flow[1] = tac_flow_take(&s->still, TAC_DISPATCH(tac_dynamics_single_), 0, scratch);
    for (int i = 0; i < 2; ++i) {
        s->flow[i].m.ctrl = u;
        s->flow[i].deep = 0;
    }
    s->flow[1].h = 1.0;
    s->before = tac_motion_take(model, 1, arena);
    s->after = tac_motion_take(model, 1, arena);
    s->end = tac_motion_take(model, 1, arena);
    s->straight = model->integrator == TAC_INTEGRATOR_EXPLICIT;
    s->flow[0].spins = !s->straight;
    s->nrow = tac_row_count(model);
    s->capacity = group_capacity(model);
    s->dt = model->param[model->timestep];
    s->delta = model->param[plan->number[TAC_CONTACT_DELTA]];
    s->delta_at = plan->number[TAC_CONTACT_DELTA];
    s->restitution = plan->number[TAC_CONTACT_RESTITUTION];
    s->frozen = plan->choice[TAC_CHOICE_BOUNDS];
    s->helpful = plan->choice[TAC_CHOICE_GRADIENT];
    s->slow = speed_of_rest(model);
    s->margin = 2.0 * (s->delta + s->slow * s->dt);
    take_arrays(s, arena);
    return s;
}

//---------------------------------- a note ----------------------------------

size_t tac_note_size(const tacModel* model) {
    size_t list = (size_t)list_capacity(model), rows = 3 * (size_t)group_capacity(model);
    size_t numbers = (size_t)(model->nq + 5 * model->nv + model->na) + 3 * rows + 4;
    return tac_arena_need(sizeof(double) * numbers) + tac_arena_need(3 * rows + list + 1);
}

tacStrikeNote tac_note_take(const tacStrike* s, tacArena* arena) {
    const tacModel* model = s->scene;
    int rows = 3 * s->capacity, list = list_capacity(model);
    tacStrikeNote note = {0};
    note.q = TAC_TAKE(arena, double, model->nq + 5 * model->nv + model->na + 3 * rows + 4);
    note.v = note.q + model->nq;
    note.u = note.v + model->nv;
    note.act = note.u + model->nv;
    note.f = note.act + model->na;
    note.part[0].f = note.f + rows;
    note.part[1].f = note.part[0].f + rows;
    note.share = note.part[1].f + rows;
    note.part[0].u = note.share + model->nv;
    note.part[1].u = note.part[0].u + model->nv;
    note.classes = TAC_TAKE(arena, unsigned char, 3 * rows + list + 1);
    note.bent = note.classes + rows;
    note.chosen = note.bent + rows;
    note.part[0].classes = note.chosen + list + 1;
    note.part[1].classes = note.classes;
    return note;
}
