// Contacts of all pairs: vertices in fields and edges traced through them, both ways.
//
//   pair --sides--> vertices, edges that touch --kernels--> records, in order of (pair, feature)
//
// Derivatives start from the records that were found: they say which vertices and edges to look at.
// Records of faces (fuse="face") are made of these by edge_sdf_faces.c.

#include "detect/edge_sdf/edge_sdf.h"

#include "detect/edge_sdf/edge_sdf_faces.h"
#include "detect/edge_sdf/edge_sdf_growth.h"
#include "detect/field/field_pose.h"
#include "detect/field/hit_motion.h"

#include <string.h>

#define RAYS     TAC_DISPATCH(tac_ray_kernels_)
#define VERTICES TAC_DISPATCH(tac_vertex_kernels_)

enum { PADDING = TAC_HIT_PADDING };

//---------------------------------- sizes ----------------------------------------

static int uses_side(const tacModel* model, int owner) {
    int sides = model->contact->choice[TAC_CHOICE_SIDES];
    return model->contact->feature && (sides == 0 || sides == owner + 1);
}

int tac_edge_sdf_capacity(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    int most = 0;
    for (int i = 0; i < plan->npair; ++i)
        for (int owner = 0; owner < 2; ++owner) {
            if (!uses_side(model, owner)) continue;
            const tacFeatures* f = &plan->feature[plan->pair[i].geom[owner]];
            most += f->vertices + f->edges;
        }
    return most;
}

//---------------------------------- memory ---------------------------------------

// values, or adjoints, of the field at each step of both rays
typedef struct stepFields {
    tacReal* value[TAC_RAY_STEPS];
} stepFields;

static stepFields alloc_step_fields(tacArena* arena, int half, int steps) {
    stepFields f = {{NULL}};
    for (int k = 0; k < steps; ++k) f.value[k] = TAC_ALLOC(arena, tacReal, 2 * half);
    return f;
}

// a search without derivatives, then a trace with them, records and twists; or the trace alone,
// and derivatives of records: fewer arrays
static void measure_side(const tacModel* model, const tacContactPair* pair, int owner,
                         tacArena* arena) {
    const tacFeatures* f = &model->contact->feature[pair->geom[owner]];
    int most = f->vertices > f->edges ? f->vertices : f->edges;
    int steps = model->contact->choice[TAC_CHOICE_ITERATIONS];
    tac_edge_sdf_side_measure(model, pair, owner, arena);
    tac_edge_sdf_trace_measure(most, steps, arena);
    tac_hits_alloc(arena, most, 1);
    tac_edge_sdf_trace_measure(most, steps, arena);
    for (int i = 0; i < 2; ++i) tac_hit_records_alloc(arena, most);
    tac_hit_twists_alloc(arena, most);
    alloc_step_fields(arena, most + PADDING, steps);
}

void tac_edge_sdf_measure(const tacModel* model, tacArena* arena) {
    const tacContactPlan* plan = model->contact;
    for (int i = 0; i < plan->npair && plan->feature; ++i)
        for (int owner = 0; owner < 2; ++owner) {
            size_t mark = arena->used;
            measure_side(model, &plan->pair[i], owner, arena);
            arena->used = mark;
        }
}

//---------------------------------- values ---------------------------------------

static void write_hit_twists(const tacEdgeSdfSide* side_run, tacContacts* contacts,
                             tacScratch* scratch) {
    const tacEdgeSlide* s = &side_run->slide;
    tacHitSlide slide = {{s->along[0], s->along[1], s->along[2]},
                         {s->by[0], s->by[1], s->by[2], s->by[3], s->by[4], s->by[5]}};
    tacHitTwists out = tac_hit_twists_alloc(&scratch->arena, side_run->hits.count);
    VERTICES->twists(&side_run->side.pose, &side_run->hits, side_run->edges ? &slide : NULL,
                     (tacReal* const(*)[6])out.row);
    tac_hit_twists_copy(&out, side_run->hits.count, contacts, contacts->count);
}

static void set_record_ids(const tacEdgeSdfSide* side_run, int index, tacContacts* c) {
    const tacContactPair* pair = &side_run->side.model->contact->pair[index];
    tacEdgeSdfKind kind = (tacEdgeSdfKind)(2 * side_run->side.owner + side_run->edges);
    for (int i = 0; i < side_run->hits.count; ++i) {
        int at = c->count + i;
        c->pair[at] = index;
        c->bundle[at] = -1;
        c->geom[0][at] = pair->geom[0];
        c->geom[1][at] = pair->geom[1];
        c->feature[at] = tac_edge_sdf_feature(kind, side_run->hits.vertex[i]);
    }
}

// hits nearer than the support stay listed, and the field there if there is one
static void keep_active(tacEdgeSdfSide* side_run) {
    double end = tac_re(side_run->side.pose.support) + tac_re(side_run->side.pose.radius);
    tacHits* h = &side_run->hits;
    int count_active = 0;
    for (int i = 0; i < h->count; ++i) {
        if (!(tac_re(h->value[i]) < end)) continue;
        h->vertex[count_active] = h->vertex[i];
        h->value[count_active] = h->value[i];
        for (int k = 0; k < 3; ++k) {
            h->y[k][count_active] = h->y[k][i];
            h->gradient[k][count_active] = h->gradient[k][i];
        }
        ++count_active;
    }
    h->count = count_active;
    for (int i = count_active; i < count_active + PADDING && count_active > 0; ++i) {
        h->value[i] = h->value[count_active - 1];
        for (int k = 0; k < 3; ++k) {
            h->y[k][i] = h->y[k][count_active - 1];
            h->gradient[k][i] = h->gradient[k][count_active - 1];
        }
    }
}

static void list_hits(tacEdgeSdfSide* side_run, tacScratch* scratch) {
    const tacModel* model = side_run->side.model;
    int all = model->contact->choice[TAC_CHOICE_UNCULLED];
    if (side_run->edges) {
        tac_edge_sdf_candidates(side_run, all, scratch);
        tac_edge_sdf_trace(side_run, 1, scratch);
    } else {
        tac_vertex_search(&side_run->side,
                          (tacVertexCutoff){tac_re(side_run->side.pose.support), all}, scratch);
        side_run->hits = side_run->side.near;
    }
    keep_active(side_run);
}

// the same hits with Hessians
static void eval_hessians(tacEdgeSdfSide* side_run, tacScratch* scratch) {
    tacHits hits = tac_hits_alloc(&scratch->arena, side_run->hits.count, 1);
    hits.count = side_run->hits.count;
    memcpy(hits.vertex, side_run->hits.vertex, sizeof(int) * (size_t)hits.count);
    side_run->hits = hits;
    tac_edge_sdf_trace(side_run, 2, scratch);
}

// beyond the capacity records are counted, not written
static void detect_side(tacEdgeSdfSide* side_run, int index, tacContacts* contacts,
                        tacScratch* scratch) {
    int with_hessians = contacts->d_twist[0][0] != NULL;
    list_hits(side_run, scratch);
    int count = side_run->hits.count;
    if (count && contacts->count + count <= contacts->capacity) {
        if (with_hessians) eval_hessians(side_run, scratch);
        tacHitRecords records = tac_hit_records_alloc(&scratch->arena, count);
        VERTICES->record(&side_run->side.pose, &side_run->hits, records);
        tac_hit_records_copy(&records, count, contacts, contacts->count);
        set_record_ids(side_run, index, contacts);
        if (with_hessians) write_hit_twists(side_run, contacts, scratch);
    }
    contacts->count += count;
}

tacResult tac_edge_sdf_detect(const tacModel* model, const tacPose* body, tacContacts* contacts,
                              tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    for (int i = 0; i < plan->npair; ++i)
        for (int kind = 0; kind < 4; ++kind) {
            if (!uses_side(model, kind / 2)) continue;
            const tacFeatures* f = &plan->feature[plan->pair[i].geom[kind / 2]];
            if ((kind % 2 ? f->edges : f->vertices) == 0) continue;
            size_t mark = scratch->arena.used;
            tacEdgeSdfSide side_run =
                tac_edge_sdf_side(model, &plan->pair[i], kind / 2, kind % 2, body, scratch);
            detect_side(&side_run, i, contacts, scratch);
            scratch->arena.used = mark;
        }
    return contacts->count <= contacts->capacity ? TAC_OK : TAC_ERROR_CAPACITY;
}

//---------------------------------- runs of records ------------------------------

static int same_side(const tacContacts* c, int a, int b) {
    return c->pair[a] == c->pair[b] &&
           tac_edge_sdf_kind(c->feature[a]) == tac_edge_sdf_kind(c->feature[b]);
}

// records of one pair and kind, from `first` on, with all that derivatives read
static tacEdgeSdfSide side_at(const tacModel* model, const tacPose* body, const tacContacts* c,
                              int first, tacScratch* scratch) {
    int count = 0;
    while (first + count < c->count && same_side(c, first, first + count)) ++count;
    int kind = (int)tac_edge_sdf_kind(c->feature[first]);
    tacEdgeSdfSide side_run = tac_edge_sdf_side(model, &model->contact->pair[c->pair[first]],
                                                kind / 2, kind % 2, body, scratch);
    side_run.hits = tac_hits_alloc(&scratch->arena, count, 1);
    side_run.hits.count = count;
    for (int i = 0; i < count; ++i)
        side_run.hits.vertex[i] = tac_edge_sdf_index(c->feature[first + i]);
    tac_edge_sdf_trace(&side_run, 2, scratch);
    return side_run;
}

//---------------------------------- forward --------------------------------------

// what moves a run: twists of the bodies, the radius, and its own numbers
static void hit_dots(const tacEdgeSdfSide* side_run, const tacContactPair* pair,
                     tacContactTangent tangent, tacHitDot* dot, tacSlideDot* slide) {
    const tacContactPlan* plan = side_run->side.model->contact;
    int owner = side_run->side.owner, radius = side_run->side.features->index->radius;
    for (int k = 0; k < 6 && tangent.pose; ++k) {
        dot->field[k] = slide->field[k] = tangent.pose[6 * pair->body[1 - owner] + k];
        dot->own[k] = slide->own[k] = tangent.pose[6 * pair->body[owner] + k];
    }
    if (!tangent.param) return;
    const tacVertexSide* side = &side_run->side;
    tacTwist place = tac_place_twist(side->model, side->own_geom, side->pose.own.R, tangent.param);
    tac_twist_store(dot->own, tac_twist_add(tac_twist_load(dot->own), place));
    memcpy(slide->own, dot->own, sizeof slide->own);
    tac_feature_growth(side->model, side->own_geom, tangent.param, dot->growth);
    dot->tau = tangent.param[plan->number[TAC_CONTACT_TAU]];
    dot->support = tangent.param[plan->number[TAC_CONTACT_SUPPORT]];
    slide->gate = tangent.param[plan->number[TAC_CONTACT_GATE]];
    slide->slope = tangent.param[plan->number[TAC_CONTACT_LIPSCHITZ]];
    if (radius >= 0) dot->radius = slide->radius = tangent.param[radius];
}

// the field moves with its parameters and its place; gradient NULL: values alone
static tacResult hit_field_jvp(const tacEdgeSdfSide* side_run, const tacHits* at,
                               const tacReal* theta_dot, tacReal* value, tacReal* const* gradient,
                               tacScratch* scratch) {
    const tacModel* model = side_run->side.model;
    const tacGeom* g = &model->geom[side_run->side.geom];
    tacReal twist[6];
    tac_field_pose_jvp(model, g, theta_dot, twist);
    tacField out = {.value = value};
    for (int k = 0; k < 3 && gradient; ++k) out.gradient[k] = gradient[k];
    return tac_shape_jvp(model, side_run->side.shape, tac_field_pose(model, g), tac_hit_points(at),
                         (tacShapeTangent){.pose = twist, .param = theta_dot}, out, scratch);
}

// how hits move along their edges
static tacResult slides_jvp(const tacEdgeSdfSide* side_run, const tacSlideDot* slide,
                            const tacReal* growth, const tacReal* theta_dot, tacReal* const out[3],
                            tacScratch* scratch) {
    stepFields f = alloc_step_fields(&scratch->arena, side_run->rays.half, side_run->steps);
    for (int k = 0; k < side_run->steps && theta_dot; ++k) {
        tacResult result =
            hit_field_jvp(side_run, &side_run->step[k], theta_dot, f.value[k], NULL, scratch);
        if (result != TAC_OK) return result;
    }
    if (growth) tac_edge_growth_values(side_run, growth, f.value);
    RAYS->slide_jvp(&side_run->side.pose, &side_run->slide, &side_run->hits, slide,
                    theta_dot ? (const tacReal* const*)f.value : NULL, out);
    return TAC_OK;
}

static tacResult side_jvp(const tacEdgeSdfSide* side_run, int first, const tacContactPair* pair,
                          tacContactTangent tangent, tacContacts* out, tacScratch* scratch) {
    tacHitDot dot = {.value = NULL};
    tacSlideDot slide = {{0}, {0}, 0.0, 0.0, 0.0};
    int count = side_run->hits.count;
    tacHitRecords field = tac_hit_records_alloc(&scratch->arena, count);
    tacHitRecords records = tac_hit_records_alloc(&scratch->arena, count);
    tacResult result = TAC_OK;
    hit_dots(side_run, pair, tangent, &dot, &slide);
    if (tangent.param) {
        result = hit_field_jvp(side_run, &side_run->hits, tangent.param, field.distance,
                               field.normal, scratch);
        dot.value = field.distance;
        for (int k = 0; k < 3; ++k) dot.gradient[k] = field.normal[k];
    }
    const tacReal* growth = tac_hit_grows(&dot) ? dot.growth : NULL;
    if (side_run->edges && result == TAC_OK)
        result = slides_jvp(side_run, &slide, growth, tangent.param, field.point, scratch);
    for (int k = 0; k < 3 && !side_run->edges && growth; ++k)
        memset(field.point[k], 0, sizeof(tacReal) * (size_t)(count + PADDING));
    for (int k = 0; k < 3 && (side_run->edges || growth); ++k) dot.slide[k] = field.point[k];
    if (result != TAC_OK) return result;
    if (growth) tac_edge_growth_slides(side_run, growth, field.point);
    VERTICES->record_jvp(&side_run->side.pose, &side_run->hits, &dot, records);
    tac_hit_records_copy(&records, count, out, first);
    return TAC_OK;
}

tacResult tac_edge_sdf_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                           tacContactTangent tangent, tacContacts* dot, tacScratch* scratch) {
    tacResult result = TAC_OK;
    for (int i = 0; i < contacts->count && result == TAC_OK;) {
        size_t mark = scratch->arena.used;
        tacEdgeSdfSide side_run = side_at(model, body, contacts, i, scratch);
        result =
            side_jvp(&side_run, i, &model->contact->pair[contacts->pair[i]], tangent, dot, scratch);
        scratch->arena.used = mark;
        i += side_run.hits.count;
    }
    dot->count = contacts->count;
    return result;
}

//---------------------------------- reverse --------------------------------------

static void add_bars(const tacEdgeSdfSide* side_run, const tacContactPair* pair,
                     const tacHitBar* bar, const tacSlideDot* slide, tacContactAdjoint adjoint) {
    const tacContactPlan* plan = side_run->side.model->contact;
    int owner = side_run->side.owner, radius = side_run->side.features->index->radius;
    for (int k = 0; k < 6 && adjoint.pose; ++k) {
        adjoint.pose[6 * pair->body[1 - owner] + k] += bar->field[k] + slide->field[k];
        adjoint.pose[6 * pair->body[owner] + k] += bar->own[k] + slide->own[k];
    }
    if (!adjoint.param) return;
    const tacVertexSide* side = &side_run->side;
    tacWrench own = tac_wrench_add(tac_wrench_load(bar->own), tac_wrench_load(slide->own));
    tac_place_twist_vjp(side->model, side->own_geom, side->pose.own.R, own, adjoint.param);
    tac_feature_growth_vjp(side->model, side->own_geom, bar->growth, adjoint.param);
    adjoint.param[plan->number[TAC_CONTACT_TAU]] += bar->tau;
    adjoint.param[plan->number[TAC_CONTACT_SUPPORT]] += bar->support;
    adjoint.param[plan->number[TAC_CONTACT_GATE]] += slide->gate;
    adjoint.param[plan->number[TAC_CONTACT_LIPSCHITZ]] += slide->slope;
    if (radius >= 0) adjoint.param[radius] += bar->radius + slide->radius;
}

static tacResult hit_field_vjp(const tacEdgeSdfSide* side_run, const tacHits* at, tacField bar,
                               tacReal* theta_bar, tacScratch* scratch) {
    const tacModel* model = side_run->side.model;
    const tacGeom* g = &model->geom[side_run->side.geom];
    tacReal wrench[6] = {0};
    tacResult result =
        tac_shape_vjp(model, side_run->side.shape, tac_field_pose(model, g), tac_hit_points(at),
                      bar, (tacShapeAdjoint){.pose = wrench, .param = theta_bar}, scratch);
    if (result == TAC_OK) tac_field_pose_vjp(model, g, wrench, theta_bar);
    return result;
}

// adjoints of hits along their edges, back through the rays
static tacResult slides_vjp(const tacEdgeSdfSide* side_run, tacHitBar* out, tacSlideDot* slide,
                            tacReal* theta_bar, tacScratch* scratch) {
    stepFields f = alloc_step_fields(&scratch->arena, side_run->rays.half, side_run->steps);
    RAYS->slide_vjp(&side_run->side.pose, &side_run->slide, &side_run->hits, out->slide, slide,
                    theta_bar ? f.value : NULL);
    if (theta_bar)
        tac_edge_growth_vjp(side_run, (const tacReal* const*)out->slide,
                            (const tacReal* const*)f.value, out->growth);
    tacResult result = TAC_OK;
    for (int k = 0; k < side_run->steps && theta_bar && result == TAC_OK; ++k)
        result = hit_field_vjp(side_run, &side_run->step[k], (tacField){.value = f.value[k]},
                               theta_bar, scratch);
    return result;
}

static tacResult side_vjp(const tacEdgeSdfSide* side_run, const tacContactPair* pair,
                          tacHitRecords bar, tacContactAdjoint adjoint, tacScratch* scratch) {
    tacHitBar out = {.value = NULL};
    tacSlideDot slide = {{0}, {0}, 0.0, 0.0, 0.0};
    tacHitRecords buffer = tac_hit_records_alloc(&scratch->arena, side_run->hits.count);
    tacResult result = TAC_OK;
    if (adjoint.param) out.value = buffer.distance;
    for (int k = 0; k < 3; ++k) {
        if (adjoint.param) out.gradient[k] = buffer.normal[k];
        if (side_run->edges || adjoint.param) out.slide[k] = buffer.point[k];
    }
    VERTICES->record_vjp(&side_run->side.pose, &side_run->hits, bar, 1, &out);
    if (side_run->edges)
        result = slides_vjp(side_run, &out, &slide, adjoint.param, scratch);
    else if (adjoint.param)
        tac_edge_growth_vjp(side_run, (const tacReal* const*)out.slide, NULL, out.growth);
    add_bars(side_run, pair, &out, &slide, adjoint);
    if (result != TAC_OK || !adjoint.param) return result;
    tacField field = {.value = out.value,
                      .gradient = {out.gradient[0], out.gradient[1], out.gradient[2]}};
    return hit_field_vjp(side_run, &side_run->hits, field, adjoint.param, scratch);
}

tacResult tac_edge_sdf_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                           const tacContacts* bar, tacContactAdjoint adjoint, tacScratch* scratch) {
    tacResult result = TAC_OK;
    for (int i = 0; i < contacts->count && result == TAC_OK;) {
        size_t mark = scratch->arena.used;
        tacEdgeSdfSide side_run = side_at(model, body, contacts, i, scratch);
        result = side_vjp(&side_run, &model->contact->pair[contacts->pair[i]],
                          tac_contact_records_at(bar, i), adjoint, scratch);
        scratch->arena.used = mark;
        i += side_run.hits.count;
    }
    return result;
}
