// Every function of smooth.h as a map z -> y with its products, so that each derivative law is
// written once. The temperature and the bounds are inputs like any other. Same text for the double
// and the complex tests.

#ifndef TACTUS_TEST_SMOOTH_MAPS_H
#define TACTUS_TEST_SMOOTH_MAPS_H

#include "test.h"

#include "math/number.h"
#include "tactus/smooth.h"

#define MAX_INPUTS  40
#define MAX_OUTPUTS 400

typedef struct softMap softMap;
struct softMap {
    const char* name;
    int inputs, outputs;
    int (*value)(const softMap* map, const tacReal* z, tacReal* y);
    int (*jvp)(const softMap* map, const tacReal* z, const tacReal* z_dot, tacReal* y_dot);
    int (*vjp)(const softMap* map, const tacReal* z, const tacReal* y_bar, tacReal* z_bar);
    int n, k, power; // of the array functions
    tacTies ties;
    double gate;
};

static tacReal map_work[4096];
static int map_order[MAX_INPUTS];

//---------------------------------- scalars ----------------------------------

#define MAP_COMPARE(f)                                                                             \
    static int f##_value(const softMap* m, const tacReal* z, tacReal* y) {                         \
        return (void)m, *y = tac_soft_##f(z[0], z[1], z[2]), 0;                                    \
    }                                                                                              \
    static int f##_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {         \
        return (void)m, *y = tac_soft_##f##_jvp(z[0], z[1], z[2], d[0], d[1], d[2]), 0;            \
    }                                                                                              \
    static int f##_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {        \
        return (void)m, tac_soft_##f##_vjp(z[0], z[1], z[2], *b, zb, zb + 1, zb + 2), 0;           \
    }
MAP_COMPARE(greater)
MAP_COMPARE(less)

#define MAP_PAIR(f)                                                                                \
    static int f##_value(const softMap* m, const tacReal* z, tacReal* y) {                         \
        return (void)m, *y = tac_soft_##f(z[0], z[1]), 0;                                          \
    }                                                                                              \
    static int f##_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {         \
        return (void)m, *y = tac_soft_##f##_jvp(z[0], z[1], d[0], d[1]), 0;                        \
    }                                                                                              \
    static int f##_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {        \
        return (void)m, tac_soft_##f##_vjp(z[0], z[1], *b, zb, zb + 1), 0;                         \
    }
MAP_PAIR(sign)
MAP_PAIR(relu)
MAP_PAIR(abs)

static tacBounds map_bounds(const tacReal* z) { return (tacBounds){z[0], z[1], z[2], z[3]}; }

#define MAP_BOUNDS(f)                                                                              \
    static int f##_value(const softMap* m, const tacReal* z, tacReal* y) {                         \
        return (void)m, *y = tac_soft_##f(map_bounds(z)), 0;                                       \
    }                                                                                              \
    static int f##_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {         \
        return (void)m, *y = tac_soft_##f##_jvp(map_bounds(z), map_bounds(d)), 0;                  \
    }                                                                                              \
    static int f##_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {        \
        tacBounds bar = {zb[0], zb[1], zb[2], zb[3]};                                              \
        tac_soft_##f##_vjp(map_bounds(z), *b, &bar);                                               \
        zb[0] = bar.x, zb[1] = bar.lower, zb[2] = bar.upper, zb[3] = bar.tau;                      \
        return (void)m, 0;                                                                         \
    }
MAP_BOUNDS(clip)
MAP_BOUNDS(within)

#define MAP_ONE(name, f)                                                                           \
    static int name##_value(const softMap* m, const tacReal* z, tacReal* y) {                      \
        return (void)m, *y = f(z[0]), 0;                                                           \
    }                                                                                              \
    static int name##_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {      \
        return (void)m, *y = f##_jvp(z[0], d[0]), 0;                                               \
    }                                                                                              \
    static int name##_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {     \
        return (void)m, f##_vjp(z[0], *b, zb), 0;                                                  \
    }
MAP_ONE(mollifier, tac_mollifier)
MAP_ONE(ramp, tac_soft_ramp)

//---------------------------------- arrays: inputs x (n), tau ----------------------------------

#define MAP_WEIGHTS(f)                                                                             \
    static int f##_value(const softMap* m, const tacReal* z, tacReal* y) {                         \
        return tac_soft_##f(m->n, z, z[m->n], y) != TAC_OK;                                        \
    }                                                                                              \
    static int f##_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {         \
        return tac_soft_##f##_jvp(m->n, z, z[m->n], d, d[m->n], y) != TAC_OK;                      \
    }                                                                                              \
    static int f##_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {        \
        return tac_soft_##f##_vjp(m->n, z, z[m->n], b, zb, zb + m->n, map_work) != TAC_OK;         \
    }
MAP_WEIGHTS(argmax)
MAP_WEIGHTS(argmin)

#define MAP_EXTREME(f)                                                                             \
    static int f##_value(const softMap* m, const tacReal* z, tacReal* y) {                         \
        return tac_##f(m->n, z, z[m->n], y, map_work) != TAC_OK;                                   \
    }                                                                                              \
    static int f##_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {         \
        return tac_##f##_jvp(m->n, z, z[m->n], d, d[m->n], y, map_work) != TAC_OK;                 \
    }                                                                                              \
    static int f##_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {        \
        return tac_##f##_vjp(m->n, z, z[m->n], *b, zb, zb + m->n, map_work) != TAC_OK;             \
    }
MAP_EXTREME(log_sum_exp)
MAP_EXTREME(soft_min)
MAP_EXTREME(boltzmann_min)

//---------------------------------- top-K ----------------------------------

static tacSoftSort map_sort(const softMap* m, const tacReal* z) {
    tacSoftSort s = tac_default_soft_sort(m->n, z, m->k);
    s.tau = z[m->n], s.power = m->power, s.ties = m->ties, s.order = map_order, s.work = map_work;
    return s;
}
static int sort_value(const softMap* m, const tacReal* z, tacReal* y) {
    tacSoftSort s = map_sort(m, z);
    return tac_soft_sort_top_k(&s, y) != TAC_OK;
}
static int sort_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {
    tacSoftSort s = map_sort(m, z);
    return tac_soft_sort_top_k_jvp(&s, d, d[m->n], y) != TAC_OK;
}
static int sort_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {
    tacSoftSort s = map_sort(m, z);
    return tac_soft_sort_top_k_vjp(&s, b, zb, zb + m->n) != TAC_OK;
}

static tacSinkhorn map_sinkhorn(const softMap* m, const tacReal* z) {
    tacSinkhorn s = tac_default_sinkhorn(m->n, z, m->k);
    s.tau = z[m->n], s.work = map_work;
    return s;
}
static int sinkhorn_value(const softMap* m, const tacReal* z, tacReal* y) {
    tacSinkhorn s = map_sinkhorn(m, z);
    return tac_sinkhorn_top_k(&s, y) != TAC_OK;
}
static int sinkhorn_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {
    tacSinkhorn s = map_sinkhorn(m, z);
    return tac_sinkhorn_top_k_jvp(&s, d, d[m->n], y) != TAC_OK;
}
static int sinkhorn_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {
    tacSinkhorn s = map_sinkhorn(m, z);
    return tac_sinkhorn_top_k_vjp(&s, b, zb, zb + m->n) != TAC_OK;
}

// inputs x (n), width, gate
static tacSelect map_select(const softMap* m, const tacReal* z) {
    tacSelect s = tac_default_select(m->n, z, m->k);
    s.width = z[m->n], s.gate = z[m->n + 1];
    return s;
}
static int select_value(const softMap* m, const tacReal* z, tacReal* y) {
    tacSelect s = map_select(m, z);
    return tac_select_top_k(&s, y) != TAC_OK;
}
static int select_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {
    tacSelect s = map_select(m, z);
    return tac_select_top_k_jvp(&s, d, d[m->n], d[m->n + 1], y) != TAC_OK;
}
static int select_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {
    tacSelect s = map_select(m, z);
    return tac_select_top_k_vjp(&s, b, (tacSelectBar){zb, zb + m->n, zb + m->n + 1}) != TAC_OK;
}

//---------------------------------- the list ----------------------------------

#define MAP(f, in, out)                                                                            \
    .name = #f, .inputs = in, .outputs = out, .value = f##_value, .jvp = f##_jvp, .vjp = f##_vjp
static const softMap scalar_maps[] = {
    {MAP(greater, 3, 1)}, {MAP(less, 3, 1)},      {MAP(sign, 2, 1)},
    {MAP(relu, 2, 1)},    {MAP(abs, 2, 1)},       {MAP(clip, 4, 1)},
    {MAP(within, 4, 1)},  {MAP(mollifier, 1, 1)}, {MAP(ramp, 1, 1)},
};
static const softMap array_maps[] = {
    {MAP(argmax, 8, 7), .n = 7},        {MAP(argmin, 8, 7), .n = 7},
    {MAP(argmax, 2, 1), .n = 1},        {MAP(log_sum_exp, 8, 1), .n = 7},
    {MAP(log_sum_exp, 2, 1), .n = 1},   {MAP(soft_min, 8, 1), .n = 7},
    {MAP(boltzmann_min, 8, 1), .n = 7},
};
static const softMap sort_maps[] = {
    {MAP(sort, 8, 21), .n = 7, .k = 3, .power = 1},
    {MAP(sort, 8, 21), .n = 7, .k = 3, .power = 2},
    {MAP(sort, 8, 49), .n = 7, .k = 7, .power = 1, .ties = TAC_TIES_OFFSET},
    {MAP(sort, 8, 14), .n = 7, .k = 2, .power = 2, .ties = TAC_TIES_OFFSET},
    {MAP(sort, 2, 1), .n = 1, .k = 1, .power = 1},
};
static const softMap sinkhorn_maps[] = {
    {MAP(sinkhorn, 8, 7), .n = 7, .k = 1},  {MAP(sinkhorn, 8, 21), .n = 7, .k = 3},
    {MAP(sinkhorn, 8, 42), .n = 7, .k = 6}, {MAP(sinkhorn, 8, 49), .n = 7, .k = 7},
    {MAP(sinkhorn, 2, 1), .n = 1, .k = 1},
};
static const softMap select_maps[] = {
    {MAP(select, 9, 7), .n = 7, .k = 2, .gate = 0.3},
    {MAP(select, 9, 7), .n = 7, .k = 3, .gate = 1.0},
    {MAP(select, 9, 7), .n = 7, .k = 20, .gate = 0.3},
};

//---------------------------------- points ----------------------------------

// scores of spread 1 and a temperature in [10^low, 10^high]; `tied` makes entries equal
static void map_point(const softMap* m, testRandom* random, double low, double high, int tied,
                      tacReal* z) {
    for (int i = 0; i < m->inputs; ++i) z[i] = test_uniform(random, -1.0, 1.0);
    if (m->inputs == 4) z[2] = z[1] + test_uniform(random, 0.0, 1.0);
    double tau = pow(10.0, test_uniform(random, low, high));
    int last = m->value == select_value ? m->inputs - 2 : m->inputs - 1;
    if (last > 0) z[last] = tau;
    if (m->value == select_value) z[last + 1] = m->gate;
    for (int i = 0; tied && i + 1 < m->n; i += 3) z[i + 1] = z[i];
}

#endif
