// The wide number of the complex and quad builds: one lane, made of the scalar functions.

#ifndef TAC_MATH_WIDE_SCALAR_INL
#define TAC_MATH_WIDE_SCALAR_INL

#define TAC_LANES 1
typedef tacReal wide;

TAC_INLINE wide w_set(tacReal x) { return x; }
TAC_INLINE wide w_load(const tacReal* p) { return *p; }
TAC_INLINE void w_store(tacReal* p, wide x) { *p = x; }
TAC_INLINE wide w_gather(const tacReal* p, const int* at) { return p[at[0]]; }
TAC_INLINE void w_scatter(tacReal* p, const int* at, wide x) { p[at[0]] = x; }
TAC_INLINE wide w_fma(wide a, wide b, wide c) { return a * b + c; }
TAC_INLINE wide w_select_ge0(wide t, wide a, wide b) { return r_select_ge0(t, a, b); }
TAC_INLINE wide w_max(wide a, wide b) { return r_max(a, b); }
TAC_INLINE wide w_min(wide a, wide b) { return r_min(a, b); }
TAC_INLINE wide w_exp(wide x) { return r_exp(x); }
TAC_INLINE wide w_log(wide x) { return r_log(x); }
TAC_INLINE wide w_exp_regular(wide x) { return r_exp(r_max(x, -600.0)); }
TAC_INLINE wide w_log_regular(wide x) { return r_log(x); }
TAC_INLINE wide w_log1p_unit(wide x) { return r_log1p(x); }
TAC_INLINE wide w_one_minus_exp(wide x) { return -r_expm1(-x); }
TAC_INLINE wide w_sqrt(wide x) { return r_sqrt(x); }
TAC_INLINE wide w_rcp(wide x) { return 1.0 / x; }
TAC_INLINE wide w_rsqrt(wide x) { return 1.0 / r_sqrt(x); }
TAC_INLINE tacReal w_sum(wide x) { return x; }
TAC_INLINE tacReal w_lane(wide x, int lane) {
    (void)lane;
    return x;
}
TAC_INLINE int w_all_within(wide x, double limit) { return fabs(tac_re(x)) <= limit; }
TAC_INLINE unsigned w_negative_bits(wide x) { return r_is_negative(x) ? 1u : 0u; }
TAC_INLINE int w_any_negative(wide x) { return r_is_negative(x); }

#endif
