// An impact: the constraints that take part, restitution, and its energy bound.
//
//   contact_solve_assembly.c --constraints--> [this file] --rows--> contact_solve.c, energy_bound.c

#include "respond/lcp/contact_solve_assembly.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

//---------------------------------- restitution ----------------------------------

// Restitution sets in smoothly from the rest speed to 1.5 times of it: y^2 (3 - 2 y).
static void set_restitution(const tacContactSolve* s, tacConstraint* g) {
    const double width = 0.5;
    g->approach =
        tac_dot(g->frame.axis[0], tac_contact_frame_velocity(&g->frame, &s->dynamics.before));
    double y = fmin(fmax((-g->approach / s->options.rest_speed - 1.0) / width, 0.0), 1.0);
    g->restitution_scale = y * y * (3.0 - 2.0 * y);
    g->restitution_slope = 6.0 * y * (1.0 - y) / width;
}

// restitution of the selected constraints
static void set_restitutions(tacContactSolve* s, const tacSolveRecord* record) {
    tacContactProblem* p = &s->problem;
    for (int g = 0, i = 0; g < p->constraints; ++i) {
        if (record->selection[i] == TAC_SELECT_OUT) continue;
        p->constraint[g].has_restitution = record->selection[i] == TAC_SELECT_BOUNCE;
        if (p->constraint[g].has_restitution) set_restitution(s, &p->constraint[g]);
        ++g;
    }
}

tacSolveRecord tac_contact_solve_branch(tacContactSolve* s, const tacSolveRecord* record,
                                        int restitution_on) {
    tacSolveRecord branch = *record;
    branch.f = record->branch[restitution_on].f;
    branch.u = record->branch[restitution_on].u;
    branch.active_set = record->branch[restitution_on].active_set;
    branch.energy_bounded = 0;
    set_restitutions(s, record);
    for (int g = 0; g < s->problem.constraints && !restitution_on; ++g)
        s->problem.constraint[g].has_restitution = 0;
    return branch;
}

//---------------------------------- selection ----------------------------------

// Is a candidate contact or limit closed? And its normal velocity.
static int is_closed_at(tacContactSolve* s, const tacSolveRecord* record, int i, double* v) {
    const tacSolveCandidates* c = &s->candidates;
    int row = i - c->contacts.count;
    if (row >= 0) {
        *v = tac_dense_dot(s->scene->nv, c->row[row].J, record->v);
        return c->row[row].kind == TAC_ROW_JOINT_LIMIT &&
               c->row[row].value <= 2.0 * s->options.delta;
    }
    tacConstraint g = tac_contact_constraint(s, i, &s->dynamics.before);
    *v = tac_dot(g.frame.axis[0], tac_contact_frame_velocity(&g.frame, &s->dynamics.before));
    return g.frame.distance <= record->cutoff;
}

// The impact speed: the fastest approach as the collision began.
static double find_impact_speed(tacContactSolve* s, const tacSolveRecord* record) {
    double most = record->impact_speed, v;
    for (int i = 0; i < record->ncandidate; ++i)
        if (is_closed_at(s, record, i, &v)) most = fmax(most, -v);
    return most;
}

// root degree of freedom of the kinematic tree of k, or -1
static int kinematic_tree(const tacModel* model, int k) {
    while (k >= 0 && model->dof[k].parent >= 0) k = model->dof[k].parent;
    return k;
}

// Does a candidate act on a tree that is hit? With `mark` all of its trees are.
static int is_hit(tacContactSolve* s, int i, int mark) {
    const tacSolveCandidates* c = &s->candidates;
    int row = i - c->contacts.count, found = 0, *hit_trees = s->energy_bound.island;
    const tacModel* model = s->scene;
    for (int side = 0; side < 2 && row < 0; ++side) {
        int body = model->contact->pair[c->contacts.pair[i]].body[side];
        int tree = kinematic_tree(model, tac_last_dof(model, body));
        if (tree >= 0) {
            found |= hit_trees[tree];
            hit_trees[tree] |= mark;
        }
    }
    for (int k = 0; k < model->nv && row >= 0; ++k)
        if (c->row[row].J[k] != 0.0) {
            int tree = kinematic_tree(model, k);
            found |= hit_trees[tree];
            hit_trees[tree] |= mark;
        }
    return found;
}

// Candidates that the impact does not reach take no part: bodies far away keep their bits.
static void drop_unaffected(tacContactSolve* s, tacSolveRecord* record) {
    for (int before = -1, now = 0; before != now;) {
        before = now;
        now = 0;
        for (int i = 0; i < record->ncandidate; ++i)
            if (record->selection[i] != TAC_SELECT_OUT && is_hit(s, i, 0)) {
                is_hit(s, i, 1);
                ++now;
            }
    }
    for (int i = 0; i < record->ncandidate; ++i)
        if (!is_hit(s, i, 0)) record->selection[i] = TAC_SELECT_OUT;
}

// of the impact speed: resting contacts separate and approach no faster
static const double rest_of_impact = 1e-3, trace_of_impact = 1e-6;

// Gaps of resting contacts change by a trace of delta in a step; their rows correct it. [m/s]
static double creep_speed(const tacSolveOptions* o) {
    return fmin(2.0 * o->delta / o->dt, 0.01 * o->rest_speed);
}

// Selects closed contacts that approach or rest. Those faster than the rest speed have restitution.
// A resting contact may separate by a trace: with a sharp border at 0 an impact would jump with
// every change of its gap. Returns how many approach.
static int select_impacts(tacContactSolve* s, tacSolveRecord* record, int all) {
    const tacSolveCandidates* c = &s->candidates;
    int approach = 0, nv = s->scene->nv;
    double speed = 0.0, restitution = s->scene->param[s->options.restitution_param], v;
    for (int k = 0; k < nv; ++k) {
        speed = fmax(speed, fabs(record->v[k]));
        s->energy_bound.island[k] = 0;
    }
    record->ncandidate = c->contacts.count + c->nrow;
    record->impact_speed = find_impact_speed(s, record);
    double nothing = fmax(1e-9 * speed + 1e-14,
                          creep_speed(&s->options)); // rounding of rows that cancel is larger
    double rest = fmax(nothing, rest_of_impact * record->impact_speed);
    for (int i = 0; i < record->ncandidate; ++i) {
        int row = i - c->contacts.count, touches = is_closed_at(s, record, i, &v);
        int equality = row >= 0 && c->row[row].kind == TAC_ROW_EQUALITY; // always in
        int hit = touches && v < -fmax(nothing, trace_of_impact * record->impact_speed);
        record->one_sided |= touches && !all && fabs(v - rest) <= 1e-6 * rest;
        record->selection[i] =
            (unsigned char)(equality                         ? TAC_SELECT_IN
                            : !touches || (v > rest && !all) ? TAC_SELECT_OUT
                            : row < 0 && v < -s->options.rest_speed && restitution > 0.0 && !all
                                ? TAC_SELECT_BOUNCE
                                : TAC_SELECT_IN);
        if (hit) {
            ++approach;
            is_hit(s, i, 1);
        }
    }
    if (!all) drop_unaffected(s, record);
    return approach;
}

tacResult tac_contact_solve_gather_impact(tacContactSolve* s, tacSolveRecord* record) {
    tacResult result = tac_contact_solve_gather(s, record, &s->dynamics.before);
    set_restitutions(s, record);
    return result;
}

void tac_contact_solve_mass_only(tacContactSolve* s, const tacSolveRecord* record) {
    tacSolveDynamics* d = &s->dynamics;
    tac_free_dynamics(&d->free[1], (tacStateArrays){record->q, d->zero, record->act}, d->a,
                      d->rate);
}

// Distance up to which contacts take part. After too many impacts it grows: rods that close like
// scissors are stopped before they lie side by side.
static double impact_cutoff(const tacSolveOptions* o, const tacSolveRecord* record) {
    return fmin(ldexp(o->delta, 1 + 2 * record->impact_overflow), fmax(o->margin, 2.0 * o->delta));
}

static tacResult detect_impact_contacts(tacContactSolve* s, tacSolveRecord* record) {
    tac_contact_solve_kinematics(s, &s->dynamics.before, record->q, record->v);
    record->cutoff = impact_cutoff(&s->options, record);
    record->stabilize = record->impact_overflow > TAC_STABILIZE_AFTER;
    tacResult result =
        tac_contact_solve_detect(s, &s->dynamics.before, record->cutoff, record->stabilize);
    return result == TAC_OK ? tac_contact_solve_list_rows(s, record) : result;
}

// Reduces restitution that would add energy.
static tacResult bound_energy(tacContactSolve* s, tacSolveRecord* record) {
    const tacContactProblem* p = &s->problem;
    int has_restitution = 0, nv = s->scene->nv;
    for (int g = 0; g < p->constraints; ++g) has_restitution |= p->constraint[g].has_restitution;
    record->energy_bounded =
        has_restitution && !s->options.frozen_bounds && tac_energy_bound_gains(s, record);
    if (!record->energy_bounded) return TAC_OK;
    memcpy(record->branch[1].f, record->f, sizeof(double) * (size_t)p->rows);
    memcpy(record->branch[1].u, record->u, sizeof(double) * (size_t)nv);
    tacSolveRecord plain = tac_contact_solve_branch(s, record, 0);
    tac_contact_solve_rhs(s, &plain, record->v);
    tacResult result = tac_contact_solve_lcp(s, &plain, record->v, 0);
    if (result != TAC_OK) return result;
    record->passes += plain.passes;
    record->residual = fmax(record->residual, plain.residual);
    record->flags |= plain.flags | TAC_RESTITUTION_REDUCED;
    tac_contact_solve_drop_tangents(s, &plain);
    tac_energy_bound_apply(s, record);
    return TAC_OK;
}

int tac_solve_impact(tacContactSolve* s, tacSolveRecord* record, int all, tacResult* result) {
    record->is_impact = 1;
    record->h = 0.0;
    record->passes = 0;
    record->flags = 0;
    record->residual = 0.0;
    record->one_sided = 0;
    *result = detect_impact_contacts(s, record);
    if (*result != TAC_OK) return 0;
    int approach = select_impacts(s, record, all);
    if (approach == 0) return 0;
    *result = tac_contact_solve_gather_impact(s, record);
    if (*result != TAC_OK) return approach;
    tac_contact_solve_mass_only(s, record);
    tac_contact_solve_assemble(s, &s->dynamics.free[1]);
    tac_contact_solve_rhs(s, record, record->v);
    *result = tac_contact_solve_lcp(s, record, record->v, 0);
    if (*result == TAC_OK) *result = bound_energy(s, record);
    if (*result == TAC_OK) {
        record->one_sided |= tac_contact_solve_is_near_stick(s, record);
        tac_contact_solve_drop_tangents(s, record);
    }
    return approach;
}
