// Averaged edges of a geom traced through the other's field: (1) to (3) of docs/edge-sdf.md, one
// edge at a time.

#include "detect/reference/reference_side.h"

#include "math/number.h"
#include "tactus/smooth.h"

#include <string.h>

// edges of one side: unit vectors along them, lengths, how far both rays have come, places
typedef struct refRays {
    int count;
    tacReal *dir[3], *length, *far[2], *y[3], *value, *slope[3], *own;
} refRays;

static refRays alloc_rays(tacReferencePair* p, const tacReferenceSide* side) {
    refRays r = {.count = side->lines};
    size_t n = (size_t)r.count;
    tac_reference_alloc3(p, n, r.dir);
    tac_reference_alloc3(p, n, r.y);
    tac_reference_alloc3(p, n, r.slope);
    r.length = tac_reference_alloc(p, n);
    r.value = tac_reference_alloc(p, n);
    r.own = tac_reference_alloc(p, n);
    for (int end = 0; end < 2; ++end) r.far[end] = tac_reference_alloc(p, n);
    return r;
}

void tac_reference_rays_measure(tacReferencePair* p, int s) { alloc_rays(p, &p->side[s]); }

static void start_rays(const tacReferenceSide* side, refRays* r) {
    for (int i = 0; i < r->count; ++i) {
        tacReal square = 1e-60;
        for (int k = 0; k < 3; ++k) {
            r->dir[k][i] = side->to[k][i] - side->from[k][i];
            square += r->dir[k][i] * r->dir[k][i];
        }
        r->length[i] = r_sqrt(square);
        r->far[0][i] = r->far[1][i] = 0.0;
        for (int k = 0; k < 3; ++k) r->dir[k][i] /= r->length[i];
    }
}

// `far` from a corner along the edge
static void ray_points(const tacReferenceSide* side, refRays* r, int end, const tacReal* far) {
    for (int i = 0; i < r->count; ++i)
        for (int k = 0; k < 3; ++k)
            r->y[k][i] = end ? side->to[k][i] - far[i] * r->dir[k][i]
                             : side->from[k][i] + far[i] * r->dir[k][i];
}

static tacResult trace_rays(const tacReferencePair* p, int s, int end, refRays* r) {
    tacResult result = TAC_OK;
    int steps = p->model->contact->choice[TAC_CHOICE_ITERATIONS];
    for (int step = 0; step < steps && result == TAC_OK; ++step) {
        ray_points(&p->side[s], r, end, r->far[end]);
        result = tac_reference_field(p, 1 - s, r->y, r->count, (tacField){.value = r->value});
        for (int i = 0; i < r->count; ++i) {
            tacReal u = r->value[i] - p->side[s].radius;
            r->far[end][i] += u * tac_soft_greater(u, 0.0, p->gate) / p->slope;
        }
    }
    return result;
}

// half way between both ends
static void find_hits(const tacReferencePair* p, int s, refRays* r) {
    for (int i = 0; i < r->count; ++i) {
        tacReal first = tac_soft_clip((tacBounds){r->far[0][i], 0.0, r->length[i], p->gate});
        tacReal second = tac_soft_clip((tacBounds){r->far[1][i], 0.0, r->length[i], p->gate});
        r->far[0][i] = 0.5 * (first + r->length[i] - second);
    }
    ray_points(&p->side[s], r, 0, r->far[0]);
}

// averages alone can leave their own surface
static tacResult own_field(const tacReferencePair* p, int s, refRays* r) {
    const tacReferenceSide* side = &p->side[s];
    if (side->lines < side->edges)
        return tac_reference_field(p, s, r->y, r->count, (tacField){.value = r->own});
    memset(r->own, 0, sizeof(tacReal) * (size_t)r->count);
    return TAC_OK;
}

tacResult tac_reference_rays(tacReferencePair* p, int s, tacReal* const out[TAC_REFERENCE_NUMBERS],
                             int at) {
    const tacReferenceSide* side = &p->side[s];
    refRays r = alloc_rays(p, side);
    start_rays(side, &r);
    tacResult result = trace_rays(p, s, 0, &r);
    if (result == TAC_OK) result = trace_rays(p, s, 1, &r);
    find_hits(p, s, &r);
    tacField field = {r.value, {r.slope[0], r.slope[1], r.slope[2]}, {NULL}};
    if (result == TAC_OK) result = tac_reference_field(p, 1 - s, r.y, r.count, field);
    if (result == TAC_OK) result = own_field(p, s, &r);
    for (int i = 0; i < r.count && result == TAC_OK; ++i) {
        tacVec3 n = tac_reference_normal(r.slope, i);
        tacVec3 y = tac_vec3(r.y[0][i], r.y[1][i], r.y[2][i]);
        tacReal d = r.value[i] - side->radius, activity = tac_reference_activity(p, d);
        if (side->lines < side->edges)
            activity *= tac_reference_safeguard(p, r.own[i] - side->radius);
        tac_reference_write(out, at + i, tac_sub(y, tac_scale(n, side->radius)), s ? n : tac_neg(n),
                            d, activity);
    }
    return result;
}
