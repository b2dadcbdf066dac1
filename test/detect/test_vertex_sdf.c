// Vertices in fields: records by closed forms, culled as unculled, derivatives, bounds.

#include "detect/manifold_proof.h"

#include "detect/manifold/manifold.h"

//---------------------------------- values ---------------------------------------

static tacModel* load_text(const char* text) {
    tacMessage message;
    tacModel* model = NULL;
    if (tac_load_text(text, (int)strlen(text), "test", NULL, &model, &message) != TAC_OK)
        printf("  %s\n", message.text);
    return model;
}

// a ball over a half-space: one record on its lowest point
static int sphere_on_plane(void) {
    tacModel* model = load_text("<mujoco><tactus detect='manifold' tau='.002' support='.016'/>"
                                "<worldbody><geom type='plane' size='1 1 1'/>"
                                "<body><freejoint/><geom type='sphere' size='.1'/></body>"
                                "</worldbody></mujoco>");
    ENSURE(model);
    tacScratch* scratch;
    tacContacts* c;
    ENSURE(tac_scratch_create(model, &scratch) == TAC_OK);
    ENSURE(tac_contacts_create(model, 0, 1, &c) == TAC_OK);
    for (int i = 0; i < 40; ++i) {
        double z = 0.09 + 0.001 * i, d = z - 0.1, t = d / 0.016;
        tacPose body[2] = {tac_pose_identity(), {{0.3, -0.2, z}, {0.6, 0.0, 0.8, 0.0}}};
        ENSURE(tac_detect(model, body, c, scratch) == TAC_OK);
        ENSURE(c->count == (d < 0.016));
        if (c->count == 0) continue;
        double w = t <= 0.0 ? 1.0 : pow(1.0 - t, 3) * (1.0 + 3.0 * t + 6.0 * t * t);
        ENSURE_NEAR(c->distance[0], d, 1e-15);
        ENSURE_NEAR(c->point[0][0], 0.3, 1e-15);
        ENSURE_NEAR(c->point[2][0], z - 0.1, 1e-12);
        ENSURE_NEAR(c->normal[2][0], 1.0, 1e-12);
        ENSURE_NEAR(c->activity[0], w / (1.0 + exp(d / 0.002)), 1e-14);
        ENSURE_NEAR(c->d_twist[6][2][0], 1.0, 1e-12);
    }
    tac_contacts_destroy(c);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

// records that one has and the other has not
static int same_records(const tacContacts* a, const tacContacts* b) {
    ENSURE(a->count == b->count);
    for (int i = 0; i < a->count; ++i) {
        ENSURE(a->feature[i] == b->feature[i] && a->pair[i] == b->pair[i]);
        ENSURE_NEAR(a->distance[i], b->distance[i], 1e-12);
        ENSURE_NEAR(a->activity[i], b->activity[i], 1e-12);
        for (int k = 0; k < 3; ++k) {
            ENSURE_NEAR(a->point[k][i], b->point[k][i], 1e-12);
            ENSURE_NEAR(a->normal[k][i], b->normal[k][i], 1e-12);
        }
    }
    return 0;
}

static int culled_as_unculled(const manifoldScene* scene, int poses) {
    tacModel* model[2] = {manifold_load(scene, "vertices='100'"),
                          manifold_load(scene, "vertices='100' cull='false'")};
    tacScratch* scratch[2];
    tacContacts* c[2];
    testRandom random = {7};
    int records = 0, active = 0;
    for (int k = 0; k < 2; ++k) {
        ENSURE(model[k] && tac_scratch_create(model[k], &scratch[k]) == TAC_OK);
        ENSURE(tac_contacts_create(model[k], 0, 0, &c[k]) == TAC_OK);
    }
    poses = test_amount(1 + poses / 5, poses, 10 * poses);
    for (int i = 0; i < poses; ++i) {
        double x[14];
        tacPose body[3];
        manifold_random_poses(scene, &random, x);
        manifold_poses(x, body);
        for (int k = 0; k < 2; ++k) ENSURE(tac_detect(model[k], body, c[k], scratch[k]) == TAC_OK);
        ENSURE_LAW(same_records(c[0], c[1]));
        for (int r = 1; r < c[0]->count; ++r) ENSURE(c[0]->feature[r] > c[0]->feature[r - 1]);
        records += c[0]->count;
        active += c[0]->count > 0;
    }
    printf("    %s: %d poses, %d touch, %d records\n", scene->name, poses, active, records);
    ENSURE(active > poses / 10);
    for (int k = 0; k < 2; ++k) {
        tac_contacts_destroy(c[k]);
        tac_scratch_destroy(scratch[k]);
        tac_model_destroy(model[k]);
    }
    return 0;
}

static int culling_changes_no_record(void) {
    ENSURE_LAW(culled_as_unculled(&manifold_boxes, 500));
    ENSURE_LAW(culled_as_unculled(&manifold_balls, 500));
    ENSURE_LAW(culled_as_unculled(&manifold_rods, 500));
    ENSURE_LAW(culled_as_unculled(&manifold_cup, 500));
    return 0;
}

//---------------------------------- derivatives ----------------------------------

// TACTUS_SWEEP=long: a thousand poses and more
static int prove_scene(const manifoldScene* scene, const char* options, int points) {
    points = test_amount(1 + points / 100, 1 + points / 2, 1000 + points);
    return manifold_prove(scene, manifold_load(scene, options), points, 1e-7);
}

static int vertex_contacts_have_exact_derivatives(void) {
    int bad = prove_scene(&manifold_boxes, "", 200) + prove_scene(&manifold_balls, "", 200) +
              prove_scene(&manifold_rods, "vertices='100'", 60) +
              prove_scene(&manifold_cup, "vertices='150'", 60);
    prove_summary();
    return bad;
}

// d_twist: delta = D (xi1 - xi0) + rigid(xi0), against tac_detect_jvp
static int twists_of(const manifoldScene* scene, int poses) {
    tacModel* model = manifold_load(scene, "vertices='100'");
    tacScratch* scratch;
    tacContacts *c, *dot;
    testRandom random = {5};
    ENSURE(model && tac_scratch_create(model, &scratch) == TAC_OK);
    ENSURE(tac_contacts_create(model, 0, 1, &c) == TAC_OK);
    ENSURE(tac_contacts_create(model, 0, 0, &dot) == TAC_OK);
    poses = test_amount(1 + poses / 5, poses, 10 * poses);
    for (int i = 0; i < poses; ++i) {
        double x[14], t[18] = {0};
        tacPose body[3];
        manifold_random_poses(scene, &random, x);
        manifold_poses(x, body);
        for (int k = 6; k < 18; ++k) t[k] = test_uniform(&random, -1.0, 1.0);
        ENSURE(tac_detect(model, body, c, scratch) == TAC_OK);
        ENSURE(tac_detect_jvp(model, body, c, t, NULL, dot, scratch) == TAC_OK);
        for (int r = 0; r < c->count; ++r) {
            tacTwist xi[2];
            tacVec3 p = {c->point[0][r], c->point[1][r], c->point[2][r]};
            tacVec3 n = {c->normal[0][r], c->normal[1][r], c->normal[2][r]};
            for (int b = 0; b < 2; ++b)
                xi[b] = tac_twist_shift(tac_twist_load(t + 6 + 6 * b), body[1 + b].position, p);
            double relative[6], out[8] = {0}, found[8];
            tac_twist_store(relative, tac_twist_sub(xi[1], xi[0]));
            tac_store3(out, xi[0].linear);
            tac_store3(out + 3, tac_cross(xi[0].angular, n));
            for (int row = 0; row < 8; ++row)
                for (int k = 0; k < 6; ++k) out[row] += c->d_twist[row][k][r] * relative[k];
            for (int k = 0; k < 3; ++k) {
                found[k] = dot->point[k][r];
                found[3 + k] = dot->normal[k][r];
            }
            found[6] = dot->distance[r];
            found[7] = dot->activity[r];
            double size = 1.0;
            for (int row = 0; row < 8; ++row) size = fmax(size, fabs(found[row]));
            for (int row = 0; row < 8; ++row) ENSURE_NEAR(out[row], found[row], 1e-11 * size);
        }
    }
    tac_contacts_destroy(c);
    tac_contacts_destroy(dot);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

static int twists_match_the_jvp(void) {
    ENSURE_LAW(twists_of(&manifold_boxes, 100));
    ENSURE_LAW(twists_of(&manifold_balls, 100));
    ENSURE_LAW(twists_of(&manifold_cup, 100));
    return 0;
}

TEST_MAIN(RUN(sphere_on_plane), RUN(culling_changes_no_record), RUN(twists_match_the_jvp),
          RUN(vertex_contacts_have_exact_derivatives))
