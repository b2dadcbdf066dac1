// Lagrange's equations with constraints.
//
//   d/dt dL/dq' - dL/dq = J' loads + A' lambda,   A q'' + (A q' + b)' at q'' = 0  = 0

#include "symbolic/mechanics/method.h"

#include <string.h>

typedef struct lagranges {
    tacMechanics* m;
    tacGraph* g;
    const tacLagrange* setup;
    tacMethodStorage* own;
    int n, bonds; // coordinates, constraints
} lagranges;

static tacExprMatrix mass_of(const lagranges* k) {
    int size = k->n + k->bonds;
    return (tacExprMatrix){k->own->M, size, size};
}

// speeds and accelerations are the rates of the coordinates
static tacResult name_rates(lagranges* k) {
    tacGraph* g = k->g;
    if (tac_graph_check(g, k->setup->q, k->n, 1) != TAC_OK) return g->result;
    for (int i = 0; i < k->n; ++i) {
        tacExpr q = k->own->q[i] = k->setup->q[i];
        if (tac_dynamic_index(k->m, q) < 0)
            tac_graph_fail(g, TAC_ERROR_VALUE, "%s is a constant; create it with tac_dynamic",
                           tac_symbol_name(g, q));
        k->own->u[i] = k->own->rates[i] = tac_dt(k->m, q);
        k->own->u_dot[i] = tac_dt(k->m, k->own->u[i]);
    }
    for (int i = 0; i < k->bonds; ++i) {
        char name[24];
        snprintf(name, sizeof name, "lam%d", i + 1);
        k->own->u_dot[k->n + i] = tac_dynamic(k->m, name);
    }
    return g->result;
}

// splits rates into coefficients of u' and the rest: rows of M from `first` on, and -rest
static void split_rates(lagranges* k, const tacExpr* expr, int count, int first) {
    tacGraph* g = k->g;
    tacExprMatrix M = mass_of(k), J = tac_expr_matrix_alloc(g, count, k->n);
    tacExprMatrix rest = tac_expr_matrix_alloc(g, count, 2);
    tacExpr* rate = rest.at ? rest.at + count : NULL;
    if (J.at && rate) {
        for (int i = 0; i < count; ++i) rate[i] = tac_dt(k->m, expr[i]);
        if (g->result == TAC_OK)
            tac_expr_linear(g, rate, count, k->own->u_dot, k->n, J.at, rest.at);
        for (int i = 0; i < count && g->result == TAC_OK; ++i) {
            k->own->forcing[first + i] = tac_expr_mul(g, tac_fraction(g, -1, 1), rest.at[i]);
            memcpy(tac_expr_matrix_entry(M, first + i, 0), tac_expr_matrix_entry(J, i, 0),
                   sizeof *J.at * (size_t)k->n);
        }
    }
    tac_expr_matrix_free(g, rest);
    tac_expr_matrix_free(g, J);
}

// d/dt dL/dq' - dL/dq
static void motion_rows(lagranges* k) {
    tacGraph* g = k->g;
    tacExpr* p = tac_graph_map(g, 2 * k->n, TAC_EXPR_NONE);
    if (p && tac_expr_gradient(g, k->setup->L, k->own->u, k->n, p) == TAC_OK &&
        tac_expr_gradient(g, k->setup->L, k->own->q, k->n, p + k->n) == TAC_OK) {
        split_rates(k, p, k->n, 0);
        for (int i = 0; i < k->n && g->result == TAC_OK; ++i)
            k->own->forcing[i] = tac_expr_add(g, k->own->forcing[i], p[k->n + i]);
    }
    tac_graph_unmap(g, p, 2 * k->n);
    tacExprMatrix M = mass_of(k);
    for (int i = 0; i < k->n;
         ++i) // two orders of differentiation: the lower triangle is used for both
        for (int j = 0; j < i; ++j)
            *tac_expr_matrix_entry(M, j, i) = *tac_expr_matrix_entry(M, i, j);
}

// constraints on speeds: rates of the holonomic ones, then the others
static void constraint_rows(lagranges* k) {
    tacGraph* g = k->g;
    const tacLagrange* s = k->setup;
    tacExpr* v = k->own->velocity;
    tacExprMatrix M = mass_of(k);
    for (int i = 0; i < s->nholonomic; ++i) {
        k->own->configuration[i] = s->holonomic[i];
        v[i] = tac_dt(k->m, s->holonomic[i]);
    }
    for (int i = 0; i < s->nvelocity; ++i) v[s->nholonomic + i] = s->velocity[i];
    if (tac_graph_check(g, v, k->bonds, 0) != TAC_OK ||
        tac_holonomic_check(g, s->holonomic, s->nholonomic, k->own->u, k->n) != TAC_OK ||
        tac_holonomic_check(g, s->holonomic, s->nholonomic, k->own->u_dot, k->n) != TAC_OK)
        return;
    split_rates(k, v, k->bonds, k->n);
    for (int i = 0; i < k->bonds && g->result == TAC_OK; ++i)
        for (int j = 0; j < k->n; ++j)
            *tac_expr_matrix_entry(M, j, k->n + i) =
                tac_expr_mul(g, tac_fraction(g, -1, 1), *tac_expr_matrix_entry(M, k->n + i, j));
}

static tacResult check_setup(tacMechanics* m, const tacLagrange* s) {
    tacGraph* g = m->graph;
    int bonds = s->nholonomic + s->nvelocity;
    if (!tac_frame_check(m, s->frame) || tac_graph_check(g, &s->L, 1, 0) != TAC_OK)
        return g->result;
    if (s->nq < 1 || !s->q || s->nholonomic < 0 || s->nvelocity < 0 || bonds > s->nq ||
        (s->nholonomic > 0 && !s->holonomic) || (s->nvelocity > 0 && !s->velocity))
        tac_graph_fail(g, TAC_ERROR_VALUE,
                       "Lagrange's method needs coordinates, and no more constraints than those");
    return g->result;
}

static tacResult form_lagrange(lagranges* k) {
    tacGraph* g = k->g;
    tacSubstitution none = {NULL, NULL, 0};
    if (name_rates(k) == TAC_OK) motion_rows(k);
    if (g->result == TAC_OK) constraint_rows(k);
    if (g->result == TAC_OK)
        tac_add_loads(k->m, k->setup->frame, k->own->u, k->n, none, k->own->forcing);
    return g->result == TAC_OK ? tac_method_check(k->own) : g->result;
}

tacResult tac_lagranges_method(tacMechanics* m, const tacLagrange* setup, tacMethod** out) {
    if (!m || !setup || !out) return TAC_ERROR_VALUE;
    tacGraph* g = m->graph;
    if (g->result != TAC_OK || check_setup(m, setup) != TAC_OK) return g->result;
    lagranges k = {.m = m, .g = g, .setup = setup, .n = setup->nq};
    k.bonds = setup->nholonomic + setup->nvelocity;
    k.own = tac_method_alloc(m, (tacMethod){.nq = k.n,
                                            .nu = k.n,
                                            .nlambda = k.bonds,
                                            .nq_dep = setup->nholonomic,
                                            .nu_dep = k.bonds});
    if (!k.own) return g->result;
    if (form_lagrange(&k) == TAC_OK)
        *out = &k.own->method;
    else
        tac_method_free(k.own);
    return g->result;
}
