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

// those of the vectors of edges that grow
static void alloc_faces(tacArena* arena, int count, tacEdgeSet* s) {
    alloc_zeros3(arena, count, s->out);
    for (int i = 0; i < 2; ++i) alloc_zeros3(arena, count, s->along[i]);
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

// one column of pairs; also of tangents or adjoints
static tacNearestPairs alloc_column(tacArena* arena, int count) {
    tacNearestPairs c = {.gap = alloc_zeros(arena, count)};
    c.indicator = alloc_zeros(arena, count);
    c.nearest = alloc_zeros(arena, count);
    return c;
}

// the pairs from `begin` to `end` of an edge of geom[0]
static tacNearestPairs row_of(const tacCandidatePairs* m, int begin, int end, tacReal width) {
    return (tacNearestPairs){end - begin, &m->gap[begin], &m->indicator[begin],
                             &m->nearest[0][begin], width};
}

// those of an edge of geom[1]
static void gather_column(const tacManifoldEdges* w, int column, tacNearestPairs* out) {
    const tacCandidatePairs* m = &w->pairs;
    const int* at = &w->column[w->column_first[column]];
    out->count = w->column_first[column + 1] - w->column_first[column];
    tac_gather_padded(m->gap, at, out->count, out->gap);
    tac_gather_padded(m->indicator, at, out->count, out->indicator);
    tac_gather_padded(m->nearest[1], at, out->count, out->nearest);
}

// tangents; adjoints have no edges and take less
void tac_manifold_edges_diff_measure(const tacModel* model, const tacContactPair* pair,
                                     tacArena* arena) {
    size_t mark = arena->used;
    int pairs = tac_manifold_edges_capacity(model, pair);
    for (int k = 0; k < 2; ++k) {
        int edges = model->contact->feature[pair->geom[k]].edges;
        tacEdgeSet s = alloc_edge_set(arena, edges);
        alloc_faces(arena, edges, &s);
    }
    alloc_pairs(arena, pairs);
    for (int i = 0; i < 2; ++i) alloc_column(arena, pairs);
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

//---------------------------------- growth ---------------------------------------

// a geom in axes of geom[0]'s body
static tacFrame edge_geom(const tacManifoldEdges* w, int k) {
    tacFrame same = {.origin = {0.0, 0.0, 0.0}};
    same.R = tac_mat_identity();
    return tac_geom_frame(w->model, w->side[k].own_geom, k ? &w->side[1].pose.rel_frame : &same);
}

// tangents of the vectors of a face (manifold_edges_kernels.c): along it, and its normal
static tacVec3 scale_own(const tacFrame* geom, const tacReal growth[3], tacVec3 x) {
    tacVec3 own = tac_mul(tac_load3(growth), tac_mat_tmul_vec(geom->R, x));
    return tac_mat_mul_vec(geom->R, own);
}

static tacVec3 take_along(tacVec3 x, tacVec3 unit) {
    return tac_add_scaled(x, -tac_dot(x, unit), unit);
}

static void face_dots(const tacEdgeSet* s, const tacFrame* geom, const tacReal growth[3], int i,
                      tacEdgeSet* d) {
    tacVec3 t = tac_normalize(tac_sub(tac_vec3_at(s->to, i), tac_vec3_at(s->from, i)));
    tacVec3 out = tac_vec3_at(s->out, i), sum = tac_vec3_zero(), sum_dot = tac_vec3_zero();
    for (int k = 0; k < 2; ++k) {
        tacVec3 a = tac_vec3_at(s->along[k], i), Ma = scale_own(geom, growth, a);
        tacVec3 n = tac_normalize(take_along(out, a)), Mn = scale_own(geom, growth, n);
        tacVec3 a_dot = tac_add_scaled(take_along(Ma, a), -2.0 * tac_dot(t, Ma), t);
        sum = tac_add(sum, n);
        sum_dot = tac_sub(sum_dot, take_along(Mn, n));
        tac_vec3_set(d->along[k], i, a_dot);
    }
    sum_dot = tac_scale(take_along(sum_dot, out), tac_inverse_norm(sum));
    tac_vec3_set(d->out, i, sum_dot);
}

static void add_growth_dots(const tacManifoldEdges* w, const tacReal growth[3], int k,
                            tacEdgeSet* d, tacArena* arena) {
    const tacEdgeSet* s = &w->set[k];
    tacFrame geom = edge_geom(w, k);
    if (!s->swept) alloc_faces(arena, s->count, d);
    for (int i = 0; i < s->count; ++i) {
        tac_vec3_add_to(d->from, i, tac_growth_velocity(&geom, growth, tac_vec3_at(s->from, i)));
        tac_vec3_add_to(d->to, i, tac_growth_velocity(&geom, growth, tac_vec3_at(s->to, i)));
        if (!s->swept) face_dots(s, &geom, growth, i, d);
    }
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
    const tacReal* growth = dot->growth[k];
    if (growth[0] != 0.0 || growth[1] != 0.0 || growth[2] != 0.0)
        add_growth_dots(w, growth, k, &d, arena);
    return d;
}

static void nearest_dots(const tacManifoldEdges* w, const tacManifoldEdgesDot* dot,
                         tacCandidatePairs* d, tacArena* arena) {
    const tacCandidatePairs* m = &w->pairs;
    tacReal width = w->numbers.neighbours, width_dot = dot->numbers.neighbours;
    for (int p = 0, end; p < m->count; p = end) {
        end = tac_pair_row_end(m, p);
        tacNearestPairs row = row_of(m, p, end, width), row_dot = row_of(d, p, end, width_dot);
        EDGES->soft_nearest_jvp(&row, &row_dot);
    }
    tacNearestPairs column = alloc_column(arena, m->count),
                    column_dot = alloc_column(arena, m->count);
    column.width = width;
    column_dot.width = width_dot;
    for (int c = 0; c < w->set[1].count; ++c) {
        const int* at = &w->column[w->column_first[c]];
        gather_column(w, c, &column);
        if (column.count == 0) continue;
        tac_gather_padded(d->gap, at, column.count, column_dot.gap);
        tac_gather_padded(d->indicator, at, column.count, column_dot.indicator);
        EDGES->soft_nearest_jvp(&column, &column_dot);
        for (int i = 0; i < column.count; ++i) d->nearest[1][at[i]] = column_dot.nearest[i];
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
    tacEdgeSet set_dot[2];
    for (int k = 0; k < 2; ++k) set_dot[k] = edge_set_dots(w, dot, k, arena);
    tacCandidatePairs d = alloc_pairs_like(arena, &w->pairs);
    EDGES->witness_jvp(w->set, &w->numbers, &w->pairs, set_dot, &dot->numbers, &d);
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
        tacNearestPairs row = row_of(m, p, end, width), row_bar = row_of(bar, p, end, *width_bar);
        EDGES->soft_nearest_vjp(&row, &row_bar);
        *width_bar = row_bar.width;
    }
    tacNearestPairs column = alloc_column(arena, m->count),
                    column_bar = alloc_column(arena, m->count);
    column.width = width;
    column_bar.width = *width_bar;
    for (int c = 0; c < w->set[1].count; ++c) {
        const int* at = &w->column[w->column_first[c]];
        gather_column(w, c, &column);
        if (column.count == 0) continue;
        tac_gather_padded(bar->nearest[1], at, column.count, column_bar.nearest);
        memset(column_bar.gap, 0, sizeof(tacReal) * (size_t)column.count);
        memset(column_bar.indicator, 0, sizeof(tacReal) * (size_t)column.count);
        EDGES->soft_nearest_vjp(&column, &column_bar);
        for (int i = 0; i < column.count; ++i) {
            bar->gap[at[i]] += column_bar.gap[i];
            bar->indicator[at[i]] += column_bar.indicator[i];
        }
    }
    *width_bar = column_bar.width;
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
    tacEdgeGrowth growth[2];
    for (int k = 0; k < 2 && out->grows; ++k)
        growth[k] = (tacEdgeGrowth){edge_geom(w, k), {0.0, 0.0, 0.0}};
    EDGES->witness_vjp(w->set, &w->numbers, &w->pairs, &m, &out->numbers, out->twist,
                       out->grows ? growth : NULL);
    for (int i = 0; i < 6 && out->grows; ++i) out->growth[i / 3][i % 3] += growth[i / 3].bar[i % 3];
    arena->used = mark;
}
