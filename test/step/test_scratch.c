// A scratch remembers nothing: after any other calls a step has the bits of a new scratch. And it
// is large enough for every call.

#include "base/scratch.h"
#include "step/actuated_scenes.h"
#include "tactus/tactus.h"
#include "test.h"

enum { NQ = 14, NV = 12, NX = 2 * NV };

static const char scene[] =
    "<mujoco><worldbody><geom type=\"plane\" size=\"1 1 .1\"/>"
    "<body pos=\"0 0 .104\"><freejoint/><geom type=\"box\" size=\".1 .1 .1\" mass=\"1\"/></body>"
    "<body pos=\".02 .01 .286\" euler=\"3 5 0\"><freejoint/>"
    "<geom type=\"box\" size=\".06 .07 .07\" mass=\".5\"/></body></worldbody></mujoco>";

static const char* const contacts[] = {
    "manifold",
    "manifold implicit=false",
    "manifold definition=reference",
    "manifold top_k=threshold top_k_vertices=8 top_k_edges=8",
    "manifold project=3",
    "edge_sdf",
    "edge_sdf fuse=face",
    "edge_sdf top_k=threshold",
    "edge_sdf top_k=softsort top_k_vertices=4 top_k_edges=4",
    "detect=ssdf respond=spring points=24",
    "scm points=24",
    "detect=gjk respond=spring",
    "lcp",
};

// derivatives of all kinds at a state, in turn
static tacResult eval_derivatives(const tacModel* model, const tacState* x, int kind,
                                  tacScratch* scratch) {
    static double A[NX * NX], q[NQ], v[NV], dq[NV], dv[NV], bq[NV], bv[NV];
    tacState next = {.qpos = q, .qvel = v};
    tacTangent dot = {.dq = dq, .dv = dv}, out = {.dq = bq, .dv = bv};
    for (int k = 0; k < NV; ++k) {
        dq[k] = 0.1 * k;
        dv[k] = 1.0 - 0.2 * k;
    }
    if (kind == 0)
        return tac_step_jacobian(model, x, NULL, &(tacStepJacobian){.next = &next, .A = A},
                                 scratch);
    if (kind == 1) return tac_step_jvp(model, x, NULL, (tacStepTangent){.x = dot}, out, scratch);
    if (kind == 2) return tac_step_vjp(model, x, NULL, dot, (tacStepTangent){.x = out}, scratch);
    return tac_step_hvp(model, x, NULL,
                        &(tacStepHvp){.next_bar = dot, .dot = {.x = dot}, .bar = {.x = out}},
                        scratch);
}

static int same_bits_after_derivatives(const tacModel* model) {
    double q[NQ], v[NV] = {0}, q_new[NQ], v_new[NV];
    tacState x = {.qpos = q, .qvel = v}, expected = {.qpos = q_new, .qvel = v_new};
    tacScratch *used, *fresh;
    ENSURE(tac_scratch_create(model, &used) == TAC_OK);
    memcpy(q, model->qpos0, sizeof q);
    for (int i = 0; i < 30; ++i) {
        ENSURE(tac_scratch_create(model, &fresh) == TAC_OK);
        ENSURE(tac_step(model, &x, NULL, &expected, fresh) == TAC_OK);
        tac_scratch_destroy(fresh);
        tacResult result = eval_derivatives(model, &x, i % 4, used);
        ENSURE(result == TAC_OK || result == TAC_ERROR_UNSUPPORTED); // no hvp of some
        ENSURE(tac_step(model, &x, NULL, &x, used) == TAC_OK);
        ENSURE(memcmp(q, q_new, sizeof q) == 0 && memcmp(v, v_new, sizeof v) == 0);
        if (i % 5 == 4) ENSURE(tac_step(model, &x, NULL, &x, used) == TAC_OK);
    }
    tac_scratch_destroy(used);
    return 0;
}

static int scratch_of_derivatives_leaves_bits_unchanged(void) {
    for (int i = 0; i < (int)(sizeof contacts / sizeof *contacts); ++i) {
        tacModel* model = NULL;
        tacMessage message;
        tacOptions options = tac_default_options();
        options.contact = contacts[i];
        tac_load_text(scene, (int)strlen(scene), "scene", &options, &model, &message);
        if (!model) printf("    %s: %s\n", contacts[i], message.text);
        ENSURE(model);
        if (same_bits_after_derivatives(model)) {
            printf("    with contact %s\n", contacts[i]);
            return 1;
        }
        tac_model_destroy(model);
    }
    return 0;
}

//---------------------------------- size -----------------------------------------

// arrays of one model, filled with zeros
typedef struct callArrays {
    double *q, *v, *act, *u, *tau, *pose, *A, *B, *P, *H;
    tacTangent dot, bar;
    double *u_bar, *theta_dot, *theta_bar;
} callArrays;

static double* zeros(double** at, size_t n) {
    double* x = *at;
    *at += n;
    return x;
}

static callArrays alloc_arrays(const tacModel* m, double** block) {
    size_t nv = (size_t)m->nv, na = (size_t)m->na, nu = (size_t)m->nu, np = (size_t)m->nparam;
    size_t nx = 2 * nv + na, n = nx + nu + 4;
    *block = calloc((size_t)m->nq + 20 * (nv + na + nu + 1) + nx * (nx + nu + np) + 2 * np + n * n +
                        20 * (size_t)m->nbody,
                    sizeof(double));
    double* at = *block;
    callArrays c = {.q = zeros(&at, (size_t)m->nq), .v = zeros(&at, nv), .act = zeros(&at, na)};
    c.u = zeros(&at, nu);
    c.tau = zeros(&at, nv);
    c.dot = (tacTangent){zeros(&at, nv), zeros(&at, nv), zeros(&at, na)};
    c.bar = (tacTangent){zeros(&at, nv), zeros(&at, nv), zeros(&at, na)};
    c.u_bar = zeros(&at, nu);
    c.theta_dot = zeros(&at, np);
    c.theta_bar = zeros(&at, np);
    c.A = zeros(&at, nx * nx);
    c.B = zeros(&at, nx * nu);
    c.P = zeros(&at, nx * np);
    c.H = zeros(&at, n * n);
    c.pose = zeros(&at, 7 * (size_t)m->nbody);
    for (int k = 0; k < m->nv; ++k) c.dot.dq[k] = c.dot.dv[k] = c.v[k] = 0.1 * k;
    memcpy(c.q, m->qpos0, sizeof(double) * (size_t)m->nq);
    return c;
}

// calls that allocate the most, of each header
static void call_all(const tacModel* m, const callArrays* c, tacScratch* s) {
    tacState x = {.qpos = c->q, .qvel = c->v, .act = c->act};
    tacParam few = {.offset = 0, .count = 3};
    tacDynamicsInput in = {.qpos = c->q};
    tacDynamicsTangent bar = {.dq = c->bar.dq, .dv = c->bar.dv, .theta = c->theta_bar};
    const double energy[2] = {1.0, 1.0};
    tac_step_jacobian(
        m, &x, c->u,
        &(tacStepJacobian){.A = c->A, .B = c->B, .theta = &few, .ntheta = 1, .P = c->P}, s);
    tac_step_jvp(m, &x, c->u, (tacStepTangent){.x = c->dot, .u = c->u, .theta = c->theta_dot},
                 c->bar, s);
    tac_step_vjp(m, &x, c->u, c->dot,
                 (tacStepTangent){.x = c->bar, .u = c->u_bar, .theta = c->theta_bar}, s);
    tac_step_hvp(m, &x, c->u,
                 &(tacStepHvp){.next_bar = c->dot,
                               .dot = {.x = c->dot, .u = c->u, .theta = c->theta_dot},
                               .bar = {.x = c->bar, .u = c->u_bar, .theta = c->theta_bar}},
                 s);
    if (!m->contact)
        tac_step_hessian(
            m, &x, c->u,
            &(tacStepHessian){.next_bar = c->dot, .theta = &few, .ntheta = 1, .H = c->H}, s);
    tac_inverse_contact(m, in, c->tau, s);
    tac_inverse_contact_jvp(m, in, bar, c->tau, s);
    tac_inverse_contact_vjp(m, in, c->v, bar, s);
    tac_forward_dynamics_jvp(m, in, NULL, bar, c->tau, s);
    tac_forward_dynamics_vjp(m, in, NULL, c->v, bar, s);
    tac_energy_vjp(m, c->q, c->v, energy, bar, s);
    tac_kinematics(m, c->q, c->v, (tacPose*)c->pose, NULL, s);
    double seconds;
    tac_stable_timestep_at(m, &x, c->u, &seconds, s);
    tac_step(m, &x, c->u, &x, s);
}

static int calls_fit(const tacModel* m) {
    tacScratch* scratch[9];
    double *block, *others[9];
    callArrays c = alloc_arrays(m, &block);
    tacStepItem item[9];
    tacState x[9];
    for (int i = 0; i < 9; ++i) {
        callArrays own = alloc_arrays(m, &others[i]);
        ENSURE(tac_scratch_create(m, &scratch[i]) == TAC_OK);
        x[i] = (tacState){.qpos = own.q, .qvel = own.v, .act = own.act};
        item[i] = (tacStepItem){m, &x[i], own.u, &x[i], scratch[i], TAC_OK};
    }
    call_all(m, &c, scratch[0]);
    ENSURE(tac_step_batch(item, 9, 1) == TAC_OK);
    for (int i = 0; i < 9; ++i) {
        ENSURE(scratch[i]->arena.peak <= scratch[i]->arena.size);
        tac_scratch_destroy(scratch[i]);
        free(others[i]);
    }
    free(block);
    return 0;
}

// a scene with another integrator and contact; 1: its calls do not fit
static int check_scene(const char* text, const char* integrator, const char* contact, int* models) {
    tacModel* model = NULL;
    tacOptions options = tac_default_options();
    char own[8192];
    options.contact = contact;
    snprintf(own, sizeof own, "<mujoco><option integrator='%s'/>%s", integrator,
             text + strlen("<mujoco>"));
    tac_load_text(own, (int)strlen(own), "scene", &options, &model, NULL);
    if (!model) return 0; // not every contact goes with every integrator
    int failed = calls_fit(model);
    if (failed) printf("    %s, %s\n", integrator, contact ? contact : "own contact");
    tac_model_destroy(model);
    ++*models;
    return failed;
}

static int every_call_fits_into_the_scratch(void) {
    static const char* const integrators[] = {"Euler", "RK4", "implicitfast"};
    int models = 0;
    for (int i = 0; i < (int)(sizeof contacts / sizeof *contacts); ++i)
        ENSURE(check_scene(scene, "Euler", contacts[i], &models) == 0);
    for (int j = 0; j < 3; ++j) {
        ENSURE(check_scene(drives_text, integrators[j], NULL, &models) == 0);
        ENSURE(check_scene(drives_text, integrators[j], "manifold implicit=false", &models) == 0);
        ENSURE(check_scene(drives_text, integrators[j], "manifold surrogate=5", &models) == 0);
        ENSURE(check_scene(pushes_text, integrators[j], NULL, &models) == 0);
    }
    ENSURE(models > 20);
    return 0;
}

TEST_MAIN(RUN(scratch_of_derivatives_leaves_bits_unchanged), RUN(every_call_fits_into_the_scratch))
