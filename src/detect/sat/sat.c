// Distance and depth by separating axes.
//
//   centres --apart?--> faces of a, faces of b, edges across --best axis--> solid_contact.h --in
//   the feature?--> done, or (separated) solid_distance.h
//
// Two convex solids are apart if and only if some axis shows a gap, and the axis with the largest
// gap (in overlap the least depth) is a face's normal or runs across an edge of each. Apart, the
// gap is a lower bound of the distance, and equal to it where the foot lies in the feature.

#include "detect/sat/solid_contact.h"
#include "detect/sat/solid_distance.h"

typedef struct satAxis {
    double gap;
    tacVec3 n;    // from a to b
    int owner;    // 0, 1: a face of a or b; 2: across edges
    int index[2]; // the face, or the edges of a and b
} satAxis;

typedef struct satSearch {
    const tacSolidPair* pair;
    satAxis best;
    int axes;
    double cutoff;
} satSearch;

static int is_beyond_cutoff(const satSearch* s) { return s->best.gap > s->cutoff; }

//---------------------------------- axes -----------------------------------------

// a face's gap wins over an edge's that is larger by rounding only
static void offer_axis(satSearch* s, satAxis axis, double slack) {
    ++s->axes;
    if (axis.gap > s->best.gap + slack) s->best = axis;
}

static void try_center_axis(satSearch* s) {
    const tacSolidPair* pair = s->pair;
    tacVec3 n =
        tac_normalize(tac_sub(tac_solid_pair_point(pair, pair->b->center), pair->a->center));
    if (tac_norm2(n) == 0.0) return;
    double gap = tac_solid_pair_gap(pair, n);
    ++s->axes;
    if (gap > s->cutoff) s->best = (satAxis){.gap = gap, .n = n};
}

static void try_faces_of_a(satSearch* s) {
    const tacSolid* a = s->pair->a;
    for (int f = 0; f < a->faces && !is_beyond_cutoff(s); ++f) {
        tacVec3 n = a->normal[f], back = tac_mat_tmul_vec(s->pair->R, tac_neg(n));
        double low = tac_dot(n, s->pair->p) - tac_solid_support(s->pair->b, back);
        offer_axis(s, (satAxis){low - a->offset[f], n, 0, {f, 0}}, 0.0);
    }
}

static void try_faces_of_b(satSearch* s) {
    const tacSolid* b = s->pair->b;
    for (int f = 0; f < b->faces && !is_beyond_cutoff(s); ++f) {
        tacVec3 m = tac_mat_mul_vec(s->pair->R, b->normal[f]);
        double low = -tac_solid_support(s->pair->a, tac_neg(m));
        double gap = low - b->offset[f] - tac_dot(m, s->pair->p);
        offer_axis(s, (satAxis){gap, tac_neg(m), 1, {f, 0}}, 1e-14 * b->size);
    }
}

// Do the edges make a face of the difference a - b? On the sphere of normals edge i of a is an arc
// between the normals of its faces, edge j of b one between the negatives of its own; they do if
// the arcs cross.
static int arcs_cross(tacVec3 a0, tacVec3 a1, tacVec3 b0, tacVec3 b1, tacVec3 u, tacVec3 v) {
    double p = tac_dot(b0, u), q = tac_dot(b1, u), r = tac_dot(a0, v), t = tac_dot(a1, v);
    double side = tac_dot(tac_cross(a0, a1), u) * tac_dot(tac_cross(b0, b1), v);
    return p * q < 0.0 && r * t < 0.0 && (side > 0.0 ? p * t : -p * t) > 0.0;
}

// u and v run along the edges, n across both
static void try_edge_pair(satSearch* s, int i, int j, tacVec3 u, tacVec3 v) {
    const tacSolid *a = s->pair->a, *b = s->pair->b;
    tacVec3 across = tac_cross(u, v), from = a->vertex[a->edge[i][0]];
    double length = tac_norm(across);
    if (length < 1e-9 * tac_norm(u) * tac_norm(v)) return; // parallel: a face's normal does
    tacVec3 n = tac_scale(across, 1.0 / length);
    if (tac_dot(n, tac_sub(from, a->center)) < 0.0) n = tac_neg(n);
    double gap = tac_dot(n, tac_sub(tac_solid_pair_vertex(s->pair, b->edge[j][0]), from));
    offer_axis(s, (satAxis){gap, n, 2, {i, j}}, 1e-12 * (a->size + b->size));
}

static void try_edge_axes(satSearch* s) {
    const tacSolid *a = s->pair->a, *b = s->pair->b;
    for (int j = 0; j < b->edges && !is_beyond_cutoff(s); ++j) {
        const int* e = b->edge[j];
        tacMat3 R = s->pair->R;
        tacVec3 v = tac_mat_mul_vec(R, tac_sub(b->vertex[e[1]], b->vertex[e[0]]));
        tacVec3 b0 = tac_neg(tac_mat_mul_vec(R, b->normal[e[2]]));
        tacVec3 b1 = tac_neg(tac_mat_mul_vec(R, b->normal[e[3]]));
        for (int i = 0; i < a->edges; ++i) {
            const int* c = a->edge[i];
            tacVec3 u = tac_sub(a->vertex[c[1]], a->vertex[c[0]]);
            if (arcs_cross(a->normal[c[2]], a->normal[c[3]], b0, b1, u, v))
                try_edge_pair(s, i, j, u, v);
        }
    }
}

//---------------------------------- vertices --------------------------------------

static int contact_along(const tacSolidPair* pair, const satAxis* axis, tacSeparation* out) {
    if (axis->owner == 2)
        return tac_solid_edge_contact(pair, axis->index[0], axis->index[1], axis->n, axis->gap,
                                      out);
    if (axis->owner == 0) return tac_solid_face_contact(pair, axis->index[0], axis->gap, out);
    tacSolidPair swapped = tac_solid_pair_swap(pair);
    int inside = tac_solid_face_contact(&swapped, axis->index[0], axis->gap, out);
    tac_separation_swap(pair, out);
    return inside;
}

static void separate_polyhedra(const tacSolidPair* pair, double cutoff, tacSeparation* out) {
    satSearch s = {.pair = pair, .cutoff = cutoff, .best = {.gap = -INFINITY}};
    int unbounded = tac_is_unbounded(pair->a) || tac_is_unbounded(pair->b);
    if (!unbounded) try_center_axis(&s);
    // all directions but its own normal are endless in a half-space
    if (!is_beyond_cutoff(&s) && !tac_is_unbounded(pair->b)) try_faces_of_a(&s);
    if (!is_beyond_cutoff(&s) && !tac_is_unbounded(pair->a)) try_faces_of_b(&s);
    if (!is_beyond_cutoff(&s) && !pair->a->planar) try_edge_axes(&s);
    out->axes = s.axes;
    if (is_beyond_cutoff(&s)) {
        out->distance = s.best.gap;
        out->normal = s.best.n;
        out->bound = 1;
        return;
    }
    int attained = contact_along(pair, &s.best, out);
    if (attained || s.best.gap <= 0.0 || unbounded) return;
    double d = tac_solid_closest_features(pair, s.best.n, out->point);
    out->distance = d;
    if (d > s.best.gap * (1.0 + 1e-12))
        out->normal = tac_normalize(tac_sub(out->point[1], out->point[0]));
}

//---------------------------------- round ----------------------------------------

// b is round, a is not
static void separate_round(const tacSolidPair* pair, tacSeparation* out) {
    tacVec3 x = tac_solid_pair_vertex(pair, 0), nearest, normal;
    double r = pair->b->radius, d = tac_solid_point_distance(pair->a, x, &nearest, &normal);
    out->distance = d - r;
    out->normal = normal;
    out->axes = pair->a->faces;
    out->point[0] = nearest;
    out->point[1] = tac_add_scaled(x, -r, normal);
}

static void separate_balls(const tacSolidPair* pair, tacSeparation* out) {
    tacVec3 from = pair->a->vertex[0], to = tac_solid_pair_vertex(pair, 0);
    tacVec3 n = tac_normalize(tac_sub(to, from));
    if (tac_norm2(n) == 0.0) n = tac_vec3(1.0, 0.0, 0.0); // one centre: any direction parts them
    out->axes = 1;
    out->normal = n;
    out->distance = tac_distance(from, to) - pair->a->radius - pair->b->radius;
    out->point[0] = tac_add_scaled(from, pair->a->radius, n);
    out->point[1] = tac_add_scaled(to, -pair->b->radius, n);
}

tacResult tac_sat(tacPosedSolid a, tacPosedSolid b, double cutoff, tacSeparation* out) {
    tacSolidPair pair;
    tacResult result = tac_solid_pair(a, b, &pair);
    if (result != TAC_OK || !out) return TAC_ERROR_VALUE;
    int round_a = tac_solid_is_round(a.solid), round_b = tac_solid_is_round(b.solid);
    *out = (tacSeparation){0};
    if (round_a && round_b) {
        separate_balls(&pair, out);
    } else if (round_b) {
        separate_round(&pair, out);
    } else if (round_a) {
        tacSolidPair swapped = tac_solid_pair_swap(&pair);
        separate_round(&swapped, out);
        tac_separation_swap(&pair, out);
    } else {
        separate_polyhedra(&pair, cutoff, out);
    }
    if (!out->bound) out->bound = out->distance > cutoff;
    tac_separation_finish(&a, out);
    return TAC_OK;
}
