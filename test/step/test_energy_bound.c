// Restitution that adds no energy: arms that hit with their tips, bodies thrown on a floor,
// several contacts at once; what is bounded keeps its energy and friction's law; derivatives across
// it.

#include "step/hard_scene.h"

#include "base/assert.h"
#include "tactus/respond.h"

#define SCENE(attributes)                                                                          \
    "<mujoco><option timestep='.001' gravity='0 0 -10'/><tactus detect='gjk' respond='lcp' "       \
    "delta='.001' " attributes "/><worldbody>"
#define END "</worldbody></mujoco>"

// the tip of an arm of two links over a floor whose height is a blank
#define ARM                                                                                        \
    SCENE("restitution='.5'")                                                                      \
    "<geom type='plane' pos='0 0 %.17g' size='5 5 1' friction='.5'/><body pos='0 0 1'><joint "     \
    "axis='0 1 .05'/><joint axis='1 0 0' armature='.01'/><geom type='capsule' fromto='0 0 0 0 0 "  \
    "-.5' size='.005' mass='1' contype='0' conaffinity='0'/><body pos='0 0 -.5'><joint axis='0 1 " \
    "0'/><geom type='capsule' fromto='0 0 0 0 .02 -.49' size='.005' mass='1' contype='0' "         \
    "conaffinity='0'/><body pos='0 .02 -.49'><geom type='sphere' size='.01' mass='.1' "            \
    "friction='.3'/></body></body></body>" END

static int kinetic_energy(const hardScene* s, const double* v, double* out) {
    double energy[2];
    ENSURE(tac_energy(s->model, s->q, v, energy, s->scratch) == TAC_OK);
    *out = energy[0];
    return 0;
}

static double* number(const hardScene* s, tacContactNumber which) {
    return s->model->param + s->model->contact->number[which];
}

// all coefficients of friction
static void set_friction(const hardScene* s, double mu) {
    for (int i = 0; i < s->model->nparam; ++i) {
        char name[200];
        tac_param_name(s->model, i, name, sizeof name);
        if (strstr(name, "friction[0]")) s->model->param[i] = mu;
    }
}

// the arm with both joints turned, over a floor that its tip nearly touches
static int open_arm(hardScene* s, double a, double b) {
    char text[2000];
    double height = 0.0;
    for (int pass = 0; pass < 2; ++pass) {
        tacPose pose[8];
        snprintf(text, sizeof text, ARM, height - 0.0115);
        ENSURE_LAW(hard_open(s, text));
        s->q[0] = a;
        s->q[2] = b;
        ENSURE(tac_kinematics(s->model, s->q, NULL, pose, NULL, s->scratch) == TAC_OK);
        height = pose[3].position.z;
        if (pass == 0) hard_close(s);
    }
    return 0;
}

//---------------------------------- energy ----------------------------------

typedef struct impactTally {
    int impacts, bounded, passes;
    double most; // gain of energy
} impactTally;

// one impact at a velocity
static int solve_one_impact(hardScene* s, impactTally* t) {
    double next[HARD_NUMBERS], before, after;
    ENSURE(tac_impulse(s->model, s->q, s->v, next, NULL, NULL, s->scratch) == TAC_OK);
    unsigned flags = tac_step_info(s->scratch).flags;
    ENSURE_LAW(kinetic_energy(s, s->v, &before));
    ENSURE_LAW(kinetic_energy(s, next, &after));
    ++t->impacts;
    t->bounded += (flags & TAC_RESTITUTION_REDUCED) != 0;
    t->most = fmax(t->most, after / before - 1.0);
    return 0;
}

// e in [0, 1], at times 1; mu in [0, 2]
static void draw_law(const hardScene* s, testRandom* random) {
    *number(s, TAC_CONTACT_RESTITUTION) = fmin(1.0, test_uniform(random, 0.0, 1.4));
    set_friction(s, fmax(0.0, test_uniform(random, -0.2, 2.0)));
}

static void draw_velocity(hardScene* s, testRandom* random) {
    for (int k = 0; k < s->model->nv; ++k) s->v[k] = test_uniform(random, -3.0, 3.0);
}

static int arms_keep_energy(testRandom* random, int count, impactTally* t) {
    for (int i = 0; i < count; ++i) {
        hardScene s;
        double bend = test_uniform(random, 0.0, 1.0);
        ENSURE_LAW(open_arm(&s, test_uniform(random, -1.0, 1.0), 2.0 * bend * bend * bend));
        for (int k = 0; k < 20; ++k) {
            draw_law(&s, random);
            draw_velocity(&s, random);
            ENSURE_LAW(solve_one_impact(&s, t));
        }
        hard_close(&s);
    }
    return 0;
}

typedef struct thrownBody {
    const char* geom;
    double half[3], round; // of a box in a ball; an ellipsoid has round < 0
} thrownBody;

// how far a body reaches below its middle
static double depth_of(const thrownBody* x, const double* q) {
    double z[3] = {2.0 * (q[1] * q[3] - q[0] * q[2]), 2.0 * (q[2] * q[3] + q[0] * q[1]), 0.0};
    double sum = 0.0, squares = 0.0;
    z[2] = 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]);
    for (int i = 0; i < 3; ++i) {
        sum += fabs(z[i]) * x->half[i];
        squares += z[i] * z[i] * x->half[i] * x->half[i];
    }
    return x->round < 0.0 ? sqrt(squares) : sum + x->round;
}

static void draw_quat(testRandom* random, double* q) {
    double size = 0.0;
    for (int i = 0; i < 4; ++i) {
        q[i] = test_uniform(random, -1.0, 1.0);
        size += q[i] * q[i];
    }
    for (int i = 0; i < 4; ++i) q[i] /= sqrt(size);
}

static int bodies_keep_energy(testRandom* random, int count, impactTally* t) {
    static const thrownBody all[] = {
        {"type='capsule' size='.01 .3'", {0.0, 0.0, 0.3}, 0.01},
        {"type='box' size='.1 .15 .05'", {0.1, 0.15, 0.05}, 0.0},
        {"type='box' size='.2 .2 .002'", {0.2, 0.2, 0.002}, 0.0},
        {"type='ellipsoid' size='.2 .05 .03'", {0.2, 0.05, 0.03}, -1.0},
    };
    for (int i = 0; i < TAC_COUNT(all); ++i) {
        hardScene s;
        char text[1000];
        snprintf(text, sizeof text,
                 SCENE("") "<geom type='plane' size='5 5 1'/><body><freejoint/><geom %s "
                           "mass='1'/></body>" END,
                 all[i].geom);
        ENSURE_LAW(hard_open(&s, text));
        for (int k = 0; k < count; ++k) {
            draw_law(&s, random);
            draw_velocity(&s, random);
            draw_quat(random, s.q + 3);
            s.q[2] = depth_of(&all[i], s.q + 3) + 0.0015;
            ENSURE_LAW(solve_one_impact(&s, t));
        }
        hard_close(&s);
    }
    return 0;
}

// a box on the floor by four corners and another that leans on it, beside a rod that has nothing to
// do with them
#define PILE                                                                                       \
    SCENE("")                                                                                      \
    "<geom type='plane' size='5 5 1'/><body pos='0 0 .1007'><freejoint/><geom type='box' "         \
    "size='.1 .12 .1' mass='1'/></body><body pos='.03 .05 .3014' euler='0 0 20'><freejoint/>"      \
    "<geom type='box' size='.1 .1 .1' mass='2'/></body><body pos='2 0 .2231' "                     \
    "euler='0 45 0'><freejoint/><geom type='capsule' size='.01 .3' mass='1'/></body>" END

static int piles_keep_energy(testRandom* random, int count, impactTally* t) {
    hardScene s;
    ENSURE_LAW(hard_open(&s, PILE));
    for (int k = 0; k < count; ++k) {
        draw_law(&s, random);
        draw_velocity(&s, random);
        ENSURE_LAW(solve_one_impact(&s, t));
    }
    hard_close(&s);
    return 0;
}

static int energy_never_grows(void) {
    testRandom random = {7};
    impactTally t = {0};
    ENSURE_LAW(arms_keep_energy(&random, test_amount(10, 60, 2000), &t));
    ENSURE_LAW(bodies_keep_energy(&random, test_amount(50, 500, 20000), &t));
    ENSURE_LAW(piles_keep_energy(&random, test_amount(20, 200, 5000), &t));
    printf("  %d impacts, %d bounded, most gain %.1e\n", t.impacts, t.bounded, t.most);
    ENSURE(t.most <= 1e-12 && t.bounded >= t.impacts / 50);
    return 0;
}

//---------------------------------- what is kept ----------------------------------

// A bounded impact keeps its energy exactly, parts the bodies and has friction within its law; and
// it is between the answer without restitution and beyond.
static int bounded_impact_keeps_its_energy(void) {
    hardScene s;
    double next[3], impulse[3 * 8], before, after;
    tacContacts* contacts = NULL;
    ENSURE_LAW(open_arm(&s, -0.5, 0.1));
    ENSURE(tac_contacts_create(s.model, 0, 0, &contacts) == TAC_OK && contacts->capacity <= 8);
    s.v[0] = 2.0;
    s.v[1] = 0.1;
    s.v[2] = 1.0;
    ENSURE(tac_impulse(s.model, s.q, s.v, next, contacts, impulse, s.scratch) == TAC_OK);
    ENSURE(tac_step_info(s.scratch).flags == TAC_RESTITUTION_REDUCED && contacts->count == 1);
    ENSURE_LAW(kinetic_energy(&s, s.v, &before));
    ENSURE_LAW(kinetic_energy(&s, next, &after));
    ENSURE_NEAR(after, before, 1e-13 * before);
    ENSURE(impulse[2] > 0.0 && hypot(impulse[0], impulse[1]) <= 0.5 * impulse[2] * (1 + 1e-12));
    // nothing is left to do
    double again[3];
    ENSURE(tac_impulse(s.model, s.q, next, again, NULL, NULL, s.scratch) == TAC_OK);
    ENSURE_NEAR(again[0], next[0], 1e-12 * fabs(next[0]));
    tac_contacts_destroy(contacts);
    hard_close(&s);
    return 0;
}

// e fades in between v0 = 2.5 |g| h and 1.5 v0, and is whole beyond
static int restitution_fades_in(void) {
    hardScene s;
    const double v0 = 0.025 + 1e-9;
    ENSURE_LAW(
        hard_open(&s, SCENE("restitution='.8'") "<geom type='plane' size='5 5 1'/><body "
                                                "pos='0 0 .1015'><freejoint/><geom "
                                                "type='sphere' size='.1' mass='1'/></body>" END));
    for (double speed = 0.01; speed < 0.06; speed += 0.001) {
        double next[6], y = fmin(fmax(2.0 * (speed / v0 - 1.0), 0.0), 1.0);
        s.v[2] = -speed;
        ENSURE(tac_impulse(s.model, s.q, s.v, next, NULL, NULL, s.scratch) == TAC_OK);
        ENSURE_NEAR(next[2], 0.8 * speed * y * y * (3.0 - 2.0 * y), 1e-15);
    }
    hard_close(&s);
    return 0;
}

#define LEANING_ROD(x)                                                                             \
    "<body pos='" x " 0 .2231' euler='0 45 0'><freejoint/><geom type='capsule' size='.01 .3' "     \
    "mass='1'/></body>"

// An impact that is bounded changes no bit of another that has nothing to do with it.
static int other_islands_keep_their_bits(void) {
    hardScene s;
    double next[2][12];
    ENSURE_LAW(
        hard_open(&s, SCENE("restitution='.9'") "<geom type='plane' size='5 5 1'/>" LEANING_ROD("0")
                          LEANING_ROD("2") END));
    s.v[0] = -4.0;
    s.v[2] = -1.0;
    s.v[3] = 0.5;
    s.v[8] = -2.0;
    for (int gains = 0; gains < 2; ++gains) {
        s.v[6] = gains ? 1.0 : -4.0;
        ENSURE(tac_impulse(s.model, s.q, s.v, next[gains], NULL, NULL, s.scratch) == TAC_OK);
        ENSURE(tac_step_info(s.scratch).flags == (gains ? TAC_RESTITUTION_REDUCED : 0));
    }
    for (int k = 0; k < 6; ++k) ENSURE(next[0][k] == next[1][k]);
    hard_close(&s);
    return 0;
}

static int impact_at(hardScene* s, double speed, double* next, unsigned* flags) {
    s->v[0] = speed;
    ENSURE(tac_impulse(s->model, s->q, s->v, next, NULL, NULL, s->scratch) == TAC_OK);
    *flags = tac_step_info(s->scratch).flags;
    return 0;
}

// Between impacts that gain and impacts that do not there is a border: the velocity after is
// continuous there, its derivative is not, and a tie tells.
static int border_of_the_bound_is_a_tie(void) {
    hardScene s;
    double low = -4.0, high = 1.0, next[2][6];
    unsigned flags[2];
    ENSURE_LAW(hard_open(
        &s, SCENE("restitution='.9'") "<geom type='plane' size='5 5 1'/>" LEANING_ROD("0") END));
    s.v[2] = -2.0;
    s.v[4] = 0.3;
    for (int i = 0; i < 60; ++i) {
        double middle = 0.5 * (low + high);
        ENSURE_LAW(impact_at(&s, middle, next[0], flags));
        if (flags[0] & TAC_RESTITUTION_REDUCED)
            high = middle;
        else
            low = middle;
    }
    ENSURE_LAW(impact_at(&s, low - 1e-12, next[0], &flags[0]));
    ENSURE_LAW(impact_at(&s, high + 1e-12, next[1], &flags[1]));
    ENSURE(flags[0] == TAC_TIE && flags[1] == (TAC_TIE | TAC_RESTITUTION_REDUCED));
    for (int k = 0; k < 6; ++k) ENSURE_NEAR(next[0][k], next[1][k], 1e-10);
    ENSURE_LAW(impact_at(&s, low - 1e-3, next[0], &flags[0]));
    ENSURE_LAW(impact_at(&s, high + 1e-3, next[1], &flags[1]));
    ENSURE(flags[0] == 0 && flags[1] == TAC_RESTITUTION_REDUCED);
    hard_close(&s);
    return 0;
}

//---------------------------------- derivatives ----------------------------------

// velocity after, from a neighbour along (dq, dv, theta)
static tacResult impact_from(const hardScene* s, const double* dq, const double* dv,
                             const double* theta, double h, double* next) {
    tacModel* model = s->model;
    double q[HARD_NUMBERS], v[HARD_NUMBERS];
    hard_move(model, s->q, dq, h, q);
    for (int k = 0; k < model->nv; ++k) v[k] = s->v[k] + h * dv[k];
    for (int i = 0; i < model->nparam; ++i) model->param[i] += h * theta[i];
    tacResult result = tac_impulse(model, q, v, next, NULL, NULL, s->scratch);
    for (int i = 0; i < model->nparam; ++i) model->param[i] -= h * theta[i];
    return result;
}

// masses, friction, restitution, rotors
static int is_smooth(const tacModel* model, int param) {
    static const char* const names[] = {"mass", "inertia", "friction[0]", "restitution",
                                        "armature"};
    char name[200];
    tac_param_name(model, param, name, sizeof name);
    for (int i = 0; i < TAC_COUNT(names); ++i)
        if (strstr(name, names[i])) return 1;
    return 0;
}

// derivative minus differences of a neighbour, least over widths, of its size
static double impact_difference(const hardScene* s, const double* dq, const double* dv,
                                const double* theta, const double* dot) {
    double ends[2][HARD_NUMBERS], least = INFINITY;
    for (double h = 1e-5; h > 1e-8; h *= 0.2) {
        double off = 0.0, size = 1.0;
        if (impact_from(s, dq, dv, theta, h, ends[0]) != TAC_OK ||
            impact_from(s, dq, dv, theta, -h, ends[1]) != TAC_OK)
            return INFINITY;
        for (int k = 0; k < s->model->nv; ++k) {
            size = fmax(size, fabs(dot[k]));
            off = fmax(off, fabs((ends[0][k] - ends[1][k]) / (2.0 * h) - dot[k]));
        }
        least = fmin(least, off / size);
    }
    return least;
}

static void draw_reals(testRandom* random, double* x, int n, double size) {
    for (int i = 0; i < n; ++i) x[i] = test_uniform(random, -size, size);
}

// a bounded impact: reverse as forward, forward as differences
static int compare_impact(hardScene* s, testRandom* random, double* worst) {
    int nv = s->model->nv, np = s->model->nparam;
    double dq[18], dv[18], dot[18], bar[18], back[2][18] = {{0}}, left = 0.0, right = 0.0;
    double *theta = calloc(2 * (size_t)np, sizeof *theta), *theta_bar = theta + np;
    draw_reals(random, dq, nv, 1.0);
    draw_reals(random, dv, nv, 1.0);
    draw_reals(random, bar, nv, 1.0);
    for (int i = 0; i < np; ++i)
        theta[i] = is_smooth(s->model, i) ? test_uniform(random, -0.1, 0.1) : 0.0;
    ENSURE(tac_impulse_jvp(s->model, s->q, s->v, dq, dv, theta, dot, s->scratch) == TAC_OK);
    ENSURE(tac_impulse_vjp(s->model, s->q, s->v, bar, back[0], back[1], theta_bar, s->scratch) ==
           TAC_OK);
    for (int k = 0; k < nv; ++k) {
        left += back[0][k] * dq[k] + back[1][k] * dv[k];
        right += bar[k] * dot[k];
    }
    for (int i = 0; i < np; ++i) left += theta_bar[i] * theta[i];
    ENSURE_NEAR(left, right, 1e-10 * (1.0 + fabs(right)));
    *worst = fmax(*worst, impact_difference(s, dq, dv, theta, dot));
    free(theta);
    return 0;
}

// of equal coefficients none is the larger one
static void draw_unequal_law(const hardScene* s, testRandom* random) {
    int count = 0;
    *number(s, TAC_CONTACT_RESTITUTION) = test_uniform(random, 0.4, 1.0);
    double mu = test_uniform(random, 0.1, 2.0);
    for (int i = 0; i < s->model->nparam; ++i) {
        char name[200];
        tac_param_name(s->model, i, name, sizeof name);
        if (strstr(name, "friction[0]")) s->model->param[i] = mu * (1.0 - 0.1 * count++);
    }
}

// random impacts at a state, those of them that are bounded and have no tie
static int compare_some(hardScene* s, testRandom* random, double* worst, int* compared) {
    double next[18];
    for (int k = 0; k < 40; ++k) {
        draw_unequal_law(s, random);
        draw_velocity(s, random);
        ENSURE(tac_impulse(s->model, s->q, s->v, next, NULL, NULL, s->scratch) == TAC_OK);
        if (tac_step_info(s->scratch).flags != TAC_RESTITUTION_REDUCED) continue;
        ENSURE_LAW(compare_impact(s, random, worst));
        ++*compared;
    }
    return 0;
}

static int bounded_impacts_have_exact_derivatives(void) {
    testRandom random = {5};
    double worst = 0.0;
    int compared = 0;
    for (int i = 0; i < test_amount(10, 20, 300); ++i) {
        hardScene s;
        ENSURE_LAW(
            open_arm(&s, test_uniform(&random, -1.0, 1.0), test_uniform(&random, 0.05, 1.0)));
        ENSURE_LAW(compare_some(&s, &random, &worst, &compared));
        hard_close(&s);
        ENSURE_LAW(hard_open(&s, SCENE("") "<geom type='plane' size='5 5 1'/>" LEANING_ROD("0")
                                     LEANING_ROD("2") END));
        ENSURE_LAW(compare_some(&s, &random, &worst, &compared));
        hard_close(&s);
    }
    printf("  %d bounded impacts, worst %.1e\n", compared, worst);
    ENSURE(compared >= 15 && worst <= 1e-6);
    return 0;
}

TEST_MAIN(RUN(energy_never_grows), RUN(bounded_impact_keeps_its_energy), RUN(restitution_fades_in),
          RUN(other_islands_keep_their_bits), RUN(border_of_the_bound_is_a_tie),
          RUN(bounded_impacts_have_exact_derivatives))
