// Memory of a motion.

#include "dynamics/motion.h"

enum { ARRAYS = 19 };

typedef struct motionArray {
    tacReal** at;
    size_t count; // numbers of one lane
} motionArray;

// of `work`: the derivatives keep 24 numbers a body or 36 a degree of freedom
static size_t count_work(const tacModel* model) {
    size_t bodies = 24 * (size_t)model->nbody, dofs = 36 * (size_t)model->nv;
    return bodies > dofs ? bodies : dofs;
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

tacMotion tac_motion_take(const tacModel* model, int lanes, tacArena* arena) {
    tacMotion m = {0};
    motionArray array[ARRAYS];
    list_arrays(model, &m, array);
    for (int i = 0; i < ARRAYS; ++i)
        *array[i].at = TAC_TAKE(arena, tacReal, array[i].count * (size_t)lanes);
    return m;
}

size_t tac_motion_size(const tacModel* model, int lanes, size_t real_size) {
    tacMotion m;
    motionArray array[ARRAYS];
    size_t size = 0;
    list_arrays(model, &m, array);
    for (int i = 0; i < ARRAYS; ++i)
        size += tac_arena_need(array[i].count * (size_t)lanes * real_size);
    return size;
}
