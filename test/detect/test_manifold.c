// The contact manifold: smooth along paths, right in the limit, derivatives of two figures, what
// bodies rest on, and what is refused.

#include "check/prove.h"
#include "detect/adapter_manifold.h"
#include "detect/manifold_scenes.h"

#include "detect/convex/simplex_vertex.h"
#include "detect/manifold/manifold.h"

//---------------------------------- a scene at hand ------------------------------

typedef struct bench {
    tacModel* model;
    tacScratch* scratch;
    tacContacts* contacts;
} bench;

static int open_model(bench* b, tacModel* model, int capacity) {
    b->model = model;
    ENSURE(model && tac_scratch_create(model, &b->scratch) == TAC_OK);
    ENSURE(tac_contacts_create(model, capacity, 0, &b->contacts) == TAC_OK);
    return 0;
}

static void close_bench(bench* b) {
    tac_contacts_destroy(b->contacts);
    tac_scratch_destroy(b->scratch);
    tac_model_destroy(b->model);
}

static tacModel* load_figures(void) {
    tacMessage message;
    tacModel* model = NULL;
    if (tac_load(TAC_SOURCE_DIR "/scenes/figure_pair.xml", NULL, &model, &message) != TAC_OK)
        printf("  %s\n", message.text);
    return model;
}

static const manifoldScene figures = {"figures", "", {"", ""}, 0.8};

// a pose of the second figure about the middle of the first
static void pose_figures(testRandom* random, double distance, double x[14]) {
    manifoldScene scene = figures;
    scene.spacing = distance;
    manifold_random_poses(&scene, random, x);
    for (int k = 0; k < 14; ++k) x[k] = k < 7 ? (k == 3) : x[k];
    double dir[3], length = 0.0, far = distance * test_uniform(random, 0.4, 1.1);
    const double *q = x + 10,
                 up[3] = {2.0 * (q[1] * q[3] + q[0] * q[2]), 2.0 * (q[2] * q[3] - q[0] * q[1]),
                          1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])};
    for (int k = 0; k < 3; ++k) {
        dir[k] = test_uniform(random, -1.0, 1.0);
        length += dir[k] * dir[k];
    }
    for (int k = 0; k < 3; ++k)
        x[7 + k] = (k == 2 ? 0.5 : 0.0) - 0.5 * up[k] + far * dir[k] / sqrt(length);
}

//---------------------------------- culling --------------------------------------

static int same_records(const tacContacts* a, const tacContacts* b) {
    ENSURE(a->count == b->count);
    for (int i = 0; i < a->count; ++i) {
        ENSURE(a->feature[i] == b->feature[i]);
        ENSURE_NEAR(a->distance[i], b->distance[i], 1e-12);
        ENSURE_NEAR(a->activity[i], b->activity[i], 1e-12);
        for (int k = 0; k < 3; ++k) ENSURE_NEAR(a->point[k][i], b->point[k][i], 1e-12);
        for (int k = 0; k < 3; ++k) ENSURE_NEAR(a->normal[k][i], b->normal[k][i], 1e-12);
    }
    return 0;
}

// unions and many edges, as if every feature were looked at
static int culling_changes_no_record(void) {
    bench all, few;
    testRandom random = {5};
    int records = 0, poses = test_amount(6, 20, 1000);
    ENSURE_LAW(open_model(&few, load_figures(), 0));
    ENSURE_LAW(open_model(&all, load_figures(), 0));
    ((tacContactPlan*)all.model->contact)->choice[TAC_CHOICE_UNCULLED] = 1;
    for (int i = 0; i < poses; ++i) {
        double x[14];
        tacPose body[3];
        pose_figures(&random, i % 2 ? 0.5 : 1.0, x);
        manifold_poses(x, body);
        ENSURE(tac_detect(few.model, body, few.contacts, few.scratch) == TAC_OK);
        ENSURE(tac_detect(all.model, body, all.contacts, all.scratch) == TAC_OK);
        ENSURE_LAW(same_records(few.contacts, all.contacts));
        records += few.contacts->count;
    }
    printf("    figures: %d poses, %d records\n", poses, records);
    ENSURE(records > 20 * poses);
    close_bench(&all);
    close_bench(&few);
    return 0;
}

//---------------------------------- smoothness -----------------------------------

enum { SUMS = 11 };

// sums of gamma, gamma d, gamma n, gamma d n, gamma p x n
static int sums_at(bench* b, const double x[14], double out[SUMS]) {
    tacPose body[3];
    manifold_poses(x, body);
    ENSURE(tac_detect(b->model, body, b->contacts, b->scratch) == TAC_OK);
    const tacContacts* c = b->contacts;
    memset(out, 0, SUMS * sizeof *out);
    for (int i = 0; i < c->count; ++i) {
        double g = c->activity[i], d = c->distance[i], n[3], p[3];
        for (int k = 0; k < 3; ++k) {
            n[k] = c->normal[k][i];
            p[k] = c->point[k][i] - x[k];
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
    return 0;
}

// the second body moves on a line and turns
typedef struct path {
    double start[14], move[3], rot[3];
} path;

static void path_at(const path* p, double t, double x[14]) {
    memcpy(x, p->start, 14 * sizeof *x);
    tacQuat q = {x[10], x[11], x[12], x[13]};
    q = tac_quat_mul(tac_quat_exp((tacVec3){t * p->rot[0], t * p->rot[1], t * p->rot[2]}), q);
    for (int k = 0; k < 3; ++k) x[7 + k] += t * p->move[k];
    x[10] = q.w;
    x[11] = q.x;
    x[12] = q.y;
    x[13] = q.z;
}

// any way, in and out of contact, sliding past, rolling, boxes that turn through parallel edges
typedef enum pathKind { ANY_WAY, IN_AND_OUT, SLIDE, ROLL, PARALLEL, PATH_KINDS } pathKind;

static void draw_direction(testRandom* random, double length, double out[3]) {
    double norm = 0.0;
    for (int k = 0; k < 3; ++k) {
        out[k] = test_uniform(random, -1.0, 1.0);
        norm += out[k] * out[k];
    }
    for (int k = 0; k < 3; ++k) out[k] *= length / sqrt(norm);
}

// what is left of v across w
static void perpendicular_part(const double w[3], double v[3]) {
    double along = tac_dot3(v, w) / tac_dot3(w, w);
    for (int k = 0; k < 3; ++k) v[k] -= along * w[k];
}

// the second body stands as the first does, a side turned to it, and turns by `angle` either way
static void stand_parallel(const manifoldScene* scene, testRandom* random, path* p, double angle) {
    double axis[3] = {0}, far = scene->spacing * test_uniform(random, 0.55, 0.8);
    axis[test_bits(random) % 3] = 1.0;
    tacQuat q = {p->start[3], p->start[4], p->start[5], p->start[6]};
    tacVec3 up = tac_quat_rotate(q, tac_load3(axis));
    const double w[3] = {up.x, up.y, up.z};
    tacQuat back = tac_quat_exp((tacVec3){-angle * w[0], -angle * w[1], -angle * w[2]});
    q = tac_quat_mul(back, q);
    p->start[10] = q.w;
    p->start[11] = q.x;
    p->start[12] = q.y;
    p->start[13] = q.z;
    for (int k = 0; k < 3; ++k) {
        p->start[7 + k] = p->start[k] + far * w[k] - 0.5 * p->move[k];
        p->rot[k] = 2.0 * angle * w[k];
    }
}

// the motion of the farthest point is about `length`
static path draw_path(const manifoldScene* scene, testRandom* random, pathKind kind,
                      double length) {
    path p;
    double separated[3];
    scene == &figures ? pose_figures(random, 0.7, p.start)
                      : manifold_random_poses(scene, random, p.start);
    tac_sub3(&p.start[7], p.start, separated);
    draw_direction(random, 0.6 * length, p.move);
    draw_direction(random, 0.4 * length / scene->spacing, p.rot);
    if (kind == IN_AND_OUT)
        for (int k = 0; k < 3; ++k)
            p.move[k] = length * separated[k] / sqrt(tac_dot3(separated, separated));
    if (kind == SLIDE) {
        perpendicular_part(separated, p.move);
        memset(p.rot, 0, sizeof p.rot);
    }
    if (kind == ROLL) {
        perpendicular_part(separated, p.rot);
        tac_cross3(p.rot, separated, p.move);
        for (int k = 0; k < 3; ++k) p.move[k] *= 0.5;
    }
    if (kind == PARALLEL && scene == &manifold_boxes)
        stand_parallel(scene, random, &p, 0.2 * length / scene->spacing);
    return p;
}

// largest second difference of each sum over the path in `steps` steps, and the deepest record
static int largest_second_difference(bench* b, const path* p, int steps, double worst[SUMS],
                                     double* deepest) {
    double at[3][SUMS], x[14];
    memset(worst, 0, SUMS * sizeof *worst);
    *deepest = 0.0;
    for (int i = 0; i <= steps; ++i) {
        path_at(p, (double)i / steps, x);
        ENSURE_LAW(sums_at(b, x, at[i % 3]));
        for (int k = 0; k < b->contacts->count; ++k)
            *deepest = fmax(*deepest, -b->contacts->distance[k]);
        for (int k = 0; k < SUMS && i >= 2; ++k)
            worst[k] =
                fmax(worst[k], fabs(at[i % 3][k] - 2.0 * at[(i + 2) % 3][k] + at[(i + 1) % 3][k]));
    }
    return 0;
}

// Normals of superquadrics have two continuous derivatives where |x|^(2/eps) has three: eps of 1/2
// and 1 in place of those between. The mesh stays as it is.
static tacModel* load_smooth_figures(void) {
    tacModel* model = load_figures();
    for (int i = 0; model && i < model->nparam; ++i) {
        char name[200];
        tac_param_name(model, i, name, sizeof name);
        if (strstr(name, "/eps")) model->param[i] = model->param[i] < 0.75 ? 0.5 : 1.0;
    }
    return model;
}

// Steps of tau/16, halved twice: what a jump leaves does not shrink, what a kink leaves shrinks
// with h, and a sum with two continuous derivatives with h^2. Below 1e-11 is rounding.
// Paths deeper than `most` are drawn again: a ball's centre inside a wall passes the middle of it,
// where the field has no normal.
static int smooth_paths(const manifoldScene* scene, tacModel* model, int sums, int paths,
                        double length, double most) {
    bench b;
    testRandom random = {23};
    ENSURE_LAW(open_model(&b, model, 0));
    tacParam tau;
    ENSURE(tac_param_find(model, "detect/tau", &tau) == TAC_OK);
    int steps = (int)ceil(16.0 * length / model->param[tau.offset]), curved = 0, deep = 0;
    double least = INFINITY;
    for (int i = 0; i - deep < paths; ++i) {
        double coarse[SUMS], middle[SUMS], fine[SUMS], deepest;
        path p = draw_path(scene, &random, (pathKind)(i % PATH_KINDS), length);
        ENSURE_LAW(largest_second_difference(&b, &p, steps, coarse, &deepest));
        if (deepest > most) {
            ++deep;
            continue;
        }
        ENSURE_LAW(largest_second_difference(&b, &p, 2 * steps, middle, &deepest));
        ENSURE_LAW(largest_second_difference(&b, &p, 4 * steps, fine, &deepest));
        for (int k = 0; k < sums; ++k) {
            if (fine[k] < 1e-11) continue;
            double ratio = middle[k] / fine[k];
            ++curved;
            least = fmin(least, ratio);
            if (!(ratio > 3.5))
                printf("    %s, path %d, sum %d: %g, %g, %g\n", scene->name, i, k, coarse[k],
                       middle[k], fine[k]);
        }
    }
    printf("    %s: %d paths of %d steps, %d sums that bend, least ratio %.3g\n", scene->name,
           paths, steps, curved, least);
    ENSURE(least > 3.5);
    close_bench(&b);
    return 0;
}

static int is_long(void) {
    return getenv("TACTUS_SWEEP") && !strcmp(getenv("TACTUS_SWEEP"), "long");
}

// figures as they are: sums without normals
static int contact_sums_are_smooth(void) {
    int n = is_long() ? 50 : getenv("TACTUS_NO_SWEEP") ? 1 : 5;
    ENSURE_LAW(
        smooth_paths(&manifold_boxes, manifold_load(&manifold_boxes, ""), SUMS, n, 0.03, 1.0));
    ENSURE_LAW(
        smooth_paths(&manifold_balls, manifold_load(&manifold_balls, ""), SUMS, n, 0.03, 0.05));
    ENSURE_LAW(smooth_paths(&manifold_cup, manifold_load(&manifold_cup, "vertices='120'"), SUMS, n,
                            0.02, 0.025));
    ENSURE_LAW(smooth_paths(&figures, load_smooth_figures(), SUMS, n, 0.02, 1.0));
    ENSURE_LAW(smooth_paths(&figures, load_figures(), 2, n, 0.02, 1.0));
    return 0;
}

//---------------------------------- derivatives ----------------------------------

static int sample_figures(const void* context, int i, unsigned long long* state, double* x,
                          double* scale) {
    const manifoldContext* c = context;
    testRandom random = {*state + 1 + (unsigned long long)i};
    pose_figures(&random, i % 2 ? 0.5 : 1.0, x);
    *state = test_bits(&random);
    for (int k = 0; k < MANIFOLD_POSES; ++k) scale[k] = k % 7 < 3 ? 1e-4 : 1e-4;
    for (int k = 0; k < c->used_count; ++k) {
        double value = c->model->param[c->used[k]];
        x[MANIFOLD_POSES + k] = value;
        scale[MANIFOLD_POSES + k] = 1e-3 * fabs(value) + 1e-5;
    }
    return MANIFOLD_OUT;
}

static int derivatives_of_figures(void) {
    static int used[MANIFOLD_PARAMS];
    tacModel* model = load_figures();
    ENSURE(model);
    manifoldContext c = {.model = model, .used = used};
    for (int i = 0; i < model->nparam; ++i) {
        char name[200];
        tac_param_name(model, i, name, sizeof name);
        tacParam one = {.offset = i, .count = 1};
        int is_place =
            !strncmp(name, "geom:", 5) && (strstr(name, "/pos") || strstr(name, "/quat"));
        if ((is_place || !strncmp(name, "detect/", 7) || !strncmp(name, "shape:figure/", 13)) &&
            tac_param_live(model, one, NULL) == TAC_OK)
            used[c.used_count++] = i;
    }
    c.memory = aligned_alloc(64, MANIFOLD_BYTES);
    ENSURE(tac_scratch_create(model, &c.scratch) == TAC_OK);
    tacCheckProblem problem = {.name = "figures",
                               .n = MANIFOLD_POSES + c.used_count,
                               .m = MANIFOLD_OUT,
                               .context = &c,
                               .as_double = &tac_check_manifold_double,
                               .as_complex = &tac_check_manifold_complex,
                               .sample = sample_figures};
    tacCheckOptions o = tac_check_default_options();
    o.points = is_long() ? 1000 : 12;
    o.taylor_every = 1 << 30;
    o.first = 1e-9;
    o.second = 1e-6;
    int bad = prove(&problem, o);
    prove_summary();
    free(c.memory);
    tac_scratch_destroy(c.scratch);
    tac_model_destroy(model);
    return bad;
}

//---------------------------------- limits ---------------------------------------

// cold vertices are active exactly where they lie in the other box, at their depth
static int cold_vertices_are_hard(void) {
    bench b;
    testRandom random = {3};
    const double half[3] = {0.1, 0.08, 0.06};
    int inside = 0;
    ENSURE_LAW(open_model(
        &b, manifold_load(&manifold_boxes, "tau='1e-6' support='1e-4' edges='false'"), 0));
    for (int i = 0; i < 1000; ++i) {
        double x[14];
        tacPose body[3];
        manifold_random_poses(&manifold_boxes, &random, x);
        manifold_poses(x, body);
        ENSURE(tac_detect(b.model, body, b.contacts, b.scratch) == TAC_OK);
        const tacContacts* c = b.contacts;
        for (int owner = 0; owner < 2; ++owner) {
            const tacFeatures* f = &b.model->contact->feature[owner];
            for (int v = 0; v < 8; ++v) {
                tacVec3 p =
                    tac_pose_apply(body[1 + owner], (tacVec3){f->x[0][v], f->x[1][v], f->x[2][v]});
                p = tac_pose_apply_inverse(body[2 - owner], p);
                double q[3] = {p.x, p.y, p.z}, depth = -INFINITY;
                for (int k = 0; k < 3; ++k) depth = fmax(depth, fabs(q[k]) - half[k]);
                double found = 0.0, distance = NAN;
                for (int r = 0; r < c->count; ++r)
                    if (c->feature[r] == tac_manifold_feature((tacManifoldKind)owner, v, 0)) {
                        found = c->activity[r];
                        distance = c->distance[r];
                    }
                if (fabs(depth) < 2.5e-3) continue; // edges of the field are rounded
                ENSURE(depth < 0.0 ? found > 0.999 : found == 0.0);
                if (depth < 0.0) ENSURE_NEAR(distance, depth, 1.2e-3);
                inside += depth < 0.0;
            }
        }
    }
    printf("    %d vertices inside\n", inside);
    ENSURE(inside > 300);
    close_bench(&b);
    return 0;
}

// two boxes that cross at an edge each: one pair of edges is active, with the exact distance of the
// two lines and their normal
static int crossed_edges_touch(void) {
    const manifoldScene cubes = {
        "cubes", "", {"type='box' size='1 1 1'", "type='box' size='1 1 1'"}, 1.0};
    bench b;
    const double c = cos(0.3926990816987241), s = sin(0.3926990816987241), up = sqrt(2.0);
    ENSURE_LAW(open_model(&b, manifold_load(&cubes, "tau='.01' support='.4' depth='.4'"), 0));
    for (int i = 0; i < 10; ++i) {
        double depth = 0.02 + 0.01 * i;
        // edges up (along x) and down (along y)
        tacPose body[3] = {tac_pose_identity(),
                           {{0, 0, 0}, {c, s, 0, 0}},
                           {{0.1, 0.2, 2.0 * up - depth}, {c, 0, s, 0}}};
        ENSURE(tac_detect(b.model, body, b.contacts, b.scratch) == TAC_OK);
        const tacContacts* r = b.contacts;
        int best[2] = {-1, -1};
        double sum = 0.0;
        for (int k = 0; k < r->count; ++k) {
            int kind = (int)tac_manifold_kind(r->feature[k]) - TAC_MANIFOLD_EDGE_0;
            sum += r->activity[k];
            if (kind >= 0 && (best[kind] < 0 || r->activity[k] > r->activity[best[kind]]))
                best[kind] = k;
        }
        for (int k = 0; k < 2; ++k) {
            ENSURE(best[k] >= 0);
            ENSURE_NEAR(r->distance[best[k]], -depth, 1e-4 * depth);
            double nz = r->normal[2][best[k]], nx = r->normal[0][best[k]],
                   ny = r->normal[1][best[k]];
            ENSURE(hypot(nx, ny) < 1e-12 * nz);
            ENSURE_NEAR(r->point[0][best[k]], 0.1, 2e-3);
            ENSURE_NEAR(r->point[1][best[k]], 0.0, 2e-3);
            sum -= r->activity[best[k]];
        }
        if (depth > 0.04) ENSURE(r->activity[best[0]] > 0.6 && fabs(sum) < 0.05);
    }
    close_bench(&b);
    return 0;
}

//---------------------------------- rest -----------------------------------------

typedef struct stand {
    const char* name;
    const char* options;
    const char *lower, *upper; // how the boxes are turned
    double at[3];              // the upper one's place
} stand;

static tacModel* load_stand(const stand* s) {
    char text[1400];
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='degree' eulerseq='zyx'/><option timestep='.001'/>"
             "<tactus detect='manifold' respond='spring' %s/><worldbody>"
             "<geom type='box' size='.1 .1 .1' %s/><body pos='%.17g %.17g %.17g'>"
             "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
             "<joint type='slide' axis='0 0 1'/><geom type='box' size='.06 .06 .06' mass='1' %s/>"
             "</body></worldbody></mujoco>",
             s->options, s->lower, s->at[0], s->at[1], s->at[2] + 0.002, s->upper);
    tacMessage message;
    tacModel* model = NULL;
    if (tac_load_text(text, (int)strlen(text), s->name, NULL, &model, &message) != TAC_OK)
        printf("  %s\n", message.text);
    return model;
}

// a box that does not turn comes to rest on a fixed one and stays where it is: it is free to slide,
// and normals stand upright
static int carries_upright(const stand* s) {
    bench b;
    double q[3] = {0}, v[3] = {0}, force = 0.0, upright = 1.0;
    tacState x = {.qpos = q, .qvel = v};
    ENSURE_LAW(open_model(&b, load_stand(s), 0));
    for (int i = 0; i < 4000; ++i) ENSURE(tac_step(b.model, &x, NULL, &x, b.scratch) == TAC_OK);
    tacPose body[2];
    ENSURE(tac_kinematics(b.model, q, NULL, body, NULL, b.scratch) == TAC_OK);
    ENSURE(tac_detect(b.model, body, b.contacts, b.scratch) == TAC_OK);
    for (int i = 0; i < b.contacts->count; ++i) {
        const tacContacts* c = b.contacts;
        double f = c->activity[i] * fmax(0.0, 5e-4 - c->distance[i]); // those that carry
        double length = hypot(hypot(c->normal[0][i], c->normal[1][i]), c->normal[2][i]);
        force += f;
        if (f > 1e-3 * 1e-3) upright = fmin(upright, c->normal[2][i] / length);
    }
    printf("    %s: sinks in by %.2g m, drifts by %.1g m, speed %.1g m/s, tilt %.1g deg\n", s->name,
           -0.002 - q[2], hypot(q[0], q[1]), hypot(hypot(v[0], v[1]), v[2]),
           57.3 * acos(fmin(upright, 1.0)));
    ENSURE(force > 0.0 && fabs(v[2]) < 1e-6 && q[2] > -0.012 && q[2] < 0.002);
    ENSURE(hypot(v[0], v[1]) < 1e-8 && hypot(q[0], q[1]) < 1e-7);
    ENSURE(upright > cos(0.0174533));
    close_bench(&b);
    return 0;
}

static int resting_bodies_are_carried(void) {
    static const char cold[] = "tau='.001' support='.008'";
    double edge = 0.06 * sqrt(2.0), corner = 0.06 * sqrt(3.0), roof = 0.1 * sqrt(2.0);
    static const char tip[] = "quat='.8804762393 .2798481423 -.3647051996 -.1159168964'";
    const stand stands[] = {
        {"face on face", cold, "", "euler='20 0 0'", {0.01, 0.005, 0.16}},
        {"face on face, a step of 1 cm", "tau='.005'", "", "", {0.03, 0, 0.16}},
        {"face on face, over two edges", "tau='.002'", "", "euler='10 0 0'", {0.06, 0.07, 0.16}},
        {"edge on face", cold, "", "euler='10 45 0'", {0.02, 0.01, 0.1 + edge}},
        {"edge on face, over an edge", cold, "", "euler='10 45 0'", {0.01, 0.07, 0.1 + edge}},
        {"vertex on face", cold, "", tip, {0.03, 0.02, 0.1 + corner}},
        {"crossed edges", cold, "euler='0 0 45'", "euler='0 45 0'", {0.02, 0, roof + edge}},
        {"edges aslant", cold, "euler='0 0 45'", "euler='40 45 0'", {0.02, 0.01, roof + edge}},
    };
    for (size_t i = 0; i < sizeof stands / sizeof *stands; ++i)
        ENSURE_LAW(carries_upright(&stands[i]));
    return 0;
}

// A free box that lies over an edge of a fixed one is held by two corners, points of its face and
// two crossings of edges: it stays but for the creep of friction.
static int free_over_an_edge(void) {
    static const char text[] =
        "<mujoco><compiler angle='degree'/><option timestep='.001'/>"
        "<tactus detect='manifold' respond='spring'/><worldbody>"
        "<geom type='box' size='.1 .1 .1'/><body pos='.06 .01 .1602'><freejoint/>"
        "<geom type='box' size='.06 .06 .06' mass='1' euler='0 0 40'/></body></worldbody></mujoco>";
    tacMessage message;
    tacModel* model = NULL;
    ENSURE(tac_load_text(text, (int)strlen(text), "over", NULL, &model, &message) == TAC_OK);
    bench b;
    ENSURE_LAW(open_model(&b, model, 0));
    double q[7] = {0.06, 0.01, 0.1602, 1, 0, 0, 0}, v[6] = {0}, start[2] = {0.0, 0.0};
    tacState x = {.qpos = q, .qvel = v};
    for (int i = 0; i < 4000; ++i) {
        ENSURE(tac_step(model, &x, NULL, &x, b.scratch) == TAC_OK);
        if (i == 999) {
            start[0] = q[0];
            start[1] = q[1];
        }
    }
    double drift = hypot(q[0] - start[0], q[1] - start[1]);
    printf("    drifts by %.1g m in 3 s, %.1g m off where it fell, leans by %.1g\n", drift,
           hypot(q[0] - 0.06, q[1] - 0.01), 2.0 * hypot(q[4], q[5]));
    ENSURE(drift < 5e-5 && hypot(q[0] - 0.06, q[1] - 0.01) < 3e-4 && hypot(q[4], q[5]) < 2e-3);
    close_bench(&b);
    return 0;
}

// boxes face to face: edges that pass each other side by side are no contact, those that cross push
// upright
static int upright_edges_touch(void) {
    static const manifoldScene boxes = {
        "face to face", "", {"type='box' size='.1 .1 .1'", "type='box' size='.06 .06 .06'"}, 1.0};
    bench b;
    testRandom random = {31};
    int edges = 0;
    ENSURE_LAW(open_model(&b, manifold_load(&boxes, "tau='.005'"), 0));
    for (int i = 0; i < 2000; ++i) {
        double half = 3.14159 * test_uniform(&random, -0.5, 0.5), far = 0.11;
        tacPose body[3] = {tac_pose_identity(),
                           tac_pose_identity(),
                           {{test_uniform(&random, -far, far), test_uniform(&random, -far, far),
                             0.16 - test_uniform(&random, 0.0, 0.005)},
                            {cos(half), 0, 0, sin(half)}}};
        ENSURE(tac_detect(b.model, body, b.contacts, b.scratch) == TAC_OK);
        const tacContacts* c = b.contacts;
        for (int k = 0; k < c->count; ++k) {
            if (tac_manifold_kind(c->feature[k]) < TAC_MANIFOLD_EDGE_0) continue;
            ENSURE(hypot(c->normal[0][k], c->normal[1][k]) <= 1e-12);
            ENSURE(c->normal[2][k] >= 0.0 && c->distance[k] <= 0.0);
            ++edges;
        }
    }
    printf("    %d records of edges, all upright\n", edges);
    ENSURE(edges > 1000);
    close_bench(&b);
    return 0;
}

// Boxes face on face, one turned: normals stand in one face of each edge, so that two factors of
// the clash are psi(1/2) and two are 1. At an endless temperature all four are psi(1/2).
static int only_opposing_faces_touch(void) {
    static const manifoldScene boxes = {
        "face to face", "", {"type='box' size='.1 .1 .1'", "type='box' size='.1 .1 .1'"}, 1.0};
    const double half = 1.0 - 0.25, ramp = half * half * half * (1.0 + 0.75 + 6.0 * 0.0625);
    bench b[2];
    int edges = 0;
    ENSURE_LAW(open_model(&b[0], manifold_load(&boxes, "tau='.005' opposing='.1'"), 0));
    ENSURE_LAW(open_model(&b[1], manifold_load(&boxes, "tau='.005' opposing='1000'"), 0));
    tacPose body[3] = {tac_pose_identity(),
                       tac_pose_identity(),
                       {{0.01, 0.02, 0.199}, {cos(0.3), 0, 0, sin(0.3)}}};
    for (int k = 0; k < 2; ++k)
        ENSURE(tac_detect(b[k].model, body, b[k].contacts, b[k].scratch) == TAC_OK);
    for (int i = 0; i < b[0].contacts->count; ++i) {
        const tacContacts *sharp = b[0].contacts, *blunt = b[1].contacts;
        if (tac_manifold_kind(sharp->feature[i]) < TAC_MANIFOLD_EDGE_0) continue;
        for (int j = 0; j < blunt->count; ++j) {
            if (blunt->feature[j] != sharp->feature[i] || sharp->activity[i] < 0.1) continue;
            ENSURE_NEAR(ramp * ramp * sharp->activity[i] / blunt->activity[j], 1.0, 2e-3);
            ++edges;
        }
    }
    ENSURE(edges >= 8);
    close_bench(&b[0]);
    close_bench(&b[1]);
    return 0;
}

// An edge that rises over another one, so that the normal leaves the upper face by nearly 3/2
// tau_c: the pair is still there, almost without a claim.
static int opposing_ends_at_its_width(void) {
    static const manifoldScene boxes = {
        "rising", "", {"type='box' size='.1 .1 .1'", "type='box' size='.1 .1 .1'"}, 1.0};
    bench b;
    ENSURE_LAW(open_model(&b, manifold_load(&boxes, "tau='.005' opposing='.1'"), 0));
    for (int i = 0; i < 9; ++i) {
        double out = 0.141 + 0.001 * i, angle = asin(out), found = 0.0;
        tacPose body[3] = {tac_pose_identity(),
                           tac_pose_identity(),
                           {{0.1 - 0.1 * out, 0.1, 0.099 + 0.1 * cos(angle)},
                            {cos(0.5 * angle), 0, -sin(0.5 * angle), 0}}};
        ENSURE(tac_detect(b.model, body, b.contacts, b.scratch) == TAC_OK);
        const tacContacts* c = b.contacts;
        for (int k = 0; k < c->count; ++k)
            if (tac_manifold_kind(c->feature[k]) >= TAC_MANIFOLD_EDGE_0 &&
                fabs(c->normal[0][k] + out) < 1e-3)
                found = fmax(found, c->activity[k]);
        ENSURE(found > 0.0 && found < 1e-3);
    }
    close_bench(&b);
    return 0;
}

//---------------------------------- wrong use ------------------------------------

static int all_finite(const tacContacts* c) {
    for (int i = 0; i < c->count; ++i) {
        double sum = c->distance[i] + c->activity[i];
        for (int k = 0; k < 3; ++k) sum += c->point[k][i] + c->normal[k][i];
        ENSURE(isfinite(sum));
        ENSURE(c->activity[i] >= 0.0 && c->activity[i] <= 1.0 + 1e-12);
    }
    return 0;
}

// identical, concentric and parallel bodies
static int degenerate_poses_are_finite(void) {
    static const manifoldScene* const scenes[] = {&manifold_boxes, &manifold_balls, &manifold_rods,
                                                  &manifold_cup};
    for (int i = 0; i < 4; ++i) {
        bench b;
        ENSURE_LAW(open_model(&b, manifold_load(scenes[i], "vertices='100'"), 0));
        for (int k = 0; k < 5; ++k) {
            double x[14] = {0.0, 0, 0, 1, 0, 0, 0, k == 1 ? 0.05 : 0.0, 0, 0, 1, 0, 0, 0};
            if (k == 2) {
                x[10] = 0.0;
                x[11] = 1.0;
            }
            if (k == 3) x[10] = x[13] = sqrt(0.5);
            if (k == 4) x[7] = 1e14;
            tacPose body[3];
            manifold_poses(x, body);
            ENSURE(tac_detect(b.model, body, b.contacts, b.scratch) == TAC_OK);
            ENSURE_LAW(all_finite(b.contacts));
        }
        close_bench(&b);
    }
    return 0;
}

// too small a capacity is reported with the number that is needed, and nothing is cut off
static int capacity(void) {
    bench b;
    double x[14] = {0, 0, 0, 1, 0, 0, 0, 0.15, 0.02, 0.01, 0.9, 0.3, 0.2, 0.1};
    tacPose body[3];
    manifold_poses(x, body);
    ENSURE_LAW(open_model(&b, manifold_load(&manifold_boxes, ""), 0));
    ENSURE(tac_detect(b.model, body, b.contacts, b.scratch) == TAC_OK);
    int needed = b.contacts->count;
    tacContacts* small;
    ENSURE(needed > 2 && tac_contacts_create(b.model, needed - 1, 0, &small) == TAC_OK);
    ENSURE(tac_detect(b.model, body, small, b.scratch) == TAC_ERROR_CAPACITY);
    ENSURE(small->count == needed);
    tac_contacts_destroy(small);
    close_bench(&b);
    return 0;
}

static int load_fails(const char* geom, const char* options, const char* asset, const char* words) {
    char text[2000];
    snprintf(text, sizeof text,
             "<mujoco><tactus detect='manifold' %s/><asset>%s</asset><worldbody>"
             "<geom type='plane' size='1 1 1'/><body><freejoint/><geom %s mass='1'/></body>"
             "</worldbody></mujoco>",
             options, asset, geom);
    tacMessage message = {0};
    tacModel* model = NULL;
    tacResult result = tac_load_text(text, (int)strlen(text), "test", NULL, &model, &message);
    if (result == TAC_OK || !strstr(message.text, words))
        printf("  %s %s: result %d, '%s', not '%s'\n", geom, options, (int)result, message.text,
               words);
    tac_model_destroy(model);
    return !(result != TAC_OK && strstr(message.text, words));
}

#define TETRA "vertex='0 0 0 .1 0 0 0 .1 0 0 0 .1' face="
static const char shape_and_mesh[] = "<shape name='s'><sphere size='.1'/></shape>";

static int invalid_input_is_refused(void) {
    char asset[400];
    ENSURE_LAW(load_fails("type='box' size='.1 .1 .1'", "tau='-1'", "", "tau"));
    ENSURE_LAW(load_fails("type='box' size='.1 .1 .1'", "sides='left'", "", "left"));
    ENSURE_LAW(load_fails("type='box' size='.1 .1 .1'", "vertices='3'", "", "vertices"));
    // inside out, open
    snprintf(asset, sizeof asset,
             "%s<mesh name='m' inertia='legacy' " TETRA "'0 1 2 0 3 1 0 2 3 1 3 2'/>",
             shape_and_mesh);
    ENSURE_LAW(load_fails("type='shape' shape='s' mesh='m'", "", asset, "surface"));
    snprintf(asset, sizeof asset,
             "%s<mesh name='m' inertia='legacy' " TETRA "'0 2 1 0 1 3 0 3 2'/>", shape_and_mesh);
    ENSURE_LAW(load_fails("type='shape' shape='s' mesh='m'", "", asset, "surface"));
    return 0;
}

// a mesh far off its field is accepted, and reported with the place
static int mesh_off_its_field_is_warned(void) {
    char text[1000];
    snprintf(text, sizeof text,
             "<mujoco><tactus detect='manifold'/><asset>%s<mesh name='m' " TETRA
             "'0 2 1 0 1 3 0 3 2 1 2 3'/></asset><worldbody><geom type='plane' size='1 1 1'/>"
             "<body><freejoint/><geom name='g' type='shape' shape='s' mesh='m' mass='1'/></body>"
             "</worldbody></mujoco>",
             shape_and_mesh);
    tacMessage message = {0};
    tacModel* model = NULL;
    ENSURE(tac_load_text(text, (int)strlen(text), "test", NULL, &model, &message) == TAC_OK);
    ENSURE(strstr(message.text, "'g'") && strstr(message.text, "differ"));
    tac_model_destroy(model);
    return 0;
}

TEST_MAIN(RUN(culling_changes_no_record), RUN(contact_sums_are_smooth), RUN(derivatives_of_figures),
          RUN(cold_vertices_are_hard), RUN(crossed_edges_touch), RUN(resting_bodies_are_carried),
          RUN(free_over_an_edge), RUN(upright_edges_touch), RUN(only_opposing_faces_touch),
          RUN(opposing_ends_at_its_width), RUN(degenerate_poses_are_finite), RUN(capacity),
          RUN(invalid_input_is_refused), RUN(mesh_off_its_field_is_warned))
