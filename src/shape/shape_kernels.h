// The wide kernels of shape/: whole blocks of points through one node.
//
//   x (world) --leaf--> tacBlock --begin, merge, close--> tacBlock of a combination
//
// `count` is a multiple of `lanes`; `order` 0 asks for values, 1 also gradients, 2 also Hessians.

#ifndef TAC_SHAPE_KERNELS_H
#define TAC_SHAPE_KERNELS_H

#include "base/dispatch.h"
#include "shape/bits.h"

// value of a child that a union leaves out: its weight is exactly 0
#define TAC_FAR 1e200

// field of a node at a block of points, world axes; `sum` belongs to an open combination
typedef struct tacBlock {
    tacReal value[TAC_BLOCK], gradient[3][TAC_BLOCK], hessian[6][TAC_BLOCK], sum[TAC_BLOCK];
} tacBlock;

// value and gradient only: what derivatives keep of every node
typedef struct tacBlock1 {
    tacReal value[TAC_BLOCK], gradient[3][TAC_BLOCK];
} tacBlock1;

// how a combination takes a child: smooth minimum (sign 1) or maximum (-1) at temperature tau, the
// child as it is (1) or with its sign turned (-1); end: where a union ends (fade.h), 0: nowhere
typedef struct tacBlend {
    tacReal tau;
    double sign, child, end;
} tacBlend;

#define TAC_SUM_CHILDREN 32

// limits of which nothing is known
#define TAC_ROUGH_FAR 1e30

// y/a of rough numbers is multiplied by it, so that products of squares stay away from 0
#define TAC_ROUGH_SCALE      8.0
#define TAC_ROUGH_SCALE_LOG2 3.0

// which points a leaf's rough numbers take
typedef enum tacRoughUse {
    TAC_ROUGH_NONE,   // it has none
    TAC_ROUGH_SHARED, // those relative to the middle of all leaves
    TAC_ROUGH_OWN     // relative to its own origin: it is small and far from the middle
} tacRoughUse;

// Numbers of a superquadric for its limits, in single precision (docs/shapes.md, culling)
typedef struct tacRough {
    tacRoughUse use;
    float R[3][3], t[3]; // scale y/a = R^T x + t
    float w2[3], e[2], inv_e[2];
    float thin[3];      // inner/a
    float gauge, slope; // relative errors of 1/g and of |grad ln g| when formed of rough numbers
    float flat, inner, outer; // 2^(1 - (e1 + e2)/2); radii [m] of the balls inside and around
} tacRough;

// outside [0]: phi(y) >= (D - |y - x|)/K for |y - x| <= D; inside [1]: the same of -phi
typedef struct tacReach {
    tacReal D[2][TAC_BLOCK], K[2][TAC_BLOCK];
} tacReach;

typedef struct tacReachChild {
    const tacReach* reach;
    int turned;
} tacReachChild;

typedef struct tacShapeKernels {
    int lanes;
    int stage; // points that `superquadrics` takes in lock step

    // is |x| <= limit for all? Not if one is NaN
    int (*within)(const tacReal* x, int count, double limit);

    void (*leaf)(const tacBound* b, const tacReal x[3][TAC_BLOCK], tacBlock* out, int count,
                 int order);

    // the same of superquadrics with one distance, another one (b[i]) for each vector of points:
    // their stages run in lock step however few points each of them has
    void (*superquadrics)(const tacBound* const* b, const tacReal x[3][TAC_BLOCK], tacBlock* out,
                          int count, int order);

    // points at[0 .. count - 1] of x to out, from `first` on
    void (*take)(const tacReal x[3][TAC_BLOCK], const int* at, tacReal out[3][TAC_BLOCK], int first,
                 int count);

    // combination: the first child begins it, the others merge, close takes the logarithm
    void (*begin)(tacBlend blend, tacBlock* acc, int count, int order);
    void (*merge)(tacBlend blend, tacBlock* acc, const tacBlock* child, int count, int order);
    // the same at points at[0 .. count - 1] alone; the child's field there stands at first, first +
    // 1…
    void (*merge_some)(tacBlend blend, tacBlock* acc, const int* at, const tacBlock* child,
                       int first, int count, int order);
    void (*close)(tacBlend blend, tacBlock* acc, int count);
    // vectors of points at[i], at[i] + 1, ...
    void (*copy)(const tacReal x[3][TAC_BLOCK], const int* at, tacReal out[3][TAC_BLOCK],
                 int vectors);
    // all of a union that ends at vectors first .. end - 1 of points, from fields of children:
    // depth[i] vectors for each, at most TAC_SUM_CHILDREN
    void (*sum)(tacBlend blend, const tacBlock* field, const uint8_t* depth, int first, int end,
                tacBlock* out, int order);

    // low <= phi <= high of a leaf; `least` becomes the smaller of itself and high. Both arrays
    // have room for TAC_BLOCK; near_x are the points relative to the middle of all leaves
    void (*leaf_limits)(const tacBound* b, const tacRough* rough, const tacReal x[3][TAC_BLOCK],
                        const float near_x[3][TAC_BLOCK], float* low, float* least, int count);
    // x - origin in single precision
    void (*rough_points)(const tacReal x[3][TAC_BLOCK], const double origin[3],
                         float out[3][TAC_BLOCK], int count);
    // bit i: low[i] is at most `reach` above high[i], and at most `end`
    tacBits (*near)(const float* low, const float* high, double reach, double end, int count);

    // D and K of a leaf; `width` is about how far temperatures reach. Of a combination of n
    // children
    void (*leaf_reach)(const tacBound* b, const tacReal x[3][TAC_BLOCK], tacReal width,
                       tacReach* out, int count);
    void (*blend_reach)(tacBlend blend, int n, const tacReachChild* child, tacReach* out,
                        int count);

    // tangent of a leaf's value and gradient along point tangents and `d`
    void (*leaf_jvp)(const tacBound* b, const tacBoundDot* d, const tacReal x[3][TAC_BLOCK],
                     const tacReal x_dot[3][TAC_BLOCK], tacBlock1* dot, int count);

    // adds the adjoint of the points to x_bar, that of the node to bar; own numbers only if asked
    // for
    void (*leaf_vjp)(const tacBound* b, const tacReal x[3][TAC_BLOCK], const tacBlock1* field_bar,
                     tacReal x_bar[3][TAC_BLOCK], tacBoundBar* bar, int count, int by_own);

    // Adjoint of the pose and of the points (NULL skips) from adjoints of the values alone: the
    // field's gradient pulls at each point.
    void (*pull)(const tacBlock* field, const tacReal* value_bar, const tacReal x[3][TAC_BLOCK],
                 const tacReal about[3], tacReal x_bar[3][TAC_BLOCK], tacReal twist_bar[6],
                 int count);

    // one child of a combination: adds its part of the tangent; all values before any gradient
    void (*blend_jvp_value)(tacBlend blend, tacReal tau_dot, const tacBlock1* all,
                            const tacBlock1* child, const tacBlock1* child_dot, tacBlock1* all_dot,
                            int count);
    void (*blend_jvp_gradient)(tacBlend blend, tacReal tau_dot, const tacBlock1* all,
                               const tacBlock1* child, const tacBlock1* child_dot,
                               tacBlock1* all_dot, int count);

    // sets the adjoint of one child, returns its part of the adjoint of tau
    tacReal (*blend_vjp)(tacBlend blend, const tacBlock1* all, const tacBlock1* child,
                         const tacBlock1* all_bar, tacBlock1* child_bar, int count);
} tacShapeKernels;

TAC_DECLARE_KERNELS(tacShapeKernels, tac_shape_kernels_);

#endif
