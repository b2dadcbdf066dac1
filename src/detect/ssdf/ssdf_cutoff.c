// Two trees of boxes: points of one cloud, and where planes of the other act.

#include "detect/ssdf/ssdf_cutoff.h"

#include <math.h>

typedef struct cutoffSide {
    const tacContactCloud *points, *planes;
    const tacInfluenceBox* whole;
    tacCloudLevels levels[2]; // of points, of planes
    double R[3][3], size[3][3], t[3];
    double box_margin; // boxes of planes are larger by this part of their diagonal
} cutoffSide;

//---------------------------------- how far --------------------------------------

// a plane acts up to this height
static double cutoff_height(const tacSsdfCutoff* m) {
    return m->eps3 * log(fmax(m->gain, TAC_INFLUENCE_GAIN) / TAC_INFLUENCE_SHARE);
}

static int uses_load_bounds(const tacSsdfCutoff* m, const tacContactInfluence* r, double eps1) {
    return m->gain <= TAC_INFLUENCE_GAIN && eps1 <= r->eps1 && m->eps3 <= r->eps3 &&
           r->diagonal <= TAC_INFLUENCE_WIDTH * m->eps3;
}

// Length s of rays to which boxes must be stretched. Planes that are left out for their weights
// add up to count gain (s diagonal + eps3) exp(-s spread/eps1) at most; s below is at most twice
// its own first guess.
static double ray_scale(const tacSsdfCutoff* m, const tacContactCloud* planes) {
    const tacContactInfluence* r = planes->influence;
    double eps1 = planes->own_eps > 0.0 ? planes->own_eps : m->eps1;
    if (uses_load_bounds(m, r, eps1)) return 1.0;
    double wide = fmin(r->diagonal / m->eps3, 1e300), q = r->voronoi_margin / eps1;
    double depth = log(fmax(m->gain, 1.0) / TAC_INFLUENCE_SHARE) + log(planes->count) +
                   log(1.0 + wide) + planes->log_amp_range;
    double out = (depth + log(2.0 * fmax(1.0, depth / q))) / q;
    return fmax(1.0, fmax(cutoff_height(m) / r->height, out));
}

//---------------------------------- boxes ----------------------------------------

// box of a slot; that above all levels is the whole
static tacInfluenceBox points_box(const cutoffSide* w, int level, int slot) {
    if (level == w->levels[0].count) return *w->whole;
    const tacClusterPage* page =
        &w->points->page[w->levels[0].first[level] + slot / TAC_CLOUD_LEAF];
    tacInfluenceBox box;
    int at = slot % TAC_CLOUD_LEAF;
    for (int k = 0; k < 3; ++k) {
        box.low[k] = page->low[k][at];
        box.high[k] = page->high[k][at];
    }
    return box;
}

static const tacInfluenceBox* planes_box(const cutoffSide* w, int level, int slot) {
    const tacContactInfluence* r = w->planes->influence;
    if (level == w->levels[1].count) return &r->planes;
    return &r->box[w->levels[1].first[level] * TAC_CLOUD_LEAF + slot];
}

// middle and half sides of a box of points in the axes of the planes
static void rotate_box(const cutoffSide* w, const tacInfluenceBox* box, double middle[3],
                       double half[3]) {
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

static int boxes_separated(const cutoffSide* w, const double middle[3], const double half[3],
                           const tacInfluenceBox* box) {
    double more = w->box_margin > 0.0 ? w->box_margin * tac_influence_diagonal(box) : 0.0;
    for (int k = 0; k < 3; ++k)
        if (middle[k] - half[k] > box->high[k] + more || middle[k] + half[k] < box->low[k] - more)
            return 1;
    return 0;
}

//---------------------------------- trees ----------------------------------------

// slots of both trees, the one on the higher level cut in 16
static int slots_intersect(const cutoffSide* w, const int level[2], const int slot[2],
                           int between) {
    double middle[3], half[3];
    tacInfluenceBox points = points_box(w, level[0], slot[0]);
    rotate_box(w, &points, middle, half);
    if (boxes_separated(w, middle, half, planes_box(w, level[1], slot[1]))) return 0;
    int fixed = between || level[0] == 0; // the points stay together
    if (fixed && level[1] == 0) return 1;
    int cut = fixed || (level[1] > 0 && level[1] >= level[0]), intersect = 0;
    int below[2] = {level[0] - !cut, level[1] - cut}, child[2] = {slot[0], slot[1]};
    for (int k = 0; k < TAC_CLOUD_LEAF && !intersect; ++k) {
        child[cut] = slot[cut] * TAC_CLOUD_LEAF + k;
        if (child[cut] >= w->levels[cut].slots[below[cut]]) break;
        intersect = slots_intersect(w, below, child, between);
    }
    return intersect;
}

// points above a half-space: the lowest corner of their box, along its normal in their own axes
static int slots_intersect_below(const cutoffSide* w, int level, int slot, double height,
                                 int between) {
    const double *plane = w->planes->block, *n = plane + 3;
    tacInfluenceBox box = points_box(w, level, slot);
    double low = 0.0, far = 0.0;
    for (int k = 0; k < 3; ++k) {
        double along = n[0] * w->R[0][k] + n[1] * w->R[1][k] + n[2] * w->R[2][k];
        low += n[k] * (w->t[k] - plane[k]) + along * (along > 0.0 ? box.low[k] : box.high[k]);
        far += fabs(w->t[k]) + fabs(plane[k]) + fabs(box.low[k]) + fabs(box.high[k]);
    }
    low -= 1e-12 * far; // for rounding
    if (low >= height) return 0;
    if (level == 0 || between) return 1;
    int intersect = 0;
    for (int k = 0; k < TAC_CLOUD_LEAF && !intersect; ++k) {
        int child = slot * TAC_CLOUD_LEAF + k;
        if (child >= w->levels[0].slots[level - 1]) break;
        intersect = slots_intersect_below(w, level - 1, child, height, between);
    }
    return intersect;
}

//---------------------------------- both ways ------------------------------------

static cutoffSide cutoff_side(const tacSsdfCutoff* m, int side) {
    const tacContactCloud *points = m->cloud[side], *planes = m->cloud[1 - side];
    tacSsdfQuery q = tac_ssdf_query(points, *m->pose[side], *m->pose[1 - side]);
    cutoffSide w = {.points = points, .planes = planes, .whole = &points->influence->points};
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

static int side_is_active(const tacSsdfCutoff* m, int side, double ray_scale_max) {
    cutoffSide w = cutoff_side(m, side);
    if (w.planes->queries == 0)
        return slots_intersect_below(&w, w.levels[0].count, 0, cutoff_height(m), m->between);
    w.box_margin = ray_scale_max - 1.0;
    return slots_intersect(&w, (int[2]){w.levels[0].count, w.levels[1].count}, (int[2]){0, 0},
                           m->between);
}

// balls about the bodies' origins: no rotation is needed
static int spheres_separated(const tacSsdfCutoff* m, int side, double ray_scale_max) {
    const tacContactInfluence *points = m->cloud[side]->influence,
                              *planes = m->cloud[1 - side]->influence;
    tacVec3 a = m->pose[0]->position, b = m->pose[1]->position;
    double x = tac_re(a.x) - tac_re(b.x), y = tac_re(a.y) - tac_re(b.y),
           z = tac_re(a.z) - tac_re(b.z);
    double more = ray_scale_max > 1.0 ? 2.0 * (ray_scale_max - 1.0) * planes->diagonal : 0.0;
    double far = points->radius + planes->planes_radius + more;
    return x * x + y * y + z * z > far * far * (1.0 + 1e-9);
}

int tac_ssdf_cutoff_separated(const tacSsdfCutoff* m) {
    for (int side = 0; side < 2; ++side) {
        const tacContactCloud *points = m->cloud[side], *planes = m->cloud[1 - side];
        if (points->queries == 0) continue;
        if (!points->influence || (planes->queries > 0 && !planes->influence)) return 0;
        double ray_scale_max = planes->queries > 0 ? ray_scale(m, planes) : 1.0;
        if (planes->queries > 0 && spheres_separated(m, side, ray_scale_max)) continue;
        if (side_is_active(m, side, ray_scale_max)) return 0;
    }
    return 1;
}
