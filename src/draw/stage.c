// The scene of a picture: items of a model, lights, camera.

#include "draw/stage.h"

#include "draw/extent.h"
#include "draw/framing.h"
#include "draw/nice.h"

#include "math/pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- items ----------------------------------------

static double to_linear(double srgb) {
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

static void set_axes(tacStageItem* item) {
    tacMat3 R = tac_quat_to_mat(item->pose.rotation);
    for (int i = 0; i < 3; ++i) item->axes[i] = tac_mat_column(R, i);
}

// a shape that is one half-space and nothing else is intersected in closed form
static tacStageItem make_item(const tacModel* model, int shape, tacPose pose, const double rgba[4],
                              tacScratch* scratch) {
    tacStageItem item = {.kind = TAC_STAGE_FIELD, .shape = shape, .pose = pose, .alpha = rgba[3]};
    for (int i = 0; i < 3; ++i) item.rgb[i] = to_linear(rgba[i]);
    const tacNode* root = &model->node[model->shape[shape].first];
    item.ball = tac_draw_ball(model, shape, pose, scratch);
    if (model->shape[shape].count == 1 && root->kind == TAC_NODE_PLANE) {
        tacPose local = {tac_load3(model->param + root->position),
                         tac_quat_load(model->param + root->rotation)};
        item.pose = tac_pose_compose(pose, local);
        item.ball.center = item.pose.position;
        item.kind = TAC_STAGE_PLANE;
    }
    set_axes(&item);
    return item;
}

static tacStageItem make_mesh_item(const tacDrawMesh* mesh, tacPose pose, const double rgba[4]) {
    tacStageItem item = {.kind = TAC_STAGE_MESH, .mesh = mesh, .pose = pose, .alpha = rgba[3]};
    for (int i = 0; i < 3; ++i) item.rgb[i] = to_linear(rgba[i]);
    item.ball = tac_draw_mesh_ball(mesh);
    item.ball.center = tac_pose_apply(pose, item.ball.center);
    set_axes(&item);
    return item;
}

static tacStageItem make_ground(tacVec3 point) {
    tacStageItem item = {
        .kind = TAC_STAGE_PLANE, .pose = {point, {1.0, 0.0, 0.0, 0.0}}, .ball = {point, INFINITY}};
    item.rgb[0] = item.rgb[1] = item.rgb[2] = 0.42;
    item.alpha = 1.0;
    set_axes(&item);
    return item;
}

//---------------------------------- extent ---------------------------------------

// a ball around the balls of all finite items, and their mean radius
static void measure_extent(tacStage* stage) {
    tacVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    double sum = 0.0;
    int finite = 0;
    for (int i = 0; i < stage->count; ++i) {
        tacVec3 c = stage->items[i].ball.center;
        double r = stage->items[i].ball.radius;
        if (!isfinite(r)) continue;
        low = tac_vec3(fmin(low.x, c.x - r), fmin(low.y, c.y - r), fmin(low.z, c.z - r));
        high = tac_vec3(fmax(high.x, c.x + r), fmax(high.y, c.y + r), fmax(high.z, c.z + r));
        sum += r;
        ++finite;
    }
    stage->centre = finite ? tac_scale(tac_add(low, high), 0.5) : tac_vec3_zero();
    stage->radius = finite ? 0.0 : 1.0;
    for (int i = 0; i < stage->count; ++i) {
        double r = stage->items[i].ball.radius;
        if (isfinite(r))
            stage->radius =
                fmax(stage->radius, r + tac_distance(stage->items[i].ball.center, stage->centre));
    }
    stage->mean_radius = finite ? sum / finite : 1.0;
}

//---------------------------------- order and light ------------------------------

static int by_order(const void* a, const void* b) {
    const tacStageItem *one = a, *two = b;
    if (one->order != two->order) return one->order < two->order ? -1 : 1;
    return one->number < two->number ? -1 : one->number > two->number;
}

// half-spaces first, then from near to far: the first hit hides most of what follows
static void sort_items(tacStage* stage, tacVec3 eye) {
    stage->planes = 0;
    for (int i = 0; i < stage->count; ++i) {
        tacStageItem* item = &stage->items[i];
        item->order = item->kind == TAC_STAGE_PLANE ? -INFINITY
                      : isfinite(item->ball.radius)
                          ? tac_distance(item->ball.center, eye) - item->ball.radius
                          : INFINITY;
        stage->planes += item->kind == TAC_STAGE_PLANE;
    }
    qsort(stage->items, (size_t)stage->count, sizeof(tacStageItem), by_order);
}

// the scene's lights, or one from the upper left of the default view
static void set_lights(tacStage* stage, int scene_lights) {
    const tacModel* model = stage->model;
    stage->nlight = scene_lights ? model->nlight : 1;
    if (scene_lights) {
        memcpy(stage->lights, model->light, sizeof(tacLight) * (size_t)model->nlight);
        return;
    }
    stage->lights[0] = (tacLight){.diffuse = {0.78, 0.74, 0.68}, .directional = 1, .castshadow = 1};
    tac_store3(stage->lights[0].direction, tac_normalize(tac_vec3(0.75, 0.28, -1.0)));
}

//---------------------------------- stage ----------------------------------------

// one shape on its own, and a ground that it stands on
static void add_shape(tacStage* stage, int shape, tacFramingWorkspace* framing,
                      tacScratch* scratch) {
    static const double clay[4] = {0.90, 0.56, 0.28, 1.0};
    stage->items[0] = make_item(stage->model, shape, tac_pose_identity(), clay, scratch);
    stage->count = 1;
    if (!isfinite(stage->items[0].ball.radius)) return;
    measure_extent(stage);
    double z = tac_framing_lowest(stage, framing, scratch);
    if (isfinite(z)) stage->items[stage->count++] = make_ground(tac_vec3(0.0, 0.0, z));
}

static void add_geoms(tacStage* stage, tacScratch* scratch) {
    const tacModel* model = stage->model;
    for (int i = 0; i < model->ngeom; ++i) {
        const tacGeom* geom = &model->geom[i];
        int is_mesh = geom->triangles >= 0 && geom->triangles < model->ntriangles;
        if (geom->rgba[3] <= 0.0 || (geom->shape < 0 && !is_mesh)) continue;
        tacPose pose = tac_geom_pose(model, i);
        tacStageItem item = is_mesh
                                ? make_mesh_item(stage->meshes[geom->triangles], pose, geom->rgba)
                                : make_item(model, geom->shape, pose, geom->rgba, scratch);
        item.number = i;
        stage->items[stage->count++] = item;
    }
}

static void set_stage(tacStage* stage, int camera, int shape, double aspect,
                      tacFramingWorkspace* framing, tacScratch* scratch) {
    const tacModel* model = stage->model;
    if (shape >= 0)
        add_shape(stage, shape, framing, scratch);
    else
        add_geoms(stage, scratch);
    measure_extent(stage);
    sort_items(stage, stage->centre);
    stage->cell = tac_nice_length(0.2 * stage->radius);
    if (camera < 0 && shape < 0 && model->ncamera > 0) camera = 0;
    stage->camera =
        camera >= 0 ? model->camera[camera] : tac_framing_camera(stage, aspect, framing, scratch);
    sort_items(stage, tac_load3(stage->camera.position));
    set_lights(stage, shape < 0 && model->nlight > 0);
}

static int create_meshes(tacStage* stage) {
    const tacModel* model = stage->model;
    for (int i = 0; stage->meshes && i < model->ntriangles; ++i) stage->meshes[i] = NULL;
    int whole = stage->meshes != NULL;
    for (int i = 0; i < model->ntriangles && whole; ++i) {
        stage->meshes[i] = tac_draw_mesh_create(&model->triangles[i], stage->allocator);
        whole = stage->meshes[i] != NULL;
    }
    return whole;
}

tacResult tac_stage_create(const tacModel* model, int camera, int shape, double aspect,
                           tacScratch* scratch, tacStage* out) {
    tacAllocator a = model->allocator;
    tacStage stage = {.model = model, .allocator = a};
    tacFramingWorkspace* framing = a.allocate(a.user, sizeof *framing);
    stage.items = a.allocate(a.user, sizeof(tacStageItem) * (size_t)(model->ngeom + 2));
    stage.lights = a.allocate(a.user, sizeof(tacLight) * (size_t)(model->nlight + 1));
    stage.meshes = a.allocate(a.user, sizeof *stage.meshes * (size_t)(model->ntriangles + 1));
    int whole = create_meshes(&stage) && framing && stage.items && stage.lights;
    if (whole) {
        set_stage(&stage, camera, shape, aspect, framing, scratch);
        *out = stage;
    } else {
        tac_stage_destroy(&stage);
    }
    a.release(a.user, framing);
    return whole ? TAC_OK : TAC_ERROR_MEMORY;
}

void tac_stage_destroy(tacStage* stage) {
    tacAllocator a = stage->allocator;
    for (int i = 0; stage->meshes && i < stage->model->ntriangles; ++i)
        tac_draw_mesh_destroy(stage->meshes[i]);
    a.release(a.user, stage->meshes);
    a.release(a.user, stage->items);
    a.release(a.user, stage->lights);
    stage->items = NULL;
    stage->lights = NULL;
    stage->meshes = NULL;
}
