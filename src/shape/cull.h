// Which children a union takes at each point of a block.
//
//   limits of leaves --up--> limits of combinations --down--> bits of the points that need a node
//
// The choice is made per point by that point's numbers alone, so bits do not depend on the batch,
// and it is the same for values and derivatives (docs/shapes.md).

#ifndef TAC_SHAPE_CULL_H
#define TAC_SHAPE_CULL_H

#include "shape/program.h"

typedef struct tacCull {
    int drops;      // a union that leaves children out
    int below;      // a node somewhere below such a union
    int lowers;     // whose high its own lowers: a union's is the least of its children's
    double reach;   // of its child: how far above the nearest one it still counts        [m]
    double rise;    // of a combination: tau ln n, how far it may be from its nearest child [m]
    double slope;   // bound of |grad phi|
    double coolest; // smallest temperature in the subtree                                 [m]
    tacBits keep;   // points of the block that need the node
} tacCull;

// points whose needs are told together
#define TAC_CULL_GROUP 8

// low <= phi <= high of the nodes at a block of points, one row after the other
typedef struct tacLimits {
    float *low, *high;
    int row;               // numbers of a row
    float (*x)[TAC_BLOCK]; // points, relative to the middle
} tacLimits;

typedef struct tacCulling {
    int active; // does any union drop anything?
    // leaves of one union that may matter to points of each group of the block, as the caller
    // knows: bits; NULL: all
    const uint64_t* need;
    tacCull* node;    // (shape->count)
    tacRough* leaf;   // (shape->count)
    double middle[3]; // of the leaves; rough points are relative to it [m]
    tacLimits at;     // memory for one block: tac_limits_take
} tacCulling;

// bound of |grad phi| outside a leaf
double tac_leaf_slope(const tacBound* b);

tacRough tac_rough_bind(const tacBound* b, const double middle[3]);

// takes memory from the scratch, which tac_cull_size() tells; the caller puts arena.used back
tacCulling tac_cull_bind(const tacProgram* p, tacScratch* scratch);
size_t tac_cull_size(int nodes);
tacLimits tac_limits_take(int nodes, tacScratch* scratch);
size_t tac_limits_size(int nodes);

// sets keep of every node for these points, all of them if nothing is dropped
void tac_cull_block(const tacProgram* p, const tacBlockPoints* points, tacCulling* culling);

// bits of all points of a block, padding included
static inline tacBits tac_all_points(const tacBlockPoints* points) {
    return tac_bits_first(points->padded);
}

#endif
