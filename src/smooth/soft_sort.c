// Soft top-K by SoftSort (Prillo and Eisenschlos 2020): row k is a softmax around the k-th largest.
//
//   scores x (n) --> [this file] --weights (k x n)--> selection of vertices and edges
//
// O(n log k) for the order and O(n k) exponentials, all evaluated. Formulas: docs/smooth.md.

#include "smooth/soft_sort.h"

tacSoftSort tac_default_soft_sort(int n, const tacReal* x, int k) {
    return (tacSoftSort){
        .n = n, .k = k, .x = x, .tau = 1.0, .power = 1, .ties = TAC_TIES_OFFSET, .offset = 10.0};
}

size_t tac_soft_sort_size(int n) { return n > 0 ? 2 * (size_t)n : 0; }

//---------------------------------- hard order ----------------------------------

// a ranks before b: larger score, then smaller index
static int soft_ranks_before(const tacReal* y, int a, int b) {
    double u = tac_re(y[a]), v = tac_re(y[b]);
    return u > v || (u == v && a < b);
}

// a heap whose root ranks last
static void soft_sift_down(const tacReal* y, int* heap, int count, int at) {
    for (;;) {
        int last = at;
        for (int child = 2 * at + 1; child <= 2 * at + 2 && child < count; ++child)
            if (soft_ranks_before(y, heap[last], heap[child])) last = child;
        if (last == at) return;
        int swap = heap[at];
        heap[at] = heap[last];
        heap[last] = swap;
        at = last;
    }
}

// order[0..k) = the k entries that rank first, in rank
static void soft_hard_order(int n, const tacReal* y, int k, int* order) {
    for (int i = 0; i < k; ++i) order[i] = i;
    for (int i = k / 2 - 1; i >= 0; --i) soft_sift_down(y, order, k, i);
    for (int i = k; i < n && k > 0; ++i) {
        if (!soft_ranks_before(y, i, order[0])) continue;
        order[0] = i;
        soft_sift_down(y, order, k, 0);
    }
    for (int count = k - 1; count > 0; --count) {
        int swap = order[0];
        order[0] = order[count];
        order[count] = swap;
        soft_sift_down(y, order, count, 0);
    }
}

//---------------------------------- rows ----------------------------------

static int soft_sort_valid(const tacSoftSort* s) {
    return s && s->n >= 0 && (s->n == 0 || (s->x && s->work)) && s->k >= 0 && s->k <= s->n &&
           (s->k == 0 || s->order) && soft_positive(s->tau) && (s->power == 1 || s->power == 2) &&
           (s->ties == TAC_TIES_REFERENCE || s->ties == TAC_TIES_OFFSET) && s->offset >= 0.0 &&
           isfinite(s->offset) && soft_all_finite(s->n, s->x);
}

// offset_j = offset tau^(1/power) j / n
static tacReal soft_sort_offset(const tacSoftSort* s, int j) {
    if (s->ties == TAC_TIES_REFERENCE) return 0.0;
    tacReal width = s->power == 1 ? s->tau : r_sqrt(s->tau);
    return s->offset * j / s->n * width;
}

tacReal tac_soft_sort_offset_rate(const tacSoftSort* s, int j) {
    return soft_sort_offset(s, j) / (s->power * s->tau);
}

tacResult tac_soft_sort_start(const tacSoftSort* s, softRow* row) {
    if (!soft_sort_valid(s)) return TAC_ERROR_VALUE;
    for (int j = 0; j < s->n; ++j) s->work[j] = s->x[j] - soft_sort_offset(s, j);
    soft_hard_order(s->n, s->work, s->k, s->order);
    *row = (softRow){.y = s->work, .n = s->n, .power = s->power, .tau = s->tau};
    return TAC_OK;
}

void tac_soft_sort_row(const softRow* r, tacReal* weights) {
    for (int j = 0; j < r->n; ++j) weights[j] = soft_row_exponent(r, j);
    soft_exp_all(r->n, weights);
    tacReal sum = 0.0;
    for (int j = 0; j < r->n; ++j) sum += weights[j];
    for (int j = 0; j < r->n; ++j) weights[j] = weights[j] / sum;
}

tacResult tac_soft_sort_top_k(const tacSoftSort* sort, tacReal* weights) {
    softRow row;
    if (!weights) return TAC_ERROR_VALUE;
    tacResult result = tac_soft_sort_start(sort, &row);
    if (result != TAC_OK) return result;
    for (int k = 0; k < sort->k; ++k) {
        row.center = sort->order[k];
        tac_soft_sort_row(&row, weights + (size_t)k * (size_t)sort->n);
    }
    return TAC_OK;
}
