// Framing: the ground under a shape, and a view of all finite items.
//
// Balls around items are loose. A first eye sees all of them; the points that a coarse grid of its
// rays hits are then enclosed by the two wedges of the picture's sides, which gives the second eye.

#include "draw/framing.h"

#include <math.h>

#define SIDE 35   // of the grid of rays
#define FILL 0.76 // share of the picture that the items fill at most

_Static_assert(SIDE* SIDE <= TAC_PACKET, "the grid is one packet");

static void set_ray(tacRays* rays, int i, tacVec3 from, tacVec3 along) {
    tac_vectors_set(&rays->origin, i, from);
    tac_vectors_set(&rays->along, i, tac_normalize(along));
    rays->start[i] = rays->eye_distance[i] = 0.0;
}

// node i of the grid along one axis, -1 .. 1
static double grid_coordinate(int i) { return 2.0 * i / (SIDE - 1) - 1.0; }

//---------------------------------- ground ---------------------------------------

double tac_framing_lowest(const tacStage* stage, tacFramingWorkspace* framing,
                          tacScratch* scratch) {
    const tacStageItem* item = &stage->items[0];
    tacVec3 best = item->ball.center, up = {0.0, 0.0, 1.0};
    double half = item->ball.radius, bottom = best.z - 1.01 * half;
    best.z = INFINITY;
    // each round searches ten times finer around the lowest point so far
    for (int round = 0; round < 4; ++round, half *= 0.1) {
        tacVec3 centre = best;
        framing->rays.count = SIDE * SIDE;
        framing->rays.pixel = 1e-5;
        for (int i = 0; i < framing->rays.count; ++i)
            set_ray(&framing->rays, i,
                    tac_vec3(centre.x + half * grid_coordinate(i % SIDE),
                             centre.y + half * grid_coordinate(i / SIDE), bottom),
                    up);
        tac_trace(stage, &framing->rays, &framing->workspace, scratch);
        for (int i = 0; i < framing->rays.count; ++i) {
            tacVec3 x = tac_ray_point(&framing->rays, i, framing->rays.distance[i]);
            if (framing->rays.item[i] >= 0 && x.z < best.z) best = x;
        }
    }
    return best.z;
}

//---------------------------------- wedges ---------------------------------------

// Two sides of the picture with the angle between them, moved back until they enclose all points:
// +-x c + z s <= right, left in the camera's axes.
typedef struct wedge {
    double c, s, right, left;
} wedge;

// for the sides left and right (0), below and above (1); the picture's half-angles have tangents t
static void open_wedges(double across, double upright, wedge w[2]) {
    double angle[2] = {atan(across), atan(upright)};
    for (int k = 0; k < 2; ++k) w[k] = (wedge){cos(angle[k]), sin(angle[k]), -INFINITY, -INFINITY};
}

static void extend_wedges(const tacStage* stage, const tacCamera* camera, tacVec3 x, double radius,
                          wedge w[2]) {
    tacVec3 p = tac_sub(x, stage->centre);
    double z = tac_dot(p, tac_load3(camera->axes[2]));
    for (int k = 0; k < 2; ++k) {
        double side = tac_dot(p, tac_load3(camera->axes[k]));
        w[k].right = fmax(w[k].right, side * w[k].c + z * w[k].s + radius);
        w[k].left = fmax(w[k].left, -side * w[k].c + z * w[k].s + radius);
    }
}

// the closest eye whose picture contains everything
static void set_eye(const tacStage* stage, const wedge w[2], tacCamera* camera) {
    tacVec3 eye = stage->centre;
    double height = 0.0;
    for (int k = 0; k < 2; ++k) {
        int none = !isfinite(w[k].right);
        double at = none ? 0.0 : 0.5 * (w[k].right - w[k].left) / w[k].c;
        double up = none ? stage->radius / w[k].s : 0.5 * (w[k].right + w[k].left) / w[k].s;
        eye = tac_add_scaled(eye, at, tac_load3(camera->axes[k]));
        height = fmax(height, up);
    }
    tac_store3(camera->position, tac_add_scaled(eye, height, tac_load3(camera->axes[2])));
}

//---------------------------------- camera ---------------------------------------

// encloses the hits of a grid of rays; 0 if there are none
static int extend_wedges_to_hits(const tacStage* stage, const tacCamera* camera,
                                 const double tangent[2], wedge w[2], tacFramingWorkspace* framing,
                                 tacScratch* scratch) {
    tacRays* rays = &framing->rays;
    rays->count = SIDE * SIDE;
    rays->pixel = 1e-3;
    for (int i = 0; i < rays->count; ++i) {
        tacVec3 along = tac_neg(tac_load3(camera->axes[2]));
        along = tac_add_scaled(along, tangent[0] * grid_coordinate(i % SIDE),
                               tac_load3(camera->axes[0]));
        along = tac_add_scaled(along, tangent[1] * grid_coordinate(i / SIDE),
                               tac_load3(camera->axes[1]));
        set_ray(rays, i, tac_load3(camera->position), along);
    }
    tac_trace(stage, rays, &framing->workspace, scratch);
    int hits = 0;
    for (int i = 0; i < rays->count; ++i) {
        if (rays->item[i] < 0 || !isfinite(stage->items[rays->item[i]].ball.radius)) continue;
        extend_wedges(stage, camera, tac_ray_point(rays, i, rays->distance[i]), 0.0, w);
        hits = 1;
    }
    return hits;
}

tacCamera tac_framing_camera(const tacStage* stage, double aspect, tacFramingWorkspace* framing,
                             tacScratch* scratch) {
    tacCamera camera = {.name = "", .fovy = 28.0};
    tacVec3 back = tac_normalize(tac_vec3(0.62, -1.0, 0.46));
    tacVec3 right = tac_normalize(tac_cross(tac_vec3(0.0, 0.0, 1.0), back));
    tac_store3(camera.axes[0], right);
    tac_store3(camera.axes[1], tac_cross(back, right));
    tac_store3(camera.axes[2], back);

    double upright = tan(0.5 * camera.fovy * 3.14159265358979323846 / 180.0);
    double tangent[2] = {upright * aspect, upright};
    wedge w[2];
    open_wedges(tangent[0], tangent[1], w);
    for (int i = 0; i < stage->count; ++i)
        if (isfinite(stage->items[i].ball.radius))
            extend_wedges(stage, &camera, stage->items[i].ball.center, stage->items[i].ball.radius,
                          w);
    set_eye(stage, w, &camera);

    open_wedges(FILL * tangent[0], FILL * tangent[1], w);
    if (extend_wedges_to_hits(stage, &camera, tangent, w, framing, scratch))
        set_eye(stage, w, &camera);
    return camera;
}
