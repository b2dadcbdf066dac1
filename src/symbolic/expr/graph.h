// The graph of expressions: unique nodes, whose operands come before them.
//
// So a sweep over rising indices visits operands first, one over falling indices the other way
// round, and nothing here recurses: graphs may be as deep as memory allows.

#ifndef TAC_SYMBOLIC_EXPR_GRAPH_H
#define TAC_SYMBOLIC_EXPR_GRAPH_H

#include "symbolic/expr/fraction.h"
#include "tactus/symbolic.h"

typedef struct tacExprNode {
    int op;   // tacOp
    int a, b; // operands; of a number or a symbol a is its index in `number` or `name`
} tacExprNode;

struct tacGraph {
    tacAllocator allocator;
    size_t bytes, max_bytes; // in use, allowed
    tacExprNode* node;
    tacFraction* number;
    char** name;
    int* table; // of hashes: index of a node from 1
    int count, node_capacity, numbers, number_capacity, names, name_capacity, table_capacity;
    tacResult result; // first error, and its message
    tacMessage message;
};

// Memory within the graph's limit: NULL, and the graph's error is set, if there is none.
void* tac_graph_alloc(tacGraph* graph, size_t size);
void tac_graph_free(tacGraph* graph, void* block, size_t size);

// the array with capacity for one more item; NULL: no memory, and nothing changed
void* tac_graph_grow(tacGraph* graph, void* items, int* capacity, int count, size_t item);

// sets the graph's first error
tacExpr tac_graph_fail(tacGraph* graph, tacResult result, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// the node, made if it is not there; no simplification
tacExpr tac_graph_node(tacGraph* graph, tacOp op, int a, int b);
tacExpr tac_graph_number(tacGraph* graph, tacFraction value);

static inline int tac_graph_has(const tacGraph* graph, tacExpr e) {
    return graph && e >= 0 && e < graph->count;
}
static inline tacOp tac_expr_op(const tacGraph* graph, tacExpr e) {
    return (tacOp)graph->node[e].op;
}
static inline int tac_op_is_leaf(tacOp op) { return op == TAC_OP_NUMBER || op == TAC_OP_SYMBOL; }
static inline int tac_op_is_binary(tacOp op) { return op >= TAC_OP_ADD && op <= TAC_OP_MAX; }

static inline int tac_expr_is_number(const tacGraph* graph, tacExpr e) {
    return tac_expr_op(graph, e) == TAC_OP_NUMBER;
}
static inline tacFraction tac_expr_number(const tacGraph* graph, tacExpr e) {
    return graph->number[graph->node[e].a];
}
static inline const char* tac_symbol_name(const tacGraph* graph, tacExpr e) {
    return graph->name[graph->node[e].a];
}

// TAC_ERROR_VALUE if the graph or the array of `count` results is NULL. Else the
// graph's first error.
tacResult tac_graph_check_result(tacGraph* graph, int count, const void* out);

// checks that expressions belong to the graph, and (symbols 1) that they are symbols
tacResult tac_graph_check(tacGraph* graph, const tacExpr* expr, int count, int symbols);

// Marks all nodes that expressions contain: a byte for each node up to *top, the largest of them;
// to be freed with size *top + 1. NULL: out of memory.
unsigned char* tac_graph_mark_reachable(tacGraph* graph, const tacExpr* expr, int count, int* top);

// an array of expressions, one for each node up to top, all set to `value`
tacExpr* tac_graph_map(tacGraph* graph, int top, tacExpr value);
void tac_graph_unmap(tacGraph* graph, tacExpr* map, int top);

#endif
