// Convex pieces that move and turn: the first time that they are as near as a separation.
// docs/collide.md, eq. (8) to (10).

#include "detect/meeting.h"

#include "detect/corner.h"

#include <string.h>

enum { MAX_PASSES = 500, ROOT_PASSES = 30 };

//---------------------------------- motion ----------------------------------

// a + s b
static void add3(double* a, double s, const double* b) {
    for (int k = 0; k < 3; ++k) a[k] += s * b[k];
}

// sin x/x, (1 - cos x)/x^2, (x - sin x)/x^3
static void rotation_terms(double x, double c[3]) {
    double y = x * x;
    if (x < 0.1) {
        c[0] = 1 - y / 6 * (1 - y / 20 * (1 - y / 42 * (1 - y / 72)));
        c[1] = 0.5 - y / 24 * (1 - y / 30 * (1 - y / 56 * (1 - y / 90)));
        c[2] = 1.0 / 6 - y / 120 * (1 - y / 42 * (1 - y / 72 * (1 - y / 110)));
        return;
    }
    c[0] = sin(x) / x, c[1] = (1 - cos(x)) / y, c[2] = (x - sin(x)) / (x * y);
}

// out = a + p w x a + q w x (w x a)
static void turn(const double w[3], double p, double q, const double a[3], double out[3]) {
    double b[3], c[3];
    tac_cross3(w, a, b), tac_cross3(w, b, c);
    for (int k = 0; k < 3; ++k) out[k] = a[k] + p * b[k] + q * c[k];
}

tacConvex tac_convex_moved(const tacConvex* piece, const tacMotion* motion, double t) {
    tacConvex out = *piece;
    double w[3], c[3];
    for (int k = 0; k < 3; ++k) w[k] = t * motion->spin[k];
    rotation_terms(tac_length3(w), c);
    add3(out.pos, t, motion->velocity);
    for (int j = 0; j < 3; ++j) {
        double axis[3] = {piece->rot[0][j], piece->rot[1][j], piece->rot[2][j]}, now[3];
        turn(w, c[0], c[1], axis, now);
        for (int k = 0; k < 3; ++k) out.rot[k][j] = now[k];
    }
    return out;
}

// speed along n of the point of a piece
static double speed_along(const tacConvex* c, const tacMotion* m, const double n[3],
                          const double p[3]) {
    double arm[3], v[3];
    tac_sub3(p, c->pos, arm), tac_cross3(m->spin, arm, v), add3(v, 1.0, m->velocity);
    return tac_dot3(n, v);
}

//---------------------------------- the search ----------------------------------

typedef struct moment {
    tacConvex piece[2];
    tacNearest nearest;
    double rate; // of the distance
} moment;

static moment at_time(const tacConvex piece[2], const tacMotion motion[2], double t, double axis[3],
                      void* memory) {
    moment m;
    for (int i = 0; i < 2; ++i) m.piece[i] = tac_convex_moved(&piece[i], &motion[i], t);
    m.nearest = tac_gjk(&m.piece[0], &m.piece[1], axis, memory);
    m.rate = 0.0;
    for (int i = 0; i < 2; ++i) {
        double v = speed_along(&m.piece[i], &motion[i], m.nearest.normal, m.nearest.point[i]);
        m.rate += i ? v : -v;
    }
    return m;
}

// largest speed of approach along the normal, eq. (8)
static double approach_bound(const moment* m, const tacMotion motion[2]) {
    double sum = 0.0;
    for (int i = 0; i < 2; ++i) {
        double turned[3], v = tac_dot3(m->nearest.normal, motion[i].velocity);
        tac_cross3(m->nearest.normal, motion[i].spin, turned);
        sum += (i ? -v : v) + tac_length3(turned) * tac_convex_reach(&m->piece[i]);
    }
    return sum * (1.0 + 1e-12);
}

// A curved core is reached by corners that come nearer and nearer: the normal is off by about
// sqrt(2 error/distance of the cores). Polytopes end at a face, an edge or a corner.
static int is_sharp(const moment* m) {
    double core = m->nearest.distance + m->piece[0].radius + m->piece[1].radius;
    for (int i = 0; i < 2; ++i) {
        tacConvexKind kind = m->piece[i].kind;
        if (kind != TAC_CONVEX_CYLINDER && kind != TAC_CONVEX_ELLIPSOID) continue;
        if (!(2.0 * m->nearest.error <= 1e-12 * core)) return 0;
    }
    return 1;
}

// Newton's method on distance(t) = separation next to a time that is not late
static int find_root(const tacConvex piece[2], const tacMotion motion[2], double separation,
                     tacMeeting* out, double axis[3], void* memory) {
    double t = out->time;
    for (int pass = 0; pass < ROOT_PASSES; ++pass, ++out->passes) {
        moment m = at_time(piece, motion, t, axis, memory);
        double size = tac_convex_reach(&m.piece[0]) + tac_convex_reach(&m.piece[1]);
        if (!(m.rate < -1e-9 * size)) return 0;
        double step = (separation - m.nearest.distance) / m.rate;
        if (fabs(t + step - out->time) > 1e-3) return 0;
        t += step;
        if (fabs(step) > 4e-15) continue;
        out->time = t, out->rate = m.rate, out->nearest = m.nearest;
        return is_sharp(&m);
    }
    return 0;
}

tacMeeting tac_meet(const tacConvex piece[2], const tacMotion motion[2], double separation,
                    void* memory) {
    tacMeeting out = {0};
    double t = 0.0, axis[3] = {0.0};
    double near = 1e-9 * (tac_convex_reach(&piece[0]) + tac_convex_reach(&piece[1]));
    for (; out.passes < MAX_PASSES; ++out.passes) {
        moment m = at_time(piece, motion, t, axis, memory);
        double gap = m.nearest.distance - m.nearest.error - separation;
        double bound = approach_bound(&m, motion);
        out.time = t, out.rate = m.rate, out.nearest = m.nearest;
        if (gap <= near) break;
        if (bound <= 0.0 || t + gap / bound > 1.0) return out;
        t += gap / bound;
    }
    // as far as certain; the root follows unless they were this near from the start
    out.found = 1;
    out.exact = t > 0.0 && find_root(piece, motion, separation, &out, axis, memory);
    return out;
}

//---------------------------------- derivative ----------------------------------

// What moves the witness point along n: force n at the point, carried back to start and motion.
// The turn at t is exp(t w), its change by w the left Jacobian of rotations times t.
static void add_point(const tacConvex* piece, const tacMotion* m, double t, const double p[3],
                      const double n[3], double scale, tacMotionTangent* bar) {
    tacConvex now = tac_convex_moved(piece, m, t);
    double arm[3], moment_of[3], back[3], w[3], c[3];
    tac_sub3(p, now.pos, arm), tac_cross3(arm, n, moment_of);
    add3(bar->pos, scale, n), add3(bar->velocity, scale * t, n);
    for (int k = 0; k < 3; ++k) w[k] = -t * m->spin[k];
    rotation_terms(tac_length3(w), c);
    turn(w, c[0], c[1], moment_of, back), add3(bar->rot, scale, back);
    turn(w, c[1], c[2], moment_of, back), add3(bar->spin, scale * t, back);
}

// time_dot = -distance_dot/rate, distance_dot = n.(p_B_dot - p_A_dot) of material points
tacResult tac_meet_vjp(const tacConvex piece[2], const tacMotion motion[2],
                       const tacMeeting* meeting, double time_bar, tacMotionTangent bar[2]) {
    if (!meeting->found || !meeting->exact) return TAC_ERROR_UNSOLVED;
    for (int i = 0; i < 2; ++i) {
        double scale = (i ? -1.0 : 1.0) * time_bar / meeting->rate;
        add_point(&piece[i], &motion[i], meeting->time, meeting->nearest.point[i],
                  meeting->nearest.normal, scale, &bar[i]);
    }
    return TAC_OK;
}
