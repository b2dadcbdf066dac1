// Convex hulls: exact signs, the right faces on the worst of inputs, planes that bound all points.

#include "mesh/convex/hull.h"
#include "mesh/convex/orient3d.h"
#include "mesh/failing_allocator.h"
#include "test.h"

#include <stdlib.h>

static int try_scales(int few, int some) { return getenv("TACTUS_NO_SWEEP") ? few : some; }

//---------------------------------- signs ----------------------------------------

// whole numbers up to 2^40: volumes fit into 128 bits
__extension__ typedef __int128 wideInt;

static int sign_of(double x) { return (x > 0.0) - (x < 0.0); }

static int whole_sign(const double p[4][3]) {
    wideInt d[3][3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) d[i][k] = (wideInt)p[i + 1][k] - (wideInt)p[0][k];
    wideInt v = d[2][0] * (d[0][1] * d[1][2] - d[0][2] * d[1][1]) +
                d[2][1] * (d[0][2] * d[1][0] - d[0][0] * d[1][2]) +
                d[2][2] * (d[0][0] * d[1][1] - d[0][1] * d[1][0]);
    return (v > 0) - (v < 0);
}

static int signs_are_exact(void) {
    testRandom random = {7};
    int zeros = 0;
    for (int n = 0; n < try_scales(2000, 200000); ++n) {
        double p[4][3];
        double range = n % 3 == 0 ? 3.0 : n % 3 == 1 ? 1e6 : 1e12;
        for (int i = 0; i < 4; ++i)
            for (int k = 0; k < 3; ++k) p[i][k] = floor(test_uniform(&random, -range, range));
        // near coplanar: a whole combination of the edges, then perhaps one step aside
        if (n % 2)
            for (int k = 0; k < 3; ++k) p[3][k] = 2 * p[1][k] + p[2][k] - 2 * p[0][k];
        if (n % 4 == 3) p[3][n % 3] += 1.0;
        tacOrient3d plane = tac_orient3d_plane(p[0], p[1], p[2]);
        int sign = sign_of(tac_orient3d(&plane, p[3]));
        ENSURE(sign == whole_sign((const double(*)[3])p));
        zeros += sign == 0;
    }
    ENSURE(zeros > 100);
    return 0;
}

// powers of two far apart: only the last step can tell
static int signs_are_exact_over_many_scales(void) {
    double tiny = 0x1p-200;
    double a[3] = {1.0, 1.0, 1.0}, b[3] = {2.0, 3.0, 4.0 + 0x1p-40}, c[3] = {-1.0, tiny, 5.0};
    tacOrient3d plane = tac_orient3d_plane(a, b, c);
    double p[3];
    for (int k = 0; k < 3; ++k) p[k] = a[k];
    ENSURE(tac_orient3d(&plane, p) == 0.0);
    ENSURE(tac_orient3d(&plane, b) == 0.0 && tac_orient3d(&plane, c) == 0.0);
    double q[3] = {0.0, 0.0, 0.0}, r[3] = {1.0, 0.0, 0.0}, s[3] = {0.0, 1.0, 0.0};
    plane = tac_orient3d_plane(q, r, s);
    double up[3] = {0.3, 0.3, tiny}, down[3] = {0.3, 0.3, -tiny};
    ENSURE(tac_orient3d(&plane, up) > 0.0 && tac_orient3d(&plane, down) < 0.0);
    // (1 + 2^-52) (1 - 2^-53) - 1: positive, but rounds to 0
    double e[3] = {1.0 + 0x1p-52, 1.0, 0.0}, f[3] = {1.0, 1.0 - 0x1p-53, 0.0}, g[3] = {0, 0, 1};
    plane = tac_orient3d_plane(q, e, f);
    ENSURE(tac_orient3d(&plane, g) > 0.0);
    return 0;
}

//---------------------------------- laws of a hull -------------------------------

static tacHull* make_hull(const double* point, int count, double merge) {
    tacHull* hull = NULL;
    tacMessage message;
    if (tac_hull_create((tacHullPoints){point, count, merge, NULL}, tac_default_allocator(), &hull,
                        &message) != TAC_OK)
        printf("  no hull: %s\n", message.text);
    return hull;
}

static int points_are_inside(const tacHull* hull, const double* point, int count) {
    for (int f = 0; f < hull->nface; ++f) {
        const double* n = hull->normal + 3 * f;
        ENSURE_NEAR(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-15 * 4);
        for (int i = 0; i < count; ++i) {
            const double* p = point + 3 * (size_t)i;
            double above = n[0] * p[0] + n[1] * p[1] + n[2] * p[2] - hull->offset[f];
            if (!(above <= hull->tolerance)) ENSURE_NEAR(above, 0.0, hull->tolerance);
        }
    }
    return 0;
}

static int corners_are_on_their_planes(const tacHull* hull, double merge) {
    double below = 4.0 * merge * hull->size + hull->tolerance;
    for (int f = 0; f < hull->nface; ++f)
        for (int i = hull->first[f]; i < hull->first[f + 1]; ++i) {
            const double *n = hull->normal + 3 * f, *p = hull->vertex + 3 * hull->corner[i];
            double above = n[0] * p[0] + n[1] * p[1] + n[2] * p[2] - hull->offset[f];
            ENSURE(above <= hull->tolerance && above >= -below);
        }
    return 0;
}

static int compare_edges(const void* a, const void* b) {
    const int *x = a, *y = b;
    return x[0] != y[0] ? x[0] - y[0] : x[1] - y[1];
}

// each edge is there once in each direction, and corners - edges + faces = 2
static int surface_is_closed(const tacHull* hull) {
    int count = hull->ncorner;
    int* edges = malloc(4 * sizeof(int) * (size_t)count);
    int *back = edges + 2 * count, used = 0, wrong = 0;
    for (int f = 0; f < hull->nface; ++f)
        for (int i = hull->first[f]; i < hull->first[f + 1]; ++i) {
            int next = i + 1 < hull->first[f + 1] ? i + 1 : hull->first[f];
            edges[2 * used] = back[2 * used + 1] = hull->corner[i];
            edges[2 * used + 1] = back[2 * used] = hull->corner[next];
            ++used;
        }
    qsort(edges, (size_t)count, 2 * sizeof(int), compare_edges);
    qsort(back, (size_t)count, 2 * sizeof(int), compare_edges);
    wrong = memcmp(edges, back, 2 * sizeof(int) * (size_t)count) != 0;
    for (int i = 1; i < count; ++i) wrong |= compare_edges(edges + 2 * i - 2, edges + 2 * i) == 0;
    free(edges);
    ENSURE(!wrong);
    ENSURE(hull->nvertex - hull->ncorner / 2 + hull->nface == 2);
    ENSURE(hull->ntriangle == hull->ncorner - 2 * hull->nface);
    return 0;
}

static double volume_of(const tacHull* hull) {
    double volume = 0.0;
    const double* o = hull->vertex;
    for (int t = 0; t < hull->ntriangle; ++t) {
        double e[3][3];
        for (int c = 0; c < 3; ++c)
            for (int k = 0; k < 3; ++k)
                e[c][k] = hull->vertex[3 * hull->triangle[3 * t + c] + k] - o[k];
        volume += e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                  e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                  e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    }
    return volume / 6.0;
}

static int laws_hold(const tacHull* hull, const double* point, int count, double merge) {
    ENSURE(hull != NULL);
    ENSURE_LAW(points_are_inside(hull, point, count));
    ENSURE_LAW(corners_are_on_their_planes(hull, merge));
    ENSURE_LAW(surface_is_closed(hull));
    for (int v = 0; v < hull->nvertex; ++v)
        ENSURE(memcmp(hull->vertex + 3 * v, point + 3 * (size_t)hull->point[v], 24) == 0);
    ENSURE(volume_of(hull) > 0.0);
    return 0;
}

//---------------------------------- against counting -----------------------------

// whole points in a small cube: a plane through three of them that has all others below is a face;
// how many different ones there are, and how many points are corners
static int count_faces(const double* point, int count, int* faces) {
    int found[512][4], used = 0;
    for (int a = 0; a < count; ++a)
        for (int b = 0; b < count; ++b)
            for (int c = 0; c < count; ++c) {
                tacOrient3d plane = tac_orient3d_plane(point + 3 * a, point + 3 * b, point + 3 * c);
                int n[4], above = 0, divisor = 0;
                for (int k = 0; k < 3; ++k) n[k] = (int)plane.normal[k];
                for (int k = 0; k < 3; ++k)
                    for (int x = abs(n[k]), y = divisor;;) {
                        if (y == 0) {
                            divisor = x;
                            break;
                        }
                        int rest = x % y;
                        x = y;
                        y = rest;
                    }
                if (divisor == 0) continue;
                for (int k = 0; k < 3; ++k) n[k] /= divisor;
                n[3] = n[0] * (int)point[3 * a] + n[1] * (int)point[3 * a + 1] +
                       n[2] * (int)point[3 * a + 2];
                for (int i = 0; i < count; ++i)
                    above |= n[0] * (int)point[3 * i] + n[1] * (int)point[3 * i + 1] +
                                 n[2] * (int)point[3 * i + 2] >
                             n[3];
                if (above) continue;
                int known = 0;
                for (int i = 0; i < used; ++i) known |= memcmp(found[i], n, sizeof n) == 0;
                if (!known) memcpy(found[used++], n, sizeof n);
            }
    *faces = used;
    return used;
}

static int small_whole_points_match_counting(void) {
    testRandom random = {11};
    int flat = 0;
    for (int n = 0; n < try_scales(60, 600); ++n) {
        double point[24 * 3];
        int count = 4 + n % 21, faces, range = 1 + n % 4;
        for (int i = 0; i < 3 * count; ++i)
            point[i] = floor(test_uniform(&random, 0.0, range + 1.0));
        count_faces(point, count, &faces);
        tacHull* hull = NULL;
        tacResult result = tac_hull_create((tacHullPoints){point, count, 1e-9, NULL},
                                           tac_default_allocator(), &hull, NULL);
        if (result != TAC_OK) {
            ENSURE(result == TAC_ERROR_VALUE && faces <= 2);
            ++flat;
            continue;
        }
        ENSURE_LAW(laws_hold(hull, point, count, 1e-9));
        ENSURE(hull->nface == faces);
        tac_hull_destroy(hull);
    }
    ENSURE(flat > 0);
    return 0;
}

//---------------------------------- known bodies ---------------------------------

// a rotation that nothing is aligned with
static void rotate_points(double* p) {
    static const double r[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0.0}, {0.48, 0.64, 0.6}};
    double q[3] = {p[0] + 0.1, p[1], p[2]};
    for (int k = 0; k < 3; ++k) p[k] = r[k][0] * q[0] + r[k][1] * q[1] + r[k][2] * q[2] + 0.3 * k;
}

// a cube filled with a grid: all but 8 points are no corners, many of them on faces and edges
static int grid_of_a_cube_has_six_faces(void) {
    enum { N = 21 };
    double* point = malloc(sizeof(double) * 3 * N * N * N);
    for (int pass = 0; pass < 4; ++pass) {
        double scale = pass < 2 ? 1.0 : pass == 2 ? 1e6 : 1e-6, *p = point;
        for (int i = 0; i < N * N * N; ++i, p += 3) {
            p[0] = i % N / (N - 1.0);
            p[1] = i / N % N / (N - 1.0);
            p[2] = i / N / N / (N - 1.0);
            if (pass) rotate_points(p);
            for (int k = 0; k < 3; ++k) p[k] *= scale;
        }
        tacHull* hull = make_hull(point, N * N * N, 1e-10);
        ENSURE_LAW(laws_hold(hull, point, N * N * N, 1e-10));
        ENSURE(hull->nface == 6 && hull->nvertex == 8 && hull->ncorner == 24);
        ENSURE_NEAR(volume_of(hull), scale * scale * scale, 1e-12 * scale * scale * scale);
        tac_hull_destroy(hull);
    }
    free(point);
    return 0;
}

// the same cube in float32, as STL files have it: the faces are flat to 1e-7 only
static int cube_in_float_has_six_faces(void) {
    enum { N = 11 };
    double point[3 * N * N * N], *p = point;
    for (int i = 0; i < N * N * N; ++i, p += 3) {
        p[0] = i % N / (N - 1.0);
        p[1] = i / N % N / (N - 1.0);
        p[2] = i / N / N / (N - 1.0);
        rotate_points(p);
        for (int k = 0; k < 3; ++k) p[k] = (float)p[k];
    }
    tacHull* hull = make_hull(point, N * N * N, TAC_HULL_MERGE);
    ENSURE_LAW(laws_hold(hull, point, N * N * N, TAC_HULL_MERGE));
    ENSURE(hull->nface == 6 && hull->nvertex == 8);
    tac_hull_destroy(hull);
    return 0;
}

static void on_sphere(testRandom* random, double* p) {
    double length;
    do {
        for (int k = 0; k < 3; ++k) p[k] = test_uniform(random, -1.0, 1.0);
        length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    } while (length > 1.0 || length < 0.1);
    for (int k = 0; k < 3; ++k) p[k] /= length;
}

static int every_point_of_a_sphere_is_a_corner(void) {
    int count = try_scales(2000, 100000);
    double* point = malloc(sizeof(double) * 3 * (size_t)count);
    testRandom random = {5};
    for (int i = 0; i < count; ++i) on_sphere(&random, point + 3 * i);
    tacHull* hull = make_hull(point, count, 0.0);
    ENSURE(hull != NULL);
    ENSURE_LAW(surface_is_closed(hull));
    ENSURE_LAW(points_are_inside(hull, point, count < 200 ? count : 200));
    ENSURE_NEAR((double)hull->nvertex, count, 0.0001 * count);
    ENSURE_NEAR(volume_of(hull), 4.0 / 3.0 * 3.14159265358979323846, 100.0 / count);
    tac_hull_destroy(hull);
    free(point);
    return 0;
}

static int many_points_in_a_ball(void) {
    int count = try_scales(3000, 100000);
    double* point = malloc(sizeof(double) * 3 * (size_t)count);
    testRandom random = {6};
    for (int i = 0; i < 3 * count; ++i) point[i] = test_uniform(&random, -1.0, 1.0);
    tacHull* hull = make_hull(point, count, 1e-9);
    ENSURE_LAW(laws_hold(hull, point, count, 1e-9));
    tac_hull_destroy(hull);
    free(point);
    return 0;
}

// thin plates, needles, far from the origin, equal points, points on a cylinder's rims
static void odd_cloud(testRandom* random, int kind, double* p, int i) {
    for (int k = 0; k < 3; ++k) p[k] = test_uniform(random, -1.0, 1.0);
    double angle = 2.0 * 3.14159265358979 * (i % 64) / 64.0;
    switch (kind) {
    case 0:
        p[2] *= 1e-6;
        break;
    case 1:
        p[1] *= 1e-6;
        p[2] *= 1e-6;
        break;
    case 2:
        p[0] += 1e6;
        p[1] -= 1e6;
        break;
    case 3:
        for (int k = 0; k < 3; ++k) p[k] = floor(2.0 * p[k]);
        break;
    case 4:
        p[0] = cos(angle);
        p[1] = sin(angle);
        p[2] = i % 2;
        break;
    case 5:
        p[0] = cos(angle);
        p[1] = sin(angle);
        p[2] = i % 128 / 64;
        rotate_points(p);
        break;
    case 6:
        p[2] = p[0] + p[1] + 1e-9 * p[2];
        break;
    case 7:
        p[0] = i;
        p[1] = (double)i * i;
        p[2] = (double)i * i * i;
        break;
    case 8:
        p[2] = floor(2.0 * p[2]);
        rotate_points(p);
        break;
    default:
        p[0] *= 1e-9;
        p[1] *= 1e-9;
        p[2] *= 1e-9;
    }
}

static int odd_clouds_keep_the_laws(void) {
    static const double merges[] = {0.0, 1e-12, 1e-7, 1e-3};
    testRandom random = {8};
    for (int n = 0; n < try_scales(80, 800); ++n) {
        double point[3 * 300];
        int kind = n % 10, least = kind == 5 ? 70 : 8; // both rims
        int count = least + (int)test_uniform(&random, 0.0, 300.0 - least);
        double merge = merges[n / 10 % 4];
        for (int i = 0; i < count; ++i) odd_cloud(&random, kind, point + 3 * i, i);
        tacHull* hull = make_hull(point, count, merge);
        ENSURE_LAW(laws_hold(hull, point, count, merge));
        tac_hull_destroy(hull);
    }
    return 0;
}

static int prism_has_its_faces(void) {
    double point[3 * 128];
    testRandom random = {9};
    for (int i = 0; i < 128; ++i) {
        odd_cloud(&random, 5, point + 3 * i, i);
    }
    tacHull* hull = make_hull(point, 128, 1e-9);
    ENSURE_LAW(laws_hold(hull, point, 128, 1e-9));
    ENSURE(hull->nface == 66 && hull->nvertex == 128);
    tac_hull_destroy(hull);
    return 0;
}

//---------------------------------- repeatable, and failures ---------------------

static int same_points_give_the_same_bits(void) {
    double point[3 * 500];
    testRandom random = {10};
    for (int i = 0; i < 1500; ++i) point[i] = test_uniform(&random, -1.0, 1.0);
    tacHull *a = make_hull(point, 500, 1e-7), *b = make_hull(point, 500, 1e-7);
    ENSURE(a && b && a->nface == b->nface && a->ncorner == b->ncorner);
    ENSURE(memcmp(a->normal, b->normal, sizeof(double) * 3 * (size_t)a->nface) == 0);
    ENSURE(memcmp(a->corner, b->corner, sizeof(int) * (size_t)a->ncorner) == 0);
    tac_hull_destroy(a);
    tac_hull_destroy(b);
    return 0;
}

static int fails_with(const double* point, int count, const char* text) {
    tacHull* hull = NULL;
    tacMessage message = {0};
    tacResult result = tac_hull_create((tacHullPoints){point, count, 1e-7, "a.stl"},
                                       tac_default_allocator(), &hull, &message);
    ENSURE(result == TAC_ERROR_VALUE && !hull && strcmp(message.file, "a.stl") == 0);
    if (!strstr(message.text, text)) printf("  '%s' lacks '%s'\n", message.text, text);
    ENSURE(strstr(message.text, text) != NULL);
    return 0;
}

static int flat_points_are_refused(void) {
    const double three[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double same[15] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3};
    double line[3 * 50], plane[3 * 50];
    testRandom random = {3};
    for (int i = 0; i < 50; ++i) {
        double t = test_uniform(&random, -1.0, 1.0), s = test_uniform(&random, -1.0, 1.0);
        line[3 * i] = t;
        line[3 * i + 1] = 0.3 * t;
        line[3 * i + 2] = 0.7 * t;
        plane[3 * i] = t;
        plane[3 * i + 1] = s;
        plane[3 * i + 2] = 0.3 * t - 0.7 * s;
    }
    const double bad[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, NAN};
    ENSURE_LAW(fails_with(three, 3, "at least four"));
    ENSURE_LAW(fails_with(same, 5, "coincide"));
    ENSURE_LAW(fails_with(line, 50, "on a line"));
    ENSURE_LAW(fails_with(plane, 50, "in a plane"));
    ENSURE_LAW(fails_with(bad, 4, "point 3 (from 0) is not finite"));
    return 0;
}

static int running_out_of_memory_is_survived(void) {
    double point[3 * 400];
    testRandom random = {12};
    for (int i = 0; i < 400; ++i) on_sphere(&random, point + 3 * i);
    for (int limit = 0;; ++limit) {
        failingAllocator s = {.left = limit};
        tacHull* hull = NULL;
        tacMessage message;
        tacResult result = tac_hull_create((tacHullPoints){point, 400, 1e-7, NULL},
                                           failing_allocator(&s), &hull, &message);
        if (result == TAC_OK) {
            tac_hull_destroy(hull);
            ENSURE(s.alive == 0 && limit > 20);
            return 0;
        }
        ENSURE(result == TAC_ERROR_MEMORY && !hull && s.alive == 0);
        ENSURE(strstr(message.text, "memory") != NULL);
    }
}

TEST_MAIN(RUN(signs_are_exact), RUN(signs_are_exact_over_many_scales),
          RUN(small_whole_points_match_counting), RUN(grid_of_a_cube_has_six_faces),
          RUN(cube_in_float_has_six_faces), RUN(every_point_of_a_sphere_is_a_corner),
          RUN(many_points_in_a_ball), RUN(odd_clouds_keep_the_laws), RUN(prism_has_its_faces),
          RUN(same_points_give_the_same_bits), RUN(flat_points_are_refused),
          RUN(running_out_of_memory_is_survived))
