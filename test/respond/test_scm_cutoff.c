// Pairs of clouds that are skipped: the boxes outside of which no plane acts, and steps that are
// as without them.

#include "detect/ssdf/ssdf_cutoff.h"
#include "detect/test_clouds.h"
#include "model/contact/contact_data.h"
#include "tactus/tactus.h"
#include "test.h"

//---------------------------------- boxes ----------------------------------------

typedef struct boxCase {
    tacContactCloud* cloud;
    double eps1, eps3;
} boxCase;

static tacContactCloud* draw_cloud(testRandom* random, int i) {
    static const int cells[5] = {1, 2, 4, 7, 10};
    double thin = i % 3 == 1 ? 0.04 : 1.0;
    if (i % 3 == 2) return test_ball(20 + (int)test_uniform(random, 0.0, 400.0), 1.0);
    return test_box(cells[i / 3 % 5], 1.0, test_uniform(random, 0.3, 1.0), thin);
}

static int is_in(const tacInfluenceBox* box, const double y[3], double more) {
    int in = 1;
    for (int k = 0; k < 3; ++k) in &= y[k] >= box->low[k] - more && y[k] <= box->high[k] + more;
    return in;
}

// largest w_i exp(-phi_i/eps3) of a leaf's planes, w_i |phi_i|/eps3 where phi_i < 0, w_i as (1) has
static long double leaf_activity(const boxCase* c, int leaf, const double y[3]) {
    int n = c->cloud->count;
    long double nearest = INFINITY, most = 0.0L;
    for (int pass = 0; pass < 2; ++pass)
        for (int i = pass ? 16 * leaf : 0; i < (pass ? 16 * leaf + 16 : n) && i < n; ++i) {
            long double square = 0.0L, f = 0.0L;
            for (int k = 0; k < 3; ++k) {
                long double d = (long double)y[k] - c->cloud->block[k * n + i];
                square += d * d;
                f += d * c->cloud->block[(3 + k) * n + i];
            }
            if (pass == 0) nearest = square < nearest ? square : nearest;
            if (pass == 0) continue;
            long double w = expl((nearest - square) / c->eps1), x = f / c->eps3;
            long double force = w * (x > 0.0L ? expl(-x) : 1.0L - x);
            most = force > most ? force : most;
        }
    return most;
}

// At a place outside of a leaf's box, stretched by s, forces of its planes are below the share, and
// fall with s as they must
static int point_is_outside(const boxCase* c, const tacContactInfluence* r, const double y[3],
                            double s, int* out) {
    tacCloudLevels levels = tac_cloud_levels(c->cloud->count);
    for (int leaf = 0; leaf < levels.slots[0]; ++leaf) {
        double diagonal = tac_influence_diagonal(&r->box[leaf]);
        if (is_in(&r->box[leaf], y, (s - 1.0) * diagonal)) continue;
        double up = exp(-s * r->height / c->eps3);
        double side = (1.0 + s * diagonal / c->eps3) * exp(-s * r->voronoi_margin / c->eps1);
        ENSURE(leaf_activity(c, leaf, y) <= (long double)fmax(up, side) * (1.0L + 1e-6L));
        ++*out;
    }
    return 0;
}

static int boxes_contain_active_planes(void) {
    testRandom random = {7};
    int out = 0, least = 0;
    for (int i = 0; i < 30; ++i) {
        boxCase c = {.cloud = draw_cloud(&random, i)};
        ENSURE(c.cloud);
        double h = c.cloud->spacing;
        c.eps1 = 0.25 * h * h * exp(test_uniform(&random, -2.0, 0.7));
        c.eps3 = 0.005 * exp(test_uniform(&random, -2.0, 2.0));
        tacContactInfluence* r =
            tac_contact_influence_create(c.cloud, c.eps1, c.eps3, tac_default_allocator());
        ENSURE(r && (i % 3 || r->unbounded < 0)); // plates of long, narrow faces may be endless
        for (int k = 0; k < 40; ++k) {
            double y[3], far = exp(test_uniform(&random, -1.0, 3.0));
            for (int j = 0; j < 3; ++j) y[j] = far * test_uniform(&random, -1.0, 1.0);
            ENSURE_LAW(
                point_is_outside(&c, r, y, k % 2 ? test_uniform(&random, 1.0, 3.0) : 1.0, &out));
        }
        least += tac_cloud_levels(c.cloud->count).slots[0] * 4;
        tac_default_allocator().release(NULL, r);
        test_cloud_free(c.cloud);
    }
    ENSURE(out > least); // many were outside
    return 0;
}

// boxes do not grow without need: the force reaches them to a tenth
static int boxes_are_tight(void) {
    double h = 0.2;
    tacContactCloud* box = test_box(10, 1.0, 1.0, 1.0);
    tacContactInfluence* r =
        tac_contact_influence_create(box, 0.25 * h * h, 0.005, tac_default_allocator());
    ENSURE(box && r);
    // a plane beside an edge, its foot h/2 short of it, against the nearest on the other side of
    // the edge: (x - y) h <= spread, y <= height, from the edge less h/2
    double end = 1.0 + r->voronoi_margin / h + r->height;
    for (int k = 0; k < 3; ++k) {
        ENSURE(r->planes.high[k] > 0.9 * end && r->planes.high[k] < 1.1 * end);
        ENSURE(r->planes.low[k] < -0.9 * end && r->planes.low[k] > -1.1 * end);
    }
    tac_default_allocator().release(NULL, r);
    test_cloud_free(box);
    return 0;
}

//---------------------------------- steps ----------------------------------------

#define BODIES 20

typedef struct cutoffScene {
    tacModel* model;
    tacScratch* scratch;
    double q[7 * BODIES], v[6 * BODIES], next_q[7 * BODIES], next_v[6 * BODIES];
    double *A, h_q[6 * BODIES], h_v[6 * BODIES];
    int active;
} cutoffScene;

static const char* const geoms[] = {
    "type='box' size='.05 .05 .05'", "type='sphere' size='.04'", "type='box' size='.08 .06 .004'",
    "type='box' size='.02 .09 .03'", "type='mesh' mesh='t'",     "type='mesh' mesh='u'",
};

// bodies of a scene, the same for each way to load it
static void write_scene(char* text, size_t size, const char* tactus, int bodies, unsigned seed) {
    testRandom random = {seed};
    int meshes = seed % 4 == 1, kinds = meshes ? 6 : 4;
    size_t used = (size_t)snprintf(
        text, size,
        "<mujoco><option timestep='.002' %s/><compiler meshdir='" TAC_SOURCE_DIR
        "/scenes'/><tactus %s/>"
        "<asset>%s</asset><worldbody>%s",
        seed % 3 ? "" : "integrator='RK4'", tactus,
        meshes ? "<mesh name='t' file='t_26.obj'/><mesh name='u' file='horseshoe.obj'/>" : "",
        seed % 4 ? "<geom type='plane' size='1 1 .1' pos='0 0 -.25'/>" : "");
    double wide = 0.12 * cbrt(bodies) + test_uniform(&random, 0.0, 0.5);
    for (int i = 0; i < bodies; ++i) {
        int kind = (int)test_uniform(&random, 0.0, kinds - 1e-9);
        double x = test_uniform(&random, -wide, wide), y = test_uniform(&random, -wide, wide),
               z = test_uniform(&random, -0.3, wide);
        used += (size_t)snprintf(
            text + used, size - used,
            "<body pos='%g %g %g' euler='%g %g %g'><freejoint/><geom %s mass='.5'/></body>", x, y,
            z, test_uniform(&random, 0, 360), test_uniform(&random, 0, 360),
            test_uniform(&random, 0, 360), geoms[kind]);
    }
    snprintf(text + used, size - used, "</worldbody></mujoco>");
}

static int open_scene(cutoffScene* s, const char* text, double fast) {
    tacMessage message;
    *s = (cutoffScene){0};
    tacResult result = tac_load_text(text, (int)strlen(text), "text", NULL, &s->model, &message);
    if (result != TAC_OK) printf("  %s\n", message.text);
    ENSURE(result == TAC_OK);
    ENSURE(tac_scratch_create(s->model, &s->scratch) == TAC_OK);
    size_t nx = 2 * (size_t)s->model->nv;
    s->A = malloc(sizeof(double) * nx * nx);
    ENSURE(s->A);
    testRandom random = {5};
    memcpy(s->q, s->model->qpos0, sizeof(double) * (size_t)s->model->nq);
    for (int i = 0; i < s->model->nv; ++i)
        s->v[i] = fast * test_uniform(&random, -1.0, 1.0) * (i % 6 < 3 ? 1.0 : 8.0);
    return 0;
}

static void close_scene(cutoffScene* s) {
    free(s->A);
    tac_scratch_destroy(s->scratch);
    tac_model_destroy(s->model);
}

static int count_active(cutoffScene* s) {
    int n = s->model->nbody, pairs = s->model->contact->nbodies;
    tacPose* pose = calloc((size_t)n, sizeof *pose);
    double* twist = calloc(6 * (size_t)n, sizeof *twist);
    tacPairForce* force = calloc((size_t)pairs + 1, sizeof *force);
    ENSURE(pose && twist && force);
    ENSURE(tac_kinematics(s->model, s->q, s->v, pose, twist, s->scratch) == TAC_OK);
    tacKinematics at = {.pose = pose, .twist = twist};
    ENSURE(tac_force(s->model, &at, NULL, force, &s->active, s->scratch) == TAC_OK);
    free(pose);
    free(twist);
    free(force);
    return 0;
}

static int take_steps(cutoffScene* s, int second) {
    double dir[12 * BODIES], bar[12 * BODIES];
    testRandom random = {3};
    int nv = s->model->nv;
    for (int i = 0; i < 2 * nv; ++i) {
        dir[i] = test_uniform(&random, -1.0, 1.0);
        bar[i] = test_uniform(&random, -1.0, 1.0);
    }
    tacState x = {.qpos = s->q, .qvel = s->v}, next = {.qpos = s->next_q, .qvel = s->next_v};
    ENSURE(tac_step_jacobian(s->model, &x, NULL, &(tacStepJacobian){.next = &next, .A = s->A},
                             s->scratch) == TAC_OK);
    if (second)
        ENSURE(tac_step_hvp(s->model, &x, NULL,
                            &(tacStepHvp){.next_bar = (tacTangent){.dq = bar, .dv = bar + nv},
                                          .dot = {.x = (tacTangent){.dq = dir, .dv = dir + nv}},
                                          .bar = {.x = (tacTangent){.dq = s->h_q, .dv = s->h_v}}},
                            s->scratch) == TAC_OK);
    return 0;
}

static double separated_steps(const double* a, const double* b, int n) {
    double most = 0.0, size = 0.0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(a[i]) + fabs(b[i]));
    }
    return most / (size + 1e-300);
}

// steps with all pairs summed in full, and with those skipped that are far apart
static int skipping_changes_nothing(const char* tactus, int bodies, unsigned seed, double fast,
                                    int second, int count[2]) {
    static char text[16384];
    char exact[200];
    cutoffScene full, with;
    snprintf(exact, sizeof exact, "%s exact='true'", tactus);
    write_scene(text, sizeof text, exact, bodies, seed);
    ENSURE_LAW(open_scene(&full, text, fast));
    write_scene(text, sizeof text, tactus, bodies, seed);
    ENSURE_LAW(open_scene(&with, text, fast));
    ENSURE_LAW(take_steps(&full, second));
    ENSURE_LAW(take_steps(&with, second));
    int nv = with.model->nv;
    ENSURE_NEAR(separated_steps(full.next_v, with.next_v, nv), 0.0, 1e-12);
    ENSURE_NEAR(separated_steps(full.A, with.A, 4 * nv * nv), 0.0, 1e-12);
    ENSURE_NEAR(separated_steps(full.h_q, with.h_q, nv), 0.0, 1e-12);
    ENSURE_NEAR(separated_steps(full.h_v, with.h_v, nv), 0.0, 1e-12);
    if (with.model->contact->responder == TAC_RESPOND_SCM) {
        ENSURE_LAW(count_active(&with));
        count[0] += with.active;
        count[1] += with.model->contact->nbodies;
    }
    close_scene(&full);
    close_scene(&with);
    return 0;
}

static int culled_steps_equal_full_steps(void) {
    int count[2] = {0, 0};
    unsigned seeds = getenv("TACTUS_NO_SWEEP") ? 5 : 10;
    for (unsigned seed = 1; seed <= seeds; ++seed)
        ENSURE_LAW(skipping_changes_nothing(
            seed % 4 == 3 ? "respond='scm' points='54'" : "respond='scm' points='96'",
            2 + (int)seed / 2, seed, seed % 2 ? 0.5 : 5.0, seed % 3 == 1, count));
    ENSURE_LAW(skipping_changes_nothing("respond='scm' points='54'", BODIES, 40, 1.0, 0, count));
    printf("  %d of %d pairs of bodies were looked at\n", count[0], count[1]);
    ENSURE(count[0] > 0 && 3 * count[0] < 2 * count[1]);
    return 0;
}

static int culled_soft_points_equal_full_ones(void) {
    int count[2];
    for (unsigned seed = 2; seed <= 8; seed += 2)
        ENSURE_LAW(skipping_changes_nothing("detect='ssdf' respond='spring' points='54'",
                                            2 + (int)seed / 2, seed, 1.0, seed == 4, count));
    return 0;
}

// force between a body and a plane at a height, by both ways; how many pairs were active
static int force_over(const char* tactus, double height, double* force, int* active) {
    char text[400];
    cutoffScene s;
    tacPose pose[2];
    double twist[12];
    tacPairForce out[1];
    snprintf(
        text, sizeof text,
        "<mujoco><tactus respond='scm' stiffness='1000' eps3='.001' points='96' %s/><worldbody>"
        "<geom type='plane' size='1 1 .1' euler='20 30 0'/><body pos='0 0 0' euler='20 30 0'>"
        "<freejoint/><geom type='box' size='.1 .1 .1' pos='0 0 %.17g' mass='1'/></body>"
        "</worldbody></mujoco>",
        tactus, 0.1 + height);
    ENSURE_LAW(open_scene(&s, text, 0.0));
    ENSURE(tac_kinematics(s.model, s.q, s.v, pose, twist, s.scratch) == TAC_OK);
    tacKinematics at = {.pose = pose, .twist = twist};
    ENSURE(tac_force(s.model, &at, NULL, out, active, s.scratch) == TAC_OK);
    *force = *active ? sqrt(out->wrench[0] * out->wrench[0] + out->wrench[1] * out->wrench[1] +
                            out->wrench[2] * out->wrench[2])
                     : 0.0;
    close_scene(&s);
    return 0;
}

// a half-space is left when its force is below the share of k eps3 = 1 N, and not long after
static int planes_are_culled_in_time(void) {
    int skipped = 0;
    for (int i = 0; i < 70; i += 3) {
        double all, some;
        int active[2];
        ENSURE_LAW(force_over("exact='true'", 0.001 * i, &all, &active[0]));
        ENSURE_LAW(force_over("", 0.001 * i, &some, &active[1]));
        ENSURE(active[0] == 1);
        if (active[1]) ENSURE_NEAR(some, all, 1e-12 * all + 1e-16);
        if (!active[1]) ENSURE(all < 1e-16 && ++skipped);
        ENSURE(all > 1e-22 || !active[1]);
    }
    ENSURE(skipped > 3);
    return 0;
}

// eps1 and eps3 that grow after load make boxes larger
static int growing_parameters_widen_the_cutoff(void) {
    static char text[16384];
    static const char* const names[2] = {"detect/eps1", "respond/eps3"};
    for (int i = 0; i < 2; ++i) {
        cutoffScene s[2];
        for (int exact = 0; exact < 2; ++exact) {
            tacParam at;
            write_scene(text, sizeof text,
                        exact ? "respond='scm' points='96' exact='true'"
                              : "respond='scm' points='96'",
                        3, 8);
            ENSURE_LAW(open_scene(&s[exact], text, 1.0));
            ENSURE(tac_param_find(s[exact].model, names[i], &at) == TAC_OK);
            double value[16];
            ENSURE(at.count <= 16);
            for (int k = 0; k < at.count; ++k)
                value[k] = 30.0 * s[exact].model->param[at.offset + k];
            ENSURE(tac_param_set(s[exact].model, at, value, NULL) == TAC_OK);
            ENSURE_LAW(take_steps(&s[exact], 0));
        }
        ENSURE_NEAR(separated_steps(s[0].A, s[1].A, 4 * s[0].model->nv * s[0].model->nv), 0.0,
                    1e-12);
        close_scene(&s[0]);
        close_scene(&s[1]);
    }
    return 0;
}

TEST_MAIN(RUN(boxes_contain_active_planes), RUN(boxes_are_tight),
          RUN(culled_steps_equal_full_steps), RUN(culled_soft_points_equal_full_ones),
          RUN(planes_are_culled_in_time), RUN(growing_parameters_widen_the_cutoff))
