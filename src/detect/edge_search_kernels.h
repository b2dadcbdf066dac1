// The wide kernels that find edges of two geoms which may meet.
//
//   groups of blocks that are near each other --boxes--> blocks --faces beside edges, their boxes,
//   roughly--> pairs --feet of the perpendicular, faces--> pairs that can claim
//
// Boxes stand in the axes of both bodies: two of them are apart if they are in one of the two.
// Arrays have room for whole vectors behind `count`.

#ifndef TAC_DETECT_EDGE_SEARCH_KERNELS_H
#define TAC_DETECT_EDGE_SEARCH_KERNELS_H

#include "base/dispatch.h"
#include "model/features.h"
#include "shape/bound.h"
#include "tactus/witness.h"

// How boxes are placed in other axes; they are wider by `more`, which is more than numbers are
// rounded by.
typedef struct tacEdgeFrame {
    const tacFrame* across;
    double more;
} tacEdgeFrame;

// How tacEdgeRows are: a middle is origin + middle times its numbers, a unit vector turn times its
// numbers, half sides of boxes are those of the edge, `half` times its number long, and `more`.
typedef struct tacEdgePlacing {
    float middle[3][3], turn[3][3], origin[3], half, more;
} tacEdgePlacing;

// Boxes around blocks of edges or groups of them, in axes of the body of geom[0] and of geom[1],
// whole vectors of them; half[0][0] < 0: is none
typedef struct tacEdgeBoxes {
    int count;
    int* block; // which one
    float *middle[2][3], *half[2][3];
} tacEdgeBoxes;

// one box in both
typedef struct tacEdgeBox {
    tacReal middle[2][3], half[2][3];
} tacEdgeBox;

// numbers of a block that is placed, at most
enum { TAC_EDGE_PLACE = 256 };

// something of a group of geom[0], a block of geom[1] it is near to, and bits: in turn blocks of
// the group, edges of its block `own`, those of the other that its edge `own` may meet
typedef struct tacEdgeItem {
    unsigned bits, own;
    int other; // of `block` of the others
    int row;   // where that is placed
} tacEdgeItem;

// Blocks of geom[1] are placed when one of geom[0] comes near
typedef struct tacEdgeOthers {
    tacEdgeBoxes group, block;
    int* first;   // where blocks of a group begin in `block`, -1: not there yet       (its count)
    int* end;     //                                                                   (its count)
    int* place;   // of each of `block`: where in `row`, -1: not yet
    float* row;   // `room` numbers each
    int places;   // numbers that are taken
    int* partner; // groups that are near one of geom[0]
    tacEdgeItem *near, *item[2]; // of one group: blocks, edges of blocks
} tacEdgeOthers;

// what pairs have to pass
typedef struct tacEdgeTest {
    const tacFeatures* features[2];
    const tacFrame* across;    // the body of geom[1] in that of geom[0]
    tacEdgeFrame frame[2];     // from the axes of each to those of the other
    tacEdgeBox around[2];      // all of each geom
    tacEdgePlacing placing[2]; // in axes of geom[0]; those of geom[0] are wider by `apart`
    tacReal apart;             // boxes that are farther apart do not meet
    const tacWitnessOptions* witness;
    tacReal reach;             // witness points come that near
    tacReal clash;             // temperature
    int bounded;               // 0: by boxes alone
    int solid;                 // 1: neither is swept with a radius
    int rough;                 // 1: faces are looked at in single precision first
    tacEdgeBoxes group, block; // of geom[0]; blocks of one group
    tacEdgeOthers* others;
    int *one, *two; // for TAC_EDGE_ROOM pairs
} tacEdgeTest;

// pairs wait until there are many; room for a block more and for padding
enum { TAC_EDGE_WAITING = 512, TAC_EDGE_ROOM = TAC_EDGE_WAITING + 32 };

typedef struct tacEdgeSearchKernels {
    int lanes;
    int room; // numbers of a block that is placed

    // Pairs of edges that can have a claim, in order; their number, of which at most `capacity`
    // are written
    int (*list)(tacEdgeTest* test, int capacity, int* first, int* second);
} tacEdgeSearchKernels;

TAC_DECLARE_KERNELS(tacEdgeSearchKernels, tac_edge_search_kernels_);

#endif
