// Derivatives of the manifold's records by poses and parameters.
//
// What tac_detect found at these poses is taken up where it is kept, and searched again elsewhere;
// the order of records says which is which.

#include "detect/manifold/manifold.h"

#include "detect/field/detect_cache.h"
#include "detect/field/field_pose.h"
#include "detect/field/hit_motion.h"
#include "math/vec3_array.h"

#include <string.h>

#define VERTICES TAC_DISPATCH(tac_vertex_kernels_)

enum { PADDING = TAC_HIT_PADDING };

// what a derivative is taken along, or added to; NULL: zero, or not asked for
typedef struct inputs {
    const tacModel* model;
    const tacPose* body;
    const tacContacts* contacts;
    const tacReal *pose_dot, *theta_dot;
    tacReal *pose_bar, *theta_bar;
    tacContacts* dot;       // of all records, written
    const tacContacts* bar; // of all records
    int with_hessian;       // 0: no adjoint of a point or a normal
} inputs;

static void clear_padding(tacReal* const x[3], int count) {
    for (int k = 0; k < 3; ++k)
        for (int i = count; i < count + PADDING; ++i) x[k][i] = 0.0;
}

//---------------------------------- memory ---------------------------------------

// how rims slide, and their records before they are weighed
typedef struct rimSlide {
    tacReal* by[3];
    tacHitRecords records;
} rimSlide;

static rimSlide alloc_slide(tacArena* arena, int hits) {
    rimSlide s;
    tac_reals3_alloc(arena, hits, s.by);
    s.records = tac_hit_records_alloc(arena, hits);
    return s;
}

// fields at middles of rims and at their deepest points
static void alloc_rim_fields(tacArena* arena, tacField rim[2]) {
    for (int i = 0; i < 2; ++i) rim[i] = tac_hit_field_alloc(arena, TAC_CYLINDER_RIMS);
}

// fields at all points of ways to the surface
static void alloc_sphere_fields(tacArena* arena, int spheres, tacSphereFields* fields) {
    for (int s = 0; s <= TAC_SPHERE_STEPS; ++s)
        fields->at[s] = tac_hit_field_alloc(arena, tac_sphere_points(spheres, s));
}

// fields where edges ask for them: at their points, and at each step of a projection
typedef struct edgeFields {
    tacReal* at[2];
    tacField project[2][TAC_PROJECTION_MAX_STEPS];
} edgeFields;

static edgeFields alloc_edge_fields(tacArena* arena, int pairs, const int steps[2]) {
    edgeFields f = {{NULL}, {{{0}}}};
    for (int k = 0; k < 2; ++k) {
        f.at[k] = tac_reals_alloc(arena, pairs);
        for (int s = 0; s < steps[k]; ++s) f.project[k][s] = tac_hit_field_alloc(arena, pairs);
    }
    return f;
}

void tac_manifold_vertices_jvp_measure(tacManifoldCounts most, tacArena* arena) {
    if (most.spheres) tac_hit_field_alloc(arena, most.hits);
    alloc_slide(arena, most.hits);
}

// vertices_jvp; vertices_vjp has no more: rims three sets of records, balls one field
static void measure_vertices(tacManifoldCounts most, tacArena* arena) {
    tacField rim[2];
    tacSphereFields sphere;
    for (int i = 0; i < 2; ++i) tac_hit_records_alloc(arena, most.hits);
    if (most.rims) alloc_rim_fields(arena, rim);
    if (most.spheres) alloc_sphere_fields(arena, most.spheres, &sphere);
    tac_manifold_vertices_jvp_measure(most, arena);
}

void tac_manifold_diff_measure(const tacModel* model, const tacContactPair* pair,
                               const tacManifoldCounts most[2], int edges, tacArena* arena) {
    int project = model->contact->choice[TAC_CHOICE_PROJECT], steps[2] = {project, project};
    int pairs = tac_manifold_edges_capacity(model, pair);
    for (int owner = 0; owner < 2; ++owner) measure_vertices(most[owner], arena);
    if (!edges) return;
    alloc_edge_fields(arena, pairs, steps);
    for (int k = 0; k < 2; ++k) tac_hit_records_alloc(arena, pairs);
    tac_manifold_edges_diff_measure(model, pair, arena);
}

//---------------------------------- fields by parameters -------------------------

// the field moves with its parameters, and with its place in the body
static tacResult geom_field_jvp(const inputs* in, const tacVertexSide* side, const tacHits* hits,
                                tacField out, tacScratch* scratch) {
    const tacGeom* g = &in->model->geom[side->geom];
    tacReal twist[6];
    tac_field_pose_jvp(in->model, g, in->theta_dot, twist);
    return tac_shape_jvp(in->model, side->shape, tac_field_pose(in->model, g), tac_hit_points(hits),
                         (tacShapeTangent){.pose = twist, .param = in->theta_dot}, out, scratch);
}

// in axes of its geom, where its place does not matter
static tacResult shape_field_jvp(const inputs* in, const tacVertexSide* side, const tacHits* hits,
                                 tacField out, tacScratch* scratch) {
    const tacGeom* g = &in->model->geom[side->geom];
    return tac_shape_jvp(in->model, side->shape, tac_field_pose(in->model, g), tac_hit_points(hits),
                         (tacShapeTangent){.param = in->theta_dot}, out, scratch);
}

static tacResult shape_field_vjp(const inputs* in, const tacVertexSide* side, const tacHits* hits,
                                 tacField bar, tacScratch* scratch) {
    const tacGeom* g = &in->model->geom[side->geom];
    if (hits->count == 0) return TAC_OK;
    return tac_shape_vjp(in->model, side->shape, tac_field_pose(in->model, g), tac_hit_points(hits),
                         bar, (tacShapeAdjoint){.param = in->theta_bar}, scratch);
}

static tacResult geom_field_vjp(const inputs* in, const tacVertexSide* side, const tacHits* hits,
                                tacField bar, tacScratch* scratch) {
    const tacGeom* g = &in->model->geom[side->geom];
    tacReal wrench[6] = {0};
    if (hits->count == 0) return TAC_OK;
    tacResult result =
        tac_shape_vjp(in->model, side->shape, tac_field_pose(in->model, g), tac_hit_points(hits),
                      bar, (tacShapeAdjoint){.pose = wrench, .param = in->theta_bar}, scratch);
    if (result == TAC_OK) tac_field_pose_vjp(in->model, g, wrench, in->theta_bar);
    return result;
}

//---------------------------------- vertices, forward ----------------------------

static void hit_dots(const inputs* in, const tacManifoldPair* p, int owner, tacHitDot* dot) {
    const tacContactPlan* plan = in->model->contact;
    int radius = p->side[owner].features->index->radius;
    for (int k = 0; k < 6 && in->pose_dot; ++k) {
        dot->field[k] = in->pose_dot[6 * p->pair->body[1 - owner] + k];
        dot->own[k] = in->pose_dot[6 * p->pair->body[owner] + k];
    }
    if (!in->theta_dot) return;
    const tacVertexSide* side = &p->side[owner];
    tacTwist place = tac_place_twist(in->model, side->own_geom, side->pose.own.R, in->theta_dot);
    tac_twist_store(dot->own, tac_twist_add(tac_twist_load(dot->own), place));
    tac_feature_growth(in->model, side->own_geom, in->theta_dot, dot->growth);
    dot->tau = in->theta_dot[plan->number[TAC_CONTACT_TAU]];
    dot->support = in->theta_dot[plan->number[TAC_CONTACT_SUPPORT]];
    if (radius >= 0) dot->radius = in->theta_dot[radius];
}

// to kernels a ball moves its field's value and gradient
static void spheres_dot(const tacManifoldPair* p, int owner, tacHitDot* dot,
                        const tacSphereFields* fields, tacScratch* scratch) {
    const tacHits* hits = &p->hits[owner];
    tacField f = tac_hit_field_alloc(&scratch->arena, hits->count);
    clear_padding(f.gradient, hits->count);
    for (int i = hits->count; i < hits->count + PADDING; ++i) f.value[i] = 0.0;
    dot->value = f.value;
    for (int k = 0; k < 3; ++k) dot->gradient[k] = f.gradient[k];
    tac_sphere_projection_jvp(&p->side[owner], &p->spheres[owner], hits, dot, fields, f);
}

void tac_manifold_vertices_jvp(const tacManifoldPair* p, int owner, tacHitDot* dot,
                               tacManifoldFields fields, tacHitRecords out, tacScratch* scratch) {
    const tacVertexSide* side = &p->side[owner];
    const tacHits* hits = &p->hits[owner];
    const tacCylinderRims* rims = &p->rims[owner];
    if (p->spheres[owner].used) spheres_dot(p, owner, dot, fields.sphere, scratch);
    if (rims->count == 0) {
        if (tac_hit_grows(dot)) {
            rimSlide slide = alloc_slide(&scratch->arena, hits->count);
            for (int i = 0; i < hits->count; ++i) tac_vec3_set(slide.by, i, tac_vec3_zero());
            clear_padding(slide.by, hits->count);
            tac_hits_add_growth(side, hits, dot, slide.by);
            for (int k = 0; k < 3; ++k) dot->slide[k] = slide.by[k];
        }
        VERTICES->record_jvp(&side->pose, hits, dot, out);
        return;
    }
    rimSlide slide = alloc_slide(&scratch->arena, hits->count);
    clear_padding(slide.by, hits->count);
    for (int k = 0; k < 3; ++k) dot->slide[k] = slide.by[k];
    VERTICES->record(&side->pose, hits, slide.records);
    tacCylinderRimsDot moved = tac_cylinder_rims_slide(side, rims, hits, dot, fields.rim, slide.by);
    VERTICES->record_jvp(&side->pose, hits, dot, out);
    tac_cylinder_rims_weight_jvp(side, rims, hits, &moved, slide.records, out);
}

// the field at the middles of rims and at their deepest points
static tacResult rim_field_dots(const inputs* in, const tacManifoldPair* p, int owner,
                                tacField rim[2], tacScratch* scratch) {
    const tacCylinderRims* rims = &p->rims[owner];
    if (rims->count == 0) return TAC_OK;
    alloc_rim_fields(&scratch->arena, rim);
    tacResult result = geom_field_jvp(in, &p->side[owner], &rims->middle, rim[0], scratch);
    if (result != TAC_OK) return result;
    return geom_field_jvp(in, &p->side[owner], &rims->deepest, rim[1], scratch);
}

// the field at all points of ways to the surface
static tacResult sphere_field_dots(const inputs* in, const tacManifoldPair* p, int owner,
                                   tacSphereFields* fields, tacScratch* scratch) {
    const tacSphereProjection* spheres = &p->spheres[owner];
    tacResult result = TAC_OK;
    if (!spheres->used) return TAC_OK;
    alloc_sphere_fields(&scratch->arena, spheres->at[0].count, fields);
    for (int s = 0; s <= TAC_SPHERE_STEPS && result == TAC_OK; ++s)
        result = geom_field_jvp(in, &p->side[owner], &spheres->at[s], fields->at[s], scratch);
    return result;
}

static tacResult vertices_jvp(const inputs* in, const tacManifoldPair* p, int owner, int at,
                              tacScratch* scratch) {
    const tacHits* hits = &p->hits[owner];
    tacField rim[2];
    tacSphereFields sphere;
    tacManifoldFields fields = {NULL, NULL};
    tacHitDot dot = {.value = NULL};
    if (hits->count == 0) return TAC_OK;
    tacHitRecords field = tac_hit_records_alloc(&scratch->arena, hits->count);
    tacHitRecords records = tac_hit_records_alloc(&scratch->arena, hits->count);
    hit_dots(in, p, owner, &dot);
    if (in->theta_dot) {
        tacField f = {field.distance, {field.normal[0], field.normal[1], field.normal[2]}, {0}};
        tacResult result = geom_field_jvp(in, &p->side[owner], hits, f, scratch);
        if (result != TAC_OK) return result;
        dot.value = field.distance;
        for (int k = 0; k < 3; ++k) dot.gradient[k] = field.normal[k];
        result = rim_field_dots(in, p, owner, rim, scratch);
        if (result == TAC_OK) result = sphere_field_dots(in, p, owner, &sphere, scratch);
        if (result != TAC_OK) return result;
        fields = (tacManifoldFields){rim, &sphere};
    }
    tac_manifold_vertices_jvp(p, owner, &dot, fields, records, scratch);
    tac_hit_records_copy(&records, hits->count, in->dot, at);
    return TAC_OK;
}

//---------------------------------- vertices, reverse ----------------------------

static void add_hit_bars(const inputs* in, const tacManifoldPair* p, int owner,
                         const tacHitBar* bar) {
    const tacContactPlan* plan = in->model->contact;
    int radius = p->side[owner].features->index->radius;
    for (int k = 0; k < 6 && in->pose_bar; ++k) {
        in->pose_bar[6 * p->pair->body[1 - owner] + k] += bar->field[k];
        in->pose_bar[6 * p->pair->body[owner] + k] += bar->own[k];
    }
    if (!in->theta_bar) return;
    const tacVertexSide* side = &p->side[owner];
    tac_place_twist_vjp(in->model, side->own_geom, side->pose.own.R, tac_wrench_load(bar->own),
                        in->theta_bar);
    tac_feature_growth_vjp(in->model, side->own_geom, bar->growth, in->theta_bar);
    in->theta_bar[plan->number[TAC_CONTACT_TAU]] += bar->tau;
    in->theta_bar[plan->number[TAC_CONTACT_SUPPORT]] += bar->support;
    if (radius >= 0) in->theta_bar[radius] += bar->radius;
}

static void copy_bar(tacReal* to, const tacReal* from, int count) {
    memcpy(to, from, sizeof *to * (size_t)count);
}

// weights depend on normals, so normals have adjoints even where the caller gives none
static tacResult rims_vjp(const inputs* in, const tacManifoldPair* p, int owner, tacHitRecords bar,
                          tacHitBar* out, tacScratch* scratch) {
    const tacVertexSide* side = &p->side[owner];
    const tacHits* hits = &p->hits[owner];
    const tacCylinderRims* rims = &p->rims[owner];
    rimSlide slide = alloc_slide(&scratch->arena, hits->count);
    tacHitRecords own = tac_hit_records_alloc(&scratch->arena, hits->count);
    tacField rim[2];
    int requested = in->theta_bar != NULL;
    alloc_rim_fields(&scratch->arena, rim);
    for (int k = 0; k < 3; ++k) {
        copy_bar(own.point[k], bar.point[k], hits->count);
        copy_bar(own.normal[k], bar.normal[k], hits->count);
        out->slide[k] = slide.by[k];
    }
    copy_bar(own.distance, bar.distance, hits->count);
    copy_bar(own.activity, bar.activity, hits->count);
    VERTICES->record(&side->pose, hits, slide.records);
    tacCylinderRimsDot moved =
        tac_cylinder_rims_weight_vjp(side, rims, hits, slide.records, own, out);
    VERTICES->record_vjp(&side->pose, hits, own, 1, out);
    tac_cylinder_rims_slide_vjp(side, rims, &moved, out, requested ? rim : NULL);
    if (requested) tac_hits_growth_vjp(side, hits, out);
    if (!requested) return TAC_OK;
    tacResult result = geom_field_vjp(in, side, &rims->middle, rim[0], scratch);
    return result == TAC_OK ? geom_field_vjp(in, side, &rims->deepest, rim[1], scratch) : result;
}

static tacResult spheres_vjp(const inputs* in, const tacManifoldPair* p, int owner,
                             tacHitRecords bar, tacHitBar* out, tacScratch* scratch) {
    const tacVertexSide* side = &p->side[owner];
    const tacHits* hits = &p->hits[owner];
    const tacSphereProjection* spheres = &p->spheres[owner];
    tacSphereFields fields;
    tacResult result = TAC_OK;
    tacField own = tac_hit_field_alloc(&scratch->arena, hits->count);
    out->value = own.value;
    for (int k = 0; k < 3; ++k) out->gradient[k] = own.gradient[k];
    if (in->theta_bar) alloc_sphere_fields(&scratch->arena, spheres->at[0].count, &fields);
    tacReal* slide[3];
    tac_reals3_alloc(&scratch->arena, hits->count, slide);
    for (int k = 0; k < 3; ++k) out->slide[k] = slide[k];
    VERTICES->record_vjp(&side->pose, hits, bar, 1, out);
    if (in->theta_bar) tac_hits_growth_vjp(side, hits, out);
    tac_sphere_projection_vjp(side, spheres, hits, out, in->theta_bar ? &fields : NULL);
    for (int s = 0; s <= TAC_SPHERE_STEPS && in->theta_bar && result == TAC_OK; ++s)
        result = geom_field_vjp(in, side, &spheres->at[s], fields.at[s], scratch);
    return result;
}

// vertices alone; as their geom grows they slide on its body
static void plain_vjp(const inputs* in, const tacManifoldPair* p, int owner, tacHitRecords bar,
                      tacHitBar* out, tacScratch* scratch) {
    const tacVertexSide* side = &p->side[owner];
    const tacHits* hits = &p->hits[owner];
    int grows = in->theta_bar && side->features->index->base.size_param >= 0;
    tacReal* slide[3];
    if (grows) tac_reals3_alloc(&scratch->arena, hits->count, slide);
    for (int k = 0; k < 3 && grows; ++k) out->slide[k] = slide[k];
    VERTICES->record_vjp(&side->pose, hits, bar, in->with_hessian, out);
    if (grows) tac_hits_growth_vjp(side, hits, out);
}

static tacResult vertices_vjp(const inputs* in, const tacManifoldPair* p, int owner, int at,
                              tacScratch* scratch) {
    tacHitRecords bar = tac_contact_records_at(in->bar, at);
    const tacHits* hits = &p->hits[owner];
    tacHitBar out = {.value = NULL};
    if (hits->count == 0) return TAC_OK;
    if (p->spheres[owner].used) {
        tacResult result = spheres_vjp(in, p, owner, bar, &out, scratch);
        add_hit_bars(in, p, owner, &out);
        return result;
    }
    if (in->theta_bar) {
        tacHitRecords field = tac_hit_records_alloc(&scratch->arena, hits->count);
        out.value = field.distance;
        for (int k = 0; k < 3; ++k) out.gradient[k] = field.normal[k];
    }
    tacResult result = TAC_OK;
    if (p->rims[owner].count)
        result = rims_vjp(in, p, owner, bar, &out, scratch);
    else
        plain_vjp(in, p, owner, bar, &out, scratch);
    add_hit_bars(in, p, owner, &out);
    if (!in->theta_bar || result != TAC_OK) return result;
    tacField f = {out.value, {out.gradient[0], out.gradient[1], out.gradient[2]}, {0}};
    return geom_field_vjp(in, &p->side[owner], hits, f, scratch);
}

//---------------------------------- edges: numbers -------------------------------

enum { EDGE_NUMBERS = 14 };

// where each number of the edges stands among the parameters
static void edge_offsets(const tacManifoldPair* p, const tacContactPlan* plan,
                         int at[EDGE_NUMBERS]) {
    static const tacContactNumber number[] = {
        TAC_CONTACT_TIKHONOV, TAC_CONTACT_MIN,      TAC_CONTACT_CLIP,  TAC_CONTACT_INSIDE,
        TAC_CONTACT_RANGE,    TAC_CONTACT_GAP,      TAC_CONTACT_DEPTH, TAC_CONTACT_EDGE_SOFTMIN,
        TAC_CONTACT_SIGN,     TAC_CONTACT_OPPOSING, TAC_CONTACT_TAU,   TAC_CONTACT_SUPPORT};
    for (int i = 0; i < EDGE_NUMBERS - 2; ++i) at[i] = plan->number[number[i]];
    for (int k = 0; k < 2; ++k) at[EDGE_NUMBERS - 2 + k] = p->side[k].features->index->radius;
}

// the same numbers in the same order
static void list_numbers(tacEdgeParams* n, tacReal* at[EDGE_NUMBERS]) {
    tacWitnessOptions* o = &n->witness;
    tacReal* all[EDGE_NUMBERS] = {&o->tikhonov,  &o->min,      &o->clip,  &o->inside,
                                  &o->range,     &o->gap,      &n->depth, &n->neighbours,
                                  &n->sign,      &n->opposing, &n->tau,   &n->support,
                                  &n->radius[0], &n->radius[1]};
    memcpy(at, all, sizeof all);
}

//---------------------------------- edges, forward -------------------------------

// twist of a geom about the origin of its body: that of the body, and of its place there
static tacTwist geom_twist(const inputs* in, const tacManifoldPair* p, int k) {
    const tacVertexSide* side = &p->side[k];
    tacTwist sum = tac_twist_zero();
    if (in->pose_dot) sum = tac_twist_load(&in->pose_dot[6 * p->pair->body[k]]);
    if (!in->theta_dot) return sum;
    return tac_twist_add(
        sum, tac_place_twist(in->model, side->own_geom, side->pose.own.R, in->theta_dot));
}

// twist of geom[1] against geom[0] about the origin of geom[0]'s body, in its axes
static void geom1_twist(const tacManifoldPair* p, const tacTwist twist[2], tacReal out[6]) {
    const tacFrame *a = &p->side[0].pose.own, *b = &p->side[1].pose.own;
    tacTwist one = tac_twist_shift(twist[1], tac_load3(b->origin), tac_load3(a->origin));
    tacTwist rel = tac_twist_sub(one, twist[0]);
    tac_store3(out, tac_mat_tmul_vec(a->R, rel.linear));
    tac_store3(out + 3, tac_mat_tmul_vec(a->R, rel.angular));
}

static tacResult edge_field_dots(const inputs* in, const tacManifoldPair* p,
                                 tacManifoldEdgesDot* dot, tacScratch* scratch) {
    const int steps[2] = {p->edge.project[0].steps, p->edge.project[1].steps};
    edgeFields f = alloc_edge_fields(&scratch->arena, p->edge.pairs.count, steps);
    tacResult result = TAC_OK;
    for (int k = 0; k < 2 && result == TAC_OK; ++k) {
        const tacHits* step = p->edge.project[k].at;
        result =
            shape_field_jvp(in, &p->side[k], &p->edge.at[k], (tacField){.value = f.at[k]}, scratch);
        dot->at[k] = f.at[k];
        for (int s = 0; s < steps[k] && result == TAC_OK; ++s) {
            dot->project[k][s] = f.project[k][s];
            result = shape_field_jvp(in, &p->side[1 - k], &step[s], f.project[k][s], scratch);
        }
    }
    return result;
}

static void write_dot(const inputs* in, const tacManifoldPair* p, tacTwist rigid,
                      const tacHitRecords* d, int i, int at) {
    const tacContacts* contacts = in->contacts;
    tacContacts* out = in->dot;
    const tacFrame* body = &p->side[0].pose.own;
    tacVec3 point = tac_mat_mul_vec(body->R, tac_vec3_at(d->point, i));
    tacVec3 normal = tac_mat_mul_vec(body->R, tac_vec3_at(d->normal, i));
    tacVec3 x = tac_vec3_at(contacts->point, at), n = tac_vec3_at(contacts->normal, at);
    point = tac_add(point, tac_twist_shift(rigid, tac_load3(body->origin), x).linear);
    normal = tac_add(normal, tac_cross(rigid.angular, n));
    tac_vec3_set(out->point, at, point);
    tac_vec3_set(out->normal, at, normal);
    out->distance[at] = d->distance[i];
    out->activity[at] = d->activity[i];
}

static tacResult edges_jvp(const inputs* in, const tacManifoldPair* p, int at,
                           tacScratch* scratch) {
    tacManifoldEdgesDot dot;
    tacReal* number[EDGE_NUMBERS];
    tacHitRecords d[2];
    int offset[EDGE_NUMBERS];
    memset(&dot, 0, sizeof dot);
    const tacTwist twist[2] = {geom_twist(in, p, 0), geom_twist(in, p, 1)};
    geom1_twist(p, twist, dot.twist);
    for (int k = 0; k < 2 && in->theta_dot; ++k)
        tac_feature_growth(in->model, p->side[k].own_geom, in->theta_dot, dot.growth[k]);
    edge_offsets(p, in->model->contact, offset);
    list_numbers(&dot.numbers, number);
    for (int i = 0; i < EDGE_NUMBERS && in->theta_dot; ++i)
        if (offset[i] >= 0) *number[i] = in->theta_dot[offset[i]];
    tacResult result = in->theta_dot ? edge_field_dots(in, p, &dot, scratch) : TAC_OK;
    if (result != TAC_OK) return result;
    for (int k = 0; k < 2; ++k) d[k] = tac_hit_records_alloc(&scratch->arena, p->edge.pairs.count);
    tac_manifold_edges_jvp(&p->edge, &dot, d, scratch);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < p->edge.pairs.count; ++i)
            if (tac_re(p->edge.record[k].activity[i]) > 0.0)
                write_dot(in, p, twist[0], &d[k], i, at++);
    return TAC_OK;
}

//---------------------------------- edges, reverse -------------------------------

// adjoint of a record into axes of geom[0]'s body, and the wrench on that body
static void read_bar(const inputs* in, const tacManifoldPair* p, int at, tacHitRecords* out, int i,
                     tacWrench* rigid) {
    const tacContacts *contacts = in->contacts, *bar = in->bar;
    const tacFrame* body = &p->side[0].pose.own;
    tacVec3 x = tac_vec3_at(contacts->point, at), n = tac_vec3_at(contacts->normal, at);
    tacVec3 x_bar = tac_vec3_at(bar->point, at), n_bar = tac_vec3_at(bar->normal, at);
    tacVec3 arm = tac_sub(x, tac_load3(body->origin));
    tac_accumulate(&rigid->force, x_bar);
    tac_accumulate(&rigid->torque, tac_add(tac_cross(arm, x_bar), tac_cross(n, n_bar)));
    tac_vec3_set(out->point, i, tac_mat_tmul_vec(body->R, x_bar));
    tac_vec3_set(out->normal, i, tac_mat_tmul_vec(body->R, n_bar));
    out->distance[i] = bar->distance[at];
    out->activity[i] = bar->activity[at];
}

static void clear_records(tacHitRecords* r, int count) {
    size_t bytes = sizeof(tacReal) * (size_t)(count + PADDING);
    for (int k = 0; k < 3; ++k) {
        memset(r->point[k], 0, bytes);
        memset(r->normal[k], 0, bytes);
    }
    memset(r->distance, 0, bytes);
    memset(r->activity, 0, bytes);
}

// a wrench on a geom about the origin of its body, to the body's pose and the geom's place
static void add_geom_wrench(const inputs* in, const tacManifoldPair* p, int k, tacWrench w) {
    const tacVertexSide* side = &p->side[k];
    if (in->pose_bar) {
        tacReal* body = &in->pose_bar[6 * p->pair->body[k]];
        tac_wrench_store(body, tac_wrench_add(tac_wrench_load(body), w));
    }
    if (in->theta_bar)
        tac_place_twist_vjp(in->model, side->own_geom, side->pose.own.R, w, in->theta_bar);
}

static void add_edge_poses(const inputs* in, const tacManifoldPair* p, const tacReal wrench[6],
                           tacWrench rigid) {
    const tacFrame *a = &p->side[0].pose.own, *b = &p->side[1].pose.own;
    tacWrench edge_wrench = {tac_mat_mul_vec(a->R, tac_load3(wrench)),
                             tac_mat_mul_vec(a->R, tac_load3(wrench + 3))};
    tacWrench there = tac_wrench_shift(edge_wrench, tac_load3(a->origin), tac_load3(b->origin));
    add_geom_wrench(in, p, 0, tac_wrench_sub(rigid, edge_wrench));
    add_geom_wrench(in, p, 1, there);
}

static tacResult add_edge_fields(const inputs* in, const tacManifoldPair* p,
                                 const tacManifoldEdgesBar* bar, tacScratch* scratch) {
    tacResult result = TAC_OK;
    for (int k = 0; k < 2 && result == TAC_OK; ++k) {
        const tacEdgeProjection* own = &p->edge.project[k];
        result = shape_field_vjp(in, &p->side[k], &p->edge.at[k], (tacField){.value = bar->at[k]},
                                 scratch);
        for (int s = 0; s < own->steps && result == TAC_OK; ++s)
            result = shape_field_vjp(in, &p->side[1 - k], &own->at[s], bar->project[k][s], scratch);
    }
    return result;
}

static tacResult edges_vjp(const inputs* in, const tacManifoldPair* p, int at,
                           tacScratch* scratch) {
    tacManifoldEdgesBar out;
    tacReal* number[EDGE_NUMBERS];
    tacHitRecords r[2];
    int offset[EDGE_NUMBERS], count = p->edge.pairs.count;
    tacWrench rigid = tac_wrench_zero();
    memset(&out, 0, sizeof out);
    for (int k = 0; k < 2; ++k) {
        r[k] = tac_hit_records_alloc(&scratch->arena, count);
        clear_records(&r[k], count);
        for (int i = 0; i < count; ++i)
            if (tac_re(p->edge.record[k].activity[i]) > 0.0)
                read_bar(in, p, at++, &r[k], i, &rigid);
    }
    if (in->theta_bar) {
        const int steps[2] = {p->edge.project[0].steps, p->edge.project[1].steps};
        edgeFields f = alloc_edge_fields(&scratch->arena, count, steps);
        memcpy(out.at, f.at, sizeof out.at);
        memcpy(out.project, f.project, sizeof out.project);
    }
    out.grows = in->theta_bar != NULL;
    tac_manifold_edges_vjp(&p->edge, r, &out, scratch);
    add_edge_poses(in, p, out.twist, rigid);
    if (!in->theta_bar) return TAC_OK;
    for (int k = 0; k < 2; ++k)
        tac_feature_growth_vjp(in->model, p->side[k].own_geom, out.growth[k], in->theta_bar);
    edge_offsets(p, in->model->contact, offset);
    list_numbers(&out.numbers, number);
    for (int i = 0; i < EDGE_NUMBERS; ++i)
        if (offset[i] >= 0) in->theta_bar[offset[i]] += *number[i];
    return add_edge_fields(in, p, &out, scratch);
}

//---------------------------------- all pairs ------------------------------------

// what tac_detect kept, with Hessians if they are asked for
static void resume_search(const tacManifoldPair* cached, int order, tacManifoldPair* p,
                          tacScratch* scratch) {
    *p = *cached;
    for (int owner = 0; owner < 2 && order > cached->order; ++owner) {
        if (!p->used[owner]) continue;
        tac_manifold_active(p, owner, order, scratch);
    }
}

static tacResult find_or_resume(const tacModel* model, const tacPose* body, int index, int order,
                                tacManifoldPair* p, tacScratch* scratch) {
    const tacContactPair* pair = &model->contact->pair[index];
    const tacPose two[2] = {body[pair->body[0]], body[pair->body[1]]};
    const tacManifoldPair* cached = tac_detect_cache_find(model, scratch, index, two);
    if (!cached) return tac_manifold_find(model, body, index, order, p, scratch);
    resume_search(cached, order, p, scratch);
    return TAC_OK;
}

// finds the pair of a record again; TAC_ERROR_VALUE if these contacts are not of these poses
static tacResult search_at(const inputs* in, int first, int order, tacManifoldPair* p,
                           tacScratch* scratch) {
    const tacContacts* contacts = in->contacts;
    tacResult result =
        find_or_resume(in->model, in->body, contacts->pair[first], order, p, scratch);
    if (result != TAC_OK) return result;
    int count = tac_manifold_records(p), last = first + count - 1;
    int same = count > 0 && last < contacts->count && contacts->pair[last] == p->index &&
               (last + 1 == contacts->count || contacts->pair[last + 1] != p->index);
    return same ? TAC_OK : TAC_ERROR_VALUE;
}

tacResult tac_manifold_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                           tacContactTangent tangent, tacContacts* dot, tacScratch* scratch) {
    inputs in = {.model = model,
                 .body = body,
                 .contacts = contacts,
                 .pose_dot = tangent.pose,
                 .theta_dot = tangent.param,
                 .dot = dot};
    tacResult result = TAC_OK;
    for (int i = 0; i < contacts->count && result == TAC_OK;) {
        size_t mark = scratch->arena.used;
        tacManifoldPair p;
        result = search_at(&in, i, 2, &p, scratch);
        for (int owner = 0; owner < 2 && result == TAC_OK; ++owner) {
            if (p.used[owner]) result = vertices_jvp(&in, &p, owner, i, scratch);
            i += p.hits[owner].count;
        }
        if (result == TAC_OK && p.edges && p.edge.pairs.count)
            result = edges_jvp(&in, &p, i, scratch);
        if (result == TAC_OK)
            i += tac_manifold_edge_records(&p, 0) + tac_manifold_edge_records(&p, 1);
        scratch->arena.used = mark;
    }
    dot->count = contacts->count;
    return result;
}

// does an adjoint pull at points or normals? Without it no Hessian is needed
static int needs_hessian(const tacContacts* bar) {
    for (int i = 0; i < bar->count; ++i)
        for (int k = 0; k < 3; ++k)
            if (bar->point[k][i] != 0.0 || bar->normal[k][i] != 0.0) return 1;
    return 0;
}

// rims and balls take Hessians for places, too
static int has_spheres_or_rims(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    for (int i = 0; i < plan->npair; ++i)
        for (int k = 0; k < 2; ++k) {
            const tacFeatures* f = &plan->feature[plan->pair[i].geom[k]];
            if (f->index && f->index->rims) return 1;
            if (tac_sphere_projection_needed(model, f, plan->pair[i].geom[1 - k])) return 1;
        }
    return 0;
}

tacResult tac_manifold_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                           const tacContacts* bar, tacContactAdjoint adjoint, tacScratch* scratch) {
    inputs in = {.model = model,
                 .body = body,
                 .contacts = contacts,
                 .pose_bar = adjoint.pose,
                 .theta_bar = adjoint.param,
                 .bar = bar,
                 .with_hessian = needs_hessian(bar) || has_spheres_or_rims(model)};
    tacResult result = TAC_OK;
    for (int i = 0; i < contacts->count && result == TAC_OK;) {
        size_t mark = scratch->arena.used;
        tacManifoldPair p;
        result = search_at(&in, i, in.with_hessian ? 2 : 1, &p, scratch);
        for (int owner = 0; owner < 2 && result == TAC_OK; ++owner) {
            if (p.used[owner]) result = vertices_vjp(&in, &p, owner, i, scratch);
            i += p.hits[owner].count;
        }
        if (result == TAC_OK && p.edges && p.edge.pairs.count)
            result = edges_vjp(&in, &p, i, scratch);
        if (result == TAC_OK)
            i += tac_manifold_edge_records(&p, 0) + tac_manifold_edge_records(&p, 1);
        scratch->arena.used = mark;
    }
    return result;
}
