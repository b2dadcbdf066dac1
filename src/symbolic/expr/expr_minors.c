// Small linear systems by minors: the only division is by the determinant.
//
// left[S] is the determinant of the rows S and the first columns, as many as S has rows; right[S]
// that of the rows S and the last columns. A minor without row i and column j is, by Laplace's
// expansion, the sum over the sets S of j other rows of +- left[S] right[the others]. Sets are
// bits.

#include "symbolic/expr/expr_matrix.h"

#include "base/assert.h"

typedef struct minors {
    tacGraph* g;
    tacExprMatrix A;
    tacExpr *left, *right; // (2^n)
} minors;

static int count_bits(unsigned set) {
    int count = 0;
    for (; set; set &= set - 1) ++count;
    return count;
}

// 1 if an odd number of members of the set stand after i
static int odd_after(unsigned set, int i) { return count_bits(set >> (i + 1)) & 1; }

static tacExpr signed_part(tacGraph* g, int odd, tacExpr a, tacExpr b) {
    tacExpr part = tac_expr_mul(g, a, b);
    return odd ? tac_expr_mul(g, tac_fraction(g, -1, 1), part) : part;
}

// determinants of growing sets of rows, along the column that each set is the first to reach
static void fill_minors(minors* k) {
    tacGraph* g = k->g;
    int n = k->A.rows;
    k->left[0] = k->right[0] = tac_fraction(g, 1, 1);
    for (unsigned set = 1; set < 1u << n && g->result == TAC_OK; ++set) {
        tacExpr left = tac_fraction(g, 0, 1), right = left;
        int size = count_bits(set);
        for (int i = 0; i < n; ++i) {
            unsigned rest = set & ~(1u << i);
            if (rest == set) continue;
            tacExpr last = *tac_expr_matrix_entry(k->A, i, size - 1),
                    first = *tac_expr_matrix_entry(k->A, i, n - size);
            left = tac_expr_add(g, left, signed_part(g, odd_after(set, i), last, k->left[rest]));
            int odd = (count_bits(set) - 1 - count_bits(set >> (i + 1))) & 1;
            right = tac_expr_add(g, right, signed_part(g, odd, first, k->right[rest]));
        }
        k->left[set] = left;
        k->right[set] = right;
    }
}

// members of `set` that stand after members of `others`
static int inversions(unsigned set, unsigned others, int n) {
    int count = 0;
    for (int i = 0; i < n; ++i)
        if (others >> i & 1) count += count_bits(set >> (i + 1));
    return count;
}

// (-1)^(i + j) times the determinant without row i and column j
static tacExpr cofactor(minors* k, int i, int j) {
    tacGraph* g = k->g;
    int n = k->A.rows;
    unsigned rows = ((1u << n) - 1) & ~(1u << i);
    tacExpr sum = tac_fraction(g, 0, 1);
    for (unsigned set = 0; set < 1u << n && g->result == TAC_OK; ++set) {
        if (set & ~rows || count_bits(set) != j) continue;
        unsigned others = rows & ~set;
        int odd = (inversions(set, others, n) + i + j) & 1;
        sum = tac_expr_add(g, sum, signed_part(g, odd, k->left[set], k->right[others]));
    }
    return sum;
}

void tac_expr_minors_solve(tacGraph* g, tacExprMatrix A, tacExprMatrix B, tacExprMatrix X) {
    int n = A.rows, room = 2 << n;
    TAC_ASSERT(n > 0 && n <= TAC_MINORS_MAX);
    minors k = {g, A, tac_graph_map(g, room, TAC_EXPR_NONE), NULL};
    if (!k.left) return;
    k.right = k.left + room / 2;
    fill_minors(&k);
    tacExpr over = tac_expr_pow(g, k.left[(1 << n) - 1], tac_fraction(g, -1, 1));
    for (int j = 0; j < n && g->result == TAC_OK; ++j)
        for (int i = 0; i < n; ++i) {
            tacExpr share = tac_expr_mul(g, cofactor(&k, i, j), over);
            for (int c = 0; c < X.columns; ++c) {
                tacExpr part = tac_expr_mul(g, share, *tac_expr_matrix_entry(B, i, c));
                *tac_expr_matrix_entry(X, j, c) =
                    tac_expr_add(g, *tac_expr_matrix_entry(X, j, c), part);
            }
        }
    tac_graph_unmap(g, k.left, room);
}
