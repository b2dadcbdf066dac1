// Assembly of a solve: candidates become constraints, constraints become matrices.
//
//   contacts, limits, friction, equalities --constraints--> J --> A = J M^-1 J', b -->
//   contact_solve.c, impact_solve.c

#include "respond/lcp/contact_solve_assembly.h"

#include "math/dense.h"
#include "math/number.h"
#include "respond/force/pair_forces.h"

#include <float.h>
#include <math.h>
#include <string.h>

//---------------------------------- detection ----------------------------------

// kinematics and velocities of one of the motions
void tac_contact_solve_kinematics(tacContactSolve* s, tacMotion* m, const double* q,
                                  const double* v) {
    const tacDynamicsKernels* k = s->dynamics.free[0].k;
    m->qpos = q;
    m->qvel = v;
    m->qacc = NULL;
    m->wrench = NULL;
    k->kinematics(s->scene, m);
    k->inverse(s->scene, m, s->work.joint_force);
}

// Poses are known to the rounding of the coordinates that contacts have.
static double distance_rounding(const tacContacts* c, double delta) {
    double most = 0.0;
    for (int i = 0; i < c->count; ++i)
        for (int k = 0; k < 3; ++k) most = fmax(most, fabs(c->point[k][i]));
    return fmax(TAC_DISTANCE_TOLERANCE * delta, 16.0 * DBL_EPSILON * most);
}

tacResult tac_contact_solve_detect(tacContactSolve* s, const tacMotion* m, double margin,
                                   int stabilize) {
    tacSolveCandidates* c = &s->candidates;
    tacDetectQuery query = {.margin = margin, .features = c->convex_contact};
    tac_motion_poses(s->scene, m, s->dynamics.pose);
    tacResult result =
        tac_detect_query(s->scene, s->dynamics.pose, query, &c->contacts, s->scratch);
    c->detected = c->contacts.count;
    c->rounding = distance_rounding(&c->contacts, s->options.delta);
    if (result == TAC_OK && stabilize)
        tac_add_stabilizing_contacts(s->scene, s->dynamics.pose, 2.0 * s->options.delta,
                                     &c->contacts, c->convex_contact);
    return result;
}

//---------------------------------- constraints ----------------------------------

// A gap below 0 opens within a step, but at no more than a given speed.
static void limit_gap(const tacContactSolve* s, tacConstraint* g, double separation_speed) {
    double most = separation_speed * s->options.dt;
    g->separation_speed = separation_speed;
    g->deep_border = fabs(g->gap + most) <= 1e-9 * most;
    g->deep = g->gap < -most;
    if (g->deep) g->gap = -most;
}

tacConstraint tac_contact_constraint(const tacContactSolve* s, int i, const tacMotion* before) {
    const tacContactPair* pair = &s->scene->contact->pair[s->candidates.contacts.pair[i]];
    tacConstraint g = {.kind = TAC_CONSTRAINT_CONTACT, .source = i};
    g.mu_param = tac_pair_friction(s->scene, pair);
    g.mu = g.mu_param >= 0 ? s->scene->param[g.mu_param] : 0.0;
    g.frame = tac_contact_frame(&s->candidates.contacts, i, pair->body, before);
    g.gap = g.frame.distance - TAC_REST_DISTANCE * s->options.delta;
    limit_gap(s, &g, TAC_SEPARATION_SPEED);
    return g;
}

static double limit_return_speed(const tacModel* model, const tacRow* row) {
    return model->joint[row->object].kind == TAC_JOINT_HINGE ? TAC_LIMIT_RETURN_SPEED
                                                             : TAC_SEPARATION_SPEED;
}

static tacConstraint row_constraint(const tacContactSolve* s, int i, double h,
                                    const tacMotion* before) {
    const tacRow* row = &s->candidates.row[i];
    int dry = row->kind == TAC_ROW_JOINT_FRICTION;
    tacConstraint g = {.source = i, .mu_param = -1, .mu = dry ? 1.0 : 0.0};
    g.kind = dry                                ? TAC_CONSTRAINT_FRICTION
             : row->kind == TAC_ROW_JOINT_LIMIT ? TAC_CONSTRAINT_LIMIT
                                                : TAC_CONSTRAINT_EQUALITY;
    g.gap = dry ? -row->bound * h : row->value;
    if (g.kind == TAC_CONSTRAINT_LIMIT) limit_gap(s, &g, limit_return_speed(s->scene, row));
    if (g.kind == TAC_CONSTRAINT_EQUALITY)
        g.equality = tac_equality_row(s->scene, before, s->candidates.row, i);
    return g;
}

// Speed at which a gap may close in a substep h of a step dt: almost all of the gap,
//
//   gap/dt + (1/h - 1/dt) reserve(gap),  reserve = 0 up to delta, gap - 1.125 delta from 1.25 delta
//
// with a parabola in between. So the row is linear around rest (gap = 0) for substeps of any
// length, and a gap below 0 opens within a whole step. Equalities are linear at any gap.
static tacGapRate gap_rate_of(const tacSolveOptions* o, const tacConstraint* g, double h) {
    if (g->kind == TAC_CONSTRAINT_FRICTION) return (tacGapRate){.speed = g->gap};
    double w = 0.25 * o->delta, x = fmax(g->gap - o->delta, 0.0), dt = fmax(h, o->dt);
    double reserve = x < w ? 0.5 * x * x / w : x - 0.5 * w, restitution_slope = fmin(x / w, 1.0);
    if (g->kind == TAC_CONSTRAINT_EQUALITY) reserve = restitution_slope = 0.0;
    double more = 1.0 / h - 1.0 / dt;
    return (tacGapRate){.speed = g->gap / dt + more * reserve,
                        .by_gap = 1.0 / dt + more * restitution_slope,
                        .by_delta = more * (reserve - restitution_slope * g->gap) / o->delta,
                        .by_h = -reserve / (h * h),
                        .by_dt = (reserve - g->gap) / (dt * dt)};
}

// gaps neither open nor close
void tac_contact_solve_close_gaps(tacContactSolve* s) {
    const tacContactProblem* p = &s->problem;
    for (int g = 0; g < p->constraints; ++g)
        if (p->constraint[g].kind != TAC_CONSTRAINT_FRICTION)
            p->constraint[g].gap_rate = (tacGapRate){.speed = 0.0};
}

// J of a constraint, one row or three
static void fill_constraint_rows(tacContactSolve* s, const tacMotion* m, int g) {
    tacContactProblem* p = &s->problem;
    int nv = s->scene->nv, size = 1 + p->tangents;
    const tacConstraint* constraint = &p->constraint[g];
    double* J = p->J + (size_t)(g * size) * (size_t)nv;
    if (constraint->kind == TAC_CONSTRAINT_CONTACT) {
        // without tangents the next constraint overwrites their rows
        tac_contact_frame_rows(s->scene, m, &constraint->frame, J);
        return;
    }
    memset(J, 0, sizeof *J * (size_t)(size * nv));
    int at = constraint->kind == TAC_CONSTRAINT_FRICTION ? nv : 0;
    memcpy(J + at, s->candidates.row[constraint->source].J, sizeof *J * (size_t)nv);
}

// A = J M^-1 J'; friction of a joint presses with its own bound
static void fill_lcp_matrix(tacContactSolve* s, const tacFreeDynamics* f) {
    const tacContactProblem* p = &s->problem;
    int nv = s->scene->nv, rows = p->rows;
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < nv; ++k) p->U[k * rows + i] = p->J[i * nv + k];
    if (rows > 0) f->k->solve_columns(s->scene, &f->m, p->U, rows, rows);
    for (int i = 0; i < rows; ++i) {
        double* A = p->A + (size_t)i * (size_t)rows;
        memset(A, 0, sizeof *A * (size_t)rows);
        for (int k = 0; k < nv; ++k) {
            double x = p->J[i * nv + k];
            for (int j = 0; j < rows && x != 0.0; ++j) A[j] += x * p->U[k * rows + j];
        }
    }
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < i; ++j) {
            double x = 0.5 * (p->A[i * rows + j] + p->A[j * rows + i]);
            p->A[i * rows + j] = p->A[j * rows + i] = x;
        }
    for (int g = 0; g < p->constraints; ++g) {
        int i = g * (1 + p->tangents);
        p->mu[g] = p->constraint[g].mu;
        if (p->constraint[g].kind == TAC_CONSTRAINT_FRICTION) p->A[i * rows + i] = 1.0;
    }
}

void tac_contact_solve_assemble(tacContactSolve* s, tacFreeDynamics* f) {
    tacContactProblem* p = &s->problem;
    p->tangents = 0;
    for (int g = 0; g < p->constraints; ++g)
        if (p->constraint[g].mu > 0.0) p->tangents = 2;
    p->rows = p->constraints * (1 + p->tangents);
    for (int g = 0; g < p->constraints; ++g) fill_constraint_rows(s, &f->m, g);
    fill_lcp_matrix(s, f);
    p->lcp = (tacLcp){p->constraints, p->tangents, p->A, p->b, p->mu};
}

void tac_contact_solve_rhs(tacContactSolve* s, const tacSolveRecord* record, const double* v_free) {
    tacContactProblem* p = &s->problem;
    int nv = s->scene->nv, size = 1 + p->tangents;
    double restitution = s->scene->param[s->options.restitution_param];
    for (int g = 0; g < p->constraints; ++g) {
        const tacConstraint* constraint = &p->constraint[g];
        for (int i = g * size; i < (g + 1) * size; ++i)
            p->b[i] = tac_dense_dot(nv, p->J + i * nv, v_free);
        if (!record->is_impact)
            p->b[g * size] += constraint->gap_rate.speed + constraint->gap_correction / record->h;
        if (constraint->has_restitution)
            p->b[g * size] += restitution * constraint->restitution_scale *
                              tac_dense_dot(nv, p->J + g * size * nv, record->v);
    }
}

//---------------------------------- selection ----------------------------------

tacConstraint tac_candidate_constraint(const tacContactSolve* s, const tacSolveRecord* record,
                                       int i, const tacMotion* before, double* J) {
    int row = i - s->candidates.contacts.count;
    tacConstraint g =
        row < 0 ? tac_contact_constraint(s, i, before) : row_constraint(s, row, record->h, before);
    if (!record->is_impact) g.gap_rate = gap_rate_of(&s->options, &g, record->h);
    if (J && row < 0) tac_contact_frame_rows(s->scene, before, &g.frame, J);
    if (J && row >= 0) memcpy(J, s->candidates.row[row].J, sizeof *J * (size_t)s->scene->nv);
    return g;
}

// no friction for a contact that must open
static void drop_friction(const tacContactSolve* s, tacConstraint* g) {
    if (g->kind == TAC_CONSTRAINT_CONTACT && g->gap < -0.1 * s->options.delta) {
        g->mu = 0.0;
        g->mu_param = -1;
    }
}

tacResult tac_contact_solve_gather(tacContactSolve* s, tacSolveRecord* record,
                                   const tacMotion* before) {
    tacContactProblem* p = &s->problem;
    p->constraints = 0;
    for (int i = 0; i < record->ncandidate; ++i) {
        if (record->selection[i] == TAC_SELECT_OUT) continue;
        if (p->constraints == p->capacity) return TAC_ERROR_CAPACITY;
        p->constraint[p->constraints] = tac_candidate_constraint(s, record, i, before, NULL);
        if (record->variant.frictionless) drop_friction(s, &p->constraint[p->constraints]);
        ++p->constraints;
    }
    return TAC_OK;
}

tacResult tac_contact_solve_list_rows(tacContactSolve* s, const tacSolveRecord* record) {
    const tacSolveCandidates* c = &s->candidates;
    if (c->nrow == 0) return TAC_OK;
    return tac_rows(s->scene, record->q, record->v, c->row, c->row_J, s->scratch);
}
