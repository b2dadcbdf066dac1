// Derivatives of one contact solve: implicit, with the active set fixed.
//
// At fixed impulses f the velocity changes by du0 and the rows by dr0. K dz = -dr0 on the tight
// rows gives df, and du = du0 + M^-1 J' df. docs/hard.md, eq. (6).

#include "respond/lcp/contact_solve.h"

#include "detect/part_motion.h"
#include "dynamics/kinematics_diff.h"
#include "math/dense.h"
#include "respond/lcp/islands.h"

#include <math.h>
#include <string.h>

static double duration_of(const tacSolveRecord* record) {
    return record->is_impact ? 1.0 : record->h;
}

static int rows_per_constraint(const tacContactSolve* s) { return 1 + s->problem.tangents; }

// M^-1 J' f of one velocity
static double impulse_velocity(const tacContactProblem* p, const tacSolveRecord* record, int k) {
    return tac_dense_dot(p->rows, p->U + k * p->rows, record->f);
}

static double constraint_restitution(const tacContactSolve* s, const tacConstraint* g) {
    return g->has_restitution ? s->scene->param[s->options.restitution_param] * g->restitution_scale
                              : 0.0;
}

// d(restitution v)/d v of the normal velocity v before, and by the speed of rest
static double restitution_by_v(const tacContactSolve* s, const tacConstraint* g) {
    if (!g->has_restitution) return 0.0;
    return s->scene->param[s->options.restitution_param] *
           (g->restitution_scale - g->restitution_slope * g->approach / s->options.rest_speed);
}

static double restitution_by_rest_speed(const tacContactSolve* s, const tacConstraint* g) {
    double r = g->approach / s->options.rest_speed;
    return s->scene->param[s->options.restitution_param] * g->restitution_slope * r * r;
}

static double limit_sign(const tacRow* row) { return row->upper ? -1.0 : 1.0; }

// parameters that the gap of a joint row depends on
static int limit_param(const tacContactSolve* s, const tacRow* row) {
    return s->scene->joint[row->object].range + row->upper;
}

static int bound_param(const tacContactSolve* s, const tacRow* row) {
    return s->scene->joint[s->scene->dof[row->object].joint].frictionloss;
}

//---------------------------------- frames and joint impulses ----------------------------------

// tangents of the contact frames; u is constant
static void frames_jvp(tacContactSolve* s, const tacContactSolveDot* d) {
    tacContactProblem* p = &s->problem;
    const tacSolveWorkspace* w = &s->work;
    const tacDynamicsKernels* k = s->dynamics.free[0].k;
    tacMotionDot before = {.dq = d->q, .dv = d->v, .theta = d->theta};
    tacMotionDot after = {.dq = d->q, .theta = d->theta};
    k->inverse_jvp(s->scene, &s->dynamics.before, &before, w->joint_force);
    k->inverse_jvp(s->scene, &s->dynamics.after, &after, w->joint_force);
    tac_motion_poses(s->scene, &s->dynamics.before, s->dynamics.pose);
    for (int g = 0; g < p->constraints; ++g) {
        const tacConstraint* c = &p->constraint[g];
        double own[7];
        if (c->kind != TAC_CONSTRAINT_CONTACT) continue;
        tac_convex_contact_theta_jvp(s->scene, s->dynamics.pose,
                                     &s->candidates.convex_contact[c->source], d->theta, own);
        w->frame_dot[g] =
            tac_contact_frame_jvp(&c->frame, own, &s->dynamics.before, &s->dynamics.after);
    }
}

// M^-1 times the joint impulses, in place
static void apply_inverse_mass(tacContactSolve* s, const tacSolveRecord* record) {
    const tacFreeDynamics* f = &s->dynamics.free[record->is_impact];
    f->k->solve_columns(s->scene, &f->m, s->work.joint_impulse, 1, 1);
}

// An equality of joints acts on the second joint with -p' f; p' changes with q.
static int joint_impulse_jvp(tacContactSolve* s, const tacSolveRecord* record,
                             const tacContactSolveDot* d) {
    tacContactProblem* p = &s->problem;
    const tacSolveWorkspace* w = &s->work;
    int any = 0;
    memset(w->joint_impulse, 0, sizeof *w->joint_impulse * (size_t)s->scene->nv);
    for (int g = 0; g < p->constraints; ++g) {
        const tacEqualityRow* equality = &p->constraint[g].equality;
        if (p->constraint[g].kind != TAC_CONSTRAINT_EQUALITY || equality->dof < 0) continue;
        double f = record->f[g * rows_per_constraint(s)];
        w->joint_impulse[equality->dof] -= f * tac_equality_slope_jvp(equality, d->q, d->theta);
        any = 1;
    }
    if (any) apply_inverse_mass(s, record);
    return any;
}

//---------------------------------- friction of 0 ----------------------------------

static double sign_or_zero(double v) { return (v > 1e-10) - (v < -1e-10); }

// A contact with mu = 0 that presses and slides: the derivative by mu from above. The first trace
// of friction acts with -mu f_n along each tangent that moves. work.J_end gets its rows.
static int first_contact_friction(tacContactSolve* s, const tacSolveRecord* record, int at,
                                  double side[3]) {
    const tacConstraint* g = &s->problem.constraint[at];
    double f = record->f[at * rows_per_constraint(s)];
    if (g->kind != TAC_CONSTRAINT_CONTACT || g->mu_param < 0 || g->mu > 0.0 || !(f > 0.0)) return 0;
    tacVec3 W = tac_contact_frame_velocity(&g->frame, &s->dynamics.after);
    for (int i = 1; i < 3; ++i) side[i] = -f * sign_or_zero(tac_dot(g->frame.axis[i], W));
    tac_contact_frame_rows(s->scene, &s->dynamics.free[record->is_impact].m, &g->frame,
                           s->work.J_end);
    return 1;
}

// dry friction of a joint likewise: h times -1 or 1 per unit of its bound
static double first_joint_friction(const tacContactSolve* s, const tacSolveRecord* record,
                                   int dof) {
    int at = s->scene->joint[s->scene->dof[dof].joint].frictionloss;
    int off = record->is_impact || (s->scene->disable & TAC_DISABLE_FRICTIONLOSS);
    return off || s->scene->param[at] > 0.0 ? 0.0 : -record->h * sign_or_zero(record->u[dof]);
}

static void first_friction_jvp(tacContactSolve* s, const tacSolveRecord* record,
                               const tacContactSolveDot* d) {
    const tacContactProblem* p = &s->problem;
    const tacSolveWorkspace* w = &s->work;
    int nv = s->scene->nv, any = 0;
    double side[3];
    memset(w->joint_impulse, 0, sizeof *w->joint_impulse * (size_t)nv);
    for (int g = 0; g < p->constraints; ++g) {
        double mu_dot = p->constraint[g].mu_param >= 0 ? d->theta[p->constraint[g].mu_param] : 0.0;
        if (mu_dot == 0.0 || !first_contact_friction(s, record, g, side)) continue;
        for (int k = 0; k < nv; ++k)
            w->joint_impulse[k] +=
                mu_dot * (side[1] * w->J_end[nv + k] + side[2] * w->J_end[2 * nv + k]);
        any = 1;
    }
    for (int k = 0; k < nv; ++k) {
        double bound_dot = d->theta[s->scene->joint[s->scene->dof[k].joint].frictionloss];
        if (bound_dot != 0.0) {
            w->joint_impulse[k] += bound_dot * first_joint_friction(s, record, k);
            any = 1;
        }
    }
    if (any) apply_inverse_mass(s, record);
    for (int k = 0; k < nv && any; ++k) w->u0[k] += w->joint_impulse[k];
}

static void first_friction_vjp(tacContactSolve* s, const tacSolveRecord* record,
                               tacContactSolveDot* bar) {
    const tacSolveWorkspace* w = &s->work;
    int nv = s->scene->nv;
    double side[3], *y = w->joint_impulse;
    memcpy(y, w->u0, sizeof *y * (size_t)nv);
    apply_inverse_mass(s, record);
    for (int g = 0; g < s->problem.constraints; ++g) {
        if (!first_contact_friction(s, record, g, side)) continue;
        bar->theta[s->problem.constraint[g].mu_param] +=
            side[1] * tac_dense_dot(nv, w->J_end + nv, y) +
            side[2] * tac_dense_dot(nv, w->J_end + 2 * nv, y);
    }
    for (int k = 0; k < nv; ++k)
        bar->theta[s->scene->joint[s->scene->dof[k].joint].frictionloss] +=
            first_joint_friction(s, record, k) * y[k];
}

//---------------------------------- forward ----------------------------------

// du0: velocity at fixed impulses
static void free_jvp(tacContactSolve* s, const tacSolveRecord* record, const tacContactSolveDot* d,
                     tacReal* rate_dot) {
    tacContactProblem* p = &s->problem;
    tacSolveWorkspace* w = &s->work;
    int nv = s->scene->nv;
    double h = duration_of(record), h_dot = record->is_impact ? 0.0 : d->theta[s->scene->timestep];
    memset(w->wrench_dot, 0, sizeof(double) * (size_t)(6 * s->scene->nbody));
    for (int g = 0; g < p->constraints; ++g)
        if (p->constraint[g].kind == TAC_CONSTRAINT_CONTACT)
            tac_contact_frame_add_wrench_jvp(&p->constraint[g].frame,
                                             tac_contact_solve_impulse(s, record, g).f, 1.0 / h,
                                             &w->frame_dot[g], w->wrench_dot);
        else if (p->constraint[g].kind == TAC_CONSTRAINT_EQUALITY)
            tac_equality_add_wrench_jvp(s->scene, &p->constraint[g].equality, &s->dynamics.after,
                                        tac_contact_solve_impulse(s, record, g).f[0] / h, d->theta,
                                        w->wrench_dot);
    tacMotionDot m = {.dq = d->q, .theta = d->theta, .wrench = w->wrench_dot};
    if (!record->is_impact) {
        m.dv = d->v;
        m.act = d->act;
        m.ctrl = d->ctrl;
    }
    tac_free_dynamics_jvp(&s->dynamics.free[record->is_impact], &m, w->a0, rate_dot);
    for (int k = 0; k < nv; ++k)
        w->u0[k] = d->v[k] + h * w->a0[k] +
                   h_dot * (s->dynamics.a[k] - impulse_velocity(p, record, k) / h);
    int any = joint_impulse_jvp(s, record, d);
    for (int k = 0; k < nv && any; ++k) w->u0[k] += w->joint_impulse[k];
    first_friction_jvp(s, record, d);
}

// tangent of the gap rate, from that of its gap
static double gap_rate_jvp(const tacContactSolve* s, const tacConstraint* g,
                           const tacContactSolveDot* d, double change) {
    return g->gap_rate.by_gap * change + g->gap_rate.by_delta * d->theta[s->options.delta_param] +
           g->gap_rate.by_h * d->theta[s->scene->timestep] + g->gap_rate.by_dt * d->dt;
}

static void contact_jvp(tacContactSolve* s, const tacSolveRecord* record,
                        const tacContactSolveDot* d, int at) {
    tacSolveWorkspace* w = &s->work;
    const tacConstraint* g = &s->problem.constraint[at];
    const tacContactFrameDot* m = &w->frame_dot[at];
    double energy_bound = restitution_by_v(s, g);
    tacVec3 W = tac_contact_frame_velocity(&g->frame, &s->dynamics.after);
    tacVec3 V = tac_contact_frame_velocity(&g->frame, &s->dynamics.before);
    double* b = w->b_dot + at * rows_per_constraint(s);
    b[0] = 0.0;
    for (int i = 0; i < rows_per_constraint(s); ++i) {
        tacVec3 sum = i ? W : tac_add_scaled(W, energy_bound, V);
        if (i == 0 && g->nonlinear) continue; // as it ends, below
        tacVec3 sum_dot = i ? m->after : tac_add_scaled(m->after, energy_bound, m->before);
        b[i] = tac_dot(m->axis[i], sum) + tac_dot(g->frame.axis[i], sum_dot);
    }
    if (g->has_restitution)
        b[0] += d->theta[s->options.restitution_param] * g->restitution_scale * g->approach +
                restitution_by_rest_speed(s, g) * tac_rest_speed_jvp(s->scene, d->theta, d->dt);
    if (record->is_impact) return;
    double change = g->deep ? -g->separation_speed * d->dt
                            : m->distance - TAC_REST_DISTANCE * d->theta[s->options.delta_param];
    b[0] += gap_rate_jvp(s, g, d, change);
    w->mu_dot[at] = g->mu_param >= 0 ? d->theta[g->mu_param] : 0.0;
}

// Nonlinear rows: (d_end - d)/h.
static void nonlinear_jvp(tacContactSolve* s, const tacSolveRecord* record,
                          const tacContactSolveDot* d) {
    const tacSolveWorkspace* w = &s->work;
    double h = record->h, h_dot = d->theta[s->scene->timestep];
    tacMotionDot dot_end = {.dq = w->q_end_dot, .theta = d->theta};
    tac_advance_pos_jvp(s->scene, record->u, h, d->q, w->u0, h_dot, w->q_end_dot);
    s->dynamics.free[0].k->inverse_jvp(s->scene, &s->dynamics.end, &dot_end, w->joint_force);
    tac_motion_poses(s->scene, &s->dynamics.end, s->dynamics.pose);
    for (int at = 0; at < s->problem.constraints; ++at) {
        const tacConstraint* g = &s->problem.constraint[at];
        double own[7];
        if (!g->nonlinear) continue;
        tac_convex_contact_theta_jvp(s->scene, s->dynamics.pose, &g->end_features, d->theta, own);
        double end = tac_contact_frame_jvp(&g->end_contact, own, &s->dynamics.end, &s->dynamics.end)
                         .distance;
        double change = g->end_contact.distance - g->frame.distance;
        w->b_dot[at * rows_per_constraint(s)] +=
            (end - w->frame_dot[at].distance - change / h * h_dot) / h;
    }
}

static int any_nonlinear(const tacContactSolve* s) {
    int any = 0;
    for (int g = 0; g < s->problem.constraints; ++g) any |= s->problem.constraint[g].nonlinear;
    return any;
}

static void row_jvp(tacContactSolve* s, const tacSolveRecord* record, const tacContactSolveDot* d,
                    int at) {
    const tacConstraint* g = &s->problem.constraint[at];
    const tacRow* row = &s->candidates.row[g->source];
    double* b = s->work.b_dot + at * rows_per_constraint(s);
    for (int i = 0; i < rows_per_constraint(s); ++i) b[i] = 0.0;
    if (g->kind == TAC_CONSTRAINT_EQUALITY) {
        tacEqualityDot e =
            tac_equality_jvp(s->scene, &g->equality, &s->dynamics.after, d->q, d->theta);
        b[0] = e.velocity;
        if (!record->is_impact) b[0] += gap_rate_jvp(s, g, d, e.value);
        return;
    }
    if (record->is_impact) return;
    if (g->kind == TAC_CONSTRAINT_FRICTION) {
        b[0] =
            -d->theta[bound_param(s, row)] * record->h - row->bound * d->theta[s->scene->timestep];
        return;
    }
    double change =
        tac_dense_dot(s->scene->nv, row->J, d->q) - limit_sign(row) * d->theta[limit_param(s, row)];
    if (g->deep) change = -g->separation_speed * d->dt;
    b[0] = gap_rate_jvp(s, g, d, change);
}

// dr0: rows at fixed impulses
static void constraint_rows_jvp(tacContactSolve* s, const tacSolveRecord* record,
                                const tacContactSolveDot* d) {
    const tacContactProblem* p = &s->problem;
    const tacSolveWorkspace* w = &s->work;
    int nv = s->scene->nv;
    for (int g = 0; g < p->constraints; ++g) {
        w->mu_dot[g] = p->constraint[g].mu_param >= 0 ? d->theta[p->constraint[g].mu_param] : 0.0;
        if (p->constraint[g].kind == TAC_CONSTRAINT_CONTACT)
            contact_jvp(s, record, d, g);
        else
            row_jvp(s, record, d, g);
    }
    for (int i = 0; i < p->rows; ++i) {
        int nonlinear =
            i % rows_per_constraint(s) == 0 && p->constraint[i / rows_per_constraint(s)].nonlinear;
        if (!nonlinear) w->b_dot[i] += tac_dense_dot(nv, p->J + i * nv, w->u0);
    }
    if (any_nonlinear(s)) nonlinear_jvp(s, record, d);
}

static void branch_jvp(tacContactSolve* s, const tacSolveRecord* record,
                       const tacContactSolveDot* d, tacReal* u_dot, tacReal* rate_dot) {
    tacContactProblem* p = &s->problem;
    const tacSolveWorkspace* w = &s->work;
    if (p->constraints > 0) frames_jvp(s, d);
    free_jvp(s, record, d, rate_dot);
    constraint_rows_jvp(s, record, d);
    if (p->constraints > 0)
        tac_islands_active_set_jvp(&p->lcp, record->active_set, record->f, w->b_dot, w->mu_dot,
                                   w->f_dot, w->lcp_memory);
    for (int k = 0; k < s->scene->nv; ++k)
        u_dot[k] = w->u0[k] + tac_dense_dot(p->rows, p->U + k * p->rows, w->f_dot);
}

void tac_contact_solve_jvp(tacContactSolve* s, const tacSolveRecord* record,
                           const tacContactSolveDot* d, tacReal* u_dot, tacReal* rate_dot) {
    if (!record->energy_bounded) {
        branch_jvp(s, record, d, u_dot, rate_dot);
        return;
    }
    for (int restitution_on = 0; restitution_on < 2; ++restitution_on) {
        tacSolveRecord branch = tac_contact_solve_branch(s, record, restitution_on);
        tac_contact_solve_prepare_diff(s, &branch);
        branch_jvp(s, &branch, d, s->energy_bound.branch[restitution_on], rate_dot);
    }
    tac_energy_bound_jvp(s, record, d, u_dot);
}

//---------------------------------- reverse ----------------------------------

// adjoint of a gap, from that of its row
static double gap_rate_vjp(const tacContactSolve* s, const tacConstraint* g, double row_bar,
                           tacContactSolveDot* bar) {
    bar->theta[s->options.delta_param] += g->gap_rate.by_delta * row_bar;
    bar->theta[s->scene->timestep] += g->gap_rate.by_h * row_bar;
    bar->dt += g->gap_rate.by_dt * row_bar;
    return g->gap_rate.by_gap * row_bar;
}

static void contact_vjp(tacContactSolve* s, const tacSolveRecord* record, int at,
                        tacContactSolveDot* bar) {
    tacSolveWorkspace* w = &s->work;
    tacSolveDynamics* d = &s->dynamics;
    const tacConstraint* g = &s->problem.constraint[at];
    const double* b = w->b_dot + at * rows_per_constraint(s);
    double energy_bound = restitution_by_v(s, g);
    tacVec3 W = tac_contact_frame_velocity(&g->frame, &d->after);
    tacVec3 V = tac_contact_frame_velocity(&g->frame, &d->before);
    tacContactFrameDot m = {.distance = 0.0};
    for (int i = g->nonlinear; i < rows_per_constraint(s); ++i) {
        m.axis[i] = tac_scale(i ? W : tac_add_scaled(W, energy_bound, V), b[i]);
        m.after = tac_add_scaled(m.after, b[i], g->frame.axis[i]);
    }
    m.before = tac_scale(g->frame.axis[0], energy_bound * b[0]);
    if (g->has_restitution) {
        bar->theta[s->options.restitution_param] += b[0] * g->restitution_scale * g->approach;
        tac_rest_speed_vjp(s->scene, b[0] * restitution_by_rest_speed(s, g), bar->theta, &bar->dt);
    }
    if (!record->is_impact) {
        double gap = gap_rate_vjp(s, g, b[0], bar);
        m.distance = g->deep ? 0.0 : gap;
        if (g->deep) bar->dt -= g->separation_speed * gap;
        bar->theta[s->options.delta_param] -= TAC_REST_DISTANCE * m.distance;
        if (g->nonlinear) m.distance -= b[0] / record->h;
    }
    if (g->mu_param >= 0) bar->theta[g->mu_param] += w->mu_dot[at];
    tac_contact_frame_add_wrench_vjp(&g->frame, tac_contact_solve_impulse(s, record, at).f,
                                     1.0 / duration_of(record), w->wrench_dot, &m);
    tac_contact_frame_vjp(&g->frame, &d->before, &d->after, &m, &w->motion_bar);
    const double own[7] = {m.point.x,   m.point.y,   m.point.z, m.axis[0].x,
                           m.axis[0].y, m.axis[0].z, m.distance};
    tac_convex_contact_theta_vjp(s->scene, d->pose, &s->candidates.convex_contact[g->source], own,
                                 bar->theta);
}

static void equality_vjp(tacContactSolve* s, const tacSolveRecord* record, int at,
                         tacContactSolveDot* bar) {
    tacSolveWorkspace* w = &s->work;
    const tacConstraint* g = &s->problem.constraint[at];
    double f = record->f[at * rows_per_constraint(s)], b = w->b_dot[at * rows_per_constraint(s)];
    tacEqualityDot e = {.velocity = b};
    if (!record->is_impact) e.value = gap_rate_vjp(s, g, b, bar);
    double slope = g->equality.dof >= 0 ? -f * w->joint_impulse[g->equality.dof] : 0.0;
    tac_equality_vjp(s->scene, &g->equality, &s->dynamics.after, e, f / duration_of(record),
                     w->wrench_dot, slope, &w->motion_bar, bar->q, bar->theta);
}

static void row_vjp(tacContactSolve* s, const tacSolveRecord* record, int at,
                    tacContactSolveDot* bar) {
    const tacConstraint* g = &s->problem.constraint[at];
    const tacRow* row = &s->candidates.row[g->source];
    double b = s->work.b_dot[at * rows_per_constraint(s)];
    if (g->kind == TAC_CONSTRAINT_EQUALITY) equality_vjp(s, record, at, bar);
    if (record->is_impact || g->kind == TAC_CONSTRAINT_EQUALITY) return;
    if (g->kind == TAC_CONSTRAINT_FRICTION) {
        bar->theta[bound_param(s, row)] -= b * record->h;
        bar->theta[s->scene->timestep] -= b * row->bound;
        return;
    }
    double gap = gap_rate_vjp(s, g, b, bar);
    if (g->deep) bar->dt -= g->separation_speed * gap;
    for (int k = 0; k < s->scene->nv && !g->deep; ++k) bar->q[k] += gap * row->J[k];
    if (!g->deep) bar->theta[limit_param(s, row)] -= limit_sign(row) * gap;
}

// value of a normal row at the answer; 0: closed
static double normal_row(const tacContactSolve* s, const tacSolveRecord* record, int at) {
    const tacConstraint* g = &s->problem.constraint[at];
    int nv = s->scene->nv;
    const double* J = s->problem.J + (size_t)(at * rows_per_constraint(s)) * (size_t)nv;
    double a = tac_dense_dot(nv, J, record->u) +
               constraint_restitution(s, g) * tac_dense_dot(nv, J, record->v);
    if (record->is_impact) return a;
    return g->nonlinear
               ? (g->end_contact.distance - g->frame.distance) / record->h + g->gap_rate.speed
               : a + g->gap_rate.speed;
}

// A closed contact without pressure: if the loss falls as it opens, it is open in the derivative,
// else closed. f_dot holds the adjoint of the impulses.
static void choose_open_or_closed(tacContactSolve* s, int g) {
    const tacSolveWorkspace* w = &s->work;
    int i = g * rows_per_constraint(s);
    w->active_set[i] = (unsigned char)(w->f_dot[i] < 0.0 ? TAC_LCP_OFF : TAC_LCP_TIGHT);
    for (int t = i + 1; t < i + rows_per_constraint(s); ++t) w->active_set[t] = TAC_LCP_OFF;
}

// A tangent at its bound with zero speed: if the loss falls as it slides, it slides in the
// derivative, else it sticks. It can slide one way only.
static void choose_stick_or_slide(tacContactSolve* s, const tacSolveRecord* record, int row,
                                  double slack) {
    const tacContactProblem* p = &s->problem;
    const tacSolveWorkspace* w = &s->work;
    int nv = s->scene->nv, g = row / rows_per_constraint(s);
    double f = record->f[row], bound = p->constraint[g].mu * record->f[g * rows_per_constraint(s)];
    double speed = tac_dense_dot(nv, p->J + (size_t)row * (size_t)nv, record->u);
    double left = p->A[row * (p->rows + 1)] * (bound - fabs(f));
    if (!(bound > 0.0) || fabs(left) > slack || fabs(speed) > slack) return;
    int is_descent = f > 0.0 ? w->f_dot[row] > 0.0 : w->f_dot[row] < 0.0;
    tacLcpStatus slides = f > 0.0 ? TAC_LCP_UPPER : TAC_LCP_LOWER;
    w->active_set[row] = (unsigned char)(is_descent ? slides : TAC_LCP_TIGHT);
}

// The active set with ties resolved to the side of descent.
static const unsigned char* descent_side(tacContactSolve* s, const tacSolveRecord* record) {
    const tacContactProblem* p = &s->problem;
    double scale = 1e-3;
    if (!s->options.descend_at_ties || !(record->flags & TAC_TIE)) return record->active_set;
    for (int i = 0; i < p->rows; ++i)
        scale = fmax(scale, fabs(p->A[i * (p->rows + 1)] * record->f[i]));
    memcpy(s->work.active_set, record->active_set, (size_t)p->rows);
    for (int g = 0; g < p->constraints; ++g) {
        int i = g * rows_per_constraint(s), dry = p->constraint[g].kind == TAC_CONSTRAINT_FRICTION;
        if (p->constraint[g].kind == TAC_CONSTRAINT_EQUALITY) continue;
        double pressure = p->A[i * (p->rows + 1)] * record->f[i];
        if (!dry && pressure <= 1e-7 * scale && fabs(normal_row(s, record, g)) <= 1e-7 * scale)
            choose_open_or_closed(s, g);
        else
            for (int t = i + 1; t < i + rows_per_constraint(s); ++t)
                choose_stick_or_slide(s, record, t, 1e-7 * scale);
    }
    return s->work.active_set;
}

// adjoints of rows and of friction from that of u; u0 gets its own
static void active_set_vjp(tacContactSolve* s, const tacSolveRecord* record, const tacReal* u_bar) {
    tacContactProblem* p = &s->problem;
    const tacSolveWorkspace* w = &s->work;
    int nv = s->scene->nv, rows = p->rows;
    for (int i = 0; i < rows; ++i) {
        w->f_dot[i] = w->b_dot[i] = w->mu_dot[i] = 0.0;
        for (int k = 0; k < nv; ++k) w->f_dot[i] += p->U[k * rows + i] * u_bar[k];
    }
    if (rows > 0)
        tac_islands_active_set_vjp(&p->lcp, descent_side(s, record), record->f, w->f_dot, w->b_dot,
                                   w->mu_dot, w->lcp_memory);
    for (int k = 0; k < nv; ++k) {
        w->u0[k] = u_bar[k];
        for (int i = 0; i < rows; ++i) {
            int nonlinear = i % rows_per_constraint(s) == 0 &&
                            p->constraint[i / rows_per_constraint(s)].nonlinear;
            if (!nonlinear) w->u0[k] += p->J[i * nv + k] * w->b_dot[i];
        }
    }
}

// adjoints of nonlinear rows, to u0, q and the time
static void nonlinear_vjp(tacContactSolve* s, const tacSolveRecord* record,
                          tacContactSolveDot* bar) {
    const tacSolveWorkspace* w = &s->work;
    const tacModel* model = s->scene;
    double h = record->h, h_bar = 0.0, *D = w->motion_bar.D_after;
    memset(D, 0, sizeof(double) * (size_t)(6 * model->nbody));
    tac_motion_poses(model, &s->dynamics.end, s->dynamics.pose);
    for (int at = 0; at < s->problem.constraints; ++at) {
        const tacConstraint* g = &s->problem.constraint[at];
        double b = w->b_dot[at * rows_per_constraint(s)] / h;
        if (!g->nonlinear) continue;
        h_bar -= b * (g->end_contact.distance - g->frame.distance) / h;
        tac_contact_frame_distance_vjp(&g->end_contact, &s->dynamics.end, b, D);
        const double own[7] = {[6] = b};
        tac_convex_contact_theta_vjp(model, s->dynamics.pose, &g->end_features, own, bar->theta);
    }
    memset(w->q_end_dot, 0, sizeof(double) * (size_t)model->nv);
    tac_body_motion_vjp(model, &s->dynamics.end, D, NULL, w->q_end_dot, NULL, bar->theta);
    tac_advance_pos_vjp(model, record->u, h, w->q_end_dot, bar->q, w->u0, &h_bar);
    bar->theta[model->timestep] += h_bar;
    memset(D, 0, sizeof(double) * (size_t)(6 * model->nbody));
}

// u0 back to what forces and masses depend on; wrench_dot gets the adjoint of the wrenches
static void free_vjp(tacContactSolve* s, const tacSolveRecord* record, const tacReal* rate_bar,
                     tacContactSolveDot* bar) {
    const tacSolveWorkspace* w = &s->work;
    double h = duration_of(record);
    memset(w->wrench_dot, 0, sizeof(double) * (size_t)(6 * s->scene->nbody));
    for (int k = 0; k < s->scene->nv; ++k) {
        bar->v[k] += w->u0[k];
        w->a0[k] = h * w->u0[k];
        if (!record->is_impact)
            bar->theta[s->scene->timestep] +=
                w->u0[k] * (s->dynamics.a[k] - impulse_velocity(&s->problem, record, k) / h);
    }
    tacMotionDot m = {.dq = bar->q, .theta = bar->theta, .wrench = w->wrench_dot};
    if (!record->is_impact) {
        m.dv = bar->v;
        m.act = bar->act;
        m.ctrl = bar->ctrl;
    }
    first_friction_vjp(s, record, bar); // leaves M^-1 u0 in joint_impulse
    tac_free_dynamics_vjp(&s->dynamics.free[record->is_impact], w->a0, rate_bar, &m);
}

static void branch_vjp(tacContactSolve* s, const tacSolveRecord* record, const tacReal* u_bar,
                       const tacReal* rate_bar, tacContactSolveDot* bar) {
    const tacContactProblem* p = &s->problem;
    const tacSolveWorkspace* w = &s->work;
    size_t size = sizeof(double) * (size_t)(6 * s->scene->nbody);
    memset(w->motion_bar.D_before, 0, size);
    memset(w->motion_bar.e_before, 0, size);
    memset(w->motion_bar.D_after, 0, size);
    memset(w->motion_bar.e_after, 0, size);
    active_set_vjp(s, record, u_bar);
    if (any_nonlinear(s)) nonlinear_vjp(s, record, bar);
    free_vjp(s, record, rate_bar, bar);
    tac_motion_poses(s->scene, &s->dynamics.before, s->dynamics.pose);
    for (int g = 0; g < p->constraints; ++g) {
        if (p->constraint[g].kind == TAC_CONSTRAINT_CONTACT)
            contact_vjp(s, record, g, bar);
        else
            row_vjp(s, record, g, bar);
    }
    if (p->constraints == 0) return;
    tac_body_motion_vjp(s->scene, &s->dynamics.before, w->motion_bar.D_before,
                        w->motion_bar.e_before, bar->q, bar->v, bar->theta);
    tac_body_motion_vjp(s->scene, &s->dynamics.after, w->motion_bar.D_after, w->motion_bar.e_after,
                        bar->q, NULL, bar->theta);
}

void tac_contact_solve_vjp(tacContactSolve* s, const tacSolveRecord* record, const tacReal* u_bar,
                           const tacReal* rate_bar, tacContactSolveDot* bar) {
    if (!record->energy_bounded) {
        branch_vjp(s, record, u_bar, rate_bar, bar);
        return;
    }
    tac_energy_bound_vjp(s, record, u_bar, bar);
    for (int restitution_on = 0; restitution_on < 2; ++restitution_on) {
        tacSolveRecord branch = tac_contact_solve_branch(s, record, restitution_on);
        tac_contact_solve_prepare_diff(s, &branch);
        branch_vjp(s, &branch, s->energy_bound.branch[restitution_on], rate_bar, bar);
    }
}
