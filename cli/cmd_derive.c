// tactus derive: the equations of motion of a scene as formulas.

#include "commands.h"
#include "options.h"
#include "output.h"
#include "report.h"

#include "base/assert.h"
#include "tactus/symbolic.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DOFS = 200, MAX_TERMS = 1000000 }; // M has the square of the first

typedef struct deriveCall {
    const char *path, *notation, *name, *out;
    int expand;
} deriveCall;

static int parse(deriveCall* call, int argc, char** argv) {
    const cliOption options[] = {
        {"as", 0, CLI_TEXT, &call->notation, "NOTATION",
         "text (default, as SymPy reads it), latex or c", 0, 0},
        {"name", 0, CLI_TEXT, &call->name, "NAME", "of the C function, and of the outputs; y", 0,
         0},
        {"expand", 0, CLI_FLAG, &call->expand, NULL,
         "multiply out and collect like terms: shorter for two or three joints", 0, 0},
        {"out", 'o', CLI_TEXT, &call->out, "FILE", "write here instead of standard output", 0, 0},
    };
    const cliCommand command = {
        .name = "derive",
        .summary = "the equations of motion of a scene as text, LaTeX or C",
        .positional = "FILE",
        .description =
            "M(q) a + c(q, v) = forces along the joints, without springs, dampers, actuators and\n"
            "contacts. The inputs are qpos q0, q1 .. and qvel v0, v1 ..; quaternions have length\n"
            "1. The outputs are M row by row, then c. What is shared has a name of its own. C is\n"
            "one function NAME(x, y) that needs <math.h> alone and allocates nothing.\n",
        .example = "  tactus derive scenes/cart_pole.xml --expand\n"
                   "  tactus derive scenes/arm.xml --as c --name arm -o arm.c\n",
        .options = options,
        .option_count = TAC_COUNT(options),
        .least = 1,
        .most = 1,
        .arguments = &call->path,
    };
    return cli_parse(&command, argc, argv);
}

// a notation by its word, or -1
static int notation_of(const char* word) {
    static const char* const words[] = {"text", "latex", "c"};
    for (int i = 0; i < TAC_COUNT(words); ++i)
        if (strcmp(word, words[i]) == 0) return i;
    return -1;
}

//---------------------------------- writing --------------------------------------

static int write_text(void* user, const char* text, size_t length) {
    return fwrite(text, 1, length, user) != length;
}

// a name as part of a comment of one line
static void write_name(FILE* file, const char* name) {
    for (; *name; ++name) fputc((unsigned char)*name < ' ' || *name == '\\' ? ' ' : *name, file);
}

// which joint moves which symbol, as comments
static void write_legend(FILE* file, const tacModel* model, tacNotation notation) {
    static const char* const marks[] = {"#", "%", "//"};
    const char* mark = marks[notation];
    int n = model->nv;
    fprintf(file, "%s ", mark);
    write_name(file, model->name);
    fprintf(file, ": outputs 0 .. %d are M row by row, %d .. %d are c\n", n * n - 1, n * n,
            n * n + n - 1);
    for (int j = 0; j < model->njoint; ++j) {
        const tacJoint* joint = &model->joint[j];
        fprintf(file, "%s q%d, v%d: joint ", mark, joint->qpos, joint->dof);
        write_name(file, joint->name);
        fprintf(file, " of body ");
        write_name(file, model->body[joint->body].name);
        fprintf(file, "\n");
    }
}

static int write_program(const deriveCall* call, const tacModel* model, const tacProgram* program) {
    cliOutput output;
    tacNotation notation = (tacNotation)notation_of(call->notation);
    int code = cli_output_open(&output, call->out);
    if (code != CLI_FINE) return code;
    write_legend(output.file, model, notation);
    // what a full disk refuses is told by closing the file
    if (tac_program_print(program, call->name, notation, write_text, output.file) ==
        TAC_ERROR_VALUE) {
        cli_output_discard(&output);
        return cli_wrong("derive", "--name: '%s' is no name: letters, digits and _, at most 100",
                         call->name);
    }
    return cli_output_close(&output);
}

//---------------------------------- deriving -------------------------------------

static tacResult derive(tacGraph* graph, const tacModel* model, int expand, tacProgram** program) {
    int nq = model->nq, nv = model->nv, outputs = nv * nv + nv;
    tacExpr *in = malloc(sizeof *in * (size_t)(nq + nv + outputs)), *out = in + nq + nv;
    if (!in) return TAC_ERROR_MEMORY;
    tacResult result = tac_scene_equations(graph, model, NULL, in, in + nq, out, out + nv * nv);
    if (result == TAC_OK && expand) result = tac_expr_expand(graph, out, outputs, MAX_TERMS, out);
    if (result == TAC_OK) result = tac_program_create(graph, in, nq + nv, out, outputs, program);
    free(in);
    return result;
}

static int derive_model(const deriveCall* call, const tacModel* model) {
    tacGraph* graph;
    tacProgram* program = NULL;
    tacMessage message = {0};
    if (model->nv == 0)
        return cli_wrong("derive", "%s: nothing moves: it has no joints", call->path);
    if (model->nv > MAX_DOFS)
        return cli_wrong("derive", "%s: %d degrees of freedom; formulas are made of at most %d",
                         call->path, model->nv, MAX_DOFS);
    tacResult result = tac_graph_create(NULL, &graph);
    if (result != TAC_OK) return cli_report(result, &message);
    result = derive(graph, model, call->expand, &program);
    if (result != TAC_OK) tac_graph_result(graph, &message);
    snprintf(message.file, sizeof message.file, "%s", call->path);
    tac_graph_destroy(graph);
    int code =
        result == TAC_OK ? write_program(call, model, program) : cli_report(result, &message);
    tac_program_destroy(program);
    return code;
}

int tac_cmd_derive(int argc, char** argv) {
    deriveCall call = {.notation = "text", .name = "y"};
    int code = parse(&call, argc, argv);
    if (code != CLI_GO_ON) return code;
    if (notation_of(call.notation) < 0)
        return cli_wrong("derive", "--as: '%s' is none of text, latex, c", call.notation);
    tacModel* model;
    tacMessage message;
    tacResult result = tac_load(call.path, NULL, &model, &message);
    if (result != TAC_OK) return cli_report(result, &message);
    code = derive_model(&call, model);
    tac_model_destroy(model);
    return code;
}
