// The matrix of a linearly implicit step holds touching bodies, in an order that keeps it narrow.

#include "step/force/coupling.h"
#include "tactus/step.h"
#include "test.h"

#include <stdlib.h>

//---------------------------------- scenes ---------------------------------------

enum { TEXT = 100000 };

// towers of balls, `high` each, side by side and listed level by level
static tacModel* load_towers(int count, int high) {
    static char text[TEXT];
    int used = snprintf(text, TEXT,
                        "<mujoco><tactus detect=\"manifold\" tau=\".0005\"/><worldbody>"
                        "<geom type=\"plane\" size=\"9 9 1\"/>");
    for (int i = 0; i < count * high; ++i)
        used += snprintf(text + used, (size_t)(TEXT - used),
                         "<body pos=\"%d 0 %g\"><freejoint/><geom size=\".1\" mass=\"1\"/></body>",
                         i % count, 0.099 + 0.198 * (i / count));
    snprintf(text + used, (size_t)(TEXT - used), "</worldbody></mujoco>");
    tacModel* model = NULL;
    tac_load_text(text, (int)strlen(text), "towers", NULL, &model, NULL);
    return model;
}

// entries of the matrix if body i of each tower touches body i + 1
static size_t entries_of(const tacModel* model, int count) {
    int bodies = model->nbody - 1, pairs = 0;
    tacPairForce* force = calloc((size_t)bodies, sizeof *force);
    for (int b = 1; b + count <= bodies; ++b) {
        force[pairs].body[0] = b;
        force[pairs++].body[1] = b + count;
    }
    tacArena arena, dry = tac_arena_measure(1);
    tac_skyline_alloc(model->nv, &dry);
    tac_coupling_alloc(model, &dry);
    tac_arena_create(&arena, dry.peak, tac_default_allocator());
    tacSkyline s = tac_skyline_alloc(model->nv, &arena);
    tacCoupling c = tac_coupling_alloc(model, &arena);
    tac_coupling_order(&c, force, pairs, &s);
    size_t entries = s.start[s.n - 1] + (size_t)s.n;
    tac_arena_destroy(&arena, tac_default_allocator());
    free(force);
    return entries;
}

//---------------------------------- laws -----------------------------------------

// a tower of six has 6 triangles of 21 entries and 5 squares of 36, wherever its bodies are listed
static int profile_of_towers_is_narrow(void) {
    for (int count = 1; count <= 8; count += 7) {
        tacModel* model = load_towers(count, 6);
        ENSURE(model);
        ENSURE(entries_of(model, count) <= (size_t)(count * (6 * 21 + 5 * 36)));
        tac_model_destroy(model);
    }
    return 0;
}

// a tower moves as it does alone, to the last bit, whoever else is in the scene
static int uncoupled_trees_keep_their_bits(void) {
    enum { HIGH = 3, MANY = 4 };
    tacModel *one = load_towers(1, HIGH), *many = load_towers(MANY, HIGH);
    tacScratch *a, *b;
    double q1[7 * HIGH], v1[6 * HIGH] = {0}, q2[7 * HIGH * MANY], v2[6 * HIGH * MANY] = {0};
    tacState x = {.qpos = q1, .qvel = v1}, y = {.qpos = q2, .qvel = v2};
    ENSURE(tac_scratch_create(one, &a) == TAC_OK && tac_scratch_create(many, &b) == TAC_OK);
    memcpy(q1, one->qpos0, sizeof q1);
    memcpy(q2, many->qpos0, sizeof q2);
    v1[6] = v2[6 * MANY] = 0.3; // the middle ball of the first tower
    for (int i = 0; i < 50; ++i) {
        ENSURE(tac_step(one, &x, NULL, &x, a) == TAC_OK);
        ENSURE(tac_step(many, &y, NULL, &y, b) == TAC_OK);
    }
    for (int level = 0; level < HIGH; ++level) {
        ENSURE(memcmp(q1 + 7 * level, q2 + 7 * MANY * level, sizeof(double) * 7) == 0);
        ENSURE(memcmp(v1 + 6 * level, v2 + 6 * MANY * level, sizeof(double) * 6) == 0);
    }
    tac_scratch_destroy(a);
    tac_scratch_destroy(b);
    tac_model_destroy(one);
    tac_model_destroy(many);
    return 0;
}

TEST_MAIN(RUN(profile_of_towers_is_narrow), RUN(uncoupled_trees_keep_their_bits))
