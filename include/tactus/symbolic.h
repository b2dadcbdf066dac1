/// Symbolic expressions with shared subexpressions: exact derivatives, printing, programs, C and
/// machine code, and the equations of motion of a scene (docs/symbolic.md).
///
/// A tacExpr is the index of a node in a graph. A call that fails returns TAC_EXPR_NONE, and so
/// does every call that gets one. Write formulas down in one go and ask tac_graph_result at the
/// end. A graph serves one thread at a time.
#ifndef TACTUS_SYMBOLIC_H
#define TACTUS_SYMBOLIC_H

#include "tactus/state.h"

TAC_EXTERN_C_BEGIN

//---------------------------------- graph ----------------------------------------

/// A graph of expressions that may share subexpressions.
typedef struct tacGraph tacGraph;

/// An expression: a node of a graph. Expressions that are built alike are the same node.
typedef int tacExpr;

/// Result of a failed call.
#define TAC_EXPR_NONE (-1)

/// Options of a graph. Start from tac_default_graph_options().
typedef struct tacGraphOptions {
    tacAllocator allocator; ///< allocator of the graph and its working memory
    size_t max_bytes;       ///< most memory at once; default 1 GiB                   [bytes]
} tacGraphOptions;

/// Default options: the C library's allocator, 1 GiB.
TAC_API
tacGraphOptions tac_default_graph_options(void);

/// Makes an empty graph. NULL options are the defaults. Free it with tac_graph_destroy.
TAC_API
tacResult tac_graph_create(const tacGraphOptions* options, tacGraph** out);

/// Frees a graph and all its expressions. NULL is allowed.
TAC_API
void tac_graph_destroy(tacGraph* graph);

/// First error since the last call of this function, with its message (NULL to skip). Clears it.
TAC_API
tacResult tac_graph_result(tacGraph* graph, tacMessage* message);

/// Number of nodes in the graph.
TAC_API
int tac_graph_count(const tacGraph* graph);

//---------------------------------- expressions ----------------------------------

/// Functions of one argument: X(name, text, LaTeX).
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

/// Operation of a node. Functions of one argument come last.
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
        TAC_OP_COUNT ///< number of operations
} tacOp;

/// The symbol with a name: a letter, then letters, digits and _, at most TAC_MAX_NAME. Equal names
/// give the same symbol.
TAC_API
tacExpr tac_symbol(tacGraph* graph, const char* name);

/// An exact fraction. Arithmetic beyond 64 bits continues in double.
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

/// a / b; b = 0 is an error.
TAC_API
tacExpr tac_expr_div(tacGraph* graph, tacExpr a, tacExpr b);

/// a to the power of b
TAC_API
tacExpr tac_expr_pow(tacGraph* graph, tacExpr a, tacExpr b);

/// Square root.
TAC_API
tacExpr tac_expr_sqrt(tacGraph* graph, tacExpr a);

/// A function of one argument (TAC_OP_SIN and later; b is not read), or of two: TAC_OP_ATAN2,
/// TAC_OP_MIN, TAC_OP_MAX.
TAC_API
tacExpr tac_expr_call(tacGraph* graph, tacOp op, tacExpr a, tacExpr b);

/// Substitutes y for the symbols x (n) in `count` expressions, all at once.
TAC_API
tacResult tac_expr_substitute(tacGraph* graph, const tacExpr* expr, int count, const tacExpr* x,
                              const tacExpr* y, int n, tacExpr* out);

/// Coefficients of expressions that are linear in the symbols x (n): expr_i = Σ A_ij x_j + b_i. A
/// nonlinear one is TAC_ERROR_VALUE with a message that names the symbol. A is row-major (count x
/// n).
TAC_API
tacResult tac_expr_linear(tacGraph* graph, const tacExpr* expr, int count, const tacExpr* x, int n,
                          tacExpr* A, tacExpr* b);

/// Expands products and integer powers, collects like terms and writes sin^2 as 1 - cos^2.
/// Equations of small mechanisms become those of the textbook; large ones grow. Doubles that cancel
/// to 1e-15 of their terms become 0. More than max_terms intermediate terms are TAC_ERROR_LIMIT.
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

/// Notation of printed formulas.
typedef enum tacNotation {
    TAC_NOTATION_TEXT,  ///< as in SymPy and Python
    TAC_NOTATION_LATEX, ///< LaTeX math
    TAC_NOTATION_C      ///< C17 with <math.h>
} tacNotation;

/// Prints one expression in full. One that needs more than `size` bytes, or nests deeper than 1000,
/// is TAC_ERROR_LIMIT, and `text` holds its beginning: print a program instead.
TAC_API
tacResult tac_expr_print(tacGraph* graph, tacExpr expr, tacNotation notation, char* text,
                         size_t size);

//---------------------------------- programs -------------------------------------

/// Expressions compiled to a straight-line program, each shared subexpression once. It is const,
/// runs on any number of threads, and does not need its graph.
typedef struct tacProgram tacProgram;

/// Makes a program that computes `outputs` of the symbols `inputs`. A symbol that is no input is
/// TAC_ERROR_VALUE, and the graph's message names it.
TAC_API
tacResult tac_program_create(tacGraph* graph, const tacExpr* inputs, int input_count,
                             const tacExpr* outputs, int output_count, tacProgram** out);

/// Frees a program. NULL is allowed.
TAC_API
void tac_program_destroy(tacProgram* program);

/// Number of operations of a program.
TAC_API
int tac_program_count(const tacProgram* program);

/// Bytes of working memory for tac_program_run.
TAC_API
size_t tac_program_size(const tacProgram* program);

/// Evaluates `batch` points: x (batch x inputs), y (batch x outputs), `work` of tac_program_size
/// bytes, aligned to a double. Non-finite input is TAC_ERROR_VALUE, and nothing is written. A point
/// with a non-finite output leaves its row of y unchanged, and the result is TAC_ERROR_DIVERGED.
/// The bits of a row do not depend on the batch.
TAC_API
tacResult tac_program_run(const tacProgram* program, const double* x, int batch, double* y,
                          void* work);

/// Callback that receives printed text in pieces; a value other than 0 stops.
typedef int (*tacWrite)(void* user, const char* text, size_t length);

/// Prints a program. In C it is `void name(const double* x, double* y)`: functions of at most 400
/// statements that need only <math.h>, with the bits of tac_program_run if contraction is off. As
/// text and LaTeX it is a list of the shared subexpressions, then y.
TAC_API
tacResult tac_program_print(const tacProgram* program, const char* name, tacNotation notation,
                            tacWrite write, void* user);

//---------------------------------- machine code ---------------------------------

/// A program as machine code, compiled at run time by libgccjit through the separate library
/// libtactus_jit.so. Without that library it is the program itself. It is const and runs on any
/// number of threads.
typedef struct tacCode tacCode;

/// Options of compilation. Start from tac_default_code_options().
typedef struct tacCodeOptions {
    int level;           ///< optimisation level, 0 to 3; default 2
    const char* library; ///< path of libtactus_jit.so; NULL: beside this library, then the
                         ///< system's paths; "": none, the program is interpreted
} tacCodeOptions;

/// Default options: level 2, the library where it is found.
TAC_API
tacCodeOptions tac_default_code_options(void);

/// Compiles a program, which must outlive the code. NULL options are the defaults. Without
/// libtactus_jit.so the code is the program, and `message` (NULL to skip) says so; a named library
/// that is missing is TAC_ERROR_FILE. Free it with tac_code_destroy.
TAC_API
tacResult tac_code_create(const tacProgram* program, const tacCodeOptions* options, tacCode** out,
                          tacMessage* message);

/// Frees the code. NULL is allowed.
TAC_API
void tac_code_destroy(tacCode* code);

/// 1: machine code, 0: interpreted.
TAC_API
int tac_code_compiled(const tacCode* code);

/// Bytes of working memory for tac_code_run.
TAC_API
size_t tac_code_size(const tacCode* code);

/// Evaluates as tac_program_run does, with the same bits.
TAC_API
tacResult tac_code_run(const tacCode* code, const double* x, int batch, double* y, void* work);

//---------------------------------- mechanics ------------------------------------

/// Equation of motion M a + c = tau of a kinetic energy T(q, v) and a potential energy V(q), v =
/// dq/dt, by Lagrange: d/dt dT/dv - dT/dq + dV/dq. q and v are symbols (n). M is row-major (n x n);
/// c (n) holds Coriolis, centrifugal and potential forces. T of degree above two in v is
/// TAC_ERROR_VALUE.
TAC_API
tacResult tac_lagrange(tacGraph* graph, tacExpr T, tacExpr V, const tacExpr* q, const tacExpr* v,
                       int n, tacExpr* M, tacExpr* c);

/// Parameters of a scene that become symbols; the others enter with their values.
typedef struct tacSceneSymbols {
    const int* offset;     ///< offsets of the parameters, as in tacParam               (n)
    const tacExpr* symbol; ///< their symbols, or other expressions                     (n)
    int n;                 ///< number of parameters
    int exact;             ///< 1: the others by tac_decimal: 0.1 kg is 1/10
} tacSceneSymbols;

/// Energies of a scene in the symbols q0, q1 .. (nq) and v0, v1 .. (nv) for qpos and qvel.
/// Quaternions have length 1. V is the energy of gravity, T is without armature. NULL symbols:
/// none.
TAC_API
tacResult tac_scene_energies(tacGraph* graph, const tacModel* model, const tacSceneSymbols* symbols,
                             tacExpr* q, tacExpr* v, tacExpr* T, tacExpr* V);

/// Mass matrix M (nv x nv, with armature) and bias force c (nv) of a scene: the formulas of
/// tac_mass_matrix and of tac_inverse_dynamics without acceleration.
TAC_API
tacResult tac_scene_equations(tacGraph* graph, const tacModel* model,
                              const tacSceneSymbols* symbols, tacExpr* q, tacExpr* v, tacExpr* M,
                              tacExpr* c);

/// The step of a scene as formulas: the next qpos, qvel and act (nq + nv + na) in the symbols q0
/// .., v0 .., a0 .. and u0 .. (nq + nv + na + nu) for qpos, qvel, act and control. Springs,
/// dampers, tendons, actuators and the integrator are those of tac_step, without contact. `forces`
/// (nv, NULL: none) are joint forces in the same symbols. TAC_ERROR_UNSUPPORTED for fluids, gravity
/// compensation, and the integrator `lie` with ball or free joints.
TAC_API
tacResult tac_scene_step(tacGraph* graph, const tacModel* model, const tacSceneSymbols* symbols,
                         const tacExpr* forces, tacExpr* in, tacExpr* out);

/// Forward dynamics of a scene as formulas: accelerations and activation rates (nv + na) in the
/// symbols q0 .., v0 .., a0 .., u0 .. and f0 .. (nq + nv + na + nu + nv), the last external joint
/// forces. Content and errors are those of tac_scene_step.
TAC_API
tacResult tac_scene_forward_dynamics(tacGraph* graph, const tacModel* model,
                                     const tacSceneSymbols* symbols, tacExpr* in, tacExpr* out);

//---------------------------------- generated steps ------------------------------

/// The step of a scene as generated code.
typedef struct tacStepCode tacStepCode;

/// Derives and compiles the step of a scene. NULL options are the defaults. Parameters are compiled
/// in: make the code again after tac_param_set. With contact, only the equation of motion is code;
/// detection, forces and integrator stay. TAC_ERROR_UNSUPPORTED for implicit or hard contact, and
/// as for tac_scene_step. Free it with tac_step_code_destroy after the scratches that use it and
/// before the model.
TAC_API
tacResult tac_step_code_create(const tacModel* model, const tacCodeOptions* options,
                               tacStepCode** out, tacMessage* message);

/// Frees the code. NULL is allowed.
TAC_API
void tac_step_code_destroy(tacStepCode* code);

/// Makes tac_step and tac_step_batch with this scratch use the code; NULL: the general dynamics.
/// Derivatives always use the general dynamics, which are the same function. A step of a model
/// whose parameters have changed since is TAC_ERROR_VALUE.
TAC_API
tacResult tac_step_code_use(const tacStepCode* code, tacScratch* scratch);

/// 1: machine code, 0: interpreted.
TAC_API
int tac_step_code_compiled(const tacStepCode* code);

TAC_EXTERN_C_END

#endif
