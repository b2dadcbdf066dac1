// A shape made ready for one call: each node's frame in the world and the constants of its formula.
//
//   model->param, pose --tac_node_data_bind--> tacNodeData per node --> kernels
//
// Constants are derived from the parameters at each call, in tacReal: nothing is cached, so a
// derivative by a parameter cannot be lost on the way. Symbols: docs/shapes.md.

#ifndef TAC_SHAPE_NODE_DATA_H
#define TAC_SHAPE_NODE_DATA_H

#include "tactus/shape.h"

#include "math/number.h"
#include "shape/cloud/cloud_index.h"

// points that go through the program together; a multiple of every TAC_LANES and of 64
#define TAC_BLOCK 256

// square of the half-width, in units of a semi-axis, of the rounding of coordinate planes and of
// the pole axis (node_data.c, docs/shapes.md eq. 8)
#define TAC_SQ_PLANE    1e-60
#define TAC_SQ_ROUNDING 1e-12
// square of the half-angle that ridges of exponents above 1 are rounded over
#define TAC_SQ_RIDGE 1e-4
// added to r^2, so that y/r is 0 at a centre; far above the square of the complex step
#define TAC_CENTRE 1e-280
// radius of the core that replaces the direction-dependent centre, in units of kappa
#define TAC_CORE 0.05

// width of what is softened in capsule, cylinder and box, in units of the radius or of kappa
#define TAC_SOFT 0.02
// added to rho^2 on their axes, in units of width^2: above the square of the complex step even
// where a rotation moves a far point
#define TAC_SOFT_GUARD 1e-40

// most planes of a sweep; its layout: which of its numbers vary, and how many planes there are
#define TAC_SWEEP_PLANES 8
enum {
    TAC_SWEEP_SIZE_VARIES = 1,
    TAC_SWEEP_EPS_VARIES = 2,
    TAC_SWEEP_PLANES_VARY = 4,
    TAC_SWEEP_ONE_PLANE = 8
};

// most numbers that a leaf has of its own
#define TAC_LEAF_PARAMS 5

// Frame of a node: x_world = origin + R y.
typedef struct tacFrame {
    tacMat3 R;
    tacReal origin[3];
} tacFrame;

// Core around a centre: radius, and the value at the centre (docs/shapes.md eq. 5).
typedef struct tacCore {
    tacReal radius, cap;
} tacCore;

typedef struct tacNodeData {
    tacNodeKind kind; // an ellipsoid is bound as the superquadric that it is
    tacDistance distance;
    // all that the field of a superquadric takes, in as few cache lines as it fits
    tacFrame frame;
    tacCore core;
    tacReal inv_a2[3]; // 1/a^2
    tacReal w2[3];     // w^2 of each axis
    tacReal delta[3];  // w^2 a^2
    tacReal e[2];      // exponents e1 (north-south), e2 (east-west)
    tacReal inv_e[2];
    tacReal guard; // keeps 1/|grad ln g| finite at the centre, 1/rho on the axis of a cylinder
    int ridged;    // is an exponent above 1?

    tacReal about[3];     // pose.position of the call: point that twists are taken about
    tacReal size[3];      // radius, radius and half length, or semi-axes
    tacReal width;        // of what is softened in capsule, cylinder and box
    tacReal ridge[3];     // W^2 of each axis
    tacReal inner;        // a ball of this radius around the centre fits into a superquadric
    tacReal outer;        // and one of this radius holds it
    tacReal tau;          // temperature of a combination, or of a leaf that has one
    double end;           // where a union ends (fade.inl), 0: nowhere
    int param_count;      // numbers of a leaf's own
    const tacReal* block; // more numbers of a leaf, as many as the scene says: they stay in param
    int block_count;
    const tacCloud* cloud; // of a cloud, with its boxes and what they say of all points
    const tacCloudPage* page;
    tacCloudLevels levels;
    tacCloudExtent extent;
    tacReal inv_eps;     // 1/eps1 of a cloud, 1 where metrics say it
    double cutoff_depth; // how far ln B of its points may lie below the largest (cloud_index.h)
    int exact;           // of the shape: nothing is left out
    int layout;
} tacNodeData;

// Tangent of a bound node: twist of its frame about the call's pose.position, and of its numbers.
typedef struct tacNodeDataDot {
    tacReal twist[6];                     // linear, angular, world axes
    tacReal leaf_params[TAC_LEAF_PARAMS]; // of a leaf: sizes, then exponents
    tacReal tau;
    const tacReal* block; // (block_count), or NULL for zero
} tacNodeDataDot;

// Adjoint of the same numbers.
typedef struct tacNodeDataBar {
    tacReal twist[6], leaf_params[TAC_LEAF_PARAMS], tau;
    tacReal* block; // added to directly, or NULL to skip
} tacNodeDataBar;

// fills bound[0 .. count - 1] for the nodes of the shape
void tac_node_data_bind(const tacModel* model, const tacShape* shape, tacPose pose,
                        tacNodeData* node_data);

// derivative of tac_node_data_bind along the twist of the pose and parameters; NULL is zero
void tac_node_data_jvp(const tacModel* model, const tacShape* shape, tacPose pose,
                       const tacNodeData* node_data, const tacReal* pose_dot,
                       const tacReal* param_dot, tacNodeDataDot* dot);

// adjoints of zero, with each block's place in param_bar (NULL skips)
void tac_node_data_bar_clear(const tacModel* model, const tacShape* shape, tacReal* param_bar,
                             tacNodeDataBar* bar);

// reverse; sums each node's wrench into its parent (bar changes), then adds to the outputs (NULL
// skips)
void tac_node_data_vjp(const tacModel* model, const tacShape* shape, tacPose pose,
                       const tacNodeData* node_data, tacNodeDataBar* bar, tacReal* pose_bar,
                       tacReal* param_bar);

// how many sizes a leaf of this kind has
static inline int tac_node_size_count(tacNodeKind kind) {
    static const int count[TAC_NODE_KIND_COUNT] = {
        [TAC_NODE_SPHERE] = 1,  [TAC_NODE_SUPERQUADRIC] = 3, [TAC_NODE_ELLIPSOID] = 3,
        [TAC_NODE_CAPSULE] = 2, [TAC_NODE_CYLINDER] = 2,     [TAC_NODE_BOX] = 3};
    return count[kind];
}

// is it made of softened parts?
static inline int tac_node_is_soft(tacNodeKind kind) {
    return kind == TAC_NODE_CAPSULE || kind == TAC_NODE_CYLINDER || kind == TAC_NODE_BOX;
}

// how many numbers a leaf has of its own, and their offsets in param
int tac_node_param_offsets(const tacNode* node, int offset[TAC_LEAF_PARAMS]);

// Tangents of a leaf's constants along a tangent of its own numbers.
typedef struct tacLeafDot {
    tacReal size[3];
    tacReal log_a[3];    // da/a
    tacReal w2_a2[3];    // a^2 d(w^2)
    tacReal delta[3];    // d(w^2 a^2)
    tacReal ridge[3];    // d(W^2)
    tacReal e[2];        // de
    tacReal radius, cap; // of the core
    tacReal width;       // of what is softened
    tacReal tau;
    const tacReal* block; // or NULL for zero
} tacLeafDot;

// constants along a tangent; along that of a leaf's own number k alone
tacLeafDot tac_leaf_dot(const tacNodeData* node_data, const tacNodeDataDot* dot);
tacLeafDot tac_leaf_dot_unit(const tacNodeData* node_data, int k);

#endif
