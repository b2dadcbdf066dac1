// One solve of hard contact: the velocity that forces and closed contacts leave.
//
//   contact_solve_assembly.c --A = J M^-1 J', b--> lcp --f--> u = free + M^-1 J' f --> where the
//   path ends

#include "respond/lcp/contact_solve_assembly.h"

#include "base/assert.h"
#include "respond/lcp/dantzig.h"

#include <math.h>
#include <string.h>

enum { GAP_PASSES = 20, SELECTION_PASSES = 4 };

static double vec_dot(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

//---------------------------------- solve ----------------------------------

// friction bounds frozen at the frictionless answer: for comparison
static tacResult solve_frozen_bounds(tacContactSolve* s, const tacLcp* lcp, double* f,
                                     unsigned char* active_set, tacLcpReport* report) {
    int done = tac_dantzig(lcp, TAC_BOUNDS_FROZEN, f, active_set, &report->passes, s->memory);
    report->residual = tac_lcp_residual(lcp, f, NULL);
    return done ? TAC_OK : TAC_ERROR_UNSOLVED;
}

static tacResult solve_reduced(tacContactSolve* s, const tacLcp* lcp, double* f,
                               unsigned char* active_set, tacLcpReport* report) {
    if (s->frozen_bounds && lcp->tangents)
        return solve_frozen_bounds(s, lcp, f, active_set, report);
    tacResult result = tac_lcp_solve(lcp, s->repeat, f, active_set, report, s->memory);
    // a step was given finite numbers: those of a problem that are not have left their range
    return result == TAC_ERROR_VALUE ? TAC_ERROR_DIVERGED : result;
}

// marks the groups of equalities; returns how many
static int mark_equalities(tacContactSolve* s) {
    int count = 0;
    for (int g = 0; g < s->constraints; ++g)
        count += s->active_set[g] = s->constraint[g].kind == TAC_CONSTRAINT_EQUALITY;
    return count;
}

// Equalities are taken off first, as they hold whatever contacts do.
static tacResult solve_with_equalities(tacContactSolve* s, tacSolveRecord* record,
                                       tacLcpReport* report) {
    if (mark_equalities(s) == 0)
        return solve_reduced(s, &s->lcp, record->f, record->active_set, report);
    tacLcp lcp = tac_schur_reduce(&s->equality, &s->lcp, s->active_set);
    tacResult result = TAC_OK;
    if (lcp.contacts > 0)
        result = solve_reduced(s, &lcp, s->equality.f, s->equality.active_set, report);
    if (result == TAC_OK) tac_schur_restore(&s->equality, &s->lcp, record->f, record->active_set);
    if (s->equality.dropped > 0) {
        report->flags |= TAC_TIE;
        report->dropped = 0;
    }
    return result;
}

// impulses, then u = free + U f
tacResult tac_contact_solve_lcp(tacContactSolve* s, tacSolveRecord* record, const double* v_free) {
    tacLcpReport report = {0};
    int nv = s->scene->nv;
    tacResult result = solve_with_equalities(s, record, &report);
    if (result != TAC_OK) return result;
    record->passes = report.passes;
    record->residual = report.residual;
    record->constraints = s->constraints;
    record->tangents = s->tangents;
    record->flags = report.flags & TAC_FALLBACK;
    for (int k = 0; k < nv; ++k)
        record->u[k] = v_free[k] + vec_dot(s->rows, s->U + k * s->rows, record->f);
    if (tac_contact_solve_has_tie(s, record, &report)) record->flags |= TAC_TIE;
    return TAC_OK;
}

// Tangents without friction are off to the derivative: contact_solve_diff.c has what a trace of
// friction would do.
void tac_contact_solve_drop_tangents(const tacContactSolve* s, tacSolveRecord* record) {
    int size = 1 + s->tangents;
    for (int g = 0; g < s->constraints; ++g)
        for (int i = g * size + 1; i < (g + 1) * size && s->constraint[g].mu == 0.0; ++i)
            record->active_set[i] = TAC_LCP_OFF;
}

//---------------------------------- propagate ----------------------------------

// A contact counts where it is closed, or slowly closing within the step. One that approaches fast
// meets as an impact instead, unless there were too many already.
static int is_candidate_active(const tacContactSolve* s, const tacConstraint* g, const double* J,
                               const double* v, const double* v_free) {
    int nv = s->scene->nv;
    double speed = vec_dot(nv, J, v), next = vec_dot(nv, J, v_free);
    if (g->kind == TAC_CONSTRAINT_FRICTION || g->kind == TAC_CONSTRAINT_EQUALITY) return 1;
    // a joint that friction holds right at its limit touches it: that is a tie
    if (g->kind == TAC_CONSTRAINT_LIMIT) return g->gap_rate.speed + next < 1e-9;
    if (speed < -s->rest_speed && !s->impact_overflow) return 0;
    // what others close (the fourth corner of a plate that lands) closes but for rounding: it
    // counts
    double trace = TAC_DISTANCE_TOLERANCE * s->delta / s->dt;
    return g->frame.distance <= 2.0 * s->delta || g->gap_rate.speed + next < trace;
}

// A contact that closes, at the speed above which it would be a blow: the step jumps there.
static int is_at_rest_border(const tacContactSolve* s, const tacConstraint* g, const double* J,
                             const double* v, const double* u) {
    int nv = s->scene->nv;
    if (g->kind != TAC_CONSTRAINT_CONTACT || s->impact_overflow) return 0;
    int closes = g->frame.distance <= 2.0 * s->delta || g->gap_rate.speed + vec_dot(nv, J, u) < 0.0;
    return closes && fabs(vec_dot(nv, J, v) + s->rest_speed) <= TAC_SPEED_TOLERANCE * s->rest_speed;
}

// A contact or limit that was left out, and would close at the very end of the path: next to here
// it counts.
static int nearly_closes(tacContactSolve* s, const tacSolveRecord* record,
                         const tacMotion* before) {
    for (int i = 0; i < record->ncandidate; ++i) {
        if (record->selection[i] != TAC_SELECT_OUT) continue;
        tacConstraint g = tac_candidate_constraint(s, record, i, before, s->J_end);
        double left = g.gap_rate.speed + vec_dot(s->scene->nv, s->J_end, record->u);
        if (fabs(left) <= TAC_SPEED_TOLERANCE * s->rest_speed) return 1;
    }
    return 0;
}

// Adds what counts at a velocity to the note's choice; returns how many.
static int select_constraints(tacContactSolve* s, tacSolveRecord* record, const tacMotion* before,
                              const double* u) {
    int added = 0;
    for (int i = 0; i < record->ncandidate; ++i) {
        if (record->selection[i] != TAC_SELECT_OUT) continue;
        tacConstraint g = tac_candidate_constraint(s, record, i, before, s->J_end);
        record->one_sided |= g.deep_border || is_at_rest_border(s, &g, s->J_end, record->v, u);
        if (!is_candidate_active(s, &g, s->J_end, record->v, u)) continue;
        record->selection[i] = TAC_SELECT_IN;
        ++added;
    }
    return added;
}

// time step of the flow, and its implicit damping
static void set_substep(tacContactSolve* s, double h) {
    tacFreeDynamics* f = &s->dynamics[0];
    s->timed.param[s->scene->timestep] = h;
    f->h = h;
    for (int k = 0; k < s->scene->nv && f->implicit_damping; ++k)
        f->damping_diag[k] = h * s->scene->param[s->scene->joint[s->scene->dof[k].joint].damping];
}

// the velocity that forces alone would give
static void find_free_velocity(tacContactSolve* s, const tacSolveRecord* record) {
    tacFreeDynamics* f = &s->dynamics[0];
    set_substep(s, record->h);
    tac_free_dynamics(f, (tacStateArrays){record->q, record->v, record->act}, s->a, s->rate);
    for (int k = 0; k < s->scene->nv; ++k) s->v_free[k] = record->v[k] + record->h * s->a[k];
}

static void set_mean_acceleration(tacContactSolve* s, const tacSolveRecord* record) {
    for (int k = 0; k < s->scene->nv; ++k) s->a[k] = (record->u[k] - record->v[k]) / record->h;
}

//---------------------------------- bent paths ----------------------------------

// The record of the same features where the path ends, or of the nearest ones, where those are lost
// or run away (a ball has left a rim for the cap, edges have become parallel); or -1.
static int find_end_contact(tacContactSolve* s, const tacConstraint* g, int use_nearest) {
    int at = s->contacts_end.count;
    const tacConvexContact* convex_contact = &s->convex_contact[g->source];
    tacResult result = TAC_OK;
    if (!use_nearest)
        result = tac_convex_contact_append(s->scene, s->pose, convex_contact, &s->contacts_end);
    if (result == TAC_OK && s->contacts_end.count == at)
        result = tac_convex_contact_append_nearest(s->scene, s->pose, convex_contact,
                                                   &s->contacts_end, s->hard_memory);
    return result == TAC_OK && s->contacts_end.count > at ? at : -1;
}

double tac_contact_solve_update_gaps(tacContactSolve* s, const tacSolveRecord* record) {
    int nv = s->scene->nv, size = 1 + s->tangents;
    double change = 0.0;
    s->dynamics[0].k->integrate(s->scene, record->q, record->u, record->h, s->q_end);
    tac_contact_solve_kinematics(s, &s->end, s->q_end, s->zero);
    tac_contact_solve_poses(s, &s->end);
    s->contacts_end.count = 0;
    for (int g = 0; g < s->constraints; ++g) {
        tacConstraint* constraint = &s->constraint[g];
        if (constraint->kind != TAC_CONSTRAINT_CONTACT || constraint->source >= s->found) continue;
        int end_contact = find_end_contact(s, constraint, record->use_nearest);
        if (end_contact < 0) continue;
        constraint->end_contact =
            tac_contact_frame(&s->contacts_end, end_contact, constraint->frame.body, &s->end);
        double linear = record->h * vec_dot(nv, s->J + g * size * nv, record->u);
        double gap_correction =
            constraint->end_contact.distance - constraint->frame.distance - linear;
        // a path that bends away must not come nearer first
        if (!constraint->nonlinear && gap_correction > -0.02 * s->delta) continue;
        gap_correction = fmin(gap_correction, 0.0);
        change = fmax(change, fabs(gap_correction - constraint->gap_correction));
        constraint->nonlinear = 1;
        constraint->gap_correction = gap_correction;
    }
    return change;
}

// the most that a path may bend: more is an answer of bodies that turn ever faster
static double max_gap_correction(const tacContactSolve* s, const tacSolveRecord* record) {
    double speed = 0.0;
    for (int k = 0; k < s->scene->nv; ++k) speed = fmax(speed, fabs(record->v[k]));
    return record->h * (s->rest_speed + 0.1 * speed);
}

// Solves again until the distances where the path ends are as the rows say. A path that is too long
// for that is `loose`.
static tacResult iterate_nonlinear(tacContactSolve* s, tacSolveRecord* record) {
    tacResult result = TAC_OK;
    s->repeat = 1; // rows are nearly those of the last pass, and so are their classes
    double before = INFINITY, change = 0.0, most = max_gap_correction(s, record);
    for (int pass = 0; pass < GAP_PASSES; ++pass, before = change) {
        change = tac_contact_solve_update_gaps(s, record);
        if (change <= 1e-9 * s->delta || !(change <= most)) break;
        if (pass > 2 && change > 0.7 * before) break;
        tac_contact_solve_rhs(s, record, s->v_free);
        result = tac_contact_solve_lcp(s, record, s->v_free);
        if (result != TAC_OK) break;
    }
    s->repeat = 0;
    record->unconverged = result == TAC_OK && !(change <= 1e-6 * s->delta);
    return result;
}

static tacResult solve_linear(tacContactSolve* s, tacSolveRecord* record) {
    for (int g = 0; g < s->constraints; ++g) {
        s->constraint[g].nonlinear = 0;
        s->constraint[g].gap_correction = 0.0;
    }
    tac_contact_solve_rhs(s, record, s->v_free);
    return tac_contact_solve_lcp(s, record, s->v_free);
}

// with the features of the contacts, then with the nearest ones where the path ends, then without
static tacResult solve_nonlinear(tacContactSolve* s, tacSolveRecord* record) {
    tacResult result = TAC_OK;
    record->unconverged = 1;
    for (record->use_nearest = 0; record->use_nearest < 2 && record->unconverged;
         ++record->use_nearest) {
        result = solve_linear(s, record);
        if (result == TAC_OK) result = iterate_nonlinear(s, record);
        if (result != TAC_OK) return result;
    }
    --record->use_nearest;
    if (record->unconverged) result = solve_linear(s, record);
    for (int g = 0; g < s->constraints; ++g)
        record->nonlinear[g] = s->constraint[g].nonlinear && s->constraint[g].gap_correction < 0.0;
    return result;
}

// gaps that contradict one another: closed contacts stay closed
static tacResult solve_holding_gaps(tacContactSolve* s, tacSolveRecord* record) {
    memset(record->nonlinear, 0, (size_t)s->constraints);
    tac_contact_solve_hold_gaps(s);
    tacResult result = solve_linear(s, record);
    record->flags |= TAC_FALLBACK | TAC_ONE_SIDED;
    return result;
}

static tacResult solve_selected(tacContactSolve* s, tacSolveRecord* record) {
    tacResult result = tac_contact_solve_gather(s, record, &s->dynamics[0].m);
    if (result != TAC_OK) return result;
    tac_contact_solve_assemble(s, &s->dynamics[0]);
    memset(record->nonlinear, 0, (size_t)s->constraints);
    return s->constraints > 0 && !s->linear ? solve_nonlinear(s, record) : solve_linear(s, record);
}

// Where gaps contradict one another they do so by friction, mostly: bodies that touch to the last
// bit and must open, in a corner that holds them. Those open without it, or stay closed.
static tacResult solve_with_fallbacks(tacContactSolve* s, tacSolveRecord* record) {
    tacResult result = solve_selected(s, record);
    if (result == TAC_ERROR_UNSOLVED && !record->frictionless) {
        record->frictionless = 1;
        result = solve_selected(s, record);
        record->frictionless = result != TAC_ERROR_UNSOLVED;
    }
    if (record->frictionless && result == TAC_OK) {
        record->flags |= TAC_FALLBACK;
        record->one_sided = 1;
    }
    if (result != TAC_ERROR_UNSOLVED) return result;
    result = tac_contact_solve_gather(s, record, &s->dynamics[0].m);
    if (result == TAC_OK) tac_contact_solve_assemble(s, &s->dynamics[0]);
    return result == TAC_OK ? solve_holding_gaps(s, record) : result;
}

static void list_constrained_parts(tacContactSolve* s) {
    s->nconstrained = 0;
    for (int g = 0; g < s->constraints; ++g) {
        if (s->constraint[g].kind != TAC_CONSTRAINT_CONTACT) continue;
        memcpy(s->constrained_parts[s->nconstrained++],
               s->convex_contact[s->constraint[g].source].part, sizeof(int[2]));
    }
}

tacResult tac_solve_substep(tacContactSolve* s, tacSolveRecord* record) {
    const tacMotion* m = &s->dynamics[0].m;
    record->is_impact = 0;
    record->passes = 0;
    record->flags = 0;
    record->residual = 0.0;
    record->one_sided = record->unconverged = 0;
    record->use_nearest = 0;
    record->frictionless = 0;
    record->stabilize = s->impact_overflow > TAC_STABILIZE_AFTER;
    find_free_velocity(s, record);
    tacResult result = tac_contact_solve_detect(s, m, s->margin, record->stabilize);
    if (result == TAC_OK) result = tac_contact_solve_list_rows(s, record);
    if (result != TAC_OK) return result;
    record->ncandidate = s->contacts.count + s->nrow;
    memset(record->selection, TAC_SELECT_OUT, (size_t)record->ncandidate);
    select_constraints(s, record, m, s->v_free);
    result = solve_with_fallbacks(s, record);
    // what the impulses of those would close
    for (int pass = 0; pass < SELECTION_PASSES && result == TAC_OK; ++pass) {
        if (select_constraints(s, record, m, record->u) == 0) break;
        result = solve_with_fallbacks(s, record);
    }
    if (result == TAC_OK) {
        set_mean_acceleration(s, record);
        list_constrained_parts(s);
    }
    if (result == TAC_OK && nearly_closes(s, record, m)) record->flags |= TAC_TIE;
    if (result == TAC_OK) {
        record->one_sided |= tac_contact_solve_is_near_stick(s, record);
        tac_contact_solve_drop_tangents(s, record);
    }
    return result;
}

void tac_contact_solve_distances(const tacContactSolve* s, double limit, double* least,
                                 double* most) {
    *least = INFINITY;
    *most = -INFINITY;
    for (int i = 0; i < s->contacts.count; ++i) {
        double d = s->contacts.distance[i];
        *least = fmin(*least, d);
        if (d <= limit) *most = fmax(*most, d);
    }
}

tacImpulse3 tac_contact_solve_impulse(const tacContactSolve* s, const tacSolveRecord* record,
                                      int g) {
    tacImpulse3 out = {{0.0}};
    for (int i = 0; i <= s->tangents; ++i) out.f[i] = record->f[g * (1 + s->tangents) + i];
    return out;
}

//---------------------------------- again ----------------------------------

// Rows of A that look at the distance where the path ends: what impulses do to it, over h.
static void linearize_nonlinear_rows(tacContactSolve* s, const tacSolveRecord* record) {
    int nv = s->scene->nv, rows = s->rows;
    for (int g = 0; g < s->constraints && !record->is_impact; ++g) {
        double *A = s->A + (size_t)(g * (1 + s->tangents)) * (size_t)rows, unused = 0.0;
        if (!s->constraint[g].nonlinear) continue;
        double *J = s->J_end, *by_u = s->u0, *by_q = s->a0;
        tac_contact_frame_rows(s->scene, &s->end, &s->constraint[g].end_contact, J);
        memset(by_u, 0, sizeof *by_u * (size_t)nv);
        memset(by_q, 0, sizeof *by_q * (size_t)nv);
        tac_advance_pos_vjp(s->scene, record->u, record->h, J, by_q, by_u, &unused);
        memset(A, 0, sizeof *A * (size_t)rows);
        for (int k = 0; k < nv; ++k)
            for (int j = 0; j < rows; ++j) A[j] += by_u[k] / record->h * s->U[k * rows + j];
    }
}

tacResult tac_contact_solve_restore(tacContactSolve* s, const tacSolveRecord* record) {
    tacFreeDynamics* f = &s->dynamics[record->is_impact];
    tacSolveRecord repeat = *record; // its choices stay
    tac_contact_solve_kinematics(s, &s->before, record->q, record->v);
    if (!record->is_impact) find_free_velocity(s, record);
    double margin = record->is_impact ? record->cutoff : s->margin;
    tacResult result = tac_contact_solve_detect(s, &s->before, margin, record->stabilize);
    if (result == TAC_OK) result = tac_contact_solve_list_rows(s, record);
    if (result != TAC_OK) return result;
    if (s->contacts.count + s->nrow != record->ncandidate) return TAC_ERROR_UNSOLVED;
    result = record->is_impact ? tac_contact_solve_gather_impact(s, &repeat)
                               : tac_contact_solve_gather(s, &repeat, &s->before);
    if (result != TAC_OK) return result;
    if (record->is_impact) tac_contact_solve_mass_only(s, record);
    tac_contact_solve_assemble(s, f);
    if (tac_contact_solve_is_jammed(s, record)) s->diff_flags |= TAC_TIE;
    if (record->flags & TAC_ONE_SIDED) tac_contact_solve_hold_gaps(s);
    for (int g = 0; g < s->constraints && !record->is_impact; ++g)
        s->constraint[g].nonlinear = record->nonlinear[g];
    if (!record->is_impact && !s->linear && s->constraints > 0)
        tac_contact_solve_update_gaps(s, record);
    for (int g = 0; g < s->constraints && !record->is_impact; ++g)
        s->constraint[g].nonlinear = record->nonlinear[g];
    linearize_nonlinear_rows(s, record);
    if (record->energy_bounded) tac_energy_bound_prepare_diff(s, record);
    tac_contact_solve_prepare_diff(s, record);
    return TAC_OK;
}

void tac_contact_solve_prepare_diff(tacContactSolve* s, const tacSolveRecord* record) {
    tacFreeDynamics* f = &s->dynamics[record->is_impact];
    double h = record->is_impact ? 1.0 : record->h;
    tac_contact_solve_kinematics(s, &s->after, record->q, record->u);
    for (int k = 0; k < s->scene->nv; ++k) s->a[k] = (record->u[k] - record->v[k]) / h;
    memset(s->wrench, 0, sizeof(double) * (size_t)(6 * s->scene->nbody));
    for (int g = 0; g < s->constraints; ++g)
        if (s->constraint[g].kind == TAC_CONSTRAINT_CONTACT)
            tac_contact_frame_add_wrench(&s->constraint[g].frame,
                                         tac_contact_solve_impulse(s, record, g).f, 1.0 / h,
                                         s->wrench);
        else if (s->constraint[g].kind == TAC_CONSTRAINT_EQUALITY)
            tac_equality_add_wrench(&s->constraint[g].equality,
                                    tac_contact_solve_impulse(s, record, g).f[0] / h, s->wrench);
    f->m.wrench = s->wrench;
    tac_free_dynamics_prepare_diff(f, s->a);
}
