// Points of clouds on the plot of a slice, with their normals.
//
// A point is drawn if it lies within 1 % of the span of the plane. Where many fall into one cell,
// only the first is drawn: a million points are drawn as quickly and clearly as a few.

#include "draw/extent.h"
#include "draw/slice/slice_marks.h"

#include "math/pose.h"

#include <math.h>
#include <string.h>

#define CELL    5 // pixels of a cell, at least
#define COLUMNS 512
#define ROWS    512

// cells of the plot that are occupied
typedef struct cloudPlot {
    const tacSliceView* view;
    double cell; // [pixels]
    unsigned char used[ROWS][COLUMNS];
} cloudPlot;

static double vec_component(tacVec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static int claim_cell(cloudPlot* plot, const double at[2]) {
    const tacSliceFrame* f = &plot->view->plane->frame;
    double column = floor((at[0] - f->left) / plot->cell);
    double row = floor((at[1] - f->top) / plot->cell);
    if (!(column >= 0.0 && row >= 0.0 && column < COLUMNS && row < ROWS)) return 0;
    unsigned char* pos = &plot->used[(int)row][(int)column];
    if (*pos) return 0;
    return *pos = 1;
}

static void draw_point(cloudPlot* plot, tacVec3 x, tacVec3 n) {
    const tacSlicePlane* plane = plot->view->plane;
    const tacSliceFrame* f = &plane->frame;
    double at[2], off = vec_component(x, plane->through) - f->offset;
    if (fabs(off) > 0.01 * f->width * f->pixel) return;
    tac_slice_plane_pixel(plane, x, &at[0], &at[1]);
    const double along[2] = {vec_component(n, plane->across), vec_component(n, plane->up)};
    if (claim_cell(plot, at)) tac_slice_arrow(plot->view, at, along);
}

static void draw_cloud(cloudPlot* plot, const tacNode* node, tacPose pose) {
    const tacModel* model = plot->view->plane->model;
    size_t count = (size_t)model->cloud[node->cloud].count;
    const double* p = model->param + node->block;
    for (size_t i = 0; i < count; ++i) {
        tacVec3 x = {p[i], p[i + count], p[i + 2 * count]};
        tacVec3 n = {p[i + 3 * count], p[i + 4 * count], p[i + 5 * count]};
        draw_point(plot, tac_pose_apply(pose, x), tac_pose_rotate(pose, n));
    }
}

static void draw_item(cloudPlot* plot, const tacSlicePlaneItem* item) {
    const tacModel* model = plot->view->plane->model;
    const tacShape* shape = &model->shape[item->shape];
    for (int i = shape->first; i < shape->first + shape->count; ++i)
        if (model->node[i].kind == TAC_NODE_CLOUD)
            draw_cloud(plot, &model->node[i],
                       tac_pose_compose(item->pose, tac_draw_node_pose(model, i)));
}

tacResult tac_slice_clouds(const tacSliceView* view) {
    const tacSlicePlane* plane = view->plane;
    tacAllocator a = plane->model->allocator;
    if (plane->model->ncloud == 0) return TAC_OK;
    cloudPlot* plot = a.allocate(a.user, sizeof *plot);
    if (!plot) return TAC_ERROR_MEMORY;
    memset(plot, 0, sizeof *plot);
    plot->view = view;
    plot->cell =
        fmax(CELL, fmax((double)plane->frame.width / COLUMNS, (double)plane->frame.height / ROWS));
    for (int i = 0; i < plane->count; ++i) draw_item(plot, &plane->items[i]);
    a.release(a.user, plot);
    return TAC_OK;
}
