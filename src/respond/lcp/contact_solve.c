// One solve of a substep: the velocity after forces and closed contacts have acted.
//
//   contact_solve_assembly.c --A = J M^-1 J', b--> lcp --f--> u = free + M^-1 J' f --> distances
//   where the path ends
//
// Where a problem has no answer its rows are built in another way: the table of attempts below.

#include "respond/lcp/contact_solve_assembly.h"

#include "base/assert.h"
#include "math/dense.h"
#include "respond/lcp/reference/lcp_reference.h"

#include <math.h>
#include <string.h>

enum { GAP_PASSES = 20, SELECTION_PASSES = 4 };

//---------------------------------- one problem ----------------------------------

// a problem without equalities
static tacResult solve_unilateral(tacContactSolve* s, const tacLcp* lcp, int warm_start,
                                  tacSolveBranch out, tacLcpReport* report) {
    if (s->options.frozen_bounds && lcp->tangents)
        return tac_reference_frozen_bounds(lcp, out.f, out.active_set, report, s->work.lcp_memory);
    tacResult result =
        tac_lcp_solve(lcp, warm_start, out.f, out.active_set, report, s->work.lcp_memory);
    // the input of the step was finite: numbers that are not have overflowed
    return result == TAC_ERROR_VALUE ? TAC_ERROR_DIVERGED : result;
}

// marks the equalities among the constraints; returns how many
static int mark_equalities(const tacContactProblem* p, unsigned char* marked) {
    int count = 0;
    for (int g = 0; g < p->constraints; ++g)
        count += marked[g] = p->constraint[g].kind == TAC_CONSTRAINT_EQUALITY;
    return count;
}

// Equalities are eliminated first: they hold whatever contacts do.
static tacResult solve_problem(tacContactSolve* s, tacSolveRecord* record, int warm_start,
                               tacLcpReport* report) {
    tacSolveWorkspace* w = &s->work;
    const tacLcp* lcp = &s->problem.lcp;
    tacSchurSolve* schur = &w->schur;
    tacSolveBranch whole = {.f = record->f, .active_set = record->active_set};
    tacSolveBranch reduced = {.f = schur->f, .active_set = schur->active_set};
    if (mark_equalities(&s->problem, w->active_set) == 0)
        return solve_unilateral(s, lcp, warm_start, whole, report);
    tacLcp rest = tac_schur_reduce(schur, lcp, w->active_set);
    tacResult result = TAC_OK;
    if (rest.contacts > 0) result = solve_unilateral(s, &rest, warm_start, reduced, report);
    if (result == TAC_OK) tac_schur_restore(schur, lcp, whole.f, whole.active_set);
    if (schur->dropped > 0) {
        report->flags |= TAC_TIE;
        report->dropped = 0;
    }
    return result;
}

tacResult tac_contact_solve_lcp(tacContactSolve* s, tacSolveRecord* record, const double* v_free,
                                int warm_start) {
    const tacContactProblem* p = &s->problem;
    tacLcpReport report = {0};
    tacResult result = solve_problem(s, record, warm_start, &report);
    if (result != TAC_OK) return result;
    record->passes = report.passes;
    record->residual = report.residual;
    record->constraints = p->constraints;
    record->tangents = p->tangents;
    record->flags = report.flags & TAC_FALLBACK;
    for (int k = 0; k < s->scene->nv; ++k)
        record->u[k] = v_free[k] + tac_dense_dot(p->rows, p->U + k * p->rows, record->f);
    if (tac_contact_solve_has_tie(s, record, &report)) record->flags |= TAC_TIE;
    return TAC_OK;
}

void tac_contact_solve_drop_tangents(const tacContactSolve* s, tacSolveRecord* record) {
    const tacContactProblem* p = &s->problem;
    int size = 1 + p->tangents;
    for (int g = 0; g < p->constraints; ++g)
        for (int i = g * size + 1; i < (g + 1) * size && p->constraint[g].mu == 0.0; ++i)
            record->active_set[i] = TAC_LCP_OFF;
}

//---------------------------------- candidates ----------------------------------

// A contact is active where it is closed, or closes slowly within the substep. One that approaches
// fast becomes an impact instead, unless there were too many already.
static int is_candidate_active(const tacContactSolve* s, const tacSolveRecord* record,
                               const tacConstraint* g, const double* J, const double* u) {
    const tacSolveOptions* o = &s->options;
    int nv = s->scene->nv;
    double speed = tac_dense_dot(nv, J, record->v), next = tac_dense_dot(nv, J, u);
    if (g->kind == TAC_CONSTRAINT_FRICTION || g->kind == TAC_CONSTRAINT_EQUALITY) return 1;
    // a joint that friction stops exactly at its limit is in contact with it: that is a tie
    if (g->kind == TAC_CONSTRAINT_LIMIT) return g->gap_rate.speed + next < 1e-9;
    if (speed < -o->rest_speed && record->impact_overflow == 0) return 0;
    // a contact that others close (the fourth vertex of a plate that lands) is closed but for
    // rounding, and active
    double rounding = s->candidates.rounding / o->dt;
    return g->frame.distance <= 2.0 * o->delta || g->gap_rate.speed + next < rounding;
}

// Does a contact close at the rest speed, above which it would be an impact? The step jumps there.
static int is_at_rest_border(const tacContactSolve* s, const tacSolveRecord* record,
                             const tacConstraint* g, const double* J, const double* u) {
    int nv = s->scene->nv;
    double rest_speed = s->options.rest_speed;
    if (g->kind != TAC_CONSTRAINT_CONTACT || record->impact_overflow > 0) return 0;
    int closes = g->frame.distance <= 2.0 * s->options.delta ||
                 g->gap_rate.speed + tac_dense_dot(nv, J, u) < 0.0;
    return closes &&
           fabs(tac_dense_dot(nv, J, record->v) + rest_speed) <= TAC_SPEED_TOLERANCE * rest_speed;
}

// Would a contact or limit that is not selected close at the very end of the path? At a
// neighbouring state it is active.
static int nearly_closes(tacContactSolve* s, const tacSolveRecord* record,
                         const tacMotion* before) {
    for (int i = 0; i < record->ncandidate; ++i) {
        if (record->selection[i] != TAC_SELECT_OUT) continue;
        tacConstraint g = tac_candidate_constraint(s, record, i, before, s->work.J_end);
        double left = g.gap_rate.speed + tac_dense_dot(s->scene->nv, s->work.J_end, record->u);
        if (fabs(left) <= TAC_SPEED_TOLERANCE * s->options.rest_speed) return 1;
    }
    return 0;
}

// Adds the candidates that are active at a velocity to the selection; returns how many.
static int select_constraints(tacContactSolve* s, tacSolveRecord* record, const tacMotion* before,
                              const double* u) {
    const double* J = s->work.J_end;
    int added = 0;
    for (int i = 0; i < record->ncandidate; ++i) {
        if (record->selection[i] != TAC_SELECT_OUT) continue;
        tacConstraint g = tac_candidate_constraint(s, record, i, before, s->work.J_end);
        record->one_sided |= g.deep_border || is_at_rest_border(s, record, &g, J, u);
        if (!is_candidate_active(s, record, &g, J, u)) continue;
        record->selection[i] = TAC_SELECT_IN;
        ++added;
    }
    return added;
}

// time step of the free dynamics, and its implicit damping
static void set_substep(tacContactSolve* s, double h) {
    const tacModel* model = s->scene;
    tacFreeDynamics* f = &s->dynamics.free[0];
    s->dynamics.timed.param[model->timestep] = h;
    f->h = h;
    for (int k = 0; k < model->nv && f->implicit_damping; ++k)
        f->damping_diag[k] = h * model->param[model->joint[model->dof[k].joint].damping];
}

// the velocity that forces alone would give
static void find_free_velocity(tacContactSolve* s, const tacSolveRecord* record) {
    tacSolveDynamics* d = &s->dynamics;
    set_substep(s, record->h);
    tac_free_dynamics(&d->free[0], (tacStateArrays){record->q, record->v, record->act}, d->a,
                      d->rate);
    for (int k = 0; k < s->scene->nv; ++k) d->v_free[k] = record->v[k] + record->h * d->a[k];
}

//---------------------------------- nonlinear rows ----------------------------------

// The contact of the same features where the path ends. Of the nearest features if `use_nearest`,
// or if the same ones are lost (a ball has left a rim for the cap, edges have become parallel). Or
// -1.
static int find_end_contact(tacContactSolve* s, tacConstraint* g, int use_nearest) {
    tacConvexContact* features = &g->end_features;
    *features = s->candidates.convex_contact[g->source];
    tacContacts* end = &s->work.contacts_end;
    int at = end->count;
    tacResult result = TAC_OK;
    if (!use_nearest) result = tac_convex_contact_append(s->scene, s->dynamics.pose, features, end);
    if (result == TAC_OK && end->count == at)
        result = tac_convex_contact_append_nearest(s->scene, s->dynamics.pose, features, end,
                                                   s->work.ccd_memory);
    return result == TAC_OK && end->count > at ? at : -1;
}

double tac_contact_solve_update_gaps(tacContactSolve* s, const tacSolveRecord* record) {
    tacSolveWorkspace* w = &s->work;
    const tacContactProblem* p = &s->problem;
    tacSolveDynamics* d = &s->dynamics;
    int nv = s->scene->nv, size = 1 + p->tangents;
    double change = 0.0;
    d->free[0].k->integrate(s->scene, record->q, record->u, record->h, w->q_end);
    tac_contact_solve_kinematics(s, &d->end, w->q_end, d->zero);
    tac_motion_poses(s->scene, &d->end, d->pose);
    w->contacts_end.count = 0;
    for (int i = 0; i < p->constraints; ++i) {
        tacConstraint* g = &p->constraint[i];
        if (g->kind != TAC_CONSTRAINT_CONTACT || g->source >= s->candidates.detected) continue;
        int end_contact = find_end_contact(s, g, record->variant.use_nearest);
        if (end_contact < 0) continue;
        g->end_contact = tac_contact_frame(&w->contacts_end, end_contact, g->frame.body, &d->end);
        double linear = record->h * tac_dense_dot(nv, p->J + i * size * nv, record->u);
        double gap_correction = g->end_contact.distance - g->frame.distance - linear;
        // a path that curves away must not come nearer first
        if (!g->nonlinear && gap_correction > -0.02 * s->options.delta) continue;
        gap_correction = fmin(gap_correction, 0.0);
        change = fmax(change, fabs(gap_correction - g->gap_correction));
        g->nonlinear = 1;
        g->gap_correction = gap_correction;
    }
    return change;
}

// Largest correction of a gap. A larger one is an answer of bodies that rotate ever faster.
static double max_gap_correction(const tacContactSolve* s, const tacSolveRecord* record) {
    double speed = 0.0;
    for (int k = 0; k < s->scene->nv; ++k) speed = fmax(speed, fabs(record->v[k]));
    return record->h * (s->options.rest_speed + 0.1 * speed);
}

// rows along the tangent of the path at its start
static tacResult solve_linear(tacContactSolve* s, tacSolveRecord* record) {
    const tacContactProblem* p = &s->problem;
    for (int g = 0; g < p->constraints; ++g) {
        p->constraint[g].nonlinear = 0;
        p->constraint[g].gap_correction = 0.0;
    }
    tac_contact_solve_rhs(s, record, s->dynamics.v_free);
    return tac_contact_solve_lcp(s, record, s->dynamics.v_free, 0);
}

// Solves again until the distances where the path ends are those of the rows. The path of an
// unconverged record is too long for that. Problems differ little: each starts from the last
// answer.
static tacResult iterate_nonlinear(tacContactSolve* s, tacSolveRecord* record) {
    const double rounding = s->candidates.rounding;
    tacResult result = TAC_OK;
    double before = INFINITY, change = 0.0, most = max_gap_correction(s, record);
    for (int pass = 0; pass < GAP_PASSES; ++pass, before = change) {
        change = tac_contact_solve_update_gaps(s, record);
        if (change <= 1e-3 * rounding || !(change <= most)) break;
        if (pass > 2 && change > 0.7 * before) break;
        tac_contact_solve_rhs(s, record, s->dynamics.v_free);
        result = tac_contact_solve_lcp(s, record, s->dynamics.v_free, 1);
        if (result != TAC_OK) break;
    }
    record->unconverged = result == TAC_OK && !(change <= rounding);
    return result;
}

//---------------------------------- attempts ----------------------------------

// how an attempt ends without an answer
typedef enum attemptFailure {
    NOT_CONVERGED, // nonlinear rows and the path do not agree
    NOT_SOLVED     // the rows contradict one another
} attemptFailure;

// The attempts at a substep in order. The first is always tried; each other one if the last attempt
// before it ended in `after`.
typedef struct solveAttempt {
    attemptFailure after;
    tacRowVariant variant;
} solveAttempt;

enum {
    SAME_FEATURES,         // rows follow the features of the contacts to the end of the path
    NEAREST_FEATURES,      // they look at the nearest features there
    LINEAR_ROWS,           // they follow the tangent of the path; the record is unconverged
    FRICTIONLESS_OPENINGS, // Rows mostly contradict one another by friction: bodies wedged in a
                           // corner that must open. Their contacts open without friction.
    FRICTIONLESS_NEAREST,
    FRICTIONLESS_LINEAR,
    CLOSED_GAPS, // contacts neither open nor close
    ATTEMPTS
};

static const solveAttempt attempts[ATTEMPTS] = {
    [SAME_FEATURES] = {NOT_SOLVED, {.nonlinear = 1}},
    [NEAREST_FEATURES] = {NOT_CONVERGED, {.nonlinear = 1, .use_nearest = 1}},
    [LINEAR_ROWS] = {NOT_CONVERGED, {0}},
    [FRICTIONLESS_OPENINGS] = {NOT_SOLVED, {.nonlinear = 1, .frictionless = 1}},
    [FRICTIONLESS_NEAREST] = {NOT_CONVERGED, {.nonlinear = 1, .use_nearest = 1, .frictionless = 1}},
    [FRICTIONLESS_LINEAR] = {NOT_CONVERGED, {.frictionless = 1}},
    [CLOSED_GAPS] = {NOT_SOLVED, {.closed_gaps = 1}},
};

// constraints and matrices of an attempt
static tacResult assemble_attempt(tacContactSolve* s, tacSolveRecord* record) {
    tacFreeDynamics* f = &s->dynamics.free[0];
    tacResult result = tac_contact_solve_gather(s, record, &f->m);
    if (result != TAC_OK) return result;
    tac_contact_solve_assemble(s, f);
    memset(record->nonlinear, 0, (size_t)s->problem.constraints);
    if (record->variant.closed_gaps) tac_contact_solve_close_gaps(s);
    return TAC_OK;
}

static tacResult solve_attempt(tacContactSolve* s, tacSolveRecord* record) {
    int nonlinear =
        record->variant.nonlinear && s->problem.constraints > 0 && !s->options.explicit_path;
    if (nonlinear) record->unconverged = 1;
    tacResult result = solve_linear(s, record);
    if (result == TAC_OK && nonlinear) result = iterate_nonlinear(s, record);
    return result;
}

// what an answer says about its rows
static void finish_attempt(const tacContactSolve* s, tacSolveRecord* record) {
    const tacRowVariant* variant = &record->variant;
    for (int g = 0; g < s->problem.constraints; ++g) {
        const tacConstraint* constraint = &s->problem.constraint[g];
        record->nonlinear[g] = constraint->nonlinear && constraint->gap_correction < 0.0;
    }
    if (variant->closed_gaps)
        record->flags |= TAC_FALLBACK | TAC_ONE_SIDED;
    else if (variant->frictionless) {
        record->flags |= TAC_FALLBACK;
        record->one_sided = 1;
    }
}

// the next attempt after one that failed
static int next_attempt(int attempt, attemptFailure failure) {
    do ++attempt;
    while (attempt < ATTEMPTS && attempts[attempt].after != failure);
    return attempt;
}

// Tries one attempt after the other until one has an answer. A selection that has grown goes on
// without friction where it was without before.
static tacResult solve_selection(tacContactSolve* s, tacSolveRecord* record) {
    const int frictionless = record->variant.frictionless;
    tacResult result = TAC_ERROR_UNSOLVED;
    for (int i = frictionless ? FRICTIONLESS_OPENINGS : SAME_FEATURES; i < ATTEMPTS;) {
        record->variant = attempts[i].variant;
        record->variant.frictionless |= frictionless;
        // after rows that did not converge the constraints are the same
        result = attempts[i].after == NOT_SOLVED ? assemble_attempt(s, record) : TAC_OK;
        if (result == TAC_OK) result = solve_attempt(s, record);
        int converged = !record->unconverged || !record->variant.nonlinear;
        if (result == TAC_OK && converged) finish_attempt(s, record);
        if (result != TAC_ERROR_UNSOLVED && (result != TAC_OK || converged)) break;
        i = next_attempt(i, result == TAC_OK ? NOT_CONVERGED : NOT_SOLVED);
    }
    return result;
}

//---------------------------------- substep ----------------------------------

static void begin_substep(tacSolveRecord* record) {
    record->is_impact = 0;
    record->passes = 0;
    record->flags = 0;
    record->residual = 0.0;
    record->one_sided = record->unconverged = 0;
    record->variant = (tacRowVariant){0};
    record->stabilize = record->impact_overflow > TAC_STABILIZE_AFTER;
}

static void list_constrained_parts(tacContactProblem* p, const tacConvexContact* contact) {
    p->nconstrained = 0;
    for (int g = 0; g < p->constraints; ++g)
        if (p->constraint[g].kind == TAC_CONSTRAINT_CONTACT)
            memcpy(p->constrained_parts[p->nconstrained++], contact[p->constraint[g].source].part,
                   sizeof(int[2]));
}

tacResult tac_solve_substep(tacContactSolve* s, tacSolveRecord* record) {
    const tacSolveCandidates* c = &s->candidates;
    tacSolveDynamics* d = &s->dynamics;
    const tacMotion* m = &d->free[0].m;
    begin_substep(record);
    find_free_velocity(s, record);
    tacResult result = tac_contact_solve_detect(s, m, s->options.margin, record->stabilize);
    if (result == TAC_OK) result = tac_contact_solve_list_rows(s, record);
    if (result != TAC_OK) return result;
    record->ncandidate = c->contacts.count + c->nrow;
    memset(record->selection, TAC_SELECT_OUT, (size_t)record->ncandidate);
    select_constraints(s, record, m, d->v_free);
    // impulses may close further candidates
    for (int pass = 0;; ++pass) {
        result = solve_selection(s, record);
        if (result != TAC_OK) return result;
        if (pass == SELECTION_PASSES || select_constraints(s, record, m, record->u) == 0) break;
    }
    for (int k = 0; k < s->scene->nv; ++k) d->a[k] = (record->u[k] - record->v[k]) / record->h;
    list_constrained_parts(&s->problem, c->convex_contact);
    if (nearly_closes(s, record, m)) record->flags |= TAC_TIE;
    record->one_sided |= tac_contact_solve_is_near_stick(s, record);
    tac_contact_solve_drop_tangents(s, record);
    return TAC_OK;
}

void tac_contact_solve_distances(const tacContactSolve* s, double limit, double* least,
                                 double* most) {
    const tacContacts* contacts = &s->candidates.contacts;
    *least = INFINITY;
    *most = -INFINITY;
    for (int i = 0; i < contacts->count; ++i) {
        double d = contacts->distance[i];
        *least = fmin(*least, d);
        if (d <= limit) *most = fmax(*most, d);
    }
}

tacImpulse3 tac_contact_solve_impulse(const tacContactSolve* s, const tacSolveRecord* record,
                                      int g) {
    int tangents = s->problem.tangents;
    tacImpulse3 out = {{0.0}};
    for (int i = 0; i <= tangents; ++i) out.f[i] = record->f[g * (1 + tangents) + i];
    return out;
}

//---------------------------------- restore ----------------------------------

// Nonlinear rows of A: the change of the distance where the path ends by impulses, over h.
static void linearize_nonlinear_rows(tacContactSolve* s, const tacSolveRecord* record) {
    tacContactProblem* p = &s->problem;
    const tacSolveWorkspace* w = &s->work;
    int nv = s->scene->nv, rows = p->rows;
    for (int g = 0; g < p->constraints && !record->is_impact; ++g) {
        double *A = p->A + (size_t)(g * (1 + p->tangents)) * (size_t)rows, unused = 0.0;
        if (!p->constraint[g].nonlinear) continue;
        double *J = w->J_end, *by_u = w->u0, *by_q = w->a0;
        tac_contact_frame_rows(s->scene, &s->dynamics.end, &p->constraint[g].end_contact, J);
        memset(by_u, 0, sizeof *by_u * (size_t)nv);
        memset(by_q, 0, sizeof *by_q * (size_t)nv);
        tac_advance_pos_vjp(s->scene, record->u, record->h, J, by_q, by_u, &unused);
        memset(A, 0, sizeof *A * (size_t)rows);
        for (int k = 0; k < nv; ++k)
            for (int j = 0; j < rows; ++j) A[j] += by_u[k] / record->h * p->U[k * rows + j];
    }
}

tacResult tac_contact_solve_restore(tacContactSolve* s, const tacSolveRecord* record) {
    const tacContactProblem* p = &s->problem;
    tacSolveDynamics* d = &s->dynamics;
    tacFreeDynamics* f = &d->free[record->is_impact];
    tacSolveRecord repeat = *record; // its choices stay
    tac_contact_solve_kinematics(s, &d->before, record->q, record->v);
    if (!record->is_impact) find_free_velocity(s, record);
    double margin = record->is_impact ? record->cutoff : s->options.margin;
    tacResult result = tac_contact_solve_detect(s, &d->before, margin, record->stabilize);
    if (result == TAC_OK) result = tac_contact_solve_list_rows(s, record);
    if (result != TAC_OK) return result;
    if (s->candidates.contacts.count + s->candidates.nrow != record->ncandidate)
        return TAC_ERROR_UNSOLVED;
    result = record->is_impact ? tac_contact_solve_gather_impact(s, &repeat)
                               : tac_contact_solve_gather(s, &repeat, &d->before);
    if (result != TAC_OK) return result;
    if (record->is_impact) tac_contact_solve_mass_only(s, record);
    tac_contact_solve_assemble(s, f);
    if (tac_contact_solve_is_jammed(s, record)) s->diff_flags |= TAC_TIE;
    if (record->variant.closed_gaps) tac_contact_solve_close_gaps(s);
    for (int g = 0; g < p->constraints && !record->is_impact; ++g)
        p->constraint[g].nonlinear = record->nonlinear[g];
    if (!record->is_impact && !s->options.explicit_path && p->constraints > 0)
        tac_contact_solve_update_gaps(s, record);
    for (int g = 0; g < p->constraints && !record->is_impact; ++g)
        p->constraint[g].nonlinear = record->nonlinear[g];
    linearize_nonlinear_rows(s, record);
    if (record->energy_bounded) tac_energy_bound_prepare_diff(s, record);
    tac_contact_solve_prepare_diff(s, record);
    return TAC_OK;
}

void tac_contact_solve_prepare_diff(tacContactSolve* s, const tacSolveRecord* record) {
    tacContactProblem* p = &s->problem;
    const tacSolveWorkspace* w = &s->work;
    tacSolveDynamics* d = &s->dynamics;
    tacFreeDynamics* f = &d->free[record->is_impact];
    double h = record->is_impact ? 1.0 : record->h;
    tac_contact_solve_kinematics(s, &d->after, record->q, record->u);
    for (int k = 0; k < s->scene->nv; ++k) d->a[k] = (record->u[k] - record->v[k]) / h;
    memset(w->wrench, 0, sizeof(double) * (size_t)(6 * s->scene->nbody));
    for (int g = 0; g < p->constraints; ++g)
        if (p->constraint[g].kind == TAC_CONSTRAINT_CONTACT)
            tac_contact_frame_add_wrench(&p->constraint[g].frame,
                                         tac_contact_solve_impulse(s, record, g).f, 1.0 / h,
                                         w->wrench);
        else if (p->constraint[g].kind == TAC_CONSTRAINT_EQUALITY)
            tac_equality_add_wrench(&p->constraint[g].equality,
                                    tac_contact_solve_impulse(s, record, g).f[0] / h, w->wrench);
    f->m.wrench = w->wrench;
    tac_free_dynamics_prepare_diff(f, d->a);
}
