// The field of a shape or a scene on a plane, and the visible part of the plane.
//
// The ball around a shape is loose: a coarse grid over it finds the part of the plane that the
// solid covers, and the plot shows that part with a margin.

#include "draw/slice/slice_plane.h"

#include "draw/extent.h"
#include "draw/nice.h"

#include <math.h>

#define GRID            128 // nodes of the coarse grid per side
#define MARGIN          1.5 // the plot is wider than the solid by this
#define HALF_SPACE_SPAN 2.0 // shown part of half-spaces [m]

//---------------------------------- field ----------------------------------------

void tac_slice_plane_point(const tacSlicePlane* plane, double px, double py,
                           tacSliceWorkspace* workspace, int i) {
    const tacSliceFrame* f = &plane->frame;
    workspace->x[plane->across][i] = f->centre[0] + (px - f->left - 0.5 * f->width) * f->pixel;
    workspace->x[plane->up][i] = f->centre[1] - (py - f->top - 0.5 * f->height) * f->pixel;
    workspace->x[plane->through][i] = f->offset;
}

void tac_slice_plane_pixel(const tacSlicePlane* plane, tacVec3 x, double* px, double* py) {
    const tacSliceFrame* f = &plane->frame;
    const double at[3] = {x.x, x.y, x.z};
    *px = (at[plane->across] - f->centre[0]) / f->pixel + f->left + 0.5 * f->width;
    *py = (f->centre[1] - at[plane->up]) / f->pixel + f->top + 0.5 * f->height;
}

static tacField field_columns(double* value, double (*gradient)[TAC_SLICE_CHUNK],
                              double (*hessian)[TAC_SLICE_CHUNK], int with_hessian) {
    tacField field = {.value = value};
    for (int k = 0; k < 3; ++k) field.gradient[k] = gradient[k];
    for (int k = 0; k < 6 && with_hessian; ++k) field.hessian[k] = hessian[k];
    return field;
}

// where the item is closer than those before it
static void keep_smaller(int count, int hessian, tacSliceWorkspace* workspace) {
    for (int i = 0; i < count; ++i) {
        if (!(workspace->other[0][i] < workspace->value[i])) continue;
        workspace->value[i] = workspace->other[0][i];
        for (int k = 0; k < 3; ++k) workspace->gradient[k][i] = workspace->other[1 + k][i];
        for (int k = 0; k < 6 && hessian; ++k)
            workspace->hessian[k][i] = workspace->other[4 + k][i];
    }
}

tacResult tac_slice_plane_eval(const tacSlicePlane* plane, int count, int hessian,
                               tacSliceWorkspace* workspace, tacScratch* scratch) {
    tacPoints points = {count, {workspace->x[0], workspace->x[1], workspace->x[2]}};
    for (int k = 0; k < plane->count; ++k) {
        const tacSlicePlaneItem* item = &plane->items[k];
        tacField out = k == 0 ? field_columns(workspace->value, workspace->gradient,
                                              workspace->hessian, hessian)
                              : field_columns(workspace->other[0], workspace->other + 1,
                                              workspace->other + 4, hessian);
        tacResult result =
            tac_shape_eval(plane->model, item->shape, item->pose, points, out, scratch);
        if (result != TAC_OK) return result;
        if (k > 0) keep_smaller(count, hessian, workspace);
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

static void extend_box(planeBox* box, double u, double v, double radius) {
    const double at[2] = {u, v};
    for (int k = 0; k < 2; ++k) {
        box->low[k] = fmin(box->low[k], at[k] - radius);
        box->high[k] = fmax(box->high[k], at[k] + radius);
    }
}

// balls of the finite items; all of them, or those that intersect the plane
static planeBox box_of_balls(const tacSlicePlane* plane, int all) {
    planeBox box = empty_box();
    for (int k = 0; k < plane->count; ++k) {
        const tacSlicePlaneItem* item = &plane->items[k];
        const tacVec3 p = item->ball.center;
        const double c[3] = {p.x, p.y, p.z};
        double off = fabs(c[plane->through] - plane->frame.offset);
        if (isfinite(item->ball.radius) && (all || off < item->ball.radius))
            extend_box(&box, c[plane->across], c[plane->up], item->ball.radius);
    }
    return box;
}

// the part of a rectangle that the finite items cover, found on a coarse grid
static tacResult box_of_solids(const tacSlicePlane* plane, const planeBox* around,
                               tacSliceWorkspace* workspace, tacScratch* scratch, planeBox* box) {
    double cell[2];
    for (int k = 0; k < 2; ++k) cell[k] = (around->high[k] - around->low[k]) / GRID;
    double near = 0.5 * fmax(cell[0], cell[1]);
    *box = empty_box();
    for (int item = 0; item < plane->count; ++item) {
        if (!isfinite(plane->items[item].ball.radius)) continue;
        tacSlicePlane one = *plane;
        one.items = plane->items + item;
        one.count = 1;
        for (int row = 0; row < GRID; ++row) {
            for (int i = 0; i < GRID; ++i) {
                workspace->x[plane->across][i] = around->low[0] + (i + 0.5) * cell[0];
                workspace->x[plane->up][i] = around->low[1] + (row + 0.5) * cell[1];
                workspace->x[plane->through][i] = plane->frame.offset;
            }
            tacResult result = tac_slice_plane_eval(&one, GRID, 0, workspace, scratch);
            if (result != TAC_OK) return result;
            for (int i = 0; i < GRID; ++i)
                if (workspace->value[i] < near)
                    extend_box(box, workspace->x[plane->across][i], workspace->x[plane->up][i],
                               0.0);
        }
    }
    return TAC_OK;
}

static tacResult frame_solids(tacSlicePlane* plane, const tacSliceOptions* o,
                              tacSliceWorkspace* workspace, tacScratch* scratch) {
    tacSliceFrame* f = &plane->frame;
    planeBox balls = box_of_balls(plane, 0), box = empty_box();
    if (!is_empty(&balls)) {
        tacResult result = box_of_solids(plane, &balls, workspace, scratch, &box);
        if (result != TAC_OK) return result;
    }
    if (is_empty(&box)) box = box_of_balls(plane, 1);
    if (is_empty(&box)) extend_box(&box, 0.0, 0.0, 0.5 * HALF_SPACE_SPAN / MARGIN);
    double wide = box.high[0] - box.low[0], high = box.high[1] - box.low[1];
    for (int k = 0; k < 2; ++k)
        f->centre[k] = o->centred ? o->centre[k] : 0.5 * (box.low[k] + box.high[k]);
    f->pixel =
        o->span > 0.0 ? o->span / f->width : MARGIN * fmax(wide / f->width, high / f->height);
    int shorter = f->width < f->height ? f->width : f->height;
    f->step = tac_nice_length(0.05 * shorter * f->pixel);
    return TAC_OK;
}

// margins for scales around the plot, if the picture is large enough for words
static void layout_plot(tacSliceFrame* f, int width, int height) {
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

static void set_items(tacSlicePlane* plane, int shape, tacScratch* scratch) {
    const tacModel* model = plane->model;
    plane->count = 0;
    for (int k = 0; k < (shape >= 0 ? 1 : model->ngeom); ++k) {
        if (shape < 0 && model->geom[k].shape < 0) continue; // a mesh for pictures
        tacSlicePlaneItem* item = &plane->items[plane->count++];
        item->shape = shape >= 0 ? shape : model->geom[k].shape;
        item->pose = shape >= 0 ? tac_pose_identity() : tac_geom_pose(model, k);
        item->ball = tac_draw_ball(model, item->shape, item->pose, scratch);
    }
}

tacResult tac_slice_plane_create(const tacModel* model, const tacSliceOptions* options, int width,
                                 int height, tacScratch* scratch, tacSlicePlane* out) {
    tacAllocator a = model->allocator;
    static const int axes[3][2] = {{1, 2}, {0, 2}, {0, 1}}; // seen from +x, -y and +z
    tacSlicePlane plane = {.model = model, .through = options->axis};
    plane.across = axes[options->axis][0];
    plane.up = axes[options->axis][1];
    plane.frame.offset = options->offset;
    layout_plot(&plane.frame, width, height);
    tacSliceWorkspace* workspace = a.allocate(a.user, sizeof *workspace);
    plane.items = a.allocate(a.user, sizeof(tacSlicePlaneItem) * (size_t)(model->ngeom + 1));
    tacResult result = workspace && plane.items ? TAC_OK : TAC_ERROR_MEMORY;
    if (result == TAC_OK) {
        set_items(&plane, options->shape, scratch);
        result = frame_solids(&plane, options, workspace, scratch);
    }
    a.release(a.user, workspace);
    if (result == TAC_OK)
        *out = plane;
    else
        tac_slice_plane_destroy(&plane);
    return result;
}

void tac_slice_plane_destroy(tacSlicePlane* plane) {
    tacAllocator a = plane->model->allocator;
    a.release(a.user, plane->items);
    plane->items = NULL;
}
