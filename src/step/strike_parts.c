// What a solve of hard contact is made of: contacts and rows as groups, their matrices.
//
//   contacts, limits, friction, equalities --groups--> J --> A = J M^-1 J', b --> strike.c, blow.c

#include "step/strike_parts.h"

#include "math/number.h"
#include "step/spread.h"

#include <math.h>
#include <string.h>

//---------------------------------- places ----------------------------------

// kinematics and velocities of one of the motions
void tac_strike_place(tacStrike* s, tacMotion* m, const double* q, const double* v) {
    const tacDynamicsKernels* k = s->flow[0].k;
    m->qpos = q;
    m->qvel = v;
    m->qacc = NULL;
    m->wrench = NULL;
    k->kinematics(s->scene, m);
    k->inverse(s->scene, m, s->work);
}

void tac_strike_poses(tacStrike* s, const tacMotion* m) {
    for (int b = 0; b < s->scene->nbody; ++b)
        s->pose[b] = (tacPose){tac_load3(m->place + 3 * b), tac_quat_load(m->quat + 4 * b)};
}

tacResult tac_strike_find(tacStrike* s, const tacMotion* m, double margin, int spread) {
    tac_strike_poses(s, m);
    s->contacts.count = 0;
    tacResult result =
        tac_hard_touches(s->scene, s->pose, margin, &s->contacts, s->touch, s->hard_memory);
    s->found = s->contacts.count;
    if (result == TAC_OK && spread)
        tac_spread(s->scene, s->pose, 2.0 * s->delta, &s->contacts, s->touch);
    return result;
}

//---------------------------------- groups ----------------------------------

// of two coefficients the larger one's offset; -1: no friction
static int friction_at(const tacModel* model, const tacContactPair* pair) {
    int a = pair->friction[0], b = pair->friction[1];
    return b >= 0 && model->param[b] > model->param[a] ? b : a;
}

// A gap below 0 opens within a step, but at no more than a speed.
static void bound_gap(const tacStrike* s, tacStrikeGroup* g, double parting) {
    double most = parting * s->dt;
    g->parting = parting;
    g->edge = fabs(g->gap + most) <= 1e-9 * most;
    g->deep = g->gap < -most;
    if (g->deep) g->gap = -most;
}

tacStrikeGroup tac_strike_contact(const tacStrike* s, int i, const tacMotion* before) {
    const tacContactPair* pair = &s->scene->contact->pair[s->contacts.pair[i]];
    tacStrikeGroup g = {.kind = TAC_GROUP_CONTACT, .source = i};
    g.mu_at = friction_at(s->scene, pair);
    g.mu = g.mu_at >= 0 ? s->scene->param[g.mu_at] : 0.0;
    g.frame = tac_frame_of(&s->contacts, i, pair->body, before);
    g.gap = g.frame.distance - TAC_REST * s->delta;
    bound_gap(s, &g, TAC_PARTING);
    return g;
}

static double limit_parting(const tacModel* model, const tacRow* row) {
    return model->joint[row->object].kind == TAC_JOINT_HINGE ? TAC_TURNING : TAC_PARTING;
}

static tacStrikeGroup row_group(const tacStrike* s, int i, double h, const tacMotion* before) {
    const tacRow* row = &s->row[i];
    int dry = row->kind == TAC_ROW_JOINT_FRICTION;
    tacStrikeGroup g = {.source = i, .mu_at = -1, .mu = dry ? 1.0 : 0.0};
    g.kind = dry                                ? TAC_GROUP_FRICTION
             : row->kind == TAC_ROW_JOINT_LIMIT ? TAC_GROUP_LIMIT
                                                : TAC_GROUP_EQUALITY;
    g.gap = dry ? -row->bound * h : row->value;
    if (g.kind == TAC_GROUP_LIMIT) bound_gap(s, &g, limit_parting(s->scene, row));
    if (g.kind == TAC_GROUP_EQUALITY) g.held = tac_equality_row(s->scene, before, s->row, i);
    return g;
}

// What may close in the time h that is left of a step dt: nearly all of the gap,
//
//   gap/dt + (1/h - 1/dt) fold(gap),   fold = 0 up to delta, gap - 1.125 delta from 1.25 delta on
//
// with a parabola between. So around rest (gap = 0) the row is straight, however short the stretch
// is, and a gap that is too small opens within a whole step. Equalities are like that at any gap.
static tacPace pace_of(const tacStrike* s, const tacStrikeGroup* g, double h) {
    if (g->kind == TAC_GROUP_FRICTION) return (tacPace){.speed = g->gap};
    double w = 0.25 * s->delta, x = fmax(g->gap - s->delta, 0.0), dt = fmax(h, s->dt);
    double fold = x < w ? 0.5 * x * x / w : x - 0.5 * w, steep = fmin(x / w, 1.0);
    if (g->kind == TAC_GROUP_EQUALITY) fold = steep = 0.0;
    double more = 1.0 / h - 1.0 / dt;
    return (tacPace){.speed = g->gap / dt + more * fold,
                     .by_gap = 1.0 / dt + more * steep,
                     .by_delta = more * (fold - steep * g->gap) / s->delta,
                     .by_h = -fold / (h * h),
                     .by_dt = (fold - g->gap) / (dt * dt)};
}

// gaps stay as they are
void tac_strike_stop(tacStrike* s) {
    for (int g = 0; g < s->groups; ++g)
        if (s->group[g].kind != TAC_GROUP_FRICTION) s->group[g].pace = (tacPace){.speed = 0.0};
}

static double dot(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// J of a group, one row or three
static void fill_rows(tacStrike* s, const tacMotion* m, int g) {
    int nv = s->scene->nv, size = 1 + s->tangents;
    const tacStrikeGroup* group = &s->group[g];
    double* J = s->J + (size_t)(g * size) * (size_t)nv;
    if (group->kind == TAC_GROUP_CONTACT) {
        // without tangents the next group overwrites their rows
        tac_frame_rows(s->scene, m, &group->frame, J);
        return;
    }
    memset(J, 0, sizeof *J * (size_t)(size * nv));
    int at = group->kind == TAC_GROUP_FRICTION ? nv : 0;
    memcpy(J + at, s->row[group->source].J, sizeof *J * (size_t)nv);
}

// A = J M^-1 J'; friction of a joint presses with its own bound
static void fill_matrix(tacStrike* s, const tacFlow* f) {
    int nv = s->scene->nv, rows = s->rows;
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < nv; ++k) s->U[k * rows + i] = s->J[i * nv + k];
    if (rows > 0) f->k->solve_columns(s->scene, &f->m, s->U, rows, rows);
    for (int i = 0; i < rows; ++i) {
        double* A = s->A + (size_t)i * (size_t)rows;
        memset(A, 0, sizeof *A * (size_t)rows);
        for (int k = 0; k < nv; ++k) {
            double x = s->J[i * nv + k];
            for (int j = 0; j < rows && x != 0.0; ++j) A[j] += x * s->U[k * rows + j];
        }
    }
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < i; ++j) {
            double x = 0.5 * (s->A[i * rows + j] + s->A[j * rows + i]);
            s->A[i * rows + j] = s->A[j * rows + i] = x;
        }
    for (int g = 0; g < s->groups; ++g) {
        int i = g * (1 + s->tangents);
        s->mu[g] = s->group[g].mu;
        if (s->group[g].kind == TAC_GROUP_FRICTION) s->A[i * rows + i] = 1.0;
    }
}

// the matrices of the groups at hand
void tac_strike_fill(tacStrike* s, tacFlow* f) {
    s->tangents = 0;
    for (int g = 0; g < s->groups; ++g)
        if (s->group[g].mu > 0.0) s->tangents = 2;
    s->rows = s->groups * (1 + s->tangents);
    for (int g = 0; g < s->groups; ++g) fill_rows(s, &f->m, g);
    fill_matrix(s, f);
    s->lcp = (tacLcp){s->groups, s->tangents, s->A, s->b, s->mu};
}

void tac_strike_right_side(tacStrike* s, const tacStrikeNote* note, const double* free) {
    int nv = s->scene->nv, size = 1 + s->tangents;
    double restitution = s->scene->param[s->restitution];
    for (int g = 0; g < s->groups; ++g) {
        const tacStrikeGroup* group = &s->group[g];
        for (int i = g * size; i < (g + 1) * size; ++i) s->b[i] = dot(nv, s->J + i * nv, free);
        if (!note->collides) s->b[g * size] += group->pace.speed + group->bend / note->h;
        if (group->bounces)
            s->b[g * size] += restitution * group->fade * dot(nv, s->J + g * size * nv, note->v);
    }
}

//---------------------------------- lists ----------------------------------

// a contact or row of the list as a group, and its normal row
tacStrikeGroup tac_strike_listed(const tacStrike* s, const tacStrikeNote* note, int i,
                                 const tacMotion* before, double* J) {
    int row = i - s->contacts.count;
    tacStrikeGroup g =
        row < 0 ? tac_strike_contact(s, i, before) : row_group(s, row, note->h, before);
    if (!note->collides) g.pace = pace_of(s, &g, note->h);
    if (J && row < 0) tac_frame_rows(s->scene, before, &g.frame, J);
    if (J && row >= 0) memcpy(J, s->row[row].J, sizeof *J * (size_t)s->scene->nv);
    return g;
}

// no friction for a contact that must open
static void make_slick(const tacStrike* s, tacStrikeGroup* g) {
    if (g->kind == TAC_GROUP_CONTACT && g->gap < -0.1 * s->delta) {
        g->mu = 0.0;
        g->mu_at = -1;
    }
}

// the groups that the note has chosen
tacResult tac_strike_gather(tacStrike* s, tacStrikeNote* note, const tacMotion* before) {
    s->groups = 0;
    for (int i = 0; i < note->listed; ++i) {
        if (note->chosen[i] == TAC_STRIKE_OUT) continue;
        if (s->groups == s->capacity) return TAC_ERROR_CAPACITY;
        s->group[s->groups] = tac_strike_listed(s, note, i, before, NULL);
        if (note->slick) make_slick(s, &s->group[s->groups]);
        ++s->groups;
    }
    return TAC_OK;
}

tacResult tac_strike_list(tacStrike* s, const tacStrikeNote* note) {
    if (s->nrow == 0) return TAC_OK;
    return tac_rows(s->scene, note->q, note->v, s->row, s->row_J, s->scratch);
}
