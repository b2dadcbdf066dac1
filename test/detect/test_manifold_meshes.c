// The manifold against exact meshes: does it say that two bodies overlap where their meshes do?

#include "detect/manifold_scenes.h"
#include "detect/mesh_distance.h"

typedef struct pairOfMeshes {
    tacModel* model;
    tacScratch* scratch;
    tacContacts* contacts;
    refMesh mesh[2];
    double deviation; // of meshes and fields
} pairOfMeshes;

static const tacFeatures* geom_features(const pairOfMeshes* p, int k) {
    return &p->model->contact->feature[k];
}

//---------------------------------- mesh and field -------------------------------

// of the own geom at a point of its body, with its gradient
static double own_mesh_field(const pairOfMeshes* p, int k, const double x[3], double g[3]) {
    const tacGeom* geom = &p->model->geom[k];
    const double *t = &p->model->param[geom->position], *q = &p->model->param[geom->rotation];
    tacPose pose = {{t[0], t[1], t[2]}, {q[0], q[1], q[2], q[3]}};
    double value = NAN;
    tacPoints point = {1, {&x[0], &x[1], &x[2]}};
    tac_shape_eval(p->model, geom->shape, pose, point,
                   (tacField){.value = &value, .gradient = {&g[0], &g[1], &g[2]}}, p->scratch);
    return value;
}

// largest |field| at corners, middles of sides and middles of the own triangles
static double mesh_off_field(const pairOfMeshes* p, int k) {
    static const double share[7][3] = {{1, 0, 0},
                                       {0, 1, 0},
                                       {0, 0, 1},
                                       {.5, .5, 0},
                                       {0, .5, .5},
                                       {.5, 0, .5},
                                       {1 / 3., 1 / 3., 1 / 3.}};
    const tacFeatures* f = geom_features(p, k);
    double most = 0.0, g[3];
    for (int i = 0; i < f->faces; ++i)
        for (int at = 0; at < 7; ++at) {
            double x[3] = {0.0, 0.0, 0.0};
            for (int j = 0; j < 3; ++j)
                for (int v = 0; v < 3; ++v) x[j] += share[at][v] * f->x[j][f->face[v][i]];
            most = fmax(most, fabs(own_mesh_field(p, k, x, g)));
        }
    return most;
}

// largest distance from the mesh of points that Newton's steps lead to the field's zero level
static double field_off_mesh(pairOfMeshes* p, int k) {
    const tacFeatures* f = geom_features(p, k);
    testRandom random = {8};
    double most = 0.0, low[3], high[3], g[3];
    ref_mesh_transform(&p->mesh[k], f, tac_pose_identity());
    for (int j = 0; j < 3; ++j) {
        low[j] = INFINITY;
        high[j] = -INFINITY;
        for (int i = 0; i < f->vertices; ++i) {
            low[j] = fmin(low[j], f->x[j][i]);
            high[j] = fmax(high[j], f->x[j][i]);
        }
    }
    for (int i = 0; i < 1500; ++i) {
        double x[3], value = INFINITY;
        for (int j = 0; j < 3; ++j) {
            double spare = 0.1 * (high[j] - low[j]);
            x[j] = test_uniform(&random, low[j] - spare, high[j] + spare);
        }
        for (int step = 0; step < 20 && !(fabs(value) < 1e-9); ++step) {
            value = own_mesh_field(p, k, x, g);
            for (int j = 0; j < 3; ++j) x[j] -= value * g[j] / (ref_dot(g, g) + 1e-12);
        }
        if (fabs(value) < 1e-6) most = fmax(most, ref_to_mesh(&p->mesh[k], x));
    }
    return most;
}

// the first geoms of two have meshes
static int open_pair(pairOfMeshes* p, tacModel* model, int meshes) {
    *p = (pairOfMeshes){.model = model};
    ENSURE(model && tac_scratch_create(model, &p->scratch) == TAC_OK);
    ENSURE(tac_contacts_create(model, 0, 0, &p->contacts) == TAC_OK);
    for (int k = 0; k < meshes; ++k) {
        p->mesh[k] = ref_mesh_create(geom_features(p, k));
        p->deviation = fmax(p->deviation, fmax(mesh_off_field(p, k), field_off_mesh(p, k)));
    }
    return 0;
}

static void close_pair(pairOfMeshes* p) {
    for (int k = 0; k < 2; ++k) ref_mesh_destroy(&p->mesh[k]);
    tac_contacts_destroy(p->contacts);
    tac_scratch_destroy(p->scratch);
    tac_model_destroy(p->model);
}

//---------------------------------- signs ----------------------------------------

// the deepest record that is active, INFINITY: none
static double deepest_record(const tacContacts* c) {
    double least = INFINITY;
    for (int i = 0; i < c->count; ++i)
        if (c->activity[i] > 0.2) least = fmin(least, c->distance[i]);
    return least;
}

typedef struct tally {
    int poses, overlap, clear, wrong, wrong_clear;
} tally;

static double meshes_separated(pairOfMeshes* p, const tacPose body[3]) {
    for (int k = 0; k < 2; ++k) ref_mesh_transform(&p->mesh[k], geom_features(p, k), body[1 + k]);
    return ref_distance(&p->mesh[0], &p->mesh[1], 1.01 * p->deviation);
}

static int compare_distances(pairOfMeshes* p, const tacPose body[3], double exact, tally* t) {
    ENSURE(tac_detect(p->model, body, p->contacts, p->scratch) == TAC_OK);
    double found = deepest_record(p->contacts);
    int clear = fabs(exact) > p->deviation, wrong = (found < 0.0) != (exact < 0.0);
    if (wrong && clear) printf("    pose %d: meshes %.4g, manifold %.4g\n", t->poses, exact, found);
    ++t->poses;
    t->overlap += exact < 0.0;
    t->clear += clear;
    t->wrong += wrong;
    t->wrong_clear += wrong && clear;
    return 0;
}

static int print_errors(const char* name, const pairOfMeshes* p, const tally* t) {
    printf("    %s: mesh and field up to %.2g m apart; %d poses, %d overlap, %d by more than that; "
           "sign wrong at %d, of those %d\n",
           name, p->deviation, t->poses, t->overlap, t->clear, t->wrong, t->wrong_clear);
    ENSURE(t->wrong_clear == 0);
    ENSURE(t->wrong <= 0.02 * t->poses);
    ENSURE(t->overlap > 0.1 * t->poses && t->overlap < 0.97 * t->poses);
    return 0;
}

static int poses_of(int few, int many) {
    const char* trials = getenv("TACTUS_SWEEP");
    return trials && !strcmp(trials, "long") ? many : getenv("TACTUS_NO_SWEEP") ? few / 4 : few;
}

// a turn at random, and a place about the middle of the first figure
static void pose_figures(testRandom* random, tacPose body[3]) {
    double q[4], dir[3], norm = 0.0, length = 0.0, far = test_uniform(random, 0.15, 1.1);
    for (int k = 0; k < 4; ++k) {
        q[k] = test_uniform(random, -1.0, 1.0);
        norm += q[k] * q[k];
    }
    for (int k = 0; k < 4; ++k) q[k] /= sqrt(norm);
    for (int k = 0; k < 3; ++k) {
        dir[k] = test_uniform(random, -1.0, 1.0);
        length += dir[k] * dir[k];
    }
    for (int k = 0; k < 3; ++k) dir[k] *= far / sqrt(length);
    double up[3] = {2.0 * (q[1] * q[3] + q[0] * q[2]), 2.0 * (q[2] * q[3] - q[0] * q[1]),
                    1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])};
    body[0] = body[1] = tac_pose_identity();
    body[2] = (tacPose){{dir[0] - 0.5 * up[0], dir[1] - 0.5 * up[1], 0.5 + dir[2] - 0.5 * up[2]},
                        {q[0], q[1], q[2], q[3]}};
}

static int figures_match_mesh_distances(void) {
    pairOfMeshes p;
    tacModel* model = NULL;
    tacMessage message;
    testRandom random = {11};
    tally t = {0};
    tac_load(TAC_SOURCE_DIR "/scenes/figure_pair.xml", NULL, &model, &message);
    ENSURE_LAW(open_pair(&p, model, 2));
    for (int i = poses_of(80, 1000); i > 0; --i) {
        tacPose body[3];
        pose_figures(&random, body);
        ENSURE_LAW(compare_distances(&p, body, meshes_separated(&p, body), &t));
    }
    ENSURE_LAW(print_errors("figures", &p, &t));
    close_pair(&p);
    return 0;
}

// without an end to the depth of edges: bars that pass through each other have no vertex inside
static int boxes_match_mesh_distances(void) {
    pairOfMeshes p;
    testRandom random = {12};
    tally t = {0};
    manifoldScene scene = manifold_boxes;
    scene.spacing = 0.26;
    ENSURE_LAW(open_pair(&p, manifold_load(&scene, "depth='.4'"), 2));
    for (int i = poses_of(1000, 4000); i > 0; --i) {
        double x[14];
        tacPose body[3];
        manifold_random_poses(&scene, &random, x);
        manifold_poses(x, body);
        ENSURE_LAW(compare_distances(&p, body, meshes_separated(&p, body), &t));
    }
    ENSURE_LAW(print_errors("boxes", &p, &t));
    close_pair(&p);
    return 0;
}

// a ball about a cup, within its hollow as well, against the cup's mesh
static int cup_matches_mesh_distances(void) {
    pairOfMeshes p;
    testRandom random = {13};
    tally t = {0};
    manifoldScene scene = manifold_cup;
    scene.spacing = 0.1;
    ENSURE_LAW(open_pair(&p, manifold_load(&scene, "vertices='1000'"), 1));
    double radius =
        p.model->param[p.model->node[p.model->shape[p.model->geom[1].shape].first].size];
    for (int i = poses_of(400, 1000); i > 0; --i) {
        double x[14];
        tacPose body[3];
        manifold_random_poses(&scene, &random, x);
        manifold_poses(x, body);
        ref_mesh_transform(&p.mesh[0], geom_features(&p, 0), body[1]);
        double at[3] = {body[2].position.x, body[2].position.y, body[2].position.z};
        double off = ref_to_mesh(&p.mesh[0], at);
        ENSURE_LAW(compare_distances(
            &p, body, (ref_winding(&p.mesh[0], at) > 0.5 ? -off : off) - radius, &t));
    }
    ENSURE_LAW(print_errors("cup and ball", &p, &t));
    close_pair(&p);
    return 0;
}

TEST_MAIN(RUN(figures_match_mesh_distances), RUN(boxes_match_mesh_distances),
          RUN(cup_matches_mesh_distances))
