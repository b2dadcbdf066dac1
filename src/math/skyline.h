// Symmetric positive definite matrices by their profile: row i has the columns first[i] .. i, and
// zeros before. L of A = L L' has the profile of A, so memory and work follow it, and blocks that
// are not coupled cost nothing.
//
// Unknowns are numbered by the caller, rows by perm[]: whoever knows the unknowns orders
// them such that the profile is narrow.
//
//   place --> begin --> couple ... --> clear --> at ... --> mul_add, or factor --> solve

#ifndef TAC_MATH_SKYLINE_H
#define TAC_MATH_SKYLINE_H

#include "base/arena.h"
#include "math/number.h"

typedef struct tacSkyline {
    int n;
    int* perm;      // row of an unknown                                          (n)
    int* first;     // column of a row's first entry                              (n)
    size_t* start;  // entry (i, j) is entry[start[i] + j]                        (n)
    tacReal* entry; // rows one after the other                  (n (n + 1)/2 at most)
    tacReal* work;  // (2 n)
} tacSkyline;

tacSkyline tac_skyline_alloc(int n, tacArena* arena);

// A diagonal matrix, whose rows are by place[].
void tac_skyline_reset(tacSkyline* s);

// The rows of these unknowns reach back to the first of them.
void tac_skyline_couple(tacSkyline* s, const int* unknowns, int count);

// Allocates the profile, all zeros.
void tac_skyline_clear(tacSkyline* s);

// Entry of two unknowns that were coupled.
static inline tacReal* tac_skyline_at(const tacSkyline* s, int a, int b) {
    int i = s->perm[a], j = s->perm[b];
    return &s->entry[i > j ? s->start[i] + (size_t)j : s->start[j] + (size_t)i];
}

// y += A x, of a matrix that is not factored
void tac_skyline_mul_add(const tacSkyline* s, const tacReal* x, tacReal* y);

// A = L L' in place. TAC_ERROR_VALUE if A is not positive definite to rounding (math/pivot.h).
tacResult tac_skyline_factor(tacSkyline* s);

// x = A^-1 x, after a factor that was TAC_OK
void tac_skyline_solve(const tacSkyline* s, tacReal* x);

#endif
