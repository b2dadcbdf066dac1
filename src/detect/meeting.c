// The first time that two pieces are as near as a level. docs/collide.md, eq. (8) to (10).

#include "detect/meeting.h"

#include "detect/corner.h"
#include "detect/pieces.h"

#include <string.h>

enum { MAX_PASSES = 200, ROOT_PASSES = 30, STEP_PASSES = 12 };

//---------------------------------- a moment ----------------------------------

// a piece and how it moves: velocity of its origin, spin, a bound of its points' acceleration
typedef struct mover {
    tacConvex piece;
    double velocity[3], spin[3];
    tacBend bend;
    double arm; // of its furthest point from the body's origin
} mover;

typedef struct moment {
    mover side[2];
    tacNearest nearest;
    double size;
} moment;

static mover mover_at(const tacMeetQuery* q, int i, double t) {
    int body = tac_piece_body(q->model, q->piece[i]);
    tacFlight f = tac_course_body(q->model, q->course, t, body, q->chain);
    mover m = {.piece = tac_piece_at(q->model, q->piece[i], f.pose), .bend = q->bend[body]};
    tacVec3 arm = tac_sub(tac_load3(m.piece.pos), f.pose.position);
    tac_store3(m.velocity, tac_add(f.twist.linear, tac_cross(f.twist.angular, arm)));
    tac_store3(m.spin, f.twist.angular);
    m.arm = tac_norm(arm) + tac_convex_reach(&m.piece);
    return m;
}

static moment moment_at(const tacMeetQuery* q, double t, double axis[3]) {
    moment m;
    for (int i = 0; i < 2; ++i) m.side[i] = mover_at(q, i, t);
    m.nearest = tac_gjk(&m.side[0].piece, &m.side[1].piece, axis, q->memory);
    m.size = tac_convex_reach(&m.side[0].piece) + tac_convex_reach(&m.side[1].piece);
    return m;
}

// speed along n of the point of a piece that is at p
static double speed_along(const mover* m, const double n[3], const double p[3]) {
    double arm[3], v[3];
    tac_sub3(p, m->piece.pos, arm), tac_cross3(m->spin, arm, v);
    return tac_dot3(n, v) + tac_dot3(n, m->velocity);
}

static double rate_of(const moment* m) {
    const tacNearest* near = &m->nearest;
    return speed_along(&m->side[1], near->normal, near->point[1]) -
           speed_along(&m->side[0], near->normal, near->point[0]);
}

//---------------------------------- the bound ----------------------------------

// no point is accelerated along n more than this; a steady spin bends across itself only
static double bend_along(const mover* m, const double n[3]) {
    double across[3], spin = m->bend.spin;
    if (m->bend.twirl > 0.0) return m->bend.origin + (m->bend.twirl + spin * spin) * m->arm;
    tac_cross3(n, m->spin, across);
    return m->bend.origin + tac_length3(across) * spin * m->arm;
}

// a bound of the gap, and its slope
typedef struct bound {
    double value, slope;
} bound;

// takes off the furthest point along n (sign 1) or against it (-1), a time h later, on straight
// lines
static void retreat(const mover* m, const double n[3], double sign, double h, bound* gap) {
    double d[3], turned[3], x[3], arm[3];
    tac_cross3(n, m->spin, turned);
    for (int k = 0; k < 3; ++k) d[k] = n[k] + h * turned[k];
    double length = tac_length3(d), r = m->piece.radius;
    double away[3] = {sign * d[0], sign * d[1], sign * d[2]};
    tac_convex_support(&m->piece, away, x), tac_sub3(x, m->piece.pos, arm);
    double speed = tac_dot3(n, m->velocity) + tac_dot3(turned, arm);
    gap->value -= sign * (tac_dot3(n, x) + h * speed) + r * length;
    gap->slope -= sign * speed + r * tac_dot3(d, turned) / length;
}

// a bound of the gap above a level along the normal, a time h later
static bound gap_after(const moment* m, double bend, double level, double h) {
    bound gap = {-0.5 * h * h * bend - level, -h * bend};
    retreat(&m->side[0], m->nearest.normal, 1.0, h, &gap);
    retreat(&m->side[1], m->nearest.normal, -1.0, h, &gap);
    return gap;
}

// Longest h found in (0, most] after which the gap is still positive. The bound is concave:
// tangents from beyond end beyond, chords end inside.
static double advance(const moment* m, double bend, double level, double most) {
    double low = 0.0, high = most, start = gap_after(m, bend, level, 0.0).value, f_low = start;
    bound f_high = gap_after(m, bend, level, most);
    if (f_high.value >= 0.0) return most;
    for (int pass = 0; pass < STEP_PASSES && f_low > 0.02 * start; ++pass) {
        double tangent = high - f_high.value / f_high.slope;
        if (tangent > low && tangent < high)
            high = tangent, f_high = gap_after(m, bend, level, high);
        if (f_high.value >= 0.0) return high;
        // a trace short of the root, which rounding may put beyond it
        double chord = low + (1.0 - 1e-9) * (high - low) * f_low / (f_low - f_high.value);
        bound f = gap_after(m, bend, level, chord);
        if (f.value < 0.0 || !(chord > low)) break;
        low = chord, f_low = f.value;
    }
    return low;
}

//---------------------------------- the search ----------------------------------

// the level that a pair meets at, by how near it is at the start
static double level_of(const tacImpactLevels* levels, double distance) {
    if (distance > levels->delta * (1.0 + 1e-3)) return levels->delta;
    double room = 1e-4 * fabs(levels->delta);
    return distance > levels->floor + room ? levels->floor : distance - room;
}

// Newton's method on distance(t) = level from a time that is not late
static int find_root(const tacMeetQuery* q, double axis[3], tacMeeting* out) {
    double t = out->time, span = q->course->span;
    tacPatchPair touch = {.pair = 0};
    for (int pass = 0; pass < ROOT_PASSES; ++pass, ++out->passes) {
        moment m = moment_at(q, t, axis);
        if (!tac_closest(&m.side[0].piece, &m.side[1].piece, axis, &m.nearest, &touch, q->memory))
            return 0;
        double rate = rate_of(&m), step = (out->level - m.nearest.distance) / rate;
        if (!(rate * span < -1e-9 * m.size) || !(fabs(t + step - out->time) < 1e-3 * span))
            return 0;
        if (fabs(step) <= fmax(1e-15 * span, 1e-16 * m.size / fabs(rate))) {
            out->time = fmax(t, 0.0), out->rate = rate, out->nearest = m.nearest;
            return 1;
        }
        t += step;
    }
    return 0;
}

// distance to rounding: what tells a resting pair from one that falls
static void look_closely(const tacMeetQuery* q, moment* m, double axis[3]) {
    tacPatchPair touch = {.pair = 0};
    tac_closest(&m->side[0].piece, &m->side[1].piece, axis, &m->nearest, &touch, q->memory);
}

tacMeeting tac_meet(const tacMeetQuery* q) {
    tacMeeting out = {.found = 0};
    double t = 0.0, axis[3] = {0.0};
    for (; out.passes < MAX_PASSES; ++out.passes) {
        moment m = moment_at(q, t, axis);
        if (m.nearest.distance < 2.0 * q->levels.delta) look_closely(q, &m, axis);
        if (t == 0.0) out.level = level_of(&q->levels, m.nearest.distance);
        double bend =
            bend_along(&m.side[0], m.nearest.normal) + bend_along(&m.side[1], m.nearest.normal);
        double near = 1e-6 * fabs(q->levels.delta) + 1e-14 * m.size;
        double gap = gap_after(&m, bend, out.level, 0.0).value;
        out.time = t, out.rate = rate_of(&m), out.nearest = m.nearest;
        if (gap <= near) break;
        double step = advance(&m, bend, out.level + 1e-15 * m.size, q->until - t);
        if (t + step >= q->until) return out;
        if (!(step > 0.0)) break;
        t += step;
    }
    out.found = 1;
    out.exact = find_root(q, axis, &out);
    return out;
}
