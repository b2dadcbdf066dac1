// The proof of a step of hard contact.
//
//   run --states without flags--> random tangents --jvp--> against vjp, against differences

#include "grad_hard.h"

#include "report.h"

#include "base/dispatch.h"
#include "dynamics/dynamics.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 40, TRIES = 50 };

// bars of docs/hard.md
static const double both_ways = 1e-10, by_differences = 1e-6;

typedef struct proof {
    const tacModel* model;
    const double* ctrl;
    tacScratch* scratch;
    tacState x, plus, minus;               // a state of the run; what neighbours become
    double *q, *v, *u, *dot, *next, *back; // neighbour (nq) (nv) (nu), tangents (2 nv + na + nu)
    int count;                             // of a tangent
    unsigned long long random;
    int compared, touching, left_out; // states; those with contacts or an impact among them
    double vjp, difference;           // worst
} proof;

static double chance(proof* p) {
    p->random = p->random * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(p->random >> 11) / 4503599627370496.0 - 1.0;
}

static tacTangent tangent(const proof* p, double* at) {
    int nv = p->model->nv;
    return (tacTangent){at, at + nv, at + 2 * nv};
}

// the step of a neighbour, t along the tangent
static tacResult step_from(proof* p, double t, tacState* out) {
    const tacModel* m = p->model;
    const double* dot = p->dot;
    double* act = p->v + m->nv;
    TAC_DISPATCH(tac_dynamics_single_)->integrate(m, p->x.qpos, dot, t, p->q);
    for (int i = 0; i < m->nv; ++i) p->v[i] = p->x.qvel[i] + t * dot[m->nv + i];
    for (int i = 0; i < m->na; ++i) act[i] = p->x.act[i] + t * dot[2 * m->nv + i];
    for (int i = 0; i < m->nu; ++i) p->u[i] = p->ctrl[i] + t * dot[2 * m->nv + m->na + i];
    tacState at = {.qpos = p->q, .qvel = p->v, .act = act};
    return tac_step(m, &at, p->u, out, p->scratch);
}

// largest difference of the slopes, of their size; positions by their coordinates
static double error_at(proof* p, double t, const double* slope) {
    const tacModel* m = p->model;
    double worst = 0.0, size = 1.0;
    if (step_from(p, t, &p->plus) != TAC_OK || step_from(p, -t, &p->minus) != TAC_OK)
        return INFINITY;
    for (int i = 0; i < m->nq + m->nv + m->na; ++i) {
        double found = (p->plus.qpos[i] - p->minus.qpos[i]) / (2.0 * t);
        size = fmax(size, fabs(slope[i]));
        worst = fmax(worst, fabs(found - slope[i]));
    }
    return worst / size;
}

// the tangent `next` of the state `to` in coordinates, into slope
static void coordinates(proof* p, const tacState* to, double* slope) {
    const tacModel* m = p->model;
    const tacDynamicsKernels* k = TAC_DISPATCH(tac_dynamics_single_);
    const double t = 1e-6;
    k->integrate(m, to->qpos, p->next, t, slope);
    k->integrate(m, to->qpos, p->next, -t, p->q);
    for (int i = 0; i < m->nq; ++i) slope[i] = (slope[i] - p->q[i]) / (2.0 * t);
    memcpy(slope + m->nq, p->next + m->nv, sizeof *slope * (size_t)(m->nv + m->na));
}

// of the last call: does a remark call its derivative one-sided?
static int is_flagged(const proof* p) {
    return (tac_step_info(p->scratch).flags & ~TAC_BOUNDED) != 0;
}

static tacResult compare(proof* p, const tacState* to, double* slope) {
    const tacModel* m = p->model;
    int nx = 2 * m->nv + m->na;
    double left = 0.0, right = 0.0, size = 1.0, least = INFINITY;
    for (int i = 0; i < p->count; ++i) {
        p->dot[i] = chance(p);
        p->back[i] = 0.0;
    }
    tacResult result = tac_step_jvp(m, &p->x, p->ctrl, tangent(p, p->dot), p->dot + nx, NULL,
                                    tangent(p, p->next), p->scratch);
    if (result != TAC_OK) return result;
    // derivatives look further than the step: jammed bodies
    if (is_flagged(p)) {
        ++p->left_out;
        return TAC_OK;
    }
    coordinates(p, to, slope);
    for (double t = 1e-4; t > 5e-13; t *= 0.2) least = fmin(least, error_at(p, t, slope));
    for (int i = 0; i < nx; ++i) right += p->next[i] * p->next[i];
    result = tac_step_vjp(m, &p->x, p->ctrl, tangent(p, p->next), tangent(p, p->back), p->back + nx,
                          NULL, p->scratch);
    for (int i = 0; i < p->count; ++i) {
        left += p->back[i] * p->dot[i];
        size += fabs(p->back[i] * p->dot[i]);
    }
    p->vjp = fmax(p->vjp, fabs(left - right) / (size + right));
    p->difference = fmax(p->difference, least);
    ++p->compared;
    return result;
}

// An impact at the very end: differences would move it into the next step.
static int is_last(const proof* p, double time) {
    double dt = p->model->param[p->model->timestep];
    return time < dt && time > (1.0 - 1e-2) * dt;
}

static tacResult run(proof* p, int points, tacState* next, double* slope) {
    const tacModel* m = p->model;
    tacResult result = TAC_OK;
    for (int i = 0; i < TRIES * points && p->compared < points && result == TAC_OK; ++i) {
        result = tac_step(m, &p->x, p->ctrl, next, p->scratch);
        if (result != TAC_OK) break;
        tacInfo info = tac_step_info(p->scratch);
        int touches = info.contacts > 0 || info.time_of_impact < m->param[m->timestep];
        // flight is the same everywhere: a quarter of the states is enough
        int enough = !touches && 4 * (p->compared - p->touching) >= points;
        int compared = p->compared;
        if (is_flagged(p) || is_last(p, info.time_of_impact))
            ++p->left_out;
        else if (!enough)
            result = compare(p, next, slope);
        p->touching += touches && p->compared > compared;
        memcpy(p->x.qpos, next->qpos, sizeof(double) * (size_t)(m->nq + m->nv + m->na));
    }
    return result;
}

static tacState state_in(const tacModel* m, double* at) {
    return (tacState){.qpos = at, .qvel = at + m->nq, .act = at + m->nq + m->nv};
}

static int tell(const char* what, double worst, double bar) {
    int fine = worst <= bar;
    printf("    %-18s  worst %-8.2g <= %-6g %s\n", what, worst, bar, fine ? "ok" : "WRONG");
    return fine;
}

static int report(const proof* p) {
    printf("step of hard contact: %d states of a run, %d of them in contact, %d left out (flagged, "
           "or an impact at the end of the step)\n",
           p->compared, p->touching, p->left_out);
    int both = tell("jvp = vjp", p->vjp, both_ways);
    int slopes = tell("jvp = difference", p->difference, by_differences);
    if (p->compared == 0) cli_wrong("grad", "no state without a flag: nothing compared");
    return both && slopes && p->compared > 0 ? CLI_FINE : CLI_NO;
}

int cli_check_hard(const tacModel* m, const tacState* start, const double* ctrl,
                   const cliMotionCall* call) {
    size_t state = (size_t)(m->nq + m->nv + m->na) + 1;
    proof p = {.model = m, .ctrl = ctrl, .count = 2 * m->nv + m->na + m->nu};
    size_t tangents = (size_t)p.count + 1;
    double* at = calloc(6 * state + (size_t)m->nu + 3 * tangents, sizeof *at);
    tacResult result = at ? tac_scratch_create(m, &p.scratch) : TAC_ERROR_MEMORY;
    if (result == TAC_OK) {
        double* of = at;
        tacState next = state_in(m, at + 3 * state);
        p.x = state_in(m, of);
        p.plus = state_in(m, of + state);
        p.minus = state_in(m, of + 2 * state);
        p.q = at + 4 * state;
        p.v = p.q + m->nq;
        p.u = at + 6 * state;
        p.dot = p.u + m->nu;
        p.next = p.dot + tangents;
        p.back = p.next + tangents;
        p.random = (unsigned long long)call->seed;
        memcpy(p.x.qpos, start->qpos, sizeof(double) * (size_t)m->nq);
        memcpy(p.x.qvel, start->qvel, sizeof(double) * (size_t)m->nv);
        if (m->na) memcpy(p.x.act, start->act, sizeof(double) * (size_t)m->na);
        result = run(&p, call->points ? call->points : POINTS, &next, at + 5 * state);
    }
    tac_scratch_destroy(p.scratch);
    free(at);
    return result == TAC_OK ? report(&p) : cli_failed("grad", result);
}
