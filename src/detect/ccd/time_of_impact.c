// The first time that two parts are as near as a level. docs/convex.md, eq. (8) to (10).

#include "detect/ccd/time_of_impact.h"

#include "detect/convex/simplex_vertex.h"
#include "detect/convex_parts.h"

#include <float.h>
#include <string.h>

enum { MAX_PASSES = 200, ROOT_PASSES = 30, STEP_PASSES = 12, QUICK_PASSES = 4 };

//---------------------------------- a moment ----------------------------------

// a part and how it moves: velocity of its origin, spin, a bound of its points' acceleration
typedef struct movingPart {
    tacConvex part;
    double velocity[3], spin[3];
    tacCurvatureBound curvature;
    double offset[3]; // of the part from the body's origin
    double arm;       // of its core's furthest point from there
} movingPart;

// Coordinates are relative to the origin of the pair.
typedef struct pairSnapshot {
    movingPart side[2];
    tacNearest nearest;
    double size;
    double extent; // of all lengths that make up the distance: its rounding is relative to it
} pairSnapshot;

static movingPart moving_part_at(const tacToiQuery* q, int i, double t) {
    int body = tac_convex_part_body(q->model, q->part[i]);
    tacMotionState f = tac_motion_path_body(q->model, q->path, t, body, q->origin, q->chain);
    movingPart m = {.part = tac_convex_part_at(q->model, q->part[i], f.pose),
                    .curvature = q->curvature[body]};
    tacVec3 arm = tac_sub(tac_load3(m.part.pos), f.pose.position);
    tac_store3(m.velocity, tac_add(f.twist.linear, tac_cross(f.twist.angular, arm)));
    tac_store3(m.spin, f.twist.angular);
    tac_store3(m.offset, arm);
    m.arm = tac_norm(arm) + tac_convex_bounding_radius(&m.part) - m.part.radius;
    return m;
}

// no point is accelerated more than this; along n a steady spin bends across itself only
static double accel_bound(const movingPart* m) {
    return m->curvature.origin +
           (m->curvature.spin_rate + m->curvature.spin * m->curvature.spin) * m->arm;
}

static double accel_bound_along(const movingPart* m, const double n[3]) {
    double across[3];
    if (m->curvature.spin_rate > 0.0) return accel_bound(m);
    tac_cross3(n, m->spin, across);
    return m->curvature.origin + tac_length3(across) * m->curvature.spin * m->arm;
}

// Capsules and cylinders are what they are however they roll about their own axis a. Without that
// part of a steady spin w, w - (w.a) a is left, about their own centre; it turns with a, at
// |w.a| |w x a|. Taken where paths then bend less: a rolling one stands still but for its centre.
static void drop_own_axis_roll(movingPart* m, const double n[3]) {
    double across[3], around[3], core = tac_convex_bounding_radius(&m->part) - m->part.radius,
                                 roll = 0.0;
    int turned = m->part.kind == TAC_CONVEX_SEGMENT || m->part.kind == TAC_CONVEX_CYLINDER;
    if (!turned || m->curvature.spin_rate > 0.0) return;
    for (int k = 0; k < 3; ++k) roll += m->spin[k] * m->part.rot[k][2];
    for (int k = 0; k < 3; ++k) across[k] = m->spin[k] - roll * m->part.rot[k][2];
    tac_cross3(m->spin, m->offset, around);
    movingPart less = *m;
    less.curvature.spin = tac_length3(across);
    less.curvature.spin_rate = fabs(roll) * less.curvature.spin;
    less.curvature.origin += m->curvature.spin * tac_length3(around);
    less.arm = core;
    memcpy(less.spin, across, sizeof across);
    if (accel_bound(&less) < accel_bound_along(m, n)) *m = less;
}

static pairSnapshot snapshot_at(const tacToiQuery* q, double t, tacGjkCache* cache) {
    pairSnapshot m;
    for (int i = 0; i < 2; ++i) m.side[i] = moving_part_at(q, i, t);
    m.nearest = tac_gjk(&m.side[0].part, &m.side[1].part, cache, q->memory);
    for (int i = 0; i < 2; ++i) drop_own_axis_roll(&m.side[i], m.nearest.normal);
    m.size =
        tac_convex_bounding_radius(&m.side[0].part) + tac_convex_bounding_radius(&m.side[1].part);
    m.extent = m.size;
    for (int i = 0; i < 2; ++i) m.extent += tac_length3(m.side[i].part.pos);
    return m;
}

// velocity of the point of a part that is at p
static void point_velocity(const movingPart* m, const double p[3], double out[3]) {
    double arm[3];
    tac_sub3(p, m->part.pos, arm);
    tac_cross3(m->spin, arm, out);
    for (int k = 0; k < 3; ++k) out[k] += m->velocity[k];
}

static double normal_speed(const movingPart* m, const double n[3], const double p[3]) {
    double v[3];
    point_velocity(m, p, v);
    return tac_dot3(n, v);
}

static double gap_rate(const pairSnapshot* m) {
    const tacNearest* near = &m->nearest;
    return normal_speed(&m->side[1], near->normal, near->point[1]) -
           normal_speed(&m->side[0], near->normal, near->point[0]);
}

//---------------------------------- the bound ----------------------------------

// A plane between the parts that moves and turns with them: a time h later its normal is
// n + h turn, not of unit length.
typedef struct separatingPlane {
    double n[3], turn[3];
    double base[3], drift[3]; // a point of it and its velocity: halfway between the nearest points
    double curvature, jerk;   // what paths may bend across it: bend h^2/2 + jerk h^3/6
} separatingPlane;

// (n + h turn).(x + h v + h^2 a/2) has h^2 (turn.v + n.a/2) beyond straight lines, and h^3 turn.a/2
static void add_curvature(const movingPart* m, separatingPlane* w) {
    double across[3], slip[3];
    double core = tac_convex_bounding_radius(&m->part) - m->part.radius;
    tac_cross3(w->turn, m->spin, across);
    tac_sub3(m->velocity, w->drift, slip);
    w->curvature += accel_bound_along(m, w->n) +
                    2.0 * (fabs(tac_dot3(w->turn, slip)) + tac_length3(across) * core);
    w->jerk += 3.0 * tac_length3(w->turn) * accel_bound(m);
}

static separatingPlane separating_plane(const pairSnapshot* m, const double turn[3]) {
    separatingPlane w = {.curvature = 0.0};
    const tacNearest* near = &m->nearest;
    double speed[2][3];
    for (int i = 0; i < 2; ++i) point_velocity(&m->side[i], near->point[i], speed[i]);
    for (int k = 0; k < 3; ++k) {
        w.n[k] = near->normal[k];
        w.turn[k] = turn[k];
        w.base[k] = 0.5 * (near->point[0][k] + near->point[1][k]);
        w.drift[k] = 0.5 * (speed[0][k] + speed[1][k]);
    }
    for (int i = 0; i < 2; ++i) add_curvature(&m->side[i], &w);
    return w;
}

// a bound of the gap, and its slope
typedef struct gapBound {
    double value, slope;
} gapBound;

// takes off the furthest point of the core along the normal (sign 1) or against it (-1), a time h
// later, on straight lines
static void subtract_support(const movingPart* m, const separatingPlane* w, double sign, double h,
                             gapBound* gap) {
    double away[3], turned[3], x[3], arm[3], from[3], slip[3];
    tac_cross3(w->n, m->spin, turned);
    for (int k = 0; k < 3; ++k) away[k] = sign * (w->n[k] + h * (w->turn[k] + turned[k]));
    tac_convex_support(&m->part, away, x);
    tac_sub3(x, m->part.pos, arm);
    tac_sub3(x, w->base, from);
    tac_sub3(m->velocity, w->drift, slip);
    double speed = tac_dot3(w->n, slip) + tac_dot3(turned, arm) + tac_dot3(w->turn, from);
    gap->value -= sign * (tac_dot3(w->n, from) + h * speed);
    gap->slope -= sign * speed;
}

// A bound of the gap above a level along the wall's normal, a time h later. Balls around the cores
// take off their radius, however they spin.
static gapBound gap_bound_after(const pairSnapshot* m, const separatingPlane* w, double level,
                                double h) {
    double thick = level + m->side[0].part.radius + m->side[1].part.radius;
    double turn = tac_length3(w->turn),
           length = thick > 0.0 ? sqrt(1.0 + h * turn * h * turn) : 1.0;
    gapBound gap = {-h * h * (w->curvature / 2.0 + h * w->jerk / 6.0) - thick * length,
                    -h * (w->curvature + h * w->jerk / 2.0)};
    if (thick > 0.0) gap.slope -= thick * h * turn * turn / length;
    subtract_support(&m->side[0], w, 1.0, h, &gap);
    subtract_support(&m->side[1], w, -1.0, h, &gap);
    return gap;
}

// Longest h found in (0, most] after which the gap is still positive. The bound is concave:
// tangents from beyond end beyond, chords end inside.
static double safe_advance(const pairSnapshot* m, const separatingPlane* w, double level,
                           double most) {
    double low = 0.0, high = most, start = gap_bound_after(m, w, level, 0.0).value, f_low = start;
    gapBound f_high = gap_bound_after(m, w, level, most);
    if (f_high.value >= 0.0) return most;
    for (int pass = 0; pass < STEP_PASSES && f_low > 0.02 * start; ++pass) {
        double tangent = high - f_high.value / f_high.slope;
        if (tangent > low && tangent < high) {
            high = tangent;
            f_high = gap_bound_after(m, w, level, high);
        }
        if (f_high.value >= 0.0) return high;
        // a trace short of the root, which rounding may put beyond it
        double chord = low + (1.0 - 1e-9) * (high - low) * f_low / (f_low - f_high.value);
        gapBound f = gap_bound_after(m, w, level, chord);
        if (f.value < 0.0 || !(chord > low)) break;
        low = chord;
        f_low = f.value;
    }
    return low;
}

//---------------------------------- the search ----------------------------------

// Distances this close to a level have reached it.
static double level_tolerance(const tacToiQuery* q, const pairSnapshot* m) {
    return 1e-6 * fabs(q->levels.delta) + 1e-14 * m->extent;
}

// Impact distance of a pair, by its distance at the start. One that is nearer than every level has
// its impact where it comes nearer by more than has reached the level already: a pair that touches
// and parts has none.
static double toi_level(const tacToiQuery* q, const pairSnapshot* m, double distance) {
    const tacImpactLevels* levels = &q->levels;
    if (distance > levels->delta * (1.0 + 1e-3) && !q->constrained) return levels->delta;
    double margin = fmax(1e-4 * fabs(levels->delta), 4.0 * level_tolerance(q, m));
    return distance > levels->min_level + margin ? levels->min_level : distance - margin;
}

// The distance at the start, as sure as the bound is: next to a level that is nearer by a trace the
// gap along a normal that is off by rounding may be no gap at all.
static double certain_distance(const pairSnapshot* m, double delta) {
    double gap = tac_convex_gap(&m->side[0].part, &m->side[1].part, m->nearest.normal);
    double short_of = m->nearest.distance - gap;
    return short_of > 0.0 && short_of < 1e-3 * fabs(delta) ? gap : m->nearest.distance;
}

// Is a step of Newton's method what rounding makes of a root? It is where it is below the rounding
// of time and lengths, or where steps have stopped to shrink within the rounding of the world's
// coordinates, which links of a chain have.
static int is_root_step(const tacToiQuery* q, const pairSnapshot* m, double rate, double step,
                        double last) {
    double length = fabs(step * rate);
    if (fabs(step) <= DBL_EPSILON * q->path->span || length <= DBL_EPSILON * m->extent) return 1;
    double world = m->extent + tac_length3(q->origin);
    return fabs(step) >= 0.5 * fabs(last) && length <= 64.0 * DBL_EPSILON * world;
}

// Newton's method on distance(t) = level from a time that is not late
static int find_root(const tacToiQuery* q, tacGjkCache* cache, tacToi* out) {
    double t = out->time, span = q->path->span, last = INFINITY;
    tacFeatureContact contact = {.pair = 0};
    for (int pass = 0; pass < ROOT_PASSES; ++pass, ++out->passes) {
        pairSnapshot m = snapshot_at(q, t, cache);
        if (!tac_closest_features(&m.side[0].part, &m.side[1].part, cache, &m.nearest, &contact,
                                  q->memory))
            return 0;
        double rate = gap_rate(&m), step = (out->level - m.nearest.distance) / rate;
        if (!(rate * span < -1e-9 * m.size) || !(fabs(t + step - out->time) < 1e-3 * span))
            return 0;
        if (is_root_step(q, &m, rate, step, last)) {
            out->time = fmax(t, 0.0);
            out->rate = rate;
            out->nearest = m.nearest;
            return 1;
        }
        t += step;
        last = step;
    }
    return 0;
}

// distance to rounding: what tells a resting pair from one that falls
static int refine_nearest(const tacToiQuery* q, pairSnapshot* m, tacGjkCache* cache,
                          tacFeatureContact* contact) {
    return tac_closest_features(&m->side[0].part, &m->side[1].part, cache, &m->nearest, contact,
                                q->memory);
}

// how fast the normal between two features turns
static int feature_normal_rate(const pairSnapshot* m, const tacFeatureContact* contact,
                               double turn[3]) {
    const movingPart *a = &m->side[0], *b = &m->side[1];
    tacTransform place[2] = {tac_convex_transform(&a->part), tac_convex_transform(&b->part)};
    double D[7][6], mid[3], xi[6], speed[2][3];
    tacFeatureContactPoint at;
    if (tac_feature_contact_at(contact, place[0], place[1], &at) != TAC_OK) return 0;
    if (tac_feature_contact_jacobian(contact, place[0], place[1], &at, D) != TAC_OK) return 0;
    tac_store3(mid, at.point);
    point_velocity(a, mid, speed[0]);
    point_velocity(b, mid, speed[1]);
    tac_sub3(speed[1], speed[0], xi);
    tac_sub3(b->spin, a->spin, xi + 3);
    tac_cross3(a->spin, m->nearest.normal, turn);
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 6; ++i) turn[k] += D[3 + k][i] * xi[i];
    return 1;
}

static int is_half_space_part(const movingPart* m) { return m->part.kind == TAC_CONVEX_HALF_SPACE; }

// Longest time found that the parts are apart, by a wall that stands still, turns with A, with B
// or with the normal of their features (NULL: not known). A wall along a half-space stands still.
static double best_safe_advance(const pairSnapshot* m, const tacFeatureContact* contact,
                                double level, double most) {
    double turn[4][3] = {{0.0}}, best = 0.0;
    int count = is_half_space_part(&m->side[0]) || is_half_space_part(&m->side[1]) ? 1 : 3;
    for (int i = 0; i < 2; ++i) tac_cross3(m->side[i].spin, m->nearest.normal, turn[1 + i]);
    if (count == 3 && contact) count += feature_normal_rate(m, contact, turn[3]);
    for (int i = 0; i < count && best < most; ++i) {
        separatingPlane w = separating_plane(m, turn[i]);
        best = fmax(best, safe_advance(m, &w, level, most));
    }
    return best;
}

// The start of the part that moves; next to a half-space, of the other part.
static void find_pair_origin(tacToiQuery* q) {
    memset(q->origin, 0, sizeof q->origin);
    movingPart first = moving_part_at(q, 0, 0.0);
    if (is_half_space_part(&first)) first = moving_part_at(q, 1, 0.0);
    memcpy(q->origin, first.part.pos, sizeof q->origin);
}

static void move_to_world(const tacToiQuery* q, tacNearest* nearest) {
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k) nearest->point[i][k] += q->origin[k];
}

tacToi tac_toi(tacToiQuery* q) {
    tacToi out = {.found = 0};
    double t = 0.0;
    find_pair_origin(q);
    tacGjkCache cache = {.count = 0};
    for (; out.passes < MAX_PASSES; ++out.passes) {
        pairSnapshot m = snapshot_at(q, t, &cache);
        tacFeatureContact contact = {.pair = 0};
        int known = 0, close = m.nearest.distance < 2.0 * q->levels.delta;
        if (close || out.passes >= QUICK_PASSES) known = refine_nearest(q, &m, &cache, &contact);
        if (t == 0.0) out.level = toi_level(q, &m, certain_distance(&m, q->levels.delta));
        out.time = t;
        out.rate = gap_rate(&m);
        out.nearest = m.nearest;
        if (m.nearest.distance - out.level <= level_tolerance(q, &m)) break;
        double level = out.level + 1e-15 * m.extent;
        double step = best_safe_advance(&m, known ? &contact : NULL, level, q->until - t);
        if (t + step >= q->until) return out;
        if (!(step > 0.0)) break;
        t += step;
    }
    out.found = 1;
    out.exact = find_root(q, &cache, &out);
    move_to_world(q, &out.nearest);
    return out;
}
