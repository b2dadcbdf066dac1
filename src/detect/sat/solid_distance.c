// Distances of points, segments and faces of solids, tried one by one.

#include "detect/sat/solid_distance.h"

//---------------------------------- point and face -------------------------------

static tacVec3 nearest_on_segment(tacVec3 a, tacVec3 b, tacVec3 x) {
    tacVec3 along = tac_sub(b, a);
    double length2 = tac_norm2(along);
    double t = length2 > 0.0 ? tac_dot(tac_sub(x, a), along) / length2 : 0.0;
    return tac_add_scaled(a, fmin(fmax(t, 0.0), 1.0), along);
}

// vertex i of a face and the next one
static void face_side(const tacSolid* s, int face, int i, tacVec3 out[2]) {
    int next = i + 1 < s->first[face + 1] ? i + 1 : s->first[face];
    out[0] = s->vertex[s->corner[i]];
    out[1] = s->vertex[s->corner[next]];
}

// The nearest point of a face: its plane's, where that lies within all sides, or one of a side. A
// side of a planar solid is a segment.
static tacVec3 nearest_on_face(const tacSolid* s, int face, tacVec3 x) {
    tacVec3 n = s->normal[face], side[2], best = x;
    double least = INFINITY;
    int outside = s->planar;
    for (int i = s->first[face]; i < s->first[face + 1]; ++i) {
        face_side(s, face, i, side);
        tacVec3 out = tac_cross(tac_sub(side[1], side[0]), n);
        if (!s->planar && tac_dot(out, tac_sub(x, side[0])) <= 0.0) continue;
        tacVec3 y = nearest_on_segment(side[0], side[1], x);
        outside = 1;
        if (tac_norm2(tac_sub(y, x)) < least) {
            least = tac_norm2(tac_sub(y, x));
            best = y;
        }
    }
    return outside ? best : tac_add_scaled(x, s->offset[face] - tac_dot(n, x), n);
}

// the face that x is highest above, or least below
static int highest_face(const tacSolid* s, tacVec3 x, double* height) {
    int best = 0;
    *height = -INFINITY;
    for (int f = 0; f < s->faces; ++f) {
        double h = tac_dot(s->normal[f], x) - s->offset[f];
        if (h > *height) {
            *height = h;
            best = f;
        }
    }
    return best;
}

double tac_solid_point_distance(const tacSolid* s, tacVec3 x, tacVec3* nearest, tacVec3* normal) {
    double height, best = INFINITY;
    int face = highest_face(s, x, &height);
    *normal = s->normal[face];
    *nearest = tac_add_scaled(x, -height, *normal);
    if (height <= 0.0 || tac_is_unbounded(s)) return height;
    for (int f = 0; f < s->faces; ++f) {
        double h = tac_dot(s->normal[f], x) - s->offset[f];
        if (h <= 0.0 || h >= best) continue; // seen from behind, or too far
        tacVec3 y = nearest_on_face(s, f, x);
        double d = tac_distance(x, y);
        if (d < best) {
            best = d;
            *nearest = y;
        }
    }
    // above the face itself its normal is better than a difference of near points
    if (best > height * (1.0 + 1e-12)) *normal = tac_normalize(tac_sub(x, *nearest));
    return best;
}

//---------------------------------- segments -------------------------------------

static double clamp01(double t) { return fmin(fmax(t, 0.0), 1.0); }

void tac_segment_closest_points(const tacVec3 p[2], const tacVec3 q[2], tacVec3* on_p,
                                tacVec3* on_q) {
    tacVec3 u = tac_sub(p[1], p[0]), v = tac_sub(q[1], q[0]), w = tac_sub(p[0], q[0]);
    double a = tac_norm2(u), b = tac_dot(u, v), c = tac_norm2(v);
    double d = tac_dot(u, w), e = tac_dot(v, w);
    double area2 = tac_norm2(tac_cross(u, v)); // a c - b b without cancellation
    double s = area2 > 1e-20 * a * c ? clamp01((b * e - c * d) / area2) : 0.5;
    double t = c > 0.0 ? clamp01((b * s + e) / c) : 0.0;
    s = a > 0.0 ? clamp01((b * t - d) / a) : 0.0;
    *on_p = tac_add_scaled(p[0], s, u);
    *on_q = tac_add_scaled(q[0], t, v);
}

//---------------------------------- all features ---------------------------------

typedef struct nearestSearch {
    const tacSolidPair* pair;
    tacVec3 axis; // no point of b is below `floor` along it, none of a above `ceiling`
    double b_min, a_max, best;
    tacVec3* points;
} nearestSearch;

static void offer_points(nearestSearch* s, tacVec3 on_a, tacVec3 on_b) {
    double d = tac_distance(on_a, on_b);
    if (d < s->best) {
        s->best = d;
        s->points[0] = on_a;
        s->points[1] = on_b;
    }
}

static void try_vertices_of_b(nearestSearch* s) {
    for (int i = 0; i < s->pair->b->vertices; ++i) {
        tacVec3 x = tac_solid_pair_vertex(s->pair, i), nearest, normal;
        if (tac_dot(s->axis, x) - s->a_max >= s->best) continue;
        tac_solid_point_distance(s->pair->a, x, &nearest, &normal);
        offer_points(s, nearest, x);
    }
}

static void try_vertices_of_a(nearestSearch* s) {
    const tacSolid* a = s->pair->a;
    for (int i = 0; i < a->vertices; ++i) {
        tacVec3 nearest, normal;
        if (s->b_min - tac_dot(s->axis, a->vertex[i]) >= s->best) continue;
        tac_solid_point_distance(s->pair->b, tac_solid_pair_to_b(s->pair, a->vertex[i]), &nearest,
                                 &normal);
        offer_points(s, a->vertex[i], tac_solid_pair_point(s->pair, nearest));
    }
}

static void try_edge_pairs(nearestSearch* s) {
    const tacSolid *a = s->pair->a, *b = s->pair->b;
    for (int j = 0; j < b->edges; ++j) {
        tacVec3 q[2] = {tac_solid_pair_vertex(s->pair, b->edge[j][0]),
                        tac_solid_pair_vertex(s->pair, b->edge[j][1])};
        double low = fmin(tac_dot(s->axis, q[0]), tac_dot(s->axis, q[1]));
        if (low - s->a_max >= s->best) continue;
        for (int i = 0; i < a->edges; ++i) {
            tacVec3 p[2] = {a->vertex[a->edge[i][0]], a->vertex[a->edge[i][1]]}, on_p, on_q;
            double high = fmax(tac_dot(s->axis, p[0]), tac_dot(s->axis, p[1]));
            if (low - high >= s->best) continue;
            tac_segment_closest_points(p, q, &on_p, &on_q);
            offer_points(s, on_p, on_q);
        }
    }
}

double tac_solid_closest_features(const tacSolidPair* pair, tacVec3 axis, tacVec3 points[2]) {
    nearestSearch s = {.pair = pair, .axis = axis, .best = INFINITY, .points = points};
    s.a_max = tac_solid_support(pair->a, axis);
    s.b_min = s.a_max + tac_solid_pair_gap(pair, axis);
    try_vertices_of_b(&s);
    try_vertices_of_a(&s);
    if (!pair->a->planar) try_edge_pairs(&s);
    return s.best;
}
