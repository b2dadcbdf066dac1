// A picture of a field on a plane.
//
//   coarse grid --> range of the colours --> tiles on all cores --> marks (slice_arrows.c,
//   slice_scales.c)
//
// A line where phi = level is |phi - level|/|gradient in the plane| away, to first order: that
// distance, in pixels, antialiases lines. A tile is a job that does not depend on its
// neighbours, so the bits do not depend on threads.

#include "draw/slice/slice.h"

#include "draw/draw.h"
#include "draw/slice/slice_marks.h"

#include "base/pool.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define TILE_WIDTH  64
#define TILE_HEIGHT 16
#define GRID_WIDTH  128 // of the grid that finds the range of the colours
#define GRID_HEIGHT 96

_Static_assert(TILE_WIDTH* TILE_HEIGHT <= TAC_SLICE_CHUNK, "a tile is one chunk");
_Static_assert(GRID_WIDTH <= TAC_SLICE_CHUNK, "a row of the grid is one chunk");

typedef struct sliceWork {
    tacSliceView view;
    tacScratch** scratch; // one per worker
    tacSliceWorkspace** workspace;
    int columns, rows; // of tiles
    atomic_int result; // of a tile that failed
    atomic_int done;   // tiles
} sliceWork;

tacSliceOptions tac_default_slice_options(void) {
    return (tacSliceOptions){.shape = -1, .axis = 2};
}

//---------------------------------- colours --------------------------------------

#define STOPS  5
#define SHADES 80 // of a side: the eye does not see the steps, and files are smaller

static const double blue[STOPS][3] = {
    {216, 232, 242}, {150, 197, 224}, {80, 152, 200}, {38, 102, 168}, {14, 54, 106}};
static const double warm[STOPS][3] = {
    {254, 246, 231}, {253, 225, 180}, {250, 190, 130}, {235, 140, 92}, {196, 84, 62}};
static const double white[3] = {250, 250, 248};

void tac_slice_colour(const tacSliceScale* scale, double number, double rgb[3]) {
    double off = number - scale->middle, most = off < 0.0 ? scale->low : scale->high;
    double share = most > 0.0 ? fmin(1.0, fabs(off) / most) : 1.0;
    double t = round(SHADES * share) / SHADES * (STOPS - 1);
    int i = t < STOPS - 1 ? (int)t : STOPS - 2;
    const double(*stops)[3] = off < 0.0 ? blue : warm;
    const double* from = scale->neutral && i == 0 ? white : stops[i];
    for (int c = 0; c < 3; ++c) rgb[c] = from[c] + (t - i) * (stops[i + 1][c] - from[c]);
}

// what the colours show, at point i
static double plotted_value(tacSliceField field, const tacSliceWorkspace* workspace, int i) {
    if (field == TAC_SLICE_VALUE) return workspace->value[i];
    if (field == TAC_SLICE_LAPLACIAN)
        return workspace->hessian[0][i] + workspace->hessian[1][i] + workspace->hessian[2][i];
    double g[3] = {workspace->gradient[0][i], workspace->gradient[1][i], workspace->gradient[2][i]};
    return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

static int by_number(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

// range of one side of the center, without the outermost share of its numbers
static double side_range(const double* farthest, int count, int stride, double share,
                         double middle) {
    return count > 0 ? fabs(farthest[stride * (int)(share * count)] - middle) : 0.0;
}

// The colours cover all values, and most gradients and Laplacians, which may be very large at
// centres and in blends. A metric field has |gradient| = 1: that is the center.
static tacSliceScale find_scale(const tacSliceView* view, double* sorted, int count) {
    static const double shares[3] = {0.0, 0.01, 0.05};
    tacSliceField field = view->options->field;
    const tacSliceFrame* f = &view->plane->frame;
    double least[3] = {0.0, 0.1, 0.1 / (f->width * f->pixel)};
    tacSliceScale scale = {.middle = field == TAC_SLICE_GRADIENT ? 1.0 : 0.0};
    scale.neutral = field != TAC_SLICE_VALUE;
    int below = 0;
    qsort(sorted, (size_t)count, sizeof *sorted, by_number);
    while (below < count && sorted[below] < scale.middle) ++below;
    scale.low = fmax(least[field], side_range(sorted, below, 1, shares[field], scale.middle));
    scale.high = fmax(least[field], side_range(sorted + count - 1, count - below, -1, shares[field],
                                               scale.middle));
    return scale;
}

static tacResult set_scale(tacSliceView* view, tacSliceWorkspace* workspace, tacScratch* scratch) {
    const tacSliceFrame* f = &view->plane->frame;
    tacAllocator a = view->plane->model->allocator;
    double* all = a.allocate(a.user, sizeof(double) * GRID_WIDTH * GRID_HEIGHT);
    tacResult result = all ? TAC_OK : TAC_ERROR_MEMORY;
    for (int row = 0; row < GRID_HEIGHT && result == TAC_OK; ++row) {
        for (int i = 0; i < GRID_WIDTH; ++i)
            tac_slice_plane_point(view->plane, f->left + (i + 0.5) * f->width / GRID_WIDTH,
                                  f->top + (row + 0.5) * f->height / GRID_HEIGHT, workspace, i);
        result = tac_slice_plane_eval(view->plane, GRID_WIDTH, 1, workspace, scratch);
        for (int i = 0; i < GRID_WIDTH && result == TAC_OK; ++i)
            all[row * GRID_WIDTH + i] = plotted_value(view->options->field, workspace, i);
    }
    if (result == TAC_OK) view->scale = find_scale(view, all, GRID_WIDTH * GRID_HEIGHT);
    a.release(a.user, all);
    return result;
}

//---------------------------------- lines ----------------------------------------

static double clamp_unit(double x) { return fmax(0.0, fmin(1.0, x)); }

static void blend_ink(double rgb[3], const double ink[3], double share) {
    for (int c = 0; c < 3; ++c) rgb[c] += share * (ink[c] - rgb[c]);
}

// `slope` is the field's in the plane; thin lines fade where they would lie closer than a few
// pixels, and all lines where the field is flat: a plane that lies in a face shows its rim
static void draw_lines(const tacSliceFrame* f, double value, double slope, double rgb[3]) {
    static const double thin_ink[3] = {40, 40, 60}, surface_ink[3] = {18, 18, 28};
    double thin = fmax(1.0, 0.55 * f->unit), thick = fmax(2.0, 1.4 * f->unit);
    double per_pixel = fmax(1e-12, slope) * f->pixel;
    double number = round(value / f->step), level = number * f->step;
    if (number != 0.0) {
        double away = fabs(value - level) / per_pixel;
        double share = clamp_unit(0.5 + 0.5 * thin - away) *
                       clamp_unit((f->step / per_pixel - 3.0) / 4.0) *
                       clamp_unit(8.0 * slope - 0.5);
        blend_ink(rgb, thin_ink, share * (fmod(number, 5.0) == 0.0 ? 0.55 : 0.25));
    }
    blend_ink(rgb, surface_ink,
              clamp_unit(0.5 + 0.5 * thick - fabs(value) / per_pixel) *
                  clamp_unit(100.0 * slope - 0.5));
}

static void colour_point(const tacSliceView* view, const tacSliceWorkspace* workspace, int i,
                         unsigned char* out) {
    const tacSlicePlane* plane = view->plane;
    double rgb[3];
    tac_slice_colour(&view->scale, plotted_value(view->options->field, workspace, i), rgb);
    double slope = hypot(workspace->gradient[plane->across][i], workspace->gradient[plane->up][i]);
    draw_lines(&plane->frame, workspace->value[i], slope, rgb);
    for (int c = 0; c < 3; ++c) out[c] = (unsigned char)(rgb[c] + 0.5);
}

//---------------------------------- tiles ----------------------------------------

static void draw_tile(void* context, int job, int worker) {
    sliceWork* work = context;
    const tacSliceView* view = &work->view;
    const tacSliceFrame* f = &view->plane->frame;
    tacSliceWorkspace* workspace = work->workspace[worker];
    int x0 = job % work->columns * TILE_WIDTH, y0 = job / work->columns * TILE_HEIGHT;
    int width = f->width - x0 < TILE_WIDTH ? f->width - x0 : TILE_WIDTH;
    int height = f->height - y0 < TILE_HEIGHT ? f->height - y0 : TILE_HEIGHT;
    x0 += f->left;
    y0 += f->top;
    for (int i = 0; i < width * height; ++i)
        tac_slice_plane_point(view->plane, x0 + i % width + 0.5, y0 + i / width + 0.5, workspace,
                              i);
    tacResult result = tac_slice_plane_eval(view->plane, width * height,
                                            view->options->field == TAC_SLICE_LAPLACIAN, workspace,
                                            work->scratch[worker]);
    if (result != TAC_OK) {
        atomic_store(&work->result, (int)result);
        return;
    }
    for (int i = 0; i < width * height; ++i) {
        size_t at = (size_t)(y0 + i / width) * (size_t)view->image->width;
        colour_point(view, workspace, i, view->image->rgb + 3 * (at + (size_t)(x0 + i % width)));
    }
    int done = atomic_fetch_add(&work->done, 1) + 1;
    if (worker == 0 && view->options->progress)
        view->options->progress(view->options->user, (double)done / (work->columns * work->rows));
}

static void release_workers(sliceWork* work, int workers, tacAllocator a) {
    for (int i = 0; i < workers && work->scratch && work->workspace; ++i) {
        tac_scratch_destroy(work->scratch[i]);
        a.release(a.user, work->workspace[i]);
    }
    a.release(a.user, work->scratch);
    a.release(a.user, work->workspace);
}

static tacResult make_workers(sliceWork* work, const tacModel* model, int workers) {
    tacAllocator a = model->allocator;
    work->scratch = a.allocate(a.user, sizeof(tacScratch*) * (size_t)workers);
    work->workspace = a.allocate(a.user, sizeof(tacSliceWorkspace*) * (size_t)workers);
    if (!work->scratch || !work->workspace) return TAC_ERROR_MEMORY;
    for (int i = 0; i < workers; ++i) {
        work->scratch[i] = NULL;
        work->workspace[i] = NULL;
    }
    for (int i = 0; i < workers; ++i) {
        if (tac_scratch_create(model, &work->scratch[i]) != TAC_OK) return TAC_ERROR_MEMORY;
        if (!(work->workspace[i] = a.allocate(a.user, sizeof(tacSliceWorkspace))))
            return TAC_ERROR_MEMORY;
    }
    return TAC_OK;
}

//---------------------------------- picture --------------------------------------

static tacResult draw_plot(sliceWork* work, tacPool* pool) {
    const tacSliceFrame* f = &work->view.plane->frame;
    tacResult result = set_scale(&work->view, work->workspace[0], work->scratch[0]);
    if (result != TAC_OK) return result;
    memset(work->view.image->rgb, 255,
           3 * (size_t)work->view.image->width * (size_t)work->view.image->height);
    work->columns = (f->width + TILE_WIDTH - 1) / TILE_WIDTH;
    work->rows = (f->height + TILE_HEIGHT - 1) / TILE_HEIGHT;
    atomic_init(&work->result, TAC_OK);
    atomic_init(&work->done, 0);
    tac_pool_run(pool, work->columns * work->rows, draw_tile, work);
    result = (tacResult)atomic_load(&work->result);
    if (result == TAC_OK && work->view.options->normals)
        result = tac_slice_normals(&work->view, work->workspace[0], work->scratch[0]);
    if (result == TAC_OK) result = tac_slice_clouds(&work->view);
    if (result == TAC_OK)
        result = tac_slice_points(&work->view, work->workspace[0], work->scratch[0]);
    if (result == TAC_OK) tac_slice_scales(&work->view);
    return result;
}

static tacResult draw_plane(sliceWork* work) {
    const tacModel* model = work->view.plane->model;
    tacPool* pool = NULL;
    tacResult result = tac_pool_create(work->view.options->threads, model->allocator, &pool);
    if (result != TAC_OK) return result;
    int workers = tac_pool_threads(pool);
    result = make_workers(work, model, workers);
    if (result == TAC_OK) result = draw_plot(work, pool);
    release_workers(work, workers, model->allocator);
    tac_pool_destroy(pool);
    return result;
}

static int is_valid(const tacModel* model, const tacSliceOptions* o, const tacImage* image) {
    return image->rgb && image->width > 0 && image->height > 0 && image->width <= TAC_MAX_IMAGE &&
           image->height <= TAC_MAX_IMAGE && o->shape < model->nshape && o->threads >= 0 &&
           (o->shape >= 0 || model->ngeom > 0) && o->axis >= 0 && o->axis <= 2 &&
           isfinite(o->offset) && isfinite(o->span) && o->span >= 0.0 &&
           (!o->centred || (isfinite(o->centre[0]) && isfinite(o->centre[1])));
}

tacResult tac_slice(const tacModel* model, const tacSliceOptions* options, tacImage* image,
                    tacSliceFrame* frame) {
    if (!is_valid(model, options, image)) return TAC_ERROR_VALUE;
    tacScratch* scratch = NULL;
    tacSlicePlane plane;
    tacResult result = tac_scratch_create(model, &scratch);
    if (result != TAC_OK) return result;
    result = tac_slice_plane_create(model, options, image->width, image->height, scratch, &plane);
    tac_scratch_destroy(scratch);
    if (result != TAC_OK) return result;
    sliceWork work = {.view = {.plane = &plane, .options = options, .image = image}};
    result = draw_plane(&work);
    if (frame) *frame = plane.frame;
    tac_slice_plane_destroy(&plane);
    return result;
}
