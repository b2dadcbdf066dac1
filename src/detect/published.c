// The contact manifold as paper 001 defines it.
//
//   vertices --field of the other--> depths --soft top-K--> points --field--> records
//   edges --depths of their corners--> soft top-K --> all pairs --witness points--> indicators
//
// Nothing is left out and nothing ends: counts are fixed at load, as in the paper. It is here to be
// compared with; manifold.c is faster and smoother. Equations: docs/manifold.md, "Published".

#include "detect/published.h"

#include "detect/edge_projection.h"
#include "detect/manifold.h"
#include "math/number.h"
#include "math/pose.h"
#include "tactus/smooth.h"
#include "tactus/witness.h"

#include <string.h>

// one geom of a pair
typedef struct pubSide {
    const tacFeatures* features;
    int shape;
    tacPose body, field; // of its vertices, and of its own field
    int swept;           // with a radius                                   [m]
    tacReal radius;
    int vertices, edges;            // that it has and that are asked for
    int points, lines;              // that are kept of those
    tacReal *x[3], *depth;          // vertices in the world, minus the other's field there
    tacReal* point[3];              // kept
    tacReal *from[3], *to[3];       // kept edges
    tacReal *weight, *score, *work; // of a selection
    int* order;
} pubSide;

typedef struct pubPair {
    const tacModel* model;
    tacReal tau, neighbours, sign, clash, sort;
    tacWitnessOptions witness;
    int keep; // TAC_CHOICE_KEEP
    pubSide side[2];
    tacScratch* scratch;
} pubPair;

static int smaller(int a, int b) { return a < b ? a : b; }

//---------------------------------- counts ---------------------------------------

static pubSide count_side(const tacModel* model, const tacContactPair* pair, int s) {
    const tacContactPlan* plan = model->contact;
    const int* choice = plan->choice;
    pubSide side = {0};
    if (!plan->feature) return side;
    side.features = &plan->feature[pair->geom[s]];
    int one_sided = choice[TAC_CHOICE_SIDES], soft = choice[TAC_CHOICE_KEEP] > 1;
    if (one_sided == 0 || one_sided == s + 1) side.vertices = side.features->vertices;
    if (!one_sided && !choice[TAC_CHOICE_EDGES]) side.edges = side.features->edges;
    side.points = soft ? smaller(choice[TAC_CHOICE_KEEP_VERTICES], side.vertices) : side.vertices;
    side.lines = soft ? smaller(choice[TAC_CHOICE_KEEP_EDGES], side.edges) : side.edges;
    return side;
}

// more than an int can count is as good as too many
static int records_of(const pubSide side[2]) {
    long long pairs = (long long)side[0].lines * side[1].lines;
    long long all = side[0].points + side[1].points + 2 * pairs;
    return all < 1 << 30 ? (int)all : 1 << 30;
}

int tac_published_count(const tacModel* model, int pair) {
    const tacContactPair* p = &model->contact->pair[pair];
    const pubSide side[2] = {count_side(model, p, 0), count_side(model, p, 1)};
    return records_of(side);
}

static int capacity(const tacModel* model) {
    long long all = 0;
    for (int i = 0; i < model->contact->npair; ++i) all += tac_published_count(model, i);
    return (int)(all < TAC_PUBLISHED_MOST ? all : TAC_PUBLISHED_MOST);
}

//---------------------------------- memory ---------------------------------------

enum { PAIR_ARRAYS = 40, SPARE = 16 };

static size_t side_bytes(const pubSide* s, size_t real_size) {
    size_t v = (size_t)(s->features ? s->features->vertices : 0) + SPARE,
           e = (size_t)s->edges + SPARE, k = (size_t)s->points, l = (size_t)s->lines,
           most = v > e ? v : e, rows = k > l ? k : l;
    size_t sort = 2 * most + tac_sinkhorn_size((int)rows) + SPARE;
    size_t numbers = 12 * v + 16 * (l + k + SPARE) + (rows + 2) * most + sort;
    return real_size * numbers + sizeof(int) * (rows + SPARE) + 40 * TAC_ALIGNMENT;
}

static size_t size(const tacModel* model, size_t real_size) {
    size_t most = 0;
    for (int i = 0; i < model->contact->npair && model->contact->feature; ++i) {
        const tacContactPair* pair = &model->contact->pair[i];
        const pubSide side[2] = {count_side(model, pair, 0), count_side(model, pair, 1)};
        int count = records_of(side);
        if (count > TAC_PUBLISHED_MOST) continue; // refused before any of it is taken
        size_t pairs = (size_t)side[0].lines * (size_t)side[1].lines + SPARE;
        size_t bytes =
            side_bytes(&side[0], real_size) + side_bytes(&side[1], real_size) +
            PAIR_ARRAYS * (real_size * pairs + TAC_ALIGNMENT) +
            3 * TAC_PUBLISHED_NUMBERS * (real_size * ((size_t)count + SPARE) + TAC_ALIGNMENT);
        most = bytes > most ? bytes : most;
    }
    size_t inputs = tac_arena_need(sizeof(double) * (size_t)model->nparam) * 2 +
                    tac_arena_need(6 * sizeof(double) * (size_t)model->nbody);
    return most + inputs + tac_published_way_size(model);
}

static tacReal* take(pubPair* p, size_t count) {
    return TAC_TAKE(&p->scratch->arena, tacReal, count + SPARE);
}

static void take3(pubPair* p, size_t count, tacReal* out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = take(p, count);
}

//---------------------------------- sides ----------------------------------------

static tacPose local_pose(const tacModel* model, const tacGeom* g) {
    return (tacPose){tac_load3(&model->param[g->position]),
                     tac_quat_normalize(tac_quat_load(&model->param[g->rotation]))};
}

static void place_side(pubPair* p, const tacContactPair* pair, const tacPose* body, int s) {
    pubSide* side = &p->side[s];
    const tacGeom* geom = &p->model->geom[pair->geom[s]];
    const struct tacFeatureIndex* index = side->features->index;
    int rows = side->points > side->lines ? side->points : side->lines;
    size_t most = (size_t)(side->vertices > side->edges ? side->vertices : side->edges);
    side->shape = geom->shape, side->body = body[pair->body[s]];
    side->field = tac_pose_compose(side->body, local_pose(p->model, geom));
    side->swept = index && index->radius >= 0;
    side->radius = side->swept ? p->model->param[index->radius] : (tacReal)0.0;
    take3(p, (size_t)side->features->vertices, side->x);
    side->depth = take(p, (size_t)side->features->vertices);
    take3(p, (size_t)side->points, side->point);
    take3(p, (size_t)side->lines, side->from), take3(p, (size_t)side->lines, side->to);
    side->weight = take(p, (size_t)rows * most), side->score = take(p, most);
    side->work = take(p, 2 * most + tac_sinkhorn_size(rows));
    side->order = TAC_TAKE(&p->scratch->arena, int, rows + SPARE);
    for (int i = 0; i < side->features->vertices; ++i) {
        tacVec3 v = {side->features->x[0][i], side->features->x[1][i], side->features->x[2][i]};
        tacVec3 x = tac_pose_apply(side->body, v);
        side->x[0][i] = x.x, side->x[1][i] = x.y, side->x[2][i] = x.z;
    }
}

static tacPoints points_at(tacReal* const x[3], int count) {
    return (tacPoints){count, {x[0], x[1], x[2]}};
}

// field of geom s at points
static tacResult ask(const pubPair* p, int s, tacReal* const x[3], int count, tacField out) {
    if (count == 0) return TAC_OK;
    return tac_shape_eval(p->model, p->side[s].shape, p->side[s].field, points_at(x, count), out,
                          p->scratch);
}

static tacResult find_depths(pubPair* p, int s) {
    pubSide* side = &p->side[s];
    int count = side->vertices || side->edges ? side->features->vertices : 0;
    tacResult result = ask(p, 1 - s, side->x, count, (tacField){.value = side->depth});
    for (int i = 0; i < count; ++i) side->depth[i] = side->radius - side->depth[i];
    return result;
}

//---------------------------------- selection ------------------------------------

// weights (rows x count) of the scores
static tacResult select_rows(const pubPair* p, pubSide* side, int count, int rows) {
    tacReal tau = p->sort * p->tau;
    if (p->keep == 3) {
        tacSinkhorn problem = tac_default_sinkhorn(count, side->score, rows);
        problem.tau = tau, problem.work = side->work;
        return tac_sinkhorn_top_k(&problem, side->weight);
    }
    tacSoftSort problem = tac_default_soft_sort(count, side->score, rows);
    problem.tau = tau, problem.order = side->order, problem.work = side->work;
    problem.ties = TAC_TIES_PUBLISHED;
    return tac_soft_sort_top_k(&problem, side->weight);
}

// out = W x; x is looked up by `index`, NULL: in order
static void average(const pubSide* side, int count, int rows, tacReal* const x[3], const int* index,
                    tacReal* const out[3]) {
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < 3; ++k) {
            const tacReal* w = side->weight + (size_t)r * (size_t)count;
            tacReal sum = 0.0;
            for (int i = 0; i < count; ++i) sum += w[i] * x[k][index ? index[i] : i];
            out[k][r] = sum;
        }
}

static tacResult keep_points(const pubPair* p, pubSide* side) {
    size_t bytes = sizeof(tacReal) * (size_t)side->vertices;
    if (side->points == side->vertices) {
        for (int k = 0; k < 3; ++k) memcpy(side->point[k], side->x[k], bytes);
        return TAC_OK;
    }
    memcpy(side->score, side->depth, bytes);
    tacResult result = select_rows(p, side, side->vertices, side->points);
    if (result == TAC_OK) average(side, side->vertices, side->points, side->x, NULL, side->point);
    return result;
}

static tacResult keep_lines(const pubPair* p, pubSide* side) {
    const tacFeatures* f = side->features;
    if (side->lines == side->edges) {
        for (int e = 0; e < side->edges; ++e)
            for (int k = 0; k < 3; ++k)
                side->from[k][e] = side->x[k][f->edge[0][e]],
                side->to[k][e] = side->x[k][f->edge[1][e]];
        return TAC_OK;
    }
    for (int e = 0; e < side->edges; ++e)
        side->score[e] = 0.5 * (side->depth[f->edge[0][e]] + side->depth[f->edge[1][e]]);
    tacResult result = select_rows(p, side, side->edges, side->lines);
    if (result != TAC_OK) return result;
    average(side, side->edges, side->lines, side->x, f->edge[0], side->from);
    average(side, side->edges, side->lines, side->x, f->edge[1], side->to);
    return TAC_OK;
}

//---------------------------------- vertices -------------------------------------

static void put(tacReal* const out[TAC_PUBLISHED_NUMBERS], int at, tacVec3 point, tacVec3 normal,
                tacReal distance, tacReal activity) {
    const tacReal number[TAC_PUBLISHED_NUMBERS] = {point.x,  point.y,  point.z,  normal.x,
                                                   normal.y, normal.z, distance, activity};
    for (int k = 0; k < TAC_PUBLISHED_NUMBERS; ++k) out[k][at] = number[k];
}

static tacResult put_vertices(pubPair* p, int s, tacReal* const out[TAC_PUBLISHED_NUMBERS],
                              int at) {
    const pubSide* side = &p->side[s];
    tacReal *value = take(p, (size_t)side->points), *g[3];
    take3(p, (size_t)side->points, g);
    tacResult result =
        ask(p, 1 - s, side->point, side->points, (tacField){value, {g[0], g[1], g[2]}, {NULL}});
    for (int i = 0; i < side->points && result == TAC_OK; ++i) {
        tacVec3 n = tac_shape_normal(tac_vec3(g[0][i], g[1][i], g[2][i]));
        tacVec3 x = tac_vec3(side->point[0][i], side->point[1][i], side->point[2][i]);
        tacReal d = value[i] - side->radius;
        put(out, at + i, tac_sub(x, tac_scale(n, side->radius)), s ? n : tac_neg(n), d,
            tac_soft_less(d, 0.0, p->tau));
    }
    return result;
}

//---------------------------------- edges ----------------------------------------

// all pairs of kept edges: witness points, competition, fields; pair k, l stands at k lines + l
typedef struct pubMeetings {
    int count;
    tacReal *corner[4][3], *point[2][3], *colliding, *distance, *normal[3], *nearest[2];
    tacReal *own[2], *slope[2][3], *other[2];
} pubMeetings;

static pubMeetings take_meetings(pubPair* p) {
    pubMeetings m = {.count = p->side[0].lines * p->side[1].lines};
    size_t n = (size_t)m.count;
    for (int c = 0; c < 4; ++c) take3(p, n, m.corner[c]);
    for (int s = 0; s < 2; ++s) {
        take3(p, n, m.point[s]), take3(p, n, m.slope[s]);
        m.nearest[s] = take(p, n), m.own[s] = take(p, n), m.other[s] = take(p, n);
    }
    m.colliding = take(p, n), m.distance = take(p, n);
    take3(p, n, m.normal);
    return m;
}

static tacResult find_witnesses(pubPair* p, pubMeetings* m) {
    int columns = p->side[1].lines;
    tacEdgePairs pairs = {.count = m->count};
    tacEdgeWitness out = {.colliding = m->colliding, .distance = m->distance};
    for (int i = 0; i < m->count; ++i)
        for (int k = 0; k < 3; ++k) {
            m->corner[0][k][i] = p->side[0].from[k][i / columns];
            m->corner[1][k][i] = p->side[0].to[k][i / columns];
            m->corner[2][k][i] = p->side[1].from[k][i % columns];
            m->corner[3][k][i] = p->side[1].to[k][i % columns];
        }
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 4; ++c) pairs.corner[c][k] = m->corner[c][k];
        for (int s = 0; s < 2; ++s) out.point[s][k] = m->point[s][k];
        out.normal[k] = m->normal[k];
    }
    return tac_edge_edge(&p->witness, pairs, out);
}

// normal and distance of the points as they stand, rounded as those of tac_edge_edge
static void span_points(const pubPair* p, pubMeetings* m, int i) {
    tacReal e[3], square = 0.0, length = 0.0;
    for (int k = 0; k < 3; ++k) {
        tacReal t1 = m->corner[1][k][i] - m->corner[0][k][i];
        tacReal t2 = m->corner[3][k][i] - m->corner[2][k][i];
        e[k] = m->point[0][k][i] - m->point[1][k][i];
        square += e[k] * e[k], length += 0.5 * (t1 * t1 + t2 * t2);
    }
    tacReal gap = 1.0 / r_sqrt(square + p->witness.gap * p->witness.gap * length + 1e-60);
    for (int k = 0; k < 3; ++k) m->normal[k][i] = e[k] * gap;
    m->distance[i] = square * gap;
}

// Newton's steps onto the own surface (suppl. II-C)
static tacResult project_points(pubPair* p, pubMeetings* m) {
    tacResult result = TAC_OK;
    int steps = p->model->contact->choice[TAC_CHOICE_PROJECT];
    for (int s = 0; s < 2; ++s) {
        tacReal **x = m->point[s], **g = m->slope[s];
        for (int step = 0; step < steps && !p->side[s].swept && result == TAC_OK; ++step) {
            result = ask(p, s, x, m->count, (tacField){m->own[s], {g[0], g[1], g[2]}, {NULL}});
            for (int i = 0; i < m->count && result == TAC_OK; ++i) {
                tacReal y[3] = {x[0][i], x[1][i], x[2][i]}, by[3] = {g[0][i], g[1][i], g[2][i]};
                tac_newton_step(m->own[s][i], by, y);
                for (int k = 0; k < 3; ++k) x[k][i] = y[k];
            }
        }
    }
    for (int i = 0; i < m->count && steps; ++i) span_points(p, m, i);
    return result;
}

// soft argmin along rows for points on the first edge, along columns for those on the second
static tacResult find_nearest(pubPair* p, pubMeetings* m) {
    int rows = p->side[0].lines, columns = p->side[1].lines;
    tacReal *line = take(p, (size_t)rows), *weight = take(p, (size_t)rows);
    tacResult result = TAC_OK;
    for (int k = 0; k < rows && result == TAC_OK; ++k)
        result = tac_soft_argmin(columns, m->distance + (size_t)k * (size_t)columns, p->neighbours,
                                 m->nearest[0] + (size_t)k * (size_t)columns);
    for (int l = 0; l < columns && result == TAC_OK; ++l) {
        for (int k = 0; k < rows; ++k) line[k] = m->distance[k * columns + l];
        result = tac_soft_argmin(rows, line, p->neighbours, weight);
        for (int k = 0; k < rows; ++k) m->nearest[1][k * columns + l] = weight[k];
    }
    return result;
}

static tacResult ask_fields(pubPair* p, pubMeetings* m) {
    tacResult result = TAC_OK;
    for (int s = 0; s < 2 && result == TAC_OK; ++s) {
        tacReal** g = m->slope[s];
        result =
            ask(p, s, m->point[s], m->count, (tacField){m->own[s], {g[0], g[1], g[2]}, {NULL}});
        if (result == TAC_OK)
            result = ask(p, 1 - s, m->point[s], m->count, (tacField){.value = m->other[s]});
    }
    return result;
}

// a witness point off its own surface does not count: it is an average of edges (suppl. II-B)
static tacReal safeguard(const pubPair* p, tacReal own) {
    return tac_soft_less(own, 5.0 * p->tau, p->tau);
}

static void put_edge(const pubPair* p, const pubMeetings* m, int i,
                     tacReal* const out[TAC_PUBLISHED_NUMBERS], int at) {
    tacVec3 across = {m->normal[0][i], m->normal[1][i], m->normal[2][i]}, n[2], x[2];
    for (int s = 0; s < 2; ++s) {
        n[s] = tac_shape_normal(tac_vec3(m->slope[s][0][i], m->slope[s][1][i], m->slope[s][2][i]));
        x[s] = tac_vec3(m->point[s][0][i], m->point[s][1][i], m->point[s][2][i]);
    }
    tacReal both = p->side[0].radius + p->side[1].radius;
    tacReal sign[2] = {tac_soft_sign(tac_dot(n[1], across), p->sign),
                       tac_soft_sign(-tac_dot(n[0], across), p->sign)};
    tacReal pair = m->colliding[i] * tac_soft_less(tac_dot(n[0], n[1]), 0.0, p->clash);
    for (int s = 0; s < 2; ++s) {
        tacReal inside = tac_soft_less(m->other[s][i], p->side[s].radius, p->tau);
        tacReal activity =
            pair * m->nearest[s][i] * inside * safeguard(p, m->own[s][i] - p->side[s].radius);
        put(out, at + s * m->count, x[s], tac_scale(across, -sign[s]),
            sign[s] * m->distance[i] - both, activity);
    }
}

static tacResult put_edges(pubPair* p, tacReal* const out[TAC_PUBLISHED_NUMBERS], int at) {
    if (p->side[0].lines == 0 || p->side[1].lines == 0) return TAC_OK;
    pubMeetings m = take_meetings(p);
    tacResult result = find_witnesses(p, &m);
    if (result == TAC_OK) result = project_points(p, &m);
    if (result == TAC_OK) result = find_nearest(p, &m);
    if (result == TAC_OK) result = ask_fields(p, &m);
    for (int i = 0; i < m.count && result == TAC_OK; ++i) put_edge(p, &m, i, out, at + i);
    return result;
}

//---------------------------------- a pair ---------------------------------------

static pubPair open_pair(const tacModel* model, const tacContactPair* pair, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    const int* at = plan->number;
    const tacReal* v = model->param;
    pubPair p = {.model = model, .scratch = scratch, .keep = plan->choice[TAC_CHOICE_KEEP]};
    p.tau = v[at[TAC_CONTACT_TAU]], p.neighbours = v[at[TAC_CONTACT_NEIGHBOURS]];
    p.sign = v[at[TAC_CONTACT_SIGN]], p.clash = v[at[TAC_CONTACT_CLASH]];
    if (at[TAC_CONTACT_SORT] >= 0) p.sort = v[at[TAC_CONTACT_SORT]];
    p.witness = tac_default_witness_options();
    p.witness.regular = v[at[TAC_CONTACT_REGULAR]], p.witness.least = v[at[TAC_CONTACT_LEAST]];
    p.witness.clip = v[at[TAC_CONTACT_CLIP]], p.witness.within = v[at[TAC_CONTACT_WITHIN]];
    p.witness.gap = v[at[TAC_CONTACT_GAP]], p.witness.range = 0.0;
    for (int s = 0; s < 2; ++s) p.side[s] = count_side(model, pair, s);
    return p;
}

static void name_records(const pubPair* p, uint64_t* feature) {
    int at = 0, columns = p->side[1].lines, pairs = p->side[0].lines * columns;
    for (int s = 0; s < 2; ++s)
        for (int i = 0; i < p->side[s].points; ++i)
            feature[at++] = tac_manifold_feature((tacManifoldKind)s, i, 0);
    for (int s = 0; s < 2; ++s)
        for (int i = 0; i < pairs; ++i)
            feature[at++] = tac_manifold_feature((tacManifoldKind)(TAC_MANIFOLD_EDGE_0 + s),
                                                 i / columns, i % columns);
}

tacResult tac_published_pair(const tacModel* model, const tacPose* body, int pair,
                             tacReal* const out[TAC_PUBLISHED_NUMBERS], uint64_t* feature,
                             tacScratch* scratch) {
    const tacContactPair* of = &model->contact->pair[pair];
    size_t mark = scratch->arena.used;
    pubPair p = open_pair(model, of, scratch);
    tacResult result = TAC_OK;
    for (int s = 0; s < 2; ++s) place_side(&p, of, body, s);
    for (int s = 0; s < 2 && result == TAC_OK; ++s) {
        result = find_depths(&p, s);
        if (result == TAC_OK) result = keep_points(&p, &p.side[s]);
        if (result == TAC_OK) result = keep_lines(&p, &p.side[s]);
    }
    if (result == TAC_OK) result = put_vertices(&p, 0, out, 0);
    if (result == TAC_OK) result = put_vertices(&p, 1, out, p.side[0].points);
    if (result == TAC_OK) result = put_edges(&p, out, p.side[0].points + p.side[1].points);
    if (feature) name_records(&p, feature);
    scratch->arena.used = mark;
    return result;
}

//---------------------------------- all pairs ------------------------------------

// room for `count` more? Beyond the capacity records are counted, not written
static int fits(const tacContacts* c, int count) {
    return count <= TAC_PUBLISHED_MOST && c->count + count <= c->capacity;
}

static tacResult detect_pair(const tacModel* model, const tacPose* body, int i, int count,
                             tacContacts* c, tacScratch* scratch) {
    const tacContactPair* pair = &model->contact->pair[i];
    tacReal* out[TAC_PUBLISHED_NUMBERS];
    tac_published_numbers(c, c->count, out);
    tacResult result = tac_published_pair(model, body, i, out, &c->feature[c->count], scratch);
    for (int k = c->count; k < c->count + count; ++k) {
        c->pair[k] = i, c->bundle[k] = -1;
        c->geom[0][k] = pair->geom[0], c->geom[1][k] = pair->geom[1];
    }
    if (result == TAC_OK && c->d_twist[0][0])
        result = tac_published_twists(model, body, i, count, c, scratch);
    return result;
}

static tacResult detect(const tacModel* model, const tacPose* body, tacContacts* contacts,
                        tacScratch* scratch) {
    tacResult result = TAC_OK;
    int full = 0;
    for (int i = 0; i < model->contact->npair && result == TAC_OK; ++i) {
        int count = tac_published_count(model, i);
        full |= !fits(contacts, count);
        if (!full && count) result = detect_pair(model, body, i, count, contacts, scratch);
        contacts->count += count;
    }
    return result == TAC_OK && full ? TAC_ERROR_CAPACITY : result;
}

const tacDetectorKind tac_published_detector = {capacity, size, detect, tac_published_jvp,
                                                tac_published_vjp};
