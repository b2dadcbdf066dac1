// Derivatives of the step of hard contact: the product of its propagations and collisions, with the
// change of the times at which bodies meet (docs/hard.md, eq. (10) and (11)).

#include "step/step_impulse.h"

#include "dynamics/place.h"
#include "math/spatial.h"

#include <string.h>

static double* take_zero(tacArena* arena, int n) {
    double* x = TAC_TAKE(arena, double, n + 1);
    memset(x, 0, sizeof *x * (size_t)(n + 1));
    return x;
}

static void copy(double* to, const double* from, int n) {
    if (from && n > 0) memcpy(to, from, sizeof *to * (size_t)n);
}

static void clear(double* x, int n) { memset(x, 0, sizeof *x * (size_t)n); }

static int is_explicit(const tacModel* model) {
    return model->integrator == TAC_INTEGRATOR_EXPLICIT;
}

static const double* path_of(const tacModel* model, const tacStrikeNote* note) {
    return is_explicit(model) ? note->v : note->u;
}

// configuration at which a stretch ends in a meeting: that of its collision, or of the next stretch
static const double* meeting_at(const tacHardPass* p, int i) {
    const tacStretch* t = &p->stretch[i];
    if (t->count > 0) return p->note[t->first].q;
    return i + 1 < p->stretches ? p->stretch[i + 1].push->q : p->end.q;
}

// kinematics at a meeting, in the motion `after`
static void place_meeting(tacStrike* s, const double* q) {
    s->after.qpos = q, s->after.qvel = s->zero, s->after.qacc = NULL, s->after.wrench = NULL;
    s->flow[0].k->kinematics(s->scene, &s->after);
    s->flow[0].k->inverse(s->scene, &s->after, s->work);
}

// of the pair that meets: bodies, and their points as loads and shifts about the trees' origins
typedef struct meetingSide {
    int body;
    tacVec3 arm; // from the tree's origin
} meetingSide;

static meetingSide side_of(const tacStrike* s, const tacHardImpact* hit, int side) {
    tacContactPair pair = tac_hard_pair(s->hard, hit->pair);
    int body = pair.body[side];
    tacVec3 point = tac_load3(hit->nearest.point[side]);
    return (meetingSide){body, tac_sub(point, tac_load3(s->after.origin + 3 * body))};
}

//---------------------------------- forward ----------------------------------

typedef struct hardDot {
    tacStrikeDot x;           // of the state at hand, ctrl, theta
    double *u, *path, *moved; // (nv) of a stretch's velocity after, of its path, of q at its end
    double *rate, *act;       // (na)
    double h;                 // of the time left
} hardDot;

enum { DRIFT = 24 };

// t_dot = -(n . (p_B_dot - p_A_dot) - level_dot)/rate; moved is q_dot at the meeting with t held
static double meeting_jvp(tacStrike* s, const tacStretch* t, const double* q, const hardDot* d) {
    const tacHardImpact* hit = &t->meets;
    double sum = hit->level == s->delta ? -d->x.theta[s->delta_at] : 0.0;
    tacVec3 n = tac_load3(hit->nearest.normal);
    if (!hit->exact) return 0.0;
    tacMotionDot dot = {.dq = d->moved, .theta = d->x.theta};
    place_meeting(s, q);
    s->flow[0].k->inverse_jvp(s->scene, &s->after, &dot, s->work);
    for (int side = 0; side < 2; ++side) {
        meetingSide m = side_of(s, hit, side);
        tacTwist D = tac_twist_load(s->after.work + DRIFT * m.body);
        double v = m.body == 0 ? 0.0 : tac_dot(n, tac_add(D.linear, tac_cross(D.angular, m.arm)));
        sum += side ? v : -v;
    }
    return -sum / hit->rate;
}

static void activation_jvp(tacStrike* s, const tacStretch* t, hardDot* d, double span_dot) {
    const tacModel* model = s->scene;
    tacFlow* f = &s->flow[0];
    if (model->na == 0) return;
    double keep = d->x.theta[model->timestep];
    s->moving.param[model->timestep] = t->span, d->x.theta[model->timestep] = span_dot;
    tacMotionDot dot = {.act = d->x.act, .theta = d->x.theta};
    f->m.act = t->push->act;
    f->k->act_next_jvp(model, &f->m, s->rate, d->rate, &dot, d->act);
    copy(d->x.act, d->act, model->na);
    d->x.theta[model->timestep] = keep;
}

// q, v, act and the time left at the end of a stretch, before its collision
static void move_jvp(tacHardPass* p, int i, hardDot* d) {
    tacStrike* s = p->s;
    const tacModel* model = s->scene;
    const tacStretch* t = &p->stretch[i];
    const tacStrikeNote* note = t->push;
    double part = t->span / t->h, span_dot = d->h;
    const double *path = path_of(model, note), *path_dot = is_explicit(model) ? d->x.v : d->u;
    activation_jvp(s, t, d, d->h); // its rate is that of the propagation; the time follows
    if (t->meets.found) {
        tac_move_jvp(model, path, t->span, d->x.q, path_dot, 0.0, d->moved);
        span_dot = meeting_jvp(s, t, meeting_at(p, i), d);
    }
    tac_move_jvp(model, path, t->span, d->x.q, path_dot, span_dot, d->moved);
    double part_dot = (span_dot - part * d->h) / t->h;
    for (int k = 0; k < model->nv; ++k) {
        double v = d->x.v[k] + part * (d->u[k] - d->x.v[k]) + part_dot * (note->u[k] - note->v[k]);
        d->x.v[k] = t->meets.found ? v : d->u[k];
    }
    copy(d->x.q, d->moved, model->nv);
    d->h -= span_dot;
}

static tacResult stretch_jvp(tacHardPass* p, int i, hardDot* d) {
    tacStrike* s = p->s;
    const tacStretch* t = &p->stretch[i];
    int nv = s->scene->nv;
    d->x.theta[s->scene->timestep] = d->h;
    tacResult result = tac_strike_revisit(s, t->push);
    if (result != TAC_OK) return result;
    tac_strike_jvp(s, t->push, &d->x, d->u, d->rate);
    move_jvp(p, i, d);
    for (int k = t->first; k < t->first + t->count; ++k) {
        result = tac_strike_revisit(s, &p->note[k]);
        if (result != TAC_OK) return result;
        tac_strike_jvp(s, &p->note[k], &d->x, d->u, d->rate);
        copy(d->x.v, d->u, nv);
    }
    return TAC_OK;
}

static hardDot take_dot(const tacModel* model, tacArena* arena) {
    int nv = model->nv, na = model->na;
    hardDot d = {.x.q = take_zero(arena, nv), .x.v = take_zero(arena, nv)};
    d.x.act = take_zero(arena, na), d.x.ctrl = take_zero(arena, model->nu);
    d.x.theta = take_zero(arena, model->nparam);
    d.u = take_zero(arena, nv), d.moved = take_zero(arena, nv);
    d.rate = take_zero(arena, na), d.act = take_zero(arena, na);
    return d;
}

tacResult tac_hard_jvp(const tacModel* model, const tacState* x, const tacReal* u, tacTangent x_dot,
                       const tacReal* u_dot, const tacReal* theta_dot, tacTangent next_dot,
                       tacScratch* scratch) {
    tacHardPass p;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacResult result = tac_hard_pass(model, x, u, scratch, &p);
    if (result == TAC_OK) {
        hardDot d = take_dot(model, arena);
        copy(d.x.q, x_dot.dq, model->nv), copy(d.x.v, x_dot.dv, model->nv);
        copy(d.x.act, x_dot.da, model->na), copy(d.x.ctrl, u_dot, model->nu);
        copy(d.x.theta, theta_dot, model->nparam);
        d.h = d.x.dt = d.x.theta[model->timestep];
        for (int i = 0; i < p.stretches && result == TAC_OK; ++i) result = stretch_jvp(&p, i, &d);
        if (result == TAC_OK && !(tac_all_finite(d.x.q, model->nv) &&
                                  tac_all_finite(d.x.v, model->nv) &&
                                  tac_all_finite(d.x.act, model->na)))
            result = TAC_ERROR_DIVERGED;
        if (result == TAC_OK) {
            if (next_dot.dq) copy(next_dot.dq, d.x.q, model->nv);
            if (next_dot.dv) copy(next_dot.dv, d.x.v, model->nv);
            if (next_dot.da) copy(next_dot.da, d.x.act, model->na);
        }
    }
    scratch->info = p.info;
    arena->used = mark;
    return result;
}

//---------------------------------- reverse ----------------------------------

typedef struct hardBar {
    tacStrikeDot x;              // of the state at hand; ctrl, theta and dt add up
    double *u, *v, *path, *q;    // (nv)
    double *rate, *act;          // (na)
    double h;                    // of the time left behind a stretch
} hardBar;

static void meeting_vjp(tacStrike* s, const tacStretch* t, const double* q, double span_bar,
                        double* q_bar, tacStrikeDot* x) {
    const tacHardImpact* hit = &t->meets;
    if (!hit->exact) return;
    double scale = -span_bar / hit->rate;
    place_meeting(s, q);
    memset(s->carry.D_after, 0, sizeof(double) * (size_t)(6 * s->scene->nbody));
    for (int side = 0; side < 2; ++side) {
        meetingSide m = side_of(s, hit, side);
        tacVec3 force = tac_scale(tac_load3(hit->nearest.normal), side ? scale : -scale);
        double* D = s->carry.D_after + 6 * m.body;
        tacWrench w = {force, tac_cross(m.arm, force)};
        if (m.body > 0) tac_wrench_store(D, tac_wrench_add(tac_wrench_load(D), w));
    }
    if (hit->level == s->delta) x->theta[s->delta_at] -= scale;
    tac_carry_vjp(s->scene, &s->after, s->carry.D_after, NULL, q_bar, NULL, x->theta);
}

// from the end of a stretch back to its start and to u, rate and the time left at its start
static double move_vjp(tacHardPass* p, int i, hardBar* b) {
    tacStrike* s = p->s;
    const tacModel* model = s->scene;
    const tacStretch* t = &p->stretch[i];
    const tacStrikeNote* note = t->push;
    int nv = model->nv, found = t->meets.found;
    double part = t->span / t->h, span_bar = -b->h, h_bar = b->h, part_bar = 0.0;
    const double* path = path_of(model, note);
    clear(b->u, nv), clear(b->q, nv), clear(b->path, nv);
    for (int k = 0; k < nv; ++k) {
        double v = b->x.v[k];
        b->u[k] = found ? part * v : v, b->x.v[k] = found ? (1.0 - part) * v : 0.0;
        if (found) part_bar += v * (note->u[k] - note->v[k]);
    }
    tac_move_vjp(model, path, t->span, b->x.q, b->q, b->path, &span_bar);
    if (found) {
        span_bar += part_bar / t->h, h_bar -= part_bar * part / t->h;
        // the meeting looks at q moved with its time held
        clear(b->x.q, nv);
        double unused = 0.0;
        meeting_vjp(s, t, meeting_at(p, i), span_bar, b->x.q, &b->x);
        tac_move_vjp(model, path, t->span, b->x.q, b->q, b->path, &unused);
    } else
        h_bar += span_bar;
    for (int k = 0; k < nv; ++k) {
        b->x.q[k] = b->q[k];
        (is_explicit(model) ? b->x.v : b->u)[k] += b->path[k];
    }
    return h_bar;
}

static void activation_vjp(tacStrike* s, const tacStretch* t, hardBar* b, double* h_bar) {
    const tacModel* model = s->scene;
    tacFlow* f = &s->flow[0];
    if (model->na == 0) return;
    double keep = b->x.theta[model->timestep];
    clear(b->rate, model->na), clear(b->act, model->na);
    s->moving.param[model->timestep] = t->span, b->x.theta[model->timestep] = 0.0;
    tacMotionDot bar = {.act = b->act, .theta = b->x.theta};
    f->m.act = t->push->act;
    f->k->act_next_vjp(&s->moving, &f->m, s->rate, b->x.act, b->rate, &bar);
    *h_bar += b->x.theta[model->timestep];
    b->x.theta[model->timestep] = keep;
    copy(b->x.act, b->act, model->na);
}

// a solve: theta's time step collects the adjoint of the time that it propagates for
static tacResult strike_vjp(tacStrike* s, const tacStrikeNote* note, hardBar* b, double* h_bar) {
    const tacModel* model = s->scene;
    double keep = b->x.theta[model->timestep];
    b->x.theta[model->timestep] = 0.0;
    tac_strike_vjp(s, note, b->u, b->rate, &b->x);
    if (h_bar) *h_bar += b->x.theta[model->timestep];
    b->x.theta[model->timestep] = keep;
    return TAC_OK;
}

static tacResult stretch_vjp(tacHardPass* p, int i, hardBar* b) {
    tacStrike* s = p->s;
    const tacStretch* t = &p->stretch[i];
    int nv = s->scene->nv;
    for (int k = t->first + t->count - 1; k >= t->first; --k) {
        tacResult result = tac_strike_revisit(s, &p->note[k]);
        if (result != TAC_OK) return result;
        copy(b->u, b->x.v, nv), clear(b->x.v, nv), clear(b->rate, s->scene->na);
        strike_vjp(s, &p->note[k], b, NULL);
    }
    double h_bar = 0.0;
    tacResult result = tac_strike_revisit(s, t->push);
    if (result != TAC_OK) return result;
    activation_vjp(s, t, b, &h_bar);
    h_bar += move_vjp(p, i, b);
    // the meeting has used the motion of the solve
    result = tac_strike_revisit(s, t->push);
    if (result != TAC_OK) return result;
    strike_vjp(s, t->push, b, &h_bar);
    b->h = h_bar;
    return TAC_OK;
}

static hardBar take_bar(const tacModel* model, tacArena* arena) {
    int nv = model->nv, na = model->na;
    hardBar b = {.x.q = take_zero(arena, nv), .x.v = take_zero(arena, nv)};
    b.x.act = take_zero(arena, na), b.x.ctrl = take_zero(arena, model->nu);
    b.x.theta = take_zero(arena, model->nparam);
    b.u = take_zero(arena, nv), b.q = take_zero(arena, nv), b.path = take_zero(arena, nv);
    b.rate = take_zero(arena, na), b.act = take_zero(arena, na);
    return b;
}

static void add(double* to, const double* from, int n) {
    for (int i = 0; i < n && to; ++i) to[i] += from[i];
}

tacResult tac_hard_vjp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacTangent next_bar, tacTangent x_bar, tacReal* u_bar, tacReal* theta_bar,
                       tacScratch* scratch) {
    tacHardPass p;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacResult result = tac_hard_pass(model, x, u, scratch, &p);
    if (result == TAC_OK) {
        hardBar b = take_bar(model, arena);
        copy(b.x.q, next_bar.dq, model->nv), copy(b.x.v, next_bar.dv, model->nv);
        copy(b.x.act, next_bar.da, model->na);
        for (int i = p.stretches - 1; i >= 0 && result == TAC_OK; --i)
            result = stretch_vjp(&p, i, &b);
        b.x.theta[model->timestep] += b.h + b.x.dt;
        if (result == TAC_OK &&
            !(tac_all_finite(b.x.q, model->nv) && tac_all_finite(b.x.v, model->nv) &&
              tac_all_finite(b.x.act, model->na) && tac_all_finite(b.x.ctrl, model->nu) &&
              tac_all_finite(b.x.theta, model->nparam)))
            result = TAC_ERROR_DIVERGED;
        if (result == TAC_OK) {
            add(x_bar.dq, b.x.q, model->nv), add(x_bar.dv, b.x.v, model->nv);
            add(x_bar.da, b.x.act, model->na), add(u_bar, b.x.ctrl, model->nu);
            add(theta_bar, b.x.theta, model->nparam);
        }
    }
    scratch->info = p.info;
    arena->used = mark;
    return result;
}
