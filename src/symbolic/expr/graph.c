// The graph of expressions: memory, errors, unique nodes.

#include "symbolic/expr/graph.h"

#include "base/assert.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

//---------------------------------- memory and errors ----------------------------

tacExpr tac_graph_fail(tacGraph* graph, tacResult result, const char* format, ...) {
    if (graph && graph->result == TAC_OK) {
        graph->result = result;
        graph->message = (tacMessage){0};
        va_list list;
        va_start(list, format);
        vsnprintf(graph->message.text, sizeof graph->message.text, format, list);
        va_end(list);
    }
    return TAC_EXPR_NONE;
}

void* tac_graph_alloc(tacGraph* graph, size_t size) {
    if (size > graph->max_bytes - graph->bytes) {
        tac_graph_fail(graph, TAC_ERROR_LIMIT,
                       "the formulas need more than max_bytes = %zu (%d expressions so far); raise "
                       "it or derive smaller parts",
                       graph->max_bytes, graph->count);
        return NULL;
    }
    void* block = graph->allocator.allocate(graph->allocator.user, size ? size : 1);
    if (block)
        graph->bytes += size;
    else
        tac_graph_fail(graph, TAC_ERROR_MEMORY, "out of memory after %d expressions", graph->count);
    return block;
}

void tac_graph_free(tacGraph* graph, void* block, size_t size) {
    if (!block) return;
    graph->allocator.release(graph->allocator.user, block);
    graph->bytes -= size;
}

void* tac_graph_grow(tacGraph* graph, void* items, int* capacity, int count, size_t item) {
    if (count < *capacity) return items;
    int larger = *capacity ? (*capacity > INT_MAX / 2 ? INT_MAX : 2 * *capacity) : 64;
    if (larger == *capacity) {
        tac_graph_fail(graph, TAC_ERROR_LIMIT, "more than %d expressions", count);
        return NULL;
    }
    void* more = tac_graph_alloc(graph, item * (size_t)larger);
    if (!more) return NULL;
    if (count) memcpy(more, items, item * (size_t)count);
    tac_graph_free(graph, items, item * (size_t)*capacity);
    *capacity = larger;
    return more;
}

// 1 if array `field` of the graph has room for one more; `rooms` and `counts` are its fields, too
#define HAS_CAPACITY(graph, field, capacities, counts)                                             \
    (more = tac_graph_grow(graph, (graph)->field, &(graph)->capacities, (graph)->counts,           \
                           sizeof *(graph)->field),                                                \
     more ? ((graph)->field = more, 1) : 0)

tacResult tac_graph_result(tacGraph* graph, tacMessage* message) {
    if (!graph) return TAC_ERROR_VALUE;
    tacResult result = graph->result;
    if (message) *message = result == TAC_OK ? (tacMessage){0} : graph->message;
    graph->result = TAC_OK;
    return result;
}

//---------------------------------- creation -------------------------------------

tacGraphOptions tac_default_graph_options(void) {
    return (tacGraphOptions){tac_default_allocator(), (size_t)1 << 30};
}

tacResult tac_graph_create(const tacGraphOptions* options, tacGraph** out) {
    tacGraphOptions o = options ? *options : tac_default_graph_options();
    if (!out || !o.allocator.allocate || !o.allocator.release) return TAC_ERROR_VALUE;
    tacGraph* graph = o.allocator.allocate(o.allocator.user, sizeof *graph);
    if (!graph) return TAC_ERROR_MEMORY;
    *graph = (tacGraph){.allocator = o.allocator, .max_bytes = o.max_bytes};
    *out = graph;
    return TAC_OK;
}

void tac_graph_destroy(tacGraph* graph) {
    if (!graph) return;
    tacAllocator a = graph->allocator;
    for (int i = 0; i < graph->names; ++i) a.release(a.user, graph->name[i]);
    void* blocks[] = {graph->node, graph->number, graph->name, graph->table, graph};
    for (int i = 0; i < TAC_COUNT(blocks); ++i)
        if (blocks[i]) a.release(a.user, blocks[i]);
}

int tac_graph_count(const tacGraph* graph) { return graph ? graph->count : 0; }

//---------------------------------- nodes ----------------------------------------

static uint64_t mix_hash(uint64_t hash, uint64_t bits) {
    hash = (hash ^ bits) * 0xff51afd7ed558ccdull;
    return hash ^ (hash >> 32);
}

static uint64_t hash_fraction(tacFraction f) {
    uint64_t bits;
    memcpy(&bits, &f.value, sizeof bits);
    return mix_hash(mix_hash(mix_hash(0, (uint64_t)f.p), (uint64_t)f.q), bits);
}

static uint64_t hash_text(const char* text) {
    uint64_t hash = 0;
    for (; *text; ++text) hash = mix_hash(hash, (unsigned char)*text);
    return hash;
}

// hash of a node's meaning, which does not depend on where numbers and names are stored
static uint64_t hash_node(const tacGraph* graph, tacExprNode n) {
    uint64_t hash = mix_hash(0x9e3779b97f4a7c15ull, (uint64_t)n.op);
    if (n.op == TAC_OP_NUMBER) return mix_hash(hash, hash_fraction(graph->number[n.a]));
    if (n.op == TAC_OP_SYMBOL) return mix_hash(hash, hash_text(graph->name[n.a]));
    return mix_hash(mix_hash(hash, (uint64_t)n.a), (uint64_t)n.b);
}

static int same_fraction(tacFraction a, tacFraction b) {
    return a.p == b.p && a.q == b.q && memcmp(&a.value, &b.value, sizeof a.value) == 0;
}

static int same_node(const tacGraph* graph, tacExprNode a, tacExprNode b) {
    if (a.op != b.op) return 0;
    if (a.op == TAC_OP_NUMBER) return same_fraction(graph->number[a.a], graph->number[b.a]);
    if (a.op == TAC_OP_SYMBOL) return strcmp(graph->name[a.a], graph->name[b.a]) == 0;
    return a.a == b.a && a.b == b.b;
}

// slot of the node, or the free slot for it
static size_t find_slot(const tacGraph* graph, tacExprNode n) {
    size_t mask = (size_t)graph->table_capacity - 1, slot = (size_t)hash_node(graph, n) & mask;
    while (graph->table[slot] && !same_node(graph, graph->node[graph->table[slot] - 1], n))
        slot = (slot + 1) & mask;
    return slot;
}

// the table stays at most half full
static int grow_table(tacGraph* graph) {
    int old = graph->table_capacity;
    if (graph->count < old / 2) return 1;
    if (old > INT_MAX / 2) return 0;
    int capacity = old ? 2 * old : 256;
    int *table = tac_graph_alloc(graph, sizeof(int) * (size_t)capacity), *before = graph->table;
    if (!table) return 0;
    memset(table, 0, sizeof(int) * (size_t)capacity);
    graph->table = table;
    graph->table_capacity = capacity;
    for (int i = 0; i < graph->count; ++i) table[find_slot(graph, graph->node[i])] = i + 1;
    tac_graph_free(graph, before, sizeof(int) * (size_t)old);
    return 1;
}

// the index of a node; a new one is added
static tacExpr intern_node(tacGraph* graph, tacExprNode n, int* is_new) {
    void* more;
    *is_new = 0;
    if (!grow_table(graph) || !HAS_CAPACITY(graph, node, node_capacity, count))
        return tac_graph_fail(graph, TAC_ERROR_LIMIT, "more than %d expressions", graph->count);
    size_t slot = find_slot(graph, n);
    if (graph->table[slot]) return graph->table[slot] - 1;
    graph->node[graph->count++] = n;
    graph->table[slot] = graph->count;
    *is_new = 1;
    return graph->count - 1;
}

tacExpr tac_graph_node(tacGraph* graph, tacOp op, int a, int b) {
    int is_new;
    return intern_node(graph, (tacExprNode){(int)op, a, b}, &is_new);
}

tacExpr tac_graph_number(tacGraph* graph, tacFraction value) {
    int is_new;
    void* more;
    if (!graph || !isfinite(value.value))
        return tac_graph_fail(graph, TAC_ERROR_VALUE, "a number became infinite or undefined");
    if (!value.q) value = tac_fraction_of(value.value); // one 0, one 1
    if (!HAS_CAPACITY(graph, number, number_capacity, numbers)) return TAC_EXPR_NONE;
    graph->number[graph->numbers] = value;
    tacExpr e = intern_node(graph, (tacExprNode){TAC_OP_NUMBER, graph->numbers, 0}, &is_new);
    graph->numbers += is_new;
    return e;
}

//---------------------------------- leaves ---------------------------------------

static int is_valid_name(const char* name) {
    if (!name || strlen(name) > TAC_MAX_NAME) return 0;
    for (const char* c = name; *c; ++c) {
        int letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        int inner = (*c >= '0' && *c <= '9') || *c == '_';
        if (!letter && !(inner && c > name)) return 0;
    }
    return *name != 0;
}

tacExpr tac_symbol(tacGraph* graph, const char* name) {
    int is_new;
    void* more;
    if (!graph || !is_valid_name(name))
        return tac_graph_fail(graph, TAC_ERROR_VALUE,
                              "symbol \"%.100s\": a name is a letter, then letters, digits and _, "
                              "at most %d",
                              name ? name : "", TAC_MAX_NAME);
    if (!HAS_CAPACITY(graph, name, name_capacity, names)) return TAC_EXPR_NONE;
    size_t size = strlen(name) + 1;
    char* copy = tac_graph_alloc(graph, size);
    if (!copy) return TAC_EXPR_NONE;
    graph->name[graph->names] = memcpy(copy, name, size);
    tacExpr e = intern_node(graph, (tacExprNode){TAC_OP_SYMBOL, graph->names, 0}, &is_new);
    if (is_new)
        ++graph->names;
    else
        tac_graph_free(graph, copy, size);
    return e;
}

tacExpr tac_fraction(tacGraph* graph, long long numerator, long long denominator) {
    if (denominator == 0)
        return tac_graph_fail(graph, TAC_ERROR_VALUE, "the fraction %lld/0 is undefined",
                              numerator);
    return tac_graph_number(graph, tac_fraction_make(numerator, denominator));
}

tacExpr tac_number(tacGraph* graph, double value) {
    return tac_graph_number(graph, (tacFraction){0, 0, value});
}

tacExpr tac_decimal(tacGraph* graph, double value) {
    return tac_graph_number(graph, isfinite(value) ? tac_fraction_decimal(value)
                                                   : (tacFraction){0, 0, value});
}

//---------------------------------- sweeps ---------------------------------------

tacResult tac_graph_check_result(tacGraph* graph, int count, const void* out) {
    if (!graph) return TAC_ERROR_VALUE;
    if (count < 0)
        tac_graph_fail(graph, TAC_ERROR_VALUE, "a count is negative: %d", count);
    else if (count > 0 && !out)
        tac_graph_fail(graph, TAC_ERROR_VALUE, "an array of %d expressions is NULL", count);
    return graph->result;
}

tacResult tac_graph_check(tacGraph* graph, const tacExpr* expr, int count, int symbols) {
    if (tac_graph_check_result(graph, count, expr) != TAC_OK)
        return graph ? graph->result : TAC_ERROR_VALUE;
    for (int i = 0; i < count; ++i) {
        if (!tac_graph_has(graph, expr[i]))
            tac_graph_fail(graph, TAC_ERROR_VALUE,
                           "expression %d (from 0) does not belong to the graph", i);
        else if (symbols && tac_expr_op(graph, expr[i]) != TAC_OP_SYMBOL)
            tac_graph_fail(graph, TAC_ERROR_VALUE, "expression %d (from 0) is not a symbol", i);
    }
    return graph->result;
}

unsigned char* tac_graph_mark_reachable(tacGraph* graph, const tacExpr* expr, int count, int* top) {
    *top = 0;
    for (int i = 0; i < count; ++i)
        if (expr[i] > *top) *top = expr[i];
    unsigned char* mark = tac_graph_alloc(graph, (size_t)*top + 1);
    if (!mark) return NULL;
    memset(mark, 0, (size_t)*top + 1);
    for (int i = 0; i < count; ++i) mark[expr[i]] = 1;
    for (int i = *top; i >= 0; --i) {
        if (!mark[i] || tac_op_is_leaf(tac_expr_op(graph, i))) continue;
        tacExprNode n = graph->node[i];
        mark[n.a] = 1;
        if (tac_op_is_binary((tacOp)n.op)) mark[n.b] = 1;
    }
    return mark;
}

tacExpr* tac_graph_map(tacGraph* graph, int top, tacExpr value) {
    tacExpr* map = tac_graph_alloc(graph, sizeof *map * ((size_t)top + 1));
    for (int i = 0; map && i <= top; ++i) map[i] = value;
    return map;
}

void tac_graph_unmap(tacGraph* graph, tacExpr* map, int top) {
    tac_graph_free(graph, map, sizeof *map * ((size_t)top + 1));
}
