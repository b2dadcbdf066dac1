// Numbers in formulas.

#include "symbolic/expr/fraction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tacFraction inexact(double value) { return (tacFraction){0, 0, value}; }

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

// INT64_MIN has no negative: it becomes a double
static int has_negative(int64_t a) { return a != INT64_MIN; }

tacFraction tac_fraction_make(int64_t p, int64_t q) {
    if (!has_negative(p) || !has_negative(q)) return inexact((double)p / (double)q);
    int64_t d = gcd(p, q);
    if (q < 0) d = -d;
    return (tacFraction){p / d, q / d, (double)(p / d) / (double)(q / d)};
}

tacFraction tac_fraction_of(double value) {
    const double scale = 1048576.0; // 2^20: exact in a double
    double p = value * scale;
    if (fabs(value) < scale * scale && p == floor(p) && fabs(p) < 9007199254740992.0)
        return tac_fraction_make((int64_t)p, (int64_t)scale);
    return inexact(value);
}

// 10^n, n <= 18
static int64_t ten_to(int n) {
    int64_t out = 1;
    for (; n > 0; --n) out *= 10;
    return out;
}

tacFraction tac_fraction_decimal(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.14e", value); // a digit, a point, 14 digits, e, exponent
    const char* mark = strchr(text, 'e');
    int64_t digits = 0;
    int shift = mark ? atoi(mark + 1) - 14 : 0, negative = text[0] == '-';
    for (const char* c = text; mark && c < mark; ++c)
        if (*c >= '0' && *c <= '9') digits = 10 * digits + (*c - '0');
    for (; digits != 0 && digits % 10 == 0; digits /= 10) ++shift;
    if (!mark || shift > 3 || shift < -18) return tac_fraction_of(value);
    if (negative) digits = -digits;
    tacFraction out = shift >= 0 ? tac_fraction_make(digits * ten_to(shift), 1)
                                 : tac_fraction_make(digits, ten_to(-shift));
    return out.value == value ? out : tac_fraction_of(value);
}

tacFraction tac_fraction_add(tacFraction a, tacFraction b) {
    int64_t left, right, p, q;
    int over = !a.q || !b.q || __builtin_mul_overflow(a.p, b.q, &left) ||
               __builtin_mul_overflow(b.p, a.q, &right) ||
               __builtin_add_overflow(left, right, &p) || __builtin_mul_overflow(a.q, b.q, &q);
    return over ? inexact(a.value + b.value) : tac_fraction_make(p, q);
}

tacFraction tac_fraction_mul(tacFraction a, tacFraction b) {
    int64_t p, q;
    int over = !a.q || !b.q || __builtin_mul_overflow(a.p, b.p, &p) ||
               __builtin_mul_overflow(a.q, b.q, &q);
    return over ? inexact(a.value * b.value) : tac_fraction_make(p, q);
}

tacFraction tac_fraction_power(tacFraction a, int64_t n) {
    if (!a.q) return inexact(pow(a.value, (double)n));
    if (n < 0) {
        a = tac_fraction_make(a.q, a.p);
        n = -n;
    }
    // 0 and +-1 do not grow; others exceed 64 bits after 63 factors
    if (n > 63 && a.q == 1 && a.p >= -1 && a.p <= 1) n = 2 + (n & 1);
    if (n > 63) return inexact(pow(a.value, (double)n));
    tacFraction out = {1, 1, 1.0};
    for (int64_t k = 0; k < n; ++k) out = tac_fraction_mul(out, a);
    return out.q ? out : inexact(pow(a.value, (double)n));
}

static int integer_root(int64_t a, int64_t* root) {
    int64_t r = (int64_t)sqrt((double)a);
    while (r * r > a) --r;
    while ((r + 1) * (r + 1) <= a) ++r;
    *root = r;
    return r * r == a;
}

int tac_fraction_root(tacFraction a, tacFraction* root) {
    const int64_t most = INT64_C(1) << 52; // no overflow on the way
    int64_t p, q;
    if (!a.q || a.p < 0 || a.p > most || a.q > most) return 0;
    if (!integer_root(a.p, &p) || !integer_root(a.q, &q)) return 0;
    *root = tac_fraction_make(p, q);
    return 1;
}
