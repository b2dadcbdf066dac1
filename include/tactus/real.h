/// The number that everything differentiable is written in.
///
/// For a user `tacReal` is double. The library compiles its own files a second time with complex
/// numbers (exact second derivatives, docs/derivatives.md) and, for checks only, in quad precision.
#ifndef TACTUS_REAL_H
#define TACTUS_REAL_H

#ifdef __cplusplus
/// Begins declarations with C linkage.
#define TAC_EXTERN_C_BEGIN extern "C" {
/// Ends them.
#define TAC_EXTERN_C_END }
#else
/// Begins declarations with C linkage.
#define TAC_EXTERN_C_BEGIN
/// Ends them.
#define TAC_EXTERN_C_END
#endif

/// Marks what the shared library exports.
#define TAC_API __attribute__((visibility("default")))

/// Marks a seam whose stage is not built yet: declared so that others can write against it; a call
/// is a compile-time error with this text.
#define TAC_PLANNED(stage)                                                                         \
    __attribute__((error("this seam is declared, its stage (" stage ") is not built yet")))

#if defined(TAC_NUMBER_COMPLEX)
typedef double _Complex tacReal;
#elif defined(TAC_NUMBER_QUAD)
typedef __float128 tacReal;
#else
/// Real number of the engine.
typedef double tacReal;
#endif

#endif
