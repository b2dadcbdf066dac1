// Masses, poses, mass matrix, bias, accelerations and steps are MuJoCo's, constraints left out, on
// every scene and on every model of the data that both of us read. One line a model; what is left
// out has its reason.
//
// Three MuJoCos: the newest, native (tools/setup mujoco), whose numbers ours are to be; 3.14 of
// npm, for compat="3.14"; the installed libmujoco, which is old and reads less.

#define _GNU_SOURCE
#include "dynamics/mujoco_program.h"
#include "math/spatial.h"
#include "tactus/tactus.h"

#ifdef TAC_HAVE_MUJOCO
#include "dynamics/mujoco_library.h"
#endif

#define SEED 2024

// how many random states and how many steps of a run
static int states_wanted(void) { return getenv("TACTUS_NO_SWEEP") ? 10 : 100; }
static int steps_wanted(void) { return getenv("TACTUS_NO_SWEEP") ? 50 : 1000; }

//---------------------------------- one model ------------------------------------

// largest differences, relative in norm; NAN where there was nothing to compare
typedef struct figures {
    double given, meshes; // the loader's own inertias: of bodies without and with meshes
    double pose, mass, bias, qacc;
    double step[3], free; // one step by each integrator; a run of our own
    int free_steps;       // how far MuJoCo's run is determined to 1e-10
} figures;

static const figures bounds = {1e-8, 1e-6, 1e-12, 1e-11, 1e-10, 1e-9, {1e-11, 1e-11, 1e-11},
                               1e-8, 0};

typedef struct twin {
    const mujocoReference* r;
    tacModel* model;
    tacScratch* scratch;
    int nq, nv, nu, na, nbody;
    double *mine, *theirs; // (nv x nv + nq + 1)
    tacPose* pose;
} twin;

// |a - b|/|b|
static double max_difference(int n, const double* a, const double* b) {
    double difference = 0.0, norm = 0.0;
    for (int i = 0; i < n; ++i) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    return norm > 0.0 ? sqrt(difference / norm) : sqrt(difference);
}

// the same; what is below `floor` is as good as 0
static double difference_above(double floor, int n, const double* a, const double* b) {
    double difference = 0.0, norm = floor * floor;
    for (int i = 0; i < n; ++i) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    return sqrt(difference / norm);
}

static double norm_of_array(int n, const double* a) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * a[i];
    return sqrt(sum);
}

// fmax of what may be NAN: not compared yet on the left, wrong on the right
static double update_worst(double worst, double error) {
    if (isnan(error)) return INFINITY;
    return isnan(worst) ? error : fmax(worst, error);
}

static const double* find_numbers(const twin* t, const char* name) {
    return reference_find(t->r, name, NULL);
}

//---------------------------------- inertias -------------------------------------

// MuJoCo's words of body_sameframe
enum { SAME_FRAME = 1, SAME_TURN = 3 };

// do joints move it? What is fixed to the world has no use for a mass
static int is_moved(const tacModel* model, int body) {
    while (body > 0 && model->body[body].joints == 0) body = model->body[body].parent;
    return body > 0;
}

// Body b as MuJoCo compiled it: R(iquat) diag R(iquat)' about ipos. Where MuJoCo says that both are
// those of the body it does not look at them any more, though they may be off by 1e-9.
static tacInertia compiled(const twin* t, int b) {
    const double* diagonal = find_numbers(t, "inertia") + 3 * b;
    int same = (int)find_numbers(t, "sameframe")[b];
    tacInertia I = {
        find_numbers(t, "mass")[b], tac_vec3_zero(), {diagonal[0], diagonal[1], diagonal[2]}};
    tacPose pose = {tac_load3(find_numbers(t, "ipos") + 3 * b),
                    tac_quat_load(find_numbers(t, "iquat") + 4 * b)};
    if (same == SAME_FRAME) pose.position = tac_vec3_zero();
    if (same == SAME_FRAME || same == SAME_TURN) pose.rotation = (tacQuat){1.0, 0.0, 0.0, 0.0};
    return tac_inertia_transform(pose, &I);
}

// Versions before 3 find principal axes to an angle of 1e-6 only: a1.urdf's iyz comes out of 2.2.2
// as -2.24474e-05 where the file says -2.2448e-05.
static double moments_difference(const twin* t, const double* own, const double* given) {
    double lost = find_numbers(t, "version")[0] < 3.0 ? 1e-6 : 0.0;
    return fmax(max_difference(6, own, given) - lost, 0.0);
}

// of mass, of the centre of mass against the radius of gyration, of the inertia
static double inertia_difference(const twin* t, int b, const tacInertia* I) {
    const tacBody* body = &t->model->body[b];
    const double *mass = t->model->param + body->mass, *com = t->model->param + body->com;
    double centre[3];
    tac_store3(centre, I->com);
    double spread = I->inertia[0] + I->inertia[1] + I->inertia[2];
    double reach = sqrt(tac_dot(I->com, I->com) + (I->mass > 0.0 ? spread / I->mass : 0.0));
    double error = max_difference(1, mass, &I->mass);
    if (I->mass == 0.0) return error;
    double offset = max_difference(3, com, centre) * sqrt(tac_dot(I->com, I->com));
    if (tac_dot(I->com, I->com) == 0.0) offset = max_difference(3, com, centre);
    error = fmax(error, offset / fmax(reach, 1e-300));
    return fmax(error, moments_difference(t, t->model->param + body->inertia, I->inertia));
}

// the loader's own inertias, then MuJoCo's in their place
static void compare_inertias(twin* t, figures* f) {
    for (int b = 1; b < t->nbody; ++b) {
        const tacBody* body = &t->model->body[b];
        tacInertia I = compiled(t, b);
        int mesh = find_numbers(t, "hasmesh")[b] != 0.0, old = find_numbers(t, "version")[0] < 3.0;
        double* worst = mesh ? &f->meshes : &f->given;
        // versions before 3 had another rule for the mass of meshes
        if (is_moved(t->model, b) && !(mesh && old))
            *worst = update_worst(*worst, inertia_difference(t, b, &I));
        t->model->param[body->mass] = I.mass;
        tac_store3(t->model->param + body->com, I.com);
        memcpy(t->model->param + body->inertia, I.inertia, sizeof I.inertia);
    }
}

//---------------------------------- random states --------------------------------

static double pose_difference(twin* t, const double* qpos, const double* xpos,
                              const double* xquat) {
    double worst = 0.0, scale = 1.0;
    if (tac_kinematics(t->model, qpos, NULL, t->pose, NULL, t->scratch) != TAC_OK) return INFINITY;
    for (int i = 0; i < 3 * t->nbody; ++i) scale = fmax(scale, fabs(xpos[i]));
    for (int b = 0; b < t->nbody; ++b) {
        double p[3], q[4], same = 0.0, opposite = 0.0;
        tac_store3(p, t->pose[b].position);
        tac_quat_store(q, t->pose[b].rotation);
        for (int k = 0; k < 3; ++k)
            worst = update_worst(worst, fabs(p[k] - xpos[3 * b + k]) / scale);
        for (int k = 0; k < 4; ++k) {
            same = fmax(same, fabs(q[k] - xquat[4 * b + k]));
            opposite = fmax(opposite, fabs(q[k] + xquat[4 * b + k]));
        }
        worst = update_worst(worst, fmin(same, opposite));
    }
    return worst;
}

// a count and pairs (place, number) to a symmetric matrix; what comes behind them
static const double* unpack(int n, const double* packed, double* M) {
    int count = (int)packed[0];
    memset(M, 0, sizeof *M * (size_t)n * (size_t)n);
    for (int k = 0; k < count; ++k) {
        int place = (int)packed[1 + 2 * k], i = place / n, j = place % n;
        M[i * n + j] = M[j * n + i] = packed[2 + 2 * k];
    }
    return packed + 1 + 2 * count;
}

static void compare_state(twin* t, int i, const double** M, figures* f) {
    const tacModel* model = t->model;
    int nv = t->nv;
    const double *qpos = find_numbers(t, "qpos") + i * t->nq,
                 *qvel = find_numbers(t, "qvel") + i * nv;
    const double* ctrl = find_numbers(t, "ctrl") + i * t->nu;
    f->pose =
        update_worst(f->pose, pose_difference(t, qpos, find_numbers(t, "xpos") + 3 * i * t->nbody,
                                              find_numbers(t, "xquat") + 4 * i * t->nbody));
    if (nv == 0) return;

    tacResult result = tac_mass_matrix(model, qpos, t->mine, t->scratch);
    *M = unpack(nv, *M, t->theirs);
    f->mass = update_worst(f->mass, result ? NAN : max_difference(nv * nv, t->mine, t->theirs));

    // wheels about their own axes: forces that cancel to 0 have no digits of their own
    double speed = norm_of_array(nv, qvel), least = 1e-6 * (1.0 + speed * speed);
    double weight = least * norm_of_array(nv * nv, t->theirs);
    tacDynamicsInput x = {.qpos = qpos, .qvel = qvel};
    result = tac_inverse_dynamics(model, x, t->mine, t->scratch);
    const double* bias = find_numbers(t, "qfrc_bias") + i * nv;
    f->bias = update_worst(f->bias, result ? NAN : difference_above(weight, nv, t->mine, bias));

    tacState at = {.qpos = (double*)qpos,
                   .qvel = (double*)qvel,
                   .act = (double*)find_numbers(t, "act") + i * t->na};
    result = tac_joint_forces(model, &at, ctrl, t->theirs, t->scratch);
    if (!result) result = tac_forward_dynamics(model, x, t->theirs, t->mine, t->scratch);
    const double* qacc = find_numbers(t, "qacc") + i * nv;
    f->qacc = update_worst(f->qacc, result ? NAN : difference_above(least, nv, t->mine, qacc));
}

static void compare_states(twin* t, figures* f) {
    const double* M = find_numbers(t, "M");
    int count;
    reference_find(t->r, "qpos", &count);
    for (int i = 0; t->nq && i < count / t->nq; ++i) compare_state(t, i, &M, f);
}

//---------------------------------- runs -----------------------------------------

static const struct {
    const char* name;
    tacIntegrator word;
} integrators[] = {{"Euler", TAC_INTEGRATOR_EULER},
                   {"RK4", TAC_INTEGRATOR_RK4},
                   {"implicitfast", TAC_INTEGRATOR_IMPLICITFAST}};

typedef struct run {
    const double *qpos, *qvel, *act, *ctrl, *ulp;
    int steps;
} run;

static run find_run(const twin* t, const char* name) {
    char full[40];
    const char* fields[] = {"qpos", "qvel", "act", "ctrl", "ulp"};
    const double* found[5];
    int count = 0;
    for (int i = 0; i < 5; ++i) {
        snprintf(full, sizeof full, "%s/%s", name, fields[i]);
        found[i] = reference_find(t->r, full, &count);
    }
    return (run){found[0], found[1], found[2], found[3], found[4], count - 1};
}

static double state_difference(const twin* t, const tacState* x, const run* r, int i) {
    double error = max_difference(t->nq, x->qpos, r->qpos + i * t->nq);
    error = fmax(error, max_difference(t->nv, x->qvel, r->qvel + i * t->nv));
    return fmax(error, max_difference(t->na, x->act, r->act + i * t->na));
}

// one step of ours from each state of MuJoCo's run
static double step_difference(twin* t, const run* r) {
    double worst = NAN;
    tacState next = {.qpos = t->mine, .qvel = t->mine + t->nq, .act = t->mine + t->nq + t->nv};
    for (int i = 0; i < r->steps; ++i) {
        tacState x = {.qpos = (double*)r->qpos + i * t->nq,
                      .qvel = (double*)r->qvel + i * t->nv,
                      .act = (double*)r->act + i * t->na};
        tacResult result = tac_step(t->model, &x, r->ctrl + i * t->nu, &next, t->scratch);
        worst = update_worst(worst, result ? NAN : state_difference(t, &next, r, i + 1));
    }
    return worst;
}

// a run of our own, as far as MuJoCo's from one ulp beside stays within 1e-10 of itself
static double free_run_difference(twin* t, const run* r, int* steps) {
    double worst = NAN;
    tacState x = {.qpos = t->mine, .qvel = t->mine + t->nq, .act = t->mine + t->nq + t->nv};
    memcpy(x.qpos, r->qpos, sizeof(double) * (size_t)t->nq);
    memcpy(x.qvel, r->qvel, sizeof(double) * (size_t)t->nv);
    if (t->na) memcpy(x.act, r->act, sizeof(double) * (size_t)t->na);
    for (*steps = 0; *steps < r->steps && r->ulp[*steps + 1] <= 1e-10; ++*steps) {
        tacResult result = tac_step(t->model, &x, r->ctrl + *steps * t->nu, &x, t->scratch);
        worst = update_worst(worst, result ? NAN : state_difference(t, &x, r, *steps + 1));
    }
    return worst;
}

static void compare_runs(twin* t, figures* f) {
    for (int i = 0; i < (int)(sizeof integrators / sizeof integrators[0]); ++i) {
        run r = find_run(t, integrators[i].name);
        if (!r.qpos || t->nv == 0) continue;
        if (integrators[i].word == TAC_INTEGRATOR_IMPLICITFAST && !fast_is_the_same(t->model))
            continue;
        t->model->integrator = integrators[i].word;
        if (i == 1 && find_numbers(t, "version")[0] >= 4.0)
            t->model->integrator = TAC_INTEGRATOR_LIE;
        f->step[i] = step_difference(t, &r);
        if (i == 0) f->free = free_run_difference(t, &r, &f->free_steps);
    }
}

//---------------------------------- table ----------------------------------------

static void print_skipped(const char* path, const char* who, const char* reason) {
    printf("    %-48s left out: %s: %.160s\n", model_file_name(path), who, reason);
}

// 1 if it is beyond its bound; NAN is a dash
static int print_figure(double value, double bound) {
    if (isnan(value))
        printf("  %7s", "-");
    else
        printf(" %c%7.1e", value <= bound ? ' ' : '!', value);
    return value > bound;
}

static int print_figures(const twin* t, const figures* f) {
    printf("    %-48s %4d", model_file_name(t->r->path), t->nv);
    int failed = print_figure(f->given, bounds.given);
    failed |= print_figure(f->meshes, bounds.meshes);
    failed |= print_figure(f->pose, bounds.pose);
    failed |= print_figure(f->mass, bounds.mass);
    failed |= print_figure(f->bias, bounds.bias);
    failed |= print_figure(f->qacc, bounds.qacc);
    for (int i = 0; i < 3; ++i) failed |= print_figure(f->step[i], bounds.step[i]);
    failed |= print_figure(f->free, bounds.free);
    printf(" %5d\n", f->free_steps);
    return failed;
}

static void print_head(const char* source) {
    printf("    MuJoCo from %s, seed %d; '!' is beyond the bound\n", source, SEED);
    printf("    %-48s %4s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s %5s\n", "model", "nv", "given",
           "meshes", "pose", "M", "bias", "qacc", "Euler", "RK4", "implfast", "free", "steps");
}

//---------------------------------- comparison -----------------------------------

static int same_sizes(const twin* t) {
    const tacModel* m = t->model;
    const int own[] = {m->nq, m->nv, m->nu, m->na, m->nbody, m->njoint};
    const double* parent = find_numbers(t, "parent");
    for (int i = 0; i < 6; ++i)
        if (own[i] != reference_size(t->r, i)) return 0;
    for (int b = 1; b < m->nbody; ++b)
        if (m->body[b].parent != (int)parent[b]) return 0;
    return 1;
}

static int compare_sizes(const twin* t) {
    const tacModel* m = t->model;
    if (same_sizes(t)) return 0;
    printf("    %-48s !trees differ: nq nv nu na nbody njoint %d %d %d %d %d %d, MuJoCo's",
           model_file_name(t->r->path), m->nq, m->nv, m->nu, m->na, m->nbody, m->njoint);
    for (int i = 0; i < 6; ++i) printf(" %d", reference_size(t->r, i));
    printf("\n");
    return 1;
}

static int compare_twin(twin* t) {
    figures f = {NAN, NAN, NAN, NAN, NAN, NAN, {NAN, NAN, NAN}, NAN, 0};
    size_t nv = (size_t)t->nv, all = nv * nv + nv + (size_t)(t->nq + t->na) + 1;
    t->mine = calloc(all, sizeof(double));
    t->theirs = calloc(all, sizeof(double));
    t->pose = calloc((size_t)t->nbody, sizeof *t->pose);
    int failed = tac_scratch_create(t->model, &t->scratch) != TAC_OK;
    if (!failed) {
        compare_inertias(t, &f);
        compare_states(t, &f);
        compare_runs(t, &f);
        failed = print_figures(t, &f);
    }
    free(t->mine);
    free(t->theirs);
    free(t->pose);
    tac_scratch_destroy(t->scratch);
    return failed;
}

typedef struct tally {
    int compared, differ;
    char version[40];   // of the MuJoCo
    const char* compat; // tacOptions.contact
} tally;

static void compare_model(const mujocoReference* r, tally* all) {
    twin t = {.r = r};
    tacMessage message;
    char text[400];
    if (r->failure[0]) {
        print_skipped(r->path, "MuJoCo", r->failure);
        return;
    }
    const double* v = reference_find(r, "version", NULL);
    snprintf(all->version, sizeof all->version, "%g.%g.%g", v[0], v[1], v[2]);
    tacOptions options = tac_default_options();
    options.contact = all->compat;
    if (tac_load(r->path, &options, &t.model, &message) != TAC_OK) {
        snprintf(text, sizeof text, "%.255s (line %d)", message.text, message.line);
        print_skipped(r->path, "Tactus", text);
        return;
    }
    t.nq = t.model->nq;
    t.nv = t.model->nv;
    t.nu = t.model->nu;
    t.na = t.model->na;
    t.nbody = t.model->nbody;
    all->compared += 1;
    all->differ += compare_sizes(&t) || compare_twin(&t);
    tac_model_destroy(t.model);
}

static void print_tally(const tally* all) {
    printf("    MuJoCo %s: %d compared, %d of them differ\n", all->version, all->compared,
           all->differ);
}

//---------------------------------- libmujoco ------------------------------------

#ifdef TAC_HAVE_MUJOCO
// of a run that MuJoCo breaks off: it would go to a file in the working folder
static void ignore_warning(const char* text) { (void)text; }
#endif

static int numbers_are_those_of_libmujoco(void) {
#ifndef TAC_HAVE_MUJOCO
    SKIP("libmujoco is not installed (libmujoco-dev)");
#else
    mujocoReference r = {0};
    tally all = {0};
    const modelFiles* files = list_model_files();
    mju_user_warning = ignore_warning;
    print_head("libmujoco");
    for (int i = 0; i < files->count; ++i) {
        const char* path = files->path[i];
        library_read(&r, &(libraryJob){path, path, SEED, states_wanted(), steps_wanted(), 0});
        compare_model(&r, &all);
    }
    reference_clear(&r);
    print_tally(&all);
    ENSURE(all.differ == 0);
    ENSURE(all.compared >= 5);
    return 0;
#endif
}

//---------------------------------- programs beside ------------------------------

static int compare_program(const char* program, const char* source, const char* compat) {
    mujocoReference r = {0};
    tally total = {.compat = compat};
    int seen = 0;
    allFiles* all = open_files();
    ENSURE(all);
    FILE* stream = open_program(all, program);
    ENSURE(stream);
    print_head(source);
    for (; reference_read(&r, stream); ++seen) compare_model(&r, &total);
    reference_clear(&r);
    int status = pclose(stream);
    remove_small_scenes(all->folder, all->small);
    print_tally(&total);
    ENSURE(status == 0);
    ENSURE(seen == all->files->count + SMALL_SCENES);
    ENSURE(total.differ == 0);
    ENSURE(total.compared >= 5 + SMALL_SCENES);
    return 0;
}

static int numbers_are_those_of_the_newest_mujoco(void) {
    if (!*TAC_MUJOCO_NATIVE)
        SKIP("MuJoCo 4.0.1 is not in build/mujoco: run tools/setup mujoco (pip), then build again");
    char program[2000];
    snprintf(program, sizeof program, "'%s' %d %d %d 0", TAC_MUJOCO_NATIVE, SEED, states_wanted(),
             steps_wanted());
    return compare_program(program, "build/mujoco", NULL);
}

// what compat="3.14" promises
static int numbers_with_compat_are_those_of_mujoco_3_14(void) {
    char program[3000];
    const char* folder = getenv("TACTUS_NPM");
    if (!folder) folder = TAC_SOURCE_DIR "/build/npm";
    snprintf(program, sizeof program,
             "node --version >/dev/null 2>&1 && test -d '%s/node_modules/@mujoco/mujoco'", folder);
    if (system(program) != 0)
        SKIP("node or @mujoco/mujoco is absent; tools/setup npm gets it where npm is there");
    snprintf(program, sizeof program, "node '%s/tools/mujoco-reference.mjs' '%s' %d %d %d",
             TAC_SOURCE_DIR, folder, SEED, states_wanted(), steps_wanted());
    return compare_program(program, "npm", "compat=3.14");
}

TEST_MAIN(RUN(numbers_are_those_of_libmujoco), RUN(numbers_are_those_of_the_newest_mujoco),
          RUN(numbers_with_compat_are_those_of_mujoco_3_14))
