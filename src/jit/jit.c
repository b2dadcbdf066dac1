// libtactus_jit.so: a program as machine code, by libgccjit.
//
//   symbolic/code/code.c --tacJitJob--> [this file] --two functions--> symbolic/code/code.c
//
// The library is GPL-3 through libgccjit; Tactus loads it at run time if it is present, and works
// without it. Statements are those of the generated C (program_print.c): each temp is a local
// variable, or a slot of t if another part reads it. `many` does with vectors what `one` does with
// numbers, in the same order, so the bits are the same; functions are called lane by lane.

#include "symbolic/code/jit.h"

#include "base/assert.h"

#include <libgccjit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct builder {
    gcc_jit_context* c;
    gcc_jit_type *number, *pointer, *constant, *integer, *nothing, *vector;
    const tacJitJob* job;
    int lanes; // of the function that is built: 1 or many
    gcc_jit_function* f;
    gcc_jit_block* block;
    gcc_jit_param *x, *y, *t;
    gcc_jit_lvalue **temp, **input; // locals of this part, NULL: none yet
} builder;

static gcc_jit_type* value_type(const builder* b) { return b->lanes > 1 ? b->vector : b->number; }

static gcc_jit_rvalue* index_of(builder* b, int i) {
    return gcc_jit_context_new_rvalue_from_int(b->c, b->integer, i);
}

static gcc_jit_lvalue* element(builder* b, gcc_jit_rvalue* array, int i) {
    return gcc_jit_context_new_array_access(b->c, NULL, array, index_of(b, i));
}

static gcc_jit_rvalue* scalar_constant(builder* b, double value) {
    return gcc_jit_context_new_rvalue_from_double(b->c, b->number, value);
}

// the same number in all lanes
static gcc_jit_rvalue* constant(builder* b, double value) {
    gcc_jit_rvalue* lanes[TAC_JIT_LANES];
    if (b->lanes == 1) return scalar_constant(b, value);
    for (int i = 0; i < b->lanes; ++i) lanes[i] = scalar_constant(b, value);
    return gcc_jit_context_new_rvalue_from_vector(b->c, NULL, b->vector, (size_t)b->lanes, lanes);
}

static gcc_jit_lvalue* new_local(builder* b, const char* kind, int index, gcc_jit_rvalue* value) {
    char name[40];
    snprintf(name, sizeof name, "%s%d", kind, index);
    gcc_jit_lvalue* out = gcc_jit_function_new_local(b->f, NULL, value_type(b), name);
    gcc_jit_block_add_assignment(b->block, NULL, out, value);
    return out;
}

static gcc_jit_rvalue* binary(builder* b, enum gcc_jit_binary_op op, gcc_jit_rvalue* left,
                              gcc_jit_rvalue* right) {
    return gcc_jit_context_new_binary_op(b->c, NULL, op, value_type(b), left, right);
}

// a vector in memory as its numbers
static gcc_jit_rvalue* lanes_of(builder* b, gcc_jit_lvalue* vector) {
    return gcc_jit_context_new_cast(b->c, NULL, gcc_jit_lvalue_get_address(vector, NULL),
                                    b->pointer);
}

//---------------------------------- leaves ---------------------------------------

// of many points row after row
static gcc_jit_rvalue* load_input(builder* b, int k) {
    gcc_jit_rvalue *x = gcc_jit_param_as_rvalue(b->x), *lanes[TAC_JIT_LANES];
    int stride = b->job->program->inputs;
    if (!b->input[k]) {
        for (int i = 0; i < b->lanes; ++i)
            lanes[i] = gcc_jit_lvalue_as_rvalue(element(b, x, i * stride + k));
        b->input[k] =
            new_local(b, "x", k,
                      b->lanes == 1 ? lanes[0]
                                    : gcc_jit_context_new_rvalue_from_vector(
                                          b->c, NULL, b->vector, (size_t)b->lanes, lanes));
    }
    return gcc_jit_lvalue_as_rvalue(b->input[k]);
}

// a slot holds the lanes of one value side by side
static gcc_jit_rvalue* load_slot(builder* b, int temp) {
    gcc_jit_rvalue *t = gcc_jit_param_as_rvalue(b->t), *lanes[TAC_JIT_LANES];
    int slot = b->job->parts->slot[temp];
    if (!b->temp[temp]) {
        for (int i = 0; i < b->lanes; ++i)
            lanes[i] = gcc_jit_lvalue_as_rvalue(element(b, t, slot * b->lanes + i));
        b->temp[temp] =
            new_local(b, "t", temp,
                      b->lanes == 1 ? lanes[0]
                                    : gcc_jit_context_new_rvalue_from_vector(
                                          b->c, NULL, b->vector, (size_t)b->lanes, lanes));
    }
    return gcc_jit_lvalue_as_rvalue(b->temp[temp]);
}

// writes the lanes of a value to `array`, `stride` numbers apart
static void store_lanes(builder* b, gcc_jit_rvalue* value, gcc_jit_rvalue* array, int first,
                        int stride, int index) {
    if (b->lanes == 1) {
        gcc_jit_block_add_assignment(b->block, NULL, element(b, array, first), value);
        return;
    }
    gcc_jit_rvalue* lanes = lanes_of(b, new_local(b, "y", index, value));
    for (int i = 0; i < b->lanes; ++i)
        gcc_jit_block_add_assignment(b->block, NULL, element(b, array, first + i * stride),
                                     gcc_jit_lvalue_as_rvalue(element(b, lanes, i)));
}

//---------------------------------- functions ------------------------------------

// calls a function of the library, or of libm by its name
static gcc_jit_rvalue* call_lane(builder* b, tacOp op, gcc_jit_rvalue** arguments) {
    int count = tac_op_is_binary(op) ? 2 : 1;
    const char* name = op == TAC_OP_POW ? "pow" : b->job->name(op, TAC_NOTATION_C);
    if (op != TAC_OP_SIGN && op != TAC_OP_SIGMOID && op != TAC_OP_SOFTPLUS)
        return gcc_jit_context_new_call(
            b->c, NULL, gcc_jit_context_get_builtin_function(b->c, name), count, arguments);
    gcc_jit_type* type =
        gcc_jit_context_new_function_ptr_type(b->c, NULL, b->number, 1, &b->number, 0);
    tacFunction function = b->job->function(op);
    void* address;
    memcpy(&address, &function, sizeof address);
    gcc_jit_rvalue* target = gcc_jit_context_new_rvalue_from_ptr(b->c, type, address);
    return gcc_jit_context_new_call_through_ptr(b->c, NULL, target, 1, arguments);
}

static gcc_jit_rvalue* root_lane(builder* b, gcc_jit_rvalue* a) {
    return gcc_jit_context_new_call(b->c, NULL, gcc_jit_context_get_builtin_function(b->c, "sqrt"),
                                    1, &a);
}

// a function of all lanes; `root` 1: sqrt
static gcc_jit_rvalue* call_function(builder* b, tacOp op, int root, gcc_jit_rvalue* a,
                                     gcc_jit_rvalue* c, int index) {
    gcc_jit_rvalue *both[2] = {a, c}, *from[2], *out;
    if (b->lanes == 1) return root ? root_lane(b, a) : call_lane(b, op, both);
    gcc_jit_lvalue* result = new_local(b, "f", index, a);
    from[0] = lanes_of(b, new_local(b, "a", index, a));
    from[1] = c ? lanes_of(b, new_local(b, "b", index, c)) : NULL;
    for (int i = 0; i < b->lanes; ++i) {
        for (int k = 0; k < 2; ++k)
            both[k] = from[k] ? gcc_jit_lvalue_as_rvalue(element(b, from[k], i)) : NULL;
        out = root ? root_lane(b, both[0]) : call_lane(b, op, both);
        gcc_jit_block_add_assignment(b->block, NULL, element(b, lanes_of(b, result), i), out);
    }
    return gcc_jit_lvalue_as_rvalue(result);
}

// by squaring, in the order of tac_power_value
static gcc_jit_rvalue* whole_power(builder* b, gcc_jit_rvalue* a, int n, int index) {
    gcc_jit_rvalue* out = NULL;
    for (int bit = 0; n; n >>= 1, ++bit) {
        gcc_jit_lvalue* square = new_local(b, bit ? "s" : "p", index * 8 + bit, a);
        a = gcc_jit_lvalue_as_rvalue(square);
        if (n & 1) out = out ? binary(b, GCC_JIT_BINARY_OP_MULT, out, a) : a;
        if (n > 1) a = binary(b, GCC_JIT_BINARY_OP_MULT, a, a);
    }
    return out;
}

static gcc_jit_rvalue* power_value(builder* b, gcc_jit_rvalue* a, gcc_jit_rvalue* c,
                                   double exponent, int index) {
    double n = fabs(exponent);
    gcc_jit_rvalue* out;
    if (n == 0.5)
        out = call_function(b, TAC_OP_POW, 1, a, NULL, index);
    else if (n <= TAC_POWER_MAX && n == floor(n))
        out = n == 0.0 ? constant(b, 1.0) : whole_power(b, a, (int)n, index);
    else
        return call_function(b, TAC_OP_POW, 0, a, c, index);
    return exponent < 0.0 ? binary(b, GCC_JIT_BINARY_OP_DIVIDE, constant(b, 1.0), out) : out;
}

//---------------------------------- statements -----------------------------------

static gcc_jit_rvalue* formula(builder* b, int e, int whole);

static gcc_jit_rvalue* operation(builder* b, int e) {
    const tacProgram* p = b->job->program;
    tacExprNode n = p->node[e];
    if (n.op == TAC_OP_NUMBER) return constant(b, p->number[n.a].value);
    if (n.op == TAC_OP_SYMBOL) return load_input(b, n.a);
    int fixed = n.op == TAC_OP_POW && p->node[n.b].op == TAC_OP_NUMBER;
    gcc_jit_rvalue* left = formula(b, n.a, 0);
    gcc_jit_rvalue* right = tac_op_is_binary((tacOp)n.op) ? formula(b, n.b, 0) : NULL;
    if (n.op == TAC_OP_ADD) return binary(b, GCC_JIT_BINARY_OP_PLUS, left, right);
    if (n.op == TAC_OP_MUL) return binary(b, GCC_JIT_BINARY_OP_MULT, left, right);
    if (n.op == TAC_OP_POW)
        return power_value(b, left, right, fixed ? p->number[p->node[n.b].a].value : NAN, e);
    return call_function(b, (tacOp)n.op, 0, left, right, e);
}

// a node by its name, or (whole) as its expression
static gcc_jit_rvalue* formula(builder* b, int e, int whole) {
    int temp = b->job->program->temp[e];
    if (whole || temp < 0) return operation(b, e);
    if (b->temp[temp]) return gcc_jit_lvalue_as_rvalue(b->temp[temp]);
    return load_slot(b, temp);
}

static void statement(builder* b, tacStatementCursor* cursor) {
    int is_output, index, node = tac_statement_cursor_next(cursor, &is_output, &index);
    gcc_jit_rvalue* value = formula(b, node, !is_output);
    if (is_output) {
        store_lanes(b, value, gcc_jit_param_as_rvalue(b->y), index, b->job->program->outputs,
                    index);
        return;
    }
    b->temp[index] = new_local(b, "t", index, value);
    int slot = b->job->parts->slot ? b->job->parts->slot[index] : -1;
    if (slot >= 0)
        store_lanes(b, gcc_jit_lvalue_as_rvalue(b->temp[index]), gcc_jit_param_as_rvalue(b->t),
                    slot * b->lanes, 1, b->job->program->outputs + slot);
}

//---------------------------------- functions ------------------------------------

static void begin_function(builder* b, const char* name, int exported) {
    b->x = gcc_jit_context_new_param(b->c, NULL, b->constant, "x");
    b->y = gcc_jit_context_new_param(b->c, NULL, b->pointer, "y");
    b->t = gcc_jit_context_new_param(b->c, NULL, b->pointer, "t");
    gcc_jit_param* params[] = {b->x, b->y, b->t};
    b->f = gcc_jit_context_new_function(
        b->c, NULL, exported ? GCC_JIT_FUNCTION_EXPORTED : GCC_JIT_FUNCTION_INTERNAL, b->nothing,
        name, 3, params, 0);
    b->block = gcc_jit_function_new_block(b->f, NULL);
    memset(b->temp, 0, sizeof *b->temp * (size_t)(b->job->program->temps + 1));
    memset(b->input, 0, sizeof *b->input * (size_t)(b->job->program->inputs + 1));
}

static void build_part(builder* b, const char* name, int k, tacStatementCursor* cursor) {
    int left = b->job->parts->statements - k * TAC_PART_STATEMENTS;
    begin_function(b, name, 0);
    for (int s = 0; s < left && s < TAC_PART_STATEMENTS; ++s) statement(b, cursor);
    gcc_jit_block_end_with_void_return(b->block, NULL);
}

// the parts, then a function that calls them in turn
static int build_function(builder* b, const char* name, int lanes) {
    int parts = b->job->parts->count;
    gcc_jit_function** part = malloc(sizeof *part * (size_t)(parts + 1));
    tacStatementCursor cursor = {b->job->program, 0, 0};
    if (!part) return 0;
    b->lanes = lanes;
    for (int k = 0; k < parts; ++k) {
        char text[60];
        snprintf(text, sizeof text, "%s_part%d", name, k);
        build_part(b, text, k, &cursor);
        part[k] = b->f;
    }
    begin_function(b, name, 1);
    gcc_jit_rvalue* arguments[] = {gcc_jit_param_as_rvalue(b->x), gcc_jit_param_as_rvalue(b->y),
                                   gcc_jit_param_as_rvalue(b->t)};
    for (int k = 0; k < parts; ++k)
        gcc_jit_block_add_eval(b->block, NULL,
                               gcc_jit_context_new_call(b->c, NULL, part[k], 3, arguments));
    gcc_jit_block_end_with_void_return(b->block, NULL);
    free(part);
    return 1;
}

//---------------------------------- all ------------------------------------------

// no contraction and no errno: the bits of the interpreter
static void set_options(gcc_jit_context* c, const tacJitJob* job) {
    gcc_jit_context_set_int_option(c, GCC_JIT_INT_OPTION_OPTIMIZATION_LEVEL, job->level);
    gcc_jit_context_add_command_line_option(c, "-ffp-contract=off");
    gcc_jit_context_add_command_line_option(c, "-fno-math-errno");
    for (int i = 0; job->flags[i]; ++i) gcc_jit_context_add_command_line_option(c, job->flags[i]);
    gcc_jit_context_add_driver_option(c, "-lm");
    gcc_jit_context_set_bool_print_errors_to_stderr(c, 0);
}

static void set_types(builder* b) {
    b->nothing = gcc_jit_context_get_type(b->c, GCC_JIT_TYPE_VOID);
    b->number = gcc_jit_context_get_type(b->c, GCC_JIT_TYPE_DOUBLE);
    b->integer = gcc_jit_context_get_type(b->c, GCC_JIT_TYPE_INT);
    b->pointer = gcc_jit_type_get_pointer(b->number);
    b->constant = gcc_jit_type_get_pointer(gcc_jit_type_get_const(b->number));
    b->vector = gcc_jit_type_get_vector(b->number, (size_t)b->job->lanes);
}

static int fetch(gcc_jit_result* result, tacJitCode* out) {
    void* one = gcc_jit_result_get_code(result, "tac_jit_one");
    void* many = gcc_jit_result_get_code(result, "tac_jit_many");
    memcpy(&out->one, &one, sizeof one);
    memcpy(&out->many, &many, sizeof many);
    return one && many;
}

EXPORT void tac_jit_release(void* handle) { gcc_jit_result_release(handle); }

EXPORT int tac_jit_compile(const tacJitJob* job, tacJitCode* out) {
    *out = (tacJitCode){0};
    if (job->version != TAC_JIT_VERSION || job->lanes > TAC_JIT_LANES) {
        snprintf(out->error, sizeof out->error,
                 "libtactus_jit.so has another version; build it again");
        return 1;
    }
    size_t temps = (size_t)job->program->temps + 1, inputs = (size_t)job->program->inputs + 1;
    gcc_jit_context* c = gcc_jit_context_acquire();
    gcc_jit_lvalue** memory = malloc(sizeof *memory * (temps + inputs));
    gcc_jit_result* result = NULL;
    if (c && memory) {
        builder b = {.c = c, .job = job, .temp = memory, .input = memory + temps};
        set_options(c, job);
        set_types(&b);
        if (build_function(&b, "tac_jit_one", 1) && build_function(&b, "tac_jit_many", job->lanes))
            result = gcc_jit_context_compile(c);
    }
    if (!result || !fetch(result, out)) {
        const char* why = c ? gcc_jit_context_get_first_error(c) : NULL;
        snprintf(out->error, sizeof out->error, "%s", why ? why : "out of memory");
        if (result) gcc_jit_result_release(result);
        result = NULL;
    }
    out->handle = result;
    free(memory);
    if (c) gcc_jit_context_release(c);
    return result == NULL;
}
