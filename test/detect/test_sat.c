// Laws of separating axes: every axis tried one by one, another algorithm for distances, closed
// forms, and the errors of the paper that must not come back.

#include "detect/convex/gjk.h"
#include "detect/convex/simplex_vertex.h"
#include "detect/random_solids.h"
#include "detect/sat/solid_pair.h"

static int sweep_count(int few, int some, int many) {
    if (getenv("TACTUS_NO_SWEEP")) return few;
    const char* mode = getenv("TACTUS_SWEEP");
    return mode && strcmp(mode, "long") == 0 ? many : some;
}

static tacSeparation separation_of(tacPosedSolid a, tacPosedSolid b) {
    tacSeparation out = {0};
    if (tac_sat(a, b, INFINITY, &out) != TAC_OK) out.distance = NAN;
    return out;
}

//---------------------------------- brute force ----------------------------------

// the largest gap over all normals of faces, and in space all products of edges
static double largest_gap(const tacSolidPair* pair) {
    const tacSolid *a = pair->a, *b = pair->b;
    double best = -INFINITY;
    for (int f = 0; f < a->faces; ++f) best = fmax(best, tac_solid_pair_gap(pair, a->normal[f]));
    for (int f = 0; f < b->faces; ++f)
        best =
            fmax(best, tac_solid_pair_gap(pair, tac_neg(tac_mat_mul_vec(pair->R, b->normal[f]))));
    for (int i = 0; i < a->edges && !a->planar; ++i)
        for (int j = 0; j < b->edges; ++j) {
            tacVec3 u = tac_sub(a->vertex[a->edge[i][1]], a->vertex[a->edge[i][0]]);
            tacVec3 v = tac_mat_mul_vec(
                pair->R, tac_sub(b->vertex[b->edge[j][1]], b->vertex[b->edge[j][0]]));
            tacVec3 n = tac_cross(u, v);
            if (tac_norm(n) < 1e-6 * tac_norm(u) * tac_norm(v)) continue;
            n = tac_normalize(n);
            best =
                fmax(best, fmax(tac_solid_pair_gap(pair, n), tac_solid_pair_gap(pair, tac_neg(n))));
        }
    return best;
}

// distance of the corners' hulls by Gilbert, Johnson and Keerthi's method, radii taken off
static double other_distance(const tacSolidPair* pair) {
    tacConvex piece[2] = {{.kind = TAC_CONVEX_POINTS}, {.kind = TAC_CONVEX_POINTS}};
    const tacSolid* solid[2] = {pair->a, pair->b};
    double* point[2];
    tacGjkCache cache = {.count = 0};
    for (int k = 0; k < 2; ++k) {
        point[k] = malloc(sizeof(double) * 3 * (size_t)solid[k]->vertices);
        for (int i = 0; i < solid[k]->vertices; ++i)
            tac_store3(point[k] + 3 * i, k ? tac_solid_pair_vertex(pair, i) : solid[0]->vertex[i]);
        piece[k].point = point[k];
        piece[k].count = solid[k]->vertices;
        piece[k].radius = solid[k]->radius;
        for (int i = 0; i < 3; ++i) piece[k].rot[i][i] = 1.0;
    }
    void* memory = malloc(tac_gjk_size());
    double distance = tac_gjk(&piece[0], &piece[1], &cache, memory).distance;
    free(memory);
    free(point[0]);
    free(point[1]);
    return distance;
}

//---------------------------------- laws -----------------------------------------

// is x in the solid, within a tolerance?
static int contains_point(tacPosedSolid p, tacVec3 x, double tolerance) {
    tacSolidPair pair;
    tacSolid* ball = NULL;
    tac_solid_create_ball(1.0, p.solid->planar, &ball, NULL);
    tac_solid_pair(p, (tacPosedSolid){ball, {x, {1.0, 0.0, 0.0, 0.0}}}, &pair);
    tacVec3 y = pair.p;
    int inside = 1;
    for (int f = 0; f < p.solid->faces; ++f)
        inside &= tac_dot(p.solid->normal[f], y) <= p.solid->offset[f] + tolerance;
    if (p.solid->radius > 0.0) inside &= tac_norm(y) <= p.solid->radius + tolerance;
    tac_solid_destroy(ball);
    return inside;
}

static int is_consistent(tacPosedSolid a, tacPosedSolid b, const tacSeparation* s) {
    ENSURE_NEAR(tac_norm(s->normal), 1.0, 1e-12);
    ENSURE_NEAR(tac_dot(s->normal, s->tangent[0]), 0.0, 1e-12);
    ENSURE_NEAR(tac_norm(s->tangent[1]), 1.0, 1e-12);
    tacVec3 way = tac_sub(s->point[1], s->point[0]);
    ENSURE_NEAR(tac_distance(way, tac_scale(s->normal, s->distance)), 0.0, 1e-11);
    ENSURE(contains_point(a, s->point[0], 1e-9));
    ENSURE(contains_point(b, s->point[1], 1e-9));
    return 0;
}

static int pair_obeys(testRandom* random, solidKind first, solidKind second, int planar) {
    tacPosedSolid a = {random_solid(random, first, planar), random_pose(random, planar, 1.2)};
    tacPosedSolid b = {random_solid(random, second, planar), random_pose(random, planar, 1.2)};
    tacSolidPair pair;
    ENSURE(a.solid && b.solid && tac_solid_pair(a, b, &pair) == TAC_OK);
    tacSeparation s = separation_of(a, b), back = separation_of(b, a);
    int failed = is_consistent(a, b, &s);
    double slack = 1e-12 * (a.solid->size + b.solid->size);
    int both = a.solid->vertices > 0 && b.solid->vertices > 0;
    if (!failed && fabs(s.distance - back.distance) > slack) failed = 2;
    if (!failed && both && s.distance > 0.0) {
        if (fabs(s.distance - other_distance(&pair)) > 1e-11) failed = 3;
    } else if (!failed && both && !a.solid->radius && !b.solid->radius) {
        if (fabs(s.distance - largest_gap(&pair)) > 1e-10) failed = 4;
    }
    if (failed)
        printf("  kinds %d %d planar %d: law %d, distance %.17g, back %.17g, axes %.17g\n", first,
               second, planar, failed, s.distance, back.distance, largest_gap(&pair));
    // a cutoff never hides what is nearer
    tacSeparation cut;
    tac_sat(a, b, 0.3, &cut);
    if (!failed && (cut.bound ? s.distance <= 0.3 || cut.distance > s.distance + slack
                              : cut.distance != s.distance))
        failed = 5;
    tac_solid_destroy((tacSolid*)a.solid);
    tac_solid_destroy((tacSolid*)b.solid);
    return failed;
}

static int all_pairs_agree_with_brute_force(void) {
    testRandom random = {2003};
    int count = sweep_count(30, 300, 20000);
    for (int i = 0; i < count; ++i)
        for (int first = 0; first < SOLID_KINDS; ++first)
            for (int second = 0; second < SOLID_KINDS; ++second) {
                if (first == SOLID_HALF && second == SOLID_HALF) continue;
                for (int planar = 0; planar < 2; ++planar)
                    ENSURE_LAW(pair_obeys(&random, (solidKind)first, (solidKind)second, planar));
            }
    return 0;
}

//---------------------------------- closed forms ---------------------------------

static tacPosedSolid posed_at(tacSolid* solid, double x, double y, double angle) {
    return (tacPosedSolid){solid, {{x, y, 0.0}, {cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)}}};
}

// 003-E6: the circle's centre inside the rectangle; printed depths fall with deeper overlap
static int circle_inside_a_rectangle_has_the_least_depth(void) {
    tacSolid *box = NULL, *circle = NULL;
    const double half[3] = {2.0, 2.0}, x[] = {2.0, 1.9, 1.5, 0.9}, depth[] = {0.5, 0.6, 1.0, 1.6};
    ENSURE(tac_solid_create_box(half, 1, &box, NULL) == TAC_OK);
    ENSURE(tac_solid_create_ball(0.5, 1, &circle, NULL) == TAC_OK);
    for (int i = 0; i < 4; ++i) {
        tacSeparation s =
            separation_of(posed_at(box, 0.0, 0.0, 0.0), posed_at(circle, x[i], 0.0, 0.0));
        ENSURE_NEAR(s.distance, -depth[i], 1e-15);
        ENSURE_NEAR(s.normal.x, 1.0, 1e-15);
    }
    // 003-E4: on both symmetry axes the answer is still a unit normal
    tacSeparation s = separation_of(posed_at(box, 0.0, 0.0, 0.0), posed_at(circle, 0.0, 0.0, 0.0));
    ENSURE_NEAR(s.distance, -2.5, 1e-15);
    ENSURE_NEAR(tac_norm(s.normal), 1.0, 1e-15);
    tac_solid_destroy(box);
    tac_solid_destroy(circle);
    return 0;
}

// 003-E7: the normal at a corner points from the corner to the centre
static int normal_at_a_vertex_is_exact(void) {
    tacSolid *box = NULL, *circle = NULL;
    const double half[3] = {1.0, 0.6};
    tac_solid_create_box(half, 1, &box, NULL);
    tac_solid_create_ball(0.5, 1, &circle, NULL);
    tacSeparation s = separation_of(posed_at(box, 0.0, 0.0, 0.0), posed_at(circle, 1.2, 0.75, 0.0));
    ENSURE_NEAR(s.normal.x, 0.8, 1e-14);
    ENSURE_NEAR(s.normal.y, 0.6, 1e-14);
    ENSURE_NEAR(s.distance, -0.25, 1e-14);
    // 003-E14: edge normals alone would call this an overlap
    const double one[3] = {1.0, 1.0};
    tacSolid *square = NULL, *unit = NULL;
    tac_solid_create_box(one, 1, &square, NULL);
    tac_solid_create_ball(1.0, 1, &unit, NULL);
    s = separation_of(posed_at(square, 0.0, 0.0, 0.0), posed_at(unit, 1.8, 1.8, 0.0));
    ENSURE_NEAR(s.distance, 0.8 * sqrt(2.0) - 1.0, 1e-14);
    tac_solid_destroy(box);
    tac_solid_destroy(circle);
    tac_solid_destroy(square);
    tac_solid_destroy(unit);
    return 0;
}

// parallel sides touch in the middle of what they share
static int parallel_sides_touch_in_the_middle(void) {
    tacSolid *low = NULL, *high = NULL;
    const double wide[3] = {1.0, 0.2}, small[3] = {0.3, 0.1};
    tac_solid_create_box(wide, 1, &low, NULL);
    tac_solid_create_box(small, 1, &high, NULL);
    for (int side = -1; side <= 1; side += 2) {
        tacSeparation s = separation_of(posed_at(low, 0.0, 0.0, 0.0),
                                        posed_at(high, 0.9, 0.3 + 0.01 * side, 0.0));
        ENSURE_NEAR(s.distance, 0.01 * side, 1e-14);
        ENSURE_NEAR(s.point[0].x, 0.8, 1e-14);
        ENSURE_NEAR(s.normal.y, 1.0, 1e-14);
    }
    tac_solid_destroy(low);
    tac_solid_destroy(high);
    const double cube[3] = {0.5, 0.5, 0.5};
    tacSolid *a = NULL, *b = NULL;
    tac_solid_create_box(cube, 0, &a, NULL);
    tac_solid_create_box(cube, 0, &b, NULL);
    tacPosedSolid top = {b, {{0.25, 0.25, 0.99}, {1.0, 0.0, 0.0, 0.0}}};
    tacSeparation s = separation_of((tacPosedSolid){a, tac_pose_identity()}, top);
    ENSURE_NEAR(s.distance, -0.01, 1e-14);
    ENSURE_NEAR(s.point[1].x, 0.125, 1e-14);
    ENSURE_NEAR(s.point[1].y, 0.125, 1e-14);
    tac_solid_destroy(a);
    tac_solid_destroy(b);
    return 0;
}

//---------------------------------- bad input ------------------------------------

static int nonsense_is_refused(void) {
    tacSolid *out = NULL, *flat = NULL, *ball = NULL;
    tacMessage message;
    const double half[3] = {1.0, -1.0, 1.0}, zero[3] = {0.0};
    const double dent[] = {0, 0, 2, 0, 2, 2, 1, 0.5, 0, 2}, line[] = {0, 0, 1, 1, 2, 2};
    const double star[] = {0, 1, 0.6, -0.8, -0.95, 0.3, 0.95, 0.3, -0.6, -0.8};
    ENSURE(tac_solid_create_ball(NAN, 0, &out, &message) == TAC_ERROR_VALUE && message.text[0]);
    ENSURE(tac_solid_create_ball(0.0, 0, &out, &message) == TAC_ERROR_VALUE);
    ENSURE(tac_solid_create_box(half, 0, &out, &message) == TAC_ERROR_VALUE);
    ENSURE(tac_solid_create_halfspace(zero, 0.0, 0, &out, &message) == TAC_ERROR_VALUE);
    ENSURE(tac_solid_create_polygon(dent, 5, &out, &message) == TAC_ERROR_VALUE);
    ENSURE(strstr(message.text, "not convex at (1, 0.5)"));
    ENSURE(tac_solid_create_polygon(line, 3, &out, &message) == TAC_ERROR_VALUE);
    ENSURE(tac_solid_create_polygon(star, 5, &out, &message) == TAC_ERROR_VALUE);
    ENSURE(tac_solid_create_polyhedron(zero, 1, &out, &message) != TAC_OK);
    ENSURE(out == NULL);
    tac_solid_create_ball(1.0, 1, &flat, NULL);
    tac_solid_create_ball(1.0, 0, &ball, NULL);
    tacPosedSolid a = {flat, tac_pose_identity()}, b = {ball, tac_pose_identity()};
    tacSeparation s;
    ENSURE(tac_sat(a, b, INFINITY, &s) == TAC_ERROR_VALUE);
    b.pose.position.x = NAN;
    ENSURE(tac_sat(b, b, INFINITY, &s) == TAC_ERROR_VALUE);
    tac_solid_destroy(flat);
    tac_solid_destroy(ball);
    return 0;
}

TEST_MAIN(RUN(all_pairs_agree_with_brute_force), RUN(circle_inside_a_rectangle_has_the_least_depth),
          RUN(normal_at_a_vertex_is_exact), RUN(parallel_sides_touch_in_the_middle),
          RUN(nonsense_is_refused))
