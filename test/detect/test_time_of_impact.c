// Laws of the first impact on the path of a step: never late, a root to rounding, the derivative
// that its header promises; and of the proof that bodies stay apart.

#include "detect/ccd/motion_path.h"
#include "detect/convex/closest_features.h"
#include "detect/convex_contacts.h"
#include "detect/convex_parts.h"
#include "tactus/dynamics.h"
#include "test.h"

#include <stdlib.h>

static const tacImpactLevels levels = {.delta = 1e-7, .min_level = 5e-8};

static int sweep_count(int few, int some) { return getenv("TACTUS_NO_SWEEP") ? few : some; }

typedef struct impactScene {
    tacModel* model;
    tacScratch* scratch;
    void* memory;
    tacPose* pose;
} impactScene;

static int open_scene(const char* bodies, impactScene* s) {
    static char text[8192];
    tacOptions options = tac_default_options();
    tacMessage message;
    snprintf(
        text, sizeof text,
        "<mujoco><tactus detect=\"gjk\" respond=\"spring\"/><worldbody>%s</worldbody></mujoco>",
        bodies);
    if (tac_load_text(text, (int)strlen(text), "text", &options, &s->model, &message) != TAC_OK) {
        printf("  %s\n", message.text);
        return 0;
    }
    s->memory = malloc(tac_ccd_size(s->model));
    s->pose = malloc(sizeof *s->pose * (size_t)s->model->nbody);
    return tac_scratch_create(s->model, &s->scratch) == TAC_OK;
}

static void close_scene(impactScene* s) {
    tac_scratch_destroy(s->scratch);
    tac_model_destroy(s->model);
    free(s->memory);
    free(s->pose);
}

// qpos moved by a tangent, as a step of length 1 does it
static void integrate_qpos(const tacModel* model, const double* q, const double* move,
                           double* out) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int free_one = j->kind == TAC_JOINT_FREE, turns = free_one || j->kind == TAC_JOINT_BALL;
        const double *u = move + j->dof, *from = q + j->qpos;
        double* to = out + j->qpos;
        for (int k = 0; k < (free_one ? 3 : turns ? 0 : 1); ++k) to[k] = from[k] + u[k];
        if (!turns) continue;
        u += free_one ? 3 : 0;
        from += free_one ? 3 : 0;
        to += free_one ? 3 : 0;
        double angle = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        double scale = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
        tacQuat turn = {cos(0.5 * angle), scale * u[0], scale * u[1], scale * u[2]};
        tac_quat_store(to, tac_quat_mul(tac_quat_normalize(tac_quat_load(from)), turn));
    }
}

// least distance of all pairs at a time
static double distance_at(const impactScene* s, const tacMotionPath* c, double t) {
    const tacContactPlan* plan = s->model->contact;
    double min_distance = INFINITY;
    int chain[64];
    for (int p = 0; p < plan->npair; ++p) {
        const int *geom = plan->pair[p].geom, *first = plan->part_first;
        for (int i = first[geom[0]]; i < first[geom[0] + 1]; ++i) {
            for (int j = first[geom[1]]; j < first[geom[1] + 1]; ++j) {
                tacGjkCache cache = {.count = 0};
                tacNearest near;
                tacFeatureContact contact = {.pair = 0};
                tacConvex a = tac_convex_part_at(
                    s->model, i,
                    tac_motion_path_body(s->model, c, t, tac_convex_part_body(s->model, i), NULL,
                                         chain)
                        .pose);
                tacConvex b = tac_convex_part_at(
                    s->model, j,
                    tac_motion_path_body(s->model, c, t, tac_convex_part_body(s->model, j), NULL,
                                         chain)
                        .pose);
                tac_closest_features(&a, &b, &cache, &near, &contact, s->memory);
                min_distance = fmin(min_distance, near.distance);
            }
        }
    }
    return min_distance;
}

//---------------------------------- paths ------------------------------------

static const char arm_text[] =
    "<body pos='.1 0 1'><joint type='hinge' axis='0 1 1' pos='.05 0 .1'/>"
    "<geom type='capsule' size='.05 .2' pos='0 0 -.3' mass='1'/>"
    "<body pos='0 .1 -.6' quat='1 .3 .2 .1'><joint type='slide' axis='1 0 1'/>"
    "<joint type='hinge' axis='1 0 0'/><geom type='box' size='.1 .05 .2' mass='1'/>"
    "<body pos='0 0 -.4'><joint type='ball' pos='0 .02 .05'/>"
    "<geom type='cylinder' size='.05 .1' mass='1'/></body></body></body>"
    "<body pos='1 1 1'><freejoint/><geom type='ellipsoid' size='.1 .2 .3' mass='1'/>"
    "<body pos='.3 0 0'><joint type='hinge' axis='0 0 1'/><geom size='.05' mass='1'/></body></body>"
    "<geom type='plane' size='1 1 1' pos='0 0 -5'/>";

static void random_path(testRandom* random, const tacModel* model, double speed, double* q,
                        double* v, double* a) {
    for (int i = 0; i < model->nq; ++i) q[i] = test_uniform(random, -1.0, 1.0);
    for (int i = 0; i < model->nv; ++i) {
        v[i] = speed * test_uniform(random, -1.0, 1.0);
        a[i] = speed * test_uniform(random, -1.0, 1.0);
    }
}

// qpos after a time: the library's own integrator and kinematics are the truth
static int motion_path_follows_kinematics(void) {
    testRandom random = {71};
    impactScene s;
    ENSURE(open_scene(arm_text, &s));
    int chain[16];
    for (int trial = 0; trial < 200; ++trial) {
        double q[32], v[32], a[32], move[32], twist[6 * 16], end[32], rate[32];
        random_path(&random, s.model, 2.0, q, v, a);
        double t = test_uniform(&random, 0.0, 1.0);
        tacMotionPath c = {q, v, trial % 2 ? a : NULL, 1.0};
        for (int i = 0; i < s.model->nv; ++i) {
            move[i] = t * v[i] + (trial % 2 ? t * t * a[i] : 0.0);
            rate[i] = v[i] + (trial % 2 ? 2.0 * t * a[i] : 0.0);
        }
        integrate_qpos(s.model, q, move, end);
        ENSURE(tac_kinematics(s.model, end, rate, s.pose, twist, s.scratch) == TAC_OK);
        for (int b = 1; b < s.model->nbody; ++b) {
            tacMotionState f = tac_motion_path_body(s.model, &c, t, b, NULL, chain);
            ENSURE_NEAR(tac_distance(f.pose.position, s.pose[b].position), 0.0, 1e-13);
            tacMat3 off =
                tac_mat_sub(tac_quat_to_mat(f.pose.rotation), tac_quat_to_mat(s.pose[b].rotation));
            ENSURE_NEAR(tac_mat_dot(off, off), 0.0, 1e-24);
            // turns that change direction on the way have another velocity than rate
            if (trial % 2) continue;
            ENSURE_NEAR(tac_distance(f.twist.linear, tac_load3(twist + 6 * b)), 0.0, 1e-12);
            ENSURE_NEAR(tac_distance(f.twist.angular, tac_load3(twist + 6 * b + 3)), 0.0, 1e-12);
        }
    }
    close_scene(&s);
    return 0;
}

// velocity by differences of the pose, acceleration by differences of points: below the bend
static int curvature_bounds_hold(void) {
    testRandom random = {72};
    impactScene s;
    ENSURE(open_scene(arm_text, &s));
    int chain[16];
    double tightest = INFINITY;
    for (int trial = 0; trial < 300; ++trial) {
        double q[32], v[32], a[32], h = 1e-4;
        random_path(&random, s.model, 3.0, q, v, a);
        tacMotionPath c = {q, v, trial % 3 ? a : NULL, 0.5};
        tacCurvatureBound curvature[16];
        tac_motion_path_curvature_bounds(s.model, &c, curvature);
        for (int b = 1; b < s.model->nbody; ++b) {
            double t = test_uniform(&random, 2.0 * h, c.span - 2.0 * h), arm;
            tacVec3 x = tac_vec3(test_uniform(&random, -1, 1), test_uniform(&random, -1, 1),
                                 test_uniform(&random, -1, 1)),
                    p[3], w = tac_vec3_zero();
            for (int i = 0; i < 3; ++i)
                p[i] = tac_pose_apply(
                    tac_motion_path_body(s.model, &c, t + (i - 1) * h, b, NULL, chain).pose, x);
            tacMotionState f = tac_motion_path_body(s.model, &c, t, b, NULL, chain);
            arm = tac_norm(x);
            w = tac_add(tac_sub(p[2], p[1]), tac_sub(p[0], p[1]));
            double most = curvature[b].origin +
                          (curvature[b].spin_rate + curvature[b].spin * curvature[b].spin) * arm;
            ENSURE(tac_norm(w) / (h * h) <= most * (1.0 + 1e-4) + 1e-5);
            tightest = fmin(tightest, most / (tac_norm(w) / (h * h) + 1e-9));
            tacVec3 speed = tac_scale(tac_sub(p[2], p[0]), 0.5 / h);
            tacVec3 expected =
                tac_add(f.twist.linear, tac_cross(f.twist.angular, tac_sub(p[1], f.pose.position)));
            ENSURE_NEAR(tac_distance(speed, expected), 0.0, 1e-5 * (1.0 + most));
        }
    }
    printf("  bounds are at least %.2f times what was seen\n", tightest);
    close_scene(&s);
    return 0;
}

//---------------------------------- impacts ----------------------------------

static const char* const shapes[] = {
    "type=\"box\" size=\".3 .2 .1\"",       "type=\"sphere\" size=\".2\"",
    "type=\"capsule\" size=\".1 .3\"",      "type=\"cylinder\" size=\".2 .1\"",
    "type=\"ellipsoid\" size=\".1 .2 .3\"", "type=\"box\" size=\".3 .3 .001\"",
};

static int parts_are_separated_before_impact(void) {
    testRandom random = {31};
    int count = sweep_count(60, 360), found = 0, exact = 0, most = 0, clear = 0, intervals = 0;
    double lateness = 0.0, off = 0.0;
    for (int trial = 0; trial < count; ++trial) {
        char text[1000];
        impactScene s;
        snprintf(text, sizeof text,
                 "<body><freejoint/><geom %s mass=\"1\"/></body>"
                 "<body><freejoint/><geom %s mass=\"1\"/></body>",
                 shapes[trial % 6], shapes[trial / 6 % 6]);
        ENSURE(open_scene(text, &s));
        double q[14] = {-1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0}, v[12], a[12];
        for (int i = 0; i < 12; ++i) {
            v[i] = test_uniform(&random, -0.3, 0.3);
            a[i] = 0.0;
        }
        for (int i = 0; i < 2; ++i) {
            v[6 * i] += i ? -1.2 : 1.2;
            for (int k = 0; k < 3; ++k) v[6 * i + 3 + k] *= 20.0;
            for (int k = 0; k < 4; ++k) q[7 * i + 3 + k] = test_uniform(&random, -1.0, 1.0);
        }
        for (int i = 0; i < 12; ++i) a[i] = trial % 2 ? test_uniform(&random, -0.5, 0.5) : 0.0;
        tacMotionPath c = {q, v, trial % 2 ? a : NULL, 1.0};
        tacFirstImpact hit;
        ENSURE(tac_first_impact(s.model, &c, levels, &hit, s.memory) == TAC_OK);
        double end = hit.found ? hit.time : 1.0;
        for (int i = 0; i < 60; ++i) {
            double d = distance_at(&s, &c, end * test_uniform(&random, 0.0, 1.0));
            lateness = fmax(lateness, levels.delta - d);
        }
        if (hit.found && hit.exact) off = fmax(off, fabs(distance_at(&s, &c, hit.time) - 1e-7));
        found += hit.found;
        exact += hit.exact;
        most = hit.passes > most ? hit.passes : most;
        c.span = end;
        tacCcdCertificate certificate;
        ENSURE(tac_ccd_certify(s.model, &c, -1e-9, &certificate, s.memory) == TAC_OK);
        clear += certificate.certain;
        intervals += certificate.intervals;
        close_scene(&s);
    }
    printf("  %d pairs, %d meet, %d to rounding, at most %d passes; late by %.1e, off by %.1e\n",
           count, found, exact, most, lateness, off);
    printf("  proven apart: %d, %.1f intervals each\n", clear, (double)intervals / count);
    ENSURE(lateness <= 1e-12 && off <= 1e-13 && clear == count);
    return 0;
}

// a rod of half length 1 turns over the ground: it touches when sin(angle) + r = height - delta
static int turning_rod_has_a_closed_form(void) {
    const double height = 0.6, r = 0.1, spin = 150.0;
    impactScene s;
    ENSURE(open_scene("<geom type='plane' size='1 1 1'/><body pos='0 0 .6'><joint axis='0 1 0'/>"
                      "<geom type='capsule' size='.1 1' euler='0 90 0' mass='1'/></body>",
                      &s));
    double q[1] = {0.0}, v[1] = {spin};
    tacMotionPath c = {q, v, NULL, 0.01};
    tacFirstImpact hit;
    ENSURE(tac_first_impact(s.model, &c, levels, &hit, s.memory) == TAC_OK);
    double angle = asin(height - r - levels.delta);
    ENSURE(hit.found && hit.exact && hit.ties == 0);
    ENSURE_NEAR(hit.time, angle / spin, 1e-17);
    ENSURE_NEAR(hit.rate, -spin * cos(angle), 1e-9);
    close_scene(&s);
    return 0;
}

// A plate of 2 mm at 20 m/s against another: 0.2 m a step. It stops where it should, it does not
// pass, and with twice the speed it still does not.
static int thin_plates_do_not_tunnel(void) {
    impactScene s;
    ENSURE(open_scene("<body><freejoint/><geom type='box' size='.1 .1 .001' mass='1'/></body>"
                      "<body><freejoint/><geom type='box' size='.1 .1 .001' mass='1'/></body>",
                      &s));
    for (int i = 0; i < 3; ++i) {
        double q[14] = {0, 0, 0, 1, 0, 0, 0, .01, .02, .05, 1, 0, 0, 0}, v[12] = {0.0};
        v[8] = i ? -20.0 * i : -1e5;
        if (i == 2) v[11] = 30.0; // spin about the normal changes nothing
        tacMotionPath c = {q, v, NULL, 0.01};
        tacFirstImpact hit;
        ENSURE(tac_first_impact(s.model, &c, levels, &hit, s.memory) == TAC_OK);
        ENSURE(hit.found && hit.exact);
        ENSURE_NEAR(hit.time, (0.05 - 0.002 - levels.delta) / -v[8], 1e-16);
        ENSURE(hit.passes < 20);
    }
    close_scene(&s);
    return 0;
}

// dt/dx = -(n . (dp_B - dp_A))/rate, by differences of the time, over all of q and v of an arm that
// swings against a box that flies
static int time_of_impact_has_exact_derivatives(void) {
    testRandom random = {73};
    impactScene s;
    ENSURE(open_scene("<body pos='0 0 0'><joint axis='0 1 0'/><geom type='capsule' size='.05 .3' "
                      "pos='0 0 -.3' mass='1'/><body pos='0 0 -.7'><joint axis='1 0 .5'/>"
                      "<geom type='cylinder' size='.05 .2' pos='0 0 -.2' mass='1'/></body></body>"
                      "<body><freejoint/><geom type='box' size='.2 .15 .1' mass='1'/></body>",
                      &s));
    int done = 0;
    double worst = 0.0;
    for (int trial = 0; trial < 2000 && done < 25; ++trial) {
        double q[9], v[8], g[16], end[9], move[8];
        for (int i = 0; i < 9; ++i) q[i] = test_uniform(&random, -1.0, 1.0);
        for (int i = 0; i < 8; ++i) v[i] = test_uniform(&random, -200.0, 200.0);
        q[4] -= 1.5;
        tacMotionPath c = {q, v, NULL, 0.01};
        tacFirstImpact hit, other[2];
        tac_first_impact(s.model, &c, levels, &hit, s.memory);
        if (!hit.found || !hit.exact || hit.time <= 1e-4 || hit.rate > -1.0) continue;
        for (int i = 0; i < 8; ++i) move[i] = hit.time * v[i];
        integrate_qpos(s.model, q, move, end);
        for (int i = 0; i < 16; ++i) {
            double qv[2][17], h = i < 8 ? 1e-6 : 1e-4, dq[8] = {0.0}, ends[2][9];
            for (int side_of = 0; side_of < 2; ++side_of) {
                double sign = side_of ? h : -h;
                memset(dq, 0, sizeof dq);
                memcpy(qv[side_of], q, sizeof q);
                memcpy(qv[side_of] + 9, v, sizeof v);
                if (i < 8) {
                    dq[i] = sign;
                    integrate_qpos(s.model, q, dq, qv[side_of]);
                } else
                    qv[side_of][9 + i - 8] += sign;
                tacMotionPath moved = {qv[side_of], qv[side_of] + 9, NULL, 0.01};
                tac_first_impact(s.model, &moved, levels, &other[side_of], s.memory);
                for (int k = 0; k < 8; ++k) move[k] = hit.time * qv[side_of][9 + k];
                integrate_qpos(s.model, qv[side_of], move, ends[side_of]);
            }
            // motion of the nearest points of both bodies at the time of impact
            double change = 0.0;
            for (int k = 0; k < 2; ++k) {
                int body = tac_convex_part_body(s.model, hit.part[k]);
                tacVec3 p[2];
                tac_kinematics(s.model, end, NULL, s.pose, NULL, s.scratch);
                tacVec3 x = tac_pose_apply_inverse(s.pose[body], tac_load3(hit.nearest.point[k]));
                for (int side_of = 0; side_of < 2; ++side_of) {
                    tac_kinematics(s.model, ends[side_of], NULL, s.pose, NULL, s.scratch);
                    p[side_of] = tac_pose_apply(s.pose[body], x);
                }
                double along = tac_dot(tac_load3(hit.nearest.normal), tac_sub(p[1], p[0]));
                change += (k ? 1.0 : -1.0) * along / (2.0 * h);
            }
            g[i] = -change / hit.rate;
            double seen = (other[1].time - other[0].time) / (2.0 * h);
            if (!other[0].exact || !other[1].exact || other[0].part[0] != hit.part[0] ||
                other[1].part[0] != hit.part[0])
                continue;
            double scale = i < 8 ? 1e-2 : 1e-5; // of a span and a speed
            worst = fmax(worst, fabs(seen - g[i]) / (fabs(g[i]) + scale));
        }
        ++done;
    }
    printf("  %d impacts, derivative off by %.1e\n", done, worst);
    ENSURE(done == 25 && worst < 1e-5);
    close_scene(&s);
    return 0;
}

//---------------------------------- levels ----------------------------------

// Resting, sliding, spinning and parting pairs do not meet again; pairs that sink do.
static int resting_pairs_use_the_lower_level(void) {
    impactScene s;
    ENSURE(open_scene("<geom type='plane' size='1 1 1'/>"
                      "<body><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>",
                      &s));
    const double z = 0.1 + levels.delta;
    const struct {
        double height, v[6];
        int found;
        double time;
    } cases[] = {
        {z, {0, 0, 0, 0, 0, 0}, 0, 0},
        {z, {3, 1, 0, 0, 0, 0}, 0, 0},
        {z, {3, 1, 0, 0, 0, 40}, 0, 0},
        {z, {0, 0, 2, 0, 0, 0}, 0, 0},
        {z, {0, 0, -1, 0, 0, 0}, 1, 5e-8},
        {z - 4e-8, {0, 0, -1, 0, 0, 0}, 1, 1e-8},
        {z - 9e-8, {0, 0, 0, 0, 0, 0}, 0, 0},
        {z - 9e-8, {1, 0, 0.1, 0, 0, 0}, 0, 0},
        {z + 1e-3, {0, 0, -1, 0, 0, 0}, 1, 1e-3},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); ++i) {
        double q[7] = {0, 0, cases[i].height, 1, 0, 0, 0};
        tacMotionPath c = {q, cases[i].v, NULL, 0.01};
        tacFirstImpact hit;
        ENSURE(tac_first_impact(s.model, &c, levels, &hit, s.memory) == TAC_OK);
        if (hit.found != cases[i].found) printf("  case %d\n", i);
        ENSURE(hit.found == cases[i].found);
        if (hit.found) ENSURE_NEAR(hit.time, cases[i].time, 1e-15);
    }
    close_scene(&s);
    return 0;
}

// A capsule or cylinder that rolls on its side does not meet what it rolls on, however fast, and
// the search need not look at every turn; one whose axis turns comes down on its end, at 0.08 of
// its centre of mass: 0.08 sin(t) + r (cos(t) - 1) = 1e-3 - delta with r of a sharp rim.
static int rolling_cylinders_have_no_impact(void) {
    const char* kind[2] = {"capsule", "cylinder"};
    const double z = 0.03 + 0.75 * levels.delta, spins[] = {1.0, 42.0, 1000.0};
    for (int i = 0; i < 6; ++i) {
        char bodies[400];
        impactScene s;
        snprintf(bodies, sizeof bodies,
                 "<geom type='plane' size='1 1 1'/><body><freejoint/><geom type='%s' "
                 "size='.03 .1' euler='90 0 0' pos='0 .02 0' mass='1'/></body>",
                 kind[i % 2]);
        ENSURE(open_scene(bodies, &s));
        double q[7] = {0, 0, z, 1, 0, 0, 0}, spin = spins[i / 2];
        double v[6] = {0.03 * spin, 0, 0, 0, spin, 0};
        tacMotionPath c = {q, v, NULL, 0.02};
        tacFirstImpact hit;
        ENSURE(tac_first_impact(s.model, &c, levels, &hit, s.memory) == TAC_OK);
        ENSURE(!hit.found && hit.passes < 10);
        q[2] = 0.031;
        v[3] = 1.0;
        v[4] = 0.0;
        ENSURE(tac_first_impact(s.model, &c, levels, &hit, s.memory) == TAC_OK);
        ENSURE(hit.found);
        double rim = i % 2 ? 0.03 * (cos(hit.time) - 1.0) : 0.0;
        ENSURE_NEAR(0.08 * sin(hit.time) + rim, 1e-3 - levels.delta,
                    hit.exact ? 1e-14 : 1e-6 * levels.delta);
        close_scene(&s);
    }
    return 0;
}

// What turns together next to one another parts slowly, as origins go straight on: no impact, and
// a search that does not crawl.
static int co_rotating_pairs_have_no_impact(void) {
    const char* other[3] = {"type='box' size='.03 .04 .1'", "size='.1'",
                            "type='cylinder' size='.03 .1'"};
    const double spin[2] = {5.0, 50.0}, gap[3] = {1.0025, 2.0, 10.0};
    int most = 0;
    for (int i = 0; i < 18; ++i) {
        char bodies[500];
        impactScene s;
        snprintf(bodies, sizeof bodies,
                 "<body><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
                 "<body><freejoint/><geom %s mass='1'/></body>",
                 other[i % 3]);
        ENSURE(open_scene(bodies, &s));
        double w = spin[i / 3 % 2], z = 0.2 + gap[i / 6] * levels.delta;
        double q[14] = {0, 0, 0, 1, 0, 0, 0, .05, 0, z, 1, 0, 0, 0};
        double v[12] = {0, 0, -4, 0, w, 0, w * z, 0, -4 - w * .05, 0, w, 0};
        tacMotionPath c = {q, v, NULL, 0.002};
        tacFirstImpact hit;
        ENSURE(tac_first_impact(s.model, &c, levels, &hit, s.memory) == TAC_OK);
        if (hit.found) printf("  case %d\n", i);
        ENSURE(!hit.found);
        most = hit.passes > most ? hit.passes : most;
        close_scene(&s);
    }
    printf("  at most %d passes\n", most);
    ENSURE(most < 40);
    return 0;
}

// two balls that reach two walls at once
static int ties_are_reported(void) {
    impactScene s;
    ENSURE(open_scene("<geom type='box' size='.1 1 1' pos='-1 0 0'/>"
                      "<geom type='box' size='.1 1 1' pos='1 0 0'/>"
                      "<body><freejoint/><geom size='.1' mass='1'/></body>"
                      "<body pos='0 .5 0'><freejoint/><geom size='.1' mass='1'/></body>",
                      &s));
    double q[14] = {0, 0, 0, 1, 0, 0, 0, 0, .5, 0, 1, 0, 0, 0}, v[12] = {-100, 0, 0, 0, 0, 0, 100};
    tacMotionPath c = {q, v, NULL, 0.01};
    tacFirstImpact hit;
    ENSURE(tac_first_impact(s.model, &c, levels, &hit, s.memory) == TAC_OK);
    ENSURE(hit.found && hit.exact && hit.ties == 1);
    v[6] = 99.0;
    ENSURE(tac_first_impact(s.model, &c, levels, &hit, s.memory) == TAC_OK);
    ENSURE(hit.found && hit.ties == 0);
    ENSURE_NEAR(hit.time, (0.8 - levels.delta) / 100.0, 1e-17);
    close_scene(&s);
    return 0;
}

//---------------------------------- clearance ----------------------------------

// the proof fails where it must: a plate that passes through another between the ends
static int certificate_fails_where_plates_tunnel(void) {
    impactScene s;
    ENSURE(open_scene("<body><freejoint/><geom type='box' size='.1 .1 .001' mass='1'/></body>"
                      "<body><freejoint/><geom type='box' size='.1 .1 .001' mass='1'/></body>",
                      &s));
    double q[14] = {0, 0, 0, 1, 0, 0, 0, .01, .02, .05, 1, 0, 0, 0}, v[12] = {0.0};
    v[8] = -20.0;
    tacMotionPath c = {q, v, NULL, 0.01};
    tacCcdCertificate certificate;
    ENSURE(tac_ccd_certify(s.model, &c, -1e-9, &certificate, s.memory) == TAC_OK);
    ENSURE(!certificate.certain && certificate.pair == 0 && certificate.time > 2.3e-3 &&
           certificate.time < 2.5e-3);
    c.span = 2.39e-3;
    ENSURE(tac_ccd_certify(s.model, &c, -1e-9, &certificate, s.memory) == TAC_OK);
    ENSURE(certificate.certain && certificate.min_distance <= 2e-4 + 1e-12 &&
           certificate.min_distance >= -1e-9);
    close_scene(&s);
    return 0;
}

//---------------------------------- input ----------------------------------

static int bad_input_is_refused(void) {
    impactScene s;
    ENSURE(open_scene("<body><freejoint/><geom size='.1' mass='1'/></body>"
                      "<body pos='1 0 0'><freejoint/><geom size='.1' mass='1'/></body>",
                      &s));
    double q[14] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0}, v[12] = {0.0};
    tacMotionPath c = {q, v, NULL, 0.01};
    tacFirstImpact hit;
    const double wrong[] = {NAN, INFINITY, 1e300};
    for (int i = 0; i < 3; ++i) {
        v[2] = wrong[i];
        ENSURE(tac_first_impact(s.model, &c, levels, &hit, s.memory) == TAC_ERROR_VALUE);
        v[2] = 0.0;
        q[1] = wrong[i];
        ENSURE(tac_first_impact(s.model, &c, levels, &hit, s.memory) == TAC_ERROR_VALUE);
        q[1] = 0.0;
    }
    ENSURE(tac_first_impact(s.model, &c, (tacImpactLevels){.delta = 1e-7, .min_level = 1e-7}, &hit,
                            s.memory) == TAC_ERROR_VALUE);
    v[0] = 1e11; // fast, but a number
    ENSURE(tac_first_impact(s.model, &c, levels, &hit, s.memory) == TAC_OK);
    ENSURE(hit.found && fabs(hit.time * 1e11 - 0.8) < 1e-4);
    memset(v, 0, sizeof v);
    q[7] = 0.0; // one in the other
    ENSURE(tac_first_impact(s.model, &c, levels, &hit, s.memory) == TAC_OK && !hit.found);
    close_scene(&s);
    return 0;
}

static int scenes_without_convex_parts_are_refused(void) {
    const char* const bodies[] = {
        "<body><freejoint/><geom type='plane' size='1 1 1'/><geom size='.1' mass='1'/></body>"
        "<geom size='.1'/>",
        "<body><freejoint/><geom type='shape' shape='cup' mass='1'/></body><geom size='.1'/>",
    };
    const char* const words[] = {"half-space", "difference"};
    for (int i = 0; i < 2; ++i) {
        char text[2000];
        tacOptions options = tac_default_options();
        tacMessage message;
        tacModel* model = NULL;
        snprintf(text, sizeof text,
                 "<mujoco><tactus detect='gjk' respond='spring'/><asset><shape name='cup'>"
                 "<difference><sphere size='1'/><sphere size='.9'/></difference></shape></asset>"
                 "<worldbody>%s</worldbody></mujoco>",
                 bodies[i]);
        tacResult result =
            tac_load_text(text, (int)strlen(text), "text", &options, &model, &message);
        ENSURE(result == TAC_ERROR_UNSUPPORTED && strstr(message.text, words[i]));
        ENSURE(!strcmp(message.attribute, "detect") && message.line == 1);
    }
    return 0;
}

// Of two balls and a floor: each pair by itself and the first of all, in closed form; its geoms,
// normal and points; what is refused.
static int public_time_of_impact_has_a_closed_form(void) {
    impactScene s;
    tacTimeOfImpact m;
    ENSURE(open_scene("<geom type='plane' size='1 1 1'/><body pos='0 0 1'><joint type='slide' "
                      "axis='0 0 1'/><geom type='sphere' size='.1'/></body><body pos='.3 0 1'>"
                      "<joint type='slide' axis='1 0 0'/><geom type='sphere' size='.1'/></body>",
                      &s));
    double q[2] = {0.0, 0.0}, v[2] = {-2.0, -1.0};
    tacMotionPath c = {.qpos = q, .v = v, .span = 1.0};
    ENSURE(tac_time_of_impact(s.model, &c, 1, 0, 0.01, &m, s.memory) == TAC_OK);
    ENSURE(m.found && m.exact && m.geom[0] == 0 && m.geom[1] == 1);
    ENSURE_NEAR(m.time, 0.89 / 2.0, 1e-14);
    ENSURE_NEAR(m.rate, -2.0, 1e-12);
    ENSURE_NEAR(m.normal[2], 1.0, 1e-14);
    ENSURE_NEAR(m.point[1][2] - m.point[0][2], 0.01, 1e-14);
    // t^2 + (.3 - 2 t)^2 = .21^2
    v[0] = -1.0;
    v[1] = -2.0;
    ENSURE(tac_time_of_impact(s.model, &c, -1, -1, 0.01, &m, s.memory) == TAC_OK);
    ENSURE(m.found && m.exact && m.geom[0] == 1 && m.geom[1] == 2);
    ENSURE_NEAR(m.time, (1.2 - sqrt(1.44 - 20.0 * (0.09 - 0.21 * 0.21))) / 10.0, 1e-13);
    ENSURE(tac_time_of_impact(s.model, &c, 2, 2, 0.01, &m, s.memory) == TAC_ERROR_VALUE);
    ENSURE(tac_time_of_impact(s.model, &c, 1, 2, 0.0, &m, s.memory) == TAC_ERROR_VALUE);
    close_scene(&s);
    return 0;
}

// a scene of another detector has no convex parts to follow
static int other_detectors_are_refused(void) {
    const char* text = "<mujoco><tactus detect='manifold'/><worldbody><geom type='plane' "
                       "size='1 1 1'/><body pos='0 0 1'><freejoint/><geom size='.1'/></body>"
                       "</worldbody></mujoco>";
    double q[7] = {0.0, 0.0, 1.0, 1.0}, v[6] = {0.0}, memory[64];
    tacMotionPath path = {q, v, NULL, 1.0};
    tacTimeOfImpact toi;
    tacCcdCertificate certificate;
    tacModel* model;
    ENSURE(tac_load_text(text, (int)strlen(text), "scene.xml", NULL, &model, NULL) == TAC_OK);
    ENSURE(tac_ccd_size(model) == 0);
    ENSURE(tac_time_of_impact(model, &path, -1, -1, 1e-6, &toi, memory) == TAC_ERROR_UNSUPPORTED);
    ENSURE(tac_ccd_certify(model, &path, 1.0, &certificate, memory) == TAC_ERROR_UNSUPPORTED);
    tac_model_destroy(model);
    return 0;
}

// Balls that touch, or nearly so, and part have no impact, whatever distance is asked for.
static int parting_balls_have_no_impact(void) {
    impactScene s;
    ENSURE(open_scene("<body><freejoint/><geom size='.5'/></body>"
                      "<body pos='1 0 0'><freejoint/><geom size='.5'/></body>",
                      &s));
    const double gaps[] = {0.0, 1e-16, 1e-13, 1e-11, 1e-9, 1e-7};
    for (double distance = 1e-3; distance > 5e-13; distance *= 0.1) {
        for (int i = 0; i < 6; ++i) {
            double q[14] = {0, 0, 0, 1, 0, 0, 0, 1.0 + gaps[i], 0, 0, 1}, v[12] = {-1, 0.3, 0, 1};
            tacMotionPath c = {q, v, NULL, 0.1};
            tacTimeOfImpact m;
            v[6] = 1.0;
            ENSURE(tac_time_of_impact(s.model, &c, 0, 1, distance, &m, s.memory) == TAC_OK);
            ENSURE(!m.found);
            v[6] = -3.0;
            ENSURE(tac_time_of_impact(s.model, &c, 0, 1, distance, &m, s.memory) == TAC_OK);
            ENSURE(m.found && m.time < 1e-6);
        }
    }
    close_scene(&s);
    return 0;
}

TEST_MAIN(RUN(motion_path_follows_kinematics), RUN(curvature_bounds_hold),
          RUN(parts_are_separated_before_impact), RUN(turning_rod_has_a_closed_form),
          RUN(thin_plates_do_not_tunnel), RUN(time_of_impact_has_exact_derivatives),
          RUN(resting_pairs_use_the_lower_level), RUN(rolling_cylinders_have_no_impact),
          RUN(co_rotating_pairs_have_no_impact), RUN(ties_are_reported),
          RUN(certificate_fails_where_plates_tunnel), RUN(public_time_of_impact_has_a_closed_form),
          RUN(bad_input_is_refused), RUN(scenes_without_convex_parts_are_refused),
          RUN(other_detectors_are_refused), RUN(parting_balls_have_no_impact))
