// Points sorted along a Morton curve, in leaves of a few, under a binary tree of boxes. A search
// skips boxes that cannot hold a better point.

#include "mesh/convex/support_tree.h"

#include "math/array3.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { LEAF = 4 }; // points of a leaf at most, on average half to all of it

//---------------------------------- order ----------------------------------------

typedef struct mortonKey {
    uint64_t code;
    int index;
} mortonKey;

// the lowest 21 bits, each followed by two zeros
static uint64_t spread_bits(uint64_t x) {
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

static uint64_t morton_code(const double* p, const double lower[3], double scale) {
    uint64_t code = 0;
    for (int k = 0; k < 3; ++k) code |= spread_bits((uint64_t)((p[k] - lower[k]) * scale)) << k;
    return code;
}

static int comes_before(mortonKey a, mortonKey b) {
    return a.code != b.code ? a.code < b.code : a.index < b.index;
}

static void sift_down_key(mortonKey* heap, int i, int count) {
    for (int child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && comes_before(heap[child], heap[child + 1])) ++child;
        if (!comes_before(heap[i], heap[child])) return;
        mortonKey swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

static void sort_keys(mortonKey* keys, int count) {
    for (int i = count / 2 - 1; i >= 0; --i) sift_down_key(keys, i, count);
    for (int last = count - 1; last > 0; --last) {
        mortonKey swap = keys[0];
        keys[0] = keys[last];
        keys[last] = swap;
        sift_down_key(keys, 0, last);
    }
}

// marked points with their codes
static void fill_keys(const tacSupportTree* tree, const int* mark, int total, mortonKey* keys) {
    double lower[3] = {INFINITY, INFINITY, INFINITY}, width = 0.0;
    for (int i = 0; i < total; ++i)
        for (int k = 0; k < 3 && mark[i]; ++k)
            lower[k] = fmin(lower[k], tree->point[3 * (size_t)i + k]);
    for (int i = 0; i < total; ++i)
        for (int k = 0; k < 3 && mark[i]; ++k)
            width = fmax(width, tree->point[3 * (size_t)i + k] - lower[k]);
    double scale = width > 0.0 ? 0x1p20 / width : 0.0;
    if (!(scale < 1e300)) scale = 0.0;
    for (int i = 0, used = 0; i < total; ++i)
        if (mark[i])
            keys[used++] = (mortonKey){morton_code(tree->point + 3 * (size_t)i, lower, scale), i};
}

//---------------------------------- boxes ----------------------------------------

// points of a leaf: an equal share of the order
static int leaf_start(const tacSupportTree* tree, int leaf) {
    return (int)((long long)tree->count * leaf / tree->leaves);
}

static void fill_boxes(tacSupportTree* tree) {
    for (int node = 2 * tree->leaves - 1; node >= 1; --node) {
        double(*box)[3] = tree->box[node];
        for (int k = 0; k < 3; ++k) {
            box[0][k] = INFINITY;
            box[1][k] = -INFINITY;
        }
        int leaf = node - tree->leaves;
        int from = leaf < 0 ? 0 : leaf_start(tree, leaf),
            to = leaf < 0 ? 0 : leaf_start(tree, leaf + 1);
        for (int i = from; i < to; ++i)
            for (int k = 0; k < 3; ++k) {
                double x = tree->point[3 * (size_t)tree->index[i] + k];
                box[0][k] = fmin(box[0][k], x);
                box[1][k] = fmax(box[1][k], x);
            }
        for (int child = 2 * node; leaf < 0 && child <= 2 * node + 1; ++child)
            for (int k = 0; k < 3; ++k) {
                box[0][k] = fmin(box[0][k], tree->box[child][0][k]);
                box[1][k] = fmax(box[1][k], tree->box[child][1][k]);
            }
    }
}

int tac_support_tree_create(tacSupportTree* tree, const double* point, const int* mark, int total,
                            tacAllocator a) {
    *tree = (tacSupportTree){.point = point, .leaves = 1};
    for (int i = 0; i < total; ++i) tree->count += mark[i] != 0;
    while (tree->leaves * LEAF < tree->count) tree->leaves *= 2;
    size_t count = (size_t)tree->count;
    mortonKey* keys = a.allocate(a.user, sizeof *keys * (count + 1));
    tree->index = keys ? a.allocate(a.user, sizeof(int) * (count + 1)) : NULL;
    tree->box =
        tree->index ? a.allocate(a.user, sizeof *tree->box * 2 * (size_t)tree->leaves) : NULL;
    if (tree->box) {
        fill_keys(tree, mark, total, keys);
        sort_keys(keys, tree->count);
        for (int i = 0; i < tree->count; ++i) tree->index[i] = keys[i].index;
        fill_boxes(tree);
    }
    if (keys) a.release(a.user, keys);
    if (!tree->box) tac_support_tree_free(tree, a);
    return tree->box != NULL;
}

void tac_support_tree_free(tacSupportTree* tree, tacAllocator a) {
    if (tree->index) a.release(a.user, tree->index);
    if (tree->box) a.release(a.user, tree->box);
    tree->index = NULL;
    tree->box = NULL;
}

//---------------------------------- search ---------------------------------------

// upper bound of n . x over the box; -inf for an empty one
static double box_support(double box[2][3], const double n[3]) {
    if (box[0][0] > box[1][0]) return -INFINITY;
    double corner[3];
    for (int k = 0; k < 3; ++k) corner[k] = box[n[k] > 0.0][k];
    return tac_dot3(n, corner);
}

int tac_support_tree_find(const tacSupportTree* tree, const double n[3], int start, double slack) {
    int stack[64], top = 0, best = start;
    double height = tac_dot3(n, tree->point + 3 * (size_t)start);
    stack[top++] = 1;
    while (top) {
        int node = stack[--top];
        if (box_support(tree->box[node], n) <= height + slack) continue;
        if (node >= tree->leaves) {
            int leaf = node - tree->leaves, end = leaf_start(tree, leaf + 1);
            for (int i = leaf_start(tree, leaf); i < end; ++i) {
                double h = tac_dot3(n, tree->point + 3 * (size_t)tree->index[i]);
                if (h > height) {
                    height = h;
                    best = tree->index[i];
                }
            }
        } else { // the better half first
            int better =
                box_support(tree->box[2 * node], n) < box_support(tree->box[2 * node + 1], n);
            stack[top++] = 2 * node + !better;
            stack[top++] = 2 * node + better;
        }
    }
    return best;
}
