// Leaves at some points of a block: the points that need them, one leaf after the other, each
// padded to whole vectors, so that superquadrics go through their stages together.

#ifndef TAC_SHAPE_PACK_H
#define TAC_SHAPE_PACK_H

#include "shape/shape_program.h"

typedef struct tacPack {
    const tacBlockPoints* points;
    tacFieldBlock* into; // where fields go
    int order;

    tacReal x[3][TAC_BLOCK];
    int at[2 * TAC_BLOCK]; // index in the block of points; room for the leaf to come
    const tacNodeData* leaf_of[TAC_BLOCK]; // leaf of each vector
    int node[TAC_BLOCK];                   // leaf of each part,
    int overwrite[TAC_BLOCK]; // is it put in place, or merged into its parent's open field?
    int first[TAC_BLOCK + 1]; // where it begins
    int parts, count;
    tacFieldBlock field;
} tacPack;

// adds a leaf at the points of `keep`; a full pack, or one of another kind, is emptied before
void tac_pack_add(const tacShapeProgram* p, tacPack* pack, int leaf, tacPointMask keep,
                  int overwrite);

// evaluates what is there
void tac_pack_flush(const tacShapeProgram* p, tacPack* pack);

// a field of one value that no child has entered yet
void tac_block_fill(tacFieldBlock* block, double value, int count, int order);

// do they share a kernel that takes several of them?
int tac_pack_compatible(const tacNodeData* a, const tacNodeData* b);

// indices of the bits, padded to `lanes` by repeating the last; their padded number
int tac_point_mask_padded_list(tacPointMask keep, int lanes, int index[TAC_BLOCK]);

// is it the child that begins its parent's field? How does its parent take it?
int tac_node_is_first(const tacShapeProgram* p, int i);
tacBlend tac_parent_blend(const tacShapeProgram* p, int i);

#endif
