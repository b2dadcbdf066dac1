// Laws of contacts to rest on: they hold up what lies on them, keep their names while the bodies
// move a little, and each says the truth about its two features.

#include "detect/convex/clip_manifold.h"

#include "detect/convex/simplex_vertex.h"
#include "detect/convex_contacts.h"
#include "detect/random_convex.h"

enum { POINTS = TAC_CLIP_MAX_CONTACTS };

static int sweep_count(int few, int some) { return getenv("TACTUS_NO_SWEEP") ? few : some; }

typedef struct manifoldContacts {
    int count;
    tacFeatureContact pair[POINTS];
    tacFeatureContactPoint at[POINTS];
} manifoldContacts;

static int find_manifold(const tacConvex* a, const tacConvex* b, double margin,
                         manifoldContacts* out) {
    static void* memory;
    tacGjkCache cache = {.count = 0};
    if (!memory) memory = malloc(tac_gjk_size());
    out->count = tac_clip_manifold(a, b, margin, &cache, out->pair, memory);
    for (int i = 0; i < out->count; ++i) {
        ENSURE(tac_feature_contact_at(&out->pair[i], tac_convex_transform(a),
                                      tac_convex_transform(b), &out->at[i]) == TAC_OK);
        ENSURE(i == 0 || out->pair[i - 1].feature_id < out->pair[i].feature_id);
    }
    return 0;
}

static tacConvex box_part(double x, double y, double z) {
    return (tacConvex){
        .kind = TAC_CONVEX_BOX, .size = {x, y, z}, .rot = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static tacConvex ground_part(void) {
    tacConvex c = box_part(0, 0, 0);
    c.kind = TAC_CONVEX_HALF_SPACE;
    return c;
}

// turned by an angle about x, then y, then z
static void rotate_part(tacConvex* c, double x, double y, double z) {
    double cx = cos(x), sx = sin(x), cy = cos(y), sy = sin(y), cz = cos(z), sz = sin(z);
    double R[3][3] = {{cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx},
                      {sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx},
                      {-sy, cy * sx, cy * cx}};
    memcpy(c->rot, R, sizeof R);
}

// area of the polygon that points span in the plane z = const
static double span_area(const manifoldContacts* c) {
    double best = 0.0, sum = 0.0;
    int hull[2 * POINTS], count = 0;
    for (int start = 0, at = 0; count < 2 * POINTS; at = hull[count - 1]) { // wrap a string around
        if (count == 0) {
            for (int i = 1; i < c->count; ++i)
                if (c->at[i].point.x < c->at[start].point.x) start = i;
            hull[count++] = start;
            continue;
        }
        int next = -1;
        for (int i = 0; i < c->count; ++i) {
            if (i == at) continue;
            if (next < 0) next = i;
            tacVec3 u = tac_sub(c->at[next].point, c->at[at].point);
            tacVec3 v = tac_sub(c->at[i].point, c->at[at].point);
            double side = u.x * v.y - u.y * v.x;
            if (side < 0.0 || (side == 0.0 && v.x * v.x + v.y * v.y > u.x * u.x + u.y * u.y))
                next = i;
        }
        if (next < 0 || next == start) break;
        hull[count++] = next;
    }
    for (int i = 0; i < count; ++i) {
        tacVec3 p = c->at[hull[i]].point, q = c->at[hull[(i + 1) % count]].point;
        sum += 0.5 * (p.x * q.y - p.y * q.x);
    }
    best = fabs(sum);
    return best;
}

//---------------------------------- known places ----------------------------------

// a box on the ground: four corners, each at its own height
static int box_on_ground_has_four_contacts(void) {
    testRandom random = {3};
    tacConvex ground = ground_part();
    for (int trial = 0; trial < 200; ++trial) {
        tacConvex b = box_part(0.3, 0.2, 0.1);
        double tilt = trial ? 1e-3 * test_uniform(&random, -1.0, 1.0) : 0.0;
        double roll = trial ? 1e-3 * test_uniform(&random, -1.0, 1.0) : 0.0;
        rotate_part(&b, tilt, roll, test_uniform(&random, -3.0, 3.0));
        b.pos[2] = 0.1 + 1e-3;
        manifoldContacts c;
        ENSURE_LAW(find_manifold(&ground, &b, 0.01, &c));
        ENSURE(c.count == 4);
        double sum = 0.0;
        for (int i = 0; i < 4; ++i) {
            tacVec3 p = c.at[i].point;
            ENSURE(tac_feature_contact_kind(c.pair[i].feature_id) == TAC_FEATURE_CONTACT_FACE);
            ENSURE_NEAR(c.at[i].normal.z, 1.0, 1e-15);
            ENSURE_NEAR(c.at[i].distance, 2.0 * p.z, 1e-15); // halfway up
            sum += c.at[i].distance;
        }
        ENSURE_NEAR(sum / 4.0, 1e-3 + 0.1 * (1.0 - b.rot[2][2]), 1e-12);
        ENSURE_NEAR(span_area(&c), 0.24, 1e-5);
    }
    return 0;
}

// area that two rectangles share, by cutting one with the sides of the other
static double shared_area(const double size[2], const double other[2], double x, double y,
                          double angle) {
    double p[16][2] = {
        {-other[0], -other[1]}, {other[0], -other[1]}, {other[0], other[1]}, {-other[0], other[1]}};
    int count = 4;
    for (int i = 0; i < 4; ++i) {
        double u = p[i][0], v = p[i][1];
        p[i][0] = x + cos(angle) * u - sin(angle) * v;
        p[i][1] = y + sin(angle) * u + cos(angle) * v;
    }
    for (int side = 0; side < 4; ++side) {
        double out[16][2], sign = side % 2 ? -1.0 : 1.0;
        int k = side / 2, persistent = 0;
        for (int i = 0; i < count; ++i) {
            const double *a = p[i], *b = p[(i + 1) % count];
            double fa = size[k] - sign * a[k], fb = size[k] - sign * b[k];
            if (fa >= 0.0) memcpy(out[persistent++], a, sizeof out[0]);
            if (fa * fb < 0.0) {
                double t = fa / (fa - fb);
                out[persistent][0] = a[0] + t * (b[0] - a[0]);
                out[persistent++][1] = a[1] + t * (b[1] - a[1]);
            }
        }
        memcpy(p, out, sizeof p);
        count = persistent;
    }
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        const double *a = p[i], *b = p[(i + 1) % count];
        sum += 0.5 * (a[0] * b[1] - a[1] * b[0]);
    }
    return sum;
}

// a box on a box, anyhow turned and shifted: contacts span what the faces share
static int box_on_box_spans_the_shared_area(void) {
    testRandom random = {4};
    int count = sweep_count(500, 5000);
    double least = 1.0;
    for (int trial = 0; trial < count; ++trial) {
        tacConvex a = box_part(0.3, 0.2, 0.1), b = box_part(0.25, 0.15, 0.05);
        double yaw = trial % 5 ? test_uniform(&random, -3.0, 3.0) : trial % 2 * 0.5 * M_PI;
        if (trial % 10 == 5) yaw += pow(10.0, test_uniform(&random, -9.0, -1.0));
        rotate_part(&b, 1e-6 * test_uniform(&random, -1, 1), 1e-6 * test_uniform(&random, -1, 1),
                    yaw);
        b.pos[0] = test_uniform(&random, -0.4, 0.4);
        b.pos[1] = test_uniform(&random, -0.3, 0.3);
        b.pos[2] = 0.15 + 1e-5;
        double share = shared_area(a.size, b.size, b.pos[0], b.pos[1], yaw);
        if (share < 1e-3) continue;
        manifoldContacts c;
        ENSURE_LAW(find_manifold(&a, &b, 1e-3, &c));
        ENSURE(c.count >= 3);
        double ratio = span_area(&c) / share;
        ENSURE(ratio < 1.0 + 1e-4);
        least = fmin(least, ratio);
        for (int i = 0; i < c.count; ++i) ENSURE_NEAR(c.at[i].normal.z, 1.0, 1e-9);
    }
    printf("  contacts span at least %.4f of what the faces share\n", least);
    ENSURE(least > 0.97);
    return 0;
}

// equal boxes, exactly above each other
static int equal_boxes_stack_on_four_contacts(void) {
    tacConvex a = box_part(0.1, 0.1, 0.1), b = a;
    b.pos[2] = 0.2 + 1e-7;
    manifoldContacts c;
    ENSURE_LAW(find_manifold(&a, &b, 1e-3, &c));
    ENSURE(c.count == 4);
    ENSURE_NEAR(span_area(&c), 0.04, 1e-12);
    for (int i = 0; i < 4; ++i) ENSURE_NEAR(c.at[i].distance, 1e-7, 1e-16);
    return 0;
}

// flats of capsules and cylinders on the ground and on a box
static int flat_sides_of_round_parts_are_supported(void) {
    const double tilt = 1e-4;
    for (int on_box = 0; on_box < 2; ++on_box) {
        tacConvex ground = on_box ? box_part(1, 1, 1) : ground_part(), c = box_part(0.1, 0.1, 0.3);
        manifoldContacts found;
        if (on_box) ground.pos[2] = -1.0;
        c.kind = TAC_CONVEX_SEGMENT;
        c.radius = 0.1;
        rotate_part(&c, 0.0, 0.5 * M_PI + tilt, 0.7);
        c.pos[2] = 0.1 + 1e-3;
        ENSURE_LAW(find_manifold(&ground, &c, 0.01, &found));
        ENSURE(found.count == 2);
        ENSURE_NEAR(found.at[0].distance + found.at[1].distance, 2e-3, 1e-15);
        ENSURE_NEAR(fabs(found.at[0].distance - found.at[1].distance), 0.6 * sin(tilt), 1e-15);

        c.kind = TAC_CONVEX_CYLINDER;
        c.radius = 0.0; // on its side
        ENSURE_LAW(find_manifold(&ground, &c, 0.01, &found));
        ENSURE(found.count == 2);
        for (int i = 0; i < 2; ++i) {
            double z = 0.1 * (1.0 - cos(tilt)) + 1e-3 +
                       (found.at[i].distance > 1e-3 ? 0.3 : -0.3) * sin(tilt);
            ENSURE_NEAR(found.at[i].distance, z, 1e-15);
        }
        rotate_part(&c, 0.0, 0.0, 0.0);
        c.pos[2] = 0.3 + 1e-3; // upright
        ENSURE_LAW(find_manifold(&ground, &c, 0.01, &found));
        ENSURE(found.count == 8);
        ENSURE_NEAR(span_area(&found), 0.5 * 8 * 0.01 * sin(M_PI / 4), 1e-12);
    }
    return 0;
}

// a capsule half on a box: one end over its face, one where it leaves it
static int box_over_an_edge_is_supported(void) {
    tacConvex a = box_part(0.2, 0.2, 0.2), b = box_part(0.05, 0.05, 0.3);
    manifoldContacts c;
    b.kind = TAC_CONVEX_SEGMENT;
    b.radius = 0.05;
    rotate_part(&b, 0.0, 0.5 * M_PI, 0.0);
    b.pos[0] = 0.2;
    b.pos[2] = 0.25 + 1e-4;
    ENSURE_LAW(find_manifold(&a, &b, 1e-2, &c));
    ENSURE(c.count == 2);
    double low = fmin(c.at[0].point.x, c.at[1].point.x);
    double high = fmax(c.at[0].point.x, c.at[1].point.x);
    ENSURE_NEAR(low, -0.1, 1e-12);
    ENSURE_NEAR(high, 0.2, 1e-12);
    return 0;
}

// A blade stands on its edge. Faces beside it are steep and those beyond its ends look more at the
// floor; both of its ends are contacts, whichever is lower by a trace.
static int blade_rests_on_its_lowest_edge(void) {
    static const double point[] = {-0.1, 0.0, 0.0,   0.1, 0.0,  0.0, 0.3, 0.02,
                                   0.1,  0.3, -0.02, 0.1, -0.3, 0.0, 0.1};
    tacConvex ground = ground_part(), blade = box_part(0, 0, 0);
    tacHull* hull;
    ENSURE(tac_hull_create((tacHullPoints){point, 5, TAC_HULL_MERGE, NULL},
                           tac_default_options().allocator, &hull, NULL) == TAC_OK);
    blade.kind = TAC_CONVEX_POINTS;
    load_hull(hull, &blade);
    for (int trial = 0; trial < 22; ++trial) {
        double tilt = trial < 2 ? 0.0 : ldexp(trial % 2 ? 1e-3 : -1e-3, -(trial - 2));
        manifoldContacts c;
        rotate_part(&blade, 0.05, tilt, 1.0);
        blade.pos[2] = 1e-3;
        ENSURE_LAW(find_manifold(&ground, &blade, 0.01, &c));
        ENSURE(c.count == 2);
        for (int i = 0; i < 2; ++i) {
            tacVec3 p = c.at[i].point;
            ENSURE_NEAR(hypot(p.x, p.y), 0.1 * cos(tilt), 1e-12);
            ENSURE_NEAR(fabs(c.at[i].distance - 1e-3), 0.1 * fabs(sin(tilt)), 1e-15);
        }
    }
    tac_hull_destroy(hull);
    return 0;
}

// capsules and cylinders side by side, shifted along each other: where their lengths overlap
static int parallel_rods_have_two_contacts(void) {
    for (int trial = 0; trial < 8; ++trial) {
        tacConvex p[2];
        manifoldContacts c;
        for (int i = 0; i < 2; ++i) {
            p[i] = box_part(0.1, 0.1, 0.3);
            if (trial >> i & 1) {
                p[i].kind = TAC_CONVEX_SEGMENT;
                p[i].radius = 0.1;
            } else
                p[i].kind = TAC_CONVEX_CYLINDER;
        }
        p[1].pos[0] = 0.2 + 1e-4;
        p[1].pos[2] = 0.2;
        if (trial & 4) rotate_part(&p[1], 1e-7, 2e-7, 1.0);
        ENSURE_LAW(find_manifold(&p[0], &p[1], 1e-3, &c));
        ENSURE(c.count == 2);
        double low = fmin(c.at[0].point.z, c.at[1].point.z);
        double high = fmax(c.at[0].point.z, c.at[1].point.z);
        ENSURE_NEAR(low, -0.1, 1e-6);
        ENSURE_NEAR(high, 0.3, 1e-6);
        for (int i = 0; i < 2; ++i) ENSURE_NEAR(c.at[i].distance, 1e-4, trial & 4 ? 1e-6 : 1e-15);
    }
    return 0;
}

//---------------------------------- all kinds ----------------------------------

// The first contact is the nearest; none is nearer; a small motion keeps the names of most.
static int nearest_points_are_in_the_manifold(void) {
    testRandom random = {6};
    int count = sweep_count(2000, 20000), persistent = 0, all = 0;
    void* memory = malloc(tac_gjk_size());
    for (int trial = 0; trial < count; ++trial) {
        int kind[2] = {trial % PIECE_KINDS, trial / PIECE_KINDS % PIECE_KINDS};
        if (kind[0] == TAC_CONVEX_HALF_SPACE && kind[1] == TAC_CONVEX_HALF_SPACE) continue;
        tacConvex a = random_convex(&random, kind[0], 0.7),
                  b = random_convex(&random, kind[1], 0.7);
        double least = INFINITY;
        tacGjkCache cache = {.count = 0};
        tacNearest near;
        tacFeatureContact pair = {.pair = 0};
        int known = tac_closest_features(&a, &b, &cache, &near, &pair, memory);
        manifoldContacts c, d;
        ENSURE_LAW(find_manifold(&a, &b, near.distance + 0.05, &c));
        ENSURE(c.count > 0);
        for (int i = 0; i < c.count; ++i) least = fmin(least, c.at[i].distance);
        if (near.distance > 0.0 && known) ENSURE_NEAR(least, near.distance, 1e-12);
        for (int k = 0; k < 3; ++k) b.pos[k] += 1e-9 * test_uniform(&random, -1.0, 1.0);
        ENSURE_LAW(find_manifold(&a, &b, near.distance + 0.05, &d));
        for (int i = 0; i < c.count; ++i) {
            ++all;
            for (int j = 0; j < d.count; ++j)
                persistent += c.pair[i].feature_id == d.pair[j].feature_id;
        }
    }
    printf("  %d contacts of %d pairs, %d kept their name\n", all, count, persistent);
    ENSURE(persistent > 0.999 * all);
    free(memory);
    return 0;
}

// Equal, nested, thin, huge beside tiny, without extent, turned by exact quarters: every answer is
// a number, normals are unit vectors, and no gap is wider than the distance says.
static int degenerate_parts_give_finite_contacts(void) {
    static const double sizes[] = {0.0, 1e-9, 1e-3, 1e-3, 1.0, 1.0, 30.0, 1e3};
    testRandom random = {9};
    int count = sweep_count(4000, 40000);
    void* memory = malloc(tac_gjk_size());
    for (int trial = 0; trial < count; ++trial) {
        int kind[2] = {trial % PIECE_KINDS, trial / PIECE_KINDS % PIECE_KINDS};
        if (kind[0] == TAC_CONVEX_HALF_SPACE && kind[1] == TAC_CONVEX_HALF_SPACE) continue;
        tacConvex p[2];
        for (int i = 0; i < 2; ++i) {
            p[i] = random_convex(&random, kind[i], 0.0);
            for (int k = 0; k < 3; ++k) {
                p[i].size[k] = sizes[test_bits(&random) % 8];
                p[i].pos[k] = (double)(test_bits(&random) % 3) * sizes[test_bits(&random) % 8];
                if (p[i].kind >= TAC_CONVEX_CYLINDER) p[i].size[k] = fmax(p[i].size[k], 1e-3);
            }
            if (p[i].radius > 0.0) p[i].radius = p[i].size[0];
            if (test_bits(&random) % 2) rotate_part(&p[i], 0.0, trial % 4 * 0.5 * M_PI, 0.0);
        }
        if (trial % 5 == 0 && kind[0] == kind[1]) p[1] = p[0];
        double size = tac_convex_bounding_radius(&p[0]) + tac_convex_bounding_radius(&p[1]) + 1e-9;
        tacGjkCache cache = {.count = 0};
        tacNearest near;
        tacFeatureContact pair = {.pair = 0}, list[POINTS];
        tac_closest_features(&p[0], &p[1], &cache, &near, &pair, memory);
        double sum = near.distance + near.error;
        for (int k = 0; k < 3; ++k) sum += near.normal[k] + near.point[0][k] + near.point[1][k];
        ENSURE(isfinite(sum));
        ENSURE_NEAR(tac_length3(near.normal), 1.0, 1e-12);
        double gap = tac_convex_gap(&p[0], &p[1], near.normal);
        ENSURE(gap <= near.distance + 1e-8 * (size + fabs(near.distance)));
        cache.count = 0;
        int found = tac_clip_manifold(&p[0], &p[1], near.distance + 1e-3, &cache, list, memory);
        for (int i = 0; i < found; ++i) {
            tacFeatureContactPoint at;
            tacReal D[7][6];
            tacTransform place[2] = {tac_convex_transform(&p[0]), tac_convex_transform(&p[1])};
            if (tac_feature_contact_at(&list[i], place[0], place[1], &at) != TAC_OK) continue;
            ENSURE(isfinite(at.distance + at.point.x + at.point.y + at.point.z));
            ENSURE_NEAR(tac_norm(at.normal), 1.0, 1e-12);
            if (tac_feature_contact_jacobian(&list[i], place[0], place[1], &at, D) != TAC_OK)
                continue;
            for (int k = 0; k < 42; ++k) ENSURE(isfinite(D[k / 6][k % 6]));
        }
    }
    free(memory);
    return 0;
}

TEST_MAIN(RUN(box_on_ground_has_four_contacts), RUN(box_on_box_spans_the_shared_area),
          RUN(equal_boxes_stack_on_four_contacts), RUN(flat_sides_of_round_parts_are_supported),
          RUN(box_over_an_edge_is_supported), RUN(blade_rests_on_its_lowest_edge),
          RUN(parallel_rods_have_two_contacts), RUN(nearest_points_are_in_the_manifold),
          RUN(degenerate_parts_give_finite_contacts))
