// Which edges of two geoms can touch: by boxes, by the feet of their perpendicular,
// and by the faces beside them.

#ifndef TAC_DETECT_MANIFOLD_EDGE_SEARCH_H
#define TAC_DETECT_MANIFOLD_EDGE_SEARCH_H

#include "base/arena.h"
#include "model/contact/geom_features.h"
#include "shape/node_data.h"
#include "tactus/witness.h"

typedef struct tacEdgeSearch {
    const tacFeatures* features[2]; // both have edges
    const tacFrame* rel_frame;      // the body of geom[1] in that of geom[0]
    const tacFrame* back;           // and the other way round
    tacReal cutoff;                 // witness points that are farther apart do not count    [m]
    const tacWitnessOptions* witness;
    tacReal opposing; // temperature of "the faces beside them let them"
    int all;          // 1: boxes leave nothing out
} tacEdgeSearch;

// Pairs that may count, in order of (edge of geom[0], edge of geom[1]); their number, of which at
// most `capacity` are written. What is left out has an indicator of exactly 0.
int tac_edge_search(const tacEdgeSearch* search, int capacity, int* first, int* second,
                    tacArena* arena);

// the dry run of that; features are those of geom[1]
void tac_edge_search_measure(const tacFeatures* features, tacArena* arena);

#endif
