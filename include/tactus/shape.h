/// Signed distance fields: value, gradient, Hessian, and derivatives by placement and parameters.
///
/// Everything is in world axes; the shape's frame is placed by `pose`. Pose tangents and adjoints
/// are twists (linear, angular) in world axes about pose.position (docs/shapes.md).
#ifndef TACTUS_SHAPE_H
#define TACTUS_SHAPE_H

#include "tactus/state.h"

TAC_EXTERN_C_BEGIN

/// Farthest coordinate of a point that is evaluated; beyond, and for what is not finite, calls
/// return TAC_ERROR_VALUE. [m]
#define TAC_MAX_COORDINATE 1e15

/// Many points, one array per coordinate. Any count, any alignment, no padding.
typedef struct tacPoints {
    int count;           ///< how many
    const tacReal* x[3]; ///< coordinates in the world                         (count) [m]
} tacPoints;

/// A field at those points, or an adjoint or tangent of it. NULL skips an output or means zero.
typedef struct tacField {
    tacReal* value;       ///< signed distance, negative inside                (count) [m]
    tacReal* gradient[3]; ///< d value/d x; all three or none                  (count)
    tacReal* hessian[6];  ///< xx yy zz xy xz yz; all six or none              (count) [1/m]
} tacField;

/// Where and how a derivative looks: tangents of tac_shape_jvp. NULL means zero.
typedef struct tacShapeTangent {
    const tacReal* x[3];  ///< of the points; all three or none                (count) [m]
    const tacReal* pose;  ///< twist of the shape's frame about pose.position  (6)
    const tacReal* param; ///< of all parameters of the model                  (nparam)
} tacShapeTangent;

/// Adjoints that tac_shape_vjp adds to. NULL skips.
typedef struct tacShapeAdjoint {
    tacReal* x[3];  ///< of the points; all three or none                      (count)
    tacReal* pose;  ///< of the twist about pose.position                      (6)
    tacReal* param; ///< of all parameters of the model                        (nparam)
} tacShapeAdjoint;

/// Evaluates shape number `shape`, placed at `pose`. The bits of a value do not depend on how many
/// points are asked for, nor on which derivatives are asked for.
TAC_API
tacResult tac_shape_eval(const tacModel* model, int shape, tacPose pose, tacPoints points,
                         tacField out, tacScratch* scratch);

/// Forward derivative of value and gradient (out.hessian is ignored) along `tangent`.
TAC_API
tacResult tac_shape_jvp(const tacModel* model, int shape, tacPose pose, tacPoints points,
                        tacShapeTangent tangent, tacField out, tacScratch* scratch);

/// Reverse derivative of value and gradient: adds (d field/d input)^T bar to `adjoint`.
TAC_API
tacResult tac_shape_vjp(const tacModel* model, int shape, tacPose pose, tacPoints points,
                        tacField bar, tacShapeAdjoint adjoint, tacScratch* scratch);

#ifndef TAC_NUMBER_COMPLEX
/// Second derivative: the derivative of what tac_shape_vjp adds, along `tangent`, bars held fixed.
/// Adds to `adjoint`. Exact: made by the library's own complex build, without differences.
TAC_API
tacResult tac_shape_hvp(const tacModel* model, int shape, tacPose pose, tacPoints points,
                        tacField bar, tacShapeTangent tangent, tacShapeAdjoint adjoint,
                        tacScratch* scratch);
#endif

/// For each point the radius of a ball around it that the surface does not enter: a ray may always
/// advance by it. 0 inside, on the surface, and where no ball can be proven (docs/shapes.md).
TAC_API
tacResult tac_shape_steps(const tacModel* model, int shape, tacPose pose, tacPoints points,
                          double* radius, tacScratch* scratch);

/// A ball that holds a solid.
typedef struct tacBall {
    tacVec3 center; ///< near the solid's middle, in the shape's frame       [m]
    double radius;  ///< infinite where no ball is proven                    [m]
} tacBall;

/// A ball that holds the solid, centred where the solid is; of infinite radius for a shape with a
/// half-space (docs/shapes.md, Limits).
TAC_API
tacBall tac_shape_ball(const tacModel* model, int shape, tacScratch* scratch);

/// Contact normal of a gradient: g/sqrt(1e-12 + |g|^2), of length <= 1, shorter only near ties and
/// centres.
TAC_API
tacVec3 tac_shape_normal(tacVec3 gradient);

TAC_EXTERN_C_END

#endif
