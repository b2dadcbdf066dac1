// Boxes around geoms, and pairs of them that cannot touch.

#include "detect/broad_phase.h"

#include "detect/field/detect_cache.h"
#include "detect/field/vertex_sdf.h"
#include "model/contact/geom_features.h"

#include <math.h>

// most that a point may lie beyond its edge, of its length and of `inside`: edge_search.c
#define MAX_OVERSHOOT 0.2785

static double contact_number(const tacModel* model, tacContactNumber which) {
    int at = model->contact->number[which];
    return at >= 0 ? tac_re(model->param[at]) : 0.0;
}

//---------------------------------- boxes ----------------------------------------

// around a box that a body carries; 1e-9 of it for rounding
static tacBroadPhaseBox transformed_box(const tacFeatureBox* box, const tacPose* body,
                                        double more) {
    tacMat3 R = tac_quat_to_mat(body->rotation);
    const tacReal at[3] = {body->position.x, body->position.y, body->position.z};
    tacBroadPhaseBox out;
    for (int i = 0; i < 3; ++i) {
        double middle = tac_re(at[i]), half = more;
        for (int k = 0; k < 3; ++k) {
            middle += tac_re(R.m[i][k]) * box->middle[k];
            half += fabs(tac_re(R.m[i][k])) * box->half[k];
        }
        half += 1e-9 * (fabs(middle) + half);
        out.low[i] = middle - half;
        out.high[i] = middle + half;
    }
    return out;
}

//---------------------------------- all geoms ------------------------------------

tacBroadPhase tac_broad_phase_alloc(const tacModel* model, tacArena* arena) {
    tacBroadPhase b = {.features = TAC_ALLOC(arena, tacBroadPhaseBox, model->ngeom)};
    b.field = TAC_ALLOC(arena, tacBroadPhaseBox, model->ngeom);
    b.radius = TAC_ALLOC(arena, double, model->ngeom);
    b.overshoot = TAC_ALLOC(arena, double, model->ngeom);
    b.edges = TAC_ALLOC(arena, int, model->ngeom);
    return b;
}

static double half_diagonal(const tacFeatureBox* box) {
    return sqrt(box->half[0] * box->half[0] + box->half[1] * box->half[1] +
                box->half[2] * box->half[2]);
}

static void add_geom(const tacModel* model, int geom, double range, const tacGeomField* field,
                     const tacPose* body, tacBroadPhase* out) {
    const tacFeatures* f = &model->contact->feature[geom];
    tacFeatureBox box = tac_geom_field_box(field, range);
    out->field[geom] = transformed_box(&box, body, 0.0);
    if (f->vertices == 0) return;
    out->features[geom] = transformed_box(&f->index->all, body, 0.0);
    out->overshoot[geom] = 2.0 * MAX_OVERSHOOT * contact_number(model, TAC_CONTACT_INSIDE) *
                           half_diagonal(&f->index->all);
}

int tac_broad_phase_build(const tacModel* model, const tacPose* body, tacBroadPhase* out,
                          tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    double range = 0.0;
    if (!plan->feature || plan->choice[TAC_CHOICE_UNCULLED]) return 0;
    *out = tac_broad_phase_alloc(model, &scratch->arena);
    out->depth = contact_number(model, TAC_CONTACT_DEPTH);
    for (int g = 0; g < model->ngeom; ++g) {
        out->radius[g] = tac_re(tac_swept_radius(model, &plan->feature[g]));
        out->overshoot[g] = 0.0;
        out->edges[g] = 0;
        out->features[g] =
            (tacBroadPhaseBox){{TAC_UNBOUNDED, TAC_UNBOUNDED, TAC_UNBOUNDED}, // nowhere
                               {-TAC_UNBOUNDED, -TAC_UNBOUNDED, -TAC_UNBOUNDED}};
        range = fmax(range, out->radius[g]);
    }
    range += contact_number(model, TAC_CONTACT_SUPPORT);
    for (int g = 0; g < model->ngeom; ++g) {
        const tacGeomField* field =
            model->geom[g].shape >= 0 ? tac_detect_cache_field(model, g, scratch) : NULL;
        if (!field && model->geom[g].shape >= 0) return 0;
        if (field) add_geom(model, g, range, field, &body[model->geom[g].body], out);
    }
    return 1;
}

//---------------------------------- pairs ----------------------------------------

static int boxes_separated(const tacBroadPhaseBox* a, const tacBroadPhaseBox* b, double by) {
    for (int k = 0; k < 3; ++k)
        if (a->low[k] > b->high[k] + by || b->low[k] > a->high[k] + by) return 1;
    return 0;
}

int tac_broad_phase_separated(const tacBroadPhase* broad, const tacContactPair* pair) {
    int a = pair->geom[0], b = pair->geom[1];
    double by = broad->depth + broad->radius[a] + broad->radius[b] + broad->overshoot[a] +
                broad->overshoot[b];
    return boxes_separated(&broad->features[a], &broad->field[b], 0.0) &&
           boxes_separated(&broad->features[b], &broad->field[a], 0.0) &&
           (!broad->edges[a] || !broad->edges[b] ||
            boxes_separated(&broad->features[a], &broad->features[b], by));
}
