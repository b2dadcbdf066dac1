// A collision by itself: closed forms with friction and spin, momentum, derivatives, refusals.

#include "step/hard_scene.h"

#include "base/assert.h"
#include "tactus/respond.h"

#define HIT(attributes, mu)                                                                        \
    "<mujoco><option timestep='.01' gravity='0 0 -10'/><tactus detect='gjk' respond='lcp' "        \
    "delta='.001' " attributes "/><worldbody><geom type='plane' size='1 1 1' friction='" mu "'/>"
#define BALL "<body pos='0 0 .101'><freejoint/><geom type='sphere' size='.1' mass='2'"
#define END  "</worldbody></mujoco>"

static tacContacts* new_contacts(const tacModel* model) {
    tacContacts* contacts = NULL;
    return tac_contacts_create(model, 0, 0, &contacts) == TAC_OK ? contacts : NULL;
}

// A ball of 2 kg falls with 3 m/s and slides with 4: f_n = m (1 + e) 3. It slides on while
// mu f_n < 2/7 m 4, else it rolls on with 5/7 of its speed.
static int ball_with_friction_has_a_closed_form(void) {
    static const char* const scenes[2] = {
        HIT("restitution='.5'", ".1") BALL " friction='.1'/></body>" END,
        HIT("restitution='.5'", ".9") BALL " friction='.9'/></body>" END};
    for (int rolls = 0; rolls < 2; ++rolls) {
        hardScene s;
        double next[6], impulse[3 * 64];
        ENSURE_LAW(hard_open(&s, scenes[rolls]));
        tacContacts* contacts = new_contacts(s.model);
        ENSURE(contacts && contacts->capacity <= 64);
        s.v[0] = 4.0;
        s.v[2] = -3.0;
        ENSURE(tac_impulse(s.model, s.q, s.v, next, contacts, impulse, s.scratch) == TAC_OK);
        // the floor acts at its surface, a gap below the ball
        double arm = 0.1 + contacts->distance[0], inertia = 0.4 * 2.0 * 0.01, f = 2.0 * 1.5 * 3.0;
        double t = rolls ? 4.0 / (1.0 / 2.0 + arm * arm / inertia) : 0.1 * f;
        ENSURE_NEAR(next[2], 1.5, 1e-12);
        ENSURE_NEAR(next[0], 4.0 - t / 2.0, 1e-12);
        ENSURE_NEAR(next[4], t * arm / inertia, 1e-10);
        ENSURE(contacts->count == 1);
        ENSURE_NEAR(impulse[2], f, 1e-11);
        ENSURE_NEAR(impulse[0], 2.0 * (next[0] - 4.0), 1e-11);
        tac_contacts_destroy(contacts);
        hard_close(&s);
    }
    return 0;
}

#define BOXES(attributes)                                                                          \
    HIT(attributes, ".4")                                                                          \
    "<body pos='0 0 .1007'><freejoint/><geom type='box' size='.1 .12 .1' mass='1'/></body>"        \
    "<body pos='.03 .05 .3014' euler='0 0 20'><freejoint/><geom type='box' size='.1 .1 .1' "       \
    "mass='2'/></body>" END

static void draw_fast(hardScene* s, testRandom* random) {
    for (int k = 0; k < s->model->nv; ++k) s->v[k] = test_uniform(random, -1.0, 1.0);
    s->v[2] = -1.0;
    s->v[8] = -3.0;
}

// what contacts give is what bodies get: momentum of both, and nothing approaches afterwards
static int impulses_conserve_momentum(void) {
    hardScene s;
    double next[12], *impulse;
    testRandom random = {3};
    ENSURE_LAW(hard_open(&s, BOXES("restitution='.3'")));
    tacContacts* contacts = new_contacts(s.model);
    ENSURE(contacts);
    impulse = calloc(3 * (size_t)contacts->capacity, sizeof *impulse);
    for (int n = 0; n < 20; ++n) {
        draw_fast(&s, &random);
        ENSURE(tac_impulse(s.model, s.q, s.v, next, contacts, impulse, s.scratch) == TAC_OK);
        double sum[2][3] = {{0}};
        ENSURE(contacts->count >= 8);
        for (int i = 0; i < contacts->count; ++i)
            for (int k = 0; k < 3; ++k)
                for (int side = 0; side < 2; ++side) {
                    int body = s.model->geom[contacts->geom[side][i]].body;
                    if (body > 0) sum[body - 1][k] += (side ? 1 : -1) * impulse[3 * i + k];
                }
        for (int k = 0; k < 3; ++k) {
            ENSURE_NEAR(sum[0][k], 1.0 * (next[k] - s.v[k]), 1e-10);
            ENSURE_NEAR(sum[1][k], 2.0 * (next[6 + k] - s.v[6 + k]), 1e-10);
        }
        // again, it finds nothing to do
        double after[12];
        ENSURE(tac_impulse(s.model, s.q, next, after, NULL, NULL, s.scratch) == TAC_OK);
        for (int k = 0; k < 12; ++k) ENSURE_NEAR(after[k], next[k], 1e-7);
    }
    free(impulse);
    tac_contacts_destroy(contacts);
    hard_close(&s);
    return 0;
}

//---------------------------------- derivatives ----------------------------------

// a box on an edge with a ball on top, both slide or stick; of equal coefficients of friction none
// would be the larger one
#define LEANING(mu)                                                                                \
    HIT("restitution='.3'", "0")                                                                   \
    "<body pos='0 0 .12317448' euler='0 15 0'><freejoint/><geom type='box' size='.1 .12 .1' "      \
    "mass='1' friction='" mu "'/></body><body pos='.05194 .03 .317044'><freejoint/><geom "         \
    "type='sphere' size='.1' mass='2' friction='0'/></body>" END

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

// parameters of masses, friction and restitution
static int is_smooth_param(const tacModel* model, int param) {
    char name[200];
    tac_param_name(model, param, name, sizeof name);
    return strstr(name, "mass") || strstr(name, "inertia") || strstr(name, "friction[0]") ||
           strstr(name, "restitution");
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

// at a random velocity: reverse as forward, forward as differences unless flagged
static int compare_impact(hardScene* s, testRandom* random, double* worst, int* compared) {
    int nv = s->model->nv, np = s->model->nparam;
    double dq[12], dv[12], dot[12], bar[12], back[2][12] = {{0}}, left = 0.0, right = 0.0;
    double *theta = calloc(2 * (size_t)np, sizeof *theta), *theta_bar = theta + np;
    draw_fast(s, random);
    draw_reals(random, dq, nv, 1.0);
    draw_reals(random, dv, nv, 1.0);
    draw_reals(random, bar, nv, 1.0);
    for (int i = 0; i < np; ++i)
        theta[i] = is_smooth_param(s->model, i) ? test_uniform(random, -0.1, 0.1) : 0.0;
    ENSURE(tac_impulse_jvp(s->model, s->q, s->v, dq, dv, theta, dot, s->scratch) == TAC_OK);
    int flagged = (tac_step_info(s->scratch).flags & TAC_TIE) != 0;
    ENSURE(tac_impulse_vjp(s->model, s->q, s->v, bar, back[0], back[1], theta_bar, s->scratch) ==
           TAC_OK);
    for (int k = 0; k < nv; ++k) {
        left += back[0][k] * dq[k] + back[1][k] * dv[k];
        right += bar[k] * dot[k];
    }
    for (int i = 0; i < np; ++i) left += theta_bar[i] * theta[i];
    ENSURE_NEAR(left, right, 1e-10 * (1.0 + fabs(right)));
    if (!flagged) {
        *worst = fmax(*worst, impact_difference(s, dq, dv, theta, dot));
        ++*compared;
    }
    free(theta);
    return 0;
}

static int impacts_have_exact_derivatives(void) {
    static const char* const scenes[2] = {LEANING(".05"), LEANING("2")};
    testRandom random = {5};
    double worst = 0.0;
    int compared = 0;
    for (int i = 0; i < 2; ++i) {
        hardScene s;
        ENSURE_LAW(hard_open(&s, scenes[i]));
        for (int n = 0; n < 40; ++n) ENSURE_LAW(compare_impact(&s, &random, &worst, &compared));
        hard_close(&s);
    }
    printf("  %d of 80 without a tie, worst %.1e\n", compared, worst);
    ENSURE(compared >= 20 && worst <= 1e-6);
    return 0;
}

static int wrong_input_is_refused(void) {
    hardScene s;
    double next[12] = {7.0};
    ENSURE_LAW(hard_open(&s, BOXES("")));
    s.v[3] = NAN;
    ENSURE(tac_impulse(s.model, s.q, s.v, next, NULL, NULL, s.scratch) == TAC_ERROR_VALUE);
    ENSURE(tac_impulse(s.model, s.q, NULL, next, NULL, NULL, s.scratch) == TAC_ERROR_VALUE);
    ENSURE(next[0] == 7.0);
    // bodies within one another
    memcpy(s.q + 7, s.q, 3 * sizeof *s.q);
    s.v[3] = 0.0;
    ENSURE(tac_impulse(s.model, s.q, s.v, next, NULL, NULL, s.scratch) == TAC_ERROR_VALUE);
    ENSURE(next[0] == 7.0);
    hard_close(&s);
    ENSURE_LAW(hard_open(&s, "<mujoco><worldbody>" BALL "/></body>" END));
    ENSURE(tac_impulse(s.model, s.q, s.v, next, NULL, NULL, s.scratch) == TAC_ERROR_UNSUPPORTED);
    ENSURE(tac_impulse_jvp(s.model, s.q, s.v, NULL, NULL, NULL, next, s.scratch) ==
           TAC_ERROR_UNSUPPORTED);
    hard_close(&s);
    return 0;
}

TEST_MAIN(RUN(ball_with_friction_has_a_closed_form), RUN(impulses_conserve_momentum),
          RUN(impacts_have_exact_derivatives), RUN(wrong_input_is_refused))
