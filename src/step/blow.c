// A collision: what takes part in it, restitution, and its bound.
//
//   strike_parts.c --groups--> [this file] --rows--> strike.c, bounce.c

#include "step/strike_parts.h"

#include <math.h>
#include <string.h>

static double dot(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

//---------------------------------- restitution ----------------------------------

// Restitution fades in with the speed, from that of rest to half as much again: y^2 (3 - 2 y).
static void set_bounce(const tacStrike* s, tacStrikeGroup* g) {
    const double width = 0.5;
    g->approach = tac_dot(g->frame.axis[0], tac_frame_velocity(&g->frame, &s->before));
    double y = fmin(fmax((-g->approach / s->slow - 1.0) / width, 0.0), 1.0);
    g->fade = y * y * (3.0 - 2.0 * y);
    g->steep = 6.0 * y * (1.0 - y) / width;
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
    part.f = note->part[with].f;
    part.u = note->part[with].u;
    part.classes = note->part[with].classes;
    part.bounded = 0;
    set_bounces(s, note);
    for (int g = 0; g < s->groups && !with; ++g) s->group[g].bounces = 0;
    return part;
}

//---------------------------------- who takes part ----------------------------------

// Does a contact or limit of the list touch? And its normal velocity.
static int touches_at(tacStrike* s, const tacStrikeNote* note, int i, double* v) {
    int row = i - s->contacts.count;
    if (row >= 0) {
        *v = dot(s->scene->nv, s->row[row].J, note->v);
        return s->row[row].kind == TAC_ROW_JOINT_LIMIT && s->row[row].value <= 2.0 * s->delta;
    }
    tacStrikeGroup g = tac_strike_contact(s, i, &s->before);
    *v = tac_dot(g.frame.axis[0], tac_frame_velocity(&g.frame, &s->before));
    return g.frame.distance <= note->reach;
}

// The speed of the blow: that of what approaches fastest as it begins.
static double find_blow(tacStrike* s, const tacStrikeNote* note) {
    double most = s->blow, v;
    for (int i = 0; i < note->listed; ++i)
        if (touches_at(s, note, i, &v)) most = fmax(most, -v);
    return most;
}

// the first degree of freedom of the tree that hangs on k, or -1
static int tree_of(const tacModel* model, int k) {
    while (k >= 0 && model->dof[k].parent >= 0) k = model->dof[k].parent;
    return k;
}

// Does a contact or row of the list move a tree that is struck? With `mark` all of its trees are.
static int reaches(tacStrike* s, int i, int mark) {
    int row = i - s->contacts.count, found = 0, *struck = s->bounce.island;
    const tacModel* model = s->scene;
    for (int side = 0; side < 2 && row < 0; ++side) {
        int body = model->contact->pair[s->contacts.pair[i]].body[side];
        int tree = tree_of(model, tac_last_dof(model, body));
        if (tree >= 0) {
            found |= struck[tree];
            struck[tree] |= mark;
        }
    }
    for (int k = 0; k < model->nv && row >= 0; ++k)
        if (s->row[row].J[k] != 0.0) {
            int tree = tree_of(model, k);
            found |= struck[tree];
            struck[tree] |= mark;
        }
    return found;
}

// What the blow does not reach takes no part: an impact of one body is none of another's business.
static void leave_out(tacStrike* s, tacStrikeNote* note) {
    for (int before = -1, now = 0; before != now;) {
        before = now;
        now = 0;
        for (int i = 0; i < note->listed; ++i)
            if (note->chosen[i] != TAC_STRIKE_OUT && reaches(s, i, 0)) {
                reaches(s, i, 1);
                ++now;
            }
    }
    for (int i = 0; i < note->listed; ++i)
        if (!reaches(s, i, 0)) note->chosen[i] = TAC_STRIKE_OUT;
}

// of the speed of the blow: what rests parts by no more, and approaches by no more
static const double rest_of_blow = 1e-3, trace_of_blow = 1e-6;

// Gaps of what rests change by a trace of delta in a step, which rows see to.
static double creep(const tacStrike* s) { return fmin(2.0 * s->delta / s->dt, 0.01 * s->slow); }

// Contacts that touch and approach or rest; those that approach at more than a crawl bounce. What
// rests may part by a trace: if it took part at 0 and not beyond, a blow on it would jump with
// every change of its gap. Returns how many approach.
static int choose_collisions(tacStrike* s, tacStrikeNote* note, int all) {
    int approach = 0, nv = s->scene->nv;
    double speed = 0.0, restitution = s->scene->param[s->restitution], v;
    for (int k = 0; k < nv; ++k) {
        speed = fmax(speed, fabs(note->v[k]));
        s->bounce.island[k] = 0;
    }
    note->listed = s->contacts.count + s->nrow;
    s->blow = find_blow(s, note);
    double nothing = fmax(1e-9 * speed + 1e-14, creep(s)); // rows that cancel leave some, too
    double rest = fmax(nothing, rest_of_blow * s->blow);
    for (int i = 0; i < note->listed; ++i) {
        int row = i - s->contacts.count, touches = touches_at(s, note, i, &v);
        int held = row >= 0 && s->row[row].kind == TAC_ROW_EQUALITY; // whatever it does
        int hit = touches && v < -fmax(nothing, trace_of_blow * s->blow);
        note->border |= touches && !all && fabs(v - rest) <= 1e-6 * rest;
        note->chosen[i] = (unsigned char)(held                             ? TAC_STRIKE_IN
                                          : !touches || (v > rest && !all) ? TAC_STRIKE_OUT
                                          : row < 0 && v < -s->slow && restitution > 0.0 && !all
                                              ? TAC_STRIKE_BOUNCES
                                              : TAC_STRIKE_IN);
        if (hit) {
            ++approach;
            reaches(s, i, 1);
        }
    }
    if (!all) leave_out(s, note);
    return approach;
}

tacResult tac_strike_gather_blow(tacStrike* s, tacStrikeNote* note) {
    tacResult result = tac_strike_gather(s, note, &s->before);
    set_bounces(s, note);
    return result;
}

// everything at rest without forces: only the mass matrix counts
void tac_strike_still(tacStrike* s, const tacStrikeNote* note) {
    tac_flow_at(&s->flow[1], (tacPoint){note->q, s->zero, note->act}, s->a, s->rate);
}

// Distance of what takes part. After too many impacts it grows: rods that close like scissors are
// stopped before they lie side by side.
static double reach_of(const tacStrike* s) {
    return fmin(ldexp(s->delta, 1 + 2 * s->late), fmax(s->margin, 2.0 * s->delta));
}

static tacResult collision_contacts(tacStrike* s, tacStrikeNote* note) {
    tac_strike_place(s, &s->before, note->q, note->v);
    note->reach = reach_of(s);
    note->spread = s->late > TAC_SPREAD_AFTER;
    tacResult result = tac_strike_find(s, &s->before, note->reach, note->spread);
    return result == TAC_OK ? tac_strike_list(s, note) : result;
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
    tac_strike_right_side(s, &soft, note->v);
    tacResult result = tac_strike_solve(s, &soft, note->v);
    if (result != TAC_OK) return result;
    note->passes += soft.passes;
    note->residual = fmax(note->residual, soft.residual);
    note->flags |= soft.flags | TAC_BOUNDED;
    tac_strike_drop_tangents(s, &soft);
    tac_bounce_bound(s, note);
    return TAC_OK;
}

int tac_collide(tacStrike* s, tacStrikeNote* note, int all, tacResult* result) {
    note->collides = 1;
    note->h = 0.0;
    note->passes = 0;
    note->flags = 0;
    note->residual = 0.0;
    note->border = 0;
    *result = collision_contacts(s, note);
    if (*result != TAC_OK) return 0;
    int approach = choose_collisions(s, note, all);
    if (approach == 0) return 0;
    *result = tac_strike_gather_blow(s, note);
    if (*result != TAC_OK) return approach;
    tac_strike_still(s, note);
    tac_strike_fill(s, &s->flow[1]);
    tac_strike_right_side(s, note, note->v);
    *result = tac_strike_solve(s, note, note->v);
    if (*result == TAC_OK) *result = bound_energy(s, note);
    if (*result == TAC_OK) {
        note->border |= tac_strike_wavers(s, note);
        tac_strike_drop_tangents(s, note);
    }
    return approach;
}
