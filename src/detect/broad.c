// Boxes around geoms, and pairs of them that cannot touch.

#include "detect/broad.h"

#include "detect/kept.h"
#include "model/features.h"

#include <math.h>

// most that a point may lie beyond its edge, of its length and of "within": edge_search.c
#define BEYOND 0.2785

static double number(const tacModel* model, tacContactNumber which) {
    int at = model->contact->number[which];
    return at >= 0 ? tac_re(model->param[at]) : 0.0;
}

//---------------------------------- boxes ----------------------------------------

// around a box that a body carries; 1e-9 of it for rounding
static tacBroadBox carried(const tacFeatureBox* box, const tacPose* body, double more) {
    tacMat3 R = tac_quat_to_mat(body->rotation);
    const tacReal at[3] = {body->position.x, body->position.y, body->position.z};
    tacBroadBox out;
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

size_t tac_broad_size(const tacModel* model) {
    size_t geoms = (size_t)model->ngeom;
    return 2 * tac_arena_need(sizeof(tacBroadBox) * geoms) +
           2 * tac_arena_need(sizeof(double) * geoms) + tac_arena_need(sizeof(int) * geoms);
}

static double radius_of(const tacModel* model, const tacFeatures* f) {
    return f->index && f->index->radius >= 0 ? tac_re(model->param[f->index->radius]) : 0.0;
}

static double size_of(const tacFeatureBox* box) {
    return sqrt(box->half[0] * box->half[0] + box->half[1] * box->half[1] +
                box->half[2] * box->half[2]);
}

static void place_geom(const tacModel* model, int geom, double range, const tacFieldBound* field,
                       const tacPose* body, tacBroad* out) {
    const tacFeatures* f = &model->contact->feature[geom];
    tacFeatureBox box = tac_field_box(field, range);
    out->field[geom] = carried(&box, body, 0.0);
    if (f->vertices == 0) return;
    out->features[geom] = carried(&f->index->all, body, 0.0);
    out->beyond[geom] = 2.0 * BEYOND * number(model, TAC_CONTACT_WITHIN) * size_of(&f->index->all);
}

int tac_broad_make(const tacModel* model, const tacPose* body, tacBroad* out, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    double range = 0.0;
    if (!plan->feature || plan->choice[TAC_CHOICE_UNCULLED]) return 0;
    out->features = TAC_TAKE(&scratch->arena, tacBroadBox, model->ngeom);
    out->field = TAC_TAKE(&scratch->arena, tacBroadBox, model->ngeom);
    out->radius = TAC_TAKE(&scratch->arena, double, model->ngeom);
    out->beyond = TAC_TAKE(&scratch->arena, double, model->ngeom);
    out->edges = TAC_TAKE(&scratch->arena, int, model->ngeom);
    out->depth = number(model, TAC_CONTACT_DEPTH);
    for (int g = 0; g < model->ngeom; ++g) {
        out->radius[g] = radius_of(model, &plan->feature[g]);
        out->beyond[g] = 0.0;
        out->edges[g] = 0;
        out->features[g] = (tacBroadBox){{TAC_ENDLESS, TAC_ENDLESS, TAC_ENDLESS}, // nowhere
                                         {-TAC_ENDLESS, -TAC_ENDLESS, -TAC_ENDLESS}};
        range = fmax(range, out->radius[g]);
    }
    range += number(model, TAC_CONTACT_SUPPORT);
    for (int g = 0; g < model->ngeom; ++g) {
        const tacFieldBound* field =
            model->geom[g].shape >= 0 ? tac_kept_field(model, g, scratch) : NULL;
        if (!field && model->geom[g].shape >= 0) return 0;
        if (field) place_geom(model, g, range, field, &body[model->geom[g].body], out);
    }
    return 1;
}

//---------------------------------- pairs ----------------------------------------

static int are_apart(const tacBroadBox* a, const tacBroadBox* b, double by) {
    for (int k = 0; k < 3; ++k)
        if (a->low[k] > b->high[k] + by || b->low[k] > a->high[k] + by) return 1;
    return 0;
}

int tac_broad_apart(const tacBroad* broad, const tacContactPair* pair) {
    int a = pair->geom[0], b = pair->geom[1];
    double by =
        broad->depth + broad->radius[a] + broad->radius[b] + broad->beyond[a] + broad->beyond[b];
    return are_apart(&broad->features[a], &broad->field[b], 0.0) &&
           are_apart(&broad->features[b], &broad->field[a], 0.0) &&
           (!broad->edges[a] || !broad->edges[b] ||
            are_apart(&broad->features[a], &broad->features[b], by));
}
