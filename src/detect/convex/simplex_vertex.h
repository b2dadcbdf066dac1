// A vertex of the difference of two cores, and small vectors of doubles.

#ifndef TAC_DETECT_CONVEX_SIMPLEX_VERTEX_H
#define TAC_DETECT_CONVEX_SIMPLEX_VERTEX_H

#include "detect/convex/convex.h"

#include <math.h>

// w = a - b, a on A and b on B
typedef struct tacSimplexVertex {
    double w[3], a[3], b[3];
} tacSimplexVertex;

static inline double tac_dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void tac_sub3(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = a[i] - b[i];
}

static inline void tac_cross3(const double a[3], const double b[3], double out[3]) {
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
}

static inline double tac_length3(const double a[3]) { return sqrt(tac_dot3(a, a)); }

// furthest vertex along d
static inline tacSimplexVertex tac_simplex_vertex(const tacConvex* a, const tacConvex* b,
                                                  const double d[3]) {
    tacSimplexVertex c;
    double back[3] = {-d[0], -d[1], -d[2]};
    tac_convex_support(a, d, c.a);
    tac_convex_support(b, back, c.b);
    tac_sub3(c.a, c.b, c.w);
    return c;
}

#endif
