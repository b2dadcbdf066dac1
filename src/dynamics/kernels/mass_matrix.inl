// The mass matrix by composite bodies, stored and factored along the tree: M = L' D L, no fill-in.

#ifndef TAC_DYNAMICS_KERNELS_MASS_MATRIX_INL
#define TAC_DYNAMICS_KERNELS_MASS_MATRIX_INL

#include "dynamics/kernels/inverse_dynamics.inl"

static void add_inertia(tacReal* p, int to, int from) {
    for (int k = 0; k < 10; ++k) w_add(p, 10 * to + k, w_get(p, 10 * from + k));
}

TAC_INLINE int is_slide(const tacModel* model, int dof) {
    return model->joint[model->dof[dof].joint].kind == TAC_JOINT_SLIDE;
}

// momentum of a body that moves by a unit along a degree of freedom; a slide does not rotate it
TAC_INLINE lane6 unit_momentum(const tacModel* model, const tacMotion* m, int k,
                               const laneInertia* I) {
    if (!is_slide(model, k)) return inertia_apply(I, get6(m->S, k));
    lane3 axis = get3(m->S, 2 * k);
    return (lane6){scale3(axis, I->m), cross3(I->h, axis)};
}

TAC_INLINE wide along_dof(const tacModel* model, const tacMotion* m, int k, lane6 f) {
    if (is_slide(model, k)) return dot3(get3(m->S, 2 * k), f.l);
    return dot6(get6(m->S, k), f);
}

// the row of a degree of freedom: its composite body's momentum along the motions above it
TAC_INLINE void mass_row(const tacModel* model, tacMotion* m, int k, const laneInertia* I,
                         wide diagonal) {
    const tacDof* dof = &model->dof[k];
    lane6 momentum = unit_momentum(model, m, k, I);
    w_put(m->M, dof->row, along_dof(model, m, k, momentum) + diagonal);
    int at = dof->row + 1;
    for (int j = dof->parent; j >= 0; j = model->dof[j].parent)
        w_put(m->M, at++, along_dof(model, m, j, momentum));
}

static void mass(const tacModel* model, tacMotion* m, const tacReal* extra) {
    for (int i = 0; i < 10 * model->nbody; ++i) w_put(m->composite, i, w_get(m->inertia, i));
    for (int b = model->nbody - 1; b > 0; --b)
        if (model->body[b].parent > 0) add_inertia(m->composite, model->body[b].parent, b);
    for (int k = 0; k < model->nv; ++k) {
        laneInertia I = get_inertia(m->composite, model->dof[k].body);
        wide diagonal = w_set(model->param[model->joint[model->dof[k].joint].armature]);
        if (extra) diagonal = diagonal + w_get(extra, k);
        mass_row(model, m, k, &I, diagonal);
    }
}

// row i -= a row k, for the part of row k that begins at degree of freedom i
TAC_INLINE void eliminate_row(tacReal* M, int row_i, int row_k, int length, wide a) {
    for (int s = 0; s < length; ++s)
        w_put(M, row_i + s, w_fma(-a, w_get(M, row_k + s), w_get(M, row_i + s)));
}

static void factor(const tacModel* model, tacMotion* m) {
    for (int k = model->nv - 1; k >= 0; --k) {
        const tacDof* dof = &model->dof[k];
        wide inverse_d = 1.0 / w_get(m->M, dof->row);
        int t = 1;
        for (int i = dof->parent; i >= 0; i = model->dof[i].parent, ++t) {
            wide a = w_get(m->M, dof->row + t) * inverse_d;
            eliminate_row(m->M, model->dof[i].row, dof->row + t, dof->depth - t, a);
            w_put(m->M, dof->row + t, a);
        }
        w_put(m->M, dof->row, inverse_d);
    }
}

static void solve(const tacModel* model, const tacMotion* m, tacReal* x) {
    for (int k = model->nv - 1; k >= 0; --k) {
        const tacDof* dof = &model->dof[k];
        wide xk = w_get(x, k);
        int at = dof->row + 1;
        for (int j = dof->parent; j >= 0; j = model->dof[j].parent, ++at)
            w_put(x, j, w_fma(-w_get(m->M, at), xk, w_get(x, j)));
    }
    for (int k = 0; k < model->nv; ++k) {
        const tacDof* dof = &model->dof[k];
        wide xk = w_get(x, k) * w_get(m->M, dof->row);
        int at = dof->row + 1;
        for (int j = dof->parent; j >= 0; j = model->dof[j].parent, ++at)
            xk = w_fma(-w_get(m->M, at), w_get(x, j), xk);
        w_put(x, k, xk);
    }
}

// row i -= a row k
TAC_INLINE void subtract_row(tacReal* restrict to, const tacReal* restrict from, tacReal a,
                             int count) {
    for (int c = 0; c < count; ++c) to[c] -= a * from[c];
}

// many right-hand sides at once: whole rows in place of numbers
static void solve_columns(const tacModel* model, const tacMotion* m, tacReal* x, int count,
                          int stride) {
    const size_t step = (size_t)stride;
    for (int k = model->nv - 1; k >= 0; --k) {
        const tacReal* L = m->M + model->dof[k].row + 1;
        for (int j = model->dof[k].parent; j >= 0; j = model->dof[j].parent, ++L)
            subtract_row(x + (size_t)j * step, x + (size_t)k * step, *L, count);
    }
    for (int k = 0; k < model->nv; ++k) {
        tacReal* row = x + (size_t)k * step;
        const tacReal* L = m->M + model->dof[k].row + 1;
        for (int c = 0; c < count; ++c) row[c] *= L[-1];
        for (int j = model->dof[k].parent; j >= 0; j = model->dof[j].parent, ++L)
            subtract_row(row, x + (size_t)j * step, *L, count);
    }
}

static void multiply_add(int rows, int inner, int columns, const tacReal* X, int stride,
                         const tacReal* Y, tacReal* out) {
    const size_t width = (size_t)columns;
    for (int r = 0; r < rows; ++r)
        for (int j = 0; j < inner; ++j) {
            tacReal x = X[(size_t)r * (size_t)stride + (size_t)j];
            subtract_row(out + (size_t)r * width, Y + (size_t)j * width, -x, columns);
        }
}

#endif
