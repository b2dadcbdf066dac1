// Ties of fields: middle planes of plates and boxes, axes of capsules, centres of balls. There
// normals fade over the width of the field's rounding, and sums over records stay smooth.

#include "detect/manifold_proof.h"

#include "math/quat.h"

// a feature of one body passes a tie of the other one's field
typedef struct tie {
    manifoldScene scene;
    double width;                   // of the field's rounding                               [m]
    double place[3], lean, ang_vel; // of the second body, about x and z
} tie;

#define CUBE "type='box' size='.02 .02 .02'"
#define SLAB                                                                                       \
    "<shape name='slab' smooth='.0005'><polyhedron planes='1 0 0 -.1 -1 0 0 -.1 0 1 0 -.1 "        \
    "0 -1 0 -.1 .1 0 1 -.02 -.1 0 -1 -.02'/></shape>"

// a cube that stands on its corner is so high
#define HEIGHT 0.034641016151377546
#define LEAN   0.9553166181245093
#define SPIN   0.7853981633974483

// 2 % of (1/.1^2 + 1/.1^2 + 1/.02^2)^(-1/2)
#define THICK 3.849001794597505e-04

static const tie ties[] = {
    {{"plate and cube", "", {"type='box' size='.1 .1 .002'", CUBE}, 0.0},
     4e-5,
     {0.0, 0.0, HEIGHT},
     LEAN,
     SPIN},
    {{"thick plate and cube", "", {"type='box' size='.1 .1 .02'", CUBE}, 0.0},
     THICK,
     {0.0, 0.0, HEIGHT},
     LEAN,
     SPIN},
    {{"polyhedron and cube", SLAB, {"type='shape' shape='slab'", CUBE}, 0.0},
     5e-4,
     {0.0, 0.0, HEIGHT},
     LEAN,
     SPIN},
    {{"end of a capsule on an axis",
      "",
      {"type='capsule' size='.02 .06'", "type='capsule' size='.03 .05'"},
      0.0},
     4e-4,
     {0.0, -0.01947091711543252, 0.04605304970014426},
     0.4,
     0.0},
    {{"ball on an axis", "", {"type='capsule' size='.02 .06'", "type='sphere' size='.01'"}, 0.0},
     2e-4,
     {0.0, 0.0, 0.01},
     0.0,
     0.0},
    {{"plate and cylinder",
      "",
      {"type='box' size='.1 .1 .02'", "type='cylinder' size='.02 .05'"},
      0.0},
     2e-4,
     {0.0, 0.0, 0.0},
     1.57,
     0.0},
    {{"capsules on one axis",
      "",
      {"type='capsule' size='.02 .06'", "type='capsule' size='.03 .05'"},
      0.0},
     4e-4,
     {0.0, 0.0, 0.05},
     0.0,
     0.0},
};

enum { TIES = sizeof ties / sizeof *ties };

// t along a way aslant through the tie
static void pose_at(const tie* e, double t, double x[14]) {
    const double dir[3] = {0.13, 0.31, 0.94};
    tacQuat q = tac_quat_mul(tac_quat_exp((tacVec3){e->lean, 0.0, 0.0}),
                             tac_quat_exp((tacVec3){0.0, 0.0, e->ang_vel}));
    for (int k = 0; k < 14; ++k) x[k] = 0.0;
    for (int k = 0; k < 3; ++k) x[7 + k] = e->place[k] + t * dir[k];
    x[3] = 1.0;
    x[10] = q.w;
    x[11] = q.x;
    x[12] = q.y;
    x[13] = q.z;
}

typedef struct bench {
    tacModel* model;
    tacScratch* scratch;
    tacContacts* c;
} bench;

static int open_bench(bench* b, const tie* e, const char* detect, const char* options, int twists) {
    b->model = manifold_load_by(&e->scene, detect, options);
    ENSURE(b->model && tac_scratch_create(b->model, &b->scratch) == TAC_OK);
    ENSURE(tac_contacts_create(b->model, 0, twists, &b->c) == TAC_OK);
    return 0;
}

static void close_bench(bench* b) {
    tac_contacts_destroy(b->c);
    tac_scratch_destroy(b->scratch);
    tac_model_destroy(b->model);
}

static int detect_bench(bench* b, const tie* e, double t) {
    double x[14];
    tacPose body[3];
    pose_at(e, t, x);
    manifold_poses(x, body);
    ENSURE(tac_detect(b->model, body, b->c, b->scratch) == TAC_OK);
    return 0;
}

//---------------------------------- values ---------------------------------------

// The corner of a cube above the middle of a plate by z: the field's gradient is u/4 with
// u = 4 tanh(z/width), the normal (35 u - 35 u^3 + 21 u^5 - 5 u^7)/16 up to u = 1, then 1
static int normals_of_a_plate_are_in_closed_form(void) {
    const tie* e = &ties[1];
    bench b;
    int faded = 0, whole = 0;
    ENSURE_LAW(open_bench(&b, e, "manifold", "tau='.001' edges='false' sides='second'", 1));
    for (int i = -40; i <= 40; ++i) {
        double z = 0.94 * 0.01 * i * e->width, u = 4.0 * tanh(z / e->width), u2 = u * u;
        double n = fabs(u) < 1.0 ? u * (35.0 - u2 * (35.0 - u2 * (21.0 - 5.0 * u2))) / 16.0
                                 : copysign(1.0, u);
        ENSURE_LAW(detect_bench(&b, e, z / 0.94));
        int lowest = 0;
        for (int r = 1; r < b.c->count; ++r)
            if (b.c->point[2][r] < b.c->point[2][lowest]) lowest = r;
        ENSURE_NEAR(b.c->point[2][lowest], z, 1e-15);
        ENSURE_NEAR(b.c->normal[2][lowest], n, 1e-11);
        double slope = fabs(u) < 1.0
                           ? 35.0 / 16.0 * pow(1.0 - u2, 3.0) * 4.0 / e->width * (1.0 - u2 / 16.0)
                           : 0.0;
        ENSURE_NEAR(b.c->d_twist[5][2][lowest], slope, 1e-9 / e->width);
        faded += fabs(u) < 1.0;
        whole += fabs(u) >= 1.0;
    }
    ENSURE(faded > 20 && whole > 20);
    close_bench(&b);
    return 0;
}

//---------------------------------- smoothness -----------------------------------

enum { SUMS = 11 };

static void add_up(const tacContacts* c, double out[SUMS]) {
    memset(out, 0, SUMS * sizeof *out);
    for (int i = 0; i < c->count; ++i) {
        double g = c->activity[i], d = c->distance[i], n[3], p[3];
        for (int k = 0; k < 3; ++k) {
            n[k] = c->normal[k][i];
            p[k] = c->point[k][i];
        }
        out[0] += g;
        out[1] += g * d;
        for (int k = 0; k < 3; ++k) {
            int i1 = (k + 1) % 3, i2 = (k + 2) % 3;
            out[2 + k] += g * n[k];
            out[5 + k] += g * d * n[k];
            out[8 + k] += g * (p[i1] * n[i2] - p[i2] * n[i1]);
        }
    }
}

// largest second difference of each sum in steps of width/parts
static int largest_second_difference(bench* b, const tie* e, int parts, double worst[SUMS]) {
    double at[3][SUMS];
    memset(worst, 0, SUMS * sizeof *worst);
    for (int i = -parts / 2; i <= parts / 2; ++i) {
        double* now = at[(i + 3 * parts) % 3];
        ENSURE_LAW(detect_bench(b, e, e->width * i / parts));
        add_up(b->c, now);
        const double *last = at[(i + 3 * parts + 2) % 3], *first = at[(i + 3 * parts + 1) % 3];
        for (int k = 0; k < SUMS && i >= 2 - parts / 2; ++k)
            worst[k] = fmax(worst[k], fabs(now[k] - 2.0 * last[k] + first[k]));
    }
    return 0;
}

// from steps of a 32nd of the width on; what a jump leaves does not shrink
static int tie_is_smooth(const tie* e, const char* detect, const char* options) {
    double coarse[SUMS], fine[SUMS], least = INFINITY;
    bench b;
    ENSURE_LAW(open_bench(&b, e, detect, options, 0));
    ENSURE_LAW(largest_second_difference(&b, e, 32, coarse));
    ENSURE_LAW(largest_second_difference(&b, e, 64, fine));
    for (int k = 0; k < SUMS; ++k)
        if (fine[k] > 1e-11) least = fmin(least, coarse[k] / fine[k]);
    printf("    %s, %s: least ratio %.3g\n", detect, e->scene.name, least);
    ENSURE(least > 3.5);
    close_bench(&b);
    return 0;
}

static int sums_pass_ties_smoothly(void) {
    for (int i = 0; i < TIES; ++i) {
        ENSURE_LAW(tie_is_smooth(&ties[i], "manifold", "tau='.001' vertices='72'"));
        ENSURE_LAW(tie_is_smooth(&ties[i], "edge_sdf", "tau='.001' gate='.002' vertices='72'"));
    }
    return 0;
}

//---------------------------------- derivatives ----------------------------------

static const tie* sampled;

// half of the poses where normals fade
static int sample_tie(const void* context, int i, unsigned long long* state, double* x,
                      double* scale) {
    int outputs = manifold_sample(context, i, state, x, scale);
    testRandom random = {31 + (unsigned long long)i};
    pose_at(sampled, sampled->width * test_uniform(&random, -0.5, 0.5), x);
    for (int k = 0; k < MANIFOLD_POSES; ++k) scale[k] = 0.01 * sampled->width;
    for (int k = 0; k < ((const provenScene*)context)->base.used_count; ++k)
        scale[MANIFOLD_POSES + k] *= 0.1;
    return outputs;
}

static int prove_tie(const tie* e) {
    static int used[MANIFOLD_PARAMS];
    tacModel* model = manifold_load(&e->scene, "tau='.001' vertices='72'");
    ENSURE(model);
    provenScene p = {{.model = model, .used = used}, &e->scene};
    p.base.used_count = manifold_params(model, used);
    p.base.memory = aligned_alloc(64, MANIFOLD_BYTES);
    ENSURE(tac_scratch_create(model, &p.base.scratch) == TAC_OK);
    tacCheckProblem problem = {.name = e->scene.name,
                               .n = MANIFOLD_POSES + p.base.used_count,
                               .m = MANIFOLD_OUT,
                               .context = &p,
                               .as_double = &tac_check_manifold_double,
                               .as_complex = &tac_check_manifold_complex,
                               .as_quad = &tac_check_manifold_quad,
                               .sample = sample_tie};
    tacCheckOptions o = tac_check_default_options();
    o.points = test_amount(1, 4, 100);
    o.quad_every = 10;
    o.taylor_every = 1 << 30;
    o.first = 1e-9;
    o.second = 1e-7;
    sampled = e;
    int bad = prove(&problem, o);
    free(p.base.memory);
    tac_scratch_destroy(p.base.scratch);
    tac_model_destroy(model);
    return bad;
}

static int contacts_at_ties_have_exact_derivatives(void) {
    int bad = 0;
    // edges on one line bend within less than a step of Taylor's series
    for (int i = 0; i < TIES - 1; ++i) bad += prove_tie(&ties[i]);
    prove_summary();
    return bad;
}

int main(int argc, char** argv) {
    const testCase cases[] = {RUN(normals_of_a_plate_are_in_closed_form),
                              RUN(sums_pass_ties_smoothly),
                              RUN(contacts_at_ties_have_exact_derivatives)};
    return test_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases));
}
