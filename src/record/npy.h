// One array as numpy stores it: a line of text with its kind and shape, then its numbers.

#ifndef TAC_RECORD_NPY_H
#define TAC_RECORD_NPY_H

#include "tactus/result.h"

#include <stddef.h>

typedef enum tacNpyKind {
    TAC_NPY_REAL, // doubles
    TAC_NPY_INT,  // of 64 bits
    TAC_NPY_TEXT  // of `width` characters, four bytes each, zeros behind the last
} tacNpyKind;

// numbers are row-major, little-endian; those of an array that was read may be unaligned
typedef struct tacNpy {
    tacNpyKind kind;
    int width; // of TAC_NPY_TEXT
    int dims;  // 0, 1 or 2
    size_t shape[2];
    const void* data;
} tacNpy;

// bytes of the line of text, padded as numpy pads it
#define TAC_NPY_HEADER 128

size_t tac_npy_count(const tacNpy* array);
size_t tac_npy_bytes(const tacNpy* array);

void tac_npy_header(const tacNpy* array, char text[TAC_NPY_HEADER]);

// The array in `bytes`. Returns NULL, or the error as a clause.
const char* tac_npy_parse(const unsigned char* bytes, size_t size, tacNpy* out);

#endif
