// Memory of a motion.

#include "dynamics/motion.h"

enum { ARRAYS = 19 };

typedef struct motionArray {
    tacReal** at;
    size_t count; // numbers of one lane
} motionArray;

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

// of `work`: derivatives keep 24 numbers a body or 36 a degree of freedom, articulated bodies 27 a
// body and 8 a degree of freedom
static size_t count_work(const tacModel* model) {
    size_t nbody = (size_t)model->nbody, nv = (size_t)model->nv;
    return larger(larger(24 * nbody, 36 * nv), 27 * nbody + 8 * nv);
}

static void list_arrays(const tacModel* model, tacMotion* m, motionArray out[ARRAYS]) {
    size_t nbody = (size_t)model->nbody, nv = (size_t)model->nv, njoint = (size_t)model->njoint;
    const motionArray arrays[ARRAYS] = {{&m->quat, nbody * 4},
                                        {&m->place, nbody * 3},
                                        {&m->turn, nbody * 9},
                                        {&m->origin, nbody * 3},
                                        {&m->S, nv * 6},
                                        {&m->anchor, njoint * 3},
                                        {&m->before, njoint * 4},
                                        {&m->inertia, nbody * 10},
                                        {&m->vel, nbody * 6},
                                        {&m->acc, nbody * 6},
                                        {&m->force, nbody * 6},
                                        {&m->load, nbody * 6},
                                        {&m->base, njoint * 12},
                                        {&m->composite, nbody * 10},
                                        {&m->M, (size_t)model->nM},
                                        {&m->coriolis, nbody * 12},
                                        {&m->driven, nv},
                                        {&m->push, model->pushed ? nbody * 72 : 0},
                                        {&m->work, count_work(model)}};
    for (int i = 0; i < ARRAYS; ++i) out[i] = arrays[i];
}

// numbers of an array in the block: whole cache lines
static size_t padded(size_t count, int lanes) {
    const size_t line = 8;
    return (count * (size_t)lanes + line - 1) / line * line;
}

// one block for all arrays: a step takes one of these, and many small ones cost more than a body
tacMotion tac_motion_take(const tacModel* model, int lanes, tacArena* arena) {
    tacMotion m = {0};
    motionArray array[ARRAYS];
    size_t total = 0;
    list_arrays(model, &m, array);
    for (int i = 0; i < ARRAYS; ++i) total += padded(array[i].count, lanes);
    tacReal* at = TAC_TAKE(arena, tacReal, total);
    for (int i = 0; i < ARRAYS; ++i) *array[i].at = at, at += padded(array[i].count, lanes);
    return m;
}

size_t tac_motion_size(const tacModel* model, int lanes, size_t real_size) {
    tacMotion m;
    motionArray array[ARRAYS];
    size_t total = 0;
    list_arrays(model, &m, array);
    for (int i = 0; i < ARRAYS; ++i) total += padded(array[i].count, lanes);
    return tac_arena_need(total * real_size);
}
