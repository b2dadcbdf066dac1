// Rollouts: states forward, and adjoints back along them.
//
//   start, controls --tac_step--> states,  states_bar --tac_step_vjp, last step first--> gradient
//
// Without an array for all states, every k-th one is kept, k = ceil sqrt(steps), and the k states
// of a segment are made again when the adjoint reaches it: two rollouts and O(sqrt(steps)) memory.

#include "tactus/rollout.h"
#include "step/step.h"

#include <string.h>

static void copy_reals(tacReal* to, const tacReal* from, int n) {
    if (n > 0) memmove(to, from, sizeof *to * (size_t)n);
}

static const tacReal* control_of(const tacModel* model, const tacRollout* r, int step) {
    return r->ctrl ? r->ctrl + (size_t)step * (size_t)model->nu : NULL;
}

// tac_step, with the flags of the steps before it
static tacResult next_state(const tacModel* model, const tacState* x, const tacReal* u,
                            tacState* next, tacScratch* scratch) {
    unsigned flags = scratch->info.flags;
    tacResult result = tac_step(model, x, u, next, scratch);
    scratch->info.flags |= flags;
    return result;
}

static int has_arrays(const tacModel* model, const tacState* x) {
    return tac_state_has_arrays(model, x) && !tac_missing(x->warm, model->nwarm);
}

static tacResult check_rollout(const tacModel* model, const tacRollout* r,
                               const tacScratch* scratch) {
    if (!model || !r || !r->start || !scratch || r->steps < 0) return TAC_ERROR_VALUE;
    if (model->nu > 0 && r->steps > 0 && !r->ctrl) return TAC_ERROR_VALUE;
    if (!has_arrays(model, r->start) || (r->end && !has_arrays(model, r->end)))
        return TAC_ERROR_VALUE;
    return TAC_OK;
}

//---------------------------------- states ---------------------------------------

// arrays of a state; time is not among them
static void copy_state(const tacModel* model, const tacState* from, tacState to) {
    copy_reals(to.qpos, from->qpos, model->nq);
    copy_reals(to.qvel, from->qvel, model->nv);
    copy_reals(to.act, from->act, model->na);
    copy_reals(to.warm, from->warm, model->nwarm);
}

// `count` steps from row 0 of `rows`, the first of them step `first` of the rollout
static tacResult fill_rows(const tacModel* model, const tacRollout* r, int first, int count,
                           tacReal* rows, tacScratch* scratch) {
    tacResult result = TAC_OK;
    for (int i = 0; i < count && result == TAC_OK; ++i) {
        tacState x = tac_state_view(model, rows, i), next = tac_state_view(model, rows, i + 1);
        result = next_state(model, &x, control_of(model, r, first + i), &next, scratch);
    }
    return result;
}

static void write_end(const tacModel* model, const tacRollout* r, tacReal* rows, int last) {
    if (!r->end) return;
    tacState x = tac_state_view(model, rows, last);
    double time = r->start->time + r->steps * tac_re(model->param[model->timestep]);
    copy_state(model, &x, *r->end);
    r->end->time = time;
}

static tacResult fill_states(const tacModel* model, const tacRollout* r, tacScratch* scratch) {
    copy_state(model, r->start, tac_state_view(model, r->states, 0));
    tacResult result = fill_rows(model, r, 0, r->steps, r->states, scratch);
    if (result == TAC_OK) write_end(model, r, r->states, r->steps);
    return result;
}

// in place, on the state at the end
static tacResult step_end(const tacModel* model, const tacRollout* r, tacScratch* scratch) {
    tacResult result = TAC_OK;
    double time = r->start->time;
    copy_state(model, r->start, *r->end);
    r->end->time = time;
    for (int i = 0; i < r->steps && result == TAC_OK; ++i)
        result = next_state(model, r->end, control_of(model, r, i), r->end, scratch);
    if (result == TAC_OK) r->end->time = time + r->steps * tac_re(model->param[model->timestep]);
    return result;
}

tacResult tac_rollout(const tacModel* model, const tacRollout* r, tacScratch* scratch) {
    tacResult result = check_rollout(model, r, scratch);
    if (result == TAC_OK && !r->states && !r->end) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    scratch->info = (tacInfo){0};
    return r->states ? fill_states(model, r, scratch) : step_end(model, r, scratch);
}

//---------------------------------- gradient -------------------------------------

// steps between checkpoints: the least k with k k >= steps
static int checkpoint_stride(int steps) {
    int k = 1;
    while ((long long)k * k < steps) ++k;
    return k;
}

static int checkpoint_count(int steps) {
    int stride = checkpoint_stride(steps);
    return (steps + stride - 1) / stride;
}

size_t tac_rollout_vjp_size(const tacModel* model, int steps) {
    if (!model || steps < 0) return 0;
    size_t rows = (size_t)checkpoint_count(steps) + (size_t)checkpoint_stride(steps) + 1;
    size_t tangents = 2 * (size_t)tac_tangent_size(model);
    return sizeof(tacReal) * (rows * (size_t)tac_state_size(model) + tangents);
}

// a reverse pass over a rollout
typedef struct reversePass {
    const tacModel* model;
    const tacRollout* rollout;
    const tacReal* states_bar; // ((steps + 1) x nx)
    tacStepTangent bar;        // output
    tacReal *at, *before;      // (nx) adjoints of the state at hand, and of the one before it
    tacReal* checkpoints;      // every k-th state
    tacReal* segment;          // states of a segment
    tacScratch* scratch;
} reversePass;

static tacTangent as_tangent(const tacModel* model, tacReal* x) {
    return (tacTangent){x, x + model->nv, x + 2 * model->nv};
}

// `count` steps from `first` on, last first; row i of `states` is the state before step first + i
static tacResult reverse_steps(reversePass* p, tacReal* states, int first, int count) {
    const tacModel* model = p->model;
    int nx = tac_tangent_size(model);
    tacResult result = TAC_OK;
    for (int i = count - 1; i >= 0 && result == TAC_OK; --i) {
        int step = first + i;
        tacState x = tac_state_view(model, states, i);
        tacStepTangent bar = p->bar;
        bar.x = as_tangent(model, p->before);
        if (bar.u) bar.u += (size_t)step * (size_t)model->nu;
        copy_reals(p->before, p->states_bar + (size_t)step * (size_t)nx, nx);
        unsigned flags = p->scratch->info.flags;
        result = tac_step_vjp(model, &x, control_of(model, p->rollout, step),
                              as_tangent(model, p->at), bar, p->scratch);
        p->scratch->info.flags |= flags;
        tacReal* swap = p->at;
        p->at = p->before;
        p->before = swap;
    }
    return result;
}

// forward with checkpoints; the segment's first row is the state at hand
static tacResult fill_checkpoints(reversePass* p, int stride) {
    const tacModel* model = p->model;
    const tacRollout* r = p->rollout;
    tacState x = tac_state_view(model, p->segment, 0);
    tacResult result = TAC_OK;
    copy_state(model, r->start, x);
    for (int i = 0; i < r->steps && result == TAC_OK; ++i) {
        if (i % stride == 0)
            copy_state(model, &x, tac_state_view(model, p->checkpoints, i / stride));
        result = next_state(model, &x, control_of(model, r, i), &x, p->scratch);
    }
    if (result == TAC_OK) write_end(model, r, p->segment, 0);
    return result;
}

static tacResult reverse_segments(reversePass* p) {
    const tacRollout* r = p->rollout;
    int stride = checkpoint_stride(r->steps);
    tacResult result = fill_checkpoints(p, stride);
    for (int k = checkpoint_count(r->steps) - 1; k >= 0 && result == TAC_OK; --k) {
        int first = k * stride, count = r->steps - first < stride ? r->steps - first : stride;
        tacState at = tac_state_view(p->model, p->checkpoints, k);
        copy_state(p->model, &at, tac_state_view(p->model, p->segment, 0));
        // the state after the last step of a segment is not needed
        result = fill_rows(p->model, r, first, count - 1, p->segment, p->scratch);
        if (result == TAC_OK) result = reverse_steps(p, p->segment, first, count);
    }
    return result;
}

static void add_reals(tacReal* to, const tacReal* from, int n) {
    for (int i = 0; i < n && to; ++i) to[i] += from[i];
}

tacResult tac_rollout_vjp(const tacModel* model, const tacRollout* r, const tacReal* states_bar,
                          tacStepTangent bar, void* memory, tacScratch* scratch) {
    tacResult result = check_rollout(model, r, scratch);
    if (result != TAC_OK || !states_bar) return result;
    int nx = tac_tangent_size(model);
    if (!memory || !tac_all_finite(states_bar, nx)) return TAC_ERROR_VALUE;
    scratch->info = (tacInfo){0};
    reversePass p = {.model = model,
                     .rollout = r,
                     .states_bar = states_bar,
                     .bar = bar,
                     .at = memory,
                     .scratch = scratch};
    p.before = p.at + nx;
    p.segment = p.before + nx;
    p.checkpoints =
        p.segment + (size_t)(checkpoint_stride(r->steps) + 1) * (size_t)tac_state_size(model);
    copy_reals(p.at, states_bar + (size_t)r->steps * (size_t)nx, nx);
    if (r->states) {
        result = fill_states(model, r, scratch);
        if (result == TAC_OK) result = reverse_steps(&p, r->states, 0, r->steps);
    } else {
        result = reverse_segments(&p);
    }
    if (result != TAC_OK) return result;
    tacTangent start_bar = as_tangent(model, p.at);
    add_reals(bar.x.dq, start_bar.dq, model->nv);
    add_reals(bar.x.dv, start_bar.dv, model->nv);
    add_reals(bar.x.da, start_bar.da, model->na);
    return TAC_OK;
}
