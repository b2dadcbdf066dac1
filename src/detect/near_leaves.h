// Leaves of a union that matter to vertices and points, in single precision with room for what that
// rounds: below the range they decide on vertices, and none is left out that the field there needs.

#ifndef TAC_DETECT_NEAR_LEAVES_H
#define TAC_DETECT_NEAR_LEAVES_H

#include "detect/vertex_sdf.h"
#include "shape/listed.h"

// What points need. Groups that need the same leaves all over have no stride
typedef struct tacLeafNeeds {
    const uint64_t* group; // NULL: all leaves
    int stride;
    const tacLeafNeed* listed; // of a field that ends; NULL: groups
    int count;
} tacLeafNeeds;

// what the field is below at hits                                                             [m]
static inline double tac_vertex_range(const tacVertexSide* side, const tacVertexRange* range) {
    return side->steep * (range->support + tac_re(side->place.radius));
}

// Is the field a union of leaves with boxes? One that ends below the range is there everywhere
int tac_has_leaves(const tacVertexSide* side, const tacVertexRange* range);

// Lists vertices that are near in side->near, and tells what they need; side->seen are its leaves
tacLeafNeeds tac_search_leaves(tacVertexSide* side, const tacVertexRange* range,
                               tacScratch* scratch);

// what the field at hits->y needs; takes memory of the arena
tacLeafNeeds tac_leaves_at(const tacVertexSide* side, const tacVertexRange* range,
                           const tacHits* hits, tacArena* arena);

#endif
