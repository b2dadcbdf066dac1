// The first impact of a scene along the path of a step.
//
//   motion_path.h --poses at both ends, curvature--> swept boxes --pairs that overlap-->
//   time_of_impact.h

#include "detect/convex_contacts.h"

#include "detect/ccd/time_of_impact.h"
#include "detect/convex/simplex_vertex.h"
#include "detect/convex_parts.h"
#include "math/vector_ops.h"

#include <string.h>

typedef struct aabb {
    double low[3], high[3];
} aabb;

typedef struct impactWork {
    tacCurvatureBound* curvature; // (nbody)
    aabb* swept_box;              // (npiece)
    int* chain;                   // (nbody)
    void* gjk_memory;             // tac_gjk_size()
} impactWork;

//---------------------------------- memory ----------------------------------

static impactWork alloc_impact_work(const tacModel* model, tacArena* arena) {
    return (impactWork){.curvature = TAC_ALLOC(arena, tacCurvatureBound, model->nbody),
                        .swept_box = TAC_ALLOC(arena, aabb, model->contact->npart),
                        .chain = TAC_ALLOC(arena, int, model->nbody),
                        .gjk_memory = tac_arena_alloc(arena, tac_gjk_size())};
}

// the larger one of impacts and contacts; a certificate takes less than an impact
size_t tac_ccd_size(const tacModel* model) {
    if (!model || !model->contact || model->contact->detector != TAC_DETECT_GJK) return 0;
    tacArena impact = tac_arena_measure(1), contacts = tac_arena_measure(1);
    alloc_impact_work(model, &impact);
    tac_convex_contacts_measure(model, &contacts);
    return tac_max_size(impact.peak, contacts.peak);
}

//---------------------------------- broad phase ----------------------------------

static aabb part_box(const tacConvex* c) {
    aabb b;
    for (int k = 0; k < 3; ++k) {
        double d[3] = {k == 0, k == 1, k == 2}, back[3] = {-d[0], -d[1], -d[2]}, x[3];
        tac_convex_support(c, d, x);
        b.high[k] = x[k] + c->radius;
        tac_convex_support(c, back, x);
        b.low[k] = x[k] - c->radius;
    }
    return b;
}

// Box around both ends of the path. In between a point leaves its chord by at most curvature
// span^2/8. A half-space does not move; its box is not used.
static aabb swept_box_of(const tacModel* model, const tacMotionPath* path, int part,
                         const impactWork* w) {
    int body = tac_convex_part_body(model, part);
    aabb b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double arm = 0.0;
    for (int end = 0; end < 2; ++end) {
        tacMotionState f =
            tac_motion_path_body(model, path, end * path->span, body, NULL, w->chain);
        tacConvex c = tac_convex_part_at(model, part, f.pose);
        aabb at = part_box(&c);
        arm = tac_distance(tac_load3(c.pos), f.pose.position) + tac_convex_bounding_radius(&c);
        for (int k = 0; k < 3; ++k) {
            b.low[k] = fmin(b.low[k], at.low[k]);
            b.high[k] = fmax(b.high[k], at.high[k]);
        }
    }
    const tacCurvatureBound* curvature = &w->curvature[body];
    double most =
        curvature->origin + (curvature->spin_rate + curvature->spin * curvature->spin) * arm;
    double by = most * path->span * path->span / 8.0;
    for (int k = 0; k < 3; ++k) {
        b.low[k] -= by;
        b.high[k] += by;
    }
    return b;
}

static int is_plane_part(const tacModel* model, int part) {
    return model->contact->part[part].kind == TAC_NODE_PLANE;
}

static int swept_boxes_overlap(const tacModel* model, const impactWork* w, const int part[2],
                               double delta) {
    const aabb *a = &w->swept_box[part[0]], *b = &w->swept_box[part[1]];
    if (is_plane_part(model, part[0]) || is_plane_part(model, part[1])) return 1;
    for (int k = 0; k < 3; ++k) {
        if (a->low[k] > b->high[k] + delta || b->low[k] > a->high[k] + delta) return 0;
    }
    return 1;
}

//---------------------------------- all pairs ----------------------------------

// earlier than all so far, or at the same time
static void keep_earliest(const tacToi* m, int pair, const int part[2], double span,
                          tacFirstImpact* out) {
    out->passes += m->passes;
    if (!m->found) return;
    double near = 1e-12 * span;
    if (out->found && fabs(m->time - out->time) <= near) ++out->ties;
    if (out->found && m->time >= out->time) return;
    if (out->found && m->time < out->time - near) out->ties = 0;
    int ties = out->ties, passes = out->passes;
    *out = (tacFirstImpact){1,    m->time,  pair,    {part[0], part[1]}, m->exact,
                            ties, m->level, m->rate, m->nearest,         passes};
}

static int is_constrained_pair(const tacImpactLevels* levels, const int part[2]) {
    for (int i = 0; i < levels->nconstrained; ++i)
        if (levels->constrained[i][0] == part[0] && levels->constrained[i][1] == part[1]) return 1;
    return 0;
}

static void find_part_impact(tacToiQuery* q, const impactWork* w, int pair, const int part[2],
                             tacFirstImpact* out) {
    double span = q->path->span;
    if (!swept_boxes_overlap(q->model, w, part, q->levels.delta)) return;
    q->part[0] = part[0];
    q->part[1] = part[1];
    q->constrained = is_constrained_pair(&q->levels, part);
    q->until = out->found ? fmin(out->time + 2e-12 * span, span) : span;
    tacToi m = tac_toi(q);
    keep_earliest(&m, pair, part, span, out);
}

tacResult tac_first_impact(const tacModel* model, const tacMotionPath* path, tacImpactLevels levels,
                           tacFirstImpact* out, void* memory) {
    const tacContactPlan* plan = model->contact;
    tacResult result = tac_motion_path_check(model, path);
    if (result != TAC_OK) return result;
    if (!(levels.min_level < levels.delta)) return TAC_ERROR_VALUE;
    tacArena arena = tac_arena_over(memory);
    impactWork w = alloc_impact_work(model, &arena);
    tacToiQuery q = {.model = model,
                     .path = path,
                     .curvature = w.curvature,
                     .levels = levels,
                     .chain = w.chain,
                     .memory = w.gjk_memory};
    *out = (tacFirstImpact){.found = 0, .time = path->span, .pair = -1};
    tac_motion_path_curvature_bounds(model, path, w.curvature);
    for (int i = 0; i < plan->npart; ++i) w.swept_box[i] = swept_box_of(model, path, i, &w);
    for (int p = 0; p < plan->npair; ++p) {
        const int *geom = plan->pair[p].geom, *first = plan->part_first;
        for (int i = first[geom[0]]; i < first[geom[0] + 1]; ++i) {
            for (int j = first[geom[1]]; j < first[geom[1] + 1]; ++j)
                find_part_impact(&q, &w, p, (const int[2]){i, j}, out);
        }
    }
    return TAC_OK;
}

//---------------------------------- one pair ----------------------------------

// number of a pair of geoms either way round, or -1
static int find_geom_pair(const tacContactPlan* plan, int a, int b) {
    for (int i = 0; i < plan->npair; ++i) {
        const int* geom = plan->pair[i].geom;
        if ((geom[0] == a && geom[1] == b) || (geom[0] == b && geom[1] == a)) return i;
    }
    return -1;
}

static void write_time_of_impact(const tacContactPlan* plan, const tacFirstImpact* hit,
                                 tacTimeOfImpact* out) {
    *out = (tacTimeOfImpact){hit->found, hit->time, {-1, -1}, hit->exact, hit->rate, {0}, {{0}}};
    if (!hit->found) return;
    memcpy(out->geom, plan->pair[hit->pair].geom, sizeof out->geom);
    memcpy(out->normal, hit->nearest.normal, sizeof out->normal);
    memcpy(out->point, hit->nearest.point, sizeof out->point);
}

tacResult tac_time_of_impact(const tacModel* model, const tacMotionPath* path, int geom_a,
                             int geom_b, double distance, tacTimeOfImpact* out, void* memory) {
    if (!out || !memory || !(distance > 0.0 && distance < 1e12)) return TAC_ERROR_VALUE;
    tacResult result = tac_motion_path_check(model, path);
    if (result != TAC_OK) return result;
    // a scene whose plan has this pair alone
    tacModel one = *model;
    tacContactPlan plan = *model->contact;
    int pair = find_geom_pair(&plan, geom_a, geom_b), any = geom_a == -1 && geom_b == -1;
    if (pair < 0 && !any) return TAC_ERROR_VALUE;
    if (!any) {
        plan.pair += pair;
        plan.npair = 1;
    }
    one.contact = &plan;
    tacFirstImpact hit;
    tacImpactLevels levels = {.delta = distance, .min_level = distance * (1.0 - 1e-6)};
    result = tac_first_impact(&one, path, levels, &hit, memory);
    if (result == TAC_OK) write_time_of_impact(&plan, &hit, out);
    return result;
}
