// Which trees of joints act on each other, and the order of degrees of freedom that keeps their
// matrix narrow.
//
// Trees in contact are neighbours. Each connected component is numbered breadth first from one of
// its ends, in reverse (Cuthill and McKee 1969, George 1971), so that neighbours are close and a
// tree with many contacts comes last. Within a tree the joints at its ends come first: then the
// mass matrix alone fills nothing (Featherstone 2005).

#ifndef TAC_STEP_FORCE_COUPLING_H
#define TAC_STEP_FORCE_COUPLING_H

#include "math/skyline.h"
#include "respond/force/force.h"

typedef struct tacCoupling {
    const tacModel* model;
    int* tree;          // of a degree of freedom: the first of its tree     (nv)
    int *from, *to;     // trees of an edge                                  (edges)
    int* head;          // of a tree in `neighbours`, and the end                  (nv + 1)
    int* neighbours;    // neighbours                                        (2 edges)
    int *queue, *order; // trees breadth first; index of a tree in it or -1     (nv)
    int* dofs;          // work
    int edges;
} tacCoupling;

tacCoupling tac_coupling_alloc(const tacModel* model, tacArena* arena);

// Order and profile of the mass matrix minus J' L J of these pairs, with the coupling by tendons.
void tac_coupling_order(tacCoupling* c, const tacPairForce* force, int count, tacSkyline* s);

#endif
