// One solve of hard contact: the velocity that forces and closed contacts leave.
//
//   strike_parts.c --A = J M^-1 J', b--> lcp --f--> u = free + M^-1 J' f --> where the path ends

#include "step/strike_parts.h"

#include "base/assert.h"
#include "respond/dantzig.h"

#include <math.h>
#include <string.h>

enum { BEND_PASSES = 20, CHOICE_PASSES = 4 };

static double dot(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
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
    tacResult result = tac_lcp_solve(lcp, s->again, f, classes, report, s->memory);
    // a step was given finite numbers: those of a problem that are not have left their range
    return result == TAC_ERROR_VALUE ? TAC_ERROR_DIVERGED : result;
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
    if (s->held.dropped > 0) {
        report->flags |= TAC_TIE;
        report->dropped = 0;
    }
    return result;
}

// impulses, then u = free + U f
tacResult tac_strike_solve(tacStrike* s, tacStrikeNote* note, const double* free) {
    tacLcpReport report = {0};
    int nv = s->scene->nv;
    tacResult result = solve_held(s, note, &report);
    if (result != TAC_OK) return result;
    note->passes = report.passes;
    note->residual = report.residual;
    note->groups = s->groups;
    note->tangents = s->tangents;
    note->flags = report.flags & TAC_FALLBACK;
    for (int k = 0; k < nv; ++k) note->u[k] = free[k] + dot(s->rows, s->U + k * s->rows, note->f);
    if (tac_strike_has_tie(s, note, &report)) note->flags |= TAC_TIE;
    return TAC_OK;
}

// Tangents without friction are off to the derivative: strike_diff.c has what a trace of friction
// would do.
void tac_strike_drop_tangents(const tacStrike* s, tacStrikeNote* note) {
    int size = 1 + s->tangents;
    for (int g = 0; g < s->groups; ++g)
        for (int i = g * size + 1; i < (g + 1) * size && s->group[g].mu == 0.0; ++i)
            note->classes[i] = TAC_LCP_OFF;
}

//---------------------------------- propagate ----------------------------------

// A contact counts where it is closed, or slowly closing within the step. One that approaches fast
// meets as an impact instead, unless there were too many already.
static int counts(const tacStrike* s, const tacStrikeGroup* g, const double* J, const double* v,
                  const double* free) {
    int nv = s->scene->nv;
    double speed = dot(nv, J, v), next = dot(nv, J, free);
    if (g->kind == TAC_GROUP_FRICTION || g->kind == TAC_GROUP_EQUALITY) return 1;
    // a joint that friction holds right at its limit touches it: that is a tie
    if (g->kind == TAC_GROUP_LIMIT) return g->pace.speed + next < 1e-9;
    if (speed < -s->slow && !s->late) return 0;
    // what others close (the fourth corner of a plate that lands) closes but for rounding: it
    // counts
    double trace = TAC_TRACE * s->delta / s->dt;
    return g->frame.distance <= 2.0 * s->delta || g->pace.speed + next < trace;
}

// A contact that closes, at the speed above which it would be a blow: the step jumps there.
static int is_at_border(const tacStrike* s, const tacStrikeGroup* g, const double* J,
                        const double* v, const double* u) {
    int nv = s->scene->nv;
    if (g->kind != TAC_GROUP_CONTACT || s->late) return 0;
    int closes = g->frame.distance <= 2.0 * s->delta || g->pace.speed + dot(nv, J, u) < 0.0;
    return closes && fabs(dot(nv, J, v) + s->slow) <= TAC_TOUCH * s->slow;
}

// A contact or limit that was left out, and would close at the very end of the path: next to here
// it counts.
static int nearly_closes(tacStrike* s, const tacStrikeNote* note, const tacMotion* before) {
    for (int i = 0; i < note->listed; ++i) {
        if (note->chosen[i] != TAC_STRIKE_OUT) continue;
        tacStrikeGroup g = tac_strike_listed(s, note, i, before, s->J_end);
        double left = g.pace.speed + dot(s->scene->nv, s->J_end, note->u);
        if (fabs(left) <= TAC_TOUCH * s->slow) return 1;
    }
    return 0;
}

// Adds what counts at a velocity to the note's choice; returns how many.
static int choose(tacStrike* s, tacStrikeNote* note, const tacMotion* before, const double* u) {
    int added = 0;
    for (int i = 0; i < note->listed; ++i) {
        if (note->chosen[i] != TAC_STRIKE_OUT) continue;
        tacStrikeGroup g = tac_strike_listed(s, note, i, before, s->J_end);
        note->border |= g.edge || is_at_border(s, &g, s->J_end, note->v, u);
        if (!counts(s, &g, s->J_end, note->v, u)) continue;
        note->chosen[i] = TAC_STRIKE_IN;
        ++added;
    }
    return added;
}

// time step of the flow, and its implicit damping
static void set_time(tacStrike* s, double h) {
    tacFlow* f = &s->flow[0];
    s->moving.param[s->scene->timestep] = h;
    f->h = h;
    for (int k = 0; k < s->scene->nv && f->implicit; ++k)
        f->extra[k] = h * s->scene->param[s->scene->joint[s->scene->dof[k].joint].damping];
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
    tac_strike_place(s, &s->end, s->q_end, s->zero);
    tac_strike_poses(s, &s->end);
    s->contacts_end.count = 0;
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
        group->bent = 1;
        group->bend = bend;
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
        tac_strike_right_side(s, note, s->free);
        result = tac_strike_solve(s, note, s->free);
        if (result != TAC_OK) break;
    }
    s->again = 0;
    note->loose = result == TAC_OK && !(change <= 1e-6 * s->delta);
    return result;
}

static tacResult solve_straight(tacStrike* s, tacStrikeNote* note) {
    for (int g = 0; g < s->groups; ++g) {
        s->group[g].bent = 0;
        s->group[g].bend = 0.0;
    }
    tac_strike_right_side(s, note, s->free);
    return tac_strike_solve(s, note, s->free);
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
    tac_strike_stop(s);
    tacResult result = solve_straight(s, note);
    note->flags |= TAC_FALLBACK | TAC_ONE_SIDED;
    return result;
}

static tacResult solve_gathered(tacStrike* s, tacStrikeNote* note) {
    tacResult result = tac_strike_gather(s, note, &s->flow[0].m);
    if (result != TAC_OK) return result;
    tac_strike_fill(s, &s->flow[0]);
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
    if (note->slick && result == TAC_OK) {
        note->flags |= TAC_FALLBACK;
        note->border = 1;
    }
    if (result != TAC_ERROR_UNSOLVED) return result;
    result = tac_strike_gather(s, note, &s->flow[0].m);
    if (result == TAC_OK) tac_strike_fill(s, &s->flow[0]);
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
    note->collides = 0;
    note->passes = 0;
    note->flags = 0;
    note->residual = 0.0;
    note->border = note->loose = 0;
    note->nearest = 0;
    note->slick = 0;
    note->spread = s->late > TAC_SPREAD_AFTER;
    free_velocity(s, note);
    tacResult result = tac_strike_find(s, m, s->margin, note->spread);
    if (result == TAC_OK) result = tac_strike_list(s, note);
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
    if (result == TAC_OK) {
        set_mean(s, note);
        list_held(s);
    }
    if (result == TAC_OK && nearly_closes(s, note, m)) note->flags |= TAC_TIE;
    if (result == TAC_OK) {
        note->border |= tac_strike_wavers(s, note);
        tac_strike_drop_tangents(s, note);
    }
    return result;
}

void tac_strike_distances(const tacStrike* s, double limit, double* least, double* most) {
    *least = INFINITY;
    *most = -INFINITY;
    for (int i = 0; i < s->contacts.count; ++i) {
        double d = s->contacts.distance[i];
        *least = fmin(*least, d);
        if (d <= limit) *most = fmax(*most, d);
    }
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
        memset(by_u, 0, sizeof *by_u * (size_t)nv);
        memset(by_q, 0, sizeof *by_q * (size_t)nv);
        tac_move_vjp(s->scene, note->u, note->h, J, by_q, by_u, &unused);
        memset(A, 0, sizeof *A * (size_t)rows);
        for (int k = 0; k < nv; ++k)
            for (int j = 0; j < rows; ++j) A[j] += by_u[k] / note->h * s->U[k * rows + j];
    }
}

tacResult tac_strike_revisit(tacStrike* s, const tacStrikeNote* note) {
    tacFlow* f = &s->flow[note->collides];
    tacStrikeNote again = *note; // its choices stay
    tac_strike_place(s, &s->before, note->q, note->v);
    if (!note->collides) free_velocity(s, note);
    double margin = note->collides ? note->reach : s->margin;
    tacResult result = tac_strike_find(s, &s->before, margin, note->spread);
    if (result == TAC_OK) result = tac_strike_list(s, note);
    if (result != TAC_OK) return result;
    if (s->contacts.count + s->nrow != note->listed) return TAC_ERROR_UNSOLVED;
    result = note->collides ? tac_strike_gather_blow(s, &again)
                            : tac_strike_gather(s, &again, &s->before);
    if (result != TAC_OK) return result;
    if (note->collides) tac_strike_still(s, note);
    tac_strike_fill(s, f);
    if (tac_strike_is_jammed(s, note)) s->remarks |= TAC_TIE;
    if (note->flags & TAC_ONE_SIDED) tac_strike_stop(s);
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
    tac_strike_place(s, &s->after, note->q, note->u);
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
