// States: one block of memory each, reset to the start of the scene or to a keyframe.

#include "base/arena.h"
#include "tactus/rollout.h"

#include <string.h>

// a state of tac_state_create, with its arrays behind it
typedef struct ownedState {
    tacState state; // first, so that its address is the block's
    tacAllocator allocator;
} ownedState;

static void copy_reals(tacReal* to, const tacReal* from, int n) {
    if (n > 0) memcpy(to, from, sizeof *to * (size_t)n);
}

// from numbers of the model, which are doubles; NULL: zeros
static void set_reals(tacReal* to, const double* from, int n) {
    for (int i = 0; i < n; ++i) to[i] = from ? from[i] : 0.0;
}

static int has_arrays(const tacModel* model, const tacState* x) {
    return (model->nq == 0 || x->qpos) && (model->nv == 0 || x->qvel) &&
           (model->na == 0 || x->act) && (model->nwarm == 0 || x->warm);
}

int tac_state_size(const tacModel* model) {
    return model ? model->nq + model->nv + model->na + model->nwarm : 0;
}

tacState tac_state_view(const tacModel* model, tacReal* states, int step) {
    if (!model || !states || step < 0) return (tacState){0};
    tacReal* row = states + (size_t)step * (size_t)tac_state_size(model);
    tacReal *qvel = row + model->nq, *act = qvel + model->nv;
    return (tacState){.qpos = row, .qvel = qvel, .act = act, .warm = act + model->na};
}

tacResult tac_state_create(const tacModel* model, tacState** out) {
    if (!model || !out) return TAC_ERROR_VALUE;
    tacAllocator allocator = model->allocator;
    size_t head = tac_arena_align(sizeof(ownedState));
    size_t numbers = sizeof(tacReal) * (size_t)tac_state_size(model);
    ownedState* own = allocator.allocate(allocator.user, head + tac_arena_align(numbers + 1));
    if (!own) return TAC_ERROR_MEMORY;
    *own = (ownedState){.state = tac_state_view(model, (tacReal*)((char*)own + head), 0),
                        .allocator = allocator};
    *out = &own->state;
    return tac_state_reset(model, *out);
}

void tac_state_destroy(tacState* state) {
    if (!state) return;
    tacAllocator allocator = ((ownedState*)state)->allocator;
    allocator.release(allocator.user, state);
}

tacResult tac_state_copy(const tacModel* model, const tacState* from, tacState* to) {
    if (!model || !from || !to || !has_arrays(model, from) || !has_arrays(model, to))
        return TAC_ERROR_VALUE;
    if (from == to) return TAC_OK;
    copy_reals(to->qpos, from->qpos, model->nq);
    copy_reals(to->qvel, from->qvel, model->nv);
    copy_reals(to->act, from->act, model->na);
    copy_reals(to->warm, from->warm, model->nwarm);
    to->time = from->time;
    return TAC_OK;
}

tacResult tac_state_reset(const tacModel* model, tacState* state) {
    if (!model || !state || !has_arrays(model, state)) return TAC_ERROR_VALUE;
    set_reals(state->qpos, model->qpos0, model->nq);
    set_reals(state->qvel, NULL, model->nv);
    set_reals(state->act, NULL, model->na);
    set_reals(state->warm, NULL, model->nwarm);
    state->time = 0.0;
    return TAC_OK;
}

tacResult tac_state_reset_key(const tacModel* model, tacState* state, int key) {
    if (!model || !state || !has_arrays(model, state) || key < 0 || key >= model->nkey)
        return TAC_ERROR_VALUE;
    const tacKeyframe* frame = &model->key[key];
    set_reals(state->qpos, frame->qpos, model->nq);
    set_reals(state->qvel, frame->qvel, model->nv);
    set_reals(state->act, frame->act, model->na);
    set_reals(state->warm, NULL, model->nwarm);
    state->time = frame->time;
    return TAC_OK;
}
