// Trees in contact, and their order.

#include "step/force/coupling.h"

#include "dynamics/dynamics.h"

#include <string.h>

//---------------------------------- memory ---------------------------------------

// edges of tendons with limits or friction: from each of their joints to the first
static int tendon_edges(const tacModel* model) {
    int count = 0;
    for (int i = 0; i < model->contact->nlimit_friction; ++i) {
        int tendon = model->contact->limit_friction[i].tendon;
        if (tendon >= 0) count += model->tendon[tendon].count;
    }
    return count;
}

static int max_edges(const tacModel* model) {
    return model->contact->nbodies + tendon_edges(model);
}

// degrees of freedom of a pair or a tendon, some of them twice
static int max_dofs(const tacModel* model) {
    return 2 * model->nv > model->ntendonjoint ? 2 * model->nv : model->ntendonjoint;
}

tacCoupling tac_coupling_alloc(const tacModel* model, tacArena* arena) {
    int nv = model->nv, edges = max_edges(model);
    tacCoupling c = {.model = model};
    int** each[] = {&c.tree, &c.head, &c.queue, &c.order};
    for (int i = 0; i < 4; ++i) *each[i] = TAC_ALLOC(arena, int, nv + 1);
    c.from = TAC_ALLOC(arena, int, edges);
    c.to = TAC_ALLOC(arena, int, edges);
    c.neighbours = TAC_ALLOC(arena, int, 2 * edges);
    c.dofs = TAC_ALLOC(arena, int, max_dofs(model));
    return c;
}

//---------------------------------- neighbours -----------------------------------

static void add_tree_edge(tacCoupling* c, int a, int b) {
    if (a < 0 || b < 0 || c->tree[a] == c->tree[b]) return;
    c->from[c->edges] = c->tree[a];
    c->to[c->edges++] = c->tree[b];
}

static int tendon_dof(const tacModel* model, const tacTendon* t, int i) {
    return model->joint[model->tendonjoint[t->first + i]].dof;
}

static void collect_edges(tacCoupling* c, const tacPairForce* force, int count) {
    const tacModel* model = c->model;
    c->edges = 0;
    for (int i = 0; i < count; ++i)
        add_tree_edge(c, tac_last_dof(model, force[i].body[0]),
                      tac_last_dof(model, force[i].body[1]));
    for (int i = 0; i < model->contact->nlimit_friction; ++i) {
        int tendon = model->contact->limit_friction[i].tendon;
        const tacTendon* t = tendon >= 0 ? &model->tendon[tendon] : NULL;
        for (int k = 1; t && k < t->count; ++k)
            add_tree_edge(c, tendon_dof(model, t, 0), tendon_dof(model, t, k));
    }
}

// neighbours of each tree, one tree after the other
static void group_edges(tacCoupling* c) {
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
        c->neighbours[--c->head[c->from[e]]] = c->to[e];
        c->neighbours[--c->head[c->to[e]]] = c->from[e];
    }
}

//---------------------------------- order ----------------------------------------

// Fills queue[begin ..] with the trees connected to `root`, breadth first. Returns the end.
static int breadth_first(tacCoupling* c, int root, int begin) {
    int end = begin;
    c->queue[end] = root;
    c->order[root] = end++;
    for (int i = begin; i < end; ++i) {
        int tree = c->queue[i];
        for (int e = c->head[tree]; e < c->head[tree + 1]; ++e)
            if (c->order[c->neighbours[e]] < 0) {
                c->queue[end] = c->neighbours[e];
                c->order[c->neighbours[e]] = end++;
            }
    }
    return end;
}

// All trees. Each connected component starts from one of its ends: the last tree of a breadth-first
// search.
static int order_trees(tacCoupling* c) {
    int nv = c->model->nv, count = 0;
    for (int k = 0; k < nv; ++k) c->order[k] = -1;
    for (int k = 0; k < nv; ++k) {
        if (c->tree[k] != k || c->order[k] >= 0) continue;
        int end = breadth_first(c, k, count), last = c->queue[end - 1];
        for (int i = count; i < end; ++i) c->order[c->queue[i]] = -1;
        count = breadth_first(c, last, count);
    }
    return count;
}

// rows: trees in reverse order, in each tree the last joints first
static void number_rows(tacCoupling* c, int trees, int* perm) {
    int nv = c->model->nv, row = 0, *size = c->dofs;
    memset(size, 0, sizeof *size * (size_t)nv);
    for (int k = 0; k < nv; ++k) ++size[c->tree[k]];
    for (int i = trees - 1; i >= 0; --i) {
        int tree = c->queue[i];
        row += size[tree];
        size[tree] = row; // behind the tree's rows
    }
    for (int k = 0; k < nv; ++k) perm[k] = --size[c->tree[k]];
}

//---------------------------------- profile --------------------------------------

// degrees of freedom that move either body
static int collect_dofs(tacCoupling* c, const tacPairForce* f) {
    int count = 0;
    for (int side = 0; side < 2; ++side)
        for (int k = tac_last_dof(c->model, f->body[side]); k >= 0; k = c->model->dof[k].parent)
            c->dofs[count++] = k;
    return count;
}

static void couple_tendon(tacCoupling* c, const tacTendon* t, tacSkyline* s) {
    for (int k = 0; k < t->count; ++k) c->dofs[k] = tendon_dof(c->model, t, k);
    tac_skyline_couple(s, c->dofs, t->count);
}

static void set_profile(tacCoupling* c, const tacPairForce* force, int count, tacSkyline* s) {
    const tacModel* model = c->model;
    tac_skyline_reset(s);
    for (int k = model->nv - 1; k >= 0; --k) {
        int parent = model->dof[k].parent;
        if (parent < 0) continue;
        int *above = &s->first[s->perm[parent]], below = s->first[s->perm[k]];
        if (*above > below) *above = below;
    }
    for (int i = 0; i < count; ++i) tac_skyline_couple(s, c->dofs, collect_dofs(c, &force[i]));
    for (int i = 0; i < model->contact->nlimit_friction; ++i) {
        int tendon = model->contact->limit_friction[i].tendon;
        if (tendon >= 0) couple_tendon(c, &model->tendon[tendon], s);
    }
    tac_skyline_clear(s);
}

// other calls use the same memory, so nothing in it lasts from one call to the next
static void label_trees(tacCoupling* c) {
    for (int k = 0; k < c->model->nv; ++k) {
        int parent = c->model->dof[k].parent;
        c->tree[k] = parent < 0 ? k : c->tree[parent];
    }
}

void tac_coupling_order(tacCoupling* c, const tacPairForce* force, int count, tacSkyline* s) {
    label_trees(c);
    collect_edges(c, force, count);
    group_edges(c);
    number_rows(c, order_trees(c), s->perm);
    set_profile(c, force, count, s);
}
