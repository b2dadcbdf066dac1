// The wide number with one lane: a double, for single states beside batches of the same kernels.

#ifndef TAC_MATH_WIDE_ONE_INL
#define TAC_MATH_WIDE_ONE_INL

#define TAC_LANES 1
typedef double wide;

TAC_INLINE wide w_set(double x) { return x; }
TAC_INLINE wide w_load(const double* p) { return *p; }
TAC_INLINE void w_store(double* p, wide x) { *p = x; }
TAC_INLINE double w_lane(wide x, int lane) {
    (void)lane;
    return x;
}
TAC_INLINE wide w_fma(wide a, wide b, wide c) {
#if defined(__FMA__)
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}
TAC_INLINE wide w_select_ge0(wide t, wide a, wide b) { return t >= 0.0 ? a : b; }
TAC_INLINE wide w_max(wide a, wide b) { return a > b ? a : b; }
TAC_INLINE wide w_min(wide a, wide b) { return a < b ? a : b; }
TAC_INLINE int w_all_within(wide x, double limit) { return fabs(x) <= limit; }

#endif
