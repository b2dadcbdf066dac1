// Memory of a motion.

#include "dynamics/motion.h"

// numbers of each array, in the order of tacMotion
enum { ARRAYS = 17 };

static void count_numbers(const tacModel* model, size_t count[ARRAYS]) {
    size_t nbody = (size_t)model->nbody, nv = (size_t)model->nv, njoint = (size_t)model->njoint;
    const size_t numbers[ARRAYS] = {nbody * 4,  nbody * 3,  nbody * 9,   nbody * 3,  nv * 6,
                                    njoint * 3, njoint * 4, nbody * 10,  nbody * 6,  nbody * 6,
                                    nbody * 6,  nbody * 6,  njoint * 12, nbody * 10, 0,
                                    nbody * 12, nv};
    for (int i = 0; i < ARRAYS; ++i) count[i] = numbers[i];
    count[14] = (size_t)model->nM;
}

// of `work`: the derivatives keep 24 numbers a body or 36 a degree of freedom
static size_t count_work(const tacModel* model) {
    size_t bodies = 24 * (size_t)model->nbody, dofs = 36 * (size_t)model->nv;
    return bodies > dofs ? bodies : dofs;
}

tacMotion tac_motion_take(const tacModel* model, int lanes, tacArena* arena) {
    tacMotion m = {0};
    tacReal** const array[ARRAYS] = {&m.quat,     &m.place,  &m.turn,    &m.origin,    &m.S,
                                     &m.anchor,   &m.before, &m.inertia, &m.vel,       &m.acc,
                                     &m.force,    &m.load,   &m.base,    &m.composite, &m.M,
                                     &m.coriolis, &m.driven};
    size_t count[ARRAYS];
    count_numbers(model, count);
    for (int i = 0; i < ARRAYS; ++i) *array[i] = TAC_TAKE(arena, tacReal, count[i] * (size_t)lanes);
    m.work = TAC_TAKE(arena, tacReal, count_work(model) * (size_t)lanes);
    return m;
}

size_t tac_motion_size(const tacModel* model, int lanes, size_t real_size) {
    size_t count[ARRAYS], size = tac_arena_need(count_work(model) * (size_t)lanes * real_size);
    count_numbers(model, count);
    for (int i = 0; i < ARRAYS; ++i) size += tac_arena_need(count[i] * (size_t)lanes * real_size);
    return size;
}
