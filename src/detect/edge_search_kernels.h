// The wide kernels that find edges of two geoms which may meet.
//
//   blocks --near the other geom--> boxes --boxes meet--> blocks that are near each other
//        --edges' boxes meet--> pairs --feet of the perpendicular--> pairs that can claim
//
// Boxes stand in the axes of both bodies: two of them are apart if they are in one of the two.
// Arrays have room for whole vectors behind `count`.

#ifndef TAC_DETECT_EDGE_SEARCH_KERNELS_H
#define TAC_DETECT_EDGE_SEARCH_KERNELS_H

#include "base/dispatch.h"
#include "model/features.h"
#include "shape/bound.h"
#include "tactus/witness.h"

// How blocks are placed in other axes. The box of an edge is `stretch` times as large as it is, and
// all boxes are wider by `more`, which is more than numbers are rounded by.
typedef struct tacEdgeFrame {
    const tacFrame* across;
    double stretch, more;
} tacEdgeFrame;

// Boxes around blocks of edges, in axes of the body of geom[0] and of geom[1], whole vectors of
// them; half[0][0] < 0: is none
typedef struct tacEdgeBoxes {
    int count;
    int* block;
    float *middle[2][3], *half[2][3];
} tacEdgeBoxes;

// one box in both
typedef struct tacEdgeBox {
    tacReal middle[2][3], half[2][3];
} tacEdgeBox;

// numbers of a block that is placed, at most
enum { TAC_EDGE_PLACE = 256 };

// blocks of geom[0] that are near some of geom[1], and those
typedef struct tacEdgeNear {
    int count;
    const int* block;   // of geom[0]                                                     (count)
    const int* first;   // near[first[i]] .. near[first[i + 1] - 1] are near to block[i] (count + 1)
    const int* near;    // indices in the next two
    const int* other;   // blocks of geom[1]
    const float* place; // as they are placed, `room` numbers each
} tacEdgeNear;

// what pairs have to pass
typedef struct tacEdgeTest {
    const tacFeatures* features[2];
    const tacFrame* across; // the body of geom[1] in that of geom[0]
    tacEdgeFrame own;       // of blocks of geom[0], wider by how far edges may be apart
    const tacWitnessOptions* witness;
    tacReal reach;  // witness points come that near
    tacReal clash;  // temperature
    int bounded;    // 0: by boxes alone
    int solid;      // 1: neither is swept with a radius
    int rough;      // 1: faces are looked at in single precision first
    uint64_t* met;  // room for the blocks near to one
    int *one, *two; // for TAC_EDGE_WAITING pairs
} tacEdgeTest;

// pairs wait until there are many; room for a block more and for padding
enum { TAC_EDGE_WAITING = 512, TAC_EDGE_ROOM = TAC_EDGE_WAITING + 32 };

typedef struct tacEdgeSearchKernels {
    int lanes;
    int room; // numbers of a block that is placed

    // Boxes of blocks in their own axes `own` and in those of the other body, which `frame` leads
    // to; of those that come within `reach` of the box `other`, in order. Behind those of `out`
    void (*boxes)(const struct tacFeatureIndex* index, int own, const tacEdgeFrame* frame,
                  const tacEdgeBox* other, tacReal reach, tacEdgeBoxes* out);

    // indices of boxes that come within `reach` of box `i` of `a`, in order; how many. `out` has
    // room for a vector more
    int (*near)(const tacEdgeBoxes* a, int i, const tacEdgeBoxes* b, tacReal reach, int* out);

    // the edges of a block in a frame
    void (*place)(const struct tacFeatureIndex* index, int block, const tacEdgeFrame* frame,
                  float* out);

    // Pairs of edges that can have a claim, in order; their number, of which at most `capacity`
    // are written
    int (*list)(const tacEdgeTest* test, const tacEdgeNear* near, int capacity, int* first,
                int* second);
} tacEdgeSearchKernels;

TAC_DECLARE_KERNELS(tacEdgeSearchKernels, tac_edge_search_kernels_);

#endif
