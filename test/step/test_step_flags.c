// Flags of smooth contact: derivatives report the flags of their own state, and contacts whose
// derivative is a choice are flagged.

#include "step/random_motion.h"

#include "base/assert.h"

#define BALL(attributes)                                                                           \
    "<mujoco><option timestep='.01'/><tactus respond='spring' " attributes "/><worldbody>"         \
    "<geom type='plane' size='1 1 1' friction='.3'/><body pos='0 0 %g'><freejoint/><geom "         \
    "size='.1' mass='1'/></body></worldbody><keyframe><key/></keyframe></mujoco>"
#define BOX                                                                                        \
    "<mujoco><tactus detect='%s' respond='spring'/><worldbody><geom type='plane' size='1 1 1' "    \
    "friction='.3'/><body pos='0 0 %g' euler='%s'><freejoint/><geom type='box' size='.1 .1 "       \
    ".1' mass='1'/></body></worldbody><keyframe><key/></keyframe></mujoco>"

static int open_flags(randomMotion* m, const char* text) {
    static const randomScene none;
    tacMessage message = {.text = ""};
    int failed = random_open(m, &none, text, &message);
    if (failed) printf("  %s\n", message.text);
    ENSURE(!failed);
    return 0;
}

// flags after each kind of derivative: jvp, vjp, A
static int derivative_flags(randomMotion* m, unsigned flags[3]) {
    double dot[6] = {1.0}, out[2][6], bar[2][6] = {{0}}, A[144];
    tacTangent x = {.dq = dot}, next = {out[0], out[1], NULL}, back = {bar[0], bar[1], NULL};
    ENSURE(tac_step_jvp(m->model, &m->x, NULL, (tacStepTangent){.x = x}, next, m->scratch) ==
           TAC_OK);
    flags[0] = tac_step_info(m->scratch).flags;
    ENSURE(tac_step_vjp(m->model, &m->x, NULL, x, (tacStepTangent){.x = back}, m->scratch) ==
           TAC_OK);
    flags[1] = tac_step_info(m->scratch).flags;
    ENSURE(tac_step_jacobian(m->model, &m->x, NULL, &(tacStepJacobian){.A = A}, m->scratch) ==
           TAC_OK);
    flags[2] = tac_step_info(m->scratch).flags;
    return 0;
}

// A stiff explicit ball on the floor is flagged, in flight it is not. Steps between the derivatives
// are at the other of both states.
static int derivatives_report_their_own_flags(void) {
    char text[600];
    randomMotion m;
    unsigned flags[3];
    double next[13];
    tacState other = {.qpos = next, .qvel = next + 7};
    snprintf(text, sizeof text, BALL("stiffness='1e6' implicit='false'"), 0.099);
    ENSURE_LAW(open_flags(&m, text));
    for (int flying = 0; flying < 2; ++flying) {
        unsigned expected = flying ? 0 : TAC_STIFF;
        m.q[2] = flying ? 0.099 : 5.0;
        ENSURE(tac_step(m.model, &m.x, NULL, &other, m.scratch) == TAC_OK);
        ENSURE(tac_step_info(m.scratch).flags == (TAC_STIFF ^ expected));
        m.q[2] = flying ? 5.0 : 0.099;
        ENSURE_LAW(derivative_flags(&m, flags));
        for (int i = 0; i < 3; ++i) ENSURE(flags[i] == expected);
    }
    random_close(&m);
    return 0;
}

// A box that lies level touches by a face; whichever way it turns, a vertex takes over at once. So
// the derivative by its rotation is a choice.
static int parallel_faces_are_flagged(void) {
    static const char* const detect[] = {"sat", "convex"};
    static const struct {
        double height;
        const char* turn;
        unsigned flags;
    } all[] = {{0.0999, "0 0 0", TAC_TIE},  // a face, 0.1 mm deep
               {0.10163, "1 0 0", TAC_TIE}, // an edge, 0.1 mm deep
               {0.10505, "1 2 0", 0},       // a vertex, 0.1 mm deep
               {0.15, "0 0 0", 0}};
    for (int i = 0; i < 2 * TAC_COUNT(all); ++i) {
        char text[600];
        randomMotion m;
        unsigned flags[3];
        double next[13];
        tacState other = {.qpos = next, .qvel = next + 7};
        snprintf(text, sizeof text, BOX, detect[i % 2], all[i / 2].height, all[i / 2].turn);
        ENSURE_LAW(open_flags(&m, text));
        ENSURE(tac_step(m.model, &m.x, NULL, &other, m.scratch) == TAC_OK);
        ENSURE(tac_step_info(m.scratch).flags == all[i / 2].flags);
        ENSURE_LAW(derivative_flags(&m, flags));
        for (int k = 0; k < 3; ++k) ENSURE(flags[k] == all[i / 2].flags);
        random_close(&m);
    }
    return 0;
}

TEST_MAIN(RUN(derivatives_report_their_own_flags), RUN(parallel_faces_are_flagged))
