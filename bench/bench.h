// Measurements: ratios of times within one run, because machines are noisy.

#ifndef TACTUS_BENCH_H
#define TACTUS_BENCH_H

#include "cli/report.h"

// where the rows go, and how many fail
typedef struct benchReport {
    cliJson json;
    int as_json, failed;
} benchReport;

// a measured value; `relation` is '<' for value <= bound, '>' for value >= bound, ' ' for no bound
typedef struct benchFigure {
    double value;
    const char* unit;
    char relation;
    double bound;
} benchFigure;

// one row; `relation` is '<' for value <= bound, '>' for value >= bound, ' ' for no bound
void bench_row(benchReport* report, const char* id, double value, const char* unit, char relation,
               double bound);

// a line of text, not in JSON: what is not measured, and how to enable it
void bench_comment(const benchReport* report, const char* text);

// Work to be timed: runs once over `count` elements.
typedef struct benchWork {
    void (*run)(void* context);
    void* context;
} benchWork;

// Smallest time of one run of each work [ns], over rounds that visit all of them in turn, so that a
// slow phase of the machine affects all alike.
void bench_times(const benchWork* works, int count, double* nanoseconds);

// the same over this many rounds, for works that take long
void bench_times_rounds(const benchWork* works, int count, int rounds, double* nanoseconds);

// The same in CPU time, for long works of one thread: time of other programs is not counted.
void bench_cpu_times(const benchWork* works, int count, double* nanoseconds);

// A job of a pool that computes in registers alone, about 30 us: its gain by threads is what the
// machine can give, the reference of rows about threads.
void bench_spin(void* context, int job, int worker);

int bench_math(benchReport* report);
int bench_cloud(benchReport* report);
int bench_shapes(benchReport* report);
int bench_dynamics(benchReport* report);
int bench_scm(benchReport* report);
int bench_manifold(benchReport* report);
int bench_robots(benchReport* report);
int bench_creep(benchReport* report);
int bench_witness(benchReport* report);
int bench_hard(benchReport* report);
int bench_collide(benchReport* report);
int bench_symbolic(benchReport* report);

#endif
