// Vertices, edges and faces of convex parts.

#include "detect/convex/convex_features.h"

#include "detect/convex/simplex_vertex.h"

#include <string.h>

enum { RIM = 8 };

// vertex i of a box has the signs of the bits of i
static const int box_face[6][4] = {{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3},
                                   {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}};

//---------------------------------- faces ----------------------------------

int tac_face_count(const tacConvex* c) {
    switch (c->kind) {
    case TAC_CONVEX_BOX:
        return 6;
    case TAC_CONVEX_CYLINDER:
        return 2;
    case TAC_CONVEX_HALF_SPACE:
        return 1;
    case TAC_CONVEX_POINTS:
        return c->faces;
    default:
        return 0;
    }
}

void tac_face_normal(const tacConvex* c, int face, double normal[3]) {
    if (c->kind == TAC_CONVEX_POINTS) {
        memcpy(normal, c->normal + 3 * face, 3 * sizeof *normal);
        return;
    }
    normal[0] = normal[1] = normal[2] = 0.0;
    normal[c->kind == TAC_CONVEX_BOX ? face / 2 : 2] = face % 2 ? -1.0 : 1.0;
}

int tac_face_along(const tacConvex* c, const double m[3]) {
    int best = -1, count = tac_face_count(c);
    double most = -INFINITY;
    for (int f = 0; f < count; ++f) {
        double n[3];
        tac_face_normal(c, f, n);
        if (tac_dot3(n, m) > most) {
            most = tac_dot3(n, m);
            best = f;
        }
    }
    return best;
}

//---------------------------------- vertices ----------------------------------

// the lower cap runs the other way round
static int cylinder_vertex(int face, int i) { return face ? RIM + (RIM - i) % RIM : i; }

static int hull_face_vertices(const tacConvex* c, int face, int corner[TAC_FACE_MAX_VERTICES]) {
    int first = c->first[face], all = c->first[face + 1] - first;
    int count = all < TAC_FACE_MAX_VERTICES ? all : TAC_FACE_MAX_VERTICES;
    for (int i = 0; i < count; ++i)
        corner[i] = c->corner[first + (int)((long long)i * all / count)];
    return count;
}

int tac_face_vertices(const tacConvex* c, int face, int corner[TAC_FACE_MAX_VERTICES]) {
    if (c->kind == TAC_CONVEX_BOX) {
        memcpy(corner, box_face[face], sizeof box_face[face]);
        return 4;
    }
    if (c->kind == TAC_CONVEX_POINTS) return hull_face_vertices(c, face, corner);
    if (c->kind != TAC_CONVEX_CYLINDER) return 0;
    for (int i = 0; i < RIM; ++i) corner[i] = cylinder_vertex(face, i);
    return RIM;
}

void tac_face_vertex_position(const tacConvex* c, int corner, double x[3]) {
    static const double half = 0.70710678118654752440;
    static const double ring[RIM][2] = {{1, 0},  {half, half},   {0, 1},  {-half, half},
                                        {-1, 0}, {-half, -half}, {0, -1}, {half, -half}};
    x[0] = x[1] = x[2] = 0.0;
    if (c->kind == TAC_CONVEX_BOX) {
        for (int k = 0; k < 3; ++k) x[k] = corner >> k & 1 ? c->size[k] : -c->size[k];
    } else if (c->kind == TAC_CONVEX_SEGMENT) {
        x[2] = corner ? c->size[2] : -c->size[2];
    } else if (c->kind == TAC_CONVEX_CYLINDER) {
        x[0] = c->size[0] * ring[corner % RIM][0];
        x[1] = c->size[0] * ring[corner % RIM][1];
        x[2] = corner < RIM ? c->size[2] : -c->size[2];
    } else if (c->kind == TAC_CONVEX_POINTS && c->count) {
        memcpy(x, c->point + 3 * corner, 3 * sizeof *x);
    }
}

//---------------------------------- features ----------------------------------

tacConvexFeature tac_feature_vertex(const tacConvex* c, int corner) {
    tacConvexFeature p = {.kind = TAC_CONVEX_FEATURE_VERTEX, .index = corner, .radius = c->radius};
    tac_face_vertex_position(c, corner, p.x);
    return p;
}

tacConvexFeature tac_feature_edge(const tacConvex* c, int from, int to) {
    int low = from < to ? from : to, high = from < to ? to : from;
    tacConvexFeature p = {
        .kind = TAC_CONVEX_FEATURE_EDGE, .index = 181 * low + high, .radius = c->radius};
    double end[3];
    tac_face_vertex_position(c, low, p.x);
    tac_face_vertex_position(c, high, end);
    tac_sub3(end, p.x, p.axis);
    double n = tac_length3(p.axis);
    for (int k = 0; k < 3; ++k) p.axis[k] = n > 0.0 ? p.axis[k] / n : k == 2;
    return p;
}

tacConvexFeature tac_feature_face(const tacConvex* c, int face) {
    tacConvexFeature p = {.kind = TAC_CONVEX_FEATURE_FACE, .index = face, .radius = c->radius};
    int corner[TAC_FACE_MAX_VERTICES];
    tac_face_normal(c, face, p.axis);
    if (c->kind == TAC_CONVEX_POINTS) { // the plane that no vertex is above
        for (int k = 0; k < 3; ++k) p.x[k] = c->offset[face] * p.axis[k];
    } else if (tac_face_vertices(c, face, corner)) {
        tac_face_vertex_position(c, corner[0], p.x);
    }
    return p;
}

typedef struct featureList {
    const tacConvex* c;
    const double* m;
    double tolerance, top, slack; // heights above top - slack may be furthest
    tacConvexFeature* feature;
    int count;
} featureList;

static void add_feature(featureList* l, tacConvexFeature p) {
    if (l->count < TAC_NEAR_FEATURES) l->feature[l->count++] = p;
}

static int is_extreme_vertex(const featureList* l, int corner) {
    double x[3];
    tac_face_vertex_position(l->c, corner, x);
    return tac_dot3(x, l->m) >= l->top - l->slack;
}

static void add_extreme_faces(featureList* l) {
    int count = tac_face_count(l->c);
    for (int f = 0; f < count; ++f) {
        double n[3], off[3];
        tac_face_normal(l->c, f, n);
        tac_sub3(n, l->m, off);
        if (tac_dot3(off, off) <= l->tolerance * l->tolerance)
            add_feature(l, tac_feature_face(l->c, f));
    }
}

// edges of a face that lie high, each listed by the face where it goes up in its vertices' numbers
static void add_extreme_edges(featureList* l, int face) {
    int corner[TAC_FACE_MAX_VERTICES], count = tac_face_vertices(l->c, face, corner);
    for (int i = 0; i < count; ++i) {
        int a = corner[i], b = corner[(i + 1) % count];
        if (a > b || !is_extreme_vertex(l, a) || !is_extreme_vertex(l, b)) continue;
        tacConvexFeature edge = tac_feature_edge(l->c, a, b);
        if (fabs(tac_dot3(edge.axis, l->m)) <= l->tolerance) add_feature(l, edge);
    }
}

static void add_polytope_features(featureList* l) {
    const tacConvex* c = l->c;
    int corners = c->kind == TAC_CONVEX_BOX ? 8 : c->count ? c->count : 1;
    for (int i = 0; i < corners; ++i) {
        double x[3];
        tac_face_vertex_position(c, i, x);
        l->top = fmax(l->top, tac_dot3(x, l->m));
    }
    add_extreme_faces(l);
    for (int f = 0; f < tac_face_count(c); ++f) add_extreme_edges(l, f);
    for (int i = 0; i < corners; ++i) {
        if (is_extreme_vertex(l, i)) add_feature(l, tac_feature_vertex(c, i));
    }
}

static void add_segment_features(featureList* l) {
    if (fabs(l->m[2]) <= l->tolerance && l->c->size[2] > 0.0)
        add_feature(l, tac_feature_edge(l->c, 0, 1));
    if (l->m[2] >= -l->tolerance) add_feature(l, tac_feature_vertex(l->c, 1));
    if (l->m[2] <= l->tolerance) add_feature(l, tac_feature_vertex(l->c, 0));
}

// The side is a line with a radius; the caps are faces; between them are the rims. A vertex stands
// for the rim where that lies flat.
static void add_cylinder_features(featureList* l) {
    const tacConvex* c = l->c;
    double flat = hypot(l->m[0], l->m[1]);
    add_extreme_faces(l);
    if (fabs(l->m[2]) <= l->tolerance)
        add_feature(l, (tacConvexFeature){.kind = TAC_CONVEX_FEATURE_EDGE,
                                          .radius = c->radius + c->size[0],
                                          .axis = {0.0, 0.0, 1.0}});
    for (int end = 0; end < 2; ++end) {
        double z = end ? -1.0 : 1.0;
        if (z * l->m[2] < -l->tolerance) continue;
        if (flat > 1e-9)
            add_feature(l, (tacConvexFeature){.kind = TAC_CONVEX_FEATURE_RIM,
                                              .index = end,
                                              .radius = c->radius,
                                              .x = {0.0, 0.0, z * c->size[2]},
                                              .axis = {0.0, 0.0, 1.0},
                                              .size = {c->size[0]}});
        if (flat <= l->tolerance) add_feature(l, tac_feature_vertex(c, RIM * end));
    }
}

static void add_smooth_feature(featureList* l) {
    const tacConvex* c = l->c;
    tacConvexFeature p = {
        .kind = TAC_CONVEX_FEATURE_SMOOTH, .radius = c->radius, .eps = {1.0, 1.0}};
    memcpy(p.size, c->size, sizeof p.size);
    if (c->kind == TAC_CONVEX_SUPERQUADRIC) memcpy(p.eps, c->eps, sizeof p.eps);
    add_feature(l, p);
}

int tac_features_near(const tacConvex* c, const double m[3], double tolerance,
                      tacConvexFeature feature[TAC_NEAR_FEATURES]) {
    featureList l = {c,       m, tolerance, -INFINITY, tolerance * tac_convex_bounding_radius(c),
                     feature, 0};
    if (c->kind == TAC_CONVEX_HALF_SPACE)
        add_feature(&l, tac_feature_face(c, 0));
    else if (c->kind == TAC_CONVEX_BOX || c->kind == TAC_CONVEX_POINTS)
        add_polytope_features(&l);
    else if (c->kind == TAC_CONVEX_SEGMENT)
        add_segment_features(&l);
    else if (c->kind == TAC_CONVEX_CYLINDER)
        add_cylinder_features(&l);
    else
        add_smooth_feature(&l);
    return l.count;
}
