// Features of all geoms that may collide.
//
//   finished model --geom_features.c--> tacFeatures of each geom --> model->contact->feature

#include "model/contact/feature_reader.h"

#include "model/contact/contact_plan.h"
#include "model/contact/geom_features.h"
#include "shape/bounds/shape_scratch.h"
#include "tactus/mesh.h"
#include "tactus/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int needs_features(const tacModel* model) {
    tacDetector d = model->contact ? model->contact->detector : TAC_DETECT_GJK;
    return d == TAC_DETECT_MANIFOLD || d == TAC_DETECT_EDGE_SDF;
}

static void fail_surface(tacSpec* spec, int geom, tacResult result, const tacMessage* message) {
    const tacElement* element = ((const tacElement* const*)spec->geoms.element.items)[geom];
    tac_reader_fail(&spec->reader, result, element->line, NULL,
                    "cannot make the surface of this geom: %s", message->text);
}

// warns of the first mesh that disagrees with its field
static void keep_warning(tacSpec* spec, const tacMessage* message) {
    if (*message->text && !tac_reader_has_warning(&spec->reader))
        tac_reader_warn(&spec->reader, "%.250s", message->text);
}

// the mesh that a geom of a shape names, or NULL
static const tacSoup* own_mesh(tacSpec* spec, int geom) {
    const tacElement* element = ((const tacElement* const*)spec->geoms.element.items)[geom];
    if (!tac_attribute(element, "shape") || !tac_attribute(element, "mesh")) return NULL;
    const tacMeshSpec* mesh = tac_find_mesh(spec, element);
    return mesh ? tac_mesh_soup(mesh) : NULL;
}

static double features_extent(const tacFeatures* f) {
    double size = 0.0;
    for (int i = 0; i < 3 * f->vertices; ++i) size = fmax(size, fabs(f->x[i % 3][i / 3]));
    return size;
}

// what the features of all geoms are made with
typedef struct featureBuilder {
    tacSpec* spec;
    tacModel* model;
    tacFeatures* features; // (ngeom)
    char* has_pair;        // (ngeom)
    tacMesh** mesh_cache;  // (nshape)
    tacScratch* scratch;   // for calls of shapes
} featureBuilder;

static void make_features(const featureBuilder* b) {
    tacSpec* spec = b->spec;
    tacModel* model = b->model;
    tacFeatures* features = b->features;
    const tacContactPlan* plan = model->contact;
    for (int g = 0; g < model->ngeom && spec->reader.result == TAC_OK; ++g) {
        tacMessage message = {0};
        if (!b->has_pair[g]) continue;
        tacFeatureOptions options = {
            plan->choice[TAC_CHOICE_VERTICES], own_mesh(spec, g),
            &b->mesh_cache[model->geom[g].shape],
            !plan->choice[TAC_CHOICE_DEFINITION], // reference: vertices only
            b->scratch};
        if (spec->reader.result != TAC_OK) return;
        tacResult result = tac_geom_features_create(model, g, options, &features[g], &message);
        if (result != TAC_OK)
            fail_surface(spec, g, result, &message);
        else {
            keep_warning(spec, &message);
            tac_warn_nonconvex(spec, &model->geom[g], features_extent(&features[g]));
        }
    }
}

// A geom without vertices on the only side that is used: that pair has no contacts.
static void warn_one_sided(tacSpec* spec, const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    int side = plan->choice[TAC_CHOICE_SIDES] - 1;
    for (int i = 0; i < plan->npair && side >= 0; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        if (plan->feature[pair->geom[side]].vertices > 0) continue;
        tacMessage message = {0};
        snprintf(
            message.text, sizeof message.text,
            "sides=\"%s\" uses the vertices of one geom of each pair, but geom %d ('%s') has none: "
            "it and geom %d ('%s') pass through each other; use sides=\"both\", or the other side",
            side ? "second" : "first", pair->geom[side], model->geom[pair->geom[side]].name,
            pair->geom[1 - side], model->geom[pair->geom[1 - side]].name);
        keep_warning(spec, &message);
        return;
    }
}

// A field truncated below the support would be in contact at any distance.
static void check_truncation(tacSpec* spec, const tacModel* model, int geom, double range) {
    const tacShape* shape = &model->shape[model->geom[geom].shape];
    const tacNode* root = &model->node[shape->first + shape->count - 1];
    if (!(shape->truncate > 0.0)) return;
    double min_truncate = range + model->param[root->smooth] * log(root->children + 1.0);
    const tacElement* element = ((const tacElement* const*)spec->geoms.element.items)[geom];
    if (shape->truncate <= min_truncate)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, element->line, "shape",
                        "the field of shape '%s' ends at truncate = %g, but contact begins at %g "
                        "(support, radii and blending): use more than that, and %g or more for the "
                        "same contacts as without truncation",
                        shape->name, shape->truncate, min_truncate, 1.6 * min_truncate);
}

// distance at which contacts begin
static double contact_range(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    double radius = 0.0;
    for (int g = 0; g < model->ngeom; ++g) {
        const struct tacFeatureIndex* index = plan->feature[g].index;
        if (index && index->radius >= 0) radius = fmax(radius, model->param[index->radius]);
    }
    int support = plan->number[TAC_CONTACT_SUPPORT];
    return radius + (support >= 0 ? model->param[support] : 0.0);
}

void tac_read_geom_features(tacSpec* spec, tacModel* model) {
    if (!needs_features(model)) return;
    tacContactPlan* plan =
        (tacContactPlan*)model->contact; // owned by the loader until tac_load returns
    tacAllocator a = model->allocator;
    size_t size = sizeof(tacFeatures) * (size_t)(model->ngeom + 1);
    tacFeatures* features = a.allocate(a.user, size);
    size_t meshes = sizeof(tacMesh*) * (size_t)(model->nshape + 1);
    featureBuilder b = {.spec = spec, .model = model, .features = features};
    b.mesh_cache = tac_reader_alloc(&spec->reader, meshes);
    b.has_pair = tac_reader_alloc(&spec->reader, (size_t)model->ngeom + 1);
    plan->feature = features;
    if (features) memset(features, 0, size);
    if (!features || tac_shape_scratch_create(model, &b.scratch) != TAC_OK)
        tac_reader_fail(&spec->reader, TAC_ERROR_MEMORY, 0, NULL, "out of memory");
    if (!b.scratch || !b.mesh_cache || !b.has_pair) {
        tac_scratch_destroy(b.scratch);
        return;
    }
    memset(b.mesh_cache, 0, meshes);
    tac_mark_contact_geoms(plan, model->ngeom, b.has_pair);
    make_features(&b);
    double range = contact_range(model);
    for (int g = 0; g < model->ngeom && spec->reader.result == TAC_OK; ++g)
        if (b.has_pair[g] && model->geom[g].shape >= 0) check_truncation(spec, model, g, range);
    if (spec->reader.result == TAC_OK) warn_one_sided(spec, model);
    for (int i = 0; i < model->nshape; ++i) tac_mesh_destroy(b.mesh_cache[i]);
    tac_scratch_destroy(b.scratch);
}

void tac_release_geom_features(tacModel* model) {
    if (!model->contact || !model->contact->feature) return;
    tacFeatures* features = (tacFeatures*)model->contact->feature;
    for (int g = 0; g < model->ngeom; ++g)
        tac_geom_features_destroy(&features[g], model->allocator);
    model->allocator.release(model->allocator.user, features);
}
