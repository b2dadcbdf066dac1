// Contacts of all pairs: vertices in fields, both ways, and edges against edges.
//
//   pair --sides--> vertices that touch --kernels--> records, in order of (pair, feature)
//        --candidates--> edges that touch --kernels--> records

#include "detect/manifold/manifold.h"

#include "base/prefetch.h"
#include "detect/broad_phase.h"
#include "detect/field/detect_cache.h"
#include "math/vec3.h"

#include <string.h>

#define VERTICES TAC_DISPATCH(tac_vertex_kernels_)

// most records that contacts have room for unless the caller says otherwise
#define MAX_RECORDS 65536

// Up to so many records are made on the stack, which is warm whichever model is looked at. With
// padding each of their eight numbers fills whole TAC_ALIGNMENT
enum { STACK_RECORDS = 480, RECORD_NUMBERS = 8 };

//---------------------------------- sizes ----------------------------------------

// the surface of geom[owner] alone, or both
static int uses_side(const tacModel* model, int owner) {
    int sides = model->contact->choice[TAC_CHOICE_SIDES];
    return sides == 0 || sides == owner + 1;
}

// none while the scene is still being read
static int vertices_of(const tacModel* model, const tacContactPair* pair, int owner) {
    const tacFeatures* all = model->contact->feature;
    return all && uses_side(model, owner) ? all[pair->geom[owner]].vertices : 0;
}

static int has_edges(const tacModel* model, const tacContactPair* pair) {
    const tacContactPlan* plan = model->contact;
    if (plan->choice[TAC_CHOICE_EDGES] || plan->choice[TAC_CHOICE_SIDES] || !plan->feature)
        return 0;
    return plan->feature[pair->geom[0]].edges > 0 && plan->feature[pair->geom[1]].edges > 0;
}

static int manifold_capacity(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    long most = 0;
    for (int i = 0; i < plan->npair; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        for (int k = 0; k < 2; ++k)
            if (vertices_of(model, pair, k))
                most += vertices_of(model, pair, k) + TAC_CYLINDER_RIMS;
        if (has_edges(model, pair)) most += 2 * (long)tac_manifold_edges_capacity(model, pair);
    }
    return (int)(most < MAX_RECORDS ? most : MAX_RECORDS);
}

//---------------------------------- memory ---------------------------------------

static tacManifoldCounts max_counts(const tacModel* model, const tacContactPair* pair, int owner) {
    const tacFeatures* f = &model->contact->feature[pair->geom[owner]];
    int spheres = tac_sphere_projection_needed(model, f, pair->geom[1 - owner]);
    return (tacManifoldCounts){f->vertices + TAC_CYLINDER_RIMS, tac_cylinder_rims_count(f),
                               spheres ? f->vertices : 0};
}

// tac_manifold_find of one side
static void measure_side(const tacModel* model, const tacContactPair* pair, int owner,
                         tacArena* arena) {
    tacManifoldCounts most = max_counts(model, pair, owner);
    tacCylinderRims rims;
    tacSphereProjection spheres;
    tac_vertex_side_measure(model, pair, owner, arena);
    tac_hits_alloc(arena, most.hits, 1);
    if (most.rims) tac_cylinder_rims_alloc(&rims, 1, arena);
    if (most.spheres) tac_sphere_projection_alloc(&spheres, most.spheres, 1, arena);
}

// records of one side and their twists
static void measure_vertices(tacManifoldCounts most, tacArena* arena) {
    tac_hit_records_alloc(arena, most.hits);
    size_t mark = arena->used;
    tac_hit_twists_alloc(arena, most.hits);
    size_t end = arena->used;
    arena->used = mark;
    tac_hit_records_alloc(arena, most.hits);
    tac_manifold_vertices_jvp_measure(most, arena);
    arena->used = end;
}

// the search of a pair, then its records, or its derivatives
static void measure_pair(const tacModel* model, const tacContactPair* pair, tacArena* arena) {
    const tacManifoldCounts most[2] = {max_counts(model, pair, 0), max_counts(model, pair, 1)};
    int edges = has_edges(model, pair), pairs = tac_manifold_edges_capacity(model, pair);
    TAC_ALLOC(arena, tacManifoldPair, 1);
    for (int owner = 0; owner < 2; ++owner) measure_side(model, pair, owner, arena);
    if (edges) tac_manifold_edges_measure(model, pair, arena);
    size_t mark = arena->used;
    for (int owner = 0; owner < 2; ++owner) measure_vertices(most[owner], arena);
    for (int k = 0; k < 2 && edges; ++k) tac_hit_records_alloc(arena, pairs);
    if (edges) tac_manifold_edges_diff_measure(model, pair, arena);
    arena->used = mark;
    tac_manifold_diff_measure(model, pair, most, edges, arena);
}

// all that measure_pair reads of a geom
typedef struct geomSizes {
    int vertices, edges, blocks, edge_blocks, rims, swept;
    int nodes, is_distance;
    size_t run;
} geomSizes;

static geomSizes sizes_of(const tacModel* model, int geom) {
    const tacFeatures* f = &model->contact->feature[geom];
    geomSizes s;
    memset(&s, 0, sizeof s);
    s.vertices = f->vertices;
    s.edges = f->edges;
    if (f->index) {
        s.blocks = f->index->blocks;
        s.edge_blocks = f->index->edge_blocks;
        s.rims = f->index->rims;
        s.swept = f->index->radius >= 0;
    }
    if (model->geom[geom].shape >= 0) {
        const tacShape* shape = &model->shape[model->geom[geom].shape];
        s.nodes = shape->count;
        s.is_distance = tac_field_is_distance(model, geom);
        s.run = tac_shape_run_size(shape);
    }
    return s;
}

// classes of geoms with the same sizes; how many there are
static int number_classes(const tacModel* model, int* class_of, geomSizes* sizes) {
    int count = 0;
    for (int g = 0; g < model->ngeom; ++g) {
        geomSizes s = sizes_of(model, g);
        int c = 0;
        while (c < count && memcmp(&sizes[c], &s, sizeof s) != 0) ++c;
        if (c == count) sizes[count++] = s;
        class_of[g] = c;
    }
    return count;
}

// Pairs of the same two classes take the same memory: one of them is measured
static void measure_pairs(const tacModel* model, int* class_of, geomSizes* sizes, tacArena* arena) {
    const tacContactPlan* plan = model->contact;
    tacAllocator a = model->allocator;
    size_t count = (size_t)number_classes(model, class_of, sizes);
    char* done = a.allocate(a.user, count * count);
    if (done) memset(done, 0, count * count);
    for (int i = 0; i < plan->npair; ++i) {
        const int* geom = plan->pair[i].geom;
        size_t mark = arena->used,
               at = (size_t)class_of[geom[0]] * count + (size_t)class_of[geom[1]];
        if (done && done[at]) continue;
        if (done) done[at] = 1;
        measure_pair(model, &plan->pair[i], arena);
        arena->used = mark;
    }
    if (done) a.release(a.user, done);
}

static void measure_manifold(const tacModel* model, tacArena* arena) {
    const tacContactPlan* plan = model->contact;
    tacAllocator a = model->allocator;
    size_t begin = arena->used;
    if (!plan->feature) return;
    tac_broad_phase_measure(model, arena);
    int* class_of = a.allocate(a.user, sizeof *class_of * (size_t)(model->ngeom + 1));
    geomSizes* sizes = a.allocate(a.user, sizeof *sizes * (size_t)(model->ngeom + 1));
    if (class_of && sizes) measure_pairs(model, class_of, sizes, arena);
    if (!class_of || !sizes) arena->peak = SIZE_MAX / 2; // no memory: the arena is refused
    if (class_of) a.release(a.user, class_of);
    if (sizes) a.release(a.user, sizes);
    arena->used = begin;
}

//---------------------------------- search ---------------------------------------

static tacVertexCutoff range_of(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    double support = tac_re(model->param[plan->number[TAC_CONTACT_SUPPORT]]);
    return (tacVertexCutoff){support, plan->choice[TAC_CHOICE_UNCULLED]};
}

// Vertices alone: those that touch stay in place, as nothing is added to them or taken away
static int only_vertices(const tacVertexSide* side) {
    return side->features->index->rims == 0 &&
           !tac_sphere_projection_needed(side->model, side->features, side->geom);
}

void tac_manifold_active(tacManifoldPair* p, int owner, int order, tacScratch* scratch) {
    tacVertexSide* side = &p->side[owner];
    tacHits* hits = &p->hits[owner];
    if (order == 1 && only_vertices(side))
        *hits = side->near;
    else
        *hits = tac_hits_alloc(&scratch->arena, side->near.count + TAC_CYLINDER_RIMS, order > 1);
    tac_vertex_active(side, order, hits);
    if (order == 1 && only_vertices(side)) side->near.count = hits->count;
    tac_cylinder_rims_find(side, order, hits, &p->rims[owner], scratch);
    tac_sphere_projection_find(side, order, hits, &p->spheres[owner], scratch);
}

// nothing is found yet; most of a pair is for what few geoms have, and not touched
static void reset_pair(tacManifoldPair* p) {
    for (int owner = 0; owner < 2; ++owner) {
        p->used[owner] = p->hits[owner].count = p->rims[owner].count = p->spheres[owner].used = 0;
        p->side[owner].near.count = 0;
    }
    p->edges = p->edge.pairs.count = 0;
}

// balls and boxes around blocks
static void fetch_index(const struct tacFeatureIndex* index) {
    if (!index) return;
    size_t blocks = sizeof(float) * (size_t)index->blocks;
    size_t edge_blocks = sizeof(float) * (size_t)index->edge_blocks;
    tac_prefetch(index->wide, blocks);
    for (int k = 0; k < 3; ++k) {
        tac_prefetch(index->ball[k], blocks);
        tac_prefetch(index->group_float_boxes.middle[k], edge_blocks / TAC_EDGE_GROUP);
        tac_prefetch(index->group_float_boxes.half[k], edge_blocks / TAC_EDGE_GROUP);
        tac_prefetch(index->block_float_boxes.middle[k], edge_blocks);
        tac_prefetch(index->block_float_boxes.half[k], edge_blocks);
    }
}

tacResult tac_manifold_find(const tacModel* model, const tacPose* body, int index, int order,
                            tacManifoldPair* p, tacScratch* scratch) {
    for (int k = 0; k < 2; ++k)
        fetch_index(model->contact->feature[model->contact->pair[index].geom[k]].index);
    reset_pair(p);
    p->index = index;
    p->order = order;
    p->pair = &model->contact->pair[index];
    p->edges = has_edges(model, p->pair);
    for (int owner = 0; owner < 2; ++owner) {
        p->used[owner] = vertices_of(model, p->pair, owner) > 0;
        if (!p->used[owner]) continue;
        tacVertexSide* side = &p->side[owner];
        *side = tac_vertex_side(model, p->pair, owner, body, scratch);
        if (tac_sphere_projection_needed(model, side->features, side->geom))
            side->lipschitz = model->contact->feature[side->geom].index->slope;
        tac_vertex_search(side, range_of(model), scratch);
        tac_manifold_active(p, owner, order, scratch);
    }
    return p->edges ? tac_manifold_edges_find(&p->edge, model, p->pair, p->side, scratch) : TAC_OK;
}

int tac_manifold_edge_records(const tacManifoldPair* p, int k) {
    int count = 0;
    for (int i = 0; p->edges && i < p->edge.pairs.count; ++i)
        count += tac_re(p->edge.record[k].activity[i]) > 0.0;
    return count;
}

int tac_manifold_records(const tacManifoldPair* p) {
    return p->hits[0].count + p->hits[1].count + tac_manifold_edge_records(p, 0) +
           tac_manifold_edge_records(p, 1);
}

//---------------------------------- vertices -------------------------------------

// room for `count` more? Beyond the capacity records are counted, not written
static int has_capacity(tacContacts* contacts, int count) {
    return contacts->count + count <= contacts->capacity;
}

static void set_record_ids(tacContacts* c, int at, const tacManifoldPair* p, uint64_t feature) {
    c->pair[at] = p->index;
    c->bundle[at] = -1;
    c->feature[at] = feature;
    c->geom[0][at] = p->pair->geom[0];
    c->geom[1][at] = p->pair->geom[1];
}

static void write_twists(const tacVertexSide* side, const tacHits* hits, tacContacts* contacts,
                         tacScratch* scratch) {
    tacHitTwists out = tac_hit_twists_alloc(&scratch->arena, hits->count);
    VERTICES->twists(&side->pose, hits, NULL, (tacReal* const(*)[6])out.row);
    tac_hit_twists_copy(&out, hits->count, contacts, contacts->count);
}

// by a turn about the record's point, and none about the origin of geom[1]'s body
static void shift_twist_rows(tacContacts* c, const tacReal origin[3], int at) {
    tacVec3 arm = {origin[0] - c->point[0][at], origin[1] - c->point[1][at],
                   origin[2] - c->point[2][at]};
    for (int row = 0; row < 8; ++row) {
        tacVec3 by = {c->d_twist[row][0][at], c->d_twist[row][1][at], c->d_twist[row][2][at]};
        tacVec3 torque = tac_cross(arm, by);
        c->d_twist[row][3][at] += torque.x;
        c->d_twist[row][4][at] += torque.y;
        c->d_twist[row][5][at] += torque.z;
    }
}

// columns of d_twist by motions of geom[1]'s body one after the other
static void write_rounded_twists(const tacManifoldPair* p, int owner, tacContacts* c,
                                 tacScratch* scratch) {
    const tacVertexSide* side = &p->side[owner];
    int count = p->hits[owner].count;
    size_t bytes = sizeof(tacReal) * (size_t)count;
    tacHitRecords dot = tac_hit_records_alloc(&scratch->arena, count);
    for (int k = 0; k < 6; ++k) {
        tacHitDot along = {.value = NULL};
        (owner == 1 ? along.own : along.field)[k] = 1.0;
        size_t mark = scratch->arena.used;
        tac_manifold_vertices_jvp(p, owner, &along, (tacManifoldFields){NULL, NULL}, dot, scratch);
        scratch->arena.used = mark;
        for (int j = 0; j < 3; ++j) {
            memcpy(&c->d_twist[j][k][c->count], dot.point[j], bytes);
            memcpy(&c->d_twist[3 + j][k][c->count], dot.normal[j], bytes);
        }
        memcpy(&c->d_twist[6][k][c->count], dot.distance, bytes);
        memcpy(&c->d_twist[7][k][c->count], dot.activity, bytes);
    }
    const tacFrame* body = owner == 1 ? &side->pose.own : &side->pose.field;
    for (int i = 0; i < count; ++i) shift_twist_rows(c, body->origin, c->count + i);
}

static void write_hits(const tacManifoldPair* p, int owner, tacContacts* contacts,
                       tacArena* arena) {
    const tacVertexSide* side = &p->side[owner];
    const tacHits* hits = &p->hits[owner];
    tacHitRecords records = tac_hit_records_alloc(arena, hits->count);
    VERTICES->record(&side->pose, hits, records);
    tac_cylinder_rims_weight(side, &p->rims[owner], hits, records);
    tac_hit_records_copy(&records, hits->count, contacts, contacts->count);
}

static void write_on_stack(const tacManifoldPair* p, int owner, tacContacts* contacts) {
    enum { BYTES = RECORD_NUMBERS * (STACK_RECORDS + TAC_HIT_PADDING) * sizeof(tacReal) };
    _Alignas(TAC_ALIGNMENT) char memory[BYTES];
    tacArena arena = {.base = memory, .size = BYTES};
    write_hits(p, owner, contacts, &arena);
}

static void write_vertices(const tacManifoldPair* p, int owner, tacContacts* contacts,
                           tacScratch* scratch) {
    const tacVertexSide* side = &p->side[owner];
    const tacHits* hits = &p->hits[owner];
    if (hits->count && has_capacity(contacts, hits->count)) {
        if (hits->count <= STACK_RECORDS)
            write_on_stack(p, owner, contacts);
        else
            write_hits(p, owner, contacts, &scratch->arena);
        for (int i = 0; i < hits->count; ++i)
            set_record_ids(contacts, contacts->count + i, p,
                           tac_manifold_feature((tacManifoldKind)owner, hits->vertex[i], 0));
        if (contacts->d_twist[0][0] && (p->rims[owner].count || p->spheres[owner].used))
            write_rounded_twists(p, owner, contacts, scratch);
        else if (contacts->d_twist[0][0])
            write_twists(side, hits, contacts, scratch);
    }
    contacts->count += hits->count;
}

//---------------------------------- edges ----------------------------------------

static void write_edge(const tacManifoldPair* p, int k, int pair, tacContacts* c, int at) {
    const tacManifoldEdges* w = &p->edge;
    const tacHitRecords* r = &w->record[k];
    set_record_ids(c, at, p,
                   tac_manifold_feature((tacManifoldKind)(TAC_MANIFOLD_EDGE_0 + k),
                                        w->set[0].edge[w->pairs.first[pair]],
                                        w->set[1].edge[w->pairs.second[pair]]));
    for (int j = 0; j < 3; ++j) {
        c->point[j][at] = r->point[j][pair];
        c->normal[j][at] = r->normal[j][pair];
    }
    c->distance[at] = r->distance[pair];
    c->activity[at] = r->activity[pair];
}

// column c of d_twist: by a twist of geom[1] about the origin of geom[0]'s body, in its axes
static void write_column(const tacManifoldPair* p, int k, int column, const tacHitRecords* dot,
                         tacContacts* c, int first) {
    const tacHitRecords* r = &p->edge.record[k];
    for (int i = 0, at = first; i < p->edge.pairs.count; ++i) {
        if (!(tac_re(r->activity[i]) > 0.0)) continue;
        for (int j = 0; j < 3; ++j) {
            c->d_twist[j][column][at] = dot->point[j][i];
            c->d_twist[3 + j][column][at] = dot->normal[j][i];
        }
        c->d_twist[6][column][at] = dot->distance[i];
        c->d_twist[7][column][at] = dot->activity[i];
        ++at;
    }
}

// from there to a twist about the record's point in world axes
static void shift_twist(const tacFrame* body, tacContacts* c, int at) {
    tacReal local[8][6], world[8][6], arm[3];
    for (int j = 0; j < 3; ++j) arm[j] = body->origin[j] - c->point[j][at];
    for (int k = 0; k < 6; ++k)
        for (int row = 0; row < 8; ++row) local[row][k] = c->d_twist[row][k][at];
    for (int row = 0; row < 8; ++row) // columns
        for (int k = 0; k < 3; ++k) {
            // e_k x arm is the linear part of a turn about the point
            int i = (k + 1) % 3, j = (k + 2) % 3;
            tacReal lin[3] = {0};
            world[row][k] = world[row][3 + k] = 0.0;
            lin[i] = -arm[j];
            lin[j] = arm[i];
            for (int n = 0; n < 3; ++n) {
                tacReal back =
                    lin[0] * body->R.m[0][n] + lin[1] * body->R.m[1][n] + lin[2] * body->R.m[2][n];
                world[row][k] += local[row][n] * body->R.m[k][n];
                world[row][3 + k] += local[row][n] * back + local[row][3 + n] * body->R.m[k][n];
            }
        }
    for (int k = 0; k < 6; ++k) // rows
        for (int j = 0; j < 3; ++j) {
            c->d_twist[j][k][at] = c->d_twist[3 + j][k][at] = 0.0;
            for (int n = 0; n < 3; ++n) {
                c->d_twist[j][k][at] += body->R.m[j][n] * world[n][k];
                c->d_twist[3 + j][k][at] += body->R.m[j][n] * world[3 + n][k];
            }
            c->d_twist[6][k][at] = world[6][k];
            c->d_twist[7][k][at] = world[7][k];
        }
}

static void write_edge_twists(const tacManifoldPair* p, const int first[2], const int count[2],
                              tacContacts* c, tacScratch* scratch) {
    tacHitRecords dot[2];
    for (int k = 0; k < 2; ++k)
        dot[k] = tac_hit_records_alloc(&scratch->arena, p->edge.pairs.count);
    for (int column = 0; column < 6; ++column) {
        tacManifoldEdgesDot along;
        memset(&along, 0, sizeof along);
        along.twist[column] = 1.0;
        tac_manifold_edges_jvp(&p->edge, &along, dot, scratch);
        for (int k = 0; k < 2; ++k) write_column(p, k, column, &dot[k], c, first[k]);
    }
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < count[k]; ++i) shift_twist(&p->side[0].pose.own, c, first[k] + i);
}

static void write_edges(const tacManifoldPair* p, tacContacts* contacts, tacScratch* scratch) {
    int count[2] = {tac_manifold_edge_records(p, 0), tac_manifold_edge_records(p, 1)}, first[2];
    if (has_capacity(contacts, count[0] + count[1]) && count[0] + count[1] > 0) {
        int at = contacts->count;
        for (int k = 0; k < 2; ++k) {
            first[k] = at;
            for (int i = 0; i < p->edge.pairs.count; ++i)
                if (tac_re(p->edge.record[k].activity[i]) > 0.0)
                    write_edge(p, k, i, contacts, at++);
        }
        if (contacts->d_twist[0][0]) write_edge_twists(p, first, count, contacts, scratch);
    }
    contacts->count += count[0] + count[1];
}

//---------------------------------- all pairs ------------------------------------

// what was found is kept for derivatives, if it is anything
static tacResult find_and_cache(const tacModel* model, const tacPose* body, int index, int order,
                                tacManifoldPair** out, tacScratch* scratch) {
    const tacContactPair* pair = &model->contact->pair[index];
    const tacPose two[2] = {body[pair->body[0]], body[pair->body[1]]};
    tacManifoldPair* p = tac_detect_cache_begin(model, scratch, index, two, sizeof *p);
    int cached = p != NULL;
    if (!cached) p = TAC_ALLOC(&scratch->arena, tacManifoldPair, 1);
    tac_prefetch(p, offsetof(tacManifoldPair, rims));
    tac_prefetch(&p->edge, offsetof(tacManifoldEdges, project));
    tacResult result = tac_manifold_find(model, body, index, order, p, scratch);
    if (cached) tac_detect_cache_end(scratch, result == TAC_OK && tac_manifold_records(p) > 0);
    *out = p;
    return result;
}

// where the first records go
static void fetch_contacts(const tacContacts* c) {
    int count = c->capacity < 64 ? c->capacity : 64;
    size_t reals = sizeof(tacReal) * (size_t)count, ints = sizeof(int) * (size_t)count;
    for (int k = 0; k < 3; ++k) {
        tac_prefetch(c->point[k], reals);
        tac_prefetch(c->normal[k], reals);
    }
    tac_prefetch(c->distance, reals);
    tac_prefetch(c->activity, reals);
    tac_prefetch(c->pair, ints);
    tac_prefetch(c->bundle, ints);
    tac_prefetch(c->geom[0], ints);
    tac_prefetch(c->geom[1], ints);
    tac_prefetch(c->feature, sizeof *c->feature * (size_t)count);
}

static tacResult detect_manifold(const tacModel* model, const tacPose* body, tacContacts* contacts,
                                 tacScratch* scratch) {
    int order = contacts->d_twist[0][0] ? 2 : 1;
    tacCandidates found = {NULL, model->contact->npair};
    int culled = tac_broad_phase(model, body, &found, scratch);
    tac_detect_cache_clear(scratch);
    if (found.count > 0) fetch_contacts(contacts);
    for (int c = 0; c < found.count; ++c) {
        int i = culled ? found.pair[c] : c;
        size_t mark = scratch->arena.used;
        tacManifoldPair* p;
        tacResult result = find_and_cache(model, body, i, order, &p, scratch);
        if (result != TAC_OK) {
            contacts->count = p->edge.pairs.count;
            return result;
        }
        for (int owner = 0; owner < 2; ++owner) write_vertices(p, owner, contacts, scratch);
        if (p->edges) write_edges(p, contacts, scratch);
        scratch->arena.used = mark;
    }
    return contacts->count <= contacts->capacity ? TAC_OK : TAC_ERROR_CAPACITY;
}

const tacDetectorKind tac_manifold_detector = {manifold_capacity, measure_manifold, detect_manifold,
                                               tac_manifold_jvp, tac_manifold_vjp};
