// Laws of distances by convex programs: separating axes, bisection of the growth, conditions of the
// optimum.

#include "detect/random_solids.h"
#include "detect/sat/cone_program.h"
#include "detect/sat/solid_pair.h"
#include "math/pose.h"

static int sweep_count(int few, int some, int many) {
    if (getenv("TACTUS_NO_SWEEP")) return few;
    const char* mode = getenv("TACTUS_SWEEP");
    return mode && strcmp(mode, "long") == 0 ? many : some;
}

typedef struct programCase {
    tacPosedSolid a, b;
    void* memory;
} programCase;

static programCase random_case(testRandom* random, int first, int second, int planar,
                               double spread) {
    programCase c = {
        {random_solid(random, (solidKind)first, planar), random_pose(random, planar, spread)},
        {random_solid(random, (solidKind)second, planar), random_pose(random, planar, spread)},
        NULL};
    c.memory = malloc(tac_convex_separation_size(c.a.solid, c.b.solid));
    return c;
}

static void drop_case(programCase* c) {
    tac_solid_destroy((tacSolid*)c->a.solid);
    tac_solid_destroy((tacSolid*)c->b.solid);
    free(c->memory);
}

//---------------------------------- against axes ---------------------------------

static double worst, worst_point;
static long apart_count; // pairs that are separated

static int agrees_with_axes(testRandom* random, int first, int second, int planar) {
    programCase c = random_case(random, first, second, planar, 1.5);
    tacSeparation program = {0}, axes = {0};
    double points[6] = {0.0};
    tacConvexOptions options = {0};
    ENSURE(tac_sat(c.a, c.b, INFINITY, &axes) == TAC_OK);
    tacResult result = tac_convex_separation(c.a, c.b, &options, &program, NULL, points, c.memory);
    if (result != TAC_OK)
        printf("  kinds %d %d planar %d: result %d, distance %g\n", first, second, planar, result,
               axes.distance);
    ENSURE(result == TAC_OK);
    double off = fabs(program.distance - axes.distance);
    apart_count += axes.distance > 0.0;
    worst = fmax(worst, off);
    tacVec3 way = tac_sub(program.point[1], program.point[0]);
    worst_point = fmax(worst_point, tac_distance(way, tac_scale(program.normal, program.distance)));
    if (off > 1e-9)
        printf("  kinds %d %d planar %d: program %.17g, axes %.17g\n", first, second, planar,
               program.distance, axes.distance);
    ENSURE(off <= 1e-9);
    // from the last answer: the same, in fewer passes
    options.warm = points;
    tacSeparation again;
    ENSURE(tac_convex_separation(c.a, c.b, &options, &again, NULL, NULL, c.memory) == TAC_OK);
    ENSURE_NEAR(again.distance, program.distance, 1e-9);
    drop_case(&c);
    return 0;
}

static int distances_agree_with_axes(void) {
    testRandom random = {15};
    int count = sweep_count(20, 300, 68000);
    for (int i = 0; i < count; ++i)
        for (int first = 0; first < SOLID_KINDS; ++first)
            for (int second = 0; second < SOLID_KINDS; ++second) {
                if (first == SOLID_HALF && second == SOLID_HALF) continue;
                for (int planar = 0; planar < 2; ++planar)
                    ENSURE_LAW(agrees_with_axes(&random, first, second, planar));
            }
    printf("  worst distance %.2g m, points %.2g m, %ld pairs apart\n", worst, worst_point,
           apart_count);
    return 0;
}

//---------------------------------- shrunk balls ---------------------------------

// rho = b - phi* for every overlap that is less deep than b
static int shrunk_balls_see_overlaps(void) {
    testRandom random = {16};
    int count = sweep_count(100, 1000, 100000), seen = 0;
    for (int i = 0; i < count; ++i) {
        int planar = i % 2;
        programCase c =
            random_case(&random, i / 2 % 2 ? SOLID_BOX : SOLID_POLY, SOLID_BALL, planar, 1.2);
        tacSeparation program, axes;
        double b = test_uniform(&random, 0.2, 0.9) * c.b.solid->radius;
        tacConvexOptions options = {.shrink = b};
        tac_sat(c.a, c.b, INFINITY, &axes);
        ENSURE(tac_convex_separation(c.a, c.b, &options, &program, NULL, NULL, c.memory) == TAC_OK);
        ENSURE_NEAR(program.distance, axes.distance, 1e-9);
        seen += axes.distance < 0.0 && axes.distance > -b;
        drop_case(&c);
    }
    ENSURE(seen > count / 20);
    return 0;
}

//---------------------------------- growth ---------------------------------------

// a solid grown about its centre
static tacSolid* grown_solid(const tacSolid* s, double t) {
    double point[384];
    tacSolid* out = NULL;
    if (s->radius > 0.0) {
        tac_solid_create_ball(s->radius * t, s->planar, &out, NULL);
        return out;
    }
    for (int i = 0; i < s->vertices; ++i) {
        tacVec3 x = tac_add_scaled(s->center, t, tac_sub(s->vertex[i], s->center));
        if (s->planar) {
            point[2 * i] = x.x;
            point[2 * i + 1] = x.y;
        } else
            tac_store3(point + 3 * i, x);
    }
    if (s->planar)
        tac_solid_create_polygon(point, s->vertices, &out, NULL);
    else
        tac_solid_create_polyhedron(point, s->vertices, &out, NULL);
    return out;
}

static double gap_when_grown(const programCase* c, double t) {
    tacPosedSolid a = {grown_solid(c->a.solid, t), c->a.pose},
                  b = {grown_solid(c->b.solid, t), c->b.pose};
    tacSeparation s;
    tac_sat(a, b, INFINITY, &s);
    tac_solid_destroy((tacSolid*)a.solid);
    tac_solid_destroy((tacSolid*)b.solid);
    return s.distance;
}

// grown by the factor the solids just touch
static int growth_makes_them_touch(void) {
    testRandom random = {17};
    int count = sweep_count(5, 60, 3000);
    for (int i = 0; i < count; ++i)
        for (int first = 0; first < SOLID_HALF; ++first)
            for (int second = 0; second < SOLID_HALF; ++second) {
                programCase c = random_case(&random, first, second, i % 2, 1.2);
                tacSeparation s;
                tacConvexOptions options = {.growth = 1};
                double t = 0.0;
                ENSURE(tac_convex_separation(c.a, c.b, &options, &s, &t, NULL, c.memory) == TAC_OK);
                ENSURE(t > 0.0);
                ENSURE_NEAR(gap_when_grown(&c, t), 0.0, 1e-8);
                ENSURE((t > 1.0) == (s.distance > 0.0) || fabs(t - 1.0) < 1e-9);
                drop_case(&c);
            }
    return 0;
}

//---------------------------------- far and close --------------------------------

static int extremes_are_finite(void) {
    testRandom random = {18};
    for (int i = 0; i < sweep_count(20, 200, 2000); ++i) {
        programCase c = random_case(&random, i % 3, i / 3 % 3, i % 2, 1.0);
        tacSeparation s, axes;
        c.b.pose.position.x += pow(10.0, test_uniform(&random, -8.0, 5.0));
        ENSURE(tac_convex_separation(c.a, c.b, NULL, &s, NULL, NULL, c.memory) == TAC_OK);
        tac_sat(c.a, c.b, INFINITY, &axes);
        double size = 1.0 + fabs(axes.distance);
        ENSURE_NEAR(s.distance, axes.distance, 1e-9 * size);
        // one place for both
        c.b.pose = c.a.pose;
        ENSURE(tac_convex_separation(c.a, c.b, NULL, &s, NULL, NULL, c.memory) == TAC_OK);
        ENSURE(isfinite(s.distance) && isfinite(s.normal.x));
        drop_case(&c);
    }
    return 0;
}

// a floor through the origin, which gives the program no length of its own
static int half_space_through_the_origin_is_solved(void) {
    const double up[3] = {0.0, 1.0, 0.0};
    tacSolid *floor = NULL, *ball = NULL;
    tac_solid_create_halfspace(up, 0.0, 1, &floor, NULL);
    tac_solid_create_ball(0.1, 1, &ball, NULL);
    void* memory = malloc(tac_convex_separation_size(floor, ball));
    for (int i = -200; i <= 2000; ++i) {
        tacPosedSolid a = {floor, tac_pose_identity()}, b = a;
        tacSeparation s;
        b.solid = ball;
        b.pose.position = tac_vec3(0.003 * i, 0.0005 * i, 0.0);
        ENSURE(tac_convex_separation(a, b, NULL, &s, NULL, NULL, memory) == TAC_OK);
        ENSURE_NEAR(s.distance, 0.0005 * i - 0.1, 1e-12);
    }
    free(memory);
    tac_solid_destroy(floor);
    tac_solid_destroy(ball);
    return 0;
}

//---------------------------------- next to zero ---------------------------------

// The centre of a circle on the side of a rectangle, or next to it: the program's points are at one
// place, and the distance is minus the radius.
static int centre_on_a_side(void) {
    const double half[3] = {0.7, 0.3, 0.4};
    for (int planar = 0; planar < 2; ++planar) {
        tacSolid *box, *ball;
        tacMessage message;
        ENSURE(tac_solid_create_box(half, planar, &box, &message) == TAC_OK);
        ENSURE(tac_solid_create_ball(0.2, planar, &ball, &message) == TAC_OK);
        void* memory = malloc(tac_convex_separation_size(box, ball));
        for (int i = -40; i <= 40; ++i) {
            // 0, then 1e-16 .. 1 times 0.1 m out of it or into it
            double out = i == 0 ? 0.0 : copysign(0.1 * pow(10.0, -0.4 * (40 - abs(i))), i);
            tacPose turned = {tac_vec3(0.1, 0.2, 0.0), {cos(0.3), 0.0, 0.0, sin(0.3)}};
            tacPosedSolid a = {box, turned}, b = {ball, turned};
            b.pose.position = tac_pose_apply(turned, tac_vec3(0.7 + out, 0.05, 0.0));
            tacSeparation s;
            ENSURE(tac_convex_separation(a, b, NULL, &s, NULL, NULL, memory) == TAC_OK);
            ENSURE_NEAR(s.distance, out - 0.2, 1e-9);
        }
        tac_solid_destroy(box);
        tac_solid_destroy(ball);
        free(memory);
    }
    return 0;
}

TEST_MAIN(RUN(centre_on_a_side), RUN(half_space_through_the_origin_is_solved),
          RUN(distances_agree_with_axes), RUN(shrunk_balls_see_overlaps),
          RUN(growth_makes_them_touch), RUN(extremes_are_finite))
