// Laws of hard contact: bounces in closed form, rest without drift, friction, limits, and bodies
// that never intersect, whatever they do.

#include "step/hard_scene.h"

//---------------------------------- bounces ----------------------------------

#define FLOOR     "<geom type='plane' size='1 1 1'/>"
#define BALL(pos) "<body pos='" pos "'><freejoint/><geom type='sphere' size='.1' mass='1'/></body>"

// Without gravity a ball comes back with e times its speed: the height after the time T is
// gap - e (v T - gap), gap the way to the floor.
static int one_bounce_has_a_closed_form(void) {
    const double e = 0.7, delta = 1e-7;
    hardScene s;
    ENSURE_LAW(hard_open(&s, "<mujoco><option timestep='.01' gravity='0 0 0'/><tactus detect='gjk' "
                             "respond='lcp' restitution='.7'/><worldbody>" FLOOR BALL(
                                 "0 0 .3") "</worldbody></mujoco>"));
    for (int i = 0; i < 50; ++i) {
        double y = 0.15 + 0.003 * i, v = -2.0, way = y - 0.1 - delta;
        memset(s.q, 0, sizeof s.q);
        memset(s.v, 0, sizeof s.v);
        s.q[2] = y;
        s.q[3] = 1.0;
        s.v[2] = v;
        s.flags = 0;
        ENSURE(hard_steps(&s, 20) == TAC_OK);
        ENSURE_NEAR(s.q[2], 0.1 + delta + e * (-v * 0.2 - way), 1e-12);
        ENSURE_NEAR(s.v[2], -e * v, 1e-13);
        ENSURE(s.flags == 0);
    }
    hard_close(&s);
    return 0;
}

// What closes at 2.5 |g| h is an impact above that speed and rests below: flagged at the border
// only. Two steps later a ball is at rest either way.
static int border_of_rest_is_kept(void) {
    hardScene s;
    double after[2][3];
    ENSURE_LAW(hard_open(
        &s, HARD("restitution='.7'") "<worldbody>" FLOOR BALL("0 0 .101") "</worldbody></mujoco>"));
    for (int i = -2; i <= 2; ++i) {
        double z = 0.101, v = -0.25 * (1.0 + (abs(i) == 2 ? 1e-3 : 1e-8) * i);
        memset(s.q, 0, sizeof s.q);
        memset(s.v, 0, sizeof s.v);
        s.q[2] = z;
        s.q[3] = 1.0;
        s.v[2] = v;
        s.flags = 0;
        ENSURE(hard_steps(&s, 1) == TAC_OK);
        ENSURE(s.flags == (abs(i) == 2 ? 0u : TAC_ONE_SIDED));
        ENSURE(hard_steps(&s, 1) == TAC_OK);
        if (abs(i) == 1) memcpy(after[i > 0], (double[]){s.q[2], s.v[2], s.q[0]}, sizeof after[0]);
    }
    for (int k = 0; k < 3; ++k) ENSURE_NEAR(after[0][k], after[1][k], 1e-5);
    hard_close(&s);
    return 0;
}

// The height after a bounce under gravity is continuous in the height of the start, also where the
// impact moves from one step into the next.
static int bounce_is_continuous(void) {
    hardScene s;
    double before = NAN, most = 0.0;
    ENSURE_LAW(hard_open(
        &s, HARD("restitution='.8'") "<worldbody>" FLOOR BALL("0 0 .3") "</worldbody></mujoco>"));
    for (int i = 0; i < 4000; ++i) {
        memset(s.q, 0, sizeof s.q);
        memset(s.v, 0, sizeof s.v);
        s.q[2] = 0.3 + 1e-5 * i;
        s.q[3] = 1.0;
        ENSURE(hard_steps(&s, 40) == TAC_OK);
        if (i > 0) most = fmax(most, fabs(s.q[2] - before));
        before = s.q[2];
    }
    printf("  largest change for 1e-5 m: %.2e m\n", most);
    ENSURE(most < 5e-5);
    hard_close(&s);
    return 0;
}

// equal balls: the one that comes stays, the other goes on; of three the model of simultaneous
// impacts sends the first back (docs/hard.md)
static int balls_in_a_row_exchange_velocities(void) {
    hardScene s;
    const char* text = "<mujoco><option timestep='.01' gravity='0 0 0'/><tactus detect='gjk' "
                       "respond='lcp' restitution='1'/><worldbody>" BALL("0 0 0")
                           BALL("0 0 .2500001") BALL("0 0 5") "</worldbody></mujoco>";
    ENSURE_LAW(hard_open(&s, text));
    s.v[2] = 1.0;
    ENSURE(hard_steps(&s, 10) == TAC_OK);
    ENSURE_NEAR(s.v[2], 0.0, 1e-13);
    ENSURE_NEAR(s.v[8], 1.0, 1e-13);
    ENSURE_NEAR(s.q[2], 0.05, 1e-6);
    memcpy(s.q, s.model->qpos0, sizeof(double) * (size_t)s.model->nq);
    memset(s.v, 0, sizeof s.v);
    s.q[16] = 0.4500002;
    s.v[2] = 1.0; // the third touches the second
    ENSURE(hard_steps(&s, 10) == TAC_OK);
    ENSURE_NEAR(s.v[2], -1.0 / 3.0, 1e-12);
    ENSURE_NEAR(s.v[8], 2.0 / 3.0, 1e-12);
    ENSURE_NEAR(s.v[14], 2.0 / 3.0, 1e-12);
    hard_close(&s);
    return 0;
}

// a ball in a slot meets its walls many times in one step
static int many_impacts_in_one_step(void) {
    hardScene s;
    ENSURE_LAW(hard_open(&s, "<mujoco><option timestep='.01' gravity='0 0 0'/><tactus detect='gjk' "
                             "respond='lcp' restitution='1'/><worldbody>" FLOOR
                             "<geom type='plane' size='1 1 1' pos='0 0 .22' zaxis='0 0 -1'/>" BALL(
                                 "0 0 .11") "</worldbody></mujoco>"));
    s.v[2] = 10.0; // 0.02 m of room, 0.1 m a step
    ENSURE(hard_steps(&s, 1) == TAC_OK);
    ENSURE(!(s.flags & TAC_FALLBACK));
    // unfolded: 0.11 + 0.1 mirrored at 0.12 and at 0.1, delta off at each wall
    double room = 0.02 - 2e-7, way = fmod(0.1 + 0.01 - 1e-7, 2.0 * room);
    double z = way <= room ? 0.1 + 1e-7 + way : 0.1 + 1e-7 + 2.0 * room - way;
    ENSURE_NEAR(s.q[2], z, 1e-11);
    ENSURE_NEAR(fabs(s.v[2]), 10.0, 1e-12);
    // a thousand impacts are too many: the step ends early, certain and flagged
    s.v[2] = 1e4;
    ENSURE(hard_steps(&s, 1) == TAC_OK);
    ENSURE(s.flags & TAC_FALLBACK);
    ENSURE(s.q[2] > 0.1 && s.q[2] < 0.12);
    hard_close(&s);
    return 0;
}

//---------------------------------- rest and friction ----------------------------------

static double drift_of(hardScene* s, int settle, int count) {
    double q[HARD_NUMBERS], most = 0.0;
    if (hard_steps(s, settle) != TAC_OK) return INFINITY;
    memcpy(q, s->q, sizeof q);
    if (hard_steps(s, count) != TAC_OK) return INFINITY;
    for (int i = 0; i < s->model->nq; ++i) most = fmax(most, fabs(s->q[i] - q[i]));
    return most;
}

#define BOX(pos)                                                                                   \
    "<body pos='" pos "'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"

// five boxes for 10 s
static int stack_rests_without_drift(void) {
    hardScene s;
    ENSURE_LAW(hard_open(&s, HARD("") "<worldbody>" FLOOR BOX("0 0 .1000001") BOX("0 0 .3000002")
                                 BOX("0 0 .5000003") BOX("0 0 .7000004")
                                     BOX("0 0 .9000005") "</worldbody></mujoco>"));
    double most = drift_of(&s, 10, getenv("TACTUS_NO_SWEEP") ? 100 : 1000);
    printf("  drift of a stack: %.1e m\n", most);
    ENSURE(most <= 1e-6);
    hard_close(&s);
    return 0;
}

// a box on a slope below the friction angle for 10 s; above it, it slides with g (sin - mu cos)
static int box_on_a_slope_sticks_or_slides(void) {
    hardScene s;
    const char* format =
        "<mujoco><option timestep='.01' gravity='%g 0 -9'/><tactus detect='gjk' respond='lcp'/>"
        "<worldbody><geom type='plane' size='9 9 9' friction='.5'/><body pos='0 0 .1000001'>"
        "<freejoint/><geom type='box' size='.1 .1 .1' mass='1' friction='.4'/></body></worldbody>"
        "</mujoco>";
    char text[600];
    snprintf(text, sizeof text, format, 4.0);
    ENSURE_LAW(hard_open(&s, text));
    double most = drift_of(&s, 10, 1000);
    printf("  drift on a slope: %.1e m\n", most);
    ENSURE(most <= 1e-6);
    hard_close(&s);
    snprintf(text, sizeof text, format, 6.0);
    ENSURE_LAW(hard_open(&s, text));
    ENSURE(hard_steps(&s, 50) == TAC_OK);
    ENSURE_NEAR(s.v[0], 0.5 * (6.0 - 0.5 * 9.0), 1e-9);
    ENSURE_NEAR(s.q[2], 0.1, 2e-7);
    hard_close(&s);
    return 0;
}

// A box slides to rest: m v' = -mu m g along the velocity, whatever its direction.
static int slides_to_rest(void) {
    hardScene s;
    ENSURE_LAW(hard_open(&s, HARD("") "<worldbody><geom type='plane' size='9 9 9' friction='.5'/>"
                                      "<body pos='0 0 .1000001'><freejoint/><geom type='box' "
                                      "size='.1 .1 .1' mass='1' friction='.3'/></body></worldbody>"
                                      "</mujoco>"));
    s.v[0] = 1.6;
    s.v[1] = 1.2;
    ENSURE(hard_steps(&s, 20) == TAC_OK);
    ENSURE_NEAR(s.v[0], 0.8 * (2.0 - 0.2 * 5.0), 1e-6);
    ENSURE_NEAR(s.v[1], 0.6 * (2.0 - 0.2 * 5.0), 1e-6);
    for (int k = 3; k < 6; ++k) ENSURE_NEAR(s.v[k], 0.0, 1e-6);
    ENSURE(hard_steps(&s, 21) == TAC_OK);
    double q[7];
    memcpy(q, s.q, sizeof q);
    ENSURE(hard_steps(&s, 100) == TAC_OK);
    for (int k = 0; k < 7; ++k) ENSURE_NEAR(s.q[k], q[k], 1e-7);
    hard_close(&s);
    return 0;
}

// A ball that slides ends up rolling with 5/7 of its speed, after 2 v/(7 mu g).
static int sliding_ball_ends_up_rolling(void) {
    hardScene s;
    ENSURE_LAW(hard_open(
        &s, HARD("") "<worldbody><geom type='plane' size='9 9 9' friction='.3'/><body pos='0 0 "
                     ".1000001'><freejoint/><geom type='sphere' size='.1' mass='1' friction='.2'/>"
                     "</body></worldbody></mujoco>"));
    s.v[0] = 1.2;
    s.v[1] = 1.6;
    ENSURE(hard_steps(&s, 10) == TAC_OK); // still slides
    ENSURE_NEAR(hypot(s.v[0], s.v[1]), 2.0 - 0.1 * 3.0, 1e-5);
    ENSURE(hard_steps(&s, 30) == TAC_OK);
    ENSURE_NEAR(s.v[0], 1.2 * 5.0 / 7.0, 1e-5);
    ENSURE_NEAR(s.v[1], 1.6 * 5.0 / 7.0, 1e-5);
    ENSURE_NEAR(s.v[3], -s.v[1] / 0.1, 1e-4);
    ENSURE_NEAR(s.v[4], s.v[0] / 0.1, 1e-4);
    hard_close(&s);
    return 0;
}

// Two slides with q0 = 2 q1 fall as one mass; an impact on one is one on both; a box that hangs
// from a point of the world swings about it and stays there.
static int equalities_hold_in_contact(void) {
    hardScene s;
    const double m0 = 0.7, m1 = 1.3;
    ENSURE_LAW(hard_open(
        &s, HARD("") "<worldbody>" FLOOR
                     "<body pos='0 0 1'><joint name='a' type='slide' axis='0 0 1'/><geom "
                     "type='sphere' size='.1' mass='.7'/></body><body pos='1 0 2'><joint name='b' "
                     "type='slide' axis='0 0 1'/><geom type='sphere' size='.1' mass='1.3'/></body>"
                     "</worldbody><equality><joint joint1='a' joint2='b' polycoef='0 2'/>"
                     "</equality></mujoco>"));
    ENSURE(hard_steps(&s, 30) == TAC_OK);
    ENSURE_NEAR(s.v[1], -0.3 * 10.0 * (2.0 * m0 + m1) / (4.0 * m0 + m1), 1e-12);
    ENSURE_NEAR(s.v[0], 2.0 * s.v[1], 1e-13);
    ENSURE(hard_steps(&s, 100) == TAC_OK); // the first has met the floor, both rest
    ENSURE_NEAR(s.q[0], -0.9, 2e-7);
    ENSURE_NEAR(s.q[1], -0.45, 1e-7);
    ENSURE_NEAR(s.v[1], 0.0, 1e-12);
    hard_close(&s);
    ENSURE_LAW(hard_open(&s, HARD("") "<worldbody><body name='box' pos='.1 .1 0'><freejoint/><geom "
                                      "type='box' size='.1 .1 .1' mass='1'/></body></worldbody>"
                                      "<equality><connect body1='box' anchor='-.1 -.1 .1'/>"
                                      "</equality></mujoco>"));
    double off = 0.0;
    for (int i = 0; i < 200; ++i) {
        ENSURE(hard_steps(&s, 1) == TAC_OK);
        tacVec3 corner = tac_quat_rotate(tac_quat_load(s.q + 3), tac_vec3(-0.1, -0.1, 0.1));
        tacVec3 at = tac_add(corner, tac_load3(s.q));
        off = fmax(off, tac_norm(tac_sub(at, tac_vec3(0.0, 0.0, 0.1))));
    }
    printf("  a corner that is held moves by %.1e m\n", off);
    ENSURE(off < 2e-3);
    hard_close(&s);
    return 0;
}

// A bar of two boxes that are welded falls on its edge, lands and lies still, as one.
static int welded_bar_moves_as_one(void) {
    hardScene s;
    ENSURE_LAW(hard_open(
        &s,
        HARD("") "<worldbody>" FLOOR
                 "<body name='a' pos='-.1 0 .3' euler='0 5 0'><freejoint/><geom type='box' "
                 "size='.1 .05 .05' mass='1'/></body><body name='b' pos='.1 0 .2825' euler='0 5 "
                 "0'><freejoint/><geom type='box' size='.0999 .05 .05' mass='1'/></body>"
                 "</worldbody><contact><exclude body1='a' body2='b'/></contact><equality><weld "
                 "body1='a' body2='b'/></equality></mujoco>"));
    double at[2][3];
    tacVec3 apart = tac_sub(tac_load3(s.q + 7), tac_load3(s.q));
    tac_store3(at[0], tac_quat_rotate_inverse(tac_quat_load(s.q + 3), apart));
    ENSURE(hard_steps(&s, 100) == TAC_OK);
    apart = tac_sub(tac_load3(s.q + 7), tac_load3(s.q));
    tac_store3(at[1], tac_quat_rotate_inverse(tac_quat_load(s.q + 3), apart));
    for (int k = 0; k < 3; ++k) ENSURE_NEAR(at[1][k], at[0][k], 1e-6);
    for (int k = 0; k < 12; ++k) ENSURE_NEAR(s.v[k], 0.0, 1e-6);
    ENSURE_NEAR(s.q[2], 0.05, 1e-4);
    ENSURE_NEAR(s.q[9], 0.05, 1e-4);
    hard_close(&s);
    return 0;
}

// limits hold to rounding, dry friction holds what is weaker than it
static int limits_and_dry_friction_hold(void) {
    hardScene s;
    ENSURE_LAW(hard_open(
        &s, HARD("") "<worldbody><body><joint type='slide' axis='0 0 1' limited='true' range='-.2 "
                     "1'/><geom type='sphere' size='.05' mass='1'/></body><body pos='1 0 0'><joint "
                     "type='slide' axis='0 0 1' frictionloss='8'/><geom type='sphere' size='.05' "
                     "mass='.7'/></body><body pos='2 0 0'><joint type='slide' axis='0 0 1' "
                     "frictionloss='8'/><geom type='sphere' size='.05' mass='1'/></body>"
                     "</worldbody></mujoco>"));
    ENSURE(hard_steps(&s, 100) == TAC_OK);
    ENSURE_NEAR(s.q[0], -0.2, 1e-12);
    ENSURE_NEAR(s.q[1], 0.0, 1e-14);
    ENSURE_NEAR(s.v[2], -2.0, 1e-10); // 10 N against 8
    hard_close(&s);
    return 0;
}

// Joints that start outside their range and would fall further: hinges by 5 and 40 degrees, a slide
// by 5 cm.
#define ROD_OUTSIDE(pos, range)                                                                    \
    "<body pos='" pos "'><joint axis='0 1 0' limited='true' range='" range "'/><geom "             \
    "type='capsule' size='.03' fromto='0 0 0 .3 0 -.1' mass='1'/></body>"
#define OUTSIDE                                                                                    \
    HARD("")                                                                                       \
    "<worldbody>" ROD_OUTSIDE("0 0 0", "-90 -5") ROD_OUTSIDE(                                      \
        "0 1 0", "-90 -40") "<body pos='1 0 0'><joint type='slide' axis='0 0 1' limited='true' "   \
                            "range='.05 1'/><geom "                                                \
                            "type='sphere' size='.05' mass='1'/></body></worldbody></mujoco>"

// They come back at 1 rad/s and 0.1 m/s, no faster, and come to rest at their limits, a hop as high
// as that speed carries beyond.
static int joints_return_into_their_limits(void) {
    const double degree = acos(-1.0) / 180.0, way[3] = {-1.0, -1.0, 1.0};
    const double end[3] = {-5.0 * degree, -40.0 * degree, 0.05}, speed[3] = {1.0, 1.0, 0.1};
    hardScene s;
    double hop = 0.0;
    ENSURE_LAW(hard_open(&s, OUTSIDE));
    for (int i = 0; i < 200; ++i) {
        double left[3];
        for (int k = 0; k < 3; ++k) left[k] = way[k] * (end[k] - s.q[k]);
        ENSURE(hard_steps(&s, 1) == TAC_OK);
        for (int k = 0; k < 3; ++k) {
            double u = way[k] * s.v[k];
            ENSURE(u >= fmin(speed[k], left[k] / 0.01) - 1e-12);
            ENSURE(u <= speed[k] + 1e-12);
            hop = fmax(hop, -left[k]);
        }
    }
    printf("  hop beyond the limit %.3f\n", hop);
    ENSURE(hop < 0.05);
    for (int k = 0; k < 3; ++k) ENSURE_NEAR(s.q[k], end[k], 1e-12);
    hard_close(&s);
    return 0;
}

//---------------------------------- wrong states ----------------------------------

// bodies within one another: refused, or pushed apart slowly; numbers that are none: refused
static int wrong_states_are_refused(void) {
    const double bad[3] = {NAN, INFINITY, 1e300};
    hardScene s;
    ENSURE_LAW(hard_open(&s, HARD("") "<worldbody>" FLOOR BOX("0 0 .09") "</worldbody></mujoco>"));
    ENSURE(hard_steps(&s, 1) == TAC_ERROR_VALUE);
    ENSURE(s.q[2] == 0.09 && s.v[2] == 0.0);
    s.q[2] = 0.2;
    for (int i = 0; i < 3; ++i) {
        s.v[2] = bad[i];
        tacResult result = hard_steps(&s, 1);
        ENSURE(result == TAC_ERROR_VALUE || result == TAC_ERROR_DIVERGED);
        ENSURE(s.q[2] == 0.2);
    }
    hard_close(&s);
    ENSURE_LAW(hard_open(
        &s, HARD("overlap='resolve'") "<worldbody>" FLOOR BOX("0 0 .09") "</worldbody></mujoco>"));
    double most = 0.0;
    for (int i = 0; i < 50; ++i) {
        ENSURE(hard_steps(&s, 1) == TAC_OK);
        most = fmax(most, fabs(s.v[2]));
    }
    ENSURE_NEAR(s.q[2], 0.1, 1e-6);
    ENSURE(most <= 0.1 + 1e-9);
    hard_close(&s);
    return 0;
}

//---------------------------------- no intersection ----------------------------------

// Plates of 2 mm in a room. Their inertia is that of a ball: Euler's step takes the torque of a
// plate's spin at the old velocity, which gains energy at the 500 rad/s of such an impact.
static void plate_scene(testRandom* random, char* text, size_t size) {
    int n = snprintf(text, size,
                     "%s<worldbody>" FLOOR "<geom type='box' pos='.5 0 .3' size='.002 .5 .3'/>"
                     "<geom type='box' pos='-.5 0 .3' size='.002 .5 .3'/>"
                     "<geom type='plane' size='1 1 1' pos='0 0 .7' zaxis='0 0 -1'/>",
                     HARD("restitution='.5'"));
    for (int i = 0; i < 3; ++i)
        n += snprintf(text + n, size - (size_t)n,
                      "<body pos='%g %g %g' euler='%g %g %g'><freejoint/><inertial pos='0 0 0' "
                      "mass='.1' diaginertia='1e-4 1e-4 1e-4'/><geom type='box' size='.06 .04 "
                      ".001'/></body>",
                      0.25 * (i - 1), test_uniform(random, -0.1, 0.1),
                      test_uniform(random, 0.2, 0.5), test_uniform(random, -180, 180),
                      test_uniform(random, -180, 180), test_uniform(random, -180, 180));
    snprintf(text + n, size - (size_t)n, "</worldbody></mujoco>");
}

// Every substep of every step is proven to keep its distances, by a check that shares nothing with
// the search for impacts.
static int check_step(hardScene* s, void* memory, double* min_distance) {
    tacHardPass p;
    tacState x = hard_state(s);
    size_t mark = s->scratch->arena.used;
    tacResult result = tac_hard_pass(s->model, &x, s->u, s->scratch, &p);
    ENSURE(result == TAC_OK);
    for (int i = 0; i < p.substeps; ++i) {
        const tacSubstep* t = &p.substep[i];
        tacMotionPath path = {.qpos = t->record->q, .v = t->record->u, .span = t->span};
        tacCcdCertificate clear;
        ENSURE(tac_ccd_certify(s->model, &path, -1e-9, &clear, memory) == TAC_OK);
        *min_distance = fmin(*min_distance, clear.min_distance);
        if (!clear.certain) printf("  not certain: least %.3e\n", clear.min_distance);
        ENSURE(clear.certain);
    }
    s->flags |= p.info.flags;
    memcpy(s->q, p.end.q, sizeof(double) * (size_t)s->model->nq);
    memcpy(s->v, p.end.v, sizeof(double) * (size_t)s->model->nv);
    s->scratch->arena.used = mark;
    return 0;
}

// 1000 scenes with TACTUS_SWEEP
static int thin_plates_never_intersect(void) {
    int count = getenv("TACTUS_NO_SWEEP") ? 5 : getenv("TACTUS_SWEEP") ? 1000 : 100, limited = 0;
    double min_distance = INFINITY;
    for (int i = 0; i < count; ++i) {
        testRandom random = {(unsigned long long)i + 1};
        char text[3000];
        hardScene s;
        plate_scene(&random, text, sizeof text);
        ENSURE_LAW(hard_open(&s, text));
        for (int k = 0; k < s.model->nv; ++k)
            s.v[k] = test_uniform(&random, -1.0, 1.0) * (k % 6 < 3 ? 20.0 : 30.0);
        void* memory = malloc(tac_ccd_size(s.model));
        for (int step = 0; step < 20; ++step) {
            s.flags = 0;
            if (check_step(&s, memory, &min_distance)) {
                printf("  scene %d, step %d\n", i, step);
                return 1;
            }
            limited += (s.flags & TAC_FALLBACK) != 0;
        }
        free(memory);
        hard_close(&s);
    }
    printf("  %d scenes, least distance %.2e m; %d steps fell back\n", count, min_distance,
           limited);
    ENSURE(min_distance >= -1e-9);
    return 0;
}

//---------------------------------- time ----------------------------------

// After an impact without restitution two free bodies turn with one another, a trace apart.
// Together they fall as gravity says.
static int excluded_pair_moves_freely(void) {
    hardScene s;
    ENSURE_LAW(hard_open(&s, "<mujoco><tactus detect='gjk' respond='lcp'/><worldbody>" BOX("0 0 0")
                                 BALL(".05 0 .4") "</worldbody></mujoco>"));
    s.v[8] = -2.0;
    for (int i = 0; i < 150; ++i) ENSURE(hard_steps(&s, 1) == TAC_OK);
    ENSURE(!(s.flags & TAC_FALLBACK));
    ENSURE_NEAR(0.5 * (s.v[2] + s.v[8]), -1.0 - 9.81 * 0.3, 1e-12);
    ENSURE_NEAR(0.5 * (s.v[0] + s.v[6]), 0.0, 1e-12);
    hard_close(&s);
    return 0;
}

// a hull of points on an ellipsoid
static void write_mesh(testRandom* random, char* text, size_t size) {
    size_t at = (size_t)snprintf(text, size, "<asset><mesh name='m' vertex='");
    for (int i = 0; i < 16; ++i) {
        double x[3], length = 0.0;
        for (int k = 0; k < 3; ++k) {
            x[k] = test_uniform(random, -1, 1);
            length += x[k] * x[k];
        }
        for (int k = 0; k < 3; ++k)
            at += (size_t)snprintf(text + at, size - at, "%.4f ", 0.08 / sqrt(length) * x[k]);
    }
    snprintf(text + at, size - at, "'/></asset>");
}

static void add_body(testRandom* random, int i, char* text, size_t size) {
    const char* kind[6] = {"box", "cylinder", "capsule", "ellipsoid", "sphere", "mesh"};
    int which = (int)test_uniform(random, 0.0, 6.0);
    double x[9];
    for (int k = 0; k < 9; ++k)
        x[k] = k < 2   ? test_uniform(random, -0.03, 0.03)
               : k < 5 ? test_uniform(random, -180, 180)
                       : test_uniform(random, 0.03, 0.1);
    snprintf(text, size,
             "<body pos='%g %g %g' euler='%g %g %g'><freejoint/><geom type='%s' %s size='%g %g %g' "
             "mass='%g' friction='.5'/></body>",
             x[0], x[1], 0.2 + 0.35 * i, x[2], x[3], x[4], kind[which],
             which == 5 ? "mesh='m'" : "", x[5], x[6], x[7], 20.0 * x[8]);
}

// A row of balls has more impacts than a step allows: the unused time is reported, and missing from
// the way of a ball far away.
static int unused_time_is_reported(void) {
    hardScene s;
    char text[4000] = "<mujoco><option timestep='.1' gravity='0 0 0'/><tactus detect='gjk' "
                      "respond='lcp' restitution='.9' max_impacts='2'/><worldbody>" BALL("0 9 0");
    for (int i = 0; i < 12; ++i)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "<body pos='%g 0 0'><freejoint/><geom type='sphere' size='.1' mass='1'/></body>",
                 0.201 * i);
    strcat(text, "</worldbody></mujoco>");
    ENSURE_LAW(hard_open(&s, text));
    s.v[0] = 1.0;
    s.v[6] = 3.0;
    tacState x = hard_state(&s);
    double unused;
    ENSURE(tac_step_unused(s.model, &x, s.u, &unused, s.scratch) == TAC_OK);
    ENSURE(unused > 0.0 && unused < 0.1);
    ENSURE(hard_steps(&s, 1) == TAC_OK && (s.flags & TAC_IMPACT_OVERFLOW));
    ENSURE_NEAR(s.q[0], 0.1 - unused, 1e-14);
    ENSURE(tac_step_unused(s.model, &x, s.u, NULL, s.scratch) == TAC_ERROR_VALUE);
    hard_close(&s);
    return 0;
}

// four boxes that stand on the floor and against one another, faces on faces to the last bit
static int boxes_stand_face_to_face(void) {
    hardScene s;
    char text[4000] = "<mujoco><option timestep='.005'/><tactus detect='gjk' respond='lcp'/>"
                      "<worldbody><geom type='plane' size='5 5 .1' friction='.5'/>";
    for (int i = 0; i < 4; ++i)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "<body pos='%g %g .05'><freejoint/>"
                 "<geom type='box' size='.05 .05 .05' mass='1'/></body>",
                 0.1 * (i % 2), 0.1 * (i / 2));
    strcat(text, "</worldbody></mujoco>");
    ENSURE_LAW(hard_open(&s, text));
    ENSURE(hard_steps(&s, 5) == TAC_OK);
    for (int k = 0; k < s.model->nv; ++k) ENSURE_NEAR(s.v[k], 0.0, 1e-4);
    hard_close(&s);
    return 0;
}

// Two to four bodies that drop onto the floor and one another, and a ball that falls far away: the
// clock. Time that a step does not use is missing from the ball's speed. No body may become faster
// than a fall makes it.
static int drop_keeps_time(unsigned long long seed, double* lost) {
    static const char* const restitution[3] = {"0", ".4", ".9"};
    char text[5000], asset[1000];
    testRandom random = {seed};
    hardScene s;
    const int steps = 130, bodies = 2 + (int)(seed / 3 % 3);
    write_mesh(&random, asset, sizeof asset);
    int at = snprintf(text, sizeof text,
                      "<mujoco><option timestep='.004' gravity='0 0 -10'/>%s<tactus detect='gjk' "
                      "respond='lcp' restitution='%s'/><worldbody>" FLOOR BALL("50 0 100"),
                      asset, restitution[seed % 3]);
    for (int i = 0; i < bodies; ++i, at += (int)strlen(text + at))
        add_body(&random, i, text + at, sizeof text - (size_t)at);
    strcat(text, "</worldbody></mujoco>");
    ENSURE_LAW(hard_open(&s, text));
    for (int i = 0; i < steps; ++i) {
        ENSURE(hard_steps(&s, 1) == TAC_OK);
        for (int k = 6; k < s.model->nv; ++k) ENSURE(fabs(s.v[k]) < (k % 6 < 3 ? 9.0 : 200.0));
    }
    *lost = 0.004 * steps + s.v[2] / 10.0;
    hard_close(&s);
    return 0;
}

// 900 scenes with TACTUS_SWEEP
static int drops_keep_time(void) {
    int count = getenv("TACTUS_NO_SWEEP") ? 4 : getenv("TACTUS_SWEEP") ? 900 : 36;
    for (int i = 0; i < count; ++i) {
        double lost;
        if (drop_keeps_time((unsigned long long)i + 1, &lost) || fabs(lost) > 1e-11) {
            printf("  scene %d, lost %.3g s\n", i + 1, lost);
            return 1;
        }
    }
    return 0;
}

// of contacts that a scene lists those act that are nearer than twice delta
static int activity(void) {
    hardScene s;
    tacPose pose[3];
    tacContacts* contacts = NULL;
    ENSURE_LAW(hard_open(&s, HARD("") "<worldbody>" FLOOR BALL("0 0 .1000001")
                                 BALL("1 0 .101") "</worldbody></mujoco>"));
    ENSURE(tac_contacts_create(s.model, 0, 0, &contacts) == TAC_OK);
    ENSURE(tac_kinematics(s.model, s.q, NULL, pose, NULL, s.scratch) == TAC_OK);
    ENSURE(tac_detect(s.model, pose, contacts, s.scratch) == TAC_OK && contacts->count == 2);
    ENSURE(contacts->activity[0] == 1.0 && contacts->activity[1] == 0.0);
    ENSURE_NEAR(contacts->distance[1], 1e-3, 1e-12);
    tac_contacts_destroy(contacts);
    hard_close(&s);
    return 0;
}

// numbers of springs are reported to be unused
static int unused_numbers_change_nothing(void) {
    const char* text =
        HARD("stiffness='1e4'") "<worldbody>" FLOOR BALL("0 0 1") "</worldbody></mujoco>";
    tacMessage message = {0};
    tacModel* model;
    ENSURE(tac_load_text(text, (int)strlen(text), "text", NULL, &model, &message) == TAC_OK);
    ENSURE(strstr(message.text, "stiffness has no effect"));
    tac_model_destroy(model);
    return 0;
}

// A box that tilts onto the floor about its edge sticks: at the end of the step it lies on its
// face. No contact pulls against another, and no answer but this one fits. The floor comes first or
// last.
static int tilting_box_sticks(void) {
    static const char* const scenes[2] = {
        HARD("") "<worldbody><geom type='plane' size='1 1 1'/><body><freejoint/>"
                 "<geom type='box' size='.1 .08 .05' mass='1'/></body></worldbody></mujoco>",
        HARD("") "<worldbody><body><freejoint/><geom type='box' size='.1 .08 .05' mass='1'/></body>"
                 "<geom type='plane' size='1 1 1'/></worldbody></mujoco>"};
    for (int i = 0; i < 6; ++i) {
        hardScene s;
        // the raised edge is 2e-5, 2e-6, 2e-7 m above the floor
        double angle = 1e-4 * pow(0.1, i / 2), rate = angle / 0.01;
        ENSURE_LAW(hard_open(&s, scenes[i % 2]));
        // the lower edge is at x = -.1 of the box, 3/4 delta above the floor, and at rest
        s.q[3] = cos(0.5 * angle);
        s.q[5] = -sin(0.5 * angle);
        s.q[2] = 0.05 * cos(angle) + 0.1 * sin(angle) + 7.5e-8;
        s.v[4] = rate;
        s.v[0] = rate * s.q[2];
        s.v[2] = -rate * (0.1 * cos(angle) - 0.05 * sin(angle));
        tacContactForce force[16];
        tacStepContacts out = {.contact = force, .capacity = 16};
        tacState x = hard_state(&s);
        ENSURE(tac_step_contacts(s.model, &x, s.u, &out, s.scratch) == TAC_OK);
        double normal = 0.0, tangent = 0.0;
        for (int k = 0; k < out.count; ++k) {
            normal += fabs(force[k].force[2]);
            tangent += hypot(force[k].force[0], force[k].force[1]);
        }
        ENSURE(out.count == 4 && normal > 5.0 && tangent < 0.1 * normal);
        ENSURE(hard_steps(&s, 1) == TAC_OK);
        ENSURE(!(s.flags & TAC_FALLBACK));
        hard_close(&s);
    }
    return 0;
}

TEST_MAIN(RUN(tilting_box_sticks), RUN(activity), RUN(unused_numbers_change_nothing),
          RUN(one_bounce_has_a_closed_form), RUN(bounce_is_continuous), RUN(border_of_rest_is_kept),
          RUN(balls_in_a_row_exchange_velocities), RUN(many_impacts_in_one_step),
          RUN(stack_rests_without_drift), RUN(box_on_a_slope_sticks_or_slides), RUN(slides_to_rest),
          RUN(sliding_ball_ends_up_rolling), RUN(equalities_hold_in_contact),
          RUN(welded_bar_moves_as_one), RUN(limits_and_dry_friction_hold),
          RUN(joints_return_into_their_limits), RUN(wrong_states_are_refused),
          RUN(excluded_pair_moves_freely), RUN(unused_time_is_reported),
          RUN(boxes_stand_face_to_face), RUN(drops_keep_time), RUN(thin_plates_never_intersect))
