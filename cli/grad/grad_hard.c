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

enum { POINTS = 40, TRIES = 50, RUN_STEPS = 50, LADDER = 14 };

// Tolerances of docs/hard.md. A difference has converged where two steps of it agree to a quarter.
static const double adjoint_tolerance = 1e-10, difference_tolerance = 1e-6;
static const double first_step = 1e-3, step_ratio = 0.2;

// why a state was left out
typedef enum leftOut {
    LEFT_FLAGGED,   // the derivative is one-sided or one of several
    LEFT_AT_END,    // an impact at the very end of the step
    LEFT_UNDECIDED, // no difference converges: a border is as near as rounding
    LEFT_KINDS
} leftOut;

typedef struct hardCheck {
    const tacModel* model;
    const double* ctrl;
    tacScratch* scratch;
    tacState x, near;                      // a state of the run; what a neighbour becomes
    double *q, *v, *u, *dot, *next, *back; // neighbour (nq) (nv) (nu), tangents (2 nv + na + nu)
    double* quotient[2];                   // differences to either side (LADDER x outputs)
    int count;                             // of a tangent
    unsigned long long random;
    int compared, in_contact, left[LEFT_KINDS]; // states; those with contacts or an impact
    int one_side;                               // those whose difference converges on one side only
    double vjp, difference;                     // worst
} hardCheck;

static int outputs_of(const tacModel* m) { return m->nq + m->nv + m->na; }

static tacTangent tangent_view(const hardCheck* p, double* at) {
    int nv = p->model->nv;
    return (tacTangent){at, at + nv, at + 2 * nv};
}

//---------------------------------- differences ----------------------------------

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

// quotients to both sides at all steps; a step that is refused has none
static void fill_quotients(hardCheck* p, const tacState* to) {
    int n = outputs_of(p->model);
    double t = first_step;
    for (int k = 0; k < LADDER; ++k, t *= step_ratio)
        for (int side = 0; side < 2; ++side) {
            double h = side ? -t : t, *row = p->quotient[side] + k * n;
            int ok = step_neighbor(p, h, &p->near) == TAC_OK;
            for (int i = 0; i < n; ++i) row[i] = ok ? (p->near.qpos[i] - to->qpos[i]) / h : NAN;
        }
}

// Estimate k of the derivative: 0 central, 1 and 2 from one side without their error of first
// order.
static double estimate(const hardCheck* p, int kind, int k, int i) {
    int n = outputs_of(p->model);
    if (kind == 0) return 0.5 * (p->quotient[0][k * n + i] + p->quotient[1][k * n + i]);
    const double* row = p->quotient[kind - 1] + k * n + i;
    return (row[n] - step_ratio * row[0]) / (1.0 - step_ratio);
}

static int estimates_of(int kind) { return kind == 0 ? LADDER : LADDER - 1; }

// largest difference of two estimates, or of one and the slope
static double distance_of(const hardCheck* p, int kind, int a, int b, const double* slope) {
    double most = 0.0;
    for (int i = 0; i < outputs_of(p->model); ++i) {
        double other = slope ? slope[i] : estimate(p, kind, b, i);
        double d = fabs(estimate(p, kind, a, i) - other);
        if (!(d <= most)) most = d;
    }
    return most;
}

// Has estimate k converged? Its neighbour agrees with it, and not by chance: rounding, which grows
// as 1/step, is small. Shorter steps differ from it by no more than rounding: else it is the slope
// beyond a border, not here. The slope that is checked has no say in it.
static int has_converged(const hardCheck* p, int kind, int k, double noise, double small) {
    double step = first_step * pow(step_ratio, k);
    if (!(distance_of(p, kind, k, k + 1, NULL) <= small && noise / step <= 4.0 * small)) return 0;
    for (int next = k + 1; next < estimates_of(kind); ++next) {
        step *= step_ratio;
        if (!(distance_of(p, kind, k, next, NULL) <= small + noise / step)) return 0;
    }
    return 1;
}

// Difference of `slope` from the estimates that have converged, the smallest. Infinite: none has.
static double converged_error(const hardCheck* p, int kind, const double* slope, double size) {
    int last = estimates_of(kind) - 1;
    double best = INFINITY;
    // rounding of the step itself, as the shortest differences see it; they may agree by chance
    double noise = 0.0;
    for (int k = last - 4; k < last; ++k)
        noise = fmax(noise, distance_of(p, kind, k, k + 1, NULL) * first_step * pow(step_ratio, k));
    noise *= 10.0;
    for (int k = 0; k < last; ++k)
        if (has_converged(p, kind, k, noise, 0.25 * difference_tolerance * size))
            best = fmin(best, distance_of(p, kind, k, k, slope) / size);
    return best;
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

// what differences say of a state
typedef enum verdict { UNDECIDED, ONE_SIDE, DECIDED } verdict;

// Differences along `dot` say what the slope is, or that they cannot. A state next to a border has
// a converged difference on its own side of it.
static tacResult compare_direction(hardCheck* p, const tacState* to, double* slope, verdict* out) {
    double size = 1.0;
    int nx = 2 * p->model->nv + p->model->na;
    tacResult result = tac_step_jvp(
        p->model, &p->x, p->ctrl, (tacStepTangent){.x = tangent_view(p, p->dot), .u = p->dot + nx},
        tangent_view(p, p->next), p->scratch);
    if (result != TAC_OK) return result;
    tangent_to_coordinates(p, to, slope);
    for (int i = 0; i < outputs_of(p->model); ++i) size = fmax(size, fabs(slope[i]));
    fill_quotients(p, to);
    double central = converged_error(p, 0, slope, size);
    double side = fmin(converged_error(p, 1, slope, size), converged_error(p, 2, slope, size));
    *out = isfinite(central) ? DECIDED : isfinite(side) ? ONE_SIDE : UNDECIDED;
    if (*out != UNDECIDED) p->difference = fmax(p->difference, fmin(central, side));
    return TAC_OK;
}

// Positions and the rest apart: contacts hold gaps of 1e-7 m, and velocities of any size.
static tacResult compare_differences(hardCheck* p, const tacState* to, double* slope) {
    verdict least = DECIDED, now = DECIDED;
    tacResult result = TAC_OK;
    for (int part = 0; part < 2 && result == TAC_OK; ++part) {
        for (int i = 0; i < p->count; ++i)
            p->dot[i] =
                (i < p->model->nv) == (part == 0) ? 2.0 * cli_random_lcg(&p->random) - 1.0 : 0.0;
        result = compare_direction(p, to, slope, &now);
        if (now < least) least = now;
    }
    p->left[LEFT_UNDECIDED] += least == UNDECIDED;
    p->one_side += least == ONE_SIDE;
    p->compared += least != UNDECIDED;
    return result;
}

//---------------------------------- states ----------------------------------

// 1 if the last call flagged its derivative as one-sided
static int is_flagged(const hardCheck* p) {
    return (tac_step_info(p->scratch).flags & ~TAC_RESTITUTION_REDUCED) != 0;
}

static tacResult compare_derivatives(hardCheck* p, const tacState* to, double* slope) {
    const tacModel* m = p->model;
    int nx = 2 * m->nv + m->na;
    double left = 0.0, right = 0.0, size = 1.0;
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
        ++p->left[LEFT_FLAGGED];
        return TAC_OK;
    }
    for (int i = 0; i < nx; ++i) right += p->next[i] * p->next[i];
    result = tac_step_vjp(m, &p->x, p->ctrl, tangent_view(p, p->next),
                          (tacStepTangent){.x = tangent_view(p, p->back), .u = p->back + nx},
                          p->scratch);
    for (int i = 0; i < p->count; ++i) {
        left += p->back[i] * p->dot[i];
        size += fabs(p->back[i] * p->dot[i]);
    }
    p->vjp = fmax(p->vjp, fabs(left - right) / (size + right));
    return result == TAC_OK ? compare_differences(p, to, slope) : result;
}

// An impact at the very end: differences would move it into the next step.
static int impact_at_end(const hardCheck* p, double time) {
    double dt = p->model->param[p->model->timestep];
    return time < dt && time > (1.0 - 1e-2) * dt;
}

// Runs of RUN_STEPS steps: the first from the start, the others from there with other velocities,
// as large as what gravity makes of 25 steps.
static void begin_run(hardCheck* p, const tacState* start, int run) {
    const tacModel* m = p->model;
    double speed = run > 0 ? 25.0 * 9.81 * m->param[m->timestep] : 0.0;
    memcpy(p->x.qpos, start->qpos, sizeof(double) * (size_t)m->nq);
    if (m->na) memcpy(p->x.act, start->act, sizeof(double) * (size_t)m->na);
    for (int i = 0; i < m->nv; ++i)
        p->x.qvel[i] = start->qvel[i] + speed * (2.0 * cli_random_lcg(&p->random) - 1.0);
}

static tacResult check_runs(hardCheck* p, const tacState* start, int points, tacState* next,
                            double* slope) {
    const tacModel* m = p->model;
    tacResult result = TAC_OK;
    for (int i = 0; i < TRIES * points && p->compared < points && result == TAC_OK; ++i) {
        if (i % RUN_STEPS == 0) begin_run(p, start, i / RUN_STEPS);
        result = tac_step(m, &p->x, p->ctrl, next, p->scratch);
        if (result != TAC_OK) break;
        tacInfo info = tac_step_info(p->scratch);
        int has_contact = info.contacts > 0 || info.time_of_impact < m->param[m->timestep];
        // free flight: a quarter of the states is enough
        int enough = !has_contact && 4 * (p->compared - p->in_contact) >= points;
        int compared = p->compared;
        if (is_flagged(p))
            ++p->left[LEFT_FLAGGED];
        else if (impact_at_end(p, info.time_of_impact))
            ++p->left[LEFT_AT_END];
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

// a comparison as a line of text or JSON; 1 if it holds
static int print_check(const hardCheck* p, const char* what, double worst, double bar,
                       int as_json) {
    int fine = worst <= bar;
    char id[80];
    cliJson json = {.file = stdout};
    if (!as_json) {
        printf("    %-18s  worst %-8.2g <= %-6g %s\n", what, worst, bar, fine ? "ok" : "FAILED");
        return fine;
    }
    snprintf(id, sizeof id, "grad/hard step/%s", what);
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "id", id);
    cli_json_number(&json, "value", worst);
    cli_json_text(&json, "unit", "relative");
    cli_json_number(&json, "bound", bar);
    cli_json_bool(&json, "pass", fine);
    cli_json_int(&json, "points", p->compared);
    cli_json_close(&json, '}');
    return fine;
}

static void print_states(const hardCheck* p, int left, double part) {
    printf("step of hard contact: %d states of runs compared, %d of them in contact\n", p->compared,
           p->in_contact);
    printf(
        "  left out: %d states, %.1f %% (%d flagged, %d with an impact at the end of the step, %d "
        "without a converged difference)\n",
        left, 100.0 * part, p->left[LEFT_FLAGGED], p->left[LEFT_AT_END], p->left[LEFT_UNDECIDED]);
    if (p->one_side > 0)
        printf("  next to a border: %d states, compared on their side of it\n", p->one_side);
}

static int report_check(const hardCheck* p, const cliGradMotionCall* call) {
    int left = p->left[LEFT_FLAGGED] + p->left[LEFT_AT_END] + p->left[LEFT_UNDECIDED];
    int json = call->json, seen = left + p->compared;
    double part = seen > 0 ? (double)left / seen : 0.0;
    if (!json) print_states(p, left, part);
    int both = print_check(p, "jvp = vjp", p->vjp, adjoint_tolerance, json);
    int slopes = print_check(p, "jvp = difference", p->difference, difference_tolerance, json);
    int enough = print_check(p, "share left out", part, call->left_out, json);
    if (p->compared == 0) cli_error("grad", "no state without a flag: nothing compared");
    if (!enough)
        cli_warning("grad", "too many states have no derivative to compare: start from another "
                            "state (--key, --qpos, --qvel), or allow more by --left-out");
    return both && slopes && enough && p->compared > 0 ? CLI_OK : CLI_FAILED;
}

int cli_grad_hard(const tacModel* m, const tacState* start, const double* ctrl,
                  const cliGradMotionCall* call) {
    size_t state = (size_t)outputs_of(m) + 1;
    hardCheck p = {.model = m, .ctrl = ctrl, .count = 2 * m->nv + m->na + m->nu};
    size_t tangents = (size_t)p.count + 1;
    double* at = calloc((5 + 2 * LADDER) * state + (size_t)m->nu + 3 * tangents, sizeof *at);
    tacResult result = at ? tac_scratch_create(m, &p.scratch) : TAC_ERROR_MEMORY;
    if (result == TAC_OK) {
        tacState next = state_view(m, at + 2 * state);
        p.x = state_view(m, at);
        p.near = state_view(m, at + state);
        p.q = at + 3 * state;
        p.v = p.q + m->nq;
        p.quotient[0] = at + 5 * state;
        p.quotient[1] = p.quotient[0] + LADDER * state;
        p.u = p.quotient[1] + LADDER * state;
        p.dot = p.u + m->nu;
        p.next = p.dot + tangents;
        p.back = p.next + tangents;
        p.random = (unsigned long long)call->seed;
        result = check_runs(&p, start, call->points ? call->points : POINTS, &next, at + 4 * state);
    }
    tac_scratch_destroy(p.scratch);
    free(at);
    return result == TAC_OK ? report_check(&p, call) : cli_error_result("grad", result);
}
