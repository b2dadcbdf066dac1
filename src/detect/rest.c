// Contacts that two pieces can rest on.
//
//   closest.h --normal--> faces most along it --> corners of each over the other, edges that cross
//
// A face that is within 0.1 of the normal is the floor; the face (segment, side of a cylinder) of
// the other piece that looks at it is the sole. Every contact is exact for its own two features:
// a corner of the sole over the floor, a corner of the floor under the sole, an edge of one across
// an edge of the other. Edges that are nearly parallel do not count: their corners do.

#include "detect/rest.h"

#include "detect/corner.h"
#include "detect/features.h"
#include "detect/hard.h"

#include <string.h>

enum { CORNERS = TAC_FACE_CORNERS, CANDIDATES = 128 };

static const double steep = 0.995;     // cosine: a floor is within 0.1 rad of the normal
static const double parallel = 0.02;   // sine: edges below this do not cross
static const double aligned = 0.98;    // cosine: edges that cross have a normal within 0.2 rad
static const double same_place = 1e-6; // contacts nearer than this times the size are one

//---------------------------------- codes ----------------------------------

static tacTouchKind kind_of(const tacPatchPair* t) {
    tacPatchKind p = t->patch[0].kind, q = t->patch[1].kind;
    if (t->patch[0].index < 0) return TAC_TOUCH_HELD;
    if (p >= TAC_PATCH_RIM || q >= TAC_PATCH_RIM) return TAC_TOUCH_CURVED;
    if (p == TAC_PATCH_PLANE || q == TAC_PATCH_PLANE) return TAC_TOUCH_FACE;
    if (p == TAC_PATCH_LINE && q == TAC_PATCH_LINE) return TAC_TOUCH_EDGES;
    return t->patch[0].radius + t->patch[1].radius > 0.0 ? TAC_TOUCH_CURVED : TAC_TOUCH_SHARP;
}

static uint64_t side_code(const tacPatch* p) {
    return (uint64_t)p->kind << 15 | (uint64_t)(p->index & 32767);
}

uint64_t tac_patch_pair_code(const tacPatchPair* t, int piece_a, int piece_b) {
    return (uint64_t)(piece_a & 1023) << 50 | (uint64_t)(piece_b & 1023) << 40 |
           (uint64_t)kind_of(t) << 36 | side_code(&t->patch[0]) << 18 | side_code(&t->patch[1]);
}

tacTouchKind tac_touch_kind(uint64_t feature) { return (tacTouchKind)(feature >> 36 & 15); }

//---------------------------------- polygons ----------------------------------

// a face or a segment over the floor: corners in the world and in the floor's plane
typedef struct polygon {
    const tacConvex* piece;
    int face, count; // face -1: a segment, or the side of a cylinder
    int corner[CORNERS];
    double x[CORNERS][3], flat[CORNERS][2];
} polygon;

typedef struct floorPlan {
    double normal[3], u[3], v[3]; // of the floor, from it to the other piece
    double slack;                 // lengths that do not count
} floorPlan;

static void to_world(const tacConvex* c, const double x[3], double out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = c->pos[k] + tac_dot3(c->rot[k], x);
}

static void to_local(const tacConvex* c, const double n[3], double sign, double out[3]) {
    for (int k = 0; k < 3; ++k)
        out[k] = sign * (c->rot[0][k] * n[0] + c->rot[1][k] * n[1] + c->rot[2][k] * n[2]);
}

static void place_corners(polygon* p, const floorPlan* plan) {
    for (int i = 0; i < p->count; ++i) {
        double x[3];
        tac_corner_at(p->piece, p->corner[i], x);
        to_world(p->piece, x, p->x[i]);
        p->flat[i][0] = tac_dot3(plan->u, p->x[i]);
        p->flat[i][1] = tac_dot3(plan->v, p->x[i]);
    }
}

static double turn_of(const double a[2], const double b[2], const double c[2]) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Is a point over the polygon? A half-space is everywhere; the corners of a cap lie on its rim.
static int is_over(const polygon* p, const floorPlan* plan, const double x[2]) {
    double sense = 0.0;
    if (p->face < 0) return 0;
    if (p->piece->kind == TAC_CONVEX_HALF_SPACE) return 1;
    if (p->piece->kind == TAC_CONVEX_CYLINDER) {
        double middle[2] = {0.5 * (p->flat[0][0] + p->flat[4][0]),
                            0.5 * (p->flat[0][1] + p->flat[4][1])};
        return hypot(x[0] - middle[0], x[1] - middle[1]) <= p->piece->size[0] + plan->slack;
    }
    for (int i = 0; i < p->count; ++i) {
        const double *a = p->flat[i], *b = p->flat[(i + 1) % p->count];
        double turn = turn_of(a, b, x), near = plan->slack * hypot(b[0] - a[0], b[1] - a[1]);
        if (fabs(turn) <= near) continue;
        if (turn * sense < 0.0) return 0;
        sense = turn;
    }
    return 1;
}

//---------------------------------- candidates ----------------------------------

typedef struct candidate {
    tacPatchPair touch;
    double point[3], distance;
} candidate;

typedef struct collection {
    const tacConvex* piece[2];
    tacPlace at[2];
    double normal[3], margin, size;
    int count;
    candidate* list; // CANDIDATES
} collection;

static int is_known(const collection* c, const candidate* x) {
    for (int i = 0; i < c->count; ++i) {
        double w[3];
        tac_sub3(c->list[i].point, x->point, w);
        if (c->list[i].touch.feature == x->touch.feature) return 1;
        if (tac_length3(w) <= same_place * c->size) return 1;
    }
    return 0;
}

// takes a pair of features if they are near and look at each other
static void add(collection* c, int side_of, tacPatch p, tacPatch q) {
    candidate x = {.distance = 0.0};
    tacPatchPoint at;
    x.touch.patch[side_of] = p;
    x.touch.patch[!side_of] = q;
    memcpy(x.touch.normal, c->normal, sizeof c->normal);
    if (c->count == CANDIDATES || tac_patch_pair_at(&x.touch, c->at[0], c->at[1], &at) != TAC_OK)
        return;
    tac_store3(x.touch.normal, at.normal);
    tac_store3(x.point, at.point);
    x.distance = at.distance;
    x.touch.feature = tac_patch_pair_code(&x.touch, 0, 0);
    if (x.distance > c->margin || tac_dot3(x.touch.normal, c->normal) < aligned) return;
    for (int i = 0; i < 2; ++i) {
        double core[3];
        tac_store3(core, at.core[i]);
        if (!tac_convex_holds(c->piece[i], core, same_place * c->size)) return;
    }
    if (!is_known(c, &x)) c->list[c->count++] = x;
}

// corners of p, which belongs to side_of, over the face of q
static void add_corners(collection* c, int side_of, const polygon* p, const polygon* q,
                        const floorPlan* plan) {
    for (int i = 0; i < p->count && q->face >= 0; ++i) {
        if (!is_over(q, plan, p->flat[i])) continue;
        add(c, side_of, tac_patch_corner(p->piece, p->corner[i]),
            tac_patch_face(q->piece, q->face));
    }
}

// do the edges cross in the floor's plane, away from their ends?
static int do_cross(const double a[2], const double b[2], const double c[2], const double d[2]) {
    double e[2] = {b[0] - a[0], b[1] - a[1]}, f[2] = {d[0] - c[0], d[1] - c[1]};
    double w[2] = {c[0] - a[0], c[1] - a[1]}, det = e[0] * f[1] - e[1] * f[0];
    if (!(fabs(det) > parallel * hypot(e[0], e[1]) * hypot(f[0], f[1]))) return 0;
    double s = (w[0] * f[1] - w[1] * f[0]) / det, t = (w[0] * e[1] - w[1] * e[0]) / det;
    return s > 1e-6 && s < 1.0 - 1e-6 && t > 1e-6 && t < 1.0 - 1e-6;
}

// the axis of a capsule; the side of a cylinder is a line with a radius of its own
static tacPatch side_patch(const tacConvex* c) {
    if (c->kind == TAC_CONVEX_SEGMENT) return tac_patch_edge(c, 0, 1);
    return (tacPatch){
        .kind = TAC_PATCH_LINE, .radius = c->radius + c->size[0], .axis = {0.0, 0.0, 1.0}};
}

// the end of a capsule's axis, the rim of a cylinder
static tacPatch end_patch(const tacConvex* c, int end) {
    if (c->kind == TAC_CONVEX_SEGMENT) return tac_patch_corner(c, end);
    return (tacPatch){.kind = TAC_PATCH_RIM,
                      .index = !end,
                      .radius = c->radius,
                      .x = {0.0, 0.0, end ? c->size[2] : -c->size[2]},
                      .axis = {0.0, 0.0, 1.0},
                      .size = {c->size[0]}};
}

static tacPatch edge_patch(const polygon* p, int i) {
    int from = p->corner[i], to = p->corner[(i + 1) % p->count];
    return p->face < 0 ? side_patch(p->piece) : tac_patch_edge(p->piece, from, to);
}

static void add_crossings(collection* c, int side_of, const polygon* p, const polygon* q) {
    int edges = p->count == 2 ? 1 : p->count;
    for (int i = 0; i < edges; ++i) {
        const double *a = p->flat[i], *b = p->flat[(i + 1) % p->count];
        for (int j = 0; j < q->count; ++j) {
            if (do_cross(a, b, q->flat[j], q->flat[(j + 1) % q->count]))
                add(c, side_of, edge_patch(p, i), edge_patch(q, j));
        }
    }
}

//---------------------------------- floor and sole ----------------------------------

static floorPlan plan_of(const double normal[3], double size) {
    floorPlan plan = {.slack = 1e-9 * size};
    int least = fabs(normal[0]) < 0.6 ? 0 : 1;
    double e[3] = {least == 0, least == 1, 0.0};
    memcpy(plan.normal, normal, sizeof plan.normal);
    tac_cross3(normal, e, plan.u);
    double n = tac_length3(plan.u);
    for (int k = 0; k < 3; ++k) plan.u[k] /= n;
    tac_cross3(normal, plan.u, plan.v);
    return plan;
}

// how well the best face of a piece looks along n (in the world)
static int face_towards(const tacConvex* c, const double n[3], double sign, double* cosine) {
    double m[3], normal[3];
    to_local(c, n, sign, m);
    int face = tac_face_along(c, m);
    *cosine = -1.0;
    if (face >= 0) {
        tac_face_normal(c, face, normal);
        *cosine = tac_dot3(normal, m);
    }
    return face;
}

// ends of the segment on a capsule's or cylinder's axis
static void load_segment(polygon* p, const floorPlan* plan) {
    p->face = -1;
    p->count = 2;
    p->corner[0] = 0;
    p->corner[1] = 1;
    for (int i = 0; i < 2; ++i) {
        double x[3] = {0.0, 0.0, i ? p->piece->size[2] : -p->piece->size[2]};
        to_world(p->piece, x, p->x[i]);
        p->flat[i][0] = tac_dot3(plan->u, p->x[i]);
        p->flat[i][1] = tac_dot3(plan->v, p->x[i]);
    }
}

// the flattest edge of a face at its lowest corner
typedef struct lowEdge {
    double height, slope, cosine; // of that corner above the others; of the edge; of the face
} lowEdge;

static lowEdge low_edge(const tacConvex* c, int face, const double down[3]) {
    int corner[CORNERS], count = tac_face_corners(c, face, corner), at = 0;
    double height[CORNERS], x[CORNERS][3], normal[3];
    for (int i = 0; i < count; ++i) {
        tac_corner_at(c, corner[i], x[i]);
        height[i] = -tac_dot3(down, x[i]);
        if (height[i] < height[at]) at = i;
    }
    tac_face_normal(c, face, normal);
    lowEdge low = {height[at], INFINITY, tac_dot3(normal, down)};
    for (int side = 1; side<count; side += count> 2 ? count - 2 : 1) {
        int next = (at + side) % count;
        double w[3];
        tac_sub3(x[next], x[at], w);
        low.slope = fmin(low.slope, (height[next] - height[at]) / tac_length3(w));
    }
    return low;
}

// A hull without a face on the floor stands on its lowest edge. On both sides of a sharp one (a
// blade) faces are steep, and one that looks more at the floor may lie elsewhere: of the faces at
// the lowest corner those with the flattest edge count, and of these the one that looks at it more.
static int face_of_low_edge(const tacConvex* c, const double down[3], double slack) {
    int best = -1, count = tac_face_count(c);
    lowEdge low = {INFINITY, INFINITY, -1.0};
    for (int f = 0; f < count; ++f) {
        lowEdge x = low_edge(c, f, down);
        int level = fabs(x.height - low.height) <= slack, same = fabs(x.slope - low.slope) <= 1e-9;
        int better = !level ? x.height < low.height
                     : same ? x.cosine > low.cosine
                            : x.slope < low.slope;
        if (better) {
            low = x;
            best = f;
        }
    }
    return best;
}

// what of a piece looks at the floor; 0: nothing but its nearest point
static int load_sole(polygon* p, const tacConvex* c, const floorPlan* plan, double sign) {
    double cosine;
    p->piece = c;
    p->count = 0;
    p->face = face_towards(c, plan->normal, sign, &cosine);
    if (c->kind == TAC_CONVEX_SEGMENT || (c->kind == TAC_CONVEX_CYLINDER && cosine < 0.7)) {
        load_segment(p, plan);
        return 1;
    }
    if (p->face < 0) return 0;
    if (c->kind == TAC_CONVEX_POINTS && cosine < steep) {
        double down[3];
        to_local(c, plan->normal, sign, down);
        p->face = face_of_low_edge(c, down, plan->slack);
    }
    p->count = tac_face_corners(c, p->face, p->corner);
    place_corners(p, plan);
    return p->count > 0;
}

// lowest points of a lying cylinder's rims, where they are over the floor
static void add_rims(collection* c, int side_of, const polygon* p, const polygon* under,
                     const floorPlan* plan) {
    for (int end = 0; end < 2; ++end) {
        if (is_over(under, plan, p->flat[end]))
            add(c, side_of, end_patch(p->piece, end), tac_patch_face(under->piece, under->face));
    }
}

// side_of: whose sole it is
static void collect(collection* c, int side_of, const polygon* sole, const polygon* under,
                    const floorPlan* plan) {
    if (sole->face < 0 && sole->piece->kind == TAC_CONVEX_CYLINDER)
        add_rims(c, side_of, sole, under, plan);
    else
        add_corners(c, side_of, sole, under, plan);
    add_corners(c, !side_of, under, sole, plan);
    add_crossings(c, side_of, sole, under);
}

static int is_rod(const tacConvex* c) {
    return c->kind == TAC_CONVEX_CYLINDER || (c->kind == TAC_CONVEX_SEGMENT && c->size[2] > 0.0);
}

// capsules and cylinders side by side: ends of each beside the other
static void add_rods(collection* c) {
    double axis[2][3], across[3];
    for (int i = 0; i < 2; ++i) {
        if (!is_rod(c->piece[i])) return;
        for (int k = 0; k < 3; ++k) axis[i][k] = c->piece[i]->rot[k][2];
        if (fabs(tac_dot3(axis[i], c->normal)) > 0.1) return;
    }
    tac_cross3(axis[0], axis[1], across);
    for (int i = 0; i < 4 && tac_length3(across) < 0.1; ++i)
        add(c, i / 2, end_patch(c->piece[i / 2], i % 2), side_patch(c->piece[1 - i / 2]));
}

static void add_manifold(collection* c) {
    double cosine[2];
    int face[2];
    add_rods(c);
    for (int i = 0; i < 2; ++i)
        face[i] = face_towards(c->piece[i], c->normal, i ? -1.0 : 1.0, &cosine[i]);
    int floor_of = cosine[1] > cosine[0] + 1e-6;
    if (cosine[floor_of] < steep) return;
    polygon under = {.piece = c->piece[floor_of], .face = face[floor_of]}, sole;
    tacPatch plane = tac_patch_face(under.piece, under.face);
    double normal[3];
    for (int k = 0; k < 3; ++k) normal[k] = tac_dot3(under.piece->rot[k], plane.axis);
    floorPlan plan = plan_of(normal, c->size);
    under.count = tac_face_corners(under.piece, under.face, under.corner);
    place_corners(&under, &plan);
    if (load_sole(&sole, c->piece[!floor_of], &plan, -1.0))
        collect(c, !floor_of, &sole, &under, &plan);
}

//---------------------------------- selection ----------------------------------

// The deepest, then again and again the one that is furthest from those taken.
static void select_few(collection* c) {
    double away[CANDIDATES];
    for (int taken = 0; taken < TAC_REST_POINTS; ++taken) {
        int best = taken;
        for (int i = taken; i < c->count; ++i) {
            if (taken == 0 ? c->list[i].distance < c->list[best].distance : away[i] > away[best])
                best = i;
        }
        candidate keep = c->list[taken];
        double keep_away = away[taken];
        c->list[taken] = c->list[best];
        c->list[best] = keep;
        away[best] = keep_away;
        for (int i = taken + 1; i < c->count; ++i) {
            double w[3];
            tac_sub3(c->list[i].point, c->list[taken].point, w);
            double d = tac_length3(w);
            away[i] = taken == 0 ? d : fmin(away[i], d);
        }
    }
    c->count = TAC_REST_POINTS;
}

static int hand_out(const collection* c, tacPatchPair* touch) {
    for (int i = 0; i < c->count; ++i) {
        int at = i;
        for (; at > 0 && touch[at - 1].feature > c->list[i].touch.feature; --at)
            touch[at] = touch[at - 1];
        touch[at] = c->list[i].touch;
    }
    return c->count;
}

// the nearest points, unless a contact is there already
static void add_nearest(collection* c, const tacPatchPair* touch, const tacNearest* near) {
    candidate x = {.touch = *touch, .distance = near->distance};
    for (int k = 0; k < 3; ++k) x.point[k] = 0.5 * (near->point[0][k] + near->point[1][k]);
    x.touch.feature = tac_patch_pair_code(touch, 0, 0);
    if (c->count < CANDIDATES && !is_known(c, &x)) c->list[c->count++] = x;
}

int tac_rest(const tacConvex* a, const tacConvex* b, double margin, tacWalk* start,
             tacPatchPair touch[TAC_REST_POINTS], void* memory) {
    candidate list[CANDIDATES];
    collection c = {{a, b}, {tac_convex_place(a), tac_convex_place(b)}, .list = list};
    tacPatchPair first = {.pair = 0};
    tacNearest near;
    tac_closest(a, b, start, &near, &first, memory);
    if (!(near.distance <= margin)) return 0;
    memcpy(c.normal, near.normal, sizeof c.normal);
    c.margin = margin;
    c.size = tac_convex_reach(a) + tac_convex_reach(b);
    add_manifold(&c);
    add_nearest(&c, &first, &near);
    if (c.count > TAC_REST_POINTS) select_few(&c);
    return hand_out(&c, touch);
}
