// Decimal numbers in text: fast, correctly rounded, the same in every locale.

#ifndef TAC_BASE_DECIMAL_H
#define TAC_BASE_DECIMAL_H

// One decimal number from the front of a terminated text: its end, or NULL if there is none. NaN,
// infinity and hexadecimal are none; numbers that overflow are infinite.
const char* tac_parse_decimal(const char* text, double* out);

#endif
