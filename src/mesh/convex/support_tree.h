// The point of a set that is furthest in a direction, by a tree of boxes.

#ifndef TAC_MESH_CONVEX_SUPPORT_TREE_H
#define TAC_MESH_CONVEX_SUPPORT_TREE_H

#include "tactus/memory.h"

typedef struct tacSupportTree {
    const double* point;
    int count, leaves;   // points in the tree; leaves, a power of two
    int* index;          // points along a Morton curve                       (count)
    double (*box)[2][3]; // of each node, 1 the root, 2 i and 2 i + 1 below i  (2 leaves)
} tacSupportTree;

// Tree over the points with mark[i] != 0 of `total`; 0 without memory.
int tac_support_tree_create(tacSupportTree* tree, const double* point, const int* mark, int total,
                            tacAllocator allocator);

// a point with the largest product with n, within `slack`; `start` is a first guess
int tac_support_tree_find(const tacSupportTree* tree, const double n[3], int start, double slack);

void tac_support_tree_free(tacSupportTree* tree, tacAllocator allocator);

#endif
