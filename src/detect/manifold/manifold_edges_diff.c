// Derivatives of edges against edges: forward along a twist of geom[1] against geom[0] and along
// numbers and fields, reverse from adjoints of the records.
//
// Corners of geom[1] and its normals move with the twist, and so does its field: where a point x
// passes it with velocity x', phi' = grad phi . (x' - v - w x x).

#include "detect/manifold/edge_projection.h"
#include "math/vec3_array.h"

#include <string.h>

#define EDGES TAC_DISPATCH(tac_manifold_edges_kernels_)

enum { PADDING = TAC_HIT_PADDING };

static tacReal* alloc_zeros(tacArena* arena, int count) {
    tacReal* x = tac_reals_alloc(arena, count);
    if (x) memset(x, 0, sizeof(tacReal) * (size_t)(count + PADDING));
    return x;
}

static void alloc_zeros3(tacArena* arena, int count, tacReal* out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = alloc_zeros(arena, count);
}

// tangents of corners
static tacEdgeSet alloc_edge_set(tacArena* arena, int count) {
    tacEdgeSet s = {.count = count};
    alloc_zeros3(arena, count, s.from);
    alloc_zeros3(arena, count, s.to);
    return s;
}

// tangents or adjoints of pairs
static tacCandidatePairs alloc_pairs(tacArena* arena, int count) {
    tacCandidatePairs m = {.count = count};
    for (int k = 0; k < 2; ++k) {
        m.nearest[k] = alloc_zeros(arena, count);
        m.phi[k] = alloc_zeros(arena, count);
        alloc_zeros3(arena, count, m.point[k]);
    }
    m.gap = alloc_zeros(arena, count);
    m.distance = alloc_zeros(arena, count);
    m.indicator = alloc_zeros(arena, count);
    alloc_zeros3(arena, count, m.normal);
    return m;
}

static tacCandidatePairs alloc_pairs_like(tacArena* arena, const tacCandidatePairs* like) {
    tacCandidatePairs m = alloc_pairs(arena, like->count);
    m.first = like->first;
    m.second = like->second;
    return m;
}

// one column of pairs, and tangents or adjoints of it
typedef struct columnDiff {
    tacReal *gap, *indicator, *nearest, *d_gap, *d_indicator, *d_nearest;
} columnDiff;

static columnDiff alloc_column(tacArena* arena, int count) {
    columnDiff c = {.gap = alloc_zeros(arena, count)};
    c.indicator = alloc_zeros(arena, count);
    c.nearest = alloc_zeros(arena, count);
    c.d_gap = alloc_zeros(arena, count);
    c.d_indicator = alloc_zeros(arena, count);
    c.d_nearest = alloc_zeros(arena, count);
    return c;
}

// tangents; adjoints have no edges and take less
void tac_manifold_edges_diff_measure(const tacModel* model, const tacContactPair* pair,
                                     tacArena* arena) {
    size_t mark = arena->used;
    int pairs = tac_manifold_edges_capacity(model, pair);
    for (int k = 0; k < 2; ++k) alloc_edge_set(arena, model->contact->feature[pair->geom[k]].edges);
    alloc_pairs(arena, pairs);
    alloc_column(arena, pairs);
    tac_edge_projection_diff_measure(pairs, arena);
    arena->used = mark;
}

// v + w x x of a point
static void point_velocity(const tacReal twist[6], const tacReal x[3], tacReal out[3]) {
    const tacReal* w = twist + 3;
    out[0] = twist[0] + w[1] * x[2] - w[2] * x[1];
    out[1] = twist[1] + w[2] * x[0] - w[0] * x[2];
    out[2] = twist[2] + w[0] * x[1] - w[1] * x[0];
}

//---------------------------------- forward --------------------------------------

static tacEdgeSet edge_set_dots(const tacManifoldEdges* w, const tacManifoldEdgesDot* dot, int k,
                                tacArena* arena) {
    const tacEdgeSet* s = &w->set[k];
    tacEdgeSet d = alloc_edge_set(arena, s->count);
    d.swept = s->swept;
    d.edge = s->edge;
    if (k) memcpy(d.rot, &dot->twist[3], sizeof d.rot);
    for (int i = 0; i < s->count && k; ++i) {
        tacReal x[3], out[3];
        tac_get3(s->from, i, x);
        point_velocity(dot->twist, x, out);
        for (int j = 0; j < 3; ++j) d.from[j][i] = out[j];
        tac_get3(s->to, i, x);
        point_velocity(dot->twist, x, out);
        for (int j = 0; j < 3; ++j) d.to[j][i] = out[j];
    }
    return d;
}

static void nearest_dots(const tacManifoldEdges* w, const tacManifoldEdgesDot* dot,
                         tacCandidatePairs* d, tacArena* arena) {
    const tacCandidatePairs* m = &w->pairs;
    tacReal width = w->numbers.neighbours, width_dot = dot->numbers.neighbours;
    for (int p = 0, end; p < m->count; p = end) {
        end = tac_pair_row_end(m, p);
        EDGES->soft_nearest_jvp(&m->gap[p], &m->indicator[p], &m->nearest[0][p], end - p, width,
                                &d->gap[p], &d->indicator[p], width_dot, &d->nearest[0][p]);
    }
    columnDiff part = alloc_column(arena, m->count);
    for (int c = 0; c < w->set[1].count; ++c) {
        int first = w->column_first[c], count = w->column_first[c + 1] - first;
        const int* at = &w->column[first];
        if (count == 0) continue;
        tac_gather_padded(m->gap, at, count, part.gap);
        tac_gather_padded(m->indicator, at, count, part.indicator);
        tac_gather_padded(m->nearest[1], at, count, part.nearest);
        tac_gather_padded(d->gap, at, count, part.d_gap);
        tac_gather_padded(d->indicator, at, count, part.d_indicator);
        EDGES->soft_nearest_jvp(part.gap, part.indicator, part.nearest, count, width, part.d_gap,
                                part.d_indicator, width_dot, part.d_nearest);
        for (int i = 0; i < count; ++i) d->nearest[1][at[i]] = part.d_nearest[i];
    }
}

// the points move, and the field of geom[1] with the twist
static void field_dots(const tacManifoldEdges* w, const tacManifoldEdgesDot* dot, int k,
                       tacCandidatePairs* d) {
    const tacHits* h = &w->at[k];
    for (int i = 0; i < h->count; ++i) {
        int p = h->vertex[i];
        tacReal x[3], g[3], move[3], velocity[3];
        tac_get3(w->pairs.point[k], p, x);
        tac_get3(w->pairs.gradient[k], p, g);
        tac_get3(d->point[k], p, move);
        point_velocity(dot->twist, x, velocity);
        d->phi[k][p] = tac_dot3(g, move) - (k == 0 ? tac_dot3(g, velocity) : (tacReal)0.0);
        if (dot->at[k]) d->phi[k][p] += dot->at[k][i];
    }
}

void tac_manifold_edges_jvp(const tacManifoldEdges* w, const tacManifoldEdgesDot* dot,
                            const tacHitRecords out[2], tacScratch* scratch) {
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacEdgeSet a = edge_set_dots(w, dot, 0, arena), b = edge_set_dots(w, dot, 1, arena);
    tacCandidatePairs d = alloc_pairs_like(arena, &w->pairs);
    EDGES->witness_jvp(&w->set[0], &w->set[1], &w->numbers, &w->pairs, &a, &b, &dot->numbers, &d);
    nearest_dots(w, dot, &d, arena);
    tac_edge_projection_jvp(w, dot, &d, arena);
    for (int k = 0; k < 2; ++k) field_dots(w, dot, k, &d);
    EDGES->write_records_jvp(&w->numbers, &w->pairs, &dot->numbers, &d, out);
    arena->used = mark;
}

//---------------------------------- reverse --------------------------------------

// a force on geom[1] at x, or its opposite
static void add_real_force(tacReal wrench[6], const tacReal x[3], const tacReal f[3], double sign) {
    wrench[3] += sign * (x[1] * f[2] - x[2] * f[1]);
    wrench[4] += sign * (x[2] * f[0] - x[0] * f[2]);
    wrench[5] += sign * (x[0] * f[1] - x[1] * f[0]);
    for (int k = 0; k < 3; ++k) wrench[k] += sign * f[k];
}

static void field_bars(const tacManifoldEdges* w, int k, tacCandidatePairs* bar,
                       tacManifoldEdgesBar* out) {
    const tacHits* h = &w->at[k];
    for (int i = 0; i < h->count; ++i) {
        int p = h->vertex[i];
        tacReal x[3], g[3], f[3], phi_bar = bar->phi[k][p];
        tac_get3(w->pairs.point[k], p, x);
        tac_get3(w->pairs.gradient[k], p, g);
        for (int j = 0; j < 3; ++j) {
            f[j] = phi_bar * g[j];
            bar->point[k][j][p] += f[j];
        }
        if (k == 0) add_real_force(out->twist, x, f, -1.0);
        if (out->at[k]) out->at[k][i] = phi_bar;
    }
}

static void nearest_bars(const tacManifoldEdges* w, tacCandidatePairs* bar, tacReal* width_bar,
                         tacArena* arena) {
    const tacCandidatePairs* m = &w->pairs;
    tacReal width = w->numbers.neighbours;
    for (int p = 0, end; p < m->count; p = end) {
        end = tac_pair_row_end(m, p);
        EDGES->soft_nearest_vjp(&m->gap[p], &m->indicator[p], &m->nearest[0][p], end - p, width,
                                &bar->nearest[0][p], &bar->gap[p], &bar->indicator[p], width_bar);
    }
    columnDiff part = alloc_column(arena, m->count);
    for (int c = 0; c < w->set[1].count; ++c) {
        int first = w->column_first[c], count = w->column_first[c + 1] - first;
        const int* at = &w->column[first];
        if (count == 0) continue;
        tac_gather_padded(m->gap, at, count, part.gap);
        tac_gather_padded(m->indicator, at, count, part.indicator);
        tac_gather_padded(m->nearest[1], at, count, part.nearest);
        tac_gather_padded(bar->nearest[1], at, count, part.d_nearest);
        memset(part.d_gap, 0, sizeof(tacReal) * (size_t)count);
        memset(part.d_indicator, 0, sizeof(tacReal) * (size_t)count);
        EDGES->soft_nearest_vjp(part.gap, part.indicator, part.nearest, count, width,
                                part.d_nearest, part.d_gap, part.d_indicator, width_bar);
        for (int i = 0; i < count; ++i) {
            bar->gap[at[i]] += part.d_gap[i];
            bar->indicator[at[i]] += part.d_indicator[i];
        }
    }
}

void tac_manifold_edges_vjp(const tacManifoldEdges* w, const tacHitRecords bar[2],
                            tacManifoldEdgesBar* out, tacScratch* scratch) {
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacCandidatePairs m = alloc_pairs_like(arena, &w->pairs);
    EDGES->write_records_vjp(&w->numbers, &w->pairs, bar, &m, &out->numbers);
    for (int k = 0; k < 2; ++k) field_bars(w, k, &m, out);
    tac_edge_projection_vjp(w, &m, out, arena);
    nearest_bars(w, &m, &out->numbers.neighbours, arena);
    EDGES->witness_vjp(&w->set[0], &w->set[1], &w->numbers, &w->pairs, &m, &out->numbers,
                       out->twist);
    arena->used = mark;
}
