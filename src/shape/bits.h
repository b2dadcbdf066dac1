// A set of points of a block, one bit each.

#ifndef TAC_SHAPE_BITS_H
#define TAC_SHAPE_BITS_H

#include "shape/bound.h"

#include <stdint.h>
#include <string.h>

#define TAC_BIT_WORDS (TAC_BLOCK / 64)

typedef struct tacBits {
    uint64_t word[TAC_BIT_WORDS];
} tacBits;

// points 0 .. count - 1
static inline tacBits tac_bits_first(int count) {
    tacBits bits;
    for (int i = 0; i < TAC_BIT_WORDS; ++i, count -= 64)
        bits.word[i] = count <= 0 ? 0 : count >= 64 ? ~(uint64_t)0 : ~(uint64_t)0 >> (64 - count);
    return bits;
}

static inline tacBits tac_bits_both(tacBits a, tacBits b) {
    for (int i = 0; i < TAC_BIT_WORDS; ++i) a.word[i] &= b.word[i];
    return a;
}

static inline tacBits tac_bits_without(tacBits a, tacBits b) {
    for (int i = 0; i < TAC_BIT_WORDS; ++i) a.word[i] &= ~b.word[i];
    return a;
}

static inline int tac_bits_equal(tacBits a, tacBits b) { return memcmp(&a, &b, sizeof a) == 0; }

static inline int tac_bits_none(tacBits bits) {
    uint64_t any = 0;
    for (int i = 0; i < TAC_BIT_WORDS; ++i) any |= bits.word[i];
    return any == 0;
}

static inline int tac_bits_count(tacBits bits) {
    int count = 0;
    for (int i = 0; i < TAC_BIT_WORDS; ++i) count += __builtin_popcountll(bits.word[i]);
    return count;
}

// the points in their order; how many
static inline int tac_bits_list(tacBits bits, int index[TAC_BLOCK]) {
    int count = 0;
    for (int i = 0; i < TAC_BIT_WORDS; ++i)
        for (uint64_t rest = bits.word[i]; rest; rest &= rest - 1)
            index[count++] = 64 * i + __builtin_ctzll(rest);
    return count;
}

#endif
