// Laws of the first meeting of convex pieces that move and turn.

#include "detect/corner.h"
#include "detect/meeting.h"
#include "test.h"

#include <stdlib.h>

static tacConvex random_piece(testRandom* random, int kind) {
    tacConvex c = {.kind = (tacConvexKind)kind, .rot = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    tacMotion turned;
    for (int k = 0; k < 3; ++k) {
        c.size[k] = test_uniform(random, 0.05, 0.5);
        turned.velocity[k] = 0.0, turned.spin[k] = test_uniform(random, -3.0, 3.0);
    }
    c.radius = kind == TAC_CONVEX_SEGMENT ? 0.1 : 0.0;
    return tac_convex_moved(&c, &turned, 1.0);
}

// two pieces about 2 apart that fly at each other, spinning up to 6 rad a step
static void random_pair(testRandom* random, int trial, tacConvex piece[2], tacMotion motion[2]) {
    static const int kinds[4] = {TAC_CONVEX_BOX, TAC_CONVEX_SEGMENT, TAC_CONVEX_CYLINDER,
                                 TAC_CONVEX_ELLIPSOID};
    for (int i = 0; i < 2; ++i) {
        piece[i] = random_piece(random, kinds[i ? trial / 4 % 4 : trial % 4]);
        piece[i].pos[0] = i ? 1.0 : -1.0;
        for (int k = 0; k < 3; ++k) {
            motion[i].velocity[k] = test_uniform(random, -0.3, 0.3);
            motion[i].spin[k] = test_uniform(random, -6.0, 6.0);
        }
        motion[i].velocity[0] += i ? -1.2 : 1.2;
    }
}

static double distance_at(const tacConvex piece[2], const tacMotion motion[2], double t) {
    double axis[3] = {0.0};
    void* memory = malloc(tac_gjk_size());
    tacConvex a = tac_convex_moved(&piece[0], &motion[0], t);
    tacConvex b = tac_convex_moved(&piece[1], &motion[1], t);
    double distance = tac_gjk(&a, &b, axis, memory).distance;
    free(memory);
    return distance;
}

static tacMeeting meet(const tacConvex piece[2], const tacMotion motion[2], double separation) {
    void* memory = malloc(tac_gjk_size());
    tacMeeting m = tac_meet(piece, motion, separation, memory);
    free(memory);
    return m;
}

// before the time the pieces are never nearer than the separation; at the time they are as near
static int never_late(void) {
    testRandom random = {31};
    int count = getenv("TACTUS_NO_SWEEP") ? 100 : 1000, found = 0, exact = 0, most = 0;
    const double separation = 1e-7;
    for (int trial = 0; trial < count; ++trial) {
        tacConvex piece[2];
        tacMotion motion[2];
        random_pair(&random, trial, piece, motion);
        tacMeeting m = meet(piece, motion, separation);
        double end = m.found ? m.time : 1.0;
        for (int i = 0; i < 100; ++i) {
            double t = end * test_uniform(&random, 0.0, 1.0);
            ENSURE(distance_at(piece, motion, t) >= separation - 1e-12);
        }
        if (m.found)
            ENSURE_NEAR(distance_at(piece, motion, m.time), separation, m.exact ? 1e-11 : 2e-9);
        found += m.found, exact += m.exact, most = m.passes > most ? m.passes : most;
    }
    printf("  %d pairs, %d meet, %d to rounding, at most %d passes\n", count, found, exact, most);
    ENSURE(found > count / 4 && exact > found / 4);
    return 0;
}

// a rod of half length 1 and radius r turns over a floor: it touches when sin(angle) + r = height
static int turning_rod(void) {
    const double height = 0.6, r = 0.1, spin = 1.5;
    tacConvex piece[2] = {
        {.kind = TAC_CONVEX_BOX, .size = {5, 5, 1}, .pos = {0, 0, -1}},
        {.kind = TAC_CONVEX_SEGMENT, .size = {0, 0, 1}, .radius = r, .pos = {0, 0, height}}};
    double along_x[3][3] = {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}};
    for (int k = 0; k < 3; ++k) piece[0].rot[k][k] = 1.0;
    memcpy(piece[1].rot, along_x, sizeof along_x);
    tacMotion motion[2] = {{{0}, {0}}, {{0}, {0, spin, 0}}};
    tacMeeting m = meet(piece, motion, 0.0);
    ENSURE(m.found && m.exact);
    ENSURE_NEAR(m.time, asin(height - r) / spin, 1e-14);
    tacMotionTangent bar[2] = {{{0}, {0}, {0}, {0}}, {{0}, {0}, {0}, {0}}};
    ENSURE(tac_meet_vjp(piece, motion, &m, 1.0, bar) == TAC_OK);
    ENSURE_NEAR(bar[1].pos[2], 1.0 / (spin * cos(spin * m.time)), 1e-12);
    ENSURE_NEAR(bar[1].spin[1], -m.time / spin, 1e-12);
    ENSURE_NEAR(bar[1].rot[1], -1.0 / spin, 1e-12);
    return 0;
}

// a plate of 2 mm at 20 m/s, and a step of 0.01 s: 200 mm in a step
static int thin_plate(void) {
    tacConvex piece[2] = {
        {.kind = TAC_CONVEX_BOX, .size = {0.001, 0.05, 0.05}},
        {.kind = TAC_CONVEX_BOX, .size = {0.001, 0.05, 0.05}, .pos = {0.1, 0, 0}}};
    for (int i = 0; i < 6; ++i) piece[i / 3].rot[i % 3][i % 3] = 1.0;
    tacMotion motion[2] = {{{0.2, 0, 0}, {0}}, {{0}, {0}}};
    tacMeeting m = meet(piece, motion, 1e-7);
    ENSURE(m.found && m.exact);
    ENSURE_NEAR(m.time, (0.098 - 1e-7) / 0.2, 1e-14);
    motion[0].velocity[0] = 0.09;
    ENSURE(!meet(piece, motion, 1e-7).found);
    motion[0].velocity[0] = -0.2;
    ENSURE(!meet(piece, motion, 1e-7).found);
    piece[1].pos[0] = 0.001;
    m = meet(piece, motion, 1e-7);
    ENSURE(m.found && !m.exact && m.time == 0.0);
    return 0;
}

//---------------------------------- derivative ----------------------------------

// input number i of 24 moved by h
static void nudge(int i, double h, tacConvex piece[2], tacMotion motion[2]) {
    tacConvex* p = &piece[i / 12];
    tacMotion *m = &motion[i / 12], turn = {{0}, {0}};
    int part = i % 12 / 3, k = i % 3;
    if (part == 0) p->pos[k] += h;
    if (part == 1) turn.spin[k] = h, *p = tac_convex_moved(p, &turn, 1.0);
    if (part == 2) m->velocity[k] += h;
    if (part == 3) m->spin[k] += h;
}

static double moved_time(const tacConvex piece[2], const tacMotion motion[2], int i, double h) {
    tacConvex p[2] = {piece[0], piece[1]};
    tacMotion m[2] = {motion[0], motion[1]};
    nudge(i, h, p, m);
    tacMeeting there = meet(p, m, 1e-7);
    return there.exact ? there.time : NAN;
}

// central differences, extrapolated, of the time; faces of boxes change where it is not smooth
static int derivative(void) {
    testRandom random = {32};
    int compared = 0, kinks = 0;
    for (int trial = 0; trial < 200; ++trial) {
        tacConvex piece[2];
        tacMotion motion[2];
        random_pair(&random, trial, piece, motion);
        tacMeeting m = meet(piece, motion, 1e-7);
        if (!m.exact || fabs(m.rate) < 0.2) continue;
        tacMotionTangent bar[2] = {{{0}, {0}, {0}, {0}}, {{0}, {0}, {0}, {0}}};
        ENSURE(tac_meet_vjp(piece, motion, &m, 1.0, bar) == TAC_OK);
        const double* gradient = (const double*)bar;
        for (int i = 0; i < 24; ++i) {
            double d[2];
            for (int k = 0; k < 2; ++k) {
                double h = k ? 2e-5 : 4e-5;
                d[k] =
                    (moved_time(piece, motion, i, h) - moved_time(piece, motion, i, -h)) / (2 * h);
            }
            double best = d[1] + (d[1] - d[0]) / 3.0, change = fabs(d[1] - d[0]);
            if (!(change < 1e-5)) {
                kinks++;
                continue;
            }
            ENSURE_NEAR(gradient[i], best, 1e-6 * fmax(fabs(best), 1.0));
            compared++;
        }
    }
    printf("  %d derivatives compared, %d beside a change of features\n", compared, kinks);
    ENSURE(compared > 1000 && kinks * 10 < compared);
    return 0;
}

TEST_MAIN(RUN(never_late), RUN(turning_rod), RUN(thin_plate), RUN(derivative))
