/// tacReal: the number type of everything that can be differentiated.
///
/// For a user it is double. The library also compiles its own files with complex numbers, for exact
/// second derivatives (docs/derivatives.md), and in quad precision, for checks.
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

/// Marks a function that the shared library exports.
#define TAC_API __attribute__((visibility("default")))

#if defined(TAC_NUMBER_COMPLEX)
typedef double _Complex tacReal;
#elif defined(TAC_NUMBER_QUAD)
typedef __float128 tacReal;
#else
/// Real number of the engine.
typedef double tacReal;
#endif

#endif
