// Edges of two geoms against each other.
//
//   blocks of edges --near each other--> candidates --list--> pairs --witness, compete--> nearest
//        --field at the points--> records
//
// A pair counts only if its edges come within `depth` of each other, so what is left out by boxes
// has a claim of exactly 0. No corner has to be near: an edge can be in touch while both are
// outside.

#include "detect/manifold_edges.h"

#include <math.h>
#include <string.h>

#define EDGES TAC_DISPATCH(tac_edge_kernels_)

enum { PADDING = 8 };

//---------------------------------- memory ---------------------------------------

static const tacFeatures* features_of(const tacModel* model, const tacContactPair* pair, int k) {
    return &model->contact->feature[pair->geom[k]];
}

int tac_edge_capacity(const tacModel* model, const tacContactPair* pair) {
    long a = features_of(model, pair, 0)->edges, b = features_of(model, pair, 1)->edges;
    long most = 24 * (a + b) + 256;
    return (int)(a * b < most ? a * b : most);
}

static tacReal* take_reals(tacArena* arena, int count) {
    return TAC_TAKE(arena, tacReal, count + PADDING);
}

static void take3(tacArena* arena, int count, tacReal* out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = take_reals(arena, count);
}

static tacEdgeSet take_set(tacArena* arena, int count) {
    tacEdgeSet s = {.edge = TAC_TAKE(arena, int, count + PADDING)};
    take3(arena, count, s.from), take3(arena, count, s.to);
    take3(arena, count, s.out), take3(arena, count, s.along[0]), take3(arena, count, s.along[1]);
    take3(arena, count, s.middle);
    s.half = take_reals(arena, count);
    return s;
}

// pull is left out of tangents and adjoints
static tacEdgeMeetings take_meetings(tacArena* arena, int count, int pulls) {
    tacEdgeMeetings m = {0};
    for (int k = 0; k < 2; ++k) {
        m.nearest[k] = take_reals(arena, count), m.phi[k] = take_reals(arena, count);
        take3(arena, count, m.point[k]);
        if (pulls) take3(arena, count, m.pull[k]);
    }
    m.gap = take_reals(arena, count), m.distance = take_reals(arena, count);
    m.claim = take_reals(arena, count);
    take3(arena, count, m.normal);
    return m;
}

size_t tac_edge_size(const tacModel* model, const tacContactPair* pair, size_t real_size) {
    size_t pairs = (size_t)tac_edge_capacity(model, pair) + PADDING, total = 0;
    size_t blocks[2], near;
    for (int k = 0; k < 2; ++k) {
        const tacFeatures* f = features_of(model, pair, k);
        size_t edges = (size_t)f->edges + PADDING;
        blocks[k] = (size_t)(f->index ? f->index->edge_blocks : 0) + PADDING;
        total += 33 * tac_arena_need(real_size * edges) + 4 * tac_arena_need(sizeof(int) * edges);
        total += 6 * tac_arena_need(sizeof(double) * blocks[k]) +
                 4 * tac_arena_need(sizeof(int) * blocks[k]);
    }
    near = blocks[0] * blocks[1];
    total += tac_arena_need(sizeof(int) * near);
    total += (24 + 18 + 2 * 8 + 2 * 8 + 8 + 8) * tac_arena_need(real_size * pairs);
    total += 2 * tac_hits_size((int)pairs, 0, real_size) + 4 * tac_arena_need(sizeof(int) * pairs);
    return total;
}

//---------------------------------- frames ---------------------------------------

// R^T v of a frame, or R v + origin
static void turn_back(const tacFrame* f, const tacReal v[3], tacReal out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = f->R.m[0][i] * v[0] + f->R.m[1][i] * v[1] + f->R.m[2][i] * v[2];
}

static void carry(const tacFrame* f, const tacReal v[3], tacReal out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = f->origin[i] + f->R.m[i][0] * v[0] + f->R.m[i][1] * v[1] + f->R.m[i][2] * v[2];
}

static void turn(const tacFrame* f, const tacReal v[3], tacReal out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = f->R.m[i][0] * v[0] + f->R.m[i][1] * v[1] + f->R.m[i][2] * v[2];
}

//---------------------------------- candidates -----------------------------------

// a vector of edge e, turned into axes of geom[0]'s body
static void place_vector(const tacEdgeWork* w, int k, const double* const v[3], int e,
                         tacReal* const out[3], int i) {
    tacReal x[3] = {v[0][e], v[1][e], v[2][e]}, y[3] = {x[0], x[1], x[2]};
    if (k) turn(&w->side[1].place.across, x, y);
    for (int j = 0; j < 3; ++j) out[j][i] = y[j];
}

static void place_edge(tacEdgeWork* w, int k, int e, int i) {
    const tacFeatures* f = w->side[k].features;
    tacEdgeSet* s = &w->set[k];
    for (int end = 0; end < 2; ++end) {
        int v = f->edge[end][e];
        tacReal x[3], at[3];
        for (int j = 0; j < 3; ++j) x[j] = at[j] = f->x[j][v];
        if (k) carry(&w->side[1].place.across, x, at);
        for (int j = 0; j < 3; ++j) (end ? s->to : s->from)[j][i] = at[j];
    }
    place_vector(w, k, f->index->out, e, s->out, i);
    for (int j = 0; j < 2; ++j) place_vector(w, k, f->index->along[j], e, s->along[j], i);
    tacReal square = 0.0;
    for (int j = 0; j < 3; ++j) {
        tacReal t = s->to[j][i] - s->from[j][i];
        s->middle[j][i] = 0.5 * (s->to[j][i] + s->from[j][i]);
        square += t * t;
    }
    s->half[i] = 0.5 * sqrt(tac_re(square));
    s->edge[i] = e;
}

static void pad(tacReal* x, int count) {
    for (int i = count; i < count + PADDING && count; ++i) x[i] = x[count - 1];
}

static void pad3(tacReal* const x[3], int count) {
    for (int k = 0; k < 3; ++k) pad(x[k], count);
}

// balls around the edges of each block, in axes of geom[0]'s body
typedef struct blockBalls {
    int count, *block;
    double *x[3], *radius;
} blockBalls;

static double radius_of(const tacFeatureBox* box) {
    return sqrt(box->half[0] * box->half[0] + box->half[1] * box->half[1] +
                box->half[2] * box->half[2]);
}

static void place_ball(const tacEdgeWork* w, int k, const tacFeatureBox* box, double at[4]) {
    tacReal x[3] = {box->middle[0], box->middle[1], box->middle[2]}, y[3] = {x[0], x[1], x[2]};
    if (k) carry(&w->side[1].place.across, x, y);
    for (int j = 0; j < 3; ++j) at[j] = tac_re(y[j]);
    at[3] = radius_of(box);
}

// those that come within `reach` of the ball around all of the other geom
static blockBalls list_balls(const tacEdgeWork* w, int k, double reach, tacArena* arena) {
    const struct tacFeatureIndex* index = w->side[k].features->index;
    blockBalls b = {0,
                    TAC_TAKE(arena, int, index->edge_blocks),
                    {NULL},
                    TAC_TAKE(arena, double, index->edge_blocks)};
    double other[4], at[4];
    for (int j = 0; j < 3; ++j) b.x[j] = TAC_TAKE(arena, double, index->edge_blocks);
    place_ball(w, 1 - k, &w->side[1 - k].features->index->all, other);
    for (int i = 0; i < index->edge_blocks; ++i) {
        place_ball(w, k, &index->edge_box[i], at);
        double dx = at[0] - other[0], dy = at[1] - other[1], dz = at[2] - other[2];
        double r = at[3] + other[3] + reach;
        if (dx * dx + dy * dy + dz * dz > r * r) continue;
        for (int j = 0; j < 3; ++j) b.x[j][b.count] = at[j];
        b.block[b.count] = i, b.radius[b.count++] = at[3];
    }
    return b;
}

static int balls_meet(const blockBalls* a, int i, const blockBalls* b, int j, double reach) {
    double dx = a->x[0][i] - b->x[0][j], dy = a->x[1][i] - b->x[1][j], dz = a->x[2][i] - b->x[2][j];
    double r = a->radius[i] + b->radius[j] + reach;
    return dx * dx + dy * dy + dz * dz < r * r;
}

// the blocks of both that are near each other; memory of the arena
typedef struct nearBlocks {
    int count, *block, *first, *near; // of geom[0]: which, and its neighbours
    unsigned char* used;              // of geom[1]
} nearBlocks;

static nearBlocks find_blocks(const tacEdgeWork* w, int all, tacArena* arena) {
    double reach =
        all ? 1e30 : tac_re(w->numbers.depth + w->numbers.radius[0] + w->numbers.radius[1]);
    blockBalls a = list_balls(w, 0, reach, arena), b = list_balls(w, 1, reach, arena);
    int others = w->side[1].features->index->edge_blocks, total = 0;
    nearBlocks n = {.block = TAC_TAKE(arena, int, a.count),
                    .first = TAC_TAKE(arena, int, a.count + 1),
                    .near = TAC_TAKE(arena, int, (size_t)a.count*(size_t)b.count),
                    .used = TAC_TAKE(arena, unsigned char, others)};
    memset(n.used, 0, (size_t)others);
    for (int i = 0; i < a.count; ++i) {
        int before = total;
        for (int j = 0; j < b.count; ++j)
            if (balls_meet(&a, i, &b, j, reach))
                n.near[total++] = b.block[j], n.used[b.block[j]] = 1;
        if (total == before) continue;
        n.block[n.count] = a.block[i], n.first[n.count++] = before;
    }
    n.first[n.count] = total;
    return n;
}

// edges of one block behind the others; where they begin
static int add_block(tacEdgeWork* w, int k, int block) {
    int begin = w->set[k].count, edges = w->side[k].features->edges;
    int first = block * TAC_FEATURE_BLOCK, end = first + TAC_FEATURE_BLOCK;
    for (int e = first; e < end && e < edges; ++e) place_edge(w, k, e, w->set[k].count++);
    return begin;
}

static void pad_set(tacEdgeSet* s) {
    pad3(s->from, s->count), pad3(s->to, s->count);
    pad3(s->out, s->count), pad3(s->along[0], s->count), pad3(s->along[1], s->count);
    pad3(s->middle, s->count), pad(s->half, s->count);
}

// candidates of both in order, by blocks
static tacEdgeBlocks list_candidates(tacEdgeWork* w, const nearBlocks* n, tacArena* arena) {
    int others = w->side[1].features->index->edge_blocks;
    int *begin = TAC_TAKE(arena, int, n->count + 1), *other = TAC_TAKE(arena, int, others + 1);
    for (int k = 0; k < 2; ++k) {
        w->set[k] = take_set(arena, w->side[k].features->edges);
        w->set[k].swept = w->side[k].features->index->radius >= 0;
    }
    for (int i = 0; i < n->count; ++i) begin[i] = add_block(w, 0, n->block[i]);
    begin[n->count] = w->set[0].count;
    for (int j = 0; j < others; ++j) {
        other[j] = w->set[1].count;
        if (n->used[j]) add_block(w, 1, j);
    }
    other[others] = w->set[1].count;
    for (int k = 0; k < 2; ++k) pad_set(&w->set[k]);
    return (tacEdgeBlocks){n->count, begin, n->first, n->near, other};
}

//---------------------------------- competition ----------------------------------

// pairs in order of the second candidate, where each of those begins
static void list_columns(tacEdgeWork* w, tacArena* arena) {
    const tacEdgeMeetings* m = &w->meetings;
    int columns = w->set[1].count;
    w->column = TAC_TAKE(arena, int, m->count + PADDING);
    w->column_first = TAC_TAKE(arena, int, columns + 2);
    memset(w->column_first, 0, sizeof(int) * (size_t)(columns + 2));
    for (int p = 0; p < m->count; ++p) ++w->column_first[m->second[p] + 2];
    for (int c = 0; c < columns; ++c) w->column_first[c + 2] += w->column_first[c + 1];
    for (int p = 0; p < m->count; ++p) w->column[w->column_first[m->second[p] + 1]++] = p;
}

static int row_end(const tacEdgeMeetings* m, int begin) {
    int end = begin;
    while (end < m->count && m->first[end] == m->first[begin]) ++end;
    return end;
}

static void gather(const tacReal* x, const int* at, int count, tacReal* out) {
    for (int i = 0; i < count; ++i) out[i] = x[at[i]];
    pad(out, count);
}

static void scatter(tacReal* x, const int* at, int count, const tacReal* in) {
    for (int i = 0; i < count; ++i) x[at[i]] = in[i];
}

static void find_nearest(tacEdgeWork* w, tacArena* arena) {
    tacEdgeMeetings* m = &w->meetings;
    size_t mark = arena->used;
    tacReal *gap = take_reals(arena, m->count), *claim = take_reals(arena, m->count);
    tacReal* out = take_reals(arena, m->count);
    tacReal width = w->numbers.neighbours;
    for (int p = 0, end; p < m->count; p = end) {
        end = row_end(m, p);
        EDGES->compete(&m->gap[p], &m->claim[p], end - p, width, &m->nearest[0][p]);
    }
    for (int c = 0; c < w->set[1].count; ++c) {
        int first = w->column_first[c], count = w->column_first[c + 1] - first;
        if (count == 0) continue;
        gather(m->gap, &w->column[first], count, gap);
        gather(m->claim, &w->column[first], count, claim);
        EDGES->compete(gap, claim, count, width, out);
        scatter(m->nearest[1], &w->column[first], count, out);
    }
    for (int k = 0; k < 2; ++k) pad(m->nearest[k], m->count);
    arena->used = mark;
}

//---------------------------------- fields at the points -------------------------

// far away: nothing penetrates
#define NOWHERE 1e30

// where a pair is among the nearest, the other geom's field is asked at its point
static void ask_fields(tacEdgeWork* w, int k, tacArena* arena) {
    tacEdgeMeetings* m = &w->meetings;
    tacHits* h = &w->at[k];
    *h = tac_hits_take(arena, m->count, 0);
    for (int p = 0; p < m->count; ++p) {
        tacReal x[3], y[3];
        m->phi[k][p] = NOWHERE;
        for (int j = 0; j < 3; ++j) x[j] = y[j] = m->point[k][j][p], m->pull[k][j][p] = 0.0;
        if (!(tac_re(m->nearest[k][p]) * tac_re(m->claim[p]) > 0.0)) continue;
        if (k == 0) carry(&w->side[0].place.across, x, y);
        for (int j = 0; j < 3; ++j) h->y[j][h->count] = y[j];
        h->vertex[h->count++] = p;
    }
    tac_hits_field(&w->side[k], h, 1);
    for (int i = 0; i < h->count; ++i) {
        tacReal g[3], out[3];
        int p = h->vertex[i];
        for (int j = 0; j < 3; ++j) g[j] = out[j] = h->gradient[j][i];
        if (k == 0) turn_back(&w->side[0].place.across, g, out);
        m->phi[k][p] = h->value[i];
        for (int j = 0; j < 3; ++j) m->pull[k][j][p] = out[j];
    }
    pad(m->phi[k], m->count);
}

//---------------------------------- all of it ------------------------------------

static tacEdgeNumbers numbers_of(const tacModel* model, const tacVertexSide side[2]) {
    const tacContactPlan* plan = model->contact;
    const tacReal* p = model->param;
    tacEdgeNumbers n = {.witness = tac_default_witness_options()};
    n.witness.regular = p[plan->number[TAC_CONTACT_REGULAR]];
    n.witness.least = p[plan->number[TAC_CONTACT_LEAST]];
    n.witness.clip = p[plan->number[TAC_CONTACT_CLIP]];
    n.witness.within = p[plan->number[TAC_CONTACT_WITHIN]];
    n.witness.range = p[plan->number[TAC_CONTACT_RANGE]];
    n.witness.gap = p[plan->number[TAC_CONTACT_GAP]];
    n.depth = p[plan->number[TAC_CONTACT_DEPTH]];
    n.neighbours = p[plan->number[TAC_CONTACT_NEIGHBOURS]];
    n.sign = p[plan->number[TAC_CONTACT_SIGN]], n.clash = p[plan->number[TAC_CONTACT_CLASH]];
    n.tau = side[0].place.tau, n.support = side[0].place.support;
    for (int k = 0; k < 2; ++k) n.radius[k] = side[k].place.radius;
    return n;
}

static void list_pairs(tacEdgeWork* w, const tacEdgeBlocks* blocks, tacArena* arena) {
    int *first = TAC_TAKE(arena, int, w->capacity + PADDING),
        *second = TAC_TAKE(arena, int, w->capacity + PADDING);
    int count =
        EDGES->list(&w->set[0], &w->set[1], &w->numbers, blocks, w->capacity, first, second);
    if (count <= w->capacity) w->meetings = take_meetings(arena, count, 1);
    w->meetings.count = count, w->meetings.first = first, w->meetings.second = second;
    for (int i = count; i < count + PADDING && count && count <= w->capacity; ++i)
        first[i] = first[count - 1], second[i] = second[count - 1];
}

tacResult tac_edge_find(tacEdgeWork* w, const tacModel* model, const tacContactPair* pair,
                        tacVertexSide side[2], tacScratch* scratch) {
    tacArena* arena = &scratch->arena;
    *w = (tacEdgeWork){.model = model, .side = side, .numbers = numbers_of(model, side)};
    w->capacity = tac_edge_capacity(model, pair);
    nearBlocks near = find_blocks(w, model->contact->choice[TAC_CHOICE_UNCULLED], arena);
    if (near.count == 0) return TAC_OK;
    tacEdgeBlocks blocks = list_candidates(w, &near, arena);
    list_pairs(w, &blocks, arena);
    if (w->meetings.count > w->capacity) return TAC_ERROR_CAPACITY;
    if (w->meetings.count == 0) return TAC_OK;
    list_columns(w, arena);
    EDGES->witness(&w->set[0], &w->set[1], &w->numbers, &w->meetings);
    find_nearest(w, arena);
    for (int k = 0; k < 2; ++k) ask_fields(w, k, arena);
    for (int k = 0; k < 2; ++k) w->record[k] = tac_hit_records_take(arena, w->meetings.count);
    EDGES->finish(&side[0].place.own, &w->numbers, &w->meetings, w->record);
    return TAC_OK;
}
