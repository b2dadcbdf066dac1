// Decimal numbers in text.
//
// Files of a million points are read by this, so the common cases do not go through strtod:
//
//   digits <= 2^53, power <= 10^22     both exact in double: one rounding
//   digits <  2^64, power <= 10^27     both exact in 64 bits: a second rounding, to 53, is safe
//                                      unless the first landed on the middle between two doubles
//   the rest                           strtod

#define _GNU_SOURCE
#include "base/decimal.h"

#include <float.h>
#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- slow -----------------------------------------

static locale_t c_locale;

static void create_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

// the host program may have set a locale with a decimal comma
static double parse_slow(const char* text) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, create_locale);
    return c_locale ? strtod_l(text, NULL, c_locale) : strtod(text, NULL);
}

//---------------------------------- fast -----------------------------------------

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#if LDBL_MANT_DIG == 64
static const long double long_powers[] = {1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

// a double cannot hold the last 11 of 64 bits
static int is_halfway(long double value) {
    uint64_t mantissa;
    memcpy(&mantissa, &value, sizeof mantissa);
    return (mantissa & 0x7ff) == 0x400;
}

static int parse_long(uint64_t digits, int power, double* out) {
    int size = abs(power);
    if (size > 27) return 0;
    long double scale = size <= 22 ? (long double)powers[size] : long_powers[size - 23];
    long double value = power < 0 ? (long double)digits / scale : (long double)digits * scale;
    *out = (double)value;
    return !is_halfway(value);
}
#else
static int parse_long(uint64_t digits, int power, double* out) {
    (void)digits;
    (void)power;
    (void)out;
    return 0;
}
#endif

// digits * 10^power, correctly rounded; 0 if only strtod can
static int parse_fast(uint64_t digits, int power, double* out) {
    if (digits <= (uint64_t)1 << 53 && abs(power) <= 22) {
        *out = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
        return 1;
    }
    return digits != 0 && parse_long(digits, power, out);
}

//---------------------------------- form -----------------------------------------

// digits of a number: value, how many, and whether they fit
typedef struct digitRun {
    uint64_t value;
    int count, overflow;
} digitRun;

static const char* scan_digits(const char* at, digitRun* run) {
    for (; *at >= '0' && *at <= '9'; ++at) {
        run->overflow |= run->value > (UINT64_MAX - 9) / 10;
        if (!run->overflow) run->value = 10 * run->value + (uint64_t)(*at - '0');
        if (run->count < 100000) ++run->count;
    }
    return at;
}

// strtod also takes "nan", "inf" and "0x1p3"; so the form is checked here
const char* tac_parse_decimal(const char* text, double* out) {
    const char* at = text + (*text == '+' || *text == '-');
    digitRun digits = {0}, exponent = {0};
    at = scan_digits(at, &digits);
    int whole = digits.count;
    if (*at == '.') at = scan_digits(at + 1, &digits);
    if (digits.count == 0) return NULL;

    int negative = 0;
    if (*at == 'e' || *at == 'E') {
        negative = at[1] == '-';
        at = scan_digits(at + 1 + (at[1] == '+' || at[1] == '-'), &exponent);
        if (exponent.count == 0) return NULL;
    }
    if (digits.overflow || exponent.count > 4 || digits.count >= 100000) {
        *out = parse_slow(text);
        return at;
    }
    int power = (negative ? -(int)exponent.value : (int)exponent.value) - (digits.count - whole);
    double value;
    if (!parse_fast(digits.value, power, &value))
        *out = parse_slow(text);
    else
        *out = *text == '-' ? -value : value;
    return at;
}
