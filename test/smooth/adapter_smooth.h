// Every function of tactus/smooth.h as a map z -> y for check/check.h. The temperature, the bounds,
// the width and the gate are inputs like any other.

#ifndef TACTUS_TEST_ADAPTER_SMOOTH_H
#define TACTUS_TEST_ADAPTER_SMOOTH_H

#include "check/check.h"
#include "tactus/smooth.h"

// X(name)
#define SOFT_FUNCTIONS(X)                                                                          \
    X(greater)                                                                                     \
    X(less)                                                                                        \
    X(sign)                                                                                        \
    X(relu)                                                                                        \
    X(abs)                                                                                         \
    X(clip)                                                                                        \
    X(within)                                                                                      \
    X(mollifier)                                                                                   \
    X(ramp)                                                                                        \
    X(argmax)                                                                                      \
    X(argmin)                                                                                      \
    X(log_sum_exp)                                                                                 \
    X(soft_min)                                                                                    \
    X(boltzmann_min)                                                                               \
    X(sort)                                                                                        \
    X(sinkhorn)                                                                                    \
    X(select)

#define SOFT_NUMBER(name) SOFT_##name,
enum { SOFT_FUNCTIONS(SOFT_NUMBER) };

#define SOFT_INPUTS  9
#define SOFT_OUTPUTS 49

// context of the adapter, the same for every number type
typedef struct softMap {
    const char* name;
    int function, inputs, outputs;
    int n, k, power, ties; // of the array functions
    double gate;
    double start; // what an adjoint holds before a vjp adds to it
} softMap;

TAC_DECLARE_CHECK(tac_check_smooth_);

// where the temperature stands: last, but for the gate of a selection; -1: there is none
static inline int map_tau(const softMap* m) {
    return m->inputs == 1 ? -1 : m->inputs - (m->function == SOFT_select ? 2 : 1);
}

//---------------------------------- the list ----------------------------------

#define MAP(f, in, out) .name = #f, .function = SOFT_##f, .inputs = in, .outputs = out
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

#endif
