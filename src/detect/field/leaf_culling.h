// Leaves of a union that matter to vertices and points, in single precision with room for what that
// rounds: below the range they decide on vertices, and none is left out that the field there needs.

#ifndef TAC_DETECT_FIELD_LEAF_CULLING_H
#define TAC_DETECT_FIELD_LEAF_CULLING_H

#include "detect/field/vertex_sdf.h"
#include "shape/active_leaves.h"

// What points need. Groups that need the same leaves all over have no stride
typedef struct tacActiveLeaves {
    const uint64_t* group; // NULL: all leaves
    int stride;
    const tacActiveLeaf* listed; // of a field that ends; NULL: groups
    int count;
} tacActiveLeaves;

// what the field is below at hits                                                             [m]
static inline double tac_vertex_cutoff(const tacVertexSide* side, const tacVertexCutoff* range) {
    return side->lipschitz * (range->support + tac_re(side->pose.radius));
}

// Is the field a union of leaves with boxes? One that ends below the range is there everywhere
int tac_leaf_culling_applies(const tacVertexSide* side, const tacVertexCutoff* range);

// Lists vertices that are near in side->near, and returns what they need; side->leaf_mask are its
// leaves
tacActiveLeaves tac_leaf_culling_vertices(tacVertexSide* side, const tacVertexCutoff* range,
                                          tacScratch* scratch);

// the dry run of that, for the vertices of these blocks
void tac_leaf_culling_measure(int blocks, tacArena* arena);

// what the field at hits->y needs; takes memory of the arena, and the dry run of that
void tac_leaf_culling_at_measure(int hits, tacArena* arena);
tacActiveLeaves tac_leaf_culling_at(const tacVertexSide* side, const tacVertexCutoff* range,
                                    const tacHits* hits, tacArena* arena);

#endif
