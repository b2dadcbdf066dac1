// The most active records of a detector.
//
//   detector --records--> scores of vertices and of edges of each side --threshold--> weights
//        --> activity times weight
//
// A score is 0 with two continuous derivatives where a record appears, so weights do not jump then.
// Records whose weight is 0 stay in their place with activity 0.

#include "detect/manifold/top_k.h"

#include "detect/edge_sdf/edge_sdf.h"
#include "detect/field/vertex_sdf.h"
#include "detect/manifold/manifold.h"
#include "math/number.h"
#include "math/vec3.h"
#include "tactus/smooth.h"

#include <string.h>

static const tacDetectorKind* base_detector(const tacModel* model) {
    return model->contact->detector == TAC_DETECT_MANIFOLD ? &tac_manifold_detector
                                                           : &tac_edge_sdf_detector;
}

static int top_k_capacity(const tacModel* model) { return base_detector(model)->capacity(model); }

//---------------------------------- groups ---------------------------------------

// records of one kind of a pair of geoms, as they came from the detector
typedef struct topKGroup {
    int first, count, keep;
    const tacContacts* from;
    tacReal tau, support, width;
    tacReal *score, *weight; // (count)
} topKGroup;

// vertices and edges of each geom apart
static int is_edge_record(const tacModel* model, uint64_t feature) {
    if (model->contact->detector == TAC_DETECT_MANIFOLD)
        return tac_manifold_kind(feature) >= TAC_MANIFOLD_EDGE_0;
    return tac_edge_sdf_kind(feature) == TAC_EDGE_SDF_EDGE_0 ||
           tac_edge_sdf_kind(feature) == TAC_EDGE_SDF_EDGE_1;
}

static topKGroup group_at(const tacModel* model, const tacContacts* c, int first) {
    const tacContactPlan* plan = model->contact;
    const tacReal* v = model->param;
    topKGroup g = {.first = first, .from = c};
    g.tau = v[plan->number[TAC_CONTACT_TAU]];
    g.support = v[plan->number[TAC_CONTACT_SUPPORT]];
    g.width = v[plan->number[TAC_CONTACT_TOP_K_WIDTH]];
    g.keep = plan->choice[is_edge_record(model, c->feature[first]) ? TAC_CHOICE_TOP_K_EDGES
                                                                   : TAC_CHOICE_TOP_K_VERTICES];
    while (first + g.count < c->count && c->pair[first + g.count] == c->pair[first] &&
           c->feature[first + g.count] >> 60 == c->feature[first] >> 60)
        ++g.count;
    return g;
}

// how deep a record is, times its activity: s = gamma s+(support - d)
static tacReal soft_depth(const topKGroup* g, int i) {
    return tac_soft_relu(g->support - g->from->distance[g->first + i], g->tau);
}

static tacSelect select_problem(const topKGroup* g) {
    tacSelect p = tac_default_select(g->count, g->score, g->keep);
    p.width = p.gate = g->width;
    return p;
}

//---------------------------------- memory ---------------------------------------

static void alloc_scores(topKGroup* g, tacArena* arena) {
    g->score = tac_reals_alloc(arena, g->count);
    g->weight = tac_reals_alloc(arena, g->count);
}

// scores along one twist, and weights along each of six
typedef struct topKTwists {
    tacReal *score, *weight[6];
} topKTwists;

static topKTwists alloc_twists(const topKGroup* g, tacArena* arena) {
    topKTwists t = {.score = tac_reals_alloc(arena, g->count)};
    for (int k = 0; k < 6; ++k) t.weight[k] = tac_reals_alloc(arena, g->count);
    return t;
}

// tangents or adjoints of scores and weights
typedef struct topKDiff {
    tacReal *score, *weight;
} topKDiff;

static topKDiff alloc_diff(const topKGroup* g, tacArena* arena) {
    topKDiff d = {.score = tac_reals_alloc(arena, g->count)};
    d.weight = tac_reals_alloc(arena, g->count);
    return d;
}

static void measure_top_k(const tacModel* model, tacArena* arena) {
    topKGroup all = {.count = top_k_capacity(model)};
    size_t begin = arena->used;
    for (int i = 0; i < 2; ++i) tac_contacts_alloc(arena, all.count, 0);
    base_detector(model)->measure(model, arena);
    alloc_scores(&all, arena);
    size_t mark = arena->used;
    alloc_twists(&all, arena);
    arena->used = mark;
    alloc_diff(&all, arena);
    arena->used = begin;
}

//---------------------------------- weights --------------------------------------

static tacResult select_weights(topKGroup* g, tacScratch* scratch) {
    alloc_scores(g, &scratch->arena);
    for (int i = 0; i < g->count; ++i)
        g->score[i] = g->from->activity[g->first + i] * soft_depth(g, i);
    tacSelect p = select_problem(g);
    return tac_select_top_k(&p, g->weight);
}

//---------------------------------- twists ---------------------------------------

// the same derivative by a twist about another point: turns about q seen from p
static void shift_twist_row(const tacReal row[6], const tacReal p[3], const tacReal q[3],
                            tacReal out[6]) {
    for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        out[k] = row[k];
        out[3 + k] = row[3 + k] - (p[b] - q[b]) * row[a] + (p[a] - q[a]) * row[b];
    }
}

static void contact_point(const tacContacts* c, int i, tacReal x[3]) {
    for (int k = 0; k < 3; ++k) x[k] = c->point[k][i];
}

// d_twist of one number of a record about the common point `at`
static void row_about(const tacContacts* c, int number, int i, const tacReal at[3],
                      tacReal out[6]) {
    tacReal row[6], p[3];
    contact_point(c, i, p);
    for (int k = 0; k < 6; ++k) row[k] = c->d_twist[number][k][i];
    shift_twist_row(row, p, at, out);
}

// activity' = W activity' + W' activity, W' by scores that all move
static tacResult select_twists(const topKGroup* g, tacContacts* c, tacScratch* scratch) {
    enum { DISTANCE = 6, ACTIVITY = 7 };
    tacSelect p = select_problem(g);
    topKTwists dot = alloc_twists(g, &scratch->arena);
    tacReal at[3];
    tacResult result = TAC_OK;
    contact_point(c, g->first, at);
    for (int k = 0; k < 6 && result == TAC_OK; ++k) {
        for (int i = 0; i < g->count; ++i) {
            tacReal d[6], a[6], x = g->support - c->distance[g->first + i];
            row_about(c, DISTANCE, g->first + i, at, d);
            row_about(c, ACTIVITY, g->first + i, at, a);
            dot.score[i] = a[k] * soft_depth(g, i) - g->from->activity[g->first + i] *
                                                         tac_soft_greater(x, 0.0, g->tau) * d[k];
        }
        result = tac_select_top_k_jvp(&p, dot.score, 0.0, 0.0, dot.weight[k]);
    }
    for (int i = 0; i < g->count && result == TAC_OK; ++i) {
        tacReal common[6], own[6], q[3];
        for (int k = 0; k < 6; ++k) common[k] = dot.weight[k][i];
        contact_point(c, g->first + i, q);
        shift_twist_row(common, at, q, own);
        for (int k = 0; k < 6; ++k) {
            tacReal* out = &c->d_twist[ACTIVITY][k][g->first + i];
            *out = g->weight[i] * *out + own[k] * g->from->activity[g->first + i];
        }
    }
    return result;
}

//---------------------------------- detection ------------------------------------

static tacResult detect_top_k(const tacModel* model, const tacPose* body, tacContacts* contacts,
                              tacScratch* scratch) {
    tacResult result = base_detector(model)->detect(model, body, contacts, scratch);
    for (int i = 0; i < contacts->count && result == TAC_OK;) {
        size_t mark = scratch->arena.used;
        topKGroup g = group_at(model, contacts, i);
        result = select_weights(&g, scratch);
        if (result == TAC_OK && contacts->d_twist[0][0])
            result = select_twists(&g, contacts, scratch);
        for (int k = 0; k < g.count && result == TAC_OK; ++k)
            contacts->activity[i + k] *= g.weight[k];
        i += g.count;
        scratch->arena.used = mark;
    }
    return result;
}

// the records before they were weighed, from the arena
static tacResult detect_base(const tacModel* model, const tacPose* body, int count,
                             tacContacts* out, tacScratch* scratch) {
    *out = tac_contacts_alloc(&scratch->arena, count, 0);
    tacResult result = base_detector(model)->detect(model, body, out, scratch);
    return result == TAC_OK && out->count != count ? TAC_ERROR_VALUE : result;
}

//---------------------------------- forward --------------------------------------

static tacReal number_dot(const tacModel* model, const tacReal* theta_dot, tacContactNumber n) {
    return theta_dot ? theta_dot[model->contact->number[n]] : (tacReal)0.0;
}

static tacResult group_weights_jvp(const tacModel* model, topKGroup* g, const tacReal* theta_dot,
                                   tacContacts* dot, tacScratch* scratch) {
    topKDiff d = alloc_diff(g, &scratch->arena);
    tacReal tau = number_dot(model, theta_dot, TAC_CONTACT_TAU);
    tacReal support = number_dot(model, theta_dot, TAC_CONTACT_SUPPORT);
    tacReal width = number_dot(model, theta_dot, TAC_CONTACT_TOP_K_WIDTH);
    tacResult result = select_weights(g, scratch);
    if (result != TAC_OK) return result;
    for (int i = 0; i < g->count; ++i) {
        int at = g->first + i;
        tacReal more = tac_soft_relu_jvp(g->support - g->from->distance[at], g->tau,
                                         support - dot->distance[at], tau);
        d.score[i] = dot->activity[at] * soft_depth(g, i) + g->from->activity[at] * more;
    }
    tacSelect p = select_problem(g);
    result = tac_select_top_k_jvp(&p, d.score, width, width, d.weight);
    for (int i = 0; i < g->count && result == TAC_OK; ++i) {
        int at = g->first + i;
        dot->activity[at] = g->weight[i] * dot->activity[at] + d.weight[i] * g->from->activity[at];
    }
    return result;
}

static tacResult top_k_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                           tacContactTangent tangent, tacContacts* dot, tacScratch* scratch) {
    size_t begin = scratch->arena.used;
    tacContacts raw;
    tacResult result = detect_base(model, body, contacts->count, &raw, scratch);
    if (result == TAC_OK)
        result = base_detector(model)->jvp(model, body, &raw, tangent, dot, scratch);
    for (int i = 0; i < raw.count && result == TAC_OK;) {
        size_t mark = scratch->arena.used;
        topKGroup g = group_at(model, &raw, i);
        result = group_weights_jvp(model, &g, tangent.param, dot, scratch);
        i += g.count;
        scratch->arena.used = mark;
    }
    scratch->arena.used = begin;
    return result;
}

//---------------------------------- reverse --------------------------------------

static void copy_contact_bar(const tacContacts* from, tacContacts* to) {
    size_t bytes = sizeof(tacReal) * (size_t)from->count;
    to->count = from->count;
    for (int k = 0; k < 3; ++k) {
        memcpy(to->point[k], from->point[k], bytes);
        memcpy(to->normal[k], from->normal[k], bytes);
    }
    memcpy(to->distance, from->distance, bytes);
    memcpy(to->activity, from->activity, bytes);
}

// bars of weighed records -> of the detector's own
static tacResult group_weights_vjp(const tacModel* model, topKGroup* g, tacContacts* bar,
                                   tacReal* theta_bar, tacScratch* scratch) {
    topKDiff d = alloc_diff(g, &scratch->arena);
    tacReal tau = 0.0, width = 0.0, support = 0.0;
    tacResult result = select_weights(g, scratch);
    if (result != TAC_OK) return result;
    for (int i = 0; i < g->count; ++i) {
        d.score[i] = 0.0;
        d.weight[i] = g->from->activity[g->first + i] * bar->activity[g->first + i];
    }
    tacSelect p = select_problem(g);
    result = tac_select_top_k_vjp(&p, d.weight, (tacSelectBar){d.score, &width, &width});
    for (int i = 0; i < g->count && result == TAC_OK; ++i) {
        int at = g->first + i;
        tacReal x = 0.0, space = d.score[i] * g->from->activity[at];
        tac_soft_relu_vjp(g->support - g->from->distance[at], g->tau, space, &x, &tau);
        bar->activity[at] = g->weight[i] * bar->activity[at] + d.score[i] * soft_depth(g, i);
        bar->distance[at] -= x;
        support += x;
    }
    if (!theta_bar) return result;
    theta_bar[model->contact->number[TAC_CONTACT_TAU]] += tau;
    theta_bar[model->contact->number[TAC_CONTACT_SUPPORT]] += support;
    theta_bar[model->contact->number[TAC_CONTACT_TOP_K_WIDTH]] += width;
    return result;
}

static tacResult top_k_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                           const tacContacts* bar, tacContactAdjoint adjoint, tacScratch* scratch) {
    size_t begin = scratch->arena.used;
    tacContacts raw, own;
    tacResult result = detect_base(model, body, contacts->count, &raw, scratch);
    own = tac_contacts_alloc(&scratch->arena, contacts->count, 0);
    copy_contact_bar(bar, &own);
    for (int i = 0; i < raw.count && result == TAC_OK;) {
        size_t mark = scratch->arena.used;
        topKGroup g = group_at(model, &raw, i);
        result = group_weights_vjp(model, &g, &own, adjoint.param, scratch);
        i += g.count;
        scratch->arena.used = mark;
    }
    if (result == TAC_OK)
        result = base_detector(model)->vjp(model, body, &raw, &own, adjoint, scratch);
    scratch->arena.used = begin;
    return result;
}

const tacDetectorKind tac_top_k_detector = {top_k_capacity, measure_top_k, detect_top_k, top_k_jvp,
                                            top_k_vjp};
