// Rows of the convex problem, with numbers that carry their derivative along one direction: value
// and jvp are one text, and the complex build of it gives second derivatives.

#include "respond/cone/cone_row.h"

#include "math/number.h"

#include <string.h>

//---------------------------------- dual numbers ---------------------------------

typedef struct dual {
    tacReal v, d; // value and derivative
} dual;

static dual constant(double c) { return (dual){c, 0.0}; }
static double re(dual a) { return (double)tac_re(a.v); }
static dual add(dual a, dual b) { return (dual){a.v + b.v, a.d + b.d}; }
static dual sub(dual a, dual b) { return (dual){a.v - b.v, a.d - b.d}; }
static dual mul(dual a, dual b) { return (dual){a.v * b.v, a.d * b.v + a.v * b.d}; }
static dual scale(double s, dual a) { return (dual){s * a.v, s * a.d}; }
static dual square(dual a) { return mul(a, a); }

static dual divide(dual a, dual b) {
    tacReal q = a.v / b.v;
    return (dual){q, (a.d - q * b.d) / b.v};
}

// a^p, 0 of a <= 0
static dual power(dual a, dual p) {
    if (re(a) <= 0.0) return constant(0.0);
    tacReal log = r_log(a.v), v = r_exp(p.v * log);
    return (dual){v, v * (p.d * log + p.v * a.d / a.v)};
}

static dual clamp(dual a, double lower, double upper) {
    return re(a) < lower ? constant(lower) : re(a) > upper ? constant(upper) : a;
}

//---------------------------------- impedance ------------------------------------

static const double min_impedance = 1e-4, max_impedance = 0.9999, min_value = 1e-15;

// solimp as it acts
typedef struct impedanceCurve {
    dual from, to, width, mid, power;
} impedanceCurve;

static impedanceCurve impedance_curve(const dual* solimp) {
    return (impedanceCurve){
        clamp(solimp[0], min_impedance, max_impedance),
        clamp(solimp[1], min_impedance, max_impedance), clamp(solimp[2], 0.0, 1e300),
        clamp(solimp[3], min_impedance, max_impedance), clamp(solimp[4], 1.0, 1e3)};
}

// y from 0 to 1 for X from 0 to 1
static dual curve(const impedanceCurve* c, dual X) {
    dual one = constant(1.0), p = sub(c->power, one), other = sub(one, c->mid);
    if (re(X) <= 0.0) return constant(0.0);
    if (re(X) >= 1.0) return one;
    if (re(X) <= re(c->mid)) return divide(power(X, c->power), power(c->mid, p));
    return sub(one, divide(power(sub(one, X), c->power), power(other, p)));
}

// the function whose second derivative is y, 0 up to X = 0
static dual curve_integral(const impedanceCurve* c, dual X) {
    dual one = constant(1.0), m = c->mid, n = sub(one, m), p = c->power;
    dual p1 = add(p, one), p2 = add(p1, one), below = sub(p, one), both = mul(p1, p2);
    if (re(X) <= 0.0) return constant(0.0);
    if (re(X) <= re(m)) return divide(power(X, p2), mul(both, power(m, below)));
    dual slope = divide(sub(m, n), p1); // of the part without the power
    dual start = divide(add(mul(m, square(m)), mul(n, square(n))), both);
    dual end = re(X) < 1.0 ? X : one, at = sub(end, m);
    dual sum = add(start, add(mul(slope, at), scale(0.5, square(at))));
    if (re(X) < 1.0) return sub(sum, divide(power(sub(one, X), p2), mul(both, power(n, below))));
    dual past = sub(X, one);
    return add(sum, add(mul(add(slope, n), past), scale(0.5, square(past))));
}

// even in X: the integral of the whole line from 0 on, that of the curve mirrored
static dual even_integral(const impedanceCurve* c, dual X) {
    return curve_integral(c, re(X) < 0.0 ? scale(-1.0, X) : X);
}

// y averaged with a hat of half width e
static dual blurred_curve(const impedanceCurve* c, dual X, dual e, int one_sided) {
    dual (*integral)(const impedanceCurve*, dual) = one_sided ? curve_integral : even_integral;
    if (re(e) <= 0.0) return curve(c, X);
    if (re(X) >= 1.0 + re(e)) return constant(1.0);
    dual ends = add(integral(c, add(X, e)), integral(c, sub(X, e)));
    return divide(sub(ends, scale(2.0, integral(c, X))), square(e));
}

static dual impedance(const coneRow* row, const impedanceCurve* c, dual r, dual blur) {
    if (re(c->from) == re(c->to) || re(c->width) <= min_value)
        return scale(0.5, add(c->from, c->to));
    dual depth = row->one_sided || re(r) < 0.0 ? scale(-1.0, r) : r;
    dual X = divide(depth, c->width);
    return add(c->from, mul(blurred_curve(c, X, blur, row->one_sided), sub(c->to, c->from)));
}

//---------------------------------- row ------------------------------------------

// stiffness and damping of a row without its mass
typedef struct rowDynamics {
    dual K, B;
} rowDynamics;

static rowDynamics row_dynamics(const coneRow* row, const dual* x, dual to) {
    dual t = x[CONE_ROW_SOLREF], ratio = x[CONE_ROW_SOLREF + 1];
    if ((re(t) > 0.0) != (re(ratio) > 0.0)) { // mixed signs: the default
        t = constant(0.02);
        ratio = constant(1.0);
    }
    if (re(t) <= 0.0)
        return (rowDynamics){divide(scale(-1.0, t), square(to)), divide(scale(-1.0, ratio), to)};
    dual shortest = scale(2.0, x[CONE_ROW_TIMESTEP]);
    if (row->refsafe && re(t) < re(shortest)) t = shortest;
    dual rate = mul(to, t);
    return (rowDynamics){divide(constant(1.0), square(mul(rate, ratio))),
                         divide(constant(2.0), rate)};
}

// 1 in contact, 0 from the onset on, with two continuous derivatives
static dual onset(dual r, dual delta) {
    if (re(delta) <= 0.0) return constant(re(r) < 0.0 ? 1.0 : 0.0);
    if (re(r) <= 0.0) return constant(1.0);
    if (re(r) >= re(delta)) return constant(0.0);
    dual s = divide(r, delta);
    dual q = add(constant(10.0), mul(s, add(constant(-15.0), scale(6.0, s))));
    return sub(constant(1.0), mul(mul(s, square(s)), q));
}

static void eval_row(const coneRow* row, const dual* x, dual* y) {
    impedanceCurve c = impedance_curve(x + CONE_ROW_SOLIMP);
    dual d = impedance(row, &c, x[CONE_ROW_DISTANCE], x[CONE_ROW_BLUR]);
    rowDynamics k = row_dynamics(row, x, c.to);
    dual aref = scale(-1.0, mul(k.B, x[CONE_ROW_VELOCITY]));
    y[CONE_ROW_WIDTH] = mul(x[CONE_ROW_LENGTH], row->friction ? scale(0.25, square(k.B)) : k.K);
    y[CONE_ROW_AREF] = row->friction ? aref : sub(aref, mul(mul(k.K, d), x[CONE_ROW_POSITION]));
    // R >= 1e-15 before the activity, which scales the odds d/(1 - d)
    dual R = divide(mul(sub(constant(1.0), d), x[CONE_ROW_DIAGONAL]), d);
    dual D = divide(x[CONE_ROW_ACTIVITY], re(R) < min_value ? constant(min_value) : R);
    y[CONE_ROW_D] = row->one_sided ? mul(D, onset(x[CONE_ROW_DISTANCE], x[CONE_ROW_ONSET])) : D;
}

static void eval_along(const coneRow* row, const tacReal* x, const tacReal* x_dot, dual* y) {
    dual in[CONE_ROW_NUMBERS];
    for (int i = 0; i < CONE_ROW_NUMBERS; ++i) in[i] = (dual){x[i], x_dot[i]};
    eval_row(row, in, y);
}

void tac_cone_row(const coneRow* row, const tacReal* x, tacReal* y) {
    const tacReal zero[CONE_ROW_NUMBERS] = {0};
    dual out[CONE_ROW_RESULTS];
    eval_along(row, x, zero, out);
    for (int i = 0; i < CONE_ROW_RESULTS; ++i) y[i] = out[i].v;
}

void tac_cone_row_jvp(const coneRow* row, const tacReal* x, const tacReal* x_dot, tacReal* y_dot) {
    dual out[CONE_ROW_RESULTS];
    eval_along(row, x, x_dot, out);
    for (int i = 0; i < CONE_ROW_RESULTS; ++i) y_dot[i] = out[i].d;
}

void tac_cone_row_vjp(const coneRow* row, const tacReal* x, const tacReal* y_bar, tacReal* x_bar) {
    tacReal unit[CONE_ROW_NUMBERS] = {0}, y_dot[CONE_ROW_RESULTS];
    for (int k = 0; k < CONE_ROW_NUMBERS; ++k) {
        unit[k] = 1.0;
        tac_cone_row_jvp(row, x, unit, y_dot);
        unit[k] = 0.0;
        for (int i = 0; i < CONE_ROW_RESULTS; ++i) x_bar[k] += y_dot[i] * y_bar[i];
    }
}
