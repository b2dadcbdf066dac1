// Expanded formulas, with like terms collected: small mechanisms look as in the textbook.
//
// A node becomes a list of terms coefficient x monomial. A monomial is itself a node of the graph,
// a chain of powers of atoms in rising order, so that equal monomials are equal numbers. Atoms are
// symbols, functions of expanded arguments, and powers that cannot be expanded.

#include "symbolic/expr/graph.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FACTORS = 64, MAX_POWER = 64 };

typedef struct polyTerm {
    tacExpr monomial; // the number 1 for a constant
    tacFraction c;
} polyTerm;

typedef struct polySlice {
    int first, count;
} polySlice;

typedef struct expander {
    tacGraph* g;
    polyTerm* term; // of all nodes, one after the other
    int used, capacity, most;
    tacExpr one;
} expander;

typedef struct factorList {
    tacExpr atom[MAX_FACTORS];
    int power[MAX_FACTORS], count;
} factorList;

//---------------------------------- terms ----------------------------------------

static void add_term(expander* x, tacExpr monomial, tacFraction c) {
    if (x->used >= x->most) {
        tac_graph_fail(x->g, TAC_ERROR_LIMIT,
                       "expanded formulas have more than %d terms; do not expand them", x->most);
        return;
    }
    if (x->used == x->capacity) {
        int capacity = x->capacity ? (x->capacity > INT_MAX / 2 ? INT_MAX : 2 * x->capacity) : 256;
        polyTerm* more = tac_graph_alloc(x->g, sizeof *more * (size_t)capacity);
        if (!more) return;
        if (x->used) memcpy(more, x->term, sizeof *more * (size_t)x->used);
        tac_graph_free(x->g, x->term, sizeof *more * (size_t)x->capacity);
        x->term = more;
        x->capacity = capacity;
    }
    if (monomial >= 0) x->term[x->used++] = (polyTerm){monomial, c};
}

static int by_monomial(const void* a, const void* b) {
    const polyTerm *s = a, *t = b;
    if (s->monomial != t->monomial) return s->monomial < t->monomial ? -1 : 1;
    return (s->c.value > t->c.value) - (s->c.value < t->c.value); // the sum has one order
}

// Joins equal monomials of the terms from `first` on. Doubles that cancel but for rounding are 0.
static polySlice collect_terms(expander* x, int first) {
    int kept = first;
    if (x->used > first)
        qsort(x->term + first, (size_t)(x->used - first), sizeof *x->term, by_monomial);
    for (int i = first; i < x->used;) {
        polyTerm sum = x->term[i];
        double size = fabs(sum.c.value);
        for (++i; i < x->used && x->term[i].monomial == sum.monomial; ++i) {
            size += fabs(x->term[i].c.value);
            sum.c = tac_fraction_add(sum.c, x->term[i].c);
        }
        int none = sum.c.q ? sum.c.p == 0 : fabs(sum.c.value) <= 1e-15 * size;
        if (!none) x->term[kept++] = sum;
    }
    x->used = kept;
    return (polySlice){first, kept - first};
}

//---------------------------------- monomials ------------------------------------

// base^power with an integer power
static tacExpr split_power(const tacGraph* g, tacExpr e, int* power) {
    tacExprNode n = g->node[e];
    *power = 1;
    if (n.op != TAC_OP_POW || !tac_expr_is_number(g, n.b)) return e;
    tacFraction p = tac_expr_number(g, n.b);
    if (p.q != 1 || llabs((long long)p.p) > MAX_POWER) return e;
    *power = (int)p.p;
    return n.a;
}

// multiplies a list by atom^power, in rising order
static void insert_factor(expander* x, factorList* f, tacExpr atom, int power) {
    int i = 0;
    while (i < f->count && f->atom[i] < atom) ++i;
    if (i == f->count || f->atom[i] != atom) {
        if (f->count == MAX_FACTORS) {
            tac_graph_fail(x->g, TAC_ERROR_LIMIT, "a term has more than %d factors", MAX_FACTORS);
            return;
        }
        for (int k = f->count++; k > i; --k) {
            f->atom[k] = f->atom[k - 1];
            f->power[k] = f->power[k - 1];
        }
        f->atom[i] = atom;
        f->power[i] = 0;
    }
    f->power[i] += power;
    if (abs(f->power[i]) > MAX_POWER)
        tac_graph_fail(x->g, TAC_ERROR_LIMIT, "a power above %d", MAX_POWER);
}

// multiplies a list by a monomial to a power
static void insert_monomial(expander* x, factorList* f, tacExpr monomial, int power) {
    tacGraph* g = x->g;
    while (monomial != x->one) {
        int own, chain = tac_expr_op(g, monomial) == TAC_OP_MUL;
        tacExpr factor = chain ? g->node[monomial].a : monomial,
                atom = split_power(g, factor, &own);
        insert_factor(x, f, atom, own * power);
        monomial = chain ? g->node[monomial].b : x->one;
    }
}

static tacExpr monomial_of(expander* x, const factorList* f) {
    tacExpr out = x->one;
    for (int i = f->count - 1; i >= 0 && out >= 0; --i) {
        if (f->power[i] == 0) continue;
        tacExpr factor = f->atom[i];
        if (f->power[i] != 1)
            factor = tac_graph_node(x->g, TAC_OP_POW, factor, tac_fraction(x->g, f->power[i], 1));
        if (factor < 0) return TAC_EXPR_NONE;
        out = out == x->one ? factor : tac_graph_node(x->g, TAC_OP_MUL, factor, out);
    }
    return out;
}

// adds c times the factors; sin^2 = 1 - cos^2 leaves sines to the power of 1
static void add_product(expander* x, factorList f, tacFraction c) {
    tacGraph* g = x->g;
    for (int i = 0; i < f.count && g->result == TAC_OK; ++i) {
        if (f.power[i] < 2 || tac_expr_op(g, f.atom[i]) != TAC_OP_SIN) continue;
        tacExpr u = g->node[f.atom[i]].a;
        f.power[i] -= 2;
        add_product(x, f, c);
        insert_factor(x, &f, tac_expr_call(g, TAC_OP_COS, u, u), 2);
        add_product(x, f, tac_fraction_mul(c, (tacFraction){-1, 1, -1.0}));
        return;
    }
    if (g->result == TAC_OK) add_term(x, monomial_of(x, &f), c);
}

//---------------------------------- nodes ----------------------------------------

static polySlice multiply_polynomials(expander* x, polySlice a, polySlice b) {
    int first = x->used;
    for (int i = 0; i < a.count; ++i)
        for (int k = 0; k < b.count && x->g->result == TAC_OK; ++k) {
            polyTerm s = x->term[a.first + i], t = x->term[b.first + k];
            factorList f = {.count = 0};
            insert_monomial(x, &f, s.monomial, 1);
            insert_monomial(x, &f, t.monomial, 1);
            add_product(x, f, tac_fraction_mul(s.c, t.c));
        }
    return collect_terms(x, first);
}

static polySlice add_polynomials(expander* x, polySlice a, polySlice b) {
    int first = x->used;
    for (int i = 0; i < a.count + b.count && x->g->result == TAC_OK; ++i) {
        polyTerm t = i < a.count ? x->term[a.first + i] : x->term[b.first + i - a.count];
        add_term(x, t.monomial, t.c);
    }
    return collect_terms(x, first);
}

// the terms as an expression
static tacExpr sum_of(expander* x, polySlice a) {
    tacExpr out = tac_fraction(x->g, 0, 1);
    for (int i = 0; i < a.count; ++i) {
        polyTerm t = x->term[a.first + i];
        tacExpr c = tac_graph_number(x->g, t.c);
        out = tac_expr_add(x->g, out, tac_expr_mul(x->g, c, t.monomial));
    }
    return out;
}

// an expression that is a number, an atom, or a number times an atom
static polySlice atom_polynomial(expander* x, tacExpr e) {
    int first = x->used;
    tacFraction c = {1, 1, 1.0};
    if (e < 0) return (polySlice){first, 0};
    if (tac_expr_is_number(x->g, e)) {
        c = tac_expr_number(x->g, e);
        e = x->one;
    } else if (tac_expr_op(x->g, e) == TAC_OP_MUL && tac_expr_is_number(x->g, x->g->node[e].a)) {
        c = tac_expr_number(x->g, x->g->node[e].a);
        e = x->g->node[e].b;
    }
    factorList f = {.count = 0};
    if (e != x->one) insert_factor(x, &f, e, 1);
    add_product(x, f, c);
    return collect_terms(x, first);
}

static polySlice raise_polynomial(expander* x, polySlice base, tacExpr exponent) {
    tacFraction n =
        tac_expr_is_number(x->g, exponent) ? tac_expr_number(x->g, exponent) : (tacFraction){0};
    int whole = n.q == 1 && llabs((long long)n.p) <= MAX_POWER, first = x->used;
    if (whole && base.count == 1) {
        polyTerm t = x->term[base.first];
        factorList f = {.count = 0};
        insert_monomial(x, &f, t.monomial, (int)n.p);
        add_product(x, f, tac_fraction_power(t.c, n.p));
        return collect_terms(x, first);
    }
    if (whole && n.p == 0) return atom_polynomial(x, x->one);
    if (!whole || n.p < 0) return atom_polynomial(x, tac_expr_pow(x->g, sum_of(x, base), exponent));
    polySlice out = base;
    for (int k = 1; k < (int)n.p && x->g->result == TAC_OK; ++k)
        out = multiply_polynomials(x, out, base);
    return out;
}

static polySlice expand_node(expander* x, tacExpr e, const polySlice* slice) {
    tacExprNode n = x->g->node[e];
    if (tac_op_is_leaf((tacOp)n.op)) return atom_polynomial(x, e);
    if (n.op == TAC_OP_ADD) return add_polynomials(x, slice[n.a], slice[n.b]);
    if (n.op == TAC_OP_MUL) return multiply_polynomials(x, slice[n.a], slice[n.b]);
    if (n.op == TAC_OP_POW) return raise_polynomial(x, slice[n.a], sum_of(x, slice[n.b]));
    tacExpr a = sum_of(x, slice[n.a]),
            b = tac_op_is_binary((tacOp)n.op) ? sum_of(x, slice[n.b]) : a;
    return atom_polynomial(x, tac_expr_call(x->g, (tacOp)n.op, a, b));
}

tacResult tac_expr_expand(tacGraph* g, const tacExpr* expr, int count, int max_terms,
                          tacExpr* out) {
    tacResult result = tac_graph_check_result(g, count, out);
    if (result == TAC_OK) result = tac_graph_check(g, expr, count, 0);
    if (result != TAC_OK) return result;
    expander x = {.g = g, .most = max_terms, .one = tac_fraction(g, 1, 1)};
    int top;
    unsigned char* mark = tac_graph_mark_reachable(g, expr, count, &top);
    size_t size = sizeof(polySlice) * ((size_t)top + 1);
    polySlice* slice = mark ? tac_graph_alloc(g, size) : NULL;
    for (int i = 0; slice && i <= top && g->result == TAC_OK; ++i)
        if (mark[i]) slice[i] = expand_node(&x, i, slice);
    tacExpr* sums = g->result == TAC_OK ? tac_graph_map(g, count, TAC_EXPR_NONE) : NULL;
    for (int i = 0; sums && i < count; ++i) sums[i] = sum_of(&x, slice[expr[i]]);
    if (sums && g->result == TAC_OK && count > 0) memcpy(out, sums, sizeof *out * (size_t)count);
    tac_graph_unmap(g, sums, count);
    tac_graph_free(g, x.term, sizeof *x.term * (size_t)x.capacity);
    tac_graph_free(g, slice, size);
    tac_graph_free(g, mark, (size_t)top + 1);
    return g->result;
}
