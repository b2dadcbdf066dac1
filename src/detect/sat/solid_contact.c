// Contact of two solids along an axis.

#include "detect/sat/solid_contact.h"

#include "detect/sat/solid_distance.h"

#include <string.h>

// parallel within this times the size
static const double level_tolerance = 1e-9;

//---------------------------------- clipping -------------------------------------

enum {
    MAX_OUTLINE = 2 * TAC_SOLID_MAX_FACE_VERTICES + 4
}; // each side that clips adds one vertex at most

typedef struct outline {
    int count;
    tacVec3 corner[MAX_OUTLINE];
} outline;

// what of it is below the plane n . x = h
static void clip_outline(outline* o, tacVec3 n, double h) {
    outline clipped = {0};
    for (int i = 0; i < o->count && clipped.count < MAX_OUTLINE - 1; ++i) {
        tacVec3 a = o->corner[i], b = o->corner[(i + 1) % o->count];
        double at_a = tac_dot(n, a) - h, at_b = tac_dot(n, b) - h;
        if (at_a <= 0.0) clipped.corner[clipped.count++] = a;
        if ((at_a < 0.0 && at_b > 0.0) || (at_a > 0.0 && at_b < 0.0))
            clipped.corner[clipped.count++] =
                tac_add_scaled(a, at_a / (at_a - at_b), tac_sub(b, a));
    }
    *o = clipped;
}

// A segment is an outline of two vertices: both ends of its way there and back.
static void clip_to_face(const tacSolid* s, int face, outline* o) {
    for (int i = s->first[face]; i < s->first[face + 1] && o->count > 0; ++i) {
        int next = i + 1 < s->first[face + 1] ? i + 1 : s->first[face];
        tacVec3 a = s->vertex[s->corner[i]], b = s->vertex[s->corner[next]];
        tacVec3 out = s->planar ? tac_sub(a, b) : tac_cross(tac_sub(b, a), s->normal[face]);
        clip_outline(o, out, tac_dot(out, a));
    }
}

// the vertex that is furthest from x
static tacVec3 furthest_vertex(const outline* o, tacVec3 x) {
    tacVec3 best = o->corner[0];
    for (int i = 1; i < o->count; ++i)
        if (tac_distance(o->corner[i], x) > tac_distance(best, x)) best = o->corner[i];
    return best;
}

// centre of area; of a segment, whose vertices may be there twice, the middle of its ends
static tacVec3 outline_center(const outline* o, tacVec3 n) {
    tacVec3 from = o->corner[0], end = furthest_vertex(o, from), other = furthest_vertex(o, end);
    tacVec3 sum = tac_vec3_zero();
    double area = 0.0;
    for (int i = 0; i < o->count; ++i) {
        tacVec3 u = tac_sub(o->corner[i], from), v = tac_sub(o->corner[(i + 1) % o->count], from);
        double part = tac_dot(n, tac_cross(u, v));
        area += part;
        sum = tac_add_scaled(sum, part / 3.0, tac_add(u, v));
    }
    int is_thin = fabs(area) <= 1e-9 * tac_norm2(tac_sub(end, other));
    return is_thin ? tac_scale(tac_add(end, other), 0.5) : tac_add_scaled(from, 1.0 / area, sum);
}

//---------------------------------- face -----------------------------------------

// the face of b that looks most against n
static int incident_face(const tacSolidPair* pair, tacVec3 n) {
    tacVec3 back = tac_mat_tmul_vec(pair->R, n);
    int best = 0;
    for (int f = 1; f < pair->b->faces; ++f)
        if (tac_dot(back, pair->b->normal[f]) < tac_dot(back, pair->b->normal[best])) best = f;
    return best;
}

// the vertices of b that are lowest along n, within `flat`: one, two of an edge, or those of a face
static outline lowest_outline(const tacSolidPair* pair, tacVec3 n, double level) {
    const tacSolid* b = pair->b;
    outline o = {0};
    int count = 0;
    for (int i = 0; i < b->vertices; ++i) {
        tacVec3 x = tac_solid_pair_vertex(pair, i);
        if (tac_dot(n, x) > level + level_tolerance * b->size) continue;
        if (count++ < 2) o.corner[o.count++] = x;
    }
    if (count <= 2) return o;
    int face = incident_face(pair, n);
    o.count = 0;
    for (int i = b->first[face]; i < b->first[face + 1]; ++i)
        o.corner[o.count++] = tac_solid_pair_vertex(pair, b->corner[i]);
    return o;
}

int tac_solid_face_contact(const tacSolidPair* pair, int face, double gap, tacSeparation* out) {
    const tacSolid* a = pair->a;
    tacVec3 n = a->normal[face];
    double level = a->offset[face] + gap;
    outline o = lowest_outline(pair, n, level), inside = o;
    clip_to_face(a, face, &inside);
    tacVec3 q = outline_center(inside.count > 0 ? &inside : &o, n);
    q = tac_add_scaled(q, level - tac_dot(n, q), n);
    out->distance = gap;
    out->normal = n;
    out->point[0] = tac_add_scaled(q, -gap, n);
    out->point[1] = q;
    return inside.count > 0;
}

//---------------------------------- edges ----------------------------------------

int tac_solid_edge_contact(const tacSolidPair* pair, int i, int j, tacVec3 n, double gap,
                           tacSeparation* out) {
    const tacSolid *a = pair->a, *b = pair->b;
    tacVec3 p[2] = {a->vertex[a->edge[i][0]], a->vertex[a->edge[i][1]]};
    tacVec3 q[2] = {tac_solid_pair_vertex(pair, b->edge[j][0]),
                    tac_solid_pair_vertex(pair, b->edge[j][1])};
    tacVec3 on_p, on_q;
    tac_segment_closest_points(p, q, &on_p, &on_q);
    double d = tac_distance(on_p, on_q);
    tacVec3 mean = tac_scale(tac_add(on_p, on_q), 0.5);
    out->distance = gap;
    out->normal = n;
    out->point[0] = tac_add_scaled(mean, -0.5 * gap, n);
    out->point[1] = tac_add_scaled(mean, 0.5 * gap, n);
    return d <= fabs(gap) * (1.0 + 1e-12);
}
