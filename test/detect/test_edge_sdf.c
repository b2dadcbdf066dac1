// Edges traced through fields: rays that stop at the surface, records, derivatives, bundles.

#include "detect/manifold_proof.h"

#include "detect/edge_sdf/edge_sdf.h"

//---------------------------------- scenes ---------------------------------------

static tacModel* load_text(const char* text) {
    tacMessage message;
    tacModel* model = NULL;
    if (tac_load_text(text, (int)strlen(text), "test", NULL, &model, &message) != TAC_OK)
        printf("  %s\n", message.text);
    return model;
}

static tacModel* load_scene(const manifoldScene* scene, const char* options) {
    return manifold_load_by(scene, "edge_sdf", options);
}

// what a test works with
typedef struct bench {
    tacModel* model;
    tacScratch* scratch;
    tacContacts* contacts;
} bench;

static int open_bench(bench* b, tacModel* model, int twists_match_the_jvp) {
    *b = (bench){.model = model};
    ENSURE(model);
    ENSURE(tac_scratch_create(model, &b->scratch) == TAC_OK);
    ENSURE(tac_contacts_create(model, 0, twists_match_the_jvp, &b->contacts) == TAC_OK);
    return 0;
}

static void close_bench(bench* b) {
    tac_contacts_destroy(b->contacts);
    tac_scratch_destroy(b->scratch);
    tac_model_destroy(b->model);
}

//---------------------------------- rays -----------------------------------------

// Rod (a capsule's edge without much radius) through a slab: the hit is the middle of what is
// inside, and half way where nothing is
static int rod_through_slab(void) {
    bench b;
    ENSURE_LAW(open_bench(&b,
                          load_text("<mujoco><tactus detect='edge_sdf' sides='second' tau='.01' "
                                    "gate='1e-4' support='.5' iterations='40'/><worldbody>"
                                    "<geom type='box' size='1 1 .1'/><body><freejoint/>"
                                    "<geom type='capsule' size='1e-6 .5'/></body>"
                                    "</worldbody></mujoco>"),
                          1));
    for (int i = 0; i < 20; ++i) {
        double z = -0.2 + 0.02 * i; // from -0.7 + 0.02 i to 0.3 + 0.02 i
        tacPose body[2] = {tac_pose_identity(), {{0.2, 0.1, z}, {1, 0, 0, 0}}};
        ENSURE(tac_detect(b.model, body, b.contacts, b.scratch) == TAC_OK);
        for (int r = 0; r < b.contacts->count; ++r) {
            if (tac_edge_sdf_kind(b.contacts->feature[r]) != TAC_EDGE_SDF_EDGE_1) continue;
            ENSURE_NEAR(b.contacts->point[2][r], 0.0, 5e-3);
            ENSURE_NEAR(b.contacts->distance[r], -0.1, 5e-3);
        }
        ENSURE(b.contacts->count >= 1);
    }
    close_bench(&b);
    return 0;
}

// no ray enters the solid by more than the gate lets it: the exact surface is crossed by none
static int rays_stop_at(const manifoldScene* scene, const char* options, double* deepest) {
    bench b;
    testRandom random = {19};
    int rays = 0;
    ENSURE_LAW(open_bench(&b, load_scene(scene, options), 0));
    for (int i = 0; i < test_amount(8, 40, 400); ++i) {
        double x[14];
        tacPose body[3];
        manifold_random_poses(scene, &random, x);
        manifold_poses(x, body);
        for (int owner = 0; owner < 2; ++owner) {
            size_t mark = b.scratch->arena.used;
            tacEdgeSdfSide run =
                tac_edge_sdf_side(b.model, &b.model->contact->pair[0], owner, 1, body, b.scratch);
            if (run.side.features->edges > 0) {
                tac_edge_sdf_candidates(&run, 1, b.scratch);
                run.hits = tac_hits_alloc(&b.scratch->arena, run.side.features->edges, 1);
                for (int e = 0; e < run.side.features->edges; ++e)
                    run.hits.vertex[run.hits.count++] = e;
                tac_edge_sdf_trace(&run, 2, b.scratch);
                int half = run.rays.half;
                for (int e = 0; e < 2 * half; ++e) {
                    int outside = run.step[0].value[e] > run.numbers.radius;
                    for (int k = 1; k < run.steps && outside; ++k) {
                        double u = run.step[k].value[e] - run.numbers.radius;
                        *deepest = fmin(*deepest, u);
                        ++rays;
                    }
                }
            }
            b.scratch->arena.used = mark;
        }
    }
    printf("    %s: %d steps of rays, deepest %.1e\n", scene->name, rays, *deepest);
    ENSURE(rays > test_amount(100, 1000, 10000));
    close_bench(&b);
    return 0;
}

static const manifoldScene plates = {
    "plates",
    "<shape name='plate'><superquadric size='.2 .1 .01' eps='.3 .3'/></shape>"
    "<shape name='far' distance='radial'><superquadric size='.2 .1 .01' eps='.3 .3'/></shape>",
    {"type='shape' shape='plate'", "type='shape' shape='far'"},
    0.15};

static int rays_never_overshoot(void) {
    const manifoldScene* scenes[] = {&manifold_boxes, &manifold_cup, &plates};
    for (int i = 0; i < 3; ++i) {
        double deepest = 0.0;
        ENSURE_LAW(rays_stop_at(scenes[i], "vertices='40' iterations='8'", &deepest));
        ENSURE(deepest >= -1e-12);
    }
    return 0;
}

//---------------------------------- culling --------------------------------------

static int same_records(const tacContacts* a, const tacContacts* b) {
    ENSURE(a->count == b->count);
    for (int i = 0; i < a->count; ++i) {
        ENSURE(a->feature[i] == b->feature[i] && a->bundle[i] == b->bundle[i]);
        ENSURE_NEAR(a->distance[i], b->distance[i], 1e-12);
        ENSURE_NEAR(a->activity[i], b->activity[i], 1e-12);
        for (int k = 0; k < 3; ++k) {
            ENSURE_NEAR(a->point[k][i], b->point[k][i], 1e-12);
            ENSURE_NEAR(a->normal[k][i], b->normal[k][i], 1e-12);
        }
    }
    return 0;
}

static int culled_as_unculled(const manifoldScene* scene, const char* options, int poses) {
    char all[200];
    bench b[2];
    testRandom random = {7};
    int records = 0, active = 0;
    snprintf(all, sizeof all, "%s cull='false'", options);
    ENSURE_LAW(open_bench(&b[0], load_scene(scene, options), 0));
    ENSURE_LAW(open_bench(&b[1], load_scene(scene, all), 0));
    poses = test_amount(poses / 5, poses, 10 * poses);
    for (int i = 0; i < poses; ++i) {
        double x[14];
        tacPose body[3];
        manifold_random_poses(scene, &random, x);
        manifold_poses(x, body);
        for (int k = 0; k < 2; ++k)
            ENSURE(tac_detect(b[k].model, body, b[k].contacts, b[k].scratch) == TAC_OK);
        ENSURE_LAW(same_records(b[0].contacts, b[1].contacts));
        records += b[0].contacts->count;
        active += b[0].contacts->count > 0;
    }
    printf("    %s: %d poses, %d touch, %d records\n", scene->name, poses, active, records);
    ENSURE(active > poses / 10);
    close_bench(&b[0]);
    close_bench(&b[1]);
    return 0;
}

static int culling_changes_no_record(void) {
    const char* options = "vertices='60' iterations='4'";
    ENSURE_LAW(culled_as_unculled(&manifold_boxes, options, 100));
    ENSURE_LAW(culled_as_unculled(&manifold_balls, options, 100));
    ENSURE_LAW(culled_as_unculled(&manifold_rods, options, 50));
    ENSURE_LAW(culled_as_unculled(&manifold_boxes, "fuse='face'", 50));
    return 0;
}

//---------------------------------- smoothness -----------------------------------

// one box turns and slides on the other, in and out of contact, past the parallel place
static void path_pose(double t, tacPose body[3]) {
    double yaw = 0.35 * sin(3.0 * t), tip = 0.25 * sin(5.0 * t + 1.0);
    body[0] = body[1] = tac_pose_identity();
    body[2].position = (tacVec3){0.05 * sin(2.0 * t), 0.04 * cos(3.0 * t), 0.125 + 0.02 * sin(t)};
    body[2].rotation = (tacQuat){cos(yaw) * cos(tip), sin(tip) * cos(yaw), sin(tip) * sin(yaw),
                                 sin(yaw) * cos(tip)};
}

static int sums_at(const bench* b, double t, double y[11]) {
    tacPose body[3];
    const tacContacts* c = b->contacts;
    path_pose(t, body);
    ENSURE(tac_detect(b->model, body, b->contacts, b->scratch) == TAC_OK);
    memset(y, 0, 11 * sizeof *y);
    for (int r = 0; r < c->count; ++r) {
        double g = c->activity[r], *n = y + 2, *p = y + 5, *dn = y + 8;
        y[0] += g;
        y[1] += g * c->distance[r];
        for (int k = 0; k < 3; ++k) {
            n[k] += g * c->normal[k][r];
            p[k] += g * c->point[k][r];
            dn[k] += g * c->distance[r] * c->normal[k][r];
        }
    }
    return 0;
}

// largest second difference over h^2 of each sum
static int second_differences(const bench* b, double h, double most[11]) {
    double y[3][11];
    memset(most, 0, 11 * sizeof *most);
    for (int i = 0; i < (int)(1.0 / h); ++i) {
        if (i < 2) {
            ENSURE_LAW(sums_at(b, i * h, y[i]));
            continue;
        }
        ENSURE_LAW(sums_at(b, i * h, y[2]));
        for (int k = 0; k < 11; ++k)
            most[k] = fmax(most[k], fabs(y[0][k] - 2.0 * y[1][k] + y[2][k]) / (h * h));
        memcpy(y[0], y[1], sizeof y[0]);
        memcpy(y[1], y[2], sizeof y[1]);
    }
    return 0;
}

// second differences over h^2 settle as the step is halved: no kink, no jump
static int differences_converge(const bench* b) {
    double first[11], second[11], third[11];
    ENSURE_LAW(second_differences(b, 1.25e-4, first));
    ENSURE_LAW(second_differences(b, 6.25e-5, second));
    ENSURE_LAW(second_differences(b, 3.125e-5, third));
    printf("    sum of activity: %.4g %.4g %.4g\n", first[0], second[0], third[0]);
    for (int k = 0; k < 11; ++k) ENSURE_NEAR(second[k] / first[k], 1.0, 0.02);
    for (int k = 0; k < 11; ++k) ENSURE_NEAR(third[k] / second[k], 1.0, 0.01);
    return 0;
}

static int smooth_along_paths(void) {
    const char* options[] = {"iterations='4'", "iterations='3' fuse='face'"};
    for (int i = 0; i < 2; ++i) {
        bench b;
        double coarse[11];
        ENSURE_LAW(open_bench(&b, load_scene(&manifold_boxes, options[i]), 0));
        ENSURE_LAW(test_amount(0, 1, 1) ? differences_converge(&b)
                                        : second_differences(&b, 1e-2, coarse));
        close_bench(&b);
    }
    return 0;
}

//---------------------------------- bundles --------------------------------------

// a face's records share its number and its weight, and features of several faces are counted once
static int bundles_share_weight(void) {
    bench one, fused;
    testRandom random = {11};
    ENSURE_LAW(open_bench(&one, load_scene(&manifold_rods, "vertices='60'"), 0));
    ENSURE_LAW(open_bench(&fused, load_scene(&manifold_rods, "vertices='60' fuse='face'"), 0));
    for (int i = 0; i < 30; ++i) {
        double x[14], sum = 0.0;
        tacPose body[3];
        manifold_random_poses(&manifold_rods, &random, x);
        manifold_poses(x, body);
        ENSURE(tac_detect(one.model, body, one.contacts, one.scratch) == TAC_OK);
        ENSURE(tac_detect(fused.model, body, fused.contacts, fused.scratch) == TAC_OK);
        const tacContacts* c = fused.contacts;
        for (int r = 0; r < c->count; ++r) {
            ENSURE(r == 0 || c->feature[r] > c->feature[r - 1]);
            ENSURE(r == 0 || c->bundle[r] == c->bundle[r - 1] ||
                   c->bundle[r] == c->bundle[r - 1] + 1);
            sum += c->activity[r];
        }
        double all = 0.0;
        for (int r = 0; r < one.contacts->count; ++r) all += one.contacts->activity[r];
        ENSURE(sum <= all + 1e-12 && (all < 1e-6 || sum > 0.0));
    }
    close_bench(&one);
    close_bench(&fused);
    return 0;
}

//---------------------------------- derivatives ----------------------------------

static int prove_scene(const manifoldScene* scene, const char* options, int points) {
    points = test_amount(1 + points / 50, 1 + points / 2, 10 * points);
    return manifold_prove(scene, load_scene(scene, options), points, 1e-7);
}

static int traced_edges_have_exact_derivatives(void) {
    int bad = prove_scene(&manifold_boxes, "iterations='4'", 60) +
              prove_scene(&manifold_balls, "iterations='3'", 60) +
              prove_scene(&manifold_rods, "vertices='40' iterations='3'", 6) +
              prove_scene(&manifold_cup, "vertices='40' iterations='3'", 6) +
              prove_scene(&manifold_boxes, "iterations='3' fuse='face'", 40) +
              prove_scene(&manifold_cup, "vertices='40' iterations='2' fuse='face'", 10);
    prove_summary();
    return bad;
}

// d_twist: delta = D (xi1 - xi0) + rigid(xi0), against tac_detect_jvp
static int twists_of(const manifoldScene* scene, const char* options, int poses) {
    bench b;
    tacContacts* dot;
    testRandom random = {5};
    ENSURE_LAW(open_bench(&b, load_scene(scene, options), 1));
    ENSURE(tac_contacts_create(b.model, 0, 0, &dot) == TAC_OK);
    const tacContacts* c = b.contacts;
    for (int i = 0; i < test_amount(poses / 10, poses, 10 * poses); ++i) {
        double x[14], t[18] = {0};
        tacPose body[3];
        manifold_random_poses(scene, &random, x);
        manifold_poses(x, body);
        for (int k = 6; k < 18; ++k) t[k] = test_uniform(&random, -1.0, 1.0);
        ENSURE(tac_detect(b.model, body, b.contacts, b.scratch) == TAC_OK);
        ENSURE(tac_detect_jvp(b.model, body, c, t, NULL, dot, b.scratch) == TAC_OK);
        for (int r = 0; r < c->count; ++r) {
            tacTwist xi[2];
            tacVec3 p = {c->point[0][r], c->point[1][r], c->point[2][r]};
            tacVec3 n = {c->normal[0][r], c->normal[1][r], c->normal[2][r]};
            for (int k = 0; k < 2; ++k)
                xi[k] = tac_twist_shift(tac_twist_load(t + 6 + 6 * k), body[1 + k].position, p);
            double relative[6], out[8] = {0}, found[8], size = 1.0;
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
            for (int row = 0; row < 8; ++row) size = fmax(size, fabs(found[row]));
            for (int row = 0; row < 8; ++row) ENSURE_NEAR(out[row], found[row], 1e-11 * size);
        }
    }
    tac_contacts_destroy(dot);
    close_bench(&b);
    return 0;
}

static int twists_match_the_jvp(void) {
    ENSURE_LAW(twists_of(&manifold_boxes, "", 60));
    ENSURE_LAW(twists_of(&manifold_balls, "", 60));
    ENSURE_LAW(twists_of(&manifold_boxes, "fuse='face'", 40));
    ENSURE_LAW(twists_of(&manifold_cup, "vertices='40' fuse='face'", 10));
    return 0;
}

TEST_MAIN(RUN(rod_through_slab), RUN(rays_never_overshoot), RUN(culling_changes_no_record),
          RUN(smooth_along_paths), RUN(bundles_share_weight), RUN(twists_match_the_jvp),
          RUN(traced_edges_have_exact_derivatives))
