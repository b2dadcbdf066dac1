// A program split into parts.

#include "symbolic/code/program_parts.h"

static int operand_of(tacExprNode n, int k) { return k ? n.b : n.a; }
static int operand_count(tacExprNode n) {
    return tac_op_is_leaf((tacOp)n.op) ? 0 : tac_op_is_binary((tacOp)n.op) ? 2 : 1;
}

static int part_of(int statement) { return statement / TAC_PART_STATEMENTS; }

// the statement that each node is part of: its own as a temp, else that of its only user
static void find_statements(const tacProgram* p, int* statement) {
    for (int i = 0; i < p->nodes; ++i) statement[i] = p->temp[i];
    for (int k = 0; k < p->outputs; ++k)
        if (p->temp[p->output[k]] < 0) statement[p->output[k]] = p->temps + k;
    for (int i = p->nodes - 1; i >= 0; --i)
        for (int k = 0; k < operand_count(p->node[i]); ++k) {
            int from = operand_of(p->node[i], k);
            if (p->temp[from] < 0) statement[from] = statement[i];
        }
}

static void assign_slot(const tacProgram* p, tacProgramParts* parts, int node, int user) {
    int temp = p->temp[node];
    if (temp < 0 || part_of(temp) == part_of(user) || parts->slot[temp] >= 0) return;
    parts->slot[temp] = parts->slots++;
}

tacResult tac_program_parts_alloc(const tacProgram* p, tacProgramParts* out) {
    int statements = p->temps + p->outputs;
    *out = (tacProgramParts){.statements = statements};
    out->count = (statements + TAC_PART_STATEMENTS - 1) / TAC_PART_STATEMENTS;
    if (out->count <= 1) return TAC_OK;
    size_t size = sizeof(int) * ((size_t)p->nodes + (size_t)p->temps + 1);
    int* statement = p->allocator.allocate(p->allocator.user, size);
    if (!statement) return TAC_ERROR_MEMORY;
    out->slot = p->allocator.allocate(p->allocator.user, sizeof(int) * ((size_t)p->temps + 1));
    for (int t = 0; t < p->temps && out->slot; ++t) out->slot[t] = -1;
    find_statements(p, statement);
    for (int i = 0; i < p->nodes && out->slot; ++i)
        for (int k = 0; k < operand_count(p->node[i]); ++k)
            assign_slot(p, out, operand_of(p->node[i], k), statement[i]);
    for (int k = 0; k < p->outputs && out->slot; ++k)
        assign_slot(p, out, p->output[k], p->temps + k);
    p->allocator.release(p->allocator.user, statement);
    return out->slot ? TAC_OK : TAC_ERROR_MEMORY;
}

void tac_program_parts_free(const tacProgram* p, tacProgramParts* parts) {
    if (parts->slot) p->allocator.release(p->allocator.user, parts->slot);
    parts->slot = NULL;
}

int tac_statement_cursor_next(tacStatementCursor* c, int* is_output, int* index) {
    const tacProgram* p = c->program;
    *is_output = c->statement >= p->temps;
    *index = *is_output ? c->statement - p->temps : c->statement;
    ++c->statement;
    if (*is_output) return p->output[*index];
    while (p->temp[c->node] < 0) ++c->node;
    return c->node++;
}
