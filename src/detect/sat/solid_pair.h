// Two solids in the frame of the first.

#ifndef TAC_DETECT_SAT_SOLID_PAIR_H
#define TAC_DETECT_SAT_SOLID_PAIR_H

#include "math/vec3.h"
#include "tactus/solid.h"

// a point x of b's frame is at p + R x in a's
typedef struct tacSolidPair {
    const tacSolid *a, *b;
    tacMat3 R;
    tacVec3 p;
} tacSolidPair;

// TAC_ERROR_VALUE: a planar and a spatial one, two half-spaces, or a pose that is not finite
tacResult tac_solid_pair(tacPosedSolid a, tacPosedSolid b, tacSolidPair* out);

// the same two with their parts exchanged
tacSolidPair tac_solid_pair_swap(const tacSolidPair* pair);

// A separation in a's frame of `pair`, into the world; tangents are set.
void tac_separation_finish(const tacPosedSolid* a, tacSeparation* out);

// the same seen from the other solid of the swapped pair
void tac_separation_swap(const tacSolidPair* pair, tacSeparation* out);

static inline tacVec3 tac_solid_pair_point(const tacSolidPair* pair, tacVec3 x) {
    return tac_add(pair->p, tac_mat_mul_vec(pair->R, x));
}

static inline tacVec3 tac_solid_pair_vertex(const tacSolidPair* pair, int i) {
    return tac_solid_pair_point(pair, pair->b->vertex[i]);
}

// a point of a's frame in b's
static inline tacVec3 tac_solid_pair_to_b(const tacSolidPair* pair, tacVec3 x) {
    return tac_mat_tmul_vec(pair->R, tac_sub(x, pair->p));
}

// largest d . x over the vertices
static inline double tac_solid_support(const tacSolid* solid, tacVec3 d) {
    double most = -INFINITY;
    for (int i = 0; i < solid->vertices; ++i) most = fmax(most, tac_dot(d, solid->vertex[i]));
    return most + solid->radius * tac_norm(d);
}

// gap along the unit axis n of a's frame: how far all of b is above all of a
static inline double tac_solid_pair_gap(const tacSolidPair* pair, tacVec3 n) {
    tacVec3 back = tac_mat_tmul_vec(pair->R, tac_neg(n));
    return tac_dot(n, pair->p) - tac_solid_support(pair->b, back) - tac_solid_support(pair->a, n);
}

static inline int tac_solid_is_round(const tacSolid* solid) { return solid->radius > 0.0; }
static inline int tac_is_unbounded(const tacSolid* solid) { return solid->vertices == 0; }

#endif
