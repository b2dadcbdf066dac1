// Which edges of two geoms can touch.
//
//   groups of blocks --boxes, in axes of both bodies--> blocks near each other --edges' boxes,
//   faces
//        beside, roughly--> pairs --perpendicular, faces--> pairs that count
//
// No corner has to be near: an edge can be in touch while both are outside.

#include "detect/manifold/edge_search.h"

#include "detect/manifold/edge_search_kernels.h"

#include <string.h>

#define SEARCH TAC_DISPATCH(tac_edge_search_kernels_)

enum { PADDING = TAC_FLOAT_PADDING };

// everything is within this distance
#define UNBOUNDED_CUTOFF 1e30

// Softly, a witness point may lie beyond the end of its edge where `inside` still counts it as
// inside: by x sigma(-x/tau) of its length at most, which is below 0.2785 tau
#define MAX_OVERSHOOT 0.2785

// A small search works on the stack, which is warm whichever model is looked at                [B]
#define STACK_BYTES ((size_t)224 << 10)

//---------------------------------- memory ---------------------------------------

static size_t blocks_of(const tacFeatures* f) {
    return (size_t)(f->index ? f->index->edge_blocks : 0);
}

static size_t groups_of(const tacFeatures* f) {
    return (blocks_of(f) + TAC_EDGE_GROUP - 1) / TAC_EDGE_GROUP;
}

// eights of groups
static size_t eights_of(const tacFeatures* f) {
    return (groups_of(f) + TAC_FEATURE_BLOCK - 1) / TAC_FEATURE_BLOCK;
}

// of one group: with groups, each of its blocks with blocks, each of its edges with blocks
static size_t items_of(const tacFeatures* f, int stage) {
    const size_t each[] = {1, TAC_EDGE_GROUP * TAC_EDGE_GROUP,
                           TAC_EDGE_GROUP * TAC_EDGE_GROUP * TAC_FEATURE_BLOCK};
    return each[stage] * groups_of(f) + PADDING;
}

// edges with blocks have no words
static tacEdgeItems alloc_items(tacArena* arena, const tacFeatures* f, int stage) {
    size_t count = items_of(f, stage), words = stage < 2 ? count : 0;
    tacEdgeItems items = {.word = TAC_ALLOC(arena, uint64_t, words)};
    items.bits = TAC_ALLOC(arena, uint8_t, count);
    items.own = TAC_ALLOC(arena, unsigned, count);
    items.other = TAC_ALLOC(arena, unsigned, count);
    return items;
}

static tacEdgePartnerSet alloc_partner_set(const tacFeatures* f, tacArena* arena) {
    size_t groups = groups_of(f), eights = eights_of(f);
    tacEdgePartnerSet o = {.groups = TAC_ALLOC(arena, int16_t, 2 * TAC_BOX_ROWS * eights)};
    o.blocks = TAC_ALLOC(arena, int16_t, 2 * TAC_BOX_ROWS * groups);
    o.edges = TAC_ALLOC(arena, int16_t, TAC_EDGE_OTHER * groups * TAC_EDGE_GROUP);
    o.transformed = TAC_ALLOC(arena, int, groups);
    o.near = TAC_ALLOC(arena, uint64_t, eights);
    o.partner = TAC_ALLOC(arena, int, groups + PADDING);
    o.order = TAC_ALLOC(arena, unsigned, items_of(f, 2));
    for (int i = 0; i < 3; ++i) o.item[i] = alloc_items(arena, f, i);
    return o;
}

static void alloc_batch(tacEdgeTest* test, tacArena* arena) {
    test->one = TAC_ALLOC(arena, int, TAC_EDGE_BATCH_CAPACITY);
    test->two = TAC_ALLOC(arena, int, TAC_EDGE_BATCH_CAPACITY);
}

void tac_edge_search_measure(const tacFeatures* f, tacArena* arena) {
    tacEdgeTest test;
    size_t mark = arena->used;
    alloc_partner_set(f, arena);
    alloc_batch(&test, arena);
    arena->used = mark;
}

static int fits_stack(const tacFeatures* f) {
    tacArena arena = tac_arena_measure(1);
    tac_edge_search_measure(f, &arena);
    return arena.peak <= STACK_BYTES;
}

//---------------------------------- frames ---------------------------------------

// how far a witness point may lie beyond the ends of an edge of a geom                      [m]
static double overshoot(const tacEdgeSearch* s, int k) {
    return 2.0 * MAX_OVERSHOOT * tac_re(s->witness->inside) * s->features[k]->index->longest;
}

// boxes around corners are no farther apart than this where witness points come near
static double box_cutoff(const tacEdgeSearch* s) {
    return tac_re(s->cutoff) + overshoot(s, 0) + overshoot(s, 1);
}

// sum of all coordinates that there are
static double coordinate_extent(const tacEdgeSearch* s) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += fabs(tac_re(s->rel_frame->origin[k]));
        for (int i = 0; i < 2; ++i) {
            const tacFeatureBox* all = &s->features[i]->index->all;
            sum += fabs(all->middle[k]) + all->half[k];
        }
    }
    return sum;
}

// from the axes of a geom to those of the other
static tacEdgeFrame edge_frame(const tacFrame* there, double extent) {
    tacEdgeFrame f = {.margin = (float)(1e-6 * extent)};
    for (int i = 0; i < 3; ++i) {
        f.origin[i] = (float)tac_re(there->origin[i]);
        for (int k = 0; k < 3; ++k) f.R[i][k] = (float)tac_re(there->R.m[i][k]);
    }
    return f;
}

// the box around all of a geom on one of the axes of the other; `there` leads to these
static void whole_box(const tacFeatureBox* all, const tacFrame* there, int i, double* middle,
                      double* half) {
    *middle = tac_re(there->origin[i]);
    *half = 0.0;
    for (int k = 0; k < 3; ++k) {
        *middle += tac_re(there->R.m[i][k]) * all->middle[k];
        *half += fabs(tac_re(there->R.m[i][k])) * all->half[k];
    }
}

// The lattice in the axes of one geom: cells of 1/scale from the middle of where boxes of both may
// be, those of geom[0] as wide as they are looked at. That ends before the cells do: what is
// outside is not taken for its border. It is no finer than numbers are rounded. To leave nothing
// apart, all is in one cell.
typedef struct edgeLattice {
    double middle[3], scale[3], extent;
} edgeLattice;

// 0: the geoms are too far apart, or nowhere; `there` leads from the other one to these axes
static int make_lattice(const tacEdgeSearch* s, int axes, const tacFrame* there, edgeLattice* l) {
    const tacFeatureBox *own = &s->features[axes]->index->all,
                        *other = &s->features[1 - axes]->index->all;
    *l = (edgeLattice){.extent = coordinate_extent(s)};
    double cutoff_box = s->all ? UNBOUNDED_CUTOFF : box_cutoff(s) + 1e-6 * l->extent;
    for (int k = 0; k < 3; ++k) {
        double m = own->middle[k], h = own->half[k], middle, half;
        whole_box(other, there, k, &middle, &half);
        *(axes ? &half : &h) += cutoff_box;
        double low = fmax(m - h, middle - half), high = fmin(m + h, middle + half);
        if (!(middle - middle == 0.0 && low <= high)) return 0;
        l->middle[k] = 0.5 * (low + high);
        double wide = fmax(0.5 * (high - low), 1e-4 * l->extent + 1e-30);
        l->scale[k] = s->all ? 0.0 : 32000.0 / wide;
    }
    return 1;
}

// Numbers of single precision are off by 2e-7 of the coordinates, and cells by 1 as they are cut
static tacEdgeCells lattice_cells(const tacEdgeSearch* s, int own, const edgeLattice* l) {
    double sign = own ? 1.0 : -1.0, cutoff_box = own ? 0.0 : 1.000001 * box_cutoff(s);
    tacEdgeCells c;
    for (int k = 0; k < 3; ++k) {
        c.scale[k] = (float)l->scale[k];
        c.origin[k] = (float)(-l->middle[k] * l->scale[k]);
        c.wide[k] = (float)(sign * l->scale[k]);
        c.margin[k] = (float)(sign * (1.1 + (cutoff_box + 1e-6 * l->extent) * l->scale[k]));
    }
    return c;
}

// Rows of a geom in axes of geom[0]. Middles are off by 1/65534 of a half side, directions by
// sqrt(3)/254; boxes are wider than that, than single precision rounds and than cells cut.
static tacEdgeTransform edge_transform(const tacEdgeSearch* s, int own, const tacFrame* rel_frame,
                                       const edgeLattice* l) {
    const struct tacFeatureIndex* index = s->features[own]->index;
    double longest = index->longest + overshoot(s, own);
    double sign = own ? 1.0 : -1.0, cutoff_box = own ? 0.0 : 1.000001 * tac_re(s->cutoff);
    double margin = cutoff_box + 2e-5 * l->extent + 0.007 * longest;
    tacEdgeTransform p;
    for (int i = 0; i < 3; ++i) {
        double origin = tac_re(rel_frame->origin[i]) - l->middle[i], scale = l->scale[i];
        for (int j = 0; j < 3; ++j) {
            double R = tac_re(rel_frame->R.m[i][j]);
            origin += R * index->all.middle[j];
            p.middle[i][j] = (float)(R * index->all.half[j] / 32767.0 * scale);
            p.rot[i][j] = (float)(R * TAC_EDGE_UNIT / 127.0);
        }
        p.origin[i] = (float)(origin * scale);
        p.half[i] = (float)(sign * 1.000001 * longest / 127.0 / TAC_EDGE_UNIT * scale);
        p.margin[i] = (float)(sign * (1.1 + margin * scale));
    }
    return p;
}

//---------------------------------- all of it ------------------------------------

static int is_bounded(const tacWitnessOptions* o) { return tac_re(o->range) > 0.0 && !o->exact; }

static int both_solid(const tacEdgeSearch* s) {
    return s->features[0]->index->radius < 0 && s->features[1]->index->radius < 0;
}

// 0: the geoms are too far apart
static int make_test(const tacEdgeSearch* s, tacEdgeTest* test) {
    const tacFrame same = {.R.m = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    *test = (tacEdgeTest){.rel_frame = s->rel_frame,
                          .witness = s->witness,
                          .cutoff = s->cutoff,
                          .opposing = s->opposing,
                          .bounded = is_bounded(s->witness),
                          .solid = both_solid(s),
                          .float_test = !s->all && is_bounded(s->witness) && both_solid(s)};
    for (int axes = 0; axes < 2; ++axes) {
        edgeLattice lattice;
        if (!make_lattice(s, axes, axes ? s->back : s->rel_frame, &lattice)) return 0;
        for (int k = 0; k < 2; ++k) {
            test->cells[k][axes] = lattice_cells(s, k, &lattice);
            if (axes == 0)
                test->transform[k] = edge_transform(s, k, k ? s->rel_frame : &same, &lattice);
        }
        test->features[axes] = s->features[axes];
        test->frame[axes] = edge_frame(axes ? s->rel_frame : s->back, lattice.extent);
    }
    return 1;
}

static int search_in(const tacEdgeSearch* s, int capacity, int* first, int* second,
                     tacArena* arena) {
    tacEdgeTest test;
    if (!make_test(s, &test)) return 0;
    tacEdgePartnerSet partner_set = alloc_partner_set(s->features[1], arena);
    test.partner_set = &partner_set;
    alloc_batch(&test, arena);
    return SEARCH->list_pairs(&test, capacity, first, second);
}

static int search_on_stack(const tacEdgeSearch* s, int capacity, int* first, int* second) {
    _Alignas(TAC_ALIGNMENT) char memory[STACK_BYTES];
    tacArena arena = {.base = memory, .size = STACK_BYTES};
    return search_in(s, capacity, first, second, &arena);
}

int tac_edge_search(const tacEdgeSearch* s, int capacity, int* first, int* second,
                    tacArena* arena) {
    size_t mark = arena->used;
    int count = fits_stack(s->features[1]) ? search_on_stack(s, capacity, first, second)
                                           : search_in(s, capacity, first, second, arena);
    arena->used = mark;
    return count;
}
