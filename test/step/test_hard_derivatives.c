// Derivatives of hard contact: across impacts inside the step, with rotation, friction and
// restitution, against converged differences of the step itself; adjoints; closed forms.

#include "respond/lcp/contact_solve_assembly.h"
#include "step/hard_differences.h"

//---------------------------------- closed forms ----------------------------------

#define NO_GRAVITY(attributes)                                                                     \
    "<mujoco><option timestep='.01' gravity='0 0 0'/><tactus detect='gjk' "                        \
    "respond='lcp' " attributes "/><worldbody>"

// gradient of a number of the state after `steps`, by the reverse derivative over the whole way
static int rollout_gradient(hardScene* s, int steps, int position, int index, double* dq,
                            double* dv) {
    enum { MOST = 64 };
    static double path[MOST][2][HARD_NUMBERS];
    int nq = s->model->nq, nv = s->model->nv;
    ENSURE(steps <= MOST);
    for (int i = 0; i < steps; ++i) {
        memcpy(path[i][0], s->q, sizeof(double) * (size_t)nq);
        memcpy(path[i][1], s->v, sizeof(double) * (size_t)nv);
        ENSURE(hard_steps(s, 1) == TAC_OK);
    }
    memset(dq, 0, sizeof(double) * (size_t)nv);
    memset(dv, 0, sizeof(double) * (size_t)nv);
    (position ? dq : dv)[index] = 1.0;
    for (int i = steps - 1; i >= 0; --i) {
        double bar[2][HARD_NUMBERS] = {{0}};
        tacState x = {.qpos = path[i][0], .qvel = path[i][1], .act = s->act};
        tacTangent next = {.dq = dq, .dv = dv}, out = {.dq = bar[0], .dv = bar[1]};
        ENSURE(tac_step_vjp(s->model, &x, s->u, next, (tacStepTangent){.x = out}, s->scratch) ==
               TAC_OK);
        memcpy(dq, bar[0], sizeof(double) * (size_t)nv);
        memcpy(dv, bar[1], sizeof(double) * (size_t)nv);
    }
    return 0;
}

// height at T after a bounce: e (v T - gap), so dh/dy = -e and dh/dv = -e T
static int one_bounce_has_a_closed_form(void) {
    hardScene s;
    double dq[6], dv[6];
    ENSURE_LAW(hard_open(&s, NO_GRAVITY("restitution='.7'")
                                 FLOOR BALL("0 0 .25") "</worldbody></mujoco>"));
    s.v[2] = -2.0;
    ENSURE_LAW(rollout_gradient(&s, 20, 1, 2, dq, dv));
    ENSURE_NEAR(dq[2], -0.7, 1e-9);
    ENSURE_NEAR(dv[2], -0.7 * 0.2, 1e-9);
    ENSURE_NEAR(dq[0], 0.0, 1e-9);
    hard_close(&s);
    return 0;
}

// two equal balls, elastic: the speeds change places, and so do their derivatives
static int two_balls_exchange_derivatives(void) {
    hardScene s;
    double dq[12], dv[12];
    ENSURE_LAW(hard_open(&s, NO_GRAVITY("restitution='1'") BALL("0 0 0")
                                 BALL("0 0 .25") "</worldbody></mujoco>"));
    s.v[2] = 1.0;
    s.v[8] = 0.1;
    ENSURE_LAW(rollout_gradient(&s, 10, 0, 8, dq, dv));
    ENSURE_NEAR(dv[2], 1.0, 1e-9);
    ENSURE_NEAR(dv[8], 0.0, 1e-9);
    ENSURE_NEAR(dq[2], 0.0, 1e-9);
    memcpy(s.q, s.model->qpos0, sizeof(double) * (size_t)s.model->nq);
    memset(s.v, 0, sizeof s.v);
    s.v[2] = 1.0;
    s.v[8] = 0.1;
    ENSURE_LAW(
        rollout_gradient(&s, 10, 1, 8, dq, dv)); // z of the second: that of the first, unhindered
    ENSURE_NEAR(dq[2], 1.0, 1e-9);
    ENSURE_NEAR(dq[8], 0.0, 1e-9);
    ENSURE_NEAR(dv[2], 0.1, 1e-9);
    ENSURE_NEAR(dv[8], 0.0, 1e-9);
    hard_close(&s);
    return 0;
}

//---------------------------------- differences ----------------------------------

// a box that tumbles to rest: corners, edges, rows that look at the end of a curved path
static int tumbling_box_agrees_with_differences(void) {
    const double v[6] = {0.5, 0.2, -1.0, 1.0, 2.0, 0.5};
    ENSURE_LAW(check_along_motion(HARD("restitution='.3'") "<worldbody>" FLOOR BOX(
                                      "0 0 .2", "20 10 5", ".1 .15 .05") "</worldbody></mujoco>",
                                  v, 40, 3));
    return 0;
}

// a box that turns by a quarter of a radian a step when it hits: its gyroscopic couple is ahead
static int spinning_box_agrees_with_differences(void) {
    const double v[6] = {0.5, 0.2, -3.0, 20.0, -10.0, 13.0};
    ENSURE_LAW(check_along_motion(HARD("restitution='.3'") "<worldbody>" FLOOR BOX(
                                      "0 0 .3", "20 10 5", ".1 .15 .05") "</worldbody></mujoco>",
                                  v, 15, 1));
    return 0;
}

// two boxes that meet by their edges, in the air
static int boxes_edge_to_edge_agree_with_differences(void) {
    const double v[12] = {0.1, 0.2, 2.0, 1.0, 0.5, 0.2, 0.0, 0.1, -3.0, 0.3, 1.0, -1.0};
    ENSURE_LAW(check_along_motion(
        HARD("restitution='.2'") "<worldbody>" BOX("0 0 0", "0 0 0", ".1 .15 .05")
            BOX("0.02 0.03 .22", "30 40 10", ".1 .1 .05") "</worldbody></mujoco>",
        v, 6, 1));
    return 0;
}

// A plate comes down on another by 1 micrometre: corners of either one look at the other's face, so
// the rows agree at this configuration alone, which is reported.
static int plates_face_to_face_are_reported(void) {
    const double v[12] = {0.0};
    hardScene s;
    const char* text = HARD("") "<worldbody>" FLOOR BOX("0 0 .001001", "0 0 0", ".1 .07 .001")
        BOX("0.01 0.005 .003002", "0 0 25", ".1 .07 .001") "</worldbody></mujoco>";
    ENSURE_LAW(hard_open(&s, text));
    ENSURE(hard_steps(&s, 1) == TAC_OK);
    ENSURE(s.flags & TAC_TIE);
    hard_close(&s);
    ENSURE_LAW(check_along_motion(text, v, 12, 0));
    return 0;
}

// an arm of two joints with motors, dampers and a limit, swings a capsule against the floor
static int arm(void) {
    const double v[2] = {2.0, 1.0};
    ENSURE_LAW(check_along_motion(
        HARD("restitution='.4'") "<worldbody>" FLOOR
                                 "<body pos='0 0 .7'><joint name='a' axis='0 1 .1' "
                                 "damping='.1'/><geom type='capsule' "
                                 "size='.03' fromto='0 0 0 .3 0 -.1' mass='1'/><body "
                                 "pos='.3 0 -.1'><joint name='b' "
                                 "axis='0 1 0' damping='.05' limited='true' "
                                 "range='-60 60'/><geom type='capsule' "
                                 "size='.03' fromto='0 0 0 .2 .05 -.35' mass='.5' "
                                 "friction='.5'/></body></body>"
                                 "</worldbody><actuator><motor joint='a'/><motor "
                                 "joint='b'/></actuator></mujoco>",
        v, 30, 1));
    return 0;
}

// a rod that falls on its end and would gain energy from friction
static int bounded_rod_agrees_with_differences(void) {
    const double v[6] = {0.8, 0.1, -2.0, 0.2, 0.5, 0.1};
    ENSURE_LAW(check_along_motion(
        HARD("restitution='.9'") "<worldbody>" FLOOR
                                 "<body pos='0 0 .25' euler='0 45 5'><freejoint/>"
                                 "<geom type='capsule' size='.01 .3' mass='1' "
                                 "friction='1.5'/></body></worldbody></mujoco>",
        v, 12, 1));
    return 0;
}

// joints that come back into their range, at their full speed and at the end; a ball meets one of
// them on its way
static int joints_outside_limits_agree_with_differences(void) {
    const double v[8] = {0.5, 0.2, 0.1, 0.0, -1.0, 0.2, 0.1, 0.3};
    ENSURE_LAW(check_along_motion(
        HARD("restitution='.4'") "<worldbody><body><joint name='a' axis='0 1 .2' limited='true' "
                                 "range='-90 -1.5'/><geom type='capsule' size='.03' fromto='0 0 0 "
                                 ".3 0 -.1' mass='1'/><body pos='.3 0 -.1'><joint name='b' axis='0 "
                                 "1 0' damping='.1' limited='true' range='-150 -20'/><geom "
                                 "type='capsule' size='.03' fromto='0 0 0 .2 .05 -.2' mass='.5' "
                                 "friction='.4'/></body></body>" BALL(
                                     ".2 0 .14") "</worldbody></mujoco>",
        v, 30, 1));
    return 0;
}

// a ball that slides and rolls; a ball in explicit Euler
static int rolling_ball_agrees_with_differences(void) {
    const double v[6] = {1.0, 0.3, -1.0, 1.0, -2.0, 0.5};
    ENSURE_LAW(check_along_motion(
        HARD("restitution='.5'") "<worldbody>" FLOOR BALL("0 0 .15") "</worldbody></mujoco>", v, 40,
        2));
    ENSURE_LAW(
        check_along_motion(HARD("restitution='.5' integrator='explicit'") "<worldbody>" FLOOR BALL(
                               "0 0 .15") "</worldbody></mujoco>",
                           v, 25, 1));
    return 0;
}

// explicit steps of a body whose rows would bend in others: a box that tumbles
static int explicit_box_agrees_with_differences(void) {
    const double v[6] = {0.5, 0.2, -1.0, 1.0, 2.0, 0.5};
    ENSURE_LAW(
        check_along_motion(HARD("restitution='.3' integrator='explicit'") "<worldbody>" FLOOR BOX(
                               "0 0 .2", "20 10 5", ".1 .15 .05") "</worldbody></mujoco>",
                           v, 15, 2));
    return 0;
}

// impacts so slow that their restitution has faded, in part
static int slow_impacts_agree_with_differences(void) {
    const double v[6] = {0.3, 0.1, -0.27, 1.0, -2.0, 0.5}, w[6] = {0.1, 0.2, -0.25, 0.1, 0.2, 0.3};
    ENSURE_LAW(check_along_motion(
        HARD("restitution='.9'") "<worldbody>" FLOOR BALL("0 0 .1015") "</worldbody></mujoco>", v,
        2, 1));
    ENSURE_LAW(check_along_motion(HARD("restitution='.9'") "<worldbody>" FLOOR BOX(
                                      "0 0 .114", "20 10 5", ".1 .15 .05") "</worldbody></mujoco>",
                                  w, 3, 1));
    return 0;
}

#define FINGER(pos, name, axis, mass)                                                              \
    "<body pos='" pos "'><joint name='" name "' type='slide' axis='" axis "'/><geom type='box' "   \
    "size='.05 .05 .05' mass='" mass "'/></body>"
#define ROD(pos, to, inside)                                                                       \
    "<body pos='" pos "'><joint axis='0 1 .1'/><geom type='capsule' size='.02' fromto='0 0 0 " to  \
    "' mass='.3' friction='.5'/>" inside "</body>"

// fingers that a polynomial couples, and a ball between them; a ball that falls on a linkage which
// a point closes
static int equalities_agree_with_differences(void) {
    const double v[8] = {0.3, -0.2, -1.0, 0.5, 0.2, -0.4, 1.5, 1.2};
    ENSURE_LAW(check_along_motion(
        HARD("restitution='.3'") "<worldbody>" FLOOR BALL("0 0 .15") FINGER("-.2 0 .15", "l",
                                                                            "1 0 0", ".3")
            FINGER(".25 0 .15", "r", "-1 0 0",
                   ".5") "</worldbody><equality><joint "
                         "name='e' joint1='l' joint2='r' polycoef='.01 1.2 .5 -.3 .2'/></equality>"
                         "</mujoco>",
        v, 12, 2));
    const double w[12] = {0.1, 0.0, -2.0, 1.0, 0.0, 0.0, 1.0, -0.5, 1.0, 0.3, 0.1, -0.2};
    ENSURE_LAW(check_along_motion(
        HARD("restitution='.3'") "<worldbody>" FLOOR BALL("0.15 0 .51") ROD(
            "0 0 .5", "0 0 -.2",
            "<body name='rod' pos='0 0 -.2'><joint axis='0 1 0'/><geom type='capsule' size='.02' "
            "fromto='0 0 0 .3 0 0' mass='.3' friction='.5'/></body>")
            ROD("0.3 .1 .5", "0 0 -.2",
                "<body name='link' pos='0 0 -.2'><joint type='ball'/><geom type='box' size='.05 "
                ".03 .05' mass='.2'/></body>") "</worldbody><equality><connect name='c' "
                                               "body1='link' body2='rod' anchor='0 -.1 0'/>"
                                               "</equality></mujoco>",
        w, 12, 1));
    return 0;
}

#define WELDED(equality)                                                                           \
    HARD("restitution='.3'")                                                                       \
    "<worldbody>" FLOOR "<body name='a' pos='0 0 .18' euler='20 10 5'><freejoint/><geom "          \
    "type='box' size='.1 .08 .05' mass='1'/><site name='s' pos='.1 .01 .02' euler='10 20 5'/>"     \
    "</body><body name='b' pos='.25 .02 .2' euler='10 30 0'><freejoint/><geom type='sphere' "      \
    "size='.06' mass='.5'/><site name='t' pos='-.1 .02 .01' euler='-5 10 30'/></body></worldbody>" \
    "<equality>" equality "</equality></mujoco>"

// a box and a ball that are welded as they are drawn, or by sites that are not where they belong
static int welds_agree_with_differences(void) {
    const double v[12] = {0.2, 0.1, -1.5, 1.0, 0.5, 0.2, 0.2, 0.1, -1.4, 0.8, 0.4, -0.3};
    ENSURE_LAW(check_along_motion(
        WELDED("<weld body1='a' body2='b' anchor='-.1 0 .03' torquescale='.7'/>"), v, 8, 1));
    ENSURE_LAW(
        check_along_motion(WELDED("<weld site1='s' site2='t' torquescale='1.3'/>"), v, 5, 0));
    return 0;
}

// A ball that just touches the floor, without weight: down is blocked, up is free, and with
// gradient="helpful" the reverse derivative takes the side on which the loss falls.
static int helpful_gradient_opens_or_closes(void) {
    hardScene s;
    ENSURE_LAW(hard_open(&s, NO_GRAVITY("gradient='helpful'")
                                 FLOOR BALL("0 0 .1000000750") "</worldbody></mujoco>"));
    s.q[2] = 0.1 + 0.75e-7;
    for (int up = 0; up < 2; ++up) {
        double bar[6] = {0, 0, up ? -1.0 : 1.0}, zero[6] = {0}, dq[6] = {0}, dv[6] = {0};
        tacState x = hard_state(&s);
        tacTangent next = {.dq = bar, .dv = zero}, out = {.dq = dq, .dv = dv};
        ENSURE(tac_step_vjp(s.model, &x, s.u, next, (tacStepTangent){.x = out}, s.scratch) ==
               TAC_OK);
        ENSURE(s.scratch->info.flags & TAC_TIE);
        ENSURE_NEAR(dv[2], up ? -0.01 : 0.0, 1e-12);
    }
    hard_close(&s);
    return 0;
}

// A block that is pushed as hard as friction holds: along the push it slides freely, against it, it
// sticks.
static int helpful_gradient_sticks_or_slides(void) {
    hardScene s;
    ENSURE_LAW(hard_open(
        &s, "<mujoco><option timestep='.01' gravity='5 0 -10'/><tactus detect='gjk' respond='lcp' "
            "gradient='helpful'/><worldbody><geom type='plane' size='1 1 1' friction='.5'/><body "
            "pos='0 0 .100000075'><freejoint/><geom type='box' size='.1 .1 .1' mass='1' "
            "friction='.3'/></body></worldbody></mujoco>"));
    for (int check_along_motion = 0; check_along_motion < 2; ++check_along_motion) {
        double bar[6] = {check_along_motion ? -1.0 : 1.0}, zero[6] = {0}, dq[6] = {0}, dv[6] = {0};
        tacState x = hard_state(&s);
        tacTangent next = {.dq = bar, .dv = zero}, out = {.dq = dq, .dv = dv};
        ENSURE(tac_step_vjp(s.model, &x, s.u, next, (tacStepTangent){.x = out}, s.scratch) ==
               TAC_OK);
        ENSURE(s.scratch->info.flags & TAC_TIE);
        ENSURE_NEAR(dv[0], check_along_motion ? -0.01 : 0.0, 1e-9);
    }
    hard_close(&s);
    return 0;
}

// Friction of joints, and of the first geom of each pair: of equal coefficients it has the
// derivative.
static int is_friction(const tacModel* model, int param) {
    char name[200];
    tac_param_name(model, param, name, sizeof name);
    return !strcmp(name, "geom:0/friction[0]") || !strcmp(name, "geom:2/friction[0]") ||
           strstr(name, "frictionloss");
}

// the derivative by one coefficient that is 0 against differences to one side, by their least
// residue over widths
static int compare_first(hardScene* s, int param, double* worst, int* moved) {
    double q[2][HARD_NUMBERS], v[2][HARD_NUMBERS], dq[HARD_NUMBERS], dv[HARD_NUMBERS],
        d[HARD_NUMBERS];
    double *theta = calloc((size_t)s->model->nparam, sizeof *theta), least = INFINITY, size = 0.0;
    stepInput in = {.param = param};
    tacState x = hard_state(s);
    tacTangent zero = {NULL, NULL, NULL}, next = {.dq = dq, .dv = dv};
    theta[param] = 1.0;
    ENSURE(tac_step_jvp(s->model, &x, s->u, (tacStepTangent){.x = zero, .theta = theta}, next,
                        s->scratch) == TAC_OK);
    free(theta);
    if (tac_step_info(s->scratch).flags) return 0;
    ENSURE(step_from(s, &in, 0.0, q[0], v[0]) == TAC_OK);
    for (double h = 1e-4; h > 1e-8; h *= 0.1) {
        double error = 0.0;
        ENSURE(step_from(s, &in, h, q[1], v[1]) == TAC_OK);
        hard_difference(s->model, q[0], q[1], d);
        for (int k = 0; k < s->model->nv; ++k) {
            error = fmax(error, fabs(d[k] / h - dq[k]));
            error = fmax(error, fabs((v[1][k] - v[0][k]) / h - dv[k]));
            size = fmax(size, fabs(dv[k]));
        }
        least = fmin(least, error);
    }
    *worst = fmax(*worst, least / fmax(size, 1.0));
    *moved += size > 1e-3;
    return 0;
}

// Coefficients of 0 have the derivative from above: a box that lands and slides without friction,
// a ball with some beside an arm and a ball with none.
static int first_friction_is_from_above(void) {
    static const char* const texts[2] = {
        HARD("restitution='.3'") "<worldbody><geom type='plane' size='1 1 1' friction='0'/><body "
                                 "pos='0 0 .114' euler='20 10 5'><freejoint/><geom type='box' "
                                 "size='.1 .15 .05' mass='1' friction='0'/></body></worldbody>"
                                 "</mujoco>",
        HARD("restitution='.3'") "<worldbody><geom type='plane' size='1 1 1' friction='0'/><body "
                                 "pos='0 0 .1015'><freejoint/><geom type='sphere' size='.1' "
                                 "mass='1' friction='.3'/></body><body pos='1 0 .5'><joint "
                                 "axis='0 1 .1'/><geom type='box' size='.1 .05 .02' pos='.2 0 0' "
                                 "mass='1' friction='0'/></body><body pos='1.22 .01 .571'>"
                                 "<freejoint/><geom type='sphere' size='.05' mass='1' "
                                 "friction='0'/></body></worldbody></mujoco>"};
    testRandom random = {4};
    double worst = 0.0;
    int moved = 0;
    for (int i = 0; i < 2; ++i) {
        hardScene s;
        ENSURE_LAW(hard_open(&s, texts[i]));
        for (int k = 0; k < s.model->nv; ++k) s.v[k] = test_uniform(&random, -0.5, 0.5);
        s.v[2] = -0.6;
        if (i) {
            s.v[6] = 0.5;
            s.v[9] = -2.0;
        }
        for (int n = 0; n < 4; ++n, hard_steps(&s, 1)) {
            ENSURE_LAW(compare_ways(&s, &random));
            for (int p = 0; p < s.model->nparam; ++p)
                if (is_friction(s.model, p) && s.model->param[p] == 0.0)
                    ENSURE_LAW(compare_first(&s, p, &worst, &moved));
        }
        hard_close(&s);
    }
    printf("  %d derivatives that are not 0, worst %.1e\n", moved, worst);
    ENSURE(moved >= 12 && worst <= 1e-6);
    return 0;
}

#define CORNER(gravity)                                                                            \
    "<mujoco><option timestep='.01' gravity='" gravity "'/><tactus detect='gjk' respond='lcp'/>"   \
    "<worldbody>" FLOOR "<geom type='box' size='.1 1 1' pos='.200000075 0 0' friction='.5'/>"      \
    "<body pos='0 0 .100000075'><freejoint/><geom type='box' size='.1 .1 .1' mass='1' "            \
    "friction='.3'/></body></worldbody></mujoco>"

// flags of the derivative of one step
static int flags_of(const char* text, double slide, unsigned* flags) {
    hardScene s;
    ENSURE_LAW(hard_open(&s, text));
    double dot[12] = {0.1, 0.2, 0.3, 0.1, 0.2, 0.3}, dq[12], dv[12];
    tacState x = hard_state(&s);
    tacTangent x_dot = {.dq = dot, .dv = dot}, next = {.dq = dq, .dv = dv};
    s.v[1] = slide;
    ENSURE(tac_step_jvp(s.model, &x, s.u, (tacStepTangent){.x = x_dot}, next, s.scratch) == TAC_OK);
    *flags = tac_step_info(s.scratch).flags;
    hard_close(&s);
    return 0;
}

// A box that lies in a corner is jammed: friction of the wall holds what the floor's gap would
// open. Boxes on one another are not. One that slides has a direction, unless it is slow.
static int ties_and_borders_are_reported(void) {
    unsigned flags;
    ENSURE_LAW(flags_of(CORNER("6 0 -10"), 0.0, &flags));
    ENSURE(flags & TAC_TIE);
    ENSURE_LAW(flags_of(HARD("") "<worldbody>" FLOOR BOX("0 0 .100000075", "0 0 0", ".1 .1 .1")
                            BOX("0 0 .30000015", "0 0 0", ".1 .1 .1") "</worldbody></mujoco>",
                        0.0, &flags));
    ENSURE(flags == 0);
    ENSURE_LAW(flags_of(CORNER("-7 0 -10"), 1e-2, &flags));
    ENSURE(!(flags & TAC_ONE_SIDED));
    ENSURE_LAW(flags_of(CORNER("-7 0 -10"), 5e-6, &flags));
    ENSURE(flags & TAC_ONE_SIDED);
    return 0;
}

// second derivatives are refused; so are derivatives of frozen bounds
static int second_derivatives_are_refused(void) {
    hardScene s;
    double n[5][6] = {{0}};
    ENSURE_LAW(hard_open(&s, HARD("") "<worldbody>" FLOOR BALL("0 0 .15") "</worldbody></mujoco>"));
    tacState x = hard_state(&s);
    tacTangent a = {.dq = n[0], .dv = n[1]}, b = {.dq = n[2], .dv = n[3]};
    ENSURE(tac_step_hvp(s.model, &x, s.u,
                        &(tacStepHvp){.next_bar = a, .dot = {.x = a}, .bar = {.x = b}},
                        s.scratch) == TAC_ERROR_UNSUPPORTED);
    hard_close(&s);
    ENSURE_LAW(hard_open(
        &s, HARD("bounds='frozen'") "<worldbody>" FLOOR BALL("0 0 .15") "</worldbody></mujoco>"));
    x = hard_state(&s);
    ENSURE(tac_step_vjp(s.model, &x, s.u, a, (tacStepTangent){.x = b}, s.scratch) ==
           TAC_ERROR_UNSUPPORTED);
    hard_close(&s);
    return 0;
}

//---------------------------------- points around contacts ----------------------------------

// points, normals and distances of the contacts and of what is spread around them
static int stabilized_contacts_at(const hardScene* s, const tacPose* pose, tacContacts* c) {
    tacConvexContact convex_contact[64];
    void* memory = malloc(tac_ccd_size(s->model));
    tacDetectQuery query = {.margin = 0.01, .features = convex_contact};
    tacResult result = tac_convex_contacts(s->model, pose, query, c, memory);
    free(memory);
    ENSURE(result == TAC_OK && c->capacity <= 64);
    tac_add_stabilizing_contacts(s->model, pose, 0.01, c, convex_contact);
    return 0;
}

// body[1] moved by t of a twist about a point
static tacPose twisted(tacPose x, tacVec3 about, const double xi[6], double t) {
    tacVec3 w = tac_scale(tac_vec3(xi[3], xi[4], xi[5]), 0.5 * t);
    tacQuat turn = tac_quat_normalize((tacQuat){1.0, w.x, w.y, w.z});
    tacVec3 arm = tac_quat_rotate(turn, tac_sub(x.position, about));
    x.position = tac_add_scaled(tac_add(about, arm), t, tac_vec3(xi[0], xi[1], xi[2]));
    x.rotation = tac_quat_mul(turn, x.rotation);
    return x;
}

// edges that cross: the twists of points beside their contact
static int stabilizing_contacts_move_with_bodies(void) {
    hardScene s;
    tacContacts* c[3];
    ENSURE_LAW(hard_open(
        &s, HARD("") "<worldbody><geom type='box' size='.1 .3 .1' euler='0 45 "
                     "0'/>" BOX("0 0 .284", "45 0 10", ".3 .1 .1") "</worldbody></mujoco>"));
    for (int i = 0; i < 3; ++i) ENSURE(tac_contacts_create(s.model, 0, 1, &c[i]) == TAC_OK);
    tacPose pose[2] = {{tac_vec3_zero(), {1.0, 0.0, 0.0, 0.0}},
                       {tac_load3(s.q), tac_quat_load(s.q + 3)}};
    ENSURE_LAW(stabilized_contacts_at(&s, pose, c[0]));
    ENSURE(c[0]->count >= 5);
    for (int i = 0; i < c[0]->count; ++i) {
        const double xi[6] = {0.3, -0.2, 0.5, 0.4, 0.7, -0.6}, t = 1e-5;
        tacVec3 about = tac_vec3(c[0]->point[0][i], c[0]->point[1][i], c[0]->point[2][i]);
        for (int k = 0; k < 2; ++k) {
            tacPose moved[2] = {pose[0], twisted(pose[1], about, xi, k ? -t : t)};
            ENSURE_LAW(stabilized_contacts_at(&s, moved, c[1 + k]));
        }
        for (int row = 0; row < 7; ++row) {
            double slope = 0.0, value[2];
            for (int k = 0; k < 6; ++k) slope += c[0]->d_twist[row][k][i] * xi[k];
            for (int k = 0; k < 2; ++k)
                value[k] = row < 3   ? c[1 + k]->point[row][i]
                           : row < 6 ? c[1 + k]->normal[row - 3][i]
                                     : c[1 + k]->distance[i];
            ENSURE_NEAR((value[0] - value[1]) / (2.0 * t), slope, 1e-7);
        }
    }
    for (int i = 0; i < 3; ++i) tac_contacts_destroy(c[i]);
    hard_close(&s);
    return 0;
}

TEST_MAIN(RUN(stabilizing_contacts_move_with_bodies), RUN(one_bounce_has_a_closed_form),
          RUN(two_balls_exchange_derivatives), RUN(tumbling_box_agrees_with_differences),
          RUN(boxes_edge_to_edge_agree_with_differences), RUN(explicit_box_agrees_with_differences),
          RUN(spinning_box_agrees_with_differences), RUN(plates_face_to_face_are_reported),
          RUN(arm), RUN(bounded_rod_agrees_with_differences),
          RUN(joints_outside_limits_agree_with_differences),
          RUN(rolling_ball_agrees_with_differences), RUN(slow_impacts_agree_with_differences),
          RUN(equalities_agree_with_differences), RUN(welds_agree_with_differences),
          RUN(helpful_gradient_opens_or_closes), RUN(helpful_gradient_sticks_or_slides),
          RUN(ties_and_borders_are_reported), RUN(first_friction_is_from_above),
          RUN(second_derivatives_are_refused))
