// Features of all geoms that may touch.
//
//   finished model --features.c--> tacFeatures of each geom --> model->contact->feature

#include "model/feature_reader.h"

#include "model/features.h"
#include "tactus/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int needs_features(const tacModel* model) {
    tacDetector d = model->contact ? model->contact->detector : TAC_DETECT_GJK;
    return d == TAC_DETECT_MANIFOLD || d == TAC_DETECT_EDGE_SDF;
}

// is the geom in a pair?
static int may_touch(const tacContactPlan* plan, int geom) {
    for (int i = 0; i < plan->npair; ++i)
        if (plan->pair[i].geom[0] == geom || plan->pair[i].geom[1] == geom) return 1;
    return 0;
}

static void fail_surface(tacDraft* draft, int geom, tacResult result, const tacMessage* message) {
    const tacElement* element = ((const tacElement* const*)draft->geom_element.items)[geom];
    tac_reader_fail(&draft->reader, result, element->line, NULL,
                    "the surface of this geom cannot be made: %s", message->text);
}

// Mesh and field that disagree: the first of them is told in the message of a scene that is fine
static void keep_remark(tacDraft* draft, const tacMessage* message) {
    tacMessage* out = draft->reader.message;
    if (out && *message->text && !*out->text)
        snprintf(out->text, sizeof out->text, "%.250s", message->text);
}

// the mesh that a geom of a shape names, or NULL
static const tacSoup* own_mesh(tacDraft* draft, int geom) {
    const tacElement* element = ((const tacElement* const*)draft->geom_element.items)[geom];
    if (!tac_attribute(element, "shape") || !tac_attribute(element, "mesh")) return NULL;
    const tacMeshDraft* mesh = tac_find_mesh(draft, element);
    return mesh ? tac_mesh_soup(mesh) : NULL;
}

static double size_of(const tacFeatures* f) {
    double size = 0.0;
    for (int i = 0; i < 3 * f->vertices; ++i) size = fmax(size, fabs(f->x[i % 3][i / 3]));
    return size;
}

static void read_each(tacDraft* draft, tacModel* model, tacFeatures* features, tacMesh** kept) {
    const tacContactPlan* plan = model->contact;
    for (int g = 0; g < model->ngeom && draft->reader.result == TAC_OK; ++g) {
        tacMessage message = {0};
        if (!may_touch(plan, g)) continue;
        tacFeatureOptions options = {plan->choice[TAC_CHOICE_VERTICES], own_mesh(draft, g),
                                     &kept[model->geom[g].shape],
                                     !plan->choice[TAC_CHOICE_DEFINITION]}; // published: corners
        if (draft->reader.result != TAC_OK) return;
        tacResult result = tac_features_create(model, g, options, &features[g], &message);
        if (result != TAC_OK)
            fail_surface(draft, g, result, &message);
        else {
            keep_remark(draft, &message);
            tac_tell_hollow(draft, &model->geom[g], size_of(&features[g]));
        }
    }
}

// One side of each pair alone, and a geom without vertices on it: nothing of that pair can touch
static void tell_sides(tacDraft* draft, const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    int side = plan->choice[TAC_CHOICE_SIDES] - 1;
    for (int i = 0; i < plan->npair && side >= 0; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        if (plan->feature[pair->geom[side]].vertices > 0) continue;
        tacMessage message = {0};
        snprintf(message.text, sizeof message.text,
                 "sides=\"%s\" takes the vertices of one geom of each pair, and geom %d ('%s') has "
                 "none: it and geom %d ('%s') go through each other. Use sides=\"both\", or the "
                 "other one",
                 side ? "second" : "first", pair->geom[side], model->geom[pair->geom[side]].name,
                 pair->geom[1 - side], model->geom[pair->geom[1 - side]].name);
        keep_remark(draft, &message);
        return;
    }
}

// A field that ends below the support would touch everything, however far it is
static void check_end(tacDraft* draft, const tacModel* model, int geom, double range) {
    const tacShape* shape = &model->shape[model->geom[geom].shape];
    const tacNode* root = &model->node[shape->first + shape->count - 1];
    if (!(shape->truncate > 0.0)) return;
    double least = range + model->param[root->smooth] * log(root->children + 1.0);
    const tacElement* element = ((const tacElement* const*)draft->geom_element.items)[geom];
    if (shape->truncate <= least)
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, element->line, "shape",
                        "the field of shape '%s' ends at truncate = %g, but contact begins at %g "
                        "(support, radii and what blending takes away): take more than that, and "
                        "%g or more for records as without an end",
                        shape->name, shape->truncate, least, 1.6 * least);
}

// where records begin
static double range_of(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    double radius = 0.0;
    for (int g = 0; g < model->ngeom; ++g) {
        const struct tacFeatureIndex* index = plan->feature[g].index;
        if (index && index->radius >= 0) radius = fmax(radius, model->param[index->radius]);
    }
    int support = plan->number[TAC_CONTACT_SUPPORT];
    return radius + (support >= 0 ? model->param[support] : 0.0);
}

void tac_read_features(tacDraft* draft, tacModel* model) {
    if (!needs_features(model)) return;
    tacContactPlan* plan = (tacContactPlan*)model->contact; // ours until tac_load returns
    tacAllocator a = model->allocator;
    size_t size = sizeof(tacFeatures) * (size_t)(model->ngeom + 1);
    tacFeatures* features = a.allocate(a.user, size);
    tacMesh** kept = tac_reader_take(&draft->reader, sizeof *kept * (size_t)(model->nshape + 1));
    plan->feature = features;
    if (!features) tac_reader_fail(&draft->reader, TAC_ERROR_MEMORY, 0, NULL, "out of memory");
    if (!features || !kept) return;
    memset(features, 0, size);
    memset(kept, 0, sizeof *kept * (size_t)(model->nshape + 1));
    read_each(draft, model, features, kept);
    for (int g = 0; g < model->ngeom && draft->reader.result == TAC_OK; ++g)
        if (may_touch(plan, g) && model->geom[g].shape >= 0)
            check_end(draft, model, g, range_of(model));
    if (draft->reader.result == TAC_OK) tell_sides(draft, model);
    for (int i = 0; i < model->nshape; ++i) tac_mesh_destroy(kept[i]);
}

void tac_release_features(tacModel* model) {
    if (!model->contact || !model->contact->feature) return;
    tacFeatures* features = (tacFeatures*)model->contact->feature;
    for (int g = 0; g < model->ngeom; ++g) tac_features_destroy(&features[g], model->allocator);
    model->allocator.release(model->allocator.user, features);
}
