// One solve of hard contact.
//
//   contacts, limits, friction --groups--> J --> A = J M^-1 J', b --lcp--> f --> u = free + M^-1 J'
//   f

#include "step/strike.h"

#include "base/assert.h"
#include "math/number.h"
#include "respond/dantzig.h"
#include "step/spread.h"

#include <math.h>
#include <string.h>

enum { BEND_PASSES = 20, CHOICE_PASSES = 4, SPREAD_AFTER = 6 };

//---------------------------------- places ----------------------------------

// kinematics and velocities of one of the motions
static void place(tacStrike* s, tacMotion* m, const double* q, const double* v) {
    const tacDynamicsKernels* k = s->flow[0].k;
    m->qpos = q, m->qvel = v, m->qacc = NULL, m->wrench = NULL;
    k->kinematics(s->scene, m);
    k->inverse(s->scene, m, s->work);
}

// time step of the flow, and its implicit damping
static void set_time(tacStrike* s, double h) {
    tacFlow* f = &s->flow[0];
    s->moving.param[s->scene->timestep] = h, f->h = h;
    for (int k = 0; k < s->scene->nv && f->implicit; ++k)
        f->extra[k] = h * s->scene->param[s->scene->joint[s->scene->dof[k].joint].damping];
}

static void set_poses(tacStrike* s, const tacMotion* m) {
    for (int b = 0; b < s->scene->nbody; ++b)
        s->pose[b] = (tacPose){tac_load3(m->place + 3 * b), tac_quat_load(m->quat + 4 * b)};
}

static tacResult find_contacts(tacStrike* s, const tacMotion* m, double margin, int spread) {
    set_poses(s, m);
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
    g->parting = parting;
    g->deep = g->gap < -parting * s->dt;
    if (g->deep) g->gap = -parting * s->dt;
}

static tacStrikeGroup contact_group(const tacStrike* s, int i, const tacMotion* before) {
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
static void fill(tacStrike* s, tacFlow* f) {
    s->tangents = 0;
    for (int g = 0; g < s->groups; ++g)
        if (s->group[g].mu > 0.0) s->tangents = 2;
    s->rows = s->groups * (1 + s->tangents);
    for (int g = 0; g < s->groups; ++g) fill_rows(s, &f->m, g);
    fill_matrix(s, f);
    s->lcp = (tacLcp){s->groups, s->tangents, s->A, s->b, s->mu};
}

static void right_side(tacStrike* s, const tacStrikeNote* note, const double* free) {
    int nv = s->scene->nv, size = 1 + s->tangents;
    double restitution = s->scene->param[s->restitution];
    for (int g = 0; g < s->groups; ++g) {
        const tacStrikeGroup* group = &s->group[g];
        for (int i = g * size; i < (g + 1) * size; ++i) s->b[i] = dot(nv, s->J + i * nv, free);
        if (!note->collides) s->b[g * size] += group->gap / group->span + group->bend / note->h;
        if (group->bounces)
            s->b[g * size] += restitution * group->fade * dot(nv, s->J + g * size * nv, note->v);
    }
}

//---------------------------------- solve ----------------------------------

// friction bounds frozen at the frictionless answer: for comparison
static tacResult solve_frozen(tacStrike* s, const tacLcp* lcp, double* f, unsigned char* classes,
                              tacLcpReport* report) {
    int done = tac_dantzig(lcp, TAC_BOUNDS_FROZEN, f, classes, &report->passes, s->memory);
    report->residual = tac_lcp_residual(lcp, f, NULL);
    return done ? TAC_OK : TAC_ERROR_UNSOLVED;
}

static tacResult solve_problem(tacStrike* s, const tacLcp* lcp, double* f, unsigned char* classes,
                               tacLcpReport* report) {
    if (s->frozen && lcp->tangents) return solve_frozen(s, lcp, f, classes, report);
    return tac_lcp_solve(lcp, s->again, f, classes, report, s->memory);
}

// marks the groups of equalities; returns how many
static int mark_held(tacStrike* s) {
    int count = 0;
    for (int g = 0; g < s->groups; ++g)
        count += s->classes[g] = s->group[g].kind == TAC_GROUP_EQUALITY;
    return count;
}

// Equalities are taken off first, as they hold whatever contacts do.
static tacResult solve_held(tacStrike* s, tacStrikeNote* note, tacLcpReport* report) {
    if (mark_held(s) == 0) return solve_problem(s, &s->lcp, note->f, note->classes, report);
    tacLcp lcp = tac_held_reduce(&s->held, &s->lcp, s->classes);
    tacResult result = TAC_OK;
    if (lcp.contacts > 0) result = solve_problem(s, &lcp, s->held.f, s->held.classes, report);
    if (result == TAC_OK) tac_held_restore(&s->held, &s->lcp, note->f, note->classes);
    if (s->held.dropped > 0) report->flags |= TAC_TIE, report->dropped = 0;
    return result;
}

// impulses, then u = free + U f
static tacResult solve(tacStrike* s, tacStrikeNote* note, const double* free) {
    tacLcpReport report = {0};
    int nv = s->scene->nv;
    tacResult result = solve_held(s, note, &report);
    if (result != TAC_OK) return result;
    note->passes = report.passes, note->residual = report.residual;
    note->groups = s->groups, note->tangents = s->tangents;
    note->flags = report.flags & TAC_FALLBACK;
    for (int k = 0; k < nv; ++k) note->u[k] = free[k] + dot(s->rows, s->U + k * s->rows, note->f);
    if (tac_strike_has_tie(s, note, &report)) note->flags |= TAC_TIE;
    return TAC_OK;
}

// Tangents without friction are off to the derivative: strike_diff.c has what a trace of friction
// would do.
static void drop_tangents(const tacStrike* s, tacStrikeNote* note) {
    int size = 1 + s->tangents;
    for (int g = 0; g < s->groups; ++g)
        for (int i = g * size + 1; i < (g + 1) * size && s->group[g].mu == 0.0; ++i)
            note->classes[i] = TAC_LCP_OFF;
}

// Time in which the gap of a normal row may close. A gap that is too small opens slowly.
static void set_span(const tacStrike* s, tacStrikeGroup* g, double h) {
    int soon = g->kind != TAC_GROUP_EQUALITY && g->gap >= 0.0;
    g->span = g->kind == TAC_GROUP_FRICTION ? 1.0 : soon ? h : fmax(h, s->dt);
}

//---------------------------------- propagate ----------------------------------

// A contact counts where it is closed, or slowly closing within the step. One that approaches fast
// meets as an impact instead, unless there were too many already.
static int counts(const tacStrike* s, const tacStrikeGroup* g, const double* J, const double* v,
                  const double* free, double h) {
    int nv = s->scene->nv;
    double speed = dot(nv, J, v), next = dot(nv, J, free);
    if (g->kind == TAC_GROUP_FRICTION || g->kind == TAC_GROUP_EQUALITY) return 1;
    if (g->kind == TAC_GROUP_LIMIT) return g->gap + h * next < 0.0;
    if (speed < -s->slow && !s->late) return 0;
    return g->frame.distance <= 2.0 * s->delta || g->gap + h * next < 0.0;
}

// a contact or row of the list as a group, and its normal row
static tacStrikeGroup listed(const tacStrike* s, const tacStrikeNote* note, int i,
                             const tacMotion* before, double* J) {
    int row = i - s->contacts.count;
    tacStrikeGroup g = row < 0 ? contact_group(s, i, before) : row_group(s, row, note->h, before);
    if (J && row < 0) tac_frame_rows(s->scene, before, &g.frame, J);
    if (J && row >= 0) memcpy(J, s->row[row].J, sizeof *J * (size_t)s->scene->nv);
    return g;
}

// A contact that closes, at the speed above which it would be a blow: the step jumps there.
static int is_at_border(const tacStrike* s, const tacStrikeGroup* g, const double* J,
                        const double* v, const double* u, double h) {
    int nv = s->scene->nv;
    if (g->kind != TAC_GROUP_CONTACT || s->late) return 0;
    int closes = g->frame.distance <= 2.0 * s->delta || g->gap + h * dot(nv, J, u) < 0.0;
    return closes && fabs(dot(nv, J, v) + s->slow) <= 1e-6 * s->slow;
}

// Adds what counts at a velocity to the note's choice; returns how many.
static int choose(tacStrike* s, tacStrikeNote* note, const tacMotion* before, const double* u) {
    int added = 0;
    for (int i = 0; i < note->listed; ++i) {
        if (note->chosen[i] != TAC_STRIKE_OUT) continue;
        tacStrikeGroup g = listed(s, note, i, before, s->J_end);
        note->border |= is_at_border(s, &g, s->J_end, note->v, u, note->h);
        if (!counts(s, &g, s->J_end, note->v, u, note->h)) continue;
        note->chosen[i] = TAC_STRIKE_IN, ++added;
    }
    return added;
}

// Restitution fades in with the speed, from that of rest to half as much again: y^2 (3 - 2 y).
static void set_bounce(const tacStrike* s, tacStrikeGroup* g) {
    const double width = 0.5;
    g->approach = tac_dot(g->frame.axis[0], tac_frame_velocity(&g->frame, &s->before));
    double y = fmin(fmax((-g->approach / s->slow - 1.0) / width, 0.0), 1.0);
    g->fade = y * y * (3.0 - 2.0 * y), g->steep = 6.0 * y * (1.0 - y) / width;
}

// which contacts bounce, as the note has chosen
static void set_bounces(tacStrike* s, const tacStrikeNote* note) {
    for (int g = 0, i = 0; g < s->groups; ++i) {
        if (note->chosen[i] == TAC_STRIKE_OUT) continue;
        s->group[g].bounces = note->chosen[i] == TAC_STRIKE_BOUNCES;
        if (s->group[g].bounces) set_bounce(s, &s->group[g]);
        ++g;
    }
}

tacStrikeNote tac_strike_part(tacStrike* s, const tacStrikeNote* note, int with) {
    tacStrikeNote part = *note;
    part.f = note->part[with].f, part.u = note->part[with].u;
    part.classes = note->part[with].classes, part.bounded = 0;
    set_bounces(s, note);
    for (int g = 0; g < s->groups && !with; ++g) s->group[g].bounces = 0;
    return part;
}

// no friction for a contact that must open
static void make_slick(const tacStrike* s, tacStrikeGroup* g) {
    if (g->kind == TAC_GROUP_CONTACT && g->gap < -0.1 * s->delta) g->mu = 0.0, g->mu_at = -1;
}

// the groups that the note has chosen
static tacResult gather(tacStrike* s, tacStrikeNote* note, const tacMotion* before) {
    s->groups = 0;
    for (int i = 0; i < note->listed; ++i) {
        if (note->chosen[i] == TAC_STRIKE_OUT) continue;
        if (s->groups == s->capacity) return TAC_ERROR_CAPACITY;
        s->group[s->groups] = listed(s, note, i, before, NULL);
        if (note->slick) make_slick(s, &s->group[s->groups]);
        set_span(s, &s->group[s->groups++], note->h);
    }
    return TAC_OK;
}

static tacResult list_rows(tacStrike* s, const tacStrikeNote* note) {
    if (s->nrow == 0) return TAC_OK;
    return tac_rows(s->scene, note->q, note->v, s->row, s->row_J, s->scratch);
}

// the velocity that forces alone would give
static void free_velocity(tacStrike* s, const tacStrikeNote* note) {
    tacFlow* f = &s->flow[0];
    set_time(s, note->h);
    tac_flow_at(f, (tacPoint){note->q, note->v, note->act}, s->a, s->rate);
    for (int k = 0; k < s->scene->nv; ++k) s->free[k] = note->v[k] + note->h * s->a[k];
}

static void set_mean(tacStrike* s, const tacStrikeNote* note) {
    for (int k = 0; k < s->scene->nv; ++k) s->a[k] = (note->u[k] - note->v[k]) / note->h;
}

//---------------------------------- bent paths ----------------------------------

// The record of the same features where the path ends, or of the nearest ones, where those are lost
// or run away (a ball has left a rim for the cap, edges have become parallel); or -1.
static int find_last(tacStrike* s, const tacStrikeGroup* g, int nearest) {
    int at = s->contacts_end.count;
    const tacHardTouch* touch = &s->touch[g->source];
    tacResult result = TAC_OK;
    if (!nearest) result = tac_hard_follow(s->scene, s->pose, touch, &s->contacts_end);
    if (result == TAC_OK && s->contacts_end.count == at)
        result = tac_hard_nearest(s->scene, s->pose, touch, &s->contacts_end, s->hard_memory);
    return result == TAC_OK && s->contacts_end.count > at ? at : -1;
}

double tac_strike_bend(tacStrike* s, const tacStrikeNote* note) {
    int nv = s->scene->nv, size = 1 + s->tangents;
    double change = 0.0;
    s->flow[0].k->integrate(s->scene, note->q, note->u, note->h, s->q_end);
    place(s, &s->end, s->q_end, s->zero);
    set_poses(s, &s->end), s->contacts_end.count = 0;
    for (int g = 0; g < s->groups; ++g) {
        tacStrikeGroup* group = &s->group[g];
        if (group->kind != TAC_GROUP_CONTACT || group->source >= s->found) continue;
        int last = find_last(s, group, note->nearest);
        if (last < 0) continue;
        group->last = tac_frame_of(&s->contacts_end, last, group->frame.body, &s->end);
        double straight = note->h * dot(nv, s->J + g * size * nv, note->u);
        double bend = group->last.distance - group->frame.distance - straight;
        // a path that bends away must not come nearer first
        if (!group->bent && bend > -0.02 * s->delta) continue;
        bend = fmin(bend, 0.0);
        change = fmax(change, fabs(bend - group->bend));
        group->bent = 1, group->bend = bend;
    }
    return change;
}

// the most that a path may bend: more is an answer of bodies that turn ever faster
static double most_bend(const tacStrike* s, const tacStrikeNote* note) {
    double speed = 0.0;
    for (int k = 0; k < s->scene->nv; ++k) speed = fmax(speed, fabs(note->v[k]));
    return note->h * (s->slow + 0.1 * speed);
}

// Solves again until the distances where the path ends are as the rows say. A path that is too long
// for that is `loose`.
static tacResult iterate_bent(tacStrike* s, tacStrikeNote* note) {
    tacResult result = TAC_OK;
    s->again = 1; // rows are nearly those of the last pass, and so are their classes
    double before = INFINITY, change = 0.0, most = most_bend(s, note);
    for (int pass = 0; pass < BEND_PASSES; ++pass, before = change) {
        change = tac_strike_bend(s, note);
        if (change <= 1e-9 * s->delta || !(change <= most)) break;
        if (pass > 2 && change > 0.7 * before) break;
        right_side(s, note, s->free);
        result = solve(s, note, s->free);
        if (result != TAC_OK) break;
    }
    s->again = 0;
    note->loose = result == TAC_OK && !(change <= 1e-6 * s->delta);
    return result;
}

static tacResult solve_straight(tacStrike* s, tacStrikeNote* note) {
    for (int g = 0; g < s->groups; ++g) s->group[g].bent = 0, s->group[g].bend = 0.0;
    right_side(s, note, s->free);
    return solve(s, note, s->free);
}

// with the features of the contacts, then with the nearest ones where the path ends, then without
static tacResult solve_bent(tacStrike* s, tacStrikeNote* note) {
    tacResult result = TAC_OK;
    note->loose = 1;
    for (note->nearest = 0; note->nearest < 2 && note->loose; ++note->nearest) {
        result = solve_straight(s, note);
        if (result == TAC_OK) result = iterate_bent(s, note);
        if (result != TAC_OK) return result;
    }
    --note->nearest;
    if (note->loose) result = solve_straight(s, note);
    for (int g = 0; g < s->groups; ++g) note->bent[g] = s->group[g].bent && s->group[g].bend < 0.0;
    return result;
}

// gaps that contradict one another: closed contacts stay closed
static tacResult solve_closed(tacStrike* s, tacStrikeNote* note) {
    memset(note->bent, 0, (size_t)s->groups);
    for (int g = 0; g < s->groups; ++g)
        if (s->group[g].kind != TAC_GROUP_FRICTION) s->group[g].span = INFINITY;
    tacResult result = solve_straight(s, note);
    note->flags |= TAC_FALLBACK | TAC_ONE_SIDED;
    return result;
}

static tacResult solve_gathered(tacStrike* s, tacStrikeNote* note) {
    tacResult result = gather(s, note, &s->flow[0].m);
    if (result != TAC_OK) return result;
    fill(s, &s->flow[0]);
    memset(note->bent, 0, (size_t)s->groups);
    return s->groups > 0 && !s->straight ? solve_bent(s, note) : solve_straight(s, note);
}

// Where gaps contradict one another they do so by friction, mostly: bodies that touch to the last
// bit and must open, in a corner that holds them. Those open without it, or stay closed.
static tacResult solve_chosen(tacStrike* s, tacStrikeNote* note) {
    tacResult result = solve_gathered(s, note);
    if (result == TAC_ERROR_UNSOLVED && !note->slick) {
        note->slick = 1;
        result = solve_gathered(s, note);
        note->slick = result != TAC_ERROR_UNSOLVED;
    }
    if (note->slick && result == TAC_OK) note->flags |= TAC_FALLBACK, note->border = 1;
    if (result != TAC_ERROR_UNSOLVED) return result;
    result = gather(s, note, &s->flow[0].m);
    if (result == TAC_OK) fill(s, &s->flow[0]);
    return result == TAC_OK ? solve_closed(s, note) : result;
}

static void list_held(tacStrike* s) {
    s->nheld = 0;
    for (int g = 0; g < s->groups; ++g) {
        if (s->group[g].kind != TAC_GROUP_CONTACT) continue;
        memcpy(s->held_pieces[s->nheld++], s->touch[s->group[g].source].piece, sizeof(int[2]));
    }
}

tacResult tac_propagate(tacStrike* s, tacStrikeNote* note) {
    const tacMotion* m = &s->flow[0].m;
    note->collides = 0, note->passes = 0, note->flags = 0, note->residual = 0.0;
    note->border = note->loose = 0, note->nearest = 0, note->slick = 0,
    note->spread = s->late > SPREAD_AFTER;
    free_velocity(s, note);
    tacResult result = find_contacts(s, m, s->margin, note->spread);
    if (result == TAC_OK) result = list_rows(s, note);
    if (result != TAC_OK) return result;
    note->listed = s->contacts.count + s->nrow;
    memset(note->chosen, TAC_STRIKE_OUT, (size_t)note->listed);
    choose(s, note, m, s->free);
    result = solve_chosen(s, note);
    // what the impulses of those would close
    for (int pass = 0; pass < CHOICE_PASSES && result == TAC_OK; ++pass) {
        if (choose(s, note, m, note->u) == 0) break;
        result = solve_chosen(s, note);
    }
    if (result == TAC_OK) set_mean(s, note), list_held(s);
    if (result == TAC_OK) note->border |= tac_strike_wavers(s, note), drop_tangents(s, note);
    return result;
}

void tac_strike_distances(const tacStrike* s, double limit, double* least, double* most) {
    *least = INFINITY, *most = -INFINITY;
    for (int i = 0; i < s->contacts.count; ++i) {
        double d = s->contacts.distance[i];
        *least = fmin(*least, d);
        if (d <= limit) *most = fmax(*most, d);
    }
}

//---------------------------------- collide ----------------------------------

// Contacts that touch and approach or rest; those that approach at more than a crawl bounce.
// Returns how many approach.
static int choose_collisions(tacStrike* s, tacStrikeNote* note, int all) {
    int approach = 0, nv = s->scene->nv;
    double speed = 0.0, restitution = s->scene->param[s->restitution];
    for (int k = 0; k < nv; ++k) speed = fmax(speed, fabs(note->v[k]));
    double nothing = 1e-9 * speed + 1e-14; // rows that cancel leave as much
    note->listed = s->contacts.count + s->nrow;
    for (int i = 0; i < note->listed; ++i) {
        int row = i - s->contacts.count, touches;
        double v;
        if (row < 0) {
            tacStrikeGroup g = contact_group(s, i, &s->before);
            v = tac_dot(g.frame.axis[0], tac_frame_velocity(&g.frame, &s->before));
            touches = g.frame.distance <= note->reach;
        } else {
            v = dot(nv, s->row[row].J, note->v);
            touches = s->row[row].kind == TAC_ROW_JOINT_LIMIT && s->row[row].value <= 0.0;
            if (s->row[row].kind == TAC_ROW_EQUALITY) { // it takes part, whatever it does
                note->chosen[i] = TAC_STRIKE_IN;
                continue;
            }
        }
        approach += touches && v < -nothing;
        note->chosen[i] = (unsigned char)(!touches || (v > nothing && !all) ? TAC_STRIKE_OUT
                                          : row < 0 && v < -s->slow && restitution > 0.0 && !all
                                              ? TAC_STRIKE_BOUNCES
                                              : TAC_STRIKE_IN);
    }
    return approach;
}

static tacResult gather_collisions(tacStrike* s, tacStrikeNote* note) {
    tacResult result = gather(s, note, &s->before);
    set_bounces(s, note);
    return result;
}

// everything at rest without forces: only the mass matrix counts
static void rest_flow(tacStrike* s, const tacStrikeNote* note) {
    tac_flow_at(&s->flow[1], (tacPoint){note->q, s->zero, note->act}, s->a, s->rate);
}

// Distance of what takes part. After too many impacts it grows: rods that close like scissors are
// stopped before they lie side by side.
static double reach_of(const tacStrike* s) {
    return fmin(ldexp(s->delta, 1 + 2 * s->late), fmax(s->margin, 2.0 * s->delta));
}

static tacResult collision_contacts(tacStrike* s, tacStrikeNote* note) {
    place(s, &s->before, note->q, note->v);
    note->reach = reach_of(s), note->spread = s->late > SPREAD_AFTER;
    tacResult result = find_contacts(s, &s->before, note->reach, note->spread);
    return result == TAC_OK ? list_rows(s, note) : result;
}

// Restitution that would add energy is reduced. Returns whether there is an answer without it.
static tacResult bound_energy(tacStrike* s, tacStrikeNote* note) {
    int bounces = 0, nv = s->scene->nv;
    for (int g = 0; g < s->groups; ++g) bounces |= s->group[g].bounces;
    note->bounded = bounces && !s->frozen && tac_bounce_gains(s, note);
    if (!note->bounded) return TAC_OK;
    memcpy(note->part[1].f, note->f, sizeof(double) * (size_t)s->rows);
    memcpy(note->part[1].u, note->u, sizeof(double) * (size_t)nv);
    tacStrikeNote soft = tac_strike_part(s, note, 0);
    right_side(s, &soft, note->v);
    tacResult result = solve(s, &soft, note->v);
    if (result != TAC_OK) return result;
    note->passes += soft.passes, note->residual = fmax(note->residual, soft.residual);
    note->flags |= soft.flags | TAC_BOUNDED;
    drop_tangents(s, &soft);
    tac_bounce_bound(s, note);
    return TAC_OK;
}

int tac_collide(tacStrike* s, tacStrikeNote* note, int all, tacResult* result) {
    note->collides = 1, note->h = 0.0, note->passes = 0, note->flags = 0, note->residual = 0.0;
    *result = collision_contacts(s, note);
    if (*result != TAC_OK) return 0;
    int approach = choose_collisions(s, note, all);
    if (approach == 0) return 0;
    *result = gather_collisions(s, note);
    if (*result != TAC_OK) return approach;
    rest_flow(s, note);
    fill(s, &s->flow[1]);
    right_side(s, note, note->v);
    *result = solve(s, note, note->v);
    if (*result == TAC_OK) *result = bound_energy(s, note);
    if (*result == TAC_OK) drop_tangents(s, note);
    return approach;
}

tacThree tac_impulse_of(const tacStrike* s, const tacStrikeNote* note, int g) {
    tacThree out = {{0.0}};
    for (int i = 0; i <= s->tangents; ++i) out.f[i] = note->f[g * (1 + s->tangents) + i];
    return out;
}

//---------------------------------- again ----------------------------------

// Rows of A that look at the distance where the path ends: what impulses do to it, over h.
static void bend_rows(tacStrike* s, const tacStrikeNote* note) {
    int nv = s->scene->nv, rows = s->rows;
    for (int g = 0; g < s->groups && !note->collides; ++g) {
        double *A = s->A + (size_t)(g * (1 + s->tangents)) * (size_t)rows, unused = 0.0;
        if (!s->group[g].bent) continue;
        double *J = s->J_end, *by_u = s->u0, *by_q = s->a0;
        tac_frame_rows(s->scene, &s->end, &s->group[g].last, J);
        memset(by_u, 0, sizeof *by_u * (size_t)nv), memset(by_q, 0, sizeof *by_q * (size_t)nv);
        tac_move_vjp(s->scene, note->u, note->h, J, by_q, by_u, &unused);
        memset(A, 0, sizeof *A * (size_t)rows);
        for (int k = 0; k < nv; ++k)
            for (int j = 0; j < rows; ++j) A[j] += by_u[k] / note->h * s->U[k * rows + j];
    }
}

tacResult tac_strike_revisit(tacStrike* s, const tacStrikeNote* note) {
    tacFlow* f = &s->flow[note->collides];
    tacStrikeNote again = *note; // its choices stay
    place(s, &s->before, note->q, note->v);
    if (!note->collides) free_velocity(s, note);
    double margin = note->collides ? note->reach : s->margin;
    tacResult result = find_contacts(s, &s->before, margin, note->spread);
    if (result == TAC_OK) result = list_rows(s, note);
    if (result != TAC_OK) return result;
    if (s->contacts.count + s->nrow != note->listed) return TAC_ERROR_UNSOLVED;
    result = note->collides ? gather_collisions(s, &again) : gather(s, &again, &s->before);
    if (result != TAC_OK) return result;
    if (note->collides) rest_flow(s, note);
    fill(s, f);
    if (tac_strike_is_jammed(s, note)) s->remarks |= TAC_TIE;
    if (note->flags & TAC_ONE_SIDED)
        for (int g = 0; g < s->groups; ++g)
            if (s->group[g].kind != TAC_GROUP_FRICTION) s->group[g].span = INFINITY;
    for (int g = 0; g < s->groups && !note->collides; ++g) s->group[g].bent = note->bent[g];
    if (!note->collides && !s->straight && s->groups > 0) tac_strike_bend(s, note);
    for (int g = 0; g < s->groups && !note->collides; ++g) s->group[g].bent = note->bent[g];
    bend_rows(s, note);
    if (note->bounded) tac_bounce_ready(s, note);
    tac_strike_ready(s, note);
    return TAC_OK;
}

void tac_strike_ready(tacStrike* s, const tacStrikeNote* note) {
    tacFlow* f = &s->flow[note->collides];
    double h = note->collides ? 1.0 : note->h;
    place(s, &s->after, note->q, note->u);
    for (int k = 0; k < s->scene->nv; ++k) s->a[k] = (note->u[k] - note->v[k]) / h;
    memset(s->wrench, 0, sizeof(double) * (size_t)(6 * s->scene->nbody));
    for (int g = 0; g < s->groups; ++g)
        if (s->group[g].kind == TAC_GROUP_CONTACT)
            tac_frame_push(&s->group[g].frame, tac_impulse_of(s, note, g).f, 1.0 / h, s->wrench);
        else if (s->group[g].kind == TAC_GROUP_EQUALITY)
            tac_equality_push(&s->group[g].held, tac_impulse_of(s, note, g).f[0] / h, s->wrench);
    f->m.wrench = s->wrench;
    tac_flow_ready(f, s->a);
}
