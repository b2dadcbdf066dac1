// The wide number: TAC_LANES reals that move in lock step. One text, one meaning per build:
//
//   instruction set   AVX-512  AVX2  baseline   complex or quad build
//   TAC_LANES               8     4         2                       1
//
// A file that defines TAC_ONE_LANE before gets one double, in the arithmetic of the instruction
// set:
// + - * /, w_fma, w_root and w_sincos give the bits that a lane of the vector would have.
//
// Kernels use + - * / and the w_ functions below; no comparison, no ?: (docs/numbers.md).

#ifndef TAC_MATH_WIDE_H
#define TAC_MATH_WIDE_H

#include "math/number.h"

// kernels are inlined whole; sanitizers, which make that slow to compile, decide for themselves
#ifdef TAC_SANITIZED
#define TAC_INLINE static inline __attribute__((unused))
#else
#define TAC_INLINE static inline __attribute__((always_inline, unused))
#endif

#if defined(TAC_NUMBER_COMPLEX) || defined(TAC_NUMBER_QUAD)
#include "math/wide_scalar.inl"
#elif defined(TAC_ONE_LANE)
#include "math/wide_one.inl"
#else
#if defined(__AVX512F__)
#define TAC_LANES 8
#elif defined(__AVX2__)
#define TAC_LANES 4
#else
#define TAC_LANES 2
#endif
#include "math/wide_vector.inl"
#endif

TAC_INLINE wide w_abs(wide a) { return w_select_ge0(a, a, -a); }

#endif
