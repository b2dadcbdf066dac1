// Witness points led onto the own surface, in axes of the body that carries it: there its field
// stands still, so poses move the start alone and parameters the steps.

#include "detect/manifold/edge_projection.h"

#include "math/vec3_array.h"

#include <string.h>

//---------------------------------- memory ---------------------------------------

void tac_edge_projection_alloc(tacEdgeProjection* projection, int steps, int pairs,
                               tacArena* arena) {
    projection->steps = steps;
    for (int s = 0; s <= steps; ++s) projection->at[s] = tac_hits_alloc(arena, pairs, 0);
}

// tangents or adjoints of places, and the field of a step with its Hessian
typedef struct projectionDiff {
    tacReal* y[3];
    tacHits field;
} projectionDiff;

static projectionDiff alloc_diff(tacArena* arena, int pairs) {
    projectionDiff d;
    tac_reals3_alloc(arena, pairs, d.y);
    d.field = tac_hits_alloc(arena, pairs, 1);
    return d;
}

void tac_edge_projection_diff_measure(int pairs, tacArena* arena) {
    size_t mark = arena->used;
    alloc_diff(arena, pairs);
    arena->used = mark;
}

//---------------------------------- frames ---------------------------------------

// Points of geom[1] are asked in axes of its own body; R is of that body in axes of the first.
static void to_own_point(const tacManifoldEdges* w, int k, const tacReal x[3], tacReal y[3]) {
    const tacFrame* f = &w->side[0].pose.rel_frame;
    for (int i = 0; i < 3; ++i) y[i] = k ? f->origin[i] + tac_dot3(f->R.m[i], x) : x[i];
}

static void to_first_point(const tacManifoldEdges* w, int k, const tacReal y[3], tacReal x[3]) {
    const tacFrame* f = &w->side[1].pose.rel_frame;
    for (int i = 0; i < 3; ++i) x[i] = k ? f->origin[i] + tac_dot3(f->R.m[i], y) : y[i];
}

static void to_own_vector(const tacManifoldEdges* w, int k, const tacReal v[3], tacReal out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = k ? tac_dot3(w->side[0].pose.rel_frame.R.m[i], v) : v[i];
}

static void to_first_vector(const tacManifoldEdges* w, int k, const tacReal v[3], tacReal out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = k ? tac_dot3(w->side[1].pose.rel_frame.R.m[i], v) : v[i];
}

// v + w x x where the point is on geom[1], else 0
static void rigid_velocity(const tacReal twist[6], int k, const tacReal x[3], tacReal out[3]) {
    for (int i = 0; i < 3; ++i) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        out[i] = k ? twist[i] + twist[3 + a] * x[b] - twist[3 + b] * x[a] : (tacReal)0.0;
    }
}

// a force at x of geom[1], if it is there
static void add_real_force(tacReal wrench[6], int k, const tacReal x[3], const tacReal f[3],
                           double sign) {
    for (int i = 0; i < 3 && k; ++i) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        wrench[i] += sign * f[i];
        wrench[3 + i] += sign * (x[a] * f[b] - x[b] * f[a]);
    }
}

//---------------------------------- steps ----------------------------------------

// the field at a place, with derivatives of q by |g|^2
typedef struct stepField {
    tacReal phi, g[3], H[6], q, by_square;
} stepField;

static stepField step_field(const tacHits* h, int i) {
    stepField f = {.phi = h->value[i]};
    tac_get3(h->gradient, i, f.g);
    for (int k = 0; k < 6; ++k) f.H[k] = h->hessian[k][i];
    tacReal s = tac_dot3(f.g, f.g), below = s * s + TAC_PROJECTION_DAMPING;
    f.q = s / below;
    f.by_square = (TAC_PROJECTION_DAMPING - s * s) / (below * below);
    return f;
}

// y' -> (y - phi q g)', phi_dot and g_dot the field's own
static void newton_step_jvp(const stepField* f, tacReal phi_dot, const tacReal g_dot[3],
                            tacReal y_dot[3]) {
    tacReal gradient_dot[3];
    tac_store3(gradient_dot, tac_symmetric_mul(f->H, tac_load3(y_dot)));
    for (int k = 0; k < 3; ++k) gradient_dot[k] += g_dot[k];
    tacReal length_dot = f->q * (phi_dot + tac_dot3(f->g, y_dot)) +
                         2.0 * f->phi * f->by_square * tac_dot3(f->g, gradient_dot);
    for (int k = 0; k < 3; ++k) y_dot[k] -= length_dot * f->g[k] + f->phi * f->q * gradient_dot[k];
}

static void newton_step_vjp(const stepField* f, tacReal y_bar[3], tacReal* phi_bar,
                            tacReal g_bar[3]) {
    tacReal along = tac_dot3(f->g, y_bar), back[3];
    *phi_bar = -f->q * along;
    for (int k = 0; k < 3; ++k)
        g_bar[k] = -f->phi * (f->q * y_bar[k] + 2.0 * f->by_square * along * f->g[k]);
    tac_store3(back, tac_symmetric_mul(f->H, tac_load3(g_bar)));
    for (int k = 0; k < 3; ++k) y_bar[k] += *phi_bar * f->g[k] + back[k];
}

// the field of a step again, with its Hessian
static tacHits field_of_step(const tacManifoldEdges* w, int k, int step, tacHits buffer) {
    const tacHits* at = &w->project[k].at[step];
    buffer.count = at->count;
    for (int j = 0; j < 3; ++j) buffer.y[j] = at->y[j];
    tac_hits_field(&w->side[1 - k], &buffer, 2);
    return buffer;
}

//---------------------------------- forward --------------------------------------

// pairs that may have a record at either point
static void list_starts(const tacManifoldEdges* w, int k, tacHits* h) {
    const tacCandidatePairs* m = &w->pairs;
    for (int p = 0; p < m->count; ++p) {
        double nearest = tac_re(m->nearest[0][p]) + tac_re(m->nearest[1][p]);
        tacReal x[3], y[3];
        if (!(nearest * tac_re(m->indicator[p]) > 0.0)) continue;
        tac_get3(m->point[k], p, x);
        to_own_point(w, k, x, y);
        tac_set3(h->y, h->count, y);
        h->vertex[h->count++] = p;
    }
}

static void newton_steps(tacManifoldEdges* w, int k, int steps, tacArena* arena) {
    tacEdgeProjection* all = &w->project[k];
    tac_edge_projection_alloc(all, steps, w->pairs.count, arena);
    list_starts(w, k, &all->at[0]);
    for (int s = 0; s < steps; ++s) {
        tacHits *from = &all->at[s], *to = &all->at[s + 1];
        tac_hits_field(&w->side[1 - k], from, 1);
        to->count = from->count;
        for (int i = 0; i < from->count; ++i) {
            tacReal y[3], g[3];
            tac_get3(from->y, i, y);
            tac_get3(from->gradient, i, g);
            tac_newton_step(from->value[i], g, y);
            tac_set3(to->y, i, y);
            to->vertex[i] = from->vertex[i];
        }
    }
}

// from the witness point to the point that is reached, in axes of the first body
static void projected_point(const tacManifoldEdges* w, int k, int i, tacReal from[3],
                            tacReal to[3]) {
    const tacEdgeProjection* all = &w->project[k];
    tacReal y[3];
    tac_get3(all->at[0].y, i, y);
    to_first_point(w, k, y, from);
    tac_get3(all->at[all->steps].y, i, y);
    to_first_point(w, k, y, to);
}

static void move_pair_points(tacManifoldEdges* w, int k) {
    tacCandidatePairs* m = &w->pairs;
    for (int i = 0; i < w->project[k].at[0].count; ++i) {
        int p = w->project[k].at[0].vertex[i];
        tacReal from[3], to[3], n[3], sign = k ? -1.0 : 1.0;
        projected_point(w, k, i, from, to);
        tac_get3(m->normal, p, n);
        for (int j = 0; j < 3; ++j) m->distance[p] += sign * n[j] * (to[j] - from[j]);
        tac_set3(m->point[k], p, to);
    }
}

void tac_edge_projection_find(tacManifoldEdges* w, int steps, tacArena* arena) {
    for (int k = 0; k < 2; ++k) {
        w->project[k].steps = 0;
        if (steps == 0 || w->set[k].swept) continue;
        newton_steps(w, k, steps, arena);
        move_pair_points(w, k);
    }
}

//---------------------------------- tangents -------------------------------------

// velocity in the own body, through all steps
static void steps_jvp(const tacManifoldEdges* w, const tacManifoldEdgesDot* dot, int k,
                      tacHits buffer, tacReal* const y_dot[3]) {
    for (int s = 0; s < w->project[k].steps; ++s) {
        tacHits h = field_of_step(w, k, s, buffer);
        const tacField* own = &dot->project[k][s];
        for (int i = 0; i < h.count; ++i) {
            stepField f = step_field(&h, i);
            tacReal v[3], g_dot[3] = {0.0, 0.0, 0.0}, phi_dot = own->value ? own->value[i] : 0.0;
            if (own->value) tac_get3(own->gradient, i, g_dot);
            tac_get3(y_dot, i, v);
            newton_step_jvp(&f, phi_dot, g_dot, v);
            tac_set3(y_dot, i, v);
        }
    }
}

static void start_dots(const tacManifoldEdges* w, const tacManifoldEdgesDot* dot, int k,
                       const tacCandidatePairs* d, tacReal* const y_dot[3]) {
    const tacHits* start = &w->project[k].at[0];
    for (int i = 0; i < start->count; ++i) {
        tacReal from[3], to[3], move[3], velocity[3], v[3];
        projected_point(w, k, i, from, to);
        tac_get3(d->point[k], start->vertex[i], move);
        rigid_velocity(dot->twist, k, from, velocity);
        for (int j = 0; j < 3; ++j) move[j] -= velocity[j];
        to_own_vector(w, k, move, v);
        tac_set3(y_dot, i, v);
    }
}

static void end_dots(const tacManifoldEdges* w, const tacManifoldEdgesDot* dot, int k,
                     tacReal* const y_dot[3], tacCandidatePairs* d) {
    const tacHits* start = &w->project[k].at[0];
    for (int i = 0; i < start->count; ++i) {
        int p = start->vertex[i];
        tacReal from[3], to[3], v[3], velocity[3], move[3], n[3], n_dot[3], sign = k ? -1.0 : 1.0;
        projected_point(w, k, i, from, to);
        tac_get3(y_dot, i, v);
        to_first_vector(w, k, v, move);
        rigid_velocity(dot->twist, k, to, velocity);
        tac_get3(w->pairs.normal, p, n);
        tac_get3(d->normal, p, n_dot);
        for (int j = 0; j < 3; ++j) {
            move[j] += velocity[j];
            d->distance[p] +=
                sign * (n[j] * (move[j] - d->point[k][j][p]) + n_dot[j] * (to[j] - from[j]));
        }
        tac_set3(d->point[k], p, move);
    }
}

void tac_edge_projection_jvp(const tacManifoldEdges* w, const tacManifoldEdgesDot* dot,
                             tacCandidatePairs* d, tacArena* arena) {
    for (int k = 0; k < 2; ++k) {
        if (w->project[k].steps == 0) continue;
        size_t mark = arena->used;
        projectionDiff p = alloc_diff(arena, w->project[k].at[0].count);
        start_dots(w, dot, k, d, p.y);
        steps_jvp(w, dot, k, p.field, p.y);
        end_dots(w, dot, k, p.y, d);
        arena->used = mark;
    }
}

//---------------------------------- adjoints -------------------------------------

static void end_bars(const tacManifoldEdges* w, int k, tacCandidatePairs* bar,
                     tacReal* const y_bar[3], tacManifoldEdgesBar* out) {
    const tacHits* start = &w->project[k].at[0];
    for (int i = 0; i < start->count; ++i) {
        int p = start->vertex[i];
        tacReal from[3], to[3], n[3], point_bar[3], own[3], sign = k ? -1.0 : 1.0;
        tacReal along = sign * bar->distance[p];
        projected_point(w, k, i, from, to);
        tac_get3(w->pairs.normal, p, n);
        for (int j = 0; j < 3; ++j) {
            point_bar[j] = bar->point[k][j][p] + along * n[j];
            bar->point[k][j][p] = -along * n[j];
            bar->normal[j][p] += along * (to[j] - from[j]);
        }
        add_real_force(out->twist, k, to, point_bar, 1.0);
        to_own_vector(w, k, point_bar, own);
        tac_set3(y_bar, i, own);
    }
}

static void steps_vjp(const tacManifoldEdges* w, int k, tacHits buffer, tacReal* const y_bar[3],
                      tacManifoldEdgesBar* out) {
    for (int s = w->project[k].steps - 1; s >= 0; --s) {
        tacHits h = field_of_step(w, k, s, buffer);
        tacField* own = &out->project[k][s];
        for (int i = 0; i < h.count; ++i) {
            stepField f = step_field(&h, i);
            tacReal b[3], phi_bar, g_bar[3];
            tac_get3(y_bar, i, b);
            newton_step_vjp(&f, b, &phi_bar, g_bar);
            tac_set3(y_bar, i, b);
            if (own->value) {
                own->value[i] = phi_bar;
                tac_set3(own->gradient, i, g_bar);
            }
        }
    }
}

static void start_bars(const tacManifoldEdges* w, int k, tacReal* const y_bar[3],
                       tacCandidatePairs* bar, tacManifoldEdgesBar* out) {
    const tacHits* start = &w->project[k].at[0];
    for (int i = 0; i < start->count; ++i) {
        tacReal from[3], to[3], b[3], point_bar[3];
        projected_point(w, k, i, from, to);
        tac_get3(y_bar, i, b);
        to_first_vector(w, k, b, point_bar);
        add_real_force(out->twist, k, from, point_bar, -1.0);
        for (int j = 0; j < 3; ++j) bar->point[k][j][start->vertex[i]] += point_bar[j];
    }
}

void tac_edge_projection_vjp(const tacManifoldEdges* w, tacCandidatePairs* bar,
                             tacManifoldEdgesBar* out, tacArena* arena) {
    for (int k = 0; k < 2; ++k) {
        if (w->project[k].steps == 0) continue;
        size_t mark = arena->used;
        projectionDiff p = alloc_diff(arena, w->project[k].at[0].count);
        end_bars(w, k, bar, p.y, out);
        steps_vjp(w, k, p.field, p.y, out);
        start_bars(w, k, p.y, bar, out);
        arena->used = mark;
    }
}
