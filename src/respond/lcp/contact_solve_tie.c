// Ties: answers that another active set fits as well. The derivative is then that of one side.

#include "respond/lcp/contact_solve.h"

#include "math/dense.h"

#include <math.h>

// A closed contact without pressure: open and closed fit both. The curvature of the path leaves
// resting contacts a trace of speed, so the tolerance of an impact is a share of its speed.   [m/s]
static int is_grazing(const tacContactSolve* s, const tacSolveRecord* record, int g) {
    const tacContactProblem* p = &s->problem;
    const double tiny =
        fmax(1e-10, TAC_SPEED_TOLERANCE *
                        (record->is_impact ? record->impact_speed : s->options.rest_speed));
    int i = g * (1 + p->tangents), rows = p->rows;
    const double* A = p->A + (size_t)i * (size_t)rows;
    if (p->constraint[g].kind == TAC_CONSTRAINT_FRICTION ||
        p->constraint[g].kind == TAC_CONSTRAINT_EQUALITY)
        return 0;
    if (A[i] * record->f[i] > tiny) return 0;
    return fabs(tac_dense_dot(rows, A, record->f) + p->b[i]) <= tiny;
}

// a tangent at its bound that does not slide: sticking and sliding fit both
static int is_at_friction_bound(const tacContactProblem* p, const tacSolveRecord* record, int g) {
    const double tiny = 1e-10;
    int first = g * (1 + p->tangents), rows = p->rows, found = 0;
    double bound = p->constraint[g].mu * record->f[first];
    for (int i = first + 1; i <= first + p->tangents && p->constraint[g].mu > 0.0; ++i) {
        const double* A = p->A + (size_t)i * (size_t)rows;
        int near = A[i] * bound > tiny && A[i] * (bound - fabs(record->f[i])) <= tiny;
        found += near && fabs(tac_dense_dot(rows, A, record->f) + p->b[i]) <= tiny;
    }
    return found > 0;
}

// Do the normals of two contacts of a pair rotate with different bodies?
static int normals_turn_apart(const tacContactFrame* a, const tacContactFrame* b) {
    double most = 0.0;
    for (int row = 3; row < 6; ++row)
        for (int i = 6 * row + 3; i < 6 * row + 6; ++i) most = fmax(most, fabs(a->D[i] - b->D[i]));
    return a->body[0] == b->body[0] && a->body[1] == b->body[1] && most > 1e-6;
}

// Do the bodies of a contact have relative velocity there?
static int has_relative_motion(tacContactSolve* s, const tacSolveRecord* record,
                               const tacContactFrame* frame) {
    int nv = s->scene->nv;
    double most = 0.0;
    tac_contact_frame_rows(s->scene, &s->dynamics.free[0].m, frame, s->work.J_end);
    for (int i = 0; i < 3; ++i)
        most = fmax(most, fabs(tac_dense_dot(nv, s->work.J_end + i * nv, record->u)));
    return most > 1e-8;
}

// Bodies with relative velocity, on contacts whose normals rotate with different bodies. Rows that
// agree here contradict one another at a neighbouring state, and some of them open.
static int is_shearing(tacContactSolve* s, const tacSolveRecord* record) {
    tacContactProblem* p = &s->problem;
    int size = 1 + p->tangents;
    for (int g = 0; g < p->constraints; ++g)
        for (int k = 0; k < g && p->constraint[g].kind == TAC_CONSTRAINT_CONTACT; ++k) {
            const tacContactFrame *a = &p->constraint[g].frame, *b = &p->constraint[k].frame;
            if (p->constraint[k].kind != TAC_CONSTRAINT_CONTACT || !normals_turn_apart(a, b))
                continue;
            int press = record->f[g * size] > 0.0 && record->f[k * size] > 0.0;
            if (press && (has_relative_motion(s, record, a) || has_relative_motion(s, record, b)))
                return 1;
        }
    return 0;
}

// Does anything slide?
static int slides(const tacContactSolve* s, const tacSolveRecord* record) {
    for (int i = 0; i < s->problem.rows; ++i)
        if (record->active_set[i] == TAC_LCP_UPPER || record->active_set[i] == TAC_LCP_LOWER)
            return 1;
    return 0;
}

// Redundant contacts that slide in different directions (a plate that spins on a floor). Friction
// follows the pressure of each contact, which is not unique, and so the motion is not. Another
// answer of the same active set shows it.
static int is_undetermined_slide(tacContactSolve* s, const tacSolveRecord* record) {
    tacContactProblem* p = &s->problem;
    int nv = s->scene->nv;
    double *f = s->work.f_dot, most = 0.0, size = 0.0;
    if (!slides(s, record)) return 0;
    tac_lcp_active_set(&p->lcp, record->active_set, f, s->work.lcp_memory);
    for (int k = 0; k < nv; ++k) {
        const double* U = p->U + k * p->rows;
        double a = tac_dense_dot(p->rows, U, record->f), b = tac_dense_dot(p->rows, U, f);
        most = fmax(most, fabs(a - b));
        size = fmax(size, fabs(a));
    }
    return most > 1e-7 * size;
}

// Does another active set fit as well? Redundant resting contacts alone are no tie: their gaps
// change alike with the configuration, so while all press they stay closed together. An impact has
// no gaps that would keep them together.
int tac_contact_solve_has_tie(tacContactSolve* s, const tacSolveRecord* record,
                              const tacLcpReport* report) {
    int rests = report->dropped && !record->is_impact, found = !rests && (report->flags & TAC_TIE);
    if (rests) found = is_shearing(s, record) || is_undetermined_slide(s, record);
    for (int g = 0; g < s->problem.constraints && !found; ++g)
        found = is_grazing(s, record, g) || (rests && is_at_friction_bound(&s->problem, record, g));
    return found;
}

// Does a contact slide so slowly that any change rotates its direction and that of friction? Below
// 1e-6 m/s the pyramid keeps its axes.                                        [m/s]
int tac_contact_solve_is_near_stick(const tacContactSolve* s, const tacSolveRecord* record) {
    const tacContactProblem* p = &s->problem;
    for (int g = 0; g < p->constraints; ++g) {
        const tacContactFrame* frame = &p->constraint[g].frame;
        if (p->constraint[g].kind != TAC_CONSTRAINT_CONTACT || !frame->slides ||
            frame->width > 1e-4)
            continue;
        for (int i = g * (1 + p->tangents) + 1; i < (g + 1) * (1 + p->tangents); ++i)
            if (record->active_set[i] == TAC_LCP_UPPER || record->active_set[i] == TAC_LCP_LOWER)
                return 1;
    }
    return 0;
}

//---------------------------------- jams ----------------------------------

// the row with the largest remaining pivot
static int best_symmetric_pivot(const double* K, int n, int k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
        if (K[i * n + i] > K[best * n + best]) best = i;
    return best;
}

// exchanges rows and columns of a symmetric matrix
static void exchange_rows_and_columns(double* K, int n, int a, int b) {
    for (int j = 0; j < n && a != b; ++j) {
        double x = K[a * n + j];
        K[a * n + j] = K[b * n + j];
        K[b * n + j] = x;
    }
    for (int i = 0; i < n && a != b; ++i) {
        double x = K[i * n + a];
        K[i * n + a] = K[i * n + b];
        K[i * n + b] = x;
    }
}

// Rank of a matrix with unit diagonal. Nearly dependent rows count as independent: they are so at a
// neighbouring state.
static int rank_of_unit_diagonal(double* K, int n) {
    const double rounding = 1e-13;
    for (int k = 0; k < n; ++k) {
        exchange_rows_and_columns(K, n, k, best_symmetric_pivot(K, n, k));
        double pivot = K[k * n + k];
        if (!(pivot > rounding)) return k;
        for (int i = k + 1; i < n; ++i)
            for (int j = k + 1; j < n; ++j) K[i * n + j] -= K[i * n + k] / pivot * K[k * n + j];
    }
    return n;
}

// number of redundant tight rows among those of the given kinds
static int count_redundant(tacContactSolve* s, const tacSolveRecord* record, int normals,
                           int tangents) {
    const tacContactProblem* p = &s->problem;
    const tacSolveWorkspace* w = &s->work;
    double *K = w->lcp_memory, *unit = w->f_dot;
    int n = 0, rows = p->rows;
    for (int i = 0; i < rows; ++i) {
        int wanted = i % (1 + p->tangents) ? tangents : normals;
        w->active_set[i] = (unsigned char)(wanted && record->active_set[i] == TAC_LCP_TIGHT);
        unit[i] = 1.0 / sqrt(fmax(p->A[i * (rows + 1)], 1e-300));
        n += w->active_set[i];
    }
    for (int i = 0, at = 0; i < rows; ++i)
        for (int j = 0; j < rows && w->active_set[i]; ++j)
            if (w->active_set[j]) K[at++] = p->A[i * rows + j] * unit[i] * unit[j];
    return n - rank_of_unit_diagonal(K, n);
}

// As bodies move by dq, gaps of normal rows change by J_n dq, and sticking tangents stay. The rows
// agree at a neighbouring state, too, if normals depend on normals only and tangents on tangents.
// In a jam (a peg between two walls, a box in a corner) the friction of one wall resists the normal
// of the other, and some row changes its status.
int tac_contact_solve_is_jammed(tacContactSolve* s, const tacSolveRecord* record) {
    if (record->is_impact || s->problem.tangents == 0 || s->problem.constraints < 2) return 0;
    int all = count_redundant(s, record, 1, 1);
    return all > 0 && all > count_redundant(s, record, 1, 0) + count_redundant(s, record, 0, 1);
}
