// tactus derive: the equations of motion of a scene as formulas.

#include "cli/commands.h"
#include "cli/derive_symbols.h"
#include "cli/io/output.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/scene/load.h"

#include "base/assert.h"
#include "tactus/symbolic.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DOFS = 200, MAX_TERMS = 1000000 }; // M has the square of this

typedef struct deriveCall {
    const char *path, *notation, *name, *out, *symbols, *set;
    int expand, exact, linear, forces, memory;
} deriveCall;

static int parse_derive_options(deriveCall* call, int argc, char** argv) {
    const cliOption options[] = {
        {"format", 0, CLI_TEXT, &call->notation, "FORMAT",
         "text (default; SymPy reads it), latex or c", 0, 0},
        {"symbols", 0, CLI_TEXT, &call->symbols, "LIST",
         "keep as symbols: masses, lengths, inertias, armatures, gravity (where not 0), or "
         "parameters by name such as body:pole/mass; comma-separated",
         0, 0},
        {"subs", 0, CLI_TEXT, &call->set, "LIST",
         "substitute exact numbers, such as q0=0,m_pole=1/3", 0, 0},
        {"exact", 0, CLI_FLAG, &call->exact, NULL,
         "decimals of up to 15 digits become fractions: 0.1 is 1/10", 0, 0},
        {"forces", 0, CLI_FLAG, &call->forces, NULL,
         "output M a + c, with accelerations a0, a1 .. as inputs, instead of M and c", 0, 0},
        {"coefficients", 0, CLI_FLAG, &call->linear, NULL,
         "output the coefficients of --symbols, row by row, then the remainders", 0, 0},
        {"expand", 0, CLI_FLAG, &call->expand, NULL,
         "expand and collect terms: shorter for two or three joints", 0, 0},
        {"name", 0, CLI_TEXT, &call->name, "NAME",
         "name of the C function and of the outputs; default y", 0, 0},
        {"memory", 0, CLI_INT, &call->memory, "MIB", "memory limit of the formulas; default 1024",
         1, 1048576},
        {"out", 'o', CLI_TEXT, &call->out, "FILE", "write here instead of standard output", 0, 0},
    };
    const cliCommand command = {
        .name = "derive",
        .summary = "the equations of motion of a scene as text, LaTeX or C",
        .positional = "FILE",
        .description =
            "M(q) a + c(q, v) = generalized forces, without springs, dampers, actuators and\n"
            "contacts. Inputs: qpos q0, q1 .., qvel v0, v1 .., then the symbols of --symbols;\n"
            "quaternions have length 1. Outputs: M row by row, then c. Common subexpressions have\n"
            "names. C is one function NAME(x, y) that needs <math.h> alone and allocates "
            "nothing.\n",
        .example =
            "  tactus derive scenes/cart_pole.xml --expand\n"
            "  tactus derive scenes/cart_pole.xml --symbols masses,lengths,gravity --expand\n"
            "  tactus derive scenes/cart_pole.xml --symbols masses --forces --coefficients\n"
            "  tactus derive scenes/arm.xml --format c --name arm -o arm.c\n",
        .options = options,
        .option_count = TAC_COUNT(options),
        .min = 1,
        .max = 1,
        .arguments = &call->path,
    };
    return cli_parse(&command, argc, argv);
}

// index of a notation, or -1
static int find_notation(const char* word) {
    static const char* const words[] = {"text", "latex", "c"};
    for (int i = 0; i < TAC_COUNT(words); ++i)
        if (strcmp(word, words[i]) == 0) return i;
    return -1;
}

//---------------------------------- writing --------------------------------------

static int write_to_file(void* user, const char* text, size_t length) {
    return fwrite(text, 1, length, user) != length;
}

// a name as part of a comment of one line
static void write_comment_text(FILE* file, const char* name) {
    for (; *name; ++name) fputc((unsigned char)*name < ' ' || *name == '\\' ? ' ' : *name, file);
}

// what the outputs are
static void write_outputs(FILE* file, const deriveCall* call, int nv, int symbols) {
    if (call->linear) {
        int rows = call->forces ? nv : nv * nv + nv;
        fprintf(file,
                "outputs 0 .. %d are coefficients of %d symbols, %d rows; then %d remainders\n",
                rows * symbols - 1, symbols, rows, rows);
    } else if (call->forces) {
        fprintf(file, "outputs 0 .. %d are M a + c\n", nv - 1);
    } else {
        fprintf(file, "outputs 0 .. %d are M row by row, %d .. %d are c\n", nv * nv - 1, nv * nv,
                nv * nv + nv - 1);
    }
}

// a name in a comment, or the kind of what has none
static void write_named(FILE* file, const char* kind, const char* name, const char* unnamed) {
    fprintf(file, "%s ", kind);
    if (*name)
        write_comment_text(file, name);
    else
        fprintf(file, "(%s, without a name)", unnamed);
}

// forces of the scene that the equations omit, beyond those of --help
static void write_omitted(FILE* file, const char* mark, const tacModel* model) {
    int active_equalities = 0;
    for (int i = 0; i < model->nequality; ++i) active_equalities += model->equality[i].active;
    if (active_equalities > 0)
        fprintf(file, "%s not part of these equations: %d equalit%s of the scene\n", mark,
                active_equalities, active_equalities == 1 ? "y" : "ies");
    for (int b = 0; b < model->nbody; ++b) {
        if (model->body[b].gravcomp < 0 || model->param[model->body[b].gravcomp] == 0.0) continue;
        fprintf(file, "%s not part of these equations: gravity compensation of ", mark);
        write_named(file, "body", model->body[b].name, "body");
        fprintf(file, "\n");
    }
    if (model->fluid >= 0) fprintf(file, "%s not part of these equations: the fluid\n", mark);
}

// which joint has which symbol, as comments
static void write_legend(FILE* file, const deriveCall* call, const deriveSymbols* symbols) {
    static const char* const marks[] = {"#", "%", "//"};
    const char* mark = marks[find_notation(call->notation)];
    const tacModel* model = symbols->model;
    fprintf(file, "%s ", mark);
    write_comment_text(file, model->name);
    fprintf(file, ": ");
    write_outputs(file, call, model->nv, symbols->count);
    for (int j = 0; j < model->njoint; ++j) {
        static const char* const kinds[] = {"free", "ball", "slide", "hinge"};
        const tacJoint* joint = &model->joint[j];
        fprintf(file, "%s q%d, v%d: ", mark, joint->qpos, joint->dof);
        write_named(file, "joint", joint->name, kinds[joint->kind]);
        fprintf(file, " of ");
        write_named(file, "body", model->body[joint->body].name, "body");
        fprintf(file, "\n");
    }
    derive_symbols_legend(symbols, mark, file);
    write_omitted(file, mark, model);
}

// Reserved names: of inputs, of formulas, of C. Outputs are NAME0, NAME1, ...
static int is_reserved_name(const char* name) {
    static const char* const reserved[] = {
        "q",    "v",     "a",     "x",     "t",      "power",  "sign",     "sin",     "cos",
        "tan",  "exp",   "log",   "sqrt",  "fabs",   "pow",    "fmin",     "fmax",    "asin",
        "acos", "atan",  "atan2", "sinh",  "cosh",   "tanh",   "hypot",    "double",  "float",
        "int",  "char",  "void",  "const", "static", "return", "for",      "if",      "else",
        "do",   "while", "long",  "short", "main",   "switch", "case",     "default", "break",
        "goto", "auto",  "enum",  "union", "struct", "signed", "unsigned", "typedef", "extern"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; ++i)
        if (strcmp(name, reserved[i]) == 0) return 1;
    size_t length = strlen(name);
    return length == 0 || name[length - 1] == '_' || name[0] == '_';
}

static int write_program(const deriveCall* call, const deriveSymbols* symbols,
                         const tacProgram* program) {
    cliOutput output;
    tacNotation notation = (tacNotation)find_notation(call->notation);
    if (is_reserved_name(call->name))
        return cli_error("derive", "--name: '%s' is reserved; choose another name", call->name);
    int code = cli_output_open(&output, call->out);
    if (code != CLI_OK) return code;
    write_legend(output.file, call, symbols);
    // closing the file reports a full disk
    if (tac_program_print(program, call->name, notation, write_to_file, output.file) ==
        TAC_ERROR_VALUE) {
        cli_output_discard(&output);
        return cli_error("derive",
                         "--name: '%s' is not a valid name: letters, digits and _, at most 100",
                         call->name);
    }
    return cli_output_close(&output);
}

//---------------------------------- deriving -------------------------------------

// inputs and outputs of the program so far
typedef struct derivation {
    deriveEquations e;
    const deriveCall* call;
    const deriveSymbols* symbols;
    tacExpr* work;
} derivation;

// M a + c in place of M and c
static void form_forces(derivation* d) {
    tacGraph* g = d->e.graph;
    int nv = d->symbols->model->nv;
    for (int k = 0; k < nv; ++k) {
        char name[24];
        snprintf(name, sizeof name, "a%d", k);
        d->e.in[d->e.inputs + k] = tac_symbol(g, name);
    }
    for (int i = 0; i < nv; ++i) {
        tacExpr sum = d->e.out[nv * nv + i];
        for (int j = 0; j < nv; ++j)
            sum = tac_expr_add(g, sum,
                               tac_expr_mul(g, d->e.out[i * nv + j], d->e.in[d->e.inputs + j]));
        d->work[i] = sum;
    }
    memcpy(d->e.out, d->work, sizeof *d->e.out * (size_t)nv);
    d->e.inputs += nv;
    d->e.outputs = nv;
}

// coefficients of the symbols, then the remainders
static tacResult form_coefficients(derivation* d) {
    int n = d->symbols->count, rows = d->e.outputs;
    tacExpr* rest = d->work + (size_t)rows * (size_t)n;
    tacResult result =
        tac_expr_linear(d->e.graph, d->e.out, rows, d->symbols->symbol, n, d->work, rest);
    if (result != TAC_OK) return result;
    d->e.outputs = rows * (n + 1);
    memcpy(d->e.out, d->work, sizeof *d->e.out * (size_t)d->e.outputs);
    return TAC_OK;
}

// an exit code; CLI_ERROR after a message, the graph's error in *result otherwise
static int derive_equations(derivation* d, tacResult* result) {
    const tacModel* model = d->symbols->model;
    const deriveCall* call = d->call;
    int nq = model->nq, nv = model->nv;
    const tacSceneSymbols symbols = {d->symbols->offset, d->symbols->symbol, d->symbols->count,
                                     call->exact};
    *result = tac_scene_equations(d->e.graph, model, &symbols, d->e.in, d->e.in + nq, d->e.out,
                                  d->e.out + nv * nv);
    if (*result != TAC_OK) return CLI_OK;
    d->e.inputs = nq + nv;
    d->e.outputs = nv * nv + nv;
    if (call->forces) form_forces(d);
    memcpy(d->e.in + d->e.inputs, d->symbols->symbol, sizeof *d->e.in * (size_t)d->symbols->count);
    d->e.inputs += d->symbols->count;
    derive_symbols_find_unused(d->symbols, d->e.out, d->e.outputs);
    if (call->linear) *result = form_coefficients(d);
    if (*result != TAC_OK) return CLI_OK;
    if (derive_substitute(&d->e, call->set, result) != 0)
        return *result == TAC_OK ? CLI_ERROR : CLI_OK;
    if (*result == TAC_OK && call->expand)
        *result = tac_expr_expand(d->e.graph, d->e.out, d->e.outputs, MAX_TERMS, d->e.out);
    return CLI_OK;
}

// most numbers of outputs and work
static size_t output_capacity(const tacModel* model, int symbols) {
    size_t nv = (size_t)model->nv;
    return (nv * nv + nv) * ((size_t)symbols + 1);
}

static int derive_and_write(const deriveCall* call, const deriveSymbols* symbols, tacGraph* graph) {
    const tacModel* model = symbols->model;
    size_t capacity = output_capacity(model, symbols->count);
    size_t inputs = (size_t)(model->nq + 2 * model->nv + symbols->count);
    derivation d = {.e.graph = graph, .call = call, .symbols = symbols};
    tacProgram* program = NULL;
    tacMessage message = {0};
    tacResult result = TAC_ERROR_MEMORY;
    int code = CLI_OK;
    d.e.in = malloc(sizeof *d.e.in * (inputs + 2 * capacity));
    if (d.e.in) {
        d.e.out = d.e.in + inputs;
        d.work = d.e.out + capacity;
        code = derive_equations(&d, &result);
        if (code == CLI_OK && result == TAC_OK)
            result = tac_program_create(graph, d.e.in, d.e.inputs, d.e.out, d.e.outputs, &program);
        if (result != TAC_OK) tac_graph_result(graph, &message);
    }
    free(d.e.in);
    snprintf(message.file, sizeof message.file, "%s", call->path);
    if (code == CLI_OK)
        code = result == TAC_OK ? write_program(call, symbols, program)
                                : cli_error_message(result, &message);
    tac_program_destroy(program);
    return code;
}

static int derive_model(const deriveCall* call, const tacModel* model) {
    tacGraph* graph;
    deriveSymbols symbols;
    tacGraphOptions options = tac_default_graph_options();
    options.max_bytes = (size_t)call->memory << 20;
    if (model->nv == 0) return cli_error("derive", "%s has no joints", call->path);
    if (model->nv > MAX_DOFS)
        return cli_error("derive", "%s: %d degrees of freedom exceed the limit %d", call->path,
                         model->nv, MAX_DOFS);
    tacResult result = tac_graph_create(&options, &graph);
    if (result != TAC_OK) return cli_error_message(result, NULL);
    int code = derive_symbols_open(&symbols, graph, model, call->symbols);
    if (code == CLI_OK && call->linear && symbols.count == 0)
        code = cli_error("derive", "--coefficients requires --symbols");
    if (code == CLI_OK) code = derive_and_write(call, &symbols, graph);
    derive_symbols_close(&symbols);
    tac_graph_destroy(graph);
    return code;
}

int tac_cmd_derive(int argc, char** argv) {
    deriveCall call = {.notation = "text", .name = "y", .memory = 1024};
    int code = parse_derive_options(&call, argc, argv);
    if (code != CLI_CONTINUE) return code;
    if (find_notation(call.notation) < 0)
        return cli_error("derive", "--format: '%s' is not text, latex or c", call.notation);
    tacModel* model;
    tacMessage message;
    if (cli_load(call.path, NULL, &model, &message) != 0) return CLI_ERROR;
    code = derive_model(&call, model);
    tac_model_destroy(model);
    return code;
}
