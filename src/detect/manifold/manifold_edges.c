// Edges of two geoms against each other.
//
//   edges --edge_search.h--> pairs --witness, compete--> nearest --edge_projection.h--> points
//        --field there--> records
//
// A pair counts only if its edges come within `depth` of each other, so what the search leaves out
// has an indicator of exactly 0.

#include "detect/manifold/manifold_edges.h"

#include "base/prefetch.h"
#include "detect/field/leaf_culling.h"
#include "detect/manifold/edge_projection.h"
#include "detect/manifold/edge_search.h"

#include <math.h>
#include <string.h>

#define EDGES TAC_DISPATCH(tac_manifold_edges_kernels_)

enum { PADDING = TAC_HIT_PADDING };

//---------------------------------- memory ---------------------------------------

static const tacFeatures* geom_features(const tacModel* model, const tacContactPair* pair, int k) {
    return &model->contact->feature[pair->geom[k]];
}

int tac_manifold_edges_capacity(const tacModel* model, const tacContactPair* pair) {
    long a = geom_features(model, pair, 0)->edges, b = geom_features(model, pair, 1)->edges;
    long most = 24 * (a + b) + 256;
    return (int)(a * b < most ? a * b : most);
}

static tacEdgeSet alloc_edge_set(tacArena* arena, int count) {
    tacEdgeSet s = {.edge = TAC_ALLOC(arena, int, count + PADDING)};
    tac_reals3_alloc(arena, count, s.from);
    tac_reals3_alloc(arena, count, s.to);
    tac_reals3_alloc(arena, count, s.out);
    tac_reals3_alloc(arena, count, s.along[0]);
    tac_reals3_alloc(arena, count, s.along[1]);
    return s;
}

static tacCandidatePairs alloc_pairs(tacArena* arena, int count) {
    tacCandidatePairs m = {0};
    for (int k = 0; k < 2; ++k) {
        m.nearest[k] = tac_reals_alloc(arena, count);
        m.phi[k] = tac_reals_alloc(arena, count);
        tac_reals3_alloc(arena, count, m.point[k]);
        tac_reals3_alloc(arena, count, m.gradient[k]);
    }
    m.gap = tac_reals_alloc(arena, count);
    m.distance = tac_reals_alloc(arena, count);
    m.indicator = tac_reals_alloc(arena, count);
    tac_reals3_alloc(arena, count, m.normal);
    return m;
}

// edges of the search: as many as there may be
static void alloc_search(tacManifoldEdges* w, tacArena* arena) {
    w->pairs.first = TAC_ALLOC(arena, int, w->capacity + PADDING);
    w->pairs.second = TAC_ALLOC(arena, int, w->capacity + PADDING);
}

// `count` pairs that were found, and edges of which no more than these are in them
static void alloc_found(tacManifoldEdges* w, int count, const int edges[2], tacArena* arena) {
    int *first = w->pairs.first, *second = w->pairs.second;
    for (int k = 0; k < 2; ++k)
        w->set[k] = alloc_edge_set(arena, edges[k] < count ? edges[k] : count);
    w->pairs = alloc_pairs(arena, count);
    w->pairs.first = first;
    w->pairs.second = second;
    w->column = TAC_ALLOC(arena, int, count + PADDING);
    w->column_first = TAC_ALLOC(arena, int, (edges[1] < count ? edges[1] : count) + 2);
    for (int k = 0; k < 2; ++k) w->record[k] = tac_hit_records_alloc(arena, count);
}

// which edges of geom[1] are in a pair, as bits, and how many stand before each word
typedef struct usedEdges {
    int words;
    uint64_t* mask;
    int* before;
} usedEdges;

static usedEdges alloc_used(tacArena* arena, int edges) {
    usedEdges u = {.words = (edges + 63) / 64};
    u.mask = TAC_ALLOC(arena, uint64_t, u.words);
    u.before = TAC_ALLOC(arena, int, u.words);
    return u;
}

// one column of pairs
static tacNearestPairs alloc_column(tacArena* arena, int count) {
    tacNearestPairs c = {.gap = tac_reals_alloc(arena, count)};
    c.indicator = tac_reals_alloc(arena, count);
    c.nearest = tac_reals_alloc(arena, count);
    return c;
}

void tac_manifold_edges_measure(const tacModel* model, const tacContactPair* pair,
                                tacArena* arena) {
    const int edges[2] = {geom_features(model, pair, 0)->edges,
                          geom_features(model, pair, 1)->edges};
    tacManifoldEdges w = {.capacity = tac_manifold_edges_capacity(model, pair)};
    alloc_search(&w, arena);
    tac_edge_search_measure(geom_features(model, pair, 1), arena);
    alloc_found(&w, w.capacity, edges, arena);
    size_t mark = arena->used;
    alloc_used(arena, edges[1]);
    arena->used = mark;
    alloc_column(arena, w.capacity);
    arena->used = mark;
    for (int k = 0; k < 2; ++k) {
        tac_edge_projection_alloc(&w.project[k], model->contact->choice[TAC_CHOICE_PROJECT],
                                  w.capacity, arena);
        w.at[k] = tac_hits_alloc(arena, w.capacity, 0);
    }
    mark = arena->used;
    tac_leaf_culling_at_measure(w.capacity, arena);
    arena->used = mark;
}

//---------------------------------- frames ---------------------------------------

// R^T v of a frame, or R v + origin
static void rotate_back(const tacFrame* f, const tacReal v[3], tacReal out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = f->R.m[0][i] * v[0] + f->R.m[1][i] * v[1] + f->R.m[2][i] * v[2];
}

static void transform_point(const tacFrame* f, const tacReal v[3], tacReal out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = f->origin[i] + f->R.m[i][0] * v[0] + f->R.m[i][1] * v[1] + f->R.m[i][2] * v[2];
}

static void rotate(const tacFrame* f, const tacReal v[3], tacReal out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = f->R.m[i][0] * v[0] + f->R.m[i][1] * v[1] + f->R.m[i][2] * v[2];
}

// where a dozen pairs will be worked on                                                        [B]
#define FIRST ((size_t)16 << 10)

//---------------------------------- candidates -----------------------------------

// a vector of an edge, turned into axes of geom[0]'s body
static void rotate_vector(const tacFrame* rel_frame, const double v[3], tacReal* const out[3],
                          int i) {
    tacReal x[3] = {v[0], v[1], v[2]}, y[3] = {v[0], v[1], v[2]};
    if (rel_frame) rotate(rel_frame, x, y);
    for (int j = 0; j < 3; ++j) out[j][i] = y[j];
}

static tacVec3 load_double3(const double x[3]) { return (tacVec3){x[0], x[1], x[2]}; }

static tacVec3 take_along(tacVec3 x, tacVec3 unit) {
    return tac_add_scaled(x, -tac_dot(x, unit), unit);
}

// Unit vectors of an edge whose geom has another place or size: along its faces and across the
// edge, outward between the normals of the faces.
static void transform_moved_faces(const tacFeatureMap* map, const tacFrame* rel_frame,
                                  const tacEdgeRecord* r, tacEdgeSet* s, int i) {
    tacVec3 t0 = tac_sub(load_double3(r->corner[1]), load_double3(r->corner[0]));
    tacVec3 t = tac_normalize(tac_mat_mul_vec(map->A, t0)), out = tac_vec3_zero();
    for (int k = 0; k < 3; ++k) {
        tacVec3 v;
        if (k < 2) {
            tacVec3 a0 = load_double3(r->along[k]);
            v = tac_normalize(take_along(tac_mat_mul_vec(map->A, a0), t));
            double side = tac_re(tac_dot(tac_cross(t0, a0), load_double3(r->out)));
            out = tac_add_scaled(out, side < 0.0 ? -1.0 : 1.0, tac_cross(t, v));
        } else {
            v = tac_normalize(out);
        }
        tacReal own[3], at[3];
        tac_store3(own, v);
        memcpy(at, own, sizeof at);
        if (rel_frame) rotate(rel_frame, own, at);
        for (int j = 0; j < 3; ++j) (k < 2 ? s->along[k] : s->out)[j][i] = at[j];
    }
}

static void transform_edge(tacManifoldEdges* w, int k, int e, int i) {
    const tacEdgeRecord* r = &w->side[k].features->index->record[e];
    const tacFrame* rel_frame = k ? &w->side[1].pose.rel_frame : NULL;
    const tacFeatureMap* map = &w->side[k].map;
    tacEdgeSet* s = &w->set[k];
    for (int end = 0; end < 2; ++end) {
        tacReal x[3], at[3];
        for (int j = 0; j < 3; ++j) x[j] = r->corner[end][j];
        tac_store3(x, tac_feature_map_point(map, tac_load3(x)));
        memcpy(at, x, sizeof at);
        if (rel_frame) transform_point(rel_frame, x, at);
        for (int j = 0; j < 3; ++j) (end ? s->to : s->from)[j][i] = at[j];
    }
    s->edge[i] = e;
    if (map->moved && !s->swept) {
        transform_moved_faces(map, rel_frame, r, s, i);
        return;
    }
    rotate_vector(rel_frame, r->out, s->out, i);
    for (int j = 0; j < 2; ++j) rotate_vector(rel_frame, r->along[j], s->along[j], i);
}

static void pad_array(tacReal* x, int count) {
    for (int i = count; i < count + PADDING && count; ++i) x[i] = x[count - 1];
}

static void pad3(tacReal* const x[3], int count) {
    for (int k = 0; k < 3; ++k) pad_array(x[k], count);
}

static void pad_set(tacEdgeSet* s) {
    pad3(s->from, s->count);
    pad3(s->to, s->count);
    pad3(s->out, s->count);
    pad3(s->along[0], s->count);
    pad3(s->along[1], s->count);
}

// Pairs of edges become pairs of candidates. Those of geom[0] come in order, row by row; the others
// are bits, and the number of one is how many stand before it.
static void number_pairs(tacManifoldEdges* w, int count, tacArena* arena) {
    size_t mark = arena->used;
    int *first = w->pairs.first, *second = w->pairs.second;
    usedEdges used = alloc_used(arena, w->side[1].features->edges);
    memset(used.mask, 0, sizeof *used.mask * (size_t)used.words);
    for (int p = 0, last = -1; p < count; ++p) {
        if (first[p] != last) transform_edge(w, 0, last = first[p], w->set[0].count++);
        first[p] = w->set[0].count - 1;
        used.mask[second[p] / 64] |= (uint64_t)1 << second[p] % 64;
    }
    for (int i = 0; i < used.words; ++i) {
        used.before[i] = w->set[1].count;
        for (uint64_t rest = used.mask[i]; rest; rest &= rest - 1)
            transform_edge(w, 1, 64 * i + __builtin_ctzll(rest), w->set[1].count++);
    }
    for (int p = 0; p < count; ++p) {
        int word = second[p] / 64;
        uint64_t lower = ((uint64_t)1 << second[p] % 64) - 1;
        second[p] = used.before[word] + __builtin_popcountll(used.mask[word] & lower);
    }
    for (int k = 0; k < 2; ++k) pad_set(&w->set[k]);
    for (int i = count; i < count + PADDING; ++i) {
        first[i] = first[count - 1];
        second[i] = second[count - 1];
    }
    arena->used = mark;
}

// edges that may touch, or none where there are too many
static void list_pairs(tacManifoldEdges* w, tacArena* arena) {
    const tacModel* model = w->model;
    alloc_search(w, arena);
    tacEdgeSearch search = {.features = {w->side[0].features, w->side[1].features},
                            .rel_frame = &w->side[1].pose.rel_frame,
                            .back = &w->side[0].pose.rel_frame,
                            .cutoff =
                                w->numbers.depth + w->numbers.radius[0] + w->numbers.radius[1],
                            .witness = &w->numbers.witness,
                            .opposing = w->numbers.opposing,
                            .all = model->contact->choice[TAC_CHOICE_UNCULLED] ||
                                   w->side[0].map.is_shifted || w->side[1].map.is_shifted};
    tac_prefetch(arena->base + arena->used, arena->size - arena->used < FIRST ? 0 : FIRST);
    int count = tac_edge_search(&search, w->capacity, w->pairs.first, w->pairs.second, arena);
    w->pairs.count = count;
    if (count == 0 || count > w->capacity) return;
    const int edges[2] = {w->side[0].features->edges, w->side[1].features->edges};
    alloc_found(w, count, edges, arena);
    w->pairs.count = count;
    for (int k = 0; k < 2; ++k) w->set[k].swept = w->side[k].features->index->radius >= 0;
    number_pairs(w, count, arena);
}

//---------------------------------- competition ----------------------------------

// pairs in order of the second candidate, where each of those begins
static void list_columns(tacManifoldEdges* w) {
    const tacCandidatePairs* m = &w->pairs;
    int columns = w->set[1].count;
    memset(w->column_first, 0, sizeof(int) * (size_t)(columns + 2));
    for (int p = 0; p < m->count; ++p) ++w->column_first[m->second[p] + 2];
    for (int c = 0; c < columns; ++c) w->column_first[c + 2] += w->column_first[c + 1];
    for (int p = 0; p < m->count; ++p) w->column[w->column_first[m->second[p] + 1]++] = p;
}

static void scatter_reals(tacReal* x, const int* at, int count, const tacReal* in) {
    for (int i = 0; i < count; ++i) x[at[i]] = in[i];
}

static void find_nearest_pairs(tacManifoldEdges* w, tacArena* arena) {
    tacCandidatePairs* m = &w->pairs;
    size_t mark = arena->used;
    tacNearestPairs column = alloc_column(arena, m->count);
    column.width = w->numbers.neighbours;
    for (int p = 0, end; p < m->count; p = end) {
        end = tac_pair_row_end(m, p);
        tacNearestPairs row = {end - p, &m->gap[p], &m->indicator[p], &m->nearest[0][p],
                               w->numbers.neighbours};
        EDGES->soft_nearest(&row);
    }
    for (int c = 0; c < w->set[1].count; ++c) {
        int first = w->column_first[c], count = w->column_first[c + 1] - first;
        if (count == 0) continue;
        tac_gather_padded(m->gap, &w->column[first], count, column.gap);
        tac_gather_padded(m->indicator, &w->column[first], count, column.indicator);
        column.count = count;
        EDGES->soft_nearest(&column);
        scatter_reals(m->nearest[1], &w->column[first], count, column.nearest);
    }
    for (int k = 0; k < 2; ++k) pad_array(m->nearest[k], m->count);
    arena->used = mark;
}

//---------------------------------- fields at the points -------------------------

// far away: nothing penetrates
#define NO_CONTACT 1e30

// where a pair is among the nearest, the other geom's field is asked at its point
static void eval_fields(tacManifoldEdges* w, int k, tacScratch* scratch) {
    const tacContactPlan* plan = w->model->contact;
    tacVertexCutoff range = {tac_re(w->numbers.support), plan->choice[TAC_CHOICE_UNCULLED]};
    tacCandidatePairs* m = &w->pairs;
    tacHits* h = &w->at[k];
    *h = tac_hits_alloc(&scratch->arena, m->count, 0);
    for (int p = 0; p < m->count; ++p) {
        tacReal x[3], y[3];
        m->phi[k][p] = NO_CONTACT;
        for (int j = 0; j < 3; ++j) {
            x[j] = y[j] = m->point[k][j][p];
            m->gradient[k][j][p] = 0.0;
        }
        if (!(tac_re(m->nearest[k][p]) * tac_re(m->indicator[p]) > 0.0)) continue;
        if (k == 0) transform_point(&w->side[0].pose.rel_frame, x, y);
        for (int j = 0; j < 3; ++j) h->y[j][h->count] = y[j];
        h->vertex[h->count++] = p;
    }
    tac_hits_field_within(&w->side[k], h, range, 1, scratch);
    for (int i = 0; i < h->count; ++i) {
        tacReal g[3], out[3];
        int p = h->vertex[i];
        for (int j = 0; j < 3; ++j) g[j] = out[j] = h->gradient[j][i];
        if (k == 0) rotate_back(&w->side[0].pose.rel_frame, g, out);
        m->phi[k][p] = h->value[i];
        for (int j = 0; j < 3; ++j) m->gradient[k][j][p] = out[j];
    }
    pad_array(m->phi[k], m->count);
}

//---------------------------------- all of it ------------------------------------

static tacEdgeParams edge_params(const tacModel* model, const tacVertexSide side[2]) {
    const tacContactPlan* plan = model->contact;
    const tacReal* p = model->param;
    tacEdgeParams n = {.witness = tac_default_witness_options()};
    n.witness.tikhonov = p[plan->number[TAC_CONTACT_TIKHONOV]];
    n.witness.min = p[plan->number[TAC_CONTACT_MIN]];
    n.witness.clip = p[plan->number[TAC_CONTACT_CLIP]];
    n.witness.inside = p[plan->number[TAC_CONTACT_INSIDE]];
    n.witness.range = p[plan->number[TAC_CONTACT_RANGE]];
    n.witness.gap = p[plan->number[TAC_CONTACT_GAP]];
    n.depth = p[plan->number[TAC_CONTACT_DEPTH]];
    n.neighbours = p[plan->number[TAC_CONTACT_EDGE_SOFTMIN]];
    n.sign = p[plan->number[TAC_CONTACT_SIGN]];
    n.opposing = p[plan->number[TAC_CONTACT_OPPOSING]];
    n.tau = side[0].pose.tau;
    n.support = side[0].pose.support;
    for (int k = 0; k < 2; ++k) n.radius[k] = side[k].pose.radius;
    return n;
}

// nothing is found yet; what lists of nothing lead to is not read
static void clear_edges(tacManifoldEdges* w) {
    w->pairs = (tacCandidatePairs){0};
    for (int k = 0; k < 2; ++k)
        w->set[k].count = w->at[k].count = w->project[k].steps = w->project[k].at[0].count = 0;
}

tacResult tac_manifold_edges_find(tacManifoldEdges* w, const tacModel* model,
                                  const tacContactPair* pair, tacVertexSide side[2],
                                  tacScratch* scratch) {
    tacArena* arena = &scratch->arena;
    clear_edges(w);
    w->model = model;
    w->side = side;
    w->numbers = edge_params(model, side);
    w->capacity = tac_manifold_edges_capacity(model, pair);
    list_pairs(w, arena);
    if (w->pairs.count > w->capacity) return TAC_ERROR_CAPACITY;
    if (w->pairs.count == 0) return TAC_OK;
    list_columns(w);
    EDGES->witness(w->set, &w->numbers, &w->pairs);
    find_nearest_pairs(w, arena);
    tac_edge_projection_find(w, model->contact->choice[TAC_CHOICE_PROJECT], arena);
    for (int k = 0; k < 2; ++k) eval_fields(w, k, scratch);
    EDGES->write_records(&side[0].pose.own, &w->numbers, &w->pairs, w->record);
    return TAC_OK;
}
