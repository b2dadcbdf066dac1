// Clocks for measurements.

#include "cli/clock.h"

#include <time.h>

static double read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cli_wall_seconds(void) { return read_clock(CLOCK_MONOTONIC); }

double cli_cpu_seconds(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
