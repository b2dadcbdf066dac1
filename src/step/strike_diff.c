// Derivatives of one solve of hard contact, implicit over its final classes.
//
// At fixed impulses f the velocity changes by du0 and the rows by dr0; then K dz = -dr0 on the
// tight rows gives df, and du = du0 + M^-1 J' df. docs/hard.md, eq. (6).

#include "step/strike.h"

#include "dynamics/place.h"
#include "respond/islands.h"

#include <math.h>
#include <string.h>

static double dot(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static double span_of(const tacStrikeNote* note) { return note->collides ? 1.0 : note->h; }

static int size_of(const tacStrike* s) { return 1 + s->tangents; }

// M^-1 J' f of one velocity
static double pushed(const tacStrike* s, const tacStrikeNote* note, int k) {
    return dot(s->rows, s->U + k * s->rows, note->f);
}

static double restitution_of(const tacStrike* s, const tacStrikeGroup* g) {
    return g->bounces ? s->scene->param[s->restitution] * g->fade : 0.0;
}

// d(restitution v)/d v of the normal velocity v before, and by the speed of rest
static double bounce_by_v(const tacStrike* s, const tacStrikeGroup* g) {
    if (!g->bounces) return 0.0;
    return s->scene->param[s->restitution] * (g->fade - g->steep * g->approach / s->slow);
}

static double bounce_by_slow(const tacStrike* s, const tacStrikeGroup* g) {
    double r = g->approach / s->slow;
    return s->scene->param[s->restitution] * g->steep * r * r;
}

static double limit_sign(const tacRow* row) { return row->upper ? -1.0 : 1.0; }

// offsets of the number that a row owes its gap to
static int limit_at(const tacStrike* s, const tacRow* row) {
    return s->scene->joint[row->object].range + row->upper;
}

static int bound_at(const tacStrike* s, const tacRow* row) {
    return s->scene->joint[s->scene->dof[row->object].joint].frictionloss;
}

//---------------------------------- pushes ----------------------------------

// displacements of the bodies, and what they do to both velocities at u held
static void probes_jvp(tacStrike* s, const tacStrikeDot* d) {
    const tacDynamicsKernels* k = s->flow[0].k;
    tacMotionDot before = {.dq = d->q, .dv = d->v, .theta = d->theta};
    tacMotionDot after = {.dq = d->q, .theta = d->theta};
    k->inverse_jvp(s->scene, &s->before, &before, s->work);
    k->inverse_jvp(s->scene, &s->after, &after, s->work);
    for (int g = 0; g < s->groups; ++g)
        if (s->group[g].kind == TAC_GROUP_CONTACT)
            s->moved[g] = tac_frame_jvp(&s->group[g].frame, &s->before, &s->after);
}

// what one push on the joints does to velocities: M^-1 of s->push, in place
static void spread_push(tacStrike* s, const tacStrikeNote* note) {
    const tacFlow* f = &s->flow[note->collides];
    f->k->solve_columns(s->scene, &f->m, s->push, 1, 1);
}

// equalities of joints push the second one with -p' f, and p' changes
static int joint_pushes_jvp(tacStrike* s, const tacStrikeNote* note, const tacStrikeDot* d) {
    int any = 0;
    memset(s->push, 0, sizeof *s->push * (size_t)s->scene->nv);
    for (int g = 0; g < s->groups; ++g) {
        const tacEqualityRow* held = &s->group[g].held;
        if (s->group[g].kind != TAC_GROUP_EQUALITY || held->dof < 0) continue;
        double f = note->f[g * size_of(s)];
        s->push[held->dof] -= f * tac_equality_slope_jvp(held, d->q, d->theta);
        any = 1;
    }
    if (any) spread_push(s, note);
    return any;
}

//---------------------------------- friction of 0 ----------------------------------

static double sign_of(double v) { return (v > 1e-10) - (v < -1e-10); }

// A contact without friction that presses and slides: the first trace of friction pushes with
// -mu f_n along each tangent that moves, the derivative from above. s->J_end gets its rows.
static int may_rub(tacStrike* s, const tacStrikeNote* note, int at, double side[3]) {
    const tacStrikeGroup* g = &s->group[at];
    double f = note->f[at * size_of(s)];
    if (g->kind != TAC_GROUP_CONTACT || g->mu_at < 0 || g->mu > 0.0 || !(f > 0.0)) return 0;
    tacVec3 W = tac_frame_velocity(&g->frame, &s->after);
    for (int i = 1; i < 3; ++i) side[i] = -f * sign_of(tac_dot(g->frame.axis[i], W));
    tac_frame_rows(s->scene, &s->flow[note->collides].m, &g->frame, s->J_end);
    return 1;
}

// dry friction of a joint likewise: h times -1 or 1 per unit of its bound
static double may_drag(const tacStrike* s, const tacStrikeNote* note, int dof) {
    int at = s->scene->joint[s->scene->dof[dof].joint].frictionloss;
    int off = note->collides || (s->scene->disable & TAC_DISABLE_FRICTIONLOSS);
    return off || s->scene->param[at] > 0.0 ? 0.0 : -note->h * sign_of(note->u[dof]);
}

static void first_friction_jvp(tacStrike* s, const tacStrikeNote* note, const tacStrikeDot* d) {
    int nv = s->scene->nv, any = 0;
    double side[3];
    memset(s->push, 0, sizeof *s->push * (size_t)nv);
    for (int g = 0; g < s->groups; ++g) {
        double mu_dot = s->group[g].mu_at >= 0 ? d->theta[s->group[g].mu_at] : 0.0;
        if (mu_dot == 0.0 || !may_rub(s, note, g, side)) continue;
        for (int k = 0; k < nv; ++k)
            s->push[k] += mu_dot * (side[1] * s->J_end[nv + k] + side[2] * s->J_end[2 * nv + k]);
        any = 1;
    }
    for (int k = 0; k < nv; ++k) {
        double bound_dot = d->theta[s->scene->joint[s->scene->dof[k].joint].frictionloss];
        if (bound_dot != 0.0) {
            s->push[k] += bound_dot * may_drag(s, note, k);
            any = 1;
        }
    }
    if (any) spread_push(s, note);
    for (int k = 0; k < nv && any; ++k) s->u0[k] += s->push[k];
}

static void first_friction_vjp(tacStrike* s, const tacStrikeNote* note, tacStrikeDot* bar) {
    int nv = s->scene->nv;
    double side[3], *y = s->push;
    memcpy(y, s->u0, sizeof *y * (size_t)nv);
    spread_push(s, note);
    for (int g = 0; g < s->groups; ++g) {
        if (!may_rub(s, note, g, side)) continue;
        bar->theta[s->group[g].mu_at] +=
            side[1] * dot(nv, s->J_end + nv, y) + side[2] * dot(nv, s->J_end + 2 * nv, y);
    }
    for (int k = 0; k < nv; ++k)
        bar->theta[s->scene->joint[s->scene->dof[k].joint].frictionloss] +=
            may_drag(s, note, k) * y[k];
}

//---------------------------------- forward ----------------------------------

// du0: velocity at fixed impulses
static void free_jvp(tacStrike* s, const tacStrikeNote* note, const tacStrikeDot* d,
                     tacReal* rate_dot) {
    int nv = s->scene->nv;
    double h = span_of(note), h_dot = note->collides ? 0.0 : d->theta[s->scene->timestep];
    memset(s->wrench_dot, 0, sizeof(double) * (size_t)(6 * s->scene->nbody));
    for (int g = 0; g < s->groups; ++g)
        if (s->group[g].kind == TAC_GROUP_CONTACT)
            tac_frame_push_jvp(&s->group[g].frame, tac_impulse_of(s, note, g).f, 1.0 / h,
                               &s->moved[g], s->wrench_dot);
        else if (s->group[g].kind == TAC_GROUP_EQUALITY)
            tac_equality_push_jvp(s->scene, &s->group[g].held, &s->after,
                                  tac_impulse_of(s, note, g).f[0] / h, d->theta, s->wrench_dot);
    tacMotionDot m = {.dq = d->q, .theta = d->theta, .wrench = s->wrench_dot};
    if (!note->collides) {
        m.dv = d->v;
        m.act = d->act;
        m.ctrl = d->ctrl;
    }
    tac_flow_jvp(&s->flow[note->collides], &m, s->a0, rate_dot);
    for (int k = 0; k < nv; ++k)
        s->u0[k] = d->v[k] + h * s->a0[k] + h_dot * (s->a[k] - pushed(s, note, k) / h);
    int any = joint_pushes_jvp(s, note, d);
    for (int k = 0; k < nv && any; ++k) s->u0[k] += s->push[k];
    first_friction_jvp(s, note, d);
}

// change of the pace, from that of its gap
static double pace_jvp(const tacStrike* s, const tacStrikeGroup* g, const tacStrikeDot* d,
                       double change) {
    return g->pace.by_gap * change + g->pace.by_delta * d->theta[s->delta_at] +
           g->pace.by_h * d->theta[s->scene->timestep] + g->pace.by_dt * d->dt;
}

static void contact_jvp(tacStrike* s, const tacStrikeNote* note, const tacStrikeDot* d, int at) {
    const tacStrikeGroup* g = &s->group[at];
    const tacFrameDot* m = &s->moved[at];
    double bounce = bounce_by_v(s, g);
    tacVec3 W = tac_frame_velocity(&g->frame, &s->after);
    tacVec3 V = tac_frame_velocity(&g->frame, &s->before);
    double* b = s->b_dot + at * size_of(s);
    b[0] = 0.0;
    for (int i = 0; i < size_of(s); ++i) {
        tacVec3 sum = i ? W : tac_add_scaled(W, bounce, V);
        if (i == 0 && g->bent) continue; // as it ends, below
        tacVec3 sum_dot = i ? m->after : tac_add_scaled(m->after, bounce, m->before);
        b[i] = tac_dot(m->axis[i], sum) + tac_dot(g->frame.axis[i], sum_dot);
    }
    if (g->bounces)
        b[0] += d->theta[s->restitution] * g->fade * g->approach +
                bounce_by_slow(s, g) * tac_slow_jvp(s->scene, d->theta, d->dt);
    if (note->collides) return;
    double change = g->deep ? -g->parting * d->dt : m->distance - TAC_REST * d->theta[s->delta_at];
    b[0] += pace_jvp(s, g, d, change);
    s->mu_dot[at] = g->mu_at >= 0 ? d->theta[g->mu_at] : 0.0;
}

// Rows that look at the end of the path: (d_end - d)/h.
static void bent_jvp(tacStrike* s, const tacStrikeNote* note, const tacStrikeDot* d) {
    double h = note->h, h_dot = d->theta[s->scene->timestep];
    tacMotionDot dot_end = {.dq = s->moved_q, .theta = d->theta};
    tac_move_jvp(s->scene, note->u, h, d->q, s->u0, h_dot, s->moved_q);
    s->flow[0].k->inverse_jvp(s->scene, &s->end, &dot_end, s->work);
    for (int at = 0; at < s->groups; ++at) {
        const tacStrikeGroup* g = &s->group[at];
        if (!g->bent) continue;
        double end = tac_frame_jvp(&g->last, &s->end, &s->end).distance;
        double change = g->last.distance - g->frame.distance;
        s->b_dot[at * size_of(s)] += (end - s->moved[at].distance - change / h * h_dot) / h;
    }
}

static int any_bent(const tacStrike* s) {
    int any = 0;
    for (int g = 0; g < s->groups; ++g) any |= s->group[g].bent;
    return any;
}

static void row_jvp(tacStrike* s, const tacStrikeNote* note, const tacStrikeDot* d, int at) {
    const tacStrikeGroup* g = &s->group[at];
    const tacRow* row = &s->row[g->source];
    double* b = s->b_dot + at * size_of(s);
    for (int i = 0; i < size_of(s); ++i) b[i] = 0.0;
    if (g->kind == TAC_GROUP_EQUALITY) {
        tacEqualityDot e = tac_equality_jvp(s->scene, &g->held, &s->after, d->q, d->theta);
        b[0] = e.velocity;
        if (!note->collides) b[0] += pace_jvp(s, g, d, e.value);
        return;
    }
    if (note->collides) return;
    if (g->kind == TAC_GROUP_FRICTION) {
        b[0] = -d->theta[bound_at(s, row)] * note->h - row->bound * d->theta[s->scene->timestep];
        return;
    }
    double change = dot(s->scene->nv, row->J, d->q) - limit_sign(row) * d->theta[limit_at(s, row)];
    if (g->deep) change = -g->parting * d->dt;
    b[0] = pace_jvp(s, g, d, change);
}

// dr0: rows at fixed impulses
static void rows_jvp(tacStrike* s, const tacStrikeNote* note, const tacStrikeDot* d) {
    int nv = s->scene->nv;
    for (int g = 0; g < s->groups; ++g) {
        s->mu_dot[g] = s->group[g].mu_at >= 0 ? d->theta[s->group[g].mu_at] : 0.0;
        if (s->group[g].kind == TAC_GROUP_CONTACT)
            contact_jvp(s, note, d, g);
        else
            row_jvp(s, note, d, g);
    }
    for (int i = 0; i < s->rows; ++i) {
        int bent = i % size_of(s) == 0 && s->group[i / size_of(s)].bent;
        if (!bent) s->b_dot[i] += dot(nv, s->J + i * nv, s->u0);
    }
    if (any_bent(s)) bent_jvp(s, note, d);
}

static void answer_jvp(tacStrike* s, const tacStrikeNote* note, const tacStrikeDot* d,
                       tacReal* u_dot, tacReal* rate_dot) {
    if (s->groups > 0) probes_jvp(s, d);
    free_jvp(s, note, d, rate_dot);
    rows_jvp(s, note, d);
    if (s->groups > 0)
        tac_islands_classes_jvp(&s->lcp, note->classes, note->f, s->b_dot, s->mu_dot, s->f_dot,
                                s->memory);
    for (int k = 0; k < s->scene->nv; ++k)
        u_dot[k] = s->u0[k] + dot(s->rows, s->U + k * s->rows, s->f_dot);
}

void tac_strike_jvp(tacStrike* s, const tacStrikeNote* note, const tacStrikeDot* d, tacReal* u_dot,
                    tacReal* rate_dot) {
    if (!note->bounded) {
        answer_jvp(s, note, d, u_dot, rate_dot);
        return;
    }
    for (int with = 0; with < 2; ++with) {
        tacStrikeNote part = tac_strike_part(s, note, with);
        tac_strike_ready(s, &part);
        answer_jvp(s, &part, d, s->bounce.part[with], rate_dot);
    }
    tac_bounce_jvp(s, note, d, u_dot);
}

//---------------------------------- reverse ----------------------------------

// adjoint of a gap, from that of its row
static double pace_vjp(const tacStrike* s, const tacStrikeGroup* g, double row_bar,
                       tacStrikeDot* bar) {
    bar->theta[s->delta_at] += g->pace.by_delta * row_bar;
    bar->theta[s->scene->timestep] += g->pace.by_h * row_bar;
    bar->dt += g->pace.by_dt * row_bar;
    return g->pace.by_gap * row_bar;
}

static void contact_vjp(tacStrike* s, const tacStrikeNote* note, int at, tacStrikeDot* bar) {
    const tacStrikeGroup* g = &s->group[at];
    const double* b = s->b_dot + at * size_of(s);
    double bounce = bounce_by_v(s, g);
    tacVec3 W = tac_frame_velocity(&g->frame, &s->after);
    tacVec3 V = tac_frame_velocity(&g->frame, &s->before);
    tacFrameDot m = {.distance = 0.0};
    for (int i = g->bent; i < size_of(s); ++i) {
        m.axis[i] = tac_scale(i ? W : tac_add_scaled(W, bounce, V), b[i]);
        m.after = tac_add_scaled(m.after, b[i], g->frame.axis[i]);
    }
    m.before = tac_scale(g->frame.axis[0], bounce * b[0]);
    if (g->bounces) {
        bar->theta[s->restitution] += b[0] * g->fade * g->approach;
        tac_slow_vjp(s->scene, b[0] * bounce_by_slow(s, g), bar->theta, &bar->dt);
    }
    if (!note->collides) {
        double gap = pace_vjp(s, g, b[0], bar);
        m.distance = g->deep ? 0.0 : gap;
        if (g->deep) bar->dt -= g->parting * gap;
        bar->theta[s->delta_at] -= TAC_REST * m.distance;
        if (g->bent) m.distance -= b[0] / note->h;
    }
    if (g->mu_at >= 0) bar->theta[g->mu_at] += s->mu_dot[at];
    tac_frame_push_vjp(&g->frame, tac_impulse_of(s, note, at).f, 1.0 / span_of(note), s->wrench_dot,
                       &m);
    tac_frame_vjp(&g->frame, &s->before, &s->after, &m, &s->carry);
}

static void equality_vjp(tacStrike* s, const tacStrikeNote* note, int at, tacStrikeDot* bar) {
    const tacStrikeGroup* g = &s->group[at];
    double f = note->f[at * size_of(s)], b = s->b_dot[at * size_of(s)];
    tacEqualityDot e = {.velocity = b};
    if (!note->collides) e.value = pace_vjp(s, g, b, bar);
    double slope = g->held.dof >= 0 ? -f * s->push[g->held.dof] : 0.0;
    tac_equality_vjp(s->scene, &g->held, &s->after, e, f / span_of(note), s->wrench_dot, slope,
                     &s->carry, bar->q, bar->theta);
}

static void row_vjp(tacStrike* s, const tacStrikeNote* note, int at, tacStrikeDot* bar) {
    const tacStrikeGroup* g = &s->group[at];
    const tacRow* row = &s->row[g->source];
    double b = s->b_dot[at * size_of(s)];
    if (g->kind == TAC_GROUP_EQUALITY) equality_vjp(s, note, at, bar);
    if (note->collides || g->kind == TAC_GROUP_EQUALITY) return;
    if (g->kind == TAC_GROUP_FRICTION) {
        bar->theta[bound_at(s, row)] -= b * note->h;
        bar->theta[s->scene->timestep] -= b * row->bound;
        return;
    }
    double gap = pace_vjp(s, g, b, bar);
    if (g->deep) bar->dt -= g->parting * gap;
    for (int k = 0; k < s->scene->nv && !g->deep; ++k) bar->q[k] += gap * row->J[k];
    if (!g->deep) bar->theta[limit_at(s, row)] -= limit_sign(row) * gap;
}

// what the normal row of a group is at the answer: 0 where it is closed
static double normal_row(const tacStrike* s, const tacStrikeNote* note, int at) {
    const tacStrikeGroup* g = &s->group[at];
    int nv = s->scene->nv;
    const double* J = s->J + (size_t)(at * size_of(s)) * (size_t)nv;
    double a = dot(nv, J, note->u) + restitution_of(s, g) * dot(nv, J, note->v);
    if (note->collides) return a;
    return g->bent ? (g->last.distance - g->frame.distance) / note->h + g->pace.speed
                   : a + g->pace.speed;
}

// A contact that just touches, without pressure: if the loss falls as it opens it is open to the
// derivative, else it is closed. f_dot holds the adjoint of the impulses.
static void choose_touch(tacStrike* s, int g) {
    int i = g * size_of(s);
    s->classes[i] = (unsigned char)(s->f_dot[i] < 0.0 ? TAC_LCP_OFF : TAC_LCP_TIGHT);
    for (int t = i + 1; t < i + size_of(s); ++t) s->classes[t] = TAC_LCP_OFF;
}

// A tangent at its bound that does not slide yet: if the loss falls as it slides, which it can one
// way alone, it slides to the derivative, else it sticks.
static void choose_slide(tacStrike* s, const tacStrikeNote* note, int row, double slack) {
    int nv = s->scene->nv, g = row / size_of(s);
    double f = note->f[row], bound = s->group[g].mu * note->f[g * size_of(s)];
    double speed = dot(nv, s->J + (size_t)row * (size_t)nv, note->u);
    double left = s->A[row * (s->rows + 1)] * (bound - fabs(f));
    if (!(bound > 0.0) || fabs(left) > slack || fabs(speed) > slack) return;
    int helps = f > 0.0 ? s->f_dot[row] > 0.0 : s->f_dot[row] < 0.0;
    tacLcpClass slides = f > 0.0 ? TAC_LCP_HIGH : TAC_LCP_LOW;
    s->classes[row] = (unsigned char)(helps ? slides : TAC_LCP_TIGHT);
}

// classes at borders by what the optimizer would like, others as they were found
static const unsigned char* side_that_helps(tacStrike* s, const tacStrikeNote* note) {
    double scale = 1e-3;
    if (!s->helpful || !(note->flags & TAC_TIE)) return note->classes;
    for (int i = 0; i < s->rows; ++i)
        scale = fmax(scale, fabs(s->A[i * (s->rows + 1)] * note->f[i]));
    memcpy(s->classes, note->classes, (size_t)s->rows);
    for (int g = 0; g < s->groups; ++g) {
        int i = g * size_of(s), dry = s->group[g].kind == TAC_GROUP_FRICTION;
        if (s->group[g].kind == TAC_GROUP_EQUALITY) continue;
        double pressure = s->A[i * (s->rows + 1)] * note->f[i];
        if (!dry && pressure <= 1e-7 * scale && fabs(normal_row(s, note, g)) <= 1e-7 * scale)
            choose_touch(s, g);
        else
            for (int t = i + 1; t < i + size_of(s); ++t) choose_slide(s, note, t, 1e-7 * scale);
    }
    return s->classes;
}

// adjoints of rows and of friction from that of u; u0 gets its own
static void classes_vjp(tacStrike* s, const tacStrikeNote* note, const tacReal* u_bar) {
    int nv = s->scene->nv, rows = s->rows;
    for (int i = 0; i < rows; ++i) {
        s->f_dot[i] = s->b_dot[i] = s->mu_dot[i] = 0.0;
        for (int k = 0; k < nv; ++k) s->f_dot[i] += s->U[k * rows + i] * u_bar[k];
    }
    if (rows > 0)
        tac_islands_classes_vjp(&s->lcp, side_that_helps(s, note), note->f, s->f_dot, s->b_dot,
                                s->mu_dot, s->memory);
    for (int k = 0; k < nv; ++k) {
        s->u0[k] = u_bar[k];
        for (int i = 0; i < rows; ++i) {
            int bent = i % size_of(s) == 0 && s->group[i / size_of(s)].bent;
            if (!bent) s->u0[k] += s->J[i * nv + k] * s->b_dot[i];
        }
    }
}

// rows that look at the end of the path, back to u0, q and the time
static void bent_vjp(tacStrike* s, const tacStrikeNote* note, tacStrikeDot* bar) {
    const tacModel* model = s->scene;
    double h = note->h, h_bar = 0.0, *D = s->carry.D_after;
    memset(D, 0, sizeof(double) * (size_t)(6 * model->nbody));
    for (int at = 0; at < s->groups; ++at) {
        const tacStrikeGroup* g = &s->group[at];
        double b = s->b_dot[at * size_of(s)] / h;
        if (!g->bent) continue;
        h_bar -= b * (g->last.distance - g->frame.distance) / h;
        tac_frame_lift(&g->last, &s->end, b, D);
    }
    memset(s->moved_q, 0, sizeof(double) * (size_t)model->nv);
    tac_carry_vjp(model, &s->end, D, NULL, s->moved_q, NULL, bar->theta);
    tac_move_vjp(model, note->u, h, s->moved_q, bar->q, s->u0, &h_bar);
    bar->theta[model->timestep] += h_bar;
    memset(D, 0, sizeof(double) * (size_t)(6 * model->nbody));
}

// u0 back to what forces and masses depend on; wrench_dot gets the adjoint of the wrenches
static void free_vjp(tacStrike* s, const tacStrikeNote* note, const tacReal* rate_bar,
                     tacStrikeDot* bar) {
    double h = span_of(note);
    memset(s->wrench_dot, 0, sizeof(double) * (size_t)(6 * s->scene->nbody));
    for (int k = 0; k < s->scene->nv; ++k) {
        bar->v[k] += s->u0[k];
        s->a0[k] = h * s->u0[k];
        if (!note->collides)
            bar->theta[s->scene->timestep] += s->u0[k] * (s->a[k] - pushed(s, note, k) / h);
    }
    tacMotionDot m = {.dq = bar->q, .theta = bar->theta, .wrench = s->wrench_dot};
    if (!note->collides) {
        m.dv = bar->v;
        m.act = bar->act;
        m.ctrl = bar->ctrl;
    }
    first_friction_vjp(s, note, bar); // leaves M^-1 u0 in s->push
    tac_flow_vjp(&s->flow[note->collides], s->a0, rate_bar, &m);
}

static void answer_vjp(tacStrike* s, const tacStrikeNote* note, const tacReal* u_bar,
                       const tacReal* rate_bar, tacStrikeDot* bar) {
    size_t size = sizeof(double) * (size_t)(6 * s->scene->nbody);
    memset(s->carry.D_before, 0, size);
    memset(s->carry.e_before, 0, size);
    memset(s->carry.D_after, 0, size);
    memset(s->carry.e_after, 0, size);
    classes_vjp(s, note, u_bar);
    if (any_bent(s)) bent_vjp(s, note, bar);
    free_vjp(s, note, rate_bar, bar);
    for (int g = 0; g < s->groups; ++g) {
        if (s->group[g].kind == TAC_GROUP_CONTACT)
            contact_vjp(s, note, g, bar);
        else
            row_vjp(s, note, g, bar);
    }
    if (s->groups == 0) return;
    tac_carry_vjp(s->scene, &s->before, s->carry.D_before, s->carry.e_before, bar->q, bar->v,
                  bar->theta);
    tac_carry_vjp(s->scene, &s->after, s->carry.D_after, s->carry.e_after, bar->q, NULL,
                  bar->theta);
}

void tac_strike_vjp(tacStrike* s, const tacStrikeNote* note, const tacReal* u_bar,
                    const tacReal* rate_bar, tacStrikeDot* bar) {
    if (!note->bounded) {
        answer_vjp(s, note, u_bar, rate_bar, bar);
        return;
    }
    tac_bounce_vjp(s, note, u_bar, bar);
    for (int with = 0; with < 2; ++with) {
        tacStrikeNote part = tac_strike_part(s, note, with);
        tac_strike_ready(s, &part);
        answer_vjp(s, &part, s->bounce.part[with], rate_bar, bar);
    }
}
