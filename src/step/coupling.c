// Trees that touch, and their order.

#include "step/coupling.h"

#include "dynamics/dynamics.h"

#include <string.h>

//---------------------------------- memory ---------------------------------------

// what tendons with limits or friction can add: each joint of theirs to the first
static int tendon_edges(const tacModel* model) {
    int count = 0;
    for (int i = 0; i < model->contact->nhold; ++i) {
        int tendon = model->contact->hold[i].tendon;
        if (tendon >= 0) count += model->tendon[tendon].count;
    }
    return count;
}

static int most_edges(const tacModel* model) {
    return model->contact->nbodies + tendon_edges(model);
}

// degrees of freedom that a pair or a tendon moves, some of them twice
static int longest_chain(const tacModel* model) {
    return 2 * model->nv > model->ntendonjoint ? 2 * model->nv : model->ntendonjoint;
}

size_t tac_coupling_size(const tacModel* model) {
    size_t nv = (size_t)model->nv, edges = (size_t)most_edges(model);
    return 4 * tac_arena_need(sizeof(int) * (nv + 1)) + 2 * tac_arena_need(sizeof(int) * edges) +
           tac_arena_need(sizeof(int) * 2 * edges) +
           tac_arena_need(sizeof(int) * (size_t)longest_chain(model));
}

tacCoupling tac_coupling_take(const tacModel* model, tacArena* arena) {
    int nv = model->nv, edges = most_edges(model);
    tacCoupling c = {.model = model};
    int** each[] = {&c.tree, &c.head, &c.queue, &c.at};
    for (int i = 0; i < 4; ++i) *each[i] = TAC_TAKE(arena, int, nv + 1);
    c.from = TAC_TAKE(arena, int, edges);
    c.to = TAC_TAKE(arena, int, edges);
    c.near = TAC_TAKE(arena, int, 2 * edges);
    c.chain = TAC_TAKE(arena, int, longest_chain(model));
    return c;
}

//---------------------------------- neighbours -----------------------------------

static void add_edge(tacCoupling* c, int a, int b) {
    if (a < 0 || b < 0 || c->tree[a] == c->tree[b]) return;
    c->from[c->edges] = c->tree[a];
    c->to[c->edges++] = c->tree[b];
}

static int tendon_dof(const tacModel* model, const tacTendon* t, int i) {
    return model->joint[model->tendonjoint[t->first + i]].dof;
}

static void list_edges(tacCoupling* c, const tacPairForce* force, int count) {
    const tacModel* model = c->model;
    c->edges = 0;
    for (int i = 0; i < count; ++i)
        add_edge(c, tac_last_dof(model, force[i].body[0]), tac_last_dof(model, force[i].body[1]));
    for (int i = 0; i < model->contact->nhold; ++i) {
        int tendon = model->contact->hold[i].tendon;
        const tacTendon* t = tendon >= 0 ? &model->tendon[tendon] : NULL;
        for (int k = 1; t && k < t->count; ++k)
            add_edge(c, tendon_dof(model, t, 0), tendon_dof(model, t, k));
    }
}

// neighbours of each tree, one tree after the other
static void sort_edges(tacCoupling* c) {
    int nv = c->model->nv;
    memset(c->head, 0, sizeof *c->head * (size_t)(nv + 1));
    for (int e = 0; e < c->edges; ++e) {
        ++c->head[c->from[e]];
        ++c->head[c->to[e]];
    }
    for (int k = 0, sum = 0; k <= nv; ++k) {
        sum += c->head[k];
        c->head[k] = sum;
    }
    for (int e = c->edges - 1; e >= 0; --e) {
        c->near[--c->head[c->from[e]]] = c->to[e];
        c->near[--c->head[c->to[e]]] = c->from[e];
    }
}

//---------------------------------- order ----------------------------------------

// queue[begin ..] gets the trees that hang together with `root`, by breadth; the end of them
static int spread(tacCoupling* c, int root, int begin) {
    int end = begin;
    c->queue[end] = root;
    c->at[root] = end++;
    for (int i = begin; i < end; ++i) {
        int tree = c->queue[i];
        for (int e = c->head[tree]; e < c->head[tree + 1]; ++e)
            if (c->at[c->near[e]] < 0) {
                c->queue[end] = c->near[e];
                c->at[c->near[e]] = end++;
            }
    }
    return end;
}

// all trees, those that hang together from one of their ends: the last that breadth comes to
static int order_trees(tacCoupling* c) {
    int nv = c->model->nv, count = 0;
    for (int k = 0; k < nv; ++k) c->at[k] = -1;
    for (int k = 0; k < nv; ++k) {
        if (c->tree[k] != k || c->at[k] >= 0) continue;
        int end = spread(c, k, count), last = c->queue[end - 1];
        for (int i = count; i < end; ++i) c->at[c->queue[i]] = -1;
        count = spread(c, last, count);
    }
    return count;
}

// rows: trees backwards, and in them the last joints first
static void place_rows(tacCoupling* c, int trees, int* place) {
    int nv = c->model->nv, row = 0, *size = c->chain;
    memset(size, 0, sizeof *size * (size_t)nv);
    for (int k = 0; k < nv; ++k) ++size[c->tree[k]];
    for (int i = trees - 1; i >= 0; --i) {
        int tree = c->queue[i];
        row += size[tree];
        size[tree] = row; // behind the tree's rows
    }
    for (int k = 0; k < nv; ++k) place[k] = --size[c->tree[k]];
}

//---------------------------------- profile --------------------------------------

// degrees of freedom that move either body
static int list_chain(tacCoupling* c, const tacPairForce* f) {
    int count = 0;
    for (int side = 0; side < 2; ++side)
        for (int k = tac_last_dof(c->model, f->body[side]); k >= 0; k = c->model->dof[k].parent)
            c->chain[count++] = k;
    return count;
}

static void couple_tendon(tacCoupling* c, const tacTendon* t, tacSkyline* s) {
    for (int k = 0; k < t->count; ++k) c->chain[k] = tendon_dof(c->model, t, k);
    tac_skyline_couple(s, c->chain, t->count);
}

static void set_profile(tacCoupling* c, const tacPairForce* force, int count, tacSkyline* s) {
    const tacModel* model = c->model;
    tac_skyline_begin(s);
    for (int k = model->nv - 1; k >= 0; --k) {
        int parent = model->dof[k].parent;
        if (parent < 0) continue;
        int *above = &s->first[s->place[parent]], below = s->first[s->place[k]];
        if (*above > below) *above = below;
    }
    for (int i = 0; i < count; ++i) tac_skyline_couple(s, c->chain, list_chain(c, &force[i]));
    for (int i = 0; i < model->contact->nhold; ++i) {
        int tendon = model->contact->hold[i].tendon;
        if (tendon >= 0) couple_tendon(c, &model->tendon[tendon], s);
    }
    tac_skyline_clear(s);
}

// memory of the scratch is everybody's: nothing in it lasts from one call to the next
static void find_trees(tacCoupling* c) {
    for (int k = 0; k < c->model->nv; ++k) {
        int parent = c->model->dof[k].parent;
        c->tree[k] = parent < 0 ? k : c->tree[parent];
    }
}

void tac_coupling_find(tacCoupling* c, const tacPairForce* force, int count, tacSkyline* s) {
    find_trees(c);
    list_edges(c, force, count);
    sort_edges(c);
    place_rows(c, order_trees(c), s->place);
    set_profile(c, force, count, s);
}
