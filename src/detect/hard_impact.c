// The first impact of a scene along the path of a step.
//
//   course.h --poses at both ends, bends--> boxes around the paths --pairs that meet--> meeting.h

#include "detect/hard.h"

#include "detect/corner.h"
#include "detect/meeting.h"
#include "detect/pieces.h"

#include <string.h>

typedef struct box {
    double low[3], high[3];
} box;

typedef struct impactWork {
    tacBend* bend; // (nbody)
    box* swept;    // (npiece)
    int* chain;    // (nbody)
    void* rest;    // tac_gjk_size()
} impactWork;

//---------------------------------- memory ----------------------------------

static size_t aligned(size_t size) { return (size + 15) / 16 * 16; }

static size_t contact_stage(const tacModel* model) {
    size_t count = (size_t)model->contact->npiece;
    return aligned(sizeof(tacConvex) * count) + aligned(sizeof(double) * count);
}

size_t tac_hard_size(const tacModel* model) {
    if (!model || !model->contact || !model->contact->piece) return 0;
    size_t bodies = (size_t)model->nbody, pieces = (size_t)model->contact->npiece;
    size_t impact = aligned(sizeof(tacBend) * bodies) + aligned(sizeof(box) * pieces) +
                    aligned(sizeof(int) * bodies);
    size_t contact = contact_stage(model);
    return (impact > contact ? impact : contact) + tac_gjk_size();
}

static impactWork take(const tacModel* model, void* memory) {
    char* at = memory;
    impactWork w = {.bend = memory};
    at += aligned(sizeof(tacBend) * (size_t)model->nbody);
    w.swept = (box*)at;
    at += aligned(sizeof(box) * (size_t)model->contact->npiece);
    w.chain = (int*)at;
    w.rest = at + aligned(sizeof(int) * (size_t)model->nbody);
    return w;
}

//---------------------------------- broad phase ----------------------------------

static box box_of(const tacConvex* c) {
    box b;
    for (int k = 0; k < 3; ++k) {
        double d[3] = {k == 0, k == 1, k == 2}, back[3] = {-d[0], -d[1], -d[2]}, x[3];
        tac_convex_support(c, d, x);
        b.high[k] = x[k] + c->radius;
        tac_convex_support(c, back, x);
        b.low[k] = x[k] - c->radius;
    }
    return b;
}

// Around both ends of the path. In between a point leaves its chord by at most bend span^2/8. A
// half-space does not move; its box is not looked at.
static box box_of_path(const tacModel* model, const tacCourse* course, int piece,
                       const impactWork* w) {
    int body = tac_piece_body(model, piece);
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double arm = 0.0;
    for (int end = 0; end < 2; ++end) {
        tacFlight f = tac_course_body(model, course, end * course->span, body, w->chain);
        tacConvex c = tac_piece_at(model, piece, f.pose);
        box at = box_of(&c);
        arm = tac_distance(tac_load3(c.pos), f.pose.position) + tac_convex_reach(&c);
        for (int k = 0; k < 3; ++k) {
            b.low[k] = fmin(b.low[k], at.low[k]);
            b.high[k] = fmax(b.high[k], at.high[k]);
        }
    }
    const tacBend* bend = &w->bend[body];
    double most = bend->origin + (bend->twirl + bend->spin * bend->spin) * arm;
    double by = most * course->span * course->span / 8.0;
    for (int k = 0; k < 3; ++k) {
        b.low[k] -= by;
        b.high[k] += by;
    }
    return b;
}

static int is_half_space(const tacModel* model, int piece) {
    return model->contact->piece[piece].kind == TAC_NODE_PLANE;
}

static int may_meet(const tacModel* model, const impactWork* w, const int piece[2], double delta) {
    const box *a = &w->swept[piece[0]], *b = &w->swept[piece[1]];
    if (is_half_space(model, piece[0]) || is_half_space(model, piece[1])) return 1;
    for (int k = 0; k < 3; ++k) {
        if (a->low[k] > b->high[k] + delta || b->low[k] > a->high[k] + delta) return 0;
    }
    return 1;
}

//---------------------------------- all pairs ----------------------------------

// earlier than all so far, or at the same time
static void take_meeting(const tacMeeting* m, int pair, const int piece[2], double span,
                         tacHardImpact* out) {
    out->passes += m->passes;
    if (!m->found) return;
    double near = 1e-12 * span;
    if (out->found && fabs(m->time - out->time) <= near) ++out->ties;
    if (out->found && m->time >= out->time) return;
    if (out->found && m->time < out->time - near) out->ties = 0;
    int ties = out->ties, passes = out->passes;
    *out = (tacHardImpact){1,    m->time,  pair,    {piece[0], piece[1]}, m->exact,
                           ties, m->level, m->rate, m->nearest,           passes};
}

static int is_held(const tacImpactLevels* levels, const int piece[2]) {
    for (int i = 0; i < levels->nheld; ++i)
        if (levels->held[i][0] == piece[0] && levels->held[i][1] == piece[1]) return 1;
    return 0;
}

static void meet_pieces(tacMeetQuery* q, const impactWork* w, int pair, const int piece[2],
                        tacHardImpact* out) {
    double span = q->course->span;
    if (!may_meet(q->model, w, piece, q->levels.delta)) return;
    q->piece[0] = piece[0];
    q->piece[1] = piece[1];
    q->held = is_held(&q->levels, piece);
    q->until = out->found ? fmin(out->time + 2e-12 * span, span) : span;
    tacMeeting m = tac_meet(q);
    take_meeting(&m, pair, piece, span, out);
}

tacResult tac_hard_impact(const tacModel* model, const tacCourse* course, tacImpactLevels levels,
                          tacHardImpact* out, void* memory) {
    const tacContactPlan* plan = model->contact;
    tacResult result = tac_course_check(model, course);
    if (result != TAC_OK) return result;
    if (!(levels.floor < levels.delta)) return TAC_ERROR_VALUE;
    impactWork w = take(model, memory);
    tacMeetQuery q = {.model = model,
                      .course = course,
                      .bend = w.bend,
                      .levels = levels,
                      .chain = w.chain,
                      .memory = w.rest};
    *out = (tacHardImpact){.found = 0, .time = course->span, .pair = -1};
    tac_course_bends(model, course, w.bend);
    for (int i = 0; i < plan->npiece; ++i) w.swept[i] = box_of_path(model, course, i, &w);
    for (int p = 0; p < plan->npair; ++p) {
        const int *geom = plan->pair[p].geom, *first = plan->piece_first;
        for (int i = first[geom[0]]; i < first[geom[0] + 1]; ++i) {
            for (int j = first[geom[1]]; j < first[geom[1] + 1]; ++j)
                meet_pieces(&q, &w, p, (const int[2]){i, j}, out);
        }
    }
    return TAC_OK;
}

//---------------------------------- one pair ----------------------------------

// number of a pair of geoms either way round, or -1
static int find_pair(const tacContactPlan* plan, int a, int b) {
    for (int i = 0; i < plan->npair; ++i) {
        const int* geom = plan->pair[i].geom;
        if ((geom[0] == a && geom[1] == b) || (geom[0] == b && geom[1] == a)) return i;
    }
    return -1;
}

static void hand_out(const tacContactPlan* plan, const tacHardImpact* hit, tacMeetingTime* out) {
    *out = (tacMeetingTime){hit->found, hit->time, {-1, -1}, hit->exact, hit->rate, {0}, {{0}}};
    if (!hit->found) return;
    memcpy(out->geom, plan->pair[hit->pair].geom, sizeof out->geom);
    memcpy(out->normal, hit->nearest.normal, sizeof out->normal);
    memcpy(out->point, hit->nearest.point, sizeof out->point);
}

tacResult tac_time_of_impact(const tacModel* model, const tacCourse* course, int geom_a, int geom_b,
                             double distance, tacMeetingTime* out, void* memory) {
    if (!out || !memory || !(distance > 0.0 && distance < 1e12)) return TAC_ERROR_VALUE;
    tacResult result = tac_course_check(model, course);
    if (result != TAC_OK) return result;
    // a scene whose plan has this pair alone
    tacModel one = *model;
    tacContactPlan plan = *model->contact;
    int pair = find_pair(&plan, geom_a, geom_b), any = geom_a == -1 && geom_b == -1;
    if (pair < 0 && !any) return TAC_ERROR_VALUE;
    if (!any) {
        plan.pair += pair;
        plan.npair = 1;
    }
    one.contact = &plan;
    tacHardImpact hit;
    tacImpactLevels levels = {.delta = distance, .floor = distance * (1.0 - 1e-6)};
    result = tac_hard_impact(&one, course, levels, &hit, memory);
    if (result == TAC_OK) hand_out(&plan, &hit, out);
    return result;
}
