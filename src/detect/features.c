// Corners, edges and faces of convex pieces.

#include "detect/features.h"

#include "detect/corner.h"

#include <string.h>

enum { RIM = 8 };

// corner i of a box has the signs of the bits of i
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

//---------------------------------- corners ----------------------------------

// the lower cap runs the other way round
static int cylinder_corner(int face, int i) { return face ? RIM + (RIM - i) % RIM : i; }

static int hull_corners(const tacConvex* c, int face, int corner[TAC_FACE_CORNERS]) {
    int first = c->first[face], all = c->first[face + 1] - first;
    int count = all < TAC_FACE_CORNERS ? all : TAC_FACE_CORNERS;
    for (int i = 0; i < count; ++i)
        corner[i] = c->corner[first + (int)((long long)i * all / count)];
    return count;
}

int tac_face_corners(const tacConvex* c, int face, int corner[TAC_FACE_CORNERS]) {
    if (c->kind == TAC_CONVEX_BOX) {
        memcpy(corner, box_face[face], sizeof box_face[face]);
        return 4;
    }
    if (c->kind == TAC_CONVEX_POINTS) return hull_corners(c, face, corner);
    if (c->kind != TAC_CONVEX_CYLINDER) return 0;
    for (int i = 0; i < RIM; ++i) corner[i] = cylinder_corner(face, i);
    return RIM;
}

void tac_corner_at(const tacConvex* c, int corner, double x[3]) {
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

//---------------------------------- patches ----------------------------------

tacPatch tac_patch_corner(const tacConvex* c, int corner) {
    tacPatch p = {.kind = TAC_PATCH_POINT, .index = corner, .radius = c->radius};
    tac_corner_at(c, corner, p.x);
    return p;
}

tacPatch tac_patch_edge(const tacConvex* c, int from, int to) {
    int low = from < to ? from : to, high = from < to ? to : from;
    tacPatch p = {.kind = TAC_PATCH_LINE, .index = 181 * low + high, .radius = c->radius};
    double end[3];
    tac_corner_at(c, low, p.x);
    tac_corner_at(c, high, end);
    tac_sub3(end, p.x, p.axis);
    double n = tac_length3(p.axis);
    for (int k = 0; k < 3; ++k) p.axis[k] = n > 0.0 ? p.axis[k] / n : k == 2;
    return p;
}

tacPatch tac_patch_face(const tacConvex* c, int face) {
    tacPatch p = {.kind = TAC_PATCH_PLANE, .index = face, .radius = c->radius};
    int corner[TAC_FACE_CORNERS];
    tac_face_normal(c, face, p.axis);
    if (c->kind == TAC_CONVEX_POINTS) { // the plane that no corner is above
        for (int k = 0; k < 3; ++k) p.x[k] = c->offset[face] * p.axis[k];
    } else if (tac_face_corners(c, face, corner)) {
        tac_corner_at(c, corner[0], p.x);
    }
    return p;
}

typedef struct list {
    const tacConvex* c;
    const double* m;
    double tolerance, top, slack; // heights above top - slack may be furthest
    tacPatch* patch;
    int count;
} list;

static void add(list* l, tacPatch p) {
    if (l->count < TAC_NEAR_PATCHES) l->patch[l->count++] = p;
}

static int is_high(const list* l, int corner) {
    double x[3];
    tac_corner_at(l->c, corner, x);
    return tac_dot3(x, l->m) >= l->top - l->slack;
}

static void add_faces(list* l) {
    int count = tac_face_count(l->c);
    for (int f = 0; f < count; ++f) {
        double n[3], off[3];
        tac_face_normal(l->c, f, n);
        tac_sub3(n, l->m, off);
        if (tac_dot3(off, off) <= l->tolerance * l->tolerance) add(l, tac_patch_face(l->c, f));
    }
}

// edges of a face that lie high, each listed by the face where it goes up in its corners' numbers
static void add_edges(list* l, int face) {
    int corner[TAC_FACE_CORNERS], count = tac_face_corners(l->c, face, corner);
    for (int i = 0; i < count; ++i) {
        int a = corner[i], b = corner[(i + 1) % count];
        if (a > b || !is_high(l, a) || !is_high(l, b)) continue;
        tacPatch edge = tac_patch_edge(l->c, a, b);
        if (fabs(tac_dot3(edge.axis, l->m)) <= l->tolerance) add(l, edge);
    }
}

static void add_polytope(list* l) {
    const tacConvex* c = l->c;
    int corners = c->kind == TAC_CONVEX_BOX ? 8 : c->count ? c->count : 1;
    for (int i = 0; i < corners; ++i) {
        double x[3];
        tac_corner_at(c, i, x);
        l->top = fmax(l->top, tac_dot3(x, l->m));
    }
    add_faces(l);
    for (int f = 0; f < tac_face_count(c); ++f) add_edges(l, f);
    for (int i = 0; i < corners; ++i) {
        if (is_high(l, i)) add(l, tac_patch_corner(c, i));
    }
}

static void add_segment(list* l) {
    if (fabs(l->m[2]) <= l->tolerance && l->c->size[2] > 0.0) add(l, tac_patch_edge(l->c, 0, 1));
    if (l->m[2] >= -l->tolerance) add(l, tac_patch_corner(l->c, 1));
    if (l->m[2] <= l->tolerance) add(l, tac_patch_corner(l->c, 0));
}

// The side is a line with a radius; the caps are faces; between them are the rims. A corner stands
// for the rim where that lies flat.
static void add_cylinder(list* l) {
    const tacConvex* c = l->c;
    double flat = hypot(l->m[0], l->m[1]);
    add_faces(l);
    if (fabs(l->m[2]) <= l->tolerance)
        add(l, (tacPatch){.kind = TAC_PATCH_LINE,
                          .radius = c->radius + c->size[0],
                          .axis = {0.0, 0.0, 1.0}});
    for (int end = 0; end < 2; ++end) {
        double z = end ? -1.0 : 1.0;
        if (z * l->m[2] < -l->tolerance) continue;
        if (flat > 1e-9)
            add(l, (tacPatch){.kind = TAC_PATCH_RIM,
                              .index = end,
                              .radius = c->radius,
                              .x = {0.0, 0.0, z * c->size[2]},
                              .axis = {0.0, 0.0, 1.0},
                              .size = {c->size[0]}});
        if (flat <= l->tolerance) add(l, tac_patch_corner(c, RIM * end));
    }
}

static void add_round(list* l) {
    const tacConvex* c = l->c;
    tacPatch p = {.kind = TAC_PATCH_ROUND, .radius = c->radius, .eps = {1.0, 1.0}};
    memcpy(p.size, c->size, sizeof p.size);
    if (c->kind == TAC_CONVEX_SUPERQUADRIC) memcpy(p.eps, c->eps, sizeof p.eps);
    add(l, p);
}

int tac_patches_near(const tacConvex* c, const double m[3], double tolerance,
                     tacPatch patch[TAC_NEAR_PATCHES]) {
    list l = {c, m, tolerance, -INFINITY, tolerance * tac_convex_reach(c), patch, 0};
    if (c->kind == TAC_CONVEX_HALF_SPACE)
        add(&l, tac_patch_face(c, 0));
    else if (c->kind == TAC_CONVEX_BOX || c->kind == TAC_CONVEX_POINTS)
        add_polytope(&l);
    else if (c->kind == TAC_CONVEX_SEGMENT)
        add_segment(&l);
    else if (c->kind == TAC_CONVEX_CYLINDER)
        add_cylinder(&l);
    else
        add_round(&l);
    return l.count;
}
