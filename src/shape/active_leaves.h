// A union of leaves that ends, at points that name the leaves they need: each group of points goes
// through the leaves that one of them needs, so nothing is asked beforehand and nothing is
// gathered. At the others a leaf is beyond the end, and has no weight.

#ifndef TAC_SHAPE_ACTIVE_LEAVES_H
#define TAC_SHAPE_ACTIVE_LEAVES_H

#include "shape/shape_run.h"

// points whose needs are found together
#define TAC_ACTIVE_LEAF_GROUP 8
// most leaves: a group goes through all of them in one block
#define TAC_ACTIVE_LEAF_MAX TAC_MAX_BLEND_CHILDREN

// the points of a group that need a leaf
typedef struct tacActiveLeaf {
    int group;
    uint8_t leaf, bits;
} tacActiveLeaf;

// Field of the shape at run->points, which are groups first, first + 1, ..., in run->stack[0]; the
// needs of these, in order of groups, are the first of `need`. Returns how many those are.
int tac_shape_run_active_leaves(const tacShapeProgram* p, tacShapeRun* run,
                                const tacActiveLeaf* need, int needs, int first, int order);

#endif
