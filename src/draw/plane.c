// The field of a shape or a scene on a plane, and what part of the plane to show.
//
// The ball around a shape is loose: a coarse grid over it finds the part of the plane that the
// solid covers, and the plot holds that part with air around it.

#include "draw/plane.h"

#include "draw/extent.h"
#include "draw/nice.h"

#include <math.h>

#define GRID  128 // places of the coarse grid per side
#define AIR   1.5 // the plot is wider than the solid by this
#define ALONE 2.0 // what is shown of half-spaces [m]

//---------------------------------- field ----------------------------------------

void tac_plane_point(const tacPlane* plane, double px, double py, tacPlaneSpace* space, int i) {
    const tacSliceFrame* f = &plane->frame;
    space->x[plane->across][i] = f->centre[0] + (px - f->left - 0.5 * f->width) * f->pixel;
    space->x[plane->up][i] = f->centre[1] - (py - f->top - 0.5 * f->height) * f->pixel;
    space->x[plane->through][i] = f->offset;
}

void tac_plane_pixel(const tacPlane* plane, tacVec3 x, double* px, double* py) {
    const tacSliceFrame* f = &plane->frame;
    const double at[3] = {x.x, x.y, x.z};
    *px = (at[plane->across] - f->centre[0]) / f->pixel + f->left + 0.5 * f->width;
    *py = (f->centre[1] - at[plane->up]) / f->pixel + f->top + 0.5 * f->height;
}

static tacField columns(double* value, double (*gradient)[TAC_PLANE_CHUNK],
                        double (*hessian)[TAC_PLANE_CHUNK], int with_hessian) {
    tacField field = {.value = value};
    for (int k = 0; k < 3; ++k) field.gradient[k] = gradient[k];
    for (int k = 0; k < 6 && with_hessian; ++k) field.hessian[k] = hessian[k];
    return field;
}

// where the item is nearer than what was found before it
static void keep_smaller(int count, int hessian, tacPlaneSpace* space) {
    for (int i = 0; i < count; ++i) {
        if (!(space->other[0][i] < space->value[i])) continue;
        space->value[i] = space->other[0][i];
        for (int k = 0; k < 3; ++k) space->gradient[k][i] = space->other[1 + k][i];
        for (int k = 0; k < 6 && hessian; ++k) space->hessian[k][i] = space->other[4 + k][i];
    }
}

tacResult tac_plane_eval(const tacPlane* plane, int count, int hessian, tacPlaneSpace* space,
                         tacScratch* scratch) {
    tacPoints points = {count, {space->x[0], space->x[1], space->x[2]}};
    for (int k = 0; k < plane->count; ++k) {
        const tacPlaneItem* item = &plane->items[k];
        tacField out = k == 0
                           ? columns(space->value, space->gradient, space->hessian, hessian)
                           : columns(space->other[0], space->other + 1, space->other + 4, hessian);
        tacResult result =
            tac_shape_eval(plane->model, item->shape, item->pose, points, out, scratch);
        if (result != TAC_OK) return result;
        if (k > 0) keep_smaller(count, hessian, space);
    }
    return TAC_OK;
}

//---------------------------------- framing --------------------------------------

// a rectangle of the plane
typedef struct planeBox {
    double low[2], high[2];
} planeBox;

static planeBox empty_box(void) { return (planeBox){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}}; }

static int is_empty(const planeBox* box) { return !(box->low[0] <= box->high[0]); }

static void hold(planeBox* box, double u, double v, double radius) {
    const double at[2] = {u, v};
    for (int k = 0; k < 2; ++k) {
        box->low[k] = fmin(box->low[k], at[k] - radius);
        box->high[k] = fmax(box->high[k], at[k] + radius);
    }
}

// balls of the finite items; all of them, or those that meet the plane
static planeBox hold_balls(const tacPlane* plane, int all) {
    planeBox box = empty_box();
    for (int k = 0; k < plane->count; ++k) {
        const tacPlaneItem* item = &plane->items[k];
        const tacVec3 p = item->ball.center;
        const double c[3] = {p.x, p.y, p.z};
        double off = fabs(c[plane->through] - plane->frame.offset);
        if (isfinite(item->ball.radius) && (all || off < item->ball.radius))
            hold(&box, c[plane->across], c[plane->up], item->ball.radius);
    }
    return box;
}

// what the finite items cover of a rectangle, found on a coarse grid
static tacResult hold_solids(const tacPlane* plane, const planeBox* around, tacPlaneSpace* space,
                             tacScratch* scratch, planeBox* box) {
    double cell[2];
    for (int k = 0; k < 2; ++k) cell[k] = (around->high[k] - around->low[k]) / GRID;
    double near = 0.5 * fmax(cell[0], cell[1]);
    *box = empty_box();
    for (int item = 0; item < plane->count; ++item) {
        if (!isfinite(plane->items[item].ball.radius)) continue;
        tacPlane one = *plane;
        one.items = plane->items + item;
        one.count = 1;
        for (int row = 0; row < GRID; ++row) {
            for (int i = 0; i < GRID; ++i) {
                space->x[plane->across][i] = around->low[0] + (i + 0.5) * cell[0];
                space->x[plane->up][i] = around->low[1] + (row + 0.5) * cell[1];
                space->x[plane->through][i] = plane->frame.offset;
            }
            tacResult result = tac_plane_eval(&one, GRID, 0, space, scratch);
            if (result != TAC_OK) return result;
            for (int i = 0; i < GRID; ++i)
                if (space->value[i] < near)
                    hold(box, space->x[plane->across][i], space->x[plane->up][i], 0.0);
        }
    }
    return TAC_OK;
}

static tacResult frame_solids(tacPlane* plane, const tacSliceOptions* o, tacPlaneSpace* space,
                              tacScratch* scratch) {
    tacSliceFrame* f = &plane->frame;
    planeBox balls = hold_balls(plane, 0), box = empty_box();
    if (!is_empty(&balls)) {
        tacResult result = hold_solids(plane, &balls, space, scratch, &box);
        if (result != TAC_OK) return result;
    }
    if (is_empty(&box)) box = hold_balls(plane, 1);
    if (is_empty(&box)) hold(&box, 0.0, 0.0, 0.5 * ALONE / AIR);
    double wide = box.high[0] - box.low[0], high = box.high[1] - box.low[1];
    for (int k = 0; k < 2; ++k)
        f->centre[k] = o->centred ? o->centre[k] : 0.5 * (box.low[k] + box.high[k]);
    f->pixel = o->span > 0.0 ? o->span / f->width : AIR * fmax(wide / f->width, high / f->height);
    int shorter = f->width < f->height ? f->width : f->height;
    f->step = tac_nice_length(0.05 * shorter * f->pixel);
    return TAC_OK;
}

// room for scales around the plot, if the picture is large enough for words
static void place_plot(tacSliceFrame* f, int width, int height) {
    double unit = fmax(1.2, fmin(6.0, (width < height ? width : height) / 350.0));
    *f = (tacSliceFrame){.width = width, .height = height, .offset = f->offset};
    if (width < 260 || height < 200) return;
    f->unit = unit;
    f->left = (int)(34.0 * unit);
    f->top = (int)(18.0 * unit);
    f->width = width - f->left - (int)(56.0 * unit);
    f->height = height - f->top - (int)(28.0 * unit);
}

//---------------------------------- plane ----------------------------------------

static void set_items(tacPlane* plane, int shape, tacScratch* scratch) {
    const tacModel* model = plane->model;
    plane->count = 0;
    for (int k = 0; k < (shape >= 0 ? 1 : model->ngeom); ++k) {
        if (shape < 0 && model->geom[k].shape < 0) continue; // a mesh for pictures
        tacPlaneItem* item = &plane->items[plane->count++];
        item->shape = shape >= 0 ? shape : model->geom[k].shape;
        item->pose = shape >= 0 ? tac_pose_identity() : tac_geom_pose(model, k);
        item->ball = tac_draw_ball(model, item->shape, item->pose, scratch);
    }
}

tacResult tac_plane_create(const tacModel* model, const tacSliceOptions* options, int width,
                           int height, tacScratch* scratch, tacPlane* out) {
    tacAllocator a = model->allocator;
    static const int axes[3][2] = {{1, 2}, {0, 2}, {0, 1}}; // seen from +x, -y and +z
    tacPlane plane = {.model = model, .through = options->axis};
    plane.across = axes[options->axis][0];
    plane.up = axes[options->axis][1];
    plane.frame.offset = options->offset;
    place_plot(&plane.frame, width, height);
    tacPlaneSpace* space = a.allocate(a.user, sizeof *space);
    plane.items = a.allocate(a.user, sizeof(tacPlaneItem) * (size_t)(model->ngeom + 1));
    tacResult result = space && plane.items ? TAC_OK : TAC_ERROR_MEMORY;
    if (result == TAC_OK) {
        set_items(&plane, options->shape, scratch);
        result = frame_solids(&plane, options, space, scratch);
    }
    a.release(a.user, space);
    if (result == TAC_OK)
        *out = plane;
    else
        tac_plane_destroy(&plane);
    return result;
}

void tac_plane_destroy(tacPlane* plane) {
    tacAllocator a = plane->model->allocator;
    a.release(a.user, plane->items);
    plane->items = NULL;
}
