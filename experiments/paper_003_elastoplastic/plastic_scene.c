// The scenarios of paper 003, Table I, and three methods to simulate them. The paper gives no
// numbers; these are ours.

#define _GNU_SOURCE
#include "experiments/paper_003_elastoplastic/plastic_scene.h"
#include "cli/clock.h"

#include "cli/report.h"
#include "experiments/paper_003_elastoplastic/plastic_formula.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CIRCLE "<joint type='planar'/><geom type='circle' size='.1' mass='1' friction='.3'/>"
#define RECTANGLE                                                                                  \
    "<joint type='planar'/><geom type='rectangle' size='.2 .1' mass='2' friction='.3'/>"

const plasticCase plastic_case[PLASTIC_CASES] = {
    {"bouncing circle",
     "<geom type='halfplane' friction='.3'/><body pos='0 1 0'>" CIRCLE "</body>",
     FLOOR_CIRCLE,
     1,
     {{0.0}, {0.1}},
     2.0,
     9.81,
     {0.5, 0.0, 0.0}},
    {"circle-circle",
     "<body>" CIRCLE "</body><body pos='.5 .05 0'>" CIRCLE "</body>",
     CIRCLE_CIRCLE,
     1,
     {{0.1}, {0.1}},
     1.0,
     0.0,
     {1.0, 0.0, 2.0, -1.0, 0.0, -1.0}},
    {"rectangle-circle",
     "<body>" RECTANGLE "</body><body pos='.6 .05 0'>" CIRCLE "</body>",
     BOX_CIRCLE,
     1,
     {{0.2, 0.1}, {0.1}},
     1.0,
     0.0,
     {0.0, 0.0, 1.0, -1.5, 0.0, 0.0}},
    {"rectangle-rectangle",
     "<body>" RECTANGLE "</body><body pos='.6 .1 0' euler='0 0 29'><joint type='planar'/>"
     "<geom type='rectangle' size='.15 .08' mass='1' friction='.3'/></body>",
     BOX_BOX,
     1,
     {{0.2, 0.1}, {0.15, 0.08}},
     1.0,
     0.0,
     {0.0, 0.0, 0.3, -1.3, 0.7, 1.0}},
    {"sphere-cuboid",
     "<body><freejoint/><geom type='box' size='.2 .15 .1' mass='2' friction='.3'/></body>"
     "<body pos='.6 .05 .03'><freejoint/><geom size='.1' mass='1' friction='.3'/></body>",
     BOX_CIRCLE,
     0,
     {{0.2, 0.15, 0.1}, {0.1}},
     1.0,
     0.0,
     {0.0, 0.0, 0.0, 0.3, 0.5, 0.2, -1.5, 0.0, 0.0, 0.0, 1.0, 0.0}},
};

//---------------------------------- opening --------------------------------------

static tacModel* load_scenario(const plasticCase* scenario, double step, const char* contact) {
    char text[1600];
    tacMessage message = {0};
    tacModel* model = NULL;
    snprintf(text, sizeof text,
             "<mujoco>%s<option integrator='RK4' timestep='%.17g' gravity='0 %g 0'/><worldbody>%s"
             "</worldbody></mujoco>",
             contact, step, -scenario->gravity, scenario->bodies);
    if (tac_load_text(text, (int)strlen(text), scenario->name, NULL, &model, &message) != TAC_OK)
        fprintf(stderr, "%s: %s\n", scenario->name, message.text);
    return model;
}

typedef tacResult (*plasticWriter)(tacGraph* graph, const plasticScene* s, tacExpr* in,
                                   tacExpr* out);

static tacProgram* derive_program(const plasticScene* s, plasticWriter write, int inputs,
                                  int outputs) {
    tacExpr in[PLASTIC_Q + PLASTIC_V + 6], out[26];
    tacGraph* graph = NULL;
    tacProgram* program = NULL;
    tacMessage message = {0};
    if (tac_graph_create(NULL, &graph) != TAC_OK) return NULL;
    if (write(graph, s, in, out) != TAC_OK ||
        tac_program_create(graph, in, inputs, out, outputs, &program) != TAC_OK) {
        tac_graph_result(graph, &message);
        fprintf(stderr, "%s: %s\n", s->scenario->name, message.text);
    }
    tac_graph_destroy(graph);
    return program;
}

static void make_solids(plasticScene* s) {
    const plasticCase* scenario = s->scenario;
    const double up[3] = {0.0, 1.0, 0.0};
    for (int i = 0; i < 2; ++i) {
        int round = scenario->pair == CIRCLE_CIRCLE || (i == 1 && scenario->pair != BOX_BOX);
        if (scenario->pair == FLOOR_CIRCLE && i == 0)
            tac_solid_create_halfspace(up, 0.0, 1, &s->solid[i], NULL);
        else if (round)
            tac_solid_create_ball(scenario->half[i][0], scenario->planar, &s->solid[i], NULL);
        else
            tac_solid_create_box(scenario->half[i], scenario->planar, &s->solid[i], NULL);
    }
}

static int compile_formulas(plasticScene* s) {
    int nq = s->free_model->nq, nv = s->free_model->nv;
    double start = cli_cpu_seconds();
    s->formula = derive_program(s, plastic_formula, nq + nv, nv + 2);
    s->derived = cli_cpu_seconds() - start;
    s->motion = derive_program(s, plastic_motion, nq + nv + 6, nv);
    s->poses = derive_program(s, plastic_poses, nq + nv, 26);
    if (!s->formula || !s->motion || !s->poses) return 1;
    start = cli_cpu_seconds();
    if (tac_code_create(s->formula, NULL, &s->formula_code, NULL) != TAC_OK) return 1;
    s->compiled = cli_cpu_seconds() - start;
    if (tac_code_create(s->motion, NULL, &s->motion_code, NULL) != TAC_OK ||
        tac_code_create(s->poses, NULL, &s->poses_code, NULL) != TAC_OK)
        return 1;
    s->work = malloc(tac_code_size(s->formula_code) + tac_code_size(s->motion_code) +
                     tac_code_size(s->poses_code) +
                     tac_convex_separation_size(s->solid[0], s->solid[1]) + 64);
    return s->work == NULL;
}

int plastic_open(plasticScene* s, const plasticCase* scenario, double step) {
    *s = (plasticScene){.scenario = scenario};
    s->model = load_scenario(
        scenario, step,
        "<tactus detect='sat' respond='elastoplastic' implicit='false' stiffness='1e9' "
        "dissipation='5' stiction='.01'/>");
    s->free_model = load_scenario(scenario, step, "");
    make_solids(s);
    if (!s->model || !s->free_model || !s->solid[0] || !s->solid[1] ||
        tac_scratch_create(s->model, &s->scratch) != TAC_OK ||
        tac_scratch_create(s->free_model, &s->free_scratch) != TAC_OK || compile_formulas(s) != 0) {
        plastic_close(s);
        return 1;
    }
    return 0;
}

void plastic_close(plasticScene* s) {
    tac_code_destroy(s->formula_code);
    tac_code_destroy(s->motion_code);
    tac_code_destroy(s->poses_code);
    tac_program_destroy(s->poses);
    tac_program_destroy(s->formula);
    tac_program_destroy(s->motion);
    tac_scratch_destroy(s->scratch);
    tac_scratch_destroy(s->free_scratch);
    tac_model_destroy(s->model);
    tac_model_destroy(s->free_model);
    tac_solid_destroy(s->solid[0]);
    tac_solid_destroy(s->solid[1]);
    free(s->work);
}

//---------------------------------- Runge-Kutta ----------------------------------

// positions, velocities, dissipated energy
typedef struct plasticState {
    double x[PLASTIC_Q + PLASTIC_V + 1];
} plasticState;

typedef tacResult (*plasticRate)(const plasticScene* s, const double* x, double* rate);

static int state_size(const plasticScene* s) { return s->free_model->nq + s->free_model->nv + 1; }

// dq/dt: velocities, and of a unit quaternion q (0, w)/2
static void position_rate(const plasticScene* s, const double* q, const double* v, double* rate) {
    if (s->scenario->planar) {
        memcpy(rate, v, sizeof *v * (size_t)s->free_model->nq);
        return;
    }
    for (int b = 0; b < 2; ++b, q += 7, v += 6, rate += 7) {
        const double *p = q + 3, *w = v + 3;
        memcpy(rate, v, 3 * sizeof *v);
        rate[3] = 0.5 * (-p[1] * w[0] - p[2] * w[1] - p[3] * w[2]);
        rate[4] = 0.5 * (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]);
        rate[5] = 0.5 * (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]);
        rate[6] = 0.5 * (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]);
    }
}

static tacResult runge_kutta(const plasticScene* s, plasticRate rate, double h, plasticState* at) {
    static const double node[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1, 2, 2, 1};
    int n = state_size(s);
    plasticState k = {{0}}, mean = {{0}}, x;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < n; ++j) x.x[j] = at->x[j] + h * node[i] * k.x[j];
        tacResult result = rate(s, x.x, k.x);
        if (result != TAC_OK) return result;
        for (int j = 0; j < n; ++j) mean.x[j] += weight[i] / 6.0 * k.x[j];
    }
    for (int j = 0; j < n; ++j) at->x[j] += h * mean.x[j];
    for (int b = 0; b < 2 && !s->scenario->planar; ++b) { // quaternions keep their length
        double *q = at->x + 7 * b + 3, norm = 0.0;
        for (int j = 0; j < 4; ++j) norm += q[j] * q[j];
        for (int j = 0; j < 4; ++j) q[j] /= sqrt(norm);
    }
    return TAC_OK;
}

static void start_state(const plasticScene* s, plasticState* at) {
    memset(at, 0, sizeof *at);
    memcpy(at->x, s->free_model->qpos0, sizeof(double) * (size_t)s->free_model->nq);
    memcpy(at->x + s->free_model->nq, s->scenario->qvel,
           sizeof(double) * (size_t)s->free_model->nv);
}

static void store_result(const plasticScene* s, const double* q, const double* v, plasticRun* out) {
    memcpy(out->q, q, sizeof *q * (size_t)s->free_model->nq);
    memcpy(out->v, v, sizeof *v * (size_t)s->free_model->nv);
}

//---------------------------------- one formula ----------------------------------

static tacResult formula_rate(const plasticScene* s, const double* x, double* rate) {
    int nq = s->free_model->nq, nv = s->free_model->nv;
    double y[PLASTIC_V + 2];
    tacResult result = tac_code_run(s->formula_code, x, 1, y, s->work);
    position_rate(s, x, x + nq, rate);
    memcpy(rate + nq, y, sizeof *y * (size_t)nv);
    rate[nq + nv] = y[nv];
    return result;
}

// kinetic, potential, elastic and dissipated energy
static double energy_of(const plasticScene* s, const plasticState* at, double* lost) {
    int nq = s->free_model->nq, nv = s->free_model->nv;
    double energy[2], y[PLASTIC_V + 2];
    tac_energy(s->free_model, at->x, at->x + nq, energy, s->free_scratch);
    tac_code_run(s->formula_code, at->x, 1, y, s->work);
    *lost = y[nv];
    return energy[0] + energy[1] + y[nv + 1] + at->x[nq + nv];
}

static void record_path(const plasticScene* s, const plasticState* at, double* path) {
    int bodies = s->free_model->nbody - 1;
    tacPose pose[3];
    tac_kinematics(s->free_model, at->x, NULL, pose, NULL, s->free_scratch);
    for (int b = 0; b < 2; ++b) {
        tacVec3 p = pose[b < bodies ? b + 1 : 1].position;
        path[2 * b] = p.x;
        path[2 * b + 1] = p.y;
    }
}

tacResult plastic_run_symbolic(plasticScene* s, double h, plasticRun* out, double* path,
                               int count) {
    int steps = (int)(s->scenario->duration / h + 0.5), interval = path ? steps / (count - 1) : 50;
    plasticState at;
    double lost, begin, start = cli_cpu_seconds(), spent = 0.0;
    tacResult result = TAC_OK;
    start_state(s, &at);
    begin = energy_of(s, &at, &lost);
    out->drift = out->min_loss = 0.0;
    for (int i = 0; i <= steps && result == TAC_OK; ++i) {
        if (i % interval == 0) { // not counted as time of the run
            double pause = cli_cpu_seconds();
            out->drift = fmax(out->drift, fabs(energy_of(s, &at, &lost) - begin) / fabs(begin));
            out->min_loss = fmin(out->min_loss, lost);
            if (path && i / interval < count) record_path(s, &at, path + 4 * (i / interval));
            spent += cli_cpu_seconds() - pause;
        }
        if (i < steps) result = runge_kutta(s, formula_rate, h, &at);
    }
    out->cpu_seconds = cli_cpu_seconds() - start - spent;
    store_result(s, at.x, at.x + s->free_model->nq, out);
    return result;
}

//---------------------------------- the engine -----------------------------------

tacResult plastic_run_engine(plasticScene* s, plasticRun* out) {
    double h = s->model->param[s->model->timestep];
    int steps = (int)(s->scenario->duration / h + 0.5);
    plasticState at;
    start_state(s, &at);
    tacState x = {.qpos = at.x, .qvel = at.x + s->model->nq};
    tacResult result = TAC_OK;
    double start = cli_cpu_seconds();
    for (int i = 0; i < steps && result == TAC_OK; ++i)
        result = tac_step(s->model, &x, NULL, &x, s->scratch);
    out->cpu_seconds = cli_cpu_seconds() - start;
    store_result(s, x.qpos, x.qvel, out);
    return result;
}

//---------------------------------- convex programs ------------------------------

// a body by the formulas of its pose
typedef struct plasticBody {
    tacPose pose;
    tacVec3 v, w;
} plasticBody;

static plasticBody body_of(const double* y) {
    return (plasticBody){
        {{y[0], y[1], y[2]}, {y[3], y[4], y[5], y[6]}}, {y[7], y[8], y[9]}, {y[10], y[11], y[12]}};
}

static tacVec3 velocity_at(const plasticBody* b, tacVec3 point) {
    tacVec3 x = b->pose.position, r = {point.x - x.x, point.y - x.y, point.z - x.z}, w = b->w;
    return (tacVec3){b->v.x + w.y * r.z - w.z * r.y, b->v.y + w.z * r.x - w.x * r.z,
                     b->v.z + w.x * r.y - w.y * r.x};
}

// 1 if the bounding balls overlap: only then solve a convex program
static int may_contact(const plasticScene* s, const plasticBody body[2]) {
    tacVec3 a = body[0].pose.position, b = body[1].pose.position;
    double d[3] = {b.x - a.x, b.y - a.y, b.z - a.z};
    double center_distance =
        s->scenario->pair == FLOOR_CIRCLE ? d[1] : sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    double first = s->scenario->pair == FLOOR_CIRCLE ? 0.0 : s->solid[0]->size;
    return center_distance <= first + s->solid[1]->size;
}

// force on the second body and where it acts
static tacResult contact_force(const plasticScene* s, const plasticBody body[2], double out[6]) {
    const tacElastoplasticLaw law = {.k = 1e9, .v_d = 5.0, .v_s = 0.01, .mu = 0.3};
    tacSeparation c = {.distance = 1.0};
    memset(out, 0, 6 * sizeof *out);
    if (!may_contact(s, body)) return TAC_OK;
    tacPosedSolid a = {s->solid[0], body[0].pose}, b = {s->solid[1], body[1].pose};
    tacResult result = tac_convex_separation(a, b, NULL, &c, NULL, NULL, s->work);
    if (result != TAC_OK || c.distance >= 0.0) return result;
    tacVec3 p = {0.5 * (c.point[0].x + c.point[1].x), 0.5 * (c.point[0].y + c.point[1].y),
                 0.5 * (c.point[0].z + c.point[1].z)};
    tacVec3 v0 = velocity_at(&body[0], p), v1 = velocity_at(&body[1], p);
    tacElastoplasticState at = {
        .phi = c.distance, .n = c.normal, .v = {v1.x - v0.x, v1.y - v0.y, v1.z - v0.z}};
    tacVec3 F = tac_elastoplastic(&law, &at);
    out[0] = F.x;
    out[1] = F.y;
    out[2] = F.z;
    out[3] = p.x;
    out[4] = p.y;
    out[5] = p.z;
    return TAC_OK;
}

static tacResult convex_rate(const plasticScene* s, const double* x, double* rate) {
    int nq = s->free_model->nq, nv = s->free_model->nv;
    double in[PLASTIC_Q + PLASTIC_V + 6], poses[26];
    tacResult result = tac_code_run(s->poses_code, x, 1, poses, s->work);
    plasticBody body[2] = {body_of(poses), body_of(poses + 13)};
    memcpy(in, x, sizeof *x * (size_t)(nq + nv));
    if (result == TAC_OK) result = contact_force(s, body, in + nq + nv);
    position_rate(s, x, x + nq, rate);
    if (result == TAC_OK) result = tac_code_run(s->motion_code, in, 1, rate + nq, s->work);
    rate[nq + nv] = 0.0;
    return result;
}

tacResult plastic_run_convex(plasticScene* s, double h, plasticRun* out) {
    int steps = (int)(s->scenario->duration / h + 0.5);
    plasticState at;
    tacResult result = TAC_OK;
    start_state(s, &at);
    double start = cli_cpu_seconds();
    for (int i = 0; i < steps && result == TAC_OK; ++i)
        result = runge_kutta(s, convex_rate, h, &at);
    out->cpu_seconds = cli_cpu_seconds() - start;
    store_result(s, at.x, at.x + s->free_model->nq, out);
    return result;
}
