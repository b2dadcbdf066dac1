/// Formulas: expressions that share what they have in common, their exact derivatives, printing,
/// programs and C code from them, and the equations of motion of a scene.
///
/// A tacExpr is a number of a graph. A call that fails, or gets no graph, returns TAC_EXPR_NONE;
/// whatever is made of that is TAC_EXPR_NONE too, so formulas are written down in one go and
/// tac_graph_result asked at the end. A graph serves one thread at a time.
#ifndef TACTUS_SYMBOLIC_H
#define TACTUS_SYMBOLIC_H

#include "tactus/state.h"

TAC_EXTERN_C_BEGIN

//---------------------------------- graph ----------------------------------------

/// All expressions that may share parts.
typedef struct tacGraph tacGraph;

/// One expression of a graph. Equal expressions that were built alike are the same number.
typedef int tacExpr;

/// What a failed call returns.
#define TAC_EXPR_NONE (-1)

/// How to make a graph. Start from tac_default_graph_options().
typedef struct tacGraphOptions {
    tacAllocator allocator; ///< where the graph and its working memory come from
    size_t max_bytes;       ///< all memory it may take at once; default 1 GiB        [bytes]
} tacGraphOptions;

/// Options with the C library's allocator.
TAC_API
tacGraphOptions tac_default_graph_options(void);

/// Makes an empty graph; NULL options are the default ones. Free it with tac_graph_destroy.
TAC_API
tacResult tac_graph_create(const tacGraphOptions* options, tacGraph** out);

/// Gives a graph and all its expressions back. NULL is allowed.
TAC_API
void tac_graph_destroy(tacGraph* graph);

/// First error since the last call, with its message (NULL to skip), and forgets it.
TAC_API
tacResult tac_graph_result(tacGraph* graph, tacMessage* message);

/// How many expressions the graph holds, shared ones once.
TAC_API
int tac_graph_count(const tacGraph* graph);

//---------------------------------- expressions ----------------------------------

/// The functions of one argument: name, LaTeX.
#define TAC_FUNCTIONS(X)                                                                           \
    X(SIN, "sin", "\\sin")                                                                         \
    X(COS, "cos", "\\cos")                                                                         \
    X(TAN, "tan", "\\tan")                                                                         \
    X(ASIN, "asin", "\\arcsin")                                                                    \
    X(ACOS, "acos", "\\arccos")                                                                    \
    X(ATAN, "atan", "\\arctan")                                                                    \
    X(EXP, "exp", "\\exp")                                                                         \
    X(LOG, "log", "\\log")                                                                         \
    X(SINH, "sinh", "\\sinh")                                                                      \
    X(COSH, "cosh", "\\cosh")                                                                      \
    X(TANH, "tanh", "\\tanh")                                                                      \
    X(ABS, "abs", "\\operatorname{abs}")                                                           \
    X(SIGN, "sign", "\\operatorname{sign}")                                                        \
    X(SIGMOID, "sigmoid", "\\operatorname{sigmoid}")                                               \
    X(SOFTPLUS, "softplus", "\\operatorname{softplus}")

/// What an expression is. Functions of one argument come last.
typedef enum tacOp {
    TAC_OP_NUMBER, ///< a fraction, or a double
    TAC_OP_SYMBOL, ///< a name
    TAC_OP_ADD,    ///< a + b
    TAC_OP_MUL,    ///< a b
    TAC_OP_POW,    ///< a to the power of b
    TAC_OP_ATAN2,  ///< angle of the point (b, a)
    TAC_OP_MIN,    ///< the smaller one
    TAC_OP_MAX,    ///< the larger one
#define TAC_OP_NAME(name, text, latex) TAC_OP_##name,
    TAC_FUNCTIONS(TAC_OP_NAME)
#undef TAC_OP_NAME
        TAC_OP_COUNT ///< how many there are
} tacOp;

/// The symbol with this name: a letter, then letters, digits and _, at most TAC_MAX_NAME. The same
/// name gives the same symbol.
TAC_API
tacExpr tac_symbol(tacGraph* graph, const char* name);

/// A fraction, kept exactly. Where arithmetic leaves 64 bits it goes on in double.
TAC_API
tacExpr tac_fraction(tacGraph* graph, long long numerator, long long denominator);

/// A double; short binary fractions such as 0.25 are kept exactly.
TAC_API
tacExpr tac_number(tacGraph* graph, double value);

/// A double that stands for a decimal of at most 15 digits, as that fraction: 0.1 is 1/10. Others
/// are doubles.
TAC_API
tacExpr tac_decimal(tacGraph* graph, double value);

/// a + b
TAC_API
tacExpr tac_expr_add(tacGraph* graph, tacExpr a, tacExpr b);

/// a - b
TAC_API
tacExpr tac_expr_sub(tacGraph* graph, tacExpr a, tacExpr b);

/// a b
TAC_API
tacExpr tac_expr_mul(tacGraph* graph, tacExpr a, tacExpr b);

/// a / b; b that is 0 is an error.
TAC_API
tacExpr tac_expr_div(tacGraph* graph, tacExpr a, tacExpr b);

/// a to the power of b
TAC_API
tacExpr tac_expr_pow(tacGraph* graph, tacExpr a, tacExpr b);

/// Square root.
TAC_API
tacExpr tac_expr_sqrt(tacGraph* graph, tacExpr a);

/// A function of one argument (TAC_OP_SIN and what follows it), or of two: TAC_OP_ATAN2, _MIN,
/// _MAX. Of one argument b is not read.
TAC_API
tacExpr tac_expr_call(tacGraph* graph, tacOp op, tacExpr a, tacExpr b);

/// Each of `count` expressions with the symbols x (n) replaced by y, all at once.
TAC_API
tacResult tac_expr_substitute(tacGraph* graph, const tacExpr* expr, int count, const tacExpr* x,
                              const tacExpr* y, int n, tacExpr* out);

/// Takes expressions apart that are linear in the symbols x (n): expr_i = Σ A_ij x_j + b_i. One
/// that is not is TAC_ERROR_VALUE, with a message that names the symbol. A is row-major (count x
/// n).
TAC_API
tacResult tac_expr_linear(tacGraph* graph, const tacExpr* expr, int count, const tacExpr* x, int n,
                          tacExpr* A, tacExpr* b);

/// Multiplies products and whole powers out, collects like terms and writes sin^2 as 1 - cos^2:
/// equations of small mechanisms become those of the textbook, large ones grow. Doubles that cancel
/// to 1e-15 of their terms are 0. More than max_terms terms on the way are TAC_ERROR_LIMIT.
TAC_API
tacResult tac_expr_expand(tacGraph* graph, const tacExpr* expr, int count, int max_terms,
                          tacExpr* out);

/// 1 if the expression contains one of the symbols x (n), 0 if not; -1: out of memory.
TAC_API
int tac_expr_depends(tacGraph* graph, tacExpr expr, const tacExpr* x, int n);

//---------------------------------- derivatives ----------------------------------

/// d expr / d x
TAC_API
tacExpr tac_expr_derivative(tacGraph* graph, tacExpr expr, tacExpr x);

/// Forward: out_i = Σ d expr_i / d x_j x_dot_j, in one sweep.
TAC_API
tacResult tac_expr_jvp(tacGraph* graph, const tacExpr* expr, int count, const tacExpr* x,
                       const tacExpr* x_dot, int n, tacExpr* out);

/// Reverse: out_j = Σ expr_bar_i d expr_i / d x_j, in one sweep.
TAC_API
tacResult tac_expr_vjp(tacGraph* graph, const tacExpr* expr, const tacExpr* expr_bar, int count,
                       const tacExpr* x, int n, tacExpr* out);

/// Gradient by the symbols x (n), in one reverse sweep.
TAC_API
tacResult tac_expr_gradient(tacGraph* graph, tacExpr expr, const tacExpr* x, int n, tacExpr* out);

/// Jacobian, row-major (count x n): by rows in reverse or by columns forward, whichever is less.
TAC_API
tacResult tac_expr_jacobian(tacGraph* graph, const tacExpr* expr, int count, const tacExpr* x,
                            int n, tacExpr* out);

/// Hessian, row-major (n x n), forward over reverse; exactly symmetric.
TAC_API
tacResult tac_expr_hessian(tacGraph* graph, tacExpr expr, const tacExpr* x, int n, tacExpr* out);

//---------------------------------- printing -------------------------------------

/// How formulas are written.
typedef enum tacNotation {
    TAC_NOTATION_TEXT,  ///< as SymPy and Python write them
    TAC_NOTATION_LATEX, ///< for a formula in a text
    TAC_NOTATION_C      ///< C17 with <math.h>
} tacNotation;

/// Writes one expression in full. What does not fit in `size` bytes, or nests deeper than 1000, is
/// TAC_ERROR_LIMIT, and `text` holds its beginning: print a program, which names what is shared.
TAC_API
tacResult tac_expr_print(tacGraph* graph, tacExpr expr, tacNotation notation, char* text,
                         size_t size);

//---------------------------------- programs -------------------------------------

/// Expressions ready to be evaluated: straight-line steps, each shared part once. Const after its
/// creation; any number of threads may run it. It does not need its graph any more.
typedef struct tacProgram tacProgram;

/// Makes a program that computes `outputs` of the symbols `inputs`. A symbol that is no input is
/// TAC_ERROR_VALUE, and the graph's message names it.
TAC_API
tacResult tac_program_create(tacGraph* graph, const tacExpr* inputs, int input_count,
                             const tacExpr* outputs, int output_count, tacProgram** out);

/// Gives a program back. NULL is allowed.
TAC_API
void tac_program_destroy(tacProgram* program);

/// How many operations it takes.
TAC_API
int tac_program_count(const tacProgram* program);

/// Bytes of working memory that tac_program_run needs.
TAC_API
size_t tac_program_size(const tacProgram* program);

/// Evaluates `batch` points: x (batch x inputs), y (batch x outputs), `work` as large as
/// tac_program_size says and aligned to a double. Input that is not finite is TAC_ERROR_VALUE and
/// nothing is written. A point whose outputs are not all finite keeps its row of y as it was, and
/// the answer is TAC_ERROR_DIVERGED. The bits of a row do not depend on the batch.
TAC_API
tacResult tac_program_run(const tacProgram* program, const double* x, int batch, double* y,
                          void* work);

/// Receives what is written, piece by piece; not 0 stops the writing.
typedef int (*tacWrite)(void* user, const char* text, size_t length);

/// Writes the program. As C it is `void name(const double* x, double* y)`, of functions with at
/// most 400 statements that need <math.h> alone and allocate nothing, with the bits of
/// tac_program_run where contraction is off. As text and LaTeX it is a list of the shared parts,
/// then y.
TAC_API
tacResult tac_program_print(const tacProgram* program, const char* name, tacNotation notation,
                            tacWrite write, void* user);

//---------------------------------- machine code ---------------------------------

/// A program as machine code, made at run time by libgccjit through the separate library
/// libtactus_jit.so; where that is not installed, the program itself. Const after its creation; any
/// number of threads may run it.
typedef struct tacCode tacCode;

/// How to compile. Start from tac_default_code_options().
typedef struct tacCodeOptions {
    int level;           ///< of optimisation, 0 to 3; default 2
    const char* library; ///< path of libtactus_jit.so; NULL: looked for beside this library, then
                         ///< where the system looks; "": not at all, the program runs as it is
} tacCodeOptions;

/// Level 2, and the library where it is found.
TAC_API
tacCodeOptions tac_default_code_options(void);

/// Compiles a program, which must outlive the code; NULL options are the default ones. Without
/// libtactus_jit.so the code is the program and `message` (NULL to skip) says so; a library that
/// was named and is not there is TAC_ERROR_FILE. Free it with tac_code_destroy.
TAC_API
tacResult tac_code_create(const tacProgram* program, const tacCodeOptions* options, tacCode** out,
                          tacMessage* message);

/// Gives the code back. NULL is allowed.
TAC_API
void tac_code_destroy(tacCode* code);

/// 1: machine code, 0: the program runs.
TAC_API
int tac_code_compiled(const tacCode* code);

/// Bytes of working memory that tac_code_run needs.
TAC_API
size_t tac_code_size(const tacCode* code);

/// As tac_program_run, with the same bits.
TAC_API
tacResult tac_code_run(const tacCode* code, const double* x, int batch, double* y, void* work);

//---------------------------------- mechanics ------------------------------------

/// Equation of motion M a + c = forces along the coordinates, of a kinetic energy T(q, v) and a
/// potential energy V(q) with v = dq/dt, by Lagrange: d/dt dT/dv - dT/dq + dV/dq. q and v are
/// symbols (n); M is row-major (n x n), c (n) holds Coriolis, centrifugal and potential forces. T
/// of a higher degree than two in v is TAC_ERROR_VALUE.
TAC_API
tacResult tac_lagrange(tacGraph* graph, tacExpr T, tacExpr V, const tacExpr* q, const tacExpr* v,
                       int n, tacExpr* M, tacExpr* c);

/// Which numbers of a scene are symbols; the others enter as they are now.
typedef struct tacSceneSymbols {
    const int* offset;     ///< of parameters, as in tacParam                           (n)
    const tacExpr* symbol; ///< what stands for them: symbols, or any other formulas    (n)
    int n;                 ///< how many
    int exact;             ///< 1: the others by tac_decimal, so that 0.1 kg are 1/10
} tacSceneSymbols;

/// Energies of a scene as formulas of the symbols q0, q1 .. (nq) and v0, v1 .. (nv), which are qpos
/// and qvel; quaternions must have length 1. V is that of gravity alone, T has no armature. NULL:
/// no number is a symbol.
TAC_API
tacResult tac_scene_energies(tacGraph* graph, const tacModel* model, const tacSceneSymbols* symbols,
                             tacExpr* q, tacExpr* v, tacExpr* T, tacExpr* V);

/// M (nv x nv, with armature) and c (nv) of a scene: the formulas of tac_mass_matrix and of
/// tac_inverse_dynamics without acceleration.
TAC_API
tacResult tac_scene_equations(tacGraph* graph, const tacModel* model,
                              const tacSceneSymbols* symbols, tacExpr* q, tacExpr* v, tacExpr* M,
                              tacExpr* c);

/// A whole step of a scene as formulas: the next qpos, qvel and act (nq + nv + na) of the symbols
/// q0 .., v0 .., a0 .. and u0 .. (nq + nv + na + nu), which are qpos, qvel, act and the control.
/// Springs, dampers, tendons, actuators and the integrator are those of tac_step. Contacts are not
/// part of it; `forces` (nv, NULL: none) are formulas of the same symbols that act along the
/// velocities. What has no formula is TAC_ERROR_UNSUPPORTED, by name: a fluid, gravity
/// compensation, the integrator `lie` with balls or free bodies.
TAC_API
tacResult tac_scene_step(tacGraph* graph, const tacModel* model, const tacSceneSymbols* symbols,
                         const tacExpr* forces, tacExpr* in, tacExpr* out);

/// The equation of motion of a scene as formulas: accelerations and rates of the activations
/// (nv + na) of the symbols q0 .., v0 .., a0 .., u0 .. and f0 .. (nq + nv + na + nu + nv), the last
/// forces along the velocities from outside. What it is made of and what it refuses are those of
/// tac_scene_step.
TAC_API
tacResult tac_scene_forward_dynamics(tacGraph* graph, const tacModel* model,
                                     const tacSceneSymbols* symbols, tacExpr* in, tacExpr* out);

//---------------------------------- generated steps ------------------------------

/// The step of a scene as code, made of its formulas.
typedef struct tacStepCode tacStepCode;

/// Derives and compiles the step of a scene; NULL options are the default ones. The numbers of the
/// model are those of now: after tac_param_set make it again. In a scene with forces of contact the
/// equation of motion is code, detection, forces and integrator stay; contact that is implicit or
/// hard is TAC_ERROR_UNSUPPORTED, as is what tac_scene_step refuses. Free it with
/// tac_step_code_destroy after the scratches that use it, before the model.
TAC_API
tacResult tac_step_code_create(const tacModel* model, const tacCodeOptions* options,
                               tacStepCode** out, tacMessage* message);

/// Gives the code back. NULL is allowed.
TAC_API
void tac_step_code_destroy(tacStepCode* code);

/// From now on tac_step and tac_step_batch with this scratch step by the code; NULL: by the general
/// dynamics again. Derivatives of the step stay those of the general one: it is the same function.
/// A model whose numbers are not those of the code any more is TAC_ERROR_VALUE.
TAC_API
tacResult tac_step_code_use(const tacStepCode* code, tacScratch* scratch);

/// 1: machine code, 0: interpreted.
TAC_API
int tac_step_code_compiled(const tacStepCode* code);

TAC_EXTERN_C_END

#endif
