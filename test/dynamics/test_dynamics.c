// Two ways to one number: Jacobian and twist, mass matrix and inverse dynamics, inverse and
// forward, mass matrix and energy; one instruction set and another; trees far from the world's
// origin.

#include "dynamics/free_dynamics.h"
#include "tactus/tactus.h"
#include "test.h"

#include <stdlib.h>

enum { MOST = 64 }; // degrees of freedom

typedef struct rig {
    tacModel* model;
    tacScratch* scratch;
    double q[MOST], v[MOST], a[MOST], tau[MOST], M[MOST * MOST];
} rig;

static const char* const names[] = {"double_pendulum", "cart_pole", "top", "arm", "humanoid"};

static int open_rig(rig* r, int i, testRandom* random) {
    char path[300];
    snprintf(path, sizeof path, "%s/scenes/%s.xml", TAC_SOURCE_DIR, names[i]);
    ENSURE(tac_load(path, NULL, &r->model, NULL) == TAC_OK);
    ENSURE(tac_scratch_create(r->model, &r->scratch) == TAC_OK);
    ENSURE(r->model->nq <= MOST);
    for (int k = 0; k < MOST; ++k) {
        r->q[k] = test_uniform(random, -1.0, 1.0);
        r->v[k] = test_uniform(random, -1.0, 1.0);
        r->a[k] = test_uniform(random, -1.0, 1.0);
    }
    return 0;
}

static void close_rig(rig* r) {
    tac_scratch_destroy(r->scratch);
    tac_model_destroy(r->model);
}

// runs a law on every scene
static int for_each_scene(int (*law)(rig*)) {
    testRandom random = {99};
    for (int i = 0; i < 5; ++i) {
        rig r;
        ENSURE_LAW(open_rig(&r, i, &random));
        ENSURE_LAW(law(&r));
        close_rig(&r);
    }
    return 0;
}

//---------------------------------- laws -----------------------------------------

// J qvel is the twist, at the body's origin
static int jacobian_law(rig* r) {
    tacPose pose[MOST];
    double twist[6 * MOST], J[6 * MOST];
    int nv = r->model->nv;
    ENSURE(tac_kinematics(r->model, r->q, r->v, pose, twist, r->scratch) == TAC_OK);
    for (int b = 0; b < r->model->nbody; ++b) {
        double point[3] = {pose[b].position.x, pose[b].position.y, pose[b].position.z};
        ENSURE(tac_body_jacobian(r->model, r->q, b, point, J, r->scratch) == TAC_OK);
        for (int i = 0; i < 6; ++i) {
            double sum = 0.0;
            for (int k = 0; k < nv; ++k) sum += J[i * nv + k] * r->v[k];
            ENSURE_NEAR(sum, twist[6 * b + i], 1e-13);
        }
    }
    return 0;
}

static int twists_are_jacobians_times_velocities(void) { return for_each_scene(jacobian_law); }

// M a + c = inverse(a), and v' M v/2 is the kinetic energy
static int mass_law(rig* r) {
    int nv = r->model->nv;
    double bias[MOST], energy[2], kinetic = 0.0;
    ENSURE(tac_mass_matrix(r->model, r->q, r->M, r->scratch) == TAC_OK);
    tacDynamicsInput x = {.qpos = r->q, .qvel = r->v};
    ENSURE(tac_inverse_dynamics(r->model, x, bias, r->scratch) == TAC_OK);
    x.qacc = r->a;
    ENSURE(tac_inverse_dynamics(r->model, x, r->tau, r->scratch) == TAC_OK);
    for (int i = 0; i < nv; ++i) {
        double sum = bias[i];
        for (int k = 0; k < nv; ++k) {
            sum += r->M[i * nv + k] * r->a[k];
            kinetic += 0.5 * r->v[i] * r->M[i * nv + k] * r->v[k];
            ENSURE(r->M[i * nv + k] == r->M[k * nv + i]);
        }
        ENSURE_NEAR(sum, r->tau[i], 1e-12 * (1.0 + fabs(r->tau[i])));
    }
    ENSURE(tac_energy(r->model, r->q, r->v, energy, r->scratch) == TAC_OK);
    ENSURE_NEAR(kinetic, energy[0], 1e-13 * energy[0]);
    return 0;
}

static int mass_matrix_fits_inverse_dynamics_and_energy(void) { return for_each_scene(mass_law); }

static int forward_law(rig* r) {
    double qacc[MOST], wrench[6 * MOST], worst = 0.0;
    for (int i = 0; i < 6 * r->model->nbody; ++i) wrench[i] = sin((double)i);
    tacDynamicsInput x = {r->q, r->v, r->a, wrench};
    ENSURE(tac_inverse_dynamics(r->model, x, r->tau, r->scratch) == TAC_OK);
    ENSURE(tac_forward_dynamics(r->model, x, r->tau, qacc, r->scratch) == TAC_OK);
    for (int k = 0; k < r->model->nv; ++k) worst = fmax(worst, fabs(qacc[k] - r->a[k]));
    ENSURE_NEAR(worst, 0.0, 1e-10);
    return 0;
}

static int forward_undoes_inverse(void) { return for_each_scene(forward_law); }

// articulated bodies and the factored mass matrix are two ways to one acceleration
static int articulated_law(rig* r) {
    tacArena* arena = &r->scratch->arena;
    size_t mark = arena->used;
    int nv = r->model->nv;
    double wrench[6 * MOST], qacc[MOST], extra[MOST], unused[MOST], worst = 0.0, norm = 1.0;
    for (int i = 0; i < 6 * r->model->nbody; ++i) wrench[i] = sin((double)i);
    for (int k = 0; k < nv; ++k) {
        extra[k] = 0.1 * k;
        r->tau[k] = cos((double)k);
    }
    const tacDynamicsKernels* kernels = TAC_DISPATCH(tac_dynamics_single_);
    tacMotion m = tac_motion_alloc(r->model, 1, arena);
    m.qpos = r->q;
    m.qvel = r->v;
    m.wrench = wrench;
    kernels->kinematics(r->model, &m);
    kernels->inverse(r->model, &m, unused);
    kernels->articulated(r->model, &m, r->tau, extra, qacc);
    kernels->mass(r->model, &m, extra);
    kernels->factor(r->model, &m);
    for (int k = 0; k < nv; ++k) unused[k] = r->tau[k] - unused[k];
    kernels->solve(r->model, &m, unused);
    for (int k = 0; k < nv; ++k) {
        norm = fmax(norm, fabs(qacc[k]));
        worst = fmax(worst, fabs(qacc[k] - unused[k]));
    }
    printf("    articulated bodies and mass matrix differ by %.1e\n", worst / norm);
    ENSURE(worst <= 1e-11 * norm);
    arena->used = mark;
    return 0;
}

static int articulated_bodies_agree_with_the_mass_matrix(void) {
    return for_each_scene(articulated_law);
}

// the columns that the jvp has
static int columns_law(rig* r) {
    int nv = r->model->nv;
    double by_q[MOST * MOST], by_v[MOST * MOST], unit[MOST] = {0}, column[MOST];
    double wrench[6 * MOST];
    for (int i = 0; i < 6 * r->model->nbody; ++i) wrench[i] = cos((double)i);
    tacDynamicsInput x = {r->q, r->v, r->a, wrench};
    ENSURE(tac_inverse_dynamics_jacobian(r->model, x, by_q, by_v, r->scratch) == TAC_OK);
    for (int j = 0; j < 2 * nv; ++j) {
        const double* X = j < nv ? by_q : by_v;
        int at = j % nv;
        unit[at] = 1.0;
        tacDynamicsTangent dot = {.dq = j < nv ? unit : NULL, .dv = j < nv ? NULL : unit};
        ENSURE(tac_inverse_dynamics_jvp(r->model, x, dot, column, r->scratch) == TAC_OK);
        unit[at] = 0.0;
        for (int k = 0; k < nv; ++k) ENSURE_NEAR(X[k * nv + at], column[k], 1e-11);
    }
    return 0;
}

static int jacobians_have_the_columns_of_the_jvp(void) { return for_each_scene(columns_law); }

// a thousand kilometres away nothing is lost but the digits of the place itself
static int distance_law(rig* r) {
    if (r->model->joint[0].kind != TAC_JOINT_FREE) return 0;
    double near[MOST], far[MOST];
    tacDynamicsInput x = {r->q, r->v, r->a, NULL};
    r->q[0] = 0.25;
    ENSURE(tac_inverse_dynamics(r->model, x, near, r->scratch) == TAC_OK);
    r->q[0] = 0.25 + 1048576.0;
    ENSURE(tac_inverse_dynamics(r->model, x, far, r->scratch) == TAC_OK);
    for (int k = 0; k < r->model->nv; ++k) ENSURE_NEAR(far[k], near[k], 1e-7);
    return 0;
}

static int far_trees_have_the_same_forces(void) { return for_each_scene(distance_law); }

//---------------------------------- instruction sets -----------------------------

static void eval_accelerations(rig* r, const tacDynamicsKernels* kernels, const double* u,
                               double* a) {
    tacArena* arena = &r->scratch->arena;
    size_t mark = arena->used;
    tacFreeDynamics f = tac_free_dynamics_alloc(r->model, kernels, &r->scratch->arena);
    f.m.ctrl = u;
    tac_free_dynamics(&f, (tacStateArrays){r->q, r->v, NULL}, a, NULL);
    arena->used = mark;
}

static int isa_law(rig* r) {
#ifdef TAC_HAVE_X86_KERNELS
    const tacDynamicsKernels* const tables[] = {&tac_dynamics_single_avx2,
                                                &tac_dynamics_single_avx512};
    double base[MOST], other[MOST], u[MOST] = {0}, norm = 0.0, worst = 0.0;
    eval_accelerations(r, &tac_dynamics_single_baseline, u, base);
    for (int i = 0; i < 2; ++i) {
        if (!tac_isa_supported(i == 0 ? TAC_ISA_AVX2 : TAC_ISA_AVX512)) continue;
        eval_accelerations(r, tables[i], u, other);
        for (int k = 0; k < r->model->nv; ++k) {
            norm = fmax(norm, fabs(base[k]));
            worst = fmax(worst, fabs(base[k] - other[k]));
        }
        printf("    accelerations of two instruction sets differ by %.1e\n", worst / norm);
        ENSURE(worst <= 1e-11 * norm);
    }
#endif
    (void)r;
    return 0;
}

static int instruction_sets_agree(void) { return for_each_scene(isa_law); }

TEST_MAIN(RUN(twists_are_jacobians_times_velocities),
          RUN(mass_matrix_fits_inverse_dynamics_and_energy), RUN(forward_undoes_inverse),
          RUN(articulated_bodies_agree_with_the_mass_matrix),
          RUN(jacobians_have_the_columns_of_the_jvp), RUN(far_trees_have_the_same_forces),
          RUN(instruction_sets_agree))
