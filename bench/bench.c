// Timing and rows of the benchmarks.

#define _GNU_SOURCE
#include "bench/bench.h"
#include "cli/clock.h"

#include <math.h>
#include <stdio.h>

static double time_work(benchWork work) {
    double start = cli_wall_seconds();
    work.run(work.context);
    return 1e9 * (cli_wall_seconds() - start);
}

static double cpu_time_work(benchWork work) {
    double start = cli_cpu_seconds();
    work.run(work.context);
    return 1e9 * (cli_cpu_seconds() - start);
}

void bench_times(const benchWork* works, int count, double* nanoseconds) {
    for (int i = 0; i < count; ++i) nanoseconds[i] = INFINITY;
    double begin = cli_wall_seconds(); // at least 40 rounds, then until 1.5 s have passed
    for (int round = 0; round < 40 || (cli_wall_seconds() - begin < 1.5 && round < 4000); ++round)
        for (int i = 0; i < count; ++i) nanoseconds[i] = fmin(nanoseconds[i], time_work(works[i]));
}

void bench_times_rounds(const benchWork* works, int count, int rounds, double* nanoseconds) {
    for (int i = 0; i < count; ++i) nanoseconds[i] = INFINITY;
    for (int round = 0; round < rounds; ++round)
        for (int i = 0; i < count; ++i) nanoseconds[i] = fmin(nanoseconds[i], time_work(works[i]));
}

void bench_cpu_times(const benchWork* works, int count, double* nanoseconds) {
    for (int i = 0; i < count; ++i) nanoseconds[i] = INFINITY;
    for (int round = 0; round < 20; ++round)
        for (int i = 0; i < count; ++i)
            nanoseconds[i] = fmin(nanoseconds[i], cpu_time_work(works[i]));
}

void bench_spin(void* context, int job, int worker) {
    (void)context;
    (void)worker;
    double a = 1.0 + job, b = 2.0 + job, c = 3.0 + job, d = 4.0 + job;
    for (int i = 0; i < 25000; ++i) {
        a = a * 0.999 + 0.1;
        b = b * 0.999 + 0.1;
        c = c * 0.999 + 0.1;
        d = d * 0.999 + 0.1;
    }
    volatile double sink = a + b + c + d;
    (void)sink;
}

static int within_bound(double value, char relation, double bound) {
    return relation == '<' ? value <= bound : relation == '>' ? value >= bound : 1;
}

void bench_row(benchReport* report, const char* id, double value, const char* unit, char relation,
               double bound) {
    int pass = within_bound(value, relation, bound);
    report->failed += !pass;
    if (report->as_json) {
        cli_json_open(&report->json, NULL, '{');
        cli_json_text(&report->json, "id", id);
        cli_json_number(&report->json, "value", value);
        cli_json_text(&report->json, "unit", unit);
        cli_json_number(&report->json, "bound", relation == ' ' ? NAN : bound);
        cli_json_bool(&report->json, "pass", pass);
        cli_json_close(&report->json, '}');
        return;
    }
    printf("  %-44s %9.3g %-6s", id, value, unit);
    if (relation != ' ') printf(" %c= %-5g %s", relation, bound, pass ? "ok" : "MISSED");
    printf("\n");
    fflush(stdout);
}

void bench_comment(const benchReport* report, const char* text) {
    if (!report->as_json) printf("  %s\n", text);
}
