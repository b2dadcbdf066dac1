// Fields and searches that are kept between calls.

#include "detect/field/detect_cache.h"

#include <string.h>

#if defined(TAC_NUMBER_COMPLEX) || defined(TAC_NUMBER_QUAD)

void tac_detect_cache_refresh(const tacModel* model, tacScratch* scratch) {
    (void)model;
    (void)scratch;
}

const tacGeomField* tac_detect_cache_field(const tacModel* model, int geom, tacScratch* scratch) {
    (void)model;
    (void)geom;
    (void)scratch;
    return NULL;
}

const tacGeomBound* tac_detect_cache_bounds(const tacModel* model, tacScratch* scratch) {
    (void)model;
    (void)scratch;
    return NULL;
}

const tacPairTable* tac_detect_cache_pairs(tacScratch* scratch) {
    (void)scratch;
    return NULL;
}

void* tac_detect_cache_begin(const tacModel* model, tacScratch* scratch, int pair,
                             const tacPose body[2], size_t bytes) {
    (void)model;
    (void)scratch;
    (void)pair;
    (void)body;
    (void)bytes;
    return NULL;
}

void tac_detect_cache_end(tacScratch* scratch, int keep) {
    (void)scratch;
    (void)keep;
}

void* tac_detect_cache_find(const tacModel* model, tacScratch* scratch, int pair,
                            const tacPose body[2]) {
    (void)model;
    (void)scratch;
    (void)pair;
    (void)body;
    return NULL;
}

void tac_detect_cache_clear(tacScratch* scratch) { (void)scratch; }

#else

#include "detect/detect.h"
#include "model/contact/geom_pairs.h"

// most bytes for searches beside the largest one
#define SEARCH_BYTES ((size_t)4 << 20)

// a search, with its kind's own memory behind
typedef struct cachedSearch {
    struct cachedSearch* previous;
    int pair;
    tacPose body[2];
    void* data;
} cachedSearch;

struct tacDetectCache {
    const tacModel* model;
    double* param;        // that fields are bound with                            (nparam)
    int param_valid;      // is `param` set?
    unsigned char* bound; // is the geom's field?                                  (ngeom)
    tacGeomField* field;  //                                                       (ngeom)
    tacGeomBound* box;    // around each geom                                      (ngeom)
    int boxes_valid;      // is `box` set?
    tacPairTable table;
    tacArena fields, searches;
    size_t largest;      // search
    size_t fields_begin; // of the fields' memory that is for nodes
    cachedSearch* last;
    cachedSearch* current; // while it is made
    tacArena saved_arena;  // the scratch's arena meanwhile
};

//---------------------------------- memory ---------------------------------------

static int has_cache(const tacModel* model) {
    return model->contact && (model->contact->detector == TAC_DETECT_MANIFOLD ||
                              model->contact->detector == TAC_DETECT_EDGE_SDF);
}

static void layout_pair_table(tacDetectCache* cache, const tacModel* model) {
    tacPairTable* t = &cache->table;
    t->first = TAC_ALLOC(&cache->fields, int, model->ngeom + 1);
    t->other = TAC_ALLOC(&cache->fields, int, model->contact->npair);
    t->pair = TAC_ALLOC(&cache->fields, int, model->contact->npair);
    t->order = TAC_ALLOC(&cache->fields, int, model->ngeom);
    t->is_static = TAC_ALLOC(&cache->fields, char, model->ngeom);
}

static void layout_cache(tacDetectCache* cache, const tacModel* model) {
    cache->model = model;
    cache->param = TAC_ALLOC(&cache->fields, double, model->nparam);
    cache->bound = TAC_ALLOC(&cache->fields, unsigned char, model->ngeom);
    cache->field = TAC_ALLOC(&cache->fields, tacGeomField, model->ngeom);
    cache->box = TAC_ALLOC(&cache->fields, tacGeomBound, model->ngeom);
    layout_pair_table(cache, model);
    cache->fields_begin = cache->fields.used;
}

// what fields take: the dry run of binding each
static size_t fields_size(const tacModel* model) {
    tacDetectCache cache = {.fields = tac_arena_measure(1)};
    layout_cache(&cache, model);
    for (int g = 0; g < model->ngeom; ++g)
        if (model->geom[g].shape >= 0)
            tac_geom_field_measure(&model->shape[model->geom[g].shape], &cache.fields);
    return cache.fields.peak;
}

// searches of all pairs, or of the largest and of as many others as there is room for
static size_t searches_size(const tacModel* model, size_t largest) {
    size_t others = (size_t)(model->contact->npair > 1 ? model->contact->npair - 1 : 0) * largest;
    if (model->contact->detector != TAC_DETECT_MANIFOLD) return 0;
    return largest + (others < SEARCH_BYTES ? others : SEARCH_BYTES) + SEARCH_BYTES / 64;
}

// One pass of a stable sort of pairs by their larger or smaller geom; `from` NULL: as they stand.
static void sort_pairs(const tacModel* model, int larger, const int* from, int* first, int* to) {
    const tacContactPair* pair = model->contact->pair;
    int count = model->contact->npair, ngeom = model->ngeom;
    memset(first, 0, sizeof *first * (size_t)(ngeom + 1));
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < count; ++i) {
            int p = pass && from ? from[i] : i, a = pair[p].geom[0], b = pair[p].geom[1];
            int key = (a > b) == larger ? a : b;
            if (pass)
                to[first[key]++] = p;
            else
                ++first[key];
        }
        for (int g = 0, sum = 0; g <= ngeom && !pass; ++g) {
            int own = first[g];
            first[g] = sum;
            sum += own;
        }
    }
    memmove(first + 1, first, sizeof *first * (size_t)ngeom); // each stands where the next begins
    first[0] = 0;
}

static void build_pair_table(tacPairTable* t, const tacModel* model) {
    const tacContactPair* pair = model->contact->pair;
    sort_pairs(model, 1, NULL, t->first, t->other);
    sort_pairs(model, 0, t->other, t->first, t->pair);
    char* used = t->is_static; // first: is it in a pair?
    memset(used, 0, (size_t)model->ngeom);
    for (int i = 0; i < model->contact->npair; ++i) {
        const int* geom = pair[t->pair[i]].geom;
        t->other[i] = geom[0] > geom[1] ? geom[0] : geom[1];
        used[geom[0]] = used[geom[1]] = 1;
    }
    t->geoms = 0;
    for (int g = 0; g < model->ngeom; ++g) {
        if (used[g]) t->order[t->geoms++] = g;
        t->is_static[g] = tac_moving_body(model, model->geom[g].body) == 0;
    }
}

tacResult tac_detect_cache_create(const tacModel* model, tacAllocator allocator,
                                  tacDetectCache** out) {
    *out = NULL;
    if (!has_cache(model)) return TAC_OK;
    tacDetectCache* cache = allocator.allocate(allocator.user, sizeof *cache);
    if (!cache) return TAC_ERROR_MEMORY;
    memset(cache, 0, sizeof *cache);
    tacArena largest = tac_arena_measure(1);
    tac_detector_of(model)->measure(model, &largest);
    cache->largest = largest.peak;
    if (tac_arena_create(&cache->fields, fields_size(model), allocator) != TAC_OK ||
        tac_arena_create(&cache->searches, searches_size(model, cache->largest), allocator) !=
            TAC_OK) {
        tac_detect_cache_destroy(cache, allocator);
        return TAC_ERROR_MEMORY;
    }
    layout_cache(cache, model);
    build_pair_table(&cache->table, model);
    *out = cache;
    return TAC_OK;
}

void tac_detect_cache_destroy(tacDetectCache* cache, tacAllocator allocator) {
    if (!cache) return;
    tac_arena_destroy(&cache->fields, allocator);
    tac_arena_destroy(&cache->searches, allocator);
    allocator.release(allocator.user, cache);
}

//---------------------------------- fields ---------------------------------------

void tac_detect_cache_refresh(const tacModel* model, tacScratch* scratch) {
    tacDetectCache* cache = scratch->cache;
    if (!cache || cache->model != model) return;
    size_t bytes = sizeof(double) * (size_t)model->nparam;
    if (cache->param_valid && memcmp(cache->param, model->param, bytes) == 0) return;
    memcpy(cache->param, model->param, bytes);
    memset(cache->bound, 0, (size_t)model->ngeom);
    cache->param_valid = 1;
    cache->boxes_valid = 0;
    cache->fields.used = cache->fields_begin;
    tac_detect_cache_clear(scratch);
}

const tacGeomField* tac_detect_cache_field(const tacModel* model, int geom, tacScratch* scratch) {
    tacDetectCache* cache = scratch->cache;
    if (!cache || cache->model != model || !cache->param_valid) return NULL;
    if (!cache->bound[geom]) {
        tacArena saved_arena = scratch->arena;
        scratch->arena = cache->fields;
        cache->field[geom] = tac_geom_field_bind(model, geom, scratch);
        cache->fields = scratch->arena;
        scratch->arena = saved_arena;
        cache->bound[geom] = 1;
    }
    return &cache->field[geom];
}

const tacGeomBound* tac_detect_cache_bounds(const tacModel* model, tacScratch* scratch) {
    tacDetectCache* cache = scratch->cache;
    if (!cache || cache->model != model || !cache->param_valid || !model->contact->feature)
        return NULL;
    if (!cache->boxes_valid) {
        for (int g = 0; g < model->ngeom; ++g) {
            int has_field = model->geom[g].shape >= 0;
            const tacGeomField* f = has_field ? tac_detect_cache_field(model, g, scratch) : NULL;
            cache->box[g] = tac_geom_bound(model, g, f);
        }
        tac_geom_bounds_join(model, cache->box);
        cache->boxes_valid = 1;
    }
    return cache->box;
}

const tacPairTable* tac_detect_cache_pairs(tacScratch* scratch) {
    return scratch->cache ? &scratch->cache->table : NULL;
}

//---------------------------------- searches -------------------------------------

void tac_detect_cache_clear(tacScratch* scratch) {
    tacDetectCache* cache = scratch->cache;
    if (!cache) return;
    cache->searches.used = 0;
    cache->last = cache->current = NULL;
}

void* tac_detect_cache_begin(const tacModel* model, tacScratch* scratch, int pair,
                             const tacPose body[2], size_t bytes) {
    tacDetectCache* cache = scratch->cache;
    if (!cache || cache->model != model || !cache->param_valid) return NULL;
    size_t data = tac_arena_align(sizeof(cachedSearch)) + tac_arena_align(bytes);
    if (cache->searches.size - cache->searches.used < data + cache->largest) return NULL;
    cache->saved_arena = scratch->arena;
    scratch->arena = cache->searches;
    cachedSearch* s = cache->current = TAC_ALLOC(&scratch->arena, cachedSearch, 1);
    s->previous = cache->last;
    s->pair = pair;
    memcpy(s->body, body, sizeof s->body);
    s->data = tac_arena_alloc(&scratch->arena, bytes);
    return s->data;
}

void tac_detect_cache_end(tacScratch* scratch, int keep) {
    tacDetectCache* cache = scratch->cache;
    if (!cache || !cache->current) return;
    if (keep) {
        cache->searches.used = scratch->arena.used;
        cache->last = cache->current;
    }
    scratch->arena = cache->saved_arena;
    cache->current = NULL;
}

void* tac_detect_cache_find(const tacModel* model, tacScratch* scratch, int pair,
                            const tacPose body[2]) {
    const tacDetectCache* cache = scratch->cache;
    if (!cache || cache->model != model) return NULL;
    for (cachedSearch* s = cache->last; s; s = s->previous)
        if (s->pair == pair && memcmp(s->body, body, sizeof s->body) == 0) return s->data;
    return NULL;
}

#endif
