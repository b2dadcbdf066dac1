// The step of hard contact.

#include "step/step_impulse.h"

#include <math.h>
#include <string.h>

enum { MAX_PASSES = 50, SPARE_NOTES = 100 };

// of the time left: what a stretch is planned for at least
#define SHORTEST 0.1

//---------------------------------- memory ----------------------------------

static int most_impacts(const tacModel* model) {
    return model->contact->choice[TAC_CHOICE_IMPACTS];
}

// beyond three quarters of the impacts there is no restitution (lateness), and twice as many again
static int most_stretches(const tacModel* model) { return 3 * most_impacts(model) + 1; }

static int most_notes(const tacModel* model) { return 2 * most_stretches(model) + SPARE_NOTES; }

size_t tac_hard_step_size(const tacModel* model) {
    size_t notes = (size_t)most_notes(model), stretches = (size_t)most_stretches(model) + 1;
    size_t point = (size_t)(model->nq + model->nv + model->na) + 3;
    return tac_strike_size(model) + notes * tac_note_size(model) +
           tac_arena_need(sizeof(tacStrikeNote) * notes) +
           tac_arena_need(sizeof(tacStretch) * stretches) +
           4 * tac_arena_need(sizeof(double) * point) +
           260 * tac_arena_need(sizeof(double) * point) +
           2 * tac_arena_need(sizeof(double) * ((size_t)model->nu * (size_t)model->nu + 2)) +
           4 * tac_arena_need(sizeof(double) * ((size_t)model->nparam + 1));
}

static void copy(double* to, const double* from, int n) {
    if (n > 0) memcpy(to, from, sizeof *to * (size_t)n);
}

static tacPoint take_point(const tacModel* model, tacArena* arena) {
    return (tacPoint){TAC_TAKE(arena, double, model->nq), TAC_TAKE(arena, double, model->nv),
                      TAC_TAKE(arena, double, model->na)};
}

static tacHardPass take_pass(const tacModel* model, const tacReal* u, tacScratch* scratch) {
    tacHardPass p = {.s = tac_strike_take(model, u, scratch), .most = most_notes(model)};
    p.stretch = TAC_TAKE(&scratch->arena, tacStretch, most_stretches(model) + 1);
    p.note = TAC_TAKE(&scratch->arena, tacStrikeNote, p.most);
    p.end = take_point(model, &scratch->arena);
    p.info.time_of_impact = p.s->dt;
    return p;
}

// a note of its own for a solve at a state
static tacStrikeNote* begin_note(tacHardPass* p, tacPoint x) {
    const tacModel* model = p->s->scene;
    tacStrikeNote* note = &p->note[p->notes++];
    *note = tac_note_take(p->s, &p->s->scratch->arena);
    copy(note->q, x.q, model->nq);
    copy(note->v, x.v, model->nv);
    copy(note->act, x.act, model->na);
    return note;
}

static void report(tacHardPass* p, const tacStrikeNote* note) {
    p->info.flags |= note->flags | (note->border ? TAC_ONE_SIDED : 0);
    p->info.passes += note->passes;
    p->info.residual = fmax(p->info.residual, note->residual);
    if (note->groups > p->info.contacts) p->info.contacts = note->groups;
}

//---------------------------------- one stretch ----------------------------------

// the velocity of the path
static const double* path_of(const tacModel* model, const tacStrikeNote* note) {
    return model->integrator == TAC_INTEGRATOR_EXPLICIT ? note->v : note->u;
}

// A pair that starts next to delta meets there, or at the floor: one of two sides.
static int is_on_border(const tacStrike* s, const tacStretch* t, double delta) {
    double least = INFINITY;
    for (int i = 0; i < s->contacts.count && t->meets.found; ++i)
        if (s->contacts.pair[i] == t->meets.pair) least = fmin(least, s->contacts.distance[i]);
    return fabs(least - delta) < 0.01 * delta;
}

// First meeting on the way. A pair that rests next to delta must not meet there again and again, so
// the level is a trace above it.
static tacResult meet(tacHardPass* p, tacStretch* t) {
    tacStrike* s = p->s;
    double least, most, trace = TAC_TRACE * s->delta;
    tac_strike_distances(s, s->delta + 10.0 * trace, &least, &most);
    tacImpactLevels levels = {fmax(s->delta, most + trace), TAC_FLOOR * s->delta,
                              (const int(*)[2])s->held_pieces, s->nheld};
    tacCourse course = {.qpos = t->push->q, .v = path_of(s->scene, t->push), .span = t->h};
    if (!s->scene->contact->choice[TAC_CHOICE_CCD]) {
        // detection at the start of the step alone: what touches then meets then
        t->meets = (tacHardImpact){.found = p->stretches == 1 && least <= s->delta, .pair = -1};
        return TAC_OK;
    }
    tacResult result = tac_hard_impact(s->scene, &course, levels, &t->meets, s->hard_memory);
    if (result == TAC_ERROR_VALUE) result = TAC_ERROR_DIVERGED; // places that are no numbers
    if (result == TAC_OK && is_on_border(s, t, levels.delta)) p->info.flags |= TAC_ONE_SIDED;
    return result;
}

// where the stretch leads after t->span
static void move(tacHardPass* p, const tacStretch* t, tacPoint x) {
    tacStrike* s = p->s;
    const tacModel* model = s->scene;
    const tacStrikeNote* note = t->push;
    const tacDynamicsKernels* k = s->flow[0].k;
    double part = t->span / t->h;
    k->integrate(model, note->q, path_of(model, note), t->span, x.q);
    for (int i = 0; i < model->nv; ++i)
        x.v[i] = t->meets.found ? note->v[i] + part * (note->u[i] - note->v[i]) : note->u[i];
    if (model->na == 0) return;
    s->moving.param[model->timestep] = t->span;
    k->act_next(&s->moving, note->act, s->rate, x.act);
}

// A body between two others may bounce without end in a finite time: the last impacts of a step are
// without restitution, and what touches is held however fast it approaches.
static int lateness(const tacHardPass* p) {
    int over = p->stretches - 1 - 3 * most_impacts(p->s->scene) / 4;
    return over > 0 ? over : 0;
}

// Every stretch that may follow needs two, and this collision one.
static int needed_notes(const tacHardPass* p) {
    return 2 * (most_stretches(p->s->scene) - p->stretches) + 2;
}

// Collisions one after the other until nothing approaches; where that has no end or no answer, one
// of all contacts without restitution.
static tacResult collide(tacHardPass* p, tacStretch* t, tacPoint x) {
    tacResult result = TAC_OK;
    t->first = p->notes;
    p->s->blow = 0.0;
    for (int pass = 0, all = p->s->late > 0; p->notes < p->most; ++pass) {
        tacStrikeNote* note = begin_note(p, x);
        int approach = tac_collide(p->s, note, all, &result);
        if (result == TAC_ERROR_UNSOLVED && !all) {
            --p->notes;
            all = 1;
            continue;
        }
        // what not even that solves is next to rest, and meets again
        if (result == TAC_ERROR_UNSOLVED) {
            p->info.flags |= TAC_FALLBACK;
            result = TAC_OK;
            approach = 0;
        }
        if (result != TAC_OK || approach == 0) {
            --p->notes;
            break;
        }
        report(p, note);
        copy(x.v, note->u, p->s->scene->nv);
        if (all) p->info.flags |= TAC_FALLBACK;
        if (all) break;
        all = pass + 2 >= MAX_PASSES || p->notes + needed_notes(p) >= p->most;
    }
    t->count = p->notes - t->first;
    return result;
}

//---------------------------------- the step ----------------------------------

static void judge_meeting(tacHardPass* p, const tacStretch* t) {
    if (p->stretches == 1) p->info.time_of_impact = t->span;
    if (!t->meets.exact) p->info.flags |= t->span > 0.0 ? TAC_GRAZING : TAC_ONE_SIDED;
    if (t->meets.ties > 0) p->info.flags |= TAC_TIE;
    // at the very end of a stretch: the next one has it, or none
    if (t->h - t->span < 1e-9 * t->h) p->info.flags |= TAC_ONE_SIDED;
}

// Bodies that start within one another have no path without intersection.
static int overlaps(const tacStrike* s) {
    double least, most;
    tac_strike_distances(s, 0.0, &least, &most);
    return least < -1e-9 && !s->scene->contact->choice[TAC_CHOICE_OVERLAP];
}

// Does a pair that its rows hold come nearer than the floor on the way, though not where the
// path ends?
static int dips(const tacStrike* s, const tacStretch* t) {
    const tacHardImpact* hit = &t->meets;
    return hit->found && hit->level < s->delta && hit->time < t->h && hit->rate > -s->slow;
}

// velocity and first meeting of the time t->h
static tacResult plan(tacHardPass* p, tacStretch* t) {
    t->push->h = t->span = t->h;
    tacResult result = tac_propagate(p->s, t->push);
    if (result == TAC_OK && p->stretches == 1 && overlaps(p->s)) result = TAC_ERROR_VALUE;
    return result == TAC_OK ? meet(p, t) : result;
}

static tacResult stretch(tacHardPass* p, double h, tacPoint x) {
    tacStretch* t = &p->stretch[p->stretches++];
    *t = (tacStretch){.h = h, .share = 1.0};
    p->s->late = lateness(p);
    t->push = begin_note(p, x);
    tacResult result = plan(p, t);
    // rows look at the end of the path: a shorter one has less of a dip
    while (result == TAC_OK && t->share > SHORTEST && (t->push->loose || dips(p->s, t))) {
        t->share *= 0.5;
        t->h = t->share * h;
        result = plan(p, t);
    }
    if (result != TAC_OK) return result;
    report(p, t->push);
    if (t->meets.found) t->span = fmin(t->meets.time, t->h);
    move(p, t, x);
    if (!t->meets.found) return TAC_OK;
    judge_meeting(p, t);
    return collide(p, t, x);
}

tacResult tac_hard_pass(const tacModel* model, const tacState* x, const tacReal* u,
                        tacScratch* scratch, tacHardPass* out) {
    *out = take_pass(model, u, scratch);
    tacPoint at = out->end;
    double h = out->s->dt;
    int limit = most_stretches(model);
    copy(at.q, x->qpos, model->nq);
    copy(at.v, x->qvel, model->nv);
    copy(at.act, x->act, model->na);
    tacResult result = TAC_OK;
    while (result == TAC_OK && h > 1e-13 * out->s->dt) {
        if (out->stretches == limit || out->notes + 3 >= out->most) {
            out->info.flags |= TAC_FALLBACK | TAC_CUT_SHORT;
            out->unused = h;
            break;
        }
        result = stretch(out, h, at);
        h -= out->stretch[out->stretches - 1].span;
    }
    if (result != TAC_OK) return result;
    int finite = tac_all_finite(at.q, model->nq) && tac_all_finite(at.v, model->nv) &&
                 tac_all_finite(at.act, model->na);
    return finite ? TAC_OK : TAC_ERROR_DIVERGED;
}

tacResult tac_hard_blow(const tacModel* model, const double* q, const double* v,
                        tacScratch* scratch, tacHardPass* out) {
    *out = take_pass(model, NULL, scratch);
    copy(out->end.q, q, model->nq);
    copy(out->end.v, v, model->nv);
    memset(out->end.act, 0, sizeof *out->end.act * (size_t)model->na);
    out->stretch[0] = (tacStretch){0};
    out->stretches = 1;
    tacResult result = collide(out, &out->stretch[0], out->end);
    if (result == TAC_OK && overlaps(out->s)) return TAC_ERROR_VALUE;
    return result == TAC_OK && !tac_all_finite(out->end.v, model->nv) ? TAC_ERROR_DIVERGED : result;
}

void tac_hard_hand_out(const tacHardPass* p, const tacState* x, tacState* next) {
    const tacModel* model = p->s->scene;
    tac_state_keep(model, x, next);
    copy(next->qpos, p->end.q, model->nq);
    copy(next->qvel, p->end.v, model->nv);
    copy(next->act, p->end.act, model->na);
}

tacResult tac_hard_step(const tacModel* model, const tacState* x, const tacReal* u, tacState* next,
                        tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    tacHardPass p;
    tacResult result = tac_hard_pass(model, x, u, scratch, &p);
    if (result == TAC_OK) tac_hard_hand_out(&p, x, next);
    scratch->info = p.info;
    scratch->arena.used = mark;
    return result;
}

tacResult tac_step_unused(const tacModel* model, const tacState* x, const tacReal* u,
                          tacReal* seconds, tacScratch* scratch) {
    tacResult result = seconds ? tac_step_check(model, x, u, scratch) : TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    *seconds = 0.0;
    if (!tac_is_hard(model)) return TAC_OK;
    size_t mark = scratch->arena.used;
    tacHardPass p;
    result = tac_hard_pass(model, x, u, scratch, &p);
    if (result == TAC_OK) *seconds = p.unused;
    scratch->info = p.info;
    scratch->arena.used = mark;
    return result;
}
