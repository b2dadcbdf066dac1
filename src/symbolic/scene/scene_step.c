// A whole step of a scene as formulas: the integrators of step/ on the equation of motion.
//
//   scene_dynamics.c --accelerations--> [this file] --> next state

#include "symbolic/scene/scene_dynamics.h"

#include <string.h>

//---------------------------------- integrators ----------------------------------

// a state as formulas
typedef struct stateExpr {
    tacExpr *q, *v, *act;
} stateExpr;

// q moved by h times a velocity
static void integrate_positions(const tacSceneDynamics* f, const tacExpr* q,
                                const tacExpr* velocity, tacExpr h, tacExpr* out) {
    tacGraph* g = f->g;
    for (int i = 0; i < f->model->njoint; ++i) {
        const tacJoint* j = &f->model->joint[i];
        int at = j->qpos, k = j->dof;
        int straight = j->kind == TAC_JOINT_BALL ? 0 : j->kind == TAC_JOINT_FREE ? 3 : 1;
        for (int n = 0; n < straight; ++n, ++at, ++k)
            out[at] = tac_expr_add(g, q[at], tac_expr_mul(g, h, velocity[k]));
        exprVec w = {0, 0, 0};
        if (j->axis >= 0) continue;
        w = vec_scale(g, (exprVec){velocity[k], velocity[k + 1], velocity[k + 2]}, h);
        vec_quat_integrate(g, q + at, w, out + at);
    }
}

static void add_scaled(tacGraph* g, int n, const tacExpr* a, tacExpr s, const tacExpr* b,
                       tacExpr* out) {
    for (int i = 0; i < n; ++i) out[i] = tac_expr_add(g, a[i], tac_expr_mul(g, s, b[i]));
}

// rates of the state
static void integrate_state(const tacSceneDynamics* f, const tacExpr* k, const tacExpr* a,
                            const tacExpr* rate, stateExpr next) {
    tacGraph* g = f->g;
    const tacModel* model = f->model;
    add_scaled(g, model->nv, f->v, f->h, a, next.v);
    integrate_positions(f, f->q, k ? k : next.v, f->h, next.q);
    for (int i = 0; i < model->nu; ++i) {
        int at = model->actuator[i].act;
        if (at >= 0) next.act[at] = tac_scene_act_next(f, i, f->act[at], rate[at]);
    }
}

// one stage of Runge-Kutta: the equation of motion at another state
static tacResult stage_at(const tacSceneDynamics* f, stateExpr x, tacExpr* a, tacExpr* rate) {
    tacGraph* g = f->g;
    const tacModel* model = f->model;
    int nq = model->nq, nv = model->nv, na = model->na, n = nq + nv + na;
    tacExpr* map = tac_graph_map(g, 2 * n, TAC_EXPR_NONE);
    if (!map) return g->result;
    tacExpr *from = map, *to = map + n;
    const tacExpr *symbols[] = {f->q, f->v, f->act}, *values[] = {x.q, x.v, x.act};
    const int counts[] = {nq, nv, na};
    for (int k = 0, at = 0; k < 3; at += counts[k++])
        for (int i = 0; i < counts[k]; ++i) {
            from[at + i] = symbols[k][i];
            to[at + i] = values[k][i];
        }
    tac_expr_substitute(g, f->tau, nv, from, to, n, a);
    if (g->result == TAC_OK) tac_expr_substitute(g, f->rate, na, from, to, n, rate);
    tac_graph_unmap(g, map, 2 * n);
    return g->result;
}

//---------------------------------- Lie chart ------------------------------------

// c(x) = (1 - cot(r/2) r/2)/r^2 of x = r^2, the sum of 2/((2 pi n)^2 - x): three poles, and the
// rest as a series, which has 1e-13 up to r = 5.5
static tacExpr chart_factor(tacGraph* g, tacExpr x) {
    static const double poles[] = {39.478417604357434, 157.91367041742974, 355.30575843921691};
    static const double rest[] = {0.014378638910075683,   9.5955554807794253e-6,
                                  1.1257143383002609e-8,  1.5388979565181073e-11,
                                  2.2473189650804104e-14, 3.3943564597634640e-17,
                                  5.2237546984822217e-20, 8.1274148283105215e-23,
                                  1.2728430480242655e-25, 2.0014589986788543e-28};
    tacExpr sum = tac_fraction(g, 0, 1);
    for (int k = 9; k >= 0; --k)
        sum = tac_expr_add(g, tac_number(g, rest[k]), tac_expr_mul(g, x, sum));
    for (int n = 0; n < 3; ++n) {
        tacExpr pole = tac_expr_sub(g, tac_number(g, poles[n]), x);
        sum = tac_expr_add(g, sum, tac_expr_div(g, tac_fraction(g, 2, 1), pole));
    }
    return sum;
}

// v + u x v/2 + c u x (u x v), the rate of u in q + u (docs/dynamics.md)
static exprVec chart_rate(tacGraph* g, exprVec u, exprVec v) {
    exprVec w = vec_cross(g, u, v), twice = vec_cross(g, u, w);
    exprVec sum = vec_add(g, v, vec_scale(g, w, tac_fraction(g, 1, 2)));
    return vec_add(g, sum, vec_scale(g, twice, chart_factor(g, vec_dot(g, u, u))));
}

// k of a stage: its velocity, and on rotations the rate of the chart at u = h k_before. `k` holds
// those of the stage before.
static void stage_rates(const tacSceneDynamics* f, int first, tacExpr h, const tacExpr* v,
                        tacExpr* k) {
    const tacModel* model = f->model;
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int at = j->dof, straight = j->kind == TAC_JOINT_BALL   ? 0
                                    : j->kind == TAC_JOINT_FREE ? 3
                                                                : 1;
        for (int n = 0; n < straight; ++n, ++at) k[at] = v[at];
        if (j->axis >= 0) continue;
        exprVec rate = {v[at], v[at + 1], v[at + 2]};
        if (!first && model->integrator == TAC_INTEGRATOR_LIE) {
            exprVec u = vec_scale(f->g, (exprVec){k[at], k[at + 1], k[at + 2]}, h);
            rate = chart_rate(f->g, u, rate);
        }
        k[at] = rate.x;
        k[at + 1] = rate.y;
        k[at + 2] = rate.z;
    }
}

// weights 1/6 1/3 1/3 1/6; each stage starts from the first state with the rates of the one before
static tacResult runge_kutta(const tacSceneDynamics* f, stateExpr next) {
    static const int weight[] = {1, 2, 2, 1};
    tacGraph* g = f->g;
    const tacModel* model = f->model;
    int nq = model->nq, nv = model->nv, na = model->na, room = nq + 6 * nv + 3 * na;
    tacExpr *x = tac_graph_map(g, room, tac_fraction(g, 0, 1)), *a = x + nq + nv + na;
    if (!x) return g->result;
    stateExpr at = {x, x + nq, x + nq + nv};
    tacExpr *rate = a + nv, *mean_k = rate + na, *mean_a = mean_k + nv, *mean_rate = mean_a + nv;
    tacExpr* k = mean_rate + na;
    memcpy(at.q, f->q, sizeof *x * (size_t)nq);
    memcpy(at.v, f->v, sizeof *x * (size_t)nv);
    if (na > 0) memcpy(at.act, f->act, sizeof *x * (size_t)na);
    for (int i = 0; i < 4 && g->result == TAC_OK; ++i) {
        tacExpr w = tac_fraction(g, weight[i], 6);
        tacExpr h = tac_expr_mul(g, f->h, tac_fraction(g, i < 3 ? 1 : 2, 2));
        if (i > 0) {
            integrate_positions(f, f->q, k, h, at.q); // by the rates of the stage before
            add_scaled(g, nv, f->v, h, a, at.v);
            add_scaled(g, na, f->act, h, rate, at.act);
        }
        stage_rates(f, i == 0, h, at.v, k);
        if (g->result == TAC_OK) stage_at(f, at, a, rate);
        add_scaled(g, nv, mean_k, w, k, mean_k);
        add_scaled(g, nv, mean_a, w, a, mean_a);
        add_scaled(g, na, mean_rate, w, rate, mean_rate);
    }
    if (g->result == TAC_OK) integrate_state(f, mean_k, mean_a, mean_rate, next);
    tac_graph_unmap(g, x, room);
    return g->result;
}

//---------------------------------- all ------------------------------------------

tacResult tac_scene_step(tacGraph* g, const tacModel* model, const tacSceneSymbols* symbols,
                         const tacExpr* forces, tacExpr* in, tacExpr* out) {
    if (!g || !model || (model->nv > 0 && (!in || !out))) return TAC_ERROR_VALUE;
    const tacSceneExpr s = {g, model, symbols};
    int nq = model->nq, nv = model->nv, room = tac_scene_dynamics_size(model);
    if (tac_scene_dynamics_check(g, model) != TAC_OK) return g->result;
    if (forces && tac_graph_check(g, forces, nv, 0) != TAC_OK) return g->result;
    tacExpr* work = tac_graph_map(g, room, tac_fraction(g, 0, 1));
    if (!work) return g->result;
    tacSceneDynamics f = tac_scene_dynamics_init(&s, in, work);
    stateExpr next = {out, out + nq, out + nq + nv};
    int rk4 = model->integrator == TAC_INTEGRATOR_RK4 || model->integrator == TAC_INTEGRATOR_LIE;
    int old = model->integrator == TAC_INTEGRATOR_EXPLICIT;
    if (tac_scene_dynamics_derive(&f, forces) == TAC_OK) {
        if (rk4)
            runge_kutta(&f, next);
        else
            integrate_state(&f, old ? f.v : NULL, f.tau, f.rate, next);
    }
    tac_graph_unmap(g, work, room);
    return g->result;
}
