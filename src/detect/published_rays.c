// Averaged edges of a geom traced through the other's field: (1) to (3) of docs/edge-sdf.md, one
// edge at a time.

#include "detect/published_side.h"

#include "math/number.h"
#include "tactus/smooth.h"

#include <string.h>

// edges of one side: unit vectors along them, lengths, how far both rays have come, places
typedef struct pubRays {
    int count;
    tacReal *way[3], *length, *far[2], *y[3], *value, *slope[3], *own;
} pubRays;

static pubRays take_rays(tacPublishedPair* p, const tacPublishedSide* side) {
    pubRays r = {.count = side->lines};
    size_t n = (size_t)r.count;
    tac_published_take3(p, n, r.way);
    tac_published_take3(p, n, r.y);
    tac_published_take3(p, n, r.slope);
    r.length = tac_published_take(p, n);
    r.value = tac_published_take(p, n);
    r.own = tac_published_take(p, n);
    for (int end = 0; end < 2; ++end) r.far[end] = tac_published_take(p, n);
    for (int i = 0; i < r.count; ++i) {
        tacReal square = 1e-60;
        for (int k = 0; k < 3; ++k) {
            r.way[k][i] = side->to[k][i] - side->from[k][i];
            square += r.way[k][i] * r.way[k][i];
        }
        r.length[i] = r_sqrt(square);
        r.far[0][i] = r.far[1][i] = 0.0;
        for (int k = 0; k < 3; ++k) r.way[k][i] /= r.length[i];
    }
    return r;
}

// `far` from a corner along the edge
static void place(const tacPublishedSide* side, pubRays* r, int end, const tacReal* far) {
    for (int i = 0; i < r->count; ++i)
        for (int k = 0; k < 3; ++k)
            r->y[k][i] = end ? side->to[k][i] - far[i] * r->way[k][i]
                             : side->from[k][i] + far[i] * r->way[k][i];
}

static tacResult trace(const tacPublishedPair* p, int s, int end, pubRays* r) {
    tacResult result = TAC_OK;
    int steps = p->model->contact->choice[TAC_CHOICE_STEPS];
    for (int step = 0; step < steps && result == TAC_OK; ++step) {
        place(&p->side[s], r, end, r->far[end]);
        result = tac_published_ask(p, 1 - s, r->y, r->count, (tacField){.value = r->value});
        for (int i = 0; i < r->count; ++i) {
            tacReal u = r->value[i] - p->side[s].radius;
            r->far[end][i] += u * tac_soft_greater(u, 0.0, p->gate) / p->slope;
        }
    }
    return result;
}

// half way between both ends
static void find_hits(const tacPublishedPair* p, int s, pubRays* r) {
    for (int i = 0; i < r->count; ++i) {
        tacReal first = tac_soft_clip((tacBounds){r->far[0][i], 0.0, r->length[i], p->gate});
        tacReal second = tac_soft_clip((tacBounds){r->far[1][i], 0.0, r->length[i], p->gate});
        r->far[0][i] = 0.5 * (first + r->length[i] - second);
    }
    place(&p->side[s], r, 0, r->far[0]);
}

// averages alone can leave their own surface
static tacResult find_own(const tacPublishedPair* p, int s, pubRays* r) {
    const tacPublishedSide* side = &p->side[s];
    if (side->lines < side->edges)
        return tac_published_ask(p, s, r->y, r->count, (tacField){.value = r->own});
    memset(r->own, 0, sizeof(tacReal) * (size_t)r->count);
    return TAC_OK;
}

tacResult tac_published_rays(tacPublishedPair* p, int s, tacReal* const out[TAC_PUBLISHED_NUMBERS],
                             int at) {
    const tacPublishedSide* side = &p->side[s];
    pubRays r = take_rays(p, side);
    tacResult result = trace(p, s, 0, &r);
    if (result == TAC_OK) result = trace(p, s, 1, &r);
    find_hits(p, s, &r);
    tacField field = {r.value, {r.slope[0], r.slope[1], r.slope[2]}, {NULL}};
    if (result == TAC_OK) result = tac_published_ask(p, 1 - s, r.y, r.count, field);
    if (result == TAC_OK) result = find_own(p, s, &r);
    for (int i = 0; i < r.count && result == TAC_OK; ++i) {
        tacVec3 n = tac_published_normal(r.slope, i);
        tacVec3 y = tac_vec3(r.y[0][i], r.y[1][i], r.y[2][i]);
        tacReal d = r.value[i] - side->radius, activity = tac_published_activity(p, d);
        if (side->lines < side->edges)
            activity *= tac_published_safeguard(p, r.own[i] - side->radius);
        tac_published_put(out, at + i, tac_sub(y, tac_scale(n, side->radius)), s ? n : tac_neg(n),
                          d, activity);
    }
    return result;
}
