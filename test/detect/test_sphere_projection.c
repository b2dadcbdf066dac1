// Balls at fields that are less than the distance: where they touch superquadrics, rims of holes,
// edges and corners, against closed forms; derivatives and smoothness.

#include "detect/manifold_proof.h"

#include "detect/manifold/manifold.h"
#include "math/vec3.h"

#define BALL "type='sphere' size='.05'"

static const manifoldScene round_solid = {
    "ball on a superquadric",
    "<shape name='solid'><superquadric size='.1 .08 .05' eps='.5 .6'/></shape>",
    {"type='shape' shape='solid'", BALL},
    0.13};
static const manifoldScene hole = {"ball at a hole",
                                   "<shape name='plate' smooth='.001'><difference>"
                                   "<box size='.12 .12 .05'/><cylinder size='.07 .08'/>"
                                   "</difference></shape>",
                                   {"type='shape' shape='plate'", BALL},
                                   0.12};
static const manifoldScene block = {"ball at an intersection",
                                    "<shape name='block' smooth='.0005'><intersection>"
                                    "<box size='.2 .1 .1'/><box size='.1 .2 .1'/>"
                                    "</intersection></shape>",
                                    {"type='shape' shape='block'", BALL},
                                    0.2};

// its handle has a twist of 0, by which there are derivatives as well
static const manifoldScene cup = {
    "ball in a cup with a handle",
    "<shape name='cup' smooth='.002'><difference><superquadric size='.04 .04 .05' eps='.1 1'/>"
    "<superquadric size='.034 .034 .05' eps='.1 1' pos='0 0 .008'/></difference>"
    "<sweep points='.036 0 -.02  .08 0 0  .036 0 .02' size='.006 .004 .006' eps='.2 .2'/></shape>",
    {"type='shape' shape='cup'", "type='sphere' size='.015'"},
    0.05};

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

// the ball's record with its centre at a place of the solid; 1 m where there is none
static double distance_at(bench* b, const double c[3], double normal[3]) {
    tacPose body[3] = {tac_pose_identity(), tac_pose_identity(), tac_pose_identity()};
    body[2].position = tac_load3(c);
    if (tac_detect(b->model, body, b->c, b->scratch) != TAC_OK) return NAN;
    for (int r = 0; r < b->c->count; ++r) {
        if (tac_manifold_kind(b->c->feature[r]) != TAC_MANIFOLD_VERTEX_1) continue;
        for (int k = 0; k < 3; ++k) normal[k] = b->c->normal[k][r];
        return b->c->distance[r];
    }
    return 1.0;
}

//---------------------------------- places ---------------------------------------

// a point of the solid's surface near a ray from the middle, and the normal there
static int surface_point(const tacModel* model, const double dir[3], double x[3], double n[3],
                         tacScratch* scratch) {
    double low = 0.0, high = 0.5, value, *g[3] = {&n[0], &n[1], &n[2]};
    for (int i = 0; i < 60; ++i) {
        double t = 0.5 * (low + high);
        for (int k = 0; k < 3; ++k) x[k] = t * dir[k];
        tacPoints at = {1, {&x[0], &x[1], &x[2]}};
        ENSURE(tac_shape_eval(model, model->geom[0].shape, tac_pose_identity(), at,
                              (tacField){&value, {g[0], g[1], g[2]}, {0}}, scratch) == TAC_OK);
        value > 0.0 ? (high = t) : (low = t);
    }
    tacVec3 u = tac_shape_normal((tacVec3){n[0], n[1], n[2]});
    tac_store3(n, u);
    return 0;
}

// a convex solid: a ball with its centre R out along the normal touches there
static int spheres_touch_superquadrics(void) {
    bench b;
    testRandom random = {31};
    double worst = 0.0, mean = 0.0, rotated = 0.0;
    int points = 400;
    ENSURE_LAW(open_bench(&b, &round_solid, "sides='second' vertices='48' tau='.01'"));
    for (int i = 0; i < points; ++i) {
        double dir[3], x[3], n[3], c[3], normal[3] = {0}, length = 0.0;
        for (int k = 0; k < 3; ++k) {
            dir[k] = test_uniform(&random, -1.0, 1.0);
            length += dir[k] * dir[k];
        }
        for (int k = 0; k < 3; ++k) dir[k] /= sqrt(length);
        ENSURE_LAW(surface_point(b.model, dir, x, n, b.scratch));
        for (int k = 0; k < 3; ++k) c[k] = x[k] + 0.05 * n[k];
        double d = distance_at(&b, c, normal), along = tac_dot(tac_load3(normal), tac_load3(n));
        worst = fmax(worst, fabs(d) / 0.05);
        mean += fabs(d) / 0.05 / points;
        rotated = fmax(rotated, acos(fmin(along, 1.0)));
    }
    printf("    off by %.3g of R in the mean, %.3g at worst, normals by %.3g rad\n", mean, worst,
           rotated);
    ENSURE(mean < 2e-3 && worst < 1e-2 && rotated < 0.05);
    close_bench(&b);
    return 0;
}

// over the middle of a hole of 0.07 m the ball of 0.05 m is free, at its rim it touches the rim
static int spheres_fall_into_holes(void) {
    bench b;
    ENSURE_LAW(open_bench(&b, &hole, "sides='second' vertices='48' tau='.002'"));
    for (int i = 0; i < 60; ++i) {
        double c[3] = {0.0, 0.0, 0.12 - 0.004 * i}, normal[3], d = distance_at(&b, c, normal);
        double low = fabs(c[2]) < 0.05 ? 0.07 : hypot(0.07, fabs(c[2]) - 0.05);
        ENSURE(d > low - 0.05 - 0.002);
    }
    double worst = 0.0, leans = 0.0;
    for (int i = 0; i < 40; ++i) {
        double a = 0.3 + 0.02 * i, rotation = 0.7 * i, far = 0.07 - 0.05 * sin(a), normal[3] = {0};
        double c[3] = {far * cos(rotation), far * sin(rotation), 0.05 + 0.05 * cos(a)};
        worst = fmax(worst, fabs(distance_at(&b, c, normal)) / 0.05);
        double lean = atan2(-normal[0] * cos(rotation) - normal[1] * sin(rotation), normal[2]);
        leans = fmax(leans, fabs(lean - a));
    }
    printf("    rims: off by %.3g of R at worst, normals by %.3g rad\n", worst, leans);
    ENSURE(worst < 0.15 && leans < 0.15);
    close_bench(&b);
    return 0;
}

// phi - R is 0.29 R too small off an edge and 0.42 R off a corner
static int spheres_touch_edges_and_vertices(void) {
    bench b;
    double worst = 0.0;
    testRandom random = {8};
    ENSURE_LAW(open_bench(&b, &block, "sides='second' vertices='48' tau='.002'"));
    for (int i = 0; i < 200; ++i) {
        double dir[3], length = 0.0, c[3], normal[3];
        for (int k = 0; k < 3; ++k) {
            dir[k] = k == 2 && i % 2 ? 0.0 : test_uniform(&random, 0.0, 1.0);
            length += dir[k] * dir[k];
        }
        for (int k = 0; k < 3; ++k) c[k] = 0.1 + 0.05 * dir[k] / sqrt(length);
        if (i % 2) c[2] = test_uniform(&random, -0.05, 0.05);
        worst = fmax(worst, fabs(distance_at(&b, c, normal)) / 0.05);
    }
    printf("    off by %.3g of R at worst\n", worst);
    ENSURE(worst < 0.04);
    close_bench(&b);
    return 0;
}

//---------------------------------- derivatives ----------------------------------

static int sphere_contacts_have_exact_derivatives(void) {
    const manifoldScene* scene[] = {&round_solid, &cup, &hole, &block};
    int bad = 0, points = test_amount(1, 10, 100), scenes = test_amount(1, 2, 4);
    for (int i = 0; i < scenes; ++i)
        bad += manifold_prove(scene[i],
                              manifold_load(scene[i], "sides='second' vertices='48' tau='.01'"),
                              points, 1e-7);
    prove_summary();
    return bad;
}

//---------------------------------- smoothness -----------------------------------

// across a hole and its rim: second differences fall with h^2
static int paths_are_smooth(void) {
    bench b;
    double worst[2][2] = {{0}};
    ENSURE_LAW(open_bench(&b, &hole, "sides='second' vertices='48' tau='.004'"));
    for (int fine = 0; fine < 2; ++fine) {
        int steps = fine ? 8000 : 4000;
        double at[3][2];
        for (int i = 0; i <= steps; ++i) {
            double t = (double)i / steps, normal[3] = {0};
            double c[3] = {0.075 - 0.02 * t, 0.004 * t, 0.1 - 0.004 * t};
            at[i % 3][0] = distance_at(&b, c, normal);
            ENSURE(isfinite(at[i % 3][0]));
            if (b.c->count == 0) at[i % 3][0] = 0.0;
            at[i % 3][1] = b.c->count ? b.c->activity[0] : 0.0;
            at[i % 3][0] *= at[i % 3][1];
            for (int k = 0; k < 2 && i >= 2; ++k)
                worst[fine][k] = fmax(worst[fine][k], fabs(at[i % 3][k] - 2.0 * at[(i + 2) % 3][k] +
                                                           at[(i + 1) % 3][k]));
        }
    }
    for (int k = 0; k < 2; ++k) {
        printf("    sum %d: %.3g, halved %.3g\n", k, worst[0][k], worst[1][k]);
        ENSURE(worst[0][k] > 3.5 * worst[1][k]);
    }
    close_bench(&b);
    return 0;
}

int main(int argc, char** argv) {
    const testCase cases[] = {RUN(spheres_touch_superquadrics), RUN(spheres_fall_into_holes),
                              RUN(spheres_touch_edges_and_vertices),
                              RUN(sphere_contacts_have_exact_derivatives), RUN(paths_are_smooth)};
    return test_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases));
}
