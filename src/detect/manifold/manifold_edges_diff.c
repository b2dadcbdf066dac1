// Derivatives of edges against edges: forward along a twist of geom[1] against geom[0] and along
// numbers and fields, reverse from adjoints of the records.
//
// Corners of geom[1] and its normals move with the twist, and so does its field: where a point x
// passes it with velocity x', phi' = grad phi . (x' - v - w x x).

#include "detect/manifold/edge_projection.h"

#include <string.h>

#define EDGES TAC_DISPATCH(tac_manifold_edges_kernels_)

enum { PADDING = 8 };

static tacReal* alloc_zeros(tacArena* arena, int count) {
    tacReal* x = TAC_ALLOC(arena, tacReal, count + PADDING);
    memset(x, 0, sizeof(tacReal) * (size_t)(count + PADDING));
    return x;
}

static void alloc3(tacArena* arena, int count, tacReal* out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = alloc_zeros(arena, count);
}

static tacCandidatePairs alloc_pairs_like(tacArena* arena, const tacCandidatePairs* like) {
    tacCandidatePairs m = {.count = like->count, .first = like->first, .second = like->second};
    for (int k = 0; k < 2; ++k) {
        m.nearest[k] = alloc_zeros(arena, m.count);
        m.phi[k] = alloc_zeros(arena, m.count);
        alloc3(arena, m.count, m.point[k]);
    }
    m.gap = alloc_zeros(arena, m.count);
    m.distance = alloc_zeros(arena, m.count);
    m.indicator = alloc_zeros(arena, m.count);
    alloc3(arena, m.count, m.normal);
    return m;
}

// v + w x x of a point
static void point_velocity(const tacReal twist[6], const tacReal x[3], tacReal out[3]) {
    const tacReal* w = twist + 3;
    out[0] = twist[0] + w[1] * x[2] - w[2] * x[1];
    out[1] = twist[1] + w[2] * x[0] - w[0] * x[2];
    out[2] = twist[2] + w[0] * x[1] - w[1] * x[0];
}

static void load_real3(tacReal* const x[3], int i, tacReal out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = x[k][i];
}

static tacReal dot_real3(const tacReal a[3], const tacReal b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void gather_reals(const tacReal* x, const int* at, int count, tacReal* out) {
    for (int i = 0; i < count; ++i) out[i] = x[at[i]];
    for (int i = count; i < count + PADDING && count; ++i) out[i] = out[count - 1];
}

static int row_end(const tacCandidatePairs* m, int begin) {
    int end = begin;
    while (end < m->count && m->first[end] == m->first[begin]) ++end;
    return end;
}

//---------------------------------- forward --------------------------------------

static tacEdgeSet edge_set_dots(const tacManifoldEdges* w, const tacManifoldEdgesDot* dot, int k,
                                tacArena* arena) {
    const tacEdgeSet* s = &w->set[k];
    tacEdgeSet d = {.count = s->count, .swept = s->swept, .edge = s->edge};
    alloc3(arena, s->count, d.from);
    alloc3(arena, s->count, d.to);
    if (k) memcpy(d.rot, &dot->twist[3], sizeof d.rot);
    for (int i = 0; i < s->count && k; ++i) {
        tacReal x[3], out[3];
        load_real3(s->from, i, x);
        point_velocity(dot->twist, x, out);
        for (int j = 0; j < 3; ++j) d.from[j][i] = out[j];
        load_real3(s->to, i, x);
        point_velocity(dot->twist, x, out);
        for (int j = 0; j < 3; ++j) d.to[j][i] = out[j];
    }
    return d;
}

static void nearest_dots(const tacManifoldEdges* w, const tacManifoldEdgesDot* dot,
                         tacCandidatePairs* d, tacArena* arena) {
    const tacCandidatePairs* m = &w->pairs;
    tacReal width = w->numbers.neighbours, width_dot = dot->numbers.neighbours, *part[6];
    for (int p = 0, end; p < m->count; p = end) {
        end = row_end(m, p);
        EDGES->soft_nearest_jvp(&m->gap[p], &m->indicator[p], &m->nearest[0][p], end - p, width,
                                &d->gap[p], &d->indicator[p], width_dot, &d->nearest[0][p]);
    }
    for (int k = 0; k < 6; ++k) part[k] = alloc_zeros(arena, m->count);
    for (int c = 0; c < w->set[1].count; ++c) {
        int first = w->column_first[c], count = w->column_first[c + 1] - first;
        const int* at = &w->column[first];
        if (count == 0) continue;
        gather_reals(m->gap, at, count, part[0]);
        gather_reals(m->indicator, at, count, part[1]);
        gather_reals(m->nearest[1], at, count, part[2]);
        gather_reals(d->gap, at, count, part[3]);
        gather_reals(d->indicator, at, count, part[4]);
        EDGES->soft_nearest_jvp(part[0], part[1], part[2], count, width, part[3], part[4],
                                width_dot, part[5]);
        for (int i = 0; i < count; ++i) d->nearest[1][at[i]] = part[5][i];
    }
}

// the points move, and the field of geom[1] with the twist
static void field_dots(const tacManifoldEdges* w, const tacManifoldEdgesDot* dot, int k,
                       tacCandidatePairs* d) {
    const tacHits* h = &w->at[k];
    for (int i = 0; i < h->count; ++i) {
        int p = h->vertex[i];
        tacReal x[3], g[3], move[3], velocity[3];
        load_real3(w->pairs.point[k], p, x);
        load_real3(w->pairs.gradient[k], p, g);
        load_real3(d->point[k], p, move);
        point_velocity(dot->twist, x, velocity);
        d->phi[k][p] = dot_real3(g, move) - (k == 0 ? dot_real3(g, velocity) : (tacReal)0.0);
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
        load_real3(w->pairs.point[k], p, x);
        load_real3(w->pairs.gradient[k], p, g);
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
    tacReal width = w->numbers.neighbours, *part[6];
    for (int p = 0, end; p < m->count; p = end) {
        end = row_end(m, p);
        EDGES->soft_nearest_vjp(&m->gap[p], &m->indicator[p], &m->nearest[0][p], end - p, width,
                                &bar->nearest[0][p], &bar->gap[p], &bar->indicator[p], width_bar);
    }
    for (int k = 0; k < 6; ++k) part[k] = alloc_zeros(arena, m->count);
    for (int c = 0; c < w->set[1].count; ++c) {
        int first = w->column_first[c], count = w->column_first[c + 1] - first;
        const int* at = &w->column[first];
        if (count == 0) continue;
        gather_reals(m->gap, at, count, part[0]);
        gather_reals(m->indicator, at, count, part[1]);
        gather_reals(m->nearest[1], at, count, part[2]);
        gather_reals(bar->nearest[1], at, count, part[3]);
        memset(part[4], 0, sizeof(tacReal) * (size_t)count);
        memset(part[5], 0, sizeof(tacReal) * (size_t)count);
        EDGES->soft_nearest_vjp(part[0], part[1], part[2], count, width, part[3], part[4], part[5],
                                width_bar);
        for (int i = 0; i < count; ++i) {
            bar->gap[at[i]] += part[4][i];
            bar->indicator[at[i]] += part[5][i];
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
