// Vertices of one geom in the field of another: which of them may touch, and the records of those
// that do.

#ifndef TAC_DETECT_FIELD_VERTEX_SDF_H
#define TAC_DETECT_FIELD_VERTEX_SDF_H

#include "detect/field/vertex_sdf_kernels.h"
#include "model/contact/geom_features.h"
#include "shape/shape_run.h"

// one side of a pair while it is worked on; memory is the scratch's
typedef struct tacVertexSide {
    const tacModel* model;
    int owner;       // vertices are of geom[owner]
    int geom, shape; // of the field
    const tacFeatures* features;
    tacVertexPose pose;
    double lipschitz; // vertices are near where the field is below this times support and radius

    // of the field, bound in axes of its body
    tacShapeProgram program;
    tacCulling culling;
    tacShapeRun* run; // NULL: it is small, and works on the stack
    tacLowerBoundNode* lower_bound;
    const tacFloatBounds* float_bounds;
    int lower_bounds, leaves;
    tacReal blend_drop;
    double end, range;
    tacFeatureBox box;
    uint64_t leaf_mask; // leaves that matter to `near`

    // vertices that are nearer to the surface than their range, in order, and the field there
    tacHits near;
} tacVertexSide;

// how far from the surface vertices are asked for
typedef struct tacVertexCutoff {
    double support; // activity ends here                                                 [m]
    int all;        // 1: nothing is left out by bounds
} tacVertexCutoff;

// A side at these poses of the bodies; `near` is empty. Takes memory from the scratch.
tacVertexSide tac_vertex_side(const tacModel* model, const tacContactPair* pair, int owner,
                              const tacPose* body, tacScratch* scratch);

// the dry run of a side and of its search
void tac_vertex_side_measure(const tacModel* model, const tacContactPair* pair, int owner,
                             tacArena* arena);

// Lists `near` and evaluates the field there: values and gradients.
void tac_vertex_search(tacVertexSide* side, tacVertexCutoff range, tacScratch* scratch);

// hits from an arena, with room for `capacity` and for padding
tacHits tac_hits_alloc(tacArena* arena, int capacity, int hessians);

// places and field at hits whose vertices are listed
void tac_hits_evaluate(tacVertexSide* side, tacHits* hits, int order);

// the field at hits whose places y are set
void tac_hits_field(tacVertexSide* side, tacHits* hits, int order);

// The same, but where the field is not below `range` it may be anything that is not
void tac_hits_field_within(tacVertexSide* side, tacHits* hits, tacVertexCutoff range, int order,
                           tacScratch* scratch);

// those of `near` that have activity, with the field up to `order`
void tac_vertex_active(tacVertexSide* side, int order, tacHits* out);

// records from an arena, with room for padding
tacHitRecords tac_hit_records_alloc(tacArena* arena, int capacity);

// numbers from an arena, with room for padding; three arrays of them; values and gradients
tacReal* tac_reals_alloc(tacArena* arena, int capacity);
void tac_reals3_alloc(tacArena* arena, int capacity, tacReal* out[3]);
tacField tac_hit_field_alloc(tacArena* arena, int capacity);

#endif
