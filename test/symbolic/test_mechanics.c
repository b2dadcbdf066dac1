// Equations of motion from formulas are those of the engine: energies, mass matrix, bias.

#include "symbolic/shorthand.h"
#include "tactus/tactus.h"
#include "test.h"

#include <dirent.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 32, POINTS = 20 };

typedef struct rig {
    tacModel* model;
    tacScratch* scratch;
    tacProgram* program; // of (q, v): M, c, T, V
} rig;

static double wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int derive_equations(rig* r) {
    int n = r->model->nv, nq = r->model->nq;
    tacExpr in[2 * MOST], out[MOST * MOST + MOST + 2], *q = in, *v = in + nq;
    double start = wall_seconds();
    ENSURE(open_graph());
    ENSURE(tac_scene_equations(g, r->model, NULL, q, v, out, out + n * n) == TAC_OK);
    double derived = wall_seconds() - start;
    ENSURE(tac_scene_energies(g, r->model, NULL, q, v, out + n * n + n, out + n * n + n + 1) ==
           TAC_OK);
    ENSURE(tac_program_create(g, in, nq + n, out, n * n + n + 2, &r->program) == TAC_OK);
    printf("    %s: %d degrees of freedom, derived in %.1f ms, %d operations\n", r->model->name, n,
           1e3 * derived, tac_program_count(r->program));
    tac_graph_destroy(g);
    return 0;
}

// largest difference, relative to the largest number
static double relative_difference(const double* a, const double* b, int n) {
    double worst = 0.0, size = 1e-3;
    for (int i = 0; i < n; ++i) {
        worst = fmax(worst, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return worst / size;
}

static void unit_quaternions(const tacModel* model, double* q) {
    for (int j = 0; j < model->njoint; ++j) {
        const tacJoint* joint = &model->joint[j];
        if (joint->kind != TAC_JOINT_FREE && joint->kind != TAC_JOINT_BALL) continue;
        double *a = q + joint->qpos + (joint->kind == TAC_JOINT_FREE ? 3 : 0), square = 0.0;
        for (int k = 0; k < 4; ++k) square += a[k] * a[k];
        for (int k = 0; k < 4; ++k) a[k] /= sqrt(square);
    }
}

// energy of the joints' springs, which formulas leave out
static double spring_energy(const tacModel* model, const double* q) {
    double sum = 0.0;
    for (int j = 0; j < model->njoint; ++j) {
        const tacJoint* joint = &model->joint[j];
        double stiffness = model->param[joint->stiffness];
        if (stiffness == 0.0) continue;
        double d = joint->springref >= 0 ? q[joint->qpos] - model->param[joint->springref] : 0.0;
        if (joint->kind == TAC_JOINT_BALL) d = 2.0 * acos(fabs(q[joint->qpos]));
        sum += 0.5 * stiffness * d * d;
    }
    return sum;
}

static int compare_with_engine(rig* r, testRandom* random) {
    int n = r->model->nv, nq = r->model->nq;
    double x[2 * MOST], y[MOST * MOST + MOST + 2], M[MOST * MOST], c[MOST], energy[2];
    double worst[3] = {0.0};
    void* work = malloc(tac_program_size(r->program));
    for (int i = 0; i < POINTS; ++i) {
        double* v = x + nq;
        for (int k = 0; k < nq + n; ++k) x[k] = test_uniform(random, -2.0, 2.0);
        unit_quaternions(r->model, x);
        tacDynamicsInput in = {.qpos = x, .qvel = v};
        ENSURE(tac_program_run(r->program, x, 1, y, work) == TAC_OK);
        ENSURE(tac_mass_matrix(r->model, x, M, r->scratch) == TAC_OK);
        ENSURE(tac_inverse_dynamics(r->model, in, c, r->scratch) == TAC_OK);
        ENSURE(tac_energy(r->model, x, v, energy, r->scratch) == TAC_OK);
        double armature = 0.0; // the engine's kinetic energy holds the rotors, too
        for (int k = 0; k < n; ++k)
            armature += 0.5 * v[k] * v[k] *
                        r->model->param[r->model->joint[r->model->dof[k].joint].armature];
        energy[0] -= armature;
        energy[1] -= spring_energy(r->model, x);
        worst[0] = fmax(worst[0], relative_difference(y, M, n * n));
        worst[1] = fmax(worst[1], relative_difference(y + n * n, c, n));
        if (r->model->ntendon == 0)
            worst[2] = fmax(worst[2], relative_difference(y + n * n + n, energy, 2));
    }
    free(work);
    printf("    %s: M %.1e, c %.1e, T and V %.1e\n", r->model->name, worst[0], worst[1], worst[2]);
    ENSURE(worst[0] < 1e-12 && worst[1] < 1e-12 && worst[2] < 1e-12);
    return 0;
}

static int equations_match_engine(tacModel* model, testRandom* random) {
    rig r = {.model = model};
    ENSURE(r.model->nv <= MOST);
    ENSURE(tac_scratch_create(r.model, &r.scratch) == TAC_OK);
    ENSURE_LAW(derive_equations(&r));
    ENSURE_LAW(compare_with_engine(&r, random));
    tac_program_destroy(r.program);
    tac_scratch_destroy(r.scratch);
    tac_model_destroy(r.model);
    return 0;
}

// all that move, however many there are by now
static int scenes_have_the_engines_equations(void) {
    testRandom random = {5};
    int count = 0, most = 0;
    DIR* folder = opendir(TAC_SOURCE_DIR "/scenes");
    ENSURE(folder);
    for (struct dirent* entry; (entry = readdir(folder));) {
        char path[600];
        tacModel* model;
        if (!strstr(entry->d_name, ".xml")) continue;
        snprintf(path, sizeof path, "%s/scenes/%s", TAC_SOURCE_DIR, entry->d_name);
        ENSURE(tac_load(path, NULL, &model, NULL) == TAC_OK);
        if (model->nv == 0 || model->nv > MOST || model->nq > MOST) {
            tac_model_destroy(model);
            continue;
        }
        ++count;
        most = model->nv > most ? model->nv : most;
        ENSURE_LAW(equations_match_engine(model, &random));
    }
    closedir(folder);
    ENSURE(count >= 8 && most >= 20);
    return 0;
}

// skew axes, joints off the origin, several joints a body, a branch, inertia with products, a
// reference position, an armature, gravity that is not vertical
static const char tree[] =
    "<mujoco model='tree'><compiler angle='radian'/><option gravity='1 -2 -9'/><worldbody>"
    "<body pos='.1 .2 .3' quat='.9 .1 -.3 .2'>"
    "<joint type='slide' axis='1 2 -1' ref='.2'/>"
    "<joint type='hinge' axis='.3 -1 2' pos='.1 -.2 .05' ref='.3' armature='.4'/>"
    "<inertial pos='.1 .05 -.2' mass='1.3' fullinertia='.3 .4 .5 .02 -.03 .05'/>"
    "<body pos='0 .3 .1' quat='.5 .5 -.2 .4'>"
    "<joint type='hinge' axis='1 1 1' pos='0 .1 .2'/><joint type='slide' axis='0 1 .2' pos='1 0 "
    "0'/>"
    "<inertial pos='-.1 .2 .1' mass='.7' fullinertia='.2 .3 .25 .01 .02 -.04'/>"
    "<body pos='.4 0 0'><inertial pos='.1 0 0' mass='.3' diaginertia='.01 .02 .02'/></body></body>"
    "<body pos='-.2 .1 0'><joint type='hinge' axis='0 0 1'/>"
    "<inertial pos='.3 0 .1' mass='.5' diaginertia='.1 .2 .15' quat='.8 .2 .3 .1'/></body>"
    "</body></worldbody></mujoco>";

// a free body that carries a ball off its origin, a slide on it, and a ball again
static const char floating[] =
    "<mujoco model='floating'><option gravity='1 -2 -9'/><worldbody>"
    "<body pos='.1 .2 .3' quat='.9 .1 -.3 .2'><freejoint/>"
    "<inertial pos='.1 .05 -.2' mass='1.3' fullinertia='.3 .4 .5 .02 -.03 .05'/>"
    "<body pos='0 .3 .1' quat='.5 .5 -.2 .4'>"
    "<joint type='ball' pos='0 .1 .2' armature='.3'/><joint type='slide' axis='0 1 .2'/>"
    "<inertial pos='-.1 .2 .1' mass='.7' fullinertia='.2 .3 .25 .01 .02 -.04'/>"
    "<body pos='.4 0 0' quat='.3 0 .2 .1'><joint type='ball' pos='.2 .1 -.1'/>"
    "<inertial pos='.1 .1 0' mass='.3' diaginertia='.01 .02 .025'/></body></body>"
    "</body></worldbody></mujoco>";

static int text_law(const char* text, int size) {
    testRandom random = {6};
    tacModel* model;
    tacMessage message;
    tacResult result = tac_load_text(text, size, "tree", NULL, &model, &message);
    if (result != TAC_OK) printf("    %s\n", message.text);
    ENSURE(result == TAC_OK);
    return equations_match_engine(model, &random);
}

static int a_skew_tree_has_the_engines_equations(void) {
    return text_law(tree, (int)sizeof tree - 1);
}

static int a_floating_chain_has_the_engines_equations(void) {
    return text_law(floating, (int)sizeof floating - 1);
}

static int what_has_no_equations_is_named(void) {
    tacMessage message;
    ENSURE(open_graph());
    tacExpr x = expr_symbol("q0"), y = expr_symbol("v0"), M, c;
    ENSURE(tac_lagrange(g, expr_pow(y, 3), x, &x, &y, 1, &M, &c) == TAC_ERROR_VALUE);
    ENSURE(tac_graph_result(g, &message) == TAC_ERROR_VALUE &&
           strstr(message.text, "linear in v0"));
    ENSURE(tac_lagrange(g, expr_pow(y, 2), expr_mul(x, y), &x, &y, 1, &M, &c) == TAC_ERROR_VALUE);
    ENSURE(tac_graph_result(g, NULL) == TAC_ERROR_VALUE);
    tac_graph_destroy(g);
    return 0;
}

TEST_MAIN(RUN(scenes_have_the_engines_equations), RUN(a_skew_tree_has_the_engines_equations),
          RUN(a_floating_chain_has_the_engines_equations), RUN(what_has_no_equations_is_named))
