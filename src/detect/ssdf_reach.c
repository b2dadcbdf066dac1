// Two trees of boxes: points of one cloud, and where planes of the other are felt.

#include "detect/ssdf_reach.h"

#include <math.h>

typedef struct reachWay {
    const tacContactCloud *points, *planes;
    const tacReachBox* whole;
    tacCloudLevels levels[2]; // of points, of planes
    double R[3][3], size[3][3], t[3];
    double grow; // boxes of planes are larger by this part of their diagonal
} reachWay;

//---------------------------------- how far --------------------------------------

// a plane is felt up to this height
static double height_of(const tacSsdfMeeting* m) {
    return m->eps3 * log(fmax(m->gain, TAC_REACH_GAIN) / TAC_REACH_SHARE);
}

static int is_as_loaded(const tacSsdfMeeting* m, const tacContactReach* r) {
    return m->gain <= TAC_REACH_GAIN && m->eps1 <= r->eps1 && m->eps3 <= r->eps3 &&
           r->diagonal <= TAC_REACH_WIDE * m->eps3;
}

// Length s of rays to which boxes must be stretched. Planes that are left out for their weights
// add up to count gain (s diagonal + eps3) exp(-s spread/eps1) at most; s below is at most twice
// its own first guess.
static double stretch_of(const tacSsdfMeeting* m, const tacContactCloud* planes) {
    const tacContactReach* r = planes->reach;
    if (is_as_loaded(m, r)) return 1.0;
    double wide = fmin(r->diagonal / m->eps3, 1e300), q = r->spread / m->eps1;
    double depth = log(fmax(m->gain, 1.0) / TAC_REACH_SHARE) + log(planes->count) + log(1.0 + wide);
    double out = (depth + log(2.0 * fmax(1.0, depth / q))) / q;
    return fmax(1.0, fmax(height_of(m) / r->height, out));
}

//---------------------------------- boxes ----------------------------------------

// box of a slot; that above all levels is the whole
static tacReachBox points_box(const reachWay* w, int level, int slot) {
    if (level == w->levels[0].count) return *w->whole;
    const tacPatchPage* page = &w->points->page[w->levels[0].first[level] + slot / TAC_CLOUD_LEAF];
    tacReachBox box;
    int at = slot % TAC_CLOUD_LEAF;
    for (int k = 0; k < 3; ++k) {
        box.low[k] = page->low[k][at];
        box.high[k] = page->high[k][at];
    }
    return box;
}

static const tacReachBox* planes_box(const reachWay* w, int level, int slot) {
    const tacContactReach* r = w->planes->reach;
    if (level == w->levels[1].count) return &r->planes;
    return &r->box[w->levels[1].first[level] * TAC_CLOUD_LEAF + slot];
}

// middle and half sides of a box of points in the axes of the planes
static void turn_box(const reachWay* w, const tacReachBox* box, double middle[3], double half[3]) {
    for (int i = 0; i < 3; ++i) {
        middle[i] = w->t[i];
        half[i] = 0.0;
        for (int j = 0; j < 3; ++j) {
            middle[i] += w->R[i][j] * 0.5 * (box->low[j] + box->high[j]);
            half[i] += w->size[i][j] * 0.5 * (box->high[j] - box->low[j]);
        }
        half[i] += 1e-12 * (half[i] + fabs(middle[i])); // for rounding
    }
}

static int boxes_apart(const reachWay* w, const double middle[3], const double half[3],
                       const tacReachBox* box) {
    double more = w->grow > 0.0 ? w->grow * tac_reach_diagonal(box) : 0.0;
    for (int k = 0; k < 3; ++k)
        if (middle[k] - half[k] > box->high[k] + more || middle[k] + half[k] < box->low[k] - more)
            return 1;
    return 0;
}

//---------------------------------- trees ----------------------------------------

// slots of both trees, the one on the higher level cut in 16
static int slots_meet(const reachWay* w, const int level[2], const int slot[2], int between) {
    double middle[3], half[3];
    tacReachBox points = points_box(w, level[0], slot[0]);
    turn_box(w, &points, middle, half);
    if (boxes_apart(w, middle, half, planes_box(w, level[1], slot[1]))) return 0;
    int fixed = between || level[0] == 0; // the points stay together
    if (fixed && level[1] == 0) return 1;
    int cut = fixed || (level[1] > 0 && level[1] >= level[0]), meet = 0;
    int below[2] = {level[0] - !cut, level[1] - cut}, child[2] = {slot[0], slot[1]};
    for (int k = 0; k < TAC_CLOUD_LEAF && !meet; ++k) {
        child[cut] = slot[cut] * TAC_CLOUD_LEAF + k;
        if (child[cut] >= w->levels[cut].slots[below[cut]]) break;
        meet = slots_meet(w, below, child, between);
    }
    return meet;
}

// points above a half-space: the lowest corner of their box, along its normal in their own axes
static int slots_sink(const reachWay* w, int level, int slot, double height, int between) {
    const double *plane = w->planes->block, *n = plane + 3;
    tacReachBox box = points_box(w, level, slot);
    double low = 0.0, far = 0.0;
    for (int k = 0; k < 3; ++k) {
        double along = n[0] * w->R[0][k] + n[1] * w->R[1][k] + n[2] * w->R[2][k];
        low += n[k] * (w->t[k] - plane[k]) + along * (along > 0.0 ? box.low[k] : box.high[k]);
        far += fabs(w->t[k]) + fabs(plane[k]) + fabs(box.low[k]) + fabs(box.high[k]);
    }
    low -= 1e-12 * far; // for rounding
    if (low >= height) return 0;
    if (level == 0 || between) return 1;
    int meet = 0;
    for (int k = 0; k < TAC_CLOUD_LEAF && !meet; ++k) {
        int child = slot * TAC_CLOUD_LEAF + k;
        if (child >= w->levels[0].slots[level - 1]) break;
        meet = slots_sink(w, level - 1, child, height, between);
    }
    return meet;
}

//---------------------------------- both ways ------------------------------------

static reachWay way_of(const tacSsdfMeeting* m, int side) {
    const tacContactCloud *points = m->cloud[side], *planes = m->cloud[1 - side];
    tacSsdfQuery q = tac_ssdf_query(points, *m->pose[side], *m->pose[1 - side]);
    reachWay w = {.points = points, .planes = planes, .whole = &points->reach->points};
    w.levels[0] = tac_cloud_levels(points->count);
    w.levels[1] = tac_cloud_levels(planes->count);
    double t[3] = {tac_re(q.t.x), tac_re(q.t.y), tac_re(q.t.z)};
    for (int i = 0; i < 3; ++i) {
        w.t[i] = t[i];
        for (int j = 0; j < 3; ++j) {
            w.R[i][j] = tac_re(q.R.m[i][j]);
            w.size[i][j] = fabs(w.R[i][j]);
        }
    }
    return w;
}

static int way_is_felt(const tacSsdfMeeting* m, int side, double stretch) {
    reachWay w = way_of(m, side);
    if (w.planes->queries == 0)
        return slots_sink(&w, w.levels[0].count, 0, height_of(m), m->between);
    w.grow = stretch - 1.0;
    return slots_meet(&w, (int[2]){w.levels[0].count, w.levels[1].count}, (int[2]){0, 0},
                      m->between);
}

// balls about the bodies' origins: no rotation is needed
static int balls_apart(const tacSsdfMeeting* m, int side, double stretch) {
    const tacContactReach *points = m->cloud[side]->reach, *planes = m->cloud[1 - side]->reach;
    tacVec3 a = m->pose[0]->position, b = m->pose[1]->position;
    double x = tac_re(a.x) - tac_re(b.x), y = tac_re(a.y) - tac_re(b.y),
           z = tac_re(a.z) - tac_re(b.z);
    double more = stretch > 1.0 ? 2.0 * (stretch - 1.0) * planes->diagonal : 0.0;
    double far = points->radius + planes->ball + more;
    return x * x + y * y + z * z > far * far * (1.0 + 1e-9);
}

int tac_ssdf_apart(const tacSsdfMeeting* m) {
    for (int side = 0; side < 2; ++side) {
        const tacContactCloud *points = m->cloud[side], *planes = m->cloud[1 - side];
        if (points->queries == 0) continue;
        if (!points->reach || (planes->queries > 0 && !planes->reach)) return 0;
        double stretch = planes->queries > 0 ? stretch_of(m, planes) : 1.0;
        if (planes->queries > 0 && balls_apart(m, side, stretch)) continue;
        if (way_is_felt(m, side, stretch)) return 0;
    }
    return 1;
}
