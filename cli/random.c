// Random numbers with a fixed sequence.

#include "cli/random.h"

// the upper 53 bits as a fraction
static double unit_interval(unsigned long long bits) { return (double)(bits >> 11) * 0x1p-53; }

double cli_random_lcg(unsigned long long* state) {
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return unit_interval(*state);
}

double cli_random_xorshift(unsigned long long* state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return unit_interval(*state);
}

unsigned long long cli_splitmix64(unsigned long long x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

double cli_random_splitmix(unsigned long long* state) {
    double value = unit_interval(cli_splitmix64(*state));
    *state += 0x9e3779b97f4a7c15ull;
    return value;
}
