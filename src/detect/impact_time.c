// The time of impact of a vertex with a face or an edge with an edge, and its derivative.

#include "detect/impact_time.h"

#include <stddef.h>

enum { NEWTON_PASSES = 60 };

// a speed below this part of the motion is rounding
static const double grazing = 1e-12;

static void points_at_time(const tacReal* start, const tacReal* end, tacReal t, tacReal* out) {
    for (int i = 0; i < 12; ++i) out[i] = (1.0 - t) * start[i] + t * end[i];
}

//---------------------------------- distance ----------------------------------

// weights of the face's vertices below the vertex: areas over the whole area
static void vertex_face_weights(const tacReal* p, tacVec3 normal, tacReal w[4]) {
    tacVec3 v = tac_load3(p), a = tac_load3(p + 3), u = tac_sub(tac_load3(p + 6), a);
    tacVec3 e = tac_sub(tac_load3(p + 9), a), d = tac_sub(v, a);
    tacReal area = tac_norm2(normal);
    tacReal x = tac_dot(tac_cross(d, e), normal) / area,
            y = tac_dot(tac_cross(u, d), normal) / area;
    w[0] = 1.0;
    w[1] = -(1.0 - x - y);
    w[2] = -x;
    w[3] = -y;
}

// weights of the ends of both edges where their lines are nearest
static void edge_edge_weights(const tacReal* p, tacVec3 normal, tacReal w[4]) {
    tacVec3 u = tac_sub(tac_load3(p + 3), tac_load3(p)),
            e = tac_sub(tac_load3(p + 9), tac_load3(p + 6));
    tacVec3 d = tac_sub(tac_load3(p + 6), tac_load3(p));
    tacReal area = tac_norm2(normal);
    tacReal x = tac_dot(tac_cross(d, e), normal) / area,
            y = tac_dot(tac_cross(d, u), normal) / area;
    w[0] = 1.0 - x;
    w[1] = x;
    w[2] = -(1.0 - y);
    w[3] = -y;
}

tacReal tac_impact_distance(tacCcdFeatures feature, const tacReal* p, tacVec3* n, tacReal w[4]) {
    int face = feature == TAC_CCD_VERTEX_FACE;
    tacVec3 u = tac_sub(tac_load3(p + (face ? 6 : 3)), tac_load3(p + (face ? 3 : 0)));
    tacVec3 e = tac_sub(tac_load3(p + 9), tac_load3(p + (face ? 3 : 6)));
    tacVec3 d = tac_sub(tac_load3(p), tac_load3(p + (face ? 3 : 6))), normal = tac_cross(u, e);
    double area = tac_re(tac_norm2(normal)), sides = tac_re(tac_norm2(u)) * tac_re(tac_norm2(e));
    if (!(area > 1e-24 * sides)) return NAN;
    tacVec3 unit = tac_scale(normal, 1.0 / r_sqrt(tac_norm2(normal)));
    if (n) *n = unit;
    if (w && face) vertex_face_weights(p, normal, w);
    if (w && !face) edge_edge_weights(p, normal, w);
    return tac_dot(unit, d);
}

// distance at a time, and its rate n . sum w_i (end_i - start_i)
static tacReal impact_distance_at(const tacImpact* impact, const tacReal* start, const tacReal* end,
                                  tacReal t, tacReal* rate, double* scale) {
    tacReal p[12], w[4], distance;
    tacVec3 n, sum = tac_vec3_zero();
    double most = 0.0;
    points_at_time(start, end, t, p);
    distance = tac_impact_distance(impact->feature, p, &n, w);
    if (isnan(tac_re(distance))) return distance;
    for (int i = 0; i < 4; ++i) {
        tacVec3 v = tac_sub(tac_load3(end + 3 * i), tac_load3(start + 3 * i));
        sum = tac_add_scaled(sum, w[i], v);
        most += fabs(tac_re(w[i])) * tac_re(tac_norm(v));
    }
    *rate = impact->side * tac_dot(n, sum);
    *scale = most;
    return impact->side * distance;
}

//---------------------------------- the root ----------------------------------

tacResult tac_impact_side(tacImpact* impact, const tacReal* start, const tacReal* end,
                          double before) {
    tacReal p[12];
    if (!impact || !start || !end) return TAC_ERROR_VALUE;
    points_at_time(start, end, before, p);
    double distance = tac_re(tac_impact_distance(impact->feature, p, NULL, NULL));
    if (!(fabs(distance) > 0.0)) return TAC_ERROR_VALUE;
    impact->side = distance > 0.0 ? 1.0 : -1.0;
    return TAC_OK;
}

// Newton's method. Two passes after the real part stands still, derivatives do so, too.
tacResult tac_impact_time(const tacImpact* impact, const tacReal* start, const tacReal* end,
                          double guess, tacReal* time) {
    tacReal t = guess;
    int settled = 0;
    if (!impact || !start || !end || !time) return TAC_ERROR_VALUE;
    for (int pass = 0; pass < NEWTON_PASSES; ++pass) {
        tacReal rate = 0.0, distance;
        double scale = 0.0;
        distance = impact_distance_at(impact, start, end, t, &rate, &scale);
        if (!(fabs(tac_re(rate)) > grazing * scale)) return TAC_ERROR_UNSOLVED;
        tacReal step = (distance - impact->separation) / rate;
        t -= step;
        settled += fabs(tac_re(step)) <= 1e-14;
        if (!(fabs(tac_re(t) - guess) < 1.0)) return TAC_ERROR_UNSOLVED;
        if (settled == 3) {
            *time = t;
            return TAC_OK;
        }
    }
    return TAC_ERROR_UNSOLVED;
}

//---------------------------------- derivative ----------------------------------

// n w_i side/rate at the root: minus the derivative of the time by p_i
static tacResult time_sensitivity(const tacImpact* impact, const tacReal* start, const tacReal* end,
                                  tacReal t, tacVec3 out[4]) {
    tacReal p[12], w[4], rate = 0.0;
    double scale = 0.0;
    tacVec3 n;
    if (!impact || !start || !end) return TAC_ERROR_VALUE;
    points_at_time(start, end, t, p);
    tacReal distance = tac_impact_distance(impact->feature, p, &n, w);
    if (isnan(tac_re(distance))) return TAC_ERROR_UNSOLVED;
    impact_distance_at(impact, start, end, t, &rate, &scale);
    if (!(fabs(tac_re(rate)) > grazing * scale)) return TAC_ERROR_UNSOLVED;
    for (int i = 0; i < 4; ++i) out[i] = tac_scale(n, impact->side * w[i] / rate);
    return TAC_OK;
}

tacResult tac_impact_time_jvp(const tacImpact* impact, const tacReal* start, const tacReal* end,
                              tacReal time, const tacReal* start_dot, const tacReal* end_dot,
                              tacReal* time_dot) {
    static const tacReal zero[12] = {0.0};
    tacVec3 s[4];
    tacReal p_dot[12], sum = 0.0;
    if (!time_dot) return TAC_ERROR_VALUE;
    tacResult result = time_sensitivity(impact, start, end, time, s);
    if (result != TAC_OK) return result;
    points_at_time(start_dot ? start_dot : zero, end_dot ? end_dot : zero, time, p_dot);
    for (int i = 0; i < 4; ++i) sum -= tac_dot(s[i], tac_load3(p_dot + 3 * i));
    *time_dot = sum;
    return TAC_OK;
}

// point i of four += s x
static void add_scaled_point(tacReal* point, int i, tacReal s, tacVec3 x) {
    if (point) tac_store3(point + 3 * i, tac_add_scaled(tac_load3(point + 3 * i), s, x));
}

tacResult tac_impact_time_vjp(const tacImpact* impact, const tacReal* start, const tacReal* end,
                              tacReal time, tacReal time_bar, tacReal* start_bar,
                              tacReal* end_bar) {
    tacVec3 s[4];
    tacResult result = time_sensitivity(impact, start, end, time, s);
    for (int i = 0; i < 4 && result == TAC_OK; ++i) {
        tacVec3 bar = tac_scale(s[i], -time_bar);
        add_scaled_point(start_bar, i, 1.0 - time, bar);
        add_scaled_point(end_bar, i, time, bar);
    }
    return result;
}
