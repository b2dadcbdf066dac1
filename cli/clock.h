// Clocks for measurements.

#ifndef TACTUS_CLI_CLOCK_H
#define TACTUS_CLI_CLOCK_H

double cli_wall_seconds(void); // monotonic
double cli_cpu_seconds(void);  // of this thread: time that other programs used is not counted

#endif
