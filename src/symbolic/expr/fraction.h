// Numbers in formulas: fractions while they fit into 64 bits, doubles beyond.

#ifndef TAC_SYMBOLIC_EXPR_FRACTION_H
#define TAC_SYMBOLIC_EXPR_FRACTION_H

#include <stdint.h>

typedef struct tacFraction {
    int64_t p, q; // lowest terms, q > 0; a double has p = q = 0
    double value; // nearest double
} tacFraction;

static inline int tac_fraction_exact(tacFraction a) { return a.q != 0; }
static inline int tac_fraction_integer(tacFraction a) { return a.q == 1; }

// q is not 0
tacFraction tac_fraction_make(int64_t p, int64_t q);
// a finite double; exact if it is a short binary fraction
tacFraction tac_fraction_of(double value);
// the decimal of at most 15 digits that is read as this double, exactly; else the double
tacFraction tac_fraction_decimal(double value);
tacFraction tac_fraction_add(tacFraction a, tacFraction b);
tacFraction tac_fraction_mul(tacFraction a, tacFraction b);
// a to an integer power; a is not 0 if n < 0
tacFraction tac_fraction_power(tacFraction a, int64_t n);
// 1 and the root if it is a fraction
int tac_fraction_root(tacFraction a, tacFraction* root);

#endif
