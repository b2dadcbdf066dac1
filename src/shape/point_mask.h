// A set of points of a block, one bit each.

#ifndef TAC_SHAPE_POINT_MASK_H
#define TAC_SHAPE_POINT_MASK_H

#include "shape/node_data.h"

#include <stdint.h>
#include <string.h>

#define TAC_POINT_MASK_WORDS (TAC_BLOCK / 64)

typedef struct tacPointMask {
    uint64_t word[TAC_POINT_MASK_WORDS];
} tacPointMask;

// points 0 .. count - 1
static inline tacPointMask tac_point_mask_first(int count) {
    tacPointMask bits;
    for (int i = 0; i < TAC_POINT_MASK_WORDS; ++i, count -= 64)
        bits.word[i] = count <= 0 ? 0 : count >= 64 ? ~(uint64_t)0 : ~(uint64_t)0 >> (64 - count);
    return bits;
}

static inline tacPointMask tac_point_mask_and(tacPointMask a, tacPointMask b) {
    for (int i = 0; i < TAC_POINT_MASK_WORDS; ++i) a.word[i] &= b.word[i];
    return a;
}

static inline tacPointMask tac_point_mask_and_not(tacPointMask a, tacPointMask b) {
    for (int i = 0; i < TAC_POINT_MASK_WORDS; ++i) a.word[i] &= ~b.word[i];
    return a;
}

static inline int tac_point_mask_equal(tacPointMask a, tacPointMask b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static inline int tac_point_mask_is_empty(tacPointMask bits) {
    uint64_t any = 0;
    for (int i = 0; i < TAC_POINT_MASK_WORDS; ++i) any |= bits.word[i];
    return any == 0;
}

static inline int tac_point_mask_count(tacPointMask bits) {
    int count = 0;
    for (int i = 0; i < TAC_POINT_MASK_WORDS; ++i) count += __builtin_popcountll(bits.word[i]);
    return count;
}

// the points in their order; how many
static inline int tac_point_mask_list(tacPointMask bits, int index[TAC_BLOCK]) {
    int count = 0;
    for (int i = 0; i < TAC_POINT_MASK_WORDS; ++i)
        for (uint64_t rest = bits.word[i]; rest; rest &= rest - 1)
            index[count++] = 64 * i + __builtin_ctzll(rest);
    return count;
}

#endif
