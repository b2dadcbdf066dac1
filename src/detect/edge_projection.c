// Witness points led onto the own surface, in axes of the body that carries it: there its field
// stands still, so poses move the start alone and parameters the steps.

#include "detect/edge_projection.h"

#include <string.h>

//---------------------------------- memory ---------------------------------------

size_t tac_edge_project_size(int pairs, int steps, size_t real_size) {
    size_t one = tac_arena_need(real_size * (size_t)(pairs + 8));
    if (steps == 0) return 0;
    size_t side = (size_t)(steps + 1) * tac_hits_size(pairs, 0, real_size) +
                  tac_hits_size(pairs, 1, real_size) + (size_t)(4 * steps + 3) * one;
    return 2 * side;
}

static void take3(tacArena* arena, int count, tacReal* out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = TAC_TAKE(arena, tacReal, count + 8);
}

static void at3(tacReal* const x[3], int i, tacReal out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = x[k][i];
}

static void put3(tacReal* const x[3], int i, const tacReal in[3]) {
    for (int k = 0; k < 3; ++k) x[k][i] = in[k];
}

static tacReal dot3(const tacReal a[3], const tacReal b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

//---------------------------------- frames ---------------------------------------

// Points of geom[1] are asked in axes of its own body; R is of that body in axes of the first.
static void own_place(const tacEdgeWork* w, int k, const tacReal x[3], tacReal y[3]) {
    const tacFrame* f = &w->side[0].place.across;
    for (int i = 0; i < 3; ++i) y[i] = k ? f->origin[i] + dot3(f->R.m[i], x) : x[i];
}

static void first_place(const tacEdgeWork* w, int k, const tacReal y[3], tacReal x[3]) {
    const tacFrame* f = &w->side[1].place.across;
    for (int i = 0; i < 3; ++i) x[i] = k ? f->origin[i] + dot3(f->R.m[i], y) : y[i];
}

static void own_way(const tacEdgeWork* w, int k, const tacReal v[3], tacReal out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = k ? dot3(w->side[0].place.across.R.m[i], v) : v[i];
}

static void first_way(const tacEdgeWork* w, int k, const tacReal v[3], tacReal out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = k ? dot3(w->side[1].place.across.R.m[i], v) : v[i];
}

// v + w x x where the point rides on geom[1], else 0
static void ride_of(const tacReal twist[6], int k, const tacReal x[3], tacReal out[3]) {
    for (int i = 0; i < 3; ++i) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        out[i] = k ? twist[i] + twist[3 + a] * x[b] - twist[3 + b] * x[a] : (tacReal)0.0;
    }
}

// a force at x of geom[1], if it is there
static void add_force(tacReal wrench[6], int k, const tacReal x[3], const tacReal f[3],
                      double way) {
    for (int i = 0; i < 3 && k; ++i) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        wrench[i] += way * f[i];
        wrench[3 + i] += way * (x[a] * f[b] - x[b] * f[a]);
    }
}

//---------------------------------- steps ----------------------------------------

// the field at a place, with derivatives of q by |g|^2
typedef struct stepField {
    tacReal phi, g[3], H[6], q, by_square;
} stepField;

static stepField step_field(const tacHits* h, int i) {
    stepField f = {.phi = h->value[i]};
    at3(h->gradient, i, f.g);
    for (int k = 0; k < 6; ++k) f.H[k] = h->hessian[k][i];
    tacReal s = dot3(f.g, f.g), below = s * s + TAC_PROJECTION_FLAT;
    f.q = s / below;
    f.by_square = (TAC_PROJECTION_FLAT - s * s) / (below * below);
    return f;
}

static void bend(const tacReal H[6], const tacReal v[3], tacReal out[3]) {
    out[0] = H[0] * v[0] + H[3] * v[1] + H[4] * v[2];
    out[1] = H[3] * v[0] + H[1] * v[1] + H[5] * v[2];
    out[2] = H[4] * v[0] + H[5] * v[1] + H[2] * v[2];
}

// y' -> (y - phi q g)', phi_dot and g_dot the field's own
static void step_jvp(const stepField* f, tacReal phi_dot, const tacReal g_dot[3],
                     tacReal y_dot[3]) {
    tacReal turn[3];
    bend(f->H, y_dot, turn);
    for (int k = 0; k < 3; ++k) turn[k] += g_dot[k];
    tacReal length_dot =
        f->q * (phi_dot + dot3(f->g, y_dot)) + 2.0 * f->phi * f->by_square * dot3(f->g, turn);
    for (int k = 0; k < 3; ++k) y_dot[k] -= length_dot * f->g[k] + f->phi * f->q * turn[k];
}

static void step_vjp(const stepField* f, tacReal y_bar[3], tacReal* phi_bar, tacReal g_bar[3]) {
    tacReal along = dot3(f->g, y_bar), back[3];
    *phi_bar = -f->q * along;
    for (int k = 0; k < 3; ++k)
        g_bar[k] = -f->phi * (f->q * y_bar[k] + 2.0 * f->by_square * along * f->g[k]);
    bend(f->H, g_bar, back);
    for (int k = 0; k < 3; ++k) y_bar[k] += *phi_bar * f->g[k] + back[k];
}

// the field of a step again, with its Hessian
static tacHits field_of_step(const tacEdgeWork* w, int k, int step, tacHits room) {
    const tacHits* at = &w->project[k].at[step];
    room.count = at->count;
    for (int j = 0; j < 3; ++j) room.y[j] = at->y[j];
    tac_hits_field(&w->side[1 - k], &room, 2);
    return room;
}

//---------------------------------- forward --------------------------------------

// pairs that may have a record at either point
static void list_starts(const tacEdgeWork* w, int k, tacHits* h) {
    const tacEdgeMeetings* m = &w->meetings;
    for (int p = 0; p < m->count; ++p) {
        double nearest = tac_re(m->nearest[0][p]) + tac_re(m->nearest[1][p]);
        tacReal x[3], y[3];
        if (!(nearest * tac_re(m->claim[p]) > 0.0)) continue;
        at3(m->point[k], p, x);
        own_place(w, k, x, y);
        put3(h->y, h->count, y);
        h->vertex[h->count++] = p;
    }
}

static void take_steps(tacEdgeWork* w, int k, int steps, tacArena* arena) {
    tacEdgeProjection* all = &w->project[k];
    all->steps = steps;
    for (int s = 0; s <= steps; ++s) all->at[s] = tac_hits_take(arena, w->meetings.count, 0);
    list_starts(w, k, &all->at[0]);
    for (int s = 0; s < steps; ++s) {
        tacHits *from = &all->at[s], *to = &all->at[s + 1];
        tac_hits_field(&w->side[1 - k], from, 1);
        to->count = from->count;
        for (int i = 0; i < from->count; ++i) {
            tacReal y[3], g[3];
            at3(from->y, i, y);
            at3(from->gradient, i, g);
            tac_newton_step(from->value[i], g, y);
            put3(to->y, i, y);
            to->vertex[i] = from->vertex[i];
        }
    }
}

// from the witness point to the point that is reached, in axes of the first body
static void led(const tacEdgeWork* w, int k, int i, tacReal from[3], tacReal to[3]) {
    const tacEdgeProjection* all = &w->project[k];
    tacReal y[3];
    at3(all->at[0].y, i, y);
    first_place(w, k, y, from);
    at3(all->at[all->steps].y, i, y);
    first_place(w, k, y, to);
}

static void move_points(tacEdgeWork* w, int k) {
    tacEdgeMeetings* m = &w->meetings;
    for (int i = 0; i < w->project[k].at[0].count; ++i) {
        int p = w->project[k].at[0].vertex[i];
        tacReal from[3], to[3], n[3], way = k ? -1.0 : 1.0;
        led(w, k, i, from, to);
        at3(m->normal, p, n);
        for (int j = 0; j < 3; ++j) m->distance[p] += way * n[j] * (to[j] - from[j]);
        put3(m->point[k], p, to);
    }
}

void tac_edge_project(tacEdgeWork* w, int steps, tacArena* arena) {
    for (int k = 0; k < 2; ++k) {
        w->project[k].steps = 0;
        if (steps == 0 || w->set[k].swept) continue;
        take_steps(w, k, steps, arena);
        move_points(w, k);
    }
}

//---------------------------------- tangents -------------------------------------

// velocity in the own body, through all steps
static void steps_jvp(const tacEdgeWork* w, const tacEdgeDot* dot, int k, tacHits room,
                      tacReal* const y_dot[3]) {
    for (int s = 0; s < w->project[k].steps; ++s) {
        tacHits h = field_of_step(w, k, s, room);
        const tacField* own = &dot->project[k][s];
        for (int i = 0; i < h.count; ++i) {
            stepField f = step_field(&h, i);
            tacReal v[3], g_dot[3] = {0.0, 0.0, 0.0}, phi_dot = own->value ? own->value[i] : 0.0;
            if (own->value) at3(own->gradient, i, g_dot);
            at3(y_dot, i, v);
            step_jvp(&f, phi_dot, g_dot, v);
            put3(y_dot, i, v);
        }
    }
}

static void start_dots(const tacEdgeWork* w, const tacEdgeDot* dot, int k, const tacEdgeMeetings* d,
                       tacReal* const y_dot[3]) {
    const tacHits* start = &w->project[k].at[0];
    for (int i = 0; i < start->count; ++i) {
        tacReal from[3], to[3], move[3], ride[3], v[3];
        led(w, k, i, from, to);
        at3(d->point[k], start->vertex[i], move);
        ride_of(dot->twist, k, from, ride);
        for (int j = 0; j < 3; ++j) move[j] -= ride[j];
        own_way(w, k, move, v);
        put3(y_dot, i, v);
    }
}

static void end_dots(const tacEdgeWork* w, const tacEdgeDot* dot, int k, tacReal* const y_dot[3],
                     tacEdgeMeetings* d) {
    const tacHits* start = &w->project[k].at[0];
    for (int i = 0; i < start->count; ++i) {
        int p = start->vertex[i];
        tacReal from[3], to[3], v[3], ride[3], move[3], n[3], n_dot[3], way = k ? -1.0 : 1.0;
        led(w, k, i, from, to);
        at3(y_dot, i, v);
        first_way(w, k, v, move);
        ride_of(dot->twist, k, to, ride);
        at3(w->meetings.normal, p, n);
        at3(d->normal, p, n_dot);
        for (int j = 0; j < 3; ++j) {
            move[j] += ride[j];
            d->distance[p] +=
                way * (n[j] * (move[j] - d->point[k][j][p]) + n_dot[j] * (to[j] - from[j]));
        }
        put3(d->point[k], p, move);
    }
}

void tac_edge_project_jvp(const tacEdgeWork* w, const tacEdgeDot* dot, tacEdgeMeetings* d,
                          tacArena* arena) {
    for (int k = 0; k < 2; ++k) {
        if (w->project[k].steps == 0) continue;
        size_t mark = arena->used;
        tacReal* y_dot[3];
        take3(arena, w->project[k].at[0].count, y_dot);
        start_dots(w, dot, k, d, y_dot);
        steps_jvp(w, dot, k, tac_hits_take(arena, w->project[k].at[0].count, 1), y_dot);
        end_dots(w, dot, k, y_dot, d);
        arena->used = mark;
    }
}

//---------------------------------- adjoints -------------------------------------

static void end_bars(const tacEdgeWork* w, int k, tacEdgeMeetings* bar, tacReal* const y_bar[3],
                     tacEdgeBar* out) {
    const tacHits* start = &w->project[k].at[0];
    for (int i = 0; i < start->count; ++i) {
        int p = start->vertex[i];
        tacReal from[3], to[3], n[3], pull[3], own[3], way = k ? -1.0 : 1.0;
        tacReal along = way * bar->distance[p];
        led(w, k, i, from, to);
        at3(w->meetings.normal, p, n);
        for (int j = 0; j < 3; ++j) {
            pull[j] = bar->point[k][j][p] + along * n[j];
            bar->point[k][j][p] = -along * n[j];
            bar->normal[j][p] += along * (to[j] - from[j]);
        }
        add_force(out->twist, k, to, pull, 1.0);
        own_way(w, k, pull, own);
        put3(y_bar, i, own);
    }
}

static void steps_vjp(const tacEdgeWork* w, int k, tacHits room, tacReal* const y_bar[3],
                      tacEdgeBar* out) {
    for (int s = w->project[k].steps - 1; s >= 0; --s) {
        tacHits h = field_of_step(w, k, s, room);
        tacField* own = &out->project[k][s];
        for (int i = 0; i < h.count; ++i) {
            stepField f = step_field(&h, i);
            tacReal b[3], phi_bar, g_bar[3];
            at3(y_bar, i, b);
            step_vjp(&f, b, &phi_bar, g_bar);
            put3(y_bar, i, b);
            if (own->value) {
                own->value[i] = phi_bar;
                put3(own->gradient, i, g_bar);
            }
        }
    }
}

static void start_bars(const tacEdgeWork* w, int k, tacReal* const y_bar[3], tacEdgeMeetings* bar,
                       tacEdgeBar* out) {
    const tacHits* start = &w->project[k].at[0];
    for (int i = 0; i < start->count; ++i) {
        tacReal from[3], to[3], b[3], pull[3];
        led(w, k, i, from, to);
        at3(y_bar, i, b);
        first_way(w, k, b, pull);
        add_force(out->twist, k, from, pull, -1.0);
        for (int j = 0; j < 3; ++j) bar->point[k][j][start->vertex[i]] += pull[j];
    }
}

void tac_edge_project_vjp(const tacEdgeWork* w, tacEdgeMeetings* bar, tacEdgeBar* out,
                          tacArena* arena) {
    for (int k = 0; k < 2; ++k) {
        if (w->project[k].steps == 0) continue;
        size_t mark = arena->used;
        tacReal* y_bar[3];
        take3(arena, w->project[k].at[0].count, y_bar);
        end_bars(w, k, bar, y_bar, out);
        steps_vjp(w, k, tac_hits_take(arena, w->project[k].at[0].count, 1), y_bar, out);
        start_bars(w, k, y_bar, bar, out);
        arena->used = mark;
    }
}
