// Shadows and ambient occlusion.
//
//   surfels --tac_occlude_shadows--> light: visible share of the light's disc
//           --tac_occlude_ambient--> ambient: openness of the neighbourhood
//
// A light is a disc seen under a small angle. Along the ray to its centre, value/(width t) is
// the distance of the item from the centre in radii of the disc, seen from the surfel: its least
// value q decides, 1 and more is light, -1 and less is dark (docs/render.md eq. 5, 6). The least
// value is found by marching, then by bisection of its derivative, so that penumbras have no bands.

#include "draw/occlude.h"

#include "math/pose.h"

#include <math.h>

#define SHADOW_STEPS  40
#define REFINE_STEPS  5
#define AMBIENT_STEPS 5

// share of a disc on one side of an edge at -1 .. 1 of its radius, smooth
static double visible_fraction(double q) {
    q = fmax(-1.0, fmin(1.0, q));
    return 0.25 * (1.0 + q) * (1.0 + q) * (2.0 - q);
}

static void darken_surfel(tacSurfels* surfels, int i, double alpha, double q) {
    surfels->light[i] = fmin(surfels->light[i], 1.0 - alpha * (1.0 - visible_fraction(q)));
}

void tac_surfels_measure(tacSurfels* surfels) {
    tacVec3 sum = tac_vec3_zero();
    for (int i = 0; i < surfels->count; ++i) sum = tac_add(sum, tac_vectors_get(&surfels->x, i));
    surfels->centre = tac_scale(sum, 1.0 / (surfels->count > 0 ? surfels->count : 1));
    surfels->extent = 0.0;
    for (int i = 0; i < surfels->count; ++i)
        surfels->extent =
            fmax(surfels->extent, tac_distance(tac_vectors_get(&surfels->x, i), surfels->centre));
}

//---------------------------------- half-spaces ----------------------------------

// the ratio is monotone, so its least value is at the far end
static void plane_shadow(const tacStageItem* plane, tacSurfels* surfels) {
    for (int i = 0; i < surfels->count; ++i) {
        tacVec3 arm = tac_sub(tac_vectors_get(&surfels->x, i), plane->pose.position);
        double rise = tac_dot(plane->axes[2], tac_vectors_get(&surfels->to_light, i));
        double height = tac_dot(plane->axes[2], arm), light_distance = surfels->light_distance[i];
        if (height <= 0.0) continue; // below the face: inside of the solid
        darken_surfel(surfels, i, plane->alpha,
                      (rise + (isfinite(light_distance) ? height / light_distance : 0.0)) /
                          TAC_LIGHT_WIDTH_TAN);
    }
}

//---------------------------------- search ---------------------------------------

static int may_shadow(const tacStageItem* item, const tacSurfels* surfels) {
    if (!isfinite(item->ball.radius) || surfels->count == 0 || isfinite(surfels->light_distance[0]))
        return 1;
    // parallel light: all rays lie in a cylinder around the one from the centre, widened by the
    // cone
    tacVec3 to = tac_sub(item->ball.center, surfels->centre);
    tacVec3 along = tac_vectors_get(&surfels->to_light, 0);
    double cutoff = item->ball.radius + surfels->extent, depth = tac_dot(to, along);
    if (depth < -cutoff) return 0;
    cutoff += TAC_LIGHT_WIDTH_TAN * (tac_norm(to) + cutoff);
    return tac_norm2(tac_add_scaled(to, -depth, along)) <= cutoff * cutoff;
}

// surfels whose cone to the light intersects the ball of an item
static int begin_shadow_rays(const tacStage* stage, const tacStageItem* item,
                             const tacSurfels* surfels, tacShadowRay* out) {
    int count = 0;
    for (int i = 0; i < surfels->count; ++i) {
        if (surfels->light[i] <= 0.0) continue;
        tacVec3 x = tac_vectors_get(&surfels->x, i), along = tac_vectors_get(&surfels->to_light, i);
        double near = 1e-3 * stage->mean_radius, enter = near;
        double leave = fmin(surfels->light_distance[i], 4.0 * stage->radius);
        if (isfinite(item->ball.radius)) {
            double away = tac_distance(x, item->ball.center) + item->ball.radius;
            double ball = item->ball.radius + TAC_LIGHT_WIDTH_TAN * away;
            if (!tac_ray_ball_interval(x, along, item->ball.center, ball, &enter, &leave)) continue;
            enter = fmax(enter, near);
            leave = fmin(leave, surfels->light_distance[i]);
        }
        if (!(enter < leave)) continue;
        out[count++] = (tacShadowRay){i, 0, enter, enter, leave, INFINITY, enter, enter, enter};
    }
    return count;
}

static tacPoints shadow_points(const tacSurfels* surfels, const tacShadowRay* s, int count,
                               tacOccludeWorkspace* workspace) {
    for (int i = 0; i < count; ++i) {
        tacVec3 x = tac_vectors_get(&surfels->x, s[i].surfel),
                to = tac_vectors_get(&surfels->to_light, s[i].surfel);
        tac_vectors_set(&workspace->x, i, tac_add_scaled(x, s[i].t, to));
    }
    return tac_vectors_points(&workspace->x, count);
}

// one evaluation of the field; 0 when the search is over
static int step_shadow_ray(tacShadowRay* s, double value) {
    double q = value / (TAC_LIGHT_WIDTH_TAN * s->t), last = s->right;
    if (q < s->best) {
        s->best = q;
        s->left = last;
        s->at = s->t;
        s->right = s->t;
    } else if (s->right == s->at)
        s->right = s->t;
    if (s->best <= -1.0 || s->t >= s->to || ++s->steps >= SHADOW_STEPS) return 0;
    // a field with slope at most 1.2 cannot get close again
    if (value > 1.2 * (s->to - s->t) + 3.0 * TAC_LIGHT_WIDTH_TAN * s->to) return 0;
    double length = s->to - s->from;
    double step = fmax(length / 36.0, fmin(0.8 * value, length / 7.0));
    s->t = fmin(s->t + step, s->to);
    return 1;
}

// bisection of q' between the neighbours of the least value; q' has the sign of value' t - value
static void refine_shadows(const tacStage* stage, const tacStageItem* item, tacSurfels* surfels,
                           int count, tacOccludeWorkspace* workspace, tacScratch* scratch) {
    for (int turn = 0; turn < REFINE_STEPS; ++turn) {
        for (int i = 0; i < count; ++i) {
            tacShadowRay* s = &workspace->found[i];
            s->t = turn == 0 ? s->at : 0.5 * (s->left + s->right);
        }
        tac_shape_eval(stage->model, item->shape, item->pose,
                       shadow_points(surfels, workspace->found, count, workspace),
                       tac_vectors_field(workspace->value, &workspace->gradient), scratch);
        for (int i = 0; i < count; ++i) {
            tacShadowRay* s = &workspace->found[i];
            double value = workspace->value[i];
            double slope = tac_dot(tac_vectors_get(&workspace->gradient, i),
                                   tac_vectors_get(&surfels->to_light, s->surfel));
            s->best = fmin(s->best, value / (TAC_LIGHT_WIDTH_TAN * s->t));
            if (slope * s->t > value)
                s->right = s->t;
            else
                s->left = s->t;
        }
    }
}

//---------------------------------- meshes ---------------------------------------

// Points of the light's disc, in radii, of equal shares. Where the first four agree, the others are
// not looked at: the edge of a shadow is wider than the gaps between them.
static const double light_points[][2] = {
    {0.728, 0.529},  {-0.9, 0},        {0.278, -0.856}, {0, 0},          {0.66, 0},  {0.206, 0.628},
    {-0.534, 0.388}, {-0.534, -0.388}, {0.206, -0.628}, {-0.278, 0.856}, {0.9, -0.2}};
enum { LIGHT_POINTS = sizeof light_points / sizeof *light_points, FIRST_POINTS = 4 };

// share of the disc that triangles hide from a surfel
static double hidden_share(const tacStageItem* item, tacVec3 x, tacVec3 to_light, double start,
                           double end) {
    tacVec3 side = fabs(to_light.x) < 0.6 ? tac_vec3(1.0, 0.0, 0.0) : tac_vec3(0.0, 1.0, 0.0);
    tacVec3 u = tac_normalize(tac_cross(to_light, side)), v = tac_cross(to_light, u);
    tacVec3 from = tac_pose_apply_inverse(item->pose, x);
    int hidden = 0;
    for (int k = 0; k < LIGHT_POINTS; ++k) {
        if (k == FIRST_POINTS && (hidden == 0 || hidden == k)) return hidden > 0;
        tacVec3 along = tac_add_scaled(to_light, TAC_LIGHT_WIDTH_TAN * light_points[k][0], u);
        along = tac_normalize(tac_add_scaled(along, TAC_LIGHT_WIDTH_TAN * light_points[k][1], v));
        tacMeshRay ray = {from, tac_pose_rotate_inverse(item->pose, along), start, end};
        hidden += tac_draw_mesh_blocks(item->mesh, ray);
    }
    return (double)hidden / LIGHT_POINTS;
}

static void mesh_shadow(const tacStage* stage, const tacStageItem* item, tacSurfels* surfels,
                        tacOccludeWorkspace* workspace) {
    if (!may_shadow(item, surfels)) return;
    int count = begin_shadow_rays(stage, item, surfels, workspace->shadow_rays);
    for (int i = 0; i < count; ++i) {
        const tacShadowRay* s = &workspace->shadow_rays[i];
        double hidden = hidden_share(item, tac_vectors_get(&surfels->x, s->surfel),
                                     tac_vectors_get(&surfels->to_light, s->surfel),
                                     1e-3 * stage->mean_radius, s->to);
        surfels->light[s->surfel] = fmin(surfels->light[s->surfel], 1.0 - item->alpha * hidden);
    }
}

//---------------------------------- all items ------------------------------------

static void item_shadow(const tacStage* stage, const tacStageItem* item, tacSurfels* surfels,
                        tacOccludeWorkspace* workspace, tacScratch* scratch) {
    if (!may_shadow(item, surfels)) return;
    int count = begin_shadow_rays(stage, item, surfels, workspace->shadow_rays), found = 0;
    tacField field = {workspace->value, {NULL}, {NULL}};
    while (count > 0) {
        tac_shape_eval(stage->model, item->shape, item->pose,
                       shadow_points(surfels, workspace->shadow_rays, count, workspace), field,
                       scratch);
        int running = 0;
        for (int i = 0; i < count; ++i) {
            tacShadowRay s = workspace->shadow_rays[i];
            if (step_shadow_ray(&s, workspace->value[i]))
                workspace->shadow_rays[running++] = s;
            else if (s.best > -1.0 && s.best < 3.0)
                workspace->found[found++] = s;
            else
                darken_surfel(surfels, s.surfel, item->alpha, s.best);
        }
        count = running;
    }
    refine_shadows(stage, item, surfels, found, workspace, scratch);
    for (int i = 0; i < found; ++i)
        darken_surfel(surfels, workspace->found[i].surfel, item->alpha, workspace->found[i].best);
}

void tac_occlude_shadows(const tacStage* stage, tacSurfels* surfels, tacOccludeWorkspace* workspace,
                         tacScratch* scratch) {
    for (int i = 0; i < surfels->count; ++i) {
        tacVec3 n = tac_vectors_get(&surfels->normal, i),
                to = tac_vectors_get(&surfels->to_light, i);
        surfels->light[i] = tac_dot(n, to) > 0.0 ? 1.0 : 0.0;
    }
    for (int i = 0; i < stage->planes; ++i) plane_shadow(&stage->items[i], surfels);
    for (int i = stage->planes; i < stage->count; ++i) {
        if (stage->items[i].kind == TAC_STAGE_MESH)
            mesh_shadow(stage, &stage->items[i], surfels, workspace);
        else
            item_shadow(stage, &stage->items[i], surfels, workspace, scratch);
    }
}

//---------------------------------- ambient --------------------------------------

// Lowers workspace->min_value to the field of an item at a height above each surfel, where that is
// below `height`.
static void min_field(const tacStage* stage, const tacStageItem* item, const tacSurfels* surfels,
                      double height, tacOccludeWorkspace* workspace, tacScratch* scratch) {
    double* min_value = workspace->min_value;
    int count = 0;
    double cutoff = item->ball.radius + 2.0 * height + surfels->extent;
    if (tac_distance(item->ball.center, surfels->centre) > cutoff) return;
    for (int i = 0; i < surfels->count; ++i) {
        tacVec3 x = tac_add_scaled(tac_vectors_get(&surfels->x, i), height,
                                   tac_vectors_get(&surfels->normal, i));
        tacVec3 arm = tac_sub(x, item->ball.center);
        if (item->kind == TAC_STAGE_PLANE) {
            min_value[i] = fmin(min_value[i], tac_dot(arm, item->axes[2]));
            continue;
        }
        double away = item->ball.radius + height;
        if (tac_norm2(arm) > away * away) continue;
        if (item->kind == TAC_STAGE_MESH) {
            tacVec3 local = tac_pose_apply_inverse(item->pose, x);
            min_value[i] = tac_draw_mesh_distance(item->mesh, local, min_value[i]);
            continue;
        }
        tac_vectors_set(&workspace->x, count, x);
        workspace->index[count++] = i;
    }
    if (count == 0) return;
    tac_shape_eval(stage->model, item->shape, item->pose, tac_vectors_points(&workspace->x, count),
                   (tacField){workspace->value, {NULL}, {NULL}}, scratch);
    for (int i = 0; i < count; ++i)
        min_value[workspace->index[i]] = fmin(min_value[workspace->index[i]], workspace->value[i]);
}

void tac_occlude_ambient(const tacStage* stage, tacSurfels* surfels, tacOccludeWorkspace* workspace,
                         tacScratch* scratch) {
    double weight = 0.5;
    for (int i = 0; i < surfels->count; ++i) surfels->ambient[i] = 1.0;
    for (int k = 1; k <= AMBIENT_STEPS; ++k, weight *= 0.72) {
        double height = 1.1 * stage->mean_radius * k * k / (AMBIENT_STEPS * AMBIENT_STEPS);
        for (int i = 0; i < surfels->count; ++i) workspace->min_value[i] = height;
        for (int item = 0; item < stage->count; ++item)
            min_field(stage, &stage->items[item], surfels, height, workspace, scratch);
        for (int i = 0; i < surfels->count; ++i)
            surfels->ambient[i] -=
                weight * 0.5 * (1.0 - fmax(workspace->min_value[i], 0.0) / height);
    }
    for (int i = 0; i < surfels->count; ++i) surfels->ambient[i] = fmax(surfels->ambient[i], 0.05);
}
