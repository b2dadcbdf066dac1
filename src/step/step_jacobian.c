// The Jacobians of the step as matrices.
//
// Euler: columns of the inverse dynamics' derivatives, one sparse solve for all of them, and the
// map from velocities to positions on top. They are made in place in the lower half of A. RK4 and
// parameters: one forward derivative per column.

#include "step/step.h"

#include "math/quat.h"

#include <string.h>

//---------------------------------- Euler ----------------------------------------

// what springs, dampers and actuators add along position `place` of each joint's group
static void add_applied(tacFlow* f, tacReal* X, int nx, int place, int by_velocity, tacReal* dot,
                        tacReal* tau) {
    const tacModel* model = f->model;
    for (int k = 0; k < model->nv; ++k) dot[k] = k - model->dof[k].group == place;
    tacMotionDot along = by_velocity ? (tacMotionDot){.dv = dot} : (tacMotionDot){.dq = dot};
    f->k->applied_jvp(model, &f->m, f->ctrl, &along, NULL, tau);
    for (int k = 0; k < model->nv; ++k) {
        int j = model->dof[k].group + place; // a force depends on its own group only
        if (j < model->nv && model->dof[j].group == model->dof[k].group)
            X[(size_t)k * (size_t)nx + (size_t)(j + (by_velocity ? model->nv : 0))] += tau[k];
    }
}

// lower half of A: d a/d(q, v)
static void accelerations_by_state(tacFlow* f, tacReal* X, int nx, tacReal* dot, tacReal* tau) {
    const tacModel* model = f->model;
    f->k->inverse_jacobian(model, &f->m, X, X + model->nv, nx);
    for (size_t i = 0; i < (size_t)nx * (size_t)model->nv; ++i) X[i] = -X[i];
    for (int place = 0; place < 3; ++place) {
        add_applied(f, X, nx, place, 0, dot, tau);
        add_applied(f, X, nx, place, 1, dot, tau);
    }
    f->k->solve_columns(model, &f->m, X, nx, nx);
}

// how many actuators before this one drive the same joint
static int rank_of(const tacModel* model, int actuator) {
    int rank = 0;
    for (int i = 0; i < actuator; ++i)
        rank += model->actuator[i].joint == model->actuator[actuator].joint;
    return rank;
}

// lower half of B: d a/d u. Each pass takes one actuator of every joint, mostly all there are
static void accelerations_by_control(tacFlow* f, tacReal* X, tacReal* dot, tacReal* tau) {
    const tacModel* model = f->model;
    const tacMotionDot still = {0};
    int nu = model->nu, left = nu;
    memset(X, 0, sizeof *X * (size_t)nu * (size_t)model->nv);
    for (int rank = 0; left > 0; ++rank) {
        for (int i = 0; i < nu; ++i) dot[i] = rank_of(model, i) == rank;
        f->k->applied_jvp(model, &f->m, f->ctrl, &still, dot, tau);
        for (int i = 0; i < nu; ++i) {
            if (tac_re(dot[i]) == 0.0) continue;
            size_t k = (size_t)model->joint[model->actuator[i].joint].dof;
            X[k * (size_t)nu + (size_t)i] = tau[k];
            --left;
        }
    }
    f->k->solve_columns(model, &f->m, X, nu, nu);
}

// rows of d v: of the next velocity in place of the acceleration
static void velocity_rows(const tacFlow* f, tacReal* V, int columns, int has_state) {
    int nv = f->model->nv;
    size_t count = (size_t)nv * (size_t)columns;
    for (size_t i = 0; i < count; ++i) V[i] *= f->h;
    for (int k = 0; k < nv && has_state; ++k)
        V[(size_t)k * (size_t)columns + (size_t)(nv + k)] += 1.0;
}

// A row of d q: h J times three rows of d v, or of the unit matrix where the old velocity moves the
// positions (V NULL); then E, the derivative by the positions themselves.
typedef struct positionRow {
    int dof, count; // the numbers that it depends on
    tacReal J[3], E[3];
} positionRow;

static void position_row(const tacFlow* f, const positionRow* r, const tacReal* V, int columns,
                         int has_state, tacReal* out) {
    memset(out, 0, sizeof *out * (size_t)columns);
    for (int i = 0; i < r->count; ++i) {
        tacReal a = f->h * r->J[i];
        const tacReal* row = V ? V + (size_t)(r->dof + i) * (size_t)columns : NULL;
        for (int c = 0; c < columns && row; ++c) out[c] += a * row[c];
        if (!row && has_state) out[f->model->nv + r->dof + i] += a;
        if (has_state) out[r->dof + i] += r->E[i];
    }
}

static void position_rows(const tacFlow* f, const tacStages* s, const tacReal* V, tacReal* Q,
                          int columns, int has_state) {
    const tacModel* model = f->model;
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int k = j->dof, straight = j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
        for (; k < j->dof + straight; ++k) {
            const positionRow row = {k, 1, {1.0}, {1.0}};
            position_row(f, &row, V, columns, has_state, Q + (size_t)k * (size_t)columns);
        }
        if (j->axis >= 0) continue;
        tacVec3 w = tac_scale(tac_load3(s->mean_v + k), f->h);
        tacMat3 R = tac_so3_exp(w), L = tac_so3_left_jacobian(w); // E = exp(-w) = R', J_r = L'
        for (int r = 0; r < 3; ++r) {
            const positionRow row = {
                k, 3, {L.m[0][r], L.m[1][r], L.m[2][r]}, {R.m[0][r], R.m[1][r], R.m[2][r]}};
            position_row(f, &row, V, columns, has_state, Q + (size_t)(k + r) * (size_t)columns);
        }
    }
}

// From d a (rows below) to d next. The columns are those of the state (A), or of inputs that it
// does not depend on (B).
static void chain(const tacFlow* f, const tacStages* s, tacReal* X, int columns, int has_state) {
    tacReal* V = X + (size_t)f->model->nv * (size_t)columns;
    int old = f->model->integrator == TAC_INTEGRATOR_EXPLICIT;
    velocity_rows(f, V, columns, has_state);
    position_rows(f, s, old ? NULL : V, X, columns, has_state);
}

static void euler_jacobian(tacFlow* f, tacStages* s, tacReal* A, tacReal* B, tacReal* work) {
    const tacModel* model = f->model;
    int nv = model->nv, nx = 2 * nv;
    tac_flow_ready(f, s->a[0]);
    if (A) {
        accelerations_by_state(f, A + (size_t)nv * (size_t)nx, nx, work, work + nv);
        chain(f, s, A, nx, 1);
    }
    if (B && model->nu > 0) {
        accelerations_by_control(f, B + nv * model->nu, work, work + nv + model->nu);
        chain(f, s, B, model->nu, 0);
    }
}

//---------------------------------- columns --------------------------------------

typedef struct columnInput {
    tacTangent x;
    tacReal *u, *theta, *next;
} columnInput;

// one column: the forward derivative along the unit of one input
static tacResult column(const tacModel* model, const tacState* x, const tacReal* u,
                        const columnInput* in, tacReal* unit, tacReal* X, int columns, int c,
                        tacScratch* scratch) {
    int nv = model->nv;
    tacTangent next = {.dq = in->next, .dv = in->next + nv};
    int by_theta = in->theta && unit >= in->theta && unit < in->theta + model->nparam;
    *unit = 1.0;
    tacResult result =
        tac_step_jvp(model, x, u, in->x, in->u, by_theta ? in->theta : NULL, next, scratch);
    *unit = 0.0;
    for (int k = 0; k < 2 * nv && result == TAC_OK; ++k)
        X[(size_t)k * (size_t)columns + (size_t)c] = in->next[k];
    return result;
}

static columnInput take_input(const tacModel* model, tacArena* arena) {
    int nv = model->nv;
    tacReal* all = TAC_TAKE(arena, tacReal, 2 * nv + model->nu + model->nparam + 2 * nv);
    memset(all, 0, sizeof *all * (size_t)(2 * nv + model->nu + model->nparam));
    return (columnInput){.x = {.dq = all, .dv = all + nv},
                         .u = all + 2 * nv,
                         .theta = all + 2 * nv + model->nu,
                         .next = all + 2 * nv + model->nu + model->nparam};
}

static int count_columns(const tacParam* theta, int ntheta) {
    int count = 0;
    for (int i = 0; i < ntheta; ++i) count += theta[i].count;
    return count;
}

static tacResult parameter_columns(const tacModel* model, const tacState* x, const tacReal* u,
                                   const columnInput* in, const tacParam* theta, int ntheta,
                                   tacReal* P, tacScratch* scratch) {
    int columns = count_columns(theta, ntheta), c = 0;
    tacResult result = TAC_OK;
    for (int i = 0; i < ntheta; ++i)
        for (int k = 0; k < theta[i].count && result == TAC_OK; ++k)
            result =
                column(model, x, u, in, &in->theta[theta[i].offset + k], P, columns, c++, scratch);
    return result;
}

static tacResult state_columns(const tacModel* model, const tacState* x, const tacReal* u,
                               const columnInput* in, tacReal* A, tacReal* B, tacScratch* scratch) {
    tacResult result = TAC_OK;
    int nx = 2 * model->nv;
    for (int c = 0; c < nx && A && result == TAC_OK; ++c)
        result = column(model, x, u, in, &in->x.dq[c], A, nx, c, scratch);
    for (int c = 0; c < model->nu && B && result == TAC_OK; ++c)
        result = column(model, x, u, in, &in->u[c], B, model->nu, c, scratch);
    return result;
}

//---------------------------------- step -----------------------------------------

static int is_usable(const tacModel* model, const tacParam* theta, int ntheta) {
    for (int i = 0; i < ntheta; ++i)
        if (theta[i].offset < 0 || theta[i].count < 1 ||
            theta[i].count > model->nparam - theta[i].offset)
            return 0;
    return ntheta >= 0;
}

tacResult tac_step_jacobian(const tacModel* model, const tacState* x, const tacReal* u,
                            tacState* next, tacReal* A, tacReal* B, const tacParam* theta,
                            int ntheta, tacReal* P, tacScratch* scratch) {
    tacResult result = tac_step_check(model, x, u);
    if (result == TAC_OK && P && !is_usable(model, theta, ntheta)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacFlow f = tac_flow_take(model, TAC_DISPATCH(tac_dynamics_single_), arena);
    tacStages s = tac_stages_take(model, 1, arena);
    tacReal *q = TAC_TAKE(arena, tacReal, model->nq), *v = TAC_TAKE(arena, tacReal, model->nv);
    f.ctrl = u, s.q[0] = x->qpos, s.v[0] = x->qvel;
    tac_advance(&f, &s, q, v);
    columnInput in = take_input(model, arena);
    tacReal* work = TAC_TAKE(arena, tacReal, 2 * model->nv + model->nu);
    if (!tac_all_finite(q, model->nq) || !tac_all_finite(v, model->nv))
        result = TAC_ERROR_DIVERGED;
    else if (s.count == 1)
        euler_jacobian(&f, &s, A, B, work);
    else
        result = state_columns(model, x, u, &in, A, B, scratch);
    if (result == TAC_OK && P)
        result = parameter_columns(model, x, u, &in, theta, ntheta, P, scratch);
    if (result == TAC_OK && next) {
        tac_state_keep(model, x, next);
        memcpy(next->qpos, q, sizeof *q * (size_t)model->nq);
        memcpy(next->qvel, v, sizeof *v * (size_t)model->nv);
    }
    arena->used = mark;
    return result;
}
