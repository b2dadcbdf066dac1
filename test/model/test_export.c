// tactus check --mjcf: what is written is read again, by us and by MuJoCo 2.2.2, with the same
// masses, accelerations and keyframes.

#include "test.h"

#include "math/dense.h"
#include "mesh/convex/halfspace_intersection.h"
#include "tactus/tactus.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/tactus_export_XXXXXX";

//---------------------------------- the command ----------------------------------

// the command beside the folder of this test
static void find_tactus(char* path, size_t size) {
    char self[1000];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = '\0';
    *strrchr(self, '/') = '\0';
    snprintf(path, size, "%s/../tactus", self);
}

// runs it on a scene of the folder (or a path) in the folder; what it says goes to the file "said"
static int run_check(const char* scene, const char* more) {
    char tactus[1100], command[3000];
    find_tactus(tactus, sizeof tactus);
    snprintf(command, sizeof command, "cd '%s' && '%s' check '%s' %s >said 2>&1", folder, tactus,
             scene, more);
    int status = system(command);
    return status < 0 ? status : status >> 8;
}

// a file of the folder
static const char* path_of(const char* name) {
    static char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int write_file(const char* name, const char* text) {
    FILE* file = fopen(path_of(name), "w");
    ENSURE(file);
    fputs(text, file);
    return fclose(file);
}

// does a file of the folder have this text? (its first 64 kB)
static int file_has(const char* name, const char* text) {
    static char content[65536];
    FILE* file = fopen(path_of(name), "r");
    if (!file) return 0;
    content[fread(content, 1, sizeof content - 1, file)] = '\0';
    fclose(file);
    return strstr(content, text) != NULL;
}

static tacModel* load_file(const char* name) {
    tacModel* model = NULL;
    tacMessage message;
    if (tac_load(path_of(name), NULL, &model, &message) != TAC_OK)
        printf("  %s:%d: %s\n", name, message.line, message.text);
    return model;
}

//---------------------------------- read again by us -----------------------------

// names that look made, bodies without any, a keyframe with a mocap body, numbers such as 0.2
static const char names[] =
    "<mujoco><worldbody><body name='b'><joint name='_joint1'/><joint axis='1 0 0'/>"
    "<geom name='_geom1' size='.2'/><geom size='.1' pos='.1 .2 .3'/><site name='__site1'/><site/>"
    "</body><body><joint/><geom size='.1 .2 .3' type='box' pos='.3 .1 .7' euler='10 20 30'/></body>"
    "<body mocap='true' name='_body2' pos='1 2 3'><geom size='.1' name='g'/></body></worldbody>"
    "<contact><pair geom1='g' geom2='_geom1'/></contact>"
    "<tendon><fixed name='___tendon0'><joint joint='_joint1' coef='.1'/></fixed></tendon>"
    "<actuator><motor joint='_joint1'/><motor name='_actuator0' joint='_joint1'/></actuator>"
    "<keyframe><key mpos='.1 .2 .3' mquat='0 1 0 0'/><key qpos='.1 .2 .3'/></keyframe></mujoco>";

static int same_numbers(const double* a, const double* b, int count, double tolerance) {
    for (int i = 0; i < count; ++i) ENSURE(fabs(a[i] - b[i]) <= tolerance);
    return 0;
}

static int exports_are_read_again(void) {
    ENSURE(write_file("names.xml", names) == 0);
    ENSURE(run_check("names.xml", "--mjcf out.xml") == 0);
    tacModel *a = load_file("names.xml"), *b = load_file("out.xml");
    ENSURE(a && b);
    ENSURE(a->nbody == b->nbody && a->njoint == b->njoint && a->ngeom == b->ngeom);
    ENSURE(a->nsite == b->nsite && a->nu == b->nu && a->nkey == b->nkey && a->nmocap == b->nmocap);
    for (int i = 0; i < a->nbody; ++i) {
        const double *p = a->param, *q = b->param;
        ENSURE(same_numbers(&p[a->body[i].mass], &q[b->body[i].mass], 1, 0.0) == 0);
        ENSURE(same_numbers(&p[a->body[i].com], &q[b->body[i].com], 3, 0.0) == 0);
        ENSURE(same_numbers(&p[a->body[i].inertia], &q[b->body[i].inertia], 6, 1e-13) == 0);
    }
    for (int i = 0; i < a->nkey; ++i) {
        ENSURE(same_numbers(a->key[i].qpos, b->key[i].qpos, a->nq, 0.0) == 0);
        ENSURE(same_numbers(a->key[i].mpos, b->key[i].mpos, 3, 0.0) == 0);
        ENSURE(same_numbers(a->key[i].mquat, b->key[i].mquat, 4, 0.0) == 0);
    }
    ENSURE(a->key[0].mpos[0] == 0.1 && a->key[0].mquat[1] == 1.0);
    ENSURE(file_has("out.xml", " pos=\"0.1 0.2 0.3\"") &&
           !file_has("out.xml", "0.20000000000000001"));
    ENSURE(file_has("out.xml", "diaginertia") && !file_has("out.xml", "fullinertia"));
    tac_model_destroy(a);
    tac_model_destroy(b);
    return 0;
}

//---------------------------------- what is said ---------------------------------

static int output_has(const char* text) { return file_has("said", text); }

static int sources_are_not_overwritten(void) {
    static const char part[] = "<mujoco><asset><mesh name='m' file='out_0.obj'/></asset></mujoco>";
    static const char whole[] = "<mujoco><include file='part.xml'/><worldbody>"
                                "<geom type='mesh' mesh='m'/></worldbody></mujoco>";
    ENSURE(write_file("part.xml", part) == 0 && write_file("whole.xml", whole) == 0);
    ENSURE(write_file("out_0.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                   "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n") == 0);
    static const char* const outs[] = {"whole.xml", "./whole.xml", "part.xml", "out.xml"};
    for (int i = 0; i < 4; ++i) {
        char more[60];
        snprintf(more, sizeof more, "--mjcf %s", outs[i]);
        ENSURE(run_check("whole.xml", more) == 2);
        ENSURE(output_has("this command reads") && !output_has(": ok"));
    }
    ENSURE(file_has("whole.xml", whole) && file_has("part.xml", part) &&
           file_has("out_0.obj", "v 1 0 0\n"));
    ENSURE(run_check("whole.xml", "--mjcf other.xml") == 0);
    ENSURE(output_has("written    other.xml, with 1 mesh beside it"));
    ENSURE(file_has("other_0.obj", "f 1 ") && !file_has("other_0.obj", "f 5"));
    return 0;
}

static int written_files_are_listed(void) {
    ENSURE(write_file("loose.xml", "<mujoco><asset><shape name='s'><sphere size='1'/></shape>"
                                   "</asset></mujoco>") == 0);
    static const char* const wrong[] = {"out", "-", ".xml", "out.obj", "none/out.xml"};
    for (int i = 0; i < 5; ++i) {
        char more[60];
        snprintf(more, sizeof more, "--mjcf %s", wrong[i]);
        ENSURE(run_check("loose.xml", more) == 2);
        ENSURE(output_has(i < 4 ? "ends in .xml" : "cannot be written") && !output_has(": ok"));
    }
    ENSURE(run_check("loose.xml", "--mjcf out.xml") == 0);
    ENSURE(output_has("out.xml, with 0 meshes") &&
           output_has("1 shape without a geom is not in it"));
    ENSURE(run_check("loose.xml", "--mjcf out.xml --json") == 0 &&
           output_has("\"unused_shapes\": 1"));
    return 0;
}

//---------------------------------- corners of planes ----------------------------

static double nearest_vertex(const tacHull* hull, const double* v) {
    double best = INFINITY;
    for (int i = 0; i < hull->nvertex; ++i) {
        const double* u = &hull->vertex[3 * i];
        best = fmin(best, hypot(hypot(u[0] - v[0], u[1] - v[1]), u[2] - v[2]));
    }
    return best;
}

// the corners of a hull come back from its planes, of thin and distant ones too
static int hull_vertices_survive_a_round_trip(void) {
    testRandom random = {11};
    for (int round = 0; round < 60; ++round) {
        double point[3 * 40], plane[4 * 200], thin = round % 3 ? 1.0 : 1e-3;
        for (int i = 0; i < 120; ++i)
            point[i] = test_uniform(&random, -1.0, 1.0) * (i % 3 ? 1.0 : thin) + round % 5;
        tacHull *a = NULL, *b = NULL;
        tacAllocator allocator = tac_default_allocator();
        ENSURE(tac_hull_create((tacHullPoints){point, 40, 0.0, NULL}, allocator, &a, NULL) ==
               TAC_OK);
        for (int i = 0; i < a->nface; ++i) {
            memcpy(&plane[4 * i], &a->normal[3 * i], 3 * sizeof(double));
            plane[4 * i + 3] = -a->offset[i];
        }
        ENSURE(tac_halfspace_intersection(plane, a->nface, allocator, &b, NULL) == TAC_OK);
        for (int i = 0; i < a->nvertex; ++i) ENSURE(nearest_vertex(b, &a->vertex[3 * i]) < 1e-7);
        for (int i = 0; i < b->nvertex; ++i) ENSURE(nearest_vertex(a, &b->vertex[3 * i]) < 1e-7);
        tac_hull_destroy(a);
        tac_hull_destroy(b);
        b = NULL;
        ENSURE(tac_halfspace_intersection(plane, 3, allocator, &b, NULL) == TAC_ERROR_VALUE && !b);
    }
    return 0;
}

//---------------------------------- read by MuJoCo -------------------------------

#ifndef TAC_HAVE_MUJOCO

static int exports_are_read_by_mujoco(void) { SKIP("MuJoCo's library is not installed"); }

#else

#include <mujoco/mujoco.h>

// the scene written to out.xml and read by MuJoCo
static mjModel* export_scene(const char* scene) {
    char error[500];
    if (run_check(scene, "--mjcf out.xml --vertices 200") != 0) return NULL;
    mjModel* m = mj_loadXML(path_of("out.xml"), NULL, error, sizeof error);
    if (!m) printf("  %s: %s\n", scene, error);
    return m;
}

static double larger_of(double a, double b) { return a > b ? a : b; }

// relative difference of masses, centres and principal moments
static double mass_error(const tacModel* model, const mjModel* m) {
    double worst = 0.0;
    for (int b = 1; b < model->nbody; ++b) {
        double p[3], axes[3][3], size = 1e-12;
        const tacBody* body = &model->body[b];
        tac_eigen3(model->param + body->inertia, p, axes);
        for (int k = 0; k < 3; ++k) size = larger_of(size, p[k]);
        double mass = model->param[body->mass];
        if (mass == 0.0) continue;
        worst = larger_of(worst, fabs(m->body_mass[b] / mass - 1.0));
        double sum =
            m->body_inertia[3 * b] + m->body_inertia[3 * b + 1] + m->body_inertia[3 * b + 2];
        worst = larger_of(worst, fabs(sum - p[0] - p[1] - p[2]) / size);
        for (int k = 0; k < 3; ++k)
            worst = larger_of(worst, fabs(m->body_ipos[3 * b + k] - model->param[body->com + k]));
    }
    return worst;
}

// relative difference of accelerations at a state off the drawn one
static double qacc_error(const tacModel* model, mjModel* m) {
    mjData* d = mj_makeData(m);
    tacScratch* scratch;
    size_t nv = (size_t)model->nv;
    double *tau = malloc(sizeof(double) * (nv + 1)), *qacc = malloc(sizeof(double) * (nv + 1));
    testRandom random = {7};
    double worst = INFINITY, size = 1e-9;
    m->opt.disableflags |= mjDSBL_CONSTRAINT;
    for (int i = 0; i < m->nv; ++i) d->qvel[i] = test_uniform(&random, -1.0, 1.0);
    mj_integratePos(m, d->qpos, d->qvel, 0.3);
    for (int i = 0; i < m->nu; ++i) d->ctrl[i] = test_uniform(&random, -0.2, 0.2);
    mj_forward(m, d);
    tacState x = {.qpos = d->qpos, .qvel = d->qvel, .act = d->act};
    tacDynamicsInput in = {.qpos = d->qpos, .qvel = d->qvel};
    if (tac_scratch_create(model, &scratch) == TAC_OK &&
        tac_joint_forces(model, &x, d->ctrl, tau, scratch) == TAC_OK &&
        tac_forward_dynamics(model, in, tau, qacc, scratch) == TAC_OK) {
        worst = 0.0;
        for (int i = 0; i < m->nv; ++i) size = larger_of(size, fabs(d->qacc[i]));
        for (int i = 0; i < m->nv; ++i) worst = larger_of(worst, fabs(d->qacc[i] - qacc[i]) / size);
    }
    tac_scratch_destroy(scratch);
    free(tau);
    free(qacc);
    mj_deleteData(d);
    return worst;
}

static int is_the_same(const char* scene) {
    tacModel* model;
    tacMessage message;
    ENSURE(tac_load(scene, NULL, &model, &message) == TAC_OK);
    mjModel* m = export_scene(scene);
    ENSURE(m);
    ENSURE(m->nbody == model->nbody && m->nq == model->nq && m->nv == model->nv);
    ENSURE(m->nu == model->nu && m->ngeom == model->ngeom && m->nsite == model->nsite);
    double mass = mass_error(model, m), qacc = qacc_error(model, m);
    printf("    %-40s masses %.1e  qacc %.1e\n", strrchr(scene, '/') + 1, mass, qacc);
    ENSURE(mass <= 1e-13 && qacc <= 1e-11);
    mj_deleteModel(m);
    tac_model_destroy(model);
    return 0;
}

static const char shapes[] =
    "<mujoco model='a &amp; b'><asset><shape name='nut'><difference><cylinder size='.1 .05'/>"
    "<cylinder size='.05 .1'/></difference></shape>"
    "<mesh name='tet' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='.2 .2 .2'/></asset><worldbody>"
    "<geom name='floor' type='plane'/><body name='x&lt;y' pos='0 0 1'><freejoint/>"
    "<geom name='n' type='shape' shape='nut' density='700'/><site name='s' pos='0 0 .1'/></body>"
    "<body pos='1 0 0'><joint name='j' axis='0 1 1' damping='.1' range='-90 90' ref='10'/>"
    "<geom type='mesh' mesh='tet'/><body pos='.3 0 0'><joint type='ball' stiffness='1'/>"
    "<geom type='capsule' size='.02 .1'/></body></body></worldbody>"
    "<tendon><fixed name='t' stiffness='3'><joint joint='j' coef='2'/></fixed></tendon>"
    "<actuator><position joint='j' kp='3' kv='.1' ctrlrange='-1 1'/><motor tendon='t'/></actuator>"
    "<equality><weld body1='x&lt;y'/><joint joint1='j' polycoef='.1 0 0 0 0'/></equality>"
    "<contact><pair geom1='n' geom2='floor'/></contact>"
    "<keyframe><key name='k' qvel='1 2 3 4 5 6 7 8 9 10'/></keyframe></mujoco>";

static int keyframes_are_mujocos(void) {
    ENSURE(write_file("names.xml", names) == 0);
    mjModel* m = export_scene("names.xml");
    ENSURE(m && m->nkey == 2 && m->nmocap == 1);
    ENSURE(m->key_mpos[0] == 0.1 && m->key_mpos[1] == 0.2 && m->key_mquat[1] == 1.0);
    ENSURE(m->key_mpos[3] == 1.0 && m->key_qpos[m->nq + 2] == 0.3);
    mj_deleteModel(m);
    return 0;
}

static int exports_are_read_by_mujoco(void) {
    static const char* const scenes[] = {"arm", "humanoid", "quadruped", "cart_pole", "top"};
    char path[1000];
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        snprintf(path, sizeof path, TAC_SOURCE_DIR "/scenes/%s.xml", scenes[i]);
        ENSURE(is_the_same(path) == 0);
    }
    ENSURE(write_file("shapes.xml", shapes) == 0 && write_file("names.xml", names) == 0);
    snprintf(path, sizeof path, "%s/shapes.xml", folder);
    ENSURE(is_the_same(path) == 0);
    snprintf(path, sizeof path, "%s/names.xml", folder);
    ENSURE(is_the_same(path) == 0);
    return keyframes_are_mujocos();
}

#endif

static int temporary_folder_is_made(void) {
    ENSURE(mkdtemp(folder));
    return 0;
}

static int temporary_folder_is_removed(void) {
    char command[400];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

TEST_MAIN(RUN(temporary_folder_is_made), RUN(exports_are_read_again),
          RUN(sources_are_not_overwritten), RUN(written_files_are_listed),
          RUN(hull_vertices_survive_a_round_trip), RUN(exports_are_read_by_mujoco),
          RUN(temporary_folder_is_removed))
