// Which children a union takes at each point of a block.
//
//   limits of leaves --up--> limits of combinations --down--> bits of the points that need a node
//
// The choice is made per point by that point's numbers alone, so bits do not depend on the batch,
// and it is the same for values and derivatives (docs/shapes.md).

#ifndef TAC_SHAPE_CULL_H
#define TAC_SHAPE_CULL_H

#include "shape/shape_program.h"

typedef struct tacCullNode {
    int culls;         // a union that leaves children out
    int under_culling; // a node somewhere below such a union
    int upper_target;  // whose high its own lowers: a union's is the least of its children's
    double cutoff;     // of its child: how far above the nearest one it still counts        [m]
    double gap;        // of a combination: tau ln n, how far it may be from its nearest child [m]
    double slope;      // bound of |grad phi|
    double min_tau;    // smallest temperature in the subtree                                 [m]
    tacPointMask keep; // points of the block that need the node
} tacCullNode;

// points whose needs are found together
#define TAC_CULL_GROUP 8

// low <= phi <= high of the nodes at a block of points, one row after the other
typedef struct tacFieldBounds {
    float *low, *high;
    int row;               // numbers of a row
    float (*x)[TAC_BLOCK]; // points, relative to the middle
} tacFieldBounds;

typedef struct tacCulling {
    int active; // does any union drop anything?
    // leaves of one union that may matter to points of each group of the block, as the caller
    // knows: bits; NULL: all
    const uint64_t* need;
    tacCullNode* node;  // (shape->count)
    tacFloatLeaf* leaf; // (shape->count)
    double center[3];   // of the leaves; single-precision points are relative to it [m]
    tacFieldBounds at;  // memory for one block: tac_field_bounds_alloc
} tacCulling;

// bound of |grad phi| outside a leaf
double tac_leaf_lipschitz(const tacNodeData* b);

tacFloatLeaf tac_float_leaf_bind(const tacNodeData* b, const double center[3]);

// arrays only; the numbers are filled by tac_cull_bind and by each block
tacCulling tac_cull_alloc(int nodes, tacArena* arena);
tacFieldBounds tac_field_bounds_alloc(int nodes, tacArena* arena);

// arrays from the scratch, and their numbers; the caller resets arena.used
tacCulling tac_cull_bind(const tacShapeProgram* p, tacScratch* scratch);

// sets keep of every node for these points, all of them if nothing is dropped
void tac_cull_block(const tacShapeProgram* p, const tacBlockPoints* points, tacCulling* culling);

// bits of all points of a block, padding included
static inline tacPointMask tac_block_points_mask(const tacBlockPoints* points) {
    return tac_point_mask_first(points->padded);
}

#endif
