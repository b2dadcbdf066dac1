// The wide kernels of shape/: whole blocks of points through one node.
//
//   x (world) --leaf--> tacFieldBlock --begin, merge, close--> tacFieldBlock of a combination
//
// `count` is a multiple of `lanes`; `order` 0 asks for values, 1 also gradients, 2 also Hessians.

#ifndef TAC_SHAPE_KERNELS_H
#define TAC_SHAPE_KERNELS_H

#include "base/dispatch.h"
#include "shape/point_mask.h"

// value of a child that a union leaves out: its weight is exactly 0
#define TAC_CULLED_VALUE 1e200

// field of a node at a block of points, world axes; `sum` belongs to an open combination
typedef struct tacFieldBlock {
    tacReal value[TAC_BLOCK], gradient[3][TAC_BLOCK], hessian[6][TAC_BLOCK], sum[TAC_BLOCK];
} tacFieldBlock;

// value and gradient only: what derivatives keep of every node
typedef struct tacGradientBlock {
    tacReal value[TAC_BLOCK], gradient[3][TAC_BLOCK];
} tacGradientBlock;

// how a combination takes a child: smooth minimum (sign 1) or maximum (-1) at temperature tau, the
// child as it is (1) or with its sign turned (-1); end: where a union ends (fade.inl), 0: nowhere
typedef struct tacBlend {
    tacReal tau;
    double sign, child, end;
} tacBlend;

#define TAC_MAX_BLEND_CHILDREN 32

// limits of which nothing is known
#define TAC_BOUND_UNKNOWN 1e30

// y/a of single-precision numbers is multiplied by it, so that products of squares stay away from 0
#define TAC_FLOAT_LEAF_SCALE      8.0
#define TAC_FLOAT_LEAF_SCALE_LOG2 3.0

// which points a leaf's single-precision numbers take
typedef enum tacFloatLeafUse {
    TAC_FLOAT_LEAF_NONE,   // it has none
    TAC_FLOAT_LEAF_SHARED, // those relative to the middle of all leaves
    TAC_FLOAT_LEAF_OWN     // relative to its own origin: it is small and far from the middle
} tacFloatLeafUse;

// Numbers of a superquadric for its limits, in single precision (docs/shapes.md, culling)
typedef struct tacFloatLeaf {
    tacFloatLeafUse use;
    float R[3][3], t[3]; // scale y/a = R^T x + t
    float w2[3], e[2], inv_e[2];
    float thin[3]; // inner/a
    float gauge,
        slope; // relative errors of 1/g and of |grad ln g| when formed of single-precision numbers
    float flat, inner, outer; // 2^(1 - (e1 + e2)/2); radii [m] of the balls inside and around
} tacFloatLeaf;

// outside [0]: phi(y) >= (D - |y - x|)/K for |y - x| <= D; inside [1]: the same of -phi
typedef struct tacDistanceBound {
    tacReal D[2][TAC_BLOCK], K[2][TAC_BLOCK];
} tacDistanceBound;

typedef struct tacDistanceBoundChild {
    const tacDistanceBound* bound;
    int negated;
} tacDistanceBoundChild;

typedef struct tacShapeKernels {
    int lanes;
    int stage; // points that `superquadrics` takes in lock step

    // is |x| <= limit for all? Not if one is NaN
    int (*all_within)(const tacReal* x, int count, double limit);

    void (*leaf)(const tacNodeData* b, const tacReal x[3][TAC_BLOCK], tacFieldBlock* out, int count,
                 int order);

    // the same of superquadrics with one distance, another one (b[i]) for each vector of points:
    // their stages run in lock step however few points each of them has
    void (*superquadrics)(const tacNodeData* const* b, const tacReal x[3][TAC_BLOCK],
                          tacFieldBlock* out, int count, int order);

    // points at[0 .. count - 1] of x to out, from `first` on
    void (*gather_points)(const tacReal x[3][TAC_BLOCK], const int* at, tacReal out[3][TAC_BLOCK],
                          int first, int count);

    // combination: the first child begins it, the others merge, close takes the logarithm
    void (*blend_begin)(tacBlend blend, tacFieldBlock* acc, int count, int order);
    void (*blend_merge)(tacBlend blend, tacFieldBlock* acc, const tacFieldBlock* child, int count,
                        int order);
    // the same at points at[0 .. count - 1] alone; the child's field there stands at first, first +
    // 1…
    void (*blend_merge_some)(tacBlend blend, tacFieldBlock* acc, const int* at,
                             const tacFieldBlock* child, int first, int count, int order);
    void (*blend_close)(tacBlend blend, tacFieldBlock* acc, int count);
    // vectors of points at[i], at[i] + 1, ...
    void (*gather_vectors)(const tacReal x[3][TAC_BLOCK], const int* at, tacReal out[3][TAC_BLOCK],
                           int vectors);
    // all of a union that ends at vectors first .. end - 1 of points, from fields of children:
    // depth[i] vectors for each, at most TAC_MAX_BLEND_CHILDREN
    void (*sum)(tacBlend blend, const tacFieldBlock* field, const uint8_t* depth, int first,
                int end, tacFieldBlock* out, int order);

    // low <= phi <= high of a leaf; `least` becomes the smaller of itself and high. Both arrays
    // have capacity TAC_BLOCK; centered_x are the points relative to the middle of all leaves
    void (*leaf_bounds)(const tacNodeData* b, const tacFloatLeaf* float_leaf,
                        const tacReal x[3][TAC_BLOCK], const float centered_x[3][TAC_BLOCK],
                        float* low, float* least, int count);
    // x - origin in single precision
    void (*float_points)(const tacReal x[3][TAC_BLOCK], const double origin[3],
                         float out[3][TAC_BLOCK], int count);
    // bit i: low[i] is at most `cutoff` above high[i], and at most `end`
    tacPointMask (*is_near)(const float* low, const float* high, double bound, double end,
                            int count);

    // D and K of a leaf; `width` is about how far temperatures reach. Of a combination of n
    // children
    void (*leaf_distance_bound)(const tacNodeData* b, const tacReal x[3][TAC_BLOCK], tacReal width,
                                tacDistanceBound* out, int count);
    void (*blend_distance_bound)(tacBlend blend, int n, const tacDistanceBoundChild* child,
                                 tacDistanceBound* out, int count);

    // tangent of a leaf's value and gradient along point tangents and `d`
    void (*leaf_jvp)(const tacNodeData* b, const tacNodeDataDot* d, const tacReal x[3][TAC_BLOCK],
                     const tacReal x_dot[3][TAC_BLOCK], tacGradientBlock* dot, int count);

    // adds the adjoint of the points to x_bar, that of the node to bar; own numbers only if asked
    // for
    void (*leaf_vjp)(const tacNodeData* b, const tacReal x[3][TAC_BLOCK],
                     const tacGradientBlock* field_bar, tacReal x_bar[3][TAC_BLOCK],
                     tacNodeDataBar* bar, int count, int with_params);

    // Adjoint of the pose and of the points (NULL skips) from adjoints of the values alone: the
    // field's gradient pulls at each point.
    void (*points_vjp)(const tacFieldBlock* field, const tacReal* value_bar,
                       const tacReal x[3][TAC_BLOCK], const tacReal about[3],
                       tacReal x_bar[3][TAC_BLOCK], tacReal twist_bar[6], int count);

    // one child of a combination: adds its part of the tangent; all values before any gradient
    void (*blend_jvp_value)(tacBlend blend, tacReal tau_dot, const tacGradientBlock* all,
                            const tacGradientBlock* child, const tacGradientBlock* child_dot,
                            tacGradientBlock* all_dot, int count);
    void (*blend_jvp_gradient)(tacBlend blend, tacReal tau_dot, const tacGradientBlock* all,
                               const tacGradientBlock* child, const tacGradientBlock* child_dot,
                               tacGradientBlock* all_dot, int count);

    // sets the adjoint of one child, returns its part of the adjoint of tau
    tacReal (*blend_vjp)(tacBlend blend, const tacGradientBlock* all, const tacGradientBlock* child,
                         const tacGradientBlock* all_bar, tacGradientBlock* child_bar, int count);
} tacShapeKernels;

TAC_DECLARE_KERNELS(tacShapeKernels, tac_shape_kernels_);

#endif
