// Which edges can meet: pairs that boxes and faces leave out are farther apart than `reach`, at any
// size, far from the origin, and where edges are as far apart as may be.

#include "base/assert.h"
#include "detect/manifold/edge_search.h"
#include "detect/manifold_scenes.h"
#include "model/contact/contact_plan.h"

typedef struct searchGeom {
    const char* format;
    double size[3];
} searchGeom;

static const searchGeom geoms[] = {{"type='ellipsoid' size='%g %g %g'", {1.0, 0.7, 0.5}},
                                   {"type='box' size='%g %g %g'", {0.8, 0.6, 0.7}},
                                   {"type='cylinder' size='%g %g'", {0.6, 0.8, 0.0}},
                                   {"type='capsule' size='%g %g'", {0.3, 0.6, 0.0}}};
static const double units[] = {1e-3, 1.0, 1e3};

// two geoms of a unit, the second `shift` away from the origin of its body
static tacModel* load_geom_pair(int a, int b, double unit, double shift) {
    char text[2][200], place[60];
    const searchGeom* g[2] = {&geoms[a], &geoms[b]};
    for (int i = 0; i < 2; ++i)
        snprintf(text[i], sizeof text[i], g[i]->format, unit * g[i]->size[0], unit * g[i]->size[1],
                 unit * g[i]->size[2]);
    snprintf(place, sizeof place, " pos='%g 0 0'", shift);
    strcat(text[1], place);
    return manifold_load(&(manifoldScene){"search", "", {text[0], text[1]}, 0.0}, "vertices='120'");
}

static void random_rotation(testRandom* random, double R[3][3]) {
    double q[4], norm = 0.0;
    for (int k = 0; k < 4; ++k) {
        q[k] = test_uniform(random, -1.0, 1.0);
        norm += q[k] * q[k];
    }
    tacQuat turn = {q[0] / sqrt(norm), q[1] / sqrt(norm), q[2] / sqrt(norm), q[3] / sqrt(norm)};
    for (int j = 0; j < 3; ++j) {
        tacVec3 column = tac_quat_rotate(turn, (tacVec3){j == 0, j == 1, j == 2});
        R[0][j] = column.x;
        R[1][j] = column.y;
        R[2][j] = column.z;
    }
}

// a quarter turn around one axis
static void quarter_rotation(int axis, double R[3][3]) {
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    memset(R, 0, sizeof(double[3][3]));
    R[axis][axis] = 1.0;
    R[j][k] = -1.0;
    R[k][j] = 1.0;
}

// body 1 in body 0, so that the middle of geom 1 is at `middle`; and the other way round
static void pose_pair(double R[3][3], const double middle[3], double shift, tacFrame* rel_frame,
                      tacFrame* back) {
    for (int i = 0; i < 3; ++i) {
        rel_frame->origin[i] = middle[i] - shift * R[i][0];
        for (int j = 0; j < 3; ++j) {
            rel_frame->R.m[i][j] = R[i][j];
            back->R.m[j][i] = R[i][j];
        }
    }
    for (int i = 0; i < 3; ++i) {
        back->origin[i] = 0.0;
        for (int j = 0; j < 3; ++j) back->origin[i] -= R[j][i] * rel_frame->origin[j];
    }
}

typedef struct searchBench {
    tacModel* model;
    tacArena arena;
    int *first[2], *second[2], capacity;
    long pairs, all;
} searchBench;

static int open_bench(searchBench* b, tacModel* model) {
    const tacFeatures* f = model ? model->contact->feature : NULL;
    ENSURE(f && f[0].edges && f[1].edges);
    *b = (searchBench){.model = model, .capacity = f[0].edges * f[1].edges};
    tacArena dry = tac_arena_measure(1);
    tac_edge_search_measure(&f[1], &dry);
    ENSURE(tac_arena_create(&b->arena, dry.peak, model->allocator) == TAC_OK);
    for (int k = 0; k < 2; ++k) {
        b->first[k] = malloc(sizeof(int) * (size_t)b->capacity);
        b->second[k] = malloc(sizeof(int) * (size_t)b->capacity);
    }
    return 0;
}

static void close_bench(searchBench* b) {
    for (int k = 0; k < 2; ++k) {
        free(b->first[k]);
        free(b->second[k]);
    }
    tac_arena_destroy(&b->arena, b->model->allocator);
    tac_model_destroy(b->model);
}

//---------------------------------- distance -------------------------------------

// ends of an edge in axes of body 0, and beyond by what a soft witness point may be
static void longer_edge(const tacFeatures* f, int edge, const tacFrame* rel_frame, double beyond,
                        double x[2][3]) {
    double from[2][3];
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            double own = f->x[k][f->edge[end][edge]], other = f->x[k][f->edge[1 - end][edge]];
            from[end][k] = own + beyond * (own - other);
        }
    for (int end = 0; end < 2; ++end)
        for (int i = 0; i < 3; ++i) {
            x[end][i] = rel_frame ? rel_frame->origin[i] : from[end][i];
            for (int k = 0; k < 3 && rel_frame; ++k)
                x[end][i] += rel_frame->R.m[i][k] * from[end][k];
        }
}

static double point_to_segment(const double p[3], double x[2][3]) {
    double t[3], r[3], length = 0.0, along = 0.0, sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        t[k] = x[1][k] - x[0][k];
        r[k] = p[k] - x[0][k];
        length += t[k] * t[k];
        along += t[k] * r[k];
    }
    double at = length > 0.0 ? fmin(fmax(along / length, 0.0), 1.0) : 0.0;
    for (int k = 0; k < 3; ++k) sum += (r[k] - at * t[k]) * (r[k] - at * t[k]);
    return sqrt(sum);
}

// from an end, or between lines where the feet of their perpendicular are inside
static double segment_distance(double x[2][3], double y[2][3]) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0, best = INFINITY, sum = 0.0;
    for (int end = 0; end < 2; ++end)
        best = fmin(best, fmin(point_to_segment(x[end], y), point_to_segment(y[end], x)));
    for (int k = 0; k < 3; ++k) {
        double s = x[1][k] - x[0][k], t = y[1][k] - y[0][k], r = x[0][k] - y[0][k];
        a += s * s;
        b += s * t;
        c += t * t;
        d += s * r;
        e += t * r;
    }
    double cross = a * c - b * b, u = (b * e - c * d) / cross, v = (a * e - b * d) / cross;
    if (!(cross > 1e-12 * a * c && u >= 0.0 && u <= 1.0 && v >= 0.0 && v <= 1.0)) return best;
    for (int k = 0; k < 3; ++k) {
        double gap = x[0][k] + u * (x[1][k] - x[0][k]) - y[0][k] - v * (y[1][k] - y[0][k]);
        sum += gap * gap;
    }
    return fmin(best, sqrt(sum));
}

//---------------------------------- law ------------------------------------------

typedef struct searchPose {
    tacFrame rel_frame, back;
    double cutoff, opposing;
} searchPose;

// pairs of a search are in order
static int search_pairs(searchBench* b, const searchPose* pose, int all, int* count) {
    tacWitnessOptions witness = tac_default_witness_options();
    const tacFeatures* f = b->model->contact->feature;
    tacEdgeSearch search = {{&f[0], &f[1]}, &pose->rel_frame, &pose->back, pose->cutoff,
                            &witness,       pose->opposing,   all};
    int *first = b->first[all], *second = b->second[all];
    *count = tac_edge_search(&search, b->capacity, first, second, &b->arena);
    ENSURE(*count <= b->capacity && b->arena.used == 0);
    for (int i = 1; i < *count; ++i)
        ENSURE(first[i - 1] < first[i] || (first[i - 1] == first[i] && second[i - 1] < second[i]));
    return 0;
}

// those of all pairs that pass the exact tests stand in the list, unless they are out of reach
static int listed_if_near(searchBench* b, const searchPose* pose) {
    const tacFeatures* f = b->model->contact->feature;
    double beyond = 0.2785 * tac_default_witness_options().inside;
    int count[2], at = 0;
    for (int all = 0; all < 2; ++all) ENSURE_LAW(search_pairs(b, pose, all, &count[all]));
    for (int i = 0; i < count[1]; ++i) {
        double x[2][3], y[2][3];
        int one = b->first[1][i], two = b->second[1][i];
        if (at < count[0] && b->first[0][at] == one && b->second[0][at] == two) {
            ++at;
            continue;
        }
        longer_edge(&f[0], one, NULL, beyond, x);
        longer_edge(&f[1], two, &pose->rel_frame, beyond, y);
        ENSURE(segment_distance(x, y) > pose->cutoff * (1.0 - 1e-9));
    }
    ENSURE(at == count[0]); // and no others
    b->pairs += count[0];
    b->all += count[1];
    return 0;
}

static int random_poses(searchBench* b, testRandom* random, double unit, double shift) {
    int poses = test_amount(4, 60, 1000);
    for (int i = 0; i < poses; ++i) {
        double R[3][3], middle[3];
        searchPose pose = {.cutoff = unit * pow(10.0, test_uniform(random, -3.0, 0.0)),
                           .opposing = test_uniform(random, 0.01, 0.3)};
        random_rotation(random, R);
        if (i % 4 == 0) quarter_rotation(i / 4 % 3, R);
        for (int k = 0; k < 3; ++k) middle[k] = unit * test_uniform(random, -1.0, 1.0);
        pose_pair(R, middle, shift, &pose.rel_frame, &pose.back);
        ENSURE_LAW(listed_if_near(b, &pose));
    }
    return 0;
}

static int culled_search_equals_unculled_search(void) {
    testRandom random = {3};
    int kinds = TAC_COUNT(geoms);
    long pairs = 0, all = 0;
    for (int n = 0; n < kinds * kinds; ++n)
        for (int u = 0; u < TAC_COUNT(units); ++u)
            for (int far = 0; far < 2; ++far) {
                searchBench b;
                double shift = far ? 1e3 : 0.0;
                ENSURE_LAW(open_bench(&b, load_geom_pair(n / kinds, n % kinds, units[u], shift)));
                ENSURE_LAW(random_poses(&b, &random, units[u], shift));
                pairs += b.pairs;
                all += b.all;
                close_bench(&b);
            }
    printf("    %ld pairs of %ld that pass the exact tests\n", pairs, all);
    ENSURE(pairs > 1000);
    return 0;
}

// Boxes one above the other, the upper a quarter turned and to the side: where it is `beyond` 0,
// edges of both cross at their ends
static int cross_at(searchBench* b, double unit, double cutoff, double gap, double beyond) {
    double R[3][3], middle[3] = {unit * (1.4 + beyond), unit * (1.4 + beyond), 1.4 * unit + gap};
    searchPose pose = {.cutoff = cutoff, .opposing = 0.1};
    quarter_rotation(2, R);
    pose_pair(R, middle, 0.0, &pose.rel_frame, &pose.back);
    return listed_if_near(b, &pose);
}

// as far apart as edges may be, and a little more or less
static int edges_are_found_up_to_the_cutoff(void) {
    for (int u = 0; u < TAC_COUNT(units); ++u) {
        searchBench b;
        double unit = units[u];
        ENSURE_LAW(open_bench(&b, load_geom_pair(1, 1, unit, 0.0)));
        for (int i = -40; i <= 40; ++i) {
            double more = copysign(pow(2.0, -abs(i)), i), cutoff = (i % 2 ? 0.05 : 1.0) * unit;
            long before = b.pairs;
            ENSURE_LAW(cross_at(&b, unit, cutoff, cutoff * (1.0 + more), -0.9));
            if (i < 0) ENSURE(b.pairs > before);
        }
        close_bench(&b);
    }
    return 0;
}

// as far to the side as edges may be
static int edges_reach_beyond_their_ends_by_the_overshoot(void) {
    for (int u = 0; u < TAC_COUNT(units); ++u) {
        searchBench b;
        double unit = units[u];
        ENSURE_LAW(open_bench(&b, load_geom_pair(1, 1, unit, 0.0)));
        for (int i = -50; i <= 50; ++i) {
            long before = b.pairs;
            ENSURE_LAW(cross_at(&b, unit, 1e-3 * unit, 5e-4 * unit, 4e-4 * i));
            if (i <= 0) ENSURE(b.pairs > before);
        }
        close_bench(&b);
    }
    return 0;
}

// nothing is near what has no place
static int pairs_without_a_pose_have_no_edges(void) {
    double R[3][3], middle[3] = {NAN, 0.0, 0.0};
    searchPose pose = {.cutoff = 0.1, .opposing = 0.1};
    searchBench b;
    ENSURE_LAW(open_bench(&b, load_geom_pair(1, 0, 1.0, 0.0)));
    quarter_rotation(2, R);
    for (int i = 0; i < 3; ++i) {
        middle[0] = i == 0 ? NAN : i == 1 ? INFINITY : 1e300;
        pose_pair(R, middle, 0.0, &pose.rel_frame, &pose.back);
        ENSURE_LAW(listed_if_near(&b, &pose));
        ENSURE(b.all == 0);
    }
    close_bench(&b);
    return 0;
}

TEST_MAIN(RUN(culled_search_equals_unculled_search), RUN(edges_are_found_up_to_the_cutoff),
          RUN(edges_reach_beyond_their_ends_by_the_overshoot),
          RUN(pairs_without_a_pose_have_no_edges))
