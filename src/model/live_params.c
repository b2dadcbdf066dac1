// Parameters of geoms and shapes that contact follows, and those that it holds constant.
//
// A detector sees a geom by its field, which follows every parameter, and by geometry that is made
// at load: vertices and edges, convex parts, solids or points. That geometry follows places and
// sizes of primitives. The rest is held, each for a reason that tac_param_live gives.

#include "model/live_params.h"

#include "base/message.h"
#include "model/contact/contact_plan.h"
#include "model/contact/feature_surface.h"
#include "model/mjcf/planar.h"
#include "shape/node_data.h"

#include <stdio.h>
#include <string.h>

//---------------------------------- reasons --------------------------------------

typedef enum heldReason {
    FOLLOWED,
    HELD_NODE_PLACE,
    HELD_SIZE,
    HELD_TESSELLATION,
    HELD_POLYHEDRON,
    HELD_CLOUD,
    HELD_OUTLINE,
    HELD_EXPONENT,
    HELD_REASONS
} heldReason;

static const char* const reasons[HELD_REASONS] = {
    [HELD_NODE_PLACE] = "contact places this surface by pos and quat of its geom; set those",
    [HELD_SIZE] = "contact reads the surface of this geom as it was at load",
    [HELD_TESSELLATION] = "contact reads a surface that was tessellated at load",
    [HELD_POLYHEDRON] = "contact reads vertices and faces that were made of these planes at load",
    [HELD_CLOUD] = "contact reads oriented points that were made at load",
    [HELD_EXPONENT] = "contact has no derivative by exponents of a superquadric",
    [HELD_OUTLINE] = "contact reads the outline of this planar geom as it was at load",
};

//---------------------------------- marks ----------------------------------------

typedef struct heldMarks {
    const tacModel* model;
    unsigned char* held; // (nparam)
    int count;
} heldMarks;

// some parameters from an offset on, if there are any
static void mark_held(heldMarks* marks, int offset, int count, heldReason reason) {
    for (int i = offset; i < offset + count && offset >= 0 && reason != FOLLOWED; ++i) {
        marks->count += marks->held[i] == 0;
        marks->held[i] = (unsigned char)reason;
    }
}

static void mark_place(heldMarks* marks, int position, int rotation, heldReason reason) {
    mark_held(marks, position, 3, reason);
    mark_held(marks, rotation, 4, reason);
}

// all parameters of a node
static void mark_node(heldMarks* marks, const tacNode* node, heldReason reason) {
    mark_place(marks, node->position, node->rotation, reason);
    mark_held(marks, node->size, tac_node_size_count(node->kind), reason);
    mark_held(marks, node->eps, 2, reason);
    mark_held(marks, node->smooth, 1, reason);
    mark_held(marks, node->block, node->block_count, reason);
}

static void mark_shape(heldMarks* marks, int geom, heldReason reason) {
    const tacModel* model = marks->model;
    const tacShape* shape = &model->shape[model->geom[geom].shape];
    for (int i = 0; i < shape->count; ++i) mark_node(marks, &model->node[shape->first + i], reason);
}

// the only node of a geom's shape, or NULL
static const tacNode* only_node(const tacModel* model, int geom) {
    const tacShape* shape = &model->shape[model->geom[geom].shape];
    return shape->count == 1 ? &model->node[shape->first] : NULL;
}

//---------------------------------- families -------------------------------------

// Vertices and edges follow places, and sizes of primitives; without them the geom is its field
// alone.
static void mark_features(heldMarks* marks, int geom) {
    const tacModel* model = marks->model;
    const tacFeatures* f = &model->contact->feature[geom];
    const tacNode* node = only_node(model, geom);
    if (f->vertices == 0) return;
    if (!node || (f->index->base.size_param < 0 && node->kind != TAC_NODE_POLYHEDRON)) {
        mark_shape(marks, geom, HELD_TESSELLATION);
        return;
    }
    mark_place(marks, node->position, node->rotation, HELD_NODE_PLACE);
    mark_held(marks, node->eps, 2, HELD_TESSELLATION);
    mark_held(marks, node->block, node->block_count, HELD_POLYHEDRON);
}

// points follow the place of their geom alone
static void mark_cloud(heldMarks* marks, int geom) { mark_shape(marks, geom, HELD_CLOUD); }

// balls, boxes, half-spaces and planar ones of these; outlines of polygons are those of the file
static void mark_solid(heldMarks* marks, int geom) {
    const tacModel* model = marks->model;
    const tacNode* node = only_node(model, geom);
    const tacSolid* solid = &model->contact->solid[geom];
    if (!node || node->kind == TAC_NODE_POLYHEDRON) {
        mark_shape(marks, geom, solid->planar ? HELD_OUTLINE : HELD_POLYHEDRON);
        return;
    }
    mark_place(marks, node->position, node->rotation, HELD_NODE_PLACE);
    if (!tac_has_identity_pose(model, node))
        mark_held(marks, node->size, tac_node_size_count(node->kind), HELD_SIZE);
}

// poses and sizes are parameters of the parts; a blend is not seen by them
static void mark_convex_parts(heldMarks* marks, int geom) {
    const tacModel* model = marks->model;
    const tacShape* shape = &model->shape[model->geom[geom].shape];
    for (int i = 0; i < shape->count; ++i) {
        const tacNode* node = &model->node[shape->first + i];
        mark_held(marks, node->block, node->block_count, HELD_POLYHEDRON);
        mark_held(marks, node->eps, 2, HELD_EXPONENT);
    }
}

static void mark_geom(heldMarks* marks, int geom) {
    const tacContactPlan* plan = marks->model->contact;
    if (marks->model->geom[geom].shape < 0) return;
    if (plan->feature)
        mark_features(marks, geom);
    else if (plan->cloud)
        mark_cloud(marks, geom);
    else if (plan->solid)
        mark_solid(marks, geom);
    else if (plan->npart > 0)
        mark_convex_parts(marks, geom);
}

static void release_marks(const tacModel* model, tacContactPlan* plan) {
    model->allocator.release(model->allocator.user, (void*)plan->held);
    plan->held = NULL;
}

// places of geoms that their points were made with
static tacResult keep_cloud_places(const tacModel* model, tacContactPlan* plan) {
    tacAllocator a = model->allocator;
    double* place = a.allocate(a.user, sizeof *place * 7 * (size_t)(model->ngeom + 1));
    if (!place) return TAC_ERROR_MEMORY;
    plan->cloud_place = place;
    for (int g = 0; g < model->ngeom; ++g) {
        memcpy(place + 7 * g, &model->param[model->geom[g].position], 3 * sizeof *place);
        memcpy(place + 7 * g + 3, &model->param[model->geom[g].rotation], 4 * sizeof *place);
    }
    return TAC_OK;
}

tacResult tac_mark_held_params(tacModel* model) {
    tacContactPlan* plan = (tacContactPlan*)model->contact; // owned by the loader
    if (!plan) return TAC_OK;
    if (plan->cloud && keep_cloud_places(model, plan) != TAC_OK) return TAC_ERROR_MEMORY;
    heldMarks marks = {.model = model};
    marks.held = model->allocator.allocate(model->allocator.user, (size_t)model->nparam + 1);
    if (!marks.held) return TAC_ERROR_MEMORY;
    memset(marks.held, 0, (size_t)model->nparam + 1);
    plan->held = marks.held;
    char* has_pair = model->allocator.allocate(model->allocator.user, (size_t)model->ngeom + 1);
    if (!has_pair) return TAC_ERROR_MEMORY;
    tac_mark_contact_geoms(plan, model->ngeom, has_pair);
    for (int g = 0; g < model->ngeom; ++g)
        if (has_pair[g]) mark_geom(&marks, g);
    model->allocator.release(model->allocator.user, has_pair);
    if (marks.count == 0) release_marks(model, plan);
    return TAC_OK;
}

void tac_release_held_params(tacModel* model) {
    tacContactPlan* plan = (tacContactPlan*)model->contact;
    if (!plan) return;
    release_marks(model, plan);
    model->allocator.release(model->allocator.user, (void*)plan->cloud_place);
    plan->cloud_place = NULL;
}

//---------------------------------- queries --------------------------------------

int tac_is_param_held(const tacModel* model, int offset) {
    return model->contact && model->contact->held && model->contact->held[offset];
}

int tac_are_params_held(const tacModel* model, const tacParam* param, int count) {
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < param[i].count; ++k)
            if (tac_is_param_held(model, param[i].offset + k)) return 1;
    return 0;
}

tacResult tac_param_live(const tacModel* model, tacParam param, tacMessage* message) {
    if (message) *message = (tacMessage){0};
    if (!model || param.offset < 0 || param.count < 0 || param.count > model->nparam - param.offset)
        return TAC_ERROR_VALUE;
    for (int i = param.offset; i < param.offset + param.count; ++i) {
        if (!tac_is_param_held(model, i)) continue;
        char name[sizeof message->attribute];
        tac_param_name(model, i, name, (int)sizeof name);
        return tac_fail(message, TAC_ERROR_UNSUPPORTED, NULL, 0, name,
                        "%s: it can neither be set nor be differentiated by; change the file and "
                        "load it again",
                        reasons[model->contact->held[i]]);
    }
    return TAC_OK;
}

//---------------------------------- refresh --------------------------------------

tacResult tac_refresh_contact(tacModel* model, tacParam param, tacMessage* message) {
    (void)param;
    if (!model->contact) return TAC_OK;
    tac_refresh_solids(model);
    tacFeatures* features = (tacFeatures*)(uintptr_t)model->contact->feature;
    tacResult result = TAC_OK;
    for (int g = 0; g < model->ngeom && features && result == TAC_OK; ++g)
        if (features[g].index) result = tac_geom_features_refresh(model, g, &features[g]);
    if (result != TAC_OK)
        return tac_fail(message, result, NULL, 0, NULL,
                        "contact has no surface for these values: %s", tac_result_text(result));
    return TAC_OK;
}
