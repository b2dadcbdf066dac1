// Rims of cylinders: the deepest point in closed form, rolling that changes nothing, derivatives
// and smoothness between standing and lying.

#include "detect/manifold_proof.h"

#include "detect/manifold/manifold.h"
#include "math/quat.h"
#include "math/vec3.h"

static const manifoldScene on_box = {
    "cylinder on a box",
    "",
    {"type='box' size='.2 .2 .05'", "type='cylinder' size='.06 .1' pos='.01 0 .02'"},
    0.2};

// it lies on the edges of a gap, where corners are deeper than the rim's point
static const manifoldScene over_gap = {
    "cylinder over a gap",
    "<shape name='gap' smooth='.001'><union><box size='.05 .2 .05' pos='.08 0 0'/>"
    "<box size='.05 .2 .05' pos='-.08 0 0'/></union></shape>",
    {"type='shape' shape='gap'", "type='cylinder' size='.06 .1' pos='.01 0 .02'"},
    0.2};

// a cylinder over a box, leaning by an angle, at a height of its lowest point
static void upright_pose_about(testRandom* random, double angle, double lean, double height,
                               double x[14]) {
    double roll = test_uniform(random, -3.0, 3.0);
    tacQuat q = tac_quat_exp((tacVec3){lean * cos(angle), lean * sin(angle), 0.0});
    q = tac_quat_mul(q, tac_quat_exp((tacVec3){0.0, 0.0, roll}));
    tacVec3 middle = tac_quat_rotate(q, (tacVec3){0.01, 0.0, 0.02});
    double low = 0.06 * fabs(sin(lean)) + 0.1 * fabs(cos(lean));
    for (int i = 0; i < 14; ++i) x[i] = 0.0;
    x[3] = 1.0;
    for (int k = 0; k < 2; ++k) x[7 + k] = test_uniform(random, -0.05, 0.05);
    x[9] = 0.05 + height + low - middle.z;
    x[10] = q.w;
    x[11] = q.x;
    x[12] = q.y;
    x[13] = q.z;
}

static void upright_pose(testRandom* random, double lean, double height, double x[14]) {
    upright_pose_about(random, test_uniform(random, -3.0, 3.0), lean, height, x);
}

typedef struct table {
    tacModel* model;
    tacScratch* scratch;
    tacContacts* c;
} table;

static int open_table(table* t, const char* options) {
    t->model = manifold_load(&on_box, options);
    ENSURE(t->model && tac_scratch_create(t->model, &t->scratch) == TAC_OK);
    ENSURE(tac_contacts_create(t->model, 0, 0, &t->c) == TAC_OK);
    return 0;
}

static void close_table(table* t) {
    tac_contacts_destroy(t->c);
    tac_scratch_destroy(t->scratch);
    tac_model_destroy(t->model);
}

static int detect_table(table* t, const double x[14]) {
    tacPose body[3];
    manifold_poses(x, body);
    ENSURE(tac_detect(t->model, body, t->c, t->scratch) == TAC_OK);
    return 0;
}

//---------------------------------- values ---------------------------------------

static int is_rim(const table* t, int record) {
    uint64_t feature = t->c->feature[record];
    return tac_manifold_kind(feature) == TAC_MANIFOLD_VERTEX_1 &&
           tac_manifold_first(feature) >= t->model->contact->feature[1].vertices;
}

// one rim touches: its record is the lowest point of the circle, and corners have no say
static int rim_contact_is_the_deepest_circle_point(void) {
    table t;
    testRandom random = {3};
    int seen = 0;
    ENSURE_LAW(open_table(&t, "edges='false'"));
    for (int i = 0; i < 200; ++i) {
        double x[14], lean = test_uniform(&random, 0.12, 1.2), rest = 0.0;
        double height = test_uniform(&random, -0.002, 0.002);
        upright_pose(&random, lean, height, x);
        ENSURE_LAW(detect_table(&t, x));
        for (int r = 0; r < t.c->count; ++r) {
            if (!is_rim(&t, r)) {
                rest += t.c->activity[r];
                continue;
            }
            if (t.c->distance[r] > 0.004) continue;
            ++seen;
            ENSURE_NEAR(t.c->distance[r], height, 1e-6);
            ENSURE_NEAR(t.c->normal[2][r], 1.0, 1e-9);
        }
        ENSURE(rest < 0.01); // those on the far half, in the air
    }
    ENSURE(seen == 200);
    close_table(&t);
    return 0;
}

// a standing cylinder is carried by its corners, a lying one by two rims, however it is rolled
static int rolling_changes_nothing(void) {
    table t;
    testRandom random = {4};
    double first[3] = {0};
    ENSURE_LAW(open_table(&t, "edges='false' sides='second'"));
    for (int i = 0; i < 100; ++i) {
        double x[14], sum[3] = {0};
        upright_pose(&random, 1.5707963267948966, -0.001, x);
        ENSURE_LAW(detect_table(&t, x));
        for (int r = 0; r < t.c->count; ++r) {
            sum[0] += t.c->activity[r];
            sum[1] += t.c->activity[r] * t.c->distance[r];
            sum[2] += t.c->activity[r] * t.c->normal[2][r];
            if (t.c->activity[r] > 1e-9) ENSURE(is_rim(&t, r));
        }
        for (int k = 0; k < 3; ++k) {
            if (i == 0) first[k] = sum[k];
            ENSURE_NEAR(sum[k], first[k], 1e-12);
        }
        upright_pose(&random, 0.0, -0.001, x);
        ENSURE_LAW(detect_table(&t, x));
        for (int r = 0; r < t.c->count; ++r)
            if (is_rim(&t, r)) ENSURE(t.c->activity[r] < 1e-9);
        double cap = 0.0;
        for (int r = 0; r < t.c->count; ++r) cap += t.c->activity[r];
        ENSURE(t.c->count > 20 && cap > 2.0 && cap < 3.0);
    }
    ENSURE(first[0] > 1.0);
    close_table(&t);
    return 0;
}

//---------------------------------- derivatives ----------------------------------

static int sample_leaning(const void* context, int i, unsigned long long* state, double* x,
                          double* scale) {
    int outputs = manifold_sample(context, i, state, x, scale);
    testRandom random = {77 + (unsigned long long)i};
    upright_pose(&random, test_uniform(&random, 0.0, i % 3 ? 0.12 : 1.5), -0.002, x);
    return outputs;
}

static int sample_lying(const void* context, int i, unsigned long long* state, double* x,
                        double* scale) {
    int outputs = manifold_sample(context, i, state, x, scale);
    testRandom random = {177 + (unsigned long long)i};
    double angle = test_uniform(&random, -0.1, 0.1), lean = test_uniform(&random, 1.55, 1.59);
    upright_pose_about(&random, angle, lean, test_uniform(&random, -0.011, -0.008), x);
    x[7] = test_uniform(&random, -0.002, 0.002) - 0.01 * (x[10] * x[10] - 0.5);
    return outputs;
}

typedef int (*sampler)(const void* context, int i, unsigned long long* state, double* x,
                       double* scale);

static int prove_rims(const manifoldScene* scene, sampler sample) {
    static int used[MANIFOLD_PARAMS];
    tacModel* model = manifold_load(scene, "vertices='72'");
    ENSURE(model);
    provenScene p = {{.model = model, .used = used}, scene};
    p.base.used_count = manifold_params(model, used);
    p.base.memory = aligned_alloc(64, MANIFOLD_BYTES);
    ENSURE(tac_scratch_create(model, &p.base.scratch) == TAC_OK);
    tacCheckProblem problem = {.name = scene->name,
                               .n = MANIFOLD_POSES + p.base.used_count,
                               .m = MANIFOLD_OUT,
                               .context = &p,
                               .as_double = &tac_check_manifold_double,
                               .as_complex = &tac_check_manifold_complex,
                               .as_quad = &tac_check_manifold_quad,
                               .sample = sample};
    tacCheckOptions o = tac_check_default_options();
    o.points = test_amount(3, 40, 400);
    o.quad_every = 20;
    o.taylor_every = 20;
    o.first = 1e-9;
    o.second = 1e-7;
    int bad = prove(&problem, o);
    free(p.base.memory);
    tac_scratch_destroy(p.base.scratch);
    tac_model_destroy(model);
    return bad;
}

static int rim_contacts_have_exact_derivatives(void) {
    int bad = prove_rims(&on_box, sample_leaning) + prove_rims(&over_gap, sample_lying);
    prove_summary();
    return bad;
}

//---------------------------------- smoothness -----------------------------------

enum { SUMS = 5 };

static int sums_at(table* t, double lean, double sum[SUMS]) {
    double x[14];
    testRandom random = {9};
    upright_pose(&random, lean, -0.0005, x);
    ENSURE_LAW(detect_table(t, x));
    memset(sum, 0, SUMS * sizeof *sum);
    for (int r = 0; r < t->c->count; ++r) {
        sum[0] += t->c->activity[r];
        sum[1] += t->c->activity[r] * t->c->distance[r];
        for (int k = 0; k < 3; ++k) sum[2 + k] += t->c->activity[r] * t->c->point[k][r];
    }
    return 0;
}

// from standing to leaning and back on the other side: second differences fall with h^2
static int leaning_over_is_smooth(void) {
    table t;
    double worst[2][SUMS] = {{0}};
    ENSURE_LAW(open_table(&t, "edges='false' tau='.002'"));
    for (int fine = 0; fine < 2; ++fine) {
        double at[3][SUMS];
        int steps = fine ? 4000 : 2000;
        for (int i = 0; i <= steps; ++i) {
            // the height of the lowest point has a kink where the lowest side changes
            ENSURE_LAW(sums_at(&t, 0.001 + 0.2 * i / steps, at[i % 3]));
            for (int k = 0; k < SUMS && i >= 2; ++k)
                worst[fine][k] = fmax(worst[fine][k], fabs(at[i % 3][k] - 2.0 * at[(i + 2) % 3][k] +
                                                           at[(i + 1) % 3][k]));
        }
    }
    for (int k = 0; k < SUMS; ++k) {
        printf("    sum %d: %.3g, halved %.3g\n", k, worst[0][k], worst[1][k]);
        ENSURE(worst[0][k] > 3.5 * worst[1][k]);
    }
    close_table(&t);
    return 0;
}

int main(int argc, char** argv) {
    const testCase cases[] = {
        RUN(rim_contact_is_the_deepest_circle_point), RUN(rolling_changes_nothing),
        RUN(rim_contacts_have_exact_derivatives), RUN(leaning_over_is_smooth)};
    return test_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases));
}
