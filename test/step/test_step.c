// Laws of the step: energy and momentum, batches, bad input, divergence.

#include "tactus/tactus.h"

#include "base/dispatch.h"
#include "step/actuated_scenes.h"
#include "test.h"

#include <stdlib.h>

//---------------------------------- scenes ---------------------------------------

typedef struct stage {
    tacModel* model;
    tacScratch* scratch;
    tacState x;
    double* u;
} stage;

// a scene of ours by its name, or as text
static int open_stage(stage* s, const char* name) {
    char path[300];
    tacMessage message;
    snprintf(path, sizeof path, "%s/scenes/%.100s.xml", TAC_SOURCE_DIR, name);
    *s = (stage){0};
    tacResult result =
        *name == '<' ? tac_load_text(name, (int)strlen(name), "text", NULL, &s->model, &message)
                     : tac_load(path, NULL, &s->model, &message);
    ENSURE(result == TAC_OK);
    ENSURE(tac_scratch_create(s->model, &s->scratch) == TAC_OK);
    s->x.qpos = calloc((size_t)s->model->nq, sizeof(double));
    s->x.qvel = calloc((size_t)s->model->nv, sizeof(double));
    s->u = calloc((size_t)s->model->nu + 1, sizeof(double));
    memcpy(s->x.qpos, s->model->qpos0, sizeof(double) * (size_t)s->model->nq);
    return 0;
}

static void close_stage(stage* s) {
    free(s->x.qpos);
    free(s->x.qvel);
    free(s->u);
    tac_scratch_destroy(s->scratch);
    tac_model_destroy(s->model);
}

static void set_param(tacModel* model, const char* name, double value) {
    tacParam param;
    if (tac_param_find(model, name, &param) != TAC_OK) return;
    for (int i = 0; i < param.count; ++i) model->param[param.offset + i] = value;
}

static void no_losses(tacModel* model) {
    for (int i = 0; i < model->njoint; ++i) model->param[model->joint[i].damping] = 0.0;
}

//---------------------------------- energy and momentum --------------------------

// energy after one second; the first velocity is the same for every time step
static double energy_after_second(stage* s, int steps) {
    tacState x = s->x;
    double e[2];
    memcpy(x.qpos, s->model->qpos0, sizeof(double) * (size_t)s->model->nq);
    for (int i = 0; i < s->model->nv; ++i) x.qvel[i] = 0.5 + 0.1 * i;
    set_param(s->model, "option/timestep", 1.0 / steps);
    for (int i = 0; i < steps; ++i) tac_step(s->model, &x, s->u, &x, s->scratch);
    tac_energy(s->model, x.qpos, x.qvel, e, s->scratch);
    return e[0] + e[1];
}

static double start_energy(stage* s) {
    double e[2];
    memcpy(s->x.qpos, s->model->qpos0, sizeof(double) * (size_t)s->model->nq);
    for (int i = 0; i < s->model->nv; ++i) s->x.qvel[i] = 0.5 + 0.1 * i;
    tac_energy(s->model, s->x.qpos, s->x.qvel, e, s->scratch);
    return e[0] + e[1];
}

// The drift of RK4 falls with the fourth power of the time step or faster: on hinges and slides,
// and with the chart of turns everywhere.
static int rk4_keeps_energy(void) {
    static const char* const names[] = {"double_pendulum", "cart_pole", "arm", "top", "humanoid"};
    static const int steps[] = {100, 100, 100, 800, 400}; // stiff springs need short ones
    for (int i = 0; i < 5; ++i) {
        stage s;
        ENSURE_LAW(open_stage(&s, names[i]));
        s.model->integrator = i < 3 ? TAC_INTEGRATOR_RK4 : TAC_INTEGRATOR_LIE;
        no_losses(s.model);
        s.model->disable |= TAC_DISABLE_ACTUATION;
        double start = start_energy(&s);
        double coarse = fabs(energy_after_second(&s, steps[i]) - start);
        double fine = fabs(energy_after_second(&s, 2 * steps[i]) - start);
        double slope = log2(coarse / fine);
        printf("    %-16s energy %.3g J, drift %.2g and %.2g, slope %.2f\n", names[i], start,
               coarse, fine, slope);
        ENSURE(slope >= 3.8);
        close_stage(&s);
    }
    return 0;
}

//---------------------------------- implicit -------------------------------------

// (M - h d tau/dv) a = tau - c of implicitfast, with the derivative by differences, which are exact
// for forces that are linear in velocity
static int implicitfast_solves_its_equation(void) {
    static const char text[] =
        "<mujoco><option integrator='implicitfast'/><worldbody><body><joint name='a' damping='2'/>"
        "<geom size='.1' pos='.3 0 0'/><body pos='.3 0 0'><joint name='b' axis='0 1 0'/>"
        "<geom size='.1' pos='.2 0 0'/><body pos='.2 0 0'><joint name='c' type='slide'/>"
        "<geom size='.1'/></body></body></body></worldbody><tendon><fixed name='t' damping='3'>"
        "<joint joint='a' coef='1'/><joint joint='c' coef='-2'/></fixed></tendon><actuator>"
        "<velocity joint='b' kv='5'/><damper tendon='t' kv='4' ctrlrange='0 2'/>"
        "<velocity joint='c' kv='7' forcerange='-.01 .01'/></actuator></mujoco>";
    tacModel* model;
    tacScratch* scratch;
    ENSURE(tac_load_text(text, (int)strlen(text), "text", NULL, &model, NULL) == TAC_OK);
    ENSURE(tac_scratch_create(model, &scratch) == TAC_OK);
    double q[3] = {.1, .2, .3}, v[3] = {.4, -.5, .6}, u[3] = {.7, .8, .9}, h = .002;
    double M[9], tau[3], c[3], qn[3], vn[3], moved[3], other[3];
    tacState x = {.qpos = q, .qvel = v}, next = {.qpos = qn, .qvel = vn};
    ENSURE(tac_step(model, &x, u, &next, scratch) == TAC_OK);
    ENSURE(tac_mass_matrix(model, q, M, scratch) == TAC_OK);
    ENSURE(tac_joint_forces(model, &x, u, tau, scratch) == TAC_OK);
    ENSURE(tac_inverse_dynamics(model, (tacDynamicsInput){.qpos = q, .qvel = v}, c, scratch) == 0);
    for (int k = 0; k < 3; ++k) {
        // d tau/dv_k: half a unit to each side is exact, and keeps the third motor in its clamp
        memcpy(moved, v, sizeof v);
        tacState at = {.qpos = q, .qvel = moved};
        double plus[3], minus[3];
        moved[k] = v[k] + .1;
        tac_joint_forces(model, &at, u, plus, scratch);
        moved[k] = v[k] - .1;
        tac_joint_forces(model, &at, u, minus, scratch);
        for (int i = 0; i < 3; ++i) M[3 * i + k] -= h * (plus[i] - minus[i]) / .2;
    }
    for (int i = 0; i < 3; ++i) {
        other[i] = 0.0;
        for (int k = 0; k < 3; ++k) other[i] += M[3 * i + k] * (vn[k] - v[k]) / h;
        ENSURE_NEAR(other[i], tau[i] - c[i], 1e-10);
    }
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

//---------------------------------- batches --------------------------------------

enum { MOST = 37 };

static int run_batch(stage* s, int count, int threads, double* out) {
    tacStepItem items[MOST];
    tacState x[MOST];
    tacScratch* scratch[MOST];
    int nq = s->model->nq, nv = s->model->nv, nu = s->model->nu, nx = nq + nv + s->model->na;
    double* memory = calloc((size_t)(MOST * (nx + nu + 1)), sizeof(double));
    testRandom random = {11};
    for (int i = 0; i < count; ++i) {
        double* at = memory + i * (nx + nu + 1);
        x[i] = (tacState){.qpos = at, .qvel = at + nq, .act = at + nq + nv};
        memcpy(at, s->model->qpos0, sizeof(double) * (size_t)nq);
        for (int k = 0; k < nx + nu; ++k) at[k] += test_uniform(&random, -0.5, 0.5);
        tac_scratch_create(s->model, &scratch[i]);
        items[i] = (tacStepItem){s->model, &x[i], at + nx, &x[i], scratch[i], TAC_OK};
    }
    for (int k = 0; k < 5; ++k) {
        if (threads < 0)
            for (int i = 0; i < count; ++i)
                ENSURE(tac_step(s->model, &x[i], items[i].u, &x[i], scratch[i]) == TAC_OK);
        else
            ENSURE(tac_step_batch(items, count, threads) == TAC_OK);
    }
    for (int i = 0; i < count; ++i) {
        memcpy(out + i * nx, x[i].qpos, sizeof(double) * (size_t)nx);
        tac_scratch_destroy(scratch[i]);
    }
    free(memory);
    return 0;
}

static int batch_law(const char* scene, tacIntegrator integrator) {
    static const int counts[] = {1, 2, 7, MOST};
    static double single[MOST * 80], batch[MOST * 80];
    stage s;
    ENSURE_LAW(open_stage(&s, scene));
    s.model->integrator = integrator;
    for (int c = 0; c < 4; ++c) {
        int nx = s.model->nq + s.model->nv + s.model->na;
        size_t size = sizeof(double) * (size_t)(counts[c] * nx);
        ENSURE_LAW(run_batch(&s, counts[c], -1, single));
        for (int threads = 1; threads <= 2; ++threads) {
            ENSURE_LAW(run_batch(&s, counts[c], threads, batch));
            ENSURE(memcmp(single, batch, size) == 0);
        }
    }
    close_stage(&s);
    return 0;
}

// one state at a time, batches of 1, 2, 7 and 37, one and two threads: the same bits
static int batches_have_the_bits_of_single_steps(void) {
    static const char* const scenes[] = {"cart_pole", "top",       "arm",
                                         "humanoid",  drives_text, pushes_text};
    for (int n = 0; n < 6; ++n)
        for (int i = TAC_INTEGRATOR_EULER; i <= TAC_INTEGRATOR_LIE; ++i)
            ENSURE_LAW(batch_law(scenes[n], (tacIntegrator)i));
    return 0;
}

static int mixed_models_share_a_batch(void) {
    stage a, b;
    ENSURE_LAW(open_stage(&a, "cart_pole"));
    ENSURE_LAW(open_stage(&b, "top"));
    tacStepItem items[3] = {{a.model, &a.x, a.u, &a.x, a.scratch, TAC_OK},
                            {b.model, &b.x, b.u, &b.x, b.scratch, TAC_OK},
                            {NULL, &a.x, a.u, &a.x, a.scratch, TAC_OK}};
    ENSURE(tac_step_batch(items, 2, 1) == TAC_OK);
    ENSURE(tac_step_batch(items, 3, 1) == TAC_ERROR_VALUE);
    ENSURE(items[0].result == TAC_OK && items[2].result == TAC_ERROR_VALUE);
    close_stage(&a);
    close_stage(&b);
    return 0;
}

//---------------------------------- bad input and divergence ---------------------

// Whatever the scratch did before, and whatever numbers changed since: the bits of a new one.
static int results_do_not_depend_on_scratch(void) {
    const char* const scenes[] = {
        "cart_pole", "boxes", "humanoid",
        "<mujoco><tactus detect='manifold' respond='spring' implicit='false'/>"
        "<worldbody><geom type='plane' "
        "size='1 1 1'/><body pos='0 0 .09'><joint type='slide' axis='0 0 1'/><geom size='.1'/>"
        "</body></worldbody></mujoco>"};
    for (int i = 0; i < 4; ++i) {
        stage s;
        tacScratch* fresh;
        ENSURE_LAW(open_stage(&s, scenes[i]));
        size_t nq = (size_t)s.model->nq, nv = (size_t)s.model->nv;
        double *q = calloc(2 * (nq + nv), sizeof *q), *bar = calloc(4 * nv, sizeof *bar);
        tacState next = {.qpos = q, .qvel = q + nq};
        tacState other = {.qpos = q + nq + nv, .qvel = q + 2 * nq + nv};
        if (i == 3) s.x.qvel[0] = -6.0; // an impact that is too fast, until it is lifted
        for (int k = 0; k < 6; ++k) {
            if (i == 3 && k == 3) {
                s.x.qpos[0] = 1.0;
                s.x.qvel[0] = 0.0;
            }
            if (k == 1 && i < 3) set_param(s.model, "option/timestep", 1e-3);
            if (k == 2) s.model->param[s.model->joint[0].damping] = 0.3;
            if (k == 3)
                ENSURE(tac_step_vjp(s.model, &s.x, s.u, (tacTangent){.dq = bar, .dv = bar + nv},
                                    (tacStepTangent){.x = (tacTangent){.dq = bar + 2 * nv}},
                                    s.scratch) == TAC_OK);
            if (k == 4) s.model->integrator = TAC_INTEGRATOR_RK4;
            ENSURE(tac_scratch_create(s.model, &fresh) == TAC_OK);
            ENSURE(tac_step(s.model, &s.x, s.u, &next, s.scratch) == TAC_OK);
            ENSURE(tac_step(s.model, &s.x, s.u, &other, fresh) == TAC_OK);
            ENSURE(memcmp(q, q + nq + nv, sizeof *q * (nq + nv)) == 0);
            ENSURE(tac_step_info(s.scratch).flags == tac_step_info(fresh).flags);
            if (i == 3 && (k == 0 || k == 3))
                ENSURE(!(tac_step_info(fresh).flags & TAC_STIFF) == (k == 3));
            ENSURE(tac_step(s.model, &s.x, s.u, &s.x, s.scratch) == TAC_OK);
            tac_scratch_destroy(fresh);
        }
        free(q);
        free(bar);
        close_stage(&s);
    }
    return 0;
}

static int bad_input_changes_nothing(void) {
    stage s;
    ENSURE_LAW(open_stage(&s, "arm"));
    double q[7], v[7];
    tacState next = {.qpos = q, .qvel = v, .time = 5.0};
    memset(q, 1, sizeof q);
    memset(v, 1, sizeof v);
    s.x.qvel[3] = NAN;
    ENSURE(tac_step(s.model, &s.x, s.u, &next, s.scratch) == TAC_ERROR_VALUE);
    s.x.qvel[3] = 0.0;
    ENSURE(tac_step(s.model, &s.x, NULL, &next, s.scratch) == TAC_ERROR_VALUE);
    ENSURE(tac_step(s.model, &s.x, s.u, &next, NULL) == TAC_ERROR_VALUE);
    ENSURE(tac_step(s.model, &s.x, s.u, NULL, s.scratch) == TAC_ERROR_VALUE);
    ENSURE(tac_joint_forces(s.model, &s.x, s.u, v, NULL) == TAC_ERROR_VALUE);
    s.x.qvel[3] = 1e200; // its square overflows
    ENSURE(tac_step(s.model, &s.x, s.u, &next, s.scratch) == TAC_ERROR_DIVERGED);
    double keep[7];
    memset(keep, 1, sizeof keep);
    ENSURE(memcmp(q, keep, sizeof q) == 0 && memcmp(v, keep, sizeof v) == 0 && next.time == 5.0);
    close_stage(&s);
    return 0;
}

// A position that leaves the numbers although accelerations are finite: A is as it was.
static int diverged_step_leaves_jacobian(void) {
    const char* const integrators[] = {"Euler", "RK4", "implicitfast"};
    for (int i = 0; i < 3; ++i) {
        char text[300];
        double A[4] = {1.0, 2.0, 3.0, 4.0};
        stage s;
        snprintf(text, sizeof text,
                 "<mujoco><option integrator='%s' timestep='1'/><worldbody><body><joint "
                 "type='slide'/><geom size='.1'/></body></worldbody></mujoco>",
                 integrators[i]);
        ENSURE_LAW(open_stage(&s, text));
        s.x.qpos[0] = s.x.qvel[0] = 1.5e308;
        ENSURE(tac_step_jacobian(s.model, &s.x, s.u, &(tacStepJacobian){.A = A}, s.scratch) ==
               TAC_ERROR_DIVERGED);
        for (int k = 0; k < 4; ++k) ENSURE(A[k] == k + 1.0);
        close_stage(&s);
    }
    return 0;
}

// Random torques for a long time, nothing to stop the joints: no NaN, no crash. A step that would
// leave the numbers says so and keeps the state, from which all starts again.
static int humanoid_survives_random_torques(void) {
    stage s;
    int steps = getenv("TACTUS_SWEEP") ? 1000000 : getenv("TACTUS_NO_SWEEP") ? 2000 : 20000;
    int diverged = 0;
    ENSURE_LAW(open_stage(&s, "humanoid"));
    testRandom random = {5};
    for (int i = 0; i < steps; ++i) {
        for (int k = 0; k < s.model->nu; ++k) s.u[k] = test_uniform(&random, -1.0, 1.0);
        tacResult result = tac_step(s.model, &s.x, s.u, &s.x, s.scratch);
        ENSURE(result == TAC_OK || result == TAC_ERROR_DIVERGED);
        for (int k = 0; k < s.model->nq; ++k) ENSURE(isfinite(s.x.qpos[k]));
        for (int k = 0; k < s.model->nv; ++k) ENSURE(isfinite(s.x.qvel[k]));
        if (s.x.qpos[2] < -1e6) {
            s.x.qpos[2] = 0.0;
            s.x.qvel[2] = 0.0;
        } // it falls for ever
        if (result == TAC_OK) continue;
        ++diverged;
        memcpy(s.x.qpos, s.model->qpos0, sizeof(double) * (size_t)s.model->nq);
        memset(s.x.qvel, 0, sizeof(double) * (size_t)s.model->nv);
    }
    printf("    %d steps, started again %d times\n", steps, diverged);
    ENSURE(diverged <= 1 + steps / 20000);
    close_stage(&s);
    return 0;
}

TEST_MAIN(RUN(rk4_keeps_energy), RUN(implicitfast_solves_its_equation),
          RUN(batches_have_the_bits_of_single_steps), RUN(mixed_models_share_a_batch),
          RUN(results_do_not_depend_on_scratch), RUN(bad_input_changes_nothing),
          RUN(diverged_step_leaves_jacobian), RUN(humanoid_survives_random_torques))
