// Contacts of all pairs: vertices in fields, both ways.
//
//   pair --sides--> vertices that touch --kernels--> records, in order of (pair, feature)
//
// Derivatives start from the records that were found: they say which vertices to look at.

#include "detect/manifold.h"

#include <string.h>

#define VERTICES TAC_DISPATCH(tac_vertex_kernels_)

//---------------------------------- sizes ----------------------------------------

int tac_manifold_uses(const tacModel* model, int owner) {
    int sides = model->contact->choice[TAC_CHOICE_SIDES];
    return sides == 0 || sides == owner + 1;
}

// none while the scene is still being read
static int vertices_of(const tacModel* model, const tacContactPair* pair, int owner) {
    const tacFeatures* all = model->contact->feature;
    return all && tac_manifold_uses(model, owner) ? all[pair->geom[owner]].vertices : 0;
}

static int capacity(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    int most = 0;
    for (int i = 0; i < plan->npair; ++i)
        most += vertices_of(model, &plan->pair[i], 0) + vertices_of(model, &plan->pair[i], 1);
    return most;
}

// of records while their derivatives are taken
static size_t record_bytes(int vertices, size_t real_size) {
    return tac_hits_size(vertices, 1, real_size) + 2 * tac_hit_records_size(vertices, real_size) +
           48 * tac_arena_need(real_size * (size_t)(vertices + 16));
}

static size_t size(const tacModel* model, size_t real_size) {
    const tacContactPlan* plan = model->contact;
    size_t most = 0;
    if (!plan->feature) return 0;
    for (int i = 0; i < plan->npair; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        size_t need = 0;
        for (int owner = 0; owner < 2; ++owner)
            need += tac_vertex_side_size(model, pair, owner, real_size) +
                    record_bytes(plan->feature[pair->geom[owner]].vertices, real_size);
        most = need > most ? need : most;
    }
    return most;
}

//---------------------------------- values ---------------------------------------

// room for `count` more; the number that would be needed is told by contacts->count
static int fits(tacContacts* contacts, int count) {
    return contacts->count + count <= contacts->capacity;
}

static void copy_records(const tacHitRecords* from, tacContacts* to, int count) {
    size_t bytes = sizeof(tacReal) * (size_t)count;
    int at = to->count;
    for (int k = 0; k < 3; ++k) {
        memcpy(&to->point[k][at], from->point[k], bytes);
        memcpy(&to->normal[k][at], from->normal[k], bytes);
    }
    memcpy(&to->distance[at], from->distance, bytes);
    memcpy(&to->activity[at], from->activity, bytes);
}

static void write_twists(const tacVertexSide* side, const tacHits* hits, tacContacts* contacts,
                         tacScratch* scratch) {
    size_t bytes = sizeof(tacReal) * (size_t)hits->count;
    tacReal* out[8][6];
    for (int row = 0; row < 8; ++row)
        for (int k = 0; k < 6; ++k)
            out[row][k] = TAC_TAKE(&scratch->arena, tacReal, hits->count + 16);
    VERTICES->twists(&side->place, hits, NULL, (tacReal* const(*)[6])out);
    for (int row = 0; row < 8; ++row)
        for (int k = 0; k < 6; ++k)
            memcpy(&contacts->d_twist[row][k][contacts->count], out[row][k], bytes);
}

static void name_records(const tacVertexSide* side, int index, const tacContactPair* pair,
                         const tacHits* hits, tacContacts* contacts) {
    for (int i = 0; i < hits->count; ++i) {
        int at = contacts->count + i;
        contacts->pair[at] = index, contacts->bundle[at] = -1;
        contacts->geom[0][at] = pair->geom[0], contacts->geom[1][at] = pair->geom[1];
        contacts->feature[at] =
            tac_manifold_feature((tacManifoldKind)side->owner, hits->vertex[i], 0);
    }
}

// beyond the capacity records are counted, not written
static void detect_side(tacVertexSide* side, int index, tacContacts* contacts,
                        tacScratch* scratch) {
    const tacContactPair* pair = &side->model->contact->pair[index];
    int bent = contacts->d_twist[0][0] != NULL;
    tacHits hits = tac_hits_take(&scratch->arena, side->features->vertices, bent);
    tac_vertex_touching(side, bent ? 2 : 1, &hits);
    if (hits.count && fits(contacts, hits.count)) {
        tacHitRecords records = tac_hit_records_take(&scratch->arena, hits.count);
        VERTICES->record(&side->place, &hits, records);
        copy_records(&records, contacts, hits.count);
        name_records(side, index, pair, &hits, contacts);
        if (bent) write_twists(side, &hits, contacts, scratch);
    }
    contacts->count += hits.count;
}

static tacVertexRange range_of(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    double support = tac_re(model->param[plan->number[TAC_CONTACT_SUPPORT]]);
    return (tacVertexRange){support, 0.0, plan->choice[TAC_CHOICE_UNCULLED]};
}

static tacResult detect(const tacModel* model, const tacPose* body, tacContacts* contacts,
                        tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    for (int i = 0; i < plan->npair; ++i)
        for (int owner = 0; owner < 2; ++owner) {
            size_t mark = scratch->arena.used;
            if (vertices_of(model, &plan->pair[i], owner) == 0) continue;
            tacVertexSide side = tac_vertex_side(model, &plan->pair[i], owner, body, scratch);
            tac_vertex_search(&side, range_of(model), scratch);
            detect_side(&side, i, contacts, scratch);
            scratch->arena.used = mark;
        }
    return contacts->count <= contacts->capacity ? TAC_OK : TAC_ERROR_CAPACITY;
}

//---------------------------------- derivatives ----------------------------------

// records of one pair and kind, from `first` on
typedef struct recordRun {
    int first, count;
    tacVertexSide side;
    tacHits hits;
} recordRun;

static int same_run(const tacContacts* c, int a, int b) {
    return c->pair[a] == c->pair[b] &&
           tac_manifold_kind(c->feature[a]) == tac_manifold_kind(c->feature[b]);
}

static recordRun run_at(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                        int first, int order, tacScratch* scratch) {
    recordRun run = {.first = first};
    while (first + run.count < contacts->count && same_run(contacts, first, first + run.count))
        ++run.count;
    int owner = tac_manifold_kind(contacts->feature[first]) == TAC_MANIFOLD_VERTEX_1;
    run.side =
        tac_vertex_side(model, &model->contact->pair[contacts->pair[first]], owner, body, scratch);
    run.hits = tac_hits_take(&scratch->arena, run.count, order > 1);
    run.hits.count = run.count;
    for (int i = 0; i < run.count; ++i)
        run.hits.vertex[i] = tac_manifold_first(contacts->feature[first + i]);
    tac_hits_evaluate(&run.side, &run.hits, order);
    return run;
}

static tacPoints points_of(const recordRun* run) {
    return (tacPoints){run->count, {run->hits.y[0], run->hits.y[1], run->hits.y[2]}};
}

static tacPose local_pose(const tacModel* model, const tacGeom* g) {
    return (tacPose){tac_load3(&model->param[g->position]),
                     tac_quat_load(&model->param[g->rotation])};
}

//---------------------------------- forward --------------------------------------

// the field moves with its parameters, and with its place in the body
static tacResult field_jvp(const tacModel* model, const recordRun* run, const tacReal* theta_dot,
                           tacHitRecords* at, tacScratch* scratch) {
    const tacGeom* g = &model->geom[run->side.geom];
    tacPose pose = local_pose(model, g);
    tacReal twist[6];
    tac_store3(twist, tac_load3(&theta_dot[g->position]));
    tac_store3(twist + 3, tac_quat_angular(pose.rotation, tac_quat_load(&theta_dot[g->rotation])));
    tacField out = {.value = at->distance,
                    .gradient = {at->normal[0], at->normal[1], at->normal[2]}};
    return tac_shape_jvp(model, run->side.shape, pose, points_of(run),
                         (tacShapeTangent){.pose = twist, .param = theta_dot}, out, scratch);
}

static void set_dots(const tacModel* model, const recordRun* run, const tacContactPair* pair,
                     const tacReal* pose_dot, const tacReal* theta_dot, tacHitDot* dot) {
    const tacContactPlan* plan = model->contact;
    int owner = run->side.owner, radius = run->side.features->index->radius;
    for (int k = 0; k < 6 && pose_dot; ++k) {
        dot->field[k] = pose_dot[6 * pair->body[1 - owner] + k];
        dot->own[k] = pose_dot[6 * pair->body[owner] + k];
    }
    if (!theta_dot) return;
    dot->tau = theta_dot[plan->number[TAC_CONTACT_TAU]];
    dot->support = theta_dot[plan->number[TAC_CONTACT_SUPPORT]];
    if (radius >= 0) dot->radius = theta_dot[radius];
}

static tacResult run_jvp(const tacModel* model, const recordRun* run, const tacContactPair* pair,
                         const tacReal* pose_dot, const tacReal* theta_dot, tacContacts* out,
                         tacScratch* scratch) {
    tacHitDot dot = {{0}, {0}, 0.0, 0.0, 0.0, NULL, {0}, {0}};
    tacHitRecords field = tac_hit_records_take(&scratch->arena, run->count);
    tacHitRecords records = tac_hit_records_take(&scratch->arena, run->count);
    set_dots(model, run, pair, pose_dot, theta_dot, &dot);
    if (theta_dot) {
        tacResult result = field_jvp(model, run, theta_dot, &field, scratch);
        if (result != TAC_OK) return result;
        dot.value = field.distance;
        for (int k = 0; k < 3; ++k) dot.gradient[k] = field.normal[k];
    }
    VERTICES->record_jvp(&run->side.place, &run->hits, &dot, records);
    out->count = run->first;
    copy_records(&records, out, run->count);
    return TAC_OK;
}

static tacResult detect_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                            const tacReal* pose_dot, const tacReal* theta_dot, tacContacts* dot,
                            tacScratch* scratch) {
    tacResult result = TAC_OK;
    for (int i = 0; i < contacts->count && result == TAC_OK;) {
        size_t mark = scratch->arena.used;
        recordRun run = run_at(model, body, contacts, i, 2, scratch);
        result = run_jvp(model, &run, &model->contact->pair[contacts->pair[i]], pose_dot, theta_dot,
                         dot, scratch);
        scratch->arena.used = mark;
        i += run.count;
    }
    dot->count = contacts->count;
    return result;
}

//---------------------------------- reverse --------------------------------------

// adjoint of a twist of the geom's frame -> of its place in the body
static void add_place_bar(const tacModel* model, const tacGeom* g, const tacReal wrench[6],
                          tacReal* theta_bar) {
    tacQuat q = tac_quat_load(&model->param[g->rotation]);
    tacQuat bar = tac_quat_scale(tac_quat_mul(tac_quat(0.0, tac_load3(wrench + 3)), q),
                                 2.0 * tac_quat_inverse_norm2(q));
    tacReal* out = &theta_bar[g->rotation];
    out[0] += bar.w, out[1] += bar.x, out[2] += bar.y, out[3] += bar.z;
    for (int k = 0; k < 3; ++k) theta_bar[g->position + k] += wrench[k];
}

static tacResult field_vjp(const tacModel* model, const recordRun* run, const tacHitBar* bar,
                           tacReal* theta_bar, tacScratch* scratch) {
    const tacGeom* g = &model->geom[run->side.geom];
    tacReal wrench[6] = {0};
    tacField field = {.value = bar->value,
                      .gradient = {bar->gradient[0], bar->gradient[1], bar->gradient[2]}};
    tacResult result =
        tac_shape_vjp(model, run->side.shape, local_pose(model, g), points_of(run), field,
                      (tacShapeAdjoint){.pose = wrench, .param = theta_bar}, scratch);
    if (result == TAC_OK) add_place_bar(model, g, wrench, theta_bar);
    return result;
}

static void add_bars(const tacModel* model, const recordRun* run, const tacContactPair* pair,
                     const tacHitBar* bar, tacReal* pose_bar, tacReal* theta_bar) {
    const tacContactPlan* plan = model->contact;
    int owner = run->side.owner, radius = run->side.features->index->radius;
    for (int k = 0; k < 6 && pose_bar; ++k) {
        pose_bar[6 * pair->body[1 - owner] + k] += bar->field[k];
        pose_bar[6 * pair->body[owner] + k] += bar->own[k];
    }
    if (!theta_bar) return;
    theta_bar[plan->number[TAC_CONTACT_TAU]] += bar->tau;
    theta_bar[plan->number[TAC_CONTACT_SUPPORT]] += bar->support;
    if (radius >= 0) theta_bar[radius] += bar->radius;
}

static tacHitRecords records_at(const tacContacts* c, int first) {
    tacHitRecords r = {.distance = &c->distance[first], .activity = &c->activity[first]};
    for (int k = 0; k < 3; ++k)
        r.point[k] = &c->point[k][first], r.normal[k] = &c->normal[k][first];
    return r;
}

static tacResult run_vjp(const tacModel* model, const recordRun* run, const tacContactPair* pair,
                         tacHitRecords bar, int bent, tacReal* pose_bar, tacReal* theta_bar,
                         tacScratch* scratch) {
    tacHitBar out = {{0}, {0}, 0.0, 0.0, 0.0, NULL, {0}, {0}};
    if (theta_bar) {
        tacHitRecords field = tac_hit_records_take(&scratch->arena, run->count);
        out.value = field.distance;
        for (int k = 0; k < 3; ++k) out.gradient[k] = field.normal[k];
    }
    VERTICES->record_vjp(&run->side.place, &run->hits, bar, bent, &out);
    add_bars(model, run, pair, &out, pose_bar, theta_bar);
    return theta_bar ? field_vjp(model, run, &out, theta_bar, scratch) : TAC_OK;
}

// does an adjoint pull at points or normals? Without it no Hessian is needed
static int is_bent(const tacContacts* bar) {
    for (int i = 0; i < bar->count; ++i)
        for (int k = 0; k < 3; ++k)
            if (bar->point[k][i] != 0.0 || bar->normal[k][i] != 0.0) return 1;
    return 0;
}

static tacResult detect_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                            const tacContacts* bar, tacReal* pose_bar, tacReal* theta_bar,
                            tacScratch* scratch) {
    tacResult result = TAC_OK;
    int bent = is_bent(bar);
    for (int i = 0; i < contacts->count && result == TAC_OK;) {
        size_t mark = scratch->arena.used;
        recordRun run = run_at(model, body, contacts, i, bent ? 2 : 1, scratch);
        result = run_vjp(model, &run, &model->contact->pair[contacts->pair[i]], records_at(bar, i),
                         bent, pose_bar, theta_bar, scratch);
        scratch->arena.used = mark;
        i += run.count;
    }
    return result;
}

const tacDetectorKind tac_manifold_detector = {capacity, size, detect, detect_jvp, detect_vjp};
