// Edges of two geoms against each other.
//
//   edges --edge_search.h--> pairs --witness, compete--> nearest --edge_projection.h--> points
//        --field there--> records
//
// A pair counts only if its edges come within `depth` of each other, so what the search leaves out
// has a claim of exactly 0.

#include "detect/manifold_edges.h"

#include "base/fetch.h"

#include "detect/edge_projection.h"
#include "detect/edge_search.h"

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
    take3(arena, count, s.from);
    take3(arena, count, s.to);
    take3(arena, count, s.out);
    take3(arena, count, s.along[0]);
    take3(arena, count, s.along[1]);
    return s;
}

// pull is left out of tangents and adjoints
static tacEdgeMeetings take_meetings(tacArena* arena, int count, int pulls) {
    tacEdgeMeetings m = {0};
    for (int k = 0; k < 2; ++k) {
        m.nearest[k] = take_reals(arena, count);
        m.phi[k] = take_reals(arena, count);
        take3(arena, count, m.point[k]);
        if (pulls) take3(arena, count, m.pull[k]);
    }
    m.gap = take_reals(arena, count);
    m.distance = take_reals(arena, count);
    m.claim = take_reals(arena, count);
    take3(arena, count, m.normal);
    return m;
}

size_t tac_edge_size(const tacModel* model, const tacContactPair* pair, size_t real_size) {
    size_t pairs = (size_t)tac_edge_capacity(model, pair) + PADDING, total = 0;
    for (int k = 0; k < 2; ++k) {
        size_t edges = (size_t)features_of(model, pair, k)->edges + PADDING;
        total += 33 * tac_arena_need(real_size * edges) + 4 * tac_arena_need(sizeof(int) * edges);
    }
    total += tac_edge_search_size(features_of(model, pair, 1));
    total += (24 + 18 + 2 * 8 + 2 * 8 + 8 + 8) * tac_arena_need(real_size * pairs);
    total += 2 * tac_hits_size((int)pairs, 0, real_size) + 4 * tac_arena_need(sizeof(int) * pairs);
    total +=
        tac_arena_need(sizeof(tacLeafNeed[TAC_LISTED_LEAVES]) * (pairs / TAC_LISTED_GROUP + 1));
    total +=
        tac_edge_project_size((int)pairs, model->contact->choice[TAC_CHOICE_PROJECT], real_size);
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

// where a dozen pairs will be worked on                                                        [B]
#define FIRST ((size_t)16 << 10)

//---------------------------------- candidates -----------------------------------

// a vector of an edge, turned into axes of geom[0]'s body
static void place_vector(const tacFrame* across, const double v[3], tacReal* const out[3], int i) {
    tacReal x[3] = {v[0], v[1], v[2]}, y[3] = {v[0], v[1], v[2]};
    if (across) turn(across, x, y);
    for (int j = 0; j < 3; ++j) out[j][i] = y[j];
}

static void place_edge(tacEdgeWork* w, int k, int e, int i) {
    const tacEdgeRecord* r = &w->side[k].features->index->record[e];
    const tacFrame* across = k ? &w->side[1].place.across : NULL;
    tacEdgeSet* s = &w->set[k];
    for (int end = 0; end < 2; ++end) {
        tacReal x[3], at[3];
        for (int j = 0; j < 3; ++j) x[j] = at[j] = r->corner[end][j];
        if (across) carry(across, x, at);
        for (int j = 0; j < 3; ++j) (end ? s->to : s->from)[j][i] = at[j];
    }
    place_vector(across, r->out, s->out, i);
    for (int j = 0; j < 2; ++j) place_vector(across, r->along[j], s->along[j], i);
    s->edge[i] = e;
}

static void pad(tacReal* x, int count) {
    for (int i = count; i < count + PADDING && count; ++i) x[i] = x[count - 1];
}

static void pad3(tacReal* const x[3], int count) {
    for (int k = 0; k < 3; ++k) pad(x[k], count);
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
static void number_pairs(tacEdgeWork* w, int* first, int* second, int count, tacArena* arena) {
    size_t mark = arena->used;
    int words = (w->side[1].features->edges + 63) / 64;
    uint64_t* met = TAC_TAKE(arena, uint64_t, words);
    int* before = TAC_TAKE(arena, int, words);
    memset(met, 0, sizeof *met * (size_t)words);
    for (int p = 0, last = -1; p < count; ++p) {
        if (first[p] != last) place_edge(w, 0, last = first[p], w->set[0].count++);
        first[p] = w->set[0].count - 1;
        met[second[p] / 64] |= (uint64_t)1 << second[p] % 64;
    }
    for (int i = 0; i < words; ++i) {
        before[i] = w->set[1].count;
        for (uint64_t rest = met[i]; rest; rest &= rest - 1)
            place_edge(w, 1, 64 * i + __builtin_ctzll(rest), w->set[1].count++);
    }
    for (int p = 0; p < count; ++p) {
        uint64_t lower = ((uint64_t)1 << second[p] % 64) - 1;
        second[p] = before[second[p] / 64] + __builtin_popcountll(met[second[p] / 64] & lower);
    }
    for (int k = 0; k < 2; ++k) pad_set(&w->set[k]);
    arena->used = mark;
}

// edges that may meet, or nothing where there are too many
static void list_pairs(tacEdgeWork* w, tacArena* arena) {
    const tacModel* model = w->model;
    int *first = TAC_TAKE(arena, int, w->capacity + PADDING),
        *second = TAC_TAKE(arena, int, w->capacity + PADDING);
    tacEdgeSearch search = {.features = {w->side[0].features, w->side[1].features},
                            .across = &w->side[1].place.across,
                            .back = &w->side[0].place.across,
                            .reach = w->numbers.depth + w->numbers.radius[0] + w->numbers.radius[1],
                            .witness = &w->numbers.witness,
                            .clash = w->numbers.clash,
                            .all = model->contact->choice[TAC_CHOICE_UNCULLED]};
    tac_fetch(arena->base + arena->used, arena->size - arena->used < FIRST ? 0 : FIRST);
    int count = tac_edge_search(&search, w->capacity, first, second, arena);
    w->meetings = (tacEdgeMeetings){.count = count};
    if (count == 0 || count > w->capacity) return;
    for (int k = 0; k < 2; ++k) {
        int edges = w->side[k].features->edges;
        w->set[k] = take_set(arena, edges < count ? edges : count);
        w->set[k].swept = w->side[k].features->index->radius >= 0;
    }
    number_pairs(w, first, second, count, arena);
    w->meetings = take_meetings(arena, count, 1);
    w->meetings.count = count;
    w->meetings.first = first;
    w->meetings.second = second;
    for (int i = count; i < count + PADDING; ++i) {
        first[i] = first[count - 1];
        second[i] = second[count - 1];
    }
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
static void ask_fields(tacEdgeWork* w, int k, tacScratch* scratch) {
    const tacContactPlan* plan = w->model->contact;
    tacVertexRange range = {tac_re(w->numbers.support), plan->choice[TAC_CHOICE_UNCULLED]};
    tacEdgeMeetings* m = &w->meetings;
    tacHits* h = &w->at[k];
    *h = tac_hits_take(&scratch->arena, m->count, 0);
    for (int p = 0; p < m->count; ++p) {
        tacReal x[3], y[3];
        m->phi[k][p] = NOWHERE;
        for (int j = 0; j < 3; ++j) {
            x[j] = y[j] = m->point[k][j][p];
            m->pull[k][j][p] = 0.0;
        }
        if (!(tac_re(m->nearest[k][p]) * tac_re(m->claim[p]) > 0.0)) continue;
        if (k == 0) carry(&w->side[0].place.across, x, y);
        for (int j = 0; j < 3; ++j) h->y[j][h->count] = y[j];
        h->vertex[h->count++] = p;
    }
    tac_hits_within(&w->side[k], h, range, 1, scratch);
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
    n.sign = p[plan->number[TAC_CONTACT_SIGN]];
    n.clash = p[plan->number[TAC_CONTACT_CLASH]];
    n.tau = side[0].place.tau;
    n.support = side[0].place.support;
    for (int k = 0; k < 2; ++k) n.radius[k] = side[k].place.radius;
    return n;
}

// nothing is found yet; what lists of nothing lead to is not read
static void clear_work(tacEdgeWork* w) {
    w->meetings = (tacEdgeMeetings){0};
    for (int k = 0; k < 2; ++k)
        w->set[k].count = w->at[k].count = w->project[k].steps = w->project[k].at[0].count = 0;
}

tacResult tac_edge_find(tacEdgeWork* w, const tacModel* model, const tacContactPair* pair,
                        tacVertexSide side[2], tacScratch* scratch) {
    tacArena* arena = &scratch->arena;
    clear_work(w);
    w->model = model;
    w->side = side;
    w->numbers = numbers_of(model, side);
    w->capacity = tac_edge_capacity(model, pair);
    list_pairs(w, arena);
    if (w->meetings.count > w->capacity) return TAC_ERROR_CAPACITY;
    if (w->meetings.count == 0) return TAC_OK;
    list_columns(w, arena);
    EDGES->witness(&w->set[0], &w->set[1], &w->numbers, &w->meetings);
    find_nearest(w, arena);
    tac_edge_project(w, model->contact->choice[TAC_CHOICE_PROJECT], arena);
    for (int k = 0; k < 2; ++k) ask_fields(w, k, scratch);
    for (int k = 0; k < 2; ++k) w->record[k] = tac_hit_records_take(arena, w->meetings.count);
    EDGES->finish(&side[0].place.own, &w->numbers, &w->meetings, w->record);
    return TAC_OK;
}
