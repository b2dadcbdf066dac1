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
    size_t bodies = (size_t)model->nbody, pieces = (size_t)model->contact->npiece;
    size_t impact = aligned(sizeof(tacBend) * bodies) + aligned(sizeof(box) * pieces) +
                    aligned(sizeof(int) * bodies);
    size_t contact = contact_stage(model);
    return (impact > contact ? impact : contact) + tac_gjk_size();
}

static impactWork take(const tacModel* model, void* memory) {
    char* at = memory;
    impactWork w = {.bend = memory};
    at += aligned(sizeof(tacBend) * (size_t)model->nbody), w.swept = (box*)at;
    at += aligned(sizeof(box) * (size_t)model->contact->npiece), w.chain = (int*)at;
    w.rest = at + aligned(sizeof(int) * (size_t)model->nbody);
    return w;
}

//---------------------------------- broad phase ----------------------------------

static box box_of(const tacConvex* c) {
    box b;
    for (int k = 0; k < 3; ++k) {
        double d[3] = {k == 0, k == 1, k == 2}, back[3] = {-d[0], -d[1], -d[2]}, x[3];
        tac_convex_support(c, d, x), b.high[k] = x[k] + c->radius;
        tac_convex_support(c, back, x), b.low[k] = x[k] - c->radius;
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
            b.low[k] = fmin(b.low[k], at.low[k]), b.high[k] = fmax(b.high[k], at.high[k]);
        }
    }
    const tacBend* bend = &w->bend[body];
    double most = bend->origin + (bend->twirl + bend->spin * bend->spin) * arm;
    double by = most * course->span * course->span / 8.0;
    for (int k = 0; k < 3; ++k) b.low[k] -= by, b.high[k] += by;
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
    q->piece[0] = piece[0], q->piece[1] = piece[1], q->held = is_held(&q->levels, piece);
    q->until = out->found ? fmin(out->time + 2e-12 * span, span) : span;
    tacMeeting m = tac_meet(q);
    take_meeting(&m, pair, piece, span, out);
}

// numbers whose squares can be added
static int is_usable(const tacModel* model, const tacCourse* c) {
    const double most = 1e12;
    for (int i = 0; i < model->nq; ++i) {
        if (!(fabs(c->qpos[i]) <= most)) return 0;
    }
    for (int i = 0; i < model->nv; ++i) {
        if (!(fabs(c->v[i]) <= most) || (c->a && !(fabs(c->a[i]) <= most))) return 0;
    }
    return c->span >= 0.0 && c->span <= most;
}

tacResult tac_hard_impact(const tacModel* model, const tacCourse* course, tacImpactLevels levels,
                          tacHardImpact* out, void* memory) {
    const tacContactPlan* plan = model->contact;
    if (!is_usable(model, course) || !(levels.floor < levels.delta)) return TAC_ERROR_VALUE;
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
