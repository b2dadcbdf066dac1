// Impacts on resting bodies: who takes part, derivatives of it, and what is flagged.

#include "step/hard_differences.h"

#define RESTING_BALL(pos)                                                                          \
    "<body pos='" pos " .100000075'><freejoint/><geom type='sphere' size='.1' mass='1'/></body>"

static const double zeros[HARD_NUMBERS];

//---------------------------------- derivatives ----------------------------------

// A ball falls on one that rests, beside its centre. The lower one's contact takes part whether its
// gap opens or closes by a trace; else the step would jump with it.
static int impact_on_a_resting_ball(void) {
    ENSURE_LAW(check_along_motion(HARD("restitution='.5'") "<worldbody>" FLOOR RESTING_BALL("0 0")
                                      BALL("0.02 0.01 .45") "</worldbody></mujoco>",
                                  zeros, 40, 2));
    ENSURE_LAW(check_along_motion(HARD("") "<worldbody>" FLOOR RESTING_BALL("0 0")
                                      BALL("0.02 0.01 .45") "</worldbody></mujoco>",
                                  zeros, 25, 1));
    return 0;
}

// a ball rests and rolls while others bounce beside it: their impacts do not change it
static int bystanders_are_not_affected(void) {
    const double v[18] = {[6] = 0.3, [7] = 0.1, [9] = -1.0, [10] = 3.0};
    ENSURE_LAW(check_along_motion(HARD("restitution='.6'") "<worldbody>" FLOOR RESTING_BALL("0 0")
                                      RESTING_BALL("1 0") BALL("0 1 .2") "</worldbody></mujoco>",
                                  v, 40, 3));
    return 0;
}

// a rod that rests on its limit is hit
static int impact_on_a_joint_limit(void) {
    ENSURE_LAW(check_along_motion(
        HARD("restitution='.4'") "<worldbody><body pos='0 0 .5'><joint axis='0 1 0' "
                                 "limited='true' range='-90 0' damping='.1'/><geom "
                                 "type='capsule' size='.03' fromto='0 0 0 .3 0 0' mass='1'/>"
                                 "</body>" BALL(".25 0 .75") "</worldbody></mujoco>",
        zeros, 50, 2));
    return 0;
}

// A ball and a box that hang together: the contact of the one, then that of the other, then what
// connects them is one island, in an order that no search finds.
static int connected_bodies_share_an_impact(void) {
    ENSURE_LAW(check_along_motion(
        HARD("restitution='.4'") "<worldbody>" FLOOR
                                 "<body name='a' pos='0 0 .100000075'><freejoint/><geom "
                                 "type='sphere' size='.1' mass='1'/></body><body name='b' pos='.3 "
                                 "0 .3' euler='10 20 30'><freejoint/><geom type='box' size='.1 .06 "
                                 ".04' mass='.6' friction='.4'/></body></worldbody><equality>"
                                 "<connect body1='a' body2='b' anchor='0 0 .12'/></equality>"
                                 "</mujoco>",
        zeros, 60, 2));
    return 0;
}

// A capsule that rolls over its ends is planned in parts of the step; rest is no corner there.
static int rolling_in_short_substeps(void) {
    const double v[6] = {0.6, -0.4, -0.5, 6.0, 5.0, 1.0};
    ENSURE_LAW(check_along_motion(
        "<mujoco><option timestep='.02'/><tactus detect='gjk' respond='lcp' "
        "restitution='.3'/><worldbody>" FLOOR
        "<body pos='0 0 .15' euler='-73 -80 -93'><freejoint/><geom type='capsule' "
        "size='.045 .05' mass='1.3' friction='.5'/></body></worldbody></mujoco>",
        v, 60, 1));
    return 0;
}

// A tilted plate comes down within the step: three corners close, and the fourth one with them but
// for rounding, which must not decide whether it has friction.
static int plate_lands_on_four_vertices(void) {
    const double v[6] = {-0.0178761333, -0.0265275188, 0.0428797079,
                         -0.7764996024, -0.0092089423, -0.2418206005};
    ENSURE_LAW(check_along_motion(
        "<mujoco><option timestep='.02' gravity='0 0 -10'/><tactus detect='gjk' "
        "respond='lcp'/><worldbody><geom type='plane' size='1 1 1' friction='.5'/>"
        "<body pos='0 0 .01108713068' quat='-.0068357817 .1984188357 -.9800730135 "
        "-.0063345118'><freejoint/><geom type='box' size='.054547 .054818 .0096888' "
        "mass='2.9078' friction='0'/></body></worldbody></mujoco>",
        v, 1, 0));
    return 0;
}

// A blade leans on a ball: its edge keeps both ends on the floor, whichever is lower by a trace,
// though faces beyond its ends look more at the floor than those beside it.
static int leaning_blade_has_exact_derivatives(void) {
    const double v[12] = {[0] = 0.02, [1] = 0.1, [9] = 0.1};
    ENSURE_LAW(check_along_motion(
        HARD("") "<asset><mesh name='blade' vertex='-.1 0 0  .1 0 0  .3 .02 .1  .3 -.02 .1  -.3 0 "
                 ".1'/></asset><worldbody>" FLOOR
                 "<body pos='0 0 .00000007' euler='25 0 0'><freejoint/><geom type='mesh' "
                 "mesh='blade' mass='1' friction='.4'/></body>" RESTING_BALL(
                     "0 -.16") "</worldbody></mujoco>",
        v, 40, 0));
    return 0;
}

// A capsule that rolls fast beside a ball that slides: neither ends a substep of the other.
static int fast_rolling_has_exact_derivatives(void) {
    const double v[12] = {[0] = 1.26, [4] = 42.0, [6] = 0.3, [7] = 0.1};
    ENSURE_LAW(check_along_motion(
        "<mujoco><option timestep='.02'/><tactus detect='gjk' respond='lcp'/>"
        "<worldbody><geom type='plane' size='3 3 1' euler='4 -3 0' friction='.8'/>"
        "<body pos='0 0 .035' euler='4 -3 0'><freejoint/><geom type='capsule' "
        "size='.03 .1' euler='90 0 0' mass='1'/></body>" BALL("0 .5 .14") "</worldbody></mujoco>",
        v, 40, 0));
    return 0;
}

//---------------------------------- flags -----------------------------------------

// flags of derivatives after some steps
static int flags_after(const char* text, const double* v, int steps, unsigned* flags) {
    hardScene s;
    double dq[HARD_NUMBERS], dv[HARD_NUMBERS];
    ENSURE_LAW(hard_open(&s, text));
    memcpy(s.v, v, sizeof(double) * (size_t)s.model->nv);
    ENSURE(hard_steps(&s, steps) == TAC_OK);
    tacState x = hard_state(&s);
    tacTangent dot = {.dq = s.v, .dv = s.v}, next = {.dq = dq, .dv = dv};
    ENSURE(tac_step_jvp(s.model, &x, s.u, (tacStepTangent){.x = dot, .u = s.u}, next, s.scratch) ==
           TAC_OK);
    *flags = s.scratch->info.flags;
    hard_close(&s);
    return 0;
}

// A plate slides: with one direction its friction is determined, and if it spins it hangs on
// pressures that nothing determines.
static int spinning_plate_is_reported_as_tie(void) {
    const char* text = HARD("") "<worldbody>" FLOOR BOX("0 0 .010000075", "0 0 0",
                                                        ".1 .07 .01") "</worldbody></mujoco>";
    const double slides[6] = {1.0, 0.2}, spins[6] = {1.0, 0.2, 0.0, 0.0, 0.0, 3.0};
    unsigned flags;
    ENSURE_LAW(flags_after(text, slides, 5, &flags));
    ENSURE(!(flags & TAC_TIE));
    ENSURE_LAW(flags_after(text, spins, 5, &flags));
    ENSURE(flags & TAC_TIE);
    return 0;
}

#define LINK(name, pos)                                                                            \
    "<body pos='" pos "'><joint name='" name "' axis='0 1 0'/><geom type='capsule' size='.03' "    \
    "fromto='0 0 0 .3 0 0' mass='1' friction='0'/></body>"
#define LINKAGE(e)                                                                                 \
    HARD("restitution='" e "'")                                                                    \
    "<worldbody>" LINK("a", "0 0 .5")                                                              \
        LINK("b", "0 1 .5") "<body pos='.25 0 .64'><freejoint/>"                                   \
                            "<geom type='sphere' size='.1' mass='1' "                              \
                            "friction='0'/></body></worldbody><equality><joint "                   \
                            "joint1='a' joint2='b'/></equality></mujoco>"

// An elastic impact on a linkage that moves as it may is at the border of gain and loss; one that
// loses is not.
static int elastic_linkage_is_no_tie(void) {
    const double v[8] = {[4] = -2.0};
    unsigned flags;
    ENSURE_LAW(flags_after(LINKAGE("1"), v, 0, &flags));
    ENSURE(flags & TAC_TIE);
    ENSURE_LAW(flags_after(LINKAGE(".5"), v, 0, &flags));
    ENSURE(!(flags & TAC_TIE));
    return 0;
}

// a slide that dry friction holds right at its limit, with and without room
static int friction_at_a_limit_is_reported(void) {
    const char* text = HARD("") "<worldbody><body><joint type='slide' axis='1 0 0' limited='true' "
                                "range='0 1' frictionloss='5'/><geom type='sphere' size='.1' "
                                "mass='1'/></body></worldbody></mujoco>";
    const double rest[1] = {0.0}, moves[1] = {0.5};
    unsigned flags;
    ENSURE_LAW(flags_after(text, rest, 1, &flags));
    ENSURE(flags & TAC_TIE);
    ENSURE_LAW(flags_after(text, moves, 3, &flags));
    ENSURE(!(flags & TAC_TIE));
    return 0;
}

// A ball that ends its step as it closes its gap, without pressure: just above, just below, and
// well away from that.
static int gap_that_just_closes_is_reported(void) {
    const double left[] = {1e-8, -1e-8, 1e-5, -1e-5}; // speed beyond that of closing [m/s]
    for (int i = 0; i < TAC_COUNT(left); ++i) {
        char text[600];
        double v[6] = {[2] = -0.1}, dt = 0.01;
        snprintf(text, sizeof text,
                 HARD("") "<worldbody>" FLOOR "<body pos='0 0 %.17g'><freejoint/><geom "
                          "type='sphere' size='.1' mass='1'/></body></worldbody></mujoco>",
                 0.1 + 0.75e-7 + dt * (0.1 + 10.0 * dt + left[i]));
        unsigned flags;
        ENSURE_LAW(flags_after(text, v, 0, &flags));
        ENSURE(!(flags & TAC_TIE) == (fabs(left[i]) > 1e-6));
    }
    return 0;
}

TEST_MAIN(RUN(impact_on_a_resting_ball), RUN(bystanders_are_not_affected),
          RUN(impact_on_a_joint_limit), RUN(connected_bodies_share_an_impact),
          RUN(rolling_in_short_substeps), RUN(fast_rolling_has_exact_derivatives),
          RUN(plate_lands_on_four_vertices), RUN(leaning_blade_has_exact_derivatives),
          RUN(spinning_plate_is_reported_as_tie), RUN(elastic_linkage_is_no_tie),
          RUN(friction_at_a_limit_is_reported), RUN(gap_that_just_closes_is_reported))
