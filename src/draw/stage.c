// What a picture shows: items of a model, lights, camera.

#include "draw/stage.h"

#include "draw/trace.h"

#include "math/pose.h"

#include <math.h>
#include <string.h>

//---------------------------------- items ----------------------------------------

static double to_linear(double srgb) {
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

static void set_axes(tacItem* item) {
    tacMat3 R = tac_quat_to_mat(item->pose.rotation);
    for (int i = 0; i < 3; ++i) item->axes[i] = tac_mat_column(R, i);
}

// a shape that is one half-space and nothing else becomes an item without a shape
static tacItem make_item(const tacModel* model, int shape, tacPose pose, const double rgba[4],
                         tacScratch* scratch) {
    tacItem item = {.shape = shape, .pose = pose, .alpha = rgba[3]};
    for (int i = 0; i < 3; ++i) item.rgb[i] = to_linear(rgba[i]);
    const tacNode* root = &model->node[model->shape[shape].first];
    item.radius = tac_shape_radius(model, shape, scratch);
    if (model->shape[shape].count == 1 && root->kind == TAC_NODE_PLANE) {
        tacPose local = {tac_load3(model->param + root->position),
                         tac_quat_load(model->param + root->rotation)};
        item.pose = tac_pose_compose(pose, local);
        item.shape = -1;
    }
    set_axes(&item);
    return item;
}

static tacItem make_ground(tacVec3 point) {
    tacItem item = {.shape = -1, .pose = {point, {1.0, 0.0, 0.0, 0.0}}, .radius = INFINITY};
    item.rgb[0] = item.rgb[1] = item.rgb[2] = 0.32;
    item.alpha = 1.0;
    set_axes(&item);
    return item;
}

//---------------------------------- extent ---------------------------------------

// a ball around the balls of all finite items, and their mean radius
static void measure(tacStage* stage) {
    tacVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    double sum = 0.0;
    int finite = 0;
    for (int i = 0; i < stage->count; ++i) {
        tacVec3 c = stage->items[i].pose.position;
        double r = stage->items[i].radius;
        if (!isfinite(r)) continue;
        low = tac_vec3(fmin(low.x, c.x - r), fmin(low.y, c.y - r), fmin(low.z, c.z - r));
        high = tac_vec3(fmax(high.x, c.x + r), fmax(high.y, c.y + r), fmax(high.z, c.z + r));
        sum += r, ++finite;
    }
    stage->centre = finite ? tac_scale(tac_add(low, high), 0.5) : tac_vec3_zero();
    stage->radius = finite ? 0.0 : 1.0;
    for (int i = 0; i < stage->count; ++i) {
        double r = stage->items[i].radius;
        if (isfinite(r))
            stage->radius = fmax(
                stage->radius, r + tac_distance(stage->items[i].pose.position, stage->centre));
    }
    stage->grain = finite ? sum / finite : 1.0;
}

// 1, 2 or 5 times a power of ten, near a third of the scene
static double nice_length(double length) {
    double decade = pow(10.0, floor(log10(length))), lead = length / decade;
    return decade * (lead < 1.5 ? 1.0 : lead < 3.5 ? 2.0 : lead < 7.5 ? 5.0 : 10.0);
}

// Lowest point of the only item, by rays from below. `rays` and `space` are working memory.
static double lowest(const tacStage* stage, tacRays* rays, tacTraceSpace* space,
                     tacScratch* scratch) {
    const int side = 33;
    const tacItem* item = &stage->items[0];
    tacVec3 best = tac_add(item->pose.position, tac_vec3(0.0, 0.0, INFINITY));
    double half = item->radius, bottom = item->pose.position.z - 1.01 * half;
    for (int round = 0; round < 4; ++round, half *= 0.1) {
        double cx = best.x, cy = best.y;
        rays->count = side * side, rays->pixel = 1e-5;
        for (int i = 0; i < rays->count; ++i) {
            rays->origin[0][i] = cx + half * (2.0 * (i % side) / (side - 1) - 1.0);
            rays->origin[1][i] = cy + half * (2.0 * (i / side) / (side - 1) - 1.0);
            rays->origin[2][i] = bottom;
            rays->along[0][i] = rays->along[1][i] = 0.0, rays->along[2][i] = 1.0;
            rays->start[i] = 0.0;
        }
        tac_trace(stage, rays, space, scratch);
        for (int i = 0; i < rays->count; ++i) {
            tacVec3 x = tac_ray_point(rays, i, rays->distance[i]);
            if (rays->item[i] >= 0 && x.z < best.z) best = x;
        }
    }
    return best.z;
}

//---------------------------------- camera ---------------------------------------

int tac_camera_find(const tacModel* model, const char* name) {
    for (int i = 0; i < model->ncamera; ++i)
        if (strcmp(model->camera[i].name, name) == 0) return i;
    return -1;
}

// Least place of the eye along one axis of the picture, and its height above the picture's plane, so
// that all balls are inside a wedge of half-angle `angle`: both sides touch a ball.
static void fit_wedge(const tacStage* stage, tacVec3 side, tacVec3 back, double angle, double* at,
                      double* height) {
    double c = cos(angle), s = sin(angle), right = -INFINITY, left = -INFINITY;
    for (int i = 0; i < stage->count; ++i) {
        const tacItem* item = &stage->items[i];
        if (!isfinite(item->radius)) continue;
        tacVec3 p = tac_sub(item->pose.position, stage->centre);
        double x = tac_dot(p, side), z = tac_dot(p, back), r = item->radius;
        right = fmax(right, x * c + z * s + r), left = fmax(left, -x * c + z * s + r);
    }
    int none = !isfinite(right);
    *at = none ? 0.0 : 0.5 * (right - left) / c;
    *height = none ? stage->radius / s : 0.5 * (right + left) / s;
}

// a three-quarter view that holds all finite items
static tacCamera frame(const tacStage* stage, double aspect) {
    tacCamera camera = {.name = "", .fovy = 28.0};
    tacVec3 back = tac_normalize(tac_vec3(0.62, -1.0, 0.52));
    tacVec3 right = tac_normalize(tac_cross(tac_vec3(0.0, 0.0, 1.0), back));
    tacVec3 up = tac_cross(back, right);
    double v = 0.5 * camera.fovy * 3.14159265358979323846 / 180.0, h = atan(tan(v) * aspect);
    double x, y, by_width, by_height;
    fit_wedge(stage, right, back, h, &x, &by_width);
    fit_wedge(stage, up, back, v, &y, &by_height);
    tacVec3 eye = tac_add_scaled(stage->centre, 1.04 * fmax(by_width, by_height), back);
    eye = tac_add_scaled(tac_add_scaled(eye, x, right), y, up);
    tac_store3(camera.position, eye);
    tac_store3(camera.axes[0], right);
    tac_store3(camera.axes[1], up);
    tac_store3(camera.axes[2], back);
    return camera;
}

//---------------------------------- order and light ------------------------------

// half-spaces first, then from near to far: the first hit hides most of what follows
static void sort_items(tacStage* stage) {
    tacVec3 eye = tac_load3(stage->camera.position);
    for (int i = 1; i < stage->count; ++i) {
        tacItem item = stage->items[i];
        double key = item.shape < 0 ? -INFINITY
                                    : tac_distance(item.pose.position, eye) - item.radius;
        int k = i;
        for (; k > 0; --k) {
            const tacItem* other = &stage->items[k - 1];
            if (other->shape < 0) break;
            if (item.shape >= 0 && tac_distance(other->pose.position, eye) - other->radius <= key)
                break;
            stage->items[k] = *other;
        }
        stage->items[k] = item;
    }
    stage->planes = 0;
    while (stage->planes < stage->count && stage->items[stage->planes].shape < 0) ++stage->planes;
}

// the scene's lights, or one from the upper left of the default view
static void set_lights(tacStage* stage, int scene_lights) {
    const tacModel* model = stage->model;
    stage->nlight = scene_lights ? model->nlight : 1;
    if (scene_lights) {
        memcpy(stage->lights, model->light, sizeof(tacLight) * (size_t)model->nlight);
        return;
    }
    stage->lights[0] = (tacLight){.diffuse = {0.78, 0.74, 0.68}, .directional = 1};
    tac_store3(stage->lights[0].direction, tac_normalize(tac_vec3(0.75, 0.28, -1.0)));
}

//---------------------------------- stage ----------------------------------------

// one shape on its own, and a ground that it stands on
static tacResult place_shape(tacStage* stage, int shape, tacScratch* scratch) {
    static const double clay[4] = {0.86, 0.55, 0.31, 1.0};
    stage->items[0] = make_item(stage->model, shape, tac_pose_identity(), clay, scratch);
    stage->count = 1;
    if (!isfinite(stage->items[0].radius)) return TAC_OK;
    tacAllocator a = stage->allocator;
    struct {
        tacRays rays;
        tacTraceSpace space;
    }* work = a.allocate(a.user, sizeof *work);
    if (!work) return TAC_ERROR_MEMORY;
    measure(stage);
    double z = lowest(stage, &work->rays, &work->space, scratch);
    a.release(a.user, work);
    if (isfinite(z)) stage->items[stage->count++] = make_ground(tac_vec3(0.0, 0.0, z));
    return TAC_OK;
}

static void place_geoms(tacStage* stage, tacScratch* scratch) {
    const tacModel* model = stage->model;
    for (int i = 0; i < model->ngeom; ++i) {
        const tacGeom* geom = &model->geom[i];
        if (geom->rgba[3] <= 0.0) continue;
        stage->items[stage->count++] =
            make_item(model, geom->shape, tac_geom_pose(model, i), geom->rgba, scratch);
    }
}

tacResult tac_stage_create(const tacModel* model, int camera, int shape, double aspect,
                           tacScratch* scratch, tacStage* out) {
    tacAllocator a = model->allocator;
    tacStage stage = {.model = model, .allocator = a};
    stage.items = a.allocate(a.user, sizeof(tacItem) * (size_t)(model->ngeom + 2));
    stage.lights = a.allocate(a.user, sizeof(tacLight) * (size_t)(model->nlight + 1));
    tacResult result = stage.items && stage.lights ? TAC_OK : TAC_ERROR_MEMORY;
    if (result == TAC_OK && shape >= 0)
        result = place_shape(&stage, shape, scratch);
    else if (result == TAC_OK)
        place_geoms(&stage, scratch);
    if (result != TAC_OK) {
        tac_stage_destroy(&stage);
        return result;
    }
    measure(&stage);
    stage.cell = nice_length(0.3 * stage.radius);
    if (camera < 0 && shape < 0 && model->ncamera > 0) camera = 0;
    stage.camera = camera >= 0 ? model->camera[camera] : frame(&stage, aspect);
    sort_items(&stage);
    set_lights(&stage, shape < 0 && model->nlight > 0);
    *out = stage;
    return TAC_OK;
}

void tac_stage_destroy(tacStage* stage) {
    tacAllocator a = stage->allocator;
    if (stage->items) a.release(a.user, stage->items);
    if (stage->lights) a.release(a.user, stage->lights);
    stage->items = NULL, stage->lights = NULL;
}
