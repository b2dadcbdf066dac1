// Random shapes as text: superquadrics of all exponents, unions, differences, intersections.

#ifndef TACTUS_TEST_SHAPE_RANDOM_SHAPES_H
#define TACTUS_TEST_SHAPE_RANDOM_SHAPES_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>

typedef struct shapeDice {
    uint64_t state;
    char* text;
    int size, used;
} shapeDice;

// 0 to 1, xorshift
static inline double roll(shapeDice* d) {
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return (double)(d->state >> 11) * 0x1p-53;
}

static inline double roll_between(shapeDice* d, double low, double high) {
    return low + (high - low) * roll(d);
}

#define DICE_WRITE(d, ...)                                                                         \
    ((d)->used += snprintf((d)->text + (d)->used, (size_t)((d)->size - (d)->used), __VA_ARGS__))

// 0.1 and 2 themselves often
static inline double roll_exponent(shapeDice* d) {
    double t = roll_between(d, -0.1, 1.1);
    return 0.1 * pow(20.0, t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t);
}

// a leaf of about `scale`, its sides up to ten times apart, at most `away` from the origin
static inline void roll_leaf(shapeDice* d, double scale, double away) {
    double a[3], p[3], turn[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = scale * pow(10.0, -roll(d));
        p[k] = roll_between(d, -away, away);
        turn[k] = roll_between(d, 0, 360);
    }
    int kind = (int)(roll(d) * 8.0);
    if (kind == 0) DICE_WRITE(d, "<sphere size='%.6g'", a[0]);
    if (kind == 1) DICE_WRITE(d, "<capsule size='%.6g %.6g'", a[0], a[1]);
    if (kind == 2) DICE_WRITE(d, "<box size='%.6g %.6g %.6g'", a[0], a[1], a[2]);
    if (kind == 3) DICE_WRITE(d, "<cylinder size='%.6g %.6g'", a[0], a[1]);
    if (kind > 3)
        DICE_WRITE(d, "<superquadric size='%.6g %.6g %.6g' eps='%.4g %.4g'", a[0], a[1], a[2],
                   roll_exponent(d), roll_exponent(d));
    DICE_WRITE(d, " pos='%.6g %.6g %.6g' euler='%.5g %.5g %.5g'/>", p[0], p[1], p[2], turn[0],
               turn[1], turn[2]);
}

static inline void roll_leaves(shapeDice* d, int count, double scale, double away) {
    for (int i = 0; i < count; ++i) roll_leaf(d, scale, away);
}

enum { DICE_SINGLE, DICE_UNION, DICE_DIFFERENCE, DICE_INTERSECTION, DICE_KINDS };

// a <shape> of this kind; temperatures from 1e-6 to 0.1 of the size
static inline void roll_shape(shapeDice* d, int kind) {
    double tau = pow(10.0, roll_between(d, -6.0, -1.0));
    d->used = 0;
    DICE_WRITE(d, "<shape name='dice' check='false' smooth='%.4g' distance='%s'>", tau,
               roll(d) < 0.3 ? "radial" : "tangent");
    if (kind == DICE_SINGLE) roll_leaf(d, 1.0, 0.0);
    if (kind == DICE_UNION) roll_leaves(d, 2 + (int)(roll(d) * 17.0), 0.5, 0.5);
    if (kind == DICE_DIFFERENCE) {
        DICE_WRITE(d, "<difference>");
        roll_leaf(d, 1.0, 0.0);
        roll_leaves(d, 1 + (int)(roll(d) * 3.0), 0.4, 0.6);
        DICE_WRITE(d, "</difference>");
    }
    if (kind == DICE_INTERSECTION) {
        DICE_WRITE(d, "<intersection>");
        roll_leaves(d, 2 + (int)(roll(d) * 2.0), 1.0, 0.1);
        DICE_WRITE(d, "</intersection>");
    }
    DICE_WRITE(d, "</shape>");
}

#endif
