// Derivatives of the step of hard contact: the product of its substeps and impacts, with the
// derivatives of the times of impact (docs/hard.md, eq. (4) and (7)).

#include "step/hard/hard_pass.h"

#include "detect/part_motion.h"
#include "dynamics/kinematics_diff.h"
#include "math/spatial.h"
#include "math/vector_ops.h"

#include <string.h>

static void clear_reals(double* x, int n) { memset(x, 0, sizeof *x * (size_t)n); }

static int is_explicit(const tacModel* model) {
    return model->integrator == TAC_INTEGRATOR_EXPLICIT;
}

static const double* path_velocity(const tacModel* model, const tacSolveRecord* record) {
    return is_explicit(model) ? record->v : record->u;
}

// configuration of the impact that ends a substep: that of its collision, or of the next substep
static const double* impact_qpos(const tacHardPass* p, int i) {
    const tacSubstep* t = &p->substep[i];
    if (t->count > 0) return p->record[t->first].q;
    return i + 1 < p->substeps ? p->substep[i + 1].record->q : p->end.q;
}

// kinematics at an impact, in the motion `after`
static void impact_kinematics(tacContactSolve* s, const double* q) {
    s->dynamics.after.qpos = q;
    s->dynamics.after.qvel = s->dynamics.zero;
    s->dynamics.after.qacc = NULL;
    s->dynamics.after.wrench = NULL;
    s->dynamics.free[0].k->kinematics(s->scene, &s->dynamics.after);
    s->dynamics.free[0].k->inverse(s->scene, &s->dynamics.after, s->work.joint_force);
}

// a body of the pair of an impact, and its contact point
typedef struct impactSide {
    int body;
    tacVec3 arm; // from the tree's origin
} impactSide;

static impactSide impact_side(const tacContactSolve* s, const tacFirstImpact* hit, int side) {
    int body = s->scene->contact->pair[hit->pair].body[side];
    tacVec3 point = tac_load3(hit->nearest.point[side]);
    return (impactSide){body, tac_sub(point, tac_load3(s->dynamics.after.origin + 3 * body))};
}

//---------------------------------- forward ----------------------------------

// One column. theta is shared between columns: `param` alone is 1 in it while a column is at hand,
// or it is given whole (param -1); its time step is that of the moment.
typedef struct hardDot {
    tacContactSolveDot x;  // of the state at hand, ctrl, theta
    int param;             // or -1
    double *u, *q_end_dot; // (nv) of a substep's velocity after, of q at its end
    double *rate, *act;    // (na)
    double h;              // of the time left, or of a substep's part of it
} hardDot;

enum { DRIFT = 24 };

// d level/d delta
static double level_by_delta(const tacContactSolve* s, const tacFirstImpact* hit) {
    return hit->level == s->options.delta                      ? 1.0
           : hit->level == TAC_MIN_DISTANCE * s->options.delta ? TAC_MIN_DISTANCE
                                                               : 0.0;
}

// t_dot = -(n . (p_B_dot - p_A_dot) - level_dot)/rate; q_end_dot is at the impact with t constant
static double impact_jvp(tacContactSolve* s, const tacSubstep* t, const double* q,
                         const hardDot* d) {
    const tacFirstImpact* hit = &t->impact;
    double sum = -level_by_delta(s, hit) * d->x.theta[s->options.delta_param];
    tacVec3 n = tac_load3(hit->nearest.normal);
    if (!hit->exact) return 0.0;
    tacMotionDot dot = {.dq = d->q_end_dot, .theta = d->x.theta};
    impact_kinematics(s, q);
    s->dynamics.free[0].k->inverse_jvp(s->scene, &s->dynamics.after, &dot, s->work.joint_force);
    for (int side = 0; side < 2; ++side) {
        impactSide m = impact_side(s, hit, side);
        tacTwist D = tac_twist_load(s->dynamics.after.work + DRIFT * m.body);
        double v = m.body == 0 ? 0.0 : tac_dot(n, tac_add(D.linear, tac_cross(D.angular, m.arm)));
        sum += side ? v : -v;
    }
    tac_motion_poses(s->scene, &s->dynamics.after, s->dynamics.pose);
    sum += tac_part_distance_theta_jvp(s->scene, s->dynamics.pose, hit, d->x.theta);
    return -sum / hit->rate;
}

static void substep_activation_jvp(tacContactSolve* s, const tacSubstep* t, hardDot* d,
                                   double span_dot) {
    const tacModel* model = s->scene;
    tacFreeDynamics* f = &s->dynamics.free[0];
    if (model->na == 0) return;
    double keep = d->x.theta[model->timestep];
    s->dynamics.timed.param[model->timestep] = t->span;
    d->x.theta[model->timestep] = span_dot;
    tacMotionDot dot = {.act = d->x.act, .theta = d->x.theta};
    f->m.act = t->record->act;
    f->k->act_next_jvp(&s->dynamics.timed, &f->m, s->dynamics.rate, d->rate, &dot, d->act);
    tac_copy_reals(d->x.act, d->act, model->na);
    d->x.theta[model->timestep] = keep;
}

// q, v, act and the time left at the end of a substep, before its collision
static void advance_jvp(tacHardPass* p, int i, hardDot* d) {
    tacContactSolve* s = p->s;
    const tacModel* model = s->scene;
    const tacSubstep* t = &p->substep[i];
    const tacSolveRecord* record = t->record;
    double elapsed = t->span / t->h, span_dot = d->h;
    const double *path = path_velocity(model, record),
                 *path_dot = is_explicit(model) ? d->x.v : d->u;
    if (t->impact.found) {
        tac_advance_pos_jvp(model, path, t->span, d->x.q, path_dot, 0.0, d->q_end_dot);
        span_dot = impact_jvp(s, t, impact_qpos(p, i), d);
    }
    substep_activation_jvp(s, t, d, span_dot);
    tac_advance_pos_jvp(model, path, t->span, d->x.q, path_dot, span_dot, d->q_end_dot);
    double elapsed_dot = (span_dot - elapsed * d->h) / t->h;
    for (int k = 0; k < model->nv; ++k) {
        double v = d->x.v[k] + elapsed * (d->u[k] - d->x.v[k]) +
                   elapsed_dot * (record->u[k] - record->v[k]);
        d->x.v[k] = t->impact.found ? v : d->u[k];
    }
    tac_copy_reals(d->x.q, d->q_end_dot, model->nv);
    d->h -= span_dot;
}

static void set_theta(const tacModel* model, hardDot* d) {
    if (d->param >= 0) d->x.theta[d->param] = 1.0;
    d->x.theta[model->timestep] = d->h;
}

static void clear_theta(const tacModel* model, hardDot* d) {
    if (d->param >= 0) d->x.theta[d->param] = 0.0;
    d->x.theta[model->timestep] = 0.0;
}

// a solve, of all columns; impacts change the velocity
static tacResult solves_jvp(tacContactSolve* s, const tacSolveRecord* record, hardDot* d,
                            int columns) {
    tacResult result = tac_contact_solve_restore(s, record);
    for (int c = 0; c < columns && result == TAC_OK; ++c) {
        set_theta(s->scene, &d[c]);
        tac_contact_solve_jvp(s, record, &d[c].x, d[c].u, d[c].rate);
        clear_theta(s->scene, &d[c]);
        if (record->is_impact) tac_copy_reals(d[c].x.v, d[c].u, s->scene->nv);
    }
    return result;
}

static tacResult substep_jvp(tacHardPass* p, int i, hardDot* d, int columns) {
    const tacSubstep* t = &p->substep[i];
    for (int c = 0; c < columns; ++c) d[c].h *= t->fraction;
    tacResult result = solves_jvp(p->s, t->record, d, columns);
    for (int c = 0; c < columns && result == TAC_OK; ++c) {
        double rest = (1.0 / t->fraction - 1.0) * d[c].h;
        set_theta(p->s->scene, &d[c]);
        advance_jvp(p, i, &d[c]);
        clear_theta(p->s->scene, &d[c]);
        d[c].h += rest;
    }
    for (int k = t->first; k < t->first + t->count && result == TAC_OK; ++k)
        result = solves_jvp(p->s, &p->record[k], d, columns);
    return result;
}

static hardDot alloc_dot(const tacModel* model, double* theta, double* ctrl, tacArena* arena) {
    int nv = model->nv, na = model->na;
    hardDot d = {.param = -1, .x.theta = theta, .x.ctrl = ctrl};
    d.x.q = tac_alloc_zero(arena, nv);
    d.x.v = tac_alloc_zero(arena, nv);
    d.x.act = tac_alloc_zero(arena, na);
    d.u = tac_alloc_zero(arena, nv);
    d.q_end_dot = tac_alloc_zero(arena, nv);
    d.rate = tac_alloc_zero(arena, na);
    d.act = tac_alloc_zero(arena, na);
    return d;
}

static int is_tangent_finite(const tacModel* model, const hardDot* d) {
    return tac_all_finite(d->x.q, model->nv) && tac_all_finite(d->x.v, model->nv) &&
           tac_all_finite(d->x.act, model->na);
}

tacResult tac_hard_jvp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacStepTangent dot, tacTangent next_dot, tacScratch* scratch) {
    tacHardPass p;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacResult result = tac_hard_pass(model, x, u, scratch, &p);
    if (result == TAC_OK && p.s->options.frozen_bounds) result = TAC_ERROR_UNSUPPORTED;
    if (result == TAC_OK) {
        double* theta = tac_alloc_zero(arena, model->nparam);
        hardDot d = alloc_dot(model, theta, tac_alloc_zero(arena, model->nu), arena);
        tac_copy_reals(d.x.q, dot.x.dq, model->nv);
        tac_copy_reals(d.x.v, dot.x.dv, model->nv);
        tac_copy_reals(d.x.act, dot.x.da, model->na);
        tac_copy_reals(d.x.ctrl, dot.u, model->nu);
        tac_copy_reals(theta, dot.theta, model->nparam);
        d.h = d.x.dt = theta[model->timestep];
        for (int i = 0; i < p.substeps && result == TAC_OK; ++i) result = substep_jvp(&p, i, &d, 1);
        if (result == TAC_OK && !is_tangent_finite(model, &d)) result = TAC_ERROR_DIVERGED;
        if (result == TAC_OK) {
            if (next_dot.dq) tac_copy_reals(next_dot.dq, d.x.q, model->nv);
            if (next_dot.dv) tac_copy_reals(next_dot.dv, d.x.v, model->nv);
            if (next_dot.da) tac_copy_reals(next_dot.da, d.x.act, model->na);
        }
    }
    scratch->info = p.info;
    scratch->info.flags |= p.s->diff_flags;
    arena->used = mark;
    return result;
}

//---------------------------------- matrices ----------------------------------

// which input a column belongs to: state, control, parameter
typedef struct columnPlan {
    int nx, nu, params; // columns of the state, of controls and of parameters
    const tacParam* theta;
    int ntheta;
    double *A, *B, *P; // their matrices
} columnPlan;

static int param_of(const columnPlan* plan, int c) {
    for (int i = 0; i < plan->ntheta; c -= plan->theta[i++].count)
        if (c < plan->theta[i].count) return plan->theta[i].offset + c;
    return -1;
}

// a unit of one input
static void seed_column(const tacModel* model, hardDot* d, const columnPlan* plan, int c,
                        double* units) {
    int nv = model->nv;
    if (c < plan->nx)
        (c < nv ? d->x.q + c : c < 2 * nv ? d->x.v + c - nv : d->x.act + c - 2 * nv)[0] = 1.0;
    else if (c < plan->nx + plan->nu) {
        d->x.ctrl = units + (size_t)(c - plan->nx) * (size_t)model->nu;
        d->x.ctrl[c - plan->nx] = 1.0;
    } else {
        d->param = param_of(plan, c - plan->nx - plan->nu);
        if (d->param == model->timestep) d->h = d->x.dt = 1.0;
    }
}

static void store_column(const tacModel* model, const hardDot* d, double* X, int columns, int c) {
    int nv = model->nv;
    for (int k = 0; k < nv; ++k) {
        X[(size_t)k * (size_t)columns + (size_t)c] = d->x.q[k];
        X[(size_t)(nv + k) * (size_t)columns + (size_t)c] = d->x.v[k];
    }
    for (int k = 0; k < model->na; ++k)
        X[(size_t)(2 * nv + k) * (size_t)columns + (size_t)c] = d->x.act[k];
}

// a column of A, B or P
static void store_in_matrix(const tacModel* model, const hardDot* d, const columnPlan* plan,
                            int c) {
    if (c < plan->nx)
        store_column(model, d, plan->A, plan->nx, c);
    else if (c < plan->nx + plan->nu)
        store_column(model, d, plan->B, plan->nu, c - plan->nx);
    else
        store_column(model, d, plan->P, plan->params, c - plan->nx - plan->nu);
}

enum { MIN_BLOCK = 32, MAX_BLOCK_NUMBERS = 1 << 17 };

// Columns that go through the step together. Each block restores every record, so that all columns
// of state and controls are one block where 1 MB holds them.
static int block_columns(const tacModel* model) {
    int all = tac_tangent_size(model) + model->nu;
    int fitting = MAX_BLOCK_NUMBERS / (5 * model->nv + 3 * model->na + 1);
    int count = all < fitting ? all : fitting;
    return count > MIN_BLOCK ? count : MIN_BLOCK;
}

typedef struct columnBlock {
    hardDot* dot;  // (columns)
    double* units; // controls of each column (nu x nu)
} columnBlock;

static columnBlock alloc_block(const tacModel* model, int columns, tacArena* arena) {
    columnBlock block = {.dot = TAC_ALLOC(arena, hardDot, columns)};
    double* theta = tac_alloc_zero(arena, model->nparam);
    double* ctrl = tac_alloc_zero(arena, model->nu);
    block.units = tac_alloc_zero(arena, model->nu * model->nu);
    for (int c = 0; c < columns; ++c) {
        hardDot dot = alloc_dot(model, theta, ctrl, arena);
        if (block.dot) block.dot[c] = dot;
    }
    return block;
}

static tacResult jacobian_block(tacHardPass* p, const columnPlan* plan, int first, int count,
                                tacArena* arena) {
    const tacModel* model = p->s->scene;
    size_t mark = arena->used;
    columnBlock block = alloc_block(model, count, arena);
    tacResult result = TAC_OK;
    for (int c = 0; c < count; ++c) seed_column(model, &block.dot[c], plan, first + c, block.units);
    for (int i = 0; i < p->substeps && result == TAC_OK; ++i)
        result = substep_jvp(p, i, block.dot, count);
    for (int c = 0; c < count && result == TAC_OK; ++c) {
        if (!is_tangent_finite(model, &block.dot[c])) result = TAC_ERROR_DIVERGED;
        store_in_matrix(model, &block.dot[c], plan, first + c);
    }
    arena->used = mark;
    return result;
}

tacResult tac_hard_jacobian(const tacModel* model, const tacState* x, const tacReal* u,
                            const tacStepJacobian* out, tacScratch* scratch) {
    tacHardPass p;
    size_t mark = scratch->arena.used;
    columnPlan plan = {.nx = out->A ? tac_tangent_size(model) : 0,
                       .nu = out->B ? model->nu : 0,
                       .theta = out->theta,
                       .ntheta = out->P ? out->ntheta : 0,
                       .A = out->A,
                       .B = out->B,
                       .P = out->P};
    for (int i = 0; i < plan.ntheta; ++i) plan.params += plan.theta[i].count;
    int columns = plan.nx + plan.nu + plan.params, block = block_columns(model);
    tacResult result = tac_hard_pass(model, x, u, scratch, &p);
    if (result == TAC_OK && p.s->options.frozen_bounds) result = TAC_ERROR_UNSUPPORTED;
    for (int c = 0; c < columns && result == TAC_OK; c += block)
        result = jacobian_block(&p, &plan, c, columns - c < block ? columns - c : block,
                                &scratch->arena);
    if (result == TAC_OK && out->next) tac_hard_write_state(&p, x, out->next);
    scratch->info = p.info;
    scratch->info.flags |= p.s->diff_flags;
    scratch->arena.used = mark;
    return result;
}

//---------------------------------- reverse ----------------------------------

typedef struct hardBar {
    tacContactSolveDot x; // of the state at hand; ctrl, theta and dt add up
    double *u, *path, *q; // (nv)
    double *rate, *act;   // (na)
    double h;             // of the time left after a substep
} hardBar;

static void impact_vjp(tacContactSolve* s, const tacSubstep* t, const double* q, double span_bar,
                       double* q_bar, tacContactSolveDot* x) {
    const tacFirstImpact* hit = &t->impact;
    if (!hit->exact) return;
    double scale = -span_bar / hit->rate;
    impact_kinematics(s, q);
    memset(s->work.motion_bar.D_after, 0, sizeof(double) * (size_t)(6 * s->scene->nbody));
    for (int side = 0; side < 2; ++side) {
        impactSide m = impact_side(s, hit, side);
        tacVec3 force = tac_scale(tac_load3(hit->nearest.normal), side ? scale : -scale);
        double* D = s->work.motion_bar.D_after + 6 * m.body;
        tacWrench w = {force, tac_cross(m.arm, force)};
        if (m.body > 0) tac_wrench_store(D, tac_wrench_add(tac_wrench_load(D), w));
    }
    x->theta[s->options.delta_param] -= level_by_delta(s, hit) * scale;
    tac_motion_poses(s->scene, &s->dynamics.after, s->dynamics.pose);
    tac_part_distance_theta_vjp(s->scene, s->dynamics.pose, hit, scale, x->theta);
    tac_body_motion_vjp(s->scene, &s->dynamics.after, s->work.motion_bar.D_after, NULL, q_bar, NULL,
                        x->theta);
}

// From the end of a substep to its start, u and rate; returns the adjoint of its planned length.
static double advance_vjp(tacHardPass* p, int i, double span_bar, hardBar* b) {
    tacContactSolve* s = p->s;
    const tacModel* model = s->scene;
    const tacSubstep* t = &p->substep[i];
    const tacSolveRecord* record = t->record;
    int nv = model->nv, found = t->impact.found;
    double elapsed = t->span / t->h, h_bar = 0.0, elapsed_bar = 0.0;
    const double* path = path_velocity(model, record);
    span_bar -= b->h;
    clear_reals(b->u, nv);
    clear_reals(b->q, nv);
    clear_reals(b->path, nv);
    for (int k = 0; k < nv; ++k) {
        double v = b->x.v[k];
        b->u[k] = found ? elapsed * v : v;
        b->x.v[k] = found ? (1.0 - elapsed) * v : 0.0;
        if (found) elapsed_bar += v * (record->u[k] - record->v[k]);
    }
    tac_advance_pos_vjp(model, path, t->span, b->x.q, b->q, b->path, &span_bar);
    if (found) {
        span_bar += elapsed_bar / t->h;
        h_bar -= elapsed_bar * elapsed / t->h;
        // the impact depends on q at a constant time
        clear_reals(b->x.q, nv);
        double unused = 0.0;
        impact_vjp(s, t, impact_qpos(p, i), span_bar, b->x.q, &b->x);
        tac_advance_pos_vjp(model, path, t->span, b->x.q, b->q, b->path, &unused);
    } else
        h_bar = span_bar;
    for (int k = 0; k < nv; ++k) {
        b->x.q[k] = b->q[k];
        (is_explicit(model) ? b->x.v : b->u)[k] += b->path[k];
    }
    return h_bar;
}

static void substep_activation_vjp(tacContactSolve* s, const tacSubstep* t, hardBar* b,
                                   double* span_bar) {
    const tacModel* model = s->scene;
    tacFreeDynamics* f = &s->dynamics.free[0];
    if (model->na == 0) return;
    double keep = b->x.theta[model->timestep];
    clear_reals(b->rate, model->na);
    clear_reals(b->act, model->na);
    s->dynamics.timed.param[model->timestep] = t->span;
    b->x.theta[model->timestep] = 0.0;
    tacMotionDot bar = {.act = b->act, .theta = b->x.theta};
    f->m.act = t->record->act;
    f->k->act_next_vjp(&s->dynamics.timed, &f->m, s->dynamics.rate, b->x.act, b->rate, &bar);
    *span_bar += b->x.theta[model->timestep];
    b->x.theta[model->timestep] = keep;
    tac_copy_reals(b->x.act, b->act, model->na);
}

// a solve: the time step in theta collects the adjoint of the substep's length
static tacResult solve_vjp(tacContactSolve* s, const tacSolveRecord* record, hardBar* b,
                           double* h_bar) {
    const tacModel* model = s->scene;
    double keep = b->x.theta[model->timestep];
    b->x.theta[model->timestep] = 0.0;
    tac_contact_solve_vjp(s, record, b->u, b->rate, &b->x);
    if (h_bar) *h_bar += b->x.theta[model->timestep];
    b->x.theta[model->timestep] = keep;
    return TAC_OK;
}

static tacResult substep_vjp(tacHardPass* p, int i, hardBar* b) {
    tacContactSolve* s = p->s;
    const tacSubstep* t = &p->substep[i];
    int nv = s->scene->nv;
    for (int k = t->first + t->count - 1; k >= t->first; --k) {
        tacResult result = tac_contact_solve_restore(s, &p->record[k]);
        if (result != TAC_OK) return result;
        tac_copy_reals(b->u, b->x.v, nv);
        clear_reals(b->x.v, nv);
        clear_reals(b->rate, s->scene->na);
        solve_vjp(s, &p->record[k], b, NULL);
    }
    double span_bar = 0.0;
    tacResult result = tac_contact_solve_restore(s, t->record);
    if (result != TAC_OK) return result;
    substep_activation_vjp(s, t, b, &span_bar);
    double h_bar = advance_vjp(p, i, span_bar, b);
    // the impact has overwritten the motion `after`
    result = tac_contact_solve_restore(s, t->record);
    if (result != TAC_OK) return result;
    solve_vjp(s, t->record, b, &h_bar);
    b->h += t->fraction * h_bar;
    return TAC_OK;
}

static hardBar alloc_bar(const tacModel* model, tacArena* arena) {
    int nv = model->nv, na = model->na;
    hardBar b = {.x.q = tac_alloc_zero(arena, nv), .x.v = tac_alloc_zero(arena, nv)};
    b.x.act = tac_alloc_zero(arena, na);
    b.x.ctrl = tac_alloc_zero(arena, model->nu);
    b.x.theta = tac_alloc_zero(arena, model->nparam);
    b.u = tac_alloc_zero(arena, nv);
    b.q = tac_alloc_zero(arena, nv);
    b.path = tac_alloc_zero(arena, nv);
    b.rate = tac_alloc_zero(arena, na);
    b.act = tac_alloc_zero(arena, na);
    return b;
}

// to += from; NULL skips
static void add_reals(double* to, const double* from, int n) {
    if (to) tac_add_scaled_reals(to, 1.0, from, n);
}

tacResult tac_hard_vjp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacTangent next_bar, tacStepTangent bar, tacScratch* scratch) {
    tacHardPass p;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacResult result = tac_hard_pass(model, x, u, scratch, &p);
    if (result == TAC_OK && p.s->options.frozen_bounds) result = TAC_ERROR_UNSUPPORTED;
    if (result == TAC_OK) {
        hardBar b = alloc_bar(model, arena);
        tac_copy_reals(b.x.q, next_bar.dq, model->nv);
        tac_copy_reals(b.x.v, next_bar.dv, model->nv);
        tac_copy_reals(b.x.act, next_bar.da, model->na);
        for (int i = p.substeps - 1; i >= 0 && result == TAC_OK; --i)
            result = substep_vjp(&p, i, &b);
        b.x.theta[model->timestep] += b.h + b.x.dt;
        if (result == TAC_OK &&
            !(tac_all_finite(b.x.q, model->nv) && tac_all_finite(b.x.v, model->nv) &&
              tac_all_finite(b.x.act, model->na) && tac_all_finite(b.x.ctrl, model->nu) &&
              tac_all_finite(b.x.theta, model->nparam)))
            result = TAC_ERROR_DIVERGED;
        if (result == TAC_OK) {
            add_reals(bar.x.dq, b.x.q, model->nv);
            add_reals(bar.x.dv, b.x.v, model->nv);
            add_reals(bar.x.da, b.x.act, model->na);
            add_reals(bar.u, b.x.ctrl, model->nu);
            add_reals(bar.theta, b.x.theta, model->nparam);
        }
    }
    scratch->info = p.info;
    scratch->info.flags |= p.s->diff_flags;
    arena->used = mark;
    return result;
}

// tac_impulse_jvp and _vjp take less than tac_hard_vjp
void tac_hard_diff_measure(const tacModel* model, tacArena* dry) {
    size_t mark = dry->used;
    alloc_block(model, block_columns(model), dry);
    dry->used = mark;
    alloc_bar(model, dry);
    dry->used = mark;
}
