// The wide kernels that find edges of two geoms that may touch.
//
//   eight groups and eight groups --boxes--> eight blocks and eight blocks --boxes--> eight edges
//   and eight edges --boxes, faces beside edges, roughly--> pairs --feet of the perpendicular,
//   faces--> pairs that can be contacts
//
// Boxes of groups and blocks stand in the axes of both bodies: two of them are apart if they are in
// one of the two.

#ifndef TAC_DETECT_MANIFOLD_EDGE_SEARCH_KERNELS_H
#define TAC_DETECT_MANIFOLD_EDGE_SEARCH_KERNELS_H

#include "base/dispatch.h"
#include "model/contact/geom_features.h"
#include "shape/node_data.h"
#include "tactus/witness.h"

// How boxes are placed in other axes; they are wider by `more`, which is more than numbers are
// rounded by.
typedef struct tacEdgeFrame {
    float R[3][3], origin[3], margin;
} tacEdgeFrame;

// Coordinates as 16-bit numbers: cells of a lattice over where boxes of both geoms may be. What
// lies outside goes to its ends, which keeps the order of any two numbers, so boxes that overlap do
// so there as well. A box of geom[0] is written (-high, low), one of geom[1] (-low, high): two are
// apart where a number of the latter is less, for which halves of the former are negative here.
enum { TAC_EDGE_CELLS = 32766, TAC_EDGE_EMPTY = 32767 };

// how boxes of a geom come there: numbers times `scale` and `origin`, halves times `wide` and
// `more`, which is more than all of it is rounded by
typedef struct tacEdgeCells {
    float scale[3], origin[3], wide[3], margin[3];
} tacEdgeCells;

// How tacQuantizedEdges are placed there, in axes of geom[0]: a middle is origin + middle times its
// numbers, a unit vector of length TAC_EDGE_UNIT turn times its numbers, half sides of boxes are
// those of that vector times `half` times the number of the edge, and `more`.
typedef struct tacEdgeTransform {
    float middle[3][3], rot[3][3], origin[3], half[3], margin[3];
} tacEdgeTransform;

#define TAC_EDGE_UNIT (127.0 * 256.0)

// Rows of 16-bit numbers. Of a block of edges that is placed: unit vectors along them, twice, and
// across them and each of their faces, two numbers of each edge side by side; then boxes, six rows
// of eight. Of eight blocks, or groups: boxes in axes of both geoms. Those of geom[0] are spread
// out, each number eight times: all eight are compared with eight others at once.
enum {
    TAC_EDGE_ALONG = 0,
    TAC_EDGE_SIDE = 3 * 2 * TAC_FEATURE_BLOCK,
    TAC_EDGE_BOX = 6 * 2 * TAC_FEATURE_BLOCK,
    TAC_BOX_ROWS = 6 * TAC_FEATURE_BLOCK,
    TAC_BOX_BROADCAST = TAC_BOX_ROWS * TAC_FEATURE_BLOCK,
    TAC_EDGE_OWN = TAC_EDGE_BOX + TAC_BOX_BROADCAST,
    TAC_EDGE_OTHER = TAC_EDGE_BOX + TAC_BOX_ROWS
};

// Pairs of things of geom[0] and geom[1], where in rows they are, and which of their parts are near
typedef struct tacEdgeItems {
    uint64_t* word; // bit 8 i + j: part i and part j
    uint8_t* bits;  // bit i: part i and any; there is room for a word of bits behind the last
    unsigned *own, *other;
} tacEdgeItems;

// Blocks of geom[1] are placed when one of geom[0] comes near
typedef struct tacEdgePartnerSet {
    int16_t *groups, *blocks; // boxes of each eight groups, of the blocks of each group
    int16_t* edges;           // of each block
    int* transformed; // bits of blocks of each group whose edges are placed, -1: the group is not
    uint64_t* near;   // of eight groups of geom[0]: which are near each eight of these
    int* partner;     // of one group: groups that are near
    tacEdgeItems item[3]; // with groups, blocks with blocks, edges with blocks
    unsigned* order;      // of the last of these
} tacEdgePartnerSet;

// what pairs have to pass
typedef struct tacEdgeTest {
    const tacFeatures* features[2];
    const tacFrame* rel_frame; // the body of geom[1] in that of geom[0]
    tacEdgeFrame frame[2];     // from the axes of each to those of the other
    tacEdgeCells cells[2][2];  // of boxes of each, in axes of both; those of geom[0] are wider by
    tacEdgeTransform transform[2]; // how far others may be apart, likewise edges
    const tacWitnessOptions* witness;
    tacReal cutoff;   // witness points come that near
    tacReal opposing; // temperature
    int bounded;      // 0: by boxes alone
    int solid;        // 1: neither is swept with a radius
    int float_test;   // 1: faces are looked at roughly first
    tacEdgePartnerSet* partner_set;
    int *one, *two; // for TAC_EDGE_BATCH_CAPACITY pairs
} tacEdgeTest;

// pairs wait until there are many; room for a block more and for padding
enum { TAC_EDGE_BATCH = 512, TAC_EDGE_BATCH_CAPACITY = TAC_EDGE_BATCH + 32 };

typedef struct tacEdgeSearchKernels {
    int lanes;

    // Pairs of edges that can have a claim, in order; their number, of which at most `capacity`
    // are written
    int (*list_pairs)(tacEdgeTest* test, int capacity, int* first, int* second);
} tacEdgeSearchKernels;

TAC_DECLARE_KERNELS(tacEdgeSearchKernels, tac_edge_search_kernels_);

#endif
