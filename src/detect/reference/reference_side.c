// What is kept of the vertices and edges of a pair.
//
//   vertices --field of the other--> depths --soft top-K--> points
//   edges --depths of their corners--> soft top-K --> lines, both corners averaged

#define TAC_ONE_LANE
#include "detect/reference/reference_side.h"

#include "detect/field/feature_motion.h"
#include "detect/field/field_normal.inl"
#include "math/vec3.h"
#include "tactus/smooth.h"

#include <string.h>

enum { SPARE = 16 };

static int min_int(int a, int b) { return a < b ? a : b; }

//---------------------------------- counts ---------------------------------------

tacReferenceSide tac_reference_side(const tacModel* model, const tacContactPair* pair, int s) {
    const tacContactPlan* plan = model->contact;
    const int* choice = plan->choice;
    tacReferenceSide side = {0};
    if (!plan->feature) return side;
    side.features = &plan->feature[pair->geom[s]];
    int one_sided = choice[TAC_CHOICE_SIDES], soft = choice[TAC_CHOICE_TOP_K] > 1;
    int rays = plan->detector == TAC_DETECT_EDGE_SDF, used = !one_sided || one_sided == s + 1;
    if (used) side.vertices = side.features->vertices;
    if (rays ? used : !one_sided && !choice[TAC_CHOICE_EDGES]) side.edges = side.features->edges;
    side.points = soft ? min_int(choice[TAC_CHOICE_TOP_K_VERTICES], side.vertices) : side.vertices;
    side.lines = soft ? min_int(choice[TAC_CHOICE_TOP_K_EDGES], side.edges) : side.edges;
    return side;
}

//---------------------------------- memory ---------------------------------------

tacReal* tac_reference_alloc(tacReferencePair* p, size_t count) {
    return TAC_ALLOC(p->arena, tacReal, count + SPARE);
}

void tac_reference_alloc3(tacReferencePair* p, size_t count, tacReal* out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = tac_reference_alloc(p, count);
}

void tac_reference_side_alloc(tacReferencePair* p, int s) {
    tacReferenceSide* side = &p->side[s];
    int rows = side->points > side->lines ? side->points : side->lines;
    size_t most = (size_t)(side->vertices > side->edges ? side->vertices : side->edges);
    tac_reference_alloc3(p, (size_t)side->features->vertices, side->x);
    side->depth = tac_reference_alloc(p, (size_t)side->features->vertices);
    tac_reference_alloc3(p, (size_t)side->points, side->point);
    tac_reference_alloc3(p, (size_t)side->lines, side->from);
    tac_reference_alloc3(p, (size_t)side->lines, side->to);
    side->weight = tac_reference_alloc(p, (size_t)rows * most);
    side->score = tac_reference_alloc(p, most);
    side->work = tac_reference_alloc(p, 2 * most + tac_sinkhorn_size(rows));
    side->order = TAC_ALLOC(p->arena, int, rows + SPARE);
}

//---------------------------------- sides ----------------------------------------

static tacPose geom_pose(const tacModel* model, const tacGeom* g) {
    return (tacPose){tac_load3(&model->param[g->position]),
                     tac_quat_normalize(tac_quat_load(&model->param[g->rotation]))};
}

static void transform_side(tacReferencePair* p, const tacContactPair* pair, const tacPose* body,
                           int s) {
    tacReferenceSide* side = &p->side[s];
    const tacGeom* geom = &p->model->geom[pair->geom[s]];
    const struct tacFeatureIndex* index = side->features->index;
    side->shape = geom->shape;
    side->body = body[pair->body[s]];
    side->field = tac_pose_compose(side->body, geom_pose(p->model, geom));
    side->swept = index && index->radius >= 0;
    side->radius = side->swept ? p->model->param[index->radius] : (tacReal)0.0;
    tac_reference_side_alloc(p, s);
    if (!index) return;
    tacFeatureMap map = tac_feature_map(p->model, pair->geom[s]);
    for (int i = 0; i < side->features->vertices; ++i) {
        tacVec3 v = {side->features->x[0][i], side->features->x[1][i], side->features->x[2][i]};
        tacVec3 x = tac_pose_apply(side->body, tac_feature_map_point(&map, v));
        side->x[0][i] = x.x;
        side->x[1][i] = x.y;
        side->x[2][i] = x.z;
    }
}

static tacPoints eval_points(tacReal* const x[3], int count) {
    return (tacPoints){count, {x[0], x[1], x[2]}};
}

// field of geom s at points
tacResult tac_reference_field(const tacReferencePair* p, int s, tacReal* const x[3], int count,
                              tacField out) {
    if (count == 0) return TAC_OK;
    return tac_shape_eval(p->model, p->side[s].shape, p->side[s].field, eval_points(x, count), out,
                          p->scratch);
}

static tacResult find_depths(tacReferencePair* p, int s) {
    tacReferenceSide* side = &p->side[s];
    int count = side->vertices || side->edges ? side->features->vertices : 0;
    tacResult result =
        tac_reference_field(p, 1 - s, side->x, count, (tacField){.value = side->depth});
    for (int i = 0; i < count; ++i) side->depth[i] = side->radius - side->depth[i];
    return result;
}

//---------------------------------- selection ------------------------------------

// weights (rows x count) of the scores
static tacResult soft_select_rows(const tacReferencePair* p, tacReferenceSide* side, int count,
                                  int rows) {
    tacReal tau = p->sort * p->tau;
    if (p->keep == 3) {
        tacSinkhorn problem = tac_default_sinkhorn(count, side->score, rows);
        problem.tau = tau;
        problem.work = side->work;
        return tac_sinkhorn_top_k(&problem, side->weight);
    }
    tacSoftSort problem = tac_default_soft_sort(count, side->score, rows);
    problem.tau = tau;
    problem.order = side->order;
    problem.work = side->work;
    problem.ties = TAC_TIES_REFERENCE;
    return tac_soft_sort_top_k(&problem, side->weight);
}

// out = W x; x is looked up by `index`, NULL: in order
static void average_points(const tacReferenceSide* side, int count, int rows, tacReal* const x[3],
                           const int* index, tacReal* const out[3]) {
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < 3; ++k) {
            const tacReal* w = side->weight + (size_t)r * (size_t)count;
            tacReal sum = 0.0;
            for (int i = 0; i < count; ++i) sum += w[i] * x[k][index ? index[i] : i];
            out[k][r] = sum;
        }
}

static tacResult select_points(const tacReferencePair* p, tacReferenceSide* side) {
    size_t bytes = sizeof(tacReal) * (size_t)side->vertices;
    if (side->points == side->vertices) {
        for (int k = 0; k < 3; ++k) memcpy(side->point[k], side->x[k], bytes);
        return TAC_OK;
    }
    memcpy(side->score, side->depth, bytes);
    tacResult result = soft_select_rows(p, side, side->vertices, side->points);
    if (result == TAC_OK)
        average_points(side, side->vertices, side->points, side->x, NULL, side->point);
    return result;
}

static tacResult select_edges(const tacReferencePair* p, tacReferenceSide* side) {
    const tacFeatures* f = side->features;
    if (side->lines == side->edges) {
        for (int e = 0; e < side->edges; ++e)
            for (int k = 0; k < 3; ++k) {
                side->from[k][e] = side->x[k][f->edge[0][e]];
                side->to[k][e] = side->x[k][f->edge[1][e]];
            }
        return TAC_OK;
    }
    for (int e = 0; e < side->edges; ++e)
        side->score[e] = 0.5 * (side->depth[f->edge[0][e]] + side->depth[f->edge[1][e]]);
    tacResult result = soft_select_rows(p, side, side->edges, side->lines);
    if (result != TAC_OK) return result;
    average_points(side, side->edges, side->lines, side->x, f->edge[0], side->from);
    average_points(side, side->edges, side->lines, side->x, f->edge[1], side->to);
    return TAC_OK;
}

tacResult tac_reference_select(tacReferencePair* p, const tacContactPair* pair,
                               const tacPose* body) {
    tacResult result = TAC_OK;
    for (int s = 0; s < 2; ++s) transform_side(p, pair, body, s);
    for (int s = 0; s < 2 && result == TAC_OK; ++s) {
        result = find_depths(p, s);
        if (result == TAC_OK) result = select_points(p, &p->side[s]);
        if (result == TAC_OK) result = select_edges(p, &p->side[s]);
    }
    return result;
}

//---------------------------------- records --------------------------------------

void tac_reference_write(tacReal* const out[TAC_REFERENCE_NUMBERS], int at, tacVec3 point,
                         tacVec3 normal, tacReal distance, tacReal activity) {
    const tacReal number[TAC_REFERENCE_NUMBERS] = {point.x,  point.y,  point.z,  normal.x,
                                                   normal.y, normal.z, distance, activity};
    for (int k = 0; k < TAC_REFERENCE_NUMBERS; ++k) out[k][at] = number[k];
}

tacVec3 tac_reference_normal(tacReal* const gradient[3], int i) {
    tacVec3 g = {gradient[0][i], gradient[1][i], gradient[2][i]};
    tacReal square = tac_norm2(g), inverse = 1.0 / r_sqrt(field_normal_square(square));
    return tac_scale(g, field_normal(square, inverse).s);
}

tacReal tac_reference_activity(const tacReferencePair* p, tacReal distance) {
    tacReal inside = tac_soft_less(distance, 0.0, p->tau);
    return p->rays ? inside * tac_mollifier(distance / p->support) : inside;
}

tacReal tac_reference_safeguard(const tacReferencePair* p, tacReal own) {
    return tac_soft_less(own, 5.0 * p->tau, p->tau);
}

//---------------------------------- a pair ---------------------------------------

// 0 for what the detector has not
static tacReal contact_number(const tacModel* model, tacContactNumber n) {
    int at = model->contact->number[n];
    return at >= 0 ? model->param[at] : (tacReal)0.0;
}

tacReferencePair tac_reference_pair_init(const tacModel* model, const tacContactPair* pair,
                                         tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    tacReferencePair p = {
        .model = model, .scratch = scratch, .keep = plan->choice[TAC_CHOICE_TOP_K]};
    p.arena = &scratch->arena;
    p.rays = plan->detector == TAC_DETECT_EDGE_SDF;
    p.tau = contact_number(model, TAC_CONTACT_TAU);
    p.support = contact_number(model, TAC_CONTACT_SUPPORT);
    p.gate = contact_number(model, TAC_CONTACT_GATE);
    p.slope = contact_number(model, TAC_CONTACT_LIPSCHITZ);
    p.neighbours = contact_number(model, TAC_CONTACT_EDGE_SOFTMIN);
    p.sign = contact_number(model, TAC_CONTACT_SIGN);
    p.opposing = contact_number(model, TAC_CONTACT_OPPOSING);
    p.sort = contact_number(model, TAC_CONTACT_SORT_TEMPERATURE);
    p.witness = tac_default_witness_options();
    p.witness.tikhonov = contact_number(model, TAC_CONTACT_TIKHONOV);
    p.witness.range = 0.0;
    p.witness.min = contact_number(model, TAC_CONTACT_MIN);
    p.witness.clip = contact_number(model, TAC_CONTACT_CLIP);
    p.witness.inside = contact_number(model, TAC_CONTACT_INSIDE);
    p.witness.gap = contact_number(model, TAC_CONTACT_GAP);
    for (int s = 0; s < 2; ++s) p.side[s] = tac_reference_side(model, pair, s);
    return p;
}
