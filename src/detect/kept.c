// Fields and searches that are kept between calls.

#include "detect/kept.h"

#include <string.h>

#if defined(TAC_NUMBER_COMPLEX) || defined(TAC_NUMBER_QUAD)

void tac_kept_refresh(const tacModel* model, tacScratch* scratch) {
    (void)model;
    (void)scratch;
}

const tacFieldBound* tac_kept_field(const tacModel* model, int geom, tacScratch* scratch) {
    (void)model;
    (void)geom;
    (void)scratch;
    return NULL;
}

void* tac_kept_begin(const tacModel* model, tacScratch* scratch, int pair, const tacPose body[2],
                     size_t bytes) {
    (void)model;
    (void)scratch;
    (void)pair;
    (void)body;
    (void)bytes;
    return NULL;
}

void tac_kept_end(tacScratch* scratch, int stays) {
    (void)scratch;
    (void)stays;
}

void* tac_kept_find(const tacModel* model, tacScratch* scratch, int pair, const tacPose body[2]) {
    (void)model;
    (void)scratch;
    (void)pair;
    (void)body;
    return NULL;
}

void tac_kept_clear(tacScratch* scratch) { (void)scratch; }

#else

#include "detect/detect.h"

// most bytes for searches beside the largest one
#define SEARCH_BYTES ((size_t)4 << 20)

// a search, with its kind's own memory behind
typedef struct keptSearch {
    struct keptSearch* before;
    int pair;
    tacPose body[2];
    void* own;
} keptSearch;

struct tacKept {
    const tacModel* model;
    double* param;        // that fields are bound with                            (nparam)
    int known;            // is `param` set?
    unsigned char* bound; // is the geom's field?                                  (ngeom)
    tacFieldBound* field; //                                                       (ngeom)
    tacArena fields, searches;
    size_t largest; // search
    size_t begin;   // of the fields' memory that is for nodes
    keptSearch* last;
    keptSearch* open; // while it is made
    tacArena aside;   // the scratch's arena meanwhile
};

//---------------------------------- memory ---------------------------------------

static size_t fields_size(const tacModel* model) {
    size_t geoms = (size_t)model->ngeom, total = 0;
    for (int g = 0; g < model->ngeom; ++g)
        if (model->geom[g].shape >= 0) total += tac_field_size(&model->shape[model->geom[g].shape]);
    return total + tac_arena_need(sizeof(double) * (size_t)model->nparam) + tac_arena_need(geoms) +
           tac_arena_need(sizeof(tacFieldBound) * geoms);
}

static int keeps(const tacModel* model) {
    return model->contact && (model->contact->detector == TAC_DETECT_MANIFOLD ||
                              model->contact->detector == TAC_DETECT_EDGE_SDF);
}

static void lay_out(tacKept* kept, const tacModel* model) {
    kept->model = model;
    kept->param = TAC_TAKE(&kept->fields, double, model->nparam);
    kept->bound = TAC_TAKE(&kept->fields, unsigned char, model->ngeom);
    kept->field = TAC_TAKE(&kept->fields, tacFieldBound, model->ngeom);
    kept->begin = kept->fields.used;
}

// searches of all pairs, or of the largest and of as many others as there is room for
static size_t searches_size(const tacModel* model, size_t largest) {
    size_t others = (size_t)(model->contact->npair > 1 ? model->contact->npair - 1 : 0) * largest;
    if (model->contact->detector != TAC_DETECT_MANIFOLD) return 0;
    return largest + (others < SEARCH_BYTES ? others : SEARCH_BYTES) + SEARCH_BYTES / 64;
}

tacResult tac_kept_create(const tacModel* model, tacAllocator allocator, tacKept** out) {
    *out = NULL;
    if (!keeps(model)) return TAC_OK;
    tacKept* kept = allocator.allocate(allocator.user, sizeof *kept);
    if (!kept) return TAC_ERROR_MEMORY;
    memset(kept, 0, sizeof *kept);
    kept->largest = tac_detector_of(model)->size(model, sizeof(double));
    if (tac_arena_create(&kept->fields, fields_size(model), allocator) != TAC_OK ||
        tac_arena_create(&kept->searches, searches_size(model, kept->largest), allocator) !=
            TAC_OK) {
        tac_kept_destroy(kept, allocator);
        return TAC_ERROR_MEMORY;
    }
    lay_out(kept, model);
    *out = kept;
    return TAC_OK;
}

void tac_kept_destroy(tacKept* kept, tacAllocator allocator) {
    if (!kept) return;
    tac_arena_destroy(&kept->fields, allocator);
    tac_arena_destroy(&kept->searches, allocator);
    allocator.release(allocator.user, kept);
}

//---------------------------------- fields ---------------------------------------

void tac_kept_refresh(const tacModel* model, tacScratch* scratch) {
    tacKept* kept = scratch->kept;
    if (!kept || kept->model != model) return;
    size_t bytes = sizeof(double) * (size_t)model->nparam;
    if (kept->known && memcmp(kept->param, model->param, bytes) == 0) return;
    memcpy(kept->param, model->param, bytes);
    memset(kept->bound, 0, (size_t)model->ngeom);
    kept->known = 1;
    kept->fields.used = kept->begin;
    tac_kept_clear(scratch);
}

const tacFieldBound* tac_kept_field(const tacModel* model, int geom, tacScratch* scratch) {
    tacKept* kept = scratch->kept;
    if (!kept || kept->model != model || !kept->known) return NULL;
    if (!kept->bound[geom]) {
        tacArena aside = scratch->arena;
        scratch->arena = kept->fields;
        kept->field[geom] = tac_field_bind(model, geom, scratch);
        kept->fields = scratch->arena;
        scratch->arena = aside;
        kept->bound[geom] = 1;
    }
    return &kept->field[geom];
}

//---------------------------------- searches -------------------------------------

void tac_kept_clear(tacScratch* scratch) {
    tacKept* kept = scratch->kept;
    if (!kept) return;
    kept->searches.used = 0;
    kept->last = kept->open = NULL;
}

void* tac_kept_begin(const tacModel* model, tacScratch* scratch, int pair, const tacPose body[2],
                     size_t bytes) {
    tacKept* kept = scratch->kept;
    if (!kept || kept->model != model || !kept->known) return NULL;
    size_t own = tac_arena_need(sizeof(keptSearch)) + tac_arena_need(bytes);
    if (kept->searches.size - kept->searches.used < own + kept->largest) return NULL;
    kept->aside = scratch->arena;
    scratch->arena = kept->searches;
    keptSearch* s = kept->open = TAC_TAKE(&scratch->arena, keptSearch, 1);
    s->before = kept->last;
    s->pair = pair;
    memcpy(s->body, body, sizeof s->body);
    s->own = tac_arena_take(&scratch->arena, bytes);
    return s->own;
}

void tac_kept_end(tacScratch* scratch, int stays) {
    tacKept* kept = scratch->kept;
    if (!kept || !kept->open) return;
    if (stays) {
        kept->searches.used = scratch->arena.used;
        kept->last = kept->open;
    }
    scratch->arena = kept->aside;
    kept->open = NULL;
}

void* tac_kept_find(const tacModel* model, tacScratch* scratch, int pair, const tacPose body[2]) {
    const tacKept* kept = scratch->kept;
    if (!kept || kept->model != model) return NULL;
    for (keptSearch* s = kept->last; s; s = s->before)
        if (s->pair == pair && memcmp(s->body, body, sizeof s->body) == 0) return s->own;
    return NULL;
}

#endif
