// Formulas as text, LaTeX and C.

#include "symbolic/expr/expr_print.h"

#include "base/assert.h"
#include "symbolic/expr/function.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 1000 };
enum { SUM, PRODUCT, ATOM }; // precedence of the surrounding operation

typedef struct printer {
    const tacFormulas* f;
    tacNotation notation;
    tacWriter* writer;
    int depth;
    tacExpr whole; // is printed itself, not by its name
} printer;

static void print_expr(printer* p, tacExpr e, int level);

//---------------------------------- writing --------------------------------------

void tac_writer_print(tacWriter* writer, const char* format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    TAC_ASSERT(length >= 0 && length < (int)sizeof text);
    if (!writer->failed && writer->write(writer->user, text, (size_t)length)) writer->failed = 1;
}

#define put(p, ...) tac_writer_print((p)->writer, __VA_ARGS__)

static int latex(const printer* p) { return p->notation == TAC_NOTATION_LATEX; }

static void open_bracket(printer* p, int needed) {
    if (needed) put(p, "%s", latex(p) ? "\\left(" : "(");
}
static void close_bracket(printer* p, int needed) {
    if (needed) put(p, "%s", latex(p) ? "\\right)" : ")");
}

//---------------------------------- leaves ---------------------------------------

static const char* const greek[] = {"alpha", "beta",  "gamma", "delta",  "epsilon", "zeta",
                                    "eta",   "theta", "kappa", "lambda", "mu",      "nu",
                                    "rho",   "sigma", "tau",   "phi",    "chi",     "psi",
                                    "omega", "Delta", "Omega", "Phi",    "Theta"};

// theta1 is \theta_{1}, m_arm is m_{arm}
static void latex_name(printer* p, const char* name) {
    size_t stem = 1, length = strlen(name);
    while (stem < length && name[stem] != '_' && !(name[stem] >= '0' && name[stem] <= '9')) ++stem;
    int is_greek = 0;
    for (int i = 0; i < TAC_COUNT(greek); ++i)
        is_greek |= strlen(greek[i]) == stem && strncmp(greek[i], name, stem) == 0;
    put(p, "%s%.*s", is_greek ? "\\" : "", (int)stem, name);
    if (stem == length) return;
    put(p, "_{");
    for (const char* c = name + stem + (name[stem] == '_'); *c; ++c)
        put(p, *c == '_' ? "\\_" : "%c", *c);
    put(p, "}");
}

static void print_symbol(printer* p, int index) {
    if (!p->f->name)
        put(p, "x[%d]", index);
    else if (latex(p))
        latex_name(p, p->f->name[index]);
    else
        put(p, "%s", p->f->name[index]);
}

// the shortest text that is read as the same double, the same in every locale
static void shortest_text(char text[40], double value) {
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, 40, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    char* point = text + strspn(text, "0123456789+-e");
    if (*point) *point = '.';
}

// always read as a double: 2.0, not 2
static void c_number(printer* p, double value) {
    char text[40];
    shortest_text(text, value);
    put(p, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void plain_number(printer* p, double value) {
    char text[40];
    shortest_text(text, value);
    put(p, "%s", text);
}

// 1.5e-07 is 1.5 \cdot 10^{-7}
static void latex_number(printer* p, double value) {
    char text[40], *e;
    shortest_text(text, value);
    e = strchr(text, 'e');
    if (e) *e = 0;
    put(p, "%s", text);
    if (e) put(p, " \\cdot 10^{%d}", atoi(e + 1));
}

static void print_number(printer* p, tacFraction x, int level) {
    int bracket = (x.value < 0.0 && level > SUM) || (x.q != 1 && level == ATOM);
    open_bracket(p, bracket);
    if (p->notation == TAC_NOTATION_C)
        c_number(p, x.value);
    else if (x.q == 1)
        put(p, "%lld", (long long)x.p);
    else if (x.q && latex(p))
        put(p, "%s\\frac{%lld}{%lld}", x.p < 0 ? "-" : "", llabs((long long)x.p), (long long)x.q);
    else if (x.q)
        put(p, "%lld/%lld", (long long)x.p, (long long)x.q);
    else if (latex(p))
        latex_number(p, x.value);
    else
        plain_number(p, x.value);
    close_bracket(p, bracket);
}

//---------------------------------- sums -----------------------------------------

static int is_number(const printer* p, tacExpr e) { return p->f->node[e].op == TAC_OP_NUMBER; }
static tacFraction number_value(const printer* p, tacExpr e) {
    return p->f->number[p->f->node[e].a];
}

static int named(const printer* p, tacExpr e) {
    return p->f->temp && p->f->temp[e] >= 0 && e != p->whole;
}

// e = -|c| rest with a number c < 0 in front
static int is_negative(const printer* p, tacExpr e) {
    tacExprNode n = p->f->node[e];
    if (named(p, e)) return 0;
    if (n.op == TAC_OP_NUMBER) return number_value(p, e).value < 0.0;
    return n.op == TAC_OP_MUL && is_number(p, n.a) && number_value(p, n.a).value < 0.0;
}

static tacFraction negated(tacFraction x) { return (tacFraction){-x.p, x.q, -x.value}; }

static void print_times(printer* p) { put(p, "%s", latex(p) ? " " : "*"); }

// second operands: C keeps the order of operations, text and LaTeX need no brackets
static int factor_level(const printer* p) { return p->notation == TAC_NOTATION_C ? ATOM : PRODUCT; }

// the expression without its minus sign
static void print_negated(printer* p, tacExpr e) {
    tacExprNode n = p->f->node[e];
    if (n.op == TAC_OP_NUMBER) {
        print_number(p, negated(number_value(p, e)), PRODUCT);
        return;
    }
    tacFraction c = negated(number_value(p, n.a));
    if (c.value != 1.0) {
        print_number(p, c, PRODUCT);
        print_times(p);
    }
    print_expr(p, n.b, c.value == 1.0 ? PRODUCT : factor_level(p));
}

// One more term of a sum. C keeps the order of additions: a sum on the right stays in brackets.
static void print_term(printer* p, tacExpr e, int first, int right) {
    tacExprNode n = p->f->node[e];
    if (p->depth >= MAX_DEPTH) p->writer->failed = 1;
    if (p->writer->failed) return;
    ++p->depth;
    int inside = n.op == TAC_OP_ADD && !named(p, e) && !(right && p->notation == TAC_NOTATION_C);
    if (inside) {
        print_term(p, n.a, first, 0);
        print_term(p, n.b, 0, 1);
    } else if (is_negative(p, e)) {
        put(p, first ? "-" : " - ");
        print_negated(p, e);
    } else {
        put(p, first ? "" : " + ");
        print_expr(p, e, PRODUCT);
    }
    --p->depth;
}

static void print_sum(printer* p, tacExpr e, int level) {
    open_bracket(p, level > SUM);
    print_term(p, e, 1, 0);
    close_bracket(p, level > SUM);
}

//---------------------------------- products and powers --------------------------

// 1/y^n: printed as a division in text and LaTeX; C keeps the order of operations of the program
static int is_reciprocal(const printer* p, tacExpr e) {
    tacExprNode n = p->f->node[e];
    return n.op == TAC_OP_POW && !named(p, e) && is_number(p, n.b) &&
           number_value(p, n.b).value < 0.0;
}

// base^exponent with the exponent a positive number
static void positive_power(printer* p, tacExpr base, tacFraction n) {
    if (n.q == 1 && n.p == 1) {
        print_expr(p, base, ATOM);
    } else if (n.q == 2 && n.p == 1) {
        put(p, "%s", latex(p) ? "\\sqrt{" : "sqrt(");
        print_expr(p, base, SUM);
        put(p, "%s", latex(p) ? "}" : ")");
    } else {
        print_expr(p, base, ATOM);
        put(p, "%s", latex(p) ? "^{" : "**");
        print_number(p, n, latex(p) ? SUM : ATOM);
        if (latex(p)) put(p, "}");
    }
}

static void print_divisor(printer* p, tacExpr e) {
    tacExprNode n = p->f->node[e];
    positive_power(p, n.a, negated(number_value(p, n.b)));
}

// numerator (1 if NONE) over the base of a reciprocal
static void print_quotient(printer* p, tacExpr numerator, tacExpr e, int level) {
    int bracket = level == ATOM && !latex(p);
    open_bracket(p, bracket);
    if (latex(p)) put(p, "\\frac{");
    if (numerator == TAC_EXPR_NONE)
        put(p, "1");
    else
        print_expr(p, numerator, latex(p) ? SUM : PRODUCT);
    put(p, "%s", latex(p) ? "}{" : "/");
    print_divisor(p, e);
    if (latex(p)) put(p, "}");
    close_bracket(p, bracket);
}

// a minus sign in front binds as a sum does; after / and * a product needs a bracket
static void print_product(printer* p, tacExpr e, tacExprNode n, int level) {
    int bracket = level == ATOM || (level == PRODUCT && is_negative(p, e));
    if (!is_negative(p, e) && p->notation != TAC_NOTATION_C) {
        tacExpr over = is_reciprocal(p, n.b) ? n.b : is_reciprocal(p, n.a) ? n.a : TAC_EXPR_NONE;
        if (over != TAC_EXPR_NONE) {
            print_quotient(p, over == n.b ? n.a : n.b, over, level);
            return;
        }
    }
    open_bracket(p, bracket);
    if (is_negative(p, e)) {
        put(p, "-");
        print_negated(p, e);
    } else {
        print_expr(p, n.a, PRODUCT);
        print_times(p);
        print_expr(p, n.b, factor_level(p));
    }
    close_bracket(p, bracket);
}

// as tac_power_value has it, so that C gives the same bits
static void c_power(printer* p, tacExprNode n) {
    double b = is_number(p, n.b) ? number_value(p, n.b).value : NAN, k = fabs(b);
    int root = k == 0.5, whole = k <= TAC_POWER_MAX && k == floor(k);
    if (b == -1.0) {
        put(p, "(1.0/");
        print_expr(p, n.a, ATOM);
        put(p, ")");
        return;
    }
    if (b < 0.0 && (root || whole)) put(p, "(1.0/");
    put(p, root ? "sqrt(" : whole ? "power(" : "pow(");
    print_expr(p, n.a, SUM);
    if (whole) put(p, ", %d", (int)k);
    if (!root && !whole) {
        put(p, ", ");
        print_expr(p, n.b, SUM);
    }
    put(p, ")%s", b < 0.0 && (root || whole) ? ")" : "");
}

static void print_power(printer* p, tacExpr e, tacExprNode n, int level) {
    if (p->notation == TAC_NOTATION_C) {
        c_power(p, n);
    } else if (is_reciprocal(p, e)) {
        print_quotient(p, TAC_EXPR_NONE, e, level);
    } else {
        int bracket = level == ATOM && !(is_number(p, n.b) && number_value(p, n.b).value == 0.5);
        open_bracket(p, bracket);
        if (is_number(p, n.b)) {
            positive_power(p, n.a, number_value(p, n.b));
        } else {
            print_expr(p, n.a, ATOM);
            put(p, "%s", latex(p) ? "^{" : "**");
            print_expr(p, n.b, latex(p) ? SUM : ATOM);
            if (latex(p)) put(p, "}");
        }
        close_bracket(p, bracket);
    }
}

//---------------------------------- all ------------------------------------------

static void print_function(printer* p, tacExprNode n) {
    put(p, "%s%s", tac_op_name((tacOp)n.op, p->notation), latex(p) ? "\\left(" : "(");
    print_expr(p, n.a, SUM);
    if (tac_op_is_binary((tacOp)n.op)) {
        put(p, ", ");
        print_expr(p, n.b, SUM);
    }
    put(p, "%s", latex(p) ? "\\right)" : ")");
}

static void print_node(printer* p, tacExpr e, int level) {
    tacExprNode n = p->f->node[e];
    switch (n.op) {
    case TAC_OP_NUMBER:
        print_number(p, p->f->number[n.a], level);
        break;
    case TAC_OP_SYMBOL:
        print_symbol(p, n.a);
        break;
    case TAC_OP_ADD:
        print_sum(p, e, level);
        break;
    case TAC_OP_MUL:
        print_product(p, e, n, level);
        break;
    case TAC_OP_POW:
        print_power(p, e, n, level);
        break;
    default:
        print_function(p, n);
        break;
    }
}

static void print_expr(printer* p, tacExpr e, int level) {
    if (p->depth >= MAX_DEPTH) p->writer->failed = 1;
    if (p->writer->failed) return;
    ++p->depth;
    if (named(p, e)) {
        char name[40];
        int temp = p->f->temp[e], slot = p->f->slot ? p->f->slot[temp] : -1;
        snprintf(name, sizeof name, slot >= 0 ? "t[%d]" : p->f->temp_name, slot >= 0 ? slot : temp);
        put(p, "%s", name);
    } else {
        print_node(p, e, level);
    }
    --p->depth;
}

int tac_formula_print(const tacFormulas* f, tacExpr e, tacNotation notation, int whole,
                      tacWriter* writer) {
    printer p = {f, notation, writer, 0, whole ? e : TAC_EXPR_NONE};
    print_expr(&p, e, SUM);
    return !writer->failed;
}

//---------------------------------- into a buffer --------------------------------

typedef struct buffer {
    char* text;
    size_t size, used;
} buffer;

static int append_text(void* user, const char* text, size_t length) {
    buffer* b = user;
    if (length >= b->size - b->used) return 1;
    memcpy(b->text + b->used, text, length + 1);
    b->used += length;
    return 0;
}

tacResult tac_expr_print(tacGraph* graph, tacExpr expr, tacNotation notation, char* text,
                         size_t size) {
    tacResult result = tac_graph_check(graph, &expr, 1, 0);
    if (result != TAC_OK) return result;
    if (!text || size == 0 || notation > TAC_NOTATION_C) return TAC_ERROR_VALUE;
    tacFormulas f = {graph->node, graph->number, graph->name, NULL, NULL, NULL};
    buffer b = {text, size, 0};
    tacWriter writer = {append_text, &b, 0};
    return tac_formula_print(&f, expr, notation, 0, &writer) ? TAC_OK : TAC_ERROR_LIMIT;
}
