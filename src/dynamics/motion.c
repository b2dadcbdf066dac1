// Memory of a motion.

#include "dynamics/motion.h"

#include "math/quat.h"
#include "math/vector_ops.h"

// of `work`: derivatives keep 24 numbers a body or 36 a degree of freedom, articulated bodies 27 a
// body and 8 a degree of freedom
static size_t count_work(const tacModel* model) {
    size_t nbody = (size_t)model->nbody, nv = (size_t)model->nv;
    return tac_max_size(tac_max_size(24 * nbody, 36 * nv), 27 * nbody + 8 * nv);
}

// the next array of the block, `count` numbers a lane in whole cache lines; NULL without a block
static tacReal* next_array(tacReal* block, size_t* used, size_t count, int lanes) {
    const size_t line = 8;
    size_t from = *used;
    *used += (count * (size_t)lanes + line - 1) / line * line;
    return block ? block + from : NULL;
}

// how many numbers all arrays take, side by side from `block` on
static size_t assign_arrays(const tacModel* model, int lanes, tacReal* block, tacMotion* m) {
    size_t nbody = (size_t)model->nbody, nv = (size_t)model->nv, njoint = (size_t)model->njoint;
    size_t used = 0;
    m->quat = next_array(block, &used, nbody * 4, lanes);
    m->pos = next_array(block, &used, nbody * 3, lanes);
    m->rot = next_array(block, &used, nbody * 9, lanes);
    m->origin = next_array(block, &used, nbody * 3, lanes);
    m->S = next_array(block, &used, nv * 6, lanes);
    m->anchor = next_array(block, &used, njoint * 3, lanes);
    m->quat_before_joint = next_array(block, &used, njoint * 4, lanes);
    m->inertia = next_array(block, &used, nbody * 10, lanes);
    m->vel = next_array(block, &used, nbody * 6, lanes);
    m->acc = next_array(block, &used, nbody * 6, lanes);
    m->force = next_array(block, &used, nbody * 6, lanes);
    m->load = next_array(block, &used, nbody * 6, lanes);
    m->base = next_array(block, &used, njoint * 12, lanes);
    m->composite = next_array(block, &used, nbody * 10, lanes);
    m->M = next_array(block, &used, (size_t)model->nM, lanes);
    m->coriolis = next_array(block, &used, nbody * 12, lanes);
    m->qfrc_actuator = next_array(block, &used, nv, lanes);
    m->external_force =
        next_array(block, &used, model->has_external_forces ? nbody * 72 : 0, lanes);
    m->work = next_array(block, &used, count_work(model), lanes);
    return used;
}

void tac_motion_poses(const tacModel* model, const tacMotion* m, tacPose* pose) {
    for (int b = 0; b < model->nbody; ++b)
        pose[b] = (tacPose){tac_load3(m->pos + 3 * b), tac_quat_load(m->quat + 4 * b)};
}

// one block for all arrays: many small ones would cost as much as a body
tacMotion tac_motion_alloc(const tacModel* model, int lanes, tacArena* arena) {
    tacMotion m = {0};
    size_t used = assign_arrays(model, lanes, TAC_ALLOC(arena, tacReal, 0), &m);
    TAC_ALLOC(arena, tacReal, used);
    return m;
}
