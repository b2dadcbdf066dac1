// A mechanism: its lists, and dynamic symbols (functions of time).

#include "symbolic/mechanics/mechanism.h"

#include "base/assert.h"

#include <string.h>

//---------------------------------- memory ---------------------------------------

// without memory it is unchanged
void* tac_list_grow(tacGraph* graph, void* items, int* capacity, int count, size_t item) {
    void* more = tac_graph_grow(graph, items, capacity, count, item);
    return more ? more : items;
}

tacResult tac_mechanics_create(tacGraph* graph, tacMechanics** out) {
    if (!graph || !out) return TAC_ERROR_VALUE;
    if (graph->result != TAC_OK) return graph->result;
    tacMechanics* m = tac_graph_alloc(graph, sizeof *m);
    if (!m) return graph->result;
    memset(m, 0, sizeof *m);
    m->graph = graph;
    m->time = TAC_EXPR_NONE;
    *out = m;
    return TAC_OK;
}

#define GIVE(list) tac_graph_free(g, (list).item, sizeof *(list).item*(size_t)(list).capacity)

void tac_mechanics_destroy(tacMechanics* m) {
    if (!m) return;
    tacGraph* g = m->graph;
    GIVE(m->dynamic);
    GIVE(m->rate);
    GIVE(m->frame);
    GIVE(m->rotation);
    GIVE(m->ang_vel);
    GIVE(m->point);
    GIVE(m->position);
    GIVE(m->point_velocity);
    GIVE(m->body);
    GIVE(m->load);
    tac_graph_free(g, m, sizeof *m);
}

//---------------------------------- time -----------------------------------------

int tac_dynamic_index(const tacMechanics* m, tacExpr symbol) {
    for (int i = 0; i < m->dynamic.count; ++i)
        if (m->dynamic.item[i] == symbol) return i;
    return -1;
}

tacExpr tac_dynamic(tacMechanics* m, const char* name) {
    if (!m) return TAC_EXPR_NONE;
    tacExpr symbol = tac_symbol(m->graph, name);
    if (symbol >= 0 && symbol == m->time)
        return tac_graph_fail(m->graph, TAC_ERROR_VALUE,
                              "t is time, so it cannot be a dynamic symbol");
    if (symbol < 0 || tac_dynamic_index(m, symbol) >= 0) return symbol;
    if (!TAC_LIST_RESERVE(m->graph, &m->dynamic) || !TAC_LIST_RESERVE(m->graph, &m->rate))
        return TAC_EXPR_NONE;
    m->dynamic.item[m->dynamic.count++] = symbol;
    m->rate.item[m->rate.count++] = TAC_EXPR_NONE;
    return symbol;
}

tacExpr tac_time(tacMechanics* m) {
    if (!m) return TAC_EXPR_NONE;
    tacExpr t = tac_symbol(m->graph, "t");
    if (tac_dynamic_index(m, t) >= 0)
        return tac_graph_fail(m->graph, TAC_ERROR_VALUE,
                              "t is a dynamic symbol, so it cannot be time");
    m->time = t;
    return t;
}

// q becomes q_dot, q_dot becomes q_ddot
static tacExpr rate_symbol(tacMechanics* m, int i) {
    char name[TAC_MAX_NAME + 8];
    const char* base = tac_symbol_name(m->graph, m->dynamic.item[i]);
    size_t length = strlen(base), stem = length;
    if (length > 4 && strcmp(base + length - 3, "dot") == 0) {
        stem = length - 3;
        while (stem > 1 && base[stem - 1] == 'd') --stem;
        if (base[stem - 1] != '_') stem = length;
    }
    if (stem == length)
        snprintf(name, sizeof name, "%s_dot", base);
    else
        snprintf(name, sizeof name, "%.*sd%s", (int)stem, base, base + stem);
    return tac_dynamic(m, name);
}

// the rates of dynamic symbols that are marked, with their symbols; how many there are, -1: error
static int marked_rates(tacMechanics* m, const unsigned char* mark, int top, tacExpr* x,
                        tacExpr* x_dot) {
    int count = 0, known = m->dynamic.count;
    for (int i = 0; i < known; ++i) {
        tacExpr symbol = m->dynamic.item[i];
        if (symbol > top || !mark[symbol]) continue;
        if (m->rate.item[i] < 0) {
            tacExpr rate = rate_symbol(m, i);
            if (rate < 0) return -1;
            m->rate.item[i] = rate;
        }
        x[count] = symbol;
        x_dot[count++] = m->rate.item[i];
    }
    if (m->time >= 0 && m->time <= top && mark[m->time]) {
        x[count] = m->time;
        x_dot[count++] = tac_fraction(m->graph, 1, 1);
    }
    return count;
}

tacExpr tac_dt(tacMechanics* m, tacExpr expr) {
    if (!m) return TAC_EXPR_NONE;
    tacGraph* g = m->graph;
    if (tac_graph_check(g, &expr, 1, 0) != TAC_OK) return TAC_EXPR_NONE;
    int top, capacity = 2 * (m->dynamic.count + 1);
    tacExpr out = TAC_EXPR_NONE;
    unsigned char* mark = tac_graph_mark_reachable(g, &expr, 1, &top);
    tacExpr* x = mark ? tac_graph_map(g, capacity, TAC_EXPR_NONE) : NULL;
    if (x) {
        tacExpr* x_dot = x + capacity / 2;
        int n = marked_rates(m, mark, top, x, x_dot);
        if (n >= 0) tac_expr_jvp(g, &expr, 1, x, x_dot, n, &out);
    }
    tac_graph_unmap(g, x, capacity);
    tac_graph_free(g, mark, (size_t)top + 1);
    return g->result == TAC_OK ? out : TAC_EXPR_NONE;
}

//---------------------------------- searches -------------------------------------

int tac_tree_search_open(tacGraph* g, tacTreeSearch* s, const tacMechanismEdge* edge, int edges,
                         int nodes, int from) {
    *s = (tacTreeSearch){.edge = edge, .edges = edges, .nodes = nodes};
    s->queue = tac_graph_map(g, 2 * nodes, -1);
    if (!s->queue) return 0;
    s->via = s->queue + nodes;
    s->queue[s->reached++] = from;
    for (int k = 0; k < s->reached; ++k)
        for (int e = 0; e < edges; ++e) {
            int at = s->queue[k];
            int next = edge[e].from == at ? edge[e].to : edge[e].to == at ? edge[e].from : from;
            if (next == from || s->via[next] >= 0) continue;
            s->via[next] = e;
            s->queue[s->reached++] = next;
        }
    return 1;
}

void tac_tree_search_close(tacGraph* g, tacTreeSearch* s) {
    tac_graph_unmap(g, s->queue, 2 * s->nodes);
}

int tac_tree_search_reached(const tacTreeSearch* s, int node) {
    return node == s->queue[0] || s->via[node] >= 0;
}

// in the frame of the last edge of the path
tacVector tac_tree_search_sum(tacMechanics* m, const tacTreeSearch* s, int to, tacRefFrame zero) {
    tacVector sum = tac_vector_zero(m, zero);
    tacExpr minus = tac_fraction(m->graph, -1, 1);
    while (s->via[to] >= 0) {
        const tacMechanismEdge* e = &s->edge[s->via[to]];
        tacVector delta = e->to == to ? e->delta : tac_vector_scale(m, minus, e->delta);
        sum = tac_vector_add(m, sum, delta);
        to = e->to == to ? e->from : e->to;
    }
    return sum;
}
