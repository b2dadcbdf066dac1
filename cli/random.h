// Random numbers with a fixed sequence: the same on every machine. A generator is its state.

#ifndef TACTUS_CLI_RANDOM_H
#define TACTUS_CLI_RANDOM_H

// a start for cli_random_xorshift, which must not be 0
#define CLI_XORSHIFT_SEED 88172645463325252ull

// uniform in [0, 1), by a linear congruence, by xorshift64 (Marsaglia), by splitmix64 (Steele)
double cli_random_lcg(unsigned long long* state);
double cli_random_xorshift(unsigned long long* state);
double cli_random_splitmix(unsigned long long* state);

// the hash of splitmix64: a number for each x, without a sequence
unsigned long long cli_splitmix64(unsigned long long x);

#endif
