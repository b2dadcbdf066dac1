// The reference manifold: records by formulas written again here, fixed counts, derivatives against
// differences, and what cannot be.

#include "detect/manifold_proof.h"

#include "base/assert.h"
#include "detect/manifold/manifold.h"
#include "math/pose.h"

typedef struct bench {
    tacModel* model;
    tacScratch* scratch;
    tacContacts *c, *dot, *bar;
} bench;

static int open_by(bench* b, const manifoldScene* scene, const char* detect, const char* options) {
    b->model = manifold_load_by(scene, detect, options);
    ENSURE(b->model && tac_scratch_create(b->model, &b->scratch) == TAC_OK);
    ENSURE(tac_contacts_create(b->model, 0, 1, &b->c) == TAC_OK);
    ENSURE(tac_contacts_create(b->model, 0, 0, &b->dot) == TAC_OK);
    ENSURE(tac_contacts_create(b->model, 0, 0, &b->bar) == TAC_OK);
    return 0;
}

static int open_bench(bench* b, const manifoldScene* scene, const char* options) {
    char all[400];
    snprintf(all, sizeof all, "definition='reference' %s", options);
    return open_by(b, scene, "manifold", all);
}

static void close_bench(bench* b) {
    tac_contacts_destroy(b->c);
    tac_contacts_destroy(b->dot);
    tac_contacts_destroy(b->bar);
    tac_scratch_destroy(b->scratch);
    tac_model_destroy(b->model);
}

static double contact_number(const tacModel* model, const char* name) {
    tacParam p;
    return tac_param_find(model, name, &p) == TAC_OK ? model->param[p.offset] : NAN;
}

//---------------------------------- values ---------------------------------------

// without selection: all vertices and all pairs of edges, whatever the poses
static int counts_are_fixed(void) {
    static const struct {
        const char* options;
        int count;
    } cases[] = {{"", 8 + 8 + 2 * 12 * 12},
                 {"edges='false'", 16},
                 {"sides='first'", 8},
                 {"top_k='softsort' top_k_vertices='3' top_k_edges='4'", 3 + 3 + 2 * 4 * 4},
                 {"top_k='sinkhorn' top_k_vertices='3' top_k_edges='4'", 3 + 3 + 2 * 4 * 4},
                 // more than there are: all of them
                 {"top_k='softsort' top_k_vertices='100' top_k_edges='100'", 8 + 8 + 2 * 12 * 12}};
    testRandom random = {9};
    for (int i = 0; i < TAC_COUNT(cases); ++i) {
        bench b;
        ENSURE_LAW(open_bench(&b, &manifold_boxes, cases[i].options));
        for (int k = 0; k < 10; ++k) {
            double x[14];
            tacPose body[3];
            manifold_random_poses(&manifold_boxes, &random, x);
            manifold_poses(x, body);
            ENSURE(tac_detect(b.model, body, b.c, b.scratch) == TAC_OK);
            ENSURE(b.c->count == cases[i].count);
            for (int r = 0; r < b.c->count; ++r)
                ENSURE(b.c->activity[r] >= 0.0 && b.c->activity[r] <= 1.0);
        }
        close_bench(&b);
    }
    return 0;
}

// the one of eight records from `first` on that stands where record i of another manifold does; -1
static int same_place(const tacContacts* eight, int first, const tacContacts* c, int i) {
    for (int at = first; at < first + 8; ++at) {
        double away = 0.0;
        for (int j = 0; j < 3; ++j) away += fabs(eight->point[j][at] - c->point[j][i]);
        if (away < 1e-9) return at;
    }
    return -1;
}

// vertices: gamma = sigma(-d/tau), d and n those of the compact manifold
static int vertices_are_those_of_the_manifold(void) {
    bench b;
    tacModel* model = manifold_load(&manifold_boxes, "");
    tacScratch* scratch;
    tacContacts* c;
    testRandom random = {2};
    int compared = 0;
    ENSURE_LAW(open_bench(&b, &manifold_boxes, ""));
    ENSURE(model && tac_scratch_create(model, &scratch) == TAC_OK);
    ENSURE(tac_contacts_create(model, 0, 0, &c) == TAC_OK);
    double tau = contact_number(b.model, "detect/tau");
    for (int k = 0; k < 50; ++k) {
        double x[14];
        tacPose body[3];
        manifold_random_poses(&manifold_boxes, &random, x);
        manifold_poses(x, body);
        ENSURE(tac_detect(b.model, body, b.c, b.scratch) == TAC_OK);
        ENSURE(tac_detect(model, body, c, scratch) == TAC_OK);
        for (int i = 0; i < c->count; ++i) {
            tacManifoldKind kind = tac_manifold_kind(c->feature[i]);
            if (kind > TAC_MANIFOLD_VERTEX_1) continue;
            int at = same_place(b.c, kind ? 8 : 0, c, i);
            if (at < 0) continue; // a point within a face, which the paper does not have
            ENSURE_NEAR(b.c->distance[at], c->distance[i], 1e-12);
            ENSURE_NEAR(b.c->activity[at], 1.0 / (1.0 + exp(c->distance[i] / tau)), 1e-12);
            for (int j = 0; j < 3; ++j) {
                ENSURE_NEAR(b.c->point[j][at], c->point[j][i], 1e-12);
                ENSURE_NEAR(b.c->normal[j][at], c->normal[j][i], 1e-10);
            }
            ++compared;
        }
    }
    ENSURE(compared > 50);
    tac_contacts_destroy(c);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    close_bench(&b);
    return 0;
}

static int by_depth(const void* a, const void* b) {
    double d = *(const double*)a - *(const double*)b;
    return d < 0.0 ? -1 : d > 0.0;
}

// SoftSort written again: row k is softmax_j(-|m_[k] - m_j|/t) of the depths m, its point their
// mean
static int soft_points_are_averages(void) {
    bench all, soft;
    testRandom random = {4};
    ENSURE_LAW(open_bench(&all, &manifold_boxes, "edges='false'"));
    ENSURE_LAW(open_bench(&soft, &manifold_boxes,
                          "edges='false' top_k='softsort' top_k_vertices='3' "
                          "sort_temperature='2'"));
    double t = 2.0 * contact_number(all.model, "detect/tau");
    for (int k = 0; k < 20; ++k) {
        double x[14], d[8], order[8];
        tacPose body[3];
        manifold_random_poses(&manifold_boxes, &random, x);
        manifold_poses(x, body);
        ENSURE(tac_detect(all.model, body, all.c, all.scratch) == TAC_OK);
        ENSURE(tac_detect(soft.model, body, soft.c, soft.scratch) == TAC_OK);
        for (int i = 0; i < 8; ++i) d[i] = order[i] = all.c->distance[i];
        qsort(order, 8, sizeof *order, by_depth);
        for (int row = 0; row < 3; ++row)
            for (int j = 0; j < 3; ++j) {
                double sum = 0.0, mean = 0.0;
                for (int i = 0; i < 8; ++i) {
                    double w = exp(-fabs(order[row] - d[i]) / t);
                    sum += w;
                    mean += w * all.c->point[j][i];
                }
                ENSURE_NEAR(soft.c->point[j][row], mean / sum, 1e-12);
            }
    }
    close_bench(&all);
    close_bench(&soft);
    return 0;
}

// A crossed pair of edges: the indicators one by one, from the witness points of the paper's list
static int edges_have_their_indicators(void) {
    bench b;
    ENSURE_LAW(open_bench(&b, &manifold_boxes, "tau='.002' edge_softmin='.004'"));
    tacPose body[3] = {tac_pose_identity(), tac_pose_identity(), tac_pose_identity()};
    // edges along x and y cross at half their lengths, 4 mm deep
    body[1].rotation = (tacQuat){cos(0.39269908169872414), sin(0.39269908169872414), 0.0, 0.0};
    body[2].rotation = (tacQuat){cos(0.39269908169872414), 0.0, sin(0.39269908169872414), 0.0};
    double low = sqrt(0.5) * (0.08 + 0.06), high = sqrt(0.5) * (0.1 + 0.06);
    body[2].position.z = low + high - 0.004;
    ENSURE(tac_detect(b.model, body, b.c, b.scratch) == TAC_OK);
    int best = -1;
    for (int i = 16; i < b.c->count; ++i)
        if (best < 0 || b.c->activity[i] > b.c->activity[best]) best = i;
    ENSURE_NEAR(b.c->distance[best], -0.004, 1e-5);
    ENSURE_NEAR(b.c->normal[2][best], 1.0, 3e-3);
    // colliding, neighbours and clash are 1 to a per mille; the point is 4 mm deep in a rounded
    // edge
    double x[3] = {b.c->point[0][best], b.c->point[1][best], b.c->point[2][best]}, phi;
    int first = tac_manifold_kind(b.c->feature[best]) == TAC_MANIFOLD_EDGE_0;
    tacPoints at = {1, {&x[0], &x[1], &x[2]}};
    ENSURE(tac_shape_eval(b.model, b.model->geom[first].shape, body[1 + first], at,
                          (tacField){.value = &phi}, b.scratch) == TAC_OK);
    ENSURE_NEAR(b.c->activity[best], 1.0 / (1.0 + exp(phi / 0.002)), 0.02);
    close_bench(&b);
    return 0;
}

// corners of edge e of a geom, in the world
static void edge_vertices(const tacModel* model, const tacPose* body, int geom, int e, int end,
                          double x[3]) {
    const tacFeatures* f = &model->contact->feature[geom];
    int v = f->edge[end][e];
    tacVec3 at = tac_pose_apply(body[1 + geom], tac_vec3(f->x[0][v], f->x[1][v], f->x[2][v]));
    x[0] = at.x;
    x[1] = at.y;
    x[2] = at.z;
}

// what is known about all pairs of edges of two boxes, by the public routine alone
enum { SIDES = 12 }; // edges of a box
typedef struct pairTable {
    double colliding[SIDES * SIDES], distance[SIDES * SIDES], normal[3][SIDES * SIDES],
        point[2][3][SIDES * SIDES];
    double own[2][SIDES * SIDES], other[2][SIDES * SIDES], slope[2][3][SIDES * SIDES];
} pairTable;

static int fill_table(const bench* b, const tacPose* body, pairTable* t) {
    static double corner[4][3][SIDES * SIDES];
    tacWitnessOptions o = tac_default_witness_options();
    tacEdgePairs pairs = {.count = SIDES * SIDES};
    tacEdgeWitness out = {.colliding = t->colliding, .distance = t->distance};
    o.range = 0.0;
    for (int i = 0; i < SIDES * SIDES; ++i)
        for (int c = 0; c < 4; ++c) {
            double x[3];
            edge_vertices(b->model, body, c / 2, c < 2 ? i / SIDES : i % SIDES, c % 2, x);
            for (int k = 0; k < 3; ++k) corner[c][k][i] = x[k];
        }
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 4; ++c) pairs.corner[c][k] = corner[c][k];
        out.normal[k] = t->normal[k];
        out.point[0][k] = t->point[0][k];
        out.point[1][k] = t->point[1][k];
    }
    ENSURE(tac_edge_edge(&o, pairs, out) == TAC_OK);
    for (int s = 0; s < 2; ++s) {
        tacPoints at = {SIDES * SIDES, {t->point[s][0], t->point[s][1], t->point[s][2]}};
        tacField own = {t->own[s], {t->slope[s][0], t->slope[s][1], t->slope[s][2]}, {NULL}};
        ENSURE(tac_shape_eval(b->model, b->model->geom[s].shape, body[1 + s], at, own,
                              b->scratch) == TAC_OK);
        ENSURE(tac_shape_eval(b->model, b->model->geom[1 - s].shape, body[2 - s], at,
                              (tacField){.value = t->other[s]}, b->scratch) == TAC_OK);
    }
    return 0;
}

static double logistic(double x) { return 1.0 / (1.0 + exp(-x)); }

static double edge_point(const pairTable* t, int s, int i, const double n[3]) {
    double square = 1e-12, sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        square += t->slope[s][k][i] * t->slope[s][k][i];
        sum += t->slope[s][k][i] * n[k];
    }
    return sum / sqrt(square);
}

// share of pair i among those of its edge
static double pair_share(const pairTable* t, int i, int s, double omega) {
    double sum = 0.0;
    for (int k = 0; k < SIDES; ++k) {
        int at = s == 0 ? i / SIDES * SIDES + k : k * SIDES + i % SIDES;
        sum += exp((t->distance[i] - t->distance[at]) / omega);
    }
    return 1.0 / sum;
}

// distance, normal and activity of every pair by (12), written again
static int pairs_of_edges_by_the_formula(void) {
    static pairTable t;
    bench b;
    testRandom random = {21};
    ENSURE_LAW(
        open_bench(&b, &manifold_boxes, "tau='.01' edge_softmin='.03' sign='.3' opposing='.4'"));
    for (int pose = 0; pose < 20; ++pose) {
        double x[14];
        tacPose body[3];
        manifold_random_poses(&manifold_boxes, &random, x);
        manifold_poses(x, body);
        ENSURE(tac_detect(b.model, body, b.c, b.scratch) == TAC_OK);
        ENSURE_LAW(fill_table(&b, body, &t));
        for (int i = 0; i < SIDES * SIDES; ++i) {
            double n[3] = {t.normal[0][i], t.normal[1][i], t.normal[2][i]}, first[3],
                   square = 1e-12;
            for (int k = 0; k < 3; ++k) square += t.slope[0][k][i] * t.slope[0][k][i];
            for (int k = 0; k < 3; ++k) first[k] = t.slope[0][k][i] / sqrt(square);
            double sign[2] = {tanh(edge_point(&t, 1, i, n) / 0.3),
                              tanh(-edge_point(&t, 0, i, n) / 0.3)};
            double opposing = logistic(-edge_point(&t, 1, i, first) / 0.4);
            for (int s = 0; s < 2; ++s) {
                int at = 16 + s * SIDES * SIDES + i;
                double activity = t.colliding[i] * pair_share(&t, i, s, 0.03) * opposing *
                                  logistic(-t.other[s][i] / 0.01) *
                                  logistic((0.05 - t.own[s][i]) / 0.01);
                ENSURE_NEAR(b.c->activity[at], activity, 1e-10);
                ENSURE_NEAR(b.c->distance[at], sign[s] * t.distance[i], 1e-10);
                for (int k = 0; k < 3; ++k) {
                    ENSURE_NEAR(b.c->normal[k][at], -sign[s] * n[k], 1e-10);
                    ENSURE_NEAR(b.c->point[k][at], t.point[s][k][i], 1e-10);
                }
            }
        }
    }
    close_bench(&b);
    return 0;
}

//---------------------------------- derivatives ----------------------------------

// numbers 0 .. 7 of record i
static double* number_of(const tacContacts* c, int k, int i) {
    return k < 3    ? &c->point[k][i]
           : k < 6  ? &c->normal[k - 3][i]
           : k == 6 ? &c->distance[i]
                    : &c->activity[i];
}

// gamma times the number, which is what is smooth
static double weighted_number(const tacContacts* c, int k, int i) {
    return k == 7 ? c->activity[i] : c->activity[i] * *number_of(c, k, i);
}

// poses moved along twists about their origins
static void moved_poses(const double x[14], const double xi[18], double h, tacPose body[3]) {
    manifold_poses(x, body);
    for (int b = 1; b < 3; ++b) {
        const double* t = xi + 6 * b;
        tacPose* p = &body[b];
        double angle = h * sqrt(t[3] * t[3] + t[4] * t[4] + t[5] * t[5]), s = 0.5 * h;
        double f = angle > 0.0 ? sin(0.5 * fabs(angle)) / (0.5 * fabs(angle)) : 1.0;
        tacQuat rot = {cos(0.5 * angle), s * f * t[3], s * f * t[4], s * f * t[5]};
        p->rotation = tac_quat_mul(rot, p->rotation);
        p->position.x += h * t[0];
        p->position.y += h * t[1];
        p->position.z += h * t[2];
    }
}

static void shift_params(tacModel* model, const double* theta, double h) {
    for (int i = 0; i < model->nparam; ++i) model->param[i] += h * theta[i];
}

// differences of fourth order of gamma, gamma d, gamma n, gamma p
static int central_differences(bench* b, const double x[14], const double xi[18],
                               const double* theta, double h, double (*slope)[4000]) {
    static const double stencil[4] = {-2.0, -1.0, 1.0, 2.0}, pair_share[4] = {1.0, -8.0, 8.0, -1.0};
    tacPose body[3];
    memset(slope, 0, 8 * sizeof *slope);
    for (int s = 0; s < 4; ++s) {
        moved_poses(x, xi, stencil[s] * h, body);
        shift_params(b->model, theta, stencil[s] * h);
        ENSURE(tac_detect(b->model, body, b->c, b->scratch) == TAC_OK);
        shift_params(b->model, theta, -stencil[s] * h);
        for (int k = 0; k < 8; ++k)
            for (int i = 0; i < b->c->count; ++i)
                slope[k][i] += pair_share[s] * weighted_number(b->c, k, i) / (12.0 * h);
    }
    return 0;
}

// the jvp against them; steps get shorter, as SoftSort has kinks where two depths are equal
static int forward_law(bench* b, const double x[14], const double xi[18], const double* theta,
                       double* worst) {
    static double slope[8][4000];
    double best = INFINITY;
    tacPose body[3];
    manifold_poses(x, body);
    for (double h = 2e-5; h > 5e-7 && best > 1e-7; h *= 0.2) {
        double off = 0.0;
        ENSURE_LAW(central_differences(b, x, xi, theta, h, slope));
        ENSURE(tac_detect(b->model, body, b->c, b->scratch) == TAC_OK);
        ENSURE(tac_detect_jvp(b->model, body, b->c, xi, theta, b->dot, b->scratch) == TAC_OK);
        for (int k = 0; k < 8; ++k) {
            double size = 1e-3, error = 0.0;
            for (int i = 0; i < b->c->count; ++i) {
                double rate = *number_of(b->dot, 7, i);
                if (k < 7)
                    rate = rate * *number_of(b->c, k, i) +
                           b->c->activity[i] * *number_of(b->dot, k, i);
                size = fmax(size, fabs(rate));
                error = fmax(error, fabs(rate - slope[k][i]));
            }
            off = fmax(off, error / size);
        }
        best = fmin(best, off);
    }
    *worst = fmax(*worst, best);
    return 0;
}

// <bar, jvp> = <vjp, direction>
static int reverse_law(bench* b, const double x[14], const double xi[18], const double* theta,
                       testRandom* random, double* worst) {
    static double theta_bar[2000];
    double pose_bar[18] = {0}, left = 0.0, right = 0.0, size = 0.0;
    tacPose body[3];
    manifold_poses(x, body);
    memset(theta_bar, 0, sizeof theta_bar);
    b->bar->count = b->c->count;
    for (int i = 0; i < b->c->count; ++i)
        for (int k = 0; k < 8; ++k) {
            double w = test_uniform(random, -1.0, 1.0);
            *number_of(b->bar, k, i) = w;
            left += w * *number_of(b->dot, k, i);
            size += fabs(w * *number_of(b->dot, k, i));
        }
    ENSURE(tac_detect_vjp(b->model, body, b->c, b->bar, pose_bar, theta_bar, b->scratch) == TAC_OK);
    for (int i = 0; i < 18; ++i) right += pose_bar[i] * xi[i];
    for (int i = 0; i < b->model->nparam; ++i) right += theta_bar[i] * theta[i];
    *worst = fmax(*worst, fabs(left - right) / (size + 1e-12));
    return 0;
}

// D (xi1 - xi0) + rigid(xi0), with body 0 at rest
static void twist_law(const bench* b, const double x[14], const double xi[18], double* worst) {
    for (int i = 0; i < b->c->count; ++i) {
        double arm[3], lin[3];
        for (int k = 0; k < 3; ++k) arm[k] = b->c->point[k][i] - x[7 + k];
        for (int k = 0; k < 3; ++k)
            lin[k] = xi[12 + k] + xi[15 + (k + 1) % 3] * arm[(k + 2) % 3] -
                     xi[15 + (k + 2) % 3] * arm[(k + 1) % 3];
        for (int row = 0; row < 8; ++row) {
            double rate = 0.0, own = *number_of(b->dot, row, i);
            for (int k = 0; k < 3; ++k)
                rate +=
                    b->c->d_twist[row][k][i] * lin[k] + b->c->d_twist[row][3 + k][i] * xi[15 + k];
            *worst = fmax(*worst, fabs(rate - own) / (1.0 + fabs(own)));
        }
    }
}

static int prove_bench(bench b, const manifoldScene* scene, const char* options, int poses) {
    testRandom random = {11};
    static double theta[2000];
    double forward = 0.0, reverse = 0.0, twist = 0.0;
    ENSURE(b.model->nparam < 2000 && b.c->capacity < 4000);
    for (int i = 0; i < poses; ++i) {
        double x[14], xi[18] = {0};
        manifold_random_poses(scene, &random, x);
        for (int k = 0; k < b.model->nparam; ++k) {
            char name[200];
            tac_param_name(b.model, k, name, sizeof name);
            int own = !strncmp(name, "detect/", 7) || !strncmp(name, "shape:", 6);
            // sizes that features were made from at load are refused (test_live_params)
            tacParam one = {.offset = k, .count = 1};
            own = own && tac_param_live(b.model, one, NULL) == TAC_OK;
            theta[k] = own ? b.model->param[k] * test_uniform(&random, -1.0, 1.0) : 0.0;
        }
        for (int k = 6; k < 18; ++k)
            xi[k] = test_uniform(&random, -1.0, 1.0) * (k % 6 < 3 ? .1 : 1);
        ENSURE_LAW(forward_law(&b, x, xi, theta, &forward));
        ENSURE_LAW(reverse_law(&b, x, xi, theta, &random, &reverse));
        memset(theta, 0, sizeof theta);
        memset(xi, 0, 12 * sizeof *xi);
        tacPose body[3];
        manifold_poses(x, body);
        ENSURE(tac_detect_jvp(b.model, body, b.c, xi, theta, b.dot, b.scratch) == TAC_OK);
        twist_law(&b, x, xi, &twist);
    }
    printf("    %s %s: jvp %.1e, vjp %.1e, d_twist %.1e\n", scene->name, options, forward, reverse,
           twist);
    ENSURE(forward < 1e-6);
    ENSURE(reverse < 1e-11);
    ENSURE(twist < 1e-10);
    close_bench(&b);
    return 0;
}

static int prove_scene(const manifoldScene* scene, const char* options, int poses) {
    bench b;
    ENSURE_LAW(open_bench(&b, scene, options));
    return prove_bench(b, scene, options, poses);
}

static int prove_rays(const manifoldScene* scene, const char* options, int poses) {
    bench b;
    ENSURE_LAW(open_by(&b, scene, "edge_sdf", options));
    return prove_bench(b, scene, options, poses);
}

static int reference_records_have_exact_derivatives(void) {
    int more = getenv("TACTUS_NO_SWEEP") == NULL;
    ENSURE_LAW(prove_scene(&manifold_boxes, "tau='.01'", 1 + 2 * more));
    ENSURE_LAW(prove_scene(&manifold_boxes, "tau='.01' project='3'", 1));
    ENSURE_LAW(prove_scene(
        &manifold_boxes,
        "tau='.01' top_k='sinkhorn' top_k_vertices='3' top_k_edges='4' sort_temperature='1'",
        1 + 2 * more));
    ENSURE_LAW(prove_scene(
        &manifold_boxes,
        "tau='.01' top_k='softsort' top_k_vertices='3' top_k_edges='4' sort_temperature='1'",
        1 + 2 * more));
    ENSURE_LAW(prove_scene(&manifold_rods,
                           "tau='.005' vertices='40' top_k='softsort' top_k_vertices='6' "
                           "top_k_edges='6' sort_temperature='1'",
                           1));
    ENSURE_LAW(prove_rays(
        &manifold_boxes,
        "tau='.01' top_k='softsort' top_k_vertices='3' top_k_edges='4' sort_temperature='1'",
        1 + 2 * more));
    ENSURE_LAW(prove_rays(
        &manifold_balls,
        "tau='.01' top_k='sinkhorn' top_k_vertices='1' top_k_edges='1' sort_temperature='1'", 1));
    return 0;
}

//---------------------------------- edges in a field -----------------------------

// more than there are: all of them, as detect="edge_sdf" has them
static int all_rays_are_those_of_edge_sdf(const manifoldScene* scene) {
    bench all, plain;
    testRandom random = {8};
    int compared = 0;
    ENSURE_LAW(open_by(&all, scene, "edge_sdf",
                       "vertices='40' top_k='softsort' top_k_vertices='999' top_k_edges='999'"));
    ENSURE_LAW(open_by(&plain, scene, "edge_sdf", "vertices='40'"));
    for (int i = 0; i < 50; ++i) {
        double x[14];
        tacPose body[3];
        manifold_random_poses(scene, &random, x);
        manifold_poses(x, body);
        ENSURE(tac_detect(all.model, body, all.c, all.scratch) == TAC_OK);
        ENSURE(tac_detect(plain.model, body, plain.c, plain.scratch) == TAC_OK);
        for (int r = 0, at = 0; r < all.c->count; ++r) {
            int same = at < plain.c->count && plain.c->feature[at] == all.c->feature[r];
            if (!same) ENSURE(all.c->activity[r] < 1e-12);
            for (int k = 0; k < 8 && same; ++k)
                ENSURE_NEAR(*number_of(all.c, k, r), *number_of(plain.c, k, at), 1e-9);
            at += same;
            compared += same;
        }
    }
    printf("    %s: %d records\n", scene->name, compared);
    ENSURE(compared > 50);
    close_bench(&all);
    close_bench(&plain);
    return 0;
}

static int rays_match_edge_sdf(void) {
    ENSURE_LAW(all_rays_are_those_of_edge_sdf(&manifold_boxes));
    ENSURE_LAW(all_rays_are_those_of_edge_sdf(&manifold_balls));
    return all_rays_are_those_of_edge_sdf(&manifold_rods);
}

// one edge, chosen sharply: both corners, and the hit, are those of the deepest one
static int one_edge_is_the_deepest(void) {
    bench one, all;
    testRandom random = {12};
    int compared = 0;
    ENSURE_LAW(open_by(
        &one, &manifold_boxes, "edge_sdf",
        "tau='.01' top_k='softsort' top_k_vertices='1' top_k_edges='1' sort_temperature='1e-5'"));
    ENSURE_LAW(open_by(&all, &manifold_boxes, "edge_sdf",
                       "tau='.01' top_k='softsort' top_k_vertices='99' top_k_edges='99'"));
    for (int i = 0; i < 40; ++i) {
        double x[14], best = INFINITY;
        int edge = 0;
        tacPose body[3];
        manifold_random_poses(&manifold_boxes, &random, x);
        manifold_poses(x, body);
        ENSURE(tac_detect(one.model, body, one.c, one.scratch) == TAC_OK);
        ENSURE(tac_detect(all.model, body, all.c, all.scratch) == TAC_OK);
        const tacFeatures* f = &all.model->contact->feature[0];
        for (int e = 0; e < 12; ++e) {
            double mean = all.c->distance[f->edge[0][e]] + all.c->distance[f->edge[1][e]];
            if (mean < best) {
                best = mean;
                edge = e;
            }
        }
        double d = all.c->distance[f->vertices + edge];
        if (all.c->activity[f->vertices + edge] < 1e-3) continue;
        ENSURE_NEAR(one.c->distance[1], d, 1e-6);
        ENSURE(one.c->activity[1] <= all.c->activity[f->vertices + edge]);
        ENSURE(one.c->activity[1] > 0.98 * all.c->activity[f->vertices + edge]);
        ++compared;
    }
    ENSURE(compared > 10);
    close_bench(&one);
    close_bench(&all);
    return 0;
}

//---------------------------------- second derivatives ---------------------------

// symmetric, and the third term of Taylor's series
static int prove_second(const manifoldScene* scene, const char* detect, const char* options) {
    static int used[MANIFOLD_PARAMS];
    provenScene p = {{.model = manifold_load_by(scene, detect, options), .used = used}, scene};
    ENSURE(p.base.model);
    p.base.used_count = manifold_params(p.base.model, used);
    p.base.memory = aligned_alloc(64, MANIFOLD_BYTES);
    ENSURE(tac_scratch_create(p.base.model, &p.base.scratch) == TAC_OK);
    tacCheckProblem problem = {.name = options,
                               .n = MANIFOLD_POSES + p.base.used_count,
                               .m = MANIFOLD_OUT,
                               .context = &p,
                               .as_double = &tac_check_manifold_double,
                               .as_complex = &tac_check_manifold_complex,
                               .sample = manifold_sample};
    tacCheckOptions o = tac_check_default_options();
    o.points = test_amount(1, 3, 20);
    o.taylor_every = 1;
    o.first = 1e-9;
    o.second = 1e-9;
    int bad = prove(&problem, o);
    free(p.base.memory);
    tac_scratch_destroy(p.base.scratch);
    tac_model_destroy((tacModel*)p.base.model);
    return bad;
}

static int second_derivatives(void) {
    int bad =
        prove_second(&manifold_boxes, "manifold",
                     "definition='reference' tau='.01' top_k='sinkhorn' top_k_vertices='2' "
                     "top_k_edges='2' sort_temperature='1'") +
        prove_second(
            &manifold_boxes, "edge_sdf",
            "tau='.01' top_k='sinkhorn' top_k_vertices='2' top_k_edges='2' sort_temperature='1'");
    prove_summary();
    return bad;
}

// theta_bar of the step along one number, times `by`
static int along_number(bench* b, double z, int contact_number, double by, double* theta_bar) {
    double q[14] = {0, 0, 0, 1, 0, 0, 0, 0.01, 0.004, z, 0.99, 0.05, 0.1, 0}, v[12] = {0};
    double bar[12], zero[12] = {0}, out[24] = {0};
    double* theta = calloc((size_t)b->model->nparam, sizeof *theta);
    tacState x = {.qpos = q, .qvel = v};
    for (int k = 0; k < 12; ++k) bar[k] = 0.3 + 0.1 * k;
    theta[contact_number] = by * b->model->param[contact_number];
    memset(theta_bar, 0, sizeof *theta_bar * (size_t)b->model->nparam);
    ENSURE(
        tac_step_hvp(b->model, &x, NULL,
                     &(tacStepHvp){
                         .next_bar = (tacTangent){.dq = zero, .dv = bar},
                         .dot = {.x = (tacTangent){.dq = zero, .dv = zero}, .theta = theta},
                         .bar = {.x = (tacTangent){.dq = out, .dv = out + 12}, .theta = theta_bar}},
                     b->scratch) == TAC_OK);
    free(theta);
    return 0;
}

// differences are scaled by what the pair depends on: products are linear in the tangent,
// symmetric, and nothing where bodies do not touch
static int second_derivatives_by_numbers_are_linear(void) {
    bench b;
    ENSURE_LAW(open_bench(&b, &manifold_boxes,
                          "tau='.005' top_k='softsort' top_k_vertices='3' top_k_edges='3'"));
    int n = b.model->nparam;
    tacParam tau, k;
    ENSURE(tac_param_find(b.model, "detect/tau", &tau) == TAC_OK);
    ENSURE(tac_param_find(b.model, "respond/stiffness", &k) == TAC_OK);
    double *one = calloc((size_t)(3 * n), sizeof *one), *small = one + n, *other = one + 2 * n;
    const int contact_number[2] = {tau.offset, k.offset};
    const double* v = b.model->param;
    for (int i = 0; i < 2; ++i) {
        ENSURE_LAW(along_number(&b, 0.11, contact_number[i], 1.0, one));
        ENSURE_LAW(along_number(&b, 0.11, contact_number[i], 1e-3, small));
        ENSURE_LAW(along_number(&b, 0.11, contact_number[1 - i], 1.0, other));
        for (int j = 0; j < n; ++j)
            ENSURE_NEAR(1e3 * small[j] * v[j], one[j] * v[j],
                        1e-10 * fmax(1.0, fabs(one[j] * v[j])));
        double here = one[contact_number[1 - i]] * v[contact_number[1 - i]],
               there = other[contact_number[i]] * v[contact_number[i]];
        ENSURE(fabs(here) > 1e-3);
        ENSURE_NEAR(here, there, 1e-10 * fabs(here));
        ENSURE_LAW(along_number(&b, 0.4, contact_number[i], 1.0, one));
        for (int j = 0; j < n; ++j) ENSURE_NEAR(one[j] * v[j], 0.0, 1e-15);
    }
    free(one);
    close_bench(&b);
    return 0;
}

//---------------------------------- the step, and bad input ----------------------

// boxes that lie in each other, or on each other: finite
static int identical_bodies_are_finite(void) {
    bench b;
    ENSURE_LAW(
        open_bench(&b, &manifold_boxes, "top_k='softsort' top_k_vertices='4' top_k_edges='4'"));
    tacPose body[3] = {tac_pose_identity(), tac_pose_identity(), tac_pose_identity()};
    for (int i = 0; i < 3; ++i) {
        body[2].position.z = 0.06 * i;
        ENSURE(tac_detect(b.model, body, b.c, b.scratch) == TAC_OK);
        for (int r = 0; r < b.c->count; ++r)
            for (int k = 0; k < 8; ++k) {
                ENSURE(isfinite(*number_of(b.c, k, r)));
                for (int j = 0; j < 6; ++j) ENSURE(isfinite(b.c->d_twist[k][j][r]));
            }
    }
    close_bench(&b);
    return 0;
}

// A and B come with it, and second derivatives; too many records are reported
static int too_many_records_are_an_error(void) {
    static double A[576], zero[12];
    bench b;
    ENSURE_LAW(open_bench(&b, &manifold_boxes, ""));
    double q[14] = {0, 0, 0, 1, 0, 0, 0, 0.01, 0, 0.119, 1, 0, 0, 0}, v[12] = {0};
    tacState x = {.qpos = q, .qvel = v};
    tacTangent t = {.dq = zero, .dv = zero}, out = {.dq = v, .dv = zero};
    ENSURE(tac_step_jacobian(b.model, &x, NULL, &(tacStepJacobian){.A = A}, b.scratch) == TAC_OK);
    for (int i = 0; i < 576; ++i) ENSURE(isfinite(A[i]));
    ENSURE(tac_step_hvp(b.model, &x, NULL,
                        &(tacStepHvp){.next_bar = t, .dot = {.x = t}, .bar = {.x = out}},
                        b.scratch) == TAC_OK);
    for (int i = 0; i < 12; ++i) ENSURE(isfinite(out.dq[i]) && isfinite(out.dv[i]));
    close_bench(&b);

    // all pairs of some hundred edges each
    const char* egg = manifold_rods.geom[1];
    const manifoldScene eggs = {"eggs", "", {egg, egg}, 0.1};
    tacPose body[3] = {tac_pose_identity(), tac_pose_identity(), tac_pose_identity()};
    tacModel* model = manifold_load(&eggs, "definition='reference' vertices='100'");
    tacScratch* scratch;
    tacContacts* c;
    ENSURE(model && tac_scratch_create(model, &scratch) == TAC_OK);
    ENSURE(tac_contacts_create(model, 0, 0, &c) == TAC_OK);
    ENSURE(tac_detect(model, body, c, scratch) == TAC_ERROR_CAPACITY);
    ENSURE(c->count > 65536);
    tac_contacts_destroy(c);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

TEST_MAIN(RUN(counts_are_fixed), RUN(vertices_are_those_of_the_manifold),
          RUN(soft_points_are_averages), RUN(edges_have_their_indicators),
          RUN(pairs_of_edges_by_the_formula), RUN(rays_match_edge_sdf),
          RUN(one_edge_is_the_deepest), RUN(reference_records_have_exact_derivatives),
          RUN(second_derivatives), RUN(second_derivatives_by_numbers_are_linear),
          RUN(identical_bodies_are_finite), RUN(too_many_records_are_an_error))
