// Derivative check of a step with hard contact.
//
//   run --states without flags--> random tangents --jvp--> against vjp, against differences

#include "cli/grad/grad_hard.h"
#include "cli/random.h"

#include "cli/report.h"

#include "base/dispatch.h"
#include "dynamics/dynamics.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 40, TRIES = 50 };

// tolerances of docs/hard.md
static const double adjoint_tolerance = 1e-10, difference_tolerance = 1e-6;

typedef struct hardCheck {
    const tacModel* model;
    const double* ctrl;
    tacScratch* scratch;
    tacState x, plus, minus;               // a state of the run; what neighbours become
    double *q, *v, *u, *dot, *next, *back; // neighbour (nq) (nv) (nu), tangents (2 nv + na + nu)
    int count;                             // of a tangent
    unsigned long long random;
    int compared, in_contact, skipped; // states; those with contacts or an impact among them
    double vjp, difference;            // worst
} hardCheck;

static tacTangent tangent_view(const hardCheck* p, double* at) {
    int nv = p->model->nv;
    return (tacTangent){at, at + nv, at + 2 * nv};
}

// the step of a neighbour, t along the tangent
static tacResult step_neighbor(hardCheck* p, double t, tacState* out) {
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

// largest relative error of the derivatives; positions as coordinates
static double difference_error(hardCheck* p, double t, const double* slope) {
    const tacModel* m = p->model;
    double worst = 0.0, size = 1.0;
    if (step_neighbor(p, t, &p->plus) != TAC_OK || step_neighbor(p, -t, &p->minus) != TAC_OK)
        return INFINITY;
    for (int i = 0; i < m->nq + m->nv + m->na; ++i) {
        double found = (p->plus.qpos[i] - p->minus.qpos[i]) / (2.0 * t);
        size = fmax(size, fabs(slope[i]));
        worst = fmax(worst, fabs(found - slope[i]));
    }
    return worst / size;
}

// the tangent `next` of the state `to` in coordinates, into slope
static void tangent_to_coordinates(hardCheck* p, const tacState* to, double* slope) {
    const tacModel* m = p->model;
    const tacDynamicsKernels* k = TAC_DISPATCH(tac_dynamics_single_);
    const double t = 1e-6;
    k->integrate(m, to->qpos, p->next, t, slope);
    k->integrate(m, to->qpos, p->next, -t, p->q);
    for (int i = 0; i < m->nq; ++i) slope[i] = (slope[i] - p->q[i]) / (2.0 * t);
    memcpy(slope + m->nq, p->next + m->nv, sizeof *slope * (size_t)(m->nv + m->na));
}

// 1 if the last call flagged its derivative as one-sided
static int is_flagged(const hardCheck* p) {
    return (tac_step_info(p->scratch).flags & ~TAC_RESTITUTION_REDUCED) != 0;
}

static tacResult compare_derivatives(hardCheck* p, const tacState* to, double* slope) {
    const tacModel* m = p->model;
    int nx = 2 * m->nv + m->na;
    double left = 0.0, right = 0.0, size = 1.0, min = INFINITY;
    for (int i = 0; i < p->count; ++i) {
        p->dot[i] = 2.0 * cli_random_lcg(&p->random) - 1.0;
        p->back[i] = 0.0;
    }
    tacResult result = tac_step_jvp(
        m, &p->x, p->ctrl, (tacStepTangent){.x = tangent_view(p, p->dot), .u = p->dot + nx},
        tangent_view(p, p->next), p->scratch);
    if (result != TAC_OK) return result;
    // the jvp may flag what the step did not: jammed bodies
    if (is_flagged(p)) {
        ++p->skipped;
        return TAC_OK;
    }
    tangent_to_coordinates(p, to, slope);
    for (double t = 1e-4; t > 5e-13; t *= 0.2) min = fmin(min, difference_error(p, t, slope));
    for (int i = 0; i < nx; ++i) right += p->next[i] * p->next[i];
    result = tac_step_vjp(m, &p->x, p->ctrl, tangent_view(p, p->next),
                          (tacStepTangent){.x = tangent_view(p, p->back), .u = p->back + nx},
                          p->scratch);
    for (int i = 0; i < p->count; ++i) {
        left += p->back[i] * p->dot[i];
        size += fabs(p->back[i] * p->dot[i]);
    }
    p->vjp = fmax(p->vjp, fabs(left - right) / (size + right));
    p->difference = fmax(p->difference, min);
    ++p->compared;
    return result;
}

// An impact at the very end: differences would move it into the next step.
static int impact_at_end(const hardCheck* p, double time) {
    double dt = p->model->param[p->model->timestep];
    return time < dt && time > (1.0 - 1e-2) * dt;
}

static tacResult check_run(hardCheck* p, int points, tacState* next, double* slope) {
    const tacModel* m = p->model;
    tacResult result = TAC_OK;
    for (int i = 0; i < TRIES * points && p->compared < points && result == TAC_OK; ++i) {
        result = tac_step(m, &p->x, p->ctrl, next, p->scratch);
        if (result != TAC_OK) break;
        tacInfo info = tac_step_info(p->scratch);
        int has_contact = info.contacts > 0 || info.time_of_impact < m->param[m->timestep];
        // free flight: a quarter of the states is enough
        int enough = !has_contact && 4 * (p->compared - p->in_contact) >= points;
        int compared = p->compared;
        if (is_flagged(p) || impact_at_end(p, info.time_of_impact))
            ++p->skipped;
        else if (!enough)
            result = compare_derivatives(p, next, slope);
        p->in_contact += has_contact && p->compared > compared;
        memcpy(p->x.qpos, next->qpos, sizeof(double) * (size_t)(m->nq + m->nv + m->na));
    }
    return result;
}

static tacState state_view(const tacModel* m, double* at) {
    return (tacState){.qpos = at, .qvel = at + m->nq, .act = at + m->nq + m->nv};
}

static int print_check(const char* what, double worst, double bar) {
    int fine = worst <= bar;
    printf("    %-18s  worst %-8.2g <= %-6g %s\n", what, worst, bar, fine ? "ok" : "FAILED");
    return fine;
}

static int report_check(const hardCheck* p) {
    printf("step of hard contact: %d states of a run, %d of them in contact, %d skipped (flagged, "
           "or an impact at the end of the step)\n",
           p->compared, p->in_contact, p->skipped);
    int both = print_check("jvp = vjp", p->vjp, adjoint_tolerance);
    int slopes = print_check("jvp = difference", p->difference, difference_tolerance);
    if (p->compared == 0) cli_error("grad", "no state without a flag: nothing compared");
    return both && slopes && p->compared > 0 ? CLI_OK : CLI_FAILED;
}

int cli_grad_hard(const tacModel* m, const tacState* start, const double* ctrl,
                  const cliGradMotionCall* call) {
    size_t state = (size_t)(m->nq + m->nv + m->na) + 1;
    hardCheck p = {.model = m, .ctrl = ctrl, .count = 2 * m->nv + m->na + m->nu};
    size_t tangents = (size_t)p.count + 1;
    double* at = calloc(6 * state + (size_t)m->nu + 3 * tangents, sizeof *at);
    tacResult result = at ? tac_scratch_create(m, &p.scratch) : TAC_ERROR_MEMORY;
    if (result == TAC_OK) {
        double* of = at;
        tacState next = state_view(m, at + 3 * state);
        p.x = state_view(m, of);
        p.plus = state_view(m, of + state);
        p.minus = state_view(m, of + 2 * state);
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
        result = check_run(&p, call->points ? call->points : POINTS, &next, at + 5 * state);
    }
    tac_scratch_destroy(p.scratch);
    free(at);
    return result == TAC_OK ? report_check(&p) : cli_error_result("grad", result);
}
