// Witness points led to their own surface: they arrive, distances of curved bodies become right,
// derivatives are those of the steps, and paths stay smooth.

#include "detect/manifold_proof.h"

#include "base/assert.h"
#include "detect/manifold/manifold.h"

#define EGG  "type='ellipsoid' size='.1 .08 .06'"
#define BALL "type='ellipsoid' size='.1 .1 .1'"

static const manifoldScene eggs = {"eggs", "", {EGG, EGG}, 0.17};
static const manifoldScene balls = {"balls", "", {BALL, BALL}, 0.2};
static const manifoldScene rod_on_egg = {
    "egg and capsule", "", {EGG, "type='capsule' size='.03 .1'"}, 0.12};

typedef struct bench {
    tacModel* model;
    tacScratch* scratch;
    tacContacts* c;
} bench;

static int open_bench(bench* b, const manifoldScene* scene, const char* options) {
    b->model = manifold_load(scene, options);
    ENSURE(b->model && tac_scratch_create(b->model, &b->scratch) == TAC_OK);
    ENSURE(tac_contacts_create(b->model, 0, 0, &b->c) == TAC_OK);
    return 0;
}

static void close_bench(bench* b) {
    tac_contacts_destroy(b->c);
    tac_scratch_destroy(b->scratch);
    tac_model_destroy(b->model);
}

//---------------------------------- values ---------------------------------------

// the own geom's field at the point of a record of edges
static double own_field(const bench* b, const tacPose* body, int record) {
    int kind = (int)tac_manifold_kind(b->c->feature[record]) - TAC_MANIFOLD_EDGE_0;
    double x[3], value = NAN;
    for (int k = 0; k < 3; ++k) x[k] = b->c->point[k][record];
    tac_shape_eval(b->model, b->model->geom[kind].shape, body[1 + kind],
                   (tacPoints){1, {&x[0], &x[1], &x[2]}}, (tacField){.value = &value}, b->scratch);
    return value;
}

static int is_edge_record(const tacContacts* c, int i) {
    return tac_manifold_kind(c->feature[i]) >= TAC_MANIFOLD_EDGE_0;
}

// largest |own field| at the points of edges, with so many steps
static int largest_field_value(int steps, double* most, int* records) {
    char options[80];
    bench b;
    testRandom random = {4};
    *most = 0.0;
    *records = 0;
    snprintf(options, sizeof options, "vertices='60' tau='.004' project='%d'", steps);
    ENSURE_LAW(open_bench(&b, &eggs, options));
    for (int i = 0; i < 60; ++i) {
        double x[14];
        tacPose body[3];
        manifold_random_poses(&eggs, &random, x);
        manifold_poses(x, body);
        ENSURE(tac_detect(b.model, body, b.c, b.scratch) == TAC_OK);
        for (int r = 0; r < b.c->count; ++r) {
            if (!is_edge_record(b.c, r)) continue;
            ++*records;
            *most = fmax(*most, fabs(own_field(&b, body, r)));
        }
    }
    close_bench(&b);
    return 0;
}

// Newton: the error squares with every step, less e^4 of it
static int points_reach_the_surface(void) {
    double most[6];
    for (int steps = 0; steps <= 5; ++steps) {
        int records;
        ENSURE_LAW(largest_field_value(steps, &most[steps], &records));
        printf("    %d steps: %.1e m off the surface, %d records\n", steps, most[steps], records);
        ENSURE(records > 100);
        if (steps) ENSURE(most[steps] < fmax(1e-15, 0.1 * most[steps - 1]));
    }
    ENSURE(most[0] > 1e-3 && most[2] < 1e-6 && most[5] < 1e-15);
    return 0;
}

// mean distance of the records of edges, weighed by activity, NAN: none
static double mean_distance(const tacContacts* c) {
    double sum = 0.0, all = 0.0;
    for (int i = 0; i < c->count; ++i)
        if (is_edge_record(c, i)) {
            sum += c->activity[i] * c->distance[i];
            all += c->activity[i];
        }
    return sum / all;
}

// Two balls as meshes of 60 corners: edges that cross lie deep inside. Led out, their distance is
// that of the balls, less what the crossing lies beside the line of centres.
static int sphere_meshes_become_round(void) {
    bench b[2];
    testRandom random = {5};
    double off[2] = {0.0, 0.0};
    int seen = 0;
    ENSURE_LAW(open_bench(&b[0], &balls, "vertices='60' tau='.004'"));
    ENSURE_LAW(open_bench(&b[1], &balls, "vertices='60' tau='.004' project='5'"));
    for (int i = 0; i < 2000; ++i) {
        double x[14], separated = test_uniform(&random, 0.175, 0.195), length = 0.0, d[2];
        tacPose body[3];
        manifold_random_poses(&balls, &random, x);
        for (int k = 0; k < 3; ++k) length += (x[7 + k] - x[k]) * (x[7 + k] - x[k]);
        for (int k = 0; k < 3; ++k) x[7 + k] = x[k] + (x[7 + k] - x[k]) * separated / sqrt(length);
        manifold_poses(x, body);
        for (int k = 0; k < 2; ++k) {
            ENSURE(tac_detect(b[k].model, body, b[k].c, b[k].scratch) == TAC_OK);
            d[k] = mean_distance(b[k].c);
        }
        if (!isfinite(d[0]) || !isfinite(d[1])) continue;
        for (int k = 0; k < 2; ++k) off[k] += fabs(d[k] - (separated - 0.2));
        ++seen;
    }
    for (int k = 0; k < 2; ++k) off[k] /= seen;
    printf("    %d poses with edges: mean error of their distance %.2g m, led out %.2g m\n", seen,
           off[0], off[1]);
    ENSURE(seen > 100 && off[1] < 0.5 * off[0]);
    close_bench(&b[0]);
    close_bench(&b[1]);
    return 0;
}

// without steps, and of swept edges, nothing changes
static int projection_leaves_flat_meshes_alone(void) {
    static const manifoldScene rods = {
        "rods", "", {"type='capsule' size='.05 .1'", "type='capsule' size='.05 .1'"}, 0.12};
    static const char* const options[2] = {"", "project='5'"};
    bench b[2];
    testRandom random = {6};
    for (int k = 0; k < 2; ++k) ENSURE_LAW(open_bench(&b[k], &rods, options[k]));
    for (int i = 0; i < 50; ++i) {
        double x[14];
        tacPose body[3];
        manifold_random_poses(&rods, &random, x);
        manifold_poses(x, body);
        for (int k = 0; k < 2; ++k)
            ENSURE(tac_detect(b[k].model, body, b[k].c, b[k].scratch) == TAC_OK);
        ENSURE(b[0].c->count == b[1].c->count);
        for (int r = 0; r < b[0].c->count; ++r)
            ENSURE(b[0].c->distance[r] == b[1].c->distance[r] &&
                   b[0].c->point[0][r] == b[1].c->point[0][r]);
    }
    close_bench(&b[0]);
    close_bench(&b[1]);
    return 0;
}

//---------------------------------- smoothness -----------------------------------

// largest second difference over h^2 of the sums of gamma, gamma d and gamma p along a path
static int largest_second_difference(bench* b, int steps, double most[3]) {
    double at[3][3];
    most[0] = most[1] = most[2] = 0.0;
    for (int i = 0; i <= steps; ++i) {
        double t = (double)i / steps, *sum = at[i % 3];
        double x[14] = {0, 0, 0, 1, 0, 0, 0, 0.02 * t, 0.01, 0.112 - 0.006 * t};
        double angle = 0.3 + 0.2 * t, lean = 0.2 - 0.1 * t;
        x[10] = cos(angle) * cos(lean);
        x[11] = cos(angle) * sin(lean);
        x[12] = sin(angle) * sin(lean);
        x[13] = sin(angle) * cos(lean);
        tacPose body[3];
        manifold_poses(x, body);
        ENSURE(tac_detect(b->model, body, b->c, b->scratch) == TAC_OK);
        sum[0] = sum[1] = sum[2] = 0.0;
        for (int r = 0; r < b->c->count; ++r) {
            sum[0] += b->c->activity[r];
            sum[1] += b->c->activity[r] * b->c->distance[r];
            sum[2] += b->c->activity[r] * b->c->point[0][r];
        }
        for (int k = 0; k < 3 && i > 1; ++k)
            most[k] =
                fmax(most[k], fabs(at[i % 3][k] - 2.0 * at[(i + 2) % 3][k] + at[(i + 1) % 3][k]) *
                                  steps * steps);
    }
    return 0;
}

static int projected_contacts_are_smooth(void) {
    bench b;
    double coarse[3], fine[3];
    ENSURE_LAW(open_bench(&b, &eggs, "vertices='60' tau='.004' project='3'"));
    ENSURE_LAW(largest_second_difference(&b, 2000, coarse));
    ENSURE_LAW(largest_second_difference(&b, 4000, fine));
    for (int k = 0; k < 3; ++k) {
        printf("    second differences over h^2: %.5g, %.5g\n", coarse[k], fine[k]);
        ENSURE(coarse[k] > 1e-3 && fabs(fine[k] / coarse[k] - 1.0) < 0.02);
    }
    close_bench(&b);
    return 0;
}

//---------------------------------- derivatives ----------------------------------

static int prove_scene(const manifoldScene* scene, const char* options, int points) {
    points = test_amount(1 + points / 20, points, 10 * points);
    return manifold_prove(scene, manifold_load(scene, options), points, 1e-7);
}

static int projected_contacts_have_exact_derivatives(void) {
    int bad = prove_scene(&eggs, "vertices='40' tau='.004' project='5'", 40) +
              prove_scene(&manifold_boxes, "tau='.004' project='2'", 60) +
              prove_scene(&rod_on_egg, "vertices='40' tau='.004' project='1'", 40);
    prove_summary();
    return bad;
}

//---------------------------------- wrong use ------------------------------------

// concentric, identical and touching bodies: fields are flat in the middle
static int degenerate_fields_are_finite(void) {
    bench b;
    ENSURE_LAW(open_bench(&b, &eggs, "vertices='40' depth='.5' support='.5' project='5'"));
    for (int i = 0; i < 5; ++i) {
        tacPose body[3] = {tac_pose_identity(), tac_pose_identity(), tac_pose_identity()};
        body[2].position.x = 0.02 * i;
        ENSURE(tac_detect(b.model, body, b.c, b.scratch) == TAC_OK);
        for (int r = 0; r < b.c->count; ++r) {
            double sum = b.c->distance[r] + b.c->activity[r];
            for (int k = 0; k < 3; ++k) sum += b.c->point[k][r] + b.c->normal[k][r];
            ENSURE(fabs(sum) < 10.0);
        }
    }
    close_bench(&b);
    return 0;
}

static int wrong_numbers_are_refused(void) {
    static const char* const options[] = {
        "detect='manifold' project='6'", "detect='manifold' project='-1'",
        "detect='manifold' project='all'", "detect='edge_sdf' project='2'"};
    for (int i = 0; i < TAC_COUNT(options); ++i) {
        char text[400];
        tacModel* model = NULL;
        tacMessage message;
        snprintf(text, sizeof text,
                 "<mujoco>\n<tactus %s/><worldbody><geom type='plane' size='1 1 1'/><body>"
                 "<freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody>"
                 "</mujoco>",
                 options[i]);
        ENSURE(tac_load_text(text, (int)strlen(text), "test.xml", NULL, &model, &message) !=
               TAC_OK);
        ENSURE(message.line == 2 && strcmp(message.attribute, "project") == 0);
    }
    return 0;
}

TEST_MAIN(RUN(points_reach_the_surface), RUN(sphere_meshes_become_round),
          RUN(projection_leaves_flat_meshes_alone), RUN(projected_contacts_are_smooth),
          RUN(projected_contacts_have_exact_derivatives), RUN(degenerate_fields_are_finite),
          RUN(wrong_numbers_are_refused))
