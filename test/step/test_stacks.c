// Many bodies in hard contact: walls and pyramids that touch to the last bit stand, and bodies that
// touch nothing of each other move, and have derivatives, as if they were alone.

#define HARD_MOST_NUMBERS 800
#include "base/assert.h"
#include "step/hard_scene.h"

typedef struct sceneText {
    char at[40000];
    int used;
} sceneText;

static void add_text(sceneText* t, const char* part) {
    t->used += snprintf(t->at + t->used, sizeof t->at - (size_t)t->used, "%s", part);
}

static void begin_scene(sceneText* t) {
    t->used = 0;
    add_text(t, HARD("") "<worldbody><geom type='plane' size='9 9 9' friction='.4'/>");
}

static void end_scene(sceneText* t) { add_text(t, "</worldbody></mujoco>"); }

//---------------------------------- boxes that touch ----------------------------------

// rows of boxes of 0.1 m, `shrinks` fewer in each, in round numbers
static void add_boxes(sceneText* t, int wide, int high, int shrinks) {
    char part[200];
    begin_scene(t);
    for (int k = 0; k < high; ++k)
        for (int i = 0; i < wide - k * shrinks; ++i) {
            snprintf(part, sizeof part,
                     "<body pos='%.10g 0 %.10g'><freejoint/><geom type='box' size='.05 .05 .05' "
                     "mass='1'/></body>",
                     0.1 * i + 0.05 * k * shrinks, 0.1 * k + 0.05);
            add_text(t, part);
        }
    end_scene(t);
}

// They open to where bodies rest in the first step, and stand. Work is bounded, not time.
static int wall_stands(int wide, int high, int shrinks, int steps) {
    static sceneText t;
    hardScene s;
    double first[HARD_NUMBERS], most = 0.0;
    int passes = 0;
    add_boxes(&t, wide, high, shrinks);
    ENSURE_LAW(hard_open(&s, t.at));
    memcpy(first, s.q, sizeof first);
    for (int i = 0; i < steps; ++i) {
        ENSURE(hard_steps(&s, 1) == TAC_OK);
        passes =
            tac_step_info(s.scratch).passes > passes ? tac_step_info(s.scratch).passes : passes;
    }
    for (int k = 0; k < s.model->nq; ++k) most = fmax(most, fabs(s.q[k] - first[k]));
    printf("  %d boxes: moved by %.1e m, at most %d systems a step\n", s.model->nq / 7, most,
           passes);
    ENSURE(most <= 1e-6);
    ENSURE(passes <= 200);
    hard_close(&s);
    return 0;
}

static int walls_and_pyramids_stand(void) {
    int large = !getenv("TACTUS_NO_SWEEP");
    ENSURE_LAW(wall_stands(3, 3, 1, 5));
    ENSURE_LAW(wall_stands(3, 3, 0, 5));
    if (large) ENSURE_LAW(wall_stands(4, 4, 1, 5));
    return 0;
}

//---------------------------------- islands ----------------------------------

// body number i: a ball or, each fifth, a box, on a floor
static void add_body_text(sceneText* t, int i) {
    char part[200];
    const char* kind = i % 5 ? "type='sphere' size='.1'" : "type='box' size='.1 .12 .1'";
    snprintf(part, sizeof part,
             "<body pos='%g %g .10000007'><freejoint/><geom %s mass='1'/></body>", 0.4 * (i % 10),
             0.4 * (i / 10), kind);
    add_text(t, part);
}

static void set_velocity(double* v, int i) {
    v[0] = 0.3 + 0.01 * i;
    v[1] = 0.1 - 0.002 * i;
    if (i % 5) v[3] = 0.5;
}

// a hundred bodies against some of them alone: same bits after some steps, and of the derivative
static int islands_move_as_if_alone(void) {
    enum { BODIES = 100, STEPS = 4 };
    static const int some[] = {0, 1, 37, 55, 98};
    static sceneText t;
    hardScene all, one;
    static double dot[HARD_NUMBERS], dq[HARD_NUMBERS], dv[HARD_NUMBERS];
    begin_scene(&t);
    for (int i = 0; i < BODIES; ++i) add_body_text(&t, i);
    end_scene(&t);
    ENSURE_LAW(hard_open(&all, t.at));
    for (int i = 0; i < BODIES; ++i) set_velocity(all.v + 6 * i, i);
    ENSURE(hard_steps(&all, STEPS) == TAC_OK);
    for (int k = 0; k < 6 * BODIES; ++k) dot[k] = 0.1 * (k % 6) - 0.2;
    tacState x = hard_state(&all);
    tacTangent x_dot = {.dq = dot, .dv = dot}, next = {.dq = dq, .dv = dv};
    ENSURE(tac_step_jvp(all.model, &x, all.u, (tacStepTangent){.x = x_dot}, next, all.scratch) ==
           TAC_OK);
    for (int k = 0; k < TAC_COUNT(some); ++k) {
        int i = some[k];
        double own_q[6], own_v[6];
        begin_scene(&t);
        add_body_text(&t, i);
        end_scene(&t);
        ENSURE_LAW(hard_open(&one, t.at));
        set_velocity(one.v, i);
        ENSURE(hard_steps(&one, STEPS) == TAC_OK);
        ENSURE(memcmp(one.q, all.q + 7 * i, sizeof(double) * 7) == 0);
        ENSURE(memcmp(one.v, all.v + 6 * i, sizeof(double) * 6) == 0);
        tacState y = hard_state(&one);
        tacTangent own = {.dq = own_q, .dv = own_v};
        ENSURE(tac_step_jvp(one.model, &y, one.u, (tacStepTangent){.x = x_dot}, own, one.scratch) ==
               TAC_OK);
        ENSURE(memcmp(own_q, dq + 6 * i, sizeof own_q) == 0);
        ENSURE(memcmp(own_v, dv + 6 * i, sizeof own_v) == 0);
        hard_close(&one);
    }
    hard_close(&all);
    return 0;
}

TEST_MAIN(RUN(walls_and_pyramids_stand), RUN(islands_move_as_if_alone))
