// Elastic-plastic contact with its default numbers: random scenes stay finite and gain no energy,
// and motion is that of the law: rest height, exit speed, stopping distance, creep.

#include "check/prove.h"
#include "tactus/step.h"
#include "test.h"

//---------------------------------- random scenes --------------------------------

enum { SCENE_BODIES = 6, SCENE_TEXT = 4000 };

static double log_uniform(unsigned long long* random, double low, double high) {
    return exp(tac_check_uniform(random, log(low), log(high)));
}

static int pick(unsigned long long* random, int count) {
    int i = (int)tac_check_uniform(random, 0.0, count);
    return i < count ? i : count - 1;
}

// a geom of 1 cm to 1 m; returns the radius of the ball around it
static double add_geom(unsigned long long* random, int kinds, char* out, size_t size) {
    double a = log_uniform(random, 0.01, 1.0), b = a * tac_check_uniform(random, 0.2, 1.0);
    double c = a * tac_check_uniform(random, 0.2, 1.0);
    double mass = log_uniform(random, 1e-3, 1e3), mu = tac_check_uniform(random, 0.0, 1.2);
    static const char* const name[] = {"sphere", "box", "box", "capsule", "cylinder", "ellipsoid"};
    int kind = pick(random, kinds);
    snprintf(out, size, "<geom type='%s' size='%.17g %.17g %.17g' mass='%.17g' friction='%.17g'/>",
             name[kind], a, b, c, mass, mu);
    return kind == 0 ? a : kind == 3 ? a + b : 2.0 * a;
}

// bodies above each other, any way round, with gaps: dropped, thrown at up to 5 m/s or stacked
static int write_scene(unsigned long long seed, const char* detect, int kinds, char* text) {
    unsigned long long random = seed * 7919u + 17u;
    int bodies = 1 + pick(&random, SCENE_BODIES), stacked = pick(&random, 3) == 0;
    double top = 0.0;
    int at =
        snprintf(text, SCENE_TEXT,
                 "<mujoco><option integrator='%s'/><tactus detect='%s' "
                 "respond='elastoplastic'/><worldbody>"
                 "<geom type='plane' size='9 9 .1' friction='%.17g'/>",
                 seed % 4 == 3 ? "RK4" : "Euler", detect, tac_check_uniform(&random, 0.0, 1.2));
    for (int i = 0; i < bodies; ++i) {
        char geom[300];
        double r = add_geom(&random, kinds, geom, sizeof geom), angle[3];
        for (int k = 0; k < 3; ++k)
            angle[k] = stacked ? 90.0 * pick(&random, 2) : tac_check_uniform(&random, -180.0, 180);
        double gap = stacked ? 0.0 : r * tac_check_uniform(&random, 0.0, 2.0);
        top += r + gap;
        at += snprintf(text + at, SCENE_TEXT - (size_t)at,
                       "<body pos='%.17g %.17g %.17g' euler='%.17g %.17g %.17g'><freejoint/>%s"
                       "</body>",
                       0.1 * r * tac_check_normal(&random), 0.1 * r * tac_check_normal(&random),
                       top, angle[0], angle[1], angle[2], geom);
        top += r;
    }
    snprintf(text + at, SCENE_TEXT - (size_t)at, "</worldbody></mujoco>");
    return stacked;
}

typedef struct sceneRun {
    tacModel* model;
    tacScratch* scratch;
    double q[7 * SCENE_BODIES], v[6 * SCENE_BODIES];
    tacState x;
} sceneRun;

static int open_scene(sceneRun* r, const char* text) {
    tacMessage message = {0};
    *r = (sceneRun){0};
    tacResult result = tac_load_text(text, (int)strlen(text), "text", NULL, &r->model, &message);
    if (result != TAC_OK || *message.text) printf("  %s\n", message.text);
    ENSURE(result == TAC_OK && r->model->nq <= 7 * SCENE_BODIES);
    ENSURE(tac_scratch_create(r->model, &r->scratch) == TAC_OK);
    memcpy(r->q, r->model->qpos0, sizeof(double) * (size_t)r->model->nq);
    r->x = (tacState){.qpos = r->q, .qvel = r->v};
    return 0;
}

static void close_scene(sceneRun* r) {
    tac_scratch_destroy(r->scratch);
    tac_model_destroy(r->model);
}

static double energy_of(sceneRun* r) {
    double energy[2] = {0};
    tac_energy(r->model, r->q, r->v, energy, r->scratch);
    return energy[0] + energy[1];
}

static int step_scene(sceneRun* r, int steps) {
    for (int i = 0; i < steps; ++i)
        ENSURE(tac_step(r->model, &r->x, NULL, &r->x, r->scratch) == TAC_OK);
    return 0;
}

// 1 if it diverges or gains more than 1 % of its energy above the floor
static int scene_fails(unsigned long long seed, const char* detect, int kinds) {
    char text[SCENE_TEXT];
    sceneRun r;
    unsigned long long random = seed + 99u;
    int stacked = write_scene(seed, detect, kinds, text), failed = 0;
    if (open_scene(&r, text)) return 1;
    for (int k = 0; k < r.model->nv && !stacked; ++k)
        r.v[k] = (k % 6 < 3 ? 2.5 : 5.0) * tac_check_uniform(&random, -1.0, 1.0);
    double start = energy_of(&r), most = start;
    for (int i = 0; i < 1000 && !failed; ++i) {
        failed = tac_step(r.model, &r.x, NULL, &r.x, r.scratch) != TAC_OK;
        most = fmax(most, energy_of(&r));
    }
    failed = failed || most > 1.01 * start;
    if (failed) printf("  %s seed %llu: %g J become %g J\n", detect, seed, start, most);
    if (failed && getenv("TACTUS_PRINT_SCENES")) printf("%s\n", text);
    close_scene(&r);
    return failed;
}

static int random_scenes_gain_no_energy(void) {
    static const char* const detect[] = {"sat", "convex", "gjk"};
    static const int kinds[] = {3, 3, 6};
    int failed = 0, count = test_amount(6, 210, 10000);
    for (int i = 0; i < count; ++i)
        failed += scene_fails((unsigned long long)i, detect[i % 3], kinds[i % 3]);
    printf("  %d of %d scenes diverge or gain energy\n", failed, count);
    ENSURE(failed == 0);
    return 0;
}

//---------------------------------- closed forms ---------------------------------

static double number_of(const sceneRun* r, const char* name) {
    tacParam p;
    tac_param_find(r->model, name, &p);
    return r->model->param[p.offset];
}

// d (1 + e) = log((1 + d)/(1 - e d)), d the speed over v_d
static double restitution_of_speed(double d) {
    double low = 1e-12, high = fmin(1.0, (1.0 - 1e-12) / d);
    for (int i = 0; i < 200; ++i) {
        double e = 0.5 * (low + high);
        if (d * (1.0 + e) > log((1.0 + d) / (1.0 - e * d)))
            low = e;
        else
            high = e;
    }
    return low;
}

// a body on slides: it does not turn
#define SLIDES                                                                                     \
    "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"                         \
    "<joint type='slide' axis='0 0 1'/>"

static const char ball_text[] =
    "<mujoco><option gravity='0 0 %g'/><tactus detect='%s' respond='elastoplastic' %s/><worldbody>"
    "<geom type='plane' size='9 9 .1' friction='.3'/><body pos='0 0 %.17g'>%s"
    "<geom size='%.17g' mass='%g' friction='.3'/></body></worldbody></mujoco>";

static const char* const detectors[] = {"sat", "convex", "gjk"};

static int open_ball(sceneRun* r, int detector, const char* numbers, double radius, double height,
                     const char* joints, double gravity) {
    char text[900];
    snprintf(text, sizeof text, ball_text, gravity, detectors[detector], numbers, height, joints,
             radius, 40.0 * radius);
    return open_scene(r, text);
}

static int a_ball_rests_where_the_spring_carries_it(void) {
    for (int i = 0; i < 9; ++i) {
        static const double radius[] = {0.01, 0.1, 1.0};
        double size = radius[i / 3];
        sceneRun r;
        ENSURE_LAW(open_ball(&r, i % 3, "", size, 1.02 * size, "<freejoint/>", -9.81));
        ENSURE_LAW(step_scene(&r, 3000));
        double k = number_of(&r, "respond/stiffness"), depth = size - r.q[2];
        ENSURE_NEAR(depth, cbrt(40.0 * size * 9.81 / k), 1e-6 * size);
        ENSURE(depth > 0.0099 * size && depth < 0.051 * size);
        close_scene(&r);
    }
    return 0;
}

// speed after the impact, without gravity
static int exit_speed(sceneRun* r, double speed, double* out) {
    r->v[2] = -speed;
    double top = r->q[2];
    for (int i = 0; i < 20000 && (r->q[2] <= top || r->v[2] <= 0.0); ++i)
        ENSURE_LAW(step_scene(r, 1));
    *out = r->v[2];
    return 0;
}

// steps of 2 ms; the impact of a ball of 0.1 m at 1 m/s takes 14 of them
static int exit_speeds_are_the_closed_form(void) {
    static const double speeds[] = {0.1, 0.3, 1.0, 2.0};
    static const double sizes[] = {0.1, 0.3, 1.0};
    double worst = 0.0;
    for (int i = 0; i < 12; ++i) {
        double speed = speeds[i % 4], size = sizes[i / 4], out = 0.0;
        sceneRun r;
        ENSURE_LAW(open_ball(&r, i % 3, "", size, 1.001 * size, "<freejoint/>", 0.0));
        ENSURE_LAW(exit_speed(&r, speed, &out));
        double e = restitution_of_speed(speed / number_of(&r, "respond/dissipation"));
        worst = fmax(worst, fabs(out / speed / e - 1.0));
        ENSURE_NEAR(out / speed, e, 0.02 * e);
        close_scene(&r);
    }
    printf("  exit speeds within %.2g\n", worst);
    return 0;
}

// height of a ball of unit mass after an impact under gravity: the law in steps of 1 us
static double bounce_height(double k, double v_d, double speed) {
    double z = 0.0, v = -speed, h = 1e-6;
    while (z <= 0.0) {
        double half = z + 0.5 * h * v, depth = fmax(-half, 0.0), c = k * depth * depth * depth;
        v = (v + h * (c * (1.0 - 0.5 * v / v_d) - 9.81)) / (1.0 + 0.5 * h * c / v_d);
        z = half + 0.5 * h * v;
    }
    return v * v / (2.0 * 9.81);
}

// with little dissipation: the step adds none of its own
static int a_ball_bounces_as_high_as_the_law_says(void) {
    for (int i = 0; i < 6; ++i) {
        double size = i < 3 ? 0.3 : 1.0, drop = 0.1, top = 0.0;
        sceneRun r;
        ENSURE_LAW(
            open_ball(&r, i % 3, "dissipation='8'", size, size + drop, "<freejoint/>", -9.81));
        double k = number_of(&r, "respond/stiffness") / (40.0 * size);
        double law = bounce_height(k, 8.0, sqrt(2.0 * 9.81 * drop));
        for (int step = 0, down = 0; step < 2000 && down < 2; ++step) {
            double before = r.v[2];
            ENSURE_LAW(step_scene(&r, 1));
            if (before > 0.0 && r.v[2] <= 0.0) down = 2;
            top = r.q[2] - size;
        }
        printf("  a ball of %g m bounces %.4g m high, the law %.4g m\n", size, top, law);
        ENSURE_NEAR(top, law, 0.02 * law);
        close_scene(&r);
    }
    return 0;
}

// friction of an impact over its normal impulse, mu = 0.3, without rotation; exact at short steps
static int an_impact_has_the_friction_of_coulomb(void) {
    static const double speeds[] = {0.3, 1.0, 3.0};
    for (int i = 0; i < 6; ++i) {
        double speed = speeds[i % 3], size = i < 3 ? 0.1 : 1.0, out = 0.0;
        sceneRun r;
        ENSURE_LAW(open_ball(&r, i % 2, "", size, 1.001 * size, SLIDES, 0.0));
        r.v[0] = 5.0 * speed;
        ENSURE_LAW(exit_speed(&r, speed, &out));
        double mu = (5.0 * speed - r.v[0]) / (out + speed);
        printf("  a ball of %g m at %g m/s: %.3f\n", size, speed, mu);
        ENSURE(mu > 0.24 && mu < (speed < 2.0 ? 0.34 : 0.45));
        close_scene(&r);
    }
    return 0;
}

// v' = -mu g tanh(v/2 v_s): the distance is that of Coulomb but for 1.6 v_s^2/(mu g)
static int a_block_stops_where_it_should(void) {
    for (int i = 0; i < 6; ++i) {
        double size = i < 3 ? 0.05 : 0.5, speed = 2.0, mu = 0.3;
        sceneRun r;
        ENSURE_LAW(open_ball(&r, i % 3, "", size, 0.99 * size, SLIDES, -9.81));
        ENSURE_LAW(step_scene(&r, 1000));
        double start = r.q[0];
        r.v[0] = speed;
        ENSURE_LAW(step_scene(&r, 1500));
        ENSURE_NEAR(r.q[0] - start, speed * speed / (2.0 * mu * 9.81), 0.005);
        ENSURE(fabs(r.v[0]) < 0.01);
        close_scene(&r);
    }
    return 0;
}

// 5/7 of the speed is left when friction has made it roll; nothing slows it then
static int a_ball_comes_to_roll(void) {
    for (int i = 0; i < 3; ++i) {
        sceneRun r;
        ENSURE_LAW(open_ball(&r, i, "", 0.1, 0.098, "<freejoint/>", -9.81));
        ENSURE_LAW(step_scene(&r, 500));
        r.v[0] = 1.0;
        ENSURE_LAW(step_scene(&r, 1500));
        ENSURE_NEAR(r.v[0], 5.0 / 7.0, 0.01 * 5.0 / 7.0);
        close_scene(&r);
    }
    return 0;
}

// Under a push of a share p of mu m g it creeps at 2 v_s atanh(p); a larger one accelerates it by
// the rest. The push is a part of gravity.
static int breakaway_is_that_of_the_law(void) {
    static const double shares[] = {0.2, 0.5, 0.9, 1.5};
    for (int i = 0; i < 12; ++i) {
        double share = shares[i % 4], size = i < 8 ? 0.1 : 1.0, mu = 0.3;
        char text[900];
        sceneRun r;
        snprintf(text, sizeof text,
                 "<mujoco><option gravity='%.17g 0 -9.81'/><tactus detect='%s' "
                 "respond='elastoplastic'/><worldbody><geom type='plane' size='9 9 .1' "
                 "friction='%g'/><body pos='0 0 %.17g'>" SLIDES
                 "<geom type='box' size='%g %g %g' mass='1' friction='.3'/></body></worldbody>"
                 "</mujoco>",
                 share * mu * 9.81, detectors[i % 3], mu, 0.99 * size, size, size, size);
        ENSURE_LAW(open_scene(&r, text));
        double v_s = number_of(&r, "respond/stiction");
        ENSURE_LAW(step_scene(&r, 1000));
        double before = r.v[0];
        ENSURE_LAW(step_scene(&r, 500));
        if (share < 1.0)
            ENSURE_NEAR(r.v[0], 2.0 * v_s * atanh(share), 1e-3 * v_s);
        else
            ENSURE_NEAR(r.v[0] - before, (share - 1.0) * mu * 9.81, 1e-3);
        close_scene(&r);
    }
    return 0;
}

TEST_MAIN(RUN(random_scenes_gain_no_energy), RUN(a_ball_rests_where_the_spring_carries_it),
          RUN(exit_speeds_are_the_closed_form), RUN(a_ball_bounces_as_high_as_the_law_says),
          RUN(an_impact_has_the_friction_of_coulomb), RUN(a_block_stops_where_it_should),
          RUN(a_ball_comes_to_roll), RUN(breakaway_is_that_of_the_law))
