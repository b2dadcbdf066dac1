// Vertices of one geom in the field of another: which of them may touch, and the records of those
// that do.

#ifndef TAC_DETECT_FIELD_VERTEX_SDF_H
#define TAC_DETECT_FIELD_VERTEX_SDF_H

#include "detect/field/feature_motion.h"
#include "detect/field/vertex_sdf_kernels.h"
#include "model/contact/geom_features.h"
#include "shape/shape_run.h"

// arrays of hits have room for so many behind the last one: the widest vector
enum { TAC_HIT_PADDING = 8 };

// one side of a pair while it is worked on; memory is the scratch's
typedef struct tacVertexSide {
    const tacModel* model;
    int owner;       // vertices are of geom[owner]
    int geom, shape; // of the field
    int own_geom;    // of the vertices
    const tacFeatures* features;
    tacFeatureMap map; // how parameters move them
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

// d_twist of records
typedef struct tacHitTwists {
    tacReal* row[8][6];
} tacHitTwists;
tacHitTwists tac_hit_twists_alloc(tacArena* arena, int capacity);
void tac_hit_twists_copy(const tacHitTwists* from, int count, tacContacts* to, int at);

// records to contacts from `at` on; contacts as records, from `first` on
void tac_hit_records_copy(const tacHitRecords* from, int count, tacContacts* to, int at);
tacHitRecords tac_contact_records_at(const tacContacts* contacts, int first);

// places of hits, for queries of the field
static inline tacPoints tac_hit_points(const tacHits* hits) {
    return (tacPoints){hits->count, {hits->y[0], hits->y[1], hits->y[2]}};
}

// The radius of swept features: the parameter that their field has, too; 0: they are not swept
static inline tacReal tac_swept_radius(const tacModel* model, const tacFeatures* f) {
    return f->index && f->index->radius >= 0 ? model->param[f->index->radius] : (tacReal)0.0;
}

#endif
