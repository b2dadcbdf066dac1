// Tangents in blocks: a stage is evaluated once for all tangents of a block.

#include "step/jacobian_columns.h"

void tac_tangent_block_alloc(const tacModel* model, tacArena* arena, tacTangentBlock* out) {
    out->in = tac_input_vector_alloc(model, arena);
    for (int k = 0; k < TAC_TANGENT_BLOCK; ++k) out->dot[k] = tac_step_dot_alloc(model, arena);
}

// The parts of one column: its tangent, and its unit among the inputs.
typedef struct columnTangent {
    tacStepDot* dot;
    tacReal* unit;
    const tacReal* theta; // NULL: not a parameter
} columnTangent;

static columnTangent column_tangent(const tacModel* model, tacTangentBlock* b,
                                    const tacColumnRange* range, int column, int k) {
    int i = tac_input_index(model, range->theta, range->first + column);
    int is_param = i >= tac_tangent_size(model) + model->nu;
    return (columnTangent){&b->dot[k], &b->in.all[i], is_param ? b->in.theta : NULL};
}

// one stage for the tangents of columns `from` to `to`
static void stage_columns(tacStepWorkspace* ws, tacTangentBlock* b, const tacColumnRange* range,
                          int stage, int from, int to) {
    for (int c = from; c < to; ++c) {
        columnTangent t = column_tangent(ws->f.dyn.model, b, range, c, c - from);
        *t.unit = 1.0;
        if (stage == 0) tac_step_dot_begin(ws->f.dyn.model, t.dot, b->in.x, b->in.u, t.theta);
        tac_step_stage_jvp(&ws->f, &ws->s, t.dot, stage);
        *t.unit = 0.0;
    }
}

static tacResult write_column(const tacModel* model, const tacStepDot* d, const tacColumnRange* r,
                              int column) {
    int nv = model->nv;
    if (!tac_state_tangent_is_finite(model, (tacTangent){d->next.q, d->next.v, d->next.act}))
        return TAC_ERROR_DIVERGED;
    for (int k = 0; k < tac_tangent_size(model); ++k) {
        const tacReal* next = k < nv       ? d->next.q + k
                              : k < 2 * nv ? d->next.v + k - nv
                                           : d->next.act + k - 2 * nv;
        r->X[(size_t)k * (size_t)r->count + (size_t)column] = *next;
    }
    return TAC_OK;
}

static tacResult eval_block(tacStepWorkspace* ws, tacTangentBlock* b, const tacColumnRange* range,
                            int from, int to) {
    const tacModel* model = ws->f.dyn.model;
    for (int i = 0; i < ws->s.count; ++i) {
        if (ws->s.count > 1) {
            tac_step_stage(&ws->f, &ws->s, i);
            tac_forward_prepare_diff(&ws->f, ws->s.a[i]);
        }
        stage_columns(ws, b, range, i, from, to);
    }
    tacResult result = TAC_OK;
    for (int c = from; c < to && result == TAC_OK; ++c) {
        columnTangent t = column_tangent(model, b, range, c, c - from);
        *t.unit = 1.0;
        tac_integrate_stages_jvp(&ws->f, &ws->s, t.dot);
        *t.unit = 0.0;
        result = write_column(model, t.dot, range, c);
    }
    return result;
}

tacResult tac_jacobian_columns(tacStepWorkspace* ws, tacTangentBlock* b, tacColumnRange range) {
    tacResult result = TAC_OK;
    for (int from = 0; from < range.count && result == TAC_OK; from += TAC_TANGENT_BLOCK) {
        int to = from + TAC_TANGENT_BLOCK < range.count ? from + TAC_TANGENT_BLOCK : range.count;
        result = eval_block(ws, b, &range, from, to);
    }
    return result;
}
