// Contact manifold of two convex parts by clipping.
//
//   closest_features.h --normal--> faces most along it --> vertices of each over the other, edges
//   that cross
//
// The reference face (floor) is the one of both parts most along the normal; the incident face
// (sole) of the other part opposes it. Every contact is exact for its own two features: a vertex of
// the incident face over the reference face, a vertex of the reference face under the incident one,
// or two edges that cross. Nearly parallel edges do not count: their vertices do.

#include "detect/convex/clip_manifold.h"

#include "detect/convex/convex_features.h"
#include "detect/convex/simplex_vertex.h"
#include "detect/convex_contacts.h"

#include <string.h>

enum { MAX_VERTICES = TAC_FACE_MAX_VERTICES, MAX_CANDIDATES = 128 };

static const double face_cosine = 0.995;  // cosine: a floor is within 0.1 rad of the normal
static const double parallel_sine = 0.02; // sine: edges below this do not cross
static const double normal_cosine = 0.98; // cosine: edges that cross have a normal within 0.2 rad
static const double duplicate_distance = 1e-6; // contacts nearer than this times the size are one

//---------------------------------- codes ----------------------------------

static tacFeatureContactKind contact_kind(const tacFeatureContact* t) {
    tacConvexFeatureKind p = t->feature[0].kind, q = t->feature[1].kind;
    if (t->feature[0].index < 0) return TAC_FEATURE_CONTACT_FIXED_NORMAL;
    if (p >= TAC_CONVEX_FEATURE_RIM || q >= TAC_CONVEX_FEATURE_RIM)
        return TAC_FEATURE_CONTACT_CURVED;
    if (p == TAC_CONVEX_FEATURE_FACE || q == TAC_CONVEX_FEATURE_FACE)
        return TAC_FEATURE_CONTACT_FACE;
    if (p == TAC_CONVEX_FEATURE_EDGE && q == TAC_CONVEX_FEATURE_EDGE)
        return TAC_FEATURE_CONTACT_EDGES;
    return t->feature[0].radius + t->feature[1].radius > 0.0 ? TAC_FEATURE_CONTACT_CURVED
                                                             : TAC_FEATURE_CONTACT_SHARP;
}

static uint64_t side_code(const tacConvexFeature* p) {
    return (uint64_t)p->kind << 15 | (uint64_t)(p->index & 32767);
}

uint64_t tac_feature_contact_id(const tacFeatureContact* t, int part_a, int part_b) {
    return (uint64_t)(part_a & 1023) << 50 | (uint64_t)(part_b & 1023) << 40 |
           (uint64_t)contact_kind(t) << 36 | side_code(&t->feature[0]) << 18 |
           side_code(&t->feature[1]);
}

tacFeatureContactKind tac_feature_contact_kind(uint64_t feature_id) {
    return (tacFeatureContactKind)(feature_id >> 36 & 15);
}

tacConvexFeatureKind tac_feature_contact_side_kind(uint64_t feature_id, int side) {
    return (tacConvexFeatureKind)(feature_id >> (side ? 15 : 33) & 7);
}

//---------------------------------- polygons ----------------------------------

// a face or a segment over the floor: vertices in the world and in the floor's plane
typedef struct polygon {
    const tacConvex* part;
    int face, count; // face -1: a segment, or the side of a cylinder
    int corner[MAX_VERTICES];
    double x[MAX_VERTICES][3], flat[MAX_VERTICES][2];
} polygon;

typedef struct referencePlane {
    double normal[3], u[3], v[3]; // of the floor, from it to the other part
    double slack;                 // lengths that do not count
} referencePlane;

static void from_part_axes(const tacConvex* c, const double x[3], double out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = c->pos[k] + tac_dot3(c->rot[k], x);
}

static void to_part_axes(const tacConvex* c, const double n[3], double sign, double out[3]) {
    for (int k = 0; k < 3; ++k)
        out[k] = sign * (c->rot[0][k] * n[0] + c->rot[1][k] * n[1] + c->rot[2][k] * n[2]);
}

static void project_vertices(polygon* p, const referencePlane* plane_frame) {
    for (int i = 0; i < p->count; ++i) {
        double x[3];
        tac_face_vertex_position(p->part, p->corner[i], x);
        from_part_axes(p->part, x, p->x[i]);
        p->flat[i][0] = tac_dot3(plane_frame->u, p->x[i]);
        p->flat[i][1] = tac_dot3(plane_frame->v, p->x[i]);
    }
}

static double orientation2(const double a[2], const double b[2], const double c[2]) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Is a point over the polygon? A half-space is everywhere; the vertices of a cap lie on its rim.
static int is_above_face(const polygon* p, const referencePlane* plane_frame, const double x[2]) {
    double sense = 0.0;
    if (p->face < 0) return 0;
    if (p->part->kind == TAC_CONVEX_HALF_SPACE) return 1;
    if (p->part->kind == TAC_CONVEX_CYLINDER) {
        double middle[2] = {0.5 * (p->flat[0][0] + p->flat[4][0]),
                            0.5 * (p->flat[0][1] + p->flat[4][1])};
        return hypot(x[0] - middle[0], x[1] - middle[1]) <= p->part->size[0] + plane_frame->slack;
    }
    for (int i = 0; i < p->count; ++i) {
        const double *a = p->flat[i], *b = p->flat[(i + 1) % p->count];
        double turn = orientation2(a, b, x),
               near = plane_frame->slack * hypot(b[0] - a[0], b[1] - a[1]);
        if (fabs(turn) <= near) continue;
        if (turn * sense < 0.0) return 0;
        sense = turn;
    }
    return 1;
}

//---------------------------------- candidates ----------------------------------

typedef struct candidate {
    tacFeatureContact contact;
    double point[3], distance;
} candidate;

typedef struct candidateSet {
    const tacConvex* part[2];
    tacTransform at[2];
    double normal[3], margin, size;
    int count;
    candidate* list; // CANDIDATES
} candidateSet;

static int is_duplicate(const candidateSet* c, const candidate* x) {
    for (int i = 0; i < c->count; ++i) {
        double w[3];
        tac_sub3(c->list[i].point, x->point, w);
        if (c->list[i].contact.feature_id == x->contact.feature_id) return 1;
        if (tac_length3(w) <= duplicate_distance * c->size) return 1;
    }
    return 0;
}

// takes a pair of features if they are near and look at each other
static void add_candidate(candidateSet* c, int side_of, tacConvexFeature p, tacConvexFeature q) {
    candidate x = {.distance = 0.0};
    tacFeatureContactPoint at;
    x.contact.feature[side_of] = p;
    x.contact.feature[!side_of] = q;
    memcpy(x.contact.normal, c->normal, sizeof c->normal);
    if (c->count == MAX_CANDIDATES ||
        tac_feature_contact_at(&x.contact, c->at[0], c->at[1], &at) != TAC_OK)
        return;
    tac_store3(x.contact.normal, at.normal);
    tac_store3(x.point, at.point);
    x.distance = at.distance;
    x.contact.feature_id = tac_feature_contact_id(&x.contact, 0, 0);
    if (x.distance > c->margin || tac_dot3(x.contact.normal, c->normal) < normal_cosine) return;
    for (int i = 0; i < 2; ++i) {
        double core[3];
        tac_store3(core, at.core[i]);
        if (!tac_convex_contains(c->part[i], core, duplicate_distance * c->size)) return;
    }
    if (!is_duplicate(c, &x)) c->list[c->count++] = x;
}

// vertices of p, which belongs to side_of, over the face of q
static void add_vertices(candidateSet* c, int side_of, const polygon* p, const polygon* q,
                         const referencePlane* plane_frame) {
    for (int i = 0; i < p->count && q->face >= 0; ++i) {
        if (!is_above_face(q, plane_frame, p->flat[i])) continue;
        add_candidate(c, side_of, tac_feature_vertex(p->part, p->corner[i]),
                      tac_feature_face(q->part, q->face));
    }
}

// Do the edges cross in the floor's plane, away from their ends? A crossing within the slack of an
// end is that vertex, which is over the other face within the same slack (is_above_face): of equal
// faces that are moved by a trace no contact is lost.
static int do_cross(const double a[2], const double b[2], const double c[2], const double d[2],
                    double slack) {
    double e[2] = {b[0] - a[0], b[1] - a[1]}, f[2] = {d[0] - c[0], d[1] - c[1]};
    double w[2] = {c[0] - a[0], c[1] - a[1]}, det = e[0] * f[1] - e[1] * f[0];
    double length[2] = {hypot(e[0], e[1]), hypot(f[0], f[1])};
    if (!(fabs(det) > parallel_sine * length[0] * length[1])) return 0;
    double s = (w[0] * f[1] - w[1] * f[0]) / det, t = (w[0] * e[1] - w[1] * e[0]) / det;
    double near[2] = {slack / length[0], slack / length[1]};
    return s > near[0] && s < 1.0 - near[0] && t > near[1] && t < 1.0 - near[1];
}

// the axis of a capsule; the side of a cylinder is a line with a radius of its own
static tacConvexFeature side_feature(const tacConvex* c) {
    if (c->kind == TAC_CONVEX_SEGMENT) return tac_feature_edge(c, 0, 1);
    return (tacConvexFeature){
        .kind = TAC_CONVEX_FEATURE_EDGE, .radius = c->radius + c->size[0], .axis = {0.0, 0.0, 1.0}};
}

// the end of a capsule's axis, the rim of a cylinder
static tacConvexFeature end_feature(const tacConvex* c, int end) {
    if (c->kind == TAC_CONVEX_SEGMENT) return tac_feature_vertex(c, end);
    return (tacConvexFeature){.kind = TAC_CONVEX_FEATURE_RIM,
                              .index = !end,
                              .radius = c->radius,
                              .x = {0.0, 0.0, end ? c->size[2] : -c->size[2]},
                              .axis = {0.0, 0.0, 1.0},
                              .size = {c->size[0]}};
}

static tacConvexFeature edge_feature(const polygon* p, int i) {
    int from = p->corner[i], to = p->corner[(i + 1) % p->count];
    return p->face < 0 ? side_feature(p->part) : tac_feature_edge(p->part, from, to);
}

static void add_edge_crossings(candidateSet* c, int side_of, const polygon* p, const polygon* q,
                               double slack) {
    int edges = p->count == 2 ? 1 : p->count;
    for (int i = 0; i < edges; ++i) {
        const double *a = p->flat[i], *b = p->flat[(i + 1) % p->count];
        for (int j = 0; j < q->count; ++j) {
            if (do_cross(a, b, q->flat[j], q->flat[(j + 1) % q->count], slack))
                add_candidate(c, side_of, edge_feature(p, i), edge_feature(q, j));
        }
    }
}

//---------------------------------- floor and sole ----------------------------------

static referencePlane reference_plane(const double normal[3], double size) {
    referencePlane plane_frame = {.slack = 1e-9 * size};
    int least = fabs(normal[0]) < 0.6 ? 0 : 1;
    double e[3] = {least == 0, least == 1, 0.0};
    memcpy(plane_frame.normal, normal, sizeof plane_frame.normal);
    tac_cross3(normal, e, plane_frame.u);
    double n = tac_length3(plane_frame.u);
    for (int k = 0; k < 3; ++k) plane_frame.u[k] /= n;
    tac_cross3(normal, plane_frame.u, plane_frame.v);
    return plane_frame;
}

// how well the best face of a part looks along n (in the world)
static int face_towards(const tacConvex* c, const double n[3], double sign, double* cosine) {
    double m[3], normal[3];
    to_part_axes(c, n, sign, m);
    int face = tac_face_along(c, m);
    *cosine = -1.0;
    if (face >= 0) {
        tac_face_normal(c, face, normal);
        *cosine = tac_dot3(normal, m);
    }
    return face;
}

// ends of the segment on a capsule's or cylinder's axis
static void load_segment(polygon* p, const referencePlane* plane_frame) {
    p->face = -1;
    p->count = 2;
    p->corner[0] = 0;
    p->corner[1] = 1;
    for (int i = 0; i < 2; ++i) {
        double x[3] = {0.0, 0.0, i ? p->part->size[2] : -p->part->size[2]};
        from_part_axes(p->part, x, p->x[i]);
        p->flat[i][0] = tac_dot3(plane_frame->u, p->x[i]);
        p->flat[i][1] = tac_dot3(plane_frame->v, p->x[i]);
    }
}

// the flattest edge of a face at its lowest vertex
typedef struct lowestEdge {
    double height, slope, cosine; // of that vertex above the others; of the edge; of the face
} lowestEdge;

static lowestEdge lowest_edge(const tacConvex* c, int face, const double down[3]) {
    int corner[MAX_VERTICES], count = tac_face_vertices(c, face, corner), at = 0;
    double height[MAX_VERTICES], x[MAX_VERTICES][3], normal[3];
    for (int i = 0; i < count; ++i) {
        tac_face_vertex_position(c, corner[i], x[i]);
        height[i] = -tac_dot3(down, x[i]);
        if (height[i] < height[at]) at = i;
    }
    tac_face_normal(c, face, normal);
    lowestEdge low = {height[at], INFINITY, tac_dot3(normal, down)};
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
// the lowest vertex those with the flattest edge count, and of these the one that looks at it more.
static int face_of_lowest_edge(const tacConvex* c, const double down[3], double slack) {
    int best = -1, count = tac_face_count(c);
    lowestEdge low = {INFINITY, INFINITY, -1.0};
    for (int f = 0; f < count; ++f) {
        lowestEdge x = lowest_edge(c, f, down);
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

// The incident face or edge of a part; 0: only its nearest point.
static int load_incident(polygon* p, const tacConvex* c, const referencePlane* plane_frame,
                         double sign) {
    double cosine;
    p->part = c;
    p->count = 0;
    p->face = face_towards(c, plane_frame->normal, sign, &cosine);
    if (c->kind == TAC_CONVEX_SEGMENT || (c->kind == TAC_CONVEX_CYLINDER && cosine < 0.7)) {
        load_segment(p, plane_frame);
        return 1;
    }
    if (p->face < 0) return 0;
    if (c->kind == TAC_CONVEX_POINTS && cosine < face_cosine) {
        double down[3];
        to_part_axes(c, plane_frame->normal, sign, down);
        p->face = face_of_lowest_edge(c, down, plane_frame->slack);
    }
    p->count = tac_face_vertices(c, p->face, p->corner);
    project_vertices(p, plane_frame);
    return p->count > 0;
}

// lowest points of a lying cylinder's rims, where they are over the floor
static void add_rim_points(candidateSet* c, int side_of, const polygon* p, const polygon* reference,
                           const referencePlane* plane_frame) {
    for (int end = 0; end < 2; ++end) {
        if (is_above_face(reference, plane_frame, p->flat[end]))
            add_candidate(c, side_of, end_feature(p->part, end),
                          tac_feature_face(reference->part, reference->face));
    }
}

// side_of: whose sole it is
static void collect_candidates(candidateSet* c, int side_of, const polygon* incident,
                               const polygon* reference, const referencePlane* plane_frame) {
    if (incident->face < 0 && incident->part->kind == TAC_CONVEX_CYLINDER)
        add_rim_points(c, side_of, incident, reference, plane_frame);
    else
        add_vertices(c, side_of, incident, reference, plane_frame);
    add_vertices(c, !side_of, reference, incident, plane_frame);
    add_edge_crossings(c, side_of, incident, reference, plane_frame->slack);
}

static int is_rod(const tacConvex* c) {
    return c->kind == TAC_CONVEX_CYLINDER || (c->kind == TAC_CONVEX_SEGMENT && c->size[2] > 0.0);
}

// capsules and cylinders side by side: ends of each beside the other
static void add_parallel_rods(candidateSet* c) {
    double axis[2][3], across[3];
    for (int i = 0; i < 2; ++i) {
        if (!is_rod(c->part[i])) return;
        for (int k = 0; k < 3; ++k) axis[i][k] = c->part[i]->rot[k][2];
        if (fabs(tac_dot3(axis[i], c->normal)) > 0.1) return;
    }
    tac_cross3(axis[0], axis[1], across);
    for (int i = 0; i < 4 && tac_length3(across) < 0.1; ++i)
        add_candidate(c, i / 2, end_feature(c->part[i / 2], i % 2),
                      side_feature(c->part[1 - i / 2]));
}

static void add_manifold(candidateSet* c) {
    double cosine[2];
    int face[2];
    add_parallel_rods(c);
    for (int i = 0; i < 2; ++i)
        face[i] = face_towards(c->part[i], c->normal, i ? -1.0 : 1.0, &cosine[i]);
    int reference_side = cosine[1] > cosine[0] + 1e-6;
    if (cosine[reference_side] < face_cosine) return;
    polygon reference = {.part = c->part[reference_side], .face = face[reference_side]}, incident;
    tacConvexFeature plane = tac_feature_face(reference.part, reference.face);
    double normal[3];
    for (int k = 0; k < 3; ++k) normal[k] = tac_dot3(reference.part->rot[k], plane.axis);
    referencePlane plane_frame = reference_plane(normal, c->size);
    reference.count = tac_face_vertices(reference.part, reference.face, reference.corner);
    project_vertices(&reference, &plane_frame);
    if (load_incident(&incident, c->part[!reference_side], &plane_frame, -1.0))
        collect_candidates(c, !reference_side, &incident, &reference, &plane_frame);
}

//---------------------------------- selection ----------------------------------

// The deepest, then again and again the one that is furthest from those taken.
static void select_spread(candidateSet* c) {
    double away[MAX_CANDIDATES];
    for (int taken = 0; taken < TAC_CLIP_MAX_CONTACTS; ++taken) {
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
    c->count = TAC_CLIP_MAX_CONTACTS;
}

static int write_sorted(const candidateSet* c, tacFeatureContact* contact) {
    for (int i = 0; i < c->count; ++i) {
        int at = i;
        for (; at > 0 && contact[at - 1].feature_id > c->list[i].contact.feature_id; --at)
            contact[at] = contact[at - 1];
        contact[at] = c->list[i].contact;
    }
    return c->count;
}

// the nearest points, unless a contact is there already
static void add_nearest(candidateSet* c, const tacFeatureContact* contact, const tacNearest* near) {
    candidate x = {.contact = *contact, .distance = near->distance};
    for (int k = 0; k < 3; ++k) x.point[k] = 0.5 * (near->point[0][k] + near->point[1][k]);
    x.contact.feature_id = tac_feature_contact_id(contact, 0, 0);
    if (c->count < MAX_CANDIDATES && !is_duplicate(c, &x)) c->list[c->count++] = x;
}

int tac_clip_manifold(const tacConvex* a, const tacConvex* b, double margin, tacGjkCache* start,
                      tacFeatureContact contact[TAC_CLIP_MAX_CONTACTS], void* memory) {
    candidate list[MAX_CANDIDATES];
    candidateSet c = {{a, b}, {tac_convex_transform(a), tac_convex_transform(b)}, .list = list};
    tacFeatureContact first = {.pair = 0};
    tacNearest near;
    tac_closest_features(a, b, start, &near, &first, memory);
    if (!(near.distance <= margin)) return 0;
    memcpy(c.normal, near.normal, sizeof c.normal);
    c.margin = margin;
    c.size = tac_convex_bounding_radius(a) + tac_convex_bounding_radius(b);
    add_manifold(&c);
    add_nearest(&c, &first, &near);
    if (c.count > TAC_CLIP_MAX_CONTACTS) select_spread(&c);
    return write_sorted(&c, contact);
}
