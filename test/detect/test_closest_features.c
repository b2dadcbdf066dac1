// Laws of nearest points to rounding: no direction has a wider gap, and the features that were
// found explain the distance and its derivative.

#include "detect/convex/closest_features.h"

#include "detect/convex/simplex_vertex.h"
#include "detect/random_convex.h"

static int sweep_count(int few, int some) { return getenv("TACTUS_NO_SWEEP") ? few : some; }

static int closest_of(const tacConvex* a, const tacConvex* b, tacNearest* out,
                      tacFeatureContact* contact) {
    static void* memory;
    tacGjkCache cache = {.count = 0};
    if (!memory) memory = malloc(tac_gjk_size());
    *contact = (tacFeatureContact){.pair = 0};
    return tac_closest_features(a, b, &cache, out, contact, memory);
}

// directions around the normal, from far to very near
static double widest_beside(testRandom* random, const tacConvex* a, const tacConvex* b,
                            const double n[3]) {
    double widest = -INFINITY;
    for (int i = 0; i < 40; ++i) {
        double d[3], r = pow(10.0, test_uniform(random, -7.0, 0.0));
        for (int k = 0; k < 3; ++k) d[k] = n[k] + r * test_uniform(random, -1.0, 1.0);
        double length = tac_length3(d);
        for (int k = 0; k < 3; ++k) d[k] /= length;
        widest = fmax(widest, tac_convex_gap(a, b, d));
    }
    return widest;
}

static int no_direction_has_a_wider_gap(void) {
    testRandom random = {5};
    int count = sweep_count(2000, 20000), all = 0, known = 0, apart = 0;
    for (int trial = 0; trial < count; ++trial) {
        int kind[2] = {trial % PIECE_KINDS, trial / PIECE_KINDS % PIECE_KINDS};
        if (kind[0] == TAC_CONVEX_HALF_SPACE && kind[1] == TAC_CONVEX_HALF_SPACE) continue;
        tacConvex a = random_convex(&random, kind[0], 0.9),
                  b = random_convex(&random, kind[1], 0.9);
        tacNearest near;
        tacFeatureContact contact;
        int found = closest_of(&a, &b, &near, &contact);
        double size = tac_convex_bounding_radius(&a) + tac_convex_bounding_radius(&b), w[3];
        ++all;
        known += found;
        apart += near.distance > 0.0;
        ENSURE_NEAR(near.distance, tac_convex_gap(&a, &b, near.normal),
                    found ? 1e-13 * size : 1e-3);
        ENSURE_NEAR(tac_length3(near.normal), 1.0, 1e-14);
        tac_sub3(near.point[1], near.point[0], w);
        for (int k = 0; k < 3; ++k) ENSURE_NEAR(w[k], near.distance * near.normal[k], 2e-12 * size);
        int plane = kind[0] == TAC_CONVEX_HALF_SPACE || kind[1] == TAC_CONVEX_HALF_SPACE;
        if (!plane && found && near.distance > 0.0) {
            double beside = widest_beside(&random, &a, &b, near.normal);
            if (!(beside <= near.distance + 1e-13 * size))
                printf("kinds %d %d trial %d d %g\n", kind[0], kind[1], trial, near.distance);
            ENSURE(beside <= near.distance + 1e-13 * size);
        }
    }
    printf("  %d pairs, %d apart, features known of %d\n", all, apart, known);
    ENSURE(known > 0.999 * all);
    return 0;
}

// Faces, crossing edges and ellipsoids keep their normal when the pieces come nearer. Corners
// do not: once inside, they leave by another way.
static int is_blunt(const tacFeatureContact* t) {
    int flat = 0;
    for (int i = 0; i < 2; ++i) {
        if (t->feature[i].kind == TAC_CONVEX_FEATURE_SMOOTH) return t->feature[i].eps[0] == 1.0;
        flat += t->feature[i].kind == TAC_CONVEX_FEATURE_FACE
                    ? 2
                    : t->feature[i].kind == TAC_CONVEX_FEATURE_EDGE;
    }
    return flat == 2;
}

// two corners, or a corner and an edge
static int is_sharp(const tacFeatureContact* t) {
    int flat = 0;
    for (int i = 0; i < 2; ++i) {
        tacConvexFeatureKind kind = t->feature[i].kind;
        if (kind == TAC_CONVEX_FEATURE_SMOOTH || kind == TAC_CONVEX_FEATURE_RIM) return 0;
        flat += kind == TAC_CONVEX_FEATURE_FACE ? 2 : kind == TAC_CONVEX_FEATURE_EDGE;
    }
    return flat < 2;
}

// Normals between corners that nearly touch. A normal that is off by an angle sees a gap that is
// smaller by distance angle^2/2: that is lost in the rounding of the points, down to the distance
// that bodies with hard contact keep.
static int normals_between_vertices_are_exact(void) {
    static const double distances[] = {1e-4, 1e-6, 1e-7, 5e-8};
    testRandom random = {11};
    int count = sweep_count(4000, 40000), all = 0, lost = 0;
    double worst = 0.0, most = 0.0;
    for (int trial = 0; trial < count; ++trial) {
        tacConvex a = random_convex(&random, TAC_CONVEX_BOX, 2.0);
        tacConvex b = random_convex(&random, TAC_CONVEX_BOX, 2.0);
        tacNearest near, now;
        tacFeatureContact contact, then;
        if (!closest_of(&a, &b, &near, &then) || !(near.distance > 1e-3) || !is_sharp(&then))
            continue;
        double d = distances[test_bits(&random) % 4], w[3];
        double size = tac_convex_bounding_radius(&a) + tac_convex_bounding_radius(&b);
        for (int k = 0; k < 3; ++k) b.pos[k] -= (near.distance - d) * near.normal[k];
        int found = closest_of(&a, &b, &now, &contact);
        tac_sub3(now.normal, near.normal, w);
        ++all;
        lost += !found;
        most = fmax(most, tac_length3(w));
        worst = fmax(worst, 0.5 * d * tac_dot3(w, w) / size);
    }
    printf(
        "  %d pairs, features lost of %d; normals off by %.1e at most, gap by %.1e of the size\n",
        all, lost, most, worst);
    ENSURE(all > count / 20 && lost == 0 && worst < 4e-15);
    return 0;
}

// pieces moved along their normal until they nearly touch, touch, or overlap a little
static int nearly_touching_parts_agree_with_moved_ones(void) {
    static const double distances[] = {1e-4, 1e-7, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-7, -1e-4};
    testRandom random = {8};
    int count = sweep_count(2000, 20000), all = 0, known = 0;
    double off = 0.0, turned = 0.0;
    for (int trial = 0; trial < count; ++trial) {
        int kind[2] = {trial % PIECE_KINDS, trial / PIECE_KINDS % PIECE_KINDS};
        if (kind[0] == TAC_CONVEX_HALF_SPACE && kind[1] == TAC_CONVEX_HALF_SPACE) continue;
        tacConvex a = random_convex(&random, kind[0], 2.0),
                  b = random_convex(&random, kind[1], 2.0);
        tacNearest near, now;
        tacFeatureContact contact, then;
        if (!closest_of(&a, &b, &near, &then) || near.distance < 0.0) continue;
        double d = distances[test_bits(&random) % 9];
        for (int k = 0; k < 3; ++k) b.pos[k] -= (near.distance - d) * near.normal[k];
        int found = closest_of(&a, &b, &now, &contact);
        ++all;
        known += found;
        if (!found || !is_blunt(&then)) continue;
        off = fmax(off, fabs(now.distance - d));
        turned = fmax(turned, 1.0 - tac_dot3(near.normal, now.normal));
    }
    printf("  %d pairs, features known of %d; distance off by %.1e, normal by %.1e\n", all, known,
           off, sqrt(2.0 * fmax(turned, 0.0)));
    ENSURE(known > 0.998 * all && off < 1e-12 && turned < 1e-12);
    return 0;
}

TEST_MAIN(RUN(no_direction_has_a_wider_gap), RUN(nearly_touching_parts_agree_with_moved_ones),
          RUN(normals_between_vertices_are_exact))
