// From a graph to a list of steps, and running it.
//
// A step writes a register; registers are reused after their last use, so that the working
// memory is the number of live values. Points are computed eight side by side, each lane with the
// same operations in the same order: the bits of a point do not depend on the batch.

#include "symbolic/code/program.h"

#include "base/assert.h"
#include "symbolic/expr/function.h"

#include <math.h>
#include <string.h>

enum { LANES = TAC_PROGRAM_LANES, LONG_FORMULA = 40 };

//---------------------------------- memory ---------------------------------------

static void* alloc_block(tacProgram* p, tacGraph* g, size_t size) {
    void* block = p->allocator.allocate(p->allocator.user, size ? size : 1);
    if (!block) tac_graph_fail(g, TAC_ERROR_MEMORY, "out of memory for a program");
    return block;
}

void tac_program_destroy(tacProgram* p) {
    if (!p) return;
    tacAllocator a = p->allocator;
    void* blocks[] = {p->node, p->number, p->register_of, p->temp, p->output, p->name, p->names, p};
    for (int i = 0; i < TAC_COUNT(blocks); ++i)
        if (blocks[i]) a.release(a.user, blocks[i]);
}

static int alloc_arrays(tacProgram* p, tacGraph* g, size_t name_bytes) {
    size_t n = (size_t)p->nodes;
    p->node = alloc_block(p, g, sizeof *p->node * n);
    p->number = alloc_block(p, g, sizeof *p->number * n);
    p->register_of = alloc_block(p, g, sizeof *p->register_of * n);
    p->temp = alloc_block(p, g, sizeof *p->temp * n);
    p->output = alloc_block(p, g, sizeof *p->output * (size_t)p->outputs);
    p->name = alloc_block(p, g, sizeof *p->name * (size_t)p->inputs);
    p->names = alloc_block(p, g, name_bytes);
    return p->node && p->number && p->register_of && p->temp && p->output && p->name && p->names;
}

// 1 if the arrays stay below the graph's memory limit
static int fits_memory_limit(const tacProgram* p, tacGraph* g, size_t name_bytes) {
    size_t node = sizeof *p->node + sizeof *p->number + sizeof *p->register_of + sizeof *p->temp;
    size_t need = node * (size_t)p->nodes + sizeof *p->output * (size_t)p->outputs + name_bytes;
    if (need <= g->max_bytes - g->bytes) return 1;
    tac_graph_fail(g, TAC_ERROR_LIMIT,
                   "a program of %d expressions needs more than max_bytes = %zu; raise it or make "
                   "smaller programs",
                   p->nodes, g->max_bytes);
    return 0;
}

//---------------------------------- steps ----------------------------------------

// the input that a symbol is, or -1
static int input_of(const tacExpr* inputs, int count, tacExpr symbol) {
    for (int k = 0; k < count; ++k)
        if (inputs[k] == symbol) return k;
    return -1;
}

// An operation on numbers becomes a number: compilers would compute it themselves, and round it
// otherwise than the library's functions do.
static void fold_constants(tacProgram* p, int i) {
    tacExprNode n = p->node[i];
    if (p->node[n.a].op != TAC_OP_NUMBER || p->node[n.b].op != TAC_OP_NUMBER) return;
    double value = tac_op_value((tacOp)n.op, p->number[n.a].value, p->number[n.b].value);
    if (!isfinite(value)) return; // the run says so
    p->number[i] = (tacFraction){0, 0, value};
    p->node[i] = (tacExprNode){TAC_OP_NUMBER, i, 0};
}

// copies marked nodes; map has their new indices
static void copy_nodes(tacProgram* p, tacGraph* g, const unsigned char* mark, int top,
                       const tacExpr* inputs, int* map) {
    int count = 0;
    for (int i = 0; i <= top; ++i) {
        if (!mark[i]) continue;
        tacExprNode n = g->node[i];
        if (n.op == TAC_OP_NUMBER) {
            p->number[count] = g->number[n.a];
            n.a = count;
        } else if (n.op == TAC_OP_SYMBOL) {
            n.a = input_of(inputs, p->inputs, i);
            if (n.a < 0)
                tac_graph_fail(g, TAC_ERROR_VALUE, "symbol %s is not an input of the program",
                               tac_symbol_name(g, i));
        } else {
            n.a = map[n.a];
            n.b = map[n.b];
        }
        map[i] = count;
        p->node[count] = n;
        if (!tac_op_is_leaf((tacOp)n.op)) fold_constants(p, count);
        ++count;
    }
}

static void copy_names(tacProgram* p, const tacGraph* g, const tacExpr* inputs) {
    char* to = p->names;
    for (int k = 0; k < p->inputs; ++k) {
        p->name[k] = strcpy(to, tac_symbol_name(g, inputs[k]));
        to += strlen(to) + 1;
    }
}

static int operand_of(tacExprNode n, int k) { return k ? n.b : n.a; }
static int operand_count(tacExprNode n) {
    return tac_op_is_leaf((tacOp)n.op) ? 0 : tac_op_is_binary((tacOp)n.op) ? 2 : 1;
}

// registers by last use; `last` and `spare` are arrays of `nodes`
static void assign_registers(tacProgram* p, int* last, int* spare) {
    int spares = 0;
    for (int i = 0; i < p->nodes; ++i) {
        last[i] = i;
        for (int k = 0; k < operand_count(p->node[i]); ++k) last[operand_of(p->node[i], k)] = i;
    }
    for (int k = 0; k < p->outputs; ++k) last[p->output[k]] = p->nodes;
    for (int i = 0; i < p->nodes; ++i) {
        for (int k = 0; k < operand_count(p->node[i]); ++k) {
            int from = operand_of(p->node[i], k);
            if (last[from] != i) continue;
            spare[spares++] = p->register_of[from];
            last[from] = -1; // once, if both operands are the same
        }
        p->register_of[i] = spares ? spare[--spares] : p->registers++;
        if (last[i] == i) spare[spares++] = p->register_of[i];
    }
}

// names for nodes that are used twice, are long, or are both an output and a part; `uses` and
// `length` are arrays of `nodes`
static void name_temps(tacProgram* p, int* uses, int* length) {
    memset(uses, 0, sizeof *uses * (size_t)p->nodes);
    for (int i = 0; i < p->nodes; ++i)
        for (int k = 0; k < operand_count(p->node[i]); ++k) ++uses[operand_of(p->node[i], k)];
    for (int k = 0; k < p->outputs; ++k) ++uses[p->output[k]];
    for (int i = 0; i < p->nodes; ++i) {
        length[i] = 1;
        for (int k = 0; k < operand_count(p->node[i]); ++k)
            length[i] += length[operand_of(p->node[i], k)];
        int leaf = tac_op_is_leaf((tacOp)p->node[i].op);
        int shared = !leaf && (uses[i] > 1 || length[i] > LONG_FORMULA);
        p->temp[i] = shared ? p->temps++ : -1;
        if (shared) length[i] = 1;
    }
}

//---------------------------------- creation -------------------------------------

static void fill_program(tacProgram* p, tacGraph* g, const unsigned char* mark, int top,
                         const tacExpr* inputs, const tacExpr* outputs) {
    // two arrays as long as the graph are used in turn
    int *map = tac_graph_map(g, top, 0), *other = map ? tac_graph_map(g, top, 0) : NULL;
    if (other) {
        copy_nodes(p, g, mark, top, inputs, map);
        for (int k = 0; k < p->outputs; ++k) p->output[k] = map[outputs[k]];
        copy_names(p, g, inputs);
        assign_registers(p, map, other);
        name_temps(p, map, other);
    }
    tac_graph_unmap(g, other, top);
    tac_graph_unmap(g, map, top);
}

tacResult tac_program_create(tacGraph* g, const tacExpr* inputs, int input_count,
                             const tacExpr* outputs, int output_count, tacProgram** out) {
    if (!g || !out) return TAC_ERROR_VALUE;
    if (tac_graph_check(g, inputs, input_count, 1) != TAC_OK ||
        tac_graph_check(g, outputs, output_count, 0) != TAC_OK)
        return g->result;
    tacProgram* p = g->allocator.allocate(g->allocator.user, sizeof *p);
    if (!p) tac_graph_fail(g, TAC_ERROR_MEMORY, "out of memory for a program");
    if (!p) return g->result;
    *p = (tacProgram){.allocator = g->allocator, .inputs = input_count, .outputs = output_count};
    int top;
    size_t name_bytes = 0;
    for (int k = 0; k < input_count; ++k) name_bytes += strlen(tac_symbol_name(g, inputs[k])) + 1;
    unsigned char* mark = tac_graph_mark_reachable(g, outputs, output_count, &top);
    for (int i = 0; mark && i <= top; ++i) p->nodes += mark[i];
    if (mark && fits_memory_limit(p, g, name_bytes) && alloc_arrays(p, g, name_bytes))
        fill_program(p, g, mark, top, inputs, outputs);
    tac_graph_free(g, mark, (size_t)top + 1);
    if (g->result != TAC_OK) {
        tac_program_destroy(p);
        return g->result;
    }
    *out = p;
    return TAC_OK;
}

int tac_program_count(const tacProgram* p) {
    int count = 0;
    for (int i = 0; p && i < p->nodes; ++i) count += operand_count(p->node[i]) > 0;
    return count;
}

//---------------------------------- running --------------------------------------

size_t tac_program_size(const tacProgram* p) {
    return p ? sizeof(double) * LANES * ((size_t)p->registers + 1) : 0;
}

// one step of all lanes; `x` are the inputs of `lanes` points
static void run_step(const tacProgram* p, int i, const double* x, int lanes, double* work) {
    tacExprNode n = p->node[i];
    double* out = work + (size_t)p->register_of[i] * LANES;
    if (n.op == TAC_OP_NUMBER) {
        for (int l = 0; l < LANES; ++l) out[l] = p->number[i].value;
    } else if (n.op == TAC_OP_SYMBOL) { // lanes beyond the batch repeat the last point
        for (int l = 0; l < LANES; ++l)
            out[l] = x[(size_t)(l < lanes ? l : lanes - 1) * (size_t)p->inputs + (size_t)n.a];
    } else {
        const double *a = work + (size_t)p->register_of[n.a] * LANES,
                     *b = work + (size_t)p->register_of[n.b] * LANES;
        if (n.op == TAC_OP_ADD)
            for (int l = 0; l < LANES; ++l) out[l] = a[l] + b[l];
        else if (n.op == TAC_OP_MUL)
            for (int l = 0; l < LANES; ++l) out[l] = a[l] * b[l];
        else
            for (int l = 0; l < lanes; ++l) out[l] = tac_op_value((tacOp)n.op, a[l], b[l]);
    }
}

// the outputs of one lane, if all are finite
static int copy_outputs(const tacProgram* p, const double* work, int lane, double* y) {
    for (int k = 0; k < p->outputs; ++k)
        if (!isfinite(work[(size_t)p->register_of[p->output[k]] * LANES + (size_t)lane])) return 0;
    for (int k = 0; k < p->outputs; ++k)
        y[k] = work[(size_t)p->register_of[p->output[k]] * LANES + (size_t)lane];
    return 1;
}

tacResult tac_program_run(const tacProgram* p, const double* x, int batch, double* y, void* work) {
    if (!p || !work || (batch > 0 && ((p->inputs > 0 && !x) || (p->outputs > 0 && !y))))
        return TAC_ERROR_VALUE;
    size_t inputs = (size_t)p->inputs, outputs = (size_t)p->outputs;
    tacResult result = TAC_OK;
    for (size_t i = 0; i < inputs * (size_t)(batch > 0 ? batch : 0); ++i)
        if (!isfinite(x[i])) return TAC_ERROR_VALUE;
    memset(work, 0, tac_program_size(p)); // lanes beyond the batch hold numbers
    for (int first = 0; first < batch; first += LANES) {
        int lanes = batch - first < LANES ? batch - first : LANES;
        for (int i = 0; i < p->nodes; ++i) run_step(p, i, x + (size_t)first * inputs, lanes, work);
        for (int l = 0; l < lanes; ++l)
            if (!copy_outputs(p, work, l, y + (size_t)(first + l) * outputs))
                result = TAC_ERROR_DIVERGED;
    }
    return result;
}
