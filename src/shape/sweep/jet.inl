// Jets: a wide number with its derivatives, so that a long formula is written once for all of them.
//
//   mode            d                    h
//   JET_VALUE
//   JET_GRADIENT    gradient
//   JET_HESSIAN     gradient             Hessian (xx yy zz xy xz yz)
//   JET_DOT         gradient             tangent of the value, tangents of the gradient
//   JET_TAPE        derivative along     , each operation written down, for the reverse pass
//                   one direction
//
// The mode is a constant where a formula is inlined, so what it does not need is not computed; the
// value's arithmetic is the same in every mode.

#ifndef TAC_SHAPE_SWEEP_JET_INL
#define TAC_SHAPE_SWEEP_JET_INL

#include "shape/local_field.inl"

// JET_COMPACT: operations are functions and the mode is a variable, for code that is written for
// size rather than speed; one-lane builds are always so
#if !defined(JET_COMPACT) && (TAC_LANES == 1 || defined(TAC_SANITIZED))
#define JET_COMPACT
#endif
#ifdef JET_COMPACT
#define JET_OPERATION static __attribute__((noinline, unused))
#define JET_FORMULA   static inline __attribute__((unused))
#else
#define JET_OPERATION TAC_INLINE
#define JET_FORMULA   TAC_INLINE
#endif

// parts that a mode does not use are never set: filling them costs more than the formula
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

enum { JET_VALUE, JET_GRADIENT, JET_HESSIAN, JET_DOT, JET_TAPE };

// operations that one formula may write down
#define JET_TAPE_SIZE 1280

typedef struct jet {
    wide v, d[3], h[6];
    int at; // where it stands on the tape, -1 for what is not differentiated
} jet;

// A number that does not depend on the point: value, tangent, place on the tape.
typedef struct jetInput {
    wide v, dot;
    int at;
} jetInput;

//---------------------------------- tape -----------------------------------------

// One operation: where its arguments stand, and the partials by them with their derivative along
// the direction. A polynomial keeps its argument instead of a second partial.
typedef struct jetEntry {
    int a, b, poly;
    wide fa[2], fb[2];
} jetEntry;

typedef struct jetTape {
    int count;
    jetEntry entry[JET_TAPE_SIZE];
    wide bar[JET_TAPE_SIZE][2]; // adjoints of value and derivative
} jetTape;

typedef struct jetContext {
    int mode;
    jetTape* tape;
} jetContext;

TAC_INLINE int jet_write(jetTape* tape, int a, int b, const wide fa[2], const wide fb[2]) {
    jetEntry* e = &tape->entry[tape->count];
    e->a = a;
    e->b = b;
    e->poly = -1;
    for (int k = 0; k < 2; ++k) {
        e->fa[k] = fa[k];
        e->fb[k] = fb[k];
    }
    return tape->count++;
}

JET_OPERATION jet jet_unary(jetContext w, jet out, int a, wide fa, wide fa_dot) {
    const wide partial[2] = {fa, fa_dot};
    out.at = w.mode == JET_TAPE && a >= 0 ? jet_write(w.tape, a, -1, partial, partial) : -1;
    return out;
}

JET_OPERATION jet jet_binary(jetContext w, jet out, int a, int b, const wide fa[2],
                             const wide fb[2]) {
    int written = w.mode == JET_TAPE && (a >= 0 || b >= 0);
    out.at = written ? jet_write(w.tape, a, b, fa, fb) : -1;
    return out;
}

// adjoint of an argument: of its value by the value and the derivative, of its derivative
TAC_INLINE void jet_propagate_bar(wide to[2], const wide from[2], const wide partial[2]) {
    to[0] = w_fma(from[0], partial[0], w_fma(from[1], partial[1], to[0]));
    to[1] = w_fma(from[1], partial[0], to[1]);
}

// from the last entry to the first, with the adjoint of `result`
static inline void jet_reverse(jetTape* tape, jet result, wide value_bar, wide dot_bar) {
    for (int i = 0; i < tape->count; ++i) tape->bar[i][0] = tape->bar[i][1] = w_set(0.0);
    if (result.at < 0) return;
    tape->bar[result.at][0] = value_bar;
    tape->bar[result.at][1] = dot_bar;
    for (int i = tape->count - 1; i >= 0; --i) {
        const jetEntry* e = &tape->entry[i];
        if (e->a >= 0) jet_propagate_bar(tape->bar[e->a], tape->bar[i], e->fa);
        if (e->b >= 0) jet_propagate_bar(tape->bar[e->b], tape->bar[i], e->fb);
    }
}

//---------------------------------- sums -----------------------------------------

TAC_INLINE int jet_gradient_size(jetContext w) {
    return w.mode == JET_VALUE ? 0 : w.mode == JET_TAPE ? 1 : 3;
}
TAC_INLINE int jet_second_size(jetContext w) {
    return w.mode == JET_HESSIAN ? 6 : w.mode == JET_DOT ? 4 : 0;
}

JET_OPERATION jet jet_constant(wide v) {
    jet o;
    o.v = v;
    o.at = -1;
    for (int i = 0; i < 3; ++i) o.d[i] = w_set(0.0);
    for (int i = 0; i < 6; ++i) o.h[i] = w_set(0.0);
    return o;
}

// s a + t b
JET_OPERATION jet jet_sum(jetContext w, double s, jet a, double t, jet b) {
    const wide fa[2] = {w_set(s), w_set(0.0)}, fb[2] = {w_set(t), w_set(0.0)};
    jet o;
    o.v = s * a.v + t * b.v;
    for (int i = 0; i < jet_gradient_size(w); ++i) o.d[i] = s * a.d[i] + t * b.d[i];
    for (int i = 0; i < jet_second_size(w); ++i) o.h[i] = s * a.h[i] + t * b.h[i];
    return jet_binary(w, o, a.at, b.at, fa, fb);
}
JET_OPERATION jet jet_add(jetContext w, jet a, jet b) { return jet_sum(w, 1.0, a, 1.0, b); }
JET_OPERATION jet jet_sub(jetContext w, jet a, jet b) { return jet_sum(w, 1.0, a, -1.0, b); }

// s a + t
JET_OPERATION jet jet_scale(jetContext w, jet a, double s, double t) {
    jet o;
    o.v = s * a.v + t;
    for (int i = 0; i < jet_gradient_size(w); ++i) o.d[i] = s * a.d[i];
    for (int i = 0; i < jet_second_size(w); ++i) o.h[i] = s * a.h[i];
    return jet_unary(w, o, a.at, w_set(s), w_set(0.0));
}

// t >= 0 ? a : b
JET_OPERATION jet jet_select(jetContext w, wide t, jet a, jet b) {
    wide one = w_set(1.0), zero = w_set(0.0);
    const wide fa[2] = {w_select_ge0(t, one, zero), zero}, fb[2] = {1.0 - fa[0], zero};
    jet o;
    o.v = w_select_ge0(t, a.v, b.v);
    for (int i = 0; i < jet_gradient_size(w); ++i) o.d[i] = w_select_ge0(t, a.d[i], b.d[i]);
    for (int i = 0; i < jet_second_size(w); ++i) o.h[i] = w_select_ge0(t, a.h[i], b.h[i]);
    return jet_binary(w, o, a.at, b.at, fa, fb);
}

JET_OPERATION jet jet_abs(jetContext w, jet a) {
    return jet_select(w, a.v, a, jet_scale(w, a, -1.0, 0.0));
}

//---------------------------------- products -------------------------------------

JET_OPERATION jet jet_mul(jetContext w, jet a, jet b) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const wide fa[2] = {b.v, b.d[0]}, fb[2] = {a.v, a.d[0]};
    jet o;
    o.v = a.v * b.v;
    for (int i = 0; i < jet_gradient_size(w); ++i) o.d[i] = w_fma(a.v, b.d[i], b.v * a.d[i]);
    for (int i = 0; i < jet_second_size(w); ++i) o.h[i] = w_fma(a.v, b.h[i], b.v * a.h[i]);
    for (int i = 0; i < 6 && w.mode == JET_HESSIAN; ++i)
        o.h[i] = w_fma(a.d[row[i]], b.d[column[i]], w_fma(a.d[column[i]], b.d[row[i]], o.h[i]));
    for (int i = 0; i < 3 && w.mode == JET_DOT; ++i)
        o.h[1 + i] = w_fma(a.h[0], b.d[i], w_fma(b.h[0], a.d[i], o.h[1 + i]));
    return jet_binary(w, o, a.at, b.at, fa, fb);
}

// a number that does not depend on the point: cheaper than a product of jets
JET_OPERATION jet jet_times(jetContext w, jet a, jetInput b) {
    const wide fa[2] = {b.v, w_set(0.0)}, fb[2] = {a.v, a.d[0]};
    jet o;
    o.v = a.v * b.v;
    for (int i = 0; i < jet_gradient_size(w); ++i) o.d[i] = b.v * a.d[i];
    for (int i = 0; i < jet_second_size(w); ++i) o.h[i] = b.v * a.h[i];
    if (w.mode == JET_DOT) {
        o.h[0] = w_fma(a.v, b.dot, o.h[0]);
        for (int i = 0; i < 3; ++i) o.h[1 + i] = w_fma(a.d[i], b.dot, o.h[1 + i]);
    }
    return jet_binary(w, o, a.at, b.at, fa, fb);
}

// a + s b
JET_OPERATION jet jet_plus(jetContext w, jet a, double s, jetInput b) {
    const wide fa[2] = {w_set(1.0), w_set(0.0)}, fb[2] = {w_set(s), w_set(0.0)};
    jet o = a;
    o.v = a.v + s * b.v;
    if (w.mode == JET_DOT) o.h[0] = a.h[0] + s * b.dot;
    return jet_binary(w, o, a.at, b.at, fa, fb);
}

JET_OPERATION jet jet_dot3(jetContext w, const jet a[3], const jet b[3]) {
    return jet_add(w, jet_mul(w, a[0], b[0]),
                   jet_add(w, jet_mul(w, a[1], b[1]), jet_mul(w, a[2], b[2])));
}

JET_OPERATION jet jet_times3(jetContext w, const jet a[3], const jetInput b[3]) {
    return jet_add(w, jet_times(w, a[0], b[0]),
                   jet_add(w, jet_times(w, a[1], b[1]), jet_times(w, a[2], b[2])));
}

//---------------------------------- functions ------------------------------------

// f(a), with f' and f''
JET_OPERATION jet jet_apply(jetContext w, jet a, wide f, wide f1, wide f2) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    jet o;
    o.v = f;
    for (int i = 0; i < jet_gradient_size(w); ++i) o.d[i] = f1 * a.d[i];
    for (int i = 0; i < jet_second_size(w); ++i) o.h[i] = f1 * a.h[i];
    for (int i = 0; i < 6 && w.mode == JET_HESSIAN; ++i)
        o.h[i] = w_fma(f2 * a.d[row[i]], a.d[column[i]], o.h[i]);
    for (int i = 0; i < 3 && w.mode == JET_DOT; ++i)
        o.h[1 + i] = w_fma(f2 * a.h[0], a.d[i], o.h[1 + i]);
    return jet_unary(w, o, a.at, f1, w.mode == JET_TAPE ? f2 * a.d[0] : f1);
}

JET_OPERATION jet jet_square(jetContext w, jet a) {
    return jet_apply(w, a, a.v * a.v, 2.0 * a.v, w_set(2.0));
}
JET_OPERATION jet jet_rcp(jetContext w, jet a) {
    wide f = w_rcp(a.v), f1 = -f * f;
    return jet_apply(w, a, f, f1, -2.0 * f1 * f);
}
JET_OPERATION jet jet_rsqrt(jetContext w, jet a) {
    wide f = w_rsqrt(a.v), f2 = f * f;
    return jet_apply(w, a, f, -0.5 * f * f2, 0.75 * f * f2 * f2);
}
JET_OPERATION jet jet_sqrt(jetContext w, jet a) {
    wide i = w_rsqrt(a.v), f = a.v * i;
    return jet_apply(w, a, f, 0.5 * i, -0.25 * i * i * i);
}
JET_OPERATION jet jet_log(jetContext w, jet a) {
    wide i = w_rcp(a.v);
    return jet_apply(w, a, w_log_regular(a.v), i, -i * i);
}
JET_OPERATION jet jet_exp(jetContext w, jet a) { // a <= 0
    wide f = w_exp_regular(a.v);
    return jet_apply(w, a, f, f, f);
}
JET_OPERATION jet jet_log1p(jetContext w, jet a) { // 0 <= a <= 1
    wide i = w_rcp(1.0 + a.v);
    return jet_apply(w, a, w_log1p_unit(a.v), i, -i * i);
}

// c0 + c1 t + c2 t^2, polynomial number `poly` of the formula; dots of the coefficients, or NULL
JET_OPERATION jet jet_quadratic(jetContext w, const tacReal c[3], const tacReal* dot, int poly,
                                jet t) {
    wide slope = w_fma(w_set(2.0 * c[2]), t.v, w_set(c[1]));
    jet o = jet_apply(w, t, w_fma(w_fma(w_set(c[2]), t.v, w_set(c[1])), t.v, w_set(c[0])), slope,
                      w_set(2.0 * c[2]));
    if (w.mode == JET_DOT && dot) {
        wide slope_dot = w_fma(w_set(2.0 * dot[2]), t.v, w_set(dot[1]));
        o.h[0] = o.h[0] + w_fma(w_fma(w_set(dot[2]), t.v, w_set(dot[1])), t.v, w_set(dot[0]));
        for (int i = 0; i < 3; ++i) o.h[1 + i] = w_fma(slope_dot, t.d[i], o.h[1 + i]);
    }
    if (w.mode == JET_TAPE) {
        const wide fa[2] = {slope, 2.0 * c[2] * t.d[0]}, at[2] = {t.v, t.d[0]};
        if (o.at < 0) o.at = jet_write(w.tape, t.at, -1, fa, at);
        jetEntry* e = &w.tape->entry[o.at];
        e->poly = poly;
        e->fb[0] = t.v;
        e->fb[1] = t.d[0];
    }
    return o;
}

#endif
