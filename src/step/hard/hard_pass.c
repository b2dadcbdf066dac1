// The step of hard contact.

#include "step/hard/hard_pass.h"

#include "math/vector_ops.h"
#include "respond/lcp/reference/lcp_reference.h"

#include <math.h>
#include <string.h>

enum { MAX_PASSES = 50, SPARE_RECORDS = 100 };

// of the time left: the shortest planned substep
#define MIN_SUBSTEP 0.1

//---------------------------------- memory ----------------------------------

static int max_impacts(const tacModel* model) { return model->contact->choice[TAC_CHOICE_IMPACTS]; }

// beyond three quarters of the impacts there is no restitution (count_overflow), and twice as many
// again
static int max_substeps(const tacModel* model) { return 3 * max_impacts(model) + 1; }

static int max_records(const tacModel* model) { return 2 * max_substeps(model) + SPARE_RECORDS; }

static tacStateArrays alloc_point(const tacModel* model, tacArena* arena) {
    return (tacStateArrays){TAC_ALLOC(arena, double, model->nq),
                            TAC_ALLOC(arena, double, model->nv),
                            TAC_ALLOC(arena, double, model->na)};
}

static tacHardPass alloc_pass(const tacModel* model, tacContactSolve* s, tacArena* arena) {
    return (tacHardPass){.s = s,
                         .substep = TAC_ALLOC(arena, tacSubstep, max_substeps(model)),
                         .record = TAC_ALLOC(arena, tacSolveRecord, max_records(model)),
                         .capacity = max_records(model),
                         .end = alloc_point(model, arena),
                         .info.time_of_impact = s->options.dt};
}

static tacHardPass begin_pass(const tacModel* model, const tacReal* u, tacScratch* scratch) {
    tacContactSolve* s = tac_contact_solve_alloc(model, u, scratch);
    return alloc_pass(model, s, &scratch->arena);
}

// A pass with all of its records. On top: a derivative of it, or dynamics while joint rows are
// listed; detection is measured by the detector.
size_t tac_hard_step_size(const tacModel* model) {
    tacArena dry = tac_arena_measure(1);
    tacContactSolve s;
    tac_contact_solve_measure(model, &dry, &s);
    alloc_pass(model, &s, &dry);
    for (int i = 0; i < max_records(model); ++i) tac_solve_record_alloc(&s, &dry);
    tac_hard_diff_measure(model, &dry);
    tac_dynamics_measure(model, &dry);
    return dry.peak;
}

// Impacts beyond those with restitution. A body between two others may bounce infinitely often in a
// finite time: the last impacts of a step have no restitution, and rows hold contacts however fast
// they approach.
static int count_overflow(const tacHardPass* p) {
    int over = p->substeps - 1 - 3 * max_impacts(p->s->scene) / 4;
    return over > 0 ? over : 0;
}

// a record for a solve at a state
static tacSolveRecord* begin_record(tacHardPass* p, tacStateArrays x) {
    const tacModel* model = p->s->scene;
    tacSolveRecord* record = &p->record[p->records++];
    *record = tac_solve_record_alloc(p->s, &p->s->scratch->arena);
    tac_copy_reals(record->q, x.q, model->nq);
    tac_copy_reals(record->v, x.v, model->nv);
    tac_copy_reals(record->act, x.act, model->na);
    record->impact_overflow = count_overflow(p);
    return record;
}

static void add_to_info(tacHardPass* p, const tacSolveRecord* record) {
    p->info.flags |= record->flags | (record->one_sided ? TAC_ONE_SIDED : 0);
    p->info.passes += record->passes;
    p->info.residual = fmax(p->info.residual, record->residual);
    if (record->constraints > p->info.contacts) p->info.contacts = record->constraints;
}

//---------------------------------- one substep ----------------------------------

// the velocity of the path
static const double* path_velocity(const tacModel* model, const tacSolveRecord* record) {
    return model->integrator == TAC_INTEGRATOR_EXPLICIT ? record->v : record->u;
}

// A pair that starts close to delta has its impact there or at the least distance: one of two
// sides.
static int is_near_delta(const tacContactSolve* s, const tacSubstep* t, double delta) {
    double least = INFINITY;
    for (int i = 0; i < s->candidates.contacts.count && t->impact.found; ++i)
        if (s->candidates.contacts.pair[i] == t->impact.pair)
            least = fmin(least, s->candidates.contacts.distance[i]);
    return fabs(least - delta) < 0.01 * delta;
}

// Did the substep begin with an impact of the same parts? They start at delta then, whatever the
// state is, and not next to it by chance.
static int follows_own_impact(const tacHardPass* p, const tacSubstep* t) {
    if (t == p->substep) return 0;
    const tacFirstImpact *before = &t[-1].impact, *now = &t->impact;
    return before->found && before->exact && before->part[0] == now->part[0] &&
           before->part[1] == now->part[1];
}

// First impact on the path. A pair that rests close to delta must not have one again and again, so
// the level is a trace above it.
static tacResult find_impact(tacHardPass* p, tacSubstep* t) {
    tacContactSolve* s = p->s;
    double least, most, trace = s->candidates.rounding;
    tac_contact_solve_distances(s, s->options.delta + 10.0 * trace, &least, &most);
    tacImpactLevels levels = {
        fmax(s->options.delta, most + trace), TAC_MIN_DISTANCE * s->options.delta,
        (const int(*)[2])s->problem.constrained_parts, s->problem.nconstrained};
    tacMotionPath path = {
        .qpos = t->record->q, .v = path_velocity(s->scene, t->record), .span = t->h};
    if (!s->scene->contact->choice[TAC_CHOICE_CCD]) {
        t->impact = tac_reference_discrete_impact(p->substeps == 1, least, s->options.delta);
        return TAC_OK;
    }
    tacResult result = tac_first_impact(s->scene, &path, levels, &t->impact, s->work.ccd_memory);
    if (result == TAC_ERROR_VALUE) result = TAC_ERROR_DIVERGED; // positions that are not finite
    if (result == TAC_OK && is_near_delta(s, t, levels.delta) && !follows_own_impact(p, t))
        p->info.flags |= TAC_ONE_SIDED;
    return result;
}

// state after t->span
static void advance_substep(tacHardPass* p, const tacSubstep* t, tacStateArrays x) {
    tacContactSolve* s = p->s;
    const tacModel* model = s->scene;
    const tacSolveRecord* record = t->record;
    const tacDynamicsKernels* k = s->dynamics.free[0].k;
    double elapsed = t->span / t->h;
    k->integrate(model, record->q, path_velocity(model, record), t->span, x.q);
    for (int i = 0; i < model->nv; ++i)
        x.v[i] =
            t->impact.found ? record->v[i] + elapsed * (record->u[i] - record->v[i]) : record->u[i];
    if (model->na == 0) return;
    s->dynamics.timed.param[model->timestep] = t->span;
    k->act_next(&s->dynamics.timed, record->act, s->dynamics.rate, x.act);
}

// Each substep that may follow needs two, and this collision one.
static int needed_records(const tacHardPass* p) {
    return 2 * (max_substeps(p->s->scene) - p->substeps) + 2;
}

// Impacts one after the other until no contact approaches. Where that does not end or has no
// answer: one impact of all contacts without restitution.
static tacResult solve_impacts(tacHardPass* p, tacSubstep* t, tacStateArrays x) {
    tacResult result = TAC_OK;
    t->first = p->records;
    double impact_speed = 0.0;
    for (int pass = 0, all = count_overflow(p) > 0; p->records < p->capacity; ++pass) {
        tacSolveRecord* record = begin_record(p, x);
        record->impact_speed = impact_speed;
        int approach = tac_solve_impact(p->s, record, all, &result);
        impact_speed = record->impact_speed;
        if (result == TAC_ERROR_UNSOLVED && !all) {
            --p->records;
            all = 1;
            continue;
        }
        // close to rest: the next substep finds its impact again
        if (result == TAC_ERROR_UNSOLVED) {
            p->info.flags |= TAC_FALLBACK;
            result = TAC_OK;
            approach = 0;
        }
        if (result != TAC_OK || approach == 0) {
            --p->records;
            break;
        }
        add_to_info(p, record);
        tac_copy_reals(x.v, record->u, p->s->scene->nv);
        if (all) p->info.flags |= TAC_FALLBACK;
        if (all) break;
        all = pass + 2 >= MAX_PASSES || p->records + needed_records(p) >= p->capacity;
    }
    t->count = p->records - t->first;
    return result;
}

//---------------------------------- the step ----------------------------------

static void flag_impact(tacHardPass* p, const tacSubstep* t) {
    if (p->substeps == 1) p->info.time_of_impact = t->span;
    if (!t->impact.exact) p->info.flags |= t->span > 0.0 ? TAC_GRAZING : TAC_ONE_SIDED;
    if (t->impact.ties > 0) p->info.flags |= TAC_TIE;
    // at the very end of a substep: the next one may have it, or none
    if (t->h - t->span < 1e-9 * t->h) p->info.flags |= TAC_ONE_SIDED;
}

// Bodies that overlap at the start have no path without intersection.
static int overlaps(const tacContactSolve* s) {
    double least, most;
    tac_contact_solve_distances(s, 0.0, &least, &most);
    return least < -0.01 * s->options.delta && !s->scene->contact->choice[TAC_CHOICE_OVERLAP];
}

// Does a constrained pair come nearer than the least distance on the path, though not at its end?
static int dips_below_floor(const tacContactSolve* s, const tacSubstep* t) {
    const tacFirstImpact* hit = &t->impact;
    return hit->found && hit->level < s->options.delta && hit->time < t->h &&
           hit->rate > -s->options.rest_speed;
}

// velocity and first impact of a substep of length t->h
static tacResult plan_substep(tacHardPass* p, tacSubstep* t) {
    t->record->h = t->span = t->h;
    tacResult result = tac_solve_substep(p->s, t->record);
    if (result == TAC_OK && p->substeps == 1 && overlaps(p->s)) result = TAC_ERROR_VALUE;
    return result == TAC_OK ? find_impact(p, t) : result;
}

static tacResult substep(tacHardPass* p, double h, tacStateArrays x) {
    tacSubstep* t = &p->substep[p->substeps++];
    *t = (tacSubstep){.h = h, .fraction = 1.0};
    t->record = begin_record(p, x);
    tacResult result = plan_substep(p, t);
    // rows hold at the end of the path: a shorter one dips less
    while (result == TAC_OK && t->fraction > MIN_SUBSTEP &&
           (t->record->unconverged || dips_below_floor(p->s, t))) {
        t->fraction *= 0.5;
        t->h = t->fraction * h;
        result = plan_substep(p, t);
    }
    if (result != TAC_OK) return result;
    add_to_info(p, t->record);
    if (t->impact.found) t->span = fmin(t->impact.time, t->h);
    advance_substep(p, t, x);
    if (!t->impact.found) return TAC_OK;
    flag_impact(p, t);
    return solve_impacts(p, t, x);
}

tacResult tac_hard_pass(const tacModel* model, const tacState* x, const tacReal* u,
                        tacScratch* scratch, tacHardPass* out) {
    *out = begin_pass(model, u, scratch);
    tacStateArrays at = out->end;
    double h = out->s->options.dt;
    int limit = max_substeps(model);
    tac_copy_reals(at.q, x->qpos, model->nq);
    tac_copy_reals(at.v, x->qvel, model->nv);
    tac_copy_reals(at.act, x->act, model->na);
    tacResult result = TAC_OK;
    while (result == TAC_OK && h > 1e-13 * out->s->options.dt) {
        if (out->substeps == limit || out->records + 3 >= out->capacity) {
            out->info.flags |= TAC_FALLBACK | TAC_IMPACT_OVERFLOW;
            out->unused = h;
            break;
        }
        result = substep(out, h, at);
        h -= out->substep[out->substeps - 1].span;
    }
    if (result != TAC_OK) return result;
    int finite = tac_all_finite(at.q, model->nq) && tac_all_finite(at.v, model->nv) &&
                 tac_all_finite(at.act, model->na);
    return finite ? TAC_OK : TAC_ERROR_DIVERGED;
}

tacResult tac_hard_collision(const tacModel* model, const double* q, const double* v,
                             tacScratch* scratch, tacHardPass* out) {
    *out = begin_pass(model, NULL, scratch);
    tac_copy_reals(out->end.q, q, model->nq);
    tac_copy_reals(out->end.v, v, model->nv);
    memset(out->end.act, 0, sizeof *out->end.act * (size_t)model->na);
    out->substep[0] = (tacSubstep){0};
    out->substeps = 1;
    tacResult result = solve_impacts(out, &out->substep[0], out->end);
    if (result == TAC_OK && overlaps(out->s)) return TAC_ERROR_VALUE;
    return result == TAC_OK && !tac_all_finite(out->end.v, model->nv) ? TAC_ERROR_DIVERGED : result;
}

void tac_hard_write_state(const tacHardPass* p, const tacState* x, tacState* next) {
    const tacModel* model = p->s->scene;
    tac_state_carry_over(model, x, next);
    tac_copy_reals(next->qpos, p->end.q, model->nq);
    tac_copy_reals(next->qvel, p->end.v, model->nv);
    tac_copy_reals(next->act, p->end.act, model->na);
}

tacResult tac_hard_step(const tacModel* model, const tacState* x, const tacReal* u, tacState* next,
                        tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    tacHardPass p;
    tacResult result = tac_hard_pass(model, x, u, scratch, &p);
    if (result == TAC_OK) tac_hard_write_state(&p, x, next);
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
