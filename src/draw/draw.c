// A picture of a model, on all cores.
//
//   tiles --one ray per pixel, with a border of one pixel--> edges --more rays there--> bytes
//
// A tile is a job that does not depend on its neighbours, so the bits do not depend on threads. A
// pixel has an edge if its ray passed an item closely, or if a neighbour shows another item,
// another direction of the surface or another colour.

#include "draw/draw.h"

#include "draw/shade.h"

#include "base/pool.h"

#include <math.h>
#include <stdatomic.h>

#define TILE   32
#define BORDER (TILE + 2)

_Static_assert(BORDER* BORDER <= TAC_PACKET, "a tile with its border is one packet");

// working memory of one thread
typedef struct drawWorkspace {
    tacRays rays;
    tacShadeWorkspace shade, mirror;
    double colour[BORDER * BORDER][3];
    unsigned char edge[TILE * TILE];
    int list[TILE * TILE]; // pixels with an edge
} drawWorkspace;

typedef struct drawWork {
    const tacStage* stage;
    const tacDrawOptions* options;
    tacImage* image;
    tacScratch** scratch; // one per worker
    drawWorkspace** workspace;
    double offset[TAC_MAX_SAMPLES][2]; // of the rays in a pixel, 0 .. 1
    double half_height;                // of the picture at distance 1
    int columns, rows;                 // of tiles
    atomic_int done;
} drawWork;

typedef struct drawTile {
    int x, y, width, height; // in pixels, without the border
} drawTile;

//---------------------------------- rays -----------------------------------------

// One ray per row and per column of the finer grid (n rooks), scattered by the golden ratio; four
// are the rotated grid.
static void set_samples(int count, double offset[][2]) {
    const double golden = 0.6180339887498949;
    for (int i = 0; i < count; ++i) {
        double mine = fmod(0.5 + i * golden, 1.0);
        int rank = 0;
        for (int k = 0; k < count; ++k) rank += fmod(0.5 + k * golden, 1.0) < mine;
        offset[i][0] = (i + 0.5) / count;
        offset[i][1] = (rank + 0.5) / count;
    }
}

// a ray through a point of the picture, in pixels from its upper left corner
static void add_ray(const drawWork* work, double px, double py, tacRays* rays) {
    const tacCamera* camera = &work->stage->camera;
    double scale = 2.0 * work->half_height / work->image->height;
    double x = (px - 0.5 * work->image->width) * scale;
    double y = (0.5 * work->image->height - py) * scale;
    tacVec3 along = tac_scale(tac_load3(camera->axes[2]), -1.0);
    along = tac_add_scaled(along, x, tac_load3(camera->axes[0]));
    along = tac_normalize(tac_add_scaled(along, y, tac_load3(camera->axes[1])));
    int i = rays->count++;
    tac_vectors_set(&rays->origin, i, tac_load3(camera->position));
    tac_vectors_set(&rays->along, i, along);
    rays->start[i] = rays->eye_distance[i] = 0.0;
}

//---------------------------------- edges ----------------------------------------

static int pixels_differ(const drawWorkspace* workspace, int a, int b) {
    const tacRays* rays = &workspace->rays;
    if (rays->item[a] != rays->item[b]) return 1;
    if (rays->item[a] < 0) return 0;
    tacVec3 turn = tac_sub(tac_vectors_get(&rays->normal, a), tac_vectors_get(&rays->normal, b));
    if (tac_norm2(turn) > 0.06) return 1;
    for (int c = 0; c < 3; ++c) {
        // visible differences, roughly in sRGB
        double d = sqrt(workspace->colour[a][c]) - sqrt(workspace->colour[b][c]);
        if (fabs(d) > 0.05) return 1;
    }
    return 0;
}

static int has_edge(const drawWorkspace* workspace, int x, int y) {
    int at = (y + 1) * BORDER + x + 1;
    if (workspace->rays.near[at]) return 1;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if ((dx || dy) && pixels_differ(workspace, at, at + dy * BORDER + dx)) return 1;
    return 0;
}

//---------------------------------- tiles ----------------------------------------

// one ray through the center of each pixel
static void draw_middles(const drawWork* work, drawTile tile, drawWorkspace* workspace,
                         tacScratch* scratch) {
    workspace->rays.count = 0;
    for (int y = -1; y <= TILE; ++y)
        for (int x = -1; x <= TILE; ++x)
            add_ray(work, tile.x + x + 0.5, tile.y + y + 0.5, &workspace->rays);
    tac_shade(work->stage, &workspace->rays, &workspace->shade, scratch);
    for (int i = 0; i < BORDER * BORDER; ++i)
        for (int c = 0; c < 3; ++c)
            workspace->colour[i][c] = tac_tone_map(workspace->shade.colour[i][c]);
}

// all rays of the pixels that have an edge, as many pixels at once as fit into a packet
static void draw_edges(const drawWork* work, drawTile tile, drawWorkspace* workspace,
                       tacScratch* scratch) {
    int samples = work->options->samples, count = 0;
    for (int i = 0; i < TILE * TILE; ++i)
        if (i % TILE < tile.width && i / TILE < tile.height &&
            has_edge(workspace, i % TILE, i / TILE))
            workspace->list[count++] = i;
    int most = TAC_PACKET / samples;
    for (int first = 0; first < count; first += most) {
        int pixels = count - first < most ? count - first : most;
        workspace->rays.count = 0;
        for (int i = 0; i < pixels * samples; ++i) {
            int pixel = workspace->list[first + i / samples];
            const double* offset = work->offset[i % samples];
            add_ray(work, tile.x + pixel % TILE + offset[0], tile.y + pixel / TILE + offset[1],
                    &workspace->rays);
        }
        tac_shade(work->stage, &workspace->rays, &workspace->shade, scratch);
        for (int i = 0; i < pixels; ++i) {
            int pixel = workspace->list[first + i];
            double* mean = workspace->colour[(pixel / TILE + 1) * BORDER + pixel % TILE + 1];
            for (int c = 0; c < 3; ++c) {
                double sum = 0.0;
                for (int k = 0; k < samples; ++k)
                    sum += tac_tone_map(workspace->shade.colour[i * samples + k][c]);
                mean[c] = sum / samples;
            }
        }
    }
}

static void store_tile(const drawWork* work, drawTile tile, const drawWorkspace* workspace) {
    for (int y = 0; y < tile.height; ++y)
        for (int x = 0; x < tile.width; ++x) {
            size_t at = (size_t)(tile.y + y) * (size_t)work->image->width + (size_t)(tile.x + x);
            for (int c = 0; c < 3; ++c)
                work->image->rgb[3 * at + (size_t)c] =
                    tac_srgb_byte(workspace->colour[(y + 1) * BORDER + x + 1][c]);
        }
}

static void draw_tile(void* context, int job, int worker) {
    drawWork* work = context;
    drawWorkspace* workspace = work->workspace[worker];
    drawTile tile = {job % work->columns * TILE, job / work->columns * TILE, TILE, TILE};
    if (tile.x + TILE > work->image->width) tile.width = work->image->width - tile.x;
    if (tile.y + TILE > work->image->height) tile.height = work->image->height - tile.y;
    workspace->rays.pixel = 2.0 * work->half_height / work->image->height;
    draw_middles(work, tile, workspace, work->scratch[worker]);
    if (work->options->samples > 1) draw_edges(work, tile, workspace, work->scratch[worker]);
    store_tile(work, tile, workspace);
    int done = atomic_fetch_add(&work->done, 1) + 1;
    if (worker == 0 && work->options->progress)
        work->options->progress(work->options->user, (double)done / (work->columns * work->rows));
}

//---------------------------------- picture --------------------------------------

tacDrawOptions tac_default_draw_options(void) {
    return (tacDrawOptions){.camera = -1, .shape = -1, .samples = 4, .opacity = 1.0};
}

static void release_workers(drawWork* work, int workers, tacAllocator a) {
    for (int i = 0; i < workers && work->scratch && work->workspace; ++i) {
        tac_scratch_destroy(work->scratch[i]);
        a.release(a.user, work->workspace[i]);
    }
    a.release(a.user, work->scratch);
    a.release(a.user, work->workspace);
}

static tacResult make_workers(drawWork* work, const tacModel* model, int workers, tacAllocator a) {
    work->scratch = a.allocate(a.user, sizeof(tacScratch*) * (size_t)workers);
    work->workspace = a.allocate(a.user, sizeof(drawWorkspace*) * (size_t)workers);
    if (!work->scratch || !work->workspace) return TAC_ERROR_MEMORY;
    for (int i = 0; i < workers; ++i) {
        work->scratch[i] = NULL;
        work->workspace[i] = NULL;
    }
    for (int i = 0; i < workers; ++i) {
        if (tac_scratch_create(model, &work->scratch[i]) != TAC_OK) return TAC_ERROR_MEMORY;
        work->workspace[i] = a.allocate(a.user, sizeof(drawWorkspace));
        if (!work->workspace[i]) return TAC_ERROR_MEMORY;
        work->workspace[i]->shade.mirror = &work->workspace[i]->mirror;
        work->workspace[i]->mirror.mirror = NULL;
    }
    return TAC_OK;
}

static int is_valid(const tacModel* model, const tacDrawOptions* o, const tacImage* image) {
    return image->rgb && image->width > 0 && image->height > 0 && image->width <= TAC_MAX_IMAGE &&
           image->height <= TAC_MAX_IMAGE && o->samples > 0 && o->samples <= TAC_MAX_SAMPLES &&
           o->opacity >= 0.0 && o->opacity <= 1.0 && o->camera < model->ncamera &&
           o->shape < model->nshape && o->threads >= 0;
}

static tacResult draw_stage(drawWork* work, const tacModel* model) {
    tacAllocator a = model->allocator;
    tacPool* pool = NULL;
    tacResult result = tac_pool_create(work->options->threads, a, &pool);
    if (result != TAC_OK) return result;
    int workers = tac_pool_threads(pool);
    result = make_workers(work, model, workers, a);
    if (result == TAC_OK) tac_pool_run(pool, work->columns * work->rows, draw_tile, work);
    release_workers(work, workers, a);
    tac_pool_destroy(pool);
    return result;
}

static tacResult make_stage(const tacModel* model, const tacDrawOptions* options, double aspect,
                            tacStage* stage) {
    tacScratch* scratch = NULL;
    tacResult result = tac_scratch_create(model, &scratch);
    if (result != TAC_OK) return result;
    result = tac_stage_create(model, options->camera, options->shape, aspect, scratch, stage);
    tac_scratch_destroy(scratch);
    return result;
}

tacResult tac_draw_camera(const tacModel* model, const tacDrawOptions* options, double aspect,
                          tacCamera* eye) {
    tacStage stage;
    tacResult result = make_stage(model, options, aspect, &stage);
    if (result != TAC_OK) return result;
    *eye = stage.camera;
    tac_stage_destroy(&stage);
    return TAC_OK;
}

tacResult tac_draw(const tacModel* model, const tacDrawOptions* options, tacImage* image) {
    if (!is_valid(model, options, image)) return TAC_ERROR_VALUE;
    tacStage stage;
    tacResult result = make_stage(model, options, (double)image->width / image->height, &stage);
    if (result != TAC_OK) return result;
    for (int i = stage.planes; i < stage.count; ++i)
        stage.items[i].alpha = fmin(stage.items[i].alpha, options->opacity);
    drawWork work = {.stage = &stage, .options = options, .image = image};
    work.half_height = tan(0.5 * stage.camera.fovy * 3.14159265358979323846 / 180.0);
    work.columns = (image->width + TILE - 1) / TILE;
    work.rows = (image->height + TILE - 1) / TILE;
    set_samples(options->samples, work.offset);
    result = draw_stage(&work, model);
    if (result == TAC_OK)
        tac_draw_marks(&stage, options->marks, options->nmarks, options->arrow, image);
    tac_stage_destroy(&stage);
    return result;
}
