// Arrows and dots on the plot of a slice: normals of the surface, points with gradients.

#include "draw/slice/slice_marks.h"

#include <math.h>

//---------------------------------- arrows ---------------------------------------

// ink that stays inside the plot
static tacInk plot_ink(const tacSliceView* view) {
    const tacSliceFrame* f = &view->plane->frame;
    tacInk ink = tac_ink(view->image);
    ink.left = f->left;
    ink.right = f->left + f->width;
    ink.top = f->top;
    ink.bottom = f->top + f->height;
    return ink;
}

// size of marks: the font's unit, or 1 where there are no words
static double mark_unit(const tacSliceView* view) { return fmax(1.0, view->plane->frame.unit); }

// from (x, y) along (dx, dy), with a light rim
static void draw_arrow(const tacSliceView* view, tacInk ink, const double from[2],
                       const double along[2]) {
    double u = mark_unit(view), length = hypot(along[0], along[1]);
    if (!(length > 2.0 * u)) return;
    double x = from[0] + along[0], y = from[1] + along[1], head = fmin(4.0 * u, 0.5 * length);
    double a = head * along[0] / length, b = head * along[1] / length;
    const tacSegment strokes[3] = {{from[0], from[1], x, y},
                                   {x, y, x - a - 0.55 * b, y - b + 0.55 * a},
                                   {x, y, x - a + 0.55 * b, y - b - 0.55 * a}};
    tacInk rim = ink;
    tac_ink_colour(&rim, 255, 255, 255);
    rim.alpha = 0.55;
    tac_ink_strokes(&rim, strokes, 3, 0.8 * u + 2.0);
    tac_ink_strokes(&ink, strokes, 3, fmax(1.2, 0.8 * u));
}

static void draw_dot(const tacSliceView* view, const tacInk* ink, const double at[2], double size) {
    double u = mark_unit(view);
    const tacSegment dot = {at[0], at[1], at[0], at[1]};
    tacInk rim = *ink;
    tac_ink_colour(&rim, 255, 255, 255);
    tac_ink_strokes(&rim, &dot, 1, (size + 1.4) * u);
    tac_ink_strokes(ink, &dot, 1, size * u);
}

void tac_slice_arrow(const tacSliceView* view, const double at[2], const double along[2]) {
    double length = 11.0 * mark_unit(view);
    tacInk ink = plot_ink(view);
    tac_ink_colour(&ink, 30, 30, 44);
    draw_arrow(view, ink, at, (const double[2]){length * along[0], -length * along[1]});
    draw_dot(view, &ink, at, 2.6);
}

//---------------------------------- normals --------------------------------------

#define MAX_NORMALS 4096
#define CELLS       48 // columns and rows of places to start from

typedef struct normalWalk {
    const tacSliceView* view;
    tacSliceWorkspace* workspace;
    tacScratch* scratch;
    double spacing; // between normals                                     [pixels]
    int count;
    double at[MAX_NORMALS][2]; // [pixels]
} normalWalk;

// Newton steps in the plane from a point to the surface; the result is point 0 of the workspace
static int newton_to_surface(normalWalk* walk, double pos[2]) {
    const tacSlicePlane* plane = walk->view->plane;
    for (int iteration = 0; iteration < 12; ++iteration) {
        tac_slice_plane_point(plane, pos[0], pos[1], walk->workspace, 0);
        if (tac_slice_plane_eval(plane, 1, 0, walk->workspace, walk->scratch) != TAC_OK) return 0;
        double gx = walk->workspace->gradient[plane->across][0];
        double gy = walk->workspace->gradient[plane->up][0];
        double scale = -walk->workspace->value[0] / (plane->frame.pixel * (gx * gx + gy * gy));
        double step = fabs(scale) * hypot(gx, gy);
        if (step < 0.01) return 1;
        if (!(step < 4.0 * walk->spacing)) return 0;
        pos[0] += scale * gx;
        pos[1] -= scale * gy;
    }
    return 0;
}

static int is_free(const normalWalk* walk, const double pos[2]) {
    for (int i = 0; i < walk->count; ++i)
        if (hypot(pos[0] - walk->at[i][0], pos[1] - walk->at[i][1]) < 0.8 * walk->spacing) return 0;
    return walk->count < MAX_NORMALS;
}

static int in_plot(const normalWalk* walk, const double pos[2]) {
    const tacSliceFrame* f = &walk->view->plane->frame;
    return pos[0] >= f->left && pos[0] < f->left + f->width && pos[1] >= f->top &&
           pos[1] < f->top + f->height;
}

// draws the normal at point 0, which is on the surface
static void add_normal(normalWalk* walk, const double pos[2]) {
    const tacSlicePlane* plane = walk->view->plane;
    tacSliceWorkspace* workspace = walk->workspace;
    tacVec3 n = tac_shape_normal(
        (tacVec3){workspace->gradient[0][0], workspace->gradient[1][0], workspace->gradient[2][0]});
    const double component[3] = {n.x, n.y, n.z};
    double length = 13.0 * mark_unit(walk->view);
    const double along[2] = {length * component[plane->across], -length * component[plane->up]};
    tacInk ink = plot_ink(walk->view);
    tac_ink_colour(&ink, 20, 110, 70);
    draw_arrow(walk->view, ink, pos, along);
    walk->at[walk->count][0] = pos[0];
    walk->at[walk->count][1] = pos[1];
    ++walk->count;
}

// along the surface from a point on it, to the right (1) or left (-1) of the normal
static void follow_surface(normalWalk* walk, const double start[2], int side) {
    const tacSlicePlane* plane = walk->view->plane;
    double pos[2] = {start[0], start[1]};
    while (newton_to_surface(walk, pos) && in_plot(walk, pos)) {
        if (is_free(walk, pos))
            add_normal(walk, pos);
        else if (pos[0] != start[0] || pos[1] != start[1])
            return;
        double gx = walk->workspace->gradient[plane->across][0];
        double gy = walk->workspace->gradient[plane->up][0], g = hypot(gx, gy);
        if (!(g > 0.0)) return;
        pos[0] += side * walk->spacing * gy / g;
        pos[1] += side * walk->spacing * gx / g;
    }
}

// cells of a row that the surface may pass through become starts
static tacResult start_row(normalWalk* walk, int row) {
    const tacSlicePlane* plane = walk->view->plane;
    const tacSliceFrame* f = &plane->frame;
    double value[CELLS], pos[CELLS][2];
    double wide = (double)f->width / CELLS, high = (double)f->height / CELLS;
    for (int i = 0; i < CELLS; ++i) {
        pos[i][0] = f->left + (i + 0.5) * wide;
        pos[i][1] = f->top + (row + 0.5) * high;
        tac_slice_plane_point(plane, pos[i][0], pos[i][1], walk->workspace, i);
    }
    tacResult result = tac_slice_plane_eval(plane, CELLS, 0, walk->workspace, walk->scratch);
    for (int i = 0; i < CELLS && result == TAC_OK; ++i) {
        double slope = hypot(walk->workspace->gradient[plane->across][i],
                             walk->workspace->gradient[plane->up][i]);
        value[i] = fabs(walk->workspace->value[i]) / (f->pixel * fmax(slope, 1e-12));
    }
    for (int i = 0; i < CELLS && result == TAC_OK; ++i) {
        if (value[i] > wide + high || !newton_to_surface(walk, pos[i]) || !is_free(walk, pos[i]))
            continue;
        follow_surface(walk, pos[i], 1);
        follow_surface(walk, pos[i], -1);
    }
    return result;
}

tacResult tac_slice_normals(const tacSliceView* view, tacSliceWorkspace* workspace,
                            tacScratch* scratch) {
    tacAllocator a = view->plane->model->allocator;
    normalWalk* walk = a.allocate(a.user, sizeof *walk);
    if (!walk) return TAC_ERROR_MEMORY;
    walk->view = view;
    walk->workspace = workspace;
    walk->scratch = scratch;
    walk->spacing = 14.0 * mark_unit(view);
    walk->count = 0;
    tacResult result = TAC_OK;
    for (int row = 0; row < CELLS && result == TAC_OK; ++row) result = start_row(walk, row);
    a.release(a.user, walk);
    return result;
}

//---------------------------------- points ---------------------------------------

static void draw_point(const tacSliceView* view, const tacSliceWorkspace* workspace, int i) {
    const tacSlicePlane* plane = view->plane;
    const tacSliceFrame* f = &plane->frame;
    double u = mark_unit(view), pos[2], length = 13.0 * u;
    tac_slice_plane_pixel(plane,
                          (tacVec3){workspace->x[0][i], workspace->x[1][i], workspace->x[2][i]},
                          &pos[0], &pos[1]);
    const double g[2] = {workspace->gradient[plane->across][i], workspace->gradient[plane->up][i]};
    length *= fmin(1.0, 4.0 / fmax(1e-12, hypot(g[0], g[1])));
    tacInk ink = plot_ink(view), rim = ink;
    tac_ink_colour(&ink, 120, 20, 110);
    tac_ink_colour(&rim, 255, 255, 255);
    draw_arrow(view, ink, pos, (const double[2]){length * g[0], -length * g[1]});
    const tacSegment dot = {pos[0], pos[1], pos[0], pos[1]};
    int off = fabs(workspace->x[plane->through][i] - f->offset) > 0.005 * f->width * f->pixel;
    draw_dot(view, &ink, pos, 4.0);
    if (off) tac_ink_strokes(&rim, &dot, 1, 2.2 * u);
}

tacResult tac_slice_points(const tacSliceView* view, tacSliceWorkspace* workspace,
                           tacScratch* scratch) {
    const tacSliceOptions* o = view->options;
    tacResult result = TAC_OK;
    for (int first = 0; first < o->point_count && result == TAC_OK; first += TAC_SLICE_CHUNK) {
        int left = o->point_count - first, count = left < TAC_SLICE_CHUNK ? left : TAC_SLICE_CHUNK;
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < count; ++i) workspace->x[k][i] = o->points[k][first + i];
        result = tac_slice_plane_eval(view->plane, count, 0, workspace, scratch);
        for (int i = 0; i < count && result == TAC_OK; ++i) draw_point(view, workspace, i);
    }
    return result;
}
