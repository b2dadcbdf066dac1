// Quantities of a motion, at a state and after several steps: gradients by state, control and every
// parameter against complex step, quad precision and Taylor slopes. With no step this proves the
// adjoints of places and of energy.

#include "check/motion_problem.h"
#include "check/prove.h"

#include <stdlib.h>

typedef struct bench {
    tacModel* model;
    double *qpos, *qvel, *act, *ctrl;
    tacState at;
} bench;

static int open_bench(bench* b, const char* text, const char* scene) {
    char path[300];
    tacMessage message = {0};
    snprintf(path, sizeof path, "%s/scenes/%s.xml", TAC_SOURCE_DIR, scene);
    *b = (bench){0};
    tacResult result =
        text ? tac_load_text(text, (int)strlen(text), scene, NULL, &b->model, &message)
             : tac_load(path, NULL, &b->model, &message);
    if (result != TAC_OK) printf("  %s\n", message.text);
    ENSURE(result == TAC_OK);
    size_t size = (size_t)(b->model->nq + b->model->nu + b->model->na + 1);
    b->qpos = calloc(size, 8);
    b->qvel = calloc(size, 8);
    b->act = calloc(size, 8);
    b->ctrl = calloc(size, 8);
    memcpy(b->qpos, b->model->qpos0, sizeof(double) * (size_t)b->model->nq);
    b->at = (tacState){.qpos = b->qpos, .qvel = b->qvel, .act = b->act};
    return 0;
}

static void close_bench(bench* b) {
    free(b->qpos);
    free(b->qvel);
    free(b->act);
    free(b->ctrl);
    tac_model_destroy(b->model);
}

static int prove_one(const bench* b, const tacQuantity* what, int steps, const char* name) {
    tacCheckMotion context;
    tacCheckProblem problem;
    tacCheckOptions options = tac_check_default_options();
    options.points = getenv("TACTUS_NO_SWEEP") ? 5 : 20;
    options.quad_every = 5;
    options.taylor_every = 4;
    options.first = 1e-10;
    options.second = 1e-8;
    ENSURE(tac_check_motion_begin(b->model, &b->at, b->ctrl, what, steps, &context, &problem) ==
           TAC_OK);
    problem.name = name;
    int failed = prove(&problem, options);
    tac_check_motion_end(&context);
    return failed;
}

// every kind, and of qpos and places several
static int prove_all(const bench* b, int steps) {
    const tacModel* m = b->model;
    int failed = 0;
    for (int k = TAC_QUANTITY_KINETIC; k <= TAC_QUANTITY_ENERGY; ++k)
        failed |= prove_one(b, &(tacQuantity){.kind = (tacQuantityKind)k}, steps, "energy");
    for (int i = 0; i < m->nq; i += 1 + m->nq / 8)
        failed |= prove_one(b, &(tacQuantity){TAC_QUANTITY_QPOS, i, 0}, steps, "qpos");
    for (int i = 0; i < m->nv && steps > 0; i += 1 + m->nv / 3)
        failed |= prove_one(b, &(tacQuantity){TAC_QUANTITY_QVEL, i, 0}, steps, "qvel");
    for (int i = 1; i < m->nbody; i += 1 + m->nbody / 4)
        failed |= prove_one(b, &(tacQuantity){TAC_QUANTITY_XPOS, i, i % 3}, steps, "xpos");
    failed |= prove_one(b, &(tacQuantity){TAC_QUANTITY_XPOS, m->nbody - 1, 2}, steps, "xpos");
    for (int i = 0; i < m->nsite; ++i)
        failed |= prove_one(b, &(tacQuantity){TAC_QUANTITY_SITE, i, i % 3}, steps, "site");
    return failed;
}

static int prove_scene(const char* scene, int steps) {
    bench b;
    ENSURE_LAW(open_bench(&b, NULL, scene));
    int failed = prove_all(&b, steps);
    close_bench(&b);
    return failed;
}

static int quantities_of_states_have_right_derivatives(void) {
    return prove_scene("double_pendulum", 0) | prove_scene("top", 0) | prove_scene("arm", 0) |
           prove_scene("humanoid", 0);
}

static int quantities_after_steps_have_right_derivatives(void) {
    return prove_scene("cart_pole", 7) | prove_scene("top", 3) | prove_scene("arm", 5);
}

// several joints on a body, a ball among them, frames and axes that are not unit, springs that rest
// elsewhere, bodies without joints
static int quantities_of_odd_joints_have_right_derivatives(void) {
    static const char text[] =
        "<mujoco><worldbody><body pos='.1 .2 .3' quat='1 .2 .3 .4'><freejoint/>"
        "<geom type='box' size='.1 .2 .3'/>"
        "<body pos='.3 0 .1' euler='10 20 30'><joint type='slide' axis='1 2 3' ref='.1' "
        "stiffness='3' springref='.2'/><joint type='ball' pos='.1 .2 .3' stiffness='2' "
        "damping='.3' armature='.02'/><joint axis='0 1 1' pos='0 .1 0' ref='20'/>"
        "<geom type='ellipsoid' size='.1 .15 .2' pos='.1 0 0'/><site pos='.2 -.1 .3'/>"
        "<body pos='0 0 .2' quat='1 1 .5 2'><geom size='.1' pos='0 .1 0'/><body pos='.1 0 0'>"
        "<joint name='last' axis='1 0 2' damping='.1' armature='.1'/>"
        "<geom type='capsule' size='.05 .2'/><site pos='.1 .2 -.3'/></body></body></body></body>"
        "<body><joint type='free' stiffness='2' damping='.1'/><geom size='.1'/></body></worldbody>"
        "<actuator><motor joint='last' gear='3'/></actuator></mujoco>";
    bench b;
    ENSURE_LAW(open_bench(&b, text, "odd"));
    int failed = prove_all(&b, 0) | prove_all(&b, 2);
    close_bench(&b);
    return failed;
}

// tendons with and without slack, activations
static int quantities_of_tendons_and_activations_have_right_derivatives(void) {
    static const char text[] =
        "<mujoco><worldbody><body><joint name='a' axis='0 1 0' damping='.1'/>"
        "<geom type='capsule' size='.05' fromto='0 0 0 .3 0 0'/><body pos='.3 0 0'>"
        "<joint name='b' axis='0 1 .2' ref='10'/><geom size='.1' pos='.2 0 0'/><body pos='.3 0 0'>"
        "<joint name='c' type='slide' axis='1 0 0'/><geom size='.06' pos='.1 0 0'/>"
        "</body></body></body></worldbody>"
        "<tendon><fixed name='t' stiffness='4' springlength='.3' damping='.2'>"
        "<joint joint='a' coef='.7'/><joint joint='c' coef='-1.2'/></fixed>"
        "<fixed name='s' stiffness='3' springlength='-.1 .1'><joint joint='b' coef='2'/></fixed>"
        "</tendon><actuator><general tendon='t' gear='2' dyntype='filter' dynprm='.05' "
        "gainprm='3'/><general joint='b' dyntype='integrator' gainprm='1'/>"
        "<motor joint='c'/></actuator></mujoco>";
    bench b;
    ENSURE_LAW(open_bench(&b, text, "tendons"));
    int failed = prove_all(&b, 0) | prove_all(&b, 3) | prove_one(&b, NULL, 1, "step");
    for (int i = 0; i < b.model->na; ++i)
        failed |= prove_one(&b, &(tacQuantity){TAC_QUANTITY_ACT, i, 0}, 3, "act");
    close_bench(&b);
    return failed;
}

// the adapter of tactus grad --check proves the step, too
static int steps_have_right_derivatives(void) {
    static const char* const scenes[] = {"cart_pole", "top", "arm", "humanoid"};
    int failed = 0;
    for (int i = 0; i < 4; ++i) {
        bench b;
        ENSURE_LAW(open_bench(&b, NULL, scenes[i]));
        failed |= prove_one(&b, NULL, 1, scenes[i]);
        close_bench(&b);
    }
    return failed;
}

// a pea has less inertia than armatures of machines have: directions must not take it away
static int light_bodies_have_right_derivatives(void) {
    static const char text[] =
        "<mujoco><tactus detect='manifold' respond='spring'/><worldbody>"
        "<geom type='box' size='.1 .1 .01'/><body pos='0 0 .0148'><freejoint/>"
        "<geom type='sphere' size='.005' mass='2e-4'/></body></worldbody></mujoco>";
    bench b;
    ENSURE_LAW(open_bench(&b, text, "pea"));
    int failed = prove_one(&b, NULL, 1, "pea");
    close_bench(&b);
    return failed;
}

// derivatives that are made of complex numbers, which have no quad adjoint, are proven as far
static int reference_manifold_has_right_derivatives(void) {
    static const char text[] =
        "<mujoco><tactus detect='manifold' respond='spring' definition='reference' "
        "top_k='softsort' top_k_vertices='3' top_k_edges='2'/><worldbody>"
        "<geom type='box' size='.1 .12 .02'/><body pos='.01 .02 .058' euler='2 3 20'><freejoint/>"
        "<geom type='box' size='.05 .04 .03' mass='1'/></body></worldbody></mujoco>";
    bench b;
    ENSURE_LAW(open_bench(&b, text, "reference"));
    int failed = prove_one(&b, NULL, 1, "reference");
    close_bench(&b);
    return failed;
}

// wrong input leaves adjoints untouched
static int wrong_input_is_refused(void) {
    bench b;
    ENSURE_LAW(open_bench(&b, NULL, "arm"));
    tacScratch* scratch;
    ENSURE(tac_scratch_create(b.model, &scratch) == TAC_OK);
    double bar[6 * 20] = {0}, q_bar[7] = {0}, energy[2] = {1.0, NAN};
    tacDynamicsTangent out = {.dq = q_bar, .dv = q_bar};
    bar[10] = INFINITY;
    ENSURE(tac_kinematics_vjp(b.model, b.qpos, bar, q_bar, NULL, scratch) == TAC_ERROR_VALUE);
    ENSURE(tac_kinematics_vjp(b.model, b.qpos, NULL, q_bar, NULL, scratch) == TAC_ERROR_VALUE);
    ENSURE(tac_energy_vjp(b.model, b.qpos, b.qvel, energy, out, scratch) == TAC_ERROR_VALUE);
    energy[1] = 1.0;
    b.qvel[3] = NAN;
    ENSURE(tac_energy_vjp(b.model, b.qpos, b.qvel, energy, out, scratch) == TAC_ERROR_VALUE);
    b.qvel[3] = 1e200;
    ENSURE(tac_energy_vjp(b.model, b.qpos, b.qvel, energy, out, scratch) == TAC_ERROR_DIVERGED);
    for (int i = 0; i < 7; ++i) ENSURE(q_bar[i] == 0.0);
    tac_scratch_destroy(scratch);
    close_bench(&b);
    return 0;
}

TEST_MAIN(RUN(quantities_of_states_have_right_derivatives),
          RUN(quantities_of_odd_joints_have_right_derivatives),
          RUN(quantities_of_tendons_and_activations_have_right_derivatives),
          RUN(quantities_after_steps_have_right_derivatives), RUN(steps_have_right_derivatives),
          RUN(light_bodies_have_right_derivatives), RUN(reference_manifold_has_right_derivatives),
          RUN(wrong_input_is_refused), RUN(prove_summary))
