// The contact manifold as paper 001 defines it.
//
//   reference_side.h --points--> field --> records
//                    --lines--> all pairs --witness points--> indicators --> records
//                           \--> rays (reference_rays.c)
//
// Nothing is left out and nothing ends: counts are fixed at load, as in the paper. It is here to be
// compared with; manifold.c is faster and smoother. Equations: docs/manifold.md.

#include "detect/reference/reference_side.h"

#include "detect/edge_sdf/edge_sdf.h"
#include "detect/manifold/edge_projection.h"
#include "detect/manifold/manifold.h"
#include "math/number.h"
#include "tactus/smooth.h"

#include <string.h>

//---------------------------------- counts ---------------------------------------

// more than an int can count is as good as too many
static int record_count(const tacModel* model, const tacReferenceSide side[2]) {
    long long lines = 2 * (long long)side[0].lines * side[1].lines;
    if (model->contact->detector == TAC_DETECT_EDGE_SDF) lines = side[0].lines + side[1].lines;
    long long all = side[0].points + side[1].points + lines;
    return all < 1 << 30 ? (int)all : 1 << 30;
}

int tac_reference_count(const tacModel* model, int pair) {
    const tacContactPair* p = &model->contact->pair[pair];
    const tacReferenceSide side[2] = {tac_reference_side(model, p, 0),
                                      tac_reference_side(model, p, 1)};
    return record_count(model, side);
}

static int reference_capacity(const tacModel* model) {
    long long all = 0;
    for (int i = 0; i < model->contact->npair; ++i) all += tac_reference_count(model, i);
    return (int)(all < TAC_REFERENCE_MAX_RECORDS ? all : TAC_REFERENCE_MAX_RECORDS);
}

//---------------------------------- vertices -------------------------------------

static tacField alloc_vertex_field(tacReferencePair* p, int s) {
    tacField f = {.value = tac_reference_alloc(p, (size_t)p->side[s].points)};
    tac_reference_alloc3(p, (size_t)p->side[s].points, f.gradient);
    return f;
}

static tacResult write_vertices(tacReferencePair* p, int s,
                                tacReal* const out[TAC_REFERENCE_NUMBERS], int at) {
    const tacReferenceSide* side = &p->side[s];
    tacField f = alloc_vertex_field(p, s);
    tacResult result = tac_reference_field(p, 1 - s, side->point, side->points, f);
    for (int i = 0; i < side->points && result == TAC_OK; ++i) {
        tacVec3 n = tac_reference_normal(f.gradient, i);
        tacVec3 x = tac_vec3(side->point[0][i], side->point[1][i], side->point[2][i]);
        tacReal d = f.value[i] - side->radius;
        tac_reference_write(out, at + i, tac_sub(x, tac_scale(n, side->radius)), s ? n : tac_neg(n),
                            d, tac_reference_activity(p, d));
    }
    return result;
}

//---------------------------------- edges ----------------------------------------

// all pairs of kept edges: witness points, competition, fields; pair k, l stands at k lines + l
typedef struct refPairs {
    int count;
    tacReal *corner[4][3], *point[2][3], *colliding, *distance, *normal[3], *nearest[2];
    tacReal *own[2], *slope[2][3], *other[2];
    tacReal *column, *weight; // of one column
} refPairs;

static refPairs alloc_pairs(tacReferencePair* p) {
    refPairs m = {.count = p->side[0].lines * p->side[1].lines};
    size_t n = (size_t)m.count;
    for (int c = 0; c < 4; ++c) tac_reference_alloc3(p, n, m.corner[c]);
    for (int s = 0; s < 2; ++s) {
        tac_reference_alloc3(p, n, m.point[s]);
        tac_reference_alloc3(p, n, m.slope[s]);
        m.nearest[s] = tac_reference_alloc(p, n);
        m.own[s] = tac_reference_alloc(p, n);
        m.other[s] = tac_reference_alloc(p, n);
    }
    m.colliding = tac_reference_alloc(p, n);
    m.distance = tac_reference_alloc(p, n);
    tac_reference_alloc3(p, n, m.normal);
    m.column = tac_reference_alloc(p, (size_t)p->side[0].lines);
    m.weight = tac_reference_alloc(p, (size_t)p->side[0].lines);
    return m;
}

static tacResult find_witnesses(tacReferencePair* p, refPairs* m) {
    int columns = p->side[1].lines;
    tacEdgePairs pairs = {.count = m->count};
    tacEdgeWitness out = {.colliding = m->colliding, .distance = m->distance};
    for (int i = 0; i < m->count; ++i)
        for (int k = 0; k < 3; ++k) {
            m->corner[0][k][i] = p->side[0].from[k][i / columns];
            m->corner[1][k][i] = p->side[0].to[k][i / columns];
            m->corner[2][k][i] = p->side[1].from[k][i % columns];
            m->corner[3][k][i] = p->side[1].to[k][i % columns];
        }
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 4; ++c) pairs.corner[c][k] = m->corner[c][k];
        for (int s = 0; s < 2; ++s) out.point[s][k] = m->point[s][k];
        out.normal[k] = m->normal[k];
    }
    return tac_edge_edge(&p->witness, pairs, out);
}

// normal and distance of the points as they stand, rounded as those of tac_edge_edge
static void span_points(const tacReferencePair* p, refPairs* m, int i) {
    tacReal e[3], square = 0.0, length = 0.0;
    for (int k = 0; k < 3; ++k) {
        tacReal t1 = m->corner[1][k][i] - m->corner[0][k][i];
        tacReal t2 = m->corner[3][k][i] - m->corner[2][k][i];
        e[k] = m->point[0][k][i] - m->point[1][k][i];
        square += e[k] * e[k];
        length += 0.5 * (t1 * t1 + t2 * t2);
    }
    tacReal gap = 1.0 / r_sqrt(square + p->witness.gap * p->witness.gap * length + 1e-60);
    for (int k = 0; k < 3; ++k) m->normal[k][i] = e[k] * gap;
    m->distance[i] = square * gap;
}

// Newton's steps onto the own surface (suppl. II-C)
static tacResult project_points(tacReferencePair* p, refPairs* m) {
    tacResult result = TAC_OK;
    int steps = p->model->contact->choice[TAC_CHOICE_PROJECT];
    for (int s = 0; s < 2; ++s) {
        tacReal **x = m->point[s], **g = m->slope[s];
        for (int step = 0; step < steps && !p->side[s].swept && result == TAC_OK; ++step) {
            result = tac_reference_field(p, s, x, m->count,
                                         (tacField){m->own[s], {g[0], g[1], g[2]}, {NULL}});
            for (int i = 0; i < m->count && result == TAC_OK; ++i) {
                tacReal y[3] = {x[0][i], x[1][i], x[2][i]}, by[3] = {g[0][i], g[1][i], g[2][i]};
                tac_newton_step(m->own[s][i], by, y);
                for (int k = 0; k < 3; ++k) x[k][i] = y[k];
            }
        }
    }
    for (int i = 0; i < m->count && steps; ++i) span_points(p, m, i);
    return result;
}

// soft argmin along rows for points on the first edge, along columns for those on the second
static tacResult nearest_weights(const tacReferencePair* p, refPairs* m) {
    int rows = p->side[0].lines, columns = p->side[1].lines;
    tacResult result = TAC_OK;
    for (int k = 0; k < rows && result == TAC_OK; ++k)
        result = tac_soft_argmin(columns, m->distance + (size_t)k * (size_t)columns, p->neighbours,
                                 m->nearest[0] + (size_t)k * (size_t)columns);
    for (int l = 0; l < columns && result == TAC_OK; ++l) {
        for (int k = 0; k < rows; ++k) m->column[k] = m->distance[k * columns + l];
        result = tac_soft_argmin(rows, m->column, p->neighbours, m->weight);
        for (int k = 0; k < rows; ++k) m->nearest[1][k * columns + l] = m->weight[k];
    }
    return result;
}

static tacResult eval_fields(tacReferencePair* p, refPairs* m) {
    tacResult result = TAC_OK;
    for (int s = 0; s < 2 && result == TAC_OK; ++s) {
        tacReal** g = m->slope[s];
        result = tac_reference_field(p, s, m->point[s], m->count,
                                     (tacField){m->own[s], {g[0], g[1], g[2]}, {NULL}});
        if (result == TAC_OK)
            result = tac_reference_field(p, 1 - s, m->point[s], m->count,
                                         (tacField){.value = m->other[s]});
    }
    return result;
}

static void write_edge(const tacReferencePair* p, const refPairs* m, int i,
                       tacReal* const out[TAC_REFERENCE_NUMBERS], int at) {
    tacVec3 across = {m->normal[0][i], m->normal[1][i], m->normal[2][i]}, n[2], x[2];
    for (int s = 0; s < 2; ++s) {
        n[s] = tac_shape_normal(tac_vec3(m->slope[s][0][i], m->slope[s][1][i], m->slope[s][2][i]));
        x[s] = tac_vec3(m->point[s][0][i], m->point[s][1][i], m->point[s][2][i]);
    }
    tacReal both = p->side[0].radius + p->side[1].radius;
    tacReal sign[2] = {tac_soft_sign(tac_dot(n[1], across), p->sign),
                       tac_soft_sign(-tac_dot(n[0], across), p->sign)};
    tacReal pair = m->colliding[i] * tac_soft_less(tac_dot(n[0], n[1]), 0.0, p->opposing);
    for (int s = 0; s < 2; ++s) {
        tacReal inside = tac_soft_less(m->other[s][i], p->side[s].radius, p->tau);
        tacReal activity = pair * m->nearest[s][i] * inside *
                           tac_reference_safeguard(p, m->own[s][i] - p->side[s].radius);
        tac_reference_write(out, at + s * m->count, x[s], tac_scale(across, -sign[s]),
                            sign[s] * m->distance[i] - both, activity);
    }
}

static tacResult write_edges(tacReferencePair* p, tacReal* const out[TAC_REFERENCE_NUMBERS],
                             int at) {
    if (p->side[0].lines == 0 || p->side[1].lines == 0) return TAC_OK;
    refPairs m = alloc_pairs(p);
    tacResult result = find_witnesses(p, &m);
    if (result == TAC_OK) result = project_points(p, &m);
    if (result == TAC_OK) result = nearest_weights(p, &m);
    if (result == TAC_OK) result = eval_fields(p, &m);
    for (int i = 0; i < m.count && result == TAC_OK; ++i) write_edge(p, &m, i, out, at + i);
    return result;
}

//---------------------------------- a pair ---------------------------------------

static void name_pairs(const tacReferencePair* p, uint64_t* feature) {
    int at = 0, columns = p->side[1].lines, pairs = p->side[0].lines * columns;
    for (int s = 0; s < 2; ++s)
        for (int i = 0; i < p->side[s].points; ++i)
            feature[at++] = tac_manifold_feature((tacManifoldKind)s, i, 0);
    for (int s = 0; s < 2; ++s)
        for (int i = 0; i < pairs; ++i)
            feature[at++] = tac_manifold_feature((tacManifoldKind)(TAC_MANIFOLD_EDGE_0 + s),
                                                 i / columns, i % columns);
}

static void name_rays(const tacReferencePair* p, uint64_t* feature) {
    int at = 0;
    for (int s = 0; s < 2; ++s) {
        for (int i = 0; i < p->side[s].points; ++i)
            feature[at++] = tac_edge_sdf_feature((tacEdgeSdfKind)(2 * s), i);
        for (int i = 0; i < p->side[s].lines; ++i)
            feature[at++] = tac_edge_sdf_feature((tacEdgeSdfKind)(2 * s + 1), i);
    }
}

static tacResult write_pairs(tacReferencePair* p, tacReal* const out[TAC_REFERENCE_NUMBERS]) {
    tacResult result = write_vertices(p, 0, out, 0);
    if (result == TAC_OK) result = write_vertices(p, 1, out, p->side[0].points);
    if (result == TAC_OK) result = write_edges(p, out, p->side[0].points + p->side[1].points);
    return result;
}

static tacResult write_rays(tacReferencePair* p, tacReal* const out[TAC_REFERENCE_NUMBERS]) {
    tacResult result = TAC_OK;
    for (int s = 0, at = 0; s < 2 && result == TAC_OK; ++s) {
        result = write_vertices(p, s, out, at);
        if (result == TAC_OK) result = tac_reference_rays(p, s, out, at + p->side[s].points);
        at += p->side[s].points + p->side[s].lines;
    }
    return result;
}

tacResult tac_reference_pair(const tacModel* model, const tacPose* body, int pair,
                             tacReal* const out[TAC_REFERENCE_NUMBERS], uint64_t* feature,
                             tacScratch* scratch) {
    const tacContactPair* of = &model->contact->pair[pair];
    size_t mark = scratch->arena.used;
    tacReferencePair p = tac_reference_pair_init(model, of, scratch);
    tacResult result = tac_reference_select(&p, of, body);
    if (result == TAC_OK) result = p.rays ? write_rays(&p, out) : write_pairs(&p, out);
    if (feature) (p.rays ? name_rays : name_pairs)(&p, feature);
    scratch->arena.used = mark;
    return result;
}

//---------------------------------- all pairs ------------------------------------

// room for `count` more? Beyond the capacity records are counted, not written
static int has_capacity(const tacContacts* c, int count) {
    return count <= TAC_REFERENCE_MAX_RECORDS && c->count + count <= c->capacity;
}

static tacResult detect_pair(const tacModel* model, const tacPose* body, int i, int count,
                             tacContacts* c, tacScratch* scratch) {
    const tacContactPair* pair = &model->contact->pair[i];
    tacReal* out[TAC_REFERENCE_NUMBERS];
    tac_reference_numbers(c, c->count, out);
    tacResult result = tac_reference_pair(model, body, i, out, &c->feature[c->count], scratch);
    for (int k = c->count; k < c->count + count; ++k) {
        c->pair[k] = i;
        c->bundle[k] = -1;
        c->geom[0][k] = pair->geom[0];
        c->geom[1][k] = pair->geom[1];
    }
    if (result == TAC_OK && c->d_twist[0][0])
        result = tac_reference_twists(model, body, i, count, c, scratch);
    return result;
}

static tacResult detect_reference(const tacModel* model, const tacPose* body, tacContacts* contacts,
                                  tacScratch* scratch) {
    tacResult result = TAC_OK;
    int full = 0;
    for (int i = 0; i < model->contact->npair && result == TAC_OK; ++i) {
        int count = tac_reference_count(model, i);
        full |= !has_capacity(contacts, count);
        if (!full && count) result = detect_pair(model, body, i, count, contacts, scratch);
        contacts->count += count;
    }
    return result == TAC_OK && full ? TAC_ERROR_CAPACITY : result;
}

//---------------------------------- memory ---------------------------------------

// derivatives of a pair around its records
static void measure_pair(const tacModel* model, int index, tacArena* arena) {
    const tacContactPair* pair = &model->contact->pair[index];
    tacReferencePair p = {.model = model, .arena = arena};
    tac_reference_diff_measure(model, tac_reference_count(model, index), arena);
    for (int s = 0; s < 2; ++s) {
        p.side[s] = tac_reference_side(model, pair, s);
        tac_reference_side_alloc(&p, s);
        alloc_vertex_field(&p, s);
    }
    if (model->contact->detector != TAC_DETECT_EDGE_SDF)
        alloc_pairs(&p);
    else
        for (int s = 0; s < 2; ++s) tac_reference_rays_measure(&p, s);
}

// pairs with too many records are refused before any of it is allocated
static void measure_reference(const tacModel* model, tacArena* arena) {
    size_t mark = arena->used;
    for (int i = 0; i < model->contact->npair && model->contact->feature; ++i) {
        if (tac_reference_count(model, i) <= TAC_REFERENCE_MAX_RECORDS)
            measure_pair(model, i, arena);
        arena->used = mark;
    }
}

const tacDetectorKind tac_reference_detector = {
    reference_capacity, measure_reference, detect_reference, tac_reference_jvp, tac_reference_vjp};
